/* FMUs for model exchange of models with events: CVODE and its root finding go where radau5 goes with the model through
 * attachments and releases, events at the same times, momenta kept, losses booked; saved states are whole across
 * events. */
#define _POSIX_C_SOURCE 200809L
#include "cosim/cosim.h"
#include "fmu/exchange_models.h"

#include <math.h>

/* A crane in space: a payload on a bushing is gripped by a weld and by a redundant spherical joint, a spring breaks, a
 * drive is switched off, and a sampled controller works on the way. */
static const char crane[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  tower: {kind: rigid, mass: 50, inertia: [4, 4, 2], ports: {top: {position: [0, 0, 1]}}}\n"
    "  boom: {kind: rigid, mass: 7, inertia: [0.1, 2.4, 2.4], centre_of_mass: [1, 0, 0], pose: {position: [0, 0, 1]},\n"
    "    ports: {C: {position: [2, 0, 0]}}}\n"
    "  load: {kind: rigid, mass: 3, inertia: [0.1, 0.1, 0.1], pose: {position: [2, 0, 0.97]},\n"
    "    ports: {eye: {position: [0, 0, 0.02]}}}\n"
    "ground: {ports: {shelf: {position: [2, 0, 0.4]}}}\n"
    "joints:\n"
    "  slew: {kind: revolute, ports: [ground.O, tower.P], axis: [0, 0, 1], speed: 0.6*sin(3*t)}\n"
    "  luff: {kind: revolute, ports: [tower.top, boom.P], axis: [0, 1, 0], damping: 8}\n"
    "  grip: {kind: weld, ports: [boom.C, load.P], active: false}\n"
    "  pin: {kind: spherical, ports: [boom.C, load.eye], active: false}\n"
    "springs:\n"
    "  table: {ports: [ground.shelf, load.P], stiffness: 400, length: 0.6, damping: 3}\n"
    "loads: {wind: {force: [0, 4*t, 0], at: load.P, active: false}}\n"
    "outputs:\n"
    "  tip: {position: boom.C}\n"
    "  load: {position: load.P}\n"
    "  lift: {coordinate: luff}\n"
    "controllers:\n"
    "  hoist: {kind: pid, sample: 4e-3, measure: luff, effort: luff, kp: 300, kd: 5, reference: -0.1}\n"
    "events:\n"
    "  pick: {at: 0.0307, attach: [grip]}\n"
    "  lock: {output: lift, rises_to: 0.012, attach: [pin], switch_off: [table], switch_on: [wind]}\n"
    "  coast: {at: 0.08, drive_off: [slew]}\n"
    "  drop: {output: load.z, falls_to: 0.9, release: [grip, pin]}\n"
    "simulate: {end: 0.2, step: 2e-3}\n";

/* Two bodies that fly freely; one catches the other where it has come to a place, and lets it go later. */
static const char catcher[] =
    "phlexor: 1\n"
    "dimension: 3\n"
    "bodies:\n"
    "  one: {kind: rigid, mass: 5, inertia: [0.5, 0.8, 0.6], velocity: {linear: [0.2, -0.1, 0.3], angular: [0.3, 0.5, "
    "-0.4]},\n"
    "    ports: {C: {position: [0.4, 0, 0]}}}\n"
    "  two: {kind: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], pose: {position: [2, 0.1, 0.2]},\n"
    "    velocity: {linear: [-1, 0.2, 0.1], angular: [1, -0.7, 0.4]}}\n"
    "joints: {hold: {kind: weld, ports: [one.C, two.P], active: false}}\n"
    "outputs:\n"
    "  a: {position: one.P}\n"
    "  b: {position: two.P}\n"
    "  va: {velocity: one.P}\n"
    "  vb: {velocity: two.P}\n"
    "  wa: {angular_velocity: one.P}\n"
    "  wb: {angular_velocity: two.P}\n"
    "  ra: {attitude: one.P}\n"
    "  rb: {attitude: two.P}\n"
    "events:\n"
    "  catch: {output: b.x, falls_to: 1, attach: [hold]}\n"
    "  throw: {at: 1.7, release: [hold]}\n"
    "simulate: {end: 2.2, step: 1e-2}\n";

/* Carts that couple; the impulse of that meets the condition of another event at the same instant, which lights a
 * thrust; the thrust brings the first output back and over its value again, but the coupling is done. */
static const char carts[] = "phlexor: 1\n"
                            "dimension: 2\n"
                            "bodies:\n"
                            "  a: {kind: rigid, mass: 2, inertia: 1, velocity: {linear: [3, 0]}}\n"
                            "  b: {kind: rigid, mass: 1, inertia: 1, pose: {position: [1, 0]}}\n"
                            "joints:\n"
                            "  ja: {kind: prismatic, ports: [ground.O, a.P], axis: [1, 0]}\n"
                            "  jb: {kind: prismatic, ports: [ground.B, b.P], axis: [1, 0]}\n"
                            "  couple: {kind: weld, ports: [a.P, b.P], active: false}\n"
                            "ground: {ports: {B: {position: [1, 0]}}}\n"
                            "loads: {thrust: {at: b.P, force: [-8, 0], active: false}}\n"
                            "outputs: {x: {coordinate: ja}, v: {rate: ja}, vb: {rate: jb}}\n"
                            "events:\n"
                            "  touch: {output: x, rises_to: 0.9, attach: [couple]}\n"
                            "  fire: {output: vb, rises_to: 1.5, switch_on: [thrust]}\n"
                            "  part: {output: v, falls_to: -1, release: [couple]}\n"
                            "simulate: {end: 1.5, step: 1e-3}\n";

static const char pick_up[] = "pick_up.yaml", stick_slip[] = "stick_slip.yaml";

/* An arm whose joints rub by their reactions, and stick when it has come to rest; a push wakes it, it catches a weight
 * while the shoulder sticks, and loses it again. */
static const char rubbing[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: {kind: rigid, mass: 2, inertia: 0.2, centre_of_mass: [0.3, 0], ports: {C: {position: [0.6, 0]}}}\n"
    "  lower: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.3, 0], pose: {position: [0.6, 0], guess: true},\n"
    "    ports: {C: {position: [0.6, 0]}}}\n"
    "  weight: {kind: rigid, mass: 0.3, inertia: 0.01, pose: {position: [0.5, -0.9]}, velocity: {linear: [0.1, 0.2]}}\n"
    "joints:\n"
    "  shoulder: {kind: revolute, ports: [ground.O, upper.P], angle: -1.2, effort: 12*(t >= 1.5)*(t < 1.7),\n"
    "    friction: {coefficient: 0.4, radius: 0.1, ratio: 1.3}}\n"
    "  elbow: {kind: revolute, ports: [upper.C, lower.P], angle: 0.4, rate: 1,\n"
    "    friction: {force: 0.8, static: 1}}\n"
    "  grip: {kind: weld, ports: [lower.C, weight.P], active: false}\n"
    "springs: {string: {ports: [ground.O, weight.P], stiffness: 20, length: 0.8}}\n"
    "outputs: {q1: {coordinate: shoulder}, q2: {coordinate: elbow}, p: {position: weight.P}, f: {effort: elbow}}\n"
    "events: {catch: {at: 1.3, attach: [grip]}, lose: {at: 2.1, release: [grip]}}\n"
    "simulate: {end: 3, step: 2e-3}\n";

/* ---- as the simulation ---- */
/* The events of the simulation happen in the FMU at the same times, in the same order. */
static int compare_times(const char *expected, const char *found)
{
    static const char mark[] = "event '", at[] = "' at t = ";
    int count = 0;

    for (; (expected = strstr(expected, mark)) != NULL; count++) {
        found = strstr(found, mark);
        assert_non_null(found);
        expected += strlen(mark);
        found += strlen(mark);
        const size_t length = strcspn(expected, "'");
        assert_memory_equal(expected, found, length + 1);
        const double a = atof(strstr(expected, at) + strlen(at)), b = atof(strstr(found, at) + strlen(at));
        CHECK_CLOSE(b, a, 1e-6, "time of event %.*s", (int)length, expected);
        print_message("  %.*s %.12g, off by %.1e s\n", (int)length, expected, a, b - a);
    }
    assert_null(strstr(found, mark));
    return count;
}

static const struct {
    const char *model;
    double end, step;          /* step: of the integrator, of radau5 between two looks at the conditions */
    phx_integrator integrator; /* that takes samples along, or has fixed steps for friction */
    int version, events;
} cases[] = {
    {pick_up, 1.5, 0.02, PHX_RADAU5, 3, 2},   {"deploying_array.yaml", 12.0, 0.05, PHX_RADAU5, 2, 2},
    {crane, 0.199, 4e-5, PHX_MIDPOINT, 3, 4}, {catcher, 2.2, 0.02, PHX_RADAU5, 3, 2},
    {carts, 1.5, 0.01, PHX_RADAU5, 2, 3},     {stick_slip, 4.0, 5e-3, PHX_GAUSS6, 3, 0},
    {rubbing, 3.0, 5e-3, PHX_GAUSS6, 3, 2},
};

static void events_are_those_of_the_simulation(void **state)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += TEST_SHORTER(1, 3)) {
        char where[320] = "";
        exchange_log log = {""};
        phx_model *model = exchange_read(*state, cases[k].model);
        phx_result *result = exchange_simulate(*state, model, cases[k].end, cases[k].step, cases[k].integrator, &log);
        importer *it = exchange_export(*state, cases[k].model, cases[k].version);
        exchange e = exchange_start(it, cases[k].version, 1e-9);
        exchange_run(&e, cases[k].end);
        const double worst = exchange_difference(*state, &e, result, where, sizeof where);
        print_message("%.12s: %d states, %ld steps, %d+%d events, %.1e (%s)\n", cases[k].model, e.states, e.steps,
                      e.state_events, e.time_events, worst, where);
        assert_int_equal(compare_times(log.log, it->log), cases[k].events);
        if (!(worst < 1e-6))
            fail_msg("%.20s: %s differs by %g", cases[k].model, where, worst);
        CHECK_SMALL(exchange_value(&e, "residual"), 1e-6, "balance of energy");
        exchange_free(&e);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* ---- momenta ---- */
/* Linear momentum and angular momentum about the origin of both bodies: p = m v, L = r x p + R I R^T w. */
static void find_momenta(exchange *e, double momenta[6])
{
    static const double mass[2] = {5.0, 2.0}, inertia[2][3] = {{0.5, 0.8, 0.6}, {0.1, 0.2, 0.3}};
    static const char *const names[2][4] = {{"a", "va", "wa", "ra"}, {"b", "vb", "wb", "rb"}};

    memset(momenta, 0, 6 * sizeof *momenta);
    for (int b = 0; b < 2; b++) {
        double at[4][4], spin[3], body[3];
        for (int q = 0; q < 4; q++)
            for (int k = 0; k < (q == 3 ? 4 : 3); k++) {
                char name[20];
                snprintf(name, sizeof name, "%s.%s", names[b][q],
                         q == 3 ? (const char *const[]){"w", "x", "y", "z"}[k]
                                : (const char *const[]){"x", "y", "z"}[k]);
                at[q][k] = exchange_value(e, name);
            }
        const double *q = at[3], *w = at[2], *r = at[0], *v = at[1];
        const double R[3][3] = {
            {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]), 2 * (q[1] * q[3] + q[0] * q[2])},
            {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1])},
            {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
        for (int i = 0; i < 3; i++)
            body[i] = inertia[b][i] * (R[0][i] * w[0] + R[1][i] * w[1] + R[2][i] * w[2]);
        for (int i = 0; i < 3; i++)
            spin[i] = R[i][0] * body[0] + R[i][1] * body[1] + R[i][2] * body[2];
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            momenta[i] += mass[b] * v[i];
            momenta[3 + i] += mass[b] * (r[j] * v[l] - r[l] * v[j]) + spin[i];
        }
    }
}

