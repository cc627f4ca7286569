/* Beams in a basis, in files: what is written is read again bit by bit, with points and sections along the length, in
 * plane and space, with masses and geometric stiffening; files that do not fit together are refused. */
#include "continuum/continuum.h"

#include "support/testing.h"

static const char path[] = "reduced_beam.h5";
enum { PORTS = 3 };
static const double places[PORTS] = {0.0, 1.0, 0.375};
static const char *const names[PORTS] = {"P", "C", "mid"};
static const double section[PHX_REDUCED_SECTION] = {2, 0, 0, 0, 0.03, 0.02, 6e-4, 2e-8, 4.5e-8, 4.7e-8, 0.01, 0.015};

/* Of a beam that stiffens, a section that varies. */
static phx_flex_source *make_beam(phx_context *context, int dim, phx_reference reference, bool stiffening)
{
    static const phx_beam_station stations[2] = {
        {0.0, 0.7, 50.0, {3.0, 2.0}, HUGE_VAL, 0.03, {0.0, 0.0}},
        {1.0, 0.5, 30.0, {2.5, 1.0}, HUGE_VAL, 0.02, {0.0, 0.0}},
    };
    static const phx_beam_mass mass = {.at = 1.0, .mass = 0.1, .inertia = {1e-4, 0, 0, 0, 2e-4, 0, 0, 0, 3e-4}};
    phx_beam_def def = phx_beam_def_default();
    phx_flex_source *beam = NULL;

    def.dim = dim;
    def.length = 1.3;
    def.mass_per_length = 0.7;
    def.axial_stiffness = 50.0;
    def.bending_stiffness[0] = 3.0;
    def.bending_stiffness[1] = 2.0;
    def.torsion_stiffness = HUGE_VAL;
    def.polar_inertia = 0.03;
    def.elements = 8;
    def.reference = reference;
    def.stiffening = stiffening;
    def.basis = PHX_BEAM_BASIS_CRAIG_BAMPTON;
    def.modes = 3;
    def.n_interfaces = PORTS;
    def.interfaces = places;
    def.n_masses = 1;
    def.masses = &mass;
    def.n_stations = stiffening ? 2 : 0;
    def.stations = stations;
    CHECK_OK(context, phx_beam_create(context, &def, &beam));
    return beam;
}

static void write_beam(phx_context *context, const phx_flex_source *beam)
{
    const int dim = phx_flex_source_flex(beam)->dim;
    phx_location at[PORTS];
    phx_reduced_port ports[PORTS] = {{.name = NULL}};

    for (int p = 0; p < PORTS; p++) {
        at[p] = phx_location_at_fraction(places[p]);
        ports[p] = (phx_reduced_port){.name = names[p], .location = &at[p]};
        for (int i = 0; i < dim; i++)
            ports[p].rotation[i * dim + i] = 1.0;
    }
    CHECK_OK(context, phx_reduced_write(context, path, "beam", "beam", beam, section, PORTS, ports));
}

static void check_numbers(size_t n, const double *a, const double *b)
{
    assert_memory_equal(a, b, n * sizeof *a);
}

static void check_same_point(phx_context *context, const phx_flex_source *a, double s, const phx_flex_source *b,
                             const phx_location *there)
{
    const phx_flex *flex = phx_flex_source_flex(a);
    phx_flex_point one, other;

    CHECK_OK(context, phx_beam_point(a, context, s, &one));
    CHECK_OK(context, phx_flex_source_point(b, context, there, &other));
    assert_int_equal(one.n, other.n);
    check_numbers(3, one.x, other.x);
    check_numbers((size_t)(flex->dim * one.n), one.phi, other.phi);
    check_numbers((size_t)(flex->n_rot * one.n), one.theta, other.theta);
    phx_flex_point_free(&one);
    phx_flex_point_free(&other);
}

