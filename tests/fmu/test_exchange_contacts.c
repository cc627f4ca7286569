/* FMUs for model exchange of models with rigid contacts: CVODE goes from impact to impact, to rest, to slip and stick
 * and away again, as closed forms and the simulation have it; saved states are whole across impacts; programs without
 * root finding; what has no solution. */
#define _POSIX_C_SOURCE 200809L
#include "fmu/exchange_models.h"

#include <math.h>
#include <phlexor/fmu.h>

/* It falls from h = 1 m and sends back half of its velocity, along the floor at 1 m/s. */
static const char ball[] =
    "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
    "bodies: {b: {kind: rigid, mass: 2, inertia: [0.01, 0.01, 0.01], pose: {position: [0, 0, 1.1]},\n"
    "  velocity: {linear: [1, 0, 0]}}}\n"
    "forces: {floor: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 0, 1], radius: 0.1,\n"
    "  restitution: 0.5}}\n"
    "outputs: {p: {position: b.P}, v: {velocity: b.P}}\nsimulate: {end: 2, step: 1e-3}\n";

/* A box is dropped askew on its two corners. */
static const char box[] =
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: {b: {kind: rigid, mass: 2, inertia: 0.03, pose: {position: [0, 0.3], angle: 0.3},\n"
    "  velocity: {linear: [0.5, 0]}, ports: {L: {position: [-0.2, -0.1]}, R: {position: [0.2, -0.1]}}}}\n"
    "forces:\n"
    "  L: {kind: contact, ports: [ground.O, b.L], against: plane, normal: [0, 1], restitution: 0.4}\n"
    "  R: {kind: contact, ports: [ground.O, b.R], against: plane, normal: [0, 1], restitution: 0.2}\n"
    "outputs: {p: {position: b.P}, v: {velocity: b.P}, a: {angle: b.P}, L: {position: b.L}, R: {position: b.R}}\n"
    "simulate: {end: 1, step: 1e-3}\n";

/* Two blocks go up an incline of 0.3 rad at 2 m/s, on two corners each; friction holds one of them there. */
static const char incline[] =
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {a: 0.3, mu: 0.5, low: 0.1, v: 2}\n"
    "bodies:\n"
    "  a: {kind: rigid, mass: 2, inertia: 0.01, pose: {angle: a, position: [-0.05*sin(a), 0.05*cos(a)]},\n"
    "    velocity: {linear: [v*cos(a), v*sin(a)]}, ports: {L: {position: [-0.1, -0.05]}, R: {position: [0.1, "
    "-0.05]}}}\n"
    "  b: {kind: rigid, mass: 2, inertia: 0.01, pose: {angle: a, position: [-0.05*sin(a), 0.05*cos(a)]},\n"
    "    velocity: {linear: [v*cos(a), v*sin(a)]}, ports: {L: {position: [-0.1, -0.05]}, R: {position: [0.1, "
    "-0.05]}}}\n"
    "forces:\n"
    "  aL: {kind: contact, ports: [ground.O, a.L], against: plane, normal: [-sin(a), cos(a)], restitution: 0,\n"
    "    friction: {coefficient: mu}}\n"
    "  aR: {kind: contact, ports: [ground.O, a.R], against: plane, normal: [-sin(a), cos(a)], restitution: 0,\n"
    "    friction: {coefficient: mu}}\n"
    "  bL: {kind: contact, ports: [ground.O, b.L], against: plane, normal: [-sin(a), cos(a)], restitution: 0,\n"
    "    friction: {coefficient: low}}\n"
    "  bR: {kind: contact, ports: [ground.O, b.R], against: plane, normal: [-sin(a), cos(a)], restitution: 0,\n"
    "    friction: {coefficient: low}}\n"
    "outputs: {a: {position: a.P}, b: {position: b.P}, va: {velocity: a.P}, vb: {velocity: b.P}}\n"
    "simulate: {end: 1, step: 1e-3}\n";

/* A ball slips on a plane until it rolls, with a spin about the normal that nothing hinders. */
static const char rolling[] =
    "phlexor: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nparameters: {r: 0.1, m: 2}\n"
    "bodies: {b: {kind: rigid, mass: m, inertia: [2/5*m*r^2, 2/5*m*r^2, 2/5*m*r^2], pose: {position: [0, 0, r]},\n"
    "  velocity: {linear: [1, 0.5, 0], angular: [0, 0, 3]}}}\n"
    "forces: {floor: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 0, 1], radius: r,\n"
    "  restitution: 0.5, friction: {coefficient: 0.2}}}\n"
    "outputs: {p: {position: b.P}, v: {velocity: b.P}, w: {angular_velocity: b.P}}\nsimulate: {end: 2, step: 1e-3}\n";

/* A ball rolls down a fixed one, obliquely to all axes. */
static const char hill[] =
    "phlexor: 1\ndimension: 3\ngravity: [-6, 0, -8]\n"
    "bodies: {b: {kind: rigid, mass: 1, inertia: [0.016, 0.016, 0.016], pose: {position: [0.72, 0, 0.96]},\n"
    "  velocity: {linear: [0.64, 0.6, -0.48], angular: [-2.4, 4, 1.8]}}}\n"
    "forces: {hill: {kind: contact, ports: [ground.O, b.P], against: sphere, radius_a: 1, radius: 0.2,\n"
    "  restitution: 0, friction: {coefficient: 1}}}\n"
    "outputs: {p: {position: b.P}}\nsimulate: {end: 0.8, step: 1e-3}\n";

/* A table goes up and down, A sin(w t), too fast for what stands on it. */
static const char shaker[] =
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {A: 0.01, w: 40}\n"
    "bodies:\n"
    "  table: {kind: rigid, mass: 5, inertia: 1}\n"
    "  b: {kind: rigid, mass: 2, inertia: 0.01, pose: {position: [0, 0.05]}, velocity: {linear: [0, A*w]},\n"
    "    ports: {L: {position: [-0.1, -0.05]}, R: {position: [0.1, -0.05]}}}\n"
    "joints: {lift: {kind: prismatic, ports: [ground.O, table.P], axis: [0, 1], motion: A*sin(w*t)}}\n"
    "forces:\n"
    "  L: {kind: contact, ports: [table.P, b.L], against: plane, normal: [0, 1], restitution: 0.2,\n"
    "    friction: {coefficient: 0.4}}\n"
    "  R: {kind: contact, ports: [table.P, b.R], against: plane, normal: [0, 1], restitution: 0.2,\n"
    "    friction: {coefficient: 0.4}}\n"
    "outputs: {p: {position: b.P}, v: {velocity: b.P}, z: {coordinate: lift}}\nsimulate: {end: 0.5, step: 1e-3}\n";

static const double g = 9.81;

/* To the next event, which is handled; its time. */
static double next_event(exchange *e, double end)
{
    if (!exchange_to_event(e, end))
        fail_msg("no event before %g s", end);
    const double t = e->t;
    (void)exchange_event(e);
    return t;
}

/* ---- impacts ---- */
/* Impact k at t1 (1 + 2 (e + .. + e^(k-1))), with m g h (1 - e^(2 k)) lost; rest at t1 (1 + e)/(1 - e), by the rule of
 * the simulation, which leaves out flights that are over within a hundredth of a step. */
static void a_ball_bounces_to_rest(void **state)
{
    const double h = 1.0, weight = 2.0 * g, e = 0.5, first = sqrt(2.0 * h / g), rest = first * (1.0 + e) / (1.0 - e);

    importer *it = exchange_export(*state, ball, 3);
    exchange x = exchange_start(it, 3, 1e-10);
    double t = first;
    assert_int_equal(x.states, 6 + 6 + 2);
    assert_non_null(strstr(it->description, "name=\"indicator.contact.floor\""));
    CHECK_CLOSE(exchange_value(&x, "indicator.contact.floor"), 1.0, 1e-15, "the gap");
    for (int k = 1; k <= 8; k++) {
        CHECK_CLOSE(next_event(&x, 2.0), t, 1e-8, "impact %d", k);
        CHECK_CLOSE(exchange_value(&x, "dissipated"), weight * h * (1.0 - pow(e, 2 * k)), 1e-6, "loss %d", k);
        CHECK_CLOSE(exchange_value(&x, "v.z"), g * first * pow(e, k), 1e-7, "velocity after it %d", k);
        t += 2.0 * first * pow(e, k);
    }
    exchange_run(&x, rest + 1e-5);
    CHECK_CLOSE(exchange_value(&x, "indicator.contact.floor"), weight, 1e-11, "the force");
    CHECK_CLOSE(exchange_value(&x, "p.z"), 0.1, 1e-15, "it rests");
    exchange_run(&x, 2.0);
    CHECK_CLOSE(exchange_value(&x, "p.z"), 0.1, 1e-15, "it stays");
    CHECK_CLOSE(exchange_value(&x, "p.x"), 2.0, 1e-9, "momentum along the floor");
    CHECK_CLOSE(exchange_value(&x, "dissipated"), weight * h, 1e-6, "all is lost");
    assert_true(x.state_events < 30);
    exchange_free(&x);
}

static const struct {
    const char *model;
    double end, tolerance, within;
    int version;
} cases[] = {
    {box, 0.6, 1e-9, 1e-6, 2},
    {shaker, 0.15, 1e-10, 1e-6, 3},
    {"bouncing_table.yaml", 0.3, 1e-9, 1e-6, 3},
    {"billiards.yaml", 0.5, 1e-9, 1e-6, 3},
    {"stacked_boxes.yaml", 0.12, 1e-9, 1e-6, 3},
    {"rattleback.yaml", 0.05, 1e-9, 1e-6, 2},
};

static void it_goes_where_the_simulation_goes(void **state)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k += TEST_SHORTER(1, 3)) {
        char where[320] = "";
        exchange_log log = {""};
        phx_model *model = exchange_read(*state, cases[k].model);
        phx_result *result = exchange_simulate(*state, model, cases[k].end, 1e-3, PHX_GAUSS6, &log);
        exchange e = exchange_start(exchange_export(*state, cases[k].model, cases[k].version), cases[k].version,
                                    cases[k].tolerance);
        exchange_run(&e, cases[k].end);
        const double worst = exchange_difference(*state, &e, result, where, sizeof where);
        print_message("%.14s: %d states, %ld steps, %d events, %.1e (%s), residual %.1e\n", cases[k].model, e.states,
                      e.steps, e.state_events, worst, where, exchange_value(&e, "residual"));
        if (!(worst < cases[k].within))
            fail_msg("%.20s: %s differs by %g", cases[k].model, where, worst);
        exchange_free(&e);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* ---- momenta ---- */
static const char spheres[] =
    "phlexor: 1\ndimension: 3\n"
    "bodies:\n"
    "  a: {kind: rigid, mass: 2, inertia: [0.02, 0.02, 0.02], velocity: {linear: [1, 0.1, 0], angular: [1, -2, 3]}}\n"
    "  b: {kind: rigid, mass: 3, inertia: [0.05, 0.05, 0.05], pose: {position: [1, 0.1, 0.05]},\n"
    "    velocity: {linear: [-0.4, 0, 0.1], angular: [0, 2, 1]}}\n"
    "forces: {hit: {kind: contact, ports: [a.P, b.P], against: sphere, radius_a: 0.2, radius: 0.15, restitution: 0.7,\n"
    "  friction: {coefficient: 0.3}}}\n"
    "outputs: {ra: {position: a.P}, rb: {position: b.P}, va: {velocity: a.P}, vb: {velocity: b.P},\n"
    "  wa: {angular_velocity: a.P}, wb: {angular_velocity: b.P}}\nsimulate: {end: 1, step: 1e-3}\n";

/* p = m v, L = r x p + I w of both, spheres. */
static void find_momenta(exchange *e, double momenta[6])
{
    static const double mass[2] = {2.0, 3.0}, inertia[2] = {0.02, 0.05};

    memset(momenta, 0, 6 * sizeof *momenta);
    for (int b = 0; b < 2; b++) {
        double at[3][3];
        for (int q = 0; q < 3; q++)
            for (int k = 0; k < 3; k++) {
                const char name[] = {"rvw"[q], "ab"[b], '.', "xyz"[k], '\0'};
                at[q][k] = exchange_value(e, name);
            }
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            momenta[i] += mass[b] * at[1][i];
            momenta[3 + i] += mass[b] * (at[0][j] * at[1][l] - at[0][l] * at[1][j]) + inertia[b] * at[2][i];
        }
    }
}

static void an_impact_keeps_momenta(void **state)
{
    double before[6], after[6];

    exchange e = exchange_start(exchange_export(*state, spheres, 3), 3, 1e-9);
    assert_true(exchange_to_event(&e, 1.0));
    const double energy = exchange_value(&e, "energy");
    find_momenta(&e, before);
    assert_true(exchange_event(&e));
    find_momenta(&e, after);
    for (int k = 0; k < 6; k++)
        CHECK_CLOSE(after[k], before[k], 1e-14, "momentum %d", k);
    CHECK_CLOSE(exchange_value(&e, "dissipated"), energy - exchange_value(&e, "energy"), 1e-14, "loss");
    CHECK_BETWEEN(exchange_value(&e, "dissipated"), 0.1, 1.0, "loss");
    exchange_free(&e);
}

/* ---- friction ---- */
/* Up the incline with the deceleration g (sin a + mu cos a), to v/that; there it stays, or slides back with g (sin a -
 * mu cos a). */
static void blocks_slide_and_stop(void **state)
{
    const double a = 0.3, v = 2.0;

    exchange e = exchange_start(exchange_export(*state, incline, 2), 2, 1e-10);
    for (int k = 0; k < 2; k++)
        CHECK_CLOSE(next_event(&e, 1.0), v / (g * (sin(a) + (k == 0 ? 0.5 : 0.1) * cos(a))), 1e-8, "it stops");
    exchange_run(&e, 1.0);
    for (int k = 0; k < 2; k++) {
        const double mu = k == 0 ? 0.5 : 0.1, back = fmax(0.0, g * (sin(a) - mu * cos(a)));
        const double stop = v / (g * (sin(a) + mu * cos(a))), left = 1.0 - stop;
        const double s = 0.5 * v * stop - 0.5 * back * left * left;
        const double x = exchange_value(&e, k == 0 ? "a.x" : "b.x"), y = exchange_value(&e, k == 0 ? "a.y" : "b.y");
        CHECK_CLOSE(x, s * cos(a) - 0.05 * sin(a), 1e-8, "place");
        CHECK_CLOSE(exchange_value(&e, k == 0 ? "va.x" : "vb.x"), -back * left * cos(a), 1e-8, "velocity");
        CHECK_CLOSE(x * sin(a) - y * cos(a), -0.05, 1e-15, "gap");
    }
    exchange_free(&e);
}

/* It slips for 2 v/(7 mu g), and rolls with 5/7 of v then, by more coordinates than rates. */
static void a_ball_slips_and_rolls(void **state)
{
    const double v = sqrt(1.25), slips = 2.0 * v / (7.0 * 0.2 * g);
    const double way = v * slips - 0.1 * g * slips * slips + 5.0 / 7.0 * v * (2.0 - slips);

    exchange e = exchange_start(exchange_export(*state, rolling, 3), 3, 1e-10);
    CHECK_CLOSE(next_event(&e, 1.0), slips, 1e-8, "it rolls");
    exchange_run(&e, 2.0);
    CHECK_CLOSE(exchange_value(&e, "p.x"), way * 1.0 / v, 1e-8, "place");
    CHECK_CLOSE(exchange_value(&e, "p.y"), way * 0.5 / v, 1e-8, "place");
    CHECK_CLOSE(exchange_value(&e, "p.z"), 0.1, 1e-15, "gap");
    CHECK_CLOSE(exchange_value(&e, "v.x"), 5.0 / 7.0, 1e-8, "velocity");
    CHECK_CLOSE(exchange_value(&e, "w.y"), 50.0 / 7.0, 1e-7, "it rolls");
    CHECK_CLOSE(exchange_value(&e, "w.z"), 3.0, 1e-8, "spin");
    exchange_free(&e);
}

/* ---- contacts that open ---- */
/* The motion of a ball of 1 kg down another one in a plane: its angle and its rate, R = 1.2 m, its spin times r, and
 * the loss. It rolls, or slips with the friction coefficient 1. */
static void fall(bool slips, const double y[4], double y_dot[4])
{
    const double R = 1.2, N = 10.0 * cos(y[0]) - R * y[1] * y[1], F = slips ? N : 10.0 * sin(y[0]) / 3.5;

    y_dot[0] = y[1];
    y_dot[1] = (10.0 * sin(y[0]) - F) / R;
    y_dot[2] = 2.5 * F;
    y_dot[3] = slips ? F * (R * y[1] - y[2]) : 0.0;
}

static void runge_kutta(bool slips, double h, double y[4])
{
    static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double k[4] = {0.0}, at[4], sum[4] = {0.0};

    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 4; i++)
            at[i] = y[i] + part[s] * h * k[i];
        fall(slips, at, k);
        for (int i = 0; i < 4; i++)
            sum[i] += weight[s] * h * k[i];
    }
    for (int i = 0; i < 4; i++)
        y[i] += sum[i];
}

