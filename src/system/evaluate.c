/* Evaluation of bodies, rows and forces at an instant or over an interval. */
#include "plain.h"

#include <math.h>
#include <string.h>

void phx_sys_ground_view(const phx_system *system, const port_slot *port, phx_port_view *view)
{
    const int dim = system->dim;

    memset(view, 0, sizeof *view);
    view->dim = dim;
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

/* What the need says of a port whose start has been viewed or not. */
static void view_port(workspace *ws, phx_port_id id, port_need need)
{
    const port_slot *port = &ws->system->ports[id];
    phx_port_view *view = &ws->port_views[id];
    double *rate = ws->place_rate + id * ws->system->dim;

    if (port->body == PHX_GROUND) {
        view->h = ws->h;
        return;
    }
    const phx_body *body = ws->system->bodies[port->body].body;
    const phx_body_view of_body = phx_sys_body_view(ws, port->body);
    if (need == NEED_PLACE_RATE) {
        phx_body_port_place_rate(body, &port->port, &of_body, rate);
        return;
    }
    if (need == NEED_FRAMES)
        phx_body_port_view_frames(body, &port->port, &of_body, view);
    else if (ws->start_viewed)
        phx_body_port_view_end(body, &port->port, &of_body, view);
    else
        phx_body_port_view(body, &port->port, &of_body, view);
    for (int a = 0; a < ws->system->dim; a++)
        rate[a] = view->rate[a];
}

static phx_status view_ports(void *user, phx_context *context, int part, int first, int end)
{
    (void)context, (void)part;
    for (int i = first; i < end; i++)
        view_port(user, i, NEED_VIEW);
    return PHX_OK;
}

static phx_status view_rows(void *user, phx_context *context, int part, int first, int end)
{
    workspace *ws = user;

    (void)context, (void)part;
    for (int i = first; i < end; i++)
        view_port(ws, ws->loose_ports[i], ws->need[ws->loose_ports[i]]);
    return PHX_OK;
}

void phx_sys_view_rows(workspace *ws)
{
    phx_sys_run(ws, ws->n_loose_ports, view_rows, ws);
}

/* Point every body at an instant. */
static void set_bodies(workspace *ws, const double *x, const double *v)
{
    ws->h = 0.0;
    ws->view = (phx_body_view){.h = 0.0, .x0 = x, .x1 = x, .xm = x, .v0 = v, .v1 = v, .vm = v};
    ws->start_viewed = ws->end_viewed = false;
    ws->turn0 = ws->turn1 = x;
}

void phx_sys_set_instant(workspace *ws, const double *x, const double *v)
{
    set_bodies(ws, x, v);
    if (ws->plain)
        phx_plain_view_ports(ws);
    else
        phx_sys_run(ws, ws->system->n_ports, view_ports, ws);
}

/* Signals may be anything: they are evaluated on the calling thread. */
static void set_signals(workspace *ws, double t, double h)
{
    for (int i = 0; i < ws->n_driven; i++) {
        const int k = ws->driven[i];
        const phx_signal *speed = ws->rows[k].speed;
        ws->w[k] = h == 0.0 ? phx_signal_value(speed, t) : phx_signal_mean(speed, t, t + h);
    }
}

static void set_row(workspace *ws, int k)
{
    const work_row *it = &ws->rows[k];
    double *g = ws->covector + (size_t)k * PAIR_SIZE;

    if (it->unit < 0)
        phx_row_covectors(&it->row, &ws->port_views[it->a], &ws->port_views[it->b], g, g + PHX_PORT_MAX);
    if (!it->speed)
        ws->w[k] = it->rate;
}

/* The DOT rows of a rigid group; what they do at theta_dot does not matter, and no motion is prescribed. */
static void set_rigid_rows(workspace *ws, const row_group *group)
{
    const phx_row *rows[PHX_JOINT_MAX_ROWS];
    const int first = group->first + group->points, count = group->end - first;

    if (count == 0)
        return;
    for (int k = 0; k < count; k++)
        rows[k] = &ws->rows[first + k].row;
    phx_rows_covectors(count, rows, &ws->port_views[group->a], &ws->port_views[group->b],
                       ws->covector + (size_t)first * PAIR_SIZE);
}

static void set_group(workspace *ws, const row_group *group)
{
    if (group->rigid)
        set_rigid_rows(ws, group);
    for (int k = group->first + group->points; k < group->end && !group->rigid; k++)
        set_row(ws, k);
}

static phx_status set_rows(void *user, phx_context *context, int part, int first, int end)
{
    workspace *ws = user;

    (void)context, (void)part;
    for (int i = first; i < end; i++)
        set_group(ws, &ws->groups[i]);
    return PHX_OK;
}

void phx_sys_rows(workspace *ws, double t, double h)
{
    if (ws->plain) {
        phx_plain_rows(ws, t, h);
        return;
    }
    set_signals(ws, t, h);
    phx_sys_run(ws, ws->n_groups, set_rows, ws);
}

double phx_sys_row_rate(const workspace *ws, int k)
{
    const work_row *row = &ws->rows[k];
    const int dim = ws->system->dim, size = phx_port_size(dim), first = row->turns ? dim : 0;

    if (row->unit >= 0 && !ws->plain)
        return ws->place_rate[row->b * dim + row->unit] - ws->place_rate[row->a * dim + row->unit];
    const double *a = ws->port_views[row->a].rate, *b = ws->port_views[row->b].rate;
    const double *g = ws->covector + (size_t)k * PAIR_SIZE;
    return phx_sys_dot(size - first, g + first, a + first) +
           phx_sys_dot(size - first, g + PHX_PORT_MAX + first, b + first);
}

typedef struct rates_loop {
    workspace *ws;
    double *e;
} rates_loop;

static phx_status rates_of_groups(void *user, phx_context *context, int part, int first, int end)
{
    const rates_loop *it = user;
    workspace *ws = it->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const row_group *group = &ws->groups[ws->loose_groups[i]];
        set_group(ws, group);
        for (int k = group->first; k < group->end; k++)
            it->e[k] = phx_sys_row_rate(ws, k) - ws->w[k];
    }
    return PHX_OK;
}

