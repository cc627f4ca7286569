/* phlexor plot */
#include "cli.h"

#include <phlexor/results.h>

typedef struct plot_arguments {
    const char *file, *output, *inputs, *outputs;
    bool motion, poles;
} plot_arguments;

static phx_status draw(phx_context *context, const plot_arguments *given, const phx_plot_linear_options *linear,
                       const char *output)
{
    if (given->motion)
        return phx_plot_motion(context, given->file, output);
    if (linear->poles || linear->inputs || linear->outputs)
        return phx_plot_linear(context, given->file, output, linear);
    return phx_plot_file(context, given->file, output);
}

static int plot(const cli_command *command, phx_context *context, const plot_arguments *given)
{
    phx_plot_linear_options linear = {.poles = given->poles};
    cli_words inputs = {0}, outputs = {0};
    const char *output = given->output;
    char *name = NULL;
    int code = cli_split(command, context, "--inputs", given->inputs, &inputs);

    if (code < 0)
        code = cli_split(command, context, "--outputs", given->outputs, &outputs);
    if (code < 0) {
        linear.inputs = inputs.words;
        linear.n_inputs = inputs.count;
        linear.outputs = outputs.words;
        linear.n_outputs = outputs.count;
        if (!output)
            output = name = cli_name(context, given->file, true,
                                     given->motion  ? "_motion.svg"
                                     : given->poles ? "_poles.svg"
                                                    : ".svg");
        const phx_status status = output ? draw(context, given, &linear, output) : PHX_ERR_MEMORY;
        if (!status)
            printf("%s\n", output);
        code = status ? cli_failed(context, status) : EXIT_DONE;
    }
    cli_words_free(&inputs);
    cli_words_free(&outputs);
    phx_free(name);
    return code;
}

int cli_plot(const cli_command *command, phx_context *context, int argc, char **argv)
{
    plot_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE.svg", "the picture", &given.output},
        {"--motion", 0, OPTION_FLAG, NULL, "snapshots of the moving bodies instead (default name FILE_motion.svg)",
         &given.motion},
        {"--poles", 0, OPTION_FLAG, NULL, "of a linear model: its poles (default name FILE_poles.svg)", &given.poles},
        {"--inputs", 0, OPTION_TEXT, "LIST", "of a linear model: inputs of the Bode diagram", &given.inputs},
        {"--outputs", 0, OPTION_TEXT, "LIST", "and its outputs (default: all, up to 12 responses)", &given.outputs},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.file};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);

    if (parsed >= 0)
        return parsed;
    if (cli_readable(given.file) >= 0 || cli_writable(given.output) >= 0)
        return EXIT_USAGE;
    return plot(command, context, &given);
}
