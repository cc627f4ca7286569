/* FMUs of models with events: their steps are those of the simulation bit by bit, saved states carry what is attached
 * and what is armed, instances do not know of each other, the ledger has what events take. */
#define _POSIX_C_SOURCE 200809L
#include "cosim/cosim.h"
#include "fmu/importer.h"
#include "results/results.h"

#include <malloc.h>
#include <math.h>
#include <phlexor/fmu.h>

/* ---- models ---- */
/* A crane in space: a payload on a bushing is gripped by a weld and by a redundant spherical joint, a spring breaks, a
 * drive is switched off, and a sampled controller works on the way. */
static const char crane[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "materials: {aluminium: {young: 7e10, density: 2700, poisson: 0.3}}\n"
    "bodies:\n"
    "  tower: {kind: rigid, mass: 50, inertia: [4, 4, 2], ports: {top: {position: [0, 0, 1]}}}\n"
    "  boom: {kind: beam, length: 2, material: aluminium, section: {kind: circle, diameter: 0.04}, elements: 2, "
    "reference: cantilever,\n"
    "    pose: {position: [0, 0, 1]}}\n"
    "  load: {kind: rigid, mass: 3, inertia: [0.1, 0.1, 0.1], pose: {position: [2, 0, 0.97]},\n"
    "    ports: {eye: {position: [0, 0, 0.02]}}}\n"
    "ground: {ports: {shelf: {position: [2, 0, 0.4]}}}\n"
    "joints:\n"
    "  slew: {kind: revolute, ports: [ground.O, tower.P], axis: [0, 0, 1], speed: 0.6*sin(3*t)}\n"
    "  luff: {kind: revolute, ports: [tower.top, boom.P], axis: [0, 1, 0], damping: 8,\n"
    "    friction: {coefficient: 0.2, radius: 0.05, regularised: 0.02}}\n"
    "  grip: {kind: weld, ports: [boom.C, load.P], active: false}\n"
    "  pin: {kind: spherical, ports: [boom.C, load.eye], active: false}\n"
    "springs:\n"
    "  table: {ports: [ground.shelf, load.P], stiffness: 400, length: 0.6, damping: 3}\n"
    "loads: {wind: {force: [0, 4*t, 0], at: load.P, active: false}}\n"
    "outputs:\n"
    "  tip: {position: boom.C}\n"
    "  load: {position: load.P}\n"
    "  lift: {coordinate: luff}\n"
    "  held: {reaction: luff}\n"
    "controllers:\n"
    "  hoist: {kind: pid, sample: 4e-3, measure: luff, effort: luff, kp: 300, kd: 5, reference: -0.1}\n"
    "events:\n"
    "  pick: {at: 0.0307, attach: [grip]}\n"
    "  lock: {output: lift, rises_to: 0.012, attach: [pin], switch_off: [table], switch_on: [wind]}\n"
    "  coast: {at: 0.08, drive_off: [slew]}\n"
    "  drop: {output: load.z, falls_to: 0.9, release: [grip, pin]}\n"
    "simulate: {end: 0.24, step: 2e-3}\n";

/* A mass on a spring that breaks where it is stretched most, and a thrust that is lit there and cut later. */
static const char thruster[] =
    "phlexor: 1\ndimension: 2\nbodies: {m: {kind: rigid, mass: 2, inertia: 1, velocity: {linear: [3, 0]}}}\n"
    "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [1, 0]}}\n"
    "ground: {ports: {W: {position: [-1, 0]}}}\n"
    "springs: {s: {ports: [ground.W, m.P], stiffness: 50, length: 1}}\n"
    "loads: {thrust: {at: m.P, force: [8, 0], active: false}, push: {at: m.P, force: [0, 0]}}\n"
    "events:\n"
    "  break: {output: v, falls_to: 0, switch_off: [s], switch_on: [thrust]}\n"
    "  cut: {at: 1, switch_off: [thrust]}\n"
    "outputs: {x: {coordinate: j}, v: {rate: j}}\nsimulate: {end: 2, step: 1e-3}\n";

static phx_model *read_model(phx_context *context, const char *name)
{
    char path[512];
    phx_model *model = NULL;

    if (!strchr(name, '\n')) {
        snprintf(path, sizeof path, "%s/examples/%s", PHX_SOURCE_DIR, name);
        CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    } else {
        CHECK_OK(context, phx_model_read_text(context, "text.yaml", name, strlen(name), 0, NULL, &model));
    }
    return model;
}

typedef struct settings {
    const char *model; /* name of an example, or text */
    double step, rtol;
    int steps;
    phx_integrator integrator;
    bool impacts; /* whose impulses another LAPACK finds in the FMU: equal to rounding */
} settings;

static phx_simulate_options options_of(const settings *of)
{
    phx_simulate_options options = phx_simulate_options_default();
    options.step = (phx_model_optional){.given = true, .value = of->step};
    options.rtol = (phx_model_optional){.given = of->rtol > 0.0, .value = of->rtol};
    options.has_integrator = true;
    options.integrator = of->integrator;
    return options;
}

static void export_model(phx_context *context, const settings *of, int version, importer *it)
{
    phx_fmu_options options = phx_fmu_options_default();
    phx_model *model = read_model(context, of->model);

    options.version = version;
    options.simulate = options_of(of);
    CHECK_OK(context, phx_fmu_export(context, model, &options, "events.fmu", NULL));
    phx_model_destroy(model);
    importer_open(it, "events.fmu", version == 2 ? "linux64" : "x86_64-linux");
    remove("events.fmu");
}

static phx_result *simulate(phx_context *context, const settings *of, int *events)
{
    phx_simulate_options options = options_of(of);
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = read_model(context, of->model);

    options.end = (phx_model_optional){.given = true, .value = of->steps * of->step};
    options.every = (phx_model_optional){.given = true, .value = 0.0};
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &report, &result));
    phx_model_destroy(model);
    *events = report.events + report.impacts + report.transitions;
    return result;
}

