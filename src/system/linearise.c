/* Derivative arrays on the KKT pattern and their factorisations:
 *
 *   A(cj) = [ cj M + D + K/cj   -G^T ]    K holds, beside the bodies' and forces' stiffness, minus the derivative of
 *           [ G + K_l/cj          0  ]    P^T e at fixed effort e (geometric part) and of G^T lambda. */
#include "system_internal.h"

#include <math.h>
#include <string.h>

/* ---- element blocks ---- */
void phx_sys_ports_jacobian(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        if (port->body != PHX_GROUND)
            phx_body_port_jacobian(system->bodies[port->body].body, &port->port, &ws->views[port->body], NULL,
                                   ws->P + (size_t)ws->port_first[i] * (size_t)phx_port_size(system->dim));
    }
}

/* Of an array over all ports the matrix of one. */
static double *of_port(const workspace *ws, double *all, phx_port_id id)
{
    return all + (size_t)ws->port_first[id] * (size_t)phx_port_size(ws->system->dim);
}

/* P, the derivative of the rates P nu with respect to xi, and where it counts the variation W xi of the ports' means.
 */
static void ports_variations(workspace *ws)
{
    const phx_system *system = ws->system;

    phx_sys_ports_jacobian(ws);
    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        if (port->body == PHX_GROUND)
            continue;
        const phx_body *body = system->bodies[port->body].body;
        double *slope = of_port(ws, ws->rate_tangent, i);
        phx_body_port_rate_tangent(body, &port->port, &ws->views[port->body], slope);
        if (!ws->varied[i])
            continue;
        phx_body_port_variation(body, &port->port, &ws->views[port->body], of_port(ws, ws->P, i), slope,
                                of_port(ws, ws->W, i));
    }
}

static void pair_of(const workspace *ws, int pair, phx_port_id *ids)
{
    const phx_system *system = ws->system;
    ids[0] = pair < system->n_joints ? system->joints[pair].a : system->forces[pair - system->n_joints].a;
    ids[1] = pair < system->n_joints ? system->joints[pair].b : system->forces[pair - system->n_joints].b;
}

/* val += alpha P^T block R over both ports, R an array over all ports. The block has entries from `first` on, 0 or dim:
 * turns alone, which translations of the bodies do not move. */
static inline void add_block_in(const int dim, workspace *ws, int pair, int first, double alpha, const double *block,
                                double *right_of, double *val)
{
    phx_port_id ids[2];
    pair_of(ws, pair, ids);
    const int size = phx_port_size(dim);
    const int n0 = ws->port_count[ids[0]], n1 = ids[1] >= 0 ? ws->port_count[ids[1]] : 0;
    const int *at = ws->into->pair_at[pair];

    for (int left = 0; left < 2; left++) {
        const int nl = left ? n1 : n0;
        for (int right = 0; right < 2 && nl > 0; right++) {
            const int nr = right ? n1 : n0;
            if (nr == 0)
                continue;
            const double *P = of_port(ws, ws->P, ids[left]), *R = of_port(ws, right_of, ids[right]);
            for (int i = first; i < size; i++) {
                for (int c = first; c < nr; c++) {
                    double sum = 0.0;
                    for (int m = first; m < size; m++)
                        sum += block[(left * PHX_PORT_MAX + i) * PAIR_SIZE + right * PHX_PORT_MAX + m] * R[m * nr + c];
                    for (int r = first; r < nl && sum != 0.0; r++)
                        if (P[i * nl + r] != 0.0)
                            val[at[(left * n0 + r) * (n0 + n1) + right * n0 + c]] += alpha * P[i * nl + r] * sum;
                }
            }
        }
    }
}

static void add_block(workspace *ws, int pair, int first, double alpha, const double *block, double *right_of,
                      double *val)
{
    if (ws->system->dim == 2)
        add_block_in(2, ws, pair, first, alpha, block, right_of, val);
    else if (first == 0)
        add_block_in(3, ws, pair, 0, alpha, block, right_of, val);
    else
        add_block_in(3, ws, pair, 3, alpha, block, right_of, val);
}

void phx_sys_pair_add(workspace *ws, int pair, double alpha, const double *block)
{
    add_block(ws, pair, 0, alpha * ws->weight_K, block, ws->W, ws->into_K);
}

