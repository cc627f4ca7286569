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
#include "equilibrium/tolerances.h"

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
phx_status phx_deformed_create(phx_system *system, dense *d)
{
    const int dim = phx_system_dim(system), rigid = dim + phx_rotations(dim);

    *d = (dense){.system = system, .rigid_each = rigid, .n_r = rigid * phx_system_bodies(system), .load = 1.0};
    for (int b = 0; b < phx_system_bodies(system); b++)
        d->n_r += phx_body_places(phx_system_body(system, b), NULL, NULL);
    phx_status status = phx_system_assembly(system, &d->dae);
    if (status)
        return status;
    d->e = phx_system_equations(d->dae);
    d->n_v = d->e.n_v;
    d->m = d->e.n_l;
    d->cols = d->n_v + d->n_r + d->m;
    d->rows = d->n_v + 2 * d->m + d->n_r;
    for (int b = 0; b < phx_system_bodies(system); b++)
        d->n_force += phx_body_strains(phx_system_body(system, b));
    const size_t rows = (size_t)d->rows, cols = (size_t)d->cols, m = (size_t)d->m, n_r = (size_t)d->n_r;
    const phx_array arrays[] = {{&d->A, rows * cols},
                                {&d->b, rows},
                                {&d->z, cols},
                                {&d->row, rows},
                                {&d->col, cols},
                                {&d->a, (size_t)d->n_v},
                                {&d->lambda, m},
                                {&d->residuals, (size_t)d->e.n},
                                {&d->G, m * n_r},
                                {&d->K, (size_t)d->e.ptr[d->e.n]},
                                {&d->force, (size_t)d->n_force}};
    status = phx_arrays_create(d->dae->context, sizeof arrays / sizeof *arrays, arrays);
    d->rigid = status ? NULL : phx_calloc(d->dae->context, n_r, sizeof *d->rigid);
    for (int b = 0; b < phx_system_bodies(system) && d->rigid; b++)
        for (int i = 0; i < rigid; i++)
            d->rigid[b * rigid + i] = phx_system_placed(system, b).v + i;
    for (int b = 0, c = rigid * phx_system_bodies(system); b < phx_system_bodies(system) && d->rigid; b++) {
        int v, n = phx_body_places(phx_system_body(system, b), NULL, &v); /* turns of wheels */
        for (int k = 0; k < n; k++)
            d->rigid[c++] = phx_system_placed(system, b).v + v + k;
    }
    return d->rigid ? PHX_OK : PHX_ERR_MEMORY;
}

/* Entry (i, j) of an array on the pattern, 0 outside it. */
static double entry(const phx_equations *e, const double *val, int i, int j)
{
    const int at = phx_csr_find(&e->pattern, i, j);
    return at < 0 ? 0.0 : val[at];
}

/* d(EA l eps eps') = eps' EA l deps + force deps': the second part with other forces than those of the strains as they
 * are. Where the axis bends, strains of second order are far larger than those of the solution; forces that follow
 * linearly do not see them, and the iteration converges over long ways (mixed-integration-point Newton). */
static phx_status put_independent_forces(dense *d, const double *x)
{
    const phx_system *system = d->system;
    double *change = phx_calloc(d->dae->context, (size_t)d->n_force, sizeof *change);
    int first = 0;

    if (!change)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        const int n = phx_body_strains(placed.body);
        phx_body_strain_forces(placed.body, phx_placed_q(&placed, x), NULL, change);
        for (int k = 0; k < n; k++)
            change[k] = d->force[first + k] - change[k];
        phx_body_strain_curvature(placed.body, change, d->cols, d->A + (size_t)placed.v * (size_t)d->cols + placed.v);
        first += n;
    }
    phx_free(change);
    return PHX_OK;
}

/* force <- EA l (eps(q) + eps'(q) dq) */
static void follow_forces(dense *d, const double *x)
{
    const phx_system *system = d->system;
    const int rigid = d->rigid_each;
    double *force = d->force;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        phx_body_strain_forces(placed.body, phx_placed_q(&placed, x), d->z + placed.v + rigid, force);
        force += phx_body_strains(placed.body);
    }
}

/* Residual of motion with its derivatives: [K  M_r  -G^T]. */
static phx_status motion_rows(dense *d, double t, const double *x, const double *v)
{
    phx_status status = phx_system_linearise_part(d->dae, d->load, t, x, v, d->lambda, d->K);

    for (int i = 0; i < d->n_v && !status; i++) {
        double *row = d->A + (size_t)i * (size_t)d->cols;
        for (int k = d->e.ptr[i]; k < d->e.ptr[i + 1]; k++) {
            const int j = d->e.idx[k];
            if (j < d->n_v)
                row[j] = d->e.K[k];
            else
                row[d->n_v + d->n_r + j - d->n_v] = d->e.D[k];
        }
        for (int c = 0; c < d->n_r; c++)
            row[d->n_v + c] = entry(&d->e, d->e.M, i, d->rigid[c]);
    }
    if (!status)
        status = phx_system_residual_part(d->dae, d->load, t, x, v, d->a, d->lambda, d->b, d->z);
    for (int i = 0; i < d->n_v && !status; i++)
        d->b[i] = -d->b[i];
    return status;
}

