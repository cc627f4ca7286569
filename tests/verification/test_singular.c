/* Closed loops that move through singular positions: rows of four-bar linkages with sides of one length, whose rods all
 * come to lie on one line. There each loop may unfold into another one; the motion that goes on is the smooth one, that
 * of a pendulum. A linkage whose lengths differ a little has no such positions and has to turn back. */
#include "mechanism.h"

enum { TEXT = 16000, MOST_LOOPS = 10 };

/* `loops` of them, the rods upright, in motion to the right, or the first rod driven; `gap`: what the last distance
 * between hinges on the ground is longer than the rods. */
static void linkages(int loops, double gap, const char *first, char *text)
{
    text[0] = '\0';
    append_text(text, TEXT, "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nground:\n  ports:\n");
    for (int i = 0; i <= loops; i++)
        append_text(text, TEXT, "    g%d: {position: [%.17g, 0]}\n", i, i + (i == loops ? gap : 0.0));
    append_text(text, TEXT, "bodies:\n");
    for (int i = 0; i <= 2 * loops; i++)
        append_text(text, TEXT,
                    "  %s%d: {kind: rigid, mass: 1, inertia: 1/12, centre_of_mass: [0.5, 0], ports: {end: {position: "
                    "[1, 0]}}, pose: {position: [%d, %d], angle: %d*deg}}\n",
                    i <= loops ? "rod" : "bar", i <= loops ? i : i - loops - 1, i <= loops ? i : i - loops - 1,
                    i <= loops ? 0 : 1, i <= loops ? 90 : 0);
    append_text(text, TEXT, "joints:\n");
    for (int i = 0; i <= loops; i++)
        append_text(text, TEXT, "  foot%d: {kind: revolute, ports: [ground.g%d, rod%d.P]%s}\n", i, i, i,
                    i == 0 ? first : "");
    for (int i = 0; i < loops; i++)
        append_text(text, TEXT,
                    "  left%d: {kind: revolute, ports: [rod%d.end, bar%d.P]}\n"
                    "  right%d: {kind: revolute, ports: [bar%d.end, rod%d.end]}\n",
                    i, i, i, i, i, i + 1);
}

/* Angle of all rods at `end`: J phi'' = -m g cos phi, by the classical Runge-Kutta method. */
static double angle_of_pendulum(int loops, double end)
{
    const double J = (loops + 1) / 3.0 + loops, mg = 9.81 * (0.5 * (loops + 1) + loops), h = end / 100000;
    double phi = 0.5 * acos(-1.0), w = -1.0;

    for (int i = 0; i < 100000; i++) {
        const double a1 = -mg / J * cos(phi), a2 = -mg / J * cos(phi + 0.5 * h * w);
        const double a3 = -mg / J * cos(phi + 0.5 * h * w + 0.25 * h * h * a1);
        const double a4 = -mg / J * cos(phi + h * w + 0.5 * h * h * a2);
        phi += h * w + h * h / 6.0 * (a1 + a2 + a3);
        w += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return phi;
}

typedef struct trial {
    phx_integrator integrator;
    double step, rtol, error; /* allowed, rad */
} trial;

static const trial methods[] = {
    {PHX_MIDPOINT, 5e-3, 0.0, 1e-3}, {PHX_MIDPOINT4, 1e-2, 0.0, 1e-5}, {PHX_GAUSS4, 5e-3, 0.0, 1e-6},
    {PHX_GAUSS6, 5e-3, 0.0, 1e-7},   {PHX_RADAU5, 5e-3, 0.0, 1e-6},    {PHX_MIDPOINT, 0.0, 1e-4, 1e-4},
    {PHX_GAUSS6, 0.0, 1e-4, 1e-6},   {PHX_RADAU5, 0.0, 1e-4, 3e-2},    {PHX_RADAU5, 0.0, 1e-6, 3e-3},
    {PHX_RADAU5, 0.0, 1e-9, 1e-6},   {PHX_IDA, 0.0, 1e-6, 1e-2},       {PHX_IDA, 0.0, 1e-9, 1e-5},
};
enum { METHODS = sizeof methods / sizeof *methods };

static phx_integrate_options options_of(const trial *method, double end, double every)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = method->integrator;
    options.step = method->step;
    options.rtol = method->rtol;
    options.end = end;
    options.every = every;
    return options;
}

/* Angle of rod i in a final state of the plane; the third of its attitude counts turns. */
static double angle(const double *state, int i)
{
    return state[5 * i + 4];
}

