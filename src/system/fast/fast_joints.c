/* Which joints a step evaluates together. */
#include "fast_joints.h"

#include <string.h>

static const joint_operations *joints_select(void)
{
#ifdef PHX_AVX2
    if (phx_cpu_has_avx2())
        return &phx_joint_simd_avx2;
#endif
    return &phx_joint_simd;
}

/* ---- which ---- */
static int dots_of(const workspace *ws, const row_group *group)
{
    const int dots = group->end - group->first - group->points;

    for (int k = group->first + group->points; k < group->end; k++)
        if (ws->rows.row[k].row->kind != PHX_ROW_DOT || ws->rows.row[k].speed || ws->rows.row[k].rate != 0.0)
            return -1;
    return dots == 0 || ws->system->dim == 3 ? dots : -1;
}

static const phx_flex_point *point_of(const workspace *ws, phx_port_id id)
{
    return &ws->system->ports[id].port.point;
}

static void count_use(void *user, phx_port_id id)
{
    int *uses = user;

    uses[id]++;
}

/* Uses of each port by joints, forces and controllers. */
static void count_uses(const workspace *ws, int *uses)
{
    const phx_system *system = ws->system;

    for (int g = 0; g < ws->fast->rows.n; g++) {
        uses[ws->fast->rows.group[g].a]++;
        uses[ws->fast->rows.group[g].b]++;
    }
    for (int i = 0; i < system->n_forces; i++) {
        phx_port_id a = -1, b = -1;
        if (phx_sys_pair_ports(system, system->n_joints + i, &a, &b)) {
            uses[a] += a >= 0;
            if (b >= 0)
                uses[b]++;
        }
    }
    phx_sys_each_controlled_port(system, count_use, uses);
}

/* Whether the entries stand side by side from the first on. */
static bool in_a_row(const int *at, int n)
{
    for (int j = 0; j < n; j++)
        if (at[j] < 0 || at[j] != at[0] + j)
            return false;
    return true;
}

/* Whether a matrix has the group's entries where fast_joints.h expects them. */
static bool has_places(const workspace *ws, const kkt_matrix *kkt, const row_group *group)
{
    const phx_port_id ports[2] = {group->a, group->b};
    const int dim = ws->system->dim, n_rot = ws->system->n_rot, r = dim + n_rot;
    const int n[2] = {ws->ports.count[group->a], ws->ports.count[group->b]}, all = n[0] + n[1];
    const bool dots = group->end > group->first + group->points;

    for (int side = 0, from = 0; side < 2; from += n[side++]) {
        for (int k = group->first; k < group->end; k++) {
            if (!in_a_row(kkt->row_at[k] + from, r))
                return false;
            for (int j = 0; j < n[side]; j++)
                if (kkt->row_at[k][all + from + j] != kkt->row_at[group->first][all + from + j] + k - group->first)
                    return false;
        }
        for (int i = 0; i < n[side]; i++) {
            const int *at = kkt->port_at[ports[side]] + i * n[side] + dim;
            if ((i < r || at[0] >= 0) && !in_a_row(at, n_rot))
                return false;
        }
        for (int i = 0; i < all && dots; i++)
            if (!in_a_row(kkt->pair_at[group->joint] + i * all + from, r))
                return false;
    }
    return true;
}

static bool is_batched(const workspace *ws, phx_port_id id)
{
    return phx_body_fits_batch(ws->fast->members.member[phx_sys_member_of(ws, id)].body);
}

/* Returns true if a row group may be evaluated in a batch: point rows plus DOT rows between two batched bodies, and its
 * entries exist in every pattern. */
static bool may_batch(const workspace *ws, const row_group *group, const int *uses)
{
    const phx_system *system = ws->system;
    const phx_body_id a = system->ports[group->a].body, b = system->ports[group->b].body;

    if (group->points == 0 || group->slides || group->one_body || a == PHX_GROUND || b == PHX_GROUND ||
        dots_of(ws, group) < 0)
        return false;
    if (uses[group->a] != 1 || uses[group->b] != 1 || !is_batched(ws, group->a) || !is_batched(ws, group->b))
        return false;
    if (point_of(ws, group->a)->n > SIDE_COORDINATES || point_of(ws, group->b)->n > SIDE_COORDINATES)
        return false;
    return has_places(ws, &ws->kkt, group) &&
           (!ws->fast->condensation || has_places(ws, &ws->fast->condensation->kkt, group));
}