/* G' v of row k, the views those of (x, v). */
static double row_bias(const dense *d, int k)
{
    const phx_row_view view = phx_system_row(d->dae, k);

    return phx_system_row_bias(d->dae, view.row, (phx_port_id[2]){view.a, view.b},
                               d->e.g + (size_t)k * 2 * PHX_PORT_MAX);
}

/* G_r a = w' - G' v, and no multiplier where a row only holds the start. The views are those of (x, v). */
static void acceleration_rows(dense *d, double t, const double *x)
{
    const int first = d->n_v + d->m;

    for (int k = 0; k < d->m; k++) {
        const phx_row_view view = phx_system_row(d->dae, k);
        double *row = d->A + (size_t)(first + k) * (size_t)d->cols;
        if (!view.acts) {
            row[d->n_v + d->n_r + k] = 1.0;
            d->b[first + k] = -d->lambda[k];
            continue;
        }
        for (int c = 0; c < d->n_r; c++)
            row[d->n_v + c] = entry(&d->e, d->e.D, d->n_v + k, d->rigid[c]);
        d->b[first + k] = -row_bias(d, k);
        if (view.driven)
            d->b[first + k] += d->load * phx_signal_rate(view.speed, t);
    }
    phx_system_view(d->dae, x, d->a); /* what the accelerations so far give: the rates that a would be */
    for (int k = 0; k < d->m; k++)
        if (phx_system_row(d->dae, k).acts)
            d->b[first + k] -= phx_system_row_rate(d->dae, k);
}

/* Gaps, and the least change of the poses along the rigid motions that keep them. */
static phx_status position_rows(dense *d, const double *x)
{
    const bool *on = phx_system_assembly_rows(d->dae, x, d->residuals);
    const int rigid = d->rigid_each;
    double *basis = NULL;
    int rank = 0;
    phx_status status = PHX_OK;

    memset(d->G, 0, (size_t)(d->m * d->n_r) * sizeof *d->G);
    for (int k = 0; k < d->m; k++) {
        double *row = d->A + (size_t)(d->n_v + k) * (size_t)d->cols, norm = 0.0;
        for (int e = d->e.ptr[d->n_v + k]; e < d->e.ptr[d->n_v + k + 1] && on[k]; e++)
            if (d->e.idx[e] < d->n_v)
                row[d->e.idx[e]] = d->e.val[e];
        d->b[d->n_v + k] = d->residuals[d->n_v + k];
        for (int c = 0; c < d->n_r; c++)
            norm = fmax(norm, fabs(row[d->rigid[c]]));
        for (int c = 0; c < d->n_r && norm > 0.0; c++)
            d->G[k * d->n_r + c] = row[d->rigid[c]] / norm;
    }
    status = phx_dense_nullspace(d->dae->context, d->m, d->n_r, d->G, DEPENDENT_ROWS, &rank, &basis);
    d->n_free = d->n_r - rank;
    for (int r = 0; r < d->n_r - rank && !status; r++) {
        double *row = d->A + (size_t)(d->n_v + 2 * d->m + r) * (size_t)d->cols;
        for (int c = 0; c < d->n_r; c++) {
            const double n = basis[c * (d->n_r - rank) + r];
            d->b[d->n_v + 2 * d->m + r] += n * d->residuals[d->rigid[c]];
            const bool wheel = c >= rigid * phx_system_bodies(d->system);
            const int body =
                wheel ? c : c / rigid * rigid; /* M couples a body's rigid velocities with each other only */
            for (int e = body; e < body + (wheel ? 1 : rigid); e++)
                row[d->rigid[e]] += n * entry(&d->e, d->e.M, d->rigid[c], d->rigid[e]);
        }
    }
    phx_free(basis);
    return status;
}

/* Rows and columns scaled to entries of size 1, then the least-norm solution; z in the units of the unknowns. */
static phx_status solve_scaled(dense *d)
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
    status = phx_dense_least_norm(d->dae->context, d->rows, d->cols, d->A, 1, d->b, RANK, d->z, NULL);
    for (int j = 0; j < d->cols && !status; j++)
        d->z[j] *= d->col[j];
    return status;
}

