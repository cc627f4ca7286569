/* Outputs, start state, sweeps, and what the whole model must be. */
#include "body_kinds.h"
#include "segments.h"

#include <string.h>

/* ---- outputs ---- */
phx_status phx_begin_output(phx_reader *reader, const phx_node *node, void *object)
{
    (void)reader, (void)node;
    phx_model_output *output = object;
    bool own = output->quantity == PHX_QUANTITY_DEFORMATION || output->quantity == PHX_QUANTITY_REACTION;
    output->frame = own ? PHX_MODEL_BODY_FRAME : PHX_MODEL_INERTIAL;
    output->joint = -1;
    output->at = PHX_MODEL_SIDE_B;
    return PHX_OK;
}

/* Whether the quantity gives one column, named like the output. */
static bool is_scalar(const phx_model *model, const phx_model_output *output)
{
    const phx_quantity_info *info = phx_system_quantity_info(output->quantity);
    const char *components = model->dimension == 2 ? info->plane : info->space;

    return components ? !*components : model->joints[output->joint].n_coordinates == 1;
}

/* ---- stresses ---- */
static bool is_given(const char *bodies, const phx_model_body_info *info, phx_stress_set set)
{
    return (info->sections && strstr(bodies, "beam")) || (info->shear && strstr(bodies, "rod")) ||
           (set == PHX_STRESSES_PLATE && strstr(bodies, "plate")) ||
           (set == PHX_STRESSES_SOLID && strstr(bodies, "solid"));
}

/* Numbers that say a place of it. */
static int places_of(phx_stress_set set)
{
    return set == PHX_STRESSES_PLATE ? 2 : set == PHX_STRESSES_SOLID ? 3 : 0;
}

/* A point of the body, or its name with a place or as a whole. */
static phx_status check_target(phx_reader *reader, const phx_node *node, const phx_node *target,
                               const phx_model_output *output, phx_stress_set set)
{
    const phx_node *place = phx_node_find(node, "place");
    const bool named = output->point.location.sort == PHX_LOCATION_SORTS;
    const bool extreme =
        output->quantity == PHX_QUANTITY_VON_MISES || output->quantity == PHX_QUANTITY_PRINCIPAL_STRESS;
    const char *body = reader->model->bodies[output->point.body].name;

    if (place && place->count != places_of(set))
        return phx_reader_fail(reader, place, "%s",
                               set == PHX_STRESSES_NONE ? "'place' is for plates and solids; name a point like body@0.5"
                               : set == PHX_STRESSES_PLATE ? "expected the x and y of a place of the plate"
                                                           : "expected the x, y and z of a place of the solid");
    if (place && !named)
        return phx_reader_fail(reader, target, "'place' says where; expected the name of the body, '%s'", body);
    if (named && !place && !extreme)
        return phx_reader_fail(reader, target, "expected a point like %s, found %s%s%s",
                               set == PHX_STRESSES_NONE ? "body@0.5" : "body@12 (the number of a node) or body.PORT",
                               phx_shown_text(target->text).text, set == PHX_STRESSES_NONE ? "" : "; or add 'place'",
                               set == PHX_STRESSES_NONE ? "" : "; a whole body has 'von_mises' and 'principal_stress'");
    return PHX_OK;
}

/* Checks that an output of stress or section force names a point on a body that has this quantity; a place that is
 * given becomes its location. */
static phx_status check_stress_output(phx_reader *reader, const phx_node *node, phx_model_output *output)
{
    const char *bodies = phx_system_quantity_info(output->quantity)->bodies;
    if (!bodies)
        return PHX_OK;
    const phx_node *target = phx_node_find(node, phx_model_quantity_name(output->quantity));
    const phx_model_body *body = &reader->model->bodies[output->point.body];
    const phx_model_body_info *info = phx_model_body_info_of(body);
    const phx_stress_set set = phx_body_stresses(body);

    if (!is_given(bodies, info, set))
        return phx_reader_fail(reader, target, "expected a point of a %s like body@0.5 or body@12, %s is %s", bodies,
                               body->name, info->is);
    const phx_status status = check_target(reader, node, target, output, set);
    if (!status && phx_node_find(node, "place"))
        output->point.location = phx_location_at_place(3, output->place);
    return status;
}

/* Checks an output after reading: stresses need a suitable body and section, deformations a single frame, and the name
 * must differ from the fixed columns of results. */
