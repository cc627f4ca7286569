/* Outputs, start state, sweeps, and what the whole model must be. */
#include "reader.h"

#include <string.h>

/* ---- outputs ---- */
phx_status phx_begin_output(phx_reader *reader, const phx_node *node, void *object)
{
    (void)reader, (void)node;
    phx_model_output *output = object;
    bool own = output->quantity == PHX_MODEL_DEFORMATION || output->quantity == PHX_MODEL_REACTION;
    output->frame = own ? PHX_MODEL_BODY_FRAME : PHX_MODEL_INERTIAL;
    output->joint = -1;
    output->at = PHX_MODEL_SIDE_B;
    return PHX_OK;
}

/* Does the quantity give one column, named like the output? */
static bool is_scalar(const phx_model *model, const phx_model_output *output)
{
    switch (output->quantity) {
    case PHX_MODEL_ANGLE:
    case PHX_MODEL_AXIAL_FORCE:
    case PHX_MODEL_TORSION:
    case PHX_MODEL_STRESS:
        return true;
    case PHX_MODEL_ANGULAR_VELOCITY:
    case PHX_MODEL_BENDING_MOMENT:
        return model->dimension == 2;
    case PHX_MODEL_COORDINATE:
    case PHX_MODEL_RATE:
    case PHX_MODEL_EFFORT:
        return model->joints[output->joint].n_coordinates == 1;
    default:
        return false;
    }
}

phx_status phx_finish_output(phx_reader *reader, const phx_node *node, void *object)
{
    static const char *const taken[] = {"t",        "kinetic",    "elastic",  "potential", "energy",
                                        "supplied", "dissipated", "residual", "drift",     "drift_rate"};
    const phx_model_output *output = object;
    const phx_model *m = reader->model;
    phx_model_sections sections;
    if (output->quantity == PHX_MODEL_STRESS && phx_model_body_sections(m, &m->bodies[output->point.body], &sections) &&
        (!sections.section || sections.section->kind == PHX_MODEL_GENERAL))
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
    return PHX_OK;
}

/* ---- sweeps ---- */
static phx_status find_parameter(phx_reader *reader, phx_model_sweep *sweep)
{
    const phx_names *names = &reader->content->parameters;
    sweep->parameter = phx_names_find(names, sweep->name);
    if (sweep->parameter >= 0)
        return PHX_OK;
    phx_nearest nearest = phx_nearest_to(sweep->name);
    phx_names_offer(names, &nearest);
    return phx_reader_fail(reader, reader->item, "expected a name under 'parameters', found %s%s",
                           phx_shown_text(sweep->name).text, phx_nearest_hint(&nearest).text);
}

phx_status phx_finish_sweep(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_sweep *sweep = object;
    phx_status status = find_parameter(reader, sweep);
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
    phx_status status = phx_reader_names(reader, &c->materials, m->materials, sizeof *m->materials, m->n_materials);
    if (!status)
        status = phx_reader_names(reader, &c->bodies, m->bodies, sizeof *m->bodies, m->n_bodies);
    if (!status)
        status = phx_reader_names(reader, &c->joints, m->joints, sizeof *m->joints, m->n_joints);
    return status;
}
