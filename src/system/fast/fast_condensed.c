/* Factors and solutions of condensed matrices (fast_condense.c says what they are). */
#include "fast.h"

#include <string.h>

/* Corrections d_j: as many as it takes for the next one to be expected below LEFT, relative to the first; how many is
 * asked again after so many matrices. Slow is what is not there after as many as pay, one in the plane and two in
 * space; then the next matrices stay whole. A loose solution goes without. */
enum { AGAIN = 16, STAY_WHOLE = 64 };
static const double LEFT = 1e-5;

/* The condenser of a batch, NULL: it is not condensed. */
static const phx_condenser *of_batch(const workspace *ws, const condensed_lu *factors, int p)
{
    const int type = ws->fast->condensation->type[ws->fast->members.member[ws->fast->bodies.batch[p].member[0]].of];
    return type < 0 ? NULL : factors->type[type];
}

/* A loop over condensed batches: what is done with each, the factors, a condensed and a whole vector, internal
 * coordinates.
 */
typedef struct batch_loop batch_loop;
typedef void batch_work(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser);
struct batch_loop {
    const workspace *ws;
    const condensed_lu *factors;
    double *c, *b, *internal;
    const double *x;
    batch_work *work;
};

static phx_status each_batch(void *user, phx_context *context, int part, int first, int end)
{
    const batch_loop *loop = user;
    fast_part room;
    workspace *own = phx_sys_part(loop->ws, part, &room);

    (void)context;
    for (int p = first; p < end; p++) {
        const phx_condenser *condenser = of_batch(own, loop->factors, p);
        if (condenser)
            loop->work(loop, own, p, condenser);
    }
    return PHX_OK;
}

static void over_batches(batch_work *work, batch_loop *loop)
{
    loop->work = work;
    phx_sys_run(loop->ws, loop->ws->fast->bodies.n, each_batch, loop);
}

/* The condensed matrices of a batch, added to the values. */
static void add_condensed(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser)
{
    const condensation *all = ws->fast->condensation;
    const kkt_matrix *kkt = &all->kkt;
    const batch_slot *slot = &ws->fast->bodies.batch[p];
    const int b = ws->fast->members.member[slot->member[0]].of;
    const int n = ws->system->dim + ws->system->n_rot + kkt->boundary_first[b + 1] - kkt->boundary_first[b];

    phx_body_batch_reduce(slot->batch, condenser, loop->factors->arrow + all->layout.arrow_at[p],
                          loop->factors->influence + all->layout.influence_at[p], ws->fast->scratch.block);
    for (int l = 0; l < slot->count; l++) {
        const int *at = kkt->body_at[ws->fast->members.member[slot->member[l]].of];
        for (int k = 0; k < n * n; k++)
            all->values.val[at[k]] += ws->fast->scratch.block[k * slot->width + l];
    }
}

static void condensed_add_mass(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser)
{
    phx_body_batch_mass_arrow(ws->fast->bodies.batch[p].batch, loop->x,
                              loop->factors->arrow + ws->fast->condensation->layout.arrow_at[p]);
    add_condensed(loop, ws, p, condenser);
}

static void begin_solve(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser)
{
    const condensation *all = ws->fast->condensation;
    phx_body_batch_begin_solve(ws->fast->bodies.batch[p].batch, condenser,
                               loop->factors->arrow + all->layout.arrow_at[p],
                               loop->internal + all->layout.internal_at[p], loop->c);
}

static void end_solve(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser)
{
    const condensation *all = ws->fast->condensation;
    phx_body_batch_end_solve(ws->fast->bodies.batch[p].batch, condenser, loop->factors->arrow + all->layout.arrow_at[p],
                             loop->factors->influence + all->layout.influence_at[p], loop->c,
                             loop->internal + all->layout.internal_at[p]);
}

static void gather_internal(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser)
{
    phx_body_batch_gather_internal(ws->fast->bodies.batch[p].batch, condenser, loop->b,
                                   loop->internal + ws->fast->condensation->layout.internal_at[p]);
}

static void scatter_internal(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser)
{
    phx_body_batch_scatter_internal(ws->fast->bodies.batch[p].batch, condenser,
                                    loop->internal + ws->fast->condensation->layout.internal_at[p], loop->b);
}

static void find_lacking(const batch_loop *loop, const workspace *ws, int p, const phx_condenser *condenser)
{
    const condensation *all = ws->fast->condensation;
    phx_body_batch_lacking(ws->fast->bodies.batch[p].batch, condenser, loop->factors->rates + all->layout.rates_at[p],
                           loop->b, loop->internal + all->layout.internal_at[p], loop->c);
}

