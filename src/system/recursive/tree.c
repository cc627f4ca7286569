/* From bodies and joints to the nodes of a tree. */
#include "recursive.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 5 }; /* of a joint */

/* The motions that a joint leaves free, by what its constraints hold: places by POINT and NORMAL rows, turns by DOT
 * rows, of which one keeps two axes across each other, two an axis on another. */
typedef enum turns { NO_TURN, ONE_AXIS, TWO_AXES, ALL_TURNS } turns;
typedef struct freedom {
    bool known; /* all its rows are such */
    int slides;
    turns turns;
} freedom;

static freedom freedom_of(int dim, const joint_slot *joint)
{
    freedom out = {.known = !phx_joint_kind_info(joint->kind)->slides, .slides = dim};
    int held = 0;

    for (int k = 0; k < joint->n_constraints; k++) {
        const phx_row_kind kind = joint->constraints[k].kind;
        out.slides -= kind == PHX_ROW_POINT || kind == PHX_ROW_NORMAL;
        held += kind == PHX_ROW_DOT;
        out.known = out.known && (kind == PHX_ROW_POINT || kind == PHX_ROW_NORMAL || kind == PHX_ROW_DOT);
    }
    out.turns = held == 0 ? ALL_TURNS : held == phx_rotations(dim) ? NO_TURN : held == 1 ? TWO_AXES : ONE_AXIS;
    return out;
}

/* ---- what is refused ---- */
static phx_status tree_refuse(phx_context *context, const char *noun, const char *name, const char *why)
{
    return phx_fail(context, PHX_ERR_UNSUPPORTED,
                    "only rigid bodies whose joints form a tree have joint coordinates: %s '%s' %s; in place of dop853 "
                    "use midpoint, which takes any mechanism, or for high accuracy gauss6 or radau5",
                    noun, name, why);
}

static phx_status check_bodies(phx_context *context, const phx_system *system)
{
    for (int b = 0; b < system->n_bodies; b++) {
        const phx_body *body = system->bodies[b].body;
        if (!phx_body_floats(body) ||
            phx_body_n_v(body) - phx_body_places(body, NULL, NULL) != system->dim + system->n_rot)
            return tree_refuse(context, phx_body_kind(body), phx_body_name(body), "deforms");
    }
    return PHX_OK;
}

static phx_status check_coordinate(phx_context *context, const joint_slot *joint, const coordinate_slot *coordinate)
{
    if (coordinate->along.dry)
        return tree_refuse(context, "joint", joint->name, "has friction that sticks");
    if (coordinate->def.friction_arm != 0.0)
        return tree_refuse(context, "joint", joint->name, "has friction by its reactions");
    if (coordinate->def.speed && coordinate->row.angular && coordinate->row.kind != PHX_ROW_ANGLE &&
        freedom_of(3, joint).turns == ALL_TURNS)
        return tree_refuse(context, "joint", joint->name, "drives one of three angles");
    return PHX_OK;
}

/* Fails for joints that the recursion does not know: contacts, joints switched by events, rows other than points and
 * directions; where it moves, for friction and drives too. */
static phx_status check_joints(phx_context *context, const phx_system *system, bool moves)
{
    phx_status status = PHX_OK;

    for (int j = 0; j < system->n_joints && !status; j++) {
        const joint_slot *joint = &system->joints[j];
        if ((joint->contact && !moves) || (joint->geared && (joint->wheel_of >= 0 || !moves)))
            continue;
        if (joint->geared)
            status = tree_refuse(context, "coupling", joint->name, "holds two joints to each other");
        else if (joint->contact)
            status = tree_refuse(context, "contact", joint->name, "opens and closes");
        else if (joint->def.inactive)
            status = tree_refuse(context, "joint", joint->name, "is switched by an event");
        else if (!freedom_of(system->dim, joint).known)
            status = tree_refuse(context, "joint", joint->name, "holds more than points and directions");
        for (int c = 0; c < joint->n_coordinates && moves && !status; c++)
            status = check_coordinate(context, joint, &joint->coordinates[c]);
    }
    return status;
}

static phx_status check_forces(phx_context *context, const phx_system *system)
{
    if (system->ledger.n_events > 0)
        return tree_refuse(context, "event", system->ledger.events[0], "interrupts the motion");
    if (system->control.n > 0)
        return tree_refuse(context, "controller", system->control.slot[0].name, "acts over intervals");
    for (int i = 0; i < system->n_forces; i++)
        if (system->forces[i].kind == FORCE_CONTACT)
            return tree_refuse(context, "contact", system->forces[i].name, "begins and ends");
    return PHX_OK;
}

