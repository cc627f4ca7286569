/* The deformed start of what rigid motions cannot close: bodies that are joined so stiffly that their joints close by
 * deforming (a beam held at both ends). One Newton iteration, dense, for everything at once, with q_dot = q_ddot = 0:
 *
 *   residual of motion(x, v, a, lambda) = 0        n_v      a: rigid accelerations
 *   assembly residuals, held coordinates = 0       rows that are positions
 *   G a = w' - G' v,  lambda = 0 of held rows      rows
 *   N^T grad 1/2 |change of the poses|^2 = 0       N: rigid motions that leave the joints closed
 *
 * solved for the least norm, since redundant rows share what they carry. */
#include "deformed.h"
#include "system/tolerances.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 1500 };

void phx_deformed_free(dense *d)
{
    double *arrays[] = {d->A, d->b, d->z, d->row, d->col, d->a, d->lambda, d->residuals, d->G, d->K, d->force};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
    phx_free(d->rigid);
}

/* Allocates the dense equations of the deformed start; after an error phx_deformed_free frees the parts made so far. */
phx_status phx_deformed_create(const phx_system *system, dense *d)
{
    phx_context *context = system->context;
    const int rigid = system->dim + system->n_rot;

    *d = (dense){.n_v = system->n_v, .n_r = rigid * system->n_bodies, .m = system->start.assembly->rows.n};
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
    d->residuals = phx_calloc(context, (size_t)(d->n_v + d->m), sizeof *d->residuals);
    d->G = phx_calloc(context, (size_t)(d->m * d->n_r), sizeof *d->G);
    d->K = phx_calloc(context, (size_t)system->start.assembly->kkt.ptr[system->start.assembly->kkt.n], sizeof *d->K);
    for (int b = 0; b < system->n_bodies; b++)
        d->n_force += phx_body_strains(system->bodies[b].body);
    d->force = phx_calloc(context, (size_t)d->n_force, sizeof *d->force);
    d->load = 1.0;
    if (!d->rigid || !d->A || !d->b || !d->z || !d->row || !d->col || !d->a || !d->lambda || !d->residuals || !d->G ||
        !d->K || !d->force)
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

/* Gravity as `load` has it; returns it as it was, to be put back. */
typedef struct own_gravity {
    double value[3];
} own_gravity;
static own_gravity scale_gravity(phx_system *system, double load)
{
    own_gravity own = {{0.0}};
    memcpy(own.value, system->gravity, (size_t)system->dim * sizeof(double));
    for (int a = 0; a < system->dim; a++)
        system->gravity[a] = load * own.value[a];
    return own;
}

static void put_back(phx_system *system, const own_gravity *own)
{
    memcpy(system->gravity, own->value, (size_t)system->dim * sizeof(double));
}

/* K = s K(with forces) + (1 - s) K(without) */
phx_status phx_deformed_linearise(phx_system *system, double t, const double *x, const double *v, const dense *d)
{
    workspace *ws = system->start.assembly;
    const own_gravity own = scale_gravity(system, d->load);
    const int nnz = ws->kkt.ptr[ws->kkt.n], forces = system->n_forces;
    phx_status status = phx_sys_op_linearise(&ws->base, t, x, v, d->lambda);

    if (!status && d->load < 1.0) {
        memcpy(d->K, ws->values.K, (size_t)nnz * sizeof *d->K);
        system->n_forces = 0;
        status = phx_sys_op_linearise(&ws->base, t, x, v, d->lambda);
        for (int k = 0; k < nnz; k++)
            ws->values.K[k] = d->load * d->K[k] + (1.0 - d->load) * ws->values.K[k];
    }
    system->n_forces = forces;
    put_back(system, &own);
    return status;
}

/* The same of the residual of motion, into b. */
static phx_status deformed_start_residual(phx_system *system, double t, const double *x, const double *v, dense *d)
{
    workspace *ws = system->start.assembly;
    const own_gravity own = scale_gravity(system, d->load);
    const int forces = system->n_forces;
    phx_status status = ws->base.ops->residual(&ws->base, t, x, v, d->a, d->lambda, d->b);

    if (!status && d->load < 1.0) {
        system->n_forces = 0;
        status = ws->base.ops->residual(&ws->base, t, x, v, d->a, d->lambda, d->z);
        for (int i = 0; i < d->n_v; i++)
            d->b[i] = d->load * d->b[i] + (1.0 - d->load) * d->z[i];
    }
    system->n_forces = forces;
    put_back(system, &own);
    return status;
}

/* d(EA l eps eps') = eps' EA l deps + force deps': the second part with other forces than those of the strains as they
 * are. Where the axis bends, strains of second order are far larger than those of the solution; forces that follow
 * linearly do not see them, and the iteration converges over long ways (mixed-integration-point Newton). */
static phx_status put_independent_forces(const workspace *ws, dense *d, const double *x)
{
    const phx_system *system = ws->system;
    double *change = phx_calloc(ws->base.context, (size_t)d->n_force, sizeof *change);
    int first = 0;

    if (!change)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const int n = phx_body_strains(slot->body);
        phx_body_strain_forces(slot->body, phx_sys_q(slot, x), NULL, change);
        for (int k = 0; k < n; k++)
            change[k] = d->force[first + k] - change[k];
        phx_body_strain_curvature(slot->body, change, d->cols, d->A + (size_t)slot->v * (size_t)d->cols + slot->v);
        first += n;
    }
    phx_free(change);
    return PHX_OK;
}

