/* Differences of results: norms by closed forms, orders of interpolation, jumps, tolerances, and what cannot be
 * compared. */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "results/compare/timeline.h"

static const double ROUNDING = 4e-15; /* relative */

/* Norms of other − reference, checked against the values expected. */
static void check_norms(phx_context *context, phx_timeline other, phx_timeline reference, phx_norms expected)
{
    phx_norms norms;
    CHECK_OK(context, phx_timeline_subtract(context, &other, &reference, &norms, NULL));
    CHECK_CLOSE(norms.from, expected.from, 0.0, "from");
    CHECK_CLOSE(norms.to, expected.to, 0.0, "to");
    CHECK_CLOSE(norms.largest, expected.largest, ROUNDING * expected.largest, "largest");
    CHECK_CLOSE(norms.at, expected.at, ROUNDING * fabs(expected.at), "at");
    CHECK_CLOSE(norms.rms, expected.rms, ROUNDING * expected.rms, "rms");
    CHECK_CLOSE(norms.end, expected.end, ROUNDING * fabs(expected.end), "end");
}

/* Straight lines: d = t on [0, 2], with other instants in both, and on the part that both have. */
static void test_lines(void **state)
{
    double t_a[] = {0, 1, 2}, zero[] = {0, 0, 0}, t_b[] = {0, 0.5, 2, 3}, line[] = {0, 0.5, 2, 3};
    double back[] = {0, -0.5, -2, -3}, only[] = {2};
    const phx_timeline a = {3, t_a, zero, NULL}, b = {4, t_b, line, NULL}, c = {4, t_b, back, NULL};
    const phx_timeline end = {1, only, only, NULL};
    check_norms(*state, b, a, (phx_norms){0, 2, 2, 2, sqrt(4.0 / 3.0), 2});
    check_norms(*state, c, a, (phx_norms){0, 2, 2, 2, sqrt(4.0 / 3.0), -2});
    check_norms(*state, a, b, (phx_norms){0, 2, 2, 2, sqrt(4.0 / 3.0), -2});
    check_norms(*state, b, b, (phx_norms){0, 3, 0, 0, 0, 0});
    check_norms(*state, end, a, (phx_norms){2, 2, 2, 2, 2, 2}); /* one common instant */
    check_norms(*state, a, end, (phx_norms){2, 2, 2, 2, 2, -2});
}

/* Cubics: with its derivative a cubic is met between the rows, and the largest of d = t (1 − t) lies there. */
static void test_cubics(void **state)
{
    double t[] = {0, 1}, zero[] = {0, 0}, slope[] = {1, -1}, cube[] = {0, 1}, cube_slope[] = {0, 3};
    double fine[] = {0, 0.25, 0.5, 1}, fine_cube[] = {0, 0.015625, 0.125, 1};
    const phx_timeline flat = {2, t, zero, NULL}, hill = {2, t, zero, slope};
    check_norms(*state, hill, flat, (phx_norms){0, 1, 0.25, 0.5, sqrt(1.0 / 30.0), 0});
    check_norms(*state, flat, hill, (phx_norms){0, 1, 0.25, 0.5, sqrt(1.0 / 30.0), 0});

    double fine_slope[] = {0, 0.1875, 0.75, 3};
    const phx_timeline coarse_cubic = {2, t, cube, cube_slope}, fine_cubic = {4, fine, fine_cube, fine_slope};
    check_norms(*state, fine_cubic, coarse_cubic, (phx_norms){0, 1, 0, 0, 0, 0});
}