static void *start_of(importer *it, int version)
{
    return version == 2 ? (void *)importer_start2(it, "one") : (void *)importer_start3(it, "one");
}

static void free_of(importer *it, int version, void *c)
{
    if (version == 2)
        it->fmi2FreeInstance(c);
    else
        it->fmi3FreeInstance(c);
}

static void step_of(importer *it, int version, void *c, double t, double h)
{
    bool event, terminate, early;
    double last;
    const int status = version == 2 ? (int)it->fmi2DoStep(c, t, h, 0)
                                    : (int)it->fmi3DoStep(c, t, h, false, &event, &terminate, &early, &last);
    if (status != 0)
        fail_msg("step from %.9g s: %s", t, it->log);
}

static void get_of(importer *it, int version, void *c, size_t n, const unsigned *variables, double *values)
{
    if (version == 2)
        assert_int_equal(it->fmi2GetReal(c, variables, n, values), fmi2OK);
    else
        assert_int_equal(it->fmi3GetFloat64(c, variables, n, values, n), fmi3OK);
}

/* ---- the motion of the simulation ---- */
static const settings cases[] = {
    {"pick_up.yaml", 2e-3, 0.0, 750, PHX_MIDPOINT, false},
    {"pick_up.yaml", 5e-3, 0.0, 300, PHX_GAUSS6, false},
    {"deploying_array.yaml", 5e-3, 0.0, 2400, PHX_MIDPOINT, false},
    {"deploying_array.yaml", 0.02, 1e-6, 600, PHX_RADAU5, false},
    {"deploying_array.yaml", 0.02, 1e-6, 600, PHX_GAUSS4, false},
    {crane, 2e-3, 0.0, 120, PHX_MIDPOINT, false},
    {"billiards.yaml", 1e-3, 0.0, 1200, PHX_MIDPOINT, true},
    {"bouncing_table.yaml", 1e-3, 0.0, 1000, PHX_MIDPOINT, true},
    {"rattleback.yaml", 1e-3, 0.0, 300, PHX_MIDPOINT, true},
    {"stacked_boxes.yaml", 1e-3, 0.0, 2000, PHX_MIDPOINT, true},
    {"stick_slip.yaml", 2e-3, 0.0, 2000, PHX_MIDPOINT, false},
    {thruster, 1e-3, 0.0, 2000, PHX_MIDPOINT, false},
    {thruster, 7e-3, 0.0, 280, PHX_MIDPOINT, false},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Columns of a result and the variables with their names. */
typedef struct shared {
    size_t count;
    int *column;
    unsigned *variable;
    double *values;
} shared;

static shared find_shared(const importer *it, const phx_result *result)
{
    const int n = phx_result_columns(result);
    shared all = {0, calloc((size_t)n, sizeof(int)), calloc((size_t)n, sizeof(unsigned)),
                  calloc((size_t)n, sizeof(double))};

    for (int c = 0; c < n; c++) {
        const char *name = phx_result_column_name(result, c);
        char mark[400];
        snprintf(mark, sizeof mark, "name=\"%s\" valueReference", name);
        if (!strstr(it->description, mark) || !strcmp(name, "t"))
            continue;
        all.column[all.count] = c;
        all.variable[all.count++] = importer_variable(it, name);
    }
    assert_true(all.count >= 9); /* the energies, the ledger, outputs */
    return all;
}

static void free_shared(shared *all)
{
    free(all->column);
    free(all->variable);
    free(all->values);
}

/* The row at the end of a step, after what happens there: those of events between the steps have other times. */
static size_t row_at(phx_context *context, const phx_result *result, size_t from, double t)
{
    size_t found = phx_result_rows(result);
    double at = -1.0;
    for (size_t row = from; row < phx_result_rows(result) && at < t; row++) {
        CHECK_OK(context, phx_result_column(result, 0, row, 1, &at));
        if (fabs(at - t) <= 1e-14 * fmax(1.0, t)) {
            found = row;
            at = 0.0;
        }
    }
    if (found == phx_result_rows(result))
        fail_msg("the simulation has no row at %.17g s", t);
    return found;
}

/* Impacts multiply rounding: `simulate` with its two backends differs by 1.1e-11 after those of stacked_boxes. */
static bool is_same(bool to_rounding, double expected, double value)
{
    return to_rounding ? fabs(value - expected) <= 1e-10 * (1.0 + fabs(expected))
                       : memcmp(&expected, &value, sizeof value) == 0;
}

static void check_row(phx_context *context, const settings *of, const phx_result *result, const shared *all, size_t row,
                      double t)
{
    for (size_t k = 0; k < all->count; k++) {
        double expected;
        CHECK_OK(context, phx_result_column(result, all->column[k], row, 1, &expected));
        if (!is_same(of->impacts, expected, all->values[k]))
            fail_msg("%.40s: %s at %.9g s is %.17g, simulated %.17g", of->model,
                     phx_result_column_name(result, all->column[k]), t, all->values[k], expected);
    }
}

static void compare(phx_context *context, const settings *of, int version)
{
    importer it;
    int events = 0;
    size_t row = 0;
    phx_result *result = simulate(context, of, &events);
    assert_true(of->impacts || events >= 2);
    export_model(context, of, version, &it);
    shared all = find_shared(&it, result);
    void *c = start_of(&it, version);

    for (int step = 0; step <= of->steps; step++) {
        const double t = step * of->step;
        row = row_at(context, result, row, t);
        get_of(&it, version, c, all.count, all.variable, all.values);
        check_row(context, of, result, &all, row, t);
        step_of(&it, version, c, t, of->step);
    }
    free_of(&it, version, c);
    free_shared(&all);
    phx_result_destroy(result);
    importer_close(&it);
}

static void moves_as_the_simulation(void **state)
{
    for (int k = 0; k < CASES; k += TEST_SHORTER(1, 3))
        compare(*state, &cases[k], 2 + k % 2);
}

/* ---- communication steps ---- */
/* Those of several steps are divided into the same ones. */
static void longer_steps_are_divided(void **state)
{
    enum { EACH = 5 };
    static const settings of = {"pick_up.yaml", 2e-3, 0.0, 700, PHX_MIDPOINT, false};
    importer it;
    int events = 0;
    size_t row = 0;
    phx_result *result = simulate(*state, &of, &events);
    export_model(*state, &of, 3, &it);
    shared all = find_shared(&it, result);
    void *c = start_of(&it, 3);

    assert_int_equal(events, 2);
    for (int step = 0; step < of.steps; step += EACH) {
        step_of(&it, 3, c, step * of.step, EACH * of.step);
        const double t = (step + EACH) * of.step;
        row = row_at(*state, result, row, t);
        get_of(&it, 3, c, all.count, all.variable, all.values);
        check_row(*state, &of, result, &all, row, t);
    }
    free_of(&it, 3, c);
    free_shared(&all);
    phx_result_destroy(result);
    importer_close(&it);
}

/* A part of 1. */
static double part(uint64_t *seed)
{
    return 0.5 + 0.5 * random_value(seed);
}

static double value_of(importer *it, int version, void *c, const char *name)
{
    const unsigned variable = importer_variable(it, name);
    double value = NAN;
    get_of(it, version, c, 1, &variable, &value);
    return value;
}

/* Steps of any length: each event at its time, the balance closed, losses among what is dissipated, and the work of an
 * input the sum over the steps of input times flow, across events too. */
static void steps_of_any_length(void **state)
{
    static const settings of = {thruster, 7e-3, 0.0, 0, PHX_MIDPOINT, false};
    uint64_t seed = 3;
    importer it;
    double t = 0.0, work = 0.0, most = 0.0;
    export_model(*state, &of, 2, &it);
    void *c = start_of(&it, 2);
    const unsigned push = importer_variable(&it, "push.fx");

    while (t < 1.5) {
        const double h = 0.05 * part(&seed) + 1e-4, force = 2.0 * part(&seed);
        assert_int_equal(it.fmi2SetReal(c, &push, 1, &force), fmi2OK);
        step_of(&it, 2, c, t, h);
        t += h;
        work += h * force * value_of(&it, 2, c, "push.fx.flow");
        most = fmax(most, fabs(value_of(&it, 2, c, "residual")));
    }
    const double v = value_of(&it, 2, c, "v"), energy = value_of(&it, 2, c, "energy");
    CHECK_SMALL(most, 1e-12 * 50.0, "balance");
    CHECK_CLOSE(energy, v * v, 1e-12 * energy, "the spring has gone");
    CHECK_BETWEEN(value_of(&it, 2, c, "dissipated"), 9.0, 15.0, "what the spring had");
    CHECK_BETWEEN(value_of(&it, 2, c, "supplied"), work + 1.0, work + 40.0, "the thrust beside the input");
    free_of(&it, 2, c);
    importer_close(&it);
}

/* ---- saved states ---- */
enum { MOST = 64 };

/* Values of the variables at the ends of the steps of a run. */
typedef struct course {
    size_t count;
    unsigned variables[MOST];
    double *values; /* (steps + 1) x count */
} course;

static course follow(importer *it, void *c, const settings *of)
{
    course all = {.values = NULL};
    size_t count = 0;

    for (const char *at = it->description; (at = strstr(at, "<Float64 ")); at++)
        count++;
    assert_true(count >= 9);
    all.count = count < MOST ? count : MOST;
    for (unsigned k = 0; k < MOST; k++)
        all.variables[k] = k;
    all.values = calloc((size_t)(of->steps + 1) * all.count, sizeof(double));
    for (int step = 0; step <= of->steps; step++) {
        get_of(it, 3, c, all.count, all.variables, all.values + (size_t)step * all.count);
        if (step < of->steps)
            step_of(it, 3, c, step * of->step, of->step);
    }
    return all;
}

static void check_course(importer *it, void *c, const settings *of, const course *all, int from, int steps)
{
    double values[MOST];

    for (int step = from; step <= from + steps; step++) {
        get_of(it, 3, c, all->count, all->variables, values);
        for (size_t k = 0; k < all->count; k++)
            if (memcmp(&values[k], &all->values[(size_t)step * all->count + k], sizeof(double)) != 0)
                fail_msg("%.40s: variable %zu at step %d of a run from step %d: %.17g, expected %.17g", of->model, k,
                         step, from, values[k], all->values[(size_t)step * all->count + k]);
        if (step < from + steps)
            step_of(it, 3, c, step * of->step, of->step);
    }
}

/* States of one instance in another one, wherever that one stands. */
static void pass_on(importer *it, void *from, void *to, fmi3FMUState saved)
{
    fmi3FMUState read = NULL;
    size_t size = 0;

    assert_int_equal(it->fmi3SerializedFMUStateSize(from, saved, &size), fmi3OK);
    unsigned char *bytes = calloc(size, 1);
    assert_int_equal(it->fmi3SerializeFMUState(from, saved, bytes, size), fmi3OK);
    assert_int_equal(it->fmi3DeserializeFMUState(to, bytes, size, &read), fmi3OK);
    assert_int_equal(it->fmi3SetFMUState(to, read), fmi3OK);
    assert_int_equal(it->fmi3FreeFMUState(to, &read), fmi3OK);
    free(bytes);
}

/* Back from any step to any earlier one, before and behind events, and on; the same in another instance. */
static void check_states(phx_context *context, const settings *of)
{
    enum { STATES = 8 };
    uint64_t seed = 7;
    importer it;
    int at[STATES];
    fmi3FMUState saved[STATES] = {NULL};
    export_model(context, of, 3, &it);
    void *one = start_of(&it, 3), *two = start_of(&it, 3), *three = start_of(&it, 3);
    const course all = follow(&it, three, of);

    for (int k = 0; k < STATES; k++) {
        at[k] = k * of->steps / STATES;
        check_course(&it, one, of, &all, at[k], 0);
        assert_int_equal(it.fmi3GetFMUState(one, &saved[k]), fmi3OK);
        check_course(&it, one, of, &all, at[k], (k + 1) * of->steps / STATES - at[k]);
    }
    for (int trial = 0; trial < TEST_SHORTER(4, 1); trial++) {
        const int k = (int)(STATES * part(&seed)) % STATES;
        const int steps = (int)((of->steps - at[k]) * part(&seed));
        assert_int_equal(it.fmi3SetFMUState(one, saved[k]), fmi3OK);
        check_course(&it, one, of, &all, at[k], steps);
        pass_on(&it, one, two, saved[k]);
        check_course(&it, two, of, &all, at[k], steps);
    }
    assert_int_equal(it.fmi3Reset(two), fmi3OK);
    assert_int_equal(it.fmi3EnterInitializationMode(two, false, 0.0, 0.0, false, 0.0), fmi3OK);
    assert_int_equal(it.fmi3ExitInitializationMode(two), fmi3OK);
    check_course(&it, two, of, &all, 0, of->steps);
    for (int k = 0; k < STATES; k++)
        assert_int_equal(it.fmi3FreeFMUState(one, &saved[k]), fmi3OK);
    free(all.values);
    free_of(&it, 3, one);
    free_of(&it, 3, two);
    free_of(&it, 3, three);
    importer_close(&it);
}

static void saved_states_go_on(void **state)
{
    static const settings of[] = {
        {"pick_up.yaml", 2e-3, 0.0, 500, PHX_MIDPOINT, false},
        {crane, 2e-3, 0.0, 110, PHX_MIDPOINT, false},
        {thruster, 7e-3, 0.0, 160, PHX_MIDPOINT, false},
        {"deploying_array.yaml", 0.02, 1e-6, 500, PHX_RADAU5, false},
        {"pick_up.yaml", 5e-3, 0.0, 200, PHX_GAUSS6, false},
        {"pick_up.yaml", 5e-3, 1e-7, 200, PHX_IDA, false},
        {"stick_slip.yaml", 2e-3, 0.0, 400, PHX_MIDPOINT, false},
        {"bouncing_table.yaml", 1e-3, 0.0, 900, PHX_MIDPOINT, true},
        {"stacked_boxes.yaml", 1e-3, 0.0, 700, PHX_MIDPOINT, true},
        {"billiards.yaml", 1e-3, 0.0, 700, PHX_MIDPOINT, true},
        {"rattleback.yaml", 1e-3, 0.0, 100, PHX_MIDPOINT, true},
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k += TEST_SHORTER(1, 3))
        check_states(*state, &of[k]);
}

/* ---- instances ---- */
/* Two that take turns, one of them pushed, go where each goes alone. */
static void instances_are_apart(void **state)
{
    static const settings of = {thruster, 7e-3, 0.0, 200, PHX_MIDPOINT, false};
    const double force = -3.0;
    importer it;
    course alone[2];
    export_model(*state, &of, 3, &it);
    const unsigned push = importer_variable(&it, "push.fx");
    for (int k = 0; k < 2; k++) {
        void *c = start_of(&it, 3);
        if (k == 1)
            assert_int_equal(it.fmi3SetFloat64(c, &push, 1, &force, 1), fmi3OK);
        alone[k] = follow(&it, c, &of);
        free_of(&it, 3, c);
    }
    void *both[2] = {start_of(&it, 3), start_of(&it, 3)};
    assert_int_equal(it.fmi3SetFloat64(both[1], &push, 1, &force, 1), fmi3OK);
    for (int step = 0; step < of.steps; step++)
        for (int k = 0; k < 2; k++)
            check_course(&it, both[k], &of, &alone[k], step, 1);
    assert_memory_not_equal(alone[0].values, alone[1].values, sizeof(double) * alone[0].count * (size_t)of.steps);
    for (int k = 0; k < 2; k++) {
        free_of(&it, 3, both[k]);
        free(alone[k].values);
    }
    importer_close(&it);
}

static void instances_leave_nothing(void **state)
{
    static const settings of = {thruster, 0.05, 0.0, 25, PHX_MIDPOINT, false};
    importer it;
    size_t used = 0;
    export_model(*state, &of, 2, &it);
    for (int k = 0; k < TEST_SHORTER(400, 150); k++) {
        fmi2FMUstate saved = NULL;
        fmi2Component c = importer_start2(&it, "one");
        assert_int_equal(it.fmi2GetFMUstate(c, &saved), fmi2OK);
        for (int step = 0; step < of.steps; step++)
            step_of(&it, 2, c, step * of.step, of.step);
        assert_int_equal(it.fmi2SetFMUstate(c, saved), fmi2OK);
        assert_int_equal(it.fmi2FreeFMUstate(c, &saved), fmi2OK);
        it.fmi2FreeInstance(c);
        const size_t now = mallinfo2().uordblks;
        if (k == 100)
            used = now;
        if (k > 100 && now > used + 10000)
            fail_msg("%zu bytes after 100 instances, %zu after %d", used, now, k);
    }
    importer_close(&it);
}

/* ---- failures ---- */
/* A step that cannot be made is discarded behind an event, and one that begins before the event goes on from its
 * state. */
static void steps_are_discarded(void **state)
{
    static const settings of = {thruster, 7e-3, 0.0, 0, PHX_MIDPOINT, false};
    const double far = 1e300, none = 0.0;
    importer it;
    fmi2FMUstate saved = NULL;
    double last = -1.0;
    export_model(*state, &of, 2, &it);
    void *c = start_of(&it, 2), *other = start_of(&it, 2);
    const unsigned push = importer_variable(&it, "push.fx");
    for (int k = 0; k < 3; k++)
        step_of(&it, 2, c, 0.1 * k, 0.1);
    assert_int_equal(it.fmi2GetFMUstate(c, &saved), fmi2OK);
    for (int k = 3; k < 5; k++) /* the spring breaks */
        step_of(&it, 2, c, 0.1 * k, 0.1);
    assert_int_equal(it.fmi2SetReal(c, &push, 1, &far), fmi2OK);
    const fmi2Status status = it.fmi2DoStep(c, 0.5, 0.1, 0);
    assert_true(status == fmi2Discard || status == fmi2Error);
    assert_int_equal(it.fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &last), fmi2OK);
    assert_true(last >= 0.5 && last < 0.6);
    assert_int_equal(it.fmi2SetFMUstate(c, saved), fmi2OK);
    assert_int_equal(it.fmi2SetReal(c, &push, 1, &none), fmi2OK);
    for (double t = 0.0; t < 0.95; t += 0.1) {
        step_of(&it, 2, other, t, 0.1);
        if (t > 0.25)
            step_of(&it, 2, c, t, 0.1);
    }
    CHECK_CLOSE(value_of(&it, 2, c, "x"), value_of(&it, 2, other, "x"), 1e-13, "place");
    CHECK_CLOSE(value_of(&it, 2, c, "dissipated"), value_of(&it, 2, other, "dissipated"), 1e-13, "losses");
    assert_int_equal(it.fmi2FreeFMUstate(c, &saved), fmi2OK);
    free_of(&it, 2, c);
    free_of(&it, 2, other);
    importer_close(&it);
}

