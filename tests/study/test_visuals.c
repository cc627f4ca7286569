/* What bodies look like: the nodes of their surfaces follow the bodies exactly, and no result depends on them. */
#include "support.h"
#include "results/results.h"
#include "body/body.h"

enum { MOST_X = 400 };

static phx_result *simulate(phx_context *context, const char *text)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = read_text(context, text);
    options.h5_path = "a.h5";
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    assert_true(phx_result_n_x(result) <= MOST_X);
    phx_model_destroy(model);
    return result;
}

/* out = rows(k .. k + n) q */
static void times_q(const double *rows, int n, int n_q, const double *q, double *out)
{
    for (int a = 0; a < n; a++) {
        out[a] = 0.0;
        for (int k = 0; k < n_q; k++)
            out[a] += rows[a * n_q + k] * q[k];
    }
}

/* Where node k of all visuals is: of a body with the pose r, R  r + R (p + phi q + (1 + [theta q]x) arm). */
static void node_place(const phx_result *result, const double *x, int k, double out[3])
{
    const phx_scene *scene = phx_result_scene(result);
    const int dim = phx_result_dimension(result), b = scene->node_body[k], point = scene->node_point[k];
    const double *arm = scene->node_arm + 3 * k, *turns = scene->point_turns;
    double local[3] = {0}, turned[3] = {0}, at[3] = {arm[0], arm[1], arm[2]}, R[9];
    memcpy(out, arm, sizeof local);
    if (b < 0)
        return;
    const phx_record_body *body = phx_result_body(result, b);
    const double *r = x + body->x_start, *q = r + dim + (dim == 2 ? 3 : 9);
    const int n_q = body->x_count - dim - (dim == 2 ? 3 : 9), n_rot = dim == 2 ? 1 : 3;
    for (int c = 0; c < b; c++)
        if (phx_result_body(result, c)->shapes)
            turns += phx_result_body(result, c)->n_points * n_rot *
                     (phx_result_body(result, c)->x_count - dim - (dim == 2 ? 3 : 9));
    if (point >= 0) {
        double shift[3] = {0};
        times_q(body->shapes + point * dim * n_q, dim, n_q, q, shift);
        times_q(turns + point * n_rot * n_q, n_rot, n_q, q, turned);
        if (dim == 2)
            turned[2] = turned[0], turned[0] = 0.0;
        for (int a = 0; a < dim; a++)
            local[a] = body->points[point * dim + a] + shift[a];
    }
    for (int a = 0; a < 3; a++) {
        const int c = (a + 1) % 3, d = (a + 2) % 3;
        local[a] += at[a] + turned[c] * at[d] - turned[d] * at[c];
    }
    phx_attitude_rotation(dim, r + dim, R);
    for (int a = 0; a < 3; a++) {
        out[a] = a < dim ? r[a] : local[a];
        for (int c = 0; c < dim && a < dim; c++)
            out[a] += R[dim * a + c] * local[c];
    }
}

/* The first node of visual v. */
static int first_node(const phx_scene *scene, int v)
{
    int node = 0;
    for (int k = 0; k < v; k++)
        node += scene->visual_nodes[k];
    return node;
}

static int visual_of(const phx_scene *scene, int body, const char *kind)
{
    for (int v = 0; v < scene->n_visuals; v++)
        if (scene->visual_body[v] == body && !strcmp(scene->visual_kind[v], kind))
            return v;
    fail_msg("body %d has no visual '%s'", body, kind);
    return -1;
}

/* The mean of `n` nodes. */
static void mean_place(const phx_result *result, const double *x, int first, int n, double out[3])
{
    double at[3];
    memset(out, 0, 3 * sizeof *out);
    for (int k = 0; k < n; k++) {
        node_place(result, x, first + k, at);
        for (int a = 0; a < 3; a++)
            out[a] += at[a] / n;
    }
}

