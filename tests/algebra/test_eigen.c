/* Dense eigenproblems and singular values: residuals, orthogonality, known spectra, relative accuracy. */
#include "support.h"
#include "algebra/algebra.h"

static double *random_matrix(uint64_t *seed, int rows, int cols)
{
    double *a = new_doubles((size_t)rows * (size_t)cols);
    random_fill(seed, (size_t)rows * (size_t)cols, a);
    return a;
}

/* tridiag(-1, 2, -1): eigenvalues 4 sin^2(k pi / (2 (n + 1))) */
static void laplacian(int n, double *a)
{
    memset(a, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        a[i * n + i] = 2.0;
        if (i > 0)
            a[i * n + i - 1] = a[(i - 1) * n + i] = -1.0;
    }
}

/* max |A V - B V diag(values)| for n x n row-major V */
static double residual(int n, const double *a, const double *b, const double *values, const double *v)
{
    size_t entries = (size_t)n * (size_t)n;
    double *av = new_doubles(entries), *bv = new_doubles(entries);
    reference_product(false, false, n, n, n, a, v, av);
    if (b)
        reference_product(false, false, n, n, n, b, v, bv);
    else
        memcpy(bv, v, entries * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            bv[i * n + k] *= values[k];
    double error = difference(entries, av, bv);
    free(av);
    free(bv);
    return error;
}

/* ---- symmetric ---- */
static void test_symmetric_pairs(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 1;
    const int sizes[] = {1, 2, 5, 40, 90};
    for (int s = 0; s < 5; s++) {
        int n = sizes[s];
        size_t entries = (size_t)n * (size_t)n;
        double *c = random_matrix(&seed, n, n), *a = new_doubles(entries), *b = new_doubles(entries),
               *values = new_doubles((size_t)n), *only = new_doubles((size_t)n), *v = new_doubles(entries),
               *bv = new_doubles(entries);
        reference_product(false, true, n, n, n, c, c, b);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] = c[i * n + j] + c[j * n + i];
        for (int i = 0; i < n; i++)
            b[i * n + i] += 1.0;
        for (int with_b = 0; with_b < 2; with_b++) {
            const double *B = with_b ? b : NULL;
            CHECK_OK(context, phx_dense_eigen_symmetric(context, n, a, B, values, v));
            CHECK_OK(context, phx_dense_eigen_symmetric(context, n, a, B, only, NULL));
            CHECK_BELOW(difference((size_t)n, values, only), 1e-13 * n, "values with and without vectors, size %d", n);
            for (int k = 1; k < n; k++)
                assert_true(values[k - 1] <= values[k]);
            CHECK_BELOW(residual(n, a, B, values, v), 1e-13 * n, "A V - B V Lambda, size %d, B %d", n, with_b);
            if (with_b)
                reference_product(false, false, n, n, n, b, v, bv);
            CHECK_BELOW(not_orthonormal(n, n, v, with_b ? bv : v), 1e-14 * n, "V^T B V, size %d, B %d", n, with_b);
        }
        double *all[] = {c, a, b, values, only, v, bv};
        for (int k = 0; k < 7; k++)
            free(all[k]);
    }
}

static void test_symmetric_known_spectrum(void **state)
{
    phx_context *context = *state;
    enum { N = 60 };
    static double a[N * N], b[N * N];
    double values[N];
    laplacian(N, a);
    for (int i = 0; i < N; i++)
        b[i * N + i] = 0.25;
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++)
            a[i * N + j] = 77.0; /* the upper triangle is not read */
    CHECK_OK(context, phx_dense_eigen_symmetric(context, N, a, b, values, NULL));
    const double pi = acos(-1.0);
    for (int k = 0; k < N; k++) {
        double s = sin((k + 1) * pi / (2.0 * (N + 1)));
        CHECK_BELOW(fabs(values[k] - 16.0 * s * s), 1e-13, "eigenvalue %d of the Laplacian", k);
    }
}

static void test_symmetric_refuses(void **state)
{
    phx_context *context = *state;
    const double a[] = {1.0, 0.0, 0.0, 1.0}, indefinite[] = {1.0, 0.0, 0.0, -1.0}, bad[] = {1.0, NAN, 0.0, 1.0};
    double values[2];
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, 2, a, indefinite, values, NULL), PHX_SINGULAR);
    assert_non_null(strstr(phx_context_message(context), "pivot 1"));
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, 2, bad, NULL, values, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, 2, a, bad, values, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, -1, a, NULL, values, NULL), PHX_ERR_ARGUMENT);
    CHECK_OK(context, phx_dense_eigen_symmetric(context, 0, NULL, NULL, NULL, NULL));
}

