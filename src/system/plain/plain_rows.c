/* The plain evaluator: ports and rows. */
#include "plain.h"

#include <string.h>

/* Place, section angles and rates of a port over the interval of ws->view. One on the ground only receives the length
 * of the interval. */
void phx_plain_view_port(workspace *ws, phx_port_id id)
{
    const port_slot *port = &ws->system->ports[id];
    phx_port_view *view = &ws->ports.view[id];

    if (port->body == PHX_GROUND) {
        view->h = ws->view.h;
        return;
    }
    const phx_body_view body = phx_sys_body_view(ws, port->body);
    phx_body_port_view(ws->system->bodies[port->body].body, &port->port, &body, view);
}

void phx_plain_view_ports(workspace *ws)
{
    for (int i = 0; i < ws->system->n_ports; i++)
        phx_plain_view_port(ws, i);
}

/* g_k and w_k, the mean of the prescribed rate over an interval (theory 4 (3): G_mean nu_mean = w_mean). */
void phx_plain_row(workspace *ws, int k, double t, double h)
{
    const work_row *row = &ws->rows.row[k];
    double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;

    phx_row_covectors(row->row, &ws->ports.view[row->a], &ws->ports.view[row->b], g, g + PHX_PORT_MAX);
    if (!row->speed)
        ws->rows.w[k] = row->rate;
    else
        ws->rows.w[k] = h == 0.0 ? phx_signal_value(row->speed, t) : phx_signal_mean(row->speed, t, t + h);
}

void phx_plain_rows(workspace *ws, double t, double h)
{
    for (int k = 0; k < ws->rows.n; k++)
        phx_plain_row(ws, k, t, h);
}

/* res -= P^T e of a port */
void phx_plain_apply_port(const workspace *ws, phx_port_id id, double *res)
{
    const port_slot *port = &ws->system->ports[id];

    if (port->body == PHX_GROUND)
        return;
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    phx_body_port_apply(ws->system->bodies[port->body].body, &port->port, &view, -1.0,
                        ws->ports.effort + (size_t)id * PHX_PORT_MAX, res + ws->system->bodies[port->body].v);
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
        phx_plain_apply_port(ws, i, res);
}

void phx_plain_row_residuals(workspace *ws, double t, const double *x, const double *v, double *e)
{
    phx_sys_set_instant(ws, x, v);
    phx_plain_rows(ws, t, 0.0);
    for (int k = 0; k < ws->rows.n; k++)
        e[k] = phx_system_row_rate(&ws->base, k) - ws->rows.w[k];
}
