/* The elimination order of the KKT matrix.
 *
 * Bodies come in an order of small fill on their graph (minimum degree), the deformation of a body before its rigid
 * velocities. A multiplier may come only when the rows placed so far, cut to the bodies eliminated so far, have full
 * rank: then every leading block [ M -G^T ; G 0 ] is regular and no zero pivot is met. Rows between eliminated bodies
 * (or to the ground) are complete and, being independent, never lose rank. A joint to a body that comes later is cut to
 * one side; a cluster of eliminated bodies may hold one such joint if nothing holds it to the ground: the rigid motions
 * of the cluster pass its own rows and meet the rows of that one joint with full rank. That one keeps trees and stars
 * without fill: a leaf takes the joint to its parent along.
 *
 * The places of joints that slide have no mass: they come last, behind the multipliers that see them. A wheel with an
 * inertia comes before its multiplier, whose pivot it makes regular whatever else is placed: both follow the bodies.
 * Two wheels without, and their gear, come behind all bodies in the order row, wheel, gear, wheel, row. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

/* From so many bodies on the order may be balanced, for several threads, unless it costs more by this factor. Measured
 * on one thread: chains from both their ends cost the same or less where the joints have few rows, but half as much
 * again in space with five rows a joint, since what hangs on the ground keeps the rows of the next joint. */
enum { BALANCE_BODIES = 16 };
static const double BALANCE_COST = 1.15;
/* Appends the position (row, col) to a growing list without values; duplicates are allowed. */
phx_status phx_sys_put(phx_context *context, phx_sys_triplets *list, int row, int col)
{
    if (list->count == list->capacity) {
        const size_t wider = list->capacity ? 2 * list->capacity : 256;
        int *rows = phx_realloc(context, list->row, wider, sizeof *rows), *cols = NULL;
        if (!rows)
            return PHX_ERR_MEMORY;
        list->row = rows;
        cols = phx_realloc(context, list->col, wider, sizeof *cols);
        if (!cols)
            return PHX_ERR_MEMORY;
        list->col = cols;
        list->capacity = wider;
    }
    list->row[list->count] = row;
    list->col[list->count++] = col;
    return PHX_OK;
}

static phx_status put_both(phx_context *context, phx_sys_triplets *list, int a, int b)
{
    const phx_status status = phx_sys_put(context, list, a, b);
    return status ? status : phx_sys_put(context, list, b, a);
}

/* The bodies of joint p, or of a force when p is beyond the joints; false when one is the ground. */
static bool acts_between(const phx_system *system, int p, phx_body_id *body_a, phx_body_id *body_b)
{
    const phx_port_id a = p < system->n_joints ? system->joints[p].a : system->forces[p - system->n_joints].a;
    const phx_port_id b = p < system->n_joints ? system->joints[p].b : system->forces[p - system->n_joints].b;
    *body_a = a < 0 ? -1 : system->ports[a].body;
    *body_b = b < 0 ? -1 : system->ports[b].body;
    return *body_a >= 0 && *body_b >= 0;
}

/* Bodies are neighbours when a joint or a force acts between them. */
static phx_status body_order(phx_context *context, const phx_system *system, bool balanced, int *order)
{
    phx_sys_triplets list = {0};
    phx_csr graph = {0};
    phx_status status = PHX_OK;

    for (int b = 0; b < system->n_bodies && !status; b++)
        status = phx_sys_put(context, &list, b, b);
    for (int p = 0; p < system->n_joints + system->n_forces && !status; p++) {
        phx_body_id a, b;
        if (acts_between(system, p, &a, &b))
            status = put_both(context, &list, a, b);
    }
    if (!status)
        status = phx_csr_from_triplets(context, system->n_bodies, system->n_bodies, list.count, list.row, list.col,
                                       NULL, &graph);
    if (!status)
        status = phx_order_amd(context, graph.rows, graph.ptr, graph.idx, order);
    if (!status && balanced)
        status = phx_order_balance(context, graph.rows, graph.ptr, graph.idx, NULL, order);
    phx_csr_free(&graph);
    phx_free(list.row);
    phx_free(list.col);
    return status;
}

/* The elimination as it goes. */
typedef struct elimination {
    const pattern_source *of;
    kkt_matrix *kkt;
    const phx_system *system;
    int at;              /* places filled in kkt.order */
    int *order, *rank;   /* of the bodies */
    int *parent;         /* clusters of eliminated bodies: union-find */
    int *ahead;          /* per cluster (at its root): the later body that its one cut joint leads to, or -1 */
    bool *grounded;      /* per cluster */
    int *first, *joints; /* joints of each body */
    bool *placed;        /* per joint */
    int *waiting;        /* joints between eliminated bodies that could not be placed yet */
    int n_waiting;
} elimination;

