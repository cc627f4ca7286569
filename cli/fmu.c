/* phlexor fmu */
#include "cli.h"
#include "fmu/fmu.h"

#include <string.h>

typedef struct fmu_arguments {
    const char *model, *output, *version, *kind, *identifier, *inputs, *outputs, *parameters, *step, *end, *integrator,
        *rtol, *atol, *format;
    bool no_run;
    cli_list set, words;
} fmu_arguments;

/* ---- check FILE ---- */
static void print_text(const char *path, const phx_fmu_check_report *report)
{
    printf("%s: %s", path, report->name);
    if (report->version > 0)
        printf(" FMI %d.0, %s%s%s, %d variables, %d steps made", report->version,
               report->co_simulation ? "co-simulation" : "",
               report->co_simulation && report->model_exchange ? ", " : "",
               report->model_exchange ? "model exchange" : "", report->variables, report->steps);
    if (report->events > 0)
        printf(", %d events", report->events);
    putchar('\n');
    for (int k = 0; k < report->n_findings; k++)
        printf("  %s\n", report->findings[k]);
    if (report->n_findings == 0)
        puts("  nothing wrong was found");
}

static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

static void print_json(const phx_fmu_check_report *report)
{
    printf("{\"fmi\": %d, \"name\": ", report->version);
    print_quoted(report->name);
    printf(", \"co_simulation\": %s, \"model_exchange\": %s, \"variables\": %d, \"steps\": %d, \"events\": %d, "
           "\"findings\": [",
           report->co_simulation ? "true" : "false", report->model_exchange ? "true" : "false", report->variables,
           report->steps, report->events);
    for (int k = 0; k < report->n_findings; k++) {
        fputs(k ? ", " : "", stdout);
        print_quoted(report->findings[k]);
    }
    puts("]}");
}

/* phlexor fmu check: prints the findings as text or JSON; EXIT_FAILED if there are any. */
static int fmu_check(phx_context *context, const fmu_arguments *given, const char *path)
{
    phx_fmu_check_report report;
    const phx_status status = phx_fmu_check(context, path, !given->no_run, &report);

    if (status)
        return cli_failed(context, status);
    if (given->format && !strcmp(given->format, "json"))
        print_json(&report);
    else
        print_text(path, &report);
    const int result = report.n_findings > 0 ? EXIT_FAILED : EXIT_DONE;
    phx_fmu_check_report_free(&report);
    return result;
}

/* ---- MODEL ---- */

/* Prints name, kind, size, parameters, states and step of the written FMU as text or JSON. */
static void print_report(const fmu_arguments *given, const char *output, const phx_fmu_options *options,
                         const phx_fmu_report *report)
{
    static const double MEGABYTES = 1e-6; /* of one byte */

    if (given->format && !strcmp(given->format, "json")) {
        printf("{\"file\": \"%s\", \"fmi\": %d, \"inputs\": %d, \"outputs\": %d, \"parameters\": %d, \"states\": %d, "
               "\"bytes\": %zu, \"step\": %.17g, \"token\": \"%s\"}\n",
               output, options->version, report->inputs, report->outputs, report->parameters, report->states,
               report->bytes, report->step, report->token);
        return;
    }
    printf("%s: FMI %d.0, %s, %d inputs, %d outputs, %.1f MB\n", output, options->version,
           options->kind == PHX_FMU_BOTH             ? "co-simulation and model exchange"
           : options->kind == PHX_FMU_MODEL_EXCHANGE ? "model exchange"
                                                     : "co-simulation",
           report->inputs, report->outputs, MEGABYTES * (double)report->bytes);
    if (report->parameters > 0)
        printf("  parameters   %d, which the other program can set\n", report->parameters);
    if (report->states > 0)
        printf("  states       %d\n", report->states);
    if (report->step > 0.0 && options->kind != PHX_FMU_MODEL_EXCHANGE)
        printf("  step         %.6g s; communication steps are divided into equal ones no longer than that\n",
               report->step);
}

static int fmu_read_numbers(phx_context *context, const phx_model *model, const fmu_arguments *given,
                            phx_simulate_options *options)
{
    const cli_number numbers[] = {
        {"--step", given->step, &options->step},
        {"--end", given->end, &options->end},
        {"--rtol", given->rtol, &options->rtol},
        {"--atol", given->atol, &options->atol},
    };

    return cli_positives(context, model, sizeof numbers / sizeof *numbers, numbers);
}