void phx_sys_pair_rate_add(workspace *ws, int pair, double alpha, const double *block)
{
    add_block(ws, pair, 0, alpha, block, ws->P, ws->into_D);
    add_block(ws, pair, 0, alpha * ws->weight_K, block, ws->rate_tangent, ws->into_K);
}

/* ---- rows ---- */
/* sum over m of g_m A_mj, A size x count */
static inline double combined(int size, int count, const double *g, const double *A, int j)
{
    double sum = 0.0;

    for (int m = 0; m < size; m++)
        sum += g[m] * A[m * count + j];
    return sum;
}

/* The same of a row that takes entry `unit` of the port on B less that of the port on A, two bodies. */
static inline void put_unit_row(int unit, int n_a, const double *P_a, int n_b, const double *P_b, const int *at,
                                double *val)
{
    const int n = n_a + n_b;
    const double *a = P_a + unit * n_a, *b = P_b + unit * n_b;

    for (int j = 0; j < n_a; j++) {
        val[at[j]] = -a[j];
        val[at[n + j]] = a[j];
    }
    for (int j = 0; j < n_b; j++) {
        val[at[n_a + j]] = b[j];
        val[at[n + n_a + j]] = -b[j];
    }
}

/* G into [2,1] and -G^T into [1,2] of val; the ports' columns are the same where they are on one body. */
void phx_sys_put_rows(workspace *ws, double *val)
{
    const int size = phx_port_size(ws->system->dim);

    for (int k = 0; k < ws->n_l; k++) {
        const work_row *row = &ws->rows[k];
        const int n_a = ws->port_count[row->a], n_b = ws->port_count[row->b], n = n_a + n_b;
        const int *at = ws->into->row_at[k];
        const double *P_a = of_port(ws, ws->P, row->a), *P_b = of_port(ws, ws->P, row->b);
        const double *g = ws->covector + (size_t)k * PAIR_SIZE;
        if (row->unit >= 0 && !row->one_body) {
            put_unit_row(row->unit, n_a, P_a, n_b, P_b, at, val);
            continue;
        }
        for (int j = 0; j < n_a; j++) {
            const double sum = combined(size, n_a, g, P_a, j);
            val[at[j]] = sum;
            val[at[n + j]] = -sum;
        }
        for (int j = 0; j < n_b; j++) {
            const double sum = combined(size, n_b, g + PHX_PORT_MAX, P_b, j);
            double *below = val + at[n_a + j], *above = val + at[n + n_a + j];
            *below = row->one_body ? *below + sum : sum;
            *above = row->one_body ? *above - sum : -sum;
        }
    }
}

static void unit_row_stiffness(workspace *ws, int k)
{
    const work_row *row = &ws->rows[k];
    const int n_a = ws->port_count[row->a], n_b = ws->port_count[row->b], *at = ws->into->row_at[k];
    const double *a = of_port(ws, ws->rate_tangent, row->a) + row->unit * n_a;
    const double *b = of_port(ws, ws->rate_tangent, row->b) + row->unit * n_b;

    for (int j = 0; j < n_a; j++)
        ws->into_K[at[j]] -= ws->weight_K * a[j];
    for (int j = 0; j < n_b; j++)
        ws->into_K[at[n_a + j]] += ws->weight_K * b[j];
}

/* Derivatives of row k: K -= lambda P^T H W, of which lambda H goes to sum_H, and K_l = zeta^T H W + g . (rate
 * tangent). Whether H is not zero. */
