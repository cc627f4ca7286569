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

struct phx_variation {
    phx_context *context;
    phx_system *system;
    workspace *ws;
    double t0, h;
    int n_v, n_l, n, entries;
    phx_lu *lu;
    double *forward;                    /* A(2/h) of the interval from its start: entries */
    double *difference;                 /* the same minus that of the interval from its end */
    double *stiffness, *driven, *taken; /* K of the rows at (next, mu), (drive, mu_w), (v, 0): entries */
    double *x0, *v0, *x1, *lambda;      /* of the step; lambda: of the interval */
    double *xm, *vm;                    /* mean place and velocity */
    double *v;                          /* at the end, before the projection */
    double *correction, *drive;         /* n: (dv, mu); M^-1 G^T S^-1 w with its multipliers */
    double *next, *fixed;               /* n_v */
    double *e, *w;                      /* n_l: G v - w, w */
    double *room[8];                    /* n each */
    double *xi1, *dv1;                  /* n_v: results of a tangent or an adjoint on their way */
    double *room_x;                     /* n_x */
    double *body_room;
    phx_step_maps *maps;
    int *first_map; /* of each body */
    varied_component *components;
    bool drives;
};

/* The same system at neighbouring values of a parameter; derivatives are sums of weights times values. */
struct phx_variation_parameter {
    phx_context *context;
    int n;
    workspace **ws; /* n, borrowed */
    double *weight;
    bool any;             /* it changes something in a step */
    bool *touched;        /* per body: its numbers are not the same at all values */
    bool coupled;         /* ports, joints, forces or gravity are not; or momenta are kept, so that all is evaluated */
    double *p, *row, *dw; /* n_v + n_l; the same; n_l: change of prescribed rates */
};
/* out += sum weight M u at x of the bodies that the parameter touches. */
void phx_var_mass_by(const phx_variation_parameter *by, const double *x, const double *u, double *out);
/* out (n) += sum weight (-G^T mu, G u - w) at (x_1, u). */
void phx_var_rows_by(const phx_variation *variation, const phx_variation_parameter *by, const double *u,
                     const double *mu, double *out);
/* wanted += the change of the momenta and impulses of a component. */
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
/* The transpose: a_v, of v_1 on entry, of v on exit; to a_xi1, a_xi0, a_v0 is added. */
phx_status phx_var_project_adjoint(phx_variation *variation, double *a_v, double *a_xi1, double *a_xi0, double *a_v0);

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
