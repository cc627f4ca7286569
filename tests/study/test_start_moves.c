/* A start that is what was written: bodies that the assembly moves are named with the distance, results continued with
 * other joints are closed or refused. */
#include "support.h"
#include "results/results.h"

#include <phlexor/results.h>

typedef struct told {
    int count;
    char text[1000];
} told;

static void listen(void *user, phx_log_level level, const char *message)
{
    told *t = user;
    if (level != PHX_LOG_WARNING)
        return;
    t->count++;
    snprintf(t->text, sizeof t->text, "%s", message);
}

static phx_status run(phx_context *context, const char *text, const char *h5, phx_simulate_report *report, told *t)
{
    phx_model *model = read_text(context, text);
    phx_simulate_options options = phx_simulate_options_default();
    options.h5_path = h5;
    *t = (told){0};
    phx_context_set_log(context, listen, t);
    const phx_status status = phx_study_simulate(context, model, &options, report);
    phx_context_set_log(context, NULL, NULL);
    phx_model_destroy(model);
    return status;
}

/* B lies beside the line that its prismatic joint allows. */
#define PULLED(pose, initial)                                                                                          \
    "phlexor: 1\ndimension: 2\n"                                                                                       \
    "bodies:\n"                                                                                                        \
    "  a: {kind: rigid, mass: 1, inertia: 0.1}\n"                                                                      \
    "  b: {kind: rigid, mass: 1, inertia: 0.1, pose: " pose "}\n"                                                      \
    "joints:\n"                                                                                                        \
    "  A: {kind: revolute, ports: [ground.O, a.P], angle: 0}\n"                                                        \
    "  B: {kind: prismatic, ports: [a.P, b.P], axis: [1, 0]}\n" initial "simulate: {end: 0.01, step: 1e-3}\n"

