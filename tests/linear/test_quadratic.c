/* Damped and gyroscopic modes of large systems: against closed forms and against the dense way. */
#include "mechanism.h"

static const beam slender = {
    .length = 1.0, .mass_per_length = 2.34, .axial = 6.3e7, .bending = 525.0, .elements = 60, .mass_at_p = 0.0};

/* A clamped beam; the caller adds to it. */
static beam begin_clamped(mechanism *mech, phx_context *context, int elements)
{
    beam b = slender;
    b.elements = elements;
    mechanism_begin(mech, context);
    mechanism_add_beam(mech, &b);
    for (int k = 0; k < 3; k++)
        constrain(mech, new_row(mech), &b, 0, 0, (beam_rate)k, 0.0, 1.0);
    return b;
}

/* D = alpha M + beta K besides what the mechanism has; with `root` as squares, too. */
static void add_rayleigh(phx_context *context, double alpha, double beta, bool root, phx_linear *linear)
{
    phx_csr sum = {0}, own = linear->D;
    assert_int_equal(phx_csr_add(context, alpha, &linear->M, beta, &linear->K, &sum), PHX_OK);
    assert_int_equal(phx_csr_add(context, 1.0, &sum, 1.0, &own, &linear->D), PHX_OK);
    if (root) {
        phx_csr others = {0};
        assert_int_equal(phx_csr_add(context, beta, &linear->rest, 1.0, &own, &others), PHX_OK);
        assert_int_equal(phx_csr_add(context, alpha, &linear->M, 1.0, &others, &linear->damping_rest), PHX_OK);
        phx_csr_free(&others);
        assert_int_equal(phx_csr_copy(context, &linear->root, &linear->damping_root), PHX_OK);
        for (int k = 0; k < linear->root.ptr[linear->root.rows]; k++)
            linear->damping_root.val[k] *= sqrt(beta);
    }
    linear->damped = true;
    phx_csr_free(&sum);
    phx_csr_free(&own);
}

static void free_all(phx_linear *linear)
{
    phx_csr_free(&linear->damping_root);
    phx_csr_free(&linear->damping_rest);
    linear_free(linear);
}

/* The dense way takes all roots of a system of at most 200 degrees of freedom. */
static void compare(phx_context *context, const phx_linear *linear, phx_modes_options options, double rtol,
                    const char *name)
{
    phx_mode_set dense, sparse;
    options.dense_limit = 10000;
    solve(context, linear, &options, &dense);
    assert_in_range(dense.freedom, 164, 200);
    options.dense_limit = 0;
    solve(context, linear, &options, &sparse);
    assert_int_equal(sparse.count, dense.count);
    assert_int_equal(sparse.rigid, dense.rigid);
    assert_int_equal(sparse.unstable, dense.unstable);
    for (int k = 0; k < dense.count; k++) {
        CHECK_CLOSE(sparse.re[k], dense.re[k], rtol * dense.omega[k], "%s: re of mode %d", name, k + 1);
        CHECK_CLOSE(sparse.im[k], dense.im[k], rtol * dense.omega[k], "%s: im of mode %d", name, k + 1);
    }
    CHECK_SMALL(closure(linear, &sparse), 1e-10, "%s: closure", name);
    CHECK_SMALL(mass_defect(linear, &sparse), 1e-10, "%s: modal mass", name);
    phx_mode_set_free(&dense);
    phx_mode_set_free(&sparse);
}

/* lambda = -beta omega^2/2 + i ..., from next to nothing to overdamped: then roots gather at -1/beta. */
static void test_stiffness_damping(void **state)
{
    phx_context *context = *state;
    static const double betas[] = {1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 1.0};
    for (size_t k = TEST_SHORTER(0, 1); k < sizeof betas / sizeof *betas; k += TEST_SHORTER(1, 4))
        for (int root = 0; root < 2; root++) {
            mechanism mech;
            phx_linear linear;
            begin_clamped(&mech, context, 60);
            mechanism_end(&mech, &linear);
            add_rayleigh(context, 0.0, betas[k], root, &linear);
            compare(context, &linear, phx_modes_options_default(), 1e-7, "beta");
            free_all(&linear);
        }
}

