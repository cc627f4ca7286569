/* phlexor linearize */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct linearize_arguments {
    const char *model, *at, *format, *output, *form, *inputs, *outputs;
    const char *reduce, *error, *band, *points, *damping;
    const char *lft, *lft_degree, *lft_error, *loop, *sample;
    int order, threads, delay;
    bool minimal, stable_part;
    cli_list set, sweep;
} linearize_arguments;

/* ---- reduction ---- */
enum { MOST_POINTS = 64 };

/* Arguments of the command, with room for points. */
typedef struct reduction_request {
    phx_reduction_options options;
    phx_reduction_point points[MOST_POINTS];
} reduction_request;

static phx_reduction_method method_of(const char *name)
{
    phx_reduction_method method = PHX_REDUCE_MODAL;
    while (method < PHX_REDUCE_XMIN && strcmp(name, phx_reduction_method_name(method)) != 0)
        method++;
    return method;
}

/* FROM:TO in rad/s; TO may be inf. */
static int read_band(const cli_command *command, const char *text, double band[2])
{
    char *colon = NULL, *end = NULL;
    if (!text)
        return -1;
    band[0] = strtod(text, &colon);
    band[1] = *colon == ':' ? strtod(colon + 1, &end) : 0.0;
    if (!end || end == colon + 1 || *end || !(band[0] >= 0.0) || !(band[1] > band[0]))
        return cli_usage_error(command, "--band: expected FROM:TO in rad/s such as 0:20, found '%s'", text);
    return -1;
}

/* 2.5, 10i, 3+4i or inf */
static bool read_point(const char *text, phx_reduction_point *point)
{
    char *end = NULL;
    *point = (phx_reduction_point){.infinite = !strcmp(text, "inf")};
    if (point->infinite)
        return true;
    const double first = strtod(text, &end);
    if (end == text)
        return false;
    if (*end == 'i') {
        point->im = first;
        return end[1] == 0;
    }
    point->re = first;
    if (*end == 0)
        return true;
    const char *second = end;
    point->im = strtod(second, &end);
    return end != second && *end == 'i' && end[1] == 0;
}

static int read_points(const cli_command *command, const cli_words *words, reduction_request *request)
{
    if (words->count > MOST_POINTS)
        return cli_usage_error(command, "--points: %d points; at most %d", words->count, MOST_POINTS);
    for (int k = 0; k < words->count; k++)
        if (!read_point(words->words[k], &request->points[k]))
            return cli_usage_error(command, "--points: expected points such as 0,2.5,10i,3+4i,inf, found '%s'",
                                   words->words[k]);
    request->options.points = words->count ? request->points : NULL;
    request->options.n_points = words->count;
    return -1;
}

/* Reads method, order, error, damping, band and points of --reduce; -1, or a usage error if they stand without it. */
static int read_reduction(const cli_command *command, phx_context *context, const linearize_arguments *given,
                          reduction_request *request)
{
    cli_words points = {0};
    request->options = phx_reduction_options_default();
    if (!given->reduce) {
        const bool more =
            given->order || given->error || (given->band && !given->lft) || given->points || given->damping;
        return more ? cli_usage_error(command, "--order, --error, --band, --points and --damping need --reduce") : -1;
    }
    request->options.method = method_of(given->reduce);
    request->options.order = given->order;
    int status = cli_read_number(command, "--error", given->error, &request->options.error);
    if (status < 0)
        status = cli_read_number(command, "--damping", given->damping, &request->options.damping);
    if (status < 0)
        status = read_band(command, given->band, request->options.band);
    if (status < 0)
        status = cli_split(command, context, "--points", given->points, &points);
    if (status < 0)
        status = read_points(command, &points, request);
    cli_words_free(&points);
    return status;
}

/* ---- LFT ---- */
enum { MOST_PARAMETERS = 16 };

/* Arguments of the command, with room for degrees. */
typedef struct lft_request {
    phx_lft_options options;
    cli_words parameters;
    int degrees[MOST_PARAMETERS];
} lft_request;

/* One for all, or one for each parameter. */
static int read_degrees(const cli_command *command, phx_context *context, const char *text, lft_request *request)
{
    const int n = request->parameters.count;
    cli_words words = {0};
    int status = cli_split(command, context, "--lft-degree", text, &words);

    if (status < 0 && words.count > 0 && words.count != 1 && words.count != n)
        status = cli_usage_error(command, "--lft-degree: %d degrees for %d parameters", words.count, n);
    for (int k = 0; k < n && status < 0 && words.count > 0; k++) {
        const char *word = words.words[words.count == 1 ? 0 : k];
        char *end = NULL;
        const long degree = strtol(word, &end, 10);
        if (end == word || *end || degree < 0 || degree > 100)
            status = cli_usage_error(command, "--lft-degree: expected degrees such as 2 or 2,3, found '%s'", word);
        request->degrees[k] = (int)degree;
    }
    request->options.degrees = words.count > 0 ? request->degrees : NULL;
    cli_words_free(&words);
    return status;
}

