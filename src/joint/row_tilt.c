/* Row kind TILT, space: theta = atan2(s, rho), s = A . B, rho = |A x B|, A = A_a(alpha), B = A_b(beta): the angle by
 * which B rises out of the plane across A, whatever their lengths. */
#include <math.h>

#include "row.h"

typedef struct tilt {
    double A[3], B[3], n[3]; /* n = A x B */
    double s, rho;
} tilt;

static void row_tilt_evaluate(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end, tilt *v)
{
    phx_port_direction(a, end, row->alpha, v->A);
    phx_port_direction(b, end, row->beta, v->B);
    phx_vec_x_vec(3, v->A, v->B, v->n);
    v->s = phx_port_scalar_product(3, v->A, v->B);
    v->rho = sqrt(phx_port_scalar_product(3, v->n, v->n));
}

static double row_tilt_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    tilt v;
    row_tilt_evaluate(row, a, b, end, &v);
    return atan2(v.s, v.rho);
}

/* Parts of the covectors, with kappa of theory 4 (16):
 *
 *   theta1 - theta0 = kappa [rho_m (s1 - s0) - s_m (rho1 - rho0)]
 *   s1 - s0     = B_m . (A1 - A0) + A_m . (B1 - B0)
 *   rho1 - rho0 = (n0 + n1) . (n1 - n0)/(rho0 + rho1),   n1 - n0 = (A1 - A0) x B_m + A_m x (B1 - B0)
 *
 * so on A(alpha) acts p B_m - q B_m x n, on B(beta) p A_m - q n x A_m, n = n0 + n1,
 * p = kappa (rho0 + rho1)/2, q = kappa (s0 + s1)/[2 (rho0 + rho1)]. */
typedef struct increment {
    tilt v0, v1;
    double A[3], B[3], n[3], S, C, kappa, p, q, on_a[3], on_b[3];
} increment;

/* Terms of the increment of the tilt angle over an interval: atan2(S, C) of the difference, its quotient kappa =
 * atan2(S, C)/S, and the vectors on_a, on_b that multiply the increments of A and B. */
static void evaluate_increment(const phx_row *row, const phx_port_view *a, const phx_port_view *b, increment *out)
{
    const tilt *v0 = &out->v0, *v1 = &out->v1;

    row_tilt_evaluate(row, a, b, 0, &out->v0);
    row_tilt_evaluate(row, a, b, 1, &out->v1);
    out->S = v0->rho * v1->s - v0->s * v1->rho;
    out->C = v0->rho * v1->rho + v0->s * v1->s;
    out->kappa = phx_port_turn_quotient(out->S, out->C);
    out->p = 0.5 * out->kappa * (v0->rho + v1->rho);
    out->q = 0.5 * out->kappa * (v0->s + v1->s) / (v0->rho + v1->rho);
    for (int i = 0; i < 3; i++) {
        out->A[i] = 0.5 * (v0->A[i] + v1->A[i]);
        out->B[i] = 0.5 * (v0->B[i] + v1->B[i]);
        out->n[i] = v0->n[i] + v1->n[i];
    }
    phx_vec_x_vec(3, out->B, out->n, out->on_a);
    phx_vec_x_vec(3, out->n, out->A, out->on_b);
    for (int i = 0; i < 3; i++) {
        out->on_a[i] = out->p * out->B[i] - out->q * out->on_a[i];
        out->on_b[i] = out->p * out->A[i] - out->q * out->on_b[i];
    }
}

static void row_tilt_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                               double *g_b)
{
    increment at;

    evaluate_increment(row, a, b, &at);
    phx_port_direction_effort(a, row->alpha, at.on_a, g_a);
    phx_port_direction_effort(b, row->beta, at.on_b, g_b);
}

