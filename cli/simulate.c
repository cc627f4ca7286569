/* phlexor simulate */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "results/results.h"
#include "system/system.h"
#include "ranks/ranks.h"

#include <phlexor/study.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct simulate_arguments {
    const char *model;
    const char *result, *csv, *end, *step, *every, *rtol, *atol, *accuracy, *accuracy_absolute, *integrator, *backend;
    const char *summary, *accuracy_of, *decimal;
    int threads;
    const char *shard;
    int iterations;
    bool stop, strict, yes, resume, real_time, units;
    phx_table_style style; /* of the table */
    cli_list set, sweep;
} simulate_arguments;

static void choose_backend(const char *name, phx_simulate_options *options)
{
    for (phx_backend k = PHX_BACKEND_AUTO; name && k <= PHX_BACKEND_FAST; k++)
        if (!strcmp(phx_backend_name(k), name))
            options->backend = k;
}

/* ---- what is said at the end ---- */
static void print_settings(FILE *out, const phx_model *model, const phx_simulate_report *report)
{
    const phx_integrate_options *used = &report->used;

    fprintf(out, "%s\n", model->title);
    fprintf(out, "  model        %d bodies, %d velocities, %d constraints%s", report->bodies, report->velocities,
            report->constraints, report->lossless ? ", lossless" : "");
    if (report->redundant > 0)
        fprintf(out, ", %d redundant constraints left out", report->redundant);
    fprintf(out, "\n  integrator   %s, ", phx_integrator_name(used->integrator));
    if (used->rtol > 0.0)
        fprintf(out, "rtol %.3g\n", used->rtol);
    else
        fprintf(out, "step %.6g s%s", used->step, report->accuracy > 0.0 ? ", chosen for the accuracy" : "");
    if (used->iterations > 0)
        fprintf(out, ", %d Newton correction%s a step", used->iterations, used->iterations > 1 ? "s" : "");
    if (!(used->rtol > 0.0))
        fprintf(out, "\n");
    if (report->accuracy > 0.0)
        fprintf(out, "  accuracy     about %.2g of %.3g asked for, the last of %ld runs with %ld steps\n",
                report->accuracy_reached, report->accuracy, report->runs, report->all_steps);
}

/* The rest that a fixed number of corrections leaves, and how long the steps took. */
static void print_real_time(FILE *out, const phx_simulate_report *report)
{
    const phx_integrate_stats *stats = &report->stats;
    const phx_step_times *times = &stats->times;
    const double h = report->used.step;

    if (report->used.iterations > 0)
        fprintf(out,
                "  corrections  %ld of %ld steps leave more than rounding, %.2g of the velocities at most; energy of "
                "the residuals %.2g J\n",
                stats->unsettled, stats->steps, stats->correction_left, stats->energy_left);
    if (times->steps > 0)
        fprintf(
            out,
            "  real time    a step takes %.3g s (median), %.3g s (99 %%), %.3g s (worst, at t = %.6g s); %ld of %ld "
            "miss the deadline of %.3g s\n",
            times->median, times->percent99, times->worst, times->worst_at, times->misses, times->steps, h);
}

/* Prints settings, steps, events, times, energy balance, validity and drift of joints of a simulation. */
static void simulate_print_summary(FILE *out, const phx_model *model, const phx_simulate_report *report)
{
    const phx_integrate_stats *stats = &report->stats;
    const double energy = report->largest_energy;

    print_settings(out, model, report);
    fprintf(out, "  simulated    t = %.9g ... %.9g s, %zu instants\n", report->from, report->reached, report->rows);
    fprintf(out,
            "  steps        %ld, %ld halvings, %ld rejected; %ld iterations, %ld factorisations, %ld projections\n",
            stats->steps, stats->halvings, stats->rejected, stats->newton_iterations, stats->factorisations,
            stats->projections);
    if (report->events > 0)
        fprintf(out, "  events       %d, which took %.6g J\n", report->events, report->event_loss);
    if (report->impacts > 0)
        fprintf(out, "  impacts      %d, which took %.6g J\n", report->impacts, report->impact_loss);
    if (report->transitions > 0)
        fprintf(out, "  friction     %d times it began to slip or to stick\n", report->transitions);
    if (stats->halvings > 0)
        fprintf(out, "               smallest step %.3g s\n", stats->smallest_step);
    print_real_time(out, report);
    fprintf(out, "  wall time    %.3g s", stats->wall_seconds);
    if (report->threads > 1)
        fprintf(out, " on %d threads", report->threads);
    fprintf(out, "\n  energy       largest %.6g J; balance closes to %.2g J", energy, report->largest_residual);
    if (energy > 0.0)
        fprintf(out, ", %.2g of it", report->largest_residual / energy);
    if (report->shaped)
        fprintf(out, "\n  closed loop  its energy goes from %.6g J to %.6g J, rises by at most %.2g J on the way",
                report->shaped_from, report->shaped_to, report->shaped_rise);
    if (report->limits > 0)
        fprintf(out, "\n  validity     %d limit%s exceeded, see the warnings", report->limits,
                report->limits > 1 ? "s" : "");
    fprintf(out, "\n  joints       drift at most %.2g m, %.2g m/s\n", report->largest_drift,
            report->largest_drift_rate);
}

