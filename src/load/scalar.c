/* Forces along one scalar measure: linear and nonlinear springs and dampers, an actuator, end stops, friction. */
#include "load/load.h"

#include <math.h>

/* F = limit [1 + (ratio - 1) exp(-(s/vs)^2)] y, y standing for the sign of v; the speed s with its slope by v */
static phx_friction_force stribeck_force(const phx_friction *friction, double limit, double rate, double speed,
                                         double speed_slope, double y, double y_slope)
{
    const double dip = friction->stribeck > 0.0 ? speed / friction->stribeck : 0.0;
    const double above = friction->stribeck > 0.0 ? (friction->ratio - 1.0) * exp(-dip * dip) : 0.0;
    const double slope = above > 0.0 ? -2.0 * above * dip / friction->stribeck * speed_slope : 0.0;

    return (phx_friction_force){.value = limit * (1.0 + above) * y,
                                .by_rate = limit * (slope * y + (1.0 + above) * y_slope),
                                .by_limit = (1.0 + above) * y,
                                .dissipated = limit * (1.0 + above) * y * rate};
}

/* (F9)  y = tanh(v/vr); loss F v >= 0 */
phx_friction_force phx_friction_evaluate(const phx_friction *friction, double limit, double rate)
{
    const double y = tanh(rate / friction->regularised);
    return stribeck_force(friction, limit, rate, rate, 1.0, y, (1.0 - y * y) / friction->regularised);
}

/* (F9a)  y = direction for as long as it slips in that direction */
phx_friction_force phx_friction_slip(const phx_friction *friction, double limit, double direction, double speed,
                                     double rate)
{
    return stribeck_force(friction, limit, rate, speed, direction, direction, 0.0);
}

static void add_friction(const phx_scalar_force *force, double rate, phx_scalar_result *result)
{
    const phx_friction *friction = &force->friction;
    const double limit = friction->kinetic;
    const phx_friction_force f = force->dry ? phx_friction_slip(friction, limit, force->slip, force->slip_speed, rate)
                                            : phx_friction_evaluate(friction, limit, rate);
    result->force -= f.value;
    result->by_rate -= f.by_rate;
    result->dissipated += f.dissipated;
}

/* `side` +1: the gap is x - lower, -1: upper - x */
static void add_stop(const phx_penalty *stop, double side, double g0, double g1, double rate, phx_scalar_result *result)
{
    const phx_penalty_force f = phx_penalty_evaluate(stop, g0, g1, side * rate);
    result->force += side * f.value;
    result->by_end += f.by_end;
    result->by_rate += f.by_rate;
    result->dissipated += f.dissipated;
}

/* Sum of all forces along a scalar that goes from x0 to x1 with the given rate: spring, damper, laws, actuator, motor,
 * stops and friction, with derivatives by x1 and by the rate. PHX_NOT_CONVERGED if a motor's law is not finite at this
 * rate. */
phx_status phx_scalar_force_evaluate(phx_context *context, const phx_scalar_force *force, double x0, double x1,
                                     double rate, double t, phx_scalar_result *result)
{
    const double effort = phx_signal_value(force->effort, t), mean = 0.5 * (x0 + x1);

    if (!isfinite(effort))
        return phx_fail(context, PHX_ERR_ANALYSIS, "the effort is %g at t = %g s, expected a finite value", effort, t);
    /* (F5)  F = -k (x_mean - rest) - c x' + F(t), and the means of the laws over the stroke */
    *result = (phx_scalar_result){.force = -force->stiffness * (mean - force->rest) - force->damping * rate + effort,
                                  .by_end = -0.5 * force->stiffness,
                                  .by_rate = -force->damping,
                                  .supplied = effort * rate,
                                  .dissipated = force->damping * rate * rate};
    if (force->law) {
        const phx_law_mean_value f = phx_law_mean(force->law, x0 - force->rest, x1 - force->rest);
        result->force -= f.value;
        result->by_end -= f.slope;
    }
    if (force->damper) {
        const double f = phx_signal_value(force->damper, rate);
        result->force -= f;
        result->by_rate -= phx_signal_rate(force->damper, rate);
        result->dissipated += f * rate;
    }
    if (force->motor) {
        const double f = phx_signal_value(force->motor, rate);
        if (!isfinite(f)) /* the rate may be a trial that went astray */
            return phx_fail(context, PHX_NOT_CONVERGED, "the motor gives %g at the rate %g, expected a finite value", f,
                            rate);
        result->force += f;
        result->by_rate += phx_signal_rate(force->motor, rate);
        result->supplied += f * rate;
    }
    if (force->has_lower)
        add_stop(&force->stop, 1.0, x0 - force->lower, x1 - force->lower, rate, result);
    if (force->has_upper)
        add_stop(&force->stop, -1.0, force->upper - x0, force->upper - x1, rate, result);
    if (force->dry ? force->slip != 0.0 : force->friction.regularised > 0.0)
        add_friction(force, rate, result);
    return PHX_OK;
}

