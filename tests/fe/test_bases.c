/* Other bases of a body: projection, normal modes, assumed modes, modal data. Energies and points of a body in another
 * basis are those of the full body at q = T eta; assumed modes have their analytic values. */
#include "support.h"
#include "fe/source.h"

enum { MAX_COORDINATES = 200 };

/* ---- a body as numbers ---- */
/* Kinetic energy of random motions through every integral: 1/2 nu^T M(q) nu. */
static double kinetic(const phx_flex *flex, const double *q, const double *q_dot, const double *v, const double *w)
{
    const int n = flex->n;
    double s[3] = {0}, cross[3], J[3][3] = {{0}}, energy = 0.5 * flex_form(flex, flex->M, q_dot, q_dot);
    for (int a = 0; a < flex->dim; a++) {
        s[a] = flex->s0[a] + dot_product(n, flex->S + a * n, q);
        energy += 0.5 * flex->mass * v[a] * v[a] + v[a] * dot_product(n, flex->S + a * n, q_dot);
    }
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    for (int p = 0; p < flex->n_pair; p++)
        J[first[p]][second[p]] = J[second[p]][first[p]] =
            flex->J0[p] + dot_product(n, flex->j + p * n, q) + 0.5 * flex_form(flex, flex->Q[p], q, q);
    for (int a = 0; a < flex->n_rot; a++) {
        for (int b = 0; b < flex->n_rot; b++)
            energy += 0.5 * w[a] * J[a][b] * w[b];
        energy += w[a] * (dot_product(n, flex->C + a * n, q_dot) + flex_form(flex, flex->A[a], q, q_dot));
    }
    phx_rot_x_vec(flex->dim, w, s, cross);
    return energy + dot_product(flex->dim, v, cross);
}

/* Stress at a fraction from the stress vector: axial, moments, torsion. */
static void stress_at(phx_context *context, const phx_beam *beam, double s, const double *q, double out[4])
{
    const phx_flex *flex = phx_flex_source_flex(beam);
    const size_t n = (size_t)flex->n_stress;
    double *row = phx_calloc(context, 5 * n, sizeof *row);
    assert_non_null(row);
    phx_csr_apply(&flex->stress, 1.0, q, row + 4 * n);
    phx_beam_stress_rows(beam, s, row, row + n, flex->dim == 3 ? row + 3 * n : NULL);
    for (int k = 0; k < 4; k++)
        out[k] = dot_product((int)n, row + (size_t)k * n, row + 4 * n);
    phx_free(row);
}

