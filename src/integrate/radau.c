/* Radau IIA with 3 stages, order 5, after Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.8.
 *
 * The last stage is the end of the step, so that G(x1) v1 = w(t1) holds. The step size follows from the embedded
 * formula of order 3, filtered by the Newton matrix so that stiff components do not dominate it:
 *
 *   err = (cj M - J)^-1 [ f(t0, y0) + M (1/h) sum_i E_i (Y_i - y0) ],   cj = real/h,   E_i = real * error_i
 *
 * with y = (x, v); multipliers are not in its norm. */
#include "branch.h"
#include "stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Limits of the controller: safety, largest decrease, largest growth; no change of the step for less than KEEP. */
static const double SAFETY = 0.9, DECREASE = 5.0, GROWTH = 8.0, KEEP = 1.2;
/* After slower contraction a new Jacobian is made before the next step. */
static const double GOOD_RATE = 0.05;
/* Of a time: as far before a jump as rounding tells apart; of the largest velocity: a prescribed rate changes
 * by more where it jumps. */
static const double INSIDE = 8.0 * DBL_EPSILON, SAME_RATE = 1e-9;
static const double DEFAULT_ATOL = 1e-2; /* of rtol */
enum { USUAL_ITERATIONS = 7 };
/* Where a load or a speed jumps no step is short enough for the tolerance. The shortest one there is is taken, for so
 * many times until steps of LONGER times its size hold the tolerance again. */
enum { MOST_JUMPS = 4 };
static const double LONGER = 1e4;

typedef struct radau {
    phx_method base;
    phx_stages stages;
    double rtol, atol;                 /* of the error estimate */
    double h;                          /* proposal for the next step; 0: none yet */
    double h_accepted, error_accepted; /* of the last step accepted; 0: none */
    bool after_reject;
    int jumps;                   /* steps taken without holding the tolerance */
    double *weight_x, *weight_v; /* n_x, n_v: 1/(atol + rtol |y|) */
    double *error_x, *error_v;   /* n_x, n_v + n_l */
    double *x_dot, *tangent;     /* n_x, n_v */
    double *x, *v, *lambda;      /* a state moved by the error */
} radau;

/* ---- a step ---- */
static void end_of_step(const radau *m)
{
    const phx_run *run = m->base.run;
    const phx_stages *stages = &m->stages;
    const phx_dae *dae = run->dae;
    int last = stages->tableau.s - 1;
    memcpy(run->trial.x, stages->x + last * dae->n_x, (size_t)dae->n_x * sizeof(double));
    memcpy(run->trial.v, stages->v + last * dae->n_v, (size_t)dae->n_v * sizeof(double));
    memcpy(run->trial.lambda, stages->now.lambda + last * dae->n_l, (size_t)dae->n_l * sizeof(double));
}

/* After the error is known to be acceptable: the work, and attitudes that are rotations. */
static phx_status radau_finish(radau *m, double t0, double h)
{
    phx_run *run = m->base.run;
    phx_run_clear_work(run);
    phx_status status = phx_stages_work(&m->stages, t0, h, &run->trial.work);
    if (status != PHX_OK)
        return status;
    run->dae->ops->normalise(run->dae, run->trial.x, true);
    phx_stages_keep(&m->stages, h);
    if (m->stages.rate > GOOD_RATE)
        m->stages.jacobian.valid = false;
    return PHX_OK;
}

/* Whether a prescribed rate jumps between two instants: G(x0) v0 - w does. */
static phx_status rate_jumps(radau *m, double before, double after, bool *jumps)
{
    const phx_run *run = m->base.run;
    phx_stages *stages = &m->stages;
    phx_dae *dae = run->dae;
    const int n = dae->n_v + dae->n_l;
    double *res = stages->res, *none = stages->res + 2 * n;

    memset(none, 0, (size_t)n * sizeof *none);
    phx_status status = dae->ops->residual(dae, before, run->x, run->v, none, none + dae->n_v, res);
    if (status == PHX_OK)
        status = dae->ops->residual(dae, after, run->x, run->v, none, none + dae->n_v, res + n);
    double largest = 0.0, change = 0.0;
    for (int k = 0; k < dae->n_v; k++)
        largest = fmax(largest, fabs(run->v[k]));
    for (int k = dae->n_v; k < n && status == PHX_OK; k++)
        change = fmax(change, fabs(res[n + k] - res[k]));
    *jumps = change > SAME_RATE * largest;
    return status;
}

