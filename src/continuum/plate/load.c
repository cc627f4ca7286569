/* Distributed forces on a plate: on triangles (N/m^2) and on edges (N/m). */
#include "plate.h"

#include "fe/fe.h"

/* Adds weight * traction, with the value of each function, to the translations of the nodes. */
static void add_to_nodes(const phx_plate *plate, int count, const int *node, const double *value, double weight,
                         const double traction[3], double *force)
{
    for (int j = 0; j < count; j++)
        for (int c = 0; c < 3; c++)
            force[plate->deflection[node[j]] - 2 + c] += weight * value[j] * traction[c];
}

void phx_plate_place(const phx_elastic_model *model, const int *corner, const double lambda[3], double x[3])
{
    for (int i = 0; i < 3; i++) {
        x[i] = 0.0;
        for (int c = 0; c < 3; c++)
            x[i] += lambda[c] * model->x[3 * corner[c] + i];
    }
}

/* Adds the nodal forces of a surface traction on one triangle, N. */
static void load_triangle(const phx_elastic_model *model, int t, const phx_surface_load *load, double *force)
{
    const phx_plate *plate = phx_plate_of(model);
    const double normal[3] = {0.0, 0.0, 1.0};
    double lambda[PHX_TRIANGLE_POINTS][3], weight[PHX_TRIANGLE_POINTS], x[3], traction[3];
    int node[PHX_TRIANGLE_NODES];
    phx_plate_frame frame;
    phx_lagrange at;

    phx_plate_frame_of(model, t, &frame);
    phx_plate_nodes(plate, t, node);
    phx_triangle_rule(lambda, weight);
    for (int g = 0; g < PHX_TRIANGLE_POINTS; g++) {
        const int count = phx_triangle_lagrange(plate->order + 1, lambda[g], &at);
        phx_plate_place(model, plate->corner + 3 * t, lambda[g], x);
        load->traction(load->user, x, normal, traction);
        add_to_nodes(plate, count, node, at.value, frame.area * weight[g], traction, force);
    }
}

/* Edge e of triangle t; sign: of the normal wanted, as seen from this triangle. */
static void load_edge(const phx_elastic_model *model, int t, int e, double sign, const phx_surface_load *load,
                      double *force)
{
    const phx_plate *plate = phx_plate_of(model);
    double s[PHX_TRIANGLE_RULE], weight[PHX_TRIANGLE_RULE], lambda[3], x[3], traction[3];
    int node[PHX_TRIANGLE_NODES];
    phx_plate_frame frame;
    phx_lagrange at;

    phx_plate_frame_of(model, t, &frame);
    phx_plate_nodes(plate, t, node);
    phx_gauss(PHX_TRIANGLE_RULE, s, weight);
    const double normal[3] = {sign * frame.normal[e][0], sign * frame.normal[e][1], 0.0};
    for (int g = 0; g < PHX_TRIANGLE_RULE; g++) {
        phx_triangle_edge_point(e, s[g], lambda);
        const int count = phx_triangle_lagrange(plate->order + 1, lambda, &at);
        phx_plate_place(model, plate->corner + 3 * t, lambda, x);
        load->traction(load->user, x, normal, traction);
        add_to_nodes(plate, count, node, at.value, frame.length[e] * weight[g], traction, force);
    }
}

/* Adds the nodal forces of a line load on the edges of a group, with outward normals. */
static phx_status load_edges(phx_context *context, const phx_elastic_model *model, const phx_mesh_group *group,
                             const phx_surface_load *load, double *force)
{
    const phx_plate *plate = phx_plate_of(model);
    int *edge = phx_calloc(context, (size_t)group->n_cells, sizeof *edge);
    double *sign = phx_calloc(context, (size_t)group->n_cells, sizeof *sign);
    phx_status status = edge && sign ? phx_plate_group_edges(context, model, group, edge, sign) : PHX_ERR_MEMORY;

    for (int k = 0; k < group->n_cells && !status; k++) {
        const int *beside = plate->neighbour + 2 * edge[k], t = beside[0] >= 0 ? beside[0] : beside[1];
        int e = 0;
        while (plate->edge[3 * t + e] != edge[k])
            e++;
        load_edge(model, t, e, beside[0] >= 0 ? sign[k] : -sign[k], load, force);
    }
    phx_free(edge);
    phx_free(sign);
    return status;
}

/* The cells of triangles ascend, those of a group too. */
bool phx_plate_in_group(const phx_plate *plate, const phx_mesh_group *part, int t, int *k)
{
    while (part && *k < part->n_cells && part->cells[*k] < plate->cell[t])
        ++*k;
    return !part || (*k < part->n_cells && part->cells[*k] == plate->cell[t]);
}

/* Adds the nodal forces of a distributed load on a group of triangles or edges, or on the whole plate (group NULL). */
phx_status phx_plate_load(phx_context *context, const phx_elastic_model *model, const char *group,
                          const phx_surface_load *load, double *force)
{
    if (!model || !load || !force)
        return phx_fail_null(context, __func__, "model, load or force");
    const phx_plate *plate = phx_plate_of(model);
    const phx_mesh_group *part = group ? phx_mesh_group_named(&model->mesh, group) : NULL;
    if (!plate)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_plate_load: the model is not a plate");
    if (group && (!part || (part->dimension != 1 && part->dimension != 2)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: the mesh has no group %s of triangles or edges",
                        phx_shown_text(group).text);
    if (part && part->dimension == 1)
        return load_edges(context, model, part, load, force);
    for (int t = 0, k = 0; t < plate->n_triangles; t++)
        if (phx_plate_in_group(plate, part, t, &k))
            load_triangle(model, t, load, force);
    return PHX_OK;
}
