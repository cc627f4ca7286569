/* Solids: from a mesh and the materials of its regions to a model. */
#include "solid.h"

#include <math.h>
#include <string.h>

static void destroy_data(void *pointer)
{
    phx_solid_data *data = pointer;

    if (!data)
        return;
    for (int k = 0; k < PHX_SOLID_KINDS; k++)
        phx_free(data->table[k]);
    phx_free(data->part);
    phx_free(data->element);
    phx_free(data->element_of_cell);
    phx_free(data->first);
    phx_free(data);
}

const phx_elastic_ops phx_solid_ops = {
    .kind = "solid",
    .destroy_data = destroy_data,
    .element = phx_solid_element_matrices,
    .second_order = phx_solid_second_order,
    .second_order_force = phx_solid_second_order_force,
    .load = phx_solid_load,
    .expand = phx_solid_expand,
    .stresses = PHX_STRESSES_SOLID,
    .stress_cells = phx_solid_stress_cells,
    .cell_nodes = phx_solid_cell_nodes,
    .cell_stress = phx_solid_cell_stress,
    .cell_elements = phx_solid_cell_elements,
};

static int cell_label(const phx_mesh *mesh, int cell)
{
    return mesh->cell_label ? mesh->cell_label[cell] : cell + 1;
}

static const char *region_name(const phx_solid_region *region)
{
    return region->group ? region->group : "(all solid cells)";
}

/* ---- materials ---- */
static phx_status make_part(phx_context *context, const phx_solid_region *region, phx_solid_part *part)
{
    static const double SYMMETRIC = 1e-9; /* relative to the largest entry */
    const double *C = region->material.stiffness;
    double L[36], largest = 0.0, asymmetry = 0.0;
    bool finite = true;

    part->material = region->material;
    part->lumped = region->lumped;
    part->mass_at_stresses = region->mass_at_stresses;
    if (!(region->material.density >= 0.0) || isinf(region->material.density))
        return phx_fail(context, PHX_ERR_ARGUMENT, "material of region %s: density %g; it must be >= 0",
                        phx_shown_text(region_name(region)).text, region->material.density);
    for (int k = 0; k < 36; k++) {
        finite = finite && isfinite(C[k]);
        largest = fmax(largest, fabs(C[k]));
        asymmetry = fmax(asymmetry, fabs(C[k] - C[6 * (k % 6) + k / 6]));
    }
    if (finite && asymmetry > SYMMETRIC * largest)
        return phx_fail(context, PHX_ERR_ARGUMENT, "material of region %s: its stiffness is not symmetric, by %g",
                        phx_shown_text(region_name(region)).text, asymmetry);
    memcpy(L, C, sizeof L);
    if (!finite || phx_dense_cholesky(context, 6, L))
        return phx_fail(
            context, PHX_ERR_ARGUMENT,
            "material of region %s: its stiffness is not positive definite; an isotropic one needs a modulus "
            "> 0 and a Poisson's ratio in (-1, 0.5)",
            phx_shown_text(region_name(region)).text);
    for (int k = 0; k < 36; k++)
        part->compliance[k] = k % 7 == 0 ? 1.0 : 0.0;
    phx_dense_triangle_solve(false, 6, L, 6, part->compliance);
    phx_dense_triangle_solve(true, 6, L, 6, part->compliance);
    return PHX_OK;
}

/* ---- cells of regions ---- */
/* reduces: the mesh says so. */
static phx_solid_kind kind_of(phx_cell_type type, phx_solid_rule rule, bool reduces)
{
    switch (type) {
    case PHX_CELL_TET4:
        return PHX_SOLID_TET4;
    case PHX_CELL_TET10:
        return PHX_SOLID_TET10;
    case PHX_CELL_HEX8:
        return rule == PHX_SOLID_PLAIN ? PHX_SOLID_HEX8_PLAIN : PHX_SOLID_HEX8;
    case PHX_CELL_HEX20:
        return rule == PHX_SOLID_REDUCED || reduces ? PHX_SOLID_HEX20R : PHX_SOLID_HEX20;
    case PHX_CELL_WEDGE6:
        return PHX_SOLID_WEDGE6;
    default:
        return PHX_SOLID_WEDGE15;
    }
}

