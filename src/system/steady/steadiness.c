/* Is a rotation steady? After everything has turned on, the spinning bodies in their bearings too, the same forces and
 * derivatives must be found, in axes that take no part in the spin of the spinning bodies, the joints closed and the
 * same motions free.
 *
 * A spinning body that has turned by g = exp(s z t) in such axes has velocities and forces there with
 *
 *   nu = Ad(g) nu_body,   f = Ad(g)^-T f_body,   Ad(Q, p) = [Q [p]x Q; 0 Q]. */
#include <math.h>
#include <string.h>

#include "steady.h"

static const double STEADY = 1e-8; /* relative change of forces, residual and rates of joints */

/* ---- the turn of a spinning body ---- */
static bool spins(const steady *s, int b)
{
    const phx_system *system = s->ws->system;
    return phx_steady_turning(system->n_rot, s->spin + system->bodies[b].v + system->dim) > 0.0;
}

/* Deformations q of a flexible spinning body in the axes of the steady motion: q <- exp(-s Z time) q in place;
 * generalised forces by the transpose. */
static void turn_deformation(const steady *s, int b, bool forces, double time, double *q)
{
    if (s->Z[b].rows > 0)
        phx_steady_turn_deformation(&s->Z[b], forces, -s->turn[b] * time, s->room, q);
}

/* Velocities of the spinning bodies in their own axes after `time`: nu <- Ad(g)^-1 nu, g the rotation so far. */
static void to_bodies(const steady *s, double time, double *nu)
{
    const phx_system *system = s->ws->system;
    const int dim = system->dim;

    for (int b = 0; b < system->n_bodies; b++) {
        double Q[9], p[3], part[3], *at = nu + system->bodies[b].v;
        if (!spins(s, b))
            continue;
        phx_steady_turn(dim, s->spin + system->bodies[b].v, time, Q, p);
        phx_vec_x_rot(dim, p, at + dim, part); /* v_body = Q^T (v - p x w) */
        for (int a = 0; a < dim; a++)
            part[a] = at[a] - part[a];
        phx_rot_apply_transposed(dim, Q, part, at);
        if (dim == 3) {
            memcpy(part, at + 3, sizeof part);
            phx_rot_apply_transposed(3, Q, part, at + 3);
        }
        turn_deformation(s, b, false, time, at + dim + system->n_rot);
    }
}

/* f = Ad(g)^-T f_body of the spinning bodies after `time`, in place. */
static void from_bodies(const steady *s, double time, double *f)
{
    const phx_system *system = s->ws->system;
    const int dim = system->dim;

    for (int b = 0; b < system->n_bodies; b++) {
        double Q[9], p[3], part[3], *at = f + system->bodies[b].v;
        if (!spins(s, b))
            continue;
        phx_steady_turn(dim, s->spin + system->bodies[b].v, time, Q, p);
        memcpy(part, at, (size_t)dim * sizeof *part);
        phx_rot_apply(dim, Q, part, at);
        if (dim == 3) {
            memcpy(part, at + 3, sizeof part);
            phx_rot_apply(3, Q, part, at + 3);
        }
        phx_vec_x_vec(dim, p, at, part); /* tau = Q tau_body + p x f */
        for (int k = 0; k < system->n_rot; k++)
            at[dim + k] += part[k];
        turn_deformation(s, b, true, time, at + dim + system->n_rot);
    }
}

/* r += R p, R = R Q; `angle` in the plane. */
static void turn_in_body(int dim, const double *Q, const double *p, double angle, double *xb)
{
    double R[9], moved[3], product[9];

    phx_attitude_rotation(dim, xb + dim, R);
    phx_rot_apply(dim, R, p, moved);
    for (int a = 0; a < dim; a++)
        xb[a] += moved[a];
    if (dim == 2) {
        phx_attitude_set(2, NULL, xb[4] + angle, xb + 2);
    } else {
        phx_dense_multiply(false, false, 3, 3, 3, 1.0, R, 3, Q, 3, 0.0, product, 3);
        phx_attitude_set(3, product, 0.0, xb + 3);
    }
}

/* The body moved by a twist in inertial axes, a screw. */
static void turn_in_space(const phx_system *system, const double *twist, double time, double *xb)
{
    const int dim = system->dim;
    const double *omega = twist + dim, speed = phx_steady_turning(system->n_rot, omega);
    double Q[9], R[9], p[3], turned[3], product[9], along = 0.0;

    if (!(speed > 0.0)) {
        for (int a = 0; a < dim; a++)
            xb[a] += time * twist[a];
        return;
    }
    phx_steady_turn(dim, twist, time, Q, p);
    if (dim == 3)
        along = phx_sys_dot(3, omega, twist) / (speed * speed);
    phx_rot_apply(dim, Q, xb, turned);
    for (int a = 0; a < dim; a++)
        xb[a] = turned[a] + p[a] + (dim == 3 ? along * time * omega[a] : 0.0);
    if (dim == 2) {
        phx_attitude_set(2, NULL, xb[4] + time * omega[0], xb + 2);
    } else {
        phx_attitude_rotation(3, xb + 3, R);
        phx_dense_multiply(false, false, 3, 3, 3, 1.0, Q, 3, R, 3, 0.0, product, 3);
        phx_attitude_set(3, product, 0.0, xb + 3);
    }
}

