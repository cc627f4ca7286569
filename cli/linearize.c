/* phlexor linearize */
#include "cli.h"

#include <string.h>

typedef struct linearize_arguments {
    const char *model, *format, *output, *form, *inputs, *outputs;
    cli_list set;
} linearize_arguments;

static phx_linear_form form_of(const char *name)
{
    if (name && !strcmp(name, "second-order"))
        return PHX_FORM_SECOND_ORDER;
    return name && !strcmp(name, "descriptor") ? PHX_FORM_DESCRIPTOR : PHX_FORM_STATE_SPACE;
}

static int linearize(const cli_command *command, phx_context *context, const linearize_arguments *given)
{
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report = {0};
    phx_model *model = NULL;
    cli_words inputs = {0}, outputs = {0};
    int status = cli_split(command, context, "--inputs", given->inputs, &inputs);

    if (status < 0)
        status = cli_split(command, context, "--outputs", given->outputs, &outputs);
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0)
        status = cli_exchange_name(context, given->output);
    if (status < 0) {
        options.form = form_of(given->form);
        options.channels.inputs = inputs.words;
        options.channels.n_inputs = inputs.count;
        options.channels.outputs = outputs.words;
        options.channels.n_outputs = outputs.count;
        phx_status result = phx_study_linearize(context, model, &options, &report);
        if (!result)
            result = cli_put_linear(context, &report, given->format, given->output);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    cli_words_free(&inputs);
    cli_words_free(&outputs);
    phx_linear_report_free(&report);
    phx_model_destroy(model);
    return status;
}

int cli_linearize(const cli_command *command, phx_context *context, int argc, char **argv)
{
    linearize_arguments given = {0};
    const cli_option options[] = {
        {"--inputs", 0, OPTION_TEXT, "LIST", "e.g. rod.C.fy,motor.effort (default: loads, actuators, drives)",
         &given.inputs},
        {"--outputs", 0, OPTION_TEXT, "LIST", "e.g. rod.C.ay,slide (default: the outputs of the model)",
         &given.outputs},
        {"--form", 0, OPTION_CHOICE, "state-space|descriptor|second-order", "of the file and of json", &given.form},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--format", 0, OPTION_CHOICE, "table|json", "of the summary; default: table", &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "the model as FILE.mat, .h5, .json, or the folder NAME_mtx",
         &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = linearize(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
