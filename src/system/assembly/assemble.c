/* Closing the joints at position level by the smallest change of the poses as written,
 *   min  f = 1/2 sum (m |dc|^2 + dtheta . I_c dtheta)    over the bodies' centres of mass c and attitudes,
 * deformations held, given coordinate values held. With W the rigid mass matrix, g the assembly residuals, d the change
 * so far, | W  -G^T | | xi |   |  0 |                     | W  -G^T | | xi |   | -grad f | | G   eps | | mu | = | -g |
 * closes the joints, | G   eps | | mu | = |    0    |  leads down along closed joints, with a search for the length of
 * the step; eps lets redundant rows pass when they agree. */
#include "system/system_internal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double SMALLEST_SIZE = 1e-6; /* m */
static const double CLOSED_WELL = 1e-12;  /* assembly residual: corrections may end if it grows */
static const double CLOSED = 1e-10;       /* assembly residual, more is an error */
static const double FREE = 1e-6;          /* part of a way that the joints must leave */

/* Poses as written into x; the deformations in x stay. */
static void write_poses(const phx_system *system, double *x)
{
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_place(slot->body, slot->pose.position, slot->pose.rotation, slot->pose.angle, x + slot->x);
    }
}

/* Gap of row k at the current views; false when the row asks nothing of the positions. */
static bool row_residual(const workspace *ws, int k, double *residual)
{
    const row_slot *slot = &ws->system->rows.slot[ws->rows.index[k]];
    const joint_slot *joint = &ws->system->joints[slot->joint];
    const phx_coordinate_def *def = &joint->coordinates[slot->coordinate].def;

    phx_row_assembly_residual(slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], residual, NULL, NULL);
    if (slot->role == ROW_INACTIVE)
        return false;
    if (slot->role == ROW_CONSTRAINT)
        return true;
    if (!def->has_start)
        return false;
    *residual -= def->start;
    if (slot->row->angular)
        *residual = remainder(*residual, 2.0 * pi);
    return true;
}

/* Covectors of the assembly residuals. */
static void residual_covectors(workspace *ws)
{
    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &ws->system->rows.slot[ws->rows.index[k]];
        double *g = ws->rows.covector + (size_t)k * PAIR_SIZE, residual;
        phx_row_assembly_residual(slot->row, &ws->ports.view[ws->rows.row[k].a], &ws->ports.view[ws->rows.row[k].b],
                                  &residual, g, g + PHX_PORT_MAX);
    }
}

/* Change of the place of the centre of mass, in present body axes, and of the attitude, from the pose as written. */
static void change_so_far(const phx_system *system, const body_slot *slot, const double *xb, double *d, double *turn)
{
    const int dim = system->dim;
    const phx_mass_properties *rest = phx_body_at_rest(slot->body);
    double written[16] = {0}, c0[3], c1[3], R[9], R0[9], s[3];

    memcpy(written, slot->pose.position, (size_t)dim * sizeof *written);
    phx_attitude_set(dim, slot->pose.rotation, slot->pose.angle, written + dim);
    phx_body_attitude(slot->body, xb, R);
    phx_attitude_rotation(dim, written + dim, R0);
    for (int a = 0; a < dim; a++)
        s[a] = rest->s0[a] / rest->mass;
    phx_rot_apply(dim, R, s, c1);
    phx_rot_apply(dim, R0, s, c0);
    for (int a = 0; a < dim; a++)
        c1[a] = xb[a] + c1[a] - written[a] - c0[a];
    phx_rot_apply_transposed(dim, R, c1, d);
    if (dim == 2) {
        turn[0] = xb[4] - written[4];
        return;
    }
    double Q[9]; /* R0^T R */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] = R0[i] * R[j] + R0[3 + i] * R[3 + j] + R0[6 + i] * R[6 + j];
    phx_rot_to_vector(Q, turn);
}

