/* The bodies as rigid ones: [M -G^T; G eps] over the rigid motions v = T twist of the bodies, factored by itself. The
 * twist of a body stands where the velocities of its first frame do; T is the identity there, and nothing else where a
 * body has one frame. Places along bodies are free to move too. */
#include "system/system_internal.h"

#include <string.h>

/* Unknowns: rigid velocities and multipliers, in the order in which the whole matrix eliminates them. */
static phx_status list_unknowns(phx_context *context, const workspace *ws, rigid_kkt *rigid, int **place)
{
    const phx_system *system = ws->system;
    const int n = ws->kkt.n, each = system->dim + system->n_rot;

    rigid->n = system->n_bodies * each + ws->rows.n;
    for (int b = 0; b < system->n_bodies; b++)
        rigid->n += phx_body_places(system->bodies[b].body, NULL, NULL);
    rigid->unknown = phx_calloc(context, (size_t)rigid->n, sizeof *rigid->unknown);
    *place = phx_calloc(context, (size_t)n, sizeof **place);
    if (!rigid->unknown || !*place)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < n; i++)
        (*place)[i] = i < system->n_v ? -1 : i;
    for (int b = 0; b < system->n_bodies; b++) {
        int first, v = system->bodies[b].v, n_places = phx_body_places(system->bodies[b].body, NULL, &first);
        for (int i = 0; i < each; i++)
            (*place)[v + i] = v + i;
        for (int i = 0; i < n_places; i++)
            (*place)[v + first + i] = v + first + i;
    }
    for (int k = 0, at = 0; k < n; k++) {
        const int i = ws->kkt.order[k];
        if ((*place)[i] < 0)
            continue;
        rigid->unknown[at] = i;
        (*place)[i] = at++;
    }
    return PHX_OK;
}

/* Whether the entry k of row i of the whole matrix stays: between rigid velocities and multipliers, of rows that are
 * left out the diagonal alone. */
static bool stays(const workspace *ws, const int *place, int i, int k)
{
    const int j = ws->kkt.idx[k];
    return place[j] >= 0 && (i == j || (!phx_sys_dropped(ws, i) && !phx_sys_dropped(ws, j)));
}

/* The pattern between the unknowns, and for each entry its place in the full pattern. */
static phx_status rigid_make_pattern(phx_context *context, const workspace *ws, rigid_kkt *rigid, const int *place)
{
    const kkt_matrix *kkt = &ws->kkt;
    size_t count = 0, at = 0;

    for (int i = 0; i < rigid->n; i++)
        for (int k = kkt->ptr[rigid->unknown[i]]; k < kkt->ptr[rigid->unknown[i] + 1]; k++)
            count += stays(ws, place, rigid->unknown[i], k);
    rigid->ptr = phx_calloc(context, (size_t)rigid->n + 1, sizeof *rigid->ptr);
    rigid->idx = phx_calloc(context, count, sizeof *rigid->idx);
    rigid->from = phx_calloc(context, count, sizeof *rigid->from);
    rigid->val = phx_calloc(context, count, sizeof *rigid->val);
    rigid->rhs = phx_calloc(context, (size_t)rigid->n, sizeof *rigid->rhs);
    rigid->order = phx_calloc(context, (size_t)rigid->n, sizeof *rigid->order);
    if (!rigid->ptr || !rigid->idx || !rigid->from || !rigid->val || !rigid->rhs || !rigid->order)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < rigid->n; i++) {
        rigid->order[i] = i;
        for (int k = kkt->ptr[rigid->unknown[i]]; k < kkt->ptr[rigid->unknown[i] + 1]; k++) {
            size_t to = at;
            if (!stays(ws, place, rigid->unknown[i], k))
                continue;
            for (; to > (size_t)rigid->ptr[i] && rigid->idx[to - 1] > place[kkt->idx[k]]; to--) { /* ascending */
                rigid->idx[to] = rigid->idx[to - 1];
                rigid->from[to] = rigid->from[to - 1];
            }
            rigid->idx[to] = place[kkt->idx[k]];
            rigid->from[to] = k;
            at++;
        }
        rigid->ptr[i + 1] = (int)at;
    }
    return phx_lu_create(context, rigid->n, rigid->ptr, rigid->idx, rigid->order, false, &rigid->lu);
}

/* The eps on the diagonals of multipliers says nothing of their size. */
static phx_status set_weak(phx_context *context, const workspace *ws, const rigid_kkt *rigid)
{
    int *multipliers = phx_calloc(context, (size_t)rigid->n, sizeof *multipliers), count = 0;

    if (!multipliers)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < rigid->n; i++)
        if (rigid->unknown[i] >= ws->kkt.n_v)
            multipliers[count++] = i;
    const phx_status status = phx_lu_set_weak(rigid->lu, count, multipliers);
    phx_free(multipliers);
    return status;
}

