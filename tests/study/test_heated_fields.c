/* Pictures of heated bodies: what files for ParaView and the page show at a node are the outputs there, at every
 * instant, and those of the strains less those of the temperature; a body that expands freely has no stress. */
#include "results/report_page.h"
#include "support.h"

#include "fe/fe.h"
#include "file/file.h"
#include "results/results.h"

#include <stdio.h>
#include <unistd.h>

#define SPACE "phlexor: 1\ndimension: 3\n"
#define STEEL "materials: {m: {density: 7800, young: 2.1e11, poisson: 0.3, expansion: 1.2e-5}}\n"
#define BOX(elements)                                                                                                  \
    "{kind: solid, material: m, mesh: {size: [0.2, 0.02, 0.01], elements: [" elements                                  \
    ", 1, 1], cells: hex20}, ports: "                                                                                  \
    "{P: {on: x0}, C: {on: x1}}"
#define BAR BOX("4")
#define RUN "simulate: {end: 4e-5, step: 1e-5, every: 1e-5}\n"

/* The second body is heated, by one temperature that varies, one that is constant and one that an event switches on. */
static const char bars[] =
    SPACE STEEL "bodies: {cold: " BAR "}, hot: " BAR ", basis: {kind: craig_bampton, modes: 3}}, own: " BOX(
        "2") ", basis: {kind: all}}}\n"
             "joints: {a: {kind: weld, ports: [ground.O, cold.P]}, b: {kind: weld, ports: [cold.C, hot.P]}, c: "
             "{kind: weld, ports: [hot.C, own.P]}}\n"
             "loads: {pull: {force: [1e4, 100, 50], at: hot.C}, sun: {temperature: 60*exp(2e4*t), on: hot, profile: "
             "(x > 0.1)*(1 + 50*z)}, warm: {temperature: -30, on: hot}, late: {temperature: 200, on: hot, profile: "
             "y/0.02, active: false}, rest: {temperature: 20*cos(5e4*t), on: own, profile: 10*x*x}}\n"
             "events: {on: {at: 2.5e-5, switch_on: [late]}}\n"
             "outputs: {cold: {stress: cold@21}, hot: {stress: hot@21}, mises: {von_mises: hot@21}, own: {stress: "
             "own@21}}\n" RUN;
/* A temperature through the thickness, and one of a part of the plate. */
static const char part_msh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"end\"\n2 2 \"left\"\n2 3 \"right\"\n"
    "$EndPhysicalNames\n$Nodes\n9\n1 0 0 0\n2 0.5 0 0\n3 1 0 0\n4 0 0.25 0\n5 0.5 0.3 0\n6 1 0.25 0\n7 0 0.5 0\n"
    "8 0.5 0.5 0\n9 1 0.5 0\n$EndNodes\n$Elements\n10\n1 1 2 1 1 1 4\n2 1 2 1 1 4 7\n3 2 2 2 2 1 2 5\n4 2 2 2 2 1 5 4\n"
    "5 2 2 2 2 4 5 7\n6 2 2 2 2 5 8 7\n7 2 2 3 3 2 3 5\n8 2 2 3 3 3 6 5\n9 2 2 3 3 5 6 9\n10 2 2 3 3 5 9 8\n"
    "$EndElements\n";
static const char panel[] =
    SPACE STEEL "bodies: {b: {kind: plate, material: m, thickness: 0.01, mesh: {file: part.msh}, basis: {kind: "
                "craig_bampton, modes: 4}, ports: {P: {on: end}}}}\n"
                "joints: {root: {kind: weld, ports: [ground.O, b.P]}}\n"
                "loads: {sun: {temperature: 80*exp(1e4*t), on: b, profile: 0.5 + z/0.01}, part: {temperature: 40, on: "
                "b, group: right}}\n"
                "outputs: {s: {stress: b@8}, m: {von_mises: b@8}, N: {membrane_force: b@8}, M: {bending_moment: b@8}, "
                "Q: {shear_force: b@8}}\n" RUN;
/* With stiffening pictures have the bending, which is linear. */
static const char stiffened[] =
    SPACE STEEL "bodies: {b: {kind: plate, material: m, thickness: 0.01, mesh: {size: [1, 0.5], elements: [4, 2]}, "
                "stiffening: true, basis: {modes: 2}, ports: {P: {on: x0}}}}\n"
                "joints: {root: {kind: weld, ports: [ground.O, b.P]}}\n"
                "loads: {sun: {temperature: 80*exp(1e4*t), on: b, profile: x*(0.5 + z/0.01)}}\n"
                "outputs: {M: {bending_moment: b@8}, Q: {shear_force: b@8}}\n" RUN;
