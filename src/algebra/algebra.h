/* Layer algebra, for the other layers of the library: dense and sparse matrices, factorisations, eigenproblems,
 * rotations.
 *
 * Dense matrices are row-major arrays of double with an explicit number of columns as leading dimension. LAPACK,
 * SuiteSparse and ARPACK types stay inside this layer. */
#ifndef PHX_ALGEBRA_ALGEBRA_H
#define PHX_ALGEBRA_ALGEBRA_H

#include "base/base.h"

#include <phlexor/algebra.h>

/* ---- sparse matrices ---- */

/* Results and errors as of phx_csr_from_triplets. */
phx_status phx_csr_copy(phx_context *context, const phx_csr *a, phx_csr *copy);
phx_status phx_csr_transpose(phx_context *context, const phx_csr *a, phx_csr *transpose);
phx_status phx_csr_multiply(phx_context *context, const phx_csr *a, const phx_csr *b, phx_csr *product);
/* Z^T A Z and friends: left^T * a * right. */
phx_status phx_csr_congruence(phx_context *context, const phx_csr *left, const phx_csr *a, const phx_csr *right,
                              phx_csr *product);
phx_status phx_csr_add(phx_context *context, double alpha, const phx_csr *a, double beta, const phx_csr *b,
                       phx_csr *sum);
/* Whether these are the rows of a sparse matrix, with ascending columns. */
bool phx_csr_is_sound(int rows, int cols, const int *ptr, const int *idx, int entries);
void phx_csr_archive(phx_archive *archive, phx_csr *matrix);
void phx_csr_apply(const phx_csr *a, double alpha, const double *x, double *y);            /* y += alpha A x   */
void phx_csr_apply_transposed(const phx_csr *a, double alpha, const double *x, double *y); /* y += alpha A^T x */
double phx_csr_form(const phx_csr *a, const double *x, const double *y);                   /* x^T A y         */
void phx_csr_apply_dense(const phx_csr *a, int cols, const double *x, double *y);          /* Y += A X, row-major */
/* Index of entry (row, col) in idx/val, -1 when it is not in the pattern. */
int phx_csr_find(const phx_csr *a, int row, int col);

/* ---- dense kernels (BLAS/LAPACK) ---- */
/* Small sizes run in plain loops without threads; cholesky, triangle_solve, and up to size 48 solve and inverse, do not
 * allocate. Where `context` is passed, inputs that are not finite give PHX_ERR_ARGUMENT, in cholesky, solve and inverse
 * PHX_SINGULAR. */
/* c = alpha * op(a) * op(b) + beta * c, row-major, op(a) is m x k, op(b) is k x n; c is not read when beta is 0. */
void phx_dense_multiply(bool transpose_a, bool transpose_b, int m, int n, int k, double alpha, const double *a, int lda,
                        const double *b, int ldb, double beta, double *c, int ldc);
/* A <- (A + sign A^T)/2: symmetric or antisymmetric bit for bit. */
void phx_dense_symmetrise(int n, double sign, double *a);
/* Cholesky A = L L^T in place (lower triangle of the row-major array, strict upper triangle zeroed).
 * PHX_SINGULAR with the failing pivot in the message when A is not positive definite; A is destroyed then. */
phx_status phx_dense_cholesky(phx_context *context, int n, double *a);
/* b (n x nrhs, row-major) <- L^-1 b, or L^-T b. */
void phx_dense_triangle_solve(bool transpose, int n, const double *l, int nrhs, double *b);
/* Solve A X = B (b: n x nrhs, row-major, in place) by LU with pivoting, A destroyed. PHX_SINGULAR when A is singular to
 * working precision; b is unchanged then. */
phx_status phx_dense_solve(phx_context *context, int n, double *a, int nrhs, double *b);
/* A <- A^-1. PHX_SINGULAR as above, A is destroyed then. */
phx_status phx_dense_inverse(phx_context *context, int n, double *a);
/* Least-norm least-squares solution of A x = b (A m x n, b m x nrhs, x n x nrhs, row-major, A and b kept), by complete
 * orthogonal factorisation; singular values below rcond times the largest count as zero; rank may be NULL. */