/* ---- the nodes of a joint ---- */
/* Between the bodies `from`, which has nodes, and `to`, by its ports or as a motion against the ground. */
typedef struct link {
    int joint; /* -1: `to` is free */
    int from, to;
    bool forward; /* A is at `from` */
    double at_from[3], at_to[3];
} link;

typedef struct maker {
    phx_context *context;
    const phx_system *system;
    const phx_dae *dae; /* whose multipliers the drives have; NULL: none is asked for */
    tree *made;
    int capacity;
    int *head, *next; /* per body, the ground last; per side of a joint: sides of joints at the body */
    int *queue;       /* bodies whose joints are to be followed */
    bool *known, *used;
} maker;

static void cross(int dim, const double *a, const double *b, double *c)
{
    c[0] = c[1] = c[2] = 0.0;
    if (dim == 3)
        phx_vec_x_vec(3, a, b, c);
}

static void set_axis(const double *from, double sign, double *axis)
{
    const double length = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
    for (int i = 0; i < 3; i++)
        axis[i] = length > 0.0 ? sign * from[i] / length : 0.0;
}

/* Node of the tree for one elementary motion of a joint, without body, parent or drive yet. */
static tree_node new_node(const link *l, node_motion motion, int coordinate)
{
    tree_node node = {.motion = motion,
                      .parent = -1,
                      .body = -1,
                      .joint = l->joint,
                      .coordinate = coordinate,
                      .angle = -1,
                      .points.from = l->from,
                      .points.to = l->to,
                      .u = -1,
                      .drive.row = -1};
    memcpy(node.points.at_from, l->at_from, sizeof node.points.at_from);
    memcpy(node.points.at_to, l->at_to, sizeof node.points.at_to);
    return node;
}

/* Slides along directions of A; B moves relative to A, so that the sign is the other one where A is the child. */
static int list_slides(const maker *m, const link *l, tree_node *nodes)
{
    const phx_system *system = m->system;
    const joint_slot *joint = l->joint < 0 ? NULL : &system->joints[l->joint];
    const int free = joint ? freedom_of(system->dim, joint).slides : system->dim;
    int n = 0;

    for (int c = 0; joint && c < joint->n_coordinates; c++) {
        const phx_row *row = &joint->coordinates[c].row;
        if (row->kind != PHX_ROW_DISPLACEMENT)
            continue;
        nodes[n] = new_node(l, NODE_SLIDE, c);
        set_axis(row->alpha, l->forward ? 1.0 : -1.0, nodes[n++].axes.given);
    }
    for (int k = 0; n < free; k++) { /* no coordinates: all directions are free */
        nodes[n] = new_node(l, NODE_SLIDE, -1);
        nodes[n++].axes.given[k] = l->forward ? 1.0 : -1.0;
    }
    for (int k = 0; k < n; k++)
        nodes[k].axes.side = l->forward ? SIDE_PARENT : SIDE_CHILD;
    return n;
}

/* The coordinate that is the turn number k of a joint; -1: it has no name. */
static int turn_coordinate(const joint_slot *joint, int k)
{
    for (int c = 0; joint && c < joint->n_coordinates; c++)
        if ((joint->coordinates[c].row.kind == PHX_ROW_TURN || joint->coordinates[c].row.kind == PHX_ROW_ANGLE) &&
            k-- == 0)
            return c;
    return -1;
}

/* TURN rows are about alpha x alpha2 in A, beta x beta2 in B; of two the first is about a line of A, the second about
 * one of B. */
static int list_turns(const maker *m, const link *l, tree_node *nodes)
{
    const phx_system *system = m->system;
    const joint_slot *joint = l->joint < 0 ? NULL : &system->joints[l->joint];
    const turns kind = joint ? freedom_of(system->dim, joint).turns : ALL_TURNS;
    const double sign = l->forward ? 1.0 : -1.0;
    double axis[2][3];

    if (kind == NO_TURN)
        return 0;
    if (system->dim == 2) {
        nodes[0] = new_node(l, NODE_HINGE, turn_coordinate(joint, 0));
        nodes[0].axes.given[0] = sign;
        return 1;
    }
    if (kind == ALL_TURNS) {
        nodes[0] = new_node(l, NODE_BALL, -1);
        return 1;
    }
    for (int k = 0; k < (kind == TWO_AXES ? 2 : 1); k++) {
        nodes[k] = new_node(l, NODE_HINGE, turn_coordinate(joint, k));
        const phx_row *row = &joint->coordinates[nodes[k].coordinate].row;
        cross(3, row->alpha, row->alpha2, axis[0]);
        cross(3, row->beta, row->beta2, axis[1]);
        nodes[k].axes.side = (k == 1) == l->forward ? SIDE_CHILD : SIDE_PARENT;
        set_axis(axis[k], sign, nodes[k].axes.given);
    }
    if (kind == ONE_AXIS) {
        nodes[0].axes.side = SIDE_CHILD;
        nodes[0].axes.matched = true;
        set_axis(axis[l->forward ? 1 : 0], sign, nodes[0].axes.given);
        set_axis(axis[l->forward ? 0 : 1], sign, nodes[0].axes.matching);
    }
    return kind == TWO_AXES ? 2 : 1;
}