/* The extents of a visual in the axes of its body, where one frame carries it. */
static void extents(const phx_scene *scene, int v, double low[3], double high[3])
{
    const int first = first_node(scene, v);
    for (int a = 0; a < 3; a++)
        low[a] = HUGE_VAL, high[a] = -HUGE_VAL;
    for (int k = first; k < first + scene->visual_nodes[v]; k++)
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], scene->node_arm[3 * k + a]);
            high[a] = fmax(high[a], scene->node_arm[3 * k + a]);
        }
}

/* ---- by the physics ---- */
/* A brick 1 x 2 x 3 about a centre of mass that is not the origin, a disc, a slender rod, a point mass; each with its
 * inertia. */
static void inertia_is_seen(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\nbodies:\n"
        "  brick: {kind: rigid, mass: 6, inertia: [6.5, 5, 2.5], centre_of_mass: [0.1, 0.2, 0.3]}\n"
        "  disc: {kind: rigid, mass: 2, inertia: [0.5, 0.5, 1]}\n"
        "  bar: {kind: rigid, mass: 12, inertia: [0, 4, 4], ports: {E: {position: [1, 0, 0]}}, point_masses: [{at: P, "
        "mass: 0, inertia: [1e-6, 1e-6, 1e-6]}]}\n"
        "  ball: {kind: rigid, mass: 7.85, inertia: [1e-9, 1e-9, 1e-9]}\n"
        "simulate: {end: 0.01, step: 0.01}\n";
    static const double brick[3] = {1, 2, 3}, centre[3] = {0.1, 0.2, 0.3};
    phx_result *result = simulate(*state, text);
    const phx_scene *scene = phx_result_scene(result);
    double low[3], high[3];
    extents(scene, visual_of(scene, 0, "inertia"), low, high);
    for (int a = 0; a < 3; a++) {
        CHECK_CLOSE(high[a] - low[a], brick[a], 1e-12, "side %d of the brick", a);
        CHECK_CLOSE(0.5 * (high[a] + low[a]), centre[a], 1e-12, "middle %d of the brick", a);
    }
    extents(scene, visual_of(scene, 1, "inertia"), low, high);
    CHECK_CLOSE(high[0] - low[0], 2.0, 1e-12, "diameter of the disc: I = m r^2/2");
    assert_true(high[2] - low[2] < 0.1);
    extents(scene, visual_of(scene, 2, "inertia"), low, high);
    CHECK_CLOSE(high[0] - low[0], 2.0, 1e-3, "length of the bar: I = m l^2/12");
    assert_true(high[1] - low[1] < 0.1 && high[2] - low[2] < 0.1);
    extents(scene, visual_of(scene, 3, "mass"), low, high);
    CHECK_CLOSE(high[2] - low[2], cbrt(6e-3 / TEST_PI), 1e-12, "diameter of a litre of steel");
    phx_result_destroy(result);
}

#define BENDING                                                                                                        \
    "phlexor: 1\ndimension: %d\nmaterials: {soft: {density: 1000, young: 2e7, poisson: 0.3}}\n"                        \
    "bodies:\n  arm: {kind: %s, material: soft, length: 1, section: {kind: rectangle, width: 0.02, height: 0.04}%s}\n" \
    "joints: {root: {kind: weld, ports: [ground.O, arm.P]}}\n"                                                         \
    "loads: {push: {force: %s, at: arm.C}}\n"                                                                          \
    "outputs: {tip: {position: arm.C}, middle: {position: arm@0.5}%s}\n"                                               \
    "simulate: {end: 0.1, step: 5e-3, every: 0.02}\n"

