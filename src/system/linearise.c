/* Derivative arrays on the KKT pattern and their factorisations:
 *
 *   A(cj) = [ cj M + D + K/cj   -G^T ]    K holds, beside the bodies' and forces' stiffness, minus the derivative of
 *           [ G + K_l/cj          0  ]    P^T e at fixed effort e (geometric part) and of G^T lambda. */
#include "system_internal.h"

#include <string.h>

/* ---- linearisation ---- */
static void scatter_bodies(workspace *ws, const double *x, const double *v)
{
    const phx_system *system = ws->system;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const int *ptr = NULL, *idx = NULL, *at = ws->kkt.body_at[b];
        phx_body_pattern(slot->body, &ptr, &idx);
        phx_body_linearise(slot->body, system->gravity, x + slot->x, v + slot->v, ws->body_M, ws->body_D, ws->body_K);
        for (int k = 0; k < ptr[phx_body_n_v(slot->body)]; k++) {
            ws->M[at[k]] = ws->body_M[k];
            ws->D[at[k]] = ws->body_D[k];
            ws->K[at[k]] = ws->body_K[k];
        }
    }
}

/* What the forces add, and their efforts at the ports. */
static phx_status add_forces(workspace *ws, double t)
{
    memset(ws->scratch4, 0, (size_t)ws->kkt.n * sizeof(double));
    return phx_sys_forces(ws, t, true, ws->scratch4);
}

/* At an instant everything has its array; over an interval all of it is summed into the matrix, D + h/2 K. */
static void clear_values(workspace *ws, bool interval, bool condensed)
{
    const size_t bytes = (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double);

    if (ws->condensation)
        ws->condensation->linearised = condensed;
    ws->summed = interval;
    ws->weight_K = interval ? 0.5 * ws->h : 1.0;
    if (condensed) {
        ws->into = &ws->condensation->kkt;
        ws->into_D = ws->into_K = ws->condensation->coupling;
        phx_sys_clear(ws, (size_t)ws->into->ptr[ws->into->n], ws->into_D);
        return;
    }
    ws->into_D = interval ? ws->val : ws->D;
    ws->into_K = interval ? ws->val : ws->K;
    phx_sys_clear(ws, (size_t)ws->kkt.ptr[ws->kkt.n], ws->into_D);
    if (interval)
        return;
    memset(ws->M, 0, bytes);
    memset(ws->K, 0, bytes);
}

phx_status phx_sys_op_linearise(phx_dae *dae, double t, const double *x, const double *v, const double *lambda)
{
    workspace *ws = (workspace *)dae;

    clear_values(ws, false, false);
    phx_sys_set_instant(ws, x, v);
    scatter_bodies(ws, x, v);
    phx_sys_rows(ws, t, 0.0);
    const phx_status status = add_forces(ws, t);
    if (status)
        return status;
    phx_sys_apply_multipliers(ws, lambda);
    phx_sys_add_couplings(ws, lambda);
    return PHX_OK;
}

static phx_status interval_packs(void *user, phx_context *context, int part, int first, int end)
{
    workspace own = phx_sys_part(user, part);

    (void)context;
    for (int p = first; p < end; p++)
        phx_sys_put_pack(&own, p, own.kkt.body_at, own.val);
    return PHX_OK;
}

static phx_status interval_bodies(void *user, phx_context *context, int part, int first, int end)
{
    workspace own = phx_sys_part(user, part);

    (void)context;
    for (int i = first; i < end; i++)
        phx_sys_put_body(&own, own.loose_bodies[i], own.kkt.body_at, own.val);
    return PHX_OK;
}

/* A(2/h) at once, into val or, condensed, as borders of bodies and what couples them. */
phx_status phx_sys_op_interval_linearise(phx_dae *dae)
{
    workspace *ws = (workspace *)dae;
    const double supplied = ws->power.supplied, dissipated = ws->power.dissipated;
    const bool condensed = phx_sys_condenses(ws);
    phx_status status = PHX_OK;

    if (ws->condensation && ws->condensation->wait > 0)
        ws->condensation->wait--;
    clear_values(ws, true, condensed);
    if (condensed) {
        phx_sys_condensed_bodies(ws);
    } else {
        phx_sys_run(ws, ws->n_packs, interval_packs, ws);
        phx_sys_run(ws, ws->n_loose_bodies, interval_bodies, ws);
    }
    phx_sys_add_couplings(ws, ws->lambda);
    if (ws->system->n_forces > 0)
        status = add_forces(ws, ws->t0 + 0.5 * ws->h);
    ws->into = &ws->kkt;
    ws->power = (phx_work){supplied, dissipated};
    return status;
}