/* In the order from the parent to the child. */
static int list_nodes(const maker *m, const link *l, tree_node *nodes)
{
    tree_node slide[3], turn[2];
    const int n_slides = list_slides(m, l, slide), n_turns = list_turns(m, l, turn);
    int n = 0;

    for (int k = 0; k < n_slides && l->forward; k++)
        nodes[n++] = slide[k];
    for (int k = 0; k < n_turns; k++)
        nodes[n++] = turn[l->forward ? k : n_turns - 1 - k];
    for (int k = 0; k < n_slides && !l->forward; k++)
        nodes[n++] = slide[k];
    if (n == 0)
        nodes[n++] = new_node(l, NODE_FIXED, -1);
    return n;
}

/* Mass properties about the node's point: the inertia by way of the centre of mass,
 *     J_c = J_0 - m (s.s I - s s^T),   J = J_c + m (c.c I - c c^T),   s, c: to it from the frame, from the point. */
static void set_mass(int dim, const phx_mass_properties *rest, tree_node *node)
{
    static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double s[3] = {0.0}, *c = node->rigid.centre, ss = 0.0, cc = 0.0;

    node->rigid.mass = rest->mass;
    for (int i = 0; i < dim; i++) {
        s[i] = rest->mass > 0.0 ? rest->s0[i] / rest->mass : 0.0;
        c[i] = s[i] - node->points.reference[i];
        ss += s[i] * s[i];
        cc += c[i] * c[i];
    }
    if (dim == 2) {
        node->rigid.inertia[0] = rest->J0[0] + rest->mass * (cc - ss);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            node->rigid.inertia[3 * i + k] =
                rest->J0[at[i][k]] + rest->mass * ((i == k ? cc - ss : 0.0) - c[i] * c[k] + s[i] * s[k]);
}

/* The multiplier of the row that drives a node's coordinate; -1: it has none. */
static int multiplier_of(const phx_dae *dae, const tree_node *node)
{
    for (int k = 0; dae && k < dae->n_l; k++) {
        const phx_row_view row = phx_system_row(dae, k);
        if (row.driven && row.joint == node->joint && row.coordinate == node->coordinate)
            return k;
    }
    return -1;
}

static void set_coordinate(const maker *m, tree_node *node)
{
    const joint_slot *joint = node->joint < 0 ? NULL : &m->system->joints[node->joint];

    if (!joint || node->coordinate < 0)
        return;
    const coordinate_slot *coordinate = &joint->coordinates[node->coordinate];
    node->angle = coordinate->angle;
    if (coordinate->driven_row < 0)
        return;
    node->drive.speed = coordinate->def.speed;
    node->drive.row = multiplier_of(m->dae, node);
    m->made->driven = true;
}

static void number(tree *made, tree_node *node)
{
    node->n_q = node->motion == NODE_BALL ? 4 : phx_node_rates(node->motion);
    node->q = made->n_q;
    made->n_q += node->n_q;
    if (node->drive.speed || node->motion == NODE_FIXED)
        return;
    node->u = made->n_u;
    made->n_u += phx_node_rates(node->motion);
}

static bool has_unwrapped_angles(const joint_slot *joint)
{
    bool counted = false;
    for (int c = 0; joint && c < joint->n_coordinates; c++)
        counted = counted || joint->coordinates[c].angle >= 0;
    return counted;
}

static phx_status reserve(maker *m, int n)
{
    tree *made = m->made;

    if (made->n_nodes + n <= m->capacity)
        return PHX_OK;
    const int capacity = 2 * m->capacity + n;
    tree_node *nodes = phx_realloc(m->context, made->nodes, (size_t)capacity, sizeof *nodes);
    if (!nodes)
        return PHX_ERR_MEMORY;
    made->nodes = nodes;
    m->capacity = capacity;
    return PHX_OK;
}

/* Appends the nodes of a link to the tree: a joint with several coordinates is a chain of nodes, and the last one
 * carries the child body. One of them changes from the parent's axes to those of the child (`turns_over`): the last
 * where the link runs from port A to port B, the first where it runs from B to A. */
static phx_status add_link(maker *m, const link *l)
{
    const phx_system *system = m->system;
    tree *made = m->made;
    tree_node nodes[MOST_NODES];
    const int n = list_nodes(m, l, nodes), turns_over = l->forward ? n - 1 : 0;
    int parent = l->from < 0 ? -1 : made->node_of_body[l->from];
    const phx_status status = reserve(m, n);

    if (status)
        return status;
    for (int k = 0; k < n; k++) {
        tree_node *node = &made->nodes[made->n_nodes];
        *node = nodes[k];
        node->axes.turns_over = k == turns_over;
        node->parent = parent;
        for (int i = 0; i < system->dim && k == 0; i++)
            node->points.at_parent[i] = l->at_from[i] - (parent < 0 ? 0.0 : made->nodes[parent].points.reference[i]);
        set_coordinate(m, node);
        number(made, node);
        made->unwrapped_balls +=
            node->motion == NODE_BALL && node->joint >= 0 && has_unwrapped_angles(&system->joints[node->joint]);
        parent = made->n_nodes++;
    }
    tree_node *last = &made->nodes[parent];
    last->body = l->to;
    memcpy(last->points.reference, l->at_to, sizeof last->points.reference);
    set_mass(system->dim, phx_body_at_rest(system->bodies[l->to].body), last);
    made->node_of_body[l->to] = parent;
    return PHX_OK;
}

/* ---- the tree ---- */
static phx_status follow_joint(maker *m, int j, int from, int *n_queue)
{
    const phx_system *system = m->system;
    const joint_slot *joint = &system->joints[j];
    const port_slot *a = &system->ports[joint->a], *b = &system->ports[joint->b];
    const bool forward = a->body == from;
    const port_slot *near = forward ? a : b, *far = forward ? b : a;
    link l = {.joint = j, .from = from, .to = far->body, .forward = forward};

    if (m->used[j] || joint->contact || joint->geared)
        return PHX_OK;
    m->used[j] = true;
    if (far->body == PHX_GROUND || m->known[far->body])
        return tree_refuse(m->context, "joint", joint->name, "closes a loop");
    memcpy(l.at_from, near->port.point.x, (size_t)system->dim * sizeof(double));
    memcpy(l.at_to, far->port.point.x, (size_t)system->dim * sizeof(double));
    m->known[far->body] = true;
    m->queue[(*n_queue)++] = far->body;
    return add_link(m, &l);
}

/* All that hangs on a body, the ground too. */
static phx_status tree_follow(maker *m, int body)
{
    const phx_system *system = m->system;
    int n_queue = 0;
    phx_status status = PHX_OK;

    m->queue[n_queue++] = body;
    for (int at = 0; at < n_queue && !status; at++) {
        const int from = m->queue[at], place = from == PHX_GROUND ? system->n_bodies : from;
        for (int side = m->head[place]; side >= 0 && !status; side = m->next[side])
            status = follow_joint(m, side / 2, from, &n_queue);
    }
    return status;
}

/* A body that hangs on nothing: its centre of mass moves freely, and it turns about it. */
static phx_status add_free(maker *m, int b)
{
    const phx_system *system = m->system;
    const phx_mass_properties *rest = phx_body_at_rest(system->bodies[b].body);
    link l = {.joint = -1, .from = PHX_GROUND, .to = b, .forward = true};

    for (int i = 0; i < system->dim; i++)
        l.at_to[i] = rest->mass > 0.0 ? rest->s0[i] / rest->mass : 0.0;
    m->known[b] = true;
    return add_link(m, &l);
}

static void list_sides(maker *m)
{
    const phx_system *system = m->system;

    for (int b = 0; b <= system->n_bodies; b++)
        m->head[b] = -1;
    for (int side = 2 * system->n_joints - 1; side >= 0; side--) {
        const joint_slot *joint = &system->joints[side / 2];
        const int body = system->ports[side % 2 ? joint->b : joint->a].body;
        const int place = body == PHX_GROUND ? system->n_bodies : body;
        m->next[side] = m->head[place];
        m->head[place] = side;
    }
}

/* Builds the nodes from the ground outwards in breadth-first order; a body that no joint connects to it becomes the
 * root of a free tree. */
static phx_status make_nodes(maker *m)
{
    const phx_system *system = m->system;
    const size_t n = (size_t)system->n_bodies, n_joints = (size_t)system->n_joints;

    m->head = phx_calloc(m->context, n + 1, sizeof *m->head);
    m->next = phx_calloc(m->context, 2 * n_joints, sizeof *m->next);
    m->queue = phx_calloc(m->context, n + 1, sizeof *m->queue);
    m->known = phx_calloc(m->context, n, sizeof *m->known);
    m->used = phx_calloc(m->context, n_joints, sizeof *m->used);
    if (!m->head || !m->next || !m->queue || !m->known || !m->used)
        return PHX_ERR_MEMORY;
    list_sides(m);
    phx_status status = tree_follow(m, PHX_GROUND);
    for (int b = 0; b < system->n_bodies && !status; b++)
        if (!m->known[b]) {
            status = add_free(m, b);
            if (!status)
                status = tree_follow(m, b);
        }
    return status;
}

/* The wheels that coordinates turn; one of three angles is no coordinate of a tree. */
static phx_status list_wheels(phx_context *context, const phx_system *system, bool moves, tree *made)
{
    made->ball_with_rotor = -1;
    made->wheels = phx_calloc(context, (size_t)system->n_joints, sizeof *made->wheels);
    if (!made->wheels)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < system->n_joints; j++) {
        const joint_slot *joint = &system->joints[j];
        int node = 0, x, v;
        while (joint->geared && node < made->n_nodes &&
               (made->nodes[node].joint != joint->wheel_of || made->nodes[node].coordinate != joint->wheel_number))
            node++;
        if (!joint->geared || joint->wheel_of < 0)
            continue;
        if (node == made->n_nodes) {
            made->ball_with_rotor = phx_sys_wheel_felt(system, joint) > 0.0 ? joint->wheel_of : made->ball_with_rotor;
            if (moves)
                return tree_refuse(context, "joint", system->joints[joint->wheel_of].name,
                                   "turns a rotor by one of three angles");
            continue;
        }
        const phx_row *row = &joint->constraints[0];
        const port_slot *on = phx_sys_wheel_port(system, joint);
        const body_slot *slot = &system->bodies[on->body];
        (void)phx_body_places(slot->body, &x, &v);
        made->nodes[node].rotor += phx_sys_wheel_felt(system, joint);
        made->wheels[made->n_wheels++] = (tree_wheel){.node = node,
                                                      .x = slot->x + x + on->port.wheel - 1,
                                                      .v = slot->v + v + on->port.wheel - 1,
                                                      .gear = row->gear};
    }
    return PHX_OK;
}

