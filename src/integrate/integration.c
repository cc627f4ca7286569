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
static phx_status copy_state(phx_integration *it, const double *x, const double *v, const double *lambda)
{
    phx_run *run = &it->run;
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

/* The state at it->at. */
static void integration_look(phx_integration *it)
{
    phx_run *run = &it->run;

    if (run->lags && it->stats.steps > 0)
        run->dae->ops->synchronise(run->dae, run->x);
    it->sample = (phx_sample){
        .t = run->t, .x = run->x, .v = run->v, .lambda = run->lambda, .work = run->work, .ledger = run->ledger};
    if (it->method)
        phx_branch_sample(run, it->at, &it->sample);
    it->sample.t = it->at;
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
    phx_integration *it = status ? NULL : phx_calloc(dae->context, 1, sizeof *it);

    *integration = NULL;
    if (!it)
        return status ? status : PHX_ERR_MEMORY;
    it->run = (phx_run){.dae = dae,
                        .context = dae->context,
                        .options = used,
                        .stats = &it->stats,
                        .t = t,
                        .start = t,
                        .own_progress = {.from = t, .to = used.end, .shown = -INFINITY}};
    it->run.progress = &it->run.own_progress;
    it->base = it->at = t;
    status = copy_state(it, x, v, lambda);
    if (!status)
        status = phx_run_allocate(&it->run);
    if (!status)
        status = phx_run_create_method(&it->run, &it->method);
    if (!status && !it->method->ops->archive) {
        it->method->ops->destroy(it->method);
        it->method = NULL;
    }
    if (!status && it->method)
        status = phx_branch_create(&it->run, &it->run.branch);
    if (status) {
        phx_integration_destroy(it);
        return status;
    }
    integration_look(it);
    *integration = it;
    return PHX_OK;
}

void phx_integration_destroy(phx_integration *it)
{
    if (!it)
        return;
    if (it->method)
        it->method->ops->destroy(it->method);
    phx_branch_destroy(it->run.branch);
    phx_free(it->run.x);
    phx_free(it->run.v);
    phx_free(it->run.lambda);
    phx_run_release(&it->run);
    phx_free(it);
}

void phx_integration_rewind(phx_integration *it, const phx_sample *to)
{
    phx_run *run = &it->run;
    const phx_dae *dae = run->dae;

    memcpy(run->x, to->x, (size_t)dae->n_x * sizeof *run->x);
    memcpy(run->v, to->v, (size_t)dae->n_v * sizeof *run->v);
    memcpy(run->lambda, to->lambda, (size_t)dae->n_l * sizeof *run->lambda);
    run->t = it->base = it->at = to->t;
    it->count = 0;
    run->work = (phx_work){0};
    memset(run->ledger, 0, (size_t)dae->n_parts * sizeof *run->ledger);
}

void phx_integration_report(phx_integration *it, phx_run_progress *progress)
{
    it->run.progress = progress;
}

const phx_integrate_stats *phx_integration_stats(const phx_integration *it)
{
    return &it->stats;
}

const phx_sample *phx_integration_sample(const phx_integration *it)
{
    return &it->sample;
}

/* ---- steps ---- */
/* n steps of a size; the last one ends at `sample`, when that is finite. */
static phx_status equal_steps(phx_integration *it, int n, double h, double sample)
{
    phx_run *run = &it->run;
    phx_status status = PHX_OK;

    if (!(fabs(h - it->h) <= SAME * h)) {
        it->base = it->at;
        it->h = h;
        it->count = 0;
    }
    for (int k = 0; k < n && !status; k++) {
        const double t0 = it->base + (double)it->count * it->h;
        const double t1 = k + 1 == n && isfinite(sample) ? sample : it->base + (double)(it->count + 1) * it->h;
        it->count++;
        if (run->t < t1) /* not passed by one step across a singular position */
            status = phx_branch_step(run, it->method, t0, t1, it->h);
        it->at = status ? run->t : t1;
    }
    if (!status && !isfinite(sample))
        return PHX_OK;
    it->base = it->at;
    it->count = 0;
    if (status)
        it->h = 0.0;
    return status;
}

/* Every sample of a controller ends a step. */
static phx_status advance_method(phx_integration *it, double length)
{
    phx_run *run = &it->run;
    const phx_dae *dae = run->dae;
    const double end = it->at + length, tiny = SAME * length;
    phx_status status = PHX_OK;

    while (!status && end - it->at > tiny) {
        const double next = dae->ops->next_sample ? dae->ops->next_sample(dae, it->at) : HUGE_VAL;
        const bool sampled = next < end + tiny;
        const bool whole = fabs(end - it->at - length) <= tiny && !(next < end - tiny);
        const double piece = whole ? length : sampled ? next - it->at : end - it->at;
        double h = phx_run_equal_step(run, piece);
        if (fabs(h - it->h) <= SAME * h)
            h = it->h;
        status = equal_steps(it, phx_run_equal_steps(run, piece), h, sampled ? next : HUGE_VAL);
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
static phx_status advance_anew(phx_integration *it, double length)
{
    phx_run *run = &it->run;
    phx_integrate_options options = run->options;
    phx_integrate_stats stats;

    options.end = run->t + length;
    phx_run_clear_work(run);
    const phx_status status =
        phx_integrate(run->dae, &options, &run->t, run->x, run->v, run->lambda, integration_keep, run, &stats);
    add_stats(&it->stats, &stats);
    run->work.supplied += run->trial.work.supplied;
    run->work.dissipated += run->trial.work.dissipated;
    for (int k = 0; k < run->dae->n_parts; k++)
        run->ledger[k] += run->trial.ledger[k];
    it->at = run->t;
    return status;
}

phx_status phx_integration_advance(phx_integration *it, double length)
{
    phx_context *context = it->run.context;

    if (!(length > 0.0 && isfinite(length)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a step of %g s; it must be positive", length);
    phx_context_clear(context);
    it->run.options.end = it->at + length;
    const phx_status status = it->method ? advance_method(it, length) : advance_anew(it, length);
    integration_look(it);
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
void phx_integration_archive(phx_archive *archive, phx_integration *it)
{
    phx_dae *dae = it->run.dae;

    archive_run(archive, &it->run);
    phx_archive_double(archive, &it->base);
    phx_archive_double(archive, &it->h);
    phx_archive_long(archive, &it->count);
    phx_archive_double(archive, &it->at);
    if (it->method) {
        it->method->ops->archive(it->method, archive);
        phx_branch_archive(archive, &it->run);
    }
    if (dae->ops->archive)
        dae->ops->archive(dae, archive);
    if (phx_archive_reads(archive) && !phx_archive_status(archive))
        integration_look(it);
}
