/* Scenes in a result: what was given comes back, what does not fit is refused, older files have none. */
#define _XOPEN_SOURCE 700
#include "scene_example.h"

#include "file/file.h"
#include "results/store/layout.h"

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
    scene.n_gravity = 1;
    refuse(context, &scene, "/gravity");
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
        cmocka_unit_test_setup_teardown(damaged_files_are_refused, example_enter, example_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
