/* Signals of time: expressions and tables. */
#include "build.h"
#include "schema_parts.h"

#include <stdio.h>
#include <string.h>

static phx_status signals_make_table(phx_context *context, const phx_table_form *form, phx_signal **signal)
{
    switch ((phx_table_kind)form->kind) {
    case PHX_TABLE_RAMP:
        return phx_signal_create_ramp(context, form->times[0], form->times[1], form->from, form->to, signal);
    case PHX_TABLE_TRAPEZOIDAL:
        return phx_signal_create_trapezoidal(context, form->times[0], form->times[1], form->from, form->to, form->rise,
                                             form->fall.given ? form->fall.value : form->rise, signal);
    default:
        return form->spline ? phx_signal_create_spline(context, form->n_times, form->times, form->values,
                                                       form->rest != 0, signal)
                            : phx_signal_create_table(context, form->n_times, form->times, form->values, signal);
    }
}

static phx_status read_table(phx_reader *reader, const phx_node *node, phx_owned_signal *made)
{
    phx_table_form *form = phx_reader_calloc(reader, 1, sizeof *form);
    if (!form)
        return PHX_ERR_MEMORY;
    phx_status status = phx_read_object(reader, &phx_schema_table, node, form);
    made->form = form;
    return status ? status : signals_make_table(reader->context, form, &made->signal);
}

/* Reads a signal as an expression or a table; the model's content owns the signal. *signal is NULL after a failure. */
phx_status phx_read_signal(phx_reader *reader, const phx_node *node, phx_expression_use use, phx_signal **signal)
{
    phx_owned_signal made = {.use = use};
    *signal = NULL;
    if (node->kind == PHX_NODE_LIST || phx_node_is_null(node))
        return phx_reader_expected(reader, node, "a signal: an expression of t, or a table");
    phx_status status;
    if (node->kind == PHX_NODE_MAP) {
        status = read_table(reader, node, &made);
    } else {
        made.text = node->text;
        status = phx_evaluator_signal(reader->evaluator, node->text, use, &made.signal);
        if (status == PHX_ERR_INPUT)
            return phx_reader_fail_expression(reader, node);
    }
    if (!status)
        status = phx_reader_own_signal(reader, &made);
    if (!status)
        *signal = made.signal;
    return status;
}

/* Creates a second signal from the text of an owned one, in which tunable parameters stay open; the caller owns the
 * copy. */
static phx_status copy_expression(phx_context *context, const phx_model *model, const phx_tunables *tunables,
                                  const phx_owned_signal *from, phx_signal **copy)
{
    phx_evaluator *evaluator = NULL;
    phx_status status = phx_evaluator_create(context, &evaluator);
    if (status)
        return status;
    phx_evaluator_set_parameters(evaluator, model->parameters, &model->store->content.parameters, NULL);
    phx_evaluator_keep_open(evaluator, tunables);
    status = phx_evaluator_signal(evaluator, from->text, from->use, copy);
    if (status == PHX_ERR_INPUT)
        phx_fail(context, status, "%s: %s", model->path, phx_evaluator_expression(evaluator)->error);
    phx_evaluator_destroy(evaluator);
    return status;
}

static phx_status copy_signal(phx_context *context, const phx_model *model, const phx_tunables *tunables,
                              const phx_signal *signal, phx_signal **copy)
{
    *copy = NULL;
    if (!signal)
        return PHX_OK;
    const phx_owned_signal *from = model->store ? phx_content_find_signal(&model->store->content, signal) : NULL;
    if (from && from->text)
        return copy_expression(context, model, tunables, from, copy);
    if (from)
        return signals_make_table(context, from->form, copy);
    return phx_fail(context, PHX_ERR_ARGUMENT, "copying a signal: it does not belong to this model");
}

phx_status phx_model_copy_signal(phx_context *context, const phx_model *model, const phx_signal *signal,
                                 phx_signal **copy)
{
    if (!model || !copy)
        return phx_fail_null(context, __func__, "model or copy");
    return copy_signal(context, model, NULL, signal, copy);
}

phx_status phx_builder_signal(phx_builder *builder, const phx_signal *signal, phx_signal **copy)
{
    return copy_signal(builder->context, builder->model, builder->tunables, signal, copy);
}