/* The unfinished result; one that was there before the run and was not touched does not count. */
typedef struct partial_file {
    char path[4096];
    bool existed;
    struct stat before;
} partial_file;

static void look_before(partial_file *partial, const char *path)
{
    const int length = path ? snprintf(partial->path, sizeof partial->path, "%s.partial", path) : 0;

    if (length <= 0 || (size_t)length >= sizeof partial->path)
        partial->path[0] = '\0';
    partial->existed = partial->path[0] && stat(partial->path, &partial->before) == 0;
}

static void print_partial(const partial_file *partial)
{
    struct stat now;

    if (!partial->path[0] || stat(partial->path, &now) != 0)
        return;
    if (partial->existed && now.st_ino == partial->before.st_ino && now.st_mtime == partial->before.st_mtime &&
        now.st_size == partial->before.st_size)
        return;
    cli_say(CLI_NOTE, NULL, "the partial result is in %s", partial->path);
}

/* Such a table is made of the result, at the end. */
static bool is_styled(const simulate_arguments *given)
{
    return given->csv && (given->style.units || given->style.comma || given->style.workbook);
}

/* Runs one simulation and prints its summary; after a failure it names the partial files that were written. */
static int simulate_run(phx_context *context, const phx_model *model, const simulate_arguments *given,
                        const phx_simulate_options *options)
{
    FILE *out = given->csv && !strcmp(given->csv, "-") ? stderr : stdout;
    phx_simulate_report simulated, *report = &simulated;
    partial_file h5, csv;

    look_before(&h5, options->h5_path);
    look_before(&csv, options->csv_path);
    phx_status status = phx_study_simulate(context, model, options, report);
    if (!status && is_styled(given))
        status = phx_export_table(context, options->h5_path, &given->style, given->csv);
    cli_progress_done();
    if (status) {
        const int code = cli_failed(context, status);
        print_partial(&h5);
        print_partial(&csv);
        return code;
    }
    if (given->summary && !strcmp(given->summary, "json")) {
        const phx_status put = phx_result_summary(context, options->h5_path, out, "the summary");
        return put ? cli_failed(context, put) : EXIT_DONE;
    }
    simulate_print_summary(out, model, report);
    fprintf(out, "  result       %s%s%s\n", options->h5_path, given->csv ? ", " : "",
            given->csv ? (out == stderr ? "standard output" : given->csv) : "");
    phx_status printed = phx_result_extremes(context, options->h5_path, out);
    for (int k = 0; k < model->n_outputs && !printed; k++) {
        const phx_model_output *output = &model->outputs[k];
        if (output->quantity == PHX_QUANTITY_VON_MISES && output->point.location.sort == PHX_LOCATION_SORTS)
            printed =
                phx_hot_node_text(context, options->h5_path, model->bodies[output->point.body].name, output->name, out);
    }
    return printed ? cli_failed(context, printed) : EXIT_DONE;
}

/* Evaluates the options that are positive numbers or expressions of the model's parameters; -1, or the exit status. */
static int simulate_read_numbers(phx_context *context, const phx_model *model, const simulate_arguments *given,
                                 phx_simulate_options *options)
{
    const cli_number numbers[] = {
        {"--end", given->end, &options->end},
        {"--step", given->step, &options->step},
        {"--every", given->every, &options->every},
        {"--rtol", given->rtol, &options->rtol},
        {"--atol", given->atol, &options->atol},
        {"--accuracy", given->accuracy, &options->accuracy},
        {"--accuracy-absolute", given->accuracy_absolute, &options->accuracy_absolute},
    };

    return cli_positives(context, model, sizeof numbers / sizeof *numbers, numbers);
}

static int agree(phx_context *context, const phx_model *model, const simulate_arguments *given,
                 const phx_simulate_options *options)
{
    phx_run_size size;
    const phx_status status = phx_study_simulate_size(context, model, options, NULL, &size);

    return status ? cli_failed(context, status) : cli_agree(context, &size, given->yes, "a longer --every");
}