phx_status phx_finish_output(phx_reader *reader, const phx_node *node, void *object)
{
    static const char *const taken[] = {"t",        "kinetic",    "elastic",  "potential", "energy",
                                        "supplied", "dissipated", "residual", "drift",     "drift_rate"};
    phx_model_output *output = object;
    const phx_model *m = reader->model;
    phx_model_sections sections;
    phx_model_section section;
    const phx_status status = check_stress_output(reader, node, output);
    if (status)
        return status;
    if (output->quantity == PHX_QUANTITY_DEFORMATION && phx_segments_of_point(reader, &output->point))
        return phx_reader_fail(reader, phx_node_find(node, "deformation"),
                               "'%s' is cut in segments, each with a frame of its own; take the position, or the "
                               "deformation in a segment, '%s@...'",
                               m->bodies[output->point.body].whole, m->bodies[output->point.body].name);
    if (output->quantity == PHX_QUANTITY_STRESS &&
        phx_model_body_sections(m, &m->bodies[output->point.body], &sections) &&
        (!phx_model_section_at(m, &m->bodies[output->point.body], output->point.location.fraction, &section) ||
         section.kind == PHX_MODEL_GENERAL))
        return phx_reader_fail(reader, phx_node_find(node, "stress"),
                               "the stress of '%s' needs the distance of the extreme fibres, which a section of kind "
                               "'general' does not give; use circle, tube or rectangle",
                               m->bodies[output->point.body].name);
    for (size_t k = 0; k < sizeof taken / sizeof taken[0]; k++)
        if (!strcmp(output->name, taken[k]) && is_scalar(m, output))
            return phx_reader_fail(
                reader, node, "column '%s' always exists in the results; give the output another name", output->name);
    return PHX_OK;
}

/* ---- start state ---- */
phx_status phx_finish_initial(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_initial *initial = object;
    if (initial->from && phx_node_find(node, "deformation"))
        return phx_reader_fail(reader, phx_node_find(node, "from"),
                               "'from' and 'deformation' do not go together; a continued run keeps its deformation");
    if (initial->from && initial->equilibrium)
        return phx_reader_fail(reader, phx_node_find(node, "equilibrium"),
                               "'from' and 'equilibrium' do not go together; a continued run starts where it ended");
    if (initial->equilibrium && phx_node_find(node, "deformation"))
        return phx_reader_fail(reader, phx_node_find(node, "deformation"),
                               "'equilibrium' is that of the deformations too; leave 'deformation' out");
    return PHX_OK;
}

/* ---- sweeps ---- */
phx_status phx_find_item_parameter(phx_reader *reader, int *parameter)
{
    const phx_names *names = &reader->content->parameters;
    const char *name = reader->item->text;
    if (phx_names_range(names, name, parameter) > 0)
        return PHX_OK;
    return phx_reader_fail(reader, reader->item, "expected a name under 'parameters', found %s%s",
                           phx_shown_text(name).text, phx_names_hint(names, name).text);
}

/* Completes a sweep: finds its parameter, bounds the number of points to 1e7, and fills the values of a range at equal
 * steps. */
phx_status phx_finish_sweep(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_sweep *sweep = object;
    phx_status status = phx_find_item_parameter(reader, &sweep->parameter);
    if (status)
        return status;
    reader->sweep_points *= sweep->count;
    if (reader->sweep_points > 1e7)
        return phx_reader_fail(reader, node,
                               "the sweep has %.10g points in all, more than 1e7; take fewer, or give more by --sweep",
                               reader->sweep_points);
    if (sweep->kind == PHX_MODEL_VALUES)
        return PHX_OK;
    if (sweep->count == 1 && sweep->from != sweep->to)
        return phx_reader_fail(reader, phx_node_find(node, "count"),
                               "expected a count of at least 2 from %.10g to %.10g, "
                               "found 1",
                               sweep->from, sweep->to);
    sweep->values = phx_reader_calloc(reader, (size_t)sweep->count, sizeof *sweep->values);
    if (!sweep->values)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < sweep->count; i++) {
        double share = sweep->count > 1 ? i / (sweep->count - 1.0) : 0.0;
        sweep->values[i] = (1.0 - share) * sweep->from + share * sweep->to;
    }
    return PHX_OK;
}

/* ---- the whole: names for questions later ---- */
phx_status phx_finish_model(phx_reader *reader, const phx_node *node, void *object)
{
    (void)node;
    const phx_model *m = object;
    phx_content *c = reader->content;
    phx_status status = phx_segments_finish(reader);
    if (!status)
        status = phx_reader_names(reader, &c->materials, m->materials, sizeof *m->materials, m->n_materials);
    if (!status)
        status = phx_reader_names(reader, &c->bodies, m->bodies, sizeof *m->bodies, m->n_bodies);
    if (!status)
        status = phx_reader_names(reader, &c->joints, m->joints, sizeof *m->joints, m->n_joints);
    return status;
}