/* The reduced beam at eta is the full one at q = T eta. */
static void check_same(phx_context *context, const phx_beam *full, const phx_beam *reduced, const double *T,
                       const char *what)
{
    const phx_flex *f = phx_flex_source_flex(full), *r = phx_flex_source_flex(reduced);
    const int k = r->n;
    uint64_t seed = 3;
    check_mixed(f, what);
    check_mixed(r, what);
    for (int trial = 0; trial < 5; trial++) {
        double eta[2][MAX_COORDINATES], q[2][MAX_COORDINATES], v[3], w[3];
        random_vector(&seed, 3, 1.0, v);
        random_vector(&seed, 3, 1.0, w);
        for (int m = 0; m < 2; m++) {
            random_vector(&seed, k, 0.3, eta[m]);
            for (int i = 0; i < f->n; i++)
                q[m][i] = dot_product(k, T + i * k, eta[m]);
        }
        CHECK_RELATIVE(kinetic(r, eta[0], eta[1], v, w), kinetic(f, q[0], q[1], v, w), 1e-12, "%s: kinetic energy",
                       what);
        CHECK_RELATIVE(flex_form(r, r->K, eta[0], eta[1]), flex_form(f, f->K, q[0], q[1]), 1e-10, "%s: stiffness",
                       what);
        for (int p = 0; p <= 4; p++) {
            const double s = p == 1 ? 0.33 : 0.25 * p;
            phx_flex_point at[2];
            double u[2][3], theta[2][3], stress[2][4];
            CHECK_STATUS(context, phx_beam_point(full, context, s, &at[0]), PHX_OK);
            CHECK_STATUS(context, phx_beam_point(reduced, context, s, &at[1]), PHX_OK);
            point_motion(f, &at[0], q[0], u[0], theta[0]);
            point_motion(r, &at[1], eta[0], u[1], theta[1]);
            stress_at(context, full, s, q[0], stress[0]);
            stress_at(context, reduced, s, eta[0], stress[1]);
            CHECK_CLOSE(at[1].x[0], at[0].x[0], 0.0, "%s: place at %g", what, s);
            CHECK_VECTOR(3, u[1], u[0], 1e-13, "%s: displacement at %g", what, s);
            CHECK_VECTOR(3, theta[1], theta[0], 1e-12, "%s: rotation at %g", what, s);
            CHECK_VECTOR(4, stress[1], stress[0], 1e-11, "%s: stress at %g", what, s);
            phx_flex_point_free(&at[0]);
            phx_flex_point_free(&at[1]);
        }
    }
    int count[2];
    const double *s[2], *weight[2];
    phx_beam_quadrature(full, &count[0], &s[0], &weight[0]);
    phx_beam_quadrature(reduced, &count[1], &s[1], &weight[1]);
    assert_int_equal(count[0], count[1]);
    CHECK_VECTOR(count[0], s[1], s[0], 0.0, "%s: points of quadrature", what);
    CHECK_VECTOR(count[0], weight[1], weight[0], 0.0, "%s: weights of quadrature", what);
}

/* M = I, K = diag(omega^2). */
static void check_normal(phx_context *context, const phx_flex *flex, const double *omega, const char *what)
{
    double *M = flex_dense(context, flex, flex->M), *K = flex_dense(context, flex, flex->K);
    const int n = flex->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            CHECK_CLOSE(M[i * n + j], i == j, 1e-11, "%s: M(%d, %d)", what, i, j);
            CHECK_CLOSE(K[i * n + j] / (omega[i] * omega[j]), i == j, 1e-9, "%s: K(%d, %d)", what, i, j);
        }
    phx_free(M);
    phx_free(K);
}

/* ---- normal modes ---- */
static void test_normal_modes(void **state)
{
    phx_context *context = *state;
    const phx_beam_mass mass = {.at = 0.6, .mass = 0.3, .inertia = {0.02, 0.001, 0, 0.001, 0.03, 0, 0, 0, 0.01}};
    for (int dim = 2; dim <= 3; dim++) {
        for (int reference = 0; reference <= (int)PHX_REFERENCE_FREE; reference++) {
            for (int order = 3; order <= 5; order += 2) {
                phx_beam_def def = test_def(dim, order, (phx_reference)reference, 3);
                def.n_masses = 1;
                def.masses = &mass;
                phx_beam *full = test_beam(context, &def);
                const phx_flex *flex = phx_flex_source_flex(full);
                const int n = flex->n;
                double omega[MAX_COORDINATES], *T = phx_calloc(context, (size_t)(n * n), sizeof *T);
                assert_in_range(n, 4, MAX_COORDINATES);
                assert_non_null(T);
                for (int k = 4; k <= n; k += n - 4) { /* some, and all */
                    def.modes = k;
                    phx_beam *modal = test_beam(context, &def);
                    CHECK_STATUS(context, phx_flex_normal_modes(context, flex, k, omega, T), PHX_OK);
                    assert_int_equal(phx_flex_source_flex(modal)->n, k);
                    assert_int_equal(phx_flex_source_flex(modal)->n_stress, flex->n_stress);
                    for (int m = 1; m < k; m++)
                        assert_true(omega[m - 1] > 0.0 && omega[m] >= omega[m - 1]);
                    check_normal(context, phx_flex_source_flex(modal), omega, reference_name(def.reference));
                    check_same(context, full, modal, T, reference_name(def.reference));
                    phx_flex_source_destroy(modal);
                }
                phx_free(T);
                phx_flex_source_destroy(full);
            }
        }
    }
}