/* Across the attachment momenta stay and the loss is booked; the states that are not free any more are zeros with
 * derivatives of zero; nominal values and values are said to have changed at the event, and only there. */
static void momenta_stay(void **state)
{
    double before[6], after[6], states[24], rates[24], nominals[24], indicators[3];

    importer *it = exchange_export(*state, catcher, 3);
    exchange e = exchange_start(it, 3, 1e-9);
    assert_int_equal(e.states, 12 + 12 + 2);
    assert_int_equal(e.indicators, 3);
    assert_non_null(strstr(it->description, "name=\"indicator.event.catch\""));
    exchange_get_indicators(&e, indicators);
    CHECK_CLOSE(indicators[2], 1.0, 1e-15, "way to the place");
    assert_false(exchange_event(&e)); /* nothing is to happen */
    assert_true(exchange_to_event(&e, 2.2));
    const double energy = exchange_value(&e, "energy"), dissipated = exchange_value(&e, "dissipated");
    find_momenta(&e, before);
    assert_true(exchange_event(&e));
    find_momenta(&e, after);
    for (int k = 0; k < 6; k++)
        CHECK_CLOSE(after[k], before[k], 1e-12, "momentum %d", k);
    const double lost = energy - exchange_value(&e, "energy");
    assert_true(lost > 0.1);
    CHECK_CLOSE(exchange_value(&e, "dissipated") - dissipated, lost, 1e-12, "loss");
    exchange_get_indicators(&e, indicators);
    assert_true(indicators[2] == 1.0);
    double all[26], of_all[26], nominal[26];
    exchange_get_states(&e, all);
    exchange_get_rates(&e, of_all);
    exchange_get_nominals(&e, nominal);
    memcpy(states, all, sizeof states);
    memcpy(rates, of_all, sizeof rates);
    memcpy(nominals, nominal, sizeof nominals);
    for (int k = 6; k < 24; k++) {
        assert_true(k >= 12 && k < 18 ? rates[k] == rates[k] : states[k] == 0.0 && rates[k] == 0.0);
        assert_true(nominals[k] > 0.0);
    }
    assert_true(exchange_to_event(&e, 2.2));
    CHECK_CLOSE(e.t, 1.7, 0.0, "release");
    find_momenta(&e, before);
    assert_true(exchange_event(&e));
    find_momenta(&e, after);
    for (int k = 0; k < 6; k++)
        CHECK_CLOSE(after[k], before[k], 1e-13, "momentum %d", k);
    exchange_free(&e);
}

