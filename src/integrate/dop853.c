/* Dormand and Prince's explicit method of order 8 with error estimates of order 5 and 3, on the ordinary differential
 * equation that a dae offers (phx_ode), after Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I.
 *
 * The error of a step, from the estimates e5 and e3 in units of atol + rtol |y|, n components:
 *
 *     error = h |e5|^2 / sqrt(n (|e5|^2 + 0.01 |e3|^2))                                              (II.10.17)
 *
 * Only coordinates and rates are in it; the work is a quadrature beside them. Instants within a step are interpolated
 * in the coordinates, so that joints are closed there too. */
#include "dop853_tableau.h"
#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Limits of the controller: safety, largest decrease, largest growth. */
static const double SAFETY = 0.9, DECREASE = 0.333, GROWTH = 6.0;
static const double DEFAULT_ATOL = 1e-2; /* of rtol */
/* Signals that jump at the end of a step are asked for just inside it. */
static const double INSIDE = 8.0 * DBL_EPSILON;
/* The test for stiffness: the boundary of stability on the negative axis, steps beyond it that decide, steps within it
 * that clear the count. */
static const double STABLE = 6.1;
enum { STIFF = 15, CALM = 6 };
/* Steps below the shortest one worth trying that are taken where something jumps. */
enum { MOST_JUMPS = 4 };
/* y as it is, at the end of the trial, of a stage, of the last one; then the polynomial of the interpolation. */
enum { POLYNOMIAL = 4 + DOP853_DENSE };

typedef struct dop853 {
    phx_method base;
    phx_ode *ode;
    double *y, *y1, *stage;   /* n each: accepted, end of the trial, a stage (the last stage of a trial) */
    double *f[DOP853_ALL];    /* n each */
    double *part[POLYNOMIAL]; /* n each: of the interpolation */
    double *memory;           /* storage of these arrays */
    double t, t1;             /* s: of y and y1; NAN: there is none */
    double rtol, atol;
    double h;          /* proposal for the next step; 0: none yet */
    double *behind;    /* n: y1 behind what jumps at t1 */
    bool jumped;       /* that is so */
    bool begun;        /* f[0] belongs to y */
    bool interpolates; /* the polynomial is that of the trial */
    int stiff, calm;   /* steps that seem stiff, since then steps that do not */
    int jumps;
    bool after_reject;
} dop853;

/* ---- a step ---- */
/* Y_i of the row of the table. */
static void put_stage(const dop853 *m, double h, int i, double *Y)
{
    const int n = m->ode->n;

    memcpy(Y, m->y, (size_t)n * sizeof *Y);
    for (int j = 0; j < i; j++) {
        const double a = h * dop853_a[i][j];
        const double *f = m->f[j];
        if (a == 0.0)
            continue;
        for (int k = 0; k < n; k++)
            Y[k] += a * f[k];
    }
}

/* Times of stages are within the step: what jumps at its ends does so outside. */
static double stage_time(double t0, double t1, double c)
{
    const double least = INSIDE * fmax(fabs(t0), fabs(t1));

    return t1 - t0 > 4.0 * least ? fmin(fmax(t0 + c * (t1 - t0), t0 + least), t1 - least) : 0.5 * (t0 + t1);
}

static bool is_finite(int n, const double *y)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += y[k] * 0.0;
    return sum == 0.0;
}

/* Because something that is given has no finite value from near here on; or the steps are too long. Equal ones have
 * been so for a while then, and to divide the last one would not help. */
static phx_status not_finite(dop853 *m, double h)
{
    const phx_status status = m->rtol > 0.0 ? PHX_NOT_CONVERGED : PHX_ERR_ANALYSIS;
    phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    const phx_status given = m->rtol == 0.0 && dae->ops->check_signals
                                 ? dae->ops->check_signals(run->dae, run->t, run->t + 2.0 * h)
                                 : PHX_OK;

    return given ? given : phx_run_blame(run, status, h, "the accelerations grow beyond all numbers", NULL);
}