/* The last stage is the end of the step. Where loads jump there it belongs to what is before; where a prescribed rate
 * does, the velocities have to be on what is behind. */
static phx_status end_before_jump(radau *m, double t1)
{
    const phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    const double least = INSIDE * fabs(t1) + DBL_MIN;
    bool jumps = false;

    m->stages.latest = HUGE_VAL;
    if (!dae->ops->next_break || dae->ops->next_break(dae, t1 - least) > t1 + least)
        return PHX_OK;
    const phx_status status = rate_jumps(m, t1 - least, t1 + least, &jumps);
    if (!jumps)
        m->stages.latest = t1 - least;
    return status;
}

static phx_status fixed_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    radau *m = (radau *)method;
    (void)last_chance;
    phx_status status = end_before_jump(m, t1);
    if (status == PHX_OK)
        status = phx_stages_solve(&m->stages, t0, h);
    if (status != PHX_OK)
        return status;
    end_of_step(m);
    return radau_finish(m, t0, h);
}

/* ---- the error ---- */
static void set_weights(radau *m)
{
    const phx_run *run = m->base.run;
    for (int k = 0; k < run->dae->n_x; k++)
        m->weight_x[k] = 1.0 / (m->atol + m->rtol * fabs(run->x[k]));
    for (int k = 0; k < run->dae->n_v; k++)
        m->weight_v[k] = 1.0 / (m->atol + m->rtol * fabs(run->v[k]));
}

/* sqrt(mean of (component times weight)^2) over x and v; v may be NULL: none */
static double weighted_norm(const radau *m, const double *x, const double *v)
{
    const phx_dae *dae = m->base.run->dae;
    double sum = 0.0;
    for (int k = 0; k < dae->n_x; k++)
        sum += x[k] * m->weight_x[k] * x[k] * m->weight_x[k];
    for (int k = 0; k < dae->n_v && v; k++)
        sum += v[k] * m->weight_v[k] * v[k] * m->weight_v[k];
    return sqrt(sum / (dae->n_x + dae->n_v));
}

/* err of the file's head with f taken at (x, v, lambda), into error_x and error_v. */
static phx_status filtered_error(radau *m, double t0, double h, const double *x, const double *v, const double *lambda)
{
    phx_stages *stages = &m->stages;
    const phx_tableau *tableau = &stages->tableau;
    const phx_run *run = m->base.run;
    phx_dae *dae = run->dae;
    int n_x = dae->n_x, n_v = dae->n_v;
    double cj = tableau->real / h;
    /* a = T(x) v + (1/h) sum E_i (X_i - x0) */
    dae->ops->rates(dae, x, v, m->x_dot);
    for (int i = 0; i < tableau->s; i++)
        for (int k = 0; k < n_x; k++)
            m->x_dot[k] += cj * tableau->error[i] * (stages->x[i * n_x + k] - run->x[k]);
    /* b = f + G^T lambda + M (1/h) sum E_i (V_i - v0): minus the residual with v_dot = -(1/h) sum E_i z_i */
    for (int k = 0; k < n_v; k++) {
        stages->v_dot[k] = 0.0;
        for (int i = 0; i < tableau->s; i++)
            stages->v_dot[k] -= cj * tableau->error[i] * stages->now.z[i * n_v + k];
    }
    phx_status status = dae->ops->residual(dae, t0, x, v, stages->v_dot, lambda, m->error_v);
    if (status != PHX_OK)
        return status;
    for (int k = 0; k < n_v + dae->n_l; k++)
        m->error_v[k] = -m->error_v[k];
    dae->ops->tangent(dae, x, m->x_dot, m->tangent);
    status = phx_solve_eliminated(dae, PHX_SLOT_REAL, cj, m->tangent, stages->rhs, m->error_v);
    /* cj err_x = a + T err_v */
    dae->ops->rates(dae, x, m->error_v, m->error_x);
    for (int k = 0; k < n_x; k++)
        m->error_x[k] = (m->error_x[k] + m->x_dot[k]) / cj;
    return status;
}

