/* Spinning bodies of a steady rotation: bodies that turn at a constant speed about an axis of what carries them. Their
 * axes of reference do not take part in that turn, so a spinning body must look the same in all its angles: with the
 * twist z of the turn in body axes and M its mass matrix,
 *
 *   M ad(z) + ad(z)^T M = 0,       ad = [[z_r]x [z_v]x; 0 [z_r]x],
 *
 * which is: the centre of mass lies on the axis, and all inertias across it are equal. */
#include <math.h>
#include <string.h>

#include "steady.h"
#include "equilibrium/tolerances.h"

enum { NEAR = 6 };                         /* rigid velocities in space */
static const double RESISTS = 1e-6;        /* rate of a row for 1 rad/s, lengths over the size */
static const double UNEVEN_BENDING = 1e-8; /* asymmetry of the deformations about the axis */
static const double ASIDE = 1e-12;         /* square of a distance from the line, over that of the size */
static const double UNEVEN = 1e-9;         /* difference of the inertias across the axis, relative to the largest */

void phx_steady_bracket(int dim, const double *z, const double *xi, double *y)
{
    double part[3];

    phx_rot_x_vec(dim, z + dim, xi, y);
    phx_vec_x_rot(dim, z, xi + dim, part);
    for (int a = 0; a < dim; a++)
        y[a] += part[a];
    phx_rot_x_rot(dim, z + dim, xi + dim, y + dim);
}

void phx_steady_centre(int dim, const double *z, double *centre)
{
    const int n_rot = dim == 2 ? 1 : 3;

    phx_rot_x_vec(dim, z + dim, z, centre); /* w x v / w^2 */
    for (int a = 0; a < dim; a++)
        centre[a] /= phx_dot(n_rot, z + dim, z + dim);
}

void phx_steady_turn(int dim, const double *z, double time, double *Q, double *p)
{
    double centre[3];

    phx_steady_centre(dim, z, centre);
    phx_rot_axis_angle(dim, z + dim, time * (dim == 2 ? z[2] : phx_steady_turning(3, z + dim)), Q);
    phx_rot_apply(dim, Q, centre, p);
    for (int a = 0; a < dim; a++)
        p[a] = centre[a] - p[a];
}

/* v_dot = -factor ad(spin) v in body axes, with the rotated deformations of bodies that bend; zero without spinning
 * bodies, theory 11 (5). */
void phx_steady_accelerations(const steady *s, double factor, const double *v, double *v_dot)
{
    const phx_system *system = s->system;

    memset(v_dot, 0, (size_t)s->e.n_v * sizeof *v_dot);
    for (int b = 0; b < phx_system_bodies(system) && s->n_spinning > 0; b++) { /* v_dot = -ad(spin) v */
        const int at = phx_system_placed(system, b).v;
        phx_steady_bracket(s->dim, s->spin + at, v + at, v_dot + at);
        for (int i = 0; i < s->dim + s->n_rot; i++)
            v_dot[at + i] *= -factor;
        const int q = at + s->dim + s->n_rot;
        if (s->Z[b].rows > 0)
            phx_csr_apply(&s->Z[b], -factor * s->turn[b], v + q, v_dot + q);
    }
}

void phx_steady_deformation_rates(const steady *s, const double *turn, double factor, const double *x, double *v)
{
    const phx_system *system = s->system;
    const int rigid = s->dim + s->n_rot;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        if (s->Z[b].rows > 0 && turn[b] != 0.0) /* q_dot = -s Z q */
            phx_csr_apply(&s->Z[b], -factor * turn[b], phx_placed_q(&placed, x), v + placed.v + rigid);
    }
}

/* ---- which bodies ---- */
/* The line about which a coordinate turns, from the side of A or of B, at the instant view. */
typedef struct line {
    double axis[3], point[3]; /* inertial; n_rot and dim entries; B turns about the axis against A */
} line;

/* Axis of a joint's angular coordinate as a line through the port of A or B, inertial. */
static line find_line(const steady *s, int joint, int coordinate, bool side_a)
{
    const int dim = s->dim, n_rot = s->n_rot;
    const phx_joint_view ends = phx_system_joint(s->system, joint);
    const phx_port_view *a = &s->e.port[ends.a], *b = &s->e.port[ends.b], *view = side_a ? a : b;
    double g[2 * PHX_PORT_MAX], own[3];
    line out = {0};

    phx_row_covectors(phx_system_coordinate(s->system, joint, coordinate).row, a, b, g, g + PHX_PORT_MAX);
    for (int i = 0; i < n_rot; i++)
        own[i] = side_a ? -g[dim + i] : g[PHX_PORT_MAX + dim + i];
    const double length = phx_steady_turning(n_rot, own);
    for (int i = 0; i < n_rot; i++)
        own[i] /= length;
    if (dim == 2)
        out.axis[0] = own[0];
    else
        phx_rot_apply(3, view->Rm, own, out.axis);
    memcpy(out.point, view->um, sizeof out.point);
    return out;
}

