/* phlexor titop */
#include "cli.h"

#include <phlexor/study.h>

typedef struct titop_arguments {
    const char *model, *format, *output, *ports, *inverted, *inputs, *outputs;
    phx_study_titop_options options;
    cli_list set;
} titop_arguments;

/* Reads lists of ports and channels and the model, then prints and writes the TITOP model of the body; the exit
 * status. */
static int titop(const cli_command *command, phx_context *context, const titop_arguments *given)
{
    phx_study_titop_options options = given->options;
    phx_linear_report report = {0};
    phx_model *model = NULL;
    cli_words ports = {0}, inverted = {0}, inputs = {0}, outputs = {0};
    int status = options.body ? -1 : cli_usage_error(command, "--body is missing: which body of %s?", given->model);

    if (status < 0)
        status = cli_split(command, context, "--ports", given->ports, &ports);
    if (status < 0)
        status = cli_split(command, context, "--invert", given->inverted, &inverted);
    if (status < 0)
        status = cli_split(command, context, "--inputs", given->inputs, &inputs);
    if (status < 0)
        status = cli_split(command, context, "--outputs", given->outputs, &outputs);
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0)
        status = cli_exchange_name(context, given->output);
    if (status < 0) {
        options.ports = ports.words;
        options.n_ports = ports.count;
        options.inverted = inverted.words;
        options.n_inverted = inverted.count;
        options.inputs = inputs.words;
        options.n_inputs = inputs.count;
        options.outputs = outputs.words;
        options.n_outputs = outputs.count;
        phx_status result = phx_study_titop(context, model, &options, &report);
        if (!result)
            result = cli_put_linear(context, &report, given->format, given->output);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    cli_words_free(&ports);
    cli_words_free(&inverted);
    cli_words_free(&inputs);
    cli_words_free(&outputs);
    phx_linear_report_free(&report);
    phx_model_destroy(model);
    return status;
}

/* phlexor titop: reads the options, then computes the linear model of one body; the exit status. */
int cli_titop(const cli_command *command, phx_context *context, int argc, char **argv)
{
    titop_arguments given = {.options = phx_study_titop_options_default()};
    const cli_option options[] = {
        {"--body", 0, OPTION_TEXT, "BODY", "the body", &given.options.body},
        {"--parent", 0, OPTION_TEXT, "PORT", "port P (default: the one named P)", &given.options.parent},
        {"--ports", 0, OPTION_TEXT, "PORTS", "ports C, e.g. C,mid,@0.5 (default: all others that the model names)",
         &given.ports},
        {"--invert", 0, OPTION_TEXT, "LIST", "channels whose input and output trade places, e.g. rod.P.alpha",
         &given.inverted},
        {"--inputs", 0, OPTION_TEXT, "LIST", "inputs that stay (default: all); the others are zero for good",
         &given.inputs},
        {"--outputs", 0, OPTION_TEXT, "LIST", "outputs that stay (default: all)", &given.outputs},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--format", 0, OPTION_CHOICE, "table|json", "of the summary; default: table", &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "the model as FILE.mat, .h5, .json, or the folder NAME_mtx",
         &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = titop(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