void phx_sys_row_residuals(workspace *ws, double t, const double *x, const double *v, double *e)
{
    rates_loop loop = {ws, e};

    if (ws->plain) {
        phx_plain_row_rates(ws, t, x, v, e);
        return;
    }
    set_bodies(ws, x, v);
    phx_sys_view_rows(ws);
    set_signals(ws, t, 0.0);
    phx_sys_run(ws, ws->n_loose_groups, rates_of_groups, &loop);
    phx_sys_joint_packs_rates(ws, e);
}

double phx_sys_row_scale(const workspace *ws, int k)
{
    const double *g = ws->covector + (size_t)k * PAIR_SIZE;
    const double *ra = ws->port_views[ws->rows[k].a].rate, *rb = ws->port_views[ws->rows[k].b].rate;
    double scale = ws->w[k] < 0.0 ? -ws->w[k] : ws->w[k];

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
    const double near = coordinate->turn < 0 ? 0.0 : (end ? ws->turn1 : ws->turn0)[coordinate->turn];

    return phx_row_unwrapped(&coordinate->row, &ws->port_views[joint->a], &ws->port_views[joint->b], end, near);
}

static void add_effort(workspace *ws, phx_port_id id, double alpha, const double *effort)
{
    if (id < 0)
        return;
    double *total = ws->effort + (size_t)id * PHX_PORT_MAX;
    for (int i = 0; i < phx_port_size(ws->system->dim); i++)
        total[i] += alpha * effort[i];
}

