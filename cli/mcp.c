/* phlexor mcp: a command in Python */
#include "cli.h"

/* phlexor mcp: reads the options, then runs the Python module of the command; the exit status. */
int cli_mcp(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const cli_arguments arguments = {NULL, 0, 0, NULL, NULL};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);

    return parsed < 0 ? cli_run_python(command, context, argc, argv) : parsed;
}
