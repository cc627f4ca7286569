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
    text_run r = run_text(*state, SLIDER("[0, -9.81]", ", rate: 3, friction: {coefficient: 0.4}", "2"), 0.0);
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
    text_run r = run_text(*state, SLIDER("[-4.905, -8.49570921111]", ", friction: {coefficient: 0.6}", "100"), 0.0);
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
        text_run r = run_text(*state, text, 1e-2 / (1 << i));
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
        text_run r = run_text(*state, made, 0.0);
        double *t = record_column(*state, &r, "t"), *A = record_column(*state, &r, "A"),
               *B = record_column(*state, &r, "B");
        assert_int_equal(r.report.transitions, isfinite(cases[i].second) ? 2 : 1);
        CHECK_CLOSE(t[1], cases[i].first, 1e-9, "first");
        if (isfinite(cases[i].second))
            CHECK_CLOSE(t[2], cases[i].second, 1e-9, "second");
        CHECK_BETWEEN(B[r.n - 1], 1e-3, 10.0, "the upper one slips in the end");
        if (isfinite(cases[i].second))
            CHECK_BETWEEN(A[r.n - 1], 1e-3, 10.0, "the lower one slips");
        else
            CHECK_SMALL(A[r.n - 1], 1e-20, "the lower one sticks");
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
        text_run r = run_text(*state, text, 1e-3 / (1 << i));
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
    text_run r = run_text(*state, text, 0.0);
    double *t = record_column(*state, &r, "t"), *v = record_column(*state, &r, "v");
    assert_int_equal(r.n, 4);
    CHECK_CLOSE(v[1], 1.0, 1e-12, "after the impact");
    CHECK_CLOSE(t[2], 1.0, 1e-12, "at rest again"); /* 0.5 + 1/(4/2) */
    CHECK_CLOSE(r.report.event_loss, 1.0, 1e-12, "what the impact takes");
    free(t), free(v);
    phx_result_destroy(r.result);
}

/* A slider with dry friction along its rail is struck by a ball: a finite force has no impulse, so both go on as
 * without it, m v/(m + M)(1 + e) and (m - e M) v/(m + M); then the slider slides to rest. */