static const char free_body[] =
    SPACE STEEL "bodies: {b: {kind: solid, material: m, mesh: {size: [0.2, 0.02, 0.01], elements: [2, 1, 1]}, basis: "
                "{kind: all}, ports: {P: {on: x0, attach: average}}}}\n"
                "joints: {root: {kind: weld, ports: [ground.O, b.P]}}\n"
                "loads: {heat: {temperature: 50, on: b, profile: 1 + 40*x - 30*y + 100*z}}\n";

static phx_result *simulate(phx_context *context, const char *text)
{
    phx_simulate_options options = phx_simulate_options_default();
    phx_simulate_report report;
    phx_result *result = NULL;
    phx_model *model = read_text(context, text);

    options.h5_path = "run.h5";
    CHECK_OK(context, phx_study_simulate(context, model, &options, &report));
    CHECK_OK(context, phx_result_read(context, "run.h5", &result));
    phx_model_destroy(model);
    return result;
}

static int remove_all(const char *folder, const char *const *names, int count)
{
    char path[200];

    for (int k = 0; k < count; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        remove(path);
    }
    return rmdir(folder);
}

/* ---- what the pictures show ---- */
typedef struct pictures {
    phx_context *context;
    phx_result *result;
    phx_h5 *xdmf;
    report_page page;
} pictures;

static pictures draw(phx_context *context, const char *text)
{
    static const char page_html[] = "<html>\n<!--phlexor-data-->\n</html>\n";
    const phx_report_options options = {.page = page_html};
    pictures it = {.context = context, .result = simulate(context, text)};

    CHECK_OK(context, phx_study_report(context, "run.h5", &options, "run.html", NULL));
    CHECK_OK(context, phx_export(context, "run.h5", "xdmf", "run_xdmf", 0));
    CHECK_OK(context, phx_h5_open(context, "run_xdmf/motion.h5", &it.xdmf));
    it.page = page_read("run.html");
    return it;
}

static void close_pictures(pictures *it)
{
    static const char *const files[] = {"motion.h5", "motion.xmf"};

    phx_h5_close(it->xdmf);
    assert_int_equal(remove_all("run_xdmf", files, 2), 0);
    phx_result_destroy(it->result);
    page_free(&it->page);
}

/* At point `at` of the meshes. */
static double in_xdmf(const pictures *it, const char *array, size_t row, int at)
{
    double values[400];
    char path[100];
    size_t rows, cols;

    snprintf(path, sizeof path, "/frame_%06zu/mesh/%s", row, array);
    CHECK_OK(it->context, phx_h5_extent(it->xdmf, path, &rows, &cols));
    assert_true(rows <= sizeof values / sizeof *values && (size_t)at < rows);
    CHECK_OK(it->context, phx_h5_read_rows(it->xdmf, path, 0, rows, values));
    return values[at];
}

static int page_count(const report_page *page, const char *format, int body)
{
    char path[100];
    snprintf(path, sizeof path, format, body);
    char *text = page_text(page, path);
    const int value = text ? atoi(text) : 0;
    free(text);
    return value;
}

/* Field `name` of a body at a node of its surface: map (q, factors), with what rounding to floats may make of it. */
static double in_page(const report_page *page, int body, const char *name, size_t row, int node, double *rounding)
{
    size_t first = 0, width = 0;
    int field = 0;
    char path[100];

    for (int b = 0; page_count(page, "/bodies/%d/q", b) > 0; b++) {
        const int own = page_count(page, "/bodies/%d/q", b) + page_count(page, "/bodies/%d/mesh/factors", b);
        first += b < body ? (size_t)own : 0;
        width += (size_t)own;
    }
    const int q = page_count(page, "/bodies/%d/q", body),
              columns = q + page_count(page, "/bodies/%d/mesh/factors", body);
    for (;; field++) {
        snprintf(path, sizeof path, "/bodies/%d/mesh/fields/%d/name", body, field);
        char *found = page_text(page, path);
        const bool same = found && !strcmp(found, name);
        if (!found)
            fail_msg("the page has no field '%s'", name);
        free(found);
        if (same)
            break;
    }
    double value = 0.0;
    *rounding = 0.0;
    snprintf(path, sizeof path, "/bodies/%d/mesh/fields/%d/map", body, field);
    for (int k = 0; k < columns; k++) {
        const double term = page_value(page, path, (size_t)(node * columns + k)) *
                            page_value(page, "/frames/q", row * width + first + (size_t)k);
        value += term;
        *rounding += ldexp(fabs(term), -23);
    }
    return value;
}

