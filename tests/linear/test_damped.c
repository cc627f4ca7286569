/* Damping, instabilities, rigid-body modes beside springs and gravity, follower and gyroscopic forces. */
#include "mechanism.h"

/* n unit masses; springs and dampers are put by the caller */
static void masses(mechanism *mech, phx_context *context, int n, double mass)
{
    mechanism_begin(mech, context);
    mech->n = n;
    for (int i = 0; i < n; i++)
        put(&mech->M, i, i, mass);
}

/* between coordinates i and j; j < 0: to ground */
static void spring(mechanism *mech, int i, int j, double stiffness)
{
    put(&mech->root, mech->roots, i, sqrt(stiffness));
    if (j >= 0)
        put(&mech->root, mech->roots, j, -sqrt(stiffness));
    mech->roots++;
}

static void damper(mechanism *mech, int i, int j, double damping)
{
    put(&mech->D, i, i, damping);
    if (j >= 0) {
        put(&mech->D, j, j, damping);
        put(&mech->D, i, j, -damping);
        put(&mech->D, j, i, -damping);
    }
}

static phx_modes_options all(void)
{
    phx_modes_options options = phx_modes_options_default();
    options.count = 0;
    return options;
}

static void test_chain_of_springs(void **state)
{
    phx_context *context = *state;
    enum { N = 40 };
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    masses(&mech, context, N, 2.0);
    for (int i = 0; i <= N; i++)
        spring(&mech, i == N ? N - 1 : i, i == N ? -1 : i - 1, 300.0);
    mechanism_end(&mech, &linear);
    const phx_modes_options options = all();
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, N);
    for (int k = 1; k <= N; k++) {
        const double exact = 2.0 * sqrt(300.0 / 2.0) * sin(0.5 * k * TEST_PI / (N + 1));
        CHECK_RELATIVE(set.omega[k - 1], exact, 1e-13, "mode %d", k);
        CHECK_RELATIVE(set.frequency[k - 1], exact / (2.0 * TEST_PI), 1e-13, "frequency %d", k);
        assert_true(set.damping[k - 1] == 0.0);
        assert_true(set.re[k - 1] == 0.0 && set.im[k - 1] == set.omega[k - 1]);
    }
    CHECK_SMALL(mass_defect(&linear, &set), 1e-13, "modal mass");
    CHECK_SMALL(equation_defect(context, &linear, &set), 1e-11, "residual");
    phx_mode_set_free(&set);
    linear_free(&linear);
}

static void test_one_oscillator_for_all_dampings(void **state)
{
    phx_context *context = *state;
    static const double ratios[] = {1e-8, 0.01, 0.5, 0.99, 1.5, 40.0, -0.1};
    const double omega = 7.0;
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
        const double zeta = ratios[r];
        mechanism mech;
        phx_linear linear;
        phx_mode_set set;
        masses(&mech, context, 1, 1.0);
        spring(&mech, 0, -1, omega * omega);
        damper(&mech, 0, -1, 2.0 * zeta * omega);
        mechanism_end(&mech, &linear);
        const phx_modes_options options = all();
        solve(context, &linear, &options, &set);
        assert_int_equal(set.rigid, 0);
        if (fabs(zeta) < 1.0) {
            assert_int_equal(set.count, 1);
            CHECK_RELATIVE(set.omega[0], omega, 1e-14, "omega at zeta %g", zeta);
            CHECK_RELATIVE(set.damping[0], zeta, zeta == 1e-8 ? 1e-6 : 1e-13, "damping at zeta %g", zeta);
            CHECK_RELATIVE(set.im[0], omega * sqrt(1.0 - zeta * zeta), 1e-13, "damped pulsation at zeta %g", zeta);
        } else {
            const double fast = omega * (zeta + sqrt(zeta * zeta - 1.0));
            assert_int_equal(set.count, 2);
            CHECK_RELATIVE(set.omega[0], omega * omega / fast, 1e-12, "slow root at zeta %g", zeta);
            CHECK_RELATIVE(set.omega[1], fast, 1e-13, "fast root at zeta %g", zeta);
            assert_true(set.damping[0] == 1.0 && set.damping[1] == 1.0);
        }
        assert_int_equal(set.unstable, zeta < 0.0 ? 1 : 0);
        phx_mode_set_free(&set);
        linear_free(&linear);
    }
}

/* D = 2 zeta M Phi diag(omega) Phi^T M of the undamped modes: every mode has the ratio zeta and its undamped frequency.
 */
