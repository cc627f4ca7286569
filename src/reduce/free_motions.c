/* The null space of constraints in unknowns scaled to unit mass. */
#include <math.h>
#include <string.h>

#include "reduce/reduce.h"

static const double default_rtol = 1e-10;
/* Rows shorter than this times the longest are rounding, not constraints. */
static const double row_noise = 1e-14;
/* A coordinate of unit mass that moves less than this in all free motions stands still. */
static const double motion_noise = 1e-13;

void phx_basis_free(phx_basis *basis)
{
    if (!basis)
        return;
    phx_free(basis->columns);
    *basis = (phx_basis){0};
}

static phx_status free_motions_check(phx_context *context, int n, int m, const double *constraints)
{
    if (n < 0 || m < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "free motions: %d coordinates and %d constraints; both must be >= 0",
                        n, m);
    for (size_t k = 0; k < (size_t)m * (size_t)n; k++)
        if (!isfinite(constraints[k]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "free motions: entry (%zu, %zu) of the constraints is %g; it must be finite", k / (size_t)n,
                            k % (size_t)n, constraints[k]);
    return PHX_OK;
}

/* Rows of A (m x n) to length 1; rows of rounding to zero. */
static void scale_rows(int m, int n, double *a)
{
    double longest = 0.0;
    for (int i = 0; i < m; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += a[(size_t)i * n + j] * a[(size_t)i * n + j];
        longest = fmax(longest, sqrt(sum));
    }
    for (int i = 0; i < m; i++) {
        double *row = a + (size_t)i * n, sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += row[j] * row[j];
        const double length = sqrt(sum), scale = length > row_noise * longest ? 1.0 / length : 0.0;
        for (int j = 0; j < n; j++)
            row[j] *= scale;
    }
}

/* scaled (m x n) = G L^-T, rows of length 1 */
static phx_status scaled_constraints(phx_context *context, int n, const double *mass_factor, int m,
                                     const double *constraints, double *scaled)
{
    double *transposed = phx_calloc(context, (size_t)n * (size_t)m, sizeof *transposed);
    if (!transposed)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            transposed[(size_t)j * m + i] = constraints[(size_t)i * n + j];
    phx_dense_triangle_solve(false, n, mass_factor, m, transposed); /* L^-1 G^T */
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            scaled[(size_t)i * n + j] = transposed[(size_t)j * m + i];
    phx_free(transposed);
    scale_rows(m, n, scaled);
    return PHX_OK;
}

/* Rows of the orthonormal columns (n x f) that are rounding to zero: what the constraints hold does not move at all, so
 * that a spring on it gives no frequency of rounding where nothing else has one. */
static void hold_rows(int n, int f, double *columns)
{
    for (int i = 0; i < n; i++) {
        double *row = columns + (size_t)i * f, square = 0.0;
        for (int j = 0; j < f; j++)
            square += row[j] * row[j];
        if (square <= motion_noise * motion_noise)
            memset(row, 0, (size_t)f * sizeof *row);
    }
}

static phx_status identity(phx_context *context, int n, double **basis)
{
    *basis = phx_calloc(context, (size_t)n * (size_t)n, sizeof **basis);
    if (!*basis)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        (*basis)[(size_t)i * n + i] = 1.0;
    return PHX_OK;
}

/* Basis of the motions that satisfy the constraints, orthonormal in the mass L L^T: P = L^-T null(G L^-T). The rank of
 * the constraints is optional; the caller frees the basis. */
phx_status phx_reduce_free_motions(phx_context *context, int n, const double *mass_factor, int m,
                                   const double *constraints, double rtol, int *rank, phx_basis *basis)
{
    if (!basis || (n > 0 && !mass_factor))
        return phx_fail_null(context, __func__, "mass_factor or basis");
    phx_status status = free_motions_check(context, n, m, constraints);
    if (status)
        return status;
    if (rtol <= 0.0)
        rtol = default_rtol;
    int found = 0;
    double *scaled = NULL, *columns = NULL;
    if (m == 0 || n == 0) {
        status = identity(context, n, &columns);
    } else {
        scaled = phx_calloc(context, (size_t)m * (size_t)n, sizeof *scaled);
        status = scaled ? scaled_constraints(context, n, mass_factor, m, constraints, scaled) : PHX_ERR_MEMORY;
        if (!status)
            status = phx_dense_nullspace(context, m, n, scaled, rtol, &found, &columns);
    }
    phx_free(scaled);
    if (status)
        return status;
    if (m > 0)
        hold_rows(n, n - found, columns);
    if (n > found)
        phx_dense_triangle_solve(true, n, mass_factor, n - found, columns); /* P = L^-T null(G L^-T) */
    *basis = (phx_basis){.n = n, .count = n - found, .columns = columns};
    if (rank)
        *rank = found;
    return PHX_OK;
}
