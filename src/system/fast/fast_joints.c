/* Which joints a step evaluates together. */
#include "fast_joints.h"

#include <string.h>

static const joint_operations *operations(void)
{
#ifdef PHX_AVX2
    if (phx_cpu_has_avx2())
        return &phx_joint_lanes_avx2;
#endif
    return &phx_joint_lanes;
}

/* ---- which ---- */
static int dots_of(const workspace *ws, const row_group *group)
{
    const int dots = group->end - group->first - group->points;

    for (int k = group->first + group->points; k < group->end; k++)
        if (ws->rows[k].row.kind != PHX_ROW_DOT || ws->rows[k].speed || ws->rows[k].rate != 0.0)
            return -1;
    return dots == 0 || ws->system->dim == 3 ? dots : -1;
}

static const phx_flex_point *point_of(const workspace *ws, phx_port_id id)
{
    return &ws->system->ports[id].port.point;
}

/* Uses of each port by joints and forces. */
static void count_uses(const workspace *ws, int *uses)
{
    const phx_system *system = ws->system;

    for (int g = 0; g < ws->fast->n_groups; g++) {
        uses[ws->fast->groups[g].a]++;
        uses[ws->fast->groups[g].b]++;
    }
    for (int i = 0; i < system->n_forces; i++) {
        phx_port_id a = -1, b = -1;
        if (phx_sys_pair_ports(system, system->n_joints + i, &a, &b)) {
            uses[a] += a >= 0;
            if (b >= 0)
                uses[b]++;
        }
    }
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
    const int n[2] = {ws->port_count[group->a], ws->port_count[group->b]}, all = n[0] + n[1];
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

static bool may_pack(const workspace *ws, const row_group *group, const int *uses)
{
    const phx_system *system = ws->system;
    const phx_body_id a = system->ports[group->a].body, b = system->ports[group->b].body;

    if (group->points == 0 || group->one_body || a == PHX_GROUND || b == PHX_GROUND || dots_of(ws, group) < 0)
        return false;
    if (uses[group->a] != 1 || uses[group->b] != 1 || !phx_body_packs(system->bodies[a].body) ||
        !phx_body_packs(system->bodies[b].body))
        return false;
    if (point_of(ws, group->a)->n > SIDE_COORDINATES || point_of(ws, group->b)->n > SIDE_COORDINATES)
        return false;
    return has_places(ws, &ws->kkt, group) &&
           (!ws->fast->condensation || has_places(ws, &ws->fast->condensation->kkt, group));
}

static int turns_of(const workspace *ws, int j)
{
    const joint_slot *joint = &ws->system->joints[j];
    int turns = 0;

    for (int c = 0; c < joint->n_coordinates; c++)
        turns += joint->coordinates[c].turn >= 0;
    return turns;
}

static bool alike(const workspace *ws, const row_group *one, const row_group *other)
{
    return dots_of(ws, one) == dots_of(ws, other) && turns_of(ws, one->joint) == turns_of(ws, other->joint) &&
           point_of(ws, one->a)->n == point_of(ws, other->a)->n && point_of(ws, one->b)->n == point_of(ws, other->b)->n;
}

/* ---- what they are ---- */
/* Entries e of the joint in `lane` into [e lanes + lane]; the last joint fills up the lanes without one. */
static void spread(const joint_pack *pack, int lane, int n, const double *from, double *to)
{
    const int last = lane == pack->count - 1 ? PHX_JOINT_LANES : lane + 1;

    for (int e = 0; e < n; e++)
        for (int l = lane; l < last; l++)
            to[e * PHX_JOINT_LANES + l] = from[e];
}

static void fill_side(const workspace *ws, joint_pack *pack, int which, int lane)
{
    const phx_system *system = ws->system;
    const row_group *group = &ws->fast->groups[pack->group[lane]];
    const phx_port_id id = which ? group->b : group->a;
    const body_slot *body = &system->bodies[system->ports[id].body];
    const phx_flex_point *point = point_of(ws, id);
    const int dim = system->dim, rigid = dim + system->n_rot, q = body->x + dim + phx_attitude_size(dim);
    const int last = lane == pack->count - 1 ? PHX_JOINT_LANES : lane + 1;
    joint_side *side = &pack->side[which];

    for (int l = lane; l < last; l++) {
        side->port[l] = id;
        side->x[l] = body->x;
        side->v[l] = body->v;
        for (int k = 0; k < side->n_q; k++) {
            side->q[k * PHX_JOINT_LANES + l] = q + point->dof[k];
            side->q_dot[k * PHX_JOINT_LANES + l] = body->v + rigid + point->dof[k];
        }
    }
    spread(pack, lane, dim, point->x, side->place);
    if (side->n_q > 0) {
        spread(pack, lane, dim * side->n_q, point->phi, side->phi);
        spread(pack, lane, system->n_rot * side->n_q, point->theta, side->theta);
    }
}

static bool is_zero(int n, const double *values)
{
    for (int i = 0; i < n; i++)
        if (values[i] != 0.0)
            return false;
    return true;
}

/* The counted coordinate of a joint, the k-th. */
static const coordinate_slot *turn_of(const workspace *ws, int j, int k)
{
    const coordinate_slot *coordinate = ws->system->joints[j].coordinates;

    while (coordinate->turn < 0 || k-- > 0)
        coordinate++;
    return coordinate;
}

/* p are alpha, alpha2 and q are beta, beta2 (joint/row_turn.c). Where alpha2 is zero p are beta, -beta2 and q is alpha:
 * c and s stay, and only one q is left. */
static void fill_turn(const workspace *ws, joint_pack *pack, int k)
{
    enum { ALPHA, ALPHA2, BETA, BETA2, DIRECTIONS };
    joint_turn *turn = &pack->turn[k];
    double *of[DIRECTIONS] = {turn->p[0], turn->p[1], turn->q[0], turn->q[1]};

    for (int l = 0; l < pack->count; l++) {
        const coordinate_slot *coordinate = turn_of(ws, ws->fast->groups[pack->group[l]].joint, k);
        spread(pack, l, 3, coordinate->row.alpha, of[ALPHA]);
        spread(pack, l, 3, coordinate->row.alpha2, of[ALPHA2]);
        spread(pack, l, 3, coordinate->row.beta, of[BETA]);
        spread(pack, l, 3, coordinate->row.beta2, of[BETA2]);
        spread(pack, l, 1, &coordinate->row.target, turn->target);
    }
    if (is_zero(3 * PHX_JOINT_LANES, of[ALPHA2])) {
        *turn = (joint_turn){.on = 1, .p = {of[BETA], of[BETA2]}, .q = {of[ALPHA], of[ALPHA2]}, .target = turn->target};
        for (int i = 0; i < 3 * PHX_JOINT_LANES; i++)
            turn->p[1][i] *= -1.0;
    }
    turn->single = is_zero(3 * PHX_JOINT_LANES, turn->q[1]);
}

/* Takes the next place of the joint in `lane`. */
static void take(const joint_pack *pack, int lane, int place, int **next)
{
    const int last = lane == pack->count - 1 ? PHX_JOINT_LANES : lane + 1;

    for (int l = lane; l < last; l++)
        (*next)[l] = place;
    *next += PHX_JOINT_LANES;
}

/* Places of a joint in a matrix, in the order of fast_joints.h. */
static void fill_places(const workspace *ws, const joint_pack *pack, int lane, const kkt_matrix *kkt, int *at)
{
    const row_group *group = &ws->fast->groups[pack->group[lane]];
    const phx_port_id ports[2] = {group->a, group->b};
    const int dim = ws->system->dim, n_rot = ws->system->n_rot, r = dim + n_rot;
    const int n[2] = {r + pack->side[0].n_q, r + pack->side[1].n_q}, all = n[0] + n[1];

    for (int k = group->first; k < group->end; k++)
        for (int side = 0, from = 0; side < 2; from += n[side++]) {
            take(pack, lane, kkt->row_at[k][from], &at);
            for (int j = r; j < n[side]; j++)
                take(pack, lane, kkt->row_at[k][from + j], &at);
        }
    for (int j = 0; j < all; j++)
        take(pack, lane, kkt->row_at[group->first][all + j], &at);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < n[side]; i++)
            take(pack, lane, kkt->port_at[ports[side]][i * n[side] + dim], &at);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < n_rot; k++)
            for (int j = r; j < n[side]; j++)
                take(pack, lane, kkt->port_at[ports[side]][(dim + k) * n[side] + j], &at);
    for (int i = 0; i < all && pack->dots > 0; i++)
        for (int side = 0, from = 0; side < 2 && (i < n[0] ? i : i - n[0]) >= dim; from += n[side++]) {
            const int *row = kkt->pair_at[group->joint] + i * all + from;
            take(pack, lane, row[dim], &at);
            for (int j = r; j < n[side]; j++)
                take(pack, lane, row[j], &at);
        }
}

