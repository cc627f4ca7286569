/* Laws of springs and dampers, end stops, friction: their keys, and what the system gets of them. */
#include "build.h"
#include "reader.h"

#include <string.h>

/* ---- reading ---- */
static phx_status read_function(phx_reader *reader, const phx_node *node, phx_expression_use use, void *field)
{
    phx_signal *signal = NULL;
    if (node->kind != PHX_NODE_SCALAR || phx_node_is_null(node))
        return phx_reader_expected(reader, node, use == PHX_USE_STROKE ? "an expression of x" : "an expression of v");
    const phx_status status = phx_read_signal(reader, node, use, &signal);
    memcpy(field, &signal, sizeof signal);
    return status;
}

static phx_status read_stroke_function(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                       void *owner)
{
    (void)key, (void)owner;
    return read_function(reader, node, PHX_USE_STROKE, field);
}

static phx_status read_rate_function(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                     void *owner)
{
    (void)key, (void)owner;
    return read_function(reader, node, PHX_USE_RATE, field);
}

#define EXPRESSION_JSON "{\"type\": [\"string\", \"number\"]}"
const phx_type phx_type_stroke_function = {"expression of x", EXPRESSION_JSON, read_stroke_function, NULL};
const phx_type phx_type_rate_function = {"expression of v", EXPRESSION_JSON, read_rate_function, NULL};

/* The points of a table, as a signal of its argument. */
static phx_status own_table(phx_reader *reader, const phx_node *node, const char *argument, phx_model_law *law)
{
    phx_owned_signal made = {.signal = NULL};
    if (law->n_arguments != law->n_values)
        return phx_reader_fail(reader, phx_node_find(node, "f"), "expected as many values as %s, %d, found %d",
                               argument, law->n_arguments, law->n_values);
    for (int i = 1; i < law->n_arguments; i++)
        if (!(law->arguments[i] > law->arguments[i - 1]))
            return phx_reader_fail(reader, phx_node_find(node, argument)->items[i],
                                   "expected a value after the one before it, %.10g, found %.10g",
                                   law->arguments[i - 1], law->arguments[i]);
    phx_table_form *form = phx_reader_calloc(reader, 1, sizeof *form);
    if (!form)
        return PHX_ERR_MEMORY;
    form->n_times = form->n_values = law->n_arguments;
    form->times = law->arguments;
    form->values = law->values;
    made.form = form;
    phx_status status =
        phx_signal_create_table(reader->context, law->n_arguments, law->arguments, law->values, &made.signal);
    if (!status)
        status = phx_reader_own_signal(reader, &made);
    law->f = status ? NULL : made.signal;
    return status;
}

phx_status phx_finish_law(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_law *law = object;
    if (law->kind == PHX_MODEL_LAW_EXPRESSION && !(law->range[0] < law->range[1]))
        return phx_reader_fail(reader, phx_node_find(node, "range"), "expected an ascending range, found [%g, %g]",
                               law->range[0], law->range[1]);
    return law->kind == PHX_MODEL_LAW_TABLE ? own_table(reader, node, "x", law) : PHX_OK;
}

phx_status phx_finish_damper(phx_reader *reader, const phx_node *node, void *object)
{
    phx_model_law *law = object;
    return law->kind == PHX_MODEL_LAW_TABLE ? own_table(reader, node, "v", law) : PHX_OK;
}

phx_status phx_finish_stops(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_stops *stops = object;
    if (!stops->lower.given && !stops->upper.given)
        return phx_reader_fail(reader, node, "stops without 'lower' and 'upper' never stop anything");
    if (stops->lower.given && stops->upper.given && !(stops->lower.value < stops->upper.value))
        return phx_reader_fail(reader, phx_node_find(node, "upper"), "expected a value above lower, %g, found %g",
                               stops->lower.value, stops->upper.value);
    if (stops->exponent != 1.0 && stops->exponent != 1.5)
        return phx_reader_fail(reader, phx_node_find(node, "exponent"), "expected 1 or 1.5, found %g", stops->exponent);
    return PHX_OK;
}

static double static_ratio(const phx_model_friction *friction)
{
    return friction->ratio.given       ? friction->ratio.value
           : friction->breakaway.given ? friction->breakaway.value / friction->force
                                       : 1.0;
}

/* Checks friction: static at least kinetic, given in one way only, and with a Stribeck rate if it is regularised and
 * static exceeds kinetic. */
phx_status phx_finish_friction(phx_reader *reader, const phx_node *node, void *object)
{
    const phx_model_friction *friction = object;
    if (friction->breakaway.given && friction->breakaway.value < friction->force)
        return phx_reader_fail(reader, phx_node_find(node, "static"),
                               "expected at least the kinetic friction, %g, found %g", friction->force,
                               friction->breakaway.value);
    if (friction->breakaway.given && friction->ratio.given)
        return phx_reader_fail(reader, phx_node_find(node, "ratio"), "static friction is given by 'static' already");
    if (friction->breakaway.given && friction->force == 0.0)
        return phx_reader_fail(reader, phx_node_find(node, "static"),
                               "static friction beside a kinetic 'force' of 0; give 'ratio', static over kinetic");
    if (friction->ratio.given && !(friction->ratio.value >= 1.0))
        return phx_reader_fail(reader, phx_node_find(node, "ratio"), "expected at least 1, found %g",
                               friction->ratio.value);
    if (static_ratio(friction) > 1.0 && friction->stribeck == 0.0 && friction->regularised > 0.0)
        return phx_reader_fail(reader, node,
                               "static friction above the kinetic one needs 'stribeck', the rate at which it falls");
    return PHX_OK;
}

/* ---- building ---- */
phx_status phx_builder_law(phx_builder *builder, const phx_model_law *law, phx_law **made)
{
    phx_signal *f = NULL;
    if (!law->given)
        return PHX_OK;
    if (law->kind == PHX_MODEL_LAW_GAS)
        return phx_law_create_gas(builder->context, law->force, law->length, law->exponent, made);
    phx_status status = phx_model_copy_signal(builder->context, builder->model, law->f, &f);
    if (!status)
        status = phx_law_create(builder->context, f, law->range[0], law->range[1], made);
    phx_signal_destroy(f);
    return status;
}

phx_status phx_builder_damper(phx_builder *builder, const phx_model_law *damper, phx_signal **made)
{
    return damper->given ? phx_model_copy_signal(builder->context, builder->model, damper->f, made) : PHX_OK;
}

phx_friction phx_builder_friction(const phx_model_friction *friction)
{
    if (!friction->given)
        return (phx_friction){0};
    return (phx_friction){.kinetic = friction->force,
                          .ratio = static_ratio(friction),
                          .stribeck = friction->stribeck,
                          .regularised = friction->regularised};
}
