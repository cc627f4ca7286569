/* Work-precision diagrams: the error of every integrator against its processor time, over steps and tolerances, for
 * three mechanisms with flexible links.
 *
 *     bench_precision [--csv FILE] [--svg FILE] [--only PROBLEM] [--longest SECONDS] [--repeats N]
 *     bench_precision --from FILE [--csv FILE] [--svg FILE]     measures nothing: FILE is an earlier --csv
 *
 * The error is that of one output over the instants of the run, largest against the largest value. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <phlexor/study.h>

#include "results/plot/chart.h"
#include "curve.h"
#include "options.h"
#include "timing.h"
#include "dae/dae.h"

enum { WIDTH = 3, MOST_SETTINGS = 40, METHODS = PHX_INTEGRATORS + 3 };

/* A simulated case. The output is that of the columns from `first` on, `width` of them. */
typedef struct problem {
    const char *name, *title, *model, *output;
    int elements; /* parameter of the model */
    const char *elements_name;
    double end;   /* s */
    int instants; /* after the start */
    double largest_step;
    double reference_step; /* of gauss6 */
} problem;

static const problem problems[] = {
    {"crank_slider", "Crank-slider, two revolutions: deflection at the middle", "crank_slider.yaml", "mid.y", 8, "n",
     0.083775804095727820, 40, 0.083775804095727820 / 320, 0.083775804095727820 / 80000},
    {"double_pendulum", "Flexible double pendulum, 1 s: place of the tip", "double_pendulum.yaml", "tip.", 4, "n", 1.0,
     40, 1.0 / 80, 1.0 / 20000},
    {"manipulator", "Manipulator, 2.5 s: place of the load", "manipulator.yaml", "tip.", 2, "e", 2.5, 25, 0.02,
     2.5 / 5000},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

/* The integrators as they are, then those of fixed steps by tolerance. */
static const struct {
    const char *name;
    phx_integrator integrator;
    bool chooses;
} methods[METHODS] = {
    {"midpoint", PHX_MIDPOINT, false}, {"midpoint4", PHX_MIDPOINT4, false},   {"gauss4", PHX_GAUSS4, false},
    {"gauss6", PHX_GAUSS6, false},     {"radau5", PHX_RADAU5, true},          {"ida", PHX_IDA, true},
    {"dop853", PHX_DOP853, true},      {"midpoint rtol", PHX_MIDPOINT, true}, {"gauss4 rtol", PHX_GAUSS4, true},
    {"gauss6 rtol", PHX_GAUSS6, true},
};

typedef struct settings {
    const char *csv, *svg, *only, *from;
    double longest;
    int repeats;
} settings;

typedef struct bench {
    phx_context *context;
    const problem *problem;
    phx_system *system;
    phx_dae *dae;
    double *x0, *v0, *lambda0, *x, *v, *lambda, *columns;
    int first, width, n_columns;
    double *states;          /* instants + 1, x and v each */
    double *reference, *now; /* instants + 1, width each */
    int row;
    bool known; /* there are curves */
    bench_curve curves[METHODS];
    double disagreement; /* of the two references */
} bench;

/* ---- a run ---- */
/* Kept while the clock runs, evaluated afterwards. */
static phx_status sample(void *user, const phx_sample *s)
{
    bench *it = user;
    if (it->row > it->problem->instants)
        return PHX_OK;
    double *row = it->states + (size_t)it->row++ * (size_t)(it->dae->n_x + it->dae->n_v);
    memcpy(row, s->x, (size_t)it->dae->n_x * sizeof *row);
    memcpy(row + it->dae->n_x, s->v, (size_t)it->dae->n_v * sizeof *row);
    return PHX_OK;
}

static phx_status evaluate(bench *it)
{
    phx_status status = PHX_OK;
    for (int i = 0; i <= it->problem->instants && !status; i++) {
        const double *x = it->states + (size_t)i * (size_t)(it->dae->n_x + it->dae->n_v);
        const double t = it->problem->end * i / it->problem->instants;
        status = phx_system_outputs(it->dae, t, x, x + it->dae->n_x, it->columns);
        memcpy(it->now + i * it->width, it->columns + it->first, (size_t)it->width * sizeof *it->now);
    }
    return status;
}

static phx_status simulate(bench *it, const phx_integrate_options *options, phx_integrate_stats *stats, double *seconds)
{
    const size_t n_x = (size_t)it->dae->n_x, n_v = (size_t)it->dae->n_v, n_l = (size_t)it->dae->n_l;
    double t = 0.0;
    memcpy(it->x, it->x0, n_x * sizeof(double));
    memcpy(it->v, it->v0, n_v * sizeof(double));
    memcpy(it->lambda, it->lambda0, n_l * sizeof(double));
    it->row = 0;
    const double from = bench_clock();
    phx_status status = phx_integrate(it->dae, options, &t, it->x, it->v, it->lambda, sample, it, stats);
    *seconds = bench_clock() - from;
    return status ? status : evaluate(it);
}

static double distance(const bench *it, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i <= it->problem->instants; i++) {
        double sum = 0.0;
        for (int k = i * it->width; k < (i + 1) * it->width; k++)
            sum += b ? (a[k] - b[k]) * (a[k] - b[k]) : a[k] * a[k];
        largest = fmax(largest, sqrt(sum));
    }
    return largest;
}

