/* Beams cut in segments (`segments: n`): the same model as beams welded by hand, in the plane and in space, with
 * everything that can name a point of them; the flexible crank-slider against the geometrically exact rod; messages;
 * the advice of a run that exceeds small deformation. */
#include "support.h"

#include "model/model.h"
#include "results/results.h"

#include <math.h>
#include <phlexor/results.h>
#include <stdlib.h>

static phx_model *read(phx_context *context, const char *text)
{
    phx_model *model = NULL;
    CHECK_OK(context, phx_model_read_text(context, "segments.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

static phx_model *read_data(phx_context *context, const char *name)
{
    char path[500];
    phx_model *model = NULL;
    snprintf(path, sizeof path, "%s/tests/study/data/%s", PHX_SOURCE_DIR, name);
    CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    return model;
}

static phx_result *run(phx_context *context, const phx_model *model, phx_simulate_report *report)
{
    const phx_simulate_options options = phx_simulate_options_default();
    phx_result *result = NULL;
    CHECK_OK(context, phx_study_simulate_result(context, model, &options, report, &result));
    return result;
}

/* A column, all rows; to be freed. */
static double *column(phx_context *context, const phx_result *result, int k)
{
    double *values = phx_calloc(context, phx_result_rows(result), sizeof *values);
    assert_non_null(values);
    CHECK_OK(context, phx_result_column(result, k, 0, phx_result_rows(result), values));
    return values;
}

/* Largest difference of two columns over the largest value of the second. */
static double difference(size_t n, const double *a, const double *b)
{
    double worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(b[i]));
    }
    return largest > 0.0 ? worst / largest : worst;
}

/* ---- the same as by hand ---- */
/* At the end: what the damping of the arm takes, and what the load along it does, as one entry each. */
static void compare_ledgers(phx_context *context, const phx_result *whole, const phx_result *by_hand)
{
    static const char *const entries[][2] = {{"body.arm", "body.a"}, {"load.d", "load.d"}};
    const size_t last = phx_result_rows(whole) - 1;

    for (int k = 0; k < 2; k++) {
        double ours = 0.0, theirs = 0.0, value;
        int found = 0;
        for (int i = 0; i < phx_result_ledger(whole); i++)
            if (!strcmp(phx_result_ledger_entry(whole, i)->name, entries[k][0])) {
                CHECK_OK(context, phx_result_ledger_values(whole, i, last, 1, &ours));
                found++;
            }
        for (int i = 0; i < phx_result_ledger(by_hand); i++)
            if (!strncmp(phx_result_ledger_entry(by_hand, i)->name, entries[k][1], strlen(entries[k][1]))) {
                CHECK_OK(context, phx_result_ledger_values(by_hand, i, last, 1, &value));
                theirs += value;
            }
        assert_int_equal(found, 1);
        assert_true(theirs != 0.0);
        CHECK_RELATIVE(ours, theirs, 1e-9, "%s", entries[k][0]);
    }
}

static void segments_are_beams_welded_by_hand(void **state)
{
    static const char *const names[][2] = {{"segments_plane.yaml", "segments_plane_by_hand.yaml"},
                                           {"segments_space.yaml", "segments_space_by_hand.yaml"}};
    enum { FIRST = 1 };

    for (int k = 0; k < 2; k++) {
        phx_result *results[2];
        phx_simulate_report reports[2];
        for (int i = 0; i < 2; i++) {
            phx_model *model = read_data(*state, names[k][i]);
            results[i] = run(*state, model, &reports[i]);
            phx_model_destroy(model);
        }
        assert_int_equal(reports[0].bodies, 4);
        compare_ledgers(*state, results[0], results[1]);
        assert_int_equal(reports[0].constraints, reports[1].constraints);
        assert_int_equal(phx_result_columns(results[0]), phx_result_columns(results[1]));
        for (int c = FIRST; c < phx_result_columns(results[0]); c++) {
            const char *name = phx_result_column_name(results[0], c);
            if (!strcmp(name, "residual") || !strncmp(name, "drift", 5))
                continue;
            double *ours = column(*state, results[0], c), *by_hand = column(*state, results[1], c);
            CHECK_SMALL(difference(phx_result_rows(results[0]), ours, by_hand), 1e-10, "%s: %s", names[k][0], name);
            phx_free(ours);
            phx_free(by_hand);
        }
        phx_result_destroy(results[0]);
        phx_result_destroy(results[1]);
    }
}

/* ---- the crank-slider of the first paper with stiffening ---- */
/* The coupler: a beam in segments, or a rod; without rotary inertia, which the beam has not. */
static phx_model *crank_slider(phx_context *context, const char *coupler)
{
    char text[2500];
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: 2\nmaterials: {steel: {density: 7870, young: 0.2e12}}\n"
             "parameters: {d: 0.006, A: pi*d^2/4, EA: 2e11*A, EI: 2e11*pi*d^4/64, m: 7870*A, small: 1e-9*m}\n"
             "bodies:\n"
             "  crank: {kind: rigid, mass: 0.1, inertia: 1e-4, ports: {C: {position: [0.15, 0]}}}\n"
             "  coupler: {%s, length: 0.3, pose: {position: [0.15, 0]}}\n"
             "  slider: {kind: rigid, mass: 0.033, inertia: 1e-6, pose: {position: [0.45, 0]}}\n"
             "joints:\n"
             "  motor: {kind: revolute, ports: [ground.O, crank.P], angle: 0, speed: 150}\n"
             "  knee: {kind: revolute, ports: [crank.C, coupler.P]}\n"
             "  wrist: {kind: revolute, ports: [coupler.C, slider.P]}\n"
             "  guide: {kind: prismatic, ports: [ground.O, slider.P], axis: [1, 0]}\n"
             "outputs: {P: {position: coupler.P}, C: {position: coupler.C}, mid: {position: coupler@0.5}}\n"
             "simulate: {end: 4*pi/150, step: pi/37500}\n",
             coupler);
    return read(context, text);
}

