/* phlexor export */
#include "cli.h"

#include <phlexor/results.h>

int cli_export(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const char *file = NULL, *output = NULL;
    int frames = 250;
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FOLDER", "a new folder (default: FILE without ending, _vtk)", &output},
        {"--frames", 0, OPTION_COUNT, "N", "instants at most, evenly chosen (default: 250)", &frames},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &file};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);
    char *name = NULL;

    if (parsed >= 0)
        return parsed;
    if (cli_readable(file) >= 0 || cli_writable(output) >= 0)
        return EXIT_USAGE;
    if (!output)
        output = name = cli_name(context, file, true, "_vtk");
    const phx_status status = output ? phx_export_vtk(context, file, output, frames) : PHX_ERR_MEMORY;
    cli_progress_done();
    if (!status)
        printf("%s/motion.pvd\n", output);
    const int code = status ? cli_failed(context, status) : EXIT_DONE;
    phx_free(name);
    return code;
}