phx_status phx_sys_factor(workspace *ws, bool complex_values, const double *val, phx_lu **lu)
{
    phx_status status = *lu ? PHX_OK : phx_sys_lu_create(ws, &ws->kkt, complex_values, lu);
    int column = -1;

    if (!status)
        status = phx_lu_factor(*lu, val, &column);
    return status == PHX_SINGULAR && column >= 0 && !complex_values
               ? phx_sys_blame_factor(ws, ws->kkt.ptr, val, column, column)
               : status;
}

phx_status phx_sys_op_factor(phx_dae *dae, int slot, double cj)
{
    workspace *ws = (workspace *)dae;
    const int nnz = ws->kkt.ptr[ws->kkt.n];
    const double inverse = 1.0 / cj;

    if (ws->condensation)
        ws->condensation->in_slot[slot] = ws->condensation->linearised;
    if (ws->condensation && ws->condensation->linearised)
        return phx_sys_condensed_factor(ws, slot, cj);
    for (int k = 0; k < nnz && !ws->summed; k++)
        ws->val[k] = cj * ws->M[k] + ws->D[k] + inverse * ws->K[k];
    return phx_sys_factor(ws, false, ws->val, &ws->lu[slot]);
}

phx_status phx_sys_op_factor_complex(phx_dae *dae, int slot, double re, double im)
{
    workspace *ws = (workspace *)dae;
    const int nnz = ws->kkt.ptr[ws->kkt.n];
    const double square = re * re + im * im, inv_re = re / square, inv_im = -im / square;

    if (!ws->val_complex) { /* the first use allocates */
        ws->val_complex = phx_calloc(dae->context, 2 * (size_t)nnz, sizeof *ws->val_complex);
        if (!ws->val_complex)
            return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < nnz; k++) {
        ws->val_complex[2 * k] = re * ws->M[k] + ws->D[k] + inv_re * ws->K[k];
        ws->val_complex[2 * k + 1] = im * ws->M[k] + inv_im * ws->K[k];
    }
    return phx_sys_factor(ws, true, ws->val_complex, &ws->lu_complex[slot]);
}

typedef struct mass_loop {
    workspace *ws;
    const double *x;
} mass_loop;

static phx_status mass_of_bodies(void *user, phx_context *context, int part, int first, int end)
{
    const mass_loop *it = user;
    const workspace *ws = it->ws;

    (void)context, (void)part;
    for (int b = first; b < end; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_put_mass(slot->body, it->x + slot->x, !ws->mass_begun, ws->kkt.body_at[b], ws->mass);
    }
    return PHX_OK;
}

void phx_sys_mass_values(workspace *ws, const double *x)
{
    mass_loop loop = {ws, x};

    phx_sys_run(ws, ws->system->n_bodies, mass_of_bodies, &loop);
    ws->mass_begun = true;
    phx_sys_put_rows(ws, ws->mass);
}

phx_status phx_sys_factor_mass(workspace *ws, const double *x)
{
    if (ws->condensation && ws->condensing != PHX_CONDENSE_NEVER)
        return phx_sys_condensed_factor_mass(ws, x);
    phx_sys_mass_values(ws, x);
    return phx_sys_factor(ws, false, ws->mass, &ws->lu_mass);
}

phx_status phx_sys_solve_mass(workspace *ws, double *b)
{
    return ws->condensation && ws->condensing != PHX_CONDENSE_NEVER ? phx_sys_condensed_solve_mass(ws, b)
                                                                    : phx_lu_solve(ws->lu_mass, 1, b);
}

void phx_system_condense(phx_dae *dae, phx_condensing when)
{
    ((workspace *)dae)->condensing = when;
}

void phx_system_kkt(const phx_dae *dae, int *n, const int **ptr, const int **idx, const int **order, const double **val)
{
    const workspace *ws = (const workspace *)dae;

    if (n)
        *n = ws->kkt.n;
    if (ptr)
        *ptr = ws->kkt.ptr;
    if (idx)
        *idx = ws->kkt.idx;
    if (order)
        *order = ws->kkt.order;
    if (val)
        *val = ws->val;
}
