/* Loops of sampled controllers: roots by formulas, by spectral radii of an independent computation, by simulation;
 * shaped references against the residual vibration of their theory; gains of either sign. */
#include "support.h"
#include "statespace/statespace.h"
#include "system/system.h"

#include <complex.h>

static phx_model *read_format(phx_context *context, const char *format, double a, double b)
{
    char text[3000];
    assert_in_range(snprintf(text, sizeof text, format, a, b), 1, sizeof text - 1);
    return read_text(context, text);
}

/* ---- sampled loops ---- */
/* A wheel of inertia 1 whose damper of 100 acts a sample late: z^2 - z + 100 T = 0, unstable from T = 0.01 s on. */
static const char late_damper[] =
    "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"
    "joints: {a: {kind: revolute, ports: [ground.O, b.P], angle: 0, rate: 1e-6}}\noutputs: {w: {rate: a}}\n"
    "controllers: {d: {kind: pid, measure: a, effort: a, kd: 100, sample: %.17g, delay: 1}}\n"
    "simulate: {end: %.17g, step: 1e-3}\n";

static double growth_of(double T)
{
    const double complex z = 0.5 + csqrt(0.25 - 100.0 * T);
    return log(cabs(z)) / T;
}

static void a_late_damper_grows_as_its_roots(void **state)
{
    phx_context *context = *state;
    const double periods[] = {0.009, 0.011, 0.015};

    for (int i = 0; i < 3; i++) {
        const double T = periods[i];
        phx_model *model = read_format(context, late_damper, T, 1.0);
        phx_check_report report;
        phx_linear_report loop;
        phx_study_linearize_options options = phx_study_linearize_options_default();
        CHECK_OK(context, phx_study_check(context, model, &report));
        assert_true(report.has_loop);
        CHECK_CLOSE(report.loop_period, T, 0.0, "the period");
        if (T > 0.01)
            CHECK_RELATIVE(report.loop.growth, growth_of(T), 1e-9, "growth at %g s", T);
        else
            assert_int_equal(report.loop.fluttering + report.loop.divergent, 0);
        options.loop = "d";
        CHECK_OK(context, phx_study_linearize(context, model, &options, &loop));
        assert_int_equal(loop.margins->stable, T < 0.01);
        CHECK_CLOSE(loop.margins->stable ? loop.margins->gain_up : loop.margins->gain_down, 0.01 / T, 1e-9,
                    "gain margin at %g s", T);
        phx_linear_report_free(&loop);
        phx_check_report_free(&report);
        phx_model_destroy(model);
    }
}

/* The largest rate of the first and of the last 30 samples of a run grow by the same. */
static void simulation_grows_as_the_roots(void **state)
{
    phx_context *context = *state;
    const double T = 0.011, end = 220.0 * T;
    char text[1000];
    double first = 0.0, last = 0.0;

    assert_in_range(snprintf(text, sizeof text, late_damper, T, end), 1, sizeof text - 1);
    text_run r = run_text(context, text, T);
    for (size_t k = 0; k < 60; k++)
        first = fmax(first, fabs(record_at(context, &r, "w", k)));
    for (size_t k = r.n - 60; k < r.n; k++)
        last = fmax(last, fabs(record_at(context, &r, "w", k)));
    CHECK_RELATIVE(log(last / first) / (end - 59.0 * T), growth_of(T), 1e-2, "growth of the largest rates");
    phx_result_destroy(r.result);
}

/* Two flexible panels, a hub and a wheel: spectral radii of the loop, zero-order hold, computed independently. */
static void radii_of_a_flexible_satellite(void **state)
{
    static const struct {
        double T, late, radius; /* radius 0: stable */
    } cases[] = {{0.05, 1, 0.0},  {0.08, 1, 1.017}, {0.1, 1, 1.054}, {0.15, 1, 1.099},
                 {0.2, 1, 1.040}, {0.2, 0, 0.0},    {0.3, 0, 1.060}, {0.4, 0, 1.025}};
    phx_context *context = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        phx_model_override overrides[] = {{.name = "T", .value = cases[i].T}, {.name = "late", .value = cases[i].late}};
        phx_model *model = NULL;
        phx_check_report report;
        CHECK_OK(context, phx_model_read(context, PHX_SOURCE_DIR "/tests/study/data/satellite_sampled.yaml", 2,
                                         overrides, &model));
        CHECK_OK(context, phx_study_check(context, model, &report));
        assert_true(report.has_loop);
        assert_int_equal(report.n_free, 7);
        assert_string_equal(report.free_names, "joint 'wheel', joint 'craft'");
        if (cases[i].radius == 0.0)
            assert_int_equal(report.loop.fluttering + report.loop.divergent, 0);
        else
            CHECK_CLOSE(exp(report.loop.growth * report.loop_period), cases[i].radius, 6e-4, "%g s, %g late",
                        cases[i].T, cases[i].late);
        phx_check_report_free(&report);
        phx_model_destroy(model);
    }
}

