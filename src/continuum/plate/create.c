/* Plates: from a mesh of triangles to an elastic model. */
#include "plate.h"

#include <string.h>

/* Frees the data of a plate; NULL is allowed. */
static void destroy_plate(void *data)
{
    phx_plate *plate = data;

    if (!plate)
        return;
    void *const owned[] = {plate->corner,
                           plate->edge,
                           plate->cell,
                           plate->section,
                           plate->end,
                           plate->neighbour,
                           plate->edge_from,
                           plate->edge_next,
                           plate->sections,
                           plate->deflection,
                           plate->membrane_compliance,
                           plate->bending_compliance};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        phx_free(owned[k]);
    phx_free(plate);
}

static const phx_elastic_ops plate_ops = {.kind = "plate",
                                          .destroy_data = destroy_plate,
                                          .element = phx_plate_element,
                                          .second_order = phx_plate_second_order,
                                          .second_order_force = phx_plate_second_order_force,
                                          .edges = true,
                                          .load = phx_plate_load,
                                          .expand = phx_plate_expand,
                                          .stresses = PHX_STRESSES_PLATE,
                                          .stress_cells = phx_plate_stress_cells,
                                          .cell_nodes = phx_plate_cell_nodes,
                                          .cell_stress = phx_plate_cell_stress,
                                          .cell_elements = phx_plate_cell_elements,
                                          .cell_thickness = phx_plate_cell_thickness};

const phx_plate *phx_plate_of(const phx_elastic_model *model)
{
    return model && model->ops == &plate_ops ? model->data : NULL;
}

static phx_status create_check_def(phx_context *context, const phx_plate_def *def)
{
    const int least = def->theory == PHX_PLATE_MINDLIN ? 1 : 0;

    if (def->theory != PHX_PLATE_KIRCHHOFF && def->theory != PHX_PLATE_MINDLIN)
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: theory %d is unknown", (int)def->theory);
    if (def->order < least || def->order > 2)
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: the order is %d, must be between %d and 2", def->order,
                        least);
    if (def->n_regions < 1 || !def->regions)
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: there must be one region at least");
    return PHX_OK;
}

/* Builds a plate on a mesh: sections, triangles, edges, unknowns and matrices. After an error the model is destroyed by
 * the caller. */
static phx_status create_build(phx_context *context, const phx_mesh *mesh, const phx_plate_def *def,
                               phx_elastic_model *model)
{
    phx_plate *plate = model->data = phx_calloc(context, 1, sizeof *plate);
    phx_status status = plate ? PHX_OK : PHX_ERR_MEMORY;

    model->ops = &plate_ops;
    if (status)
        return status;
    plate->theory = def->theory;
    plate->order = def->order;
    plate->membrane = def->membrane;
    phx_triangle_tabulate(def->order, def->theory == PHX_PLATE_MINDLIN, &plate->tables);
    plate->n_corners = mesh->n_nodes;
    status = phx_plate_add_sections(context, def, plate);
    if (!status)
        status = phx_plate_add_triangles(context, mesh, def, plate);
    if (!status)
        status = phx_plate_find_edges(context, mesh, plate);
    if (!status)
        status = phx_plate_add_unknowns(context, mesh, plate, model);
    return status ? status : phx_elastic_assemble(context, model);
}

/* Creates a plate from a mesh of triangles, which the model takes over on success only; *model is NULL after an
 * error. */
phx_status phx_plate_create(phx_context *context, phx_mesh *mesh, const phx_plate_def *def, phx_elastic_model **model)
{
    if (!mesh || !def || !model)
        return phx_fail_null(context, __func__, "mesh, def or model");
    *model = NULL;
    phx_status status = create_check_def(context, def);
    if (status)
        return status;
    phx_elastic_model *created = phx_calloc(context, 1, sizeof *created);
    status = created ? create_build(context, mesh, def, created) : PHX_ERR_MEMORY;
    if (status) {
        phx_elastic_destroy(created);
        return status;
    }
    created->mesh = *mesh;
    memset(mesh, 0, sizeof *mesh);
    *model = created;
    return PHX_OK;
}
