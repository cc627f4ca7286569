/* Momenta, mass matrix and energies agree; inertial momenta change only by what acts from outside. */
#include "support.h"

static const int side[4] = {-2, -1, 1, 2};
static const double weight[4] = {1.0, -8.0, 8.0, -1.0};

static void test_mass_matrix(void **state)
{
    uint64_t seed = 61;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(*state, &body_kinds[k], &it);
        for (int n = 0; n < 20; n++) {
            double x[MAX_X], v[MAX_V], p[MAX_V], want[MAX_V], M[MAX_V * MAX_V];
            random_configuration(&seed, &it, x);
            random_velocity(&seed, &it, v);
            phx_body_momenta(it.body, x, v, p);
            phx_body_mass_matrix(it.body, x, M);
            for (int i = 0; i < it.n_v; i++) {
                want[i] = dot_product(it.n_v, M + i * it.n_v, v);
                for (int j = 0; j < i; j++)
                    assert_true(M[i * it.n_v + j] == M[j * it.n_v + i]);
            }
            const double twice = dot_product(it.n_v, v, p);
            CHECK_VECTOR(it.n_v, p, want, 1e-14, "%s: p = M nu", it.name);
            CHECK_CLOSE(phx_body_kinetic(it.body, x, v), 0.5 * twice, 1e-14 * (1.0 + twice), "%s: kinetic energy",
                        it.name);
            CHECK_STATUS(*state, phx_dense_cholesky(*state, it.n_v, M), PHX_OK);
        }
        subject_destroy(&it);
    }
}

/* x_dot = T(x) nu against the move along nu. */
static void test_rates(void **state)
{
    uint64_t seed = 62;
    for (int k = 0; k < n_body_kinds; k++) {
        const double step = 1e-2;
        subject it;
        double x[MAX_X], v[MAX_V], got[MAX_X], want[MAX_X] = {0}, x1[MAX_X];
        subject_create(*state, &body_kinds[k], &it);
        random_configuration(&seed, &it, x);
        random_velocity(&seed, &it, v);
        phx_body_rates(it.body, x, v, got);
        for (int s = 0; s < 4; s++) {
            displaced(&it, x, step * side[s], v, x1);
            for (int i = 0; i < it.n_x; i++)
                want[i] += weight[s] / (12.0 * step) * x1[i];
        }
        CHECK_VECTOR(it.n_x, got, want, 1e-8, "%s: x_dot", it.name);
        subject_destroy(&it);
    }
}

/* Linear and angular momentum and the first moment, in a row. */
static void totals(const subject *it, const double *x, const double *v, double *out)
{
    phx_body_inertial_momentum(it->body, x, v, out, out + 3);
    phx_body_moment(it->body, x, out + 6);
}

/* Under gravity and a force F at an end: P' = m g + F, L' = moment x g + u x F, and moment' = P. */
static void check_balance(phx_context *context, const subject *it, const phx_body_port *port, uint64_t *seed)
{
    const double step = 1e-3 / (1.0 + it->n_q);
    const int d = it->dim;
    double x[MAX_X], v[MAX_V], v_dot[MAX_V], force[MAX_V] = {0}, effort[PHX_PORT_MAX] = {0};
    double rate[9] = {0}, now[9] = {0}, out[9] = {0}, want[9] = {0}, arm[3], moment[3];
    phx_port_view at;

    random_configuration(seed, it, x);
    random_velocity(seed, it, v);
    random_vector(seed, d, 1.0, effort);
    const phx_body_view view = instant(x, v);
    phx_body_port_apply(it->body, port, &view, 1.0, effort, force);
    phx_body_port_view(it->body, port, &view, &at);
    accelerations(context, it, test_gravity, x, v, force, v_dot);
    for (int s = 0; s < 4; s++) {
        double x1[MAX_X], v1[MAX_V];
        displaced(it, x, step * side[s], v, x1);
        for (int i = 0; i < it->n_v; i++)
            v1[i] = v[i] + step * side[s] * v_dot[i];
        totals(it, x1, v1, out);
        for (int i = 0; i < 9; i++)
            rate[i] += weight[s] / (12.0 * step) * out[i];
    }
    totals(it, x, v, now);
    for (int a = 0; a < d; a++) {
        want[a] = phx_body_flex(it->body)->mass * test_gravity[a] + effort[a];
        want[6 + a] = now[a];
    }
    phx_vec_x_vec(d, now + 6, test_gravity, moment);
    phx_vec_x_vec(d, at.um, effort, arm);
    for (int k = 0; k < it->n_rot; k++)
        want[3 + k] = moment[k] + arm[k];
    /* light coordinates accelerate much and cancel in the sum */
    CHECK_VECTOR(9, rate, want, 1e-9 + 1e-12 * max_abs(it->n_v, v_dot), "%s: momentum balance", it->name);
}

static void test_balance(void **state)
{
    uint64_t seed = 63;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        phx_body_port port;
        subject_create(*state, &body_kinds[k], &it);
        subject_port(*state, &it, 1.0, &port);
        for (int n = 0; n < 10 && it.kinetics == PHX_KINETICS_FULL; n++)
            check_balance(*state, &it, &port, &seed);
        phx_body_port_free(&port);
        subject_destroy(&it);
    }
}

/* sigma = M2^-1 D q; stiffening adds EA times the mean of 1/2 |slope|^2 to the axial forces only, by a quadrature of
 * the slopes of phx_beam_point. */
static void test_stress(void **state)
{
    const double root = sqrt(0.6), xi[3] = {0.5 - 0.5 * root, 0.5, 0.5 + 0.5 * root};
    const double gauss[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    uint64_t seed = 64;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        double x[MAX_X], got[MAX_STRESS], want[MAX_STRESS] = {0};
        if (!body_kinds[k].stiffening || body_kinds[k].order == 5 || body_kinds[k].modal_data)
            continue;
        subject_create(*state, &body_kinds[k], &it);
        const phx_flex *flex = phx_body_flex(it.body);
        const int elements = it.beam_def.elements;
        random_configuration(&seed, &it, x);
        phx_csr_apply(&flex->stress, 1.0, x + at_q(&it), want);
        for (int e = 0; e < elements; e++) {
            for (int g = 0; g < 3; g++) {
                phx_body_port port;
                phx_port_view at;
                const double still[MAX_V] = {0};
                const phx_body_view view = instant(x, still);
                subject_port(*state, &it, (e + xi[g]) / elements, &port);
                phx_body_port_view(it.body, &port, &view, &at);
                for (int j = it.dim == 2 ? 0 : 1; j < it.n_rot; j++)
                    want[e] += 0.5 * it.beam_def.axial_stiffness * gauss[g] * at.theta1[j] * at.theta1[j];
                phx_body_port_free(&port);
            }
        }
        phx_body_stress(it.body, x, got);
        CHECK_VECTOR(flex->n_stress, got, want, 1e-13, "%s: stresses", it.name);
        subject_destroy(&it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mass_matrix), cmocka_unit_test(test_rates),
                                       cmocka_unit_test(test_balance), cmocka_unit_test(test_stress)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
