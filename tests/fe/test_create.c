/* Definitions that must be refused, allocations that fail, and the cost of a long beam. */
#include "support.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* A change that spoils a good definition, the dimension it needs and the word its message must hold. */
typedef void spoil_fn(phx_beam_def *def, phx_beam_mass *mass);
typedef struct bad_def {
    int dim;
    spoil_fn *spoil;
    const char *word;
    phx_status status;
} bad_def;

static void dim_4(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->dim = 4;
}
static void no_length(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->length = 0.0;
}
static void nan_length(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->length = NAN;
}
static void negative_mass_per_length(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->mass_per_length = -1.0;
}
static void infinite_axial(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->axial_stiffness = INFINITY;
}
static void no_bending(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->bending_stiffness[0] = 0.0;
}
static void no_second_bending(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->bending_stiffness[1] = -2.0;
}
static void nan_torsion(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->torsion_stiffness = NAN;
}
static void no_polar(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->polar_inertia = 0.0;
}
static void no_elements(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->elements = 0;
}
static void too_many_elements(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->elements = 2000000;
}
static void order_4(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->order = 4;
}
static void other_element(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->element = (phx_element_kind)2;
}
static void other_reference(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->reference = (phx_reference)3;
}
static void paper_quintic(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->element = PHX_ELEMENT_PAPER;
    def->order = 5;
}
static void paper_stiffening(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->element = PHX_ELEMENT_PAPER;
    def->stiffening = true;
}
static void dense_and_long(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->reference = PHX_REFERENCE_FREE;
    def->elements = 100000;
}
static void masses_missing(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->masses = NULL;
}
static void mass_beside(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)def;
    mass->at = 1.5;
}
static void mass_nowhere(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)def;
    mass->at = NAN;
}
static void mass_negative(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)def;
    mass->mass = -0.1;
}
static void inertia_negative(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)def;
    mass->inertia[0] = -0.1;
}
static void inertia_unsymmetric(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)def;
    mass->inertia[1] = 0.001;
}
static void inertia_indefinite(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)def;
    mass->inertia[5] = mass->inertia[7] = 0.5;
}

static const bad_def bad_defs[] = {
    {2, dim_4, "dim", PHX_ERR_ARGUMENT},
    {2, no_length, "length", PHX_ERR_ARGUMENT},
    {2, nan_length, "length", PHX_ERR_ARGUMENT},
    {2, negative_mass_per_length, "mass_per_length", PHX_ERR_ARGUMENT},
    {2, infinite_axial, "axial_stiffness", PHX_ERR_ARGUMENT},
    {2, no_bending, "bending_stiffness[0]", PHX_ERR_ARGUMENT},
    {3, no_second_bending, "bending_stiffness[1]", PHX_ERR_ARGUMENT},
    {3, nan_torsion, "torsion_stiffness", PHX_ERR_ARGUMENT},
    {3, no_polar, "polar_inertia", PHX_ERR_ARGUMENT},
    {2, no_elements, "elements", PHX_ERR_ARGUMENT},
    {2, too_many_elements, "elements", PHX_ERR_ARGUMENT},
    {2, order_4, "order", PHX_ERR_ARGUMENT},
    {2, other_element, "element", PHX_ERR_ARGUMENT},
    {2, other_reference, "reference", PHX_ERR_ARGUMENT},
    {2, paper_quintic, "order 5", PHX_ERR_UNSUPPORTED},
    {2, paper_stiffening, "stiffening", PHX_ERR_UNSUPPORTED},
    {2, dense_and_long, "fewer elements", PHX_ERR_UNSUPPORTED},
    {2, masses_missing, "n_masses", PHX_ERR_ARGUMENT},
    {2, mass_beside, "masses[0].at", PHX_ERR_ARGUMENT},
    {3, mass_nowhere, "masses[0].at", PHX_ERR_ARGUMENT},
    {2, mass_negative, "masses[0].mass", PHX_ERR_ARGUMENT},
    {2, inertia_negative, "masses[0].inertia", PHX_ERR_ARGUMENT},
    {3, inertia_unsymmetric, "masses[0].inertia", PHX_ERR_ARGUMENT},
    {3, inertia_indefinite, "masses[0].inertia", PHX_ERR_ARGUMENT},
};

