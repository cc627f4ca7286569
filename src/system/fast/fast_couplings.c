/* Contributions of ports, pairs of ports and rows to the derivative arrays. */
#include "fast.h"

#include <string.h>

/* ---- ports ---- */
/* The maps of a port over its body's columns: P, W and d(P nu)/d xi without what they have for good (body.h), and its
 * geometric terms. All zero: a port of the ground. */
typedef struct port_map {
    int n, n_q;
    const double *theta; /* n_rot x n_q: rows of theta_dot of P and W */
    phx_port_tangents of;
} port_map;

/* Evaluates the derivatives of a port by the n velocities of its body (phx_port_tangents), for side 0 or 1 of a pair,
 * and returns where they stand. Without `all` only `place` is evaluated. With it all others are, those at fixed effort,
 * `turns` and `bends`, for the given one (may be NULL: they are not needed). A port of the ground has n = 0. */
static inline port_map map_port(const int dim, const workspace *ws, phx_port_id id, int side, bool all,
                                const double *effort)
{
    const int n_rot = phx_rotations(dim), n = id < 0 ? 0 : ws->ports.count[id];
    double *room = ws->ports.map + (size_t)(side * ws->ports.map_size);

    if (n == 0)
        return (port_map){0};
    const port_slot *port = &ws->system->ports[id];
    const phx_body *body = ws->system->bodies[port->body].body;
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    const port_map map = {.n = n,
                          .n_q = n - dim - n_rot,
                          .theta = port->port.point.theta,
                          .of = {.turn = room,
                                 .place = room + n_rot * n_rot,
                                 .rate = room + n_rot * n_rot + dim * n,
                                 .turns = room + n_rot * n_rot + 2 * dim * n,
                                 .bends = room + n_rot * n_rot + (2 * dim + n_rot) * n}};
    if (all)
        phx_body_port_tangents(body, &port->port, &view, effort, &map.of);
    else
        phx_body_port_place_jacobian(body, &port->port, &view, map.of.place);
    return map;
}

/* row = g^T P; a covector on rotations alone has no rows of u. */
static inline void pull(const int dim, const bool angular_only, const port_map *map, const double *g, double *row)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = map->n;

    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int a = 0; a < dim && !angular_only; a++)
            sum += g[a] * map->of.place[a * n + j];
        row[j] = sum;
    }
    for (int k = 0; k < n_rot; k++)
        row[dim + k] += g[dim + k];
    for (int j = 0; j < n - r; j++)
        for (int k = 0; k < n_rot; k++)
            row[r + j] += g[r + k] * map->theta[k * (n - r) + j];
}

/* K -= d(P^T e)/d xi at fixed effort of one port. The velocities of a body stand side by side in each row of the
 * matrix.
 */
static inline void add_geometric(const int dim, workspace *ws, phx_port_id id, const port_map *map)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = map->n, *at = ws->fast->into->port_at[id];

    for (int i = 0; i < n; i++) {
        if (at[i * n + dim] < 0)
            continue;
        double *to = ws->values.into_K + at[i * n + dim];
        for (int k = 0; k < n_rot; k++)
            to[k] -= ws->values.weight_K * map->of.turns[i * n_rot + k];
    }
    for (int k = 0; k < n_rot; k++)
        for (int j = 0; j < n - r; j++)
            if (at[(dim + k) * n + r + j] >= 0)
                ws->values.into_K[at[(dim + k) * n + r + j]] -= ws->values.weight_K * map->of.bends[k * (n - r) + j];
}

