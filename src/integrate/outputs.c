#include "outputs.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SAME = 1e-9; /* lengths that agree to this, relative, are the same */

struct phx_outputs {
    phx_run *run;
    phx_method *method;
    long next, count; /* instant to come, number of instants after the start */
    double spacing;   /* of the instants, or the equal step, s */
    double stride;    /* spacings from one to the next */
    bool on_grid;     /* they are ends of equal steps */
    double decimal;   /* instants that no step ends at are rounded to multiples of its inverse; 0: they are not */
    double near;      /* s: instants so near to the end of a step are there */
    int pieces;       /* of a side step */
    /* the side steps: */
    phx_dae *twin; /* NULL: the method looks back, and `side` has arrays only */
    phx_run side;
    phx_method *side_method;
    phx_integrate_stats side_stats;
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

static phx_status create_side(phx_outputs *outputs, phx_method_create_fn *create)
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
                      .shown = INFINITY,
                      .shown_clock = INFINITY};
    side->options.rtol = side->options.atol = side->options.every = 0.0;
    side->x = phx_calloc(run->context, (size_t)dae->n_x, sizeof *side->x);
    side->v = phx_calloc(run->context, (size_t)dae->n_v, sizeof *side->v);
    side->lambda = phx_calloc(run->context, (size_t)dae->n_l, sizeof *side->lambda);
    if (!side->x || !side->v || !side->lambda)
        return PHX_ERR_MEMORY;
    status = phx_run_allocate(side);
    return status == PHX_OK && steps ? create(side, &outputs->side_method) : status;
}

phx_status phx_outputs_create(phx_run *run, phx_method *method, phx_method_create_fn *create, phx_outputs **outputs)
{
    const double length = run->options.end - run->start;
    phx_outputs *it = phx_calloc(run->context, 1, sizeof *it);
    if (!it)
        return PHX_ERR_MEMORY;
    *outputs = it;
    it->run = run;
    it->method = method;
    it->stride = 1.0;
    set_spacing(it, method->ops->step != NULL);
    it->count = (long)ceil(length / (it->stride * it->spacing) * (1.0 - SAME));
    it->next = 1;
    it->decimal = decimal_of(run);
    it->near = SAME * it->spacing + 4.0 * DBL_EPSILON * fmax(fabs(run->start), fabs(run->options.end));
    it->pieces = run->options.rtol > 0.0 ? 2 : 1; /* as of the steps that are chosen */
    return create_side(it, create);
}

void phx_outputs_destroy(phx_outputs *outputs)
{
    if (!outputs)
        return;
    phx_run *side = &outputs->side;
    if (outputs->side_method)
        outputs->side_method->ops->destroy(outputs->side_method);
    phx_run_release(side);
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
    side->scale = run->scale;
    side->noise = run->noise;
    side->noise_scale = run->noise_scale;
    outputs->side_method->ops->forget(outputs->side_method);
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

static phx_status sample_within(phx_outputs *outputs, double t)
{
    phx_run *run = outputs->run, *side = &outputs->side;
    const phx_method_ops *ops = outputs->method->ops;
    if (!run->sample)
        return PHX_OK;
    phx_status status = ops->look_back ? ops->look_back(outputs->method, t, side) : step_aside(outputs, t);
    if (status != PHX_OK)
        return status;
    side->t = t;
    side->sample = run->sample;
    side->user = run->user;
    status = phx_run_sample(side);
    side->sample = NULL;
    return status;
}

phx_status phx_outputs_before(phx_outputs *outputs, double t1)
{
    for (; outputs->next <= outputs->count; outputs->next++) {
        const double t = instant(outputs);
        if (t >= t1 - outputs->near)
            return PHX_OK;
        const phx_status status = sample_within(outputs, t);
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

phx_status phx_outputs_passed(phx_outputs *outputs, double t1)
{
    phx_status status = PHX_OK;
    for (; outputs->next <= outputs->count && status == PHX_OK; outputs->next++) {
        const double t = instant(outputs);
        if (t >= t1 - outputs->near)
            break;
        status = phx_run_sample_at(outputs->run, t);
    }
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
