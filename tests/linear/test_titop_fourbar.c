/* The four-bar mechanism of [2], 4, connected from TITOP models as in its figure 12: pulsations with the crank clamped
 * and free over its whole turn against values of an independent program, and the DC gain against rigid kinematics. */
#include "four_bar.h"

enum { MODES = 6, POINTS = 73 };

static void read_modes(const char *path, double (*omega)[MODES])
{
    char line[512];
    int point = 0;
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        if (line[0] < '0' || line[0] > '9')
            continue;
        assert_in_range(point, 0, POINTS - 1);
        CHECK_SMALL(strtod(at, &at) - 5.0 * point, 0.0, "angle of line %d of %s", point, path);
        for (int k = 0; k < MODES; k++)
            omega[point][k] = strtod(at + 1, &at);
        point++;
    }
    fclose(file);
    assert_int_equal(point, POINTS);
}

static double check_modes(phx_context *context, const phx_ss *mechanism, const double *want, const char *what,
                          int point)
{
    double omega[30], damping[30], worst = 0.0;

    assert_int_equal(phx_ss_n(mechanism), 30);
    CHECK_OK(context, phx_ss_poles(context, mechanism, NULL, NULL, omega, damping));
    for (int k = 0; k < 2 * MODES; k++) {
        CHECK_RELATIVE(omega[k], want[k / 2], 1e-9, "%s, mode %d at %d degrees", what, k / 2 + 1, 5 * point);
        CHECK_SMALL(damping[k], 1e-9, "%s, damping of mode %d at %d degrees", what, k / 2 + 1, 5 * point);
        worst = fmax(worst, fabs(omega[k] / want[k / 2] - 1.0));
    }
    return worst;
}

static void test_sweep(void **state)
{
    phx_context *context = *state;
    static double clamped[POINTS][MODES], unbound[POINTS][MODES];
    double worst[2] = {0.0, 0.0};
    four_bar_links it;

    read_modes(PHX_SOURCE_DIR "/tests/data/fourbar_titop_clamped.csv", clamped);
    read_modes(PHX_SOURCE_DIR "/tests/data/fourbar_titop_free.csv", unbound);
    four_bar_blocks(context, &it);
    for (int point = 0; point < POINTS; point++) {
        const double theta = point * TEST_PI / 36.0;
        phx_ss *mechanism = NULL, *locked = NULL;
        double gain = 0.0;
        four_bar_connect(context, &it, theta, &mechanism);
        worst[0] = fmax(worst[0], check_modes(context, mechanism, unbound[point], "crank free", point));
        CHECK_OK(context, phx_ss_dc_gain(context, mechanism, &gain));
        CHECK_RELATIVE(-1.0 / gain, four_bar_inertia(theta), 1e-9, "inertia at %d degrees", 5 * point);
        CHECK_OK(context, phx_ss_invert_channel(context, mechanism, 0, &locked));
        worst[1] = fmax(worst[1], check_modes(context, locked, clamped[point], "crank clamped", point));
        phx_ss_destroy(mechanism);
        phx_ss_destroy(locked);
    }
    print_message("largest relative difference: free %.1e, clamped %.1e\n", worst[0], worst[1]);
    four_bar_free(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_sweep, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
