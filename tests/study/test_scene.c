/* The drawing data of a result: positions and section forces from the states alone are those of the outputs. */
#include "support.h"
#include "results/results.h"
#include "body/body.h"

static phx_result *simulate(phx_context *context, const phx_model *model)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    options.h5_path = "a.h5";
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    assert_non_null(phx_result_scene(result));
    return result;
}

static int body_of(const phx_result *result, const char *name)
{
    for (int b = 0; b < phx_result_bodies(result); b++)
        if (!strcmp(phx_result_body(result, b)->name, name))
            return b;
    fail_msg("no body '%s'", name);
    return -1;
}

/* Values of a port's shapes before those of port p. */
static const double *port_shapes(const phx_result *result, int p)
{
    const phx_scene *scene = phx_result_scene(result);
    const int dim = phx_result_dimension(result);
    const double *shapes = scene->port_shapes;
    for (int k = 0; k < p; k++)
        if (scene->port_body[k] >= 0)
            shapes += dim * (phx_result_body(result, scene->port_body[k])->x_count - dim - (dim == 2 ? 3 : 9));
    return shapes;
}

/* r + R (p + shapes q) from a row of x */
static void place(const phx_result *result, const double *x, int p, double *out)
{
    const phx_scene *scene = phx_result_scene(result);
    const int dim = phx_result_dimension(result);
    double local[3] = {0};
    memcpy(local, scene->port_position + p * dim, (size_t)dim * sizeof(double));
    memcpy(out, local, sizeof local);
    if (scene->port_body[p] < 0)
        return;
    const phx_record_body *body = phx_result_body(result, scene->port_body[p]);
    const double *r = x + body->x_start, *attitude = r + dim, *q = attitude + (dim == 2 ? 3 : 9);
    const double *shapes = port_shapes(result, p);
    const int n_q = body->x_count - dim - (dim == 2 ? 3 : 9);
    double R[9];
    phx_attitude_rotation(dim, attitude, R);
    for (int a = 0; a < dim; a++)
        for (int k = 0; k < n_q; k++)
            local[a] += shapes[a * n_q + k] * q[k];
    for (int a = 0; a < dim; a++) {
        out[a] = r[a];
        for (int b = 0; b < dim; b++)
            out[a] += R[a * dim + b] * local[b];
    }
}

static double column(phx_context *context, const phx_result *result, const char *name, size_t row)
{
    double value = 0.0;
    const int c = phx_result_column_find(result, name);
    if (c < 0)
        fail_msg("no column '%s'", name);
    CHECK_OK(context, phx_result_column(result, c, row, 1, &value));
    return value;
}

/* Joints are closed at every row: what holds the places of two ports together. */
static void check_joints(phx_context *context, const phx_result *result)
{
    const phx_scene *scene = phx_result_scene(result);
    double *x = calloc((size_t)phx_result_n_x(result), sizeof *x), a[3], b[3];
    for (size_t row = 0; row < phx_result_rows(result); row++) {
        CHECK_OK(context, phx_result_state(result, row, x, NULL));
        for (int j = 0; j < scene->n_joints; j++) {
            if (strcmp(scene->joint_kind[j], "revolute") && strcmp(scene->joint_kind[j], "weld") &&
                strcmp(scene->joint_kind[j], "spherical") && strcmp(scene->joint_kind[j], "universal"))
                continue;
            place(result, x, scene->joint_a[j], a);
            place(result, x, scene->joint_b[j], b);
            CHECK_VECTOR(phx_result_dimension(result), a, b, 1e-9, "joint '%s', row %zu", scene->joint_name[j], row);
        }
    }
    free(x);
}

