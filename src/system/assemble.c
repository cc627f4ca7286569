/* Closing the joints at position level by the smallest change of the poses as written,
 *   min  sum m |dc|^2 + dtheta . I_c dtheta    over the bodies' centres of mass c and attitudes,
 * deformations held, given coordinate values held. Every step solves
 *   | W  -G^T | | xi |   | -W d          |   W: rigid mass matrix, d: change so far, g: gaps;
 *   | G   eps | | mu | = | -g + eps mu_0 |   eps lets redundant rows pass when they agree, mu_0: mu before. */
#include "system_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static bool is_deformation(const phx_system *system, const int *rigid_of, int i)
{
    return i < system->n_v && !rigid_of[i];
}

phx_status phx_sys_factor_rigid(workspace *ws, const double *x, const bool *on)
{
    const phx_system *system = ws->system;
    const kkt_matrix *kkt = &ws->kkt;
    const int n_v = system->n_v, rigid = system->dim + system->n_rot;
    double *diagonal = ws->scratch3;
    int *rigid_of = (int *)(void *)ws->scratch4; /* one flag for each velocity */

    memset(ws->val, 0, (size_t)kkt->ptr[kkt->n] * sizeof(double));
    phx_sys_ports_jacobian(ws);
    phx_sys_scatter_bodies(ws, x, ws->vm, false);
    phx_sys_put_rows(ws, ws->val);
    memset(rigid_of, 0, (size_t)n_v * sizeof *rigid_of);
    for (int b = 0; b < system->n_bodies; b++)
        for (int i = 0; i < rigid; i++)
            rigid_of[system->bodies[b].v + i] = 1;
    for (int i = 0; i < n_v; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            if (kkt->idx[k] == i)
                diagonal[i] = ws->val[k];
    for (int i = 0; i < kkt->n; i++) {
        const bool off_i = is_deformation(system, rigid_of, i) || (i >= n_v && !on[i - n_v]);
        double schur = 0.0;
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++) {
            const int j = kkt->idx[k];
            const bool off_j = is_deformation(system, rigid_of, j) || (j >= n_v && !on[j - n_v]);
            if (off_i || off_j)
                ws->val[k] = i == j ? 1.0 : 0.0;
            else if (i >= n_v && j < n_v)
                schur += ws->val[k] * ws->val[k] / diagonal[j];
        }
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1] && i >= n_v && !off_i; k++)
            if (kkt->idx[k] == i)
                ws->val[k] = ws->tau[i - n_v] = schur > 0.0 ? 1e-10 * schur : 1.0;
    }
    return phx_lu_factor(ws->lu_mass, ws->val, NULL);
}

/* Poses as written into x; the deformations in x stay. */
static void write_poses(const phx_system *system, double *x)
{
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        memcpy(x + slot->x, slot->pose.position, (size_t)system->dim * sizeof *x);
        phx_attitude_set(system->dim, slot->pose.rotation, slot->pose.angle, x + slot->x + system->dim);
    }
}

/* Plane: the angle by which B has turned beyond what a DOT row holds. The row itself is its sine, zero half a turn away
 * too; the angle is not. */
static double turn_beyond(const workspace *ws, const row_slot *slot)
{
    const joint_slot *joint = &ws->system->joints[slot->joint];
    const double turned[2] = {-slot->row->beta[1], slot->row->beta[0]};
    double a[3], sine[3], cosine[3];

    phx_port_direction(&ws->port_views[joint->a], 1, slot->row->alpha, a);
    phx_port_direction(&ws->port_views[joint->b], 1, slot->row->beta, sine);
    phx_port_direction(&ws->port_views[joint->b], 1, turned, cosine);
    return atan2(phx_sys_dot(2, a, sine), phx_sys_dot(2, a, cosine));
}

static bool is_plane_turn(const phx_system *system, const row_slot *slot)
{
    return system->dim == 2 && slot->row->kind == PHX_ROW_DOT;
}

/* Gap of row k at the current views; false when the row asks nothing of the positions. */
static bool row_gap(const workspace *ws, int k, double *gap)
{
    const row_slot *slot = &ws->system->rows[ws->row[k]];
    const joint_slot *joint = &ws->system->joints[slot->joint];
    const phx_coordinate_def *def = &joint->coordinates[slot->coordinate].def;

    if (is_plane_turn(ws->system, slot)) {
        *gap = turn_beyond(ws, slot);
        return true;
    }
    *gap = phx_row_value(slot->row, &ws->port_views[joint->a], &ws->port_views[joint->b], 1);
    if (slot->role == ROW_CONSTRAINT)
        return true;
    if (!def->has_start)
        return false;
    *gap -= def->start;
    if (slot->row->angular)
        *gap = remainder(*gap, 2.0 * pi);
    return true;
}

