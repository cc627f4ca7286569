/* Interconnection and damping assignment: the inertia wheel pendulum and the ball and beam of Ortega, Spong,
 * Gomez-Estern and Blankenstein (2002). The mechanisms under the controller against the desired closed loops,
 * integrated by themselves; their energies fall; the matching condition, fulfilled and not. */
#include "support.h"
#include "results/results.h"

#include <phlexor/results.h>

#include <math.h>

/* ---- inertia wheel pendulum ---- */
static const double I1 = 8e-4 + 0.2 * 0.1 * 0.1 + 0.3 * 0.2 * 0.2, I2 = 1e-2, weight = 9.81 * (0.2 * 0.1 + 0.3 * 0.2);
static const double M_d[3] = {1e-2, 1.5e-2, 2.7e-2}, k_p = 0.1, k_v = 0.05;

/* q' = M^-1 p, p' = -M_d M^-1 grad V_d - G k_v G^T M_d^-1 p, V_d = weight/alpha cos q1 + k/2 (q2 - beta/alpha q1)^2 */
static void wheel_rates(const double *x, double *rate)
{
    const double alpha = (M_d[0] - M_d[1]) / I1, beta = (M_d[1] * (I1 + I2) - M_d[0] * I2) / (I1 * I2);
    const double z = x[1] - beta / alpha * x[0], det = M_d[0] * M_d[2] - M_d[1] * M_d[1];
    const double force[2] = {-weight / alpha * sin(x[0]) - k_p * beta / alpha * z, k_p * z};
    /* M = [I1 + I2, I2; I2, I2] */
    const double turned[2] = {(force[0] - force[1]) / I1, (-force[0] + (I1 + I2) / I2 * force[1]) / I1};
    rate[0] = (x[2] - x[3]) / I1;
    rate[1] = (-x[2] + (I1 + I2) / I2 * x[3]) / I1;
    rate[2] = -M_d[0] * turned[0] - M_d[1] * turned[1];
    rate[3] = -M_d[1] * turned[0] - M_d[2] * turned[1] - k_v * (-M_d[1] * x[2] + M_d[0] * x[3]) / det;
}

static text_run run_model(phx_context *context, const phx_model *model, double end, double step)
{
    phx_simulate_options options = phx_simulate_options_default();
    text_run r = {.n = 0};
    options.end = (phx_model_optional){true, end};
    options.step = options.every = (phx_model_optional){true, step};
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, &r.report, &r.result));
    r.n = phx_result_rows(r.result);
    return r;
}

/* The energy of the closed loop falls, by its rate up to an error of second order in the step. */
static void check_energy(phx_context *context, const text_run *r, const char *name, double step)
{
    char energy[40], rate[40];
    double lost = 0.0, before = 0.0;
    snprintf(energy, sizeof energy, "%s.H_d", name);
    snprintf(rate, sizeof rate, "%s.H_d_rate", name);
    const double start = record_at(context, r, energy, 0);
    for (size_t k = 0; k < r->n; k++) {
        const double H = record_at(context, r, energy, k), now = record_at(context, r, rate, k);
        assert_true(now <= 0.0);
        if (k > 0) {
            lost += 0.5 * (now + before) * (record_at(context, r, "t", k) - record_at(context, r, "t", k - 1));
            assert_true(H <= record_at(context, r, energy, k - 1) + 1e-6 * start);
        }
        CHECK_CLOSE(H, start + lost, 1e3 * step * step * start, "energy by its rate, row %zu", k);
        before = now;
    }
    CHECK_BELOW(record_at(context, r, energy, r->n - 1), 0.2 * start, "what is left of the energy");
}

static void test_wheel(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_example(context, "wheel_pendulum.yaml");
    double x[4] = {2.8, 0.0, 0.0, 0.0}, error[2];

    runge_kutta(4, wheel_rates, 2.0, 20000, x);
    for (int k = 0; k < 2; k++) {
        const text_run r = run_model(context, model, 2.0, 2e-3 / (1 << k));
        error[k] = fmax(fabs(record_at(context, &r, "q1", r.n - 1) - x[0]),
                        fabs(record_at(context, &r, "q2", r.n - 1) - x[1]));

        check_energy(context, &r, "swing", 2e-3 / (1 << k));
        phx_result_destroy(r.result);
    }
    print_message("wheel pendulum: off by %.3g and %.3g rad from the closed loop wanted\n", error[0], error[1]);
    CHECK_BELOW(error[1], 2e-4, "angles, of 2.8 and more");
    CHECK_BELOW(error[1], error[0] / 3.5, "second order in the step");
    const text_run whole = run_model(context, model, 6.0, 1e-3);
    CHECK_SMALL(record_at(context, &whole, "q1", whole.n - 1), 1e-4, "upright at the end");
    CHECK_SMALL(record_at(context, &whole, "q2", whole.n - 1), 1e-2, "the wheel at its place");
    phx_result_destroy(whole.result);
    phx_model_destroy(model);
}

