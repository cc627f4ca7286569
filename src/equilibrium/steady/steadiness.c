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
    const phx_system *system = s->system;
    return phx_steady_turning(s->n_rot, s->spin + phx_system_placed(system, b).v + s->dim) > 0.0;
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
    const phx_system *system = s->system;
    const int dim = s->dim;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        double Q[9], p[3], part[3], *at = nu + phx_system_placed(system, b).v;
        if (!spins(s, b))
            continue;
        phx_steady_turn(dim, s->spin + phx_system_placed(system, b).v, time, Q, p);
        phx_vec_x_rot(dim, p, at + dim, part); /* v_body = Q^T (v - p x w) */
        for (int a = 0; a < dim; a++)
            part[a] = at[a] - part[a];
        phx_rot_apply_transposed(dim, Q, part, at);
        if (dim == 3) {
            memcpy(part, at + 3, sizeof part);
            phx_rot_apply_transposed(3, Q, part, at + 3);
        }
        turn_deformation(s, b, false, time, at + dim + s->n_rot);
    }
}

/* f = Ad(g)^-T f_body of the spinning bodies after `time`, in place. */
static void from_bodies(const steady *s, double time, double *f)
{
    const phx_system *system = s->system;
    const int dim = s->dim;

    for (int b = 0; b < phx_system_bodies(system); b++) {
        double Q[9], p[3], part[3], *at = f + phx_system_placed(system, b).v;
        if (!spins(s, b))
            continue;
        phx_steady_turn(dim, s->spin + phx_system_placed(system, b).v, time, Q, p);
        memcpy(part, at, (size_t)dim * sizeof *part);
        phx_rot_apply(dim, Q, part, at);
        if (dim == 3) {
            memcpy(part, at + 3, sizeof part);
            phx_rot_apply(3, Q, part, at + 3);
        }
        phx_vec_x_vec(dim, p, at, part); /* tau = Q tau_body + p x f */
        for (int k = 0; k < s->n_rot; k++)
            at[dim + k] += part[k];
        turn_deformation(s, b, true, time, at + dim + s->n_rot);
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
    const int dim = phx_system_dim(system);
    const double *omega = twist + dim, speed = phx_steady_turning(phx_rotations(phx_system_dim(system)), omega);
    double Q[9], R[9], p[3], turned[3], product[9], along = 0.0;

    if (!(speed > 0.0)) {
        for (int a = 0; a < dim; a++)
            xb[a] += time * twist[a];
        return;
    }
    phx_steady_turn(dim, twist, time, Q, p);
    if (dim == 3)
        along = phx_dot(3, omega, twist) / (speed * speed);
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
    const phx_system *system = s->system;
    const int dim = s->dim;

    memcpy(later, x, (size_t)s->dae->n_x * sizeof *x);
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body placed = phx_system_placed(system, b);
        double Q[9], p[3];
        int q_x;
        if (spins(s, b)) {
            (void)phx_body_coordinates(placed.body, &q_x, NULL);
            phx_steady_turn(dim, s->spin + placed.v, time, Q, p);
            turn_in_body(dim, Q, p, s->spin[placed.v + dim] * time, later + placed.x);
            turn_deformation(s, b, false, time, later + placed.x + q_x);
        }
        const phx_body_frame *frames;
        const int count = phx_body_frames(placed.body, &frames);
        for (int f = 0; f < count; f++)
            turn_in_space(system, s->twist + placed.component * TWIST, time, later + placed.x + frames[f].x);
    }
}

static phx_status not_steady(const steady *s, const char *what, const char *name, double change)
{
    return phx_fail(s->dae->context, PHX_ERR_ANALYSIS,
                    "the rotation is not steady: %s '%s' change while it turns (by %.2g, relative); gravity across "
                    "the axis, a load or spring that does not turn with the bodies, or a joint that does not let them "
                    "turn as one",
                    what, name, change);
}

static double largest_value(const phx_equations *e, const double *val)
{
    double largest = 0.0;
    for (int i = 0; i < e->n_v; i++)
        for (int k = e->ptr[i]; k < e->ptr[i + 1] && e->idx[k] < e->n_v; k++)
            largest = fmax(largest, fabs(val[k]));
    return largest;
}

