/* Bodies in shapes of another program: modes beside the matrices, modes with modal matrices and lumped masses. What
 * they make is held against the same body in the basis that the shapes were taken from. */
#include "continuum/basis.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MODES = 6, PORTS = 2 };
static phx_context *context;

static int set_up(void **state)
{
    (void)state;
    return phx_context_create(&context);
}

static int tear_down(void **state)
{
    static const char *const files[] = {"bar_K.mtx", "bar_M.mtx", "bar.csv", "bar.fem", "bar_T.mtx"};
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        remove(files[k]);
    phx_context_destroy(context);
    return 0;
}

/* A steel bar, its mass lumped at the nodes. */
static phx_elastic_model *bar(void)
{
    const phx_box_mesh box = {.size = {0.3, 0.02, 0.01}, .elements = {6, 2, 1}, .type = PHX_CELL_HEX8};
    phx_solid_region region = {.lumped = true};
    phx_elastic_model *model = NULL;
    phx_mesh mesh = {0};

    phx_isotropic_material(2.1e11, 0.3, 7850.0, &region.material);
    CHECK_OK(context, phx_mesh_box(context, &box, &mesh));
    CHECK_OK(context, phx_solid_create(context, &mesh, 1, &region, &model));
    return model;
}

/* In this basis, in the frame along the line between the means of its ends. */
static phx_status in_basis(phx_elastic_model *model, phx_basis_kind kind, phx_flex_source **source)
{
    static const char *const names[PORTS] = {"left", "right"};
    const phx_continuum_def def = {
        .name = "bar", .basis = kind, .modes = MODES, .frame = PHX_FRAME_CHORD, .frame_at = {0, 1}};
    phx_interface ends[PORTS];

    for (int p = 0; p < PORTS; p++) {
        int count = 0, unknown[3 * 6];
        for (int j = 0; j < model->n; j++)
            if (model->node[j] >= 0 && fabs(model->x[3 * model->node[j]] - 0.3 * p) < 1e-9 &&
                model->component[j] <= PHX_UNKNOWN_UZ)
                unknown[count++] = j;
        assert_int_equal(count, 3 * 6);
        CHECK_OK(context,
                 phx_interface_create(context, model, names[p], PHX_INTERFACE_AVERAGE, NULL, count, unknown, &ends[p]));
    }
    const phx_status status = phx_continuum_source_create(context, &def, model, PORTS, ends, source);
    for (int p = 0; p < PORTS && status; p++)
        phx_interface_free(&ends[p]);
    return status;
}

static void put_matrix(const char *path, const phx_csr *a)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", a->rows, a->cols, a->ptr[a->rows]);
    for (int i = 0; i < a->rows; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            fprintf(file, "%d %d %.17g\n", i + 1, a->idx[e] + 1, a->val[e]);
    fclose(file);
}

/* Unknowns of a solid stand node after node, three each. */
static void put_files(const phx_elastic_model *model)
{
    FILE *file = fopen("bar.csv", "w");

    assert_non_null(file);
    fputs("node, x, y, z\n", file);
    for (int i = 0; i < model->n_nodes; i++)
        fprintf(file, "%d, %.17g, %.17g, %.17g\n", i + 1, model->x[3 * i], model->x[3 * i + 1], model->x[3 * i + 2]);
    fclose(file);
    for (int j = 0; j < model->n; j++)
        assert_true(model->node[j] == j / 3 && model->component[j] == j % 3);
    put_matrix("bar_K.mtx", &model->K);
    put_matrix("bar_M.mtx", &model->M);
}

/* Column k is a mix of the shapes, with a rigid motion in it: neither must matter. */
static double mixed(const phx_flex_source *source, int i, int k)
{
    const phx_elastic_model *model = phx_continuum_model(source);
    const double *Phi = phx_continuum_basis(source);
    const size_t n = (size_t)model->n;

    return Phi[(size_t)k * n + (size_t)i] + 0.5 * Phi[(size_t)((k + 1) % MODES) * n + (size_t)i] +
           0.1 * model->rigid[(size_t)(k % 6) * n + (size_t)i];
}