/* Reads parameters, degrees and error of --lft; -1, or a usage error if --sweep is missing or the numbers are wrong. */
static int read_lft(const cli_command *command, phx_context *context, const linearize_arguments *given,
                    lft_request *request)
{
    request->options = phx_lft_options_default();
    if (!given->lft)
        return given->lft_degree || given->lft_error
                   ? cli_usage_error(command, "--lft-degree and --lft-error need --lft")
                   : -1;
    if (!given->sweep.count)
        return cli_usage_error(command, "--lft needs --sweep; the LFT is made from the plants of the sweep");
    int status = cli_split(command, context, "--lft", given->lft, &request->parameters);
    if (status < 0 && request->parameters.count > MOST_PARAMETERS)
        status =
            cli_usage_error(command, "--lft: %d parameters; at most %d", request->parameters.count, MOST_PARAMETERS);
    if (status < 0)
        status = cli_read_number(command, "--lft-error", given->lft_error, &request->options.error);
    if (status < 0)
        status = read_band(command, given->band, request->options.band);
    if (status < 0)
        status = read_degrees(command, context, given->lft_degree, request);
    request->options.parameters = request->parameters.words;
    request->options.n_parameters = request->parameters.count;
    return status;
}

static phx_linear_form form_of(const char *name)
{
    if (name && !strcmp(name, "second-order"))
        return PHX_FORM_SECOND_ORDER;
    return name && !strcmp(name, "descriptor") ? PHX_FORM_DESCRIPTOR : PHX_FORM_STATE_SPACE;
}

/* ---- one model, or a plant at each point of a sweep ---- */
static phx_status put_model(phx_context *context, const phx_model *model, const linearize_arguments *given,
                            const phx_study_linearize_options *options)
{
    phx_linear_report report = {0};
    phx_status status = phx_study_linearize(context, model, options, &report);

    if (!status)
        status = cli_put_linear(context, &report, given->format, given->output);
    phx_linear_report_free(&report);
    return status;
}

/* Linearises at each point of the sweep, writes the plants and their LFT to a file and prints them as text or JSON. */
static phx_status put_plants(phx_context *context, const phx_model *model, const linearize_arguments *given,
                             const phx_study_linearize_options *linear, const lft_request *lft)
{
    phx_study_plants_options options = phx_study_plants_options_default();
    phx_sweep *sweep = NULL;
    phx_plants *plants = NULL;
    phx_status status = cli_make_sweep(context, model, &given->sweep, &sweep);

    options.linear = *linear;
    options.lft = given->lft ? &lft->options : NULL;
    options.sweep = sweep;
    options.threads = cli_threads(given->threads);
    if (!status)
        status = phx_study_plants(context, model, &options, &plants);
    cli_progress_done();
    if (!status && given->output)
        status = phx_exchange_write(context, given->output, phx_plants_bundle(plants));
    if (!status && given->format && !strcmp(given->format, "json"))
        status = phx_exchange_print(context, phx_plants_bundle(plants), stdout, "standard output");
    else if (!status) {
        status = phx_plants_text(context, plants, stdout);
        if (!status && given->output)
            printf("\n%s\n", given->output);
    }
    phx_plants_destroy(plants);
    phx_sweep_destroy(sweep);
    return status;
}

/* Which of the options of loops and sampled models go together; -1, or a usage error. */
static int check_loop(const cli_command *command, const linearize_arguments *given, double sample)
{
    const bool any = given->loop || given->sample || given->minimal || given->stable_part;

    if (given->sample && !(sample > 0.0))
        return cli_usage_error(command, "--sample: expected a period in s such as 0.01, found '%s'", given->sample);
    if (given->delay > 0 && !given->sample)
        return cli_usage_error(command, "--delay counts samples and needs --sample");
    if (any && form_of(given->form) != PHX_FORM_STATE_SPACE)
        return cli_usage_error(command, "--loop, --sample, --minimal and --stable-part need the form state-space");
    if (any && given->sweep.count)
        return cli_usage_error(command,
                               "--loop, --sample, --minimal and --stable-part are of one model, not of a --sweep");
    if (given->loop && (given->reduce || given->inputs || given->outputs))
        return cli_usage_error(command, "--loop has one input and one output; it goes without --reduce, --inputs and "
                                        "--outputs");
    return -1;
}

