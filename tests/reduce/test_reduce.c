/* Bases from plain matrices: free motions of constraints, normal modes through roots and eigenvalues. */
#include "support/testing.h"

#include "reduce/reduce.h"

/* a (n x n) = random SPD */
static void random_mass(uint64_t *seed, int n, double *a)
{
    double *b = calloc((size_t)n * (size_t)n, sizeof *b);
    assert_non_null(b);
    for (int k = 0; k < n * n; k++)
        b[k] = random_value(seed);
    phx_dense_multiply(true, false, n, n, n, 1.0, b, n, b, n, 0.0, a, n);
    for (int i = 0; i < n; i++)
        a[i * n + i] += 0.5;
    free(b);
}

/* Largest entry of G P and of P^T M P - I. */
static void basis_defects(const phx_basis *basis, const double *M, int m, const double *G, double *closure,
                          double *mass)
{
    const int n = basis->n, f = basis->count;
    double *product = calloc((size_t)(n + m + f) * (size_t)f + 1, sizeof *product);
    assert_non_null(product);
    double *gram = product + (size_t)(n + m) * (size_t)f;
    *closure = *mass = 0.0;
    if (m > 0)
        phx_dense_multiply(false, false, m, f, n, 1.0, G, n, basis->columns, f, 0.0, product, f);
    for (int k = 0; k < m * f; k++)
        *closure = fmax(*closure, fabs(product[k]));
    phx_dense_multiply(false, false, n, f, n, 1.0, M, n, basis->columns, f, 0.0, product, f);
    phx_dense_multiply(true, false, f, f, n, 1.0, basis->columns, f, product, f, 0.0, gram, f);
    for (int i = 0; i < f; i++)
        for (int j = 0; j < f; j++)
            *mass = fmax(*mass, fabs(gram[i * f + j] - (i == j)));
    free(product);
}

/* ---- free motions ---- */
static void test_free_motions(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 1;
    enum { N = 12, M = 5 };
    double mass[N * N], factor[N * N], G[(M + 3) * N];
    random_mass(&seed, N, mass);
    memcpy(factor, mass, sizeof mass);
    assert_int_equal(phx_dense_cholesky(context, N, factor), PHX_OK);
    for (int k = 0; k < M * N; k++)
        G[k] = random_value(&seed);
    for (int j = 0; j < N; j++) { /* a row twice in other units, a combination, a row of zeros */
        G[M * N + j] = 1e7 * G[2 * N + j];
        G[(M + 1) * N + j] = G[j] - 3.0 * G[4 * N + j];
        G[(M + 2) * N + j] = 0.0;
    }
    for (int m = 0; m <= M + 3; m++) {
        phx_basis basis = {0};
        int rank = -1;
        double closure, defect;
        assert_int_equal(phx_reduce_free_motions(context, N, factor, m, m > 0 ? G : NULL, 0.0, &rank, &basis), PHX_OK);
        assert_int_equal(rank, m < M ? m : M);
        assert_int_equal(basis.n, N);
        assert_int_equal(basis.count, N - rank);
        basis_defects(&basis, mass, m > M ? M : m, G, &closure, &defect);
        CHECK_CLOSE(closure, 0.0, 1e-14, "G P with %d rows", m);
        CHECK_CLOSE(defect, 0.0, 1e-13, "P^T M P - I with %d rows", m);
        phx_basis_free(&basis);
        assert_null(basis.columns);
    }
}

/* Coordinates in other units (mass scaled accordingly) span the same motions: the decision on the rank is the same. */
static void test_units_do_not_matter(void **state)
{
    phx_context *context = *state;
    static const double unit[3] = {1.0, 1e6, 1e-7}; /* of the coordinates */
    const double tie[6] = {1.0, -1.0, 0.5, 1.0, 1.0, 1.0};
    double factor[9] = {0.0}, G[6];
    for (int i = 0; i < 3; i++)
        factor[i * 3 + i] = unit[i];
    for (int k = 0; k < 6; k++)
        G[k] = (k < 3 ? 1e-9 : 1e3) * tie[k] * unit[k % 3];
    phx_basis basis = {0};
    int rank = 0;
    assert_int_equal(phx_reduce_free_motions(context, 3, factor, 2, G, 0.0, &rank, &basis), PHX_OK);
    assert_int_equal(rank, 1 + 1);
    assert_int_equal(basis.count, 1);
    /* null(tie) ~ (1.5, 0.5 - 1, -2)/... : cross product of the rows */
    const double exact[3] = {-1.5, -0.5, 2.0}, length = sqrt(1.5 * 1.5 + 0.25 + 4.0);
    const double sign = basis.columns[0] < 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; i++)
        CHECK_CLOSE(sign * basis.columns[i] * unit[i], exact[i] / length, 1e-14, "coordinate %d", i);
    phx_basis_free(&basis);
}