/* x as it will be after `time`: each spinning body turned in its bearings, each component moved by its twist. */
static void turn_on(const steady *s, double time, const double *x, double *later)
{
    const phx_system *system = s->ws->system;
    const int dim = system->dim;

    memcpy(later, x, (size_t)system->n_x * sizeof *x);
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        double Q[9], p[3];
        int q_x;
        if (spins(s, b)) {
            (void)phx_body_coordinates(slot->body, &q_x, NULL);
            phx_steady_turn(dim, s->spin + slot->v, time, Q, p);
            turn_in_body(dim, Q, p, s->spin[slot->v + dim] * time, later + slot->x);
            turn_deformation(s, b, false, time, later + slot->x + q_x);
        }
        const phx_body_frame *frames;
        const int count = phx_body_frames(slot->body, &frames);
        for (int f = 0; f < count; f++)
            turn_in_space(system, s->twist + slot->component * TWIST, time, later + slot->x + frames[f].x);
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

static double largest_value(const workspace *ws, const double *val)
{
    double largest = 0.0;
    for (int i = 0; i < ws->kkt.n_v; i++)
        for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1] && ws->kkt.idx[k] < ws->kkt.n_v; k++)
            largest = fmax(largest, fabs(val[k]));
    return largest;
}

/* y = A xi over the velocities; size (may be NULL): the largest entry of each row. */
static void steadiness_multiply(const workspace *ws, const double *A, const double *xi, double *y, double *size)
{
    for (int i = 0; i < ws->kkt.n_v; i++) {
        double largest = 0.0;
        y[i] = 0.0;
        for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1] && ws->kkt.idx[k] < ws->kkt.n_v; k++) {
            y[i] += A[k] * xi[ws->kkt.idx[k]];
            largest = fmax(largest, fabs(A[k]));
        }
        if (size)
            size[i] = largest;
    }
}

/* Irrational entries: no accidental symmetry. */
static void any_motion(int n, int n_v, double *xi)
{
    for (int i = 0; i < n; i++)
        xi[i] = i < n_v ? fmod(0.6180339887498949 * (i + 1), 1.0) - 0.5 : 0.0;
}

/* Largest change of some products with a matrix of derivatives, in the axes without spin, after `time` against those
 * at first: relative to the largest entry of the row, but for the rounding of terms as large as the largest of all that
 * cancel. And the body that has it. */
static double largest_change(const steady *s, double time, const double *now, const double *then, int *body)
{
    static const double ROUNDING = 1e-13; /* of the largest force */
    const workspace *ws = s->ws;
    const phx_system *system = ws->system;
    const double largest = largest_value(ws, then);
    double *xi = s->xi, *at_first = s->v, *later = s->v_dot, *size = s->work, worst = 0.0;

    any_motion(ws->kkt.n, ws->kkt.n_v, xi);
    steadiness_multiply(ws, then, xi, at_first, size);
    to_bodies(s, time, xi);
    steadiness_multiply(ws, now, xi, later, NULL);
    from_bodies(s, time, later);
    for (int b = 0; b < system->n_bodies; b++)
        for (int i = 0; i < phx_body_n_v(system->bodies[b].body); i++) {
            const int row = system->bodies[b].v + i;
            const double change = fabs(later[row] - at_first[row]);
            const double relative = change > ROUNDING * largest ? change / fmax(size[row], change) : 0.0;
            if (!(relative <= worst)) {
                worst = relative;
                *body = b;
            }
        }
    return worst;
}

/* Forces without multipliers and their derivatives of each body after `time` against those at first (res, K, D). */
static phx_status compare_forces(const steady *s, double time, const double *v)
{
    static const double STIFF = 1e-5; /* part of the stiffest force in the scale of forces */
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    const double speed = phx_steady_fastest(s);
    double largest = phx_steady_mass(system) * speed * speed * s->size + STIFF * largest_value(ws, s->K) * s->size;
    double change = 0.0;
    int body = 0;
    phx_status status = ws->base.ops->linearise(&ws->base, s->t + time, s->x, v, s->zero);

    phx_steady_accelerations(s, 1.0, v, s->v_dot);
    if (!status)
        status = ws->base.ops->residual(&ws->base, s->t + time, s->x, v, s->v_dot, s->zero, s->xi);
    if (status)
        return status;
    from_bodies(s, time, s->xi);
    for (int i = 0; i < system->n_v; i++)
        largest = fmax(largest, fmax(fabs(s->res[i]), fabs(s->xi[i])));
    for (int b = 0; b < system->n_bodies; b++)
        for (int i = 0; i < phx_body_n_v(system->bodies[b].body); i++) {
            const int row = system->bodies[b].v + i;
            const double relative = fabs(s->xi[row] - s->res[row]) / largest;
            body = relative > change ? b : body;
            change = fmax(change, relative);
        }
    if (change <= STEADY)
        change = largest_change(s, time, ws->values.K, s->K, &body);
    if (change <= STEADY)
        change = largest_change(s, time, ws->values.D, s->D, &body);
    return change <= STEADY ? PHX_OK
                            : not_steady(s, "the forces on body", phx_body_name(system->bodies[body].body), change);
}

