/* Parts of joints, loads and ports in the derivatives of the residual, one pair of ports after the other: the plain
 * evaluator's, and the fast one's for joints that slide.
 *
 * A pair of ports sees n columns of the velocities, A's first. With dense matrices over them,
 *
 *     P      rates of the ports from the velocities,     zeta = P nu
 *     W      variations of the ports' means,             (du, dphi, dtheta) = W xi
 *     T      change of the rates at fixed velocities,    d(P nu) = T xi
 *
 * a row with covector g(zeta's ports), derivative H of g and multiplier lambda adds
 *
 *     to the constraints   G = g^T P,   K_l = zeta^T H W + g^T T
 *     to the bodies        -G^T (column of lambda),   K -= lambda P^T H W
 *
 * a force whose efforts change with the ports by E (with their rates by F)
 *
 *     K -= P^T E W,   D -= P^T F P,   K -= P^T F T
 *
 * and each port, by the derivative of P^T e at fixed effort e, K -= d(P^T e)/d xi. */
#include "system/system_internal.h"

#include <string.h>

/* P, W, T of a pair: 2 phx_port_size(dim) rows, n columns each; rows of B behind those of A. A port that slides has
 * those columns alone that it depends on over the interval. */
typedef struct pair_maps {
    const kkt_matrix *kkt;
    int n, own[2];     /* columns of both ports, and of each */
    int all, first[2]; /* the same with all columns of a port that slides: where those of a port begin */
    const int *cols;   /* per column: its place among all of them, in ws->ports.active */
    double *P, *W, *T; /* in ws->scratch.block */
    double *product;   /* as large as one of them */
} pair_maps;

/* Columns of a port that are looked at, into cols; their number. */
static int list_columns(const workspace *ws, phx_port_id id, int *cols)
{
    const port_slot *port = id < 0 ? NULL : &ws->system->ports[id];
    const int n = id < 0 ? 0 : ws->ports.count[id];

    if (port && port->port.slides) {
        const phx_body_view view = phx_sys_body_view(ws, port->body);
        return phx_body_port_active(ws->system->bodies[port->body].body, &port->port, &view, cols);
    }
    for (int c = 0; c < n; c++)
        cols[c] = c;
    return n;
}

/* The block of a port that slides: its P and T as they are, W = P + h/2 T. */
static void map_slide(const workspace *ws, const port_slot *port, int side, int row, pair_maps *maps)
{
    const int size = phx_port_size(ws->system->dim), n = maps->n, own = maps->own[side];
    const int first = side ? maps->own[0] : 0;
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    double *P = maps->product, *T = P + size * own;

    phx_body_port_slide_tangents(ws->system->bodies[port->body].body, &port->port, &view, own, maps->cols + first, NULL,
                                 &(phx_slide_derivatives){.P = P, .T = T});
    for (int i = 0; i < size; i++)
        for (int j = 0; j < own; j++) {
            const int at = (row + i) * n + first + j;
            maps->P[at] = P[i * own + j];
            maps->T[at] = T[i * own + j];
            maps->W[at] = P[i * own + j] + 0.5 * ws->view.h * T[i * own + j];
        }
}

/* The block of one port, its first row at `row`; a port of the ground has none. */
static void map_port(const workspace *ws, phx_port_id id, int side, int row, pair_maps *maps)
{
    const phx_system *system = ws->system;
    const int dim = system->dim, n_rot = system->n_rot, r = dim + n_rot, n = maps->n;
    const int first = side ? maps->own[0] : 0;

    if (maps->own[side] == 0)
        return;
    const port_slot *port = &system->ports[id];
    const int n_q = port->port.point.n, own = r + n_q;
    if (port->port.slides) {
        map_slide(ws, port, side, row, maps);
        return;
    }
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    double turn[9], *place = ws->ports.map, *rate = place + dim * own; /* dim x own, dim x (own - dim) */
    const phx_port_tangents out = {.place = place, .rate = rate, .turn = turn};

    phx_body_port_tangents(system->bodies[port->body].body, &port->port, &view, NULL, &out);
    for (int a = 0; a < dim; a++)
        for (int j = 0; j < own; j++) {
            const double change = j < dim ? 0.0 : rate[a * (own - dim) + j - dim];
            const int at = (row + a) * n + first + j;
            maps->P[at] = place[a * own + j];
            maps->T[at] = change;
            maps->W[at] = place[a * own + j] + 0.5 * ws->view.h * change;
        }
    for (int k = 0; k < n_rot; k++) {
        maps->P[(row + dim + k) * n + first + dim + k] = 1.0;
        for (int c = 0; c < n_rot; c++)
            maps->W[(row + dim + k) * n + first + dim + c] = turn[k * n_rot + c];
        for (int j = 0; j < n_q; j++)
            maps->P[(row + r + k) * n + first + r + j] = maps->W[(row + r + k) * n + first + r + j] =
                port->port.point.theta[k * n_q + j];
    }
    if (!port->port.wheel)
        return;
    const int of_wheel = (row + port->port.wheel_entry) * n;
    for (int j = first; j < first + own; j++)
        maps->P[of_wheel + j] = maps->W[of_wheel + j] = maps->T[of_wheel + j] = 0.0;
    maps->P[of_wheel + first + own] = maps->W[of_wheel + first + own] = 1.0;
}

