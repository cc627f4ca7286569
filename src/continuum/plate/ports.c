/* Unknowns on edges of a plate. */
#include "plate.h"

/* Outward on the boundary; inside the plate to the right of the line from its first node to its second. */
static double sign_of(const phx_plate *plate, int edge, const int *ends)
{
    const int *beside = plate->neighbour + 2 * edge;

    if (beside[0] >= 0 && beside[1] >= 0)
        return ends[0] < ends[1] ? 1.0 : -1.0;
    return beside[0] >= 0 ? 1.0 : -1.0;
}

/* Edges of a plate that the lines of a group are, with the sign that turns the normal outward on the boundary and to
 * the right of the line inside; fails if a line is not an edge. */
phx_status phx_plate_group_edges(phx_context *context, const phx_elastic_model *model, const phx_mesh_group *group,
                                 int *edge, double *sign)
{
    const phx_plate *plate = phx_plate_of(model);
    const phx_mesh *mesh = &model->mesh;

    for (int k = 0; k < group->n_cells; k++) {
        const int *ends = mesh->node + mesh->first[group->cells[k]];
        const int found = phx_plate_edge_between(plate, ends[0], ends[1]);
        if (found < 0)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "plate: the line between nodes %d and %d of group %s is not an edge of a triangle",
                            phx_plate_label(mesh->label, ends[0]), phx_plate_label(mesh->label, ends[1]),
                            phx_shown_text(group->name).text);
        edge[k] = found;
        sign[k] = sign_of(plate, found, ends);
    }
    return PHX_OK;
}

int phx_plate_edge_nodes(const phx_plate *plate, int edge, int node[PHX_PLATE_EDGE_NODES])
{
    int count = 0;

    node[count++] = plate->end[2 * edge];
    for (int m = 0; m < plate->order; m++)
        node[count++] = plate->n_corners + plate->order * edge + m;
    node[count++] = plate->end[2 * edge + 1];
    return count;
}

/* Unknowns of the nodes of these edges, each node once, in the order of nodes. */
static int put_nodes(const phx_plate *plate, const phx_elastic_model *model, int n_edges, const int *edge,
                     bool in_plane, bool *seen, int *unknown, double *sign)
{
    int count = 0, node[PHX_PLATE_EDGE_NODES];

    for (int k = 0; k < n_edges; k++) {
        const int nodes = phx_plate_edge_nodes(plate, edge[k], node);
        for (int j = 0; j < nodes; j++)
            seen[node[j]] = true;
    }
    for (int i = 0; i < model->n_nodes; i++) {
        if (!seen[i])
            continue;
        for (int c = in_plane ? 0 : 2; c < (in_plane ? 2 : 3); c++, count++) {
            unknown[count] = plate->deflection[i] - 2 + c;
            sign[count] = 1.0;
        }
    }
    return count;
}

/* The unknowns of the edges themselves, which begin at `first`. */
static int put_edges(const phx_plate *plate, int first, int n_edges, const int *edge, const double *edge_sign,
                     int *unknown, double *sign)
{
    const int per_edge = plate->order + 1;

    for (int k = 0; k < n_edges * per_edge; k++) {
        unknown[k] = first + per_edge * edge[k / per_edge] + k % per_edge;
        sign[k] = edge_sign[k / per_edge];
    }
    return n_edges * per_edge;
}

static phx_status check_request(phx_context *context, const phx_plate *plate, const phx_mesh_group *group,
                                const char *name)
{
    if (!plate)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_plate_edge_unknowns: the model is not a plate");
    if (!group || group->dimension != 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: the mesh has no group %s of edges",
                        phx_shown_text(name).text);
    return PHX_OK;
}

/* Unknowns on the edges of a group: deflections, translations, slopes or rotations, with the signs of
 * phx_plate_group_edges. sign may be NULL. */
phx_status phx_plate_edge_unknowns(phx_context *context, const phx_elastic_model *model, const char *group,
                                   phx_plate_trace trace, int *count, int **unknown, double **sign)
{
    if (!model || !group || !count || !unknown)
        return phx_fail_null(context, __func__, "model, group, count or unknown");
    const phx_plate *plate = phx_plate_of(model);
    const phx_mesh_group *lines = phx_mesh_group_named(&model->mesh, group);
    phx_status status = check_request(context, plate, lines, group);
    if (status)
        return status;

    const int n = lines->n_cells;
    const size_t most = 2 * (size_t)n * PHX_PLATE_EDGE_NODES;
    int *edge = phx_calloc(context, (size_t)n, sizeof *edge), *found = phx_calloc(context, most, sizeof *found);
    bool *seen = phx_calloc(context, (size_t)model->n_nodes, sizeof *seen);
    double *edge_sign = phx_calloc(context, (size_t)n, sizeof *edge_sign);
    double *found_sign = phx_calloc(context, most, sizeof *found_sign);
    status = edge && found && seen && edge_sign && found_sign ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = phx_plate_group_edges(context, model, lines, edge, edge_sign);
    if (!status && (trace == PHX_TRACE_DEFLECTIONS || trace == PHX_TRACE_TRANSLATIONS))
        *count = put_nodes(plate, model, n, edge, trace == PHX_TRACE_TRANSLATIONS, seen, found, found_sign);
    else if (!status && trace == PHX_TRACE_ROTATIONS && plate->theory != PHX_PLATE_MINDLIN)
        *count = 0; /* its rotations follow from its deflections */
    else if (!status)
        *count = put_edges(plate, trace == PHX_TRACE_SLOPES ? plate->first_slope : plate->first_rotation, n, edge,
                           edge_sign, found, found_sign);
    phx_free(edge);
    phx_free(edge_sign);
    phx_free(seen);
    if (status || !sign)
        phx_free(found_sign);
    if (status) {
        phx_free(found);
        return status;
    }
    *unknown = found;
    if (sign)
        *sign = found_sign;
    return PHX_OK;
}
