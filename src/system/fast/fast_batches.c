/* Which bodies a step evaluates together. The nodes of rods are rigid bodies like others; the elements between them are
 * evaluated rod by rod. */
#include "fast.h"

/* ---- members ---- */
static int count_members(const phx_body *body)
{
    phx_body *const *nodes = NULL;
    const phx_body_frame *frames = NULL;
    const int n = phx_rod_nodes(body, &nodes, &frames);

    return n > 0 ? n : 1;
}

static void add_member(workspace *ws, const phx_body *body, int b, int x, int v)
{
    const body_slot *slot = &ws->system->bodies[b];
    const int *ptr = NULL, *idx = NULL, rigid = ws->system->dim + ws->system->n_rot;
    member_slot *member = &ws->fast->members[ws->fast->n_members++];

    *member = (member_slot){.body = body, .of = b, .x = slot->x + x, .v = slot->v + v};
    phx_body_pattern(slot->body, &ptr, &idx);
    for (int i = 0; i < rigid; i++)
        member->entry[i] = ptr[v + i] + v - idx[ptr[v + i]];
}

static void list_members(workspace *ws)
{
    fast_data *it = ws->fast;

    for (int b = 0; b < ws->system->n_bodies; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        phx_body *const *nodes = NULL;
        const phx_body_frame *frames = NULL;
        const int n = phx_rod_nodes(slot->body, &nodes, &frames);
        it->first_member[b] = it->n_members;
        for (int k = 0; k < n; k++)
            add_member(ws, nodes[k], b, frames[k].x, frames[k].v);
        if (n == 0)
            add_member(ws, slot->body, b, 0, 0);
    }
    it->first_member[ws->system->n_bodies] = it->n_members;
}

int phx_sys_member_of(const workspace *ws, phx_port_id id)
{
    const port_slot *port = &ws->system->ports[id];
    const fast_data *it = ws->fast;

    if (port->body == PHX_GROUND)
        return -1;
    for (int m = it->first_member[port->body]; m < it->first_member[port->body + 1]; m++)
        if (it->members[m].v == ws->system->bodies[port->body].v + port->port.frame.v)
            return m;
    return it->first_member[port->body];
}

/* ---- batches ---- */
static bool may_join(const workspace *ws, int a, int b)
{
    const member_slot *members = ws->fast->members;
    return phx_body_fits_batch(members[b].body) &&
           phx_sys_condensed_type(ws, members[a].of) == phx_sys_condensed_type(ws, members[b].of) &&
           phx_body_alike(members[a].body, members[b].body);
}

static phx_status make_batch(workspace *ws, int count, const int *members)
{
    const kkt_matrix *condensed = ws->fast->condensation ? &ws->fast->condensation->kkt : NULL;
    batch_slot *slot = &ws->fast->batches[ws->fast->n_batches];
    phx_body_batch_def def = {.count = count, .room = ws->bodies.room};

    slot->count = count;
    for (int l = 0; l < count; l++) {
        const member_slot *member = &ws->fast->members[members[l]];
        slot->member[l] = members[l];
        ws->fast->batch_of[members[l]] = ws->fast->n_batches;
        ws->fast->lane_of[members[l]] = l;
        def.bodies[l] = member->body;
        def.x[l] = member->x;
        def.v[l] = member->v;
        def.c[l] = condensed ? condensed->place[member->v] : 0;
    }
    ws->fast->n_batches++;
    const phx_status status = phx_body_batch_create(ws->base.context, &def, &slot->batch);
    slot->lanes = status ? 1 : phx_body_batch_lanes(slot->batch);
    return status;
}

