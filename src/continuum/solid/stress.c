/* Stresses of solids: at the integration points, at the nodes, and those of a thermal expansion. */
#include "solid.h"

#include <string.h>

static phx_status check_solid(phx_context *context, const phx_elastic_model *model)
{
    if (model->ops == &phx_solid_ops)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_ARGUMENT, "a solid is wanted and the body is a %s", model->ops->kind);
}

int phx_solid_points(const phx_elastic_model *model, int e)
{
    const phx_solid_data *data = phx_solid_of(model);

    return data->table[data->element[e].kind]->stiffness.n;
}

/* y = A x, 6 x 6 */
static void stress_multiply(const double *A, const double *x, double *y)
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0.0;
        for (int j = 0; j < 6; j++)
            y[i] += A[6 * i + j] * x[j];
    }
}

/* Places of the integration points. */
static void points_of(const phx_elastic_model *model, int e, double *x)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    phx_solid_geometry geometry;

    phx_solid_geometry_of(model, e, &geometry);
    phx_dense_multiply(false, false, table->stiffness.n, 3, table->nodes, 1.0, table->stiffness.N[0],
                       (int)(sizeof table->stiffness.N[0] / sizeof(double)), geometry.x, 3, 0.0, x, 3);
}

/* At the integration points of an element, sigma = C B u, `own` the displacements of its nodes (nodes x 3). */
static void stress_at_points(const phx_elastic_model *model, int e, const double *own, double *stress)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    const double *C = data->part[data->element[e].part].material.stiffness;
    const int n = 3 * table->nodes;
    double B[6 * 3 * PHX_SOLID_MOST_NODES];
    phx_solid_geometry geometry;

    phx_solid_geometry_of(model, e, &geometry);
    for (int g = 0; g < table->stiffness.n; g++) {
        double strain[6] = {0};
        phx_solid_strain_rows(table, &geometry, g, 1.0, B);
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < n; k++)
                strain[i] += B[i * n + k] * own[k];
        stress_multiply(C, strain, stress + 6 * g);
    }
}

/* Displacements of the nodes of an element, by the unknowns; u NULL: zero. */
static void stress_gather(const phx_elastic_model *model, int e, const double *u, double *own)
{
    const int first = model->first_unknown[e], n = model->first_unknown[e + 1] - first;

    for (int k = 0; k < n; k++)
        own[k] = u ? u[model->unknown[first + k]] : 0.0;
}

/* Stresses at the integration points of an element under the displacement u, and their places if x is not NULL. */
void phx_solid_stress(const phx_elastic_model *model, int e, const double *u, double *x, double *stress)
{
    double own[3 * PHX_SOLID_MOST_NODES];

    stress_gather(model, e, u, own);
    stress_at_points(model, e, own, stress);
    if (x)
        points_of(model, e, x);
}

int phx_solid_stress_cells(const phx_elastic_model *model)
{
    return model->n_elements;
}

int phx_solid_cell_nodes(const phx_elastic_model *model, int e, const int **node)
{
    const phx_solid_data *data = phx_solid_of(model);

    *node = model->mesh.node + model->mesh.first[data->element[e].cell];
    return data->table[data->element[e].kind]->nodes;
}

/* The fit of least squares to the integration points; `offset` is added to the stresses there, NULL: nothing. */
void phx_solid_element_stress(const phx_elastic_model *model, int e, const double *own, const double *offset,
                              double *stress)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_table *table = data->table[data->element[e].kind];
    const int points = table->stiffness.n;
    double at_points[6 * PHX_SOLID_MOST_POINTS];

    stress_at_points(model, e, own, at_points);
    for (int k = 0; k < 6 * points && offset; k++)
        at_points[k] += offset[model->first_stress[e] + k];
    phx_dense_multiply(false, false, table->nodes, 6, points, 1.0, table->extrapolation, points, at_points, 6, 0.0,
                       stress, 6);
}

