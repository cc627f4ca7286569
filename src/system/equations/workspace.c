/* The workspace of a system: its parts, made one after the other, and the dae that is its face. */
#include "system/system_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */
static work_row make_row(const phx_system *system, const row_slot *slot)
{
    const joint_slot *joint = &system->joints[slot->joint];
    const phx_coordinate_def *def = &joint->coordinates[slot->coordinate].def;

    return (work_row){.row = slot->row,
                      .a = slot->a,
                      .b = slot->b,
                      .unit = phx_row_unit(slot->row),
                      .angular_only = phx_row_is_angular(slot->row),
                      .speed = slot->role == ROW_DRIVEN ? def->speed : NULL,
                      .rate = slot->role == ROW_HELD ? def->rate : 0.0};
}

/* Covectors that never change are filled here. */
static phx_status create_rows(phx_context *context, const phx_system *system, int count, const int *index,
                              row_set *made)
{
    const size_t n = (size_t)count;

    made->index = phx_calloc(context, n, sizeof *made->index);
    made->multiplier = phx_calloc(context, (size_t)system->rows.n, sizeof *made->multiplier);
    made->row = phx_calloc(context, n, sizeof *made->row);
    made->driven = phx_calloc(context, n, sizeof *made->driven);
    made->covector = phx_calloc(context, n * PAIR_SIZE, sizeof *made->covector);
    made->w = phx_calloc(context, n, sizeof *made->w);
    made->on = phx_calloc(context, n, sizeof *made->on);
    if (!made->index || !made->multiplier || !made->row || !made->driven || !made->covector || !made->w || !made->on)
        return PHX_ERR_MEMORY;
    made->n = count;
    for (int r = 0; r < system->rows.n; r++)
        made->multiplier[r] = -1;
    for (int k = 0; k < count; k++) {
        double *g = made->covector + (size_t)k * PAIR_SIZE;
        made->index[k] = index[k];
        made->multiplier[index[k]] = k;
        made->row[k] = make_row(system, &system->rows.slot[index[k]]);
        if (made->row[k].speed)
            made->driven[made->n_driven++] = k;
        if (made->row[k].unit >= 0) {
            g[made->row[k].unit] = -1.0;
            g[PHX_PORT_MAX + made->row[k].unit] = 1.0;
        }
    }
    return PHX_OK;
}

static void free_rows(row_set *rows)
{
    phx_free(rows->index);
    phx_free(rows->multiplier);
    phx_free(rows->row);
    phx_free(rows->driven);
    phx_free(rows->covector);
    phx_free(rows->w);
    phx_free(rows->on);
}

/* ---- ports ---- */
static int port_columns(const phx_system *system, const port_slot *port)
{
    return port->body == PHX_GROUND ? 0 : phx_body_port_columns(system->bodies[port->body].body, &port->port, NULL);
}

static void list_columns(const phx_system *system, const port_slot *port, int count, int *cols)
{
    if (port->body == PHX_GROUND)
        return;
    const body_slot *slot = &system->bodies[port->body];
    (void)phx_body_port_columns(slot->body, &port->port, cols);
    for (int c = 0; c < count; c++)
        cols[c] += slot->v;
}

/* Ports of the ground never move: their views are filled here. The others are not touched before they are viewed: views
 * of joints that are evaluated in batches never are, and take no memory. */
static phx_status create_ports(phx_context *context, const phx_system *system, port_set *made)
{
    const int rigid = system->dim + system->n_rot;
    const size_t n = (size_t)system->n_ports;
    int total = 0;

    made->first = phx_calloc(context, n, sizeof *made->first);
    made->count = phx_calloc(context, n, sizeof *made->count);
    made->view = phx_calloc(context, n, sizeof *made->view);
    made->effort = phx_calloc(context, n * PHX_PORT_MAX, sizeof *made->effort);
    if (!made->first || !made->count || !made->view || !made->effort)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < system->n_ports; i++) {
        made->first[i] = total;
        made->count[i] = port_columns(system, &system->ports[i]);
        total += made->count[i];
        made->widest = made->count[i] > made->widest ? made->count[i] : made->widest;
    }
    made->map_size = system->n_rot * system->n_rot + 2 * rigid * made->widest;
    made->cols = phx_calloc(context, (size_t)total, sizeof *made->cols);
    made->active = phx_calloc(context, 2 * (size_t)made->widest, sizeof *made->active);
    made->map = phx_calloc(context, (size_t)(2 * made->map_size), sizeof *made->map);
    if (!made->cols || !made->active || !made->map)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        list_columns(system, port, made->count[i], made->cols + made->first[i]);
        if (port->body == PHX_GROUND)
            phx_sys_ground_view(system, port, &made->view[i]);
    }
    return PHX_OK;
}

