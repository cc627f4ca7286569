/* Types and functions shared by the files on the reduction of linear models. In what follows
 *
 *     M xi'' + D xi' + K xi = A^T (lambda, mu) + F u,   A = (G; H),   G xi' = 0,   H xi' = w
 *
 * is the mechanism with n coordinates, m inputs and `held` prescribed rates w among them. */
#ifndef PHX_REDUCTION_H
#define PHX_REDUCTION_H

#include <complex.h>

#include "linear/internal.h"
#include "linear/linearised.h"

static const double DEPENDENT = 1e-10; /* a vector on those before it: what is left, of its own norm */

/* ---- saddle.c: [z^2 M + z D + K, A^T; A, 0], the rows of A scaled to the size of the block above ---- */
typedef struct phx_saddle {
    phx_context *context;
    const phx_csr *M, *D, *K; /* borrowed; D may have no rows */
    phx_csr A;                /* scaled */
    double *length;           /* rows of A: the largest entry of each before it is scaled */
    double *scale;            /* rows of A: by how much it is scaled */
    phx_kkt kkt;
    double complex z;
    double *work;
} phx_saddle;
phx_status phx_saddle_create(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                             const phx_csr *A, bool is_complex, phx_saddle *saddle);
void phx_saddle_free(phx_saddle *saddle);
phx_status phx_saddle_factor(phx_saddle *saddle, double complex z);
/* x (n + rows, interleaved where complex) <- the solution, with one step of refinement; right-hand sides and solutions
 * for the rows of A are in the scale of A as it was given. */
phx_status phx_saddle_solve(phx_saddle *saddle, double *x);

/* ---- rayleigh.c ---- */
/* Whether D = alpha M + beta K to rounding, entry by entry. */
typedef struct phx_rayleigh {
    bool exact;
    double alpha, beta; /* >= 0 */
} phx_rayleigh;
phx_status phx_rayleigh_find(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                             phx_rayleigh *out);

/* ---- full.c: the mechanism with what every method needs ---- */
typedef struct phx_full {
    phx_context *context;
    const phx_linearised *plant; /* borrowed */
    int n, m, held;
    int f, rigid, free; /* its modes; of these rigid; of these moved by inputs against no damping */
    int elastic;        /* its elastic modes; more than f - rigid where only the lowest are known */
    phx_csr K, D, A;    /* symmetric parts; A = (G; H) */
    phx_rayleigh rayleigh;
    double *modes; /* n x (f + held): rigid motions, those of `free` first, elastic modes, static lifting */
    double *omega; /* f: rad/s, 0 for rigid motions */
    int unmoved;   /* rigid motions that nothing moves, which are none of the modes */
    double *still; /* n x unmoved, column after column, then M times these */
    phx_saddle projection;
} phx_full;
/* most: elastic modes to find where `it` is sparse: the lowest, and some more; else all are there. */
phx_status phx_full_create(phx_context *context, const phx_linearised *linear, int most, phx_full *full);
/* Whether there are elastic modes beside those of `full`. */
static inline bool phx_full_is_part(const phx_full *full)
{
    return full->f - full->rigid < full->elastic;
}
void phx_full_free(phx_full *full);
/* The descriptor form with prescribed motions by their rates, also where their accelerations are the inputs. */
phx_status phx_descriptor_by_rates(phx_context *context, const phx_linearised *linear, phx_descriptor **descriptor);
/* x^T A y of columns, and the same of absolute values, which says what rounding makes of it. */
double phx_form(const phx_csr *a, int stride_x, const double *x, int stride_y, const double *y, double *size);

/* ---- orthogonal.c: a basis that keeps the constraints ----
 * Gram-Schmidt divides by what is left of a vector, and with it what it violates A by. So each vector is projected,
 * v <- v - M^-1 A^T (A M^-1 A^T)^-1 A v, before and after each of two sweeps, which also keep out the rigid motions
 * that no input moves: rounding brings them in where little is left of a vector. */
typedef struct phx_space {
    phx_context *context;
    const phx_full *full; /* borrowed */
    int n, count, room;
    double *columns, *weighed; /* V and M V, column after column */
    double *work;              /* 2 (n + rows of A) */
} phx_space;
phx_status phx_space_create(const phx_full *full, int room, phx_space *space);
void phx_space_free(phx_space *space);
/* Adds x (n), made orthonormal in M to what is there, unless it depends on it (below 1e-10 of its own norm) or the room
 * is used up. */