static void moved_bodies_are_told(void **state)
{
    static const struct {
        const char *text;
        double distance;
    } cases[] = {{PULLED("{position: [1, 0.77]}", ""), 0.77},
                 {PULLED("{position: [1, 0.77], guess: true}", ""), 0.0},
                 {PULLED("{position: [1, 1e-8]}", ""), 0.0},
                 {PULLED("{position: [1.333, 4e-4]}", ""), 0.0}, /* within the rounding of 1.333 */
                 {PULLED("{position: [1.5, 4e-4]}", ""), 4e-4},
                 {PULLED("{angle: 0}", ""), 0.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        phx_simulate_report report;
        phx_check_report check;
        told t;
        phx_model *model = read_text(*state, cases[k].text);
        CHECK_OK(*state, phx_study_check(*state, model, &check));
        assert_int_equal(check.n_moves, cases[k].distance > 0.0);
        if (check.n_moves) {
            assert_string_equal(check.moves[0].body, "b");
            assert_string_equal(check.moves[0].joint, "B");
            CHECK_CLOSE(check.moves[0].distance, cases[k].distance, 1e-12, "case %d: distance", (int)k);
            CHECK_CLOSE(check.moves[0].gap, cases[k].distance, 1e-12, "case %d: gap", (int)k);
        }
        phx_check_report_free(&check);
        phx_model_destroy(model);
        CHECK_OK(*state, run(*state, cases[k].text, NULL, &report, &t));
        assert_int_equal(t.count, cases[k].distance > 0.0);
        if (t.count)
            CHECK_TEXT(t.text, "body 'b' by");
    }
}

static void strict_starts_refuse_them(void **state)
{
    phx_simulate_report report;
    told t;
    CHECK_STATUS(*state, run(*state, PULLED("{position: [1, 0.77]}", "initial: {strict: true}\n"), NULL, &report, &t),
                 PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "text.yaml:5:3: ");
    CHECK_MESSAGE(*state, "body 'b' by 0.77 m (joint 'B' was open by 0.77 m)");
    CHECK_OK(*state, run(*state, PULLED("{position: [1, 0]}", "initial: {strict: true}\n"), NULL, &report, &t));
}

#define LINKS(second, end, more)                                                                                       \
    "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                                                  \
    "ground: {ports: {Q: {position: [5, 5]}}}\n"                                                                       \
    "bodies:\n"                                                                                                        \
    "  a: {kind: rigid, mass: 2, inertia: 0.3, centre_of_mass: [0.5, 0], ports: {C: {position: [1, 0]}}}\n"            \
    "  b: {kind: rigid, mass: 1, inertia: 0.1, centre_of_mass: [0.25, 0.1], pose: {position: [1, 0]}, ports: {C: "     \
    "{position: [0.5, 0]}}}\n"                                                                                         \
    "joints:\n"                                                                                                        \
    "  A: {kind: revolute, ports: [ground.O, a.P]}\n"                                                                  \
    "  B: " second "\n"                                                                                                \
    "simulate: {end: " end ", step: 1e-3}\n" more

/* A run goes on bit by bit with the same joints; with others the joints are closed at once, and the loss is told. */
static void other_joints_are_closed(void **state)
{
    static const char *const others[] = {"{kind: weld, ports: [a.C, b.P]}", "{kind: revolute, ports: [a.C, b.C]}"};
    phx_simulate_report report;
    told t;
    CHECK_OK(*state, run(*state, LINKS("{kind: revolute, ports: [a.C, b.P]}", "0.5", ""), "first.h5", &report, &t));
    CHECK_OK(*state, run(*state, LINKS("{kind: revolute, ports: [a.C, b.P]}", "0.6", "initial: {from: first.h5}\n"),
                         NULL, &report, &t));
    assert_int_equal(t.count, 0);
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text, LINKS("%s", "0.6", "initial: {from: first.h5}\n"), others[k]);
        CHECK_OK(*state, run(*state, text, "second.h5", &report, &t));
        assert_int_equal(t.count, 1);
        CHECK_TEXT(t.text, "its last state does not close the joints: closing them moves body 'b' by");
        phx_result *result = NULL;
        CHECK_OK(*state, phx_result_read(*state, "second.h5", &result));
        double drift[101];
        assert_int_equal(phx_result_rows(result), 101);
        CHECK_OK(*state, phx_result_column(result, phx_result_column_find(result, "drift"), 0, 101, drift));
        CHECK_SMALL(max_abs(101, drift), 1e-12, "joints");
        phx_result_destroy(result);
        snprintf(text, sizeof text, LINKS("%s", "0.6", "initial: {from: first.h5, strict: true}\n"), others[k]);
        CHECK_STATUS(*state, run(*state, text, NULL, &report, &t), PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, "made with other joints");
    }
    CHECK_STATUS(*state,
                 run(*state,
                     LINKS("{kind: revolute, ports: [a.C, b.P]}\n  D: {kind: revolute, ports: [ground.Q, b.P]}", "0.6",
                           "initial: {from: first.h5}\n"),
                     NULL, &report, &t),
                 PHX_ERR_ASSEMBLY);
    CHECK_MESSAGE(*state, "cannot be closed: 'A' (residual");
    CHECK_MESSAGE(*state, "'D' (residual");
}

/* A beam that is bent in both planes at the start: the weld of its turned section is closed as a run measures it. */
static void welds_of_turned_sections_are_closed(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\ngravity: [0, -9.81, -5]\n"
        "materials: {steel: {density: 7800, young: 2e11, poisson: 0.3}}\n"
        "bodies: {beam: {kind: beam, material: steel, length: 2, section: {kind: rectangle, width: 0.02, height: 0.02},"
        " elements: 4, reference: simply_supported}}\n"
        "joints: {w: {kind: weld, ports: [ground.O, beam.P]}}\nloads: {f: {at: beam.C, force: [0, -20, 10]}}\n"
        "initial: {deformation: quasi_static}\nsimulate: {end: 1e-3, step: 1e-3}\n";
    phx_simulate_report report;
    told t;

    CHECK_OK(*state, run(*state, text, NULL, &report, &t));
    CHECK_BELOW(report.largest_drift, 1e-14, "gap");
}