/* Inertia of the undeformed body about its centre of mass, n_rot x n_rot: J0 - m (|s|^2 I - s s^T). */
static void central_inertia(const phx_system *system, const phx_mass_properties *rest, double *inertia)
{
    const int dim = system->dim, n_rot = system->n_rot;
    double s[3], square = 0.0;

    for (int a = 0; a < dim; a++) {
        s[a] = rest->s0[a] / rest->mass;
        square += s[a] * s[a];
    }
    for (int k = 0; k < n_rot; k++)
        for (int l = 0; l < n_rot; l++) {
            const int pair = k == l ? k : k + l + 2;
            const double steiner = (k == l ? square : 0.0) - (dim == 3 ? s[k] * s[l] : 0.0);
            inertia[k * n_rot + l] = rest->J0[pair] - rest->mass * steiner;
        }
}

/* -W d, the gradient of 1/2 (m d.d + turn . I_c turn): force m d at the centre of mass, torque T^T I_c turn with
 * turn_dot = T w. */
void phx_sys_pull_back(const workspace *ws, const double *x, double *rhs)
{
    const phx_system *system = ws->system;
    const int dim = system->dim;

    memset(rhs, 0, (size_t)system->n_v * sizeof *rhs);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_mass_properties *rest = phx_body_at_rest(slot->body);
        double d[3], turn[3], s[3], force[3], torque[3], inertia[9];
        change_so_far(system, slot, x + slot->x, d, turn);
        central_inertia(system, rest, inertia);
        for (int a = 0; a < dim; a++) {
            s[a] = rest->s0[a] / rest->mass;
            force[a] = rest->mass * d[a];
            rhs[slot->v + a] = -force[a];
        }
        phx_vec_x_vec(dim, s, force, torque);
        double bend[3] = {0.0, 0.0, 0.0}, T[9];
        for (int k = 0; k < system->n_rot; k++)
            bend[k] = phx_dot(system->n_rot, inertia + k * system->n_rot, turn);
        if (dim == 3) {
            phx_rot_vector_rate(turn, T);
            phx_rot_apply_transposed(3, T, bend, turn);
        } else {
            turn[0] = bend[0];
        }
        for (int k = 0; k < system->n_rot; k++)
            rhs[slot->v + dim + k] = -torque[k] - turn[k];
    }
}

/* 1/2 sum (m |dc|^2 + turn . I_c turn). */
static double change_of_poses(const phx_system *system, const double *x)
{
    double sum = 0.0;

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_mass_properties *rest = phx_body_at_rest(slot->body);
        double d[3], turn[3], inertia[9];
        change_so_far(system, slot, x + slot->x, d, turn);
        central_inertia(system, rest, inertia);
        sum += 0.5 * rest->mass * phx_dot(system->dim, d, d);
        for (int k = 0; k < system->n_rot; k++)
            sum += 0.5 * turn[k] * phx_dot(system->n_rot, inertia + k * system->n_rot, turn);
    }
    return sum;
}

/* Largest move of the rigid part of xi: rad, and m over the size of the mechanism. */
static double largest_move(const phx_system *system, const double *xi, double size)
{
    double largest = 0.0;

    for (int b = 0; b < system->n_bodies; b++) {
        const double *d = xi + system->bodies[b].v;
        for (int a = 0; a < system->dim; a++)
            largest = fmax(largest, fabs(d[a]) / size);
        for (int k = 0; k < system->n_rot; k++)
            largest = fmax(largest, fabs(d[system->dim + k]));
        int v, n_places = phx_body_places(system->bodies[b].body, NULL, &v);
        for (int k = 0; k < n_places; k++)
            if (phx_body_wheel_gear(system->bodies[b].body, k + 1) == 0.0)
                largest = fmax(largest, fabs(d[v + k]) / size);
    }
    return largest;
}

/* x <- x moved rigidly by alpha xi, no body by more than 0.4 rad or 0.4 of the size. What deforms in xi is left out: a
 * rigid motion is known by that of the first frame. */
