/* Reports with a page of the test: everything in the result comes back from the page to single precision; long results
 * are thinned; texts of any kind; results without rows or bodies; failures leave nothing. */
#define _XOPEN_SOURCE 700
#include "scene_example.h"
#include "report_page.h"

static const char page_html[] = "<!doctype html>\n<p>before</p>\n<!--phlexor-data-->\n<p>behind</p>\n";
enum { SINGLE = 24 };

static phx_report_options with_page(void)
{
    return (phx_report_options){.page = page_html, .source = "a \"source\".h5"};
}

static phx_result *make_result(phx_context *context, size_t rows, const char *reason, bool with_scene)
{
    const phx_scene scene = example_scene();
    phx_recorder_def def = example_def("a.h5", NULL);
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;
    def.scene = with_scene ? &scene : NULL;
    def.model_name = "</script><!-- \"größe\" \\ \x01\x7f \xff";
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, rows));
    if (reason)
        CHECK_OK(context, phx_recorder_abandon(recorder, reason));
    else
        CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_result_read(context, reason ? "a.h5.partial" : "a.h5", &result));
    return result;
}

/* to single precision */
static void same(double got, double wanted, const char *what, size_t i)
{
    const double limit = fmax(-(double)3.402823466e38f, fmin((double)3.402823466e38f, wanted));
    CHECK_CLOSE(got, limit, ldexp(fabs(limit), -SINGLE) + 1e-44, "%s, entry %zu", what, i);
}

static void check_motion(const report_page *page, size_t rows)
{
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
    for (size_t row = 0; row < rows; row++) {
        example_row(row, columns, x, v);
        assert_true(page_value(page, "/frames/time", row) == columns[0]);
        for (int b = 0; b < EXAMPLE_BODIES; b++) {
            const size_t at = row * 7 * EXAMPLE_BODIES + 7 * (size_t)b;
            const double *own = x + example_bodies[b].x_start;
            same(page_value(page, "/frames/pose", at), own[0], "x", row);
            same(page_value(page, "/frames/pose", at + 1), own[1], "y", row);
            same(page_value(page, "/frames/pose", at + 2), 0.0, "z", row);
            same(page_value(page, "/frames/pose", at + 3), cos(0.5 * own[4]), "w", row);
            same(page_value(page, "/frames/pose", at + 6), sin(0.5 * own[4]), "turn about z", row);
        }
        same(page_value(page, "/frames/q", 2 * row), x[10], "q", row);
        same(page_value(page, "/frames/q", 2 * row + 1), x[11], "q", row);
        same(page_value(page, "/columns/groups/3/columns/0/data", row), columns[1], "energy", row);
        same(page_value(page, "/columns/groups/4/columns/0/data", row), columns[2], "residual", row);
        same(page_value(page, "/columns/groups/2/columns/0/data", row), columns[5], "drift", row);
    }
}

static void everything_comes_back(void **state)
{
    phx_context *context = *state;
    phx_result *result = make_result(context, 50, NULL, true);
    phx_report_options options = with_page();
    const phx_report_item items[] = {{.name = "number", .value = 0.1, .unit = "J", .good = 1, .meaning = "a"},
                                     {.name = "none", .value = NAN, .good = 0, .meaning = "b"},
                                     {.name = "text", .text = "t</script>", .good = -1, .meaning = "c"}};
    phx_report_size size;

    options.n_certificate = 3;
    options.certificate = items;
    CHECK_OK(context, phx_report_result(context, result, &options, "a.html", &size));
    report_page page = page_read("a.html");
    assert_int_equal(size.bytes, page.html_size);
    assert_int_equal(size.frames, 50);
    assert_memory_equal(page.html, page_html, 30);
    assert_non_null(strstr(page.html, "</script>\n<p>behind</p>\n"));
    page_says(&page, "/kind", "simulation");
    page_says(&page, "/status", "complete");
    page_says(&page, "/title", "</script><!-- \"größe\" \\ \x01\x7f \xEF\xBF\xBD");
    page_says(&page, "/source", "a \"source\".h5");
    page_says(&page, "/joints/1/name", "knee</script>");
    page_says(&page, "/joints/0/a/body", "-1");
    page_says(&page, "/joints/1/a/port", "0");
    page_says(&page, "/certificate/0/good", "true");
    page_says(&page, "/certificate/1/value", "null");
    page_says(&page, "/certificate/2/good", "null");
    assert_true(page_number(&page, "/certificate/0/value") == 0.1);
    assert_true(page_number(&page, "/gravity/1") == -9.81);
    for (size_t i = 0; i < 3; i++)
        same(page_value(&page, "/bodies/1/points", 3 * i), example_beam_points[2 * i], "points", i);
    for (size_t i = 0; i < 6; i++) { /* point i/2, coordinate i%2: x, y, z */
        same(page_value(&page, "/bodies/1/shapes", i / 2 * 6 + i % 2), example_beam_shapes[i / 2 * 4 + i % 2], "x", i);
        same(page_value(&page, "/bodies/1/shapes", i / 2 * 6 + 2 + i % 2), example_beam_shapes[i / 2 * 4 + 2 + i % 2],
             "y", i);
        same(page_value(&page, "/bodies/1/shapes", i / 2 * 6 + 4 + i % 2), 0.0, "z", i);
    }
    for (size_t i = 0; i < 6; i++)
        same(page_value(&page, "/bodies/1/section/0/map", i), maps[i], "map", i);
    same(page_value(&page, "/bodies/1/ports/0/shape", 2), port_shapes[2], "shape of a port", 2);
    assert_true(page_value(&page, "/bodies/1/lines", 3) == 2.0);
    check_motion(&page, 50);
    page_free(&page);
    phx_result_destroy(result);
}