/* Goes on until static friction, or the force of the contact, is at its end; for how long. */
static double fall_on(bool slips, double y[4])
{
    double t = 0.0, h = 1e-4;

    while (h > 1e-15) {
        double next[4];
        memcpy(next, y, sizeof next);
        runge_kutta(slips, h, next);
        const double N = 10.0 * cos(next[0]) - 1.2 * next[1] * next[1];
        if ((slips ? N : N - 10.0 * sin(next[0]) / 3.5) < 0.0) {
            h *= 0.5;
            continue;
        }
        t += h;
        memcpy(y, next, sizeof next);
    }
    return t;
}

/* A ball rolls down another one, slips, and leaves it. */
static void a_ball_leaves_a_hill(void **state)
{
    double y[4] = {0.0, 1.0 / 1.2, 1.0, 0.0}, t;
    const double slips = fall_on(false, y), leaves = slips + fall_on(true, y);

    exchange e = exchange_start(exchange_export(*state, hill, 3), 3, 1e-10);
    do
        t = next_event(&e, 0.8);
    while (exchange_value(&e, "indicator.friction.hill.1") != 1.0);
    CHECK_CLOSE(t, slips, 1e-7, "it slips");
    do
        t = next_event(&e, 0.8);
    while (exchange_value(&e, "indicator.contact.hill") != 1.0);
    CHECK_CLOSE(t, leaves, 1e-7, "it leaves");
    CHECK_CLOSE(0.6 * exchange_value(&e, "p.x") + 0.8 * exchange_value(&e, "p.z"), 1.2 * cos(y[0]), 1e-7, "where");
    CHECK_CLOSE(exchange_value(&e, "dissipated"), y[3], 1e-8, "loss");
    exchange_free(&e);
}

