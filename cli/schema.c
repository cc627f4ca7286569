/* phlexor schema */
#include "cli.h"

#include <string.h>

/* phlexor schema: prints the keys of model files as Markdown or as a JSON Schema. */
int cli_schema(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const char *format = "markdown";
    const cli_option options[] = {
        {"--format", 0, OPTION_CHOICE, "markdown|json", "default: markdown; json: a JSON Schema", &format},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 0, NULL, NULL};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);
    char *text = NULL;

    if (parsed >= 0)
        return parsed;
    const phx_status status =
        !strcmp(format, "json") ? phx_model_schema_json(context, &text) : phx_model_schema_markdown(context, &text);
    if (status)
        return cli_failed(context, status);
    const bool ends = text[0] && text[strlen(text) - 1] == '\n';
    const int code = fputs(text, stdout) < 0 || fputs(ends ? "" : "\n", stdout) < 0 ? cli_output_failed() : EXIT_DONE;
    phx_free(text);
    return code;
}
