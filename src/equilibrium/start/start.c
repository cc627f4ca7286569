/* The start state: velocities by the smallest change in kinetic energy, the deformation in equilibrium when asked, and
 * the multipliers of the instant. */
#include "deformed.h"
#include "equilibrium/tolerances.h"

#include <math.h>
#include <string.h>

/* One Cholesky factor of K for each flexible body. */
static phx_status factor_stiffness(phx_system *system, phx_cholesky **factor)
{
    phx_status status = PHX_OK;

    for (int b = 0; b < phx_system_bodies(system) && !status; b++) {
        phx_csr K;
        if (phx_body_stiffness(phx_system_body(system, b), &K))
            status = phx_cholesky_create(phx_system_context(system), &K, &factor[b]);
        if (status)
            phx_fail_prefix(phx_system_context(system), status,
                            "body '%s': ", phx_body_name(phx_system_body(system, b)));
    }
    return status;
}

/* q <- q - K^-1 r; returns the largest change over the bodies, relative to the deformation, in the energy norm. */
static phx_status correct_deformation(phx_system *system, phx_cholesky **factor, double *res, double *x, double *change,
                                      int *worst)
{
    const int rigid = phx_system_dim(system) + phx_rotations(phx_system_dim(system));
    phx_status status = PHX_OK;

    *change = 0.0;
    for (int b = 0; b < phx_system_bodies(system) && !status; b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        const int n = phx_body_n_q(placed.body);
        int at;
        (void)phx_body_coordinates(placed.body, &at, NULL);
        double *q = x + placed.x + at, *step = res + placed.v + rigid;
        double moved = 0.0, size = 0.0;
        if (n == 0)
            continue;
        status = phx_cholesky_solve(factor[b], 1, step);
        for (int i = 0; i < n && !status; i++) {
            q[i] -= step[i];
            moved += step[i] * step[i];
            size += q[i] * q[i];
        }
        const double relative = isnan(moved) ? HUGE_VAL : size > 0.0 ? sqrt(moved / size) : 0.0;
        if (relative > *change) {
            *change = relative;
            *worst = b;
        }
    }
    return status;
}

/* Deformation in equilibrium with the inertial and applied loads of the instant: fixed point over
 * joints closed on the deformed bodies -> velocities -> rigid accelerations -> K q = loads. */
static phx_status equilibrium(phx_system *system, double t, double *x, double *v)
{
    static const double SETTLED = 1e-11; /* relative change of the deformation: corrections may end if it grows */
    phx_context *context = phx_system_context(system);
    phx_dae *assembly;
    phx_status status = phx_system_assembly(system, &assembly);
    if (status)
        return status;
    const int n_v = assembly->n_v, n = n_v + assembly->n_l;
    phx_cholesky **factor = phx_calloc(context, (size_t)phx_system_bodies(system), sizeof(phx_cholesky *));
    double *work = phx_calloc(context, (size_t)(2 * n + n_v), sizeof *work);
    double change = HUGE_VAL, best = HUGE_VAL;
    status = factor && work ? factor_stiffness(system, factor) : PHX_ERR_MEMORY;
    int worse = 0, iteration = 0, softest = 0;

    for (; iteration < 200 && !status && change > 0.0 && worse < 6; iteration++) {
        status = phx_system_assemble(system, x);
        if (status == PHX_ERR_ASSEMBLY)
            status = phx_fail_prefix(context, PHX_ERR_ANALYSIS,
                                     "on the deformed bodies, whose rigid motions have to close them (a structure that "
                                     "is statically indeterminate or too soft for its loads: start with deformation: "
                                     "zero), ");
        if (!status)
            status = phx_system_start_velocities(system, t, x, v);
        if (!status)
            status = phx_system_locked_accelerations(assembly, t, x, v, false, work, work + n_v, work + n);
        if (!status)
            status = correct_deformation(system, factor, work + n, x, &change, &softest);
        worse = change < best ? 0 : worse + 1;
        best = fmin(best, change);
        if ((best < SETTLED && worse > 0) || !(change < 1e6))
            break;
    }
    if (!status && !(best < START_SETTLED))
        status =
            phx_fail(context, PHX_ERR_ANALYSIS,
                     "the quasi-static deformation at the start did not converge (last relative change %.2g after %d "
                     "iterations, of body '%s'): the bodies are too soft for their loads; start with deformation: "
                     "zero",
                     change, iteration, phx_body_name(phx_system_body(system, softest)));
    if (!status)
        status = phx_system_assemble(system, x);
    if (!status)
        status = phx_system_start_velocities(system, t, x, v);
    bool stable = true;
    if (!status)
        status = phx_deformed_is_stable(system, t, x, v, work, work + n_v, &stable);
    for (int b = 0; factor && b < phx_system_bodies(system); b++)
        phx_cholesky_destroy(factor[b]);
    phx_free(factor);
    phx_free(work);
    const bool failed = status && status != PHX_ERR_MEMORY && status != PHX_INTERRUPTED;
    if (!status && stable)
        return PHX_OK;
    /* unstable, or bodies that must deform to be closed or bend too much for this iteration */
    if (!stable || (failed && phx_deformed_fits(system)))
        return phx_deformed_start(system, t, x, v);
    if (failed && status != PHX_ERR_ANALYSIS) { /* numbers that are none, joints that do not close on such bodies */
        char *reason = phx_strdup(NULL, phx_context_message(context));
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "the quasi-static deformation at the start did not converge after %d iterations, and %d "
                          "velocities are too many for a load path (%s); take fewer elements, or start with "
                          "deformation: zero",
                          iteration, n_v, reason ? reason : "");
        phx_free(reason);
    }
    return status;
}

