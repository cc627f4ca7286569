/* phlexor modes */
#include "cli.h"

#include <phlexor/study.h>

#include <stdlib.h>
#include <string.h>

typedef struct modes_arguments {
    const char *model, *format, *output, *at;
    int count;
    cli_list set, sweep;
} modes_arguments;

/* ---- sweeps on the command line: name=from:to:count ---- */
static phx_status malformed(phx_context *context, const char *text)
{
    return phx_fail(context, PHX_ERR_INPUT, "--sweep: expected name=from:to:count, found '%s'", text);
}

static phx_status parameter_of(phx_context *context, const phx_model *model, const char *name)
{
    if (phx_model_find_parameter(model, name) >= 0)
        return PHX_OK;
    const char **words = phx_calloc(context, (size_t)model->n_parameters + 1, sizeof *words);
    if (!words)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < model->n_parameters; k++)
        words[k] = model->parameters[k].name;
    const char *nearest = cli_nearest(name, words);
    phx_free((void *)words);
    return nearest ? phx_fail(context, PHX_ERR_INPUT, "--sweep: %s has no parameter '%s'; did you mean '%s'?",
                              model->path, name, nearest)
                   : phx_fail(context, PHX_ERR_INPUT, "--sweep: %s has no parameters", model->path);
}

/* `copy` is the text, to be cut into its parts. */
static phx_status add_sweep(phx_context *context, const phx_model *model, const char *text, char *copy,
                            phx_sweep *sweep)
{
    char *equals = strchr(copy, '='), *first = equals ? strchr(equals, ':') : NULL;
    char *second = first ? strchr(first + 1, ':') : NULL, *end = NULL;
    double from = 0.0, to = 0.0;

    if (!second || equals == copy)
        return malformed(context, text);
    *equals = *first = *second = '\0';
    const long count = strtol(second + 1, &end, 10);
    if (end == second + 1 || *end || count < 1 || count > 1000000)
        return phx_fail(context, PHX_ERR_INPUT,
                        "--sweep: expected a count from 1 to 1000000 at the end of '%s', found '%s'", text, second + 1);
    phx_status status = parameter_of(context, model, copy);
    if (!status)
        status = phx_model_evaluate(context, model, "--sweep", equals + 1, &from);
    if (!status)
        status = phx_model_evaluate(context, model, "--sweep", first + 1, &to);
    if (!status)
        status = phx_sweep_add_range(sweep, copy, from, to, (int)count);
    return status == PHX_ERR_ARGUMENT ? PHX_ERR_INPUT : status;
}

static phx_status make_sweep(phx_context *context, const phx_model *model, const cli_list *list, phx_sweep **sweep)
{
    if (list->count == 0)
        return phx_sweep_from_model(context, model, sweep);
    phx_status status = phx_sweep_create(context, sweep);
    for (int k = 0; k < list->count && !status; k++) {
        char *copy = phx_strdup(context, list->items[k]);
        status = copy ? add_sweep(context, model, list->items[k], copy, *sweep) : PHX_ERR_MEMORY;
        phx_free(copy);
    }
    return status;
}

/* ---- output ---- */
static bool is_stdout(const char *output)
{
    return !output || !strcmp(output, "-");
}

static int choose_format(const cli_command *command, const modes_arguments *given, phx_modes_format *format)
{
    const char *name = given->format;
    const bool h5 = !is_stdout(given->output) && cli_ends_with(given->output, ".h5");

    if (h5 && name)
        return cli_usage_error(command, "--format %s does not go with '%s', which is HDF5; leave one of them out", name,
                               given->output);
    if (!name && !is_stdout(given->output))
        name = cli_ends_with(given->output, ".json") ? "json" : cli_ends_with(given->output, ".csv") ? "csv" : "table";
    if (h5)
        *format = PHX_MODES_HDF5;
    else if (name && !strcmp(name, "json"))
        *format = PHX_MODES_JSON;
    else if (name && !strcmp(name, "csv"))
        *format = PHX_MODES_CSV;
    else
        *format = PHX_MODES_TEXT;
    return -1;
}

static phx_status write_table(phx_context *context, const modes_arguments *given, phx_modes_format format,
                              const phx_modes_table *table)
{
    if (is_stdout(given->output))
        return phx_modes_print(context, table, format, stdout, "standard output");
    return phx_modes_write(context, table, format, given->output);
}

static void print_summary(const modes_arguments *given, const phx_modes_table *table,
                          const phx_study_modes_report *report)
{
    if (report->unstable > 0)
        fprintf(stderr, "phlexor: warning: %d %s (negative damping)\n", report->unstable,
                report->unstable == 1 ? "mode grows" : "modes grow");
    if (!is_stdout(given->output))
        printf("%d mode%s at %d point%s: %s\n", table->n_rows, table->n_rows == 1 ? "" : "s", table->n_points,
               table->n_points == 1 ? "" : "s", given->output);
}

static int modes(const cli_command *command, phx_context *context, const modes_arguments *given)
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_study_modes_report report;
    phx_modes_format format = PHX_MODES_TEXT;
    phx_modes_table table = {0};
    phx_model *model = NULL;
    phx_sweep *sweep = NULL;
    int status = choose_format(command, given, &format);

    if (status < 0)
        status = cli_writable(given->output);
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0) {
        phx_status result = make_sweep(context, model, &given->sweep, &sweep);
        options.count = given->count;
        options.has_at = given->at != NULL;
        options.at = given->at && !strcmp(given->at, "steady") ? PHX_MODEL_AT_STEADY : PHX_MODEL_AT_INITIAL;
        options.sweep = sweep;
        options.with_shapes = format == PHX_MODES_JSON || format == PHX_MODES_HDF5;
        if (!result)
            result = phx_study_modes(context, model, &options, &table, &report);
        cli_progress_done();
        if (!result)
            result = write_table(context, given, format, &table);
        if (!result)
            print_summary(given, &table, &report);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
    return status;
}

int cli_modes(const cli_command *command, phx_context *context, int argc, char **argv)
{
    modes_arguments given = {0};
    const cli_option options[] = {
        {"--count", 0, OPTION_COUNT, "N", "number of modes (default: the model's, else 6)", &given.count},
        {"--at", 0, OPTION_CHOICE, "initial|steady", "at rest, or turning with the drives (default: the model's)",
         &given.at},
        {"--sweep", 0, OPTION_LIST, "NAME=FROM:TO:COUNT", "points of a parameter; several multiply", &given.sweep},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--format", 0, OPTION_CHOICE, "table|csv|json", "default: table, or what FILE ends with", &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "instead of standard output; FILE.h5: HDF5", &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = modes(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
