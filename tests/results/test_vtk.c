/* Motions for other programs (VTK, XDMF): what is in a frame against the states, which instants, what is left when it
 * fails. */
#define _XOPEN_SOURCE 700
#include "scene_example.h"
#include "results/motion/export.h"

static void record(phx_context *context, const char *path, size_t rows)
{
    phx_recorder_def def = example_def(path, NULL);
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, rows));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

/* Removes a folder of files; returns how many there were, -1 when there is no folder. */
static int clear(const char *folder)
{
    char path[400];
    int count = 0;
    DIR *directory = opendir(folder);
    if (!directory)
        return -1;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += unlink(path) == 0;
    }
    closedir(directory);
    assert_int_equal(rmdir(folder), 0);
    return count;
}

/* The numbers of an array of a frame. */
static int read_array(const char *text, const char *name, int room, double *values)
{
    char start[100];
    snprintf(start, sizeof start, "Name=\"%s\"", name);
    const char *at = strstr(text, start);
    if (!at)
        fail_msg("no array '%s'", name);
    at = strchr(at, '>') + 1;
    for (int n = 0;; n++) {
        char *end = NULL;
        const double value = strtod(at, &end);
        if (end == at)
            return n;
        assert_true(n < room);
        values[n] = value;
        at = end;
    }
}

/* Point 2 of the beam (its end, at b = (0.3 + 0 q0, 0 + q0): shapes 1 on y for the first coordinate) at row 7. */
static void test_a_frame_shows_the_state(void **state)
{
    phx_context *context = *state;
    enum { POINTS = 2 + 2 + 3, ROW = 7 };
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V], array[3 * POINTS], time = 0.0;
    size_t size = 0;
    record(context, "r.h5", 20);
    CHECK_OK(context, phx_export_vtk(context, "r.h5", "frames", 0));
    char *text = example_bytes("frames/frame_000007.vtp", &size);
    example_row(ROW, columns, x, v);
    assert_int_equal(read_array(text, "TimeValue", 1, &time), 1);
    CHECK_CLOSE(time, columns[0], 0.0, "time");
    assert_int_equal(read_array(text, "tip, &quot;left&quot;.x", 1, &time), 1);
    CHECK_CLOSE(time, columns[3], 0.0, "an output");

    const double c = x[7], s = x[8], *q = x + 10, *shape = example_beam_shapes + 2 * 2 * 2;
    const double u[2] = {shape[0] * q[0] + shape[1] * q[1], shape[2] * q[0] + shape[3] * q[1]};
    const double b[2] = {0.3 + u[0], u[1]}, *w = v + 3;
    const double rate[2] = {w[0] - w[2] * b[1] + shape[0] * w[3] + shape[1] * w[4],
                            w[1] + w[2] * b[0] + shape[2] * w[3] + shape[3] * w[4]};
    const double place[3] = {x[5] + c * b[0] - s * b[1], x[6] + s * b[0] + c * b[1], 0.0};
    const double displacement[3] = {c * u[0] - s * u[1], s * u[0] + c * u[1], 0.0};
    const double velocity[3] = {c * rate[0] - s * rate[1], s * rate[0] + c * rate[1], 0.0};
    const double axis[3] = {-s, c, 0.0};
    const struct {
        const char *name;
        const double *want;
    } arrays[] = {{"place", place}, {"displacement", displacement}, {"velocity", velocity}, {"axis_y", axis}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        assert_int_equal(read_array(text, arrays[k].name, 3 * POINTS, array), 3 * POINTS);
        CHECK_VECTOR(3, array + 3 * 6, arrays[k].want, 1e-8, "%s of the end of the beam", arrays[k].name);
    }
    /* origins first: that of the beam is point 1 */
    assert_int_equal(read_array(text, "place", 3 * POINTS, array), 3 * POINTS);
    CHECK_VECTOR(2, array + 3, x + 5, 1e-8, "origin of the beam");
    /* cells: a vertex for each origin, then a line of 2 and one of 3 points */
    assert_int_equal(read_array(text, "connectivity", 3 * POINTS, array), 2);
    const char *lines = strstr(text, "<Lines>");
    assert_int_equal(read_array(lines, "connectivity", 3 * POINTS, array), 5);
    for (int i = 0; i < 5; i++)
        assert_true(array[i] == 2 + i);
    assert_int_equal(read_array(lines, "offsets", 3 * POINTS, array), 2);
    assert_true(array[0] == 2 && array[1] == 5);
    assert_int_equal(read_array(text, "body", 3 * POINTS, array), POINTS);
    assert_true(array[1] == 1 && array[3] == 0 && array[4] == 1);
    free(text);
    assert_int_equal(clear("frames"), 21);
    assert_int_equal(clear("frames.partial"), -1);
}

/* Section forces: map q at the points of the coupler, 0 elsewhere; a result without maps has no such array. */
static void test_section_forces(void **state)
{
    phx_context *context = *state;
    enum { POINTS = 2 + 2 + 3, ROW = 7 };
    const phx_scene scene = example_scene();
    phx_recorder_def def = example_def("r.h5", NULL);
    phx_recorder *recorder = NULL;
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V], array[POINTS];
    size_t size = 0;
    def.scene = &scene;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 20));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_export_vtk(context, "r.h5", "frames", 0));
    char *text = example_bytes("frames/frame_000007.vtp", &size);
    example_row(ROW, columns, x, v);
    assert_int_equal(read_array(text, "bending_moment_z", POINTS, array), POINTS);
    for (int i = 0; i < POINTS; i++) {
        const double want = i < 4 ? 0.0 : maps[2 * (i - 4)] * x[10] + maps[2 * (i - 4) + 1] * x[11];
        CHECK_CLOSE(array[i], want, 1e-8 * fabs(want), "moment at point %d", i);
    }
    assert_null(strstr(text, "axial_force"));
    free(text);
    assert_int_equal(clear("frames"), 21);
}

