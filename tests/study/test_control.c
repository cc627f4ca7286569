/* Controllers of model files: against the spring and damper that they stand for, an independent integration, bodies,
 * closed formulas, and each other. */
#include "support.h"
#include "system/system.h"
#include "statespace/statespace.h"
#include "results/results.h"
#include "control/control.h"

#include <phlexor/results.h>

#include <matio.h>

/* ---- models and runs ---- */
/* `more` goes in front of `simulate`. */
static phx_model *read_with(phx_context *context, const char *head, const char *more)
{
    char text[6000];
    assert_in_range(snprintf(text, sizeof text, "%s%s", head, more), 1, sizeof text - 1);
    return read_text(context, text);
}

typedef struct run {
    double end, step, every;
} run;

static phx_result *simulate(phx_context *context, phx_model *model, run of, phx_simulate_report *report)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report own;
    phx_result *result = NULL;

    options.end = (phx_model_optional){.given = true, .value = of.end};
    options.step = (phx_model_optional){.given = true, .value = of.step};
    if (of.every > 0.0)
        options.every = (phx_model_optional){.given = true, .value = of.every};
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, report ? report : &own, &result));
    phx_model_destroy(model);
    return result;
}

static double last(phx_context *context, const phx_result *result, const char *name)
{
    return result_value(context, result, name, phx_result_rows(result) - 1);
}