static double part_of(const phx_system *system, const double *xi, double size, double alpha)
{
    const double largest = alpha * largest_move(system, xi, size);
    return largest > 0.4 ? 0.4 * alpha / largest : alpha;
}

static void assemble_move(const phx_system *system, const double *xi, double size, double alpha, double *x)
{
    const double factor = part_of(system, xi, size, alpha);

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        int at, v, n_places = phx_body_places(slot->body, &at, &v);
        phx_body_displace_rigidly(slot->body, factor, xi + slot->v, x + slot->x);
        for (int k = 0; k < n_places; k++)
            x[slot->x + at + k] += factor * xi[slot->v + v + k];
    }
}

/* Characteristic length of the mechanism, m: the largest coordinate of a port, in its body or inertial, or radius of
 * gyration, at least 1e-6. */
double phx_system_size(const phx_dae *dae)
{
    const workspace *ws = (const workspace *)dae;
    const phx_system *system = ws->system;
    double size = 0.0;

    for (int i = 0; i < system->n_ports; i++)
        for (int a = 0; a < system->dim && !system->ports[i].port.wheel; a++)
            size = fmax(size, fmax(fabs(system->ports[i].port.point.x[a]), fabs(ws->ports.view[i].u1[a])));
    for (int b = 0; b < system->n_bodies; b++) {
        const phx_mass_properties *rest = phx_body_at_rest(system->bodies[b].body);
        for (int k = 0; k < system->n_rot; k++)
            size = fmax(size, sqrt(rest->J0[k] / rest->mass));
    }
    return fmax(size, SMALLEST_SIZE);
}

/* Moves all bodies by xi, rigid motions reduced by a common factor if they are large; returns the largest move relative
 * to the size, before the reduction. */
double phx_system_move(const phx_dae *dae, const double *xi, double *x)
{
    const workspace *ws = (const workspace *)dae;
    const phx_system *system = ws->system;
    const double size = phx_system_size(&ws->base), largest = largest_move(system, xi, size);
    const double factor = part_of(system, xi, size, 1.0);

    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        int q_x, q_v, n_q = phx_body_coordinates(slot->body, &q_x, &q_v);
        if (phx_sys_has_frames(system, b)) {
            phx_body_displace(slot->body, factor, xi + slot->v, x + slot->x);
            continue;
        }
        phx_body_displace_rigidly(slot->body, factor, xi + slot->v, x + slot->x);
        const int n_places = phx_body_places(slot->body, NULL, NULL); /* they follow; wheels do as the frames */
        for (int i = 0; i < n_q + n_places; i++)
            x[slot->x + q_x + i] += (i >= n_q && phx_body_wheel_gear(slot->body, i - n_q + 1) != 0.0 ? factor : 1.0) *
                                    xi[slot->v + q_v + i];
    }
    return largest;
}

/* An assembly residual that size and radian make comparable. */
static double relative_residual(const workspace *ws, int k, double residual, double size)
{
    return isnan(residual) ? HUGE_VAL
                           : fabs(residual) / (ws->system->rows.slot[ws->rows.index[k]].row->angular ? 1.0 : size);
}

/* Adds a row's part of the gap of its joint, from A to B in inertial components: the residual along the covector of
 * the translation of B. */
static void add_gap(const workspace *ws, int k, double *gap)
{
    const row_slot *slot = &ws->system->rows.slot[ws->rows.index[k]];
    double residual, g[PAIR_SIZE] = {0};

    phx_row_assembly_residual(slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], &residual, g,
                              g + PHX_PORT_MAX);
    for (int i = 0; i < ws->system->dim; i++)
        gap[i] += residual * g[PHX_PORT_MAX + i];
}

