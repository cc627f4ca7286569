/* Interpolation from the corners of quadratic elements: fields of the linear elements, and their stiffness. */
#include "continuum/basis.h"
#include "support/testing.h"

#include <math.h>

static phx_context *context;

static phx_elastic_model *make_box(phx_cell_type type, phx_solid_rule rule)
{
    const phx_box_mesh box = {.size = {1.0, 0.6, 0.4}, .elements = {3, 2, 2}, .type = type};
    phx_solid_region region = {.rule = rule};
    phx_elastic_model *model = NULL;
    phx_mesh mesh = {0};

    phx_isotropic_material(2.1e11, 0.3, 7850.0, &region.material);
    CHECK_OK(context, phx_mesh_box(context, &box, &mesh));
    CHECK_OK(context, phx_solid_create(context, &mesh, 1, &region, &model));
    return model;
}

typedef struct sample {
    phx_elastic_model *model;
    elastic_space space;
    int n_corners, *corner, *all;
    phx_csr P;
} sample;

static void make_sample(phx_cell_type type, double hold_below, sample *it)
{
    it->model = make_box(type, PHX_SOLID_FULL);
    CHECK_OK(context, elastic_space_create(context, it->model, NULL, 0, NULL, &it->space));
    const size_t n = (size_t)it->space.n;
    unsigned char *left_out = phx_calloc(context, n, 1);
    it->corner = phx_calloc(context, n, sizeof *it->corner);
    it->all = phx_calloc(context, n, sizeof *it->all);
    int kept = 0;
    for (int j = 0; j < it->space.n; j++) {
        left_out[j] = it->model->x[3 * it->model->node[j]] < hold_below;
        if (!left_out[j])
            it->all[kept++] = j;
    }
    CHECK_OK(context,
             elastic_space_corners(context, &it->space, left_out, kept, it->all, &it->n_corners, it->corner, &it->P));
    phx_free(left_out);
}

static void free_sample(sample *it)
{
    phx_csr_free(&it->P);
    phx_free(it->corner);
    phx_free(it->all);
    elastic_space_free(&it->space);
    phx_elastic_destroy(it->model);
}

static double trilinear(const double *x, int component)
{
    return 1.0 + x[0] - 2.0 * x[1] + 3.0 * x[2] + x[0] * x[1] - x[1] * x[2] + (component + 1.0) * x[0] * x[1] * x[2];
}

static double linear(const double *x, int component)
{
    return 1.0 + x[0] - 2.0 * x[1] + (3.0 + component) * x[2];
}

/* The field at the corners gives that at all nodes; `held` unknowns, where it is zero, are not among them. */
static void check_field(const sample *it, double (*field)(const double *x, int component), const char *name)
{
    double *corners = phx_calloc(context, (size_t)it->n_corners, sizeof *corners);
    double *all = phx_calloc(context, (size_t)it->P.rows, sizeof *all), worst = 0.0;

    for (int k = 0; k < it->n_corners; k++) {
        const int j = it->all[it->corner[k]];
        corners[k] = field(it->model->x + 3 * it->model->node[j], it->model->component[j]);
    }
    phx_csr_apply(&it->P, 1.0, corners, all);
    for (int i = 0; i < it->P.rows; i++) {
        const int j = it->all[i];
        worst = fmax(worst, fabs(all[i] - field(it->model->x + 3 * it->model->node[j], it->model->component[j])));
    }
    CHECK_SMALL(worst, 1e-14, "%s", name);
    phx_free(corners);
    phx_free(all);
}

static void linear_fields_are_exact(void **state)
{
    sample it;

    (void)state;
    make_sample(PHX_CELL_HEX20, -1.0, &it);
    assert_int_equal(it.n_corners, 3 * 4 * 3 * 3);
    check_field(&it, trilinear, "hexahedra");
    free_sample(&it);
    make_sample(PHX_CELL_TET10, -1.0, &it);
    check_field(&it, linear, "tetrahedra");
    free_sample(&it);
    make_sample(PHX_CELL_WEDGE15, -1.0, &it);
    check_field(&it, linear, "wedges");
    free_sample(&it);
}

static double from_held(const double *x, int component)
{
    return x[0] * (1.0 + component + x[1] * x[2]);
}

static void held_unknowns_are_zero(void **state)
{
    sample it;

    (void)state;
    make_sample(PHX_CELL_HEX20, 1e-9, &it);
    assert_int_equal(it.n_corners, 3 * 3 * 3 * 3);
    check_field(&it, from_held, "held at x = 0");
    free_sample(&it);
}

static int unknown_at(const phx_elastic_model *model, const double *x, int component)
{
    for (int j = 0; j < model->n; j++) {
        const double *y = model->x + 3 * model->node[j];
        if (model->component[j] == component && fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]) < 1e-9)
            return j;
    }
    return -1;
}

/* P^T K P of straight elements is the stiffness of the linear elements, all points of integration counted. */
static void check_stiffness(phx_cell_type quadratic, phx_cell_type low, phx_solid_rule rule)
{
    phx_elastic_model *simple = make_box(low, rule);
    phx_csr K = {0};
    sample it;
    double largest = 0.0, worst = 0.0;

    make_sample(quadratic, -1.0, &it);
    CHECK_OK(context, phx_csr_congruence(context, &it.P, &it.space.K, &it.P, &K));
    const size_t m = (size_t)it.n_corners;
    double *got = phx_calloc(context, m * m, sizeof *got), *want = phx_calloc(context, m * m, sizeof *want);
    assert_int_equal(simple->n, it.n_corners);
    phx_csr_to_dense(&K, got);
    phx_csr_to_dense(&simple->K, want);
    int *other = phx_calloc(context, m, sizeof *other);
    for (int k = 0; k < it.n_corners; k++) {
        const int j = it.all[it.corner[k]];
        other[k] = unknown_at(simple, it.model->x + 3 * it.model->node[j], it.model->component[j]);
        assert_true(other[k] >= 0);
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            const double exact = want[(size_t)other[i] * m + (size_t)other[j]];
            largest = fmax(largest, fabs(exact));
            worst = fmax(worst, fabs(got[i * m + j] - exact));
        }
    CHECK_SMALL(worst / largest, 1e-12, "stiffness of the corners of %s", phx_cell_info_of(quadratic)->name);
    phx_free(got);
    phx_free(want);
    phx_free(other);
    phx_csr_free(&K);
    free_sample(&it);
    phx_elastic_destroy(simple);
}

static void stiffness_is_that_of_linear_elements(void **state)
{
    (void)state;
    check_stiffness(PHX_CELL_HEX20, PHX_CELL_HEX8, PHX_SOLID_PLAIN);
    check_stiffness(PHX_CELL_TET10, PHX_CELL_TET4, PHX_SOLID_FULL);
}

static void linear_elements_have_no_middles(void **state)
{
    sample it;

    (void)state;
    make_sample(PHX_CELL_HEX8, -1.0, &it);
    assert_int_equal(it.n_corners, 0);
    assert_int_equal(it.P.rows, 0);
    free_sample(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_fields_are_exact),
        cmocka_unit_test(held_unknowns_are_zero),
        cmocka_unit_test(stiffness_is_that_of_linear_elements),
        cmocka_unit_test(linear_elements_have_no_middles),
    };

    if (phx_context_create(&context))
        return 1;
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    phx_context_destroy(context);
    return failures;
}
