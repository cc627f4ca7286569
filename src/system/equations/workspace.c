/* The workspace of a system: the KKT pattern, where each contribution goes, and all arrays a step needs. */
#include "system/system_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns of ports ---- */
static int port_columns(const phx_system *system, phx_port_id id)
{
    const port_slot *port = &system->ports[id];
    return port->body == PHX_GROUND ? 0 : system->dim + system->n_rot + port->port.point.n;
}

static phx_status lay_out_ports(phx_context *context, workspace *ws)
{
    const phx_system *system = ws->system;
    const int dim = system->dim, rigid = dim + system->n_rot;
    int total = 0, widest = 0;

    ws->port_first = phx_calloc(context, (size_t)system->n_ports, sizeof *ws->port_first);
    ws->port_count = phx_calloc(context, (size_t)system->n_ports, sizeof *ws->port_count);
    if (!ws->port_first || !ws->port_count)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < system->n_ports; i++) {
        ws->port_first[i] = total;
        ws->port_count[i] = port_columns(system, i);
        total += ws->port_count[i];
        widest = ws->port_count[i] > widest ? ws->port_count[i] : widest;
    }
    ws->port_cols = phx_calloc(context, (size_t)total, sizeof *ws->port_cols);
    ws->widest = widest;
    ws->map_size = system->n_rot * system->n_rot + 2 * (dim + system->n_rot) * widest;
    ws->map_room = phx_calloc(context, (size_t)(2 * ws->map_size), sizeof *ws->map_room);
    ws->local = phx_calloc(context, (size_t)(4 * (2 * widest) * (2 * widest) + 8 * PAIR_SIZE * PAIR_SIZE + 64),
                           sizeof *ws->local);
    if (!ws->port_cols || !ws->map_room || !ws->local)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        if (port->body == PHX_GROUND)
            continue;
        const body_slot *slot = &system->bodies[port->body];
        int q_v;
        (void)phx_body_coordinates(slot->body, NULL, &q_v);
        for (int c = 0; c < ws->port_count[i]; c++)
            ws->port_cols[ws->port_first[i] + c] =
                c < rigid ? slot->v + port->port.frame.v + c : slot->v + q_v + port->port.point.dof[c - rigid];
    }
    return PHX_OK;
}

/* ---- arrays ---- */
static phx_status allocate_numbers(phx_context *context, workspace *ws)
{
    const phx_system *system = ws->system;
    const size_t nx = (size_t)system->n_x, nv = (size_t)system->n_v, n = (size_t)ws->kkt.n, nl = (size_t)ws->n_l;
    const size_t nnz = (size_t)ws->kkt.ptr[ws->kkt.n], per = (size_t)(system->dim + system->n_rot);
    const size_t n_red = (size_t)system->n_redundant;
    struct {
        double **array;
        size_t count;
    } table[] = {
        {&ws->M, nnz},
        {&ws->mass, nnz},
        {&ws->D, nnz},
        {&ws->K, nnz},
        {&ws->x0, nx},
        {&ws->low0, nx},
        {&ws->low1, nx},
        {&ws->x1, nx},
        {&ws->xm, nx},
        {&ws->v0, nv},
        {&ws->v1, nv},
        {&ws->vm, nv},
        {&ws->p0, nv},
        {&ws->momentum0, per * (size_t)(system->n_components + 1)},
        {&ws->signal_work, (size_t)system->n_components + 1},
        {&ws->momentum1, per * (size_t)(system->n_components + 1)},
        {&ws->impulse, per * (size_t)(system->n_components + 1)},
        {&ws->covector, nl * PAIR_SIZE},
        {&ws->w, nl},
        {&ws->supply, (size_t)system->n_components + 1},
        {&ws->taken, (size_t)system->n_components + 1},
        {&ws->before, (size_t)system->n_components + 1},
        {&ws->flow, (size_t)system->n_ledger},
        {&ws->base.parts, (size_t)system->n_ledger},
        {&ws->effort, (size_t)system->n_ports * PHX_PORT_MAX},
        {&ws->scratch, n},
        {&ws->scratch2, n},
        {&ws->scratch3, n},
        {&ws->scratch4, n},
        {&ws->tau, nl},
        {&ws->lambda, nl},
        {&ws->all, (size_t)system->n_rows},
        {&ws->spread, n_red * (nl + n_red + 1)},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        *table[i].array = phx_calloc(context, table[i].count, sizeof(double));
        if (!*table[i].array)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Arrays sized by the largest body: the matrices and stresses of one body at a time. */
static phx_status allocate_for_bodies(phx_context *context, workspace *ws)
{
    const phx_system *system = ws->system;
    size_t widest = 0, sigma = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const int *ptr = NULL, *idx = NULL;
        const size_t stresses = (size_t)phx_body_n_stress(system->bodies[b].body);
        phx_body_pattern(system->bodies[b].body, &ptr, &idx);
        const size_t entries = (size_t)ptr[phx_body_n_v(system->bodies[b].body)];
        widest = entries > widest ? entries : widest;
        sigma = stresses > sigma ? stresses : sigma;
    }
    ws->body_M = phx_calloc(context, 3 * widest, sizeof *ws->body_M);
    ws->sigma = phx_calloc(context, sigma, sizeof *ws->sigma);
    if (!ws->body_M || !ws->sigma)
        return PHX_ERR_MEMORY;
    ws->body_D = ws->body_M + widest;
    ws->body_K = ws->body_D + widest;
    return PHX_OK;
}

static phx_status allocate(phx_context *context, workspace *ws)
{
    const phx_system *system = ws->system;
    phx_status status = allocate_numbers(context, ws);

    if (!status)
        status = allocate_for_bodies(context, ws);
    if (status)
        return status;
    ws->port_views = phx_calloc(context, (size_t)system->n_ports, sizeof *ws->port_views);
    ws->moved = phx_calloc(context, (size_t)system->n_components + 1, sizeof *ws->moved);
    ws->kept = phx_calloc(context, (size_t)system->n_components + 1, sizeof *ws->kept);
    ws->on = phx_calloc(context, (size_t)ws->n_l, sizeof *ws->on);
    return ws->port_views && ws->moved && ws->kept && ws->on ? PHX_OK : PHX_ERR_MEMORY;
}

/* Ground ports never move: their views are filled once. So are covectors that never change. */
static void fill_constants(workspace *ws)
{
    const phx_system *system = ws->system;
    const int dim = system->dim;

    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        ws->port_views[i].dim = dim;
        if (port->body == PHX_GROUND)
            phx_sys_ground_view(system, port, &ws->port_views[i]);
    }
    for (int b = 0; b < system->n_bodies; b++)
        phx_body_rest(system->bodies[b].body, ws->x1 + system->bodies[b].x);
    for (int k = 0; k < ws->n_l; k++) {
        double *g = ws->covector + (size_t)k * PAIR_SIZE;
        if (ws->rows[k].unit >= 0) {
            g[ws->rows[k].unit] = -1.0;
            g[PHX_PORT_MAX + ws->rows[k].unit] = 1.0;
        }
    }
}

