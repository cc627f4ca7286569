/* Controllers of the model. */
#include "build.h"
#include "expression.h"
#include "reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- expressions ---- */
/* The texts again as in the reader, with the measurements by their numbers. */
static phx_status fill_functions(phx_builder *builder, const phx_model_controller *c, int count_of_texts,
                                 phx_program **programs)
{
    typedef struct room {
        char names[PHX_MAX_MEASURES][PHX_MAX_MEASURE_NAME], text[PHX_EXPRESSION_MAX + 1];
        phx_expression expression;
    } room;
    phx_evaluator *evaluator = NULL;
    room *r = phx_calloc(builder->context, 1, sizeof *r);
    int count = c->n_inputs;
    phx_status status = r ? phx_evaluator_create(builder->context, &evaluator) : PHX_ERR_MEMORY;

    if (!status)
        phx_evaluator_set_parameters(evaluator, builder->model->parameters, &builder->model->store->content.parameters,
                                     NULL);
    if (!status && c->kind != PHX_MODEL_IDA_PBC)
        phx_evaluator_keep_open(evaluator, builder->tunables);
    for (int k = 0; k < count && !status; k++)
        snprintf(r->names[k], sizeof r->names[k], "%s", c->inputs[k]);
    for (int k = 0; k < count_of_texts && !status; k++) {
        memcpy(r->text, c->feedback[k], strlen(c->feedback[k]) + 1);
        (void)phx_expression_measures(&r->expression, r->text, &count, r->names);
        status = phx_evaluator_measure_function(evaluator, r->text, &programs[k]);
        if (status == PHX_ERR_INPUT)
            phx_fail(builder->context, status, "%s", phx_evaluator_expression(evaluator)->error);
    }
    phx_evaluator_destroy(evaluator);
    phx_free(r);
    return status;
}

phx_status phx_builder_feedback(phx_builder *builder, const phx_model_controller *c, int count,
                                phx_controller_programs **programs)
{
    phx_status status = phx_controller_programs_create(builder->context, c->n_inputs, count, programs);

    if (!status)
        status = fill_functions(builder, c, count, (*programs)->programs);
    if (status) {
        phx_controller_programs_free(*programs);
        *programs = NULL;
    }
    return status;
}

static phx_status make_feedback(phx_builder *builder, const phx_model_controller *c, phx_controller_def *def)
{
    phx_controller_programs *programs = NULL;

    def->function = phx_controller_programs_evaluate;
    def->free_data = phx_controller_programs_free;
    const phx_status status = phx_builder_feedback(builder, c, c->n_outputs, &programs);
    def->data = programs;
    return status;
}

static phx_status make_ida_pbc(phx_builder *builder, const phx_model_controller *c, phx_controller_def *def)
{
    phx_ida_pbc *pbc = NULL;
    phx_status status = phx_ida_pbc_create(builder->context, c->n_coordinates, c->n_outputs, c->actuated, c->K_v.values,
                                           c->region, &pbc);

    def->function = phx_ida_pbc_evaluate;
    def->energy = phx_ida_pbc_energy;
    def->free_data = phx_ida_pbc_free;
    def->data = pbc;
    if (!status)
        status = fill_functions(builder, c, phx_ida_pbc_programs(c->n_coordinates), pbc->programs);
    return status;
}

/* ---- the whole ---- */
static phx_status copy_signals(phx_builder *builder, int count, phx_signal *const *from, phx_signal **to)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < count && !status; k++)
        status = phx_builder_signal(builder, from[k], &to[k]);
    return status;
}

static void split_limits(const phx_model_controller *c, double *lower, double *upper)
{
    for (int k = 0; k < c->n_limits; k++) {
        lower[k] = c->limits[2 * k];
        upper[k] = c->limits[2 * k + 1];
    }
}

static const phx_controller_kind kinds[PHX_MODEL_CONTROLLER_KINDS] = {
    [PHX_MODEL_PID] = PHX_CONTROLLER_PID,
    [PHX_MODEL_STATE_SPACE] = PHX_CONTROLLER_STATE_SPACE,
    [PHX_MODEL_PORT_HAMILTONIAN] = PHX_CONTROLLER_PORT_HAMILTONIAN,
    [PHX_MODEL_EXPRESSION] = PHX_CONTROLLER_FUNCTION,
    [PHX_MODEL_FMU] = PHX_CONTROLLER_EXTERNAL,
    [PHX_MODEL_IDA_PBC] = PHX_CONTROLLER_FUNCTION,
};

/* Translates a controller of the model; its anti-windup gain defaults to ki/kp if both have one sign, else to zero. */
static phx_controller_def definition(const phx_model_controller *c)
{
    const double unwinding = c->ki * c->kp > 0.0 ? c->ki / c->kp : 0.0;

    return (phx_controller_def){.name = c->name,
                                .kind = kinds[c->kind],
                                .n_inputs = c->n_inputs,
                                .inputs = c->inputs,
                                .n_outputs = c->n_outputs,
                                .outputs = c->outputs,
                                .sample = c->sample.given ? c->sample.value : 0.0,
                                .delay = c->delay,
                                .kp = c->kp,
                                .ki = c->ki,
                                .kd = c->kd,
                                .filter = c->filter,
                                .anti_windup = c->anti_windup.given ? c->anti_windup.value : unwinding,
                                .n = c->n_states,
                                .A = c->A.values,
                                .B = c->B.values,
                                .C = c->C.values,
                                .D = c->D.values,
                                .E = c->E.values,
                                .J = c->J.values,
                                .R = c->R.values,
                                .Q = c->Q.values,
                                .P = c->P.values,
                                .S = c->S.values,
                                .N = c->N.values,
                                .initial = c->initial};
}

/* Adds a controller to the system with its references, feedforward, limits and the functions of its kind. The system
 * takes over the definition; after an earlier failure it is released here. */
phx_status phx_builder_controller(phx_builder *builder, const phx_model_controller *c)
{
    phx_context *context = builder->context;
    const size_t in = (size_t)c->n_inputs, out = (size_t)c->n_outputs;
    phx_controller_def def = definition(c);
    phx_signal **references = phx_calloc(context, in, sizeof *references);
    phx_signal **feedforward = phx_calloc(context, out, sizeof *feedforward);
    double *limits = phx_calloc(context, 2 * out, sizeof *limits);
    phx_status status = references && feedforward && limits ? PHX_OK : PHX_ERR_MEMORY;

    def.reference = references;
    def.feedforward = feedforward;
    if (!status)
        status = copy_signals(builder, c->n_reference, c->reference, references);
    for (int k = 0; k < c->n_reference && !status && c->shaper.given; k++)
        status = phx_signal_create_shaped(context, references[k], &c->shaper.shaper, &references[k]);
    if (!status)
        status = copy_signals(builder, c->n_feedforward, c->feedforward, feedforward);
    if (!status && c->kind == PHX_MODEL_EXPRESSION)
        status = make_feedback(builder, c, &def);
    if (!status && c->kind == PHX_MODEL_FMU)
        status = phx_builder_fmu(builder, c, &def);
    if (!status && c->kind == PHX_MODEL_IDA_PBC)
        status = make_ida_pbc(builder, c, &def);
    if (!status && c->n_limits > 0) {
        split_limits(c, limits, limits + out);
        def.lower = limits;
        def.upper = limits + out;
    }
    if (!status) {
        status = phx_system_add_controller(builder->system, &def);
    } else {
        phx_controller_def_release(&def);
    }
    phx_free(references);
    phx_free(feedforward);
    phx_free(limits);
    return status;
}
