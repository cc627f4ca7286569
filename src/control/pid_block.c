/* pid: e0 the error of the measurement, e1 that of its rate,
 *
 *     u = f - kp e0 - kd e1 + i,     i' = -ki e0 + a (lim(u) - u)        a: anti-windup
 *
 * without a measured rate (e0 - d)/T in place of e1, d' = (e0 - d)/T. States: i where ki > 0, then d where T > 0. */
#include "block.h"

#include <math.h>

static bool integrates(const phx_block *block)
{
    return block->def.ki != 0.0;
}

static bool filters(const phx_block *block)
{
    return block->def.filter > 0.0;
}

/* Checks gains and signals of a PID controller; a derivative needs a measured rate or a filter. Its states are
 * integral and filter, as far as used. */
static phx_status pid_block_begin(phx_context *context, const phx_controller_def *def, phx_block *block)
{
    const double gains[] = {def->filter, def->anti_windup, def->kp, def->ki, def->kd};
    static const char *const names[] = {"filter", "anti_windup", "kp", "ki", "kd"};
    enum { TIMES = 2 }; /* gains may be negative: a wheel turns against its hub */

    for (int k = 0; k < 5; k++)
        if (!isfinite(gains[k]) || (k < TIMES && gains[k] < 0.0))
            return phx_fail(context, PHX_ERR_ARGUMENT, "controller '%s': %s is %g; it must %s", block->name, names[k],
                            gains[k], k < TIMES ? "not be negative" : "be finite");
    if (block->n_outputs != 1 || block->n_inputs < 1 || block->n_inputs > 2)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "controller '%s': %d inputs and %d outputs; a pid has a measurement, its rate and one output",
                        block->name, block->n_inputs, block->n_outputs);
    if (def->kd != 0.0 && block->n_inputs == 1 && !(def->filter > 0.0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "controller '%s': kd needs a measured rate, or `filter`, a time constant for its derivative",
                        block->name);
    block->n = (def->ki != 0.0) + (def->filter > 0.0);
    return PHX_OK;
}

/* Derivative term over an interval or at an instant, and how it changes with e0. */
static double derivative(const phx_block *block, double h, const double *z0, const double *e, double *z1,
                         double *by_error)
{
    const double T = block->def.filter, half = 0.5 * h / T;

    *by_error = 0.0;
    if (!filters(block))
        return block->n_inputs > 1 ? e[1] : 0.0;
    const int at = integrates(block);
    const double mean = (z0[at] + half * e[0]) / (1.0 + half);
    if (z1)
        z1[at] = 2.0 * mean - z0[at];
    *by_error = 1.0 / (T * (1.0 + half));
    return (e[0] - mean) / T;
}

/* Midpoint step of a PID controller; beyond a limit the integral is driven back by the anti-windup gain. */
static phx_status interval(const phx_block *block, phx_context *context, double t, double h, const double *z0,
                           const double *e, const double *f, double *room, phx_block_result *result)
{
    const phx_controller_def *def = &block->def;
    double *z1 = h == 0.0 ? NULL : result->z1, by_error, share = 0.0;
    const double rate = derivative(block, h, z0, e, z1, &by_error);
    double u = f[0] - def->kp * e[0] - def->kd * rate;

    (void)context, (void)t, (void)room;
    if (integrates(block)) {
        const double a = 0.5 * h * def->anti_windup;
        double mean = z0[0] - 0.5 * h * def->ki * e[0];
        bool inside;
        const double limit = phx_block_limited(block, 0, u + mean, &inside);
        if (!inside) /* mean = z0 + h/2 (-ki e + a (limit - u - mean)) */
            mean = (mean + a * (limit - u)) / (1.0 + a);
        share = 0.5 * h * def->ki;
        if (z1)
            z1[0] = 2.0 * mean - z0[0];
        u += mean;
    }
    result->u[0] = u;
    if (result->S) {
        result->S[0] = -def->kp - def->kd * by_error - share;
        if (block->n_inputs > 1)
            result->S[1] = filters(block) ? 0.0 : -def->kd;
    }
    return PHX_OK;
}

/* One sample of a PID controller: its filter by backward, its integral by forward differences. z is advanced, u is not
 * limited yet. */
