/* Mechanisms with plates, solids and stiffened beams: processor time of building a model (mesh, factors, modes,
 * integrals) and of a step of midpoint, the least of several runs. Rigid bodies in the same mechanism show what the
 * deformation costs. */
#include "options.h"
#include "timing.h"

#include <phlexor/study.h>

#include "dae/dae.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct mechanism {
    const char *name, *path;
    phx_model_override set; /* name NULL: none */
    long steps;
    double step;
} mechanism;

static const mechanism jobs[] = {
    {"two solids, 8 modes", PHX_SOURCE_DIR "/bench/solid_slider_crank.yaml", {.name = "modes", .value = 8}, 7500, 5e-5},
    {"two solids, 2 modes", PHX_SOURCE_DIR "/bench/solid_slider_crank.yaml", {.name = "modes", .value = 2}, 7500, 5e-5},
    {"the same, rigid", PHX_SOURCE_DIR "/bench/rigid_slider_crank.yaml", {.name = NULL}, 7500, 5e-5},
    {"one solid rod", PHX_SOURCE_DIR "/examples/solid_conrod.yaml", {.name = NULL}, 3000, 5e-5},
    {"plate with a rod", PHX_SOURCE_DIR "/examples/plate_rod.yaml", {.name = NULL}, 2000, 1e-5},
    {"coupler, 8 elements", PHX_SOURCE_DIR "/bench/coupler.yaml", {.name = "n", .value = 8}, 4000, 2.0943951e-5},
    {"the same, 3 modes", PHX_SOURCE_DIR "/examples/coupler_modes.yaml", {.name = "n", .value = 8}, 4000, 2.0943951e-5},
    {"coupler, 32 elements", PHX_SOURCE_DIR "/bench/coupler.yaml", {.name = "n", .value = 32}, 4000, 2.0943951e-5},
    {"the same, 3 modes",
     PHX_SOURCE_DIR "/examples/coupler_modes.yaml",
     {.name = "n", .value = 32},
     4000,
     2.0943951e-5},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

typedef struct measure {
    double build, step; /* s, the least */
    int coordinates;
    double iterations, factorisations; /* of a step */
} measure;

typedef struct run {
    phx_context *context;
    phx_system *system;
    phx_dae *dae;
    double *x, *v, *lambda;
} run;

static phx_status prepare(run *it, const mechanism *job)
{
    phx_model *model = NULL;
    phx_status status = phx_model_read(it->context, job->path, job->set.name != NULL, &job->set, &model);

    if (!status)
        status = phx_model_build(it->context, model, NULL, &it->system);
    if (!status)
        status = phx_system_dae(it->system, it->context, &it->dae);
    if (!status) {
        const phx_start_options start = {.quasi_static = model->initial.deformation == PHX_MODEL_QUASI_STATIC};
        it->x = phx_calloc(it->context, (size_t)it->dae->n_x + 1, sizeof *it->x);
        it->v = phx_calloc(it->context, (size_t)it->dae->n_v + 1, sizeof *it->v);
        it->lambda = phx_calloc(it->context, (size_t)it->dae->n_l + 1, sizeof *it->lambda);
        status = it->x && it->v && it->lambda ? phx_system_start(it->system, &start, it->x, it->v, it->lambda)
                                              : PHX_ERR_MEMORY;
    }
    phx_model_destroy(model);
    return status;
}

static void release(run *it)
{
    phx_free(it->x);
    phx_free(it->v);
    phx_free(it->lambda);
    phx_system_dae_destroy(it->dae);
    phx_system_destroy(it->system);
}

/* Once: building from the file to the start state, then the steps. */
static phx_status once(phx_context *context, const mechanism *job, measure *m)
{
    phx_integrate_options options = phx_integrate_options_default();
    phx_integrate_stats stats;
    run it = {.context = context};
    double t = 0.0;

    options.step = job->step;
    options.end = options.every = job->step * (double)job->steps;
    const double begin = bench_clock();
    phx_status status = prepare(&it, job);
    const double built = bench_clock();
    if (!status)
        status = phx_integrate(it.dae, &options, &t, it.x, it.v, it.lambda, NULL, NULL, &stats);
    const double end = bench_clock();
    if (!status) {
        m->build = fmin(m->build, built - begin);
        m->step = fmin(m->step, (end - built) / (double)stats.steps);
        m->coordinates = it.dae->n_v;
        m->iterations = (double)stats.newton_iterations / (double)stats.steps;
        m->factorisations = (double)stats.factorisations / (double)stats.steps;
    }
    release(&it);
    return status;
}

int main(int count, char **words)
{
    int repeats = 5, steps = 0;
    char processor[128];
    const char *only = NULL;
    const bench_option options[] = {
        {"--repeats", .count = &repeats}, {"--steps", .count = &steps}, {"--only", .text = &only}};
    phx_context *context = NULL;

    if (!bench_read_options(3, options, count, words) || repeats < 1 || steps < 0) {
        fprintf(stderr, "usage: bench_elastic [--repeats N] [--steps N] [--only NAME]\n");
        return 2;
    }
    phx_algebra_set_threads(1);
    phx_status status = phx_context_create(&context);
    bench_processor(processor, sizeof processor);
    printf("%s; %s; phlexor %s, %s\n\n", processor, bench_compiler(), phx_version(), phx_build());
    printf("mechanism             velocities  build, ms    iter  factor  step, us   steps/s\n");
    for (int k = 0; k < JOBS && !status; k++) {
        if (only && strcmp(only, jobs[k].name) != 0)
            continue;
        mechanism job = jobs[k];
        measure m = {.build = HUGE_VAL, .step = HUGE_VAL};
        if (steps > 0)
            job.steps = steps;
        for (int r = 0; r < repeats && !status; r++)
            status = once(context, &job, &m);
        if (!status)
            printf("%-21s %10d %10.1f %7.2f %7.2f %9.1f %9.0f\n", jobs[k].name, m.coordinates, 1e3 * m.build,
                   m.iterations, m.factorisations, 1e6 * m.step, 1.0 / m.step);
    }
    if (status)
        fprintf(stderr, "%s: %s\n", phx_status_text(status), phx_context_message(context));
    phx_context_destroy(context);
    return status ? 1 : 0;
}