/* The size of the error in error_x and error_v, in units of the tolerance. Of the velocities it is not looked at where
 * it is rounding of the large ones, which no step makes smaller. */
static double error_size(const radau *m)
{
    phx_run *run = m->base.run;
    const double error = weighted_norm(m, m->error_x, m->error_v);

    if (error < 1.0 || !(run->dae->ops->norm(run->dae, m->error_v) <= PHX_SURE_NOISE * phx_run_scale(run, run->v)))
        return error;
    return weighted_norm(m, m->error_x, NULL);
}

/* Estimate in units of the tolerance. An estimate that is too large in the first step or after a rejection is filtered
 * once more, with f at y0 + err. */
static phx_status estimate(radau *m, double t0, double h, double *error)
{
    phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    phx_status status = filtered_error(m, t0, h, run->x, run->v, run->lambda);
    *error = error_size(m);
    if (status != PHX_OK || *error < 1.0 || (m->h_accepted > 0.0 && !m->after_reject))
        return status;
    for (int k = 0; k < dae->n_x; k++)
        m->x[k] = run->x[k] + m->error_x[k];
    for (int k = 0; k < dae->n_v; k++)
        m->v[k] = run->v[k] + m->error_v[k];
    for (int k = 0; k < dae->n_l; k++)
        m->lambda[k] = run->lambda[k] + m->error_v[dae->n_v + k];
    status = filtered_error(m, t0, h, m->x, m->v, m->lambda);
    *error = error_size(m);
    return status;
}

/* ---- the step size ---- */
/* h_new = h fac error^(-1/4), and not more than the error of the last two steps predicts (Gustafsson). */
static double proposed_step(const radau *m, double h, double error)
{
    static const double LEAST_ERROR = 1e-10; /* smaller ones choose the step as this one */

    error = fmax(error, LEAST_ERROR);
    double more = 2.0 * USUAL_ITERATIONS;
    double fac = fmin(SAFETY, SAFETY * (1.0 + more) / (m->stages.iterations + more));
    double quotient = fmax(1.0 / GROWTH, fmin(DECREASE, sqrt(sqrt(error)) / fac));
    if (m->h_accepted > 0.0 && error < 1.0) {
        double predicted = m->h_accepted / h * sqrt(sqrt(error * error / m->error_accepted)) / SAFETY;
        quotient = fmax(quotient, fmax(1.0 / GROWTH, fmin(DECREASE, predicted)));
    }
    return h / quotient;
}

static void accepted(radau *m, double h, double error)
{
    static const double LEAST_ACCEPTED = 1e-2; /* the same for the next prediction */
    double h_new = proposed_step(m, h, error);
    m->h_accepted = h;
    m->error_accepted = fmax(LEAST_ACCEPTED, error);
    if (m->after_reject)
        h_new = fmin(h_new, h);
    m->after_reject = false;
    m->h = h_new >= h && h_new <= KEEP * h && m->stages.rate <= GOOD_RATE ? h : h_new;
}

static void rejected(radau *m, double h, double error)
{
    m->h = m->h_accepted > 0.0 ? proposed_step(m, h, error) : 0.1 * h;
    m->after_reject = true;
    m->base.run->stats->rejected++;
}

/* Behind a jump nothing known from before is of use. */
static void behind_jump(radau *m, double smallest)
{
    m->jumps++;
    m->h = GROWTH * smallest;
    m->h_accepted = 0.0;
    m->after_reject = false;
    phx_stages_forget(&m->stages);
}

