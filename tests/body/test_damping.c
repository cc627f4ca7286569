/* Damping: Rayleigh's stiffness part is a resistor on the stress, modal damping gives every mode its ratio. */
#include "support.h"

/* Friction of a velocity q_dot: the part of the residual odd in it, at rest otherwise. */
static void friction(const subject *it, const double *q_dot, double *force)
{
    double x[MAX_X] = {0}, plus[MAX_V] = {0}, minus[MAX_V] = {0}, a[MAX_V], b[MAX_V];
    const double still[MAX_V] = {0}, attitude[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, none[3] = {0};

    phx_attitude_set(it->dim, attitude, 0.0, x + it->dim);
    for (int i = 0; i < it->n_q; i++) {
        plus[it->n_rigid + i] = q_dot[i];
        minus[it->n_rigid + i] = -q_dot[i];
    }
    phx_body_residual(it->body, none, x, plus, still, a);
    phx_body_residual(it->body, none, x, minus, still, b);
    for (int i = 0; i < it->n_v; i++)
        force[i] = 0.5 * (a[i] - b[i]);
}

static void flex_apply(const phx_flex *flex, const double *matrix, const double *x, double *y)
{
    for (int i = 0; i < flex->n; i++) {
        y[i] = 0.0;
        for (int k = flex->ptr[i]; k < flex->ptr[i + 1]; k++)
            y[i] += matrix[k] * x[flex->idx[k]];
    }
}

/* R = alpha M + beta K; the beta part dissipates beta sigma_dot^T M2 sigma_dot = beta |L2^-1 D q_dot|^2, and its force
 * is D^T (beta sigma_dot), sigma_dot = M2^-1 D q_dot the rate of the (linear) stress. */
static void test_rayleigh(void **state)
{
    uint64_t seed = 51;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        const double alpha = body_kinds[k].damping_mass, beta = body_kinds[k].damping_stiffness;
        subject_create(*state, &body_kinds[k], &it);
        const phx_flex *flex = phx_body_flex(it.body);
        for (int n = 0; n < 20 && beta > 0.0; n++) {
            double v[MAX_V] = {0}, *q_dot = v + it.n_rigid, force[MAX_V], M[MAX_V], K[MAX_V], want[MAX_V] = {0};
            double root_rate[MAX_STRESS] = {0};
            random_velocity(&seed, &it, v);
            friction(&it, q_dot, force);
            flex_apply(flex, flex->M, q_dot, M);
            flex_apply(flex, flex->K, q_dot, K);
            for (int i = 0; i < it.n_q; i++)
                want[it.n_rigid + i] = alpha * M[i] + beta * K[i];
            CHECK_VECTOR(it.n_v, force, want, 1e-13, "%s: friction", it.name);
            phx_csr_apply(&flex->root, 1.0, q_dot, root_rate);
            const double power = phx_body_dissipation(it.body, v);
            const double resistor = beta * dot_product(flex->n_stress, root_rate, root_rate);
            assert_true(power > 0.0);
            CHECK_CLOSE(power, alpha * dot_product(it.n_q, q_dot, M) + resistor, 1e-12 * power, "%s: power", it.name);
            CHECK_CLOSE(power, dot_product(it.n_v, v, force), 1e-12 * power, "%s: power of friction", it.name);
        }
        subject_destroy(&it);
    }
}

/* (M, R, K): every mode of (M, K) decays with the ratio asked for, R phi = 2 zeta omega M phi. */
static void test_modal(void **state)
{
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        double M[MAX_V * MAX_V] = {0}, K[MAX_V * MAX_V] = {0}, modes[MAX_V * MAX_V], lambda[MAX_V];
        const double zeta = body_kinds[k].damping_modal;
        subject_create(*state, &body_kinds[k], &it);
        const phx_flex *flex = phx_body_flex(it.body);
        const int n = it.n_q;
        for (int i = 0; i < n; i++) {
            for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
                M[i * n + flex->idx[e]] = flex->M[e];
                K[i * n + flex->idx[e]] = flex->K[e];
            }
        }
        if (zeta > 0.0)
            CHECK_STATUS(*state, phx_dense_eigen_symmetric(*state, n, K, M, lambda, modes), PHX_OK);
        for (int m = 0; m < n && zeta > 0.0; m++) {
            double phi[MAX_V], force[MAX_V], M_phi[MAX_V], got[MAX_V], want[MAX_V] = {0};
            for (int i = 0; i < n; i++)
                phi[i] = modes[i * n + m];
            friction(&it, phi, force);
            flex_apply(flex, flex->M, phi, M_phi);
            const double factor = 2.0 * zeta * sqrt(lambda[m]);
            for (int i = 0; i < it.n_v; i++) {
                got[i] = force[i] / factor;
                want[i] = i < it.n_rigid ? 0.0 : M_phi[i - it.n_rigid];
            }
            CHECK_VECTOR(it.n_v, got, want, 1e-9, "%s: mode %d, omega %g", it.name, m, sqrt(lambda[m]));
        }
        subject_destroy(&it);
    }
}

/* Without damping there is none; is_lossless says what is so. */
static void test_lossless(void **state)
{
    uint64_t seed = 52;
    for (int k = 0; k < n_body_kinds; k++) {
        const body_kind *kind = &body_kinds[k];
        const bool damped = kind->damping_mass + kind->damping_stiffness + kind->damping_modal > 0.0;
        subject it;
        double v[MAX_V];
        subject_create(*state, kind, &it);
        random_velocity(&seed, &it, v);
        assert_true((phx_body_dissipation(it.body, v) > 0.0) == damped);
        assert_true(phx_body_is_lossless(it.body) == (!damped && kind->kinetics == PHX_KINETICS_FULL));
        subject_destroy(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rayleigh), cmocka_unit_test(test_modal),
                                       cmocka_unit_test(test_lossless)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
