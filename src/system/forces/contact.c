/* Contacts by penalty: a sphere or a point against a plane, a sphere or a cylinder, outside or inside, or an ellipsoid
 * against a plane. */
#include "measures.h"

#include <math.h>
#include <string.h>

typedef struct contact {
    contact_shape shape;
    double radius_a, radius_b; /* of what rubs: from the centre of A (a sphere) or B to the place of contact */
    phx_penalty penalty;
    phx_friction friction; /* kinetic: coefficient */
} contact;

static double contact_norm(int n, const double *x)
{
    return sqrt(phx_dot(n, x, x));
}

/* s0, s1, and the gradient over the interval: s1 - s0 = sum y_k (x1_k - x0_k) */
typedef struct stretch {
    double s0, s1, y[3];
} stretch;

static stretch stretch_of(const contact *touching, const measures *m)
{
    stretch s = {.s0 = m->x0[0], .s1 = m->x1[0], .y = {1.0}};
    if (touching->shape.plane)
        return s;
    s.s0 = contact_norm(touching->shape.n, m->x0);
    s.s1 = contact_norm(touching->shape.n, m->x1);
    for (int k = 0; k < touching->shape.n; k++) /* (F11)  2 x_mean/(s0 + s1) */
        s.y[k] = s.s0 + s.s1 > 0.0 ? (m->x0[k] + m->x1[k]) / (s.s0 + s.s1) : 0.0;
    return s;
}

/* The force N along s becomes one along each row, with its derivatives:
 *   f = N y,  dy_k/dx1_l = delta_kl/S - y_k n1_l/S,  S = s0 + s1,  n1 = x1/s1 */
static void contact_spread(const contact *touching, const measures *m, const stretch *s, double N, double by_end,
                           double by_rate, measure_forces *f)
{
    const int n = touching->shape.n;
    const double S = s->s0 + s->s1;

    for (int k = 0; k < n; k++) {
        f->f[k] = N * s->y[k];
        for (int l = 0; l < n; l++) {
            const double n1 = touching->shape.plane ? 1.0 : s->s1 > 0.0 ? m->x1[l] / s->s1 : 0.0;
            const double dy = touching->shape.plane || S == 0.0 ? 0.0 : ((k == l ? 1.0 : 0.0) - s->y[k] * n1) / S;
            double along = 0.0; /* of the rate of s, whose gradient turns too */
            for (int i = 0; i < n && !touching->shape.plane && S > 0.0; i++)
                along += m->rate[i] * ((i == l ? 1.0 : 0.0) - s->y[i] * n1) / S;
            f->by_end[k * n + l] = N * dy + s->y[k] * (by_end * n1 + by_rate * along);
            f->by_rate[k * n + l] = by_rate * s->y[k] * s->y[l];
        }
    }
}

/* ---- friction ---- */
/* The normal at B, away from A's surface, and the place of contact, all inertial. */
typedef struct place_of_contact {
    double normal[3], arm_a[3], arm_b[3]; /* from the ports to the place */
} place_of_contact;

/* Contact normal on B (unit vector, inertial) and the arms from both ports to the point of contact. All are zero where
 * the distance has no gradient. */
static void find_place(const workspace *ws, const force_slot *force, const contact *touching, const measures *m,
                       const stretch *s, place_of_contact *at)
{
    const int dim = ws->system->dim;
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];
    double length;

    memset(at, 0, sizeof *at);
    for (int i = 0; i < dim; i++) /* the covector of s on the place of B */
        for (int k = 0; k < touching->shape.n; k++)
            at->normal[i] += s->y[k] * m->g[k][PHX_PORT_MAX + i];
    length = contact_norm(dim, at->normal);
    for (int i = 0; i < dim && length > 0.0; i++) {
        at->normal[i] *= touching->shape.side / length;
        at->arm_b[i] = -touching->radius_b * at->normal[i];
    }
    if (touching->shape.rows[0].kind == PHX_ROW_ELLIPSOID)
        phx_row_ellipsoid_arm(&touching->shape.rows[0], a, b, at->arm_b);
    for (int i = 0; i < dim && length > 0.0; i++)
        at->arm_a[i] = b->um[i] + at->arm_b[i] - a->um[i];
}

