/* Operations of a batch of one body; compiled for any processor, and again for those with registers of four numbers. */
#define real       double
#define SIMD_WIDTH 1
/* clang-format off */
#define ZEROS {0.0}
/* clang-format on */
#define NAME(x) one_##x
#ifdef PHX_FOR_AVX2
#define OPERATIONS phx_body_batch_of_one_avx2
#else
#define OPERATIONS phx_body_batch_of_one
#endif

#include <string.h>

static inline void one_interleave(const double *const *from, int n, double *to)
{
    memcpy(to, from[0], (size_t)n * sizeof *to);
}

static inline void one_part(const double *from, int n, double *const *to)
{
    memcpy(to[0], from, (size_t)n * sizeof *from);
}

#include "batch_kernel.h"
