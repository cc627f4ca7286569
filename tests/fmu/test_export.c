/* FMUs of models, through the functions of the standard: their motion is that of the simulation bit by bit, saved
 * states go on the same, instances do not know of each other, wrong calls are refused with a message. */
#define _POSIX_C_SOURCE 200809L
#include "fmu/importer.h"
#include "results/results.h"

#include <malloc.h>
#include <phlexor/fmu.h>

/* Numerical damping of examples that are damped. */
static const double SPECTRAL_RADIUS = 0.4;

static phx_model *read_example(phx_context *context, const char *name, bool damped)
{
    char path[512];
    phx_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/%s", PHX_SOURCE_DIR, name);
    CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    if (damped)
        model->simulate.spectral_radius = SPECTRAL_RADIUS;
    return model;
}

/* Exported with a step, and unpacked. */
static void export_damped(phx_context *context, const char *name, bool damped, int version, double step, importer *it)
{
    phx_fmu_options options = phx_fmu_options_default();
    phx_fmu_report report;
    phx_model *model = read_example(context, name, damped);

    options.version = version;
    options.simulate.step = (phx_model_optional){.given = true, .value = step};
    CHECK_OK(context, phx_fmu_export(context, model, &options, "test.fmu", &report));
    assert_true(report.bytes > 1000 && report.bytes < TEST_SHORTER(4000000, 40000000));
    phx_model_destroy(model);
    importer_open(it, "test.fmu", version == 2 ? "linux64" : "x86_64-linux");
    remove("test.fmu");
}

static void export_example(phx_context *context, const char *name, int version, double step, importer *it)
{
    export_damped(context, name, false, version, step, it);
}

static phx_result *simulate(phx_context *context, const char *name, bool damped, double step, int steps)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = read_example(context, name, damped);

    options.step = (phx_model_optional){.given = true, .value = step};
    options.end = (phx_model_optional){.given = true, .value = steps * step};
    options.every = (phx_model_optional){.given = true, .value = 0.0};
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    phx_model_destroy(model);
    return result;
}

