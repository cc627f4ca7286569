/* Row kinds of an ellipsoid about B, with the semi-axes s_1, s_2, s_3 (vectors), over a plane of A with the normal n:
 *
 *     ELLIPSOID        c = n . d/|n| - h,   h = sqrt(sum p_i^2),   p_i = A_a(n) . A_b(s_i)
 *     ELLIPSOID_SLIP   c' = (t . d/|t|)' + (rho x t) . (Omega_b - Omega_a),   rho = -sum q_i A_b(s_i)/h,
 *                      h = sqrt(sum q_i^2)/|f|,   q_i = s_i . f,   f = Rm^-1 A_a(n), Rm the mean frame of B
 *
 * d = u_b - u_a, rho from the centre to where it touches the plane, t a direction across n (axis 0, 1:
 * phx_row_across). Over an interval c1 - c0 is exact, as it is of DISPLACEMENT and RADIAL; of the slip, which is no
 * derivative, rho and t are those of the mean directions: with f, which knows that Rm is no rotation, rho of a sphere
 * is -r n. At an instant h and rho are those of the gap. */
#include <math.h>

#include "row.h"

/* ---- the gap ---- */
static phx_row distance_of(const phx_row *row)
{
    phx_row part = {.kind = PHX_ROW_DISPLACEMENT};

    memcpy(part.alpha, row->alpha, sizeof row->alpha);
    return part;
}

static phx_row height_of(const phx_row *row)
{
    phx_row part = *row;

    part.kind = PHX_ROW_RADIAL;
    part.axis = 1;
    part.target = 0.0;
    return part;
}

static double row_ellipsoid_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    const phx_row distance = distance_of(row), height = height_of(row);

    return phx_row_value(&distance, a, b, end) - phx_row_value(&height, a, b, end);
}

static void row_ellipsoid_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                                    double *g_b)
{
    const phx_row distance = distance_of(row), height = height_of(row);
    double own_a[PHX_PORT_MAX], own_b[PHX_PORT_MAX];

    phx_row_covectors(&distance, a, b, g_a, g_b);
    phx_row_covectors(&height, a, b, own_a, own_b);
    for (int i = 0; i < phx_port_size(a->dim); i++) {
        g_a[i] -= own_a[i];
        g_b[i] -= own_b[i];
    }
}

/* H of the gap: derivative of the distance's covectors less that of the height's. */
static bool row_ellipsoid_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    const phx_row distance = distance_of(row), height = height_of(row);
    const int size = phx_port_size(a->dim);
    double own[PHX_PORT_PAIR * PHX_PORT_PAIR];

    phx_row_tangent(&distance, a, b, H);
    phx_row_tangent(&height, a, b, own);
    for (int i = 0; i < 2 * size; i++)
        for (int j = 0; j < 2 * size; j++) {
            const int r = i < size ? i : i - size + PHX_PORT_MAX, c = j < size ? j : j - size + PHX_PORT_MAX;
            H[r * PHX_PORT_PAIR + c] -= own[r * PHX_PORT_PAIR + c];
        }
    return true;
}

const phx_row_operations phx_row_ellipsoid = {row_ellipsoid_measure, row_ellipsoid_covectors, row_ellipsoid_tangent,
                                              NULL};

/* ---- the slip ---- */
/* Mean directions: the normal in the axes of B, the semi-axes in the axes of B and inertial. */
typedef struct touch {
    double f[3], inverse[9], local[3][3], s[3][3], q[3], h, rho[3];
} touch;

static const double *semi_axis(const phx_row *row, int k)
{
    return k == 0 ? row->beta : k == 1 ? row->beta2 : row->alpha2;
}

/* Point where the ellipsoid touches the plane, for the mean directions of the interval: height h, arm rho from the
 * centre in inertial components, and the terms f, q and semi-axes that they are made of. */
