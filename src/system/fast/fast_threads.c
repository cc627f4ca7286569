/* Threads inside the time step of one mechanism: a pool of the workspace goes over bodies, ports and joints, and over
 * branches of the elimination. Every number is made by the same operations in the same order whatever their number.
 *
 * An entry that a loop adds to is owned by the part that meets it first. The terms of other parts are late: they wait
 * until all parts are done and are then added in the order of the loop. Owner and late ones come in that order anyhow,
 * since the parts are contiguous and the owner's is the first. */
#include "fast.h"

#include <string.h>

/* Velocities and multipliers from which on two threads take less time than one. Measured on chains: up to 5000 a step
 * is too short for what its two dozen loops cost to begin on another processor; from 10000 on it takes 0.96 times as
 * long or less, 0.5 to 0.8 times for the largest. */
enum { PAYING_UNKNOWNS = 10000 };

/* ---- loops ---- */
void phx_sys_run(const workspace *ws, int count, phx_thread_pool_task *task, void *user)
{
    (void)phx_thread_pool_run(ws->fast->threads.pool, ws->base.context, count, task, user);
}

/* Copy of the workspace for one part of a parallel loop, with scratch areas of its own; part 0 uses the original
 * ones. */
workspace *phx_sys_part(const workspace *ws, int part, fast_part *room)
{
    workspace *own = &room->ws;
    fast_data *fast = &room->fast;

    *own = *ws;
    *fast = *ws->fast;
    own->fast = fast;
    if (part == 0)
        return own;
    double *at = fast->threads.room + (size_t)(part - 1) * fast->threads.stride;
    fast_scratch *arrays_of = &fast->scratch;
    double **arrays[N_SCRATCH] = {&own->bodies.M,    &own->bodies.room,   &arrays_of->arrow,
                                  &arrays_of->block, &own->ports.map,     &arrays_of->G,
                                  &arrays_of->K,     &arrays_of->product, &arrays_of->rows};
    for (int k = 0; k < N_SCRATCH; k++) {
        *arrays[k] = at;
        at += arrays_of->size[k];
    }
    const size_t widest = arrays_of->size[SCRATCH_BODY] / 3;
    own->bodies.D = own->bodies.M + widest;
    own->bodies.K = own->bodies.D + widest;
    return own;
}

typedef struct span {
    size_t count;
    double *values;
    int parts;
} span;

static phx_status clear_part(void *user, phx_context *context, int part, int first, int end)
{
    const span *cleared = user;
    const size_t from = cleared->count * (size_t)first / (size_t)cleared->parts,
                 to = cleared->count * (size_t)end / (size_t)cleared->parts;
    (void)context, (void)part;
    memset(cleared->values + from, 0, (to - from) * sizeof *cleared->values);
    return PHX_OK;
}

void phx_sys_clear(const workspace *ws, size_t count, double *values)
{
    span cleared = {count, values, phx_thread_pool_parts(ws->fast->threads.pool)};
    phx_sys_run(ws, cleared.parts, clear_part, &cleared);
}

/* ---- what is made once ---- */
phx_status phx_sys_threads_create(phx_context *context, const phx_system *system, const row_set *of, thread_use *made)
{
    const size_t rows = (size_t)of->n;

    made->group = phx_calloc(context, rows, sizeof *made->group);
    made->port = phx_calloc(context, (size_t)system->n_ports, sizeof *made->port);
    made->groups = phx_calloc(context, 2 * rows + (size_t)system->n_ports, sizeof *made->groups);
    if (!made->group || !made->port || !made->groups)
        return PHX_ERR_MEMORY;
    made->batches = made->groups + rows;
    made->ports = made->batches + rows;
    return PHX_OK;
}

void phx_sys_threads_free(thread_use *threads)
{
    phx_thread_pool_destroy(threads->pool);
    phx_free(threads->group);
    phx_free(threads->port);
    phx_free(threads->groups);
    phx_free(threads->room);
}

