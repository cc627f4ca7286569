/* The fast evaluator: derivatives over an interval, whole or condensed, and factorisations. */
#include "fast.h"

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
    condensation *it = ws->fast->condensation;

    if (it)
        it->linearised = condensed;
    ws->values.summed = true;
    ws->values.weight_K = 0.5 * ws->view.h;
    ws->fast->into = condensed ? &it->kkt : &ws->kkt;
    ws->values.into_D = ws->values.into_K = condensed ? it->values.coupling : ws->values.val;
    phx_sys_clear(ws, (size_t)ws->fast->into->ptr[ws->fast->into->n], ws->values.into_D);
}

/* A(2/h) at once, into val or, condensed, as arrow blocks of bodies and what couples them. */
phx_status phx_fast_interval_linearise(workspace *ws)
{
    condensation *it = ws->fast->condensation;
    const bool condensed = phx_sys_condenses(ws);
    phx_status status = PHX_OK;

    if (it && it->wait > 0)
        it->wait--;
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

phx_status phx_fast_factor(workspace *ws, int slot, double cj)
{
    condensation *it = ws->fast->condensation;

    if (it)
        it->in_slot[slot] = is_condensed(ws);
    return is_condensed(ws) ? phx_sys_condensed_factor(ws, slot, cj) : phx_sys_factor_whole(ws, slot, cj);
}

phx_status phx_fast_solve(workspace *ws, int slot, double *b)
{
    const condensation *it = ws->fast->condensation;

    return it && it->in_slot[slot] ? phx_sys_condensed_solve(ws, slot, b) : phx_lu_solve(ws->values.lu[slot], 1, b);
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
