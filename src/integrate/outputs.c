#include "outputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SAME = 1e-9; /* lengths that agree to this, relative, are the same */

/* Rates of change at an end of a step: of x, v, work and ledger. */
typedef struct step_end {
    double *x_dot, *v_dot, *lambda, *flow;
    phx_work power;
} step_end;

struct phx_outputs {
    phx_run *run;
    phx_method *method;
    long next, count; /* instant to come, number of instants after the start */
    double spacing;   /* of the instants, or the equal step, s */
    double stride;    /* spacings from one to the next */
    bool on_grid;     /* they are ends of equal steps */
    double decimal;   /* instants that no step ends at are rounded to multiples of its inverse; 0: they are not */
    double near;      /* s: instants this near to the end of a step are at it */
    int pieces;       /* steps from the start of a step to an instant */
    /* steps beside those of the run, created at once where instants lie within steps: */
    phx_method_create_fn *create;
    phx_dae *twin; /* NULL: the method looks back, and `side` has arrays only */
    phx_run side;
    phx_method *side_method;
    phx_integrate_stats side_stats;
    bool waits; /* no step to the instant succeeds: instants are interpolated in the step, whose start is `side` */
    step_end ends[2]; /* start and end of such a step */
    double *memory;   /* storage of these arrays */
};

/* Instants that are a whole number of equal steps apart take their times from these. */
static void set_spacing(phx_outputs *outputs, bool fixed)
{
    const phx_run *run = outputs->run;
    const double every = run->options.every;
    outputs->spacing = every;
    if (!fixed)
        return;
    const double h = phx_run_equal_step(run, run->options.end - run->start), ratio = round(every / h);
    outputs->on_grid = ratio >= 1.0 && fabs(every - ratio * h) <= SAME * every;
    if (!outputs->on_grid)
        return;
    outputs->spacing = h;
    outputs->stride = ratio;
}

/* 10^n so that times of the run have 15 digits: 3 * 0.05 and 15 * 0.01 are the same instant then. */
static double decimal_of(const phx_run *run)
{
    static const double MOST_DIGITS = 22.0; /* 10^22 is exact */
    const double digits = 14.0 - floor(log10(fmax(fabs(run->start), fabs(run->options.end))));
    double power = 1.0;
    if (!(digits >= 0.0 && digits <= MOST_DIGITS))
        return 0.0;
    for (int k = 0; k < (int)digits; k++)
        power *= 10.0;
    return power;
}

/* Allocates the rates, accelerations, multipliers and power flows at both ends of a step for interpolation. */
static phx_status allocate_ends(phx_outputs *outputs)
{
    const phx_dae *dae = outputs->run->dae;
    const size_t n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l, parts = (size_t)dae->n_parts;
    double *at = phx_calloc(outputs->run->context, 2 * (n_x + n_v + n_l + parts), sizeof *at);

    outputs->memory = at;
    if (!at)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < 2; k++) {
        outputs->ends[k] =
            (step_end){.x_dot = at, .v_dot = at + n_x, .lambda = at + n_x + n_v, .flow = at + n_x + n_v + n_l};
        at += n_x + n_v + n_l + parts;
    }
    return PHX_OK;
}

/* Creates the side run that computes outputs within a step: a twin of the mechanism with its own method, or only arrays
 * if the method interpolates its own steps. */
static phx_status create_side(phx_outputs *outputs)
{
    phx_run *run = outputs->run, *side = &outputs->side;
    const phx_dae *dae = run->dae;
    const bool steps = !outputs->method->ops->look_back;
    phx_status status = steps ? dae->ops->twin(run->dae, &outputs->twin) : PHX_OK;
    if (status != PHX_OK)
        return status;
    *side = (phx_run){.dae = steps ? outputs->twin : run->dae,
                      .context = run->context,
                      .options = run->options,
                      .stats = &outputs->side_stats,
                      .start = run->start,
                      .own_progress = {.shown = INFINITY, .shown_clock = INFINITY}};
    side->progress = &side->own_progress;
    side->options.rtol = side->options.atol = side->options.every = 0.0;
    side->x = phx_calloc(run->context, (size_t)dae->n_x, sizeof *side->x);
    side->v = phx_calloc(run->context, (size_t)dae->n_v, sizeof *side->v);
    side->lambda = phx_calloc(run->context, (size_t)dae->n_l, sizeof *side->lambda);
    if (!side->x || !side->v || !side->lambda)
        return PHX_ERR_MEMORY;
    status = phx_run_allocate(side);
    if (status == PHX_OK && steps)
        status = allocate_ends(outputs);
    return status == PHX_OK && steps ? outputs->create(side, &outputs->side_method) : status;
}

