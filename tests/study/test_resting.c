/* Rigid contacts that come to rest, many at once: stacks, rods and cubes on their corners, when they rest, and that
 * they do until the end; Painleve's rod. */
#include "support.h"
#include "results/results.h"

#include <stdlib.h>

static text_run run(phx_context *context, const char *text)
{
    text_run r = run_text(context, text, 0.0);
    CHECK_BELOW(r.report.largest_drift, 1e-12, "gap of a closed contact");
    return r;
}

/* ---- when it rests ---- */
/* Flights e^k T: they are over T/(1 - e) after the first begins. Those left out take a hundredth of a step. */
static void ball(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\n"
        "bodies: {b: {kind: rigid, mass: 2, inertia: 0.1, pose: {position: [0, 0.1]}, velocity: {linear: [0, 1]}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1,"
        " restitution: %g}}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}}\nsimulate: {end: 2.5, step: 1e-4, every: 0.1}\n";
    static const double restitution[] = {0.3, 0.5, 0.7, 0.9};

    for (int i = 0; i < 4; i++) {
        const double e = restitution[i], rest = 2.0 * 1.0 / 10.0 / (1.0 - e);
        char made[1000];
        size_t first = 1;
        snprintf(made, sizeof made, text, e);
        text_run r = run(*state, made);
        while (record_at(*state, &r, "v.y", first) != 0.0)
            first++;
        CHECK_CLOSE(record_at(*state, &r, "t", first), rest, 1e-6, "e = %g: when it rests", e);
        for (size_t k = first; k < r.n; k++) {
            CHECK_CLOSE(record_at(*state, &r, "v.y", k), 0.0, 0.0, "it stays at rest");
            CHECK_CLOSE(record_at(*state, &r, "p.y", k), 0.1, 1e-14, "on the floor");
        }
        CHECK_CLOSE(r.report.impact_loss, 1.0, 1e-10, "what it had");
        CHECK_BELOW((double)(r.n - first), 26.0, "in normal steps");
        phx_result_destroy(r.result);
    }
}

/* A thin rod, one end on the floor and one 1 mm above: with W_LR = -W_LL/2 an impact of the one end leaves the other at
 * rest, and sends this one back with e; with its end on the floor the other falls with 3 g/2. */
static void rod(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\nparameters: {up: 1e-3}\n"
        "bodies: {b: {kind: rigid, mass: 3, inertia: 0.25, pose: {position: [0, up/2], angle: asin(up)},"
        " ports: {L: {position: [-0.5, 0]}, R: {position: [0.5, 0]}}}}\n"
        "forces:\n  L: {kind: contact, ports: [ground.O, b.L], against: plane, normal: [0, 1], restitution: %g}\n"
        "  R: {kind: contact, ports: [ground.O, b.R], against: plane, normal: [0, 1], restitution: %g}\n"
        "outputs: {L: {position: b.L}, R: {position: b.R}, v: {velocity: b.R}}\n"
        "simulate: {end: 0.3, step: 1e-4, every: 0.1}\n";
    static const double restitution[] = {0.2, 0.5, 0.8};

    for (int i = 0; i < 3; i++) {
        const double e = restitution[i], first = sqrt(2.0 * 1e-3 / 15.0);
        char made[1000];
        size_t rest = 1;
        snprintf(made, sizeof made, text, e, e);
        text_run r = run(*state, made);
        while (fabs(record_at(*state, &r, "v.y", rest)) > 1e-15)
            rest++;
        CHECK_CLOSE(record_at(*state, &r, "t", rest), first * (1.0 + e) / (1.0 - e), 1e-6, "e = %g: when it rests", e);
        for (size_t k = 0; k < r.n; k++) {
            CHECK_BELOW(-record_at(*state, &r, "L.y", k), 1e-14, "the left end is not below the floor");
            CHECK_BELOW(-record_at(*state, &r, "R.y", k), 1e-14, "nor the right one");
        }
        CHECK_CLOSE(r.report.impact_loss, 3.0 * 10.0 * 0.5e-3, 1e-12, "what it had");
        phx_result_destroy(r.result);
    }
}

