/* The plain evaluator: what it needs beside the arrays of every workspace. */
#include "plain.h"

phx_status phx_plain_create(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    size_t room = 1;

    for (int b = 0; b < system->n_bodies; b++) {
        const size_t own = phx_body_room(system->bodies[b].body);
        room = own > room ? own : room;
    }
    ws->room = phx_calloc(context, room, sizeof *ws->room);
    ws->products = phx_calloc(context, (size_t)system->n_bodies, sizeof *ws->products);
    ws->energy = phx_calloc(context, (size_t)system->n_bodies, sizeof *ws->energy);
    if (!ws->room || !ws->products || !ws->energy)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies; b++) {
        ws->products[b] = phx_body_products_create(context, system->bodies[b].body, ws->room);
        if (!ws->products[b])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

void phx_plain_free(workspace *ws)
{
    for (int b = 0; b < ws->system->n_bodies && ws->products; b++)
        phx_free(ws->products[b]);
}
