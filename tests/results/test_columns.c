/* Pictures of chosen columns: which are found, over what, spectra, patterns, pages and their formats. */
#define _XOPEN_SOURCE 700
#include "example.h"
#include "results/plot/plot.h"

/* ---- a result with known values ---- */
enum { COLUMNS = 9 };
static const phx_record_column columns[COLUMNS] = {{"t", "s"},
                                                   {"tip.x", "m"},
                                                   {"tip.y", "m"},
                                                   {"tip, \"left\".x", "m"},
                                                   {"gr\xC3\xB6\xC3\x9F"
                                                    "e </script>",
                                                    "N"},
                                                   {"speed", "rad/s"},
                                                   {"angle", "rad"},
                                                   {"zero", NULL},
                                                   {"tone", "V"}};

/* A circle, two tones 0.7 sin(2 pi 12.3 t) + 1e-3 sin(2 pi 40 t) upon a mean of 5; steps of 2 ms, uneven ones by up to
 * 40 %. */
static void record(phx_context *context, const char *h5, const char *csv, size_t rows, bool uneven)
{
    phx_recorder_def def = phx_recorder_def_default();
    phx_recorder *recorder = NULL;
    def.h5_path = h5;
    def.csv_path = csv;
    def.dimension = 3;
    def.n_columns = COLUMNS;
    def.columns = columns;
    CHECK_OK(context, phx_recorder_create(context, &def, &recorder));
    for (size_t i = 0; i < rows; i++) {
        const double t = 2e-3 * ((double)i + (uneven && i > 0 && i + 1 < rows ? 0.2 * sin(1.7 * (double)i) : 0.0));
        const double tone = 5.0 + 0.7 * sin(2.0 * TEST_PI * 12.3 * t) + 1e-3 * sin(2.0 * TEST_PI * 40.0 * t);
        const double row[COLUMNS] = {t,   cos(9.0 * t), sin(9.0 * t), t, 1e6 * t, 3.0 * cos(3.0 * t), sin(3.0 * t),
                                     0.0, tone};
        CHECK_OK(context, phx_recorder_append(recorder, row, NULL, NULL));
    }
    CHECK_OK(context, phx_recorder_finish(recorder, 0, NULL));
    phx_recorder_destroy(recorder);
}

static phx_plot_options of_columns(int count, const char *const *lists)
{
    phx_plot_options options = phx_plot_options_default();
    options.kind = PHX_PLOT_COLUMNS;
    options.n_columns = count;
    options.columns = lists;
    return options;
}

static char *drawn(phx_context *context, const char *path, const phx_plot_options *options)
{
    size_t size;
    CHECK_OK(context, phx_plot(context, path, "p.svg", options));
    assert_false(example_exists("p.svg.partial"));
    return example_bytes("p.svg", &size);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

/* ---- columns ---- */
static void test_units_are_written_as_in_print(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"", "a"},
                                           {"m", "a (m)"},
                                           {"m/s^2", "a (m/s\xC2\xB2)"},
                                           {"kg m^3", "a (kg m\xC2\xB3)"},
                                           {"m^24", "a (m^24)"},
                                           {"^", "a (^)"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[PHX_PLOT_TEXT], little[4];
        phx_plot_with_unit(text, sizeof text, "a", cases[k][0]);
        assert_string_equal(text, cases[k][1]);
        phx_plot_with_unit(little, sizeof little, "a", cases[k][0]);
        assert_true(strlen(little) < sizeof little && strncmp(little, cases[k][1], 3) == 0);
    }
}

static void test_lists_of_columns_become_panels(void **state)
{
    phx_context *context = *state;
    record(context, "r.h5", "r.csv", 200, false);
    const char *const lists[] = {"tip,speed,tip.y", "tip, \"left\".x,gr\xC3\xB6\xC3\x9F"
                                                    "e </script>,zero"};
    const phx_plot_options options = of_columns(2, lists);
    char *text = drawn(context, "r.h5", &options);
    /* tip in one panel (once), speed in another; of the second list three units */
    assert_int_equal(count_of(text, "<g>"), 5);
    CHECK_TEXT(text, ">tip (m)<");
    CHECK_TEXT(text, ">speed (rad/s)<");
    CHECK_TEXT(text, ">tip, &quot;left&quot;.x (m)<");
    CHECK_TEXT(text, ">gr\xC3\xB6\xC3\x9F"
                     "e &lt;/script&gt; (N) \xC3\x97 10<");
    CHECK_TEXT(text, ">zero<");
    CHECK_TEXT(text, ">t (s)<");
    free(text);
    /* without units all of a list share a panel */
    text = drawn(context, "r.csv", &options);
    assert_int_equal(count_of(text, "<g>"), 2);
    free(text);
}

