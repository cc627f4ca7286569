/* phlexor sensitivity */
#include "cli.h"

#include <phlexor/sensitivity.h>

#include <string.h>

typedef struct sensitivity_arguments {
    const char *model, *format, *output, *method;
    int threads;
    cli_list of, to, set;
} sensitivity_arguments;

static phx_gradient_format gradient_format(const sensitivity_arguments *given, bool to_file)
{
    const char *name = given->format;

    if (!name && to_file)
        name = cli_ends_with(given->output, ".json") ? "json" : cli_ends_with(given->output, ".csv") ? "csv" : "table";
    return !name                       ? PHX_GRADIENT_TEXT
           : strcmp(name, "json") == 0 ? PHX_GRADIENT_JSON
           : strcmp(name, "csv") == 0  ? PHX_GRADIENT_CSV
                                       : PHX_GRADIENT_TEXT;
}

static bool is_page(const sensitivity_arguments *given)
{
    return !given->format && given->output && cli_ends_with(given->output, ".html");
}

static phx_derivation derivation_of(const char *method)
{
    return !method                          ? PHX_DERIVE_AUTO
           : strcmp(method, "adjoint") == 0 ? PHX_DERIVE_ADJOINT
           : strcmp(method, "tangent") == 0 ? PHX_DERIVE_TANGENT
                                            : PHX_DERIVE_DIFFERENCES;
}

/* The names of all --to, each a list with commas between them. Returns -1, or the exit status after a message. */
static int split_names(const cli_command *command, phx_context *context, const cli_list *to, cli_words *names)
{
    size_t size = 1;

    *names = (cli_words){0};
    for (int k = 0; k < to->count; k++)
        size += strlen(to->items[k]) + 1;
    char *all = to->count > 0 ? phx_calloc(context, size, 1) : NULL;
    if (!all)
        return to->count > 0 ? cli_failed(context, PHX_ERR_MEMORY) : -1;
    for (int k = 0; k < to->count; k++) {
        strcat(all, k > 0 ? "," : "");
        strcat(all, to->items[k]);
    }
    const int status = cli_split(command, context, "--to", all, names);
    phx_free(all);
    return status;
}

/* Reads the model, differentiates and writes; the exit status. */
static int sensitivity(const cli_command *command, phx_context *context, const sensitivity_arguments *given)
{
    const bool to_file = given->output && strcmp(given->output, "-") != 0;
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found = {0};
    phx_model *model = NULL;
    cli_words names = {0};
    int status = given->of.count > 0 ? -1
                                     : cli_usage_error(command, "what is to be differentiated? give --of, for instance "
                                                                "--of modes.omega.1");

    if (status < 0)
        status = split_names(command, context, &given->to, &names);
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0)
        status = cli_writable(context, 1, &given->output);
    if (status < 0) {
        options.n_objectives = given->of.count;
        options.objectives = given->of.items;
        options.n_parameters = names.count;
        options.parameters = names.words;
        options.derivation = derivation_of(given->method);
        options.threads = cli_threads(given->threads);
        phx_status result = phx_gradient_find(context, model, &options, &found);
        cli_progress_done();
        if (!result && is_page(given))
            result = phx_gradient_page(context, model, &found, given->output);
        else if (!result)
            result = to_file ? phx_gradient_save(context, &found, gradient_format(given, to_file), given->output)
                             : phx_gradient_print(context, &found, gradient_format(given, to_file), stdout);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    phx_gradient_free(&found);
    phx_model_destroy(model);
    cli_words_free(&names);
    return status;
}

/* phlexor sensitivity: derivatives of numbers of an analysis by parameters; the exit status. */
int cli_sensitivity(const cli_command *command, phx_context *context, int argc, char **argv)
{
    sensitivity_arguments given = {0};
    const cli_option options[] = {
        {"--of", 0, OPTION_LIST, "OBJECTIVE",
         "number to differentiate, as modes.omega.1 or simulate.final(tip.y); may "
         "be repeated",
         &given.of},
        {"--to", 0, OPTION_LIST, "NAMES",
         "parameters or lists to differentiate by, m,k; may be repeated (default: all)", &given.to},
        {"--method", 0, OPTION_CHOICE, "adjoint|tangent|differences",
         "default: the cheapest of the exact ones; differences of whole analyses for comparison", &given.method},
        {"--threads", 0, OPTION_COUNT, "N", "threads for differences by several parameters (default: all processors)",
         &given.threads},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--format", 0, OPTION_CHOICE, "table|csv|json", "default: table, or what FILE ends with", &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE",
         "instead of standard output; FILE.html: a page with bars and the mechanism coloured", &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = sensitivity(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
