/* phlexor reproduce: a command in Python */
#include "cli.h"

#include <string.h>

typedef struct reproduce_arguments {
    const char *format, *output, *published;
    bool list;
    cli_list only;
} reproduce_arguments;

/* phlexor reproduce: checks options and files, then runs the Python module of the command; the exit status. */
int cli_reproduce(const cli_command *command, phx_context *context, int argc, char **argv)
{
    reproduce_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE", "the page; default: reproduce.html; '-' is standard output",
         &given.output},
        {"--only", 0, OPTION_LIST, "NAME", "this table or figure; may be repeated", &given.only},
        {"--format", 0, OPTION_CHOICE, "html|json|csv", "default: what the name of FILE ends with, else html",
         &given.format},
        {"--published", 0, OPTION_TEXT, "TABLE.csv", "another table of published values", &given.published},
        {"--list", 0, OPTION_FLAG, NULL, "only list the tables and figures", &given.list},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 0, NULL, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    const bool is_page = !given.format || !strcmp(given.format, "html");
    const char *page = !given.output && is_page ? "reproduce.html" : given.output;
    if (status < 0 && given.published)
        status = cli_readable(given.published);
    if (status < 0 && given.published && phx_files_read(context, given.published) != PHX_OK)
        status = cli_failed(context, PHX_ERR_MEMORY);
    if (status < 0 && !given.list)
        status = cli_writable(context, 1, &page);
    if (status < 0)
        status = cli_run_python(command, context, argc, argv);
    cli_options_free(&arguments);
    return status;
}
