/* The deformed start of what rigid motions cannot close: bodies that are joined so stiffly that their joints close by
 * deforming (a beam held at both ends). One Newton iteration, dense, for everything at once, with q_dot = q_ddot = 0:
 *
 *   residual of motion(x, v, a, lambda) = 0        n_v      a: rigid accelerations
 *   gaps of the joints, held coordinates = 0       rows that are positions
 *   G a = w' - G' v,  lambda = 0 of held rows      rows
 *   N^T grad 1/2 |change of the poses|^2 = 0       N: rigid motions that leave the joints closed
 *
 * solved for the least norm, since redundant rows share what they carry. */
#include "system_internal.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 1500, ITERATIONS = 50 };

typedef struct dense {
    int n_v, n_r, m; /* velocities, rigid ones, rows */
    int rows, cols;
    int *rigid;         /* n_r: velocity of rigid column c */
    double *A, *b, *z;  /* rows x cols, rows, cols */
    double *row, *col;  /* scalings */
    double *a, *lambda; /* n_v, m */
    double *gaps;       /* n_v + m */
    double *G;          /* m x n_r */
} dense;

static void dense_free(dense *d)
{
    double *arrays[] = {d->A, d->b, d->z, d->row, d->col, d->a, d->lambda, d->gaps, d->G};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
    phx_free(d->rigid);
}

static phx_status dense_create(const phx_system *system, dense *d)
{
    phx_context *context = system->context;
    const int rigid = system->dim + system->n_rot;

    *d = (dense){.n_v = system->n_v, .n_r = rigid * system->n_bodies, .m = system->assembly->n_l};
    d->cols = d->n_v + d->n_r + d->m;
    d->rows = d->n_v + 2 * d->m + d->n_r;
    d->rigid = phx_calloc(context, (size_t)d->n_r, sizeof *d->rigid);
    d->A = phx_calloc(context, (size_t)d->rows * (size_t)d->cols, sizeof *d->A);
    d->b = phx_calloc(context, (size_t)d->rows, sizeof *d->b);
    d->z = phx_calloc(context, (size_t)d->cols, sizeof *d->z);
    d->row = phx_calloc(context, (size_t)d->rows, sizeof *d->row);
    d->col = phx_calloc(context, (size_t)d->cols, sizeof *d->col);
    d->a = phx_calloc(context, (size_t)d->n_v, sizeof *d->a);
    d->lambda = phx_calloc(context, (size_t)d->m, sizeof *d->lambda);
    d->gaps = phx_calloc(context, (size_t)(d->n_v + d->m), sizeof *d->gaps);
    d->G = phx_calloc(context, (size_t)(d->m * d->n_r), sizeof *d->G);
    if (!d->rigid || !d->A || !d->b || !d->z || !d->row || !d->col || !d->a || !d->lambda || !d->gaps || !d->G)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies; b++)
        for (int i = 0; i < rigid; i++)
            d->rigid[b * rigid + i] = system->bodies[b].v + i;
    return PHX_OK;
}

/* Entry (i, j) of an array on the kkt pattern, 0 outside it. */
static double entry(const workspace *ws, const double *val, int i, int j)
{
    const phx_csr pattern = {ws->kkt.n, ws->kkt.n, ws->kkt.ptr, ws->kkt.idx, NULL};
    const int at = phx_csr_find(&pattern, i, j);
    return at < 0 ? 0.0 : val[at];
}

/* Residual of motion with its derivatives: [K  M_r  -G^T]. */
static phx_status motion_rows(workspace *ws, dense *d, double t, const double *x, const double *v)
{
    phx_status status = phx_sys_op_linearise(&ws->base, t, x, v, d->lambda);

    for (int i = 0; i < d->n_v && !status; i++) {
        double *row = d->A + (size_t)i * (size_t)d->cols;
        for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1]; k++) {
            const int j = ws->kkt.idx[k];
            if (j < d->n_v)
                row[j] = ws->K[k];
            else
                row[d->n_v + d->n_r + j - d->n_v] = ws->D[k];
        }
        for (int c = 0; c < d->n_r; c++)
            row[d->n_v + c] = entry(ws, ws->M, i, d->rigid[c]);
    }
    if (!status)
        status = ws->base.ops->residual(&ws->base, t, x, v, d->a, d->lambda, d->b);
    for (int i = 0; i < d->n_v && !status; i++)
        d->b[i] = -d->b[i];
    return status;
}