/* ", along [0.6 -0.8]" of a gap; nothing of joints that are only turned. */
static size_t put_direction(int dim, const double *gap, char *to, size_t size)
{
    const double length = sqrt(phx_dot(dim, gap, gap));
    size_t used = 0;

    for (int i = 0; i < dim && length > 0.0; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%.3g", i ? " " : ", along [", gap[i] / length);
    return length > 0.0 ? used + (size_t)snprintf(to + used, size - used, "]") : 0;
}

/* Returns PHX_ERR_ASSEMBLY with the names and residuals of all joints whose relative residual exceeds the tolerance. */
static phx_status cannot_close(const workspace *ws, double size, double tolerance)
{
    const phx_system *system = ws->system;
    char list[512] = "";
    size_t used = 0;

    for (int j = 0; j < system->n_joints; j++) {
        double worst = 0.0, residual = 0.0, gap[3] = {0};
        bool open = false;
        for (int k = 0; k < ws->rows.n; k++)
            if (system->rows.slot[ws->rows.index[k]].joint == j && row_residual(ws, k, &residual)) {
                worst = fmax(worst, fabs(residual));
                open = open || relative_residual(ws, k, residual, size) > tolerance;
                add_gap(ws, k, gap);
            }
        if (!open || used >= sizeof list - 140)
            continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.60s' (residual %.3g", used ? ", " : "",
                                 system->joints[j].name, worst);
        used += put_direction(system->dim, gap, list + used, sizeof list - used);
        used += (size_t)snprintf(list + used, sizeof list - used, ")");
    }
    return phx_fail(
        system->context, PHX_ERR_ASSEMBLY,
        "the joints cannot be closed: %s; check lengths, given angles and positions, and the poses as first guess",
        list);
}

/* Assembly residuals of the rows at x, the largest; negated into the rows of rhs (may be NULL), and which rows ask
 * anything: all, or without `hold` the constraints only. */
double phx_sys_assembly_residual(workspace *ws, const double *x, bool hold, double *rhs)
{
    double worst = 0.0;

    phx_sys_set_instant(ws, x, ws->step.vm);
    const double size = phx_system_size(&ws->base);
    for (int k = 0; k < ws->rows.n; k++) {
        double residual = 0.0;
        ws->rows.on[k] =
            row_residual(ws, k, &residual) && (hold || ws->system->rows.slot[ws->rows.index[k]].role == ROW_CONSTRAINT);
        if (rhs)
            rhs[ws->kkt.n_v + k] = ws->rows.on[k] ? -residual : 0.0;
        if (ws->rows.on[k])
            worst = fmax(worst, relative_residual(ws, k, residual, size));
    }
    return worst;
}

/* Close the joints from x by Newton steps of least norm; PHX_NOT_CONVERGED when assembly residuals are left. What is
 * fatal, a lack of memory, says nothing about the joints and is returned as it is, here and by all that closes joints.
 */
static phx_status close_joints(workspace *ws, double *x, bool hold)
{
    enum { LIMIT = 80 };
    double *rhs = ws->scratch.vector[0], best = HUGE_VAL;
    phx_status status = PHX_OK;

    for (int iteration = 0; iteration < LIMIT && !status; iteration++) {
        const double worst = phx_sys_assembly_residual(ws, x, hold, rhs);
        if (worst <= DBL_EPSILON || (worst <= CLOSED_WELL && worst >= best))
            return PHX_OK;
        best = fmin(best, worst);
        residual_covectors(ws);
        memset(rhs, 0, (size_t)ws->kkt.n_v * sizeof *rhs);
        status = phx_sys_factor_rigid(ws, x, ws->rows.on);
        if (!status)
            status = phx_sys_solve_rigid(ws, rhs);
        if (!status)
            assemble_move(ws->system, rhs, phx_system_size(&ws->base), 1.0, x);
    }
    if (status < 0)
        return status;
    return !status && phx_sys_assembly_residual(ws, x, hold, NULL) <= CLOSED ? PHX_OK : PHX_NOT_CONVERGED;
}

/* Way down along closed joints: xi into ws->scratch.vector[1]; its relative size and the slope of f along it. */
static phx_status downhill(workspace *ws, const double *x, double *size, double *slope)
{
    const phx_system *system = ws->system;
    double *xi = ws->scratch.vector[1], *gradient = ws->scratch.velocities;
    phx_status status = PHX_OK;

    phx_sys_assembly_residual(ws, x, true, NULL);
    residual_covectors(ws);
    phx_sys_pull_back(ws, x, xi);
    memcpy(gradient, xi, (size_t)system->n_v * sizeof *xi);
    memset(xi + system->n_v, 0, (size_t)ws->rows.n * sizeof *xi);
    status = phx_sys_factor_rigid(ws, x, ws->rows.on);
    if (!status)
        status = phx_sys_solve_rigid(ws, xi);
    if (status)
        return status;
    *slope = -phx_dot(system->n_v, gradient, xi);
    *size = largest_move(system, xi, phx_system_size(&ws->base));
    return PHX_OK;
}

/* f at x moved by alpha xi and closed again, in ws->step.x1; HUGE_VAL when it cannot be closed there. */
static phx_status change_along(workspace *ws, const double *x, double alpha, double *change)
{
    const phx_system *system = ws->system;

    memcpy(ws->step.x1, x, (size_t)system->n_x * sizeof *x);
    assemble_move(system, ws->scratch.vector[1], phx_system_size(&ws->base), alpha, ws->step.x1);
    const phx_status status = close_joints(ws, ws->step.x1, true);
    *change = status ? HUGE_VAL : change_of_poses(system, ws->step.x1);
    return status < 0 ? status : PHX_OK;
}

/* The length of the step xi: the parabola through f, its slope and f at 1, then halving. Leaves the moved and closed
 * configuration in ws->step.x1 and its f in *next, which is not below f when f does not fall. */
static phx_status assemble_search(workspace *ws, const double *x, double f, double slope, double *alpha, double *next)
{
    enum { HALVINGS = 12 };

    *alpha = 1.0;
    phx_status status = change_along(ws, x, 1.0, next);
    if (isfinite(*next) && *next - f - slope > 0.0)
        *alpha = fmin(2.0, -0.5 * slope / (*next - f - slope));
    if (!status && !(fabs(*alpha - 1.0) < 0.2 && *next < f))
        status = change_along(ws, x, *alpha, next);
    for (int k = 0; k < HALVINGS && !status && !(*next < f); k++)
        status = change_along(ws, x, *alpha *= 0.5, next);
    return status;
}

/* From closed joints to the least change. Where f no longer tells for rounding, the steps go on as long as they shrink.
 */
static phx_status least_change(workspace *ws, double *x)
{
    enum { LIMIT = 200 };
    const double FINE = 1e-6, ENOUGH = 1e-11;
    double size = HUGE_VAL, last = HUGE_VAL, slope = 0.0, alpha = 1.0, f = change_of_poses(ws->system, x);

    for (int iteration = 0; iteration < LIMIT; iteration++) {
        phx_status status = downhill(ws, x, &size, &slope);
        if (status || !(size > ENOUGH) || !(slope < 0.0))
            return status;
        double next = HUGE_VAL;
        bool stays;
        if (size < FINE) {
            stays = !(size < 0.9 * last);
            if (!stays)
                status = change_along(ws, x, alpha, &next);
            stays = stays || !isfinite(next);
            last = size;
        } else {
            status = assemble_search(ws, x, f, slope, &alpha, &next);
            stays = !(next < f);
            f = next;
        }
        if (status || stays)
            return status;
        memcpy(x, ws->step.x1, (size_t)ws->system->n_x * sizeof *x);
    }
    return PHX_OK; /* closed, and nearly the least change */
}

/* Numbers between -1 and 1, by xorshift64. */
static void assemble_draw(int n, uint64_t *seed, double *numbers)
{
    for (int i = 0; i < n; i++) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        numbers[i] = 2.0 * (double)(*seed >> 11) / 9007199254740992.0 - 1.0;
    }
}

