/* Row kind SLIP: the velocity along a tangent t of the place where what is round about B touches what is round about A,
 * B's body against A's:
 *
 *     c' = sum t_k (x_k)' + A_a(beta) . (Omega_b - Omega_a),   x_k = A_a(e_k) . (u_b - u_a),   beta = -r n x t
 *
 * r = beta[0] the radius of B, n the normal in A's directions, from A's surface to B's centre; with s = beta[1], 1 or
 * -1 where B is inside A:
 *
 *     n = s y/|y|,   y = x of a sphere, x - (a . x) a of a cylinder with the axis a = alpha2
 *
 * The tangents in space: t_0, the direction alpha made perpendicular to n, and t_1 = n x t_0 (axis 0, 1; of a cylinder
 * alpha is its axis). In the plane t = (n_1, -n_0). That is no derivative: c has no value. */
#include <math.h>

#include "row.h"

/* In A's directions: the normal, the tangent, beta, and their derivatives by x, row-major. */
typedef struct surface {
    double n[3], t[3], beta[3];
    double dn[9], dt[9], dbeta[9];
} surface;

static phx_row component(int k)
{
    phx_row row = {.kind = PHX_ROW_NORMAL};

    row.alpha[k] = 1.0;
    return row;
}

/* out = x/|x| with its derivatives d out = (1 - out out^T)/|x| dx */
static void normalise(int dim, const double *x, const double *dx, double *out, double *d_out)
{
    const double length = sqrt(phx_port_scalar_product(dim, x, x));

    for (int i = 0; i < dim; i++)
        out[i] = length > 0.0 ? x[i] / length : 0.0;
    for (int l = 0; l < dim; l++) {
        double along = 0.0;
        for (int i = 0; i < dim; i++)
            along += out[i] * dx[i * 3 + l];
        for (int i = 0; i < dim; i++)
            d_out[i * 3 + l] = length > 0.0 ? (dx[i * 3 + l] - out[i] * along) / length : 0.0;
    }
}

/* n = s y/|y| */
static void find_normal(const phx_row *row, int dim, const double *x, surface *skin)
{
    const double *a = row->alpha2, side = row->beta[1], along = dim == 3 ? phx_port_scalar_product(3, a, x) : 0.0;
    double y[3], dy[9] = {0.0};

    for (int i = 0; i < dim; i++) {
        y[i] = side * (dim == 3 ? x[i] - along * a[i] : x[i]);
        for (int l = 0; l < dim; l++)
            dy[i * 3 + l] = side * ((i == l ? 1.0 : 0.0) - (dim == 3 ? a[i] * a[l] : 0.0));
    }
    normalise(dim, y, dy, skin->n, skin->dn);
}

/* t_0 = w/|w|, w = alpha - (alpha . n) n */
static void find_first_tangent(const phx_row *row, surface *skin)
{
    const double along = phx_port_scalar_product(3, row->alpha, skin->n);
    double w[3], dw[9];

    for (int i = 0; i < 3; i++)
        w[i] = row->alpha[i] - along * skin->n[i];
    for (int l = 0; l < 3; l++) {
        double turned = 0.0; /* alpha . dn */
        for (int i = 0; i < 3; i++)
            turned += row->alpha[i] * skin->dn[i * 3 + l];
        for (int i = 0; i < 3; i++)
            dw[i * 3 + l] = -turned * skin->n[i] - along * skin->dn[i * 3 + l];
    }
    normalise(3, w, dw, skin->t, skin->dt);
}

/* t_1 = n x t_0 */
static void find_second_tangent(const surface *skin, double *t, double *dt)
{
    phx_vec_x_vec(3, skin->n, skin->t, t);
    for (int l = 0; l < 3; l++) {
        double dn[3], dt0[3], by_n[3], by_t[3];
        for (int i = 0; i < 3; i++) {
            dn[i] = skin->dn[i * 3 + l];
            dt0[i] = skin->dt[i * 3 + l];
        }
        phx_vec_x_vec(3, dn, skin->t, by_n);
        phx_vec_x_vec(3, skin->n, dt0, by_t);
        for (int i = 0; i < 3; i++)
            dt[i * 3 + l] = by_n[i] + by_t[i];
    }
}

/* At x in A's directions. n x t_0 = t_1, n x t_1 = -t_0. */
static void find_surface(const phx_row *row, int dim, const double *x, surface *skin)
{
    const double r = row->beta[0];
    double t1[3], dt1[9];

    memset(skin, 0, sizeof *skin);
    find_normal(row, dim, x, skin);
    if (dim == 2) {
        for (int i = 0; i < 2; i++) {
            skin->t[i] = i == 0 ? skin->n[1] : -skin->n[0];
            for (int l = 0; l < 2; l++)
                skin->dt[i * 3 + l] = i == 0 ? skin->dn[3 + l] : -skin->dn[l];
        }
        return;
    }
    find_first_tangent(row, skin);
    find_second_tangent(skin, t1, dt1);
    for (int i = 0; i < 3; i++)
        skin->beta[i] = row->axis == 0 ? -r * t1[i] : r * skin->t[i];
    for (int i = 0; i < 9; i++)
        skin->dbeta[i] = row->axis == 0 ? -r * dt1[i] : r * skin->dt[i];
    if (row->axis != 0) {
        memcpy(skin->t, t1, sizeof t1);
        memcpy(skin->dt, dt1, sizeof dt1);
    }
}