phx_status phx_dense_least_norm(phx_context *context, int m, int n, const double *a, int nrhs, const double *b,
                                double rcond, double *x, int *rank);
/* Rank-revealing QR with column pivoting of A (m x n, row-major, kept): rank, the order of the columns (column
 * order[k] was the k-th pivot; may be NULL), and, when wanted (not NULL), an orthonormal basis of null(A^T) as
 * m x (m-rank). Pivots up to rtol times the largest column norm count as zero. */
phx_status phx_dense_rrqr(phx_context *context, int m, int n, const double *a, double rtol, int *rank, int *order,
                          double *left_null);
/* The triangle R (n x n) of A = Q R, A m x n, row-major, overwritten; m < n: its last rows are zero. */
phx_status phx_dense_qr_triangle(phx_context *context, int m, int n, double *a, double *r);
/* Orthonormal basis of null(A), n x (n-rank), allocated (phx_free); by pivoted QR of A^T. */
phx_status phx_dense_nullspace(phx_context *context, int m, int n, const double *a, double rtol, int *rank,
                               double **basis);
/* A x = lambda B x, symmetric A, SPD B: values ascending (n), vectors B-orthonormal in the columns of n x n `vectors`
 * (may be NULL). b NULL: B is the identity. A and B are kept; their lower triangles are read. PHX_SINGULAR when B is
 * not positive definite. */
phx_status phx_dense_eigen_symmetric(phx_context *context, int n, const double *a, const double *b, double *values,
                                     double *vectors);
/* General eigenproblem A x = lambda x (b NULL) or A x = lambda B x. alpha/beta form folded: infinite eigenvalues come
 * as HUGE_VAL in `re`. Vectors (may be NULL): 2*n*n interleaved complex, eigenvector k in column k, of unit length; a
 * complex pair stands side by side, im > 0 first. PHX_SINGULAR when A - lambda B is singular for every lambda. */
phx_status phx_dense_eigen_general(phx_context *context, int n, const double *a, const double *b, double *re,
                                   double *im, double *vectors);
/* A x = i omega x of a real skew A (kept, its lower triangle is read): omega ascending (n), in pairs +- to rounding and
 * real by construction; vectors (may be NULL): 2*n*n interleaved complex, orthonormal, eigenvector k in column k. */
phx_status phx_dense_eigen_skew(phx_context *context, int n, const double *a, double *omega, double *vectors);
/* A = Q H Q^T (A kept): H upper Hessenberg, Q orthogonal, n x n each. */
phx_status phx_dense_hessenberg(phx_context *context, int n, const double *a, double *h, double *q);
/* Solutions with z I - A for many complex z: n^3 work once, by the Hessenberg form of A (n x n, not needed afterwards),
 * then n^2 for each z and right-hand side, of which at most `columns` are solved for at a time. factor: PHX_SINGULAR,
 * without a message, where z is an eigenvalue to working precision. solve: x (n x m complex, interleaved, row-major) <-
 * (z I - A)^-1 x. Both without allocation. */
typedef struct phx_shifted phx_shifted;
phx_status phx_shifted_create(phx_context *context, int n, const double *a, int columns, phx_shifted **shifted);
void phx_shifted_destroy(phx_shifted *shifted); /* NULL is allowed */
phx_status phx_shifted_factor(phx_shifted *shifted, double re, double im);
void phx_shifted_solve(phx_shifted *shifted, int m, double *x);
/* A = Q T Q^T (A kept): T real Schur form, Q orthogonal, n x n each. stable_first: eigenvalues with negative real part
 * first, `count` of them (may be NULL). */
phx_status phx_dense_schur(phx_context *context, int n, const double *a, bool stable_first, double *t, double *q,
                           int *count);