/* force <- EA l (eps(q) + eps'(q) dq) */
static void follow_forces(const workspace *ws, dense *d, const double *x)
{
    const phx_system *system = ws->system;
    const int rigid = system->dim + system->n_rot;
    double *force = d->force;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_strain_forces(slot->body, phx_sys_q(slot, x), d->z + slot->v + rigid, force);
        force += phx_body_strains(slot->body);
    }
}

/* Residual of motion with its derivatives: [K  M_r  -G^T]. */
static phx_status motion_rows(phx_system *system, dense *d, double t, const double *x, const double *v)
{
    const workspace *ws = system->start.assembly;
    phx_status status = phx_deformed_linearise(system, t, x, v, d);

    for (int i = 0; i < d->n_v && !status; i++) {
        double *row = d->A + (size_t)i * (size_t)d->cols;
        for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1]; k++) {
            const int j = ws->kkt.idx[k];
            if (j < d->n_v)
                row[j] = ws->values.K[k];
            else
                row[d->n_v + d->n_r + j - d->n_v] = ws->values.D[k];
        }
        for (int c = 0; c < d->n_r; c++)
            row[d->n_v + c] = entry(ws, ws->values.M, i, d->rigid[c]);
    }
    if (!status)
        status = deformed_start_residual(system, t, x, v, d);
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
        const row_slot *slot = &system->rows.slot[ws->rows.index[k]];
        double *row = d->A + (size_t)(first + k) * (size_t)d->cols;
        if (!phx_sys_acts(slot)) {
            row[d->n_v + d->n_r + k] = 1.0;
            d->b[first + k] = -d->lambda[k];
            continue;
        }
        for (int c = 0; c < d->n_r; c++)
            row[d->n_v + c] = entry(ws, ws->values.D, d->n_v + k, d->rigid[c]);
        d->b[first + k] = -phx_sys_row_acceleration(ws, k);
        if (slot->role == ROW_DRIVEN)
            d->b[first + k] +=
                d->load * phx_signal_rate(system->joints[slot->joint].coordinates[slot->coordinate].def.speed, t);
    }
    phx_sys_set_instant(ws, x, d->a); /* what the accelerations so far give: the rates that a would be */
    for (int k = 0; k < d->m; k++)
        if (phx_sys_acts(&system->rows.slot[ws->rows.index[k]]))
            d->b[first + k] -= phx_sys_row_rate(ws, k);
}

