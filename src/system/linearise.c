/* Derivative arrays on the KKT pattern and their factorisations:
 *
 *   A(cj) = [ cj M + D + K/cj   -G^T ]    K holds, beside the bodies' and forces' stiffness, minus the derivative of
 *           [ G + K_l/cj          0  ]    P^T e at fixed effort e (geometric part) and of G^T lambda. */
#include "system_internal.h"

#include <math.h>
#include <string.h>

/* ---- ports ---- */
/* What a port makes of its body's columns: P, W and d(P nu)/d xi without what they have for good (body.h). */
typedef struct port_map {
    int n, n_q;
    const double *place; /* dim x n: rows of u of P */
    const double *rate;  /* dim x (n - dim): rows of u of d(P nu)/d xi */
    const double *turn;  /* n_rot square: rows of w of W */
    const double *theta; /* n_rot x n_q: rows of theta_dot of P and W */
} port_map;

static inline port_map map_of(const int dim, const workspace *ws, phx_port_id id)
{
    const int n_rot = dim == 2 ? 1 : 3, n = ws->port_count[id];
    const size_t first = (size_t)ws->port_first[id] * (size_t)dim;

    return (port_map){.n = n,
                      .n_q = n > 0 ? n - dim - n_rot : 0,
                      .place = ws->P + first,
                      .rate = ws->rate_tangent + first,
                      .turn = ws->port_turn + (size_t)(id * n_rot * n_rot),
                      .theta = ws->system->ports[id].port.point.theta};
}

void phx_sys_ports_jacobian(workspace *ws)
{
    const phx_system *system = ws->system;

    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        if (port->body != PHX_GROUND)
            phx_body_port_place_jacobian(system->bodies[port->body].body, &port->port, &ws->views[port->body],
                                         ws->P + (size_t)ws->port_first[i] * (size_t)system->dim);
    }
}

/* row = g^T P; a covector on turns alone has no rows of u. */
static inline void pull(const int dim, const bool turns, const port_map *map, const double *g, double *row)
{
    const int n_rot = dim == 2 ? 1 : 3, n = map->n, r = dim + n_rot;

    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int a = 0; a < dim && !turns; a++)
            sum += g[a] * map->place[a * n + j];
        row[j] = sum;
    }
    for (int k = 0; k < n_rot && n > 0; k++)
        row[dim + k] += g[dim + k];
    for (int j = 0; j < map->n_q; j++)
        for (int k = 0; k < n_rot; k++)
            row[r + j] += g[r + k] * map->theta[k * map->n_q + j];
}

void phx_sys_pull(const workspace *ws, phx_port_id id, const double *covector, double *row)
{
    if (ws->system->dim == 2) {
        const port_map map = map_of(2, ws, id);
        pull(2, false, &map, covector, row);
    } else {
        const port_map map = map_of(3, ws, id);
        pull(3, false, &map, covector, row);
    }
}

/* K -= d(P^T e)/d xi at fixed effort of one port. */
static inline void add_geometric(const int dim, workspace *ws, int id, const double *turns, const double *bends)
{
    const int n_rot = dim == 2 ? 1 : 3, r = dim + n_rot, n = ws->port_count[id], *at = ws->into->port_at[id];

    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_rot; k++)
            if (at[i * n + dim + k] >= 0)
                ws->into_K[at[i * n + dim + k]] -= ws->weight_K * turns[i * n_rot + k];
    for (int k = 0; k < n_rot; k++)
        for (int j = 0; j < n - r; j++)
            if (at[(dim + k) * n + r + j] >= 0)
                ws->into_K[at[(dim + k) * n + r + j]] -= ws->weight_K * bends[k * (n - r) + j];
}

/* The maps of all ports, or their geometric terms once the efforts are known, or both. */
static inline void ports_tangents_in(const int dim, workspace *ws, bool maps, bool efforts)
{
    const phx_system *system = ws->system;
    const int n_rot = dim == 2 ? 1 : 3;

    for (int i = 0; i < system->n_ports; i++) {
        const port_slot *port = &system->ports[i];
        const size_t first = (size_t)ws->port_first[i] * (size_t)dim;
        if (port->body == PHX_GROUND)
            continue;
        const phx_port_tangents out = {.place = maps ? ws->P + first : NULL,
                                       .rate = maps ? ws->rate_tangent + first : NULL,
                                       .turn = maps ? ws->port_turn + (size_t)(i * n_rot * n_rot) : NULL,
                                       .turns = ws->local,
                                       .bends = ws->local + ws->port_count[i] * n_rot};
        phx_body_port_tangents(system->bodies[port->body].body, &port->port, &ws->views[port->body],
                               efforts ? ws->effort + (size_t)i * PHX_PORT_MAX : NULL, &out);
        if (efforts)
            add_geometric(dim, ws, i, out.turns, out.bends);
    }
}