static void the_motion_goes_on_smoothly(void **state)
{
    static const int loops[] = {1, 2, MOST_LOOPS};
    char text[TEXT];
    (void)state;
    for (size_t n = 0; n < sizeof loops / sizeof *loops; n++) {
        const double end = 4.0, expected = angle_of_pendulum(loops[n], end);
        mechanism m;
        linkages(loops[n], 0.0, ", rate: -1", text);
        mechanism_open(&m, text, 0, NULL);
        assert_true(m.dae->closed);
        for (int k = 0; k < METHODS; k++) {
            const phx_integrate_options options = options_of(&methods[k], end, 0.02);
            double *final = mechanism_final_state(&m, &options);
            for (int i = 0; i <= loops[n]; i++)
                CHECK_CLOSE(angle(final, i), expected, methods[k].error, "%d loops, %s, rtol %g: angle %d", loops[n],
                            phx_integrator_name(methods[k].integrator), methods[k].rtol, i);
            free(final);
        }
        mechanism_close(&m);
    }
}

/* The singular positions at 0.5, 1.5 and 2.5 s are instants of the output. */
static void a_drive_passes_them_at_instants_of_the_output(void **state)
{
    static const double every[] = {0.02, 0.1, 0.37};
    char text[TEXT];
    mechanism m;
    (void)state;
    linkages(2, 0.0, ", speed: pi", text);
    mechanism_open(&m, text, 0, NULL);
    for (int k = 0; k < METHODS; k++)
        for (int e = 0; e < 3; e++) {
            const phx_integrate_options options = options_of(&methods[k], 3.0, every[e]);
            const bool exact = methods[k].integrator == PHX_MIDPOINT || methods[k].integrator == PHX_MIDPOINT4;
            double *final = mechanism_final_state(&m, &options);
            for (int i = 0; i <= 2; i++)
                CHECK_CLOSE(angle(final, i), 3.5 * acos(-1.0), exact ? 1e-9 : 1e-4, "%s, rtol %g, every %g: angle %d",
                            phx_integrator_name(methods[k].integrator), methods[k].rtol, every[e], i);
            CHECK_CLOSE(m.t, 3.0, 0.0, "the end");
            if (exact)
                CHECK_CLOSE(m.largest_residual, 0.0, 1e-9, "%s, every %g: balance", "midpoint", every[e]);
            free(final);
        }
    mechanism_close(&m);
}

/* 1.00002 m instead of 1 m: radau5 at a tight tolerance agrees with gauss6 in short steps, and the rods part. */
static void a_linkage_that_only_comes_near_turns(void **state)
{
    char text[TEXT];
    mechanism m;
    (void)state;
    linkages(1, 2e-5, ", rate: -1", text);
    mechanism_open(&m, text, 0, NULL);
    const trial fine = {PHX_GAUSS6, 2e-4, 0.0, 0.0};
    const phx_integrate_options options = options_of(&fine, 2.0, 0.02);
    double *expected = mechanism_final_state(&m, &options);
    assert_true(fabs(angle(expected, 0) - angle(expected, 1)) > 1.0);
    for (int k = 7; k < METHODS; k++) {
        const phx_integrate_options own = options_of(&methods[k], 2.0, 0.02);
        double *final = mechanism_final_state(&m, &own);
        for (int i = 0; i <= 1; i++)
            CHECK_CLOSE(angle(final, i), angle(expected, i), 1e-2, "%s, rtol %g: angle %d",
                        phx_integrator_name(methods[k].integrator), methods[k].rtol, i);
        free(final);
    }
    free(expected);
    mechanism_close(&m);
}

/* Regularity falls in proportion to the distance, and the joints of all loops are named. */
static void the_rows_of_a_flat_linkage_are_dependent(void **state)
{
    char text[TEXT], names[200];
    mechanism m;
    (void)state;
    linkages(1, 0.0, ", rate: -1", text);
    mechanism_open(&m, text, 0, NULL);
    double r[2];
    for (int k = 0; k < 2; k++) { /* upright, then turned to 1e-3 and 1e-4 above the ground */
        const double phi = k == 0 ? 1e-3 : 1e-4;
        for (int b = 0; b < 3; b++) {
            double *x = m.x + 5 * b;
            const double turn = b < 2 ? phi : 0.0;
            x[0] = b < 2 ? b : cos(phi);
            x[1] = b < 2 ? 0.0 : sin(phi);
            x[2] = cos(turn);
            x[3] = sin(turn);
            x[4] = turn;
        }
        r[k] = m.dae->ops->regularity(m.dae, 0.0, m.x, m.v);
        m.dae->ops->dependent(m.dae, 0.0, m.x, m.v, sizeof names, names);
        assert_non_null(strstr(names, "'foot0'"));
        assert_non_null(strstr(names, "'right0'"));
    }
    CHECK_CLOSE(r[0] / r[1], 10.0, 1e-3, "regularity");
    assert_true(r[1] > 0.0 && r[0] < 1e-2);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motion_goes_on_smoothly),
        cmocka_unit_test(a_drive_passes_them_at_instants_of_the_output),
        cmocka_unit_test(a_linkage_that_only_comes_near_turns),
        cmocka_unit_test(the_rows_of_a_flat_linkage_are_dependent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