/* Derivatives of on_a and on_b where the mean directions vary by dA and dB and the end by twice as much. */
static void vary(const increment *at, const double *dA, const double *dB, double *don_a, double *don_b)
{
    const tilt *v0 = &at->v0, *v1 = &at->v1;
    double dn[3], part[3], on_n[3], rho = v0->rho + v1->rho;

    phx_vec_x_vec(3, dA, v1->B, dn);
    phx_vec_x_vec(3, v1->A, dB, part);
    for (int i = 0; i < 3; i++)
        dn[i] = 2.0 * (dn[i] + part[i]);
    const double ds = 2.0 * (phx_port_scalar_product(3, dA, v1->B) + phx_port_scalar_product(3, v1->A, dB));
    const double drho = phx_port_scalar_product(3, v1->n, dn) / v1->rho;
    const double dkappa = at->S * phx_port_turn_quotient_derivative(at->S, at->C) * (v0->rho * ds - v0->s * drho) -
                          (v0->rho * drho + v0->s * ds) / (at->S * at->S + at->C * at->C);
    const double dp = 0.5 * (dkappa * rho + at->kappa * drho);
    const double dq = 0.5 * (dkappa * (v0->s + v1->s) + at->kappa * ds) / rho - at->q * drho / rho;
    phx_vec_x_vec(3, at->B, at->n, part);
    for (int i = 0; i < 3; i++)
        don_a[i] = dp * at->B[i] + at->p * dB[i] - dq * part[i];
    phx_vec_x_vec(3, dB, at->n, part);
    phx_vec_x_vec(3, at->B, dn, on_n);
    for (int i = 0; i < 3; i++)
        don_a[i] -= at->q * (part[i] + on_n[i]);
    phx_vec_x_vec(3, at->n, at->A, part);
    for (int i = 0; i < 3; i++)
        don_b[i] = dp * at->A[i] + at->p * dA[i] - dq * part[i];
    phx_vec_x_vec(3, dn, at->A, part);
    phx_vec_x_vec(3, at->n, dA, on_n);
    for (int i = 0; i < 3; i++)
        don_b[i] -= at->q * (part[i] + on_n[i]);
}

/* H = dg/dxi of the tilt: the maps of the directions' efforts applied to the derivatives of on_a and on_b by A and
 * B. */
static bool row_tilt_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    double map[2][3 * PHX_PORT_MAX], T[2][3 * PHX_PORT_MAX];
    increment at;

    evaluate_increment(row, a, b, &at);
    phx_port_direction_map(a, row->alpha, map[0]);
    phx_port_direction_map(b, row->beta, map[1]);
    phx_port_direction_tangent(a, row->alpha, T[0]);
    phx_port_direction_tangent(b, row->beta, T[1]);
    phx_port_pair_clear(3, H);
    for (int port = 0; port < 2; port++)
        for (int j = 3; j < PHX_PORT_MAX; j++) {
            double moved[2][3] = {{0}}, on[2][3]; /* dA, dB; d(on_a), d(on_b) */
            for (int r = 0; r < 3; r++)
                moved[port][r] = T[port][r * PHX_PORT_MAX + j];
            vary(&at, moved[0], moved[1], on[0], on[1]);
            for (int side = 0; side < 2; side++) /* the covectors are map^T on */
                for (int i = 3; i < PHX_PORT_MAX; i++) {
                    double sum = 0.0;
                    for (int r = 0; r < 3; r++)
                        sum += map[side][r * PHX_PORT_MAX + i] * on[side][r];
                    H[(side * PHX_PORT_MAX + i) * PHX_PORT_PAIR + port * PHX_PORT_MAX + j] = sum;
                }
        }
    row_add_direction_effort_tangent(a, row->alpha, at.on_a, 0, H);
    row_add_direction_effort_tangent(b, row->beta, at.on_b, PHX_PORT_MAX, H);
    return true;
}

const phx_row_operations phx_row_tilt = {row_tilt_measure, row_tilt_covectors, row_tilt_tangent, NULL};