/* ---- general ---- */
/* max_ik |(A v_k - lambda_k B v_k)_i| over finite eigenvalues, |B v_k| for infinite ones; v is interleaved complex */
static double complex_residual(int n, const double *a, const double *b, const double *re, const double *im,
                               const double *v)
{
    double worst = 0.0;
    for (int k = 0; k < n; k++) {
        double norm = 0.0;
        for (int i = 0; i < n; i++) {
            double av[2] = {0.0, 0.0}, bv[2] = {0.0, 0.0};
            for (int j = 0; j < n; j++) {
                for (int part = 0; part < 2; part++) {
                    double x = v[2 * (j * n + k) + part];
                    av[part] += a[i * n + j] * x;
                    bv[part] += (b ? b[i * n + j] : i == j) * x;
                }
            }
            norm = hypot(norm, hypot(v[2 * (i * n + k)], v[2 * (i * n + k) + 1]));
            double error = isinf(re[k])
                               ? hypot(bv[0], bv[1])
                               : hypot(av[0] - re[k] * bv[0] + im[k] * bv[1], av[1] - re[k] * bv[1] - im[k] * bv[0]) /
                                     (1.0 + hypot(re[k], im[k]));
            worst = isnan(error) ? NAN : fmax(worst, error);
        }
        worst = fmax(worst, fabs(norm - 1.0));
    }
    return worst;
}

static void test_general_pairs(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 2;
    const int sizes[] = {1, 2, 3, 8, 35};
    for (int s = 0; s < 5; s++) {
        int n = sizes[s];
        double *a = random_matrix(&seed, n, n), *b = random_matrix(&seed, n, n), *re = new_doubles((size_t)n),
               *im = new_doubles((size_t)n), *v = new_doubles(2 * (size_t)n * (size_t)n);
        for (int with_b = 0; with_b < 2; with_b++) {
            const double *B = with_b ? b : NULL;
            CHECK_OK(context, phx_dense_eigen_general(context, n, a, B, re, im, v));
            CHECK_BELOW(complex_residual(n, a, B, re, im, v), 1e-13 * n, "A v - lambda B v, size %d, B %d", n, with_b);
            double trace = 0.0, sum = 0.0;
            for (int k = 0; k < n; k++) {
                trace += a[k * n + k];
                sum += re[k];
                if (im[k] > 0.0)
                    assert_true(k + 1 < n && im[k + 1] == -im[k] && re[k + 1] == re[k]);
            }
            if (!with_b)
                CHECK_BELOW(fabs(trace - sum), 1e-13 * n, "the sum of the eigenvalues is the trace, size %d", n);
        }
        free(a);
        free(b);
        free(re);
        free(im);
        free(v);
    }
}

