/* Evaluation of bodies, rows and forces at an instant or over an interval. */
#include "system/forces/forces.h"

#include <math.h>
#include <string.h>

void phx_sys_ground_view(const phx_system *system, const port_slot *port, phx_port_view *view)
{
    const int dim = system->dim;

    memset(view, 0, sizeof *view);
    view->dim = dim;
    view->straight = view->fixed = true;
    for (int a = 0; a < dim; a++) {
        view->u0[a] = view->u1[a] = view->um[a] = port->port.point.x[a];
        view->R0[a * dim + a] = view->R1[a * dim + a] = view->Rm[a * dim + a] = 1.0;
    }
}

void phx_sys_view_port(const phx_system *system, phx_port_id id, const double *x, const double *v, phx_port_view *view)
{
    const port_slot *port = &system->ports[id];

    memset(view, 0, sizeof *view);
    if (port->body == PHX_GROUND) {
        phx_sys_ground_view(system, port, view);
        return;
    }
    const body_slot *slot = &system->bodies[port->body];
    const double *xb = x + slot->x, *vb = v + slot->v;
    const phx_body_view body = {.h = 0.0, .x0 = xb, .x1 = xb, .xm = xb, .v0 = vb, .v1 = vb, .vm = vb};
    phx_body_port_view(slot->body, &port->port, &body, view);
}

void phx_sys_point_at(workspace *ws, const double *x, const double *v)
{
    ws->view = (phx_body_view){.h = 0.0, .x0 = x, .x1 = x, .xm = x, .v0 = v, .v1 = v, .vm = v};
    ws->angles.x0 = ws->angles.x1 = x;
}

void phx_sys_set_instant(workspace *ws, const double *x, const double *v)
{
    phx_sys_point_at(ws, x, v);
    ws->by->view_ports(ws);
}

/* Place, section angles and rates of a port over the interval of ws->view. One on the ground only receives the length
 * of the interval. */
void phx_sys_view_own_port(workspace *ws, phx_port_id id)
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

/* g_k and w_k, the mean of the prescribed rate over an interval (theory 4 (3): G_mean nu_mean = w_mean). */
void phx_sys_evaluate_row(workspace *ws, int k, double t, double h)
{
    const work_row *row = &ws->rows.row[k];
    double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;

    phx_row_covectors(row->row, &ws->ports.view[row->a], &ws->ports.view[row->b], g, g + PHX_PORT_MAX);
    if (!row->speed)
        ws->rows.w[k] = row->rate;
    else
        ws->rows.w[k] = h == 0.0 ? phx_signal_value(row->speed, t) : phx_signal_mean(row->speed, t, t + h);
}

/* res -= P^T e of a port */
void phx_sys_apply_port(const workspace *ws, phx_port_id id, double *res)
{
    const port_slot *port = &ws->system->ports[id];

    if (port->body == PHX_GROUND)
        return;
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    phx_body_port_apply(ws->system->bodies[port->body].body, &port->port, &view, -1.0,
                        ws->ports.effort + (size_t)id * PHX_PORT_MAX, res + ws->system->bodies[port->body].v);
}

/* G_k nu = g_a . zeta_a + g_b . zeta_b, theory 3 (5) */
double phx_system_row_rate(const phx_dae *dae, int k)
{
    const workspace *ws = (const workspace *)dae;
    const work_row *row = &ws->rows.row[k];
    const int size = phx_port_size(ws->system->dim);
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;

    return phx_dot(size, g, ws->ports.view[row->a].rate) + phx_dot(size, g + PHX_PORT_MAX, ws->ports.view[row->b].rate);
}

double phx_system_row_scale(const phx_dae *dae, int k)
{
    const workspace *ws = (const workspace *)dae;
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;
    const double *ra = ws->ports.view[ws->rows.row[k].a].rate, *rb = ws->ports.view[ws->rows.row[k].b].rate;
    double scale = ws->rows.w[k] < 0.0 ? -ws->rows.w[k] : ws->rows.w[k];

    for (int i = 0; i < phx_port_size(ws->system->dim); i++) {
        const double a = g[i] * ra[i], b = g[PHX_PORT_MAX + i] * rb[i];
        scale += (a < 0.0 ? -a : a) + (b < 0.0 ? -b : b);
    }
    return scale;
}

double phx_sys_coordinate_value(const workspace *ws, int j, int c, int end)
{
    const joint_slot *joint = &ws->system->joints[j];
    const coordinate_slot *coordinate = &joint->coordinates[c];
    const double near = coordinate->angle < 0 ? 0.0 : (end ? ws->angles.x1 : ws->angles.x0)[coordinate->angle];

    return phx_row_unwrapped(&coordinate->row, &ws->ports.view[coordinate->a], &ws->ports.view[coordinate->b], end,
                             near);
}

