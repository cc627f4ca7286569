/* The pattern of a KKT matrix over (v, multipliers), whole or without the unknowns that are eliminated inside the
 * bodies, and where every contribution goes. */
#include "system/forces/forces.h"

#include <string.h>

int phx_sys_unknown_of(const kkt_matrix *kkt, int v)
{
    return kkt->place ? kkt->place[v] : v;
}

static int port_columns(const pattern_source *of, const kkt_matrix *kkt, phx_port_id id, int *cols)
{
    for (int c = 0; c < of->ports->count[id]; c++)
        cols[c] = phx_sys_unknown_of(kkt, of->ports->cols[of->ports->first[id] + c]);
    return of->ports->count[id];
}

/* Columns of both ports of a pair, a's first; returns their number. */
static int pair_columns(const pattern_source *of, const kkt_matrix *kkt, phx_port_id a, phx_port_id b, int *cols)
{
    const int n = port_columns(of, kkt, a, cols);
    return b < 0 ? n : n + port_columns(of, kkt, b, cols + n);
}

int phx_sys_body_columns(const phx_system *system, const kkt_matrix *kkt, int b, int *cols)
{
    const int rigid = system->dim + system->n_rot, v = system->bodies[b].v;
    int n = 0;

    for (; n < rigid; n++)
        cols[n] = phx_sys_unknown_of(kkt, v + n);
    for (int k = kkt->boundary_first[b]; k < kkt->boundary_first[b + 1]; k++)
        cols[n++] = phx_sys_unknown_of(kkt, v + rigid + kkt->boundary[k]);
    return n;
}

/* Whether two columns of a pair of ports, A's first, meet in its block: of a port that slides those do that some place
 * depends on. */
static bool meet(const pattern_source *of, phx_port_id a, int one, int other)
{
    const port_slot *port = &of->system->ports[a];
    const int n = of->ports->count[a];

    return one >= n || other >= n || !port->port.slides ||
           phx_body_port_meets(of->system->bodies[port->body].body, &port->port, one, other);
}

bool phx_sys_is_condensed(const kkt_matrix *kkt, int b)
{
    return kkt->condensed && kkt->condensed[b];
}

/* Pairs that couple through second derivatives: every joint first, then every force. Distributed loads have none. */
int phx_sys_pair_count(const phx_system *system)
{
    return system->n_joints + system->n_forces;
}

/* Ports of a pair: pairs are the joints followed by the force elements; b < 0 if there is one port only. Returns true
 * if the pair contributes a block of its own to D or K beside its rows of G. */
bool phx_sys_pair_ports(const phx_system *system, int pair, phx_port_id *a, phx_port_id *b)
{
    if (pair < system->n_joints) {
        const joint_slot *joint = &system->joints[pair];
        bool curved = system->ports[joint->a].port.slides > 0;
        for (int i = 0; i < system->control.n_actuations; i++)
            curved = curved || system->control.actuations[i].pair == pair;
        for (int k = 0; k < joint->n_constraints; k++)
            curved = curved || joint->constraints[k].kind != PHX_ROW_POINT;
        for (int c = 0; c < joint->n_coordinates; c++)
            curved = curved || joint->coordinates[c].driven_row >= 0 || joint->coordinates[c].held_row >= 0 ||
                     joint->coordinates[c].stick_row >= 0;
        *a = joint->a;
        *b = joint->b;
        return curved;
    }
    const force_slot *force = &system->forces[pair - system->n_joints];
    *a = force->a;
    *b = force->b;
    return phx_sys_force_of(force)->at_ports;
}

/* Appends the positions of body b's block in the KKT matrix to the list: a dense block of the kept unknowns if the body
 * is condensed, otherwise the sparse pattern of its mass and stiffness. */
static phx_status collect_body(phx_context *context, const phx_system *system, const kkt_matrix *kkt, int b, int *cols,
                               phx_sys_triplets *list)
{
    const phx_body *body = system->bodies[b].body;
    const int *ptr = NULL, *idx = NULL, v = system->bodies[b].v;
    phx_status status = PHX_OK;

    if (phx_sys_is_condensed(kkt, b)) {
        const int n = phx_sys_body_columns(system, kkt, b, cols);
        for (int k = 0; k < n * n && !status; k++)
            status = phx_sys_put(context, list, cols[k / n], cols[k % n]);
        return status;
    }
    phx_body_pattern(body, &ptr, &idx);
    for (int i = 0; i < phx_body_n_v(body); i++)
        for (int k = ptr[i]; k < ptr[i + 1] && !status; k++)
            status = phx_sys_put(context, list, phx_sys_unknown_of(kkt, v + i), phx_sys_unknown_of(kkt, v + idx[k]));
    return status;
}