/* The frequencies are those of the full body, whatever their number. */
static void test_frequencies(void **state)
{
    phx_context *context = *state;
    const phx_beam_def def = test_def(3, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 4);
    phx_beam *full = test_beam(context, &def);
    const phx_flex *flex = phx_flex_source_flex(full);
    const size_t n = (size_t)flex->n;
    double *M = flex_dense(context, flex, flex->M), *K = flex_dense(context, flex, flex->K);
    double omega[MAX_COORDINATES], lambda[MAX_COORDINATES], *T = phx_calloc(context, n * n, sizeof *T);
    assert_non_null(T);
    CHECK_STATUS(context, phx_dense_eigen_symmetric(context, flex->n, K, M, lambda, NULL), PHX_OK);
    CHECK_STATUS(context, phx_flex_normal_modes(context, flex, 7, omega, T), PHX_OK);
    for (int k = 0; k < 7; k++)
        CHECK_RELATIVE(omega[k], sqrt(lambda[k]), 1e-9, "frequency %d", k + 1);
    phx_free(T);
    phx_free(M);
    phx_free(K);
    phx_flex_source_destroy(full);
}

/* ---- projection on any basis, refusals ---- */
static void test_projection(void **state)
{
    phx_context *context = *state;
    phx_beam_def def = test_def(3, 5, PHX_REFERENCE_CANTILEVER, 2);
    phx_beam *full = test_beam(context, &def), *reduced = NULL;
    phx_flex flex;
    uint64_t seed = 21;
    double T[5 * MAX_COORDINATES];
    const int n = phx_flex_source_flex(full)->n;
    random_vector(&seed, 5 * n, 1.0, T);
    CHECK_STATUS(context, phx_flex_source_project(context, full, 5, T, &reduced), PHX_OK);
    check_same(context, full, reduced, T, "random basis");
    CHECK_STATUS(context, phx_flex_project(context, phx_flex_source_flex(full), -1, T, &flex), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "-1 columns");
    CHECK_STATUS(context, phx_flex_project(context, phx_flex_source_flex(full), n + 1, T, &flex), PHX_ERR_ARGUMENT);
    phx_flex_source_destroy(full); /* `reduced` has a share */
    phx_flex_point point;
    CHECK_STATUS(context, phx_beam_point(reduced, context, 1.0, &point), PHX_OK);
    assert_int_equal(point.n, 5);
    phx_flex_point_free(&point);
    phx_flex_source_destroy(reduced);
}

/* ---- assumed modes ---- */
static phx_beam_def assumed_def(int dim, int modes)
{
    phx_beam_def def = test_def(dim, 3, PHX_REFERENCE_CANTILEVER, 1);
    def.element = PHX_ELEMENT_ASSUMED;
    def.modes = modes;
    return def;
}

/* cos l cosh l = -1 */
static const double bending_root[4] = {1.8751040687119612, 4.694091132974175, 7.854757438237613, 10.995540734875467};