static bool alike(const workspace *ws, const row_group *one, const row_group *other)
{
    return dots_of(ws, one) == dots_of(ws, other) && point_of(ws, one->a)->n == point_of(ws, other->a)->n &&
           point_of(ws, one->b)->n == point_of(ws, other->b)->n;
}

/* ---- what they are ---- */
/* Entries e of the joint in `lane` into [e width + lane]; the last joint fills up the lanes without one. */
static void joints_spread(const joint_batch *batch, int lane, int n, const double *from, double *to)
{
    const int last = lane == batch->count - 1 ? PHX_JOINT_SIMD_WIDTH : lane + 1;

    for (int e = 0; e < n; e++)
        for (int l = lane; l < last; l++)
            to[e * PHX_JOINT_SIMD_WIDTH + l] = from[e];
}

/* Fills the offsets, place and shape functions of side `which` (0: A, 1: B) of one lane; the last joint fills the empty
 * lanes too. */
static void fill_side(const workspace *ws, joint_batch *batch, int which, int lane)
{
    const phx_system *system = ws->system;
    const row_group *group = &ws->fast->rows.group[batch->group[lane]];
    const phx_port_id id = which ? group->b : group->a;
    const body_slot *body = &system->bodies[system->ports[id].body];
    const phx_flex_point *point = point_of(ws, id);
    const int dim = system->dim, rigid = dim + system->n_rot, q = body->x + dim + phx_attitude_size(dim);
    const int last = lane == batch->count - 1 ? PHX_JOINT_SIMD_WIDTH : lane + 1;
    joint_side *side = &batch->side[which];

    for (int l = lane; l < last; l++) {
        side->port[l] = id;
        side->x[l] = body->x + system->ports[id].port.frame.x;
        side->v[l] = body->v + system->ports[id].port.frame.v;
        for (int k = 0; k < side->n_q; k++) {
            side->q[k * PHX_JOINT_SIMD_WIDTH + l] = q + point->dof[k];
            side->q_dot[k * PHX_JOINT_SIMD_WIDTH + l] = body->v + rigid + point->dof[k];
        }
    }
    joints_spread(batch, lane, dim, point->x, side->place);
    if (side->n_q > 0) {
        joints_spread(batch, lane, dim * side->n_q, point->phi, side->phi);
        joints_spread(batch, lane, system->n_rot * side->n_q, point->theta, side->theta);
    }
}

/* Takes the next place of the joint in `lane`. */
static void joints_take(const joint_batch *batch, int lane, int place, int **next)
{
    const int last = lane == batch->count - 1 ? PHX_JOINT_SIMD_WIDTH : lane + 1;

    for (int l = lane; l < last; l++)
        (*next)[l] = place;
    *next += PHX_JOINT_SIMD_WIDTH;
}

/* Places of a joint in a matrix, in the order of fast_joints.h. */
static void fill_places(const workspace *ws, const joint_batch *batch, int lane, const kkt_matrix *kkt, int *at)
{
    const row_group *group = &ws->fast->rows.group[batch->group[lane]];
    const phx_port_id ports[2] = {group->a, group->b};
    const int dim = ws->system->dim, n_rot = ws->system->n_rot, r = dim + n_rot;
    const int n[2] = {r + batch->side[0].n_q, r + batch->side[1].n_q}, all = n[0] + n[1];

    for (int k = group->first; k < group->end; k++)
        for (int side = 0, from = 0; side < 2; from += n[side++]) {
            joints_take(batch, lane, kkt->row_at[k][from], &at);
            for (int j = r; j < n[side]; j++)
                joints_take(batch, lane, kkt->row_at[k][from + j], &at);
        }
    for (int j = 0; j < all; j++)
        joints_take(batch, lane, kkt->row_at[group->first][all + j], &at);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n[side]; i++)
            joints_take(batch, lane, kkt->port_at[ports[side]][i * n[side] + dim], &at);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < n_rot; k++)
            for (int j = r; j < n[side]; j++)
                joints_take(batch, lane, kkt->port_at[ports[side]][(dim + k) * n[side] + j], &at);
    for (int i = 0; i < all && batch->dots > 0; i++)
        for (int side = 0, from = 0; side < 2 && (i < n[0] ? i : i - n[0]) >= dim; from += n[side++]) {
            const int *row = kkt->pair_at[group->joint] + i * all + from;
            joints_take(batch, lane, row[dim], &at);
            for (int j = r; j < n[side]; j++)
                joints_take(batch, lane, row[j], &at);
        }
}