/* The start: a step in which y changes by a hundredth. */
static phx_status first_step(radau *m, double to)
{
    static const double FIRST_CHANGE = 1e-2; /* of y in the first step */
    phx_run *run = m->base.run;
    phx_dae *dae = run->dae;
    dae->ops->rates(dae, run->x, run->v, m->x_dot);
    phx_status status = dae->ops->accelerations(dae, run->t, run->x, run->v, m->error_v, m->lambda);
    if (status != PHX_OK)
        return status;
    set_weights(m);
    double size = weighted_norm(m, run->x, run->v), rate = weighted_norm(m, m->x_dot, m->error_v);
    m->h = rate > 0.0 ? FIRST_CHANGE * fmax(size, 1.0) / rate : to - run->t;
    return PHX_OK;
}

/* Land on `to`: the last few steps are of equal size. */
static double landing_step(const radau *m, double to, bool *lands)
{
    static const double ROUNDING = 1e-9; /* of a number of steps, relative */
    enum { FEW = 4 };
    const double longest = phx_branch_limit(m->base.run, m->h);
    double left = to - m->base.run->t, count = ceil(left / longest * (1.0 - ROUNDING));
    *lands = count <= 1.0;
    return count <= FEW ? left / fmax(count, 1.0) : longest;
}

static phx_status too_small(radau *m, double h)
{
    phx_run *run = m->base.run;
    if (!run->failure.reason)
        phx_run_blame(run, PHX_NOT_CONVERGED, h, "the error stays above the tolerance", m->error_v);
    return phx_run_stop(run, PHX_NOT_CONVERGED);
}

/* One trial; `*error` at least 1: rejected, unless it is at a `jump`. */
static phx_status radau_try_step(radau *m, double h, bool jump, double *error)
{
    phx_run *run = m->base.run;
    set_weights(m);
    phx_status status = phx_stages_solve(&m->stages, run->t, h);
    if (status == PHX_OK)
        status = estimate(m, run->t, h, error);
    if (status != PHX_OK || !(*error < 1.0 || (jump && isfinite(*error))))
        return status;
    end_of_step(m);
    return radau_finish(m, run->t, h);
}

/* Takes one accepted step towards `to`, with the step size reduced until error < 1. Across a jump of the right side the
 * smallest step is accepted whatever its error, a limited number of times. */
static phx_status adaptive_step(radau *m, double to)
{
    phx_run *run = m->base.run;
    double smallest = phx_run_smallest_step(run);
    while (true) {
        bool lands;
        double h = landing_step(m, to, &lands), error = INFINITY;
        const bool jump = h <= smallest;
        if (jump && m->jumps >= MOST_JUMPS)
            return too_small(m, h);
        run->failure.reason = NULL;
        h = lands ? h : fmax(h, smallest);
        phx_status status = radau_try_step(m, h, jump, &error);
        if (status == PHX_OK && error < 1.0) {
            accepted(m, h, error);
            if (h > LONGER * smallest)
                m->jumps = 0;
            return phx_run_accept(run, lands ? to : run->t + h, h);
        }
        if (status == PHX_OK && jump && isfinite(error)) {
            behind_jump(m, smallest);
            return phx_run_accept(run, lands ? to : run->t + h, h);
        }
        if (jump)
            m->jumps = MOST_JUMPS;
        if (status == PHX_OK) {
            rejected(m, h, isfinite(error) ? error : 1e6);
        } else if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) {
            m->h = 0.5 * h;
            m->after_reject = true;
            m->stages.jacobian.valid = false;
            run->stats->rejected++;
        } else {
            return phx_run_stop(run, status);
        }
    }
}

/* Takes adaptive steps up to the time `to` and samples after each; singular positions are crossed by the midpoint
 * rule. */
