/* Phlexor, layer linear: eigenfrequencies and mode shapes of the linearised constrained system
 *
 *     M xi'' + D xi' + K xi = G^T lambda,   G xi = 0          (phx_linear of layer system)
 *
 * and their identity along a sweep of parameters. The coordinates xi are increments in body axes, so shapes of
 * neighbouring points of a sweep can be compared although the bodies have turned. And TITOP models of bodies, from
 * which linear models of mechanisms are connected. */
#ifndef PHLEXOR_LINEAR_H
#define PHLEXOR_LINEAR_H

#include <phlexor/equilibrium.h>
#include <phlexor/statespace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- modes ---- */

/* Which modes, and how they are computed. */
typedef struct phx_modes_options {
    int count;        /* modes wanted beside the rigid-body modes; 0: all */
    int dense_limit;  /* systems with more coordinates are solved by shift-invert; default 600 */
    double rank_rtol; /* rows of G that depend on others up to this, relative, are redundant; default 1e-10 */
    bool unsymmetric; /* keep the skew part of K, circulatory or not; default: where the system says that it is (loads
                         without a potential), else it is that of a point out of balance and left out */
    const int
        *order; /* elimination order of the n + m unknowns (xi, lambda) of the sparse solver; NULL: AMD. Borrowed */
} phx_modes_options;
phx_modes_options phx_modes_options_default(void); /* count 6 */

/* Modes xi = shape exp(lambda t), ascending by |lambda|, rigid-body modes left out. A complex pair is one mode, the one
 * with the positive imaginary part. A real lambda of a damped system (an overdamped coordinate has two) is a mode of
 * its own with damping 1, or -1 when it grows. Without damping a negative eigenvalue of K, an instability with lambda =
 * +-s, is one mode with omega = s and damping -1. Shapes satisfy G shape = 0 and are scaled to shape^H M shape = 1; the
 * first of their largest components (weighed with the root of the diagonal of M) is real and positive. */
typedef struct phx_mode_set {
    int n;           /* coordinates */
    int count;       /* modes: as many as wanted or as there are */
    int freedom;     /* degrees of freedom, n - rank G */
    int rigid;       /* rigid-body modes, left out: motions without deformation that nothing resists; where phx_linear
                        does not have these, undamped frequencies below `resolution` */
    int unresolved;  /* other modes that are left out: their frequencies are below `resolution`, lost in rounding */
    int unstable;    /* of the modes: those with damping < 0 beyond rounding */
    double *re, *im; /* lambda, 1/s */
    double *omega, *frequency, *damping; /* |lambda| rad/s, |lambda|/(2 pi) Hz, -Re lambda/|lambda| */
    double *shapes;                      /* count x n, row-major: mode k begins at shapes + k n */
    double *shapes_imaginary;            /* the same, NULL when all shapes are real */
    double resolution;                   /* rad/s: what rounding makes of a frequency that is zero */
    double asymmetry; /* norm of the skew over the symmetric part of K on the free motions, as far as K has no root */
} phx_mode_set;
void phx_mode_set_free(phx_mode_set *set); /* frees and zeroes the fields; NULL is allowed */

/* A solver that keeps what does not change from one point of a sweep to the next (the factor of the mass matrix, the
 * symbolic factorisation of large systems). What it finds does not depend on what it solved before. One per thread. */
typedef struct phx_modal phx_modal;
phx_status phx_modal_create(phx_context *context, phx_modal **modal);
void phx_modal_destroy(phx_modal *modal); /* NULL is allowed */

