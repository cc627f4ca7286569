/* Steady rotation: all bodies of a component turn (or slide) as one rigid body, with a twist that the joints and the
 * constant speeds of the drives determine. The body velocities are then functions of the configuration,
 *
 *   v = V(x):   v_P = R^T (v_O + Omega x r),   w = R^T Omega,   q_dot = 0,
 *
 * constant in time, and the deformed equilibrium solves
 *
 *   residual of motion(x, V(x), v_dot = 0, lambda) = 0      n_v
 *   gaps of the joints = 0, driven coordinates as they are  n_l
 *
 * With xi the body-axes increment of x in the turning frame, dv = xi' + ad xi, ad = [[w]x [v]x; 0 [w]x] on the rigid
 * part of each body (from d(r' ) = R([w]x xi_r + xi_r' ) and R' = R[w]x). The residual varies by
 *
 *   M xi'' + (D + M ad) xi' + (K + D ad) xi - G^T dlambda,
 *
 * whose last matrix is also that of Newton's iteration, since V(x) varies by ad xi. */
#include "system_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 60, TWIST = 6 };

typedef struct steady {
    workspace *ws;
    double size; /* of the mechanism, m */
    double t;
    double *twist;            /* components x TWIST: v_O (dim), Omega (n_rot) */
    double *coordinate;       /* n_l: driven coordinates at the start, to be kept */
    double *res, *xi, *still; /* n each, the last zero */
    double *x;                /* n_x */
    double *K, *D;            /* kkt pattern */
} steady;

static void steady_free(steady *s)
{
    double *arrays[] = {s->twist, s->coordinate, s->res, s->xi, s->still, s->x, s->K, s->D};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
}

static phx_status steady_create(workspace *ws, double t, steady *s)
{
    phx_context *context = ws->base.context;
    const phx_system *system = ws->system;
    const size_t n = (size_t)ws->kkt.n, nnz = (size_t)ws->kkt.ptr[ws->kkt.n];

    *s = (steady){.ws = ws, .t = t};
    s->twist = phx_calloc(context, (size_t)system->n_components * TWIST, sizeof *s->twist);
    s->coordinate = phx_calloc(context, (size_t)ws->n_l, sizeof *s->coordinate);
    s->res = phx_calloc(context, n, sizeof *s->res);
    s->xi = phx_calloc(context, n, sizeof *s->xi);
    s->still = phx_calloc(context, n, sizeof *s->still);
    s->x = phx_calloc(context, (size_t)system->n_x, sizeof *s->x);
    s->K = phx_calloc(context, nnz, sizeof *s->K);
    s->D = phx_calloc(context, nnz, sizeof *s->D);
    return s->twist && s->coordinate && s->res && s->xi && s->still && s->x && s->K && s->D ? PHX_OK : PHX_ERR_MEMORY;
}

static double mass_of(const phx_system *system)
{
    double mass = 0.0;
    for (int b = 0; b < system->n_bodies; b++)
        mass += phx_body_flex(system->bodies[b].body)->mass;
    return mass;
}

/* ---- the twist of each component ---- */
/* Velocities of all bodies of a component (-1: of every component) from its twist, `factor` times. */
static void write_rotation(const steady *s, int component, double factor, const double *x, double *v)
{
    const phx_system *system = s->ws->system;
    const int dim = system->dim;

    memset(v, 0, (size_t)system->n_v * sizeof *v);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const double *twist = s->twist + slot->component * TWIST, *xb = x + slot->x;
        double R[9] = {0}, velocity[3], angular[3];
        if (component >= 0 && slot->component != component)
            continue;
        phx_attitude_rotation(dim, xb + dim, R);
        phx_rot_x_vec(dim, twist + dim, xb, velocity);
        for (int a = 0; a < dim; a++)
            velocity[a] = factor * (velocity[a] + twist[a]);
        for (int k = 0; k < system->n_rot; k++)
            angular[k] = factor * twist[dim + k];
        phx_rot_apply_transposed(dim, R, velocity, v + slot->v);
        if (dim == 2)
            v[slot->v + 2] = angular[0];
        else
            phx_rot_apply_transposed(3, R, angular, v + slot->v + 3);
    }
}