static phx_status dop853_evaluate(dop853 *m, double t, const double *Y, int i)
{
    return m->ode->ops->rates(m->ode, t, Y, m->f[i]);
}

/* The state at the end of the last trial, when the run has accepted it; else that of the run. */
static void dop853_settle(dop853 *m)
{
    phx_run *run = m->base.run;
    const size_t bytes_x = (size_t)run->dae->n_x * sizeof(double), bytes_v = (size_t)run->dae->n_v * sizeof(double);
    const bool accepted =
        run->t == m->t1 && !memcmp(run->x, run->trial.x, bytes_x) && !memcmp(run->v, run->trial.v, bytes_v);

    if (accepted) {
        double *y = m->y, *f = m->f[0];
        m->y = m->jumped ? m->behind : m->y1;
        *(m->jumped ? &m->behind : &m->y1) = y;
        m->f[0] = m->f[DOP853_STAGES];
        m->f[DOP853_STAGES] = f;
        m->begun = m->begun && !m->jumped;
    } else if (run->t != m->t) {
        m->ode->ops->begin(m->ode, run->x, run->v, m->y);
        m->begun = false;
    }
    m->t = run->t;
    m->t1 = NAN;
    m->interpolates = false;
}

/* All stages, y1 and the rates there. */
static phx_status stages(dop853 *m, double t0, double t1)
{
    const double h = t1 - t0;
    phx_status status = PHX_OK;

    m->interpolates = false;
    if (!m->begun)
        status = dop853_evaluate(m, stage_time(t0, t1, 0.0), m->y, 0);
    for (int i = 1; i < DOP853_STAGES && !status; i++) {
        put_stage(m, h, i, m->stage);
        status = dop853_evaluate(m, stage_time(t0, t1, dop853_c[i]), m->stage, i);
    }
    if (status == PHX_NOT_CONVERGED)
        return not_finite(m, h);
    if (status)
        return status;
    m->begun = true;
    put_stage(m, h, DOP853_STAGES, m->y1);
    return is_finite(m->ode->n, m->y1) ? PHX_OK : not_finite(m, h);
}

/* Something that is given jumps at t: rates from before do not hold behind it. */
static bool jumps_at(const phx_run *run, double t)
{
    const phx_dae *dae = run->dae;
    const double least = 2.0 * INSIDE * fabs(t) + phx_run_smallest_step(run);

    return dae->ops->next_break && dae->ops->next_break(dae, t - least) <= t + least;
}

/* Where a prescribed rate jumps at t1 the trial ends behind it. */
static phx_status pass_jump(dop853 *m, double t1, double *end)
{
    const double least = INSIDE * fabs(t1) + DBL_MIN;

    *end = t1;
    m->jumped = m->ode->driven && jumps_at(m->base.run, t1) && m->ode->ops->jumps(m->ode, t1 - least, t1 + least);
    if (!m->jumped)
        return PHX_OK;
    *end = t1 + least;
    memcpy(m->behind, m->y1, (size_t)m->ode->n * sizeof *m->behind);
    return m->ode->ops->pass_jump(m->ode, t1 - least, t1 + least, m->behind);
}