static phx_status radau_advance(phx_method *method, double to)
{
    radau *m = (radau *)method;
    phx_run *run = method->run;
    if (m->h == 0.0) {
        phx_status status = first_step(m, to);
        if (status != PHX_OK)
            return phx_run_stop(run, status);
    }
    const phx_status ready = end_before_jump(m, to);
    if (ready != PHX_OK)
        return phx_run_stop(run, ready);
    while (run->t < to) {
        const double before = run->t;
        phx_status status =
            phx_branch_is_near(run) ? phx_branch_cross(run, method, phx_branch_end(run)) : adaptive_step(m, to);
        if (status == PHX_OK && run->t > before)
            status = phx_run_sample_step(run);
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

/* ---- memory ---- */
static void radau_destroy(phx_method *method)
{
    radau *m = (radau *)method;
    phx_stages_release(&m->stages);
    phx_free(m->weight_x);
    phx_free(m->weight_v);
    phx_free(m->error_x);
    phx_free(m->error_v);
    phx_free(m->x_dot);
    phx_free(m->tangent);
    phx_free(m->x);
    phx_free(m->v);
    phx_free(m->lambda);
    phx_free(m);
}

/* Allocates weights, error estimates and states of the method. */
static phx_status radau_allocate(radau *m)
{
    phx_run *run = m->base.run;
    size_t n_x = (size_t)run->dae->n_x, n_v = (size_t)run->dae->n_v, n_l = (size_t)run->dae->n_l;
    struct {
        double **array;
        size_t count;
    } parts[] = {{&m->weight_x, n_x}, {&m->weight_v, n_v}, {&m->error_x, n_x}, {&m->error_v, n_v + n_l},
                 {&m->x_dot, n_x},    {&m->tangent, n_v},  {&m->x, n_x},       {&m->v, n_v},
                 {&m->lambda, n_l}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *parts[i].array = phx_calloc(run->context, parts[i].count, sizeof(double));
        if (!*parts[i].array)
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* The step that the last one asks for stays, no error is known. */
static void radau_forget(phx_method *method)
{
    radau *m = (radau *)method;
    phx_stages_forget(&m->stages);
    m->h_accepted = 0.0;
}

static const phx_method_ops fixed_ops = {.destroy = radau_destroy, .step = fixed_step, .forget = radau_forget};
static const phx_method_ops adaptive_ops = {.destroy = radau_destroy, .advance = radau_advance, .forget = radau_forget};

/* The estimate is of order 3, the step of order 5: Hairer and Wanner ask of the estimate 0.1 rtol^(2/3). */
static void set_tolerances(radau *m)
{
    static const double STAGE_ROUNDING = 1e-15; /* of the weighted corrections at rtol = 1 */
    const phx_integrate_options *options = &m->base.run->options;
    double atol = options->atol > 0.0 ? options->atol : DEFAULT_ATOL * options->rtol;
    m->rtol = 0.1 * pow(options->rtol, 2.0 / 3.0);
    m->atol = m->rtol * atol / options->rtol;
    m->stages.weight_v = m->weight_v;
    m->stages.weight_tolerance = fmax(STAGE_ROUNDING / m->rtol, fmin(0.03, sqrt(m->rtol)));
}

/* Creates the method for a run; with rtol = 0 the steps are fixed. */
static phx_status create_radau(phx_run *run, phx_method **method)
{
    bool adaptive = run->options.rtol > 0.0;
    phx_tableau tableau;
    phx_tableau_radau(&tableau);
    radau *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    m->base = (phx_method){.ops = adaptive ? &adaptive_ops : &fixed_ops, .run = run};
    phx_status status = radau_allocate(m);
    if (status == PHX_OK)
        status = phx_stages_create(run, &tableau, &m->stages);
    if (status != PHX_OK) {
        radau_destroy(&m->base);
        return status;
    }
    if (adaptive)
        set_tolerances(m);
    *method = &m->base;
    return PHX_OK;
}

const phx_method_kind phx_method_radau5 = {
    .traits.name = "radau5", .traits.order = 5, .traits.work = 5.0, .traits.chooses = true, .create = create_radau};