/* The table of a CSV file, read when this node is first met. */
static phx_status find_file_table(phx_reader *reader, const phx_node *node, phx_table_form *form)
{
    struct phx_model_store *store = reader->model->store;
    phx_file_table *table = store->tables;
    while (table && (table->source.line != node->source.line || table->source.column != node->source.column))
        table = table->next;
    if (!table) {
        table = phx_arena_calloc(reader->context, &store->document, 1, sizeof *table);
        if (!table)
            return PHX_ERR_MEMORY;
        table->source = node->source;
        phx_status status =
            phx_read_csv(reader, phx_node_find(node, "file"), form->file, form->column, &store->document, table);
        if (status)
            return status;
        table->next = store->tables;
        store->tables = table;
    }
    form->n_times = form->n_values = table->count;
    form->times = table->times;
    form->values = table->values;
    return PHX_OK;
}

static phx_status check_ends(phx_reader *reader, const phx_node *node, const phx_table_form *form)
{
    const phx_node *ends = phx_node_find(node, "ends");
    if (ends && !form->spline)
        return phx_reader_fail(reader, ends, "'ends' belongs to 'interpolation: spline'");
    if (form->spline && form->n_times < 2)
        return phx_reader_fail(reader, node, "a spline needs at least two points, found %d", form->n_times);
    return PHX_OK;
}

static phx_status check_profile(phx_reader *reader, const phx_node *node, const phx_table_form *form)
{
    static const double ROUNDING = 1e-12; /* relative to the time between begin and end */
    const bool ramp = form->kind == PHX_TABLE_RAMP;
    const phx_node *times = phx_node_find(node, ramp ? "ramp" : "trapezoidal");
    const double fall = form->fall.given ? form->fall.value : form->rise;
    if (form->n_times != 2 || !(form->times[1] > form->times[0]))
        return phx_reader_expected(reader, times, "the times [begin, end] of the profile, the end after the begin");
    if (!ramp && !(form->rise + fall <= (form->times[1] - form->times[0]) * (1.0 + ROUNDING)))
        return phx_reader_fail(reader, phx_node_find(node, "rise"),
                               "a profile of %.10g s cannot rise for %.10g s and fall for %.10g s",
                               form->times[1] - form->times[0], form->rise, fall);
    return PHX_OK;
}

/* ---- equal steps ---- */
static const phx_key equal_times_keys[] = {
    {"from", &phx_type_number, AT(phx_table_form, from), .required = true, .unit = "s",
     .doc = "time of the first value"},
    {"to", &phx_type_number, AT(phx_table_form, to), .required = true, .unit = "s", .doc = "time of the last value"},
};
const phx_object phx_schema_equal_times = {"times at equal steps", "As many as there are values.",
                                           TABLE(phx_table_form, equal_times_keys)};

static phx_status read_times(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    if (node->kind == PHX_NODE_MAP)
        return phx_read_object(reader, &phx_schema_equal_times, node, owner);
    return phx_type_numbers.read(reader, key, node, field, owner);
}

static phx_status space_times(phx_reader *reader, const phx_node *times, phx_table_form *form)
{
    if (!(form->to > form->from))
        return phx_reader_fail(reader, phx_node_find(times, "to"), "expected a time after 'from', %.10g, found %.10g",
                               form->from, form->to);
    if (form->n_values < 2)
        return phx_reader_fail(reader, times, "times at equal steps need at least two values, found %d",
                               form->n_values);
    form->n_times = form->n_values;
    form->times = phx_reader_calloc(reader, (size_t)form->n_times, sizeof *form->times);
    for (int i = 0; form->times && i < form->n_times; i++) {
        const double share = i / (form->n_times - 1.0);
        form->times[i] = (1.0 - share) * form->from + share * form->to;
    }
    return form->times ? PHX_OK : PHX_ERR_MEMORY;
}

/* `values` belong to the times as listed; a table from a file has its own check of times in the same words. */
phx_status phx_finish_table(phx_reader *reader, const phx_node *node, void *object)
{
    phx_table_form *form = object;
    if (form->kind == PHX_TABLE_RAMP || form->kind == PHX_TABLE_TRAPEZOIDAL)
        return check_profile(reader, node, form);
    if (form->kind == PHX_TABLE_IN_FILE) {
        phx_status status = find_file_table(reader, node, form);
        return status ? status : check_ends(reader, node, form);
    }
    const phx_node *times = phx_node_find(node, "times");
    const phx_status status = times->kind == PHX_NODE_MAP ? space_times(reader, times, form) : PHX_OK;
    if (status)
        return status;
    if (form->n_times != form->n_values)
        return phx_reader_fail(reader, phx_node_find(node, "values"), "expected as many values as times, %d, found %d",
                               form->n_times, form->n_values);
    for (int i = 1; i < form->n_times; i++)
        if (!(form->times[i] > form->times[i - 1]))
            return phx_reader_fail(reader, times->kind == PHX_NODE_LIST ? times->items[i] : times,
                                   "expected a time after the one before it, %.10g, found %s", form->times[i - 1],
                                   phx_shown_node(times->kind == PHX_NODE_LIST ? times->items[i] : times).text);
    return check_ends(reader, node, form);
}