static void free_ports(port_set *ports)
{
    phx_free(ports->first);
    phx_free(ports->count);
    phx_free(ports->cols);
    phx_free(ports->active);
    phx_free(ports->map);
    phx_free(ports->view);
    phx_free(ports->effort);
}

/* ---- bodies ---- */
static phx_status create_bodies(phx_context *context, const phx_system *system, body_set *made)
{
    size_t widest = 0, stress = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const int *ptr = NULL, *idx = NULL;
        const size_t stresses = (size_t)phx_body_n_stress(system->bodies[b].body);
        phx_body_pattern(system->bodies[b].body, &ptr, &idx);
        const size_t entries = (size_t)ptr[phx_body_n_v(system->bodies[b].body)];
        widest = entries > widest ? entries : widest;
        stress = stresses > stress ? stresses : stress;
    }
    made->M = phx_calloc(context, 3 * widest, sizeof *made->M);
    made->stress = phx_calloc(context, stress, sizeof *made->stress);
    if (!made->M || !made->stress)
        return PHX_ERR_MEMORY;
    made->D = made->M + widest;
    made->K = made->D + widest;
    return PHX_OK;
}

/* The rest is the evaluator's. */
static void free_bodies(body_set *bodies)
{
    phx_free(bodies->M);
    phx_free(bodies->stress);
}

/* ---- forces ---- */
static phx_status create_forces(phx_context *context, const phx_system *system, force_work *made)
{
    const phx_array flow = {&made->flow, (size_t)system->ledger.n};
    const phx_status status = phx_arrays_create(context, 1, &flow);

    made->load = 1.0;
    return status ? status : phx_sys_watch_contacts(context, system, &made->touched);
}

static void free_forces(force_work *forces)
{
    phx_free(forces->flow);
    phx_free(forces->touched);
}