/* The largest |rate - w| of the rows at the view, lengths over the size, against the largest rate in any of them. */
static double largest_rate(const steady *s, bool prescribed, const char **joint)
{
    workspace *ws = s->ws;
    const phx_system *system = ws->system;
    double worst = 0.0, largest = 0.0;

    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &system->rows.slot[ws->rows.index[k]];
        const double unit = slot->row->angular ? 1.0 : s->size, w = prescribed ? ws->rows.w[k] : 0.0;
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
    ws->by->rows(ws, s->t + time, 0.0);
    for (int k = 0; k < ws->rows.n; k++) {
        const row_slot *slot = &system->rows.slot[ws->rows.index[k]];
        const joint_slot *joint = &system->joints[slot->joint];
        const double residual = phx_row_value(slot->row, &ws->ports.view[slot->a], &ws->ports.view[slot->b], 1);
        if (slot->role != ROW_DRIVEN && fabs(residual) / (slot->row->angular ? 1.0 : s->size) > STEADY)
            return not_steady(s, "the residual of joint", joint->name, fabs(residual));
    }
    change = largest_rate(s, true, &name);
    if (change > STEADY)
        return not_steady(s, "the rates of joint", name, change);
    to_bodies(s, time, s->xi);
    phx_sys_set_instant(ws, s->x, s->xi); /* the rates that xi would be */
    change = largest_rate(s, false, &name);
    return change > STEADY ? not_steady(s, "the directions of joint", name, change) : PHX_OK;
}

/* Some motion that the joints allow at x, into s->xi. */
static phx_status free_motion(const steady *s, const double *x, const double *v)
{
    workspace *ws = s->ws;
    phx_status status = PHX_OK;

    phx_sys_set_instant(ws, x, v);
    ws->by->rows(ws, s->t, 0.0);
    status = ws->by->factor_mass(ws, x);
    any_motion(ws->kkt.n, ws->kkt.n_v, s->xi);
    return status ? status : ws->by->solve_mass(ws, s->xi);
}

double phx_steady_fastest(const steady *s)
{
    const phx_system *system = s->ws->system;
    double speed = 0.0;

    for (int c = 0; c < system->components.n; c++)
        speed = fmax(speed, phx_steady_turning(system->n_rot, s->twist + c * TWIST + system->dim));
    for (int i = 0; i < s->n_spinning; i++)
        speed = fmax(speed, fabs(s->spinning[i].speed));
    return speed;
}

/* Smallest rotation speed among the components and spinning bodies, rad/s, without speeds that are zero to
 * round-off. */
static double slowest(const steady *s)
{
    static const double TURNS = 1e-6; /* of the largest speed: less is rounding */
    const phx_system *system = s->ws->system;
    double speed = phx_steady_fastest(s);

    for (int c = 0; c < system->components.n; c++) {
        const double own = phx_steady_turning(system->n_rot, s->twist + c * TWIST + system->dim);
        if (own > TURNS * speed)
            speed = fmin(speed, own);
    }
    for (int i = 0; i < s->n_spinning; i++)
        if (fabs(s->spinning[i].speed) > TURNS * speed)
            speed = fmin(speed, fabs(s->spinning[i].speed));
    return speed;
}

/* At two instants: one angle of the fastest, one of the slowest turn. */
phx_status phx_steady_check(const steady *s, const double *x, const double *v)
{
    workspace *ws = s->ws;
    const size_t bytes = (size_t)ws->kkt.ptr[ws->kkt.n] * sizeof(double);
    const double fastest = phx_steady_fastest(s);
    double *later = s->later;
    phx_status status = PHX_OK;

    for (int i = 0; i < 2 && fastest > 0.0 && !status; i++) {
        const double time = i == 0 ? 0.7 / fastest : 2.9 / slowest(s);
        status = ws->base.ops->linearise(&ws->base, s->t, x, v, s->zero);
        phx_steady_accelerations(s, 1.0, v, s->v_dot);
        if (!status)
            status = ws->base.ops->residual(&ws->base, s->t, x, v, s->v_dot, s->zero, s->res);
        memcpy(s->K, ws->values.K, bytes);
        memcpy(s->D, ws->values.D, bytes);
        turn_on(s, time, x, s->x);
        phx_steady_velocities(s, -1, 1.0, s->x, later);
        if (!status)
            status = compare_forces(s, time, later);
        if (!status)
            status = free_motion(s, x, v);
        if (!status)
            status = compare_joints(s, time, later);
    }
    return status;
}
