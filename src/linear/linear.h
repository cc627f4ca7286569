/* Layer linear, for the other layers of the library: identity along a sweep, parts of TITOP models and of linear
 * models. */
#ifndef PHX_LINEAR_LINEAR_H
#define PHX_LINEAR_LINEAR_H

#include <complex.h>

#include "statespace/statespace.h"
#include "system/system.h"

#include <phlexor/linear.h>

static const double RANK_RTOL = 1e-10; /* rows of G that depend on others, relative, by default */

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

/* Whether it was linearised with sparse matrices alone. */
bool phx_linearised_is_sparse(const phx_linearised *linearised);
/* Of one without prescribed motions and controllers: responses (count x outputs x inputs) at i omega, by a sparse
 * factorisation each. PHX_SINGULAR where an undamped pole is. */
phx_status phx_linearised_responses(phx_context *context, const phx_linearised *linearised, int count,
                                    const double *omega, double complex *responses);

/* Modes of a system with its continuous controllers, about x at rest: eigenvalues of the closed loop, the shapes those
 * of the mechanism. Dense. */
phx_status phx_closed_modes(phx_context *context, phx_dae *dae, double t, const double *x, int count, bool *whole,
                            phx_mode_set *set);
/* Of a row over the states of the continuous controllers, in their order: with the displacements of their measures
 * added, r = (-row B Y_v, 0, row) over (q, q', z), the size of r A of the closed loop relative to its terms. It
 * vanishes where row z - row B q is constant. */
phx_status phx_casimir_residual(phx_context *context, phx_dae *dae, double t, const double *x, const double *row,
                                double *residual);
/* The period of the sampled controllers, s; 0: none is sampled, or their loop has no linear model, and `why` (of `size`
 * characters, may be NULL) says why; else it is empty. */
phx_status phx_sampled_loop_period(phx_context *context, phx_dae *dae, double t, const double *x, double *period,
                                   size_t size, char *why);
/* A bound of the period, s, at which the controllers' gains of rates can be sampled, 2 sin(pi/(4 n + 2)) over
 * lambda_max(K_d B^T M^-1 B) with the largest delay of n samples; HUGE_VAL: nothing limits it. It is the mobility of
 * what they act on that makes it; flexible modes, gains of coordinates and filters may ask for shorter ones. */
phx_status phx_sampling_limit(phx_context *context, phx_dae *dae, double t, const double *x, double *limit);

/* ---- plants of one mechanism at several values of its parameters ----
 *
 * The modes of each plant are its own. To be comparable, all take the coordinates of one of them, the nominal one
 * (index 0). With the modes P (n x f) of a plant and the motions b of what is prescribed, xi = P q + b s,
 *
 *     xi = P S^-1 z + b s,   S = W^T P,   W^T P_0 = I
 *
 * P S^-1 is the basis of the space of P with W^T P S^-1 = I, whatever basis of it P is: it depends on the parameters as
 * smoothly as that space does, and at the nominal plant z = q. W compares motions by
 *
 *     strain             W_e = K_0 P_e Lambda^-1,   Lambda = P_e^T K_0 P_e, P_e the modes that are not rigid
 *     coordinates x      W_r = (E_x - W_e P_e[x]^T) P_r[x]^-T, as many coordinates of the first bodies as there are
 *                        rigid modes P_r, rotations first
 *
 * A motion that strains as a mode of the nominal plant does has its coordinate, so that a soft mode gets no stiffness
 * from stiff ones where joints change their places; and where the others follow the coordinates x and the strains by
 * polynomials of a parameter, as in trees, the matrices are polynomials of it. */
typedef struct phx_plant_coordinates phx_plant_coordinates;
/* Those of a linearised mechanism, or of what `reduction` has made of it (NULL: nothing). Keeps nothing of either.
 * PHX_ERR_UNSUPPORTED for a reduction of first order. */
phx_status phx_plant_coordinates_create(phx_context *context, const phx_linearised *linearised,
                                        const phx_reduction *reduction, phx_plant_coordinates **coordinates);
void phx_plant_coordinates_destroy(phx_plant_coordinates *coordinates); /* NULL is allowed */

/* A plant in these coordinates. Owns what it points to. */
typedef struct phx_plant {
    int n, n_xi, n_inputs, n_outputs; /* n: coordinates (z, s) */
    bool second_order;                /* the state space is that of the matrices: no rates, no controllers */
    double *M, *D, *K;                /* n x n, as in phx_reduced, multiplied by S^-T and S^-1; rows of s'' = u */
    double *F;                        /* n x n_inputs, for prescribed motions by their acceleration */
    double *Y_q, *Y_v, *Y_a, *Y_u;    /* n_outputs x n, x n_inputs */
    double *basis;                    /* n_xi x n */
    phx_ss *system;                   /* in state space, the states of phx_linearised_ss with z for q */
    double least;                     /* smallest over largest singular value of S */
} phx_plant;
/* proper: the state space without the outputs that follow the derivative of a rate. motions (n_xi x n_xi, NULL: the
 * identity): xi of the nominal mechanism that moves as xi of this one. PHX_ERR_ANALYSIS where the plant
 * has another number of coordinates than the nominal one, or S is singular to 1e-3. */
phx_status phx_plant_create(phx_context *context, const phx_plant_coordinates *coordinates,
                            const phx_linearised *linearised, const phx_reduction *reduction, bool proper,
                            const double *motions, phx_plant *plant);
void phx_plant_free(phx_plant *plant); /* frees and zeroes the fields; NULL is allowed */

/* Plants at all combinations of parameter values, the last parameter fastest. Everything is borrowed. */
typedef struct phx_plant_family {
    int n_parameters, n_points;
    char *const *parameters;
    const int *counts;
    const double *values; /* n_points x n_parameters */
    const phx_plant *plants;
    int nominal;
} phx_plant_family;
/* PHX_ERR_ARGUMENT for parameters that are not those of the family, degrees that are too high for its values,
 * PHX_ERR_ANALYSIS where the mass matrix of the fit is singular. */
phx_status phx_lft_create(phx_context *context, const phx_plant_family *family, const phx_lft_options *options,
                          phx_lft **lft);
void phx_lft_destroy(phx_lft *lft); /* NULL is allowed */

/* The form of phx_linearised_descriptor straight from the matrices, without outputs; `channels` may have no inputs (n,
 * m, G and empty H and F are enough then). No dense work where D is positive semi-definite. */
phx_status phx_linear_descriptor(phx_context *context, const char *name, const phx_linear *linear,
                                 const phx_channels *channels, phx_descriptor **descriptor);

/* ---- linear models with fewer states ---- */
const char *phx_reduction_method_name(phx_reduction_method method); /* "modal" .. */
/* A picture of what the errors are of: largest singular values over the scaled ports. */
typedef struct phx_reduction_curves {
    int count;
    double *omega; /* rad/s, ascending */
    double *model, *reduced, *error;
} phx_reduction_curves;
const phx_reduction_curves *phx_reduction_bode(const phx_reduction *reduction);

#endif
