/* Kernels for steps with more than SMALL_REST remaining unknowns; the including file defines what front_kernel.h asks
 * for. */
#include "front_kernel.h"

STEPS(5)
STEPS(6)
STEPS(7)
STEPS(8)
STEPS(9)
STEPS(10)
STEPS(11)
STEPS(12)
/* any number */
#ifndef ELIMINATE_ANY
#define ELIMINATE_ANY eliminate
#endif
STEP(1, r, 1_r, ELIMINATE_ANY)
STEP(2, r, 2_r, ELIMINATE_ANY)
STEP(3, r, 3_r, ELIMINATE_ANY)

const kernel WIDE_KERNELS[WIDE_REST - SMALL_REST + 1][PHX_FRONT_STEP] = {
    KERNELS(5), KERNELS(6), KERNELS(7), KERNELS(8), KERNELS(9), KERNELS(10), KERNELS(11), KERNELS(12), KERNELS(r)};

/* F, rows of m, += the size x size update whose rows and columns belong at `relative` */
void WIDE_ADD(int size, bool in_a_row, const int *restrict relative, int m, scalar *restrict F,
              const scalar *restrict update)
{
    if (in_a_row) {
        add_block(size, m, F + relative[0] * (m + 1), update);
        return;
    }
    for (int i = 0; i < size; i++) {
        scalar *row = F + relative[i] * m;
        for (int j = 0; j < size; j++)
            row[relative[j]] = plus(row[relative[j]], update[i * size + j]);
    }
}
