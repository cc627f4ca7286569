/* Derivative arrays on the KKT pattern and their factorisations, theory 4 (25):
 *
 *   A(cj) = [ cj M + D + K/cj   -G^T ]    K holds, beside the bodies' and forces' stiffness, minus the derivative of
 *           [ G + K_l/cj          0  ]    P^T e at fixed effort e (geometric part) and of G^T lambda. */
#include "system/system_internal.h"

#include <string.h>

phx_status phx_sys_values_create(phx_context *context, const kkt_matrix *kkt, kkt_values *values, mass_matrix *mass)
{
    const size_t entries = (size_t)kkt->ptr[kkt->n];
    const phx_array arrays[] = {
        {&values->M, entries}, {&values->D, entries}, {&values->K, entries}, {&mass->val, entries}};

    return phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
}

void phx_sys_values_free(kkt_values *values, mass_matrix *mass)
{
    double *arrays[] = {values->M, values->D, values->K, values->val, values->val_complex, mass->val};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    for (int s = 0; s < PHX_FACTOR_SLOTS; s++) {
        phx_lu_destroy(values->lu[s]);
        phx_lu_destroy(values->lu_complex[s]);
    }
    phx_lu_destroy(mass->lu);
}

/* ---- linearisation ---- */
static void scatter_bodies(workspace *ws, const double *x, const double *v)
{
    const phx_system *system = ws->system;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const int *ptr = NULL, *idx = NULL, *at = ws->kkt.body_at[b];
        phx_body_pattern(slot->body, &ptr, &idx);
        phx_body_linearise(slot->body, system->gravity, x + slot->x, v + slot->v, ws->bodies.M, ws->bodies.D,
                           ws->bodies.K);
        for (int k = 0; k < ptr[phx_body_n_v(slot->body)]; k++) {
            ws->values.M[at[k]] = ws->bodies.M[k];
            ws->values.D[at[k]] = ws->bodies.D[k];
            ws->values.K[at[k]] = ws->bodies.K[k];
        }
    }
}

/* Contributions of the forces, and their efforts at the ports. */
phx_status phx_sys_add_forces(workspace *ws, double t)
{
    memset(ws->scratch.vector[3], 0, (size_t)ws->kkt.n * sizeof(double));
    return phx_sys_forces(ws, t, true, ws->scratch.vector[3]);
}

/* At an instant everything has its array. */
static void clear_values(workspace *ws)
{
    const size_t bytes = (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double);

    ws->values.summed = false;
    ws->values.weight_K = 1.0;
    ws->values.into_D = ws->values.D;
    ws->values.into_K = ws->values.K;
    memset(ws->values.M, 0, bytes);
    memset(ws->values.D, 0, bytes);
    memset(ws->values.K, 0, bytes);
}

/* Evaluates M, D, K and G at an instant (x, v, lambda) on the KKT pattern; K includes the geometric part at fixed
 * efforts and multipliers. Nothing is factored. */
phx_status phx_sys_op_linearise(phx_dae *dae, double t, const double *x, const double *v, const double *lambda)
{
    workspace *ws = (workspace *)dae;

    clear_values(ws);
    phx_sys_set_instant(ws, x, v);
    scatter_bodies(ws, x, v);
    ws->by->rows(ws, t, 0.0);
    phx_sys_rubbing_take(ws, lambda, false);
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
    const phx_work power = ws->forces.power;
    const phx_status status = ws->by->interval_linearise(ws);

    ws->forces.power = power;
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

/* Theory 4 (25): A(cj) = cj M + D + K/cj, or the matrix of an interval as summed. */
phx_status phx_sys_factor_whole(workspace *ws, int slot, double cj)
{
    const int nnz = ws->kkt.ptr[ws->kkt.n];
    const double inverse = 1.0 / cj;

    for (int k = 0; k < nnz && !ws->values.summed; k++)
        ws->values.val[k] = cj * ws->values.M[k] + ws->values.D[k] + inverse * ws->values.K[k];
    return phx_sys_factor(ws, false, ws->values.val, &ws->values.lu[slot]);
}

/* Factors the complex matrix A(c) with c = re + i im into the given slot: c M + D + K/c, -G^T, G + K_l/c. Uses the
 * arrays of the last linearisation. */
phx_status phx_sys_op_factor_complex(phx_dae *dae, int slot, double re, double im)
{
    workspace *ws = (workspace *)dae;
    const int nnz = ws->kkt.ptr[ws->kkt.n];
    const double square = re * re + im * im, inv_re = re / square, inv_im = -im / square;

    if (!ws->values.val_complex) { /* the first use allocates */
        ws->values.val_complex = phx_calloc(dae->context, 2 * (size_t)nnz, sizeof *ws->values.val_complex);
        if (!ws->values.val_complex)
            return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < nnz; k++) {
        ws->values.val_complex[2 * k] = re * ws->values.M[k] + ws->values.D[k] + inv_re * ws->values.K[k];
        ws->values.val_complex[2 * k + 1] = im * ws->values.M[k] + inv_im * ws->values.K[k];
    }
    return phx_sys_factor(ws, true, ws->values.val_complex, &ws->values.lu_complex[slot]);
}

void phx_sys_mass_values(workspace *ws, const double *x)
{
    for (int b = 0; b < ws->system->n_bodies; b++) {
        const body_slot *slot = &ws->system->bodies[b];
        phx_body_put_mass(slot->body, x + slot->x, !ws->mass.begun, ws->kkt.body_at[b], ws->mass.val);
    }
    ws->mass.begun = true;
    ws->by->put_rows(ws, ws->mass.val);
}

phx_status phx_sys_factor_whole_mass(workspace *ws, const double *x)
{
    phx_sys_mass_values(ws, x);
    return phx_sys_factor(ws, false, ws->mass.val, &ws->mass.lu);
}

/* Gives access to the KKT matrix of the workspace in compressed rows, its elimination order and its present values;
 * each pointer may be NULL. The arrays belong to the workspace. */
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
        *val = ws->values.val;
}
