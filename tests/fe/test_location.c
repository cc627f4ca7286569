/* Places on a body: what a source offers, how a place is said and read, what is refused. */
#include "support.h"
#include "fe/fe.h"

enum { MODES = 2 };

/* A modal body in the plane with the points "tip" and "eye", in one memory. */
typedef struct modal_sample {
    double shapes[3 * MODES];
    phx_flex_point points[2];
    phx_flex_source *source;
} modal_sample;

static void make_modal(phx_context *context, modal_sample *it)
{
    static const double frequency[MODES] = {2.0, 5.0}, small[2 * MODES] = {0.1, 0.2, 0.05, 0.1};
    const double places[2][2] = {{1.0, 0.5}, {-0.5, 0.25}};
    *it = (modal_sample){.shapes = {0.3, -0.1, 0.7, 0.2, 0.4, 0.9}};
    for (int k = 0; k < 2; k++)
        CHECK_OK(context, phx_modal_point(context, 2, MODES, places[k], it->shapes + k, it->shapes, &it->points[k]));
    const phx_modal_named named[2] = {{"tip", &it->points[0]}, {"eye", &it->points[1]}};
    const phx_modal_data data = {.dim = 2,
                                 .mass = 3.0,
                                 .inertia = {2.0},
                                 .modes = MODES,
                                 .frequency = frequency,
                                 .translation = small,
                                 .rotation = small,
                                 .n_points = 2,
                                 .points = named};
    CHECK_OK(context, phx_modal_source_create(context, &data, &it->source));
}

static void free_modal(modal_sample *it)
{
    phx_flex_source_destroy(it->source);
    for (int k = 0; k < 2; k++)
        phx_flex_point_free(&it->points[k]);
}

static void check_same_point(int dim, const phx_flex_point *a, const phx_flex_point *b, const char *what)
{
    CHECK_VECTOR(dim, a->x, b->x, 0.0, "%s: place", what);
    assert_int_equal(a->n, b->n);
    for (int k = 0; k < a->n; k++)
        assert_int_equal(a->dof[k], b->dof[k]);
    CHECK_VECTOR(dim * a->n, a->phi, b->phi, 0.0, "%s: displacement", what);
    CHECK_VECTOR((dim == 2 ? 1 : 3) * a->n, a->theta, b->theta, 0.0, "%s: rotation", what);
}

/* The origin of a beam is P, also where it moves; a fraction is what phx_beam_point gives; both of a beam in modes too.
 */
static void a_beam_offers_its_origin_and_fractions(void **state)
{
    phx_context *context = *state;
    const phx_location origin = {.sort = PHX_LOCATION_ORIGIN};
    for (int dim = 2; dim <= 3; dim++) {
        const phx_beam_def def = test_def(dim, 3, PHX_REFERENCE_FREE, 3);
        phx_beam *beams[2] = {test_beam(context, &def), NULL};
        CHECK_OK(context, phx_flex_source_modes(context, beams[0], 4, &beams[1]));
        for (int k = 0; k < 2; k++) {
            phx_flex_point point, same;
            assert_int_equal(phx_flex_source_sorts(beams[k]), 1 << PHX_LOCATION_ORIGIN | 1 << PHX_LOCATION_FRACTION);
            assert_true(phx_flex_source_has_sections(beams[k]));
            assert_string_equal(phx_flex_source_kind(beams[k]), "beam");
            for (int p = 0; p < 2; p++) {
                const phx_location middle = phx_location_at_fraction(0.4);
                CHECK_OK(context, phx_flex_source_point(beams[k], context, p ? &middle : &origin, &point));
                CHECK_OK(context, phx_beam_point(beams[k], context, p ? 0.4 : 0.0, &same));
                assert_true(point.n > 0); /* mean axes: P moves */
                check_same_point(dim, &point, &same, p ? "fraction" : "origin");
                phx_flex_point_free(&point);
                phx_flex_point_free(&same);
            }
        }
        phx_flex_source_destroy(beams[1]);
        phx_flex_source_destroy(beams[0]);
    }
}

/* By name, through a projection too. */
static void a_modal_body_offers_names(void **state)
{
    phx_context *context = *state;
    const double T[MODES] = {0.6, 0.8};
    const phx_location eye = phx_location_of_name("eye"), wrong = phx_location_of_name("eyes");
    phx_flex_source *projected = NULL;
    phx_flex_point point, whole;
    modal_sample it;
    make_modal(context, &it);
    CHECK_OK(context, phx_flex_source_point(it.source, context, &eye, &point));
    check_same_point(2, &point, &it.points[1], "eye");
    phx_flex_point_free(&point);
    CHECK_STATUS(context, phx_flex_source_point(it.source, context, &wrong, &point), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "no point 'eyes'; did you mean 'eye'?");
    const phx_location nameless = phx_location_of_name(NULL);
    CHECK_STATUS(context, phx_flex_source_point(it.source, context, &nameless, &point), PHX_ERR_ARGUMENT);

    CHECK_OK(context, phx_flex_source_project(context, it.source, 1, T, &projected));
    CHECK_OK(context, phx_flex_source_point(projected, context, &eye, &point));
    CHECK_OK(context, phx_flex_point_project(context, 2, &it.points[1], 1, T, &whole));
    check_same_point(2, &point, &whole, "projected");
    assert_string_equal(phx_flex_source_kind(projected), "modal body");
    assert_false(phx_flex_source_has_sections(projected));
    phx_flex_point_free(&point);
    phx_flex_point_free(&whole);
    phx_flex_source_destroy(projected);
    free_modal(&it);
}