static int count_places(const workspace *ws, const joint_batch *batch)
{
    const int n_rot = ws->system->n_rot, r = ws->system->dim + n_rot, q = batch->side[0].n_q + batch->side[1].n_q;
    const int rows = (ws->system->dim + batch->dots) * (2 + q), blocks = 2 * (2 * r + q) + n_rot * q;

    return rows + blocks + (batch->dots > 0 ? (2 * n_rot + q) * (2 + q) : 0);
}

/* The arrays of a batch, in one piece each: its numbers from alpha, its entries from the first side's q. */
static phx_status joints_allocate(const workspace *ws, joint_batch *batch)
{
    const int dim = ws->system->dim, n_rot = ws->system->n_rot, matrices = ws->fast->condensation ? 2 : 1;
    const int q = batch->side[0].n_q + batch->side[1].n_q;
    const size_t numbers = (size_t)(PHX_JOINT_SIMD_WIDTH * (6 * batch->dots + 2 * dim + (dim + n_rot) * q));
    const int places = PHX_JOINT_SIMD_WIDTH * count_places(ws, batch);
    const size_t entries = (size_t)(PHX_JOINT_SIMD_WIDTH * 2 * q + matrices * places);

    batch->alpha = phx_calloc(ws->base.context, numbers, sizeof *batch->alpha);
    batch->side[0].q = phx_calloc(ws->base.context, entries, sizeof *batch->side[0].q);
    if (!batch->alpha || !batch->side[0].q)
        return PHX_ERR_MEMORY;
    batch->beta = batch->alpha + 3 * PHX_JOINT_SIMD_WIDTH * batch->dots;
    double *next = batch->beta + 3 * PHX_JOINT_SIMD_WIDTH * batch->dots;
    int *entry = batch->side[0].q;
    for (int which = 0; which < 2; which++) {
        joint_side *side = &batch->side[which];
        side->place = next;
        side->phi = side->place + PHX_JOINT_SIMD_WIDTH * dim;
        side->theta = side->phi + PHX_JOINT_SIMD_WIDTH * dim * side->n_q;
        next = side->theta + PHX_JOINT_SIMD_WIDTH * n_rot * side->n_q;
        side->q = entry;
        side->q_dot = entry + PHX_JOINT_SIMD_WIDTH * side->n_q;
        entry += 2 * PHX_JOINT_SIMD_WIDTH * side->n_q;
    }
    batch->at[0] = entry;
    batch->at[1] = matrices == 2 ? entry + places : NULL;
    return PHX_OK;
}

static void list_adding(joint_batch *batch)
{
    memset(batch->adds, 0, sizeof batch->adds);
    for (int l = 0; l < batch->count; l++)
        for (int sides = 1; sides < 4; sides++) {
            unsigned char *adds = &batch->adds[(batch->late[l] & LATE_BODY * sides) != 0][sides];
            *adds = (unsigned char)(*adds | 1 << l);
        }
}

/* Creates a batch of `count` alike joints: offsets, directions, angles and positions of their entries in one or both
 * KKT patterns. */
static phx_status make_batch(const workspace *ws, int count, const int *groups, joint_batches *made)
{
    joint_batch *batch = &made->batch[made->n];
    const row_group *first = &ws->fast->rows.group[groups[0]];

    *batch = (joint_batch){.count = count, .dots = dots_of(ws, first)};
    batch->side[0].n_q = point_of(ws, first->a)->n;
    batch->side[1].n_q = point_of(ws, first->b)->n;
    made->n++;
    list_adding(batch);
    const phx_status status = joints_allocate(ws, batch);
    if (status)
        return status;
    for (int l = 0; l < PHX_JOINT_SIMD_WIDTH; l++) {
        batch->group[l] = groups[l < count ? l : count - 1];
        batch->first[l] = ws->fast->rows.group[batch->group[l]].first;
    }
    for (int l = 0; l < count; l++) {
        const row_group *group = &ws->fast->rows.group[groups[l]];
        for (int which = 0; which < 2; which++)
            fill_side(ws, batch, which, l);
        for (int k = 0; k < batch->dots; k++) {
            const phx_row *row = ws->rows.row[group->first + group->points + k].row;
            joints_spread(batch, l, 3, row->alpha, batch->alpha + 3 * PHX_JOINT_SIMD_WIDTH * k);
            joints_spread(batch, l, 3, row->beta, batch->beta + 3 * PHX_JOINT_SIMD_WIDTH * k);
        }
        made->of[groups[l]] = made->n - 1;
        fill_places(ws, batch, l, &ws->kkt, batch->at[0]);
        if (batch->at[1])
            fill_places(ws, batch, l, &ws->fast->condensation->kkt, batch->at[1]);
    }
    return PHX_OK;
}