/* The trial from y1: the state of the mechanism and the work. */
static phx_status dop853_finish(dop853 *m, double t0, double t1)
{
    phx_run *run = m->base.run;
    const int n = m->ode->n_state;
    double end;

    m->ode->ops->normalise(m->ode, m->y1);
    phx_status status = dop853_evaluate(m, stage_time(t0, t1, 1.0), m->y1, DOP853_STAGES);
    if (!status)
        status = pass_jump(m, t1, &end);
    if (status)
        return status == PHX_NOT_CONVERGED ? not_finite(m, t1 - t0) : status;
    const double *y = m->jumped ? m->behind : m->y1;
    memcpy(run->trial.x, run->x, (size_t)run->dae->n_x * sizeof *run->trial.x);
    memcpy(run->trial.lambda, run->lambda, (size_t)run->dae->n_l * sizeof *run->trial.lambda);
    m->ode->ops->state(m->ode, end, y, run->trial.x, run->trial.v);
    phx_run_clear_work(run);
    if (m->ode->n > n) {
        run->trial.work = (phx_work){y[n] - m->y[n], y[n + 1] - m->y[n + 1]};
        for (int k = 0; k < run->dae->n_parts; k++)
            run->trial.ledger[k] = y[n + 2 + k] - m->y[n + 2 + k];
    }
    m->t1 = t1;
    return PHX_OK;
}

static phx_status fixed_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    dop853 *m = (dop853 *)method;
    phx_status status = PHX_OK;

    (void)last_chance;
    dop853_settle(m);
    if (m->begun && jumps_at(method->run, t0))
        m->begun = false;
    if (t1 - t0 > m->ode->ops->longest(m->ode, m->y))
        return phx_run_blame(method->run, PHX_REJECTED, h, "a ball turns too far for its angles to be counted", NULL);
    status = stages(m, t0, t1);
    return status ? status : dop853_finish(m, t0, t1);
}

/* ---- the error ---- */
/* 1/(atol + rtol |y|) of an entry, y the larger of those at both ends. */
static double weight(const dop853 *m, int k)
{
    return 1.0 / (m->atol + m->rtol * fmax(fabs(m->y[k]), fabs(m->y1[k])));
}

/* Relative error of the step of length h from the estimates of order 5 and 3, at most 1 if the step is acceptable
 * (equation at the top). */
static double error_of(const dop853 *m, double h)
{
    const int n = m->ode->n_state;
    double *e5 = m->part[0], *e3 = m->part[1]; /* of no polynomial yet */
    double squares5 = 0.0, squares3 = 0.0;

    memset(e5, 0, (size_t)n * sizeof *e5);
    memset(e3, 0, (size_t)n * sizeof *e3);
    for (int j = 0; j < DOP853_STAGES; j++) {
        const double a5 = dop853_e5[j], a3 = dop853_a[DOP853_STAGES][j] - dop853_b3[j], *f = m->f[j];
        for (int k = 0; k < n && (a5 != 0.0 || a3 != 0.0); k++) {
            e5[k] += a5 * f[k];
            e3[k] += a3 * f[k];
        }
    }
    for (int k = 0; k < n; k++) {
        const double w = weight(m, k);
        squares5 += w * e5[k] * w * e5[k];
        squares3 += w * e3[k] * w * e3[k];
    }
    const double both = squares5 + 0.01 * squares3;
    return both > 0.0 ? fabs(h) * squares5 / sqrt(n * both) : 0.0;
}

/* |f(y1) - f(Y_11)| / |y1 - Y_11| estimates the largest eigenvalue; both are at the end of the step. */
static bool is_stiff(dop853 *m, double h)
{
    double above = 0.0, below = 0.0;

    for (int k = 0; k < m->ode->n_state; k++) {
        const double df = m->f[DOP853_STAGES][k] - m->f[DOP853_STAGES - 1][k], dy = m->y1[k] - m->stage[k];
        above += df * df;
        below += dy * dy;
    }
    if (below > 0.0 && h * sqrt(above / below) > STABLE) {
        m->calm = 0;
        return ++m->stiff >= STIFF;
    }
    if (++m->calm >= CALM)
        m->stiff = 0;
    return false;
}

/* ---- the step size ---- */
static double dop853_size_of(const dop853 *m, const double *y)
{
    const int n = m->ode->n_state;
    double sum = 0.0;

    for (int k = 0; k < n; k++) {
        const double scaled = y[k] / (m->atol + m->rtol * fabs(m->y[k]));
        sum += scaled * scaled;
    }
    return sqrt(sum / (n > 0 ? n : 1));
}

