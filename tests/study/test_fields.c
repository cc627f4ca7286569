/* Fields of bodies on a mesh in results and in files for ParaView: they are the outputs at the same node, and those of
 * the same body reduced. */
#include "study/study.h"
#include "support/testing.h"

#include "file/file.h"
#include "results/store/scene.h"

#include <stdio.h>
#include <stdlib.h>

#define RUN "simulate: {end: 4e-5, step: 1e-5, every: 2e-5}\n"
static const char bar[] =
    "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 7800, young: 2.1e11, poisson: 0.3}}\n"
    "bodies: {b: {kind: solid, material: m, mesh: {size: [0.2, 0.02, 0.01], elements: [4, 1, 1], cells: hex20}, ports: "
    "{P: {on: x0}, C: {on: x1}}}}\njoints: {root: {kind: weld, ports: [ground.O, b.P]}}\n"
    "loads: {bend: {force: [100, 0, 50*(t >= 0)], at: b.C}}\n"
    "outputs: {s: {stress: b@21}, m: {von_mises: b@21}, u: {deformation: b@21}}\n" RUN;
static const char reduced[] =
    "phlexor: 1\ndimension: 3\nbodies: {b: {kind: reduced, file: fields_body.h5}}\n"
    "joints: {root: {kind: weld, ports: [ground.O, b.P]}}\nloads: {bend: {force: [100, 0, 50*(t >= 0)], at: b.C}}\n"
    "outputs: {s: {stress: b@21}, m: {von_mises: b@21}, u: {deformation: b@21}}\n" RUN;
static const char plate[] =
    "phlexor: 1\ndimension: 3\nmaterials: {m: {density: 2700, young: 7e10, poisson: 0.3, expansion: 1e-5}}\n"
    "bodies: {b: {kind: plate, material: m, thickness: 0.01, mesh: {size: [1, 0.5], elements: [4, 2]}, ports: {P: {on: "
    "x0}, C: {on: x1}}}}\njoints: {root: {kind: weld, ports: [ground.O, b.P]}}\n"
    "loads: {bend: {force: [100, 20, 50], at: b.C}, sun: {temperature: 0.1, on: b, profile: 1 + 200*z}}\n"
    "outputs: {s: {stress: b@8}, m: {von_mises: b@8}, u: {deformation: b@8}, N: {membrane_force: b@8}, M: "
    "{bending_moment: b@8}, Q: {shear_force: b@8}}\n" RUN;

static void simulate(phx_context *context, const char *text, const char *path)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_model *model = NULL;

    options.h5_path = path;
    CHECK_OK(context, phx_model_read_text(context, "fields.yaml", text, strlen(text), 0, NULL, &model));
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    phx_model_destroy(model);
}

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    rewind(file);
    assert_true(size > 0 && (text = calloc((size_t)size + 1, 1)) != NULL);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return text;
}

/* The numbers of an array of a VTK file, freed by the caller. */
static double *read_array(const char *text, const char *name, int *count)
{
    char start[100];
    double *values = NULL;

    snprintf(start, sizeof start, "Name=\"%s\"", name);
    const char *at = strstr(text, start);
    if (!at)
        fail_msg("no array '%s'", name);
    at = strchr(at, '>') + 1;
    for (*count = 0;; ++*count) {
        char *end = NULL;
        const double value = strtod(at, &end);
        if (end == at)
            return values;
        values = realloc(values, (size_t)(*count + 1) * sizeof *values);
        assert_non_null(values);
        values[*count] = value;
        at = end;
    }
}