/* The filtered derivative and the integral of a sampled pid: the exact loop from sample to sample, by hand. */
static void every_part_of_a_sampled_pid(void **state)
{
    static const char text[] = "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 2}}\n"
                               "joints: {a: {kind: revolute, ports: [ground.O, b.P]}}\noutputs: {q: {coordinate: a}}\n"
                               "controllers: {d: {kind: pid, measure: q, effort: a, kp: 30, kd: 9, ki: 11, filter: "
                               "0.02, sample: %g, delay: 2}}\n"
                               "simulate: {end: %g, step: 1e-3}\n";
    phx_context *context = *state;
    const double T = 0.05, J = 2.0, f = 1.0 / (0.02 + T), omega = 3.1;
    phx_model *model = read_format(context, text, T, 1.0);
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report;
    double L[2];

    options.loop = "d.u1";
    CHECK_OK(context, phx_study_linearize(context, model, &options, &report));
    CHECK_OK(context, phx_ss_responses_sampled(context, report.system, report.sample, 1, &omega, L));
    const double complex z = cexp(I * omega * T), plant = T * T / (2.0 * J) * (z + 1.0) / ((z - 1.0) * (z - 1.0));
    const double complex d = T * f / (z - 1.0 + T * f); /* d+ = d + T f (e - d) */
    const double complex law = 30.0 + 9.0 * f * (1.0 - d) + 11.0 * T / (z - 1.0);
    const double complex expected = plant * law / (z * z);
    CHECK_CLOSE(L[0], creal(expected), 1e-11 * cabs(expected), "loop, real part");
    CHECK_CLOSE(L[1], cimag(expected), 1e-11 * cabs(expected), "loop, imaginary part");
    phx_linear_report_free(&report);
    phx_model_destroy(model);
}

/* Beyond its limit a sampled pid acts with a constant, and its integral is drawn to it: i+ = (1 - T a) i, a = ki/kp. */
static void a_limited_pid_opens_its_loop(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 2}}\n"
        "joints: {a: {kind: revolute, ports: [ground.O, b.P]}}\noutputs: {q: {coordinate: a}}\n"
        "controllers: {d: {kind: pid, measure: a, effort: a, kp: 30, kd: 5, ki: 60, reference: 1, limit: [-4, 4],\n"
        "  sample: %g}}\nsimulate: {end: %g, step: 1e-3}\n";
    phx_context *context = *state;
    phx_model *model = read_format(context, text, 0.05, 1.0);
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report;

    options.sample = 0.05;
    CHECK_OK(context, phx_study_linearize(context, model, &options, &report));
    assert_int_equal(phx_ss_n(report.system), 4); /* place, rate, integral, held effort */
    const double *A = phx_ss_A(report.system);
    CHECK_CLOSE(A[0], 1.0, 1e-14, "the place goes on by itself");
    CHECK_CLOSE(A[2 * 4 + 2], 1.0 - 0.05 * 60.0 / 30.0, 1e-14, "the integral is drawn to the limit");
    for (int j = 0; j < 4; j++) {
        CHECK_CLOSE(A[4 + j], j == 1 ? 1.0 : 0.0, 1e-14, "nothing acts on the rate");
        CHECK_CLOSE(A[3 * 4 + j], 0.0, 0.0, "the effort follows nothing");
    }
    phx_linear_report_free(&report);
    phx_model_destroy(model);
}

