/* The derivatives of several DOT rows between the same ports in space, added up: what they have in common is evaluated
 * once. Of one row c = A . B, with b_m, b_1 the direction of B's body axes at the mean and at the end (port.h), f_a =
 * R_ma^T B and f_1a = R_1a^T B, and the same with a and b exchanged,
 *
 *                w_a, theta_a                  w_b, theta_b
 *   w_a     [ a_m x (f_1a x .), (. x alpha) x f_a     (e_i x a_m) . M (e_j x b_1), ...
 *   theta_a [ alpha x (f_1a x .), 0                   (e_i x alpha) . M (e_j x b_1), ...    M = R_ma^T R_1b
 *
 * All are bilinear in vectors of the rows: their sums of products N, F with 3 x 3 entries are made first. */
#include "row.h"

/* One side of a row. */
typedef struct dot_side {
    const double *body;               /* direction in the undeformed section, body axes: on theta_dot */
    double mean_axes[3], end_axes[3]; /* after the section has turned: on w */
    double mean[3], rate[3];          /* inertial: A_m, and its rate R_m s */
    double step[3];                   /* s = w x a_m + theta_dot x alpha */
} dot_side;

/* Vectors of one side of a DOT row that the sums need: the direction in body axes at the mean and at the end, its
 * inertial mean, and its rate w x b + theta_dot x a in body and in inertial axes. */
static void row_dots_look(const phx_port_view *view, const double *direction, dot_side *side)
{
    const double *w = view->rate + 3;
    side->body = direction;
    phx_port_section_direction(3, view, view->thetam, direction, side->mean_axes);
    phx_port_section_direction(3, view, view->theta1, direction, side->end_axes);
    phx_port_direction_mean_in(3, view, direction, side->mean);
    phx_rot_x_vec(3, w, side->mean_axes, side->step);
    if (!view->straight) {
        double turn[3];
        phx_rot_x_vec(3, view->rate + 6, direction, turn);
        for (int i = 0; i < 3; i++)
            side->step[i] += turn[i];
    }
    phx_rot_apply(3, view->Rm, side->step, side->rate);
}

/* Sums over the rows of weight x y^T. */
typedef struct dot_sums {
    double diagonal[2][3][9]; /* of side a, b: f_1 a_m^T, alpha f^T, f_1 alpha^T */
    double across[2][4][9];   /* a by b, b by a: N of (w, w), (w, theta), (theta, w), (theta, theta) */
} dot_sums;

static inline void add_outer(double weight, const double *x, const double *y, double *sum)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum[3 * i + j] += weight * x[i] * y[j];
}

/* Contribution of one row at the side `own`, and its slope there: zeta^T H,
 *   w: s x f_1 + a_1 x R_1^T B_dot,   theta: alpha x (f x w + R_1^T B_dot) */
static inline void add_side(const phx_port_view *view, const dot_side *own, const dot_side *other, double weight,
                            double diagonal[3][9], double across[4][9], double *slope)
{
    double f1[3], h1[3], x[3], y[3];
    phx_rot_apply_transposed(3, view->R1, other->mean, f1);
    phx_rot_apply_transposed(3, view->R1, other->rate, h1);
    phx_rot_x_vec(3, own->step, f1, x);
    phx_rot_x_vec(3, own->end_axes, h1, y);
    for (int i = 0; i < 3; i++)
        slope[3 + i] = x[i] + y[i];
    add_outer(weight, f1, own->mean_axes, diagonal[0]);
    add_outer(weight, own->mean_axes, other->end_axes, across[0]);
    double f[3];
    phx_rot_apply_transposed(3, view->Rm, other->mean, f);
    phx_rot_x_vec(3, f, view->rate + 3, x);
    for (int i = 0; i < 3; i++)
        x[i] += h1[i];
    phx_rot_x_vec(3, own->body, x, slope + 6);
    add_outer(weight, own->body, f, diagonal[1]);
    add_outer(weight, f1, own->body, diagonal[2]);
    add_outer(weight, own->mean_axes, other->body, across[1]);
    add_outer(weight, own->body, other->end_axes, across[2]);
    add_outer(weight, own->body, other->body, across[3]);
}

/* Block of H = F - tr(F) I: the sum of  . -> y x (f x .)  for F = sum f y^T */
static inline void set_double_cross(const double *F, double *H)
{
    const double trace = F[0] + F[4] + F[8];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[i * PHX_PORT_PAIR + j] = F[3 * i + j] - (i == j ? trace : 0.0);
}

/* Block of H = the sum of (e_i x x) . M (e_j x y) for N = sum x y^T */
static inline void set_cross(const double *N, const double *M, double *H)
{
    for (int i = 0; i < 3; i++) {
        const int k = 3 * ((i + 1) % 3), l = 3 * ((i + 2) % 3);
        for (int j = 0; j < 3; j++) {
            const int m = (j + 1) % 3, n = (j + 2) % 3;
            H[i * PHX_PORT_PAIR + j] =
                N[k + m] * M[l + n] + N[l + n] * M[k + m] - N[k + n] * M[l + m] - N[l + m] * M[k + n];
        }
    }
}

/* Rm^T R1 of two ports */
static void relative(const double *Rm, const double *R1, double *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[3 * i + j] = Rm[i] * R1[j] + Rm[3 + i] * R1[3 + j] + Rm[6 + i] * R1[6 + j];
}

/* Sets the rotational blocks of H = sum weight dg/dxi of all DOT rows, and the slope of each, from sums over the rows.
 * Rows of other kinds are skipped. */
