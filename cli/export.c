/* phlexor export */
#define _XOPEN_SOURCE 700
#include "cli.h"

#include "results/results.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

typedef struct export_arguments {
    const char *file, *format, *output, *decimal;
    bool units;
    int frames;
    cli_list set;
} export_arguments;

/* Whether it is a model, which is no HDF5 and no table. */
static bool is_model(const char *file)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F'};
    unsigned char head[sizeof signature] = {0};
    FILE *stream = fopen(file, "rb");
    const size_t count = stream ? fread(head, 1, sizeof head, stream) : 0;

    if (stream)
        fclose(stream);
    return !(count == sizeof head && memcmp(head, signature, sizeof head) == 0) && !cli_ends_with(file, ".csv") &&
           !cli_ends_with(file, ".h5") && !cli_ends_with(file, ".partial");
}

/* A csv file with units or decimal commas is a table in a style, any other file a format. */
static phx_status export_result(phx_context *context, const export_arguments *given, const char *format,
                                const char *output)
{
    const phx_table_style style = cli_table_style(given->units, given->decimal, output);

    if (!strcmp(format, "csv") && (style.units || style.comma))
        return phx_export_table(context, given->file, &style, output);
    return phx_export(context, given->file, format, output, given->frames);
}

static phx_status export_matrices(phx_context *context, const phx_model *model, const char *output, const char *format)
{
    phx_bundle *bundle = NULL;
    phx_status status = phx_bundle_create(context, &bundle);

    if (!status)
        status = phx_study_matrices(context, model, bundle);
    if (!status)
        status = phx_exchange_write_as(context, output, format, bundle);
    phx_bundle_destroy(bundle);
    return status;
}

/* model: NULL, or what the file is. */
static int export(phx_context *context, const phx_model *model, const export_arguments *given)
{
    const phx_export_format *format = NULL;
    phx_status status = model ? phx_export_choose_exchange(context, given->format, &format)
                              : phx_export_choose(context, given->file, given->format, &format);
    char *name = status || given->output ? NULL : cli_name(context, given->file, !model, format->ending);
    const char *output = given->output ? given->output : name;

    const bool to_stdout = output && !strcmp(output, "-");

    if (!status && !output)
        status = PHX_ERR_MEMORY;
    if (!status && to_stdout && strcmp(format->name, "csv") != 0 && strcmp(format->name, "json") != 0)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "--output -: %s cannot be written to standard output; use csv or json", format->name);
    if (!status)
        status = model ? export_matrices(context, model, output, format->name)
                       : export_result(context, given, format->name, output);
    cli_progress_done();
    if (!status && !to_stdout)
        printf("%s%s%s\n", output, format->opens ? "/" : "", format->opens ? format->opens : "");
    phx_free(name);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

/* The format is that which the name of the output ends with; an ending of another one is a mistake. */
static int find_format(const cli_command *command, export_arguments *given)
{
    static const char *const formats[][2] = {{"vtk", "vtk"},   {"xdmf", "xdmf"}, {"glb", "glb"},   {"mat", "mat"},
                                             {"csv", "csv"},   {"xlsx", "xlsx"}, {"json", "json"}, {"mtx", "mtx"},
                                             {"urdf", "urdf"}, {"xml", "mjcf"}};
    const char *ending = cli_ending(given->output), *found = NULL;

    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(ending, formats[i][0]))
            found = formats[i][1];
    if (ending && !found && !given->format)
        return cli_usage_error(command,
                               "--output %s: unknown ending '.%s'; use .vtk, .xdmf, .glb, .mat, .csv, .xlsx, .json, "
                               ".mtx, .urdf or .xml, or give --format",
                               given->output, ending);
    if (found && given->format && strcmp(found, given->format) != 0)
        return cli_usage_error(command, "--output %s: the ending contradicts --format %s", given->output,
                               given->format);
    if (!given->format)
        given->format = found;
    if ((given->units || given->decimal) && (!given->format || strcmp(given->format, "csv") != 0))
        return cli_usage_error(command, "%s applies to csv files; give --format csv or a name that ends with .csv",
                               given->units ? "--units" : "--decimal");
    return -1;
}

/* The tree of a model as a robot in URDF or MJCF. A name that was not given takes the place of no file, which may be
 * that of the robot the model was imported from. */
static int export_robot(phx_context *context, const phx_model *model, const export_arguments *given)
{
    const bool urdf = !strcmp(given->format, "urdf");
    char *name = given->output ? NULL : cli_name(context, given->file, false, urdf ? ".urdf" : ".xml");
    const char *output = given->output ? given->output : name;
    phx_status status = output ? PHX_OK : PHX_ERR_MEMORY;

    if (name && access(name, F_OK) == 0)
        status = phx_fail(context, PHX_ERR_INPUT, "there is already a file '%s'; give a name by --output", name);
    if (!status)
        status = phx_study_export_robot(context, model, urdf ? PHX_ROBOT_URDF : PHX_ROBOT_MJCF, output);
    if (!status)
        printf("%s\n", output);
    phx_free(name);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

/* Reads FILE if it is a model, checks that the output can be written, and exports; --set is refused for a result. */
static int export_file(const cli_command *command, phx_context *context, const export_arguments *given)
{
    phx_model *model = NULL;
    int status = -1;

    if (cli_readable(given->file) >= 0)
        return EXIT_USAGE;
    if (is_model(given->file))
        status = cli_read_model(context, given->file, &given->set, &model);
    else if (given->set.count > 0)
        return cli_usage_error(command, "--set applies to models only; '%s' is a result", given->file);
    if (status < 0)
        status = cli_writable(context, 1, &given->output);
    if (status < 0)
        status = model && given->format && (!strcmp(given->format, "urdf") || !strcmp(given->format, "mjcf"))
                     ? export_robot(context, model, given)
                     : export(context, model, given);
    phx_model_destroy(model);
    return status;
}

/* phlexor export: reads the options, finds the format, exports; the exit status. */
int cli_export(const cli_command *command, phx_context *context, int argc, char **argv)
{
    export_arguments given = {.frames = 250};
    const cli_option options[] = {
        {"--format", 0, OPTION_CHOICE, "vtk|xdmf|glb|mat|csv|xlsx|json|mtx|urdf|mjcf",
         "default: what NAME ends with, else the first that there is of FILE", &given.format},
        {"--output", 'o', OPTION_TEXT, "NAME",
         "default: FILE with .FORMAT, _FORMAT for a new folder; -: standard output", &given.output},
        {"--frames", 0, OPTION_COUNT, "N", "vtk, xdmf, glb: instants at most, evenly chosen (default: 250)",
         &given.frames},
        CLI_TABLE_OPTIONS(given),
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "of a model: value of a parameter; may be repeated", &given.set},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.file, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = find_format(command, &given);
    if (status < 0)
        status = export_file(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