/* The largest difference between sin t at steps h and at steps much finer: h²/8, or h⁴/384 with the derivative. */
static double sine_difference(phx_context *context, int rows, bool with_rate)
{
    enum { FINE = 3200 };
    static double t[2][FINE + 1], y[2][FINE + 1], rate[2][FINE + 1];
    const int counts[] = {rows, FINE};
    phx_timeline lines[2];
    phx_norms norms;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i <= counts[k]; i++) {
            t[k][i] = 3.0 * i / counts[k];
            y[k][i] = sin(t[k][i]);
            rate[k][i] = cos(t[k][i]);
        }
        lines[k] = (phx_timeline){(size_t)counts[k] + 1, t[k], y[k], with_rate ? rate[k] : NULL};
    }
    CHECK_OK(context, phx_timeline_subtract(context, &lines[0], &lines[1], &norms, NULL));
    return norms.largest;
}

static void test_orders(void **state)
{
    const double h = 3.0 / 50.0;
    CHECK_RELATIVE(sine_difference(*state, 50, false), h * h / 8.0, 2e-3, "straight lines");
    CHECK_RELATIVE(sine_difference(*state, 50, true), h * h * h * h / 384.0, 2e-3, "cubics");
    CHECK_CLOSE(sine_difference(*state, 50, true) / sine_difference(*state, 100, true), 16.0, 0.1, "order 4");
    CHECK_CLOSE(sine_difference(*state, 50, false) / sine_difference(*state, 100, false), 4.0, 0.02, "order 2");
}

/* A jump from 0 to 1 is never interpolated across: it is the same jump where its times differ by rounding, and a pulse
 * of height 1 where they differ. */
static void test_jumps(void **state)
{
    double t[] = {0, 1, 1, 2}, y[] = {0, 0, 1, 1}, near[] = {0, 1 + 4e-16, 1 + 4e-16, 2}, late[] = {0, 1.25, 1.25, 2};
    double even[] = {0, 0.3, 2}, zero[] = {0, 0, 0}, at_end[] = {0, 2, 2}, up[] = {0, 0, 1}, thrice[] = {0, 1, 1, 1, 2};
    double middle[] = {0, 0, 7, 1, 1};
    const phx_timeline jump = {4, t, y, NULL}, same = {4, near, y, NULL}, later = {4, late, y, NULL};
    const phx_timeline flat = {3, even, zero, NULL}, last = {3, at_end, up, NULL}, three = {5, thrice, middle, NULL};
    check_norms(*state, same, jump, (phx_norms){0, 2, 0, 0, 0, 0});
    check_norms(*state, jump, same, (phx_norms){0, 2, 0, 0, 0, 0});
    check_norms(*state, later, jump, (phx_norms){0, 2, 1, 1, sqrt(0.125), 0});
    check_norms(*state, jump, flat, (phx_norms){0, 2, 1, 1, sqrt(0.5), 1});
    check_norms(*state, last, flat, (phx_norms){0, 2, 1, 2, 0, 1});
    check_norms(*state, three, jump, (phx_norms){0, 2, 0, 0, 0, 0}); /* of rows at one time the outer ones count */
}

/* The difference as a curve has both values at a jump. */
static void test_difference(void **state)
{
    double t[] = {0, 1, 1, 2}, y[] = {0, 0, 1, 1}, ends[] = {0, 2}, zero[] = {0, 0};
    const phx_timeline jump = {4, t, y, NULL}, flat = {2, ends, zero, NULL};
    phx_timeline difference;
    phx_norms norms;
    CHECK_OK(*state, phx_timeline_subtract(*state, &jump, &flat, &norms, &difference));
    assert_int_equal(difference.rows, 4);
    assert_memory_equal(difference.t, t, sizeof t);
    assert_memory_equal(difference.y, y, sizeof y);
    phx_timeline_free(&difference);
}

/* ---- files ---- */

