/* The comparison with the papers can fail: verdicts, published values that are changed, missing, superfluous or not to
 * be read; names; interruption; memory. That all items pass is tested through the program (cli_reproduce). */
#include "reproduce/reproduce.h"
#include "support/testing.h"

#include "results/report/comparison.h"
/* ---- verdicts ---- */
static phx_standard standard(double value, double tolerance)
{
    return (phx_standard){true, NULL, value, tolerance};
}

static void test_verdicts(void **state)
{
    const phx_standard none = {0}, met = standard(2.0, 0.1), missed = standard(3.0, 0.1);
    const struct {
        double value;
        phx_standard published, reference;
        const char *reason;
        phx_verdict verdict;
    } cases[] = {
        {2.05, none, none, NULL, PHX_VERDICT_SHOWN},
        {2.05, met, none, NULL, PHX_VERDICT_PASS},
        {2.05, none, met, NULL, PHX_VERDICT_PASS},
        {2.05, met, met, NULL, PHX_VERDICT_PASS},
        {2.05, met, met, "misprint", PHX_VERDICT_PASS},
        {2.05, missed, none, NULL, PHX_VERDICT_FAIL},
        {2.05, missed, met, NULL, PHX_VERDICT_FAIL},
        {2.05, missed, met, "misprint", PHX_VERDICT_EXPLAINED},
        {2.05, missed, none, "misprint", PHX_VERDICT_FAIL}, /* nothing else vouches for the value */
        {2.05, missed, missed, "misprint", PHX_VERDICT_FAIL},
        {2.05, met, missed, NULL, PHX_VERDICT_FAIL},
        {NAN, none, none, NULL, PHX_VERDICT_FAIL},
        {NAN, met, met, NULL, PHX_VERDICT_FAIL},
        {2.05, standard(NAN, 0.1), none, NULL, PHX_VERDICT_FAIL},
        {2.05, standard(2.0, NAN), none, NULL, PHX_VERDICT_FAIL},
        {2.1, standard(2.0, 0.0), none, NULL, PHX_VERDICT_FAIL},
        {2.0, standard(2.0, 0.0), none, NULL, PHX_VERDICT_PASS},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const phx_comparison_row row = {
            "x", "", cases[k].value, cases[k].published, cases[k].reference, cases[k].reason};
        if (phx_comparison_judge(&row) != cases[k].verdict)
            fail_msg("case %zu: %s, expected %s", k, phx_verdict_name(phx_comparison_judge(&row)),
                     phx_verdict_name(cases[k].verdict));
    }
}

/* ---- items with changed tables ---- */