static void finite_friction_has_no_impulse(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {s: {kind: rigid, mass: 3, inertia: 1}, b: {kind: rigid, mass: 1, inertia: "
        "1,"
        " pose: {position: [-1, 0]}, velocity: {linear: [2, 0]}}}\n"
        "joints: {A: {kind: prismatic, ports: [ground.O, s.P], axis: [1, 0], friction: {force: 6}}}\n"
        "forces: {hit: {kind: contact, ports: [s.P, b.P], against: sphere, radius_a: 0.3, radius: 0.2, restitution: "
        "0.5}}\n"
        "outputs: {v: {rate: A}, w: {velocity: b.P}}\nsimulate: {end: 1, step: 1e-2, every: 1}\n";
    text_run r = run_text(*state, text, 0.0);
    assert_int_equal(r.n, 4);
    CHECK_CLOSE(record_at(*state, &r, "t", 1), 0.25, 1e-12, "the impact");
    CHECK_CLOSE(record_at(*state, &r, "v", 1), 0.75, 1e-12, "the slider");
    CHECK_CLOSE(record_at(*state, &r, "w.x", 1), -0.25, 1e-12, "the ball");
    CHECK_CLOSE(r.report.impact_loss, 0.5 * 0.75 * 0.75 * 4.0, 1e-12, "what the impact takes");
    CHECK_CLOSE(record_at(*state, &r, "t", 2), 0.25 + 0.75 / 2.0, 1e-12, "the slider rests");
    CHECK_CLOSE(record_at(*state, &r, "v", 3), 0.0, 0.0, "and stays");
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
    CHECK_MESSAGE(*state, "joint 'j': the stepper does not support set-valued friction");
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

/* ---- in space: contacts with a plane ---- */
#define ON_PLANE(gravity, body, contact, end)                                                                          \
    "phlexor: 1\ndimension: 3\ngravity: " gravity "\nbodies: {m: {kind: rigid, " body "}}\n"                           \
    "forces: {f: {kind: contact, ports: [ground.O, m.P], against: plane, normal: [0, 0, 1], " contact "}}\n"           \
    "outputs: {x: {position: m.P}, v: {velocity: m.P}, w: {angular_velocity: m.P}}\n"                                  \
    "simulate: {end: " end ", step: 1e-2, every: " end "}\n"

/* A puck on an incline of the angle of friction, pushed across: its direction turns downhill, |v| + v_down constant. */
static void puck_turns_downhill(void **state)
{
    static const char text[] = ON_PLANE("[5, 0, -10]", "mass: 2, inertia: [1, 1, 1], velocity: {linear: [0, 2, 0]}",
                                        "restitution: 0, friction: {coefficient: 0.5}", "1");
    double error[2];
    for (int i = 0; i < 2; i++) {
        text_run r = run_text(*state, text, 1e-2 / (1 << i));
        const double down = record_at(*state, &r, "v.x", r.n - 1), across = record_at(*state, &r, "v.y", r.n - 1);
        error[i] = hypot(down, across) + down - 2.0;
        assert_int_equal(r.report.transitions, 0);
        CHECK_CLOSE(record_at(*state, &r, "v.z", r.n - 1), 0.0, 1e-14, "on the plane");
        phx_result_destroy(r.result);
    }
    CHECK_CLOSE(error[1], 0.0, 2e-4, "what stays");
    CHECK_BETWEEN(error[0] / error[1], 3.8, 4.2, "order 2");
}

/* A block pulled harder and harder, obliquely: it holds until |T| = mu m g at 2 s, then moves along the pull. */
static void tears_loose_along_the_pull(void **state)
{
    static const char text[] =
        ON_PLANE("[0, 0, -10]", "mass: 2, inertia: [1, 1, 1]", "restitution: 0, friction: {coefficient: 0.5}",
                 "4") "loads: {pull: {at: m.P, force: [3*t, 4*t, 0]}}\n";
    text_run r = run_text(*state, text, 0.0);
    assert_int_equal(r.n, 3);
    assert_int_equal(r.report.transitions, 1);
    CHECK_CLOSE(record_at(*state, &r, "t", 1), 2.0, 1e-12, "when it tears loose");
    CHECK_CLOSE(record_at(*state, &r, "x.x", 1), 0.0, 1e-15, "it does not creep");
    CHECK_CLOSE(record_at(*state, &r, "v.x", 2), 0.6 * 5.0, 1e-12, "velocity along the pull");
    CHECK_CLOSE(record_at(*state, &r, "v.y", 2), 0.8 * 5.0, 1e-12, "velocity along the pull");
    CHECK_CLOSE(record_at(*state, &r, "dissipated", 2), 10.0 * 10.0 / 3.0, 1e-3, "loss");
    phx_result_destroy(r.result);
}

/* A dip of the pull stops what has just torn loose within the same step: it sticks again, and tears loose once more
 * when the pull, 5.01 N + 40 (t - 1.5), comes to 10 N. */
static void sticks_again_within_the_step(void **state)
{
#define PULL                                                                                                           \
    "(10.01*min(t, 1) - 5*min(max(t - 1, 0)/0.1, 1) - 15*max(0, 1 - abs(t - 0.9995)/0.0004) + 40*max(0, t - 1.5))"
    static const char text[] =
        ON_PLANE("[0, 0, -10]", "mass: 2, inertia: [1, 1, 1]", "restitution: 0, friction: {coefficient: 0.5}",
                 "2") "loads: {pull: {at: m.P, force: [\"0.6*" PULL "\", \"0.8*" PULL "\", 0]}}\n";
#undef PULL
    text_run r = run_text(*state, text, 0.0);
    assert_int_equal(r.report.transitions, 5);
    CHECK_CLOSE(record_at(*state, &r, "t", 1), 10.0 / 10.01, 1e-12, "when it tears loose");
    CHECK_CLOSE(record_at(*state, &r, "t", r.n - 2), 1.5 + 4.99 / 40.0, 1e-12, "when it does again");
    CHECK_CLOSE(record_at(*state, &r, "x.x", r.n - 2), 0.0, 1e-15, "until then it rests");
    CHECK_CLOSE(record_at(*state, &r, "v.x", r.n - 1), 0.6 * 10.0 * 0.37525 * 0.37525, 1e-12, "then it moves");
    phx_result_destroy(r.result);
}

/* A ball with spin about all axes on a table: with the slip s = v + w x (-r n) it slips for 2 |s|/(7 mu g) along a
 * straight line and then rolls with v - 2/7 s; its spin about the normal is not touched. */
static void ball_slips_and_rolls(void **state)
{
    static const char text[] = ON_PLANE("[0, 0, -10]",
                                        "mass: 1, inertia: [4e-3, 4e-3, 4e-3], pose: {position: [0, 0, 0.1]},"
                                        " velocity: {linear: [2, 0, 0], angular: [16, -10, 6]}",
                                        "radius: 0.1, restitution: 0, friction: {coefficient: 0.2}", "1");
    const double s[2] = {2.0 + 1.0, 1.6}, slip = hypot(s[0], s[1]);
    double error[2];
    for (int i = 0; i < 2; i++) {
        text_run r = run_text(*state, text, 1e-3 / (1 << i));
        const double v[2] = {record_at(*state, &r, "v.x", r.n - 1), record_at(*state, &r, "v.y", r.n - 1)};
        assert_int_equal(r.n, 3); /* start, rolls, end */
        assert_int_equal(r.report.transitions, 1);
        CHECK_CLOSE(record_at(*state, &r, "t", 1), slip / 7.0, 2e-5, "when it rolls");
        CHECK_CLOSE(v[0] - 0.1 * record_at(*state, &r, "w.y", r.n - 1), 0.0, 1e-13, "it rolls");
        CHECK_CLOSE(v[1] + 0.1 * record_at(*state, &r, "w.x", r.n - 1), 0.0, 1e-13, "it rolls");
        CHECK_CLOSE(record_at(*state, &r, "w.z", r.n - 1), 6.0, 1e-4, "spin about the normal");
        CHECK_CLOSE(record_at(*state, &r, "dissipated", r.n - 1), slip * slip / 7.0, 1e-4, "loss"); /* m s^2/7 */
        error[i] = hypot(v[0] - (2.0 - 2.0 / 7.0 * s[0]), v[1] + 2.0 / 7.0 * s[1]);
        phx_result_destroy(r.result);
    }
    for (int i = 0; i < 2; i++) /* a constant force and moment: exact at any step */
        CHECK_BELOW(error[i], 1e-11, "velocity");
}

/* A body on three feet slides and turns: each foot slips in its own direction, under the force that the tilting moments
 * of all leave on it. Against Newton-Euler with these three forces from the equilibrium of moments, DOP853 at 1e-12. */
static void three_feet(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nparameters: {mu: 0.3}\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: [0.01, 0.01, 0.016], pose: {position: [0, 0, 0.05]},"
        " velocity: {linear: [1, 0, 0], angular: [0, 0, 8]}, ports: {A: {position: [0.1, 0.1, -0.05]},"
        " B: {position: [-0.1, 0.1, -0.05]}, C: {position: [0, -0.12, -0.05]}}}}\n"
        "forces:\n"
        "  A: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 0, 1], restitution: 0, friction:"
        " {coefficient: mu}}\n"
        "  B: {kind: contact, ports: [ground.O, b.B], against: plane, normal: [0, 0, 1], restitution: 0, friction:"
        " {coefficient: mu}}\n"
        "  C: {kind: contact, ports: [ground.O, b.C], against: plane, normal: [0, 0, 1], restitution: 0, friction:"
        " {coefficient: mu}}\n"
        "outputs: {x: {position: b.P}, v: {velocity: b.P}, w: {angular_velocity: b.P}}\n"
        "simulate: {end: 0.2, step: 1e-3}\n";
    static const struct {
        const char *name;
        double value;
    } expected[] = {{"x.x", 1.67817929e-01},
                    {"x.y", -4.32707002e-03},
                    {"v.x", 6.62883811e-01},
                    {"v.y", 3.78083353e-03},
                    {"w.z", 4.65896673}};
    enum { N = sizeof expected / sizeof expected[0] };
    double found[2][N];
    for (int i = 0; i < 2; i++) {
        text_run r = run_text(*state, text, 5e-4 / (1 << i));
        for (int k = 0; k < N; k++)
            found[i][k] = record_at(*state, &r, expected[k].name, r.n - 1);
        phx_result_destroy(r.result);
    }
    for (int k = 0; k < N; k++)
        CHECK_CLOSE(found[1][k] + (found[1][k] - found[0][k]) / 3.0, expected[k].value, 1e-7, "%s, extrapolated",
                    expected[k].name);
}

static void count_left_out(void *data, phx_log_level level, const char *message)
{
    *(int *)data += level == PHX_LOG_WARNING && strstr(message, "ignores the set-valued friction of 'j'") != NULL;
}

/* Analyses of the start say that they leave it out. */
static void analyses_say_that_they_leave_it_out(void **state)
{
    static const char text[] = "phlexor: 1\ndimension: 2\nbodies: {m: {kind: rigid, mass: 2, inertia: 1}}\n"
                               "joints: {j: {kind: prismatic, ports: [ground.O, m.P], axis: [1, 0], stiffness: 1,"
                               " friction: {force: 1}}}\nloads: {f: {at: m.P, force: [1, 0]}}\n"
                               "outputs: {x: {coordinate: j}}\n";
    phx_model *model = NULL;
    phx_modes_table table;
    phx_study_modes_report modes;
    phx_linear_report linear;
    phx_study_static_report statics;
    const phx_study_modes_options of_modes = phx_study_modes_options_default();
    const phx_study_linearize_options of_linear = phx_study_linearize_options_default();
    const phx_study_static_options of_static = phx_study_static_options_default();
    int count = 0;

    CHECK_OK(*state, phx_model_read_text(*state, "text.yaml", text, strlen(text), 0, NULL, &model));
    phx_context_set_log(*state, count_left_out, &count);
    CHECK_OK(*state, phx_study_modes(*state, model, &of_modes, &table, &modes));
    assert_int_equal(count, 1);
    CHECK_OK(*state, phx_study_linearize(*state, model, &of_linear, &linear));
    assert_int_equal(count, 2);
    CHECK_OK(*state, phx_study_static(*state, model, &of_static, &statics, NULL));
    assert_int_equal(count, 3);
    phx_context_set_log(*state, NULL, NULL);
    phx_modes_free(&table);
    phx_linear_report_free(&linear);
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
        cmocka_unit_test_setup_teardown(puck_turns_downhill, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(tears_loose_along_the_pull, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(sticks_again_within_the_step, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(ball_slips_and_rolls, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(three_feet, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(analyses_say_that_they_leave_it_out, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(finite_friction_has_no_impulse, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_have_it_says_so, study_setup, study_teardown)};
    return cmocka_run_group_tests_name("study_friction", tests, NULL, NULL);
}