/* map q of a section of a body at a drawn point */
static double section(const phx_result *result, const double *x, const char *body_name, const char *name, int point)
{
    const phx_scene *scene = phx_result_scene(result);
    const int dim = phx_result_dimension(result), wanted = body_of(result, body_name);
    const double *map = scene->maps;
    for (int s = 0; s < scene->n_sections; s++) {
        const phx_record_body *body = phx_result_body(result, scene->section_body[s]);
        const int front = dim + (dim == 2 ? 3 : 9), n_q = body->x_count - front;
        double value = 0.0;
        if (scene->section_body[s] == wanted && !strcmp(scene->section_name[s], name)) {
            for (int k = 0; k < n_q; k++)
                value += map[point * n_q + k] * x[body->x_start + front + k];
            return value;
        }
        map += body->n_points * n_q;
    }
    fail_msg("no section '%s' of '%s'", name, body_name);
    return NAN;
}

/* `columns`: the output at the fractions 0, 1/4, 1/2, 3/4 and 1, "m0" ... "m4", with `suffix` behind. */
static void check_section(phx_context *context, const phx_result *result, const char *body, const char *name,
                          const char *column_start, const char *suffix)
{
    double *x = calloc((size_t)phx_result_n_x(result), sizeof *x), largest = 0.0;
    const int last = phx_result_body(result, body_of(result, body))->n_points - 1;
    for (size_t row = 0; row < phx_result_rows(result); row++) {
        CHECK_OK(context, phx_result_state(result, row, x, NULL));
        for (int k = 0; k < 5; k++) {
            char output[64];
            snprintf(output, sizeof output, "%s%d%s", column_start, k, suffix);
            const double wanted = column(context, result, output, row);
            largest = fmax(largest, fabs(wanted));
            CHECK_CLOSE(section(result, x, body, name, k * last / 4), wanted, 1e-9 * fmax(1.0, fabs(wanted)),
                        "%s of %s at %d/4, row %zu", name, body, k, row);
        }
    }
    if (!(largest > 1e-3))
        fail_msg("%s of %s is nowhere larger than %g", name, body, largest);
    free(x);
}

#define PLANE                                                                                                          \
    "phlexor: 1\ntitle: a\ndimension: 2\ngravity: [0, -9.81]\nparameters: {k: 3, twice: 2*k}\n"                        \
    "materials: {steel: {density: 7850, young: 2.1e11}}\n"                                                             \
    "bodies:\n"                                                                                                        \
    "  arm: {kind: beam, material: steel, length: 0.8, section: {kind: tube, outer: 0.012, inner: 0.010},\n"           \
    "        reference: %s, pose: {angle: -0.3}%s}\n"                                                                  \
    "  load: {kind: rigid, mass: 2, inertia: 0.01, centre_of_mass: [0.02, 0], pose: {position: [0.6, -0.2]}}\n"        \
    "joints:\n"                                                                                                        \
    "  pin: {kind: revolute, ports: [ground.O, arm.P]}\n"                                                              \
    "  hold: {kind: revolute, ports: [arm@0.75, load.P]}\n"                                                            \
    "springs: {strut: {ports: [ground.O, load.P], stiffness: k, length: 0.2}}\n"                                       \
    "loads:\n  push: {force: [1, \"sin(9*t)\"], at: arm.C}\n  wind: {distributed: [0, \"s\"], on: arm}\n"              \
    "outputs:\n"                                                                                                       \
    "  n0: {axial_force: arm@0}\n  n1: {axial_force: arm@0.25}\n  n2: {axial_force: arm@0.5}\n"                        \
    "  n3: {axial_force: arm@0.75}\n  n4: {axial_force: arm@1}\n"                                                      \
    "  m0: {bending_moment: arm@0}\n  m1: {bending_moment: arm@0.25}\n  m2: {bending_moment: arm@0.5}\n"               \
    "  m3: {bending_moment: arm@0.75}\n  m4: {bending_moment: arm@1}\n"                                                \
    "  tip: {position: arm.C}\n  held: {position: arm@0.75}\n"                                                         \
    "simulate: {end: 0.05, step: 1e-3, every: 5e-3}\n"

static int find_port(const phx_scene *scene, int body, const char *name)
{
    for (int p = 0; p < scene->n_ports; p++)
        if (scene->port_body[p] == body && !strcmp(scene->port_name[p], name))
            return p;
    fail_msg("no port '%s'", name);
    return -1;
}