/* ---- the two-link arm ---- */
static const char arm[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {EA: 2e6, EI: 1000, kp1: 120, kd1: 30, kp2: 40, kd2: 8, g1: 19.36607029076028,\n"
    "  g2: 6.796470848133222, qd1: pi/4, qd2: -pi/3}\n"
    "materials: {light: {density: 1000, young: EA/1e-3}}\n"
    "bodies:\n"
    "  upper: {kind: beam, material: light, length: 1, elements: 1, reference: cantilever,\n"
    "    section: {kind: general, area: 1e-3, inertia: 1e-3*EI/EA}}\n"
    "  lower: {kind: beam, material: light, length: 0.8, elements: 1, reference: cantilever,\n"
    "    section: {kind: general, area: 1e-3, inertia: 1e-3*EI/EA},\n"
    "    pose: {position: [1, 0]}, point_masses: [{at: C, mass: 0.5}]}\n"
    "outputs: {tip: {position: lower.C}, q1: {coordinate: shoulder}, q2: {coordinate: elbow},\n"
    "  w1: {rate: shoulder}, w2: {rate: elbow}, v: {velocity: lower.C}, a: {acceleration: lower.C}}\n";
static const char free_joints[] = "joints:\n"
                                  "  shoulder: {kind: revolute, ports: [ground.O, upper.P]}\n"
                                  "  elbow: {kind: revolute, ports: [upper.C, lower.P]}\n";
static const char held_joints[] = "initial: {deformation: quasi_static}\n"
                                  "joints:\n"
                                  "  shoulder: {kind: revolute, ports: [ground.O, upper.P], angle: qd1, rate: 1e-6}\n"
                                  "  elbow: {kind: revolute, ports: [upper.C, lower.P], angle: qd2}\n";
#define PD(more)                                                                                                       \
    "controllers:\n"                                                                                                   \
    "  c1: {kind: pid, measure: shoulder, effort: shoulder, kp: kp1, kd: kd1, reference: qd1, feedforward: g1" more    \
    "}\n"                                                                                                              \
    "  c2: {kind: pid, measure: elbow, effort: elbow, kp: kp2, kd: kd2, reference: qd2, feedforward: g2" more "}\n"

static phx_model *read_arm(phx_context *context, const char *joints, const char *controllers)
{
    char text[3000];
    assert_in_range(snprintf(text, sizeof text, "%s%s", joints, controllers), 1, sizeof text - 1);
    return read_with(context, arm, text);
}

/* kp, kd and the feed-forward are the stiffness, the damping and the rest of the spring of the joint. */
static void pid_is_spring_and_damper(void **state)
{
    phx_context *context = *state;
    const run of = {0.5, 1e-3, 0.0};
    phx_result *by_joint =
        simulate(context,
                 read_arm(context,
                          "joints:\n"
                          "  shoulder: {kind: revolute, ports: [ground.O, upper.P], stiffness: kp1, damping: kd1,\n"
                          "    rest: qd1 + g1/kp1}\n"
                          "  elbow: {kind: revolute, ports: [upper.C, lower.P], stiffness: kp2, damping: kd2,\n"
                          "    rest: qd2 + g2/kp2}\n",
                          ""),
                 of, NULL);
    phx_result *by_pid = simulate(context, read_arm(context, free_joints, PD("")), of, NULL);
    static const char *const names[] = {"tip.x", "tip.y", "q1", "q2", "w1", "w2", "kinetic", "elastic"};

    for (size_t row = 0; row < phx_result_rows(by_pid); row++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            CHECK_CLOSE(result_value(context, by_pid, names[k], row), result_value(context, by_joint, names[k], row),
                        2e-11, "%s, row %zu", names[k], row);
    phx_result_destroy(by_joint);
    phx_result_destroy(by_pid);
}

/* tests/data/two_link_pd_gravity.csv: a Lagrangian model of the same elements in minimal coordinates, by Radau. The
 * angles at the joints are those of slopes there, here those of directions: s^3/3 = 7e-6 apart. */
static void arm_agrees_with_reference(void **state)
{
    phx_context *context = *state;
    phx_result *result = simulate(context, read_arm(context, free_joints, PD("")), (run){1.0, 1e-4, 0.05}, NULL);
    FILE *file = fopen(PHX_SOURCE_DIR "/tests/data/two_link_pd_gravity.csv", "r");
    char line[400];
    double before = HUGE_VAL;
    size_t row = 0;

    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        double t, x, y, q1, q2, H_d;
        if (line[0] == '#' || sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf", &t, &x, &y, &q1, &q2, &H_d) != 6)
            continue;
        const double a = result_value(context, result, "q1", row), b = result_value(context, result, "q2", row);
        const double e1 = a - TEST_PI / 4, e2 = b + TEST_PI / 3;
        const double own = result_value(context, result, "energy", row) + 60.0 * e1 * e1 + 20.0 * e2 * e2 -
                           19.36607029076028 * a - 6.796470848133222 * b;
        CHECK_CLOSE(result_value(context, result, "t", row), t, 1e-12, "t");
        CHECK_CLOSE(result_value(context, result, "tip.x", row), x, 2e-5, "tip.x at %g s", t);
        CHECK_CLOSE(result_value(context, result, "tip.y", row), y, 2e-5, "tip.y at %g s", t);
        CHECK_CLOSE(a, q1, 2e-5, "q1 at %g s", t);
        CHECK_CLOSE(b, q2, 2e-5, "q2 at %g s", t);
        CHECK_BELOW(own, before, "H_d at %g s", t); /* energy shaping and damping injection: it falls */
        before = own;
        row++;
    }
    fclose(file);
    assert_int_equal(row, 21);
    phx_result_destroy(result);
}

/* ---- linear models ---- */
static phx_ss *linearise(phx_context *context, phx_model *model, bool with_inputs)
{
    static const char *const inputs[] = {"shoulder.effort", "elbow.effort"};
    static const char *const outputs[] = {"q1", "q2", "w1", "w2"};
    phx_study_linearize_options options = phx_study_linearize_options_default();
    phx_linear_report report;
    phx_ss *system = NULL;

    options.channels.outputs = outputs;
    options.channels.n_outputs = 4;
    if (with_inputs) {
        options.channels.inputs = inputs;
        options.channels.n_inputs = 2;
    }
    CHECK_OK(context, phx_study_linearize(context, model, &options, &report));
    CHECK_OK(context, phx_ss_copy(context, report.system, NULL, NULL, &system));
    phx_linear_report_free(&report);
    phx_model_destroy(model);
    return system;
}

/* Poles of both, in their order. */
static void check_poles(phx_context *context, const phx_ss *got, const phx_ss *want, double rtol)
{
    double re[2][64], im[2][64];
    const int n = phx_ss_n(want);

    assert_in_range(n, 1, 64);
    assert_int_equal(phx_ss_n(got), n);
    CHECK_OK(context, phx_ss_poles(context, got, re[0], im[0], NULL, NULL));
    CHECK_OK(context, phx_ss_poles(context, want, re[1], im[1], NULL, NULL));
    for (int k = 0; k < n; k++) {
        const double scale = hypot(re[1][k], im[1][k]);
        CHECK_CLOSE(re[0][k], re[1][k], rtol * scale, "pole %d, real part", k + 1);
        CHECK_CLOSE(im[0][k], im[1][k], rtol * scale, "pole %d, imaginary part", k + 1);
    }
}

#define CONSTANT_EFFORTS(joint1, joint2)                                                                               \
    "joints:\n"                                                                                                        \
    "  shoulder: {kind: revolute, ports: [ground.O, upper.P], angle: qd1" joint1 "}\n"                                 \
    "  elbow: {kind: revolute, ports: [upper.C, lower.P], angle: qd2" joint2 "}\n"                                     \
    "initial: {deformation: quasi_static}\n"

/* The closed loop of the model with controllers against the plant, exported without them, connected with the
 * controllers' own matrices: A + B K C, and for dynamic ones phx_ss_connect. */
static void poles_are_those_of_the_loop(void **state)
{
    phx_context *context = *state;
    phx_ss *plant = linearise(context, read_arm(context, CONSTANT_EFFORTS(", effort: g1", ", effort: g2"), ""), true);
    phx_ss *closed = linearise(context, read_arm(context, CONSTANT_EFFORTS("", ""), PD("")), false);
    const double K[] = {-120, 0, -30, 0, 0, -40, 0, -8};
    phx_ss *gain = NULL, *loop = NULL;
    const phx_ss_def def = {.n_inputs = 4, .n_outputs = 2, .D = K};

    CHECK_OK(context, phx_ss_create(context, &def, &gain));
    CHECK_OK(context, phx_ss_feedback(context, plant, gain, 1.0, &loop));
    check_poles(context, closed, loop, 1e-9);
    phx_ss_destroy(loop);
    phx_ss_destroy(gain);
    phx_ss_destroy(closed);

    /* u1 = 3 z, z' = -5 z - 20 (q1 - ..) - 2 w1,  u2 = -10 q2 - 4 w2 + 0.5 u1, a static law that reads the other one */
    closed = linearise(
        context,
        read_arm(context, CONSTANT_EFFORTS("", ""),
                 "controllers:\n"
                 "  lag: {kind: state_space, inputs: [shoulder.coordinate, w1], outputs: [shoulder.effort],\n"
                 "    A: [[-5]], B: [[-20, -2]], C: [[3]], D: [[-60, -20]], reference: [qd1, 0], feedforward: g1}\n"
                 "  other: {kind: expression, efforts: {elbow.effort: \"-10*(y(q2) - qd2) - 4*y(elbow.rate) + g2 + "
                 "0.5*(y(lag.u1) - g1)\"}}\n"),
        false);
    const double A[] = {-5}, B[] = {-20, 0, -2, 0}, C[] = {3, 1.5}, D[] = {-60, 0, -20, 0, -30, -10, -10, -4};
    const phx_ss_def dynamic = {.n = 1, .n_inputs = 4, .n_outputs = 2, .A = A, .B = B, .C = C, .D = D};
    CHECK_OK(context, phx_ss_create(context, &dynamic, &gain));
    CHECK_OK(context, phx_ss_feedback(context, plant, gain, 1.0, &loop));
    check_poles(context, closed, loop, 1e-9);
    assert_string_equal(phx_ss_state(closed, phx_ss_n(closed) - 1), "lag.z1");
    phx_ss_destroy(loop);
    phx_ss_destroy(gain);
    phx_ss_destroy(closed);
    phx_ss_destroy(plant);
}

static void modes_are_the_poles(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_arm(context, CONSTANT_EFFORTS("", ""), PD(", ki: 25, anti_windup: 0"));
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table;
    phx_study_modes_report report;
    double omega[64], damping[64];

    options.count = 6;
    CHECK_OK(context, phx_study_modes(context, model, &options, &table, &report));
    phx_ss *closed = linearise(context, model, false);
    CHECK_OK(context, phx_ss_poles(context, closed, NULL, NULL, omega, damping));
    assert_int_equal(table.n_rows, 6);
    for (int m = 0, k = 0; m < table.n_rows; m++, k++) {
        CHECK_RELATIVE(table.rows[m].omega, omega[k], 1e-9, "mode %d", m + 1);
        CHECK_CLOSE(table.rows[m].damping, damping[k], 1e-9, "damping of mode %d", m + 1);
        if (fabs(damping[k]) < 1.0 - 1e-12)
            k++; /* the other one of the pair */
    }
    phx_modes_free(&table);
    phx_ss_destroy(closed);
}

/* ---- sampling ---- */
/* Around the target the sampled loop becomes unstable at T = 2/lambda_max(K_d B^T M^-1 B) = 1.343e-4 s. */
static void sampling_period_has_its_limit(void **state)
{
    phx_context *context = *state;
    const double periods[] = {1.2e-4, 1.4e-4};
    double size[2];

    for (int k = 0; k < 2; k++) {
        char text[600];
        phx_check_report report;
        snprintf(text, sizeof text, PD(", sample: %g"), periods[k], periods[k]);
        phx_model *model = read_arm(context, held_joints, text);
        CHECK_OK(context, phx_study_check(context, model, &report));
        CHECK_CLOSE(report.sampling_limit, 1.3426e-4, 1e-8, "the limit that the check tells");
        phx_check_report_free(&report);
        phx_result *result = simulate(context, model, (run){200 * periods[k], periods[k] / 20, 0.0}, NULL);
        size[k] = fabs(last(context, result, "w2")) / fabs(result_value(context, result, "w2", 0));
        phx_result_destroy(result);
    }
    CHECK_BELOW(size[0], 0.7, "the rate of the elbow at 1.2e-4 s decays");
    CHECK_BETWEEN(size[1], 1e3, HUGE_VAL, "the rate of the elbow at 1.4e-4 s grows");
}

/* With a delay of n samples v+ = v - T k v_n is stable up to T k = 2 sin(pi/(4 n + 2)); simulated on both sides. */
static void a_delay_shortens_the_sampling_period(void **state)
{
    phx_context *context = *state;

    for (int delay = 0; delay < 4; delay++) {
        const double limit = 2.0 * sin(TEST_PI / (4.0 * delay + 2.0)) / 100.0;
        for (int above = 0; above < 2; above++) {
            const double T = (above ? 1.05 : 0.95) * limit;
            char text[600];
            phx_check_report report;
            phx_model *model = NULL;
            snprintf(text, sizeof text,
                     "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"
                     "joints: {a: {kind: revolute, ports: [ground.O, b.P], angle: 0, rate: 1}}\n"
                     "controllers: {d: {kind: pid, measure: a, effort: a, kp: 0, kd: 100, sample: %.17g, delay: %d}}\n"
                     "outputs: {w2: {rate: a}}\n",
                     T, delay);
            CHECK_OK(context, phx_model_read_text(context, "delay.yaml", text, strlen(text), 0, NULL, &model));
            CHECK_OK(context, phx_study_check(context, model, &report));
            CHECK_RELATIVE(report.sampling_limit, limit, 1e-9, "the bound with a delay of %d", delay);
            phx_check_report_free(&report);
            phx_result *result = simulate(context, model, (run){200.0 * T, T, 0.0}, NULL);
            if (above)
                CHECK_BETWEEN(fabs(last(context, result, "w2")), 3.0, HUGE_VAL, "beyond the bound, delay %d", delay);
            else
                CHECK_BELOW(fabs(last(context, result, "w2")), 0.3, "below the bound, delay %d", delay);
            phx_result_destroy(result);
        }
    }
}

static const char rail[] = "phlexor: 1\n"
                           "dimension: 2\n"
                           "bodies: {car: {kind: rigid, mass: 2, inertia: 1}}\n"
                           "joints: {rail: {kind: prismatic, ports: [ground.O, car.P], axis: [1, 0], position: 0.3, "
                           "rate: -0.1}}\n"
                           "outputs: {x: {coordinate: rail}, v: {rate: rail}}\n";

/* A mass under a force held for T: x+ = x + T v + T^2/(2 m) u, v+ = v + T/m u, exactly, for any step that divides T. */
static void samples_and_delay_are_exact(void **state)
{
    phx_context *context = *state;
    const double T = 0.05, m = 2.0;

    for (int delay = 0; delay <= 2; delay++) {
        char text[600];
        double x = 0.3, v = -0.1, z = 0.2, queue[3];
        snprintf(text, sizeof text,
                 "controllers:\n"
                 "  c: {kind: state_space, inputs: [x, v], outputs: [rail.effort], A: [[0.8]], B: [[0.1, -0.2]],\n"
                 "    C: [[-3]], D: [[-6, -4]], initial: [0.2], reference: [0.1, 0], sample: 0.05, delay: %d}\n",
                 delay);
        phx_result *result = simulate(context, read_with(context, rail, text), (run){2.0, 0.018, 0.05}, NULL);
        for (int k = 0; k < 3; k++)
            queue[k] = -3.0 * z - 6.0 * (x - 0.1) - 4.0 * v;
        for (size_t row = 0; row < phx_result_rows(result); row++) {
            CHECK_CLOSE(result_value(context, result, "x", row), x, 1e-13, "x, delay %d, row %zu", delay, row);
            CHECK_CLOSE(result_value(context, result, "v", row), v, 1e-13, "v, delay %d, row %zu", delay, row);
            for (int k = 0; k < delay; k++)
                queue[k] = queue[k + 1];
            queue[delay] = -3.0 * z - 6.0 * (x - 0.1) - 4.0 * v;
            z = 0.8 * z + 0.1 * (x - 0.1) - 0.2 * v;
            x += T * v + 0.5 * T * T / m * queue[0];
            v += T / m * queue[0];
        }
        phx_result_destroy(result);
    }
}

/* ---- port-Hamiltonian ---- */
/* A vibration absorber as a body on a spring and a damper, and as a block of stretch s and momentum p:
 *   s' = p/m - y,  p' = -k s - c (p/m - y),  force on the car k s + c (p/m - y) */
static void absorber_is_the_absorber_of_bodies(void **state)
{
    phx_context *context = *state;
    static const char car[] = "phlexor: 1\n"
                              "dimension: 2\n"
                              "bodies:\n"
                              "  car: {kind: rigid, mass: 2, inertia: 1}\n";
    static const char rail_key[] = "  rail: {kind: prismatic, ports: [ground.O, car.P], axis: [1, 0], stiffness: 80, "
                                   "position: 0.1, rate: 0.4}\n";
    char text[3000];
    snprintf(text, sizeof text,
             "  mass: {kind: rigid, mass: 0.3, inertia: 0.1}\n"
             "outputs: {x: {coordinate: rail}}\n"
             "joints:\n%s"
             "  slide: {kind: prismatic, ports: [car.P, mass.P], axis: [1, 0], stiffness: 12, damping: 0.4,\n"
             "    position: 0, rate: 0}\n",
             rail_key);
    const run of = {20.0, 0.01, 0.1};
    phx_result *bodies = simulate(context, read_with(context, car, text), of, NULL);
    snprintf(text, sizeof text,
             "outputs: {x: {coordinate: rail}}\n"
             "joints:\n%s"
             "controllers:\n"
             "  absorber: {kind: port_hamiltonian, ports: [rail.effort], J: [[0, 1], [-1, 0]],\n"
             "    R: [[0, 0], [0, 0.4]], Q: [[12, 0], [0, 1/0.3]], B: [[-1], [0]], P: [[0], [-0.4]], S: 0.4,\n"
             "    initial: [0, 0.12]}\n",
             rail_key);
    phx_simulate_report report;
    phx_result *block = simulate(context, read_with(context, car, text), of, &report);

    for (size_t row = 0; row < phx_result_rows(block); row++) {
        CHECK_CLOSE(result_value(context, block, "x", row), result_value(context, bodies, "x", row), 1e-13,
                    "x, row %zu", row);
        CHECK_CLOSE(result_value(context, block, "energy", row), result_value(context, bodies, "energy", row), 1e-13,
                    "energy of both, row %zu", row);
        CHECK_CLOSE(result_value(context, block, "dissipated", row), result_value(context, bodies, "dissipated", row),
                    1e-13, "loss, row %zu", row);
        CHECK_CLOSE(result_value(context, block, "energy", row),
                    result_value(context, block, "kinetic", row) + result_value(context, block, "potential", row) +
                        result_value(context, block, "absorber.energy", row),
                    1e-15, "the energy has the block's in it");
        CHECK_SMALL(result_value(context, block, "supplied", row), 0.0, "a block supplies nothing");
    }
    CHECK_BELOW(report.largest_residual, 1e-13 * report.largest_energy, "balance");
    phx_result_destroy(bodies);
    phx_result_destroy(block);
}

/* ---- pid ---- */
static const char beam_on_hinge[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {E: 2e9}\n"
    "materials: {light: {density: 1000, young: E}}\n"
    "bodies:\n"
    "  arm: {kind: beam, material: light, length: 1, elements: 2, reference: cantilever,\n"
    "    section: {kind: general, area: 1e-3, inertia: 5e-7}, damping: {stiffness: 1e-3},\n"
    "    point_masses: [{at: P, mass: 0, inertia: 0.05}]}\n"
    "joints: {hinge: {kind: revolute, ports: [ground.O, arm.P]}}\n"
    "outputs: {q: {coordinate: hinge}}\n";

/* The arm sags by gravity with kp and kd; ki takes that away. */
static void integral_removes_the_sag(void **state)
{
    phx_context *context = *state;
    static const char *const laws[] = {"", ", ki: 150"};
    double error[2];

    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "controllers: {servo: {kind: pid, measure: hinge, effort: hinge, kp: 100, kd: 20, reference: 0.5%s}}\n",
            laws[k]);
        phx_result *result = simulate(context, read_with(context, beam_on_hinge, text), (run){30.0, 4e-3, 1.0}, NULL);
        error[k] = fabs(last(context, result, "q") - 0.5);
        phx_result_destroy(result);
    }
    CHECK_BETWEEN(error[0], 1e-2, 1.0, "without the integral");
    CHECK_BELOW(error[1], 1e-10, "with it");
}

/* The limit is kept, and the integral that follows it overshoots less than the one that winds up. */
static void limit_and_anti_windup(void **state)
{
    phx_context *context = *state;
    static const char *const rates[] = {"0", "4"};
    double highest[2] = {-HUGE_VAL, -HUGE_VAL};

    for (int k = 0; k < 2; k++) {
        char text[600];
        phx_simulate_report report;
        bool reached = false;
        snprintf(text, sizeof text,
                 "controllers: {c: {kind: pid, measure: rail, effort: rail, kp: 10, kd: 8, ki: 10, reference: 2,\n"
                 "  limit: [-1.5, 1.5], anti_windup: %s}}\n",
                 rates[k]);
        phx_result *result = simulate(context, read_with(context, rail, text), (run){10.0, 0.01, 0.0}, &report);
        for (size_t row = 0; row < phx_result_rows(result); row++) {
            CHECK_BETWEEN(result_value(context, result, "c.u1", row), -1.5, 1.5, "limit, row %zu", row);
            reached = reached || result_value(context, result, "c.u1", row) == 1.5;
            highest[k] = fmax(highest[k], result_value(context, result, "x", row));
        }
        assert_true(reached);
        CHECK_BELOW(report.largest_residual, 1e-12 * report.largest_energy, "balance");
        phx_result_destroy(result);
    }
    CHECK_BETWEEN(highest[0], 2.2, HUGE_VAL, "it winds up");
    CHECK_BELOW(highest[1] - 2.0, 0.5 * (highest[0] - 2.0), "overshoot with anti-windup");
}

/* Error over the step, against the finest: order 2 with a filter in the loop. */
static void order_with_a_filter(void **state)
{
    phx_context *context = *state;
    enum { RUNS = 5 };
    double q[RUNS], z[RUNS];

    for (int k = 0; k < RUNS; k++) {
        phx_result *result =
            simulate(context,
                     read_with(context, beam_on_hinge,
                               "controllers: {servo: {kind: pid, measure: hinge, effort: hinge, kp: 100, kd: 20,\n"
                               "  reference: 0.5*sin(3*t), filter: 0.02}}\n"),
                     (run){0.5, 2e-3 / (1 << k), 0.5}, NULL);
        q[k] = last(context, result, "q");
        z[k] = last(context, result, "servo.z1");
        phx_result_destroy(result);
    }
    for (int k = 1; k + 2 < RUNS; k++) {
        CHECK_BETWEEN((q[k] - q[k + 1]) / (q[k + 1] - q[k + 2]), 3.7, 4.3, "q, halving %d", k + 1);
        CHECK_BETWEEN((z[k] - z[k + 1]) / (z[k + 1] - z[k + 2]), 3.7, 4.3, "state of the filter, halving %d", k + 1);
    }
}

/* ---- all kinds in one model ---- */
static void balance_of_all_kinds(void **state)
{
    phx_context *context = *state;
    const int steps = TEST_LONG(100000);
    phx_simulate_report report;
    phx_result *result = simulate(
        context,
        read_arm(
            context, free_joints,
            PD("") "  servo: {kind: pid, measure: shoulder, effort: shoulder, ki: 50, kp: 20, limit: [-2, 2],\n"
                   "    reference: qd1}\n"
                   "  absorber: {kind: port_hamiltonian, ports: [push.fx, elbow.effort], J: [[0, -1], [1, 0]],\n"
                   "    R: [[0.3, 0], [0, 0]], Q: [[2, 0], [0, 30]], E: [[1, 0], [0, 1.5]], B: [[1, 0], [0, 0.5]],\n"
                   "    S: [[0.1, 0], [0, 0.2]], N: [[0, 0.3], [-0.3, 0]]}\n"
                   "  lead: {kind: state_space, inputs: [tip.y, q2], outputs: [push.fy], A: [[-20, 3], [0, -30]],\n"
                   "    B: [[1, 0], [0, 1]], C: [[4, -3]], D: [[0.5, 0.1]], reference: [0.4, sin(3*t)]}\n"
                   "  law: {kind: expression, efforts: {elbow.effort: \"-2*sin(y(q1))*cos(y(q2)) + "
                   "0.5*tanh(10*y(elbow.rate))*step(t - 0.3)\", line.force: \"0.1*y(lead.u1) - y(v.x)^3\"},\n"
                   "    limit: [[-1.2, 1], [-5, 5]]}\n"
                   "  digital: {kind: state_space, inputs: [v.y, a.x], outputs: [push.fy], A: [[0.9]],\n"
                   "    B: [[0.1, 0.001]], C: [[-0.5]], sample: 0.01, delay: 1}\n"
                   "loads: {push: {force: [0, 2*sin(5*t)], at: lower@0.5}}\n"
                   "springs: {line: {ports: [ground.O, lower.C], stiffness: 10, length: 1}}\n"),
        (run){steps * 1e-4, 1e-4, 0.05}, &report);

    CHECK_BELOW(report.largest_residual, 1e-11 * report.largest_energy, "balance over %d steps", steps);
    CHECK_BETWEEN(last(context, result, "absorber.energy"), 1e-9, HUGE_VAL, "the block has taken part");
    for (size_t row = 0; row < phx_result_rows(result); row++) { /* the ledger adds up */
        double sum[2] = {0.0, 0.0}, scale = 1.0;
        for (int k = 0; k < phx_result_ledger(result); k++) {
            double work = 0.0;
            CHECK_OK(context, phx_result_ledger_values(result, k, row, 1, &work));
            sum[phx_result_ledger_entry(result, k)->dissipates] += work;
            scale = fmax(scale, fabs(work));
        }
        CHECK_CLOSE(sum[0], result_value(context, result, "supplied", row), 1e-11 * scale, "supplied, row %zu", row);
        CHECK_CLOSE(sum[1], result_value(context, result, "dissipated", row), 1e-11 * scale, "dissipated, row %zu",
                    row);
    }
    phx_result_destroy(result);
}

/* ---- files ---- */
/* Matrices inline, from a MAT-file and from json, as phx_exchange_write leaves them: the same run bit by bit. */
static void matrices_from_files(void **state)
{
    phx_context *context = *state;
    const double A[] = {-20, 3, 0.25, -30}, B[] = {1, 0.1, 0, 1}, C[] = {4, -3}, D[] = {0.5, 0.125};
    const phx_ss_def def = {.n = 2, .n_inputs = 2, .n_outputs = 1, .A = A, .B = B, .C = C, .D = D};
    static const char *const matrices[] = {
        "A: [[-20, 3], [0.25, -30]], B: [[1, 0.1], [0, 1]], C: [[4, -3]], D: [[0.5, 0.125]]", "file: c.mat",
        "file: c.json"};
    phx_ss *ss = NULL;
    phx_bundle *bundle = NULL;
    double x[3];

    CHECK_OK(context, phx_ss_create(context, &def, &ss));
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    CHECK_OK(context, phx_bundle_add_ss(context, bundle, ss));
    CHECK_OK(context, phx_exchange_write(context, "c.mat", bundle));
    CHECK_OK(context, phx_exchange_write(context, "c.json", bundle));
    phx_bundle_destroy(bundle);
    phx_ss_destroy(ss);
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "controllers: {c: {kind: state_space, inputs: [x, rail.rate], outputs: [rail.effort], %s}}\n",
                 matrices[k]);
        phx_result *result = simulate(context, read_with(context, rail, text), (run){1.0, 0.01, 1.0}, NULL);
        x[k] = last(context, result, "x");
        phx_result_destroy(result);
    }
    CHECK_CLOSE(x[1], x[0], 0.0, "from the MAT-file");
    CHECK_CLOSE(x[2], x[0], 0.0, "from json");
}