/* Moves every body at random, by about `distance` in rad and of the size; distance up to 0.4. */
static void scatter(workspace *ws, uint64_t *seed, double distance, double *x)
{
    const phx_system *system = ws->system;
    double *xi = ws->scratch.vector[1];

    assemble_draw(system->n_v, seed, xi);
    phx_sys_set_instant(ws, x, ws->step.vm);
    const double size = phx_system_size(&ws->base);
    for (int b = 0; b < system->n_bodies; b++)
        for (int a = 0; a < system->dim; a++)
            xi[system->bodies[b].v + a] *= size;
    assemble_move(system, xi, size, distance, x);
}

static const uint64_t first_seed = 88172645463325252ULL;

/* Plane: where Newton's iteration has changed the angle of a body by more than half a turn, the angle nearest to that
 * of the pose as written, so that x depends on the attitudes alone and not on the iterates. */
static void unwind(const phx_system *system, double *x)
{
    for (int b = 0; b < system->n_bodies && system->dim == 2; b++) {
        const body_slot *slot = &system->bodies[b];
        const double angle = x[slot->x + 4], nearest = slot->pose.angle + remainder(angle - slot->pose.angle, 2.0 * pi);
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(slot->body, &frames);
        if (fabs(angle - slot->pose.angle) > pi)
            for (int f = 0; f < n_frames; f++)
                x[slot->x + frames[f].x + 4] = f == 0 ? nearest : x[slot->x + frames[f].x + 4] + nearest - angle;
    }
}