static void test_columns_over_columns(void **state)
{
    phx_context *context = *state;
    record(context, "r.h5", NULL, 2000, false);
    const char *const y[] = {"tip.y"}, *const speed[] = {"speed"};
    phx_plot_options options = of_columns(1, y);
    double width = 0.0, height = 0.0;
    options.against = "tip.x";
    char *text = drawn(context, "r.h5", &options);
    CHECK_TEXT(text, ">tip.x (m)<");
    /* a circle stays a circle: extremes of the points of the line */
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}, point[2];
    for (const char *c = strstr(strstr(text, "stroke-width=\"1.6\""), " d=\"") + 4; *c != '"'; c++)
        if ((*c == 'M' || *c == 'L') && sscanf(c + 1, "%lf %lf", &point[0], &point[1]) == 2)
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], point[k]);
                high[k] = fmax(high[k], point[k]);
            }
    width = high[0] - low[0];
    height = high[1] - low[1];
    CHECK_CLOSE(width / height, 1.0, 1e-3, "width %g and height %g of a circle", width, height);
    free(text);
    /* a phase portrait has two units */
    options = of_columns(1, speed);
    options.against = "angle";
    text = drawn(context, "r.h5", &options);
    CHECK_TEXT(text, ">speed (rad/s)<");
    CHECK_TEXT(text, ">angle (rad)<");
    free(text);
}

static void test_ranges_and_scales(void **state)
{
    phx_context *context = *state;
    record(context, "r.h5", NULL, 501, false);
    const char *const list[] = {"gr\xC3\xB6\xC3\x9F"
                                "e </script>"};
    phx_plot_options options = of_columns(1, list);
    options.from = 0.25;
    options.to = 0.75;
    char *text = drawn(context, "r.h5", &options);
    CHECK_TEXT(text, ">251 rows<");
    free(text);
    options.x_scale = options.y_scale = PHX_SCALE_LOGARITHMIC;
    options.from = 1e-3;
    options.to = HUGE_VAL;
    text = drawn(context, "r.h5", &options);
    CHECK_TEXT(text, "10<tspan");
    free(text);
    options.from = 2.0;
    REFUSED(context, PHX_ERR_INPUT, "its rows go from 0 s to 1 s", phx_plot(context, "r.h5", "x.svg", &options));
    options.to = 1.0;
    REFUSED(context, PHX_ERR_INPUT, "upward", phx_plot(context, "r.h5", "x.svg", &options));
    assert_false(example_exists("x.svg"));
}

static void test_few_rows_and_names_that_are_none(void **state)
{
    phx_context *context = *state;
    const char *const good[] = {"tip", "zero"}, *const wrong[] = {"tip.x,sped"}, *const empty[] = {""};
    phx_plot_options options = of_columns(2, good);
    for (size_t rows = 0; rows < 3; rows++) {
        record(context, "r.h5", NULL, rows, false);
        free(drawn(context, "r.h5", &options));
    }
    options = of_columns(1, wrong);
    REFUSED(context, PHX_ERR_INPUT, "no column 'sped'; did you mean 'speed'?",
            phx_plot(context, "r.h5", "x.svg", &options));
    CHECK_MESSAGE(context, "its columns are t, tip.x, tip.y");
    options = of_columns(1, empty);
    REFUSED(context, PHX_ERR_INPUT, "no columns", phx_plot(context, "r.h5", "x.svg", &options));
    options = of_columns(1, good);
    options.against = "tipx";
    REFUSED(context, PHX_ERR_INPUT, "did you mean 'tip.x'", phx_plot(context, "r.h5", "x.svg", &options));
    assert_false(example_exists("x.svg"));
}