/* Geometric terms of the ports that no row has. */
static void add_loose_ports(workspace *ws)
{
    for (int i = 0; i < ws->system->n_ports; i++) {
        const double *effort = ws->ports.effort + (size_t)i * PHX_PORT_MAX;
        if (ws->fast->rows.has_port[i] || ws->system->ports[i].body == PHX_GROUND)
            continue;
        if (ws->system->ports[i].port.slides) {
            phx_sys_couple_port(ws, ws->fast->into, i);
            continue;
        }
        const port_map map =
            ws->system->dim == 2 ? map_port(2, ws, i, 0, true, effort) : map_port(3, ws, i, 0, true, effort);
        if (ws->system->dim == 2)
            add_geometric(2, ws, i, &map);
        else
            add_geometric(3, ws, i, &map);
    }
}

/* ---- pairs of ports ---- */
/* The factor of a block from the right. */
typedef enum right_side { BY_RATE, BY_VARIATION, BY_RATE_TANGENT } right_side;

/* z (size x n) = block times P, W or d(P nu)/d xi of a port; the block has the leading dimension PAIR_SIZE and entries
 * from `first` on, 0 or dim, and so has z. */
static inline void times_map(const int dim, const int first, right_side by, double half, const double *block,
                             const port_map *map, double *z)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n = map->n, n_q = n - r;
    const bool own = by != BY_RATE_TANGENT;

    for (int i = first; i < r + n_rot; i++) {
        const double *row = block + i * PAIR_SIZE, *on_w = row + dim, *on_theta = row + r;
        double *to = z + i * n;
        for (int c = 0; c < n_rot; c++) {
            double sum = 0.0;
            for (int k = 0; k < n_rot && by == BY_VARIATION; k++)
                sum += on_w[k] * map->of.turn[k * n_rot + c];
            to[dim + c] = by == BY_RATE ? on_w[c] : sum;
        }
        for (int j = 0; j < n_q; j++) {
            double sum = 0.0;
            for (int k = 0; k < n_rot && own; k++)
                sum += on_theta[k] * map->theta[k * n_q + j];
            to[r + j] = sum;
        }
        for (int j = first; j < n && first == 0; j++) {
            double sum = j < dim ? 0.0 : to[j];
            for (int a = 0; a < dim && own; a++)
                sum += row[a] * map->of.place[a * n + j];
            for (int a = 0; a < dim && by != BY_RATE && j >= dim; a++)
                sum += (by == BY_VARIATION ? half : 1.0) * row[a] * map->of.rate[a * (n - dim) + j - dim];
            to[j] = sum;
        }
    }
}

/* val += alpha P^T z, where z has rows from `first` on, which fill the columns from `first` on. */
static inline void add_pulled(const int dim, const int first, double alpha, const port_map *left, int n,
                              const double *z, const int *at, int stride, double *val)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot, n_q = left->n - r;

    for (int k = 0; k < n_rot; k++) {
        const int *row = at + (dim + k) * stride;
        for (int j = first; j < n; j++)
            val[row[j]] += alpha * z[(dim + k) * n + j];
    }
    for (int q = 0; q < n_q; q++) {
        const int *row = at + (r + q) * stride;
        for (int j = first; j < n; j++) {
            double sum = 0.0;
            for (int m = 0; m < n_rot; m++)
                sum += left->theta[m * n_q + q] * z[(r + m) * n + j];
            val[row[j]] += alpha * sum;
        }
    }
    for (int i = 0; i < left->n && first == 0; i++) {
        const int *row = at + i * stride;
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int a = 0; a < dim; a++)
                sum += left->of.place[a * left->n + i] * z[a * n + j];
            val[row[j]] += alpha * sum;
        }
    }
}

/* The four parts of a block, by the bodies of their rows and columns, as bits 2 left + right: all, and those that are
 * late, given LATE_BODY of the pair. */
enum { ALL_PARTS = 15 };
static int late_parts(int late)
{
    int parts = 0;

    for (int left = 0; left < 2; left++)
        for (int right = 0; right < 2; right++)
            if (late & (LATE_BODY << left | LATE_BODY << right))
                parts |= 1 << (2 * left + right);
    return parts;
}

static inline bool is_in(int parts, int left, int right)
{
    return parts >> (2 * left + right) & 1;
}

