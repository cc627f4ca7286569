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

static void add_member(const phx_system *system, const phx_body *body, int b, int x, int v, member_set *made)
{
    const body_slot *slot = &system->bodies[b];
    const int *ptr = NULL, *idx = NULL, rigid = system->dim + system->n_rot;
    member_slot *member = &made->member[made->n++];

    *member = (member_slot){.body = body, .of = b, .x = slot->x + x, .v = slot->v + v};
    phx_body_pattern(slot->body, &ptr, &idx);
    for (int i = 0; i < rigid; i++)
        member->entry[i] = ptr[v + i] + v - idx[ptr[v + i]];
}

/* Lists the members of the system: every node of a rod, otherwise the body itself, with their offsets in x and v. */
static void list_members(const phx_system *system, member_set *made)
{
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body *const *nodes = NULL;
        const phx_body_frame *frames = NULL;
        const int n = phx_rod_nodes(slot->body, &nodes, &frames);
        made->first[b] = made->n;
        for (int k = 0; k < n; k++)
            add_member(system, nodes[k], b, frames[k].x, frames[k].v, made);
        if (n == 0)
            add_member(system, slot->body, b, 0, 0, made);
    }
    made->first[system->n_bodies] = made->n;
}

/* Allocates and lists the members; none is in a batch yet (batch_of -1). */
phx_status phx_sys_members_create(phx_context *context, const phx_system *system, member_set *made)
{
    size_t n = 0;

    for (int b = 0; b < system->n_bodies; b++)
        n += (size_t)count_members(system->bodies[b].body);
    made->member = phx_calloc(context, n, sizeof *made->member);
    made->first = phx_calloc(context, (size_t)system->n_bodies + 1, sizeof *made->first);
    made->batch_of = phx_calloc(context, n, sizeof *made->batch_of);
    made->lane_of = phx_calloc(context, n, sizeof *made->lane_of);
    made->energy = phx_calloc(context, n, sizeof *made->energy);
    if (!made->member || !made->first || !made->batch_of || !made->lane_of || !made->energy)
        return PHX_ERR_MEMORY;
    list_members(system, made);
    for (int m = 0; m < made->n; m++)
        made->batch_of[m] = -1;
    return PHX_OK;
}

void phx_sys_members_free(member_set *members)
{
    phx_free(members->member);
    phx_free(members->first);
    phx_free(members->batch_of);
    phx_free(members->lane_of);
    phx_free(members->energy);
}

int phx_sys_member_of(const workspace *ws, phx_port_id id)
{
    const port_slot *port = &ws->system->ports[id];
    const fast_data *data = ws->fast;

    if (port->body == PHX_GROUND)
        return -1;
    for (int m = data->members.first[port->body]; m < data->members.first[port->body + 1]; m++)
        if (data->members.member[m].v == ws->system->bodies[port->body].v + port->port.frame.v)
            return m;
    return data->members.first[port->body];
}

/* ---- batches ---- */
/* While they are made. */
typedef struct gathering {
    phx_context *context;
    const phx_system *system;
    const condensation *condensation; /* NULL: none */
    body_set *shared;
    member_set *members;
    body_batches *made;
} gathering;

static bool may_join(const gathering *g, int a, int b)
{
    const member_slot *members = g->members->member;
    return phx_body_fits_batch(members[b].body) &&
           phx_sys_condensed_type(g->condensation, members[a].of) ==
               phx_sys_condensed_type(g->condensation, members[b].of) &&
           phx_body_alike(members[a].body, members[b].body);
}

