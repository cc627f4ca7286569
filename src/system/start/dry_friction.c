/* Set-valued friction along coordinates of joints: what it does at an instant, with rigid contacts, whose reactions it
 * needs, and what it is told to do. */
#include "system/system_internal.h"

#include <string.h>

/* The next coordinate that has it, after number c of joint j; NULL: there is none. Begins with j = 0, c = -1. */
static coordinate_slot *next_dry(const phx_system *system, int *j, int *c)
{
    for ((*c)++; *j < system->n_joints; (*j)++, *c = 0)
        for (; *c < system->joints[*j].n_coordinates; (*c)++)
            if (system->joints[*j].coordinates[*c].stick_row >= 0)
                return &system->joints[*j].coordinates[*c];
    return NULL;
}

/* Number k of them; NULL: there are less. */
static coordinate_slot *dry_coordinate(const phx_system *system, int k, int *j)
{
    int c = -1;
    coordinate_slot *coordinate;

    *j = 0;
    do
        coordinate = next_dry(system, j, &c);
    while (coordinate && k-- > 0);
    return coordinate;
}

int phx_system_dry_count(const phx_system *system)
{
    int count = 0, j = 0, c = -1;

    while (system && next_dry(system, &j, &c))
        count++;
    return count;
}

int phx_system_dry_entry(const phx_system *system, int k)
{
    int j;
    return dry_coordinate(system, k, &j) ? system->joints[j].entry[1] : -1;
}

const char *phx_system_dry_joint(const phx_system *system, int k)
{
    int j;
    return dry_coordinate(system, k, &j) ? system->joints[j].name : "";
}

void phx_sys_pull_back_row(workspace *ws, const phx_port_id ends[2], const double *g, double *out)
{
    double *own = ws->scratch.block;

    memset(out, 0, (size_t)ws->system->n_v * sizeof *out);
    for (int side = 0; side < 2; side++) {
        const int n = ws->ports.count[ends[side]], *cols = ws->ports.cols + ws->ports.first[ends[side]];
        memset(own, 0, (size_t)n * sizeof *own);
        phx_sys_pull(ws, ends[side], g + side * PHX_PORT_MAX, own);
        for (int i = 0; i < n; i++)
            out[cols[i]] += own[i];
    }
}

double phx_sys_rate_of_rate(workspace *ws, const phx_port_id ends[2], const phx_row *row, const double *g,
                            const double *v_dot, double *along)
{
    phx_sys_pull_back_row(ws, ends, g, along);
    return phx_sys_dot(ws->system->n_v, along, v_dot) + phx_sys_row_bias(ws, row, ends, g);
}

/* The acceleration of a coordinate of covectors g, and what a unit of force along it adds. */
static phx_status find_mobility(workspace *ws, const coordinate_slot *coordinate, const double *g, const double *v_dot,
                                phx_dry_friction *out)
{
    const phx_port_id ends[2] = {coordinate->a, coordinate->b};
    double *along = ws->scratch.vector[1], *moved = ws->scratch.vector[2];

    out->acceleration = phx_sys_rate_of_rate(ws, ends, &coordinate->row, g, v_dot, along);
    memset(moved, 0, (size_t)ws->kkt.n * sizeof *moved);
    memcpy(moved, along, (size_t)ws->system->n_v * sizeof *moved);
    const phx_status status = ws->by->solve_mass(ws, moved);
    out->mobility = phx_sys_dot(ws->system->n_v, along, moved);
    return status;
}

static phx_status look_at(workspace *ws, int j, int c, const double *v_dot, phx_dry_friction *out)
{
    const joint_slot *joint = &ws->system->joints[j];
    const coordinate_slot *coordinate = &joint->coordinates[c];
    const phx_port_view *a = &ws->ports.view[coordinate->a], *b = &ws->ports.view[coordinate->b];
    const int size = phx_port_size(ws->system->dim);
    double g[PAIR_SIZE];

    phx_row_covectors(&coordinate->row, a, b, g, g + PHX_PORT_MAX);
    *out = (phx_dry_friction){.joint = j,
                              .coordinate = c,
                              .slip = coordinate->slip,
                              .sticks = ws->system->rows[coordinate->stick_row].role == ROW_DRIVEN,
                              .open = joint->contact && ws->system->rows[joint->first_row].role != ROW_CONSTRAINT,
                              .rate = phx_sys_dot(size, g, a->rate) + phx_sys_dot(size, g + PHX_PORT_MAX, b->rate),
                              .force = ws->reactions.all[coordinate->stick_row],
                              .limit = coordinate->def.friction.ratio * phx_sys_friction_limit(ws, joint, coordinate)};
    return out->sticks ? PHX_OK : find_mobility(ws, coordinate, g, v_dot, out);
}

phx_status phx_system_set_valued(phx_dae *dae, double t, const double *x, const double *v, phx_rigid_contact *contacts,
                                 phx_dry_friction *frictions)
{
    if (!dae || !x || !v)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x or v");
    workspace *ws = (workspace *)dae;
    double *v_dot = ws->step.v1, *lambda = ws->scratch.multipliers;
    int j = 0, c = -1;

    phx_status status = phx_sys_op_accelerations(dae, t, x, v, v_dot, lambda);
    if (!status) {
        phx_sys_set_instant(ws, x, v);
        status = phx_sys_all_multipliers(ws, lambda, ws->reactions.all);
    }
    for (int k = 0; k < ws->system->n_contacts && !status && contacts; k++)
        phx_sys_look_at_rigid_contact(ws, k, v_dot, &contacts[k]);
    for (phx_dry_friction *one = frictions; one && !status && next_dry(ws->system, &j, &c); one++)
        status = look_at(ws, j, c, v_dot, one);
    return phx_conclude(dae->context, status);
}

phx_status phx_system_slip(phx_system *system, int k, bool sticks, int slip)
{
    if (!system)
        return phx_fail_null(NULL, __func__, "system");
    int j;
    coordinate_slot *coordinate = k < 0 ? NULL : dry_coordinate(system, k, &j);

    if (!coordinate || !system->finalised || slip < -1 || slip > 1 || (sticks && slip != 0))
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "set-valued friction %d, direction %d: there are %d in the finalised system, and the direction "
                        "is +-1, or 0 where it sticks",
                        k, slip, phx_system_dry_count(system));
    coordinate->slip = slip;
    system->rows[coordinate->stick_row].role = sticks ? ROW_DRIVEN : ROW_INACTIVE;
    return phx_conclude(system->context, PHX_OK);
}