/* Gaps, and the least change of the poses along the rigid motions that keep them. */
static phx_status position_rows(workspace *ws, dense *d, const double *x)
{
    const int rigid = ws->system->dim + ws->system->n_rot;
    double *basis = NULL;
    int rank = 0;
    phx_status status = PHX_OK;

    phx_sys_assembly_residual(ws, x, true, d->residuals);
    phx_sys_pull_back(ws, x, d->residuals);
    ws->by->rows(ws, 0.0, 0.0);
    memset(ws->values.val, 0, (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double));
    ws->values.summed = false;
    ws->by->put_rows(ws, ws->values.val);
    memset(d->G, 0, (size_t)(d->m * d->n_r) * sizeof *d->G);
    for (int k = 0; k < d->m; k++) {
        double *row = d->A + (size_t)(d->n_v + k) * (size_t)d->cols, norm = 0.0;
        for (int e = ws->kkt.ptr[d->n_v + k]; e < ws->kkt.ptr[d->n_v + k + 1] && ws->rows.on[k]; e++)
            if (ws->kkt.idx[e] < d->n_v)
                row[ws->kkt.idx[e]] = ws->values.val[e];
        d->b[d->n_v + k] = d->residuals[d->n_v + k];
        for (int c = 0; c < d->n_r; c++)
            norm = fmax(norm, fabs(row[d->rigid[c]]));
        for (int c = 0; c < d->n_r && norm > 0.0; c++)
            d->G[k * d->n_r + c] = row[d->rigid[c]] / norm;
    }
    status = phx_dense_nullspace(ws->base.context, d->m, d->n_r, d->G, DEPENDENT_ROWS, &rank, &basis);
    d->n_free = d->n_r - rank;
    for (int r = 0; r < d->n_r - rank && !status; r++) {
        double *row = d->A + (size_t)(d->n_v + 2 * d->m + r) * (size_t)d->cols;
        for (int c = 0; c < d->n_r; c++) {
            const double n = basis[c * (d->n_r - rank) + r];
            d->b[d->n_v + 2 * d->m + r] += n * d->residuals[d->rigid[c]];
            const int body = c / rigid * rigid; /* M couples a body's rigid velocities with each other only */
            for (int e = body; e < body + rigid; e++)
                row[d->rigid[e]] += n * entry(ws, ws->values.M, d->rigid[c], d->rigid[e]);
        }
    }
    phx_free(basis);
    return status;
}

/* Rows and columns scaled to entries of size 1, then the least-norm solution; z in the units of the unknowns. */
static phx_status solve_scaled(workspace *ws, dense *d)
{
    static const double RANK = 1e-11; /* of rows and columns scaled to 1 */
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
    status = phx_dense_least_norm(ws->base.context, d->rows, d->cols, d->A, 1, d->b, RANK, d->z, NULL);
    for (int j = 0; j < d->cols && !status; j++)
        d->z[j] *= d->col[j];
    return status;
}

/* The largest change of a deformation, relative to the whole of it, or to that part of the mechanism's size below which
 * it is none: a heated body that is held all round does not deform. */
static const double NO_DEFORMATION = 1e-9;
/* Largest relative change of a body's deformation in the last correction; HUGE_VAL if it is not a number. */
static double bend_of(const phx_system *system, const dense *d, const double *x)
{
    const int rigid = system->dim + system->n_rot;
    const double none = NO_DEFORMATION * phx_sys_size(system->start.assembly);
    double largest = 0.0;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const double *q = phx_sys_q(slot, x), *dq = d->z + slot->v + rigid;
        double moved = 0.0, size = 0.0;
        for (int i = 0; i < phx_body_n_q(slot->body); i++) {
            moved += dq[i] * dq[i];
            size += q[i] * q[i];
        }
        if (isnan(moved) || isnan(size))
            return HUGE_VAL;
        if (moved > 0.0)
            largest = fmax(largest, sqrt(moved) / fmax(sqrt(size), none));
    }
    return largest;
}

/* G a + G' v of row k, the velocities those of (x, v). */
static void row_accelerations(workspace *ws, const dense *d, const double *x, const double *v, double *out)
{
    phx_sys_set_instant(ws, x, v);
    for (int k = 0; k < d->m; k++)
        out[k] = phx_sys_row_acceleration(ws, k);
    phx_sys_set_instant(ws, x, d->a);
    for (int k = 0; k < d->m; k++)
        out[k] += phx_sys_row_rate(ws, k);
}