/* part_of_cell: the region of each cell, -1: none. */
static phx_status assign_regions(phx_context *context, const phx_mesh *mesh, int n_regions,
                                 const phx_solid_region *regions, int *part_of_cell)
{
    for (int c = 0; c < mesh->n_cells; c++)
        part_of_cell[c] = -1;
    for (int r = 0; r < n_regions; r++) {
        const phx_mesh_group *group = regions[r].group ? phx_mesh_group_in(mesh, regions[r].group, 3) : NULL;
        if (regions[r].group && !group)
            return phx_fail(context, PHX_ERR_ARGUMENT, "the mesh has no group of solid cells named %s",
                            phx_shown_text(regions[r].group).text);
        const int count = group ? group->n_cells : mesh->n_cells;
        for (int k = 0; k < count; k++) {
            const int c = group ? group->cells[k] : k;
            if (phx_cell_info_of(mesh->type[c])->dimension != 3 || (!group && part_of_cell[c] >= 0))
                continue;
            if (part_of_cell[c] >= 0)
                return phx_fail(context, PHX_ERR_ARGUMENT, "cell %d is in two regions: %s and %s", cell_label(mesh, c),
                                phx_shown_text(region_name(&regions[part_of_cell[c]])).text,
                                phx_shown_text(region_name(&regions[r])).text);
            part_of_cell[c] = r;
        }
    }
    for (int c = 0; c < mesh->n_cells; c++)
        if (phx_cell_info_of(mesh->type[c])->dimension == 3 && part_of_cell[c] < 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "cell %d (%s) is in no region: it has no material",
                            cell_label(mesh, c), phx_cell_info_of(mesh->type[c])->name);
    return PHX_OK;
}

/* Makes an element of each solid cell of a region, with the table of its kind; cells of lower dimension have none. */
static phx_status make_elements(phx_context *context, phx_elastic_model *model, const phx_solid_region *regions)
{
    phx_solid_data *data = model->data;
    const phx_mesh *mesh = &model->mesh;
    phx_status status = assign_regions(context, mesh, data->n_parts, regions, data->element_of_cell);
    int e = 0;

    for (int c = 0; c < mesh->n_cells && !status; c++) {
        const int part = data->element_of_cell[c];
        if (part < 0)
            continue;
        const phx_solid_kind kind = kind_of(mesh->type[c], regions[part].rule, phx_mesh_reduces(mesh, c));
        if (!data->table[kind])
            status = phx_solid_table_create(context, kind, &data->table[kind]);
        data->element_of_cell[c] = e;
        data->element[e++] = (phx_solid_element){.cell = c, .part = part, .kind = kind};
    }
    model->n_elements = e;
    return status;
}

/* ---- unknowns ---- */
static phx_status number_unknowns(phx_context *context, phx_elastic_model *model)
{
    phx_solid_data *data = model->data;
    const phx_mesh *mesh = &model->mesh;
    int at = 0, n = 0;

    for (int i = 0; i < model->n_nodes; i++)
        data->first[i] = -1;
    model->first_unknown = phx_calloc(context, (size_t)model->n_elements + 1, sizeof *model->first_unknown);
    model->first_stress = phx_calloc(context, (size_t)model->n_elements + 1, sizeof *model->first_stress);
    if (!model->first_unknown || !model->first_stress)
        return PHX_ERR_MEMORY;
    for (int e = 0; e < model->n_elements; e++) {
        const phx_solid_table *table = data->table[data->element[e].kind];
        const int unknowns = 3 * table->nodes, stresses = 6 * table->stiffness.n;
        for (int a = 0; a < table->nodes; a++)
            data->first[mesh->node[mesh->first[data->element[e].cell] + a]] = 0;
        model->first_unknown[e + 1] = model->first_unknown[e] + unknowns;
        model->first_stress[e + 1] = model->first_stress[e] + stresses;
        model->most_unknowns = unknowns > model->most_unknowns ? unknowns : model->most_unknowns;
        model->most_stresses = stresses > model->most_stresses ? stresses : model->most_stresses;
    }
    model->most_block = 6;
    for (int i = 0; i < model->n_nodes; i++)
        if (data->first[i] == 0) {
            data->first[i] = n;
            n += 3;
        }
    model->n = n;
    model->unknown = phx_calloc(context, (size_t)model->first_unknown[model->n_elements], sizeof *model->unknown);
    if (!model->unknown)
        return PHX_ERR_MEMORY;
    for (int e = 0; e < model->n_elements; e++) {
        const int *node = mesh->node + mesh->first[data->element[e].cell];
        for (int a = 0; a < data->table[data->element[e].kind]->nodes; a++)
            for (int k = 0; k < 3; k++)
                model->unknown[at++] = data->first[node[a]] + k;
    }
    return PHX_OK;
}

/* Node and component of each unknown, and the unit translations and rotations about the origin. */
static phx_status describe_unknowns(phx_context *context, phx_elastic_model *model)
{
    const phx_solid_data *data = phx_solid_of(model);
    const size_t n = (size_t)model->n;

    model->node = phx_calloc(context, n, sizeof *model->node);
    model->component = phx_calloc(context, n, sizeof *model->component);
    model->rigid = phx_calloc(context, 6 * n, sizeof *model->rigid);
    if (!model->node || !model->component || !model->rigid)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < model->n_nodes; i++) {
        const int at = data->first[i];
        if (at < 0)
            continue;
        const double *x = model->x + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            model->node[at + k] = i;
            model->component[at + k] = PHX_UNKNOWN_UX + k;
            model->rigid[(size_t)k * n + (size_t)(at + k)] = 1.0;
            /* e_k x x: along k1 -x_k2, along k2 x_k1 */
            model->rigid[(size_t)(3 + k) * n + (size_t)(at + k1)] = -x[k2];
            model->rigid[(size_t)(3 + k) * n + (size_t)(at + k2)] = x[k1];
        }
    }
    return PHX_OK;
}

