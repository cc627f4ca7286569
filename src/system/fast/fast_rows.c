/* The fast evaluator: ports and rows that are in no batch of joints, and what becomes of their efforts. */
#include "fast.h"

#include <string.h>

/* The view of one port at the instant, or at the end of the interval where its start has been viewed. */
static void view_port(workspace *ws, phx_port_id id)
{
    const port_slot *port = &ws->system->ports[id];
    phx_port_view *view = &ws->ports.view[id];

    if (port->body == PHX_GROUND) {
        view->h = ws->view.h;
        return;
    }
    const phx_body *body = ws->system->bodies[port->body].body;
    const phx_body_view of_body = phx_sys_body_view(ws, port->body);
    if (ws->fast->ports.start_viewed)
        phx_body_port_view_end(body, &port->port, &of_body, view);
    else
        phx_body_port_view(body, &port->port, &of_body, view);
}

static phx_status view_ports(void *user, phx_context *context, int part, int first, int end)
{
    (void)context, (void)part;
    for (int i = first; i < end; i++)
        view_port(user, i);
    return PHX_OK;
}

static phx_status view_rows(void *user, phx_context *context, int part, int first, int end)
{
    workspace *ws = user;

    (void)context, (void)part;
    for (int i = first; i < end; i++)
        view_port(ws, ws->fast->unbatched.ports[i]);
    return PHX_OK;
}

void phx_fast_view_rows(workspace *ws)
{
    phx_sys_run(ws, ws->fast->unbatched.n_ports, view_rows, ws);
}

/* Signals may be anything: they are evaluated on the calling thread; in an interval once. */
static void set_signals(workspace *ws, double t, double h)
{
    if (ws->fast->signals_set && h != 0.0)
        return;
    ws->fast->signals_set = h != 0.0 && ws->system->control.n == 0;
    for (int i = 0; i < ws->rows.n_driven; i++) {
        const int k = ws->rows.driven[i];
        const phx_signal *speed = ws->rows.row[k].speed;
        ws->rows.w[k] = h == 0.0 ? phx_signal_value(speed, t) : phx_signal_mean(speed, t, t + h);
    }
}

static void set_row(workspace *ws, int k)
{
    const work_row *row = &ws->rows.row[k];
    double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;

    if (row->unit < 0)
        phx_row_covectors(row->row, &ws->ports.view[row->a], &ws->ports.view[row->b], g, g + PHX_PORT_MAX);
    if (!row->speed)
        ws->rows.w[k] = row->rate;
}

static void set_group(workspace *ws, const row_group *group)
{
    for (int k = group->first + group->points; k < group->end; k++)
        set_row(ws, k);
}

static phx_status set_rows(void *user, phx_context *context, int part, int first, int end)
{
    workspace *ws = user;

    (void)context, (void)part;
    for (int i = first; i < end; i++)
        set_group(ws, &ws->fast->rows.group[i]);
    return PHX_OK;
}

void phx_fast_rows(workspace *ws, double t, double h)
{
    set_signals(ws, t, h);
    phx_sys_run(ws, ws->fast->rows.n, set_rows, ws);
}

/* g . zeta; of a POINT row the rates of the places alone. */
static inline double row_rate(const int dim, const workspace *ws, int k)
{
    const work_row *row = &ws->rows.row[k];
    const int size = phx_port_size(dim);

    const double *a = ws->ports.view[row->a].rate, *b = ws->ports.view[row->b].rate;
    if (row->unit >= 0)
        return b[row->unit] - a[row->unit];
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;
    const double turning = phx_dot(size - dim, g + dim, a + dim) + phx_dot(size - dim, g + PHX_PORT_MAX + dim, b + dim);
    return row->angular_only ? turning : turning + (phx_dot(dim, g, a) + phx_dot(dim, g + PHX_PORT_MAX, b));
}

typedef struct rates_loop {
    workspace *ws;
    double *e;
} rates_loop;

static phx_status rates_of_groups(void *user, phx_context *context, int part, int first, int end)
{
    const rates_loop *loop = user;
    workspace *ws = loop->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const row_group *group = &ws->fast->rows.group[ws->fast->unbatched.groups[i]];
        set_group(ws, group);
        for (int k = group->first; k < group->end; k++)
            loop->e[k] = (ws->system->dim == 2 ? row_rate(2, ws, k) : row_rate(3, ws, k)) - ws->rows.w[k];
    }
    return PHX_OK;
}

void phx_fast_row_residuals(workspace *ws, double t, const double *x, const double *v, double *e)
{
    rates_loop loop = {ws, e};

    phx_sys_point_at(ws, x, v);
    ws->fast->ports.start_viewed = ws->fast->ports.end_viewed = false;
    phx_fast_view_rows(ws);
    set_signals(ws, t, 0.0);
    phx_sys_run(ws, ws->fast->unbatched.n_groups, rates_of_groups, &loop);
    phx_sys_joint_batches_rates(ws, e);
}

/* `sides`: LATE_PORT of those that it is applied to. */
enum { ON_A = LATE_PORT, ON_B = LATE_PORT << 1 };