/* Covectors of the gaps: those of the rows, but of the angle where that is the gap (rigid part: w_b - w_a). */
static void gap_covectors(workspace *ws)
{
    const phx_system *system = ws->system;

    phx_sys_rows(ws, 0.0, 0.0);
    for (int k = 0; k < ws->n_l; k++) {
        double *g = ws->covector + (size_t)k * PAIR_SIZE;
        if (!is_plane_turn(system, &system->rows[ws->row[k]]))
            continue;
        memset(g, 0, PAIR_SIZE * sizeof *g);
        g[2] = -1.0;
        g[PHX_PORT_MAX + 2] = 1.0;
    }
}

/* Change of the place of the centre of mass, in present body axes, and of the attitude, from the pose as written. */
static void change_so_far(const phx_system *system, const body_slot *slot, const double *xb, double *d, double *turn)
{
    const int dim = system->dim;
    const phx_flex *flex = phx_body_flex(slot->body);
    double written[16] = {0}, c0[3], c1[3], R[9], R0[9], s[3];

    memcpy(written, slot->pose.position, (size_t)dim * sizeof *written);
    phx_attitude_set(dim, slot->pose.rotation, slot->pose.angle, written + dim);
    phx_attitude_rotation(dim, xb + dim, R);
    phx_attitude_rotation(dim, written + dim, R0);
    for (int a = 0; a < dim; a++)
        s[a] = flex->s0[a] / flex->mass;
    phx_rot_apply(dim, R, s, c1);
    phx_rot_apply(dim, R0, s, c0);
    for (int a = 0; a < dim; a++)
        c1[a] = xb[a] + c1[a] - written[a] - c0[a];
    phx_rot_apply_transposed(dim, R, c1, d);
    if (dim == 2) {
        turn[0] = xb[4] - written[4];
        return;
    }
    for (int k = 0; k < 3; k++) { /* rotation vector of R0^T R, the skew part is enough near the guess */
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        turn[k] = 0.0;
        for (int m = 0; m < 3; m++)
            turn[k] += 0.5 * (R0[3 * m + j] * R[3 * m + i] - R0[3 * m + i] * R[3 * m + j]);
    }
}

/* Inertia of the undeformed body about its centre of mass, n_rot x n_rot: J0 - m (|s|^2 I - s s^T). */
static void central_inertia(const phx_system *system, const phx_flex *flex, double *inertia)
{
    const int dim = system->dim, n_rot = system->n_rot;
    double s[3], square = 0.0;

    for (int a = 0; a < dim; a++) {
        s[a] = flex->s0[a] / flex->mass;
        square += s[a] * s[a];
    }
    for (int k = 0; k < n_rot; k++)
        for (int l = 0; l < n_rot; l++) {
            const int pair = k == l ? k : k + l + 2;
            const double steiner = (k == l ? square : 0.0) - (dim == 3 ? s[k] * s[l] : 0.0);
            inertia[k * n_rot + l] = flex->J0[pair] - flex->mass * steiner;
        }
}

/* -W d, the gradient of 1/2 (m d.d + turn . I_c turn): force m d at the centre of mass, torque I_c turn. */
static void pull_back(const workspace *ws, const double *x, double *rhs)
{
    const phx_system *system = ws->system;
    const int dim = system->dim;

    memset(rhs, 0, (size_t)system->n_v * sizeof *rhs);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_flex *flex = phx_body_flex(slot->body);
        double d[3], turn[3], s[3], force[3], torque[3], inertia[9];
        change_so_far(system, slot, x + slot->x, d, turn);
        central_inertia(system, flex, inertia);
        for (int a = 0; a < dim; a++) {
            s[a] = flex->s0[a] / flex->mass;
            force[a] = flex->mass * d[a];
            rhs[slot->v + a] = -force[a];
        }
        phx_vec_x_vec(dim, s, force, torque);
        for (int k = 0; k < system->n_rot; k++)
            rhs[slot->v + dim + k] = -torque[k] - phx_sys_dot(system->n_rot, inertia + k * system->n_rot, turn);
    }
}

/* x <- x moved by the rigid part of xi, at most `limit` rad a body; returns the largest relative change. */
static double move(const phx_system *system, const double *xi, double size, double *x)
{
    const int dim = system->dim;
    double largest = 0.0, factor = 1.0;

    for (int b = 0; b < system->n_bodies; b++) {
        const double *d = xi + system->bodies[b].v;
        for (int a = 0; a < dim; a++)
            largest = fmax(largest, fabs(d[a]) / size);
        for (int k = 0; k < system->n_rot; k++)
            largest = fmax(largest, fabs(d[dim + k]));
    }
    if (largest > 0.4)
        factor = 0.4 / largest;
    for (int b = 0; b < system->n_bodies; b++) {
        const double *d = xi + system->bodies[b].v;
        double *xb = x + system->bodies[b].x, R[9], step[3], turn[3];
        phx_attitude_rotation(dim, xb + dim, R);
        phx_rot_apply(dim, R, d, step);
        for (int a = 0; a < dim; a++)
            xb[a] += factor * step[a];
        for (int k = 0; k < system->n_rot; k++)
            turn[k] = factor * d[dim + k];
        if (dim == 2) {
            phx_attitude_set(2, NULL, xb[4] + turn[0], xb + 2);
        } else {
            phx_rot_cayley(3, R, turn, R);
            phx_rot_normalise(3, R);
            phx_attitude_set(3, R, 0.0, xb + 3);
        }
    }
    return largest;
}