/* The modes of `linear`. With M = L L^T and P = L^-T null(G L^-T) (layer reduce):
 *   undamped, K = root^T root   singular values of root P
 *   undamped, else              symmetric eigenproblem of P^T K P; with root and rest, K's rest on the root's modes
 *   damped                      on the undamped modes Phi, Omega = diag(omega): (Omega eta, eta')' =
 *                                   | 0            Omega         |
 *                                   | -/+ Omega   -Phi^T D Phi   | (Omega eta, eta')
 * Large systems: shift-invert Lanczos on [K - sigma M, G^T; G, 0] with sigma < 0 below the elastic frequencies, so that
 * rigid-body modes do not disturb, then the same on the space found. Damped ones of more than 200 degrees of freedom:
 * Krylov spaces of the first-order form about real shifts, by [sigma^2 M + sigma D + K, G^T; G, 0], then the same on
 * the space found; D through damping_root where it is given. `set` is overwritten and owned by the caller. Errors:
 * PHX_ERR_ARGUMENT (sizes, options, entries that are not finite), PHX_ERR_ANALYSIS when M is not positive definite
 * (names the coordinate), PHX_NOT_CONVERGED, PHX_ERR_MEMORY. */
phx_status phx_modal_solve(phx_modal *modal, const phx_linear *linear, const phx_modes_options *options,
                           phx_mode_set *set);

/* Motions that grow about a point at rest, by the roots of the quadratic pencil s^2 M + s D + K on the motions that the
 * joints allow, K with all that is not symmetric in it, or of the closed loop where there are controllers. Of a
 * mechanism of more than 400 coordinates without controllers the 60 slowest; none (judged is 0) where a sampled
 * controller has no linear model or they have several periods. lambda: as of phx_system_linear, may be NULL. A
 * phx_stability_fn. */
phx_status phx_linear_stability(phx_dae *dae, double t, const double *x, const double *lambda, phx_stability *found);

/* ---- TITOP models ([2] (1)-(3), (12), (24)) ----
 *
 * A body at rest, undeformed, seen from its ports: accelerations of the port P in and the wrench at P out; wrenches at
 * the other ports C in and their accelerations out. In the frame of P, with the body's deformation coordinates q:
 *
 *   | D_P  L_P^T | | a_P |   | 0   0 | | . |   | 0   0 | | . |   | -I  tau^T | | W_P |
 *   | L_P  M     | | q'' | + | 0   D | | q'| + | 0   K | | q | = |  0  Phi^T | | W_C |        (1)
 *
 *   a_C = tau a_P + Phi q''                                                                   (2)
 *
 * W_C acts on the body at C, W_P is what the body exerts at P. Components are along the directions of each port: plane
 * (x, y, rotation), space (x, y, z, rotations about x, y, z). P may be any point of the body, whatever its reference
 * conditions: D_P, L_P and M are those of the frame that follows P. */
typedef struct phx_titop_port {
    const char *name; /* copied; part of the names of signals */
    const phx_body_port *port;
} phx_titop_port;

/* A body and the ports it is seen from. */
typedef struct phx_titop_def {
    const char *name; /* first part of the names of signals; NULL: the body's */
    const phx_body *body;
    phx_titop_port parent; /* P */
    int n_children;        /* C: any number, also none */
    const phx_titop_port *children;
    const char *const *coordinates; /* names of q, without the body's; NULL: q1.. */
} phx_titop_def;
phx_titop_def phx_titop_def_default(void); /* ports named P and C are for the caller to give */

/* The state-space form (3), in finite-element coordinates: x = (q, q'), and channels, input to output,
 *
 *   NAME.C.fx fy tz            ->  NAME.C.ax ay alpha           ports C one after the other, then
 *   NAME.P.ax ay alpha         ->  NAME.P.fx fy tz              in space fx fy fz tx ty tz, ax ay az alphax alphay
 * alphaz
 *
 * A port called @0.5 stands without the dot before it: NAME@0.5.fx.
 * A boundary condition exchanges a channel: phx_ss_invert. A rigid body has no states. Errors as above. */
phx_status phx_titop_create(phx_context *context, const phx_titop_def *def, phx_ss **titop);

/* ---- linear models of mechanisms ----
 *
 * The pHDAE of a system about a configuration at rest, with named inputs and outputs (phx_channels_options).
 * Three forms of one model. All need the channels to be possible: PHX_ERR_INPUT names a motion that cannot be
 * prescribed because joints or other prescribed motions hold it. */