/* sum_i g_i P_ij over the columns of a port: places, then the rotations of the frame, then those of the section. */
void phx_sys_pull(const workspace *ws, phx_port_id id, const double *covector, double *row)
{
    const phx_system *system = ws->system;
    const int dim = system->dim, n_rot = system->n_rot, r = dim + n_rot, n = ws->ports.count[id];
    const port_slot *port = &system->ports[id];
    double *place = ws->ports.map;

    if (n == 0)
        return;
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    if (phx_body_port_is_wide(&port->port)) {
        phx_body_port_jacobian(system->bodies[port->body].body, &port->port, &view, NULL, place);
        for (int j = 0; j < n; j++) {
            row[j] = 0.0;
            for (int i = 0; i < phx_port_size(dim); i++)
                row[j] += covector[i] * place[i * n + j];
        }
        return;
    }
    phx_body_port_place_jacobian(system->bodies[port->body].body, &port->port, &view, place);
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int a = 0; a < dim; a++)
            sum += covector[a] * place[a * n + j];
        row[j] = sum;
    }
    for (int k = 0; k < n_rot; k++)
        row[dim + k] += covector[dim + k];
    for (int j = 0; j < n - r; j++)
        for (int k = 0; k < n_rot; k++)
            row[r + j] += covector[r + k] * port->port.point.theta[k * (n - r) + j];
}

/* g_dot . zeta + g . (P nu)_dot at fixed nu: the ports' variations are their rates. */
double phx_system_row_bias(phx_dae *dae, const phx_row *row, const phx_port_id ids[2], const double *covectors)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    const phx_port_view *views[2] = {&ws->ports.view[ids[0]], &ws->ports.view[ids[1]]};
    const int dim = system->dim, size = phx_port_size(dim);
    double *H = ws->scratch.block, *tangent = ws->scratch.block + 4 * PAIR_SIZE * PAIR_SIZE, sum = 0.0;

    if (phx_row_tangent(row, views[0], views[1], H))
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < size; i++)
                for (int r = 0; r < 2; r++)
                    for (int m = 0; m < size; m++)
                        sum += views[s]->rate[i] * H[(s * PHX_PORT_MAX + i) * PAIR_SIZE + r * PHX_PORT_MAX + m] *
                               views[r]->rate[m];
    for (int side = 0; side < 2; side++) {
        const port_slot *port = &system->ports[ids[side]];
        const int count = ws->ports.count[ids[side]];
        const double *g = covectors + side * PHX_PORT_MAX;
        if (port->body == PHX_GROUND)
            continue;
        const phx_body_view view = phx_sys_body_view(ws, port->body);
        const int *cols = ws->ports.cols + ws->ports.first[ids[side]];
        if (port->port.slides) {
            phx_body_port_slide_tangents(system->bodies[port->body].body, &port->port, &view, 0, NULL, NULL,
                                         &(phx_slide_derivatives){.T = tangent});
            for (int m = 0; m < size; m++)
                for (int j = 0; j < count; j++)
                    sum += g[m] * tangent[m * count + j] * ws->view.vm[cols[j]];
            continue;
        }
        const phx_port_tangents out = {.rate = tangent};
        phx_body_port_tangents(system->bodies[port->body].body, &port->port, &view, NULL, &out);
        const int own = port->port.wheel ? count - 1 : count;
        for (int m = 0; m < dim; m++)
            for (int j = dim; j < own && !(port->port.wheel && m == port->port.wheel_entry); j++)
                sum += g[m] * tangent[m * (own - dim) + j - dim] * ws->view.vm[cols[j]];
    }
    return sum;
}

double phx_sys_row_acceleration(workspace *ws, int k)
{
    const row_slot *slot = &ws->system->rows.slot[ws->rows.index[k]];

    return phx_system_row_bias(&ws->base, slot->row, (phx_port_id[2]){slot->a, slot->b},
                               ws->rows.covector + (size_t)k * PAIR_SIZE);
}

/* ---- forces ---- */
phx_status phx_sys_forces(workspace *ws, double t, bool linear, double *res)
{
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    ws->by->clear_efforts(ws);
    ws->forces.power = (phx_work){0.0, 0.0};
    if (!linear)
        memset(ws->forces.flow, 0, (size_t)system->ledger.n * sizeof *ws->forces.flow);
    for (int i = 0; i < system->n_forces && !status; i++) {
        const force_slot *force = &system->forces[i];
        const int pair = system->n_joints + i;
        const phx_work before = ws->forces.power;
        status = phx_sys_force_of(force)->evaluate(ws, pair, force, t, linear, res);
        if (!linear && force->entry[0] >= 0)
            ws->forces.flow[force->entry[0]] += ws->forces.power.supplied - before.supplied;
        if (!linear && force->entry[1] >= 0)
            ws->forces.flow[force->entry[1]] += ws->forces.power.dissipated - before.dissipated;
    }
    if (!status && system->control.n > 0)
        status = phx_sys_controllers(ws, t, linear);
    for (int b = 0; b < system->n_bodies && !system->traits.lossless; b++) {
        const phx_body_view view = phx_sys_body_view(ws, b);
        const double taken = phx_body_interval_dissipation(system->bodies[b].body, &view);
        ws->forces.power.dissipated += taken;
        if (!linear && system->bodies[b].entry >= 0)
            ws->forces.flow[system->bodies[b].entry] += taken;
    }
    return status;
}

/* e += sum_k lambda_k g_k, theory 3 (5) */
void phx_sys_apply_multiplier(workspace *ws, int k, double lambda)
{
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;

    phx_sys_add_effort(ws, ws->rows.row[k].a, lambda, g);
    phx_sys_add_effort(ws, ws->rows.row[k].b, lambda, g + PHX_PORT_MAX);
}

void phx_sys_apply_multipliers(workspace *ws, const double *lambda)
{
    for (int k = 0; k < ws->rows.n; k++)
        phx_sys_apply_multiplier(ws, k, lambda[k]);
}
