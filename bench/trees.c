/* The time to an answer of given accuracy: chains of rigid links, falling for a second, by every integrator that suits
 * them, over steps and tolerances.
 *
 *     bench_trees [--csv FILE] [--only CHAIN] [--method NAME] [--longest SECONDS] [--repeats N]
 *
 * The error is the largest distance of a link from where it is at the end, m. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <phlexor/integrate.h>

#include "chain.h"
#include "curve.h"
#include "dae/dae.h"
#include "options.h"
#include "equilibrium/equilibrium.h"
#include "timing.h"

typedef struct problem {
    const char *name;
    chain_def chain;
    double reference; /* rtol of dop853 */
} problem;
static const problem problems[] = {
    {"plane-10", {.dim = 2, .links = 10, .joint = PHX_JOINT_REVOLUTE}, 1e-13},
    {"hinge-10", {.dim = 3, .links = 10, .joint = PHX_JOINT_REVOLUTE}, 1e-13},
    {"hinge-100", {.dim = 3, .links = 100, .joint = PHX_JOINT_REVOLUTE}, 1e-13},
    {"ball-100", {.dim = 3, .links = 100, .joint = PHX_JOINT_SPHERICAL}, 1e-13},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };
static const double END = 1.0, CHECK_STEP = 1e-3; /* s: of the run, of the second reference */

/* `chooses`: by rtol, else in equal steps. */
typedef struct method {
    const char *name;
    phx_integrator integrator;
    bool chooses;
} method;
static const method methods[] = {
    {"midpoint", PHX_MIDPOINT, false}, {"gauss4", PHX_GAUSS4, false}, {"gauss6", PHX_GAUSS6, false},
    {"radau5", PHX_RADAU5, true},      {"dop853", PHX_DOP853, false}, {"dop853 rtol", PHX_DOP853, true},
};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct settings {
    const char *csv, *only, *method;
    double longest;
    int repeats;
} settings;

typedef struct bench {
    phx_context *context;
    const problem *problem;
    phx_system *system;
    phx_dae *dae;
    double *memory, *x0, *v0, *lambda0, *x, *v, *lambda, *reference;
    double disagreement; /* of the two references, m */
    bench_curve curves[METHODS];
} bench;

static phx_status prepare(bench *it)
{
    const phx_start_options start = {0};
    phx_status status = chain_create(it->context, &it->problem->chain, &it->system);

    if (!status)
        status = phx_system_dae(it->system, it->context, &it->dae);
    if (status)
        return status;
    const size_t n_x = (size_t)it->dae->n_x, n_v = (size_t)it->dae->n_v, n_l = (size_t)it->dae->n_l;
    double *at = it->memory = phx_calloc(it->context, 3 * n_x + 2 * n_v + 2 * n_l, sizeof *at);
    if (!at)
        return PHX_ERR_MEMORY;
    it->x0 = at;
    it->x = at + n_x;
    it->reference = at + 2 * n_x;
    it->v0 = at + 3 * n_x;
    it->v = it->v0 + n_v;
    it->lambda0 = it->v + n_v;
    it->lambda = it->lambda0 + n_l;
    return phx_system_start(it->system, &start, it->x0, it->v0, it->lambda0);
}

static phx_status simulate(bench *it, const method *with, double setting, bench_run *out)
{
    phx_integrate_options options = phx_integrate_options_default();
    double t = 0.0;

    options.integrator = with->integrator;
    options.end = END;
    options.step = with->chooses ? 0.0 : setting;
    options.rtol = with->chooses ? setting : 0.0;
    memcpy(it->x, it->x0, (size_t)it->dae->n_x * sizeof(double));
    memcpy(it->v, it->v0, (size_t)it->dae->n_v * sizeof(double));
    memcpy(it->lambda, it->lambda0, (size_t)it->dae->n_l * sizeof(double));
    *out = (bench_run){.setting = setting};
    const double from = bench_clock();
    const phx_status status = phx_integrate(it->dae, &options, &t, it->x, it->v, it->lambda, NULL, NULL, &out->stats);
    out->seconds = bench_clock() - from;
    return status;
}

static double error_of(const bench *it)
{
    const int dim = it->problem->chain.dim, n = it->problem->chain.links, per = it->dae->n_x / n;
    double largest = 0.0;

    for (int b = 0; b < n; b++) {
        double sum = 0.0;
        for (int k = b * per; k < b * per + dim; k++)
            sum += (it->x[k] - it->reference[k]) * (it->x[k] - it->reference[k]);
        largest = fmax(largest, sqrt(sum));
    }
    return largest;
}

/* By dop853 at a tight tolerance, and how far gauss6 with short steps is from it. */
static phx_status make_reference(bench *it)
{
    const method tight = {"dop853 rtol", PHX_DOP853, true}, second = {"gauss6", PHX_GAUSS6, false};
    bench_run r;
    phx_status status = simulate(it, &tight, it->problem->reference, &r);

    if (status)
        return status;
    memcpy(it->reference, it->x, (size_t)it->dae->n_x * sizeof *it->reference);
    printf("%s: reference dop853, rtol %.0e, %ld steps", it->problem->name, it->problem->reference, r.stats.steps);
    status = simulate(it, &second, CHECK_STEP, &r);
    it->disagreement = error_of(it);
    printf("; gauss6 with steps of %g s differs by %.1e m\n", CHECK_STEP, it->disagreement);
    return status;
}