/* Distance of the middle of the coupler from the line between its ends. */
static double *deflection(phx_context *context, const char *coupler, size_t *rows)
{
    static const char *const names[] = {"P.x", "P.y", "C.x", "C.y", "mid.x", "mid.y"};
    phx_simulate_report report;
    phx_model *model = crank_slider(context, coupler);
    phx_result *result = run(context, model, &report);
    double *x[6], *w;

    *rows = phx_result_rows(result);
    w = phx_calloc(context, *rows, sizeof *w);
    for (int k = 0; k < 6; k++)
        x[k] = column(context, result, phx_result_column_find(result, names[k]));
    for (size_t i = 0; i < *rows; i++) {
        const double along[2] = {x[2][i] - x[0][i], x[3][i] - x[1][i]};
        w[i] = (along[0] * (x[5][i] - x[1][i]) - along[1] * (x[4][i] - x[0][i])) / hypot(along[0], along[1]);
    }
    for (int k = 0; k < 6; k++)
        phx_free(x[k]);
    phx_result_destroy(result);
    phx_model_destroy(model);
    return w;
}

static void eight_segments_are_the_exact_rod(void **state)
{
    static const char beam[] = "kind: beam, material: steel, section: {kind: circle, diameter: d}, segments: %d, "
                               "elements: 2, stiffening: true";
    size_t rows, same;
    double error[3];
    double *rod = deflection(*state,
                             "kind: rod, elements: 64, section: {kind: general, stiffness: [[EA, 0, 0], [0, 1e4*EA, "
                             "0], [0, 0, EI]], mass: [[m, 0, 0], [0, m, 0], [0, 0, small]]}",
                             &rows);
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text, beam, 2 << k);
        double *w = deflection(*state, text, &same);
        assert_int_equal(rows, same);
        error[k] = difference(rows, w, rod);
        phx_free(w);
    }
    phx_free(rod);
    CHECK_BELOW(error[1], error[0] / 2.0, "4 segments against 2");
    CHECK_BELOW(error[2], error[1] / 2.0, "8 segments against 4");
    CHECK_BELOW(error[2], 5e-4, "8 segments");
}