/* A mechanism that moves at the start has velocities, and rows of accelerations, that change with the deformation: the
 * frame of a turning body moves against the section that is driven. By differences; K leaves it out. */
static phx_status put_velocity_terms(phx_system *system, double t, const double *x, const double *v, dense *d)
{
    workspace *ws = system->start.assembly;
    const double small = 1e-7;
    const size_t n = (size_t)d->n_v, m = (size_t)d->m;
    double *room = phx_calloc(system->context, (size_t)system->n_x + 2 * n + 2 * m, sizeof *room);
    double *moved = room + 2 * n + 2 * m, *rate = room, *way = room + n, *own = room + 2 * n, *other = own + m;
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        row_accelerations(ws, d, x, v, own);
    for (int j = 0; j < d->n_v && !status; j++) {
        memcpy(moved, x, (size_t)system->n_x * sizeof *x);
        memset(way, 0, n * sizeof *way);
        way[j] = small;
        phx_sys_move_all(ws, way, moved);
        status = phx_sys_start_velocities(system, t, moved, rate);
        if (status)
            break;
        for (int i = 0; i < d->n_v; i++)
            rate[i] *= d->load < 1.0 ? sqrt(d->load) : 1.0;
        row_accelerations(ws, d, moved, rate, other);
        for (int i = 0; i < d->n_v; i++)
            for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1]; k++)
                if (ws->kkt.idx[k] < d->n_v)
                    d->A[(size_t)i * (size_t)d->cols + (size_t)j] +=
                        ws->values.D[k] * (rate[ws->kkt.idx[k]] - v[ws->kkt.idx[k]]) / small;
        for (int k = 0; k < d->m; k++)
            if (phx_sys_acts(&system->rows.slot[ws->rows.index[k]]))
                d->A[(size_t)(d->n_v + d->m + k) * (size_t)d->cols + (size_t)j] += (other[k] - own[k]) / small;
    }
    phx_free(room);
    return status;
}

static bool rests(int n, const double *v)
{
    for (int i = 0; i < n; i++)
        if (v[i] != 0.0)
            return false;
    return true;
}

/* Fills the dense matrix and right side of the deformed start at (t, x), with loads and inertia scaled by d->load; v
 * receives the velocities of the start. */
phx_status phx_deformed_evaluate(phx_system *system, double t, const double *x, double *v, dense *d)
{
    workspace *ws = system->start.assembly;
    phx_status status = phx_sys_start_velocities(system, t, x, v);

    for (int i = 0; i < d->n_v && d->load < 1.0; i++)
        v[i] *= sqrt(d->load);
    memset(d->A, 0, (size_t)d->rows * (size_t)d->cols * sizeof *d->A);
    memset(d->b, 0, (size_t)d->rows * sizeof *d->b);
    if (!status)
        status = motion_rows(system, d, t, x, v);
    if (!status && d->independent)
        status = put_independent_forces(ws, d, x);
    if (!status)
        acceleration_rows(ws, d, t, x);
    if (!status && d->independent && !rests(d->n_v, v))
        status = put_velocity_terms(system, t, x, v, d);
    return status ? status : position_rows(ws, d, x);
}

/* Solves the dense equations and corrects x, accelerations and multipliers. *moved is the largest rigid move, *bent the
 * largest relative change of deformation. */
phx_status phx_deformed_correct(phx_system *system, double *x, dense *d, double *moved, double *bent)
{
    workspace *ws = system->start.assembly;

    const phx_status status = solve_scaled(ws, d);
    if (status)
        return status;
    if (d->independent)
        follow_forces(ws, d, x);
    *moved = phx_sys_move_all(ws, d->z, x);
    *bent = bend_of(system, d, x);
    for (int c = 0; c < d->n_r; c++)
        d->a[d->rigid[c]] += d->z[d->n_v + c];
    for (int k = 0; k < d->m; k++)
        d->lambda[k] += d->z[d->n_v + d->n_r + k];
    return PHX_OK;
}

bool phx_sys_deformed_fits(const phx_system *system)
{
    return system->n_v + (system->dim + system->n_rot) * system->n_bodies + 2 * system->start.assembly->rows.n <=
           LARGEST;
}
