/* Controllers that are FMUs: their keys, and what the system gets. */
#include "build.h"
#include "reader.h"

#include "importer/importer.h"

#include <math.h>
#include <string.h>

/* ---- maps by the name of a variable of the FMU ---- */
static phx_status read_inputs(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    phx_model_controller *c = owner;

    (void)key, (void)field;
    c->n_fmu_inputs = node->count;
    return phx_read_feedback(reader, node, "a map of expressions by the name of an input of the FMU", c, &c->fmu_inputs,
                             &c->feedback);
}

/* Reads the map from outputs of the FMU to actuations. */
static phx_status read_outputs(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    phx_model_controller *c = owner;
    phx_status status = PHX_OK;

    (void)key, (void)field;
    if (node->kind != PHX_NODE_MAP || node->count < 1)
        return phx_reader_expected(reader, node, "a map of actuations by the name of an output of the FMU");
    c->n_outputs = c->n_fmu_outputs = node->count;
    c->outputs = phx_reader_calloc(reader, (size_t)node->count, sizeof *c->outputs);
    c->fmu_outputs = phx_reader_calloc(reader, (size_t)node->count, sizeof *c->fmu_outputs);
    if (!c->outputs || !c->fmu_outputs)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < node->count && !status; k++) {
        c->fmu_outputs[k] = node->items[2 * k]->text;
        status = phx_read_text(reader, node->items[2 * k + 1], "the name of an actuation", &c->outputs[k]);
    }
    return status;
}

/* The names; the values when the FMU says of which type they are. */
static phx_status read_starts(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    phx_model_controller *c = owner;

    (void)key, (void)field;
    if (node->kind != PHX_NODE_MAP || node->count < 1)
        return phx_reader_expected(reader, node, "a map of values by the name of a parameter of the FMU");
    c->n_fmu_starts = node->count;
    c->fmu_starts = phx_reader_calloc(reader, (size_t)node->count, sizeof *c->fmu_starts);
    if (!c->fmu_starts)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < node->count; k++)
        c->fmu_starts[k].name = node->items[2 * k]->text;
    return PHX_OK;
}

#define MAP_JSON(values) "{\"type\": \"object\", \"additionalProperties\": {\"type\": " values "}}"
const phx_type phx_type_fmu_inputs = {"map of expressions", MAP_JSON("[\"string\", \"number\"]"), read_inputs, NULL};
const phx_type phx_type_fmu_outputs = {"map of names", MAP_JSON("\"string\""), read_outputs, NULL};
const phx_type phx_type_fmu_starts = {"map of values", MAP_JSON("[\"string\", \"number\", \"boolean\"]"), read_starts,
                                      NULL};

/* ---- what they must be together ---- */
/* The error of the importer at the place of a name. */
static phx_status at(phx_reader *reader, const phx_node *node, phx_status status)
{
    return status == PHX_ERR_INPUT || status == PHX_ERR_FILE
               ? phx_reader_fail(reader, node, "%s", phx_context_message(reader->context))
               : status;
}

static const phx_node *entry_of(const phx_node *node, const char *key, int k)
{
    return phx_node_find(node, key)->items[k];
}

/* By the type of the variable: a text, true or false, a number. */
static phx_status read_start(phx_reader *reader, const phx_node *name, const phx_node *value, phx_fmu_component *fmu,
                             phx_model_fmu_start *start)
{
    bool is_text = false, yes = false;
    phx_status status = at(reader, name, phx_fmu_component_takes_text(reader->context, fmu, start->name, &is_text));

    if (status)
        return status;
    const bool word = value->kind == PHX_NODE_SCALAR && value->plain &&
                      (!strcmp(value->text, "true") || !strcmp(value->text, "false"));
    if (is_text)
        status = phx_read_text(reader, value, "a text", &start->text);
    else if (word)
        status = phx_type_boolean.read(reader, NULL, value, &yes, NULL);
    else
        status = phx_read_number(reader, value, NULL, &start->number);
    if (!is_text && word)
        start->number = yes;
    if (status)
        return status;
    return at(reader, value, phx_fmu_component_set(reader->context, fmu, start->name, start->number, start->text));
}

/* Checks names and types of inputs, outputs and start values against the FMU; an error gets the position of its entry.
 */