/* Every sort that a source does not offer is refused with those that it does. */
static void others_are_refused(void **state)
{
    phx_context *context = *state;
    const phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 2);
    phx_location locations[PHX_LOCATION_SORTS + 1] = {{.sort = PHX_LOCATION_ORIGIN}};
    int count = 0;
    const double *s = NULL;
    phx_flex_point point;
    modal_sample it;
    make_modal(context, &it);
    phx_flex_source *beam = test_beam(context, &def), *sources[2] = {beam, it.source};
    for (int k = 0; k <= PHX_LOCATION_SORTS; k++)
        locations[k] = (phx_location){.sort = (phx_location_sort)k, .name = "tip"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k <= PHX_LOCATION_SORTS; k++) {
            if (phx_flex_source_offers(sources[i], (phx_location_sort)k))
                continue;
            CHECK_STATUS(context, phx_flex_source_point(sources[i], context, &locations[k], &point), PHX_ERR_ARGUMENT);
            CHECK_MESSAGE(context, i == 0 ? "beam: its points are given by: origin, fraction of the length;"
                                          : "modal body: its points are given by: name;");
        }
    const phx_location beyond = phx_location_at_fraction(1.5), nowhere = phx_location_at_fraction(NAN);
    CHECK_STATUS(context, phx_flex_source_point(beam, context, &beyond, &point), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "at 1.5 lies off the beam");
    CHECK_STATUS(context, phx_flex_source_point(beam, context, &nowhere, &point), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_flex_source_section_rows(beam, context, &beyond, NULL, NULL, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context,
                 phx_flex_source_section_rows(it.source, context, &locations[PHX_LOCATION_NAME], NULL, NULL, NULL),
                 PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "modal body: it has no sections");
    CHECK_STATUS(context, phx_flex_source_quadrature(it.source, context, &count, &s, &s), PHX_ERR_ARGUMENT);
    phx_flex_source_destroy(beam);
    free_modal(&it);
}

/* A number is a fraction or else a node, other text a name. */
static void a_text_is_read_by_what_is_offered(void **state)
{
    phx_context *context = *state;
    enum { FRACTION = 1 << PHX_LOCATION_FRACTION, NODE = 1 << PHX_LOCATION_NODE, NAME = 1 << PHX_LOCATION_NAME };
    static const struct {
        const char *text;
        unsigned sorts;
        phx_location wanted;
    } good[] = {{"0.25", FRACTION | NODE, {.sort = PHX_LOCATION_FRACTION, .fraction = 0.25}},
                {"1", FRACTION | NODE, {.sort = PHX_LOCATION_FRACTION, .fraction = 1.0}},
                {"17", NODE | NAME, {.sort = PHX_LOCATION_NODE, .node = 17}},
                {"bore", NODE | NAME, {.sort = PHX_LOCATION_NAME, .name = "bore"}},
                {"2nd", FRACTION | NAME, {.sort = PHX_LOCATION_NAME, .name = "2nd"}}},
      bad[] = {{"bore", FRACTION | NODE, {.sort = PHX_LOCATION_ORIGIN}},
               {"1.5", NODE | NAME, {.sort = PHX_LOCATION_ORIGIN}},
               {"", FRACTION, {.sort = PHX_LOCATION_ORIGIN}},
               {"1e300", NODE, {.sort = PHX_LOCATION_ORIGIN}},
               {"nan", NODE, {.sort = PHX_LOCATION_ORIGIN}},
               {"0.5", 0, {.sort = PHX_LOCATION_ORIGIN}}};
    phx_location found;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        CHECK_OK(context, phx_location_read(context, good[k].sorts, good[k].text, &found));
        assert_true(phx_location_same(&found, &good[k].wanted));
        for (size_t other = 0; other < sizeof good / sizeof *good; other++)
            assert_int_equal(phx_location_same(&found, &good[other].wanted), other == k);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK_STATUS(context, phx_location_read(context, bad[k].sorts, bad[k].text, &found), PHX_ERR_ARGUMENT);
    const phx_location a = phx_location_at_place(3, (const double[3]){1, 2, 3}),
                       b = phx_location_at_place(2, (const double[2]){1, 2});
    assert_true(phx_location_same(&a, &a));
    assert_false(phx_location_same(&a, &b));
    assert_string_equal(phx_location_sorts_text(0).text, "nothing");
    for (int k = 0; k < PHX_LOCATION_SORTS; k++) /* all of them fit */
        assert_non_null(strstr(phx_location_sorts_text((1u << PHX_LOCATION_SORTS) - 1).text,
                               phx_location_sorts_text(1u << k).text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_beam_offers_its_origin_and_fractions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_modal_body_offers_names, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(others_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_text_is_read_by_what_is_offered, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("fe_location", tests, NULL, NULL);
}
