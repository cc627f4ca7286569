/* The equations of a finalised system as analyses see them, in other layers and in rooms that stand above them: what
 * the system consists of, arrays of a linearisation, rows at an instant, loads. Residual, linearisation and powers are
 * operations of the dae (dae.h). */
#ifndef PHX_SYSTEM_EQUATIONS_H
#define PHX_SYSTEM_EQUATIONS_H

#include "body/body.h"
#include "dae/dae.h"
#include "joint/joint.h"

#include <phlexor/system.h>

/* ---- bodies, ports, joints; of numbers that exist ---- */
typedef struct phx_placed_body {
    const phx_body *body;
    int x, v;      /* offsets */
    int component; /* of bodies under constraints and drives */
} phx_placed_body;
phx_placed_body phx_system_placed(const phx_system *system, phx_body_id id);
int phx_system_components(const phx_system *system);
/* Coordinates of a body beside its frames in x, and their rates in v, vectors of the whole system. */
static inline const double *phx_placed_q(const phx_placed_body *place, const double *x)
{
    int at;
    (void)phx_body_coordinates(place->body, &at, NULL);
    return x + place->x + at;
}
static inline const double *phx_placed_q_dot(const phx_placed_body *place, const double *v)
{
    int at;
    (void)phx_body_coordinates(place->body, NULL, &at);
    return v + place->v + at;
}

int phx_system_port_count(const phx_system *system);
phx_body_id phx_system_port_body(const phx_system *system, phx_port_id id);

typedef struct phx_joint_view {
    phx_port_id a, b;
    int n_constraints, n_coordinates;
    const phx_row *constraints;
    bool contact; /* a rigid contact, whose coordinates are its slips */
} phx_joint_view;
phx_joint_view phx_system_joint(const phx_system *system, phx_joint_id id);
typedef struct phx_coordinate_view {
    const phx_row *row;
    phx_port_id a, b;              /* that it is measured between */
    const phx_coordinate_def *def; /* as it was given */
    int angle;                     /* where x keeps its value unwrapped; -1: nowhere */
} phx_coordinate_view;
phx_coordinate_view phx_system_coordinate(const phx_system *system, phx_joint_id id, int number);
bool phx_system_slides(const phx_system *system); /* a port slides along a body */
int phx_system_force_count(const phx_system *system);
/* The ports at which force number k, counted from 0, acts at present; -1: at none. */
void phx_system_force_ends(const phx_system *system, int k, phx_port_id ends[2]);
/* Whether the efforts at rest of all forces that act at t are the derivatives of an energy; false where one follows its
 * port, is a torque in space, a load over a body, or wind. */
bool phx_system_has_potential(const phx_system *system, double t);

/* ---- the equations ----
 * Arrays of a dae; its operations fill and overwrite them. Matrices lie on one sparse pattern over the velocities, then
 * the multipliers. */
typedef struct phx_equations {
    int n_v, n_l, n;
    const int *ptr, *idx;
    phx_csr pattern;           /* the same, without values */
    const int *order;          /* of elimination */
    double *M, *D, *K;         /* of the last linearisation; D has G and -G^T, K has K_l. Free to be changed */
    double *val;               /* room for one more */
    phx_lu **lu;               /* factors that the next accelerations overwrite (phx_system_factor) */
    double *w;                 /* n_l: prescribed rates of the rows (phx_system_rows) */
    const double *g;           /* n_l x 2 PHX_PORT_MAX: their covectors */
    const double *effort;      /* PHX_PORT_MAX of each port: of all forces (phx_system_efforts) */
    const phx_port_view *port; /* all ports at the instant (phx_system_view) */
} phx_equations;
phx_equations phx_system_equations(const phx_dae *dae);
/* Factors of values on the pattern; the first call creates them. PHX_SINGULAR names the body or joint. */
phx_status phx_system_factor(phx_dae *dae, const double *val, phx_lu **lu);
/* b (n) <- [M -G^T; G 0]^-1 b at the instant whose rows have been evaluated. */
phx_status phx_system_solve_mass(phx_dae *dae, const double *x, double *b);

/* ---- at an instant ---- */
/* Evaluates all ports; x and v stay the caller's and are read by what follows. */
void phx_system_view(phx_dae *dae, const double *x, const double *v);
/* Evaluates covectors and prescribed rates of all rows at t. */
void phx_system_rows(phx_dae *dae, double t);
typedef struct phx_row_view {
    const phx_row *row;
    phx_port_id a, b;
    int joint, component;
    int coordinate;          /* of the joint, where one is driven or held */
    bool driven, acts;       /* acts: a constraint or driven */
    const phx_signal *speed; /* of a driven one; NULL: at rest */
} phx_row_view;
phx_row_view phx_system_row(const phx_dae *dae, int k); /* the row of multiplier k */
/* g . zeta of a row, and the sum of sizes |w| + sum |g_i zeta_i|, for tolerances. */
double phx_system_row_rate(const phx_dae *dae, int k);
double phx_system_row_scale(const phx_dae *dae, int k);
/* Of any row between two ports, with covectors g: P^T g (n_v); G_dot v. */
void phx_system_pull_back_row(phx_dae *dae, const phx_port_id ends[2], const double *g, double *out);
double phx_system_row_bias(phx_dae *dae, const phx_row *row, const phx_port_id ends[2], const double *g);
/* out (n_l) <- the rows at position level less `target`. Returns the largest, lengths over `size`. */
double phx_system_row_residuals(const phx_dae *dae, double size, const double *target, double *out);
/* Efforts of forces and controllers on the ports; loads over bodies into res (n_v): res -= ... */
phx_status phx_system_efforts(phx_dae *dae, double t, double *res);
/* After it, or without `forces`: powers of forces, and the parts of the dae with the drives' rates w and multipliers.
 */