static void test_no_motion_is_left(void **state)
{
    phx_context *context = *state;
    const double factor[4] = {2.0, 0.0, 0.3, 1.0}, G[6] = {1.0, 0.0, 1.0, 1.0, 0.0, 1.0};
    phx_basis basis = {0};
    int rank = 0;
    assert_int_equal(phx_reduce_free_motions(context, 2, factor, 3, G, 0.0, &rank, &basis), PHX_OK);
    assert_int_equal(rank, 2);
    assert_int_equal(basis.count, 0);
    const phx_csr none = {0};
    const phx_stiffness stiffness = {.root = &none};
    double frequency = 0.0;
    assert_int_equal(phx_reduce_normal_modes(context, &basis, &stiffness, &frequency, NULL, NULL, NULL),
                     PHX_ERR_ARGUMENT); /* a root of no columns */
    const phx_stiffness nothing = {0};
    assert_int_equal(phx_reduce_normal_modes(context, &basis, &nothing, &frequency, NULL, NULL, NULL), PHX_OK);
    phx_basis_free(&basis);
    phx_basis_free(NULL);
}

/* ---- normal modes ---- */
/* L^-T of M = mass I */
static void plain_basis(phx_context *context, int n, double mass, phx_basis *basis)
{
    double *factor = calloc((size_t)n * (size_t)n, sizeof *factor);
    assert_non_null(factor);
    for (int i = 0; i < n; i++)
        factor[i * n + i] = sqrt(mass);
    assert_int_equal(phx_reduce_free_motions(context, n, factor, 0, NULL, 0.0, NULL, basis), PHX_OK);
    free(factor);
}

/* Root of a chain of n masses between n + 1 equal springs (fixed ends) or n - 1 (free ends). */
static void chain_root(phx_context *context, int n, double stiffness, bool free_ends, phx_csr *root)
{
    const int rows = free_ends ? n - 1 : n + 1;
    double *dense = calloc((size_t)rows * (size_t)n, sizeof *dense);
    assert_non_null(dense);
    for (int i = 0; i < rows; i++) {
        const int left = free_ends ? i : i - 1, right = left + 1;
        if (left >= 0)
            dense[i * n + left] = -sqrt(stiffness);
        if (right < n)
            dense[i * n + right] = sqrt(stiffness);
    }
    assert_int_equal(phx_csr_from_dense(context, rows, n, dense, 0.0, root), PHX_OK);
    free(dense);
}

static void stiffness_of_root(phx_context *context, const phx_csr *root, phx_csr *K)
{
    phx_csr transposed = {0};
    assert_int_equal(phx_csr_transpose(context, root, &transposed), PHX_OK);
    assert_int_equal(phx_csr_multiply(context, &transposed, root, K), PHX_OK);
    phx_csr_free(&transposed);
}

