/* Geometric stiffening of beams in other bases: the strains of the full beam at q = T eta, compressed; modes with the
 * axial shapes that follow them; how well they hold the beam. */
#include "support.h"
#include "fe/source.h"

#include <math.h>
#include <string.h>

enum { MAX_COORDINATES = 200 };

/* ---- strains as they are defined ---- */
static double row_of(const phx_csr *A, int i, const double *x)
{
    double sum = 0.0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++)
        sum += A->val[e] * x[A->idx[e]];
    return sum;
}

static double strain(const phx_flex_stiffening *st, int k, const double *q)
{
    double sum = row_of(&st->lin, k, q);
    for (int p = st->product_begin[k]; p < st->product_begin[k + 1]; p++)
        sum += 0.5 * st->weight[p] * row_of(&st->slope, st->first[p], q) * row_of(&st->slope, st->second[p], q);
    return sum;
}

/* 1/2 q^T K q, with the strains' linear parts replaced by the whole ones. */
static double energy(const phx_flex *flex, const double *q)
{
    const phx_flex_stiffening *st = flex->stiffening;
    double sum = 0.5 * flex_form(flex, flex->K, q, q);

    for (int k = 0; k < st->n_strain; k++) {
        const double lin = row_of(&st->lin, k, q), whole = strain(st, k, q);
        sum += 0.5 * st->stiffness[k] * (whole * whole - lin * lin);
    }
    return sum;
}

/* Energy, strains in the stress vector: those of the full beam at q = T eta, for small and large deformations. */
static void check_same(const phx_flex *full, const phx_flex *reduced, const double *T, const char *what)
{
    const int n = full->n, k = reduced->n;
    const phx_flex_stiffening *stressed = reduced->stiffening->stressed;
    uint64_t seed = 5;

    assert_non_null(stressed);
    assert_true(reduced->stiffening->in_basis);
    assert_int_equal(stressed->n_strain, full->stiffening->n_strain);
    for (int trial = 0; trial < 12; trial++) {
        double eta[MAX_COORDINATES], q[MAX_COORDINATES];
        random_vector(&seed, k, pow(10.0, trial % 4 - 3), eta);
        for (int i = 0; i < n; i++)
            q[i] = dot_product(k, T + i * k, eta);
        CHECK_RELATIVE(energy(reduced, eta), energy(full, q), 1e-12, "%s: energy", what);
        for (int e = 0; e < stressed->n_strain; e++) {
            assert_int_equal(stressed->stress_row[e], full->stiffening->stress_row[e]);
            const double want = strain(full->stiffening, e, q);
            CHECK_CLOSE(strain(stressed, e, eta), want, 1e-12 * fmax(1.0, fabs(want)), "%s: strain of element %d", what,
                        e);
        }
    }
}

static void test_any_basis(void **state)
{
    phx_context *context = *state;
    for (int dim = 2; dim <= 3; dim++) {
        phx_beam_def def = test_def(dim, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 5);
        def.stiffening = true;
        phx_beam *full = test_beam(context, &def), *once = NULL, *twice = NULL;
        const phx_flex *flex = phx_flex_source_flex(full);
        const int n = flex->n;
        double T[6 * MAX_COORDINATES], U[6 * 4], TU[4 * MAX_COORDINATES];
        uint64_t seed = 8;
        random_vector(&seed, 6 * n, 1.0, T);
        random_vector(&seed, 6 * 4, 1.0, U);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 4; j++) {
                TU[4 * i + j] = 0.0;
                for (int s = 0; s < 6; s++)
                    TU[4 * i + j] += T[6 * i + s] * U[4 * s + j];
            }
        CHECK_STATUS(context, phx_flex_source_project(context, full, 6, T, &once), PHX_OK);
        check_same(flex, phx_flex_source_flex(once), T, "six columns");
        /* 21 products of 6 columns, 5 elements: as many strains as elements */
        assert_int_equal(phx_flex_source_flex(once)->stiffening->n_strain, 5);
        CHECK_STATUS(context, phx_flex_source_project(context, once, 4, U, &twice), PHX_OK);
        check_same(flex, phx_flex_source_flex(twice), TU, "four of them");
        phx_flex_source_destroy(full);
        phx_flex_source_destroy(once);
        phx_flex_source_destroy(twice);
    }
}

static void test_too_many(void **state)
{
    phx_context *context = *state;
    phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 30);
    phx_flex flex;
    def.stiffening = true;
    phx_beam *full = test_beam(context, &def);
    const int n = phx_flex_source_flex(full)->n, k = PHX_STRAIN_SLOPES + 1;
    double *T = test_calloc((size_t)(n * k), sizeof *T);
    uint64_t seed = 8;
    random_vector(&seed, n * k, 1.0, T);
    CHECK_STATUS(context, phx_flex_project(context, phx_flex_source_flex(full), k, T, &flex), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "49 coordinates that bend, at most 48");
    test_free(T);
    phx_flex_source_destroy(full);
}