static int count_places(const workspace *ws, const joint_pack *pack)
{
    const int n_rot = ws->system->n_rot, r = ws->system->dim + n_rot, q = pack->side[0].n_q + pack->side[1].n_q;
    const int rows = (ws->system->dim + pack->dots) * (2 + q), blocks = 2 * (2 * r + q) + n_rot * q;

    return rows + blocks + (pack->dots > 0 ? (2 * n_rot + q) * (2 + q) : 0);
}

/* The arrays of a pack, in one piece each: its numbers from alpha, its entries from the first side's q. */
static phx_status allocate(const workspace *ws, joint_pack *pack)
{
    const int dim = ws->system->dim, n_rot = ws->system->n_rot, matrices = ws->fast->condensation ? 2 : 1;
    const int q = pack->side[0].n_q + pack->side[1].n_q;
    const int turns = 13 * pack->turns; /* numbers of a joint_turn */
    const size_t numbers = (size_t)(PHX_JOINT_LANES * (6 * pack->dots + turns + 2 * dim + (dim + n_rot) * q));
    const int places = PHX_JOINT_LANES * count_places(ws, pack);
    const size_t entries = (size_t)(PHX_JOINT_LANES * 2 * q + matrices * places);

    pack->alpha = phx_calloc(ws->base.context, numbers, sizeof *pack->alpha);
    pack->side[0].q = phx_calloc(ws->base.context, entries, sizeof *pack->side[0].q);
    if (!pack->alpha || !pack->side[0].q)
        return PHX_ERR_MEMORY;
    pack->beta = pack->alpha + 3 * PHX_JOINT_LANES * pack->dots;
    double *next = pack->beta + 3 * PHX_JOINT_LANES * pack->dots;
    for (int k = 0; k < pack->turns; k++, next += 13 * PHX_JOINT_LANES)
        pack->turn[k] = (joint_turn){.p = {next, next + 3 * PHX_JOINT_LANES},
                                     .q = {next + 6 * PHX_JOINT_LANES, next + 9 * PHX_JOINT_LANES},
                                     .target = next + 12 * PHX_JOINT_LANES};
    int *entry = pack->side[0].q;
    for (int which = 0; which < 2; which++) {
        joint_side *side = &pack->side[which];
        side->place = next;
        side->phi = side->place + PHX_JOINT_LANES * dim;
        side->theta = side->phi + PHX_JOINT_LANES * dim * side->n_q;
        next = side->theta + PHX_JOINT_LANES * n_rot * side->n_q;
        side->q = entry;
        side->q_dot = entry + PHX_JOINT_LANES * side->n_q;
        entry += 2 * PHX_JOINT_LANES * side->n_q;
    }
    pack->at[0] = entry;
    pack->at[1] = matrices == 2 ? entry + places : NULL;
    return PHX_OK;
}

