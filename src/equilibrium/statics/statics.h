/* Private to this room: the equilibrium of a mechanism at rest.
 *
 *   residual of motion(x, 0, 0, lambda) = 0                  n_v
 *   joint residuals = 0, driven coordinates as they are      n_l
 *
 * for the configuration x and the multipliers lambda, loads and gravity `load` times what they are. A correction
 * (xi, dlambda) solves
 *
 *   | K + sigma W   -G^T | | xi      |     | residual of motion |
 *   | G              0   | | dlambda | = - | joint residuals    |
 *
 * with the tangent stiffness K of the linearisation (search.c). With sigma = 0 this is Newton's iteration; with a sigma
 * that makes the matrix positive definite on the motions that G allows, every step leads down in energy, and 1/sigma is
 * the square of the time by which a motion without inertia but with friction W would have gone on. W is M, with
 * rotations as heavy about every axis as about the heaviest: a slender body turns about its own with hardly any
 * inertia, which would make sigma large for all. */
#ifndef PHX_EQUILIBRIUM_STATICS_H
#define PHX_EQUILIBRIUM_STATICS_H

#include "equilibrium/equilibrium.h"

static const double CLOSED = 1e-11; /* joints, rad, parts of the size */
static const double STALLED = 1e-7; /* correction of Newton's iteration, the same: a longer one must fall */

/* The problem: when, under which loads, where the joints are to be. */
typedef struct statics_problem {
    double t;
    double load;    /* what part of gravity, loads and actuators there is */
    double *target; /* n_l: what joint residuals are to be: driven coordinates at the start */
} statics_problem;

/* The scales of residuals and motions. */
typedef struct statics_scale {
    double size, mass; /* of the mechanism, m, kg */
    double weight;     /* N: what gravity, loads and springs pull, to measure residuals by; 1 where nothing does */
    bool pulled;       /* something does */
    double slowest;    /* 1/s^2: weight over mass and size, a square of a frequency to measure sigma by */
    double rounding;   /* 1/s^2: least sigma that is not rounding of K */
    double enough;     /* forces out of balance, parts of the weight: an equilibrium has no more; at least 1e-10, and
                          what the rounding of places and attitudes makes in stiff bodies */
    double *force;     /* n_v: N for one unit of a generalised force */
    double *turning;   /* n_v: what W has beyond M, of the rotations of frames */
} statics_scale;

/* Vectors of the search. */
typedef struct statics_vectors {
    double *zero;                 /* n */
    double *res;                  /* n, at the configuration at hand */
    double *step;                 /* n: (xi, dlambda) */
    double *other;                /* n, scratch */
    double *res_try;              /* n, at x_try */
    double *x_try, *lambda_try;   /* n_x, n_l */
    double *x_kept, *lambda_kept; /* n_x, n_l: where the search began */
} statics_vectors;

/* [K + sigma W, -G^T; G, 0] and its factors, made at their first use (tangent.c). */
typedef struct statics_tangent {
    double *val; /* on the kkt pattern */
    phx_lu *lu;
    /* Symmetric part of it in elimination order: rows ptr, idx; each entry the mean of two of the kkt pattern. */
    phx_ldl *ldl;
    int *ptr, *idx, *one, *two;
    double *symmetric;
} statics_tangent;

typedef struct statics {
    phx_dae *dae;
    phx_equations e;
    const phx_system *system;
    phx_context *context;
    int dim, n_rot;
    statics_problem problem;
    statics_scale scale;
    statics_vectors vectors;
    statics_tangent tangent;
    phx_rest_states rest; /* of controllers with states, or sampled ones (controllers.c) */
    bool circulatory;     /* the stiffness does not tell stability (stability.c) */
    phx_stability_fn *stability;
    phx_dae *judged; /* for it */
    int iterations;  /* corrections made so far */
    bool endless;    /* the last descent went on and on: something moves that nothing holds */
} statics;

/* ---- statics.c ---- */
phx_status phx_statics_create(phx_dae *dae, double t, const double *x, statics *s);
void phx_statics_free(statics *s); /* the loads are whole again */
void phx_statics_set_load(statics *s, double load);
/* Both residuals at x into res (n), and how large they are: the forces out of balance in parts of the weight, the
 * largest; the joints' in parts of the size. */
phx_status phx_statics_residual(statics *s, const double *x, const double *lambda, double *res, double *unbalanced,
                                double *joint_residual);
/* The joints' alone, n_l. */
double phx_statics_joint_residual(statics *s, const double *x, double *out);
/* x1 = x (+) factor xi; the largest move for factor 1 of a frame, rad or parts of the size, or by a deformation. */
void phx_statics_displace(const statics *s, const double *x, double factor, const double *xi, double *x1);
double phx_statics_largest_move(const statics *s, const double *xi);
/* Unwraps the angles of joints in x: the values nearest to their last ones, up to full turns. */
void phx_statics_count(const statics *s, double *x);

