/* Coordinates that are prescribed, and what prescribes them exerts: inverse dynamics. */
#include "channels.h"

/* The k-th drive: false, there is none. */
static bool drives_find(const phx_system *system, int k, phx_drive *drive)
{
    for (int j = 0; j < system->n_joints; j++) {
        const joint_slot *joint = &system->joints[j];
        for (int c = 0; c < joint->n_coordinates; c++) {
            if (joint->coordinates[c].driven_row < 0 || k-- > 0)
                continue;
            *drive = (phx_drive){
                .joint = j, .coordinate = c, .of = joint->n_coordinates, .angular = joint->coordinates[c].row.angular};
            return true;
        }
    }
    return false;
}

int phx_system_drives(const phx_system *system)
{
    phx_drive drive;
    int n = 0;

    while (system && drives_find(system, n, &drive))
        n++;
    return n;
}

phx_drive phx_system_drive(const phx_system *system, int k)
{
    phx_drive drive = {.joint = -1};

    if (system && k >= 0)
        drives_find(system, k, &drive);
    return drive;
}

/* Effort, coordinate and rate of every drive at a state, PHX_DRIVE_VALUES numbers each: inverse dynamics. */
phx_status phx_system_drive_values(phx_dae *dae, double t, const double *x, const double *v, double *values)
{
    if (!dae || !x || !v || !values)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v or values");
    workspace *ws = (workspace *)dae;
    double *lambda = ws->scratch.multipliers, *all = ws->reactions.all;
    phx_drive drive;
    phx_status status = phx_sys_op_accelerations(dae, t, x, v, ws->step.v1, lambda);

    if (!status) {
        phx_sys_set_instant(ws, x, v);
        status = phx_sys_all_multipliers(ws, lambda, all);
    }
    for (int k = 0; !status && drives_find(ws->system, k, &drive); k++, values += PHX_DRIVE_VALUES) {
        const int row = ws->system->joints[drive.joint].coordinates[drive.coordinate].driven_row;
        values[PHX_DRIVE_EFFORT] = all[row];
        values[PHX_DRIVE_COORDINATE] = phx_sys_coordinate_value(ws, drive.joint, drive.coordinate, 1);
        values[PHX_DRIVE_RATE] = phx_sys_coordinate_rate(ws, drive.joint, drive.coordinate);
    }
    return phx_conclude(dae->context, status);
}
