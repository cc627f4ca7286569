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
 * factored. In the projection the block is M_qq itself: nothing is lacking. */
#include "system_internal.h"

#include <math.h>
#include <string.h>

/* Corrections d_j: as many as it takes for the last one to be CLOSE, relative to the first; how many is asked again
 * after so many matrices. Slow is what is not CLOSE after as many as pay, one in the plane and two in
 * space; then the next matrices stay whole. */
enum { AGAIN = 16, STAY_WHOLE = 64, FEWEST_INNER = 4 };
static const double CLOSE = 1e-3;
/* Measured on chains, condensing wins from about a dozen inner coordinates on. */
enum { PAYING_INNER = 12 };

/* ---- which coordinates are kept ---- */
static void mark_port(const phx_system *system, phx_port_id id, bool *kept)
{
    const port_slot *port = &system->ports[id];
    const int rigid = system->dim + system->n_rot;

    for (int j = 0; port->body != PHX_GROUND && j < port->port.point.n; j++)
        kept[system->bodies[port->body].v + rigid + port->port.point.dof[j]] = true;
}

/* Coordinates that joints and forces see, as marks over all velocities. */
static void mark_ports(const phx_system *system, bool *kept)
{
    for (int j = 0; j < system->n_joints; j++) {
        mark_port(system, system->joints[j].a, kept);
        mark_port(system, system->joints[j].b, kept);
    }
    for (int i = 0; i < system->n_forces; i++) {
        const force_slot *force = &system->forces[i];
        if (force->kind == FORCE_DISTRIBUTED)
            continue;
        mark_port(system, force->a, kept);
        if (force->b >= 0)
            mark_port(system, force->b, kept);
    }
}

/* Geometric stiffening couples stretching and bending as strongly as elasticity does, and the simplified kinetics has a
 * matrix of its own: such bodies stay whole. */
static bool can_condense(const phx_body *body, int inner)
{
    return inner >= FEWEST_INNER && !phx_body_flex(body)->stiffening && phx_body_has_full_kinetics(body);
}

/* Fills condensed, kept_first, kept, place and n_v; whether any body is condensed. */
static bool choose(const phx_system *system, const bool *marks, kkt_matrix *kkt)
{
    const int rigid = system->dim + system->n_rot;
    bool any = false;
    int count = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const int n = phx_body_n_q(slot->body);
        int kept = 0;
        for (int i = 0; i < n; i++)
            kept += marks[slot->v + rigid + i];
        kkt->condensed[b] = can_condense(slot->body, n - kept);
        any = any || kkt->condensed[b];
        for (int i = 0; i < n && kkt->condensed[b]; i++)
            if (marks[slot->v + rigid + i])
                kkt->kept[count++] = i;
        kkt->kept_first[b + 1] = count;
        for (int i = 0; i < rigid + n; i++)
            kkt->place[slot->v + i] = i < rigid || !kkt->condensed[b] || marks[slot->v + i] ? kkt->n_v++ : -1;
    }
    return any;
}

/* ---- creation ---- */
static phx_status find_types(workspace *ws, condensation *it)
{
    const phx_system *system = ws->system;
    const kkt_matrix *kkt = &it->kkt;
    const size_t rigid = (size_t)(system->dim + system->n_rot);
    phx_condenser **types = NULL;
    phx_status status = PHX_OK;

    it->mass.type = types = phx_calloc(ws->base.context, (size_t)system->n_bodies, sizeof *types);
    if (!types)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const phx_body *body = system->bodies[b].body;
        const int n_kept = kkt->kept_first[b + 1] - kkt->kept_first[b], *kept = kkt->kept + kkt->kept_first[b];
        int type = 0;
        it->type[b] = -1;
        if (!kkt->condensed[b])
            continue;
        while (type < it->n_types && !phx_condenser_serves(types[type], body, n_kept, kept))
            type++;
        if (type == it->n_types) {
            status = phx_condenser_create(ws->base.context, body, n_kept, kept, &types[type]);
            it->n_types += status == PHX_OK;
        }
        it->type[b] = type;
        it->border_at[b] = it->border_size;
        it->influence_at[b] = it->influence_size;
        it->border_size += phx_body_border_size(body);
        it->pays = it->pays || (!status && phx_condenser_inner(types[type]) >= PAYING_INNER);
        it->influence_size += status ? 0 : (size_t)phx_condenser_inner(types[type]) * rigid;
    }
    return status;
}

static void free_factors(const condensation *it, condensed_lu *factors)
{
    for (int k = 0; factors->type && k < it->n_types; k++)
        phx_condenser_destroy(factors->type[k]);
    phx_free(factors->type);
    phx_free(factors->border);
    phx_free(factors->influence);
    phx_free(factors->rates);
    phx_lu_destroy(factors->lu);
    *factors = (condensed_lu){0};
}

