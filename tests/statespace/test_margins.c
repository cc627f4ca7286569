/* Margins of loops against their formulas, and sampled systems: exact holds, delays, stable parts. */
#include "statespace/statespace.h"
#include "support.h"

#include <complex.h>

static const double PI = 3.14159265358979323846;

static phx_ss *single(phx_context *context, int n, const double *A, const double *B, const double *C, double D)
{
    const phx_ss_def def = {.n = n, .n_inputs = 1, .n_outputs = 1, .A = A, .B = B, .C = C, .D = &D};
    phx_ss *ss = NULL;
    CHECK_OK(context, phx_ss_create(context, &def, &ss));
    return ss;
}

/* k/(s (s + 1)^2): the phase is -180 degrees at 1 rad/s, where |L| = k/2; the loop is stable up to k = 2. */
static void gain_margin_of_three_poles(void **state)
{
    phx_context *context = *state;
    const double A[] = {0, 1, 0, 0, 0, 1, 0, -1, -2}, B[] = {0, 0, 1}, gains[] = {0.1, 0.5, 1.9, 2.5};

    for (int i = 0; i < 4; i++) {
        const double C[] = {gains[i], 0, 0};
        phx_ss *loop = single(context, 3, A, B, C, 0.0);
        phx_margins m;
        CHECK_OK(context, phx_ss_margins(context, loop, 0.0, &m));
        assert_int_equal(m.stable, gains[i] < 2.0);
        assert_int_equal(m.n_gain, 1);
        CHECK_RELATIVE(m.gain[0], 2.0 / gains[i], 1e-12, "gain margin of k = %g", gains[i]);
        CHECK_RELATIVE(m.gain_omega[0], 1.0, 1e-12, "where");
        CHECK_CLOSE(gains[i] < 2.0 ? m.gain_up : m.gain_down, 2.0 / gains[i], 1e-12, "it is the least or the largest");
        assert_int_equal(m.n_phase, 1);
        const double w = m.phase_omega[0];
        CHECK_RELATIVE(w * (1.0 + w * w), gains[i], 1e-12, "|L| = 1");
        CHECK_CLOSE(m.phase[0], 0.5 * PI - 2.0 * atan(w), 1e-12, "phase margin");
        if (m.stable)
            CHECK_RELATIVE(m.delay_least, m.phase[0] / w, 1e-12, "delay margin");
        phx_margins_free(&m);
        phx_ss_destroy(loop);
    }
}

/* (d s + k)/s^2, a spring and a damper on a mass: w^4 = d^2 w^2 + k^2. Peaks of second-order systems. */
static void margins_of_a_spring_and_damper(void **state)
{
    phx_context *context = *state;
    const double k = 25.0, d = 6.0, A[] = {0, 1, 0, 0}, B[] = {0, 1}, C[] = {25, 6};
    phx_ss *loop = single(context, 2, A, B, C, 0.0);
    phx_margins m;

    CHECK_OK(context, phx_ss_margins(context, loop, 0.0, &m));
    const double w = sqrt(0.5 * (d * d + sqrt(d * d * d * d + 4.0 * k * k)));
    assert_true(m.stable);
    assert_int_equal(m.n_gain, 0);
    CHECK_RELATIVE(m.phase_least_omega, w, 1e-12, "crossover");
    CHECK_RELATIVE(m.phase_least, atan2(d * w, k), 1e-12, "phase margin");
    CHECK_RELATIVE(m.delay_least, atan2(d * w, k) / w, 1e-12, "delay margin");
    /* |S|^2 = x^2/((k - x)^2 + d^2 x), x = w^2, is largest at x = 2 k^2/(2 k - d^2) */
    const double x = 2.0 * k * k / (2.0 * k - d * d);
    CHECK_RELATIVE(m.sensitivity, x / sqrt((k - x) * (k - x) + d * d * x), 1e-12, "peak of the sensitivity");
    CHECK_RELATIVE(m.sensitivity_omega, sqrt(x), 1e-6, "where");
    phx_margins_free(&m);
    phx_ss_destroy(loop);
}