static void body_pair(const phx_system *system, int j, phx_body_id *a, phx_body_id *b)
{
    *a = system->ports[system->joints[j].a].body;
    *b = system->ports[system->joints[j].b].body;
}

/* Multipliers of joint j that this workspace carries, appended to the order when `order` is given; their number. */
static int joint_rows(const pattern_source *of, const kkt_matrix *kkt, int j, int *order)
{
    const joint_slot *joint = &of->system->joints[j];
    int rows[PHX_JOINT_MAX_ROWS + 3 * PHX_JOINT_MAX_COORDINATES], n_rows = 0, count = 0;

    for (int r = 0; r < joint->n_constraints; r++)
        rows[n_rows++] = joint->first_row + r;
    for (int c = 0; c < joint->n_coordinates; c++) {
        rows[n_rows++] = joint->coordinates[c].driven_row;
        rows[n_rows++] = joint->coordinates[c].held_row;
        rows[n_rows++] = joint->coordinates[c].stick_row;
    }
    for (int i = 0; i < n_rows; i++) {
        const int k = rows[i] < 0 ? -1 : of->rows->multiplier[rows[i]];
        if (k >= 0 && order)
            order[count] = kkt->n_v + k;
        count += k >= 0;
    }
    return count;
}

/* The place of a wheel among the unknowns; `on`: its port. */
static int wheel_unknown(const elimination *e, const port_slot *on)
{
    const body_slot *slot = &e->system->bodies[on->body];
    int v;

    (void)phx_body_places(slot->body, NULL, &v);
    v += slot->v + on->port.wheel - 1;
    return e->kkt->place ? e->kkt->place[v] : v;
}

/* The geared joint is that of a wheel with an inertia. */
static bool turns_a_rotor(const phx_system *system, const joint_slot *joint)
{
    return joint->geared && joint->wheel_of >= 0 && phx_sys_wheel_felt(system, joint) > 0.0;
}

static void place_joint(elimination *e, int j)
{
    if (turns_a_rotor(e->system, &e->system->joints[j]))
        e->kkt->order[e->at++] = wheel_unknown(e, phx_sys_wheel_port(e->system, &e->system->joints[j]));
    e->at += joint_rows(e->of, e->kkt, j, e->kkt->order + e->at);
    e->placed[j] = true;
}

/* Appends the unknowns of body b to the elimination order: its deformations first, in minimum-degree order, then its
 * rigid velocities. Of a condensed body only the kept deformations appear. */
static phx_status place_body(phx_context *context, elimination *e, int b)
{
    const body_slot *slot = &e->system->bodies[b];
    const phx_body *body = phx_body_inside(slot->body);
    const int rigid = e->system->dim + e->system->n_rot, *place = e->kkt->place;
    int *order = e->kkt->order + e->at, count = 0;
    phx_csr K;
    phx_status status = PHX_OK;

    if (phx_sys_is_condensed(e->kkt, b)) {
        for (int k = e->kkt->boundary_first[b]; k < e->kkt->boundary_first[b + 1]; k++)
            order[count++] = slot->v + rigid + e->kkt->boundary[k];
    } else if (phx_body_stiffness(body, &K)) {
        status = phx_order_amd(context, K.rows, K.ptr, K.idx, order);
        for (; count < K.rows && !status; count++)
            order[count] += slot->v + rigid;
    } else if (phx_body_deforms(body)) {
        const int n = phx_body_n_v(body), *ptr, *idx;
        phx_body_pattern(body, &ptr, &idx);
        status = phx_order_amd(context, n, ptr, idx, order);
        for (; count < n && !status; count++)
            order[count] += slot->v;
    }
    for (int i = 0; i < rigid && count < phx_body_n_v(body); i++)
        order[count++] = slot->v + i;
    for (int i = 0; i < count && place; i++)
        order[i] = place[order[i]];
    e->at += count;
    return status;
}

/* One cluster of both; at most one of them has a joint ahead or, then, none is grounded (may_join). */
static void join(elimination *e, int a, int b)
{
    const int ra = phx_sys_root_of(e->parent, a), rb = phx_sys_root_of(e->parent, b);
    if (ra == rb)
        return;
    e->parent[ra] = rb;
    e->grounded[rb] = e->grounded[rb] || e->grounded[ra];
    e->ahead[rb] = e->ahead[ra] >= 0 ? e->ahead[ra] : e->ahead[rb];
}

