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
    place_of_node *order; /* nodes that move */
    int n_order;
    double *offset;     /* per node: of its coordinate, where q of the tree is 0 */
    double *x, *v;      /* state at the current instant */
    double *q, *u;      /* in the order of the tree */
    double *res;        /* e.n */
    double *M, *c, *c1; /* in the order of the tree */
};

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

phx_status phx_tree_space_create(phx_context *context, phx_system *system, const double *x, const double *v,
                                 phx_tree_space **made)
{
    phx_tree_space *space = phx_calloc(context, 1, sizeof *space);
    phx_status status = space ? PHX_OK : PHX_ERR_MEMORY;

    *made = NULL;
    if (!status) {
        space->system = system;
        status = phx_system_dae_with(system, context, PHX_BACKEND_PLAIN, &space->dae);
    }
    if (!status)
        status = phx_tree_create(context, system, NULL, false, &space->tree);
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
                                    {&space->c1, n_u}};
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
    double *const arrays[] = {space->offset, space->x, space->v, space->q, space->u,
                              space->res,    space->M, space->c, space->c1};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(space->order);
    phx_tree_free(&space->tree);
    phx_system_dae_destroy(space->dae);
    phx_free(space);
}

int phx_tree_space_coordinates(const phx_tree_space *space)
{
    return space->tree.n_q;
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

/* C = A B, or A^T B. */
static void times(const double *A, bool transposed, const double *B, double *C)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            C[3 * i + k] = 0.0;
            for (int m = 0; m < 3; m++)
                C[3 * i + k] += (transposed ? A[3 * m + i] : A[3 * i + m]) * B[3 * m + k];
        }
}

/* Of a ball at the start: the axes of the body behind it against the directions of port A. */
static void ball_zero(const phx_tree_space *space, const tree_node *node, double *R)
{
    const phx_system *system = space->system;

    if (node->joint < 0)
        memcpy(R, node->start.R0, 9 * sizeof *R);
    else
        times(system->ports[system->joints[node->joint].a].port.rotation, true, node->start.R0, R);
}

/* From the user's order to that of the tree, with offsets; a quaternion counts from the attitude at the start on.
 * u NULL: at rest. */
static void take_coordinates(phx_tree_space *space, const double *q, const double *u)
{
    for (int i = 0; i < space->n_order; i++) {
        const tree_node *node = &space->tree.nodes[space->order[i].node];
        double R[9], turned[9], zero[9];
        if (node->motion == NODE_BALL) {
            phx_rot_from_quaternion(q, R);
            ball_zero(space, node, zero);
            times(zero, true, R, turned);
            phx_rot_to_quaternion(turned, space->q + node->q);
        } else {
            space->q[node->q] = q[0] - space->offset[space->order[i].node];
        }
        for (int k = 0; k < phx_node_rates(node->motion); k++)
            space->u[node->u + k] = u ? *u++ : 0.0;
        q += node->n_q;
    }
}

void phx_tree_space_state(const phx_tree_space *space, double *q, double *u)
{
    for (int i = 0; i < space->n_order; i++) {
        const tree_node *node = &space->tree.nodes[space->order[i].node];
        double R[9], turned[9], zero[9];
        if (node->motion == NODE_BALL) {
            phx_rot_from_quaternion(space->q + node->q, R);
            ball_zero(space, node, zero);
            times(zero, false, R, turned);
            phx_rot_to_quaternion(turned, q);
        } else {
            q[0] = space->q[node->q] + space->offset[space->order[i].node];
        }
        memcpy(u, space->u + node->u, (size_t)phx_node_rates(node->motion) * sizeof *u);
        q += node->n_q;
        u += phx_node_rates(node->motion);
    }
}

/* Where rate k of the user is in the tree. */
static void list_rates(const phx_tree_space *space, int *at)
{
    for (int i = 0, n = 0; i < space->n_order; i++) {
        const tree_node *node = &space->tree.nodes[space->order[i].node];
        for (int k = 0; k < phx_node_rates(node->motion); k++)
            at[n++] = node->u + k;
    }
}

phx_status phx_tree_space_evaluate(phx_context *context, phx_tree_space *space, double t, const double *q,
                                   const double *u, double *M, double *bias, double *effort, double *columns)
{
    const int n = space->tree.n_u;
    int *at = phx_calloc(context, (size_t)n, sizeof *at);

    if (!at)
        return PHX_ERR_MEMORY;
    list_rates(space, at);
    take_coordinates(space, q, u);
    phx_tree_move(&space->tree, t, space->q, space->u, true);
    phx_status status = phx_tree_find_forces(space->dae, &space->tree, t, space->x, space->v, space->res);
    phx_tree_joint_space(&space->tree, space->system, NULL, space->M, space->c);
    phx_tree_joint_space(&space->tree, space->system, space->res, NULL, space->c1);
    for (int i = 0; i < n; i++) {
        bias[i] = space->c[at[i]];
        effort[i] = space->c[at[i]] - space->c1[at[i]];
        for (int k = 0; k < n; k++)
            M[i * n + k] = space->M[at[i] * n + at[k]];
    }
    if (!status && columns)
        status = phx_system_outputs(space->dae, t, space->x, space->v, columns);
    phx_free(at);
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
            out.q += node->n_q;
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

    take_coordinates(space, q, NULL);
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