/* Covectors of the velocity of B's point against A's along a direction e: places and turns of both. */
static void slip_covector(const workspace *ws, const force_slot *force, const place_of_contact *at, const double *e,
                          double *g)
{
    const int dim = ws->system->dim;
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];
    double torque[3];

    memset(g, 0, PAIR_SIZE * sizeof *g);
    for (int i = 0; i < dim; i++) {
        g[i] = -e[i];
        g[PHX_PORT_MAX + i] = e[i];
    }
    for (int end = 0; end < 2; end++) {
        phx_vec_x_vec(dim, end ? at->arm_b : at->arm_a, e, torque);
        double *turn = g + end * PHX_PORT_MAX + dim;
        if (dim == 2)
            turn[0] = torque[0];
        else
            phx_rot_apply_transposed(3, (end ? b : a)->Rm, torque, turn);
        for (int k = 0; k < (dim == 2 ? 1 : 3) && !end; k++)
            turn[k] = -turn[k];
    }
}

/* (F12)  F = -mu N phi(|v|) v/|v| on B at the place of contact, v the slip there; loss -F . v. Its derivatives are
 * those by the slip and by N; that the place and the directions turn is left out of Newton's matrix. */
static void rub(workspace *ws, int pair, const force_slot *force, const contact *touching, const measures *m,
                const stretch *s, double N, double by_end, double by_rate, bool linear)
{
    const int dim = ws->system->dim, size = phx_port_size(dim);
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];
    place_of_contact at;
    double g[3][PAIR_SIZE], slip[3], along = 0.0, speed, effort[PAIR_SIZE] = {0};

    find_place(ws, force, touching, m, s, &at);
    for (int i = 0; i < dim; i++) {
        const double e[3] = {i == 0, i == 1, i == 2};
        slip_covector(ws, force, &at, e, g[i]);
        slip[i] = phx_dot(size, g[i], a->rate) + phx_dot(size, g[i] + PHX_PORT_MAX, b->rate);
        along += slip[i] * at.normal[i];
    }
    for (int i = 0; i < dim; i++)
        slip[i] -= along * at.normal[i];
    speed = contact_norm(dim, slip);
    const phx_friction_force f = phx_friction_evaluate(&touching->friction, touching->friction.kinetic * N, speed);
    const double secant = speed > 0.0 ? f.value / speed : f.by_rate; /* F = -secant v */
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < PAIR_SIZE; k++)
            effort[k] -= secant * slip[i] * g[i][k];
    phx_sys_add_effort(ws, force->a, 1.0, effort);
    phx_sys_add_effort(ws, force->b, 1.0, effort + PHX_PORT_MAX);
    ws->forces.power.dissipated += f.dissipated;
    if (!linear)
        return;
    double place[PAIR_SIZE * PAIR_SIZE] = {0}, rate[PAIR_SIZE * PAIR_SIZE] = {0}, normal[PAIR_SIZE] = {0};
    for (int k = 0; k < touching->shape.n; k++)
        for (int j = 0; j < PAIR_SIZE; j++)
            normal[j] += s->y[k] * m->g[k][j];
    const double by_N = touching->friction.kinetic * f.by_limit * (speed > 0.0 ? 1.0 / speed : 0.0);
    const double on_rate = by_N * touching->shape.side * (by_rate + ws->view.h * by_end);
    const double on_place = ws->view.h == 0.0 ? by_N * touching->shape.side * 2.0 * by_end : 0.0;
    for (int i = 0; i < dim; i++)
        for (int l = 0; l < dim; l++) {
            const double v = speed > 0.0 ? slip[i] * slip[l] / (speed * speed) : 0.0;
            const double across = (i == l ? 1.0 : 0.0) - at.normal[i] * at.normal[l];
            const double D = secant * (across - v) + f.by_rate * v;
            for (int p = 0; p < PAIR_SIZE; p++)
                for (int q = 0; q < PAIR_SIZE; q++)
                    rate[p * PAIR_SIZE + q] -= D * g[i][p] * g[l][q];
        }
    for (int i = 0; i < dim; i++)
        for (int p = 0; p < PAIR_SIZE; p++)
            for (int q = 0; q < PAIR_SIZE; q++) {
                rate[p * PAIR_SIZE + q] -= on_rate * slip[i] * g[i][p] * normal[q];
                place[p * PAIR_SIZE + q] -= on_place * slip[i] * g[i][p] * normal[q];
            }
    ws->by->pair_add(ws, pair, -1.0, place);
    ws->by->pair_rate_add(ws, pair, -1.0, rate);
}

/* ---- the force ---- */
static phx_status contact_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    const contact *touching = force->own;
    measures m;
    measure_forces f;

    (void)t, (void)res;
    phx_sys_measure_rows(ws, force, touching->shape.n, touching->shape.rows, &m);
    const stretch s = stretch_of(touching, &m);
    const double rate = phx_dot(touching->shape.n, s.y, m.rate);
    const phx_penalty_force N =
        phx_penalty_evaluate(&touching->penalty, touching->shape.side * s.s0 - touching->shape.offset,
                             touching->shape.side * s.s1 - touching->shape.offset, touching->shape.side * rate);
    if (N.conservative == 0.0)
        return PHX_OK;
    contact_spread(touching, &m, &s, touching->shape.side * N.value, N.by_end, N.by_rate, &f);
    phx_sys_push(ws, pair, force, &m, &f, linear);
    ws->forces.power.dissipated += N.dissipated;
    if (touching->friction.regularised > 0.0)
        rub(ws, pair, force, touching, &m, &s, N.value, N.by_end, N.by_rate, linear);
    return PHX_OK;
}