static bool may_join(elimination *e, int a, int b)
{
    const int ra = phx_sys_root_of(e->parent, a), rb = phx_sys_root_of(e->parent, b);
    const int ahead = (e->ahead[ra] >= 0) + (ra != rb && e->ahead[rb] >= 0);
    return ahead == 0 || (ahead == 1 && !e->grounded[ra] && !e->grounded[rb]);
}

/* Place the waiting joints that have become possible; a placed one may make room for others. */
static void place_waiting(elimination *e)
{
    for (bool again = true; again;) {
        int kept = 0;
        again = false;
        for (int i = 0; i < e->n_waiting; i++) {
            phx_body_id a, b;
            body_pair(e->system, e->waiting[i], &a, &b);
            if (may_join(e, a, b)) {
                place_joint(e, e->waiting[i]);
                join(e, a, b);
            } else {
                e->waiting[kept++] = e->waiting[i];
            }
        }
        e->n_waiting = kept;
    }
}

/* After the velocities of body b: the joints that its elimination completes, then, if its cluster may, one joint ahead,
 * to the body that comes next. */
static void place_joints_of(elimination *e, int b)
{
    int best = -1, best_rank = e->system->n_bodies;

    for (int i = e->first[b]; i < e->first[b + 1]; i++) { /* cut joints that led here are whole now */
        phx_body_id a, c;
        body_pair(e->system, e->joints[i], &a, &c);
        const int other = a == b ? c : a;
        if (other >= 0 && e->placed[e->joints[i]] && e->rank[other] < e->rank[b] &&
            e->ahead[phx_sys_root_of(e->parent, other)] == b) {
            e->ahead[phx_sys_root_of(e->parent, other)] = -1;
            join(e, other, b);
        }
    }
    for (int i = e->first[b]; i < e->first[b + 1]; i++) {
        const int j = e->joints[i];
        phx_body_id a, c;
        body_pair(e->system, j, &a, &c);
        const int other = a == b ? c : a;
        if (e->placed[j])
            continue;
        if (turns_a_rotor(e->system, &e->system->joints[j])) {
            if (other < 0 || e->rank[other] < e->rank[b])
                place_joint(e, j);
        } else if (other < 0) {
            place_joint(e, j);
            e->grounded[phx_sys_root_of(e->parent, b)] = true;
        } else if (e->rank[other] < e->rank[b]) {
            e->waiting[e->n_waiting++] = j;
        } else if (e->rank[other] < best_rank) {
            best = j;
            best_rank = e->rank[other];
        }
    }
    place_waiting(e);
    const int root = phx_sys_root_of(e->parent, b);
    if (best >= 0 && !e->grounded[root] && e->ahead[root] < 0) {
        place_joint(e, best);
        e->ahead[root] = e->order[best_rank];
    }
}

/* Joints that carry multipliers, body by body. */
static void list_joints(elimination *e)
{
    const phx_system *system = e->system;

    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < system->n_joints; j++) {
            phx_body_id pair[2];
            body_pair(system, j, &pair[0], &pair[1]);
            e->placed[j] = joint_rows(e->of, e->kkt, j, NULL) == 0 ||
                           (system->joints[j].geared && !turns_a_rotor(system, &system->joints[j]));
            for (int side = 0; side < 2; side++) {
                if (pair[side] < 0 || e->placed[j])
                    continue;
                if (pass == 0)
                    e->first[pair[side] + 1]++;
                else
                    e->joints[e->first[pair[side]]++] = j;
            }
        }
        for (int b = 0; pass == 0 && b < system->n_bodies; b++)
            e->first[b + 1] += e->first[b];
    }
    memmove(e->first + 1, e->first, (size_t)system->n_bodies * sizeof *e->first);
    e->first[0] = 0;
}

/* ---- along the graph of bodies ---- */
static phx_status order_along(phx_context *context, elimination *e, bool balanced)
{
    phx_status status = body_order(context, e->system, balanced, e->order);
    for (int k = 0; k < e->system->n_bodies && !status; k++) {
        e->rank[e->order[k]] = k;
        e->parent[k] = k;
        e->ahead[k] = -1;
    }
    for (int k = 0; k < e->system->n_bodies && !status; k++) {
        status = place_body(context, e, e->order[k]);
        if (!status)
            place_joints_of(e, e->order[k]);
    }
    return status;
}

