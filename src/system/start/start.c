/* The start state: velocities by the smallest change in kinetic energy, the deformation in equilibrium when asked, and
 * the multipliers of the instant. */
#include "system/system_internal.h"
#include "system/tolerances.h"

#include <math.h>
#include <string.h>

/* One Cholesky factor of K for each flexible body. */
static phx_status factor_stiffness(phx_system *system, phx_cholesky **factor)
{
    phx_status status = PHX_OK;

    for (int b = 0; b < system->n_bodies && !status; b++) {
        phx_csr K;
        if (phx_body_stiffness(system->bodies[b].body, &K))
            status = phx_cholesky_create(system->context, &K, &factor[b]);
        if (status)
            phx_fail_prefix(system->context, status, "body '%s': ", phx_body_name(system->bodies[b].body));
    }
    return status;
}

/* q <- q - K^-1 r; returns the largest change over the bodies, relative to the deformation, in the energy norm. */
static phx_status correct_deformation(phx_system *system, phx_cholesky **factor, double *res, double *x, double *change,
                                      int *worst)
{
    const int rigid = system->dim + system->n_rot;
    phx_status status = PHX_OK;

    *change = 0.0;
    for (int b = 0; b < system->n_bodies && !status; b++) {
        const body_slot *slot = &system->bodies[b];
        const int n = phx_body_n_q(slot->body);
        int at;
        (void)phx_body_coordinates(slot->body, &at, NULL);
        double *q = x + slot->x + at, *step = res + slot->v + rigid;
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
    phx_context *context = system->context;
    workspace *ws = system->start.assembly;
    phx_cholesky **factor = phx_calloc(context, (size_t)system->n_bodies, sizeof(phx_cholesky *));
    double *work = phx_calloc(context, (size_t)(2 * ws->kkt.n + system->n_v), sizeof *work);
    double change = HUGE_VAL, best = HUGE_VAL;
    phx_status status = factor && work ? factor_stiffness(system, factor) : PHX_ERR_MEMORY;
    int worse = 0, iteration = 0, softest = 0;

    for (; iteration < 200 && !status && change > 0.0 && worse < 6; iteration++) {
        status = phx_sys_assemble(system, x);
        if (status == PHX_ERR_ASSEMBLY)
            status = phx_fail_prefix(context, PHX_ERR_ANALYSIS,
                                     "on the deformed bodies, whose rigid motions have to close them (a structure that "
                                     "is statically indeterminate or too soft for its loads: start with deformation: "
                                     "zero), ");
        if (!status)
            status = phx_sys_start_velocities(system, t, x, v);
        if (!status)
            status = phx_sys_locked_accelerations(ws, t, x, v, false, work, work + system->n_v, work + ws->kkt.n);
        if (!status)
            status = correct_deformation(system, factor, work + ws->kkt.n, x, &change, &softest);
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
                     change, iteration, phx_body_name(system->bodies[softest].body));
    if (!status)
        status = phx_sys_assemble(system, x);
    if (!status)
        status = phx_sys_start_velocities(system, t, x, v);
    bool stable = true;
    if (!status)
        status = phx_sys_stable(system, t, x, v, work, work + system->n_v, &stable);
    for (int b = 0; factor && b < system->n_bodies; b++)
        phx_cholesky_destroy(factor[b]);
    phx_free(factor);
    phx_free(work);
    const bool failed = status && status != PHX_ERR_MEMORY && status != PHX_INTERRUPTED;
    if (!status && stable)
        return PHX_OK;
    /* unstable, or bodies that must deform to be closed or bend too much for this iteration */
    if (!stable || (failed && phx_sys_deformed_fits(system)))
        return phx_sys_deformed_start(system, t, x, v);
    if (failed && status != PHX_ERR_ANALYSIS) { /* numbers that are none, joints that do not close on such bodies */
        char *reason = phx_strdup(NULL, phx_context_message(context));
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "the quasi-static deformation at the start did not converge after %d iterations, and %d "
                          "velocities are too many for a load path (%s); take fewer elements, or start with "
                          "deformation: zero",
                          iteration, system->n_v, reason ? reason : "");
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
    phx_status status = phx_system_dae_with(system, system->context, PHX_BACKEND_PLAIN, &dae);
    double *lambda = status ? NULL : phx_calloc(system->context, (size_t)dae->n_l, sizeof *lambda);

    options.t = start->t;
    options.stability = start->stability;
    if (!status)
        status = lambda ? phx_system_static(dae, &options, x, lambda, &report) : PHX_ERR_MEMORY;
    if (!status && report.judged && report.unstable > 0)
        phx_log(
            system->context, PHX_LOG_WARNING,
            "the equilibrium that the run starts from is unstable: %d motion%s grow%s, the fastest by exp(%.3g t)%s",
            report.unstable, report.unstable == 1 ? "" : "s", report.unstable == 1 ? "s" : "", report.motions.growth,
            report.motions.fluttering > 0 ? " (flutter)" : "");
    else if (!status && report.unstable > 0)
        phx_log(system->context, PHX_LOG_WARNING,
                "the equilibrium that the run starts from is unstable in %d direction%s%s", report.unstable,
                report.unstable == 1 ? "" : "s",
                report.circulatory ? " by its stiffness, which is not conclusive: a load has no potential, or a "
                                     "controller is sampled"
                                   : "; the least motion leaves it");
    if (!status)
        status = phx_sys_start_velocities(system, start->t, x, v);
    phx_free(lambda);
    phx_system_dae_destroy(dae);
    return status;
}

/* lambda (NULL: not asked for) at x and v. */
static phx_status start_multipliers(phx_system *system, double t, const double *x, const double *v, double *lambda)
{
    phx_dae *dae = NULL;
    phx_status status = lambda ? phx_system_dae(system, system->context, &dae) : PHX_OK;
    double *v_dot = dae && !status ? phx_calloc(system->context, (size_t)system->n_v, sizeof *v_dot) : NULL;

    if (!status && lambda)
        status = v_dot ? dae->ops->accelerations(dae, t, x, v, v_dot, lambda) : PHX_ERR_MEMORY;
    if (status == PHX_SINGULAR)
        status = phx_fail_prefix(system->context, PHX_ERR_ANALYSIS, "the start is a singular configuration: ");
    phx_free(v_dot);
    phx_system_dae_destroy(dae);
    return status;
}

phx_status phx_system_start_again(phx_system *system, double t, double *x, double *v, double *lambda)
{
    phx_status status = phx_sys_need_assembly(system);
    if (!status)
        status = phx_sys_start_velocities(system, t, x, v);
    if (!status)
        status = phx_sys_hold_start(system, t, x, v);
    return status ? status : start_multipliers(system, t, x, v, lambda);
}

void phx_system_starts_once(phx_system *system)
{
    system->start.once = true;
}

/* Computes the start state at options->t: assembled positions, velocities of least change, optionally an equilibrium or
 * quasi-static deformation, and multipliers. lambda may be NULL. */
phx_status phx_system_start(phx_system *system, const phx_start_options *options, double *x, double *v, double *lambda)
{
    if (!system || !x || !v)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, x or v");
    const double t = options ? options->t : 0.0;

    if (!system->building.finalised)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "the system must be finalised first");
    memcpy(x, system->start.x, (size_t)system->n_x * sizeof *x);
    phx_status status = phx_sys_need_assembly(system);
    if (!status)
        status = phx_sys_start_velocities(system, t, x, v);
    if (!status)
        status = phx_sys_hold_start(system, t, x, v);
    if (!status && options && options->equilibrium)
        status = move_to_equilibrium(system, options, x, v);
    const bool deforms = options && options->quasi_static && !options->equilibrium;
    if (!status && deforms)
        status = phx_sys_check_floating(system->context, system, "quasi-static start", "start with deformation: zero");
    if (!status && deforms)
        status = equilibrium(system, t, x, v);
    if (!status && options && (deforms || options->equilibrium))
        status = phx_sys_hold_start(system, t, x, v);
    if (system->start.once) {
        phx_sys_workspace_destroy(system->start.assembly);
        system->start.assembly = NULL;
    }
    if (!lambda)
        return status;
    if (!status)
        status = start_multipliers(system, t, x, v, lambda);
    return phx_conclude(system->context, status);
}
