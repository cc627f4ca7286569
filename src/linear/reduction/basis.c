/* Orthonormal columns of a dense matrix. */
#include <math.h>

#include "reduction.h"

/* Makes the k columns of Z (n x k, row-major) orthonormal by Gram-Schmidt, twice; fails if they are dependent. */
phx_status phx_orthonormal(phx_context *context, int n, int k, double *Z)
{
    for (int j = 0; j < k; j++)
        for (int round = 0; round < 2; round++) {
            double square = 0.0;
            for (int l = 0; l < j; l++) {
                double along = 0.0;
                for (int i = 0; i < n; i++)
                    along += Z[i * k + l] * Z[i * k + j];
                for (int i = 0; i < n; i++)
                    Z[i * k + j] -= along * Z[i * k + l];
            }
            for (int i = 0; i < n; i++)
                square += Z[i * k + j] * Z[i * k + j];
            if (!(square > 0.0))
                return phx_fail(context, PHX_ERR_ANALYSIS, "the start of the iteration has dependent directions");
            for (int i = 0; i < n; i++)
                Z[i * k + j] /= sqrt(square);
        }
    return PHX_OK;
}

/* Appends x, orthonormalised against `count` columns, after them; false if less than the share `dependent` of its
 * length is left. */
bool phx_append(int n, int count, double *columns, const double *x, double dependent)
{
    const size_t size = (size_t)n;
    double *z = columns + (size_t)count * size;
    double before = 0.0, after = 0.0;

    for (size_t i = 0; i < size; i++) {
        z[i] = x[i];
        before += x[i] * x[i];
    }
    for (int round = 0; round < 2; round++)
        for (int j = 0; j < count; j++) {
            const double *other = columns + (size_t)j * size;
            double along = 0.0;
            for (size_t i = 0; i < size; i++)
                along += other[i] * z[i];
            for (size_t i = 0; i < size; i++)
                z[i] -= along * other[i];
        }
    for (size_t i = 0; i < size; i++)
        after += z[i] * z[i];
    if (!(after > dependent * dependent * before))
        return false;
    for (size_t i = 0; i < size; i++)
        z[i] /= sqrt(after);
    return true;
}
