/* Pictures: well-formed, inside the page, small however many rows there are, and showing the extremes. */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "results/plot/plot.h"

#include <ctype.h>

/* ---- a strict reader of the XML that pictures are made of: elements, quoted attributes, five entities ---- */

enum { DEPTH = 16, NAME = 32 };

static void malformed(const char *text, const char *place, const char *what)
{
    const int length = (int)strcspn(place, "\n");
    long line = 1;
    for (const char *c = text; c < place; c++)
        line += *c == '\n';
    fail_msg("line %ld of the picture: %s: %.*s", line, what, length < 80 ? length : 80, place);
}

/* Text up to one of the characters `end`; every & starts an entity, < and > do not stand alone. */
static const char *skip_text(const char *text, const char *place, const char *end)
{
    for (; *place && !strchr(end, *place); place++) {
        if (*place == '&' && strncmp(place, "&lt;", 4) != 0 && strncmp(place, "&gt;", 4) != 0 &&
            strncmp(place, "&amp;", 5) != 0 && strncmp(place, "&quot;", 6) != 0)
            malformed(text, place, "a wrong entity");
        if (*place == '>' || *place == '<')
            malformed(text, place, "a stray < or >");
    }
    return place;
}

static const char *read_name(const char *text, const char *place, char name[NAME])
{
    size_t length = 0;
    while ((isalnum((unsigned char)*place) || strchr("-_:", *place)) && *place && length + 1 < NAME)
        name[length++] = *place++;
    name[length] = '\0';
    if (length == 0)
        malformed(text, place, "no name");
    return place;
}

/* Numbers of elements called "path" and "g" are counted. */
typedef struct xml_counts {
    int paths, groups, circles;
} xml_counts;