static void loops_without_a_model_are_refused_by_name(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}, c: {kind: rigid, mass: 1, inertia: "
        "1}}\n"
        "joints: {a: {kind: revolute, ports: [ground.O, b.P]}, e: {kind: revolute, ports: [ground.O, c.P]}}\n"
        "outputs: {w: {rate: a}}\n"
        "controllers:\n  fast: {kind: pid, measure: a, effort: a, kd: 1, sample: %g}\n"
        "  slow: {kind: pid, measure: e, effort: e, kd: 1, sample: %g}\n"
        "simulate: {end: 1, step: 1e-2}\n";
    phx_context *context = *state;
    phx_model *model = read_format(context, text, 0.01, 0.02);
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report;

    options.loop = "slow";
    CHECK_STATUS(context, phx_study_linearize(context, model, &options, &report), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "'fast.u1' is sampled every 0.01 s and 'slow.u1' every 0.02 s");
    options.loop = "slow.u2";
    CHECK_STATUS(context, phx_study_linearize(context, model, &options, &report), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "slow.u1");
    phx_model_destroy(model);
    model = read_format(context, text, 0.02, 0.02);
    options.loop = NULL;
    options.sample = 0.03;
    CHECK_STATUS(context, phx_study_linearize(context, model, &options, &report), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "sample every 0.02 s");
    phx_model_destroy(model);
}

/* ---- gains of either sign ---- */
/* A wheel turns against its hub: the effort on the wheel has the sign of the error. w^2 = 8/2, 2 zeta w = 1/2. */
static void a_wheel_turns_against_its_hub(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\n"
        "bodies: {hub: {kind: rigid, mass: 1, inertia: 2}, wheel: {kind: rigid, mass: 1, inertia: 0.1}}\n"
        "joints: {base: {kind: revolute, ports: [ground.O, hub.P]}, axle: {kind: revolute, ports: [hub.P, wheel.P]}}\n"
        "outputs: {q: {coordinate: base}}\n"
        "controllers: {c: {kind: pid, measure: base, effort: axle, kp: %g, kd: %g}}\n"
        "simulate: {end: 1, step: 1e-2}\n";
    phx_context *context = *state;
    phx_model *model = read_format(context, text, -8.0, -1.0);
    const phx_study_modes_options how = phx_study_modes_options_default();
    phx_modes_table table;

    CHECK_OK(context, phx_study_modes(context, model, &how, &table, NULL));
    assert_int_equal(table.n_rows, 1);
    CHECK_RELATIVE(table.rows[0].omega, 2.0, 1e-12, "frequency");
    CHECK_RELATIVE(table.rows[0].damping, 0.125, 1e-12, "damping");
    phx_modes_free(&table);
    phx_model_destroy(model);
}

/* A load, an actuator and a spring whose expressions name measurements are the expression controllers that they stand
 * for: the same motion bit by bit, and the controller's column. */
static void expressions_of_measurements_act_where_they_stand(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"
        "joints: {a: {kind: prismatic, ports: [ground.O, b.P], axis: [1, 0], position: 1, rate: 0.3%s}}\n"
        "outputs: {q: {coordinate: a}, p: {position: b.P}, w: {rate: a}}\n%s"
        "simulate: {end: 0.5, step: 1e-2}\n";
    static const struct {
        const char *joint, *more, *column;
    } cases[] = {{"", "loads: {c: {force: ['-500*y(q) - 2*y(w)', 0], at: b.P}}\n", "c.u1"},
                 {", effort: '-500*y(q) - 2*y(w)'", "", "a.u1"},
                 {"",
                  "loads: {c: {force: [0, 0], at: b.P}}\n"
                  "controllers: {c: {kind: expression, efforts: {c.fx: '-500*y(q) - 2*y(w)'}}}\n",
                  "c.u1"}};
    phx_context *context = *state;
    double end[3];

    for (int i = 0; i < 3; i++) {
        char whole[2000];
        assert_in_range(snprintf(whole, sizeof whole, text, cases[i].joint, cases[i].more), 1, sizeof whole - 1);
        text_run r = run_text(context, whole, 0.0);
        end[i] = record_at(context, &r, "q", r.n - 1);
        CHECK_CLOSE(record_at(context, &r, cases[i].column, 0), -500.6, 1e-10, "what it does at the start");
        phx_result_destroy(r.result);
    }
    CHECK_CLOSE(end[0], end[2], 0.0, "the load and its controller");
    CHECK_CLOSE(end[1], end[2], 1e-12, "along the joint");
    const double w = sqrt(499.0), t = 0.5; /* q'' + 2 q' + 500 q = 0 from 1, 0.3 */
    CHECK_CLOSE(end[2], exp(-t) * (cos(w * t) + 1.3 / w * sin(w * t)), 3e-2, "the closed form");
    phx_model *model = NULL;
    char wrong[2000];
    assert_in_range(snprintf(wrong, sizeof wrong, text, "", "loads: {c: {force: ['y(nothing)', 0], at: b.P}}\n"), 1,
                    sizeof wrong - 1);
    CHECK_OK(context, phx_model_read_text(context, "wrong.yaml", wrong, strlen(wrong), 0, NULL, &model));
    phx_check_report report;
    CHECK_STATUS(context, phx_study_check(context, model, &report), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "nothing to measure called 'nothing'");
    phx_model_destroy(model);
}

