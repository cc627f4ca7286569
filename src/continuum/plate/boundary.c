/* The boundary of a plate: its lines from corner to corner. */
#include "boundary.h"

#include <math.h>
#include <string.h>

/* End 0 or 1 of an edge along the boundary: from the lower node to the higher where the plate is to the left of it. */
static int end_of(const phx_plate *plate, int edge, int which)
{
    const bool forward = plate->neighbour[2 * edge] >= 0;
    return plate->end[2 * edge + (forward ? which : 1 - which)];
}

static void direction(const phx_elastic_model *model, int edge, double along[2])
{
    const phx_plate *plate = phx_plate_of(model);
    const double *a = model->x + 3 * end_of(plate, edge, 0), *b = model->x + 3 * end_of(plate, edge, 1);
    const double length = hypot(b[0] - a[0], b[1] - a[1]);

    for (int c = 0; c < 2; c++)
        along[c] = (b[c] - a[c]) / length;
}

void plate_boundary_free(plate_boundary *boundary)
{
    phx_free(boundary->out);
    phx_free(boundary->in);
    phx_free(boundary->corner);
    memset(boundary, 0, sizeof *boundary);
}

/* Finds the boundary edges that leave and enter each node and the corners: changes of direction by more than 30 degrees
 * (1), and nodes where the plate touches itself (2). */
phx_status plate_boundary_create(phx_context *context, const phx_elastic_model *model, plate_boundary *boundary)
{
    static const double straight = 0.8660254037844386; /* cos 30 degrees */
    const phx_plate *plate = phx_plate_of(model);
    const size_t n = (size_t)plate->n_corners;

    boundary->out = phx_calloc(context, n, sizeof *boundary->out);
    boundary->in = phx_calloc(context, n, sizeof *boundary->in);
    boundary->corner = phx_calloc(context, n, 1);
    if (!boundary->out || !boundary->in || !boundary->corner) {
        plate_boundary_free(boundary);
        return PHX_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; i++)
        boundary->out[i] = boundary->in[i] = -1;
    for (int edge = 0; edge < plate->n_edges; edge++) {
        if (!plate_is_boundary(plate, edge))
            continue;
        const int from = end_of(plate, edge, 0), to = end_of(plate, edge, 1);
        if (boundary->out[from] >= 0) /* the plate touches itself there */
            boundary->corner[from] = 2;
        boundary->out[from] = boundary->in[to] = edge;
    }
    for (size_t i = 0; i < n; i++) {
        double before[2], after[2];
        if (boundary->out[i] < 0 || boundary->corner[i])
            continue;
        direction(model, boundary->in[i], before);
        direction(model, boundary->out[i], after);
        if (before[0] * after[0] + before[1] * after[1] < straight)
            boundary->corner[i] = 1;
    }
    return PHX_OK;
}

/* Edges of the boundary line through an edge, from corner to corner, or closed if there is no corner. */
phx_status plate_line_through(phx_context *context, const phx_elastic_model *model, const plate_boundary *boundary,
                              int edge, plate_line *line)
{
    const phx_plate *plate = phx_plate_of(model);
    int first = edge, count = 1;

    memset(line, 0, sizeof *line);
    while (!boundary->corner[end_of(plate, first, 0)] && !line->closed) {
        first = boundary->in[end_of(plate, first, 0)];
        line->closed = first == edge;
    }
    for (int e = first; !boundary->corner[end_of(plate, e, 1)]; count++) {
        e = boundary->out[end_of(plate, e, 1)];
        if (line->closed && e == first)
            break;
    }
    line->edge = phx_calloc(context, (size_t)count, sizeof *line->edge);
    if (!line->edge)
        return PHX_ERR_MEMORY;
    for (int e = first; line->n < count; e = line->n < count ? boundary->out[end_of(plate, e, 1)] : e)
        line->edge[line->n++] = e;
    return PHX_OK;
}

/* Triangle, local number, length and nodes of a boundary edge, in the direction that has the plate on its left. */
plate_side plate_side_of(const phx_elastic_model *model, int edge)
{
    const phx_plate *plate = phx_plate_of(model);
    const bool forward = plate->neighbour[2 * edge] >= 0;
    const double *a = model->x + 3 * plate->end[2 * edge], *b = model->x + 3 * plate->end[2 * edge + 1];
    plate_side side = {.triangle = plate->neighbour[2 * edge + (forward ? 0 : 1)],
                       .length = hypot(b[0] - a[0], b[1] - a[1])};
    int node[PHX_PLATE_EDGE_NODES];

    side.n = phx_plate_edge_nodes(plate, edge, node);
    for (int j = 0; j < side.n; j++)
        side.node[j] = node[forward ? j : side.n - 1 - j];
    while (plate->edge[3 * side.triangle + side.e] != edge)
        side.e++;
    return side;
}