/* val += alpha P^T block R over both ports, some of its parts. */
static inline void add_block_in(const int dim, const int first, workspace *ws, int pair, int parts, double alpha,
                                const double *block, right_side by, const port_map *maps, double *val)
{
    const int n0 = maps[0].n, n = n0 + maps[1].n, *at = ws->fast->into->pair_at[pair];

    for (int left = 0; left < 2; left++)
        for (int right = 0; right < 2; right++) {
            if (maps[left].n == 0 || maps[right].n == 0 || !is_in(parts, left, right))
                continue;
            times_map(dim, first, by, 0.5 * ws->view.h, block + left * PHX_PORT_MAX * PAIR_SIZE + right * PHX_PORT_MAX,
                      &maps[right], ws->fast->scratch.product);
            add_pulled(dim, first, alpha, &maps[left], maps[right].n, ws->fast->scratch.product,
                       at + left * n0 * n + right * n0, n, val);
        }
}

static void couplings_add_block(workspace *ws, int pair, int parts, phx_row_reach reach, double alpha,
                                const double *block, right_side by, const port_map *maps, double *val)
{
    if (ws->system->dim == 2)
        add_block_in(2, 0, ws, pair, parts, alpha, block, by, maps, val);
    else if (reach == PHX_REACH_ALL)
        add_block_in(3, 0, ws, pair, parts, alpha, block, by, maps, val);
    else
        add_block_in(3, 3, ws, pair, parts, alpha, block, by, maps, val);
}

static void map_pair(const workspace *ws, int pair, port_map *maps)
{
    const phx_system *system = ws->system;
    const phx_port_id a = pair < system->n_joints ? system->joints[pair].a : system->forces[pair - system->n_joints].a;
    const phx_port_id b = pair < system->n_joints ? system->joints[pair].b : system->forces[pair - system->n_joints].b;

    maps[0] = system->dim == 2 ? map_port(2, ws, a, 0, true, NULL) : map_port(3, ws, a, 0, true, NULL);
    maps[1] = system->dim == 2 ? map_port(2, ws, b, 1, true, NULL) : map_port(3, ws, b, 1, true, NULL);
}

/* The pair has a port that slides. */
static bool pair_slides(const phx_system *system, int pair)
{
    phx_port_id a = -1, b = -1;

    (void)phx_sys_pair_ports(system, pair, &a, &b);
    return (a >= 0 && system->ports[a].port.slides) || (b >= 0 && system->ports[b].port.slides);
}

void phx_fast_pair_add(workspace *ws, int pair, double alpha, const double *block)
{
    port_map maps[2];

    if (pair_slides(ws->system, pair)) {
        phx_sys_couple_pair(ws, ws->fast->into, pair, alpha, block);
        return;
    }
    map_pair(ws, pair, maps);
    couplings_add_block(ws, pair, ALL_PARTS, PHX_REACH_ALL, alpha * ws->values.weight_K, block, BY_VARIATION, maps,
                        ws->values.into_K);
}

void phx_fast_pair_rate_add(workspace *ws, int pair, double alpha, const double *block)
{
    port_map maps[2];

    if (pair_slides(ws->system, pair)) {
        phx_sys_couple_pair_rates(ws, ws->fast->into, pair, alpha, block);
        return;
    }
    map_pair(ws, pair, maps);
    couplings_add_block(ws, pair, ALL_PARTS, PHX_REACH_ALL, alpha, block, BY_RATE, maps, ws->values.into_D);
    couplings_add_block(ws, pair, ALL_PARTS, PHX_REACH_ALL, alpha * ws->values.weight_K, block, BY_RATE_TANGENT, maps,
                        ws->values.into_K);
}

/* ---- rows ---- */
/* The POINT rows that a group begins with, straight into val: [2,1] G, or G + weight K_l, and [1,2] -G^T. In a row of
 * val the multipliers of a group stand side by side. */
