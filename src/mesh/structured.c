/* Structured meshes of rectangles and boxes.
 *
 * Every corner and every middle of an edge lies on a lattice of half elements, 2 n + 1 points along an axis of n
 * elements: the middle between two corners is the mean of their indices, whatever the cells are. */
#include "mesh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MOST_PIECES = 6, MOST_CORNERS = 8 };

/* How one brick of 2 x 2 x 2 half elements is parted into cells: the corners of each. */
typedef struct pattern {
    phx_cell_type type;
    int n_cells;
    int corner[MOST_PIECES][MOST_CORNERS][3];
} pattern;

typedef struct lattice {
    phx_context *context;
    int dimension;
    int elements[3]; /* 0 along an axis that does not exist */
    int points[3];   /* 2 elements + 1 */
    bool closed[3];  /* the last points along an axis are the first */
    pattern parted;
    const char *const *names;  /* of edges and corners; NULL: x0, ... */
    int *node;                 /* of each point of the lattice, -1: none */
    int n_sides[6], *sides[6]; /* cells on the boundary: x0, x1, y0, ... */
} lattice;

static const char *const side_names[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};

/* ---- patterns ---- */
/* Six tetrahedra around the diagonal: from corner to corner along the axes in every order. Each meets the next brick in
 * the same diagonals. */
static void part_into_tets(pattern *p)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    p->n_cells = 6;
    for (int t = 0; t < 6; t++) {
        int path[4][3] = {{0}};
        for (int k = 0; k < 3; k++) {
            memcpy(path[k + 1], path[k], sizeof path[k]);
            path[k + 1][order[t][k]] = 2;
        }
        const int swap = t >= 3; /* odd orders are left-handed */
        for (int k = 0; k < 4; k++)
            memcpy(p->corner[t][k], path[swap && (k == 1 || k == 2) ? 3 - k : k], sizeof path[k]);
    }
}

static void structured_add_cell(pattern *p, int n_corners, const int (*corner)[3])
{
    memcpy(p->corner[p->n_cells++], corner, (size_t)n_corners * sizeof *corner);
}