typedef struct phx_linearise_options {
    const char *name;     /* of the systems made; NULL: "system" */
    double t;             /* time of the loads, s */
    const double *x;      /* n_x: the configuration */
    const double *lambda; /* NULL: as phx_system_linear takes it */
    /* n_v each: about a steady rotation, velocities of the bodies and of the axes (phx_system_steady), with its lambda.
     * Coordinates and channels are then those of the axes at that instant, which turn on; rates and accelerations are
     * relative to them, drives go on at their speeds. NULL: at rest. */
    const double *v, *axes;
    phx_channels_options channels;
    double rank_rtol; /* as in phx_modes_options; 0: 1e-10 */
    bool sparse;      /* for the descriptor form and for phx_reduce_linear alone: no dense work; the other forms are
                         refused, and phx_linearised_reduced has no coordinates */
} phx_linearise_options;
phx_linearise_options phx_linearise_options_default(void);

/* A mechanism linearised about a configuration. */
typedef struct phx_linearised phx_linearised;
/* Errors of phx_system_linear and for channels, see phx_channels_options; PHX_ERR_ANALYSIS when the mass matrix is not
 * positive definite.
 * Dense, n^3 work, unless `sparse`. The result keeps nothing of `dae`. */
phx_status phx_linearise(phx_context *context, phx_dae *dae, const phx_linearise_options *options,
                         phx_linearised **linearised);
void phx_linearised_destroy(phx_linearised *linearised); /* NULL is allowed */

/* Returned pointers belong to `linearised`. */
const char *phx_linearised_coordinate(const phx_linearised *linearised, int k); /* name of xi_k */

/* Second order, reduced: xi = basis q,
 *
 *     q'' + D q' + K q = F u,   y = Y_q q + Y_v q' + Y_a q'' + Y_u u.
 *
 * q: the undamped normal modes with the prescribed motions held, mass-orthonormal, ascending by lambda (`rigid1` ..,
 * `mode1` ..), then the prescribed motions s themselves under their names, whose equations are s'' = u.
 * The motion that goes with s is the one that bends no mode statically: K has no entry in the column of s but for a
 * stiffness that is not symmetric. */
typedef struct phx_reduced {
    int n, count;           /* coordinates xi, q */
    int rigid, modes, held; /* count = rigid + modes + held */
    int n_inputs, n_outputs;
    char **names; /* of q; those of q' are `rates` */
    char **rates;
    double *basis;           /* n x count */
    double *omega;           /* rigid + modes: rad/s; negative where lambda = +-omega, an instability */
    double *D, *K;           /* count x count */
    double *F;               /* count x n_inputs, for prescribed motions by their acceleration */
    double *Y_q, *Y_v, *Y_a; /* n_outputs x count */
    double *Y_u;             /* n_outputs x n_inputs */
} phx_reduced;
const phx_reduced *phx_linearised_reduced(const phx_linearised *linearised);
/* The second-order form as a definition over its arrays (M: the identity, also of `linearised`).
 * PHX_ERR_UNSUPPORTED when a rate is an input (names it; acceleration is of second order). */
phx_status phx_linearised_second_order(phx_context *context, const phx_linearised *linearised,
                                       phx_ss_second_order_def *def);

/* State space: x = (q, q'). Where a rate is an input, x_bar = x - B_a w, the state of that rate drops out.
 * PHX_ERR_INPUT when an output has a direct feedthrough of the derivative of a rate (accelerations, efforts and
 * reactions have): names both. */
phx_status phx_linearised_ss(phx_context *context, const phx_linearised *linearised, phx_ss **ss);

/* ---- sampled controllers and loops ----
 *
 * The plant, with its continuous controllers closed, held exactly from sample to sample (phx_ss_hold), and around it
 * the sampled controllers with their delays; x+ = A x + B u, y = C x + D u at the samples, just after them. States:
 * those of the plant, of the controllers "NAME.z1", and of their efforts "NAME.u1.0" (held), "NAME.u1.1" .. (to come).
 * Inputs are held like efforts. */