/* The page stays below 20 MB, with the ends and the extremes of every column. */
static void long_results_are_thinned(void **state)
{
    const size_t rows = 200000;
    phx_context *context = *state;
    phx_result *result = make_result(context, rows, NULL, true);
    const phx_report_options options = with_page();
    phx_report_size size;
    double last, *values = malloc(rows * sizeof *values), least = HUGE_VAL, most = -HUGE_VAL;

    CHECK_OK(context, phx_report_result(context, result, &options, "a.html", &size));
    report_page page = page_read("a.html");
    if (!(page.html_size < 20000000 && page.html_size > 8000000))
        fail_msg("the page has %zu bytes", page.html_size);
    assert_true(size.frames < rows && size.frames > 10000 && size.points < rows && size.points > 10000);
    CHECK_OK(context, phx_result_column(result, 0, rows - 1, 1, &last));
    assert_true(page_value(&page, "/frames/time", 0) == 0.0);
    assert_true(page_value(&page, "/frames/time", size.frames - 1) == last);
    assert_true(page_value(&page, "/columns/time", 0) == 0.0);
    assert_true(page_value(&page, "/columns/time", size.points - 1) == last);
    CHECK_OK(context, phx_result_column(result, 3, 0, rows, values));
    for (size_t i = 0; i < rows; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    double shown_least = HUGE_VAL, shown_most = -HUGE_VAL, before = -1.0;
    for (size_t i = 0; i < size.points; i += 7) {
        const double t = page_value(&page, "/columns/time", i);
        if (!(t > before))
            fail_msg("the times do not ascend: %.17g behind %.17g", t, before);
        before = t;
    }
    const size_t at = (size_t)page_number(&page, "/columns/groups/0/columns/0/data/at");
    for (size_t i = 0; i < size.points; i++) {
        float value;
        memcpy(&value, page.bytes + at + 4 * i, sizeof value);
        shown_least = fmin(shown_least, (double)value);
        shown_most = fmax(shown_most, (double)value);
    }
    same(shown_least, least, "least", 0);
    same(shown_most, most, "greatest", 0);
    free(values);
    page_free(&page);

    /* two of them share the page */
    const char *const others[] = {"a.h5"};
    phx_report_options both = options;
    both.n_others = 1;
    both.others = others;
    CHECK_OK(context, phx_report_result(context, result, &both, "a.html", &size));
    page = page_read("a.html");
    if (!(page.html_size < 20000000 && page.html_size > 8000000))
        fail_msg("the page of two results has %zu bytes", page.html_size);
    assert_true(page_value(&page, "/frames/time", size.frames - 1) == last);
    const size_t theirs = (size_t)page_number(&page, "/others/0/frames/count");
    assert_true(theirs > 5000 && page_value(&page, "/others/0/frames/time", theirs - 1) == last);
    page_free(&page);
    phx_result_destroy(result);
}

/* b.h5: 20 rows of the example, the energy a quarter larger. */
static void write_other(phx_context *context)
{
    phx_recorder_def def = example_def("b.h5", NULL);
    phx_recorder *recorder = NULL;
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    for (size_t row = 0; row < 20; row++) {
        example_row(row, columns, x, v);
        columns[1] += 0.25;
        CHECK_OK(context, phx_recorder_append(recorder, columns, x, v));
    }
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

/* Another result comes back beside the first, with the differences of its columns. */
static void others_come_back(void **state)
{
    phx_context *context = *state;
    phx_result *result = make_result(context, 50, NULL, true);
    const char *const others[] = {"./b.h5", "./a.h5"}, *const missing[] = {"missing.h5"};
    double columns[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
    phx_report_options options = with_page();
    write_other(context);
    options.source = "a.h5";
    options.n_others = 2;
    options.others = others;
    CHECK_OK(context, phx_report_result(context, result, &options, "a.html", NULL));
    report_page page = page_read("a.html");
    check_motion(&page, 50);
    page_says(&page, "/others/0/source", "b.h5");
    page_says(&page, "/others/0/title", "crank_slider.yaml");
    page_says(&page, "/others/1/source", "./a.h5"); /* not to be taken for the first */
    assert_int_equal((int)page_number(&page, "/others/0/frames/count"), 20);
    example_row(19, columns, x, v);
    same(page_value(&page, "/others/0/frames/pose", 19 * 7 * EXAMPLE_BODIES + 7), x[5], "x of body 1 of the other", 19);
    same(page_value(&page, "/others/0/columns/groups/3/columns/0/data", 19), columns[1] + 0.25, "its energy", 19);
    CHECK_CLOSE(page_number(&page, "/others/0/columns/groups/3/columns/0/difference/largest"), 0.25, 1e-15, "largest");
    CHECK_CLOSE(page_number(&page, "/others/0/columns/groups/3/columns/0/difference/rms"), 0.25, 1e-15, "rms");
    assert_true(page_number(&page, "/others/0/columns/groups/4/columns/0/difference/largest") == 0.0);
    assert_true(page_number(&page, "/others/1/columns/groups/3/columns/0/difference/largest") == 0.0);
    page_free(&page);

    options.n_others = 1;
    options.others = missing;
    REFUSED(context, PHX_ERR_FILE, "missing.h5", phx_report_result(context, result, &options, "new.html", NULL));
    options.others = others;
    REFUSED(context, PHX_ERR_INPUT, "b.h5", phx_report_result(context, result, &options, "b.h5", NULL));
    const phx_modes_table table = {.model_name = "m", .dimension = 2};
    REFUSED(context, PHX_ERR_INPUT, "only results of simulations",
            phx_report_modes(context, &table, &options, "new.html", NULL));
    assert_false(example_exists("new.html") || example_exists("new.html.partial"));
    phx_result_destroy(result);
}

static void few_rows(void **state)
{
    phx_context *context = *state;
    const phx_report_options options = with_page();
    for (size_t rows = 0; rows < 6; rows++) {
        phx_result *result = make_result(context, rows, NULL, rows % 2);
        CHECK_OK(context, phx_report_result(context, result, &options, "a.html", NULL));
        report_page page = page_read("a.html");
        assert_int_equal((int)page_number(&page, "/frames/count"), (int)rows);
        check_motion(&page, rows);
        page_free(&page);
        phx_result_destroy(result);
    }
}

static void partial_results_say_why(void **state)
{
    phx_context *context = *state;
    phx_result *result = make_result(context, 9, "stopped at t = 1 s", true);
    const phx_report_options options = with_page();
    CHECK_OK(context, phx_report_result(context, result, &options, "a.html", NULL));
    report_page page = page_read("a.html");
    page_says(&page, "/status", "partial");
    page_says(&page, "/reason", "stopped at t = 1 s");
    page_free(&page);
    phx_result_destroy(result);
}

/* A table of modes without bodies. */
static phx_modes_table modes_table(int n_rows, const phx_mode_row *rows, int n_points, const double *shapes)
{
    static const char *const names[EXAMPLE_V] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    return (phx_modes_table){.model_name = "m",
                             .n_points = n_points,
                             .n_rows = n_rows,
                             .rows = rows,
                             .n_coordinates = EXAMPLE_V,
                             .coordinates = names,
                             .shapes = shapes};
}

static void add_bodies(const phx_scene *scene, int n_states, const double *states, phx_modes_table *table)
{
    table->dimension = 2;
    table->n_bodies = EXAMPLE_BODIES;
    table->bodies = example_bodies;
    table->scene = scene;
    table->n_x = EXAMPLE_X;
    table->n_states = n_states;
    table->states = states;
}

/* Tables of modes: without bodies, as older files are; with a crank and a coupler, scaled. */
static void modes(void **state)
{
    phx_context *context = *state;
    const phx_report_options options = with_page();
    const phx_mode_row rows[] = {{0, 1, 1, 2.0, 0.3, 0.01}, {1, 1, 1, 3.0, 0.5, 0.0}};
    const char *parameter = "k";
    const double values[2] = {1.0, 2.0};
    const double shapes[2 * EXAMPLE_V] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0};
    const phx_scene scene = example_scene();
    double columns[EXAMPLE_COLUMNS], states[2 * EXAMPLE_X], v[EXAMPLE_V];
    phx_modes_table table = modes_table(2, rows, 2, shapes);

    table.n_parameters = 1;
    table.parameters = &parameter;
    table.values = values;
    CHECK_OK(context, phx_report_modes(context, &table, &options, "a.html", NULL));
    report_page page = page_read("a.html");
    page_says(&page, "/kind", "modes");
    page_says(&page, "/frames/count", "0");
    assert_null(page_text(&page, "/modes/rows/0/shape/at"));
    page_free(&page);

    example_row(0, columns, states, v);
    example_row(70, columns, states + EXAMPLE_X, v);
    add_bodies(&scene, 2, states, &table);
    CHECK_OK(context, phx_report_modes(context, &table, &options, "a.html", NULL));
    page = page_read("a.html");
    assert_int_equal((int)page_number(&page, "/modes/points/1/frame"), 1);
    /* the crank turns: its end, 0.15 m away, moves 1 m */
    same(page_value(&page, "/modes/rows/0/shape", 5), 1.0 / 0.15, "turn of the crank", 5);
    /* the coupler bends in a coordinate that moves its middle by 0.5 along its axis, its end by 1 */
    same(page_value(&page, "/modes/rows/1/shape", 12), 1.0 / example_beam_shapes[8], "deformation", 12);
    page_free(&page);
}

/* A sweep with more shapes than fit: those of some points. */
static void long_sweeps_are_thinned(void **state)
{
    enum { POINTS = 2500, EACH = 40 };
    phx_context *context = *state;
    phx_report_options options = with_page();
    const phx_scene scene = example_scene();
    const size_t rows = (size_t)POINTS * EACH;
    phx_mode_row *list = calloc(rows, sizeof *list);
    double columns[EXAMPLE_COLUMNS], state0[EXAMPLE_X], v[EXAMPLE_V],
        *shapes = calloc(rows * EXAMPLE_V, sizeof *shapes);
    phx_modes_table table = modes_table((int)rows, list, POINTS, shapes);
    phx_record_body longer[EXAMPLE_BODIES];
    phx_report_bodies *points = calloc(POINTS, sizeof *points);
    phx_report_size size;

    assert_true(list && shapes && points);
    memcpy(longer, example_bodies, sizeof longer);
    longer[1].points = (const double[6]){0, 0, 0.2, 0, 0.4, 0};
    for (int p = 1; p < POINTS; p++)
        points[p] = (phx_report_bodies){.bodies = longer, .scene = &scene};
    options.n_points = POINTS;
    options.points = points;
    table.shapes_imaginary = shapes;
    add_bodies(&scene, 1, state0, &table);
    example_row(3, columns, state0, v);
    for (size_t i = 0; i < rows; i++) {
        list[i] = (phx_mode_row){.point = (int)(i / EACH), .mode = (int)(i % EACH) + 1, .branch = 1, .omega = 1.0};
        shapes[i * EXAMPLE_V + i % EXAMPLE_V] = 1.0 + (double)i;
    }
    CHECK_OK(context, phx_report_modes(context, &table, &options, "a.html", &size));
    assert_true(size.bytes < 20000000);
    report_page page = page_read("a.html");
    assert_true(page_number(&page, "/modes/rows/0/shape/count") == 14);
    assert_null(page_text(&page, "/modes/rows/40/shape/count")); /* of the second point */
    page_says(&page, "/summary/2/name", "mode shapes");
    /* and the bodies of these points: another coupler, the crank as it was */
    int every = 1;
    char path[100];
    for (bool shown = false; !shown; every *= shown ? 1 : 2) {
        snprintf(path, sizeof path, "/modes/rows/%d/shape/count", every * EACH);
        char *count = page_text(&page, path);
        shown = count != NULL;
        free(count);
    }
    assert_null(page_text(&page, "/modes/points/0/bodies"));
    page_says(&page, "/modes/points/1/bodies", "0");
    snprintf(path, sizeof path, "/modes/points/%d/bodies", every + 1);
    assert_true(page_number(&page, path) == every);
    snprintf(path, sizeof path, "/modes/points/%d/bodies/0", every);
    page_says(&page, path, "null");
    snprintf(path, sizeof path, "/modes/points/%d/bodies/1/points", every);
    same(page_value(&page, path, 3), 0.2, "x of the middle", 0);
    same(page_value(&page, path, 6), 0.4, "x of the end", 0);
    same(page_value(&page, "/bodies/1/points", 6), 0.3, "x of the end at the first point", 0);
    page_free(&page);
    free(points);
    free(list);
    free(shapes);
}

/* Thirty dampers: the page shows those that take most, whatever their place. */
static void many_parts(void **state)
{
    enum { PARTS = 30 };
    phx_context *context = *state;
    const phx_report_options options = with_page();
    phx_record_column list[] = {{"t", "s"}, {"supplied", "J"}, {"dissipated", "J"}};
    phx_record_entry entries[PARTS + 1] = {{"load.push", false}};
    char names[PARTS][20];
    phx_recorder_def def = phx_recorder_def_default();
    phx_recorder *recorder = NULL;
    phx_result *result = NULL;

    for (int k = 0; k < PARTS; k++) {
        snprintf(names[k], sizeof names[k], "joint.%d", k);
        entries[k + 1] = (phx_record_entry){names[k], true};
    }
    def.h5_path = "a.h5";
    def.n_columns = 3;
    def.columns = list;
    def.n_ledger = PARTS + 1;
    def.ledger = entries;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    for (int row = 0; row < 5; row++) {
        double values[3 + PARTS + 1] = {row, 2.0 * row, 0.0, 2.0 * row};
        for (int k = 0; k < PARTS; k++) /* the later the more */
            values[2] += values[4 + k] = 0.5 * k * row;
        CHECK_OK(context, phx_recorder_append(recorder, values, NULL, NULL));
    }
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_result_read(context, "a.h5", &result));
    CHECK_OK(context, phx_report_result(context, result, &options, "a.html", NULL));
    report_page page = page_read("a.html");
    page_says(&page, "/columns/groups/1/title", "Work supplied, by part");
    page_says(&page, "/columns/groups/1/columns/0/name", "load.push");
    page_says(&page, "/columns/groups/2/title", "Work taken, the 24 largest of 30 parts");
    page_says(&page, "/columns/groups/2/columns/0/name", "joint.6");
    page_says(&page, "/columns/groups/2/columns/23/name", "joint.29");
    assert_null(page_text(&page, "/columns/groups/2/columns/24/name"));
    same(page_value(&page, "/columns/groups/2/columns/23/data", 4), 58.0, "work", 4);
    page_free(&page);
    phx_result_destroy(result);
}

static bool refuse_progress(void *user, const char *what, double done, double total)
{
    (void)user, (void)what, (void)total;
    return done < 100.0;
}

static void interrupted(void **state)
{
    phx_context *context = *state;
    phx_result *result = make_result(context, 300, NULL, true);
    const phx_report_options options = with_page();
    phx_context_set_progress(context, refuse_progress, NULL);
    CHECK_STATUS(context, phx_report_result(context, result, &options, "a.html", NULL), PHX_INTERRUPTED);
    phx_context_set_progress(context, NULL, NULL);
    assert_false(example_exists("a.html") || example_exists("a.html.partial"));
    phx_result_destroy(result);
}

static void refused(void **state)
{
    phx_context *context = *state;
    phx_result *result = make_result(context, 3, NULL, true);
    phx_report_options options = with_page();
    options.page = "<html></html>";
    REFUSED(context, PHX_ERR_ARGUMENT, "phlexor-data", phx_report_result(context, result, &options, "b.html", NULL));
    options = with_page();
    REFUSED(context, PHX_ERR_FILE, "absent", phx_report_result(context, result, &options, "absent/b.html", NULL));
    assert_false(example_exists("b.html") || example_exists("b.html.partial"));
    phx_result_destroy(result);
}

/* Whichever allocation fails, the page that was there stays, and nothing is left half-written. */
static void no_memory(void **state)
{
    phx_context *context = *state;
    phx_result *result = make_result(context, 3, NULL, true);
    const char *const others[] = {"b.h5"};
    phx_report_options options = with_page();
    phx_status status = PHX_ERR_MEMORY;
    write_other(context);
    options.n_others = 1;
    options.others = others;
    example_write("a.html", "older");
    for (long n = 0; status; n++) {
        phx_context_fail_allocation(context, n);
        status = phx_report_result(context, result, &options, "a.html", NULL);
        phx_context_fail_allocation(context, -1);
        if (status) {
            CHECK_STATUS(context, status, PHX_ERR_MEMORY);
            size_t bytes;
            char *left = example_bytes("a.html", &bytes);
            assert_string_equal(left, "older");
            free(left);
            assert_false(example_exists("a.html.partial"));
        }
        assert_true(n < 3000);
    }
    phx_result_destroy(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_comes_back, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(long_results_are_thinned, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(others_come_back, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(few_rows, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(partial_results_say_why, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(modes, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(long_sweeps_are_thinned, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(many_parts, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(interrupted, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(refused, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(no_memory, example_enter, example_leave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
