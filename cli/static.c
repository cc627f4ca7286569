/* phlexor static */
#include "cli.h"
#include "results/results.h"

#include <phlexor/study.h>

#include <string.h>

typedef struct static_arguments {
    const char *model, *output, *csv, *format, *time, *to, *stride;
    int steps, buckling, points;
    bool stable, path, branch, steady;
    cli_list set;
} static_arguments;

static int check_arguments(const cli_command *command, const static_arguments *given)
{
    if (!given->path && (given->to || given->stride || given->points || given->branch))
        return cli_usage_error(command, "--to, --stride, --points and --branch need --path");
    if (given->path && (given->steps || given->stable || given->buckling))
        return cli_usage_error(command, "--steps, --stable and --buckling cannot be combined with --path");
    if (given->steady && (given->path || given->steps || given->stable || given->buckling))
        return cli_usage_error(command, "--steady cannot be combined with --path, --steps, --stable or --buckling");
    if (given->output && !cli_ends_with(given->output, ".h5") && !cli_ends_with(given->output, ".csv") &&
        !cli_ends_with(given->output, ".json"))
        return cli_usage_error(command, "--output: expected FILE.h5, FILE.csv or FILE.json, found '%s'", given->output);
    return -1;
}

static int static_read_numbers(const cli_command *command, phx_context *context, const phx_model *model,
                               const static_arguments *given, phx_study_static_options *options)
{
    phx_model_optional to = {.value = options->to}, stride = {0};
    int status = cli_read_number(command, "--time", given->time, &options->t);

    if (status < 0)
        status = cli_positive(context, model, "--to", given->to, &to);
    if (status < 0)
        status = cli_positive(context, model, "--stride", given->stride, &stride);
    options->to = to.value;
    options->stride = stride.value;
    return status;
}

/* Writes the equilibrium to --output if it is JSON and prints it as text or JSON. */
static phx_status static_put(phx_context *context, const phx_model *model, const static_arguments *given,
                             const phx_study_static_report *report, const phx_result *result)
{
    const bool to_stdout = given->csv && !strcmp(given->csv, "-");
    FILE *out = to_stdout ? stderr : stdout;
    phx_status status = PHX_OK;

    if (given->output && cli_ends_with(given->output, ".json"))
        status = phx_static_report_save(context, model, report, result, given->output);
    if (!status && given->format && !strcmp(given->format, "json"))
        return phx_static_report_json(context, model, report, result, out);
    if (!status)
        status = phx_static_report_text(context, model, report, result, given->path, out);
    if (!status && given->output)
        fprintf(out, "  result       %s\n", given->output);
    return status;
}

/* Reads options and model, finds the equilibrium, critical loads or path, and prints them; the exit status. */
static int static_solve(const cli_command *command, phx_context *context, const static_arguments *given)
{
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_model *model = NULL;
    phx_result *result = NULL;
    const bool csv = given->output && cli_ends_with(given->output, ".csv");
    const char *const outputs[] = {given->output, given->csv};
    int status = check_arguments(command, given);

    if (status < 0 && csv && given->csv)
        status =
            cli_usage_error(command, "--csv and --output %s both write a table; give only one of them", given->output);
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0)
        status = static_read_numbers(command, context, model, given, &options);
    if (status < 0)
        status = cli_writable(context, 2, outputs);
    if (status < 0) {
        options.steps = given->steps;
        options.stable = given->stable;
        options.buckling = given->buckling;
        options.path = given->path;
        options.steady = given->steady;
        options.branch = given->branch;
        options.points = given->points ? given->points : options.points;
        options.h5_path = given->output && cli_ends_with(given->output, ".h5") ? given->output : NULL;
        options.csv_path = csv ? given->output : given->csv;
        phx_status found = phx_study_static(context, model, &options, &report, &result);
        if (!found)
            found = static_put(context, model, given, &report, result);
        status = found ? cli_failed(context, found) : EXIT_DONE;
    }
    phx_result_destroy(result);
    phx_model_destroy(model);
    return status;
}

/* phlexor static: reads the options, then finds equilibria; the exit status. */
int cli_static(const cli_command *command, phx_context *context, int argc, char **argv)
{
    static_arguments given = {0};
    const cli_option options[] = {
        {"--steps", 0, OPTION_COUNT, "N", "equal steps of the loads, an equilibrium at each (default: at once)",
         &given.steps},
        {"--stable", 0, OPTION_FLAG, NULL, "leave an unstable equilibrium for a stable one", &given.stable},
        {"--steady", 0, OPTION_FLAG, NULL, "turning steadily with the drives, with centrifugal forces", &given.steady},
        {"--buckling", 0, OPTION_COUNT, "N", "so many critical factors of the loads, at most 32", &given.buckling},
        {"--path", 0, OPTION_FLAG, NULL, "the path over the load factor by arc length, through limit points",
         &given.path},
        {"--to", 0, OPTION_TEXT, "FACTOR", "of a path: the largest load factor (default: 1)", &given.to},
        {"--points", 0, OPTION_COUNT, "N", "of a path: at most (default: 200)", &given.points},
        {"--stride", 0, OPTION_TEXT, "D", "of a path: rad or parts of the size from point to point (default: 0.05)",
         &given.stride},
        {"--branch", 0, OPTION_FLAG, NULL, "of a path: take the other branch at a bifurcation", &given.branch},
        {"--time", 0, OPTION_TEXT, "T", "instant of loads and signals, s (default: 0)", &given.time},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--format", 0, OPTION_CHOICE, "table|json", "what is printed (default: table)", &given.format},
        {"--csv", 0, OPTION_TEXT, "FILE", "the points as a table too", &given.csv},
        {"--output", 'o', OPTION_TEXT, "FILE", "FILE.h5: the result, FILE.csv: its points, FILE.json: what was found",
         &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = static_solve(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
