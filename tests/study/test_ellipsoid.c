/* Contacts of ellipsoids with planes: equal to a sphere's where all semi-axes are, exact gaps and energies, rolling
 * against closed forms, and a rattleback against the equations of rolling in the axes of the body. */
#include "support.h"

#include "port/port.h"
#include "results/results.h"

#include <stdlib.h>

/* ---- spheres ---- */
/* A ball or a disc falls on an inclined plane, bounces, slips and rolls. */
static const char *const FALLING[] = {
    "phlexor: 1\ndimension: 3\ngravity: [1, 0, -10]\nbodies: {b: {kind: rigid, mass: 1, inertia: [0.01, 0.016, 0.02],"
    " pose: {position: [0, 0, 0.3]}, velocity: {linear: [1, 0.3, 0], angular: [1, 5, 2]}}}\n"
    "forces: {floor: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 0.6, 0.8], %s, %s}}\n"
    "outputs: {p: {position: b.P}, w: {angular_velocity: b.P}}\nsimulate: {end: 0.5, step: 1e-3, every: 0.1}\n",
    "phlexor: 1\ndimension: 2\ngravity: [1, -10]\nbodies: {b: {kind: rigid, mass: 1, inertia: 0.02,"
    " pose: {position: [0, 0.3]}, velocity: {linear: [1, 0], angular: 5}}}\n"
    "forces: {floor: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 1], %s, %s}}\n"
    "outputs: {p: {position: b.P}, w: {angle: b.P}}\nsimulate: {end: 0.5, step: 1e-3, every: 0.1}\n"};

static void equal_semi_axes_are_a_sphere(void **state)
{
    static const char *const shape[2][2] = {{"radius: 0.2", "semi_axes: [0.2, 0.2, 0.2]"},
                                            {"radius: 0.2", "semi_axes: [0.2, 0.2]"}};
    static const char *const law[] = {"restitution: 0.5, friction: {coefficient: 0.3}",
                                      "stiffness: 1e5, damping: 0.1, friction: {coefficient: 0.3, regularised: 1e-2}"};
    static const char *const columns[2][6] = {{"p.x", "p.y", "p.z", "w.x", "w.y", "w.z"},
                                              {"p.x", "p.y", "w", "kinetic", "potential", "dissipated"}};
    for (int i = 0; i < 4; i++) {
        text_run r[2];
        for (int k = 0; k < 2; k++) {
            char made[1000];
            snprintf(made, sizeof made, FALLING[i % 2], shape[i % 2][k], law[i / 2]);
            r[k] = run_text(*state, made, 0.0);
        }
        assert_int_equal(r[0].n, r[1].n);
        for (size_t row = 0; row < r[0].n; row++) {
            /* impacts of low flights are known to rounding of the gap over its rate; what falls changes by 100 a second
             */
            const double late = fabs(record_at(*state, &r[0], "t", row) - record_at(*state, &r[1], "t", row));
            for (int c = 0; c < 6; c++) {
                const double a = record_at(*state, &r[0], columns[i % 2][c], row);
                const double b = record_at(*state, &r[1], columns[i % 2][c], row);
                CHECK_SMALL((a - b) / (1.0 + fabs(a)), 1e-12 + 100.0 * late, "law %d, dim %d, %s, row %zu", i / 2,
                            3 - i % 2, columns[i % 2][c], row);
            }
        }
        phx_result_destroy(r[0].result);
        phx_result_destroy(r[1].result);
    }
}

/* ---- exact gap and energy ---- */
/* A stone tumbles on a plate that is carried round, far from small turns a step, and stays on it to rounding; by
 * penalty its energy balances too. (run_text looks at the energy.) */
static const char TUMBLING[] =
    "phlexor: 1\ndimension: 3\ngravity: [0, 0, -10]\n"
    "bodies: {plate: {kind: rigid, mass: 5, inertia: [1, 1, 1]},\n"
    "  stone: {kind: rigid, mass: 1, inertia: [0.01, 0.02, 0.025], ports: {C: {position: [0.02, 0.01, 0],"
    " rotation: {axis: [1, 2, 3], angle: 0.5}}}, pose: {position: [0.1, 0, %s]},"
    " velocity: {linear: [0.5, 0, 0], angular: [1, 8, 2]}}}\n"
    "joints: {turn: {kind: revolute, ports: [ground.O, plate.P], axis: [0, 0.1, 1], rate: 1}}\n"
    "forces: {c: {kind: contact, ports: [plate.P, stone.C], against: plane, normal: [0, 0.1, 1],"
    " semi_axes: [0.3, 0.2, 0.1], %s}}\n"
    "outputs: {p: {position: stone.P}}\nsimulate: {end: 1, step: 5e-3, every: 5e-3}\n";

