/* The joint coordinates of a tree for programs that work with them: in the order of the joints, absolute. */
#include "recursive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node of the tree, by what it is of its joint: displacements come before turns. */
typedef struct place_of_node {
    int joint, turn, number, node;
} place_of_node;

struct phx_tree_space {
    phx_system *system;
    phx_dae *dae;
    phx_equations e;
    tree tree;
    bool by_angles;              /* balls of joints by their three angles, else by quaternions */
    place_of_node *order;        /* nodes that move */
    int n_order, n_q;            /* entries of the user's q */
    double *offset;              /* per node: of its coordinate, where q of the tree is 0 */
    double *x, *v;               /* state at the current instant */
    double *q, *u;               /* in the order of the tree */
    double *res;                 /* e.n */
    double *M, *c, *c1;          /* in the order of the tree */
    double *T, *gamma, *product; /* n_u x n_u: u = T w, w the rates of the user; T' w; room n_u x n_u */
};

/* The ball of a joint with three angles, by these. */
static bool is_by_angles(const phx_tree_space *space, const tree_node *node)
{
    return space->by_angles && node->motion == NODE_BALL && node->joint >= 0;
}

/* Entries of the user's q for a node. */
static int entries_of(const phx_tree_space *space, const tree_node *node)
{
    return is_by_angles(space, node) ? 3 : node->n_q;
}

static int compare_nodes(const void *one, const void *other)
{
    const place_of_node *a = one, *b = other;

    return a->joint != b->joint ? a->joint - b->joint : a->turn != b->turn ? a->turn - b->turn : a->number - b->number;
}

/* Lists the nodes as the coordinates of the user come, and makes drives free. */
static phx_status list_order(phx_context *context, phx_tree_space *space)
{
    tree *of = &space->tree;

    of->n_u = 0;
    for (int i = 0; i < of->n_nodes; i++) {
        tree_node *node = &of->nodes[i];
        node->drive = (node_drive){.row = -1};
        node->u = node->motion == NODE_FIXED ? -1 : of->n_u;
        of->n_u += phx_node_rates(node->motion);
        if (node->motion == NODE_BALL && node->joint >= 0 &&
            space->system->ports[space->system->joints[node->joint].b].body != node->points.to)
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "joint '%s' turns freely and its port B is on the side of the ground; exchange its ports",
                            space->system->joints[node->joint].name);
        if (node->motion != NODE_FIXED)
            space->order[space->n_order++] =
                (place_of_node){.joint = node->joint >= 0 ? node->joint : space->system->n_joints + node->points.to,
                                .turn = node->motion != NODE_SLIDE,
                                .number = node->coordinate >= 0 ? node->coordinate : i,
                                .node = i};
        space->n_q += entries_of(space, node);
    }
    of->driven = false;
    qsort(space->order, (size_t)space->n_order, sizeof *space->order, compare_nodes);
    return PHX_OK;
}

/* Differences between the coordinates of joints and those of the tree, at the start, where the tree counts from. */
static void find_offsets(phx_tree_space *space)
{
    phx_tree_begin(space->system, &space->tree, space->x, space->v, space->q, space->u);
    phx_system_view(space->dae, space->x, space->v);
    for (int i = 0; i < space->tree.n_nodes; i++) {
        const tree_node *node = &space->tree.nodes[i];
        if (node->joint < 0 || node->coordinate < 0)
            continue;
        const phx_coordinate_view at = phx_system_coordinate(space->system, node->joint, node->coordinate);
        const double value =
            at.angle >= 0 ? space->x[at.angle] : phx_row_value(at.row, &space->e.port[at.a], &space->e.port[at.b], 1);
        space->offset[i] = value - space->q[node->q];
    }
}

