/* Operations of a batch of four bodies; compiled for any processor, again for those with registers of four numbers,
 * and, for eight bodies, for those with registers of eight. */
#include "algebra/simd_kernel.h"
#include "batch.h"

/* clang-format off */
#define ZEROS {{0.0}}
/* clang-format on */
#define NAME(x) simd_##x

#ifdef PHX_FOR_AVX512
typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));
#define real       eight
#define SIMD_WIDTH 8
#define OPERATIONS phx_body_batch_of_eight_avx512

/* v[0] and v[4], one behind the other */
static inline eight simd_join(const simd_double *v)
{
    return __builtin_shufflevector(v[0], v[4], 0, 1, 2, 3, 4, 5, 6, 7);
}

static inline eight simd_pick(const double *const *from, int i)
{
    return (eight){from[0][i], from[1][i], from[2][i], from[3][i], from[4][i], from[5][i], from[6][i], from[7][i]};
}
#else
#define real       simd_double
#define SIMD_WIDTH 4
#ifdef PHX_FOR_AVX2
#define OPERATIONS phx_body_batch_of_four_avx2
#else
#define OPERATIONS phx_body_batch_of_four
#endif

static inline simd_double simd_join(const simd_double *v)
{
    return v[0];
}

static inline simd_double simd_pick(const double *const *from, int i)
{
    return (simd_double){from[0][i], from[1][i], from[2][i], from[3][i]};
}
#endif

/* Interleaves n numbers of SIMD_WIDTH arrays, to[i][lane] = from[lane][i], by 4 x 4 transposes. */
static inline void simd_interleave(const double *const *from, int n, real *to)
{
    const int even = n - n % 4;
    simd_double v[SIMD_WIDTH];

    for (int i = 0; i < even; i += 4) {
        for (int l = 0; l < SIMD_WIDTH; l++)
            v[l] = *(const simd_double *)(from[l] + i);
        for (int l = 0; l < SIMD_WIDTH; l += 4)
            transpose(v + l, v + l);
        for (int k = 0; k < 4; k++)
            to[i + k] = simd_join(v + k);
    }
    for (int i = even; i < n; i++)
        to[i] = simd_pick(from, i);
}

/* Inverse of simd_interleave: to[lane][i] = from[i][lane]. */
static inline void simd_part(const real *from, int n, double *const *to)
{
    const int even = n - n % 4;
    const simd_double *halves = (const simd_double *)from;
    simd_double v[4];

    for (int i = 0; i < even; i += 4)
        for (int l = 0; l < SIMD_WIDTH; l += 4) {
            for (int k = 0; k < 4; k++)
                v[k] = halves[((i + k) * SIMD_WIDTH + l) / 4];
            transpose(v, v);
            for (int k = 0; k < 4; k++)
                *(simd_double *)(to[l + k] + i) = v[k];
        }
    for (int i = even; i < n; i++)
        for (int l = 0; l < SIMD_WIDTH; l++)
            to[l][i] = from[i][l];
}

#include "batch_kernel.h"
