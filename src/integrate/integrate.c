/* The driver: output instants, sampling, progress, and the message when a run stops. */
#include "integrate/integrate.h"
#include "branch.h"
#include "outputs.h"
#include "step_clock.h"

#include <math.h>
#include <string.h>

#define METHOD_KIND(NAME, name) [PHX_##NAME] = &phx_method_##name,
static const phx_method_kind *const kinds[PHX_INTEGRATORS] = {PHX_INTEGRATOR_LIST(METHOD_KIND)};
#undef METHOD_KIND

/* Lengths that agree to this are the same: 0.1 is ten times 0.01. */
static const double SAME = 1e-9;
/* Steps between two jumps, at least, of a run that ends steps at them. */
enum { STEPS_TO_A_JUMP = 4 };
static const double ROUNDED = 1e-15;
static const double MOST_STEPS = 1e15;
static const double DEFAULT_STEP = 1e-3;      /* s */
static const double LOOSEST = 1e-3;           /* tolerance of Newton's iteration */
static const double SHOWN_PART = 1e-3;        /* of the simulated time, between two reports */
static const double SHORTEST_OF_SPAN = 1e-14; /* step, parts of the time of the run */
static const double SHORTEST_OF_TIME = 4e-16; /* the same of the largest |t| */
enum { MOST_HALVINGS = 40, MESSAGE = 1024 };

const phx_integrator_traits *phx_integrator_get(phx_integrator integrator)
{
    static const phx_integrator_traits unknown = {.name = "unknown"};

    return (int)integrator >= 0 && integrator < PHX_INTEGRATORS ? &kinds[integrator]->traits : &unknown;
}

const char *phx_integrator_name(phx_integrator integrator)
{
    return phx_integrator_get(integrator)->name;
}

phx_integrate_options phx_integrate_options_default(void)
{
    return (phx_integrate_options){.integrator = PHX_MIDPOINT, .end = 1.0, .step = DEFAULT_STEP, .max_halvings = 20};
}

/* ---- arguments ---- */
static bool all_finite(const double *values, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* Checks end, step and output interval for finite, positive values and a countable number of steps. */
static phx_status check_times(phx_context *context, const phx_integrate_options *o, double t)
{
    if (!isfinite(t) || !isfinite(o->end) || o->end < t)
        return phx_fail(context, PHX_ERR_ARGUMENT, "end: %g s; it must not lie before the start at %g s", o->end, t);
    if (!isfinite(o->step) || o->step < 0.0 || (o->step == 0.0 && o->rtol == 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "step: %g s; it must be positive", o->step);
    if (!isfinite(o->every) || o->every < 0.0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "every: %g s; it must be positive, or 0 for each step", o->every);
    const bool by_output = o->every > 0.0 && (o->every < o->step || o->step == 0.0);
    const double shortest = by_output ? o->every : o->step;
    if (shortest > 0.0 && (o->end - t) / shortest > MOST_STEPS)
        return phx_fail(context, PHX_ERR_ARGUMENT, "%s: %g s; over %g s at most %g steps can be counted",
                        by_output ? "every" : "step", shortest, o->end - t, MOST_STEPS);
    return PHX_OK;
}

/* A fixed number of corrections, and steps whose time is taken. */
static phx_status check_counted(phx_context *context, const phx_integrate_options *o)
{
    if (o->iterations < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "iterations: %d; it must be positive, or 0 for as many as are needed", o->iterations);
    if (o->iterations > 0 && (o->integrator != PHX_MIDPOINT || o->rtol > 0.0))
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "iterations: %d; a fixed number of Newton corrections is for midpoint with a fixed step, not "
                        "for %s",
                        o->iterations, o->rtol > 0.0 ? "steps chosen by rtol" : phx_integrator_name(o->integrator));
    if (o->real_time && (phx_integrator_get(o->integrator)->rtol > 0.0 || o->rtol > 0.0))
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "real time: steps have a deadline where they are fixed, not with %s",
                        o->rtol > 0.0 ? "steps chosen by rtol" : phx_integrator_name(o->integrator));
    return PHX_OK;
}

