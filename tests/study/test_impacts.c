/* Rigid contacts: impacts are where and when they should be, take what the ledger says, and keep momenta; what rests on
 * a row stays there until the row would pull. */
#include "support.h"
#include "results/results.h"

/* The gap of a closed contact stays closed. */
static text_run run(phx_context *context, const char *text)
{
    text_run r = run_text(context, text, 0.0);
    CHECK_BELOW(r.report.largest_drift, 1e-12, "gap of a closed contact");
    return r;
}

/* The impacts of a ball follow each other faster and faster; the contact closes when the flights left, T/(1 - e), would
 * take less than a hundredth of a step. An impact is where the gap is zero to rounding, and so is its time to that over
 * the velocity. */
static void ball(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\n"
        "bodies: {b: {kind: rigid, mass: 2, inertia: 0.1, pose: {position: [0, 1.1]}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1,"
        " restitution: 0.8}}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}}\nsimulate: {end: 5, step: 1e-2, every: 5}\n";
    text_run r = run(*state, text);
    double t = sqrt(0.2), v = sqrt(20.0), closed = 0.0;
    for (size_t k = 1; k + 1 < r.n; k++) {
        CHECK_CLOSE(record_at(*state, &r, "t", k), t, 1e-12, "impact %zu", k);
        CHECK_CLOSE(record_at(*state, &r, "p.y", k), 0.1, 1e-14, "its place");
        v *= 0.8;
        t += 0.2 * v;
        closed = record_at(*state, &r, "v.y", k);
        if (k + 2 < r.n)
            CHECK_CLOSE(closed, v, fmax(1e-12, 10.0 * 2.2e-16 * 1.1 / v), "velocity after it");
    }
    CHECK_CLOSE(closed, 0.0, 1e-15, "the last one closes it");
    CHECK_BETWEEN(0.2 * v / (1.0 - 0.8), 0.8 * 1e-4, 1e-4, "the flights left out");
    CHECK_CLOSE(record_at(*state, &r, "p.y", r.n - 1), 0.1, 1e-14, "it rests");
    CHECK_CLOSE(r.report.impact_loss, 20.0, 1e-12, "what all take");
    CHECK_CLOSE(record_at(*state, &r, "dissipated", r.n - 1), 20.0, 1e-12, "in the ledger");
    assert_int_equal(r.report.impacts, r.n - 2);
    phx_result_destroy(r.result);
}

/* A hook that comes from below takes along a block that rests on the floor: the floor does not hold the block back, and
 * the momentum of both stays, 3 g t missing. From above it sets the block down: the floor has the whole impulse. */
static void an_attachment_lifts(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  block: {kind: rigid, mass: 2, inertia: 0.1}\n"
        "  hook: {kind: rigid, mass: 1, inertia: 0.1, pose: {position: [0, %g]}, velocity: {linear: [0, %g]}}\n"
        "joints: {grip: {kind: revolute, ports: [block.P, hook.P], active: false}}\n"
        "forces: {floor: {kind: contact, ports: [ground.O, block.P], against: plane, normal: [0, 1], restitution: "
        "0.5, friction: {coefficient: 0.3}}}\n"
        "events: {catch: {output: hook.y, %s: 0, attach: [grip]}}\n"
        "outputs: {block: {velocity: block.P}, hook: {position: hook.P}}\nsimulate: {end: 0.1, step: 1e-3, every: 1}\n";
    char model[1200];

    snprintf(model, sizeof model, text, -0.2, 3.0, "rises_to");
    text_run r = run(*state, model);
    const double speed = sqrt(9.0 - 2.0 * 9.81 * 0.2);
    CHECK_CLOSE(record_at(*state, &r, "block.y", 1), speed / 3.0, 1e-12, "both go on");
    CHECK_CLOSE(record_at(*state, &r, "dissipated", 1), speed * speed / 3.0, 1e-12, "loss");
    CHECK_CLOSE(record_at(*state, &r, "block.y", 2), speed / 3.0 - 9.81 * (0.1 - (3.0 - speed) / 9.81), 1e-12, "fall");
    phx_result_destroy(r.result);

    snprintf(model, sizeof model, text, 0.2, -3.0, "falls_to");
    r = run(*state, model);
    CHECK_CLOSE(record_at(*state, &r, "block.y", 1), 0.0, 1e-14, "both stand");
    CHECK_CLOSE(record_at(*state, &r, "dissipated", 1), 4.5 + 9.81 * 0.2, 1e-12, "all is lost");
    phx_result_destroy(r.result);
}