static void ports_tangents(workspace *ws, bool maps, bool efforts)
{
    if (ws->system->dim == 2)
        ports_tangents_in(2, ws, maps, efforts);
    else
        ports_tangents_in(3, ws, maps, efforts);
}

/* ---- pairs of ports ---- */
static void pair_of(const workspace *ws, int pair, phx_port_id *ids)
{
    const phx_system *system = ws->system;
    ids[0] = pair < system->n_joints ? system->joints[pair].a : system->forces[pair - system->n_joints].a;
    ids[1] = pair < system->n_joints ? system->joints[pair].b : system->forces[pair - system->n_joints].b;
}

/* What multiplies a block from the right. */
typedef enum right_side { BY_RATE, BY_VARIATION, BY_RATE_TANGENT } right_side;

/* z (size x n, rows from `first` on) = block times P, W or d(P nu)/d xi of a port; the block has the leading dimension
 * PAIR_SIZE and entries from `first` on, 0 or dim. Sections: it has entries of theta_dot. */
static inline void times_map(const int dim, const int first, const bool sections, right_side by, double half,
                             const double *block, const port_map *map, double *z)
{
    const int n_rot = dim == 2 ? 1 : 3, r = dim + n_rot, last = sections ? r + n_rot : r, n = map->n;

    for (int i = first; i < last; i++) {
        const double *row = block + i * PAIR_SIZE;
        double *to = z + i * n;
        for (int j = 0; j < n; j++)
            to[j] = 0.0;
        for (int a = first; a < dim; a++) {
            for (int j = 0; j < n && by != BY_RATE_TANGENT; j++)
                to[j] += row[a] * map->place[a * n + j];
            const double weight = by == BY_RATE ? 0.0 : by == BY_VARIATION ? half * row[a] : row[a];
            for (int j = dim; j < n && by != BY_RATE; j++)
                to[j] += weight * map->rate[a * (n - dim) + j - dim];
        }
        for (int k = 0; k < n_rot && by == BY_RATE; k++)
            to[dim + k] += row[dim + k];
        for (int k = 0; k < n_rot && by == BY_VARIATION; k++)
            for (int c = 0; c < n_rot; c++)
                to[dim + c] += row[dim + k] * map->turn[k * n_rot + c];
        for (int k = 0; k < n_rot && sections && by != BY_RATE_TANGENT; k++)
            for (int j = 0; j < map->n_q; j++)
                to[r + j] += row[r + k] * map->theta[k * map->n_q + j];
    }
}

/* val += alpha P^T z, where z has rows from `first` on, which fill the columns from `first` on. */
static inline void add_pulled(const int dim, const int first, const bool sections, double alpha, const port_map *left,
                              int n, const double *z, const int *at, int stride, double *val)
{
    const int n_rot = dim == 2 ? 1 : 3, r = dim + n_rot;

    for (int i = first; i < left->n; i++) {
        const int *row = at + i * stride, k = i - dim, q = i - r;
        for (int j = first; j < n; j++) {
            double sum = k >= 0 && k < n_rot ? z[i * n + j] : 0.0;
            for (int a = first; a < dim; a++)
                sum += left->place[a * left->n + i] * z[a * n + j];
            for (int m = 0; m < n_rot && sections && q >= 0; m++)
                sum += left->theta[m * left->n_q + q] * z[(r + m) * n + j];
            val[row[j]] += alpha * sum;
        }
    }
}

/* val += alpha P^T block R over both ports. */
static inline void add_block_in(const int dim, const int first, const bool sections, workspace *ws, int pair,
                                double alpha, const double *block, right_side by, double *val)
{
    phx_port_id ids[2];
    pair_of(ws, pair, ids);
    const port_map none = {0};
    const port_map maps[2] = {map_of(dim, ws, ids[0]), ids[1] >= 0 ? map_of(dim, ws, ids[1]) : none};
    const int n0 = maps[0].n, n = n0 + maps[1].n, *at = ws->into->pair_at[pair];
    double *z = ws->local + 4 * PAIR_SIZE * PAIR_SIZE;

    for (int left = 0; left < 2; left++)
        for (int right = 0; right < 2; right++) {
            if (maps[left].n == 0 || maps[right].n == 0)
                continue;
            times_map(dim, first, sections, by, 0.5 * ws->h,
                      block + left * PHX_PORT_MAX * PAIR_SIZE + right * PHX_PORT_MAX, &maps[right], z);
            add_pulled(dim, first, sections, alpha, &maps[left], maps[right].n, z, at + left * n0 * n + right * n0, n,
                       val);
        }
}