/* Largest |G V - w| of a component's rows, rad/s and m/s over the size, and the joint that has it. */
static double left_over(const steady *s, int component, const double *x, double *v, const char **joint)
{
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    double worst = 0.0;

    write_rotation(s, component, 1.0, x, v);
    phx_sys_set_instant(ws, x, v);
    phx_sys_rows(ws, s->t, 0.0);
    for (int k = 0; k < ws->n_l; k++) {
        const row_slot *slot = &system->rows[ws->row[k]];
        const double e = fabs(phx_sys_row_rate(ws, k) - ws->w[k]) / (slot->row->angular ? 1.0 : s->size);
        if (slot->component == component && !(e <= worst)) {
            worst = isnan(e) ? HUGE_VAL : e;
            *joint = system->joints[slot->joint].name;
        }
    }
    return worst;
}

static double angular_speed(const phx_system *system, const double *twist)
{
    return sqrt(phx_sys_dot(system->n_rot, twist + system->dim, twist + system->dim));
}

/* Least norm of G V(twist) = w over the rows of a component; whether that leaves no freedom. */
static phx_status solve_twist(const steady *s, int component, const double *x, double *v, bool *unique)
{
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    const int n = system->dim + system->n_rot, rows = ws->n_l;
    double *A = phx_calloc(ws->base.context, (size_t)(rows + 1) * TWIST, sizeof *A), *b = s->xi;
    double *twist = s->twist + component * TWIST, solution[TWIST] = {0};
    int rank = 0;
    phx_status status = A ? PHX_OK : PHX_ERR_MEMORY;

    for (int c = 0; c < n && !status; c++) {
        memset(twist, 0, TWIST * sizeof *twist);
        twist[c] = c < system->dim ? s->size : 1.0;
        write_rotation(s, component, 1.0, x, v);
        phx_sys_set_instant(ws, x, v);
        phx_sys_rows(ws, s->t, 0.0);
        for (int k = 0; k < rows; k++) {
            const row_slot *slot = &system->rows[ws->row[k]];
            const double scale = slot->component != component ? 0.0 : slot->row->angular ? 1.0 : 1.0 / s->size;
            A[k * n + c] = scale * phx_sys_row_rate(ws, k);
            b[k] = scale * ws->w[k];
        }
    }
    if (!status)
        status = phx_dense_least_norm(ws->base.context, rows, n, A, 1, b, 1e-9, solution, &rank);
    for (int c = 0; c < n; c++)
        twist[c] = c < system->dim ? s->size * solution[c] : solution[c];
    *unique = rank == n;
    phx_free(A);
    return status;
}

/* Drives of constant speed, and the twists they ask for. A component that the joints leave some freedom turns with the
 * first one that turns, if they allow it. */
static phx_status find_twists(steady *s, const double *x, double *v)
{
    const phx_system *system = s->ws->system;
    phx_context *context = s->ws->base.context;
    const double *turning = NULL;
    phx_status status = PHX_OK;

    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < system->n_components && !status; c++) {
            double *twist = s->twist + c * TWIST, own[TWIST];
            const char *joint = "";
            bool unique = false;
            status = solve_twist(s, c, x, v, &unique);
            if (status)
                break;
            double size = 0.0;
            for (int i = 0; i < system->dim + system->n_rot; i++)
                size = fmax(size, fabs(twist[i]) / (i < system->dim ? s->size : 1.0));
            if (pass == 0 && unique && !turning && angular_speed(system, twist) > 0.0)
                turning = twist;
            if (pass == 0)
                continue;
            if (!unique && turning) {
                memcpy(own, twist, sizeof own);
                memcpy(twist, turning, sizeof own);
                if (left_over(s, c, x, v, &joint) <= 1e-9 * angular_speed(system, turning))
                    continue;
                memcpy(twist, own, sizeof own);
            }
            const double left = left_over(s, c, x, v, &joint);
            if (!(left <= 1e-9 * size))
                status = phx_fail(context, PHX_ERR_ANALYSIS,
                                  "there is no steady rotation: the drives do not turn everything as one rigid body "
                                  "about a fixed axis (joint '%s' is left with %.3g rad/s); drive one joint to the "
                                  "ground with a constant speed and hold the others",
                                  joint, left);
        }
    return status;
}