/* ---- no memory ---- */
static unsigned char *read_bytes(const char *folder, size_t *size)
{
    char path[700];
    snprintf(path, sizeof path, "%s/resources/mechanism.phx", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = calloc(*size, 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static phx_archive *archive_of(phx_unit *unit)
{
    phx_archive *archive = NULL;
    CHECK_OK(phx_unit_context(unit), phx_archive_create(phx_unit_context(unit), &archive));
    phx_unit_archive(archive, unit);
    CHECK_OK(phx_unit_context(unit), phx_archive_status(archive));
    return archive;
}

static phx_status put_back(phx_unit *unit, const phx_archive *saved)
{
    size_t size = 0;
    const void *bytes = phx_archive_bytes(saved, &size);
    phx_archive *archive = NULL;
    phx_status status = phx_archive_open(phx_unit_context(unit), size, bytes, &archive);
    if (!status) {
        phx_unit_archive(archive, unit);
        status = phx_archive_status(archive);
    }
    phx_archive_destroy(archive);
    return status;
}

static phx_status steps_to(phx_unit *unit, int steps)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < steps && !status; k++)
        status = phx_unit_step(unit, 0.05);
    return status;
}

/* Allocations of a step with an event, of setting a state of other rows, and of a start fail in turn; with memory
 * again the unit goes on as if nothing had been. */
static void there_may_be_no_memory(void **state)
{
    static const settings of = {"pick_up.yaml", 5e-3, 0.0, 0, PHX_MIDPOINT, false};
    importer it;
    size_t size = 0;
    phx_unit *unit = NULL;
    double expected = 0.0, value = 0.0;
    export_model(*state, &of, 3, &it);
    unsigned char *bytes = read_bytes(it.folder, &size);
    const int energy = (int)importer_variable(&it, "kinetic");
    CHECK_OK(*state, phx_unit_create(size, bytes, NULL, NULL, &unit));
    phx_context *context = phx_unit_context(unit);
    phx_archive *first = archive_of(unit);
    CHECK_OK(context, steps_to(unit, 8)); /* it is picked up */
    CHECK_OK(context, phx_unit_get(unit, energy, &expected));
    phx_archive *picked = archive_of(unit);

    for (int what = 0; what < 3; what++)
        for (long failed = 0, whole = 0; !whole; failed += TEST_SHORTER(3, 11)) {
            CHECK_OK(context, put_back(unit, what == 0 ? first : picked));
            phx_context_fail_allocation(context, failed);
            phx_status status = what == 0   ? steps_to(unit, 8)
                                : what == 1 ? put_back(unit, first)
                                            : phx_unit_start(unit, 0.0);
            phx_context_fail_allocation(context, -1);
            whole = !status;
            if (status)
                CHECK_STATUS(context, status, PHX_ERR_MEMORY);
            if (status && !phx_unit_stands(unit))
                CHECK_STATUS(context, steps_to(unit, 1), PHX_ERR_ANALYSIS);
            if (status || what == 2)
                CHECK_OK(context, put_back(unit, first));
            if (status || what > 0)
                CHECK_OK(context, steps_to(unit, 8));
            CHECK_OK(context, phx_unit_get(unit, energy, &value));
            assert_memory_equal(&value, &expected, sizeof value);
            assert_true(failed > 3 || !whole);
        }
    phx_archive_destroy(first);
    phx_archive_destroy(picked);
    phx_unit_destroy(unit);
    free(bytes);
    importer_close(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_as_the_simulation), cmocka_unit_test(longer_steps_are_divided),
        cmocka_unit_test(steps_of_any_length),     cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(instances_are_apart),     cmocka_unit_test(instances_leave_nothing),
        cmocka_unit_test(steps_are_discarded),     cmocka_unit_test(there_may_be_no_memory),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
