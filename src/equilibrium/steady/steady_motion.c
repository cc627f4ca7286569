/* Rigid-body velocities of a steady rotation: each component turns (or slides) as one rigid body, its spinning bodies
 * beside it about axes of their own, so that the joints and the constant speeds of the drives are satisfied,
 *
 *   G V(rigid velocities, speeds of the spinning bodies) = w       least norm. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "steady.h"
#include "equilibrium/tolerances.h"

static const double LEFT_OVER = 1e-9; /* rates of rows that a motion leaves open, relative to its speed */

/* Velocities of a body that moves with a twist. */
static void write_body(const phx_system *system, const phx_placed_body *placed, const double *twist, double factor,
                       const double *x, double *v)
{
    const int dim = phx_system_dim(system);
    double velocity[3], angular[3];

    phx_rot_x_vec(dim, twist + dim, x + placed->x, velocity);
    for (int a = 0; a < dim; a++)
        velocity[a] = factor * (velocity[a] + twist[a]);
    for (int k = 0; k < phx_rotations(phx_system_dim(system)); k++)
        angular[k] = factor * twist[dim + k];
    phx_body_rigid_velocities(placed->body, x + placed->x, velocity, angular, v + placed->v);
}

void phx_steady_unit_twist(const steady *s, int component, int c, const double *x, double *v)
{
    const phx_system *system = s->system;
    double twist[TWIST] = {0};

    twist[c] = c < s->dim ? s->size : 1.0;
    memset(v, 0, (size_t)s->e.n_v * sizeof *v);
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        if (placed.component == component)
            write_body(system, &placed, twist, 1.0, x, v);
    }
}

/* Speed of each body in its Z: of one spinning body at 1 rad/s, or of all (one: NULL). */
static void find_turns(const steady *s, const spinning_bodies *one, double *turn)
{
    const phx_system *system = s->system;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const int at = phx_system_placed(system, b).v + s->dim;
        const double *axis = NULL; /* of the spinning body found first, whose Z it is */
        turn[b] = 0.0;
        for (int i = 0; i < s->n_spinning && s->Z[b].rows > 0; i++) {
            const double *own = s->spinning[i].unit + at;
            if (!axis && phx_steady_turning(s->n_rot, own) > 0.0)
                axis = own;
            if (axis && (!one || one == &s->spinning[i]))
                turn[b] += (one ? 1.0 : s->spinning[i].speed) * phx_dot(s->n_rot, own, axis);
        }
    }
}

void phx_steady_axes(const steady *s, int component, double factor, const double *x, double *v)
{
    const phx_system *system = s->system;

    memset(v, 0, (size_t)s->e.n_v * sizeof *v);
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        if (component < 0 || placed.component == component)
            write_body(system, &placed, s->twist + placed.component * TWIST, factor, x, v);
    }
}

void phx_steady_velocities(const steady *s, int component, double factor, const double *x, double *v)
{
    phx_steady_axes(s, component, factor, x, v);
    for (int i = 0; i < s->n_spinning; i++) {
        const spinning_bodies *one = &s->spinning[i];
        for (int k = 0; k < s->e.n_v && (component < 0 || one->component == component); k++)
            v[k] += factor * one->speed * one->unit[k];
    }
    find_turns(s, NULL, s->turn);
    phx_steady_deformation_rates(s, s->turn, factor, x, v);
}

/* Largest |G V - w| of a component's rows, rad/s and m/s over the size, and the joint that has it. */
static double left_over(const steady *s, int component, const double *x, double *v, const char **joint)
{
    const phx_system *system = s->system;
    double worst = 0.0;

    phx_steady_velocities(s, component, 1.0, x, v);
    phx_system_view(s->dae, x, v);
    phx_system_rows(s->dae, s->t);
    for (int k = 0; k < s->e.n_l; k++) {
        const phx_row_view row = phx_system_row(s->dae, k);
        const double e = fabs(phx_system_row_rate(s->dae, k) - s->e.w[k]) / (row.row->angular ? 1.0 : s->size);
        if (row.component == component && !(e <= worst)) {
            worst = isnan(e) ? HUGE_VAL : e;
            *joint = phx_system_joint_name(system, row.joint);
        }
    }
    return worst;
}