/* The block leaves the table where A w^2 sin(w t) = g, flies freely, and is back where it meets the table again. */
static void a_block_is_thrown(void **state)
{
    const double A = 0.01, w = 40.0, leaves = asin(g / (A * w * w)) / w;
    const double z = A * sin(w * leaves), v = A * w * cos(w * leaves);
    double low = leaves + 0.01, high = leaves + 0.12;

    for (int k = 0; k < 60; k++) {
        const double t = 0.5 * (low + high), s = t - leaves, gap = z + v * s - 0.5 * g * s * s - A * sin(w * t);
        *(gap > 0.0 ? &low : &high) = t;
    }
    exchange e = exchange_start(exchange_export(*state, shaker, 3), 3, 1e-10);
    CHECK_CLOSE(next_event(&e, 0.3), leaves, 1e-8, "it leaves");
    CHECK_CLOSE(next_event(&e, 0.3), low, 1e-8, "it is back");
    exchange_free(&e);
}

/* A table jumps along an axis and stops again. Upwards the block goes with it and
 * flies on when it stops; sideways the jump has no impulse of the contact, and the block slips until it goes along. */
static const char jumping_table[] =
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  table: {kind: rigid, mass: 5, inertia: 1}\n"
    "  b: {kind: rigid, mass: 2, inertia: 0.01, pose: {position: [0, 0.05]}, ports: {L: {position: [-0.1, -0.05]},\n"
    "    R: {position: [0.1, -0.05]}}}\n"
    "joints: {lift: {kind: prismatic, ports: [ground.O, table.P], axis: [%s], speed: 0.5*(t >= 0.1)*(t < 0.3)}}\n"
    "forces:\n"
    "  L: {kind: contact, ports: [table.P, b.L], against: plane, normal: [0, 1], restitution: 0.2,\n"
    "    friction: {coefficient: 0.4}}\n"
    "  R: {kind: contact, ports: [table.P, b.R], against: plane, normal: [0, 1], restitution: 0.2,\n"
    "    friction: {coefficient: 0.4}}\n"
    "outputs: {p: {position: b.P}, v: {velocity: b.P}, z: {coordinate: lift}}\nsimulate: {end: 0.5, step: 1e-3}\n";