/* ---- forces ---- */
/* Spring, damper and actuator along a coordinate psi: effort f g, f = -k (psi_mean - rest) - c psi' + F(t). */
static phx_status coordinate_force(workspace *ws, int pair, const force_slot *force, double t, bool linear)
{
    const joint_slot *joint = &ws->system->joints[force->joint];
    const coordinate_slot *coordinate = &joint->coordinates[force->coordinate];
    const phx_coordinate_def *def = &coordinate->def;
    const phx_port_view *a = &ws->port_views[joint->a], *b = &ws->port_views[joint->b];
    const int size = phx_port_size(ws->system->dim);
    double g[PAIR_SIZE], rate = 0.0, actuator = phx_signal_value(def->effort, t);
    double mean = 0.5 * (phx_sys_coordinate_value(ws, force->joint, force->coordinate, 0) +
                         phx_sys_coordinate_value(ws, force->joint, force->coordinate, 1));

    if (!isfinite(actuator))
        return phx_fail(ws->base.context, PHX_ERR_ANALYSIS,
                        "joint '%s': the effort is %g at t = %g s, expected a finite value", joint->name, actuator, t);
    phx_row_covectors(&coordinate->row, a, b, g, g + PHX_PORT_MAX);
    rate = phx_sys_dot(size, g, a->rate) + phx_sys_dot(size, g + PHX_PORT_MAX, b->rate);
    const double f = -def->stiffness * (mean - def->rest) - def->damping * rate + actuator;
    add_effort(ws, joint->a, f, g);
    add_effort(ws, joint->b, f, g + PHX_PORT_MAX);
    ws->power.supplied += actuator * rate;
    ws->power.dissipated += def->damping * rate * rate;
    if (!linear)
        return PHX_OK;
    /* At an instant K -= f H - k g g^T - c g (dg . zeta)^T,  D -= -c g g^T. Over an interval psi_mean = psi0 + h/2 g .
     * zeta, so h k/2 adds to c and k itself has no place. */
    const double place = ws->h == 0.0 ? def->stiffness : 0.0;
    const double damping = def->damping + 0.5 * ws->h * def->stiffness;
    double *H = ws->local, *block = H + PAIR_SIZE * PAIR_SIZE, zeta[PAIR_SIZE] = {0}, slope[PAIR_SIZE] = {0};
    memcpy(zeta, a->rate, (size_t)size * sizeof *zeta);
    memcpy(zeta + PHX_PORT_MAX, b->rate, (size_t)size * sizeof *zeta);
    const bool curved = phx_row_tangent(&coordinate->row, a, b, H);
    for (int i = 0; i < PAIR_SIZE; i++)
        for (int m = 0; curved && m < PAIR_SIZE; m++)
            slope[m] += zeta[i] * H[i * PAIR_SIZE + m];
    for (int i = 0; i < PAIR_SIZE; i++)
        for (int m = 0; m < PAIR_SIZE; m++)
            block[i * PAIR_SIZE + m] =
                (curved ? f * H[i * PAIR_SIZE + m] : 0.0) - place * g[i] * g[m] - damping * g[i] * slope[m];
    phx_sys_pair_add(ws, pair, -1.0, block);
    if (damping != 0.0) {
        for (int i = 0; i < PAIR_SIZE; i++)
            for (int m = 0; m < PAIR_SIZE; m++)
                block[i * PAIR_SIZE + m] = -damping * g[i] * g[m];
        phx_sys_pair_rate_add(ws, pair, -1.0, block);
    }
    return PHX_OK;
}

static phx_status port_force(workspace *ws, int pair, const force_slot *force, double t, bool linear)
{
    phx_load_result result = {0};
    const phx_port_view *a = &ws->port_views[force->a];
    phx_status status = force->kind == FORCE_LINE
                            ? phx_line_spring_evaluate(ws->base.context, &force->spring, a, &ws->port_views[force->b],
                                                       t, linear, &result)
                            : phx_port_load_evaluate(ws->base.context, &force->load, a, t, linear, &result);

    if (status)
        return phx_fail_prefix(ws->base.context, status, "'%s': ", force->name);
    add_effort(ws, force->a, 1.0, result.effort);
    add_effort(ws, force->b, 1.0, result.effort + PHX_PORT_MAX);
    ws->power.supplied += result.supplied;
    ws->power.dissipated += result.dissipated;
    if (linear && result.has_tangent)
        phx_sys_pair_add(ws, pair, -1.0, result.tangent);
    if (linear && result.has_rate_tangent)
        phx_sys_pair_rate_add(ws, pair, -1.0, result.rate_tangent);
    return PHX_OK;
}

/* Force per length in body axes: generalised forces int f, int (x + u) x f, int Phi^T f. Its only stiffness is that of
 * the lever arm: torque d(phi dq) x f. */
