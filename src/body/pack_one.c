/* Operations of a pack of one body. */
#define real  double
#define LANES 1
/* clang-format off */
#define ZEROS {0.0}
/* clang-format on */
#define NAME(x)    one_##x
#define OPERATIONS phx_pack_of_one

#include "pack_kernel.h"