/* Divides a brick of the lattice, two spacings wide, into tetrahedra, wedges or one hexahedron of the given type. */
static pattern solid_pattern(phx_cell_type type)
{
    static const int hex[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                  {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
    static const int wedges[2][6][3] = {{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2}},
                                        {{0, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 2, 2}, {0, 2, 2}}};
    pattern p = {.type = type};
    switch (phx_cell_info_of(type)->corners) {
    case 4:
        part_into_tets(&p);
        break;
    case 6:
        structured_add_cell(&p, 6, wedges[0]);
        structured_add_cell(&p, 6, wedges[1]);
        break;
    default:
        structured_add_cell(&p, 8, hex);
    }
    return p;
}

static pattern surface_pattern(phx_cell_type type, bool crossed)
{
    static const int quad[4][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    static const int halves[2][3][3] = {{{0, 0, 0}, {2, 0, 0}, {2, 2, 0}}, {{0, 0, 0}, {2, 2, 0}, {0, 2, 0}}};
    static const int quarters[4][3][3] = {{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}},
                                          {{2, 0, 0}, {2, 2, 0}, {1, 1, 0}},
                                          {{2, 2, 0}, {0, 2, 0}, {1, 1, 0}},
                                          {{0, 2, 0}, {0, 0, 0}, {1, 1, 0}}};
    pattern p = {.type = type};
    if (phx_cell_info_of(type)->corners == 4)
        structured_add_cell(&p, 4, quad);
    for (int t = 0; t < (crossed ? 4 : 2) && p.type != PHX_CELL_QUAD9; t++)
        structured_add_cell(&p, 3, crossed ? quarters[t] : halves[t]);
    return p;
}

/* ---- the lattice ---- */
static int structured_larger(int a, int b)
{
    return a > b ? a : b;
}

static size_t point_index(const lattice *l, const int point[3])
{
    int p[3];
    for (int axis = 0; axis < 3; axis++)
        p[axis] = l->closed[axis] && point[axis] == l->points[axis] - 1 ? 0 : point[axis];
    return ((size_t)p[2] * (size_t)l->points[1] + (size_t)p[1]) * (size_t)l->points[0] + (size_t)p[0];
}

/* The point in the centre of `count` corners of a cell, those that `which` lists (NULL: the first). */
static void centre_point(int count, const int *which, int (*points)[3], int *centre)
{
    for (int axis = 0; axis < 3; axis++) {
        int sum = 0;
        for (int k = 0; k < count; k++)
            sum += points[which ? which[k] : k][axis];
        centre[axis] = sum / count;
    }
}

/* The points of all nodes of cell `piece` of a brick: corners, middles of edges, centres of sides, its centre. */
static void cell_points(const lattice *l, const int brick[3], int piece, int (*points)[3])
{
    const phx_cell_info *cell = phx_cell_info_of(l->parted.type);
    for (int k = 0; k < cell->corners; k++)
        for (int axis = 0; axis < 3; axis++)
            points[k][axis] = 2 * brick[axis] + l->parted.corner[piece][k][axis];
    for (int k = cell->corners; k < cell->nodes; k++) {
        const int edge = k - cell->corners, side = edge - cell->edges;
        if (side < 0)
            centre_point(2, cell->edge[edge], points, points[k]);
        else if (cell->dimension == 3 && side < cell->sides)
            centre_point(phx_cell_info_of(cell->side_type[side])->corners, cell->side[side], points, points[k]);
        else
            centre_point(cell->corners, NULL, points, points[k]);
    }
}

/* The boundary (0: x0, 1: x1, ...) that a side lies on, -1: none. */
static int boundary_of(const lattice *l, const int *side, int n_nodes, int (*points)[3])
{
    for (int axis = 0; axis < l->dimension; axis++)
        for (int end = 0; end < 2 && !l->closed[axis]; end++) {
            int k = 0;
            while (k < n_nodes && points[side[k]][axis] == end * 2 * l->elements[axis])
                k++;
            if (k == n_nodes)
                return 2 * axis + end;
        }
    return -1;
}

typedef phx_status visit_fn(lattice *l, phx_mesh *mesh, int (*points)[3]);

/* All cells, x fastest. */
static phx_status visit_cells(lattice *l, phx_mesh *mesh, visit_fn *visit)
{
    int points[PHX_CELL_MOST_NODES][3], brick[3];
    phx_status status = PHX_OK;
    for (brick[2] = 0; brick[2] < structured_larger(1, l->elements[2]); brick[2]++)
        for (brick[1] = 0; brick[1] < l->elements[1]; brick[1]++)
            for (brick[0] = 0; brick[0] < l->elements[0]; brick[0]++)
                for (int piece = 0; piece < l->parted.n_cells && !status; piece++) {
                    cell_points(l, brick, piece, points);
                    status = visit(l, mesh, points);
                }
    return status;
}

static phx_status mark_nodes(lattice *l, phx_mesh *mesh, int (*points)[3])
{
    (void)mesh;
    for (int k = 0; k < phx_cell_info_of(l->parted.type)->nodes; k++)
        l->node[point_index(l, points[k])] = 0;
    return PHX_OK;
}

static void append_cell(phx_mesh *mesh, phx_cell_type type)
{
    mesh->type[mesh->n_cells++] = type;
    mesh->first[mesh->n_cells] = mesh->first[mesh->n_cells - 1] + phx_cell_info_of(type)->nodes;
}

static phx_status add_solid(lattice *l, phx_mesh *mesh, int (*points)[3])
{
    append_cell(mesh, l->parted.type);
    for (int k = 0; k < phx_cell_info_of(l->parted.type)->nodes; k++)
        mesh->node[mesh->first[mesh->n_cells - 1] + k] = l->node[point_index(l, points[k])];
    return PHX_OK;
}

/* Appends the sides of a solid or plane cell that lie on the boundary to the mesh and to the list of their boundary. */
static phx_status add_sides(lattice *l, phx_mesh *mesh, int (*points)[3])
{
    const phx_cell_info *cell = phx_cell_info_of(l->parted.type);
    for (int s = 0; s < cell->sides; s++) {
        const int n_nodes = phx_cell_info_of(cell->side_type[s])->nodes;
        const int boundary = boundary_of(l, cell->side[s], n_nodes, points);
        if (boundary < 0)
            continue;
        l->sides[boundary][l->n_sides[boundary]++] = mesh->n_cells;
        append_cell(mesh, cell->side_type[s]);
        for (int k = 0; k < n_nodes; k++)
            mesh->node[mesh->first[mesh->n_cells - 1] + k] = l->node[point_index(l, points[cell->side[s][k]])];
    }
    return PHX_OK;
}

/* ---- memory ---- */
/* Cells on the two boundaries across an axis: at most two triangles or one quadrilateral a brick. */
static size_t most_sides(const lattice *l, int axis)
{
    size_t count = 2;
    for (int other = 0; other < l->dimension; other++)
        if (other != axis)
            count *= (size_t)l->elements[other];
    return count;
}

/* Room for all cells; phx_free gives back what is not used with the mesh. */
static phx_status structured_make_room(lattice *l, phx_mesh *mesh)
{
    const phx_cell_info *cell = phx_cell_info_of(l->parted.type);
    const size_t solids = (size_t)l->parted.n_cells * (size_t)l->elements[0] * (size_t)l->elements[1] *
                          (size_t)structured_larger(1, l->elements[2]);
    size_t n_sides = 0;
    for (int b = 0; b < 2 * l->dimension; b++) {
        l->sides[b] = phx_calloc(l->context, most_sides(l, b / 2), sizeof *l->sides[b]);
        if (!l->sides[b])
            return PHX_ERR_MEMORY;
        n_sides += most_sides(l, b / 2);
    }
    mesh->type = phx_calloc(l->context, solids + n_sides, sizeof *mesh->type);
    mesh->first = phx_calloc(l->context, solids + n_sides + 1, sizeof *mesh->first);
    mesh->node =
        phx_calloc(l->context, solids * (size_t)cell->nodes + PHX_CELL_MOST_SIDE * n_sides, sizeof *mesh->node);
    return mesh->type && mesh->first && mesh->node ? PHX_OK : PHX_ERR_MEMORY;
}

/* Numbers the lattice points that cells use as nodes and allocates their places. */
static phx_status number_nodes(lattice *l, phx_mesh *mesh)
{
    const size_t points = (size_t)l->points[0] * (size_t)l->points[1] * (size_t)l->points[2];
    l->node = phx_calloc(l->context, points, sizeof *l->node);
    if (!l->node)
        return PHX_ERR_MEMORY;
    for (size_t i = 0; i < points; i++)
        l->node[i] = -1;
    const phx_status status = visit_cells(l, mesh, mark_nodes);
    for (size_t i = 0; i < points && !status; i++)
        if (l->node[i] == 0)
            l->node[i] = mesh->n_nodes++;
    mesh->x = phx_calloc(l->context, 3 * (size_t)mesh->n_nodes, sizeof *mesh->x);
    return status ? status : mesh->x ? PHX_OK : PHX_ERR_MEMORY;
}

/* ---- places ---- */
/* size (s)^grading for s = i/n; towards both ends the same from either end to the middle. */
static double graded(int i, int n, double size, double grading, bool both_ends)
{
    if (both_ends && 2 * i > n)
        return size - graded(n - i, n, size, grading, true);
    const double s = (double)i / n;
    return both_ends ? 0.5 * size * pow(2.0 * s, grading) : size * pow(s, grading);
}

/* Of the half elements: a middle stands between its neighbours. */
static double halfway(int point, int n, double size, double grading, bool both_ends)
{
    const double before = graded(point / 2, n, size, grading, both_ends);
    return point % 2 ? 0.5 * (before + graded(point / 2 + 1, n, size, grading, both_ends)) : before;
}

static void place_nodes(const lattice *l, phx_mesh *mesh, const double *size, const double *grading, const bool *both)
{
    int p[3];
    for (p[2] = 0; p[2] < l->points[2]; p[2]++)
        for (p[1] = 0; p[1] < l->points[1]; p[1]++)
            for (p[0] = 0; p[0] < l->points[0]; p[0]++) {
                if ((l->closed[0] && p[0] == l->points[0] - 1) || (l->closed[1] && p[1] == l->points[1] - 1))
                    continue;
                const int node = l->node[point_index(l, p)];
                for (int axis = 0; axis < l->dimension && node >= 0; axis++)
                    mesh->x[3 * (size_t)node + (size_t)axis] = halfway(
                        p[axis], l->elements[axis], size[axis], grading ? grading[axis] : 1.0, both && both[axis]);
            }
}

/* ---- groups ---- */
static phx_status structured_add_all(lattice *l, phx_mesh *mesh)
{
    const int count = phx_mesh_count(mesh, l->dimension); /* they stand first */
    int *items = phx_calloc(l->context, (size_t)count, sizeof *items);
    if (!items)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < count; i++)
        items[i] = i;
    const phx_status status = phx_mesh_add_group(l->context, mesh, "all", l->dimension, count, items);
    phx_free(items);
    return status;
}