/* Fine meshes against the closed form of a Kelvin-Voigt beam. */
static void test_kelvin_voigt_beam(void **state)
{
    phx_context *context = *state;
    static const double roots[] = {1.8751040687119611, 4.6940911329741746, 7.8547574382376126, 10.995540734875467};
    static const int meshes[] = {100, 400, 1000};
    const double betas[] = {1e-6, 1e-4, 2e-3};
    for (int m = 0; m < TEST_SHORTER(3, 1); m++)
        for (int k = 0; k < 3; k++) {
            mechanism mech;
            phx_linear linear;
            phx_mode_set set;
            phx_modes_options options = phx_modes_options_default();
            options.count = betas[k] < 1e-3 ? 4 : 2;
            begin_clamped(&mech, context, meshes[m]);
            mechanism_end(&mech, &linear);
            add_rayleigh(context, 0.0, betas[k], true, &linear);
            solve(context, &linear, &options, &set);
            assert_int_equal(set.count, options.count);
            assert_int_equal(set.rigid, 0);
            for (int i = 0; i < set.count; i++) {
                const double omega = roots[i] * roots[i] * sqrt(slender.bending / slender.mass_per_length);
                CHECK_RELATIVE(set.omega[i], omega, 5e-7, "%d elements, beta %g, omega %d", meshes[m], betas[k], i + 1);
                CHECK_RELATIVE(set.damping[i], 0.5 * betas[k] * set.omega[i], 1e-9, "%d elements, beta %g, damping %d",
                               meshes[m], betas[k], i + 1);
            }
            CHECK_SMALL(closure(&linear, &set), 1e-10, "closure");
            phx_mode_set_free(&set);
            free_all(&linear);
        }
}

/* Overdamped low modes: -alpha/2 +- sqrt(alpha^2/4 - omega^2). */
static void test_mass_damping(void **state)
{
    phx_context *context = *state;
    static const double alphas[] = {1e-6, 1.0, 120.0, 1000.0, 1e5};
    for (size_t k = TEST_SHORTER(0, 1); k < sizeof alphas / sizeof *alphas; k += TEST_SHORTER(1, 2)) {
        mechanism mech;
        phx_linear linear;
        phx_modes_options options = phx_modes_options_default();
        begin_clamped(&mech, context, 60);
        mechanism_end(&mech, &linear);
        add_rayleigh(context, alphas[k], 0.0, false, &linear);
        compare(context, &linear, options, 1e-8, "alpha");
        options.count = 12;
        compare(context, &linear, options, 1e-8, "alpha, 12 modes");
        free_all(&linear);
    }
}

/* One damper of any size at the tip: real roots beside oscillations, and a support as it gets stiff. */
static void test_damper_at_the_tip(void **state)
{
    phx_context *context = *state;
    static const double sizes[] = {1e-3, 10.0, 100.0, 1e4, 1e7};
    for (size_t k = TEST_SHORTER(0, 1); k < sizeof sizes / sizeof *sizes; k += TEST_SHORTER(1, 2)) {
        mechanism mech;
        phx_linear linear;
        begin_clamped(&mech, context, 60);
        put(&mech.D, mech.n - 2, mech.n - 2, sizes[k]);
        mechanism_end(&mech, &linear);
        linear.damped = true;
        compare(context, &linear, phx_modes_options_default(), 1e-8, "damper");
        free_all(&linear);
    }
}

/* D with a skew part that couples the stretching and the bending of a beam on axial springs, with and without losses;
 * K with a skew part. */