/* Where the rate of a drive jumps, what has only a finite force does not follow at once. Upwards the table takes the
 * block along, 1/2 m v^2 lost, and when it stops the block flies on for 2 v/g; sideways the block, on the table or on a
 * rail with dry friction, slips until it has come to v. */
static void a_drive_jumps(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  table: {kind: rigid, mass: 5, inertia: 1}\n"
        "  b: {kind: rigid, mass: 2, inertia: 0.01, pose: {position: [0, 0.05]}, ports: {L: {position: [-0.1, -0.05]},"
        " R: {position: [0.1, -0.05]}}}\n"
        "joints:\n  lift: {kind: prismatic, ports: [ground.O, table.P], axis: [%s], speed: 0.5*(t >= 0.1)*(t < 0.3)}\n"
        "%s"
        "outputs: {v: {velocity: b.P}, p: {position: b.P}, z: {coordinate: lift}}\n"
        "simulate: {end: 0.4, step: %g, every: 1}\n";
    static const char contacts[] =
        "forces:\n"
        "  L: {kind: contact, ports: [table.P, b.L], against: plane, normal: [0, 1], restitution: 0.2,"
        " friction: {coefficient: 0.4}}\n"
        "  R: {kind: contact, ports: [table.P, b.R], against: plane, normal: [0, 1], restitution: 0.2,"
        " friction: {coefficient: 0.4}}\n";
    static const char rail[] =
        "  rail: {kind: prismatic, ports: [table.P, b.P], axis: [1, 0], friction: {force: 0.4*2*9.81}}\n";
    char model[1800];

    for (int k = 0; k < 6; k++) {
        const double step = k < 3 ? 1e-3 : 7.3e-4;
        snprintf(model, sizeof model, text, k % 3 == 0 ? "0, 1" : "1, 0", k % 3 == 2 ? rail : contacts, step);
        text_run r = run(*state, model);
        CHECK_CLOSE(record_at(*state, &r, "t", 1), 0.1, 1e-15, "it begins");
        CHECK_CLOSE(record_at(*state, &r, "v.y", 1), k % 3 == 0 ? 0.5 : 0.0, 1e-14, "up");
        CHECK_CLOSE(record_at(*state, &r, "v.x", 1), 0.0, 1e-12, "aside");
        if (k % 3 == 0) {
            CHECK_CLOSE(record_at(*state, &r, "v.y", 2), 0.5, 1e-14, "the block flies");
            CHECK_CLOSE(record_at(*state, &r, "p.y", r.n - 1), 0.15 + 0.05 - 0.5 * 9.81 * 0.01, 1e-12, "as it falls");
            CHECK_CLOSE(record_at(*state, &r, "dissipated", 1) - record_at(*state, &r, "supplied", 1),
                        -0.5 * 7.0 * 0.25, 1e-12, "energy");
        } else {
            CHECK_CLOSE(record_at(*state, &r, "t", 2), 0.1 + 0.5 / (0.4 * 9.81), 1e-12, "it has come along");
            CHECK_CLOSE(record_at(*state, &r, "dissipated", 2), 0.5 * 2.0 * 0.25, 1e-12, "loss of the slip");
            CHECK_CLOSE(record_at(*state, &r, "v.x", r.n - 1), 0.5 - 0.4 * 9.81 * 0.1, 1e-12, "and goes on");
        }
        CHECK_CLOSE(record_at(*state, &r, "residual", r.n - 1), 0.0, 1e-12, "balance");
        phx_result_destroy(r.result);
    }
}