/* ---- ball and beam: M_d and J_2 depend on the coordinates ---- */
#define PLACE  "y(track.coordinate)"
#define ANGLE  "y(pivot.coordinate)"
#define LENGTH "(L^2 + " PLACE "^2)"
static const char ball_and_beam[] =
    "phlexor: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 2.0, kp: 1.5, kv: 2.0, off: 0.0}\n"
    "bodies:\n"
    "  beam: {kind: rigid, mass: 1, inertia: L^2 - 0.5}\n"
    "  ball: {kind: rigid, mass: 1, inertia: 0.5, pose: {position: [0.6, 0]}}\n"
    "joints:\n"
    "  pivot: {kind: revolute, ports: [ground.O, beam.P], angle: 0.3}\n"
    "  track: {kind: prismatic, ports: [beam.P, ball.P], axis: [1, 0], position: 0.6}\n"
    "controllers:\n"
    "  balance:\n"
    "    kind: ida_pbc\n"
    "    coordinates: [track, pivot]\n"
    "    actuated: [pivot]\n"
    "    M: [[1, 0], [0, \"" LENGTH "\"]]\n"
    "    V: 9.81*" PLACE "*sin(" ANGLE ")\n"
    "    M_d: [[\"sqrt(2)*sqrt" LENGTH "\", \"" LENGTH "\"], [\"" LENGTH "\", \"(sqrt(2) + off)*" LENGTH "^1.5\"]]\n"
    "    V_d: 9.81*(1 - cos(" ANGLE ")) + kp/2*(" ANGLE " - log(" PLACE "/L + sqrt(1 + " PLACE "^2/L^2))/sqrt(2))^2\n"
    "    J_2: [[0, \"" PLACE "*(y(track.rate) - sqrt(2)*sqrt" LENGTH "*y(pivot.rate))\"],\n"
    "          [\"-" PLACE "*(y(track.rate) - sqrt(2)*sqrt" LENGTH "*y(pivot.rate))\", 0]]\n"
    "    K_v: kv\n"
    "    region: [[-2, 2], [-1.5, 1.5]]\n"
    "outputs: {x: {coordinate: track}, a: {coordinate: pivot}}\n";

/* q' = M^-1 p, p' = -grad H + G u: u by the paper's closed form,
 *     u = g x cos a - x p1 p2/D ...: here from the desired closed loop, row 2 of
 *     p' = -M_d M^-1 grad_q H_d + (J_2 - G k_v G^T) M_d^-1 p        with gradients by hand */
static void ball_rates(const double *x, double *rate)
{
    const double L = 2.0, kp = 1.5, kv = 2.0, g = 9.81, s = x[0], a = x[1], p1 = x[2], p2 = x[3];
    const double D = L * L + s * s, r = sqrt(2.0), root = sqrt(D);
    /* M_d = [r root, D; D, r root^3], det = D^2, M_d^-1 = [r root^3, -D; -D, r root]/D^2 */
    const double w1 = r * p1 / root - p2 / D, w2 = -p1 / D + r * p2 / (root * D);
    const double z = a - asinh(s / L) / r;
    /* dM_d/ds = [r s/root, 2 s; 2 s, 3 r s root], grad_s H_d = dV_d/ds - 1/2 w^T dM_d/ds w */
    const double kinetic = 0.5 * s * (r / root * w1 * w1 + 4.0 * w1 * w2 + 3.0 * r * root * w2 * w2);
    const double H_s = -kp * z / (r * root) - kinetic, H_a = g * sin(a) + kp * z;
    const double j = s * (p1 - r * p2 / root);
    rate[0] = p1;
    rate[1] = p2 / D;
    rate[2] = -(r * root * H_s + D * H_a / D) + j * w2;
    rate[3] = -(D * H_s + r * root * D * H_a / D) - j * w1 - kv * w2;
}

static void test_ball(void **state)
{
    phx_context *context = *state;
    phx_model *model = read_text(context, ball_and_beam);
    double x[4] = {0.6, 0.3, 0.0, 0.0}, error[2];

    runge_kutta(4, ball_rates, 3.0, 30000, x);
    for (int k = 0; k < 2; k++) {
        const text_run r = run_model(context, model, 3.0, 4e-3 / (1 << k));
        error[k] =
            fmax(fabs(record_at(context, &r, "x", r.n - 1) - x[0]), fabs(record_at(context, &r, "a", r.n - 1) - x[1]));
        phx_result_destroy(r.result);
    }
    print_message("ball and beam: off by %.3g and %.3g from the closed loop wanted\n", error[0], error[1]);
    CHECK_BELOW(error[1], 1e-4, "place and angle");
    CHECK_BELOW(error[1], error[0] / 3.5, "second order in the step");
    const text_run whole = run_model(context, model, 30.0, 5e-3);
    check_energy(context, &whole, "balance", 5e-3);
    phx_result_destroy(whole.result);
    phx_model_destroy(model);
}