/* A csv file may lack the columns that simulations have; names longer than the picture is wide end with an ellipsis. */
static void test_other_tables_are_drawn(void **state)
{
    phx_context *context = *state;
    const char *const list[] = {"kurz,a name that is longer than a column of a page is wide, with a comma,x"};
    phx_plot_options options = phx_plot_options_default();
    example_write("o.csv", "t,x,\"a name that is longer than a column of a page is wide, with a comma\",kurz\n"
                           "0,1,2,3\n1,2,3,4\n2,3,4,5\n");
    char *text = drawn(context, "o.csv", &options);
    assert_int_equal(count_of(text, "<g>"), 3);
    assert_int_equal(count_of(text, "10<tspan"), 0);
    free(text);
    options = of_columns(1, list);
    options.page.width = 84.0;
    text = drawn(context, "o.csv", &options);
    assert_int_equal(count_of(text, "<g>"), 1);
    CHECK_TEXT(text, "\xE2\x80\xA6<");
    free(text);
}

/* ---- spectra ---- */

/* The largest amplitude within a tenth around a frequency. */
static double peak(const phx_spectrum *spectrum, double frequency, double *at)
{
    double largest = 0.0;
    for (size_t k = 0; k < spectrum->count; k++) {
        const double f = spectrum->step * (double)(k + 1);
        if (fabs(f - frequency) < 0.1 * frequency && spectrum->amplitudes[k] > largest) {
            largest = spectrum->amplitudes[k];
            *at = f;
        }
    }
    return largest;
}

/* A tone of amplitude a has a peak of a to 1 %, wherever it lies between the lines 1/T, on a mean a million times as
 * large; far from it Hann's window lets nothing through. */
static void test_a_tone_has_a_peak_of_its_amplitude(void **state)
{
    phx_context *context = *state;
    enum { N = 1000 };
    double values[N], at = 0.0;
    const double step = 1e-3, amplitude = 0.7;
    for (int k = 0; k < 20; k++) {
        const double frequency = 50.0 + 0.05 * k;
        phx_spectrum spectrum;
        for (int i = 0; i < N; i++)
            values[i] = 1e6 + amplitude * cos(2.0 * TEST_PI * frequency * step * i + k);
        CHECK_OK(context, phx_spectrum_make(context, N, values, step, &spectrum));
        const double found = peak(&spectrum, frequency, &at);
        CHECK_RELATIVE(found, amplitude, 0.0125, "amplitude at %g Hz", frequency);
        CHECK_CLOSE(at, frequency, 0.15, "place of the peak, Hz");
        CHECK_BELOW(peak(&spectrum, 200.0, &at), 2e-6 * amplitude, "at 200 Hz, of a tone at %g Hz", frequency);
        CHECK_RELATIVE(spectrum.step * (double)spectrum.count, 500.0, 1e-12, "half the rate of sampling");
        phx_spectrum_free(&spectrum);
    }
}

static void test_spectra_of_columns(void **state)
{
    phx_context *context = *state;
    const char *const list[] = {"tone"}, *const gap[] = {"zero"};
    phx_plot_options options = of_columns(1, list);
    options.kind = PHX_PLOT_SPECTRUM;
    for (int uneven = 0; uneven < 2; uneven++) {
        record(context, "r.h5", NULL, 1000, uneven);
        char *text = drawn(context, "r.h5", &options);
        CHECK_TEXT(text, ">frequency (Hz)<");
        CHECK_TEXT(text, ">Amplitude of tone (V)<");
        CHECK_TEXT(text, "Hann's window, resolution 0.5");
        assert_int_equal(count_of(text, "uneven steps resampled to 0.002 s by cubics"), uneven);
        free(text);
    }
    options.x_scale = PHX_SCALE_LOGARITHMIC;
    options.y_scale = PHX_SCALE_LINEAR;
    free(drawn(context, "r.h5", &options));
    options.to = 0.01;
    REFUSED(context, PHX_ERR_INPUT, "needs 8 rows", phx_plot(context, "r.h5", "x.svg", &options));
    example_write("g.csv", "t,zero\n0,1\n1,\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n");
    options = of_columns(1, gap);
    options.kind = PHX_PLOT_SPECTRUM;
    if (phx_plot(context, "g.csv", "x.svg", &options) == PHX_OK)
        fail_msg("a gap made a spectrum");
    example_write("g.csv", "t,zero\n0,1\n1,1\n1,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n");
    REFUSED(context, PHX_ERR_FILE, "does not ascend in row 3", phx_plot(context, "g.csv", "x.svg", &options));
    assert_false(example_exists("x.svg"));
}