static void test_modal_damping_of_a_mechanism(void **state)
{
    phx_context *context = *state;
    const double zeta = 0.03;
    mechanism mech;
    phx_linear linear;
    phx_mode_set plain, set;
    mechanism_begin(&mech, context);
    four_bar(&mech, 0.7, 4, false);
    mechanism_end(&mech, &linear);
    const phx_modes_options options = all();
    solve(context, &linear, &options, &plain);
    assert_int_equal(plain.rigid, 1);
    assert_int_equal(plain.count, plain.freedom - 1);

    const size_t n = (size_t)linear.n;
    double *dense = calloc(n * n, sizeof *dense), *momentum = calloc(n, sizeof *momentum);
    assert_non_null(dense);
    assert_non_null(momentum);
    for (int k = 0; k < plain.count; k++) {
        memset(momentum, 0, n * sizeof *momentum);
        phx_csr_apply(&linear.M, 1.0, plain.shapes + (size_t)k * n, momentum);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                dense[i * n + j] += 2.0 * zeta * plain.omega[k] * momentum[i] * momentum[j];
    }
    phx_csr_free(&linear.D);
    assert_int_equal(phx_csr_from_dense(context, linear.n, linear.n, dense, 0.0, &linear.D), PHX_OK);
    linear.damped = true;
    solve(context, &linear, &options, &set);
    assert_int_equal(set.rigid, 1);
    assert_int_equal(set.count, plain.count);
    for (int k = 0; k < set.count; k++) {
        CHECK_RELATIVE(set.omega[k], plain.omega[k], 1e-10, "omega %d", k + 1);
        CHECK_RELATIVE(set.damping[k], zeta, 1e-9, "damping %d", k + 1);
    }
    CHECK_SMALL(closure(&linear, &set), 1e-12, "closure");
    free(dense);
    free(momentum);
    phx_mode_set_free(&plain);
    phx_mode_set_free(&set);
    linear_free(&linear);
}

/* Dampers at single places: complex shapes, and the equation of motion itself as the check. */
static void test_dampers_of_a_mechanism(void **state)
{
    phx_context *context = *state;
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    mechanism_begin(&mech, context);
    four_bar(&mech, 0.7, 4, false);
    damper(&mech, 2, -1, 0.05);               /* on the turning of the crank's frame, which is its rigid-body motion */
    damper(&mech, mech.n - 2, -1, 3.0);       /* across the end of the follower's deformation */
    damper(&mech, 15 + 2, 2 * 15 + 2, 0.002); /* between two frames */
    mechanism_end(&mech, &linear);
    const phx_modes_options options = phx_modes_options_default();
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, 6);
    assert_non_null(set.shapes_imaginary);
    assert_int_equal(set.unstable, 0);
    assert_int_equal(set.rigid, 1);
    /* the mechanism can turn and stay where it is: one of its two zero roots became a real one */
    int real = 0;
    for (int k = 0; k < set.count; k++)
        real += set.im[k] == 0.0 && set.damping[k] == 1.0;
    assert_true(real >= 1);
    CHECK_SMALL(closure(&linear, &set), 1e-12, "closure");
    CHECK_SMALL(mass_defect(&linear, &set), 1e-12, "shape^H M shape");
    CHECK_SMALL(equation_defect(context, &linear, &set), 1e-6, "residual of the quadratic problem");
    phx_mode_set_free(&set);
    linear_free(&linear);
}

/* Stiffness-proportional damping of a fine mesh: D reaches 1e9 1/s and must not spoil the low modes. */
static void test_stiffness_damping_of_a_fine_mesh(void **state)
{
    phx_context *context = *state;
    const beam b = {.length = 1.0, .mass_per_length = 0.2714, .axial = 7.1e6, .bending = 59.17, .elements = 48};
    const double beta = 1e-5;
    mechanism mech;
    phx_linear linear;
    phx_mode_set plain, set;
    mechanism_begin(&mech, context);
    mechanism_add_beam(&mech, &b);
    for (int k = 0; k < 3; k++)
        constrain(&mech, new_row(&mech), &b, 0, 0, (beam_rate)k, 0.0, 1.0);
    mechanism_end(&mech, &linear);
    const phx_modes_options options = phx_modes_options_default();
    solve(context, &linear, &options, &plain);
    phx_csr_free(&linear.D);
    assert_int_equal(phx_csr_add(context, beta, &linear.K, 0.0, &linear.K, &linear.D), PHX_OK);
    linear.damped = true;
    solve(context, &linear, &options, &set);
    for (int k = 0; k < set.count; k++) {
        /* lambda^2 + beta omega^2 lambda + omega^2 = 0 */
        CHECK_RELATIVE(set.omega[k], plain.omega[k], 1e-10, "omega %d", k + 1);
        CHECK_RELATIVE(set.damping[k], 0.5 * beta * plain.omega[k], 1e-7, "damping %d", k + 1);
    }
    phx_mode_set_free(&plain);
    phx_mode_set_free(&set);
    linear_free(&linear);
}