typedef struct phx_sampled_options {
    double period; /* s; 0: that of the sampled controllers */
    int delay;     /* samples by which the inputs are late, not the controllers */
} phx_sampled_options;
/* Their period, s; 0: there are none, or *left_out (may be NULL) says why their linear model is unknown: they are then
 * left out of everything. PHX_ERR_UNSUPPORTED names two that have different periods. */
phx_status phx_linearised_period(phx_context *context, const phx_linearised *linearised, double *period,
                                 const char **left_out);
/* PHX_ERR_ARGUMENT for a period that is not that of the controllers, or is missing. */
phx_status phx_linearised_sampled_ss(phx_context *context, const phx_linearised *linearised,
                                     const phx_sampled_options *options, phx_ss **ss);
/* The loop L opened at an effort of a controller, "NAME" or "NAME.u1", all others closed, with the sign of the margins:
 * the effort that comes back is -L times the one that goes in. Sampled with `period`, s, or continuous, 0, which is
 * handed out: without a period of the caller's a loop of a sampled controller has its period. Errors name what can be
 * opened. The mechanism must have been linearised with its controllers. */
phx_status phx_linearised_loop(phx_context *context, const phx_linearised *linearised, const char *effort,
                               double *period, phx_ss **loop);

/* Descriptor pH form over e = (xi, v, lambda, mu): E = diag(I, M, 0), Q = diag(K, I, I),
 *
 *         | 0   I     0  |                            | 0    0  |
 *     J = | -I  0   G_H^T|    R = diag(0, D, 0),   B = | F    0  |     G_H = (G; H)
 *         | 0  -G_H   0  |                            | 0  I_mu |
 *
 * one port of size 1 for each input, called as the input with "_" for "."; the output conjugate to an effort is the
 * rate of its motion, to a rate the effort. `measured` (may be NULL): the outputs asked for, y = C e + D u. Errors:
 * PHX_ERR_UNSUPPORTED when K or D is not symmetric or D not semi-definite beyond rounding (says by how much), or an
 * acceleration is an input. */
typedef struct phx_measured {
    phx_csr C; /* n_outputs x n_e */
    phx_csr D; /* n_outputs x n_inputs */
} phx_measured;
void phx_measured_free(phx_measured *measured);
phx_status phx_linearised_descriptor(phx_context *context, const phx_linearised *linearised,
                                     phx_descriptor **descriptor, phx_measured *measured);
/* State names of the descriptor form: xi by phx_linearised_coordinate, "NAME_dot", then the multipliers. */

/* ---- linear models with fewer states ----
 *
 * A mechanism on a basis of motions that keep its joints: ports with their names, symmetry and the port-Hamiltonian
 * form stay, rigid motions are exact. Errors are relative norms of what does not move freely, over ports scaled so that
 * each counts alike (the sum of |b_k|^2/(2 zeta_k omega_k) over the modes is 1 for each): forces with their velocities,
 * prescribed rates with their efforts less inertia and static stiffness, which are exact. */
typedef enum phx_reduction_method {
    PHX_REDUCE_MODAL,  /* the modes of largest |b_k|^2/(2 zeta_k omega_k) */
    PHX_REDUCE_KRYLOV, /* interpolation at points of the complex plane */
    PHX_REDUCE_IRKA,   /* interpolation at the mirror images of its own poles, first order */
    PHX_REDUCE_LQG,    /* balanced by the equations of optimal control and filter, first order */
    PHX_REDUCE_XMIN    /* IRKA with the least storage function in place of the energy, first order */
} phx_reduction_method;

/* A point of interpolation: re + i im, 1/s, with its conjugate, or infinity. */
typedef struct phx_reduction_point {
    double re, im;
    bool infinite;
    const double *direction; /* one number for each input; NULL: every input by itself */
} phx_reduction_point;

