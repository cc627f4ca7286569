#include "newton.h"

#include <math.h>
#include <string.h>

/* Slower than SLOW a fresh Jacobian pays; slower than STALLED the iteration does not converge, unless the corrections
 * are rounding: surely below SURE_NOISE of the velocities, never above NOISE, and in between when a fresh Jacobian does
 * not halve them in STALLS corrections. (A reused one may stall there as well, because its own error acts like
 * rounding.) LUCKY rates are not believed, where rounding is near BELIEVED ones are; WILD ones are not forgiven; a
 * CREDIBLE one says that the correction before was right. */
enum { STALLS = 3, PATIENCE = 2 };
#define NOISE_LIMIT 1e-12
static const double SLOW = 0.02, STALLED = 0.5, NOISE = NOISE_LIMIT, SURE_NOISE = PHX_SURE_NOISE;
static const double LUCKY = 1e-2, CREDIBLE = 0.1, WILD = 4.0, BELIEVED = 1e-4;
/* Of the velocity that the forces give 256 DBL_EPSILON may be taken for rounding, and no more: stiffness makes forces
 * of any size, which move nothing. */
static const double ROUNDED = 256.0 * 0x1p-52 / NOISE_LIMIT;
/* Corrections that set the scale of the velocities may be this many times as large as the velocities found. */
static const double FOUND = 16.0;
/* The default tolerance, and the share of a tolerance that may be left after the last correction. */
static const double TO_ROUNDING = 1e-14, LEFT = 0.05;

phx_newton phx_newton_to_rounding(const phx_run *run, double scale)
{
    double asked = run->options.newton_tolerance;
    double tolerance = asked > 0.0 ? asked : TO_ROUNDING;
    return (phx_newton){.tolerance = tolerance,
                        .left = LEFT * tolerance,
                        .scale = scale,
                        .given = scale,
                        .noise_scale = fmax(scale, run->sizes.forced),
                        .forces = run->sizes.forced,
                        .noise = fmax(run->sizes.noise, SURE_NOISE),
                        .patience = PATIENCE,
                        .previous = -1.0};
}

phx_newton phx_newton_to_weights(double tolerance)
{
    return (phx_newton){.tolerance = LEFT * tolerance,
                        .left = tolerance,
                        .scale = 1.0,
                        .noise_scale = 1.0,
                        .patience = PATIENCE,
                        .previous = -1.0};
}

/* The correction did not shrink. */
static phx_newton_verdict judge_stall(phx_newton *newton, double size, bool recent)
{
    double relative = size / newton->noise_scale;
    if (relative <= newton->noise)
        return PHX_NEWTON_ROUNDING;
    if (!(relative <= NOISE)) /* far from the solution a fresh Jacobian may need a few corrections to find its way */
        return newton->forgiven-- > 0 && newton->rate < WILD ? PHX_NEWTON_SLOW : PHX_NEWTON_FAILS;
    if (!recent)
        return PHX_NEWTON_SLOW;
    if (newton->stalls < STALLS)
        return PHX_NEWTON_GOES_ON;
    newton->noise = fmin(4.0 * relative, NOISE);
    return PHX_NEWTON_ROUNDING;
}

static void count_stalls(phx_newton *newton, double size, bool recent)
{
    bool shrinks = newton->smallest == 0.0 || size < STALLED * newton->smallest;
    if (shrinks)
        newton->smallest = size;
    newton->stalls = shrinks || !recent ? 0 : newton->stalls + 1;
}

static bool may_be_rounding(const phx_newton *newton, double size)
{
    return newton->remembers && size <= newton->noise * newton->noise_scale;
}

/* Judges the last correction by its size: converged, at round-off level, too slow, stalled, or to be continued.
 * `recent` means that the Jacobian was computed in this interval. */
phx_newton_verdict phx_newton_judge(phx_newton *newton, double size, bool recent)
{
    double previous = newton->previous;
    newton->previous = size;
    count_stalls(newton, size, recent);
    if (!isfinite(size))
        return PHX_NEWTON_FAILS;
    newton->rounded = may_be_rounding(newton, size);
    if (size <= newton->tolerance * newton->scale)
        return PHX_NEWTON_LAST;
    if (previous < 0.0)
        return PHX_NEWTON_GOES_ON;
    double rate = size / previous, rate_before = newton->rate;
    newton->rate = rate;
    /* From rest the corrections themselves give the scale of the velocities. */
    if (rate < CREDIBLE && newton->noise > 0.0) {
        newton->scale = fmax(newton->scale, previous);
        newton->noise_scale = fmax(newton->noise_scale, previous);
    }
    if (rate > STALLED)
        return judge_stall(newton, size, recent);
    /* Among corrections that may be rounding: what is left of it by this rate, or by that of the one before, which
     * rounding had less of, surely is. */
    const double true_rate = rate_before > 0.0 ? fmin(rate, rate_before) : rate;
    newton->rounded = may_be_rounding(newton, size); /* in the scale that was found */
    if (newton->rounded && fmax(true_rate, BELIEVED) * size <= SURE_NOISE * newton->scale)
        return PHX_NEWTON_LAST;
    /* |error after the correction| <= rate/(1-rate) |correction| */
    double safe_rate = fmax(rate, LUCKY);
    if (safe_rate / (1.0 - safe_rate) * size <= newton->left * newton->scale)
        return PHX_NEWTON_LAST;
    /* Slow on the average of two corrections, and two more, or those that a Jacobian costs, would not reach the
     * tolerance. */
    bool slow = rate > SLOW && (rate_before == 0.0 || rate * rate_before > SLOW * SLOW);
    double left = size;
    for (int k = 0; k < newton->patience; k++)
        left *= rate;
    bool nearly_there = left <= newton->tolerance * newton->scale;
    return slow && !nearly_there ? PHX_NEWTON_SLOW : PHX_NEWTON_GOES_ON;
}

bool phx_newton_confirm(phx_newton *newton, double found)
{
    const double scale = fmax(newton->given, found);
    if (newton->scale <= FOUND * scale)
        return true;
    newton->scale = scale;
    newton->noise_scale = fmax(newton->forces, scale);
    return false;
}

void phx_newton_widen(phx_newton *newton, double forces)
{
    if (isfinite(forces))
        newton->forces = fmax(newton->forces, ROUNDED * forces);
    newton->noise_scale = fmax(newton->noise_scale, newton->forces);
    newton->widened = true;
}

phx_status phx_newton_balance(phx_newton *newton, double forces)
{
    phx_newton_widen(newton, forces);
    newton->balanced = true;
    return PHX_OK;
}

bool phx_jacobian_fits(const phx_jacobian *jacobian, double h)
{
    static const double SAME_STEP = 1e-9; /* relative */

    return jacobian->valid && fabs(jacobian->h - h) <= SAME_STEP * fabs(h);
}

phx_status phx_solve_eliminated(phx_dae *dae, int slot, double cj, const double *a, double *shift, double *b)
{
    int n = dae->n_v + dae->n_l;
    /* A(cj) (dv, dlambda) = b - [K; K_l] a/cj */
    memset(shift, 0, (size_t)n * sizeof *shift);
    dae->ops->stiffness_apply(dae, a, shift);
    for (int i = 0; i < n; i++)
        b[i] -= shift[i] / cj;
    return dae->ops->solve(dae, slot, b);
}