static void list_adding(joint_pack *pack)
{
    memset(pack->adds, 0, sizeof pack->adds);
    for (int l = 0; l < pack->count; l++)
        for (int sides = 1; sides < 4; sides++) {
            unsigned char *adds = &pack->adds[(pack->late[l] & LATE_BODY * sides) != 0][sides];
            *adds = (unsigned char)(*adds | 1 << l);
        }
}

static phx_status make_pack(workspace *ws, int count, const int *groups)
{
    joint_pack *pack = &ws->fast->joint_packs[ws->fast->n_joint_packs];
    const row_group *first = &ws->fast->groups[groups[0]];

    *pack = (joint_pack){.count = count, .dots = dots_of(ws, first), .turns = turns_of(ws, first->joint)};
    pack->side[0].n_q = point_of(ws, first->a)->n;
    pack->side[1].n_q = point_of(ws, first->b)->n;
    ws->fast->n_joint_packs++;
    list_adding(pack);
    const phx_status status = allocate(ws, pack);
    if (status)
        return status;
    for (int l = 0; l < PHX_JOINT_LANES; l++) {
        pack->group[l] = groups[l < count ? l : count - 1];
        pack->first[l] = ws->fast->groups[pack->group[l]].first;
        pack->turn_at[l] = pack->turns > 0 ? turn_of(ws, ws->fast->groups[pack->group[l]].joint, 0)->turn : -1;
    }
    for (int k = 0; k < pack->turns; k++)
        fill_turn(ws, pack, k);
    for (int l = 0; l < count; l++) {
        const row_group *group = &ws->fast->groups[groups[l]];
        for (int which = 0; which < 2; which++)
            fill_side(ws, pack, which, l);
        for (int k = 0; k < pack->dots; k++) {
            const phx_row *row = &ws->rows[group->first + group->points + k].row;
            spread(pack, l, 3, row->alpha, pack->alpha + 3 * PHX_JOINT_LANES * k);
            spread(pack, l, 3, row->beta, pack->beta + 3 * PHX_JOINT_LANES * k);
        }
        ws->fast->joint_pack_of[groups[l]] = ws->fast->n_joint_packs - 1;
        fill_places(ws, pack, l, &ws->kkt, pack->at[0]);
        if (pack->at[1])
            fill_places(ws, pack, l, &ws->fast->condensation->kkt, pack->at[1]);
    }
    return PHX_OK;
}