/* The row of the wheel without inertia at a port; -1: none. */
static int joint_of_wheel(const phx_system *system, const port_slot *at)
{
    for (int j = 0; j < system->n_joints; j++) {
        const joint_slot *joint = &system->joints[j];
        if (joint->geared && joint->wheel_of >= 0 && phx_sys_wheel_port(system, joint)->body == at->body &&
            phx_sys_wheel_port(system, joint)->port.wheel == at->port.wheel)
            return j;
    }
    return -1;
}

/* The row of a wheel without inertia and its turn, in this order or the other one; once. */
static void place_wheel(elimination *e, int j, bool row_first)
{
    if (j < 0 || e->placed[j])
        return;
    e->placed[j] = true;
    if (row_first)
        e->at += joint_rows(e->of, e->kkt, j, e->kkt->order + e->at);
    e->kkt->order[e->at++] = wheel_unknown(e, phx_sys_wheel_port(e->system, &e->system->joints[j]));
    if (!row_first)
        e->at += joint_rows(e->of, e->kkt, j, e->kkt->order + e->at);
}

/* Row, wheel, gear, wheel, row; then wheels that are on no gear. */
static void place_gears(elimination *e)
{
    const phx_system *system = e->system;

    for (int j = 0; j < system->n_joints; j++)
        if (system->joints[j].geared && !turns_a_rotor(system, &system->joints[j]))
            e->placed[j] = false;
    for (int g = 0; g < system->n_joints; g++) {
        const joint_slot *gear = &system->joints[g];
        if (!gear->geared || gear->wheel_of >= 0)
            continue;
        place_wheel(e, joint_of_wheel(system, &system->ports[gear->a]), true);
        e->at += joint_rows(e->of, e->kkt, g, e->kkt->order + e->at);
        place_wheel(e, joint_of_wheel(system, &system->ports[gear->b]), false);
    }
    for (int j = 0; j < system->n_joints; j++)
        if (system->joints[j].geared && system->joints[j].wheel_of >= 0)
            place_wheel(e, j, true);
}

/* The places along bodies. */
static void place_places(elimination *e)
{
    for (int b = 0; b < e->system->n_bodies; b++) {
        const body_slot *slot = &e->system->bodies[b];
        int v, n = phx_body_places(slot->body, NULL, &v);
        for (int i = 0; i < n; i++)
            if (phx_body_wheel_gear(slot->body, i + 1) == 0.0)
                e->kkt->order[e->at++] = e->kkt->place ? e->kkt->place[slot->v + v + i] : slot->v + v + i;
    }
}

/* Fills kkt->order; balanced: for several threads. */
static phx_status order_unknowns(phx_context *context, const pattern_source *of, bool balanced, kkt_matrix *kkt)
{
    const phx_system *system = of->system;
    const size_t nb = (size_t)system->n_bodies, nj = (size_t)system->n_joints;
    int *integers = phx_calloc(context, 5 * nb + 1 + 3 * nj, sizeof *integers);
    bool *flags = phx_calloc(context, nb + nj, sizeof *flags);
    phx_status status = integers && flags ? PHX_OK : PHX_ERR_MEMORY;
    elimination e = {.of = of, .kkt = kkt, .system = system};

    if (status)
        goto cleanup;
    e.order = integers;
    e.rank = e.order + nb;
    e.parent = e.rank + nb;
    e.ahead = e.parent + nb;
    e.first = e.ahead + nb;
    e.joints = e.first + nb + 1;
    e.waiting = e.joints + 2 * nj;
    e.grounded = flags;
    e.placed = flags + nb;
    list_joints(&e);
    status = order_along(context, &e, balanced);
    if (!status) {
        place_gears(&e);
        place_places(&e);
    }
cleanup:
    phx_free(integers);
    phx_free(flags);
    return status;
}

static phx_status work_of(phx_context *context, const kkt_matrix *kkt, double *work)
{
    return phx_order_work(context, kkt->n, kkt->ptr, kkt->idx, kkt->order, work);
}

/* The elimination order of the KKT matrix; of many bodies the balanced one unless it costs more by BALANCE_COST. */
phx_status phx_sys_order(phx_context *context, const pattern_source *of, kkt_matrix *kkt)
{
    double work = HUGE_VAL, balanced = HUGE_VAL;
    phx_status status = order_unknowns(context, of, false, kkt);

    if (status || of->system->n_bodies < BALANCE_BODIES)
        return status;
    status = work_of(context, kkt, &work);
    if (!status)
        status = order_unknowns(context, of, true, kkt);
    if (!status)
        status = work_of(context, kkt, &balanced);
    return status || balanced < BALANCE_COST * work ? status : order_unknowns(context, of, false, kkt);
}
