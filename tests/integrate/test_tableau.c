/* Collocation methods: what their coefficients must satisfy, and published values. */
#include "support/testing.h"

#include "integrate/dop853_tableau.h"
#include "integrate/tableau.h"

static void close_to(double value, double expected, double tolerance, const char *what, int i, int j)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s[%d][%d] = %.17g, expected %.17g within %.1e", what, i, j, value, expected, tolerance);
}

static void get(int kind, phx_tableau *tableau)
{
    if (kind == 2)
        phx_tableau_radau(tableau);
    else
        phx_tableau_gauss(kind + 2, tableau);
}

/* Gauss 2: nodes 1/2 -+ sqrt(3)/6; Gauss 3: 1/2, 1/2 -+ sqrt(15)/10; Radau: (4 -+ sqrt 6)/10, 1 */
static void test_published_values(void **state)
{
    (void)state;
    phx_tableau gauss2, gauss3, radau;
    phx_tableau_gauss(2, &gauss2);
    phx_tableau_gauss(3, &gauss3);
    phx_tableau_radau(&radau);
    const double r3 = sqrt(3.0), r15 = sqrt(15.0), r6 = sqrt(6.0);
    const double a2[] = {0.25, 0.25 - r3 / 6.0, 0.25 + r3 / 6.0, 0.25};
    const double b3[] = {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0};
    const double c3[] = {0.5 - r15 / 10.0, 0.5, 0.5 + r15 / 10.0};
    const double cr[] = {(4.0 - r6) / 10.0, (4.0 + r6) / 10.0, 1.0};
    const double ar[] = {(88.0 - 7.0 * r6) / 360.0,
                         (296.0 - 169.0 * r6) / 1800.0,
                         (-2.0 + 3.0 * r6) / 225.0,
                         (296.0 + 169.0 * r6) / 1800.0,
                         (88.0 + 7.0 * r6) / 360.0,
                         (-2.0 - 3.0 * r6) / 225.0,
                         (16.0 - r6) / 36.0,
                         (16.0 + r6) / 36.0,
                         1.0 / 9.0};
    for (int i = 0; i < 4; i++)
        close_to(gauss2.a[i], a2[i], 2e-16, "a of gauss4", i / 2, i % 2);
    for (int i = 0; i < 3; i++) {
        close_to(gauss3.b[i], b3[i], 2e-16, "b of gauss6", i, 0);
        close_to(gauss3.c[i], c3[i], 2e-16, "c of gauss6", i, 0);
        close_to(radau.c[i], cr[i], 2e-16, "c of radau5", i, 0);
        close_to(radau.b[i], ar[6 + i], 2e-16, "b of radau5", i, 0);
        close_to(radau.d[i], i == 2 ? 1.0 : 0.0, 1e-16, "d of radau5", i, 0);
    }
    for (int i = 0; i < 9; i++)
        close_to(radau.a[i], ar[i], 2e-16, "a of radau5", i / 3, i % 3);
    /* Hairer and Wanner: real eigenvalue (6 + 81^(1/3) - 9^(1/3))/30 of A, error weights -(13 +- 7 sqrt 6)/3, -1/3 */
    double gamma = (6.0 + cbrt(81.0) - cbrt(9.0)) / 30.0;
    close_to(radau.real, 1.0 / gamma, 1e-15, "real eigenvalue", 0, 0);
    const double e[] = {-(13.0 + 7.0 * r6) / 3.0, (-13.0 + 7.0 * r6) / 3.0, -1.0 / 3.0};
    for (int i = 0; i < 3; i++)
        close_to(radau.error[i] * radau.real, e[i], 2e-14, "error weight", i, 0);
}

/* sum_j a_ij c_j^(k-1) = c_i^k/k and sum_j b_j c_j^(k-1) = 1/k, the latter up to the order of the method */
static void test_order_conditions(void **state)
{
    (void)state;
    const int order[] = {4, 6, 5};
    for (int kind = 0; kind < 3; kind++) {
        phx_tableau t;
        get(kind, &t);
        for (int k = 1; k <= order[kind]; k++) {
            double sum = 0.0;
            for (int j = 0; j < t.s; j++)
                sum += t.b[j] * pow(t.c[j], k - 1);
            close_to(sum, 1.0 / k, 4e-16, "quadrature", kind, k);
        }
        for (int k = 1; k <= t.s; k++)
            for (int i = 0; i < t.s; i++) {
                double sum = 0.0;
                for (int j = 0; j < t.s; j++)
                    sum += t.a[i * t.s + j] * pow(t.c[j], k - 1);
                close_to(sum, pow(t.c[i], k) / k, 2e-16, "collocation", kind, i);
            }
    }
}

/* b_i a_ij + b_j a_ji = b_i b_j */
static void test_gauss_keeps_quadratic_invariants(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        phx_tableau t;
        get(kind, &t);
        for (int i = 0; i < t.s; i++)
            for (int j = 0; j < t.s; j++)
                close_to(t.b[i] * t.a[i * t.s + j] + t.b[j] * t.a[j * t.s + i], t.b[i] * t.b[j], 6e-17, "symplecticity",
                         i, j);
    }
}