/* Packs of the groups that go with group g, from g on; one by itself stays loose. */
static phx_status gather(workspace *ws, int g, const bool *may)
{
    int list[PHX_JOINT_LANES], count = 0;
    phx_status status = PHX_OK;

    for (int other = g; other < ws->fast->n_groups && !status; other++) {
        if (!may[other] || ws->fast->joint_pack_of[other] >= 0 ||
            !alike(ws, &ws->fast->groups[g], &ws->fast->groups[other]))
            continue;
        list[count++] = other;
        if (count == PHX_JOINT_LANES) {
            status = make_pack(ws, PHX_JOINT_LANES, list);
            count = 0;
        }
    }
    return status || count < 2 ? status : make_pack(ws, count, list);
}

/* Joints that count turns and are in no pack that is used. */
static void list_turning(workspace *ws)
{
    int *joints = ws->fast->loose_turning;

    for (int j = 0; j < ws->system->n_joints; j++)
        joints[j] = turns_of(ws, j);
    for (int g = 0; g < ws->fast->n_groups; g++)
        if (ws->fast->port_packed[ws->fast->groups[g].a])
            joints[ws->fast->groups[g].joint] = 0;
    ws->fast->n_loose_turning = 0;
    for (int j = 0; j < ws->system->n_joints; j++)
        if (joints[j] > 0)
            joints[ws->fast->n_loose_turning++] = j;
}

/* What is in no pack that is used, and how many are. */
static void list_loose(workspace *ws, bool one_by_one)
{
    ws->fast->used_joint_packs = one_by_one ? 0 : ws->fast->n_joint_packs;
    ws->fast->n_loose_groups = ws->fast->n_loose_ports = 0;
    for (int i = 0; i < ws->system->n_ports; i++)
        ws->fast->port_packed[i] = false;
    for (int g = 0; g < ws->fast->n_groups; g++) {
        if (one_by_one || ws->fast->joint_pack_of[g] < 0)
            ws->fast->loose_groups[ws->fast->n_loose_groups++] = g;
        else
            ws->fast->port_packed[ws->fast->groups[g].a] = ws->fast->port_packed[ws->fast->groups[g].b] = true;
    }
    for (int i = 0; i < ws->system->n_ports; i++)
        if (!ws->fast->port_packed[i])
            ws->fast->loose_ports[ws->fast->n_loose_ports++] = i;
    list_turning(ws);
}

phx_status phx_sys_joint_packs_create(workspace *ws)
{
    phx_context *context = ws->base.context;
    const size_t n_groups = (size_t)ws->fast->n_groups, n_ports = (size_t)ws->system->n_ports;
    int *uses = phx_calloc(context, n_ports, sizeof *uses);
    bool *may = phx_calloc(context, n_groups, sizeof *may);
    phx_status status = PHX_OK;

    ws->fast->joint_packs = phx_calloc(context, n_groups, sizeof *ws->fast->joint_packs);
    ws->fast->joint_pack_of = phx_calloc(context, n_groups, sizeof *ws->fast->joint_pack_of);
    ws->fast->loose_groups = phx_calloc(context, n_groups, sizeof *ws->fast->loose_groups);
    ws->fast->loose_ports = phx_calloc(context, n_ports, sizeof *ws->fast->loose_ports);
    ws->fast->port_packed = phx_calloc(context, n_ports, sizeof *ws->fast->port_packed);
    ws->fast->loose_turning = phx_calloc(context, (size_t)ws->system->n_joints, sizeof *ws->fast->loose_turning);
    if (!uses || !may || !ws->fast->joint_packs || !ws->fast->joint_pack_of || !ws->fast->loose_groups ||
        !ws->fast->loose_ports || !ws->fast->port_packed || !ws->fast->loose_turning)
        status = PHX_ERR_MEMORY;
    if (!status)
        count_uses(ws, uses);
    for (int g = 0; g < ws->fast->n_groups && !status; g++) {
        ws->fast->joint_pack_of[g] = -1;
        may[g] = may_pack(ws, &ws->fast->groups[g], uses);
    }
    for (int g = 0; g < ws->fast->n_groups && !status; g++)
        if (may[g] && ws->fast->joint_pack_of[g] < 0)
            status = gather(ws, g, may);
    if (!status)
        list_loose(ws, false);
    phx_free(uses);
    phx_free(may);
    return status;
}