static void add_block(workspace *ws, int pair, phx_row_reach reach, double alpha, const double *block, right_side by,
                      double *val)
{
    if (ws->system->dim == 2)
        add_block_in(2, 0, true, ws, pair, alpha, block, by, val);
    else if (reach == PHX_REACH_FRAMES)
        add_block_in(3, 3, false, ws, pair, alpha, block, by, val);
    else if (reach == PHX_REACH_SECTIONS)
        add_block_in(3, 3, true, ws, pair, alpha, block, by, val);
    else
        add_block_in(3, 0, true, ws, pair, alpha, block, by, val);
}

void phx_sys_pair_add(workspace *ws, int pair, double alpha, const double *block)
{
    add_block(ws, pair, PHX_REACH_ALL, alpha * ws->weight_K, block, BY_VARIATION, ws->into_K);
}

void phx_sys_pair_rate_add(workspace *ws, int pair, double alpha, const double *block)
{
    add_block(ws, pair, PHX_REACH_ALL, alpha, block, BY_RATE, ws->into_D);
    add_block(ws, pair, PHX_REACH_ALL, alpha * ws->weight_K, block, BY_RATE_TANGENT, ws->into_K);
}

/* ---- rows ---- */
/* Row `sign` g^T P of one port into G and -G^T; `also`: the other port of the row is on the same body and was there. */
static inline void put_columns(int n, double sign, const double *row, bool also, const int *below, const int *above,
                               double *val)
{
    for (int j = 0; j < n && !also; j++) {
        val[below[j]] = sign * row[j];
        val[above[j]] = -sign * row[j];
    }
    for (int j = 0; j < n && also; j++) {
        val[below[j]] += sign * row[j];
        val[above[j]] -= sign * row[j];
    }
}

static inline void put_row(const int dim, const workspace *ws, int k, const port_map *maps, double *val)
{
    const work_row *row = &ws->rows[k];
    const int n0 = maps[0].n, n = n0 + maps[1].n, *at = ws->into->row_at[k];
    const double *g = ws->covector + (size_t)k * PAIR_SIZE;

    for (int side = 0; side < 2; side++) {
        const port_map *map = &maps[side];
        const int first = side ? n0 : 0;
        const double *columns = map->place + row->unit * map->n;
        double sign = side ? 1.0 : -1.0;
        if (row->unit < 0) {
            pull(dim, row->turns, map, g + side * PHX_PORT_MAX, ws->local);
            columns = ws->local;
            sign = 1.0;
        }
        put_columns(map->n, sign, columns, side && row->one_body, at + first, at + n + first, val);
    }
}

static inline void put_rows_in(const int dim, const workspace *ws, double *val)
{
    for (int k = 0; k < ws->n_l; k++) {
        const port_map maps[2] = {map_of(dim, ws, ws->rows[k].a), map_of(dim, ws, ws->rows[k].b)};
        put_row(dim, ws, k, maps, val);
    }
}

/* G into [2,1] and -G^T into [1,2] of val; the ports' columns are the same where they are on one body. */
void phx_sys_put_rows(workspace *ws, double *val)
{
    if (ws->system->dim == 2)
        put_rows_in(2, ws, val);
    else
        put_rows_in(3, ws, val);
}

/* K_l of a row that takes entry `unit` of the port on B less that of the port on A. */
static inline void unit_row_stiffness(const int dim, workspace *ws, int k, const port_map *maps)
{
    const int unit = ws->rows[k].unit, *at = ws->into->row_at[k];

    for (int side = 0; side < 2; side++) {
        const int n = maps[side].n;
        const double weight = side ? ws->weight_K : -ws->weight_K, *rate = maps[side].rate + unit * (n - dim);
        for (int j = dim; j < n; j++)
            ws->into_K[at[j]] += weight * rate[j - dim];
        at += n;
    }
}

/* K_l = slope^T W + g^T d(P nu)/d xi of any other row; slope = zeta^T H. */
static inline void row_stiffness(const int dim, workspace *ws, int k, const port_map *maps, phx_row_reach reach,
                                 const double *slope)
{
    const int n_rot = dim == 2 ? 1 : 3, r = dim + n_rot, *at = ws->into->row_at[k];
    const double *g = ws->covector + (size_t)k * PAIR_SIZE, half = 0.5 * ws->h;
    const bool places = !ws->rows[k].turns;

    for (int side = 0; side < 2; side++) {
        const port_map *map = &maps[side];
        const int n = map->n;
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int a = 0; a < dim && places && reach == PHX_REACH_ALL; a++)
                sum += slope[a] * map->place[a * n + j];
            for (int a = 0; a < dim && places && j >= dim; a++)
                sum += (g[a] + (reach == PHX_REACH_ALL ? half * slope[a] : 0.0)) * map->rate[a * (n - dim) + j - dim];
            for (int i = 0; i < n_rot && j >= dim && j < r && reach != PHX_REACH_NOTHING; i++)
                sum += slope[dim + i] * map->turn[i * n_rot + j - dim];
            for (int i = 0; i < n_rot && j >= r && reach >= PHX_REACH_SECTIONS; i++)
                sum += slope[r + i] * map->theta[i * map->n_q + j - r];
            if (j >= dim || places)
                ws->into_K[at[j]] += ws->weight_K * sum;
        }
        at += n;
        g += PHX_PORT_MAX;
        slope += PHX_PORT_MAX;
    }
}

