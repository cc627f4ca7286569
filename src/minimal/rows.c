/* Rows of the joints and of the chosen coordinates, and the square matrices that they make. */
#include "internal.h"

#include <math.h>
#include <string.h>

void phx_minimal_look(phx_minimal *m, double t, const double *x, const double *v)
{
    phx_system_view(m->dae, x, v);
    phx_system_rows(m->dae, t);
}

void phx_minimal_turn(const phx_minimal *m, const choice *coordinate, const double *x, double phi[3])
{
    const double *R0 = m->x0 + coordinate->x + 3, *R = x + coordinate->x + 3;
    double Q[9];

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[3 * i + j] = R0[i] * R[j] + R0[3 + i] * R[3 + j] + R0[6 + i] * R[6 + j];
    phx_rot_to_vector(Q, phi);
}

/* Value of a chosen coordinate at x, m or rad; rotations of frames in space are components of a rotation vector. */
double phx_minimal_value(const phx_minimal *m, const choice *picked, const double *x)
{
    double phi[3];

    switch (picked->kind) {
    case CHOICE_JOINT: {
        const phx_coordinate_view coordinate = coordinate_of(m, picked);
        if (coordinate.angle >= 0)
            return x[coordinate.angle];
        return phx_row_value(coordinate.row, &m->e.port[coordinate.a], &m->e.port[coordinate.b], 1);
    }
    case CHOICE_TURN:
        if (m->dim == 2)
            return x[picked->x + 4];
        phx_minimal_turn(m, picked, x, phi);
        return phi[picked->component];
    case CHOICE_PLACE:
        return x[picked->x + picked->component];
    default:
        return x[picked->x];
    }
}

/* w -> (d/dt T) w for phi_dot = T(phi) w, T = I + [phi]x/2 + g(a) [phi]x^2, g = (1 - (a/2) cot(a/2))/a^2, a = |phi|. */
static void turn_bias(const double phi[3], const double phi_dot[3], const double w[3], double out[3])
{
    static const double SMALL_ANGLE = 1e-2; /* rad; below, the next terms of the series are rounding */
    const double a2 = phx_dot(3, phi, phi), a = sqrt(a2), half = 0.5 * a;
    double g = 1.0 / 12.0 + a2 / 720.0, slope = 1.0 / 360.0 + a2 / 7560.0; /* g'(a)/a */
    double once[3], twice[3], dot_once[3], first[3], second[3];

    if (a > SMALL_ANGLE) {
        const double s = sin(half), f = 1.0 - half * cos(half) / s;
        g = f / a2;
        slope = (0.5 * (half / (s * s) - cos(half) / s) / a2 - 2.0 * f / (a2 * a)) / a;
    }
    phx_rot_x_vec(3, phi, w, once);
    phx_rot_x_vec(3, phi, once, twice);
    phx_rot_x_vec(3, phi_dot, w, dot_once);
    phx_rot_x_vec(3, phi_dot, once, first);
    phx_rot_x_vec(3, phi, dot_once, second);
    for (int i = 0; i < 3; i++)
        out[i] = 0.5 * dot_once[i] + slope * phx_dot(3, phi, phi_dot) * twice[i] + g * (first[i] + second[i]);
}

/* Row of a frame's rotation coordinate on v, and with `biased` the part of its second derivative that does not contain
 * accelerations. */
static double turn_row(const phx_minimal *m, const choice *coordinate, const double *x, const double *v, double *row,
                       bool biased)
{
    const int k = coordinate->component, at = coordinate->v + m->dim;
    double phi[3], T[9], phi_dot[3], bias[3];

    if (m->dim == 2) {
        row[at] = 1.0;
        return 0.0;
    }
    phx_minimal_turn(m, coordinate, x, phi);
    phx_rot_vector_rate(phi, T);
    for (int j = 0; j < 3; j++)
        row[at + j] = T[3 * k + j];
    if (!biased)
        return 0.0;
    phx_rot_apply(3, T, v + at, phi_dot);
    turn_bias(phi, phi_dot, v + at, bias);
    return bias[k];
}

static double place_row(const phx_minimal *m, const choice *coordinate, const double *x, const double *v, double *row)
{
    const int dim = m->dim, k = coordinate->component;
    double R[9], spun[3], bias = 0.0;

    phx_attitude_rotation(dim, x + coordinate->x + dim, R);
    phx_rot_x_vec(dim, v + coordinate->v + dim, v + coordinate->v, spun); /* r_ddot = R (v_dot + w x v) */
    for (int j = 0; j < dim; j++) {
        row[coordinate->v + j] = R[k * dim + j];
        bias += R[k * dim + j] * spun[j];
    }
    return bias;
}

/* Row of a chosen coordinate, rate = row . v, n_v numbers; with `biased` it returns (d row/dt) . v, otherwise 0. */
double phx_minimal_row(phx_minimal *m, const choice *coordinate, const double *x, const double *v, bool biased,
                       double *row)
{
    double g[2 * PHX_PORT_MAX] = {0};

    if (coordinate->kind == CHOICE_JOINT) {
        const phx_coordinate_view view = coordinate_of(m, coordinate);
        const phx_port_id ids[2] = {view.a, view.b};
        phx_row_covectors(view.row, &m->e.port[ids[0]], &m->e.port[ids[1]], g, g + PHX_PORT_MAX);
        phx_system_pull_back_row(m->dae, ids, g, row);
        return biased ? phx_system_row_bias(m->dae, view.row, ids, g) : 0.0;
    }
    memset(row, 0, (size_t)m->e.n_v * sizeof *row);
    if (coordinate->kind == CHOICE_TURN)
        return turn_row(m, coordinate, x, v, row, biased);
    if (coordinate->kind == CHOICE_PLACE)
        return place_row(m, coordinate, x, v, row);
    row[coordinate->v] = 1.0;
    return 0.0;
}

void phx_minimal_fill_joint(phx_minimal *m, int k, double *row)
{
    const phx_row_view view = phx_system_row(m->dae, k);

    phx_system_pull_back_row(m->dae, (phx_port_id[2]){view.a, view.b}, m->e.g + (size_t)k * 2 * PHX_PORT_MAX, row);
}

/* Fills the square matrix [J; C] over the velocities that are solved for, scaled by the masses: for rates, or for
 * positions, where rolling rows are replaced by coordinates. */
void phx_minimal_fill(phx_minimal *m, matrix_kind of, const double *x, const double *v)
{
    const size_t n_v = (size_t)m->e.n_v, n = (size_t)m->n_solved;
    size_t at = 0;
    int rolling = m->n_drives;

    for (int k = 0; k < m->e.n_l; k++, at++) {
        if (of == OF_PLACES && is_rolling(m, k))
            (void)phx_minimal_row(m, chosen(m, rolling++), x, v, false, m->J + at * n_v);
        else
            phx_minimal_fill_joint(m, k, m->J + at * n_v);
    }
    for (int k = first_free(m); k < all_chosen(m); k++)
        if (chosen(m, k)->kind != CHOICE_SHAPE)
            (void)phx_minimal_row(m, chosen(m, k), x, v, false, m->J + at++ * n_v);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            m->A[i * n + j] = m->J[i * n_v + (size_t)m->solved[j]] * m->unit[m->solved[j]];
}

phx_status phx_minimal_solve_square(phx_minimal *m, int count)
{
    const phx_status status = m->n_solved > 0 ? phx_dense_solve(m->context, m->n_solved, m->A, count, m->rhs) : PHX_OK;

    if (status == PHX_SINGULAR)
        return phx_fail(m->context, PHX_SINGULAR, "the chosen coordinates do not determine the others here");
    return status;
}