static void test_refusals(void **state)
{
    phx_context *context = *state;
    for (size_t k = 0; k < sizeof bad_defs / sizeof bad_defs[0]; k++) {
        phx_beam_def def = test_def(bad_defs[k].dim, 3, PHX_REFERENCE_CANTILEVER, 2);
        phx_beam_mass mass = {.at = 0.5, .mass = 1.0, .inertia = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}};
        phx_beam *beam = NULL;
        def.n_masses = 1;
        def.masses = &mass;
        CHECK_STATUS(context, phx_beam_create(context, &def, &beam), PHX_OK);
        phx_beam_destroy(beam);
        beam = NULL;
        bad_defs[k].spoil(&def, &mass);
        phx_context_clear(context);
        CHECK_STATUS(context, phx_beam_create(context, &def, &beam), bad_defs[k].status);
        assert_null(beam);
        if (!strstr(phx_context_message(context), bad_defs[k].word))
            fail_msg("the message \"%s\" does not name %s", phx_context_message(context), bad_defs[k].word);
    }
}

/* The default definition lacks what only the user knows. */
static void test_defaults(void **state)
{
    phx_beam_def def = phx_beam_def_default();
    phx_beam *beam = NULL;
    assert_int_equal(def.elements, 4);
    assert_int_equal(def.order, 3);
    CHECK_STATUS(*state, phx_beam_create(*state, &def, &beam), PHX_ERR_ARGUMENT);
    CHECK_STATUS(*state, phx_beam_create(*state, NULL, &beam), PHX_ERR_ARGUMENT);
    phx_beam_destroy(NULL);
    phx_flex_free(NULL);
    phx_flex_point_free(NULL);
}

static void test_points_off_the_beam(void **state)
{
    const phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 2);
    phx_beam *beam = test_beam(*state, &def);
    const double places[3] = {-1e-9, 1.0 + 1e-9, NAN};
    for (int k = 0; k < 3; k++) {
        phx_flex_point point;
        CHECK_STATUS(*state, phx_beam_point(beam, *state, places[k], &point), PHX_ERR_ARGUMENT);
    }
    phx_beam_destroy(beam);
}

/* Every allocation fails in turn: the error is reported and nothing leaks. */
static void test_allocation_failures(void **state)
{
    phx_context *context = *state;
    for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
        phx_beam_def def = test_def(3, 3, (phx_reference)reference, 2);
        def.stiffening = true;
        long n = 0;
        for (bool done = false; !done; n++) {
            phx_beam *beam = NULL;
            phx_flex_point point = {.n = 0};
            phx_context_fail_allocation(context, n);
            phx_status status = phx_beam_create(context, &def, &beam);
            if (status == PHX_OK)
                status = phx_beam_point(beam, context, 0.4, &point);
            done = status == PHX_OK;
            phx_context_fail_allocation(context, -1);
            if (!done)
                CHECK_STATUS(context, status, PHX_ERR_MEMORY);
            phx_flex_point_free(&point);
            phx_beam_destroy(beam);
        }
        assert_true(n > 30);
    }
}

static double build_seconds(phx_context *context, const phx_beam_def *def)
{
    double best = 1e9;
    for (int repeat = 0; repeat < 3; repeat++) {
        struct timespec start, end;
        timespec_get(&start, TIME_UTC);
        phx_beam_destroy(test_beam(context, def));
        timespec_get(&end, TIME_UTC);
        best = fmin(best, (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    }
    return best;
}

/* A selecting reference: cost in proportion to the elements. Bounds are loose, for busy machines and sanitizers. */
static void test_cost(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        for (int order = 3; order <= 5; order += 2) {
            phx_beam_def def = test_def(dim, order, PHX_REFERENCE_SIMPLY_SUPPORTED, 1000);
            const double small = build_seconds(*state, &def);
            def.elements = 8000;
            const double large = build_seconds(*state, &def);
            print_message("dimension %d, order %d: 1000 elements %.2f ms, 8000 elements %.2f ms\n", dim, order,
                          1e3 * small, 1e3 * large);
            assert_true(small < 0.5);
            assert_true(large < 45 * small); /* 64 if it were quadratic; long beams leave the cache */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refusals, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_defaults, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_points_off_the_beam, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_allocation_failures, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cost, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("fe creation", tests, NULL, NULL);
}
