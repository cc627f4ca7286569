/* Set-valued friction along coordinates of joints: what it does at an instant, and what it is told to do. */
#include "system/system_internal.h"

#include <string.h>

/* Number k of the coordinates that have it; NULL: there are less. */
static coordinate_slot *dry_coordinate(const phx_system *system, int k, int *j, int *c)
{
    for (*j = 0; *j < system->n_joints; (*j)++)
        for (*c = 0; *c < system->joints[*j].n_coordinates; (*c)++)
            if (system->joints[*j].coordinates[*c].stick_row >= 0 && k-- == 0)
                return &system->joints[*j].coordinates[*c];
    return NULL;
}

int phx_system_dry_count(const phx_system *system)
{
    int count = 0, j, c;

    while (system && dry_coordinate(system, count, &j, &c))
        count++;
    return count;
}

int phx_system_dry_entry(const phx_system *system, int k)
{
    int j, c;
    return dry_coordinate(system, k, &j, &c) ? system->joints[j].entry[1] : -1;
}

const char *phx_system_dry_joint(const phx_system *system, int k)
{
    int j, c;
    return dry_coordinate(system, k, &j, &c) ? system->joints[j].name : "";
}

void phx_sys_pull_back_row(workspace *ws, const joint_slot *joint, const double *g, double *out)
{
    const phx_port_id ends[2] = {joint->a, joint->b};
    double *own = ws->scratch.block;

    memset(out, 0, (size_t)ws->kkt.n * sizeof *out);
    for (int side = 0; side < 2; side++) {
        const int n = ws->ports.count[ends[side]], *cols = ws->ports.cols + ws->ports.first[ends[side]];
        memset(own, 0, (size_t)n * sizeof *own);
        phx_sys_pull(ws, ends[side], g + side * PHX_PORT_MAX, own);
        for (int i = 0; i < n; i++)
            out[cols[i]] += own[i];
    }
}

double phx_sys_rate_of_rate(workspace *ws, const joint_slot *joint, const phx_row *row, const double *g,
                            const double *v_dot)
{
    double *along = ws->scratch.vector[1];

    phx_sys_pull_back_row(ws, joint, g, along);
    return phx_sys_dot(ws->system->n_v, along, v_dot) +
           phx_sys_row_bias(ws, row, (phx_port_id[2]){joint->a, joint->b}, g);
}

/* The acceleration of a coordinate of covectors g, and what a unit of force along it adds. */
static phx_status find_mobility(workspace *ws, const joint_slot *joint, const phx_row *row, const double *g,
                                const double *v_dot, phx_dry_friction *out)
{
    double *along = ws->scratch.vector[1], *moved = ws->scratch.vector[2];

    out->acceleration = phx_sys_rate_of_rate(ws, joint, row, g, v_dot);
    phx_sys_pull_back_row(ws, joint, g, along);
    memcpy(moved, along, (size_t)ws->kkt.n * sizeof *moved);
    const phx_status status = ws->by->solve_mass(ws, moved);
    out->mobility = phx_sys_dot(ws->system->n_v, along, moved);
    return status;
}

static phx_status look_at(workspace *ws, int j, int c, const double *v_dot, phx_dry_friction *out)
{
    const joint_slot *joint = &ws->system->joints[j];
    const coordinate_slot *coordinate = &joint->coordinates[c];
    const phx_port_view *a = &ws->ports.view[joint->a], *b = &ws->ports.view[joint->b];
    const int size = phx_port_size(ws->system->dim);
    double g[PAIR_SIZE];

    phx_row_covectors(&coordinate->row, a, b, g, g + PHX_PORT_MAX);
    *out = (phx_dry_friction){.joint = j,
                              .coordinate = c,
                              .slip = coordinate->slip,
                              .sticks = ws->system->rows[coordinate->stick_row].role == ROW_DRIVEN,
                              .rate = phx_sys_dot(size, g, a->rate) + phx_sys_dot(size, g + PHX_PORT_MAX, b->rate),
                              .force = ws->reactions.all[coordinate->stick_row],
                              .limit = coordinate->def.friction.ratio * phx_sys_friction_limit(ws, joint, coordinate)};
    return out->sticks ? PHX_OK : find_mobility(ws, joint, &coordinate->row, g, v_dot, out);
}

phx_status phx_system_dry_frictions(phx_dae *dae, double t, const double *x, const double *v,
                                    phx_dry_friction *friction)
{
    if (!dae || !x || !v || !friction)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v or friction");
    workspace *ws = (workspace *)dae;
    double *v_dot = ws->step.v1, *lambda = ws->scratch.multipliers;
    int j, c;

    phx_status status = phx_sys_op_accelerations(dae, t, x, v, v_dot, lambda);
    if (!status) {
        phx_sys_set_instant(ws, x, v);
        status = phx_sys_all_multipliers(ws, lambda, ws->reactions.all);
    }
    for (int k = 0; !status && dry_coordinate(ws->system, k, &j, &c); k++)
        status = look_at(ws, j, c, v_dot, &friction[k]);
    return phx_conclude(dae->context, status);
}

phx_status phx_system_slip(phx_system *system, int k, bool sticks, int slip)
{
    if (!system)
        return phx_fail_null(NULL, __func__, "system");
    int j, c;
    coordinate_slot *coordinate = k < 0 ? NULL : dry_coordinate(system, k, &j, &c);

    if (!coordinate || !system->finalised || slip < -1 || slip > 1 || (sticks && slip != 0))
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "set-valued friction %d, direction %d: there are %d in the finalised system, and the direction "
                        "is +-1, or 0 where it sticks",
                        k, slip, phx_system_dry_count(system));
    coordinate->slip = slip;
    system->rows[coordinate->stick_row].role = sticks ? ROW_DRIVEN : ROW_INACTIVE;
    return phx_conclude(system->context, PHX_OK);
}
