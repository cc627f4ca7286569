/* Set-valued friction along coordinates of joints: what it does at an instant, with rigid contacts, whose reactions it
 * needs, and what it is told to do. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

/* The next coordinate that has it by itself, or the first of a contact's, after number c of joint j; NULL: there is
 * none. Begins with j = 0, c = -1. */
static coordinate_slot *next_dry(const phx_system *system, int *j, int *c)
{
    for ((*c)++; *j < system->n_joints; (*j)++, *c = 0)
        for (; *c < (system->joints[*j].contact ? 1 : system->joints[*j].n_coordinates); (*c)++)
            if (system->joints[*j].coordinates[*c].stick_row >= 0)
                return &system->joints[*j].coordinates[*c];
    return NULL;
}

/* Coordinate k of those with set-valued friction, and its joint j; NULL beyond the last one. */
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

/* The coordinates that slip together. */
static int together(const joint_slot *joint)
{
    return joint->contact ? joint->n_coordinates : 1;
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

void phx_system_pull_back_row(phx_dae *dae, const phx_port_id ends[2], const double *g, double *out)
{
    workspace *ws = (workspace *)dae;
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
    phx_system_pull_back_row(&ws->base, ends, g, along);
    return phx_dot(ws->system->n_v, along, v_dot) + phx_system_row_bias(&ws->base, row, ends, g);
}

/* The acceleration of coordinate i of covectors g, and the change of it by a unit of force along it. */
static phx_status find_mobility(workspace *ws, const coordinate_slot *coordinate, const double *g, const double *v_dot,
                                int i, phx_dry_friction *out)
{
    const phx_port_id ends[2] = {coordinate->a, coordinate->b};
    double *along = ws->scratch.vector[1], *moved = ws->scratch.vector[2];

    out->acceleration[i] = phx_sys_rate_of_rate(ws, ends, &coordinate->row, g, v_dot, along);
    memset(moved, 0, (size_t)ws->kkt.n * sizeof *moved);
    memcpy(moved, along, (size_t)ws->system->n_v * sizeof *moved);
    const phx_status status = ws->by->solve_mass(ws, moved);
    out->mobility = fmax(out->mobility, phx_dot(ws->system->n_v, along, moved));
    return status;
}

/* Number of the rigid contact that joint j is. */
static int contact_of(const phx_system *system, int j)
{
    int k = 0;

    while (system->contacts.slot[k].joint != j)
        k++;
    return k;
}

/* State of a set-valued friction element at an instant: slip direction, rates, friction force and limit, and its
 * mobility if it slips. */
static phx_status look_at(workspace *ws, int j, const coordinate_slot *first, const double *v_dot,
                          phx_dry_friction *out)
{
    const joint_slot *joint = &ws->system->joints[j];
    phx_status status = PHX_OK;

    *out = (phx_dry_friction){.joint = j,
                              .contact = joint->contact ? contact_of(ws->system, j) : -1,
                              .n = together(joint),
                              .open = joint->contact && ws->system->rows.slot[joint->first_row].role != ROW_CONSTRAINT,
                              .limit = first->def.friction.ratio * phx_sys_friction_limit(ws, joint, first)};
    for (int i = 0; i < out->n; i++)
        out->sticks = out->sticks || ws->system->rows.slot[first[i].stick_row].role == ROW_DRIVEN;
    for (int i = 0; i < out->n && !status; i++) {
        const coordinate_slot *coordinate = first + i;
        const phx_port_view *a = &ws->ports.view[coordinate->a], *b = &ws->ports.view[coordinate->b];
        double g[PAIR_SIZE];
        out->slip[i] = coordinate->slip;
        out->rate[i] = phx_row_rate(&coordinate->row, a, b, g);
        out->force[i] = ws->reactions.all[coordinate->stick_row];
        if (out->sticks && coordinate->slip != 0.0) /* another row holds this coordinate */
            out->force[i] =
                -coordinate->slip *
                phx_friction_slip(&first->def.friction, phx_sys_friction_limit(ws, joint, first), 1.0, 0.0, 0.0).value;
        if (!out->sticks && !out->open)
            status = find_mobility(ws, coordinate, g, v_dot, i, out);
    }
    return status;
}

/* Evaluates rigid contacts (gap, rate, force, acceleration) and set-valued friction at a state with the accelerations
 * and reactions there. Either array may be NULL. */
phx_status phx_system_set_valued(phx_dae *dae, double t, const double *x, const double *v, phx_rigid_contact *contacts,
                                 phx_dry_friction *frictions)
{
    if (!dae || !x || !v)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x or v");
    workspace *ws = (workspace *)dae;
    double *v_dot = ws->step.v1, *lambda = ws->scratch.multipliers;
    const coordinate_slot *coordinate;
    int j = 0, c = -1, number = 0;

    phx_status status = phx_sys_op_accelerations(dae, t, x, v, v_dot, lambda);
    if (!status) {
        phx_sys_set_instant(ws, x, v);
        status = phx_sys_all_multipliers(ws, lambda, ws->reactions.all);
    }
    for (int k = 0; k < ws->system->contacts.n && !status && contacts; k++)
        phx_sys_look_at_rigid_contact(ws, k, v_dot, &contacts[k]);
    for (; !status && (coordinate = next_dry(ws->system, &j, &c)); number++) {
        if (contacts && ws->system->joints[j].contact)
            contacts[contact_of(ws->system, j)].dry = number;
        if (frictions)
            status = look_at(ws, j, coordinate, v_dot, &frictions[number]);
    }
    return phx_conclude(dae->context, status);
}

/* Sets friction element k to stick, to slip in the direction `slip` (length 1, or less where others hold it), or to
 * neither (NULL). Rows change; the caller rebuilds the equations. */
phx_status phx_system_slip(phx_system *system, int k, bool sticks, const double *slip)
{
    static const double ROUNDING = 1e-9; /* of a length */

    if (!system)
        return phx_fail_null(NULL, __func__, "system");
    int j = 0;
    coordinate_slot *first = k < 0 ? NULL : dry_coordinate(system, k, &j);
    const int n = first ? together(&system->joints[j]) : 0;
    const double length = !slip ? 1.0 : n == 2 ? hypot(slip[0], slip[1]) : n == 1 ? fabs(slip[0]) : 1.0;
    const double longest = first && first->def.friction.stribeck == 0.0 ? first->def.friction.ratio : 1.0;

    if (!first || !system->building.finalised || !(length <= longest * (1.0 + ROUNDING)) || (sticks && slip))
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "set-valued friction %d, direction of length %g: there are %d in the finalised system, and the "
                        "direction has length 1, less where others hold it, or none is given where it sticks",
                        k, length, phx_system_dry_count(system));
    for (int i = 0; i < n; i++) {
        first[i].slip = slip ? slip[i] : 0.0;
        system->rows.slot[first[i].stick_row].role = sticks ? ROW_DRIVEN : ROW_INACTIVE;
    }
    return phx_conclude(system->context, PHX_OK);
}