/* The rows of one joint, from `first` up to before `end`: G, -G^T, K_l, and in one product the sum of lambda P^T H W.
 */
static inline void joint_rows(const int dim, workspace *ws, int first, int end, const double *lambda)
{
    enum { MOST = PHX_JOINT_MAX_ROWS + PHX_JOINT_MAX_COORDINATES };
    const work_row *it = &ws->rows[first];
    const port_map maps[2] = {map_of(dim, ws, it->a), map_of(dim, ws, it->b)};
    const phx_row *rows[MOST];
    double weights[MOST], slopes[MOST * PAIR_SIZE], H[PAIR_SIZE * PAIR_SIZE];
    int number[MOST], count = 0;

    for (int k = first; k < end; k++) {
        put_row(dim, ws, k, maps, ws->into_D);
        if (ws->rows[k].unit >= 0) {
            unit_row_stiffness(dim, ws, k, maps);
            continue;
        }
        rows[count] = &ws->rows[k].row;
        weights[count] = lambda[k];
        number[count++] = k;
    }
    if (count == 0)
        return;
    const phx_row_reach reach =
        phx_rows_tangent(count, rows, weights, &ws->port_views[it->a], &ws->port_views[it->b], H, slopes);
    for (int i = 0; i < count; i++)
        row_stiffness(dim, ws, number[i], maps, reach, slopes + i * PAIR_SIZE);
    if (reach != PHX_REACH_NOTHING)
        add_block(ws, it->joint, reach, -ws->weight_K, H, BY_VARIATION, ws->into_K);
}

static void add_rows(workspace *ws, const double *lambda)
{
    for (int k = 0, next; k < ws->n_l; k = next) {
        for (next = k + 1; next < ws->n_l && ws->rows[next].joint == ws->rows[k].joint;)
            next++;
        if (ws->system->dim == 2)
            joint_rows(2, ws, k, next, lambda);
        else
            joint_rows(3, ws, k, next, lambda);
    }
}

/* g_dot . zeta + g . (P nu)_dot at fixed nu: the ports' variations are their rates. */
double phx_sys_row_acceleration(workspace *ws, int k)
{
    const phx_system *system = ws->system;
    const row_slot *slot = &system->rows[ws->row[k]];
    const joint_slot *joint = &system->joints[slot->joint];
    const phx_port_id ids[2] = {joint->a, joint->b};
    const phx_port_view *views[2] = {&ws->port_views[joint->a], &ws->port_views[joint->b]};
    const int dim = system->dim, size = phx_port_size(dim), rigid = dim + system->n_rot;
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
        const phx_port_tangents out = {.rate = tangent};
        phx_body_port_tangents(system->bodies[port->body].body, &port->port, &ws->views[port->body], NULL, &out);
        for (int m = 0; m < dim; m++)
            for (int j = dim; j < count; j++)
                sum += g[m] * tangent[m * (count - dim) + j - dim] *
                       v[j < rigid ? j : rigid + port->port.point.dof[j - rigid]];
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

/* What rows, forces and ports add at the views as they are: G, -G^T, forces, geometric terms. The efforts are there
 * already after the residual of an interval. */
static phx_status add_couplings(workspace *ws, double t, const double *lambda)
{
    const bool loaded = ws->loaded;
    phx_status status = PHX_OK;

    ports_tangents(ws, true, loaded);
    if (!loaded || ws->system->n_forces > 0) {
        memset(ws->scratch4, 0, (size_t)ws->kkt.n * sizeof(double));
        status = phx_sys_forces(ws, t, true, ws->scratch4);
    }
    if (status)
        return status;
    if (!loaded) {
        phx_sys_apply_multipliers(ws, lambda);
        ports_tangents(ws, false, true);
    }
    add_rows(ws, lambda);
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
    for (int p = 0; p < ws->n_packs; p++)
        phx_sys_put_pack(ws, p, ws->kkt.body_at, ws->val);
    for (int b = 0; b < ws->system->n_bodies; b++)
        if (ws->products[b])
            phx_sys_put_body(ws, b, ws->kkt.body_at, ws->val);
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