static void test_assumed(void **state)
{
    enum { SHAPES = TEST_LONG(64) };
    phx_context *context = *state;
    for (int dim = 2; dim <= 3; dim++) {
        const phx_beam_def def = assumed_def(dim, SHAPES);
        phx_beam *beam = test_beam(context, &def);
        const phx_flex *flex = phx_flex_source_flex(beam);
        const double rho = def.mass_per_length, L = def.length;
        double omega[4 * SHAPES];
        assert_int_equal(flex->n, (dim == 2 ? 2 : 4) * SHAPES);
        for (int i = 0; i < flex->n; i++)
            omega[i] = sqrt(flex->K[i * flex->n + i]);
        check_normal(context, flex, omega, "assumed");
        check_mixed(flex, "assumed");
        for (int k = 0; k < 4; k++) {
            const double EI = def.bending_stiffness[dim == 3 ? 1 : 0], axial = (k + 0.5) * TEST_PI / L;
            CHECK_RELATIVE(omega[SHAPES + k], pow(bending_root[k] / L, 2) * sqrt(EI / rho), 1e-13, "bending %d", k + 1);
            CHECK_RELATIVE(omega[k], axial * sqrt(def.axial_stiffness / rho), 1e-13, "axial %d", k + 1);
            if (dim == 3) {
                CHECK_RELATIVE(omega[2 * SHAPES + k],
                               pow(bending_root[k] / L, 2) * sqrt(def.bending_stiffness[0] / rho), 1e-13,
                               "bending in z %d", k + 1);
                CHECK_RELATIVE(omega[3 * SHAPES + k], axial * sqrt(def.torsion_stiffness / def.polar_inertia), 1e-13,
                               "torsion %d", k + 1);
            }
        }
        CHECK_RELATIVE(flex->mass, rho * L, 1e-14, "mass");
        CHECK_RELATIVE(flex->s0[0], 0.5 * rho * L * L, 1e-14, "first moment");
        phx_flex_point tip, root;
        CHECK_STATUS(context, phx_beam_point(beam, context, 1.0, &tip), PHX_OK);
        CHECK_STATUS(context, phx_beam_point(beam, context, 0.0, &root), PHX_OK);
        assert_int_equal(root.n, 0);
        for (int k = 0; k < SHAPES; k++) { /* of unit mean square: 2 at the tip, stable at any number */
            CHECK_CLOSE(tip.phi[1 * tip.n + SHAPES + k] * sqrt(rho * L), k % 2 ? -2.0 : 2.0, 1e-11, "tip of shape %d",
                        k + 1);
            CHECK_CLOSE(tip.phi[k] * sqrt(rho * L), k % 2 ? -sqrt(2.0) : sqrt(2.0), 1e-11, "tip of axial %d", k + 1);
        }
        phx_flex_point_free(&tip);
        phx_flex_point_free(&root);
        phx_flex_source_destroy(beam);
    }
}

