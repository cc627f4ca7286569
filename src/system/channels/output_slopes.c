/* Derivatives of outputs that follow the configuration alone, at any state: those of the linear model, which hold there
 * because velocities have no part in them. */
#include "channels.h"

struct phx_output_slopes {
    phx_dae *dae;
    jacobian_rows rows;
    int *row; /* of each column: itself */
};

/* Rows of the derivatives are numbered as the columns. */
phx_status phx_output_slopes_create(phx_dae *dae, phx_output_slopes **slopes)
{
    workspace *ws = (workspace *)dae;
    const int n = ws->system->channels.n_columns;

    *slopes = phx_calloc(dae->context, 1, sizeof **slopes);
    if (!*slopes)
        return PHX_ERR_MEMORY;
    (*slopes)->dae = dae;
    (*slopes)->rows.ws = ws;
    (*slopes)->row = phx_calloc(dae->context, (size_t)n, sizeof *(*slopes)->row);
    if (!(*slopes)->row) {
        phx_output_slopes_destroy(*slopes);
        *slopes = NULL;
        return PHX_ERR_MEMORY;
    }
    for (int c = 0; c < n; c++)
        (*slopes)->row[c] = c;
    return PHX_OK;
}

void phx_output_slopes_destroy(phx_output_slopes *slopes)
{
    if (!slopes)
        return;
    phx_sys_jacobian_free(&slopes->rows);
    phx_free(slopes->row);
    phx_free(slopes);
}

bool phx_output_slopes_has(const phx_system *system, int output)
{
    const phx_quantity_info *info = phx_system_quantity_info(system->channels.outputs[output].def.quantity);

    return info->order == 0 && !info->instead;
}

/* Entry by entry of the rows of the outputs that any of the numbers follows. */
phx_status phx_output_slopes_add(phx_output_slopes *slopes, const bool *wanted, double t, const double *x,
                                 const double *v, int n, int stride, const double *weight, double *a)
{
    workspace *ws = slopes->rows.ws;
    const phx_system *system = ws->system;
    const jacobian_entries *made = &slopes->rows.part[JACOBIAN_Q];

    phx_sys_set_instant(ws, x, v);
    slopes->rows.t = t;
    for (int i = 0; i < system->channels.n_outputs; i++) {
        if (!wanted[i] || !phx_output_slopes_has(system, i))
            continue;
        for (int part = 0; part < JACOBIAN_PARTS; part++)
            slopes->rows.part[part].count = 0;
        slopes->rows.row = slopes->row + system->channels.outputs[i].first;
        phx_sys_output_jacobian(&slopes->rows, &system->channels.outputs[i]);
        for (size_t e = 0; e < made->count; e++)
            for (int k = 0; k < n; k++)
                a[k * system->n_v + made->col[e]] += weight[k * stride + made->row[e]] * made->val[e];
    }
    return slopes->rows.status;
}