static void test_chain(void **state)
{
    phx_context *context = *state;
    enum { N = 30 };
    for (int free_ends = 0; free_ends < 2; free_ends++) {
        phx_basis basis = {0}, modes = {0};
        phx_csr root = {0}, K = {0};
        double through_root[N], through_k[N], resolution = 0.0, resolution_k = 0.0, closure, defect, mass[N * N] = {0};
        plain_basis(context, N, 2.0, &basis);
        chain_root(context, N, 500.0, free_ends, &root);
        stiffness_of_root(context, &root, &K);
        const phx_stiffness with_root = {.root = &root}, with_k = {.rest = &K};
        assert_int_equal(phx_reduce_normal_modes(context, &basis, &with_root, through_root, &resolution, NULL, &modes),
                         PHX_OK);
        assert_int_equal(phx_reduce_normal_modes(context, &basis, &with_k, through_k, &resolution_k, NULL, NULL),
                         PHX_OK);
        for (int k = 0; k < N; k++) {
            const double exact =
                2.0 * sqrt(500.0 / 2.0) * sin(0.5 * TEST_PI * (free_ends ? (double)k / N : (k + 1.0) / (N + 1)));
            CHECK_CLOSE(through_root[k], exact, 1e-13 * exact + 1e-13, "free ends %d, mode %d", free_ends, k);
            CHECK_CLOSE(through_k[k], exact, 1e-11 * exact + 1e-6, "free ends %d, mode %d through K", free_ends, k);
        }
        if (free_ends) { /* one rigid-body mode, told apart from all others */
            assert_true(fabs(through_root[0]) < resolution && fabs(through_k[0]) < resolution_k);
            assert_true(through_root[1] > resolution && through_k[1] > resolution_k);
        }
        for (int i = 0; i < N; i++)
            mass[i * N + i] = 2.0;
        basis_defects(&modes, mass, 0, NULL, &closure, &defect);
        CHECK_CLOSE(defect, 0.0, 1e-13, "modal mass");
        phx_basis_free(&basis);
        phx_basis_free(&modes);
        phx_csr_free(&root);
        phx_csr_free(&K);
    }
}

/* Two masses joined by a spring of 1e14 and held by springs a and b from the rest: the low frequency is
 * sqrt((a+b)/2 - (a-b)^2/(8 k)) to more digits than double has; the plain matrix has lost it. */
static void test_root_and_rest_keep_digits(void **state)
{
    phx_context *context = *state;
    const double k = 1e14, a = 3.0, b = -1.0;
    const double spring[2] = {-sqrt(k), sqrt(k)}, held[4] = {a, 0.0, 0.0, b};
    phx_csr root = {0}, rest = {0};
    phx_basis basis = {0}, modes = {0};
    double frequency[2], resolution = 0.0, asymmetry = -1.0;
    assert_int_equal(phx_csr_from_dense(context, 1, 2, spring, 0.0, &root), PHX_OK);
    assert_int_equal(phx_csr_from_dense(context, 2, 2, held, 0.0, &rest), PHX_OK);
    plain_basis(context, 2, 1.0, &basis);
    const phx_stiffness stiffness = {.root = &root, .rest = &rest};
    assert_int_equal(phx_reduce_normal_modes(context, &basis, &stiffness, frequency, &resolution, &asymmetry, &modes),
                     PHX_OK);
    CHECK_CLOSE(frequency[0], sqrt(0.5 * (a + b)), 1e-13, "low frequency");
    CHECK_CLOSE(frequency[1], sqrt(2.0 * k), 1e-14 * sqrt(2.0 * k), "high frequency");
    CHECK_CLOSE(asymmetry, 0.0, 1e-15, "asymmetry");
    assert_true(resolution < frequency[0]);
    CHECK_CLOSE(fabs(modes.columns[0]), sqrt(0.5), 1e-13, "shape");
    CHECK_CLOSE(modes.columns[0] - modes.columns[2], 0.0, 1e-12, "shape");
    phx_basis_free(&basis);
    phx_basis_free(&modes);
    phx_csr_free(&root);
    phx_csr_free(&rest);
}

/* Springs on what the constraints hold, and between what they move as one, beside a motion without stiffness: its
 * frequency is zero, though no other tells how large rounding is. */