void row_set_dots_tangent(int count, const phx_row *const *rows, const double *weights, const phx_port_view *a,
                          const phx_port_view *b, double *H, double *slopes)
{
    enum { PAIR = PHX_PORT_PAIR, B = PHX_PORT_MAX };
    dot_sums sums = {0};
    double M[2][9];
    for (int k = 0; k < count; k++) {
        if (rows[k]->kind != PHX_ROW_DOT)
            continue;
        dot_side on_a, on_b;
        row_dots_look(a, rows[k]->alpha, &on_a);
        row_dots_look(b, rows[k]->beta, &on_b);
        add_side(a, &on_a, &on_b, weights[k], sums.diagonal[0], sums.across[0], slopes + k * PAIR);
        add_side(b, &on_b, &on_a, weights[k], sums.diagonal[1], sums.across[1], slopes + k * PAIR + B);
    }
    relative(a->Rm, b->R1, M[0]);
    relative(b->Rm, a->R1, M[1]);
    for (int side = 0; side < 2; side++) {
        double *own = H + side * B * (PAIR + 1), *other = H + side * B * PAIR + (1 - side) * B;
        set_double_cross(sums.diagonal[side][0], own + 3 * PAIR + 3);
        set_cross(sums.across[side][0], M[side], other + 3 * PAIR + 3);
        set_double_cross(sums.diagonal[side][1], own + 3 * PAIR + 6);
        set_double_cross(sums.diagonal[side][2], own + 6 * PAIR + 3);
        set_cross(sums.across[side][1], M[side], other + 3 * PAIR + 6);
        set_cross(sums.across[side][2], M[side], other + 6 * PAIR + 3);
        set_cross(sums.across[side][3], M[side], other + 6 * PAIR + 6);
        for (int i = 6; i < 9; i++)
            for (int j = 6; j < 9; j++)
                own[i * PAIR + j] = 0.0;
    }
}

/* sum += weight x y^T, or = for the first row */
static inline void collect_outer(bool first, double weight, const double *x, const double *y, double *sum)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum[3 * i + j] = (first ? 0.0 : sum[3 * i + j]) + weight * x[i] * y[j];
}

/* Block of H = F - tr(F) I with F = M N, or M N^T */
static inline void set_double_crosses(bool transposed, const double *M, const double *N, double *H)
{
    double trace = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += M[3 * i + k] * (transposed ? N[3 * j + k] : N[3 * k + j]);
            H[i * PHX_PORT_PAIR + j] = sum;
            trace += i == j ? sum : 0.0;
        }
    for (int i = 0; i < 3; i++)
        H[i * (PHX_PORT_PAIR + 1)] -= trace;
}

/* Block of H = the sum of (e_i x x) . M^T (e_j x y) for N = sum x y^T, or for N^T */
static inline void set_crossed(bool transposed, const double *N, const double *M, double *H)
{
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int m = (j + 1) % 3, n = (j + 2) % 3;
            const double km = transposed ? N[3 * m + k] : N[3 * k + m], ln = transposed ? N[3 * n + l] : N[3 * l + n];
            const double kn = transposed ? N[3 * n + k] : N[3 * k + n], lm = transposed ? N[3 * m + l] : N[3 * l + m];
            H[i * PHX_PORT_PAIR + j] = km * M[3 * n + l] + ln * M[3 * m + k] - kn * M[3 * m + l] - lm * M[3 * n + k];
        }
    }
}

/* The same for DOT rows only, between sections that do not rotate against their frames: sets the w-w blocks of H and
 * the w entries of the slopes. */
void row_set_frames_tangent(int count, const phx_row *const *rows, const double *weights, const phx_port_view *a,
                            const phx_port_view *b, double *H, double *slopes)
{
    /* Of sections that do not turn a_m = a_1 = alpha and A_m = R_ma alpha. With to_a = R_1a^T R_mb, to_b = R_1b^T R_ma
     * and N = sum weight alpha beta^T:  F_a = to_a N^T,  F_b = to_b N,  M = to_b^T and to_a^T,
     *   slope_a = s_a x (to_a beta) + alpha x (to_a s_b),   s = w x direction */
    enum { PAIR = PHX_PORT_PAIR, B = PHX_PORT_MAX };
    double to_a[9], to_b[9], N[9];
    relative(a->R1, b->Rm, to_a);
    relative(b->R1, a->Rm, to_b);
    for (int k = 0; k < count; k++) {
        const double *alpha = rows[k]->alpha, *beta = rows[k]->beta;
        double s_a[3], s_b[3], f[3], h[3], x[3], y[3], *slope = slopes + k * PAIR;
        collect_outer(k == 0, weights[k], alpha, beta, N);
        phx_rot_x_vec(3, a->rate + 3, alpha, s_a);
        phx_rot_x_vec(3, b->rate + 3, beta, s_b);
        phx_rot_apply(3, to_a, beta, f);
        phx_rot_apply(3, to_a, s_b, h);
        phx_rot_x_vec(3, s_a, f, x);
        phx_rot_x_vec(3, alpha, h, y);
        for (int i = 0; i < 3; i++)
            slope[3 + i] = x[i] + y[i];
        phx_rot_apply(3, to_b, alpha, f);
        phx_rot_apply(3, to_b, s_a, h);
        phx_rot_x_vec(3, s_b, f, x);
        phx_rot_x_vec(3, beta, h, y);
        for (int i = 0; i < 3; i++)
            slope[B + 3 + i] = x[i] + y[i];
    }
    set_double_crosses(true, to_a, N, H + 3 * PAIR + 3);
    set_double_crosses(false, to_b, N, H + (B + 3) * PAIR + B + 3);
    set_crossed(false, N, to_b, H + 3 * PAIR + B + 3);
    set_crossed(true, N, to_a, H + (B + 3) * PAIR + 3);
}