/* Places for a row on the rigid motions of a body of several frames (rigid.c). */
static phx_status reserve_first_frame(phx_context *context, const phx_system *system, const kkt_matrix *kkt, int b,
                                      int row, phx_sys_triplets *list)
{
    phx_status status = PHX_OK;

    if (b == PHX_GROUND || !phx_sys_has_frames(system, b))
        return PHX_OK;
    for (int c = 0; c < system->dim + system->n_rot && !status; c++) {
        const int column = phx_sys_unknown_of(kkt, system->bodies[b].v + c);
        status = phx_sys_put(context, list, row, column);
        if (!status)
            status = phx_sys_put(context, list, column, row);
    }
    return status;
}

/* Appends every structural nonzero of the KKT matrix to the list: blocks of bodies and port pairs, rows G and their
 * transposes with the diagonal entry, and the feedback of controllers. */
static phx_status kkt_collect(phx_context *context, const pattern_source *of, const kkt_matrix *kkt, int *cols,
                              phx_sys_triplets *list)
{
    const phx_system *system = of->system;
    phx_status status = PHX_OK;

    for (int b = 0; b < system->n_bodies && !status; b++)
        status = collect_body(context, system, kkt, b, cols, list);
    for (int p = 0; p < phx_sys_pair_count(system) && !status; p++) {
        phx_port_id a = -1, b = -1;
        if (!phx_sys_pair_ports(system, p, &a, &b))
            continue;
        const int n = pair_columns(of, kkt, a, b, cols);
        for (int k = 0; k < n * n && !status; k++)
            if (meet(of, a, k / n, k % n))
                status = phx_sys_put(context, list, cols[k / n], cols[k % n]);
    }
    for (int k = 0; k < of->rows->n && !status; k++) {
        const row_slot *slot = &system->rows.slot[of->rows->index[k]];
        const int n = pair_columns(of, kkt, slot->a, slot->b, cols), row = kkt->n_v + k;
        status = phx_sys_put(context, list, row, row);
        for (int i = 0; i < n && !status; i++) {
            status = phx_sys_put(context, list, row, cols[i]);
            if (!status)
                status = phx_sys_put(context, list, cols[i], row);
        }
        const phx_body_id bodies[2] = {system->ports[slot->a].body, system->ports[slot->b].body};
        for (int side = 0; side < 2 && !status; side++)
            status = reserve_first_frame(context, system, kkt, bodies[side], row, list);
    }
    return status ? status : phx_sys_control_collect(context, of, kkt, list);
}

/* Positions of the square block over `cols` in the pattern, into a new array; -1 where there is no entry. */
static phx_status kkt_locate(phx_context *context, const phx_csr *pattern, int n, const int *cols, int **at)
{
    *at = phx_calloc(context, (size_t)(n * n), sizeof **at);
    if (!*at)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            (*at)[i * n + j] = cols[i] < 0 || cols[j] < 0 ? -1 : phx_csr_find(pattern, cols[i], cols[j]);
    return PHX_OK;
}

/* Finds the position in the value array of each entry of the bodies' blocks, in the order in which the bodies deliver
 * them. */
static phx_status locate_bodies(phx_context *context, const phx_system *system, kkt_matrix *kkt, const phx_csr *pattern,
                                int *cols)
{
    phx_status status = PHX_OK;

    for (int b = 0; b < system->n_bodies && !status; b++) {
        const int *ptr = NULL, *idx = NULL, v = system->bodies[b].v, n = phx_body_n_v(system->bodies[b].body);
        if (phx_sys_is_condensed(kkt, b)) {
            status = kkt_locate(context, pattern, phx_sys_body_columns(system, kkt, b, cols), cols, &kkt->body_at[b]);
            continue;
        }
        phx_body_pattern(system->bodies[b].body, &ptr, &idx);
        kkt->body_at[b] = phx_calloc(context, (size_t)ptr[n], sizeof(int));
        if (!kkt->body_at[b])
            return PHX_ERR_MEMORY;
        for (int i = 0; i < n; i++)
            for (int k = ptr[i]; k < ptr[i + 1]; k++)
                kkt->body_at[b][k] =
                    phx_csr_find(pattern, phx_sys_unknown_of(kkt, v + i), phx_sys_unknown_of(kkt, v + idx[k]));
    }
    return status;
}

/* Finds the positions of row k of the joints in the value array: the n entries of G first, then the n entries of
 * -G^T. */