/* Checks the options of an integration that do not depend on the mechanism. */
static phx_status integrate_check_options(phx_context *context, const phx_integrate_options *o)
{
    if ((int)o->integrator < 0 || o->integrator >= PHX_INTEGRATORS)
        return phx_fail(context, PHX_ERR_ARGUMENT, "integrator: %d; known are 0 (%s) to %d (%s)", (int)o->integrator,
                        kinds[0]->traits.name, PHX_INTEGRATORS - 1, kinds[PHX_INTEGRATORS - 1]->traits.name);
    const phx_integrator_traits *traits = phx_integrator_get(o->integrator);
    if (!traits->chooses && o->step <= 0.0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "step: %g s; %s needs a positive one", o->step, traits->name);
    if (!(o->rtol >= 0.0 && o->rtol < 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "rtol: %g; it must be in [0, 1)", o->rtol);
    if (!(o->atol >= 0.0 && isfinite(o->atol)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "atol: %g; it must not be negative", o->atol);
    if (o->max_halvings < 0 || o->max_halvings > MOST_HALVINGS)
        return phx_fail(context, PHX_ERR_ARGUMENT, "max_halvings: %d; it must be in [0, %d]", o->max_halvings,
                        MOST_HALVINGS);
    if (!(o->newton_tolerance >= 0.0 && o->newton_tolerance <= LOOSEST))
        return phx_fail(context, PHX_ERR_ARGUMENT, "newton_tolerance: %g; it must be in [0, 1e-3]",
                        o->newton_tolerance);
    return check_counted(context, o);
}

static phx_status check_state(const phx_dae *dae, const double *x, const double *v, const double *lambda)
{
    const char *bad = !all_finite(x, dae->n_x)        ? "configuration"
                      : !all_finite(v, dae->n_v)      ? "velocity"
                      : !all_finite(lambda, dae->n_l) ? "multiplier"
                                                      : NULL;
    return bad ? phx_fail(dae->context, PHX_ERR_ARGUMENT, "start state: a %s is not a finite number", bad) : PHX_OK;
}

/* ---- the run ---- */
/* At most a thousand reports evenly spread and twenty a second. */
static phx_status report_progress(phx_run *run)
{
    phx_run_progress *progress = run->progress;
    const double total = progress->to - progress->from, now = phx_wall_clock();
    if (run->t - progress->shown < SHOWN_PART * total && now - progress->shown_clock < 0.05)
        return PHX_OK;
    progress->shown = fmax(progress->shown, run->t); /* steps that are made again do not count back */
    progress->shown_clock = now;
    return phx_progress(run->context, "simulated time, s", progress->shown - progress->from, total);
}

void phx_run_clear_work(phx_run *run)
{
    run->trial.work = (phx_work){0};
    memset(run->trial.ledger, 0, (size_t)run->dae->n_parts * sizeof *run->trial.ledger);
}

void phx_run_book(phx_run *run, double factor)
{
    for (int k = 0; k < run->dae->n_parts; k++)
        run->trial.ledger[k] += factor * run->dae->parts[k];
}

static phx_status stopped(const phx_run *run, phx_status status)
{
    return phx_fail_prefix(run->context, status,
                           "%s stopped at t = %.9g s: ", phx_integrator_name(run->options.integrator), run->t);
}

/* Drives and loads that are not finite. */
static phx_status check_signals(const phx_run *run, double t0, double t1)
{
    return run->dae->ops->check_signals ? run->dae->ops->check_signals(run->dae, t0, t1) : PHX_OK;
}

phx_status phx_run_sample_at(phx_run *run, double t)
{
    if (!run->receiver.sample)
        return PHX_OK;
    phx_sample sample = {
        .t = run->t, .x = run->x, .v = run->v, .lambda = run->lambda, .work = run->work, .ledger = run->ledger};
    phx_branch_sample(run, t, &sample);
    return run->receiver.sample(run->receiver.user, &sample);
}

phx_status phx_run_sample(phx_run *run)
{
    return phx_run_sample_at(run, run->t);
}

/* Makes the trial state at t1, reached in a step of length h, the state of the run: outputs up to t1 are sampled, work
 * and statistics updated and progress reported. */
phx_status phx_run_accept(phx_run *run, double t1, double h)
{
    const phx_dae *dae = run->dae;
    phx_status status = check_signals(run, run->t, t1);
    if (status != PHX_OK)
        return stopped(run, status);
    const bool crossing = phx_branch_is_crossing(run);
    phx_step_clock_pause(run->clock);
    if (run->outputs && !crossing)
        status = phx_outputs_before(run->outputs, t1);
    phx_step_clock_resume(run->clock);
    if (status != PHX_OK)
        return status;
    memcpy(run->x, run->trial.x, (size_t)dae->n_x * sizeof *run->x);
    memcpy(run->v, run->trial.v, (size_t)dae->n_v * sizeof *run->v);
    memcpy(run->lambda, run->trial.lambda, (size_t)dae->n_l * sizeof *run->lambda);
    if (dae->filtered)
        dae->ops->keep(run->dae);
    run->t = t1;
    run->work.supplied += run->trial.work.supplied;
    run->work.dissipated += run->trial.work.dissipated;
    for (int k = 0; k < dae->n_parts; k++)
        run->ledger[k] += run->trial.ledger[k];

    phx_integrate_stats *stats = run->stats;
    stats->steps++;
    if (stats->smallest_step == 0.0 || h < stats->smallest_step)
        stats->smallest_step = h;
    const double speed = dae->ops->norm(run->dae, run->v); /* |v|_M^2/2 is the kinetic energy */
    run->sizes.velocity = fmax(0.99 * run->sizes.velocity, speed);
    stats->largest_kinetic = fmax(stats->largest_kinetic, 0.5 * speed * speed);
    run->sizes.noise *= 0.99;
    run->sizes.forced *= 0.99;
    phx_branch_watch(run, h);
    phx_step_clock_pause(run->clock);
    if (run->outputs && (crossing || phx_outputs_wait(run->outputs)))
        status = phx_outputs_passed(run->outputs, t1);
    if (run->outputs && status == PHX_OK)
        status = phx_outputs_at(run->outputs);
    if (status == PHX_OK)
        status = report_progress(run);
    phx_step_clock_resume(run->clock);
    return status;
}

phx_status phx_run_sample_step(phx_run *run)
{
    return run->options.every > 0.0 ? PHX_OK : phx_run_sample(run);
}

phx_status phx_run_blame(phx_run *run, phx_status status, double h, const char *reason, const double *res)
{
    run->failure.reason = reason;
    run->failure.step = h;
    run->failure.worst = res ? run->dae->ops->worst_residual(run->dae, res) : NULL;
    return status;
}

/* Once a step has been accepted the running size is at least that of the velocities it ended with. */
double phx_run_scale(phx_run *run, const double *v)
{
    return v == run->v && run->sizes.velocity > 0.0 ? run->sizes.velocity
                                                    : fmax(run->sizes.velocity, run->dae->ops->norm(run->dae, v));
}

double phx_run_force_scale(const phx_run *run, double h, const double *res)
{
    double squares = 0.0;
    for (int i = 0; i < run->dae->n_v; i++)
        squares += res[i] * res[i];
    double size = run->dae->ops->norm(run->dae, res);
    return size > 0.0 ? fabs(h) * squares / size : 0.0;
}

double phx_run_place_scale(const phx_run *run, double h, const double *x)
{
    return run->dae->ops->place_speed ? run->dae->ops->place_speed(run->dae, fabs(h), x) : 0.0;
}

double phx_run_balance_scale(const phx_run *run, double h, const double *x)
{
    return run->dae->ops->balance_speed ? run->dae->ops->balance_speed(run->dae, fabs(h), x) : 0.0;
}

double phx_run_smallest_step(const phx_run *run)
{
    double end = run->options.end;
    return fmax(SHORTEST_OF_SPAN * (end - run->start), SHORTEST_OF_TIME * fmax(fabs(run->start), fabs(end)));
}

/* The advice at the end of the message of a run that stops; it depends on how the method chooses its steps. */
static const char *remedy(const phx_run *run)
{
    const phx_integrator_traits *traits = phx_integrator_get(run->options.integrator);
    if (traits->rtol > 0.0)
        return "larger rtol and atol, or another integrator";
    if (run->options.rtol > 0.0 && traits->chooses)
        return "larger rtol and atol, or another start";
    return "a smaller step, or another start";
}

/* Steps that become shorter and shorter may lead to a pole of a drive or a load: look a step ahead. */
static phx_status look_ahead(const phx_run *run)
{
    static const double LOOK_AHEAD = 1e-3; /* part of the run, of a method that chooses its steps */
    const phx_integrate_options *o = &run->options;
    const double ahead = o->step > 0.0 ? o->step : LOOK_AHEAD * (o->end - run->start);
    return check_signals(run, run->t, fmin(run->t + ahead, o->end));
}

/* Ends a run with an error message that contains method, time, step, reason and remedy. A singular position or a signal
 * that is not finite ahead replaces the reason. */
phx_status phx_run_stop(phx_run *run, phx_status status)
{
    const char *name = phx_integrator_name(run->options.integrator);
    const phx_status given = status == PHX_ERR_MEMORY || status == PHX_INTERRUPTED ? PHX_OK : look_ahead(run);
    if (given != PHX_OK)
        return stopped(run, given);
    char singular[MESSAGE];
    if (status > 0 && status != PHX_INTERRUPTED && phx_branch_explain(run, sizeof singular, singular))
        return phx_fail(run->context, status, "%s stopped at t = %.9g s: %s", name, run->t, singular);
    if (run->failure.reason)
        return phx_fail(run->context, status, "%s stopped at t = %.9g s: with a step of %.3g s %s%s%s; try %s", name,
                        run->t, run->failure.step, run->failure.reason, run->failure.worst ? ", worst at " : "",
                        run->failure.worst ? run->failure.worst : "", remedy(run));
    if (phx_context_message(run->context)[0] == '\0')
        return phx_fail(run->context, status, "%s stopped at t = %.9g s: %s; try %s", name, run->t,
                        phx_status_text(status), remedy(run));
    return stopped(run, status);
}

static phx_status create_trial(phx_context *context, const phx_dae *dae, phx_trial *made)
{
    made->x = phx_calloc(context, (size_t)dae->n_x, sizeof *made->x);
    made->v = phx_calloc(context, (size_t)dae->n_v, sizeof *made->v);
    made->lambda = phx_calloc(context, (size_t)dae->n_l, sizeof *made->lambda);
    made->ledger = phx_calloc(context, (size_t)dae->n_parts, sizeof *made->ledger);
    return made->x && made->v && made->lambda && made->ledger ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_trial(phx_trial *trial)
{
    phx_free(trial->x);
    phx_free(trial->v);
    phx_free(trial->lambda);
    phx_free(trial->ledger);
}

void phx_run_release(phx_run *run)
{
    free_trial(&run->trial);
    phx_free(run->ledger);
}

phx_status phx_run_allocate(phx_run *run)
{
    run->ledger = phx_calloc(run->context, (size_t)run->dae->n_parts, sizeof *run->ledger);
    return run->ledger ? create_trial(run->context, run->dae, &run->trial) : PHX_ERR_MEMORY;
}

/* ---- steps and outputs ---- */
static long equal_steps(const phx_run *run, double length)
{
    const double count = ceil(length / run->options.step * (1.0 - SAME));
    return count > 1.0 ? (long)count : 1;
}

/* The step of the options itself where it divides the length, to the last digits. */
double phx_run_equal_step(const phx_run *run, double length)
{
    const double h = length / (double)equal_steps(run, length), step = run->options.step;
    return fabs(h - step) <= ROUNDED * step ? step : h;
}

int phx_run_equal_steps(const phx_run *run, double length)
{
    return (int)equal_steps(run, length);
}

/* `length` of a regular interval is the same number each time, whatever the rounding of its ends. */
static phx_status fixed_steps(phx_run *run, phx_method *method, double from, double to, double length)
{
    const long n = equal_steps(run, length);
    const double h = phx_run_equal_step(run, length);
    for (long k = 0; k < n; k++) {
        double t0 = from + (double)k * h;
        double t1 = k + 1 == n ? to : from + (double)(k + 1) * h;
        if (run->t >= t1) /* passed by one step across a singular position */
            continue;
        phx_step_clock_begin(run->clock);
        phx_status status = phx_branch_step(run, method, t0, t1, h);
        phx_step_clock_end(run->clock, t0, h);
        if (status == PHX_OK)
            status = phx_run_sample_step(run);
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

/* Whether a sample at t is one at `end`, to what controllers take for the same instant: then what begins at `end` takes
 * it, and a step of that length would take it twice. */
static bool is_sample_of(const phx_dae *dae, double t, double end)
{
    return end - t <= SAME * (dae->ops->next_sample(dae, t) - t);
}

/* Whether the run has jumps, and few enough of them, to align its steps with. */
static bool aligns(const phx_run *run, const phx_method *method)
{
    const phx_dae *dae = run->dae;
    const double length = run->options.end - run->start;
    const bool can =
        run->options.aligned > 0.0 && method->ops->step && !method->ops->ends_at_breaks && dae->ops->next_break;
    const long most = can ? (long)(length / run->options.step) / STEPS_TO_A_JUMP : 0;
    long jumps = 0;

    for (double at = run->start; can && jumps <= most; jumps++) {
        at = dae->ops->next_break(dae, at);
        if (!(at < run->options.end))
            break;
    }
    return jumps > 0 && jumps <= most;
}

/* The next instant that aligned steps end at; HUGE_VAL: they are not aligned. */
static double next_instant(const phx_run *run, double at)
{
    const double length = run->options.aligned, count = floor((at - run->start) / length * (1.0 + SAME) + SAME);

    return run->aligned ? run->start + (count + 1.0) * length : HUGE_VAL;
}

/* The next sample, jump of something given or instant of aligned steps that ends a step on the way to `to`; `to`: there
 * is none. */
static double next_end(const phx_run *run, const phx_method *method, double at, double to)
{
    const phx_dae *dae = run->dae;
    const double sample = dae->ops->next_sample ? dae->ops->next_sample(dae, at) : HUGE_VAL;
    const bool breaks = (method->ops->ends_at_breaks || run->aligned) && dae->ops->next_break;
    const double jump = breaks ? dae->ops->next_break(dae, at) : HUGE_VAL, instant = next_instant(run, at);
    const double same = SAME * run->options.aligned, last = to - fmax(phx_run_smallest_step(run), same);

    if (jump < sample && jump < last && jump < instant + same)
        return jump;
    if (instant < sample && instant < last)
        return instant;
    return sample < last && !is_sample_of(dae, sample, to) ? sample : to;
}

/* Every sample ends a step; between two of them the steps are equal. */
static phx_status sampled_steps(phx_run *run, phx_method *method, double from, double to, double length)
{
    double at = from, end = next_end(run, method, from, to), last = 0.0;
    phx_status status = PHX_OK;

    if (end == to)
        return fixed_steps(run, method, from, to, length);
    while (at < to && !status) {
        const double piece = fabs(end - at - last) <= SAME * last ? last : end - at;
        status = fixed_steps(run, method, at, end, piece);
        last = piece;
        at = end;
        end = next_end(run, method, at, to);
    }
    return status;
}

static phx_status to_instant(phx_run *run, phx_method *method, double from, double to, double length)
{
    if (method->ops->advance)
        return method->ops->advance(method, to);
    return sampled_steps(run, method, from, to, length);
}

/* A method that chooses its steps ends one wherever something given jumps, which it might not notice. */
static phx_status to_breaks(phx_run *run, phx_method *method, double end)
{
    const phx_dae *dae = run->dae;
    const bool known = method->ops->advance && dae->ops->next_break;
    phx_status status = PHX_OK;
    while (known && status == PHX_OK) {
        const double to = dae->ops->next_break(dae, run->t);
        const bool sample = dae->ops->next_sample && to == dae->ops->next_sample(dae, run->t);
        if (!(to < end) || (sample && is_sample_of(dae, to, end)))
            break;
        if (to - run->t > phx_run_smallest_step(run))
            status = method->ops->advance(method, to);
        else
            run->t = to;
    }
    return status == PHX_OK ? to_instant(run, method, known ? run->t : run->start, end, end - run->start) : status;
}

/* Instants start + k every, and the end, where steps must end at them; otherwise the method or `outputs` samples. */
static phx_status all_instants(phx_run *run, phx_method *method)
{
    double start = run->start, end = run->options.end, every = run->options.every;
    if (end <= start)
        return PHX_OK;
    if (every == 0.0 || run->outputs)
        return to_breaks(run, method, end);
    long n = (long)ceil((end - start) / every * (1.0 - SAME));
    for (long k = 0; k < n; k++) {
        double from = start + (double)k * every;
        double to = k + 1 == n ? end : start + (double)(k + 1) * every;
        double length = to - from;
        if (fabs(length - every) <= SAME * every)
            length = every;
        phx_status status = to_instant(run, method, from, to, length);
        if (status == PHX_OK)
            status = phx_run_sample_at(run, to);
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

/* With a fixed number of corrections there are no steps beside those of the run. */
static phx_status check_instants(const phx_run *run)
{
    if (run->options.iterations == 0 || !run->outputs || phx_outputs_on_grid(run->outputs))
        return PHX_OK;
    return phx_fail(run->context, PHX_ERR_ARGUMENT,
                    "'every': %g s is not a multiple of the %g s of the equal steps from %g s to %g s, which a fixed "
                    "number of corrections needs; take a step that divides both, or 'every' 0 for each step",
                    run->options.every, phx_run_equal_step(run, run->options.end - run->start), run->start,
                    run->options.end);
}

/* Runs an integration from the state in `run` to its end: creates method and outputs, samples the start and every
 * instant, and frees everything again. */
static phx_status integrate(phx_run *run)
{
    phx_method *method = NULL;
    phx_status status = phx_run_allocate(run);
    if (status == PHX_OK && run->options.real_time && !(run->clock = phx_step_clock_create(run->context)))
        status = PHX_ERR_MEMORY;
    if (status == PHX_OK)
        status = phx_run_create_method(run, &method);
    if (status == PHX_OK)
        run->aligned = aligns(run, method);
    if (status == PHX_OK && run->options.every > 0.0 && run->dae->ops->twin)
        status = phx_outputs_create(run, method, kinds[run->options.integrator]->create, &run->outputs);
    if (status == PHX_OK)
        status = check_instants(run);
    if (status == PHX_OK)
        status = phx_branch_create(run, &run->branch);
    if (status == PHX_OK)
        status = phx_run_sample(run);
    if (status == PHX_OK)
        status = all_instants(run, method);
    phx_branch_finish(run, run->options.end);
    phx_outputs_destroy(run->outputs);
    if (method)
        method->ops->destroy(method);
    phx_branch_destroy(run->branch);
    if (run->clock)
        run->stats->times = phx_step_clock_times(run->clock);
    phx_step_clock_destroy(run->clock);
    phx_run_release(run);
    return status;
}

phx_status phx_run_create_method(phx_run *run, phx_method **method)
{
    return kinds[run->options.integrator]->create(run, method);
}

/* Checks options, mechanism and state of an integration before it begins: the integrator must accept controllers,
 * friction and numerical damping of the mechanism. */
phx_status phx_run_check(phx_dae *dae, const phx_integrate_options *options, double t, const double *x, const double *v,
                         const double *lambda)
{
    phx_status status = integrate_check_options(dae->context, options);
    if (status == PHX_OK && dae->midpoint_only && options->integrator != PHX_MIDPOINT)
        status = phx_fail(dae->context, PHX_ERR_UNSUPPORTED,
                          "%s does not take controllers along; use midpoint, which takes them exactly",
                          phx_integrator_name(options->integrator));
    if (status == PHX_OK && dae->rubs && options->iterations > 0)
        status = phx_fail(dae->context, PHX_ERR_UNSUPPORTED,
                          "iterations: %d; friction that follows the reactions is solved until both agree, which no "
                          "fixed number of Newton corrections does",
                          options->iterations);
    if (status == PHX_OK && dae->filtered && (options->integrator != PHX_MIDPOINT || options->rtol > 0.0))
        status = phx_fail(dae->context, PHX_ERR_UNSUPPORTED,
                          "numerical damping (a spectral radius below 1) is that of midpoint with equal steps; %s "
                          "cannot have it",
                          options->rtol > 0.0 ? "steps chosen by rtol" : phx_integrator_name(options->integrator));
    if (status == PHX_OK)
        status = check_times(dae->context, options, t);
    return status == PHX_OK ? check_state(dae, x, v, lambda) : status;
}

/* Integrates from *t to options->end; t, x, v and lambda are updated to the last accepted state, also after an error.
 * `sample`, optional, receives every output instant. */
phx_status phx_integrate(phx_dae *dae, const phx_integrate_options *options, double *t, double *x, double *v,
                         double *lambda, phx_sample_fn *sample, void *user, phx_integrate_stats *stats)
{
    if (!dae || !options || !t || !x || !v || (!lambda && dae->n_l > 0))
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, options, t, x, v or lambda");
    phx_status status = phx_run_check(dae, options, *t, x, v, lambda);
    if (status != PHX_OK)
        return status;

    phx_integrate_stats unread;
    phx_run run = {.dae = dae,
                   .context = dae->context,
                   .options = *options,
                   .stats = stats ? stats : &unread,
                   .t = *t,
                   .x = x,
                   .v = v,
                   .lambda = lambda,
                   .receiver.sample = sample,
                   .receiver.user = user,
                   .start = *t,
                   .own_progress = {.from = *t, .to = options->end, .shown = -INFINITY}};
    run.progress = &run.own_progress;
    double clock = phx_wall_clock();
    *run.stats = (phx_integrate_stats){0};
    phx_context_clear(dae->context);
    status = integrate(&run);
    *t = run.t;
    run.stats->wall_seconds = phx_wall_clock() - clock;
    return phx_conclude(dae->context, status);
}