static phx_status check_drives(const phx_system *system, double t, phx_context *context)
{
    int driven = 0;

    for (int r = 0; r < system->n_rows; r++) {
        const row_slot *slot = &system->rows[r];
        if (slot->role != ROW_DRIVEN)
            continue;
        const joint_slot *joint = &system->joints[slot->joint];
        const double rate = phx_signal_rate(joint->coordinates[slot->coordinate].def.speed, t);
        driven++;
        const double speed = phx_signal_value(joint->coordinates[slot->coordinate].def.speed, t);
        if (!(fabs(rate) <= 1e-9 * fmax(fabs(speed), 1.0)))
            return phx_fail(context, PHX_ERR_ANALYSIS,
                            "joint '%s': its speed changes at t = %g s, by %.3g rad/s^2; a steady rotation needs a "
                            "constant speed",
                            joint->name, t, rate);
    }
    if (driven == 0)
        return phx_fail(context, PHX_ERR_ANALYSIS,
                        "a steady rotation needs a drive: give a joint to the ground a constant speed");
    return PHX_OK;
}

/* ---- equilibrium ---- */
/* K += D ad, D += M ad of the last linearisation at v. */
static void add_convection(workspace *ws, const double *v)
{
    const phx_system *system = ws->system;
    const kkt_matrix *kkt = &ws->kkt;
    const int dim = system->dim, n_rot = system->n_rot;
    const double *from[2] = {ws->D, ws->M};
    double *to[2] = {ws->K, ws->D};

    for (int i = 0; i < kkt->n_v; i++)
        for (int k = kkt->ptr[i], b = 0; k < kkt->ptr[i + 1] && kkt->idx[k] < kkt->n_v; k++) {
            while (b < system->n_bodies && system->bodies[b].v < kkt->idx[k])
                b++;
            if (b == system->n_bodies)
                break;
            if (system->bodies[b].v != kkt->idx[k])
                continue;
            const double *vb = v + system->bodies[b].v, *w = vb + dim;
            for (int pass = 0; pass < 2; pass++) { /* d_t [w]x = (d_t x w)^T, d_t [v]x + d_r [w]x */
                const double *d = from[pass] + k;
                double t[3], r[3], r2[3];
                phx_vec_x_rot(dim, d, w, t);
                phx_vec_x_vec(dim, d, vb, r);
                phx_rot_x_rot(dim, d + dim, w, r2);
                for (int a = 0; a < dim; a++)
                    to[pass][k + a] += t[a];
                for (int m = 0; m < n_rot; m++)
                    to[pass][k + dim + m] += r[m] + r2[m];
            }
        }
}

/* Gaps, driven coordinates against their values at the start: what is left to close, n_l. Returns the largest,
 * relative. */
static double gaps(const steady *s, const double *x, const double *v, bool first, double *out)
{
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    double worst = 0.0;

    phx_sys_set_instant(ws, x, v);
    for (int k = 0; k < ws->n_l; k++) {
        const row_slot *slot = &system->rows[ws->row[k]];
        const joint_slot *joint = &system->joints[slot->joint];
        out[k] = phx_row_value(slot->row, &ws->port_views[joint->a], &ws->port_views[joint->b], 1);
        if (first)
            s->coordinate[k] = slot->role == ROW_DRIVEN ? out[k] : 0.0;
        out[k] -= s->coordinate[k];
        worst = fmax(worst, fabs(out[k]) / (slot->row->angular ? 1.0 : s->size));
    }
    return worst;
}

/* Factor [K + sigma M, -G^T; G, 0]. The shift begins at what rounding makes of a zero frequency and grows where the
 * matrix is singular: at a critical speed, or with a joint that is free at zero speed. */
static phx_status factor_shifted(workspace *ws)
{
    const kkt_matrix *kkt = &ws->kkt;
    double highest = 0.0;

    for (int i = 0; i < kkt->n_v; i++)
        for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
            if (kkt->idx[k] == i && ws->M[k] > 0.0)
                highest = fmax(highest, fabs(ws->K[k]) / ws->M[k]);
    phx_status status = PHX_SINGULAR;
    for (double sigma = 1e-13 * (highest > 0.0 ? highest : 1.0);
         status == PHX_SINGULAR && sigma <= 1e-5 * highest + 1.0; sigma *= 1e3) {
        for (int i = 0; i < kkt->n; i++)
            for (int k = kkt->ptr[i]; k < kkt->ptr[i + 1]; k++)
                ws->val[k] = i < kkt->n_v && kkt->idx[k] < kkt->n_v ? ws->K[k] + sigma * ws->M[k] : ws->D[k];
        status = phx_sys_factor(ws, false, ws->val, &ws->lu_mass);
    }
    return status;
}

