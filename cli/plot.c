/* phlexor plot */
#include "cli.h"

#include <phlexor/results.h>

int cli_plot(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const char *file = NULL, *output = NULL;
    bool motion = false;
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE.svg", "the picture", &output},
        {"--motion", 0, OPTION_FLAG, NULL, "snapshots of the moving bodies instead (default name FILE_motion.svg)",
         &motion},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &file};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);
    char *name = NULL;

    if (parsed >= 0)
        return parsed;
    if (cli_readable(file) >= 0 || cli_writable(output) >= 0)
        return EXIT_USAGE;
    if (!output)
        output = name = cli_name(context, file, true, motion ? "_motion.svg" : ".svg");
    phx_status status = PHX_ERR_MEMORY;
    if (output)
        status = motion ? phx_plot_motion(context, file, output) : phx_plot_file(context, file, output);
    if (!status)
        printf("%s\n", output);
    const int code = status ? cli_failed(context, status) : EXIT_DONE;
    phx_free(name);
    return code;
}