static work_row make_row(const phx_system *system, const row_slot *slot)
{
    const joint_slot *joint = &system->joints[slot->joint];
    const phx_coordinate_def *def = &joint->coordinates[slot->coordinate].def;

    return (work_row){.row = *slot->row,
                      .a = joint->a,
                      .b = joint->b,
                      .unit = phx_row_unit(slot->row),
                      .turns = phx_row_turns(slot->row),
                      .speed = slot->role == ROW_DRIVEN ? def->speed : NULL,
                      .rate = slot->role == ROW_HELD ? def->rate : 0.0};
}

static bool is_rigid(const phx_system *system, phx_port_id id)
{
    const phx_body_id b = system->ports[id].body;
    return b == PHX_GROUND || !phx_body_deforms(system->bodies[b].body);
}

/* Measured on chains of links: 0.7 increments (beams in the plane) to 2.3 (rigid bodies in space) where the joints are
 * points, three to four where their rows are curved in space and the bodies rigid. */
static int matrix_cost(const phx_system *system)
{
    for (int j = 0; j < system->n_joints && system->dim == 3; j++) {
        phx_port_id a, b;
        if (phx_sys_pair_ports(system, j, &a, &b) && is_rigid(system, a) && is_rigid(system, b))
            return 3;
    }
    return 1;
}

phx_status phx_sys_workspace_create(phx_system *system, phx_context *context, phx_backend backend, int n_rows,
                                    const int *rows, workspace **out)
{
    workspace *ws = phx_calloc(context, 1, sizeof *ws);
    phx_status status = ws ? PHX_OK : PHX_ERR_MEMORY;

    *out = NULL;
    if (status)
        return status;
    ws->base = (phx_dae){.ops = &phx_sys_ops,
                         .context = context,
                         .n_x = system->n_x,
                         .n_v = system->n_v,
                         .n_l = n_rows,
                         .n_parts = system->n_ledger,
                         .lossless = system->lossless,
                         .matrix_cost = matrix_cost(system)};
    ws->system = system;
    ws->by = backend == PHX_BACKEND_PLAIN ? &phx_plain_evaluator : &phx_fast_evaluator;
    ws->n_l = n_rows;
    ws->row = phx_calloc(context, (size_t)n_rows, sizeof *ws->row);
    ws->row_slot = phx_calloc(context, (size_t)system->n_rows, sizeof *ws->row_slot);
    ws->rows = phx_calloc(context, (size_t)n_rows, sizeof *ws->rows);
    ws->driven = phx_calloc(context, (size_t)n_rows, sizeof *ws->driven);
    if (!ws->row || !ws->row_slot || !ws->rows || !ws->driven)
        status = PHX_ERR_MEMORY;
    for (int r = 0; r < system->n_rows && !status; r++)
        ws->row_slot[r] = -1;
    for (int k = 0; k < n_rows && !status; k++) {
        ws->row[k] = rows[k];
        ws->row_slot[rows[k]] = k;
        ws->rows[k] = make_row(system, &system->rows[rows[k]]);
        if (ws->rows[k].speed)
            ws->driven[ws->n_driven++] = k;
    }
    if (!status)
        status = lay_out_ports(context, ws);
    ws->kkt.n_v = system->n_v;
    if (!status)
        status = phx_sys_kkt_create(context, ws, &ws->kkt, &ws->val);
    if (!status)
        status = allocate(context, ws);
    if (!status)
        fill_constants(ws);
    if (!status)
        status = phx_sys_watch_signals(ws);
    ws->base.closed = !status && phx_sys_closes_loops(ws);
    if (!status)
        status = ws->by->create(ws);
    if (status)
        phx_sys_workspace_destroy(ws);
    else
        *out = ws;
    return status;
}

