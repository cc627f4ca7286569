/* Outputs of the model. */
#include "body_kinds.h"

static const phx_quantity quantities[PHX_MODEL_QUANTITIES] = {
    [PHX_MODEL_POSITION] = PHX_QUANTITY_POSITION,
    [PHX_MODEL_VELOCITY] = PHX_QUANTITY_VELOCITY,
    [PHX_MODEL_ACCELERATION] = PHX_QUANTITY_ACCELERATION,
    [PHX_MODEL_ANGLE] = PHX_QUANTITY_ANGLE,
    [PHX_MODEL_ANGULAR_VELOCITY] = PHX_QUANTITY_ANGULAR_VELOCITY,
    [PHX_MODEL_ATTITUDE] = PHX_QUANTITY_ATTITUDE,
    [PHX_MODEL_DEFORMATION] = PHX_QUANTITY_DEFORMATION,
    [PHX_MODEL_AXIAL_FORCE] = PHX_QUANTITY_AXIAL_FORCE,
    [PHX_MODEL_BENDING_MOMENT] = PHX_QUANTITY_BENDING_MOMENT,
    [PHX_MODEL_TORSION] = PHX_QUANTITY_TORSION,
    [PHX_MODEL_STRESS] = PHX_QUANTITY_STRESS,
    [PHX_MODEL_MEMBRANE_FORCE] = PHX_QUANTITY_MEMBRANE_FORCE,
    [PHX_MODEL_SHEAR_FORCE] = PHX_QUANTITY_SHEAR_FORCE,
    [PHX_MODEL_VON_MISES] = PHX_QUANTITY_VON_MISES,
    [PHX_MODEL_PRINCIPAL_STRESS] = PHX_QUANTITY_PRINCIPAL_STRESS,
    [PHX_MODEL_STRAIN] = PHX_QUANTITY_STRAIN,
    [PHX_MODEL_REACTION] = PHX_QUANTITY_REACTION,
    [PHX_MODEL_COORDINATE] = PHX_QUANTITY_COORDINATE,
    [PHX_MODEL_RATE] = PHX_QUANTITY_RATE,
    [PHX_MODEL_EFFORT] = PHX_QUANTITY_EFFORT,
};

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

/* Of a section: it needs no port there. */
static bool is_of_section(phx_model_quantity quantity)
{
    return quantity == PHX_MODEL_AXIAL_FORCE || quantity == PHX_MODEL_BENDING_MOMENT || quantity == PHX_MODEL_TORSION ||
           quantity == PHX_MODEL_STRESS || quantity == PHX_MODEL_SHEAR_FORCE || quantity == PHX_MODEL_STRAIN;
}

phx_status phx_builder_output(phx_builder *builder, const phx_model_output *output)
{
    const phx_model *model = builder->model;
    phx_output_def def = {.name = output->name,
                          .quantity = quantities[output->quantity],
                          .port = -1,
                          .joint = output->joint,
                          .body_frame = output->frame == PHX_MODEL_BODY_FRAME,
                          .inertial = output->frame == PHX_MODEL_INERTIAL,
                          .at_a = output->quantity == PHX_MODEL_REACTION && output->at == PHX_MODEL_SIDE_A};
    phx_status status = PHX_OK;

    def.on_mesh = output->quantity >= PHX_MODEL_BENDING_MOMENT && output->quantity < PHX_MODEL_REACTION &&
                  phx_body_stresses(&model->bodies[output->point.body]) != PHX_STRESSES_NONE;
    if (def.on_mesh) {
        def.body = output->point.body;
        def.location = output->point.location;
        def.whole = output->point.location.sort == PHX_LOCATION_SORTS;
    } else if (is_of_section(output->quantity))
        status = phx_system_add_section_at(builder->system, output->point.body, &output->point.location, &def.port);
    else if (output->quantity < PHX_MODEL_REACTION)
        status = phx_builder_port(builder, &output->point, &def.port);
    const phx_model_body *body = output->quantity == PHX_MODEL_STRAIN ? &model->bodies[output->point.body] : NULL;
    if (body && !status)
        status = phx_body_row_of(body)->compliance(model, body, output->point.location.fraction, def.compliance);
    phx_model_sections sections;
    if (output->quantity == PHX_MODEL_STRESS && output->point.body != PHX_MODEL_GROUND &&
        phx_model_body_sections(model, &model->bodies[output->point.body], &sections) && sections.section)
        fill_section(model->dimension, sections.section, &def);
    return status ? status : phx_system_add_output(builder->system, &def);
}