/* The arrays of a factorisation, and its own factors of the types where it has none. */
static phx_status make_factors(workspace *ws, const condensation *it, condensed_lu *out)
{
    const phx_system *system = ws->system;
    const kkt_matrix *kkt = &it->kkt;
    phx_context *context = ws->base.context;
    phx_status status = PHX_OK;

    out->border = phx_calloc(context, it->border_size, sizeof *out->border);
    out->influence = phx_calloc(context, it->influence_size, sizeof *out->influence);
    out->rates = phx_calloc(context, (size_t)(system->n_bodies * system->n_rot), sizeof *out->rates);
    if (!out->border || !out->influence || !out->rates)
        return PHX_ERR_MEMORY;
    if (out->type)
        return PHX_OK;
    out->type = phx_calloc(context, (size_t)it->n_types, sizeof *out->type);
    if (!out->type)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies && !status; b++)
        if (it->type[b] >= 0 && !out->type[it->type[b]])
            status = phx_condenser_create(context, system->bodies[b].body, kkt->kept_first[b + 1] - kkt->kept_first[b],
                                          kkt->kept + kkt->kept_first[b], &out->type[it->type[b]]);
    return status;
}

static phx_status allocate(workspace *ws, condensation *it)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    size_t widest = 1;

    for (int b = 0; b < system->n_bodies; b++) {
        const size_t n = (size_t)(system->dim + system->n_rot + it->kkt.kept_first[b + 1] - it->kkt.kept_first[b]);
        widest = n > widest ? n : widest;
    }
    it->coupling = phx_calloc(context, (size_t)it->kkt.ptr[it->kkt.n], sizeof *it->coupling);
    it->b = phx_calloc(context, (size_t)it->kkt.n, sizeof *it->b);
    it->x = phx_calloc(context, (size_t)ws->kkt.n, sizeof *it->x);
    it->residual = phx_calloc(context, (size_t)ws->kkt.n, sizeof *it->residual);
    it->block = phx_calloc(context, widest * widest, sizeof *it->block);
    it->border = phx_calloc(context, it->border_size, sizeof *it->border);
    it->rates = phx_calloc(context, (size_t)(system->n_bodies * system->n_rot), sizeof *it->rates);
    return it->coupling && it->b && it->x && it->residual && it->block && it->border && it->rates ? PHX_OK
                                                                                                  : PHX_ERR_MEMORY;
}

static phx_status fill(workspace *ws, condensation *it)
{
    phx_status status = phx_sys_kkt_create(ws->base.context, ws, &it->kkt, &it->val);

    if (!status)
        status = find_types(ws, it);
    if (!status)
        status = allocate(ws, it);
    if (!status)
        status = make_factors(ws, it, &it->mass);
    return status;
}

phx_status phx_sys_condensation_create(workspace *ws)
{
    const phx_system *system = ws->system;
    phx_context *context = ws->base.context;
    const size_t nb = (size_t)system->n_bodies, nv = (size_t)system->n_v;
    condensation *it = phx_calloc(context, 1, sizeof *it);
    bool *marks = phx_calloc(context, nv, sizeof *marks), any = false;
    phx_status status = it && marks ? PHX_OK : PHX_ERR_MEMORY;

    ws->condensation = it;
    if (!status) {
        it->kkt.place = phx_calloc(context, nv, sizeof(int));
        it->kkt.condensed = phx_calloc(context, nb, sizeof(bool));
        it->kkt.kept_first = phx_calloc(context, nb + 1, sizeof(int));
        it->kkt.kept = phx_calloc(context, nv, sizeof(int));
        it->type = phx_calloc(context, nb, sizeof *it->type);
        it->border_at = phx_calloc(context, nb, sizeof *it->border_at);
        it->influence_at = phx_calloc(context, nb, sizeof *it->influence_at);
        if (!it->kkt.place || !it->kkt.condensed || !it->kkt.kept_first || !it->kkt.kept || !it->type ||
            !it->border_at || !it->influence_at)
            status = PHX_ERR_MEMORY;
    }
    if (!status) {
        mark_ports(system, marks);
        any = choose(system, marks, &it->kkt);
    }
    phx_free(marks);
    if (!status && any)
        return fill(ws, it);
    phx_sys_condensation_free(ws);
    return status;
}

void phx_sys_condensation_free(workspace *ws)
{
    condensation *it = ws->condensation;

    if (!it)
        return;
    for (int s = 0; s < PHX_FACTOR_SLOTS; s++)
        free_factors(it, &it->slot[s]);
    free_factors(it, &it->mass);
    phx_sys_kkt_free(ws, &it->kkt);
    double *arrays[] = {it->coupling, it->val, it->b, it->block, it->x, it->residual, it->border, it->rates};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_free(it->type);
    phx_free(it->border_at);
    phx_free(it->influence_at);
    phx_free(it);
    ws->condensation = NULL;
}

