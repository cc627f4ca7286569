/* A state made with other joints, put on those of the system. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

/* Gaps and rates that a run leaves open, of the size and the fastest velocity: a state on the joints is not touched. */
static const double ON_THE_JOINTS = 1e-6;

static double rotation_between(int dim, const double *from, const double *to)
{
    double R0[9], R1[9], Q[9], turn[3] = {0.0};

    phx_attitude_rotation(dim, from, R0);
    phx_attitude_rotation(dim, to, R1);
    if (dim == 2)
        return fabs(atan2(R0[0] * R1[2] - R0[2] * R1[0], R0[0] * R1[0] + R0[2] * R1[2]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] = R0[i] * R1[j] + R0[3 + i] * R1[3 + j] + R0[6 + i] * R1[6 + j];
    phx_rot_to_vector(Q, turn);
    return hypot(hypot(turn[0], turn[1]), turn[2]);
}

/* The body whose frame has moved most, lengths against `size`. */
static void find_largest_move(const phx_system *system, const double *x0, const double *x1, double size,
                              phx_continued *change)
{
    double worst = -1.0;

    for (int b = 0; b < system->n_bodies; b++) {
        const int at = system->bodies[b].x;
        const double angle = rotation_between(system->dim, x0 + at + system->dim, x1 + at + system->dim);
        double distance = 0.0;
        for (int a = 0; a < system->dim; a++)
            distance = hypot(distance, x1[at + a] - x0[at + a]);
        if (distance / size + angle > worst) {
            worst = distance / size + angle;
            change->body = b;
            change->distance = distance;
            change->angle = angle;
        }
    }
}

/* Whether a motion is not where its signal is. */
static bool off_its_signal(const phx_system *system, double t)
{
    const workspace *ws = system->start.assembly;

    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            const coordinate_slot *coordinate = &system->joints[j].coordinates[c];
            const phx_signal *motion = phx_signal_primitive(coordinate->def.speed);
            const double off = motion ? phx_sys_coordinate_value(ws, j, c, 1) - phx_signal_value(motion, t) : 0.0;
            if (fabs(coordinate->row.angular ? remainder(off, 2.0 * 3.14159265358979323846) : off) > ON_THE_JOINTS)
                return true;
        }
    return false;
}

/* Reassembles x if its joints are open or a drive is off its signal; *change records the largest move. Otherwise x is
 * unchanged. */
static phx_status close_positions(phx_system *system, double t, double *x, phx_continued *change)
{
    workspace *ws = system->start.assembly;
    double *before = NULL;

    memset(ws->step.vm, 0, (size_t)system->n_v * sizeof *ws->step.vm);
    const bool open = !(phx_sys_assembly_residual(ws, x, false, NULL) <= ON_THE_JOINTS);
    if (!open && !off_its_signal(system, t))
        return PHX_OK;
    const double size = phx_system_size(&ws->base);
    before = phx_calloc(system->context, (size_t)system->n_x, sizeof *before);
    if (!before)
        return PHX_ERR_MEMORY;
    memcpy(before, x, (size_t)system->n_x * sizeof *x);
    const phx_status status = phx_sys_assemble_from(system, t, x);
    change->closed = true;
    if (!status)
        find_largest_move(system, before, x, size, change);
    phx_free(before);
    return status;
}

/* Makes a state that was computed with other joints consistent with the present ones: positions by assembly, then
 * velocities by an impulse, whose work is recorded in *change. */
phx_status phx_system_continue(phx_dae *dae, double t, double *x, double *v, phx_continued *change)
{
    if (!dae || !x || !v || !change)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v or change");
    workspace *ws = (workspace *)dae;
    phx_system *system = ws->system;
    phx_work work = {0.0, 0.0};
    double position, rate;
    phx_sizes sizes;

    *change = (phx_continued){.body = PHX_GROUND};
    phx_status status = phx_sys_need_assembly(system);
    if (!status)
        status = close_positions(system, t, x, change);
    if (status)
        return phx_conclude(dae->context, status);
    phx_system_sizes(system, x, v, &sizes);
    phx_system_drift(dae, t, x, v, &position, &rate);
    if (!change->closed && !(rate > ON_THE_JOINTS * fmax(sizes.speed, ON_THE_JOINTS)))
        return phx_conclude(dae->context, PHX_OK);
    status = phx_sys_impulse(ws, t, x, v, &work);
    change->supplied = work.supplied;
    change->lost = work.dissipated;
    return phx_conclude(dae->context, status);
}