/* The table that is compiled in, with one text replaced. */
static char *changed(phx_context *context, const char *from, const char *to)
{
    const char *text = phx_reproduce_published(), *at = strstr(text, from);
    const size_t room = strlen(text) + strlen(to) + 1;
    char *made = phx_calloc(context, room, 1);

    assert_non_null(at);
    assert_non_null(made);
    snprintf(made, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return made;
}

static phx_comparisons *compute(phx_context *context, const char *published, int count, const char *const *only)
{
    const phx_reproduce_options options = {count, only, published};
    phx_comparisons *page = NULL;

    CHECK_OK(context, phx_reproduce(context, &options, &page));
    assert_non_null(page);
    assert_int_equal(phx_comparisons_items(page), count);
    return page;
}

static void test_as_printed(void **state)
{
    const char *const only[] = {"table-8", "table-7"}; /* the order of the page stays */
    phx_comparisons *page = compute(*state, NULL, 2, only);

    assert_string_equal(phx_comparisons_name(page, 0), "table-7");
    assert_int_equal(phx_comparisons_verdict(page, 0), PHX_VERDICT_PASS);
    assert_int_equal(phx_comparisons_rows(page, 0), 12);
    assert_int_equal(phx_comparisons_count(page, 0, PHX_VERDICT_PASS), 12);
    assert_string_equal(phx_comparisons_name(page, 1), "table-8");
    assert_int_equal(phx_comparisons_verdict(page, 1), PHX_VERDICT_EXPLAINED);
    assert_int_equal(phx_comparisons_count(page, 1, PHX_VERDICT_EXPLAINED), 2);
    assert_int_equal(phx_comparisons_verdict(page, -1), PHX_VERDICT_EXPLAINED);
    phx_comparisons_destroy(page);
}

/* All but the long simulations, which are tested through the program. */
static void test_quick_items(void **state)
{
    const char *const slow[] = {"crank-slider", "hinged-beam", "drift"};
    const char *only[64];
    int count = 0;

    for (int k = 0; k < phx_reproduce_items(); k++) {
        bool quick = true;
        for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
            quick = quick && strcmp(slow[i], phx_reproduce_name(k)) != 0;
        if (quick)
            only[count++] = phx_reproduce_name(k);
    }
    phx_comparisons *page = compute(*state, NULL, count, only);
    for (int k = 0; k < count; k++) {
        assert_true(phx_comparisons_rows(page, k) > 0);
        if (phx_comparisons_verdict(page, k) == PHX_VERDICT_FAIL ||
            phx_comparisons_verdict(page, k) == PHX_VERDICT_SHOWN)
            fail_msg("%s: %s", only[k], phx_verdict_name(phx_comparisons_verdict(page, k)));
    }
    phx_comparisons_destroy(page);
}

static void test_wrong_values_fail(void **state)
{
    const char *const only[] = {"table-7", "table-10"};
    const struct {
        const char *from, *to;
    } changes[] = {
        {"table-7,ω1,9.8725,", "table-7,ω1,9.8726,"},         /* one unit of the last digit */
        {"table-7,ω1,9.8725,", "table-7,ω1,9.87254,"},        /* more digits than are right */
        {"table-7,ω1,9.8725,,,", "table-7,ω1,9.8725,,1e-9,"}, /* a tolerance that is not met */
        {"table-7,Δω1,0.03,", "table-7,Δω1,0.04,"},
        {"table-7,ω1,", "table-7,ω9,"}, /* nothing is computed for it */
    };

    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        char *published = changed(*state, changes[k].from, changes[k].to);
        phx_comparisons *page = compute(*state, published, 2, only);
        if (phx_comparisons_verdict(page, 0) != PHX_VERDICT_FAIL)
            fail_msg("%s for %s does not fail", changes[k].to, changes[k].from);
        assert_int_equal(phx_comparisons_verdict(page, 1), PHX_VERDICT_PASS);
        assert_int_equal(phx_comparisons_verdict(page, -1), PHX_VERDICT_FAIL);
        phx_comparisons_destroy(page);
        phx_free(published);
    }
}

/* Without its reason a misprint fails. */
static void test_reasons_are_needed(void **state)
{
    const char *const only[] = {"table-9"};
    const char *const reason =
        "Follows from the misprinted value of beam theory: (5.5933 - 5.5932)/5.5932 is 0.0018 %.";
    char quoted[200];

    snprintf(quoted, sizeof quoted, "\"%s\"", reason);
    char *published = changed(*state, quoted, "");
    phx_comparisons *page = compute(*state, published, 1, only);
    assert_int_equal(phx_comparisons_verdict(page, 0), PHX_VERDICT_FAIL);
    assert_int_equal(phx_comparisons_count(page, 0, PHX_VERDICT_FAIL), 1);
    phx_comparisons_destroy(page);
    phx_free(published);
}

static void test_wrong_tables(void **state)
{
    const char *const head = "item,quantity,printed,value,tolerance,reason\n";
    const struct {
        const char *rows, *message;
    } tables[] = {
        {"table-7,ω1,9.8725,,\n", "line 2: 5 fields"},
        {"table-7,ω1,9.8725,,,,\n", "line 2: 7 fields"},
        {"# comment\n\ntable-7,ω1,about ten,,,\n", "line 4: 'about ten' is no number"},
        {"table-7,ω1,9.8725,x,,\n", "'x' is no number"},
        {"table-7,ω1,9.8725,,-1,\n", "'-1'"},
        {"table-7,ω1,nan,,,\n", "'nan'"},
        {"table-7,ω1,quadratic,2,,\n", "the tolerance ''"}, /* a statement has no digits to take it from */
        {"tabel-7,ω1,9.8725,,,\n", "did you mean 'table-7'"},
        {NULL, "names of the columns"}, /* no headings: the first value would get lost */
    };
    const char *const only[] = {"table-7"};

    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        char text[300];
        phx_comparisons *page = NULL;
        snprintf(text, sizeof text, "%s%s", tables[k].rows ? head : "", tables[k].rows ? tables[k].rows : "a,b,1,,,\n");
        const phx_reproduce_options options = {1, only, text};
        CHECK_STATUS(*state, phx_reproduce(*state, &options, &page), PHX_ERR_INPUT);
        CHECK_MESSAGE(*state, tables[k].message);
        assert_null(page);
    }
}

