/* The edges of a triangulation. */
#include "plate.h"

int phx_plate_edge_between(const phx_plate *plate, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    int edge = plate->edge_from[low];

    while (edge >= 0 && plate->end[2 * edge + 1] != high)
        edge = plate->edge_next[edge];
    return edge;
}

static int add_edge(phx_plate *plate, int a, int b)
{
    const int edge = plate->n_edges++, low = a < b ? a : b;

    plate->end[2 * edge] = low;
    plate->end[2 * edge + 1] = a < b ? b : a;
    plate->neighbour[2 * edge] = plate->neighbour[2 * edge + 1] = -1;
    plate->edge_next[edge] = plate->edge_from[low];
    plate->edge_from[low] = edge;
    return edge;
}

/* Allocates the tables of edges for at most three edges per triangle. */
static phx_status edges_allocate(phx_context *context, const phx_mesh *mesh, phx_plate *plate)
{
    const size_t most = 3 * (size_t)plate->n_triangles;

    plate->n_edges = 0;
    plate->end = phx_calloc(context, 2 * most, sizeof *plate->end);
    plate->neighbour = phx_calloc(context, 2 * most, sizeof *plate->neighbour);
    plate->edge_next = phx_calloc(context, most, sizeof *plate->edge_next);
    plate->edge_from = phx_calloc(context, (size_t)mesh->n_nodes, sizeof *plate->edge_from);
    plate->edge = phx_calloc(context, most, sizeof *plate->edge);
    if (!plate->end || !plate->neighbour || !plate->edge_next || !plate->edge_from || !plate->edge)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < mesh->n_nodes; i++)
        plate->edge_from[i] = -1;
    return PHX_OK;
}

/* Twice the signed area. */
static double turn_of(const phx_mesh *mesh, const int corner[3])
{
    const double *a = mesh->x + 3 * corner[0], *b = mesh->x + 3 * corner[1], *c = mesh->x + 3 * corner[2];
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Finds the edges of a triangulation with their triangles on both sides; fails if two lie on the same side. */
phx_status phx_plate_find_edges(phx_context *context, const phx_mesh *mesh, phx_plate *plate)
{
    const phx_status status = edges_allocate(context, mesh, plate);

    if (status)
        return status;
    for (int t = 0; t < plate->n_triangles; t++) {
        const int *corner = plate->corner + 3 * t;
        const bool counterclockwise = turn_of(mesh, corner) > 0.0;
        for (int e = 0; e < 3; e++) {
            const int a = corner[e], b = corner[(e + 1) % 3];
            int edge = phx_plate_edge_between(plate, a, b);
            if (edge < 0)
                edge = add_edge(plate, a, b);
            int *beside = &plate->neighbour[2 * edge + ((a < b) != counterclockwise)];
            if (*beside >= 0)
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "plate: triangles %d and %d lie on the same side of the edge between nodes %d and %d",
                                phx_plate_label(mesh->cell_label, plate->cell[*beside]),
                                phx_plate_label(mesh->cell_label, plate->cell[t]), phx_plate_label(mesh->label, a),
                                phx_plate_label(mesh->label, b));
            *beside = t;
            plate->edge[3 * t + e] = edge;
        }
    }
    return PHX_OK;
}