/* ---- saved states ---- */
static void saved_states_go_over_events(void **state)
{
    exchange_over_events(*state, catcher, (const double[3]){0.3, 1.5, 1.75}, 1.8);  /* free, held, free again */
    exchange_over_events(*state, rubbing, (const double[3]){0.02, 1.4, 1.6}, 1.65); /* slips, sticks, slips */
}

static void an_event_can_be_taken_back(void **state)
{
    exchange_over_an_event(*state, pick_up, 1.0, 1.2);
}

/* ---- both kinds in one file ---- */
/* In co-simulation the states of such an FMU follow the steps through events, by other coordinates after them. */
static void states_follow_the_steps(void **state)
{

    importer *it = exchange_export(*state, pick_up, 3);
    const unsigned variables[3] = {importer_variable(it, "state.y1"), importer_variable(it, "state.y2"),
                                   importer_variable(it, "arm")};
    fmi3Instance c = importer_start3(it, "steps");
    double values[3];
    for (int k = 0; k < 140; k++) {
        bool event, terminate, early;
        double last;
        assert_int_equal(it->fmi3DoStep(c, k * 5e-3, 5e-3, true, &event, &terminate, &early, &last), fmi3OK);
        assert_int_equal(it->fmi3GetFloat64(c, variables, 3, values, 3), fmi3OK);
    }
    assert_true(values[2] < -0.6);
    CHECK_CLOSE(values[0], values[2], 1e-12, "the arm alone is free");
    assert_true(values[1] == 0.0);
    it->fmi3FreeInstance(c);
}

