/* A body by its modal data: the integrals given, masses at points, and what is refused. */
#include "support.h"
#include "fe/fe.h"

enum { MODES = 3 };

/* Plausible data of a body in space, or its part in the plane. */
typedef struct sample {
    double frequency[MODES], translation[3 * MODES], rotation[3 * MODES], first[6 * MODES];
    double gyroscopic[3 * MODES * MODES], second[6 * MODES * MODES];
    phx_flex_point point;
    phx_modal_mass mass;
    phx_modal_data data;
} sample;

static void make_sample(phx_context *context, int dim, sample *it)
{
    const int n_rot = dim == 2 ? 1 : 3, n_pair = dim == 2 ? 1 : 6;
    const double inertia[9] = {2.0, 0.1, 0.0, 0.1, 3.0, 0.2, 0.0, 0.2, 4.0};
    double x[3] = {1.0, 0.2, -0.1}, phi[3 * MODES], theta[3 * MODES];
    uint64_t seed = 7;
    memset(it, 0, sizeof *it);
    random_vector(&seed, dim * MODES, 0.4, it->translation);
    random_vector(&seed, n_rot * MODES, 0.3, it->rotation);
    random_vector(&seed, n_pair * MODES, 0.2, it->first);
    random_vector(&seed, 3 * MODES, 0.5, phi);
    random_vector(&seed, 3 * MODES, 0.5, theta);
    for (int k = 0; k < MODES; k++)
        it->frequency[k] = 1.5 + k;
    for (int i = 0; i < MODES; i++)
        for (int j = 0; j < i; j++) {
            for (int a = 0; a < n_rot; a++) {
                it->gyroscopic[(a * MODES + i) * MODES + j] = 0.1 * (a + 1) + 0.01 * i;
                it->gyroscopic[(a * MODES + j) * MODES + i] = -it->gyroscopic[(a * MODES + i) * MODES + j];
            }
            for (int p = 0; p < n_pair; p++)
                it->second[(p * MODES + i) * MODES + j] = it->second[(p * MODES + j) * MODES + i] = 0.05 * (p + 1);
        }
    CHECK_STATUS(context, phx_modal_point(context, dim, MODES, x, phi, theta, &it->point), PHX_OK);
    it->mass = (phx_modal_mass){.point = &it->point, .mass = 0.4, .inertia = {0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.04}};
    it->data = (phx_modal_data){.dim = dim,
                                .mass = 5.0,
                                .centre = {0.3, -0.2, 0.1},
                                .modes = MODES,
                                .frequency = it->frequency,
                                .translation = it->translation,
                                .rotation = it->rotation,
                                .inertia_first = it->first,
                                .gyroscopic = it->gyroscopic,
                                .inertia_second = it->second};
    memcpy(it->data.inertia, inertia, (size_t)(n_rot * n_rot) * sizeof *inertia);
}