double phx_scalar_force_energy(const phx_scalar_force *force, double x)
{
    const double d = x - force->rest;
    double energy = 0.5 * force->stiffness * d * d + phx_law_potential(force->law, d);

    if (force->has_lower)
        energy += phx_penalty_energy(&force->stop, x - force->lower);
    if (force->has_upper)
        energy += phx_penalty_energy(&force->stop, force->upper - x);
    return energy;
}

bool phx_scalar_force_dissipates(const phx_scalar_force *force)
{
    return force->damping != 0.0 || force->damper || force->friction.regularised > 0.0 || force->dry ||
           ((force->has_lower || force->has_upper) && force->stop.damping > 0.0);
}

bool phx_scalar_force_is_linear(const phx_scalar_force *force)
{
    return !force->law && !force->damper && !force->motor && !force->has_lower && !force->has_upper &&
           !(force->friction.regularised > 0.0) && !force->dry;
}

bool phx_scalar_force_is_there(const phx_scalar_force *force)
{
    return force->stiffness > 0.0 || force->damping > 0.0 || force->effort || !phx_scalar_force_is_linear(force);
}

/* ---- checks ---- */
phx_status phx_damper_check(phx_context *context, const phx_signal *damper)
{
    const double *v = NULL, *f = NULL;
    const int n = phx_signal_points(damper, &v, &f);
    double worst = 0.0, at = 0.0;

    for (int i = 0; damper && i < n; i++)
        if (f[i] * v[i] < worst || (v[i] == 0.0 && f[i] != 0.0)) {
            worst = f[i] * v[i];
            at = v[i];
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "a damper gives energy: f = %g at v = %g; f(v) v must not be negative, and f(0) = 0", f[i],
                            at);
        }
    for (int i = 0; damper && n == 0 && i <= 240; i++) { /* 1e-6 ... 1e3 in both directions, and 0 */
        const double size = i == 240 ? 0.0 : pow(10.0, -6.0 + 9.0 * (i / 2) / 119.0), rate = i % 2 ? -size : size;
        const double value = phx_signal_value(damper, rate);
        if (!isfinite(value) || value * rate < 0.0)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "a damper is %g at v = %g; f(v) v must be finite and not negative", value, rate);
    }
    const double still = phx_signal_value(damper, 0.0);
    if (damper && still != 0.0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "a damper is %g at v = 0; it must be 0 there", still);
    return PHX_OK;
}

phx_status phx_penalty_check(phx_context *context, const phx_penalty *penalty)
{
    if (!(penalty->stiffness > 0.0) || !(penalty->damping >= 0.0) || !isfinite(penalty->stiffness + penalty->damping))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "stiffness %g of a contact must be finite and greater than 0, damping %g not less than 0",
                        penalty->stiffness, penalty->damping);
    if (penalty->exponent != 1.0 && penalty->exponent != 1.5)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the exponent of a contact is %g, expected 1 or 1.5",
                        penalty->exponent);
    return PHX_OK;
}

phx_status phx_friction_check(phx_context *context, const phx_friction *friction)
{
    if (!(friction->kinetic >= 0.0) || !(friction->regularised >= 0.0) || !(friction->stribeck >= 0.0) ||
        !isfinite(friction->kinetic + friction->regularised + friction->stribeck + friction->ratio) ||
        (friction->kinetic > 0.0 && friction->ratio < 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "friction %g, ratio of static to kinetic %g, Stribeck's velocity %g, regularising velocity %g: "
                        "all must be finite and not negative, the ratio at least 1",
                        friction->kinetic, friction->ratio, friction->stribeck, friction->regularised);
    return PHX_OK;
}

/* Checks the parameters of all elements along a scalar and that the lower stop lies below the upper one. */
phx_status phx_scalar_force_check(phx_context *context, const phx_scalar_force *force)
{
    if (!(force->stiffness >= 0.0) || !(force->damping >= 0.0) ||
        !isfinite(force->stiffness + force->damping + force->rest))
        return phx_fail(context, PHX_ERR_ARGUMENT, "stiffness %g and damping %g must be finite and not negative",
                        force->stiffness, force->damping);
    phx_status status = phx_damper_check(context, force->damper);
    if (!status && (force->has_lower || force->has_upper))
        status = phx_penalty_check(context, &force->stop);
    if (!status && force->has_lower && force->has_upper && !(force->lower < force->upper))
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "end stops at %g and %g; the lower one must be below the upper one",
                     force->lower, force->upper);
    return status ? status : phx_friction_check(context, &force->friction);
}
