/* phlexor loads */
#include "cli.h"

#include <string.h>

typedef struct loads_arguments {
    const char *files[2]; /* model, result */
    const char *body, *format, *output;
    cli_list at;
    int worst;
} loads_arguments;

/* Instants, what inertia relief takes, what the basis leaves out, forces and moments at ports. */
static void print_cases(const phx_load_cases *cases)
{
    printf("%s: load cases of '%s', unit of length %g m, of force %g N\n", cases->model, cases->body, cases->length,
           cases->force_unit);
    for (int k = 0; k < cases->n_cases; k++) {
        const phx_load_case *load = &cases->cases[k];
        printf("t = %.10g s: inertia relief takes %.2g of the forces, the basis leaves out %.2g\n", load->t,
               load->unbalanced, load->truncation);
        for (int p = 0; p < load->n_ports; p++) {
            const double *f = load->ports[p].force, *m = load->ports[p].moment;
            printf("  %-20s  force %12.6g %12.6g %12.6g N, moment %12.6g %12.6g %12.6g N m\n", load->ports[p].name,
                   f[0], f[1], f[2], m[0], m[1], m[2]);
        }
    }
}

/* Computes the cases, writes them and prints what they are; the exit status. */
static int loads_run(phx_context *context, phx_model *model, const loads_arguments *given)
{
    double *times = phx_calloc(context, (size_t)given->at.count + 1, sizeof *times);
    phx_load_cases cases = {0};
    phx_status result = times ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < given->at.count && !result; k++)
        result = phx_model_evaluate(context, model, "--at", given->at.items[k], &times[k]);
    const phx_load_case_options options = {
        .body = given->body, .n_times = given->at.count, .times = times, .worst = given->worst > 0 ? given->worst : 1};
    if (!result)
        result = phx_study_load_cases(context, model, given->files[1], &options, &cases);
    if (!result)
        result = phx_load_cases_write(context, &cases, given->format ? given->format : "calculix", given->output);
    cli_progress_done();
    if (!result && strcmp(given->output, "-") != 0)
        print_cases(&cases);
    phx_load_cases_free(&cases);
    phx_free(times);
    return result ? cli_failed(context, result) : EXIT_DONE;
}

/* phlexor loads: reads the options, the model, and writes load cases of a result; the exit status. */
int cli_loads(const cli_command *command, phx_context *context, int argc, char **argv)
{
    loads_arguments given = {.worst = 0};
    const cli_option options[] = {
        {"--body", 0, OPTION_TEXT, "BODY", "the body", &given.body},
        {"--at", 0, OPTION_LIST, "TIME", "an instant, s; may be repeated", &given.at},
        {"--worst", 0, OPTION_COUNT, "N", "the instants of the N largest hot spots (default: 1)", &given.worst},
        {"--format", 0, OPTION_CHOICE, "calculix|nastran", "default: calculix, which Abaqus reads too", &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "the load cases", &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 2, given.files, NULL};
    phx_model *model = NULL;
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0 && (!given.body || !given.output))
        status = cli_usage_error(command, given.body ? "--output is missing: where do the load cases go?"
                                                     : "--body is missing: the loads on which body?");
    if (status < 0 && given.worst > 0 && given.at.count > 0)
        status = cli_usage_error(command, "--at and --worst both say which instants; keep one");
    if (status < 0 && cli_readable(given.files[1]) >= 0)
        status = EXIT_USAGE;
    if (status < 0)
        status = cli_read_model(context, given.files[0], &(cli_list){0}, &model);
    if (status < 0)
        status = cli_writable(context, 1, &given.output);
    if (status < 0)
        status = loads_run(context, model, &given);
    phx_model_destroy(model);
    cli_options_free(&arguments);
    return status;
}