/* Every number given is found where it belongs; mass, first moment and inertia are about the origin. */
static void test_values(void **state)
{
    phx_context *context = *state;
    for (int dim = 2; dim <= 3; dim++) {
        sample it;
        phx_flex_source *source = NULL;
        make_sample(context, dim, &it);
        CHECK_STATUS(context, phx_modal_source_create(context, &it.data, &source), PHX_OK);
        const phx_flex *flex = phx_flex_source_flex(source);
        const double *c = it.data.centre, m = 5.0;
        assert_string_equal(phx_flex_source_kind(source), "modal body");
        assert_false(phx_flex_source_has_sections(source));
        assert_false(phx_flex_source_offers(source, PHX_LOCATION_FRACTION));
        assert_true(phx_flex_source_offers(source, PHX_LOCATION_NAME));
        CHECK_CLOSE(flex->mass, m, 0.0, "mass");
        for (int a = 0; a < dim; a++)
            CHECK_CLOSE(flex->s0[a], m * c[a], 1e-15, "first moment %d", a);
        if (dim == 2) {
            CHECK_CLOSE(flex->J0[0], 2.0 + m * (c[0] * c[0] + c[1] * c[1]), 1e-14, "inertia");
        } else {
            CHECK_CLOSE(flex->J0[1], 3.0 + m * (c[0] * c[0] + c[2] * c[2]), 1e-14, "inertia 22");
            CHECK_CLOSE(flex->J0[3], 0.1 - m * c[0] * c[1], 1e-14, "inertia 12");
            CHECK_CLOSE(flex->J0[5], 0.2 - m * c[1] * c[2], 1e-14, "inertia 23");
        }
        for (int k = 0; k < MODES; k++) {
            for (int a = 0; a < dim; a++)
                CHECK_CLOSE(flex->S[a * MODES + k], it.translation[k * dim + a], 0.0, "S");
            for (int a = 0; a < flex->n_rot; a++)
                CHECK_CLOSE(flex->C[a * MODES + k], it.rotation[k * flex->n_rot + a], 0.0, "C");
            for (int p = 0; p < flex->n_pair; p++)
                CHECK_CLOSE(flex->j[p * MODES + k], it.first[k * flex->n_pair + p], 0.0, "j");
            for (int l = 0; l < MODES; l++) {
                const double omega = 2.0 * TEST_PI * it.frequency[k];
                CHECK_CLOSE(flex->M[k * MODES + l], k == l, 0.0, "M");
                CHECK_CLOSE(flex->K[k * MODES + l], k == l ? omega * omega : 0.0, 1e-12, "K");
                for (int a = 0; a < flex->n_rot; a++)
                    CHECK_CLOSE(flex->A[a][k * MODES + l], it.gyroscopic[(a * MODES + k) * MODES + l], 0.0, "A");
                for (int p = 0; p < flex->n_pair; p++)
                    CHECK_CLOSE(flex->Q[p][k * MODES + l], it.second[(p * MODES + k) * MODES + l], 0.0, "Q");
            }
        }
        phx_flex_source_destroy(source);
        it.data.gyroscopic = it.data.inertia_second = it.data.inertia_first = NULL; /* then nothing couples */
        CHECK_STATUS(context, phx_modal_source_create(context, &it.data, &source), PHX_OK);
        assert_int_equal(phx_flex_source_flex(source)->ptr[MODES], MODES);
        phx_flex_source_destroy(source);
        phx_flex_point_free(&it.point);
    }
}

static void check_equal(const phx_flex *got, const phx_flex *want, const char *what)
{
    const int n = want->n, nn = n * n;
    CHECK_CLOSE(got->mass, want->mass, 1e-13, "%s: mass", what);
    CHECK_VECTOR(want->dim, got->s0, want->s0, 1e-13, "%s: s0", what);
    CHECK_VECTOR(want->n_pair, got->J0, want->J0, 1e-13, "%s: J0", what);
    CHECK_VECTOR(want->dim * n, got->S, want->S, 1e-12, "%s: S", what);
    CHECK_VECTOR(want->n_rot * n, got->C, want->C, 1e-12, "%s: C", what);
    CHECK_VECTOR(want->n_pair * n, got->j, want->j, 1e-12, "%s: j", what);
    CHECK_VECTOR(nn, got->M, want->M, 1e-12, "%s: M", what);
    CHECK_VECTOR(nn, got->K, want->K, 1e-12, "%s: K", what);
    for (int a = 0; a < want->n_rot; a++)
        CHECK_VECTOR(nn, got->A[a], want->A[a], 1e-12, "%s: A", what);
    for (int p = 0; p < want->n_pair; p++)
        CHECK_VECTOR(nn, got->Q[p], want->Q[p], 1e-12, "%s: Q", what);
}

