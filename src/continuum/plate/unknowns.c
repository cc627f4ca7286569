/* Nodes and unknowns of a plate, and its rigid motions. */
#include "plate.h"

#include <math.h>
#include <string.h>

/* ---- nodes: those of the mesh, then order on each edge from its first end to its second, then the interiors ---- */
static int count_nodes(const phx_plate *plate)
{
    return plate->n_corners + plate->order * plate->n_edges + (plate->order == 2 ? plate->n_triangles : 0);
}

/* Nodes of triangle t in the order of its shape functions: corners, edges from their start, middle; returns their
 * number. */
int phx_plate_nodes(const phx_plate *plate, int t, int node[PHX_TRIANGLE_NODES])
{
    const int *corner = plate->corner + 3 * t, k = plate->order;
    int count = 0;

    for (int c = 0; c < 3; c++)
        node[count++] = corner[c];
    for (int e = 0; e < 3; e++) {
        const int first = plate->n_corners + k * plate->edge[3 * t + e];
        for (int m = 0; m < k; m++)
            node[count++] = first + (corner[e] < corner[(e + 1) % 3] ? m : k - 1 - m);
    }
    if (k == 2)
        node[count++] = plate->n_corners + k * plate->n_edges + t;
    return count;
}

/* Places of all nodes, those on edges and inside by linear interpolation of the corners. */
static void place_nodes(const phx_mesh *mesh, const phx_plate *plate, double *x)
{
    double lambda[PHX_TRIANGLE_NODES][3];
    const int count = phx_triangle_nodes(plate->order + 1, lambda);
    int node[PHX_TRIANGLE_NODES];

    memcpy(x, mesh->x, 3 * (size_t)mesh->n_nodes * sizeof *x);
    for (int t = 0; t < plate->n_triangles; t++) {
        phx_plate_nodes(plate, t, node);
        for (int j = 3; j < count; j++)
            for (int i = 0; i < 3; i++) {
                x[3 * node[j] + i] = 0.0;
                for (int c = 0; c < 3; c++)
                    x[3 * node[j] + i] += lambda[j][c] * mesh->x[3 * plate->corner[3 * t + c] + i];
            }
    }
}

/* Labels behind those of the mesh go on from its largest. */
static phx_status label_nodes(phx_context *context, const phx_mesh *mesh, phx_elastic_model *model)
{
    int last = 0;

    if (!mesh->label)
        return PHX_OK;
    model->label = phx_calloc(context, (size_t)model->n_nodes, sizeof *model->label);
    if (!model->label)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < model->n_nodes; i++) {
        model->label[i] = i < mesh->n_nodes ? mesh->label[i] : last + 1;
        last = model->label[i] > last ? model->label[i] : last;
    }
    return PHX_OK;
}

/* ---- unknowns: ux uy uz of each node that a triangle has, rotations of edges and triangles, slopes of edges ---- */
static phx_status number_unknowns(phx_context *context, phx_plate *plate, phx_elastic_model *model)
{
    const int per_edge = plate->order + 1, edge_unknowns = per_edge * plate->n_edges;
    int node[PHX_TRIANGLE_NODES];

    plate->deflection = phx_calloc(context, (size_t)model->n_nodes, sizeof *plate->deflection);
    if (!plate->deflection)
        return PHX_ERR_MEMORY;
    for (int t = 0; t < plate->n_triangles; t++) {
        const int count = phx_plate_nodes(plate, t, node);
        for (int j = 0; j < count; j++)
            plate->deflection[node[j]] = 1;
    }
    for (int i = 0; i < model->n_nodes; i++) {
        model->n += plate->deflection[i] ? 3 : 0;
        plate->deflection[i] = plate->deflection[i] ? model->n - 1 : -1;
    }
    plate->first_rotation = model->n;
    if (plate->theory == PHX_PLATE_MINDLIN)
        model->n += edge_unknowns + (plate->order == 2 ? 3 * plate->n_triangles : 0);
    plate->first_slope = model->n;
    model->n += edge_unknowns;

    model->node = phx_calloc(context, (size_t)model->n, sizeof *model->node);
    model->component = phx_calloc(context, (size_t)model->n, sizeof *model->component);
    if (!model->node || !model->component)
        return PHX_ERR_MEMORY;
    for (int u = plate->first_rotation; u < model->n; u++) {
        model->node[u] = -1;
        model->component[u] = PHX_UNKNOWN_OTHER;
    }
    for (int i = 0; i < model->n_nodes; i++)
        for (int c = 0; c < 3 && plate->deflection[i] >= 0; c++) {
            const int u = plate->deflection[i] - 2 + c;
            model->node[u] = i;
            model->component[u] = PHX_UNKNOWN_UX + c;
        }
    return PHX_OK;
}

/* Unknowns of the bending of a triangle: w, theta, alpha; of its membrane: ux and uy of each node. */
static int *put_bending(const phx_plate *plate, int t, int *unknown)
{
    const int per_edge = plate->order + 1;
    int node[PHX_TRIANGLE_NODES];
    const int count = phx_plate_nodes(plate, t, node), *edge = plate->edge + 3 * t;

    for (int j = 0; j < count; j++)
        *unknown++ = plate->deflection[node[j]];
    if (plate->theory == PHX_PLATE_MINDLIN) {
        for (int j = 0; j < 3 * per_edge; j++)
            *unknown++ = plate->first_rotation + per_edge * edge[j / per_edge] + j % per_edge;
        for (int j = 0; j < plate->tables.n_slopes - 3 * per_edge; j++)
            *unknown++ = plate->first_rotation + per_edge * plate->n_edges + 3 * t + j;
    }
    for (int j = 0; j < 3 * per_edge; j++)
        *unknown++ = plate->first_slope + per_edge * edge[j / per_edge] + j % per_edge;
    return unknown;
}

