/* Bodies that turn far in a step, driven or free, torques on them, drives over flexible bodies, and defaults that
 * choose their steps: the motion against closed forms, not the balance alone (run_text checks the balance of each run).
 */
#include "support.h"
#include "results/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct swing {
    double largest, least, low, high; /* angle from below, rad; invariant, J */
} swing;

/* A pendulum that carries a balanced wheel, driven against it: (m l^2 + I + J) q'^2/2 - m g l cos q is constant. */
static swing run_flywheel(phx_context *context, const char *drive, int dim, double h)
{
    static const double K = (5.0 * 0.5 + 5.0) * 9.81, inertia = 0.2 + 5.0 * 0.25 + 0.1 + 5.0;
    char text[1600];
    const bool space = dim == 3;
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: %d\ngravity: [0, -9.81%s]\nparameters: {Omega: 150}\nbodies:\n"
             "  arm: {kind: rigid, mass: 5, inertia: %s, centre_of_mass: [0.5, 0%s],\n"
             "    pose: {position: [0, 0%s], %s}, ports: {E: {position: [1, 0%s]}}}\n"
             "  wheel: {kind: rigid, mass: 5, inertia: %s, pose: {position: [\"sin(1)\", \"-cos(1)\"%s]%s}}\n"
             "joints:\n"
             "  pin: {kind: revolute, ports: [ground.O, arm.P]%s, angle: 1 - pi/2}\n"
             "  spin: {kind: revolute, ports: [arm.E, wheel.P]%s, %s}\n"
             "outputs: {q: {coordinate: pin}, w: {rate: pin}}\nsimulate: {end: 10, step: %.17g, every: 0.01}\n",
             dim, space ? ", 0" : "", space ? "[0.2, 0.2, 0.2]" : "0.2", space ? ", 0" : "", space ? ", 0" : "",
             space ? "rotation: {axis: [0, 0, 1], angle: 1 - pi/2}" : "angle: 1 - pi/2", space ? ", 0" : "",
             space ? "[0.1, 0.1, 0.1]" : "0.1", space ? ", 0" : "",
             space ? ", rotation: {axis: [0, 0, 1], angle: 1 - pi/2}" : "", space ? ", axis: [0, 0, 1]" : "",
             space ? ", axis: [0, 0, 1]" : "", drive, h);
    text_run r = run_text(context, text, 0.0);
    swing out = {-HUGE_VAL, HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < r.n; k++) {
        const double q = record_at(context, &r, "q", k), w = record_at(context, &r, "w", k);
        const double invariant = 0.5 * inertia * w * w + K * sin(q);
        out.largest = fmax(out.largest, q + TEST_PI / 2.0);
        out.least = fmin(out.least, q + TEST_PI / 2.0);
        out.low = fmin(out.low, invariant);
        out.high = fmax(out.high, invariant);
    }
    phx_result_destroy(r.result);
    return out;
}

/* Without the attribution of the drive's impulses the pendulum goes over the top; with the wheel's translation in its
 * own axes the invariant creeps by 9 J in 20 s. */
static void a_drive_does_not_pump_the_free_motion(void **state)
{
    static const char *const drives[] = {"speed: Omega", "motion: Omega*t"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 2; k++) {
            const swing coarse = run_flywheel(*state, drives[k], dim, 1e-3),
                        fine = run_flywheel(*state, drives[k], dim, 5e-4);
            CHECK_CLOSE(coarse.largest, 1.2589, 0.01 * 1.2589, "dim %d, %s: swing", dim, drives[k]);
            CHECK_CLOSE(coarse.least, -1.2589, 0.01 * 1.2589, "dim %d, %s: swing back", dim, drives[k]);
            CHECK_BETWEEN((coarse.high - coarse.low) / (fine.high - fine.low), 3.8, 4.2, "dim %d, %s: ripple", dim,
                          drives[k]);
        }
}

