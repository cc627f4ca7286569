/* Loads on faces of solids. With x_r, x_s the tangents of a face in its reference coordinates the work of a traction t
 * is
 *
 *     f_a = integral of N_a t |x_r x x_s| dr ds. */
#include "solid.h"

#include <math.h>

/* Whether a side of the cell has the corners of the face, in the same sense (1), in the other (-1), or not (0). */
static int sense_of_side(const phx_mesh *mesh, int cell, int side, int corners, const int *corner)
{
    const phx_cell_info *info = phx_cell_info_of(mesh->type[cell]);
    const int *node = mesh->node + mesh->first[cell], *place = info->side[side];
    int first = 0;

    if (phx_cell_info_of(info->side_type[side])->corners != corners)
        return 0;
    while (first < corners && node[place[first]] != corner[0])
        first++;
    if (first == corners)
        return 0;
    bool same = true, opposite = true;
    for (int k = 0; k < corners; k++) {
        same = same && node[place[(first + k) % corners]] == corner[k];
        opposite = opposite && node[place[(first + corners - k) % corners]] == corner[k];
    }
    return same ? 1 : opposite ? -1 : 0;
}

/* Elements around nodes: those of i are item[ptr[i]] .. item[ptr[i + 1] - 1]. */
static phx_status elements_of_nodes(phx_context *context, const phx_elastic_model *model, int **ptr, int **item)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_mesh *mesh = &model->mesh;

    *ptr = phx_calloc(context, (size_t)model->n_nodes + 2, sizeof **ptr);
    *item = phx_calloc(context, (size_t)model->first_unknown[model->n_elements] / 3, sizeof **item);
    if (!*ptr || !*item)
        return PHX_ERR_MEMORY;
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < model->n_elements; e++) {
            const int cell = data->element[e].cell;
            for (int k = mesh->first[cell]; k < mesh->first[cell + 1]; k++)
                if (pass == 0)
                    (*ptr)[mesh->node[k] + 2]++;
                else
                    (*item)[(*ptr)[mesh->node[k] + 1]++] = e;
        }
        for (int i = 0; i < model->n_nodes && pass == 0; i++)
            (*ptr)[i + 2] += (*ptr)[i + 1];
    }
    return PHX_OK;
}

/* sense: 1 when the normal of the face points out of the one solid cell behind it, else -1. */
static phx_status outward(phx_context *context, const phx_elastic_model *model, int face, const int *ptr,
                          const int *item, int *sense)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_mesh *mesh = &model->mesh;
    const int *corner = mesh->node + mesh->first[face], corners = phx_cell_info_of(mesh->type[face])->corners;
    int found = 0;

    for (int k = ptr[corner[0]]; k < ptr[corner[0] + 1]; k++) {
        const int cell = data->element[item[k]].cell;
        for (int side = 0; side < phx_cell_info_of(mesh->type[cell])->sides; side++) {
            const int s = sense_of_side(mesh, cell, side, corners, corner);
            found += s != 0;
            *sense = s ? s : *sense;
        }
    }
    if (found == 1)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT,
                    "face %d is a side of %d solid cells; a pressure needs a face with one cell behind it",
                    mesh->cell_label ? mesh->cell_label[face] : face + 1, found);
}

/* sense: 1, or -1 where the normal points into the solid. */
static void add_face(const phx_elastic_model *model, int face, const phx_rule *rule, double sense,
                     const phx_surface_load *load, double *force)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_mesh *mesh = &model->mesh;
    const int *node = mesh->node + mesh->first[face], nodes = mesh->first[face + 1] - mesh->first[face];

    for (int g = 0; g < rule->n; g++) {
        double N[8], dN[16], x[3] = {0}, tangent[2][3] = {{0}}, normal[3], traction[3];
        phx_cell_shape(mesh->type[face], rule->xi[g], N, dN);
        for (int a = 0; a < nodes; a++)
            for (int k = 0; k < 3; k++) {
                const double place = model->x[3 * (size_t)node[a] + (size_t)k];
                x[k] += N[a] * place;
                tangent[0][k] += dN[2 * a] * place;
                tangent[1][k] += dN[2 * a + 1] * place;
            }
        phx_rot_x_vec(3, tangent[0], tangent[1], normal);
        const double area = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        for (int k = 0; k < 3; k++)
            normal[k] *= sense / area;
        load->traction(load->user, x, normal, traction);
        for (int a = 0; a < nodes; a++)
            for (int k = 0; k < 3; k++)
                force[data->first[node[a]] + k] += N[a] * rule->w[g] * area * traction[k];
    }
}

static phx_status check_nodes(phx_context *context, const phx_elastic_model *model, int face)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_mesh *mesh = &model->mesh;

    for (int k = mesh->first[face]; k < mesh->first[face + 1]; k++)
        if (data->first[mesh->node[k]] < 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "face %d has node %d, which no solid cell has",
                            mesh->cell_label ? mesh->cell_label[face] : face + 1,
                            mesh->label ? mesh->label[mesh->node[k]] : mesh->node[k] + 1);
    return PHX_OK;
}

static phx_status fail_no_faces(phx_context *context, const phx_mesh *mesh, const char *group)
{
    phx_nearest nearest = phx_nearest_to(group);

    for (int g = 0; g < mesh->n_groups; g++)
        if (mesh->groups[g].dimension == 2)
            phx_nearest_offer(&nearest, mesh->groups[g].name);
    return phx_fail(context, PHX_ERR_ARGUMENT, "the mesh has no group of faces named %s%s", phx_shown_text(group).text,
                    phx_nearest_hint(&nearest).text);
}

/* Adds the nodal forces of a surface load on a group of faces; pressures use the outward normal. */
phx_status phx_solid_load(phx_context *context, const phx_elastic_model *model, const char *group,
                          const phx_surface_load *load, double *force)
{
    const phx_mesh *mesh = &model->mesh;
    const phx_mesh_group *faces = group ? phx_mesh_group_in(mesh, group, 2) : NULL;
    int *ptr = NULL, *item = NULL;
    phx_status status = PHX_OK;

    if (!group)
        return phx_fail(context, PHX_ERR_ARGUMENT, "it needs 'group', the faces of the body");
    if (!faces)
        return fail_no_faces(context, mesh, group);
    if (load->normal)
        status = elements_of_nodes(context, model, &ptr, &item);
    for (int k = 0; k < faces->n_cells && !status; k++) {
        const int face = faces->cells[k];
        int sense = 1;
        phx_rule rule;
        status = check_nodes(context, model, face);
        if (!status && load->normal)
            status = outward(context, model, face, ptr, item, &sense);
        if (status)
            break;
        /* the normal of a face with curved edges: degree 2 in the triangle, 3 along each line of a quadrangle */
        phx_cell_rule(mesh->type[face], 5, 5, &rule);
        add_face(model, face, &rule, sense, load, force);
    }
    phx_free(ptr);
    phx_free(item);
    return status;
}
