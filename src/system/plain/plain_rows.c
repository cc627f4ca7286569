/* The plain evaluator: ports and rows. */
#include "plain.h"

#include <string.h>

/* Places, section angles and rates of all ports over the interval of ws->view. Ports on the ground only receive the
 * length of the interval. */
void phx_plain_view_ports(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        phx_port_view *view = &ws->ports.view[i];
        if (port->body == PHX_GROUND) {
            view->h = ws->view.h;
            continue;
        }
        const phx_body_view body = phx_sys_body_view(ws, port->body);
        phx_body_port_view(system->bodies[port->body].body, &port->port, &body, view);
    }
}

/* g_k and w_k, the mean of the prescribed rate over an interval (theory 4 (3): G_mean nu_mean = w_mean). */
void phx_plain_rows(workspace *ws, double t, double h)
{
    for (int k = 0; k < ws->rows.n; k++) {
        const work_row *row = &ws->rows.row[k];
        double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;
        phx_row_covectors(row->row, &ws->ports.view[row->a], &ws->ports.view[row->b], g, g + PHX_PORT_MAX);
        if (!row->speed)
            ws->rows.w[k] = row->rate;
        else
            ws->rows.w[k] = h == 0.0 ? phx_signal_value(row->speed, t) : phx_signal_mean(row->speed, t, t + h);
    }
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
    for (int i = 0; i < system->n_ports; i++) { /* res -= P^T e */
        const port_slot *port = &system->ports[i];
        if (port->body == PHX_GROUND)
            continue;
        const phx_body_view view = phx_sys_body_view(ws, port->body);
        phx_body_port_apply(system->bodies[port->body].body, &port->port, &view, -1.0,
                            ws->ports.effort + (size_t)i * PHX_PORT_MAX, res + system->bodies[port->body].v);
    }
}

void phx_plain_row_residuals(workspace *ws, double t, const double *x, const double *v, double *e)
{
    phx_sys_set_instant(ws, x, v);
    phx_plain_rows(ws, t, 0.0);
    for (int k = 0; k < ws->rows.n; k++)
        e[k] = phx_system_row_rate(&ws->base, k) - ws->rows.w[k];
}