static int *put_membrane(const phx_plate *plate, int t, int *unknown)
{
    int node[PHX_TRIANGLE_NODES];
    const int count = phx_plate_nodes(plate, t, node);

    for (int j = 0; j < count; j++) {
        *unknown++ = plate->deflection[node[j]] - 2;
        *unknown++ = plate->deflection[node[j]] - 1;
    }
    return unknown;
}

static int unknowns_larger(int a, int b)
{
    return a > b ? a : b;
}

/* Lists unknowns and stresses of all elements, bending first, then membranes. */
static phx_status list_elements(phx_context *context, const phx_plate *plate, phx_elastic_model *model)
{
    const int bending = phx_plate_bending_unknowns(plate), membrane = 2 * plate->tables.n_nodes;
    const int bending_stresses = plate->tables.n_polynomials * phx_plate_bending_block(plate);
    const int membrane_stresses = plate->membrane ? 3 * plate->tables.n_polynomials : 0;
    const int n = model->n_elements = 2 * plate->n_triangles;

    model->most_unknowns = unknowns_larger(bending, membrane);
    model->most_stresses = unknowns_larger(bending_stresses, membrane_stresses);
    model->most_block = phx_plate_bending_block(plate);
    model->n_surface_stresses = 18 * plate->n_triangles;
    model->first_unknown = phx_calloc(context, (size_t)n + 1, sizeof *model->first_unknown);
    model->first_stress = phx_calloc(context, (size_t)n + 1, sizeof *model->first_stress);
    model->unknown =
        phx_calloc(context, (size_t)plate->n_triangles * (size_t)(bending + membrane), sizeof *model->unknown);
    if (!model->first_unknown || !model->first_stress || !model->unknown)
        return PHX_ERR_MEMORY;
    int *next = model->unknown;
    for (int e = 0; e < n; e++) {
        next = e < plate->n_triangles ? put_bending(plate, e, next) : put_membrane(plate, e - plate->n_triangles, next);
        model->first_unknown[e + 1] = (int)(next - model->unknown);
        model->first_stress[e + 1] =
            model->first_stress[e] + (e < plate->n_triangles ? bending_stresses : membrane_stresses);
    }
    return PHX_OK;
}

/* ---- rigid motions ---- */
/* Slopes of w = y (rotation about x) and of w = -x (about y): means along each edge of n . grad w and t . grad w. */
static void rotate_edges(const phx_plate *plate, const phx_elastic_model *model, double *about_x, double *about_y)
{
    const int per_edge = plate->order + 1;

    for (int edge = 0; edge < plate->n_edges; edge++) {
        const double *a = model->x + 3 * plate->end[2 * edge], *b = model->x + 3 * plate->end[2 * edge + 1];
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        const double t[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length}, n[2] = {t[1], -t[0]};
        const int slope = plate->first_slope + per_edge * edge, rotation = plate->first_rotation + per_edge * edge;
        about_x[slope] = n[1];
        about_y[slope] = -n[0];
        if (plate->theory == PHX_PLATE_MINDLIN) {
            about_x[rotation] = t[1];
            about_y[rotation] = -t[0];
        }
    }
}

/* Unit translations and rotations about the origin on all unknowns, slopes and rotations of edges included. */
static phx_status add_rigid_motions(phx_context *context, const phx_plate *plate, phx_elastic_model *model)
{
    const size_t n = (size_t)model->n;

    model->rigid = phx_calloc(context, 6 * n, sizeof *model->rigid);
    if (!model->rigid)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < model->n_nodes; i++) {
        if (plate->deflection[i] < 0)
            continue;
        const double *x = model->x + 3 * i;
        const double motion[6][3] = {{1.0, 0.0, 0.0},    {0.0, 1.0, 0.0},    {0.0, 0.0, 1.0},
                                     {0.0, -x[2], x[1]}, {x[2], 0.0, -x[0]}, {-x[1], x[0], 0.0}};
        for (size_t k = 0; k < 6; k++)
            memcpy(model->rigid + k * n + plate->deflection[i] - 2, motion[k], sizeof motion[k]);
    }
    rotate_edges(plate, model, model->rigid + 3 * n, model->rigid + 4 * n);
    return PHX_OK;
}

/* Numbers nodes and unknowns of a plate and lists its elements and rigid motions. */
phx_status phx_plate_add_unknowns(phx_context *context, const phx_mesh *mesh, phx_plate *plate,
                                  phx_elastic_model *model)
{
    phx_status status;

    model->n_nodes = count_nodes(plate);
    model->x = phx_calloc(context, 3 * (size_t)model->n_nodes, sizeof *model->x);
    if (!model->x)
        return PHX_ERR_MEMORY;
    place_nodes(mesh, plate, model->x);
    status = label_nodes(context, mesh, model);
    if (!status)
        status = number_unknowns(context, plate, model);
    if (!status)
        status = list_elements(context, plate, model);
    return status ? status : add_rigid_motions(context, plate, model);
}
