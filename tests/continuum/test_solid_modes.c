/* Solids: frequencies of a block 1 x 0.2 x 0.1 m by a spectral Ritz method (tests/data/solids.json), free and clamped;
 * bending and nearly incompressible material without locking. */
#include "solids.h"
#include "support/vectors.h"

static const double block[3] = {1.0, 0.2, 0.1};

/* The first frequencies, Hz, without rigid motions; the end x = 0 clamped or not. */
static void frequencies(phx_context *context, const solid_type *type, const int elements[3], double poisson,
                        bool clamped, int count, double *hertz)
{
    phx_solid_material material;
    phx_isotropic_material(210e9, poisson, 7800.0, &material);
    phx_mesh mesh = box_mesh(context, block, elements[0], elements[1], elements[2], type->cell, BOX_REGULAR);
    phx_elastic_model *model = solid_model(context, &mesh, &material, type->rule, false);
    free_set set = free_all(model->n);
    const int rigid = clamped ? 0 : 6;
    double omega[20];

    for (int k = 0; k < 3 && clamped; k++)
        hold_group(&set, model, "x0", PHX_UNKNOWN_UX + k);
    phx_csr K = restricted(context, &model->K, &set), M = restricted(context, &model->M, &set);
    lowest_frequencies(context, &K, &M, -1e6, rigid + count, omega, NULL);
    for (int k = 0; k < rigid; k++)
        CHECK_BELOW(omega[k], 1e-4 * omega[rigid], "rigid motion %d of %s", k, type->name);
    for (int k = 0; k < count; k++)
        hertz[k] = omega[rigid + k] / (2.0 * TEST_PI);
    phx_csr_free(&K);
    phx_csr_free(&M);
    free_set_release(&set);
    phx_elastic_destroy(model);
}

static const solid_type *type_named(const char *name)
{
    int t = 0;

    while (strcmp(solid_types[t].name, name) != 0)
        t++;
    return &solid_types[t];
}

/* Frequencies come out too high, by no more than the data say; `margin` is half of the last digit there. */
static void check_free_block(phx_context *context, const char *name, const int elements[3], const char *key, int modes,
                             double margin)
{
    char *text = vectors_text("solids.json");
    double want[8], error[2], got[2];

    vectors_numbers(text, "free_free", 8, want);
    vectors_numbers(text, key, modes, error);
    const double uncertainty = vectors_number(text, "free_free_relative_uncertainty");
    test_free(text);
    frequencies(context, type_named(name), elements, 0.3, false, modes, got);
    for (int k = 0; k < modes; k++)
        CHECK_BETWEEN(got[k] / want[k] - 1.0, -uncertainty, error[k] + margin + uncertainty, "%s, free mode %d", name,
                      k + 1);
}

static void test_free_block(void **state)
{
    const int grid[3] = {30, 6, 3}, finer[3] = {40, 8, 4};

    check_free_block(*state, "hex20", grid, "hex20_30x6x3", 2, 5e-7);
    check_free_block(*state, "hex8", finer, "hex8_40x8x4", 1, 5e-4);
    check_free_block(*state, "tet10", grid, "tet10_same_grid", 2, 5e-6);
}

/* All modes of both lists on a coarse mesh: too high, by about what the order of the element allows. */
static void test_all_modes(void **state)
{
    static const double most[SOLID_TYPES] = {0.5, 0.01, 0.06, 0.005, 0.003, 0.2, 0.004, 0.2};
    const int grid[3] = {16, 4, 2};
    char *text = vectors_text("solids.json");
    double want[2][8], got[8];

    vectors_numbers(text, "free_free", 8, want[0]);
    vectors_numbers(text, "clamped_x0", 6, want[1]);
    const double uncertainty = vectors_number(text, "clamped_relative_uncertainty");
    test_free(text);
    for (int clamped = 0; clamped < 2; clamped++)
        for (int t = 0; t < SOLID_TYPES; t++) {
            frequencies(*state, &solid_types[t], grid, 0.3, clamped, clamped ? 6 : 8, got);
            for (int k = 0; k < (clamped ? 6 : 8); k++)
                CHECK_BETWEEN(got[k] / want[clamped][k] - 1.0, -uncertainty, most[t], "%s, clamped %d, mode %d",
                              solid_types[t].name, clamped, k + 1);
        }
}

/* The corners of the clamped end limit the order: about 4/3 in the frequency from 10 x 2 x 1 to 30 x 6 x 3. */
static void test_clamped_block_converges(void **state)
{
    const int coarse[3] = {10, 2, 1}, fine[3] = {30, 6, 3};
    char *text = vectors_text("solids.json");
    double want[6], error[2][6];

    vectors_numbers(text, "clamped_x0", 6, want);
    test_free(text);
    frequencies(*state, type_named("hex20"), coarse, 0.3, true, 6, error[0]);
    frequencies(*state, type_named("hex20"), fine, 0.3, true, 6, error[1]);
    for (int k = 0; k < 6; k++) {
        const double ratio = (error[0][k] - want[k]) / (error[1][k] - want[k]);
        CHECK_BETWEEN(error[1][k] / want[k] - 1.0, 0.0, 2.5e-3, "clamped mode %d", k + 1);
        CHECK_BETWEEN(ratio, 3.0, 30.0, "clamped mode %d: error of the coarse mesh over that of the fine one", k + 1);
    }
}

/* Nearly incompressible: hexahedra with B-bar stay as stiff against quadratic ones as they are otherwise, plain ones
 * lock. */
static void test_no_locking(void **state)
{
    const int grid[3] = {20, 4, 4}, coarser[3] = {16, 4, 2};
    const double poisson[3] = {0.3, 0.49, 0.49999};
    double hex8[3], hex20[3], excess[3][3];

    for (int k = 0; k < 3; k++) {
        frequencies(*state, type_named("hex8"), grid, poisson[k], true, 3, hex8);
        frequencies(*state, type_named("hex20r"), coarser, poisson[k], true, 3, hex20);
        for (int i = 0; i < 3; i++) {
            excess[k][i] = hex8[i] / hex20[i] - 1.0;
            CHECK_BETWEEN(excess[k][i], -0.01, 0.05, "nu = %g, mode %d", poisson[k], i + 1);
            CHECK_BELOW(excess[k][i], excess[0][i] + 0.002, "nu = %g against 0.3, mode %d", poisson[k], i + 1);
        }
        frequencies(*state, type_named("hex8 plain"), grid, poisson[k], true, 1, hex8);
        CHECK_BETWEEN(hex8[0] / hex20[0] - 1.0, poisson[k] < 0.4999 ? 0.0 : 0.5, 5.0, "plain, nu = %g", poisson[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_free_block, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_all_modes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_clamped_block_converges, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_no_locking, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
