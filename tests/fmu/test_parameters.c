/* Parameters of FMUs: with another value an FMU moves as the simulation of the model with that value, bit by bit; the
 * energy balance stays closed when they change; saved states have them; instances have their own. */
#define _POSIX_C_SOURCE 200809L
#include "fmu/exchange.h"
#include "model/model.h"

#include <phlexor/fmu.h>

#define CHECK_NEAR(value, expected, tolerance) CHECK_CLOSE(value, expected, tolerance, "%s", #value)

/* Every place where a parameter can be open: loads, a load of parameters alone, efforts, drives by rate and by place,
 * references and expressions of controllers, breaks, and a parameter made of others. */
static const char text[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {F: 3, w: 2*pi, on: 0.0213, G: 0.5*F + 1, c: 0.4, S: 0.4, target: 0.3, A: 0.2, B: 0.1, L: 0.5,\n"
    "  half: L/2, soft: 0.05}\n"
    "bodies:\n"
    "  rod: {kind: rigid, mass: 1.2, inertia: 0.03, centre_of_mass: [half, 0], ports: {C: {position: [L, 0]}}}\n"
    "  arm: {kind: rigid, mass: 0.7, inertia: 0.02, centre_of_mass: [0.2, 0], ports: {C: {position: [0.4, 0]}},\n"
    "    pose: {position: [L, 0]}}\n"
    "  cart: {kind: rigid, mass: 2, inertia: 0.1}\n"
    "  crank: {kind: rigid, mass: 0.3, inertia: 0.01, centre_of_mass: [0.1, 0]}\n"
    "joints:\n"
    "  pin: {kind: revolute, ports: [ground.O, rod.P], effort: -G*sin(w*t), damping: 0.1}\n"
    "  elbow: {kind: revolute, ports: [rod.C, arm.P]}\n"
    "  rail: {kind: prismatic, ports: [ground.O, cart.P], axis: [1, 0], speed: S*cos(w*t)}\n"
    "  axle: {kind: revolute, ports: [cart.P, crank.P], motion: A*sin(w*t) + B}\n"
    "loads:\n"
    "  push: {force: [F*(t >= on), -G*(sin(w*t) > soft)], at: arm.C}\n"
    "  twist: {torque: 0.1*F*G, at: rod.P}\n"
    "controllers:\n"
    "  hold: {kind: pid, measure: elbow, effort: elbow, kp: 20, kd: 1, reference: target}\n"
    "  brake: {kind: expression, efforts: {pin.effort: -c*y(pin.rate)}}\n"
    "outputs:\n"
    "  tip: {position: arm.C}\n"
    "  tip_a: {acceleration: arm.C}\n"
    "  crank: {coordinate: axle}\n"
    "  rail: {coordinate: rail}\n"
    "  holds: {effort: axle}\n"
    "simulate: {step: 2e-3, end: 0.2}\n"
    "sweep: {c: {from: 0, to: 2*S, count: 3}}\n"; /* of an analysis: the mechanism knows nothing of it */
static const double H = 2e-3;
enum { STEPS = 60 };

/* Other values; B keeps its own, with which the motion begins. */
static const char *const names[] = {"F", "w", "on", "c", "S", "target", "A", "soft"};
static const double others[] = {5.5, 7.25, 0.0387, 0.9, -0.6, -0.2, 0.35, -0.01};
enum { N = sizeof others / sizeof *others };

static phx_model *read_model(phx_context *context, bool set)
{
    phx_model_override overrides[N];
    phx_model *model = NULL;

    for (int k = 0; k < N; k++)
        overrides[k] = (phx_model_override){.name = names[k], .value = others[k]};
    CHECK_OK(context, phx_model_read_text(context, "tuned.yaml", text, strlen(text), set ? N : 0, overrides, &model));
    return model;
}

static void export_model(phx_context *context, bool set, int version, importer *it)
{
    phx_fmu_options options = phx_fmu_options_default();
    phx_fmu_report report;
    phx_model *model = read_model(context, set);
    const char *const file = set ? "given.fmu" : "tuned.fmu"; /* two may be open at a time */

    options.version = version;
    options.kind = PHX_FMU_BOTH;
    CHECK_OK(context, phx_fmu_export(context, model, &options, file, &report));
    assert_int_equal(report.parameters, 9); /* not G, half and L */
    phx_model_destroy(model);
    importer_open(it, file, version == 2 ? "linux64" : "x86_64-linux");
    remove(file);
}

/* ---- calls of either version ---- */
typedef struct unit {
    importer *it;
    void *c;
    int version;
} unit;

static unit make(importer *it, int version, const char *name)
{
    const unit u = {it, version == 2 ? importer_make2(it, name) : importer_make3(it, name), version};
    if (!u.c)
        fail_msg("%s", it->log);
    return u;
}

static void release(const unit *u)
{
    if (u->version == 2)
        u->it->fmi2FreeInstance(u->c);
    else
        u->it->fmi3FreeInstance(u->c);
}

static int set_status(const unit *u, const char *name, double value)
{
    const unsigned variable = importer_variable(u->it, name);
    return u->version == 2 ? (int)u->it->fmi2SetReal(u->c, &variable, 1, &value)
                           : (int)u->it->fmi3SetFloat64(u->c, &variable, 1, &value, 1);
}

static void set(const unit *u, const char *name, double value)
{
    if (set_status(u, name, value))
        fail_msg("%s = %g: %s", name, value, u->it->log);
}

static void set_others(const unit *u)
{
    for (int k = 0; k < N; k++)
        set(u, names[k], others[k]);
}

static double get(const unit *u, const char *name)
{
    const unsigned variable = importer_variable(u->it, name);
    double value = NAN;
    assert_int_equal(u->version == 2 ? (int)u->it->fmi2GetReal(u->c, &variable, 1, &value)
                                     : (int)u->it->fmi3GetFloat64(u->c, &variable, 1, &value, 1),
                     0);
    return value;
}

static int enter(const unit *u)
{
    if (u->version == 3)
        return (int)u->it->fmi3EnterInitializationMode(u->c, false, 0.0, 0.0, false, 0.0);
    assert_int_equal(u->it->fmi2SetupExperiment(u->c, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
    return (int)u->it->fmi2EnterInitializationMode(u->c);
}

static void leave(const unit *u)
{
    assert_int_equal(u->version == 2 ? (int)u->it->fmi2ExitInitializationMode(u->c)
                                     : (int)u->it->fmi3ExitInitializationMode(u->c),
                     0);
}

static int step_by(const unit *u, int k, double h)
{
    bool event, terminate, early;
    double last;
    return u->version == 2 ? (int)u->it->fmi2DoStep(u->c, k * h, h, 0)
                           : (int)u->it->fmi3DoStep(u->c, k * h, h, false, &event, &terminate, &early, &last);
}

static void step(const unit *u, int from, int to)
{
    for (int k = from; k < to; k++)
        if (step_by(u, k, H))
            fail_msg("step %d: %s", k, u->it->log);
}

static unit start(importer *it, int version, const char *name)
{
    const unit u = make(it, version, name);
    assert_int_equal(enter(&u), 0);
    leave(&u);
    return u;
}

/* Figures that tell one motion from another. */
enum { SEEN = 8 };
static void look(const unit *u, double *values)
{
    static const char *const seen[SEEN] = {"tip.x", "tip.y",  "tip_a.x",  "crank",
                                           "rail",  "energy", "supplied", "residual"};
    for (int k = 0; k < SEEN; k++)
        values[k] = get(u, seen[k]);
}

/* ---- the motion of the model with other values ---- */
/* The model is destroyed. */
static phx_result *simulate_steps(phx_context *context, phx_model *model, double h, int steps)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;

    options.step = (phx_model_optional){.given = true, .value = h};
    options.end = (phx_model_optional){.given = true, .value = steps * h};
    options.every = (phx_model_optional){.given = true, .value = 0.0};
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    phx_model_destroy(model);
    return result;
}

static phx_result *simulate(phx_context *context, bool set_them)
{
    return simulate_steps(context, read_model(context, set_them), H, STEPS);
}

static void check_row(phx_context *context, const unit *u, const phx_result *result, size_t row)
{
    const phx_result_info about = phx_result_about(result);
    int compared = 0;

    for (int c = 0; c < about.n_columns; c++) {
        const char *name = about.columns[c].name;
        char mark[400];
        double expected;
        snprintf(mark, sizeof mark, "name=\"%s\" valueReference", name);
        if (!strstr(u->it->description, mark))
            continue;
        CHECK_OK(context, phx_result_column(result, c, row, 1, &expected));
        const double value = get(u, name);
        if (memcmp(&value, &expected, sizeof value))
            fail_msg("FMI %d: %s after %zu steps is %.17g, simulated %.17g", u->version, name, row, value, expected);
        compared++;
    }
    assert_true(compared >= 9);
}

/* Each step of the unit is a row of the result. */
static void check_motion(phx_context *context, const unit *u, const phx_result *result)
{
    for (int k = 0; k < STEPS; k++) {
        check_row(context, u, result, (size_t)k);
        step(u, k, k + 1);
    }
}

/* Set before the initialization, or within it. */
static void moves_as_the_simulation(void **state)
{
    for (int version = 2; version <= 3; version++)
        for (int within = 0; within < 2; within++) {
            importer it;
            phx_result *result = simulate(*state, true);
            export_model(*state, false, version, &it);
            const unit u = make(&it, version, "one");
            if (!within)
                set_others(&u);
            assert_int_equal(enter(&u), 0);
            if (within)
                set_others(&u);
            leave(&u);
            check_motion(*state, &u, result);
            release(&u);
            importer_close(&it);
            phx_result_destroy(result);
        }
}

/* Examples, with flexible bodies, sampled controllers, loads over surfaces and drives that give the start its rates. */
static void examples_do_too(void **state)
{
    static const struct {
        const char *file, *parameter;
        double value, h;
        int steps;
    } cases[] = {
        {"arm_digital.yaml", "qd1", 0.6, 5e-4, 30},
        {"arm_pd.yaml", "g1", 17.0, 5e-4, 30},
        {"crank_slider.yaml", "speed", 130.0, 1e-4, 30},
        {"modal_appendage.yaml", "torque", 0.7, 0.02, 30},
        {"fishing_rod.yaml", "swing", 1.1, 2e-4, 20},
        {"plate_rod.yaml", "load", 1234.0, 1e-5, 20},
        {"solid_conrod.yaml", "speed", 110.0, 5e-5, 20},
        {"spin_up.yaml", "speed", 7.5, 0.01, 40},
        {"fishing_rod.yaml", "parameters.time", 0.2, 2e-4, 20},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += TEST_SHORTER(1, 3)) {
        const char *const dot = strchr(cases[k].parameter, '.');
        const phx_model_override override = {.name = dot ? dot + 1 : cases[k].parameter, .value = cases[k].value};
        phx_fmu_options options = phx_fmu_options_default();
        phx_model *model = NULL, *given = NULL;
        char path[512];
        importer it;

        snprintf(path, sizeof path, "%s/examples/%s", PHX_SOURCE_DIR, cases[k].file);
        CHECK_OK(*state, phx_model_read(*state, path, 1, &override, &given));
        phx_result *result = simulate_steps(*state, given, cases[k].h, cases[k].steps);
        CHECK_OK(*state, phx_model_read(*state, path, 0, NULL, &model));
        options.simulate.step = (phx_model_optional){.given = true, .value = cases[k].h};
        CHECK_OK(*state, phx_fmu_export(*state, model, &options, "example.fmu", NULL));
        phx_model_destroy(model);
        importer_open(&it, "example.fmu", "x86_64-linux");
        remove("example.fmu");
        const unit u = make(&it, 3, cases[k].file);
        set(&u, cases[k].parameter, cases[k].value);
        assert_int_equal(enter(&u), 0);
        leave(&u);
        for (int n = 0; n < cases[k].steps; n++) {
            check_row(*state, &u, result, (size_t)n);
            if (step_by(&u, n, cases[k].h))
                fail_msg("%s: %s", cases[k].file, it.log);
        }
        release(&u);
        importer_close(&it);
        phx_result_destroy(result);
    }
}

/* Those of the file: nothing has changed for who sets none, and a reset goes back to them. */
static void reset_restores_them(void **state)
{
    for (int version = 2; version <= 3; version++) {
        importer it;
        phx_result *result = simulate(*state, false);
        export_model(*state, false, version, &it);
        const unit u = start(&it, version, "one");
        set(&u, "F", 100.0);
        set(&u, "on", 0.0);
        step(&u, 0, 5);
        assert_int_equal(version == 2 ? (int)it.fmi2Reset(u.c) : (int)it.fmi3Reset(u.c), 0);
        assert_int_equal(enter(&u), 0);
        leave(&u);
        CHECK_NEAR(get(&u, "F"), 3.0, 0.0);
        check_motion(*state, &u, result);
        release(&u);
        importer_close(&it);
        phx_result_destroy(result);
    }
}

static void description_tells_them(void **state)
{
    importer it;
    char value[80];

    export_model(*state, false, 3, &it);
    assert_true(importer_attribute(&it, "name=\"F\"", "variability", sizeof value, value));
    assert_string_equal(value, "tunable");
    assert_true(importer_attribute(&it, "name=\"F\"", "causality", sizeof value, value));
    assert_string_equal(value, "parameter");
    assert_true(importer_attribute(&it, "name=\"F\"", "initial", sizeof value, value));
    assert_string_equal(value, "exact");
    assert_true(importer_attribute(&it, "name=\"w\"", "start", sizeof value, value));
    CHECK_NEAR(atof(value), 2.0 * 3.14159265358979323846, 0.0);
    assert_true(importer_attribute(&it, "name=\"A\"", "variability", sizeof value, value)); /* of a motion */
    assert_string_equal(value, "tunable");
    assert_null(strstr(it.description, "name=\"L\""));
    assert_null(strstr(it.description, "name=\"G\""));
    importer_close(&it);
}

/* ---- changes on the way ---- */
/* Energy goes in with what the parameters are at the time. */
static void ledger_stays_closed(void **state)
{
    importer it;
    double largest = 0.0;

    export_model(*state, false, 2, &it);
    const unit u = start(&it, 2, "one");
    for (int k = 0; k < STEPS; k++) {
        set(&u, "F", 3.0 + (k % 7));
        set(&u, "c", 0.1 * (k % 5));
        set(&u, "on", k % 3 ? 0.0 : 1.0);
        set(&u, "S", 0.4 - 0.05 * (k % 4)); /* a drive that jumps */
        set(&u, "A", 0.2 + 0.02 * (k % 3)); /* and another one, whose place is given */
        set(&u, "w", 6.0 + 0.1 * (k % 6));
        step(&u, k, k + 1);
        largest = fmax(largest, fabs(get(&u, "supplied")));
        CHECK_NEAR(get(&u, "residual"), 0.0, 1e-12 * (1.0 + largest));
    }
    assert_true(largest > 0.1);
    release(&u);
    importer_close(&it);
}

/* A motion with other values goes on from where the drive is, with the increments of the new one. */
static void motions_go_on(void **state)
{
    static const double A[] = {0.2, 0.35, -0.1, 0.35}, w[] = {6.0, 6.0, 9.5, 6.0};

    for (int version = 2; version <= 3; version++) {
        importer it;
        export_model(*state, false, version, &it);
        const unit u = start(&it, version, "one");
        double expected = get(&u, "crank");
        for (int k = 0; k < STEPS; k++) {
            const int part = k / 15;
            set(&u, "A", A[part]);
            set(&u, "B", 0.1 * part); /* of no consequence any more */
            set(&u, "w", w[part]);
            step(&u, k, k + 1);
            expected += A[part] * (sin(w[part] * H * (k + 1)) - sin(w[part] * H * k));
            CHECK_CLOSE(get(&u, "crank"), expected, 1e-13, "after %d steps", k + 1);
        }
        release(&u);
        importer_close(&it);
    }
}

static void saved_states_have_them(void **state)
{
    enum { BEFORE = 9, BETWEEN = 20, AFTER = 35 };
    double first[SEEN], second[SEEN], untouched[SEEN];

    for (int version = 2; version <= 3; version++) {
        importer it;
        void *saved = NULL, *read = NULL;
        size_t size = 0;
        export_model(*state, false, version, &it);
        unit u = start(&it, version, "one"), other = start(&it, version, "two");
        step(&u, 0, AFTER);
        look(&u, untouched);
        release(&u);
        u = start(&it, version, "one");
        step(&u, 0, BEFORE);
        assert_int_equal(version == 2 ? (int)it.fmi2GetFMUstate(u.c, &saved) : (int)it.fmi3GetFMUState(u.c, &saved), 0);
        set(&u, "F", 9.0); /* gone with the way back */
        set(&u, "on", 0.06);
        step(&u, BEFORE, BETWEEN);
        assert_int_equal(version == 2 ? (int)it.fmi2SetFMUstate(u.c, saved) : (int)it.fmi3SetFMUState(u.c, saved), 0);
        CHECK_NEAR(get(&u, "F"), 3.0, 0.0);
        step(&u, BEFORE, AFTER);
        look(&u, first);
        assert_memory_equal(first, untouched, sizeof first);

        assert_int_equal(version == 2 ? (int)it.fmi2SetFMUstate(u.c, saved) : (int)it.fmi3SetFMUState(u.c, saved), 0);
        set(&u, "F", 9.0); /* kept in the state, into another instance */
        set(&u, "on", 0.0287);
        step(&u, BEFORE, BEFORE + 1);
        if (version == 2) {
            assert_int_equal(it.fmi2GetFMUstate(u.c, &saved), fmi2OK);
            assert_int_equal(it.fmi2SerializedFMUstateSize(u.c, saved, &size), fmi2OK);
        } else {
            assert_int_equal(it.fmi3GetFMUState(u.c, &saved), fmi3OK);
            assert_int_equal(it.fmi3SerializedFMUStateSize(u.c, saved, &size), fmi3OK);
        }
        unsigned char *bytes = calloc(size, 1);
        if (version == 2) {
            assert_int_equal(it.fmi2SerializeFMUstate(u.c, saved, (fmi2Byte *)bytes, size), fmi2OK);
            assert_int_equal(it.fmi2DeSerializeFMUstate(other.c, (fmi2Byte *)bytes, size, &read), fmi2OK);
            assert_int_equal(it.fmi2SetFMUstate(other.c, read), fmi2OK);
        } else {
            assert_int_equal(it.fmi3SerializeFMUState(u.c, saved, bytes, size), fmi3OK);
            assert_int_equal(it.fmi3DeserializeFMUState(other.c, bytes, size, &read), fmi3OK);
            assert_int_equal(it.fmi3SetFMUState(other.c, read), fmi3OK);
        }
        free(bytes);
        CHECK_NEAR(get(&other, "F"), 9.0, 0.0);
        CHECK_NEAR(get(&other, "on"), 0.0287, 0.0);
        step(&u, BEFORE + 1, AFTER);
        step(&other, BEFORE + 1, AFTER);
        look(&u, first);
        look(&other, second);
        assert_memory_equal(first, second, sizeof first);
        assert_memory_not_equal(first, untouched, sizeof first);
        if (version == 2) {
            it.fmi2FreeFMUstate(u.c, &saved);
            it.fmi2FreeFMUstate(other.c, &read);
        } else {
            it.fmi3FreeFMUState(u.c, &saved);
            it.fmi3FreeFMUState(other.c, &read);
        }
        release(&u);
        release(&other);
        importer_close(&it);
    }
}

static void instances_have_their_own(void **state)
{
    double alone[2][SEEN], together[2][SEEN];
    importer it;

    export_model(*state, false, 3, &it);
    for (int i = 0; i < 2; i++) {
        const unit u = make(&it, 3, "alone");
        set(&u, "F", i ? 8.0 : -2.0);
        assert_int_equal(enter(&u), 0);
        leave(&u);
        step(&u, 0, 30);
        look(&u, alone[i]);
        release(&u);
    }
    const unit both[2] = {make(&it, 3, "one"), make(&it, 3, "two")};
    for (int i = 0; i < 2; i++) {
        set(&both[i], "F", i ? 8.0 : -2.0);
        assert_int_equal(enter(&both[i]), 0);
        leave(&both[i]);
    }
    for (int k = 0; k < 30; k++) {
        step(&both[0], k, k + 1);
        step(&both[1], k, k + 1);
    }
    for (int i = 0; i < 2; i++) {
        look(&both[i], together[i]);
        assert_memory_equal(alone[i], together[i], sizeof alone[i]);
        release(&both[i]);
    }
    assert_memory_not_equal(alone[0], alone[1], sizeof alone[0]);
    importer_close(&it);
}

/* ---- model exchange ---- */
static void *exchange_instance(importer *it, int version, bool set_them)
{
    const unit u = {it, version == 2 ? importer_exchange2(it, "one") : importer_exchange3(it, "one"), version};
    if (!u.c)
        fail_msg("%s", it->log);
    if (set_them)
        set_others(&u);
    assert_int_equal(enter(&u), 0);
    leave(&u);
    return u.c;
}

static double new_states(const importer *it, void *c, int version)
{
    if (version == 2) {
        fmi2EventInfo info;
        assert_int_equal(it->fmi2NewDiscreteStates(c, &info), fmi2OK);
        assert_int_equal(it->fmi2EnterContinuousTimeMode(c), fmi2OK);
        return info.nextEventTimeDefined ? info.nextEventTime : HUGE_VAL;
    }
    bool again, terminate, nominals, values, defined;
    double next = HUGE_VAL;
    assert_int_equal(it->fmi3UpdateDiscreteStates(c, &again, &terminate, &nominals, &values, &defined, &next), fmi3OK);
    assert_int_equal(it->fmi3EnterContinuousTimeMode(c), fmi3OK);
    return defined ? next : HUGE_VAL;
}

enum { MOST = 40 };
static int derivatives(const importer *it, void *c, int version, double *states, double *rates)
{
    int n = 0;
    for (const char *at = it->description; (at = strstr(at, " derivative=\"")) != NULL; at++)
        n++;
    assert_true(n > 2 && n <= MOST);
    if (version == 2) {
        assert_int_equal(it->fmi2GetContinuousStates(c, states, (size_t)n), fmi2OK);
        assert_int_equal(it->fmi2GetDerivatives(c, rates, (size_t)n), fmi2OK);
    } else {
        assert_int_equal(it->fmi3GetContinuousStates(c, states, (size_t)n), fmi3OK);
        assert_int_equal(it->fmi3GetContinuousStateDerivatives(c, rates, (size_t)n), fmi3OK);
    }
    return n;
}

/* States, derivatives and time events are those of an FMU that is written with the values. */
static void exchange_is_that_of_the_values(void **state)
{
    for (int version = 2; version <= 3; version++) {
        importer it, given;
        double states[2][MOST], rates[2][MOST];
        export_model(*state, true, version, &given);
        export_model(*state, false, version, &it);
        void *expected = exchange_instance(&given, version, false), *c = exchange_instance(&it, version, true);
        const double next = new_states(&given, expected, version);
        CHECK_NEAR(new_states(&it, c, version), next, 0.0);
        CHECK_NEAR(next, 0.0387, 0.0);
        const int n = derivatives(&given, expected, version, states[0], rates[0]);
        assert_int_equal(derivatives(&it, c, version, states[1], rates[1]), n);
        assert_memory_equal(states[0], states[1], (size_t)n * sizeof(double));
        assert_memory_equal(rates[0], rates[1], (size_t)n * sizeof(double));

        /* not in continuous-time mode; at an event */
        const unit u = {&it, c, version}, other = {&given, expected, version};
        assert_int_equal(set_status(&u, "c", 2.5), 3);
        assert_non_null(strstr(it.log, "can be set in event mode, not in continuous-time mode"));
        CHECK_NEAR(get(&u, "c"), 0.9, 0.0);
        for (int i = 0; i < 2; i++) {
            const unit *at = i ? &u : &other;
            assert_int_equal(
                version == 2 ? (int)at->it->fmi2EnterEventMode(at->c) : (int)at->it->fmi3EnterEventMode(at->c), 0);
            set(at, "F", 1.5);
            set(at, "on", 0.011);
            set(at, "S", 0.1);
            CHECK_NEAR(new_states(at->it, at->c, version), 0.011, 0.0);
        }
        derivatives(&given, expected, version, states[0], rates[0]);
        derivatives(&it, c, version, states[1], rates[1]);
        for (int k = 0; k < n; k++)
            CHECK_CLOSE(rates[1][k], rates[0][k], 1e-12 * (1.0 + fabs(rates[0][k])), "derivative %d", k + 1);
        release(&u);
        release(&other);
        importer_close(&it);
        importer_close(&given);
    }
}

/* ---- what is refused ---- */
static void wrong_values(void **state)
{
    for (int version = 2; version <= 3; version++) {
        importer it;
        double before[SEEN], after[SEEN];
        export_model(*state, false, version, &it);
        unit u = make(&it, version, "one");
        assert_int_equal(set_status(&u, "F", NAN), 3);
        assert_non_null(strstr(it.log, "parameter 'F' is nan, expected a finite value"));
        assert_int_equal(set_status(&u, "F", INFINITY), 3);
        assert_int_equal(enter(&u), 0);
        CHECK_NEAR(get(&u, "F"), 3.0, 0.0);
        look(&u, before);
        assert_int_equal(set_status(&u, "B", 0.4), 3); /* the mechanism is elsewhere */
        assert_non_null(strstr(it.log, "joint 'axle': the motion begins at 0.4"));
        CHECK_NEAR(get(&u, "B"), 0.1, 0.0);
        look(&u, after);
        assert_memory_equal(before, after, sizeof before);
        set(&u, "A", 0.25);
        leave(&u);
        step(&u, 0, 3);
        assert_int_equal(set_status(&u, "F", 1e300), 3); /* F G is infinite */
        CHECK_NEAR(get(&u, "F"), 3.0, 0.0);
        release(&u);

        u = make(&it, version, "two"); /* the initialization tells it */
        set(&u, "B", 0.4);
        assert_int_equal(enter(&u), 3);
        release(&u);
        importer_close(&it);
    }
}

/* A value with which a load is no number is refused, and the mechanism goes on with the old one. */
static void values_without_a_number(void **state)
{
    static const char root[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "parameters: {a: 4}\n"
                               "bodies: {block: {kind: rigid, mass: 2, inertia: 0.2}}\n"
                               "joints: {rail: {kind: prismatic, ports: [ground.O, block.P], axis: [1, 0]}}\n"
                               "loads: {push: {force: [sqrt(a), 0], at: block.P}}\n"
                               "simulate: {step: 2e-3}\n";
    phx_model *model = NULL;
    importer it;

    CHECK_OK(*state, phx_model_read_text(*state, "root.yaml", root, strlen(root), 0, NULL, &model));
    CHECK_OK(*state, phx_fmu_export(*state, model, NULL, "root.fmu", NULL));
    phx_model_destroy(model);
    importer_open(&it, "root.fmu", "x86_64-linux");
    remove("root.fmu");
    const unit u = start(&it, 3, "one");
    step(&u, 0, 2);
    assert_int_equal(set_status(&u, "a", -1.0), 3);
    assert_non_null(strstr(it.log, "load 'push': the force"));
    CHECK_NEAR(get(&u, "a"), 4.0, 0.0);
    step(&u, 2, 3);
    set(&u, "a", 9.0);
    step(&u, 3, 4);
    CHECK_NEAR(get(&u, "kinetic"), 0.5 * 2.0 * pow((2.0 * 3 * H + 3.0 * H) / 2.0, 2), 1e-18);
    release(&u);
    importer_close(&it);
}

/* FMI 3 with event mode: between steps parameters stay, at events they change. */
static void event_mode_takes_them(void **state)
{
    importer it;

    export_model(*state, false, 3, &it);
    const unit u = {&it,
                    it.fmi3InstantiateCoSimulation("one", it.token, it.resources, false, true, true, false, NULL, 0,
                                                   NULL, NULL, NULL),
                    3};
    assert_non_null(u.c);
    assert_int_equal(enter(&u), 0);
    leave(&u);
    set(&u, "F", 4.0);
    assert_int_equal(it.fmi3EnterStepMode(u.c), fmi3OK);
    assert_int_equal(set_status(&u, "F", 5.0), 3);
    CHECK_NEAR(get(&u, "F"), 4.0, 0.0);
    release(&u);
    importer_close(&it);
}

static void wrong_names(void **state)
{
    static const struct {
        const char *names[2];
        int count;
        const char *message;
    } cases[] = {
        {{"L"}, 1, "parameter 'L' shapes the assembled system: it is used in bodies.rod.ports.C.position"},
        {{"half"}, 1, "it is used in bodies.rod.centre_of_mass"},
        {{"f"}, 1, "there is no parameter 'f'"},
        {{"F", "F"}, 2, "listed twice"},
        {{"F", "G"}, 2, "parameter 'G' is made of others"},
    };
    phx_fmu_options options = phx_fmu_options_default();
    phx_model *model = read_model(*state, false);
    phx_fmu_report report;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        options.parameters = cases[k].names;
        options.n_parameters = cases[k].count;
        CHECK_STATUS(*state, phx_fmu_export(*state, model, &options, "no.fmu", NULL), PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, cases[k].message);
    }
    options.parameters = (const char *const[]){"G", "w"}; /* F stays what it is */
    options.n_parameters = 2;
    CHECK_OK(*state, phx_fmu_export(*state, model, &options, "some.fmu", &report));
    assert_int_equal(report.parameters, 2);
    options.n_parameters = 0;
    CHECK_OK(*state, phx_fmu_export(*state, model, &options, "some.fmu", &report));
    assert_int_equal(report.parameters, 0);
    remove("some.fmu");
    model->initial.deformation = PHX_MODEL_QUASI_STATIC;
    options.n_parameters = 1;
    CHECK_STATUS(*state, phx_fmu_export(*state, model, &options, "no.fmu", NULL), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "starts in an equilibrium, which would follow parameter 'G'");
    phx_model_destroy(model);
}

/* Each allocation fails in turn, every third under sanitizers. */
static void there_may_be_no_memory(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_model(context, false);
    long failed = 0;

    for (bool whole = false; !whole; failed += whole ? 0 : TEST_SHORTER(1, 3)) {
        phx_tunables open = {0};
        phx_system *system = NULL;
        phx_context_clear(context);
        phx_context_fail_allocation(context, failed);
        phx_status status = phx_tunables_create(context, model, 0, NULL, &open);
        if (!status)
            status = phx_model_build_open(context, model, NULL, &open, &system);
        phx_context_fail_allocation(context, -1);
        whole = !status;
        if (status)
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
        else
            assert_int_equal(open.count, 9);
        phx_system_destroy(system);
        phx_tunables_free(&open);
    }
    assert_true(failed > 100);
    phx_model_destroy(model);
}

static void check_finds_nothing(void **state)
{
    for (int version = 2; version <= 3; version++) {
        phx_fmu_options options = phx_fmu_options_default();
        phx_fmu_check_report report;
        phx_model *model = read_model(*state, false);
        options.version = version;
        options.kind = PHX_FMU_BOTH;
        CHECK_OK(*state, phx_fmu_export(*state, model, &options, "checked.fmu", NULL));
        phx_model_destroy(model);
        CHECK_OK(*state, phx_fmu_check(*state, "checked.fmu", true, &report));
        if (report.n_findings > 0)
            fail_msg("%s", report.findings[0]);
        phx_fmu_check_report_free(&report);
        remove("checked.fmu");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_the_simulation),
        cmocka_unit_test(examples_do_too),
        cmocka_unit_test(reset_restores_them),
        cmocka_unit_test(description_tells_them),
        cmocka_unit_test(ledger_stays_closed),
        cmocka_unit_test(motions_go_on),
        cmocka_unit_test(saved_states_have_them),
        cmocka_unit_test(instances_have_their_own),
        cmocka_unit_test(exchange_is_that_of_the_values),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(values_without_a_number),
        cmocka_unit_test(event_mode_takes_them),
        cmocka_unit_test(wrong_names),
        cmocka_unit_test(there_may_be_no_memory),
        cmocka_unit_test(check_finds_nothing),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
