/* phlexor identify */
#include "cli.h"

#include <phlexor/sensitivity.h>

typedef struct identify_arguments {
    const char *model, *data, *validate, *output, *found, *page;
    int iterations;
    cli_list set;
} identify_arguments;

/* The model with the values that were found, as a file. */
static phx_status save_found(phx_context *context, phx_model *model, const phx_identification *found, const char *path)
{
    phx_model_override *values = phx_calloc(context, (size_t)found->n_parameters, sizeof *values);

    for (int k = 0; values && k < found->n_parameters; k++)
        values[k] = (phx_model_override){.name = found->parameters[k].name, .value = found->parameters[k].value};
    return values ? cli_save_with(context, model, found->n_parameters, values, path) : PHX_ERR_MEMORY;
}

/* Reads the model, finds its parameters, writes the residuals and prints; the exit status. */
static int identify(phx_context *context, const identify_arguments *given)
{
    phx_identify_options options = phx_identify_options_default();
    phx_identification found = {0};
    phx_model *model = NULL;
    int status = cli_read_model(context, given->model, &given->set, &model);

    if (status < 0)
        status = cli_writable(context, 3, (const char *const[]){given->output, given->found, given->page});
    if (status < 0) {
        options.data = given->data;
        options.validate = given->validate;
        options.iterations = given->iterations ? given->iterations : options.iterations;
        phx_status result = phx_identify(context, model, &options, &found);
        cli_progress_done();
        if (!result && given->output)
            result = phx_identification_save(context, &found, given->output);
        if (!result && given->found)
            result = save_found(context, model, &found, given->found);
        if (!result)
            result = phx_identification_print(context, &found, stdout);
        if (!result && given->page)
            result = phx_identification_page(context, model, &found, given->page);
        status = result ? cli_failed(context, result) : found.end >= PHX_IDENTIFY_REFUSED ? EXIT_FAILED : EXIT_DONE;
    }
    phx_identification_free(&found);
    phx_model_destroy(model);
    return status;
}

/* phlexor identify: parameters of a model from measurements; the exit status. */
int cli_identify(const cli_command *command, phx_context *context, int argc, char **argv)
{
    identify_arguments given = {0};
    const cli_option options[] = {
        {"--data", 0, OPTION_TEXT, "FILE", "measured time series, instead of the files in the model", &given.data},
        {"--validate", 0, OPTION_TEXT, "FILE", "the same columns of another run, for comparison only", &given.validate},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter: a start, or a fixed one; may be repeated",
         &given.set},
        {"--iterations", 0, OPTION_COUNT, "N", "at most (default: 50)", &given.iterations},
        {"--model", 0, OPTION_TEXT, "FOUND.yaml", "the model with the values that were found", &given.found},
        {"--page", 0, OPTION_TEXT, "FILE.html", "a page with fit, residuals and parameters", &given.page},
        {"--output", 'o', OPTION_TEXT, "FILE.csv", "measurements, model, residuals and confidence band", &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = identify(context, &given);
    cli_options_free(&arguments);
    return status;
}