/* Beams of every element, reference and basis. */
static void plane(void **state)
{
    static const char *const beams[][2] = {{"simply_supported", ", elements: 4"},
                                           {"cantilever", ", elements: 4, order: 5"},
                                           {"free", ", elements: 4"},
                                           {"cantilever", ", elements: 4, modes: 5"},
                                           {"cantilever", ", element: assumed, modes: 4"}};
    phx_context *context = *state;
    for (size_t k = 0; k < sizeof beams / sizeof *beams; k++) {
        char text[4000];
        snprintf(text, sizeof text, PLANE, beams[k][0], beams[k][1]);
        phx_model *model = read_text(context, text);
        phx_result *result = simulate(context, model);
        const phx_scene *scene = phx_result_scene(result);
        double x[200], at[3];

        check_joints(context, result);
        check_section(context, result, "arm", "bending_moment_z", "m", "");
        if (k < 3) /* the lowest normal modes and assumed shapes bend only */
            check_section(context, result, "arm", "axial_force", "n", "");
        for (size_t row = 0; row < phx_result_rows(result); row++) {
            CHECK_OK(context, phx_result_state(result, row, x, NULL));
            place(result, x, find_port(scene, 0, "C"), at);
            CHECK_CLOSE(at[0], column(context, result, "tip.x", row), 1e-12, "tip, row %zu", row);
            CHECK_CLOSE(at[1], column(context, result, "tip.y", row), 1e-12, "tip, row %zu", row);
            place(result, x, find_port(scene, 0, "@0.75"), at);
            CHECK_CLOSE(at[0], column(context, result, "held.x", row), 1e-12, "held, row %zu", row);
            CHECK_CLOSE(at[1], column(context, result, "held.y", row), 1e-12, "held, row %zu", row);
        }
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* The other lists, by their values. */
static void lists(void **state)
{
    phx_context *context = *state;
    char text[4000];
    snprintf(text, sizeof text, PLANE, "cantilever", ", elements: 4");
    phx_model *model = read_text(context, text);
    phx_result *result = simulate(context, model);
    const phx_scene *scene = phx_result_scene(result);
    const double pi = TEST_PI, area = pi * (0.012 * 0.012 - 0.010 * 0.010) / 4.0;

    assert_int_equal(scene->n_bodies, 2);
    CHECK_RELATIVE(scene->radius[0], 0.006, 1e-14, "radius");
    CHECK_RELATIVE(scene->mass[0], 7850 * 0.8 * area, 1e-12, "mass of the beam");
    CHECK_RELATIVE(scene->centre[0], 0.4, 1e-12, "centre of the beam");
    CHECK_RELATIVE(scene->section[0], area, 1e-12, "area");
    CHECK_RELATIVE(scene->section[3], 0.006, 1e-14, "fibre");
    assert_true(scene->radius[1] == 0.0 && scene->mass[1] == 2.0 && scene->section[5] == 0.0);
    CHECK_CLOSE(scene->centre[2], 0.02, 1e-15, "centre of the load");
    assert_int_equal(scene->n_joints, 2);
    assert_string_equal(scene->joint_name[1], "hold");
    assert_string_equal(scene->joint_kind[1], "revolute");
    assert_string_equal(scene->port_name[scene->joint_a[1]], "@0.75");
    assert_int_equal(scene->port_body[scene->joint_a[0]], -1);
    assert_int_equal(scene->port_body[scene->joint_b[1]], 1);
    assert_int_equal(scene->n_springs, 1);
    assert_string_equal(scene->port_name[scene->spring_a[0]], "O");
    assert_int_equal(scene->n_loads, 2);
    assert_string_equal(scene->load_kind[0], "force");
    assert_string_equal(scene->port_name[scene->load_port[0]], "C");
    assert_string_equal(scene->load_kind[1], "distributed");
    assert_int_equal(scene->port_body[scene->load_port[1]], 0);
    assert_int_equal(scene->n_parameters, 2);
    assert_string_equal(scene->parameter_name[1], "twice");
    assert_true(scene->parameter_value[0] == 3.0 && scene->parameter_value[1] == 6.0);
    assert_true(scene->n_gravity == 2 && scene->gravity[1] == -9.81);
    assert_int_equal(scene->n_sections, 2);
    assert_string_equal(scene->section_unit[0], "N");
    phx_result_destroy(result);
    phx_model_destroy(model);
}

#define SPACE                                                                                                          \
    "phlexor: 1\ntitle: a\ndimension: 3\ngravity: [0, 0, -9.81]\n"                                                     \
    "materials: {steel: {density: 7850, young: 2.1e11, poisson: 0.3}}\n"                                               \
    "ground: {ports: {wall: {position: [0.1, 0, 0], rotation: {axis: [0, 0, 1], angle: 0.7}}}}\n"                      \
    "bodies:\n"                                                                                                        \
    "  arm: {kind: beam, material: steel, length: 0.8, section: {kind: rectangle, width: 0.01, height: 0.02},\n"       \
    "        elements: 3, reference: cantilever%s, pose: {position: [0.1, 0, 0], rotation: {axis: [0, 0, 1],\n"        \
    "        angle: 0.7}}}\n"                                                                                          \
    "  tip: {kind: rigid, mass: 0.5, inertia: [1e-3, 2e-3, 3e-3], pose: {position: [0.7, 0.5, 0]}}\n"                  \
    "joints:\n"                                                                                                        \
    "  root: {kind: weld, ports: [ground.wall, arm.P]}\n"                                                              \
    "  ball: {kind: spherical, ports: [arm.C, tip.P]}\n"                                                               \
    "loads: {twist: {torque: [\"sin(20*t)\", 0.1, 0], at: arm.C}, side: {force: [5, -5, 0], at: arm.C}}\n"             \
    "outputs:\n"                                                                                                       \
    "  m0: {bending_moment: arm@0}\n  m1: {bending_moment: arm@0.25}\n  m2: {bending_moment: arm@0.5}\n"               \
    "  m3: {bending_moment: arm@0.75}\n  m4: {bending_moment: arm@1}\n"                                                \
    "  t0: {torsion: arm@0}\n  t1: {torsion: arm@0.25}\n  t2: {torsion: arm@0.5}\n  t3: {torsion: arm@0.75}\n"         \
    "  t4: {torsion: arm@1}\n"                                                                                         \
    "simulate: {end: 0.02, step: 5e-4, every: 2e-3}\n"

static void space(void **state)
{
    phx_context *context = *state;
    for (int stiffening = 0; stiffening < 2; stiffening++) {
        char text[4000];
        snprintf(text, sizeof text, SPACE, stiffening ? ", stiffening: true" : "");
        phx_model *model = read_text(context, text);
        phx_result *result = simulate(context, model);
        const phx_scene *scene = phx_result_scene(result);

        check_joints(context, result);
        check_section(context, result, "arm", "bending_moment_y", "m", ".y");
        check_section(context, result, "arm", "bending_moment_z", "m", ".z");
        check_section(context, result, "arm", "torsion", "t", "");
        /* the axial force of a stiffened beam is not linear in q */
        assert_int_equal(scene->n_sections, stiffening ? 3 : 4);
        CHECK_RELATIVE(scene->radius[0], 0.01, 1e-14, "half the height");
        CHECK_RELATIVE(scene->section[4], 0.005, 1e-14, "fibre along z");
        CHECK_CLOSE(scene->port_rotation[9], cos(0.7), 1e-15, "the wall's directions");
        phx_result_destroy(result);
        phx_model_destroy(model);
    }
}

/* Tables of modes keep the bodies and the configuration of each point. */
static void modes(void **state)
{
    phx_context *context = *state;
    phx_model *model = NULL;
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table, read;
    phx_sweep *sweep = NULL;

    CHECK_OK(context, phx_model_read(context, PHX_SOURCE_DIR "/examples/four_bar.yaml", 0, NULL, &model));
    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_range(sweep, model->parameters[0].name, 0.0, 1.0, 3));
    options.sweep = sweep;
    options.with_shapes = true;
    CHECK_OK(context, phx_study_modes(context, model, &options, &table, NULL));
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "a.h5"));
    CHECK_OK(context, phx_modes_read(context, "a.h5", &read));
    assert_int_equal(read.dimension, 2);
    assert_int_equal(read.n_bodies, model->n_bodies);
    assert_int_equal(read.n_states, 3);
    assert_int_equal(read.n_x, table.n_x);
    assert_memory_equal(read.states, table.states, (size_t)(3 * table.n_x) * sizeof(double));
    assert_non_null(read.scene);
    assert_int_equal(read.scene->n_joints, model->n_joints);
    for (int b = 0; b < read.n_bodies; b++)
        assert_string_equal(read.bodies[b].name, model->bodies[b].name);
    /* the crank's angle is what is swept */
    for (int p = 0; p < 3; p++) {
        double moved = 0.0;
        for (int k = 0; k < read.n_x && p > 0; k++)
            moved = fmax(moved, fabs(read.states[p * read.n_x + k] - read.states[k]));
        if (p > 0 && !(moved > 0.1))
            fail_msg("point %d has the configuration of point 0", p);
    }
    phx_modes_free(&read);
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
}