bool phx_sys_contact_rubs(const force_slot *force)
{
    return ((const contact *)force->own)->friction.regularised > 0.0;
}

static double gap_of(const contact *touching, const phx_port_view *a, const phx_port_view *b)
{
    double x[3];
    for (int k = 0; k < touching->shape.n; k++)
        x[k] = phx_row_value(&touching->shape.rows[k], a, b, 1);
    return touching->shape.side * (touching->shape.plane ? x[0] : contact_norm(touching->shape.n, x)) -
           touching->shape.offset;
}

double phx_sys_contact_gap(const phx_system *system, const force_slot *force, const double *x, const double *v)
{
    phx_port_view a, b;

    phx_sys_view_port(system, force->a, x, v, &a);
    phx_sys_view_port(system, force->b, x, v, &b);
    return gap_of(force->own, &a, &b);
}

static double contact_energy(const phx_system *system, const force_slot *force, const phx_port_view *a,
                             const phx_port_view *b, const double *x, const double *v)
{
    const contact *touching = force->own;
    (void)system, (void)x, (void)v;
    return phx_penalty_energy(&touching->penalty, gap_of(touching, a, b));
}

static double contact_energy_rate(const workspace *ws, const force_slot *force)
{
    const contact *touching = force->own;
    const double gap = gap_of(touching, &ws->ports.view[force->a], &ws->ports.view[force->b]);
    measures m;

    phx_sys_measure_rows(ws, force, touching->shape.n, touching->shape.rows, &m);
    const stretch s = stretch_of(touching, &m);
    return -phx_penalty_evaluate(&touching->penalty, gap, gap, 0.0).value * touching->shape.side *
           phx_dot(touching->shape.n, s.y, m.rate);
}

static bool contact_dissipates(const phx_system *system, const force_slot *force)
{
    const contact *touching = force->own;
    (void)system;
    return touching->penalty.damping > 0.0 || touching->friction.regularised > 0.0;
}

PHX_SYS_WRITTEN(contact, 504);
/* Writes or reads the rows, radii, penalty law and friction of a contact. */
static void contact_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_ports(archive, system, 2, force);
    contact *touching = phx_sys_archive_own(archive, sizeof *touching, force);
    if (!touching)
        return;
    phx_archive_choice(archive, 3, &touching->shape.n);
    phx_archive_bool(archive, &touching->shape.plane);
    for (int k = 0; k < touching->shape.n && !phx_archive_status(archive); k++)
        phx_sys_archive_row(archive, &touching->shape.rows[k]);
    double *const numbers[] = {&touching->shape.side, &touching->shape.offset, &touching->radius_a,
                               &touching->radius_b};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_sys_archive_penalty(archive, &touching->penalty);
    phx_sys_archive_friction(archive, &touching->friction);
}

const force_operations phx_sys_force_contact = {.noun = "force",
                                                .at_ports = true,
                                                .archive = contact_archive,
                                                .evaluate = contact_evaluate,
                                                .energy = contact_energy,
                                                .energy_rate = contact_energy_rate,
                                                .supplies = phx_sys_force_never,
                                                .dissipates = contact_dissipates};

/* ---- making ---- */
static void contact_make_rows(int dim, const phx_contact_def *def, const double *axis, contact_shape *shape)
{
    double across[2][3];

    shape->plane = def->kind == PHX_CONTACT_PLANE;
    phx_row_across(dim, axis, across);
    switch (def->kind) {
    case PHX_CONTACT_PLANE:
        shape->n = 1;
        shape->rows[0].kind = PHX_ROW_DISPLACEMENT;
        memcpy(shape->rows[0].alpha, axis, sizeof shape->rows[0].alpha);
        break;
    case PHX_CONTACT_SPHERE:
        shape->n = dim;
        for (int k = 0; k < dim; k++)
            shape->rows[k] = (phx_row){.kind = PHX_ROW_POINT, .axis = k};
        break;
    case PHX_CONTACT_CYLINDER:
        shape->n = 2;
        for (int k = 0; k < 2; k++) {
            shape->rows[k].kind = PHX_ROW_NORMAL;
            memcpy(shape->rows[k].alpha, across[k], sizeof shape->rows[k].alpha);
        }
        break;
    }
}

