/* Stresses of a body in its basis, at the nodes of its mesh: of each node the mean over its cells. */
#include "source.h"

#include <stdio.h>
#include <string.h>

/* Largest of a cell: nodes, stresses at all of them. */
enum { MOST_VALUES = PHX_CELL_MOST_NODES * PHX_STRESSES_MOST };

/* Node i has the row `row[i]`, -1: it is not wanted; NULL: row i. */
static int row_of(const int *row, int node)
{
    return row ? row[node] : node;
}

static bool is_wanted(const int *row, const int *node, int nodes)
{
    for (int a = 0; a < nodes; a++)
        if (row_of(row, node[a]) >= 0)
            return true;
    return false;
}

/* Adds the stresses of a cell by column j of k. */
static void stress_add_cell(const int *row, int components, const int *node, int nodes, const double *stress, int k,
                            int j, double *rows)
{
    for (int a = 0; a < nodes; a++) {
        const int at = row_of(row, node[a]);
        for (int c = 0; c < components && at >= 0; c++)
            rows[((size_t)at * (size_t)components + (size_t)c) * (size_t)k + (size_t)j] += stress[a * components + c];
    }
}

int continuum_columns(const stress_columns *columns)
{
    return columns->n + columns->n_slopes * (columns->n_slopes + 1) / 2 + columns->n_strains;
}

/* Room for the stresses of second order of a cell. */
typedef struct second_room {
    phx_element_matrices matrices;
    void *room;
    double *rows;  /* most_stresses x pairs */
    double *sigma; /* stresses of the model */
} second_room;

static phx_status second_room_create(phx_context *context, const phx_elastic_model *model,
                                     const stress_columns *columns, second_room *room)
{
    const int pairs = columns->n_slopes * (columns->n_slopes + 1) / 2;

    memset(room, 0, sizeof *room);
    if (pairs == 0)
        return PHX_OK;
    room->rows = phx_calloc(context, (size_t)model->most_stresses * (size_t)pairs + 1, sizeof *room->rows);
    room->sigma = phx_calloc(context, (size_t)phx_elastic_offsets(model) + 1, sizeof *room->sigma);
    return room->rows && room->sigma ? phx_elastic_element_room(context, model, &room->matrices, &room->room)
                                     : PHX_ERR_MEMORY;
}

static void second_room_free(second_room *room)
{
    phx_free(room->room);
    phx_free(room->rows);
    phx_free(room->sigma);
}

/* Stresses of the products q_a q_b, a <= b: sigma = M2^-1 N_ab, half of it where a = b. */
static phx_status add_second(phx_context *context, const phx_elastic_model *model, int cell,
                             const stress_columns *columns, const int *row, second_room *room, double *rows)
{
    const int components = phx_stress_components(model->ops->stresses), k = continuum_columns(columns);
    const int slopes = columns->n_slopes, pairs = slopes * (slopes + 1) / 2;
    const phx_element_matrices *m = &room->matrices;
    const int *node = NULL, nodes = model->ops->cell_nodes(model, cell, &node);
    double stress[MOST_VALUES];
    int element[2];

    for (int i = 0, count = model->ops->cell_elements(model, cell, element); i < count; i++) {
        const int e = element[i];
        if (!model->ops->second_order(model, e, slopes, columns->Phi, room->rows))
            continue;
        const phx_status status = phx_elastic_root(context, model, e, &room->matrices);
        if (status)
            return status;
        phx_elastic_root_rows(m, pairs, room->rows);
        for (int at = 0; at < m->n_stresses; at += m->block)
            phx_dense_triangle_solve(true, m->block, m->compliance + at * m->block, pairs,
                                     room->rows + (size_t)at * (size_t)pairs);
        for (int a = 0, p = 0; a < slopes; a++)
            for (int b = a; b < slopes; b++, p++) {
                for (int r = 0; r < m->n_stresses; r++)
                    room->sigma[model->first_stress[e] + r] =
                        (a == b ? 0.5 : 1.0) * room->rows[(size_t)r * (size_t)pairs + (size_t)p];
                model->ops->cell_stress(model, cell, NULL, room->sigma, stress);
                stress_add_cell(row, components, node, nodes, stress, k, columns->n + p, rows);
            }
        memset(room->sigma + model->first_stress[e], 0, (size_t)m->n_stresses * sizeof *room->sigma);
    }
    return PHX_OK;
}

/* Adds the stresses of one cell, for each shape, thermal strain and product of slopes, to the rows of its nodes. */
static phx_status add_columns(phx_context *context, const phx_elastic_model *model, int cell,
                              const stress_columns *columns, const int *row, second_room *room, double *rows)
{
    const int components = phx_stress_components(model->ops->stresses), k = continuum_columns(columns);
    const size_t stresses = (size_t)phx_elastic_offsets(model);
    const int *node = NULL, nodes = model->ops->cell_nodes(model, cell, &node);
    double stress[MOST_VALUES];

    for (int j = 0; j < columns->n; j++) {
        model->ops->cell_stress(model, cell, columns->Phi + (size_t)j * (size_t)model->n, NULL, stress);
        stress_add_cell(row, components, node, nodes, stress, k, j, rows);
    }
    for (int j = 0; j < columns->n_strains; j++) {
        model->ops->cell_stress(model, cell, NULL, columns->strains + (size_t)j * stresses, stress);
        stress_add_cell(row, components, node, nodes, stress, k, k - columns->n_strains + j, rows);
    }
    return columns->n_slopes > 0 ? add_second(context, model, cell, columns, row, room, rows) : PHX_OK;
}

