/* Frequencies of plates: an independent program on the same meshes, orders of convergence, exact and spectral values.
 */
#include "plates.h"
#include "support/vectors.h"

enum { MODES = 8, MOST_RIGID = 3 };

/* Relative errors of the first MODES pulsations that are not those of rigid motions. */
static void errors_against(phx_context *context, const plate_case *def, const char *letters, const double *want,
                           double *error)
{
    phx_elastic_model *model = make_plate(context, def);
    const bool floating = strcmp(letters, "FFFF") == 0;
    const int rigid = floating ? MOST_RIGID : 0;
    double omega[MODES + MOST_RIGID];

    plate_frequencies(context, model, letters, floating ? -100.0 : 0.0, MODES + rigid, omega);
    for (int k = 0; k < MODES; k++)
        error[k] = omega[rigid + k] / want[k] - 1.0;
    phx_elastic_destroy(model);
}

/* ---- Kirchhoff ---- */
/* The pulsations that another program of the same method has on the mesh n x n. */
static void reference_on_mesh(const char *text, const char *letters, int n, double *omega)
{
    char key[40];
    const char *at;

    snprintf(key, sizeof key, "\"k1_diag_%s\"", letters);
    at = strstr(text, key);
    assert_non_null(at);
    snprintf(key, sizeof key, "\"n\": %d,", n);
    at = strstr(at, key);
    assert_non_null(at);
    vectors_numbers(at, "omega", MODES, omega);
}

/* The other program has lost digits on the finest mesh, about eps h^-4 in omega^2. */
static void test_same_mesh(void **state)
{
    phx_context *context = *state;
    static const char *const cases[] = {"SSSS", "CCCC", "CFFF", "FFFF"};
    char *text = vectors_text("plates.json");

    for (int c = 0; c < 4; c++)
        for (int n = 4; n <= 32; n *= 2) {
            const plate_case def = unit_plate(n, 0.3);
            double want[MODES], error[MODES];
            reference_on_mesh(text, cases[c], n, want);
            errors_against(context, &def, cases[c], want, error);
            for (int k = 0; k < MODES; k++)
                CHECK_SMALL(error[k], n < 32 ? 1e-10 : 5e-9, "%s, n = %d, omega %d", cases[c], n, k + 1);
        }
    test_free(text);
}

/* Spectral values; the largest error allowed at n = 16. Letters are those of the edges x0 x1 y0 y1. */
static void test_spectral(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *key, *letters;
        double poisson, largest[3]; /* k = 0, 1, 2 */
    } cases[] = {
        {"SSSS_nu0.3", "SSSS", 0.3, {4e-2, 1.2e-4, 9e-7}}, {"CCCC_nu0.3", "CCCC", 0.3, {1.1e-1, 8e-4, 4e-6}},
        {"FFFF_nu0.3", "FFFF", 0.3, {2e-2, 1.1e-4, 1e-6}}, {"SFSF_nu0.3", "SSFF", 0.3, {4e-2, 1.5e-4, 4e-7}},
        {"CFFF_nu0.3", "CFFF", 0.3, {4e-2, 3e-4, 5e-5}},   {"CFFF_nu0.35", "CFFF", 0.35, {5e-2, 4e-4, 7e-5}},
    };
    char *text = vectors_text("plates.json");

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int order = 0; order <= 2; order++) {
            plate_case def = unit_plate(16, cases[c].poisson);
            double want[MODES], error[MODES];
            def.order = order;
            vectors_numbers(text, cases[c].key, MODES, want);
            errors_against(context, &def, cases[c].letters, want, error);
            for (int k = 0; k < MODES; k++)
                CHECK_SMALL(error[k], cases[c].largest[order], "%s, k = %d, omega %d", cases[c].key, order, k + 1);
        }
    test_free(text);
}