void phx_sys_rigid_free(rigid_kkt *rigid)
{
    int *indices[] = {rigid->unknown, rigid->ptr, rigid->idx, rigid->from, rigid->order};

    for (size_t k = 0; k < sizeof indices / sizeof *indices; k++)
        phx_free(indices[k]);
    phx_free(rigid->val);
    phx_free(rigid->rhs);
    phx_lu_destroy(rigid->lu);
    *rigid = (rigid_kkt){0};
}

/* Builds unknowns, pattern and factorisation object of the rigid KKT matrix and stores them in the workspace. */
static phx_status make_rigid(workspace *ws)
{
    phx_context *context = ws->base.context;
    rigid_kkt made = {0};
    int *place = NULL;
    phx_status status = list_unknowns(context, ws, &made, &place);

    if (!status)
        status = rigid_make_pattern(context, ws, &made, place);
    phx_free(place);
    if (!status)
        status = set_weak(context, ws, &made);
    if (status)
        phx_sys_rigid_free(&made);
    else
        ws->rigid = made;
    return status;
}

/* Of a row of G that touches a body of several frames, G T, in place of the entries of the first frame. */
static void fold_row(workspace *ws, const body_slot *slot, const double *x, int row)
{
    const kkt_matrix *kkt = &ws->kkt;
    const phx_csr pattern = {kkt->n, kkt->n, kkt->ptr, kkt->idx, NULL};
    const int n = phx_body_n_v(slot->body), each = ws->system->dim + ws->system->n_rot;
    double *g = ws->scratch.vector[2], twist[6];
    bool touched = false;

    memset(g, 0, (size_t)n * sizeof *g);
    for (int k = kkt->ptr[row]; k < kkt->ptr[row + 1]; k++)
        if (kkt->idx[k] >= slot->v && kkt->idx[k] < slot->v + n) {
            g[kkt->idx[k] - slot->v] = ws->values.val[k];
            touched = true;
        }
    if (!touched)
        return;
    phx_body_rigid_force(slot->body, x + slot->x, g, twist);
    for (int c = 0; c < each; c++) {
        ws->values.val[phx_csr_find(&pattern, row, slot->v + c)] = twist[c];
        ws->values.val[phx_csr_find(&pattern, slot->v + c, row)] = -twist[c];
    }
}

static void fold_rows(workspace *ws, const double *x)
{
    for (int b = 0; b < ws->system->n_bodies; b++)
        for (int k = 0; k < ws->rows.n && phx_sys_has_frames(ws->system, b); k++)
            fold_row(ws, &ws->system->bodies[b], x, ws->kkt.n_v + k);
}

/* The entries between rigid velocities and multipliers in ws->values.val. */
static void put_values(workspace *ws, const double *x)
{
    const phx_system *system = ws->system;
    const int each = system->dim + system->n_rot;
    double mass[36];

    memset(ws->values.val, 0, (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof *ws->values.val);
    ws->values.summed = false;
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const int *ptr = NULL, *idx = NULL;
        phx_body_pattern(slot->body, &ptr, &idx);
        phx_body_rigid_mass(slot->body, x + slot->x, mass);
        for (int i = 0; i < each; i++)
            for (int k = ptr[i]; k < ptr[i + 1] && idx[k] < each; k++)
                ws->values.val[ws->kkt.body_at[b][k]] = mass[i * each + idx[k]];
        int first, n_places = phx_body_places(slot->body, NULL, &first);
        for (int i = first; i < first + n_places; i++)
            for (int k = ptr[i]; k < ptr[i + 1]; k++)
                if (idx[k] == i)
                    ws->values.val[ws->kkt.body_at[b][k]] = phx_body_wheel_inertia(slot->body, i - first + 1);
    }
    ws->by->put_rows(ws, ws->values.val);
    fold_rows(ws, x);
}