/* A mass at the tip of a beam's modal data makes what the beam with the mass makes in the same basis. */
static void test_point_mass(void **state)
{
    phx_context *context = *state;
    for (int dim = 2; dim <= 3; dim++) {
        const phx_beam_mass mass = {.at = 1.0, .mass = 0.3, .inertia = {0.05, 0.01, 0, 0.01, 0.04, 0, 0, 0, 0.03}};
        phx_beam_def def = test_def(dim, 3, PHX_REFERENCE_CANTILEVER, 3);
        phx_beam *bare = test_beam(context, &def), *loaded = NULL;
        const phx_flex *flex = phx_flex_source_flex(bare);
        double omega[MODES], T[MODES * 64], frequency[MODES], S[3 * MODES], C[3 * MODES], j[6 * MODES];
        double A[3 * MODES * MODES], Q[6 * MODES * MODES];
        phx_flex modal, want;
        phx_flex_point tip, reduced;
        phx_flex_source *source = NULL;

        def.n_masses = 1;
        def.masses = &mass;
        loaded = test_beam(context, &def);
        CHECK_STATUS(context, phx_flex_normal_modes(context, flex, MODES, omega, T), PHX_OK);
        CHECK_STATUS(context, phx_flex_project(context, flex, MODES, T, &modal), PHX_OK);
        CHECK_STATUS(context, phx_flex_project(context, phx_flex_source_flex(loaded), MODES, T, &want), PHX_OK);
        CHECK_STATUS(context, phx_beam_point(bare, context, 1.0, &tip), PHX_OK);
        CHECK_STATUS(context, phx_flex_point_project(context, dim, &tip, MODES, T, &reduced), PHX_OK);
        const int n_rot = modal.n_rot, n_pair = modal.n_pair;
        for (int k = 0; k < MODES; k++) {
            frequency[k] = omega[k] / (2.0 * TEST_PI);
            for (int a = 0; a < dim; a++)
                S[k * dim + a] = modal.S[a * MODES + k];
            for (int a = 0; a < n_rot; a++)
                C[k * n_rot + a] = modal.C[a * MODES + k];
            for (int p = 0; p < n_pair; p++)
                j[k * n_pair + p] = modal.j[p * MODES + k];
        }
        for (int a = 0; a < n_rot; a++)
            memcpy(A + a * MODES * MODES, modal.A[a], sizeof(double) * MODES * MODES);
        for (int p = 0; p < n_pair; p++)
            memcpy(Q + p * MODES * MODES, modal.Q[p], sizeof(double) * MODES * MODES);
        const phx_modal_mass at_tip = {&reduced, mass.mass, {0.05, 0.01, 0, 0.01, 0.04, 0, 0, 0, 0.03}};
        const double c = flex->s0[0] / flex->mass, along = flex->mass * c * c;
        phx_modal_data data = {.dim = dim,
                               .mass = flex->mass,
                               .centre = {c},
                               .modes = MODES,
                               .frequency = frequency,
                               .translation = S,
                               .rotation = C,
                               .inertia_first = j,
                               .gyroscopic = A,
                               .inertia_second = Q,
                               .n_masses = 1,
                               .masses = &at_tip};
        data.inertia[0] = flex->J0[0] - (dim == 2 ? along : 0.0);
        if (dim == 3) {
            data.inertia[4] = flex->J0[1] - along;
            data.inertia[8] = flex->J0[2] - along;
        }
        CHECK_STATUS(context, phx_modal_source_create(context, &data, &source), PHX_OK);
        check_equal(phx_flex_source_flex(source), &want, dim == 2 ? "plane" : "space");
        phx_flex_source_destroy(source);
        phx_flex_point_free(&tip);
        phx_flex_point_free(&reduced);
        phx_flex_free(&modal);
        phx_flex_free(&want);
        phx_flex_source_destroy(bare);
        phx_flex_source_destroy(loaded);
    }
}

