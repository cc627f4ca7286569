/* The fast evaluator: derivatives over an interval, theory 4 (25), whole or condensed, and factorisations. */
#include "fast_schur.h"

#include <math.h>
#include <string.h>

static phx_status interval_batches(void *user, phx_context *context, int part, int first, int end)
{
    fast_part room;
    workspace *own = phx_sys_part(user, part, &room);

    (void)context;
    for (int p = first; p < end; p++)
        phx_sys_put_batch(own, p, own->kkt.body_at, own->values.val);
    return PHX_OK;
}

static phx_status interval_bodies(void *user, phx_context *context, int part, int first, int end)
{
    fast_part room;
    workspace *own = phx_sys_part(user, part, &room);

    (void)context;
    for (int i = first; i < end; i++)
        phx_sys_put_body(own, own->fast->bodies.unbatched[i], own->kkt.body_at, own->values.val);
    return PHX_OK;
}

static phx_status interval_rods(void *user, phx_context *context, int part, int first, int end)
{
    const workspace *ws = user;

    (void)context, (void)part;
    for (int k = first; k < end; k++)
        phx_sys_add_rod(ws, k, ws->kkt.body_at, ws->values.val);
    return PHX_OK;
}

/* Zeroes the values. Over an interval all contributions add to one matrix, D + h/2 K: `val`, or when condensed the
 * entries that couple bodies. */
static void clear_values(workspace *ws, bool condensed)
{
    condensation *inner = ws->fast->condensation;

    if (inner)
        inner->linearised = condensed;
    ws->values.summed = true;
    ws->values.weight_K = 0.5 * ws->view.h;
    ws->fast->into = condensed ? &inner->kkt : &ws->kkt;
    ws->values.into_D = ws->values.into_K = condensed ? inner->values.coupling : ws->values.val;
    phx_sys_clear(ws, (size_t)ws->fast->into->ptr[ws->fast->into->n], ws->values.into_D);
}

/* ---- matrices of which only the rows are new ----
 * From step to step the joints' directions turn by h w, which an old matrix leaves over in every correction. The rest
 * of it stands in body axes and changes by its parts of first order, which are of order h w themselves: after k steps a
 * correction leaves over k (h w)^2/2. With bodies in bases of modes, whose full blocks cost the most, the rows alone
 * are made anew while that is little and the steps go on one after the other. */
enum { MOST_REUSES = 16 };
static const double LEFT_OVER = 5e-4; /* by a correction: three reach rounding */

/* How many steps the rest of the matrix is good for. */
static int reuses(const workspace *ws)
{
    const phx_system *system = ws->system;
    double square = 0.0; /* (h w)^2/2, the largest */

    if (!ws->fast->reuse.able || ws->fast->joints.used > 0 || ws->base.own_matrices)
        return 0;
    for (int b = 0; b < system->n_bodies; b++) {
        const double *w = ws->step.vm + system->bodies[b].v + system->dim;
        square = fmax(square, 0.5 * ws->view.h * ws->view.h * phx_dot(system->n_rot, w, w));
    }
    return square * MOST_REUSES <= LEFT_OVER ? MOST_REUSES : (int)(LEFT_OVER / square);
}

/* Rows alone, where the matrix is that of a step before. */
static bool reuse_block(workspace *ws)
{
    block_reuse *reuse = &ws->fast->reuse;

    if (!ws->values.summed || !ws->step.goes_on || reuse->left == 0 || ws->base.own_matrices ||
        reuse->h != ws->view.h || reuse->t0 == ws->step.t0)
        return false;
    reuse->left--;
    reuse->t0 = ws->step.t0;
    ws->fast->into = &ws->kkt;
    ws->values.weight_K = 0.5 * ws->view.h;
    phx_fast_put_new_rows(ws);
    return true;
}

/* A(2/h) at once, into val or, condensed, as arrow blocks of bodies and what couples them. */
phx_status phx_fast_interval_linearise(workspace *ws)
{
    condensation *inner = ws->fast->condensation;
    const bool condensed = phx_sys_condenses(ws);
    phx_status status = PHX_OK;

    if (inner && inner->wait > 0)
        inner->wait--;
    ws->fast->reuse.made = ws->base.partly_new = !condensed && reuse_block(ws);
    if (ws->fast->reuse.made)
        return PHX_OK;
    ws->fast->reuse.left = condensed ? 0 : reuses(ws);
    ws->fast->reuse.h = ws->view.h;
    ws->fast->reuse.t0 = ws->step.t0;
    clear_values(ws, condensed);
    if (condensed) {
        phx_sys_condensed_bodies(ws);
    } else {
        phx_sys_run(ws, ws->fast->bodies.n, interval_batches, ws);
        phx_sys_run(ws, ws->fast->bodies.n_rods, interval_rods, ws);
        phx_sys_run(ws, ws->fast->bodies.n_unbatched, interval_bodies, ws);
    }
    phx_fast_add_couplings(ws, ws->step.lambda);
    if (phx_sys_has_forces(ws->system))
        status = phx_sys_add_forces(ws, ws->step.t0 + 0.5 * ws->view.h);
    ws->fast->into = &ws->kkt;
    return status;
}

/* The last linearisation was of an interval, and condensed. */
static bool is_condensed(const workspace *ws)
{
    return ws->values.summed && ws->fast->condensation && ws->fast->condensation->linearised;
}

/* The matrix is one of which rows will be made anew, or its rows have been. */
static bool is_reusable(const workspace *ws)
{
    return ws->fast->schur && ws->values.summed && (ws->fast->reuse.left > 0 || ws->fast->reuse.made);
}

/* Factors the Newton matrix into a slot by the cheapest applicable method: condensed, with the kept inverse of the
 * velocity block, or whole. */
phx_status phx_fast_factor(workspace *ws, int slot, double cj)
{
    condensation *inner = ws->fast->condensation;
    row_schur *schur = ws->fast->schur;

    if (inner)
        inner->in_slot[slot] = is_condensed(ws);
    if (is_condensed(ws))
        return phx_sys_condensed_factor(ws, slot, cj);
    if (is_reusable(ws) && phx_sys_schur_factor(schur, slot, ws->fast->reuse.made, ws->values.val))
        return PHX_OK;
    if (schur && schur->slot == slot)
        schur->slot = -1;
    return phx_sys_factor_whole(ws, slot, cj);
}

phx_status phx_fast_solve(workspace *ws, int slot, double *b)
{
    const condensation *inner = ws->fast->condensation;

    if (inner && inner->in_slot[slot])
        return phx_sys_condensed_solve(ws, slot, b);
    if (!ws->fast->schur || ws->fast->schur->slot != slot)
        return phx_lu_solve(ws->values.lu[slot], 1, b);
    phx_sys_schur_solve(ws->fast->schur, ws->kkt.n_v, b);
    return PHX_OK;
}

static bool condenses_mass(const workspace *ws)
{
    return ws->fast->condensation && ws->fast->condensing != PHX_CONDENSE_NEVER;
}

phx_status phx_fast_factor_mass(workspace *ws, const double *x)
{
    return condenses_mass(ws) ? phx_sys_condensed_factor_mass(ws, x) : phx_sys_factor_whole_mass(ws, x);
}

phx_status phx_fast_solve_mass(workspace *ws, double *b)
{
    return condenses_mass(ws) ? phx_sys_condensed_solve_mass(ws, b) : phx_lu_solve(ws->mass.lu, 1, b);
}

void phx_system_condense(phx_dae *dae, phx_condensing when)
{
    if (((workspace *)dae)->fast)
        ((workspace *)dae)->fast->condensing = when;
}
