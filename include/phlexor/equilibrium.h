/* Phlexor, layer equilibrium: the start of a motion, equilibria at rest and their stability, critical loads and paths
 * of equilibria, steady rotation. */
#ifndef PHLEXOR_EQUILIBRIUM_H
#define PHLEXOR_EQUILIBRIUM_H

#include <phlexor/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stability ---- */
/* Small motions about a point at rest that grow, as far as rounding tells. */
typedef struct phx_stability {
    int divergent;    /* that grow to one side, exp(s t) with s real */
    int fluttering;   /* that oscillate while they grow */
    int judged;       /* motions that were looked at: all, or the slowest of many */
    double growth;    /* 1/s, of the one that grows fastest; 0: none does */
    double frequency; /* rad/s, of the same one */
} phx_stability;
/* Finds it at t about (x, at rest, lambda); lambda NULL: the multipliers that hold the point there. */
typedef phx_status phx_stability_fn(phx_dae *dae, double t, const double *x, const double *lambda,
                                    phx_stability *found);

/* ---- start state ---- */
/* How the start state is made. */
typedef struct phx_start_options {
    bool quasi_static; /* deformation in equilibrium with the loads of the instant, else zero */
    bool equilibrium;  /* the whole mechanism where phx_system_static finds its equilibrium at rest; then the velocities
                          are those that the rates and drives have there */
    double t;
    phx_stability_fn *stability; /* as in phx_static_options */
} phx_start_options;
/* Assembly, velocities, multipliers (model format, "Start state"). x (n_x), v (n_v), lambda (n_l; NULL: not asked for).
 * PHX_ERR_ASSEMBLY names the joints that cannot close with their residuals, or the rates that contradict each
 * other. */
phx_status phx_system_start(phx_system *system, const phx_start_options *options, double *x, double *v, double *lambda);

/* ---- equilibrium at rest ---- */
/* A point of the way to an equilibrium, or of a path. x and lambda belong to the caller of the function below. */
typedef struct phx_static_point {
    double load; /* part of gravity, loads and actuators that there is */
    const double *x, *lambda;
    int unstable;      /* as in phx_static_report */
    double unbalanced; /* forces out of balance, the largest, parts of the weight */
} phx_static_point;
/* Gets every point; any status but PHX_OK ends the analysis with it. */
typedef phx_status phx_static_fn(void *user, const phx_static_point *point);

/* How an equilibrium is looked for. */
typedef struct phx_static_options {
    double t;  /* s: the instant of loads and signals */
    int steps; /* equal steps of the loads from nothing to what they are; 0: at once, in steps only where that fails */
    bool stable; /* an unstable equilibrium is left for a stable one */
    /* phx_linear_stability (linear.h): asked where the stiffness does not tell stability, that is where a load has no
     * potential, or a controller has states, is sampled, or is no spring; NULL: the stiffness tells all the same. */
    phx_stability_fn *stability;
    phx_static_fn *deliver; /* called for every step with an equilibrium; NULL: not wanted */
    void *user;
} phx_static_options;
phx_static_options phx_static_options_default(void); /* at once, at t = 0 */

/* Properties of an equilibrium, and how it was found. */
typedef enum phx_static_method {
    PHX_STATIC_NEWTON,  /* near the start */
    PHX_STATIC_DESCENT, /* down in energy */
    PHX_STATIC_STEPS    /* in steps of the loads */
} phx_static_method;
/* An equilibrium, measured. */
typedef struct phx_static_report {
    phx_static_method method;
    int iterations, steps; /* corrections; points delivered */
    double weight;         /* N: what gravity, loads and springs pull, the sum of their sizes */
    double unbalanced;     /* N: the largest generalised force out of balance, by its work over a displacement of the
                              body whose root mean square is 1 m */
    double gap;            /* of the joints, m (angles times 1 m), all rows */
    double moved;          /* from the start, the largest: rad, or parts of the size */
    int unstable;          /* 0: stable. Directions in which the tangent stiffness is negative; where `judged`, the
                              motions that grow */
    int free_motions;      /* that nothing holds and nothing pulls at */
    char free_names[256];  /* joints or bodies that tell them, "joint 'a', joint 'b'" */
    bool circulatory;      /* the stiffness does not tell stability (phx_static_options.stability): where it was not
                              judged, `unstable` is that of its symmetric part */
    bool judged;           /* by the motions about the equilibrium: */
    phx_stability motions;
} phx_static_report;
/* The equilibrium of the mechanism at rest: generalised forces of gravity, springs, loads and elasticity in balance,
 * joints closed, driven coordinates kept, controllers at rest: their states, which x has, do not change any more, and
 * sampled ones hold what they give there. x: a start configuration in, the equilibrium out; lambda: what the joints
 * carry. A start that is an equilibrium, or nearly, stays, stable or not; else
 * a stable one is looked for, down in energy. Errors: PHX_ERR_ANALYSIS, with what is out of balance and what moves,
 * when there is none (something that pulls is held by nothing, a controller's state comes to no rest), and after
 * failures x is the last try; PHX_ERR_UNSUPPORTED for controllers that are other programs, or measure forces. */