static phx_status controller_fmu_choose(phx_reader *reader, const phx_node *node, phx_model_controller *c,
                                        phx_fmu_component *fmu)
{
    phx_context *context = reader->context;
    phx_status status = PHX_OK;

    for (int k = 0; k < c->n_fmu_inputs && !status; k++)
        status = at(reader, entry_of(node, "inputs", 2 * k), phx_fmu_component_input(context, fmu, c->fmu_inputs[k]));
    for (int k = 0; k < c->n_fmu_outputs && !status; k++)
        status =
            at(reader, entry_of(node, "outputs", 2 * k), phx_fmu_component_output(context, fmu, c->fmu_outputs[k]));
    for (int k = 0; k < c->n_fmu_starts && !status; k++)
        status = read_start(reader, entry_of(node, "parameters", 2 * k), entry_of(node, "parameters", 2 * k + 1), fmu,
                            &c->fmu_starts[k]);
    return status;
}

/* Checks a controller that is an FMU against its file; the sample time defaults to the step of the FMU and must be
 * positive. */
phx_status phx_finish_fmu(phx_reader *reader, const phx_node *node, phx_model_controller *c)
{
    phx_fmu_component *fmu = NULL;
    phx_status status = at(reader, phx_node_of(node, "file"), phx_fmu_component_create(reader->context, c->file, &fmu));

    if (status)
        return status;
    if (!c->sample.given)
        c->sample = (phx_model_optional){.given = true, .value = phx_fmu_component_step(fmu)};
    if (!(c->sample.value > 0.0 && isfinite(c->sample.value)))
        status = phx_reader_fail(reader, node, "the FMU says no step size; give `sample`");
    if (!status)
        status = controller_fmu_choose(reader, node, c, fmu);
    phx_fmu_component_destroy(fmu);
    return status;
}

/* ---- the controller of a system ---- */
typedef struct controller {
    phx_fmu_component *fmu;
    phx_controller_programs *programs; /* of the inputs; NULL: there are none */
    double *inputs;
} controller;

static const double *inputs_at(const controller *control, double t, const double *y)
{
    if (control->programs)
        phx_controller_programs_evaluate(control->programs, t, y, control->inputs);
    return control->inputs;
}

static phx_status controller_fmu_start(phx_context *context, void *data, double t, const double *y)
{
    const controller *control = data;
    return phx_fmu_component_start(context, control->fmu, t, inputs_at(control, t, y));
}

static phx_status controller_fmu_evaluate(phx_context *context, void *data, double t, const double *y, double *u)
{
    const controller *control = data;
    return phx_fmu_component_evaluate(context, control->fmu, t, inputs_at(control, t, y), u);
}

static phx_status controller_fmu_advance(phx_context *context, void *data, double t, double sample)
{
    const controller *control = data;
    return phx_fmu_component_advance(context, control->fmu, t, sample);
}

static void free_controller(void *data)
{
    controller *control = data;

    if (!control)
        return;
    phx_fmu_component_destroy(control->fmu);
    phx_controller_programs_free(control->programs);
    phx_free(control->inputs);
    phx_free(control);
}

/* Prepares the FMU of a controller: feedback programs, selected inputs and outputs, start values and time limit. */
static phx_status controller_fmu_fill(phx_builder *builder, const phx_model_controller *c, controller *control)
{
    phx_context *context = builder->context;

    control->inputs = phx_calloc(context, (size_t)c->n_fmu_inputs, sizeof *control->inputs);
    phx_status status = control->inputs ? phx_fmu_component_create(context, c->file, &control->fmu) : PHX_ERR_MEMORY;
    if (!status && c->n_fmu_inputs > 0)
        status = phx_builder_feedback(builder, c, c->n_fmu_inputs, &control->programs);
    for (int k = 0; k < c->n_fmu_inputs && !status; k++)
        status = phx_fmu_component_input(context, control->fmu, c->fmu_inputs[k]);
    for (int k = 0; k < c->n_fmu_outputs && !status; k++)
        status = phx_fmu_component_output(context, control->fmu, c->fmu_outputs[k]);
    for (int k = 0; k < c->n_fmu_starts && !status; k++)
        status = phx_fmu_component_set(context, control->fmu, c->fmu_starts[k].name, c->fmu_starts[k].number,
                                       c->fmu_starts[k].text);
    if (!status)
        phx_fmu_component_limit(control->fmu, c->time_limit);
    return status;
}

phx_status phx_builder_fmu(phx_builder *builder, const phx_model_controller *c, phx_controller_def *def)
{
    static const phx_controller_external operations = {
        .start = controller_fmu_start, .evaluate = controller_fmu_evaluate, .advance = controller_fmu_advance};
    controller *control = phx_calloc(builder->context, 1, sizeof *control);

    if (!control)
        return PHX_ERR_MEMORY;
    def->external = &operations;
    def->data = control;
    def->free_data = free_controller;
    return controller_fmu_fill(builder, c, control);
}