/* As in II.4: a step in which an explicit Euler step changes y by a hundredth, and the second derivative by as much. */
static phx_status first_step(dop853 *m, double to)
{
    static const double SMALL = 1e-5;      /* weighted norm of y or of its rate: no measure of the first step */
    static const double FIRST_STEP = 1e-6; /* s, then */
    const phx_run *run = m->base.run;
    const double most = to - run->t;
    const int n = m->ode->n;
    phx_status status = m->begun ? PHX_OK : dop853_evaluate(m, stage_time(run->t, to, 0.0), m->y, 0);

    if (status)
        return status;
    m->begun = true;
    const double size = dop853_size_of(m, m->y), rate = dop853_size_of(m, m->f[0]);
    const double h = fmin(size < SMALL || rate < SMALL ? FIRST_STEP : 0.01 * size / rate, most);
    for (int k = 0; k < n; k++)
        m->stage[k] = m->y[k] + h * m->f[0][k];
    status = dop853_evaluate(m, stage_time(run->t, run->t + h, 1.0), m->stage, 1);
    for (int k = 0; k < n; k++)
        m->stage[k] = m->f[1][k] - m->f[0][k];
    const double second = fmax(dop853_size_of(m, m->stage) / h, rate);
    m->h = fmin(fmin(100.0 * h, second > 0.0 ? pow(0.01 / second, 0.125) : most), most);
    return status;
}

/* h (1/error)^(1/8), within limits */
static double proposed_step(const dop853 *m, double h, double error)
{
    static const double LEAST_ERROR = 1e-12; /* smaller ones choose the step as this one */
    const double factor = fmin(GROWTH, fmax(DECREASE, SAFETY * pow(fmax(error, LEAST_ERROR), -0.125)));
    return h * (m->after_reject ? fmin(factor, 1.0) : factor);
}

static phx_status fail_stiff(const dop853 *m, double h)
{
    return phx_fail(m->base.run->context, PHX_NOT_CONVERGED,
                    "the motion is stiff: springs or dampers hold the steps at %.3g s, whatever accuracy is asked for; "
                    "use radau5, or midpoint with a fixed step",
                    h);
}

static phx_status too_small(dop853 *m, double h)
{
    phx_run *run = m->base.run;

    if (!run->failure.reason)
        phx_run_blame(run, PHX_NOT_CONVERGED, h, "the error stays above the tolerance", NULL);
    return phx_run_stop(run, PHX_NOT_CONVERGED);
}

/* The next step on the way to `to`: what is left is reached in one or in two. */
static double landing_step(const dop853 *m, double to, bool *lands)
{
    const phx_run *run = m->base.run;
    const double left = to - run->t;
    double h = fmin(m->h, m->ode->ops->longest(m->ode, m->y));

    if (run->options.step > 0.0)
        h = fmin(h, run->options.step);
    *lands = left <= 1.0001 * h;
    return *lands ? left : left < 2.0 * h ? 0.5 * left : h;
}

static phx_status dop853_try_step(dop853 *m, double t1, double *error)
{
    const double t0 = m->t;
    const phx_status status = stages(m, t0, t1);

    *error = status ? INFINITY : error_of(m, t1 - t0);
    return status;
}