/* The same by a motion with kinks, obliquely in space: the table begins with (0.15, 0, 0.2) m/s, and what lies on it
 * gets 0.2 m upwards and friction times that aside. A ball, at mu = 0.2, then slips until it rolls with 2/7 of 0.15
 * m/s. */
static void a_motion_has_a_kink(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  table: {kind: rigid, mass: 5, inertia: [1, 1, 1]}\n"
        "  b: {kind: rigid, mass: 2, inertia: [1, 1, 1], pose: {position: [0, 0, 0.05]}, ports: {A: {position: "
        "[-0.1, -0.1, -0.05]}, B: {position: [0.1, -0.1, -0.05]}, C: {position: [0, 0.1, -0.05]}}}\n"
        "  ball: {kind: rigid, mass: 1, inertia: [0.004, 0.004, 0.004], pose: {position: [1, 0, 0.1]}}\n"
        "joints: {lift: {kind: prismatic, ports: [ground.O, table.P], axis: [0.6, 0, 0.8],"
        " motion: \"0.25*max(0, t - 0.1)\"}}\n"
        "forces:\n"
        "  A: {kind: contact, ports: [table.P, b.A], against: plane, normal: [0, 0, 1], restitution: 0,"
        " friction: {coefficient: 0.4}}\n"
        "  B: {kind: contact, ports: [table.P, b.B], against: plane, normal: [0, 0, 1], restitution: 0,"
        " friction: {coefficient: 0.4}}\n"
        "  C: {kind: contact, ports: [table.P, b.C], against: plane, normal: [0, 0, 1], restitution: 0,"
        " friction: {coefficient: 0.4}}\n"
        "  D: {kind: contact, ports: [table.P, ball.P], against: plane, normal: [0, 0, 1], restitution: 0, radius: 0.1,"
        " friction: {coefficient: 0.2}}\n"
        "outputs: {b: {velocity: b.P}, ball: {velocity: ball.P}}\nsimulate: {end: 0.2, step: 1e-3, every: 1}\n";
    text_run r = run(*state, text);
    CHECK_CLOSE(record_at(*state, &r, "t", 1), 0.1, 1e-15, "the kink");
    CHECK_CLOSE(record_at(*state, &r, "b.x", 1), 0.4 * 0.2, 1e-12, "block aside");
    CHECK_CLOSE(record_at(*state, &r, "b.z", 1), 0.2, 1e-12, "block up");
    CHECK_CLOSE(record_at(*state, &r, "ball.x", 1), 0.2 * 0.2, 1e-12, "ball aside");
    CHECK_CLOSE(record_at(*state, &r, "b.x", r.n - 1), 0.15, 1e-12, "the block goes along");
    CHECK_CLOSE(record_at(*state, &r, "ball.x", r.n - 1), 0.15 * 2.0 / 7.0, 1e-12, "the ball rolls");
    phx_result_destroy(r.result);
}