static xml_counts check_xml(const char *text)
{
    char open[DEPTH][NAME];
    int depth = 0, roots = 0;
    xml_counts counts = {0, 0, 0};
    const char *place = strstr(text, "?>");
    assert_memory_equal(text, "<?xml version=\"1.0\"", 19);
    for (place += 2; *place;) {
        char name[NAME], attribute[NAME];
        place = skip_text(text, place, "<");
        if (!*place)
            break;
        const bool closing = place[1] == '/';
        place = read_name(text, place + 1 + closing, name);
        if (closing) {
            if (depth == 0 || strcmp(open[depth - 1], name) != 0 || *place != '>')
                malformed(text, place, "a wrong closing tag");
            depth--;
            place++;
            continue;
        }
        while (*place == ' ') {
            place = read_name(text, place + 1, attribute);
            if (place[0] != '=' || place[1] != '"')
                malformed(text, place, "an attribute without a quoted value");
            place = skip_text(text, place + 2, "\"") + 1;
        }
        counts.paths += strcmp(name, "path") == 0;
        counts.groups += strcmp(name, "g") == 0;
        counts.circles += strcmp(name, "circle") == 0;
        roots += depth == 0;
        if (place[0] == '>' && depth < DEPTH)
            memcpy(open[depth++], name, NAME);
        else if (place[0] != '/' || place[1] != '>')
            malformed(text, place, "a tag that does not end");
        place += place[0] == '/' ? 2 : 1;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
    return counts;
}

/* Every point of every path lies on the page. */
static void check_on_page(const char *text)
{
    double width, height;
    assert_int_equal(sscanf(strstr(text, "<svg"),
                            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lf\" height=\"%lf\"", &width, &height),
                     2);
    for (const char *path = strstr(text, " d=\""); path; path = strstr(path, " d=\"")) {
        for (path += 4; *path != '"'; path++) {
            double x, y;
            if (*path != 'M' && *path != 'L')
                continue;
            if (sscanf(path + 1, "%lf %lf", &x, &y) != 2 || !(x >= 0.0 && x <= width && y >= 0.0 && y <= height))
                malformed(text, path, "a point outside the page");
        }
    }
}

static const phx_plot_options motion = {.kind = PHX_PLOT_MOTION, .from = -HUGE_VAL, .to = HUGE_VAL};

static char *picture(const char *path, xml_counts *counts)
{
    size_t size;
    char *text = example_bytes(path, &size);
    *counts = check_xml(text);
    check_on_page(text);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

/* ---- axes and thinning ---- */

static phx_axis axis_of(double low, double high)
{
    phx_range range = phx_range_none();
    phx_range_add(&range, low);
    phx_range_add(&range, high);
    return phx_axis_linear(range, 5, true, false);
}

static void test_ticks_are_round_and_cover_the_range(void **state)
{
    (void)state;
    static const double ranges[][2] = {
        {0, 1}, {-0.0187, 0.0188}, {299.9, 300.1},   {0, 4e-5},  {-1e300, 1e300}, {5, 5},
        {0, 0}, {-7e12, -6e12},    {1e-300, 2e-300}, {0.1, 0.7}, {1, 1 + 1e-15},  {-1e308, 1e308}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const double low = ranges[i][0], high = ranges[i][1];
        const phx_axis axis = axis_of(low, high);
        if (!(axis.low < axis.high) || axis.n_ticks < 2 || axis.n_ticks > PHX_TICKS)
            fail_msg("range %g to %g: axis %g to %g with %d ticks", low, high, axis.low, axis.high, axis.n_ticks);
        if (fabs(low) < 1e299)
            assert_true(axis.low <= low + 1e-8 * (axis.high - axis.low) &&
                        axis.high >= high - 1e-8 * (axis.high - axis.low));
        assert_true(phx_axis_place(&axis, low) >= -1e-9 && phx_axis_place(&axis, high) <= 1.0 + 1e-9);
        for (int k = 1; k < axis.n_ticks; k++) {
            const double step = axis.ticks[k] - axis.ticks[k - 1], power = pow(10.0, floor(log10(step) + 1e-6));
            const double mantissa = step / power;
            if (fabs(mantissa - 1.0) > 1e-6 && fabs(mantissa - 2.0) > 1e-6 && fabs(mantissa - 5.0) > 1e-6)
                fail_msg("range %g to %g: ticks %g apart", low, high, step);
        }
    }
    const phx_axis axis = axis_of(-0.0187, 0.0188);
    assert_true(fabs(axis.low + 0.02) < 1e-15 && fabs(axis.high - 0.02) < 1e-15);
    assert_int_equal(axis.decimals, 2);
}

static void test_logarithmic_axes_take_zeros_and_signs(void **state)
{
    (void)state;
    phx_range range = phx_range_none();
    phx_axis axis = phx_axis_logarithmic(range, 6, true);
    assert_true(axis.low < axis.high && axis.n_ticks >= 2);
    phx_range_add(&range, 0.0);
    axis = phx_axis_logarithmic(range, 6, true);
    assert_true(phx_axis_place(&axis, 0.0) == 0.0);
    phx_range_add(&range, -3e-13);
    phx_range_add(&range, 2e-16);
    axis = phx_axis_logarithmic(range, 6, true);
    assert_true(axis.low == -16.0 && axis.high == -12.0);
    assert_true(phx_axis_place(&axis, 0.0) == 0.0);
    assert_true(fabs(phx_axis_place(&axis, -1e-14) - 0.5) < 1e-12);
    phx_range_add(&range, 1e-320);
    phx_range_add(&range, 1e300);
    axis = phx_axis_logarithmic(range, 6, true);
    assert_true(axis.high - axis.low <= 24.0 && axis.n_ticks <= PHX_TICKS);
}

static void test_thinning_keeps_ends_and_extremes(void **state)
{
    (void)state;
    enum { ROWS = 100003, BUCKETS = 50 };
    const size_t room = phx_thinner_room(ROWS, BUCKETS);
    phx_line line = {.x = calloc(room, sizeof(double)), .y = calloc(room, sizeof(double))};
    phx_thinner thinner = phx_thinner_start(&line, ROWS, BUCKETS);
    for (int i = 0; i < ROWS; i++)
        phx_thinner_add(&thinner, i, i == 77777 ? 9.0 : i == 23456 ? -9.0 : sin(0.01 * i));
    phx_thinner_end(&thinner);
    assert_true(line.count <= room && line.count > BUCKETS);
    bool low = false, high = false;
    for (size_t i = 0; i < line.count; i++) {
        if (i > 0)
            assert_true(line.x[i] > line.x[i - 1]);
        low = low || (line.x[i] == 23456.0 && line.y[i] == -9.0);
        high = high || (line.x[i] == 77777.0 && line.y[i] == 9.0);
    }
    assert_true(low && high);
    assert_true(line.x[0] == 0.0 && line.x[line.count - 1] == ROWS - 1.0);
    /* Few rows are kept as they are. */
    thinner = phx_thinner_start(&line, 150, BUCKETS);
    for (int i = 0; i < 150; i++)
        phx_thinner_add(&thinner, i, 1.0);
    phx_thinner_end(&thinner);
    assert_int_equal(line.count, 150);
    free(line.x);
    free(line.y);
}

/* ---- results ---- */

static const phx_record_column plotted_columns[] = {
    {"t", "s"},          {"kinetic", "J"},      {"elastic", "J"},     {"potential", "J"},
    {"energy", "J"},     {"supplied", "J"},     {"dissipated", "J"},  {"residual", "J"},
    {"drift", "m"},      {"drift_rate", "m/s"}, {"mid.x", "m"},       {"mid.y", "m"},
    {"A & <B>.fx", "N"}, {"A & <B>.fy", "N"},   {"A & <B>.m", "N m"}, {"drive", "N m"}};
enum { PLOTTED = sizeof plotted_columns / sizeof *plotted_columns };

static void record_plotted(phx_context *context, const char *h5, const char *csv, size_t rows, double work)
{
    phx_recorder_def def = example_def(h5, csv);
    phx_recorder *recorder = NULL;
    double unused[EXAMPLE_COLUMNS], x[EXAMPLE_X], v[EXAMPLE_V];
    def.n_columns = PLOTTED;
    def.columns = plotted_columns;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    for (size_t row = 0; row < rows; row++) {
        const double t = 1e-3 * (double)row, s = sin(9.0 * t);
        const double values[PLOTTED] = {t, s * s, 1 - s * s, 0,        1,       work * t, 0, row ? 1e-15 * s : 0,
                                        0, 0,     1e-5 * s,  0.01 * s, 1e5 * s, -s,       7, row == rows / 2 ? 1e3 : 0};
        example_row(row, unused, x, v);
        CHECK_OK(context, phx_recorder_append(recorder, values, x, v));
    }
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

static void test_a_result_is_drawn_in_panels(void **state)
{
    phx_context *context = *state;
    xml_counts counts;
    record_plotted(context, "r.h5", "r.csv", 500, 0.5);
    CHECK_OK(context, phx_plot(context, "r.h5", "r.svg", NULL));
    assert_false(example_exists("r.svg.partial"));
    char *text = picture("r.svg", &counts);
    /* Energy, work, residual, gaps, mid, forces, torque, drive. */
    assert_int_equal(counts.groups, 8);
    /* Lines: 4 + 2 + 1 + 2 + 2 + 2 + 1 + 1, and legends where there are several. */
    assert_int_equal(counts.paths, 15 + 12);
    assert_non_null(strstr(text, ">crank_slider.yaml</title>"));
    assert_non_null(strstr(text, ">midpoint, 500 rows<"));
    assert_non_null(strstr(text, ">Energy (J)<"));
    assert_non_null(strstr(text, ">mid (m)<"));
    assert_non_null(strstr(text, ">A &amp; &lt;B&gt; (N) \xC3\x97 10<"));
    assert_non_null(strstr(text, ">A &amp; &lt;B&gt;.m (N m)<"));
    assert_non_null(strstr(text, ">drift_rate (m/s)<"));
    free(text);
    /* From csv the same without the units of outputs: the force and the torque share a panel. */
    CHECK_OK(context, phx_plot(context, "r.csv", "c.svg", NULL));
    text = picture("c.svg", &counts);
    assert_int_equal(counts.groups, 7);
    assert_non_null(strstr(text, ">mid<"));
    free(text);
    /* No work: no panel of it. Two pictures are equal. */
    record_plotted(context, "r.h5", NULL, 500, 0.0);
    CHECK_OK(context, phx_plot(context, "r.h5", "r.svg", NULL));
    CHECK_OK(context, phx_plot(context, "r.h5", "s.svg", NULL));
    example_same_bytes("r.svg", "s.svg");
    free(picture("r.svg", &counts));
    assert_int_equal(counts.groups, 7);
}

static void test_many_rows_make_a_small_picture_with_their_peaks(void **state)
{
    phx_context *context = *state;
    xml_counts counts;
    size_t size;
    record_plotted(context, "r.h5", NULL, 200000, 0.5);
    CHECK_OK(context, phx_plot(context, "r.h5", "r.svg", NULL));
    free(example_bytes("r.svg", &size));
    print_message("200000 rows: %zu bytes\n", size);
    assert_true(size < 600000);
    char *text = picture("r.svg", &counts);
    /* The one row of `drive` that is not zero makes its scale. */
    const char *drive = strstr(text, ">drive (N m)<");
    assert_non_null(drive);
    assert_non_null(strstr(drive, ">1000<"));
    free(text);
}

static void test_results_without_rows_and_unfinished_ones_are_drawn(void **state)
{
    phx_context *context = *state;
    xml_counts counts;
    record_plotted(context, "r.h5", "r.csv", 0, 0.0);
    CHECK_OK(context, phx_plot(context, "r.h5", "r.svg", NULL));
    free(picture("r.svg", &counts));
    CHECK_OK(context, phx_plot(context, "r.csv", "r.svg", NULL));
    free(picture("r.svg", &counts));
    record_plotted(context, "r.h5", NULL, 1, 0.0);
    CHECK_OK(context, phx_plot(context, "r.h5", "r.svg", NULL));
    free(picture("r.svg", &counts));
    phx_recorder_def def = example_def("u.h5", NULL);
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 30));
    CHECK_OK(context, phx_recorder_abandon(recorder, "interrupted <here>"));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_plot(context, "u.h5.partial", "u.svg", NULL));
    char *text = picture("u.svg", &counts);
    assert_non_null(strstr(text, "30 rows, unfinished: interrupted &lt;here&gt;<"));
    free(text);
}

