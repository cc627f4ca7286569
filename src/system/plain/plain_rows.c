/* The plain evaluator: ports and rows. */
#include "plain.h"

#include <string.h>

void phx_plain_view_ports(workspace *ws)
{
    for (int i = 0; i < ws->system->n_ports; i++)
        phx_sys_view_own_port(ws, i);
}

void phx_plain_rows(workspace *ws, double t, double h)
{
    for (int k = 0; k < ws->rows.n; k++)
        phx_sys_evaluate_row(ws, k, t, h);
}

/* Writes G_mean nu_mean - w_mean, theory 4 (3), to the row part of res and subtracts the efforts G^T lambda of the
 * multipliers from the body part. */
void phx_plain_rows_residual(workspace *ws, double t, double h, const double *lambda, double *res)
{
    const phx_system *system = ws->system;

    phx_plain_rows(ws, t, h);
    for (int k = 0; k < ws->rows.n; k++)
        res[system->n_v + k] = phx_system_row_rate(&ws->base, k) - ws->rows.w[k];
    phx_sys_apply_multipliers(ws, lambda);
    for (int i = 0; i < system->n_ports; i++)
        phx_sys_apply_port(ws, i, res);
}

void phx_plain_row_residuals(workspace *ws, double t, const double *x, const double *v, double *e)
{
    phx_sys_set_instant(ws, x, v);
    phx_plain_rows(ws, t, 0.0);
    for (int k = 0; k < ws->rows.n; k++)
        e[k] = phx_system_row_rate(&ws->base, k) - ws->rows.w[k];
}