/* ---- many contacts ---- */
/* The gap of a corner over the upper side of the box below, or over the floor (below 0), in all rows; the caller's. */
static double *gaps(phx_context *context, const text_run *r, const char *corner, char below)
{
    enum { X, Y, TOP_X, TOP_Y, TURN, ALL };
    char names[ALL][8];
    double *column[ALL] = {NULL};

    snprintf(names[X], sizeof names[X], "%s.x", corner);
    snprintf(names[Y], sizeof names[Y], "%s.y", corner);
    snprintf(names[TOP_X], sizeof names[TOP_X], "%cT.x", below);
    snprintf(names[TOP_Y], sizeof names[TOP_Y], "%cT.y", below);
    snprintf(names[TURN], sizeof names[TURN], "%c", below);
    for (int i = 0; i < (below ? ALL : TOP_X); i++)
        column[i] = record_column(context, r, names[i]);
    for (size_t k = 0; k < r->n && below; k++)
        column[Y][k] = cos(column[TURN][k]) * (column[Y][k] - column[TOP_Y][k]) -
                       sin(column[TURN][k]) * (column[X][k] - column[TOP_X][k]);
    for (int i = 0; i < ALL; i++)
        if (i != Y)
            free(column[i]);
    return column[Y];
}

/* The example with other restitutions and frictions: it ends at rest, nothing is ever inside another one, and what is
 * lost is in the ledger. */
