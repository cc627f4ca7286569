/* Row kind TILT, space: theta = atan2(s, rho), s = A . B, rho = |A x B|, A = A_a(alpha), B = A_b(beta): the angle by
 * which B rises out of the plane across A, whatever their lengths. */
#include <math.h>

#include "row.h"

typedef struct tilt {
    double A[3], B[3], n[3]; /* n = A x B */
    double s, rho;
} tilt;

static void evaluate(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end, tilt *v)
{
    phx_port_direction(a, end, row->alpha, v->A);
    phx_port_direction(b, end, row->beta, v->B);
    phx_vec_x_vec(3, v->A, v->B, v->n);
    v->s = phx_port_scalar_product(3, v->A, v->B);
    v->rho = sqrt(phx_port_scalar_product(3, v->n, v->n));
}

static double measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    tilt v;
    evaluate(row, a, b, end, &v);
    return atan2(v.s, v.rho);
}

static void covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a, double *g_b)
{
    /* theta1 - theta0 = kappa [rho_m (s1 - s0) - s_m (rho1 - rho0)], kappa as in row_turn.c
     *   s1 - s0     = B_m . (A1 - A0) + A_m . (B1 - B0)
     *   rho1 - rho0 = (n0 + n1) . (n1 - n0)/(rho0 + rho1),   n1 - n0 = (A1 - A0) x B_m + A_m x (B1 - B0) */
    tilt v0, v1;
    double A[3], B[3], n[3], on_a[3], on_b[3];
    evaluate(row, a, b, 0, &v0);
    evaluate(row, a, b, 1, &v1);
    double kappa = phx_port_turn_quotient(v0.rho * v1.s - v0.s * v1.rho, v0.rho * v1.rho + v0.s * v1.s);
    double p = 0.5 * kappa * (v0.rho + v1.rho), q = 0.5 * kappa * (v0.s + v1.s) / (v0.rho + v1.rho);
    for (int i = 0; i < 3; i++) {
        A[i] = 0.5 * (v0.A[i] + v1.A[i]);
        B[i] = 0.5 * (v0.B[i] + v1.B[i]);
        n[i] = v0.n[i] + v1.n[i];
    }
    phx_vec_x_vec(3, B, n, on_a);
    phx_vec_x_vec(3, n, A, on_b);
    for (int i = 0; i < 3; i++) {
        on_a[i] = p * B[i] - q * on_a[i];
        on_b[i] = p * A[i] - q * on_b[i];
    }
    phx_port_direction_effort(a, row->alpha, on_a, g_a);
    phx_port_direction_effort(b, row->beta, on_b, g_b);
}

/* X is the direction whose gradient it is, Y the other: G = (Y - (s/x) X)/rho with x = X . X, y = Y . Y, and
 * r_X = d rho/dX = (y X - s Y)/rho. own = dG/dX, other = dG/dY, 3 x 3. */
static void gradient_tangent(const double *X, const double *Y, double s, double rho, double *own, double *other)
{
    double x = phx_port_scalar_product(3, X, X), y = phx_port_scalar_product(3, Y, Y), ratio = s / x;
    for (int i = 0; i < 3; i++) {
        double G = (Y[i] - ratio * X[i]) / rho;
        for (int j = 0; j < 3; j++) {
            double r_X = (y * X[j] - s * Y[j]) / rho, r_Y = (x * Y[j] - s * X[j]) / rho, unit = i == j ? 1.0 : 0.0;
            own[3 * i + j] = (-X[i] * Y[j] / x + 2.0 * ratio * X[i] * X[j] / x - ratio * unit - G * r_X) / rho;
            other[3 * i + j] = (unit - X[i] * X[j] / x - G * r_Y) / rho;
        }
    }
}

/* H block at (first, second) += T_first^T M T_second */
static void add_block(const double *M, const double *T_first, const double *T_second, int first, int second, double *H)
{
    for (int i = 3; i < PHX_PORT_MAX; i++)
        for (int j = 3; j < PHX_PORT_MAX; j++) {
            double sum = 0.0;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    sum += T_first[r * PHX_PORT_MAX + i] * M[3 * r + c] * T_second[c * PHX_PORT_MAX + j];
            H[(first + i) * PHX_PORT_PAIR + second + j] += sum;
        }
}

static bool tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    double A[3], B[3], n[3], G_A[3], G_B[3], own[9], other[9], T_a[3 * PHX_PORT_MAX], T_b[3 * PHX_PORT_MAX];
    phx_port_direction_mean(a, row->alpha, A);
    phx_port_direction_mean(b, row->beta, B);
    phx_port_direction_tangent(a, row->alpha, T_a);
    phx_port_direction_tangent(b, row->beta, T_b);
    phx_vec_x_vec(3, A, B, n);
    double s = phx_port_scalar_product(3, A, B), rho = sqrt(phx_port_scalar_product(3, n, n));
    double x = phx_port_scalar_product(3, A, A), y = phx_port_scalar_product(3, B, B);
    for (int i = 0; i < 3; i++) {
        G_A[i] = (B[i] - s / x * A[i]) / rho;
        G_B[i] = (A[i] - s / y * B[i]) / rho;
    }
    phx_port_pair_clear(3, H);
    gradient_tangent(A, B, s, rho, own, other);
    add_block(own, T_a, T_a, 0, 0, H);
    add_block(other, T_a, T_b, 0, PHX_PORT_MAX, H);
    gradient_tangent(B, A, s, rho, own, other);
    add_block(own, T_b, T_b, PHX_PORT_MAX, PHX_PORT_MAX, H);
    add_block(other, T_b, T_a, PHX_PORT_MAX, 0, H);
    row_add_direction_effort_tangent(a, row->alpha, G_A, 0, H);
    row_add_direction_effort_tangent(b, row->beta, G_B, PHX_PORT_MAX, H);
    return true;
}

const phx_row_operations phx_row_tilt = {measure, covectors, tangent};
