/* phlexor simulate --sweep */
#include "cli.h"
#include "results/results.h"

#include <phlexor/study.h>

#include <string.h>

/* Prints title, counts, integrator, and the largest energy, residual and drift over all complete simulations. */
static void batch_print_summary(FILE *out, const phx_model *model, const phx_study_batch_report *report)
{
    const int processes = phx_ranks_size(cli_ranks()), workers = cli_ranks() ? processes : report->threads;

    fprintf(out, "%s\n", model->title);
    fprintf(out, "  simulations  %d of %d complete, %d %s%s", report->complete, report->points, workers,
            cli_ranks() ? "process" : "thread",
            workers == 1  ? ""
            : cli_ranks() ? "es"
                          : "s");
    if (report->taken > 0)
        fprintf(out, "; %d were there before", report->taken);
    fputc('\n', out);
    fprintf(out, "  integrator   %s\n", phx_integrator_name(report->used.integrator));
    if (report->complete == 0)
        return;
    fprintf(out, "  energy       largest %.6g J; every balance closes to %.2g J\n", report->largest_energy,
            report->largest_residual);
    fprintf(out, "  joints       drift at most %.2g m, %.2g m/s\n", report->largest_drift, report->largest_drift_rate);
}

/* Runs the sweep and prints its summary; EXIT_FAILED if a simulation failed. With the list on standard output the
 * summary goes to standard error. */
static int batch_run(phx_context *context, const phx_model *model, const phx_study_batch_options *options)
{
    FILE *out = strcmp(options->table_path, "-") ? stdout : stderr;
    phx_study_batch_report report;
    const phx_status status = phx_study_batch(context, model, options, &report);

    cli_progress_done();
    if (!status && phx_ranks_rank(options->ranks) > 0)
        return EXIT_DONE;
    if (status) {
        const int code = cli_failed(context, status);
        if (report.complete > 0)
            cli_say(CLI_NOTE, NULL, "%d of %d simulations were complete%s%s%s", report.complete, report.points,
                    out == stdout ? "; they are listed in " : "", out == stdout ? options->table_path : "",
                    out == stdout ? ".partial" : "");
        return code;
    }
    batch_print_summary(out, model, &report);
    if (options->simulate.h5_path)
        fprintf(out, "  results      numbered after %s\n", options->simulate.h5_path);
    if (options->simulate.csv_path)
        fprintf(out, "  tables       numbered after %s\n", options->simulate.csv_path);
    if (out == stdout)
        fprintf(out, "  list         %s\n", options->table_path);
    if (report.failed > 0)
        cli_say(CLI_ERROR, "points", "%d of %d simulations failed", report.failed, report.points);
    return report.failed > 0 ? EXIT_FAILED : EXIT_DONE;
}

/* TABLE.csv makes TABLE-3-of-8.csv. */
static char *of_shard(phx_context *context, const char *path, const cli_batch *batch)
{
    const size_t length = strlen(path), stem = cli_ends_with(path, ".csv") ? length - 4 : length;
    char *name = phx_calloc(context, length + 32, 1);

    if (name)
        snprintf(name, length + 32, "%.*s-%d-of-%d%s", (int)stem, path, batch->shard, batch->shards, path + stem);
    return name;
}

/* Where everything goes. The names that are made here are the caller's to free. */
static int choose_names(phx_context *context, const cli_batch *batch, phx_study_batch_options *options, char **h5,
                        char **table)
{
    const char *output = batch->output;

    if (output && (!strcmp(output, "-") || cli_ends_with(output, ".csv"))) {
        options->table_path = output;
    } else {
        if (!output)
            *h5 = cli_name(context, batch->model, false, ".h5");
        options->simulate.h5_path = output ? output : *h5;
        *table = options->simulate.h5_path ? cli_name(context, options->simulate.h5_path, true, "-list.csv") : NULL;
        options->table_path = *table;
    }
    if (options->table_path && batch->shards > 1 && strcmp(options->table_path, "-") != 0) {
        char *whole = *table;
        *table = of_shard(context, options->table_path, batch);
        options->table_path = *table;
        phx_free(whole);
    }
    if (!options->table_path)
        return cli_failed(context, PHX_ERR_MEMORY);
    /* the results get numbers, so their names are asked for by the library */
    const char *const outputs[] = {options->table_path, options->simulate.h5_path, options->simulate.csv_path};
    phx_status status = PHX_OK;
    for (int k = 0; k < 3 && !status; k++)
        status = phx_output_check(context, outputs[k]);
    if (!status)
        return -1;
    cli_failed(context, status);
    return status == PHX_ERR_MEMORY ? EXIT_FAILED : EXIT_USAGE;
}

static int agree(phx_context *context, const phx_model *model, const cli_batch *batch,
                 const phx_study_batch_options *options)
{
    phx_run_size size;
    const phx_status status = phx_study_simulate_size(context, model, &options->simulate, options->sweep, &size);

    return status ? cli_failed(context, status)
                  : cli_agree(context, &size, batch->yes, "fewer points or a longer --every");
}

/* simulate --sweep: makes the sweep from its options, settles names and size, runs; the exit status. */
int cli_simulate_batch(phx_context *context, const phx_model *model, const cli_batch *batch,
                       const phx_simulate_options *simulate)
{
    phx_study_batch_options options = phx_study_batch_options_default();
    char *h5 = NULL, *table = NULL;
    phx_sweep *sweep = NULL;
    const phx_status made = cli_make_sweep(context, model, batch->sweep, &sweep);
    int status = made ? cli_failed(context, made) : -1;

    options.simulate = *simulate;
    options.sweep = sweep;
    options.ranks = cli_ranks();
    options.threads = options.ranks ? 1 : cli_threads(batch->threads);
    options.stop = batch->stop;
    options.shard = batch->shard;
    options.shards = batch->shards;
    options.resume = batch->resume;
    if (status < 0)
        status = agree(context, model, batch, &options);
    if (status < 0)
        status = choose_names(context, batch, &options, &h5, &table);
    if (status < 0)
        status = batch_run(context, model, &options);
    phx_free(h5);
    phx_free(table);
    phx_sweep_destroy(sweep);
    return status;
}
