/* The builder: specification in, finalised system out. */
#include "build.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

phx_build_options phx_build_options_default(void)
{
    return (phx_build_options){0};
}

/* ---- messages ---- */
/* The message begins with a position in the model file. */
static bool has_position(const phx_context *context, const phx_model *model)
{
    const char *message = phx_context_message(context);
    const size_t length = strlen(model->path);

    return !strncmp(message, model->path, length) && message[length] == ':';
}

static phx_status put_position(phx_context *context, const phx_model *model, const void *field, phx_status status)
{
    const phx_model_source where = phx_model_where(model, field);
    if (where.line > 0)
        return phx_fail_prefix(context, status, "%s:%d:%d: ", model->path, where.line, where.column);
    return phx_fail_prefix(context, status, "%s: ", model->path);
}

phx_status phx_builder_at(const phx_builder *builder, const void *field, phx_status status)
{
    if (status == PHX_OK || status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED)
        return status;
    if (status == PHX_ERR_ARGUMENT || status == PHX_SINGULAR || status == PHX_ERR_FILE) /* the model names the file */
        status = PHX_ERR_INPUT;
    if (has_position(builder->context, builder->model)) /* of a part of the field */
        return status;
    return put_position(builder->context, builder->model, field, status);
}

/* Where 'NAME' begins in the message; SIZE_MAX when it does not occur. */
static size_t place_of_name(const char *message, const char *name)
{
    char quoted[300];
    snprintf(quoted, sizeof quoted, "'%s'", name);
    const char *found = strstr(message, quoted);
    return found ? (size_t)(found - message) : SIZE_MAX;
}

/* Whose name comes first in a message. */
typedef struct suspect {
    const char *message;
    size_t first;
    const void *field;
} suspect;

static void blame(suspect *so_far, const char *name, const void *field)
{
    const size_t at = place_of_name(so_far->message, name);
    if (at < so_far->first) {
        so_far->first = at;
        so_far->field = field;
    }
}

/* Adds file, line and column of the object that the message names first to a failure. Does nothing if the message has
 * a position already; returns the status. */
phx_status phx_model_blame(phx_context *context, const phx_model *model, phx_status status)
{
    if (!model || !model->path)
        return phx_fail_null(context, __func__, "model or its path");
    const char *message = phx_context_message(context);
    suspect suspected = {.message = message, .first = SIZE_MAX};

    if (status == PHX_OK || status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED)
        return status;
    if (has_position(context, model))
        return status;
    for (int j = 0; j < model->n_joints; j++)
        blame(&suspected, model->joints[j].name, &model->joints[j]);
    for (int b = 0; b < model->n_bodies; b++)
        blame(&suspected, model->bodies[b].name, &model->bodies[b]);
    for (int i = 0; i < model->n_springs; i++)
        blame(&suspected, model->springs[i].name, &model->springs[i]);
    for (int i = 0; i < model->n_forces; i++)
        blame(&suspected, model->forces[i].name, &model->forces[i]);
    for (int i = 0; i < model->n_loads; i++)
        blame(&suspected, model->loads[i].name, &model->loads[i]);
    for (int i = 0; i < model->n_controllers; i++)
        blame(&suspected, model->controllers[i].name, &model->controllers[i]);
    return put_position(context, model, suspected.field, status);
}

/* ---- building ---- */
static phx_status build_add_all(phx_builder *builder, const phx_build_options *options)
{
    const phx_model *model = builder->model;
    const bool leave_out =
        options->without_outputs && model->n_controllers == 0 && !options->controller; /* which may read them */
    phx_status status = PHX_OK;

    for (int i = 0; i < model->n_bodies && !status; i++)
        status = phx_builder_at(builder, &model->bodies[i], phx_builder_body(builder, &model->bodies[i]));
    for (int i = 0; i < model->n_joints && !status; i++)
        status = phx_builder_at(builder, &model->joints[i], phx_builder_joint(builder, &model->joints[i]));
    for (int i = 0; i < model->n_joints && !status; i++)
        status = phx_builder_at(builder, &model->joints[i], phx_builder_rotors(builder, i));
    for (int i = 0; i < model->n_springs && !status; i++)
        status = phx_builder_at(builder, &model->springs[i], phx_builder_spring(builder, &model->springs[i]));
    for (int i = 0; i < model->n_forces && !status; i++)
        status = phx_builder_at(builder, &model->forces[i], phx_builder_force(builder, &model->forces[i]));
    for (int i = 0; i < model->n_loads && !status; i++)
        status = phx_builder_at(builder, &model->loads[i], phx_builder_load(builder, &model->loads[i]));
    for (int i = 0; i < model->n_outputs && !status && !leave_out; i++)
        status = phx_builder_at(builder, &model->outputs[i], phx_builder_output(builder, &model->outputs[i]));
    for (int i = 0; i < model->n_controllers && !status; i++)
        status =
            phx_builder_at(builder, &model->controllers[i], phx_builder_controller(builder, &model->controllers[i]));
    if (!status && options->controller)
        status = phx_system_add_controller(builder->system, options->controller);
    return status;
}