/* ---- the motion of the simulation ---- */
static const struct {
    const char *name;
    double step;
    int steps;
    bool damped; /* numerically */
} cases[] = {
    {"heavy_top.yaml", 2e-4, 100, false},      {"double_pendulum.yaml", 0.01, 150, false},
    {"crank_slider.yaml", 1e-4, 40, false},    {"arm_pd.yaml", 5e-4, 60, false},
    {"arm_digital.yaml", 5e-4, 60, false},     {"wheel_pendulum.yaml", 1e-3, 60, false},
    {"bennett.yaml", 1e-3, 60, false},         {"hinged_pair.yaml", 1e-3, 60, false},
    {"manipulator.yaml", 2e-3, 40, false},     {"modal_appendage.yaml", 0.02, 40, false},
    {"plate_rod.yaml", 1e-5, 30, false},       {"satellite.yaml", 1e-2, 40, false},
    {"spacecraft.yaml", 1e-2, 30, false},      {"spatial_slider_crank.yaml", 1e-3, 60, false},
    {"spin_up.yaml", 0.01, 40, false},         {"torque_free.yaml", 0.01, 60, false},
    {"damped_lever.yaml", 1e-3, 40, false},    {"solid_conrod.yaml", 5e-5, 30, false},
    {"bracket.yaml", 5e-4, 20, false},         {"fishing_rod.yaml", 2e-4, 30, false},
    {"landing_gear.yaml", 2e-4, 40, false},    {"double_pendulum.yaml", 0.01, 60, true},
    {"telescopic_boom.yaml", 5e-3, 30, false}, {"retracted_strip.yaml", 2e-3, 30, false},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Columns of a result and the variables with their names. */
typedef struct shared {
    int count;
    int *column;
    unsigned *variable;
} shared;

static shared find_shared(const importer *it, const phx_result *result)
{
    const int n = phx_result_columns(result);
    shared all = {0, calloc((size_t)n, sizeof(int)), calloc((size_t)n, sizeof(unsigned))};

    for (int c = 0; c < n; c++) {
        const char *name = phx_result_column_name(result, c);
        char mark[400];
        snprintf(mark, sizeof mark, "name=\"%s\" valueReference", name);
        if (!strstr(it->description, mark) || !strcmp(name, "t"))
            continue;
        all.column[all.count] = c;
        all.variable[all.count++] = importer_variable(it, name);
    }
    assert_true(all.count >= 7); /* at least the energies and the ledger */
    return all;
}

/* Bit by bit; with numerical damping to rounding, because its mass matrices are factored by another library in an FMU.
 */
static bool is_same(bool damped, double expected, double value)
{
    return damped ? fabs(value - expected) <= 1e-12 + 1e-11 * fabs(expected)
                  : memcmp(&expected, &value, sizeof value) == 0;
}

static void check_row(phx_context *context, const char *model, bool damped, const phx_result *result, const shared *all,
                      size_t row, const double *values)
{
    for (int k = 0; k < all->count; k++) {
        double expected;
        CHECK_OK(context, phx_result_column(result, all->column[k], row, 1, &expected));
        if (!is_same(damped, expected, values[k]))
            fail_msg("%s: %s after %zu steps is %.17g, simulated %.17g", model,
                     phx_result_column_name(result, all->column[k]), row, values[k], expected);
    }
}

static void compare(phx_context *context, int k, int version)
{
    const double h = cases[k].step;
    importer it;
    phx_result *result = simulate(context, cases[k].name, cases[k].damped, h, cases[k].steps);
    export_damped(context, cases[k].name, cases[k].damped, version, h, &it);
    const shared all = find_shared(&it, result);
    double *values = calloc((size_t)all.count, sizeof *values);
    void *c = version == 2 ? importer_start2(&it, "one") : importer_start3(&it, "one");

    for (int step = 0; step <= cases[k].steps; step++) {
        if (version == 2) {
            assert_int_equal(it.fmi2GetReal(c, all.variable, (size_t)all.count, values), fmi2OK);
            check_row(context, cases[k].name, cases[k].damped, result, &all, (size_t)step, values);
            assert_int_equal(it.fmi2DoStep(c, step * h, h, 1), fmi2OK);
        } else {
            bool event, terminate, early;
            double last;
            const size_t n = (size_t)all.count;
            assert_int_equal(it.fmi3GetFloat64(c, all.variable, n, values, n), fmi3OK);
            check_row(context, cases[k].name, cases[k].damped, result, &all, (size_t)step, values);
            assert_int_equal(it.fmi3DoStep(c, step * h, h, true, &event, &terminate, &early, &last), fmi3OK);
        }
    }
    if (version == 2)
        it.fmi2FreeInstance(c);
    else
        it.fmi3FreeInstance(c);
    free(values);
    free(all.column);
    free(all.variable);
    phx_result_destroy(result);
    importer_close(&it);
}

static void moves_as_the_simulation(void **state)
{
    for (int k = 0; k < CASES; k += TEST_SHORTER(1, 5))
        compare(*state, k, 2 + k % 2);
}

/* ---- saved states ---- */
typedef struct trajectory {
    double values[40];
} trajectory;

static void step3(importer *it, fmi3Instance c, int from, int steps, double h)
{
    bool event, terminate, early;
    double last;
    for (int k = from; k < from + steps; k++)
        assert_int_equal(it->fmi3DoStep(c, k * h, h, false, &event, &terminate, &early, &last), fmi3OK);
}

static void read3(importer *it, fmi3Instance c, int count, double *values)
{
    unsigned variables[40];
    for (int k = 0; k < count; k++)
        variables[k] = (unsigned)k;
    assert_int_equal(it->fmi3GetFloat64(c, variables, (size_t)count, values, (size_t)count), fmi3OK);
}

static void saved_states_go_on(void **state)
{
    static const struct {
        const char *name;
        double step;
        bool damped;
    } models[] = {{"manipulator.yaml", 2e-3, false},     {"arm_digital.yaml", 5e-4, false},
                  {"crank_slider.yaml", 1e-4, false},    {"spacecraft.yaml", 1e-2, false},
                  {"double_pendulum.yaml", 1e-2, true},  {"fishing_rod.yaml", 2e-4, false},
                  {"telescopic_boom.yaml", 5e-3, false}, {"retracted_strip.yaml", 2e-3, false}};
    enum { COUNT = 12, BEFORE = 23, AFTER = 17 };

    for (size_t m = 0; m < sizeof models / sizeof *models; m += TEST_SHORTER(1, 2)) {
        const double h = models[m].step;
        importer it;
        fmi3FMUState saved = NULL, read = NULL;
        size_t size = 0;
        double values[3][COUNT];
        export_damped(*state, models[m].name, models[m].damped, 3, h, &it);
        fmi3Instance one = importer_start3(&it, "one"), two = importer_start3(&it, "two");
        step3(&it, one, 0, BEFORE, h);
        assert_int_equal(it.fmi3GetFMUState(one, &saved), fmi3OK);
        step3(&it, one, BEFORE, AFTER, h);
        read3(&it, one, COUNT, values[0]);
        assert_int_equal(it.fmi3SetFMUState(one, saved), fmi3OK);
        step3(&it, one, BEFORE, AFTER, h);
        read3(&it, one, COUNT, values[1]);
        assert_memory_equal(values[0], values[1], sizeof values[0]);
        assert_int_equal(it.fmi3SerializedFMUStateSize(one, saved, &size), fmi3OK);
        unsigned char *bytes = calloc(size, 1);
        assert_int_equal(it.fmi3SerializeFMUState(one, saved, bytes, size), fmi3OK);
        assert_int_equal(it.fmi3DeserializeFMUState(two, bytes, size, &read), fmi3OK);
        assert_int_equal(it.fmi3SetFMUState(two, read), fmi3OK);
        step3(&it, two, BEFORE, AFTER, h);
        read3(&it, two, COUNT, values[2]);
        assert_memory_equal(values[0], values[2], sizeof values[0]);
        bytes[size / 2] ^= 1; /* a damaged state */
        assert_int_equal(it.fmi3DeserializeFMUState(two, bytes, size, &read), fmi3Error);
        assert_non_null(strstr(it.log, "check sum"));
        assert_int_equal(it.fmi3DeserializeFMUState(two, bytes, size / 3, &read), fmi3Error);
        free(bytes);
        assert_int_equal(it.fmi3FreeFMUState(one, &saved), fmi3OK);
        assert_int_equal(it.fmi3FreeFMUState(two, &read), fmi3OK);
        it.fmi3FreeInstance(one);
        it.fmi3FreeInstance(two);
        importer_close(&it);
    }
}

/* ---- instances ---- */
static void instances_are_apart(void **state)
{
    enum { COUNT = 12, STEPS = 30 };
    const double h = 2e-3;
    importer it;
    double alone[COUNT], first[COUNT], second[COUNT];
    export_example(*state, "manipulator.yaml", 3, h, &it);
    const unsigned input = importer_variable(&it, "elbow.rate");
    const double push = 0.3;
    fmi3Instance one = importer_start3(&it, "alone");
    step3(&it, one, 0, STEPS, h);
    read3(&it, one, COUNT, alone);
    it.fmi3FreeInstance(one);
    one = importer_start3(&it, "one");
    fmi3Instance two = importer_start3(&it, "two");
    assert_int_equal(it.fmi3SetFloat64(two, &input, 1, &push, 1), fmi3OK);
    for (int k = 0; k < STEPS; k++) {
        step3(&it, one, k, 1, h);
        step3(&it, two, k, 1, h);
    }
    read3(&it, one, COUNT, first);
    read3(&it, two, COUNT, second);
    assert_memory_equal(first, alone, sizeof alone);
    assert_memory_not_equal(second, alone, sizeof alone);
    assert_int_equal(it.fmi3Reset(two), fmi3OK); /* inputs too */
    assert_int_equal(it.fmi3EnterInitializationMode(two, false, 0.0, 0.0, false, 0.0), fmi3OK);
    assert_int_equal(it.fmi3ExitInitializationMode(two), fmi3OK);
    step3(&it, two, 0, STEPS, h);
    read3(&it, two, COUNT, second);
    assert_memory_equal(second, alone, sizeof alone);
    it.fmi3FreeInstance(one);
    it.fmi3FreeInstance(two);
    importer_close(&it);
}

static void instances_leave_nothing(void **state)
{
    importer it;
    size_t used = 0;
    export_example(*state, "double_pendulum.yaml", 2, 0.01, &it);
    for (int k = 0; k < TEST_SHORTER(1000, 200); k++) {
        fmi2Component c = importer_start2(&it, "one");
        assert_int_equal(it.fmi2DoStep(c, 0.0, 0.01, 1), fmi2OK);
        it.fmi2FreeInstance(c);
        const size_t now = mallinfo2().uordblks;
        if (k == 100)
            used = now;
        if (k > 100 && now > used + 10000)
            fail_msg("%zu bytes after 100 instances, %zu after %d", used, now, k);
    }
    importer_close(&it);
}

/* ---- the interface between master and mechanism ---- */
static const char lever[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "bodies: {lever: {kind: rigid, mass: 2, inertia: 0.2, centre_of_mass: [0.5, 0],\n"
                            "  ports: {C: {position: [1, 0]}}}}\n"
                            "joints: {pin: {kind: revolute, ports: [ground.O, lever.P], effort: 0*t, damping: 0.1}}\n"
                            "loads: {push: {force: [0*t, 0*t], at: lever.C}}\n"
                            "outputs: {tip: {position: lever.C}, a: {acceleration: lever.C}}\n"
                            "simulate: {step: 1e-3}\n";

static void export_lever(phx_context *context, int version, importer *it)
{
    phx_fmu_options options = phx_fmu_options_default();
    phx_model *model = NULL;

    options.version = version;
    CHECK_OK(context, phx_model_read_text(context, "lever.yaml", lever, strlen(lever), 0, NULL, &model));
    CHECK_OK(context, phx_fmu_export(context, model, &options, "lever.fmu", NULL));
    phx_model_destroy(model);
    importer_open(it, "lever.fmu", version == 2 ? "linux64" : "x86_64-linux");
    remove("lever.fmu");
}

static double get2(importer *it, fmi2Component c, const char *name)
{
    const unsigned variable = importer_variable(it, name);
    double value = NAN;
    assert_int_equal(it->fmi2GetReal(c, &variable, 1, &value), fmi2OK);
    return value;
}

static void set2(importer *it, fmi2Component c, const char *name, double value)
{
    const unsigned variable = importer_variable(it, name);
    assert_int_equal(it->fmi2SetReal(c, &variable, 1, &value), fmi2OK);
}

/* The power of held inputs over a step is their sum with what is conjugate to them: the ledger closes to rounding. */
static void ledger_closes(void **state)
{
    importer it;
    double work = 0.0, t = 0.0;
    export_lever(*state, 2, &it);
    fmi2Component c = importer_start2(&it, "lever");
    const double energy0 = get2(&it, c, "energy");
    for (int k = 0; k < 400; k++) {
        const double h = k % 3 ? 2e-3 : 3.7e-3; /* communication steps of different lengths */
        const double torque = 20.0 * sin(5.0 * t), force = k % 50 < 25 ? 3.0 : -1.0;
        set2(&it, c, "pin.effort", torque);
        set2(&it, c, "push.fy", force);
        assert_int_equal(it.fmi2DoStep(c, t, h, 1), fmi2OK);
        t += h;
        const double power = torque * get2(&it, c, "pin.effort.flow") + force * get2(&it, c, "push.fy.flow");
        assert_true(fabs(get2(&it, c, "pin.effort.power") + get2(&it, c, "push.fy.power") - power) <=
                    1e-14 * (fabs(power) + 1.0));
        work += h * power;
    }
    const double supplied = get2(&it, c, "supplied"), lost = get2(&it, c, "dissipated");
    assert_true(fabs(supplied) > 1.0 && lost > 0.1);
    if (!(fabs(work - supplied) <= 1e-12 * fabs(supplied)))
        fail_msg("work of the inputs %.17g, supplied %.17g", work, supplied);
    assert_true(fabs(get2(&it, c, "energy") - energy0 - supplied + lost) < 1e-11 * fabs(supplied));
    assert_true(fabs(get2(&it, c, "residual")) < 1e-11 * fabs(supplied));
    it.fmi2FreeInstance(c);
    importer_close(&it);
}

/* A ramp by its slope, against many short steps of held values. */
static void inputs_have_slopes(void **state)
{
    importer it;
    double tip[2];
    export_lever(*state, 2, &it);
    const unsigned torque = importer_variable(&it, "pin.effort");
    const int order = 1;
    for (int fine = 0; fine < 2; fine++) {
        const int steps = fine ? 1000 : 10;
        const double h = 0.2 / steps, slope = 30.0;
        fmi2Component c = importer_start2(&it, "lever");
        for (int k = 0; k < steps; k++) {
            const double value = fine ? slope * (k + 0.5) * h : slope * k * h;
            assert_int_equal(it.fmi2SetReal(c, &torque, 1, &value), fmi2OK);
            if (!fine)
                assert_int_equal(it.fmi2SetRealInputDerivatives(c, &torque, 1, &order, &slope), fmi2OK);
            assert_int_equal(it.fmi2DoStep(c, k * h, h, 1), fmi2OK);
        }
        tip[fine] = get2(&it, c, "tip.y");
        it.fmi2FreeInstance(c);
    }
    if (!(fabs(tip[0] - tip[1]) < 1e-6))
        fail_msg("by slopes %.12g, by many values %.12g", tip[0], tip[1]);
    importer_close(&it);
}

/* ---- wrong calls ---- */
static void wrong_calls(void **state)
{
    importer it;
    const unsigned far = 100000, output = 1;
    const double value = 1.0, not_finite = NAN;
    double read;
    export_lever(*state, 2, &it);
    const unsigned torque = importer_variable(&it, "pin.effort");
    fmi2Component c = importer_make2(&it, "lever");
    assert_int_equal(it.fmi2DoStep(c, 0.0, 1e-3, 1), fmi2Error);
    assert_non_null(strstr(it.log, "[logStatusError] fmi2DoStep must not be called before the initialization"));
    assert_int_equal(it.fmi2EnterInitializationMode(c), fmi2OK);
    assert_int_equal(it.fmi2ExitInitializationMode(c), fmi2OK);
    assert_int_equal(it.fmi2GetReal(c, &far, 1, &read), fmi2Error);
    assert_int_equal(it.fmi2SetReal(c, &output, 1, &value), fmi2Error);
    assert_int_equal(it.fmi2SetReal(c, &torque, 1, &not_finite), fmi2Error);
    assert_non_null(strstr(it.log, "'pin.effort'"));
    assert_int_equal(it.fmi2DoStep(c, 7.0, 1e-3, 1), fmi2Error);
    assert_non_null(strstr(it.log, "stands at 0 s"));
    assert_int_equal(it.fmi2DoStep(c, 0.0, -1.0, 1), fmi2Error);
    assert_int_equal(it.fmi2DoStep(c, 0.0, 1e-3, 1), fmi2OK);
    assert_int_equal(it.fmi2Terminate(c), fmi2OK);
    assert_int_equal(it.fmi2DoStep(c, 1e-3, 1e-3, 1), fmi2Error);
    it.fmi2FreeInstance(c);
    it.token[3] ^= 1;
    assert_null(importer_make2(&it, "lever"));
    assert_non_null(strstr(it.log, "instantiation token"));
    it.token[3] ^= 1;
    snprintf(it.uri, sizeof it.uri, "http://nowhere/");
    assert_null(importer_make2(&it, "lever"));
    importer_close(&it);
}

/* A step that Newton's iteration cannot make is discarded, and the instance goes on from the last state that it saved.
 */
static void steps_are_discarded(void **state)
{
    importer it;
    export_lever(*state, 2, &it);
    fmi2Component c = importer_start2(&it, "lever");
    fmi2FMUstate saved = NULL;
    double last = -1.0;
    assert_int_equal(it.fmi2DoStep(c, 0.0, 1e-2, 0), fmi2OK);
    assert_int_equal(it.fmi2GetFMUstate(c, &saved), fmi2OK);
    set2(&it, c, "push.fx", 1e300);
    const fmi2Status status = it.fmi2DoStep(c, 1e-2, 1e-2, 0);
    assert_true(status == fmi2Discard || status == fmi2Error);
    assert_int_equal(it.fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &last), fmi2OK);
    assert_true(last >= 1e-2 && last < 2e-2);
    assert_int_equal(it.fmi2SetFMUstate(c, saved), fmi2OK);
    assert_int_equal(it.fmi2DoStep(c, 1e-2, 1e-2, 0), fmi2OK);
    assert_int_equal(it.fmi2FreeFMUstate(c, &saved), fmi2OK);
    it.fmi2FreeInstance(c);
    importer_close(&it);
}

/* ---- what cannot be exported ---- */
static void wrong_options(void **state)
{
    phx_context *context = *state;
    static const char *const inputs[] = {"pin.efort"}, *const outputs[] = {"tipp"},
                             *const twice[] = {"push.fx", "push.fx"};
    phx_fmu_options options = phx_fmu_options_default();
    phx_model *model = NULL;

    CHECK_OK(context, phx_model_read_text(context, "lever.yaml", lever, strlen(lever), 0, NULL, &model));
    options.inputs = inputs;
    options.n_inputs = 1;
    CHECK_STATUS(context, phx_fmu_export(context, model, &options, "no.fmu", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "did you mean 'pin.effort'");
    options.inputs = twice;
    options.n_inputs = 2;
    CHECK_STATUS(context, phx_fmu_export(context, model, &options, "no.fmu", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "listed twice");
    options.inputs = NULL;
    options.outputs = outputs;
    options.n_outputs = 1;
    CHECK_STATUS(context, phx_fmu_export(context, model, &options, "no.fmu", NULL), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "there is no output 'tipp'");
    options.outputs = NULL;
    options.identifier = "no name";
    CHECK_STATUS(context, phx_fmu_export(context, model, &options, "no.fmu", NULL), PHX_ERR_INPUT);
    options.identifier = NULL;
    options.version = 1;
    CHECK_STATUS(context, phx_fmu_export(context, model, &options, "no.fmu", NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_fmu_export(context, NULL, NULL, "no.fmu", NULL), PHX_ERR_ARGUMENT);
    assert_null(fopen("no.fmu", "rb"));
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_the_simulation),
        cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(instances_are_apart),
        cmocka_unit_test(instances_leave_nothing),
        cmocka_unit_test(ledger_closes),
        cmocka_unit_test(inputs_have_slopes),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(steps_are_discarded),
        cmocka_unit_test(wrong_options),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