static void gap_and_energy_are_exact(void **state)
{
    static const char *const law[] = {
        "restitution: 0.3, friction: {coefficient: 0.4}", "restitution: 0",
        "stiffness: 1e5, exponent: 1, damping: 0.1, friction: {coefficient: 0.3, regularised: 1e-2}"};
    for (int i = 0; i < 3; i++) {
        char made[1500];
        snprintf(made, sizeof made, TUMBLING, "0.35", law[i]);
        text_run r = run_text(*state, made, 0.0);
        CHECK_BELOW(r.report.largest_drift, 1e-14, "gap of the closed contact");
        assert_true(i == 2 || r.report.impacts > 0);
        CHECK_BELOW(fabs(record_at(*state, &r, "p.z", r.n - 1)), 0.35, "it lies on the plate");
        phx_result_destroy(r.result);
    }
}

/* The force of the only contact comes to zero before the stone lifts off: the contact opens, on whichever side of zero
 * the instant is found. */
static void lifts_off_where_its_force_ends(void **state)
{
    static const double step[] = {4e-3, 4.5e-3, 4.9e-3};

    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        char made[1500];
        snprintf(made, sizeof made, TUMBLING, "0.35", "restitution: 0");
        text_run r = run_text(*state, made, step[i]);
        CHECK_BELOW(r.report.largest_drift, 1e-14, "gap of the closed contact");
        assert_true(r.report.impacts > 1); /* it has come down again */
        phx_result_destroy(r.result);
    }
}

/* ---- rolling ---- */
/* On its equator an ellipsoid of revolution rolls straight, v = w a. */
static void rolls_on_its_equator(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, 0, -10]\n"
        "bodies: {b: {kind: rigid, mass: 1, inertia: [0.02, 0.03, 0.02], pose: {position: [0, 0, 0.3]},"
        " velocity: {linear: [0.9, 0, 0], angular: [0, 3, 0]}}}\n"
        "forces: {c: {kind: contact, ports: [ground.O, b.P], against: plane, normal: [0, 0, 1],"
        " semi_axes: [0.3, 0.1, 0.3], restitution: 0, friction: {coefficient: 0.3}}}\n"
        "outputs: {p: {position: b.P}, w: {angular_velocity: b.P}}\nsimulate: {end: 2, step: 1e-2, every: 0.5}\n";
    text_run r[2] = {run_text(*state, text, 2e-3), run_text(*state, text, 1e-3)};
    for (size_t k = 0; k < r[1].n; k++) {
        double x[2];
        for (int i = 0; i < 2; i++) {
            x[i] = record_at(*state, &r[i], "p.x", k);
            CHECK_SMALL(record_at(*state, &r[i], "p.y", k), 1e-12, "way across");
            CHECK_CLOSE(record_at(*state, &r[i], "p.z", k), 0.3, 1e-14, "height");
            CHECK_CLOSE(record_at(*state, &r[i], "w.y", k), 3.0, 1e-11, "angular velocity");
        }
        CHECK_CLOSE(x[1] + (x[1] - x[0]) / 3.0, 0.9 * record_at(*state, &r[0], "t", k), 1e-10, "way");
    }
    for (int i = 0; i < 2; i++) {
        CHECK_BELOW(fabs(record_at(*state, &r[i], "dissipated", r[i].n - 1)), 1e-14, "rolling takes nothing");
        assert_int_equal(r[i].report.transitions, 0);
        phx_result_destroy(r[i].result);
    }
}

/* An ellipse rolls in the plane: (I + m rho^2) w^2/2 + m g h is constant, with its angle f
 *     h^2 = (a sin f)^2 + (b cos f)^2,   rho^2 = (a^4 sin^2 f + b^4 cos^2 f)/h^2 */