void phx_system_powers(phx_dae *dae, bool forces, const double *lambda, phx_work *power);
double phx_system_size(const phx_dae *dae); /* of the mechanism, m: the scale of residuals and displacements */
/* Moves the bodies' frames by the rigid part of xi, at most 0.4 of the size or rad, and the deformations by the rest;
 * returns the largest rigid entry. */
double phx_system_move(const phx_dae *dae, const double *xi, double *x);
/* Rigid accelerations a (n_v, zero on the deformations) and multipliers (n_l) with q_dot = q_ddot = 0,
 *   M_rr a + ... = f + G_r^T lambda,  G_r a = w' - G' v     (w' = 0 with drives_locked),
 * and the residual they leave: on the deformations the loads that K q has to balance. */
phx_status phx_system_locked_accelerations(phx_dae *dae, double t, const double *x, const double *v, bool drives_locked,
                                           double *a, double *lambda, double *res);
/* From now on loads and actuators of the dae, and gravity of its system, are `load` times what they are. */
void phx_system_set_load(phx_dae *dae, double load);
/* Matrices of the last linearisation, at x, as a linear model; `exact`: elasticity may be all of K. */
phx_status phx_system_take_linear(phx_dae *dae, const double *x, bool exact, phx_linear *linear);
/* PHX_ERR_ANALYSIS when the place of a joint has left its body at the end t of a step of length h. */
phx_status phx_system_check_places(const phx_dae *dae, double t, double h, const double *x, const double *v);

/* ---- controllers ---- */
/* The samples that are due at the start of an interval, into x. */
phx_status phx_system_take_samples(phx_dae *dae, double t, double *x, const double *v);
/* z_dot of the continuous controllers at the instant of the last powers; zero for sampled controllers. */
void phx_system_controllers_flow(phx_dae *dae, double t, const double *x, double *z_dot);
int phx_system_controller_offset(const phx_system *system, int k); /* of its states in x */
/* The first controller that has states or is sampled, so that its rest is to be found; -1: there is none. */
int phx_system_resting_controller(const phx_system *system);
/* PHX_ERR_UNSUPPORTED, by name, for controllers whose rest is unknown. */
phx_status phx_system_check_rest(phx_context *context, const phx_system *system);
/* Another dae of the same system, in which controllers are at rest, for an equilibrium: phx_system_dae_destroy. */
phx_status phx_system_rest_dae(const phx_dae *dae, phx_dae **rest);
typedef struct phx_rest_states {
    bool on;         /* those of phx_system_rest_dae */
    int n, first;    /* entries of x from `first` on: states, then u of sampled ones */
    double *span;    /* s: the time over which they come to rest from those in x; 0: they are those in x */
    const double *z; /* n: where they end, at the last evaluation */
} phx_rest_states;
phx_rest_states phx_system_rest_states(const phx_dae *dae);
/* Rates count from the places at x, which they integrate. */
void phx_system_rest_from(phx_dae *dae, const double *x);
/* After a linearisation: the change of entry i of z with a displacement xi. */
double phx_system_rest_follows(const phx_dae *dae, int i, const double *xi);

/* ---- the start ---- */
/* A dae with every row, those that hold coordinates at the start too; the system's own, made unless it is there. */
phx_status phx_system_assembly(phx_system *system, phx_dae **dae);
void phx_system_end_assembly(phx_system *system);             /* frees it, after phx_system_starts_once */
const double *phx_system_assembled(const phx_system *system); /* n_x, undeformed; NULL: it is not finalised */
/* Position-level closing of the joints, the deformations in x kept and the poses as written the first guess; held
 * coordinates at their values. */
phx_status phx_system_assemble(phx_system *system, double *x);
/* The residuals of that, negated, into the rows of rhs (n). Returns the largest, relative to the size for lengths. */
double phx_system_assembly_residual(phx_dae *assembly, const double *x, double *rhs);
/* The same; then G and -G^T into phx_equations.val, and minus the gradient of the change of the poses, 1/2 (sum m
 * |dc|^2
 * + dtheta . I_c dtheta), into the velocities of rhs. Returns which rows ask for a position. */
const bool *phx_system_assembly_rows(phx_dae *assembly, const double *x, double *rhs);
/* Velocities of the start at x: the least change in kinetic energy of those as written. */
phx_status phx_system_start_velocities(phx_system *system, double t, const double *x, double *v);
/* Puts the coordinates that are held at the start into x and the start configuration of the system. */
phx_status phx_system_hold_start(phx_system *system, double t, double *x, const double *v);
/* PHX_ERR_UNSUPPORTED when a body is not a floating one: the message says that `what` is not available, and the remedy.
 */
phx_status phx_system_check_floating(phx_context *context, const phx_system *system, const char *what,
                                     const char *remedy);
/* Linearisation and residual of motion (n) in the assembly's dae under the part `load` of gravity and all forces,
 * springs included; room: as long as K, as long as the residual. */
phx_status phx_system_linearise_part(phx_dae *assembly, double load, double t, const double *x, const double *v,
                                     const double *lambda, double *room);
phx_status phx_system_residual_part(phx_dae *assembly, double load, double t, const double *x, const double *v,
                                    const double *a, const double *lambda, double *res, double *room);

#endif