/* Whether the rate of a row changes when its body B rotates about the line and A does not. */
static bool row_resists(const steady *s, const phx_row *row, const phx_joint_view *joint, const line *about)
{
    const int dim = s->dim, n_rot = s->n_rot;
    const phx_port_view *a = &s->e.port[joint->a], *b = &s->e.port[joint->b];
    double g_a[PHX_PORT_MAX], g_b[PHX_PORT_MAX], arm[3], rate[PHX_PORT_MAX] = {0};

    phx_row_covectors(row, a, b, g_a, g_b);
    for (int i = 0; i < dim; i++)
        arm[i] = b->um[i] - about->point[i];
    phx_rot_x_vec(dim, about->axis, arm, rate);
    if (dim == 2)
        rate[2] = about->axis[0];
    else
        phx_rot_apply_transposed(3, b->Rm, about->axis, rate + 3);
    return fabs(phx_dot(dim + n_rot, g_b, rate)) > RESISTS * (row->angular ? 1.0 : s->size);
}

/* Whether a joint keeps its body B from rotating about the line while A does not. */
static bool joint_resists(const steady *s, int j, const line *about)
{
    const phx_joint_view joint = phx_system_joint(s->system, j);

    for (int i = 0; i < joint.n_constraints; i++)
        if (row_resists(s, &joint.constraints[i], &joint, about))
            return true;
    for (int i = 0; i < joint.n_coordinates; i++) { /* a drive at rest is a lock */
        const phx_coordinate_view coordinate = phx_system_coordinate(s->system, j, i);
        if (coordinate.def->speed && phx_signal_value(coordinate.def->speed, s->t) == 0.0 &&
            row_resists(s, coordinate.row, &joint, about))
            return true;
    }
    return false;
}

/* Bodies that turn about the line with body `first`, into on[]; their number, 0 when the ground would be one. */
static int turn_together(const steady *s, const line *about, phx_body_id first, bool *on)
{
    const phx_system *system = s->system;
    int count = 1;

    memset(on, 0, (size_t)phx_system_bodies(system) * sizeof *on);
    if (first == PHX_GROUND)
        return 0;
    on[first] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (int j = 0; j < phx_system_joints(system); j++) {
            const phx_joint_view joint = phx_system_joint(system, j);
            const phx_body_id a = phx_system_port_body(system, joint.a), b = phx_system_port_body(system, joint.b);
            const bool on_a = a != PHX_GROUND && on[a], on_b = b != PHX_GROUND && on[b];
            if (on_a == on_b || !joint_resists(s, j, about))
                continue;
            if (a == PHX_GROUND || b == PHX_GROUND)
                return 0;
            on[a] = on[b] = grown = true;
            count++;
        }
    }
    return count;
}

/* ---- whether they are symmetric about it ---- */
/* Velocities in the axes of body b when it turns with 1 rad/s about the line. */
static void unit_twist(const phx_system *system, int b, const line *about, const double *x, double *z)
{
    const int dim = phx_system_dim(system);
    const double *xb = x + phx_system_placed(system, b).x;
    double R[9] = {0}, arm[3], velocity[3];

    phx_attitude_rotation(dim, xb + dim, R);
    for (int a = 0; a < dim; a++)
        arm[a] = xb[a] - about->point[a];
    phx_rot_x_vec(dim, about->axis, arm, velocity);
    phx_rot_apply_transposed(dim, R, velocity, z);
    if (dim == 2)
        z[2] = about->axis[0];
    else
        phx_rot_apply_transposed(3, R, about->axis, z + 3);
}

/* The residual of M ad(z) + ad(z)^T M = 0, theory 11 (4): `off` the axis is the centre of mass, m; the inertias across
 * it are `uneven`, relative to the largest. */
static void spinning_bodies_asymmetry(const phx_system *system, const double *M, const double *z, double *off,
                                      double *uneven)
{
    const int dim = phx_system_dim(system), n = dim + phx_rotations(phx_system_dim(system));
    double product[NEAR * NEAR], largest = 0.0;

    for (int c = 0; c < n; c++) {
        double unit[NEAR] = {0}, column[NEAR];
        unit[c] = 1.0;
        phx_steady_bracket(dim, z, unit, column);
        for (int r = 0; r < n; r++)
            product[r * n + c] = phx_dot(n, M + r * n, column);
    }
    *off = *uneven = 0.0;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            const double sum = fabs(product[r * n + c] + product[c * n + r]);
            if (r < dim && c >= dim)
                *off = fmax(*off, sum / M[0]);
            if (r >= dim && c >= dim) {
                *uneven = fmax(*uneven, sum);
                largest = fmax(largest, fabs(M[r * n + c]));
            }
        }
    *uneven = largest > 0.0 ? *uneven / largest : 0.0;
}