/* One simulation: where its result goes, then the run. */
static int single(const cli_command *command, phx_context *context, const phx_model *model,
                  const simulate_arguments *given, phx_simulate_options *options)
{
    char *name = given->result ? NULL : cli_name(context, given->model, false, ".h5");
    int status = given->result || name ? -1 : cli_failed(context, PHX_ERR_MEMORY);

    if (status < 0) {
        options->h5_path = given->result ? given->result : name;
        options->csv_path = is_styled(given) ? NULL : given->csv;
        options->threads = given->threads < PHX_ORDERED_MAP_LARGEST ? given->threads : PHX_ORDERED_MAP_LARGEST;
        const char *const outputs[] = {options->h5_path, given->csv};
        if (!strcmp(options->h5_path, "-"))
            status = cli_usage_error(command, "--output -: HDF5 cannot be written to standard output; use --csv -");
        else if (cli_ends_with(options->h5_path, ".csv"))
            status = cli_usage_error(command, "--output %s: the result is HDF5; --csv %s makes a table of its columns",
                                     options->h5_path, options->h5_path);
        if (status < 0)
            status = agree(context, model, given, options);
        if (status < 0)
            status = cli_writable(context, 2, outputs);
        if (status < 0)
            status = simulate_run(context, model, given, options);
    }
    phx_free(name);
    return status;
}

/* I/N. Returns -1, or the exit status after a message. */
static int read_shard(const cli_command *command, const char *text, cli_batch *batch)
{
    char *slash = NULL, *end = NULL;

    if (!text)
        return -1;
    const long shard = strtol(text, &slash, 10), shards = *slash == '/' ? strtol(slash + 1, &end, 10) : 0;
    if (!end || *end || end == slash + 1 || shard < 1 || shards < shard || shards > 1000000)
        return cli_usage_error(command, "--shard: expected I/N such as 3/8, 1 to N, found '%s'", text);
    batch->shard = (int)shard;
    batch->shards = (int)shards;
    return -1;
}

/* Under mpirun its processes share the points of a sweep; those of a shard are for one process. */
static bool shares_points(const simulate_arguments *given)
{
    return given->sweep.count > 0 && !given->shard && phx_ranks_started() > 1;
}

/* Refuses options that exclude each other. */
static int check_arguments(const cli_command *command, const simulate_arguments *given)
{
    if (shares_points(given) && given->threads > 1)
        return cli_usage_error(command,
                               "--threads %d under mpirun: each process computes one point at a time; start "
                               "more of them",
                               given->threads);
    if (given->sweep.count == 0 && (given->stop || given->shard || given->resume))
        return cli_usage_error(command, "%s needs --sweep",
                               given->stop    ? "--stop"
                               : given->shard ? "--shard"
                                              : "--resume");
    if (given->sweep.count > 0 && given->real_time)
        return cli_usage_error(command,
                               "--real-time cannot be combined with --sweep, whose simulations share the processors");
    if (given->sweep.count > 0 && given->summary)
        return cli_usage_error(command,
                               "--summary cannot be combined with --sweep, which lists its simulations in a table");
    if ((given->units || given->decimal) && !given->csv)
        return cli_usage_error(command, "%s needs --csv FILE", given->units ? "--units" : "--decimal");
    if (given->style.comma && given->style.workbook)
        return cli_usage_error(command, "--decimal comma applies to csv files, not to the workbook '%s'", given->csv);
    if (given->sweep.count > 0 && is_styled(given))
        return cli_usage_error(command,
                               "--csv %s: a sweep writes plain csv; 'phlexor export' makes other tables of its "
                               "results",
                               given->csv);
    if (given->sweep.count > 0 && given->csv && !strcmp(given->csv, "-"))
        return cli_usage_error(command,
                               "--csv -: --sweep needs a file name, to which it adds the number of each simulation");
    return -1;
}

/* Of one simulation, which allocates before its steps alone: arrays from this size on are pages of their own, which
 * take no memory before they are written and go back when the array is freed. By itself glibc raises that size, up to
 * 32 MB, with each large array that is freed. */
static void return_large_arrays(void)
{
#ifdef __GLIBC__
    enum { LARGE = 1 << 17, SPARE = 1 << 24 };

    (void)mallopt(M_MMAP_THRESHOLD, LARGE);
    (void)mallopt(M_TRIM_THRESHOLD, SPARE);
#endif
}