/* G_r a = w' - G' v, and no multiplier where a row only holds the start. The views are those of (x, v). */
static void acceleration_rows(workspace *ws, dense *d, double t, const double *x)
{
    const phx_system *system = ws->system;
    const int first = d->n_v + d->m;

    for (int k = 0; k < d->m; k++) {
        const row_slot *slot = &system->rows[ws->row[k]];
        double *row = d->A + (size_t)(first + k) * (size_t)d->cols;
        if (slot->role == ROW_HELD) {
            row[d->n_v + d->n_r + k] = 1.0;
            d->b[first + k] = -d->lambda[k];
            continue;
        }
        for (int c = 0; c < d->n_r; c++)
            row[d->n_v + c] = entry(ws, ws->D, d->n_v + k, d->rigid[c]);
        d->b[first + k] = -phx_sys_row_acceleration(ws, k);
        if (slot->role == ROW_DRIVEN)
            d->b[first + k] += phx_signal_rate(system->joints[slot->joint].coordinates[slot->coordinate].def.speed, t);
    }
    phx_sys_set_instant(ws, x, d->a); /* what the accelerations so far give: the rates that a would be */
    for (int k = 0; k < d->m; k++)
        if (system->rows[ws->row[k]].role != ROW_HELD)
            d->b[first + k] -= phx_sys_row_rate(ws, k);
}

/* Gaps, and the least change of the poses along the rigid motions that keep them. */
static phx_status position_rows(workspace *ws, dense *d, const double *x)
{
    const int rigid = ws->system->dim + ws->system->n_rot;
    double *basis = NULL;
    int rank = 0;
    phx_status status = PHX_OK;

    phx_sys_measure_gaps(ws, x, true, d->gaps);
    phx_sys_pull_back(ws, x, d->gaps);
    phx_sys_rows(ws, 0.0, 0.0);
    memset(ws->val, 0, (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double));
    phx_sys_put_rows(ws, ws->val);
    memset(d->G, 0, (size_t)(d->m * d->n_r) * sizeof *d->G);
    for (int k = 0; k < d->m; k++) {
        double *row = d->A + (size_t)(d->n_v + k) * (size_t)d->cols, norm = 0.0;
        for (int e = ws->kkt.ptr[d->n_v + k]; e < ws->kkt.ptr[d->n_v + k + 1] && ws->on[k]; e++)
            if (ws->kkt.idx[e] < d->n_v)
                row[ws->kkt.idx[e]] = ws->val[e];
        d->b[d->n_v + k] = d->gaps[d->n_v + k];
        for (int c = 0; c < d->n_r; c++)
            norm = fmax(norm, fabs(row[d->rigid[c]]));
        for (int c = 0; c < d->n_r && norm > 0.0; c++)
            d->G[k * d->n_r + c] = row[d->rigid[c]] / norm;
    }
    status = phx_dense_nullspace(ws->base.context, d->m, d->n_r, d->G, 1e-9, &rank, &basis);
    for (int r = 0; r < d->n_r - rank && !status; r++) {
        double *row = d->A + (size_t)(d->n_v + 2 * d->m + r) * (size_t)d->cols;
        for (int c = 0; c < d->n_r; c++) {
            const double n = basis[c * (d->n_r - rank) + r];
            d->b[d->n_v + 2 * d->m + r] += n * d->gaps[d->rigid[c]];
            const int body = c / rigid * rigid; /* M couples a body's rigid velocities with each other only */
            for (int e = body; e < body + rigid; e++)
                row[d->rigid[e]] += n * entry(ws, ws->M, d->rigid[c], d->rigid[e]);
        }
    }
    phx_free(basis);
    return status;
}