static void test_general_known_spectra(void **state)
{
    phx_context *context = *state;
    /* companion matrix of (x - 1)(x - 2)(x^2 + 4), not symmetric: x^4 - 3 x^3 + 6 x^2 - 12 x + 8 */
    const double companion[] = {3.0, -6.0, 12.0, -8.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    double re[4], im[4], v[32];
    CHECK_OK(context, phx_dense_eigen_general(context, 4, companion, NULL, re, im, v));
    int found = 0;
    const double want[4][2] = {{1.0, 0.0}, {2.0, 0.0}, {0.0, 2.0}, {0.0, -2.0}};
    for (int w = 0; w < 4; w++)
        for (int k = 0; k < 4; k++)
            if (hypot(re[k] - want[w][0], im[k] - want[w][1]) < 1e-13) {
                found++;
                /* the eigenvector is (x^3, x^2, x, 1): the right one, not that of the transpose */
                double x = v[2 * (2 * 4 + k)], y = v[2 * (2 * 4 + k) + 1], u = v[2 * (3 * 4 + k)],
                       w1 = v[2 * (3 * 4 + k) + 1];
                CHECK_BELOW(hypot(x - (re[k] * u - im[k] * w1), y - (re[k] * w1 + im[k] * u)), 1e-14,
                            "eigenvector of %g %+gi", re[k], im[k]);
            }
    assert_int_equal(found, 4);
}

static void test_hessenberg(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 17;

    for (int n = 1; n <= 12; n += n < 4 ? 1 : 4) {
        const size_t cells = (size_t)n * (size_t)n;
        double *a = random_matrix(&seed, n, n), *h = new_doubles(cells), *q = new_doubles(cells);
        double *aq = new_doubles(cells), *qh = new_doubles(cells);
        CHECK_OK(context, phx_dense_hessenberg(context, n, a, h, q));
        reference_product(false, false, n, n, n, a, q, aq);
        reference_product(false, false, n, n, n, q, h, qh);
        CHECK_SMALL(difference(cells, aq, qh), 1e-14 * n, "A Q - Q H, size %d", n);
        CHECK_SMALL(not_orthonormal(n, n, q, q), 1e-14 * n, "Q^T Q - I, size %d", n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j + 1 < i; j++)
                CHECK_SMALL(h[i * n + j], 0.0, "H(%d, %d) of size %d", i, j, n);
        free(a);
        free(h);
        free(q);
        free(aq);
        free(qh);
    }
}

static void test_infinite_eigenvalues(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    enum { N = 6, RANK = 4 };
    double *x = random_matrix(&seed, N, N), *y = random_matrix(&seed, N, N), a[N * N], b[N * N], core[N * N] = {0.0},
           part[N * N] = {0.0}, re[N], im[N], v[2 * N * N];
    /* A = X diag(1..6) Y, B = X diag(1,1,1,1,0,0) Y: eigenvalues 1, 2, 3, 4, inf, inf */
    for (int i = 0; i < N; i++) {
        core[i * N + i] = i + 1.0;
        part[i * N + i] = i < RANK;
    }
    double scratch[N * N];
    reference_product(false, false, N, N, N, x, core, scratch);
    reference_product(false, false, N, N, N, scratch, y, a);
    reference_product(false, false, N, N, N, x, part, scratch);
    reference_product(false, false, N, N, N, scratch, y, b);
    CHECK_OK(context, phx_dense_eigen_general(context, N, a, b, re, im, v));
    int infinite = 0;
    double product = 1.0;
    for (int k = 0; k < N; k++) {
        assert_true(im[k] == 0.0);
        /* rounding in B may leave an infinite eigenvalue at 1e13 or more */
        bool far = re[k] == HUGE_VAL || fabs(re[k]) > 1e10;
        infinite += far;
        product *= far ? 1.0 : re[k];
    }
    assert_int_equal(infinite, N - RANK);
    CHECK_BELOW(fabs(product - 24.0), 1e-9, "product of the finite eigenvalues");
    /* exact zeros in B give exact infinities */
    const double a2[] = {2.0, 1.0, 0.0, 3.0}, b2[] = {1.0, 0.0, 0.0, 0.0};
    CHECK_OK(context, phx_dense_eigen_general(context, 2, a2, b2, re, im, v));
    assert_int_equal((re[0] == HUGE_VAL) + (re[1] == HUGE_VAL), 1);
    CHECK_BELOW(complex_residual(2, a2, b2, re, im, v), 1e-14, "with an infinite eigenvalue");
    free(x);
    free(y);
}

static void test_general_refuses(void **state)
{
    phx_context *context = *state;
    const double a[] = {1.0, 0.0, 0.0, 0.0}, bad[] = {1.0, INFINITY, 0.0, 1.0};
    double re[2], im[2];
    CHECK_STATUS(context, phx_dense_eigen_general(context, 2, a, a, re, im, NULL), PHX_SINGULAR);
    CHECK_STATUS(context, phx_dense_eigen_general(context, 2, bad, NULL, re, im, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_eigen_general(context, 2, a, bad, re, im, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_eigen_general(context, -3, a, NULL, re, im, NULL), PHX_ERR_ARGUMENT);
    CHECK_OK(context, phx_dense_eigen_general(context, 0, NULL, NULL, NULL, NULL, NULL));
}

/* ---- singular values ---- */
static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Singular values of A (m x n, m >= n) by one-sided Jacobi rotations in long double. */
static void reference_singular_values(int m, int n, const double *a, double *values)
{
    long double *u = malloc((size_t)m * (size_t)n * sizeof *u);
    assert_non_null(u);
    for (int k = 0; k < m * n; k++)
        u[k] = a[k];
    bool rotated = true;
    for (int sweep = 0; sweep < 60 && rotated; sweep++) {
        rotated = false;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                long double pp = 0.0L, qq = 0.0L, pq = 0.0L;
                for (int i = 0; i < m; i++) {
                    pp += u[i * n + p] * u[i * n + p];
                    qq += u[i * n + q] * u[i * n + q];
                    pq += u[i * n + p] * u[i * n + q];
                }
                if (fabsl(pq) <= 1e-18L * sqrtl(pp * qq))
                    continue;
                rotated = true;
                long double zeta = (qq - pp) / (2.0L * pq);
                long double t = (zeta >= 0.0L ? 1.0L : -1.0L) / (fabsl(zeta) + sqrtl(1.0L + zeta * zeta));
                long double c = 1.0L / sqrtl(1.0L + t * t), s = c * t;
                for (int i = 0; i < m; i++) {
                    long double x = u[i * n + p], y = u[i * n + q];
                    u[i * n + p] = c * x - s * y;
                    u[i * n + q] = s * x + c * y;
                }
            }
        }
    }
    for (int j = 0; j < n; j++) {
        long double squared = 0.0L;
        for (int i = 0; i < m; i++)
            squared += u[i * n + j] * u[i * n + j];
        values[j] = (double)sqrtl(squared);
    }
    qsort(values, (size_t)n, sizeof(double), descending);
    free(u);
}

/* Columns of A V have the lengths of the singular values and are orthogonal; V is orthogonal. */
static void check_singular_values(phx_context *context, int m, int n, const double *a)
{
    int k = m < n ? m : n;
    double *values = new_doubles((size_t)k), *only = new_doubles((size_t)k), *v = new_doubles((size_t)n * (size_t)n),
           *av = new_doubles((size_t)m * (size_t)n), *gram = new_doubles((size_t)n * (size_t)n);
    CHECK_OK(context, phx_dense_singular_values(context, m, n, a, values, v));
    CHECK_OK(context, phx_dense_singular_values(context, m, n, a, only, NULL));
    CHECK_BELOW(difference((size_t)k, values, only), 1e-14 * values[0] * (m + n), "with and without vectors, %d x %d",
                m, n);
    CHECK_BELOW(not_orthonormal(n, n, v, v), 1e-14 * (n + 4), "V^T V, %d x %d", m, n);
    reference_product(false, false, m, n, n, a, v, av);
    reference_product(true, false, n, n, m, av, av, gram);
    for (int i = 0; i < n; i++) {
        if (i > 0 && i < k)
            assert_true(values[i] <= values[i - 1]);
        for (int j = 0; j < n; j++) {
            double want = i == j && i < k ? values[i] * values[i] : 0.0;
            CHECK_BELOW(fabs(gram[i * n + j] - want), 1e-14 * (m + n) * values[0] * values[0],
                        "(A V)^T (A V) at (%d, %d), %d x %d", i, j, m, n);
        }
    }
    double *all[] = {values, only, v, av, gram};
    for (int i = 0; i < 5; i++)
        free(all[i]);
}

static void test_singular_values(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 4;
    const int shapes[][2] = {{1, 1}, {2, 2}, {1, 4}, {4, 1}, {7, 3}, {3, 7}, {30, 30}, {50, 20}, {20, 50}};
    for (int s = 0; s < 9; s++) {
        int m = shapes[s][0], n = shapes[s][1];
        double *a = random_matrix(&seed, m, n);
        check_singular_values(context, m, n, a);
        for (int j = 0; j < n; j++)
            a[j] = a[(m - 1) * n + j]; /* two equal rows: a rank below min(m, n) when m > 1 */
        check_singular_values(context, m, n, a);
        free(a);
    }
}

static void test_small_singular_values_are_relatively_accurate(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    enum { M = 24, N = 18 };
    for (int transposed = 0; transposed < 2; transposed++) {
        double *c = random_matrix(&seed, M, N), *t = new_doubles((size_t)M * N), values[N], want[N];
        /* D1 C D2 over 16 decades of rows and 16 of columns */
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                c[i * N + j] *= pow(10.0, -16.0 * ((i * 7) % M) / M) * pow(10.0, -16.0 * ((j * 5) % N) / N);
        reference_singular_values(M, N, c, want);
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++)
                t[j * M + i] = c[i * N + j];
        if (transposed)
            CHECK_OK(context, phx_dense_singular_values(context, N, M, t, values, NULL));
        else
            CHECK_OK(context, phx_dense_singular_values(context, M, N, c, values, NULL));
        for (int k = 0; k < N; k++)
            CHECK_BELOW(fabs(values[k] / want[k] - 1.0), 1e-11, "singular value %d, %g of %g", k, want[k], want[0]);
        free(c);
        free(t);
    }
}

