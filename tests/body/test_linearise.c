/* M, D and K of phx_body_linearise against differences of phx_body_residual - along accelerations, velocities and turns
 * R exp(dphi) - and phx_body_interval_linearise against those of phx_body_interval_residual, every kind of body. */
#include "support.h"

static const int side[4] = {-2, -1, 1, 2};
static const double weight[4] = {1.0, -8.0, 8.0, -1.0};

static void test_pattern(void **state)
{
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        const int *ptr, *idx;
        double ones[MAX_V * MAX_V], dense[MAX_V * MAX_V];
        subject_create(*state, &body_kinds[k], &it);
        phx_body_pattern(it.body, &ptr, &idx);
        assert_int_equal(ptr[0], 0);
        assert_in_range(ptr[it.n_v], 1, MAX_V * MAX_V);
        for (int e = 0; e < ptr[it.n_v]; e++)
            ones[e] = 1.0;
        spread(it.body, ones, dense);
        for (int i = 0; i < it.n_v; i++) {
            assert_true(dense[i * it.n_v + i] == 1.0);
            for (int e = ptr[i] + 1; e < ptr[i + 1]; e++)
                assert_true(idx[e] > idx[e - 1]);
            for (int j = 0; j < it.n_v; j++)
                assert_true(dense[i * it.n_v + j] == dense[j * it.n_v + i]);
        }
        subject_destroy(&it);
    }
}

/* Column i of d res / d (what): what = 0 acceleration, 1 velocity, 2 configuration. */
static void difference_column(const subject *it, int what, int i, const double *x, const double *v, double *column)
{
    const double step = what == 2 ? 1e-3 : 0.5; /* polynomials in velocities and accelerations: any step is exact */
    double x1[MAX_X], v1[MAX_V], a[MAX_V] = {0}, xi[MAX_V] = {0}, res[MAX_V];

    memset(column, 0, (size_t)it->n_v * sizeof *column);
    memcpy(x1, x, (size_t)it->n_x * sizeof *x);
    memcpy(v1, v, (size_t)it->n_v * sizeof *v);
    xi[i] = 1.0;
    for (int k = 0; k < 4; k++) {
        if (what == 0)
            a[i] = step * side[k];
        else if (what == 1)
            v1[i] = v[i] + step * side[k];
        else
            displaced(it, x, step * side[k], xi, x1);
        phx_body_residual(it->body, test_gravity, x1, v1, a, res);
        for (int j = 0; j < it->n_v; j++)
            column[j] += weight[k] / (12.0 * step) * res[j];
    }
}

static void check_matrix(const subject *it, int what, const double *got, const double *x, const double *v)
{
    static const char *const names[] = {"M", "D", "K"};
    const double tolerance = what == 2 ? 1e-9 : 1e-12;
    const int n = it->n_v;
    for (int i = 0; i < n; i++) {
        double want[MAX_V], column[MAX_V];
        difference_column(it, what, i, x, v, want);
        for (int j = 0; j < n; j++)
            column[j] = got[j * n + i];
        CHECK_VECTOR(n, column, want, tolerance, "%s: %s, column %d", it->name, names[what], i);
    }
}

static void check_state(const subject *it, uint64_t *seed)
{
    double x[MAX_X], v[MAX_V], M[MAX_V * MAX_V], D[MAX_V * MAX_V], K[MAX_V * MAX_V], dense[MAX_V * MAX_V];
    double again[MAX_V * MAX_V], mass[MAX_V * MAX_V];
    const int *ptr, *idx;

    random_configuration(seed, it, x);
    random_velocity(seed, it, v);
    phx_body_linearise(it->body, test_gravity, x, v, M, D, K);
    spread(it->body, M, dense);
    phx_body_mass_matrix(it->body, x, mass);
    CHECK_VECTOR(it->n_v * it->n_v, dense, mass, 1e-15, "%s: mass matrix", it->name);
    check_matrix(it, 0, dense, x, v);
    spread(it->body, D, dense);
    check_matrix(it, 1, dense, x, v);
    spread(it->body, K, dense);
    check_matrix(it, 2, dense, x, v);
    phx_body_pattern(it->body, &ptr, &idx); /* each by itself is the same bit for bit */
    phx_body_linearise(it->body, test_gravity, x, v, M, again, NULL);
    assert_memory_equal(again, D, (size_t)ptr[it->n_v] * sizeof *D);
    phx_body_linearise(it->body, test_gravity, x, v, M, NULL, again);
    assert_memory_equal(again, K, (size_t)ptr[it->n_v] * sizeof *K);
}

static void test_tangents(void **state)
{
    uint64_t seed = 31;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(*state, &body_kinds[k], &it);
        for (int n = 0; n < 10; n++)
            check_state(&it, &seed);
        subject_destroy(&it);
    }
}