/* Which method, and how much of it. */
typedef struct phx_reduction_options {
    phx_reduction_method method;
    int order;      /* coordinates beside rigid and prescribed motions; of first order twice as many states. 0: the
                       fewest with which `error` holds, or, of krylov, what the points give. No less than the
                       prescribed motions, each of which takes one (those that move no elastic mode none) */
    double error;   /* H-infinity, relative, and `error_local` of the report; 0: by order */
    double band[2]; /* rad/s: where the error counts; both 0: everywhere */
    double damping; /* modal damping ratio in place of the model's own damping, for choice and error alone; 0: the
                       model's, and where modes have none 0.005 */
    int n_points;
    const phx_reduction_point *points; /* of krylov; NULL: points on the imaginary axis, over the band if given */
} phx_reduction_options;
phx_reduction_options phx_reduction_options_default(void); /* modal; order or error are for the caller to give */

/* Error and passivity of a reduction. */
typedef struct phx_reduction_report {
    phx_reduction_method method;
    int order, states;       /* coordinates as in the options; states in all, of the state-space form */
    int full, rigid, held;   /* elastic modes of the model; rigid motions that the inputs move, prescribed motions */
    double error;            /* H-infinity of the error over that of the model, in the band if there is one */
    double error_least;      /* from below */
    double error_omega;      /* rad/s: where */
    double error_local;      /* over a band, of a model with free motions: largest ratio of error and response at one
                                frequency, of the free motions or of the rest, whichever is larger; sampled. NAN: none */
    bool certified;          /* `error` is an upper bound by bisection of level sets; else an estimate from below */
    double bound;            /* a-priori bound of the same: largest eigenvalue of sum b_k b_k^T/(2 zeta_k omega_k) over
                                the modes left out; NAN: there is none */
    double bound_sum;        /* the sum of |b_k|^2/(2 zeta_k omega_k), above it */
    double error_h2;         /* the same in H2; NAN: over a band, or none */
    double norm, norm_h2;    /* of the model, ports scaled */
    double damping;          /* modal damping that the error was measured with; 0: the model's own */
    double constraints;      /* largest |A V| of the basis, relative to the rows of A */
    double dissipation;      /* least eigenvalue of W of the result, relative to the largest entry: >= 0 */
    phx_passivity passivity; /* of its elastic part, by the Hamiltonian matrix, relative to the norm */
    int iterations;          /* of irka and xmin */
    double feedthrough;      /* that xmin has added to every scaled port, relative to the norm */
} phx_reduction_report;

/* A reduced model. */
typedef struct phx_reduction phx_reduction;
/* Nothing of `linearised` is kept. Errors: PHX_ERR_ARGUMENT for an order or error out of range, no demand at all, more
 * order than there is; PHX_ERR_UNSUPPORTED for a model without port-Hamiltonian form (phx_linearised_descriptor);
 * PHX_ERR_ANALYSIS for an error demanded over all frequencies where there is no damping, a point at a pole, xmin where
 * there is no damping, lqg where all characteristic values are one. Dense, n^3 work, unless `linearised` is sparse:
 * then by its lowest modes, without prescribed motions (PHX_ERR_UNSUPPORTED), errors sampled, `bound` of all modes. */
phx_status phx_reduce_linear(phx_context *context, const phx_linearised *linearised,
                             const phx_reduction_options *options, phx_reduction **reduction);
void phx_reduction_destroy(phx_reduction *reduction); /* NULL is allowed */
/* Returned pointers belong to the reduction. */
const phx_reduction_report *phx_reduction_about(const phx_reduction *reduction);
/* n x count: xi = basis times the first `count` entries of e of the descriptor form. */
const double *phx_reduction_basis(const phx_reduction *reduction, int *n, int *count);
/* The forms, as of a linearised mechanism: Q = diag(K, I, I) with diagonal K where the method is of second order; where
 * it is of first order, which has no second-order form (PHX_ERR_UNSUPPORTED), e = (rigid displacements, z, rigid
 * velocities, prescribed motions s, their rates w, efforts), E = diag(I, D1, 0), Q = diag(0, I, K0, I), D1 and K0
 * inertia at infinite frequency and static stiffness of s. proper: without the outputs that follow the derivative of a
 * rate. */