static phx_status pid_block_sample(const phx_block *block, phx_context *context, double t, double *z, const double *e,
                                   const double *f, double *room, double *u)
{
    const phx_controller_def *def = &block->def;
    double rate = block->n_inputs > 1 ? e[1] : 0.0;

    (void)context, (void)t, (void)room;
    if (filters(block)) {
        double *d = z + integrates(block);
        rate = (e[0] - *d) / (def->filter + def->sample);
        *d += def->sample * rate;
    }
    u[0] = f[0] - def->kp * e[0] - def->kd * rate;
    if (integrates(block)) {
        u[0] += z[0];
        z[0] += def->sample * (def->anti_windup * (phx_block_limited(block, 0, u[0], NULL) - u[0]) - def->ki * e[0]);
    }
    return PHX_OK;
}

/* One sample as matrices, of pid_block_sample: with the filter r = (e0 - d)/(T + sample) for e1. Beyond a limit the
 * anti-windup a drives the integral, i+ = i + sample (-ki e0 - a u). */
static void pid_block_discrete(const phx_block *block, double t, const double *e, bool limited, double *room, double *A,
                               double *B, double *C, double *D)
{
    const phx_controller_def *def = &block->def;
    const int n = block->n, in = block->n_inputs, d = integrates(block);
    const double faster = filters(block) ? 1.0 / (def->filter + def->sample) : 0.0;

    (void)t, (void)e, (void)room;
    D[0] = -def->kp - def->kd * faster;
    if (in > 1 && !filters(block))
        D[1] = -def->kd;
    if (filters(block)) {
        A[d * n + d] = 1.0 - def->sample * faster;
        B[d * in] = def->sample * faster;
        C[d] = def->kd * faster;
    }
    if (integrates(block)) {
        const double unwinding = limited ? def->sample * def->anti_windup : 0.0;
        C[0] = 1.0;
        for (int j = 0; j < n; j++)
            A[j] -= unwinding * C[j];
        for (int j = 0; j < in; j++)
            B[j] -= unwinding * D[j];
        A[0] += 1.0;
        B[0] -= def->sample * def->ki;
    }
}

/* Derivatives of the state rates of a PID controller by state and error, with anti-windup beyond a limit. */
static void pid_block_rates(const phx_block *block, const double *f, const double *z, const double *e, double *A,
                            double *B)
{
    const phx_controller_def *def = &block->def;
    const int n = block->n, in = block->n_inputs, at = integrates(block);
    const double T = def->filter;
    phx_block_result result = {.u = (double[1]){0.0}};
    bool inside = true;

    (void)interval(block, NULL, 0.0, 0.0, z, e, f, NULL, &result);
    (void)phx_block_limited(block, 0, result.u[0], &inside);
    for (int k = 0; k < n * n && A; k++)
        A[k] = 0.0;
    for (int k = 0; k < n * in && B; k++)
        B[k] = 0.0;
    if (integrates(block) && A && B) { /* beyond a limit i' follows -u too */
        const double a = inside ? 0.0 : def->anti_windup;
        A[0] = -a;
        B[0] = -def->ki + a * (def->kp + (filters(block) ? def->kd / T : 0.0));
        if (in > 1 && !filters(block))
            B[1] = a * def->kd;
        if (filters(block))
            A[1] = -a * def->kd / T;
    }
    if (filters(block) && A && B) {
        A[at * n + at] = -1.0 / T;
        B[at * in] = 1.0 / T;
    }
}

static void flow(const phx_block *block, const double *f, const double *z, const double *e, double *z_dot)
{
    const phx_controller_def *def = &block->def;
    phx_block_result result = {.u = (double[1]){0.0}};

    (void)interval(block, NULL, 0.0, 0.0, z, e, f, NULL, &result);
    const double u = result.u[0];
    if (integrates(block))
        z_dot[0] = def->anti_windup * (phx_block_limited(block, 0, u, NULL) - u) - def->ki * e[0];
    if (filters(block))
        z_dot[integrates(block)] = (e[0] - z[integrates(block)]) / def->filter;
}

const phx_block_ops phx_block_pid = {.name = "pid",
                                     .begin = pid_block_begin,
                                     .interval = interval,
                                     .sample = pid_block_sample,
                                     .discrete = pid_block_discrete,
                                     .rates = pid_block_rates,
                                     .flow = flow,
                                     .limits = true};