/* eps: 1e-10 times the diagonal of G M^-1 G^T, with the diagonal of M; rows that are off give lambda = 0. */
static void fill_values(workspace *ws, const bool *on)
{
    static const double COMPLIANCE = 1e-10; /* eps over the diagonal of G M^-1 G^T */
    const rigid_kkt *rigid = &ws->rigid;
    const int n_v = ws->kkt.n_v;
    const double mass = phx_body_at_rest(ws->system->bodies[0].body)->mass;
    double *diagonal = ws->scratch.vector[2];

    for (int i = 0; i < rigid->n; i++)
        for (int k = rigid->ptr[i]; k < rigid->ptr[i + 1]; k++) {
            rigid->val[k] = ws->values.val[rigid->from[k]];
            if (rigid->idx[k] == i) /* places along bodies have no mass; any is as good to measure rows by */
                diagonal[i] = rigid->val[k] > 0.0 ? rigid->val[k] : mass;
        }
    for (int i = 0; i < rigid->n; i++) {
        const int row = rigid->unknown[i] - n_v;
        const bool off_i = row >= 0 && !on[row];
        double schur = 0.0;
        for (int k = rigid->ptr[i]; k < rigid->ptr[i + 1]; k++) {
            const int j = rigid->idx[k], col = rigid->unknown[j] - n_v;
            if (off_i || (col >= 0 && !on[col]))
                rigid->val[k] = i == j ? 1.0 : 0.0;
            else if (row >= 0 && col < 0)
                schur += rigid->val[k] * rigid->val[k] / diagonal[j];
        }
        for (int k = rigid->ptr[i]; k < rigid->ptr[i + 1] && row >= 0 && !off_i; k++)
            if (rigid->idx[k] == i)
                rigid->val[k] = schur > 0.0 ? COMPLIANCE * schur : 1.0;
    }
}

/* Factors [M -G^T; G eps] over the rigid motions at x with the rows on[k] active. A singular pivot is reported with its
 * body or joint. */
phx_status phx_sys_factor_rigid(workspace *ws, const double *x, const bool *on)
{
    phx_status status = ws->parallel.made ? PHX_OK : phx_sys_parallel_create(ws, &ws->parallel);

    if (status)
        return status;
    put_values(ws, x);
    if (phx_sys_parallel_choose(ws, on, &ws->parallel)) /* another pattern */
        phx_sys_rigid_free(&ws->rigid);
    status = ws->rigid.lu ? PHX_OK : make_rigid(ws);
    if (status)
        return status;
    ws->rigid.at = x;
    fill_values(ws, on);
    int column = -1;
    status = phx_lu_factor(ws->rigid.lu, ws->rigid.val, &column);
    return status == PHX_SINGULAR && column >= 0
               ? phx_sys_blame_factor(ws, ws->rigid.ptr, ws->rigid.val, column, ws->rigid.unknown[column])
               : status;
}

/* Where an unknown of the whole matrix is one of this. */
static int rigid_place_of(const rigid_kkt *rigid, int unknown)
{
    int i = 0;
    while (rigid->unknown[i] != unknown)
        i++;
    return i;
}

/* Solves with the rigid matrix: b over all velocities and rows is replaced by the solution, as rigid motion of every
 * frame; deformations are zero. */
phx_status phx_sys_solve_rigid(workspace *ws, double *b)
{
    rigid_kkt *rigid = &ws->rigid;
    const phx_system *system = ws->system;

    for (int i = 0; i < system->n_bodies; i++) /* forces on all frames as one wrench */
        if (phx_sys_has_frames(system, i)) {
            const body_slot *slot = &system->bodies[i];
            double wrench[6];
            phx_body_rigid_force(slot->body, ws->rigid.at + slot->x, b + slot->v, wrench);
            memcpy(b + slot->v, wrench, (size_t)(system->dim + system->n_rot) * sizeof *b);
        }
    for (int i = 0; i < rigid->n; i++)
        rigid->rhs[i] = phx_sys_dropped(ws, rigid->unknown[i]) ? 0.0 : b[rigid->unknown[i]];
    const phx_status status = phx_lu_solve(rigid->lu, 1, rigid->rhs);
    if (status)
        return status;
    memset(b, 0, (size_t)ws->kkt.n_v * sizeof *b);
    for (int i = 0; i < rigid->n; i++)
        b[rigid->unknown[i]] = rigid->rhs[i];
    for (int i = 0; i < system->n_bodies; i++)
        if (phx_sys_has_frames(system, i)) {
            const body_slot *slot = &system->bodies[i];
            const int first = slot->v + phx_body_n_v(slot->body), n_places = phx_body_places(slot->body, NULL, NULL);
            double twist[6];
            memcpy(twist, b + slot->v, (size_t)(system->dim + system->n_rot) * sizeof *b);
            phx_body_rigid_motion(slot->body, ws->rigid.at + slot->x, twist, b + slot->v);
            for (int k = first - n_places; k < first; k++)
                b[k] = rigid->rhs[rigid_place_of(rigid, k)];
        }
    return PHX_OK;
}
