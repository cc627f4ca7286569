/* The fast evaluator: what it keeps beside the workspace, and its table. */
#include "fast.h"

#include <string.h>

/* ---- the rows of each joint ---- */
/* Groups successive rows of one joint between the same ports and counts the leading point rows. */
static void find_groups(const phx_system *system, const row_set *rows, row_groups *made)
{
    for (int k = 0; k < rows->n;) {
        const int joint = system->rows.slot[rows->index[k]].joint;
        const phx_port_id a = rows->row[k].a, b = rows->row[k].b;
        const port_slot *on_a = &system->ports[a], *on_b = &system->ports[b];
        row_group group = {.a = a,
                           .b = b,
                           .joint = joint,
                           .first = k,
                           .one_body = on_a->body == on_b->body,
                           .slides = phx_body_port_is_wide(&on_a->port) || phx_body_port_is_wide(&on_b->port),
                           .opens = {!made->has_port[a], !made->has_port[b] && a != b}};
        for (; k < rows->n && system->rows.slot[rows->index[k]].joint == joint && rows->row[k].a == a; k++)
            group.points += rows->row[k].unit == k - group.first && group.points == k - group.first &&
                            !rows->row[k].speed && rows->row[k].rate == 0.0;
        group.end = k;
        group.points = group.points == system->dim ? group.points : 0;
        made->has_port[a] = made->has_port[b] = true;
        made->group[made->n++] = group;
    }
}

static phx_status create_groups(phx_context *context, const phx_system *system, const row_set *rows, row_groups *made)
{
    made->has_port = phx_calloc(context, (size_t)system->n_ports, sizeof *made->has_port);
    made->group = phx_calloc(context, (size_t)rows->n, sizeof *made->group);
    if (!made->has_port || !made->group)
        return PHX_ERR_MEMORY;
    find_groups(system, rows, made);
    return PHX_OK;
}

static void free_groups(row_groups *rows)
{
    phx_free(rows->has_port);
    phx_free(rows->group);
}

/* ---- scratch ---- */
/* Of the sizes that the parts before it have asked for; that of the projection is made with it. */
static phx_status create_scratch(phx_context *context, const port_set *ports, const body_set *bodies,
                                 fast_scratch *made)
{
    enum { MOST_ROWS = PHX_JOINT_MAX_ROWS + PHX_JOINT_MAX_COORDINATES };
    const size_t rows = (size_t)(MOST_ROWS * 2 * ports->widest);
    const struct {
        scratch_kind kind;
        size_t size;
    } own[] = {{SCRATCH_BODY, (size_t)(3 * (bodies->D - bodies->M))},
               {SCRATCH_MAP, (size_t)(2 * ports->map_size)},
               {SCRATCH_G, rows},
               {SCRATCH_K, rows},
               {SCRATCH_PRODUCT, (size_t)(PHX_PORT_MAX * ports->widest)}};

    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        made->size[own[k].kind] = own[k].size;
    const phx_array arrays[] = {{&made->G, rows},
                                {&made->K, rows},
                                {&made->product, made->size[SCRATCH_PRODUCT]},
                                {&made->arrow, made->size[SCRATCH_ARROW]},
                                {&made->block, made->size[SCRATCH_BLOCK]}};
    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

static void free_scratch(fast_scratch *of)
{
    double *arrays[] = {of->G, of->K, of->product, of->arrow, of->block, of->rows};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

/* ---- rows anew ---- */
static bool can_reuse_block(const phx_system *system, const fast_data *data)
{
    bool modal = false;

    for (int b = 0; b < system->n_bodies; b++)
        modal = modal || phx_body_has_modes(system->bodies[b].body);
    for (int g = 0; g < data->rows.n && modal; g++)
        modal = !data->rows.group[g].one_body && !data->rows.group[g].slides;
    return modal && data->bodies.n_rods == 0 && system->n_forces == 0 && system->control.n == 0;
}

/* ---- the whole ---- */
/* The parts, in the order of the struct. */
static phx_status create_parts(phx_context *context, workspace *ws, fast_data *data)
{
    const phx_system *system = ws->system;
    const pattern_source source = phx_sys_pattern_source(ws);
    size_t *sizes = data->scratch.size;
    phx_status status = create_groups(context, system, &ws->rows, &data->rows);

    if (!status)
        status = phx_sys_condensation_create(context, &source, &data->condensation);
    if (!status)
        status = phx_sys_members_create(context, system, &data->members);
    if (!status)
        status = phx_sys_batches_create(context, system, data->condensation, &data->members, &ws->bodies, &data->bodies,
                                        sizes);
    if (!status)
        status = phx_sys_condensation_allocate(context, system, &ws->kkt, &data->members, &data->bodies,
                                               data->condensation, sizes);
    if (!status)
        status = phx_sys_joint_batches_create(context, ws, &data->joints, &data->unbatched);
    if (!status)
        status = phx_sys_threads_create(context, system, &ws->rows, &data->threads);
    if (!status)
        data->reuse.able = can_reuse_block(system, data);
    if (!status && data->reuse.able)
        status = phx_sys_schur_create(context, &ws->kkt, &data->schur);
    return status ? status : create_scratch(context, &ws->ports, &ws->bodies, &data->scratch);
}

static phx_status workspace_create(workspace *ws)
{
    ws->fast = phx_calloc(ws->base.context, 1, sizeof *ws->fast);
    if (!ws->fast)
        return PHX_ERR_MEMORY;
    ws->fast->into = &ws->kkt;
    return create_parts(ws->base.context, ws, ws->fast);
}

/* Frees the data of the fast evaluator; allowed at any stage of its creation. */
static void workspace_destroy(workspace *ws)
{
    fast_data *data = ws->fast;

    if (!data)
        return;
    phx_sys_delassus_free(ws);
    phx_sys_schur_free(data->schur);
    free_scratch(&data->scratch);
    phx_sys_threads_free(&data->threads);
    phx_sys_joint_batches_free(&data->joints, &data->unbatched);
    phx_sys_batches_free(ws->system, &ws->bodies, &data->bodies);
    phx_sys_members_free(&data->members);
    phx_sys_condensation_free(ws->system, data->condensation);
    free_groups(&data->rows);
    phx_free(data);
    ws->fast = NULL;
}

static void imitate(workspace *ws, const workspace *other)
{
    ws->fast->condensing = other->fast->condensing;
}

static const kkt_matrix *target(const workspace *ws)
{
    return ws->fast->into;
}

const evaluator phx_fast_evaluator = {
    .imitate = imitate,
    .create = workspace_create,
    .destroy = workspace_destroy,
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
    .target = target,
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
    .archive = phx_fast_archive,
    .set_threads = phx_fast_set_threads,
    .threads = phx_fast_threads,
};
