/* phlexor reduce */
#include "cli.h"
#include "ranks/ranks.h"

#include <string.h>

typedef struct reduce_arguments {
    const char *model, *body, *format, *output, *solver;
    cli_list set;
} reduce_arguments;

/* Prints mass, the first ten frequencies, errors and effective masses of the reduced body, and its use in a model. */
static void print_text(const phx_reduce_report *report, const char *output)
{
    enum { MOST = 10 };

    printf("%s: %s, %d coordinates, %d ports", output, report->body, report->coordinates, report->ports);
    if (report->nodes > 0)
        printf(", %d nodes", report->nodes);
    printf("\n  mass         %.10g kg\n  frequencies ", report->mass);
    for (int k = 0; k < report->coordinates && k < MOST; k++)
        printf(" %.8g", report->frequency[k]);
    printf("%s Hz\n", report->coordinates > MOST ? " ..." : "");
    if (report->frequency_error >= 0.0)
        printf(
            "  errors       %.2g of the first frequencies with the joined ports held, %.2g of the flexibility there\n",
            report->frequency_error, report->flexibility_error);
    if (report->effective_share >= 0.0)
        printf(
            "  modes        effective mass %.6g, %.6g, %.6g kg along x, y, z; at least %.3g %% of what a port moves\n",
            report->effective_mass[0], report->effective_mass[1], report->effective_mass[2],
            100.0 * report->effective_share);
    printf("In the model: %s: {kind: reduced, file: %s}, with its pose, velocity and damping\n", report->body, output);
}

static void print_json(const phx_reduce_report *report)
{
    printf("{\"coordinates\": %d, \"ports\": %d, \"nodes\": %d, \"mass\": %.17g, \"frequencies\": [",
           report->coordinates, report->ports, report->nodes, report->mass);
    for (int k = 0; k < report->coordinates; k++)
        printf("%s%.17g", k ? ", " : "", report->frequency[k]);
    printf("], \"frequency_error\": %.17g, \"flexibility_error\": %.17g", report->frequency_error,
           report->flexibility_error);
    if (report->effective_share >= 0.0)
        printf(", \"effective_mass\": [%.17g, %.17g, %.17g], \"effective_share\": %.17g", report->effective_mass[0],
               report->effective_mass[1], report->effective_mass[2], report->effective_share);
    puts("}");
}

/* Under mpirun by its processes together. */
static bool is_serial(const reduce_arguments *given)
{
    return given->solver ? !strcmp(given->solver, "serial") : phx_ranks_started() == 1;
}

static phx_status reduce_by(phx_context *context, const phx_model *model, const reduce_arguments *given,
                            const char *output, phx_reduce_report *report)
{
    const bool multigrid = given->solver && !strcmp(given->solver, "gamg");

    if (is_serial(given))
        return phx_study_reduce(context, model, given->body, output, report);
    return phx_study_reduce_over(context, model, given->body, output, cli_ranks(),
                                 multigrid ? PHX_RANKS_GAMG : PHX_RANKS_MUMPS, report);
}

/* Reduces the body, on all ranks together if there are several, and prints the report on the first; the exit status. */
static int reduce_reduce(phx_context *context, const phx_model *model, const reduce_arguments *given)
{
    phx_reduce_report report = {0};
    char *name = given->output ? NULL : cli_name(context, given->body, false, ".h5");
    const char *const output = given->output ? given->output : name;
    const bool writes = phx_ranks_rank(cli_ranks()) == 0;
    int status = !output ? cli_failed(context, PHX_ERR_MEMORY) : writes ? cli_writable(context, 1, &output) : -1;

    if (status < 0) {
        const phx_status result = reduce_by(context, model, given, output, &report);
        cli_progress_done();
        if (!result && writes && given->format && !strcmp(given->format, "json"))
            print_json(&report);
        else if (!result && writes)
            print_text(&report, output);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    phx_reduce_report_free(&report);
    phx_free(name);
    return status;
}

/* phlexor reduce: reads the options, starts MPI unless the solver is serial, and reduces a body; the exit status. */
int cli_reduce(const cli_command *command, phx_context *context, int argc, char **argv)
{
    reduce_arguments given = {0};
    const cli_option options[] = {
        {"--body", 0, OPTION_TEXT, "BODY", "the body", &given.body},
        {"--output", 'o', OPTION_TEXT, "BODY.h5", "default: the body's name with .h5, in the current directory",
         &given.output},
        {"--solver", 0, OPTION_CHOICE, "serial|mumps|gamg",
         "this process alone, or those of mpirun together: factors by MUMPS, or multigrid; default: serial, mumps "
         "under "
         "mpirun",
         &given.solver},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--format", 0, OPTION_CHOICE, "table|json", "of the summary; default: table", &given.format},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    phx_model *model = NULL;
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0 && !given.body)
        status = cli_usage_error(command, "--body is missing: which body of %s?", given.model);
    if (status < 0 && is_serial(&given) && phx_ranks_started() > 1)
        status = cli_usage_error(command, "--solver serial: under mpirun each process would do the same work; use "
                                          "mumps or gamg, or start one process");
    if (status < 0 && !is_serial(&given))
        status = cli_open_ranks(context);
    if (status < 0)
        status = cli_read_model(context, given.model, &given.set, &model);
    if (status < 0)
        status = reduce_reduce(context, model, &given);
    phx_model_destroy(model);
    cli_options_free(&arguments);
    return status;
}