/* Makes the tree, lists its nodes in the order of the user and finds where their coordinates count from. */
phx_status phx_tree_space_create(phx_context *context, phx_system *system, bool by_angles, const double *x,
                                 const double *v, phx_tree_space **made)
{
    phx_tree_space *space = phx_calloc(context, 1, sizeof *space);
    phx_status status = space ? PHX_OK : PHX_ERR_MEMORY;

    *made = NULL;
    if (!status) {
        space->system = system;
        space->by_angles = by_angles;
        status = phx_system_dae_with(system, context, PHX_BACKEND_PLAIN, &space->dae);
    }
    if (!status)
        status = phx_tree_create(context, system, NULL, false, &space->tree);
    if (!status && space->tree.ball_with_rotor >= 0 && !by_angles)
        status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                          "joint '%s' has rotors at its angles, which a quaternion does not know; take its angles as "
                          "coordinates (angles)",
                          system->joints[space->tree.ball_with_rotor].name);
    if (!status) {
        space->e = phx_system_equations(space->dae);
        space->order = phx_calloc(context, (size_t)space->tree.n_nodes, sizeof *space->order);
        status = space->order ? list_order(context, space) : PHX_ERR_MEMORY;
    }
    if (!status) {
        const size_t n_u = (size_t)space->tree.n_u, n_q = (size_t)space->tree.n_q;
        const phx_array arrays[] = {{&space->offset, (size_t)space->tree.n_nodes},
                                    {&space->x, (size_t)system->n_x},
                                    {&space->v, (size_t)system->n_v},
                                    {&space->q, n_q},
                                    {&space->u, n_u},
                                    {&space->res, (size_t)space->e.n},
                                    {&space->M, n_u * n_u},
                                    {&space->c, n_u},
                                    {&space->c1, n_u},
                                    {&space->T, n_u * n_u},
                                    {&space->gamma, n_u},
                                    {&space->product, n_u * n_u}};
        status = phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
    }
    if (status) {
        phx_tree_space_destroy(space);
        return status;
    }
    memcpy(space->x, x, (size_t)system->n_x * sizeof *x);
    memcpy(space->v, v, (size_t)system->n_v * sizeof *v);
    find_offsets(space);
    *made = space;
    return PHX_OK;
}

void phx_tree_space_destroy(phx_tree_space *space)
{
    if (!space)
        return;
    double *const arrays[] = {space->offset, space->x, space->v,  space->q, space->u,     space->res,
                              space->M,      space->c, space->c1, space->T, space->gamma, space->product};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(space->order);
    phx_tree_free(&space->tree);
    phx_system_dae_destroy(space->dae);
    phx_free(space);
}

int phx_tree_space_coordinates(const phx_tree_space *space)
{
    return space->n_q;
}

int phx_tree_space_rates(const phx_tree_space *space)
{
    return space->tree.n_u;
}

/* The joint, or the body without one, of rate k, and the number of the rate there. */
const char *phx_tree_space_name(const phx_tree_space *space, int k, int *number)
{
    const phx_system *system = space->system;
    const char *name = "";

    *number = 0;
    for (int i = 0, at = 0, of_joint = 0; i < space->n_order; i++) {
        const place_of_node *place = &space->order[i];
        const int n = phx_node_rates(space->tree.nodes[place->node].motion);
        of_joint = i > 0 && space->order[i - 1].joint == place->joint ? of_joint : at;
        if (k >= at && k < at + n) {
            name = place->joint < system->n_joints
                       ? system->joints[place->joint].name
                       : phx_body_name(system->bodies[place->joint - system->n_joints].body);
            *number = k - of_joint;
        }
        at += n;
    }
    return name;
}

/* C = A B, of the transposed matrices where it is said. */
static void times(const double *A, bool transpose_a, const double *B, bool transpose_b, double *C)
{
    phx_dense_multiply(transpose_a, transpose_b, 3, 3, 3, 1.0, A, 3, B, 3, 0.0, C, 3);
}

/* Of a ball at the start: the axes of the body behind it against the directions of port A. */
static void ball_zero(const phx_tree_space *space, const tree_node *node, double *R)
{
    const phx_system *system = space->system;

    if (node->joint < 0)
        memcpy(R, node->start.R0, 9 * sizeof *R);
    else
        times(system->ports[system->joints[node->joint].a].port.rotation, true, node->start.R0, false, R);
}

/* Directions of port B in the axes of its body. */
static const double *directions_b(const phx_tree_space *space, const tree_node *node)
{
    return space->system->ports[space->system->joints[node->joint].b].port.rotation;
}

/* R = Rx(q1) Ry(q2) Rz(q3) from port B's directions to A's, and those of the body; w = S q' is the angular velocity in
 * port B's directions:  S = ((cos q2 cos q3, -cos q2 sin q3, sin q2), (sin q3, cos q3, 0), (0, 0, 1)), by columns. */
static void turn_by_angles(const double q[3], double R[9])
{
    double turns[3][9], product[9];

    for (int k = 0; k < 3; k++) {
        const double c = cos(q[k]), s = sin(q[k]);
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        memset(turns[k], 0, sizeof turns[k]);
        turns[k][4 * k] = 1.0;
        turns[k][4 * i] = turns[k][4 * j] = c;
        turns[k][3 * i + j] = -s;
        turns[k][3 * j + i] = s;
    }
    times(turns[0], false, turns[1], false, product);
    times(product, false, turns[2], false, R);
}