/* Inertia of the undeformed body, n square in its axes. */
static phx_status undeformed_mass(phx_context *context, const phx_placed_body *placed, const double *x, double *M)
{
    const size_t n_x = (size_t)phx_body_n_x(placed->body);
    double *xb = phx_calloc(context, n_x, sizeof *xb);
    int q_x;

    if (!xb)
        return PHX_ERR_MEMORY;
    const int n = phx_body_coordinates(placed->body, &q_x, NULL);
    memcpy(xb, x + placed->x, n_x * sizeof *xb);
    memset(xb + q_x, 0, (size_t)n * sizeof *xb);
    phx_body_rigid_mass(placed->body, xb, M);
    phx_free(xb);
    return PHX_OK;
}

/* Whether they are all spinning bodies; why not, of a driven joint, is kept. */
static phx_status symmetric(steady *s, const spinning_bodies *turning, const line *about, const bool *on,
                            const double *x, bool *result)
{
    const phx_system *system = s->system;
    phx_context *context = s->dae->context;
    phx_status status = PHX_OK;
    flaw found = {.known = true, .component = turning->component, .joint = turning->joint};

    *result = true;
    for (int b = 0; b < phx_system_bodies(system) && *result && !status; b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        const phx_body *body = placed.body;
        double z[TWIST], M[NEAR * NEAR], uneven = 0.0;
        phx_csr Z = {0};
        if (!on[b])
            continue;
        unit_twist(system, b, about, x, z);
        status = undeformed_mass(context, &placed, x, M);
        if (!status)
            spinning_bodies_asymmetry(system, M, z, &found.off, &found.uneven);
        if (!status && phx_body_n_q(body) > 0)
            status = phx_steady_axisymmetric(context, body, z, &Z, &uneven);
        if (!phx_body_floats(body)) /* no axis of its own */
            uneven = 1.0;
        phx_csr_free(&Z);
        found.body = b;
        found.bends = uneven > UNEVEN_BENDING;
        if (found.bends)
            found.uneven = uneven;
        *result = !found.bends && found.off <= OFF_AXIS * s->size && found.uneven <= UNEVEN;
    }
    if (!status && !*result && turning->driven && !(s->flaw.known && s->flaw.component == found.component))
        s->flaw = found;
    return status;
}

/* ---- the list ---- */
/* Whether its velocities are none that the twist of the component and the spinning bodies found so far make. */
static phx_status is_new(const steady *s, const spinning_bodies *one, const double *x, bool *result)
{
    phx_context *context = s->dae->context;
    const int n_v = s->e.n_v, n_rigid = s->dim + s->n_rot;
    int n = n_rigid + 1, rank = 0, c = 0;

    for (int i = 0; i < s->n_spinning; i++)
        n += s->spinning[i].component == one->component;
    double *A = phx_calloc(context, (size_t)n_v * (size_t)n, sizeof *A);
    double *room = phx_calloc(context, (size_t)(2 * n_v + n), sizeof *room); /* a column, zeros, a solution */
    phx_status status = A && room ? PHX_OK : PHX_ERR_MEMORY;
    for (; c < n_rigid && !status; c++) {
        phx_steady_unit_twist(s, one->component, c, x, room);
        for (int k = 0; k < n_v; k++)
            A[k * n + c] = room[k];
    }
    for (int i = 0; i <= s->n_spinning && !status; i++) {
        const spinning_bodies *column = i < s->n_spinning ? &s->spinning[i] : one;
        for (int k = 0; k < n_v && column->component == one->component; k++)
            A[k * n + c] = column->unit[k];
        c += column->component == one->component;
    }
    if (!status)
        status = phx_dense_least_norm(context, n_v, n, A, 1, room + n_v, DEPENDENT_ROWS, room + 2 * n_v, &rank);
    *result = rank == n;
    phx_free(A);
    phx_free(room);
    return status;
}

/* Adds a set of bodies, on[b], that spin about a line to the list, unless its motion depends on those listed; bodies
 * that bend get their generator Z. */
static phx_status add_spinning(steady *s, spinning_bodies found, const line *about, const bool *on, const double *x)
{
    const phx_system *system = s->system;
    bool new = false;

    found.unit = phx_calloc(s->dae->context, (size_t)s->e.n_v, sizeof *found.unit);
    if (!found.unit)
        return PHX_ERR_MEMORY;
    for (int b = 0; b < phx_system_bodies(system); b++)
        if (on[b])
            unit_twist(system, b, about, x, found.unit + phx_system_placed(system, b).v);
    phx_status status = is_new(s, &found, x, &new);
    for (int b = 0; b < phx_system_bodies(system) && !status && new; b++) {
        double uneven;
        if (on[b] && phx_body_n_q(phx_system_body(system, b)) > 0 && s->Z[b].rows == 0)
            status = phx_steady_axisymmetric(s->dae->context, phx_system_body(system, b),
                                             found.unit + phx_system_placed(system, b).v, &s->Z[b], &uneven);
    }
    if (!status && new)
        s->spinning[s->n_spinning++] = found;
    else
        phx_free(found.unit);
    return status;
}

