/* Row kind ROLL: how far what is round about B has slipped along a line of A's surface that it touches.
 *
 * plane: c = A_a(alpha) . (u_b - u_a)/|A_a(alpha)| + r angle, a disc of radius r = beta[0]
 * space: (F12c) c' = (A_a(alpha) . (u_b - u_a)/|A_a(alpha)|)' + A_a(beta) . (Omega_b - Omega_a), a sphere of radius r,
 * with beta = -r n x alpha, n the normal of the surface. That is no derivative: c has no value but its first part. */
#include "row.h"

/* The first part; in the plane the second one too, times r. */
static phx_row along_of(const phx_row *row)
{
    phx_row along = {.kind = PHX_ROW_DISPLACEMENT};

    memcpy(along.alpha, row->alpha, sizeof row->alpha);
    return along;
}

static const phx_row angle = {.kind = PHX_ROW_ANGLE};

static double row_roll_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    const phx_row along = along_of(row);
    const double c = phx_row_value(&along, a, b, end);

    return a->dim == 3 ? c : c + row->beta[0] * phx_row_value(&angle, a, b, end);
}

static void disc_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    double own_a[PHX_PORT_MAX], own_b[PHX_PORT_MAX];

    phx_row_covectors(&angle, a, b, own_a, own_b);
    for (int i = 0; i < phx_port_size(2); i++) {
        g_a[i] += row->beta[0] * own_a[i];
        g_b[i] += row->beta[0] * own_b[i];
    }
}

/* Inverse of the mean frame view->Rm (dim x dim), which is not a rotation. */
void row_invert_mean(const phx_port_view *view, double *inverse)
{
    const double *R = view->Rm;
    double det = 0.0;

    if (view->dim == 2) {
        det = R[0] * R[3] - R[1] * R[2];
        inverse[0] = R[3] / det;
        inverse[1] = -R[1] / det;
        inverse[2] = -R[2] / det;
        inverse[3] = R[0] / det;
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[j * 3 + i] = R[i1 * 3 + j1] * R[i2 * 3 + j2] - R[i1 * 3 + j2] * R[i2 * 3 + j1];
        }
    for (int j = 0; j < 3; j++)
        det += R[j] * inverse[j * 3];
    for (int k = 0; k < 9; k++)
        inverse[k] /= det;
}

/* The covectors of y . Omega of a section, inertial y: Omega = R (w + E theta_dot). */
void row_add_turn(const phx_port_view *view, double sign, const double *y, double *g)
{
    double inverse[9], f[3], E[9], on_theta[3];

    row_invert_mean(view, inverse);
    phx_rot_apply(3, inverse, y, f);
    for (int i = 0; i < 3; i++)
        g[3 + i] += sign * f[i];
    if (view->straight)
        return;
    phx_port_section_turn(view, E);
    phx_rot_apply_transposed(3, E, f, on_theta);
    for (int i = 0; i < 3; i++)
        g[6 + i] += sign * on_theta[i];
}

/* Covectors of rolling: the row along the path plus the turn of both bodies about the mean axis, in the plane plus the
 * covectors of a disc. */
static void row_roll_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                               double *g_b)
{
    const phx_row along = along_of(row);
    double y[3];

    phx_row_covectors(&along, a, b, g_a, g_b);
    if (a->dim == 2) {
        disc_covectors(row, a, b, g_a, g_b);
        return;
    }
    phx_port_direction_mean(a, row->beta, y);
    row_add_turn(a, -1.0, y, g_a);
    row_add_turn(b, 1.0, y, g_b);
}

static void disc_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    const int size = phx_port_size(2);
    double own[PHX_PORT_PAIR * PHX_PORT_PAIR];

    if (!phx_row_tangent(&angle, a, b, own))
        return;
    for (int i = 0; i < 2 * size; i++)
        for (int j = 0; j < 2 * size; j++) {
            const int r = i < size ? i : i - size + PHX_PORT_MAX, c = j < size ? j : j - size + PHX_PORT_MAX;
            H[r * PHX_PORT_PAIR + c] += row->beta[0] * own[r * PHX_PORT_PAIR + c];
        }
}

/* The derivatives of row_add_turn, f = Rm^-1 y: df = Rm^-1 (R1 (f x dphi) + dy), dy = T d(turn of A). `first`: the
 * entries of the port in H. */
void row_add_turn_tangent(const phx_port_view *view, double sign, const double *y, const double *T, int first,
                          double *H)
{
    double inverse[9], f[3], df[3 * PHX_PORT_PAIR] = {0}, E[9], dE[3][9];

    row_invert_mean(view, inverse);
    phx_rot_apply(3, inverse, y, f);
    for (int k = 0; k < 3; k++) {
        const double e[3] = {k == 0, k == 1, k == 2};
        double turned[3], at_end[3], column[3];
        phx_vec_x_vec(3, f, e, turned);
        phx_rot_apply(3, view->R1, turned, at_end);
        phx_rot_apply(3, inverse, at_end, column);
        for (int i = 0; i < 3; i++)
            df[i * PHX_PORT_PAIR + first + 3 + k] += column[i];
    }
    for (int i = 0; i < 3; i++)
        for (int c = 3; c < PHX_PORT_MAX; c++)
            for (int r = 0; r < 3; r++)
                df[i * PHX_PORT_PAIR + c] += inverse[i * 3 + r] * T[r * PHX_PORT_MAX + c];
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < PHX_PORT_PAIR; c++)
            H[(first + 3 + i) * PHX_PORT_PAIR + c] += sign * df[i * PHX_PORT_PAIR + c];
    if (view->straight)
        return;
    phx_port_section_turn(view, E);
    phx_port_section_turn_tangent(view, dE);
    for (int i = 0; i < 3; i++)
        for (int r = 0; r < 3; r++) {
            double *to = H + (first + 6 + i) * PHX_PORT_PAIR;
            for (int c = 0; c < PHX_PORT_PAIR; c++)
                to[c] += sign * E[r * 3 + i] * df[r * PHX_PORT_PAIR + c];
            for (int k = 0; k < 3; k++)
                to[first + 6 + k] += sign * dE[k][r * 3 + i] * f[r];
        }
}

/* H = dg/dxi of rolling: the displacement's part and the rotation's part; always true. */
static bool row_roll_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    const phx_row along = along_of(row);
    double y[3], T[3 * PHX_PORT_MAX];

    if (!phx_row_tangent(&along, a, b, H))
        phx_port_pair_clear(a->dim, H);
    if (a->dim == 2) {
        disc_tangent(row, a, b, H);
        return true;
    }
    phx_port_direction_mean(a, row->beta, y);
    phx_port_direction_tangent(a, row->beta, T);
    row_add_turn_tangent(a, -1.0, y, T, 0, H);
    row_add_turn_tangent(b, 1.0, y, T, PHX_PORT_MAX, H);
    return true;
}

const phx_row_operations phx_row_roll = {row_roll_measure, row_roll_covectors, row_roll_tangent, NULL};