/* ---- the matching condition ---- */
static phx_check_report check(phx_context *context, const phx_model *model)
{
    phx_check_report report;
    CHECK_OK(context, phx_study_check(context, model, &report));
    assert_int_equal(report.n_matchings, 1);
    assert_int_equal(report.matchings[0].matching.places, 1000);
    return report;
}

static void test_matching(void **state)
{
    phx_context *context = *state;
    phx_model *wheel = read_example(context, "wheel_pendulum.yaml"), *ball = read_text(context, ball_and_beam);
    phx_check_report report = check(context, wheel);
    const phx_loop_matching *it = report.matchings;
    assert_string_equal(it->controller, "swing");
    CHECK_BELOW(it->matching.potential, 1e-13, "potential");
    CHECK_SMALL(it->matching.kinetic, 0.0, "kinetic: no matrix depends on the coordinates");
    CHECK_BELOW(it->mass, 1e-12, "mass matrix");
    assert_int_equal(it->matching.indefinite, 0);
    phx_check_report_free(&report);

    report = check(context, ball);
    it = report.matchings;
    CHECK_BELOW(it->matching.potential, 1e-13, "potential");
    CHECK_BELOW(it->matching.kinetic, 1e-13, "kinetic");
    CHECK_BELOW(it->mass, 1e-12, "mass matrix");
    CHECK_BELOW(it->matching.asymmetry, 1e-13, "symmetry");
    assert_int_equal(it->matching.indefinite, 0);
    phx_check_report_free(&report);

    const phx_model_override less = {.name = "off", .value = -1.0}, more = {.name = "off", .value = 0.1};
    CHECK_OK(context, phx_model_set_parameters(context, ball, 1, &more));
    report = check(context, ball);
    CHECK_BELOW(report.matchings[0].matching.potential, 1e-13, "its first row is as before");
    assert_true(report.matchings[0].matching.kinetic > 1e-3);
    phx_check_report_free(&report);
    CHECK_OK(context, phx_model_set_parameters(context, ball, 1, &less));
    report = check(context, ball);
    assert_true(report.matchings[0].matching.indefinite == 1000); /* det = (r (r - 1) - 1) D^2 < 0 */
    phx_check_report_free(&report);
    const phx_model_override heavy = {.name = "a1", .value = 0.011}, wrong = {.name = "k", .value = 0.2};
    CHECK_OK(context, phx_model_set_parameters(context, wheel, 1, &heavy)); /* alpha and beta follow */
    report = check(context, wheel);
    CHECK_BELOW(report.matchings[0].matching.potential, 1e-13, "potential");
    phx_check_report_free(&report);
    CHECK_OK(context, phx_model_set_parameters(context, wheel, 1, &wrong)); /* whatever the spring */
    report = check(context, wheel);
    CHECK_BELOW(report.matchings[0].matching.potential, 1e-13, "potential");
    phx_check_report_free(&report);
    phx_model_destroy(wheel);
    phx_model_destroy(ball);
}

/* ---- what is refused ---- */
static void refuse(phx_context *context, const char *keys, const char *words)
{
    char text[2000];
    phx_model *model = NULL;
    assert_in_range(
        snprintf(text, sizeof text,
                 "phlexor: 1\ndimension: 2\nbodies: {b: {kind: rigid, mass: 1, inertia: 1}}\n"
                 "joints: {j: {kind: cartesian, ports: [ground.O, b.P]}, i: {kind: revolute, ports: [ground.O, b.P]}}\n"
                 "controllers: {c: {kind: ida_pbc, %s}}\n",
                 keys),
        1, sizeof text - 1);
    CHECK_STATUS(context, phx_model_read_text(context, "text.yaml", text, strlen(text), 0, NULL, &model),
                 PHX_ERR_INPUT);
    CHECK_MESSAGE(context, words);
}

static void test_refusals(void **state)
{
    phx_context *context = *state;
    refuse(context, "coordinates: [k], actuated: [k], M: 1, M_d: 1, V_d: 1", "the name of a joint");
    refuse(context, "coordinates: [j], actuated: [j], M: 1, M_d: 1, V_d: 1", "one free coordinate, 'j' has 2");
    refuse(context, "coordinates: [i], actuated: [j], M: 1, M_d: 1, V_d: 1", "one of the coordinates, found 'j'");
    refuse(context, "coordinates: [i], actuated: [i], M: [[1, 0], [0, 1]], M_d: 1, V_d: 1", "expected 1 x 1 for M");
    refuse(context, "coordinates: [i], actuated: [i], M: y(i.rate), M_d: 1, V_d: 1", "found y(i.rate)");
    refuse(context, "coordinates: [i], actuated: [i], M: 1, M_d: 1, V_d: \"cos(\"", "");
    refuse(context, "coordinates: [i], actuated: [i], M: 1, M_d: 1, V_d: 1, K_v: [[1, 2]]", "expected 1 x 1 for K_v");
    refuse(context, "coordinates: [i], actuated: [i], M: 1, M_d: 1, V_d: 1, region: [[0, 1], [0, 1]]",
           "expected 1, one for each coordinate, found 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_wheel, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_ball, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_matching, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
