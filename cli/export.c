/* phlexor export */
#include "cli.h"

#include <phlexor/results.h>

#include <string.h>

typedef struct export_arguments {
    const char *file, *format, *output;
    int frames;
} export_arguments;

static const phx_export_format *format_of(const char *name)
{
    int k = 0;
    while (k + 1 < phx_export_formats() && strcmp(phx_export_format_at(k)->name, name) != 0)
        k++;
    return phx_export_format_at(k);
}

static int export(phx_context *context, const export_arguments *given)
{
    const phx_export_format *format = format_of(given->format);
    char *name = given->output ? NULL : cli_name(context, given->file, true, format->ending);
    const char *output = given->output ? given->output : name;
    const phx_status status =
        output ? phx_export(context, given->file, format->name, output, given->frames) : PHX_ERR_MEMORY;

    cli_progress_done();
    if (!status)
        printf("%s%s%s\n", output, format->opens ? "/" : "", format->opens ? format->opens : "");
    phx_free(name);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

int cli_export(const cli_command *command, phx_context *context, int argc, char **argv)
{
    export_arguments given = {.format = "vtk", .frames = 250};
    const cli_option options[] = {
        {"--format", 0, OPTION_CHOICE, "vtk|xdmf", "default: vtk", &given.format},
        {"--output", 'o', OPTION_TEXT, "NAME", "a new folder (default: FILE without ending, with _FORMAT)",
         &given.output},
        {"--frames", 0, OPTION_COUNT, "N", "vtk, xdmf: instants at most, evenly chosen (default: 250)", &given.frames},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.file};
    const int parsed = cli_parse(command, context, &arguments, argc, argv);

    if (parsed >= 0)
        return parsed;
    if (cli_readable(given.file) >= 0 || cli_writable(given.output) >= 0)
        return EXIT_USAGE;
    return export(context, &given);
}