/* Scratch of the parts, with a cache line between them; parts of batches and bodies as the loops have them. */
static phx_status share_scratch(workspace *ws)
{
    enum { APART = 16 };
    thread_use *use = &ws->fast->threads;
    const int parts = phx_thread_pool_parts(ws->fast->threads.pool);
    double *shared = NULL;

    use->stride = APART;
    for (int k = 0; k < N_SCRATCH; k++)
        use->stride += ws->fast->scratch.size[k];
    shared = phx_calloc(ws->base.context, (size_t)(parts - 1) * use->stride + APART, sizeof *shared);
    if (!shared)
        return PHX_ERR_MEMORY;
    phx_free(use->room);
    use->room = shared;
    for (int part = 0; part < parts; part++) {
        fast_part room;
        const workspace *own = phx_sys_part(ws, part, &room);
        const int end_batch = phx_thread_pool_first(ws->fast->threads.pool, ws->fast->bodies.n, part + 1),
                  end_body = phx_thread_pool_first(ws->fast->threads.pool, ws->fast->bodies.n_unbatched, part + 1);
        for (int p = phx_thread_pool_first(ws->fast->threads.pool, ws->fast->bodies.n, part); p < end_batch; p++)
            phx_body_batch_share(ws->fast->bodies.batch[p].batch, own->bodies.room);
        for (int i = phx_thread_pool_first(ws->fast->threads.pool, ws->fast->bodies.n_unbatched, part); i < end_body;
             i++)
            phx_body_products_share(ws->system->bodies[ws->fast->bodies.unbatched[i]].body,
                                    ws->bodies.products[ws->fast->bodies.unbatched[i]], own->bodies.room);
    }
    return PHX_OK;
}

/* Whether another part owns `target` (a body or a port); without an owner this part becomes it. target -1: false. */
static bool is_late(int *owner, int target, int part)
{
    if (target < 0)
        return false;
    if (owner[target] < 0)
        owner[target] = part;
    return owner[target] != part;
}

/* owner: n_bodies and n_ports of scratch, all -1. */
static void find_late_groups(workspace *ws, int *owner)
{
    const phx_system *system = ws->system;
    thread_use *use = &ws->fast->threads;
    int *of_port = owner + system->n_bodies;

    use->n_groups = 0;
    for (int g = 0; g < ws->fast->rows.n; g++)
        use->group[g] = 0;
    for (int i = 0, part = 0; i < ws->fast->unbatched.n_groups; i++) {
        while (i >= phx_thread_pool_first(ws->fast->threads.pool, ws->fast->unbatched.n_groups, part + 1))
            part++;
        const int g = ws->fast->unbatched.groups[i], ports[2] = {ws->fast->rows.group[g].a, ws->fast->rows.group[g].b};
        for (int side = 0; side < 2; side++)
            use->group[g] =
                (unsigned char)(use->group[g] | (is_late(of_port, ports[side], part) ? LATE_PORT << side : 0) |
                                (is_late(owner, system->ports[ports[side]].body, part) ? LATE_BODY << side : 0));
        if (use->group[g])
            use->groups[use->n_groups++] = g;
    }
}

/* owner: n_bodies of scratch, all -1; as in the next one. */
static void find_late_batches(workspace *ws, int *owner)
{
    thread_use *use = &ws->fast->threads;

    use->n_batches = 0;
    for (int p = 0, part = 0; p < ws->fast->joints.used; p++) {
        bool waits = false;
        while (p >= phx_thread_pool_first(ws->fast->threads.pool, ws->fast->joints.used, part + 1))
            part++;
        for (int l = 0; l < PHX_JOINT_SIMD_WIDTH; l++) {
            phx_body_id bodies[2];
            int late = 0;
            phx_sys_joint_batch_bodies(ws, p, l, bodies);
            for (int side = 0; side < 2; side++)
                late |= is_late(owner, bodies[side], part) ? LATE_BODY << side : 0;
            waits = phx_sys_joint_batch_waits(ws, p, l, late) || waits;
        }
        if (waits)
            use->batches[use->n_batches++] = p;
    }
}

static void find_late_ports(workspace *ws, int *owner)
{
    thread_use *use = &ws->fast->threads;

    use->n_ports = 0;
    for (int i = 0, part = 0; i < ws->fast->unbatched.n_ports; i++) {
        const phx_port_id id = ws->fast->unbatched.ports[i];
        while (i >= phx_thread_pool_first(ws->fast->threads.pool, ws->fast->unbatched.n_ports, part + 1))
            part++;
        use->port[id] = is_late(owner, ws->system->ports[id].body, part);
        if (use->port[id])
            use->ports[use->n_ports++] = id;
    }
}