/* A X + X A^T + W = 0 for symmetric W, which is in `x` and is overwritten by X. PHX_SINGULAR where two eigenvalues of A
 * add up to zero. The second form has A = Q T Q^T already; transposed: A^T X + X A + W = 0. */
phx_status phx_dense_lyapunov(phx_context *context, int n, const double *a, double *x);
phx_status phx_dense_lyapunov_schur(phx_context *context, int n, const double *t, const double *q, bool transposed,
                                    double *x);
/* A X - X B = C of A (m x m) and B (n x n), both in real Schur form; C (m x n) is overwritten by X. PHX_SINGULAR where
 * A and B have an eigenvalue in common. */
phx_status phx_dense_sylvester_schur(phx_context *context, int m, int n, const double *a, const double *b, double *x);
/* e = exp(A), n x n each; A is kept. */
phx_status phx_dense_exponential(phx_context *context, int n, const double *a, double *e);
/* The stabilising solution of A^T X + X A - X G X + Q = 0 (A - G X is stable), G and Q symmetric, definite or not, by
 * the stable invariant subspace of [A -G; -Q -A^T] and Newton's corrections. PHX_SINGULAR where there is none. */
phx_status phx_dense_riccati(phx_context *context, int n, const double *a, const double *g, const double *q, double *x);
/* Singular values of A (m x n, kept), descending (min(m,n)), and right singular vectors as the columns of the n x n
 * `right` (may be NULL; when m < n the last n-m columns span the null space). By LAPACK's dgejsv: small ones keep their
 * relative accuracy when A is well-conditioned but for a scaling of its rows and columns, else they are as accurate as
 * those of dgesvd. */
phx_status phx_dense_singular_values(phx_context *context, int m, int n, const double *a, double *values,
                                     double *right);
/* The `count` smallest singular values of A (m x n, m >= n, kept), ascending, and their right vectors as the columns of
 * `right` (n x count), in a fraction of the time of all of them. The values are those of phx_dense_singular_values to a
 * relative difference of the size of *error, an estimate from the condition of A with its rows scaled to one size;
 * HUGE_VAL where A is singular to rounding: then there are no values. PHX_ERR_ARGUMENT for sizes that do not fit. */
phx_status phx_dense_lowest_singular_values(phx_context *context, int m, int n, const double *a, int count,
                                            double *values, double *right, double *error);

/* ---- sparse factorisations ---- */
/* LU of a square matrix with a pattern fixed at creation. Symbolic work once, then factor / refactor / solve. The
 * matrix is given by compressed rows; values may change, the pattern may not. Where the elimination order makes every
 * leading block regular, blocks are eliminated without pivoting, on small dense fronts; growth of the entries and
 * cancelled pivots are watched. Where they have grown solutions are checked and refined, and KLU, which pivots, takes
 * over when they do not hold. */
typedef struct phx_lu phx_lu;
/* `order` (may be NULL: AMD): the elimination order, order[k] is the row and column eliminated k-th. `complex_values`:
 * values are interleaved (re, im). The pattern is copied. */
phx_status phx_lu_create(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                         bool complex_values, phx_lu **lu);
void phx_lu_destroy(phx_lu *lu);
/* No elimination without pivoting from now on: KLU factors. Not between a factorisation and its solutions. */
void phx_lu_pivot_always(phx_lu *lu);
/* Unknowns whose entry on the diagonal, zero or not, says nothing of their size, as coordinates without mass: pivots
 * are judged with scales of theirs by what stands beside it. PHX_ERR_MEMORY. */
phx_status phx_lu_set_weak(phx_lu *lu, int count, const int *unknowns);
/* Let a pool (borrowed; NULL: none any more) factor and solve, where the matrix is large and falls into branches by its
 * order (phx_order_balance): the same results bit by bit. Allocates, but not for NULL. */
