/* Floating bodies for the fast evaluator: their internal deformations eliminated, and batches of bodies over one
 * deformation evaluated side by side. Everything here exists for speed alone. */
#ifndef PHX_BODY_FAST_BATCHES_H
#define PHX_BODY_FAST_BATCHES_H

#include "body/body.h"

/* ---- condensation: the deformation inside a body eliminated ---- */
/* A constant deformation block S = a M_qq + b K + c R with all coordinates but the boundary ones eliminated. It serves
 * any body of the same phx_flex, damping and boundary coordinates; one thread at a time. */
typedef struct phx_condenser phx_condenser;
/* `boundary`: n_boundary coordinates of q, ascending, copied. The body is borrowed. Errors: PHX_ERR_MEMORY. */
phx_status phx_condenser_create(phx_context *context, const phx_body *body, int n_boundary, const int *boundary,
                                phx_condenser **condenser);
void phx_condenser_destroy(phx_condenser *condenser);
bool phx_condenser_serves(const phx_condenser *condenser, const phx_body *body, int n_boundary, const int *boundary);
int phx_condenser_internal(const phx_condenser *condenser); /* coordinates that it eliminates */
/* Factor S; PHX_SINGULAR when it is neither positive nor negative definite to rounding. No allocation. */
phx_status phx_condenser_factor(phx_condenser *condenser, double a, double b, double c);

/* ---- batches: bodies over one deformation evaluated together ----
 * The numbers of its bodies stand side by side in the arrays of a batch: entry e of body l at [e * width + l], where
 * there are one lane for one body, four for up to four and eight for more; what stands in lanes without a body is of no
 * meaning. Vectors of states and velocities (x, v, res) are those of a whole system, in which each body has its place.
 * The results of a body do not depend on the other bodies of its batch. */
enum { PHX_BATCH_WIDTH = 8 }; /* the most */
typedef struct phx_body_batch phx_body_batch;
typedef struct phx_body_batch_def {
    int count;                                  /* of bodies, 1 to phx_body_batch_most() */
    const phx_body *bodies[PHX_BATCH_WIDTH];    /* borrowed; each batches, and they are alike */
    int x[PHX_BATCH_WIDTH], v[PHX_BATCH_WIDTH]; /* first entries of the bodies in x and v */
    int c[PHX_BATCH_WIDTH]; /* first entry of the rigid velocities in condensed vectors; the boundary coordinates follow
                             */
    double *room; /* phx_body_batch_room numbers of scratch, borrowed; batches used one after the other may share it */
} phx_body_batch_def;
/* The most bodies that a batch takes on this processor: 4, or 8 where it has AVX-512. */
int phx_body_batch_most(void);
/* Whether a body may be in a batch: full kinetics, no geometric stiffening. */
bool phx_body_fits_batch(const phx_body *body);
/* Whether its coordinates are a basis of modes: K is diagonal and M full, and it may be in a batch. */
bool phx_body_has_modes(const phx_body *body);
/* Whether two bodies may be in one batch: the same phx_flex and equal damping, or both rigid. */
bool phx_body_alike(const phx_body *a, const phx_body *b);
size_t phx_body_batch_room(const phx_body *body);
/* Errors: PHX_ERR_MEMORY. */
phx_status phx_body_batch_create(phx_context *context, const phx_body_batch_def *def, phx_body_batch **batch);
void phx_body_batch_destroy(phx_body_batch *batch);
int phx_body_batch_simd_width(const phx_body_batch *batch);
void phx_body_batch_share(phx_body_batch *batch, double *room); /* other scratch from now on */
/* As phx_body_interval_begin, phx_body_move or, tried, phx_body_try, and phx_body_interval_residual. low0, low1: like
 * x; vm, xm: means over the interval. */
void phx_body_batch_begin(phx_body_batch *batch, double h, const double *x0, const double *v0);
void phx_body_batch_move(const phx_body_batch *batch, bool tried, const double *x0, const double *low0,
                         const double *vm, double *x1, double *low1, double *xm);
void phx_body_batch_residual(phx_body_batch *batch, const double *gravity, const double *xm, const double *v1,
                             double *res);
/* Kinetic energy of each body (room for PHX_BATCH_WIDTH); x NULL: of the undeformed ones. */
void phx_body_batch_kinetic(const phx_body_batch *batch, const double *x, const double *v, double *energy);

/* The arrow block of a matrix over a body's velocities is what of its rigid rows and columns follows from the state.
 * With S_i = (S_1i ...), the column of coordinate i in phx_flex.S, they are [ rigid   H S_i                 ] arrays,
 * row-major, one after the other: rigid (n_rigid square), H (dim x [         E S_i + rows_i        ]      dim), E
 * (n_rot x dim), Gv (dim x dim), Gw (dim x n_rot), rows (n_q x [ S_i^T Gv   S_i^T Gw + columns_i ]    n_rot), columns
 * (n_q x n_rot) */
size_t phx_body_batch_arrow_size(const phx_body_batch *batch);
/* Of the derivative of the residual with respect to the mean velocity, after the residual. */
void phx_body_batch_interval_arrow(phx_body_batch *batch, const double *gravity, const double *x1, const double *xm,
                                   double *arrow);
