/* The port: increments of directions over an interval are exact, covectors and tangents are their derivatives. */
#include "views.h"

#include <float.h>

enum { SAMPLES = 200 };

/* g . (A1 - A0) = h (effort . zeta), any g, over large turns */
static void test_direction_increment_is_exact(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int sample = 0; sample < SAMPLES; sample++) {
        int dim = 2 + sample % 2;
        phx_port_view v = random_interval(&seed, dim, 0.01, 3.0, 0.4);
        double a[3], g[3], A0[3], A1[3], effort[PHX_PORT_MAX] = {0}, change = 0.0;
        random_vector(&seed, 3, 1.0, a);
        random_vector(&seed, 3, 1.0, g);
        phx_port_direction(&v, 0, a, A0);
        phx_port_direction(&v, 1, a, A1);
        for (int i = 0; i < dim; i++)
            change += g[i] * (A1[i] - A0[i]);
        phx_port_direction_effort(&v, a, g, effort);
        CHECK_SMALL(v.h * power(dim, effort, v.rate) - change, 2e-15, "increment, dim %d, sample %d", dim, sample);
        for (int i = 0; i < dim; i++)
            CHECK_SMALL(effort[i], 0.0, "force of a direction, dim %d", dim);
    }
}

/* in the plane the direction (1, 0) is R (1, theta) at the ends, and the mean is the mean of the ends */
static void test_plane_direction(void **state)
{
    (void)state;
    uint64_t seed = 2;
    phx_port_view v = random_interval(&seed, 2, 0.1, 1.0, 0.3);
    const double a[2] = {1.0, 0.0};
    double A0[2], A1[2], mean[2];
    phx_port_direction(&v, 0, a, A0);
    phx_port_direction(&v, 1, a, A1);
    phx_port_direction_mean(&v, a, mean);
    double angle = phx_port_angle(&v, 1), length = hypot(1.0, v.theta1[0]);
    CHECK_SMALL(A1[0] - length * cos(angle), 4e-15, "x of the direction");
    CHECK_SMALL(A1[1] - length * sin(angle), 4e-15, "y of the direction");
    for (int i = 0; i < 2; i++)
        CHECK_SMALL(mean[i] - 0.5 * (A0[i] + A1[i]), 1e-16, "mean, component %d", i);
    CHECK_SMALL(phx_port_angle(&v, 0) - (v.angle0 + atan(v.theta0[0])), 2e-15, "angle of the section");
}

/* tangents against central differences of the instant's covector and direction; what the tangent adds to is kept */
static void test_tangents_are_derivatives(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int sample = 0; sample < 20; sample++) {
        int dim = 2 + sample % 2, n = phx_port_size(dim);
        phx_port_view v = random_instant(&seed, dim, 0.4);
        double a[3], g[3], T[3 * PHX_PORT_MAX], K[PHX_PORT_MAX * PHX_PORT_MAX];
        random_vector(&seed, 3, 1.0, a);
        random_vector(&seed, 3, 1.0, g);
        for (int i = 0; i < PHX_PORT_MAX * PHX_PORT_MAX; i++)
            K[i] = 7.0;
        phx_port_direction_tangent(&v, a, T);
        phx_port_direction_effort_tangent(&v, a, g, K);
        for (int m = 0; m < n; m++) {
            double step = 1e-5, A[2][3], e[2][PHX_PORT_MAX] = {{0}};
            for (int side = 0; side < 2; side++) {
                phx_port_view w = varied(&v, m, side ? step : -step);
                phx_port_direction(&w, 0, a, A[side]);
                phx_port_direction_effort(&w, a, g, e[side]);
            }
            for (int i = 0; i < dim; i++)
                CHECK_SMALL(T[i * PHX_PORT_MAX + m] - (A[1][i] - A[0][i]) / (2.0 * step), 1e-9,
                            "direction %d by xi %d, dim %d", i, m, dim);
            for (int i = 0; i < n; i++)
                CHECK_SMALL(K[i * PHX_PORT_MAX + m] - 7.0 - (e[1][i] - e[0][i]) / (2.0 * step), 1e-9,
                            "effort %d by xi %d, dim %d", i, m, dim);
        }
    }
}

/* the covector at an instant is the derivative of g . A along any motion, xi = zeta dt */
static void test_instant_is_the_derivative(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int sample = 0; sample < 20; sample++) {
        int dim = 2 + sample % 2;
        phx_port_view v = random_instant(&seed, dim, 0.4);
        double a[3], g[3], T[3 * PHX_PORT_MAX], effort[PHX_PORT_MAX] = {0};
        random_vector(&seed, 3, 1.0, a);
        random_vector(&seed, 3, 1.0, g);
        phx_port_direction_tangent(&v, a, T);
        phx_port_direction_effort(&v, a, g, effort);
        for (int m = 0; m < phx_port_size(dim); m++) {
            double sum = 0.0;
            for (int r = 0; r < dim; r++)
                sum += g[r] * T[r * PHX_PORT_MAX + m];
            CHECK_SMALL(effort[m] - sum, 2e-15, "covector %d, dim %d", m, dim);
        }
    }
}

