/* The states of a run, for sweeps over it in either direction. While all fit into memory they are kept; of a longer run
 * those at equal distances, and the rows between two of them are made again when a sweep comes there: one more run for
 * any number of steps. */
#include "run.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- one row ---- */
/* Doubles the arrays of `stretch`, or leaves them. */
static phx_status stretch_widen(phx_context *context, const phx_dae *dae, phx_tape_stretch *stretch)
{
    enum { FIRST = 256 };
    const int wider = stretch->capacity > 0 ? 2 * stretch->capacity : FIRST;
    double **arrays[] = {&stretch->x, &stretch->v, &stretch->vm, &stretch->lambda};
    const int sizes[] = {dae->n_x, dae->n_v, dae->n_v, dae->n_l};

    if (stretch->count < stretch->capacity)
        return PHX_OK;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double *grown = phx_realloc(context, *arrays[k], (size_t)wider * (size_t)sizes[k] + 1, sizeof *grown);
        if (!grown)
            return PHX_ERR_MEMORY;
        *arrays[k] = grown;
    }
    stretch->capacity = wider;
    return PHX_OK;
}

/* Another row; vm and lambda are those of the interval that led to it. */
static phx_status stretch_add(phx_run_gradient *run, phx_tape_stretch *stretch, const phx_sample *sample,
                              const double *lambda)
{
    const phx_dae *dae = run->run.dae;
    const phx_status status = stretch_widen(run->context, dae, stretch);
    const double *vm, *of_interval;

    if (status)
        return status;
    const size_t row = (size_t)stretch->count++, n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l;
    phx_system_last_interval(dae, &vm, &of_interval);
    memcpy(stretch->x + row * n_x, sample->x, n_x * sizeof(double));
    memcpy(stretch->v + row * n_v, sample->v, n_v * sizeof(double));
    memcpy(stretch->vm + row * n_v, vm, n_v * sizeof(double));
    memcpy(stretch->lambda + row * n_l, lambda ? lambda : of_interval, n_l * sizeof(double));
    return PHX_OK;
}

static void stretch_free(phx_tape_stretch *stretch)
{
    phx_arrays_free(4, (double *[]){stretch->x, stretch->v, stretch->vm, stretch->lambda});
}

void phx_tape_free(phx_tape *tape)
{
    stretch_free(&tape->kept);
    stretch_free(&tape->near);
    phx_free(tape->t);
    phx_free(tape->values);
}

/* ---- the run ---- */
/* Room for the time and the values of another row. */
static phx_status tape_widen(phx_run_gradient *run)
{
    enum { FIRST = 256 };
    phx_tape *tape = &run->tape;
    const int wider = tape->capacity > 0 ? 2 * tape->capacity : FIRST;

    if (tape->rows < tape->capacity)
        return PHX_OK;
    double *t = phx_realloc(run->context, tape->t, (size_t)wider, sizeof *t);
    if (!t)
        return PHX_ERR_MEMORY;
    tape->t = t;
    double *values = phx_realloc(run->context, tape->values, (size_t)wider * (size_t)run->n_distinct, sizeof *values);
    if (!values)
        return PHX_ERR_MEMORY;
    tape->values = values;
    tape->capacity = wider;
    return PHX_OK;
}

/* A phx_sample_fn: the time and the values of the expressions, and the state where it is kept. */
static phx_status record_row(void *user, const phx_sample *sample)
{
    phx_run_gradient *run = user;
    phx_tape *tape = &run->tape;
    phx_status status = tape_widen(run);

    if (!status)
        status = phx_built_columns(&run->seen, &run->wanted, sample->t, sample->x, sample->v, run->row);
    double *values = tape->values + (size_t)tape->rows * (size_t)run->n_distinct;
    for (int k = 0; k < run->n && !status; k++)
        if (k == 0 || run->distinct[k] != run->distinct[k - 1])
            values[run->distinct[k]] = phx_objective_value(&run->programs[k], sample->t, run->row, run->variables);
    if (!status && tape->stride == INT_MAX)
        status = stretch_add(run, &tape->near, sample, NULL);
    else if (!status && tape->rows % tape->stride == 0)
        status = stretch_add(run, &tape->kept, sample, sample->lambda);
    if (!status)
        tape->t[tape->rows++] = sample->t;
    return status;
}