phx_status phx_sys_distributed_force(workspace *ws, const force_slot *force, double t, bool linear, double *res)
{
    const phx_system *system = ws->system;
    const body_slot *slot = &system->bodies[force->body];
    const phx_body_view view = phx_sys_body_view(ws, force->body);
    const int dim = system->dim, rigid = dim + system->n_rot;
    const double *q = view.xm + dim + phx_attitude_size(dim), *v = view.vm;
    double *out = res + slot->v;

    for (int k = 0; k < force->n_points; k++) {
        const phx_flex_point *point = &force->points[k];
        double f[3] = {0}, y[3] = {0}, velocity[3], torque[3];
        for (int a = 0; a < dim; a++) {
            f[a] = force->weights[k] * phx_signal_value_at(force->signal[a], t, force->fractions[k]);
            y[a] = point->x[a];
            for (int j = 0; j < point->n; j++)
                y[a] += point->phi[a * point->n + j] * q[point->dof[j]];
        }
        for (int a = 0; a < dim; a++)
            if (!isfinite(f[a]))
                return phx_fail(
                    ws->base.context, PHX_ERR_ANALYSIS,
                    "load '%s': component %d is %g at t = %g s and %g of the length, expected a finite value",
                    force->name, a + 1, f[a], t, force->fractions[k]);
        phx_vec_x_vec(dim, y, f, torque);
        phx_rot_x_vec(dim, v + dim, y, velocity);
        for (int a = 0; a < dim; a++) {
            out[a] -= f[a];
            for (int j = 0; j < point->n; j++) {
                out[rigid + point->dof[j]] -= point->phi[a * point->n + j] * f[a];
                velocity[a] += point->phi[a * point->n + j] * v[rigid + point->dof[j]];
            }
            ws->power.supplied += f[a] * (v[a] + velocity[a]);
        }
        for (int r = 0; r < system->n_rot; r++)
            out[dim + r] -= torque[r];
        for (int j = 0; linear && j < point->n; j++) {
            double phi[3];
            for (int a = 0; a < dim; a++)
                phi[a] = point->phi[a * point->n + j];
            phx_vec_x_vec(dim, phi, f, torque);
            for (int r = 0; r < system->n_rot; r++)
                phx_sys_body_add(ws, force->body, dim + r, point->dof[j], -ws->weight_K * torque[r]);
        }
    }
    return PHX_OK;
}

phx_status phx_sys_forces(workspace *ws, double t, bool linear, double *res)
{
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    for (int i = 0; i < ws->n_loose_ports && ws->h != 0.0; i++)
        memset(ws->effort + (size_t)ws->loose_ports[i] * PHX_PORT_MAX, 0, PHX_PORT_MAX * sizeof *ws->effort);
    if (ws->h == 0.0 || ws->plain)
        phx_sys_clear(ws, (size_t)system->n_ports * PHX_PORT_MAX, ws->effort);
    ws->power = (phx_work){0.0, 0.0};
    if (!linear)
        memset(ws->flow, 0, (size_t)system->n_ledger * sizeof *ws->flow);
    for (int i = 0; i < system->n_forces && !status; i++) {
        const force_slot *force = &system->forces[i];
        const int pair = system->n_joints + i;
        const phx_work before = ws->power;
        if (force->kind == FORCE_COORDINATE)
            status = coordinate_force(ws, pair, force, t, linear);
        else if (force->kind == FORCE_DISTRIBUTED)
            status = phx_sys_distributed_force(ws, force, t, linear, res);
        else
            status = port_force(ws, pair, force, t, linear);
        if (!linear && force->entry[0] >= 0)
            ws->flow[force->entry[0]] += ws->power.supplied - before.supplied;
        if (!linear && force->entry[1] >= 0)
            ws->flow[force->entry[1]] += ws->power.dissipated - before.dissipated;
    }
    for (int b = 0; b < system->n_bodies && !system->lossless; b++) {
        const double taken = phx_body_dissipation(system->bodies[b].body, ws->view.vm + system->bodies[b].v);
        ws->power.dissipated += taken;
        if (!linear && system->bodies[b].entry >= 0)
            ws->flow[system->bodies[b].entry] += taken;
    }
    return status;
}

/* `sides`: LATE_PORT of those that it is applied to. */
enum { ON_A = LATE_PORT, ON_B = LATE_PORT << 1 };

static void apply_multiplier(workspace *ws, int k, int sides, double lambda)
{
    const work_row *row = &ws->rows[k];
    const int dim = ws->system->dim, size = phx_port_size(dim);
    const double *g = ws->covector + (size_t)k * PAIR_SIZE;
    double *a = ws->effort + (size_t)row->a * PHX_PORT_MAX, *b = ws->effort + (size_t)row->b * PHX_PORT_MAX;

    if (row->unit >= 0) {
        if (sides & ON_A)
            a[row->unit] -= lambda;
        if (sides & ON_B)
            b[row->unit] += lambda;
        return;
    }
    for (int i = row->turns ? dim : 0; i < size && sides & ON_A; i++)
        a[i] += lambda * g[i];
    for (int i = row->turns ? dim : 0; i < size && sides & ON_B; i++)
        b[i] += lambda * g[PHX_PORT_MAX + i];
}