/* A disc whose centre of mass is off its axis, driven on springs: the response of k - m Omega^2 + i Omega c. */
static void a_driven_unbalance_shakes_as_it_should(void **state)
{
    static const double m = 10.0, k = 1e5, Omega = 150.0, off = 1e-4, end = 0.3;
    static const double steps[] = {1e-4, 2e-4, 3e-4};
    for (int i = 0; i < 3; i++) {
        text_run r = run_text(*state,
                              "phlexor: 1\ndimension: 2\nparameters: {Omega: 150, ecc: 1e-4}\n"
                              "bodies: {disc: {kind: rigid, mass: 10, inertia: 0.1, centre_of_mass: [ecc, 0]}}\n"
                              "joints: {hub: {kind: free, ports: [ground.O, disc.P], speed: [null, null, Omega],\n"
                              "  stiffness: [1e5, 1e5, 0]}}\n"
                              "outputs: {p: {position: disc.P}}\nsimulate: {end: 0.3, step: 1e-4, every: 0.006}\n",
                              steps[i]);
        /* m z'' + k z = m e Omega^2 exp(i Omega t); at first the centre of mass is at rest, z' = -i Omega e */
        const double omega = sqrt(k / m), A = m * off * Omega * Omega / (k - m * Omega * Omega);
        double size = 0.0, error = 0.0;
        for (size_t n = 0; n < r.n; n++) {
            const double t = record_at(*state, &r, "t", n);
            const double x = A * (cos(Omega * t) - cos(omega * t)),
                         y = A * sin(Omega * t) - Omega / omega * (A + off) * sin(omega * t);
            error = fmax(error, hypot(record_at(*state, &r, "p.x", n) - x, record_at(*state, &r, "p.y", n) - y));
            size = fmax(size, hypot(x, y));
        }
        assert_true(size > 1e-4 && record_at(*state, &r, "t", r.n - 1) == end);
        CHECK_BELOW(error / size, 3.0 * steps[i] * steps[i] * Omega * Omega, "h = %g", steps[i]);
        phx_result_destroy(r.result);
    }
}

/* Free of forces: 1 m/s for 20 s, whatever the spin, where the origin is, and however it is composed. */
static void a_free_body_flies_at_its_speed(void **state)
{
    text_run r =
        run_text(*state,
                 "phlexor: 1\ndimension: 2\n"
                 "bodies: {b: {kind: rigid, mass: 5, inertia: 0.1, velocity: {linear: [1, 0], angular: 150}}}\n"
                 "outputs: {p: {position: b.P}}\nsimulate: {end: 20, step: 1e-3, every: 1}\n",
                 0.0);
    CHECK_CLOSE(record_at(*state, &r, "p.x", r.n - 1), 20.0, 1e-11, "p.x");
    CHECK_CLOSE(record_at(*state, &r, "p.y", r.n - 1), 0.0, 1e-11, "p.y");
    phx_result_destroy(r.result);
    r = run_text(*state,
                 "phlexor: 1\ndimension: 3\nbodies: {b: {kind: rigid, mass: 2, inertia: [0.3, 0.2, 0.1],\n"
                 "  centre_of_mass: [0.3, -0.2, 0.1], ports: {G: {position: [0.3, -0.2, 0.1]}},\n"
                 "  velocity: {linear: [1, 0, 0], angular: [3, 40, -20]}}}\n"
                 "outputs: {p: {position: b.G}, v: {velocity: b.G}}\nsimulate: {end: 5, step: 1e-3, every: 1}\n",
                 0.0);
    static const char *const p[] = {"p.x", "p.y", "p.z"}, *const v[] = {"v.x", "v.y", "v.z"};
    for (int i = 0; i < 3; i++)
        CHECK_CLOSE(record_at(*state, &r, p[i], r.n - 1),
                    record_at(*state, &r, p[i], 0) + 5.0 * record_at(*state, &r, v[i], 0), 1e-10, "offset origin, %s",
                    p[i]);
    phx_result_destroy(r.result);
    /* a rod: h Omega = 0.1, which took 2.5e-3 of the way */
    r = run_text(*state,
                 "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1000, young: 1e9, poisson: 0.3}}\n"
                 "bodies: {b: {kind: rod, material: m, length: 1, elements: 4, section: {kind: circle, diameter: "
                 "0.1}, velocity: {linear: [1, -5], angular: 10}}}\n"
                 "outputs: {mid: {position: b@0.5}}\nsimulate: {end: 10, step: 0.01, every: 1}\n",
                 0.0);
    CHECK_CLOSE(record_at(*state, &r, "mid.x", r.n - 1), 10.5, 1e-6, "a rod");
    phx_result_destroy(r.result);
}

