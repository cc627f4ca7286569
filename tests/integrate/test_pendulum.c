/* The pendulum that the tests run on does what dae.h says, or nothing that the tests say of the integrators holds. */
#include "check.h"

static void random_state(const pendulum *p, unsigned *seed, double *x, double *v, double *lambda)
{
    for (int k = 0; k < p->dae.n_x + p->dae.n_v + p->dae.n_l; k++) {
        *seed = *seed * 1664525u + 1013904223u;
        double value = (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
        if (k < p->dae.n_x)
            x[k] = value;
        else if (k < p->dae.n_x + p->dae.n_v)
            v[k - p->dae.n_x] = 2.0 * value;
        else
            lambda[k - p->dae.n_x - p->dae.n_v] = 5.0 * value;
    }
    p->dae.ops->normalise((phx_dae *)p, x, true);
}

static pendulum_def full_def(void)
{
    pendulum_def def = driven_def(true);
    def.stiffness = 7.0;
    def.bodies = 3;
    return def;
}

/* tangent(T(x) dxi) = dxi */
static void test_tangent_inverts_rates(void **state)
{
    swing *s = *state;
    pendulum_def def = full_def();
    phx_dae *dae = &s->p.dae;
    pendulum_init(&s->p, s->context, &def);
    unsigned seed = 1;
    double x_dot[MOST_X], back[MOST_V];
    random_state(&s->p, &seed, s->x, s->v, s->lambda);
    dae->ops->rates(dae, s->x, s->v, x_dot);
    dae->ops->tangent(dae, s->x, x_dot, back);
    CHECK_SMALL(distance(dae->n_v, back, s->v), 4e-15, "tangent of the rates");
}

/* Columns of D, K, G against central differences of the residual */
static void test_linearisation(void **state)
{
    swing *s = *state;
    pendulum_def def = full_def();
    phx_dae *dae = &s->p.dae;
    pendulum_init(&s->p, s->context, &def);
    unsigned seed = 2;
    const double d = 1e-6, t = 0.3, none[MOST_V] = {0};
    random_state(&s->p, &seed, s->x, s->v, s->lambda);
    assert_int_equal(dae->ops->linearise(dae, t, s->x, s->v, s->lambda), PHX_OK);
    for (int j = 0; j < dae->n_v; j++) {
        double unit[MOST_V] = {0}, x_dot[MOST_X], side[2][2][MOST], column[MOST] = {0};
        unit[j] = 1.0;
        dae->ops->rates(dae, s->x, unit, x_dot);
        for (int k = 0; k < 2; k++) {
            double x[MOST_X], v[MOST_V], step = k == 0 ? -d : d;
            for (int i = 0; i < dae->n_x; i++)
                x[i] = s->x[i] + step * x_dot[i];
            for (int i = 0; i < dae->n_v; i++)
                v[i] = s->v[i] + step * unit[i];
            dae->ops->residual(dae, t, x, s->v, none, s->lambda, side[0][k]);
            dae->ops->residual(dae, t, s->x, v, none, s->lambda, side[1][k]);
        }
        dae->ops->stiffness_apply(dae, unit, column);
        for (int i = 0; i < dae->n_v + dae->n_l; i++) {
            double by_x = (side[0][1][i] - side[0][0][i]) / (2.0 * d);
            double by_v = (side[1][1][i] - side[1][0][i]) / (2.0 * d);
            double D = i < dae->n_v ? s->p.D[i][j] : s->p.G[i - dae->n_v][j];
            CHECK_SMALL(column[i] - by_x, 2e-8, "K, row %d, column %d", i, j);
            CHECK_SMALL(D - by_v, 2e-8, "D or G, row %d, column %d", i, j);
        }
    }
}

/* residual(v_dot, lambda of accelerations) = 0, and G v_dot balances: residual rows vanish along the motion */
static void test_accelerations(void **state)
{
    swing *s = *state;
    pendulum_def def = full_def();
    swing_start(s, &def);
    phx_dae *dae = &s->p.dae;
    const double d = 1e-6;
    double v_dot[MOST_V], lambda[MOST_L], x_dot[MOST_X], res[MOST], x[MOST_X], v[MOST_V];
    assert_int_equal(dae->ops->accelerations(dae, 0.0, s->x, s->v, v_dot, lambda), PHX_OK);
    dae->ops->residual(dae, 0.0, s->x, s->v, v_dot, lambda, res);
    for (int i = 0; i < dae->n_v + dae->n_l; i++)
        CHECK_SMALL(res[i], 1e-13, "residual, row %d", i);
    dae->ops->rates(dae, s->x, s->v, x_dot);
    for (int i = 0; i < dae->n_x; i++)
        x[i] = s->x[i] + d * x_dot[i];
    for (int i = 0; i < dae->n_v; i++)
        v[i] = s->v[i] + d * v_dot[i];
    dae->ops->residual(dae, d, x, v, v_dot, lambda, res);
    for (int i = 0; i < dae->n_l; i++)
        CHECK_SMALL(res[dae->n_v + i], 1e-10, "joint velocity a moment later, row %d", i);
}

/* The interval's energy: whatever v1 and lambda are, E1 - E0 = supplied - dissipated + h (res . (v_mean, lambda)) */
static void test_interval_balance(void **state)
{
    swing *s = *state;
    pendulum_def def = full_def();
    swing_start(s, &def);
    phx_dae *dae = &s->p.dae;
    const double h = 0.05;
    double x1[MOST_X], v1[MOST_V], x[MOST_X], lambda[MOST_L], res[MOST], defect = 0.0;
    unsigned seed = 3;
    phx_work work;
    random_state(&s->p, &seed, x, v1, lambda);
    assert_int_equal(dae->ops->interval_begin(dae, 0.2, h, s->x, s->v), PHX_OK);
    assert_int_equal(dae->ops->interval_residual(dae, v1, lambda, x1, res), PHX_OK);
    assert_int_equal(dae->ops->interval_work(dae, &work), PHX_OK);
    for (int i = 0; i < dae->n_v; i++)
        defect += h * res[i] * 0.5 * (s->v[i] + v1[i]);
    for (int i = 0; i < dae->n_l; i++)
        defect += h * res[dae->n_v + i] * lambda[i];
    double change = pendulum_energy(&s->p, x1, v1) - pendulum_energy(&s->p, s->x, s->v);
    CHECK_SMALL(change - (work.supplied - work.dissipated + defect), 1e-13, "balance of an interval");
}

/* Velocities on the joints, and energy as the drive's work says */
static void test_projection(void **state)
{
    swing *s = *state;
    pendulum_def def = full_def();
    swing_start(s, &def);
    phx_dae *dae = &s->p.dae;
    double gap, rate, before, v[MOST_V];
    phx_work work = {0};
    for (int i = 0; i < dae->n_v; i++)
        s->v[i] += 1e-3 * (i % 3 - 1);
    memcpy(v, s->v, sizeof v);
    before = pendulum_kinetic(&s->p, s->v);
    assert_int_equal(dae->ops->project(dae, 0.0, 0.01, true, true, s->x, s->v, s->lambda, &work), PHX_OK);
    dae->ops->drift(dae, 0.0, s->x, s->v, &gap, &rate);
    CHECK_SMALL(rate, 1e-14, "joint velocities after the projection");
    CHECK_SMALL(pendulum_kinetic(&s->p, s->v) - before - work.supplied, 1e-14, "energy of the projection");
    assert_true(distance(dae->n_v, v, s->v) > 1e-4);
    /* too much: rejected, and nothing changed */
    for (int i = 0; i < dae->n_v; i++)
        s->v[i] += i % 2 ? 3.0 : -3.0;
    memcpy(v, s->v, sizeof v);
    assert_int_equal(dae->ops->project(dae, 0.0, 0.01, true, true, s->x, s->v, s->lambda, &work), PHX_REJECTED);
    CHECK_SMALL(distance(dae->n_v, v, s->v), 0.0, "velocities of a rejected projection");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangent_inverts_rates),
        cmocka_unit_test(test_linearisation),
        cmocka_unit_test(test_accelerations),
        cmocka_unit_test(test_interval_balance),
        cmocka_unit_test(test_projection),
    };
    return cmocka_run_group_tests(tests, setup_swing, teardown_swing);
}