/* ---- what no solid can be made of ---- */
static phx_status solid_check_points(phx_context *context, const phx_elastic_model *model, int e, const double *x,
                                     const phx_solid_points_table *points)
{
    const phx_solid_data *data = phx_solid_of(model);
    const int cell = data->element[e].cell;

    for (int g = 0; g < points->n; g++) {
        const double det = phx_solid_gradients(data->table[data->element[e].kind]->nodes, x, points->dN[g], NULL);
        if (!(det > 0.0) || isinf(det))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "cell %d (%s) is flat or turned inside out: the determinant of its map is %g at an "
                            "integration point; it must be > 0",
                            cell_label(&model->mesh, cell), phx_cell_info_of(model->mesh.type[cell])->name, det);
    }
    return PHX_OK;
}

/* Fails if an element is turned inside out at an integration point; warns of linear tetrahedra. */
static phx_status check_elements(phx_context *context, const phx_elastic_model *model)
{
    const phx_solid_data *data = phx_solid_of(model);
    phx_status status = PHX_OK;
    int stiff = 0;

    for (int e = 0; e < model->n_elements && !status; e++) {
        const phx_solid_table *table = data->table[data->element[e].kind];
        double x[3 * PHX_SOLID_MOST_NODES];
        phx_solid_nodes(model, e, x);
        status = solid_check_points(context, model, e, x, &table->stiffness);
        if (!status)
            status = solid_check_points(context, model, e, x, &table->mass);
        stiff += table->cell == PHX_CELL_TET4;
    }
    if (!status && stiff > 0)
        phx_log(context, PHX_LOG_WARNING,
                "%d cells are tetrahedra with 4 nodes: in bending they are far too stiff; use 10 nodes", stiff);
    return status;
}

/* ---- all of it; the mesh stands in the model already ---- */
static phx_status fill_model(phx_context *context, phx_elastic_model *model, int n_regions,
                             const phx_solid_region *regions)
{
    const phx_mesh *mesh = &model->mesh;
    const size_t nodes = (size_t)mesh->n_nodes, solids = (size_t)phx_mesh_count(mesh, 3);
    phx_solid_data *data = phx_calloc(context, 1, sizeof *data);

    model->data = data;
    model->n_nodes = mesh->n_nodes;
    if (!data)
        return PHX_ERR_MEMORY;
    data->n_parts = n_regions;
    data->part = phx_calloc(context, (size_t)n_regions, sizeof *data->part);
    data->element = phx_calloc(context, solids, sizeof *data->element);
    data->element_of_cell = phx_calloc(context, (size_t)mesh->n_cells, sizeof *data->element_of_cell);
    data->first = phx_calloc(context, nodes, sizeof *data->first);
    model->x = phx_calloc(context, 3 * nodes, sizeof *model->x);
    if (mesh->label)
        model->label = phx_calloc(context, nodes, sizeof *model->label);
    if (!data->part || !data->element || !data->element_of_cell || !data->first || !model->x ||
        (mesh->label && !model->label))
        return PHX_ERR_MEMORY;
    memcpy(model->x, mesh->x, 3 * nodes * sizeof *model->x);
    if (mesh->label)
        memcpy(model->label, mesh->label, nodes * sizeof *model->label);
    phx_status status = PHX_OK;
    for (int r = 0; r < n_regions && !status; r++)
        status = make_part(context, &regions[r], &data->part[r]);
    if (!status)
        status = make_elements(context, model, regions);
    if (!status)
        status = number_unknowns(context, model);
    if (!status)
        status = describe_unknowns(context, model);
    if (!status)
        status = check_elements(context, model);
    return status ? status : phx_elastic_assemble(context, model);
}

/* Creates a solid from a mesh and the materials of its regions. The model takes over the mesh on success only. */
phx_status phx_solid_create(phx_context *context, phx_mesh *mesh, int n_regions, const phx_solid_region *regions,
                            phx_elastic_model **model)
{
    if (!mesh || !regions || !model)
        return phx_fail_null(context, __func__, "mesh, regions or model");
    *model = NULL;
    if (n_regions < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_solid_create: %d regions; there must be one", n_regions);
    if (phx_mesh_count(mesh, 3) == 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the mesh has no solid cells");
    phx_elastic_model *created = phx_calloc(context, 1, sizeof *created);
    if (!created)
        return PHX_ERR_MEMORY;
    created->ops = &phx_solid_ops;
    created->mesh = *mesh;
    phx_status status = fill_model(context, created, n_regions, regions);
    memset(status ? &created->mesh : mesh, 0, sizeof *mesh); /* one of them owns it */
    if (status) {
        phx_elastic_destroy(created);
        return status;
    }
    *model = created;
    return PHX_OK;
}