/* In the middle of the interval. */
static void find_mean(const phx_row *row, const phx_port_view *a, const phx_port_view *b, surface *skin)
{
    double x[3];

    for (int k = 0; k < a->dim; k++) {
        const phx_row part = component(k);
        x[k] = 0.5 * (phx_row_value(&part, a, b, 0) + phx_row_value(&part, a, b, 1));
    }
    find_surface(row, a->dim, x, skin);
}

void phx_row_slip_normal(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *n)
{
    surface skin;

    find_mean(row, a, b, &skin);
    memcpy(n, skin.n, sizeof skin.n);
}

static double row_slip_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    (void)row, (void)a, (void)b, (void)end;
    return 0.0;
}

static const phx_row angle = {.kind = PHX_ROW_ANGLE};

/* beta . Omega, in the plane r angle', into covectors that are added to */
static void add_rolling(const phx_row *row, const phx_port_view *a, const phx_port_view *b, const double *beta,
                        double *g_a, double *g_b)
{
    double y[3], own_a[PHX_PORT_MAX], own_b[PHX_PORT_MAX];

    if (a->dim == 3) {
        phx_port_direction_mean(a, beta, y);
        row_add_turn(a, -1.0, y, g_a);
        row_add_turn(b, 1.0, y, g_b);
        return;
    }
    phx_row_covectors(&angle, a, b, own_a, own_b);
    for (int i = 0; i < phx_port_size(2); i++) {
        g_a[i] += row->beta[0] * own_a[i];
        g_b[i] += row->beta[0] * own_b[i];
    }
}

/* Adds the covectors t_k g(x_k) of the sliding velocity at the contact and those of the relative rotation about beta to
 * g_a and g_b. */
static void row_slip_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                               double *g_b)
{
    double own_a[PHX_PORT_MAX], own_b[PHX_PORT_MAX];
    surface skin;

    find_mean(row, a, b, &skin);
    for (int k = 0; k < a->dim; k++) {
        const phx_row part = component(k);
        phx_row_covectors(&part, a, b, own_a, own_b);
        for (int i = 0; i < phx_port_size(a->dim); i++) {
            g_a[i] += skin.t[k] * own_a[i];
            g_b[i] += skin.t[k] * own_b[i];
        }
    }
    add_rolling(row, a, b, skin.beta, g_a, g_b);
}

/* H += weight of `own`, in the entries of both ports. */
static void row_slip_add_block(int dim, double weight, const double *own, double *H)
{
    const int size = phx_port_size(dim);

    for (int i = 0; i < 2 * size; i++)
        for (int j = 0; j < 2 * size; j++) {
            const int r = i < size ? i : i - size + PHX_PORT_MAX, c = j < size ? j : j - size + PHX_PORT_MAX;
            H[r * PHX_PORT_PAIR + c] += weight * own[r * PHX_PORT_PAIR + c];
        }
}

static void row_slip_add_product(int dim, const double *left, const double *right, double *H)
{
    const int size = phx_port_size(dim);

    for (int i = 0; i < 2 * size; i++)
        for (int j = 0; j < 2 * size; j++) {
            const int r = i < size ? i : i - size + PHX_PORT_MAX, c = j < size ? j : j - size + PHX_PORT_MAX;
            H[r * PHX_PORT_PAIR + c] += left[r] * right[c];
        }
}

/* H = dg/dxi of the slip, with the tangent and the arm depending on the place of contact; always true. */
static bool row_slip_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    /* H = t_k H_k + (turn of A and B at fixed beta) + (g_k dt_k/dx_l + g(dbeta/dx_l)) g_l^T,   dx_l = g_l */
    const int dim = a->dim;
    double g[3][PHX_PORT_PAIR] = {{0.0}}, own[PHX_PORT_PAIR * PHX_PORT_PAIR], y[3], T[3 * PHX_PORT_MAX];
    surface skin;

    find_mean(row, a, b, &skin);
    phx_port_pair_clear(dim, H);
    for (int k = 0; k < dim; k++) {
        const phx_row part = component(k);
        phx_row_covectors(&part, a, b, g[k], g[k] + PHX_PORT_MAX);
        if (phx_row_tangent(&part, a, b, own))
            row_slip_add_block(dim, skin.t[k], own, H);
    }
    if (dim == 3) {
        phx_port_direction_mean(a, skin.beta, y);
        phx_port_direction_tangent(a, skin.beta, T);
        row_add_turn_tangent(a, -1.0, y, T, 0, H);
        row_add_turn_tangent(b, 1.0, y, T, PHX_PORT_MAX, H);
    } else if (phx_row_tangent(&angle, a, b, own)) {
        row_slip_add_block(dim, row->beta[0], own, H);
    }
    for (int l = 0; l < dim; l++) {
        const double dbeta[3] = {skin.dbeta[l], skin.dbeta[3 + l], skin.dbeta[6 + l]};
        double left[PHX_PORT_PAIR] = {0.0};
        for (int k = 0; k < dim; k++)
            for (int i = 0; i < PHX_PORT_PAIR; i++)
                left[i] += skin.dt[k * 3 + l] * g[k][i];
        if (dim == 3)
            add_rolling(row, a, b, dbeta, left, left + PHX_PORT_MAX);
        row_slip_add_product(dim, left, g[l], H);
    }
    return true;
}

const phx_row_operations phx_row_slip = {row_slip_measure, row_slip_covectors, row_slip_tangent, NULL};