/* against long double, near and far, also beyond 1 + x0 x1 = 0 */
static void test_atan_quotient(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int sample = 0; sample < 4000; sample++) {
        double x0 = uniform(&seed, -4.0, 4.0);
        double x1 = sample % 2 ? uniform(&seed, -4.0, 4.0) : x0 + pow(10.0, uniform(&seed, -17.0, 0.0));
        long double exact = x0 == x1 ? 1.0L / (1.0L + (long double)x0 * x0)
                                     : (atanl((long double)x1) - atanl((long double)x0)) / ((long double)x1 - x0);
        if (fabs(x1 - x0) < 3e-4) { /* there the oracle cancels: derivative in the middle and the next term */
            long double middle = 0.5L * ((long double)x0 + x1), q = 1.0L + middle * middle, d = (long double)x1 - x0;
            exact = 1.0L / q + d * d / 24.0L * (6.0L * middle * middle - 2.0L) / (q * q * q);
        }
        double value = phx_port_atan_quotient(x0, x1);
        CHECK_SMALL((double)((value - exact) / exact), 1e-14, "atan quotient of %.17g, %.17g", x0, x1);
        CHECK_SMALL(value - phx_port_atan_quotient(x1, x0), 4.0 * DBL_EPSILON, "symmetry at %.17g, %.17g", x0, x1);
    }
    CHECK_SMALL(phx_port_atan_quotient(0.5, 0.5) - 0.8, 2e-16, "coinciding ends");
    CHECK_SMALL(phx_port_atan_quotient(-1.0, 1.0) - atan(1.0), 2e-16, "1 + x0 x1 = 0");
}

/* Space: the section's rotation Q is the polar factor of I + [theta]x, phx_port_turned points along R Q a, the rate of
 * that is (w + E theta_dot) x it, and over an interval E (theta1 - theta0) is the rotation vector of Q1 Q0^T. */
static void section_rotation(const double *theta, double *Q)
{
    double n[3], angle = atan(split(3, theta, n));
    rotation_about(3, n, cos(angle), sin(angle), Q);
}

static void test_section_turn(void **state)
{
    (void)state;
    uint64_t seed = 6;
    const double step = 1e-6;
    for (int sample = 0; sample < 100; sample++) {
        phx_port_view now = random_instant(&seed, 3, 0.6), over = random_interval(&seed, 3, 0.1, 1.0, 0.6);
        double a[3], y[3], ahead[3], behind[3], E[9], w[3], v[3], Q[9], Q0[9], Q0_T[9], phi[3], stretch[9];
        double tangent[3 * PHX_PORT_MAX], dE[3][9];
        random_vector(&seed, 3, 1.0, a);
        section_rotation(now.theta0, Q);
        phx_rot_apply(3, Q, a, v);
        phx_rot_apply(3, now.R0, v, w);
        phx_port_turned(&now, 0, a, y);
        for (int i = 0; i < 3; i++)
            CHECK_SMALL(y[i] - w[i], 1e-15, "sample %d: direction", sample);
        for (int i = 0; i < 9; i++) /* Q is the polar factor: Q^T (I + [theta]x) is symmetric */
            stretch[i] = i % 4 == 0;
        for (int i = 0; i < 3; i++) {
            stretch[3 * ((i + 2) % 3) + (i + 1) % 3] += now.theta0[i];
            stretch[3 * ((i + 1) % 3) + (i + 2) % 3] -= now.theta0[i];
        }
        transpose(3, Q, Q0_T);
        multiply(3, Q0_T, stretch, stretch);
        for (int i = 0; i < 3; i++)
            CHECK_SMALL(stretch[3 * i + (i + 1) % 3] - stretch[3 * ((i + 1) % 3) + i], 1e-15, "symmetric stretch");

        phx_port_turned_tangent(&now, a, tangent);
        phx_port_section_turn_tangent(&now, dE);
        for (int m = 0; m < PHX_PORT_MAX; m++) {
            phx_port_view plus = varied(&now, m, step), minus = varied(&now, m, -step);
            double E_plus[9], E_minus[9];
            phx_port_turned(&plus, 0, a, ahead);
            phx_port_turned(&minus, 0, a, behind);
            for (int i = 0; i < 3; i++)
                CHECK_SMALL(tangent[i * PHX_PORT_MAX + m] - (ahead[i] - behind[i]) / (2.0 * step), 1e-9,
                            "sample %d: tangent of a direction by %d", sample, m);
            phx_port_section_turn(&plus, E_plus);
            phx_port_section_turn(&minus, E_minus);
            for (int i = 0; i < 9 && m >= 6; i++)
                CHECK_SMALL(dE[m - 6][i] - (E_plus[i] - E_minus[i]) / (2.0 * step), 1e-9,
                            "sample %d: tangent of E by %d", sample, m);
        }

        phx_port_section_turn_tangent(&over, dE); /* the end moves by twice as much */
        for (int m = 0; m < 3; m++) {
            double E_side[2][9];
            for (int side = 0; side < 2; side++) {
                phx_port_view moved = over;
                moved.theta1[m] += side ? 2.0 * step : -2.0 * step;
                finish_view(&moved);
                phx_port_section_turn(&moved, E_side[side]);
            }
            for (int i = 0; i < 9; i++)
                CHECK_SMALL(dE[m][i] - (E_side[1][i] - E_side[0][i]) / (2.0 * step), 1e-9,
                            "sample %d: tangent of E over an interval by %d", sample, m);
        }

        section_rotation(over.theta0, Q0);
        section_rotation(over.theta1, Q);
        transpose(3, Q0, Q0_T);
        multiply(3, Q, Q0_T, Q);
        phx_rot_to_vector(Q, phi);
        phx_port_section_turn(&over, E);
        for (int i = 0; i < 3; i++)
            w[i] = over.theta1[i] - over.theta0[i];
        phx_rot_apply(3, E, w, v);
        for (int i = 0; i < 3; i++)
            CHECK_SMALL(v[i] - phi[i], 2e-15, "sample %d: turn of the section", sample);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_section_turn),
        cmocka_unit_test(test_direction_increment_is_exact),
        cmocka_unit_test(test_plane_direction),
        cmocka_unit_test(test_tangents_are_derivatives),
        cmocka_unit_test(test_instant_is_the_derivative),
        cmocka_unit_test(test_atan_quotient),
    };
    return cmocka_run_group_tests_name("port", tests, NULL, NULL);
}