/* The numbers of states are the largest that events can lead to, and those that are not free at the start say so. */
static void constants_are_described(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\n"
        "bodies: {arm: {kind: rigid, mass: 2, inertia: 0.2}, tip: {kind: rigid, mass: 1, inertia: 0.1}}\n"
        "joints:\n"
        "  pin: {kind: revolute, ports: [ground.O, arm.P], speed: 1}\n"
        "  weld: {kind: weld, ports: [arm.P, tip.P]}\n"
        "events: {off: {at: 0.1, drive_off: [pin]}, go: {at: 0.2, release: [weld]}}\n"
        "outputs: {q: {coordinate: pin}}\nsimulate: {end: 0.3, step: 1e-3}\n";

    importer *it = exchange_export(*state, text, 2);
    exchange e = exchange_start(it, 2, 1e-8);
    assert_int_equal(e.states, 4 + 4 + 2); /* one driven, and none free, at first */
    int constants = 0;
    for (const char *at = it->description; (at = strstr(at, "at the start a constant")) != NULL; at++)
        constants++;
    assert_int_equal(constants, 3 + 4);
    exchange_run(&e, 0.3);
    CHECK_CLOSE(exchange_value(&e, "q"), 0.3, 1e-9, "it goes on turning");
    exchange_free(&e);
}