/* That derivative as phx_body_interval_linearise has it, of the body in `lane`, from its arrow block. */
void phx_body_batch_interval_matrix(const phx_body_batch *batch, const double *arrow, int lane, double *A);
/* Of M(q). */
void phx_body_batch_mass_arrow(phx_body_batch *batch, const double *x, double *arrow);
/* Add to the entry of rotation `axis` and coordinate `dof` of the body in `lane`. */
void phx_body_batch_arrow_add(const phx_body_batch *batch, double *arrow, int lane, int axis, int dof, double value);
/* w0 + w1 of the interval, n_rot: 2/h M + R + h/2 K lacks - sum (w0 + w1)_k A_k of the interval's deformation block, to
 * first order in h w. */
void phx_body_batch_rates(const phx_body_batch *batch, double *rates);

/* Solutions with an arrow block and the constant block of a condenser that serves the bodies. Y (internal x n_rot) is
 * kept for them; the condensed matrix is over the rigid velocities and the boundary coordinates. */
size_t phx_body_batch_internal_size(const phx_body_batch *batch,
                                    const phx_condenser *condenser); /* internal coordinates of all bodies */
void phx_body_batch_reduce(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, double *Y,
                           double *matrix);
/* The internal entries of b, a vector of velocities, to z and back. */
void phx_body_batch_gather_internal(const phx_body_batch *batch, const phx_condenser *condenser, const double *b,
                                    double *z);
void phx_body_batch_scatter_internal(const phx_body_batch *batch, const phx_condenser *condenser, const double *z,
                                     double *b);
/* z are the internal entries of a right-hand side: what they add to the condensed one goes to b. With its solution in b
 * the second function makes the internal ones of the solution of z. */
void phx_body_batch_begin_solve(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow, double *z,
                                double *b);
void phx_body_batch_end_solve(const phx_body_batch *batch, const phx_condenser *condenser, double *arrow,
                              const double *Y, const double *b, double *z);
/* sum_k rates_k A_k d over the deformations, of d with the internal entries z and the others in the condensed vector d:
 * the internal ones into z, the others into b, where the rigid ones become zero. */
void phx_body_batch_lacking(const phx_body_batch *batch, const phx_condenser *condenser, const double *rates,
                            const double *d, double *z, double *b);

/* Rows on the velocities of the bodies in a batch, at their ports: with the mass M(q) and the rows G that touch a body,
 * G M^-1 G^T and M^-1 G^T mu. */
typedef struct phx_body_batch_rows phx_body_batch_rows;
typedef struct phx_port_rows {
    const phx_flex_point *point; /* borrowed while creating */
    int points;                  /* the first of dim rows that are `sign` times the rate of its place; -1: none */
    double sign;
    int first, count;  /* further rows, by their covectors */
    int covector;      /* where the covector of `first` is; the others follow `stride` apart */
    bool angular_only; /* the covectors are zero on the rate of the place */
} phx_port_rows;
typedef struct phx_body_batch_rows_def {
    const phx_condenser *condenser; /* serves the bodies, of M_qq, borrowed; its boundary coordinates are those that the
                                       ports see. NULL: rigid bodies */
    int n_ports[PHX_BATCH_WIDTH];
    const phx_port_rows *ports[PHX_BATCH_WIDTH]; /* borrowed while creating */
    int stride;
    int none; /* where multipliers hold a zero */
} phx_body_batch_rows_def;
/* The batch is borrowed. Errors: PHX_ERR_MEMORY. */
phx_status phx_body_batch_rows_create(phx_context *context, phx_body_batch *batch, const phx_body_batch_rows_def *def,
                                      phx_body_batch_rows **rows);
void phx_body_batch_rows_destroy(phx_body_batch_rows *rows);
/* Numbers of scratch; rows of each body and their number, `none` where a body has fewer: [k * width + l]; numbers of S.
 */
size_t phx_body_batch_rows_room(const phx_body_batch_rows *rows);
int phx_body_batch_rows_count(const phx_body_batch_rows *rows, const int **number);
size_t phx_body_batch_rows_size(const phx_body_batch_rows *rows);
/* S = G M(q)^-1 G^T of each body, its lower triangle, rows one after the other, and its kinetic energy (room for
 * PHX_BATCH_WIDTH). What they were made of is kept for the second function: the entries of M^-1 G^T mu in dv, at the
 * places of the bodies. */
void phx_body_batch_rows_schur(phx_body_batch_rows *rows, const double *x, const double *v, const double *covectors,
                               double *room, double *S, double *energy);
void phx_body_batch_rows_push(const phx_body_batch_rows *rows, const double *mu, double *dv);

/* ---- rods: rigid nodes, which may be in batches, and the elements between them, four side by side ---- */
/* The nodes of a rod and their frames; 0 of other bodies. */
int phx_rod_nodes(const phx_body *body, phx_body *const **nodes, const phx_body_frame **frames);
/* All elements of a rod whose first entries in x and v are given. The rod is borrowed. */
typedef struct phx_rod_batch phx_rod_batch;
phx_status phx_rod_batch_create(phx_context *context, const phx_body *rod, int x, int v, phx_rod_batch **out);
void phx_rod_batch_destroy(phx_rod_batch *batch);
void phx_rod_batch_begin(phx_rod_batch *batch, double h, const double *x0);
/* Their forces over the interval, added to res. */
void phx_rod_batch_residual(const phx_rod_batch *batch, const double *x1, const double *xm, double *res);
/* The derivative of these by the mean velocities, added to val: at[e] is the place of entry e of the rod's pattern. */
void phx_rod_batch_tangent(const phx_rod_batch *batch, const double *x1, const double *xm, const double *vm,
                           const int *at, double *val);

#endif