/* ---- patterns ---- */
static void write_matrices(phx_context *context, const char *path)
{
    const int row[] = {0, 1, 2, 3, 3}, col[] = {1, 0, 3, 2, 3};
    const double val[] = {2.0, -2.0, 1.0, -1.0, 0.0}, one[1] = {1.0};
    const char *const states[] = {"rod.x", "rod.q1", "rod.q1_dot", "lambda1"};
    phx_csr J = {0}, R = {0};
    phx_bundle *bundle = NULL;
    CHECK_OK(context, phx_csr_from_triplets(context, 4, 4, 5, row, col, val, &J));
    CHECK_OK(context, phx_csr_from_triplets(context, 4, 4, 0, NULL, NULL, NULL, &R));
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    phx_bundle_add_text(bundle, "title", "a pattern");
    phx_bundle_add_sparse(bundle, "J", &J);
    phx_bundle_add_sparse(bundle, "R", &R);
    phx_bundle_add_matrix(bundle, "A", 1, 1, one, NULL);
    phx_bundle_add_names(bundle, "states", 4, states);
    CHECK_OK(context, phx_exchange_write(context, path, bundle));
    phx_bundle_destroy(bundle);
    phx_csr_free(&J);
    phx_csr_free(&R);
}

/* Squares in the path of this colour. */
static int squares(const char *text, const char *colour)
{
    const char *c = strstr(text, colour);
    int count = 0;
    assert_non_null(c);
    for (c = strstr(c, " d=\"") + 4; *c != '"'; c++)
        count += *c == 'M';
    return count;
}

static void test_patterns_of_matrices(void **state)
{
    phx_context *context = *state;
    const char *const names[] = {"R"}, *const wrong[] = {"JJ"};
    phx_plot_options options = phx_plot_options_default();
    options.kind = PHX_PLOT_SPY;
    write_matrices(context, "m.h5");
    char *text = drawn(context, "m.h5", &options);
    /* J and A; R is empty. Two entries above and two below zero, one stored zero. */
    assert_int_equal(count_of(text, "<g>"), 2);
    CHECK_TEXT(text, ">J: 4 \xC3\x97 4, 4 entries<");
    assert_int_equal(squares(text, "fill=\"#004C86\""), 2);
    assert_int_equal(squares(text, "fill=\"#E69F00\""), 2);
    assert_int_equal(count_of(text, ">rod<"), 2);
    assert_int_equal(count_of(text, ">rod rate<") + count_of(text, ">lambda<"), 4);
    free(text);
    options.n_matrices = 1;
    options.matrices = names;
    text = drawn(context, "m.h5", &options);
    CHECK_TEXT(text, ">R: 4 \xC3\x97 4, 0 entries<");
    free(text);
    options.matrices = wrong;
    REFUSED(context, PHX_ERR_INPUT, "no matrix 'JJ'", phx_plot(context, "m.h5", "x.svg", &options));
}

/* A matrix of 100000 rows is drawn with as many squares as can be told apart. */
static void test_large_patterns_are_small_pictures(void **state)
{
    phx_context *context = *state;
    enum { N = 100000 };
    int *row = calloc(N, sizeof *row);
    double *val = calloc(N, sizeof *val);
    phx_csr matrix = {0};
    phx_bundle *bundle = NULL;
    size_t size;
    for (int i = 0; i < N; i++) {
        row[i] = i;
        val[i] = i % 2 ? -1.0 : 1.0;
    }
    CHECK_OK(context, phx_csr_from_triplets(context, N, N, N, row, row, val, &matrix));
    CHECK_OK(context, phx_bundle_create(context, &bundle));
    phx_bundle_add_sparse(bundle, "J", &matrix);
    phx_plot_options options = phx_plot_options_default();
    CHECK_OK(context, phx_plot_bundle(context, bundle, "large", "l.svg", &options));
    char *text = example_bytes("l.svg", &size);
    assert_int_equal(squares(text, "fill=\"#004C86\""), 400);
    assert_true(size < 100000);
    free(text);
    phx_bundle_destroy(bundle);
    phx_csr_free(&matrix);
    free(row);
    free(val);
}