static double error_of(const bench *it)
{
    return distance(it, it->now, it->reference) / distance(it, it->reference, NULL);
}

static phx_integrate_options options_of(const bench *it, int method, double setting)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = methods[method].integrator;
    options.end = it->problem->end;
    options.every = it->problem->end / it->problem->instants;
    options.step = methods[method].chooses ? 0.0 : setting;
    options.rtol = methods[method].chooses ? setting : 0.0;
    return options;
}

/* ---- a problem ---- */
static phx_status find_output(bench *it)
{
    char name[128];
    it->n_columns = phx_system_columns(it->system);
    it->first = -1;
    for (int k = 0; k < it->n_columns; k++) {
        phx_system_column_name(it->system, k, name, sizeof name);
        if (strncmp(name, it->problem->output, strlen(it->problem->output)) != 0)
            continue;
        if (it->first < 0)
            it->first = k;
        it->width = k - it->first + 1;
    }
    return it->first >= 0 ? PHX_OK : phx_fail(it->context, PHX_ERR_INPUT, "no output '%s'", it->problem->output);
}

static double *room(const bench *it, int count)
{
    return phx_calloc(it->context, (size_t)count, sizeof(double));
}

static phx_status prepare(bench *it)
{
    const phx_model_override elements = {.name = it->problem->elements_name, .value = it->problem->elements};
    char path[512];
    phx_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/%s", PHX_SOURCE_DIR, it->problem->model);
    phx_status status = phx_model_read(it->context, path, 1, &elements, &model);
    if (!status)
        status = phx_model_build(it->context, model, NULL, &it->system);
    if (!status)
        status = phx_system_dae(it->system, it->context, &it->dae);
    if (!status)
        status = find_output(it);
    if (!status) {
        const int n_x = it->dae->n_x, n_v = it->dae->n_v, n_l = it->dae->n_l, n = it->problem->instants + 1;
        double **const arrays[] = {&it->x0,     &it->v0,      &it->lambda0,   &it->x,   &it->v,
                                   &it->lambda, &it->columns, &it->reference, &it->now, &it->states};
        const int sizes[] = {n_x, n_v,           n_l,           n_x,           n_v,
                             n_l, it->n_columns, n * it->width, n * it->width, n * (n_x + n_v)};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !status; k++)
            status = (*arrays[k] = room(it, sizes[k] + 1)) ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status) {
        const phx_start_options start = {.quasi_static = model->initial.deformation == PHX_MODEL_QUASI_STATIC};
        status = phx_system_start(it->system, &start, it->x0, it->v0, it->lambda0);
    }
    phx_model_destroy(model);
    return status;
}

static void release(bench *it)
{
    double *const arrays[] = {it->x0,     it->v0,      it->lambda0,   it->x,   it->v,
                              it->lambda, it->columns, it->reference, it->now, it->states};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        phx_free(arrays[k]);
    phx_system_dae_destroy(it->dae);
    phx_system_destroy(it->system);
}

/* By gauss6 with short steps, and how far radau5 at a tight tolerance is from it. */
static phx_status make_reference(bench *it)
{
    phx_integrate_stats stats;
    double seconds;
    phx_integrate_options options = options_of(it, PHX_GAUSS6, it->problem->reference_step);
    phx_status status = simulate(it, &options, &stats, &seconds);
    if (status)
        return status;
    double *swapped = it->reference;
    it->reference = it->now;
    it->now = swapped;
    printf("reference: gauss6, %ld steps, %.1f s", stats.steps, seconds);
    options = options_of(it, PHX_RADAU5, 1e-11);
    status = simulate(it, &options, &stats, &seconds);
    it->disagreement = error_of(it);
    printf("; radau5 at rtol 1e-11, %ld steps, %.1f s, differs by %.1e of the largest value\n", stats.steps, seconds,
           it->disagreement);
    return status;
}

