/* The constraints of a linearised system some of whose drives are released. */
#include "system/channels/channels.h"

#include <string.h>

void phx_sys_constraint_rows_free(constraint_rows *rows)
{
    phx_free(rows->row);
    phx_free(rows->share);
    phx_csr_free(&rows->all);
}

static bool released(const catalog *list, const row_slot *row)
{
    const motion *what = &list->motions[list->first_motion[row->joint] + row->coordinate];
    return row->role == ROW_DRIVEN && (what->input >= 0 || what->held >= 0);
}

/* Rows that are on, independent ones of the whole system first. */
static int constraint_rows_list_rows(const phx_system *system, const catalog *list, int *rows)
{
    int count = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < system->rows.n; r++)
            if (phx_sys_acts(&system->rows.slot[r]) && system->rows.slot[r].redundant == (pass == 1) &&
                !released(list, &system->rows.slot[r]))
                rows[count++] = r;
    return count;
}

/* G of the rows listed at the current instant view. */
static phx_status rows_matrix(workspace *ws, const catalog *list, int count, const int *rows, phx_csr *G)
{
    const phx_system *system = ws->system;
    jacobian_rows jacobian = {.ws = ws, .list = list};

    for (int k = 0; k < count; k++) {
        const row_slot *slot = &system->rows.slot[rows[k]];
        double g[PAIR_SIZE];
        phx_row_covectors(slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], g, g + PHX_PORT_MAX);
        phx_sys_jacobian_add_port(&jacobian, JACOBIAN_H, k, slot->a, g);
        phx_sys_jacobian_add_port(&jacobian, JACOBIAN_H, k, slot->b, g + PHX_PORT_MAX);
    }
    const jacobian_entries *entries = &jacobian.part[JACOBIAN_H];
    if (!jacobian.status)
        jacobian.status = phx_csr_from_triplets(ws->base.context, count, system->n_v, entries->count, entries->row,
                                                entries->col, entries->val, G);
    phx_sys_jacobian_free(&jacobian);
    return jacobian.status;
}

/* Least-norm multipliers: G_r = C G of the redundant rows, and min |lambda - C^T z|^2 + |z|^2:
 *   z = (I + C C^T)^-1 C lambda,   share = | I - C^T (I + C C^T)^-1 C |
 *                                          |     (I + C C^T)^-1 C     | */
static phx_status share_multipliers(phx_context *context, constraint_rows *rows)
{
    static const double RANK = 1e-12; /* relative to the largest singular value */
    const int n = rows->all.cols, m = rows->count, r = rows->redundant;
    double *G = phx_calloc(context, (size_t)(m + r) * (size_t)n, sizeof *G);
    double *A = phx_calloc(context, (size_t)(m + r) * (size_t)n, sizeof *A), *b = NULL;
    double *C = phx_calloc(context, (size_t)r * (size_t)m, sizeof *C);
    double *S = phx_calloc(context, (size_t)r * (size_t)r, sizeof *S);
    phx_status status = PHX_OK;

    rows->share = phx_calloc(context, (size_t)(m + r) * (size_t)m, sizeof *rows->share);
    if (!G || !A || !C || !S || !rows->share)
        status = PHX_ERR_MEMORY;
    if (!status) { /* G^T C^T = G_r^T */
        phx_csr_to_dense(&rows->all, G);
        b = A + (size_t)n * (size_t)m;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < m; k++)
                A[i * m + k] = G[k * n + i];
            for (int k = 0; k < r; k++)
                b[i * r + k] = G[(m + k) * n + i];
        }
        status = phx_dense_least_norm(context, n, m, A, r, b, RANK, G, NULL);
    }
    if (!status) { /* G holds C^T, m x r */
        for (int i = 0; i < r; i++)
            S[i * r + i] = 1.0;
        phx_dense_multiply(true, false, r, r, m, 1.0, G, r, G, r, 1.0, S, r);
        for (int k = 0; k < m; k++)
            for (int i = 0; i < r; i++)
                C[i * m + k] = G[k * r + i];
        status = phx_dense_solve(context, r, S, m, C); /* Z = (I + C C^T)^-1 C */
    }
    if (!status) {
        for (int k = 0; k < m; k++)
            rows->share[k * m + k] = 1.0;
        phx_dense_multiply(false, false, m, m, r, -1.0, G, r, C, m, 1.0, rows->share, m);
        memcpy(rows->share + (size_t)m * (size_t)m, C, (size_t)r * (size_t)m * sizeof *C);
    }
    phx_free(G);
    phx_free(A);
    phx_free(C);
    phx_free(S);
    return status;
}

/* Moves rows that depend on earlier ones to the end of the list. */
static phx_status set_redundant_apart(workspace *ws, const double *x, int count, constraint_rows *rows)
{
    phx_context *context = ws->base.context;
    workspace *own = NULL;
    int *dependent = phx_calloc(context, (size_t)count, sizeof *dependent), *sorted = NULL, n = 0, kept = 0;
    phx_status status = dependent
                            ? phx_sys_workspace_create(ws->system, context, PHX_BACKEND_AUTO, count, rows->row, &own)
                            : PHX_ERR_MEMORY;

    if (!status)
        status = phx_sys_dependent_rows(own, x, dependent, &n);
    sorted = status ? NULL : phx_calloc(context, (size_t)count, sizeof *sorted);
    if (!status && !sorted)
        status = PHX_ERR_MEMORY;
    for (int k = 0, d = 0; k < count && !status; k++) {
        if (d < n && dependent[d] == k)
            sorted[count - n + d++] = rows->row[k];
        else
            sorted[kept++] = rows->row[k];
    }
    if (!status) {
        memcpy(rows->row, sorted, (size_t)count * sizeof *sorted);
        rows->redundant = n;
    }
    phx_sys_workspace_destroy(own);
    phx_free(dependent);
    phx_free(sorted);
    return status;
}

/* Finds the constraint rows of the linear model at x, with released drives left out: the matrix of all rows,
 * independent ones first, and the shares of multipliers among redundant rows. */
phx_status phx_sys_constraint_rows_find(workspace *ws, const double *x, const catalog *list, constraint_rows *rows)
{
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    rows->row = phx_calloc(ws->base.context, (size_t)system->rows.n, sizeof *rows->row);
    if (!rows->row)
        return PHX_ERR_MEMORY;
    const int count = constraint_rows_list_rows(system, list, rows->row);
    if (system->rows.n_redundant > 0)
        status = set_redundant_apart(ws, x, count, rows);
    rows->count = count - rows->redundant;
    if (!status)
        status = rows_matrix(ws, list, count, rows->row, &rows->all);
    if (!status && rows->redundant > 0)
        status = share_multipliers(ws->base.context, rows);
    return status;
}
