/* FMUs for model exchange: CVODE with the states of an FMU goes where radau5 goes with the model, joints do not open,
 * choices of coordinates change as events, derivatives are those of the states. */
#define _POSIX_C_SOURCE 200809L
#include "fmu/exchange.h"
#include "results/results.h"

#include <phlexor/fmu.h>

static phx_model *read_example(phx_context *context, const char *name)
{
    char path[512];
    phx_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/%s", PHX_SOURCE_DIR, name);
    CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    return model;
}

static phx_model *read_text(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "model", text, strlen(text), 0, NULL, &model));
    return model;
}

static void export_model(phx_context *context, phx_model *model, int version, importer *it)
{
    phx_fmu_options options = phx_fmu_options_default();
    phx_fmu_report report;

    options.version = version;
    options.kind = PHX_FMU_BOTH;
    CHECK_OK(context, phx_fmu_export(context, model, &options, "exchange.fmu", &report));
    assert_true(report.states >= 2);
    importer_open(it, "exchange.fmu", version == 2 ? "linux64" : "x86_64-linux");
    remove("exchange.fmu");
}

static phx_result *simulate(phx_context *context, const phx_model *model, double end)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;

    options.end = (phx_model_optional){.given = true, .value = end};
    options.every = (phx_model_optional){.given = true, .value = end / 10.0};
    options.rtol = (phx_model_optional){.given = true, .value = 1e-10};
    options.has_integrator = true;
    options.integrator = PHX_RADAU5;
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    return result;
}

/* ---- the same motion ---- */
/* Largest difference of the columns that the FMU has, relative to the largest of the column. Forces are taken for ten
 * times better than they are: they follow the accelerations, to which the fastest vibrations contribute most. */
static double worst_difference(phx_context *context, exchange *e, const phx_result *result, char *where, size_t size)
{
    const size_t rows = phx_result_rows(result);
    double worst = 0.0, *column = calloc(rows, sizeof *column);

    for (int c = 0; c < phx_result_columns(result); c++) {
        const char *name = phx_result_column_name(result, c);
        char mark[400];
        double largest = 0.0;
        snprintf(mark, sizeof mark, "name=\"%s\" valueReference", name);
        if (!strstr(e->it->description, mark) || !strcmp(name, "residual")) /* rounding */
            continue;
        CHECK_OK(context, phx_result_column(result, c, 0, rows, column));
        for (size_t k = 0; k < rows; k++)
            largest = fmax(largest, fabs(column[k]));
        const double share = strchr(phx_result_column_unit(result, c), 'N') ? 0.1 : 1.0;
        const double off = share * fabs(exchange_value(e, name) - column[rows - 1]) / (largest + 1e-3);
        if (off > worst) {
            worst = off;
            snprintf(where, size, "%s", name);
        }
    }
    free(column);
    return worst;
}

static const struct {
    const char *name;
    double end;
} cases[] = {
    {"double_pendulum.yaml", 0.05}, {"heavy_top.yaml", 0.5},      {"spatial_slider_crank.yaml", 1.0},
    {"bennett.yaml", 1.0},          {"torque_free.yaml", 3.0},    {"satellite.yaml", 0.1},
    {"manipulator.yaml", 0.5},      {"crank_slider.yaml", 0.002}, {"telescopic_boom.yaml", 0.03},
};