/* One setting, the least time of the repeats of what is short. False: the method does not get through. */
static bool measure(bench *it, const settings *s, int method, double setting)
{
    const phx_integrate_options options = options_of(it, method, setting);
    bench_curve *c = &it->curves[method];
    bench_run r = {.setting = setting};
    for (int k = 0; k < s->repeats && (k == 0 || r.seconds < 0.2); k++) {
        double seconds;
        phx_status status = simulate(it, &options, &r.stats, &seconds);
        if (status) {
            printf("%-14s %9.2e  %s\n", methods[method].name, setting, phx_context_message(it->context));
            return false;
        }
        r.seconds = k == 0 ? seconds : fmin(r.seconds, seconds);
    }
    r.error = error_of(it);
    c->runs[c->count++] = r;
    printf("%-14s %9.2e %8ld steps %6ld rejected %8ld iterations %7ld factorisations %10.3f ms   error %.2e\n",
           methods[method].name, setting, r.stats.steps, r.stats.rejected, r.stats.newton_iterations,
           r.stats.factorisations, 1e3 * r.seconds, r.error);
    fflush(stdout);
    return true;
}

/* From the largest step (or tolerance) down until a run takes too long or is as good as the reference. */
static void measure_method(bench *it, const settings *s, int method)
{
    const bool chooses = methods[method].chooses;
    const bench_curve *c = &it->curves[method];
    double setting = chooses ? 1e-2 : it->problem->largest_step;
    for (int k = 0; k < MOST_SETTINGS; k++, setting *= chooses ? sqrt(0.1) : sqrt(0.5)) {
        if (chooses && setting < 0.5e-11)
            break;
        if (!measure(it, s, method, setting) && c->count > 0)
            break;
        const bench_run *last = c->count > 0 ? &c->runs[c->count - 1] : NULL;
        if (last && ((last->seconds > s->longest && last->error < 1.0) || last->error < 3.0 * it->disagreement))
            break;
    }
}

static void print_comparison(const bench *it)
{
    for (double error = 1e-2; error > 0.5e-6; error *= 0.1) {
        const double ida = bench_time_at(&it->curves[PHX_IDA], error);
        int fastest = 0;
        printf("error %.0e, ms:", error);
        for (int m = 0; m < METHODS; m++) {
            const double time = bench_time_at(&it->curves[m], error);
            if (isfinite(time))
                printf("  %s %.2f", methods[m].name, 1e3 * time);
            if (time < bench_time_at(&it->curves[fastest], error))
                fastest = m;
        }
        printf("; %s %.1f times as fast as ida\n", methods[fastest].name,
               ida / bench_time_at(&it->curves[fastest], error));
    }
    printf("\n");
}

static phx_status measure_problem(bench *it, const settings *s)
{
    printf("%s\n", it->problem->title);
    phx_status status = prepare(it);
    if (!status)
        status = make_reference(it);
    for (int m = 0; m < METHODS && !status; m++)
        if (m != PHX_MIDPOINT4 || it->dae->lossless)
            measure_method(it, s, m);
    it->known = !status;
    if (!status)
        print_comparison(it);
    return status;
}

/* ---- results ---- */
static bool write_csv(const char *path, const char *machine, const bench *benches)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fprintf(file,
            "# %s\n# setting: step in s, rtol for radau5, ida and the names that end with rtol; time: processor time "
            "in ms\n",
            machine);
    fprintf(file, "problem,method,setting,steps,rejected,iterations,factorisations,time,error\n");
    for (const bench *it = benches; it < benches + PROBLEMS; it++)
        for (int m = 0; m < METHODS; m++)
            for (const bench_run *r = it->curves[m].runs; r < it->curves[m].runs + it->curves[m].count; r++)
                fprintf(file, "%s,%s,%.6e,%ld,%ld,%ld,%ld,%.3f,%.3e\n", it->problem->name, methods[m].name, r->setting,
                        r->stats.steps, r->stats.rejected, r->stats.newton_iterations, r->stats.factorisations,
                        1e3 * r->seconds, r->error);
    return fclose(file) == 0;
}

static int find_method(const char *name)
{
    int m = 0;
    while (m < METHODS && strcmp(methods[m].name, name) != 0)
        m++;
    return m;
}

static bool read_row(const char *row, bench *benches)
{
    char problem_name[32], method[32];
    bench_run r = {0};
    if (sscanf(row, "%31[^,],%31[^,],%lf,%ld,%ld,%ld,%ld,%lf,%lf", problem_name, method, &r.setting, &r.stats.steps,
               &r.stats.rejected, &r.stats.newton_iterations, &r.stats.factorisations, &r.seconds, &r.error) != 9)
        return false;
    bench *it = benches;
    while (it < benches + PROBLEMS && strcmp(it->problem->name, problem_name) != 0)
        it++;
    const int m = find_method(method);
    if (it == benches + PROBLEMS || m == METHODS || it->curves[m].count == MOST_SETTINGS)
        return false;
    r.seconds *= 1e-3;
    it->known = true;
    it->curves[m].runs[it->curves[m].count++] = r;
    return true;
}