/* S of three angles, in port B's directions, and S' q'. */
static void angle_rates(const double q[3], const double rate[3], double S[9], double gamma[3])
{
    const double c2 = cos(q[1]), s2 = sin(q[1]), c3 = cos(q[2]), s3 = sin(q[2]);
    const double first[9] = {c2 * c3, s3, 0.0, -c2 * s3, c3, 0.0, s2, 0.0, 1.0};

    memcpy(S, first, sizeof first);
    gamma[0] = (-s2 * c3 * rate[1] - c2 * s3 * rate[2]) * rate[0] + c3 * rate[2] * rate[1];
    gamma[1] = (s2 * s3 * rate[1] - c2 * c3 * rate[2]) * rate[0] - s3 * rate[2] * rate[1];
    gamma[2] = c2 * rate[1] * rate[0];
}

/* The quaternion of a ball of the tree from the attitude of the body behind it against port A. */
static void set_ball(const phx_tree_space *space, const tree_node *node, const double R[9])
{
    double zero[9], turned[9];

    ball_zero(space, node, zero);
    times(zero, true, R, false, turned);
    phx_rot_to_quaternion(turned, space->q + node->q);
}

/* From the user's order to that of the tree, with offsets; a quaternion counts from the attitude at the start on. T:
 * which rates of the tree the user's are. */
static void take_coordinates(phx_tree_space *space, const double *q, const double *w)
{
    const int n = space->tree.n_u;

    memset(space->T, 0, (size_t)n * (size_t)n * sizeof *space->T);
    memset(space->gamma, 0, (size_t)n * sizeof *space->gamma);
    for (int i = 0, at = 0; i < space->n_order; i++) {
        const tree_node *node = &space->tree.nodes[space->order[i].node];
        const int rates = phx_node_rates(node->motion);
        double R[9], S[9], gamma[3], turned[9];
        for (int k = 0; k < rates; k++)
            space->T[(node->u + k) * n + at + k] = 1.0;
        if (is_by_angles(space, node)) {
            turn_by_angles(q, turned);
            times(turned, false, directions_b(space, node), true, R);
            set_ball(space, node, R);
            angle_rates(q, w + at, S, gamma);
            times(directions_b(space, node), false, S, false, turned);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    space->T[(node->u + r) * n + at + c] = turned[3 * r + c];
            phx_rot_apply(3, directions_b(space, node), gamma, space->gamma + node->u);
        } else if (node->motion == NODE_BALL) {
            phx_rot_from_quaternion(q, R);
            set_ball(space, node, R);
        } else {
            space->q[node->q] = q[0] - space->offset[space->order[i].node];
        }
        q += entries_of(space, node);
        at += rates;
    }
    for (int i = 0; i < n; i++)
        space->u[i] = phx_dot(n, space->T + i * n, w);
}

/* Angles x-y'-z'' of an attitude. */
static void angles_of(const double R[9], double q[3])
{
    q[0] = atan2(-R[5], R[8]);
    q[1] = atan2(R[2], hypot(R[5], R[8]));
    q[2] = atan2(-R[1], R[0]);
}

/* The inverse of take_coordinates at the last state. */
void phx_tree_space_state(const phx_tree_space *space, double *q, double *w)
{
    for (int i = 0; i < space->n_order; i++) {
        const tree_node *node = &space->tree.nodes[space->order[i].node];
        double R[9], turned[9], zero[9];
        memcpy(w, space->u + node->u, (size_t)phx_node_rates(node->motion) * sizeof *w);
        if (node->motion == NODE_BALL) {
            phx_rot_from_quaternion(space->q + node->q, R);
            ball_zero(space, node, zero);
            times(zero, false, R, false, turned);
            if (!is_by_angles(space, node))
                phx_rot_to_quaternion(turned, q);
        } else {
            q[0] = space->q[node->q] + space->offset[space->order[i].node];
        }
        if (is_by_angles(space, node)) {
            double S[9], gamma[3], own[3];
            times(turned, false, directions_b(space, node), false, R);
            angles_of(R, q);
            angle_rates(q, w, S, gamma);
            phx_rot_apply_transposed(3, directions_b(space, node), w, own);
            memcpy(w, own, sizeof own);
            (void)phx_dense_solve(NULL, 3, S, 1, w);
        }
        q += entries_of(space, node);
        w += phx_node_rates(node->motion);
    }
}

/* Rotors that angles of balls turn. */
static void add_rotors_of_balls(const phx_tree_space *space, double *M)
{
    const phx_system *system = space->system;
    const int n = space->tree.n_u;

    for (int i = 0, at = 0; i < space->n_order; i++) {
        const tree_node *node = &space->tree.nodes[space->order[i].node];
        for (int j = 0; j < system->n_joints && is_by_angles(space, node); j++) {
            const joint_slot *joint = &system->joints[j];
            const int angle = joint->wheel_number - (system->joints[node->joint].n_coordinates - 3);
            if (joint->geared && joint->wheel_of == node->joint && angle >= 0)
                M[(at + angle) * (n + 1)] += phx_sys_wheel_felt(system, joint);
        }
        at += phx_node_rates(node->motion);
    }
}