static void put_shapes(const char *path, int rows, const phx_flex_source *source)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%d %d\n", rows, MODES);
    for (int k = 0; k < MODES; k++)
        for (int i = 0; i < rows; i++)
            fprintf(file, "%.17g\n", mixed(source, i, k));
    fclose(file);
}

/* A^T B C of two mixed shapes. */
static double modal(const phx_flex_source *source, const phx_csr *a, int k, int l)
{
    double sum = 0.0;

    for (int i = 0; i < a->rows; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++)
            sum += mixed(source, i, k) * a->val[e] * mixed(source, a->idx[e], l);
    return sum;
}

static void put_fem(const phx_flex_source *source)
{
    const phx_elastic_model *model = phx_continuum_model(source);
    FILE *file = fopen("bar.fem", "w");

    assert_non_null(file);
    fprintf(file, "** RECORD GROUP 1, HEADER\n REV0 %d %d 0 0 0\n** RECORD GROUP 2, NODES\n", model->n_nodes, MODES);
    for (int i = 0; i < model->n_nodes; i++)
        fprintf(file, "%d\n", i + 1);
    for (int c = 0; c < 3; c++) {
        fprintf(file, "** RECORD GROUP %d, COORDINATES\n", 5 + c);
        for (int i = 0; i < model->n_nodes; i++)
            fprintf(file, "%.17g\n", model->x[3 * i + c]);
    }
    fputs("** RECORD GROUP 8, MODES\n", file);
    for (int k = 0; k < MODES; k++)
        for (int i = 0; i < model->n_nodes; i++)
            fprintf(file, "%.17g %.17g %.17g 0 0 0\n", mixed(source, 3 * i, k), mixed(source, 3 * i + 1, k),
                    mixed(source, 3 * i + 2, k));
    for (int record = 9; record <= 10; record++) {
        fprintf(file, "** RECORD GROUP %d, MODAL MATRIX\n", record);
        for (int k = 0; k < MODES; k++)
            for (int l = 0; l < MODES; l++)
                fprintf(file, "%.17g\n", modal(source, record == 9 ? &model->M : &model->K, k, l));
    }
    fputs("** RECORD GROUP 11, LUMPED MASSES\n", file);
    for (int i = 0; i < model->n_nodes; i++) {
        for (int c = 0; c < 3; c++)
            fprintf(file, "%.17g ", model->M.val[phx_csr_find(&model->M, 3 * i + c, 3 * i + c)]);
        fputs("0 0 0\n", file);
    }
    fclose(file);
}

/* sum over the coordinates of a_k b_k / omega_k^2: free of the signs of the shapes. */
static double over_modes(const phx_flex_source *source, const double *a, const double *b)
{
    const double *omega = phx_continuum_frequencies(source);
    double sum = 0.0;

    for (int k = 0; k < MODES; k++)
        sum += a[k] * b[k] / (omega[k] * omega[k]);
    return sum;
}

static void compare(const phx_flex_source *one, const phx_flex_source *other)
{
    const phx_flex *a = phx_flex_source_flex(one), *b = phx_flex_source_flex(other);
    const phx_location end = phx_location_of_name("right");
    phx_flex_point p = {.n = 0}, q = {.n = 0};

    assert_int_equal(a->n, MODES);
    assert_int_equal(b->n, MODES);
    CHECK_RELATIVE(b->mass, a->mass, 1e-13, "mass");
    CHECK_VECTOR(6, b->J0, a->J0, 1e-15, "inertia");
    for (int k = 0; k < MODES; k++) {
        CHECK_RELATIVE(phx_continuum_frequencies(other)[k], phx_continuum_frequencies(one)[k], 1e-8, "mode %d", k + 1);
        CHECK_RELATIVE(b->M[phx_flex_entry(b, k, k)], a->M[phx_flex_entry(a, k, k)], 1e-7, "mass of mode %d", k + 1);
    }
    CHECK_OK(context, phx_flex_source_point(one, context, &end, &p));
    CHECK_OK(context, phx_flex_source_point(other, context, &end, &q));
    for (int c = 0; c < 3; c++) {
        const double *Sa = a->S + c * MODES, *Sb = b->S + c * MODES, *Ca = a->C + c * MODES, *Cb = b->C + c * MODES;
        const double *turn = p.theta + c * MODES, *turn_b = q.theta + c * MODES;
        CHECK_CLOSE(over_modes(other, Sb, Sb), over_modes(one, Sa, Sa),
                    1e-7 * over_modes(one, a->S + 2 * MODES, a->S + 2 * MODES), "first moments along %c", "xyz"[c]);
        CHECK_CLOSE(over_modes(other, Cb, Cb), over_modes(one, Ca, Ca),
                    1e-7 * over_modes(one, a->C + MODES, a->C + MODES), "second moments about %c", "xyz"[c]);
        CHECK_CLOSE(over_modes(other, turn_b, turn_b), over_modes(one, turn, turn),
                    1e-7 * over_modes(one, p.theta + MODES, p.theta + MODES), "rotation of the end about %c", "xyz"[c]);
    }
    phx_flex_point_free(&p);
    phx_flex_point_free(&q);
}