static void test_critical_damping_is_found(void **state)
{
    phx_context *context = *state;
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    masses(&mech, context, 1, 1.0);
    spring(&mech, 0, -1, 4.0);
    damper(&mech, 0, -1, 4.0);
    mechanism_end(&mech, &linear);
    const phx_modes_options options = all();
    solve(context, &linear, &options, &set);
    assert_true(set.count == 1 || set.count == 2); /* a double root falls apart by sqrt(eps) one way or the other */
    for (int k = 0; k < set.count; k++) {
        CHECK_RELATIVE(set.omega[k], 2.0, 1e-7, "double root");
        CHECK_RELATIVE(set.damping[k], 1.0, 1e-7, "its damping");
    }
    phx_mode_set_free(&set);
    linear_free(&linear);
}

/* Two free masses, one of them damped to ground: the roots 0 and -c-like, and an oscillation. */
static void test_rigid_body_mode_with_a_damper_to_ground(void **state)
{
    phx_context *context = *state;
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    masses(&mech, context, 2, 1.0);
    spring(&mech, 0, 1, 50.0);
    damper(&mech, 0, -1, 0.4);
    mechanism_end(&mech, &linear);
    const phx_modes_options options = all();
    solve(context, &linear, &options, &set);
    assert_int_equal(set.rigid, 1);
    assert_int_equal(set.count, 2);
    /* det: lambda (lambda^3 + c lambda^2 + 2k lambda + ck) */
    for (int k = 0; k < 2; k++) {
        const double a = set.re[k], b = set.im[k], c = 0.4, s = 50.0;
        const double re = a * a * a - 3.0 * a * b * b + c * (a * a - b * b) + 2.0 * s * a + c * s;
        const double im = 3.0 * a * a * b - b * b * b + 2.0 * c * a * b + 2.0 * s * b;
        CHECK_SMALL(re, 1e-11, "characteristic polynomial, mode %d", k + 1);
        CHECK_SMALL(im, 1e-11, "characteristic polynomial, mode %d", k + 1);
    }
    assert_true(set.im[0] == 0.0 && set.damping[0] == 1.0);
    phx_mode_set_free(&set);
    linear_free(&linear);
}

/* A pendulum with an elastic rod of very high frequency: gravity is the rest of K. Its frequency is no rigid-body mode
 * and keeps its digits although the highest one is 1e8 times larger. */
static void test_pendulum_on_stiff_elements(void **state)
{
    phx_context *context = *state;
    const beam b = {.length = 1.0, .mass_per_length = 1.0, .axial = 1e13, .bending = 1e9, .elements = 8};
    const double g = 9.81;
    for (int upright = 0; upright < 2; upright++) {
        const double sign = upright ? -1.0 : 1.0;
        mechanism mech;
        phx_linear linear;
        phx_mode_set set;
        mechanism_begin(&mech, context);
        mechanism_add_beam(&mech, &b);
        put(&mech.rest, 2, 2, sign * 0.5 * g); /* m g L/2 on the frame's angle, the rod taken as rigid */
        for (int k = 0; k < 2; k++)
            constrain(&mech, new_row(&mech), &b, 0, 0, (beam_rate)k, 0.0, 1.0);
        mechanism_end(&mech, &linear);
        assert_false(linear.has_root);
        const phx_modes_options options = phx_modes_options_default();
        solve(context, &linear, &options, &set);
        assert_int_equal(set.rigid, 0);
        CHECK_RELATIVE(set.omega[0], sqrt(1.5 * g), 1e-8, "pendulum, upright %d", upright);
        assert_true(set.damping[0] == (upright ? -1.0 : 0.0));
        assert_true(set.re[0] == (upright ? set.omega[0] : 0.0));
        assert_int_equal(set.unstable, upright);
        if (set.omega[1] < 1e4)
            fail_msg("second mode at %g rad/s, expected the elastic one above 1e4", set.omega[1]);
        phx_mode_set_free(&set);

        /* with a damper the unstable pair has both its roots */
        linear.damped = true;
        phx_csr_free(&linear.D);
        const int two = 2;
        const double one = 1e-3;
        assert_int_equal(phx_csr_from_triplets(context, linear.n, linear.n, 1, &two, &two, &one, &linear.D), PHX_OK);
        solve(context, &linear, &options, &set);
        const double inertia = 1.0 / 3.0, delta = 0.5 * one / inertia, square = delta * delta + 1.5 * g;
        assert_int_equal(set.rigid, 0);
        if (upright) {
            const double growth = sqrt(square) - delta, decay = sqrt(square) + delta;
            CHECK_RELATIVE(set.re[0], growth, 1e-7, "growing root");
            CHECK_RELATIVE(set.re[1], -decay, 1e-7, "decaying root");
            assert_int_equal(set.unstable, 1);
        } else {
            CHECK_RELATIVE(set.re[0], -delta, 1e-5, "decay of the pendulum");
        }
        phx_mode_set_free(&set);
        linear_free(&linear);
    }
}

