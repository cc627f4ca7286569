/* phlexor compare */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct compare_arguments {
    cli_list files, tolerances;
    const char *outputs, *measured, *map, *from, *to, *format, *output;
} compare_arguments;

/* A number, and behind it the unit if the tolerance is absolute: "1e-3", "2e-6m", "0.1 N m". */
static int read_tolerance(const cli_command *command, const char *text, phx_tolerance *tolerance)
{
    char *end = NULL;
    tolerance->value = strtod(text, &end);
    if (end == text || !(tolerance->value >= 0.0) || !isfinite(tolerance->value))
        return cli_usage_error(command,
                               "--tolerance: expected a number from 0 on, with a unit if it is absolute, such as 1e-3 "
                               "or 2e-6m, found '%s'",
                               text);
    tolerance->unit = end + strspn(end, " ");
    return -1;
}

/* Checks options and files, compares, and prints the table; the exit status. */
static int compare(const cli_command *command, phx_context *context, compare_arguments *given)
{
    phx_compare_options options = {.sources = phx_plot_options_default(), .n_tolerances = given->tolerances.count};
    phx_plot_options *sources = &options.sources;
    phx_tolerance *tolerances = phx_calloc(context, (size_t)given->tolerances.count, sizeof *tolerances);
    const char *output = given->output ? given->output : "-";
    int rows = 0, above = 0;
    int status = options.n_tolerances && !tolerances ? cli_failed(context, PHX_ERR_MEMORY) : -1;

    for (int k = 0; k < given->tolerances.count && status < 0; k++)
        status = read_tolerance(command, given->tolerances.items[k], &tolerances[k]);
    if (status < 0)
        status = cli_choose_table(command, given->output, &given->format);
    if (status < 0)
        status = cli_read_number(command, "--from", given->from, &sources->from);
    if (status < 0)
        status = cli_read_number(command, "--to", given->to, &sources->to);
    cli_words maps = {0};
    if (status < 0)
        status = cli_read_others(command, context, &given->files, given->measured, given->map, &maps, sources);
    if (status < 0 && sources->n_others == 0 && !given->measured)
        status = cli_usage_error(command, "give two results at least, or one and --with MEASURED.csv");
    if (status < 0)
        status = cli_writable(context, 1, &output);
    if (status < 0) {
        sources->n_columns = given->outputs != NULL;
        sources->columns = &given->outputs;
        options.tolerances = tolerances;
        options.format = given->format;
        const phx_status compared = phx_compare(context, given->files.items[0], &options, output, &rows, &above);
        status = compared ? cli_failed(context, compared) : above ? EXIT_FAILED : EXIT_DONE;
        if (!compared && above)
            cli_say(CLI_ERROR, "tolerance", "%d of %d differences %s", above, rows,
                    above > 1 ? "are above their tolerances" : "is above its tolerance");
    }
    cli_words_free(&maps);
    phx_free(tolerances);
    return status;
}

/* phlexor compare: reads the options, then compares results with the first; the exit status. */
int cli_compare(const cli_command *command, phx_context *context, int argc, char **argv)
{
    compare_arguments given = {0};
    const cli_option options[] = {
        {"--outputs", 0, OPTION_TEXT, "LIST", "these columns (default: the outputs of the model that all have)",
         &given.outputs},
        {"--tolerance", 0, OPTION_LIST, "E",
         "exit status 1 if a difference exceeds E of the range of the first, or with a unit, 1e-6m, this value; may be "
         "repeated",
         &given.tolerances},
        {"--with", 0, OPTION_TEXT, "MEASURED.csv", "a measurement too; its first column is time, s", &given.measured},
        {"--map", 0, OPTION_TEXT, "COLUMN=OUTPUT",
         "of MEASURED.csv: which column is which output; commas between several", &given.map},
        {"--from", 0, OPTION_TEXT, "NUMBER", "from this time, s", &given.from},
        {"--to", 0, OPTION_TEXT, "NUMBER", "to this one", &given.to},
        {"--format", 0, OPTION_CHOICE, "text|csv|json", "default: what the name of FILE ends with, else text",
         &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "the table (default: standard output)", &given.output},
    };
    const cli_arguments arguments = {
        .options = options, .n_options = (int)(sizeof options / sizeof *options), .wanted = 1, .more = &given.files};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = compare(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
