/* Layer reduce, for the other layers of the library: bases made from plain matrices.
 *
 * A basis P takes f new coordinates eta to n old ones, xi = P eta. All bases here are orthonormal in the mass matrix,
 * P^T M P = I, so that the reduced problem eta'' + P^T K P eta = 0 is an ordinary symmetric eigenproblem. Bases are
 * dense: n is the size of one body or of a mechanism, hundreds of coordinates and not millions; shapes that follow
 * others (the end of this header) take M and K as sparse matrices, for bodies of any size. */
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

/* ---- eigenvalues of graded matrices (jacobi.c) ---- */
/* Eigenvalues and eigenvectors of a symmetric matrix (n x n, row-major, destroyed) whose diagonal spans many orders of
 * magnitude and dominates, by cyclic Jacobi rotations: unlike a reduction to tridiagonal form they do not mix the large
 * entries into the small ones, so small eigenvalues are as accurate as the entries around them. values (n) as they come
 * on the diagonal, not sorted; eigenvector k is ROW k of `vectors`, which must hold an orthogonal matrix on entry (the
 * rows are combined: start with the identity). PHX_NOT_CONVERGED after 40 sweeps. */
phx_status phx_reduce_jacobi(phx_context *context, int n, double *a, double *values, double *vectors);

/* ---- shapes that follow others (followers.c) ----
 * For geometric stiffening a basis needs shapes that take away what the strains of second order of its own would make:
 * orthogonal to it in K, in energy the most important ones. */
/* Shapes, one after the other: count x n. */
typedef struct phx_shapes {
    int n, count;
    double *y;
    double *omega; /* count: y^T K y = omega^2 of shapes that are orthogonal in K; else NULL */
} phx_shapes;
void phx_shapes_free(phx_shapes *family); /* frees and zeroes the fields */
/* None yet, and room for `most`. */
phx_status phx_shapes_allocate(phx_context *context, int n, int most, phx_shapes *family);
static inline double *phx_shapes_column(const phx_shapes *family, int k)
{
    return family->y + (size_t)k * (size_t)family->n;
}
/* To y^T K y = 1 each; those of nothing stay. */
phx_status phx_shapes_normalise(phx_context *context, const phx_csr *K, phx_shapes *family);
/* All by one factor, the largest y^T K y to 1; *largest (NULL: not wanted): its root before. */
phx_status phx_shapes_scale(phx_context *context, const phx_csr *K, phx_shapes *family, double *largest);
/* Appends to `to`, which has the room and is orthonormal in K, what `more` has beside it and beside `basis` (with
 * omega), orthonormal in K, the most energetic first: at most `most` shapes, none whose energy is `least` or less of
 * that of those given. `more` is changed. */
phx_status phx_shapes_join(phx_context *context, const phx_csr *K, const phx_shapes *basis, double least, int most,
                           phx_shapes *more, phx_shapes *to);
/* Appends `added`, orthonormal in K, to `basis` as shapes that are orthonormal in M too, with their omega. */
phx_status phx_shapes_append(phx_context *context, const phx_csr *M, const phx_shapes *added, phx_shapes *basis);
/* The lowest modes of the shapes `Phi` (omega.count x n, one after the other) with the mass M (n x n) and the stiffness
 * diag(omega^2) of `basis`: `count` of them, as large as steady loads make them beside each other, energies 1/omega^2.
 * lowest: count x n, allocated. */
phx_status phx_shapes_lowest(phx_context *context, const phx_csr *M, const phx_shapes *basis, const double *Phi,
                             int count, double **lowest);
/* Appends to `basis`, as phx_shapes_append does, what follows it: `loads`, of energy 1 each, then as many as count of
 * `derivatives`, the displacements by the strains of second order of pairs of its shapes: in one pass those with more
 * than 1e-12 of the energy of the largest, in a second those with more than that of what is left. Both are changed. */
phx_status phx_shapes_follow(phx_context *context, const phx_csr *M, const phx_csr *K, int passes, phx_shapes *loads,
                             phx_shapes *derivatives, phx_shapes *basis);
/* Of so many of the lowest shapes are pairs to be taken. */
enum { PHX_SHAPES_FOLLOWED = 20 };
/* The share of a shape of energy 1 that is rounding beside others. */
#define PHX_SHAPES_DEPENDENT 1e-10

/* ---- effective masses (effective.c) ---- */
/* Effective masses of the modes of a Craig-Bampton basis with all interfaces held. */
typedef struct phx_effective_mass {
    bool given;
    double mass[3]; /* kg, along the body axes when all interfaces move together; of all modes the mass of the body less
                       what moves with the interfaces */
    double share; /* of the mass that a unit motion of an interface moves, the others held: in the direction in which it
                     is least */
} phx_effective_mass;
/* How unit motions of interfaces drive modes. */
typedef struct phx_participation {
    int modes, constraints;
    double *L;          /* modes x constraints: phi^T M Psi */
    double *mode;       /* modes: phi^T M phi */
    double *constraint; /* constraints: Psi^T M Psi */
    int *axis;          /* constraints: 0, 1, 2 a displacement, above a rotation */
} phx_participation;
phx_status phx_participation_allocate(phx_context *context, int modes, int constraints,
                                      phx_participation *participation);
void phx_participation_free(phx_participation *participation);
/* chosen (modes): marks the `keep` modes of the largest shares in a direction; of equal ones the lower. */
void phx_participation_choose(const phx_participation *participation, int keep, bool *chosen);
/* Effective masses of the chosen modes: of the body as a whole, and their least share in a direction. */
void phx_participation_add(const phx_participation *participation, const bool *chosen, phx_effective_mass *effective);

#endif