/* Order 2 (k + 1) where solutions are smooth, between n = 8 and 16 (k = 0: 16 and 32). */
static void test_orders(void **state)
{
    phx_context *context = *state;
    static const char *const key[] = {"SSSS_nu0.3", "SFSF_nu0.3"}, *const letters[] = {"SSSS", "SSFF"};
    char *text = vectors_text("plates.json");

    for (int c = 0; c < 2; c++)
        for (int k = 0; k <= 2; k++) {
            double want[MODES], coarse[MODES], fine[MODES];
            const int n = k == 0 ? 16 : 8, mode = 1; /* the mode of mixed sign comes later */
            plate_case def = unit_plate(n, 0.3);
            def.order = k;
            vectors_numbers(text, key[c], MODES, want);
            errors_against(context, &def, letters[c], want, coarse);
            def.elements[0] = def.elements[1] = 2 * n;
            errors_against(context, &def, letters[c], want, fine);
            CHECK_CLOSE(log2(coarse[mode] / fine[mode]), 2.0 * (k + 1), 0.35, "%s, k = %d: order", letters[c], k);
        }
    test_free(text);
}

/* Simply supported orthotropic plate a x b: m omega^2 = pi^4 (D11 p^4/a^4 + 2 (D12 + 2 D66) p^2 q^2/(a b)^2
 * + D22 q^4/b^4), on an irregular mesh. */
static double orthotropic_square(const plate_case *def, int p, int q)
{
    const double *D = def->section.bending;
    const double x = pow(p * TEST_PI / def->size[0], 2.0), y = pow(q * TEST_PI / def->size[1], 2.0);
    return (D[0] * x * x + 2.0 * (D[1] + 2.0 * D[8]) * x * y + D[4] * y * y) / def->section.mass;
}

static void test_orthotropic(void **state)
{
    phx_context *context = *state;
    const phx_plate_layer layer = {
        .young = {140e9, 10e9}, .poisson = 0.3, .shear = {5e9, 5e9, 3e9}, .density = 1600.0, .thickness = 0.004};
    plate_case def = {.size = {1.5, 0.7}, .elements = {24, 12}, .order = 2, .grading = 1.0, .distorted = 0.15};
    double exact[5], omega[5];

    CHECK_OK(context, phx_laminate_section(context, 1, &layer, 5.0 / 6.0, &def.section));
    phx_elastic_model *model = make_plate(context, &def);
    for (int count = 0, p = 1; p <= 6; p++)
        for (int q = 1; q <= 6; q++) { /* the five smallest, ascending */
            double value = sqrt(orthotropic_square(&def, p, q));
            for (int k = 0; k < count; k++)
                if (value < exact[k]) {
                    const double larger = exact[k];
                    exact[k] = value;
                    value = larger;
                }
            if (count < 5)
                exact[count++] = value;
        }
    plate_frequencies(context, model, "SSSS", 0.0, 5, omega);
    for (int k = 0; k < 5; k++)
        CHECK_RELATIVE(omega[k], exact[k], 2e-6, "orthotropic plate, omega %d", k + 1);
    phx_elastic_destroy(model);
}

/* ---- membrane ---- */
/* Edges that glide along their normals, ux = 0 on y0 y1 and uy = 0 on x0 x1: waves of shear, omega^2 = G h/m pi^2
 * (p^2 + q^2), the third with p = q = 1. Its relative error. */
static double membrane_error(phx_context *context, int order, int n)
{
    plate_case def = unit_plate(n, 0.3);
    def.order = order;
    def.membrane = true;
    phx_elastic_model *model = make_plate(context, &def);
    free_set set = free_all(model->n);
    double omega[3];

    hold_component(&set, model, PHX_UNKNOWN_UZ);
    hold_component(&set, model, PHX_UNKNOWN_OTHER);
    for (int e = 0; e < 4; e++) {
        static const char *const edge[] = {"x0", "x1", "y0", "y1"};
        int count, *unknown;
        CHECK_OK(context,
                 phx_plate_edge_unknowns(context, model, edge[e], PHX_TRACE_TRANSLATIONS, &count, &unknown, NULL));
        for (int k = e < 2 ? 1 : 0; k < count; k += 2)
            hold(&set, 1, unknown + k);
        phx_free(unknown);
    }
    phx_csr K = restricted(context, &model->K, &set), M = restricted(context, &model->M, &set);
    lowest_frequencies(context, &K, &M, 0.0, 3, omega, NULL);
    phx_csr_free(&K);
    phx_csr_free(&M);
    free_set_release(&set);
    phx_elastic_destroy(model);
    return omega[2] / (TEST_PI * sqrt(2.0 * def.section.membrane[8] / def.section.mass)) - 1.0;
}