/* ---- tangent.c: after a linearisation ---- */
phx_status phx_statics_linearise(statics *s, const double *x, const double *lambda);
phx_status phx_statics_factor(statics *s, double sigma);
phx_status phx_statics_solve(const statics *s, double *b); /* n */
/* Directions among those that G allows in which K + sigma W is negative: the eigenvalues of (K, W) below -sigma. */
phx_status phx_statics_negative(statics *s, double sigma, int *count);
/* out (n) = W xi, zero behind n_v */
void phx_statics_W_apply(const statics *s, const double *xi, double *out);
/* xi^T K eta, xi^T W eta */
double phx_statics_K_product(const statics *s, const double *xi, const double *eta);
double phx_statics_W_product(const statics *s, const double *xi, const double *eta);

/* ---- mixed.c ---- */
/* From afar by the mixed iteration to an equilibrium from which nothing diverges; PHX_NOT_CONVERGED, or another
 * failure, leaves x and lambda. PHX_NOT_CONVERGED if no body has a free stress. */
phx_status phx_statics_newton_mixed(statics *s, double *x, double *lambda);

/* ---- search.c ---- */
/* Newton's iteration from x as long as it stays within `reach` (rad, parts of the size) and contracts:
 * PHX_NOT_CONVERGED where it does not; x and lambda are then what they were. */
phx_status phx_statics_newton(statics *s, double reach, double *x, double *lambda);
/* From afar, by steps of a limited length, whatever the residual does: where there is no energy to go down in. */
phx_status phx_statics_newton_from_afar(statics *s, double *x, double *lambda);
/* Down in energy to a stable equilibrium. PHX_NOT_CONVERGED: x is where it ended, s->vectors.step where it was going.
 */
phx_status phx_statics_descend(statics *s, double *x, double *lambda);

/* ---- controllers.c ---- */
/* PHX_ERR_UNSUPPORTED, by name, for controllers with states. */
phx_status phx_statics_refuse_states(phx_context *context, const phx_system *system, const char *what);
/* From now on controllers are at rest over a long time, from x. */
void phx_statics_lengthen(statics *s, const double *x);
/* `search` again and again, until the states of the controllers have come to rest as well. PHX_NOT_CONVERGED. */
typedef phx_status phx_statics_search(statics *s, void *user, double *x, double *lambda);
phx_status phx_statics_rest(statics *s, phx_statics_search *search, void *user, double *x, double *lambda);
/* Corrections of all unknowns together, down to rounding. */
phx_status phx_statics_finish_states(statics *s, double *x, double *lambda);
/* The residuals with the states in x, which need not be at rest. */
phx_status phx_statics_residual_as_it_is(statics *s, const double *x, const double *lambda, double *res,
                                         double *unbalanced, double *joint_residual);
/* PHX_ERR_ANALYSIS with the controller of a state that nothing brings to rest; a warning of one that rests anywhere. */
phx_status phx_statics_blame_states(statics *s, const double *x, const double *lambda);
phx_status phx_statics_tell_states(statics *s, const double *x, const double *lambda);

/* ---- stability.c ---- */
/* Whether stability is more than a matter of the stiffness: loads without a potential, controllers that are no springs.
 */
bool phx_statics_circulates(const phx_system *system, double t);
/* Directions in which the stiffness at (x, lambda) is negative, or motions that grow: 0 where it is stable. motions
 * (may be NULL): judged 0 where the stiffness has told. */
phx_status phx_statics_unstable(statics *s, const double *x, const double *lambda, int *count, phx_stability *motions);
/* The same, of motions that leave to one side: from where a descent leads on. */
phx_status phx_statics_diverges(statics *s, const double *x, const double *lambda, int *count);

/* ---- free.c ---- */
/* Motions without stiffness at the equilibrium (x, lambda). */
phx_status phx_statics_count_free(statics *s, const double *x, const double *lambda, int *count);
/* They themselves after a linearisation: `count` rows of kkt.n, W-orthonormal, by `passes` inverse iterations from Z,
 * which is a guess, or those of a configuration nearby. */
void phx_statics_guess_free(const statics *s, int count, double *Z);
phx_status phx_statics_find_free(statics *s, int passes, int count, double *Z);
/* Motions without stiffness at the equilibrium (x, lambda): how many; their names, "'a', 'b'". */
phx_status phx_statics_free_motions(statics *s, const double *x, const double *lambda, int *count, size_t size,
                                    char *names);
/* The joint or body that moves most in xi: "joint 'a'" or "body 'b'". */
void phx_statics_name_motion(statics *s, const double *x, const double *xi, size_t size, char *name);

/* ---- nearest.c ---- */
/* Where `count` free motions make a family of equilibria of the one at (x, lambda), that of the family which is nearest
 * to `start`. */
phx_status phx_statics_nearest(statics *s, const double *start, int count, double *x, double *lambda);

#endif