/* Integrals of low shapes against the quadrature of this file's own rule, with a point mass. */
static void test_assumed_integrals(void **state)
{
    phx_context *context = *state;
    enum { PANELS = 8 };
    phx_beam_def def = assumed_def(2, 3);
    const phx_beam_mass mass = {.at = 0.7, .mass = 0.4, .inertia = {0.02}};
    def.n_masses = 1;
    def.masses = &mass;
    phx_beam *beam = test_beam(context, &def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    double S[2][6] = {{0}}, C[6] = {0}, j[6] = {0}, M[6][6] = {{0}}, A[6][6] = {{0}}, Q[6][6] = {{0}};
    for (int g = 0; g <= PANELS * QUADRATURE_POINTS; g++) {
        const bool lump = g == PANELS * QUADRATURE_POINTS;
        const double s = lump ? mass.at : (g / QUADRATURE_POINTS + quadrature_point[g % QUADRATURE_POINTS]) / PANELS;
        const double m =
            lump ? mass.mass : def.mass_per_length * def.length / PANELS * quadrature_weight[g % QUADRATURE_POINTS];
        phx_flex_point at;
        CHECK_STATUS(context, phx_beam_point(beam, context, s, &at), PHX_OK);
        for (int i = 0; i < 6; i++) {
            const double ux = at.phi[i], uy = at.phi[6 + i];
            S[0][i] += m * ux;
            S[1][i] += m * uy;
            C[i] += m * at.x[0] * uy + (lump ? mass.inertia[0] * at.theta[i] : 0.0);
            j[i] += 2.0 * m * at.x[0] * ux;
            for (int k = 0; k < 6; k++) {
                const double vx = at.phi[k], vy = at.phi[6 + k];
                M[i][k] += m * (ux * vx + uy * vy) + (lump ? mass.inertia[0] * at.theta[i] * at.theta[k] : 0.0);
                A[i][k] += m * (ux * vy - uy * vx);
                Q[i][k] += 2.0 * m * (ux * vx + uy * vy);
            }
        }
        phx_flex_point_free(&at);
    }
    CHECK_VECTOR(6, flex->S, S[0], 1e-13, "S along x");
    CHECK_VECTOR(6, flex->S + 6, S[1], 1e-13, "S along y");
    CHECK_VECTOR(6, flex->C, C, 1e-13, "C");
    CHECK_VECTOR(6, flex->j, j, 1e-13, "j");
    CHECK_VECTOR(36, flex->M, &M[0][0], 1e-13, "M");
    CHECK_VECTOR(36, flex->A[0], &A[0][0], 1e-13, "A");
    CHECK_VECTOR(36, flex->Q[0], &Q[0][0], 1e-13, "Q");
    phx_flex_source_destroy(beam);
}

/* A load at the tip: the deflection F L^3/(3 EI) and the elongation F L/EA are approached from below, with the known
 * order of the series; the stresses are the derivatives of the displacement. */
static void test_assumed_static(void **state)
{
    phx_context *context = *state;
    double error[2][2];
    for (int level = 0; level < 2; level++) {
        const int modes = level ? 16 : 8;
        const phx_beam_def def = assumed_def(2, modes);
        phx_beam *beam = test_beam(context, &def);
        const phx_flex *flex = phx_flex_source_flex(beam);
        const double L = def.length, EA = def.axial_stiffness, EI = def.bending_stiffness[0], step = 1e-3;
        double q[32], u[5][3], theta[5][3], stress[4];
        phx_flex_point tip;
        CHECK_STATUS(context, phx_beam_point(beam, context, 1.0, &tip), PHX_OK);
        for (int i = 0; i < flex->n; i++)
            q[i] = (tip.phi[i] + tip.phi[flex->n + i]) / flex->K[i * flex->n + i];
        point_motion(flex, &tip, q, u[0], theta[0]);
        phx_flex_point_free(&tip);
        error[0][level] = 1.0 - u[0][0] * EA / L;
        error[1][level] = 1.0 - u[0][1] * 3.0 * EI / (L * L * L);
        assert_true(error[0][level] > 0.0 && error[1][level] > 0.0);
        for (int k = 0; k < 5; k++) {
            phx_flex_point at;
            CHECK_STATUS(context, phx_beam_point(beam, context, 0.4 + (k - 2) * step, &at), PHX_OK);
            point_motion(flex, &at, q, u[k], theta[k]);
            phx_flex_point_free(&at);
        }
        stress_at(context, beam, 0.4, q, stress);
        const double h = 12.0 * step * L;
        CHECK_RELATIVE(stress[0], EA * (u[0][0] - 8.0 * u[1][0] + 8.0 * u[3][0] - u[4][0]) / h, 1e-5, "axial force");
        CHECK_RELATIVE(stress[1], EI * (theta[0][0] - 8.0 * theta[1][0] + 8.0 * theta[3][0] - theta[4][0]) / h, 1e-5,
                       "bending moment");
        phx_flex_source_destroy(beam);
    }
    CHECK_BETWEEN(error[0][0] / error[0][1], 1.8, 2.2, "elongation: first order");
    CHECK_BETWEEN(error[1][0] / error[1][1], 7.0, 9.5, "deflection: third order");
    CHECK_BELOW(error[1][1], 1e-4, "deflection");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_modes),      cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_projection),        cmocka_unit_test(test_assumed),
        cmocka_unit_test(test_assumed_integrals), cmocka_unit_test(test_assumed_static),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
