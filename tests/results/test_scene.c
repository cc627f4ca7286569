/* Scenes in a result: what was given comes back, what does not fit is refused, older files have none. */
#define _XOPEN_SOURCE 700
#include "scene_example.h"

#include "file/file.h"
#include "results/store/layout.h"
#include "results/store/recorder.h"

static void write_result(phx_context *context, const phx_scene *scene)
{
    phx_recorder_def def = example_def("a.h5", NULL);
    phx_recorder *recorder = NULL;
    def.scene = scene;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 5));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

static void comes_back(void **state)
{
    phx_context *context = *state;
    const phx_scene scene = example_scene();
    phx_result *result = NULL;

    write_result(context, &scene);
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    example_check_rows(context, result);
    const phx_scene *read = phx_result_scene(result);
    assert_non_null(read);
    assert_int_equal(read->n_ports, 3);
    assert_string_equal(read->port_name[1], port_names[1]);
    assert_string_equal(read->joint_name[1], joint_names[1]);
    assert_int_equal(read->port_body[0], -1);
    assert_memory_equal(read->joint_b, joint_b, sizeof joint_b);
    assert_memory_equal(read->port_position, port_position, sizeof port_position);
    assert_memory_equal(read->port_rotation, port_rotation, sizeof port_rotation);
    assert_memory_equal(read->port_shapes, port_shapes, sizeof port_shapes);
    assert_memory_equal(read->maps, maps, sizeof maps);
    assert_int_equal(read->n_springs, 0);
    assert_int_equal(read->n_loads, 0);
    assert_memory_equal(read->gravity, gravity, sizeof gravity);
    phx_result_destroy(result);
}

static void older_files_have_none(void **state)
{
    phx_context *context = *state;
    phx_result *result = NULL;
    write_result(context, NULL);
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    assert_null(phx_result_scene(result));
    assert_int_equal(phx_result_bodies(result), 2);
    phx_result_destroy(result);
}

static void refuse(phx_context *context, const phx_scene *scene, const char *word)
{
    phx_recorder_def def = example_def("a.h5", NULL);
    phx_recorder *recorder = NULL;
    def.scene = scene;
    REFUSED(context, PHX_ERR_ARGUMENT, word, phx_recorder_create(context, &def, &recorder));
    assert_null(recorder);
}

static void what_does_not_fit_is_refused(void **state)
{
    phx_context *context = *state;
    int outside[] = {-1, 0, 2}, beyond[] = {0, 3};
    double broken[4] = {0, NAN, 0, 0};
    phx_scene scene = example_scene();

    scene.n_bodies = 1;
    refuse(context, &scene, "/bodies/mass");
    scene = example_scene();
    scene.port_body = outside;
    refuse(context, &scene, "/ports/body");
    scene = example_scene();
    scene.joint_a = beyond;
    refuse(context, &scene, "/joints/port_a");
    scene = example_scene();
    scene.joint_axis = broken;
    refuse(context, &scene, "/joints/axis");
    scene = example_scene();
    scene.n_maps = 5;
    refuse(context, &scene, "/sections/maps");
    scene = example_scene();
    scene.n_port_shapes = 2;
    refuse(context, &scene, "/ports/shapes");
    scene = example_scene();
    scene.n_arrows = 1;
    scene.arrow_name = scene.arrow_kind = port_names;
    scene.arrow_port = scene.arrow_directions = &beyond[1]; /* 3: inertial directions, but no port */
    refuse(context, &scene, "/arrows/port");
    scene.arrow_port = beyond;
    outside[0] = 4;
    scene.arrow_directions = outside;
    refuse(context, &scene, "/arrows/directions");
    scene = example_scene();
    scene.n_springs = 1;
    scene.spring_name = scene.spring_kind = port_names;
    scene.spring_a = scene.spring_b = scene.spring_wheel_a = beyond;
    scene.spring_wheel_b = &beyond[1];
    scene.spring_radius_a = scene.spring_radius_b = radius;
    refuse(context, &scene, "/springs/wheel_b");
    scene = example_scene();
    scene.n_gravity = 1;
    refuse(context, &scene, "/gravity");
}

/* ---- factors ---- */
enum { FACTORS = 2, FACTOR_ROWS = 20, FACTOR_X = 13 };

