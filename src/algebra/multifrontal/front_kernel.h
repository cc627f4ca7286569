/* The steps of front_step.h with constant sizes, for one type of values; the including file defines what that asks for
 * and the names of what is in front_wide.h. */
#include "front_step.h"

/* The numeric steps for one type of number, for p pivots and any number r of remaining unknowns. */
typedef struct kernel {
    void (*eliminate)(int r, const scalar *restrict F, scalar *restrict over, scalar *restrict C,
                      scalar *restrict update);
    void (*down)(int r, const scalar *restrict C, const int *restrict rows, scalar *restrict own, scalar *restrict y);
    void (*up)(int r, const scalar *restrict C, const int *restrict rows, scalar *restrict own,
               const scalar *restrict y);
} kernel;

#define STEP(P, R, NAME, ELIMINATE)                                                                                    \
    static void eliminate_##NAME(int r, const scalar *restrict F, scalar *restrict over, scalar *restrict C,           \
                                 scalar *restrict update)                                                              \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        ELIMINATE(P, R, F, over, C, update);                                                                           \
    }                                                                                                                  \
    static void down_##NAME(int r, const scalar *restrict C, const int *restrict rows, scalar *restrict own,           \
                            scalar *restrict y)                                                                        \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        sweep_down(P, R, C, rows, own, y);                                                                             \
    }                                                                                                                  \
    static void up_##NAME(int r, const scalar *restrict C, const int *restrict rows, scalar *restrict own,             \
                          const scalar *restrict y)                                                                    \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        sweep_up(P, R, C, rows, own, y);                                                                               \
    }
#define STEPS(R) STEP(1, R, 1_##R, eliminate) STEP(2, R, 2_##R, eliminate) STEP(3, R, 3_##R, eliminate)
#define KERNEL(NAME)                                                                                                   \
    {                                                                                                                  \
        eliminate_##NAME, down_##NAME, up_##NAME                                                                       \
    }
#define KERNELS(R)                                                                                                     \
    {                                                                                                                  \
        KERNEL(1_##R), KERNEL(2_##R), KERNEL(3_##R)                                                                    \
    }
enum { SMALL_REST = 4, WIDE_REST = 12 }; /* kernels of constant size: r <= SMALL_REST, the wide ones up to WIDE_REST */

extern const kernel WIDE_KERNELS[WIDE_REST - SMALL_REST + 1][PHX_FRONT_STEP];
void WIDE_ADD(int size, bool in_a_row, const int *restrict relative, int m, scalar *restrict F,
              const scalar *restrict update);