/* Rings of the section: their middles are the points of the axis, their distances those of the section. */
static void sections_follow(void **state)
{
    static const struct {
        int dimension;
        const char *kind, *more, *force;
    } cases[] = {{2, "beam", ", reference: cantilever, elements: 4", "[0, 0.1]"},
                 {3, "beam", ", reference: cantilever, elements: 4", "[0, 0.1, 0.2]"},
                 {3, "beam", ", modes: 3, reference: cantilever", "[0, 0.1, 0.2]"},
                 {3, "beam", ", reference: cantilever, element: assumed, modes: 4", "[0, 0.05, 0.1]"},
                 {2, "rod", ", elements: 6", "[0, 1]"},
                 {3, "rod", ", elements: 6", "[0, 1, 2]"}};
    static const char axes[3] = "xyz";
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[2000], name[20];
        double x[MOST_X], at[3], corner[3], moved = 0.0, turned = 0.0;
        snprintf(text, sizeof text, BENDING, cases[c].dimension, cases[c].kind, cases[c].more, cases[c].force,
                 cases[c].dimension == 2 ? ", turn: {angle: arm.C}" : "");
        phx_result *result = simulate(*state, text);
        const phx_scene *scene = phx_result_scene(result);
        const int v = visual_of(scene, 0, "section"), n = scene->visual_nodes[v], dim = cases[c].dimension;
        for (size_t row = 0; row < phx_result_rows(result); row++) {
            CHECK_OK(*state, phx_result_state(result, row, x, NULL));
            mean_place(result, x, first_node(scene, v) + n - 4, 4, at);
            for (int a = 0; a < dim; a++) {
                snprintf(name, sizeof name, "tip.%c", axes[a]);
                CHECK_CLOSE(at[a], result_value(*state, result, name, row), 1e-12, "case %zu, row %zu, %s", c, row,
                            name);
            }
            moved = fmax(moved, fabs(at[1]));
            if (dim == 2) { /* sections turn with the axis: the side along y, by the angle of the end */
                const double angle = result_value(*state, result, "turn", row);
                double sides[2][3];
                for (int k = 0; k < 2; k++)
                    node_place(result, x, first_node(scene, v) + n - 4 + k, sides[k]);
                const double along[2] = {sides[0][0] - sides[1][0], sides[0][1] - sides[1][1]};
                CHECK_CLOSE(atan2(-along[0], along[1]), angle, 1e-12, "case %zu, row %zu, last section", c, row);
                turned = fmax(turned, fabs(angle));
            }
            node_place(result, x, first_node(scene, v) + n - 1, corner);
            const double half = hypot(hypot(corner[0] - at[0], corner[1] - at[1]), corner[2] - at[2]);
            CHECK_RELATIVE(half, hypot(0.01, 0.02), 0.02, "half a diagonal of the section");
        }
        if (!(moved > 1e-3))
            fail_msg("case %zu: the tip moves by %g m only", c, moved);
        if (dim == 2 && !(turned > 1e-3))
            fail_msg("case %zu: the end turns by %g rad only", c, turned);
        phx_result_destroy(result);
    }
}

/* ---- shapes of the file ---- */
/* A tube about a beam in two segments: its nodes are on both, and it stays about the axis. */
static void shapes_are_carried(void **state)
{
    static const char more[] =
        ", reference: cantilever, elements: 2, segments: 2, shape: {tube: [0.2, 0.1], from: P, to: C, colour: red}";
    char text[2000];
    double x[MOST_X], at[3];
    snprintf(text, sizeof text, BENDING, 3, "beam", more, "[0, 0.1, 0.2]", "");
    phx_result *result = simulate(*state, text);
    const phx_scene *scene = phx_result_scene(result);
    const int v = visual_of(scene, 0, "tube"), first = first_node(scene, v), n = scene->visual_nodes[v];
    const size_t last = phx_result_rows(result) - 1;
    int on[2] = {0}, end = 0;
    double ends[3] = {0};
    assert_string_equal(scene->visual_colour[v], "#c8372d");
    assert_int_equal(scene->n_visuals, 1); /* in place of what the physics says */
    CHECK_OK(*state, phx_result_state(result, last, x, NULL));
    for (int k = first; k < first + n; k++) {
        on[scene->node_body[k]]++;
        const phx_record_body *body = phx_result_body(result, scene->node_body[k]);
        if (scene->node_body[k] != 1 || scene->node_point[k] != body->n_points - 1 ||
            fabs(scene->node_arm[3 * k]) > 1e-12)
            continue;
        node_place(result, x, k, at);
        end++;
        for (int a = 0; a < 3; a++)
            ends[a] += at[a];
    }
    assert_true(on[0] > 100 && on[1] > 100 && end >= 64);
    CHECK_CLOSE(ends[1] / end, result_value(*state, result, "tip.y", last), 1e-9, "the middle of the last ring");
    CHECK_CLOSE(ends[2] / end, result_value(*state, result, "tip.z", last), 1e-9, "the middle of the last ring");
    phx_result_destroy(result);
}