static void find_touch(const phx_row *row, const phx_port_view *a, const phx_port_view *b, touch *at)
{
    const int dim = a->dim;
    double n[3];

    *at = (touch){.h = 0.0};
    phx_port_direction_mean(a, row->alpha, n);
    row_invert_mean(b, at->inverse);
    phx_rot_apply(dim, at->inverse, n, at->f);
    for (int k = 0; k < dim; k++) {
        phx_port_section_direction(dim, b, b->thetam, semi_axis(row, k), at->local[k]);
        phx_port_direction_mean(b, semi_axis(row, k), at->s[k]);
        at->q[k] = phx_port_scalar_product(dim, at->f, at->local[k]);
    }
    at->h = sqrt(phx_port_scalar_product(dim, at->q, at->q) / phx_port_scalar_product(dim, at->f, at->f));
    for (int k = 0; k < dim; k++)
        for (int i = 0; i < dim; i++)
            at->rho[i] -= at->q[k] * at->s[k][i] / at->h;
}

void phx_row_ellipsoid_arm(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *arm)
{
    touch at;

    find_touch(row, a, b, &at);
    memcpy(arm, at.rho, sizeof at.rho);
}

static phx_row along_of(const phx_row *row, int dim)
{
    phx_row along = {.kind = PHX_ROW_DISPLACEMENT};
    double across[2][3];

    phx_row_across(dim, row->alpha, across);
    memcpy(along.alpha, across[dim == 3 && row->axis == 1], sizeof along.alpha);
    return along;
}

static const phx_row angle = {.kind = PHX_ROW_ANGLE};

/* Add y . (Omega_b - Omega_a), in the plane y (angle_b - angle_a)', to covectors. */
static void add_turns(const phx_port_view *a, const phx_port_view *b, const double *y, double *g_a, double *g_b)
{
    double own_a[PHX_PORT_MAX], own_b[PHX_PORT_MAX];

    if (a->dim == 3) {
        row_add_turn(a, -1.0, y, g_a);
        row_add_turn(b, 1.0, y, g_b);
        return;
    }
    phx_row_covectors(&angle, a, b, own_a, own_b);
    for (int i = 0; i < phx_port_size(2); i++) {
        g_a[i] += y[0] * own_a[i];
        g_b[i] += y[0] * own_b[i];
    }
}

static double slip_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    const phx_row along = along_of(row, a->dim);

    return phx_row_value(&along, a, b, end);
}

static void slip_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    const phx_row along = along_of(row, a->dim);
    double t[3], y[3];
    touch at;

    find_touch(row, a, b, &at);
    phx_port_direction_mean(a, along.alpha, t);
    phx_row_covectors(&along, a, b, g_a, g_b);
    phx_vec_x_vec(a->dim, at.rho, t, y);
    add_turns(a, b, y, g_a, g_b);
}

/* Changes of the mean directions with entry m of the variation of a port. */
typedef struct variation {
    double f[3], t[3], s[3][3], q[3];
} variation;

/* df = Rm^-1 dn, dt */
static void vary_plane(const phx_row *row, const phx_port_view *a, const double *along, const touch *at, int m,
                       variation *d)
{
    const int dim = a->dim;
    double T[3 * PHX_PORT_MAX], dn[3];

    phx_port_direction_tangent(a, row->alpha, T);
    for (int i = 0; i < dim; i++)
        dn[i] = T[i * PHX_PORT_MAX + m];
    phx_rot_apply(dim, at->inverse, dn, d->f);
    phx_port_direction_tangent(a, along, T);
    for (int i = 0; i < dim; i++)
        d->t[i] = T[i * PHX_PORT_MAX + m];
    for (int k = 0; k < dim; k++)
        d->q[k] = phx_port_scalar_product(dim, at->local[k], d->f);
}

/* ds_k, df = -Rm^-1 R1 (dphi x f), dq_k = l_k . df + (dtheta x s_k) . f, l_k the semi-axis in the axes of B */
static void vary_ellipsoid(const phx_row *row, const phx_port_view *b, const touch *at, int m, variation *d)
{
    const int dim = b->dim, n_rot = dim == 2 ? 1 : 3, turn = (m - dim) % n_rot;
    const bool bends = m >= dim + n_rot;
    const double e[3] = {turn == 0, turn == 1, turn == 2};
    double T[3 * PHX_PORT_MAX], turned[3], at_end[3], bent[3];

    phx_rot_x_vec(dim, e, at->f, turned);
    phx_rot_apply(dim, b->R1, turned, at_end);
    phx_rot_apply(dim, at->inverse, at_end, d->f);
    for (int i = 0; i < dim; i++)
        d->f[i] = bends ? 0.0 : -d->f[i];
    for (int k = 0; k < dim; k++) {
        phx_port_direction_tangent(b, semi_axis(row, k), T);
        for (int i = 0; i < dim; i++)
            d->s[k][i] = T[i * PHX_PORT_MAX + m];
        phx_rot_x_vec(dim, e, semi_axis(row, k), bent);
        d->q[k] = bends ? phx_port_scalar_product(dim, bent, at->f) : phx_port_scalar_product(dim, at->local[k], d->f);
    }
}