/* The same of a model that knows the stresses at its nodes without cells. */
static phx_status stress_of_nodes(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                                  const int *row, double *rows)
{
    const size_t components = (size_t)phx_stress_components(model->ops->stresses), k = (size_t)columns->n;
    const int nodes = model->mesh.n_nodes;
    double *stress = phx_calloc(context, components * (size_t)nodes + 1, sizeof *stress), misfit;

    for (size_t j = 0; j < k && stress; j++) {
        model->ops->nodal_stress(model, columns->Phi + j * (size_t)model->n, stress, &misfit);
        for (int i = 0; i < nodes; i++)
            for (size_t c = 0; c < components && row_of(row, i) >= 0; c++)
                rows[((size_t)row_of(row, i) * components + c) * k + j] = stress[(size_t)i * components + c];
    }
    phx_free(stress);
    return stress ? PHX_OK : PHX_ERR_MEMORY;
}

/* Rows of the stresses at nodes, each the mean over its cells; row[node] is the row of a node, negative for nodes left
 * out. */
phx_status continuum_nodal_stress(phx_context *context, const phx_elastic_model *model, const stress_columns *columns,
                                  int n_rows, const int *row, double *rows)
{
    const size_t width = (size_t)phx_stress_components(model->ops->stresses) * (size_t)continuum_columns(columns);
    if (model->ops->nodal_stress)
        return stress_of_nodes(context, model, columns, row, rows);
    int *cells = phx_calloc(context, (size_t)n_rows + 1, sizeof *cells);
    second_room room;
    phx_status status = second_room_create(context, model, columns, &room);

    if (!cells)
        status = PHX_ERR_MEMORY;
    memset(rows, 0, (size_t)n_rows * width * sizeof *rows);
    for (int c = 0; !status && c < model->ops->stress_cells(model); c++) {
        const int *node = NULL;
        const int nodes = model->ops->cell_nodes(model, c, &node);
        if (!is_wanted(row, node, nodes))
            continue;
        for (int a = 0; a < nodes; a++)
            if (row_of(row, node[a]) >= 0)
                cells[row_of(row, node[a])]++;
        status = add_columns(context, model, c, columns, row, &room, rows);
    }
    for (int i = 0; i < n_rows && !status; i++)
        for (size_t j = 0; j < width && cells[i] > 1; j++)
            rows[(size_t)i * width + j] /= cells[i];
    second_room_free(&room);
    phx_free(cells);
    return status;
}

int continuum_stress_nodes(const phx_flex_source *source)
{
    return ((const continuum_source *)source)->model->mesh.n_nodes;
}

/* The set of its rows, stiffened or not. */
static phx_stress_set stress_stresses_of(const continuum_source *source)
{
    return source->source.operations->stresses(&source->source);
}

/* Weighted sum over `count` nodes, each once. */
static phx_status stress_weigh(phx_context *context, const continuum_source *source, const stress_columns *columns,
                               int count, const int *nodes, const double *weight, double *rows)
{
    const phx_elastic_model *model = source->model;
    const size_t width = (size_t)phx_stress_components(stress_stresses_of(source)) * (size_t)continuum_columns(columns);
    double *own = NULL;
    int *row = NULL;
    phx_status status = PHX_OK;

    if (!source->nodal) {
        own = phx_calloc(context, (size_t)count * width + 1, sizeof *own);
        row = phx_calloc(context, (size_t)model->mesh.n_nodes + 1, sizeof *row);
        for (int i = 0; i < model->mesh.n_nodes && row; i++)
            row[i] = -1;
        for (int i = 0; i < count && row; i++)
            row[nodes[i]] = i;
        status = own && row ? continuum_nodal_stress(context, model, columns, count, row, own) : PHX_ERR_MEMORY;
    }
    memset(rows, 0, width * sizeof *rows);
    for (int i = 0; i < count && !status; i++) {
        const double *at = own ? own + (size_t)i * width : source->nodal + (size_t)nodes[i] * width;
        for (size_t j = 0; j < width; j++)
            rows[j] += weight[i] * at[j];
    }
    phx_free(own);
    phx_free(row);
    return status;
}