/* Between the ends of a rod bent to a quarter of a circle: the shape is a chord. */
static void rods_have_ends(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 2\nmaterials: {soft: {density: 1000, young: 2e7, poisson: 0.3}}\n"
        "bodies:\n  bow: {kind: rod, material: soft, arc: {radius: 1, angle: pi/2}, elements: 8,\n"
        "        section: {kind: circle, diameter: 0.01}, shape: {cylinder: 0.02, from: P, to: C}}\n"
        "joints: {root: {kind: weld, ports: [ground.O, bow.P]}}\nsimulate: {end: 1e-3, step: 1e-3}\n";
    phx_result *result = simulate(*state, text);
    const phx_scene *scene = phx_result_scene(result);
    const int v = visual_of(scene, 0, "cylinder"), first = first_node(scene, v);
    double x[MOST_X], at[3], most = 0.0;
    CHECK_OK(*state, phx_result_state(result, 0, x, NULL));
    for (int k = first; k < first + scene->visual_nodes[v]; k++) {
        node_place(result, x, k, at);
        most = fmax(most, hypot(at[0], at[1]));
    }
    CHECK_CLOSE(most, sqrt(2.0), 1e-3, "the far end");
    phx_result_destroy(result);
}

/* The columns of a run, of all rows. */
static double *columns_of(phx_context *context, const char *text, size_t *count)
{
    phx_result *result = simulate(context, text);
    const size_t rows = phx_result_rows(result), columns = (size_t)phx_result_columns(result);
    double *values = calloc(rows * columns, sizeof *values);
    for (size_t k = 0; k < columns; k++)
        CHECK_OK(context, phx_result_column(result, (int)k, 0, rows, values + k * rows));
    *count = rows * columns;
    phx_result_destroy(result);
    return values;
}

/* Every kind of shape, on every kind of body of the example: not a bit of the columns changes. */
static void results_do_not_depend_on_shapes(void **state)
{
    static const char *const more[] = {"", ", shape: {box: [1, 0.1, 0.1], position: [0.5, 0, 0]}",
                                       ", shape: [{sphere: 3}, {cone: [1, 0], from: P, to: C, opacity: 0.2}]"};
    static const char *const kinds[][2] = {{"beam", ", reference: free"}, {"rod", ""}};
    for (int kind = 0; kind < 2; kind++) {
        size_t count = 0, again = 0;
        double *plain = NULL;
        for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
            char text[2000], keys[200];
            snprintf(keys, sizeof keys, "%s%s", kinds[kind][1], more[k]);
            snprintf(text, sizeof text, BENDING, 3, kinds[kind][0], keys, "[0, 0.1, 0.2]", "");
            double *values = columns_of(*state, text, k == 0 ? &count : &again);
            if (k > 0) {
                assert_int_equal(again, count);
                assert_memory_equal(values, plain, count * sizeof *values);
                free(values);
            } else {
                plain = values;
            }
        }
        free(plain);
    }
}

/* What touches is seen where no shape stands for its body: a ball, an ellipsoid, a hollow cylinder, and once each plane
 * of the ground, with the port in it and its normal. */
