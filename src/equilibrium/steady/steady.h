/* Private to this room: a steady rotation, its search (steady_motion.c, spinning_bodies.c), its equilibrium
 * (steady.c) and whether it is one (steadiness.c). */
#ifndef PHX_EQUILIBRIUM_STEADY_H
#define PHX_EQUILIBRIUM_STEADY_H

#include <math.h>

#include "equilibrium/equilibrium.h"

enum { TWIST = 6 };
static const double OFF_AXIS = 1e-9; /* centre of mass of a body that spins, parts of the size */

/* Bodies that turn about the line of a coordinate against what carries them. */
typedef struct spinning_bodies {
    int component, joint, coordinate;
    bool driven;  /* else it turns freely with the rate of the start */
    double *unit; /* n_v: their velocities for 1 rad/s, in body axes; zero of the others */
    double speed; /* rad/s */
} spinning_bodies;

/* Why a body that a driven joint turns is none that spins. */
typedef struct flaw {
    bool known, bends;
    int component, joint, body;
    double off, uneven; /* centre of mass off the axis, m; inertias across it differ, relative to the largest */
} flaw;

typedef struct steady {
    phx_dae *dae;
    phx_equations e;
    const phx_system *system;
    int dim, n_rot;
    double size; /* of the mechanism, m */
    double t;
    double *twist; /* components x TWIST: v_O (dim), Omega (n_rot) */
    int n_spinning;
    spinning_bodies *spinning;
    flaw flaw;               /* of the component looked at last */
    phx_csr *Z;              /* per body: of those that spin and bend (axisymmetric.c), for 1 rad/s; else no rows */
    double *turn;            /* per body: its speed in Z, rad/s */
    double *spin;            /* n_v: rigid velocities of the spinning bodies against what carries them, in body axes */
    double *coordinate;      /* n_l: driven coordinates at the start, to be kept */
    double *res, *xi, *zero; /* n each, the last zero */
    double *v, *v_dot, *work, *later; /* n each */
    double *x, *room;                 /* n_x */
    double *K, *D;                    /* kkt pattern */
    bool *leads;                      /* n_v: whether a velocity is the first of a frame */
} steady;

/* ---- motions of one body, in its axes ---- */
static inline double phx_steady_turning(int n_rot, const double *w)
{
    return n_rot == 1 ? (w[0] < 0.0 ? -w[0] : w[0]) : sqrt(phx_dot(3, w, w));
}
/* y = ad(z) xi, rigid part: ad = [[z_r]x [z_v]x; 0 [z_r]x] */
void phx_steady_bracket(int dim, const double *z, const double *xi, double *y);
/* The place of the axis of the twist z nearest to the origin; z turns. */
void phx_steady_centre(int dim, const double *z, double *centre);
/* exp of z over `time`, a turn about a line: x -> Q x + p. */
void phx_steady_turn(int dim, const double *z, double time, double *Q, double *p);

/* ---- spinning bodies that bend (axisymmetric.c) ---- */
/* Z of a body about the axis of z, a unit twist in its axes, and by how much the body is not axisymmetric, relative. */
phx_status phx_steady_axisymmetric(phx_context *context, const phx_body *body, const double *z, phx_csr *Z,
                                   double *uneven);
/* y = exp(angle Z) y, or with the transposed; `work` as long as y. */
void phx_steady_turn_deformation(const phx_csr *Z, bool transposed, double angle, double *work, double *y);
/* to += factor from Z in the columns of the deformations of body b; arrays on the pattern. */
phx_status phx_steady_add_product(const steady *s, int b, const double *from, double factor, const phx_csr *Z,
                                  double *to);
/* K += d(M(q) v_dot)/dq of one body. */
phx_status phx_steady_add_inertia(const steady *s, int b, const double *x, const double *v_dot, double *K);
/* v += factor times the rates of deformations that are constant in the axes of the steady motion, by the angular speeds
 * `turn` of the bodies against them. */
void phx_steady_deformation_rates(const steady *s, const double *turn, double factor, const double *x, double *v);

/* kg */
double phx_steady_mass(const phx_system *system);
/* Largest angular speed of a component, or of a spinning body against what carries it, rad/s. */
double phx_steady_fastest(const steady *s);
/* Velocities of all bodies of a component (-1: of every component) from its twist and its spinning bodies, `factor`
 * times. */
void phx_steady_velocities(const steady *s, int component, double factor, const double *x, double *v);
/* Twists of all components and speeds of all spinning bodies. */
phx_status phx_steady_find_motion(steady *s, const double *x, double *v);
/* The same without the spinning bodies' spin. */
void phx_steady_axes(const steady *s, int component, double factor, const double *x, double *v);
/* The same for one of the dim + n_rot rigid velocities of a component alone: 1 m/s times the size, or 1 rad/s. */
void phx_steady_unit_twist(const steady *s, int component, int c, const double *x, double *v);
/* Spinning bodies of a component: those that turn freely, `driven_too` those that are driven as well. */
phx_status phx_steady_find_spinning(steady *s, int component, bool driven_too, const double *x);
/* Accelerations in body axes: of a spinning body v and w turn backwards in it. `factor` times the spin. */
void phx_steady_accelerations(const steady *s, double factor, const double *v, double *v_dot);
/* The same equations must hold after everything has turned. */
phx_status phx_steady_check(const steady *s, const double *x, const double *v);

#endif