/* The least time of the repeats of what is short. */
static bool measure(bench *it, const settings *s, int m, double setting)
{
    bench_run r = {0}, best = {.seconds = INFINITY};

    for (int k = 0; k < s->repeats && (k == 0 || r.seconds < 0.2); k++) {
        if (simulate(it, &methods[m], setting, &r)) {
            printf("%-12s %9.2e  %s\n", methods[m].name, setting, phx_context_message(it->context));
            return false;
        }
        if (r.seconds < best.seconds)
            best = r;
    }
    best.error = error_of(it);
    bench_curve *c = &it->curves[m];
    c->runs[c->count++] = best;
    printf("%-12s %9.2e %8ld steps %10.3f ms   error %.2e m\n", methods[m].name, setting, best.stats.steps,
           1e3 * best.seconds, best.error);
    fflush(stdout);
    return true;
}

static void measure_method(bench *it, const settings *s, int m)
{
    const bench_curve *c = &it->curves[m];
    double setting = 0.1;

    for (int k = 0; k < BENCH_MOST_RUNS; k++, setting *= methods[m].chooses ? sqrt(0.1) : sqrt(0.5)) {
        if (methods[m].chooses && setting < 0.5e-11)
            break;
        if (!measure(it, s, m, setting))
            continue;
        const bench_run *last = &c->runs[c->count - 1];
        if (last->seconds > s->longest || last->error < 1e-9)
            break;
    }
}

static void print_times(const bench *it)
{
    static const double errors[] = {1e-3, 1e-5, 1e-7};

    printf("%-12s", "ms to");
    for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
        printf(" %7.0e m", errors[e]);
    printf("\n");
    for (int m = 0; m < METHODS; m++) {
        printf("%-12s", methods[m].name);
        for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
            printf(" %9.2f", 1e3 * bench_time_at(&it->curves[m], errors[e]));
        printf("\n");
    }
    printf("\n");
}

static phx_status measure_problem(bench *it, const settings *s)
{
    phx_status status = prepare(it);

    if (!status)
        status = make_reference(it);
    for (int m = 0; m < METHODS && !status; m++)
        if (!s->method || !strcmp(s->method, methods[m].name))
            measure_method(it, s, m);
    if (!status)
        print_times(it);
    return status;
}

static bool write_csv(const char *path, const char *machine, const bench *benches)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file,
            "# %s\n# setting: step in s, rtol where the name ends with it and of radau5; processor time in ms; "
            "error in m\n",
            machine);
    fprintf(file, "chain,method,setting,steps,time,error\n");
    for (const bench *it = benches; it < benches + PROBLEMS; it++)
        for (int m = 0; m < METHODS; m++)
            for (const bench_run *r = it->curves[m].runs; r < it->curves[m].runs + it->curves[m].count; r++)
                fprintf(file, "%s,%s,%.6e,%ld,%.4f,%.3e\n", it->problem->name, methods[m].name, r->setting,
                        r->stats.steps, 1e3 * r->seconds, r->error);
    return fclose(file) == 0;
}

int main(int count, char **words)
{
    static bench benches[PROBLEMS];
    settings s = {.longest = 0.5, .repeats = 5};
    const bench_option options[] = {{"--csv", .text = &s.csv},
                                    {"--only", .text = &s.only},
                                    {"--method", .text = &s.method},
                                    {"--longest", .number = &s.longest},
                                    {"--repeats", .count = &s.repeats}};
    char processor[128], machine[512];
    phx_context *context = NULL;

    if (!bench_read_options((int)(sizeof options / sizeof *options), options, count, words)) {
        fprintf(stderr,
                "usage: bench_trees [--csv FILE] [--only CHAIN] [--method NAME] [--longest SECONDS] [--repeats N]\n");
        return 2;
    }
    bench_processor(processor, sizeof processor);
    snprintf(machine, sizeof machine, "%s; %s; phlexor %s, %s", processor, bench_compiler(), phx_version(),
             phx_build());
    printf("%s\n\n", machine);
    phx_status status = phx_context_create(&context);
    for (int p = 0; p < PROBLEMS && !status; p++) {
        benches[p] = (bench){.context = context, .problem = &problems[p]};
        if (!s.only || !strcmp(s.only, problems[p].name))
            status = measure_problem(&benches[p], &s);
    }
    const bool good = !status && (!s.csv || write_csv(s.csv, machine, benches));
    if (!good)
        fprintf(stderr, "%s: %s\n", phx_status_text(status), phx_context_message(context));
    for (int p = 0; p < PROBLEMS; p++) {
        phx_free(benches[p].memory);
        phx_system_dae_destroy(benches[p].dae);
        phx_system_destroy(benches[p].system);
    }
    phx_context_destroy(context);
    return good ? 0 : 1;
}
