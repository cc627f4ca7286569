/* Operations of a pack of PHX_LANES bodies; compiled for any processor, and again for those with wider registers. */
typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));

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

#include "pack_kernel.h"
