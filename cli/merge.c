/* phlexor merge */
#include "cli.h"

/* phlexor merge: joins the tables of the shards of a sweep into one, in the order of points; the exit status. */
int cli_merge(const cli_command *command, phx_context *context, int argc, char **argv)
{
    const char *output = NULL;
    cli_list tables = {0};
    int points = 0;
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "TABLE.csv", "the table of the whole study; '-' is standard output", &output},
    };
    const cli_arguments arguments = {
        .options = options, .n_options = (int)(sizeof options / sizeof *options), .wanted = 1, .more = &tables};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0 && !output)
        status = cli_usage_error(command, "--output is missing: where shall the table go?");
    if (status < 0)
        status = cli_writable(context, 1, &output);
    if (status < 0) {
        const phx_status merged = phx_tables_merge(context, tables.count, tables.items, output, &points);
        if (!merged && output[0] != '-')
            printf("%s: %d points of %d tables\n", output, points, tables.count);
        status = merged ? cli_failed(context, merged) : EXIT_DONE;
    }
    cli_options_free(&arguments);
    return status;
}
