/* phlexor guide */
#include "cli.h"
#include "templates.h"

/* phlexor guide: prints docs/for-agents.md; the exit status. */
int cli_guide(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const cli_arguments arguments = {NULL, 0, 0, NULL, NULL};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);

    if (parsed >= 0)
        return parsed;
    return fputs((const char *)phx_guide_text[0].bytes, stdout) < 0 ? cli_output_failed() : EXIT_DONE;
}