/* ---- factors ---- */
static phx_status factor_values(const workspace *ws, condensed_lu *out)
{
    const kkt_matrix *kkt = &ws->fast->condensation->kkt;
    phx_status status = PHX_OK;

    if (!out->lu)
        status = phx_fast_create_lu(ws, kkt, false, &out->lu);
    int column = -1, unknown = -1;
    if (!status)
        status = phx_lu_factor(out->lu, ws->fast->condensation->values.val, &column);
    if (status != PHX_SINGULAR || column < 0)
        return status;
    for (int v = 0; v < ws->kkt.n_v && unknown < 0 && column < kkt->n_v; v++)
        if (kkt->place[v] == column)
            unknown = v;
    if (column >= kkt->n_v)
        unknown = ws->kkt.n_v + column - kkt->n_v;
    return phx_sys_blame_factor(ws, kkt->ptr, ws->fast->condensation->values.val, column, unknown);
}

/* Factors of cj M + c R + K/cj for each type, kept while cj is the same. */
static phx_status factor_types(const condensation *condensed, double cj, double b, double c, condensed_lu *out)
{
    phx_status status = PHX_OK;

    if (out->cj == cj)
        return PHX_OK;
    out->cj = 0.0;
    out->asked = 0;
    for (int k = 0; k < condensed->n_types && !status; k++)
        status = phx_condenser_factor(out->type[k], cj, b, c);
    out->cj = status ? 0.0 : cj;
    return status;
}

/* The arrow blocks of the last linearisation into a slot: from where it left them, or from the slot that took them
 * first. */
static void take_arrows(condensation *condensed, condensed_lu *out)
{
    if (!condensed->values.holder) {
        phx_sys_exchange(&condensed->values.arrow, &out->arrow);
        phx_sys_exchange(&condensed->values.rates, &out->rates);
        condensed->values.holder = out;
    } else if (condensed->values.holder != out) {
        memcpy(out->arrow, condensed->values.holder->arrow, condensed->layout.arrow_size * sizeof *out->arrow);
        memcpy(out->rates, condensed->values.holder->rates, condensed->layout.rates_size * sizeof *out->rates);
    }
}

/* Factors the condensed Newton matrix A(cj) into a slot: S of each body type, then the matrix of the kept unknowns and
 * multipliers, theory 4 (28). */
phx_status phx_sys_condensed_factor(workspace *ws, int slot, double cj)
{
    condensation *condensed = ws->fast->condensation;
    condensed_lu *out = &condensed->slot[slot];
    phx_status status = out->arrow ? PHX_OK : phx_sys_condensed_lu_create(ws, out);

    if (status)
        return status;
    status = factor_types(condensed, cj, 1.0 / cj, 1.0, out);
    if (status)
        return status;
    take_arrows(condensed, out);
    if (out->asked > 0)
        out->asked--;
    memcpy(condensed->values.val, condensed->values.coupling,
           (size_t)condensed->kkt.ptr[condensed->kkt.n] * sizeof *condensed->values.val);
    over_batches(add_condensed, &(batch_loop){.ws = ws, .factors = out});
    return factor_values(ws, out);
}

/* ---- solutions ---- */
/* c, internal <- B^-1 (c, internal): a condensed vector and the internal coordinates of all batches. */
static phx_status condensed_solve(const workspace *ws, const condensed_lu *factors, double *c, double *internal)
{
    batch_loop loop = {.ws = ws, .factors = factors, .c = c, .internal = internal};

    over_batches(begin_solve, &loop);
    const phx_status status = phx_lu_solve(factors->lu, 1, c);
    over_batches(end_solve, &loop);
    return status;
}

/* A vector of the whole system into its condensed part and the internal coordinates, and back. */
static void take_apart(const workspace *ws, const condensed_lu *factors, double *b, double *c, double *internal)
{
    const condensation *condensed = ws->fast->condensation;

    for (int i = 0; i < condensed->kkt.n; i++)
        c[i] = b[condensed->from[i]];
    over_batches(gather_internal, &(batch_loop){.ws = ws, .factors = factors, .b = b, .internal = internal});
}

static void put_together(const workspace *ws, const condensed_lu *factors, const double *c, double *internal, double *b)
{
    const condensation *condensed = ws->fast->condensation;

    for (int i = 0; i < condensed->kkt.n; i++)
        b[condensed->from[i]] = c[i];
    over_batches(scatter_internal, &(batch_loop){.ws = ws, .factors = factors, .b = b, .internal = internal});
}

/* b = -(A - B) d in both parts, the internal ones in place. */
static void lacking(const workspace *ws, const condensed_lu *factors, double *d, double *internal, double *b)
{
    memset(b, 0, (size_t)ws->fast->condensation->kkt.n * sizeof *b);
    over_batches(find_lacking, &(batch_loop){.ws = ws, .factors = factors, .b = d, .c = b, .internal = internal});
}

