/* Derivatives by the entries of lists: the thickness of each cell of a plate, the values of a table. */
#include "sensitivity/objective.h"
#include "study/study.h"
#include "support/testing.h"

#include <phlexor/sensitivity.h>

#include <stdio.h>

enum { NX = 4, NY = 3, CELLS = NX * NY };

/* A clamped plate of NX x NY cells; `parameters` and `thickness` as they are written in the file. */
static phx_model *read_plate(phx_context *context, const char *parameters, const char *thickness, const char *mesh)
{
    char text[1500];
    phx_model *model = NULL;

    snprintf(text, sizeof text,
             "phlexor: 1\n"
             "dimension: 3\n"
             "parameters: {%s}\n"
             "materials: {steel: {density: 7800, young: 2.1e11, poisson: 0.3}}\n"
             "bodies:\n"
             "  sheet: {kind: plate, material: steel, thickness: %s, basis: {modes: 6}, ports: {root: {on: x0}},\n"
             "          mesh: {size: [0.4, 0.25], elements: [%d, %d]%s}}\n"
             "joints: {root: {kind: weld, ports: [ground.O, sheet.root]}}\n"
             "modes: {count: 3}\n",
             parameters, thickness, NX, NY, mesh);
    CHECK_OK(context, phx_model_read_text(context, "plate.yaml", text, strlen(text), 0, NULL, &model));
    return model;
}

/* The values of the first three modes; their derivatives by a parameter or list into slope, if it is not NULL. */
static void find_modes(phx_context *context, const phx_model *model, const char *name, int m, double value[3],
                       double *slope)
{
    static const char *const objectives[] = {"modes.omega.1", "modes.omega.2", "modes.omega.3"};
    phx_gradient_options options = phx_gradient_options_default();
    phx_gradient found;

    CHECK_OK(context, phx_objectives_evaluate(context, model, 3, objectives, value));
    if (!slope)
        return;
    options.n_objectives = 3;
    options.objectives = objectives;
    options.n_parameters = 1;
    options.parameters = &name;
    CHECK_OK(context, phx_gradient_find(context, model, &options, &found));
    assert_int_equal(found.n_parameters, m);
    for (int p = 0; p < m && m > 1; p++) {
        char entry[40];
        snprintf(entry, sizeof entry, "%s[%d]", name, p + 1);
        assert_string_equal(found.parameters[p], entry);
    }
    memcpy(slope, found.gradient, (size_t)(3 * m) * sizeof *slope);
    phx_gradient_free(&found);
}

/* Equal thicknesses of all cells are one thickness, bit by bit; the derivatives by the cells add up to the one by the
 * common thickness. */
static void cells_add_up_to_the_plate(void **state)
{
    static const char *const meshes[] = {"", ", crossed: true", ", grading: [1.5, 2]"};
    phx_context *context = *state;

    for (size_t k = 0; k < sizeof meshes / sizeof *meshes; k++) {
        phx_model *one = read_plate(context, "h: 0.003", "h", meshes[k]);
        phx_model *many = read_plate(context, "h: {count: 12, value: 0.003}", "h", meshes[k]);
        double value[3], values[3], slope[3], slopes[3 * CELLS];

        find_modes(context, one, "h", 1, value, slope);
        find_modes(context, many, "h", CELLS, values, slopes);
        assert_memory_equal(value, values, sizeof value);
        for (int i = 0; i < 3; i++) {
            double sum = 0.0;
            for (int c = 0; c < CELLS; c++)
                sum += slopes[i * CELLS + c];
            CHECK_RELATIVE(sum, slope[i], 1e-8, "mode %d, mesh %zu", i + 1, k);
        }
        phx_model_destroy(one);
        phx_model_destroy(many);
    }
}

/* The derivative by one cell is the difference of two frequencies. Cells lie along x first: a cell at the clamped edge
 * stiffens the first mode, one at the free edge adds mass to it; rows that are mirror images have equal derivatives
 * in a crossed mesh. */
static void one_cell_has_its_derivative(void **state)
{
    static const double STEP = 1e-5;
    phx_context *context = *state;
    phx_model *model = read_plate(context, "h: {count: 12, value: 0.003}", "h", ", crossed: true");
    double value[3], slope[3 * CELLS], side[2][3];

    find_modes(context, model, "h", CELLS, value, slope);
    for (int way = 0; way < 2; way++) {
        const phx_model_override other = {.name = "h[6]", .value = 0.003 + (way ? STEP : -STEP)};
        CHECK_OK(context, phx_model_set_parameters(context, model, 1, &other));
        find_modes(context, model, "h", 0, side[way], NULL);
    }
    for (int i = 0; i < 3; i++) {
        const double difference = (side[1][i] - side[0][i]) / (2.0 * STEP);
        CHECK_CLOSE(slope[i * CELLS + 5], difference, 1e-4 * value[i] / 0.003, "mode %d", i + 1);
    }
    for (int row = 0; row < NY; row++) {
        assert_true(slope[row * NX] > 0.0);
        assert_true(slope[row * NX + NX - 1] < 0.0);
        for (int i = 0; i < NX; i++)
            CHECK_RELATIVE(slope[row * NX + i], slope[(NY - 1 - row) * NX + i], 1e-6, "cell %d of row %d", i, row);
    }
    phx_model_destroy(model);
}

/* The values of a table of a force are parameters: the speed of a body at the end is the integral of the force, whose
 * derivatives are the weights of the trapezoidal rule. */
static void values_of_a_table_are_weighted(void **state)
{
    static const char text[] = "phlexor: 1\n"
                               "dimension: 3\n"
                               "parameters: {f: [1, 3, 2, 5, 4]}\n"
                               "bodies: {block: {kind: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                               "loads: {push: {at: block.P, force: [{times: {from: 0, to: 2}, values: f}, 0, 0]}}\n"
                               "outputs: {v: {velocity: block.P}}\n"
                               "simulate: {end: 2, step: 0.01}\n";
    static const double want[] = {0.25, 0.5, 0.5, 0.5, 0.25};
    static const char *const objective = "simulate.final(v.x)", *const name = "f";
    static const phx_derivation ways[] = {PHX_DERIVE_ADJOINT, PHX_DERIVE_TANGENT, PHX_DERIVE_DIFFERENCES};
    phx_context *context = *state;
    phx_model *model = NULL;

    CHECK_OK(context, phx_model_read_text(context, "push.yaml", text, strlen(text), 0, NULL, &model));
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        phx_gradient_options options = phx_gradient_options_default();
        phx_gradient found;
        options.n_objectives = options.n_parameters = 1;
        options.objectives = &objective;
        options.parameters = &name;
        options.derivation = ways[w];
        CHECK_OK(context, phx_gradient_find(context, model, &options, &found));
        assert_int_equal(found.n_parameters, 5);
        CHECK_CLOSE(found.value[0], 6.25, 1e-9, "way %zu", w);
        CHECK_VECTOR(5, found.gradient, want, 1e-8, "way %zu", w);
        phx_gradient_free(&found);
    }
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cells_add_up_to_the_plate, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(one_cell_has_its_derivative, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(values_of_a_table_are_weighted, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("sensitivity_lists", tests, NULL, NULL);
}