/* Checks options, reads the model, and runs one simulation or a sweep; the exit status. */
static int simulate(const cli_command *command, phx_context *context, const simulate_arguments *given)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_model *model = NULL;
    cli_words of = {0};
    int status = check_arguments(command, given);

    options.strict = given->strict;
    options.iterations = given->iterations;
    options.real_time = given->real_time;
    if (status < 0)
        status = cli_choose_integrator(command, given->integrator, &options);
    choose_backend(given->backend, &options);
    if (status < 0 && shares_points(given))
        status = cli_open_ranks(context);
    if (status < 0)
        status = cli_split(command, context, "--accuracy-of", given->accuracy_of, &of);
    options.n_accuracy_of = of.count;
    options.accuracy_of = of.words;
    if (status < 0 && given->sweep.count == 0)
        return_large_arrays();
    if (status < 0)
        status = cli_read_model(context, given->model, &given->set, &model);
    if (status < 0)
        status = simulate_read_numbers(context, model, given, &options);
    if (status < 0 && given->sweep.count > 0) {
        options.csv_path = given->csv;
        cli_batch batch = {.model = given->model,
                           .output = given->result,
                           .sweep = &given->sweep,
                           .threads = given->threads,
                           .stop = given->stop,
                           .yes = given->yes,
                           .resume = given->resume};
        status = read_shard(command, given->shard, &batch);
        if (status < 0)
            status = cli_simulate_batch(context, model, &batch, &options);
    } else if (status < 0) {
        status = single(command, context, model, given, &options);
    }
    phx_model_destroy(model);
    cli_words_free(&of);
    return status;
}

/* phlexor simulate: reads the options, then simulates; the exit status. */
int cli_simulate(const cli_command *command, phx_context *context, int argc, char **argv)
{
    simulate_arguments given = {0};
    const cli_option options[] = {
        {"--output", 'o', OPTION_TEXT, "RESULT.h5", "the result", &given.result},
        {"--csv", 0, OPTION_TEXT, "FILE", "the columns as a table too; FILE.xlsx: a workbook", &given.csv},
        CLI_TABLE_OPTIONS(given),
        {"--set", 0, OPTION_LIST, "NAME=VALUE", "value of a parameter; may be repeated", &given.set},
        {"--sweep", 0, OPTION_LIST, "NAME=FROM:TO:COUNT", "a simulation at each point; several multiply", &given.sweep},
        {"--threads", 0, OPTION_COUNT, "N", "threads for a sweep, else inside the steps (default: where they pay)",
         &given.threads},
        {"--shard", 0, OPTION_TEXT, "I/N", "of a sweep every N-th point from the I-th on; see 'phlexor merge'",
         &given.shard},
        {"--resume", 0, OPTION_FLAG, NULL, "go on with a sweep that ended early", &given.resume},
        {"--stop", 0, OPTION_FLAG, NULL, "end a sweep at the first simulation that fails", &given.stop},
        {"--end", 0, OPTION_TEXT, "T", "end of the simulation, s", &given.end},
        {"--step", 0, OPTION_TEXT, "H", "time step, s", &given.step},
        {"--every", 0, OPTION_TEXT, "H", "interval of the output, s", &given.every},
        {"--rtol", 0, OPTION_TEXT, "R", "relative tolerance (not of midpoint4)", &given.rtol},
        {"--atol", 0, OPTION_TEXT, "A", "absolute tolerance (not of midpoint4)", &given.atol},
        {"--accuracy", 0, OPTION_TEXT, "E", "error of the outputs, relative: method and step are chosen for it",
         &given.accuracy},
        {"--accuracy-of", 0, OPTION_TEXT, "LIST", "the outputs that have it (default: all)", &given.accuracy_of},
        {"--accuracy-absolute", 0, OPTION_TEXT, "E", "the same in the units of the outputs", &given.accuracy_absolute},
        {"--iterations", 0, OPTION_COUNT, "N", "exactly so many Newton corrections a step of midpoint, ready or not",
         &given.iterations},
        {"--real-time", 0, OPTION_FLAG, NULL, "how long the steps take, and how many miss their deadline",
         &given.real_time},
        {"--integrator", 0, OPTION_TEXT, "INTEGRATOR",
         "the method: midpoint, midpoint4, gauss4, gauss6, radau5, ida or dop853", &given.integrator},
        {"--backend", 0, OPTION_CHOICE, "auto|plain|fast",
         "how the equations are evaluated: one body and joint at a time, or those that are alike together (default: "
         "auto, "
         "which is fast)",
         &given.backend},
        {"--strict", 0, OPTION_FLAG, NULL, "a limit of validity that is exceeded ends the run", &given.strict},
        {"--yes", 0, OPTION_FLAG, NULL, "do what makes very many points or instants", &given.yes},
        {"--summary", 0, OPTION_CHOICE, "table|json", "what is printed at the end (default: table)", &given.summary},
    };
    const cli_arguments arguments = {options, (int)(sizeof options / sizeof *options), 1, &given.model, NULL};
    int status = cli_parse(command, context, &arguments, argc, argv);

    given.style = cli_table_style(given.units, given.decimal, given.csv);
    if (status < 0)
        status = simulate(command, context, &given);
    cli_options_free(&arguments);
    return status;
}