static phx_status start_off(phx_builder *builder, const void *item, const char *name, bool active)
{
    return active ? PHX_OK : phx_builder_at(builder, item, phx_system_switch_force(builder->system, name, false));
}

/* Forces that events switch can be; springs, forces and loads that do not act at the start. */
static phx_status switch_forces(phx_builder *builder)
{
    const phx_model *model = builder->model;
    phx_system *system = builder->system;
    phx_status status = PHX_OK;

    for (int i = 0; i < model->n_events; i++) {
        const phx_model_event *event = &model->events[i];
        for (int k = 0; k < event->n_on + event->n_off && !status; k++) {
            const char *name = k < event->n_on ? event->on[k] : event->off[k - event->n_on];
            status = phx_builder_at(builder, event, phx_system_switch_force(system, name, true));
        }
    }
    for (int i = 0; i < model->n_springs && !status; i++)
        status = start_off(builder, &model->springs[i], model->springs[i].name, model->springs[i].active);
    for (int i = 0; i < model->n_forces && !status; i++)
        status = start_off(builder, &model->forces[i], model->forces[i].name, model->forces[i].active);
    for (int i = 0; i < model->n_loads && !status; i++)
        status = start_off(builder, &model->loads[i], model->loads[i].name, model->loads[i].active);
    phx_system_begin_switches(system);
    return status;
}

/* The system of all bodies, joints and loads, or of one body alone when `only` is not NULL. */
static phx_status build_build(phx_context *context, const phx_model *model, const phx_build_options *options,
                              const phx_tunables *tunables, const phx_model_body *only, phx_system **system)
{
    phx_builder builder = {.context = context, .model = model, .cache = options->cache, .tunables = tunables};
    phx_beam_cache *own = NULL;
    phx_status status = PHX_OK;

    *system = NULL;
    if (!builder.cache) {
        status = phx_beam_cache_create(context, &own);
        builder.cache = own;
    }
    if (!status)
        phx_beam_cache_begin(builder.cache);
    if (!status)
        status = phx_builder_at(&builder, &model->dimension,
                                phx_system_create(context, model->dimension, model->gravity, &builder.system));
    if (!status)
        status =
            only ? phx_builder_at(&builder, only, phx_builder_body(&builder, only)) : build_add_all(&builder, options);
    for (int k = 0; k < model->n_events && !status && !only; k++)
        status = phx_system_expect_event(builder.system, model->events[k].name);
    if (!status && model->simulate.spectral_radius < 1.0)
        status = phx_system_expect_numerical_damping(builder.system);
    if (!status)
        status = phx_model_blame(context, model, phx_system_finalise(builder.system));
    if (!status && !only)
        status = switch_forces(&builder);
    phx_beam_cache_destroy(own);
    if (status)
        phx_system_destroy(builder.system);
    else
        *system = builder.system;
    return status == PHX_ERR_ARGUMENT || status == PHX_SINGULAR ? PHX_ERR_INPUT : status;
}

phx_status phx_model_build(phx_context *context, const phx_model *model, const phx_build_options *given,
                           phx_system **system)
{
    if (!model || !system)
        return phx_fail_null(context, __func__, "model or system");
    const phx_build_options options = given ? *given : phx_build_options_default();
    return phx_conclude(context, build_build(context, model, &options, NULL, NULL, system));
}

phx_status phx_model_build_open(phx_context *context, const phx_model *model, const phx_build_options *given,
                                const phx_tunables *tunables, phx_system **system)
{
    const phx_build_options options = given ? *given : phx_build_options_default();

    return phx_conclude(context, build_build(context, model, &options, tunables, NULL, system));
}

phx_status phx_model_build_body(phx_context *context, const phx_model *model, int body, phx_system **system)
{
    if (!model || !system)
        return phx_fail_null(context, __func__, "model or system");
    const phx_build_options options = phx_build_options_default();
    *system = NULL;
    if (body < 0 || body >= model->n_bodies)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body %d of a model with %d bodies; the first is 0", body,
                        model->n_bodies);
    return phx_conclude(context, build_build(context, model, &options, NULL, &model->bodies[body], system));
}