/* Rows of the mean stress over the wanted nodes. */
phx_status continuum_mean_stress(phx_context *context, const continuum_source *source, const stress_columns *columns,
                                 const unsigned char *wanted, double *rows)
{
    const int n_nodes = source->model->mesh.n_nodes;
    int *nodes = phx_calloc(context, (size_t)n_nodes + 1, sizeof *nodes), count = 0;
    double *weight = phx_calloc(context, (size_t)n_nodes + 1, sizeof *weight);
    phx_status status = nodes && weight ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < n_nodes && !status; i++)
        if (wanted[i])
            nodes[count++] = i;
    for (int i = 0; i < count; i++)
        weight[i] = 1.0 / count;
    if (!status && count == 0)
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "%s: no node of its mesh is there", source->source.operations->name);
    if (!status)
        status = stress_weigh(context, source, columns, count, nodes, weight, rows);
    phx_free(nodes);
    phx_free(weight);
    return status;
}

/* Between the nodes of the cell that has the place, by its shape functions. */
static phx_status stress_at_place(phx_context *context, const continuum_source *source, const stress_columns *columns,
                                  const double place[3], double *rows)
{
    const phx_mesh *mesh = &source->model->mesh;
    const bool plate = stress_stresses_of(source) == PHX_STRESSES_PLATE;
    double weight[PHX_CELL_MOST_NODES];
    const int cell = continuum_cell_at(context, mesh, plate ? 2 : 3, place, weight);
    char z[40] = "";

    if (cell >= 0)
        return stress_weigh(context, source, columns, mesh->first[cell + 1] - mesh->first[cell],
                            mesh->node + mesh->first[cell], weight, rows);
    if (!plate)
        snprintf(z, sizeof z, ", %g", place[2]);
    const int nearest = phx_mesh_nearest_node(mesh, place);
    return phx_fail(context, PHX_ERR_ARGUMENT, "%s: the place [%g, %g%s] lies off its mesh; the nearest node is %d",
                    source->source.operations->name, place[0], place[1], z,
                    nearest < 0   ? 0
                    : mesh->label ? mesh->label[nearest]
                                  : nearest + 1);
}

phx_status continuum_stress_at(phx_context *context, const continuum_source *source, const stress_columns *columns,
                               const phx_location *location, double *rows)
{
    const phx_elastic_model *model = source->model;

    if (location->sort == PHX_LOCATION_PLACE)
        return stress_at_place(context, source, columns, location->place, rows);
    const int node = continuum_node_labelled(model, location->node);
    if (node < 0 || node >= model->mesh.n_nodes)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: its mesh has no node %d", source->source.operations->name,
                        location->node);
    const double whole = 1.0;
    return stress_weigh(context, source, columns, 1, &node, &whole, rows);
}

/* ---- pictures ---- */
phx_status continuum_thickness(phx_context *context, const continuum_source *source, double *thickness)
{
    const phx_elastic_model *model = source->model;
    int *cells = NULL;

    if (source->thickness)
        memcpy(thickness, source->thickness, (size_t)model->mesh.n_nodes * sizeof *thickness);
    if (!model->ops->cell_thickness)
        return PHX_OK;
    cells = phx_calloc(context, (size_t)model->mesh.n_nodes + 1, sizeof *cells);
    for (int c = 0; cells && c < model->ops->stress_cells(model); c++) {
        const int *node = NULL;
        const int count = model->ops->cell_nodes(model, c, &node);
        for (int a = 0; a < count; a++) {
            thickness[node[a]] += model->ops->cell_thickness(model, c);
            cells[node[a]]++;
        }
    }
    for (int i = 0; cells && i < model->mesh.n_nodes; i++)
        thickness[i] /= cells[i] > 0 ? cells[i] : 1;
    phx_free(cells);
    return cells ? PHX_OK : PHX_ERR_MEMORY;
}

/* Displacements of all nodes over the coordinates (3 x nodes x k, row-major) and their thickness, allocated for the
 * caller. Fails for sources without a mesh. */
phx_status phx_continuum_displacements(phx_context *context, const phx_flex_source *source, double **rows,
                                       double **thickness)
{
    if (!source || !rows || !thickness)
        return phx_fail_null(context, __func__, "source, rows or thickness");
    const continuum_source *continuum = (const continuum_source *)source;
    const phx_elastic_model *model = phx_continuum_model(source);
    if (!model)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: it has no mesh", source->operations->name);
    const size_t k = (size_t)source->flex.n, nodes = (size_t)model->mesh.n_nodes;
    int *at = NULL, unknown[3];
    double factor[3];
    phx_status status = phx_elastic_places(context, model, &at);
    *rows = phx_calloc(context, 3 * nodes * k + 1, sizeof **rows);
    *thickness = phx_calloc(context, nodes + 1, sizeof **thickness);
    if (!*rows || !*thickness)
        status = PHX_ERR_MEMORY;
    for (size_t row = 0; row < 3 * nodes && !status; row++) {
        const int count = phx_elastic_displacement(model, at, (int)(row / 3), (int)(row % 3), unknown, factor);
        for (size_t c = 0; c < k; c++)
            for (int t = 0; t < count; t++)
                (*rows)[row * k + c] += factor[t] * continuum->Phi[c * (size_t)model->n + (size_t)unknown[t]];
    }
    phx_free(at);
    return status ? status : continuum_thickness(context, continuum, *thickness);
}