static void contacts_are_seen(void **state)
{
    static const char text[] =
        "phlexor: 1\ndimension: 3\n"
        "ground: {ports: {S: {position: [0, 0, 5], rotation: {axis: [1, 0, 0], angle: 0.3}}, T: {position: [9, 0, "
        "0]}}}\n"
        "bodies:\n"
        "  ball: {kind: rigid, mass: 1, inertia: [1, 1, 1], ports: {E: {position: [0.1, 0, 0]}}}\n"
        "  egg: {kind: rigid, mass: 1, inertia: [1, 1, 1], pose: {position: [3, 0, 9]}}\n"
        "  box: {kind: rigid, mass: 1, inertia: [1, 1, 1], pose: {position: [9, 0, 9]}, shape: {box: [1, 1, 1]}}\n"
        "  foot: {kind: rigid, mass: 1, inertia: [1, 1, 1], pose: {position: [9, 9, 9]}, ports: {E: {position: [0, 0, "
        "3]}}}\n"
        "forces:\n"
        "  one: {kind: contact, ports: [ground.O, ball.E], against: plane, normal: [0, 0, 1], radius: 0.5, stiffness: "
        "1}\n"
        "  two: {kind: contact, ports: [ground.T, egg.P], against: plane, normal: [0, 0, 1], semi_axes: [1, 2, 3], "
        "stiffness: 1}\n"
        "  hole: {kind: contact, ports: [ground.S, ball.E], against: cylinder, axis: [0, 0, 1], radius_a: 8, radius: "
        "0.5, "
        "inside: true, stiffness: 1}\n"
        "  own: {kind: contact, ports: [ground.O, box.P], against: plane, normal: [0, 0, 1], radius: 0.7, stiffness: "
        "1}\n"
        "  toe: {kind: contact, ports: [ground.O, foot.E], against: plane, normal: [0, 0, 1], radius: 0.2, stiffness: "
        "1}\n"
        "simulate: {end: 0.01, step: 0.01}\n";
    phx_result *result = simulate(*state, text);
    const phx_scene *scene = phx_result_scene(result);
    int planes = 0, hollow = 0, of_body[4] = {0};
    double low[3], high[3];

    for (int v = 0; v < scene->n_visuals; v++) {
        if (strcmp(scene->visual_kind[v], "contact"))
            continue;
        const int first = first_node(scene, v), b = scene->visual_body[v];
        extents(scene, v, low, high);
        if (b >= 0) {
            of_body[b]++;
        } else if (scene->visual_nodes[v] == 8) {
            planes++;
            CHECK_CLOSE(high[2], 0.0, 1e-14, "the plane of the ground");
        } else {
            hollow++;
            for (int k = first; k < first + scene->visual_nodes[v]; k++) { /* distance from the axis (0, -sin, cos) */
                const double *x = scene->node_arm + 3 * k, z = x[2] - 5.0;
                const double across = cos(0.3) * x[1] + sin(0.3) * z;
                const double distance = hypot(x[0], across);
                assert_true(distance < 1e-9 || fabs(distance - 8.0) < 1e-9);
            }
            assert_true(scene->visual_opacity[v] < 1.0);
        }
    }
    assert_int_equal(planes, 1);
    assert_int_equal(hollow, 1);
    assert_int_equal(of_body[0], 1);
    assert_int_equal(of_body[1], 1);
    assert_int_equal(of_body[2], 0); /* its shape is what is seen */
    assert_int_equal(of_body[3], 1);
    extents(scene, visual_of(scene, 0, "contact"), low, high);
    CHECK_CLOSE(0.5 * (low[0] + high[0]), 0.1, 1e-12, "the ball is about its port");
    CHECK_CLOSE(high[2] - low[2], 1.0, 1e-12, "its diameter");
    extents(scene, visual_of(scene, 1, "contact"), low, high);
    for (int a = 0; a < 3; a++)
        CHECK_CLOSE(high[a] - low[a], 2.0 * (a + 1), 1e-12, "axis %d of the ellipsoid", a);
    visual_of(scene, 3, "inertia"); /* its toe is not all of it */
    for (int v = 0; v < scene->n_visuals; v++)
        assert_true(scene->visual_body[v] > 1 || strcmp(scene->visual_kind[v], "inertia"));
    phx_result_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(inertia_is_seen, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(sections_follow, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(shapes_are_carried, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(contacts_are_seen, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(rods_have_ends, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(results_do_not_depend_on_shapes, study_setup, study_teardown),
    };
    return cmocka_run_group_tests_name("study_visuals", tests, NULL, NULL);
}
