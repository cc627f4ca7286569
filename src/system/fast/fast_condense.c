/* Condensation: the deformations inside the bodies are eliminated body by body, so that only rigid velocities, the
 * coordinates at ports and the multipliers meet in a matrix.
 *
 * The block of the deformations in A(2/h) is S = 2/h M + R + h/2 K, constant, less (w0 + w1)_k A_k and terms of second
 * order in h w. S is factored once for a step size and a type of body. What it lacks is made up by iteration,
 *
 *     B x = b ,   B d_j = -(A - B) d_{j-1} ,   x = sum d_j ,
 *
 * with B the matrix that has S in its place. |x^T A_k y| <= |x|_M |y|_M, so the iteration contracts like h |w| where
 * the body's frame is held, and faster where stiffness outweighs inertia. Where it is slow the whole matrix is
 * factored. For accelerations the block is M_qq itself: nothing is lacking. */
#include "fast.h"
#include "system/forces/forces.h"

#include <string.h>

enum { FEWEST_INNER = 4 };
/* Measured on chains, condensing wins from about a dozen internal coordinates on. */
enum { PAYING_INNER = 12 };

/* ---- which coordinates are on the boundary ---- */
static void mark_port(const phx_system *system, phx_port_id id, bool *boundary)
{
    const port_slot *port = &system->ports[id];
    const int rigid = system->dim + system->n_rot;

    if (port->body == PHX_GROUND || !phx_body_fits_batch(system->bodies[port->body].body))
        return;
    for (int j = 0; j < port->port.point.n; j++)
        boundary[system->bodies[port->body].v + rigid + port->port.point.dof[j]] = true;
}

typedef struct marking {
    const phx_system *system;
    bool *boundary;
} marking;

static void mark_controlled(void *user, phx_port_id id)
{
    const marking *marks = user;

    mark_port(marks->system, id, marks->boundary);
}

/* Coordinates that joints, forces and controllers see, as marks over all velocities. */
static void mark_ports(const phx_system *system, bool *boundary)
{
    for (int j = 0; j < system->n_joints; j++) {
        mark_port(system, system->joints[j].a, boundary);
        mark_port(system, system->joints[j].b, boundary);
    }
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        if (!phx_sys_force_of(force)->at_ports)
            continue;
        mark_port(system, force->a, boundary);
        if (force->b >= 0)
            mark_port(system, force->b, boundary);
    }
    phx_sys_each_controlled_port(system, mark_controlled, &(marking){system, boundary});
}

/* Geometric stiffening couples stretching and bending as strongly as elasticity does, and the simplified kinetics has a
 * matrix of its own: such bodies stay whole. */
static bool can_condense(const phx_body *body, int internal)
{
    return internal >= FEWEST_INNER && phx_body_fits_batch(body);
}

/* Fills condensed, boundary_first, boundary, place and n_v; whether any body is condensed. */
static bool condense_choose(const phx_system *system, const bool *marks, kkt_matrix *kkt)
{
    const int rigid = system->dim + system->n_rot;
    bool any = false;
    int count = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const int n = phx_body_fits_batch(slot->body) ? phx_body_n_q(slot->body) : 0; /* behind one frame */
        int boundary = 0;
        for (int i = 0; i < n; i++)
            boundary += marks[slot->v + rigid + i];
        kkt->condensed[b] = can_condense(slot->body, n - boundary);
        any = any || kkt->condensed[b];
        for (int i = 0; i < n && kkt->condensed[b]; i++)
            if (marks[slot->v + rigid + i])
                kkt->boundary[count++] = i;
        kkt->boundary_first[b + 1] = count;
        for (int i = 0; i < phx_body_n_v(slot->body); i++)
            kkt->place[slot->v + i] = i < rigid || !kkt->condensed[b] || marks[slot->v + i] ? kkt->n_v++ : -1;
    }
    return any;
}

/* ---- creation ---- */
int phx_sys_condensed_type(const condensation *of, int b)
{
    return of ? of->type[b] : -1;
}

/* Groups the condensed bodies by type (same matrices and boundary coordinates) and creates a condenser for each type.
 * `pays` is set if some type has PAYING_INNER internal coordinates or more. */