/* Batches of the members that go with member m, from m on. */
static phx_status gather(workspace *ws, int m, int *list)
{
    const int most = phx_body_batch_most();
    phx_status status = PHX_OK;
    int count = 0;

    for (int other = m; other < ws->fast->n_members && !status; other++) {
        if (ws->fast->batch_of[other] >= 0 || !may_join(ws, m, other))
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
    size_t room = 1, members = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const size_t batch = phx_body_batch_room(system->bodies[b].body), one = phx_body_room(system->bodies[b].body);
        members += (size_t)count_members(system->bodies[b].body);
        room = batch > room ? batch : room;
        room = one > room ? one : room;
    }
    ws->fast->scratch_size[SCRATCH_ROOM] = room;
    ws->bodies.room = phx_calloc(context, room, sizeof *ws->bodies.room);
    ws->fast->members = phx_calloc(context, members, sizeof *ws->fast->members);
    ws->fast->first_member = phx_calloc(context, count + 1, sizeof *ws->fast->first_member);
    ws->fast->batches = phx_calloc(context, members, sizeof *ws->fast->batches);
    ws->fast->batch_of = phx_calloc(context, members, sizeof *ws->fast->batch_of);
    ws->fast->lane_of = phx_calloc(context, members, sizeof *ws->fast->lane_of);
    ws->fast->energy = phx_calloc(context, members, sizeof *ws->fast->energy);
    ws->fast->rods = phx_calloc(context, count, sizeof *ws->fast->rods);
    ws->fast->loose_bodies = phx_calloc(context, count, sizeof *ws->fast->loose_bodies);
    ws->bodies.products = phx_calloc(context, count, sizeof *ws->bodies.products);
    ws->bodies.energy = phx_calloc(context, count, sizeof *ws->bodies.energy);
    ws->fast->batch_done = phx_calloc(context, members, sizeof *ws->fast->batch_done);
    return ws->fast->members && ws->fast->first_member && ws->fast->energy && ws->fast->rods && ws->bodies.energy &&
                   ws->fast->batch_done && ws->bodies.room && ws->fast->batches && ws->fast->batch_of &&
                   ws->fast->lane_of && ws->fast->loose_bodies && ws->bodies.products
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

/* A rod, or a body in no batch. */
static phx_status add_body(workspace *ws, int b)
{
    const body_slot *slot = &ws->system->bodies[b];
    phx_context *context = ws->base.context;

    if (ws->fast->members[ws->fast->first_member[b]].body != slot->body) {
        rod_slot *rod = &ws->fast->rods[ws->fast->n_rods++];
        rod->body = b;
        return phx_rod_batch_create(context, slot->body, slot->x, slot->v, &rod->batch);
    }
    if (ws->fast->batch_of[ws->fast->first_member[b]] >= 0)
        return PHX_OK;
    ws->fast->loose_bodies[ws->fast->n_loose_bodies++] = b;
    ws->bodies.products[b] = phx_body_products_create(context, slot->body, ws->bodies.room);
    return ws->bodies.products[b] ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_sys_batches_create(workspace *ws)
{
    phx_status status = allocate(ws);
    int list[PHX_BATCH_WIDTH];
    size_t arrow = 1;

    if (status)
        return status;
    list_members(ws);
    for (int m = 0; m < ws->fast->n_members; m++)
        ws->fast->batch_of[m] = -1;
    for (int m = 0; m < ws->fast->n_members && !status; m++)
        if (ws->fast->batch_of[m] < 0 && phx_body_fits_batch(ws->fast->members[m].body))
            status = gather(ws, m, list);
    for (int b = 0; b < ws->system->n_bodies && !status; b++)
        status = add_body(ws, b);
    for (int p = 0; p < ws->fast->n_batches && !status; p++) {
        const size_t size = phx_body_batch_arrow_size(ws->fast->batches[p].batch);
        arrow = size > arrow ? size : arrow;
    }
    ws->fast->scratch_size[SCRATCH_ARROW] = arrow;
    if (!status)
        ws->fast->arrow = phx_calloc(ws->base.context, arrow, sizeof *ws->fast->arrow);
    return status ? status : ws->fast->arrow ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_sys_batches_free(workspace *ws)
{
    for (int p = 0; p < ws->fast->n_batches; p++)
        phx_body_batch_destroy(ws->fast->batches[p].batch);
    for (int i = 0; i < ws->fast->n_loose_bodies; i++)
        phx_body_products_destroy(ws->system->bodies[ws->fast->loose_bodies[i]].body,
                                  ws->bodies.products[ws->fast->loose_bodies[i]]);
    for (int k = 0; k < ws->fast->n_rods; k++)
        phx_rod_batch_destroy(ws->fast->rods[k].batch);
    phx_free(ws->fast->members);
    phx_free(ws->fast->first_member);
    phx_free(ws->fast->energy);
    phx_free(ws->fast->rods);
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
static void put_rigid(const workspace *ws, const batch_slot *slot, int lane, int n, const double *arrow, const int *at,
                      double *val)
{
    const member_slot *member = &ws->fast->members[slot->member[lane]];
    const double *from = arrow + lane;

    for (int i = 0; i < n; i++) {
        double *row = val + at[member->entry[i]];
        for (int j = 0; j < n; j++, from += slot->lanes)
            row[j] = *from;
    }
}

/* Matrices of a batch over the interval into val, at the places of each body; a rigid one is nothing but its arrow
 * block. */
void phx_sys_put_batch(workspace *ws, int p, int *const *body_at, double *val)
{
    const batch_slot *slot = &ws->fast->batches[p];
    const phx_system *system = ws->system;
    const phx_body *body = ws->fast->members[slot->member[0]].body;
    const int rigid = system->dim + system->n_rot, *ptr = NULL, *idx = NULL;

    phx_body_batch_interval_arrow(slot->batch, system->gravity, ws->step.x1, ws->step.xm, ws->fast->arrow);
    phx_body_pattern(body, &ptr, &idx);
    const int nnz = ptr[phx_body_n_v(body)];
    for (int l = 0; l < slot->count; l++) {
        const int *at = body_at[ws->fast->members[slot->member[l]].of];
        if (phx_body_n_q(body) == 0) {
            put_rigid(ws, slot, l, rigid, ws->fast->arrow, at, val);
            continue;
        }
        phx_body_batch_interval_matrix(slot->batch, ws->fast->arrow, l, ws->bodies.M);
        for (int k = 0; k < nnz; k++)
            val[at[k]] = ws->bodies.M[k];
    }
}

void phx_sys_add_rod(const workspace *ws, int k, int *const *body_at, double *val)
{
    const rod_slot *rod = &ws->fast->rods[k];

    phx_rod_batch_tangent(rod->batch, ws->step.x1, ws->step.xm, ws->step.vm, body_at[rod->body], val);
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