/* A constant torque of 20 N m on 0.8 kg m^2: 500 rad/s after 20 s, however far the rotor turns in a step. */
static void a_torque_gives_its_angular_momentum(void **state)
{
    static const struct {
        const char *what, *joint, *loads;
    } cases[] = {{"3: an effort", "effort: 20", ""},
                 {"3: a load", "damping: 0", "loads: {T: {torque: [0, 0, 20], at: wheel.P}}\n"},
                 {"2: an effort", "effort: 20", ""},
                 {"2: a load", "damping: 0", "loads: {T: {torque: 20, at: wheel.P}}\n"}};
    static const double steps[] = {5e-3, 2e-2};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int i = 0; i < 2; i++) {
            const bool space = cases[k].what[0] == '3';
            char text[800];
            snprintf(text, sizeof text,
                     "phlexor: 1\ndimension: %d\nbodies: {wheel: {kind: rigid, mass: 12, inertia: %s}}\n"
                     "joints: {hub: {kind: revolute%s, ports: [ground.O, wheel.P], %s}}\n%s"
                     "outputs: {w: {rate: hub}}\nsimulate: {end: 20, step: 1, every: 1}\n",
                     space ? 3 : 2, space ? "[0.4, 0.4, 0.8]" : "0.8", space ? ", axis: [0, 0, 1]" : "", cases[k].joint,
                     cases[k].loads);
            text_run r = run_text(*state, text, steps[i]);
            CHECK_CLOSE(record_at(*state, &r, "w", r.n - 1), 500.0, 1e-9, "%s, h = %g", cases[k].what, steps[i]);
            phx_result_destroy(r.result);
        }
}

/* A trolley at a constant speed over a bridge, 0.05 of its mass: the deflection at the middle of a moving load,
 * Timoshenko's series. The drive decides the velocities at once, its effort not. */
static void a_driven_trolley_balances(void **state)
{
    static const double L = 10.0, EI = 2.1e5, mass = 20.0, load = 9.81, v = 20.0;
    text_run r = run_text(*state,
                          "phlexor: 1\ndimension: 2\nground: {ports: {E: {position: [10, 0]}}}\n"
                          "materials: {steel: {density: 2000, young: 2.1e11}}\nbodies:\n"
                          "  bridge: {kind: beam, material: steel, length: 10, section: {kind: general, area: 0.01,\n"
                          "    inertia: 1e-6}, elements: 12, reference: simply_supported}\n"
                          "  car: {kind: rigid, mass: 1, inertia: 0.01, pose: {position: [0.001, 0]}}\n"
                          "joints:\n  a: {kind: revolute, ports: [ground.O, bridge.P]}\n"
                          "  b: {kind: slider, axis: [1, 0], ports: [ground.E, bridge.C]}\n"
                          "  run: {kind: point_on, ports: [bridge.P, car.P], position: 0.001, speed: 20}\n"
                          "loads: {weight: {force: [0, -9.81], at: car.P}}\n"
                          "outputs: {mid: {deformation: bridge@0.5}}\nsimulate: {end: 0.4, step: 1e-3, every: 0.01}\n",
                          0.0);
    double largest = 0.0, error = 0.0;
    const double start = record_at(*state, &r, "mid.y", 0);
    for (size_t k = 0; k < r.n; k++) {
        const double t = record_at(*state, &r, "t", k);
        double y = 0.0;
        for (int n = 1; n <= 9; n += 2) {
            const double p = n * TEST_PI / L, omega = p * p * sqrt(EI / mass), Omega = p * v;
            y -= 2.0 * load / (mass * L) * sin(0.5 * n * TEST_PI) / (omega * omega - Omega * Omega) *
                 (sin(Omega * t) - Omega / omega * sin(omega * t));
        }
        largest = fmax(largest, fabs(y));
        error = fmax(error, fabs(record_at(*state, &r, "mid.y", k) - start - y));
    }
    CHECK_BELOW(error / largest, 0.06, "deflection (the series has no mass on the bridge)");
    phx_result_destroy(r.result);
}

