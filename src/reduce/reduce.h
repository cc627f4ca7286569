/* Layer reduce, for the other layers of the library: bases made from plain matrices.
 *
 * A basis P takes f new coordinates eta to n old ones, xi = P eta. All bases here are orthonormal in the mass matrix,
 * P^T M P = I, so that the reduced problem eta'' + P^T K P eta = 0 is an ordinary symmetric eigenproblem. Everything in
 * this layer is dense: n is the size of one body or of a mechanism, hundreds of coordinates and not millions. */
#ifndef PHX_REDUCE_REDUCE_H
#define PHX_REDUCE_REDUCE_H

#include "algebra/algebra.h"

/* The columns of a basis. Owns its array. */
typedef struct phx_basis {
    int n, count;
    double *columns; /* n x count, row-major */
} phx_basis;
void phx_basis_free(phx_basis *basis); /* frees and zeroes the fields; NULL is allowed */

/* Basis of the motions that constraints leave free,
 *
 *     G P = 0,   P^T M P = I,   P is n x f,   f = n - rank G.
 *
 * With M = L L^T and the unknowns scaled to unit mass, y = L^T xi, the columns of L^T P are an orthonormal basis of the
 * null space of G L^-T, whose rows are scaled to one before the QR, so that neither the units of the coordinates nor
 * those of the constraints enter the decision on the rank. Rows that depend on others, and rows of rounding
 * (below 1e-14 of the longest), are handled by that rank.
 *
 * mass_factor: L as phx_dense_cholesky leaves it, n x n. constraints: G, m x n, row-major; m may be 0 (NULL then), and
 * P = L^-T. rtol: what is below it, relative to the largest, counts as zero; 0: 1e-10. rank (may be NULL): rank of G.
 * Errors: PHX_ERR_ARGUMENT for a size below 0 or an entry of G that is not finite; PHX_ERR_MEMORY; PHX_ERR_LIBRARY. */
phx_status phx_reduce_free_motions(phx_context *context, int n, const double *mass_factor, int m,
                                   const double *constraints, double rtol, int *rank, phx_basis *basis);

/* A stiffness K = root^T root + rest (n x n). Either part may be NULL: absent. Borrowed. A stiffness that has no root
 * is all `rest`; its low frequencies lose digits with the square of the highest frequency, those of a root do not. The
 * symmetric part of `rest` counts. */
typedef struct phx_stiffness {
    const phx_csr *root; /* rows x n */
    const phx_csr *rest; /* n x n */
} phx_stiffness;

/* Normal modes in the space of a mass-orthonormal basis P (n x f): K phi = lambda M phi projected on P.
 *
 * Without `rest` the frequencies are the singular values of root P: their absolute error is eps times the largest, that
 * of the root of an eigenvalue of P^T K P would be sqrt(eps) times the largest. With both parts the eigenproblem is
 *
 *     diag(sigma_i^2) + V^T P^T rest P V,   root P = U diag(sigma) V^T,
 *
 * solved by Jacobi rotations, which keep what such a graded matrix knows of its small eigenvalues.
 *
 * frequency (f): ascending by lambda; sqrt(lambda), and -sqrt(-lambda) where lambda < 0 (an instability).
 * resolution (may be NULL): the largest |frequency| that rounding makes of zero; below it a mode is a rigid-body mode.
 * asymmetry (may be NULL): norm of the skew part over the norm of the symmetric part of the projected `rest`, which was
 * left out; 0 without `rest`.
 * modes (may be NULL): P V, n x f, mass-orthonormal, in the order of `frequency`.
 * Errors: PHX_ERR_ARGUMENT when the sizes do not fit, PHX_ERR_MEMORY, PHX_NOT_CONVERGED, PHX_ERR_LIBRARY. */
phx_status phx_reduce_normal_modes(phx_context *context, const phx_basis *basis, const phx_stiffness *stiffness,
                                   double *frequency, double *resolution, double *asymmetry, phx_basis *modes);

/* The same when only the `wanted` lowest modes count (0: all). modes->count says how many there are: `wanted` where the
 * stiffness is a root without rigid-body modes, `wanted` at most half of f, and the estimate of the relative error of
 * phx_dense_lowest_singular_values is below 1e-13; all f in all other cases. frequency has room for f. `resolution` is
 * then up to sqrt(f) times as large. */
phx_status phx_reduce_lowest_modes(phx_context *context, const phx_basis *basis, const phx_stiffness *stiffness,
                                   int wanted, double *frequency, double *resolution, double *asymmetry,
                                   phx_basis *modes);

#endif