/* M = I, K = [a s; -s b]: lambda^2 = -(a+b)/2 +- sqrt((a-b)^2/4 - s^2), flutter when |s| > |a-b|/2. */
static void test_follower_forces(void **state)
{
    phx_context *context = *state;
    const double a = 4.0, b = 9.0;
    for (int flutter = 0; flutter < 2; flutter++) {
        const double s = flutter ? 4.0 : 1.0;
        mechanism mech;
        phx_linear linear;
        phx_mode_set set;
        masses(&mech, context, 2, 1.0);
        put(&mech.rest, 0, 0, a);
        put(&mech.rest, 1, 1, b);
        put(&mech.rest, 0, 1, s);
        put(&mech.rest, 1, 0, -s);
        mechanism_end(&mech, &linear);
        phx_modes_options options = all();
        solve(context, &linear, &options, &set);
        CHECK_RELATIVE(set.omega[0], 2.0, 1e-13, "symmetric part");
        CHECK_RELATIVE(set.asymmetry, sqrt(2.0 * s * s / (a * a + b * b)), 1e-13, "asymmetry");
        phx_mode_set_free(&set);

        options.unsymmetric = true;
        solve(context, &linear, &options, &set);
        assert_int_equal(set.count, 2);
        assert_int_equal(set.unstable, flutter);
        const double mean = 0.5 * (a + b), d = 0.25 * (a - b) * (a - b) - s * s;
        for (int k = 0; k < 2; k++) {
            /* lambda^2 */
            const double re = set.re[k] * set.re[k] - set.im[k] * set.im[k], im = 2.0 * set.re[k] * set.im[k];
            const double dr = re + mean; /* (lambda^2 + mean)^2 = d */
            CHECK_SMALL(dr * dr - im * im - d, 1e-12, "square, s = %g, mode %d", s, k + 1);
            CHECK_SMALL(dr * im, 1e-12, "square, s = %g, mode %d", s, k + 1);
        }
        CHECK_SMALL(equation_defect(context, &linear, &set), 1e-13, "residual, s = %g", s);
        phx_mode_set_free(&set);
        linear_free(&linear);
    }
}

/* x'' - 2 w y' + (k - w^2) x = 0, y'' + 2 w x' + (k - w^2) y = 0: pulsations sqrt(k) +- w. */
static void test_gyroscopic_forces(void **state)
{
    phx_context *context = *state;
    const double w = 1.5, k = 16.0;
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    masses(&mech, context, 2, 1.0);
    put(&mech.D, 0, 1, -2.0 * w);
    put(&mech.D, 1, 0, 2.0 * w);
    for (int i = 0; i < 2; i++) {
        spring(&mech, i, -1, k);
        put(&mech.rest, i, i, -w * w);
    }
    mechanism_end(&mech, &linear);
    const phx_modes_options options = all();
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, 2);
    CHECK_RELATIVE(set.omega[0], sqrt(k) - w, 1e-13, "backward whirl");
    CHECK_RELATIVE(set.omega[1], sqrt(k) + w, 1e-13, "forward whirl");
    assert_int_equal(set.unstable, 0);
    phx_mode_set_free(&set);
    linear_free(&linear);
}

