/* Outputs of the model. */
#include "body_kinds.h"

#include "continuum/continuum.h"

/* Distances of the extreme fibres, area and second moments, in the order of the bending moments: Mz in the plane, My
 * and Mz in space. */
static void fill_section(int dim, const phx_model_section *section, phx_output_def *def)
{
    def->area = section->area;
    if (dim == 2) {
        def->fibre[0] = section->fibre[0];
        def->inertia[0] = section->inertia[1];
    } else {
        def->fibre[0] = section->fibre[1];
        def->fibre[1] = section->fibre[0];
        def->inertia[0] = section->inertia[0];
        def->inertia[1] = section->inertia[1];
    }
}

/* Adds an output to the system at a port, a section, a joint or on a mesh, with section properties for strains and
 * stresses. */
phx_status phx_builder_output(phx_builder *builder, const phx_model_output *output)
{
    const phx_model *model = builder->model;
    const phx_quantity_target of = phx_system_quantity_info(output->quantity)->of;
    phx_output_def def = {.name = output->name,
                          .quantity = output->quantity,
                          .port = -1,
                          .joint = output->joint,
                          .force = output->force,
                          .body_frame = output->frame == PHX_MODEL_BODY_FRAME,
                          .inertial = output->frame == PHX_MODEL_INERTIAL,
                          .at_a = output->quantity == PHX_QUANTITY_REACTION && output->at == PHX_MODEL_SIDE_A};
    phx_status status = PHX_OK;

    def.on_mesh = (of == PHX_OF_SECTION || of == PHX_OF_MESH) &&
                  phx_body_stresses(&model->bodies[output->point.body]) != PHX_STRESSES_NONE;
    if (def.on_mesh) {
        const phx_flex_source *source = phx_system_source(builder->system, output->point.body);
        const phx_elastic_model *mesh = source ? phx_continuum_model(source) : NULL;
        if (mesh && mesh->no_stresses)
            return phx_fail(builder->context, PHX_ERR_ARGUMENT, "output '%s': the stresses of '%s' are not known: %s",
                            output->name, model->bodies[output->point.body].name, mesh->no_stresses);
        def.body = output->point.body;
        def.location = output->point.location;
        def.whole = output->point.location.sort == PHX_LOCATION_SORTS;
    } else if (of == PHX_OF_SECTION) /* it needs no port there */
        status = phx_system_add_section_at(builder->system, output->point.body, &output->point.location, &def.port);
    else if (of == PHX_OF_PORT)
        status = phx_builder_port(builder, &output->point, &def.port);
    const phx_model_body *body = output->quantity == PHX_QUANTITY_STRAIN ? &model->bodies[output->point.body] : NULL;
    if (body && !status)
        status = phx_body_row_of(body)->compliance(model, body, output->point.location.fraction, def.compliance);
    phx_model_section section;
    if (output->quantity == PHX_QUANTITY_STRESS && output->point.body != PHX_MODEL_GROUND &&
        phx_model_section_at(model, &model->bodies[output->point.body], output->point.location.fraction, &section))
        fill_section(model->dimension, &section, &def);
    return status ? status : phx_system_add_output(builder->system, &def);
}