/* Newton's iteration has failed from the poses as written: try from around them, and keep the least change found. */
static phx_status assemble_from_around(workspace *ws, double *x)
{
    enum { ATTEMPTS = 12, MOVES = 4 };
    const phx_system *system = ws->system;
    const size_t bytes = (size_t)system->n_x * sizeof *x;
    double *trial = ws->step.x0, *best = ws->step.xm, least = HUGE_VAL;
    uint64_t seed = first_seed;

    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        memcpy(trial, x, bytes);
        write_poses(system, trial);
        for (int k = 0; k < MOVES; k++)
            scatter(ws, &seed, 0.4, trial);
        phx_status status = close_joints(ws, trial, true);
        if (!status)
            status = least_change(ws, trial);
        if (status < 0)
            return status;
        if (status)
            continue;
        const double change = change_of_poses(system, trial);
        if (change < least) {
            least = change;
            memcpy(best, trial, bytes);
        }
    }
    if (!isfinite(least))
        return PHX_NOT_CONVERGED;
    memcpy(x, best, bytes);
    return PHX_OK;
}

/* Assembles the mechanism from the poses as written: closes the joints, then minimises the change of the poses. If that
 * fails, other first guesses around the poses are tried before the error. */
phx_status phx_system_assemble(phx_system *system, double *x)
{
    workspace *ws = system->start.assembly;
    phx_status status = PHX_OK;

    write_poses(system, x);
    memset(ws->step.vm, 0, (size_t)system->n_v * sizeof *ws->step.vm);
    status = close_joints(ws, x, true);
    if (!status) {
        unwind(system, x);
        status = least_change(ws, x);
    } else if (status > 0) {
        if (!system->building.finalised) /* deformed bodies: no search */
            status = assemble_from_around(ws, x);
        if (status > 0) {
            phx_sys_assembly_residual(ws, x, true, NULL);
            return cannot_close(ws, phx_system_size(&ws->base), CLOSED);
        }
    }
    unwind(system, x);
    phx_sys_set_instant(ws, x, ws->step.vm);
    return status;
}

/* Start values of coordinates with a prescribed motion, at t. */
static void hold_motions(phx_system *system, double t, phx_coordinate_def *kept)
{
    for (int j = 0, n = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++) {
            phx_coordinate_def *def = &system->joints[j].coordinates[c].def;
            const phx_signal *motion = phx_signal_primitive(def->speed);
            kept[n++] = *def;
            def->has_start = motion != NULL;
            def->start = phx_signal_value(motion, t);
        }
}

static void release_motions(phx_system *system, const phx_coordinate_def *kept)
{
    for (int j = 0, n = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++)
            system->joints[j].coordinates[c].def = kept[n++];
}