static bool is_ellipsoid(const phx_contact_def *def)
{
    return def->semi_axes[0] != 0.0 || def->semi_axes[1] != 0.0 || def->semi_axes[2] != 0.0;
}

static phx_status check_semi_axes(const phx_system *system, const phx_contact_def *def)
{
    for (int k = 0; k < system->dim; k++)
        if (!(def->semi_axes[k] > 0.0) || !isfinite(def->semi_axes[k]))
            return phx_fail(system->context, PHX_ERR_ARGUMENT,
                            "contact '%s': semi-axis %d of the ellipsoid is %g; it must be positive", def->name, k + 1,
                            def->semi_axes[k]);
    if (def->kind != PHX_CONTACT_PLANE || def->radius_b != 0.0)
        return phx_fail(system->context, PHX_ERR_UNSUPPORTED,
                        "contact '%s': an ellipsoid touches planes, and has semi-axes and no radius", def->name);
    return PHX_OK;
}

/* The semi-axes, along B's directions in the axes of its body, into the row. */
static void set_semi_axes(const phx_system *system, const phx_contact_def *def, phx_row *row)
{
    double *const to[3] = {row->beta, row->beta2, row->alpha2};

    row->kind = PHX_ROW_ELLIPSOID;
    for (int k = 0; k < system->dim; k++) {
        const double along[3] = {k == 0 ? def->semi_axes[0] : 0.0, k == 1 ? def->semi_axes[1] : 0.0,
                                 k == 2 ? def->semi_axes[2] : 0.0};
        phx_rot_apply(system->dim, system->ports[def->b].port.rotation, along, to[k]);
    }
}

/* Checks the geometry of a contact and builds its rows with the side (-1: B is inside A) and the offset of the gap. */
phx_status phx_sys_contact_shape(phx_system *system, const phx_contact_def *def, contact_shape *shape)
{
    const bool plane = def->kind == PHX_CONTACT_PLANE;
    const double length = contact_norm(system->dim, def->axis);
    double axis[3] = {0};

    if (!(def->radius_a >= 0.0) || !(def->radius_b >= 0.0) || !isfinite(def->radius_a + def->radius_b))
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "contact '%s': radii %g and %g must be finite, not negative",
                        def->name, def->radius_a, def->radius_b);
    if (def->inside && !(def->radius_a > def->radius_b))
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "contact '%s': a body of radius %g does not fit into one of %g", def->name, def->radius_b,
                        def->radius_a);
    if (def->kind == PHX_CONTACT_CYLINDER && system->dim == 2)
        return phx_fail(system->context, PHX_ERR_UNSUPPORTED, "contact '%s': cylinders are in space; take a sphere",
                        def->name);
    if (def->kind != PHX_CONTACT_SPHERE && !(length > 0.0))
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "contact '%s': its normal or axis has no direction",
                        def->name);
    const phx_status status = is_ellipsoid(def) ? check_semi_axes(system, def) : PHX_OK;
    if (status)
        return status;
    phx_rot_apply(system->dim, system->ports[def->a].port.rotation, def->axis, axis);
    for (int i = 0; i < system->dim && length > 0.0; i++)
        axis[i] /= length;
    contact_make_rows(system->dim, def, axis, shape);
    if (is_ellipsoid(def))
        set_semi_axes(system, def, &shape->rows[0]);
    shape->side = def->inside && !plane ? -1.0 : 1.0;
    shape->offset = plane ? def->radius_b : def->inside ? def->radius_b - def->radius_a : def->radius_a + def->radius_b;
    return PHX_OK;
}

/* Adds a contact by penalty, or a rigid contact if def->rigid. */
phx_status phx_system_add_contact(phx_system *system, const phx_contact_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    if (def->rigid)
        return phx_sys_add_rigid_contact(system, def);
    const phx_port_id ports[] = {def->a, def->b};
    force_slot *force = NULL;
    phx_status status = phx_sys_new_force(system, FORCE_CONTACT, def->name, 2, ports, sizeof(contact), &force);

    if (!status) {
        contact *touching = force->own;
        touching->radius_a = def->radius_a;
        touching->radius_b = def->radius_b;
        touching->penalty = def->penalty;
        touching->friction = def->friction;
        status = phx_penalty_check(system->context, &def->penalty);
        if (!status)
            status = phx_friction_check(system->context, &def->friction);
        if (status)
            status = phx_fail_prefix(system->context, status, "contact '%s': ", def->name);
        if (!status)
            status = phx_sys_contact_shape(system, def, &touching->shape);
    }
    return phx_sys_keep_force(system, force, status);
}