/* Creates the batch of the listed members, with their offsets in the state and in the condensed unknowns. */
static phx_status make_batch(const gathering *g, int count, const int *members)
{
    const kkt_matrix *condensed = g->condensation ? &g->condensation->kkt : NULL;
    batch_slot *slot = &g->made->batch[g->made->n];
    phx_body_batch_def def = {.count = count, .room = g->shared->room};

    slot->count = count;
    for (int l = 0; l < count; l++) {
        const member_slot *member = &g->members->member[members[l]];
        slot->member[l] = members[l];
        g->members->batch_of[members[l]] = g->made->n;
        g->members->lane_of[members[l]] = l;
        def.bodies[l] = member->body;
        def.x[l] = member->x;
        def.v[l] = member->v;
        def.c[l] = condensed ? condensed->place[member->v] : 0;
    }
    g->made->n++;
    const phx_status status = phx_body_batch_create(g->context, &def, &slot->batch);
    slot->width = status ? 1 : phx_body_batch_simd_width(slot->batch);
    return status;
}

/* Batches of the members that go with member m, from m on. */
static phx_status batches_gather(const gathering *g, int m, int *list)
{
    const int most = phx_body_batch_most();
    phx_status status = PHX_OK;
    int count = 0;

    for (int other = m; other < g->members->n && !status; other++) {
        if (g->members->batch_of[other] >= 0 || !may_join(g, m, other))
            continue;
        list[count++] = other;
        if (count == most) {
            status = make_batch(g, most, list);
            count = 0;
        }
    }
    return status || count == 0 ? status : make_batch(g, count, list);
}