/* Adds lambda g to the efforts of the selected sides of row k; rows along one component (unit) need no covector. */
static inline void apply_multiplier(const int dim, workspace *ws, int k, int sides, double lambda)
{
    const work_row *row = &ws->rows.row[k];

    for (int side = 0; side < 2; side++) {
        const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE + side * PHX_PORT_MAX;
        double *effort = ws->ports.effort + (size_t)(side ? row->b : row->a) * PHX_PORT_MAX;
        if (!(sides & (side ? ON_B : ON_A)))
            continue;
        if (row->unit >= 0) {
            effort[row->unit] += side ? lambda : -lambda;
            continue;
        }
        for (int i = 0; i < dim && !row->angular_only; i++)
            effort[i] += lambda * g[i];
        for (int i = dim; i < phx_port_size(dim); i++)
            effort[i] += lambda * g[i];
    }
}

typedef struct residual_loop {
    workspace *ws;
    const double *lambda;
    double *res;
} residual_loop;

/* Row rates less prescribed rates of unbatched groups into res, and the efforts of their multipliers on the ports that
 * this part owns. */
static inline void rows_residual(const int dim, workspace *ws, int first, int last, const double *lambda, double *res)
{
    for (int i = first; i < last; i++) {
        const int g = ws->fast->unbatched.groups[i], sides = (ON_A | ON_B) & ~ws->fast->threads.group[g];
        const row_group *group = &ws->fast->rows.group[g];
        const double *rate_a = ws->ports.view[group->a].rate, *rate_b = ws->ports.view[group->b].rate;
        double *a = ws->ports.effort + (size_t)group->a * PHX_PORT_MAX,
               *b = ws->ports.effort + (size_t)group->b * PHX_PORT_MAX;
        for (int k = group->first, p = 0; p < group->points; p++, k++) {
            res[k] = rate_b[p] - rate_a[p];
            if (sides & ON_A)
                a[p] -= lambda[k];
            if (sides & ON_B)
                b[p] += lambda[k];
        }
        for (int k = group->first + group->points; k < group->end; k++) {
            set_row(ws, k);
            res[k] = row_rate(dim, ws, k) - ws->rows.w[k];
            apply_multiplier(dim, ws, k, sides, lambda[k]);
        }
    }
}

static phx_status residual_of_groups(void *user, phx_context *context, int part, int first, int end)
{
    const residual_loop *loop = user;

    (void)context, (void)part;
    if (loop->ws->system->dim == 2)
        rows_residual(2, loop->ws, first, end, loop->lambda, loop->res);
    else
        rows_residual(3, loop->ws, first, end, loop->lambda, loop->res);
    return PHX_OK;
}

static void apply_effort(const workspace *ws, int i, double *res)
{
    const phx_system *system = ws->system;
    const port_slot *port = &system->ports[i];

    if (port->body == PHX_GROUND)
        return;
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    phx_body_port_apply(system->bodies[port->body].body, &port->port, &view, -1.0,
                        ws->ports.effort + (size_t)i * PHX_PORT_MAX, res + system->bodies[port->body].v);
}

static phx_status apply_to_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const residual_loop *loop = user;
    const workspace *ws = loop->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++)
        if (!ws->fast->threads.port[ws->fast->unbatched.ports[i]])
            apply_effort(ws, ws->fast->unbatched.ports[i], loop->res);
    return PHX_OK;
}

/* Row part of the residual and the multipliers' efforts on all bodies, with the terms of other threads added in a fixed
 * order. */
void phx_fast_rows_residual(workspace *ws, double t, double h, const double *lambda, double *res)
{
    residual_loop loop = {ws, lambda, res + ws->system->n_v};

    set_signals(ws, t, h);
    phx_sys_run(ws, ws->fast->unbatched.n_groups, residual_of_groups, &loop);
    for (int i = 0; i < ws->fast->threads.n_groups; i++) {
        const int g = ws->fast->threads.groups[i];
        for (int k = ws->fast->rows.group[g].first; k < ws->fast->rows.group[g].end; k++)
            apply_multiplier(ws->system->dim, ws, k, ws->fast->threads.group[g], lambda[k]);
    }
    phx_sys_joint_batches_residual(ws, lambda, res);
    loop.res = res;
    phx_sys_run(ws, ws->fast->unbatched.n_ports, apply_to_bodies, &loop);
    for (int i = 0; i < ws->fast->threads.n_ports; i++)
        apply_effort(ws, ws->fast->threads.ports[i], res);
}

void phx_fast_view_ports(workspace *ws)
{
    ws->fast->ports.start_viewed = ws->fast->ports.end_viewed = false;
    phx_sys_run(ws, ws->system->n_ports, view_ports, ws);
}

/* Over an interval joints in batches make no use of them. */
void phx_fast_clear_efforts(workspace *ws)
{
    for (int i = 0; i < ws->fast->unbatched.n_ports && ws->view.h != 0.0; i++)
        memset(ws->ports.effort + (size_t)ws->fast->unbatched.ports[i] * PHX_PORT_MAX, 0,
               PHX_PORT_MAX * sizeof *ws->ports.effort);
    if (ws->view.h == 0.0)
        phx_sys_clear(ws, (size_t)ws->system->n_ports * PHX_PORT_MAX, ws->ports.effort);
}

void phx_fast_viewed_end(workspace *ws, const double *x1)
{
    ws->fast->ports.end_viewed = memcmp(x1, ws->step.x1, (size_t)ws->system->n_x * sizeof *x1) == 0;
}