/* Writes the FMU, under the model's name unless --output is given, and prints its report; the exit status. */
static int export_model(phx_context *context, const phx_model *model, const fmu_arguments *given,
                        phx_fmu_options *options)
{
    phx_fmu_report report = {0};
    char *name = given->output ? NULL : cli_name(context, given->model, false, ".fmu");
    const char *const output = given->output ? given->output : name;
    int status = output ? cli_writable(context, 1, &output) : cli_failed(context, PHX_ERR_MEMORY);

    if (status < 0) {
        const phx_status result = phx_fmu_export(context, model, options, output, &report);
        if (!result)
            print_report(given, output, options, &report);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    phx_free(name);
    return status;
}

static bool is_none(const cli_words *words)
{
    return words->count == 1 && !strcmp(words->words[0], "none");
}

/* phlexor fmu: checks an FMU, or reads the model and its options and exports it; the exit status. */
int cli_fmu(const cli_command *command, phx_context *context, int argc, char **argv)
{
    fmu_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "FILE.fmu", "default: the model's name with .fmu, in the current directory",
         &given.output},
        {"--fmi", 0, OPTION_CHOICE, "2|3", "version of the interface; default: 3", &given.version},
        {"--kind", 0, OPTION_CHOICE, "cs|me|both", "co-simulation, model exchange, or for both; default: cs",
         &given.kind},
        {"--inputs", 0, OPTION_TEXT, "LIST",
         "JOINT.effort, JOINT.rate, LOAD.fx, SPRING.force; default: all that the model acts with", &given.inputs},
        {"--outputs", 0, OPTION_TEXT, "LIST", "outputs of the model; default: all", &given.outputs},
        {"--parameters", 0, OPTION_TEXT, "LIST",
         "parameters that the other program can set, or none; default: all that only expressions of time use",
         &given.parameters},
        {"--integrator", 0, OPTION_TEXT, "INTEGRATOR", "midpoint, gauss4, ...; default: that of the model",
         &given.integrator},
        {"--step", 0, OPTION_TEXT, "H", "longest step of the integrator, s", &given.step},
        {"--end", 0, OPTION_TEXT, "T", "stop time that the FMU proposes, s", &given.end},
        {"--rtol", 0, OPTION_TEXT, "R", "relative tolerance, with which the integrator chooses its steps", &given.rtol},
        {"--atol", 0, OPTION_TEXT, "A", "absolute tolerance", &given.atol},
        {"--identifier", 0, OPTION_TEXT, "NAME", "model identifier; default: made of the name of the file",
         &given.identifier},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--no-run", 0, OPTION_FLAG, NULL, "check: look at the description only", &given.no_run},
        {"--format", 0, OPTION_CHOICE, "table|json", "of the summary; default: table", &given.format},
    };
    const cli_arguments arguments = {
        .options = options, .n_options = (int)(sizeof options / sizeof *options), .wanted = 1, .more = &given.words};
    phx_fmu_options wanted = phx_fmu_options_default();
    phx_model *model = NULL;
    cli_words inputs = {0}, outputs = {0}, parameters = {0};
    int status = cli_parse(command, context, &arguments, argc, argv);

    given.model = given.words.count > 0 ? given.words.items[0] : NULL;
    if (status < 0 && given.words.count == 2 && !strcmp(given.model, "check"))
        status = fmu_check(context, &given, given.words.items[1]);
    else if (status < 0 && given.words.count != 1)
        status = cli_usage_error(command, "expected one MODEL, or: check FILE.fmu");
    if (status < 0)
        status = cli_split(command, context, "--inputs", given.inputs, &inputs);
    if (status < 0)
        status = cli_split(command, context, "--outputs", given.outputs, &outputs);
    if (status < 0)
        status = cli_split(command, context, "--parameters", given.parameters, &parameters);
    if (status < 0)
        status = cli_choose_integrator(command, given.integrator, &wanted.simulate);
    if (status < 0)
        status = cli_read_model(context, given.model, &given.set, &model);
    if (status < 0)
        status = fmu_read_numbers(context, model, &given, &wanted.simulate);
    if (status < 0) {
        wanted.version = given.version && !strcmp(given.version, "2") ? 2 : 3;
        wanted.kind = !given.kind || !strcmp(given.kind, "cs") ? PHX_FMU_CO_SIMULATION
                      : !strcmp(given.kind, "me")              ? PHX_FMU_MODEL_EXCHANGE
                                                               : PHX_FMU_BOTH;
        wanted.identifier = given.identifier;
        wanted.inputs = inputs.words;
        wanted.n_inputs = inputs.count;
        wanted.outputs = outputs.words;
        wanted.n_outputs = outputs.count;
        wanted.parameters = parameters.words;
        wanted.n_parameters = is_none(&parameters) ? 0 : parameters.count;
        status = export_model(context, model, &given, &wanted);
    }
    cli_words_free(&inputs);
    cli_words_free(&outputs);
    cli_words_free(&parameters);
    phx_model_destroy(model);
    cli_options_free(&arguments);
    return status;
}