static phx_status read_signal(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_signal *signal = NULL;
    phx_status status = phx_read_signal(reader, node, PHX_USE_TIME, &signal);
    memcpy(field, &signal, sizeof signal);
    return status;
}

/* Reads a list of exactly `count` signals and records their places. */
static phx_status read_signals(phx_reader *reader, const phx_node *node, int count, phx_expression_use use,
                               phx_signal **signals)
{
    if (phx_reader_list(reader, &node))
        return PHX_ERR_MEMORY;
    if (node->kind != PHX_NODE_LIST || node->count != count) {
        char expected[80];
        snprintf(expected, sizeof expected, "a list of %d signals, one for each component", count);
        return phx_reader_expected(reader, node, expected);
    }
    phx_status status = PHX_OK;
    for (int i = 0; i < count && !status; i++) {
        size_t key_path = phx_key_path_push(reader, NULL, i);
        status = phx_reader_place(reader, &signals[i], 1, node->items[i]->source);
        if (!status)
            status = phx_read_signal(reader, node->items[i], use, &signals[i]);
        phx_key_path_pop(reader, key_path);
    }
    return status;
}

static phx_status read_force(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    return read_signals(reader, node, reader->model->dimension, PHX_USE_TIME, field);
}

static phx_status read_distributed(phx_reader *reader, const phx_key *key, const phx_node *node, void *field,
                                   void *owner)
{
    (void)key, (void)owner;
    return read_signals(reader, node, reader->model->dimension, PHX_USE_TIME_AND_PLACE, field);
}

/* An expression of a place, checked here; it is evaluated when the body is built. */
static phx_status read_profile(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    phx_program *function = NULL;
    const char *text = NULL;
    phx_status status = phx_read_text(reader, node, "an expression of x, y and z", &text);
    if (status)
        return status;
    status = phx_evaluator_place_function(reader->evaluator, text, &function);
    phx_program_destroy(function);
    memcpy(field, &text, sizeof text);
    return status == PHX_ERR_INPUT ? phx_reader_fail_expression(reader, node) : status;
}

static phx_status read_torque(phx_reader *reader, const phx_key *key, const phx_node *node, void *field, void *owner)
{
    (void)key, (void)owner;
    if (reader->model->dimension == 3)
        return read_signals(reader, node, 3, PHX_USE_TIME, field);
    if (node->kind == PHX_NODE_LIST)
        return read_signals(reader, node, 1, PHX_USE_TIME, field);
    return phx_read_signal(reader, node, PHX_USE_TIME, field);
}

#define SIGNAL_JSON  "{\"$ref\": \"#/$defs/signal\"}"
#define SIGNALS_JSON "{\"type\": [\"array\", \"string\"], \"minItems\": 2, \"maxItems\": 3, \"items\": " SIGNAL_JSON "}"

const phx_type phx_type_signal = {"signal", SIGNAL_JSON, read_signal, NULL};
const phx_type phx_type_times = {"list of numbers, or",
                                 "{\"anyOf\": [{\"type\": [\"array\", \"string\"]}, {\"$ref\": "
                                 "\"#/$defs/times_at_equal_steps\"}]}",
                                 read_times, NULL};
const phx_type phx_type_force = {"list of signals", SIGNALS_JSON, read_force, NULL};
const phx_type phx_type_distributed = {"list of signals", SIGNALS_JSON, read_distributed, NULL};
const phx_type phx_type_profile = {"expression", "{\"type\": [\"string\", \"number\"]}", read_profile, NULL};
const phx_type phx_type_torque = {"signal; space: list",
                                  "{\"anyOf\": [" SIGNAL_JSON ", {\"type\": \"array\", \"items\": " SIGNAL_JSON "}]}",
                                  read_torque, NULL};