/* Where something jumps no step is short enough for the tolerance: the shortest one there is is taken. */
static phx_status adaptive_step(dop853 *m, double to)
{
    phx_run *run = m->base.run;
    const double smallest = phx_run_smallest_step(run);

    dop853_settle(m);
    while (true) {
        bool lands;
        double h = landing_step(m, to, &lands), error;
        const bool jump = h <= smallest;
        if (jump && m->jumps >= MOST_JUMPS)
            return too_small(m, h);
        h = lands ? h : fmax(h, smallest);
        const double t1 = lands ? to : run->t + h;
        run->failure.reason = NULL;
        phx_status status = dop853_try_step(m, t1, &error);
        if (!status && (error < 1.0 || (jump && isfinite(error))))
            status = dop853_finish(m, run->t, t1);
        else if (!status)
            status = PHX_REJECTED;
        if (!status) {
            m->h = jump ? GROWTH * smallest : proposed_step(m, h, error);
            m->jumps = error < 1.0 ? 0 : m->jumps + 1;
            m->after_reject = false;
            if (error < 1.0 && is_stiff(m, h))
                return phx_run_stop(run, fail_stiff(m, h));
            return phx_run_accept(run, t1, h);
        }
        if (status < 0 || status == PHX_INTERRUPTED)
            return phx_run_stop(run, status);
        m->h = isfinite(error) ? proposed_step(m, h, error) : DECREASE * h;
        m->after_reject = true;
        run->stats->rejected++;
        m->jumps = jump ? MOST_JUMPS : m->jumps;
    }
}

/* Takes adaptive steps up to the time `to` and samples after each. Stages are not reused across a time at which a
 * signal jumps. */
static phx_status dop853_advance(phx_method *method, double to)
{
    dop853 *m = (dop853 *)method;
    phx_run *run = method->run;
    phx_status status = PHX_OK;

    dop853_settle(m);
    if (m->begun && jumps_at(run, run->t))
        m->begun = false;
    if (m->h == 0.0)
        status = first_step(m, to);
    if (status)
        return phx_run_stop(run, status);
    while (run->t < to && !status) {
        status = adaptive_step(m, to);
        if (!status)
            status = phx_run_sample_step(run);
    }
    return status;
}

/* ---- within a step ---- */
/* With s from 0 to 1 and r = 1 - s
 *     y = y0 + s (y1 - y0 + r (h f0 - (y1 - y0) + s (2 (y1 - y0) - h (f0 + f1) + r (p_0 + s (p_1 + r (p_2 + s
 * p_3)))))), p_k = h sum_j d_kj f_j */
static phx_status dop853_prepare(dop853 *m)
{
    const int n = m->ode->n;
    const double t0 = m->t, t1 = m->t1, h = t1 - t0;
    double **p = m->part;
    phx_status status = PHX_OK;

    for (int i = DOP853_STAGES + 1; i < DOP853_ALL && !status; i++) {
        put_stage(m, h, i, m->stage);
        status = dop853_evaluate(m, stage_time(t0, t1, dop853_c[i]), m->stage, i);
    }
    for (int k = 0; k < n && !status; k++) {
        const double change = m->y1[k] - m->y[k], first = h * m->f[0][k], last = h * m->f[DOP853_STAGES][k];
        p[0][k] = m->y[k];
        p[1][k] = change;
        p[2][k] = first - change;
        p[3][k] = change - last - p[2][k];
        for (int i = 0; i < DOP853_DENSE; i++) {
            double sum = 0.0;
            for (int j = 0; j < DOP853_ALL; j++)
                sum += dop853_d[i][j] * m->f[j][k];
            p[4 + i][k] = h * sum;
        }
    }
    m->interpolates = !status;
    return status;
}

/* Interpolates state, work and ledger at a time t within the last step into the run `into`, by the continuous extension
 * of order 7. Multipliers are those of the end of the step. */