/* ---- modes ---- */
static phx_beam *modes_of(phx_context *context, phx_beam_def def, int modes)
{
    def.modes = modes;
    return test_beam(context, &def);
}

/* The first coordinates are normal modes; K is diagonal; with all modes nothing follows. */
static void test_modes(void **state)
{
    phx_context *context = *state;
    const phx_beam_mass mass = {.at = 0.6, .mass = 0.3, .inertia = {0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.01}};
    for (int dim = 2; dim <= 3; dim++)
        for (int reference = 0; reference <= (int)PHX_REFERENCE_FREE; reference++)
            for (int order = 3; order <= 5; order += 2) {
                phx_beam_def def = test_def(dim, order, (phx_reference)reference, 4);
                def.stiffening = true;
                def.n_masses = 1;
                def.masses = &mass;
                phx_beam *full = test_beam(context, &def);
                const phx_flex *flex = phx_flex_source_flex(full);
                for (int m = 2; m <= flex->n; m = m < 5 ? m + 3 : m < flex->n ? flex->n : m + 1) {
                    phx_beam *modal = modes_of(context, def, m);
                    const phx_flex *r = phx_flex_source_flex(modal);
                    const phx_modes_quality *quality = phx_beam_modes_quality(modal);
                    double omega[MAX_COORDINATES], *T = test_calloc((size_t)(flex->n * m), sizeof *T);
                    double *M = flex_dense(context, r, r->M), *K = flex_dense(context, r, r->K);
                    CHECK_STATUS(context, phx_flex_normal_modes(context, flex, m, omega, T), PHX_OK);
                    assert_non_null(quality);
                    assert_int_equal(quality->modes, m);
                    assert_int_equal(quality->modes + quality->followers, r->n);
                    if (m == flex->n)
                        assert_int_equal(quality->followers, 0);
                    else
                        assert_true(quality->followers > 0);
                    for (int i = 0; i < r->n; i++)
                        for (int j = 0; j < r->n; j++) {
                            if (i < m && j < m)
                                CHECK_CLOSE(M[i * r->n + j], i == j, 1e-11, "M(%d, %d)", i, j);
                            if (i < m && i == j)
                                CHECK_RELATIVE(K[i * r->n + j], omega[i] * omega[i], 1e-9, "K(%d)", i);
                            if (i != j)
                                CHECK_CLOSE(K[i * r->n + j] / sqrt(K[i * r->n + i] * K[j * r->n + j]), 0.0, 1e-9,
                                            "K(%d, %d)", i, j);
                        }
                    check_same(flex, r, phx_projected_of(modal)->T, reference_name(def.reference));
                    phx_free(M);
                    phx_free(K);
                    test_free(T);
                    phx_flex_source_destroy(modal);
                }
                phx_flex_source_destroy(full);
            }
}

/* A x = b, dense, from a copy. */
static void solve(phx_context *context, int n, const double *A, double *b)
{
    double *copy = test_calloc((size_t)(n * n), sizeof *copy);
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    CHECK_STATUS(context, phx_dense_solve(context, n, copy, 1, b), PHX_OK);
    test_free(copy);
}

/* The least energy of the axial strains over the coordinates that follow, the modes given: of a cantilever, whose end
 * is free, nothing is left of what they would make. */
static void test_nothing_locks(void **state)
{
    enum { MODES = 5 };
    phx_context *context = *state;
    phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 12);
    def.stiffening = true;
    def.axial_stiffness = 1e6; /* the first modes bend */
    phx_beam *modal = modes_of(context, def, MODES);
    const phx_flex *r = phx_flex_source_flex(modal);
    const phx_flex_stiffening *st = r->stiffening->stressed;
    const int f = r->n - MODES;
    double *A = test_calloc((size_t)(f * f + f), sizeof *A), *b = A + f * f, eta[MAX_COORDINATES] = {0};
    double locked = 0.0, left = 0.0;
    uint64_t seed = 4;
    double *K = flex_dense(context, r, r->K);
    random_vector(&seed, MODES, 0.1 * K[0], eta);
    for (int i = 0; i < MODES; i++) /* as large as steady loads make them */
        eta[i] /= K[i * r->n + i];
    phx_free(K);
    for (int e = 0; e < st->n_strain; e++) {
        double row[MAX_COORDINATES] = {0};
        const double quad = strain(st, e, eta);
        for (int k = st->lin.ptr[e]; k < st->lin.ptr[e + 1]; k++)
            row[st->lin.idx[k]] = st->lin.val[k];
        for (int i = 0; i < f; i++) {
            b[i] -= st->stiffness[e] * row[MODES + i] * quad;
            for (int j = 0; j < f; j++)
                A[i * f + j] += st->stiffness[e] * row[MODES + i] * row[MODES + j];
        }
        locked += st->stiffness[e] * quad * quad;
    }
    solve(context, f, A, b);
    memcpy(eta + MODES, b, (size_t)f * sizeof *b);
    for (int e = 0; e < st->n_strain; e++)
        left += st->stiffness[e] * strain(st, e, eta) * strain(st, e, eta);
    print_message("strains of %d modes: energy left with %d shapes that follow %.2g of %.2g\n", MODES, f, left, locked);
    CHECK_CLOSE(left / locked, 0.0, 1e-10, "energy that the basis cannot follow");
    test_free(A);
    phx_flex_source_destroy(modal);
}