/* Entries outside of a sparse matrix are found, in files that say other sizes too. */
static void damaged_matrices_are_refused(void **state)
{
    phx_context *context = *state;
    size_t dims[2] = {2, 2};
    mat_sparse_t sparse = {.nzmax = 1,
                           .ir = (mat_uint32_t[]){7},
                           .nir = 1,
                           .jc = (mat_uint32_t[]){0, 1, 1},
                           .njc = 3,
                           .ndata = 1,
                           .data = (double[]){1.0}};
    mat_t *file = Mat_CreateVer("bad.mat", NULL, MAT_FT_MAT5);
    matvar_t *variable = Mat_VarCreate("A", MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &sparse, MAT_F_DONT_COPY_DATA);
    FILE *json = fopen("bad.json", "w");

    assert_true(file && variable && json);
    assert_int_equal(Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(variable);
    Mat_Close(file);
    fputs("{\"A\": {\"rows\": 2.5, \"cols\": 2, \"row\": [2.2], \"col\": [1], \"value\": [1]}}\n", json);
    assert_int_equal(fclose(json), 0);
    for (int k = 0; k < 2; k++) {
        char text[1000];
        phx_model *model = NULL;
        snprintf(text, sizeof text,
                 "%scontrollers: {c: {kind: state_space, inputs: [x], outputs: [rail.effort], file: %s}}\n", rail,
                 k ? "bad.json" : "bad.mat");
        CHECK_STATUS(context, phx_model_read_text(context, "bad.yaml", text, strlen(text), 0, NULL, &model),
                     PHX_ERR_INPUT);
        CHECK_MESSAGE(context, k ? "entry 1 of matrix A lies outside of it" : "the sparse matrix A is damaged");
    }
}

/* A law without a value beyond 1.5 rad, where an iteration of a long step strays: the step is halved. One without a
 * value at the start ends the run, with its place. */
static void trials_without_a_value(void **state)
{
    phx_context *context = *state;
    static const char text[] = "phlexor: 1\n"
                               "dimension: 2\n"
                               "bodies: {lever: {kind: rigid, mass: 1, inertia: 1}}\n"
                               "joints: {pin: {kind: revolute, ports: [ground.O, lever.P], rate: 20}}\n"
                               "controllers: {law: {kind: expression, efforts: {pin.effort: \"%s\"}}}\n"
                               "outputs: {angle: {coordinate: pin}}\n";
    char filled[800];
    phx_simulate_report report;

    snprintf(filled, sizeof filled, text, "-300*asin(y(pin.coordinate)/1.5)");
    phx_result *result = simulate(context, read_text(context, filled), (run){0.5, 0.1, 0.1}, &report);
    assert_true(report.stats.halvings > 0);
    CHECK_BELOW(report.largest_residual, 1e-12 * report.largest_energy, "balance");
    phx_result_destroy(result);

    snprintf(filled, sizeof filled, text, "sqrt(y(pin.coordinate) - 1)");
    phx_model *model = read_text(context, filled);
    phx_simulate_options options = phx_simulate_options_default();
    options.end = (phx_model_optional){true, 0.5};
    options.step = (phx_model_optional){true, 0.1};
    CHECK_STATUS(context, phx_study_simulate(context, model, &options, &report), PHX_NOT_CONVERGED);
    CHECK_MESSAGE(context, ":5:15: ");
    CHECK_MESSAGE(context, "controller 'law': its output 1 is ");
    phx_model_destroy(model);
}

/* ---- continued runs ---- */
/* A run in two parts is the run; a result with other controllers, or none, gives its mechanism. */
static void runs_go_on(void **state)
{
    phx_context *context = *state;
    static const char *const laws[] = {
        "controllers: {c: {kind: pid, measure: rail, effort: rail, kp: 20, ki: 30, kd: 2, sample: 0.05, delay: 1}}\n",
        "", "controllers: {d: {kind: pid, measure: rail, effort: rail, ki: 1, initial: [0.5]}}\n"};
    const run whole = {2.0, 0.01, 0.0};
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    double x[3];

    phx_result *all = simulate(context, read_with(context, rail, laws[0]), whole, NULL);
    phx_model *first = read_with(context, rail, laws[0]);
    options.end = (phx_model_optional){.given = true, .value = 1.0};
    options.step = (phx_model_optional){.given = true, .value = 0.01};
    options.h5_path = "first.h5";
    CHECK_OK(context, phx_study_simulate(context, first, &options, &report));
    phx_model_destroy(first);
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text, "%sinitial: {from: first.h5}\n", laws[k]);
        phx_result *rest = simulate(context, read_with(context, rail, text), whole, NULL);
        x[k] = last(context, rest, "x");
        CHECK_CLOSE(result_value(context, rest, "x", 0), result_value(context, all, "x", 100), 1e-15,
                    "where it goes on");
        if (k == 2)
            CHECK_CLOSE(result_value(context, rest, "d.z1", 0), 0.5, 0.0, "a new controller is at its start");
        phx_result_destroy(rest);
    }
    CHECK_CLOSE(x[0], last(context, all, "x"), 1e-14, "in two parts");
    assert_true(fabs(x[1] - x[0]) > 1e-3 && fabs(x[2] - x[1]) > 1e-3);
    phx_result_destroy(all);
}