static void test_springs_that_never_move(void **state)
{
    phx_context *context = *state;
    enum { N = 5, M = 3 };
    uint64_t seed = 11;
    for (int round = 0; round < 50; round++) {
        double mass[N * N] = {0}, block[4], G[M * N] = {0};
        for (int b = 0; b < 2; b++) {
            random_mass(&seed, 2, block);
            for (int i = 0; i < 4; i++)
                mass[(2 * b + i / 2) * N + 2 * b + i % 2] = block[i];
        }
        mass[N * N - 1] = 1.0;
        for (int i = 0; i < 4; i++)
            G[i / 2 * N + i % 2] = random_value(&seed);
        G[2 * N + 2] = G[2 * N + 4] = 1.0 + random_value(&seed);
        G[2 * N + 3] = -2.0 * G[2 * N + 2]; /* x2 + x4 = 2 x3 */
        const double springs[2 * N] = {15.0, -4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 30.0, -60.0, 30.0};
        phx_csr root = {0};
        phx_basis basis = {0};
        double frequency[N], resolution = 0.0;
        int rank = 0;
        assert_int_equal(phx_dense_cholesky(context, N, mass), PHX_OK);
        assert_int_equal(phx_reduce_free_motions(context, N, mass, M, G, 0.0, &rank, &basis), PHX_OK);
        assert_int_equal(basis.count, N - M);
        for (int k = 0; k < 2 * basis.count; k++)
            CHECK_CLOSE(basis.columns[k], 0.0, 0.0, "held, entry %d", k);
        assert_int_equal(phx_csr_from_dense(context, 2, N, springs, 0.0, &root), PHX_OK);
        const phx_stiffness stiffness = {.root = &root};
        assert_int_equal(phx_reduce_normal_modes(context, &basis, &stiffness, frequency, &resolution, NULL, NULL),
                         PHX_OK);
        for (int k = 0; k < basis.count; k++)
            CHECK_BELOW(fabs(frequency[k]), fmax(resolution, 1e-300), "frequency %d", k);
        CHECK_BELOW(resolution, 1e-9, "resolution");
        phx_basis_free(&basis);
        phx_csr_free(&root);
    }
}

/* diag(5, -4) has an instability; a skew part is measured and left out. */
static void test_negative_and_skew_stiffness(void **state)
{
    phx_context *context = *state;
    const double dense[4] = {5.0, 2.0, -2.0, -4.0};
    phx_csr K = {0};
    phx_basis basis = {0}, modes = {0};
    double frequency[2], asymmetry = 0.0;
    assert_int_equal(phx_csr_from_dense(context, 2, 2, dense, 0.0, &K), PHX_OK);
    plain_basis(context, 2, 1.0, &basis);
    const phx_stiffness stiffness = {.rest = &K};
    assert_int_equal(phx_reduce_normal_modes(context, &basis, &stiffness, frequency, NULL, &asymmetry, &modes), PHX_OK);
    CHECK_CLOSE(frequency[0], -2.0, 1e-14, "unstable");
    CHECK_CLOSE(frequency[1], sqrt(5.0), 1e-14, "stable");
    CHECK_CLOSE(asymmetry, sqrt(8.0 / 41.0), 1e-14, "asymmetry");
    CHECK_CLOSE(fabs(modes.columns[2]), 1.0, 1e-14, "unstable shape");
    phx_basis_free(&basis);
    phx_basis_free(&modes);
    phx_csr_free(&K);
}

/* More rows in the root than motions, and fewer. */
static void test_shapes_of_the_root(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    enum { N = 6 };
    static const int rows_of[] = {1, 4, 6, 17};
    for (size_t r = 0; r < sizeof rows_of / sizeof *rows_of; r++) {
        const int rows = rows_of[r];
        double dense[17 * N], values[N], K[N * N], unit[N * N] = {0};
        for (int k = 0; k < rows * N; k++)
            dense[k] = random_value(&seed);
        phx_csr root = {0};
        phx_basis basis = {0}, modes = {0};
        double frequency[N], resolution = 0.0;
        assert_int_equal(phx_csr_from_dense(context, rows, N, dense, 0.0, &root), PHX_OK);
        plain_basis(context, N, 1.0, &basis);
        const phx_stiffness stiffness = {.root = &root};
        assert_int_equal(phx_reduce_normal_modes(context, &basis, &stiffness, frequency, &resolution, NULL, &modes),
                         PHX_OK);
        phx_dense_multiply(true, false, N, N, rows, 1.0, dense, N, dense, N, 0.0, K, N);
        for (int i = 0; i < N; i++)
            unit[i * N + i] = 1.0;
        assert_int_equal(phx_dense_eigen_symmetric(context, N, K, unit, values, NULL), PHX_OK);
        for (int k = 0; k < N; k++) {
            CHECK_CLOSE(frequency[k] * frequency[k], values[k], 1e-13, "%d rows, mode %d", rows, k);
            assert_int_equal(fabs(frequency[k]) <= resolution, k < N - rows);
            for (int i = 0; i < N; i++) { /* K x = lambda x */
                double sum = -values[k] * modes.columns[i * N + k];
                for (int j = 0; j < N; j++)
                    sum += K[i * N + j] * modes.columns[j * N + k];
                CHECK_CLOSE(sum, 0.0, 1e-13, "%d rows, mode %d, row %d", rows, k, i);
            }
        }
        phx_basis_free(&basis);
        phx_basis_free(&modes);
        phx_csr_free(&root);
    }
}