static phx_status look_back(phx_method *method, double t, phx_run *into)
{
    dop853 *m = (dop853 *)method;
    const phx_run *run = method->run;
    const int n = m->ode->n, n_state = m->ode->n_state;
    const double s = (t - m->t) / (m->t1 - m->t), r = 1.0 - s;
    const phx_status status = m->interpolates ? PHX_OK : dop853_prepare(m);
    double *y = m->stage;

    if (status)
        return status;
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int i = POLYNOMIAL - 1; i > 0; i--)
            sum = (m->part[i][k] + sum) * (i % 2 ? s : r);
        y[k] = m->part[0][k] + sum;
    }
    m->ode->ops->normalise(m->ode, y);
    memcpy(into->x, run->x, (size_t)run->dae->n_x * sizeof *into->x);
    memcpy(into->lambda, run->lambda, (size_t)run->dae->n_l * sizeof *into->lambda);
    m->ode->ops->state(m->ode, t, y, into->x, into->v);
    into->work = run->work;
    memcpy(into->ledger, run->ledger, (size_t)run->dae->n_parts * sizeof *into->ledger);
    if (n == n_state)
        return PHX_OK;
    into->work.supplied += y[n_state] - m->y[n_state];
    into->work.dissipated += y[n_state + 1] - m->y[n_state + 1];
    for (int k = 0; k < run->dae->n_parts; k++)
        into->ledger[k] += y[n_state + 2 + k] - m->y[n_state + 2 + k];
    return PHX_OK;
}

/* ---- memory ---- */
static void forget(phx_method *method)
{
    dop853 *m = (dop853 *)method;

    m->t = m->t1 = NAN;
    m->begun = m->interpolates = false;
}

static void dop853_destroy(phx_method *method)
{
    dop853 *m = (dop853 *)method;

    if (m->ode)
        m->ode->ops->destroy(m->ode);
    phx_free(m->memory);
    phx_free(m);
}

/* Divides one allocated block among states, stage derivatives and the parts of the interpolation polynomial. */
static phx_status dop853_allocate(dop853 *m)
{
    const size_t n = (size_t)m->ode->n, arrays = 4 + DOP853_ALL + POLYNOMIAL;
    double *at = m->memory = phx_calloc(m->base.run->context, arrays * n, sizeof *at);

    if (!at)
        return PHX_ERR_MEMORY;
    m->y = at;
    m->y1 = at + n;
    m->stage = at + 2 * n;
    m->behind = at + 3 * n;
    at += 4 * n;
    for (int i = 0; i < DOP853_ALL; i++, at += n)
        m->f[i] = at;
    for (int i = 0; i < POLYNOMIAL; i++, at += n)
        m->part[i] = at;
    return PHX_OK;
}

static const phx_method_ops fixed_ops = {
    .destroy = dop853_destroy, .step = fixed_step, .forget = forget, .look_back = look_back, .ends_at_breaks = true};
static const phx_method_ops adaptive_ops = {
    .destroy = dop853_destroy, .advance = dop853_advance, .forget = forget, .look_back = look_back};

/* Creates the method for a run, adaptive if rtol > 0. Fails for a mechanism without an explicit ordinary differential
 * equation. */
static phx_status create_dop853(phx_run *run, phx_method **method)
{
    const phx_integrate_options *options = &run->options;
    const bool adaptive = options->rtol > 0.0;

    if (!run->dae->ops->ode)
        return phx_fail(run->context, PHX_ERR_UNSUPPORTED,
                        "dop853 takes ordinary differential equations, and this mechanism offers none; use gauss6 or "
                        "radau5");
    dop853 *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    m->base = (phx_method){.ops = adaptive ? &adaptive_ops : &fixed_ops, .run = run};
    m->rtol = options->rtol;
    m->atol = options->atol > 0.0 ? options->atol : DEFAULT_ATOL * options->rtol;
    phx_status status = run->dae->ops->ode(run->dae, &m->ode);
    if (!status)
        status = dop853_allocate(m);
    if (status) {
        dop853_destroy(&m->base);
        return status;
    }
    forget(&m->base);
    *method = &m->base;
    return PHX_OK;
}

const phx_method_kind phx_method_dop853 = {.traits.name = "dop853",
                                           .traits.order = 8,
                                           .traits.work = 2.0,
                                           .traits.of_trees = true,
                                           .traits.chooses = true,
                                           .traits.joints = PHX_KEEPS_EXACTLY,
                                           .create = create_dop853};
