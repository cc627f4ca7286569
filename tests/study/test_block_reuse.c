/* Matrices of which the rows alone are made anew: the rows are those of the plain evaluation, the rest is that of an
 * interval before, and solutions are those of such a matrix. Runs are those of the plain evaluation. */
#include "study/study.h"
#include "support/vectors.h"
#include "support/testing.h"

#include "dae/dae.h"
#include "system/system.h"

#include <string.h>

enum { PLAIN, FAST, BOTH };
static const double h = 5e-5;

/* A crank-slider of two solids, running. */
typedef struct mechanism {
    phx_context *context;
    phx_system *system;
    phx_dae *dae[BOTH];
    double *x, *v, *lambda, t;
} mechanism;

static double *numbers(int count)
{
    double *all = calloc((size_t)count + 1, sizeof *all);
    assert_non_null(all);
    return all;
}

static void open_mechanism(phx_context *context, mechanism *it)
{
    static const phx_model_override modes = {.name = "modes", .value = 2};
    const phx_start_options start = {0};
    phx_model *model = NULL;

    *it = (mechanism){.context = context};
    CHECK_OK(context, phx_model_read(context, PHX_SOURCE_DIR "/bench/solid_slider_crank.yaml", 1, &modes, &model));
    CHECK_OK(context, phx_model_build(context, model, NULL, &it->system));
    phx_model_destroy(model);
    CHECK_OK(context, phx_system_dae_with(it->system, context, PHX_BACKEND_PLAIN, &it->dae[PLAIN]));
    CHECK_OK(context, phx_system_dae_with(it->system, context, PHX_BACKEND_FAST, &it->dae[FAST]));
    it->x = numbers(it->dae[FAST]->n_x);
    it->v = numbers(it->dae[FAST]->n_v);
    it->lambda = numbers(it->dae[FAST]->n_l);
    CHECK_OK(context, phx_system_start(it->system, &start, it->x, it->v, it->lambda));
}

static void close_mechanism(mechanism *it)
{
    for (int k = 0; k < BOTH; k++)
        phx_system_dae_destroy(it->dae[k]);
    phx_system_destroy(it->system);
    free(it->x);
    free(it->v);
    free(it->lambda);
}

static void run(mechanism *it, int backend, double *x, double *v, double *lambda, double *t, double end)
{
    phx_integrate_options options = phx_integrate_options_default();
    phx_integrate_stats stats;

    options.step = h;
    options.end = options.every = end;
    CHECK_OK(it->context, phx_integrate(it->dae[backend], &options, t, x, v, lambda, NULL, NULL, &stats));
}

/* The matrix of the interval from x with the velocities kept, as rows x columns; x1: its end. */
static double *matrix_of(mechanism *it, int backend, const double *x, double *x1)
{
    phx_dae *dae = it->dae[backend];
    const phx_dae_ops *ops = dae->ops;
    double *res = numbers(dae->n_v + dae->n_l), *out;
    const int *ptr, *idx;
    const double *val;
    int n;

    CHECK_OK(it->context, ops->interval_begin(dae, it->t, h, x, it->v));
    CHECK_OK(it->context, ops->interval_residual(dae, it->v, it->lambda, x1, res));
    CHECK_OK(it->context, ops->interval_linearise(dae));
    CHECK_OK(it->context, ops->factor(dae, 0, 2.0 / h));
    phx_system_kkt(dae, &n, &ptr, &idx, NULL, &val);
    out = numbers(n * n);
    for (int i = 0; i < n; i++)
        for (int e = ptr[i]; e < ptr[i + 1]; e++)
            out[i * n + idx[e]] = val[e];
    free(res);
    return out;
}

/* A x = b of an arbitrary x. */
static void check_solution(mechanism *it, const double *A, uint64_t *seed)
{
    phx_dae *dae = it->dae[FAST];
    const int n = dae->n_v + dae->n_l;
    double *x = numbers(n), *b = numbers(n), largest = 0.0;

    for (int i = 0; i < n; i++)
        x[i] = random_value(seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i] += A[i * n + j] * x[j];
    CHECK_OK(it->context, dae->ops->solve(dae, 0, b));
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(b[i] - x[i]));
    CHECK_SMALL(largest, 1e-9, "the solution");
    free(x);
    free(b);
}