/* ---- no memory ---- */
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

static phx_status attach(phx_unit *unit, double *rates)
{
    phx_unit_changes changes;
    phx_unit_set_time(unit, 0.1);
    const phx_status status = phx_unit_event(unit, &changes);
    if (status)
        return status;
    assert_true(changes.happened && changes.chosen_anew && !changes.again);
    return phx_unit_get_rates(unit, rates);
}

/* Each allocation of an event, of going back over it and of a start fails in turn: an error, and with memory again the
 * unit goes on as if nothing had been. */
static void there_may_be_no_memory(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {arm: {kind: rigid, mass: 2, inertia: 0.2, ports: {C: {position: [1, 0]}}},\n"
        "  tip: {kind: rigid, mass: 1, inertia: 0.1, pose: {position: [1, 0]}}}\n"
        "joints:\n"
        "  pin: {kind: revolute, ports: [ground.O, arm.P], rate: 1}\n"
        "  weld: {kind: weld, ports: [arm.C, tip.P], active: false}\n"
        "events: {get: {at: 0.1, attach: [weld]}, low: {output: q, falls_to: -1, release: [weld]}}\n"
        "outputs: {q: {coordinate: pin}}\nsimulate: {end: 0.3, step: 1e-3}\n";
    double expected[10], found[10];
    char path[700];
    phx_unit *unit = NULL;

    importer *it = exchange_export(*state, text, 3);
    snprintf(path, sizeof path, "%s/resources/mechanism.phx", it->folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = calloc(size, 1);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    CHECK_OK(*state, phx_unit_create(size, bytes, NULL, NULL, &unit));
    phx_context *context = phx_unit_context(unit);
    phx_unit_use_exchange(unit, true);
    CHECK_OK(context, phx_unit_start(unit, 0.0));
    assert_int_equal(phx_unit_states(unit), 10);
    phx_archive *first = archive_of(unit);
    CHECK_OK(context, attach(unit, expected));
    phx_archive *attached = archive_of(unit);

    for (int what = 0; what < 3; what++)
        for (long failed = 0, whole = 0; !whole; failed += TEST_SHORTER(1, 5) + what) {
            CHECK_OK(context, put_back(unit, what == 0 ? first : attached));
            phx_context_fail_allocation(context, failed);
            const phx_status status = what == 0   ? attach(unit, found)
                                      : what == 1 ? put_back(unit, first)
                                                  : phx_unit_start(unit, 0.0);
            phx_context_fail_allocation(context, -1);
            whole = !status;
            if (status)
                CHECK_STATUS(context, status, PHX_ERR_MEMORY);
            if (status && !phx_unit_stands(unit))
                CHECK_STATUS(context, phx_unit_get_rates(unit, found), PHX_ERR_ANALYSIS);
            if (status)
                CHECK_OK(context, put_back(unit, first));
            if (status || what > 0)
                CHECK_OK(context, attach(unit, found));
            assert_memory_equal(found, expected, sizeof expected);
            assert_true(failed > 3 || !whole);
        }
    phx_archive_destroy(first);
    phx_archive_destroy(attached);
    phx_unit_destroy(unit);
    free(bytes);
}

static int create(void **state)
{
    return phx_context_create((phx_context **)state) != PHX_OK;
}

static int destroy(void **state)
{
    exchange_close_all();
    phx_context_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_those_of_the_simulation),
        cmocka_unit_test(momenta_stay),
        cmocka_unit_test(saved_states_go_over_events),
        cmocka_unit_test(an_event_can_be_taken_back),
        cmocka_unit_test(states_follow_the_steps),
        cmocka_unit_test(constants_are_described),
        cmocka_unit_test(there_may_be_no_memory),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