static phx_status find_types(phx_context *context, const phx_system *system, condensation *condensed)
{
    const kkt_matrix *kkt = &condensed->kkt;
    phx_condenser **types = NULL;
    phx_status status = PHX_OK;

    condensed->mass.type = types = phx_calloc(context, (size_t)system->n_bodies, sizeof *types);
    if (!types)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const phx_body *body = system->bodies[b].body;
        const int n_boundary = kkt->boundary_first[b + 1] - kkt->boundary_first[b],
                  *boundary = kkt->boundary + kkt->boundary_first[b];
        int type = 0;
        condensed->type[b] = -1;
        if (!kkt->condensed[b])
            continue;
        while (type < condensed->n_types && !phx_condenser_serves(types[type], body, n_boundary, boundary))
            type++;
        if (type == condensed->n_types) {
            status = phx_condenser_create(context, body, n_boundary, boundary, &types[type]);
            condensed->n_types += status == PHX_OK;
        }
        condensed->type[b] = type;
        condensed->pays = condensed->pays || (!status && phx_condenser_internal(types[type]) >= PAYING_INNER);
    }
    return status;
}

static void free_factors(const condensation *condensed, condensed_lu *factors)
{
    for (int k = 0; factors->type && k < condensed->n_types; k++)
        phx_condenser_destroy(factors->type[k]);
    phx_free(factors->type);
    phx_free(factors->arrow);
    phx_free(factors->influence);
    phx_free(factors->rates);
    phx_lu_destroy(factors->lu);
    *factors = (condensed_lu){0};
}

/* The arrays of a factorisation, and its own factors of the types where it has none. */
static phx_status make_factors(phx_context *context, const phx_system *system, const condensation *condensed,
                               condensed_lu *out)
{
    const kkt_matrix *kkt = &condensed->kkt;
    phx_status status = PHX_OK;

    out->arrow = phx_calloc(context, condensed->layout.arrow_size, sizeof *out->arrow);
    out->influence = phx_calloc(context, condensed->layout.influence_size, sizeof *out->influence);
    out->rates = phx_calloc(context, condensed->layout.rates_size, sizeof *out->rates);
    if (!out->arrow || !out->influence || !out->rates)
        return PHX_ERR_MEMORY;
    if (out->type)
        return PHX_OK;
    out->type = phx_calloc(context, (size_t)condensed->n_types, sizeof *out->type);
    if (!out->type)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies && !status; b++)
        if (condensed->type[b] >= 0 && !out->type[condensed->type[b]])
            status = phx_condenser_create(context, system->bodies[b].body,
                                          kkt->boundary_first[b + 1] - kkt->boundary_first[b],
                                          kkt->boundary + kkt->boundary_first[b], &out->type[condensed->type[b]]);
    return status;
}

/* Where the batches have their arrays; the unknowns of the widest body. */
static size_t condense_lay_out(const phx_system *system, const condensation *condensed, const member_set *members,
                               const body_batches *bodies, condensed_layout *made)
{
    size_t widest = 1;

    for (int p = 0; p < bodies->n; p++) {
        const batch_slot *slot = &bodies->batch[p];
        const int b = members->member[slot->member[0]].of;
        if (condensed->type[b] < 0)
            continue;
        const size_t internal = phx_body_batch_internal_size(slot->batch, condensed->mass.type[condensed->type[b]]);
        const size_t n = (size_t)(system->dim + system->n_rot + condensed->kkt.boundary_first[b + 1] -
                                  condensed->kkt.boundary_first[b]);
        made->arrow_at[p] = made->arrow_size;
        made->influence_at[p] = made->influence_size;
        made->internal_at[p] = made->internal_size;
        made->rates_at[p] = made->rates_size;
        made->arrow_size += phx_body_batch_arrow_size(slot->batch);
        made->influence_size += internal * (size_t)system->n_rot;
        made->internal_size += internal;
        made->rates_size += (size_t)(system->n_rot * slot->width);
        widest = n > widest ? n : widest;
    }
    return widest;
}

/* `widest`: unknowns of the widest body. */
static phx_status create_layout(phx_context *context, const phx_system *system, const condensation *condensed,
                                const member_set *members, const body_batches *bodies, condensed_layout *made,
                                size_t *widest)
{
    const size_t batches = (size_t)bodies->n;

    made->arrow_at = phx_calloc(context, batches, sizeof *made->arrow_at);
    made->influence_at = phx_calloc(context, batches, sizeof *made->influence_at);
    made->internal_at = phx_calloc(context, batches, sizeof *made->internal_at);
    made->rates_at = phx_calloc(context, batches, sizeof *made->rates_at);
    if (!made->arrow_at || !made->influence_at || !made->internal_at || !made->rates_at)
        return PHX_ERR_MEMORY;
    *widest = condense_lay_out(system, condensed, members, bodies, made);
    return PHX_OK;
}

static void free_layout(condensed_layout *layout)
{
    phx_free(layout->arrow_at);
    phx_free(layout->influence_at);
    phx_free(layout->internal_at);
    phx_free(layout->rates_at);
}