static void test_wrong_arguments(void **state)
{
    phx_context *context = *state;
    phx_modal *modal = NULL;
    mechanism mech;
    phx_linear linear;
    phx_mode_set set = {0};
    phx_modes_options options = phx_modes_options_default();
    assert_int_equal(phx_modal_create(context, &modal), PHX_OK);
    masses(&mech, context, 2, 1.0);
    spring(&mech, 0, 1, 1.0);
    mechanism_end(&mech, &linear);

    options.count = -1;
    assert_int_equal(phx_modal_solve(modal, &linear, &options, &set), PHX_ERR_ARGUMENT);
    options.count = 2;
    linear.n = 3;
    assert_int_equal(phx_modal_solve(modal, &linear, &options, &set), PHX_ERR_ARGUMENT);
    linear.n = 2;
    linear.K.val[0] = NAN;
    assert_int_equal(phx_modal_solve(modal, &linear, &options, &set), PHX_ERR_ARGUMENT);
    assert_non_null(strstr(phx_context_message(context), "finite"));
    linear.K.val[0] = 1.0;
    linear.M.val[1] = 0.0;
    assert_int_equal(phx_modal_solve(modal, &linear, &options, &set), PHX_ERR_ANALYSIS);
    assert_non_null(strstr(phx_context_message(context), "positive definite"));
    linear.M.val[1] = 1.0;
    assert_int_equal(phx_modal_solve(modal, &linear, &options, &set), PHX_OK);
    assert_int_equal(set.rigid, 1);
    assert_int_equal(set.count, 1);
    CHECK_RELATIVE(set.omega[0], sqrt(2.0), 1e-14, "after the mistakes");
    phx_mode_set_free(&set);
    linear_free(&linear);
    phx_modal_destroy(modal);
    phx_modal_destroy(NULL);
    phx_mode_set_free(NULL);
}

/* No degree of freedom left, no constraint at all, no stiffness at all. */
static void test_empty_cases(void **state)
{
    phx_context *context = *state;
    const phx_modes_options options = phx_modes_options_default();
    mechanism mech;
    phx_linear linear;
    phx_mode_set set;
    masses(&mech, context, 2, 1.0);
    spring(&mech, 0, 1, 1.0);
    put(&mech.G, new_row(&mech), 0, 1.0);
    put(&mech.G, new_row(&mech), 1, 1.0);
    mechanism_end(&mech, &linear);
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, 0);
    assert_int_equal(set.freedom, 0);
    phx_mode_set_free(&set);
    linear.damped = true;
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, 0);
    phx_mode_set_free(&set);
    linear_free(&linear);

    masses(&mech, context, 3, 1.0);
    mechanism_end(&mech, &linear);
    solve(context, &linear, &options, &set);
    assert_int_equal(set.count, 0);
    assert_int_equal(set.rigid, 3);
    phx_mode_set_free(&set);
    linear_free(&linear);
}

/* Every allocation fails in turn, damped and not; the sanitizers see what is left. */
static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    const phx_modes_options options = phx_modes_options_default();
    mechanism mech;
    phx_linear linear;
    masses(&mech, context, 3, 1.0);
    spring(&mech, 0, 1, 1.0);
    spring(&mech, 1, 2, 2.0);
    put(&mech.rest, 0, 0, 0.5);
    damper(&mech, 0, 1, 0.1);
    put(&mech.G, new_row(&mech), 2, 1.0);
    mechanism_end(&mech, &linear);
    for (int damped = 0; damped < 2; damped++) {
        linear.damped = damped;
        long n = 0;
        for (phx_status status = PHX_ERR_MEMORY; status; n++) {
            phx_modal *modal = NULL;
            phx_mode_set set = {0};
            phx_context_fail_allocation(context, n);
            status = phx_modal_create(context, &modal);
            if (!status)
                status = phx_modal_solve(modal, &linear, &options, &set);
            phx_context_fail_allocation(context, -1);
            assert_true(status == PHX_OK || status == PHX_ERR_MEMORY);
            phx_modal_destroy(modal);
            phx_mode_set_free(&set);
        }
        if (n < 20)
            fail_msg("only %ld allocations were made to fail", n);
    }
    linear_free(&linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_of_springs),
        cmocka_unit_test(test_one_oscillator_for_all_dampings),
        cmocka_unit_test(test_modal_damping_of_a_mechanism),
        cmocka_unit_test(test_dampers_of_a_mechanism),
        cmocka_unit_test(test_stiffness_damping_of_a_fine_mesh),
        cmocka_unit_test(test_critical_damping_is_found),
        cmocka_unit_test(test_rigid_body_mode_with_a_damper_to_ground),
        cmocka_unit_test(test_pendulum_on_stiff_elements),
        cmocka_unit_test(test_follower_forces),
        cmocka_unit_test(test_gyroscopic_forces),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_empty_cases),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
