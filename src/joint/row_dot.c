/* Row kind DOT: c = A . B, the product of a direction A = A_a(alpha) of A and a direction B = A_b(beta) of B. */
#include "row.h"

static double row_dot_measure(const phx_row *row, const phx_port_view *a, const phx_port_view *b, int end)
{
    double A[3], B[3];
    phx_port_direction(a, end, row->alpha, A);
    phx_port_direction(b, end, row->beta, B);
    return phx_port_scalar_product(a->dim, A, B);
}

static inline void row_dot_add_product(const int dim, const phx_port_view *a, const phx_port_view *b,
                                       const double *alpha, const double *beta, double weight, double *g_a, double *g_b)
{
    /* theory 4 (11): c1 - c0 = B_m . (A1 - A0) + A_m . (B1 - B0) */
    double A[3], B[3];
    phx_port_direction_mean_in(dim, a, alpha, A);
    phx_port_direction_mean_in(dim, b, beta, B);
    for (int i = 0; i < dim; i++) {
        A[i] *= weight;
        B[i] *= weight;
    }
    phx_port_direction_effort_in(dim, a, alpha, B, g_a);
    phx_port_direction_effort_in(dim, b, beta, A, g_b);
}

void row_add_product(const phx_port_view *a, const phx_port_view *b, const double *alpha, const double *beta,
                     double weight, double *g_a, double *g_b)
{
    if (a->dim == 2)
        row_dot_add_product(2, a, b, alpha, beta, weight, g_a, g_b);
    else
        row_dot_add_product(3, a, b, alpha, beta, weight, g_a, g_b);
}

/* Adds `weight` times the derivative of the covectors of A . B by the variations of both ports to H. */
void row_add_product_tangent(const phx_port_view *a, const phx_port_view *b, const double *alpha, const double *beta,
                             double weight, double *H)
{
    /* g_a = E_a^T B, g_b = E_b^T A, E the map of efforts, T = d(direction)/d(turn), the same at an instant:
     *
     *            turn_a                turn_b
     *   turn_a [ dE_a^T B              E_a^T T_b ]
     *   turn_b [ E_b^T T_a             dE_b^T A  ]                                                            */
    enum { SIZE = 3 * PHX_PORT_MAX };
    int dim = a->dim, n = phx_port_size(dim);
    double A[3], B[3], T_a[SIZE], T_b[SIZE], E_a[SIZE], E_b[SIZE];
    phx_port_direction_mean(a, alpha, A);
    phx_port_direction_mean(b, beta, B);
    phx_port_direction_tangent(a, alpha, T_a);
    phx_port_direction_tangent(b, beta, T_b);
    phx_port_direction_map(a, alpha, E_a);
    phx_port_direction_map(b, beta, E_b);
    for (int i = 0; i < dim; i++) {
        A[i] *= weight;
        B[i] *= weight;
    }
    for (int i = dim; i < n; i++) {
        for (int j = dim; j < n; j++) {
            double on_a = 0.0, on_b = 0.0;
            for (int r = 0; r < dim; r++) {
                on_a += E_a[r * PHX_PORT_MAX + i] * T_b[r * PHX_PORT_MAX + j];
                on_b += E_b[r * PHX_PORT_MAX + j] * T_a[r * PHX_PORT_MAX + i];
            }
            H[i * PHX_PORT_PAIR + PHX_PORT_MAX + j] += weight * on_a;
            H[(PHX_PORT_MAX + j) * PHX_PORT_PAIR + i] += weight * on_b;
        }
    }
    row_add_direction_effort_tangent(a, alpha, B, 0, H);
    row_add_direction_effort_tangent(b, beta, A, PHX_PORT_MAX, H);
}

static void row_dot_covectors(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *g_a,
                              double *g_b)
{
    row_add_product(a, b, row->alpha, row->beta, 1.0, g_a, g_b);
}

static bool row_dot_tangent(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *H)
{
    phx_port_pair_clear(a->dim, H);
    row_add_product_tangent(a, b, row->alpha, row->beta, 1.0, H);
    return true;
}

const phx_row_operations phx_row_dot = {row_dot_measure, row_dot_covectors, row_dot_tangent, NULL};