/* ---- pages ---- */
static void test_pages_have_the_size_that_was_asked_for(void **state)
{
    phx_context *context = *state;
    const char *const list[] = {"tip", "speed"};
    phx_plot_options options = of_columns(2, list);
    size_t size;
    record(context, "r.h5", NULL, 100, false);
    options.page = (phx_page){.width = 84.0, .height = 60.0};
    char *text = drawn(context, "r.h5", &options);
    CHECK_TEXT(text, "width=\"84mm\" height=\"60mm\"");
    CHECK_TEXT(text, "font-size=\"10.67\"");                     /* 8 pt */
    assert_int_equal(count_of(text, "font-weight=\"bold\""), 2); /* panels only */
    free(text);
    options.page.title = "A title";
    options.page.font_size = 6.0;
    options.page.grey = true;
    text = drawn(context, "r.h5", &options);
    CHECK_TEXT(text, ">A title<");
    CHECK_TEXT(text, "font-size=\"8\"");
    CHECK_TEXT(text, "stroke=\"#7F7F7F\"");
    free(text);
    options.page.resolution = 600.0;
    CHECK_OK(context, phx_plot(context, "r.h5", "p.png", &options));
    const unsigned char *png = (const unsigned char *)(text = example_bytes("p.png", &size));
    assert_memory_equal(png, "\x89PNG\r\n\x1A\n", 8);
    assert_int_equal(png[16] << 24 | png[17] << 16 | png[18] << 8 | png[19], 1985); /* 84 mm 600/25.4 */
    assert_memory_equal(png + 37, "pHYs", 4);
    assert_int_equal(png[41] << 24 | png[42] << 16 | png[43] << 8 | png[44], 23622); /* in a metre */
    free(text);
    CHECK_OK(context, phx_plot(context, "r.h5", "p.pdf", &options));
    assert_memory_equal(text = example_bytes("p.pdf", &size), "%PDF-1.", 7);
    free(text);
}

static void test_equal_pictures_are_equal_files(void **state)
{
    static const char *const names[][2] = {{"a.svg", "b.svg"}, {"a.pdf", "b.pdf"}, {"a.png", "b.png"}};
    phx_context *context = *state;
    record(context, "r.h5", NULL, 300, false);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++)
            CHECK_OK(context, phx_plot(context, "r.h5", names[k][i], NULL));
        example_same_bytes(names[k][0], names[k][1]);
    }
}

static void test_wrong_pages_are_refused(void **state)
{
    phx_context *context = *state;
    phx_plot_options options = phx_plot_options_default();
    record(context, "r.h5", NULL, 10, false);
    const struct {
        phx_page page;
        const char *says;
    } cases[] = {{{.width = 5.0}, "expected 10 to 2000 mm, found 5"},
                 {{.width = NAN}, "the width"},
                 {{.width = 84.0, .height = 20.0}, "20 mm high has no room"},
                 {{.width = 12.0, .font_size = 20.0}, "12 mm wide has no room"},
                 {{.font_size = 1000.0}, "the size of letters"},
                 {{.resolution = 1e9}, "the resolution"},
                 {{.width = 2000.0, .resolution = 2400.0, .format = "png"}, "32767"},
                 {{.format = "gif"}, "svg, pdf or png, not 'gif'"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        options.page = cases[k].page;
        REFUSED(context, PHX_ERR_INPUT, cases[k].says, phx_plot(context, "r.h5", "x.pdf", &options));
        assert_false(example_exists("x.pdf") || example_exists("x.pdf.partial"));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, example_enter, example_leave)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_are_written_as_in_print),
        TEST(test_lists_of_columns_become_panels),
        TEST(test_columns_over_columns),
        TEST(test_ranges_and_scales),
        TEST(test_few_rows_and_names_that_are_none),
        TEST(test_other_tables_are_drawn),
        TEST(test_a_tone_has_a_peak_of_its_amplitude),
        TEST(test_spectra_of_columns),
        TEST(test_patterns_of_matrices),
        TEST(test_large_patterns_are_small_pictures),
        TEST(test_pages_have_the_size_that_was_asked_for),
        TEST(test_equal_pictures_are_equal_files),
        TEST(test_wrong_pages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