/* ---- linearisation ---- */
bool phx_sys_condenses(const workspace *ws)
{
    const condensation *it = ws->condensation;

    if (!it || it->wait > 0 || ws->condensing == PHX_CONDENSE_NEVER)
        return false;
    return it->pays || ws->condensing == PHX_CONDENSE_ALWAYS;
}

void phx_sys_condensed_bodies(workspace *ws)
{
    const phx_system *system = ws->system;
    condensation *it = ws->condensation;
    const int dim = system->dim, n_rot = system->n_rot;

    it->holder = NULL;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_body_view *view = &ws->views[b];
        const int *ptr = NULL, *idx = NULL, *at = it->kkt.body_at[b];
        if (it->type[b] >= 0) {
            phx_body_interval_border(slot->body, system->gravity, view, ws->p0 + slot->v,
                                     it->border + it->border_at[b]);
            for (int k = 0; k < n_rot; k++)
                it->rates[b * n_rot + k] = view->v0[dim + k] + view->v1[dim + k];
            continue;
        }
        phx_body_pattern(slot->body, &ptr, &idx);
        phx_body_interval_linearise(slot->body, system->gravity, view, ws->p0 + slot->v, ws->body_D, ws->body_M);
        for (int k = 0; k < ptr[phx_body_n_v(slot->body)]; k++)
            it->coupling[at[k]] = ws->body_M[k];
    }
}

void phx_sys_body_add(workspace *ws, int b, int row, int dof, double value)
{
    const int rigid = ws->system->dim + ws->system->n_rot;
    const phx_body *body = ws->system->bodies[b].body;
    const int *ptr = NULL, *idx = NULL;

    if (phx_sys_is_condensed(ws->into, b)) {
        ws->condensation->border[ws->condensation->border_at[b] + (size_t)(row * phx_body_n_v(body) + rigid + dof)] +=
            value;
        return;
    }
    phx_body_pattern(body, &ptr, &idx);
    ws->into_K[ws->into->body_at[b][ptr[row] + rigid + dof]] += value;
}

/* ---- factor and solve ---- */
/* Add the condensed matrix of a body to the values. */
static void add_condensed(const phx_system *system, condensation *it, const condensed_lu *factors, int b)
{
    const kkt_matrix *kkt = &it->kkt;
    const int n = system->dim + system->n_rot + kkt->kept_first[b + 1] - kkt->kept_first[b], *at = kkt->body_at[b];

    phx_condenser_reduce(factors->type[it->type[b]], factors->border + it->border_at[b],
                         factors->influence + it->influence_at[b], it->block);
    for (int k = 0; k < n * n; k++)
        it->val[at[k]] += it->block[k];
}

static phx_status factor_values(const workspace *ws, condensed_lu *out)
{
    const kkt_matrix *kkt = &ws->condensation->kkt;
    phx_status status = PHX_OK;

    if (!out->lu)
        status = phx_sys_lu_create(ws, kkt, false, &out->lu);
    return status ? status : phx_lu_factor(out->lu, ws->condensation->val, NULL);
}

/* Factors of cj M + c R + K/cj for each type, kept while cj is the same. */
static phx_status factor_types(const condensation *it, double cj, double b, double c, condensed_lu *out)
{
    phx_status status = PHX_OK;

    if (out->cj == cj)
        return PHX_OK;
    out->cj = 0.0;
    out->asked = 0;
    for (int k = 0; k < it->n_types && !status; k++)
        status = phx_condenser_factor(out->type[k], cj, b, c);
    out->cj = status ? 0.0 : cj;
    return status;
}

