/* Set-valued friction along coordinates of joints: what sticks does not creep, transitions are located, what slips
 * loses what the ledger says. */
#include "support.h"

#define SLIDER(gravity, more, end)                                                                                     \
    "phlexor: 1\ndimension: 2\ngravity: " gravity "\nbodies: {m: {kind: rigid, mass: 2, inertia: 1}}\n"                \
    "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [1, 0]" more "}}\n"                                   \
    "outputs: {x: {coordinate: j}, v: {rate: j}, f: {effort: j}}\nsimulate: {end: " end ", step: 1e-2}\n"

/* A block that slides to rest: v/(mu g) and v^2/(2 mu g), and nothing afterwards. */
static void slides_to_rest(void **state)
{
    record r = run_text(*state, SLIDER("[0, -9.81]", ", rate: 3, friction: {coefficient: 0.4}", "2"), 0.0);
    double *t = record_column(*state, &r, "t"), *x = record_column(*state, &r, "x"),
           *v = record_column(*state, &r, "v");
    double *lost = record_column(*state, &r, "dissipated");
    size_t stop = 0;
    while (v[stop] != 0.0)
        stop++;
    assert_int_equal(r.report.transitions, 1);
    CHECK_CLOSE(t[stop], 3.0 / (0.4 * 9.81), 1e-12, "time");
    CHECK_CLOSE(x[stop], 4.5 / (0.4 * 9.81), 1e-12, "way");
    CHECK_CLOSE(lost[stop], 9.0, 1e-12, "loss");
    for (size_t k = stop; k < r.n; k++)
        CHECK_CLOSE(x[k], x[stop], 0.0, "it rests");
    free(t), free(x), free(v), free(lost);
    phx_result_destroy(r.result);
}

/* 10 000 steps on an incline below the angle of friction; above it the block slides from the start. */
static void incline(void **state)
{
    record r = run_text(*state, SLIDER("[-4.905, -8.49570921111]", ", friction: {coefficient: 0.6}", "100"), 0.0);
    double *x = record_column(*state, &r, "x"), *f = record_column(*state, &r, "f");
    assert_int_equal(r.report.stats.steps, 10000);
    CHECK_CLOSE(x[r.n - 1], 0.0, 0.0, "it does not creep");
    CHECK_CLOSE(f[r.n - 1], 2.0 * 4.905, 1e-13, "what holds it");
    free(x), free(f);
    phx_result_destroy(r.result);
    r = run_text(*state, SLIDER("[-4.905, -8]", ", friction: {coefficient: 0.6}", "1"), 0.0);
    x = record_column(*state, &r, "x");
    CHECK_CLOSE(x[r.n - 1], -0.5 * (4.905 - 0.6 * 8.0), 1e-13, "it slides");
    free(x);
    phx_result_destroy(r.result);
}

/* A block on a belt: the times when it sticks and tears loose, by an independent computation, and the loss. */
static void stick_slip(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}, m: {kind: rigid, mass: 1, inertia:"
        " 1}}\nground: {ports: {W: {position: [-1, 0]}}}\n"
        "joints:\n  belt: {kind: prismatic, ports: [ground.O, b.P], axis: [1, 0], speed: 0.1}\n"
        "  rub: {kind: prismatic, ports: [b.P, m.P], axis: [1, 0], rate: -0.1, friction: {force: 3, static: 5}}\n"
        "springs: {s: {ports: [ground.W, m.P], stiffness: 100, length: 1}}\n"
        "outputs: {x: {position: m.P}, v: {rate: rub}}\nsimulate: {end: 3.5, step: 1e-2, every: 3.5}\n";
    const double slip = 0.40688878715914056, stick = 0.4, loss = 0.2420666361477422;
    double error[2];
    for (int i = 0; i < 2; i++) {
        record r = run_text(*state, text, 1e-2 / (1 << i));
        double *t = record_column(*state, &r, "t"), *x = record_column(*state, &r, "x.x"),
               *lost = record_column(*state, &r, "dissipated");
        assert_int_equal(r.n, 11); /* start, sticks, (slips, sticks) ..., end */
        error[i] = t[5] - t[3] - (slip + stick);
        for (int k = 5; k <= 9; k += 2) {
            CHECK_CLOSE(t[k - 1] - t[k - 2], stick, 1e-10, "time it sticks");
            CHECK_CLOSE(x[k - 1], 0.05, 1e-12, "where it tears loose");
            CHECK_CLOSE(x[k], 0.01, 1e-10, "where it sticks");
            CHECK_CLOSE(t[k] - t[k - 2] - (slip + stick), error[i], 2e-6, "period");
            CHECK_CLOSE(lost[k] - lost[k - 2], loss + 3.0 * 0.1 * error[i], 1e-6, "loss of a period");
        }
        free(t), free(x), free(lost);
        phx_result_destroy(r.result);
    }
    CHECK_CLOSE(error[1], 0.0, 1e-4, "period");
    CHECK_BETWEEN(error[0] / error[1], 3.9, 4.1, "order 2");
}

