/* The plain evaluator: what it needs beside the arrays of every workspace. */
#include "plain.h"

#include <string.h>

/* Allocates the evaluator's arrays: one scratch area large enough for every body, and the matrix products of each
 * body. */
static phx_status workspace_create(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    size_t room = 1;

    for (int b = 0; b < system->n_bodies; b++) {
        const size_t own = phx_body_room(system->bodies[b].body);
        room = own > room ? own : room;
    }
    ws->bodies.room = phx_calloc(context, room, sizeof *ws->bodies.room);
    ws->bodies.products = phx_calloc(context, (size_t)system->n_bodies, sizeof *ws->bodies.products);
    ws->bodies.energy = phx_calloc(context, (size_t)system->n_bodies, sizeof *ws->bodies.energy);
    if (!ws->bodies.room || !ws->bodies.products || !ws->bodies.energy)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies; b++) {
        ws->bodies.products[b] = phx_body_products_create(context, system->bodies[b].body, ws->bodies.room);
        if (!ws->bodies.products[b])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static void workspace_destroy(workspace *ws)
{
    for (int b = 0; b < ws->system->n_bodies && ws->bodies.products; b++)
        phx_body_products_destroy(ws->system->bodies[b].body, ws->bodies.products[b]);
    phx_free(ws->bodies.products);
    phx_free(ws->bodies.room);
    phx_free(ws->bodies.energy);
}

static void clear_efforts(workspace *ws)
{
    memset(ws->ports.effort, 0, (size_t)(ws->system->n_ports * PHX_PORT_MAX) * sizeof *ws->ports.effort);
}

static const kkt_matrix *whole_matrix(const workspace *ws)
{
    return &ws->kkt;
}

const evaluator phx_plain_evaluator = {
    .create = workspace_create,
    .destroy = workspace_destroy,
    .view_ports = phx_plain_view_ports,
    .rows = phx_plain_rows,
    .row_residuals = phx_plain_row_residuals,
    .rows_residual = phx_plain_rows_residual,
    .interval_begin = phx_plain_interval_begin,
    .interval_residual = phx_plain_interval_residual,
    .interval_linearise = phx_plain_interval_linearise,
    .add_couplings = phx_plain_add_couplings,
    .put_rows = phx_plain_put_rows,
    .pair_add = phx_plain_pair_add,
    .pair_rate_add = phx_plain_pair_rate_add,
    .body_add = phx_plain_body_add,
    .target = whole_matrix,
    .clear_efforts = clear_efforts,
    .create_lu = phx_plain_create_lu,
    .factor = phx_sys_factor_whole,
    .solve = phx_plain_solve,
    .factor_mass = phx_sys_factor_whole_mass,
    .solve_mass = phx_plain_solve_mass,
    .factor_rows = phx_plain_factor_rows,
    .solve_rows = phx_plain_solve_rows,
    .kinetic_energies = phx_plain_kinetic_energies,
    .component_energies = phx_plain_component_energies,
};