static phx_status locate_rows(phx_context *context, const pattern_source *of, kkt_matrix *kkt, const phx_csr *pattern,
                              int *cols)
{
    const phx_system *system = of->system;

    for (int k = 0; k < of->rows->n; k++) {
        const row_slot *slot = &system->rows.slot[of->rows->index[k]];
        const int n = pair_columns(of, kkt, slot->a, slot->b, cols), row = kkt->n_v + k;
        kkt->row_at[k] = phx_calloc(context, (size_t)(2 * n), sizeof(int));
        if (!kkt->row_at[k])
            return PHX_ERR_MEMORY;
        for (int i = 0; i < n; i++) {
            kkt->row_at[k][i] = phx_csr_find(pattern, row, cols[i]);
            kkt->row_at[k][n + i] = phx_csr_find(pattern, cols[i], row);
        }
    }
    return PHX_OK;
}

/* Fills all tables that map contributions of bodies, ports, pairs, controllers and rows to positions in the value array
 * of the KKT matrix. */
static phx_status locate_all(phx_context *context, const pattern_source *of, kkt_matrix *kkt, const phx_csr *pattern,
                             int *cols)
{
    const phx_system *system = of->system;
    phx_status status = PHX_OK;

    kkt->body_at = phx_calloc(context, (size_t)system->n_bodies, sizeof *kkt->body_at);
    kkt->port_at = phx_calloc(context, (size_t)system->n_ports, sizeof *kkt->port_at);
    kkt->pair_at = phx_calloc(context, (size_t)phx_sys_pair_count(system), sizeof *kkt->pair_at);
    kkt->row_at = phx_calloc(context, (size_t)of->rows->n, sizeof *kkt->row_at);
    if (!kkt->body_at || !kkt->port_at || !kkt->pair_at || !kkt->row_at)
        return PHX_ERR_MEMORY;
    status = locate_bodies(context, system, kkt, pattern, cols);
    for (int p = 0; p < system->n_ports && !status; p++)
        status = kkt_locate(context, pattern, port_columns(of, kkt, p, cols), cols, &kkt->port_at[p]);
    for (int p = 0; p < phx_sys_pair_count(system) && !status; p++) {
        phx_port_id a = -1, b = -1;
        if (phx_sys_pair_ports(system, p, &a, &b))
            status = kkt_locate(context, pattern, pair_columns(of, kkt, a, b, cols), cols, &kkt->pair_at[p]);
    }
    if (!status)
        status = phx_sys_control_locate(context, of, pattern, kkt);
    return status ? status : locate_rows(context, of, kkt, pattern, cols);
}

/* Creates the sparsity pattern, the position tables and the elimination order of the KKT matrix; *val is the value
 * array, owned by the caller. After an error the parts made so far remain in kkt and are freed with it. */
phx_status phx_sys_kkt_create(phx_context *context, const pattern_source *of, kkt_matrix *kkt, double **val)
{
    phx_sys_triplets list = {0};
    phx_csr pattern = {0};
    int *cols = phx_calloc(context, (size_t)(2 * (of->system->n_v + 1)), sizeof *cols);
    phx_status status = cols ? kkt_collect(context, of, kkt, cols, &list) : PHX_ERR_MEMORY;

    kkt->n_l = of->rows->n;
    kkt->n = kkt->n_v + kkt->n_l;
    if (!status)
        status = phx_csr_from_triplets(context, kkt->n, kkt->n, list.count, list.row, list.col, NULL, &pattern);
    if (!status)
        status = locate_all(context, of, kkt, &pattern, cols);
    kkt->ptr = pattern.ptr;
    kkt->idx = pattern.idx;
    *val = pattern.val;
    kkt->order = status ? NULL : phx_calloc(context, (size_t)kkt->n, sizeof *kkt->order);
    if (!status)
        status = kkt->order ? phx_sys_order(context, of, kkt) : PHX_ERR_MEMORY;
    phx_free(cols);
    phx_free(list.row);
    phx_free(list.col);
    return status;
}

pattern_source phx_sys_pattern_source(const workspace *ws)
{
    return (pattern_source){ws->system, &ws->rows, &ws->ports, &ws->control};
}

static void free_each(int **list, int count)
{
    for (int i = 0; list && i < count; i++)
        phx_free(list[i]);
    phx_free(list);
}

void phx_sys_kkt_free(const phx_system *system, kkt_matrix *kkt)
{
    int *indices[] = {kkt->ptr, kkt->idx, kkt->order, kkt->place, kkt->boundary_first, kkt->boundary};

    free_each(kkt->body_at, system->n_bodies);
    free_each(kkt->port_at, system->n_ports);
    free_each(kkt->pair_at, phx_sys_pair_count(system));
    free_each(kkt->row_at, kkt->n_l);
    free_each(kkt->control_at, system->control.n_actuations * system->control.n_measures);
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
        phx_free(indices[i]);
    phx_free(kkt->condensed);
    *kkt = (kkt_matrix){0};
}