/* Ends of lines of other systems and blanks are no reason. */
static void test_blank_reasons(void **state)
{
    static const char *const texts[] = {"item,quantity,printed,value,tolerance,reason\r\ntable-7,ω1,9.8726,,,\r\n",
                                        "item,quantity,printed,value,tolerance,reason\ntable-7,ω1,9.8726,,, \n",
                                        "item,quantity,printed,value,tolerance,reason\ntable-7,ω1,9.8726,,,\"\""};
    const char *const only[] = {"table-7"};

    for (int k = 0; k < 3; k++) {
        phx_comparisons *page = compute(*state, texts[k], 1, only);
        assert_int_equal(phx_comparisons_verdict(page, 0), PHX_VERDICT_FAIL);
        assert_int_equal(phx_comparisons_count(page, 0, PHX_VERDICT_FAIL), 1);
        phx_comparisons_destroy(page);
    }
}

/* No published value gets lost. */
static void test_published_values(void **state)
{
    static const struct {
        const char *item;
        int values;
    } wanted[] = {{"table-1,", 18},     {"table-3,", 6},     {"table-4,", 6},     {"table-5,", 6},
                  {"table-6,", 6},      {"table-7,", 6},     {"table-8,", 6},     {"table-9,", 6},
                  {"table-10,", 6},     {"table-11,", 6},    {"matrices,", 4},    {"four-bar,", 1},
                  {"crank-slider,", 1}, {"hinged-beam,", 1}, {"convergence,", 6}, {"revolute-joint,", 2}};
    int all = 0, found = 0;
    (void)state;

    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        int count = 0;
        for (const char *at = phx_reproduce_published(); (at = strchr(at, '\n')); at++)
            count += !strncmp(at + 1, wanted[k].item, strlen(wanted[k].item));
        if (count != wanted[k].values)
            fail_msg("%s %d published values, there have to be %d", wanted[k].item, count, wanted[k].values);
        found += count;
    }
    for (const char *at = phx_reproduce_published(); (at = strchr(at, '\n')); at++)
        all += at[1] != '#' && at[1] != '\0' && strncmp(at + 1, "item,", 5) != 0;
    assert_int_equal(all, found);
}

/* ---- names, interruption, memory ---- */

static void test_names(void **state)
{
    int k = -1;
    phx_comparisons *page = NULL;
    const char *const only[] = {"table-12"};
    const phx_reproduce_options options = {1, only, NULL};

    assert_true(phx_reproduce_items() >= 20);
    for (int i = 0; i < phx_reproduce_items(); i++) {
        CHECK_OK(*state, phx_reproduce_find(*state, phx_reproduce_name(i), &k));
        assert_int_equal(k, i); /* no name stands twice */
        assert_true(phx_reproduce_title(i)[0] && phx_reproduce_place(i)[0]);
    }
    CHECK_STATUS(*state, phx_reproduce_find(*state, "crank_slider", &k), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "did you mean 'crank-slider'?");
    CHECK_STATUS(*state, phx_reproduce(*state, &options, &page), PHX_ERR_INPUT);
    CHECK_MESSAGE(*state, "'table-12'");
    assert_null(page);
}

static bool stop_at_second(void *user, const char *what, double done, double total)
{
    (void)user;
    (void)total;
    return strcmp(what, "tables and figures") != 0 || done < 1.0;
}

static void test_interruption(void **state)
{
    const char *const only[] = {"table-3", "table-4"};
    const phx_reproduce_options options = {2, only, NULL};
    phx_comparisons *page = NULL;

    phx_context_set_progress(*state, stop_at_second, NULL);
    CHECK_STATUS(*state, phx_reproduce(*state, &options, &page), PHX_INTERRUPTED);
    assert_null(page);
}