static void test_membrane(void **state)
{
    phx_context *context = *state;
    const double largest[3] = {4e-2, 3e-4, 2e-6};

    for (int order = 0; order <= 2; order++) {
        const double coarse = membrane_error(context, order, 8), fine = membrane_error(context, order, 16);
        CHECK_SMALL(coarse, largest[order], "membrane, k = %d", order);
        CHECK_CLOSE(log2(coarse / fine), 2.0 * (order + 1), 0.2, "membrane, k = %d: order", order);
    }
}

/* ---- Mindlin: omega a sqrt(rho/G), nu = 0.3 ---- */
static plate_case mindlin_plate(int n, int order, double thickness, double kappa)
{
    plate_case def = unit_plate(n, 0.3);
    def.theory = PHX_PLATE_MINDLIN;
    def.order = order;
    phx_isotropic_section(2.0 * (1.0 + 0.3), 0.3, 1.0, thickness, kappa, &def.section); /* G = rho = 1 */
    return def;
}

static void reference_mindlin(const char *text, double thickness, const char *key, double *omega)
{
    char part[20];

    snprintf(part, sizeof part, "\"t%g\"", thickness);
    const char *at = strstr(text, part);
    assert_non_null(at);
    vectors_numbers(at, key, MODES, omega);
}

/* Largest errors allowed at n = 16, k = 1 and 2. At free and softly supported edges the twisting moment has a layer as
 * wide as the plate is thick, which this mesh does not see at t = 0.01: there the plate vibrates as in Kirchhoff's
 * theory, within what the theories differ. */
static void test_mindlin(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *key, *letters;
        double kappa, largest[3][2];
    } cases[] = {
        {"SS_exact_k5_6", "SSSS", 5.0 / 6.0, {{9e-5, 9e-7}, {1.2e-4, 9e-7}, {1.2e-4, 9e-7}}},
        {"CCCC_k0_8601", "CCCC", 0.8601, {{8e-4, 5e-5}, {7e-4, 3e-5}, {8e-4, 4e-6}}},
        {"CCCC_k5_6", "CCCC", 5.0 / 6.0, {{8e-4, 5e-5}, {7e-4, 3e-5}, {8e-4, 4e-6}}},
        {"SSsoft_k5_6", "ssss", 5.0 / 6.0, {{4e-3, 2e-4}, {4e-3, 3e-3}, {2e-4, 1.2e-4}}},
        {"CFFF_k5_6", "CFFF", 5.0 / 6.0, {{5e-3, 3e-4}, {3e-3, 2e-3}, {2e-4, 4e-5}}},
    };
    static const double thickness[] = {0.1, 0.01, 0.001};
    char *text = vectors_text("mindlin.json");

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int t = 0; t < 3; t++)
            for (int order = 1; order <= 2; order++) {
                const plate_case def = mindlin_plate(16, order, thickness[t], cases[c].kappa);
                double want[MODES], error[MODES];
                reference_mindlin(text, thickness[t], cases[c].key, want);
                errors_against(context, &def, cases[c].letters, want, error);
                for (int k = 0; k < MODES; k++)
                    CHECK_SMALL(error[k], cases[c].largest[t][order - 1], "%s, t = %g, k = %d, omega %d", cases[c].key,
                                thickness[t], order, k + 1);
            }
    test_free(text);
}

/* Order 2k with layers, here with soft supports, k = 1. */
static void test_mindlin_order(void **state)
{
    phx_context *context = *state;
    char *text = vectors_text("mindlin.json");
    double want[MODES], coarse[MODES], fine[MODES];
    plate_case def = mindlin_plate(24, 1, 0.1, 5.0 / 6.0);

    reference_mindlin(text, 0.1, "SSsoft_k5_6", want);
    errors_against(context, &def, "ssss", want, coarse);
    def.elements[0] = def.elements[1] = 48;
    errors_against(context, &def, "ssss", want, fine);
    for (int k = 0; k < MODES; k++)
        CHECK_CLOSE(log2(coarse[k] / fine[k]), 2.0, 0.35, "soft supports, t = 0.1: order, omega %d", k + 1);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_mesh, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_spectral, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_orders, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_orthotropic, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_membrane, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_mindlin, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_mindlin_order, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