/* Two blocks on each other, the upper one pulled harder and harder: which interface gives way first, and when. */
static void two_interfaces(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\nparameters: {lower: %g}\n"
        "bodies: {a: {kind: rigid, mass: 2, inertia: 1}, b: {kind: rigid, mass: 1, inertia: 1}}\n"
        "joints:\n  A: {kind: prismatic, ports: [ground.O, a.P], axis: [1, 0], friction: {coefficient: lower}}\n"
        "  B: {kind: prismatic, ports: [a.P, b.P], axis: [1, 0], friction: {coefficient: 0.5}}\n"
        "loads: {pull: {at: b.P, force: [4*t, 0]}}\n"
        "outputs: {A: {rate: A}, B: {rate: B}}\nsimulate: {end: 2, step: 1e-2, every: 2}\n";
    static const struct {
        double lower, first, second;
    } cases[] = {{0.3, 1.25, HUGE_VAL}, /* 0.5 * 1 * 10 < 0.3 * 3 * 10 */
                 {0.1, 0.75, 1.5}};     /* 3 N at first; b alone at 5 N = 4 t - 1 (4 t - 3)/3 */
    for (int i = 0; i < 2; i++) {
        char made[1000];
        snprintf(made, sizeof made, text, cases[i].lower);
        record r = run_text(*state, made, 0.0);
        double *t = record_column(*state, &r, "t"), *A = record_column(*state, &r, "A"),
               *B = record_column(*state, &r, "B");
        assert_int_equal(r.report.transitions, isfinite(cases[i].second) ? 2 : 1);
        CHECK_CLOSE(t[1], cases[i].first, 1e-9, "first");
        if (isfinite(cases[i].second))
            CHECK_CLOSE(t[2], cases[i].second, 1e-9, "second");
        CHECK_BETWEEN(B[r.n - 1], 1e-3, 10.0, "the upper one slips in the end");
        CHECK_CLOSE(A[r.n - 1] > 0.0, isfinite(cases[i].second), 0.0, "the lower one");
        free(t), free(A), free(B);
        phx_result_destroy(r.result);
    }
}

/* The normal force is the reaction: a slider-crank by Newton-Euler with the exact sign and DOP853, order 2; in the dead
 * centres the slider turns round and nothing could hold it. */