/* A spring or load acts on one of the bodies beside the line. */
static bool held_aside(const steady *s, const line *about, const bool *on)
{
    const phx_system *system = s->system;

    for (int i = 0; i < phx_system_force_count(system); i++) {
        phx_port_id ends[2];
        phx_system_force_ends(system, i, ends);
        for (int e = 0; e < 2; e++) {
            const phx_body_id body = ends[e] < 0 ? PHX_GROUND : phx_system_port_body(system, ends[e]);
            double arm[3], aside[3];
            if (body == PHX_GROUND || !on[body])
                continue;
            for (int a = 0; a < s->dim; a++)
                arm[a] = s->e.port[ends[e]].um[a] - about->point[a];
            phx_rot_x_vec(s->dim, about->axis, arm, aside);
            if (phx_dot(s->dim, aside, aside) > ASIDE * s->size * s->size)
                return true;
        }
    }
    return false;
}

/* The side of B or, where that cannot turn alone, is not symmetric or held by springs, the side of A. */
static phx_status try_coordinate(steady *s, const spinning_bodies *turning, const double *x, bool *on)
{
    const phx_system *system = s->system;
    const phx_joint_view joint = phx_system_joint(system, turning->joint);
    const phx_body_id body[2] = {phx_system_port_body(system, joint.b), phx_system_port_body(system, joint.a)};

    for (int held = 0; held < 2; held++) /* rather one that nothing holds beside its axis */
        for (int side = 0; side < 2; side++) {
            const line about = find_line(s, turning->joint, turning->coordinate, side == 1);
            const int count = turn_together(s, &about, body[side], on);
            if (count == 0 || (body[1 - side] != PHX_GROUND && on[body[1 - side]]))
                continue;
            bool possible = held_aside(s, &about, on) == (held == 1);
            const phx_status status = possible ? symmetric(s, turning, &about, on, x, &possible) : PHX_OK;
            if (status || possible)
                return status ? status : add_spinning(s, *turning, &about, on, x);
        }
    return PHX_OK;
}

static phx_status spinning_bodies_make_room(steady *s)
{
    const phx_system *system = s->system;
    int count = 0;

    if (s->spinning)
        return PHX_OK;
    for (int j = 0; j < phx_system_joints(system); j++)
        count += phx_system_joint(system, j).n_coordinates;
    s->spinning = phx_calloc(s->dae->context, (size_t)count, sizeof *s->spinning);
    return s->spinning ? PHX_OK : PHX_ERR_MEMORY;
}

/* Finds the sets of bodies of a component that may spin at constant speed about a joint: those with an initial rate
 * and, with driven_too, driven ones. Joints to the ground come last. */
phx_status phx_steady_find_spinning(steady *s, int component, bool driven_too, const double *x)
{
    const phx_system *system = s->system;
    const int n_joints = phx_system_joints(system);
    bool *on = phx_calloc(s->dae->context, (size_t)phx_system_bodies(system), sizeof *on);
    phx_status status = on ? spinning_bodies_make_room(s) : PHX_ERR_MEMORY;

    if (!status)
        phx_system_view(s->dae, x, s->zero);
    /* Bodies that turn against the ground do so with the twist if they can: those joints come last. */
    for (int i = 0; i < 2 * n_joints && !status; i++) {
        const int j = i % n_joints;
        const phx_joint_view joint = phx_system_joint(system, j);
        const phx_body_id a = phx_system_port_body(system, joint.a), b = phx_system_port_body(system, joint.b);
        const bool grounded = a == PHX_GROUND || b == PHX_GROUND;
        if (grounded != (i >= n_joints) || phx_system_placed(system, b != PHX_GROUND ? b : a).component != component)
            continue;
        for (int k = 0; k < joint.n_coordinates && !status; k++) {
            const phx_coordinate_view own = phx_system_coordinate(system, j, k);
            const phx_coordinate_def *def = own.def;
            const bool driven = def->speed && phx_signal_value(def->speed, s->t) != 0.0;
            const bool free = !def->speed && def->has_rate && def->rate != 0.0;
            const spinning_bodies turning = {.component = component, .joint = j, .coordinate = k, .driven = driven};
            if (own.row->angular && ((driven && driven_too) || free))
                status = try_coordinate(s, &turning, x, on);
        }
    }
    phx_free(on);
    return status;
}