static void clear(const phx_result *result, const char *folder)
{
    char path[200];
    for (size_t k = 0; k < phx_result_rows(result); k++) {
        snprintf(path, sizeof path, "%s/frame_%06zu.vtp", folder, k);
        remove(path);
        snprintf(path, sizeof path, "%s/mesh_%06zu.vtu", folder, k);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/motion.pvd", folder);
    remove(path);
    assert_int_equal(remove(folder), 0);
}

/* An array at a node against a column, in the last row of the run; nine digits stand in the file. */
static void check_column(const phx_result *result, const char *text, const char *array, const char *column, int node)
{
    const int c = phx_result_column_find(result, column);
    int count = 0;
    double value = 0.0, *values = read_array(text, array, &count);

    assert_true(c >= 0 && node < count);
    CHECK_OK(NULL, phx_result_column(result, c, phx_result_rows(result) - 1, 1, &value));
    CHECK_CLOSE(values[node], value, 1e-8 * fabs(value), "%s, %s", array, column);
    free(values);
}

typedef struct pair {
    const char *array, *column;
} pair;

/* `label` of the node: meshes that are drawn whole have their nodes in their order. */
static void check_files(phx_context *context, const char *text, int label, int n_pairs, const pair *pairs)
{
    phx_result *result = NULL;

    simulate(context, text, "fields.h5");
    CHECK_OK(context, phx_export(context, "fields.h5", "vtk", "fields_vtk", 0));
    CHECK_OK(context, phx_result_read(context, "fields.h5", &result));
    char *vtk = text_of("fields_vtk/mesh_000002.vtu");
    for (int k = 0; k < n_pairs; k++)
        check_column(result, vtk, pairs[k].array, pairs[k].column, label - 1);
    int count = 0, types = 0;
    double *values = read_array(vtk, "connectivity", &count);
    free(values);
    values = read_array(vtk, "types", &types);
    for (int k = 0; k < types; k++)
        CHECK_CLOSE(values[k], phx_result_scene(result)->cell_type[0], 0.0, "type of cell %d", k + 1);
    assert_int_equal(count, types * phx_cell_shape_of(phx_result_scene(result)->cell_type[0])->nodes);
    free(values);
    free(vtk);
    clear(result, "fields_vtk");
    phx_result_destroy(result);
}

static void outputs_are_the_fields(void **state)
{
    static const pair solid[] = {{"stress_xx", "s.xx"}, {"stress_yy", "s.yy"}, {"stress_zz", "s.zz"},
                                 {"stress_xy", "s.xy"}, {"stress_yz", "s.yz"}, {"stress_zx", "s.zx"},
                                 {"von_mises", "m"}};
    static const pair thin[] = {{"membrane_force_xx", "N.xx"}, {"membrane_force_xy", "N.xy"},
                                {"bending_moment_xx", "M.xx"}, {"bending_moment_yy", "M.yy"},
                                {"bending_moment_xy", "M.xy"}, {"shear_force_x", "Q.x"},
                                {"shear_force_y", "Q.y"},      {"stress_top_xx", "s.top_xx"},
                                {"stress_top_xy", "s.top_xy"}, {"stress_bottom_yy", "s.bottom_yy"},
                                {"von_mises_top", "m.top"},    {"von_mises_bottom", "m.bottom"}};

    check_files(*state, bar, 21, sizeof solid / sizeof *solid, solid);
    check_files(*state, plate, 8, sizeof thin / sizeof *thin, thin);
    remove("fields.h5");
}

static bool same(int count, const double *a, const double *b)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* The scene of the result and the columns. */
static void reduced_bodies_show_the_same(void **state)
{
    phx_context *context = *state;
    phx_reduce_report report;
    phx_model *model = NULL;
    phx_result *results[2] = {NULL, NULL};
    const char *const paths[2] = {"fields_whole.h5", "fields_reduced.h5"};

    CHECK_OK(context, phx_model_read_text(context, "fields.yaml", bar, strlen(bar), 0, NULL, &model));
    CHECK_OK(context, phx_study_reduce(context, model, "b", "fields_body.h5", &report));
    phx_reduce_report_free(&report);
    phx_model_destroy(model);
    for (int k = 0; k < 2; k++) {
        simulate(context, k ? reduced : bar, paths[k]);
        CHECK_OK(context, phx_result_read(context, paths[k], &results[k]));
    }
    const phx_scene *a = phx_result_scene(results[0]), *b = phx_result_scene(results[1]);
    assert_int_equal(a->n_meshes, 1);
    assert_int_equal(a->n_mesh_maps, b->n_mesh_maps);
    assert_true(a->n_mesh_maps > 0);
    assert_true(same(a->n_mesh_maps, a->mesh_maps, b->mesh_maps));
    assert_true(same(a->n_mesh_shapes, a->mesh_shapes, b->mesh_shapes));
    assert_true(same(3 * a->n_mesh_nodes, a->mesh_x, b->mesh_x));
    assert_int_equal(a->n_triangle_nodes, b->n_triangle_nodes);
    assert_memory_equal(a->triangle_nodes, b->triangle_nodes, (size_t)a->n_triangle_nodes * sizeof(int));
    assert_int_equal(a->n_triangle_nodes, 3 * 6 * (4 * 4 + 2)); /* six of each face */
    for (int c = phx_result_column_find(results[0], "s.xx"); c < phx_result_columns(results[0]); c++) {
        double value[2];
        for (int k = 0; k < 2; k++)
            CHECK_OK(context, phx_result_column(results[k], c, phx_result_rows(results[k]) - 1, 1, &value[k]));
        CHECK_CLOSE(value[1], value[0], 1e-12 * fabs(value[0]), "%s", phx_result_column_name(results[0], c));
    }
    for (int k = 0; k < 2; k++) {
        phx_result_destroy(results[k]);
        remove(paths[k]);
    }
    remove("fields_body.h5");
}

/* The volume inside the surface, by its triangles, all seen from outside. */
static void the_surface_is_closed(void **state)
{
    phx_result *result = NULL;
    double volume = 0.0;

    simulate(*state, bar, "fields.h5");
    CHECK_OK(*state, phx_result_read(*state, "fields.h5", &result));
    const phx_scene *scene = phx_result_scene(result);
    for (int t = 0; t < scene->n_triangle_nodes; t += 3) {
        const double *p[3];
        for (int k = 0; k < 3; k++)
            p[k] = scene->mesh_x + 3 * (size_t)scene->triangle_nodes[t + k];
        volume +=
            (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
             p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
            6.0;
    }
    CHECK_RELATIVE(volume, 0.2 * 0.02 * 0.01, 1e-12, "volume");
    phx_result_destroy(result);
    remove("fields.h5");
}

/* ---- what does not fit ---- */
static void refuse(phx_context *context, const phx_result *result, const phx_scene *scene, const char *what)
{
    CHECK_STATUS(context, phx_scene_check(context, 3, 1, phx_result_body(result, 0), scene), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, what);
}

static void wrong_meshes_are_refused(void **state)
{
    phx_context *context = *state;
    phx_result *result = NULL;
    phx_scene scene = {0};

    simulate(context, plate, "fields.h5");
    CHECK_OK(context, phx_result_read(context, "fields.h5", &result));
    CHECK_OK(context, phx_scene_copy(context, 3, phx_result_scene(result), &scene));
    const struct {
        int *value, wrong;
        const char *what;
    } cases[] = {{&scene.mesh_body[0], 1, "/meshes/body: entry 1 is 1"},
                 {&scene.mesh_nodes[0], 14, "/meshes/x has 15 values instead of 14"},
                 {&scene.mesh_nodes[0], -1, "negative numbers"},
                 {&scene.mesh_cells[0], 15, "/meshes/cell_type has 16 values instead of 15"},
                 {&scene.mesh_triangles[0], 17, "/meshes/triangle_nodes has 48 values instead of 51"},
                 {&scene.cell_type[3], 6, "/meshes/cell_type: entry 4 is 6"},
                 {&scene.cell_type[15], 10, "/meshes/cell_type: entry 16 is 10"},
                 {&scene.cell_type[15], 3, "/meshes/cell_nodes has 48 values instead of 47"},
                 {&scene.cell_nodes[1], 15, "/meshes/cell_nodes: entry 2 is 15"},
                 {&scene.triangle_nodes[2], -1, "/meshes/triangle_nodes: entry 3 is -1"},
                 {&scene.mesh_factors[0], 2, "/meshes/maps has"},
                 {&scene.mesh_factors[0], -1, "negative numbers"},
                 {&scene.n_mesh_shapes, 3, "/meshes/shapes has 3 values"},
                 {&scene.n_mesh_maps, 3, "/meshes/maps has 3 values"}};

    CHECK_OK(context, phx_scene_check(context, 3, 1, phx_result_body(result, 0), &scene));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int right = *cases[k].value;
        *cases[k].value = cases[k].wrong;
        refuse(context, result, &scene, cases[k].what);
        *cases[k].value = right;
    }
    phx_scene_free(&scene);
    phx_result_destroy(result);
    remove("fields.h5");
}

/* ---- without memory ---- */
static phx_status export_vtk(phx_context *context)
{
    return phx_export(context, "fields.h5", "vtk", "memory_vtk", 2);
}

static phx_status export_xdmf(phx_context *context)
{
    return phx_export(context, "fields.h5", "xdmf", "memory_xdmf", 2);
}

static phx_status write_page(phx_context *context)
{
    const phx_report_options options = {.page = "<html>\n<!--phlexor-data-->\n</html>\n"};
    return phx_study_report(context, "fields.h5", &options, "memory.html", NULL);
}

static phx_status run(phx_context *context)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_model *model = NULL;
    phx_result *result = NULL;
    phx_status status = phx_model_read_text(context, "fields.yaml", plate, strlen(plate), 0, NULL, &model);

    if (!status)
        status = phx_study_simulate_result(context, model, &options, &report, &result);
    phx_result_destroy(result);
    phx_model_destroy(model);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    static const struct {
        const char *name;
        phx_status (*run)(phx_context *context);
    } tasks[] = {{"vtk", export_vtk}, {"xdmf", export_xdmf}, {"page", write_page}, {"run", run}};
    phx_result *result = NULL;

    simulate(context, plate, "fields.h5");
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        phx_status status = PHX_ERR_MEMORY;
        long tries = 0;
        for (long n = 0; status != PHX_OK; n += 1 + n / 64, tries++) { /* long tasks: not quite every one */
            phx_context_fail_allocation(context, n);
            status = tasks[k].run(context);
            phx_context_fail_allocation(context, -1);
            if (status != PHX_OK && status != PHX_ERR_MEMORY)
                fail_msg("%s, allocation %ld: status %d: %s", tasks[k].name, n, (int)status,
                         phx_context_message(context));
            assert_true(tries < 2000);
        }
        assert_true(tries > 10);
    }
    CHECK_OK(context, phx_result_read(context, "fields.h5", &result));
    clear(result, "memory_vtk");
    phx_result_destroy(result);
    remove("memory_xdmf/motion.h5");
    remove("memory_xdmf/motion.xmf");
    assert_int_equal(remove("memory_xdmf"), 0);
    remove("memory.html");
    remove("fields.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outputs_are_the_fields, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(reduced_bodies_show_the_same, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_surface_is_closed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(wrong_meshes_are_refused, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