static void a_table_jumps(void **state)
{
    char up[1200], aside[1200]; /* FMUs are kept by the place of their text */

    snprintf(up, sizeof up, jumping_table, "0, 1");
    snprintf(aside, sizeof aside, jumping_table, "1, 0");
    exchange e = exchange_start(exchange_export(*state, up, 3), 3, 1e-10);
    CHECK_CLOSE(next_event(&e, 0.2), 0.1, 1e-15, "it jumps up");
    CHECK_CLOSE(exchange_value(&e, "v.y"), 0.5, 1e-12, "the block goes along");
    CHECK_CLOSE(exchange_value(&e, "supplied") - exchange_value(&e, "dissipated"), 3.5 * 0.25, 1e-10, "energy");
    CHECK_CLOSE(next_event(&e, 0.35), 0.3, 1e-15, "it stops");
    CHECK_CLOSE(exchange_value(&e, "v.y"), 0.5, 1e-12, "the block flies");
    CHECK_CLOSE(next_event(&e, 0.5), 0.3 + 1.0 / g, 1e-8, "it is back");
    CHECK_CLOSE(exchange_value(&e, "residual"), 0.0, 1e-8, "energy");
    exchange_free(&e);

    e = exchange_start(exchange_export(*state, aside, 3), 3, 1e-10);
    CHECK_CLOSE(next_event(&e, 0.2), 0.1, 1e-15, "it jumps sideways");
    CHECK_CLOSE(exchange_value(&e, "v.x"), 0.0, 1e-12, "the block stays");
    CHECK_CLOSE(exchange_value(&e, "supplied"), 2.5 * 0.25, 1e-10, "work of the drive");
    CHECK_CLOSE(next_event(&e, 0.29), 0.1 + 0.5 / (0.4 * g), 1e-8, "it goes along");
    CHECK_CLOSE(exchange_value(&e, "v.x"), 0.5, 1e-8, "as fast as the table");
    exchange_free(&e);
}