static void moves_as_radau5(void **state)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += TEST_SHORTER(1, 4)) {
        const int version = 2 + (int)(k % 2);
        char where[320] = "";
        importer it;
        phx_model *model = read_example(*state, cases[k].name);
        phx_result *result = simulate(*state, model, cases[k].end);
        export_model(*state, model, version, &it);
        exchange e = exchange_start(&it, version, 1e-8);
        exchange_run(&e, cases[k].end);
        const double worst = worst_difference(*state, &e, result, where, sizeof where);
        print_message("%-28s %3d states, %6ld steps, %7ld evaluations, %d+%d events: %.1e (%s)\n", cases[k].name,
                      e.states, e.steps, e.evaluations, e.state_events, e.time_events, worst, where);
        if (!(worst < 1e-6))
            fail_msg("%s: %s differs by %g", cases[k].name, where, worst);
        exchange_free(&e);
        importer_close(&it);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* ---- points slide along bodies ---- */
/* A collar that slides on a bent wire; where it begins, and how fast. */
static void wire_with_collar(char *text, size_t size, double position, double rate)
{
    snprintf(text, size,
             "phlexor: 1\n"
             "dimension: 3\n"
             "gravity: [1, 3, -9.81]\n"
             "materials: {rubber: {density: 1000, young: 1e7, poisson: 0.4}}\n"
             "bodies:\n"
             "  wire: {kind: rod, material: rubber, length: 1, section: {kind: circle, diameter: 0.02}, elements: 3,\n"
             "    damping: {stiffness: 1e-3}}\n"
             "  collar: {kind: rigid, mass: 0.05, inertia: [2e-5, 1e-5, 3e-5], pose: {position: [%g, 0, 0]}}\n"
             "joints:\n"
             "  clamp: {kind: weld, ports: [ground.O, wire.P]}\n"
             "  slide: {kind: prismatic_on, ports: [wire.P, collar.P], position: %g, rate: %g}\n"
             "outputs:\n"
             "  q: {coordinate: slide}\n"
             "  tip: {position: wire.C}\n"
             "simulate: {end: 1, step: 1e-3}\n",
             position, position, rate);
}

static exchange start_collar(phx_context *context, double position, double rate, int version, importer *it,
                             phx_model **model)
{
    char text[2000];

    wire_with_collar(text, sizeof text, position, rate);
    *model = read_text(context, text);
    export_model(context, *model, version, it);
    return exchange_start(it, version, 1e-8);
}

/* Across a node of the wire, at a third of its length; states that cannot be have no consequences. */
static void collars_slide(void **state)
{
    char where[320] = "";
    importer it;
    phx_model *model = NULL;
    exchange e = start_collar(*state, 0.3, 0.8, 3, &it, &model);
    const size_t n = (size_t)e.states;
    double *states = calloc(4 * n, sizeof *states), *rates = states + n, *again = states + 2 * n, *bad = states + 3 * n;

    exchange_run(&e, 0.1);
    phx_result *result = simulate(*state, model, 0.1);
    const double worst = worst_difference(*state, &e, result, where, sizeof where);
    print_message("collar: %d states, %ld steps: %.1e (%s), place %.3f m\n", e.states, e.steps, worst, where,
                  exchange_value(&e, "q"));
    assert_true(exchange_value(&e, "q") > 0.35);
    assert_true(fabs(exchange_value(&e, "residual")) < 1e-7); /* where the curvature jumps */
    if (!(worst < 1e-6))
        fail_msg("%s differs by %g", where, worst);
    exchange_get_states(&e, states);
    exchange_get_rates(&e, rates);
    for (size_t k = 0; k < n; k++)
        bad[k] = k % 3 ? 1e4 * (double)k : -1e5;
    exchange_set_states(&e, e.t, bad);
    assert_int_equal(it.fmi3GetContinuousStateDerivatives(e.c, again, n), fmi3Discard);
    assert_non_null(strstr(it.log, "cannot be closed"));
    exchange_set_states(&e, e.t, states);
    exchange_get_rates(&e, again);
    for (size_t k = 0; k < n; k++)
        if (!(fabs(again[k] - rates[k]) <= 1e-9 * (1.0 + fabs(rates[k]))))
            fail_msg("derivative %zu is %.17g after states that cannot be, was %.17g", k + 1, again[k], rates[k]);
    exchange_free(&e);
    importer_close(&it);
    phx_result_destroy(result);
    phx_model_destroy(model);
    free(states);
}

/* A collar leaves the wire: the step that has passed its end is an error, as in a simulation. */
static void collars_leave(void **state)
{
    bool event, terminate;
    importer it;
    phx_model *model = NULL;
    exchange e = start_collar(*state, 0.99, 0.5, 3, &it, &model);
    double *states = calloc((size_t)e.states, sizeof *states), *rates = calloc((size_t)e.states, sizeof *rates);
    int k = 0;
    fmi3Status status = fmi3OK;

    for (; k < 60 && status == fmi3OK; k++) {
        exchange_get_states(&e, states);
        exchange_get_rates(&e, rates);
        for (int i = 0; i < e.states; i++)
            states[i] += 5e-4 * rates[i];
        exchange_set_states(&e, 5e-4 * (k + 1), states);
        status = it.fmi3CompletedIntegratorStep(e.c, true, &event, &terminate);
    }
    assert_int_equal(status, fmi3Error);
    assert_non_null(strstr(it.log, "its point leaves body 'wire' at the end C"));
    assert_in_range(k, 30, 42); /* 0.01 m at 0.5 m/s */
    exchange_free(&e);
    importer_close(&it);
    phx_model_destroy(model);
    free(states);
    free(rates);
}

/* ---- joints stay closed ---- */
/* The slider-crank of the examples with both sides of the ball among the outputs. */
static const char slider_crank[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {r: 0.08, l: 0.3, h: 0.12}\n"
    "ground: {ports: {bearing: {position: [0, 0, h]}}}\n"
    "bodies:\n"
    "  crank: {kind: rigid, mass: 0.12, inertia: [1e-4, 1e-5, 1e-4], centre_of_mass: [0, r/2, 0],\n"
    "    pose: {position: [0, 0, h]}, ports: {pin: {position: [0, r, 0]}}}\n"
    "  rod: {kind: rigid, mass: 0.5, inertia: [4e-4, 4e-3, 4e-3], centre_of_mass: [l/2, 0, 0],\n"
    "    pose: {position: [0, r, h], rotation: {axis: [0, 1, 0], angle: asin(h/l)}, guess: true},\n"
    "    ports: {end: {position: [l, 0, 0]}}}\n"
    "  slider: {kind: rigid, mass: 2, inertia: [1e-4, 1e-4, 1e-4], pose: {position: [l, 0, 0], guess: true}}\n"
    "joints:\n"
    "  crank: {kind: revolute, ports: [ground.bearing, crank.P], axis: [1, 0, 0], angle: 0, rate: 9 }\n"
    "  ball: {kind: spherical, ports: [crank.pin, rod.P]}\n"
    "  cross: {kind: universal, ports: [slider.P, rod.end], axes: [[0, 0, 1], [0, 1, 0]]}\n"
    "  guide: {kind: prismatic, ports: [ground.O, slider.P], axis: [1, 0, 0]}\n"
    "outputs:\n"
    "  q: {coordinate: crank}\n"
    "  a: {position: crank.pin}\n"
    "  b: {position: rod.P}\n"
    "  va: {velocity: crank.pin}\n"
    "  vb: {velocity: rod.P}\n"
    "simulate: {end: 100, step: 1e-3}\n";

static double distance(exchange *e, const char *a, const char *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        char one[20], other[20];
        snprintf(one, sizeof one, "%s.%c", a, 'x' + k);
        snprintf(other, sizeof other, "%s.%c", b, 'x' + k);
        sum += pow(exchange_value(e, one) - exchange_value(e, other), 2);
    }
    return sqrt(sum);
}

static void joints_stay_closed(void **state)
{
    double places = 0.0, rates = 0.0, energy = 0.0;
    importer it;
    phx_model *model = read_text(*state, slider_crank);

    export_model(*state, model, 3, &it);
    exchange e = exchange_start(&it, 3, 1e-6); /* loose: the joints do not know of it */
    const double energy0 = exchange_value(&e, "energy");
    for (int k = 1; k <= TEST_SHORTER(100, 10); k++) {
        exchange_run(&e, k);
        places = fmax(places, distance(&e, "a", "b"));
        rates = fmax(rates, distance(&e, "va", "vb"));
        energy = fmax(energy, fabs(exchange_value(&e, "energy") - energy0));
    }
    print_message("100 s: %ld steps, %d choices, %g m, %g m/s, energy %g of %g J\n", e.steps, e.state_events, places,
                  rates, energy, energy0);
    assert_true(places < 1e-10 && rates < 1e-10);
    assert_true(energy < 1e-2 * energy0);
    exchange_free(&e);
    importer_close(&it);
    phx_model_destroy(model);
}

/* The angle of the crank counts its turns. */
static void turns_are_counted(void **state)
{
    char *fast = strdup(slider_crank);
    importer it;

    const double end = TEST_SHORTER(1.0, 0.5); /* s */
    memcpy(strstr(fast, "rate: 9 "), "rate: 60", 8);
    phx_model *model = read_text(*state, fast);
    export_model(*state, model, 2, &it);
    exchange e = exchange_start(&it, 2, 1e-8);
    exchange_run(&e, end);
    phx_result *result = simulate(*state, model, end);
    double expected = 0.0;
    CHECK_OK(*state, phx_result_column(result, phx_result_column_find(result, "q"), 10, 1, &expected));
    assert_true(expected > 20.0 && fabs(exchange_value(&e, "q") - expected) < 1e-5 * expected);
    phx_result_destroy(result);
    exchange_free(&e);
    importer_close(&it);
    phx_model_destroy(model);
    free(fast);
}

/* ---- controllers ---- */
static const char arm[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  arm: {kind: rigid, mass: 2, inertia: 0.1, centre_of_mass: [0.4, 0]}\n"
    "joints:\n"
    "  pin: {kind: revolute, ports: [ground.O, arm.P], angle: 0.2}\n"
    "controllers:\n"
    "  hold: {kind: pid, measure: pin, effort: pin, reference: 0.5*sin(2*t), kp: 60, ki: 40, kd: 6%s}\n"
    "outputs:\n"
    "  q: {coordinate: pin}\n"
    "simulate: {end: 0.5, step: 2e-5, every: 0.5}\n";

/* Continuous ones as states, sampled ones as time events: where the midpoint rule goes with small steps. */
static void controllers_work(void **state)
{
    static const struct {
        const char *more;
        int samples;
    } kinds[] = {{"", 0}, {", sample: 0.01, delay: 1", 50}, {", limit: [-7, 7], anti_windup: 3", 0}};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char text[1500];
        double expected = 0.0;
        importer it;
        phx_simulate_report report;
        phx_simulate_options options = phx_simulate_options_default();
        phx_result *result = NULL;
        snprintf(text, sizeof text, arm, kinds[k].more);
        phx_model *model = read_text(*state, text);
        CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
        const int column = phx_result_column_find(result, "q");
        CHECK_OK(*state, phx_result_column(result, column, phx_result_rows(result) - 1, 1, &expected));
        export_model(*state, model, 2, &it);
        exchange e = exchange_start(&it, 2, 1e-9);
        exchange_run(&e, 0.5);
        print_message("pid%s: %.9f, expected %.9f; %d time events\n", kinds[k].more, exchange_value(&e, "q"), expected,
                      e.time_events);
        assert_true(fabs(exchange_value(&e, "q") - expected) < 1e-7);
        assert_int_equal(e.time_events, kinds[k].samples);
        exchange_free(&e);
        importer_close(&it);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* ---- parameters ---- */
static const char tuned[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "parameters: {F: 3, S: 0.5}\n"
                            "bodies:\n"
                            "  cart: {kind: rigid, mass: 2, inertia: 0.1}\n"
                            "  bob: {kind: rigid, mass: 1, inertia: 0.01, centre_of_mass: [0.4, 0]}\n"
                            "joints:\n"
                            "  rail: {kind: prismatic, ports: [ground.O, cart.P], axis: [1, 0], speed: %s}\n"
                            "  pin: {kind: revolute, ports: [cart.P, bob.P], damping: 0.05}\n"
                            "loads: {push: {force: [%s, 0], at: bob.P}, turn: {torque: %s, at: bob.P}}\n"
                            "outputs: {q: {coordinate: pin}, x: {coordinate: rail}}\n"
                            "simulate: {end: 0.7, step: 1e-3, every: 0.7}\n";

/* Changed at an event, as if the model had said so; the balance of energy stays closed. */
static void parameters_change_at_events(void **state)
{
    static const char *const names[] = {"q", "x", "kinetic", "residual", "supplied", "dissipated"};
    char text[1500];
    double expected[6];

    snprintf(text, sizeof text, tuned, "S*cos(5*t)", "3 - 5*(t >= 0.3)", "0.1*(3 - 5*(t >= 0.3))");
    phx_model *given = read_text(*state, text);
    phx_result *result = simulate(*state, given, 0.7);
    for (int k = 0; k < 6; k++)
        CHECK_OK(*state, phx_result_column(result, phx_result_column_find(result, names[k]),
                                           phx_result_rows(result) - 1, 1, &expected[k]));
    phx_result_destroy(result);
    phx_model_destroy(given);
    snprintf(text, sizeof text, tuned, "S*cos(5*t)", "F", "0.1*F");
    phx_model *model = read_text(*state, text);
    for (int version = 2; version <= 3; version++) {
        importer it;
        export_model(*state, model, version, &it);
        exchange e = exchange_start(&it, version, 1e-9);
        exchange_run(&e, 0.3);
        exchange_tune(&e, "F", -2.0);
        exchange_run(&e, 0.7);
        for (int k = 0; k < 6; k++) {
            const double value = exchange_value(&e, names[k]);
            CHECK_CLOSE(value, expected[k], 1e-6 * (1.0 + fabs(expected[k])), "%s", names[k]);
        }
        CHECK_CLOSE(exchange_value(&e, "residual"), 0.0, 1e-6, "balance of energy");
        exchange_free(&e);
        importer_close(&it);
    }
    phx_model_destroy(model);
}

/* ---- saved states ---- */
/* In model exchange too a saved state is everything: derivatives are the same bit by bit, in another instance too. */
static void saved_states_are_whole(void **state)
{
    enum { MOST = 20 };
    double rates[3][MOST], states[MOST];
    fmi3FMUState saved = NULL, read = NULL;
    size_t size = 0;
    importer it;
    phx_model *model = read_text(*state, slider_crank);

    export_model(*state, model, 3, &it);
    exchange one = exchange_start(&it, 3, 1e-8), two = exchange_start(&it, 3, 1e-8);
    exchange_run(&one, 1.3);
    exchange_get_states(&one, states);
    states[0] += 0.01;
    exchange_set_states(&one, 1.31, states);
    assert_int_equal(it.fmi3GetFMUState(one.c, &saved), fmi3OK);
    exchange_get_rates(&one, rates[0]);
    exchange_run(&one, 2.0);
    assert_int_equal(it.fmi3SetFMUState(one.c, saved), fmi3OK);
    exchange_get_rates(&one, rates[1]);
    assert_int_equal(it.fmi3SerializedFMUStateSize(one.c, saved, &size), fmi3OK);
    fmi3Byte *bytes = malloc(size);
    assert_int_equal(it.fmi3SerializeFMUState(one.c, saved, bytes, size), fmi3OK);
    assert_int_equal(it.fmi3DeserializeFMUState(two.c, bytes, size, &read), fmi3OK);
    assert_int_equal(it.fmi3SetFMUState(two.c, read), fmi3OK);
    exchange_get_rates(&two, rates[2]);
    assert_memory_equal(rates[0], rates[1], (size_t)one.states * sizeof(double));
    assert_memory_equal(rates[0], rates[2], (size_t)one.states * sizeof(double));
    fmi3Instance steps = importer_start3(&it, "steps"); /* an instance for co-simulation does not take it */
    assert_int_equal(it.fmi3SetFMUState(steps, saved), fmi3Error);
    assert_non_null(strstr(it.log, "model exchange"));
    it.fmi3FreeInstance(steps);
    assert_int_equal(it.fmi3FreeFMUState(one.c, &saved), fmi3OK);
    assert_int_equal(it.fmi3FreeFMUState(two.c, &read), fmi3OK);
    free(bytes);
    exchange_free(&one);
    exchange_free(&two);
    importer_close(&it);
    phx_model_destroy(model);
}

/* ---- drives that jump ---- */
/* A pendulum on a cart whose rate jumps at 0.2 s, and with B: the impulse goes through the pin, about which the
 * momentum of the pendulum stays. */
static const char jumping[] = "phlexor: 1\n"
                              "dimension: 2\n"
                              "gravity: [0, -9.81]\n"
                              "parameters: {B: 0.1}\n"
                              "bodies:\n"
                              "  cart: {kind: rigid, mass: 2, inertia: 0.1}\n"
                              "  arm: {kind: rigid, mass: 2, inertia: 0.5, centre_of_mass: [0.4, 0]}\n"
                              "joints:\n"
                              "  rail: {kind: prismatic, ports: [ground.O, cart.P], axis: [1, 0],\n"
                              "    speed: 0.3 + (t >= 0.2) + B}\n"
                              "  pin: {kind: revolute, ports: [cart.P, arm.P], angle: 0.3}\n"
                              "outputs: {q: {coordinate: pin}, w: {rate: pin}, v: {rate: rail}}\n"
                              "simulate: {step: 1e-3, end: 1}\n";

/* I w - m s sin(q) v: of the arm about the pin */
static double momentum(exchange *e)
{
    return (0.5 + 2.0 * 0.16) * exchange_value(e, "w") - 0.8 * sin(exchange_value(e, "q")) * exchange_value(e, "v");
}

static void drives_jump(void **state)
{
    phx_model *model = read_text(*state, jumping);

    for (int version = 2; version <= 3; version++) {
        importer it;
        export_model(*state, model, version, &it);
        exchange e = exchange_start(&it, version, 1e-10);
        assert_true(exchange_to_event(&e, 0.5)); /* the time event */
        CHECK_CLOSE(e.t, 0.2, 1e-15, "the jump");
        double states[8];
        exchange_get_states(&e, states);
        assert_true(exchange_event(&e));
        const double w = exchange_value(&e, "w"), q = exchange_value(&e, "q");
        CHECK_CLOSE(exchange_value(&e, "v"), 1.4, 1e-12, "rate of the drive");
        CHECK_CLOSE(w - states[2], 0.8 * sin(q) / 0.82, 1e-12, "jump of the pendulum"); /* I dw = m s sin(q) dv */
        CHECK_CLOSE(exchange_value(&e, "residual"), 0.0, 1e-8, "energy");
        exchange_run(&e, 0.3);
        const double before = momentum(&e), supplied = exchange_value(&e, "supplied"), v = exchange_value(&e, "v");
        const double residual = exchange_value(&e, "residual"); /* of the integrator */
        exchange_tune(&e, "B", 0.6);
        CHECK_CLOSE(exchange_value(&e, "v"), v + 0.5, 1e-12, "rate of the drive");
        CHECK_CLOSE(momentum(&e), before, 1e-12, "momentum about the pin");
        CHECK_CLOSE(exchange_value(&e, "residual"), residual, 1e-12, "energy");
        assert_true(fabs(exchange_value(&e, "supplied") - supplied) > 0.1);
        exchange_free(&e);
        importer_close(&it);
    }
    phx_model_destroy(model);
}

/* ---- derivatives ---- */
static const char pendulum[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies: {arm: {kind: rigid, mass: 2, inertia: 0.5, centre_of_mass: [0.4, 0], ports: {C: {position: [1, 0]}}}}\n"
    "joints: {pin: {kind: revolute, ports: [ground.O, arm.P], angle: 0.3, rate: 0.7, damping: 0.05, effort: 0}}\n"
    "outputs: {q: {coordinate: pin}, a: {acceleration: arm.C}}\n"
    "simulate: {step: 1e-3}\n";

/* I q'' = u - d q' - m g s cos q; the acceleration of the end is l (q'' (-sin, cos) - q'^2 (cos, sin)). */
static void derivatives_are_those_of_a_pendulum(void **state)
{
    const double q = 0.3, w = 0.7, I = 0.5 + 2.0 * 0.16, d = 0.05, m_g_s = 2.0 * 9.81 * 0.4, l = 1.0;
    const double alpha = (-d * w - m_g_s * cos(q)) / I, alpha_q = m_g_s * sin(q) / I;
    const double expected[3][3] = {/* of q'', of the acceleration along x and y, with respect to q, q', u */
                                   {alpha_q, -d / I, 1.0 / I},
                                   {l * (-alpha_q * sin(q) - alpha * cos(q) + w * w * sin(q)),
                                    l * (d / I * sin(q) - 2.0 * w * cos(q)), -l * sin(q) / I},
                                   {l * (alpha_q * cos(q) - alpha * sin(q) - w * w * cos(q)),
                                    l * (-d / I * cos(q) - 2.0 * w * sin(q)), l * cos(q) / I}};
    importer it;
    phx_model *model = read_text(*state, pendulum);
    export_model(*state, model, 3, &it);
    exchange e = exchange_start(&it, 3, 1e-8);
    double before[20], after[20], column[3], row[3];
    const unsigned unknown[3] = {importer_variable(&it, "der(state.u1)"), importer_variable(&it, "a.x"),
                                 importer_variable(&it, "a.y")};
    const unsigned known[3] = {importer_variable(&it, "state.y1"), importer_variable(&it, "state.u1"),
                               importer_variable(&it, "pin.effort")};

    exchange_get_rates(&e, before);
    for (int k = 0; k < 3; k++) {
        const double one = 1.0, seed[3] = {k == 0, k == 1, k == 2};
        assert_int_equal(it.fmi3GetDirectionalDerivative(e.c, unknown, 3, &known[k], 1, &one, 1, column, 3), fmi3OK);
        for (int i = 0; i < 3; i++)
            if (!(fabs(column[i] - expected[i][k]) < 1e-9 * (1.0 + fabs(expected[i][k]))))
                fail_msg("derivative %d by %d is %.15g, expected %.15g", i, k, column[i], expected[i][k]);
        assert_int_equal(it.fmi3GetAdjointDerivative(e.c, unknown, 3, known, 3, seed, 3, row, 3), fmi3OK);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(row[i] - expected[k][i]) < 1e-9 * (1.0 + fabs(expected[k][i])));
    }
    exchange_get_rates(&e, after);
    assert_memory_equal(before, after, (size_t)e.states * sizeof *before);
    assert_int_equal(it.fmi3GetDirectionalDerivative(e.c, unknown, 3, unknown, 1, before, 1, column, 3), fmi3Error);
    assert_non_null(strstr(it.log, "neither input nor state nor parameter"));
    exchange_free(&e);

    fmi3Instance c = importer_start3(&it, "steps"); /* between steps, with respect to the input */
    const double one = 1.0;
    assert_int_equal(it.fmi3GetDirectionalDerivative(c, unknown + 1, 2, known + 2, 1, &one, 1, column, 2), fmi3OK);
    assert_true(fabs(column[0] - expected[1][2]) < 1e-9 && fabs(column[1] - expected[2][2]) < 1e-9);
    it.fmi3FreeInstance(c);
    importer_close(&it);
    phx_model_destroy(model);
}

static const char driven[] = "phlexor: 1\n"
                             "dimension: 2\n"
                             "gravity: [0, -9.81]\n"
                             "parameters: {A: 3, w: 20, S: 0.5, B: 0.2}\n"
                             "bodies:\n"
                             "  cart: {kind: rigid, mass: 2, inertia: 0.1}\n"
                             "  arm: {kind: rigid, mass: 2, inertia: 0.5, centre_of_mass: [0.4, 0]}\n"
                             "  wheel: {kind: rigid, mass: 1, inertia: 0.1}\n"
                             "joints:\n"
                             "  rail: {kind: prismatic, ports: [ground.O, cart.P], axis: [1, 0], speed: S*cos(5*t)}\n"
                             "  axle: {kind: revolute, ports: [ground.O, wheel.P], motion: B*sin(3*t)}\n"
                             "  pin: {kind: revolute, ports: [ground.O, arm.P], angle: 0.3, effort: A*sin(w*t)}\n"
                             "outputs: {q: {coordinate: pin}, v: {rate: rail}}\n"
                             "simulate: {step: 1e-3}\n";

/* By parameters: I q'' = A sin(w t) - m g s cos q and the powers; in the initialization the start state follows, with
 * the kinetic energies m S^2/2 of the cart and I_w (3 B)^2/2 of the wheel. */
static void derivatives_by_parameters(void **state)
{
    const double I = 0.5 + 2.0 * 0.16, A = 3.0, w = 20.0, S = 0.5, B = 0.2, t = 0.07, one = 1.0;
    importer it;
    phx_model *model = read_text(*state, driven);
    export_model(*state, model, 3, &it);
    exchange e = exchange_start(&it, 3, 1e-9);
    exchange_run(&e, t);
    const double rate = exchange_value(&e, "state.u3");
    const unsigned unknown[4] = {importer_variable(&it, "der(state.u3)"), importer_variable(&it, "v"),
                                 importer_variable(&it, "der(supplied)"), importer_variable(&it, "kinetic")};
    const unsigned known[4] = {importer_variable(&it, "A"), importer_variable(&it, "w"), importer_variable(&it, "S"),
                               importer_variable(&it, "B")};
    const double force = -2.0 * 5.0 * S * sin(5.0 * t), v = S * cos(5.0 * t); /* of the drive */
    const double c3 = cos(3.0 * t), s3 = sin(3.0 * t); /* of the wheel: power -I_w 27 B^2 s3 c3 */
    const double expected[4][4] = {
        {sin(w * t) / I, A * t * cos(w * t) / I, 0.0, 0.0},
        {0.0, 0.0, cos(5.0 * t), 0.0},
        {sin(w * t) * rate, A * t * cos(w * t) * rate, 2.0 * force * v / S, -5.4 * B * s3 * c3},
        {0.0, 0.0, 2.0 * v * cos(5.0 * t), 0.9 * B * c3 * c3}};
    double before[10], after[10], column[4], row[4];

    assert_true(e.states == 3 + 1 + 2 && fabs(rate) > 0.01);
    exchange_get_rates(&e, before);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(it.fmi3GetDirectionalDerivative(e.c, unknown, 4, &known[k], 1, &one, 1, column, 4), fmi3OK);
        for (int i = 0; i < 4; i++)
            CHECK_CLOSE(column[i], expected[i][k], 1e-9 * (1.0 + fabs(expected[i][k])), "of %d by %d", i, k);
    }
    assert_int_equal(it.fmi3GetAdjointDerivative(e.c, unknown, 1, known, 4, &one, 1, row, 4), fmi3OK);
    for (int k = 0; k < 4; k++)
        CHECK_CLOSE(row[k], expected[0][k], 1e-9 * (1.0 + fabs(expected[0][k])), "adjoint by %d", k);
    exchange_get_rates(&e, after);
    assert_memory_equal(before, after, (size_t)e.states * sizeof *before);
    const double value = exchange_value(&e, "A");
    assert_true(value == A);
    exchange_free(&e);

    fmi3Instance c = importer_exchange3(&it, "start");
    double kept[2], again[2];
    assert_int_equal(it.fmi3EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0), fmi3OK);
    assert_int_equal(it.fmi3GetFloat64(c, unknown + 2, 2, kept, 2), fmi3OK);
    assert_int_equal(it.fmi3GetDirectionalDerivative(c, unknown, 4, &known[2], 1, &one, 1, column, 4), fmi3OK);
    CHECK_CLOSE(column[1], 1.0, 1e-10, "of the start rate by S");
    CHECK_CLOSE(column[3], 2.0 * S, 1e-10, "of the start energy by S");
    assert_int_equal(it.fmi3GetDirectionalDerivative(c, unknown + 3, 1, &known[3], 1, &one, 1, column, 1), fmi3OK);
    CHECK_CLOSE(column[0], 0.1 * 9.0 * B, 1e-10, "of the start energy by B");
    assert_int_equal(it.fmi3GetFloat64(c, unknown + 2, 2, again, 2), fmi3OK);
    assert_memory_equal(kept, again, sizeof kept);
    it.fmi3FreeInstance(c);
    importer_close(&it);
    phx_model_destroy(model);
}

/* ---- what does not fit ---- */
static void wrong_calls(void **state)
{
    double states[20];
    fmi2EventInfo info;
    importer it;
    phx_model *model = read_text(*state, slider_crank);

    export_model(*state, model, 2, &it);
    exchange e = exchange_start(&it, 2, 1e-8);
    exchange_get_states(&e, states);
    assert_int_equal(it.fmi2DoStep(e.c, 0.0, 1e-3, 1), fmi2Error);
    assert_int_equal(it.fmi2NewDiscreteStates(e.c, &info), fmi2Error);
    assert_int_equal(it.fmi2GetDerivatives(e.c, states, 1), fmi2Error);
    const size_t n = (size_t)e.states;
    states[0] = 1e6; /* the joints cannot be closed there: the integrator is to come nearer */
    states[1] = NAN;
    assert_int_equal(it.fmi2SetContinuousStates(e.c, states, n), fmi2Discard);
    fmi2Component steps = importer_start2(&it, "steps");
    assert_int_equal(it.fmi2GetDerivatives(steps, states, n), fmi2Error);
    assert_int_equal(it.fmi2EnterEventMode(steps), fmi2Error);
    it.fmi2FreeInstance(steps);
    exchange_free(&e);
    importer_close(&it);

    phx_fmu_options options = phx_fmu_options_default();
    options.kind = PHX_FMU_MODEL_EXCHANGE;
    CHECK_OK(*state, phx_fmu_export(*state, model, &options, "only.fmu", NULL));
    importer_open(&it, "only.fmu", "x86_64-linux");
    remove("only.fmu");
    assert_null(importer_make3(&it, "steps"));
    assert_non_null(strstr(it.log, "not for co-simulation"));
    assert_null(strstr(it.description, "<CoSimulation"));
    importer_close(&it);
    options.kind = 0;
    assert_int_equal(phx_fmu_export(*state, model, &options, "only.fmu", NULL), PHX_ERR_ARGUMENT);
    phx_model_destroy(model);
}

static int create(void **state)
{
    return phx_context_create((phx_context **)state) != PHX_OK;
}

static int destroy(void **state)
{
    phx_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_radau5),
        cmocka_unit_test(collars_slide),
        cmocka_unit_test(collars_leave),
        cmocka_unit_test(joints_stay_closed),
        cmocka_unit_test(turns_are_counted),
        cmocka_unit_test(controllers_work),
        cmocka_unit_test(parameters_change_at_events),
        cmocka_unit_test(saved_states_are_whole),
        cmocka_unit_test(drives_jump),
        cmocka_unit_test(derivatives_are_those_of_a_pendulum),
        cmocka_unit_test(derivatives_by_parameters),
        cmocka_unit_test(wrong_calls),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
