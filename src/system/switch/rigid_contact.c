/* Rigid contacts: a joint with one row each, of the gap, which acts while the contact is closed. Impacts and the times
 * when they close and open are found by who makes the steps. */
#include "system/forces/forces.h"

#include <math.h>
#include <string.h>

/* ---- making ---- */
static phx_row gap_row(const contact_shape *shape, int dim)
{
    phx_row row = shape->rows[0];

    if (!shape->plane && shape->n == dim) {
        row = (phx_row){.kind = PHX_ROW_RADIAL};
    } else if (!shape->plane) {
        row.kind = PHX_ROW_RADIAL;
        row.axis = shape->n;
        memcpy(row.alpha2, shape->rows[1].alpha, sizeof row.alpha2);
    }
    row.target = shape->side * shape->offset; /* side (c - target) is the gap */
    return row;
}

/* Slip rows of a sphere on a plane: tangential velocities along the directions of phx_row_across. */
static void slip_on_a_plane(int dim, const contact_shape *shape, double radius, coordinate_slot *coordinates)
{
    double t[2][3];

    phx_row_across(dim, shape->rows[0].alpha, t);
    for (int c = 0; c < dim - 1; c++) {
        phx_row *row = &coordinates[c].row;
        *row = (phx_row){.kind = PHX_ROW_ROLL, .beta = {radius}};
        memcpy(row->alpha, t[c], sizeof t[c]);
        for (int i = 0; i < 3 && dim == 3; i++) /* -r n x t: n x t0 = t1, n x t1 = -t0 */
            row->beta[i] = c == 0 ? -radius * t[1][i] : radius * t[0][i];
    }
}

/* The slip on a disc, sphere or cylinder; the directions on a sphere are made anew on the way, phx_system_turn_slip. */
static void slip_rows(int dim, const phx_contact_def *def, const contact_shape *shape, coordinate_slot *coordinates)
{
    double axis[3] = {0.0};

    if (shape->rows[0].kind == PHX_ROW_ELLIPSOID) {
        for (int c = 0; c < dim - 1; c++) {
            coordinates[c].row = shape->rows[0];
            coordinates[c].row.kind = PHX_ROW_ELLIPSOID_SLIP;
            coordinates[c].row.axis = c;
        }
        return;
    }
    if (shape->plane) {
        slip_on_a_plane(dim, shape, def->radius_b, coordinates);
        return;
    }
    if (def->kind == PHX_CONTACT_CYLINDER)
        phx_vec_x_vec(3, shape->rows[0].alpha, shape->rows[1].alpha, axis);
    for (int c = 0; c < dim - 1; c++) {
        phx_row *row = &coordinates[c].row;
        *row = (phx_row){.kind = PHX_ROW_SLIP, .axis = c, .beta = {def->radius_b, shape->side}};
        memcpy(row->alpha2, axis, sizeof axis);
        memcpy(row->alpha, axis, sizeof axis);
        if (def->kind == PHX_CONTACT_SPHERE)
            row->alpha[0] = 1.0;
    }
}

/* Friction along the coordinates of the joint, with its reaction for the normal force. */
static phx_status add_friction(const phx_system *system, const phx_contact_def *def, phx_joint_def *joint)
{
    if (def->friction.kinetic == 0.0)
        return PHX_OK;
    if (def->friction.regularised > 0.0)
        return phx_fail(system->context, PHX_ERR_UNSUPPORTED,
                        "contact '%s': friction of a rigid contact is set-valued; leave out 'regularised', or "
                        "'restitution' for a contact by penalty",
                        def->name);
    joint->n_coordinates = system->dim - 1;
    for (int c = 0; c < joint->n_coordinates; c++) {
        joint->coordinate[c] = (phx_coordinate_def){.friction = def->friction, .friction_arm = def->friction.kinetic};
        joint->coordinate[c].friction.kinetic = 0.0;
    }
    return phx_friction_check(system->context, &def->friction);
}

