/* phlexor info */
#include "cli.h"

#ifdef PHX_GPL
#define GPL_CLAUSE "the library CHOLMOD is under the GPL, and so is this program as a whole"
#else
#define GPL_CLAUSE "no library is under the GPL"
#endif

/* phlexor info: prints version, build, licence and libraries; with --load all libraries are loaded first. */
int cli_info(const cli_command *command, phx_context *context, int argc, char **argv)
{
    bool load = false;
    const cli_option options[] = {
        {"--load", 0, OPTION_FLAG, NULL, "load every library and print the versions found", &load},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 0, NULL, NULL};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);

    if (parsed >= 0)
        return parsed;
    printf("Phlexor %s\nbuild: %s\nlicence: MIT; " GPL_CLAUSE
           "; Cairo, KLU, NLopt and librsvg are under the LGPL\nlibraries:\n",
           phx_version(), phx_build());
    const phx_status status = cli_print_libraries(context, load, stdout);
    return status ? cli_failed(context, status) : EXIT_DONE;
}