/* ---- shaped references ---- */
/* A mass that a pid pulls to a step of the reference, without damping: the residual vibration is |sum a_i exp(i w t_i)|
 * times that of the step. With w off by a fraction d of the shaper's frequency: zv sin(pi/2 d) (of 1 + d), zvd its
 * square, ei V at d = 0. */
static void residual_vibration_of_shapers(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nparameters: {w: 2*pi}\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"
        "joints: {a: {kind: prismatic, ports: [ground.O, b.P], axis: [1, 0]}}\noutputs: {q: {coordinate: a}}\n"
        "controllers: {c: {kind: pid, measure: q, effort: a, kp: w^2, reference: t >= 0.1%s}}\n"
        "simulate: {end: 3, step: 2e-4, every: 1e-2}\n";
    static const struct {
        const char *shaper;
        double residual;
    } cases[] = {{"", 1.0},
                 {", shaper: {kind: zv, frequency: 1}", 0.0},
                 {", shaper: {kind: zvd, frequency: 1}", 0.0},
                 {", shaper: {kind: ei, frequency: 1}", 0.05},
                 {", shaper: {kind: ei, frequency: 1, tolerance: 0.2}", 0.2},
                 {", shaper: {kind: zv, frequency: 1/1.1}", 0.15643446504023087},    /* sin(0.05 pi) */
                 {", shaper: {kind: zvd, frequency: 1/1.1}", 0.024471741852423234}}; /* its square */
    phx_context *context = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char whole[2000];
        double most = 0.0;
        assert_in_range(snprintf(whole, sizeof whole, text, cases[i].shaper), 1, sizeof whole - 1);
        text_run r = run_text(context, whole, 0.0);
        for (size_t k = r.n - 105; k < r.n; k++)
            most = fmax(most, fabs(record_at(context, &r, "q", k) - 1.0));
        CHECK_CLOSE(most, cases[i].residual, 3e-4, "residual vibration with '%s'", cases[i].shaper);
        phx_result_destroy(r.result);
    }
}

/* With damping the impulses of zv and zvd fall by K = exp(-zeta w T): nothing remains either. */
static void shapers_know_the_damping(void **state)
{
    static const char text[] = "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"
                               "joints: {a: {kind: prismatic, ports: [ground.O, b.P], axis: [1, 0], damping: 1.2}}\n"
                               "outputs: {q: {coordinate: a}}\n"
                               "controllers: {c: {kind: pid, measure: q, effort: a, kp: 36, reference: t >= 0.1,\n"
                               "  shaper: {kind: %s, frequency: 6/2/pi, damping: 0.1}}}\n"
                               "simulate: {end: 1.4, step: 1e-4, every: 1e-2}\n";
    static const char *const kinds[] = {"zv", "zvd"};
    phx_context *context = *state;

    for (int i = 0; i < 2; i++) {
        char whole[2000];
        assert_in_range(snprintf(whole, sizeof whole, text, kinds[i]), 1, sizeof whole - 1);
        text_run r = run_text(context, whole, 0.0);
        for (size_t k = r.n - 15; k < r.n; k++)
            CHECK_CLOSE(record_at(context, &r, "q", k), 1.0, 1e-4, "%s comes to rest", kinds[i]);
        phx_result_destroy(r.result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_late_damper_grows_as_its_roots, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(simulation_grows_as_the_roots, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(radii_of_a_flexible_satellite, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(every_part_of_a_sampled_pid, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_limited_pid_opens_its_loop, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(loops_without_a_model_are_refused_by_name, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_wheel_turns_against_its_hub, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(expressions_of_measurements_act_where_they_stand, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(residual_vibration_of_shapers, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(shapers_know_the_damping, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