static void test_memory(void **state)
{
    const char *const only[] = {"matrices"};
    const phx_reproduce_options options = {1, only, NULL};
    phx_status status = PHX_ERR_MEMORY;

    for (long k = 0; status == PHX_ERR_MEMORY; k++) {
        phx_comparisons *page = NULL;
        phx_context_fail_allocation(*state, k);
        status = phx_reproduce(*state, &options, &page);
        phx_context_fail_allocation(*state, -1);
        if (status)
            assert_null(page);
        else
            assert_int_equal(phx_comparisons_verdict(page, -1), PHX_VERDICT_PASS);
        phx_comparisons_destroy(page);
    }
    CHECK_OK(*state, status);
}

/* ---- the page ---- */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Names with all that html, json and csv have to escape; a failed computation; a row that is not a number. */
static void test_page(void **state)
{
    const char *const nasty = "a \"quoted\" </script> & `code`, Größe";
    const phx_comparison_item item = {.name = "one", .title = nasty, .source = "none", .text = nasty, .model = nasty};
    const phx_comparison_figure figure = {.title = nasty, .x_label = "x", .y_label = "y"};
    const phx_comparison_row row = {nasty, "m", NAN, standard(1.0, 0.1), {0}, NULL};
    const double x[3] = {0.0, 1.0, 2.0}, y[3] = {0.0, NAN, 1.0};
    static const char *const names[] = {"page.html", "page.json", "page.csv"};
    phx_comparisons *page = NULL;

    CHECK_OK(*state, phx_comparisons_create(*state, nasty, &page));
    assert_int_equal(phx_comparisons_verdict(page, -1), PHX_VERDICT_SHOWN);
    for (int format = PHX_COMPARISONS_HTML; format <= PHX_COMPARISONS_CSV; format++) /* no items */
        CHECK_OK(*state, phx_comparisons_write(page, (phx_comparisons_format)format, names[format]));
    phx_comparisons_add_item(page, &item);
    assert_int_equal(phx_comparisons_verdict(page, 0), PHX_VERDICT_SHOWN);
    phx_comparisons_add_row(page, &row);
    phx_comparisons_add_note(page, nasty);
    phx_comparisons_add_figure(page, &figure);
    phx_comparisons_add_line(page, nasty, false, 3, x, y);
    phx_comparisons_add_line(page, NULL, true, 3, x, y);
    phx_comparisons_fail_item(page, nasty);
    assert_int_equal(phx_comparisons_verdict(page, 0), PHX_VERDICT_FAIL);
    for (int format = PHX_COMPARISONS_HTML; format <= PHX_COMPARISONS_CSV; format++)
        CHECK_OK(*state, phx_comparisons_write(page, (phx_comparisons_format)format, names[format]));
    char *html = read_file(names[0]), *json = read_file(names[1]), *csv = read_file(names[2]);
    assert_null(strstr(html, "</script>"));
    assert_null(strstr(html, "nan"));
    CHECK_TEXT(html, "&lt;/script&gt; &amp; <code>code</code>, Größe");
    CHECK_TEXT(html, "The computation failed");
    CHECK_TEXT(json, "a \\\"quoted\\\"");
    CHECK_TEXT(json, "\"value\": null");
    CHECK_TEXT(csv, "\"a \"\"quoted\"\"");
    CHECK_TEXT(csv, ",fail,");
    free(html);
    free(json);
    free(csv);
    for (int k = 0; k < 3; k++)
        remove(names[k]);
    CHECK_STATUS(*state, phx_comparisons_write(page, PHX_COMPARISONS_HTML, "no/such/folder/page.html"), PHX_ERR_FILE);
    phx_comparisons_destroy(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test_setup_teardown(test_as_printed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_quick_items, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_values_fail, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_reasons_are_needed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_tables, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_blank_reasons, context_setup, context_teardown),
        cmocka_unit_test(test_published_values),
        cmocka_unit_test_setup_teardown(test_names, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_interruption, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_page, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("reproduce", tests, NULL, NULL);
}
