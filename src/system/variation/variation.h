/* Private to the room variation: a step of `midpoint`, its interval and its projection, with their derivatives. */
#ifndef PHX_SYSTEM_VARIATION_H
#define PHX_SYSTEM_VARIATION_H

#include "system/system_internal.h"

enum { VARIATION_PER = 6 }; /* momenta of a component at most */

/* What the projection does to a component, theory 5 and 19 (9): v_1 = s (next - f) + f. */
typedef struct varied_component {
    int per;                                       /* momenta that it keeps */
    double s, missing, spare;                      /* s^2 = 1 + missing/spare */
    bool scaled;                                   /* else s = 1, whatever the energies do */
    double inertia[VARIATION_PER * VARIATION_PER]; /* T^T M T, per square */
    double step[VARIATION_PER],
        wanted[VARIATION_PER]; /* rigid motions (T^T M T)^-1 momenta that were missing, wanted */
} varied_component;

/* Velocities by which the mass matrix is multiplied in the projection: v, dv, what drives prescribe, and the rigid
 * motions T c, T b of theory 19 (7), (8). */
enum { OF_VELOCITY, OF_CORRECTION, OF_DRIVE, OF_STEP, OF_WANTED, VARIATION_RATES };
/* What a number changes by with the numbers of the system in a step: for its adjoint. */
typedef struct step_adjoint {
    double *eta;                   /* n: -eta . dR */
    double *end;                   /* n_v: . dv before the projection at a fixed mean velocity */
    double *mass[VARIATION_RATES]; /* n_v: . (dM at x_1) u of each of the velocities */
    double *start;                 /* n_v: . (dM at x_0) v_0 */
    double *rows[3];               /* n: . d(-G^T mu, G u - w) at (v + dv, mu), (drive, mu_w), (v, 0) */
    double *rate;                  /* n_l: . dw */
    double *impulse;               /* components x VARIATION_PER: . d impulse of weights and loads */
    double *states[2];             /* n_z: . dz behind the samples, at the end, of controllers */
} step_adjoint;
/* Its arrays in `kept`, phx_variation_adjoint_size numbers. */
step_adjoint phx_var_step_adjoint(const phx_variation *variation, double *kept);

/* Controllers in a step (control_variation.c). Rows of measures lie over ws->control.cols. */
typedef struct varied_controls {
    double *interval, *sample; /* A, B, C, D of each: over the interval; at the start, of a sample or as an instant */
    int *first_map;            /* of each controller, in both */
    bool any_due, *due;        /* samples at the start; of each controller */
    double *by_x, *by_v;       /* measures over the interval by xi_0 and the mean velocity */
    double *at_x, *at_v;       /* at the start by xi_0 and v_0, where samples are taken */
    double *acted;             /* P^T e_i of each actuation, over the columns of its ports */
    int *first_acted;
    double *before;              /* n_z: states at the start without its samples */
    signed char *side, *side_at; /* of each output: over the interval, in a sample or at the start */
    double *m, *u;               /* changes of measures, of outputs */
    double *part;                /* rows */
    double *copy, *z;            /* n_z */
    double *x0, *x1, *xm, *low;  /* n_x; low: two */
    double *v;                   /* 2 n_v */
} varied_controls;

struct phx_variation {
    phx_context *context;
    phx_system *system;
    workspace *ws;
    double t0, h;
    int n_v, n_l, n, entries;
    int n_z;                  /* entries of x of controllers */
    varied_controls *control; /* NULL: none */
    phx_lu *lu;
    double *forward;                    /* A(2/h) of the interval from its start: entries */
    double *difference;                 /* the same minus that of the interval from its end */
    double *stiffness, *driven, *taken; /* K of the rows at (next, mu), (drive, mu_w), (v, 0): entries */
    double *x0, *v0, *x1, *lambda;      /* of the step; lambda: of the interval */
    double *xm, *vm;                    /* mean place and velocity */
    double *v;                          /* at the end, before the projection */
    double *correction, *drive;         /* n: (dv, mu); M^-1 G^T S^-1 w with its multipliers */
    double *next, *fixed;               /* n_v */
    double *rate[VARIATION_RATES]; /* n_v: the velocities of step_adjoint; NULL: zero. Those of T own their arrays */
    double *carried[2];
    double *e, *w;     /* n_l: G v - w, w */
    double *room[8];   /* n each */
    double *xi1, *dv1; /* n_v: results of a tangent or an adjoint on their way */
    double *room_x;    /* n_x */
    double *body_room;
    phx_step_maps *maps;
    int *first_map; /* of each body */
    varied_component *components;
    bool drives;
};

