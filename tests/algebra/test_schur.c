/* Schur form, Lyapunov, Sylvester and Riccati equations, exponentials against their residuals and closed forms;
 * solutions with shifts. */
#include "support.h"
#include "algebra/algebra.h"

#include <complex.h>

enum { N = 24 };

static void random_stable(uint64_t *seed, double *a)
{
    random_vector(seed, N * N, 1.0, a);
    for (int i = 0; i < N; i++)
        a[i * N + i] -= 12.0;
}

/* out = a b, or a^T b and so on */
static void product(bool ta, bool tb, const double *a, const double *b, double *out)
{
    phx_dense_multiply(ta, tb, N, N, N, 1.0, a, N, b, N, 0.0, out, N);
}

static void schur_form(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    double a[N * N], t[N * N], q[N * N], at[N * N], back[N * N];
    int count = 0;

    random_vector(&seed, N * N, 1.0, a);
    CHECK_OK(context, phx_dense_schur(context, N, a, true, t, q, &count));
    product(false, false, q, t, at);
    product(false, true, at, q, back);
    CHECK_VECTOR(N * N, back, a, 1e-13, "Q T Q^T");
    product(true, false, q, q, at);
    for (int i = 0; i < N * N; i++)
        CHECK_CLOSE(at[i], i % (N + 1) == 0 ? 1.0 : 0.0, 1e-13, "Q^T Q, entry %d", i);
    for (int i = 2; i < N; i++)
        for (int j = 0; j < i - 1; j++)
            assert_true(t[i * N + j] == 0.0);
    assert_true(count > 0 && count < N);
    for (int i = 0; i < N; i++) /* LAPACK's blocks have equal diagonals */
        assert_true(i < count ? t[i * N + i] < 0.0 : t[i * N + i] >= 0.0);
}

static void lyapunov(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 4;
    double a[N * N], w[N * N], x[N * N], left[N * N], right[N * N];

    random_stable(&seed, a);
    random_vector(&seed, N * N, 1.0, left);
    product(false, true, left, left, w);
    memcpy(x, w, sizeof x);
    CHECK_OK(context, phx_dense_lyapunov(context, N, a, x));
    product(false, false, a, x, left);
    product(false, true, x, a, right);
    for (int i = 0; i < N * N; i++)
        CHECK_SMALL(left[i] + right[i] + w[i], 1e-12, "A X + X A^T + W, entry %d", i);
    const double rotation[4] = {0.0, 1.0, -1.0, 0.0};
    double one[4] = {1.0, 0.0, 0.0, 1.0};
    CHECK_STATUS(context, phx_dense_lyapunov(context, 2, rotation, one), PHX_SINGULAR);
}

/* x^2 + 2 x - 3 = 0 by itself, and a large one by its residual, with G of either sign. */
static void sylvester(void **state)
{
    phx_context *context = *state;
    enum { M = 5 };
    uint64_t seed = 9;
    double a[N * N], t[N * N], q[N * N], b[M * M], s[M * M], c[N * M], x[N * M], ax[N * M], xb[N * M];

    random_vector(&seed, N * N, 1.0, a);
    random_stable(&seed, a);
    random_vector(&seed, M * M, 1.0, b);
    random_vector(&seed, N * M, 1.0, c);
    CHECK_OK(context, phx_dense_schur(context, N, a, false, t, q, NULL));
    CHECK_OK(context, phx_dense_schur(context, M, b, false, s, q, NULL));
    memcpy(x, c, sizeof x);
    CHECK_OK(context, phx_dense_sylvester_schur(context, N, M, t, s, x));
    phx_dense_multiply(false, false, N, M, N, 1.0, t, N, x, M, 0.0, ax, M);
    phx_dense_multiply(false, false, N, M, M, 1.0, x, M, s, M, 0.0, xb, M);
    for (int i = 0; i < N * M; i++)
        CHECK_SMALL(ax[i] - xb[i] - c[i], 1e-13, "A X - X B - C, entry %d", i);
    CHECK_STATUS(context, phx_dense_sylvester_schur(context, M, M, s, s, x), PHX_SINGULAR);
}