/* ---- the lowest ---- */
/* A chain of pairs of masses, joined stiffly and softly in turn: the lowest modes alone are those of all. */
static void test_lowest_modes(void **state)
{
    phx_context *context = *state;
    enum { N = 40 };
    for (int free_ends = 0; free_ends < 2; free_ends++)
        for (int wanted = 1; wanted <= N; wanted += 8) {
            phx_basis basis = {0}, all_modes = {0}, modes = {0};
            phx_csr root = {0};
            double all[N], lowest[N], resolution = 0.0, asymmetry = -1.0;
            plain_basis(context, N, 2.0, &basis);
            chain_root(context, N, 500.0, free_ends, &root);
            for (int k = 0; k < root.ptr[root.rows]; k++)
                root.val[k] *= k % 4 < 2 ? 1.0 : 1e5;
            const phx_stiffness stiffness = {.root = &root};
            assert_int_equal(phx_reduce_normal_modes(context, &basis, &stiffness, all, NULL, NULL, &all_modes), PHX_OK);
            assert_int_equal(
                phx_reduce_lowest_modes(context, &basis, &stiffness, wanted, lowest, &resolution, &asymmetry, &modes),
                PHX_OK);
            /* rigid-body modes, or too many: all of them */
            assert_int_equal(modes.count, free_ends || 2 * wanted > N ? N : wanted);
            CHECK_CLOSE(asymmetry, 0.0, 0.0, "asymmetry");
            assert_true(free_ends ? fabs(lowest[0]) <= resolution : lowest[0] > resolution);
            for (int k = free_ends; k < modes.count; k++) {
                double product = 0.0;
                for (int i = 0; i < N; i++)
                    product += 2.0 * modes.columns[i * modes.count + k] * all_modes.columns[i * N + k];
                CHECK_CLOSE(lowest[k] / all[k], 1.0, 1e-12, "mode %d of %d, free ends %d", k, wanted, free_ends);
                CHECK_CLOSE(fabs(product), 1.0, 1e-9, "shape %d of %d, free ends %d", k, wanted, free_ends);
            }
            phx_basis_free(&basis);
            phx_basis_free(&all_modes);
            phx_basis_free(&modes);
            phx_csr_free(&root);
        }
}

/* ---- Jacobi ---- */
static void test_jacobi_against_lapack(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 9;
    enum { N = 25 };
    double a[N * N], work[N * N], vectors[N * N] = {0}, unit[N * N] = {0}, expected[N], values[N];
    for (int i = 0; i < N; i++) {
        unit[i * N + i] = vectors[i * N + i] = 1.0;
        for (int j = 0; j <= i; j++)
            a[i * N + j] = a[j * N + i] = random_value(&seed);
    }
    memcpy(work, a, sizeof a);
    assert_int_equal(phx_reduce_jacobi(context, N, work, values, vectors), PHX_OK);
    assert_int_equal(phx_dense_eigen_symmetric(context, N, a, unit, expected, NULL), PHX_OK);
    for (int k = 0; k < N; k++) {
        double nearest = HUGE_VAL;
        for (int j = 0; j < N; j++)
            nearest = fmin(nearest, fabs(values[j] - expected[k]));
        CHECK_CLOSE(nearest, 0.0, 1e-13, "eigenvalue %d", k);
        for (int i = 0; i < N; i++) {
            double sum = -values[k] * vectors[k * N + i];
            for (int j = 0; j < N; j++)
                sum += a[i * N + j] * vectors[k * N + j];
            CHECK_CLOSE(sum, 0.0, 1e-13, "residual of vector %d, row %d", k, i);
        }
    }
}