/* Newton's iteration with the twists `factor` times; PHX_NOT_CONVERGED with the last relative move. */
static phx_status newton(const steady *s, double factor, double *x, double *v, double *lambda, double *moved)
{
    workspace *ws = s->ws;
    phx_dae *dae = &ws->base;
    const phx_system *system = ws->system;
    const double scale = s->size * sqrt(mass_of(system));
    double best = HUGE_VAL;

    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        write_rotation(s, -1, factor, x, v);
        phx_status status = dae->ops->linearise(dae, s->t, x, v, lambda);
        if (!status)
            status = dae->ops->residual(dae, s->t, x, v, s->still, lambda, s->res);
        if (status)
            return status;
        const double gap = gaps(s, x, v, false, s->res + system->n_v);
        add_convection(ws, v);
        for (int i = 0; i < ws->kkt.n; i++)
            s->xi[i] = -s->res[i];
        status = factor_shifted(ws);
        if (!status)
            status = phx_lu_solve(ws->lu_mass, 1, s->xi);
        if (status)
            return status;
        *moved = dae->ops->norm(dae, s->xi) / scale;
        if (!(*moved < 1e3))
            return PHX_NOT_CONVERGED;
        phx_sys_move_all(ws, s->xi, x);
        for (int k = 0; k < ws->n_l; k++)
            lambda[k] += s->xi[system->n_v + k];
        if (best < 1e-10 && gap < 1e-10 && *moved >= 0.3 * best) {
            write_rotation(s, -1, factor, x, v);
            return PHX_OK;
        }
        best = fmin(best, *moved);
    }
    return best < 1e-9 ? PHX_OK : PHX_NOT_CONVERGED;
}

/* At once, or with the speeds raised in steps. */
static phx_status find_equilibrium(const steady *s, double *x, double *v, double *lambda)
{
    static const int steps[] = {1, 4, 20};
    phx_context *context = s->ws->base.context;
    const phx_system *system = s->ws->system;
    phx_status status = PHX_NOT_CONVERGED;
    double moved = 0.0;

    gaps(s, x, v, true, s->res + system->n_v);
    memcpy(s->x, x, (size_t)system->n_x * sizeof *x);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR);
         i++) {
        memcpy(x, s->x, (size_t)system->n_x * sizeof *x);
        memset(lambda, 0, (size_t)s->ws->n_l * sizeof *lambda);
        status = PHX_OK;
        for (int k = 1; k <= steps[i] && !status; k++)
            status = newton(s, (double)k / steps[i], x, v, lambda, &moved);
    }
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) {
        double largest = 0.0;
        for (int i = 0; i < system->n_v; i++)
            largest = fmax(largest, fabs(s->res[i]));
        status = phx_fail(context, PHX_ERR_ANALYSIS,
                          "no steady rotation was found: forces out of balance by %.3g N or N m are left, most on body "
                          "'%s', and the last step moved %.2g of the size; the bodies are too soft for the speed or "
                          "their loads",
                          largest, s->ws->base.ops->culprit(&s->ws->base, s->res), moved);
    }
    return status;
}

/* ---- is it steady? ---- */
/* x as it will be after `time`: each component moved by its twist. */
static void turn_on(const steady *s, double time, const double *x, double *later)
{
    const phx_system *system = s->ws->system;
    const int dim = system->dim;

    memcpy(later, x, (size_t)system->n_x * sizeof *x);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        const double *twist = s->twist + slot->component * TWIST, *omega = twist + dim;
        const double speed = angular_speed(system, twist);
        double *xb = later + slot->x, Q[9], R[9], arm[3], turned[3], centre[3] = {0}, along = 0.0, sideways[3];
        if (!(speed > 0.0)) {
            for (int a = 0; a < dim; a++)
                xb[a] += time * twist[a];
            continue;
        }
        phx_rot_x_vec(dim, omega, twist, sideways); /* the axis passes through Omega x v_O / Omega^2 */
        if (dim == 3)
            along = phx_sys_dot(3, omega, twist) / (speed * speed);
        for (int a = 0; a < dim; a++) {
            centre[a] = sideways[a] / (speed * speed);
            arm[a] = xb[a] - centre[a];
        }
        const double angle = time * (dim == 2 ? omega[0] : speed);
        phx_rot_axis_angle(dim, omega, angle, Q);
        phx_rot_apply(dim, Q, arm, turned);
        for (int a = 0; a < dim; a++)
            xb[a] = centre[a] + turned[a] + (dim == 3 ? along * time * omega[a] : 0.0);
        phx_attitude_rotation(dim, x + slot->x + dim, R);
        if (dim == 2) {
            phx_attitude_set(2, NULL, xb[4] + angle, xb + 2);
        } else {
            double product[9];
            phx_dense_multiply(false, false, 3, 3, 3, 1.0, Q, 3, R, 3, 0.0, product, 3);
            phx_attitude_set(3, product, 0.0, xb + 3);
        }
    }
}

