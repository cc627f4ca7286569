/* Operations of a pack of PHX_LANES bodies; compiled for any processor, and again for those with wider registers. */
#include "../algebra/lanes_kernel.h"
#include "pack.h"

#define real  lanes
#define LANES PHX_LANES
/* clang-format off */
#define ZEROS {{0.0}}
/* clang-format on */
#define NAME(x) lanes_##x
#ifdef __AVX2__
#define OPERATIONS phx_pack_of_many_avx2
#else
#define OPERATIONS phx_pack_of_many
#endif

static inline void lanes_interleave(const double *const *from, int n, lanes *to)
{
    const int even = n - n % PHX_LANES;
    lanes v[PHX_LANES];

    for (int i = 0; i < even; i += PHX_LANES) {
        for (int l = 0; l < PHX_LANES; l++)
            v[l] = *(const lanes *)(from[l] + i);
        transpose(v, v);
        for (int k = 0; k < PHX_LANES; k++)
            to[i + k] = v[k];
    }
    for (int i = even; i < n; i++)
        to[i] = (lanes){from[0][i], from[1][i], from[2][i], from[3][i]};
}

static inline void lanes_part(const lanes *from, int n, double *const *to)
{
    const int even = n - n % PHX_LANES;
    lanes v[PHX_LANES];

    for (int i = 0; i < even; i += PHX_LANES) {
        for (int k = 0; k < PHX_LANES; k++)
            v[k] = from[i + k];
        transpose(v, v);
        for (int l = 0; l < PHX_LANES; l++)
            *(lanes *)(to[l] + i) = v[l];
    }
    for (int i = even; i < n; i++)
        for (int l = 0; l < PHX_LANES; l++)
            to[l][i] = from[i][l];
}

#include "pack_kernel.h"