/* First, last and evenly between; the collection knows their instants. */
static void test_frames_are_chosen_evenly(void **state)
{
    phx_context *context = *state;
    size_t size = 0;
    record(context, "r.h5", 101);
    CHECK_OK(context, phx_export_vtk(context, "r.h5", "frames", 5));
    char *text = example_bytes("frames/motion.pvd", &size);
    const char *at = text;
    for (int k = 0; k < 5; k++) {
        double time = 0.0;
        int number = -1;
        at = strstr(at, "timestep=\"") + strlen("timestep=\"");
        assert_int_equal(sscanf(at, "%lf\" part=\"0\" file=\"frame_%d.vtp\"", &time, &number), 2);
        CHECK_CLOSE(time, 0.025 * k, 1e-15, "frame %d", k);
        assert_int_equal(number, k);
    }
    assert_null(strstr(at, "timestep"));
    free(text);
    assert_int_equal(clear("frames"), 6);
    CHECK_OK(context, phx_export_vtk(context, "r.h5", "frames", 1));
    text = example_bytes("frames/motion.pvd", &size);
    assert_non_null(strstr(text, "timestep=\"0.1"));
    free(text);
    assert_int_equal(clear("frames"), 2);
}

/* The motion formats: how many files there are for so many instants. */
static const struct {
    phx_status (*export)(phx_context *context, const char *path, const char *folder, int most);
    int files, files_per_frame;
    const char *leftover;
} formats[] = {{phx_export_vtk, 1, 1, "frames.partial/frame_000009.vtp"},
               {phx_export_xdmf, 2, 0, "frames.partial/motion.h5"}};
enum { FORMATS = sizeof formats / sizeof *formats };

static void test_nothing_is_overwritten(void **state)
{
    phx_context *context = *state;
    record(context, "r.h5", 3);
    for (int k = 0; k < FORMATS; k++) {
        assert_int_equal(mkdir("mine", 0777), 0);
        example_write("mine/text", "kept");
        REFUSED(context, PHX_ERR_FILE, "not an empty folder", formats[k].export(context, "r.h5", "mine", 0));
        REFUSED(context, PHX_ERR_FILE, "not an empty folder", formats[k].export(context, "r.h5", "r.h5", 0));
        REFUSED(context, PHX_ERR_FILE, "none.h5", formats[k].export(context, "none.h5", "frames", 0));
        REFUSED(context, PHX_ERR_FILE, "cannot create", formats[k].export(context, "r.h5", "none/frames", 0));
        REFUSED(context, PHX_ERR_FILE, "no name for a folder", formats[k].export(context, "r.h5", "/", 0));
        assert_int_equal(clear("mine"), 1);
        /* an empty folder is used, however it is written; what an earlier try left is not */
        assert_int_equal(mkdir("frames", 0777), 0);
        assert_int_equal(mkdir("frames.partial", 0777), 0);
        example_write(formats[k].leftover, "old");
        CHECK_OK(context, formats[k].export(context, "r.h5", "frames//", 0));
        assert_int_equal(clear("frames"), formats[k].files + 3 * formats[k].files_per_frame);
        assert_int_equal(clear("frames.partial"), -1);
    }
}

static void test_no_rows_and_no_bodies(void **state)
{
    phx_context *context = *state;
    for (int no_bodies = 0; no_bodies < 2; no_bodies++) {
        phx_recorder_def def = example_def("r.h5", NULL);
        phx_recorder *recorder = NULL;
        def.n_bodies = no_bodies ? 0 : def.n_bodies;
        CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
        CHECK_OK(context, example_append(recorder, 0, no_bodies ? 1 : 0));
        CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
        phx_recorder_destroy(recorder);
        for (int k = 0; k < FORMATS; k++)
            REFUSED(context, PHX_ERR_FILE, no_bodies ? "no bodies" : "no rows",
                    formats[k].export(context, "r.h5", "frames", 0));
    }
    assert_false(example_exists("frames") || example_exists("frames.partial"));
}

/* Two files of the same result are the same byte by byte. */
static void test_xdmf_is_reproducible(void **state)
{
    phx_context *context = *state;
    record(context, "r.h5", 5);
    CHECK_OK(context, phx_export_xdmf(context, "r.h5", "a", 0));
    CHECK_OK(context, phx_export_xdmf(context, "r.h5", "b", 0));
    example_same_bytes("a/motion.xmf", "b/motion.xmf");
    example_same_bytes("a/motion.h5", "b/motion.h5");
    assert_int_equal(clear("a"), 2);
    assert_int_equal(clear("b"), 2);
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    record(context, "r.h5", 2);
    for (int k = 0; k < FORMATS; k++) {
        phx_status status = PHX_ERR_MEMORY;
        for (long n = 0; status != PHX_OK; n++) {
            phx_context_fail_allocation(context, n);
            status = formats[k].export(context, "r.h5", "frames", 0);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("format %d, allocation %ld: status %d: %s", k, n, (int)status, phx_context_message(context));
            assert_true(n < 2000);
        }
        assert_int_equal(clear("frames"), formats[k].files + 2 * formats[k].files_per_frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_frame_shows_the_state, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_section_forces, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_frames_are_chosen_evenly, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_nothing_is_overwritten, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_no_rows_and_no_bodies, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_xdmf_is_reproducible, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, example_enter, example_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
