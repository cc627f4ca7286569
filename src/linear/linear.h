/* Layer linear, for the other layers of the library: identity along a sweep, parts of TITOP models and of linear
 * models. */
#ifndef PHX_LINEAR_LINEAR_H
#define PHX_LINEAR_LINEAR_H

#include "statespace/statespace.h"
#include "system/system.h"

#include <phlexor/linear.h>

/* ---- identity along a sweep ---- */
/* Gives every mode the branch it belongs to, by the modal assurance criterion in the mass matrix against the modes of
 * the neighbouring point,
 *
 *     MAC_ij = |a_i^H M b_j|^2 / (a_i^H M a_i  b_j^H M b_j),
 *
 * and the assignment with the largest sum. Points are fed in the order of the sweep, the last axis fastest; the
 * neighbour is the point before on that axis, and at the start of a line the start of the line before. Modes closer
 * than 1e-3 in frequency are compared as a space, so that a crossing is passed on either side. */
typedef struct phx_tracker phx_tracker;
/* counts (n_axes, copied): points along each axis, the first slowest. n_axes 0: one point. */
phx_status phx_tracker_create(phx_context *context, int n_axes, const int *counts, phx_tracker **tracker);
void phx_tracker_destroy(phx_tracker *tracker); /* NULL is allowed */
/* Modes to compute at each point when `count` are asked for: some more, so that crossings with modes above are seen. */
int phx_tracker_carry(int count);
/* branch (set->count): from 1, at the first point the rank. A mode that resembles none seen before gets a new number,
 * and so do all modes of a point that has other coordinates than its neighbour. confidence (may be NULL): for each mode
 * the MAC that decided, 1 at the first point, 0 for a new branch. Errors: PHX_ERR_ARGUMENT for more points than the
 * counts allow, or M of another size than the shapes. */
phx_status phx_tracker_feed(phx_tracker *tracker, const phx_mode_set *set, const phx_csr *M, int *branch,
                            double *confidence);

/* ---- TITOP models ---- */
/* The matrices of (1) and (2) of <phlexor/linear.h>. Owns its arrays. */
typedef struct phx_titop_parts {
    int size;          /* entries of a wrench: 3 in the plane, 6 in space */
    int n, n_children; /* coordinates, ports C */
    double *D_P;       /* size x size: rigid mass model about P */
    double *L_P;       /* n x size: participation */
    double *M, *D, *K; /* n x n: mass, damping, stiffness */
    double *tau;       /* n_children size x size: rigid kinematics from P to each C */
    double *Phi;       /* n_children size x n: motion of each C with q */
} phx_titop_parts;
/* PHX_ERR_ARGUMENT for a missing body, port or name, or a name that stands twice. */
phx_status phx_titop_parts_create(phx_context *context, const phx_titop_def *def, phx_titop_parts *parts);
void phx_titop_parts_free(phx_titop_parts *parts); /* frees and zeroes the fields; NULL is allowed */

/* ---- linear models of mechanisms ---- */
/* Returned pointers belong to `linearised`. */
const phx_linear *phx_linearised_matrices(const phx_linearised *linearised); /* M, D, K, unreduced; G with drives */
const phx_channels *phx_linearised_channels(const phx_linearised *linearised);

/* phx_linearised_ss without the outputs that have a direct feedthrough of the derivative of a rate; there may be none
 * left. */
phx_status phx_linearised_proper_ss(phx_context *context, const phx_linearised *linearised, phx_ss **ss);

/* Modes of a system with its continuous controllers, about x at rest: eigenvalues of the closed loop, the shapes those
 * of the mechanism. Dense. */
phx_status phx_closed_modes(phx_context *context, phx_dae *dae, double t, const double *x, int count,
                            phx_mode_set *set);
/* The largest period, s, at which the controllers' gains of rates can be sampled, 2/lambda_max(K_d B^T M^-1 B);
 * HUGE_VAL: nothing limits it. What a bound on the period is for is the mobility of what they act on, however stiff it
 * hangs. */
phx_status phx_sampling_limit(phx_context *context, phx_dae *dae, double t, const double *x, double *limit);

/* The form of phx_linearised_descriptor straight from the matrices, without outputs; `channels` may have no inputs (n,
 * m, G and empty H and F are enough then). No dense work where D is positive semi-definite. */
phx_status phx_linear_descriptor(phx_context *context, const char *name, const phx_linear *linear,
                                 const phx_channels *channels, phx_descriptor **descriptor);

#endif