static phx_status not_steady(const steady *s, const char *what, const char *name, double change)
{
    return phx_fail(s->ws->base.context, PHX_ERR_ANALYSIS,
                    "the rotation is not steady: %s '%s' change while it turns (by %.2g, relative); gravity across "
                    "the axis, a load or spring that does not turn with the bodies, or a joint that does not let them "
                    "turn as one",
                    what, name, change);
}

/* Entries of a row against those at the first instant: relative to the largest of the row, but for the rounding of
 * terms as large as the largest of all that cancel. */
static double largest_change(const workspace *ws, int row, double largest, const double *now, const double *then)
{
    double change = 0.0, size = 0.0;
    for (int k = ws->kkt.ptr[row]; k < ws->kkt.ptr[row + 1] && ws->kkt.idx[k] < ws->kkt.n_v; k++) {
        change = fmax(change, fabs(now[k] - then[k]));
        size = fmax(size, fabs(then[k]));
    }
    return change > 1e-13 * largest ? change / fmax(size, change) : 0.0;
}

static double largest_value(const workspace *ws, const double *val)
{
    double largest = 0.0;
    for (int i = 0; i < ws->kkt.n_v; i++)
        for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1] && ws->kkt.idx[k] < ws->kkt.n_v; k++)
            largest = fmax(largest, fabs(val[k]));
    return largest;
}

/* Forces without multipliers and their derivatives of each body, in its axes, after `time` against those now. */
static phx_status compare_forces(const steady *s, double speed, double time, const double *v)
{
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    const double stiffest = largest_value(ws, s->K), largest_d = largest_value(ws, s->D);
    double largest = mass_of(system) * speed * speed * s->size + 1e-5 * stiffest * s->size;
    phx_status status = ws->base.ops->linearise(&ws->base, s->t + time, s->x, v, s->still);

    if (!status)
        status = ws->base.ops->residual(&ws->base, s->t + time, s->x, v, s->still, s->still, s->xi);
    for (int i = 0; i < system->n_v; i++)
        largest = fmax(largest, fabs(s->res[i]));
    for (int b = 0; b < system->n_bodies && !status; b++) {
        double change = 0.0;
        for (int i = 0; i < phx_body_n_v(system->bodies[b].body); i++) {
            const int row = system->bodies[b].v + i;
            change = fmax(change, fabs(s->xi[row] - s->res[row]) / fmax(largest, fabs(s->xi[row])));
            change = fmax(change, largest_change(ws, row, stiffest, ws->K, s->K));
            change = fmax(change, largest_change(ws, row, largest_d, ws->D, s->D));
        }
        if (!(change <= 1e-8))
            status = not_steady(s, "the forces on body", phx_body_name(system->bodies[b].body), change);
    }
    return status;
}

/* The largest |rate - w| of the rows at the view, lengths over the size, against the largest rate in any of them. */
static double largest_rate(const steady *s, bool prescribed, const char **joint)
{
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    double worst = 0.0, largest = 0.0;

    for (int k = 0; k < ws->n_l; k++) {
        const row_slot *slot = &system->rows[ws->row[k]];
        const double unit = slot->row->angular ? 1.0 : s->size, w = prescribed ? ws->w[k] : 0.0;
        const double rate = fabs(phx_sys_row_rate(ws, k) - w) / unit;
        largest = fmax(largest, phx_sys_row_scale(ws, k) / unit);
        if (!(rate <= worst)) {
            worst = isnan(rate) ? HUGE_VAL : rate;
            *joint = system->joints[slot->joint].name;
        }
    }
    return largest > 0.0 ? worst / largest : 0.0;
}