/* Scratch that all bodies share, and what is asked of one body at a time. */
static phx_status create_shared(phx_context *context, const phx_system *system, body_set *made, size_t *room)
{
    const size_t count = (size_t)system->n_bodies;

    *room = 1;
    for (int b = 0; b < system->n_bodies; b++) {
        const size_t batch = phx_body_batch_room(system->bodies[b].body), one = phx_body_room(system->bodies[b].body);
        *room = batch > *room ? batch : *room;
        *room = one > *room ? one : *room;
    }
    made->room = phx_calloc(context, *room, sizeof *made->room);
    made->products = phx_calloc(context, count, sizeof *made->products);
    made->energy = phx_calloc(context, count, sizeof *made->energy);
    return made->room && made->products && made->energy ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status batches_allocate(phx_context *context, int n_bodies, int n_members, body_batches *made)
{
    made->batch = phx_calloc(context, (size_t)n_members, sizeof *made->batch);
    made->done = phx_calloc(context, (size_t)n_members, sizeof *made->done);
    made->rods = phx_calloc(context, (size_t)n_bodies, sizeof *made->rods);
    made->sliding = phx_calloc(context, (size_t)n_bodies, sizeof *made->sliding);
    made->unbatched = phx_calloc(context, (size_t)n_bodies, sizeof *made->unbatched);
    return made->batch && made->done && made->rods && made->sliding && made->unbatched ? PHX_OK : PHX_ERR_MEMORY;
}

/* A rod, or a body in no batch. */
static phx_status add_body(const gathering *g, int b)
{
    const body_slot *slot = &g->system->bodies[b];
    const int m = g->members->first[b];

    if (g->members->member[m].body != slot->body) {
        rod_slot *rod = &g->made->rods[g->made->n_rods++];
        rod->body = b;
        if (phx_body_places(slot->body, NULL, NULL) > 0)
            g->made->sliding[g->made->n_sliding++] = b;
        return phx_rod_batch_create(g->context, slot->body, slot->x, slot->v, &rod->batch);
    }
    if (g->members->batch_of[m] >= 0)
        return PHX_OK;
    g->made->unbatched[g->made->n_unbatched++] = b;
    g->shared->products[b] = phx_body_products_create(g->context, slot->body, g->shared->room);
    return g->shared->products[b] ? PHX_OK : PHX_ERR_MEMORY;
}

/* The arrow block of the widest batch. */
static size_t arrow_room(const body_batches *bodies)
{
    size_t room = 1;

    for (int p = 0; p < bodies->n; p++) {
        const size_t size = phx_body_batch_arrow_size(bodies->batch[p].batch);
        room = size > room ? size : room;
    }
    return room;
}

/* Groups members with the same deformation matrices into batches and determines the sizes of the scratch areas; the
 * others are evaluated one by one. */
phx_status phx_sys_batches_create(phx_context *context, const phx_system *system, const condensation *condensed,
                                  member_set *members, body_set *shared, body_batches *made, size_t *sizes)
{
    const gathering g = {context, system, condensed, shared, members, made};
    int list[PHX_BATCH_WIDTH];
    phx_status status = create_shared(context, system, shared, &sizes[SCRATCH_ROOM]);

    if (!status)
        status = batches_allocate(context, system->n_bodies, members->n, made);
    for (int m = 0; m < members->n && !status; m++)
        if (members->batch_of[m] < 0 && phx_body_fits_batch(members->member[m].body))
            status = batches_gather(&g, m, list);
    for (int b = 0; b < system->n_bodies && !status; b++)
        status = add_body(&g, b);
    if (!status)
        sizes[SCRATCH_ARROW] = arrow_room(made);
    return status;
}

static void free_shared(const phx_system *system, const body_batches *batches, body_set *of)
{
    for (int i = 0; i < batches->n_unbatched; i++) {
        const int b = batches->unbatched[i];
        phx_body_products_destroy(system->bodies[b].body, of->products[b]);
    }
    phx_free(of->products);
    phx_free(of->energy);
    phx_free(of->room);
}

void phx_sys_batches_free(const phx_system *system, body_set *shared, body_batches *batches)
{
    for (int p = 0; p < batches->n; p++)
        phx_body_batch_destroy(batches->batch[p].batch);
    for (int k = 0; k < batches->n_rods; k++)
        phx_rod_batch_destroy(batches->rods[k].batch);
    free_shared(system, batches, shared);
    phx_free(batches->batch);
    phx_free(batches->done);
    phx_free(batches->rods);
    phx_free(batches->sliding);
    phx_free(batches->unbatched);
}

/* The arrow block of a rigid body, row by row: its columns stand side by side in the matrix. */
static void put_rigid(const workspace *ws, const batch_slot *slot, int lane, int n, const double *arrow, const int *at,
                      double *val)
{
    const member_slot *member = &ws->fast->members.member[slot->member[lane]];
    const double *from = arrow + lane;

    for (int i = 0; i < n; i++) {
        double *row = val + at[member->entry[i]];
        for (int j = 0; j < n; j++, from += slot->width)
            row[j] = *from;
    }
}

/* Matrices of a batch over the interval into val, at the places of each body; a rigid one is nothing but its arrow
 * block. */
void phx_sys_put_batch(workspace *ws, int p, int *const *body_at, double *val)
{
    const batch_slot *slot = &ws->fast->bodies.batch[p];
    const phx_system *system = ws->system;
    const phx_body *body = ws->fast->members.member[slot->member[0]].body;
    const int rigid = system->dim + system->n_rot, *ptr = NULL, *idx = NULL;

    phx_body_batch_interval_arrow(slot->batch, system->gravity, ws->step.x1, ws->step.xm, ws->fast->scratch.arrow);
    phx_body_pattern(body, &ptr, &idx);
    const int nnz = ptr[phx_body_n_v(body)];
    for (int l = 0; l < slot->count; l++) {
        const int *at = body_at[ws->fast->members.member[slot->member[l]].of];
        if (phx_body_n_q(body) == 0) {
            put_rigid(ws, slot, l, rigid, ws->fast->scratch.arrow, at, val);
            continue;
        }
        phx_body_batch_interval_matrix(slot->batch, ws->fast->scratch.arrow, l, ws->bodies.M);
        for (int k = 0; k < nnz; k++)
            val[at[k]] = ws->bodies.M[k];
    }
}

void phx_sys_add_rod(const workspace *ws, int k, int *const *body_at, double *val)
{
    const rod_slot *rod = &ws->fast->bodies.rods[k];

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