/* Rows and columns scaled to entries of size 1, then the least-norm solution; z in the units of the unknowns. */
static phx_status solve_scaled(workspace *ws, dense *d)
{
    phx_status status = PHX_OK;

    for (int i = 0; i < d->rows; i++)
        d->row[i] = 1.0;
    for (int j = 0; j < d->cols; j++)
        d->col[j] = 1.0;
    for (int pass = 0; pass < 6; pass++) {
        for (int i = 0; i < d->rows; i++) {
            double largest = 0.0;
            for (int j = 0; j < d->cols; j++)
                largest = fmax(largest, fabs(d->A[(size_t)i * (size_t)d->cols + (size_t)j]) * d->row[i] * d->col[j]);
            d->row[i] /= largest > 0.0 ? sqrt(largest) : 1.0;
        }
        for (int j = 0; j < d->cols; j++) {
            double largest = 0.0;
            for (int i = 0; i < d->rows; i++)
                largest = fmax(largest, fabs(d->A[(size_t)i * (size_t)d->cols + (size_t)j]) * d->row[i] * d->col[j]);
            d->col[j] /= largest > 0.0 ? sqrt(largest) : 1.0;
        }
    }
    for (int i = 0; i < d->rows; i++) {
        d->b[i] *= d->row[i];
        for (int j = 0; j < d->cols; j++)
            d->A[(size_t)i * (size_t)d->cols + (size_t)j] *= d->row[i] * d->col[j];
    }
    status = phx_dense_least_norm(ws->base.context, d->rows, d->cols, d->A, 1, d->b, 1e-11, d->z, NULL);
    for (int j = 0; j < d->cols && !status; j++)
        d->z[j] *= d->col[j];
    return status;
}

/* Moves x, a and lambda by the solution; returns the largest move of a body, relative to the size of the system. */
static double apply(workspace *ws, dense *d, double *x)
{
    const double moved = phx_sys_move_all(ws, d->z, x);

    for (int c = 0; c < d->n_r; c++)
        d->a[d->rigid[c]] += d->z[d->n_v + c];
    for (int k = 0; k < d->m; k++)
        d->lambda[k] += d->z[d->n_v + d->n_r + k];
    return moved;
}

bool phx_sys_deformed_fits(const phx_system *system)
{
    return system->n_v + (system->dim + system->n_rot) * system->n_bodies + 2 * system->assembly->n_l <= LARGEST;
}

/* The body whose coordinates are the largest, or no numbers. */
static int softest_body(const phx_system *system, const double *x)
{
    double largest = -1.0;
    int softest = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const double *q = x + slot->x + system->dim + phx_attitude_size(system->dim);
        for (int i = 0; i < phx_body_n_q(slot->body); i++)
            if (!(fabs(q[i]) <= largest)) {
                largest = isnan(q[i]) ? HUGE_VAL : fabs(q[i]);
                softest = b;
            }
    }
    return softest;
}

phx_status phx_sys_deformed_start(phx_system *system, double t, double *x, double *v)
{
    workspace *ws = system->assembly;
    dense d;
    double moved = HUGE_VAL, best = HUGE_VAL;
    phx_status status = dense_create(system, &d);

    for (int iteration = 0; iteration < ITERATIONS && !status; iteration++) {
        status = phx_sys_start_velocities(system, t, x, v);
        memset(d.A, 0, (size_t)d.rows * (size_t)d.cols * sizeof *d.A);
        memset(d.b, 0, (size_t)d.rows * sizeof *d.b);
        if (!status)
            status = motion_rows(ws, &d, t, x, v);
        if (!status)
            acceleration_rows(ws, &d, t, x);
        if (!status)
            status = position_rows(ws, &d, x);
        if (!status)
            status = solve_scaled(ws, &d);
        if (status)
            break;
        moved = apply(ws, &d, x);
        if (!(moved < 1e3) || (best < 1e-9 && moved >= best))
            break;
        best = fmin(best, moved);
    }
    if (!status && !(best < 1e-9 && phx_sys_measure_gaps(ws, x, true, d.gaps) < 1e-9))
        status = phx_fail(system->context, PHX_ERR_ANALYSIS,
                          "the quasi-static deformation at the start did not converge (last relative move %.2g), worst "
                          "at body '%s': the bodies are too soft for their loads; start with deformation: zero",
                          moved, phx_body_name(system->bodies[softest_body(system, x)].body));
    if (!status)
        status = phx_sys_start_velocities(system, t, x, v);
    dense_free(&d);
    return status;
}