phx_status phx_system_stick(phx_system *system, int k, const bool *holds, const double *parts)
{
    if (!system || !holds || !parts)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, holds or parts");
    phx_status status = phx_system_slip(system, k, true, NULL);
    int j = 0;
    coordinate_slot *first = status ? NULL : dry_coordinate(system, k, &j);

    for (int i = 0; first && i < together(&system->joints[j]); i++) {
        first[i].slip = holds[i] ? 0.0 : parts[i];
        system->rows.slot[first[i].stick_row].role = holds[i] ? ROW_DRIVEN : ROW_INACTIVE;
    }
    return status;
}

/* Slip rates of friction element k at a state, m/s or rad/s; the second is zero for friction along one coordinate, both
 * if there is no element k. */
phx_status phx_system_slip_rate(const phx_system *system, int k, const double *x, const double *v, double rate[2])
{
    if (!system || !x || !v || !rate)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, x, v or rate");
    int j = 0;
    const coordinate_slot *first = k < 0 ? NULL : dry_coordinate(system, k, &j);
    phx_port_view a, b;
    double g[PAIR_SIZE];

    rate[0] = rate[1] = 0.0;
    for (int i = 0; first && i < together(&system->joints[j]); i++) {
        phx_sys_view_port(system, first[i].a, x, v, &a);
        phx_sys_view_port(system, first[i].b, x, v, &b);
        rate[i] = phx_row_rate(&first[i].row, &a, &b, g);
    }
    return phx_conclude(system->context, PHX_OK);
}

/* The part of the direction alpha across n, of length 1; of an axis where alpha is along n. */
static void make_across(const double *n, double *alpha)
{
    static const double ALONG = 0.99; /* the cosine */
    double along = phx_dot(3, alpha, n);
    int least = 0;

    if (fabs(along) > ALONG) {
        for (int i = 1; i < 3; i++)
            least = fabs(n[i]) < fabs(n[least]) ? i : least;
        for (int i = 0; i < 3; i++)
            alpha[i] = i == least;
        along = n[least];
    }
    for (int i = 0; i < 3; i++)
        alpha[i] -= along * n[i];
    const double length = sqrt(phx_dot(3, alpha, alpha));
    for (int i = 0; i < 3; i++)
        alpha[i] /= length;
}

/* Whether friction along `first` (NULL: none) on a sphere has a direction that has come near the normal, n. */
static bool is_near_normal(const phx_system *system, const coordinate_slot *first, const double *x, const double *v,
                           double n[3])
{
    static const double NEAR = 0.5; /* the cosine */
    phx_port_view a, b;

    if (!first || first->row.kind != PHX_ROW_SLIP || system->dim == 2)
        return false;
    phx_sys_view_port(system, first->a, x, v, &a);
    phx_sys_view_port(system, first->b, x, v, &b);
    phx_row_slip_normal(&first->row, &a, &b, n);
    return fabs(phx_dot(3, first->row.alpha, n)) > NEAR;
}

bool phx_system_slip_turns(const phx_system *system, int k, const double *x, const double *v)
{
    int j = 0;
    double n[3];
    return is_near_normal(system, dry_coordinate(system, k, &j), x, v, n);
}

/* If the tangent of a spatial slip is almost parallel to the contact normal, replaces it by one across the normal and
 * sets *turned. */
phx_status phx_system_turn_slip(phx_system *system, int k, const double *x, const double *v, bool *turned)
{
    if (!system || !x || !v || !turned)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, x, v or turned");
    int j = 0;
    coordinate_slot *first = k < 0 ? NULL : dry_coordinate(system, k, &j);
    double n[3];

    *turned = is_near_normal(system, first, x, v, n);
    if (*turned) {
        make_across(n, first->row.alpha);
        memcpy(first[1].row.alpha, first->row.alpha, sizeof first->row.alpha);
    }
    return phx_conclude(system->context, PHX_OK);
}
