/* Definitions that must be refused, allocations that fail, and the cost of a long beam. */
#include "support.h"
#include "fe/fe.h"

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
static void section_of_another(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->section_inertia[1] = 2.0 * def->polar_inertia;
}
static void negative_section_inertia(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->section_inertia[0] = -1.0;
}
static void section_in_the_plane(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->section_inertia[0] = 1.0;
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
    def->element = (phx_element_kind)3;
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

static void negative_modes(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->modes = -1;
}
static void too_many_modes(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->modes = 7; /* 2 elements: 6 coordinates */
}
static void stiffened_modes(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->modes = 2;
    def->stiffening = true;
    def->element = PHX_ELEMENT_ASSUMED;
}
static void too_many_stiffened_modes(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->modes = 49;
    def->elements = 40;
    def->stiffening = true;
}
static void pulled_missing(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->n_pulled = 1;
}
static void pulled_beside(phx_beam_def *def, phx_beam_mass *mass)
{
    static const double at[2] = {0.5, 1.5};
    (void)mass;
    def->n_pulled = 2;
    def->pulled = at;
}
static void no_assumed_modes(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->element = PHX_ELEMENT_ASSUMED;
}
static void assumed_supported(phx_beam_def *def, phx_beam_mass *mass)
{
    (void)mass;
    def->element = PHX_ELEMENT_ASSUMED;
    def->modes = 2;
    def->reference = PHX_REFERENCE_SIMPLY_SUPPORTED;
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
    {3, section_of_another, "whose sum must be the polar_inertia", PHX_ERR_ARGUMENT},
    {3, negative_section_inertia, "section_inertia", PHX_ERR_ARGUMENT},
    {2, section_in_the_plane, "for space", PHX_ERR_ARGUMENT},
    {2, no_elements, "elements", PHX_ERR_ARGUMENT},
    {2, too_many_elements, "elements", PHX_ERR_ARGUMENT},
    {2, order_4, "order", PHX_ERR_ARGUMENT},
    {2, other_element, "element", PHX_ERR_ARGUMENT},
    {2, other_reference, "reference", PHX_ERR_ARGUMENT},
    {2, paper_quintic, "order 5", PHX_ERR_UNSUPPORTED},
    {2, paper_stiffening, "stiffening", PHX_ERR_UNSUPPORTED},
    {2, dense_and_long, "fewer elements", PHX_ERR_UNSUPPORTED},
    {2, negative_modes, "modes is -1", PHX_ERR_ARGUMENT},
    {2, too_many_modes, "modes is 7, must be between 1 and 6", PHX_ERR_ARGUMENT},
    {2, stiffened_modes, "assumed modes do not have", PHX_ERR_UNSUPPORTED},
    {2, too_many_stiffened_modes, "modes (with stiffening) is 49, must be between 1 and 48", PHX_ERR_ARGUMENT},
    {2, pulled_missing, "n_pulled", PHX_ERR_ARGUMENT},
    {2, pulled_beside, "pulled[1]", PHX_ERR_ARGUMENT},
    {2, no_assumed_modes, "modes (element kind assumed) is 0, must be between 1 and 64", PHX_ERR_ARGUMENT},
    {3, assumed_supported, "cantilever", PHX_ERR_UNSUPPORTED},
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
        phx_flex_source_destroy(beam);
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
    phx_flex_source_destroy(NULL);
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
    phx_flex_source_destroy(beam);
}

/* Every allocation fails in turn: the error is reported and nothing leaks. */
static void test_allocation_failures(void **state)
{
    phx_context *context = *state;
    for (int k = 0; k < 2 * (PHX_REFERENCE_FREE + 1); k++) {
        phx_beam_def def = test_def(3, 3, (phx_reference)(k / 2), 2);
        def.stiffening = true;
        def.modes = k % 2 ? 3 : 0;
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
            phx_flex_source_destroy(beam);
        }
        assert_true(n > 30);
    }
}

/* Memory of a beam: bytes and calls of allocation, entries of its patterns. */
typedef struct measure {
    size_t bytes, calls, entries, stress, root, lin, slope;
} measure;

static size_t bytes_asked; /* by phx_calloc so far */
void *__real_phx_calloc(phx_context *context, size_t count, size_t size);
void *__wrap_phx_calloc(phx_context *context, size_t count, size_t size);
void *__wrap_phx_calloc(phx_context *context, size_t count, size_t size)
{
    bytes_asked += count * size;
    return __real_phx_calloc(context, count, size);
}

static measure measure_beam(phx_context *context, const phx_beam_def *def)
{
    const size_t bytes = bytes_asked, calls = phx_context_allocations(context);
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    const measure m = {.bytes = bytes_asked - bytes,
                       .calls = phx_context_allocations(context) - calls,
                       .entries = (size_t)flex->ptr[flex->n],
                       .stress = (size_t)flex->stress.ptr[flex->stress.rows],
                       .root = (size_t)flex->root.ptr[flex->root.rows],
                       .lin = (size_t)flex->stiffening->lin.ptr[flex->stiffening->lin.rows],
                       .slope = (size_t)flex->stiffening->slope.ptr[flex->stiffening->slope.rows]};
    phx_flex_source_destroy(beam);
    return m;
}

/* With elements n, 2n and 4n a quantity a + b n grows by b n and then by 2 b n; one of order n^2 would by 3 and 12. */
static void check_linear(size_t n, size_t twice, size_t four_times, const char *what)
{
    if (twice <= n || four_times - twice != 2 * (twice - n))
        fail_msg("%s: %zu, %zu and %zu with 50, 100 and 200 elements", what, n, twice, four_times);
}

/* A selecting reference: work in proportion to the elements. The memory touched and the entries of every pattern are;
 * the number of allocations does not depend on the elements. */
static void test_cost(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        for (int order = 3; order <= 5; order += 2) {
            measure m[3];
            for (int k = 0; k < 3; k++) {
                phx_beam_def def = test_def(dim, order, PHX_REFERENCE_SIMPLY_SUPPORTED, 50 << k);
                def.stiffening = true;
                m[k] = measure_beam(*state, &def);
            }
            check_linear(m[0].bytes, m[1].bytes, m[2].bytes, "bytes allocated");
            check_linear(m[0].entries, m[1].entries, m[2].entries, "entries of the matrices over q x q");
            check_linear(m[0].stress, m[1].stress, m[2].stress, "entries of the stress");
            check_linear(m[0].root, m[1].root, m[2].root, "entries of the root");
            check_linear(m[0].lin, m[1].lin, m[2].lin, "entries of the strain");
            check_linear(m[0].slope, m[1].slope, m[2].slope, "entries of the slopes");
            assert_int_equal(m[1].calls, m[0].calls);
            assert_int_equal(m[2].calls, m[0].calls);
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