static void test_jacobi_of_zeros_and_tiny_blocks(void **state)
{
    phx_context *context = *state;
    double zero[9] = {0.0}, values[3], vectors[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    assert_int_equal(phx_reduce_jacobi(context, 3, zero, values, vectors), PHX_OK);
    for (int k = 0; k < 3; k++)
        assert_true(values[k] == 0.0);
    /* a block of rounding beside a large entry */
    double graded[9] = {1e14, 1e-3, 2e-3, 1e-3, 1e-18, 3e-18, 2e-3, 3e-18, 0.0};
    assert_int_equal(phx_reduce_jacobi(context, 3, graded, values, vectors), PHX_OK);
    CHECK_CLOSE(values[0], 1e14, 1.0, "large eigenvalue");
    CHECK_CLOSE(values[1], 0.0, 1e-17, "small eigenvalue");
    CHECK_CLOSE(values[2], 0.0, 1e-17, "small eigenvalue");
}

/* ---- errors ---- */
static void test_wrong_arguments(void **state)
{
    phx_context *context = *state;
    const double factor[4] = {1.0, 0.0, 0.0, 1.0}, G[2] = {1.0, NAN};
    phx_basis basis = {0};
    assert_int_equal(phx_reduce_free_motions(context, 2, factor, 1, G, 0.0, NULL, &basis), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "(0, 1)"));
    assert_int_equal(phx_reduce_free_motions(context, 2, factor, -1, NULL, 0.0, NULL, &basis), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_reduce_free_motions(context, 2, factor, 0, NULL, 0.0, NULL, &basis), PHX_OK);
    const double row[3] = {1.0, 2.0, 3.0};
    phx_csr wide = {0};
    double frequency[2];
    assert_int_equal(phx_csr_from_dense(context, 1, 3, row, 0.0, &wide), PHX_OK);
    const phx_stiffness root = {.root = &wide}, rest = {.rest = &wide};
    assert_int_equal(phx_reduce_normal_modes(context, &basis, &root, frequency, NULL, NULL, NULL), PHX_ERR_ARGUMENT);
    assert_int_equal(phx_reduce_normal_modes(context, &basis, &rest, frequency, NULL, NULL, NULL), PHX_ERR_ARGUMENT);
    phx_csr_free(&wide);
    phx_basis_free(&basis);
}

static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    const double factor[4] = {1.0, 0.0, 0.5, 1.0}, G[2] = {1.0, 1.0}, row[2] = {1.0, 0.0};
    phx_csr root = {0};
    assert_int_equal(phx_csr_from_dense(context, 1, 2, row, 0.0, &root), PHX_OK);
    const phx_stiffness stiffness = {.root = &root};
    long n = 0;
    for (phx_status status = PHX_ERR_MEMORY; status; n++) {
        phx_basis basis = {0}, modes = {0};
        double frequency[2];
        phx_context_fail_allocation(context, n);
        status = phx_reduce_free_motions(context, 2, factor, 1, G, 0.0, NULL, &basis);
        if (!status)
            status = phx_reduce_normal_modes(context, &basis, &stiffness, frequency, NULL, NULL, &modes);
        phx_context_fail_allocation(context, -1);
        assert_true(status == PHX_OK || status == PHX_ERR_MEMORY);
        phx_basis_free(&basis);
        phx_basis_free(&modes);
    }
    if (n < 10)
        fail_msg("only %ld allocations were made to fail", n);
    phx_csr_free(&root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_motions),
        cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_no_motion_is_left),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_root_and_rest_keep_digits),
        cmocka_unit_test(test_springs_that_never_move),
        cmocka_unit_test(test_negative_and_skew_stiffness),
        cmocka_unit_test(test_shapes_of_the_root),
        cmocka_unit_test(test_lowest_modes),
        cmocka_unit_test(test_jacobi_against_lapack),
        cmocka_unit_test(test_jacobi_of_zeros_and_tiny_blocks),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
