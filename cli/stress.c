/* phlexor stress */
#include "cli.h"

#include "results/results.h"

#include <limits.h>

/* phlexor stress: reads the options and writes the hot spots of a result; the exit status. */
int cli_stress(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const char *file = NULL, *output = NULL;
    phx_hot_spot_options given = {.count = 0};
    const cli_option options[] = {
        {"--body", 0, OPTION_TEXT, "NAME", "of this body (default: of all)", &given.body},
        {"--set", 0, OPTION_TEXT, "NAME", "every node of this set of the mesh, not hot spots alone", &given.set},
        {"--count", 0, OPTION_COUNT, "N", "nodes of each body at most (default: 5, of a set all)", &given.count},
        {"--format", 0, OPTION_CHOICE, "text|csv|json", "default: what the name of FILE ends with, else text",
         &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "the table (default: standard output)", &output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &file, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0 && given.count == 0)
        given.count = given.set ? INT_MAX : 5;
    if (status < 0)
        status = cli_choose_table(command, output, &given.format);
    if (status < 0 && cli_readable(file) >= 0)
        status = EXIT_USAGE;
    if (status < 0)
        status = cli_writable(context, 1, &output);
    if (status < 0) {
        const phx_status written = phx_hot_spots(context, file, &given, output ? output : "-");
        cli_progress_done();
        status = written ? cli_failed(context, written) : EXIT_DONE;
    }
    cli_options_free(&arguments);
    return status;
}