static void swap(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

/* The borders of the last linearisation into a slot: from where it left them, or from the slot that took them first. */
static void take_borders(const workspace *ws, condensation *it, condensed_lu *out)
{
    const size_t rates = (size_t)(ws->system->n_bodies * ws->system->n_rot);

    if (!it->holder) {
        swap(&it->border, &out->border);
        swap(&it->rates, &out->rates);
        it->holder = out;
    } else if (it->holder != out) {
        memcpy(out->border, it->holder->border, it->border_size * sizeof *out->border);
        memcpy(out->rates, it->holder->rates, rates * sizeof *out->rates);
    }
}

phx_status phx_sys_condensed_factor(workspace *ws, int slot, double cj)
{
    condensation *it = ws->condensation;
    condensed_lu *out = &it->slot[slot];
    phx_status status = out->border ? PHX_OK : make_factors(ws, it, out);

    if (status) {
        free_factors(it, out);
        return status;
    }
    status = factor_types(it, cj, 1.0 / cj, 1.0, out);
    if (status)
        return status;
    take_borders(ws, it, out);
    if (out->asked > 0)
        out->asked--;
    memcpy(it->val, it->coupling, (size_t)it->kkt.ptr[it->kkt.n] * sizeof *it->val);
    for (int b = 0; b < ws->system->n_bodies; b++)
        if (it->type[b] >= 0)
            add_condensed(ws->system, it, out, b);
    return factor_values(ws, out);
}

/* b <- B^-1 b */
static phx_status solve(const workspace *ws, const condensed_lu *factors, double *b)
{
    const phx_system *system = ws->system;
    const condensation *it = ws->condensation;
    const kkt_matrix *kkt = &it->kkt;

    for (int body = 0; body < system->n_bodies; body++)
        if (it->type[body] >= 0)
            phx_condenser_begin_solve(factors->type[it->type[body]], factors->border + it->border_at[body],
                                      b + system->bodies[body].v);
    for (int i = 0; i < system->n_v; i++)
        if (kkt->place[i] >= 0)
            it->b[kkt->place[i]] = b[i];
    memcpy(it->b + kkt->n_v, b + system->n_v, (size_t)kkt->n_l * sizeof *b);
    const phx_status status = phx_lu_solve(factors->lu, 1, it->b);
    for (int i = 0; i < system->n_v; i++)
        if (kkt->place[i] >= 0)
            b[i] = it->b[kkt->place[i]];
    memcpy(b + system->n_v, it->b + kkt->n_v, (size_t)kkt->n_l * sizeof *b);
    for (int body = 0; body < system->n_bodies; body++)
        if (it->type[body] >= 0)
            phx_condenser_end_solve(factors->type[it->type[body]], factors->influence + it->influence_at[body],
                                    b + system->bodies[body].v);
    return status;
}

/* residual = -(A - B) x */
static void lacking(const workspace *ws, const condensed_lu *factors, const double *x, double *residual)
{
    const phx_system *system = ws->system;
    const int rigid = system->dim + system->n_rot;

    memset(residual, 0, (size_t)ws->kkt.n * sizeof *residual);
    for (int b = 0; b < system->n_bodies; b++) {
        const int v = system->bodies[b].v + rigid;
        if (ws->condensation->type[b] >= 0)
            phx_body_gyroscopic_apply(system->bodies[b].body, factors->rates + b * system->n_rot, x + v, residual + v);
    }
}

/* d <- B^-1 (B - A) d, b += d */
static phx_status correct(workspace *ws, const condensed_lu *factors, double *d, double *b)
{
    const int n = ws->kkt.n;
    double *residual = ws->condensation->residual;

    lacking(ws, factors, d, residual);
    const phx_status status = solve(ws, factors, residual);
    for (int i = 0; i < n; i++) {
        d[i] = residual[i];
        b[i] += d[i];
    }
    return status;
}

phx_status phx_sys_condensed_solve(workspace *ws, int slot, double *b)
{
    condensation *it = ws->condensation;
    condensed_lu *factors = &it->slot[slot];
    const bool ask = factors->asked == 0;
    const int most = ws->system->dim - 1;
    phx_status status = solve(ws, factors, b);
    double size = 1.0, first = 1.0;

    memcpy(it->x, b, (size_t)ws->kkt.n * sizeof *b);
    if (ask) {
        size = first = ws->base.ops->norm(&ws->base, b);
        factors->corrections = 0;
        factors->asked = AGAIN;
    }
    for (int k = 0; (ask ? k < most && size > CLOSE * first : k < factors->corrections) && !status; k++) {
        status = correct(ws, factors, it->x, b);
        if (!ask)
            continue;
        size = ws->base.ops->norm(&ws->base, it->x);
        factors->corrections++;
    }
    if (ask && !(size <= CLOSE * first)) {
        it->wait = STAY_WHOLE;
        factors->asked = 0;
    }
    return status;
}

phx_status phx_sys_condensed_factor_mass(workspace *ws, const double *x)
{
    const phx_system *system = ws->system;
    condensation *it = ws->condensation;
    phx_status status = factor_types(it, 1.0, 0.0, 0.0, &it->mass);

    if (status)
        return status;
    memset(it->val, 0, (size_t)it->kkt.ptr[it->kkt.n] * sizeof *it->val);
    phx_sys_ports_jacobian(ws);
    ws->into = &it->kkt;
    phx_sys_put_rows(ws, it->val);
    ws->into = &ws->kkt;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        if (it->type[b] >= 0) {
            phx_body_mass_border(slot->body, x + slot->x, !it->mass_begun, it->mass.border + it->border_at[b]);
            add_condensed(system, it, &it->mass, b);
        } else {
            phx_body_put_mass(slot->body, x + slot->x, true, it->kkt.body_at[b], it->val);
        }
    }
    it->mass_begun = true;
    return factor_values(ws, &it->mass);
}

phx_status phx_sys_condensed_solve_mass(workspace *ws, double *b)
{
    return solve(ws, &ws->condensation->mass, b);
}
