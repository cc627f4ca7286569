/* Phlexor, layer load: forces and torques, and the laws that springs follow.
 *
 * phx_system_add_load and its like put them on the ports of a system. */
#ifndef PHLEXOR_LOAD_H
#define PHLEXOR_LOAD_H

#include <phlexor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a load at a port. */
typedef enum phx_load_kind { PHX_LOAD_FORCE, PHX_LOAD_TORQUE } phx_load_kind;

/* ---- laws ---- */
/* A law f(x) of a spring, in pieces of which its potential V is known: f = dV/dx exactly. Beyond its ends it goes on
 * with its last slopes. */
typedef struct phx_law phx_law;
/* The law of a signal of x in place of time. A table is taken as it is, `low` and `high` are not looked at; any other
 * signal between low and high by cubic pieces, to 1e-10 of its values there. Errors: PHX_ERR_ARGUMENT for low >= high
 * and where f is not finite, with x; PHX_ERR_INPUT for a function that jumps or needs more than 20000 pieces. */
phx_status phx_law_create(phx_context *context, const phx_signal *f, double low, double high, phx_law **law);
/* Polytropic gas in a cylinder: f = -force (length/(length + x))^exponent, x the stroke, negative when it is pressed
 * in; between -0.98 length and 10 length. All > 0. */
phx_status phx_law_create_gas(phx_context *context, double force, double length, double exponent, phx_law **law);
void phx_law_destroy(phx_law *law); /* NULL is allowed */

/* ---- end stops, contacts ---- */
/* Force of a penetration d > 0 at the rate d':  N = stiffness d^exponent (1 + damping d'), not below 0 (Hunt and
 * Crossley). */
typedef struct phx_penalty {
    double stiffness; /* N/m^exponent, or N m/rad^exponent */
    double exponent;  /* 1 or 3/2 */
    double damping;   /* s/m, or s/rad, >= 0 */
} phx_penalty;

/* Coulomb's friction with Stribeck's dip:
 *   F = [Fk + (Fs - Fk) exp(-(v/stribeck)^2)] sign(v),  Fk = kinetic + coefficient |N|,
 *   Fs - Fk in the ratio of static to kinetic. With `regularised` tanh(v/regularised) stands for the sign of v: it
 *   creeps under a load T at the rate regularised atanh(T/Fk). Without, it is set-valued: at v = 0 it holds
 *   (along coordinates of joints, in phx_study_simulate). */
typedef struct phx_friction {
    double kinetic;     /* N or N m, at any normal force */
    double ratio;       /* static over kinetic friction, >= 1 */
    double stribeck;    /* m/s or rad/s; 0: no dip */
    double regularised; /* m/s or rad/s; 0: set-valued, and in a contact none */
} phx_friction;

#ifdef __cplusplus
}
#endif
#endif