/* Joints: closed, driven as now, and with the same free motions: G(later) xi = 0 for a xi with G(now) xi = 0. */
static phx_status compare_joints(const steady *s, double time, const double *v)
{
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    const char *name = "";
    double change = 0.0;

    phx_sys_set_instant(ws, s->x, v);
    phx_sys_rows(ws, s->t + time, 0.0);
    for (int k = 0; k < ws->n_l; k++) {
        const row_slot *slot = &system->rows[ws->row[k]];
        const joint_slot *joint = &system->joints[slot->joint];
        const double gap = phx_row_value(slot->row, &ws->port_views[joint->a], &ws->port_views[joint->b], 1);
        if (slot->role != ROW_DRIVEN && fabs(gap) / (slot->row->angular ? 1.0 : s->size) > 1e-8)
            return not_steady(s, "the gaps of joint", joint->name, fabs(gap));
    }
    change = largest_rate(s, true, &name);
    if (change > 1e-8)
        return not_steady(s, "the rates of joint", name, change);
    phx_sys_set_instant(ws, s->x, s->xi); /* the rates that xi would be */
    change = largest_rate(s, false, &name);
    return change > 1e-8 ? not_steady(s, "the directions of joint", name, change) : PHX_OK;
}

/* Some motion that the joints allow at x, into s->xi. */
static phx_status free_motion(const steady *s, const double *x, const double *v)
{
    workspace *ws = s->ws;
    phx_status status = PHX_OK;

    phx_sys_set_instant(ws, x, v);
    phx_sys_rows(ws, s->t, 0.0);
    status = phx_sys_factor_mass(ws, x);
    for (int i = 0; i < ws->kkt.n; i++) /* irrational steps: no accidental symmetry */
        s->xi[i] = i < ws->kkt.n_v ? fmod(0.6180339887498949 * (i + 1), 1.0) - 0.5 : 0.0;
    return status ? status : phx_sys_solve_mass(ws, s->xi);
}

/* The same equations must hold after the bodies have turned, at two angles. */
static phx_status check_steady(const steady *s, const double *x, const double *v)
{
    static const double angles[] = {0.7, 2.9};
    workspace *ws = s->ws;
    const size_t bytes = (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double);
    double speed = 0.0;
    phx_status status = PHX_OK;

    for (int c = 0; c < ws->system->n_components; c++)
        speed = fmax(speed, angular_speed(ws->system, s->twist + c * TWIST));
    for (size_t i = 0; i < sizeof angles / sizeof *angles && speed > 0.0 && !status; i++) {
        const double time = angles[i] / speed;
        status = ws->base.ops->linearise(&ws->base, s->t, x, v, s->still);
        if (!status)
            status = ws->base.ops->residual(&ws->base, s->t, x, v, s->still, s->still, s->res);
        memcpy(s->K, ws->K, bytes);
        memcpy(s->D, ws->D, bytes);
        turn_on(s, time, x, s->x);
        if (!status)
            status = compare_forces(s, speed, time, v);
        if (!status)
            status = free_motion(s, x, v);
        if (!status)
            status = compare_joints(s, time, v);
    }
    return status;
}

/* ---- what others call ---- */
phx_status phx_system_steady(phx_dae *dae, double t, double *x, double *v, double *lambda, double *spin)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    steady s = {0};
    phx_status status = check_drives(system, t, dae->context);

    if (!status)
        status = steady_create(ws, t, &s);
    if (!status) {
        memset(v, 0, (size_t)system->n_v * sizeof *v);
        phx_sys_set_instant(ws, x, v);
        s.size = phx_sys_size(ws);
        status = find_twists(&s, x, v);
    }
    if (!status)
        status = find_equilibrium(&s, x, v, lambda);
    if (!status)
        status = check_steady(&s, x, v);
    for (int c = 0; c < system->n_components && !status && spin; c++)
        *spin = fmax(c ? *spin : 0.0, angular_speed(system, s.twist + c * TWIST));
    steady_free(&s);
    return status;
}

phx_status phx_sys_linearise_steady(phx_dae *dae, double t, const double *x, const double *v, const double *lambda)
{
    const phx_status status = dae->ops->linearise(dae, t, x, v, lambda);

    if (!status)
        add_convection((workspace *)dae, v);
    return status;
}