/* Creates the outputs of a run every options.every seconds. If the steps end on these instants (on_grid), no side run
 * is needed. */
phx_status phx_outputs_create(phx_run *run, phx_method *method, phx_method_create_fn *create, phx_outputs **outputs)
{
    const double length = run->options.end - run->start;
    phx_outputs *made = phx_calloc(run->context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    *outputs = made;
    made->run = run;
    made->method = method;
    made->create = create;
    made->stride = 1.0;
    set_spacing(made, method->ops->step != NULL && !method->ops->ends_at_breaks && !run->aligned);
    made->count = (long)ceil(length / (made->stride * made->spacing) * (1.0 - SAME));
    made->next = 1;
    made->decimal = decimal_of(run);
    made->near = SAME * made->spacing + 4.0 * DBL_EPSILON * fmax(fabs(run->start), fabs(run->options.end));
    made->pieces = run->options.rtol > 0.0 ? 2 : 1; /* as of the steps that are chosen */
    return made->on_grid ? PHX_OK : create_side(made);
}

bool phx_outputs_on_grid(const phx_outputs *outputs)
{
    return outputs->on_grid;
}

/* Frees the outputs of a run; NULL is allowed. */
void phx_outputs_destroy(phx_outputs *outputs)
{
    if (!outputs)
        return;
    phx_run *side = &outputs->side;
    if (outputs->side_method)
        outputs->side_method->ops->destroy(outputs->side_method);
    phx_run_release(side);
    phx_free(outputs->memory);
    phx_free(side->x);
    phx_free(side->v);
    phx_free(side->lambda);
    if (outputs->twin)
        outputs->run->dae->ops->twin_destroy(outputs->twin);
    phx_free(outputs);
}

static double instant(const phx_outputs *outputs)
{
    const phx_run *run = outputs->run;
    if (outputs->next == outputs->count)
        return run->options.end;
    const double t = run->start + (double)outputs->next * outputs->stride * outputs->spacing;
    return outputs->decimal > 0.0 && !outputs->on_grid ? round(t * outputs->decimal) / outputs->decimal : t;
}

/* The accepted state becomes the start of a side step. */
static void begin_side(phx_outputs *outputs)
{
    const phx_run *run = outputs->run;
    const phx_dae *dae = run->dae;
    phx_run *side = &outputs->side;
    memcpy(side->x, run->x, (size_t)dae->n_x * sizeof *side->x);
    memcpy(side->v, run->v, (size_t)dae->n_v * sizeof *side->v);
    memcpy(side->lambda, run->lambda, (size_t)dae->n_l * sizeof *side->lambda);
    memcpy(side->ledger, run->ledger, (size_t)dae->n_parts * sizeof *side->ledger);
    side->work = run->work;
    side->t = run->t;
    side->sizes.velocity = run->sizes.velocity;
    side->sizes.noise = run->sizes.noise;
    side->sizes.forced = run->sizes.forced;
    outputs->side_method->ops->forget(outputs->side_method);
    if (dae->filtered && outputs->twin)
        dae->ops->take_memory(outputs->twin, dae);
}

/* ---- between the ends of a step ---- */
static phx_status rates_at(phx_outputs *outputs, const phx_run *run, step_end *end)
{
    phx_dae *dae = outputs->twin;
    phx_status status = PHX_OK;

    dae->ops->rates(dae, run->x, run->v, end->x_dot);
    status = dae->ops->accelerations(dae, run->t, run->x, run->v, end->v_dot, end->lambda);
    if (status == PHX_OK)
        status =
            dae->ops->power(dae, run->t, run->x, run->v, end->lambda, &end->power.supplied, &end->power.dissipated);
    if (status == PHX_OK)
        memcpy(end->flow, dae->parts, (size_t)dae->n_parts * sizeof *end->flow);
    return status;
}

/* Cubic with the values a, b and the rates of change a_dot, b_dot at the ends of a step of length h; s from 0 to 1. */
static double cubic(double s, double h, double a, double a_dot, double b, double b_dot)
{
    const double rest = 1.0 - s;
    return rest * rest * (1.0 + 2.0 * s) * a + s * s * (3.0 - 2.0 * s) * b + h * s * rest * (rest * a_dot - s * b_dot);
}

/* The state at t, in a step that began at the state in `side` and ended at that of the run. */
static phx_status sample_between(phx_outputs *outputs, double t)
{
    const phx_run *run = outputs->run, *side = &outputs->side;
    const phx_dae *dae = run->dae;
    const step_end *a = &outputs->ends[0], *b = &outputs->ends[1];
    const double h = run->t - side->t, s = (t - side->t) / h;
    phx_sample sample = {
        .t = t, .x = side->trial.x, .v = side->trial.v, .lambda = side->trial.lambda, .ledger = side->trial.ledger};

    for (int k = 0; k < dae->n_x; k++)
        side->trial.x[k] = cubic(s, h, side->x[k], a->x_dot[k], run->x[k], b->x_dot[k]);
    dae->ops->normalise(outputs->twin, side->trial.x, true);
    for (int k = 0; k < dae->n_v; k++)
        side->trial.v[k] = cubic(s, h, side->v[k], a->v_dot[k], run->v[k], b->v_dot[k]);
    for (int k = 0; k < dae->n_l; k++)
        side->trial.lambda[k] = (1.0 - s) * a->lambda[k] + s * b->lambda[k];
    for (int k = 0; k < dae->n_parts; k++)
        side->trial.ledger[k] = cubic(s, h, side->ledger[k], a->flow[k], run->ledger[k], b->flow[k]);
    sample.work.supplied = cubic(s, h, side->work.supplied, a->power.supplied, run->work.supplied, b->power.supplied);
    sample.work.dissipated =
        cubic(s, h, side->work.dissipated, a->power.dissipated, run->work.dissipated, b->power.dissipated);
    return run->receiver.sample ? run->receiver.sample(run->receiver.user, &sample) : PHX_OK;
}

static phx_status step_aside(phx_outputs *outputs, double t)
{
    const double from = outputs->run->t, h = (t - from) / outputs->pieces;
    phx_status status = PHX_OK;
    begin_side(outputs);
    for (int k = 0; k < outputs->pieces && status == PHX_OK; k++)
        status = phx_halving_step(&outputs->side, outputs->side_method, from + k * h,
                                  k + 1 == outputs->pieces ? t : from + (k + 1) * h, h);
    return status;
}

/* Samples the output instant t inside the last step, by interpolation of the method or a step of the side run. If that
 * step fails near a singular position the output waits until the position is passed. */
static phx_status sample_within(phx_outputs *outputs, double t)
{
    phx_run *run = outputs->run, *side = &outputs->side;
    const phx_method_ops *ops = outputs->method->ops;
    if (!run->receiver.sample)
        return PHX_OK;
    phx_status status = side->x ? PHX_OK : create_side(outputs);
    if (status != PHX_OK)
        return status;
    status = ops->look_back ? ops->look_back(outputs->method, t, side) : step_aside(outputs, t);
    outputs->waits = status > 0 && status != PHX_INTERRUPTED && !ops->look_back;
    if (outputs->waits) { /* near a singular position, where shorter steps are no easier */
        phx_context_clear(run->context);
        begin_side(outputs);
        return rates_at(outputs, side, &outputs->ends[0]);
    }
    if (status != PHX_OK)
        return status;
    side->t = t;
    side->receiver.sample = run->receiver.sample;
    side->receiver.user = run->receiver.user;
    status = phx_run_sample(side);
    side->receiver.sample = NULL;
    return status;
}

phx_status phx_outputs_before(phx_outputs *outputs, double t1)
{
    for (; outputs->next <= outputs->count; outputs->next++) {
        const double t = instant(outputs);
        if (t >= t1 - outputs->near)
            return PHX_OK;
        const phx_status status = sample_within(outputs, t);
        if (status != PHX_OK || outputs->waits)
            return status;
    }
    return PHX_OK;
}

bool phx_outputs_wait(const phx_outputs *outputs)
{
    return outputs->waits;
}

phx_status phx_outputs_passed(phx_outputs *outputs, double t1)
{
    phx_status status = outputs->waits ? rates_at(outputs, outputs->run, &outputs->ends[1]) : PHX_OK;
    for (; outputs->next <= outputs->count && status == PHX_OK; outputs->next++) {
        const double t = instant(outputs);
        if (t >= t1 - outputs->near)
            break;
        status = outputs->waits ? sample_between(outputs, t) : phx_run_sample_at(outputs->run, t);
    }
    outputs->waits = false;
    return status;
}

phx_status phx_outputs_at(phx_outputs *outputs)
{
    const phx_run *run = outputs->run;
    if (outputs->next > outputs->count || fabs(instant(outputs) - run->t) > outputs->near)
        return PHX_OK;
    outputs->next++;
    return phx_run_sample(outputs->run);
}