/* Rate of the coordinate that a spinning body turns about, at the instant view. */
static double spin_rate(const steady *s, const spinning_bodies *one)
{
    const phx_joint_view joint = phx_system_joint(s->system, one->joint);
    double g[2 * PHX_PORT_MAX];

    return phx_row_rate(phx_system_coordinate(s->system, one->joint, one->coordinate).row, &s->e.port[joint.a],
                        &s->e.port[joint.b], g);
}

/* Rates of the rows of a component, then of its spinning bodies that turn freely, into column c of n; the right-hand
 * side. */
static int put_rates(const steady *s, int component, int n, int c, double *A, double *b)
{
    int row = s->e.n_l;

    phx_system_rows(s->dae, s->t);
    for (int k = 0; k < s->e.n_l; k++) {
        const phx_row_view view = phx_system_row(s->dae, k);
        const double scale = view.component != component ? 0.0 : view.row->angular ? 1.0 : 1.0 / s->size;
        A[k * n + c] = scale * phx_system_row_rate(s->dae, k);
        b[k] = scale * s->e.w[k];
    }
    for (int i = 0; i < s->n_spinning; i++) {
        const spinning_bodies *one = &s->spinning[i];
        if (one->component != component || one->driven)
            continue;
        A[row * n + c] = spin_rate(s, one);
        b[row++] = phx_system_coordinate(s->system, one->joint, one->coordinate).def->rate;
    }
    return row;
}

/* Least norm over the twist and the spinning bodies of a component; whether that leaves no freedom. */
static phx_status solve_twist(const steady *s, int component, const double *x, double *v, bool *unique)
{
    const int n_rigid = s->dim + s->n_rot;
    int n = n_rigid, rows = s->e.n_l, rank = 0;
    double *twist = s->twist + component * TWIST;

    for (int i = 0; i < s->n_spinning; i++)
        n += s->spinning[i].component == component;
    double *A = phx_calloc(s->dae->context, (size_t)(rows + s->n_spinning + 1) * (size_t)n, sizeof *A);
    double *b = phx_calloc(s->dae->context, (size_t)(rows + s->n_spinning + n), sizeof *b);
    phx_status status = A && b ? PHX_OK : PHX_ERR_MEMORY;
    for (int c = 0; c < n_rigid && !status; c++) {
        phx_steady_unit_twist(s, component, c, x, v);
        phx_system_view(s->dae, x, v);
        rows = put_rates(s, component, n, c, A, b);
    }
    for (int i = 0, c = n_rigid; i < s->n_spinning && !status; i++)
        if (s->spinning[i].component == component) {
            memcpy(v, s->spinning[i].unit, (size_t)s->e.n_v * sizeof *v);
            find_turns(s, &s->spinning[i], s->turn);
            phx_steady_deformation_rates(s, s->turn, 1.0, x, v);
            phx_system_view(s->dae, x, v);
            put_rates(s, component, n, c++, A, b);
        }
    double *solution = b ? b + s->e.n_l + s->n_spinning : NULL;
    if (!status)
        status = phx_dense_least_norm(s->dae->context, rows, n, A, 1, b, DEPENDENT_ROWS, solution, &rank);
    for (int c = 0; c < n_rigid && !status; c++)
        twist[c] = c < s->dim ? s->size * solution[c] : solution[c];
    for (int i = 0, c = n_rigid; i < s->n_spinning && !status; i++)
        if (s->spinning[i].component == component)
            s->spinning[i].speed = solution[c++];
    *unique = rank == n;
    phx_free(A);
    phx_free(b);
    return status;
}

/* Largest speed in it, rad/s and m/s over the size. */
static double speed_of(const steady *s, int component)
{
    const double *twist = s->twist + component * TWIST;
    double speed = 0.0;

    for (int i = 0; i < s->dim + s->n_rot; i++)
        speed = fmax(speed, fabs(twist[i]) / (i < s->dim ? s->size : 1.0));
    for (int i = 0; i < s->n_spinning; i++)
        if (s->spinning[i].component == component)
            speed = fmax(speed, fabs(s->spinning[i].speed));
    return speed;
}