static void stack(void **state)
{
    static const double cases[][2] = {{0.0, 0.4}, {0.3, 0.4}, {0.5, 0.2}, {0.1, 0.8}};
    static const char *const corners[] = {"aL", "aR", "bL", "bR", "cL", "cR"};

    for (int i = 0; i < 4; i++) {
        phx_simulate_options options = phx_simulate_options_default();
        phx_simulate_report report;
        phx_result *result = NULL;
        const phx_model_override set[] = {{.name = "e", .value = cases[i][0]}, {.name = "mu", .value = cases[i][1]}};
        phx_model *model = NULL;
        CHECK_OK(*state, phx_model_read(*state, PHX_SOURCE_DIR "/examples/stacked_boxes.yaml", 2, set, &model));
        CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
        const text_run r = {.report = report, .result = result, .n = phx_result_rows(result)};
        for (int c = 0; c < 6; c++) {
            double *gap = gaps(*state, &r, corners[c], "\0\0aabb"[c]);
            for (size_t k = 0; k < r.n; k++)
                CHECK_BELOW(-gap[k], 1e-12, "e %g, mu %g: corner %s", cases[i][0], cases[i][1], corners[c]);
            CHECK_SMALL(gap[r.n - 1], 1e-12, "corner %s at rest", corners[c]);
            free(gap);
        }
        double *dissipated = record_column(*state, &r, "dissipated");
        for (size_t k = 1; k < r.n; k++)
            CHECK_BELOW(dissipated[k - 1] - dissipated[k], 1e-12, "nothing makes energy");
        free(dissipated);
        CHECK_BELOW(record_at(*state, &r, "kinetic", r.n - 1), 1e-25, "it rests");
        CHECK_BELOW(report.largest_residual, 1e-12 * report.largest_energy, "balance");
        CHECK_BELOW((double)report.stats.steps, 40000.0, "steps");
        assert_true(report.impacts > 5);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* A square box with spin tumbles down an incline: with enough friction it comes to rest on a side, with too little it
 * slides on one with g (sin - mu cos). */
static void tumbling_box(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [3, -9]\nbodies: {b: {kind: rigid, mass: 2, inertia: 0.0133,"
        " pose: {position: [0, 0.4]}, velocity: {linear: [1, 0], angular: -7}, ports: {A: {position: [-0.1, -0.1]},"
        " B: {position: [0.1, -0.1]}, C: {position: [0.1, 0.1]}, D: {position: [-0.1, 0.1]}}}}\nforces:\n"
        "  A: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 1], restitution: 0.4,"
        " friction: {coefficient: %g}}\n"
        "  B: {kind: contact, ports: [ground.O, b.B], against: plane, normal: [0, 1], restitution: 0.4,"
        " friction: {coefficient: %g}}\n"
        "  C: {kind: contact, ports: [ground.O, b.C], against: plane, normal: [0, 1], restitution: 0.4,"
        " friction: {coefficient: %g}}\n"
        "  D: {kind: contact, ports: [ground.O, b.D], against: plane, normal: [0, 1], restitution: 0.4,"
        " friction: {coefficient: %g}}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}, turn: {angle: b.P}}\n"
        "simulate: {end: 4, step: 1e-3, every: 0.5}\n";
    static const double friction[] = {0.6, 0.2};

    for (int i = 0; i < 2; i++) {
        const double mu = friction[i], quarter = acos(0.0);
        char made[2000];
        snprintf(made, sizeof made, text, mu, mu, mu, mu);
        text_run r = run(*state, made);
        const size_t last = r.n - 1;
        const double turns = record_at(*state, &r, "turn", last) / quarter;
        CHECK_CLOSE(record_at(*state, &r, "p.y", last), 0.1, 1e-12, "mu %g: on a side", mu);
        CHECK_CLOSE(turns, round(turns), 1e-12, "mu %g: which", mu);
        CHECK_BELOW(turns, -0.5, "it has tumbled");
        CHECK_CLOSE(record_at(*state, &r, "v.x", last) - record_at(*state, &r, "v.x", last - 1),
                    0.5 * fmax(0.0, 3.0 - 9.0 * mu), 1e-10, "mu %g: it rests or slides", mu);
        CHECK_BELOW(mu > 0.5 ? fabs(record_at(*state, &r, "v.x", last)) : 0.0, 1e-15, "at rest");
        phx_result_destroy(r.result);
    }
}

/* A cube is dropped askew on a rough floor: it comes to rest on four corners, one more than it needs, with twelve rows
 * for six coordinates, and does not creep. */
static void cube(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies: {b: {kind: rigid, mass: 2, inertia: [0.02, 0.02, "
        "0.02],\n"
        " pose: {position: [0, 0, 0.2], rotation: {axis: [1, 0.4, 0.2], angle: 0.15}}, velocity: {linear: [0.2, 0.1, "
        "0]},\n"
        " ports: {A: {position: [0.1, 0.1, -0.1]}, B: {position: [-0.1, 0.1, -0.1]}, C: {position: [-0.1, -0.1, -0.1]},"
        " D: {position: [0.1, -0.1, -0.1]}}}}\nforces:\n"
        "  A: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: 0.4}}\n"
        "  B: {kind: contact, ports: [ground.O, b.B], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: 0.4}}\n"
        "  C: {kind: contact, ports: [ground.O, b.C], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: 0.4}}\n"
        "  D: {kind: contact, ports: [ground.O, b.D], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: 0.4}}\n"
        "outputs: {A: {position: b.A}, B: {position: b.B}, C: {position: b.C}, D: {position: b.D}}\n"
        "simulate: {end: 3, step: 1e-3, every: 0.1}\n";
    static const char *const corners[] = {"A.z", "B.z", "C.z", "D.z"};
    text_run r = run(*state, text);
    const size_t last = r.n - 1;
    for (int c = 0; c < 4; c++) {
        for (size_t k = 0; k < r.n; k++)
            CHECK_BELOW(-record_at(*state, &r, corners[c], k), 1e-12, "corner %s is not below the floor", corners[c]);
        CHECK_SMALL(record_at(*state, &r, corners[c], last), 1e-12, "corner %s at rest", corners[c]);
    }
    CHECK_BELOW(record_at(*state, &r, "kinetic", last), 1e-25, "it rests");
    CHECK_BELOW((double)r.n, 300.0, "without events");
    CHECK_CLOSE(record_at(*state, &r, "A.x", last), record_at(*state, &r, "A.x", last - 10), 1e-14,
                "it does not creep");
    CHECK_CLOSE(record_at(*state, &r, "A.y", last), record_at(*state, &r, "A.y", last - 10), 1e-14, "nor across");
    phx_result_destroy(r.result);
}

/* The same cube slides down an incline on its four corners: with g (sin - mu cos), whichever of them carry it. */
static void sliding_cube(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [5, 0, -8]\nbodies: {b: {kind: rigid, mass: 2, inertia: [0.02, 0.02, "
        "0.02],\n"
        " pose: {position: [0, 0, 0.1]}, ports: {A: {position: [0.1, 0.1, -0.1]}, B: {position: [-0.1, 0.1, -0.1]},"
        " C: {position: [-0.1, -0.1, -0.1]}, D: {position: [0.1, -0.1, -0.1]}}}}\nforces:\n"
        "  A: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: %g}}\n"
        "  B: {kind: contact, ports: [ground.O, b.B], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: %g}}\n"
        "  C: {kind: contact, ports: [ground.O, b.C], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: %g}}\n"
        "  D: {kind: contact, ports: [ground.O, b.D], against: plane, normal: [0, 0, 1], restitution: 0.3,"
        " friction: {coefficient: %g}}\n"
        "outputs: {v: {velocity: b.P}, w: {angular_velocity: b.P}}\nsimulate: {end: 1, step: 1e-2, every: 1}\n";
    static const double friction[] = {0.3, 0.7};

    for (int i = 0; i < 2; i++) {
        const double mu = friction[i];
        char made[2000];
        snprintf(made, sizeof made, text, mu, mu, mu, mu);
        text_run r = run(*state, made);
        CHECK_CLOSE(record_at(*state, &r, "v.x", r.n - 1), fmax(0.0, 5.0 - mu * 8.0), 1e-12, "mu %g: velocity", mu);
        CHECK_SMALL(record_at(*state, &r, "w.z", r.n - 1), 1e-12, "it does not turn");
        assert_int_equal(r.n, 2); /* nothing happens on the way */
        phx_result_destroy(r.result);
    }
}

/* A box on two corners is pulled at the floor by r t: the friction of both comes to its end at t_s = mu m g/r, whatever
 * share of it each has, and m v' = r t - mu m g from there on. */
static void pulled_box(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: 0.1, pose: {position: [0, 0.1]}, ports: {A: {position: [-0.2, "
        "-0.1]}, B: {position: [0.2, -0.1]}}}}\n"
        "forces:\n"
        "  A: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 1], restitution: 0, friction: "
        "{coefficient: 0.5}}\n"
        "  B: {kind: contact, ports: [ground.O, b.B], against: plane, normal: [0, 1], restitution: 0, friction: "
        "{coefficient: 0.5}}\n"
        "loads: {f: {force: [%g*t, 0], at: b.A}}\noutputs: {v: {velocity: b.P}, w: {angular_velocity: b.P}}\n"
        "simulate: {end: 1, step: %g, every: 1}\n";
    static const double pull[] = {20.0, 6.0}, step[] = {1e-2, 1e-3};

    for (int i = 0; i < 4; i++) {
        const double r = pull[i / 2], slips = 0.5 * 10.0 / r;
        char made[2000];
        snprintf(made, sizeof made, text, r, step[i % 2]);
        text_run run_of = run(*state, made);
        CHECK_CLOSE(record_at(*state, &run_of, "v.x", run_of.n - 1),
                    0.5 * r * (1.0 - slips * slips) - 5.0 * (1.0 - slips), 1e-9, "pulled by %g t: velocity", r);
        CHECK_SMALL(record_at(*state, &run_of, "w", run_of.n - 1), 1e-12, "it does not turn");
        phx_result_destroy(run_of.result);
    }
}

/* ---- Painleve ---- */
/* A thin rod, 60 degrees steep, is pushed along the floor on its end against its lean. With mu above (1 + 3 c^2)/(3 s
 * c) no force obeys the laws: the harder the floor pushes, the more friction turns the end into it. There is an impact
 * without approach, in which the end stops (F. Genot and B. Brogliato, European Journal of Mechanics A 18, 1999):
 * W_tn P_n + W_tt P_t = v, W_nn P_n + W_nt P_t = 0, then the expansion with e P_n, in which it sticks. */
static void painleve(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\nparameters: {steep: pi/3}\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: 1/3, pose: {position: [cos(steep), sin(steep)], angle: steep},"
        " velocity: {linear: [%g, 0]}, ports: {A: {position: [-1, 0]}}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 1], restitution: %g,"
        " friction: {coefficient: %g}}}\n"
        "outputs: {v: {velocity: b.P}, w: {angular_velocity: b.P}, a: {velocity: b.A}}\n"
        "simulate: {end: 1e-3, step: 1e-3, every: 1e-3}\n";
    const double s = sqrt(0.75), c = 0.5, nn = 1.0 + 3.0 * c * c, nt = -3.0 * s * c, tt = 1.0 + 3.0 * s * s;
    const double critical = nn / -nt, V = 2.0, P = -nt * V / (nn * tt - nt * nt);

    for (int i = 0; i < 4; i++) {
        const double e = i == 0 ? 0.0 : 0.5, mu = critical * (i < 2 ? 1.2 : 0.8), v = i == 3 ? V : -V;
        char made[1000];
        snprintf(made, sizeof made, text, v, e, mu);
        text_run r = run(*state, made);
        if (i < 2) {
            CHECK_CLOSE(record_at(*state, &r, "a.y", 1), e * P * (nn - nt * nt / tt), 1e-12, "e = %g: it leaves", e);
            CHECK_CLOSE(record_at(*state, &r, "a.x", 1), 0.0, 1e-12, "e = %g: it has stopped", e);
            CHECK_CLOSE(record_at(*state, &r, "v.y", 1), (1.0 + e) * P, 1e-12, "e = %g: the impulse", e);
            CHECK_BETWEEN(r.report.impact_loss, 0.1, 0.5 * V * V, "it takes energy");
        } else {
            assert_int_equal(r.report.impacts, 0);
            CHECK_CLOSE(record_at(*state, &r, "a.x", 0), v, 1e-14, "below it, or the other way, it slips on");
        }
        phx_result_destroy(r.result);
    }
}

/* ---- thrown ---- */
/* A table goes down faster than a block on it falls: both contacts lose their force at one instant, and their friction
 * its limit. Whichever is found first, on either side of zero, the block flies from there: v = v0 - g (t - t0). */
static void thrown_block(void **state)
{
    static const double steps[] = {1e-3, 1.44e-3, 4.63e-3};
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {A: 0.01, w: 40}\n"
        "bodies:\n  table: {kind: rigid, mass: 5, inertia: 1}\n"
        "  b: {kind: rigid, mass: 2, inertia: 0.01, pose: {position: [0, 0.05]}, velocity: {linear: [0, A*w]},\n"
        "    ports: {L: {position: [-0.1, -0.05]}, R: {position: [0.1, -0.05]}}}\n"
        "joints: {lift: {kind: prismatic, ports: [ground.O, table.P], axis: [0, 1], motion: A*sin(w*t)}}\n"
        "forces:\n  L: {kind: contact, ports: [table.P, b.L], against: plane, normal: [0, 1], restitution: 0.2,"
        " friction: {coefficient: 0.4}}\n"
        "  R: {kind: contact, ports: [table.P, b.R], against: plane, normal: [0, 1], restitution: 0.2,"
        " friction: {coefficient: 0.4}}\n"
        "outputs: {v: {velocity: b.P}}\nsimulate: {end: 0.03, step: 1e-3, integrator: gauss6}\n";
    const double g = 9.81, A = 0.01, w = 40.0, leaves = asin(g / (A * w * w)) / w;

    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        text_run r = run_text(*state, text, steps[k]);
        CHECK_CLOSE(record_at(*state, &r, "v.y", r.n - 1), A * w * cos(w * leaves) - g * (0.03 - leaves), 1e-9,
                    "velocity of the flight, steps of %g s", steps[k]);
        phx_result_destroy(r.result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(ball, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(rod, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(stack, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(tumbling_box, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(cube, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(sliding_cube, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(pulled_box, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(painleve, study_setup, study_teardown),
                                       cmocka_unit_test_setup_teardown(thrown_block, study_setup, study_teardown)};
    return cmocka_run_group_tests_name("study_resting", tests, NULL, NULL);
}