static double length_scale(const workspace *ws)
{
    const phx_system *system = ws->system;
    double size = 1e-6;
    for (int i = 0; i < system->n_ports; i++)
        for (int a = 0; a < system->dim; a++)
            size = fmax(size, fmax(fabs(system->ports[i].port.point.x[a]), fabs(ws->port_views[i].u1[a])));
    return size;
}

static phx_status cannot_close(const workspace *ws, double tolerance)
{
    const phx_system *system = ws->system;
    char list[512] = "";
    size_t used = 0;

    for (int j = 0; j < system->n_joints; j++) {
        double worst = 0.0, gap = 0.0;
        for (int k = 0; k < ws->n_l; k++)
            if (system->rows[ws->row[k]].joint == j && row_gap(ws, k, &gap))
                worst = fmax(worst, fabs(gap));
        if ((worst > tolerance || isnan(worst)) && used < sizeof list - 80)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s' (gap %.3g)", used ? ", " : "",
                                     system->joints[j].name, worst);
    }
    return phx_fail(
        system->context, PHX_ERR_ASSEMBLY,
        "the joints cannot be closed: %s; check lengths, given angles and positions, and the poses as first guess",
        list);
}

/* Gaps of the rows at the current views, the largest; with rhs: -gap into the rows', and which rows ask anything. */
static double measure_gaps(workspace *ws, double *rhs)
{
    double worst = 0.0;

    for (int k = 0; k < ws->n_l; k++) {
        double gap = 0.0;
        const bool asks = row_gap(ws, k, &gap);
        if (rhs) {
            ws->on[k] = asks;
            rhs[ws->kkt.n_v + k] = asks ? -gap : 0.0;
        }
        if (asks)
            worst = fmax(worst, isnan(gap) ? HUGE_VAL : fabs(gap));
    }
    return worst;
}

/* One step of the constrained minimisation; `rhs` holds -g in the rows. */
static phx_status step(workspace *ws, double size, double *rhs, double *x, double *moved)
{
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    pull_back(ws, x, rhs);
    status = phx_sys_factor_rigid(ws, x, ws->on);
    for (int k = 0; k < ws->n_l; k++) /* eps (mu - mu before): nothing is left of it at the end */
        rhs[system->n_v + k] += ws->on[k] ? ws->tau[k] * ws->lambda[k] : 0.0;
    if (!status)
        status = phx_lu_solve(ws->lu_mass, 1, rhs);
    if (status)
        return status;
    memcpy(ws->lambda, rhs + system->n_v, (size_t)ws->n_l * sizeof *rhs);
    *moved = move(system, rhs, size, x);
    return PHX_OK;
}

phx_status phx_sys_assemble(phx_system *system, double *x)
{
    enum { PATIENCE = 60, LIMIT = 300 }; /* closed joints are enough when the least change converges slowly */
    workspace *ws = system->assembly;
    double *rhs = ws->scratch, *rest = ws->v1, best = HUGE_VAL, size = 1.0, moved = 0.0;
    phx_status status = PHX_OK;
    int settled = 0;

    write_poses(system, x);
    memset(rest, 0, (size_t)system->n_v * sizeof *rest);
    memset(ws->vm, 0, (size_t)system->n_v * sizeof *ws->vm);
    memset(rhs, 0, (size_t)ws->kkt.n * sizeof *rhs);
    memset(ws->lambda, 0, (size_t)ws->n_l * sizeof *ws->lambda);
    for (int iteration = 0; iteration < LIMIT && settled < 3 && !status; iteration++) {
        phx_sys_set_instant(ws, x, rest);
        gap_covectors(ws);
        size = length_scale(ws);
        const double worst = measure_gaps(ws, rhs);
        if (iteration > 0 && worst <= 1e-12 * size && (moved < 1e-10 || iteration > PATIENCE))
            settled += worst >= best || worst == 0.0 || settled > 0;
        best = fmin(best, worst);
        status = step(ws, size, rhs, x, &moved);
    }
    phx_sys_set_instant(ws, x, rest);
    if (status == PHX_SINGULAR || (!status && !(measure_gaps(ws, NULL) <= 1e-10 * size)))
        status = cannot_close(ws, 1e-10 * size);
    return status;
}

void phx_sys_set_offsets(phx_system *system, const double *x)
{
    workspace *ws = system->assembly;

    memset(ws->v1, 0, (size_t)system->n_v * sizeof *ws->v1);
    phx_sys_set_instant(ws, x, ws->v1);
    for (int j = 0; j < system->n_joints; j++) {
        joint_slot *joint = &system->joints[j];
        for (int c = 0; c < joint->n_coordinates; c++) {
            coordinate_slot *coordinate = &joint->coordinates[c];
            if (coordinate->def.has_start)
                coordinate->row.target += phx_sys_coordinate_value(ws, j, c, 1) - coordinate->def.start;
        }
    }
}
