/* The fast evaluator: bodies, one batch after the other, and those that are in none. */
#include "fast.h"

static phx_status begin_batches(void *user, phx_context *context, int part, int first, int end)
{
    const workspace *ws = user;

    (void)context, (void)part;
    for (int p = first; p < end; p++)
        phx_body_batch_begin(ws->fast->bodies.batch[p].batch, ws->view.h, ws->step.x0, ws->step.v0);
    return PHX_OK;
}

static phx_status begin_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const workspace *ws = user;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const int b = ws->fast->bodies.unbatched[i];
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_interval_begin(slot->body, ws->view.h, ws->step.x0 + slot->x, ws->step.v0 + slot->v,
                                ws->bodies.products[b]);
    }
    return PHX_OK;
}

static phx_status begin_rods(void *user, phx_context *context, int part, int first, int end)
{
    const workspace *ws = user;

    (void)context, (void)part;
    for (int k = first; k < end; k++)
        phx_rod_batch_begin(ws->fast->bodies.rods[k].batch, ws->view.h, ws->step.x0);
    return PHX_OK;
}

void phx_fast_interval_begin(workspace *ws)
{
    ws->fast->ports.start_viewed = ws->step.goes_on && ws->fast->ports.end_viewed;
    ws->fast->ports.end_viewed = ws->fast->signals_set = false;
    phx_sys_run(ws, ws->fast->bodies.n, begin_batches, ws);
    phx_sys_run(ws, ws->fast->bodies.n_rods, begin_rods, ws);
    phx_sys_run(ws, ws->fast->bodies.n_unbatched, begin_bodies, ws);
}

typedef struct interval_end {
    workspace *ws;
    const double *v1;
    double *res; /* NULL: none */
} interval_end;

static phx_status set_velocities(void *user, phx_context *context, int part, int first, int end)
{
    const interval_end *to = user;
    const double *given = to->v1, *v0 = to->ws->step.v0;
    double *v1 = to->ws->step.v1, *vm = to->ws->step.vm;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        v1[i] = given[i];
        vm[i] = 0.5 * (v0[i] + given[i]);
    }
    return PHX_OK;
}

/* Moves the batches first to end - 1 to the end of the interval and, if res is not NULL, writes their residuals. One
 * part of a parallel loop. */
static phx_status set_batches(void *user, phx_context *context, int part, int first, int end)
{
    const interval_end *to = user;
    workspace *ws = to->ws;

    (void)context, (void)part;
    for (int p = first; p < end; p++) {
        phx_body_batch *batch = ws->fast->bodies.batch[p].batch;
        phx_body_batch_move(batch, to->res != NULL, ws->step.x0, ws->step.low0, ws->step.vm, ws->step.x1, ws->step.low1,
                            ws->step.xm);
        if (to->res)
            phx_body_batch_residual(batch, ws->system->gravity, ws->step.xm, ws->step.v1, to->res);
    }
    return PHX_OK;
}

/* The same for bodies that are in no batch. */
static phx_status set_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const interval_end *to = user;
    workspace *ws = to->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const int b = ws->fast->bodies.unbatched[i];
        const body_slot *slot = &ws->system->bodies[b];
        const phx_body_view view = phx_sys_body_view(ws, b);
        (to->res ? phx_body_try : phx_body_move)(slot->body, ws->view.h, ws->step.x0 + slot->x, ws->step.low0 + slot->x,
                                                 ws->step.vm + slot->v, ws->step.x1 + slot->x, ws->step.low1 + slot->x,
                                                 ws->step.xm + slot->x);
        if (to->res)
            phx_body_interval_residual(slot->body, ws->system->gravity, &view, to->res + slot->v);
    }
    return PHX_OK;
}

static phx_status residual_of_rods(void *user, phx_context *context, int part, int first, int end)
{
    const interval_end *to = user;
    const workspace *ws = to->ws;

    (void)context, (void)part;
    for (int k = first; k < end; k++)
        phx_rod_batch_residual(ws->fast->bodies.rods[k].batch, ws->step.x1, ws->step.xm, to->res);
    return PHX_OK;
}