/* ---- refusals ---- */
typedef void spoil_fn(sample *it);
static void no_mass(sample *it)
{
    it->data.mass = 0.0;
}
static void no_modes(sample *it)
{
    it->data.modes = 0;
}
static void no_frequency(sample *it)
{
    it->frequency[1] = 0.0;
}
static void endless_frequency(sample *it)
{
    it->frequency[2] = INFINITY;
}
static void nan_participation(sample *it)
{
    it->translation[4] = NAN;
}
static void bad_inertia(sample *it)
{
    it->data.inertia[0] = -1.0;
}
static void heavy_translation(sample *it)
{
    it->translation[1] = 2.3; /* 5.29 kg of 5 */
}
static void heavy_rotation(sample *it)
{
    it->rotation[0] = 7.0;
}
/* Translation along y and rotation about z move together as if the mass sat at x = 1.5, not at 0.3. */
static void far_away(sample *it)
{
    const int dim = it->data.dim;
    memset(it->translation, 0, sizeof it->translation);
    memset(it->rotation, 0, sizeof it->rotation);
    it->translation[1] = 2.0;
    it->rotation[dim == 2 ? 0 : 2] = -1.2;
}
static void not_antisymmetric(sample *it)
{
    it->gyroscopic[1] = 5.0;
}
static void not_symmetric(sample *it)
{
    it->second[1] = 5.0;
}

static void test_refusals(void **state)
{
    static const struct {
        spoil_fn *spoil;
        const char *word;
    } bad[] = {
        {no_mass, "mass is 0, must be finite and > 0"},
        {no_modes, "modes is 0"},
        {no_frequency, "frequency of mode 2 is 0 Hz, must be finite and > 0"},
        {endless_frequency, "frequency of mode 3 is inf"},
        {nan_participation, "translation is not finite"},
        {bad_inertia, "inertia"},
        {heavy_translation, "effective mass of the modes along y"},
        {heavy_translation, "more than the 5 kg of the body"},
        {heavy_rotation, "effective inertia of the modes about"},
        {far_away, "combined translation and rotation"},
        {not_antisymmetric, "antisymmetric"},
        {not_symmetric, "symmetric"},
    };
    phx_context *context = *state;
    for (int dim = 2; dim <= 3; dim++)
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            sample it;
            phx_flex_source *source = NULL;
            make_sample(context, dim, &it);
            bad[k].spoil(&it);
            CHECK_STATUS(context, phx_modal_source_create(context, &it.data, &source), PHX_ERR_ARGUMENT);
            CHECK_MESSAGE(context, bad[k].word);
            assert_null(source);
            phx_flex_point_free(&it.point);
        }
}

/* Points along no line, points that no mode moves. */
static void test_points(void **state)
{
    phx_context *context = *state;
    const double x[3] = {0.5, 0.0, 1.0}, phi[9] = {0, 0, 0, 0.1, 0, 0, 0, 0, 0}, theta[9] = {[8] = 0.2};
    sample it;
    phx_flex_source *source = NULL;
    phx_flex_point point;
    make_sample(context, 3, &it);
    CHECK_STATUS(context, phx_modal_source_create(context, &it.data, &source), PHX_OK);
    CHECK_STATUS(context, phx_beam_point(source, context, 0.5, &point), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "fraction");
    phx_flex_source_destroy(source);
    phx_flex_point_free(&it.point);
    CHECK_STATUS(context, phx_modal_point(context, 3, 3, x, phi, theta, &point), PHX_OK);
    assert_int_equal(point.n, 2);
    assert_int_equal(point.dof[0], 1);
    assert_int_equal(point.dof[1], 2);
    CHECK_VECTOR(6, point.phi, ((const double[6]){0.1, 0, 0, 0, 0, 0}), 0.0, "displacements");
    CHECK_VECTOR(6, point.theta, ((const double[6]){0, 0, 0, 0, 0, 0.2}), 0.0, "rotations");
    phx_flex_point_free(&point);
    CHECK_STATUS(context, phx_modal_point(context, 3, 3, x, NULL, NULL, &point), PHX_OK);
    assert_int_equal(point.n, 0);
    CHECK_VECTOR(3, point.x, x, 0.0, "place");
    phx_flex_point_free(&point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_point_mass),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_points)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
