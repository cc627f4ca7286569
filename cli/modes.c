/* phlexor modes */
#include "cli.h"
#include "results/results.h"

#include <phlexor/study.h>

#include <stdlib.h>
#include <string.h>

typedef struct modes_arguments {
    const char *model, *format, *output, *at;
    int count, threads;
    bool yes;
    cli_list set, sweep;
} modes_arguments;

/* ---- output ---- */
static bool is_stdout(const char *output)
{
    return !output || !strcmp(output, "-");
}

/* The format of the table from --format or the ending of --output; -1, or a usage error if the two contradict each
 * other. */
static int choose_format(const cli_command *command, const modes_arguments *given, phx_modes_format *format)
{
    const char *name = given->format;
    const bool h5 = !is_stdout(given->output) && cli_ends_with(given->output, ".h5"),
               workbook = !is_stdout(given->output) && cli_ends_with(given->output, ".xlsx");

    if ((h5 || workbook) && name)
        return cli_usage_error(command, "--format %s contradicts '%s', which is %s; give only one of them", name,
                               given->output, h5 ? "HDF5" : "a workbook");
    if (!name && !is_stdout(given->output))
        name = cli_ends_with(given->output, ".json") ? "json" : cli_ends_with(given->output, ".csv") ? "csv" : "table";
    if (h5 || workbook)
        *format = h5 ? PHX_MODES_HDF5 : PHX_MODES_XLSX;
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

static void modes_print_summary(const modes_arguments *given, const phx_modes_table *table,
                                const phx_study_modes_report *report)
{
    if (report->unstable > 0)
        cli_say(CLI_WARNING, NULL, "%d %s (negative damping)", report->unstable,
                report->unstable == 1 ? "mode grows" : "modes grow");
    if (!is_stdout(given->output))
        printf("%d mode%s at %d point%s: %s\n", table->n_rows, table->n_rows == 1 ? "" : "s", table->n_points,
               table->n_points == 1 ? "" : "s", given->output);
}

static int agree(phx_context *context, const phx_model *model, const modes_arguments *given,
                 const phx_study_modes_options *options)
{
    phx_run_size size;
    const phx_status status = phx_study_modes_size(context, model, options, &size);

    return status ? cli_failed(context, status) : cli_agree(context, &size, given->yes, "fewer points");
}

/* Reads the model, sweeps its parameters, computes modes and writes their table; the exit status. */
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
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0)
        status = cli_writable(context, 1, &given->output);
    if (status < 0) {
        phx_status result = given->sweep.count ? cli_make_sweep(context, model, &given->sweep, &sweep)
                                               : phx_sweep_from_model(context, model, &sweep);
        options.count = given->count;
        options.has_at = given->at != NULL;
        options.at = cli_at(given->at);
        options.sweep = sweep;
        options.threads = cli_threads(given->threads);
        options.with_shapes = format == PHX_MODES_JSON || format == PHX_MODES_HDF5;
        status = result ? cli_failed(context, result) : agree(context, model, given, &options);
    }
    if (status < 0) {
        phx_status result = phx_study_modes(context, model, &options, &table, &report);
        cli_progress_done();
        if (!result)
            result = write_table(context, given, format, &table);
        if (!result)
            modes_print_summary(given, &table, &report);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
    return status;
}

/* phlexor modes: reads the options, then computes frequencies and mode shapes; the exit status. */
int cli_modes(const cli_command *command, phx_context *context, int argc, char **argv)
{
    modes_arguments given = {0};
    const cli_option options[] = {
        {"--count", 0, OPTION_COUNT, "N", "number of modes (default: the model's, else 6)", &given.count},
        {"--at", 0, OPTION_CHOICE, "start|static|steady|initial",
         "the start, the equilibrium at rest, or turning with the drives (default: the model's)", &given.at},
        {"--sweep", 0, OPTION_LIST, "NAME=FROM:TO:COUNT", "points of a parameter; several multiply", &given.sweep},
        {"--threads", 0, OPTION_COUNT, "N", "threads for the points (default: all processors)", &given.threads},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--yes", 0, OPTION_FLAG, NULL, "do what makes very many points or instants", &given.yes},
        {"--format", 0, OPTION_CHOICE, "table|csv|json", "default: table, or what FILE ends with", &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "instead of standard output; FILE.h5: HDF5, FILE.xlsx: a workbook",
         &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = modes(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
