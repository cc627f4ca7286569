/* A drive or a load that has no finite value at some time ends the run there, with its name, its place in the file and
 * the time; one that is finite everywhere does not. */
#include "support.h"
#include "results/results.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static const char text[] = "phlexor: 1\n"
                           "dimension: 2\n"
                           "bodies:\n"
                           "  arm: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.5, 0],\n"
                           "        ports: {tip: {position: [1, 0]}}}\n"
                           "joints:\n"
                           "  pin: {kind: revolute, ports: [ground.O, arm.P]%s}\n"
                           "%s"
                           "simulate: {end: 1, step: 0.01}\n";

enum { RUNS = 10 };
static const struct {
    phx_integrator integrator;
    double rtol;
} runs[RUNS] = {{PHX_MIDPOINT, 0.0}, {PHX_MIDPOINT4, 0.0}, {PHX_GAUSS4, 0.0},  {PHX_GAUSS6, 0.0}, {PHX_RADAU5, 0.0},
                {PHX_IDA, 1e-6},     {PHX_MIDPOINT, 1e-6}, {PHX_GAUSS6, 1e-6}, {PHX_DOP853, 0.0}, {PHX_DOP853, 1e-6}};

static phx_status simulate(phx_context *context, const char *joint, const char *loads, int run,
                           phx_simulate_report *report)
{
    char file[1000];
    phx_model *model = NULL;
    phx_simulate_options options = phx_simulate_options_default();
    snprintf(file, sizeof file, text, joint, loads);
    CHECK_OK(context, phx_model_read_text(context, "arm.yaml", file, strlen(file), 0, NULL, &model));
    options.has_integrator = true;
    options.integrator = runs[run].integrator;
    options.rtol = (phx_model_optional){runs[run].rtol > 0.0, runs[run].rtol};
    const phx_status status = phx_study_simulate(context, model, &options, report);
    phx_model_destroy(model);
    return status;
}

static void what_is_not_finite_stops_the_run(void **state)
{
    static const struct {
        const char *joint, *loads, *message;
        double at; /* s */
    } cases[] = {
        {", speed: 1/(t - 0.5003)", "", "arm.yaml:7:3: %s stopped at t = ; joint 'pin': the speed ; at t = 0.5003 s",
         0.5003},
        {", speed: 1/(t - 0.5)", "", "arm.yaml:7:3: ; joint 'pin': the speed ; at t = 0.5 s", 0.5},
        {", speed: sqrt(0.5 - t)", "", "joint 'pin': the speed is not a number at t = 0.5", 0.5},
        {", effort: 1e-3/(t - 0.5003)^2", "", "joint 'pin': the effort ; at t = 0.5003 s", 0.5003},
        {"", "loads: {F: {force: [\"0\", 1/(t - 0.5003)], at: arm.tip}}\n",
         "arm.yaml:8:9: ; load 'F': the force (component 2) ; at t = 0.5003 s", 0.5003},
        {"", "loads: {F: {torque: tan(2*t), at: arm.tip}}\n", "load 'F': the torque ; at t = 0.785398163 s", 0.7854},
        {"",
         "springs: {s: {ports: [ground.Q, arm.tip], force: 1/(t - 0.5003)}}\nground: {ports: {Q: {position: [0, "
         "3]}}}\n",
         "spring 's': the force ; at t = 0.5003 s", 0.5003},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int run = TEST_SHORTER(0, (int)k % 3); run < RUNS; run += TEST_SHORTER(1, 3)) {
            phx_context *context = *state;
            phx_simulate_report report;
            char parts[200], *rest = parts;
            const phx_status status = simulate(context, cases[k].joint, cases[k].loads, run, &report);
            const char *message = phx_context_message(context);
            if (status != PHX_ERR_ANALYSIS)
                fail_msg("%s%s, run %d: status %d, '%s'", cases[k].joint, cases[k].loads, run, (int)status, message);
            snprintf(parts, sizeof parts, cases[k].message, phx_integrator_name(runs[run].integrator));
            while (rest) {
                char *next = strstr(rest, "; ");
                if (next)
                    *next = '\0';
                CHECK_TEXT(message, rest);
                rest = next ? next + 2 : NULL;
            }
            CHECK_TEXT(message, "let the run end before");
            if (report.stats.steps == 0 || report.stats.steps > 200000)
                fail_msg("%s, run %d: %lld steps", message, run, (long long)report.stats.steps);
        }
}