/* `val` is made with the pattern. */
static phx_status create_values(phx_context *context, const kkt_matrix *kkt, const condensed_layout *layout,
                                condensed_values *made)
{
    const phx_array arrays[] = {{&made->coupling, (size_t)kkt->ptr[kkt->n]},
                                {&made->arrow, layout->arrow_size},
                                {&made->rates, layout->rates_size}};

    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

static void free_values(condensed_values *values)
{
    double *arrays[] = {values->coupling, values->val, values->arrow, values->rates};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

static phx_status create_vectors(phx_context *context, const kkt_matrix *condensed, const kkt_matrix *whole,
                                 const condensed_layout *layout, condensed_vectors *made)
{
    const size_t n = (size_t)condensed->n;
    const phx_array arrays[] = {{&made->b, n},
                                {&made->d, n},
                                {&made->sum, n},
                                {&made->internal, layout->internal_size},
                                {&made->internal_sum, layout->internal_size},
                                {&made->x, (size_t)whole->n}};

    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

static void free_vectors(condensed_vectors *vectors)
{
    double *arrays[] = {vectors->b, vectors->d, vectors->sum, vectors->internal, vectors->internal_sum, vectors->x};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

/* Where each condensed unknown is in the whole matrix. */
static phx_status create_from(phx_context *context, const kkt_matrix *kkt, int n_v, int **from)
{
    int *made = phx_calloc(context, (size_t)kkt->n, sizeof *made);

    *from = made;
    if (!made)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n_v; i++)
        if (kkt->place[i] >= 0)
            made[kkt->place[i]] = i;
    for (int k = 0; k < kkt->n_l; k++)
        made[kkt->n_v + k] = n_v + k;
    return PHX_OK;
}

phx_status phx_sys_condensed_lu_create(workspace *ws, condensed_lu *out)
{
    const phx_status status = make_factors(ws->base.context, ws->system, ws->fast->condensation, out);

    if (status)
        free_factors(ws->fast->condensation, out);
    return status;
}

/* Allocates values, vectors and factors of the condensation and determines the size of its scratch blocks; nothing if
 * made is NULL. */
phx_status phx_sys_condensation_allocate(phx_context *context, const phx_system *system, const kkt_matrix *whole,
                                         const member_set *members, const body_batches *bodies, condensation *made,
                                         size_t *sizes)
{
    size_t widest = 0;

    if (!made)
        return PHX_OK;
    phx_status status = create_layout(context, system, made, members, bodies, &made->layout, &widest);
    sizes[SCRATCH_BLOCK] = widest * widest * PHX_BATCH_WIDTH;
    if (!status)
        status = create_values(context, &made->kkt, &made->layout, &made->values);
    if (!status)
        status = create_vectors(context, &made->kkt, whole, &made->layout, &made->vectors);
    if (!status)
        status = create_from(context, &made->kkt, system->n_v, &made->from);
    return status ? status : make_factors(context, system, made, &made->mass);
}

/* Chooses the bodies whose internal deformations are eliminated and creates the KKT pattern of the rest. *made is NULL
 * if no body is condensed. */
phx_status phx_sys_condensation_create(phx_context *context, const pattern_source *of, condensation **made)
{
    const phx_system *system = of->system;
    const size_t nb = (size_t)system->n_bodies, nv = (size_t)system->n_v;
    condensation *condensed = phx_calloc(context, 1, sizeof *condensed);
    bool *marks = phx_calloc(context, nv, sizeof *marks), any = false;
    phx_status status = condensed && marks ? PHX_OK : PHX_ERR_MEMORY;

    *made = condensed;
    if (!status) {
        condensed->kkt.place = phx_calloc(context, nv, sizeof(int));
        condensed->kkt.condensed = phx_calloc(context, nb, sizeof(bool));
        condensed->kkt.boundary_first = phx_calloc(context, nb + 1, sizeof(int));
        condensed->kkt.boundary = phx_calloc(context, nv, sizeof(int));
        condensed->type = phx_calloc(context, nb, sizeof *condensed->type);
        if (!condensed->kkt.place || !condensed->kkt.condensed || !condensed->kkt.boundary_first ||
            !condensed->kkt.boundary || !condensed->type)
            status = PHX_ERR_MEMORY;
    }
    if (!status) {
        mark_ports(system, marks);
        any = condense_choose(system, marks, &condensed->kkt);
    }
    phx_free(marks);
    if (!status && any) {
        status = phx_sys_kkt_create(context, of, &condensed->kkt, &condensed->values.val);
        return status ? status : find_types(context, system, condensed);
    }
    phx_sys_condensation_free(system, condensed);
    *made = NULL;
    return status;
}

/* Frees a condensation; NULL is allowed. */
void phx_sys_condensation_free(const phx_system *system, condensation *condensed)
{
    if (!condensed)
        return;
    for (int s = 0; s < PHX_FACTOR_SLOTS; s++)
        free_factors(condensed, &condensed->slot[s]);
    free_factors(condensed, &condensed->mass);
    free_vectors(&condensed->vectors);
    free_values(&condensed->values);
    free_layout(&condensed->layout);
    phx_sys_kkt_free(system, &condensed->kkt);
    phx_free(condensed->type);
    phx_free(condensed->from);
    phx_free(condensed);
}

/* ---- linearisation ---- */
bool phx_sys_condenses(const workspace *ws)
{
    const condensation *condensed = ws->fast->condensation;

    if (!condensed || condensed->wait > 0 || ws->fast->condensing == PHX_CONDENSE_NEVER)
        return false;
    return condensed->pays || ws->fast->condensing == PHX_CONDENSE_ALWAYS;
}

/* Arrow blocks and angular rates of condensed batches over the interval; batches that are not condensed put their
 * matrices into the KKT values. */
static phx_status arrows_of_batches(void *user, phx_context *context, int part, int first, int end)
{
    fast_part room;
    workspace *ws = phx_sys_part(user, part, &room);
    const phx_system *system = ws->system;
    condensation *condensed = ws->fast->condensation;

    (void)context;
    for (int p = first; p < end; p++) {
        const batch_slot *slot = &ws->fast->bodies.batch[p];
        if (condensed->type[ws->fast->members.member[slot->member[0]].of] < 0) {
            phx_sys_put_batch(ws, p, condensed->kkt.body_at, condensed->values.coupling);
            continue;
        }
        phx_body_batch_interval_arrow(slot->batch, system->gravity, ws->step.x1, ws->step.xm,
                                      condensed->values.arrow + condensed->layout.arrow_at[p]);
        phx_body_batch_rates(slot->batch, condensed->values.rates + condensed->layout.rates_at[p]);
    }
    return PHX_OK;
}

static phx_status whole_rods(void *user, phx_context *context, int part, int first, int end)
{
    const workspace *ws = user;
    const condensation *condensed = ws->fast->condensation;

    (void)context, (void)part;
    for (int k = first; k < end; k++)
        phx_sys_add_rod(ws, k, condensed->kkt.body_at, condensed->values.coupling);
    return PHX_OK;
}

static phx_status whole_bodies(void *user, phx_context *context, int part, int first, int end)
{
    fast_part room;
    workspace *ws = phx_sys_part(user, part, &room);
    condensation *condensed = ws->fast->condensation;

    (void)context;
    for (int i = first; i < end; i++)
        phx_sys_put_body(ws, ws->fast->bodies.unbatched[i], condensed->kkt.body_at, condensed->values.coupling);
    return PHX_OK;
}

void phx_sys_condensed_bodies(workspace *ws)
{
    ws->fast->condensation->values.holder = NULL;
    phx_sys_run(ws, ws->fast->bodies.n, arrows_of_batches, ws);
    phx_sys_run(ws, ws->fast->bodies.n_rods, whole_rods, ws);
    phx_sys_run(ws, ws->fast->bodies.n_unbatched, whole_bodies, ws);
}

/* Adds a stiffness entry (row, deformation dof) of body b to its arrow block if it is condensed, otherwise to K. */
void phx_fast_body_add(workspace *ws, int b, int row, int dof, double value)
{
    const int dim = ws->system->dim, rigid = dim + ws->system->n_rot;
    const phx_body *body = ws->system->bodies[b].body;
    const int *ptr = NULL, *idx = NULL;

    if (phx_sys_is_condensed(ws->fast->into, b)) {
        const int m = ws->fast->members.first[b], p = ws->fast->members.batch_of[m];
        phx_body_batch_arrow_add(ws->fast->bodies.batch[p].batch,
                                 ws->fast->condensation->values.arrow + ws->fast->condensation->layout.arrow_at[p],
                                 ws->fast->members.lane_of[m], row - dim, dof, value);
        return;
    }
    phx_body_pattern(body, &ptr, &idx);
    const phx_csr pattern = {phx_body_n_v(body), phx_body_n_v(body), (int *)ptr, (int *)idx, NULL};
    const int entry = row < rigid ? ptr[row] + rigid + dof : phx_csr_find(&pattern, row, rigid + dof);
    ws->values.into_K[ws->fast->into->body_at[b][entry]] += value;
}