static void test_singular_values_of_special_matrices(void **state)
{
    phx_context *context = *state;
    double values[3], right[9], zero[6] = {0.0};
    CHECK_OK(context, phx_dense_singular_values(context, 2, 3, zero, values, right));
    assert_true(values[0] == 0.0 && values[1] == 0.0);
    CHECK_BELOW(not_orthonormal(3, 3, right, right), 1e-15, "vectors of the zero matrix");
    CHECK_OK(context, phx_dense_singular_values(context, 0, 3, NULL, values, right));
    CHECK_BELOW(not_orthonormal(3, 3, right, right), 0.0, "vectors of no rows");
    const double large[] = {3e300, 0.0, 0.0, 4e-300};
    CHECK_OK(context, phx_dense_singular_values(context, 2, 2, large, values, NULL));
    CHECK_BELOW(fabs(values[0] / 3e300 - 1.0), 1e-15, "large singular value");
    const double bad[] = {1.0, NAN};
    CHECK_STATUS(context, phx_dense_singular_values(context, 1, 2, bad, values, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_dense_singular_values(context, -1, 2, bad, values, NULL), PHX_ERR_ARGUMENT);
}

/* ---- skew ---- */
static void test_skew_pairs(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 7;
    const int sizes[] = {1, 2, 5, 40, 91};
    for (int s = 0; s < 5; s++) {
        const int n = sizes[s];
        const size_t entries = (size_t)n * (size_t)n;
        double *c = random_matrix(&seed, n, n), *a = new_doubles(entries), *omega = new_doubles((size_t)n),
               *only = new_doubles((size_t)n), *v = new_doubles(2 * entries);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] = c[i * n + j] - c[j * n + i];
        CHECK_OK(context, phx_dense_eigen_skew(context, n, a, omega, v));
        CHECK_OK(context, phx_dense_eigen_skew(context, n, a, only, NULL));
        for (int k = 0; k < n; k++) {
            CHECK_CLOSE(omega[k], -omega[n - 1 - k], 1e-13 * n, "pair %d of %d", k, n);
            CHECK_CLOSE(only[k], omega[k], 1e-13 * n, "without vectors, %d of %d", k, n);
            assert_true(k == 0 || omega[k] >= omega[k - 1]);
            for (int i = 0; i < n; i++) { /* A (x + i y) = i omega (x + i y) */
                double re = omega[k] * v[2 * (i * n + k) + 1], im = -omega[k] * v[2 * (i * n + k)];
                for (int j = 0; j < n; j++) {
                    re += a[i * n + j] * v[2 * (j * n + k)];
                    im += a[i * n + j] * v[2 * (j * n + k) + 1];
                }
                CHECK_SMALL(re, 1e-13 * n, "real part of row %d, vector %d of %d", i, k, n);
                CHECK_SMALL(im, 1e-13 * n, "imaginary part of row %d, vector %d of %d", i, k, n);
            }
            for (int l = 0; l < n; l++) {
                double re = k == l ? -1.0 : 0.0, im = 0.0;
                for (int i = 0; i < n; i++) {
                    const double *x = v + 2 * (i * n + k), *y = v + 2 * (i * n + l);
                    re += x[0] * y[0] + x[1] * y[1];
                    im += x[0] * y[1] - x[1] * y[0];
                }
                CHECK_SMALL(re, 1e-13 * n, "vectors %d and %d of %d", k, l, n);
                CHECK_SMALL(im, 1e-13 * n, "vectors %d and %d of %d", k, l, n);
            }
        }
        free(c);
        free(a);
        free(omega);
        free(only);
        free(v);
    }
}