/* Error that explains why the body found is not a rotor: off-axis centre of mass, unequal inertias or deformations. */
static phx_status no_rotor(const steady *s)
{
    const flaw *found = &s->flaw;
    char why[120];

    if (found->bends)
        snprintf(why, sizeof why, "it bends, and its deformations differ by %.3g from those of a round body",
                 found->uneven);
    else if (found->off > OFF_AXIS * s->size)
        snprintf(why, sizeof why, "its centre of mass is %.3g m off the axis", found->off);
    else
        snprintf(why, sizeof why, "its inertias across the axis differ by %.3g of the largest", found->uneven);
    return phx_fail(s->dae->context, PHX_ERR_ANALYSIS,
                    "there is no steady rotation: joint '%s' turns body '%s' against what carries it, and it is no "
                    "rotor that looks the same in all its angles: %s",
                    phx_system_joint_name(s->system, found->joint),
                    phx_body_name(phx_system_body(s->system, found->body)), why);
}

/* Fails if the velocities of a component leave a row open: there is no steady rotation, or a body in it is not a
 * rotor. */
static phx_status check_component(const steady *s, int component, const double *x, double *v)
{
    const char *joint = "";
    const double left = left_over(s, component, x, v, &joint);

    if (left <= LEFT_OVER * speed_of(s, component))
        return PHX_OK;
    if (s->flaw.known && s->flaw.component == component)
        return no_rotor(s);
    return phx_fail(s->dae->context, PHX_ERR_ANALYSIS,
                    "there is no steady rotation: the drives do not turn everything as one rigid body about a fixed "
                    "axis, but for rotors symmetric about their joints (joint '%s' is left with %.3g rad/s); drive one "
                    "joint to the ground with a constant speed and hold the others",
                    joint, left);
}

/* The twist of a component as one rigid body; where its drives do not allow that, and where spinning bodies turn
 * freely, with spinning bodies beside it. */
static phx_status solve_component(steady *s, int component, const double *x, double *v, bool *unique)
{
    const char *joint = "";
    phx_status status = solve_twist(s, component, x, v, unique);

    if (!status)
        status = phx_steady_find_spinning(
            s, component, !(left_over(s, component, x, v, &joint) <= LEFT_OVER * speed_of(s, component)), x);
    if (!status)
        status = solve_twist(s, component, x, v, unique);
    return status ? status : check_component(s, component, x, v);
}

/* Finds the twist of every component and the speeds of its spinning bodies as least-norm solution of G V = w, and v. A
 * component that the joints leave free follows the first one that rotates. */
phx_status phx_steady_find_motion(steady *s, const double *x, double *v)
{
    const phx_system *system = s->system;
    const double *turning = NULL;
    bool unique = false;
    phx_status status = PHX_OK;

    for (int c = 0; c < phx_system_components(system) && !status; c++) {
        status = solve_component(s, c, x, v, &unique);
        if (!status && unique && !turning && phx_steady_turning(s->n_rot, s->twist + c * TWIST + s->dim) > 0.0)
            turning = s->twist + c * TWIST;
    }
    /* A component that the joints leave some freedom turns with the first one that turns, if they allow it. */
    for (int c = 0; c < phx_system_components(system) && !status; c++) {
        double *twist = s->twist + c * TWIST, own[TWIST];
        const char *joint = "";
        status = solve_twist(s, c, x, v, &unique);
        if (status)
            break;
        if (!unique && turning) {
            memcpy(own, twist, sizeof own);
            memcpy(twist, turning, sizeof own);
            if (left_over(s, c, x, v, &joint) <= LEFT_OVER * phx_steady_turning(s->n_rot, turning + s->dim))
                continue;
            memcpy(twist, own, sizeof own);
        }
    }
    for (int i = 0; i < s->n_spinning && !status; i++)
        for (int k = 0; k < s->e.n_v; k++)
            s->spin[k] += s->spinning[i].speed * s->spinning[i].unit[k];
    find_turns(s, NULL, s->turn);
    return status;
}