/* A field of a body against a column at every instant: `node` in the mesh of the body, `before` points before it. */
static void check_field(const pictures *it, int body, int before, int node, const char *field, const char *column,
                        bool derived)
{
    const size_t rows = phx_result_rows(it->result);
    double most = 0.0, least = HUGE_VAL;

    for (size_t row = 0; row < rows; row++)
        most = fmax(most, fabs(result_value(it->context, it->result, column, row)));
    for (size_t row = 0; row < rows; row++) {
        const double value = result_value(it->context, it->result, column, row);
        double rounding = 0.0;
        least = fmin(least, value);
        CHECK_CLOSE(in_xdmf(it, field, row, before + node), value, 1e-12 * most + 1e-14, "%s, row %zu", field, row);
        if (derived)
            continue;
        const double shown = in_page(&it->page, body, field, row, node, &rounding);
        CHECK_CLOSE(shown, value, rounding, "%s in the page, row %zu", field, row);
        assert_true(rounding < 1e-3 * most);
    }
    assert_true(most > 0.0);
}

static void bars_show_their_outputs(void **state)
{
    pictures it = draw(*state, bars);
    static const char *const components[] = {"xx", "yy", "zz", "xy", "yz", "zx"};
    const phx_scene *scene = phx_result_scene(it.result);
    const int nodes = scene->mesh_nodes[0];

    assert_int_equal(phx_result_rows(it.result), 6); /* one of them of the event */
    assert_int_equal(scene->mesh_factors[0], 0);
    assert_int_equal(scene->mesh_factors[1], 3);
    assert_int_equal(scene->mesh_factors[2], 1);
    for (int c = 0; c < 6; c++) {
        char field[40], column[40];
        snprintf(field, sizeof field, "stress_%s", components[c]);
        snprintf(column, sizeof column, "hot.%s", components[c]);
        check_field(&it, 1, nodes, 20, field, column, false);
    }
    check_field(&it, 1, nodes, 20, "von_mises", "mises", true);
    check_field(&it, 2, 2 * nodes, 20, "stress_xx", "own.xx", true);
    close_pictures(&it);
}

static void plates_show_their_outputs(void **state)
{
    static const char *const fields[][2] = {{"membrane_force_xx", "N.xx"}, {"membrane_force_yy", "N.yy"},
                                            {"membrane_force_xy", "N.xy"}, {"bending_moment_xx", "M.xx"},
                                            {"bending_moment_yy", "M.yy"}, {"bending_moment_xy", "M.xy"},
                                            {"shear_force_x", "Q.x"},      {"shear_force_y", "Q.y"},
                                            {"stress_top_xx", "s.top_xx"}, {"stress_bottom_yy", "s.bottom_yy"}};
    FILE *file = fopen("part.msh", "w");

    assert_non_null(file);
    fputs(part_msh, file);
    assert_int_equal(fclose(file), 0);
    pictures it = draw(*state, panel);
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        check_field(&it, 0, 0, 7, fields[k][0], fields[k][1], false);
    check_field(&it, 0, 0, 7, "von_mises_top", "m.top", true);
    check_field(&it, 0, 0, 7, "von_mises_bottom", "m.bottom", true);
    close_pictures(&it);
    it = draw(*state, stiffened);
    for (size_t k = 3; k < 8; k++)
        check_field(&it, 0, 0, 7, fields[k][0], fields[k][1], false);
    close_pictures(&it);
}

/* ---- equilibria, modes, models ---- */
static phx_result *rest(phx_context *context, const char *text, int steps)
{
    phx_study_static_options options = phx_study_static_options_default();
    phx_study_static_report report;
    phx_result *result = NULL;
    phx_model *model = read_text(context, text);

    options.steps = steps;
    options.h5_path = "run.h5";
    CHECK_OK(context, phx_study_static(context, model, &options, &report, &result));
    phx_model_destroy(model);
    return result;
}

/* The largest stress at the nodes of the only mesh: of both parts of it, and of their sum. */
static void stresses(const phx_result *result, const double *x, const double *factors, double most[3])
{
    const phx_scene *scene = phx_result_scene(result);
    const phx_record_body *body = phx_result_body(result, 0);
    const int n = body->x_count - 12, width = n + scene->mesh_factors[0];
    const double *q = x + body->x_start + 12;

    most[0] = most[1] = most[2] = 0.0;
    for (int r = 0; r < scene->n_mesh_maps / width; r++) {
        double part[2] = {0.0, 0.0};
        for (int k = 0; k < width; k++)
            part[k >= n] += scene->mesh_maps[r * width + k] * (k < n ? q[k] : factors[k - n]);
        most[0] = fmax(most[0], fabs(part[0]));
        most[1] = fmax(most[1], fabs(part[1]));
        most[2] = fmax(most[2], fabs(part[0] + part[1]));
    }
}