/* M = T^T M T, c = T^T (c + M T' w) of the coordinates of the tree. */
phx_status phx_tree_space_evaluate(phx_tree_space *space, double t, const double *q, const double *w, double *M,
                                   double *bias, double *effort, double *columns)
{
    const int n = space->tree.n_u;

    take_coordinates(space, q, w);
    phx_tree_move(&space->tree, t, space->q, space->u, true);
    phx_status status = phx_tree_find_forces(space->dae, &space->tree, t, space->x, space->v, space->res);
    phx_tree_joint_space(&space->tree, space->system, NULL, space->M, space->c);
    phx_tree_joint_space(&space->tree, space->system, space->res, NULL, space->c1);
    for (int i = 0; i < n; i++) {
        space->c1[i] = space->c[i] - space->c1[i];
        space->c[i] += phx_dot(n, space->M + i * n, space->gamma);
    }
    phx_dense_multiply(false, false, n, n, n, 1.0, space->M, n, space->T, n, 0.0, space->product, n);
    phx_dense_multiply(true, false, n, n, n, 1.0, space->T, n, space->product, n, 0.0, M, n);
    phx_dense_multiply(true, false, n, 1, n, 1.0, space->T, n, space->c, 1, 0.0, bias, 1);
    phx_dense_multiply(true, false, n, 1, n, 1.0, space->T, n, space->c1, 1, 0.0, effort, 1);
    add_rotors_of_balls(space, M);
    if (!status && columns)
        status = phx_system_outputs(space->dae, t, space->x, space->v, columns);
    return status;
}

/* ---- places ---- */
static bool tree_carries(const tree *of, int node, int body)
{
    int i = of->node_of_body[body];
    while (i >= 0 && i != node)
        i = of->nodes[i].parent;
    return i >= 0;
}

/* Of rate k: its entry of q, and the coordinate of a joint that it is. */
phx_tree_coordinate phx_tree_space_coordinate(const phx_tree_space *space, int body, int k)
{
    phx_tree_coordinate out = {.joint = -1, .coordinate = -1};

    for (int i = 0, at = 0; i < space->n_order && at <= k; i++) {
        const tree_node *node = &space->tree.nodes[space->order[i].node];
        out.joint = node->joint;
        out.coordinate = node->coordinate;
        out.hinge = node->motion == NODE_HINGE;
        out.moves = tree_carries(&space->tree, space->order[i].node, body);
        at += phx_node_rates(node->motion);
        if (at <= k)
            out.q += entries_of(space, node);
    }
    return out;
}

/* Place r = r_b + R x of a point of a body, attitude R of the body, and their rates J u. Of a node with the axis a and
 * the point r_i the column of a hinge is (a x (r - r_i), a), of a slide (a, 0). */
void phx_tree_space_place(phx_tree_space *space, int body, const double *point, const double *q, double *place,
                          double *R, double *J)
{
    const tree *of = &space->tree;
    const int dim = of->dim, end = of->node_of_body[body], n = of->n_u, rows = dim + of->n_rot;
    const node_state *last = &of->state[end];
    double x[3], arm[3], column[6];

    memset(space->c1, 0, (size_t)n * sizeof *space->c1);
    take_coordinates(space, q, space->c1);
    phx_tree_move(&space->tree, 0.0, space->q, space->u, true);
    for (int i = 0; i < dim; i++)
        x[i] = point[i] - of->nodes[end].points.reference[i];
    phx_rot_apply(dim, last->R, x, place);
    for (int i = 0; i < dim; i++)
        place[i] += last->r[i];
    memcpy(R, last->R, (size_t)(dim * dim) * sizeof *R);
    memset(J, 0, (size_t)(rows * n) * sizeof *J);
    for (int i = 0, k = 0; i < space->n_order; i++) {
        const tree_node *node = &of->nodes[space->order[i].node];
        const node_state *s = &of->state[space->order[i].node];
        const bool hinge = node->motion == NODE_HINGE;
        for (int a = 0; a < dim; a++)
            arm[a] = place[a] - s->r[a];
        memset(column, 0, sizeof column);
        memcpy(column + (hinge ? dim : 0), s->axis, (size_t)(hinge ? of->n_rot : dim) * sizeof *column);
        if (hinge)
            phx_rot_x_vec(dim, s->axis, arm, column);
        for (int row = 0; row < rows && node->motion != NODE_BALL && tree_carries(of, space->order[i].node, body);
             row++)
            J[row * n + k] = column[row];
        k += phx_node_rates(node->motion);
    }
}