/* Reads the file of write_csv; `machine` is that of the file. */
static bool read_csv(const char *path, char *machine, size_t size, bench *benches)
{
    char row[512];
    FILE *file = fopen(path, "r");
    bool good = file && fgets(row, sizeof row, file) && row[0] == '#';
    if (good)
        snprintf(machine, size, "%.*s", (int)strcspn(row + 2, "\n"), row + 2);
    for (int line = 2; good && fgets(row, sizeof row, file); line++) {
        good = row[0] == '#' || strncmp(row, "problem,", 8) == 0 || read_row(row, benches);
        if (!good)
            fprintf(stderr, "%s:%d: no run of a known problem and method: %s", path, line, row);
    }
    if (file)
        fclose(file);
    else
        fprintf(stderr, "%s: cannot be read\n", path);
    return good;
}

/* A panel for each problem, both axes logarithmic. */
static phx_status draw(phx_context *context, const char *path, const char *machine, const bench *benches)
{
    phx_chart chart;
    phx_status status =
        phx_chart_create(context, "Error over the largest value against processor time", machine, &chart);
    for (const bench *it = benches; it < benches + PROBLEMS && !status; it++) {
        phx_panel *panel = it->known ? phx_chart_add_panel(&chart, it->problem->title, "processor time, ms") : NULL;
        if (!it->known)
            continue;
        status = panel ? PHX_OK : PHX_ERR_MEMORY;
        for (int m = 0; m < METHODS && !status; m++) {
            const bench_curve *c = &it->curves[m];
            panel->logarithmic = panel->x_logarithmic = panel->markers = true;
            phx_line *line = c->count > 0 ? phx_panel_add_line(&chart, panel, methods[m].name, (size_t)c->count) : NULL;
            status = line || c->count == 0 ? PHX_OK : PHX_ERR_MEMORY;
            for (int k = 0; k < c->count && line; k++) {
                line->colour = m;
                line->x[k] = 1e3 * c->runs[k].seconds;
                line->y[k] = c->runs[k].error;
            }
        }
    }
    if (!status)
        status = phx_chart_write(&chart, path);
    phx_chart_free(&chart);
    return status;
}

static bool read_settings(int count, char **words, settings *s)
{
    *s = (settings){.longest = 2.0, .repeats = 3};
    const bench_option options[] = {
        {"--csv", .text = &s->csv},           {"--svg", .text = &s->svg},          {"--only", .text = &s->only},
        {"--longest", .number = &s->longest}, {"--repeats", .count = &s->repeats}, {"--from", .text = &s->from},
    };
    return bench_read_options((int)(sizeof options / sizeof *options), options, count, words) && s->repeats > 0 &&
           s->longest > 0.0;
}

int main(int count, char **words)
{
    static bench benches[PROBLEMS];
    char processor[128], machine[512];
    phx_context *context = NULL;
    settings s;

    if (!read_settings(count, words, &s)) {
        fprintf(stderr, "usage: bench_precision [--csv FILE] [--svg FILE] [--only PROBLEM] [--longest SECONDS] "
                        "[--repeats N]\n"
                        "       bench_precision --from FILE [--csv FILE] [--svg FILE]\n");
        return 2;
    }
    bench_processor(processor, sizeof processor);
    snprintf(machine, sizeof machine, "%s; %s; phlexor %s, %s", processor, bench_compiler(), phx_version(),
             phx_build());
    phx_status status = phx_context_create(&context);
    for (int p = 0; p < PROBLEMS; p++)
        benches[p] = (bench){.context = context, .problem = &problems[p]};
    if (s.from && !status && !read_csv(s.from, machine, sizeof machine, benches))
        status = PHX_ERR_FILE;
    printf("%s\n\n", machine);
    for (int p = 0; p < PROBLEMS && !status && !s.from; p++)
        if (!s.only || strcmp(s.only, problems[p].name) == 0)
            status = measure_problem(&benches[p], &s);
    for (int p = 0; p < PROBLEMS && !status && s.from; p++)
        if (benches[p].known) {
            printf("%s\n", problems[p].title);
            print_comparison(&benches[p]);
        }
    if (!status && s.svg)
        status = draw(context, s.svg, machine, benches);
    bool good = !status && (!s.csv || write_csv(s.csv, machine, benches));
    if (!good)
        fprintf(stderr, "%s: %s\n", phx_status_text(status), phx_context_message(context));
    for (int p = 0; p < PROBLEMS; p++)
        release(&benches[p]);
    phx_context_destroy(context);
    return good ? 0 : 1;
}
