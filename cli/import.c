/* phlexor import */
#define _XOPEN_SOURCE 700
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct import_arguments {
    cli_list files, units, packages, bend;
    const char *format, *output, *thickness, *drive;
    phx_study_import_options options;
    phx_robot_options robot;
} import_arguments;

/* A number above 0; returns -1, or the exit status after a message. */
static int read_positive(const cli_command *command, const char *option, const char *text, double *value)
{
    char *end = NULL;

    *value = strtod(text, &end);
    if (end != text && !*end && *value > 0.0 && *value < 1e300)
        return -1;
    return cli_usage_error(command, "%s: expected a number above 0, found '%s'", option, text);
}

/* --unit length=0.001 */
static int read_unit(const cli_command *command, const char *text, phx_study_import_options *options)
{
    const struct {
        const char *name;
        double *value;
    } units[] = {{"length", &options->length}, {"mass", &options->mass}, {"time", &options->time}};
    const size_t length = strcspn(text, "=");

    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strlen(units[k].name) == length && !strncmp(units[k].name, text, length) && text[length])
            return read_positive(command, "--unit", text + length + 1, units[k].value);
    return cli_usage_error(command, "--unit: expected length=, mass= or time= and its value in m, kg, s, found '%s'",
                           text);
}

static phx_status import_put(phx_context *context, const import_arguments *given, const phx_import_report *report)
{
    const bool json = given->format && !strcmp(given->format, "json");
    const phx_status status = json            ? phx_import_report_json(context, report, stdout)
                              : given->output ? phx_import_report_text(context, report, stdout)
                                              : phx_import_report_yaml(context, report, stdout);

    return status || !given->output ? status : phx_import_report_save(context, report, given->output);
}

/* Reads units and thickness, checks the files, imports them and writes the model file with the body; the exit
 * status. */
static int import(const cli_command *command, phx_context *context, import_arguments *given)
{
    phx_import_report *report = NULL;
    int status = -1;

    for (int k = 0; k < given->units.count && status < 0; k++)
        status = read_unit(command, given->units.items[k], &given->options);
    if (status < 0 && given->thickness)
        status = read_positive(command, "--thickness", given->thickness, &given->options.thickness);
    for (int k = 0; k < given->files.count && status < 0; k++)
        status = cli_readable(given->files.items[k]);
    if (status < 0)
        status = cli_writable(context, 1, &given->output);
    if (status >= 0)
        return status;
    given->options.n_files = given->files.count;
    given->options.files = given->files.items;
    phx_status result = phx_study_import(context, &given->options, &report);
    cli_progress_done();
    if (!result)
        result = import_put(context, given, report);
    phx_import_report_destroy(report);
    return result ? cli_failed(context, result) : EXIT_DONE;
}

/* ---- robots ---- */
static bool is_robot(const cli_list *files)
{
    const char *dot = files->count > 0 ? strrchr(files->items[0], '.') : NULL;

    return dot && (!strcasecmp(dot, ".urdf") || !strcasecmp(dot, ".xacro") || !strcasecmp(dot, ".xml"));
}

/* -1, or the exit status if options of a robot stand with another file, or the other way round. */
static int check_kind(const cli_command *command, const import_arguments *given, bool robot)
{
    const phx_study_import_options usual = phx_study_import_options_default();
    const bool of_robot = given->packages.count > 0 || given->bend.count > 0 || given->drive || given->robot.material ||
                          given->robot.free_base || given->robot.keep_fixed || given->robot.no_shapes ||
                          given->robot.lossy || given->robot.ground;
    const bool of_body = given->units.count > 0 || given->thickness || given->format || given->options.mass_matrix ||
                         given->options.stiffness_matrix || given->options.name ||
                         given->options.frequencies != usual.frequencies;

    if (robot && given->files.count > 1)
        return cli_usage_error(command, "a robot has one file; found %d", given->files.count);
    if (robot && of_body)
        return cli_usage_error(
            command, "a robot takes --package, --drive, --bend, --material, --free-base, --keep-fixed "
                     "--no-shapes, --lossy and --ground; the other options are for bodies of finite-element programs");
    if (!robot && of_robot)
        return cli_usage_error(
            command,
            "--package, --drive, --bend, --material, --free-base, --keep-fixed, --no-shapes, --lossy and --ground "
            "are for robots (.urdf, .xml); found '%s'",
            given->files.items[0]);
    return robot && given->robot.material && given->bend.count == 0
               ? cli_usage_error(command, "--material is that of links that bend; give them with --bend")
               : -1;
}

