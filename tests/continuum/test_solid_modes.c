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

/* Errors are from above and as large as the data say, to the digits given; `margin` is half of the last one. */
static void check_free_block(phx_context *context, const char *name, const int elements[3], const char *key, int modes,
                             double margin)
{
    char *text = vectors_text("solids.json");
    double want[8], error[2], got[2];

    vectors_numbers(text, "free_free", 8, want);
    vectors_numbers(text, key, modes, error);
    const double uncertainty = vectors_number(text, "free_free_relative_uncertainty");
    frequencies(context, type_named(name), elements, 0.3, false, modes, got);
    for (int k = 0; k < modes; k++)
        CHECK_BETWEEN(got[k] / want[k] - 1.0, error[k] - margin - uncertainty, error[k] + margin + uncertainty,
                      "%s, free mode %d", name, k + 1);
    test_free(text);
}

static void test_free_block(void **state)
{
    const int grid[3] = {30, 6, 3}, finer[3] = {40, 8, 4};

    check_free_block(*state, "hex20", grid, "hex20_30x6x3", 2, 5e-7);
    check_free_block(*state, "hex8", finer, "hex8_40x8x4", 1, 5e-4);
    check_free_block(*state, "tet10", grid, "tet10_same_grid", 2, 5e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_free_block, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