/* Reads options and model, then computes and prints one linear model or the plants of a sweep; the exit status. */
static int linearize(const cli_command *command, phx_context *context, const linearize_arguments *given)
{
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_model *model = NULL;
    cli_words inputs = {0}, outputs = {0};
    reduction_request request = {0};
    lft_request lft = {0};
    int status = read_reduction(command, context, given, &request);

    if (status < 0)
        status = read_lft(command, context, given, &lft);
    if (status < 0)
        status = cli_read_number(command, "--sample", given->sample, &options.sample);
    if (status < 0)
        status = check_loop(command, given, options.sample);
    if (status < 0)
        status = cli_split(command, context, "--inputs", given->inputs, &inputs);

    if (status < 0)
        status = cli_split(command, context, "--outputs", given->outputs, &outputs);
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0)
        status = cli_exchange_name(context, given->output);
    if (status < 0) {
        options.form = form_of(given->form);
        options.has_at = given->at != NULL;
        options.at = cli_at(given->at);
        options.reduction = given->reduce ? &request.options : NULL;
        options.loop = given->loop;
        options.delay = given->delay;
        options.minimal = given->minimal;
        options.stable_part = given->stable_part;
        options.channels.inputs = inputs.words;
        options.channels.n_inputs = inputs.count;
        options.channels.outputs = outputs.words;
        options.channels.n_outputs = outputs.count;
        const phx_status result = given->sweep.count ? put_plants(context, model, given, &options, &lft)
                                                     : put_model(context, model, given, &options);
        status = result ? cli_failed(context, result) : EXIT_DONE;
    }
    cli_words_free(&inputs);
    cli_words_free(&outputs);
    cli_words_free(&lft.parameters);
    phx_model_destroy(model);
    return status;
}

/* phlexor linearize: reads the options, then linearises the model; the exit status. */
int cli_linearize(const cli_command *command, phx_context *context, int argc, char **argv)
{
    linearize_arguments given = {0};
    const cli_option options[] = {
        {"--inputs", 0, OPTION_TEXT, "LIST", "e.g. rod.C.fy,motor.effort (default: loads, actuators, drives)",
         &given.inputs},
        {"--outputs", 0, OPTION_TEXT, "LIST", "e.g. rod.C.ay,slide (default: the outputs of the model)",
         &given.outputs},
        {"--at", 0, OPTION_CHOICE, "start|static|steady|initial",
         "the start, the equilibrium at rest, or turning with the drives (default: the model's)", &given.at},
        {"--form", 0, OPTION_CHOICE, "state-space|descriptor|second-order", "of the file and of json", &given.form},
        {"--reduce", 0, OPTION_CHOICE, "modal|krylov|irka|lqg|xmin", "to fewer states, port-Hamiltonian as before",
         &given.reduce},
        {"--order", 0, OPTION_COUNT, "R", "elastic coordinates of the reduced model", &given.order},
        {"--error", 0, OPTION_TEXT, "E", "or as many as a relative error takes, e.g. 0.05", &given.error},
        {"--band", 0, OPTION_TEXT, "FROM:TO", "where the error counts, rad/s (default: everywhere)", &given.band},
        {"--damping", 0, OPTION_TEXT, "ZETA", "modal damping to choose and measure with", &given.damping},
        {"--points", 0, OPTION_TEXT, "LIST", "of krylov, 1/s: e.g. 0,2.5,10i,3+4i,inf", &given.points},
        {"--minimal", 0, OPTION_FLAG, NULL, "without states that no input moves or no output sees", &given.minimal},
        {"--stable-part", 0, OPTION_FLAG, NULL, "without free motions and what grows", &given.stable_part},
        {"--loop", 0, OPTION_TEXT, "CONTROLLER", "the loop opened at NAME or NAME.u2, with its margins", &given.loop},
        {"--sample", 0, OPTION_TEXT, "T", "sampled every T s, inputs held; sampled controllers closed", &given.sample},
        {"--delay", 0, OPTION_COUNT, "N", "samples by which the inputs are late", &given.delay},
        {"--sweep", 0, OPTION_LIST, "NAME=FROM:TO:COUNT",
         "a plant at each value of a parameter, all in one file; several multiply", &given.sweep},
        {"--lft", 0, OPTION_TEXT, "LIST", "parameters of the sweep: the plants as an LFT in them", &given.lft},
        {"--lft-degree", 0, OPTION_TEXT, "LIST", "of its polynomials, e.g. 2 or 2,3 (default: by the error)",
         &given.lft_degree},
        {"--lft-error", 0, OPTION_TEXT, "E", "of the polynomials at values left out (default: 1e-6)", &given.lft_error},
        {"--threads", 0, OPTION_COUNT, "N", "threads for the plants (default: all processors)", &given.threads},
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--format", 0, OPTION_CHOICE, "table|json", "of the summary; default: table", &given.format},
        {"--output", 'o', OPTION_TEXT, "FILE", "the model as FILE.mat, .h5, .json, or the folder NAME_mtx",
         &given.output},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    if (status < 0)
        status = linearize(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