/* Springs far from the origin: what places are rounded by there is no error of the balance. */
static void springs_far_away_run(void **state)
{
    static const double places[] = {0.0, 1e4, 1e6};
    double angle[3];
    for (int i = 0; i < 3; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nparameters: {X: %g}\n"
                 "ground: {ports: {G: {position: [X, X]}, W: {position: [X + 1, X + 0.6]}}}\n"
                 "bodies: {b: {kind: rigid, mass: 2, inertia: 0.1, ports: {C: {position: [0.7, 0]}}, pose: {position: "
                 "[X, X]}}}\n"
                 "joints: {j: {kind: revolute, ports: [ground.G, b.P]}}\n"
                 "springs: {s: {ports: [ground.W, b.C], stiffness: 73, damping: 1.8, length: 0.6}}\n"
                 "outputs: {q: {coordinate: j}}\nsimulate: {end: 1, step: 2e-3}\n",
                 places[i]);
        phx_model *model = read_text(*state, text);
        phx_simulate_options options = phx_simulate_options_default();
        phx_simulate_report report;
        phx_result *result = NULL;
        CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
        angle[i] = result_value(*state, result, "q", phx_result_rows(result) - 1);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
    CHECK_CLOSE(angle[1], angle[0], 1e-9, "at 1e4 m");
    CHECK_CLOSE(angle[2], angle[0], 1e-6, "at 1e6 m");
}

/* Without step, rtol and every: x = 0.1 cos(2 pi t), over many periods and their whole numbers. */
static void the_default_accuracy_holds(void **state)
{
    static const double ends[] = {10.0, 20.0, 50.0, 60.0, 61.7};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        phx_model *model =
            read_text(*state, "phlexor: 1\ndimension: 2\n"
                              "bodies: {b: {kind: rigid, mass: 1, inertia: 1, pose: {position: [0.1, 0]}}}\n"
                              "joints: {g: {kind: prismatic, ports: [ground.O, b.P], axis: [1, 0], stiffness: "
                              "(2*pi)^2}}\noutputs: {x: {coordinate: g}}\n");
        phx_simulate_options options = phx_simulate_options_default();
        phx_simulate_report report;
        phx_result *result = NULL;
        options.end = (phx_model_optional){true, ends[k]};
        CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
        double error = 0.0;
        for (size_t row = 0; row < phx_result_rows(result); row++)
            error = fmax(error, fabs(result_value(*state, result, "x", row) -
                                     0.1 * cos(2.0 * TEST_PI * result_value(*state, result, "t", row))));
        assert_true(phx_result_rows(result) > 100);
        CHECK_BELOW(error, 2e-3 * 0.1, "until %g s", ends[k]);
        CHECK_BETWEEN(report.accuracy_reached, 1e-10, 1e-3, "what it tells until %g s", ends[k]);
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* h d/m = 100: the midpoint rule turns the velocity round in each step, with a hundredth of the step it does not. */
static void a_damper_too_strong_for_the_step_is_told(void **state)
{
    static const char *const dampers[] = {
        "joints: {s: {kind: prismatic, ports: [ground.O, b.P], axis: [1, 0], damping: 1e5}}\n",
        "springs: {s: {ports: [ground.Q, b.P], damping: 1e5}}\n",
        "forces: {s: {kind: bushing, ports: [ground.O, b.P], stiffness: [1, 1, 1], damping: [1e5, 10, 1]}}\n"};
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nground: {ports: {Q: {position: [-1, 0]}}}\n"
                 "bodies: {b: {kind: rigid, mass: 1, inertia: 0.1, velocity: {linear: [1, 0]}}}\n%s"
                 "simulate: {end: 0.02, step: 1e-3}\n",
                 dampers[k]);
        text_run r = run_text(*state, text, 0.0);
        assert_int_equal(r.warnings, 1);
        assert_non_null(strstr(r.warning, "'s': its damper is so strong for steps of 0.001 s"));
        phx_result_destroy(r.result);
        r = run_text(*state, text, 1e-5);
        assert_int_equal(r.warnings, 0);
        phx_result_destroy(r.result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_drive_does_not_pump_the_free_motion, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_driven_unbalance_shakes_as_it_should, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_free_body_flies_at_its_speed, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_torque_gives_its_angular_momentum, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_driven_trolley_balances, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(springs_far_away_run, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_damper_too_strong_for_the_step_is_told, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(the_default_accuracy_holds, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