phx_status phx_space_add(phx_space *space, const double *x, bool *added);

/* ---- projected.c: the mechanism on a basis W = (V, X) with V^T M V = I and diagonal V^T K V ---- */
typedef struct phx_projected {
    int n, m, held;
    int r, rigid, free; /* columns of V, the rigid ones first */
    int c;              /* r + held */
    double *W;          /* n x c */
    double *omega;      /* r */
    double *M, *D, *F;  /* c x c, c x c, c x m */
    double *stiffness;  /* held x held: X^T K X */
} phx_projected;
/* basis: n x count in V's place behind the rigid motions, orthonormal; its normal modes are taken. NULL: `count` modes
 * of `full`, those listed in `chosen` (NULL: all). */
phx_status phx_project(const phx_full *full, int count, const double *basis, const int *chosen,
                       phx_projected *projected);
void phx_projected_free(phx_projected *projected);

/* ---- ports.c: port-Hamiltonian systems in energy coordinates ----
 *
 *     x' = (J - R) x + (B - P) u,   y = (B + P)^T x + (S + N) u,   H = 1/2 x^T x
 *
 * of the elastic part: what does not move freely. */
typedef struct phx_ph {
    int n, m;
    double *J, *R; /* n x n */
    double *B, *P; /* n x m */
    double *S, *N; /* m x m */
} phx_ph;
phx_status phx_ph_create(phx_context *context, int n, int m, phx_ph *ph);
void phx_ph_free(phx_ph *ph);
/* x = (omega q, v) with xi = V q + X s and xi' = V v + X_inf w, X_inf = X - V V^T M X: with this lifting the inertia of
 * a prescribed rate is the constant X_inf^T M X_inf, the static stiffness X^T K X, and the rest is proper. nominal > 0:
 * with a modal damping of this ratio in place of D. scale (m): of the inputs and outputs; NULL: 1. */
phx_status phx_ph_of(const phx_full *full, const phx_projected *projected, double nominal, const double *scale,
                     phx_ph *ph);
/* Orthonormal columns (n each, at most `room`) for the prescribed rates: A^-1 and A^-2 (B - P), A^-T and A^-2T (B + P)
 * of each, A = J - R, pairs that depend on others left out. With them in the basis of a projection the responses to
 * that rate and its effort are exact at frequency zero, with their first derivative. They come in pairs, of a velocity
 * and a strain where there is no damping: a velocity without its strain is a pole at zero. held: of each input, as in
 * phx_channels. */
phx_status phx_ph_at_zero(phx_context *context, const phx_ph *ph, const int *held, int room, double *columns,
                          int *count);
/* On the columns of Z (n x k, orthonormal): Z^T J Z and so on. */
phx_status phx_ph_project(phx_context *context, const phx_ph *ph, int k, const double *Z, phx_ph *out);
/* x' = (J - R) x ..; without_feedthrough: D = 0. */
phx_status phx_ph_ss(phx_context *context, const char *name, const phx_ph *ph, bool without_feedthrough, phx_ss **ss);
/* a - b, without the feedthrough where it is the same to rounding. */
phx_status phx_ph_difference(phx_context *context, const phx_ph *a, const phx_ph *b, phx_ss **ss);

/* ---- uncoupled.c ---- */
/* partner (n): of each state the one that J ties it to, itself where there is none; NULL: R or P couple modes, or J
 * ties more than pairs. The caller frees it. */
phx_status phx_uncoupled_find(phx_context *context, const phx_ph *ph, int **partner);
/* re, im (n): the poles. */
void phx_uncoupled_poles(const phx_ph *ph, const int *partner, double *re, double *im);
/* Largest singular values without the feedthrough. */
phx_status phx_uncoupled_gains(phx_context *context, const phx_ph *ph, const int *partner, int count,
                               const double *omega, double *gains);

/* H (m x m each) without the feedthrough. */
void phx_uncoupled_responses(const phx_ph *ph, const int *partner, int count, const double *omega,
                             double complex *responses);

/* ---- remainder.c: what elastic modes have that are not among those of `full`, ports as they are ---- */
/* sum (m x m): of b_k b_k^T/d_k over them, from above, for Rayleigh damping, which `full` must have, or a modal damping
 * nominal > 0. */
phx_status phx_remainder_sum(const phx_full *full, double nominal, double *sum);
/* responses (count x m x m, at i omega > 0) of them; coupled: of all that does not move freely, where D couples modes.
 */