/* d <- B^-1 (B - A) d, sum += d; the new d is left in it->b and it->internal. */
static phx_status condensed_correct(const workspace *ws, const condensed_lu *factors)
{
    condensation *condensed = ws->fast->condensation;

    phx_sys_exchange(&condensed->vectors.b, &condensed->vectors.d);
    lacking(ws, factors, condensed->vectors.d, condensed->vectors.internal, condensed->vectors.b);
    const phx_status status = condensed_solve(ws, factors, condensed->vectors.b, condensed->vectors.internal);
    for (int i = 0; i < condensed->kkt.n; i++)
        condensed->vectors.sum[i] += condensed->vectors.b[i];
    for (size_t i = 0; i < condensed->layout.internal_size; i++)
        condensed->vectors.internal_sum[i] += condensed->vectors.internal[i];
    return status;
}

/* The size of the last d. */
static double size_of_correction(workspace *ws, const condensed_lu *factors)
{
    condensation *condensed = ws->fast->condensation;

    put_together(ws, factors, condensed->vectors.b, condensed->vectors.internal, condensed->vectors.x);
    return ws->base.ops->norm(&ws->base, condensed->vectors.x);
}

/* Solves A(cj) x = b in place: condensed solution plus corrections for the terms missing in S. When asked, measures how
 * many corrections are needed; if more than allowed, the next matrices are factored whole. */
phx_status phx_sys_condensed_solve(workspace *ws, int slot, double *b)
{
    condensation *condensed = ws->fast->condensation;
    condensed_lu *factors = &condensed->slot[slot];
    const bool ask = factors->asked == 0;
    const int most = ws->system->dim - 1, count = ws->base.loose ? 0 : factors->corrections;
    double size = 1.0, first = 1.0, left = 1.0;

    take_apart(ws, factors, b, condensed->vectors.b, condensed->vectors.internal);
    phx_status status = condensed_solve(ws, factors, condensed->vectors.b, condensed->vectors.internal);
    memcpy(condensed->vectors.sum, condensed->vectors.b, (size_t)condensed->kkt.n * sizeof *condensed->vectors.b);
    memcpy(condensed->vectors.internal_sum, condensed->vectors.internal,
           condensed->layout.internal_size * sizeof *condensed->vectors.internal);
    if (ask) {
        size = first = size_of_correction(ws, factors);
        left = first;
        factors->corrections = 0;
        factors->asked = AGAIN;
    }
    for (int k = 0; (ask ? k < most && left > LEFT * first : k < count) && !status; k++) {
        /* theory 4 (29): B d_j = sum w_k A_k d_(j-1) */
        status = condensed_correct(ws, factors);
        if (!ask)
            continue;
        const double before = size;
        size = size_of_correction(ws, factors);
        left = before > 0.0 ? size / before * size : 0.0;
        factors->corrections++;
    }
    if (ask && !(left <= LEFT * first)) {
        condensed->wait = STAY_WHOLE;
        factors->asked = 0;
    }
    put_together(ws, factors, condensed->vectors.sum, condensed->vectors.internal_sum, b);
    return status;
}

/* Factors [M -G^T; G 0] at x with the internal deformations eliminated (S = M_qq); no corrections are needed. */
phx_status phx_sys_condensed_factor_mass(workspace *ws, const double *x)
{
    const phx_system *system = ws->system;
    condensation *condensed = ws->fast->condensation;
    phx_status status = factor_types(condensed, 1.0, 0.0, 0.0, &condensed->mass);

    if (status)
        return status;
    memset(condensed->values.val, 0, (size_t)condensed->kkt.ptr[condensed->kkt.n] * sizeof *condensed->values.val);
    ws->fast->into = &condensed->kkt;
    phx_fast_put_rows(ws, condensed->values.val);
    ws->fast->into = &ws->kkt;
    over_batches(condensed_add_mass, &(batch_loop){.ws = ws, .factors = &condensed->mass, .x = x});
    for (int b = 0; b < system->n_bodies; b++)
        if (condensed->type[b] < 0)
            phx_body_put_mass(system->bodies[b].body, x + system->bodies[b].x, true, condensed->kkt.body_at[b],
                              condensed->values.val);
    return factor_values(ws, &condensed->mass);
}

phx_status phx_sys_condensed_solve_mass(workspace *ws, double *b)
{
    condensation *condensed = ws->fast->condensation;

    take_apart(ws, &condensed->mass, b, condensed->vectors.b, condensed->vectors.internal);
    const phx_status status = condensed_solve(ws, &condensed->mass, condensed->vectors.b, condensed->vectors.internal);
    put_together(ws, &condensed->mass, condensed->vectors.b, condensed->vectors.internal, b);
    return status;
}