void phx_sys_apply_multipliers(workspace *ws, const double *lambda)
{
    for (int k = 0; k < ws->n_l; k++)
        apply_multiplier(ws, k, ON_A | ON_B, lambda[k]);
}

typedef struct residual_loop {
    workspace *ws;
    const double *lambda;
    double *res;
} residual_loop;

/* Covectors, residuals and efforts of the DOT rows of a rigid group: entries of w alone. */
static inline void rigid_residual(const int dim, workspace *ws, const row_group *group, int sides, const double *lambda,
                                  double *res)
{
    const int n_rot = dim == 2 ? 1 : 3;
    const double *w_a = ws->port_views[group->a].rate + dim, *w_b = ws->port_views[group->b].rate + dim;
    double *a = ws->effort + (size_t)group->a * PHX_PORT_MAX + dim;
    double *b = ws->effort + (size_t)group->b * PHX_PORT_MAX + dim;

    set_rigid_rows(ws, group);
    for (int k = group->first + group->points; k < group->end; k++) {
        const double *g = ws->covector + (size_t)k * PAIR_SIZE + dim;
        double rate = 0.0;
        for (int i = 0; i < n_rot; i++)
            rate += g[i] * w_a[i] + g[PHX_PORT_MAX + i] * w_b[i];
        for (int i = 0; i < n_rot && (sides & ON_A); i++)
            a[i] += lambda[k] * g[i];
        for (int i = 0; i < n_rot && (sides & ON_B); i++)
            b[i] += lambda[k] * g[PHX_PORT_MAX + i];
        res[k] = rate;
    }
}

static inline void rows_residual(const int dim, workspace *ws, int first, int last, const double *lambda, double *res)
{
    for (int i = first; i < last; i++) {
        const int g = ws->loose_groups[i], sides = (ON_A | ON_B) & ~ws->sharing.group[g];
        const row_group *group = &ws->groups[g];
        const double *rate_a = ws->place_rate + group->a * dim, *rate_b = ws->place_rate + group->b * dim;
        double *a = ws->effort + (size_t)group->a * PHX_PORT_MAX, *b = ws->effort + (size_t)group->b * PHX_PORT_MAX;
        for (int k = group->first, p = 0; p < group->points; p++, k++) {
            res[k] = rate_b[p] - rate_a[p];
            if (sides & ON_A)
                a[p] -= lambda[k];
            if (sides & ON_B)
                b[p] += lambda[k];
        }
        if (group->rigid)
            rigid_residual(dim, ws, group, sides, lambda, res);
        for (int k = group->first + group->points; k < group->end && !group->rigid; k++) {
            set_row(ws, k);
            res[k] = phx_sys_row_rate(ws, k) - ws->w[k];
            apply_multiplier(ws, k, sides, lambda[k]);
        }
    }
}

static phx_status residual_of_groups(void *user, phx_context *context, int part, int first, int end)
{
    const residual_loop *it = user;

    (void)context, (void)part;
    if (it->ws->system->dim == 2)
        rows_residual(2, it->ws, first, end, it->lambda, it->res);
    else
        rows_residual(3, it->ws, first, end, it->lambda, it->res);
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
                        ws->effort + (size_t)i * PHX_PORT_MAX, res + system->bodies[port->body].v);
}

static phx_status apply_to_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const residual_loop *it = user;
    const workspace *ws = it->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++)
        if (!ws->sharing.port[ws->loose_ports[i]])
            apply_effort(ws, ws->loose_ports[i], it->res);
    return PHX_OK;
}

void phx_sys_rows_residual(workspace *ws, double t, double h, const double *lambda, double *res)
{
    residual_loop loop = {ws, lambda, res + ws->system->n_v};

    if (ws->plain) {
        phx_plain_rows_residual(ws, t, h, lambda, res);
        return;
    }
    set_signals(ws, t, h);
    phx_sys_run(ws, ws->n_loose_groups, residual_of_groups, &loop);
    for (int i = 0; i < ws->sharing.n_groups; i++) {
        const int g = ws->sharing.groups[i];
        for (int k = ws->groups[g].first; k < ws->groups[g].end; k++)
            apply_multiplier(ws, k, ws->sharing.group[g], lambda[k]);
    }
    phx_sys_joint_packs_residual(ws, lambda, res);
    loop.res = res;
    phx_sys_run(ws, ws->n_loose_ports, apply_to_bodies, &loop);
    for (int i = 0; i < ws->sharing.n_ports; i++)
        apply_effort(ws, ws->sharing.ports[i], res);
}
