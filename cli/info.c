/* phlexor info */
#include "cli.h"

int cli_info(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const cli_arguments arguments = {NULL, 0, 0, NULL};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);

    if (parsed >= 0)
        return parsed;
    printf("Phlexor %s\nbuild: %s\nlicence: MIT; of the libraries Cairo and KLU are under the LGPL, none is under the "
           "GPL\nlibraries:\n",
           phx_version(), phx_build());
    cli_print_libraries(stdout);
    return EXIT_DONE;
}