/* Builds P, W and T of the ports a and b (b < 0: absent) as dense matrices over the velocities that the pair depends
 * on, A's columns first. They stand in the workspace's scratch block until the next call. */
static pair_maps map_pair(workspace *ws, const kkt_matrix *kkt, phx_port_id a, phx_port_id b)
{
    const phx_port_id ids[2] = {a, b};
    const int size = phx_port_size(ws->system->dim);
    pair_maps maps = {.kkt = kkt, .cols = ws->ports.active};

    for (int side = 0; side < 2; side++) {
        int *cols = ws->ports.active + maps.n;
        maps.own[side] = list_columns(ws, ids[side], cols);
        for (int c = 0; c < maps.own[side]; c++)
            cols[c] += side ? ws->ports.count[a] : 0;
        maps.n += maps.own[side];
    }
    maps.all = ws->ports.count[a] + (b < 0 ? 0 : ws->ports.count[b]);
    const size_t entries = (size_t)(2 * size * maps.n);
    maps.P = ws->scratch.block;
    maps.W = maps.P + entries;
    maps.T = maps.W + entries;
    maps.product = maps.T + entries;
    memset(maps.P, 0, 3 * entries * sizeof *maps.P);
    map_port(ws, a, 0, 0, &maps);
    map_port(ws, b, 1, size, &maps);
    return maps;
}

/* Entry of a block over two ports (leading dimension PAIR_SIZE) for the rows i, m of the maps. */
static double block_entry(int size, const double *block, int i, int m)
{
    const int row = i < size ? i : PHX_PORT_MAX + i - size, column = m < size ? m : PHX_PORT_MAX + m - size;
    return block[row * PAIR_SIZE + column];
}

/* val += alpha P^T block X; of columns that meet nowhere along a curve, far from each other where a step passes several
 * elements, the matrix has no entry. */
static void couplings_add_block(const workspace *ws, int pair, double alpha, const double *block, const pair_maps *maps,
                                const double *X, double *val)
{
    const int size = phx_port_size(ws->system->dim), n = maps->n, *cols = maps->cols;
    const int *pattern = maps->kkt->pair_at[pair];
    double *Z = maps->product;

    for (int i = 0; i < 2 * size; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int m = 0; m < 2 * size; m++)
                sum += block_entry(size, block, i, m) * X[m * n + j];
            Z[i * n + j] = sum;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int at = pattern[cols[i] * maps->all + cols[j]];
            double sum = 0.0;
            for (int m = 0; m < 2 * size; m++)
                sum += maps->P[m * n + i] * Z[m * n + j];
            if (at >= 0)
                val[at] += alpha * sum;
        }
}

void phx_sys_couple_pair(workspace *ws, const kkt_matrix *kkt, int pair, double alpha, const double *block)
{
    double copy[PAIR_SIZE * PAIR_SIZE];
    phx_port_id a, b;

    memcpy(copy, block, sizeof copy); /* it may stand where the maps go */
    (void)phx_sys_pair_ports(ws->system, pair, &a, &b);
    const pair_maps maps = map_pair(ws, kkt, a, b);
    couplings_add_block(ws, pair, alpha * ws->values.weight_K, copy, &maps, maps.W, ws->values.into_K);
}

void phx_sys_couple_pair_rates(workspace *ws, const kkt_matrix *kkt, int pair, double alpha, const double *block)
{
    double copy[PAIR_SIZE * PAIR_SIZE];
    phx_port_id a, b;

    memcpy(copy, block, sizeof copy);
    (void)phx_sys_pair_ports(ws->system, pair, &a, &b);
    const pair_maps maps = map_pair(ws, kkt, a, b);
    couplings_add_block(ws, pair, alpha, copy, &maps, maps.P, ws->values.into_D);
    couplings_add_block(ws, pair, alpha * ws->values.weight_K, copy, &maps, maps.T, ws->values.into_K);
}

/* sum_i y_i X_ij, y over the rates of A, then from PHX_PORT_MAX on those of B */
static double pulled(int size, int n, const double *y, const double *X, int j)
{
    double sum = 0.0;
    for (int i = 0; i < size; i++)
        sum += y[i] * X[i * n + j] + y[PHX_PORT_MAX + i] * X[(size + i) * n + j];
    return sum;
}

/* G_k = g_k^T P into [2,1], -G_k^T into [1,2]. */
static void couplings_put_row(const workspace *ws, int k, const pair_maps *maps, double *val)
{
    const int size = phx_port_size(ws->system->dim), *at = maps->kkt->row_at[k];
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;

    for (int j = 0; j < 2 * maps->all; j++)
        val[at[j]] = 0.0;
    for (int j = 0; j < maps->n; j++) { /* columns may coincide: both ports may be on one body */
        const double G = pulled(size, maps->n, g, maps->P, j);
        val[at[maps->cols[j]]] += G;
        val[at[maps->all + maps->cols[j]]] -= G;
    }
}

