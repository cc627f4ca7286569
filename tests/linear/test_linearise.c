/* Linear models of mechanisms from their pHDAE: against the connection of TITOP models, against each other's forms,
 * against responses written down by hand; what cannot be is refused. */
#include "four_bar.h"

enum { POINTS = 73, MOST = 60 };

static void linearise(phx_context *context, phx_system *system, int n_inputs, const char *const *inputs, int n_outputs,
                      const char *const *outputs, phx_linearised **it)
{
    phx_linearise_options options = phx_linearise_options_default();
    double *x = calloc((size_t)phx_system_n_x(system), sizeof *x),
           *v = calloc((size_t)phx_system_n_v(system), sizeof *v);
    double *lambda = calloc((size_t)phx_system_n_l(system) + 1, sizeof *lambda);
    phx_dae *dae = NULL;

    CHECK_OK(context, phx_system_start(system, NULL, x, v, lambda));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    options.x = x;
    options.channels = (phx_channels_options){n_inputs, n_outputs, inputs, outputs, false};
    CHECK_OK(context, phx_linearise(context, dae, &options, it));
    phx_system_dae_destroy(dae);
    free(x);
    free(v);
    free(lambda);
}

/* ---- four-bar mechanism ---- */
static void compare_poles(phx_context *context, const phx_ss *got, int skip, const phx_ss *want, const char *what,
                          int point)
{
    double a[2 * MOST], b[2 * MOST], worst = 0.0;

    assert_int_equal(phx_ss_n(got), phx_ss_n(want) + skip);
    CHECK_OK(context, phx_ss_poles(context, got, NULL, NULL, a, NULL));
    CHECK_OK(context, phx_ss_poles(context, want, NULL, NULL, b, NULL));
    for (int k = 0; k < skip; k++)
        CHECK_SMALL(a[k], 1e-6, "%s at %d degrees: pole %d", what, 5 * point, k);
    for (int k = 0; k < phx_ss_n(want); k++) {
        CHECK_RELATIVE(a[k + skip], b[k], 1e-9, "%s at %d degrees: pole %d", what, 5 * point, k);
        worst = fmax(worst, fabs(a[k + skip] / b[k] - 1.0));
    }
}

/* Between the poles of `want`, below and above them: beside a pole of no damping a response has no digits. */
static void compare_responses(phx_context *context, const phx_ss *got, const phx_ss *want, double sign, double rtol,
                              const char *what, int point)
{
    double pole[2 * MOST], size = 0.0;
    const int n = phx_ss_n(want), entries = phx_ss_inputs(want) * phx_ss_outputs(want);

    CHECK_OK(context, phx_ss_poles(context, want, NULL, NULL, pole, NULL));
    for (int k = -2; k < n; k += 2) {
        const double low = k < 0 ? 0.0 : pole[k], high = k + 2 < n ? pole[k + 2] : 2.0 * pole[n - 1];
        const double omega = 0.5 * (low + high);
        double a[2 * MOST], b[2 * MOST];
        if (high - low < 1e-3 * high)
            continue;
        CHECK_OK(context, phx_ss_response(context, got, omega, a));
        CHECK_OK(context, phx_ss_response(context, want, omega, b));
        size = max_abs(2 * entries, b);
        for (int i = 0; i < 2 * entries; i++)
            CHECK_CLOSE(a[i], sign * b[i], rtol * size, "%s, case %d: entry %d at %g rad/s", what, point, i, omega);
    }
}

static void the_four_bar_equals_its_blocks(void **state)
{
    static const char *const effort[] = {"motor.effort"}, *const acceleration[] = {"motor.acceleration"};
    phx_context *context = *state;
    four_bar_links it;

    four_bar_blocks(context, &it);
    for (int point = 0; point < POINTS; point++) {
        const double theta = point * TEST_PI / 36.0, inertia = four_bar_inertia(theta);
        phx_system *system = NULL;
        phx_linearised *open = NULL, *clamped = NULL;
        phx_ss *blocks = NULL, *locked = NULL, *ss = NULL, *held = NULL, *small = NULL;
        double gain = 0.0;
        four_bar_connect(context, &it, theta, &blocks);
        CHECK_OK(context, phx_ss_invert_channel(context, blocks, 0, &locked));
        four_bar_system(context, theta, &system);
        linearise(context, system, 1, effort, 1, acceleration, &open);
        linearise(context, system, 1, acceleration, 1, effort, &clamped);
        assert_int_equal(phx_linearised_reduced(open)->rigid, 1);
        assert_int_equal(phx_linearised_reduced(clamped)->rigid, 0);
        CHECK_OK(context, phx_linearised_ss(context, open, &ss));
        CHECK_OK(context, phx_linearised_ss(context, clamped, &held));
        compare_poles(context, ss, 2, blocks, "crank free", point);
        compare_poles(context, held, 2, locked, "crank clamped", point);
        compare_responses(context, ss, blocks, -1.0, 1e-9, "crank free", point);
        compare_responses(context, held, locked, -1.0, 1e-9, "crank clamped", point);
        CHECK_OK(context, phx_ss_reduce(context, ss, PHX_SS_UNOBSERVABLE, 0.0, &small));
        assert_int_equal(phx_ss_n(small), phx_ss_n(blocks));
        CHECK_OK(context, phx_ss_dc_gain(context, small, &gain));
        CHECK_RELATIVE(1.0 / gain, inertia, 1e-9, "inertia at %d degrees, crank free", 5 * point);
        phx_ss_destroy(small);
        CHECK_OK(context, phx_ss_reduce(context, held, PHX_SS_UNOBSERVABLE, 0.0, &small));
        CHECK_OK(context, phx_ss_dc_gain(context, small, &gain));
        CHECK_RELATIVE(gain, inertia, 1e-9, "inertia at %d degrees, crank clamped", 5 * point);
        phx_ss_destroy(small);
        phx_ss_destroy(ss);
        phx_ss_destroy(held);
        phx_ss_destroy(blocks);
        phx_ss_destroy(locked);
        phx_linearised_destroy(open);
        phx_linearised_destroy(clamped);
        phx_system_destroy(system);
    }
    four_bar_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_four_bar_equals_its_blocks, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