/* The mechanism at rest in equilibrium, then with the velocities that are given. */
static phx_status move_to_equilibrium(phx_system *system, const phx_start_options *start, double *x, double *v)
{
    phx_static_options options = phx_static_options_default();
    phx_static_report report;
    phx_dae *dae = NULL;
    phx_status status = phx_system_dae_with(system, phx_system_context(system), PHX_BACKEND_PLAIN, &dae);
    double *lambda = status ? NULL : phx_calloc(phx_system_context(system), (size_t)dae->n_l, sizeof *lambda);

    options.t = start->t;
    options.stability = start->stability;
    if (!status)
        status = lambda ? phx_system_static(dae, &options, x, lambda, &report) : PHX_ERR_MEMORY;
    if (!status && report.judged && report.unstable > 0)
        phx_log(
            phx_system_context(system), PHX_LOG_WARNING,
            "the equilibrium that the run starts from is unstable: %d motion%s grow%s, the fastest by exp(%.3g t)%s",
            report.unstable, report.unstable == 1 ? "" : "s", report.unstable == 1 ? "s" : "", report.motions.growth,
            report.motions.fluttering > 0 ? " (flutter)" : "");
    else if (!status && report.unstable > 0)
        phx_log(phx_system_context(system), PHX_LOG_WARNING,
                "the equilibrium that the run starts from is unstable in %d direction%s%s", report.unstable,
                report.unstable == 1 ? "" : "s",
                report.circulatory ? " by its stiffness, which is not conclusive: a load has no potential, or a "
                                     "sampled controller has no linear model"
                                   : "; the least motion leaves it");
    if (!status)
        status = phx_system_start_velocities(system, start->t, x, v);
    phx_free(lambda);
    phx_system_dae_destroy(dae);
    return status;
}

/* lambda (NULL: not asked for) at x and v. */
static phx_status start_multipliers(phx_system *system, double t, const double *x, const double *v, double *lambda)
{
    phx_dae *dae = NULL;
    phx_status status = lambda ? phx_system_dae(system, phx_system_context(system), &dae) : PHX_OK;
    double *v_dot =
        dae && !status ? phx_calloc(phx_system_context(system), (size_t)phx_system_n_v(system), sizeof *v_dot) : NULL;

    if (!status && lambda)
        status = v_dot ? dae->ops->accelerations(dae, t, x, v, v_dot, lambda) : PHX_ERR_MEMORY;
    if (status == PHX_SINGULAR)
        status =
            phx_fail_prefix(phx_system_context(system), PHX_ERR_ANALYSIS, "the start is a singular configuration: ");
    phx_free(v_dot);
    phx_system_dae_destroy(dae);
    return status;
}

phx_status phx_system_start_again(phx_system *system, double t, double *x, double *v, double *lambda)
{
    phx_status status = phx_system_start_velocities(system, t, x, v);
    if (!status)
        status = phx_system_hold_start(system, t, x, v);
    return status ? status : start_multipliers(system, t, x, v, lambda);
}

/* Computes the start state at options->t: assembled positions, velocities of least change, optionally an equilibrium or
 * quasi-static deformation, and multipliers. lambda may be NULL. */
phx_status phx_system_start(phx_system *system, const phx_start_options *options, double *x, double *v, double *lambda)
{
    if (!system || !x || !v)
        return phx_fail_null(phx_system_context(system), __func__, "system, x or v");
    phx_context *context = phx_system_context(system);
    const double t = options ? options->t : 0.0;

    if (!phx_system_assembled(system))
        return phx_fail(context, PHX_ERR_ARGUMENT, "the system must be finalised first");
    memcpy(x, phx_system_assembled(system), (size_t)phx_system_n_x(system) * sizeof *x);
    phx_status status = phx_system_start_velocities(system, t, x, v);
    if (!status)
        status = phx_system_hold_start(system, t, x, v);
    if (!status && options && options->equilibrium)
        status = move_to_equilibrium(system, options, x, v);
    const bool deforms = options && options->quasi_static && !options->equilibrium;
    if (!status && deforms)
        status = phx_system_check_floating(context, system, "quasi-static start", "start with deformation: zero");
    if (!status && deforms)
        status = equilibrium(system, t, x, v);
    if (!status && options && (deforms || options->equilibrium))
        status = phx_system_hold_start(system, t, x, v);
    phx_system_end_assembly(system);
    if (!lambda)
        return status;
    if (!status)
        status = start_multipliers(system, t, x, v, lambda);
    return phx_conclude(context, status);
}