static void what_is_finite_does_not(void **state)
{
    static const struct {
        const char *joint, *loads;
    } cases[] = {
        {", speed: sin(300*t)", ""},
        {", effort: 3*sign(sin(40*t))", ""},
        {", effort: 1e-9/((t - 0.5003)^2 + 1e-9)", ""},
        {"", "loads: {F: {force: [step(t - 0.5)/(t + 0.5), exp(-((t - 0.5)/1e-4)^2)], at: arm.tip}}\n"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int run = 0; run < RUNS; run += TEST_SHORTER(1, 5)) {
            phx_simulate_report report;
            CHECK_OK(*state, simulate(*state, cases[k].joint, cases[k].loads, run, &report));
        }
}

typedef struct heard {
    int count;
    char text[2000];
} heard;

static void listen(void *user, phx_log_level level, const char *message)
{
    heard *to = user;
    assert_int_equal(level, PHX_LOG_WARNING);
    to->count++;
    snprintf(to->text, sizeof to->text, "%s", message);
}

/* Steps of 0.01 s. */
static void what_varies_faster_than_the_steps_is_said(void **state)
{
    static const struct {
        const char *joint, *loads;
        int count;
        const char *place;
    } cases[] = {
        {", speed: 1e5*sin(1e9*t)", "", 1, "arm.yaml:7:3: joint 'pin': the speed"},
        {", speed: 3*sin(2*pi*300*t)", "", 1, "arm.yaml:7:3: joint 'pin': the speed"},
        {", effort: 10*cos(4000*t)*step(t - 0.6)", "", 1, "arm.yaml:7:3: joint 'pin': the effort"},
        {"", "loads: {F: {force: [\"0\", sin(5e4*t)], at: arm.tip}}\n", 1, "arm.yaml:8:9: load 'F': the force"},
        {", speed: 3*sin(2*pi*20*t)", "", 0, NULL},
        {", effort: 100*(t >= 0.5)*(t < 0.501)", "", 0, NULL},
        {", effort: \"20*ramp(t, 0, 0.5)*sin(8*t)\"", "", 0, NULL},
        {", effort: {times: [0, 0.5, 0.501, 0.502, 0.503, 0.504], values: [0, 0, 9, 0, 9, 0]}", "", 0, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_context *context = *state;
        phx_simulate_report report;
        heard to = {0};
        phx_context_set_log(context, listen, &to);
        CHECK_OK(context, simulate(context, cases[k].joint, cases[k].loads, 0, &report));
        phx_context_set_log(context, NULL, NULL);
        if (to.count != cases[k].count)
            fail_msg("%s%s: %d warnings: %s", cases[k].joint, cases[k].loads, to.count, to.text);
        if (cases[k].place)
            assert_true(strncmp(to.text, cases[k].place, strlen(cases[k].place)) == 0);
    }
}

/* No step is short enough for a tolerance at a jump: it is passed, wherever output instants lie. */
static void radau5_passes_jumps_at_any_tolerance(void **state)
{
    static const double every[] = {0.1, 0.01, 0.05, 0.001}, atol[] = {1e-10, 1e-12, 1e-14};
    for (int e = 0; e < 4; e++)
        for (int a = 0; a < 3; a++) {
            phx_context *context = *state;
            char file[1000];
            phx_model *model = NULL;
            phx_simulate_report report;
            phx_simulate_options options = phx_simulate_options_default();
            snprintf(file, sizeof file, text, ", effort: 100*(t >= 0.3)*(t < 0.71)", "");
            CHECK_OK(context, phx_model_read_text(context, "arm.yaml", file, strlen(file), 0, NULL, &model));
            options.has_integrator = true;
            options.integrator = PHX_RADAU5;
            options.rtol = (phx_model_optional){true, 1e-6};
            options.atol = (phx_model_optional){true, atol[a]};
            options.every = (phx_model_optional){true, every[e]};
            CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
            phx_model_destroy(model);
        }
}

/* J w(t) = integral of the torque: 2 N m where sin(9 t) >= 0.4, from t_1 to t_2 and from t_3 on. Jumps that the text
 * does not tell are met as those that it does. */
static void jumps_of_conditions_are_met(void **state)
{
    static const double rtol = 1e-7, inertia = 0.1 + 0.25, torque = 2.0;
    static const struct {
        phx_integrator integrator;
        double error; /* in units of rtol */
    } methods[] = {{PHX_MIDPOINT, 300.0}, {PHX_GAUSS4, 1.0}, {PHX_GAUSS6, 1.0},
                   {PHX_RADAU5, 1.0},     {PHX_IDA, 100.0},  {PHX_DOP853, 1.0}};
    static const char *const joints[] = {", effort: 2*(sin(9*t) >= 0.4)",
                                         ", effort: \"2*(t >= %.17g)*(t < %.17g) + 2*(t >= %.17g)\""};
    const double a = asin(0.4), t[] = {a / 9.0, (pi - a) / 9.0, (2.0 * pi + a) / 9.0};
    const double since[] = {1.0 - t[0], 1.0 - t[1], 1.0 - t[2]};
    const double rate = torque / inertia * (since[0] - since[1] + since[2]);
    const double angle = 0.5 * torque / inertia * (since[0] * since[0] - since[1] * since[1] + since[2] * since[2]);
    phx_context *context = *state;

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const double allowed = methods[i].error * rtol;
        const char *name = phx_integrator_name(methods[i].integrator);
        for (int told = 0; told < 2; told++) {
            char joint[200], file[1000];
            snprintf(joint, sizeof joint, joints[told], t[0], t[1], t[2]);
            snprintf(file, sizeof file, text, joint, "outputs: {q: {coordinate: pin}, w: {rate: pin}}\n");
            phx_simulate_options options = phx_simulate_options_default();
            phx_simulate_report report;
            phx_model *model = read_text(context, file);
            phx_result *result = NULL;
            options.has_integrator = true;
            options.integrator = methods[i].integrator;
            options.rtol = (phx_model_optional){true, rtol};
            CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
            const size_t last = phx_result_rows(result) - 1;
            CHECK_CLOSE(result_value(context, result, "w", last), rate, allowed, "rate of %s", name);
            CHECK_CLOSE(result_value(context, result, "q", last), angle, allowed, "angle of %s", name);
            CHECK_CLOSE(result_value(context, result, "residual", last), 0.0, 10.0 * allowed, "balance of %s", name);
            phx_result_destroy(result);
            phx_model_destroy(model);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_not_finite_stops_the_run, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(what_is_finite_does_not, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(what_varies_faster_than_the_steps_is_said, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(radau5_passes_jumps_at_any_tolerance, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(jumps_of_conditions_are_met, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