static inline void couplings_put_points(const int dim, const bool summed, const workspace *ws, const row_group *group,
                                        const port_map *maps, double *val)
{
    const int all = maps[0].n + maps[1].n;

    for (int side = 0, first = 0; side < 2; side++) {
        const double *place = maps[side].of.place, *rate = maps[side].of.rate, sign = side ? 1.0 : -1.0;
        const int n = maps[side].n, *above = ws->fast->into->row_at[group->first] + all + first;
        for (int j = 0; j < n; j++)
            for (int u = 0; u < dim; u++)
                val[above[j] + u] = -sign * place[u * n + j];
        for (int u = 0; u < dim && n > 0; u++) {
            const int *at = ws->fast->into->row_at[group->first + u] + first;
            for (int j = 0; j < n; j++)
                val[at[j]] = sign * (place[u * n + j] +
                                     (summed && j >= dim ? ws->values.weight_K * rate[u * (n - dim) + j - dim] : 0.0));
        }
        first += n;
    }
}

/* The rows of G of a group from `first` on, dense over the columns of both ports. */
static inline void group_jacobian(const int dim, const workspace *ws, const row_group *group, int first,
                                  const port_map *maps, double *G)
{
    const int n = maps[0].n + maps[1].n;

    for (int k = first; k < group->end; k++, G += n) {
        const work_row *row = &ws->rows.row[k];
        const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;
        for (int side = 0; side < 2; side++) {
            const port_map *map = &maps[side];
            double *to = G + (side ? maps[0].n : 0);
            if (map->n == 0)
                continue;
            for (int j = 0; j < map->n && row->unit >= 0; j++)
                to[j] = side ? map->of.place[row->unit * map->n + j] : -map->of.place[row->unit * map->n + j];
            if (row->unit < 0 && row->angular_only)
                pull(dim, true, map, g + side * PHX_PORT_MAX, to);
            else if (row->unit < 0)
                pull(dim, false, map, g + side * PHX_PORT_MAX, to);
        }
    }
}

/* `below` into [2,1] and -`above`^T into [1,2] of val, the rows of a group from `first` on, in place of what is there.
 * On one body both ports have the same columns. */
static void put_group(int n, const workspace *ws, const row_group *group, int first, const double *below,
                      const double *above, double *val)
{
    const int count = group->end - first, *at_above = ws->fast->into->row_at[first] + n;

    for (int k = 0; k < count && group->one_body; k++)
        for (int j = 0; j < n; j++)
            val[ws->fast->into->row_at[first + k][j]] = val[at_above[j] + k] = 0.0;
    for (int k = 0; k < count; k++) {
        const int *at = ws->fast->into->row_at[first + k];
        for (int j = 0; j < n && !group->one_body; j++) {
            val[at[j]] = below[k * n + j];
            val[at_above[j] + k] = -above[k * n + j];
        }
        for (int j = 0; j < n && group->one_body; j++) {
            val[at[j]] += below[k * n + j];
            val[at_above[j] + k] -= above[k * n + j];
        }
    }
}

/* The first row that does not go straight to its place. */
static inline int dense_from(const row_group *group)
{
    return group->one_body ? group->first : group->first + group->points;
}

/* Puts the rows G of the unbatched groups begin to end - 1 and their transposes into val; sliding groups are left to
 * the plain code. */
static inline void put_rows_in(const int dim, const workspace *ws, int begin, int end, double *val)
{
    for (int i = begin; i < end; i++) {
        const row_group *group = &ws->fast->rows.group[ws->fast->unbatched.groups[i]];
        if (group->slides)
            continue;
        const port_map maps[2] = {map_port(dim, ws, group->a, 0, false, NULL),
                                  map_port(dim, ws, group->b, 1, false, NULL)};
        const int rest = dense_from(group);
        if (rest > group->first)
            couplings_put_points(dim, false, ws, group, maps, val);
        if (rest == group->end)
            continue;
        group_jacobian(dim, ws, group, rest, maps, ws->fast->scratch.G);
        put_group(maps[0].n + maps[1].n, ws, group, rest, ws->fast->scratch.G, ws->fast->scratch.G, val);
    }
}