/* Rows of section forces, times the coordinates 1, 2, ... */
static void check_same_section(phx_context *context, const phx_flex_source *a, double s, const phx_flex_source *b,
                               const phx_location *there)
{
    const size_t n = (size_t)phx_flex_source_flex(a)->n_stress;
    double *rows = phx_calloc(context, 8 * n, sizeof *rows);
    const phx_location here = phx_location_at_fraction(s);

    CHECK_OK(context, phx_flex_source_section_rows(a, context, &here, rows, rows + n, rows + 3 * n));
    CHECK_OK(context, phx_flex_source_section_rows(b, context, there, rows + 4 * n, rows + 5 * n, rows + 7 * n));
    check_numbers(4 * n, rows, rows + 4 * n);
    phx_free(rows);
}

static void what_is_written_is_read(void **state)
{
    phx_context *context = *state;

    for (int c = 0; c < 6; c++) {
        const phx_reference reference = c / 2 == 0 ? PHX_REFERENCE_CANTILEVER : PHX_REFERENCE_FREE;
        phx_flex_source *beam = make_beam(context, 2 + c % 2, reference, c / 2 == 2), *read = NULL;
        const phx_flex *a = phx_flex_source_flex(beam);
        const size_t n = (size_t)a->n, dim = (size_t)a->dim, rot = (size_t)a->n_rot, pairs = (size_t)a->n_pair;
        int count[2];
        const double *s[2], *weight[2];

        write_beam(context, beam);
        CHECK_OK(context, phx_reduced_read(context, path, &read));
        const phx_flex *b = phx_flex_source_flex(read);
        assert_true(b->n == a->n && b->dim == a->dim && b->n_rot == a->n_rot && b->n_pair == a->n_pair);
        check_numbers(1, &a->mass, &b->mass);
        check_numbers(dim, a->s0, b->s0);
        check_numbers(pairs, a->J0, b->J0);
        check_numbers(dim * n, a->S, b->S);
        check_numbers(rot * n, a->C, b->C);
        check_numbers(pairs * n, a->j, b->j);
        check_numbers(n * n, a->M, b->M);
        check_numbers(n * n, a->K, b->K);
        for (size_t k = 0; k < rot; k++)
            check_numbers(n * n, a->A[k], b->A[k]);
        for (size_t k = 0; k < pairs; k++)
            check_numbers(n * n, a->Q[k], b->Q[k]);
        assert_int_equal(!a->stiffening, !b->stiffening);
        if (a->stiffening) {
            const size_t products = (size_t)a->stiffening->product_begin[a->stiffening->n_strain];
            check_numbers(products, a->stiffening->weight, b->stiffening->weight);
            assert_int_equal(a->stiffening->stressed->n_strain, b->stiffening->stressed->n_strain);
        }
        for (int p = 0; p <= PORTS; p++) {
            const phx_location there = p < PORTS ? phx_location_of_name(names[p]) : phx_location_at_fraction(0.77);
            check_same_point(context, beam, p < PORTS ? places[p] : 0.77, read, &there);
            check_same_section(context, beam, p < PORTS ? places[p] : 0.77, read, &there);
        }
        CHECK_OK(context, phx_flex_source_quadrature(beam, context, &count[0], &s[0], &weight[0]));
        CHECK_OK(context, phx_flex_source_quadrature(read, context, &count[1], &s[1], &weight[1]));
        assert_int_equal(count[0], count[1]);
        assert_int_equal(phx_flex_source_cubic_pieces(read), 8);
        check_numbers(PHX_REDUCED_SECTION, section, phx_reduced_section(read));
        check_numbers(1, &phx_beam_definition(beam)->length, &phx_beam_definition(read)->length);
        assert_int_equal(phx_beam_definition(read)->n_stations, a->stiffening ? 2 : 0);
        if (a->stiffening)
            check_numbers(2 * sizeof(phx_beam_station) / sizeof(double), &phx_beam_definition(beam)->stations->at,
                          &phx_beam_definition(read)->stations->at);
        assert_null(phx_continuum_model(read));
        phx_flex_source_destroy(beam);
        phx_flex_source_destroy(read);
    }
}