/* A ball on two that touch: all velocities at once, -1/3, 2/3, 2/3, nothing lost. */
static void cradle(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: [1, 1, 1], pose: {position: [-0.5, 0, 0]}, velocity: {linear: [1, 0, "
        "0]}}\n"
        "  b: {kind: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "  c: {kind: rigid, mass: 1, inertia: [1, 1, 1], pose: {position: [0.2, 0, 0]}}\n"
        "forces:\n"
        "  ab: {kind: contact, ports: [a.P, b.P], against: sphere, radius_a: 0.1, radius: 0.1, restitution: 1}\n"
        "  bc: {kind: contact, ports: [b.P, c.P], against: sphere, radius_a: 0.1, radius: 0.1, restitution: 1}\n"
        "outputs: {a: {velocity: a.P}, b: {velocity: b.P}, c: {velocity: c.P}}\n"
        "simulate: {end: 1, step: 1e-2, every: 1}\n";
    text_run r = run(*state, text);
    CHECK_CLOSE(record_at(*state, &r, "t", 1), 0.3, 1e-12, "time");
    CHECK_CLOSE(record_at(*state, &r, "a.x", 2), -1.0 / 3.0, 1e-14, "a");
    CHECK_CLOSE(record_at(*state, &r, "b.x", 2), 2.0 / 3.0, 1e-14, "b");
    CHECK_CLOSE(record_at(*state, &r, "c.x", 2), 2.0 / 3.0, 1e-14, "c");
    CHECK_CLOSE(r.report.impact_loss, 0.0, 1e-15, "loss");
    phx_result_destroy(r.result);
}

/* A point slides down a sphere from its top and leaves it where N = 0: z/R = (2 + v^2/(g R))/3. */
static void hill(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\n"
        "bodies: {m: {kind: rigid, mass: 1, inertia: 1, pose: {position: [0, 1]}, velocity: {linear: [1, 0]}}}\n"
        "forces: {hill: {kind: contact, ports: [ground.O, m.P], against: sphere, radius_a: 1, restitution: 0}}\n"
        "outputs: {p: {position: m.P}}\nsimulate: {end: 0.8, step: 1e-3, every: 0.8}\n";
    text_run r = run(*state, text);
    assert_int_equal(r.n, 3);
    CHECK_CLOSE(record_at(*state, &r, "p.y", 1), 0.7, 1e-12, "where it leaves");
    CHECK_CLOSE(hypot(record_at(*state, &r, "p.x", 1), record_at(*state, &r, "p.y", 1)), 1.0, 1e-14,
                "on the sphere until then");
    CHECK_BETWEEN(hypot(record_at(*state, &r, "p.x", 2), record_at(*state, &r, "p.y", 2)), 1.1, 3.0,
                  "away from it after");
    phx_result_destroy(r.result);
}

/* A ball falls on the inside of a pipe, bounces and slides: it stays inside, and where it rests on the wall to
 * rounding. */
static void pipe_ball(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies: {b: {kind: rigid, mass: 1, inertia: [1, 1, 1],"
        " pose: {position: [0, 0.4, 0.2]}, velocity: {linear: [0.3, 0, 0]}}}\n"
        "forces: {pipe: {kind: contact, ports: [ground.O, b.P], against: cylinder, axis: [1, 0, 0], radius_a: 1,"
        " radius: 0.2, inside: true, restitution: 0.3}}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}}\nsimulate: {end: 3, step: 2e-3, every: 0.02}\n";
    text_run r = run(*state, text);
    for (size_t k = 0; k < r.n; k++)
        CHECK_BELOW(hypot(record_at(*state, &r, "p.y", k), record_at(*state, &r, "p.z", k)), 0.8 + 1e-13, "inside");
    CHECK_CLOSE(hypot(record_at(*state, &r, "p.y", r.n - 1), record_at(*state, &r, "p.z", r.n - 1)), 0.8, 1e-13,
                "on the wall");
    CHECK_CLOSE(record_at(*state, &r, "p.x", r.n - 1), 0.9, 1e-6, "along the pipe: the projection is of second order");
    assert_true(r.report.impacts > 2);
    phx_result_destroy(r.result);
}

/* Two spinning balls in space, oblique: momenta, and what Newton's restitution takes. */
static void oblique(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  a: {kind: rigid, mass: 1, inertia: [0.1, 0.2, 0.3], pose: {position: [-1, 0.05, 0.02]},"
        " velocity: {linear: [3, 0, 0.1], angular: [0.4, 2, 1]}}\n"
        "  b: {kind: rigid, mass: 2.5, inertia: [0.3, 0.3, 0.2], pose: {position: [0.6, 0, 0]},"
        " velocity: {linear: [-1, 0.2, 0], angular: [1, 0, 3]}}\n"
        "forces: {c: {kind: contact, ports: [a.P, b.P], against: sphere, radius_a: 0.1, radius: 0.2, restitution: "
        "0.6}}\n"
        "outputs: {p: {position: a.P}, q: {position: b.P}, v: {velocity: a.P}, w: {velocity: b.P}}\n"
        "simulate: {end: 1, step: 1e-2, every: 1}\n";
    static const char *const axes[] = {"x", "y", "z"};
    const double va[] = {3, 0, 0.1}, vb[] = {-1, 0.2, 0}, ma = 1, mb = 2.5;
    text_run r = run(*state, text);
    double before = 0.0, after = 0.0;
    assert_int_equal(r.n, 3);
    for (int i = 0; i < 3; i++) {
        char name[4][8];
        for (int k = 0; k < 4; k++)
            snprintf(name[k], sizeof name[k], "%c.%s", "pqvw"[k], axes[i]);
        const double v = record_at(*state, &r, name[2], 2), w = record_at(*state, &r, name[3], 2);
        const double n = (record_at(*state, &r, name[1], 1) - record_at(*state, &r, name[0], 1)) / 0.3;
        CHECK_CLOSE(ma * v + mb * w, ma * va[i] + mb * vb[i], 1e-13, "momentum %d", i);
        before += n * (vb[i] - va[i]);
        after += n * (w - v);
    }
    CHECK_CLOSE(after, -0.6 * before, 1e-12, "restitution");
    CHECK_CLOSE(r.report.impact_loss, 0.5 * (1.0 - 0.36) * before * before * ma * mb / (ma + mb), 1e-12, "loss");
    phx_result_destroy(r.result);
}

/* A thousand impacts of a point between two walls: neither time nor energy drifts. */
static void thousand(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 2, inertia: 1, velocity: {linear: [1, 0.2]}}}\n"
        "ground: {ports: {L: {position: [-0.05, 0]}, R: {position: [0.05, 0]}}}\n"
        "forces:\n  l: {kind: contact, ports: [ground.L, b.P], against: plane, normal: [1, 0], restitution: 1}\n"
        "  r: {kind: contact, ports: [ground.R, b.P], against: plane, normal: [-1, 0], restitution: 1}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}}\nsimulate: {end: 100, step: 3e-2, every: 100}\n";
    text_run r = run(*state, text);
    assert_int_equal(r.report.impacts, 1000);
    CHECK_CLOSE(record_at(*state, &r, "t", 1000), 99.95, 1e-9, "time of the last one");
    CHECK_CLOSE(record_at(*state, &r, "v.x", r.n - 1), 1.0, 1e-12, "velocity");
    CHECK_CLOSE(record_at(*state, &r, "p.y", r.n - 1), 20.0, 1e-10, "along the walls");
    phx_result_destroy(r.result);
}

/* Four feet at once, one more than a rigid body needs, and one after the other: it comes to rest on all. */
static void table(void **state)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = read_example(*state, "bouncing_table.yaml");
    CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
    const text_run r = {.report = report, .result = result, .n = phx_result_rows(result)};
    CHECK_CLOSE(record_at(*state, &r, "centre.z", r.n - 1), 0.0, 1e-12, "height");
    CHECK_CLOSE(record_at(*state, &r, "A.z", r.n - 1), 0.0, 1e-12, "a foot");
    CHECK_CLOSE(record_at(*state, &r, "C.z", r.n - 1), 0.0, 1e-12, "the one across");
    CHECK_CLOSE(report.impact_loss, 4.0 * 9.81 * 0.4, 1e-6, "what it fell with");
    CHECK_BELOW(report.largest_residual, 1e-12 * report.largest_energy, "balance");
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* A disc that slides, then rolls: after v/(3 mu g), with two thirds of its velocity, and without slip from then on. */
static void bowling(void **state)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\ngravity: [0, -10]\nbodies: {b: {kind: rigid, mass: 2, inertia: 0.01,"
                 " pose: {position: [0, 0.1]}, velocity: {linear: [3, 0]}}}\n"
                 "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1,"
                 " restitution: 0.5, friction: {coefficient: 0.2}}}\n"
                 "outputs: {p: {position: b.P}, v: {velocity: b.P}, a: {angle: b.P}}\n"
                 "simulate: {end: 1, step: %g, every: 1}\n",
                 5e-3 / (1 << i));
        text_run r = run(*state, text);
        assert_int_equal(r.n, 3);
        assert_int_equal(r.report.transitions, 1);
        error[i] = record_at(*state, &r, "t", 1) - 0.5;
        CHECK_CLOSE(record_at(*state, &r, "v.x", 2), 2.0, 1e-3, "velocity");
        CHECK_CLOSE(record_at(*state, &r, "p.x", 2) + 0.1 * record_at(*state, &r, "a", 2),
                    record_at(*state, &r, "p.x", 1) + 0.1 * record_at(*state, &r, "a", 1), 1e-13, "it rolls");
        phx_result_destroy(r.result);
    }
    CHECK_CLOSE(error[1], 0.0, 1e-4, "when it begins to roll");
    CHECK_BETWEEN(error[0] / error[1], 3.5, 4.5, "order 2");
}

/* A box falls on an incline, rocks, slides to rest on two feet that rub, and does not creep for 8 000 steps. It never
 * slips uphill, so however it bounces the friction of impacts and contacts has mu times their normal impulse, and it
 * stops after v/(mu g_n - g_t). */
static void box_on_an_incline(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [-4.905, -8.4957]\nbodies: {b: {kind: rigid, mass: 2, inertia: 0.1,"
        " velocity: {linear: [-3, 0]}, centre_of_mass: [0, 0.2], ports: {A: {position: [-0.3, 0]}, B: {position: [0.3,"
        " 0]}}, pose: {position: [0, 0.1]}}}\n"
        "forces:\n"
        "  A: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 1], restitution: 0.3,"
        " friction: {coefficient: 0.6}}\n"
        "  B: {kind: contact, ports: [ground.O, b.B], against: plane, normal: [0, 1], restitution: 0.3,"
        " friction: {coefficient: 0.6}}\n"
        "outputs: {p: {position: b.P}, v: {velocity: b.P}}\nsimulate: {end: 100, step: 1e-2, every: 1}\n";
    text_run r = run(*state, text);
    size_t stop = 0;
    while (fabs(record_at(*state, &r, "v.x", stop)) > 1e-15 || fabs(record_at(*state, &r, "v.y", stop)) > 1e-15)
        stop++;
    assert_true(r.report.impacts > 3);
    CHECK_BELOW(r.report.transitions, 10, "it stays at rest");
    CHECK_CLOSE(record_at(*state, &r, "t", stop), 3.0 / (0.6 * 8.4957 - 4.905), 1e-6, "when it stops");
    for (size_t k = stop; k < r.n; k++) {
        CHECK_CLOSE(record_at(*state, &r, "p.x", k), record_at(*state, &r, "p.x", stop), 0.0, "it does not creep");
        CHECK_CLOSE(record_at(*state, &r, "p.y", k), 0.0, 1e-15, "nor sink");
    }
    CHECK_BELOW(r.report.largest_residual, 1e-14 * r.report.largest_energy, "balance");
    phx_result_destroy(r.result);
}

/* ---- friction in impacts ---- */
/* A ball with spin is thrown at the floor: the slip s at the place of contact loses its direction's mu (1 + e) v_n, or
 * all of itself, of which the ball's velocity takes 1/(1 + m r^2/I). */
static void ball_with_spin(void **state)
{
    static const char plane[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 2, inertia: 0.01, pose: {position: [0, 0.4]},"
        " velocity: {linear: [2, -3], angular: 10}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1,"
        " restitution: 0.8, friction: {coefficient: %g}}}\n"
        "outputs: {v: {velocity: b.P}}\nsimulate: {end: 0.2, step: 1e-2, every: 0.2}\n";
    static const char space[] =
        "phlexor: 1\ndimension: 3\nbodies: {b: {kind: rigid, mass: 2, inertia: [8e-3, 8e-3, 8e-3], pose: {position:"
        " [0, 0, 0.4]}, velocity: {linear: [2, 0.5, -3], angular: [16, -10, 6]}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 0, 1], radius: 0.1,"
        " restitution: 0.8, friction: {coefficient: %g}}}\n"
        "outputs: {v: {velocity: b.P}, w: {angular_velocity: b.P}}\nsimulate: {end: 0.2, step: 1e-2, every: 0.2}\n";
    static const double friction[] = {0.1, 0.25, 2.0}; /* slips, stops in the expansion, stops in the compression */
    for (int i = 0; i < 6; i++) {
        const bool in_space = i % 2;
        const double mu = friction[i / 2], m = 2.0, r = 0.1, I = in_space ? 8e-3 : 0.01;
        const double s[2] = {2.0 + 10.0 * r, in_space ? 0.5 + 16.0 * r : 0.0};
        const double slip = hypot(s[0], s[1]), mass = 1.0 / (1.0 / m + r * r / I);
        const double P = fmin(mass * slip, mu * m * 1.8 * 3.0);
        char text[1000];
        snprintf(text, sizeof text, in_space ? space : plane, mu);
        text_run f = run(*state, text);
        const size_t n = f.n - 1;
        assert_int_equal(f.report.impacts, 1);
        CHECK_CLOSE(record_at(*state, &f, "v.x", n), 2.0 - P / m * s[0] / slip, 1e-13, "along");
        CHECK_CLOSE(record_at(*state, &f, in_space ? "v.z" : "v.y", n), 0.8 * 3.0, 1e-13, "restitution");
        if (in_space) {
            CHECK_CLOSE(record_at(*state, &f, "v.y", n), 0.5 - P / m * s[1] / slip, 1e-13, "across");
            CHECK_CLOSE(record_at(*state, &f, "w.x", n), 16.0 - P * r / I * s[1] / slip, 1e-12, "spin");
            CHECK_CLOSE(record_at(*state, &f, "w.y", n), -10.0 + P * r / I * s[0] / slip, 1e-12, "spin");
            CHECK_CLOSE(record_at(*state, &f, "w.z", n), 6.0, 1e-12, "spin about the normal");
        }
        const double lost = 0.5 * m * 9.0 * (1.0 - 0.64) + P * slip - 0.5 * P * P / mass;
        CHECK_CLOSE(f.report.impact_loss, lost, 1e-12, "loss");
        CHECK_CLOSE(record_at(*state, &f, "dissipated", n), lost, 1e-12, "in the ledger");
        phx_result_destroy(f.result);
    }
}

/* A rod falls obliquely on its end: with the place of contact (x, y) from its centre, W_nn = 1/m + x^2/I, W_tt = 1/m +
 * y^2/I, W_nt = -x y/I. Both phases stick with much friction, both slip with little. */
static void rod_on_its_end(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nparameters: {a: 0.5}\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: 1/12, ports: {A: {position: [-0.5, 0]}},"
        " pose: {position: [0.5*cos(a), 0.5*sin(a) + 0.1], angle: a}, velocity: {linear: [0.4, -2]}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.A], against: plane, normal: [0, 1], restitution: 0.5,"
        " friction: {coefficient: %g}}}\n"
        "outputs: {v: {velocity: b.P}, A: {velocity: b.A}}\nsimulate: {end: 0.06, step: 1e-2, every: 0.06}\n";
    const double x = -0.5 * cos(0.5), y = -0.5 * sin(0.5), I = 1.0 / 12.0, e = 0.5;
    const double nn = 1.0 + x * x / I, tt = 1.0 + y * y / I, nt = -x * y / I, det = nn * tt - nt * nt;
    for (int i = 0; i < 2; i++) {
        const double mu = i == 0 ? 2.0 : 0.1, v[2] = {0.4, -2.0};
        double n = -tt * v[1] + nt * v[0], t = -nn * v[0] + nt * v[1]; /* sticks */
        if (i == 0) {
            n /= det;
            t = t / det - nt * e * n / tt;
        } else { /* W_nt < 0: the blow drives the end backwards, and friction acts forwards */
            n = -v[1] / (nn + mu * nt);
            t = mu * (1.0 + e) * n;
        }
        n *= 1.0 + e;
        char made[1000];
        snprintf(made, sizeof made, text, mu);
        text_run r = run(*state, made);
        assert_int_equal(r.report.impacts, 1);
        CHECK_CLOSE(record_at(*state, &r, "v.x", 2), v[0] + t, 1e-12, "mu %g: along", mu);
        CHECK_CLOSE(record_at(*state, &r, "v.y", 2), v[1] + n, 1e-12, "mu %g: up", mu);
        if (i == 0)
            CHECK_CLOSE(record_at(*state, &r, "A.x", 1), 0.0, 1e-12, "it does not slip after it");
        else
            CHECK_BELOW(record_at(*state, &r, "A.x", 1), -0.1, "it slips backwards");
        phx_result_destroy(r.result);
    }
}

/* A contact by penalty of 4.4 ms: told with steps of 4 ms, once, and not with steps that resolve it. */
static void coarse_steps_are_told(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\n"
        "bodies: {b: {kind: rigid, mass: 2, inertia: 0.1, pose: {position: [0, 1.1]}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1,"
        " stiffness: 1e6, exponent: 1}}\nsimulate: {end: 3, step: %g}\n";
    for (int i = 0; i < 2; i++) {
        char made[1000];
        snprintf(made, sizeof made, text, i == 0 ? 4e-3 : 2e-4);
        text_run r = run(*state, made);
        assert_int_equal(r.warnings, i == 0);
        assert_true(i > 0 || strstr(r.warning, "contact 'f': one that ended"));
        phx_result_destroy(r.result);
    }
}

static void what_cannot_have_it_says_so(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1, pose: {position: [0, 1]}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], restitution: 0.5}}\n"
        "simulate: {end: 1, step: 0.01}\n";
    phx_model *model = NULL;
    phx_stepper *stepper = NULL;
    phx_simulate_report report;
    phx_simulate_options options = phx_simulate_options_default();
    CHECK_OK(*state, phx_model_read_text(*state, "text.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_STATUS(*state, phx_stepper_create(*state, model, &options, 0, NULL, &stepper), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "contact 'f': the stepper does not support rigid contacts");
    options.rtol = (phx_model_optional){.given = true, .value = 1e-6};
    CHECK_STATUS(*state, phx_study_simulate(*state, model, &options, &report), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(*state, "fixed steps");
    phx_model_destroy(model);
    static const char inside[] =
        "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1, pose: {position: [0, 0.09]}}}\n"
        "forces: {f: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.1,"
        " restitution: 0.5}}\nsimulate: {end: 1, step: 0.01}\n";
    options = phx_simulate_options_default();
    CHECK_OK(*state, phx_model_read_text(*state, "text.yaml", inside, strlen(inside), 0, NULL, &model));
    CHECK_STATUS(*state, phx_study_simulate(*state, model, &options, &report), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "contact 'f': the bodies lie 0.01 m inside each other");
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ball, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(an_attachment_lifts, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_drive_jumps, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_motion_has_a_kink, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(cradle, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(hill, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(pipe_ball, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(oblique, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(thousand, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(bowling, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(ball_with_spin, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(rod_on_its_end, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(box_on_an_incline, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(coarse_steps_are_told, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(table, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(what_cannot_have_it_says_so, study_setup, study_teardown)};
    return cmocka_run_group_tests_name("study_impacts", tests, NULL, NULL);
}