typedef struct rows_loop {
    workspace *ws;
    double *val;
    const double *lambda;
} rows_loop;

static phx_status couplings_put_rows(void *user, phx_context *context, int part, int first, int end)
{
    const rows_loop *loop = user;
    fast_part room;
    workspace *own = phx_sys_part(loop->ws, part, &room);

    (void)context;
    if (own->system->dim == 2)
        put_rows_in(2, own, first, end, loop->val);
    else
        put_rows_in(3, own, first, end, loop->val);
    return PHX_OK;
}

/* G into [2,1] and -G^T into [1,2] of val. */
void phx_fast_put_rows(workspace *ws, double *val)
{
    rows_loop loop = {.ws = ws, .val = val};

    phx_sys_run(ws, ws->fast->unbatched.n_groups, couplings_put_rows, &loop);
    for (int i = 0; i < ws->fast->unbatched.n_groups && ws->system->traits.wide; i++) {
        const row_group *group = &ws->fast->rows.group[ws->fast->unbatched.groups[i]];
        if (group->slides)
            phx_sys_put_pair_rows(ws, ws->fast->into, group->first, group->end, val);
    }
    phx_sys_joint_batches_put(ws, val);
}

/* K_l of a row that takes entry `unit` of the port on B less that of the port on A. */
static inline void unit_row_stiffness(const int dim, int unit, const port_map *maps, double *row)
{
    for (int side = 0; side < 2; side++) {
        const int n = maps[side].n;
        for (int j = 0; j < n; j++) {
            const double sum = j < dim ? 0.0 : maps[side].of.rate[unit * (n - dim) + j - dim];
            *row++ = side ? sum : -sum;
        }
    }
}

/* K_l = slope^T W + g^T d(P nu)/d xi of any other row; slope = zeta^T H. */
static inline void row_stiffness(const int dim, const workspace *ws, int k, const port_map *maps, phx_row_reach reach,
                                 const double *slope, double *row)
{
    const int n_rot = phx_rotations(dim), r = dim + n_rot;
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE, half = 0.5 * ws->view.h;
    const bool places = !ws->rows.row[k].angular_only, bent = reach == PHX_REACH_ALL;

    for (int side = 0; side < 2; side++, g += PHX_PORT_MAX, slope += PHX_PORT_MAX) {
        const port_map *map = &maps[side];
        const int n = map->n;
        if (n == 0)
            continue;
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int a = 0; a < dim && bent; a++)
                sum += slope[a] * map->of.place[a * n + j];
            for (int a = 0; a < dim && places && j >= dim; a++)
                sum += (g[a] + (bent ? half * slope[a] : 0.0)) * map->of.rate[a * (n - dim) + j - dim];
            row[j] = sum;
        }
        for (int i = 0; i < n_rot && reach != PHX_REACH_NOTHING; i++)
            for (int c = 0; c < n_rot; c++)
                row[dim + c] += slope[dim + i] * map->of.turn[i * n_rot + c];
        for (int i = 0; i < n_rot && reach >= PHX_REACH_SECTIONS; i++)
            for (int j = 0; j < n - r; j++)
                row[r + j] += slope[r + i] * map->theta[i * (n - r) + j];
        row += n;
    }
}

/* K_l of the rows of a group from `first` on, dense like their G; and in one product parts of the sum of lambda P^T H
 * W.
 */