/* Runs the model from the state in run->run. */
phx_status phx_tape_record(phx_run_gradient *run, double memory)
{
    phx_built *built = &run->run;
    const phx_dae *dae = built->dae;
    const double steps = run->used.end / run->used.step;
    const double bytes = 8.0 * steps * (dae->n_x + 2.0 * dae->n_v + dae->n_l);
    double t = 0.0, *x = phx_calloc(run->context, (size_t)(dae->n_x + dae->n_v + dae->n_l) + 1, sizeof *x);
    double *v = phx_behind(x, (size_t)dae->n_x), *lambda = phx_behind(v, (size_t)dae->n_v);

    if (!x)
        return PHX_ERR_MEMORY;
    run->tape.stride = bytes > memory ? (int)ceil(sqrt(steps)) : INT_MAX;
    memcpy(x, built->x, (size_t)dae->n_x * sizeof *x);
    memcpy(v, built->v, (size_t)dae->n_v * sizeof *v);
    memcpy(lambda, built->lambda, (size_t)dae->n_l * sizeof *lambda);
    const phx_status status = phx_integrate(built->dae, &run->used, &t, x, v, lambda, record_row, run, NULL);
    phx_free(x);
    return status;
}

/* ---- rows that are made again ---- */
/* A phx_sample_fn: the state; the first of a part that goes on is there already. */
static phx_status repeat_row(void *user, const phx_sample *sample)
{
    phx_run_gradient *run = user;
    phx_tape *tape = &run->tape;

    if (tape->near.count > 0 && sample->t <= tape->t[tape->first + tape->near.count - 1])
        return PHX_OK;
    return stretch_add(run, &tape->near, sample, NULL);
}

/* The rows from the state that is kept at or before `row` to the next one, in parts of equal steps. */
static phx_status repeat_from(phx_run_gradient *run, int row)
{
    static const double EQUAL = 1e-9; /* steps, relative */
    phx_tape *tape = &run->tape;
    phx_dae *dae = run->run.dae;
    const size_t k = (size_t)(row / tape->stride), n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v;
    double *x = phx_calloc(run->context, n_x + n_v + (size_t)dae->n_l + 1, sizeof *x);
    double *v = phx_behind(x, n_x), *lambda = phx_behind(v, n_v), t;
    phx_status status = x ? PHX_OK : PHX_ERR_MEMORY;

    if (status)
        return status;
    tape->first = (int)k * tape->stride;
    tape->near.count = 0;
    const int end = (int)fmin((double)tape->first + tape->stride, tape->rows - 1.0);
    memcpy(x, tape->kept.x + k * n_x, n_x * sizeof *x);
    memcpy(v, tape->kept.v + k * n_v, n_v * sizeof *v);
    memcpy(lambda, tape->kept.lambda + k * (size_t)dae->n_l, (size_t)dae->n_l * sizeof *lambda);
    t = tape->t[tape->first];
    for (int from = tape->first, to = from; from < end && !status; from = to) {
        const double step = tape->t[from + 1] - tape->t[from];
        phx_integrate_options options = run->used;
        for (to = from + 1; to < end && fabs(tape->t[to + 1] - tape->t[to] - step) <= EQUAL * step; to++)
            ;
        options.step = step * (1.0 + EQUAL);
        options.end = tape->t[to];
        status = phx_integrate(dae, &options, &t, x, v, lambda, repeat_row, run, NULL);
    }
    phx_free(x);
    if (!status && tape->near.count != end - tape->first + 1)
        status = phx_fail(run->context, PHX_ERR_UNSUPPORTED,
                          "the steps from %g s to %g s could not be repeated for their derivatives; take a shorter run",
                          tape->t[tape->first], tape->t[end]);
    return status;
}

phx_status phx_tape_load(phx_run_gradient *run, int first, int last)
{
    const phx_tape *tape = &run->tape;

    if (tape->stride == INT_MAX || (first >= tape->first && last < tape->first + tape->near.count))
        return PHX_OK;
    /* the last row is the end of the stretch before it where it is the first of one */
    return repeat_from(run, first > 0 && first == last && first == tape->rows - 1 ? first - 1 : first);
}