/* A result with the columns t, energy and y with a unit: y = t + shift. */
static void write_result(phx_context *context, const char *path, const char *name, const char *unit, double from,
                         double shift)
{
    const phx_record_column columns[] = {{"t", "s"}, {"energy", "J"}, {name, unit}};
    phx_recorder_def def = phx_recorder_def_default();
    phx_recorder *recorder;
    def.h5_path = path;
    def.dimension = 2;
    def.n_columns = 3;
    def.columns = columns;
    def.model_text = "";
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    for (int i = 0; i <= 4; i++)
        CHECK_OK(context, phx_recorder_append(recorder, (double[]){from + i / 4.0, 1.0, i / 4.0 + shift}, NULL, NULL));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

/* Compares a.h5 with another file by one tolerance, in a table as csv. */
static phx_status compare_with(phx_context *context, const char *other, phx_tolerance tolerance, const char *outputs,
                               int *above)
{
    phx_compare_options options = {
        .sources = phx_plot_options_default(), .n_tolerances = 1, .tolerances = &tolerance, .format = "csv"};
    options.sources.n_others = 1;
    options.sources.others = &other;
    options.sources.n_columns = outputs != NULL;
    options.sources.columns = &outputs;
    int rows;
    return phx_compare(context, "a.h5", &options, "table.csv", &rows, above);
}

static phx_status compare_measured(phx_context *context, const char *measured, const char *map)
{
    phx_compare_options options = {.sources = phx_plot_options_default(), .format = "csv"};
    int rows, above;
    options.sources.measured = measured;
    options.sources.n_maps = 1;
    options.sources.maps = &map;
    return phx_compare(context, "a.h5", &options, "table.csv", &rows, &above);
}

/* A shift of 1/2 at a range of 1: the edge is within, relative and absolute. */
static void test_tolerance(void **state)
{
    int above;
    write_result(*state, "a.h5", "y", "m", 0, 0);
    write_result(*state, "b.h5", "y", "m", 0, 0.5);
    const struct {
        double value;
        const char *unit;
        bool fits;
    } cases[] = {{0.5, "", true}, {0.4999999, "", false}, {0.5, "m", true}, {0.4999999, "m", false}, {0, "", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK_OK(*state, compare_with(*state, "b.h5", (phx_tolerance){cases[k].value, cases[k].unit}, NULL, &above));
        assert_int_equal(above, !cases[k].fits);
    }
    CHECK_OK(*state, compare_with(*state, "a.h5", (phx_tolerance){0, ""}, NULL, &above));
    assert_int_equal(above, 0);
    REFUSED(*state, PHX_ERR_INPUT, "the tolerance is in 'kg'",
            compare_with(*state, "b.h5", (phx_tolerance){1, "kg"}, NULL, &above));
}

static void test_table(void **state)
{
    int above;
    size_t size;
    write_result(*state, "a.h5", "y", "m", 0, 0);
    write_result(*state, "b.h5", "y", "m", 0, 0.5);
    CHECK_OK(*state, compare_with(*state, "b.h5", (phx_tolerance){0.25, ""}, NULL, &above));
    char *text = example_bytes("table.csv", &size);
    assert_string_equal(text, "file,output,unit,from,to,range,largest,largest_share,largest_at,rms,rms_share,end,"
                              "tolerance,above\nb.h5,y,m,0,1,1,0.5,0.5,0,0.5,0.5,0.5,0.25,1\n");
    free(text);
    CHECK_OK(*state, compare_with(*state, "b.h5", (phx_tolerance){0.25, ""}, "energy", &above));
    assert_int_equal(above, 0); /* constant and equal: no range, no difference */
}

static void test_refused(void **state)
{
    int above;
    const phx_tolerance none = {0, ""};
    write_result(*state, "a.h5", "y", "m", 0, 0);
    write_result(*state, "angle.h5", "y", "rad", 0, 0);
    write_result(*state, "other.h5", "z", "m", 0, 0);
    write_result(*state, "later.h5", "y", "m", 2, 0);
    example_write("back.csv", "t,y\n0,1\n2,1\n1,1\n");
    unlink("table.csv");
    REFUSED(*state, PHX_ERR_INPUT, "y is in m in a.h5 and in rad in angle.h5",
            compare_with(*state, "angle.h5", none, NULL, &above));
    REFUSED(*state, PHX_ERR_INPUT, "no common outputs", compare_with(*state, "other.h5", none, NULL, &above));
    REFUSED(*state, PHX_ERR_INPUT, "other.h5: it has no column 'y'",
            compare_with(*state, "other.h5", none, "y", &above));
    REFUSED(*state, PHX_ERR_INPUT, "0 to 1 s, and of later.h5, 2 to 3 s, do not overlap",
            compare_with(*state, "later.h5", none, NULL, &above));
    REFUSED(*state, PHX_ERR_INPUT, "row 3 has 1 s behind 2 s", compare_with(*state, "back.csv", none, NULL, &above));
    REFUSED(*state, PHX_ERR_FILE, "missing.h5", compare_with(*state, "missing.h5", none, NULL, &above));
    assert_false(example_exists("table.csv") || example_exists("table.csv.partial"));
}

/* A measurement of another program: decimal commas, a last line without an end, a column shifted by 1/4, words. */
static void test_measured(void **state)
{
    size_t size;
    write_result(*state, "a.h5", "y", "m", 0, 0);
    example_write("measured.csv", "time;note;place\n0;begin;0,25\n0,5;;0,75\n1;end;1,25");
    CHECK_OK(*state, compare_measured(*state, "measured.csv", "place=y"));
    char *text = example_bytes("table.csv", &size);
    assert_non_null(strstr(text, "\nmeasured.csv,y,m,0,1,1,0.25,0.25,0,0.25,0.25,0.25,,0\n"));
    free(text);
    unlink("table.csv");
    REFUSED(*state, PHX_ERR_FILE, "measured.csv:2: expected a finite number in column 2, found 'begin'",
            compare_measured(*state, "measured.csv", "note=y"));
    REFUSED(*state, PHX_ERR_FILE, "no column 'plaice'; did you mean 'place'?",
            compare_measured(*state, "measured.csv", "plaice=y"));
    REFUSED(*state, PHX_ERR_INPUT, "'time' is the first column, which is time",
            compare_measured(*state, "measured.csv", "time=y"));
    REFUSED(*state, PHX_ERR_INPUT, "a.h5: it has no column 'x'", compare_measured(*state, "measured.csv", "place=x"));
    REFUSED(*state, PHX_ERR_INPUT, "expected COLUMN=OUTPUT, found 'place'",
            compare_measured(*state, "measured.csv", "place"));
    assert_false(example_exists("table.csv") || example_exists("table.csv.partial"));
}

static void test_every_allocation_may_fail(void **state)
{
    const char *const others[] = {"a.h5"}, *const maps[] = {"place=y"}, *const names[] = {"y"};
    const phx_tolerance tolerance = {1, "m"};
    phx_status status = PHX_ERR_MEMORY;
    int rows, above;
    write_result(*state, "a.h5", "y", "m", 0, 0);
    example_write("measured.csv", "time,place\n0,0\n1,1\n");
    for (int k = 0; k < 4; k++) {
        phx_compare_options options = {.sources = phx_plot_options_default(),
                                       .n_tolerances = 1,
                                       .tolerances = &tolerance,
                                       .format = k % 2 ? "json" : "text"};
        options.sources.n_others = options.sources.n_maps = 1;
        options.sources.others = others;
        options.sources.measured = "measured.csv";
        options.sources.maps = maps;
        options.sources.n_columns = k / 2;
        options.sources.columns = names;
        status = PHX_ERR_MEMORY;
        for (long n = 0; status != PHX_OK; n++) {
            phx_context_fail_allocation(*state, n);
            status = phx_compare(*state, "a.h5", &options, "table.txt", &rows, &above);
            phx_context_fail_allocation(*state, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("allocation %ld: status %d: %s", n, (int)status, phx_context_message(*state));
            assert_true(n < 5000);
        }
        assert_int_equal(rows, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lines, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_cubics, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_orders, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_jumps, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_difference, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_tolerance, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_table, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_refused, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_measured, example_enter, example_leave),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, example_enter, example_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