static inline void group_stiffness(const int dim, workspace *ws, const row_group *group, int first, int parts,
                                   const double *lambda, const port_map *maps, double *K_l)
{
    enum { MOST = PHX_JOINT_MAX_ROWS + PHX_JOINT_MAX_COORDINATES };
    const int n = maps[0].n + maps[1].n;
    const phx_row *rows[MOST];
    double weights[MOST], slopes[MOST * PAIR_SIZE], H[PAIR_SIZE * PAIR_SIZE];
    int number[MOST], count = 0;

    for (int k = first; k < group->end; k++) {
        if (ws->rows.row[k].unit >= 0) {
            unit_row_stiffness(dim, ws->rows.row[k].unit, maps, K_l + (k - first) * n);
            continue;
        }
        rows[count] = ws->rows.row[k].row;
        weights[count] = lambda[k];
        number[count++] = k;
    }
    if (count == 0)
        return;
    const phx_row_reach reach =
        phx_rows_tangent(count, rows, weights, &ws->ports.view[group->a], &ws->ports.view[group->b], H, slopes);
    for (int i = 0; i < count; i++)
        row_stiffness(dim, ws, number[i], maps, reach, slopes + i * PAIR_SIZE, K_l + (number[i] - first) * n);
    if (reach != PHX_REACH_NOTHING)
        couplings_add_block(ws, group->joint, parts, reach, -ws->values.weight_K, H, BY_VARIATION, maps,
                            ws->values.into_K);
}

/* sides: LATE_BODY of those whose geometric terms are added. */
static inline void map_group(const int dim, workspace *ws, const row_group *group, int sides, port_map *maps)
{
    const phx_port_id ids[2] = {group->a, group->b};

    for (int side = 0; side < 2; side++) {
        const double *effort = group->opens[side] ? ws->ports.effort + (size_t)ids[side] * PHX_PORT_MAX : NULL;
        maps[side] = map_port(dim, ws, ids[side], side, true, effort);
        if (effort && maps[side].n > 0 && sides & LATE_BODY << side)
            add_geometric(dim, ws, ids[side], &maps[side]);
    }
}

/* The work on a group: its stiffness in the bodies `sides` (LATE_BODY) and the parts of blocks; late: the
 * rest is there. */
typedef struct group_share {
    int sides, parts;
    bool late;
} group_share;

static inline group_share share_of(const workspace *ws, int g, bool late)
{
    const int flags = ws->fast->threads.group[g], waiting = flags ? late_parts(flags) : 0;

    return (group_share){late ? flags : ~flags, late ? waiting : ALL_PARTS & ~waiting, late};
}

/* Contributions of the rows of one joint: G, -G^T, K_l, and the geometric stiffness of their efforts at its ports. */
static inline void add_group(const int dim, workspace *ws, const row_group *group, const group_share *share,
                             const double *lambda)
{
    const bool summed = ws->values.into_D == ws->values.into_K;
    const int first = summed ? dense_from(group) : group->first, count = group->end - first;
    double *G = ws->fast->scratch.G, *K_l = ws->fast->scratch.K;
    port_map maps[2];

    map_group(dim, ws, group, share->sides, maps);
    if (first > group->first && !share->late)
        couplings_put_points(dim, true, ws, group, maps, ws->values.into_D);
    if (count == 0)
        return;
    const int n = maps[0].n + maps[1].n;
    group_stiffness(dim, ws, group, first, share->parts, lambda, maps, K_l);
    if (share->late)
        return;
    group_jacobian(dim, ws, group, first, maps, G);
    for (int e = 0; e < count * n && summed; e++)
        K_l[e] = G[e] + ws->values.weight_K * K_l[e];
    put_group(n, ws, group, first, summed ? K_l : G, G, ws->values.into_D);
    for (int k = 0; k < count && !summed; k++)
        for (int j = 0; j < n; j++)
            ws->values.into_K[ws->fast->into->row_at[first + k][j]] += ws->values.weight_K * K_l[k * n + j];
}

/* ---- rows anew ---- */
/* G, -G^T and the POINT rows of a group as they are now; of its other rows [2,1] keeps what it has beside G, weight
 * K_l, which is what it has beside [1,2]. */