/* A triangle that deforms by one coordinate and has stresses by that and two temperatures. */
static phx_scene heated_scene(void)
{
    static char *stresses[] = {"bending"};
    static int body[1] = {0}, nodes[1] = {3}, one[1] = {1}, factors[1] = {FACTORS}, type[1] = {5},
               corners[3] = {0, 1, 2}, labels[3] = {7, 9, 8};
    static double number[1] = {1.0}, values[9] = {0.0}, places[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0},
                  map[45] = {1.0, 2.0, 3.0};

    return (phx_scene){.n_bodies = 1,
                       .radius = values,
                       .mass = number,
                       .centre = values,
                       .section = values,
                       .n_meshes = 1,
                       .mesh_body = body,
                       .mesh_stresses = stresses,
                       .mesh_nodes = nodes,
                       .mesh_cells = one,
                       .mesh_triangles = one,
                       .mesh_factors = factors,
                       .n_mesh_nodes = 3,
                       .mesh_x = places,
                       .mesh_thickness = values,
                       .mesh_label = labels,
                       .n_mesh_cells = 1,
                       .cell_type = type,
                       .n_cell_nodes = 3,
                       .cell_nodes = corners,
                       .n_triangle_nodes = 3,
                       .triangle_nodes = corners,
                       .n_mesh_shapes = 9,
                       .mesh_shapes = values,
                       .n_mesh_maps = 3 * 5 * (1 + FACTORS),
                       .mesh_maps = map};
}

static void check_factors(const phx_result *result, size_t rows)
{
    double factors[FACTORS * FACTOR_ROWS], work[FACTOR_ROWS];

    assert_int_equal(phx_result_rows(result), rows);
    CHECK_OK(NULL, phx_result_factors(result, 0, rows, factors));
    CHECK_OK(NULL, phx_result_ledger_values(result, 0, 0, rows, work));
    for (size_t k = 0; k < rows; k++) {
        CHECK_CLOSE(work[k], 3.0 * (double)k, 0.0, "ledger in row %zu", k);
        for (size_t i = 0; i < FACTORS; i++)
            CHECK_CLOSE(factors[k * FACTORS + i], 100.0 * (double)k + (double)i, 0.0, "factor %zu in row %zu", i, k);
    }
}

/* Through buffers, the file beside the result and checkpoints, and in memory. */
static void factors_come_back(void **state)
{
    phx_context *context = *state;
    const phx_scene scene = heated_scene();
    const phx_record_body body = {.name = "b", .kind = "plate", .x_count = FACTOR_X};
    const phx_record_column time = {"t", "s"};
    const phx_record_entry sun = {"sun", false};
    phx_recorder_def def = phx_recorder_def_default();
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    double row[2 + FACTORS], x[FACTOR_X] = {[3] = 1.0, [7] = 1.0, [11] = 1.0};

    def.h5_path = "a.h5";
    def.dimension = 3;
    def.n_columns = def.n_ledger = def.n_bodies = 1;
    def.columns = &time;
    def.ledger = &sun;
    def.bodies = &body;
    def.n_x = FACTOR_X;
    def.scene = &scene;
    def.buffer_bytes = 3 * (2 + FACTORS + FACTOR_X) * sizeof(double); /* three rows */
    def.in_memory = true;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    for (int k = 0; k < FACTOR_ROWS; k++) {
        const double values[2 + FACTORS] = {0.1 * k, 3.0 * k, 100.0 * k, 100.0 * k + 1.0};
        CHECK_OK(context, phx_recorder_append(recorder, values, x, NULL));
        if (k == 7)
            CHECK_OK(context, phx_recorder_checkpoint(recorder));
    }
    memset(row, 0, sizeof row);
    row[1 + FACTORS] = NAN;
    REFUSED(context, PHX_ERR_ANALYSIS, "a temperature is", phx_recorder_append(recorder, row, x, NULL));
    CHECK_OK(context, phx_result_read(context, "a.h5.partial", &result));
    check_factors(result, 8);
    phx_result_destroy(result);
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    check_factors(result, FACTOR_ROWS);
    assert_int_equal(phx_result_scene(result)->mesh_factors[0], FACTORS);
    phx_result_destroy(result);
    CHECK_OK(context, phx_recorder_take(recorder, context, &result));
    check_factors(result, FACTOR_ROWS);
    phx_result_destroy(result);
    phx_recorder_destroy(recorder);
}

/* A file whose lists contradict each other says so. */
static void damaged_files_are_refused(void **state)
{
    phx_context *context = *state;
    phx_scene scene = example_scene();
    phx_h5 *file = NULL;
    phx_result *result = NULL;
    const phx_recorder_def def = example_def("a.h5", NULL);
    phx_layout layout;
    int beyond[] = {0, 3};
    unsigned long long places[64] = {0};

    CHECK_OK(context, phx_layout_create(context, &def, &layout));
    scene.joint_b = beyond;
    layout.scene = &scene;
    CHECK_OK(context, phx_h5_create(context, "b.h5", &file));
    phx_h5_set_text(file, "/", "format", PHX_FORMAT_RESULT);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    phx_h5_set_text(file, "/", "status", "complete");
    phx_h5_put_text(file, "/model", "");
    CHECK_OK(context, phx_layout_write(file, &layout, 0, places));
    CHECK_OK(context, phx_h5_finish(file));
    REFUSED(context, PHX_ERR_FILE, "b.h5", phx_result_read(context, "b.h5", &result));
    CHECK_MESSAGE(context, "damaged");
    layout.scene = NULL;
    phx_layout_free(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(comes_back, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(older_files_have_none, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(factors_come_back, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(damaged_files_are_refused, example_enter, example_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
