/* phlexor inverse */
#include "cli.h"
#include "results/results.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

typedef struct inverse_arguments {
    const char *model, *output, *result, *end, *step, *every, *rtol, *atol, *integrator;
    const char *place, *path, *rise;
    bool nearest;
    cli_list set;
} inverse_arguments;

static int inverse_read_numbers(phx_context *context, const phx_model *model, const inverse_arguments *given,
                                phx_simulate_options *options)
{
    const cli_number numbers[] = {
        {"--end", given->end, &options->end},       {"--step", given->step, &options->step},
        {"--every", given->every, &options->every}, {"--rtol", given->rtol, &options->rtol},
        {"--atol", given->atol, &options->atol},
    };

    return cli_positives(context, model, sizeof numbers / sizeof *numbers, numbers);
}

/* The largest effort of each drive and the largest power that it gives. */
static phx_status print_drives(FILE *out, const phx_result *table)
{
    const size_t rows = phx_result_rows(table);
    phx_status status = PHX_OK;

    for (int c = 1; c < phx_result_columns(table) && !status; c += PHX_DRIVE_VALUES) {
        const char *name = phx_result_column_name(table, c + PHX_DRIVE_EFFORT);
        double effort = 0.0, power = 0.0, largest = 0.0, given = 0.0, rate;
        for (size_t k = 0; k < rows && !status; k++) {
            status = phx_result_column(table, c + PHX_DRIVE_EFFORT, k, 1, &effort);
            if (!status)
                status = phx_result_column(table, c + PHX_DRIVE_RATE, k, 1, &rate);
            if (status)
                break;
            power = effort * rate;
            largest = fmax(largest, fabs(effort));
            given = fmax(given, power);
        }
        fprintf(out, "  %-12s at most %.6g %s, gives at most %.4g W\n", name, largest,
                phx_result_column_unit(table, c + PHX_DRIVE_EFFORT), given);
    }
    return status;
}