/* The largest difference of a block, over its largest entry. */
static double difference(int n, int row, int rows, int column, int columns, const double *A, const double *B)
{
    double largest = 0.0, scale = 0.0;

    for (int i = row; i < row + rows; i++)
        for (int j = column; j < column + columns; j++) {
            largest = fmax(largest, fabs(A[i * n + j] - B[i * n + j]));
            scale = fmax(scale, fabs(B[i * n + j]));
        }
    return largest / scale;
}

static void rows_are_new_and_the_rest_is_old(void **state)
{
    enum { INTERVALS = 20 };
    uint64_t seed = 3;
    mechanism it;
    double *before = NULL;
    int kept = 0;

    open_mechanism(*state, &it);
    run(&it, FAST, it.x, it.v, it.lambda, &it.t, 0.02);
    const int n_v = it.dae[FAST]->n_v, n_l = it.dae[FAST]->n_l, n = n_v + n_l;
    double *x1 = numbers(it.dae[FAST]->n_x);
    for (int k = 0; k < INTERVALS; k++, it.t += h) {
        double *const plain = matrix_of(&it, PLAIN, it.x, x1), *const fast = matrix_of(&it, FAST, it.x, x1);
        const bool old = difference(n, 0, n_v, 0, n_v, fast, plain) > 1e-13;
        CHECK_SMALL(difference(n, 0, n_v, n_v, n_l, fast, plain), 1e-13, "-G^T in interval %d", k);
        CHECK_SMALL(difference(n, n_v, n_l, 0, n_v, fast, plain), old ? 1e-3 : 1e-13, "G~ in interval %d", k);
        CHECK_SMALL(difference(n, 0, n_v, 0, n_v, fast, plain), 1e-3, "A in interval %d", k);
        if (old && before)
            CHECK_SMALL(difference(n, 0, n_v, 0, n_v, fast, before), 0.0, "A is kept in interval %d", k);
        check_solution(&it, fast, &seed);
        kept += old;
        free(before);
        free(plain);
        before = fast;
        for (int w = 0; w < BOTH; w++)
            CHECK_OK(it.context, it.dae[w]->ops->interval_residual(it.dae[w], it.v, it.lambda, x1, NULL));
        memcpy(it.x, x1, (size_t)it.dae[FAST]->n_x * sizeof *x1);
    }
    CHECK_BETWEEN(kept, INTERVALS / 2, INTERVALS - 1, "intervals with new rows alone");
    free(before);
    free(x1);
    close_mechanism(&it);
}

/* An interval of another length, and one that does not go on where the last one ended, have matrices of their own. */
static void other_intervals_have_their_own(void **state)
{
    mechanism it;

    open_mechanism(*state, &it);
    run(&it, FAST, it.x, it.v, it.lambda, &it.t, 0.02);
    const int n_v = it.dae[FAST]->n_v, n = n_v + it.dae[FAST]->n_l;
    double *x1 = numbers(it.dae[FAST]->n_x);
    free(matrix_of(&it, FAST, it.x, x1));
    it.x[0] += 1e-3;
    it.t += h;
    double *const plain = matrix_of(&it, PLAIN, it.x, x1), *const fast = matrix_of(&it, FAST, it.x, x1);
    CHECK_SMALL(difference(n, 0, n_v, 0, n_v, fast, plain), 1e-13, "A after a jump");
    free(plain);
    free(fast);
    free(x1);
    close_mechanism(&it);
}

static void runs_agree(void **state)
{
    const double end = TEST_SHORTER(0.02, 0.002);
    double t[BOTH] = {0.0};
    mechanism it;

    open_mechanism(*state, &it);
    phx_dae *dae = it.dae[FAST];
    double *x = numbers(dae->n_x), *v = numbers(dae->n_v), *lambda = numbers(dae->n_l);
    memcpy(x, it.x, (size_t)dae->n_x * sizeof *x);
    memcpy(v, it.v, (size_t)dae->n_v * sizeof *v);
    memcpy(lambda, it.lambda, (size_t)dae->n_l * sizeof *lambda);
    run(&it, PLAIN, it.x, it.v, it.lambda, &t[PLAIN], end);
    run(&it, FAST, x, v, lambda, &t[FAST], end);
    CHECK_VECTOR(dae->n_x, x, it.x, 1e-12, "places");
    CHECK_VECTOR(dae->n_v, v, it.v, 1e-11, "velocities");
    free(x);
    free(v);
    free(lambda);
    close_mechanism(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_new_and_the_rest_is_old, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(other_intervals_have_their_own, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_agree, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