/* Checks the options of a robot and writes its model file; the exit status. */
static int import_robot(const cli_command *command, phx_context *context, import_arguments *given)
{
    static const char *const drives[PHX_ROBOT_DRIVES] = {"free", "pd", "torque", "motion"};
    int status = cli_readable(given->files.items[0]);

    for (int k = 0; k < given->packages.count && status < 0; k++)
        if (!strchr(given->packages.items[k], '='))
            status = cli_usage_error(command, "--package: expected NAME=DIR, found '%s'", given->packages.items[k]);
    if (status < 0)
        status = cli_writable(context, 1, &given->output);
    if (status >= 0)
        return status;
    given->robot.path = given->files.items[0];
    given->robot.n_packages = given->packages.count;
    given->robot.packages = given->packages.items;
    given->robot.n_bend = given->bend.count;
    given->robot.bend = given->bend.items;
    while (given->drive && strcmp(given->drive, drives[given->robot.drive]) != 0)
        given->robot.drive++;
    const phx_status result = given->output ? phx_study_save_robot(context, &given->robot, given->output)
                                            : phx_study_import_robot(context, &given->robot, stdout);
    return result ? cli_failed(context, result) : EXIT_DONE;
}

/* phlexor import: reads the options, then imports a robot, or a body from files of another program; the exit status. */
int cli_import(const cli_command *command, phx_context *context, int argc, char **argv)
{
    import_arguments given = {.options = phx_study_import_options_default()};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "MODEL", "a model file with the body (default: to standard output)",
         &given.output},
        {"--unit", 0, OPTION_LIST, "UNIT=VALUE", "of the files: length=0.001, mass=1000, time=1; may be repeated",
         &given.units},
        {"--mass-matrix", 0, OPTION_TEXT, "FILE", "file of M where its name does not say so",
         &given.options.mass_matrix},
        {"--stiffness-matrix", 0, OPTION_TEXT, "FILE", "file of K where its name does not say so",
         &given.options.stiffness_matrix},
        {"--name", 0, OPTION_TEXT, "TEXT", "of the body (default: that of the first file)", &given.options.name},
        {"--thickness", 0, OPTION_TEXT, "H", "of a plate, m, where the file does not say it", &given.thickness},
        {"--modes", 0, OPTION_COUNT, "N", "frequencies of the free body (default: 6)", &given.options.frequencies},
        {"--format", 0, OPTION_CHOICE, "table|json", "of the summary; default: table", &given.format},
        {"--package", 0, OPTION_LIST, "NAME=DIR", "of a robot: where package://NAME/ is; may be repeated",
         &given.packages},
        {"--drive", 0, OPTION_CHOICE, "free|pd|torque|motion", "of a robot: what its joints have (default: free)",
         &given.drive},
        {"--bend", 0, OPTION_LIST, "LINK[=OUTER,INNER[,MATERIAL]]|all",
         "of a robot: links that bend up to the next joint, tubes of these diameters in m; may be repeated",
         &given.bend},
        {"--material", 0, OPTION_CHOICE, "aluminium|steel|titanium", "of these (default: aluminium)",
         &given.robot.material},
        {"--free-base", 0, OPTION_FLAG, NULL, "of a robot: its root link moves", &given.robot.free_base},
        {"--keep-fixed", 0, OPTION_FLAG, NULL, "of a robot: links on fixed joints stay bodies",
         &given.robot.keep_fixed},
        {"--no-shapes", 0, OPTION_FLAG, NULL, "of a robot: without pictures", &given.robot.no_shapes},
        {"--lossy", 0, OPTION_FLAG, NULL, "of a robot in MJCF: leave out constraints and tendons without counterpart",
         &given.robot.lossy},
        {"--ground", 0, OPTION_FLAG, NULL, "of a robot: its collision shapes touch the ground", &given.robot.ground},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), .wanted = 1,
                                     .more = &given.files};
    int status = cli_parse(command, context, &arguments, argc, argv);

    const bool robot = is_robot(&given.files);
    if (status < 0)
        status = check_kind(command, &given, robot);
    if (status < 0)
        status = robot ? import_robot(command, context, &given) : import(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