/* ---- names, places, messages ---- */
static const char arm[] = "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 7800, young: 2e11}}\nbodies:\n"
                          "  arm: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.02}, %s}\n"
                          "  bead: {kind: rigid, mass: 1, inertia: 1}\n"
                          "joints: {w: {kind: weld, ports: [ground.O, arm.P]}}\n%s\n";

static void segments_have_names_and_places_in_the_file(void **state)
{
    char text[1000];
    snprintf(text, sizeof text, arm, "segments: 4, ports: {Q: {at: 0.75}}", "");
    phx_model *model = read(*state, text);
    assert_int_equal(model->n_bodies, 5);
    assert_int_equal(model->n_joints, 4);
    assert_int_equal(phx_model_find_body(model, "arm/3"), 2);
    assert_int_equal(phx_model_find_joint(model, "arm/3-4"), 3);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(phx_model_where(model, &model->bodies[k]).line, 5);
        assert_int_equal(phx_model_where(model, &model->bodies[k].length).column, 42);
        CHECK_CLOSE(model->bodies[k].pose.position[0], 0.25 * k, 1e-15, "segment %d", k + 1);
        assert_int_equal(model->bodies[k].n_ports, k == 2 ? 3 : 2); /* a port at a weld: the segment before it */
    }
    assert_int_equal(phx_model_where(model, &model->bodies[4]).line, 6);
    assert_int_equal(phx_model_where(model, &model->joints[0]).line, 7);
    assert_int_equal(phx_model_where(model, &model->joints[3]).line, 5);
    assert_string_equal(model->bodies[2].ports[2].name, "Q");
    CHECK_CLOSE(model->bodies[2].ports[2].location.fraction, 1.0, 0.0, "Q");
    phx_linear_report report = {0};
    phx_study_titop_options options = phx_study_titop_options_default();
    options.body = "arm";
    CHECK_STATUS(*state, phx_study_titop(*state, model, &options, &report), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "segments.yaml:5:3: 'arm' is cut in segments and no single body; name one of them, 'arm/1'");
    phx_model_destroy(model);
}