/* Simulates driven joints and prints the ranges of their efforts and the names of the files; the exit status. */
static int inverse_run(phx_context *context, const phx_model *model, const inverse_arguments *given,
                       const phx_simulate_options *options)
{
    FILE *out = !strcmp(options->csv_path, "-") ? stderr : stdout;
    phx_simulate_report report;
    phx_result *table = NULL;
    phx_status status = phx_study_inverse(context, model, options, &report, &table);

    cli_progress_done();
    if (!status) {
        fprintf(out, "%s\n  simulated    t = %.9g ... %.9g s by %s, %zu instants\n", model->title, report.from,
                report.reached, phx_integrator_name(report.used.integrator), report.rows);
        status = print_drives(out, table);
    }
    if (!status)
        fprintf(out, "  table        %s\n", out == stderr ? "standard output" : options->csv_path);
    if (!status && given->result)
        fprintf(out, "  result       %s\n", given->result);
    phx_result_destroy(table);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

/* ---- motions of outputs ---- */
/* The largest value of each input. */
static phx_status print_inputs(FILE *out, const phx_result *table, int inputs)
{
    phx_status status = PHX_OK;

    for (int c = 1; c <= inputs && !status; c++) {
        double largest = 0.0, value = 0.0;
        for (size_t k = 0; k < phx_result_rows(table) && !status; k++) {
            status = phx_result_column(table, c, k, 1, &value);
            largest = fmax(largest, fabs(value));
        }
        fprintf(out, "  %-12s at most %.6g, for %s\n", phx_result_column_name(table, c), largest,
                phx_result_column_name(table, inputs + c));
    }
    return status;
}

/* Inverts the linear model for motions of outputs and prints its zeros, the ranges of its inputs and the table's
 * name. */
static int run_stable(phx_context *context, const phx_model *model, const phx_simulate_options *options)
{
    FILE *out = !strcmp(options->csv_path, "-") ? stderr : stdout;
    phx_stable_inverse_report report;
    phx_result *table = NULL;
    phx_status status = phx_study_stable_inverse(context, model, options, &report, &table);

    if (!status) {
        fprintf(out, "%s\n  inverted     linear model of %d states, t = %.9g ... %.9g s, %zu rows\n", model->title,
                report.states, report.from, report.to, report.rows);
        fprintf(out, "  zeros        %d, in the right half-plane %d", report.zeros, report.antistable);
        if (report.antistable > 0)
            fprintf(out, ", from %.4g 1/s on: inputs begin before the motion", report.slowest);
        fputc('\n', out);
        status = print_inputs(out, table, report.inputs);
    }
    if (!status)
        fprintf(out, "  table        %s\n", out == stderr ? "standard output" : options->csv_path);
    phx_result_destroy(table);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

/* ---- places of a port ---- */
/* The key of each joint that moves the port: a table, or a list of them. */
static void print_motions(FILE *out, const phx_result *table, const char *file)
{
    const int n = phx_result_columns(table);

    for (int c = 1; c < n; c++) {
        const char *name = phx_result_column_name(table, c), *end = strrchr(name, '.');
        const int length = (int)(end - name), number = end[strlen(".coordinate")];
        const char *next = c + 1 < n ? phx_result_column_name(table, c + 1) : "";
        const bool goes_on = number && !strncmp(next, name, (size_t)length + 1) && strrchr(next, '.') == next + length;
        if (!number || number == '1')
            fprintf(out, "  %-12.*s motion: %s", length, name, number ? "[" : "");
        fprintf(out, "{file: %s, column: %s, interpolation: spline}%s", file, name,
                goes_on  ? ", "
                : number ? "]\n"
                         : "\n");
    }
}

/* Follows the path of a port and prints the singular value and the motions of the joints; the exit status. */
static int run_places(phx_context *context, const phx_model *model, const phx_inverse_kinematics_options *options)
{
    FILE *out = !strcmp(options->csv_path, "-") ? stderr : stdout;
    phx_inverse_kinematics_report report;
    phx_result *table = NULL;
    const phx_status status = phx_study_inverse_kinematics(context, model, options, &report, &table);

    cli_progress_done();
    if (!status) {
        fprintf(out, "%s\n  followed     %s, %zu places, up to %.3g m away\n", model->title, options->port, report.rows,
                report.left);
        fprintf(out, "  singular     value %.3g times the largest at t = %.9g s, the smallest\n", report.singular,
                report.singular_at);
        print_motions(out, table, out == stderr ? "TABLE.csv" : options->csv_path);
        fprintf(out, "  table        %s\n", out == stderr ? "standard output" : options->csv_path);
    }
    phx_result_destroy(table);
    return status ? cli_failed(context, status) : EXIT_DONE;
}

/* Options of --place from those given; -1, or the exit status after a message. */
static int inverse_read_places(const cli_command *command, phx_context *context, const phx_model *model,
                               const inverse_arguments *given, phx_inverse_kinematics_options *options)
{
    phx_model_optional every = {0}, rise = {0};
    const cli_number numbers[] = {{"--every", given->every, &every}, {"--rise", given->rise, &rise}};

    if (!given->place || !given->path || given->result || given->end || given->step || given->rtol || given->atol ||
        given->integrator)
        return cli_usage_error(command,
                               "--place and --path belong together; --result, --end, --step, --rtol, --atol and "
                               "--integrator do not apply to them, --rise and --nearest to nothing else");
    const int status = cli_positives(context, model, 2, numbers);
    options->port = given->place;
    options->path = given->path;
    options->every = every.value;
    options->rise = rise.value;
    options->nearest = given->nearest;
    return status;
}

/* Chooses between places of a port by the options, driven joints and stable inversion by the model, checks options and
 * outputs, and runs; the exit status. */
static int inverse(const cli_command *command, phx_context *context, const inverse_arguments *given)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_inverse_kinematics_options places = phx_inverse_kinematics_options_default();
    const bool follows = given->place || given->path || given->rise || given->nearest;
    phx_model *model = NULL;
    char *name =
        given->output ? NULL : cli_name(context, given->model, false, follows ? "_motions.csv" : "_efforts.csv");
    int status = given->output || name ? -1 : cli_failed(context, PHX_ERR_MEMORY);

    if (status < 0)
        status = cli_choose_integrator(command, given->integrator, &options);
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0 && follows)
        status = inverse_read_places(command, context, model, given, &places);
    if (status < 0 && !follows && model->inverse.given &&
        (given->result || given->rtol || given->atol || given->integrator))
        status = cli_usage_error(command, "--result, --rtol, --atol and --integrator apply to driven joints only; this "
                                          "model prescribes motions of outputs (`inverse`)");
    if (status < 0)
        status = inverse_read_numbers(context, model, given, &options);
    if (status < 0) {
        places.csv_path = options.csv_path = given->output ? given->output : name;
        options.h5_path = given->result;
        const char *const outputs[] = {options.csv_path, options.h5_path};
        status = cli_writable(context, 2, outputs);
    }
    if (status < 0)
        status = follows                ? run_places(context, model, &places)
                 : model->inverse.given ? run_stable(context, model, &options)
                                        : inverse_run(context, model, given, &options);
    phx_model_destroy(model);
    phx_free(name);
    return status;
}

/* phlexor inverse: reads the options, then computes efforts or inputs along a motion; the exit status. */
int cli_inverse(const cli_command *command, phx_context *context, int argc, char **argv)
{
    inverse_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "TABLE.csv", "the table; - is standard output", &given.output},
        {"--place", 0, OPTION_TEXT, "PLACE", "inverse kinematics: BODY.PORT that the joints shall move", &given.place},
        {"--path", 0, OPTION_TEXT, "PATH.csv", "its places over time: x, y, z, directions angle or qw, qx, qy, qz",
         &given.path},
        {"--rise", 0, OPTION_TEXT, "T", "with --every: way points at trapezoidal rates, which rise during T",
         &given.rise},
        {"--nearest", 0, OPTION_FLAG, NULL, "accept the nearest places, and singular ones", &given.nearest},
        {"--result", 0, OPTION_TEXT, "RESULT.h5", "the result of the simulation too", &given.result},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--end", 0, OPTION_TEXT, "T", "end of the motion, s", &given.end},
        {"--step", 0, OPTION_TEXT, "H", "time step, s", &given.step},
        {"--every", 0, OPTION_TEXT, "H", "interval of the table, s; with --place between way points", &given.every},
        {"--rtol", 0, OPTION_TEXT, "R", "relative tolerance (not of midpoint4)", &given.rtol},
        {"--atol", 0, OPTION_TEXT, "A", "absolute tolerance (not of midpoint4)", &given.atol},
        {"--integrator", 0, OPTION_TEXT, "INTEGRATOR",
         "the method: midpoint, midpoint4, gauss4, gauss6, radau5, ida or dop853", &given.integrator},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = inverse(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