/* The change of y = rho x t:
 *   dh/h = sum q_k dq_k/sum q_k^2 - f . df/f^2,   drho = -sum (dq_k s_k + q_k ds_k)/h - rho dh/h */
static void vary_arm(int dim, const touch *at, const double *t, const variation *d, double *dy)
{
    const double grows = phx_port_scalar_product(dim, at->q, d->q) / phx_port_scalar_product(dim, at->q, at->q) -
                         phx_port_scalar_product(dim, at->f, d->f) / phx_port_scalar_product(dim, at->f, at->f);
    double drho[3] = {0.0}, turned[3];

    for (int i = 0; i < dim; i++) {
        drho[i] = -at->rho[i] * grows;
        for (int k = 0; k < dim; k++)
            drho[i] -= (d->q[k] * at->s[k][i] + at->q[k] * d->s[k][i]) / at->h;
    }
    phx_vec_x_vec(dim, drho, t, dy);
    phx_vec_x_vec(dim, at->rho, d->t, turned);
    for (int i = 0; i < (dim == 3 ? 3 : 1); i++)
        dy[i] += turned[i];
}

/* The derivatives of the turns at fixed y. */
static void add_turns_tangent(const phx_port_view *a, const phx_port_view *b, const double *y, double *H)
{
    static const double still[3 * PHX_PORT_MAX] = {0.0};
    const int size = phx_port_size(2);
    double own[PHX_PORT_PAIR * PHX_PORT_PAIR];

    if (a->dim == 3) {
        row_add_turn_tangent(a, -1.0, y, still, 0, H);
        row_add_turn_tangent(b, 1.0, y, still, PHX_PORT_MAX, H);
        return;
    }
    if (!phx_row_tangent(&angle, a, b, own))
        return;
    for (int i = 0; i < 2 * size; i++)
        for (int j = 0; j < 2 * size; j++) {
            const int r = i < size ? i : i - size + PHX_PORT_MAX, c = j < size ? j : j - size + PHX_PORT_MAX;
            H[r * PHX_PORT_PAIR + c] += y[0] * own[r * PHX_PORT_PAIR + c];
        }
}

/* H of the slip: the derivative of the covectors of (t . d/|t|)' and of (rho x t) . (Omega_b - Omega_a) with rho and t
 * varying. */
static bool slip_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    const int dim = a->dim, size = phx_port_size(dim);
    const phx_row along = along_of(row, dim);
    double t[3], y[3];
    touch at;

    find_touch(row, a, b, &at);
    phx_port_direction_mean(a, along.alpha, t);
    phx_vec_x_vec(dim, at.rho, t, y);
    if (!phx_row_tangent(&along, a, b, H))
        phx_port_pair_clear(dim, H);
    add_turns_tangent(a, b, y, H);
    for (int k = 0; k < 2; k++)
        for (int m = dim; m < size; m++) {
            const int c = k * PHX_PORT_MAX + m;
            double dy[3], g[PHX_PORT_PAIR] = {0.0};
            variation d = {.q = {0.0}};
            if (k == 0)
                vary_plane(row, a, along.alpha, &at, m, &d);
            else
                vary_ellipsoid(row, b, &at, m, &d);
            vary_arm(dim, &at, t, &d, dy);
            add_turns(a, b, dy, g, g + PHX_PORT_MAX);
            for (int i = 0; i < 2 * size; i++) {
                const int r = i < size ? i : i - size + PHX_PORT_MAX;
                H[r * PHX_PORT_PAIR + c] += g[r];
            }
        }
    return true;
}

const phx_row_operations phx_row_ellipsoid_slip = {slip_measure, slip_covectors, slip_tangent, NULL};