/* Steps of a program end beside the samples by the rounding of their sum; each sample is taken once all the same. */
static void samples_are_taken_once(void **state)
{
    enum { STEPS = 200 };
    static const char law[] =
        "controllers: {c: {kind: pid, measure: rail, effort: rail, kp: 20, ki: 300, kd: 2, sample: "
        "0.004}}\nsimulate: {step: 2e-3}\n";
    phx_context *context = *state;
    const run whole = {0.002 * STEPS, 2e-3, 0.0};
    phx_result *want = simulate(context, read_with(context, rail, law), whole, NULL);
    phx_model *model = read_with(context, rail, law);
    phx_simulate_options options = phx_simulate_options_default();
    phx_stepper *stepper = NULL;

    CHECK_OK(context, phx_stepper_create(context, model, &options, 0, NULL, &stepper));
    phx_model_destroy(model);
    double *row = calloc((size_t)phx_stepper_columns(stepper), sizeof *row);
    assert_non_null(row);
    for (int k = 0; k < STEPS; k++)
        CHECK_OK(context, phx_stepper_step(context, stepper, 2e-3));
    CHECK_OK(context, phx_stepper_measure(context, stepper, row));
    for (int c = 0; c < phx_stepper_columns(stepper); c++) {
        char name[100];
        phx_stepper_column_name(stepper, c, name, sizeof name);
        CHECK_CLOSE(row[c], last(context, want, name), 1e-12, "%s", name);
    }
    free(row);
    phx_stepper_destroy(stepper);
    phx_result_destroy(want);
}

