/* Predictions from intervals whose rates and multipliers are given. */
#include "support/testing.h"

#include <math.h>

#include "integrate/history.h"

enum { N_V = 2, N_L = 5 };

static double norm(phx_dae *dae, const double *dv)
{
    double sum = 0.0;
    for (int i = 0; i < dae->n_v; i++)
        sum += dv[i] * dv[i];
    return sqrt(sum);
}

/* The exact values in the middle of the interval t. */
typedef struct motion {
    double (*v_dot)(int i, double t);
    double (*lambda)(int k, double t);
} motion;

static double cubic(int i, double t)
{
    return 1.0 + i - 2.0 * t + (0.5 + i) * t * t - 0.3 * t * t * t;
}

/* Turns round from one interval to the next: no polynomial follows it. */
static double ringing(int i, double t)
{
    return (i + 1.0) * cos(acos(-1.0) * round(10.0 * t));
}

typedef struct missed {
    double v, lambda; /* largest differences of a prediction */
    int order, order_l;
} missed;

/* The last prediction after a number of equal intervals of 0.1 s. */
static missed predict(phx_context *context, const motion *of)
{
    static const phx_dae_ops ops = {.norm = norm};
    phx_dae dae = {.ops = &ops, .context = context, .n_v = N_V, .n_l = N_L};
    double v0[N_V] = {1.0, -1.0}, v1[N_V], lambda[N_L] = {0.0}, guess[N_V], guess_l[N_L];
    phx_history history;
    missed it = {0};
    const double h = 0.1;

    CHECK_OK(context, phx_history_create(&dae, lambda, &history));
    for (int n = 0; n < 40; n++) {
        const double t = n * h;
        phx_history_predict(&history, &dae, t, h, v0, guess, guess_l);
        it = (missed){.order = history.order, .order_l = history.order_l};
        for (int i = 0; i < N_V; i++) {
            v1[i] = v0[i] + h * of->v_dot(i, t);
            it.v = fmax(it.v, fabs(guess[i] - v1[i]));
        }
        for (int k = 0; k < N_L; k++) {
            lambda[k] = of->lambda(k, t);
            it.lambda = fmax(it.lambda, fabs(guess_l[k] - lambda[k]));
        }
        phx_history_keep(&history, &dae, t, h, v0, v1, lambda, it.v);
        memcpy(v0, v1, sizeof v0);
    }
    phx_history_free(&history);
    return it;
}

static void test_smooth(void **state)
{
    const missed it = predict(*state, &(motion){cubic, cubic});
    assert_in_range(it.order, 3, PHX_HISTORY - 1);
    assert_true(it.v < 1e-10);
    assert_true(it.lambda < 1e-9);
}

/* Ringing velocities are predicted with the last rate, or none, while smooth multipliers are extrapolated, and the
 * other way round. */
static void test_orders_of_their_own(void **state)
{
    missed it = predict(*state, &(motion){ringing, cubic});
    assert_true(it.order <= 0);
    assert_in_range(it.order_l, 3, PHX_HISTORY - 1);
    assert_true(it.lambda < 1e-9);
    assert_true(it.v <= 0.1 * N_V * (1.0 + 1e-9)); /* not more than without a prediction */
    it = predict(*state, &(motion){cubic, ringing});
    assert_in_range(it.order, 3, PHX_HISTORY - 1);
    assert_true(it.v < 1e-10);
    assert_int_equal(it.order_l, 0);
    assert_true(it.lambda <= 2.0 * N_L * (1.0 + 1e-9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth),
        cmocka_unit_test(test_orders_of_their_own),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