/* The places of rods; nothing of the body acts on them. */
static void set_places(const interval_end *to)
{
    const workspace *ws = to->ws;

    for (int i = 0; i < ws->fast->bodies.n_sliding; i++) {
        const body_slot *slot = &ws->system->bodies[ws->fast->bodies.sliding[i]];
        int v, n = phx_body_places(slot->body, NULL, &v);
        phx_body_move_places(slot->body, ws->view.h, ws->step.x0 + slot->x, ws->step.low0 + slot->x,
                             ws->step.vm + slot->v, ws->step.x1 + slot->x, ws->step.low1 + slot->x,
                             ws->step.xm + slot->x);
        for (int k = 0; k < n && to->res; k++)
            to->res[slot->v + v + k] = 0.0;
    }
}

/* Bodies, one batch after the other: the end and the mean of the interval, then their rows of the residual (NULL:
 * none).
 */
static void set_interval(workspace *ws, const double *v1, double *res)
{
    interval_end to = {ws, v1, res};

    phx_sys_run(ws, ws->system->n_v, set_velocities, &to);
    phx_sys_run(ws, ws->fast->bodies.n, set_batches, &to);
    set_places(&to);
    if (res)
        phx_sys_run(ws, ws->fast->bodies.n_rods, residual_of_rods, &to);
    phx_sys_run(ws, ws->fast->bodies.n_unbatched, set_bodies, &to);
}

/* A port at the end of the interval. */
static void view_end(workspace *ws, phx_port_id id)
{
    const port_slot *port = &ws->system->ports[id];

    if (port->body == PHX_GROUND)
        return;
    const phx_body_view of_body = phx_sys_body_view(ws, port->body);
    phx_body_port_view_end(ws->system->bodies[port->body].body, &port->port, &of_body, &ws->ports.view[id]);
}

/* Unwrapped angles at the end of the interval; viewed: the ports that are in no batch of joints have been. */
static void unwrap_angles(workspace *ws, bool viewed)
{
    const phx_system *system = ws->system;

    for (int j = 0; j < system->n_joints && system->control.first_x > system->n_body_x; j++) {
        const joint_slot *joint = &system->joints[j];
        const phx_port_id ports[2] = {joint->a, joint->b};
        if (!phx_sys_has_angle(joint))
            continue;
        for (int side = 0; side < 2; side++)
            if (!viewed || ws->fast->joints.port_batched[ports[side]])
                view_end(ws, ports[side]);
        phx_sys_unwrap_joint(joint, &ws->ports.view[joint->a], &ws->ports.view[joint->b], ws->step.x1);
    }
}

/* The end of an interval whose residual was evaluated nearby: only forces and unwrapped angles depend on the views. */
static phx_status end_interval(workspace *ws, const double *v1)
{
    const phx_system *system = ws->system;

    set_interval(ws, v1, NULL);
    phx_sys_begin_angles(ws);
    const bool forces = phx_sys_has_forces(system);
    if (forces)
        phx_fast_view_rows(ws);
    unwrap_angles(ws, forces);
    if (!forces && system->traits.lossless)
        return PHX_OK;
    return phx_sys_forces(ws, ws->step.t0 + 0.5 * ws->view.h, false, ws->scratch.vector[3]);
}

/* Residual of the interval for end velocities v1 and multipliers lambda, theory 4 (2) and (3). res NULL: only the state
 * at the end is completed. */
phx_status phx_fast_interval_residual(workspace *ws, const double *v1, const double *lambda, double *res)
{
    phx_status status = PHX_OK;

    if (!res)
        return end_interval(ws, v1);
    set_interval(ws, v1, res);
    phx_sys_begin_angles(ws);
    phx_fast_view_rows(ws);
    ws->fast->ports.start_viewed = true;
    status = phx_sys_forces(ws, ws->step.t0 + 0.5 * ws->view.h, false, res);
    if (!status)
        phx_fast_rows_residual(ws, ws->step.t0, ws->view.h, lambda, res);
    return status;
}