/* a a_inverse = 1, d = b a_inverse, a_inverse basis = basis B */
static void test_inverse_and_basis(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        phx_tableau t;
        get(kind, &t);
        int s = t.s, f = s - 2;
        double B[9] = {0};
        if (s == 3)
            B[0] = t.real;
        B[f * s + f] = B[(f + 1) * s + f + 1] = t.re;
        B[f * s + f + 1] = t.im;
        B[(f + 1) * s + f] = -t.im;
        for (int i = 0; i < s; i++) {
            double d = 0.0;
            for (int k = 0; k < s; k++)
                d += t.b[k] * t.a_inverse[k * s + i];
            close_to(t.d[i], d, 4e-15, "d", kind, i);
            for (int j = 0; j < s; j++) {
                double one = 0.0, left = 0.0, right = 0.0, unit = 0.0;
                for (int k = 0; k < s; k++) {
                    one += t.a[i * s + k] * t.a_inverse[k * s + j];
                    left += t.a_inverse[i * s + k] * t.basis[k * s + j];
                    right += t.basis[i * s + k] * B[k * s + j];
                    unit += t.basis[i * s + k] * t.basis_inverse[k * s + j];
                }
                close_to(one, i == j ? 1.0 : 0.0, 1e-15, "a a_inverse", i, j);
                close_to(left, right, 1e-14, "a_inverse basis", i, j);
                close_to(unit, i == j ? 1.0 : 0.0, 1e-14, "basis basis_inverse", i, j);
            }
        }
    }
}

/* Values at 1.7 of polynomials that the stages determine */
static void test_extrapolation(void **state)
{
    (void)state;
    const double tau = 1.7;
    for (int kind = 0; kind < 3; kind++) {
        phx_tableau t;
        get(kind, &t);
        double l[PHX_STAGES], l_zero[PHX_STAGES];
        phx_tableau_lagrange(&t, tau, l);
        phx_tableau_lagrange_zero(&t, tau, l_zero);
        for (int k = 0; k <= t.s; k++) {
            double value = 0.0, value_zero = 0.0;
            for (int j = 0; j < t.s; j++) {
                value += l[j] * pow(t.c[j], k);
                value_zero += l_zero[j] * pow(t.c[j], k);
            }
            if (k < t.s)
                close_to(value, pow(tau, k), 2e-14, "extrapolation", kind, k);
            if (k > 0)
                close_to(value_zero, pow(tau, k), 2e-14, "extrapolation with zero", kind, k);
        }
    }
}

/* The embedded formula: h z_dot(0)/real + sum_i error_i z_i vanishes for t, t^2, t^3 and not for t^4 */
static void test_error_of_polynomials(void **state)
{
    (void)state;
    phx_tableau t;
    phx_tableau_radau(&t);
    for (int k = 1; k <= 4; k++) {
        double sum = k == 1 ? 1.0 / t.real : 0.0;
        for (int i = 0; i < 3; i++)
            sum += t.error[i] * pow(t.c[i], k);
        if (k < 4)
            close_to(sum, 0.0, 2e-15, "error", k, 0);
        else
            assert_true(fabs(sum) > 1e-3);
    }
}

/* ---- Dormand and Prince, order 8 ---- */
/* sum_j weight_j c_j^k */
static double moment(int n, const double *weight, int k)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++)
        sum += weight[j] * (k == 0 ? 1.0 : pow(dop853_c[j], k));
    return sum;
}

/* Rows sum up to their nodes; b integrates polynomials of degree 7, its companions those of degree 2 and 5. */
static void test_dop853_coefficients(void **state)
{
    (void)state;
    for (int i = 0; i < DOP853_ALL; i++)
        CHECK_CLOSE(moment(i, dop853_a[i], 0), dop853_c[i], 4e-14, "c of stage %d", i);
    for (int k = 0; k < 8; k++)
        CHECK_CLOSE(moment(DOP853_STAGES, dop853_a[DOP853_STAGES], k), 1.0 / (k + 1), 4e-15, "b, degree %d", k);
    for (int k = 0; k < 3; k++)
        CHECK_CLOSE(moment(DOP853_STAGES, dop853_b3, k), 1.0 / (k + 1), 1e-15, "b3, degree %d", k);
    for (int k = 0; k < 5; k++)
        CHECK_SMALL(moment(DOP853_STAGES, dop853_e5, k), 1e-15, "e5, degree %d", k);
    assert_true(fabs(moment(DOP853_STAGES, dop853_b3, 3) - 0.25) > 1e-3);
    assert_true(fabs(moment(DOP853_STAGES, dop853_e5, 5)) > 1e-5);
}

/* The interpolation is exact for y = t^m up to m = 7. */
static void test_dop853_interpolation(void **state)
{
    (void)state;
    for (int m = 1; m <= 8; m++) {
        double f[DOP853_ALL], p[4 + DOP853_DENSE], worst = 0.0;
        for (int j = 0; j < DOP853_ALL; j++)
            f[j] = m * (m == 1 ? 1.0 : pow(dop853_c[j], m - 1));
        p[0] = 0.0;
        p[1] = 1.0;
        p[2] = f[0] - 1.0;
        p[3] = 1.0 - f[DOP853_STAGES] - p[2];
        for (int i = 0; i < DOP853_DENSE; i++)
            p[4 + i] = dot_product(DOP853_ALL, dop853_d[i], f);
        for (int k = 1; k < 10; k++) {
            const double s = 0.1 * k, r = 1.0 - s;
            double y = 0.0;
            for (int i = 3 + DOP853_DENSE; i > 0; i--)
                y = (y + p[i]) * (i % 2 ? s : r);
            worst = fmax(worst, fabs(p[0] + y - pow(s, m)));
        }
        if (m < 8)
            CHECK_SMALL(worst, 1e-13, "t^%d", m);
        else
            assert_true(worst > 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_values),
        cmocka_unit_test(test_order_conditions),
        cmocka_unit_test(test_gauss_keeps_quadratic_invariants),
        cmocka_unit_test(test_inverse_and_basis),
        cmocka_unit_test(test_extrapolation),
        cmocka_unit_test(test_error_of_polynomials),
        cmocka_unit_test(test_dop853_coefficients),
        cmocka_unit_test(test_dop853_interpolation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