static void free_expansion_has_no_stress(void **state)
{
    phx_context *context = *state;
    phx_result *result = rest(context, free_body, 0);
    double x[400], factor = 0.0, most[3];

    assert_true(phx_result_n_x(result) <= 400);
    CHECK_OK(context, phx_result_state(result, phx_result_rows(result) - 1, x, NULL));
    CHECK_OK(context, phx_result_factors(result, phx_result_rows(result) - 1, 1, &factor)); /* of a result in memory */
    CHECK_CLOSE(factor, 50.0, 0.0, "temperature");
    stresses(result, x, &factor, most);
    assert_true(most[0] > 2.1e11 * 1.2e-5 * 50.0 && most[1] > 2.1e11 * 1.2e-5 * 50.0);
    CHECK_SMALL(most[2], 1e-9 * most[0], "stress");
    phx_result_destroy(result);
}

/* Under half of the loads there is half of the temperature, in the outputs and in the pictures. */
static void parts_of_the_loads_are_parts_of_the_temperature(void **state)
{
    const char *text = SPACE STEEL
        "ground: {ports: {A: {position: [0, 0.01, 0.005]}, B: {position: [0.2, 0.01, 0.005]}}}\nbodies: {b: " BAR
        "}}\njoints: {a: {kind: weld, ports: [ground.A, b.P]}, c: {kind: weld, ports: [ground.B, b.C]}}\n"
        "loads: {heat: {temperature: 10, on: b}}\noutputs: {s: {stress: b@21}}\n";
    phx_context *context = *state;
    phx_result *result = rest(context, text, 4);
    double factor[5];

    assert_int_equal(phx_result_rows(result), 5);
    CHECK_OK(context, phx_result_factors(result, 0, 5, factor));
    const double whole = result_value(context, result, "s.xx", 4);
    assert_true(whole < -1e6);
    for (size_t row = 0; row < 5; row++) {
        CHECK_CLOSE(factor[row], 2.5 * (double)row, 1e-14, "temperature in row %zu", row);
        CHECK_CLOSE(result_value(context, result, "s.xx", row), 0.25 * (double)row * whole, -1e-9 * whole,
                    "stress in row %zu", row);
    }
    phx_result_destroy(result);
}

/* The configuration that modes are about has its temperatures, at each point of a sweep. */
static void modes_have_the_temperatures_of_their_points(void **state)
{
    const char *text = SPACE STEEL
        "parameters: {T: 5}\nbodies: {first: {kind: rigid, mass: 1, inertia: [1, 1, 1], ports: {O: {}}}, b: " BAR
        "}}\njoints: {r: {kind: weld, ports: [ground.O, first.O]}, a: {kind: weld, ports: "
        "[first.O, b.P]}}\n"
        "loads: {heat: {temperature: T, on: b}, more: {temperature: 3, on: b}}\n";
    phx_context *context = *state;
    phx_study_modes_options options = phx_study_modes_options_default();
    phx_modes_table table, read;
    phx_sweep *sweep = NULL;
    phx_model *model = read_text(context, text);
    const double values[] = {5.0, 8.0};

    CHECK_OK(context, phx_sweep_create(context, &sweep));
    CHECK_OK(context, phx_sweep_add_values(sweep, "T", 2, values));
    options.sweep = sweep;
    options.count = 2;
    options.with_shapes = true;
    options.threads = 2;
    CHECK_OK(context, phx_study_modes(context, model, &options, &table, NULL));
    CHECK_OK(context, phx_modes_write(context, &table, PHX_MODES_HDF5, "modes.h5"));
    CHECK_OK(context, phx_modes_read(context, "modes.h5", &read));
    for (int k = 0; k < 2; k++) {
        const double *factors = (k ? &read : &table)->factors;
        assert_non_null(factors);
        for (int point = 0; point < 2; point++) {
            CHECK_CLOSE(factors[2 * point], values[point], 0.0, "temperature of point %d", point);
            CHECK_CLOSE(factors[2 * point + 1], 3.0, 0.0, "the other one");
        }
    }
    phx_modes_free(&table);
    phx_modes_free(&read);
    phx_sweep_destroy(sweep);
    phx_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bars_show_their_outputs, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(plates_show_their_outputs, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(free_expansion_has_no_stress, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(parts_of_the_loads_are_parts_of_the_temperature, study_setup, study_teardown),
        cmocka_unit_test_setup_teardown(modes_have_the_temperatures_of_their_points, study_setup, study_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