phx_status phx_reduction_ss(phx_context *context, const phx_reduction *reduction, bool proper, phx_ss **ss);
phx_status phx_reduction_descriptor(phx_context *context, const phx_reduction *reduction, phx_descriptor **descriptor,
                                    phx_measured *measured);
phx_status phx_reduction_second_order(phx_context *context, const phx_reduction *reduction,
                                      phx_ss_second_order_def *def);

/* ---- plants that depend on parameters, as a linear fractional transformation ----
 *
 *     | x' |   | A    B_w   B_u  | | x |
 *     | v  | = | C_v  D_vw  D_vu | | w |     w = Delta v,   Delta = diag(delta_1 I_r1, .., delta_n I_rn)
 *     | y  |   | C_y  D_yw  D_yu | | u |
 *
 * an upper LFT of the system M with the inputs (w, u) and outputs (v, y): |delta_k| <= 1 is the range of parameter k,
 * whose value is centre + delta half width. Made of polynomials in delta through the matrices of plants in common
 * coordinates. Those of second order are fitted as they are,
 *
 *     M(delta) z'' + D(delta) z' + K(delta) z = F(delta) u,   y = Y_q z + Y_v z' + Y_a z'' + Y_u u,
 *
 * symmetric matrices by symmetric ones; with M(delta) z'' closed by the LFT the plant is rational in delta. Others by
 * A, B, C, D. */
typedef struct phx_lft phx_lft;

/* The parameters and how well they are to be fitted. */
typedef struct phx_lft_options {
    int n_parameters;
    const char *const *parameters; /* in the order of Delta: all of which there are several values */
    const int *degrees;            /* of the polynomials; NULL: by the error */
    double error;                  /* that is aimed at where a value is left out; 0: 1e-6 */
    double tolerance; /* of singular values, beneath which directions of Delta are left out; 0: a tenth of the error
                         where that is given, else 1e-11 */
    double band[2];   /* rad/s: where responses are compared; both 0: around all frequencies */
} phx_lft_options;
phx_lft_options phx_lft_options_default(void);

/* The errors of an LFT. Errors of matrices count in units of energy: rows and columns divided by the frequencies of the
 * nominal modes, and by the largest entry of each input and output. */
typedef struct phx_lft_report {
    bool second_order;  /* of which form the polynomials are */
    double fit;         /* largest error of the polynomials at the points */
    double held_out;    /* at inner values of each parameter in turn when all points with that value are left out; NAN:
                           there are too few values for that degree */
    double realisation; /* largest difference of the LFT from the polynomials at the points */
    double response;    /* largest error of a frequency response at the points, relative to the largest response within
                           a factor of 1.8 in frequency */
    double response_omega; /* rad/s: where, */
    int response_point;    /* and at which point, from 0 */
    double band[2];        /* rad/s: of the responses */
} phx_lft_report;

/* Parts of an LFT; pointers belong to it. Parameters in the order of Delta. */
typedef struct phx_lft_info {
    int n_parameters;
    const char *const *parameters; /* names */
    const int *repetitions;        /* r_k */
    const int *degrees;
    const double *centre;     /* the value at delta = 0, */
    const double *half_width; /* and at delta = 1 less that */
    const phx_ss *system;     /* M: inputs PARAMETER.w1 .., then those of the plants; outputs PARAMETER.v1 .., theirs */
    const phx_lft_report *report;
} phx_lft_info;
/* Of an LFT that phx_study_plants has made; NULL: all zero. */
phx_lft_info phx_lft_about(const phx_lft *lft);
/* The plant at values of the parameters: M closed by Delta. PHX_SINGULAR where I - D_vw Delta is. */
phx_status phx_lft_plant(phx_context *context, const phx_lft *lft, const double *values, phx_ss **plant);

#ifdef __cplusplus
}
#endif
#endif