/* ---- saved states ---- */
static void saved_states_go_over_impacts(void **state)
{
    exchange_over_events(*state, ball, (const double[3]){0.3, 0.6, 0.95}, 1.2);
    exchange_over_events(*state, "billiards.yaml", (const double[3]){0.29, 0.305, 0.312}, 0.32);
}

static void an_impact_can_be_taken_back(void **state)
{
    exchange_over_an_event(*state, spheres, 1.0, 1.0);
}

/* ---- other programs ---- */
/* Euler's method, which looks for no zeros: impacts are those at the ends of steps, nothing falls through the floor,
 * and the ball comes to rest on it. */
static void steps_without_root_finding(void **state)
{
    const double h = 2e-3;
    double y[20], rates[20];
    bool wanted = false, terminate = false;

    importer *it = exchange_export(*state, ball, 3);
    exchange e = exchange_start(it, 3, 1e-8);
    exchange_get_states(&e, y);
    for (int k = 1; k <= 1000; k++) {
        exchange_get_rates(&e, rates);
        for (int i = 0; i < e.states; i++)
            y[i] += h * rates[i];
        exchange_set_states(&e, k * h, y);
        assert_int_equal(it->fmi3CompletedIntegratorStep(e.c, true, &wanted, &terminate), fmi3OK);
        if (wanted && exchange_event(&e))
            exchange_get_states(&e, y);
        if (exchange_value(&e, "p.z") < 0.1 - 5.0 * h)
            fail_msg("at %g s it is at %g m", k * h, exchange_value(&e, "p.z"));
    }
    CHECK_CLOSE(exchange_value(&e, "p.z"), 0.1, 2.0 * g * h * h, "it rests, to the height of a step");
    CHECK_CLOSE(exchange_value(&e, "p.x"), 2.0, 1e-12, "it slides on");
    exchange_free(&e);
}