static void an_ellipse_rolls(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -10]\nparameters: {a: 0.3, b: 0.2, w: -8}\n"
        "bodies: {e: {kind: rigid, mass: 1, inertia: 0.02, pose: {position: [0, b]}, velocity: {linear: [-w*b, 0],"
        " angular: w}}}\n"
        "forces: {c: {kind: contact, ports: [ground.O, e.P], against: plane, normal: [0, 1], semi_axes: [a, b],"
        " restitution: 0, friction: {coefficient: 10}}}\n"
        "outputs: {f: {angle: e.P}, w: {angular_velocity: e.P}, p: {position: e.P}}\n"
        "simulate: {end: 0.7, step: 1e-3, every: 0.1}\n";
    const double a = 0.3, b = 0.2, energy = 0.5 * (0.02 + b * b) * 64.0 + 10.0 * b;
    text_run r[2] = {run_text(*state, text, 1e-3), run_text(*state, text, 5e-4)};
    for (size_t k = 1; k < r[0].n; k++) {
        double f[2], w[2];
        for (int i = 0; i < 2; i++) {
            f[i] = record_at(*state, &r[i], "f", k);
            w[i] = record_at(*state, &r[i], "w", k);
        }
        const double at = f[1] + (f[1] - f[0]) / 3.0, s = sin(at) * sin(at), c = cos(at) * cos(at);
        const double h2 = a * a * s + b * b * c, arm2 = (a * a * a * a * s + b * b * b * b * c) / h2;
        const double exact = -sqrt(2.0 * (energy - 10.0 * sqrt(h2)) / (0.02 + arm2));
        CHECK_CLOSE(w[1] + (w[1] - w[0]) / 3.0, exact, 1e-8, "angular velocity, row %zu", k);
        CHECK_BETWEEN((w[0] - exact) / (w[1] - exact), 3.8, 4.2, "order 2, row %zu", k);
        CHECK_CLOSE(record_at(*state, &r[1], "p.y", k),
                    sqrt(a * a * sin(f[1]) * sin(f[1]) + b * b * cos(f[1]) * cos(f[1])), 1e-13, "height, row %zu", k);
    }
    CHECK_BELOW(record_at(*state, &r[1], "f", r[1].n - 1), -3.0, "it has turned by half a turn");
    phx_result_destroy(r[0].result);
    phx_result_destroy(r[1].result);
}

/* ---- the rattleback ---- */
/* The example's data: axes of the body; gamma, the vertical, and the angular velocity w there. */
enum { VERTICAL, W = 3, STATES = 6 };
static const double MASS = 1.0, GRAVITY = 9.81, SEMI_AXES[3] = {0.2, 0.03, 0.02}, CENTRE[3] = {0.0, 0.0, -0.01};
static const double INERTIA[9] = {2e-4, 2e-5, 0.0, 2e-5, 1.6e-3, 0.0, 0.0, 0.0, 1.7e-3};

static double height(const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += SEMI_AXES[i] * SEMI_AXES[i] * y[i] * y[i];
    return sqrt(sum);
}

/* r from the mass centre to the place of contact, whose velocity v + w x r is zero:
 *     m (v' + w x v) = F - m g gamma,  v = r x w,   I w' + w x I w = r x F,   gamma' = gamma x w
 * so (I + m (r^2 - r r^T)) w' = -w x I w + m r x (r' x w + w x (r x w) + g gamma) */
static void rates(const double *y, double *dy)
{
    const double *up = y + VERTICAL, *w = y + W, h = height(y);
    double r[3], r_dot[3], v[3], turned[3], carried[3], push[3], torque[3], Iw[3], gyro[3], A[9], h_dot = 0.0;

    phx_vec_x_vec(3, up, w, dy + VERTICAL);
    for (int i = 0; i < 3; i++)
        h_dot += SEMI_AXES[i] * SEMI_AXES[i] * up[i] * dy[i] / h;
    for (int i = 0; i < 3; i++) {
        const double squared = SEMI_AXES[i] * SEMI_AXES[i];
        r[i] = -squared * up[i] / h - CENTRE[i];
        r_dot[i] = -squared * (dy[i] - up[i] * h_dot / h) / h;
    }
    phx_vec_x_vec(3, r, w, v);
    phx_vec_x_vec(3, r_dot, w, turned);
    phx_vec_x_vec(3, w, v, carried);
    for (int i = 0; i < 3; i++)
        push[i] = MASS * (turned[i] + carried[i] + GRAVITY * up[i]);
    phx_vec_x_vec(3, r, push, torque);
    phx_rot_apply(3, INERTIA, w, Iw);
    phx_vec_x_vec(3, w, Iw, gyro);
    const double r2 = phx_port_scalar_product(3, r, r);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            A[i * 3 + k] = INERTIA[i * 3 + k] + MASS * ((i == k ? r2 : 0.0) - r[i] * r[k]);
    /* Cramer's rule */
    double row[3][3], cross[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            row[k][i] = A[i * 3 + k]; /* columns; A is symmetric */
    phx_vec_x_vec(3, row[1], row[2], cross);
    const double det = phx_port_scalar_product(3, row[0], cross);
    for (int i = 0; i < 3; i++)
        torque[i] -= gyro[i];
    for (int k = 0; k < 3; k++) {
        phx_vec_x_vec(3, row[(k + 1) % 3], row[(k + 2) % 3], cross);
        dy[W + k] = phx_port_scalar_product(3, torque, cross) / det;
    }
}

static text_run run_rattleback(phx_context *context, double step, double end)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_model *model = read_example(context, "rattleback.yaml");
    text_run r = {.n = 0};

    options.step = (phx_model_optional){.given = true, .value = step};
    options.end = (phx_model_optional){.given = true, .value = end};
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &r.report, &r.result));
    phx_model_destroy(model);
    r.n = phx_result_rows(r.result);
    CHECK_BELOW(r.report.largest_residual, 1e-12 * r.report.largest_energy, "balance");
    CHECK_BELOW(r.report.largest_drift, 1e-14, "gap");
    assert_int_equal(r.report.transitions, 0);
    return r;
}

