/* Which bodies a step evaluates together. */
#include "fast.h"

static bool may_join(const workspace *ws, int a, int b)
{
    const phx_system *system = ws->system;
    return phx_body_fits_batch(system->bodies[b].body) &&
           phx_sys_condensed_type(ws, a) == phx_sys_condensed_type(ws, b) &&
           phx_body_alike(system->bodies[a].body, system->bodies[b].body);
}

static phx_status make_batch(workspace *ws, int count, const int *bodies)
{
    const phx_system *system = ws->system;
    const kkt_matrix *condensed = ws->fast->condensation ? &ws->fast->condensation->kkt : NULL;
    batch_slot *slot = &ws->fast->batches[ws->fast->n_batches];
    phx_body_batch_def def = {.count = count, .room = ws->bodies.room};

    slot->count = count;
    for (int l = 0; l < count; l++) {
        const body_slot *body = &system->bodies[bodies[l]];
        slot->body[l] = bodies[l];
        ws->fast->batch_of[bodies[l]] = ws->fast->n_batches;
        ws->fast->lane_of[bodies[l]] = l;
        def.bodies[l] = body->body;
        def.x[l] = body->x;
        def.v[l] = body->v;
        def.c[l] = condensed ? condensed->place[body->v] : 0;
    }
    ws->fast->n_batches++;
    const phx_status status = phx_body_batch_create(ws->base.context, &def, &slot->batch);
    slot->lanes = status ? 1 : phx_body_batch_lanes(slot->batch);
    return status;
}

/* Batches of the bodies that go with body b, from b on. */
static phx_status gather(workspace *ws, int b, int *list)
{
    const int most = phx_body_batch_most();
    phx_status status = PHX_OK;
    int count = 0;

    for (int other = b; other < ws->system->n_bodies && !status; other++) {
        if (ws->fast->batch_of[other] >= 0 || !may_join(ws, b, other))
            continue;
        list[count++] = other;
        if (count == most) {
            status = make_batch(ws, most, list);
            count = 0;
        }
    }
    return status || count == 0 ? status : make_batch(ws, count, list);
}

static phx_status allocate(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    const size_t count = (size_t)system->n_bodies;
    size_t room = 1;

    for (int b = 0; b < system->n_bodies; b++) {
        const size_t batch = phx_body_batch_room(system->bodies[b].body), one = phx_body_room(system->bodies[b].body);
        room = batch > room ? batch : room;
        room = one > room ? one : room;
    }
    ws->fast->scratch_size[SCRATCH_ROOM] = room;
    ws->bodies.room = phx_calloc(context, room, sizeof *ws->bodies.room);
    ws->fast->batches = phx_calloc(context, count, sizeof *ws->fast->batches);
    ws->fast->batch_of = phx_calloc(context, count, sizeof *ws->fast->batch_of);
    ws->fast->lane_of = phx_calloc(context, count, sizeof *ws->fast->lane_of);
    ws->fast->loose_bodies = phx_calloc(context, count, sizeof *ws->fast->loose_bodies);
    ws->bodies.products = phx_calloc(context, count, sizeof *ws->bodies.products);
    ws->bodies.energy = phx_calloc(context, count, sizeof *ws->bodies.energy);
    ws->fast->batch_done = phx_calloc(context, count, sizeof *ws->fast->batch_done);
    return ws->bodies.energy && ws->fast->batch_done && ws->bodies.room && ws->fast->batches && ws->fast->batch_of &&
                   ws->fast->lane_of && ws->fast->loose_bodies && ws->bodies.products
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

phx_status phx_sys_batches_create(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    phx_status status = allocate(ws);
    int list[PHX_BATCH_WIDTH];
    size_t arrow = 1;

    for (int b = 0; b < system->n_bodies && !status; b++)
        ws->fast->batch_of[b] = -1;
    for (int b = 0; b < system->n_bodies && !status; b++) {
        if (ws->fast->batch_of[b] < 0 && phx_body_fits_batch(system->bodies[b].body))
            status = gather(ws, b, list);
        if (status || ws->fast->batch_of[b] >= 0)
            continue;
        ws->fast->loose_bodies[ws->fast->n_loose_bodies++] = b;
        ws->bodies.products[b] = phx_body_products_create(context, system->bodies[b].body, ws->bodies.room);
        status = ws->bodies.products[b] ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int p = 0; p < ws->fast->n_batches && !status; p++) {
        const size_t size = phx_body_batch_arrow_size(ws->fast->batches[p].batch);
        arrow = size > arrow ? size : arrow;
    }
    ws->fast->scratch_size[SCRATCH_ARROW] = arrow;
    if (!status)
        ws->fast->arrow = phx_calloc(context, arrow, sizeof *ws->fast->arrow);
    return status ? status : ws->fast->arrow ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_sys_batches_free(workspace *ws)
{
    for (int p = 0; p < ws->fast->n_batches; p++)
        phx_body_batch_destroy(ws->fast->batches[p].batch);
    for (int i = 0; i < ws->fast->n_loose_bodies; i++)
        phx_body_products_destroy(ws->system->bodies[ws->fast->loose_bodies[i]].body,
                                  ws->bodies.products[ws->fast->loose_bodies[i]]);
    phx_free(ws->fast->batches);
    phx_free(ws->fast->batch_of);
    phx_free(ws->fast->lane_of);
    phx_free(ws->fast->loose_bodies);
    phx_free(ws->bodies.products);
    phx_free(ws->bodies.energy);
    phx_free(ws->fast->batch_done);
    phx_free(ws->bodies.room);
    phx_free(ws->fast->arrow);
}

/* The arrow block of a rigid body, row by row: its columns stand side by side in the matrix. */
static void put_rigid(const batch_slot *slot, int lane, int n, const double *arrow, const int *at, double *val)
{
    const double *from = arrow + lane;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++, from += slot->lanes)
            val[at[i * n] + j] = *from;
}

/* Matrices of a batch over the interval into val, at the places of each body; a rigid one is nothing but its arrow
 * block. */
void phx_sys_put_batch(workspace *ws, int p, int *const *body_at, double *val)
{
    const batch_slot *slot = &ws->fast->batches[p];
    const phx_system *system = ws->system;
    const phx_body *body = system->bodies[slot->body[0]].body;
    const int rigid = system->dim + system->n_rot, *ptr = NULL, *idx = NULL;

    phx_body_batch_interval_arrow(slot->batch, system->gravity, ws->step.x1, ws->step.xm, ws->fast->arrow);
    phx_body_pattern(body, &ptr, &idx);
    for (int l = 0; l < slot->count; l++) {
        const int *at = body_at[slot->body[l]];
        if (phx_body_n_q(body) == 0) {
            put_rigid(slot, l, rigid, ws->fast->arrow, at, val);
            continue;
        }
        phx_body_batch_interval_matrix(slot->batch, ws->fast->arrow, l, ws->bodies.M);
        for (int k = 0; k < ptr[phx_body_n_v(body)]; k++)
            val[at[k]] = ws->bodies.M[k];
    }
}

/* The same of a body in no batch. */
void phx_sys_put_body(workspace *ws, int b, int *const *body_at, double *val)
{
    const phx_body *body = ws->system->bodies[b].body;
    const int *ptr = NULL, *idx = NULL, *at = body_at[b];

    const phx_body_view view = phx_sys_body_view(ws, b);
    phx_body_pattern(body, &ptr, &idx);
    phx_body_interval_linearise(body, ws->system->gravity, &view, ws->bodies.D, ws->bodies.M);
    for (int k = 0; k < ptr[phx_body_n_v(body)]; k++)
        val[at[k]] = ws->bodies.M[k];
}
