/* A run in the hands of a program. */
#include "integrate/integrate.h"

#include "branch.h"
#include "outputs.h"

#include <math.h>
#include <string.h>

struct phx_integration {
    phx_run run;        /* first; x, v, lambda are its own */
    phx_method *method; /* NULL: made anew in each call */
    phx_integrate_stats stats;
    double base, h; /* s: steps of size h end at base + k h, k = 1 .. count so far */
    long count;
    double at; /* s: where the run stands; a step across a singular position may have gone farther */
    phx_sample sample;
};

/* Lengths that agree to this are the same. */
static const double SAME = 1e-9;

/* Copies the initial state into arrays that the integration owns. */
static phx_status copy_state(phx_integration *integration, const double *x, const double *v, const double *lambda)
{
    phx_run *run = &integration->run;
    const size_t n_x = (size_t)run->dae->n_x, n_v = (size_t)run->dae->n_v, n_l = (size_t)run->dae->n_l;

    run->x = phx_calloc(run->context, n_x, sizeof *run->x);
    run->v = phx_calloc(run->context, n_v, sizeof *run->v);
    run->lambda = phx_calloc(run->context, n_l, sizeof *run->lambda);
    if (!run->x || !run->v || !run->lambda)
        return PHX_ERR_MEMORY;
    memcpy(run->x, x, n_x * sizeof *x);
    memcpy(run->v, v, n_v * sizeof *v);
    memcpy(run->lambda, lambda, n_l * sizeof *lambda);
    return PHX_OK;
}

/* The state at integration->at. */
static void integration_look(phx_integration *integration)
{
    phx_run *run = &integration->run;

    integration->sample = (phx_sample){
        .t = run->t, .x = run->x, .v = run->v, .lambda = run->lambda, .work = run->work, .ledger = run->ledger};
    if (integration->method)
        phx_branch_sample(run, integration->at, &integration->sample);
    integration->sample.t = integration->at;
}

/* Creates an integration that a program advances step by step; options->end and every are ignored. The state is copied;
 * *integration is NULL after an error. */
phx_status phx_integration_create(phx_dae *dae, const phx_integrate_options *options, double t, const double *x,
                                  const double *v, const double *lambda, phx_integration **integration)
{
    phx_integrate_options used = *options;
    used.every = 0.0;
    used.end = t + (options->step > 0.0 ? options->step : 1.0);
    phx_status status = phx_run_check(dae, &used, t, x, v, lambda);
    phx_integration *run = status ? NULL : phx_calloc(dae->context, 1, sizeof *run);

    *integration = NULL;
    if (!run)
        return status ? status : PHX_ERR_MEMORY;
    run->run = (phx_run){.dae = dae,
                         .context = dae->context,
                         .options = used,
                         .stats = &run->stats,
                         .t = t,
                         .start = t,
                         .own_progress = {.from = t, .to = used.end, .shown = -INFINITY}};
    run->run.progress = &run->run.own_progress;
    run->base = run->at = t;
    status = copy_state(run, x, v, lambda);
    if (!status)
        status = phx_run_allocate(&run->run);
    if (!status)
        status = phx_run_create_method(&run->run, &run->method);
    if (!status && !run->method->ops->archive) {
        run->method->ops->destroy(run->method);
        run->method = NULL;
    }
    if (!status && run->method)
        status = phx_branch_create(&run->run, &run->run.branch);
    if (status) {
        phx_integration_destroy(run);
        return status;
    }
    integration_look(run);
    *integration = run;
    return PHX_OK;
}

void phx_integration_destroy(phx_integration *integration)
{
    if (!integration)
        return;
    if (integration->method)
        integration->method->ops->destroy(integration->method);
    phx_branch_destroy(integration->run.branch);
    phx_free(integration->run.x);
    phx_free(integration->run.v);
    phx_free(integration->run.lambda);
    phx_run_release(&integration->run);
    phx_free(integration);
}

void phx_integration_rewind(phx_integration *integration, const phx_sample *to)
{
    phx_run *run = &integration->run;
    const phx_dae *dae = run->dae;

    memcpy(run->x, to->x, (size_t)dae->n_x * sizeof *run->x);
    memcpy(run->v, to->v, (size_t)dae->n_v * sizeof *run->v);
    memcpy(run->lambda, to->lambda, (size_t)dae->n_l * sizeof *run->lambda);
    run->t = integration->base = integration->at = to->t;
    integration->count = 0;
    run->work = (phx_work){0};
    memset(run->ledger, 0, (size_t)dae->n_parts * sizeof *run->ledger);
}

void phx_integration_report(phx_integration *integration, phx_run_progress *progress)
{
    integration->run.progress = progress;
}

const phx_integrate_stats *phx_integration_stats(const phx_integration *integration)
{
    return &integration->stats;
}

const phx_sample *phx_integration_sample(const phx_integration *integration)
{
    return &integration->sample;
}