static phx_elastic_model *import_bar(const char *modes)
{
    static const char *const matrices[] = {"bar.csv", "bar_K.mtx", "bar_M.mtx"}, *const fem[] = {"bar.fem"};
    phx_import_def def = phx_import_def_default();
    phx_elastic_model *model = NULL;

    def.n_files = modes ? 3 : 1;
    def.files = modes ? matrices : fem;
    def.modes_file = modes;
    CHECK_OK(context, phx_import_create(context, &def, &model));
    return model;
}

static void shapes_beside_the_matrices(void **state)
{
    phx_flex_source *one, *other;

    (void)state;
    CHECK_OK(context, in_basis(bar(), PHX_BASIS_FREE, &one));
    put_files(phx_continuum_model(one));
    put_shapes("bar_T.mtx", phx_continuum_model(one)->n, one);
    CHECK_OK(context, in_basis(import_bar("bar_T.mtx"), PHX_BASIS_OWN, &other));
    compare(one, other);
    phx_flex_source_destroy(one);
    phx_flex_source_destroy(other);
}

static void modes_with_modal_matrices(void **state)
{
    phx_flex_source *one, *other;

    (void)state;
    CHECK_OK(context, in_basis(bar(), PHX_BASIS_FREE, &one));
    put_fem(one);
    CHECK_OK(context, in_basis(import_bar(NULL), PHX_BASIS_OWN, &other));
    compare(one, other);
    phx_flex_source_destroy(one);
    phx_flex_source_destroy(other);
}

static void what_cannot_be_is_refused(void **state)
{
    phx_flex_source *one, *other;
    phx_elastic_model *model;
    phx_import_def def = phx_import_def_default();

    (void)state;
    CHECK_OK(context, in_basis(bar(), PHX_BASIS_FREE, &one));
    put_fem(one);
    put_files(phx_continuum_model(one));
    model = import_bar(NULL);
    CHECK_STATUS(context, in_basis(model, PHX_BASIS_CRAIG_BAMPTON, &other), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "known for its own modes alone");
    phx_elastic_destroy(model);
    model = bar();
    CHECK_STATUS(context, in_basis(model, PHX_BASIS_OWN, &other), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "it has no modes of its own");
    phx_elastic_destroy(model);
    put_shapes("bar_T.mtx", phx_continuum_model(one)->n - 3, one);
    def.n_files = 3;
    def.files = (const char *const[]){"bar.csv", "bar_K.mtx", "bar_M.mtx"};
    def.modes_file = "bar_T.mtx";
    CHECK_STATUS(context, phx_import_create(context, &def, &model), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "bar_T.mtx: shapes of 123 rows, but the matrices have 126");
    def.modes_file = "bar.csv";
    CHECK_STATUS(context, phx_import_create(context, &def, &model), PHX_ERR_INPUT);
    CHECK_MESSAGE(context, "begins with %%MatrixMarket");
    phx_flex_source_destroy(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_beside_the_matrices),
                                       cmocka_unit_test(modes_with_modal_matrices),
                                       cmocka_unit_test(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
