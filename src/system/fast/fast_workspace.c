/* The fast evaluator: what it keeps beside the workspace, and its table. */
#include "fast.h"

#include <string.h>

/* ---- what each port is needed for, and the rows of each joint ---- */
static void raise_need(workspace *ws, phx_port_id id, port_need need)
{
    if (id >= 0 && ws->fast->need[id] < need)
        ws->fast->need[id] = need;
}

/* DOT rows of sections that do not turn know their frames at the mean and at the end, other rows that vary and forces
 * the whole view. */
static void find_needs(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int k = 0; k < ws->n_l; k++) {
        const work_row *row = &ws->rows.row[k];
        const bool straight = system->ports[row->a].port.point.n == 0 && system->ports[row->b].port.point.n == 0;
        const port_need need = row->unit >= 0                             ? NEED_PLACE_RATE
                               : row->row.kind == PHX_ROW_DOT && straight ? NEED_FRAMES
                                                                          : NEED_VIEW;
        raise_need(ws, row->a, need);
        raise_need(ws, row->b, need);
    }
    for (int i = 0; i < system->n_forces; i++) {
        phx_port_id a = -1, b = -1;
        if (phx_sys_pair_ports(system, system->n_joints + i, &a, &b)) {
            raise_need(ws, a, NEED_VIEW);
            raise_need(ws, b, NEED_VIEW);
        }
    }
}

/* The ports are on two bodies, neither of them deformed there. */
static bool a_body_each(const port_slot *a, const port_slot *b)
{
    return a->body != b->body && a->body != PHX_GROUND && b->body != PHX_GROUND && a->port.point.n == 0 &&
           b->port.point.n == 0;
}

static void find_groups(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int k = 0; k < ws->n_l;) {
        const int joint = system->rows[ws->rows.index[k]].joint;
        const phx_port_id a = ws->rows.row[k].a, b = ws->rows.row[k].b;
        const port_slot *on_a = &system->ports[a], *on_b = &system->ports[b];
        row_group group = {.a = a,
                           .b = b,
                           .joint = joint,
                           .first = k,
                           .one_body = on_a->body == on_b->body,
                           .rigid = a_body_each(on_a, on_b),
                           .opens = {!ws->fast->in_group[a], !ws->fast->in_group[b] && a != b}};
        for (; k < ws->n_l && system->rows[ws->rows.index[k]].joint == joint; k++) {
            group.points += ws->rows.row[k].unit == k - group.first && group.points == k - group.first &&
                            !ws->rows.row[k].speed && ws->rows.row[k].rate == 0.0;
            group.rigid = group.rigid && (k - group.first < group.points ||
                                          (system->dim == 3 && ws->rows.row[k].row.kind == PHX_ROW_DOT));
        }
        group.end = k;
        group.points = group.points == system->dim ? group.points : 0;
        group.rigid = group.rigid && group.points > 0;
        ws->fast->in_group[a] = ws->fast->in_group[b] = true;
        ws->fast->groups[ws->fast->n_groups++] = group;
    }
}

static phx_status allocate(workspace *ws)
{
    enum { MOST_ROWS = PHX_JOINT_MAX_ROWS + PHX_JOINT_MAX_COORDINATES };
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    const size_t rows = (size_t)(MOST_ROWS * 2 * ws->ports.widest), ports = (size_t)system->n_ports;
    fast_data *it = ws->fast;

    it->group_G = phx_calloc(context, rows, sizeof *it->group_G);
    it->group_K = phx_calloc(context, rows, sizeof *it->group_K);
    it->product = phx_calloc(context, (size_t)(PHX_PORT_MAX * ws->ports.widest), sizeof *it->product);
    it->place_rate = phx_calloc(context, ports * (size_t)system->dim, sizeof *it->place_rate);
    it->need = phx_calloc(context, ports, sizeof *it->need);
    it->in_group = phx_calloc(context, ports, sizeof *it->in_group);
    it->groups = phx_calloc(context, (size_t)ws->n_l, sizeof *it->groups);
    it->scratch_size[SCRATCH_BODY] = (size_t)(3 * (ws->bodies.D - ws->bodies.M));
    it->scratch_size[SCRATCH_MAP] = (size_t)(2 * ws->ports.map_size);
    it->scratch_size[SCRATCH_G] = it->scratch_size[SCRATCH_K] = rows;
    it->scratch_size[SCRATCH_PRODUCT] = (size_t)(PHX_PORT_MAX * ws->ports.widest);
    return it->group_G && it->group_K && it->product && it->place_rate && it->need && it->in_group && it->groups
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

static phx_status create(workspace *ws)
{
    phx_status status = PHX_OK;

    ws->fast = phx_calloc(ws->base.context, 1, sizeof *ws->fast);
    if (!ws->fast)
        return PHX_ERR_MEMORY;
    ws->fast->into = &ws->kkt;
    status = allocate(ws);
    if (!status) {
        find_needs(ws);
        find_groups(ws);
        status = phx_sys_threads_create(ws);
    }
    if (!status)
        status = phx_sys_condensation_create(ws);
    if (!status)
        status = phx_sys_batches_create(ws);
    if (!status)
        status = phx_sys_condensation_allocate(ws);
    return status ? status : phx_sys_joint_batches_create(ws);
}

static void destroy(workspace *ws)
{
    fast_data *it = ws->fast;

    if (!it)
        return;
    phx_sys_delassus_free(ws);
    phx_sys_joint_batches_free(ws);
    phx_sys_condensation_free(ws);
    phx_sys_batches_free(ws);
    phx_sys_threads_free(ws);
    phx_free(it->group_G);
    phx_free(it->group_K);
    phx_free(it->product);
    phx_free(it->place_rate);
    phx_free(it->need);
    phx_free(it->in_group);
    phx_free(it->groups);
    phx_free(it);
    ws->fast = NULL;
}

static void imitate(workspace *ws, const workspace *other)
{
    ws->fast->condensing = other->fast->condensing;
}

const evaluator phx_fast_evaluator = {
    .imitate = imitate,
    .create = create,
    .destroy = destroy,
    .create_projection = phx_sys_delassus_create,
    .view_ports = phx_fast_view_ports,
    .rows = phx_fast_rows,
    .row_residuals = phx_fast_row_residuals,
    .viewed_end = phx_fast_viewed_end,
    .rows_residual = phx_fast_rows_residual,
    .interval_begin = phx_fast_interval_begin,
    .interval_residual = phx_fast_interval_residual,
    .interval_linearise = phx_fast_interval_linearise,
    .add_couplings = phx_fast_add_couplings,
    .put_rows = phx_fast_put_rows,
    .pair_add = phx_fast_pair_add,
    .pair_rate_add = phx_fast_pair_rate_add,
    .body_add = phx_fast_body_add,
    .clear_efforts = phx_fast_clear_efforts,
    .create_lu = phx_fast_create_lu,
    .factor = phx_fast_factor,
    .solve = phx_fast_solve,
    .factor_mass = phx_fast_factor_mass,
    .solve_mass = phx_fast_solve_mass,
    .factor_rows = phx_fast_factor_rows,
    .solve_rows = phx_fast_solve_rows,
    .least_pivot = phx_fast_least_pivot,
    .kinetic_energies = phx_fast_kinetic_energies,
    .component_energies = phx_fast_component_energies,
    .synchronise = phx_fast_synchronise,
    .archive = phx_fast_archive,
    .set_threads = phx_fast_set_threads,
    .threads = phx_fast_threads,
};
