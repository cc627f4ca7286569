/* Private to layer system: the plain evaluator. One body, one port, one joint and one load at a time, in the order in
 * which the theory names them; matrices are dense over the columns of a joint's two ports. It does everything Phlexor
 * can do and is what every faster evaluation is compared with.
 *
 * Its vectors and matrices:
 *   zeta = P nu         rate of a port from the velocities of its body (u_dot; w; theta_dot)
 *   g_k                 covector of row k on the rates of its two ports, so that G_k = g_k^T P
 *   res = [ p_dot - forces - P^T e ; G nu - w ],   e = sum_k lambda_k g_k + efforts of loads, springs and actuators
 *   xi                  variation of the configuration: over an interval h/2 times that of the mean velocity */
#ifndef PHX_SYSTEM_PLAIN_H
#define PHX_SYSTEM_PLAIN_H

#include "system/system_internal.h"

/* ---- plain_rows.c: ports and rows ---- */
/* Every port at the instant or over the current interval. */
void phx_plain_view_ports(workspace *ws);
/* Covectors of all rows, and their prescribed rates at t, or the means over [t, t + h]. */
void phx_plain_rows(workspace *ws, double t, double h);
/* After phx_sys_forces: rows and multipliers into res (n_v + n_l). */
void phx_plain_rows_residual(workspace *ws, double t, double h, const double *lambda, double *res);
/* Residuals G v - w of all rows at an instant. */
void phx_plain_row_residuals(workspace *ws, double t, const double *x, const double *v, double *e);

/* ---- plain_bodies.c: bodies ---- */
void phx_plain_interval_begin(workspace *ws);
/* End and mean of the interval at the end velocity v1, and (res not NULL) the bodies' rows of the residual. */
void phx_plain_move(workspace *ws, const double *v1, double *res);
/* The whole residual at the end velocity v1, or (res NULL) the end of the interval and the powers of forces alone. */
phx_status phx_plain_interval_residual(workspace *ws, const double *v1, const double *lambda, double *res);
void phx_plain_kinetic_energies(const workspace *ws, const double *x, const double *v);
void phx_plain_component_energies(workspace *ws, const component_slot *component, const double *x, const double *v);
/* Derivatives of the bodies' rows over the interval into ws->values.val. */
void phx_plain_linearise_bodies(workspace *ws);

/* ---- plain_couplings.c: what joints, loads and ports add to the derivatives ---- */
void phx_plain_add_couplings(workspace *ws, const double *lambda);
void phx_plain_put_rows(workspace *ws, double *val);
void phx_plain_pair_add(workspace *ws, int pair, double alpha, const double *block);
void phx_plain_pair_rate_add(workspace *ws, int pair, double alpha, const double *block);
void phx_plain_body_add(workspace *ws, int b, int row, int dof, double value);

/* ---- plain_linearise.c: matrices ---- */
phx_status phx_plain_interval_linearise(workspace *ws);
phx_status phx_plain_solve(workspace *ws, int slot, double *b);
phx_status phx_plain_solve_mass(workspace *ws, double *b);
phx_status phx_plain_factor_rows(workspace *ws, const double *x, const double *v, bool *energies);
phx_status phx_plain_solve_rows(workspace *ws, double alpha, const double *r, double *b);
phx_status phx_plain_create_lu(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu);

#endif