static void test_skew_parts(void **state)
{
    phx_context *context = *state;
    static const double spins[] = {1e-3, 5.0, 40.0};
    for (int kind = 0; kind < 4; kind++)
        for (int k = TEST_SHORTER(0, 1); k < 3; k += TEST_SHORTER(1, 2)) {
            mechanism mech;
            phx_linear linear;
            phx_modes_options options = phx_modes_options_default();
            const beam b = begin_clamped(&mech, context, 60);
            const double share = b.mass_per_length * b.length / b.elements;
            for (int i = 1; i <= b.elements; i++) {
                const int u = 3 * i, w = u + 1;
                put(&mech.D, u, w, -2.0 * spins[k] * share);
                put(&mech.D, w, u, 2.0 * spins[k] * share);
                put(&mech.rest, u, u, -spins[k] * spins[k] * share);
                put(&mech.rest, w, w, -spins[k] * spins[k] * share);
                if (kind == 3) {
                    put(&mech.rest, u, w, 1e2 * spins[k] * share);
                    put(&mech.rest, w, u, -1e2 * spins[k] * share);
                }
            }
            mechanism_end(&mech, &linear);
            linear.damped = linear.gyroscopic = true;
            linear.lossless = kind == 0;
            options.unsymmetric = kind == 3;
            if (kind > 0)
                add_rayleigh(context, 0.1, kind == 2 ? 1e-3 : 1e-5, true, &linear);
            compare(context, &linear, options, 1e-7, "skew parts");
            free_all(&linear);
        }
}

/* A free beam keeps its three rigid-body modes; several equal beams have every mode as often. */
static void test_free_and_repeated(void **state)
{
    phx_context *context = *state;
    mechanism mech;
    phx_linear linear;
    beam b = slender;
    mechanism_begin(&mech, context);
    mechanism_add_beam(&mech, &b);
    mechanism_end(&mech, &linear);
    add_rayleigh(context, 0.0, 1e-4, true, &linear);
    compare(context, &linear, phx_modes_options_default(), 1e-7, "free beam");
    free_all(&linear);

    mechanism_begin(&mech, context);
    b.elements = 15;
    for (int i = 0; i < 4; i++) {
        const int at = mechanism_add_beam(&mech, &b);
        for (int k = 0; k < 3; k++)
            constrain(&mech, new_row(&mech), &b, at, 0, (beam_rate)k, 0.0, 1.0);
    }
    mechanism_end(&mech, &linear);
    add_rayleigh(context, 0.3, 1e-4, true, &linear);
    compare(context, &linear, phx_modes_options_default(), 1e-7, "four equal beams");
    free_all(&linear);
}

/* With hardly any damping the frequencies are the undamped ones of the sparse way. */
static void test_next_to_undamped(void **state)
{
    phx_context *context = *state;
    mechanism mech;
    phx_linear linear;
    phx_mode_set plain, set;
    const phx_modes_options options = phx_modes_options_default();
    begin_clamped(&mech, context, 500);
    mechanism_end(&mech, &linear);
    solve(context, &linear, &options, &plain);
    add_rayleigh(context, 0.0, 1e-12, true, &linear);
    solve(context, &linear, &options, &set);
    for (int k = 0; k < set.count; k++) {
        CHECK_RELATIVE(set.omega[k], plain.omega[k], 1e-7, "omega %d", k + 1);
        CHECK_RELATIVE(set.damping[k], 0.5e-12 * set.omega[k], 1e-3, "damping %d", k + 1);
    }
    phx_mode_set_free(&plain);
    phx_mode_set_free(&set);
    free_all(&linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiffness_damping), cmocka_unit_test(test_kelvin_voigt_beam),
        cmocka_unit_test(test_mass_damping),      cmocka_unit_test(test_damper_at_the_tip),
        cmocka_unit_test(test_skew_parts),        cmocka_unit_test(test_free_and_repeated),
        cmocka_unit_test(test_next_to_undamped),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