/* Masses at ports, and the file of what has them. */
static void masses_are_added(void **state)
{
    phx_context *context = *state;
    const phx_continuum_mass mass = {.interface = 2, .mass = 0.5, .inertia = {1e-3}};
    phx_flex_source *beam = make_beam(context, 2, PHX_REFERENCE_FREE, true), *read = NULL, *made = NULL, *again = NULL;
    const phx_location half = phx_location_at_fraction(0.5);

    write_beam(context, beam);
    CHECK_OK(context, phx_reduced_read(context, path, &read));
    CHECK_OK(context, phx_reduced_with_masses(context, read, 1, &mass, &made));
    phx_flex_source_destroy(read);
    CHECK_RELATIVE(phx_flex_source_flex(made)->mass, phx_flex_source_flex(beam)->mass + 0.5, 1e-15, "mass");
    check_same_point(context, beam, 0.5, made, &half);
    write_beam(context, made);
    CHECK_OK(context, phx_reduced_read(context, path, &again));
    check_numbers(1, &phx_flex_source_flex(made)->mass, &phx_flex_source_flex(again)->mass);
    check_numbers(2, phx_flex_source_flex(made)->s0, phx_flex_source_flex(again)->s0);
    phx_flex_source_destroy(again);
    phx_flex_source_destroy(made);
    phx_flex_source_destroy(beam);
}

static void refuse(phx_context *context, const phx_flex_source *beam, const char *what)
{
    phx_flex_source *read = NULL;

    write_beam(context, beam);
    CHECK_STATUS(context, phx_reduced_read(context, path, &read), PHX_ERR_FILE);
    CHECK_MESSAGE(context, what);
    assert_null(read);
}

static void files_that_do_not_fit_are_refused(void **state)
{
    phx_context *context = *state;
    phx_flex_source *beam = make_beam(context, 2, PHX_REFERENCE_CANTILEVER, false), *read = NULL;
    phx_beam_def *def = (phx_beam_def *)(uintptr_t)phx_beam_definition(beam);
    const phx_beam_def right = *def;

    def->length = 1.4;
    refuse(context, beam, "/K is not that of the beam in /beam");
    *def = right;
    def->bending_stiffness[0] = -1.0;
    refuse(context, beam, "bending_stiffness[0] is -1");
    *def = right;
    def->elements = 7;
    refuse(context, beam, "/beam/T has 24 x ");
    *def = right;
    def->dim = 4;
    refuse(context, beam, "dimension 4");
    *def = right;
    def->stiffening = true;
    refuse(context, beam, "has geometric stiffening, the body does not");
    *def = right;
    def->modes = 3;
    refuse(context, beam, "3 assumed modes");
    *def = right;
    def->reference = PHX_REFERENCE_FREE;
    refuse(context, beam, "/beam");
    *def = right;
    write_beam(context, beam);
    for (long n = 0, status = 1; status; n++) {
        phx_context_fail_allocation(context, n);
        status = phx_reduced_read(context, path, &read);
        phx_context_fail_allocation(context, -1);
        assert_true(status == 0 || read == NULL);
    }
    phx_flex_source_destroy(read);
    phx_flex_source_destroy(beam);
}

static void what_is_no_basis_is_refused(void **state)
{
    phx_context *context = *state;
    phx_beam_def def = phx_beam_def_default();
    phx_flex_source *beam = NULL;

    def.length = def.mass_per_length = def.axial_stiffness = def.bending_stiffness[0] = 1.0;
    def.stiffening = true;
    CHECK_OK(context, phx_beam_create(context, &def, &beam));
    CHECK_STATUS(context, phx_reduced_write(context, "none.h5", "beam", "beam", beam, NULL, 0, NULL),
                 PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "say 'basis' or 'modes'");
    phx_flex_source_destroy(beam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(masses_are_added, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(files_that_do_not_fit_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_is_no_basis_is_refused, context_setup, context_teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