/* ---- allocation ---- */
static phx_status solve_all(phx_context *context)
{
    const double a[] = {2.0, 1.0, 1.0, 3.0}, b[] = {1.0, 0.0, 0.0, 2.0};
    double re[2], im[2], v[8];
    phx_status status = phx_dense_eigen_symmetric(context, 2, a, b, re, v);
    if (!status)
        status = phx_dense_eigen_symmetric(context, 2, a, NULL, re, NULL);
    if (!status)
        status = phx_dense_eigen_general(context, 2, a, b, re, im, v);
    if (!status)
        status = phx_dense_eigen_general(context, 2, a, NULL, re, im, NULL);
    if (!status)
        status = phx_dense_eigen_skew(context, 2, a, re, v);
    if (!status)
        status = phx_dense_singular_values(context, 2, 2, a, re, v);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    assert_int_equal(fail_each_allocation(*state, solve_all), 4 + 4 + 5 + 5 + 8 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_symmetric_pairs, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_symmetric_known_spectrum, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_symmetric_refuses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_skew_pairs, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_general_pairs, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_general_known_spectra, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_hessenberg, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_infinite_eigenvalues, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_general_refuses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_singular_values, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_small_singular_values_are_relatively_accurate, context_setup,
                                        context_teardown),
        cmocka_unit_test_setup_teardown(test_singular_values_of_special_matrices, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