/* Only what depends on q written anew, at scattered places, over the matrix of another configuration. */
static void test_mass_in_place(void **state)
{
    uint64_t seed = 32;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        const int *ptr, *idx;
        int at[MAX_V * MAX_V];
        double x[MAX_X], v[MAX_V], want[MAX_V * MAX_V], got[MAX_V * MAX_V];
        subject_create(*state, &body_kinds[k], &it);
        phx_body_pattern(it.body, &ptr, &idx);
        const int nnz = ptr[it.n_v];
        for (int e = 0; e < nnz; e++) { /* backwards, over rubbish */
            at[e] = nnz - 1 - e;
            got[e] = 7.0;
        }
        random_velocity(&seed, &it, v);
        for (int n = 0; n < 4; n++) {
            random_configuration(&seed, &it, x);
            phx_body_linearise(it.body, test_gravity, x, v, want, NULL, NULL);
            phx_body_put_mass(it.body, x, n == 0, at, got);
            for (int e = 0; e < nnz; e++)
                assert_true(got[at[e]] == want[e]);
        }
        subject_destroy(&it);
    }
}

/* Residual of the interval that starts at x0, v0 with the mean velocity vm. */
static void interval_residual(const subject *it, double h, const double *x0, const double *v0, const double *vm,
                              phx_products *products, phx_body_view *view, double *x1, double *xm, double *v1,
                              double *res)
{
    for (int i = 0; i < it->n_v; i++)
        v1[i] = 2.0 * vm[i] - v0[i];
    moved(it, h, x0, vm, x1, xm);
    phx_body_interval_begin(it->body, h, x0, v0, products);
    *view = (phx_body_view){.h = h, .x0 = x0, .x1 = x1, .xm = xm, .v0 = v0, .v1 = v1, .vm = vm, .products = products};
    phx_body_interval_residual(it->body, test_gravity, view, res);
}

/* Bodies that share their scratch: others may have written there since the residual. */
static void check_shared(const subject *it, double h, const double *x0, const double *v0, const double *vm,
                         const double *want)
{
    const size_t size = phx_body_room(it->body) * sizeof(double);
    double *shared = malloc(size + sizeof *shared), x1[MAX_X], xm[MAX_X], v1[MAX_V], res[MAX_V];
    double room[2 * MAX_V * MAX_V], val[MAX_V * MAX_V];
    const int *ptr = NULL, *idx = NULL;
    phx_body_view view;

    assert_non_null(shared);
    phx_products *products = phx_body_products_create(NULL, it->body, shared);
    assert_non_null(products);
    interval_residual(it, h, x0, v0, vm, products, &view, x1, xm, v1, res);
    memset(shared, 0xff, size);
    phx_body_interval_linearise(it->body, test_gravity, &view, room, val);
    phx_body_pattern(it->body, &ptr, &idx);
    assert_memory_equal(val, want, (size_t)ptr[it->n_v] * sizeof *val);
    phx_free(products);
    free(shared);
}

static void check_interval(const subject *it, double h, double tolerance, uint64_t *seed)
{
    const int n = it->n_v;
    const double step = 1e-2 / (1.0 + 10.0 * h);
    double x0[MAX_X], x1[MAX_X], xm[MAX_X], v0[MAX_V], v1[MAX_V], vm[MAX_V], res[MAX_V];
    double room[2 * MAX_V * MAX_V], val[MAX_V * MAX_V], A[MAX_V * MAX_V];
    phx_products *products = phx_body_products_create(NULL, it->body, NULL);
    phx_body_view view;

    assert_non_null(products);
    random_configuration(seed, it, x0);
    random_velocity(seed, it, v0);
    random_velocity(seed, it, vm);
    interval_residual(it, h, x0, v0, vm, products, &view, x1, xm, v1, res);
    phx_body_interval_linearise(it->body, test_gravity, &view, room, val);
    spread(it->body, val, A);
    check_shared(it, h, x0, v0, vm, val);
    for (int c = 0; c < n; c++) {
        double want[MAX_V] = {0}, got[MAX_V], mean[MAX_V];
        memcpy(mean, vm, sizeof mean);
        for (int k = 0; k < 4; k++) {
            mean[c] = vm[c] + step * side[k];
            interval_residual(it, h, x0, v0, mean, products, &view, x1, xm, v1, res);
            for (int i = 0; i < n; i++)
                want[i] += weight[k] / (12.0 * step) * res[i];
        }
        for (int i = 0; i < n; i++)
            got[i] = A[i * n + c];
        CHECK_VECTOR(n, got, want, tolerance, "%s, h = %g: interval, column %d", it->name, h, c);
    }
    phx_free(products);
}

/* Exact with full kinetics whatever the interval and the ends, with simplified kinetics of the first order in h. */
static void test_intervals(void **state)
{
    const double lengths[] = {1e-3, 0.05, 0.5};
    uint64_t seed = 32;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(*state, &body_kinds[k], &it);
        const bool full = it.kinetics == PHX_KINETICS_FULL;
        for (int n = 0; n < (full ? 9 : 3); n++)
            check_interval(&it, full ? lengths[n % 3] : 1e-4, full ? 1e-9 : 1e-3, &seed);
        subject_destroy(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pattern), cmocka_unit_test(test_tangents),
                                       cmocka_unit_test(test_mass_in_place), cmocka_unit_test(test_intervals)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