/* ---- scratch ---- */
static phx_status create_scratch(phx_context *context, const kkt_matrix *kkt, const port_set *ports, scratch *made)
{
    const size_t n = (size_t)kkt->n, widest = (size_t)ports->widest;
    const phx_array arrays[] = {
        {&made->vector[0], n},
        {&made->vector[1], n},
        {&made->vector[2], n},
        {&made->vector[3], n},
        {&made->velocities, 2 * (size_t)kkt->n_v},
        {&made->multipliers, (size_t)kkt->n_l},
        {&made->block, 4 * (2 * widest) * (2 * widest) + 8 * PAIR_SIZE * PAIR_SIZE + 64},
    };

    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

static void free_scratch(scratch *of)
{
    double *arrays[] = {of->vector[0],  of->vector[1],   of->vector[2], of->vector[3],
                        of->velocities, of->multipliers, of->block};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

/* ---- the whole ---- */
static bool is_rigid(const phx_system *system, phx_port_id id)
{
    const phx_body_id b = system->ports[id].body;
    return b == PHX_GROUND || !phx_body_deforms(system->bodies[b].body);
}

/* A rod in space: the blocks of its elements, full and of twelve rows, are most of the work of a step. */
static bool has_rods(const phx_system *system)
{
    const phx_body_frame *frames;
    bool has = false;

    for (int b = 0; b < system->n_bodies && system->dim == 3 && !has; b++)
        has = phx_body_frames(system->bodies[b].body, &frames) > 2;
    return has;
}

/* Measured on chains of links: 0.7 Newton corrections (beams in the plane) to 2.3 (rigid bodies in space) where the
 * joints are points, three to four where their rows are curved in space and the bodies rigid, six to seven with rods in
 * space. */
static int matrix_cost(const phx_system *system)
{
    if (has_rods(system))
        return 7;
    for (int j = 0; j < system->n_joints && system->dim == 3; j++) {
        phx_port_id a, b;
        if (phx_sys_pair_ports(system, j, &a, &b) && is_rigid(system, a) && is_rigid(system, b))
            return 3;
    }
    return 1;
}

/* Of a workspace that only observes: no equations. */
static phx_status create_observing(phx_context *context, workspace *ws)
{
    const phx_system *system = ws->system;
    phx_status status = create_ports(context, system, &ws->ports);

    if (!status)
        status = create_bodies(context, system, &ws->bodies);
    return status ? status : ws->by->create(ws);
}

/* The parts, in the order of the struct. */
static phx_status create_parts(phx_context *context, workspace *ws, int n_rows, const int *rows)
{
    const phx_system *system = ws->system;
    const pattern_source source = phx_sys_pattern_source(ws);
    const phx_array parts = {&ws->base.parts, (size_t)ws->base.n_parts};
    phx_status status = phx_arrays_create(context, 1, &parts);

    if (!status)
        status = create_rows(context, system, n_rows, rows, &ws->rows);
    if (!status)
        status = create_ports(context, system, &ws->ports);
    if (!status)
        status = phx_sys_control_create(context, system, &ws->ports, &ws->control);
    ws->kkt.n_v = system->n_v;
    if (!status)
        status = phx_sys_kkt_create(context, &source, &ws->kkt, &ws->values.val);
    if (!status)
        status = phx_sys_values_create(context, &ws->kkt, &ws->values, &ws->mass);
    if (!status)
        status = phx_sys_interval_create(context, system, n_rows, &ws->step);
    if (!status)
        status = phx_sys_rubbing_create(context, system, n_rows, &ws->rubbing);
    if (!status)
        status = create_bodies(context, system, &ws->bodies);
    if (!status)
        status = create_scratch(context, &ws->kkt, &ws->ports, &ws->scratch);
    if (!status)
        status = phx_sys_projection_create(context, system, &ws->projection);
    if (!status)
        status = phx_sys_reactions_create(context, system, n_rows, &ws->reactions);
    if (!status)
        status = create_forces(context, system, &ws->forces);
    if (!status)
        status = phx_sys_watch_signals(context, system, &ws->signals);
    if (!status)
        status = phx_sys_watch_turns(context, system, &ws->turns);
    if (!status)
        status = phx_sys_watch_dampers(context, system, &ws->dampers);
    ws->base.drives = !status && ws->rows.n_driven > 0;
    ws->base.closed = !status && phx_sys_closes_loops(ws);
    return status ? status : ws->by->create(ws);
}

/* Creates a workspace for the given rows on an evaluator; `at_rest` holds the controllers at rest. *out is NULL after
 * an error. */
static phx_status workspace_create(phx_system *system, phx_context *context, const evaluator *by, bool at_rest,
                                   int n_rows, const int *rows, workspace **out)
{
    workspace *ws = phx_calloc(context, 1, sizeof *ws);

    *out = NULL;
    if (!ws)
        return PHX_ERR_MEMORY;
    ws->base = (phx_dae){.ops = &phx_sys_ops,
                         .context = context,
                         .n_x = system->n_x,
                         .n_v = system->n_v,
                         .n_l = n_rows,
                         .n_parts = system->ledger.n + system->channels.n_inputs,
                         .lossless = system->traits.lossless,
                         .midpoint_only = system->control.n > 0,
                         .rubs = system->traits.rubs,
                         .matrix_cost = matrix_cost(system)};
    ws->system = system;
    ws->control.rest.on = at_rest;
    ws->by = by;
    const phx_status status =
        by == &phx_viewing_evaluator ? create_observing(context, ws) : create_parts(context, ws, n_rows, rows);
    if (status)
        phx_sys_workspace_destroy(ws);
    else
        *out = ws;
    return status;
}

phx_status phx_sys_workspace_create(phx_system *system, phx_context *context, phx_backend backend, int n_rows,
                                    const int *rows, workspace **out)
{
    return workspace_create(system, context, backend == PHX_BACKEND_PLAIN ? &phx_plain_evaluator : &phx_fast_evaluator,
                            false, n_rows, rows, out);
}

phx_status phx_system_rest_dae(const phx_dae *dae, phx_dae **rest)
{
    phx_system *system = ((const workspace *)dae)->system;
    workspace *ws = NULL;
    const phx_status status = workspace_create(system, dae->context, &phx_plain_evaluator, true,
                                               system->rows.n_independent, system->rows.independent, &ws);

    *rest = status ? NULL : &ws->base;
    return status;
}

/* Frees a workspace with everything made in it; NULL is allowed. */
void phx_sys_workspace_destroy(workspace *ws)
{
    if (!ws)
        return;
    ws->by->destroy(ws);
    phx_sys_filters_free(ws);
    phx_sys_rigid_free(&ws->rigid);
    phx_sys_parallel_free(&ws->parallel);
    phx_sys_watch_free(&ws->signals);
    phx_free(ws->turns.kind);
    phx_free(ws->dampers.damper);
    free_forces(&ws->forces);
    phx_sys_reactions_free(&ws->reactions);
    phx_sys_projection_free(&ws->projection);
    free_scratch(&ws->scratch);
    free_bodies(&ws->bodies);
    phx_sys_interval_free(&ws->step);
    phx_sys_rubbing_free(&ws->rubbing);
    phx_sys_values_free(&ws->values, &ws->mass);
    phx_sys_kkt_free(ws->system, &ws->kkt);
    phx_sys_control_free(ws->system, &ws->control);
    free_ports(&ws->ports);
    free_rows(&ws->rows);
    phx_free(ws->base.parts);
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

phx_status phx_system_dae_like(phx_system *system, phx_context *context, const phx_dae *like, phx_dae **dae)
{
    const workspace *other = (const workspace *)like;
    workspace *ws = NULL;

    *dae = NULL;
    if (system->rows.n != other->system->rows.n || system->n_v != other->system->n_v ||
        system->n_x != other->system->n_x)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "the systems have other coordinates or other rows of joints");
    const phx_status status =
        phx_sys_workspace_create(system, context, PHX_BACKEND_PLAIN, other->rows.n, other->rows.index, &ws);
    if (!status)
        *dae = &ws->base;
    return status;
}

/* Creates the dae of a finalised system over its independent rows, with the given backend and its own context. *dae is
 * NULL after an error. */
phx_status phx_system_dae_with(phx_system *system, phx_context *context, phx_backend backend, phx_dae **dae)
{
    if (!system || !dae)
        return phx_fail_null(context, __func__, "system or dae");
    workspace *ws = NULL;
    phx_status status = PHX_OK;

    *dae = NULL;
    if (!system->building.finalised)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the system must be finalised first");
    status =
        phx_sys_workspace_create(system, context, backend, system->rows.n_independent, system->rows.independent, &ws);
    if (!status && ws->by->create_projection) {
        status = ws->by->create_projection(ws);
        if (status)
            phx_sys_workspace_destroy(ws);
    }
    if (!status)
        *dae = &ws->base;
    return phx_conclude(context, status);
}

phx_status phx_system_observer(phx_system *system, phx_context *context, phx_dae **dae)
{
    workspace *ws = NULL;

    if (phx_sys_outputs_accelerate(system) || system->control.n > 0 || system->channels.n_inputs > 0)
        return phx_system_dae(system, context, dae);
    const phx_status status = workspace_create(system, context, &phx_viewing_evaluator, false, 0, NULL, &ws);
    *dae = status ? NULL : &ws->base;
    return status;
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

    if (threads < 0 || threads > PHX_ORDERED_MAP_LARGEST)
        return phx_fail(dae->context, PHX_ERR_ARGUMENT, "%d threads; expected 0 to %d", threads,
                        PHX_ORDERED_MAP_LARGEST);
    return ws->by->set_threads ? ws->by->set_threads(ws, threads) : PHX_OK;
}

int phx_system_thread_count(const phx_dae *dae)
{
    const workspace *ws = (const workspace *)dae;

    return ws->by->threads ? ws->by->threads(ws) : 1;
}