/* y = A xi over the velocities; size (may be NULL): the largest entry of each row. */
static void steadiness_multiply(const phx_equations *e, const double *A, const double *xi, double *y, double *size)
{
    for (int i = 0; i < e->n_v; i++) {
        double largest = 0.0;
        y[i] = 0.0;
        for (int k = e->ptr[i]; k < e->ptr[i + 1] && e->idx[k] < e->n_v; k++) {
            y[i] += A[k] * xi[e->idx[k]];
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
    const phx_system *system = s->system;
    const double largest = largest_value(&s->e, then);
    double *xi = s->xi, *at_first = s->v, *later = s->v_dot, *size = s->work, worst = 0.0;

    any_motion(s->e.n, s->e.n_v, xi);
    steadiness_multiply(&s->e, then, xi, at_first, size);
    to_bodies(s, time, xi);
    steadiness_multiply(&s->e, now, xi, later, NULL);
    from_bodies(s, time, later);
    for (int b = 0; b < phx_system_bodies(system); b++)
        for (int i = 0; i < phx_body_n_v(phx_system_body(system, b)); i++) {
            const int row = phx_system_placed(system, b).v + i;
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
    const phx_system *system = s->system;
    const double speed = phx_steady_fastest(s);
    double largest = phx_steady_mass(system) * speed * speed * s->size + STIFF * largest_value(&s->e, s->K) * s->size;
    double change = 0.0;
    int body = 0;
    phx_status status = s->dae->ops->linearise(s->dae, s->t + time, s->x, v, s->zero);

    phx_steady_accelerations(s, 1.0, v, s->v_dot);
    if (!status)
        status = s->dae->ops->residual(s->dae, s->t + time, s->x, v, s->v_dot, s->zero, s->xi);
    if (status)
        return status;
    from_bodies(s, time, s->xi);
    for (int i = 0; i < s->e.n_v; i++)
        largest = fmax(largest, fmax(fabs(s->res[i]), fabs(s->xi[i])));
    for (int b = 0; b < phx_system_bodies(system); b++)
        for (int i = 0; i < phx_body_n_v(phx_system_body(system, b)); i++) {
            const int row = phx_system_placed(system, b).v + i;
            const double relative = fabs(s->xi[row] - s->res[row]) / largest;
            body = relative > change ? b : body;
            change = fmax(change, relative);
        }
    if (change <= STEADY)
        change = largest_change(s, time, s->e.K, s->K, &body);
    if (change <= STEADY)
        change = largest_change(s, time, s->e.D, s->D, &body);
    return change <= STEADY ? PHX_OK
                            : not_steady(s, "the forces on body", phx_body_name(phx_system_body(system, body)), change);
}

/* The largest |rate - w| of the rows at the view, lengths over the size, against the largest rate in any of them. */
static double largest_rate(const steady *s, bool prescribed, const char **joint)
{
    const phx_system *system = s->system;
    double worst = 0.0, largest = 0.0;

    for (int k = 0; k < s->e.n_l; k++) {
        const phx_row_view row = phx_system_row(s->dae, k);
        const double unit = row.row->angular ? 1.0 : s->size, w = prescribed ? s->e.w[k] : 0.0;
        const double rate = fabs(phx_system_row_rate(s->dae, k) - w) / unit;
        largest = fmax(largest, phx_system_row_scale(s->dae, k) / unit);
        if (!(rate <= worst)) {
            worst = isnan(rate) ? HUGE_VAL : rate;
            *joint = phx_system_joint_name(system, row.joint);
        }
    }
    return largest > 0.0 ? worst / largest : 0.0;
}

/* Joints: closed, driven as now, and with the same free motions: G(later) xi = 0 for a xi with G(now) xi = 0. */
static phx_status compare_joints(const steady *s, double time, const double *v)
{
    const char *name = "";
    double change = 0.0;

    phx_system_view(s->dae, s->x, v);
    phx_system_rows(s->dae, s->t + time);
    for (int k = 0; k < s->e.n_l; k++) {
        const phx_row_view row = phx_system_row(s->dae, k);
        const double residual = phx_row_value(row.row, &s->e.port[row.a], &s->e.port[row.b], 1);
        if (!row.driven && fabs(residual) / (row.row->angular ? 1.0 : s->size) > STEADY)
            return not_steady(s, "the residual of joint", phx_system_joint_name(s->system, row.joint), fabs(residual));
    }
    change = largest_rate(s, true, &name);
    if (change > STEADY)
        return not_steady(s, "the rates of joint", name, change);
    to_bodies(s, time, s->xi);
    phx_system_view(s->dae, s->x, s->xi); /* the rates that xi would be */
    change = largest_rate(s, false, &name);
    return change > STEADY ? not_steady(s, "the directions of joint", name, change) : PHX_OK;
}

/* Some motion that the joints allow at x, into s->xi. */
static phx_status free_motion(const steady *s, const double *x, const double *v)
{
    phx_system_view(s->dae, x, v);
    phx_system_rows(s->dae, s->t);
    any_motion(s->e.n, s->e.n_v, s->xi);
    return phx_system_solve_mass(s->dae, x, s->xi);
}

double phx_steady_fastest(const steady *s)
{
    const phx_system *system = s->system;
    double speed = 0.0;

    for (int c = 0; c < phx_system_components(system); c++)
        speed = fmax(speed, phx_steady_turning(s->n_rot, s->twist + c * TWIST + s->dim));
    for (int i = 0; i < s->n_spinning; i++)
        speed = fmax(speed, fabs(s->spinning[i].speed));
    return speed;
}

/* Smallest rotation speed among the components and spinning bodies, rad/s, without speeds that are zero to
 * round-off. */
static double slowest(const steady *s)
{
    static const double TURNS = 1e-6; /* of the largest speed: less is rounding */
    const phx_system *system = s->system;
    double speed = phx_steady_fastest(s);

    for (int c = 0; c < phx_system_components(system); c++) {
        const double own = phx_steady_turning(s->n_rot, s->twist + c * TWIST + s->dim);
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
    const size_t bytes = (size_t)s->e.ptr[s->e.n] * sizeof(double);
    const double fastest = phx_steady_fastest(s);
    double *later = s->later;
    phx_status status = PHX_OK;

    for (int i = 0; i < 2 && fastest > 0.0 && !status; i++) {
        const double time = i == 0 ? 0.7 / fastest : 2.9 / slowest(s);
        status = s->dae->ops->linearise(s->dae, s->t, x, v, s->zero);
        phx_steady_accelerations(s, 1.0, v, s->v_dot);
        if (!status)
            status = s->dae->ops->residual(s->dae, s->t, x, v, s->v_dot, s->zero, s->res);
        memcpy(s->K, s->e.K, bytes);
        memcpy(s->D, s->e.D, bytes);
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
