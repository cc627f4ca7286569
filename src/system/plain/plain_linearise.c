/* The plain evaluator: derivatives over an interval and whole matrices, factored by KLU. */
#include "plain.h"

#include <string.h>

/* Theory 4 (25): A(2/h) = D + h/2 K + the derivative of the bodies' rows, all of it with respect to the mean velocity.
 */
phx_status phx_plain_interval_linearise(workspace *ws)
{
    ws->values.summed = true;
    ws->values.weight_K = 0.5 * ws->view.h;
    ws->values.into_D = ws->values.into_K = ws->values.val;
    memset(ws->values.val, 0, (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof *ws->values.val);
    phx_plain_linearise_bodies(ws);
    phx_plain_add_couplings(ws, ws->step.lambda);
    return phx_sys_add_forces(ws, ws->step.t0 + 0.5 * ws->view.h);
}

phx_status phx_plain_solve(workspace *ws, int slot, double *b)
{
    return phx_lu_solve(ws->values.lu[slot], 1, b);
}

phx_status phx_plain_solve_mass(workspace *ws, double *b)
{
    return phx_lu_solve(ws->mass.lu, 1, b);
}

/* The projection factors [M -G^T; G 0] as accelerations do. */
phx_status phx_plain_factor_rows(workspace *ws, const double *x, const double *v, bool *energies)
{
    (void)v;
    *energies = false;
    return phx_sys_factor_whole_mass(ws, x);
}

phx_status phx_plain_solve_rows(workspace *ws, double alpha, const double *r, double *b)
{
    memset(b, 0, (size_t)ws->kkt.n_v * sizeof *b);
    for (int k = 0; k < ws->rows.n; k++)
        b[ws->kkt.n_v + k] = alpha * r[k];
    return phx_plain_solve_mass(ws, b);
}

phx_status phx_plain_create_lu(const workspace *ws, const kkt_matrix *kkt, bool complex_values, phx_lu **lu)
{
    const phx_status status =
        phx_lu_create(ws->base.context, kkt->n, kkt->ptr, kkt->idx, kkt->order, complex_values, lu);

    if (!status)
        phx_lu_pivot_always(*lu);
    return status;
}
