/* Threads of the BLAS. */
#include <cblas.h>

#include "algebra/algebra.h"

void phx_algebra_set_threads(int threads)
{
    openblas_set_num_threads(threads > 0 ? threads : 1);
}