/* Adds a rigid contact as an inactive joint with one row for the gap and, with friction, slip coordinates. */
phx_status phx_sys_add_rigid_contact(phx_system *system, const phx_contact_def *def)
{
    phx_joint_def joint = phx_joint_def_default();
    contact_shape shape = {.n = 0};
    phx_joint_id id = 0;

    joint.name = def->name;
    joint.kind = PHX_JOINT_FREE; /* holds nothing: the gap comes for a row, the slips for coordinates */
    joint.a = def->a;
    joint.b = def->b;
    joint.inactive = true;
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0))
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "contact '%s': restitution %g, expected 0 to 1", def->name,
                        def->restitution);
    phx_status status = add_friction(system, def, &joint);
    if (!status)
        status = phx_system_add_joint(system, &joint, &id);
    if (!status)
        status = phx_sys_contact_shape(system, def, &shape);
    if (!status)
        status = phx_sys_make_contact(system, id, shape.side, def->restitution);
    if (status)
        return status;
    system->joints[id].constraints[0] = gap_row(&shape, system->dim);
    if (joint.n_coordinates > 0)
        slip_rows(system->dim, def, &shape, system->joints[id].coordinates);
    return phx_conclude(system->context, PHX_OK);
}

/* Appends a contact to the system's list and marks its joint; `side` is the sign that makes the gap positive when
 * open. */
phx_status phx_sys_make_contact(phx_system *system, phx_joint_id id, double side, double restitution)
{
    joint_slot *joint = &system->joints[id];
    const size_t n = (size_t)system->contacts.n + 1;
    contact_slot *bigger = phx_realloc(system->context, system->contacts.slot, n, sizeof *bigger);

    if (!bigger)
        return PHX_ERR_MEMORY;
    system->contacts.slot = bigger;
    bigger[system->contacts.n++] = (contact_slot){.joint = id, .side = side, .restitution = restitution};
    joint->n_constraints = 1;
    joint->n_coordinates = joint->def.n_coordinates;
    joint->contact = true;
    joint->side = side;
    return PHX_OK;
}

/* ---- at an instant ---- */
int phx_system_contact_count(const phx_system *system)
{
    return system ? system->contacts.n : 0;
}

const char *phx_system_contact_name(const phx_system *system, int k)
{
    return system->joints[system->contacts.slot[k].joint].name;
}

int phx_system_contact_entry(const phx_system *system, int k)
{
    return system->joints[system->contacts.slot[k].joint].entry[1];
}

/* The coefficients of its friction: kinetic, static, and at the slip of the instant. */
static void find_coefficients(workspace *ws, const joint_slot *joint, phx_rigid_contact *out)
{
    const phx_port_view *a = &ws->ports.view[joint->a], *b = &ws->ports.view[joint->b];
    double g[PAIR_SIZE], speed = 0.0;

    if (joint->n_coordinates == 0)
        return;
    for (int c = 0; c < joint->n_coordinates; c++)
        speed = hypot(speed, phx_row_rate(&joint->coordinates[c].row, a, b, g));
    const phx_coordinate_def *def = &joint->coordinates[0].def;
    out->friction = def->friction_arm;
    out->sticking = def->friction.ratio * def->friction_arm;
    out->slipping = phx_friction_slip(&def->friction, def->friction_arm, 1.0, speed, 0.0).value;
}

/* State of rigid contact k at an instant: gap, rate, force and, if open, gap acceleration, in m, m/s, N and m/s^2,
 * positive when opening or pushing. */
void phx_sys_look_at_rigid_contact(workspace *ws, int k, const double *v_dot, phx_rigid_contact *out)
{
    const contact_slot *slot = &ws->system->contacts.slot[k];
    const joint_slot *joint = &ws->system->joints[slot->joint];
    const phx_row *row = &joint->constraints[0];
    const phx_port_view *a = &ws->ports.view[joint->a], *b = &ws->ports.view[joint->b];
    const phx_port_id ends[2] = {joint->a, joint->b};
    double g[PAIR_SIZE], *along = ws->scratch.vector[1];

    const double rate = phx_row_rate(row, a, b, g);
    *out = (phx_rigid_contact){.closed = ws->system->rows.slot[joint->first_row].role == ROW_CONSTRAINT,
                               .restitution = slot->restitution,
                               .dry = -1,
                               .gap = slot->side * phx_row_value(row, a, b, 1),
                               .rate = slot->side * rate,
                               .force = slot->side * ws->reactions.all[joint->first_row]};
    find_coefficients(ws, joint, out);
    out->acceleration = out->closed ? 0.0 : slot->side * phx_sys_rate_of_rate(ws, ends, row, g, v_dot, along);
}

