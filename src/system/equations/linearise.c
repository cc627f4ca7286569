/* Derivative arrays on the KKT pattern and their factorisations:
 *
 *   A(cj) = [ cj M + D + K/cj   -G^T ]    K holds, beside the bodies' and forces' stiffness, minus the derivative of
 *           [ G + K_l/cj          0  ]    P^T e at fixed effort e (geometric part) and of G^T lambda. */
#include "system/system_internal.h"

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

/* Contributions of the forces, and their efforts at the ports. */
phx_status phx_sys_add_forces(workspace *ws, double t)
{
    memset(ws->scratch4, 0, (size_t)ws->kkt.n * sizeof(double));
    return phx_sys_forces(ws, t, true, ws->scratch4);
}

/* At an instant everything has its array. */
static void clear_values(workspace *ws)
{
    const size_t bytes = (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double);

    ws->summed = false;
    ws->weight_K = 1.0;
    ws->into_D = ws->D;
    ws->into_K = ws->K;
    memset(ws->M, 0, bytes);
    memset(ws->D, 0, bytes);
    memset(ws->K, 0, bytes);
}

phx_status phx_sys_op_linearise(phx_dae *dae, double t, const double *x, const double *v, const double *lambda)
{
    workspace *ws = (workspace *)dae;

    clear_values(ws);
    phx_sys_set_instant(ws, x, v);
    scatter_bodies(ws, x, v);
    phx_sys_rows(ws, t, 0.0);
    const phx_status status = phx_sys_add_forces(ws, t);
    if (status)
        return status;
    phx_sys_apply_multipliers(ws, lambda);
    ws->by->add_couplings(ws, lambda);
    return PHX_OK;
}

phx_status phx_sys_op_interval_linearise(phx_dae *dae)
{
    workspace *ws = (workspace *)dae;
    const phx_work power = ws->power;
    const phx_status status = ws->by->interval_linearise(ws);

    ws->power = power;
    return status;
}

phx_status phx_sys_op_factor(phx_dae *dae, int slot, double cj)
{
    return ((workspace *)dae)->by->factor((workspace *)dae, slot, cj);
}

phx_status phx_sys_factor(workspace *ws, bool complex_values, const double *val, phx_lu **lu)
{
    phx_status status = *lu ? PHX_OK : ws->by->create_lu(ws, &ws->kkt, complex_values, lu);
    int column = -1;

    if (!status)
        status = phx_lu_factor(*lu, val, &column);
    return status == PHX_SINGULAR && column >= 0 && !complex_values
               ? phx_sys_blame_factor(ws, ws->kkt.ptr, val, column, column)
               : status;
}

/* A(cj) = cj M + D + K/cj, or what an interval has summed. */
phx_status phx_sys_factor_whole(workspace *ws, int slot, double cj)
{
    const int nnz = ws->kkt.ptr[ws->kkt.n];
    const double inverse = 1.0 / cj;

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

void phx_sys_mass_values(workspace *ws, const double *x)
{
    for (int b = 0; b < ws->system->n_bodies; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_put_mass(slot->body, x + slot->x, !ws->mass_begun, ws->kkt.body_at[b], ws->mass);
    }
    ws->mass_begun = true;
    ws->by->put_rows(ws, ws->mass);
}

phx_status phx_sys_factor_whole_mass(workspace *ws, const double *x)
{
    phx_sys_mass_values(ws, x);
    return phx_sys_factor(ws, false, ws->mass, &ws->lu_mass);
}

phx_status phx_sys_factor_mass(workspace *ws, const double *x)
{
    return ws->by->factor_mass(ws, x);
}

phx_status phx_sys_solve_mass(workspace *ws, double *b)
{
    return ws->by->solve_mass(ws, b);
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
