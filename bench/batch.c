/* Many models on one and on several threads: wall clock, pair by pair. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <phlexor/algebra.h>
#include <phlexor/study.h>

#include "options.h"
#include "timing.h"
#include "base/base.h"

enum { MODES = 6, JOBS = 2, MOST_PAIRS = 100 };
static const char *const job_names[JOBS] = {"modes", "simulate"};

typedef struct settings {
    const char *csv;
    int points, pairs, threads;
} settings;

typedef struct bench {
    phx_context *context;
    const settings *settings;
    phx_model *model;
    phx_sweep *sweep;
    double check; /* of the last run: the same for any number of threads */
} bench;

typedef struct measure {
    double one[MOST_PAIRS], several[MOST_PAIRS], ratio[MOST_PAIRS]; /* s, s, 1 */
} measure;

/* ---- the two jobs ---- */
static phx_status find_modes(bench *it, int threads)
{
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table = {0};

    options.count = MODES;
    options.sweep = it->sweep;
    options.threads = threads;
    const phx_status status = phx_study_modes(it->context, it->model, &options, &table, NULL);
    it->check = 0.0;
    for (int k = 0; k < table.n_rows; k++)
        it->check += table.rows[k].omega * (1.0 + table.rows[k].branch);
    phx_modes_free(&table);
    return status;
}

static phx_status simulate(bench *it, int threads)
{
    phx_study_batch_options options = phx_study_batch_options_default();
    phx_study_batch_report report;

    options.sweep = it->sweep;
    options.threads = threads;
    phx_status status = phx_study_batch(it->context, it->model, &options, &report);
    if (!status && report.failed > 0)
        status = phx_fail(it->context, PHX_ERR_ANALYSIS, "%d simulations failed", report.failed);
    it->check = report.largest_energy;
    return status;
}

static phx_status timed(bench *it, int job, int threads, double *seconds)
{
    const double start = bench_wall_clock();
    const phx_status status = job == 0 ? find_modes(it, threads) : simulate(it, threads);

    *seconds = bench_wall_clock() - start;
    return status;
}

/* One thread, then several, in turn: what disturbs the machine disturbs both. */
static phx_status pairs(bench *it, int job, measure *m)
{
    double unused = 0.0;
    phx_status status = timed(it, job, it->settings->threads, &unused); /* warm */

    for (int k = 0; k < it->settings->pairs && !status; k++) {
        status = timed(it, job, 1, &m->one[k]);
        const double check = it->check;
        if (!status)
            status = timed(it, job, it->settings->threads, &m->several[k]);
        m->ratio[k] = m->several[k] / m->one[k];
        if (!status && check != it->check)
            status = phx_fail(it->context, PHX_ERR_ANALYSIS, "%.17g on one thread, %.17g on %d", check, it->check,
                              it->settings->threads);
    }
    return status;
}

static phx_status measure_job(phx_context *context, const settings *s, int job, measure *m)
{
    static const char *const models[JOBS] = {PHX_SOURCE_DIR "/examples/four_bar.yaml",
                                             PHX_SOURCE_DIR "/bench/pendulum.yaml"};
    bench it = {.context = context, .settings = s};
    phx_status status = phx_model_read(context, models[job], 0, NULL, &it.model);

    if (!status)
        status = phx_sweep_create(context, &it.sweep);
    if (!status && job == 0)
        status = phx_sweep_add_range(it.sweep, "theta1", 0.0, 6.283185307179586, s->points);
    else if (!status)
        status = phx_sweep_add_range(it.sweep, "length", 0.5, 1.5, s->points);
    if (!status)
        status = pairs(&it, job, m);
    phx_sweep_destroy(it.sweep);
    phx_model_destroy(it.model);
    return status;
}

/* ---- results ---- */
static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct spread {
    double least, median, most;
} spread;

static spread spread_of(int n, double *values)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return (spread){values[0], 0.5 * (values[(n - 1) / 2] + values[n / 2]), values[n - 1]};
}

static void put(FILE *file, const settings *s, const char *machine, measure *m, bool csv)
{
    const char *row = csv ? "%s,%d,%d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n"
                          : "%-10s %6d %6d %8d %9.4f %9.4f %9.4f %9.4f %9.4f %9.4f %9.4f\n";
    fprintf(file, csv ? "# %s; %d processors\n# wall clock, seconds\n" : "%s; %d processors\n\n", machine,
            phx_processors());
    fputs(csv ? "job,models,pairs,threads,one_least,one_median,several_least,several_median,ratio_least,ratio_median,"
                "ratio_most\n"
              : "job        models  pairs  threads   one least    median  several l.  median  ratio l.  median     "
                "most\n",
          file);
    for (int job = 0; job < JOBS; job++) {
        const spread one = spread_of(s->pairs, m[job].one), several = spread_of(s->pairs, m[job].several);
        const spread ratio = spread_of(s->pairs, m[job].ratio);
        fprintf(file, row, job_names[job], s->points, s->pairs, s->threads, one.least, one.median, several.least,
                several.median, ratio.least, ratio.median, ratio.most);
    }
}

static bool read_settings(int count, char **words, settings *s)
{
    *s = (settings){.points = 1000, .pairs = 7, .threads = phx_processors()};
    const bench_option options[] = {
        {"--csv", .text = &s->csv},
        {"--points", .count = &s->points},
        {"--pairs", .count = &s->pairs},
        {"--threads", .count = &s->threads},
    };
    return bench_read_options((int)(sizeof options / sizeof *options), options, count, words) && s->points > 1 &&
           s->pairs > 0 && s->pairs <= MOST_PAIRS && s->threads > 0 && s->threads <= PHX_ORDERED_MAP_LARGEST;
}

int main(int count, char **words)
{
    static measure m[JOBS];
    char processor[128], machine[512];
    phx_context *context = NULL;
    settings s;

    if (!read_settings(count, words, &s)) {
        fprintf(stderr, "usage: bench_batch [--csv FILE] [--points N] [--pairs N, up to %d] [--threads N]\n",
                MOST_PAIRS);
        return 2;
    }
    phx_algebra_set_threads(1);
    phx_status status = phx_context_create(&context);
    for (int job = 0; job < JOBS && !status; job++)
        status = measure_job(context, &s, job, &m[job]);
    if (status)
        fprintf(stderr, "%s: %s\n", phx_status_text(status), phx_context_message(context));
    phx_context_destroy(context);
    if (status)
        return 1;
    bench_processor(processor, sizeof processor);
    snprintf(machine, sizeof machine, "%s; %s; phlexor %s, %s", processor, bench_compiler(), phx_version(),
             phx_build());
    put(stdout, &s, machine, m, false);
    if (s.csv) {
        FILE *file = fopen(s.csv, "w");
        if (file)
            put(file, &s, machine, m, true);
        if (!file || fclose(file) != 0) {
            fprintf(stderr, "%s cannot be written\n", s.csv);
            return 1;
        }
    }
    return 0;
}
