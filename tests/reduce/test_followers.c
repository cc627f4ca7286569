/* Shapes that follow a basis: orthogonal to it and to each other in K, of what loads and derivatives have beside it,
 * nothing of what it has already. */
#include "support/testing.h"

#include "reduce/reduce.h"

enum { N = 12, BASIS = 3, LOADS = 3, DERIVATIVES = 4 };

/* A matrix on the diagonal and beside it, positive definite. */
static phx_csr chain(phx_context *context, double diagonal, double beside)
{
    double dense[N * N] = {0};
    phx_csr A;
    for (int i = 0; i < N; i++) {
        dense[i * N + i] = diagonal * (1.0 + 0.1 * i);
        if (i > 0)
            dense[i * N + i - 1] = dense[(i - 1) * N + i] = beside;
    }
    CHECK_OK(context, phx_csr_from_dense(context, N, N, dense, 0.0, &A));
    return A;
}

static double form(const phx_csr *A, const double *x, const double *y)
{
    double Ay[N] = {0};
    phx_csr_apply(A, 1.0, y, Ay);
    return dot_product(N, x, Ay);
}

/* The first BASIS eigenvectors of K x = omega^2 M x. */
static void lowest(phx_context *context, const phx_csr *M, const phx_csr *K, phx_shapes *basis)
{
    double m[N * N], k[N * N], values[N], V[N * N];
    phx_csr_to_dense(M, m);
    phx_csr_to_dense(K, k);
    CHECK_OK(context, phx_dense_eigen_symmetric(context, N, k, m, values, V));
    CHECK_OK(context, phx_shapes_allocate(context, N, BASIS, basis));
    basis->omega = phx_calloc(context, BASIS, sizeof *basis->omega);
    assert_non_null(basis->omega);
    for (basis->count = 0; basis->count < BASIS; basis->count++) {
        basis->omega[basis->count] = sqrt(values[basis->count]);
        for (int i = 0; i < N; i++)
            phx_shapes_column(basis, basis->count)[i] = V[i * N + basis->count];
    }
}

static void fill(phx_context *context, int count, uint64_t *seed, phx_shapes *it)
{
    CHECK_OK(context, phx_shapes_allocate(context, N, count, it));
    for (it->count = 0; it->count < count; it->count++)
        random_vector(seed, N, 1.0, phx_shapes_column(it, it->count));
}

/* y^T K y of what is left of y beside shapes orthogonal in K, over y^T K y. */
static double left(const phx_csr *K, const phx_shapes *of, const double *y)
{
    double rest[N];
    memcpy(rest, y, sizeof rest);
    for (int k = 0; k < of->count; k++) {
        const double *shape = phx_shapes_column(of, k), part = form(K, shape, y) / form(K, shape, shape);
        for (int i = 0; i < N; i++)
            rest[i] -= part * shape[i];
    }
    return form(K, rest, rest) / form(K, y, y);
}

static void test_follow(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    phx_csr M = chain(context, 2.0, 0.3), K = chain(context, 50.0, -20.0);
    for (int passes = 1; passes <= 2; passes++) {
        phx_shapes basis = {0}, loads = {0}, derivatives = {0};
        double given[LOADS + DERIVATIVES][N];
        lowest(context, &M, &K, &basis);
        fill(context, LOADS, &seed, &loads);
        fill(context, DERIVATIVES, &seed, &derivatives);
        /* one load that the basis has, one that is zero, one derivative far smaller than the others */
        memcpy(phx_shapes_column(&loads, 0), phx_shapes_column(&basis, 1), sizeof given[0]);
        memset(phx_shapes_column(&loads, 1), 0, sizeof given[0]);
        for (int i = 0; i < N; i++)
            phx_shapes_column(&derivatives, 3)[i] *= 1e-7;
        for (int k = 0; k < LOADS + DERIVATIVES; k++)
            memcpy(given[k], k < LOADS ? phx_shapes_column(&loads, k) : phx_shapes_column(&derivatives, k - LOADS),
                   sizeof given[0]);
        CHECK_OK(context, phx_shapes_normalise(context, &K, &loads));
        CHECK_OK(context, phx_shapes_follow(context, &M, &K, passes, &loads, &derivatives, &basis));
        assert_int_equal(basis.count, BASIS + 1 + 3 + (passes == 2));
        for (int a = 0; a < basis.count; a++) {
            const double *y = phx_shapes_column(&basis, a);
            CHECK_CLOSE(form(&M, y, y), 1.0, 1e-12, "M of shape %d", a);
            CHECK_RELATIVE(form(&K, y, y), basis.omega[a] * basis.omega[a], 1e-12, "K of shape %d", a);
            for (int b = 0; b < a; b++)
                CHECK_CLOSE(form(&K, y, phx_shapes_column(&basis, b)) / (basis.omega[a] * basis.omega[b]), 0.0, 1e-10,
                            "K of shapes %d and %d", a, b);
        }
        for (int k = 0; k < LOADS + DERIVATIVES; k++)
            if (k != 1 && (k < LOADS + 3 || passes == 2))
                CHECK_CLOSE(left(&K, &basis, given[k]), 0.0, 1e-11, "%d passes: left of shape %d", passes, k);
        phx_shapes_free(&basis);
        phx_shapes_free(&loads);
        phx_shapes_free(&derivatives);
    }
    phx_csr_free(&M);
    phx_csr_free(&K);
}