/* out += sum weight M u at x of the bodies that the parameter touches. */
void phx_var_mass_by(const phx_variation_parameter *by, const double *x, const double *u, double *out);
/* out (n) += sum weight (-G^T mu, G u - w) at (x_1, u). */
void phx_var_rows_by(const phx_variation *variation, const phx_variation_parameter *by, const double *u,
                     const double *mu, double *out);
/* The change of the prescribed rate of row k, after phx_var_rows_by. */
double phx_var_rate_by(const phx_variation_parameter *by, int k);
/* wanted += the change of the momenta and impulses of a component, after phx_variation_by_parameter has begun. */
void phx_var_wanted_by(const phx_variation *variation, const phx_variation_parameter *by, int index, double *wanted);

/* A body of the system in the forward interval, without products. */
phx_body_view phx_var_view(const phx_variation *variation, int b);
/* out += alpha K in, K on the pattern of the equations, its columns over the velocities; transposed: out, over the
 * velocities, += alpha K^T in. */
void phx_var_add_pattern(const phx_variation *variation, const double *K, bool transposed, double alpha,
                         const double *in, double *out);

/* ---- projection_variation.c ---- */
phx_status phx_var_projection(phx_variation *variation);
/* dv <- d v_1 by the variations dv of v, of x_1 and of the start (xi0, dv0), which may all be NULL, and by a parameter
 * (NULL: none). */
phx_status phx_var_project_tangent(phx_variation *variation, const phx_variation_parameter *by, const double *xi1,
                                   const double *xi0, const double *dv0, double *dv);
/* The transpose: a_v, of v_1 on entry, of v on exit; to a_xi1, a_xi0, a_v0 is added, and to `kept`. */
phx_status phx_var_project_adjoint(phx_variation *variation, double *a_v, double *a_xi1, double *a_xi0, double *a_v0,
                                   const step_adjoint *kept);

/* ---- control_variation.c: of systems with controllers. Their states z stand behind the velocities in variations and
 * adjoints of a state ---- */
phx_status phx_var_control_create(phx_variation *variation);
void phx_var_control_free(varied_controls *control);
/* Before and after the interval is solved. */
phx_status phx_var_control_samples(phx_variation *variation);
phx_status phx_var_control_interval(phx_variation *variation);
/* `forward`, taken with u held, receives the feedback. */
void phx_var_control_couple(phx_variation *variation);
/* z goes through the samples; rhs += what xi_0 and z change in the residual; z goes to the end with the change of the
 * mean velocity. In this order. */
void phx_var_control_samples_tangent(phx_variation *variation, const double *xi0, const double *dv0, double *z);
void phx_var_control_residual(phx_variation *variation, const double *xi0, const double *z, double *rhs);
void phx_var_control_end(phx_variation *variation, const double *dvm, double *z);
/* The transposes in the order of an adjoint; to_vm, a_xi0, a_v0: to them is added. a_z goes from the end to the start
 * by the second, through the samples by the third. */
void phx_var_control_end_adjoint(phx_variation *variation, const double *a_z, double *to_vm);
void phx_var_control_residual_adjoint(phx_variation *variation, const double *eta, double *a_xi0, double *a_z);
void phx_var_control_samples_adjoint(phx_variation *variation, double *a_z, double *a_xi0, double *a_v0);

/* ---- load_variation.c: impulses of loads on a free component (index) ---- */
/* wanted += their change with the configurations at both ends. */
void phx_var_impulse_tangent(phx_variation *variation, int index, const double *xi0, const double *xi1, double *wanted);
/* The transpose: a_xi0 and a_xi1 += the derivatives of by . impulse. */
void phx_var_impulse_adjoint(phx_variation *variation, int index, const double *by, double *a_xi0, double *a_xi1);

/* ---- rigid_variation.c: momenta and rigid motions about the inertial origin ---- */
/* v += alpha T c of the bodies of a component; c: `per` numbers, translations first. */
void phx_var_rigid_velocities(const phx_system *system, const component_slot *component, const double *x, int per,
                              double alpha, const double *c, double *v);
/* sum += T^T p */
void phx_var_rigid_momenta(const phx_system *system, const component_slot *component, const double *x, int per,
                           const double *p, double *sum);
/* a += alpha d/dxi (p^T T c) */
void phx_var_rigid_slope(const phx_system *system, const component_slot *component, const double *x, int per,
                         double alpha, const double *p, const double *c, double *a);
/* v += alpha (dT xi) c, sum += (dT xi)^T p */
void phx_var_rigid_change(const phx_system *system, const component_slot *component, const double *x, int per,
                          const double *xi, double alpha, const double *c, double *v, const double *p, double *sum);

/* Bodies of a component, one after the other. */
static inline const body_slot *phx_var_member(const phx_system *system, const component_slot *component, int i)
{
    return &system->bodies[system->components.bodies[component->first + i]];
}

#endif