void phx_sys_exchange_poses(phx_system *system, const double *x, phx_pose *written)
{
    for (int b = 0; b < system->n_bodies; b++) {
        const double *own = x + system->bodies[b].x;
        phx_pose *pose = &system->bodies[b].pose;
        written[b] = *pose;
        memcpy(pose->position, own, (size_t)system->dim * sizeof *own);
        phx_body_attitude(system->bodies[b].body, own, pose->rotation);
        pose->angle = system->dim == 2 ? own[4] : 0.0;
    }
}

/* Closes the joints by the smallest change from the configuration x, with driven coordinates at their signals at time
 * t. Poses and coordinate definitions of the system are the same afterwards. */
phx_status phx_sys_assemble_from(phx_system *system, double t, double *x)
{
    workspace *ws = system->start.assembly;
    const size_t most = (size_t)system->n_joints * PHX_JOINT_MAX_COORDINATES;
    phx_coordinate_def *kept = phx_calloc(system->context, most, sizeof *kept);
    phx_pose *written = phx_calloc(system->context, (size_t)system->n_bodies, sizeof *written);
    phx_status status = kept && written ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        hold_motions(system, t, kept);
        phx_sys_exchange_poses(system, x, written); /* the least change is that from x */
        memset(ws->step.vm, 0, (size_t)system->n_v * sizeof *ws->step.vm);
        status = close_joints(ws, x, true);
        if (!status)
            status = least_change(ws, x);
        else if (status > 0) {
            phx_sys_assembly_residual(ws, x, true, NULL);
            status = cannot_close(ws, phx_system_size(&ws->base), CLOSED);
        }
        if (!status)
            unwind(system, x);
        for (int b = 0; b < system->n_bodies; b++)
            system->bodies[b].pose = written[b];
        phx_sys_set_instant(ws, x, ws->step.vm);
        if (!status)
            phx_sys_unwrap_angles(ws, x);
        release_motions(system, kept);
    }
    phx_free(kept);
    phx_free(written);
    return status;
}

/* Distance (m) and rotation angle (rad) between a body's pose as written and in the assembled start. */
void phx_system_moved(const phx_system *system, phx_body_id id, double *distance, double *angle)
{
    const body_slot *slot = &system->bodies[id];
    const double *x = system->start.x + slot->x;
    const int dim = system->dim;
    double attitude[9], R[9], R0[9], Q[9], turn[3] = {0.0};

    *distance = 0.0;
    for (int a = 0; a < dim; a++)
        *distance = hypot(*distance, x[a] - slot->pose.position[a]);
    phx_attitude_set(dim, slot->pose.rotation, slot->pose.angle, attitude);
    phx_attitude_rotation(dim, attitude, R0);
    phx_body_attitude(slot->body, x, R);
    if (dim == 2) {
        *angle = fabs(atan2(R0[0] * R[2] - R0[2] * R[0], R0[0] * R[0] + R0[2] * R[2]));
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] = R0[i] * R[j] + R0[3 + i] * R[3 + j] + R0[6 + i] * R[6 + j];
    phx_rot_to_vector(Q, turn);
    *angle = hypot(hypot(turn[0], turn[1]), turn[2]);
}

/* Largest opening of a joint with the bodies in the poses as written, m and rad; both zero if that cannot be
 * evaluated. */
void phx_system_open_as_written(phx_system *system, phx_joint_id id, double *distance, double *angle)
{
    *distance = *angle = 0.0;
    if (phx_sys_need_assembly(system))
        return;
    workspace *ws = system->start.assembly;
    double *x = ws->step.x0;

    memcpy(x, system->start.x, (size_t)system->n_x * sizeof *x);
    write_poses(system, x);
    memset(ws->step.vm, 0, (size_t)system->n_v * sizeof *ws->step.vm);
    phx_sys_set_instant(ws, x, ws->step.vm);
    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &system->rows.slot[ws->rows.index[k]];
        double residual = 0.0, *largest = slot->row->angular ? angle : distance;
        if (slot->joint == id && row_residual(ws, k, &residual))
            *largest = fmax(*largest, fabs(residual));
    }
}

