/* Places of rods that are named in a model: there is a node at each of them, so that joints, loads and masses act where
 * they are written. */
#include "support.h"
#include "results/results.h"

#include <math.h>
#include <phlexor/results.h>

static phx_model *read(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "rod.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

static double last_of(phx_context *context, const phx_result *result, const char *name)
{
    return result_value(context, result, name, phx_result_rows(result) - 1);
}

static phx_result *equilibrium(phx_context *context, const char *text)
{
    const phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_result *result = NULL;
    phx_model *model = read(context, text);
    CHECK_OK(context, phx_study_static(context, model, &options, &report, &result));
    phx_model_destroy(model);
    return result;
}

/* A force F at a = 0.37 L of a clamped rod, small: w(a) = F (a^3/3EI + a/GA), w(L) = w(a) + F a^2 (L - a)/2EI, the
 * moment at 0.2 L is F (a - 0.2 L), to rounding for any number of elements. */
static void a_force_between_equal_parts_is_exact(void **state)
{
    static const char *const ways[] = {
        "ports: {Q: {at: 0.37}}}\nloads: {f: {force: [0, 1e-3], at: rod.Q}}\noutputs: {q: {position: rod.Q}, ",
        "}\nloads: {f: {force: [0, 1e-3], at: rod@0.37}}\noutputs: {q: {position: rod@0.37}, "};
    const double F = 1e-3, L = 2.0, a = 0.37 * L, EI = 40.0, GA = 1e4;

    for (int way = 0; way < 2; way++)
        for (int elements = 1; elements <= 9; elements += 4) {
            char text[1000];
            snprintf(
                text, sizeof text,
                "phlexor: 1\ndimension: 2\nbodies:\n"
                "  rod: {kind: rod, length: 2, elements: %d, section: {kind: general, stiffness: [[1e4, 0, 0], [0, "
                "1e4, 0], [0, 0, 40]], mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1e-3]]}, %s"
                "tip: {position: rod.C}, M: {bending_moment: rod@0.2}}\n"
                "joints: {w: {kind: weld, ports: [ground.O, rod.P]}}\n",
                elements, ways[way]);
            phx_result *result = equilibrium(*state, text);
            const double w = F * (a * a * a / (3.0 * EI) + a / GA);
            CHECK_RELATIVE(last_of(*state, result, "q.y"), w, 1e-8, "at the force, %d elements", elements);
            CHECK_RELATIVE(last_of(*state, result, "tip.y"), w + F * a * a * (L - a) / (2.0 * EI), 1e-8, "at the tip");
            CHECK_RELATIVE(last_of(*state, result, "M"), F * (a - 0.2 * L), 1e-8, "moment");
            phx_result_destroy(result);
        }
}

/* Places on the curve: an arc, and a helix-like twist on it; more of them than elements. */
static void ports_lie_on_the_curve(void **state)
{
    phx_result *result = equilibrium(
        *state, "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 1, young: 1, poisson: 0}}\nbodies:\n"
                "  rod: {kind: rod, arc: {radius: 2, angle: 1.5}, twist: 1, elements: 2, material: m, section: {kind: "
                "circle, diameter: 0.1}, ports: {a: {at: 0.1}, b: {at: 0.35}, c: {at: 0.9}}}\n"
                "joints: {w: {kind: weld, ports: [ground.O, rod.P]}}\n"
                "outputs: {a: {position: rod.a}, b: {position: rod.b}, c: {position: rod.c}, q: {attitude: rod.b}}\n");
    const double at[] = {0.1, 0.35, 0.9};
    for (int k = 0; k < 3; k++) {
        const char x[] = {(char)('a' + k), '.', 'x', 0}, y[] = {(char)('a' + k), '.', 'y', 0};
        CHECK_CLOSE(last_of(*state, result, x), 2.0 * sin(1.5 * at[k]), 1e-12, "%s", x);
        CHECK_CLOSE(last_of(*state, result, y), 2.0 * (1.0 - cos(1.5 * at[k])), 1e-12, "%s", y);
    }
    /* turned by 1.5 s about z, then by s about the rod: quaternions (cos, sin z)(cos, sin x) */
    CHECK_CLOSE(last_of(*state, result, "q.w"), cos(0.75 * 0.35) * cos(0.5 * 0.35), 1e-12, "attitude");
    CHECK_CLOSE(last_of(*state, result, "q.x"), cos(0.75 * 0.35) * sin(0.5 * 0.35), 1e-12, "twist");
    phx_result_destroy(result);
}

/* Mass, its centre and its inertia with masses at any places; and nodes at equal distances where places allow it. */
static void masses_lie_where_they_are_written(void **state)
{
    phx_check_report report;
    phx_model *model =
        read(*state, "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1000, young: 1e9, poisson: 0}}\n"
                     "bodies: {rod: {kind: rod, length: 1, material: m, section: {kind: rectangle, "
                     "width: 0.1, height: 0.01}, elements: 4, point_masses: [{at: '@0.3', mass: 2}, "
                     "{at: '@0.75', mass: 1}]}}\n");
    CHECK_OK(*state, phx_study_check(*state, model, &report));
    CHECK_RELATIVE(report.certificate.mass, 4.0, 1e-12, "mass");
    CHECK_RELATIVE(report.certificate.centre_of_mass[0], (0.5 + 2.0 * 0.3 + 0.75) / 4.0, 1e-12, "centre");
    assert_int_equal(report.certificate.velocities, 5 * 3); /* four elements all the same */
    phx_check_report_free(&report);
    phx_model_destroy(model);
}

/* A spring and a weld between equal parts while the rod swings: the balance is exact, as at any node. */
static void motion_keeps_its_balance(void **state)
{
    const phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = read(
        *state, "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nmaterials: {m: {density: 1000, young: 2e8, "
                "poisson: 0.3}}\nbodies:\n"
                "  rod: {kind: rod, length: 1, material: m, section: {kind: circle, diameter: 0.03}, elements: 6}\n"
                "  bob: {kind: rigid, mass: 0.2, inertia: 1e-3, pose: {position: [0.61, 0]}}\n"
                "joints:\n  pin: {kind: revolute, ports: [ground.O, rod.P]}\n"
                "  w: {kind: weld, ports: [rod@0.61, bob.P]}\n"
                "springs: {s: {ports: [ground.O, rod@0.43], stiffness: 50, length: 0.2}}\n"
                "outputs: {tip: {position: rod.C}}\nsimulate: {end: 0.5, step: 2e-3}\n");
    CHECK_OK(*state, phx_study_simulate_result(*state, model, &options, &report, &result));
    CHECK_SMALL(last_of(*state, result, "residual"), 1e-12, "balance");
    CHECK_SMALL(last_of(*state, result, "drift"), 1e-14, "joints");
    CHECK_BELOW(last_of(*state, result, "tip.y"), -0.2, "it falls");
    phx_result_destroy(result);
    phx_model_destroy(model);
}

/* Strains are those that the stiffness of the section makes the section forces of, at nodes and between them; a moment
 * that rolls the rod up is a curvature alone. */
static void strains_belong_to_the_forces(void **state)
{
    static const double C[6][6] = {{9e3, 200, 0, 0, 0, 30}, {200, 4e3, 0, 0, 0, 0}, {0, 0, 3e3, 50, 0, 0},
                                   {0, 0, 50, 20, 3, 0},    {0, 0, 0, 3, 30, 0},    {30, 0, 0, 0, 0, 60}};
    static const char *const forces[] = {"N", "Q.y", "Q.z", "T", "M.y", "M.z"};
    static const char *const strains[] = {"e.g1", "e.g2", "e.g3", "e.k1", "e.k2", "e.k3"};

    for (int k = 0; k < 2; k++) {
        char text[2000];
        const char *at = k ? "0.5" : "0.61";
        snprintf(
            text, sizeof text,
            "phlexor: 1\ndimension: 3\nbodies:\n  rod: {kind: rod, length: 2, elements: 4, section: {kind: general, "
            "stiffness: [[9e3, 200, 0, 0, 0, 30], [200, 4e3, 0, 0, 0, 0], [0, 0, 3e3, 50, 0, 0], [0, 0, 50, 20, 3, "
            "0], [0, 0, 0, 3, 30, 0], [30, 0, 0, 0, 0, 60]], mass: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, "
            "1, 0, 0, 0], [0, 0, 0, 0.2, 0, 0], [0, 0, 0, 0, 0.1, 0], [0, 0, 0, 0, 0, 0.1]]}}\n"
            "joints: {w: {kind: weld, ports: [ground.O, rod.P]}}\n"
            "loads: {f: {force: [1, 2, -3], at: rod.C}, t: {torque: [1, 2, 4], at: rod.C}}\n"
            "outputs: {N: {axial_force: rod@%s}, Q: {shear_force: rod@%s}, T: {torsion: rod@%s}, M: "
            "{bending_moment: rod@%s}, e: {strain: rod@%s}}\n",
            at, at, at, at, at);
        phx_result *result = equilibrium(*state, text);
        for (int i = 0; i < 6; i++) {
            double force = 0.0;
            for (int j = 0; j < 6; j++)
                force += C[i][j] * last_of(*state, result, strains[j]);
            CHECK_CLOSE(force, (i == 4 ? -1.0 : 1.0) * last_of(*state, result, forces[i]), 1e-9, "%s at %s", forces[i],
                        at);
        }
        phx_result_destroy(result);
    }
    phx_result *result = equilibrium(
        *state,
        "phlexor: 1\ndimension: 2\nbodies:\n  rod: {kind: rod, length: 2, elements: 4, section: {kind: general, "
        "stiffness: [[1e4, 0, 0], [0, 1e4, 0], [0, 0, 5]], mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1e-3]]}}\n"
        "joints: {w: {kind: weld, ports: [ground.O, rod.P]}}\nloads: {t: {torque: 5*pi/2, at: rod.C}}\n"
        "outputs: {e: {strain: rod@0.3}, tip: {angle: rod.C}}\n");
    CHECK_CLOSE(last_of(*state, result, "e.k3"), TEST_PI / 2.0, 1e-9, "curvature");
    CHECK_SMALL(last_of(*state, result, "e.g1"), 1e-9, "stretch");
    CHECK_CLOSE(last_of(*state, result, "tip"), TEST_PI, 1e-9, "half a turn over 2 m");
    phx_result_destroy(result);
}

/* A place that only an output names has no node: the motion does not depend on the outputs. */
static void outputs_make_no_nodes(void **state)
{
    phx_system *system = NULL;
    phx_model *model = read(*state, "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 1, young: 1, poisson: 0}}\n"
                                    "bodies: {rod: {kind: rod, length: 1, material: m, section: {kind: circle, "
                                    "diameter: 0.1}}}\noutputs: {o: {position: rod@0.4}}\n");
    CHECK_STATUS(*state, phx_model_build(*state, model, NULL, &system), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "rod.yaml:5:11: ");
    CHECK_MESSAGE(*state, "there is no node at 0.4 of its length");
    CHECK_MESSAGE(*state, "or make the place a port, where a node is put");
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_force_between_equal_parts_is_exact, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(ports_lie_on_the_curve, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(masses_lie_where_they_are_written, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(motion_keeps_its_balance, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(strains_belong_to_the_forces, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(outputs_make_no_nodes, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