/* Run at two steps, extrapolated, into angular velocity and height at the end of each part of the run. */
static void compare(phx_context *context, double step, double end, int parts, const double tolerance[3])
{
    static const char *const column[] = {"w.x", "w.y", "w.z", "p.z"};
    const double tilt = 3.0 * acos(-1.0) / 180.0, spin = 5.0;
    double y[STATES] = {0.0, sin(tilt), cos(tilt), 0.0, spin * sin(tilt), spin * cos(tilt)};
    text_run r[2] = {run_rattleback(context, step, end), run_rattleback(context, 0.5 * step, end)};

    assert_int_equal(r[0].n, r[1].n);
    for (int part = 1; part <= parts; part++) {
        const size_t row = (r[0].n - 1) / (size_t)parts * (size_t)part;
        double value[4];
        for (int c = 0; c < 4; c++) {
            const double a = record_at(context, &r[0], column[c], row), b = record_at(context, &r[1], column[c], row);
            value[c] = b + (b - a) / 3.0;
        }
        runge_kutta(STATES, rates, end / parts, 4000, y);
        CHECK_CLOSE(record_at(context, &r[0], "t", row), end * part / parts, 1e-12, "time");
        CHECK_CLOSE(value[2], phx_port_scalar_product(3, y, y + W), tolerance[0], "spin, part %d", part);
        CHECK_CLOSE(phx_port_scalar_product(3, value, value), phx_port_scalar_product(3, y + W, y + W), tolerance[1],
                    "squared angular velocity, part %d", part);
        CHECK_CLOSE(value[3], height(y), tolerance[2], "height, part %d", part);
    }
    phx_result_destroy(r[0].result);
    phx_result_destroy(r[1].result);
}

/* The rattling grows by half an order of magnitude a second, and every error with it: exact while it begins, and still
 * right when most of the spin is gone. */
static void rattleback_rolls(void **state)
{
    const int parts = TEST_SHORTER(3, 1);

    compare(*state, 2.5e-4, 0.25 * parts, parts, (const double[]){1e-8, 1e-5, 1e-9});
    if (TEST_SHORTER(true, false))
        compare(*state, 1e-3, 4.0, 1, (const double[]){5e-3, 0.2, 1e-5});
}

/* It goes on to spin the other way round, as fast. */
static void rattleback_turns_back(void **state)
{
    text_run r = run_rattleback(*state, 1e-3, TEST_SHORTER(8.0, 0.5));
    double *spin = record_column(*state, &r, "w.z"), least = 0.0;

    for (size_t k = 0; k < r.n; k++)
        least = fmin(least, spin[k]);
    CHECK_CLOSE(spin[0], 5.0, 1e-12, "spin at the start");
    if (TEST_SHORTER(true, false))
        CHECK_BETWEEN(least, -5.1, -4.9, "spin after the reversal");
    CHECK_BELOW(fabs(record_at(*state, &r, "dissipated", r.n - 1)), 1e-13, "rolling takes nothing");
    free(spin);
    phx_result_destroy(r.result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_semi_axes_are_a_sphere, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(gap_and_energy_are_exact, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(lifts_off_where_its_force_ends, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(rolls_on_its_equator, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(an_ellipse_rolls, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(rattleback_rolls, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(rattleback_turns_back, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