/* K_l = zeta^T H W + g^T T and K -= lambda P^T H W of row k. */
static void couplings_add_row(workspace *ws, int k, double lambda, const pair_maps *maps)
{
    const work_row *row = &ws->rows.row[k];
    const phx_port_view *a = &ws->ports.view[row->a], *b = &ws->ports.view[row->b];
    const int size = phx_port_size(ws->system->dim), n = maps->n;
    const double *g = ws->rows.covector + (size_t)k * PAIR_SIZE;
    double H[PAIR_SIZE * PAIR_SIZE], zeta_H[PAIR_SIZE] = {0};
    const bool curved = phx_row_tangent(row->row, a, b, H);

    for (int i = 0; i < 2 * size && curved; i++)
        for (int m = 0; m < 2 * size; m++)
            zeta_H[m < size ? m : PHX_PORT_MAX + m - size] +=
                (i < size ? a->rate[i] : b->rate[i - size]) * block_entry(size, H, i, m);
    for (int j = 0; j < n; j++)
        ws->values.into_K[maps->kkt->row_at[k][maps->cols[j]]] +=
            ws->values.weight_K * (pulled(size, n, zeta_H, maps->W, j) + pulled(size, n, g, maps->T, j));
    if (curved)
        couplings_add_block(ws, ws->system->rows.slot[ws->rows.index[k]].joint, -lambda * ws->values.weight_K, H, maps,
                            maps->W, ws->values.into_K);
}

/* The same of a port that slides. */
static void add_slide(workspace *ws, const kkt_matrix *kkt, phx_port_id id)
{
    const port_slot *port = &ws->system->ports[id];
    const phx_body *body = ws->system->bodies[port->body].body;
    const int all = ws->ports.count[id], *at = kkt->port_at[id];
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    int *cols = ws->ports.active;
    double *K = ws->scratch.block;

    if (port->port.place_alone) /* constant */
        return;
    const int n = phx_body_port_active(body, &port->port, &view, cols);
    phx_body_port_slide_tangents(body, &port->port, &view, n, cols, ws->ports.effort + (size_t)id * PHX_PORT_MAX,
                                 &(phx_slide_derivatives){.K = K});
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (at[cols[i] * all + cols[j]] >= 0)
                ws->values.into_K[at[cols[i] * all + cols[j]]] -= ws->values.weight_K * K[i * n + j];
}

/* K -= d(P^T e)/d xi of one port at fixed effort. */
void phx_sys_couple_port(workspace *ws, const kkt_matrix *kkt, phx_port_id id)
{
    const phx_system *system = ws->system;
    const port_slot *port = &system->ports[id];
    const int dim = system->dim, n_rot = system->n_rot, r = dim + n_rot, n = ws->ports.count[id];
    const int *at = kkt->port_at[id], own = r + port->port.point.n; /* n is one more with a wheel */
    double room[PHX_PORT_MAX];

    if (port->body == PHX_GROUND)
        return;
    if (port->port.slides) {
        add_slide(ws, kkt, id);
        return;
    }
    const phx_body_view view = phx_sys_body_view(ws, port->body);
    double *turns = ws->ports.map, *bends = turns + own * n_rot; /* columns of w; columns of q in the rows of w */
    const phx_port_tangents out = {.turns = turns, .bends = bends};

    phx_body_port_tangents(system->bodies[port->body].body, &port->port, &view,
                           phx_body_port_without_wheel(&port->port, ws->ports.effort + (size_t)id * PHX_PORT_MAX, room),
                           &out);
    for (int i = 0; i < own; i++)
        for (int k = 0; k < n_rot; k++)
            ws->values.into_K[at[i * n + dim + k]] -= ws->values.weight_K * turns[i * n_rot + k];
    for (int k = 0; k < n_rot; k++)
        for (int j = 0; j < own - r; j++)
            ws->values.into_K[at[(dim + k) * n + r + j]] -= ws->values.weight_K * bends[k * (own - r) + j];
}

void phx_sys_couple_rows(workspace *ws, const kkt_matrix *kkt, int first, int end, const double *lambda)
{
    const pair_maps maps = map_pair(ws, kkt, ws->rows.row[first].a, ws->rows.row[first].b);

    for (int k = first; k < end; k++) {
        couplings_put_row(ws, k, &maps, ws->values.into_D);
        couplings_add_row(ws, k, lambda[k], &maps);
    }
}

void phx_sys_put_pair_rows(workspace *ws, const kkt_matrix *kkt, int first, int end, double *val)
{
    const pair_maps maps = map_pair(ws, kkt, ws->rows.row[first].a, ws->rows.row[first].b);

    for (int k = first; k < end; k++)
        couplings_put_row(ws, k, &maps, val);
}