static void what_segments_do_not_have_is_refused(void **state)
{
    static const struct {
        const char *keys, *rest, *message;
    } cases[] = {
        {"segments: 0", "", "segments: expected an integer from 1 to 1000"},
        {"elements: 4", "", "key 'reference' of a body is missing"},
        {"segments: 1000, elements: 101", "", "expected at most 100000 elements in all segments"},
        {"segments: 4, damping: {modal: 0.01}", "", "take damping: {stiffness: ...}"},
        {"segments: 4", "outputs: {o: {position: arm.D}}", "8:25: outputs.o.position: arm has no port 'D'"},
        {"segments: 4", "outputs: {o: {position: arn.C}}", "did you mean 'arm'"},
        {"segments: 4", "outputs: {o: {position: arm@1.5}}", "expected a fraction of the length"},
        {"segments: 4", "outputs: {o: {deformation: arm@0.6}}", "or the deformation in a segment, 'arm/3@...'"},
        {"segments: 4", "outputs: {o: {position: arm}}", "did you mean 'arm.P'"},
        {"segments: 4", "loads: {l: {distributed: [0, 1], on: bead}}", "expected the name of a beam or rod"},
        {"segments: 4", "springs: {k: {ports: [arm.C, arm/4.C], stiffness: 1}}", "never changes"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        phx_model *model = NULL;
        snprintf(text, sizeof text, arm, cases[k].keys, cases[k].rest);
        CHECK_STATUS(*state, phx_model_read_text(*state, "arm.yaml", text, strlen(text), 0, NULL, &model),
                     PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, cases[k].message);
    }
}

static void nothing_slides_across_segments(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nmaterials: {m: {density: 7800, young: 2e11}}\nbodies:\n"
        "  arm: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.02}, segments: 2}\n"
        "  bead: {kind: rigid, mass: 1, inertia: 1}\n"
        "joints: {w: {kind: weld, ports: [ground.O, arm.P]}, s: {kind: point_on, ports: [%s, bead.P]}}\n";
    char whole[600];
    phx_model *model = NULL;
    snprintf(whole, sizeof whole, text, "arm.P");
    CHECK_STATUS(*state, phx_model_read_text(*state, "arm.yaml", whole, strlen(whole), 0, NULL, &model), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "arm.yaml:7:");
    CHECK_MESSAGE(*state, "make it a rod (kind: rod)");
    snprintf(whole, sizeof whole, text, "arm/1.P");
    phx_model_destroy(read(*state, whole));
}

/* ---- the advice ---- */
typedef struct heard_log {
    int warnings;
    char text[2000];
} heard_log;

static void listen(void *user, phx_log_level level, const char *message)
{
    heard_log *heard = user;
    if (level != PHX_LOG_WARNING)
        return;
    heard->warnings++;
    snprintf(heard->text, sizeof heard->text, "%s", message);
}

/* A soft cantilever under its weight, bent by 1 rad; the number that the warning names, 0: it does not warn. */
static int advice(phx_context *context, int dimension, const char *keys)
{
    char text[1000];
    phx_simulate_report report;
    heard_log heard = {0};
    snprintf(text, sizeof text,
             "phlexor: 1\ndimension: %d\ngravity: [0, -9.81%s]\n"
             "materials: {m: {density: 7800, young: 2e9, poisson: 0.3}}\nbodies:\n"
             "  arm: {kind: beam, material: m, length: 1.2, section: {kind: circle, diameter: 0.02}, elements: 8, %s}\n"
             "joints: {w: {kind: weld, ports: [ground.O, arm.P]}}\n"
             "simulate: {end: 0.4, step: 2e-3}\n",
             dimension, dimension == 3 ? ", 0" : "", keys);
    phx_model *model = read(context, text);
    phx_context_set_log(context, listen, &heard);
    phx_result_destroy(run(context, model, &report));
    phx_context_set_log(context, NULL, NULL);
    phx_model_destroy(model);
    assert_true(heard.warnings <= 1); /* once for all segments */
    const char *wanted = strstr(heard.text, "segments: ");
    assert_true(heard.warnings == 0 || wanted);
    if (wanted)
        CHECK_TEXT(heard.text, "body 'arm' exceeds small deformation");
    return wanted ? (int)strtol(wanted + 10, NULL, 10) : 0;
}

static void as_many_segments_as_advised_keep_deformation_small(void **state)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        char keys[80];
        const int wanted = advice(*state, dimension, "reference: cantilever");
        CHECK_BETWEEN(wanted, 2, 8, "advised in dimension %d", dimension);
        snprintf(keys, sizeof keys, "segments: %d", wanted);
        assert_int_equal(advice(*state, dimension, keys), 0);
    }
    assert_true(advice(*state, 2, "reference: simply_supported") >= 2);
}

/* Bodies on meshes are found in the file by their names: segments before them shift their numbers. */
static void bodies_on_meshes_may_follow(void **state)
{
    phx_model *model =
        read(*state, "phlexor: 1\n"
                     "dimension: 3\n"
                     "materials: {m: {density: 2700, young: 7e10, poisson: 0.3}}\n"
                     "bodies:\n"
                     "  arm: {kind: beam, material: m, length: 1, section: {kind: circle, diameter: 0.1},\n"
                     "        segments: 3, elements: 1}\n"
                     "  sheet: {kind: plate, material: m, thickness: 0.01, ports: {P: {on: x0}},\n"
                     "          mesh: {size: [1, 1], elements: [2, 2]}}\n"
                     "joints: {hold: {kind: weld, ports: [arm.C, sheet.P]}}\n");
    phx_system *system = NULL;

    CHECK_OK(*state, phx_model_build(*state, model, &(phx_build_options){0}, &system));
    phx_system_destroy(system);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(segments_are_beams_welded_by_hand, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(eight_segments_are_the_exact_rod, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(segments_have_names_and_places_in_the_file, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(what_segments_do_not_have_is_refused, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(bodies_on_meshes_may_follow, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(nothing_slides_across_segments, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(as_many_segments_as_advised_keep_deformation_small, study_setup,
                                        study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