/* ---- in C ---- */
static void spring_and_friction(const void *data, double t, const double *y, double *u)
{
    const double *constants = data;
    (void)t;
    u[0] = -constants[0] * y[0] - constants[1] * y[1];
}

static void free_constants(void *data)
{
    double *constants = data;
    constants[2] += 1.0;
}

/* A system built by hand with a function for controller: the car on a spring and a damper. */
static void a_function_is_a_controller(void **state)
{
    phx_context *context = *state;
    double constants[3] = {50.0, 3.0, 0.0}, x[2][2] = {{0}};

    for (int k = 0; k < 2; k++) {
        const phx_rigid_def rigid = {.mass = 2.0, .inertia = {1.0}};
        static const char *const inputs[] = {"rail.coordinate", "rail.rate"}, *const outputs[] = {"rail.effort"};
        phx_body_def body_def = phx_body_def_default();
        phx_joint_def joint = phx_joint_def_default();
        phx_pose pose = phx_pose_default();
        phx_system *system = NULL;
        phx_body *body = NULL;
        phx_body_id car;
        phx_joint_id rail_id;
        phx_dae *dae = NULL;

        body_def.name = "car";
        body_def.dim = 2;
        body_def.rigid = &rigid;
        CHECK_OK(context, phx_system_create(context, 2, NULL, &system));
        CHECK_OK(context, phx_body_create(context, &body_def, &body));
        CHECK_OK(context, phx_system_add_body(system, body, NULL, &pose, &car));
        CHECK_OK(context, phx_system_add_port(system, PHX_GROUND, NULL, NULL, &joint.a));
        CHECK_OK(context, phx_system_add_port(system, car, NULL, NULL, &joint.b));
        joint.name = "rail";
        joint.kind = PHX_JOINT_PRISMATIC;
        joint.n_coordinates = 1;
        joint.coordinate[0] = (phx_coordinate_def){.has_start = true,
                                                   .start = 0.2,
                                                   .stiffness = k == 0 ? constants[0] : 0.0,
                                                   .damping = k == 0 ? constants[1] : 0.0};
        CHECK_OK(context, phx_system_add_joint(system, &joint, &rail_id));
        if (k == 1) {
            phx_controller_def def = phx_controller_def_default();
            def.name = "hand";
            def.kind = PHX_CONTROLLER_FUNCTION;
            def.n_inputs = 2;
            def.n_outputs = 1;
            def.inputs = inputs;
            def.outputs = outputs;
            def.function = spring_and_friction;
            def.data = constants;
            def.free_data = free_constants;
            CHECK_OK(context, phx_system_add_controller(system, &def));
            CHECK_STATUS(context, phx_system_add_controller(system, NULL), PHX_ERR_ARGUMENT);
        }
        CHECK_OK(context, phx_system_finalise(system));
        double state_x[16], state_v[8], lambda[8], t = 0.0;
        assert_in_range(phx_system_n_x(system), 1, 16);
        CHECK_OK(context, phx_system_start(system, NULL, state_x, state_v, lambda));
        CHECK_OK(context, phx_system_dae(system, context, &dae));
        phx_integrate_options options = phx_integrate_options_default();
        options.end = 1.0;
        options.step = 0.01;
        CHECK_OK(context, phx_integrate(dae, &options, &t, state_x, state_v, lambda, NULL, NULL, NULL));
        memcpy(x[k], state_x, sizeof x[k]);
        phx_system_dae_destroy(dae);
        phx_system_destroy(system);
    }
    CHECK_VECTOR(2, x[1], x[0], 1e-14, "place of the car");
    CHECK_CLOSE(constants[2], 1.0, 0.0, "the data are freed once");
}