/* Creates the tree of a system of rigid bodies; *made is to be freed also after an error. Closed loops and unknown
 * joints are errors; where the tree is to move, so are forces that interrupt the motion. */
phx_status phx_tree_create(phx_context *context, const phx_system *system, const phx_dae *dae, bool moves, tree *made)
{
    maker m = {.context = context, .system = system, .dae = dae, .made = made};
    phx_status status = check_bodies(context, system);

    *made = (tree){.dim = system->dim, .n_rot = system->n_rot};
    memcpy(made->gravity, system->gravity, sizeof made->gravity);
    if (!status)
        status = check_joints(context, system, moves);
    if (!status && moves)
        status = check_forces(context, system);
    if (status)
        return status;
    made->node_of_body = phx_calloc(context, (size_t)system->n_bodies, sizeof *made->node_of_body);
    status = made->node_of_body ? make_nodes(&m) : PHX_ERR_MEMORY;
    phx_free(m.head);
    phx_free(m.next);
    phx_free(m.queue);
    phx_free(m.known);
    phx_free(m.used);
    if (!status)
        status = list_wheels(context, system, moves, made);
    if (!status && !(made->state = phx_calloc(context, (size_t)made->n_nodes, sizeof *made->state)))
        status = PHX_ERR_MEMORY;
    return status;
}

void phx_tree_free(tree *made)
{
    phx_free(made->nodes);
    phx_free(made->state);
    phx_free(made->wheels);
    phx_free(made->node_of_body);
    *made = (tree){0};
}

phx_status phx_system_check_tree(const phx_system *system, bool moves)
{
    tree made;
    const phx_status status = phx_tree_create(system->context, system, NULL, moves, &made);

    phx_tree_free(&made);
    return status;
}
