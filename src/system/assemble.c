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

/* Gap of row k at the current views; false when the row asks nothing of the positions. */
static bool row_gap(const workspace *ws, int k, double *gap)
{
    const row_slot *slot = &ws->system->rows[ws->row[k]];
    const joint_slot *joint = &ws->system->joints[slot->joint];
    const phx_coordinate_def *def = &joint->coordinates[slot->coordinate].def;

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

/* -W d: d leads from the present pose back along the change so far, in present body axes, about the centre of mass. */
static void pull_back(const workspace *ws, const double *x, double *rhs)
{
    const phx_system *system = ws->system;
    const int dim = system->dim;

    memset(rhs, 0, (size_t)system->n_v * sizeof *rhs);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const phx_flex *flex = phx_body_flex(slot->body);
        double written[16] = {0}, c0[3], c1[3], d[3], turn[3], force[3], torque[3], R[9], R0[9], s[3], inertia[9];
        const double *xb = x + slot->x;
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
        } else { /* rotation vector of R0^T R, skew part is enough near the guess */
            for (int k = 0; k < 3; k++) {
                const int i = (k + 1) % 3, j = (k + 2) % 3;
                turn[k] = 0.0;
                for (int m = 0; m < 3; m++)
                    turn[k] += 0.5 * (R0[3 * m + j] * R[3 * m + i] - R0[3 * m + i] * R[3 * m + j]);
            }
        }
        /* gradient of 1/2 (m d.d + turn . I_c turn): force m d at the centre of mass, torque I_c turn */
        for (int a = 0; a < dim; a++)
            force[a] = flex->mass * d[a];
        phx_vec_x_vec(dim, s, force, torque);
        for (int k = 0; k < system->n_rot; k++)
            for (int l = 0; l < system->n_rot; l++) {
                double steiner = 0.0;
                for (int a = 0; a < dim; a++)
                    steiner += dim == 2 || k == l ? s[a] * s[a] : 0.0;
                steiner -= dim == 3 ? s[k] * s[l] : 0.0;
                const int pair = k == l ? k : k + l + 2;
                inertia[k * system->n_rot + l] = flex->J0[pair] - flex->mass * steiner;
            }
        for (int a = 0; a < dim; a++)
            rhs[slot->v + a] = -force[a];
        for (int k = 0; k < system->n_rot; k++) {
            double sum = torque[k];
            for (int l = 0; l < system->n_rot; l++)
                sum += inertia[k * system->n_rot + l] * turn[l];
            rhs[slot->v + dim + k] = -sum;
        }
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

/* Rows that hold a direction vanish half a turn away too: the turned direction must agree. */
static phx_status check_turns(const workspace *ws)
{
    const phx_system *system = ws->system;

    for (int r = 0; r < system->n_rows && system->dim == 2; r++) {
        const row_slot *slot = &system->rows[r];
        const joint_slot *joint = &system->joints[slot->joint];
        double a[3], b[3];
        if (slot->role != ROW_CONSTRAINT || slot->row->kind != PHX_ROW_DOT)
            continue;
        const double turned[2] = {-slot->row->beta[1], slot->row->beta[0]};
        phx_port_direction(&ws->port_views[joint->a], 1, slot->row->alpha, a);
        phx_port_direction(&ws->port_views[joint->b], 1, turned, b);
        if (phx_sys_dot(2, a, b) <= 0.0)
            return phx_fail(system->context, PHX_ERR_ASSEMBLY,
                            "joint '%s' closed half a turn away from its angle; give poses nearer to the closed joint",
                            joint->name);
    }
    return PHX_OK;
}

phx_status phx_sys_assemble(phx_system *system, double *x)
{
    workspace *ws = system->assembly;
    double *rhs = ws->scratch, *rest = ws->v1;
    bool *on = phx_calloc(system->context, (size_t)ws->n_l, sizeof *on);
    double worst = HUGE_VAL, best = HUGE_VAL, size = 1.0, moved = 0.0;
    phx_status status = on ? PHX_OK : PHX_ERR_MEMORY;
    int settled = 0;

    if (status)
        return status;
    write_poses(system, x);
    memset(rest, 0, (size_t)system->n_v * sizeof *rest);
    memset(ws->vm, 0, (size_t)system->n_v * sizeof *ws->vm);
    memset(rhs, 0, (size_t)ws->kkt.n * sizeof *rhs);
    memset(ws->lambda, 0, (size_t)ws->n_l * sizeof *ws->lambda);
    for (int iteration = 0; iteration < 300 && settled < 3; iteration++) {
        phx_sys_set_instant(ws, x, rest);
        phx_sys_rows(ws, 0.0, 0.0);
        size = length_scale(ws);
        pull_back(ws, x, rhs);
        worst = 0.0;
        for (int k = 0; k < ws->n_l; k++) {
            double gap = 0.0;
            on[k] = row_gap(ws, k, &gap);
            rhs[system->n_v + k] = on[k] ? -gap : 0.0;
            worst = on[k] ? fmax(worst, fabs(gap)) : worst;
        }
        if (iteration > 0 && worst <= 1e-12 * size && (moved < 1e-10 || iteration > 60))
            settled += worst >= best || worst == 0.0 || settled > 0;
        best = fmin(best, worst);
        status = phx_sys_factor_rigid(ws, x, on);
        for (int k = 0; k < ws->n_l; k++) /* eps (mu - mu before): nothing is left of it at the end */
            rhs[system->n_v + k] += on[k] ? ws->tau[k] * ws->lambda[k] : 0.0;
        if (!status)
            status = phx_lu_solve(ws->lu_mass, 1, rhs);
        if (status)
            break;
        memcpy(ws->lambda, rhs + system->n_v, (size_t)ws->n_l * sizeof *rhs);
        moved = move(system, rhs, size, x);
    }
    phx_sys_set_instant(ws, x, rest);
    worst = 0.0;
    for (int k = 0; k < ws->n_l && !status; k++) {
        double gap = 0.0;
        if (row_gap(ws, k, &gap))
            worst = fmax(worst, isnan(gap) ? HUGE_VAL : fabs(gap));
    }
    if (status == PHX_SINGULAR || (!status && !(worst <= 1e-10 * size)))
        status = cannot_close(ws, 1e-10 * size);
    if (!status)
        status = check_turns(ws);
    phx_free(on);
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