/* ---- refusals ---- */
static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(phx_controller_kind_name(PHX_CONTROLLER_PID), "pid");
    assert_string_equal(phx_controller_kind_name(PHX_CONTROLLER_PORT_HAMILTONIAN), "port_hamiltonian");
    assert_null(phx_controller_kind_name(PHX_CONTROLLER_KINDS));
}

static void other_integrators_refuse(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_arm(context, free_joints, PD(""));
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;

    options.end = options.step = (phx_model_optional){.given = true, .value = 1e-3};
    options.has_integrator = true;
    for (int k = 0; k < PHX_INTEGRATORS; k++) {
        if (k == PHX_MIDPOINT)
            continue;
        options.integrator = (phx_integrator)k;
        CHECK_STATUS(context, phx_study_simulate(context, model, &options, &report), PHX_ERR_UNSUPPORTED);
        assert_non_null(strstr(phx_context_message(context), "controllers"));
    }
    phx_model_destroy(model);
}

static void wrong_connections_are_named(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *controllers, *fragment;
    } cases[] = {
        {"c: {kind: pid, measure: rail, effort: rali, kp: 1}", "'rali'"},
        {"c: {kind: pid, measure: y, rate: v, effort: rail, kp: 1}", "nothing to measure called 'y'"},
        {"c: {kind: pid, measure: a.x, effort: rail, kp: 1}", "an algebraic loop"},
        {"c: {kind: pid, measure: f, effort: rail, kp: 1}", "because effort follows"},
        {"c: {kind: pid, measure: rail, effort: car.P.fx, kp: 1}", "add a load at that port"},
        {"c: {kind: pid, measure: car.P.x, effort: rail, kp: 1}", "add one for it under `outputs`"},
        {"c: {kind: pid, measure: rail, effort: drive, kp: 1}", "driven at a prescribed speed"},
        {"c: {kind: expression, efforts: {rail.effort: y(d.u1)}}, "
         "d: {kind: expression, efforts: {rail.effort: y(c.u1)}}",
         "controller 'd' and controller 'c' read each other in a loop"},
        {"c: {kind: port_hamiltonian, ports: [rail.effort], J: [[0, 1], [1, 0]], B: [[1], [0]]}", "J is not skew"},
        {"c: {kind: port_hamiltonian, ports: [rail.effort], R: [[-1]], B: [[1]]}", "expected none below zero"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1200];
        phx_system *system = NULL;
        snprintf(text, sizeof text,
                 "phlexor: 1\n"
                 "dimension: 2\n"
                 "bodies: {car: {kind: rigid, mass: 2, inertia: 1}, wheel: {kind: rigid, mass: 1, inertia: 1}}\n"
                 "joints:\n"
                 "  rail: {kind: prismatic, ports: [ground.O, car.P], axis: [1, 0], position: 0.3, rate: -0.1}\n"
                 "  drive: {kind: revolute, ports: [car.P, wheel.P], speed: 1}\n"
                 "outputs: {x: {coordinate: rail}, v: {rate: rail}, a: {acceleration: car.P}, f: {effort: rail}}\n"
                 "controllers: {%s}\n",
                 cases[k].controllers);
        phx_model *model = read_text(context, text);
        CHECK_STATUS(context, phx_model_build(context, model, NULL, &system), PHX_ERR_INPUT);
        if (!strstr(phx_context_message(context), cases[k].fragment) ||
            strncmp(phx_context_message(context), "text.yaml:8:", 12) != 0)
            fail_msg("case %zu: '%s' does not say '%s'", k, phx_context_message(context), cases[k].fragment);
        phx_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pid_is_spring_and_damper, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(arm_agrees_with_reference, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(poles_are_those_of_the_loop, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(modes_are_the_poles, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_delay_shortens_the_sampling_period, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(sampling_period_has_its_limit, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(samples_and_delay_are_exact, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(absorber_is_the_absorber_of_bodies, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(integral_removes_the_sag, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(limit_and_anti_windup, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(order_with_a_filter, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(balance_of_all_kinds, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(matrices_from_files, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(damaged_matrices_are_refused, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(samples_are_taken_once, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(trials_without_a_value, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(runs_go_on, study_setup, study_teardown),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test_setup_teardown(a_function_is_a_controller, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(other_integrators_refuse, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(wrong_connections_are_named, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