/* A second pass over what is spanned already finds rounding, and adds none of it. */
static void test_nothing_is_left(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 9;
    phx_csr M = chain(context, 2.0, 0.3), K = chain(context, 50.0, -20.0);
    phx_shapes basis = {0}, loads = {0}, derivatives = {0};
    lowest(context, &M, &K, &basis);
    fill(context, 0, &seed, &loads);
    fill(context, DERIVATIVES, &seed, &derivatives);
    for (int k = 0; k < DERIVATIVES; k++)
        memcpy(phx_shapes_column(&derivatives, k), phx_shapes_column(&basis, k % BASIS), N * sizeof(double));
    CHECK_OK(context, phx_shapes_follow(context, &M, &K, 2, &loads, &derivatives, &basis));
    assert_int_equal(basis.count, BASIS);
    phx_shapes_free(&basis);
    phx_shapes_free(&loads);
    phx_shapes_free(&derivatives);
    phx_csr_free(&M);
    phx_csr_free(&K);
}

/* Of orthonormal modes the lowest are these over omega^2. */
static void test_lowest(void **state)
{
    phx_context *context = *state;
    phx_csr M = chain(context, 2.0, 0.3), K = chain(context, 50.0, -20.0);
    phx_shapes basis = {0};
    double *found = NULL;
    lowest(context, &M, &K, &basis);
    CHECK_OK(context, phx_shapes_lowest(context, &M, &basis, basis.y, 2, &found));
    for (int k = 0; k < 2; k++) {
        const double scale = 1.0 / (basis.omega[k] * basis.omega[k]), *y = phx_shapes_column(&basis, k);
        const double sign = dot_product(N, y, found + (size_t)k * N) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < N; i++)
            CHECK_CLOSE(found[k * N + i], sign * scale * y[i], 1e-13, "mode %d, entry %d", k, i);
    }
    phx_free(found);
    phx_shapes_free(&basis);
    phx_csr_free(&M);
    phx_csr_free(&K);
}

static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    phx_csr M = chain(context, 2.0, 0.3), K = chain(context, 50.0, -20.0);
    long n = 0;
    for (bool done = false; !done; n++) {
        phx_shapes basis = {0}, loads = {0}, derivatives = {0};
        uint64_t seed = 3;
        lowest(context, &M, &K, &basis);
        fill(context, LOADS, &seed, &loads);
        fill(context, DERIVATIVES, &seed, &derivatives);
        phx_context_fail_allocation(context, n);
        const phx_status status = phx_shapes_follow(context, &M, &K, 2, &loads, &derivatives, &basis);
        phx_context_fail_allocation(context, -1);
        done = status == PHX_OK;
        if (!done)
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
        phx_shapes_free(&basis);
        phx_shapes_free(&loads);
        phx_shapes_free(&derivatives);
    }
    assert_true(n > 8);
    phx_csr_free(&M);
    phx_csr_free(&K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follow),
        cmocka_unit_test(test_nothing_is_left),
        cmocka_unit_test(test_lowest),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