static inline bool row_stiffness(const int dim, const int first, workspace *ws, int k, double lambda, double *sum_H)
{
    const phx_system *system = ws->system;
    const row_slot *slot = &system->rows[ws->row[k]];
    const joint_slot *joint = &system->joints[slot->joint];
    const phx_port_id ids[2] = {joint->a, joint->b};
    const phx_port_view *views[2] = {&ws->port_views[joint->a], &ws->port_views[joint->b]};
    const int size = phx_port_size(dim), *at = ws->into->row_at[k];
    double *H = ws->local, slope[PAIR_SIZE] = {0};
    const bool curved = phx_row_tangent(slot->row, views[0], views[1], H);
    int c = 0;

    for (int left = 0; left < 2 && curved; left++)
        for (int i = left * PHX_PORT_MAX + first; i < left * PHX_PORT_MAX + size; i++)
            for (int right = 0; right < 2; right++)
                for (int m = right * PHX_PORT_MAX + first; m < right * PHX_PORT_MAX + size; m++) {
                    sum_H[i * PAIR_SIZE + m] += lambda * H[i * PAIR_SIZE + m];
                    slope[m] += views[left]->rate[i - left * PHX_PORT_MAX] * H[i * PAIR_SIZE + m];
                }
    for (int side = 0; side < 2; side++) {
        const int count = ws->port_count[ids[side]];
        const double *W = of_port(ws, ws->W, ids[side]), *T = of_port(ws, ws->rate_tangent, ids[side]);
        const double *g = ws->covector + (size_t)k * PAIR_SIZE + side * PHX_PORT_MAX;
        for (int j = 0; j < count; j++, c++) {
            double sum = combined(size, count, g, T, j);
            for (int m = first; m < size && curved && j >= first; m++)
                sum += slope[side * PHX_PORT_MAX + m] * W[m * count + j];
            ws->into_K[at[c]] += ws->weight_K * sum;
        }
    }
    return curved;
}

/* All rows; what those of one joint, which follow each other, add to K in one product. */
static inline void rows_stiffness_in(const int dim, workspace *ws, const double *lambda)
{
    const phx_system *system = ws->system;
    double *sum_H = ws->local + PAIR_SIZE * PAIR_SIZE;

    for (int k = 0, next; k < ws->n_l; k = next) {
        const int joint = system->rows[ws->row[k]].joint;
        bool curved = false, cleared = false;
        int first = dim;
        for (next = k; next < ws->n_l && system->rows[ws->row[next]].joint == joint; next++) {
            if (ws->rows[next].unit >= 0) {
                unit_row_stiffness(ws, next);
                continue;
            }
            if (!cleared)
                phx_port_pair_clear(dim, sum_H);
            cleared = true;
            const bool turns = phx_row_turns(system->rows[ws->row[next]].row);
            if (!turns)
                first = 0;
            const bool bends = turns ? row_stiffness(dim, dim, ws, next, lambda[next], sum_H)
                                     : row_stiffness(dim, 0, ws, next, lambda[next], sum_H);
            curved = bends || curved;
        }
        if (curved)
            add_block(ws, joint, first, -ws->weight_K, sum_H, ws->W, ws->into_K);
    }
}

static void rows_stiffness(workspace *ws, const double *lambda)
{
    if (ws->system->dim == 2)
        rows_stiffness_in(2, ws, lambda);
    else
        rows_stiffness_in(3, ws, lambda);
}

/* g_dot . zeta + g . (P nu)_dot at fixed nu: the ports' variations are their rates. */
double phx_sys_row_acceleration(workspace *ws, int k)
{
    const phx_system *system = ws->system;
    const row_slot *slot = &system->rows[ws->row[k]];
    const joint_slot *joint = &system->joints[slot->joint];
    const phx_port_id ids[2] = {joint->a, joint->b};
    const phx_port_view *views[2] = {&ws->port_views[joint->a], &ws->port_views[joint->b]};
    const int size = phx_port_size(system->dim), rigid = system->dim + system->n_rot;
    double *H = ws->local, *tangent = ws->local + 4 * PAIR_SIZE * PAIR_SIZE, sum = 0.0;

    if (phx_row_tangent(slot->row, views[0], views[1], H))
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < size; i++)
                for (int r = 0; r < 2; r++)
                    for (int m = 0; m < size; m++)
                        sum += views[s]->rate[i] * H[(s * PHX_PORT_MAX + i) * PAIR_SIZE + r * PHX_PORT_MAX + m] *
                               views[r]->rate[m];
    for (int side = 0; side < 2; side++) {
        const port_slot *port = &system->ports[ids[side]];
        const int count = ws->port_count[ids[side]];
        const double *g = ws->covector + (size_t)k * PAIR_SIZE + side * PHX_PORT_MAX;
        if (port->body == PHX_GROUND)
            continue;
        const double *v = ws->views[port->body].vm;
        phx_body_port_rate_tangent(system->bodies[port->body].body, &port->port, &ws->views[port->body], tangent);
        for (int m = 0; m < size; m++)
            for (int j = 0; j < count; j++)
                sum += g[m] * tangent[m * count + j] * v[j < rigid ? j : rigid + port->port.point.dof[j - rigid]];
    }
    return sum;
}