/* ---- steps ---- */
/* n steps of a size; the last one ends at `sample`, when that is finite. */
static phx_status equal_steps(phx_integration *integration, int n, double h, double sample)
{
    phx_run *run = &integration->run;
    phx_status status = PHX_OK;

    if (!(fabs(h - integration->h) <= SAME * h)) {
        integration->base = integration->at;
        integration->h = h;
        integration->count = 0;
    }
    for (int k = 0; k < n && !status; k++) {
        const double t0 = integration->base + (double)integration->count * integration->h;
        const double t1 = k + 1 == n && isfinite(sample)
                              ? sample
                              : integration->base + (double)(integration->count + 1) * integration->h;
        integration->count++;
        if (run->t < t1) /* not passed by one step across a singular position */
            status = phx_branch_step(run, integration->method, t0, t1, integration->h);
        integration->at = status ? run->t : t1;
    }
    if (!status && !isfinite(sample))
        return PHX_OK;
    integration->base = integration->at;
    integration->count = 0;
    if (status)
        integration->h = 0.0;
    return status;
}

/* Every sample of a controller ends a step. */
static phx_status advance_method(phx_integration *integration, double length)
{
    phx_run *run = &integration->run;
    const phx_dae *dae = run->dae;
    const double end = integration->at + length, tiny = SAME * length;
    phx_status status = PHX_OK;

    while (!status && end - integration->at > tiny) {
        const double next = dae->ops->next_sample ? dae->ops->next_sample(dae, integration->at) : HUGE_VAL;
        const bool sampled = next < end + tiny;
        const bool whole = fabs(end - integration->at - length) <= tiny && !(next < end - tiny);
        const double piece = whole ? length : sampled ? next - integration->at : end - integration->at;
        double h = phx_run_equal_step(run, piece);
        if (fabs(h - integration->h) <= SAME * h)
            h = integration->h;
        status = equal_steps(integration, phx_run_equal_steps(run, piece), h, sampled ? next : HUGE_VAL);
    }
    return status;
}

static phx_status integration_keep(void *user, const phx_sample *sample)
{
    phx_run *run = user;
    run->trial.work = sample->work;
    memcpy(run->trial.ledger, sample->ledger, (size_t)run->dae->n_parts * sizeof *run->trial.ledger);
    return PHX_OK;
}

static void add_stats(phx_integrate_stats *sum, const phx_integrate_stats *more)
{
    sum->steps += more->steps;
    sum->rejected += more->rejected;
    sum->halvings += more->halvings;
    sum->newton_iterations += more->newton_iterations;
    sum->linearisations += more->linearisations;
    sum->factorisations += more->factorisations;
    sum->projections += more->projections;
    sum->smallest_step = sum->smallest_step > 0.0 ? fmin(sum->smallest_step, more->smallest_step) : more->smallest_step;
    sum->largest_kinetic = fmax(sum->largest_kinetic, more->largest_kinetic);
}

/* One call of phx_integrate. */
static phx_status advance_anew(phx_integration *integration, double length)
{
    phx_run *run = &integration->run;
    phx_integrate_options options = run->options;
    phx_integrate_stats stats;

    options.end = run->t + length;
    phx_run_clear_work(run);
    const phx_status status =
        phx_integrate(run->dae, &options, &run->t, run->x, run->v, run->lambda, integration_keep, run, &stats);
    add_stats(&integration->stats, &stats);
    run->work.supplied += run->trial.work.supplied;
    run->work.dissipated += run->trial.work.dissipated;
    for (int k = 0; k < run->dae->n_parts; k++)
        run->ledger[k] += run->trial.ledger[k];
    integration->at = run->t;
    return status;
}

phx_status phx_integration_advance(phx_integration *integration, double length)
{
    phx_context *context = integration->run.context;

    if (!(length > 0.0 && isfinite(length)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a step of %g s; it must be positive", length);
    phx_context_clear(context);
    integration->run.options.end = integration->at + length;
    const phx_status status =
        integration->method ? advance_method(integration, length) : advance_anew(integration, length);
    integration_look(integration);
    return status;
}

/* ---- archives ---- */
static void archive_run(phx_archive *archive, phx_run *run)
{
    const phx_dae *dae = run->dae;
    double *const numbers[] = {
        &run->t,          &run->work.supplied, &run->work.dissipated, &run->sizes.velocity, &run->sizes.forced,
        &run->sizes.noise};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_archive_doubles(archive, (size_t)dae->n_x, run->x);
    phx_archive_doubles(archive, (size_t)dae->n_v, run->v);
    phx_archive_doubles(archive, (size_t)dae->n_l, run->lambda);
    phx_archive_doubles(archive, (size_t)dae->n_parts, run->ledger);
    phx_archive_long(archive, &run->stats->steps);
}

/* Writes or reads the state of an integration, including method, observed singular positions and mechanism; in reading
 * the integration must have been created with the same options. */
void phx_integration_archive(phx_archive *archive, phx_integration *integration)
{
    phx_dae *dae = integration->run.dae;

    archive_run(archive, &integration->run);
    phx_archive_double(archive, &integration->base);
    phx_archive_double(archive, &integration->h);
    phx_archive_long(archive, &integration->count);
    phx_archive_double(archive, &integration->at);
    if (integration->method) {
        integration->method->ops->archive(integration->method, archive);
        phx_branch_archive(archive, &integration->run);
    }
    if (dae->ops->archive)
        dae->ops->archive(dae, archive);
    if (phx_archive_reads(archive) && !phx_archive_status(archive))
        integration_look(integration);
}