/* Of a rotation, of a nilpotent matrix, of a large norm; exp(A) exp(-A) = I. */
static void exponential(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 10;
    const double turn[4] = {-0.3, 40.0, -40.0, -0.3}, nilpotent[9] = {0.0, 2.0, 5.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0};
    const double wide[4] = {-1e6, 0.0, 0.0, 1.0};
    double e[9], a[N * N], plus[N * N], minus[N * N], both[N * N];

    CHECK_OK(context, phx_dense_exponential(context, 2, turn, e));
    CHECK_CLOSE(e[0], exp(-0.3) * cos(40.0), 1e-13, "cosine");
    CHECK_CLOSE(e[1], exp(-0.3) * sin(40.0), 1e-13, "sine");
    CHECK_OK(context, phx_dense_exponential(context, 3, nilpotent, e));
    CHECK_VECTOR(9, e, ((const double[]){1.0, 2.0, 8.0, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0}), 1e-14, "1 + A + A^2/2");
    CHECK_OK(context, phx_dense_exponential(context, 2, wide, e));
    CHECK_SMALL(e[0], 1e-300, "fast decay");
    CHECK_RELATIVE(e[3], exp(1.0), 1e-9, "beside it");
    random_vector(&seed, N * N, 2.0, a);
    CHECK_OK(context, phx_dense_exponential(context, N, a, plus));
    for (int i = 0; i < N * N; i++)
        a[i] = -a[i];
    CHECK_OK(context, phx_dense_exponential(context, N, a, minus));
    product(false, false, plus, minus, both);
    for (int i = 0; i < N * N; i++)
        CHECK_CLOSE(both[i], i % (N + 1) == 0 ? 1.0 : 0.0, 1e-9, "exp(A) exp(-A), entry %d", i);
    CHECK_OK(context, phx_dense_exponential(context, 0, NULL, NULL));
}

static void riccati(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    const double a1 = -1.0, g1 = 1.0, q1 = 3.0;
    double x1 = 0.0, a[N * N], g[N * N], q[N * N], x[N * N], r[N * N], ax[N * N], gx[N * N], re[N], im[N];

    CHECK_OK(context, phx_dense_riccati(context, 1, &a1, &g1, &q1, &x1)); /* -2 x - x^2 + 3 = 0, stable: x = 1 */
    CHECK_CLOSE(x1, 1.0, 1e-14, "the scalar equation");
    for (int sign = -1; sign <= 1; sign += 2) {
        random_stable(&seed, a);
        random_vector(&seed, N * N, sign > 0 ? 1.0 : 0.3, x);
        product(false, true, x, x, g);
        random_vector(&seed, N * N, 1.0, x);
        product(false, true, x, x, q);
        for (int i = 0; i < N * N; i++)
            g[i] *= sign;
        CHECK_OK(context, phx_dense_riccati(context, N, a, g, q, x));
        product(true, false, a, x, ax);
        product(false, false, g, x, gx);
        product(false, false, x, gx, r);
        double size = max_abs(N * N, ax);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                CHECK_SMALL(ax[i * N + j] + ax[j * N + i] - r[i * N + j] + q[i * N + j], 1e-12 * size,
                            "residual %d, %d, sign %d", i, j, sign);
        for (int i = 0; i < N * N; i++)
            gx[i] = a[i] - gx[i];
        CHECK_OK(context, phx_dense_eigen_general(context, N, gx, NULL, re, im, NULL));
        for (int i = 0; i < N; i++)
            CHECK_BELOW(re[i], 0.0, "A - G X is stable, sign %d", sign);
    }
    const double none = 0.0;
    CHECK_STATUS(context, phx_dense_riccati(context, 1, &none, &none, &none, &x1), PHX_SINGULAR);
}

static void shifted(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 6;
    double a[N * N];
    double complex b[2 * N], x[2 * N];
    phx_shifted *it = NULL;

    random_vector(&seed, N * N, 1.0, a);
    random_vector(&seed, 4 * N, 1.0, (double *)b);
    CHECK_OK(context, phx_shifted_create(context, N, a, 2, &it));
    for (int k = 0; k < 3; k++) {
        const double complex z = 0.5 * k + I * (1.0 - k);
        assert_int_equal(phx_shifted_factor(it, creal(z), cimag(z)), PHX_OK);
        memcpy(x, b, sizeof x);
        phx_shifted_solve(it, 2, (double *)x);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < 2; j++) {
                double complex sum = z * x[2 * i + j] - b[2 * i + j];
                for (int l = 0; l < N; l++)
                    sum -= a[i * N + l] * x[2 * l + j];
                CHECK_SMALL(cabs(sum), 1e-11, "row %d at point %d", i, k);
            }
    }
    phx_shifted_destroy(it);
    const double one = 1.0;
    CHECK_OK(context, phx_shifted_create(context, 1, &one, 1, &it));
    assert_int_equal(phx_shifted_factor(it, 1.0, 0.0), PHX_SINGULAR);
    phx_shifted_destroy(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(schur_form, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(lyapunov, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(sylvester, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(exponential, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(riccati, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(shifted, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