static void test_the_motion_is_drawn_from_the_states(void **state)
{
    phx_context *context = *state;
    xml_counts counts;
    phx_recorder_def def = example_def("r.h5", NULL);
    phx_recorder *recorder = NULL;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    CHECK_OK(context, example_append(recorder, 0, 158)); /* half a turn of the crank */
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    CHECK_OK(context, phx_plot(context, "r.h5", "m.svg", &motion));
    char *text = picture("m.svg", &counts);
    assert_int_equal(counts.paths, 12 * 2 + 2); /* 12 snapshots of two bodies, two entries of the legend */
    assert_non_null(strstr(text, ">t = 0.157 s<"));
    /* Equal scales: the crank (0.15) and the beam (0.3) start on one line, twice as long the second. */
    double x[5], y[5];
    const char *path = strstr(strstr(text, " d=\"M") + 4, " d=\"M"); /* behind the legend */
    path = strstr(path + 4, " d=\"M");
    assert_int_equal(sscanf(path, " d=\"M%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1]), 4);
    path = strstr(path + 4, " d=\"M");
    assert_int_equal(sscanf(path, " d=\"M%lf %lfL%lf %lfL%lf %lf", &x[2], &y[2], &x[3], &y[3], &x[4], &y[4]), 6);
    assert_true(fabs(x[1] - x[2]) < 0.15 && fabs(y[1] - y[0]) < 0.15 && fabs(y[4] - y[0]) < 0.15);
    assert_true(fabs((x[4] - x[2]) - 2.0 * (x[1] - x[0])) < 0.35);
    free(text);
    const phx_record_column column = {"t", "s"};
    def = phx_recorder_def_default();
    def.h5_path = "n.h5";
    def.n_columns = 1;
    def.columns = &column;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    const double t = 0.0;
    CHECK_OK(context, phx_recorder_append(recorder, &t, NULL, NULL));
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
    REFUSED(context, PHX_ERR_FILE, "no shapes", phx_plot(context, "n.h5", "n.svg", &motion));
    assert_false(example_exists("n.svg"));
}

/* ---- modes ---- */

static void write_modes(phx_context *context, const char *path, phx_modes_format format, int n_parameters, int n_first,
                        int n_second)
{
    enum { MOST = 200, MODES = 3 };
    static const char *const names[] = {"n", "theta1"};
    double values[MOST * 2];
    phx_mode_row rows[MOST * MODES];
    phx_modes_table table = {
        .n_parameters = n_parameters, .parameters = names + (2 - n_parameters), .values = values, .rows = rows};
    for (int a = 0; a < n_first; a++)
        for (int b = 0; b < n_second; b++) {
            const int p = table.n_points++;
            if (n_parameters == 2)
                values[2 * p] = a;
            if (n_parameters > 0)
                values[n_parameters * p + n_parameters - 1] = 0.1 * b;
            for (int mode = 1; mode <= MODES; mode++)
                if (mode < MODES || b != n_second / 2) /* a gap in the last branch */
                    rows[table.n_rows++] = (phx_mode_row){p, mode, mode, 6.28 * mode, mode + 0.1 * cos(0.1 * b), 0.0};
        }
    CHECK_OK(context, phx_modes_write(context, &table, format, path));
}

static void test_modes_are_drawn_over_the_sweep(void **state)
{
    phx_context *context = *state;
    xml_counts counts;
    for (int i = 0; i < 2; i++) {
        const char *path = i ? "m.h5" : "m.csv";
        const phx_modes_format format = i ? PHX_MODES_HDF5 : PHX_MODES_CSV;
        write_modes(context, path, format, 1, 1, 21);
        CHECK_OK(context, phx_plot(context, path, "m.svg", NULL));
        char *text = picture("m.svg", &counts);
        assert_int_equal(counts.groups, 1);
        assert_int_equal(counts.paths, 3 + 3);
        assert_int_equal(counts.circles, 21 + 21 + 20);
        assert_non_null(strstr(text, ">theta1<"));
        assert_non_null(strstr(text, ">branch 3<"));
        free(text);
        write_modes(context, path, format, 2, 3, 11);
        CHECK_OK(context, phx_plot(context, path, "m.svg", NULL));
        text = picture("m.svg", &counts);
        assert_int_equal(counts.groups, 3);
        assert_non_null(strstr(text, ">Frequency (Hz), n = 2<"));
        free(text);
        write_modes(context, path, format, 0, 1, 1);
        CHECK_OK(context, phx_plot(context, path, "m.svg", NULL));
        text = picture("m.svg", &counts);
        assert_int_equal(counts.circles, 2);
        assert_non_null(strstr(text, ">mode<"));
        free(text);
    }
}

/* A Campbell diagram: with revolutions of 0 to 1.5 Hz and frequencies up to 4.1 Hz the rays 1P to 8P, cut off at the
 * highest frequency; they are not in the legend. */
static void test_steady_rotations_have_rays(void **state)
{
    enum { POINTS = 4 };
    static const char *const names[] = {"speed"};
    static const double values[POINTS] = {0, 1, 2, 3};
    static const double spin[POINTS] = {0.0, TEST_PI, 2.0 * TEST_PI, 3.0 * TEST_PI};
    phx_context *context = *state;
    xml_counts counts;
    phx_mode_row rows[2 * POINTS];
    phx_modes_table table = {
        .n_parameters = 1, .parameters = names, .n_points = POINTS, .values = values, .n_rows = 2 * POINTS};
    table.rows = rows;
    for (int i = 0; i < 2 * POINTS; i++)
        rows[i] = (phx_mode_row){i / 2, 1 + i % 2, 1 + i % 2, 1.0, i % 2 ? 3.8 + 0.1 * (i / 2) : 1.0, 0.0};
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "m.h5"));
    CHECK_OK(context, phx_plot(context, "m.h5", "rest.svg", NULL));
    free(picture("rest.svg", &counts));
    assert_int_equal(counts.paths, 2 + 2);
    table.spin = spin;
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "m.h5"));
    CHECK_OK(context, phx_plot(context, "m.h5", "m.svg", NULL));
    char *text = picture("m.svg", &counts);
    assert_int_equal(counts.paths, 2 + 2 + 8);
    assert_int_equal(counts.circles, 2 * POINTS);
    assert_non_null(strstr(text, ">8P<"));
    assert_null(strstr(text, ">9P<"));
    /* ray 4 passes 4.1 Hz at speed 2.05 */
    double x[4], y[4], left = 0.0;
    const char *path = text;
    assert_int_equal(sscanf(strstr(text, "<circle cx=\""), "<circle cx=\"%lf", &left), 1);
    for (int k = 0; k < 4; k++)
        path = strstr(path + 1, "stroke=\"#A0A0A0\"");
    path = strstr(path, " d=\"M");
    assert_int_equal(
        sscanf(path, " d=\"M%lf %lfL%lf %lfL%lf %lfL%lf %lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2], &x[3], &y[3]),
        8);
    CHECK_CLOSE(x[0], left, 0.06, "start of the ray");
    CHECK_CLOSE((x[3] - x[0]) / (x[1] - x[0]), 2.05, 2e-3, "end of the ray");
    CHECK_CLOSE((y[3] - y[0]) / (y[1] - y[0]), 2.05, 2e-3, "slope of the ray");
    free(text);
}