/* ---- energies ---- */
typedef struct energy_loop {
    const workspace *ws;
    const double *x, *v;
} energy_loop;

void phx_sys_batch_energies(const workspace *ws, int p, const double *x, const double *v)
{
    const batch_slot *slot = &ws->fast->bodies.batch[p];
    double energies[PHX_BATCH_WIDTH];

    phx_body_batch_kinetic(slot->batch, x, v, energies);
    for (int l = 0; l < slot->count; l++)
        ws->fast->members.energy[slot->member[l]] = energies[l];
}

void phx_sys_sum_energies(const workspace *ws)
{
    for (int b = 0; b < ws->system->n_bodies; b++) {
        double sum = 0.0;
        for (int m = ws->fast->members.first[b]; m < ws->fast->members.first[b + 1]; m++)
            sum += ws->fast->members.energy[m];
        ws->bodies.energy[b] = sum;
    }
}

static phx_status energies_of_batches(void *user, phx_context *context, int part, int first, int end)
{
    const energy_loop *loop = user;

    (void)context, (void)part;
    for (int p = first; p < end; p++)
        phx_sys_batch_energies(loop->ws, p, loop->x, loop->v);
    return PHX_OK;
}

/* Kinetic energies of bodies that are in no batch, at x or, if x is NULL, undeformed. One part of a parallel loop. */
static phx_status energies_of_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const energy_loop *loop = user;
    const workspace *ws = loop->ws;

    (void)context, (void)part;
    for (int i = first; i < end; i++) {
        const int b = ws->fast->bodies.unbatched[i];
        const body_slot *slot = &ws->system->bodies[b];
        ws->fast->members.energy[ws->fast->members.first[b]] =
            loop->x ? phx_body_kinetic(slot->body, loop->x + slot->x, loop->v + slot->v)
                    : phx_body_kinetic_undeformed(slot->body, loop->v + slot->v);
    }
    return PHX_OK;
}

void phx_fast_kinetic_energies(const workspace *ws, const double *x, const double *v)
{
    energy_loop loop = {ws, x, v};

    phx_sys_run(ws, ws->fast->bodies.n, energies_of_batches, &loop);
    phx_sys_run(ws, ws->fast->bodies.n_unbatched, energies_of_bodies, &loop);
    phx_sys_sum_energies(ws);
}

/* Where a component is most of the system all bodies are evaluated; else its own, batches whole and once: what they
 * give bodies of others is not looked at. */
void phx_fast_component_energies(workspace *ws, const component_slot *component, const double *x, const double *v)
{
    const phx_system *system = ws->system;
    const int *bodies = system->components.bodies + component->first;

    if (2 * component->count > system->n_bodies) {
        phx_fast_kinetic_energies(ws, x, v);
        return;
    }
    for (int i = 0; i < component->count; i++)
        for (int m = ws->fast->members.first[bodies[i]]; m < ws->fast->members.first[bodies[i] + 1]; m++) {
            const member_slot *member = &ws->fast->members.member[m];
            const int p = ws->fast->members.batch_of[m];
            if (p < 0)
                ws->fast->members.energy[m] = phx_body_kinetic(member->body, x + member->x, v + member->v);
            else if (!ws->fast->bodies.done[p]) {
                phx_sys_batch_energies(ws, p, x, v);
                ws->fast->bodies.done[p] = true;
            }
        }
    for (int i = 0; i < component->count; i++)
        for (int m = ws->fast->members.first[bodies[i]]; m < ws->fast->members.first[bodies[i] + 1]; m++)
            if (ws->fast->members.batch_of[m] >= 0)
                ws->fast->bodies.done[ws->fast->members.batch_of[m]] = false;
    phx_sys_sum_energies(ws);
}
