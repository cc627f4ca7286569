/* phlexor optimize */
#include "cli.h"

#include <phlexor/optimize.h>

#include <math.h>
#include <string.h>

typedef struct optimize_arguments {
    const char *model, *format, *output, *best, *page;
    int threads;
    bool resume;
    cli_list set;
} optimize_arguments;

static void show_evaluation(void *user, int evaluation, double objective, double violation)
{
    (void)user;
    if (isnan(objective))
        cli_progress_line("%6d  the analysis failed", evaluation);
    else
        cli_progress_line("%6d  %18.10g  violation %.3g", evaluation, objective, violation);
}

/* The model with the values of the variables at the optimum, as a file. */
static phx_status save_best(phx_context *context, phx_model *model, const phx_optimum *found, const char *path)
{
    phx_model_override *values = phx_calloc(context, (size_t)found->n_variables, sizeof *values);

    for (int k = 0; values && k < found->n_variables; k++)
        values[k] = (phx_model_override){.name = found->rows[k].name, .value = found->rows[k].best};
    return values ? cli_save_with(context, model, found->n_variables, values, path) : PHX_ERR_MEMORY;
}

/* Searches and writes; the exit status. */
static int optimize(phx_context *context, const optimize_arguments *given, phx_model *model)
{
    phx_optimize_options options = phx_optimize_options_default();
    phx_optimum found = {0};
    const char *format = given->format ? given->format : "table";

    options.history_path = given->output;
    options.resume = given->resume;
    options.threads = cli_threads(given->threads);
    options.note = show_evaluation;
    phx_status status = phx_optimize(context, model, &options, &found);
    cli_progress_done();
    if (!status)
        status = phx_optimum_print(context, &found,
                                   strcmp(format, "json") == 0  ? PHX_OPTIMUM_JSON
                                   : strcmp(format, "csv") == 0 ? PHX_OPTIMUM_CSV
                                                                : PHX_OPTIMUM_TEXT,
                                   stdout);
    if (!status && given->page)
        status = phx_optimum_page(context, model, &found, given->page);
    if (!status && !found.feasible)
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "no point satisfies all constraints within %g; start elsewhere, change them, or allow more "
                          "evaluations",
                          found.tolerance);
    if (!status && given->best)
        status = save_best(context, model, &found, given->best);
    phx_optimum_free(&found);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

/* phlexor optimize: parameters that make the best of an objective; the exit status. */
int cli_optimize(const cli_command *command, phx_context *context, int argc, char **argv)
{
    optimize_arguments given = {0};
    const cli_option options[] = {
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter, of a variable its start; may be repeated",
         &given.set},
        {"--format", 0, OPTION_CHOICE, "table|csv|json", "of the result (default: table)", &given.format},
        {"--output", 'o', OPTION_TEXT, "HISTORY.csv", "a row for each evaluation; FILE.partial until the end",
         &given.output},
        {"--resume", 0, OPTION_FLAG, NULL, "go on with HISTORY.csv.partial of a search that ended early",
         &given.resume},
        {"--model", 0, OPTION_TEXT, "BEST.yaml", "the model with the values at the optimum", &given.best},
        {"--page", 0, OPTION_TEXT, "FILE.html", "a page with the history, and start and optimum over each other",
         &given.page},
        {"--threads", 0, OPTION_COUNT, "N", "threads for cases or variables (default: all processors)", &given.threads},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    phx_model *model = NULL;
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0 && given.resume && !given.output)
        status = cli_usage_error(command, "--resume goes on with the history that --output names");
    if (status < 0)
        status = cli_read_model(context, given.model, &given.set, &model);
    if (status < 0)
        status = cli_writable(context, 3, (const char *const[]){given.output, given.best, given.page});
    if (status < 0)
        status = optimize(context, &given, model);
    phx_model_destroy(model);
    cli_options_free(&arguments);
    return status;
}