/* ---- changing ---- */
void phx_system_close_contact(phx_system *system, int k, bool closed)
{
    joint_slot *joint = &system->joints[system->contacts.slot[k].joint];

    system->rows.slot[joint->first_row].role = closed ? ROW_CONSTRAINT : ROW_INACTIVE;
    for (int i = 0; i < system->n_forces; i++) /* its friction */
        if (system->forces[i].kind == FORCE_COORDINATE && system->forces[i].joint == system->contacts.slot[k].joint)
            system->forces[i].off = !closed;
    for (int c = 0; c < joint->n_coordinates && !closed; c++) { /* nothing rubs any more */
        joint->coordinates[c].slip = 0.0;
        system->rows.slot[joint->coordinates[c].stick_row].role = ROW_INACTIVE;
    }
}

/* ---- impulses ---- */
/* The rate of row i of a contact, its acceleration with v_dot (NULL: 0), and P^T g into `along`; its gap first, then
 * its slips, of which there may be none. */
static double contact_row(workspace *ws, const contact_slot *slot, int i, const double *v_dot, double *along,
                          double *acceleration)
{
    const joint_slot *joint = &ws->system->joints[slot->joint];
    const phx_port_id ends[2] = {joint->a, joint->b};
    const phx_port_view *a = &ws->ports.view[joint->a], *b = &ws->ports.view[joint->b];
    double g[PAIR_SIZE];

    memset(along, 0, (size_t)ws->system->n_v * sizeof *along);
    *acceleration = 0.0;
    if (i > joint->n_coordinates)
        return 0.0;
    const phx_row *row = i == 0 ? &joint->constraints[0] : &joint->coordinates[i - 1].row;
    const double side = i == 0 ? slot->side : 1.0;
    const double rate = side * phx_row_rate(row, a, b, g);
    if (v_dot)
        *acceleration = side * phx_sys_rate_of_rate(ws, ends, row, g, v_dot, along);
    for (int m = 0; m < PAIR_SIZE; m++)
        g[m] *= side;
    phx_system_pull_back_row(&ws->base, ends, g, along);
    return rate;
}

/* Response to an impulse P^T g = `along` with the joints closed: change of velocity `moved`, [M -G^T; G 0] solved, and
 * the work that the drives supply. */
static phx_status respond(workspace *ws, const double *along, double *moved, double *supplied)
{
    const int n_v = ws->system->n_v;
    double *solution = ws->scratch.vector[2];

    memset(solution, 0, (size_t)ws->kkt.n * sizeof *solution);
    memcpy(solution, along, (size_t)n_v * sizeof *along);
    const phx_status status = ws->by->solve_mass(ws, solution);
    memcpy(moved, solution, (size_t)n_v * sizeof *moved);
    *supplied = phx_dot(ws->rows.n, solution + n_v, ws->rows.w);
    return status;
}

/* Responses of n contacts to unit impulses on their rows (gap, then slips): W = G M^-1 G^T, the velocity changes M^-1
 * G^T, the work of drives, and the present rates and, optionally, accelerations. */
phx_status phx_system_contact_response(phx_dae *dae, double t, const double *x, const double *v, int n,
                                       const int *which, const phx_contact_response *out)
{
    if (!dae || !x || !v || !out || (n > 0 && !which))
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, v, which or out");
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    const int dim = system->dim, rows = n * dim;
    const size_t n_v = (size_t)system->n_v;
    double *along = phx_calloc(dae->context, (size_t)(rows + 1) * n_v, sizeof *along), none;
    double *v_dot = out->accelerations && along ? along + (size_t)rows * n_v : NULL;
    phx_status status = along ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && v_dot)
        status = phx_sys_op_accelerations(dae, t, x, v, v_dot, ws->scratch.multipliers);
    if (!status) {
        phx_sys_set_instant(ws, x, v);
        ws->by->rows(ws, t, 0.0);
        status = ws->by->factor_mass(ws, x);
    }
    for (int i = 0; i < rows && !status; i++) {
        double *own = along + (size_t)i * n_v;
        out->rates[i] = contact_row(ws, &system->contacts.slot[which[i / dim]], i % dim, v_dot, own,
                                    v_dot ? &out->accelerations[i] : &none);
        status = respond(ws, own, out->moved + (size_t)i * n_v, &out->supplied[i]);
    }
    for (int i = 0; i < rows && !status; i++)
        for (int j = 0; j < rows; j++)
            out->W[i * rows + j] = phx_dot(system->n_v, along + (size_t)i * n_v, out->moved + (size_t)j * n_v);
    phx_free(along);
    return phx_conclude(dae->context, status);
}