phx_status phx_lu_use(phx_lu *lu, phx_thread_pool *pool);
/* Numeric factorisation of values val[ptr[n]], not needed afterwards. The first call checks the pivots in full; later
 * calls (no allocation) only that each of them keeps its size within a factor of 100, and check in full again when one
 * does not. When pivots do not hold KLU factors (and allocates), now and for some calls to come. PHX_SINGULAR
 * (retryable) when A is singular to working precision or a value is not finite: then `*column` (may be NULL) is the
 * equation, a row of A, that depends on those before it in the elimination order or has the value; else it is -1. After
 * any failure there are no factors until the next success. */
phx_status phx_lu_factor(phx_lu *lu, const double *val, int *column);
/* Forget the values seen so far, not the pattern: what comes next is the same bit by bit as after phx_lu_create. */
void phx_lu_forget(phx_lu *lu);
/* Factors and choice of pivots: what is solved and factored afterwards is the same bit by bit, of a matrix of the same
 * pattern and order. */
void phx_lu_archive(phx_archive *archive, phx_lu *lu);
/* x <- A^-1 x; n values (2n interleaved when complex). nrhs columns stored one after the other. No refinement but by
 * factors that have grown, and no allocation but where these fail and KLU factors after all (PHX_SINGULAR,
 * PHX_ERR_MEMORY: then there are no factors). */
phx_status phx_lu_solve(phx_lu *lu, int nrhs, double *x);
/* x <- A^-T x of real factors by KLU (phx_lu_pivot_always). */
phx_status phx_lu_solve_transposed(phx_lu *lu, double *x);

/* Order of small fill by minimum degree (AMD) for a square pattern, taken as symmetric; order[k] is eliminated k-th. */
phx_status phx_order_amd(phx_context *context, int n, const int *ptr, const int *idx, int *order);
/* Change an order of small fill so that its elimination falls into parts that do not touch before the end, the largest
 * at most half where one unknown can cut it so; the fill stays as it is (a maximum cardinality search of the filled
 * pattern). weight: work of each unknown, n; NULL: the same of all. What is balanced well enough, or fills much, is
 * left alone. */
phx_status phx_order_balance(phx_context *context, int n, const int *ptr, const int *idx, const double *weight,
                             int *order);
/* About how many multiplications phx_lu takes to factor a pattern in this order, what each front costs besides
 * included; HUGE_VAL where it leaves the pattern to KLU. */
phx_status phx_order_work(phx_context *context, int n, const int *ptr, const int *idx, const int *order, double *work);

/* Factors of a sparse SPD matrix given by compressed rows (all of it): by CHOLMOD, in the order of AMD or, for large
 * matrices of bodies in space, of METIS, or by KLU without exchanges in the order of AMD where Phlexor is built without
 * PHX_GPL. PHX_SINGULAR when it is not positive definite. */
typedef struct phx_cholesky phx_cholesky;
phx_status phx_cholesky_create(phx_context *context, const phx_csr *a, phx_cholesky **cholesky);
phx_status phx_cholesky_solve(phx_cholesky *cholesky, int nrhs,
                              double *x); /* x <- A^-1 x, columns one after the other */
void phx_cholesky_destroy(phx_cholesky *cholesky);

/* L D L^T of a sparse symmetric matrix whose leading blocks are all regular in the order given (definite ones, of
 * either sign), for many solutions: symbolic work once, no pivoting. The full symmetric pattern by rows is copied. */
typedef struct phx_ldl phx_ldl;
phx_status phx_ldl_create(phx_context *context, int n, const int *ptr, const int *idx, phx_ldl **ldl);
/* Values on the pattern, of which the lower triangle is read; no allocation. PHX_SINGULAR when a pivot cancels to
 * rounding or is not finite; there are no factors then. */
phx_status phx_ldl_factor(phx_ldl *ldl, const double *val);
/* x <- A^-1 x: `width` right-hand sides side by side, n x width row-major. */
void phx_ldl_solve(const phx_ldl *ldl, int width, double *x);
/* Negative entries of D of the last factorisation: as many negative eigenvalues the matrix has. */
int phx_ldl_negative(const phx_ldl *ldl);
void phx_ldl_destroy(phx_ldl *ldl);