static void reactions_rub(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {a: pi/4, b: asin(0.1*sin(pi/4)/0.3)}\n"
        "bodies:\n"
        "  crank: {kind: rigid, mass: 1, inertia: 0.01/12, centre_of_mass: [0.05, 0], ports: {C: {position: [0.1, 0]}},"
        " pose: {angle: a}}\n"
        "  rod: {kind: rigid, mass: 1, inertia: 0.09/12, centre_of_mass: [0.15, 0], ports: {C: {position: [0.3, 0]}},"
        " pose: {position: [0.1*cos(a), 0.1*sin(a)], angle: -b}}\n"
        "  slider: {kind: rigid, mass: 0.5, inertia: 1, pose: {position: [0.1*cos(a) + 0.3*cos(b), 0]}}\n"
        "joints:\n"
        "  pin: {kind: revolute, ports: [ground.O, crank.P], angle: a, rate: 30}\n"
        "  knee: {kind: revolute, ports: [crank.C, rod.P]}\n"
        "  wrist: {kind: revolute, ports: [rod.C, slider.P]}\n"
        "  guide: {kind: prismatic, ports: [ground.O, slider.P], axis: [1, 0], friction: {coefficient: 0.3}}\n"
        "outputs: {a: {coordinate: pin}}\nsimulate: {end: 0.5, step: 1e-3, every: 0.5}\n";
    double error[3];
    for (int i = 0; i < 3; i++) {
        record r = run_text(*state, text, 1e-3 / (1 << i));
        double *a = record_column(*state, &r, "a");
        error[i] = a[r.n - 1] - 15.531052056499163;
        print_message("h = %g: %g rad off, %d transitions\n", 1e-3 / (1 << i), error[i], r.report.transitions);
        assert_int_equal(r.report.transitions, 4); /* pi ... 4 pi */
        free(a);
        phx_result_destroy(r.result);
    }
    CHECK_CLOSE(error[2], 0.0, 3e-4, "angle after 0.5 s");
    CHECK_BETWEEN(error[0] / error[2], 8.0, 32.0, "order 2 over two halvings");
}

/* A joint that attaches tears loose what sticks beside it, and lets it slide to rest. */
static void an_impact_tears_loose(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {a: {kind: rigid, mass: 1, inertia: 1}, b: {kind: rigid, mass: 1, inertia: "
        "1,"
        " velocity: {linear: [2, 0]}}}\n"
        "joints:\n  A: {kind: prismatic, ports: [ground.O, a.P], axis: [1, 0], friction: {force: 4}}\n"
        "  grip: {kind: weld, ports: [a.P, b.P], active: false}\n"
        "outputs: {v: {rate: A}}\nevents: {hit: {at: 0.5, attach: [grip]}}\n"
        "simulate: {end: 2, step: 1e-2, every: 2}\n";
    record r = run_text(*state, text, 0.0);
    double *t = record_column(*state, &r, "t"), *v = record_column(*state, &r, "v");
    assert_int_equal(r.n, 4);
    CHECK_CLOSE(v[1], 1.0, 1e-12, "after the impact");
    CHECK_CLOSE(t[2], 1.0, 1e-12, "at rest again"); /* 0.5 + 1/(4/2) */
    CHECK_CLOSE(r.report.event_loss, 1.0, 1e-12, "what the impact takes");
    free(t), free(v);
    phx_result_destroy(r.result);
}

static void what_cannot_have_it_says_so(void **state)
{
    static const char text[] = SLIDER("[0, -1]", ", friction: {coefficient: 0.4}", "1");
    phx_model *model = NULL;
    phx_stepper *stepper = NULL;
    phx_simulate_report report;
    phx_simulate_options options = phx_simulate_options_default();
    CHECK_OK(*state, phx_model_read_text(*state, "text.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_STATUS(*state, phx_stepper_create(*state, model, &options, 0, NULL, &stepper), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "joint 'j': friction that is not regularised");
    options.rtol = (phx_model_optional){.given = true, .value = 1e-6};
    CHECK_STATUS(*state, phx_study_simulate(*state, model, &options, &report), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "fixed steps");
    phx_model_destroy(model);
    static const char driven[] = SLIDER("[0, -1]", ", speed: 1, friction: {force: 1}", "1");
    CHECK_OK(*state, phx_model_read_text(*state, "text.yaml", driven, strlen(driven), 0, NULL, &model));
    options = phx_simulate_options_default();
    CHECK_STATUS(*state, phx_study_simulate(*state, model, &options, &report), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "must be regularised");
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slides_to_rest, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(incline, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(stick_slip, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(two_interfaces, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(reactions_rub, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(an_impact_tears_loose, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_have_it_says_so, study_setup, study_teardown)};
    return cmocka_run_group_tests_name("study_friction", tests, NULL, NULL);
}