void phx_solid_cell_stress(const phx_elastic_model *model, int e, const double *u, const double *sigma, double *stress)
{
    double own[3 * PHX_SOLID_MOST_NODES];

    stress_gather(model, e, u, own);
    phx_solid_element_stress(model, e, own, sigma, stress);
}

int phx_solid_cell_elements(const phx_elastic_model *model, int e, int element[2])
{
    (void)model;
    element[0] = e;
    return 1;
}

/* Stresses at all nodes, the mean over adjacent elements; offset, optional, are the thermal stresses at zero strain. */
phx_status phx_solid_nodal_stress(phx_context *context, const phx_elastic_model *model, const double *u,
                                  const double *offset, double *stress)
{
    if (!model || !u || !stress)
        return phx_fail_null(context, __func__, "model, u or stress");
    phx_status status = check_solid(context, model);
    if (status)
        return status;
    int *count = phx_calloc(context, (size_t)model->n_nodes, sizeof *count);

    if (!count)
        return PHX_ERR_MEMORY;
    memset(stress, 0, 6 * (size_t)model->n_nodes * sizeof *stress);
    for (int e = 0; e < model->n_elements; e++) {
        const int *node = NULL;
        double at_nodes[6 * PHX_SOLID_MOST_NODES];
        const int nodes = phx_solid_cell_nodes(model, e, &node);
        phx_solid_cell_stress(model, e, u, offset, at_nodes);
        for (int a = 0; a < nodes; a++) {
            for (int k = 0; k < 6; k++)
                stress[6 * (size_t)node[a] + (size_t)k] += at_nodes[6 * a + k];
            count[node[a]]++;
        }
    }
    for (int i = 0; i < model->n_nodes; i++)
        for (int k = 0; k < 6 && count[i] > 0; k++)
            stress[6 * (size_t)i + (size_t)k] /= count[i];
    phx_free(count);
    return PHX_OK;
}

/* ---- thermal expansion ---- */
/* Of element e: force += D^T M2^-1 (w eps), M2^-1 (w eps) = C eps at each point; offset -= C eps. */
static void stress_expand(const phx_elastic_model *model, int e, const phx_temperature *temperature,
                          phx_element_matrices *matrices, double *force, double *offset)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_solid_material *material = &data->part[data->element[e].part].material;
    const int *unknown = model->unknown + model->first_unknown[e];
    const double *along = material->expansion, unit[6] = {along[0], along[1], along[2]};
    double x[3 * PHX_SOLID_MOST_POINTS], per_kelvin[6];

    stress_multiply(material->stiffness, unit, per_kelvin);
    phx_solid_element_matrices(model, e, matrices);
    points_of(model, e, x);
    for (int row = 0; row < matrices->n_stresses; row++) {
        const double *D = matrices->D + (size_t)row * (size_t)matrices->n_unknowns;
        const double rise = temperature->rise ? temperature->rise(temperature->user, x + 3 * (row / 6)) : 1.0;
        const double stress = rise * per_kelvin[row % 6];
        for (int k = 0; k < matrices->n_unknowns; k++)
            force[unknown[k]] += D[k] * stress;
        if (offset)
            offset[model->first_stress[e] + row] -= stress;
    }
}

/* Adds the forces of a thermal expansion of a group of cells, or of the whole solid, and its stresses at zero strain to
 * `offset`. */
phx_status phx_solid_expand(phx_context *context, const phx_elastic_model *model, const char *group,
                            const phx_temperature *temperature, double *force, double *offset)
{
    const phx_solid_data *data = phx_solid_of(model);
    const phx_mesh_group *part = group ? phx_mesh_group_in(&model->mesh, group, 3) : NULL;

    if (group && !part)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the mesh has no group of solid cells named %s",
                        phx_shown_text(group).text);
    phx_element_matrices matrices;
    void *room = NULL;
    const phx_status status = phx_elastic_element_room(context, model, &matrices, &room);
    const int count = part ? part->n_cells : model->n_elements;

    for (int k = 0; k < count && !status; k++)
        stress_expand(model, part ? data->element_of_cell[part->cells[k]] : k, temperature, &matrices, force, offset);
    phx_free(room);
    return status;
}