void phx_sys_joint_packs_free(workspace *ws)
{
    for (int p = 0; p < ws->fast->n_joint_packs; p++) {
        phx_free(ws->fast->joint_packs[p].alpha);
        phx_free(ws->fast->joint_packs[p].side[0].q);
    }
    phx_free(ws->fast->joint_packs);
    phx_free(ws->fast->joint_pack_of);
    phx_free(ws->fast->loose_groups);
    phx_free(ws->fast->loose_ports);
    phx_free(ws->fast->port_packed);
    phx_free(ws->fast->loose_turning);
}

phx_status phx_system_joints_one_by_one(phx_dae *dae, bool one_by_one)
{
    if (!dae)
        return phx_fail_null(NULL, __func__, "dae");
    workspace *ws = (workspace *)dae;

    list_loose(ws, one_by_one);
    ws->fast->start_viewed = ws->fast->end_viewed = false;
    return phx_sys_find_late(ws);
}

void phx_sys_joint_pack_bodies(const workspace *ws, int p, int lane, phx_body_id *bodies)
{
    const joint_pack *pack = &ws->fast->joint_packs[p];

    for (int side = 0; side < 2; side++)
        bodies[side] = lane < pack->count ? ws->system->ports[pack->side[side].port[lane]].body : -1;
}

bool phx_sys_joint_pack_waits(workspace *ws, int p, int lane, int late)
{
    ws->fast->joint_packs[p].late[lane] = (unsigned char)late;
    list_adding(&ws->fast->joint_packs[p]);
    return late != 0;
}

/* ---- what is done with them ---- */
typedef struct joint_loop joint_loop;
typedef void joint_work(const joint_loop *it, const joint_pack *pack);
struct joint_loop {
    const workspace *ws;
    const joint_operations *ops;
    joint_state at;
    double *out; /* residual or values */
    joint_work *work;
};

static phx_status each_pack(void *user, phx_context *context, int part, int first, int end)
{
    const joint_loop *it = user;

    (void)context, (void)part;
    for (int p = first; p < end; p++)
        it->work(it, &it->ws->fast->joint_packs[p]);
    return PHX_OK;
}

/* All packs that are used; then what is late in some of them. */
static void over_packs(const workspace *ws, joint_work *work, const double *lambda, double *out)
{
    if (ws->fast->used_joint_packs == 0)
        return;
    const phx_body_view *view = &ws->view;
    joint_loop loop = {
        .ws = ws,
        .ops = operations(),
        .at = {.h = ws->h, .x0 = view->x0, .x1 = view->x1, .xm = view->xm, .vm = view->vm, .lambda = lambda},
        .out = out,
        .work = work};

    phx_sys_run(ws, ws->fast->used_joint_packs, each_pack, &loop);
    loop.at.late = true;
    for (int i = 0; i < ws->fast->sharing.n_packs && lambda; i++)
        work(&loop, &ws->fast->joint_packs[ws->fast->sharing.packs[i]]);
}

static void find_residual(const joint_loop *it, const joint_pack *pack)
{
    it->ops->residual(it->ws, pack, &it->at, it->out);
}

static void find_rates(const joint_loop *it, const joint_pack *pack)
{
    it->ops->rates(it->ws, pack, &it->at, it->out);
}

static void linearise(const joint_loop *it, const joint_pack *pack)
{
    it->ops->linearise(it->ws, pack, &it->at);
}

static void put(const joint_loop *it, const joint_pack *pack)
{
    it->ops->put(it->ws, pack, &it->at, it->out);
}

void phx_sys_joint_packs_residual(workspace *ws, const double *lambda, double *res)
{
    over_packs(ws, find_residual, lambda, res);
}

void phx_sys_joint_packs_rates(workspace *ws, double *rates)
{
    over_packs(ws, find_rates, NULL, rates);
}

void phx_sys_joint_packs_linearise(workspace *ws, const double *lambda)
{
    over_packs(ws, linearise, lambda, NULL);
}

void phx_sys_joint_packs_put(workspace *ws, double *val)
{
    over_packs(ws, put, NULL, val);
}

static void count_turns(const joint_loop *it, const joint_pack *pack)
{
    const unsigned gone = pack->turns > 0 ? it->ops->gone(pack, it->at.x1) : 0;

    for (int l = 0; l < pack->count && gone >> l; l++)
        if (gone >> l & 1)
            phx_sys_count_anew(it->ws, it->ws->fast->groups[pack->group[l]].joint, it->out);
}

void phx_sys_joint_packs_turns(const workspace *ws, double *x1)
{
    over_packs(ws, count_turns, NULL, x1);
}