static phx_status add_corners(lattice *l, phx_mesh *mesh)
{
    static const char *const names[4] = {"x0y0", "x1y0", "x0y1", "x1y1"};
    phx_status status = PHX_OK;
    for (int k = 0; k < 4 && !status && !l->closed[0] && !l->closed[1]; k++) {
        const int point[3] = {k % 2 ? l->points[0] - 1 : 0, k / 2 ? l->points[1] - 1 : 0, 0};
        status = phx_mesh_add_group(l->context, mesh, l->names ? l->names[4 + k] : names[k], 0, 1,
                                    &l->node[point_index(l, point)]);
    }
    return status;
}

static phx_status structured_add_groups(lattice *l, phx_mesh *mesh)
{
    phx_status status = structured_add_all(l, mesh);
    for (int b = 0; b < 2 * l->dimension && !status; b++)
        if (!l->closed[b / 2])
            status = phx_mesh_add_group(l->context, mesh, l->names ? l->names[b] : side_names[b], l->dimension - 1,
                                        l->n_sides[b], l->sides[b]);
    return status || l->dimension == 3 ? status : add_corners(l, mesh);
}

/* ---- what is asked for ---- */
/* `most_nodes`: of the cells of a brick; more than what its part of the lattice and of the boundary needs. */
static phx_status check_sizes(phx_context *context, const char *what, int dimension, const double *size,
                              const int *elements, int most_nodes)
{
    double entries = most_nodes;
    for (int axis = 0; axis < dimension; axis++) {
        if (!(size[axis] > 0.0) || !isfinite(size[axis]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "%s: size along %c is %g m; it must be above 0", what,
                            "xyz"[axis], size[axis]);
        if (elements[axis] < 1)
            return phx_fail(context, PHX_ERR_ARGUMENT, "%s: %d elements along %c; at least 1 is needed", what,
                            elements[axis], "xyz"[axis]);
        entries *= elements[axis] + 1.0;
    }
    if (entries > INT_MAX)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: more elements than a mesh can have", what);
    return PHX_OK;
}

/* Creates a structured mesh on the lattice: graded nodes, cells, boundary cells and their groups; empty after a
 * failure. */
static phx_status structured_make(lattice *l, const double *size, const double *grading, const bool *both,
                                  phx_mesh *mesh)
{
    for (int axis = 0; axis < 3; axis++)
        l->points[axis] = 2 * l->elements[axis] + 1;
    *mesh = (phx_mesh){0};
    phx_status status = number_nodes(l, mesh);
    if (!status) {
        place_nodes(l, mesh, size, grading, both);
        status = structured_make_room(l, mesh);
    }
    if (!status)
        status = visit_cells(l, mesh, add_solid);
    if (!status)
        status = visit_cells(l, mesh, add_sides);
    if (!status)
        status = structured_add_groups(l, mesh);
    if (status)
        phx_mesh_free(mesh);
    phx_free(l->node);
    for (int b = 0; b < 6; b++)
        phx_free(l->sides[b]);
    return status;
}

/* Meshes a rectangle into triangles or quadrilaterals, with element sizes graded by up to 100 along each side. */
phx_status phx_mesh_rectangle(phx_context *context, const phx_rectangle_mesh *def, phx_mesh *mesh)
{
    if (!def || !mesh)
        return phx_fail_null(context, __func__, "def or mesh");
    const phx_status status = check_sizes(context, "rectangle", 2, def->size, def->elements, 30);
    if (status)
        return status;
    const phx_cell_type type = def->type == PHX_CELL_LINE2 ? PHX_CELL_TRI3 : def->type;
    if (type != PHX_CELL_TRI3 && type != PHX_CELL_TRI6 && type != PHX_CELL_QUAD9)
        return phx_fail(context, PHX_ERR_ARGUMENT, "rectangle: cells of type %s; tri3, tri6 and quad9 are possible",
                        phx_cell_info_of(type) ? phx_cell_info_of(type)->name : "?");
    for (int axis = 0; axis < 2; axis++)
        if (def->closed[axis] && def->elements[axis] < 3)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "rectangle: %d elements along %c, which is closed; at least 3 "
                            "are needed",
                            def->elements[axis], "xy"[axis]);
    double grading[2];
    for (int axis = 0; axis < 2; axis++) {
        grading[axis] = def->grading[axis] == 0.0 ? 1.0 : def->grading[axis];
        if (!(grading[axis] >= 1.0) || grading[axis] > 100.0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "rectangle: grading along %c is %g; 1 to 100 is possible",
                            "xy"[axis], grading[axis]);
    }
    lattice l = {.context = context,
                 .dimension = 2,
                 .elements = {def->elements[0], def->elements[1], 0},
                 .closed = {def->closed[0], def->closed[1]},
                 .names = def->names,
                 .parted = surface_pattern(type, def->crossed)};
    return structured_make(&l, def->size, grading, def->both_ends, mesh);
}

/* Meshes a box into solid cells of the given type and equal size. */
phx_status phx_mesh_box(phx_context *context, const phx_box_mesh *def, phx_mesh *mesh)
{
    if (!def || !mesh)
        return phx_fail_null(context, __func__, "def or mesh");
    const phx_cell_info *cell = phx_cell_info_of(def->type);
    if (!cell || cell->dimension != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "box: cells of type %s; solid ones are needed",
                        cell ? cell->name : "?");
    const phx_status status = check_sizes(context, "box", 3, def->size, def->elements, 70);
    if (status)
        return status;
    lattice l = {.context = context,
                 .dimension = 3,
                 .elements = {def->elements[0], def->elements[1], def->elements[2]},
                 .parted = solid_pattern(def->type)};
    return structured_make(&l, def->size, NULL, NULL, mesh);
}