/* Batches of the groups that go with group g, from g on; one by itself is in none. */
static phx_status joints_gather(const workspace *ws, int g, const bool *may, joint_batches *made)
{
    int list[PHX_JOINT_SIMD_WIDTH], count = 0;
    phx_status status = PHX_OK;

    for (int other = g; other < ws->fast->rows.n && !status; other++) {
        if (!may[other] || made->of[other] >= 0 || !alike(ws, &ws->fast->rows.group[g], &ws->fast->rows.group[other]))
            continue;
        list[count++] = other;
        if (count == PHX_JOINT_SIMD_WIDTH) {
            status = make_batch(ws, PHX_JOINT_SIMD_WIDTH, list, made);
            count = 0;
        }
    }
    return status || count < 2 ? status : make_batch(ws, count, list, made);
}

/* The joints in no batch that is used, and their number. */
static void list_unbatched(const workspace *ws, bool one_by_one, joint_batches *joints, unbatched_joints *made)
{
    const row_groups *rows = &ws->fast->rows;

    joints->used = one_by_one ? 0 : joints->n;
    made->n_groups = made->n_ports = 0;
    for (int i = 0; i < ws->system->n_ports; i++)
        joints->port_batched[i] = false;
    for (int g = 0; g < rows->n; g++) {
        if (one_by_one || joints->of[g] < 0)
            made->groups[made->n_groups++] = g;
        else
            joints->port_batched[rows->group[g].a] = joints->port_batched[rows->group[g].b] = true;
    }
    for (int i = 0; i < ws->system->n_ports; i++)
        if (!joints->port_batched[i])
            made->ports[made->n_ports++] = i;
}

