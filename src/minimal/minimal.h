/* Layer minimal: minimal coordinates, the mechanism as an ordinary differential equation (minimal.c).
 *
 * y: coordinates that determine the configuration, those of drives first, then as many as rows hold of the slip of
 * contacts that stick; u: the rates of the others, u_k = y_dot of number first_rate + k. States of controllers are none
 * of both. */
#ifndef PHX_MINIMAL_MINIMAL_H
#define PHX_MINIMAL_MINIMAL_H

#include "system/system.h"

typedef struct phx_minimal phx_minimal;
/* Of a finalised system, borrowed, with the rows that it has; phx_minimal_choose comes next. */
phx_status phx_minimal_create(phx_context *context, phx_system *system, phx_minimal **minimal);
void phx_minimal_destroy(phx_minimal *minimal); /* NULL is allowed */
/* Choose y and u at a configuration that lies on the joints. PHX_SINGULAR where the joints' rows depend on each other.
 */
phx_status phx_minimal_choose(phx_minimal *minimal, double t, const double *x);
int phx_minimal_coordinates(const phx_minimal *minimal);
int phx_minimal_rates(const phx_minimal *minimal);
int phx_minimal_first_rate(const phx_minimal *minimal);
void phx_minimal_read(phx_minimal *minimal, double t, const double *x, const double *v, double *y, double *u);
/* x: a configuration nearby, replaced, whose states of controllers stay. PHX_NOT_CONVERGED or PHX_SINGULAR where there
 * is none. */
phx_status phx_minimal_solve(phx_minimal *minimal, double t, const double *y, const double *u, double *x, double *v);
/* The velocities of the rates u at a configuration x that was solved for. */
phx_status phx_minimal_rates_at(phx_minimal *minimal, double t, const double *u, const double *x, double *v);
/* The rates of drives at t do not agree with the velocities v: since these were found the rates have jumped. */
bool phx_minimal_jumps(const phx_minimal *minimal, double t, const double *x, const double *v);
/* At a state that was solved for; lambda (n_l) are the multipliers there. */
phx_status phx_minimal_derivatives(phx_minimal *minimal, double t, const double *x, const double *v, double *y_dot,
                                   double *u_dot, double *lambda);
/* Derivatives of the states of continuous controllers, z_dot (phx_system_controller_states), zero for sampled ones;
 * then the powers. After phx_minimal_derivatives. */
phx_status phx_minimal_flow(phx_minimal *minimal, double t, const double *x, const double *v, const double *lambda,
                            double *z_dot, double *supplied, double *dissipated);
/* PHX_ERR_ANALYSIS: a point that slides along a body has left it. */
phx_status phx_minimal_check_places(phx_minimal *minimal, double t, const double *x, const double *v);
/* The samples that are due at t, into x. */
phx_status phx_minimal_take_samples(phx_minimal *minimal, double t, double *x, const double *v);
/* Positive while the choice is good; negative where another one must be made. */
enum { PHX_MINIMAL_INDICATORS = 2 };
phx_status phx_minimal_indicators(phx_minimal *minimal, double t, const double *x,
                                  double indicators[PHX_MINIMAL_INDICATORS]);
/* Typical size of the minimal coordinate y_k, or of its rate, for scaling. */
double phx_minimal_nominal(const phx_minimal *minimal, int k, bool rate);
void phx_minimal_describe(const phx_minimal *minimal, int k, size_t size, char *text);
/* The chosen coordinates and the state of the evaluation. */
void phx_minimal_archive(phx_archive *archive, phx_minimal *minimal);

#endif