/* L D L^T of a sparse symmetric positive definite matrix of small dense blocks, for new values in every factorisation:
 * symbolic work once, minimum degree over the blocks. */
enum { PHX_BLOCK_MOST = 16 };
typedef struct phx_block_ldl phx_block_ldl;
/* size (n): unknowns of each block, 1 to PHX_BLOCK_MOST, numbered block after block; ptr, idx: the full symmetric
 * pattern over the blocks. `*ldl` is NULL where a factorisation takes more than `most` multiplications. */
phx_status phx_block_ldl_create(phx_context *context, int n, const int *size, const int *ptr, const int *idx,
                                double most, phx_block_ldl **ldl);
void phx_block_ldl_destroy(phx_block_ldl *ldl);
size_t phx_block_ldl_entries(const phx_block_ldl *ldl);
/* Which of the entries the pair of unknowns has, in either order. */
int phx_block_ldl_place(const phx_block_ldl *ldl, int row, int col);
/* The entries, to be set where the pattern has them; factored in place. PHX_SINGULAR, without a message, when a pivot
 * has lost 6 digits of the diagonal or is not a number: then there are no factors. No allocation. */
double *phx_block_ldl_begin(phx_block_ldl *ldl);
phx_status phx_block_ldl_factor(phx_block_ldl *ldl);
/* The same down to the last digit, to know how regular the matrix is: the least pivot relative to its diagonal, 1 at
 * most; 0 where one is not positive. */
double phx_block_ldl_least_pivot(phx_block_ldl *ldl);
void phx_block_ldl_solve(const phx_block_ldl *ldl, double *x); /* x <- A^-1 x */

/* Rank of the columns of a sparse matrix by rank-revealing sparse QR in the given order of columns: dependent[k]
 * lists (ascending) the columns that depend on columns before them; `rtol` times the largest column norm is zero.
 * `dependent` has room for a->cols entries. */
phx_status phx_csr_dependent_columns(phx_context *context, const phx_csr *a, double rtol, int *rank, int *dependent,
                                     int *n_dependent);

/* Smallest eigenpairs of A x = lambda B x by ARPACK in shift-invert mode (dsaupd, mode 3). The caller supplies the
 * operators: solve: y <- (A - sigma B)^-1 x; multiply: y <- B x. values ascending by |value - sigma|, sorted ascending
 * on return; vectors n x count in columns (row-major, B-orthonormal, may be NULL). B may be semidefinite (constraints).
 * 1 <= count < n; tol 0 is machine precision. PHX_NOT_CONVERGED when fewer are found; a failure of an operator is
 * returned as it is. The start vector is fixed: reruns agree. ARPACK keeps static state: calls of several threads wait
 * for each other, and an operator must not call this function. */
typedef phx_status phx_operator_fn(void *user, const double *x, double *y);
phx_status phx_eigen_shift_invert(phx_context *context, int n, int count, double sigma, phx_operator_fn *solve,
                                  phx_operator_fn *multiply, void *user, double tol, double *values, double *vectors);

static inline double phx_dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Differences of sixth order: f' = sum weight_k f(p + place_k d)/d + O(d^6), exact for polynomials of degree six. */
enum { PHX_DIFFERENCE_PLACES = 6 };
static const double phx_difference_place[PHX_DIFFERENCE_PLACES] = {1.0, -1.0, 2.0, -2.0, 3.0, -3.0};
static const double phx_difference_weight[PHX_DIFFERENCE_PLACES] = {0.75, -0.75, -0.15, 0.15, 1.0 / 60.0, -1.0 / 60.0};

/* ---- rotations ----
 * dim 2: one angle, R = [c -s; s c]; dim 3: R 3x3 row-major, takes body to inertial components. n_rot = 1 or 3. */
/* R1 = R0 cay(a), cay(a) = (I - [a]x/2)^-1 (I + [a]x/2); a has 1 or 3 components. R0 and R1 may coincide. Rounding
 * drifts away from orthogonality like a random walk; phx_rot_normalise now and then takes it back. */