/* Allocates the lists of batched and unbatched joints and ports. */
static phx_status allocate_batches(phx_context *context, const phx_system *system, int n_groups, joint_batches *joints,
                                   unbatched_joints *unbatched)
{
    const size_t groups = (size_t)n_groups, ports = (size_t)system->n_ports;

    joints->batch = phx_calloc(context, groups, sizeof *joints->batch);
    joints->of = phx_calloc(context, groups, sizeof *joints->of);
    joints->port_batched = phx_calloc(context, ports, sizeof *joints->port_batched);
    unbatched->groups = phx_calloc(context, groups, sizeof *unbatched->groups);
    unbatched->ports = phx_calloc(context, ports, sizeof *unbatched->ports);
    return joints->batch && joints->of && joints->port_batched && unbatched->groups && unbatched->ports
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

/* Groups alike joints into batches and lists the joints and ports that remain. */
phx_status phx_sys_joint_batches_create(phx_context *context, const workspace *ws, joint_batches *joints,
                                        unbatched_joints *unbatched)
{
    const row_groups *rows = &ws->fast->rows;
    int *uses = phx_calloc(context, (size_t)ws->system->n_ports, sizeof *uses);
    bool *may = phx_calloc(context, (size_t)rows->n, sizeof *may);
    phx_status status =
        uses && may ? allocate_batches(context, ws->system, rows->n, joints, unbatched) : PHX_ERR_MEMORY;

    if (!status)
        count_uses(ws, uses);
    for (int g = 0; g < rows->n && !status; g++) {
        joints->of[g] = -1;
        may[g] = may_batch(ws, &rows->group[g], uses);
    }
    for (int g = 0; g < rows->n && !status; g++)
        if (may[g] && joints->of[g] < 0)
            status = joints_gather(ws, g, may, joints);
    if (!status)
        list_unbatched(ws, false, joints, unbatched);
    phx_free(uses);
    phx_free(may);
    return status;
}

void phx_sys_joint_batches_free(joint_batches *joints, unbatched_joints *unbatched)
{
    for (int p = 0; p < joints->n; p++) {
        phx_free(joints->batch[p].alpha);
        phx_free(joints->batch[p].side[0].q);
    }
    phx_free(joints->batch);
    phx_free(joints->of);
    phx_free(joints->port_batched);
    phx_free(unbatched->groups);
    phx_free(unbatched->ports);
}

phx_status phx_system_joints_one_by_one(phx_dae *dae, bool one_by_one)
{
    if (!dae)
        return phx_fail_null(NULL, __func__, "dae");
    workspace *ws = (workspace *)dae;

    list_unbatched(ws, one_by_one, &ws->fast->joints, &ws->fast->unbatched);
    ws->fast->ports.start_viewed = ws->fast->ports.end_viewed = false;
    return phx_sys_find_late(ws);
}

void phx_sys_joint_batch_bodies(const workspace *ws, int p, int lane, phx_body_id *bodies)
{
    const joint_batch *batch = &ws->fast->joints.batch[p];

    for (int side = 0; side < 2; side++)
        bodies[side] = lane < batch->count ? ws->system->ports[batch->side[side].port[lane]].body : -1;
}

bool phx_sys_joint_batch_waits(workspace *ws, int p, int lane, int late)
{
    ws->fast->joints.batch[p].late[lane] = (unsigned char)late;
    list_adding(&ws->fast->joints.batch[p]);
    return late != 0;
}

/* ---- what is done with them ---- */
typedef struct joint_loop joint_loop;
typedef void joint_work(const joint_loop *loop, const joint_batch *batch);
struct joint_loop {
    const workspace *ws;
    const joint_operations *ops;
    joint_state at;
    double *out; /* residual or values */
    joint_work *work;
};

static phx_status each_batch(void *user, phx_context *context, int part, int first, int end)
{
    const joint_loop *loop = user;

    (void)context, (void)part;
    for (int p = first; p < end; p++)
        loop->work(loop, &loop->ws->fast->joints.batch[p]);
    return PHX_OK;
}

/* All batches that are used, then their shared contributions, which are added after all parts. */
static void over_batches(const workspace *ws, joint_work *work, const double *lambda, double *out)
{
    if (ws->fast->joints.used == 0)
        return;
    const phx_body_view *view = &ws->view;
    joint_loop loop = {
        .ws = ws,
        .ops = joints_select(),
        .at = {.h = ws->view.h, .x0 = view->x0, .x1 = view->x1, .xm = view->xm, .vm = view->vm, .lambda = lambda},
        .out = out,
        .work = work};

    phx_sys_run(ws, ws->fast->joints.used, each_batch, &loop);
    loop.at.late = true;
    for (int i = 0; i < ws->fast->threads.n_batches && lambda; i++)
        work(&loop, &ws->fast->joints.batch[ws->fast->threads.batches[i]]);
}

static void find_residual(const joint_loop *loop, const joint_batch *batch)
{
    loop->ops->residual(loop->ws, batch, &loop->at, loop->out);
}

static void find_rates(const joint_loop *loop, const joint_batch *batch)
{
    loop->ops->rates(loop->ws, batch, &loop->at, loop->out);
}

static void joints_linearise(const joint_loop *loop, const joint_batch *batch)
{
    loop->ops->linearise(loop->ws, batch, &loop->at);
}

static void joints_put(const joint_loop *loop, const joint_batch *batch)
{
    loop->ops->put(loop->ws, batch, &loop->at, loop->out);
}

void phx_sys_joint_batches_residual(workspace *ws, const double *lambda, double *res)
{
    over_batches(ws, find_residual, lambda, res);
}

void phx_sys_joint_batches_rates(workspace *ws, double *rates)
{
    over_batches(ws, find_rates, NULL, rates);
}

void phx_sys_joint_batches_linearise(workspace *ws, const double *lambda)
{
    over_batches(ws, joints_linearise, lambda, NULL);
}

void phx_sys_joint_batches_put(workspace *ws, double *val)
{
    over_batches(ws, joints_put, NULL, val);
}