static inline void put_new_rows_of(const int dim, workspace *ws, const row_group *group, double *val)
{
    const int first = dense_from(group), count = group->end - first;
    double *G = ws->fast->scratch.G;
    port_map maps[2];

    for (int side = 0; side < 2; side++)
        maps[side] = map_port(dim, ws, side ? group->b : group->a, side, true, NULL);
    if (first > group->first)
        couplings_put_points(dim, true, ws, group, maps, val);
    if (count == 0)
        return;
    const int n = maps[0].n + maps[1].n, *at_above = ws->fast->into->row_at[first] + n;
    group_jacobian(dim, ws, group, first, maps, G);
    for (int k = 0; k < count; k++) {
        const int *at = ws->fast->into->row_at[first + k];
        for (int j = 0; j < n; j++) {
            val[at[j]] += val[at_above[j] + k] + G[k * n + j];
            val[at_above[j] + k] = -G[k * n + j];
        }
    }
}

static phx_status put_some_new_rows(void *user, phx_context *context, int part, int first, int end)
{
    const rows_loop *loop = user;
    fast_part room;
    workspace *own = phx_sys_part(loop->ws, part, &room);

    (void)context;
    for (int g = first; g < end; g++)
        if (own->system->dim == 2)
            put_new_rows_of(2, own, &own->fast->rows.group[g], loop->val);
        else
            put_new_rows_of(3, own, &own->fast->rows.group[g], loop->val);
    return PHX_OK;
}

void phx_fast_put_new_rows(workspace *ws)
{
    rows_loop loop = {.ws = ws, .val = ws->values.val};

    phx_sys_run(ws, ws->fast->rows.n, put_some_new_rows, &loop);
}

/* Adds the derivatives of joint group g, at multipliers lambda, through the kernel for its dimension and kind. `late`:
 * only the part that other threads own. */
static void add_one(workspace *ws, int g, bool late, const double *lambda)
{
    const row_group *group = &ws->fast->rows.group[g];
    const group_share share = share_of(ws, g, late);

    if (group->slides)
        return;
    if (ws->system->dim == 2)
        add_group(2, ws, group, &share, lambda);
    else
        add_group(3, ws, group, &share, lambda);
}

static phx_status add_some(void *user, phx_context *context, int part, int first, int end)
{
    const rows_loop *loop = user;
    fast_part room;
    workspace *own = phx_sys_part(loop->ws, part, &room);

    (void)context;
    for (int i = first; i < end; i++)
        add_one(own, own->fast->unbatched.groups[i], false, loop->lambda);
    return PHX_OK;
}

/* Joints that slide, whose ports see bodies of several parts: on the calling thread. */
static void add_sliding(workspace *ws, const double *lambda)
{
    for (int i = 0; i < ws->fast->unbatched.n_groups; i++) {
        const row_group *group = &ws->fast->rows.group[ws->fast->unbatched.groups[i]];
        if (!group->slides)
            continue;
        phx_sys_couple_rows(ws, ws->fast->into, group->first, group->end, lambda);
        if (group->opens[0])
            phx_sys_couple_port(ws, ws->fast->into, group->a);
        if (group->opens[1])
            phx_sys_couple_port(ws, ws->fast->into, group->b);
    }
}

static void couplings_add_groups(workspace *ws, const double *lambda)
{
    rows_loop loop = {.ws = ws, .lambda = lambda};

    phx_sys_run(ws, ws->fast->unbatched.n_groups, add_some, &loop);
    for (int i = 0; i < ws->fast->threads.n_groups; i++)
        add_one(ws, ws->fast->threads.groups[i], true, lambda);
    if (ws->system->traits.wide)
        add_sliding(ws, lambda);
    phx_sys_joint_batches_linearise(ws, lambda);
}

void phx_fast_add_couplings(workspace *ws, const double *lambda)
{
    couplings_add_groups(ws, lambda);
    add_loose_ports(ws);
}
