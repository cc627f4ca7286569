/* Types and functions shared by the files of layer linear. */
#ifndef PHX_LINEAR_INTERNAL_H
#define PHX_LINEAR_INTERNAL_H

#include <complex.h>

#include "linear/linear.h"
#include "reduce/reduce.h"

/* ---- undamped modes, the basis of everything else ---- */
typedef struct phx_undamped {
    phx_basis modes;   /* n x f, mass-orthonormal, G modes = 0; all free motions, or the lowest of a large system */
    double *frequency; /* f, ascending by lambda, negative for lambda < 0 */
    int freedom;       /* n - rank G */
    double resolution, asymmetry;
    bool counted;     /* the rigid-body modes are known: */
    phx_shapes rigid; /* they themselves, mass-orthonormal */
    int most;         /* as many as the joints alone would leave: so many small frequencies are of them */
    int unresolved;   /* other modes that are zero to rounding, which is up to `bound` rad/s */
    double bound;
} phx_undamped;
void phx_undamped_free(phx_undamped *undamped);

/* The stiffness of `linear` in the form of layer reduce; borrows. */
phx_stiffness phx_linear_stiffness(const phx_linear *linear);

/* ---- modes before they are chosen and normalised ---- */
typedef struct phx_mode_list {
    int n, count, room;
    double complex *lambda; /* room */
    double complex *shapes; /* room x n */
} phx_mode_list;
phx_status phx_mode_list_create(phx_context *context, int n, int room, phx_mode_list *list);
void phx_mode_list_free(phx_mode_list *list);
/* order (count): by |lambda|, then imaginary, then real part. */
void phx_mode_list_order(const phx_mode_list *list, int *order);
/* The first `count` (0: all) in this order, normalised and with their phase fixed, as the public result. */
phx_status phx_mode_list_finish(phx_context *context, const phx_mode_list *list, const phx_csr *M, int count,
                                phx_mode_set *set);

/* ---- the damped system on undamped modes ---- */
/* Roots of the quadratic problem projected on the undamped modes, conjugate pairs once, without the zero roots of
 * rigid-body modes; the lowest `count` (0: all). *rigid: undamped modes that have no stiffness. */
phx_status phx_linear_damped(phx_context *context, const phx_linear *linear, const phx_modes_options *options,
                             const phx_undamped *undamped, int count, int *rigid, phx_mode_list *list);
/* The root of a z^2 + b z + c nearest to z0, or z0 when it is farther than 1e-4 |z0|. */
double complex phx_quadratic_root(double complex a, double complex b, double complex c, double complex z0);

/* ---- saddle-point matrices of large systems ----
 *
 *     | Q    G^T |   Q = K + linear combinations of M and D on the union of their patterns
 *     | G    0   |
 */
typedef struct phx_kkt {
    int n, m;                               /* coordinates, constraint rows */
    phx_csr pattern;                        /* (n+m) x (n+m), values not used */
    int *at_m, *at_d, *at_k, *at_g, *at_gt; /* place of every entry of M, D, K, G, and of G transposed */
    int *order;                             /* elimination order the factor was made with, or NULL */
    int *row; /* n + m: where each row stands in the matrix factored; NULL: in its place */
    bool is_complex;
    double *values; /* interleaved when complex */
    phx_lu *lu;
} phx_kkt;
/* Prepare for the matrices given (D may have no rows). The arrays of an earlier call are reused when the pattern and
 * the order are the same. */
phx_status phx_kkt_prepare(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K, const phx_csr *G,
                           const int *order, bool is_complex, phx_kkt *kkt);
/* The same for any lambda, by KLU, in an order of its own: each row of G changes places with that of a coordinate whose
 * entry in it is large beside its stiffness, so that both entries stand on the diagonal, and the two are eliminated
 * together (pairs.c). Right-hand sides are in the order of `row`. */
phx_status phx_kkt_prepare_pairs(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                                 const phx_csr *G, bool is_complex, phx_kkt *kkt);
void phx_kkt_free(phx_kkt *kkt);
/* partner (m): the coordinate of each row of G, all different; -1: of a row whose coordinates all belong to others. */
phx_status phx_pair_rows(phx_context *context, const phx_csr *K, const phx_csr *G, int *partner);
/* Elimination order of the n + m unknowns of least degree, partners next to each other; `pattern` is that of the
 * saddle-point matrix, every row in its place. */
phx_status phx_pair_order(phx_context *context, const phx_csr *pattern, int n, int m, const int *partner, int *order);
/* Factor with Q = K - sigma M. */
phx_status phx_kkt_factor_shifted(phx_kkt *kkt, const phx_csr *M, const phx_csr *K, const phx_csr *G, double sigma);
/* Factor with Q = lambda^2 M + lambda D + K. */
phx_status phx_kkt_factor_quadratic(phx_kkt *kkt, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                                    const phx_csr *G, double complex lambda);

/* Matrices of a large system: K made symmetric unless its skew part is requested, redundant rows of G dropped. */
typedef struct phx_large {
    const phx_linear *linear;
    phx_csr K, G;
    int *order; /* for n + G.rows, or NULL */
} phx_large;
phx_status phx_large_create(phx_context *context, const phx_linear *linear, const phx_modes_options *options,
                            phx_large *large);
void phx_large_free(phx_large *large);

/* ---- rigid-body modes (rigid.c) ---- */
/* undamped->rigid: the motions without deformation that G allows and K does not resist, mass-orthonormal. Not counted
 * where the system does not have the motions of its bodies, or they are too many. */
phx_status phx_large_rigid(phx_context *context, const phx_large *large, double rtol, phx_undamped *undamped);
/* x <- x - rigid rigid^T M x; work: n */
void phx_deflate(const phx_csr *M, const phx_shapes *rigid, double *x, double *work);
/* Where more or fewer of the modes are below the resolution than there are rigid-body modes: those near zero once more,
 * beside the rigid-body modes, by inverse iteration (large NULL: without), and each with its own rounding. */
phx_status phx_undamped_resolve(phx_context *context, const phx_linear *linear, const phx_large *large, phx_kkt *kkt,
                                phx_undamped *undamped);

/* The same of all modes, or the lowest ones, of a small system. */
phx_status phx_undamped_compare(phx_context *context, const phx_linear *linear, double rtol, phx_kkt *kkt,
                                phx_undamped *undamped);

/* Estimate, by the diagonals, of the highest eigenvalue of the pencil (K, M). */
double phx_large_highest(const phx_large *large);
/* The lowest undamped modes by shift-invert: `count` elastic ones and all rigid-body modes, which undamped->rigid may
 * have (counted). */
phx_status phx_large_undamped(phx_context *context, const phx_large *large, int count, phx_kkt *kkt,
                              phx_undamped *undamped);
/* The options->count lowest damped modes, from the lowest undamped ones. *rigid as phx_linear_damped gives it. */
phx_status phx_large_damped(phx_context *context, const phx_large *large, const phx_modes_options *options,
                            const phx_undamped *undamped, phx_kkt *kkt, int *rigid, phx_mode_list *list);

/* ---- assignment ---- */
/* Columns chosen for the rows of a matrix of gains (rows x cols, row-major, rows <= cols), each at most once, with the
 * largest sum: column[row]. Work: (rows + 4 (cols + 1)) items. Deterministic: ties fall to the lower column. */
phx_status phx_assign(phx_context *context, int rows, int cols, const double *gain, int *column);

#endif