phx_status phx_system_static(phx_dae *dae, const phx_static_options *options, double *x, double *lambda,
                             phx_static_report *report);

/* Where the tangent stiffness is singular. */
typedef struct phx_critical_load {
    double factor; /* of all loads: gravity, loads, actuators */
    bool limit;    /* a limit point: the factor turns, and the mechanism snaps; else a bifurcation: it buckles */
} phx_critical_load;
/* Critical factors of all loads: those at which the tangent stiffness K on the motions that the joints allow,
 *
 *     K z = G^T mu ,   G z = 0 ,
 *
 * is singular along the path of equilibria from the unloaded one, the loads one way and, with negative factors, the
 * other. x: a start configuration. The loads as they are give the direction alone (and, where they hold what nothing
 * holds without them, the beginning). loads: at most `count`, by their size; shapes (may be NULL): count x n_v, the
 * modes z; found: how many there are: beyond a limit point, and where an equilibrium has moved by more than 3 rad or
 * sizes, none are looked for. linear: at most `count` factors by the stiffness linearised in the loads about the
 * beginning, ( K + factor K' ) z = G^T mu; n_linear: how many. PHX_ERR_ANALYSIS where the beginning is unstable;
 * PHX_ERR_UNSUPPORTED for loads without a potential. */
phx_status phx_system_buckling(phx_dae *dae, double t, const double *x, int count, phx_critical_load *loads,
                               double *shapes, int *found, double *linear, int *n_linear);

/* The path of equilibria over the load factor, by arc length: through limit points, into and out of unstable branches.
 */
typedef struct phx_path_options {
    double t;
    double to;                   /* largest load factor; the path ends there */
    int points;                  /* at most */
    double stride;               /* length of a step, rad or parts of the size, the largest of any body; 0: 0.05 */
    bool branch;                 /* at a bifurcation the path leaves the branch it came on for the other one */
    phx_stability_fn *stability; /* as in phx_static_options, of every point */
    phx_static_fn *deliver;
    void *user;
} phx_path_options;
phx_path_options phx_path_options_default(void); /* to 1, 200 points */
/* x: a start configuration in, the last point out. The load factor begins at zero, where there must be an equilibrium
 * without free motions. */
phx_status phx_system_static_path(phx_dae *dae, const phx_path_options *options, double *x, double *lambda,
                                  phx_static_report *report);

/* ---- steady rotation ---- */
/* Steady rotation: the drives turn at their constant speeds and everything turns with them as one rigid body about a
 * fixed axis, but for rotors: bodies that turn about the axis of a joint, driven or free with the rate of the start,
 * and look the same in all their angles. x: a start configuration in, the deformed equilibrium with the centrifugal
 * forces and gyroscopic moments out, driven coordinates kept; v (n_v) its velocities; axes (n_v) those of the axes in
 * which the motion is constant: v where no rotor turns, else of axes fixed to what carries the rotor. lambda: what the
 * joints carry. spin (may be NULL): largest angular speed of a component, or of a rotor against what carries it, rad/s.
 * Where nothing is driven and no rotor has a rate, the equilibrium at rest (phx_system_static). PHX_ERR_ANALYSIS when a
 * speed varies, the drives do not turn everything as one and what turns
 * beside it is no rotor (with the reason), there is no equilibrium (with what is out of balance), or the equations
 * change while it turns (gravity across the axis). */
phx_status phx_system_steady(phx_dae *dae, double t, double *x, double *v, double *axes, double *lambda, double *spin);
/* Matrices of the system linearised about a steady rotation, in the axes of phx_system_steady, drives at their speeds:
 * D holds the gyroscopic, K the centrifugal terms and the stiffening. xi of a rotor is that of a body which does not
 * spin. Free with phx_linear_free. */
phx_status phx_system_linear_steady(phx_dae *dae, double t, const double *x, const double *v, const double *axes,
                                    const double *lambda, phx_linear *linear);

#ifdef __cplusplus
}
#endif

#endif