static void test_wrong_files_and_places_are_refused(void **state)
{
    phx_context *context = *state;
    const phx_plot_options poles = {.kind = PHX_PLOT_POLES, .from = -HUGE_VAL, .to = HUGE_VAL};
    write_modes(context, "m.csv", PHX_MODES_CSV, 1, 1, 5);
    write_modes(context, "m.h5", PHX_MODES_HDF5, 1, 1, 5);
    record_plotted(context, "r.h5", "r.csv", 5, 0.0);
    REFUSED(context, PHX_ERR_FILE, "none.h5", phx_plot(context, "none.h5", "x.svg", NULL));
    const char *const names[] = {"energy"};
    phx_plot_options columns = phx_plot_options_default();
    columns.kind = PHX_PLOT_COLUMNS;
    columns.n_columns = 1;
    columns.columns = names;
    REFUSED(context, PHX_ERR_FILE, "first column is 'theta1'", phx_plot(context, "m.csv", "x.svg", &columns));
    REFUSED(context, PHX_ERR_FILE, "phlexor modes", phx_plot(context, "m.h5", "x.svg", &columns));
    REFUSED(context, PHX_ERR_FILE, "phlexor result", phx_plot(context, "r.h5", "x.svg", &poles));
    REFUSED(context, PHX_ERR_FILE, "csv has columns only", phx_plot(context, "r.csv", "x.svg", &motion));
    REFUSED(context, PHX_ERR_INPUT, ".svg, .pdf or .png", phx_plot(context, "r.h5", "x.bmp", NULL));
    REFUSED(context, PHX_ERR_FILE, "Is a directory", phx_plot(context, ".", "x.svg", NULL));
    REFUSED(context, PHX_ERR_FILE, "none/x.svg", phx_plot(context, "r.h5", "none/x.svg", NULL));
    if (example_exists("/dev/full"))
        for (int k = 0; k < 3; k++) {
            static const char *const formats[] = {"svg", "pdf", "png"};
            phx_plot_options full = phx_plot_options_default();
            full.page.format = formats[k];
            REFUSED(context, PHX_ERR_FILE, "No space left", phx_plot(context, "r.h5", "/dev/full", &full));
        }
    assert_false(example_exists("x.svg") || example_exists("x.svg.partial"));
}