/* A scissor lift of beams that a locked cylinder holds: the forces between its members are much larger than what moves
 * them, and the ground carries the weight at every length of the step. */
static void a_lift_stands(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {L: 1.6, a: 12*deg}\n"
        "materials: {steel: {density: 7850, young: 2.1e11}}\nground: {ports: {cyl: {position: [1.0, -0.1]}}}\nbodies:\n"
        "  one: {kind: beam, material: steel, length: L, section: {kind: rectangle, width: 0.04, height: 0.1},\n"
        "    reference: simply_supported, damping: {modal: 0.01}, ports: {mid: {at: 0.5}, lug: {at: 0.35}},\n"
        "    pose: {angle: a}}\n"
        "  two: {kind: beam, material: steel, length: L, section: {kind: rectangle, width: 0.04, height: 0.1},\n"
        "    reference: simply_supported, damping: {modal: 0.01}, ports: {mid: {at: 0.5}},\n"
        "    pose: {position: [L*cos(a), 0], angle: pi - a}}\n"
        "  platform: {kind: rigid, mass: 120, inertia: 40, centre_of_mass: [0.8, 0], pose: {position: [0, L*sin(a)]},\n"
        "    ports: {load: {position: [1.1, 0.3]}}}\n"
        "  goods: {kind: rigid, mass: 500, inertia: 30, pose: {position: [1.1, L*sin(a) + 0.3]}}\n"
        "  barrel: {kind: rigid, mass: 12, inertia: 0.6, centre_of_mass: [0.25, 0],\n"
        "    pose: {position: [1.0, -0.1], angle: 150*deg, guess: true}}\n"
        "  rod: {kind: rigid, mass: 5, inertia: 0.2, centre_of_mass: [-0.2, 0],\n"
        "    pose: {position: [0.5, 0.1], angle: 150*deg, guess: true}}\n"
        "joints:\n"
        "  base: {kind: revolute, ports: [ground.O, one.P]}\n  cross: {kind: revolute, ports: [one.mid, two.mid]}\n"
        "  roller: {kind: slider, ports: [ground.O, two.P], axis: [1, 0]}\n"
        "  pin: {kind: revolute, ports: [platform.P, two.C]}\n"
        "  top: {kind: slider, ports: [platform.P, one.C], axis: [1, 0]}\n"
        "  strap: {kind: weld, ports: [platform.load, goods.P]}\n  eye: {kind: revolute, ports: [ground.cyl, "
        "barrel.P]}\n"
        "  lug: {kind: revolute, ports: [one.lug, rod.P]}\n"
        "  cylinder: {kind: prismatic, ports: [barrel.P, rod.P], axis: [1, 0], motion: 0.6}\n"
        "initial: {deformation: quasi_static}\n"
        "outputs: {a: {reaction: base, frame: inertial}, b: {reaction: roller, frame: inertial}, c: {reaction: eye, "
        "frame: inertial}}\nsimulate: {end: 0.01, step: 1e-3, every: 1e-3}\n";
    static const double weight = 9.81 * (120.0 + 500.0 + 12.0 + 5.0 + 2.0 * 1.6 * 0.004 * 7850.0);
    static const double steps[] = {1e-3, 1e-4, 5e-5, 1e-5, 2e-6};

    for (int k = 0; k < 5; k++) {
        text_run r = run_text(*state, text, steps[k]);
        double carried = 0.0;
        for (int i = 0; i < 3; i++)
            carried += record_at(*state, &r, (const char *const[]){"a.fy", "b.fy", "c.fy"}[i], r.n - 1);
        CHECK_CLOSE(carried, weight, 1e-9 * weight, "step %g: weight", steps[k]);
        assert_int_equal(r.report.stats.rejected, 0);
        phx_result_destroy(r.result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(moved_bodies_are_told, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(strict_starts_refuse_them, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(other_joints_are_closed, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(welds_of_turned_sections_are_closed, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(a_lift_stands, study_setup, study_teardown),
    };
    return cmocka_run_group_tests_name("study_start_moves", tests, NULL, NULL);
}