/* Deformations below this part of the mechanism's size count as this part: a heated body that is held all round does
 * not deform, and round-off of its forces moves it by 1e-16 of its size in every correction, which must stay below
 * START_SETTLED of this. */
static const double NO_DEFORMATION = 1e-6;
/* Largest relative change of a body's deformation in the last correction; HUGE_VAL if it is not a number. */
static double bend_of(const dense *d, const double *x)
{
    const int rigid = d->rigid_each;
    const double none = NO_DEFORMATION * phx_system_size(d->dae);
    double largest = 0.0;

    for (int b = 0; b < phx_system_bodies(d->system); b++) {
        const phx_placed_body placed = phx_system_placed(d->system, b);
        const double *q = phx_placed_q(&placed, x), *dq = d->z + placed.v + rigid;
        double moved = 0.0, size = 0.0;
        for (int i = 0; i < phx_body_n_q(placed.body); i++) {
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
static void row_accelerations(const dense *d, const double *x, const double *v, double *out)
{
    phx_system_view(d->dae, x, v);
    for (int k = 0; k < d->m; k++)
        out[k] = row_bias(d, k);
    phx_system_view(d->dae, x, d->a);
    for (int k = 0; k < d->m; k++)
        out[k] += phx_system_row_rate(d->dae, k);
}

/* A mechanism that moves at the start has velocities, and rows of accelerations, that change with the deformation: the
 * frame of a turning body moves against the section that is driven. By differences; K leaves it out. */
static phx_status put_velocity_terms(phx_system *system, double t, const double *x, const double *v, dense *d)
{
    const double small = 1e-7;
    const size_t n = (size_t)d->n_v, m = (size_t)d->m;
    double *room = phx_calloc(d->dae->context, (size_t)d->dae->n_x + 2 * n + 2 * m, sizeof *room);
    double *moved = room + 2 * n + 2 * m, *rate = room, *way = room + n, *own = room + 2 * n, *other = own + m;
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        row_accelerations(d, x, v, own);
    for (int j = 0; j < d->n_v && !status; j++) {
        memcpy(moved, x, (size_t)d->dae->n_x * sizeof *x);
        memset(way, 0, n * sizeof *way);
        way[j] = small;
        phx_system_move(d->dae, way, moved);
        status = phx_system_start_velocities(system, t, moved, rate);
        if (status)
            break;
        for (int i = 0; i < d->n_v; i++)
            rate[i] *= d->load < 1.0 ? sqrt(d->load) : 1.0;
        row_accelerations(d, moved, rate, other);
        for (int i = 0; i < d->n_v; i++)
            for (int k = d->e.ptr[i]; k < d->e.ptr[i + 1]; k++)
                if (d->e.idx[k] < d->n_v)
                    d->A[(size_t)i * (size_t)d->cols + (size_t)j] +=
                        d->e.D[k] * (rate[d->e.idx[k]] - v[d->e.idx[k]]) / small;
        for (int k = 0; k < d->m; k++)
            if (phx_system_row(d->dae, k).acts)
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
    phx_status status = phx_system_start_velocities(system, t, x, v);

    for (int i = 0; i < d->n_v && d->load < 1.0; i++)
        v[i] *= sqrt(d->load);
    memset(d->A, 0, (size_t)d->rows * (size_t)d->cols * sizeof *d->A);
    memset(d->b, 0, (size_t)d->rows * sizeof *d->b);
    if (!status)
        status = motion_rows(d, t, x, v);
    if (!status && d->independent)
        status = put_independent_forces(d, x);
    if (!status)
        acceleration_rows(d, t, x);
    if (!status && d->independent && !rests(d->n_v, v))
        status = put_velocity_terms(system, t, x, v, d);
    return status ? status : position_rows(d, x);
}

/* Solves the dense equations and corrects x, accelerations and multipliers. *moved is the largest rigid move, *bent the
 * largest relative change of deformation. */
phx_status phx_deformed_correct(dense *d, double *x, double *moved, double *bent)
{
    const phx_status status = solve_scaled(d);
    if (status)
        return status;
    if (d->independent)
        follow_forces(d, x);
    *moved = phx_system_move(d->dae, d->z, x);
    *bent = bend_of(d, x);
    for (int c = 0; c < d->n_r; c++)
        d->a[d->rigid[c]] += d->z[d->n_v + c];
    for (int k = 0; k < d->m; k++)
        d->lambda[k] += d->z[d->n_v + d->n_r + k];
    return PHX_OK;
}

bool phx_deformed_fits(phx_system *system)
{
    const int dim = phx_system_dim(system);
    phx_dae *assembly;

    return !phx_system_assembly(system, &assembly) &&
           assembly->n_v + (dim + phx_rotations(dim)) * phx_system_bodies(system) + 2 * assembly->n_l <= LARGEST;
}