/* Lines of several files: a colour for each column, dashes for each file, which the label names; measured columns under
 * the names of the outputs. Differences are those to the first, here t of the works t / 2 and 3 t / 2. */
static void test_several_results_are_drawn_together(void **state)
{
    phx_context *context = *state;
    const char *const others[] = {"r2.h5"}, *const maps[] = {"force=drive"}, *const names[] = {"mid", "supplied,drive"};
    phx_plot_options options = phx_plot_options_default();
    phx_result_picture drawn;
    xml_counts counts;
    const int supplied = 5, drive = PLOTTED - 1;
    const char *const labels[] = {"supplied", "drive"};
    record_plotted(context, "r.h5", NULL, 50, 0.5);
    record_plotted(context, "r2.h5", NULL, 20, 1.5);
    example_write("m.csv", "time,force\n0,1\n0.01,2\n");
    options.n_others = options.n_maps = 1;
    options.others = others;
    options.measured = "m.csv";
    options.maps = maps;

    CHECK_OK(context, phx_result_picture_open(context, "r.h5", &options, &drawn));
    CHECK_OK(context, phx_result_picture_add(&drawn, "both", 2, (int[]){supplied, drive}, labels, false));
    static const struct {
        const char *label;
        int colour, dash;
        size_t count;
    } expected[] = {{"supplied (J), r.h5", 0, 1, 50},
                    {"supplied (J), r2.h5", 0, 2, 20},
                    {"drive (N m), r.h5", 1, 1, 50},
                    {"drive (N m), r2.h5", 1, 2, 20},
                    {"drive (N m), m.csv", 1, 3, 2}};
    const phx_panel *panel = &drawn.chart.panels[0];
    assert_int_equal(panel->n_lines, 5);
    for (int k = 0; k < 5; k++) {
        assert_string_equal(panel->lines[k].label, expected[k].label);
        assert_int_equal(panel->lines[k].colour, expected[k].colour);
        assert_int_equal(panel->lines[k].dash, expected[k].dash);
        assert_int_equal(panel->lines[k].count, expected[k].count);
    }
    phx_result_picture_close(&drawn);

    options.difference = true;
    CHECK_OK(context, phx_result_picture_open(context, "r.h5", &options, &drawn));
    CHECK_OK(context, phx_result_picture_add(&drawn, "work", 1, &supplied, labels, false));
    panel = &drawn.chart.panels[0];
    assert_int_equal(panel->n_lines, 1);
    assert_string_equal(panel->title, "work, difference (J)");
    assert_string_equal(panel->lines[0].label, "r2.h5");
    assert_true(panel->lines[0].count >= 20);
    for (size_t i = 0; i < panel->lines[0].count; i++)
        CHECK_CLOSE(panel->lines[0].y[i], panel->lines[0].x[i], 1e-17, "difference of the works");
    phx_result_picture_close(&drawn);

    options.kind = PHX_PLOT_COLUMNS;
    options.columns = names;
    options.n_columns = 2;
    CHECK_OK(context, phx_plot(context, "r.h5", "d.svg", &options));
    char *text = picture("d.svg", &counts);
    assert_int_equal(counts.groups, 3);
    assert_int_equal(counts.paths, 2 * (2 + 1 + 2)); /* r2.h5: mid.x, mid.y, supplied, drive; m.csv: drive; legends */
    free(text);

    options.kind = PHX_PLOT_MOTION;
    REFUSED(context, PHX_ERR_INPUT, "only columns", phx_plot(context, "r.h5", "x.svg", &options));
    options = phx_plot_options_default();
    options.difference = true;
    REFUSED(context, PHX_ERR_INPUT, "those of other results", phx_plot(context, "r.h5", "x.svg", &options));
    example_write("other.csv", "t,none\n0,1\n1,1\n");
    options.n_others = 1;
    options.others = (const char *const[]){"other.csv"};
    REFUSED(context, PHX_ERR_INPUT, "no common columns", phx_plot(context, "r.h5", "x.svg", &options));
    assert_false(example_exists("x.svg") || example_exists("x.svg.partial"));
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    record_plotted(context, "r.h5", "r.csv", 20, 1.0);
    write_modes(context, "m.csv", PHX_MODES_CSV, 2, 2, 3);
    write_modes(context, "m.h5", PHX_MODES_HDF5, 1, 1, 5);
    example_write("force.csv", "time,force\n0,1\n0.01,2\n");
    enum { CASES = 9 };
    const char *const paths[] = {"r.h5", "r.csv", "m.csv", "m.h5", "r.h5", "r.h5", "r.h5", "r.h5", "r.h5"};
    const char *const pictures[] = {"x.svg", "x.pdf", "x.png", "x.svg", "x.svg", "x.pdf", "x.svg", "x.svg", "x.svg"};
    const char *const others[] = {"r.h5"}, *const maps[] = {"force=drive"};
    const char *const columns[] = {"mid,drive", "kinetic"};
    phx_plot_options options[CASES];
    for (int i = 0; i < CASES; i++) {
        options[i] = phx_plot_options_default();
        options[i].page.resolution = 30.0;
        options[i].kind = i == 4             ? PHX_PLOT_MOTION
                          : i == 5 || i >= 7 ? PHX_PLOT_COLUMNS
                          : i == 6           ? PHX_PLOT_SPECTRUM
                                             : PHX_PLOT_ALL;
        options[i].columns = columns;
        options[i].n_columns = 2;
        options[i].n_others = options[i].n_maps = i >= 7;
        options[i].others = others;
        options[i].measured = i >= 7 ? "force.csv" : NULL;
        options[i].maps = maps;
        options[i].difference = i == 8;
        options[i].against = i == 5 ? "mid.x" : NULL;
    }
    for (int i = 0; i < CASES; i++) {
        phx_status status = PHX_ERR_MEMORY;
        for (long n = 0; status != PHX_OK; n++) {
            phx_context_fail_allocation(context, n);
            status = phx_plot(context, paths[i], pictures[i], &options[i]);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("%s to %s, allocation %ld: status %d: %s", paths[i], pictures[i], n, (int)status,
                         phx_context_message(context));
            assert_true(n < 5000);
        }
    }
}

