/* Velocities of the start, of least change in kinetic energy, and accelerations of the rigid motions alone. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

static const double SAME_RATE = 1e-9; /* relative: rates given twice, rates and what the joints allow */
static const double SLOWEST = 1e-9;   /* scale of rates that are all smaller */

/* Velocities of the poses, inertial, into body components; zero deformation rates. */
static void write_velocities(const phx_system *system, const double *x, double *v)
{
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_rigid_velocities(slot->body, x + slot->x, slot->pose.linear, slot->pose.angular, v + slot->v);
    }
}

/* Rows that act on velocities at the start: all but coordinates without a given rate. */
static bool rate_given(const phx_system *system, const row_slot *slot)
{
    return phx_sys_acts(slot) ||
           (slot->role == ROW_HELD && system->joints[slot->joint].coordinates[slot->coordinate].def.has_rate);
}

/* Fails if the rates given at the start leave a row with a residual above the tolerance; names the worst joint. */
static phx_status contradiction(const workspace *ws, double tolerance)
{
    const phx_system *system = ws->system;
    const char *name = "";
    double worst = 0.0;

    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &system->rows.slot[ws->rows.index[k]];
        const double e = fabs(phx_system_row_rate(&ws->base, k) - ws->rows.w[k]);
        if (rate_given(system, slot) && (e > worst || isnan(e))) {
            worst = e;
            name = system->joints[slot->joint].name;
        }
    }
    if (worst <= tolerance)
        return PHX_OK;
    return phx_fail(system->context, PHX_ERR_ASSEMBLY,
                    "the rates given at the start contradict the joints: joint '%s' is left with %.3g m/s or rad/s; "
                    "give fewer of rate and speed",
                    name, worst);
}

/* A rate given beside a prescribed one must be that one. */
static phx_status check_rates(const phx_system *system, double t)
{
    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            const phx_coordinate_def *def = &system->joints[j].coordinates[c].def;
            const double speed = phx_signal_value(def->speed, t);
            if (def->speed && !isfinite(speed))
                return phx_fail(system->context, PHX_ERR_ASSEMBLY, "joint '%s': the speed is %g at t = %g s",
                                system->joints[j].name, speed, t);
            if (def->speed && def->has_rate &&
                !(fabs(def->rate - speed) <= SAME_RATE * (fabs(speed) + fabs(def->rate))))
                return phx_fail(system->context, PHX_ERR_ASSEMBLY,
                                "joint '%s': the rate %g contradicts the speed, which is %g at t = %g s; leave it out",
                                system->joints[j].name, def->rate, speed, t);
        }
    return PHX_OK;
}

/* min (v - v0)^T M (v - v0) with G v = w: v += M^-1 G^T mu; repeated, so that agreeing redundant rows converge. */
phx_status phx_system_start_velocities(phx_system *system, double t, const double *x, double *v)
{
    phx_status status = phx_sys_need_assembly(system);

    if (!status)
        status = check_rates(system, t);
    if (status)
        return status;
    workspace *ws = system->start.assembly;
    double *rhs = ws->scratch.vector[0], scale = 0.0;
    bool *on = ws->rows.on;
    write_velocities(system, x, v);
    for (int k = 0; k < ws->rows.n; k++)
        on[k] = rate_given(system, &system->rows.slot[ws->rows.index[k]]);
    for (int pass = 0; pass < 6 && !status; pass++) {
        phx_sys_set_instant(ws, x, v);
        ws->by->rows(ws, t, 0.0);
        memset(rhs, 0, (size_t)ws->kkt.n * sizeof *rhs);
        for (int k = 0; k < ws->rows.n; k++) {
            rhs[system->n_v + k] = on[k] ? ws->rows.w[k] - phx_system_row_rate(&ws->base, k) : 0.0;
            scale = fmax(scale, phx_system_row_scale(&ws->base, k));
        }
        if (pass == 0)
            status = phx_sys_factor_rigid(ws, x, on);
        if (!status)
            status = phx_sys_solve_rigid(ws, rhs);
        for (int i = 0; i < system->n_v && !status; i++)
            v[i] += rhs[i];
    }
    if (!status) {
        phx_sys_set_instant(ws, x, v);
        ws->by->rows(ws, t, 0.0);
        status = contradiction(ws, SAME_RATE * fmax(scale, SLOWEST));
    }
    return status;
}

static bool start_is_zero(int n, const double *values)
{
    for (int i = 0; i < n; i++)
        if (values[i] != 0.0)
            return false;
    return true;
}

/* Rigid accelerations and multipliers at an instant with the deformations held; drives follow their signals or are
 * locked. The solution with the rigid matrix is refined by repetition; res receives the remaining residual. */
phx_status phx_system_locked_accelerations(phx_dae *dae, double t, const double *x, const double *v, bool drives_locked,
                                           double *a, double *lambda, double *res)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    const int n_v = system->n_v;
    double *rhs = ws->scratch.vector[1];
    bool *on = ws->rows.on;
    phx_status status = PHX_OK;

    memset(a, 0, (size_t)n_v * sizeof *a);
    memset(lambda, 0, (size_t)ws->rows.n * sizeof *lambda);
    for (int pass = 0; pass < 4 && !status; pass++) {
        status = phx_sys_ops.residual(&ws->base, t, x, v, a, lambda, res);
        for (int i = 0; i < n_v && !status; i++)
            rhs[i] = -res[i];
        for (int b = 0; b < system->n_bodies && !status; b++) {
            const body_slot *slot = &system->bodies[b];
            int q_v, n_q = phx_body_coordinates(slot->body, NULL, &q_v);
            memset(rhs + slot->v + q_v, 0, (size_t)n_q * sizeof *rhs);
        }
        for (int k = 0; k < ws->rows.n && !status; k++) {
            const row_slot *slot = &system->rows.slot[ws->rows.index[k]];
            const joint_slot *joint = &system->joints[slot->joint];
            on[k] = phx_sys_acts(slot);
            rhs[n_v + k] = slot->role == ROW_DRIVEN && !drives_locked
                               ? phx_signal_rate(joint->coordinates[slot->coordinate].def.speed, t)
                               : 0.0;
            rhs[n_v + k] = on[k] ? rhs[n_v + k] - phx_sys_row_acceleration(ws, k) : 0.0;
        }
        if (!status) { /* what the accelerations so far already give: G a, by the rates that a would be */
            phx_sys_set_instant(ws, x, a);
            for (int k = 0; k < ws->rows.n; k++)
                rhs[n_v + k] -= on[k] ? phx_system_row_rate(&ws->base, k) : 0.0;
            if (start_is_zero(ws->kkt.n, rhs)) /* no load, no motion: nothing accelerates, and nothing holds */
                break;
            if (pass == 0)
                status = phx_sys_factor_rigid(ws, x, on);
        }
        if (!status)
            status = phx_sys_solve_rigid(ws, rhs);
        for (int i = 0; i < n_v && !status; i++)
            a[i] += rhs[i];
        for (int k = 0; k < ws->rows.n && !status; k++)
            lambda[k] += rhs[n_v + k];
    }
    if (!status)
        status = phx_sys_ops.residual(&ws->base, t, x, v, a, lambda, res);
    return status;
}