/* Determines for each loop the terms that go to bodies or ports owned by an earlier part and must wait until all parts
 * are done. */
phx_status phx_sys_find_late(workspace *ws)
{
    const int n_owners = ws->system->n_bodies + ws->system->n_ports;
    int *owner = phx_calloc(ws->base.context, (size_t)n_owners, sizeof *owner);
    void (*const find[])(workspace * ws, int *owner) = {find_late_groups, find_late_batches, find_late_ports};

    if (!owner)
        return PHX_ERR_MEMORY;
    for (int f = 0; f < 3; f++) {
        for (int k = 0; k < n_owners; k++)
            owner[k] = -1;
        find[f](ws, owner);
    }
    phx_free(owner);
    return PHX_OK;
}

static phx_status share(workspace *ws)
{
    const phx_status status = share_scratch(ws);

    return status ? status : phx_sys_find_late(ws);
}

/* ---- factorisations ---- */
/* The places along bodies have no mass. */
static phx_status set_weak(const workspace *ws, const kkt_matrix *kkt, phx_lu *lu)
{
    const phx_system *system = ws->system;
    int *places = phx_calloc(ws->base.context, (size_t)kkt->n_v, sizeof *places), count = 0;

    if (!places)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies; b++) {
        int v, n = phx_body_places(system->bodies[b].body, NULL, &v);
        for (int i = system->bodies[b].v + v; n > 0; n--, i++)
            places[count++] = kkt->place ? kkt->place[i] : i;
    }
    const phx_status status = phx_lu_set_weak(lu, count, places);
    phx_free(places);
    return status;
}

/* Creates the sparse LU factorisation for a KKT pattern with the thread pool of the workspace; unknowns that may have
 * weak pivots are marked if points slide. *lu is set on success only. */
phx_status phx_fast_create_lu(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu)
{
    phx_lu *created = NULL;
    phx_status status =
        phx_lu_create(ws->base.context, kkt->n, kkt->ptr, kkt->idx, kkt->order, complex_values, &created);

    if (!status && ws->fast->threads.pool)
        status = phx_lu_use(created, ws->fast->threads.pool);
    if (!status && ws->system->traits.wide)
        status = set_weak(ws, kkt, created);
    if (status)
        phx_lu_destroy(created);
    else
        *lu = created;
    return status;
}

/* All factorisations that there are already. */
static phx_status hand_on(workspace *ws)
{
    const condensation *inner = ws->fast->condensation;
    phx_lu *lu[3 * PHX_FACTOR_SLOTS + 2] = {ws->mass.lu, inner ? inner->mass.lu : NULL};
    phx_status status = PHX_OK;
    int count = 2;

    for (int s = 0; s < PHX_FACTOR_SLOTS; s++) {
        lu[count++] = ws->values.lu[s];
        lu[count++] = ws->values.lu_complex[s];
        lu[count++] = inner ? inner->slot[s].lu : NULL;
    }
    for (int k = 0; k < count && !status; k++)
        if (lu[k])
            status = phx_lu_use(lu[k], ws->fast->threads.pool);
    return status;
}

/* Sets the number of threads of a step, 0 for an automatic choice by size, and divides the loops anew. After an error
 * one thread is used. */
phx_status phx_fast_set_threads(workspace *ws, int threads)
{
    phx_thread_pool *before = ws->fast->threads.pool;
    phx_status status = PHX_OK;

    ws->fast->threads.pool = NULL;
    if (threads == 0)
        threads = ws->kkt.n < PAYING_UNKNOWNS ? 1 : phx_processors();
    if (threads != 1)
        status = phx_thread_pool_create(ws->base.context, threads, &ws->fast->threads.pool);
    if (!status)
        status = share(ws);
    if (!status)
        status = hand_on(ws);
    if (status) { /* what was shared before is as good on one thread */
        phx_thread_pool_destroy(ws->fast->threads.pool);
        ws->fast->threads.pool = NULL;
        (void)hand_on(ws);
    }
    phx_thread_pool_destroy(before);
    return status;
}

int phx_fast_threads(const workspace *ws)
{
    return phx_thread_pool_parts(ws->fast->threads.pool);
}