static bool is_there(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

/* A page of a model, assembled or as it is written: whichever allocation fails, memory is what is missing, and no page
 * is there that is not whole. */
static void view_without_memory(void **state)
{
    phx_context *context = *state;
    const phx_report_options options = {.page = "<html>\n<!--phlexor-data-->\n</html>"};
    for (int closed = 0; closed < 2; closed++) {
        char text[4000];
        snprintf(text, sizeof text, PLANE, "cantilever", ", elements: 1");
        if (!closed) /* a second pin, too far away */
            memcpy(strstr(text, "  hold: {kind: revolute, ports: [arm@0.75, load.P]}"),
                   "  hold: {kind: weld,    ports: [arm@0.75,ground.O]}", 51);
        phx_model *model = read_text(context, text);
        const phx_status expected = closed ? PHX_OK : PHX_ERR_ASSEMBLY;
        phx_status status = PHX_ERR_MEMORY;
        for (long n = 0; status != expected; n += TEST_SHORTER(1, 3)) {
            phx_report_size size;
            phx_context_fail_allocation(context, n);
            status = phx_study_view(context, model, &options, "a.html", &size);
            phx_context_fail_allocation(context, -1);
            if (status != expected) {
                CHECK_STATUS(context, status, PHX_ERR_MEMORY);
                assert_false(is_there("a.html") || is_there("a.html.partial"));
            } else {
                assert_true(is_there("a.html") && size.bytes > 0);
            }
            assert_true(n < 20000);
        }
        remove("a.html");
        phx_model_destroy(model);
    }
}

/* The same of a sweep whose bodies change. */
static void report_without_memory(void **state)
{
    phx_context *context = *state;
    const phx_report_options options = {.page = "<html>\n<!--phlexor-data-->\n</html>"};
    char text[4000];
    phx_sweep *sweep = NULL;
    phx_modes_table table;
    phx_study_modes_options how = {.with_shapes = true};
    phx_status status = PHX_ERR_MEMORY;

    snprintf(text, sizeof text, PLANE, "cantilever", ", elements: 1");
    memcpy(strstr(text, "length: 0.8"), "length: k/4", 11);
    phx_model *model = read_text(context, text);
    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_values(sweep, "k", 2, (const double[]){3.2, 3.0}));
    how.sweep = sweep;
    CHECK_OK(context, phx_study_modes(context, model, &how, &table, NULL));
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "a.h5"));
    for (long n = 0; status; n++) {
        phx_report_size size;
        phx_context_fail_allocation(context, n);
        status = phx_study_report(context, "a.h5", &options, "a.html", &size);
        phx_context_fail_allocation(context, -1);
        if (status)
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
        assert_true(is_there("a.html") == !status);
        assert_true(n < 20000);
    }
    phx_modes_free(&table);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plane, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(lists, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(space, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(modes, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(view_without_memory, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(report_without_memory, study_setup, study_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