void phx_sys_workspace_destroy(workspace *ws)
{
    if (!ws)
        return;
    double *arrays[] = {ws->mass,     ws->before,      ws->taken,     ws->M,         ws->D,         ws->K,
                        ws->val,      ws->val_complex, ws->x0,        ws->x1,        ws->xm,        ws->v0,
                        ws->v1,       ws->vm,          ws->p0,        ws->momentum0, ws->momentum1, ws->signal_work,
                        ws->impulse,  ws->covector,    ws->w,         ws->effort,    ws->map_room,  ws->scratch,
                        ws->scratch2, ws->scratch3,    ws->scratch4,  ws->local,     ws->body_M,    ws->tau,
                        ws->lambda,   ws->low0,        ws->low1,      ws->sigma,     ws->supply,    ws->all,
                        ws->spread,   ws->flow,        ws->base.parts};

    ws->by->destroy(ws);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
    phx_sys_kkt_free(ws, &ws->kkt);
    int *indices[] = {ws->driven, ws->row, ws->row_slot, ws->port_first, ws->port_count, ws->port_cols};
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        phx_free(indices[i]);
    phx_free(ws->rows);
    phx_free(ws->signals.signal);
    phx_free(ws->moved);
    phx_free(ws->kept);
    phx_free(ws->on);
    phx_free(ws->port_views);
    for (int s = 0; s < PHX_FACTOR_SLOTS; s++) {
        phx_lu_destroy(ws->lu[s]);
        phx_lu_destroy(ws->lu_complex[s]);
    }
    phx_lu_destroy(ws->lu_mass);
    phx_sys_rigid_free(&ws->rigid);
    phx_sys_parallel_free(&ws->parallel);
    phx_free(ws);
}

const char *phx_backend_name(phx_backend backend)
{
    static const char *const names[] = {"auto", "plain", "fast"};
    return backend < PHX_BACKEND_AUTO || backend > PHX_BACKEND_FAST ? "unknown" : names[backend];
}

phx_status phx_system_dae(phx_system *system, phx_context *context, phx_dae **dae)
{
    return phx_system_dae_with(system, context, PHX_BACKEND_AUTO, dae);
}

phx_status phx_system_dae_with(phx_system *system, phx_context *context, phx_backend backend, phx_dae **dae)
{
    if (!system || !dae)
        return phx_fail_null(context, __func__, "system or dae");
    workspace *ws = NULL;
    phx_status status = PHX_OK;

    *dae = NULL;
    if (!system->frozen)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the system must be frozen first");
    status = phx_sys_workspace_create(system, context, backend, system->n_independent, system->independent, &ws);
    if (!status && ws->by->create_projection) {
        status = ws->by->create_projection(ws);
        if (status)
            phx_sys_workspace_destroy(ws);
    }
    if (!status)
        *dae = &ws->base;
    return phx_conclude(context, status);
}

void phx_system_dae_destroy(phx_dae *dae)
{
    phx_sys_workspace_destroy((workspace *)dae);
}

phx_status phx_system_threads(phx_dae *dae, int threads)
{
    if (!dae)
        return phx_fail_null(NULL, __func__, "dae");
    workspace *ws = (workspace *)dae;

    if (threads < 0 || threads > PHX_TEAM_LARGEST)
        return phx_fail(dae->context, PHX_ERR_ARGUMENT, "%d threads; expected 0 to %d", threads, PHX_TEAM_LARGEST);
    return ws->by->set_threads ? ws->by->set_threads(ws, threads) : PHX_OK;
}

int phx_system_thread_count(const phx_dae *dae)
{
    const workspace *ws = (const workspace *)dae;

    return ws->by->threads ? ws->by->threads(ws) : 1;
}
