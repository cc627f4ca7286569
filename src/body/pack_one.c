/* Operations of a pack of one body. */
#define real  double
#define LANES 1
#define ZEROS                                                                                                          \
    {                                                                                                                  \
        0.0                                                                                                            \
    }
#define NAME(x)    one_##x
#define OPERATIONS phx_pack_one

#include "pack_kernel.h"