/* A press comes down on a block that stands on the floor: no impulses let both stop. The call is an error that says so,
 * and a state saved before goes on. */
static void an_impossible_impact_is_an_error(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  press: {kind: rigid, mass: 5, inertia: 1, pose: {position: [0, 0.2]}}\n"
        "  b: {kind: rigid, mass: 2, inertia: 0.01, pose: {position: [0, 0.05]}}\n"
        "ground: {ports: {top: {position: [0, 0.2]}}}\n"
        "joints: {lift: {kind: prismatic, ports: [ground.top, press.P], axis: [0, 1], speed: -0.5}}\n"
        "forces:\n"
        "  floor: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], radius: 0.05, restitution: "
        "0}\n"
        "  die: {kind: contact, ports: [press.P, b.P], against: plane, normal: [0, -1], radius: 0.05, restitution: "
        "0.5}\n"
        "outputs: {p: {position: b.P}}\nsimulate: {end: 1, step: 1e-3}\n";
    fmi3FMUState saved = NULL;
    bool again, terminate, nominals, values, defined;
    double next;

    importer *it = exchange_export(*state, text, 3);
    exchange e = exchange_start(it, 3, 1e-8);
    exchange_run(&e, 0.1);
    assert_int_equal(it->fmi3GetFMUState(e.c, &saved), fmi3OK);
    const exchange then = e;
    assert_true(exchange_to_event(&e, 1.0));
    CHECK_CLOSE(e.t, 0.2, 1e-9, "they meet");
    assert_int_equal(it->fmi3EnterEventMode(e.c), fmi3OK);
    assert_int_equal(it->fmi3UpdateDiscreteStates(e.c, &again, &terminate, &nominals, &values, &defined, &next),
                     fmi3Error);
    assert_non_null(strstr(it->log, "the impact at t = 0.2 s: no impulses of its 2 contacts were found"));
    assert_int_equal(it->fmi3SetFMUState(e.c, saved), fmi3OK);
    e = then;
    exchange_run(&e, 0.19);
    CHECK_CLOSE(exchange_value(&e, "p.y"), 0.05, 1e-15, "it stands");
    assert_int_equal(it->fmi3FreeFMUState(e.c, &saved), fmi3OK);
    exchange_free(&e);
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
        cmocka_unit_test(a_ball_bounces_to_rest),
        cmocka_unit_test(it_goes_where_the_simulation_goes),
        cmocka_unit_test(an_impact_keeps_momenta),
        cmocka_unit_test(blocks_slide_and_stop),
        cmocka_unit_test(a_ball_slips_and_rolls),
        cmocka_unit_test(a_ball_leaves_a_hill),
        cmocka_unit_test(a_block_is_thrown),
        cmocka_unit_test(a_table_jumps),
        cmocka_unit_test(saved_states_go_over_impacts),
        cmocka_unit_test(an_impact_can_be_taken_back),
        cmocka_unit_test(steps_without_root_finding),
        cmocka_unit_test(an_impossible_impact_is_an_error),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