void phx_rot_cayley(int dim, const double *r0, const double *a, double *r1);
void phx_rot_from_quaternion(const double wxyz[4], double r[9]); /* normalises; zero: identity */
void phx_rot_to_quaternion(const double r[9], double wxyz[4]);   /* w >= 0 */
/* Rotation vector of R in space: R = exp([phi]x), |phi| <= pi. Its rate for R_dot = R [w]x is phi_dot = T w, for
 * R_dot = [w]x R it is T^T w: T (3 x 3) = I + [phi]x/2 + (1 - (a/2) cot(a/2))/a^2 [phi]x^2, a = |phi|. */
void phx_rot_to_vector(const double r[9], double phi[3]);
void phx_rot_vector_rate(const double phi[3], double T[9]);
/* The shortest turn that takes the unit vector `from` to `to`; half a turn about any axis across when they are
 * opposite.
 */
void phx_rot_shortest(const double from[3], const double to[3], double r[9]);
/* Nearest rotation (polar factor) of a matrix close to one, in place. A matrix whose determinant is not positive stays
 * as it is. */
void phx_rot_normalise(int dim, double *r);
/* y = R x, y = R^T x; y must not overlap x. */
static inline void phx_rot_apply(int dim, const double *r, const double *x, double *y)
{
    if (dim == 2) {
        y[0] = r[0] * x[0] + r[1] * x[1];
        y[1] = r[2] * x[0] + r[3] * x[1];
        return;
    }
    for (int i = 0; i < 3; i++)
        y[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}
static inline void phx_rot_apply_transposed(int dim, const double *r, const double *x, double *y)
{
    if (dim == 2) {
        y[0] = r[0] * x[0] + r[2] * x[1];
        y[1] = r[1] * x[0] + r[3] * x[1];
        return;
    }
    for (int j = 0; j < 3; j++)
        y[j] = r[j] * x[0] + r[3 + j] * x[1] + r[6 + j] * x[2];
}
/* n_rot, components of a rotational vector in dimension `dim`. What every step evaluates is written for a dimension
 * that the compiler knows:   static inline void f(const int dim, ...), called with 2 and with 3. */
static inline int phx_rotations(const int dim)
{
    return dim == 2 ? 1 : 3;
}
/* Cross products that serve plane and space: w has n_rot components, a, b, y have dim.
 * rot_x_vec: y = w x a. vec_x_rot: y = a x w. vec_x_vec: y (n_rot) = a x b. rot_x_rot: y = w1 x w2 (0 in the plane). */
static inline void phx_rot_x_vec(int dim, const double *w, const double *a, double *y)
{
    if (dim == 2) {
        y[0] = -w[0] * a[1];
        y[1] = w[0] * a[0];
    } else {
        y[0] = w[1] * a[2] - w[2] * a[1];
        y[1] = w[2] * a[0] - w[0] * a[2];
        y[2] = w[0] * a[1] - w[1] * a[0];
    }
}
static inline void phx_vec_x_rot(int dim, const double *a, const double *w, double *y)
{
    if (dim == 2) {
        y[0] = a[1] * w[0];
        y[1] = -a[0] * w[0];
    } else {
        phx_rot_x_vec(3, a, w, y);
    }
}
static inline void phx_vec_x_vec(int dim, const double *a, const double *b, double *y)
{
    if (dim == 2)
        y[0] = a[0] * b[1] - a[1] * b[0];
    else
        phx_rot_x_vec(3, a, b, y);
}
static inline void phx_rot_x_rot(int dim, const double *a, const double *b, double *y)
{
    if (dim == 2)
        y[0] = 0.0;
    else
        phx_rot_x_vec(3, a, b, y);
}

/* ---- sparse and dense ---- */
/* Entries with |value| <= drop_below are left out. */
phx_status phx_csr_from_dense(phx_context *context, int rows, int cols, const double *dense, double drop_below,
                              phx_csr *matrix);
void phx_csr_to_dense(const phx_csr *a, double *dense); /* rows*cols, row-major */

#endif