/* Pulled at C, or where it is said, the beam stretches by F s/EA. */
static void test_pulls(void **state)
{
    const double at[2] = {0.31, 0.75}, EA = 2e5;
    phx_context *context = *state;
    for (int n_pulled = 0; n_pulled <= 2; n_pulled += 2) {
        phx_beam_def def = test_def(3, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 8);
        def.stiffening = true;
        def.axial_stiffness = EA;
        def.n_pulled = n_pulled;
        def.pulled = at;
        phx_beam *modal = modes_of(context, def, 3), *full;
        def.n_pulled = 0;
        full = test_beam(context, &def);
        const phx_flex *r = phx_flex_source_flex(modal), *flex = phx_flex_source_flex(full);
        double *K = flex_dense(context, r, r->K), *K_full = flex_dense(context, flex, flex->K);
        for (int k = 0; k < 1 + n_pulled; k++) {
            const double s = k == 0 ? 1.0 : at[k - 1];
            const phx_beam *beams[2] = {modal, full};
            const double *stiffness[2] = {K, K_full};
            double moved[2];
            for (int b = 0; b < 2; b++) {
                phx_flex_point point;
                double u[MAX_COORDINATES] = {0}, f[MAX_COORDINATES] = {0};
                CHECK_STATUS(context, phx_beam_point(beams[b], context, s, &point), PHX_OK);
                for (int i = 0; i < point.n; i++)
                    f[point.dof[i]] = u[point.dof[i]] = point.phi[i];
                solve(context, phx_flex_source_flex(beams[b])->n, stiffness[b], u);
                moved[b] = dot_product(phx_flex_source_flex(beams[b])->n, f, u);
                phx_flex_point_free(&point);
            }
            CHECK_RELATIVE(moved[0], moved[1], 1e-9, "stretch by a pull at %g", s);
            if (k == 0)
                CHECK_RELATIVE(moved[0], def.length / EA, 1e-9, "stretch of the whole");
        }
        phx_free(K);
        phx_free(K_full);
        phx_flex_source_destroy(modal);
        phx_flex_source_destroy(full);
    }
}

/* The error under tension falls with the modes, and is that of the frequencies found otherwise: a beam on two supports
 * has the modes sin(k pi x/L) pulled or not. */
static void test_quality(void **state)
{
    phx_context *context = *state;
    for (int dim = 2; dim <= 3; dim++) {
        double before = 1.0;
        for (int m = 1; m <= 9; m += 4) {
            phx_beam_def def = test_def(dim, 3, PHX_REFERENCE_CANTILEVER, 16);
            def.stiffening = true;
            phx_beam *modal = modes_of(context, def, m);
            const double pulled = phx_beam_modes_quality(modal)->pulled;
            print_message("cantilever, dimension %d, %d modes: error under tension %.3g\n", dim, m, pulled);
            assert_true(pulled >= -1e-12 && pulled < before);
            before = pulled;
            phx_flex_source_destroy(modal);
        }
        assert_true(before < 0.01);
    }
    phx_beam_def def = test_def(2, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 16);
    def.stiffening = true;
    phx_beam *modal = modes_of(context, def, 3), *full = test_beam(context, &def);
    CHECK_CLOSE(phx_beam_modes_quality(modal)->pulled, 0.0, 1e-5, "supported: error under tension");
    print_message("supported: %d slopes, %d strains\n", phx_flex_source_flex(modal)->stiffening->n_slope,
                  phx_flex_source_flex(modal)->stiffening->n_strain);
    assert_null(phx_beam_modes_quality(full));
    assert_null(phx_beam_modes_quality(NULL));
    phx_flex_source_destroy(modal);
    phx_flex_source_destroy(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_basis),     cmocka_unit_test(test_too_many), cmocka_unit_test(test_modes),
        cmocka_unit_test(test_nothing_locks), cmocka_unit_test(test_pulls),    cmocka_unit_test(test_quality),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
