/* Elements against closed forms of classical finite elements and of [2] (eqs 16, 17). */
#include "support.h"

#include "fe/line_mesh.h"

static const double bar_stiffness[2 * 2] = {1, -1, -1, 1}; /* EA/h */
static const double bar_mass[2 * 2] = {2, 1, 1, 2};        /* m h/6 */

/* K = D^T M2^-1 D of one element, row-major, n x n. */
static void element_stiffness(phx_context *context, const phx_element *element, double h, double stiffness, double *k)
{
    const int ns = element->stress.count, n = element->displacement.count;
    double m2[PHX_SHAPE_MAX * PHX_SHAPE_MAX], d[PHX_SHAPE_MAX * PHX_SHAPE_MAX], x[PHX_SHAPE_MAX * PHX_SHAPE_MAX];
    phx_element_matrices(element, h, stiffness, m2, d);
    memcpy(x, d, sizeof x);
    CHECK_STATUS(context, phx_dense_solve(context, ns, m2, n, x), PHX_OK);
    phx_dense_multiply(true, false, n, n, ns, 1.0, d, n, x, n, 0.0, k, n);
}

static void check_matrix(const char *what, int n, const double *got, const double *want, double factor, double rtol)
{
    double scale = 0.0;
    for (int k = 0; k < n * n; k++)
        scale = fmax(scale, fabs(factor * want[k]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            CHECK_CLOSE(got[i * n + j], factor * want[i * n + j], rtol * scale, "%s entry (%d,%d)", what, i, j);
}

static void test_bar_stiffness(void **state)
{
    const double h = 0.37, ea = 41.0;
    double k[4];
    element_stiffness(*state, &phx_element_bar, h, ea, k);
    check_matrix("bar stiffness", 2, k, bar_stiffness, ea / h, 1e-14);
    element_stiffness(*state, &phx_element_torsion, h, ea, k);
    check_matrix("torsion stiffness", 2, k, bar_stiffness, ea / h, 1e-14);
    element_stiffness(*state, &phx_element_bar_paper, h, ea, k);
    check_matrix("paper's bar stiffness of one element", 2, k, bar_stiffness, ea / h, 1e-14);
}

static void test_cubic_stiffness(void **state)
{
    const double h = 0.37, ei = 2.9;
    const double want[16] = {12,  6 * h,  -12, 6 * h,  6 * h, 4 * h * h, -6 * h, 2 * h * h,
                             -12, -6 * h, 12,  -6 * h, 6 * h, 2 * h * h, -6 * h, 4 * h * h};
    double k[16];
    element_stiffness(*state, &phx_element_hermite3, h, ei, k);
    check_matrix("cubic stiffness", 4, k, want, ei / (h * h * h), 1e-13);
    element_stiffness(*state, &phx_element_hermite_paper, h, ei, k);
    check_matrix("paper's stiffness of one element", 4, k, want, ei / (h * h * h), 1e-12);
}

/* [2] eq (17): rows and columns of (w''(0), w(l), w'(l), w''(l)); what is left follows from K R = 0. */
static void test_quintic_stiffness(void **state)
{
    const double l = 0.83, ei = 2.9;
    const double l2 = l * l, l3 = l2 * l, l4 = l3 * l;
    const double want[16] = {6 * l4, -30 * l2, 8 * l3,   l4,       -30 * l2, 1200,    -600 * l, 30 * l2,
                             8 * l3, -600 * l, 384 * l2, -22 * l3, l4,       30 * l2, -22 * l3, 6 * l4};
    const int pick[4] = {2, 3, 4, 5};
    double k[36], part[16];
    element_stiffness(*state, &phx_element_hermite5, l, ei, k);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            part[i * 4 + j] = k[pick[i] * 6 + pick[j]];
    check_matrix("quintic stiffness", 4, part, want, ei / (70 * l3), 1e-12);

    const double translation[6] = {1, 0, 0, 1, 0, 0}, rotation[6] = {0, 1, 0, l, 1, 0};
    for (int i = 0; i < 6; i++) {
        double force = 0.0, moment = 0.0;
        for (int j = 0; j < 6; j++) {
            force += k[i * 6 + j] * translation[j];
            moment += k[i * 6 + j] * rotation[j];
        }
        CHECK_CLOSE(force, 0.0, 1e-12 * ei * 1200 / l3, "quintic K on a translation, row %d", i);
        CHECK_CLOSE(moment, 0.0, 1e-12 * ei * 1200 / l3, "quintic K on a rotation, row %d", i);
    }
}

/* Masses of one element in raw coordinates, as dense arrays. */
static double *element_mass(phx_context *context, const phx_beam_def *def, phx_line_mesh *mesh, phx_flex *raw)
{
    CHECK_STATUS(context, phx_line_mesh_build(context, def, mesh), PHX_OK);
    CHECK_STATUS(context, phx_mass_assemble(context, mesh, def, raw), PHX_OK);
    return flex_dense(context, raw, raw->M);
}

static void test_cubic_mass(void **state)
{
    phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 1);
    const double h = def.length, m = def.mass_per_length;
    const double bending[16] = {156, 22 * h, 54,  -13 * h, 22 * h,  4 * h * h,  13 * h,  -3 * h * h,
                                54,  13 * h, 156, -22 * h, -13 * h, -3 * h * h, -22 * h, 4 * h * h};
    double want[36] = {0};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            want[i * 6 + j] = m * h / 6 * bar_mass[i * 2 + j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            want[(i + 2) * 6 + j + 2] = m * h / 420 * bending[i * 4 + j];
    phx_line_mesh mesh;
    phx_flex raw;
    double *mass = element_mass(*state, &def, &mesh, &raw);
    check_matrix("consistent mass", 6, mass, want, 1.0, 1e-14);
    phx_free(mass);
    phx_flex_free(&raw);
}

/* [2] eq (16): the whole mass matrix on (translation, rotation, w''(0), w(l), w'(l), w''(l)). */
static void test_quintic_mass(void **state)
{
    phx_beam_def def = test_def(2, 5, PHX_REFERENCE_CANTILEVER, 1);
    const double l = def.length, l2 = l * l, l3 = l2 * l, l4 = l3 * l;
    const double want[36] = {55440,     27720 * l,  462 * l2,   27720,     -5544 * l, 462 * l2, 27720 * l, 18480 * l2,
                             198 * l3,  19800 * l,  -3432 * l2, 264 * l3,  462 * l2,  198 * l3, 6 * l4,    181 * l2,
                             -52 * l3,  5 * l4,     27720,      19800 * l, 181 * l2,  21720,    -3732 * l, 281 * l2,
                             -5544 * l, -3432 * l2, -52 * l3,   -3732 * l, 832 * l2,  -69 * l3, 462 * l2,  264 * l3,
                             5 * l4,    281 * l2,   -69 * l3,   6 * l4};
    phx_beam *beam = test_beam(*state, &def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    assert_int_equal(flex->n, 5); /* ux, then the bending */
    double *mass = flex_dense(*state, flex, flex->M), got[36];
    got[0] = flex->mass;
    got[1] = got[6] = flex->s0[0];
    got[7] = flex->J0[0];
    for (int i = 0; i < 4; i++) {
        got[2 + i] = got[(2 + i) * 6] = flex->S[5 + 1 + i];
        got[6 + 2 + i] = got[(2 + i) * 6 + 1] = flex->C[1 + i];
        for (int j = 0; j < 4; j++)
            got[(2 + i) * 6 + 2 + j] = mass[(1 + i) * 5 + 1 + j];
    }
    check_matrix("quintic mass", 6, got, want, def.mass_per_length * l / 55440, 1e-14);
    phx_free(mass);
    phx_flex_source_destroy(beam);
}

/* The paper's pairs give on one element what the discontinuous ones give, and something else on two. */
static void test_paper_on_one_element(void **state)
{
    for (int elements = 1; elements <= 2; elements++) {
        phx_beam_def def = test_def(2, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, elements);
        phx_beam *mixed = test_beam(*state, &def);
        def.element = PHX_ELEMENT_PAPER;
        phx_beam *paper = test_beam(*state, &def);
        const int n = phx_flex_source_flex(mixed)->n;
        check_mixed(phx_flex_source_flex(mixed), "mixed");
        check_mixed(phx_flex_source_flex(paper), "paper");
        double *a = flex_dense(*state, phx_flex_source_flex(mixed), phx_flex_source_flex(mixed)->K);
        double *b = flex_dense(*state, phx_flex_source_flex(paper), phx_flex_source_flex(paper)->K);
        double difference = 0.0, scale = 0.0;
        for (int k = 0; k < n * n; k++) {
            difference = fmax(difference, fabs(a[k] - b[k]));
            scale = fmax(scale, fabs(a[k]));
        }
        if (elements == 1)
            CHECK_CLOSE(difference, 0.0, 1e-12 * scale, "stiffness, mixed against paper, 1 element");
        else
            assert_true(difference > 1e-2 * scale);
        phx_free(a);
        phx_free(b);
        phx_flex_source_destroy(mixed);
        phx_flex_source_destroy(paper);
    }
}

/* K of the mesh equals the classical assembly of closed-form element matrices (cubic; the bar; both planes, torsion).
 */
static void test_assembled_stiffness(void **state)
{
    enum { N = 7 };
    phx_beam_def def = test_def(3, 3, PHX_REFERENCE_CANTILEVER, N);
    phx_beam *beam = test_beam(*state, &def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    const double h = def.length / N;
    const double cubic[16] = {12,  6 * h,  -12, 6 * h,  6 * h, 4 * h * h, -6 * h, 2 * h * h,
                              -12, -6 * h, 12,  -6 * h, 6 * h, 2 * h * h, -6 * h, 4 * h * h};
    double *got = flex_dense(*state, flex, flex->K), want[(6 * N) * (6 * N)] = {0};
    assert_int_equal(flex->n, 6 * N);
    for (int e = 0; e < N; e++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                const int row = 2 * (e - 1) + i, col = 2 * (e - 1) + j;
                if (row < 0 || col < 0)
                    continue;
                const double value = cubic[i * 4 + j] / (h * h * h);
                want[(N + row) * 6 * N + N + col] += def.bending_stiffness[1] * value;
                want[(3 * N + row) * 6 * N + 3 * N + col] += def.bending_stiffness[0] * value;
            }
        }
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                const int row = e - 1 + i, col = e - 1 + j;
                if (row < 0 || col < 0)
                    continue;
                want[row * 6 * N + col] += def.axial_stiffness / h * bar_stiffness[i * 2 + j];
                want[(5 * N + row) * 6 * N + 5 * N + col] += def.torsion_stiffness / h * bar_stiffness[i * 2 + j];
            }
        }
    }
    check_matrix("assembled stiffness", 6 * N, got, want, 1.0, 1e-13);
    phx_free(got);
    phx_flex_source_destroy(beam);
}

/* The private Gauss rule is exact to degree 2n-1 and no further. */
static void test_gauss(void **state)
{
    (void)state;
    for (int n = 1; n <= PHX_GAUSS_MAX; n++) {
        double x[PHX_GAUSS_MAX], w[PHX_GAUSS_MAX];
        phx_gauss(n, x, w);
        for (int degree = 0; degree <= 2 * n; degree++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += w[k] * pow(x[k], degree);
            if (degree < 2 * n)
                CHECK_CLOSE(sum, 1.0 / (degree + 1), 1e-15, "Gauss rule of %d points, degree %d", n, degree);
            else
                assert_true(fabs(sum - 1.0 / (degree + 1)) > 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gauss, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bar_stiffness, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cubic_stiffness, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_quintic_stiffness, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cubic_mass, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_quintic_mass, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_paper_on_one_element, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_assembled_stiffness, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("fe elements", tests, NULL, NULL);
}