phx_status phx_remainder_responses(const phx_full *full, double nominal, bool coupled, int count, const double *omega,
                                   double complex *responses);

/* ---- dominance.c ---- */
/* The weight of each elastic mode for each input, |b_kj|^2/d_k, d_k = 2 zeta_k omega_k. */
typedef struct phx_dominance {
    int count, m;
    double nominal;    /* modal damping in place of D; 0: D itself */
    bool proportional; /* modes are not coupled by D */
    bool bounded;      /* sums of weights bound the error: proportional, no prescribed rates */
    double *width;     /* count: d_k */
    double *scale;     /* m: of the inputs, so that the weights of each add up to 1 */
    double *weight;    /* count: sum over the inputs, scaled */
    int *order;        /* modes, descending by the largest of their scaled weights */
    double *largest;   /* count: these, in this order */
    double *rest;      /* m x m: sum of b_k b_k^T/d_k over the elastic modes that are not known; 0: there are none */
    double unknown;    /* largest of its diagonal, scaled; 0 also where it has no bound */
} phx_dominance;
phx_status phx_dominance_find(const phx_full *full, const phx_projected *all, double nominal, phx_dominance *dominance);
/* The bounds of the report with the first `order` modes kept, over `norm`. */
phx_status phx_dominance_bound(const phx_full *full, const phx_projected *all, const phx_dominance *dominance,
                               int order, double norm, phx_reduction_report *report);
void phx_dominance_free(phx_dominance *dominance);

/* ---- krylov_points.c ---- */
/* The rigid motions, and what prescribed rates need at infinity. */
phx_status phx_reduce_begin(const phx_full *full, phx_space *space);
/* These, then the solutions at the points of the options until the room is used up. */
phx_status phx_reduce_krylov(const phx_full *full, const phx_reduction_options *options, phx_space *space);

/* ---- irka.c: poles and directions to begin with come from a basis ---- */
/* Z (n x k, orthonormal): overwritten by the best of the iterates; iterations: how many there were. */
phx_status phx_irka(phx_context *context, const phx_ph *ph, int k, double *Z, int *iterations);

/* ---- basis.c ---- */
/* The columns of Z (n x k) made orthonormal. */
phx_status phx_orthonormal(phx_context *context, int n, int k, double *Z);
/* x (n), made orthonormal to `count` columns (n each, one after the other), as the next of them; false: it depends on
 * them, below `dependent` of its own norm. */
bool phx_append(int n, int count, double *columns, const double *x, double dependent);

/* ---- balance.c ---- */
/* Z (n x k): the k directions of the largest characteristic values, of which all (n) are returned, descending. */
phx_status phx_lqg_balance(phx_context *context, const phx_ph *ph, int k, double *Z, double *values);

/* ---- storage.c ---- */
/* The same system in the coordinates of its least storage function, x~ = T x. shift: feedthrough that it needs;
 * T (n x n). */
phx_status phx_least_storage(phx_context *context, const phx_ph *ph, double norm, phx_ph *out, double *T,
                             double *shift);

/* ---- error.c ---- */
typedef struct phx_error_measure {
    phx_context *context;
    const phx_reduction_options *options;
    phx_ph full;               /* scaled */
    const phx_full *mechanism; /* what it was made of */
    const phx_dominance *dominance;
    phx_norm norm;      /* H-infinity */
    double h2;          /* NAN: over a band, or none */
    const double *band; /* NULL: all frequencies */
    bool certified;     /* small enough for the bisection */
    double rigid_gain;  /* of the scaled ports, times frequency: largest eigenvalue of F^T F on the free motions */
    phx_reduction_curves curves; /* of the model and of the last error */
    /* where `full` has part of the modes: at the frequencies of the curves, at which all else is then measured (m x m
     * each, scaled), what the model has beside it; NULL: nothing */
    double complex *rest;
} phx_error_measure;
/* Relative errors of `reduced` (scaled as `full`); part (may be NULL): the error system itself where it is known to be
 * smaller than the difference. */
phx_status phx_error_of(const phx_error_measure *measure, const phx_ph *reduced, const phx_ph *part,
                        phx_reduction_report *report);
phx_status phx_error_begin(phx_error_measure *measure);
/* The curves with those of the reduced system; they go to the caller. */
phx_status phx_error_curves(phx_error_measure *measure, const phx_ph *reduced, phx_reduction_curves *curves);

#endif