phx_status phx_sys_neighbour(phx_system *system, double distance, double *x)
{
    workspace *ws = system->start.assembly;
    uint64_t seed = first_seed;

    memset(ws->step.vm, 0, (size_t)system->n_v * sizeof *ws->step.vm);
    scatter(ws, &seed, distance, x);
    return close_joints(ws, x, false);
}

void phx_sys_any_way(const phx_system *system, int seed, double *way)
{
    uint64_t state = first_seed + (uint64_t)seed;
    assemble_draw(system->n_v, &state, way);
}

/* | W -G^T | | xi |   | W way |
 * | G  eps | | mu | = |   0   | */
phx_status phx_sys_walk(phx_system *system, double distance, double *way, double *x)
{
    workspace *ws = system->start.assembly;
    const int rigid = system->dim + system->n_rot;
    double *xi = ws->scratch.vector[1], mass[36];

    memset(ws->step.vm, 0, (size_t)system->n_v * sizeof *ws->step.vm);
    phx_sys_assembly_residual(ws, x, false, NULL);
    residual_covectors(ws);
    memset(xi, 0, (size_t)ws->kkt.n * sizeof *xi);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        phx_body_rigid_mass(slot->body, x + slot->x, mass);
        for (int i = 0; i < rigid; i++) /* as forces on the first frame, which is what factor_rigid takes */
            xi[slot->v + i] = phx_dot(rigid, mass + i * rigid, way + slot->v);
    }
    phx_status status = phx_sys_factor_rigid(ws, x, ws->rows.on);
    if (!status)
        status = phx_sys_solve_rigid(ws, xi);
    if (status)
        return status;
    const double size = phx_system_size(&ws->base), length = largest_move(system, xi, size);
    if (!(length > FREE * largest_move(system, way, size)))
        return PHX_NOT_CONVERGED;
    memcpy(way, xi, (size_t)system->n_v * sizeof *way);
    assemble_move(system, xi, size, distance / length, x);
    return close_joints(ws, x, false);
}

/* In (-pi, pi]; half a turn is +pi, on whichever side of it rounding has left the value. */
static double principal_angle(double angle)
{
    static const double rounding = 1e-9;
    const double wrapped = remainder(angle, 2.0 * pi);
    return wrapped <= rounding - pi ? wrapped + 2.0 * pi : wrapped;
}

/* The origin of a coordinate, and the value that x keeps of an unwrapped one. At the start a coordinate has the
 * value that is given; an angle that is not given has its principal value, in the plane and in space alike. */
static void set_offset(const workspace *ws, int j, int c, double *x)
{
    coordinate_slot *coordinate = &ws->system->joints[j].coordinates[c];
    const double value = phx_sys_coordinate_value(ws, j, c, 1);
    double start = value;

    if (coordinate->def.has_start) {
        start = coordinate->def.start;
        coordinate->row.target += value - start;
    } else if (coordinate->row.angular) {
        start = principal_angle(value);
        if (!coordinate->row.unwrapped) /* by whole turns, which leaves the values of most models as they are */
            coordinate->row.target += 2.0 * pi * round((value - start) / (2.0 * pi));
    }
    if (coordinate->angle >= 0)
        x[coordinate->angle] = start;
}

void phx_sys_set_offsets(phx_system *system, double *x)
{
    workspace *ws = system->start.assembly;

    memset(ws->step.v1, 0, (size_t)system->n_v * sizeof *ws->step.v1);
    phx_sys_set_instant(ws, x, ws->step.v1);
    for (int j = 0; j < system->n_joints; j++)
        for (int c = 0; c < system->joints[j].n_coordinates; c++)
            set_offset(ws, j, c, x);
    phx_sys_unwrap_angles(ws, x);
}