/* A resonance at 10 rad/s with damping 0.05, a second input that does nothing. */
static void write_linear(phx_context *context, const char *path)
{
    const double A[4] = {0.0, 1.0, -100.0, -1.0}, B[4] = {0.0, 0.0, 100.0, 0.0}, C[2] = {1.0, 0.0};
    const char *const inputs[] = {"f", "idle"}, *const outputs[] = {"x"};
    const phx_ss_def def = {
        .n = 2, .n_inputs = 2, .n_outputs = 1, .A = A, .B = B, .C = C, .inputs = inputs, .outputs = outputs};
    phx_bundle *bundle = NULL;
    phx_ss *system = NULL;
    CHECK_OK(context, phx_ss_create(context, &def, &system));
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    CHECK_OK(context, phx_bundle_add_ss(context, bundle, system));
    CHECK_OK(context, phx_exchange_write(context, path, bundle));
    phx_bundle_destroy(bundle);
    phx_ss_destroy(system);
}

static void test_linear_models(void **state)
{
    phx_context *context = *state;
    const char *const f[] = {"f"}, *const wrong[] = {"g"};
    phx_plot_options poles = phx_plot_options_default(), one = poles, none = poles;
    poles.kind = PHX_PLOT_POLES;
    one.n_inputs = none.n_outputs = 1;
    one.inputs = f;
    none.outputs = wrong;
    size_t size;
    write_linear(context, "l.h5");
    CHECK_OK(context, phx_plot(context, "l.h5", "all.svg", NULL));
    CHECK_OK(context, phx_plot(context, "l.h5", "one.svg", &one));
    CHECK_OK(context, phx_plot(context, "l.h5", "poles.svg", &poles));
    char *text = example_bytes("all.svg", &size);
    CHECK_TEXT(text, "f \xE2\x86\x92 x");
    assert_null(strstr(text, "idle"));
    CHECK_TEXT(text, ">2 states; left out: 1 response zero to rounding<");
    CHECK_TEXT(text, "Phase (degrees)");
    CHECK_TEXT(text, ">\xE2\x88\x92"
                     "180<"); /* the phase falls to -180 degrees */
    free(text);
    text = example_bytes("one.svg", &size);
    assert_null(strstr(text, "idle"));
    /* from 1 to 100 rad/s: decades 0 to 2; the peak 1/(2 0.05) = 10 ends the scale */
    CHECK_TEXT(text, "10<tspan dy=\"-5.04\" font-size=\"9\">1</tspan>");
    free(text);
    text = example_bytes("poles.svg", &size);
    /* two crosses of two strokes */
    const char *crosses = strstr(strstr(text, "stroke-width=\"1.6\""), " d=\"");
    int strokes = 0;
    for (const char *c = crosses + 4; *c != '"'; c++)
        strokes += *c == 'M';
    assert_int_equal(strokes, 4);
    free(text);
    REFUSED(context, PHX_ERR_INPUT, "no output 'g'", phx_plot(context, "l.h5", "x.svg", &none));
    assert_false(example_exists("x.svg"));
    for (int i = 0; i < 2; i++) {
        phx_status status = PHX_ERR_MEMORY;
        for (long n = 0; status != PHX_OK; n++) {
            phx_context_fail_allocation(context, n);
            status = phx_plot(context, "l.h5", "x.svg", i ? &poles : NULL);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("allocation %ld: status %d: %s", n, (int)status, phx_context_message(context));
            n += n / 8; /* a response at each of hundreds of frequencies */
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        TEST(test_linear_models),
        cmocka_unit_test(test_ticks_are_round_and_cover_the_range),
        cmocka_unit_test(test_logarithmic_axes_take_zeros_and_signs),
        cmocka_unit_test(test_thinning_keeps_ends_and_extremes),
        TEST(test_a_result_is_drawn_in_panels),
        TEST(test_many_rows_make_a_small_picture_with_their_peaks),
        TEST(test_results_without_rows_and_unfinished_ones_are_drawn),
        TEST(test_the_motion_is_drawn_from_the_states),
        TEST(test_modes_are_drawn_over_the_sweep),
        TEST(test_steady_rotations_have_rays),
        TEST(test_wrong_files_and_places_are_refused),
        TEST(test_several_results_are_drawn_together),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