/* Rigid body and a mode of damping 1e-6 under a damper: the resonance crosses |L| = 1 twice, a millionth apart. */
static void a_narrow_resonance_is_found(void **state)
{
    phx_context *context = *state;
    const double w = 7.0, zeta = 1e-6, gain = 0.9;
    const double A[] = {0, 0, 0, 0, 0, 1, 0, -w * w, -2.0 * zeta * w}, B[] = {1, 0, 1}, C[] = {gain, 0, 0.001 * gain};
    phx_ss *loop = single(context, 3, A, B, C, 0.0);
    phx_margins m;

    CHECK_OK(context, phx_ss_margins(context, loop, 0.0, &m));
    assert_true(m.stable);
    assert_int_equal(m.n_phase, 3);
    for (int i = 0; i < 3; i++) {
        const double complex s = I * m.phase_omega[i];
        const double complex L = gain / s + 0.001 * gain * s / (s * s + 2.0 * zeta * w * s + w * w);
        CHECK_CLOSE(cabs(L), 1.0, 1e-9, "|L| at crossing %d", i);
        CHECK_CLOSE(carg(-L), m.phase[i], 1e-9, "its phase");
    }
    CHECK_BETWEEN(m.phase_omega[1], 6.9, 7.0, "below the resonance");
    CHECK_BETWEEN(m.phase_omega[2], 7.0, 7.1, "above it");
    phx_margins_free(&m);
    phx_ss_destroy(loop);
}