/* ---- assembly ---- */
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

/* K -= d(P^T e)/d xi at fixed effort, port by port. */
static void geometric_stiffness(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        const int n = ws->port_count[i], *at = ws->into->port_at[i];
        if (port->body == PHX_GROUND)
            continue;
        memset(ws->local, 0, (size_t)(n * n) * sizeof *ws->local);
        phx_body_port_geometric(system->bodies[port->body].body, &port->port, &ws->views[port->body], -1.0,
                                ws->effort + (size_t)i * PHX_PORT_MAX, ws->local);
        for (int r = 0; r < n; r++)
            for (int e = r * n + system->dim; e < (r + 1) * n; e++) /* translations change nothing */
                if (at[e] >= 0)
                    ws->into_K[at[e]] += ws->weight_K * ws->local[e];
    }
}

/* What rows, forces and ports add at the views as they are: G, -G^T, forces, geometric terms. */
static phx_status add_couplings(workspace *ws, double t, const double *lambda)
{
    phx_status status = PHX_OK;

    ports_variations(ws);
    phx_sys_put_rows(ws, ws->into_D);
    memset(ws->scratch4, 0, (size_t)ws->kkt.n * sizeof(double));
    status = phx_sys_forces(ws, t, true, ws->scratch4);
    if (status)
        return status;
    phx_sys_apply_multipliers(ws, lambda);
    geometric_stiffness(ws);
    rows_stiffness(ws, lambda);
    return PHX_OK;
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
        memset(ws->into_D, 0, (size_t)ws->into->ptr[ws->into->n] * sizeof(double));
        return;
    }
    ws->into_D = interval ? ws->val : ws->D;
    ws->into_K = interval ? ws->val : ws->K;
    if (!interval) {
        memset(ws->M, 0, bytes);
        memset(ws->K, 0, bytes);
    }
    memset(ws->into_D, 0, bytes);
}

phx_status phx_sys_op_linearise(phx_dae *dae, double t, const double *x, const double *v, const double *lambda)
{
    workspace *ws = (workspace *)dae;

    clear_values(ws, false, false);
    phx_sys_set_instant(ws, x, v);
    scatter_bodies(ws, x, v);
    phx_sys_rows(ws, t, 0.0);
    return add_couplings(ws, t, lambda);
}

static void interval_bodies(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const int *ptr = NULL, *idx = NULL, *at = ws->kkt.body_at[b];
        phx_body_pattern(slot->body, &ptr, &idx);
        phx_body_interval_linearise(slot->body, system->gravity, &ws->views[b], ws->p0 + slot->v, ws->body_D,
                                    ws->body_M);
        for (int k = 0; k < ptr[phx_body_n_v(slot->body)]; k++)
            ws->val[at[k]] = ws->body_M[k];
    }
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
    if (condensed)
        phx_sys_condensed_bodies(ws);
    else
        interval_bodies(ws);
    status = add_couplings(ws, ws->t0 + 0.5 * ws->h, ws->lambda);
    ws->into = &ws->kkt;
    ws->power = (phx_work){supplied, dissipated};
    return status;
}

phx_status phx_sys_factor(workspace *ws, bool complex_values, const double *val, phx_lu **lu)
{
    const phx_status status = *lu ? PHX_OK : phx_sys_lu_create(ws, &ws->kkt, complex_values, lu);

    return status ? status : phx_lu_factor(*lu, val, NULL);
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

void phx_sys_mass_values(workspace *ws, const double *x)
{
    const phx_system *system = ws->system;

    phx_sys_ports_jacobian(ws);
    for (int b = 0; b < system->n_bodies; b++)
        phx_body_put_mass(system->bodies[b].body, x + system->bodies[b].x, !ws->mass_begun, ws->kkt.body_at[b],
                          ws->mass);
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
