/* Assembly residuals of rows: of rows that hold a direction the angle, which is not zero where the joint is closed
 * half a turn away. */
#include <math.h>

#include "row.h"

/* g_b on w of B: the inertial axis in B's body axes; opposite on A. */
static void set_turn(const phx_port_view *a, const phx_port_view *b, const double *axis, double *g_a, double *g_b)
{
    double own[3];
    memset(g_a, 0, PHX_PORT_MAX * sizeof *g_a);
    memset(g_b, 0, PHX_PORT_MAX * sizeof *g_b);
    if (a->dim == 2) {
        g_a[2] = -1.0;
        g_b[2] = 1.0;
        return;
    }
    phx_rot_apply_transposed(3, a->R1, axis, own);
    for (int i = 0; i < 3; i++)
        g_a[3 + i] = -own[i];
    phx_rot_apply_transposed(3, b->R1, axis, g_b + 3);
}

/* Plane: atan2 of the sine and of the cosine, whose direction is beta turned by +90 degrees. */
static double plane_turn(const phx_row *row, const phx_port_view *a, const phx_port_view *b)
{
    const double turned[2] = {-row->beta[1], row->beta[0]};
    double A[3], sine[3], cosine[3];
    phx_port_direction(a, 1, row->alpha, A);
    phx_port_direction(b, 1, row->beta, sine);
    phx_port_direction(b, 1, turned, cosine);
    return atan2(phx_port_scalar_product(2, A, sine), phx_port_scalar_product(2, A, cosine));
}

/* Space: component k of the rotation vector phi of B beyond A, with the bases in the order k, k+1, k+2; alpha2 and beta
 * are k+1, alpha and beta2 are k+2. phi_dot = T^T (w_b - w_a) in A's bases, so the axis is row 0 of T^T. */
static double space_turn(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *axis,
                         double *whole)
{
    double A[3][3], B[3][3], R[9], phi[3], T[9];
    phx_port_direction(a, 1, row->alpha2, A[1]);
    phx_port_direction(a, 1, row->alpha, A[2]);
    phx_port_direction(b, 1, row->beta, B[1]);
    phx_port_direction(b, 1, row->beta2, B[2]);
    phx_vec_x_vec(3, A[1], A[2], A[0]);
    phx_vec_x_vec(3, B[1], B[2], B[0]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = phx_port_scalar_product(3, A[i], B[j]);
    phx_rot_normalise(3, R);
    phx_rot_to_vector(R, phi);
    phx_rot_vector_rate(phi, T);
    for (int i = 0; i < 3; i++)
        axis[i] = T[0] * A[0][i] + T[3] * A[1][i] + T[6] * A[2][i];
    *whole = sqrt(phx_port_scalar_product(3, phi, phi));
    return phi[0];
}

/* B's axis leans from A's by an angle about A x B; its component about A x alpha, whose sine is alpha . B. */
static double lean(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *axis)
{
    static const double pi = 3.14159265358979323846;
    double A[3], B[3], across[3], n[3];
    phx_port_direction(a, 1, row->alpha2, A);
    phx_port_direction(a, 1, row->alpha, across);
    phx_port_direction(b, 1, row->beta, B);
    phx_vec_x_vec(3, A, B, n);
    phx_vec_x_vec(3, A, across, axis);
    double sine = sqrt(phx_port_scalar_product(3, n, n)), cosine = phx_port_scalar_product(3, A, B);
    double part = phx_port_scalar_product(3, across, B);
    if (sine > 0.0)
        return atan2(sine, cosine) / sine * part;
    return cosine > 0.0 ? part : pi; /* opposite: any way round */
}

static bool has_turned(const phx_port_view *view)
{
    return !view->straight && (view->theta1[0] != 0.0 || view->theta1[1] != 0.0 || view->theta1[2] != 0.0);
}

/* Residual that the assembly drives to zero and, if g_a is not NULL, its covectors: the rotation angle for rows that
 * hold a direction, otherwise the row's value. The angle is nonzero also where the sines of the row vanish half a turn
 * away. */
void phx_row_assembly_residual(const phx_row *row, const phx_port_view *a, const phx_port_view *b, double *residual,
                               double *g_a, double *g_b)
{
    /* The directions of a section that has turned are not orthogonal to second order: what makes the rotation vector of
     * them zero is not what makes the rows zero, so near that the row itself is the residual. */
    static const double near = 0.5;
    double axis[3] = {0.0, 0.0, 0.0}, whole = HUGE_VAL;
    if (row->hold == PHX_HOLD_TURN)
        *residual = a->dim == 2 ? plane_turn(row, a, b) : space_turn(row, a, b, axis, &whole);
    else if (row->hold == PHX_HOLD_AXIS)
        *residual = lean(row, a, b, axis);
    if (row->hold == PHX_HOLD_NOTHING || (whole < near && (has_turned(a) || has_turned(b)))) {
        *residual = phx_row_value(row, a, b, 1);
        if (g_a)
            phx_row_covectors(row, a, b, g_a, g_b);
    } else if (g_a) {
        set_turn(a, b, axis, g_a, g_b);
    }
}