/* Free motions that the loop does not see change nothing. */
static void what_the_loop_does_not_see_is_left_out(void **state)
{
    phx_context *context = *state;
    const double A[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, B[] = {0, 1, 0, 0}, C[] = {25, 6, 0, 0};
    phx_ss *loop = single(context, 4, A, B, C, 0.0);
    phx_margins m;

    CHECK_OK(context, phx_ss_margins(context, loop, 0.0, &m));
    assert_true(m.stable);
    CHECK_RELATIVE(m.phase_least_omega, sqrt(0.5 * (36.0 + sqrt(36.0 * 36.0 + 2500.0))), 1e-12, "crossover");
    phx_margins_free(&m);
    phx_ss_destroy(loop);
}

/* k/(z - 1): real and negative at half the samples, L(-1) = -k/2; |L| = 1 where 2 sin(w T/2) = k. */
static void margins_of_a_sampled_integrator(void **state)
{
    phx_context *context = *state;
    const double A[] = {1}, B[] = {1}, C[] = {0.7}, T = 0.02;
    phx_ss *loop = single(context, 1, A, B, C, 0.0);
    phx_margins m;

    CHECK_OK(context, phx_ss_margins(context, loop, T, &m));
    assert_true(m.stable);
    CHECK_RELATIVE(m.gain_up, 2.0 / 0.7, 1e-12, "gain margin");
    CHECK_RELATIVE(m.gain_up_omega, PI / T, 1e-12, "at half the samples");
    const double w = 2.0 / T * asin(0.35);
    CHECK_RELATIVE(m.phase_least_omega, w, 1e-11, "crossover");
    CHECK_RELATIVE(m.phase_least, 0.5 * PI - 0.5 * w * T, 1e-11, "phase margin");
    phx_margins_free(&m);
    phx_ss_destroy(loop);
    const double unstable[] = {2.1};
    loop = single(context, 1, A, B, unstable, 0.0);
    CHECK_OK(context, phx_ss_margins(context, loop, T, &m));
    assert_false(m.stable);
    phx_margins_free(&m);
    phx_ss_destroy(loop);
}

static void loops_without_margins_are_refused(void **state)
{
    phx_context *context = *state;
    const double two[] = {0, 0, 0, 0};
    const phx_ss_def def = {.n_inputs = 2, .n_outputs = 2, .D = two};
    phx_ss *loop = NULL;
    phx_margins m;

    CHECK_OK(context, phx_ss_create(context, &def, &loop));
    CHECK_STATUS(context, phx_ss_margins(context, loop, 0.0, &m), PHX_ERR_ARGUMENT);
    phx_ss_destroy(loop);
    loop = single(context, 0, NULL, NULL, NULL, -1.0);
    CHECK_STATUS(context, phx_ss_margins(context, loop, 0.0, &m), PHX_SINGULAR);
    phx_ss_destroy(loop);
}

/* ---- sampled systems ---- */
/* w^2/(s^2 + w^2) held: the states turn by w T, and rest where the input has them. A delay is z^-n. */
static void holds_are_exact(void **state)
{
    phx_context *context = *state;
    const double w = 3.0, T = 0.4, A[] = {0, 1, -w * w, 0}, B[] = {0, w * w}, C[] = {1, 0}, omega = 2.3;
    phx_ss *ss = single(context, 2, A, B, C, 0.5), *held = NULL, *late = NULL;
    double prompt[2], delayed[2];

    CHECK_OK(context, phx_ss_hold(context, ss, T, 0, &held));
    const double *a = phx_ss_A(held), *b = phx_ss_B(held);
    CHECK_CLOSE(a[0], cos(w * T), 1e-14, "A");
    CHECK_CLOSE(a[1], sin(w * T) / w, 1e-14, "A");
    CHECK_CLOSE(a[2], -w * sin(w * T), 1e-14, "A");
    CHECK_CLOSE(b[0], 1.0 - cos(w * T), 1e-14, "B");
    CHECK_CLOSE(b[1], w * sin(w * T), 1e-14, "B");
    CHECK_OK(context, phx_ss_hold(context, ss, T, 3, &late));
    assert_int_equal(phx_ss_n(late), 5);
    CHECK_OK(context, phx_ss_responses_sampled(context, held, T, 1, &omega, prompt));
    CHECK_OK(context, phx_ss_responses_sampled(context, late, T, 1, &omega, delayed));
    const double complex H = (prompt[0] + I * prompt[1]) * cexp(-3.0 * I * omega * T);
    CHECK_CLOSE(delayed[0], creal(H), 1e-13, "late by three samples");
    CHECK_CLOSE(delayed[1], cimag(H), 1e-13, "late by three samples");
    double re[5], im[5], size[5], damping[5];
    CHECK_OK(context, phx_ss_sampled_poles(context, late, T, re, im, size, damping));
    CHECK_CLOSE(size[0], w, 1e-12, "the frequency of the continuous system");
    CHECK_SMALL(damping[0], 1e-13, "and its damping");
    assert_true(isinf(size[4]) && re[4] < 0.0);
    phx_ss_destroy(held);
    CHECK_STATUS(context, phx_ss_hold(context, ss, 0.0, 0, &held), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_ss_hold(context, ss, T, -1, &held), PHX_ERR_ARGUMENT);
    assert_null(held);
    phx_ss_destroy(ss);
    phx_ss_destroy(late);
}

/* 1/s^2 + 1/(s^2 + 0.2 s + 4) in mixed coordinates: the second term stays. */
static void the_stable_part_is_one_of_two_terms(void **state)
{
    phx_context *context = *state;
    const double A[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, -4, -0.2}, B[] = {0, 1, 0, 1}, C[] = {1, 0, 1, 0};
    const double mix[] = {1, 0.3, 0, 0.2, 0, 1, 0.5, 0, 0, 0, 1, 0.4, 0, 0, 0, 1}, omega = 1.7;
    double back[16], AM[16], A_m[16], B_m[4], C_m[4], response[2];
    phx_ss *ss, *stable = NULL;

    memcpy(back, mix, sizeof back);
    CHECK_OK(context, phx_dense_inverse(context, 4, back));
    phx_dense_multiply(false, false, 4, 4, 4, 1.0, A, 4, mix, 4, 0.0, AM, 4);
    phx_dense_multiply(false, false, 4, 4, 4, 1.0, back, 4, AM, 4, 0.0, A_m, 4);
    phx_dense_multiply(false, false, 4, 1, 4, 1.0, back, 4, B, 1, 0.0, B_m, 1);
    phx_dense_multiply(false, false, 1, 4, 4, 1.0, C, 4, mix, 4, 0.0, C_m, 4);
    ss = single(context, 4, A_m, B_m, C_m, 0.25);
    CHECK_OK(context, phx_ss_stable_part(context, ss, 0.0, &stable));
    assert_int_equal(phx_ss_n(stable), 2);
    CHECK_OK(context, phx_ss_responses(context, stable, 1, &omega, response));
    const double complex s = I * omega, H = 0.25 + 1.0 / (s * s + 0.2 * s + 4.0);
    CHECK_CLOSE(response[0], creal(H), 1e-7, "the term that stays");
    CHECK_CLOSE(response[1], cimag(H), 1e-7, "the term that stays");
    phx_ss_destroy(ss);
    phx_ss_destroy(stable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gain_margin_of_three_poles, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(margins_of_a_spring_and_damper, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_narrow_resonance_is_found, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_the_loop_does_not_see_is_left_out, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(margins_of_a_sampled_integrator, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(loops_without_margins_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(holds_are_exact, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_stable_part_is_one_of_two_terms, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
