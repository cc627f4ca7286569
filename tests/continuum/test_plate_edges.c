/* Plates: shear forces and moments on edges, forces on corners. */
#include "plates.h"

#include "continuum/plate/plate.h"
#include "continuum/source.h"

static const char *const sides[4] = {"x0", "x1", "y0", "y1"};

/* ---- what acts there ---- */
static phx_plate_spot place(double x, double y)
{
    const phx_plate_spot spot = {.text = "the place", .node = -1, .place = {x, y}};
    return spot;
}

/* V, M_nn, M_nt */
static void at_place(phx_context *context, const phx_elastic_model *model, const double *u, double x, double y,
                     double value[3])
{
    const stress_columns columns = {.n = 1, .Phi = u};
    const phx_plate_spot spot = place(x, y);

    CHECK_OK(context, phx_plate_edge_rows(context, model, &columns, PHX_STRESSES_EDGE, &spot, value));
}

/* The same, the mean over the edges of a group. */
static void over_group(phx_context *context, const phx_elastic_model *model, const double *u, const char *group,
                       double value[3])
{
    const stress_columns columns = {.n = 1, .Phi = u};
    const phx_mesh_group *lines = phx_mesh_group_named(&model->mesh, group);
    unsigned char *nodes = calloc((size_t)model->n_nodes, 1);
    const phx_plate_spot spot = {.text = "the group", .node = -1, .nodes = nodes};

    assert_non_null(nodes);
    for (int k = 0; k < lines->n_nodes; k++)
        nodes[lines->nodes[k]] = 1;
    CHECK_OK(context, phx_plate_edge_rows(context, model, &columns, PHX_STRESSES_EDGE, &spot, value));
    free(nodes);
}

static double at_corner(phx_context *context, const phx_elastic_model *model, const double *u, double x, double y)
{
    const stress_columns columns = {.n = 1, .Phi = u};
    const phx_plate_spot spot = place(x, y);
    double value;

    CHECK_OK(context, phx_plate_edge_rows(context, model, &columns, PHX_STRESSES_CORNER, &spot, &value));
    return value;
}

/* Shear forces on all edges and forces on all corners of a rectangle together. */
static double resultant(phx_context *context, const phx_elastic_model *model, const double *u, const double size[2])
{
    double sum = 0.0, value[3];

    for (int e = 0; e < 4; e++) {
        over_group(context, model, u, sides[e], value);
        sum += value[0] * size[e < 2];
        sum += at_corner(context, model, u, e % 2 ? size[0] : 0.0, e / 2 ? size[1] : 0.0);
    }
    return sum;
}

/* ---- a simply supported square ---- */
/* Levy's series for the side 1, the pressure 1 up and D = 1: V on the edge x = 0 at y and R at its corners, both acting
 * on the plate: w = sum_m C (1 - A cosh bx / cosh a + B bx sinh bx / cosh a) sin by about the middle, a = b/2. */
static void levy(double nu, double y, double *V, double *R)
{
    *V = *R = 0.0;
    for (int m = 1; m < 2000; m += 2) {
        const double b = m * TEST_PI, a = b / 2.0, th = tanh(a), A = (a * th + 2.0) / 2.0, B = 0.5;
        const double first = b * (B * (th + a) - A * th), third = b * b * b * (B * (3.0 * th + a) - A * th);
        const double C = 4.0 / pow(b, 5.0);
        *V -= C * (third - (2.0 - nu) * b * b * first) * sin(b * y);
        *R -= 2.0 * (1.0 - nu) * C * b * first;
    }
}

/* Loaded by a pressure along z, the unknowns. */
typedef struct load_case {
    double (*pressure)(const double x[3]);
} load_case;

static void traction(void *user, const double x[3], const double normal[3], double out[3])
{
    (void)normal;
    out[0] = out[1] = 0.0;
    out[2] = ((const load_case *)user)->pressure(x);
}

static double *loaded(phx_context *context, const phx_elastic_model *model, const char *letters,
                      double (*pressure)(const double x[3]))
{
    load_case user = {pressure};
    const phx_surface_load load = {.traction = traction, .user = &user};
    free_set set = supported(context, model, letters);
    double *u = calloc((size_t)model->n, sizeof *u);

    assert_non_null(u);
    CHECK_OK(context, phx_elastic_load(context, model, NULL, &load, u));
    solve_free(context, &model->K, &set, u);
    free_set_release(&set);
    return u;
}

static double uniform(const double x[3])
{
    (void)x;
    return 1.0;
}

/* V_max = 0.420 q a and R = 0.065 q a^2 of Timoshenko's table, nu = 0.3. */
static void test_square(void **state)
{
    phx_context *context = *state;
    double V, quarter, R, none;

    levy(0.3, 0.5, &V, &R);
    levy(0.3, 0.25, &quarter, &none);
    CHECK_CLOSE(V, -0.420, 5e-4, "the table");
    CHECK_CLOSE(R, 0.065, 5e-5, "the table");
    for (int order = 0; order <= 2; order++)
        for (int crossed = 0; crossed < 2; crossed++) {
            double error[3][3];
            for (int k = 0; k < 3; k++) {
                plate_case def = unit_plate(8 << k, 0.3);
                def.order = order;
                def.crossed = crossed;
                phx_elastic_model *model = make_plate(context, &def);
                double *u = loaded(context, model, "SSSS", uniform), value[3];
                at_place(context, model, u, 0.0, 0.5, value);
                error[k][0] = fabs(value[0] / V - 1.0);
                CHECK_SMALL(value[1], 1e-12, "the edge turns freely");
                at_place(context, model, u, 0.0, 0.25, value);
                error[k][1] = fabs(value[0] / quarter - 1.0);
                error[k][2] = 0.0;
                for (int c = 0; c < 4; c++)
                    error[k][2] = fmax(error[k][2], fabs(at_corner(context, model, u, c % 2, c / 2) / R - 1.0));
                CHECK_CLOSE(resultant(context, model, u, def.size), -1.0, 1e-8, "k = %d: balance",
                            order); /* K loses digits by h^4 */
                free(u);
                phx_elastic_destroy(model);
            }
            static const double most[3][3] = {{1e-3, 2e-3, 4e-2}, {5e-4, 1e-3, 8e-3}, {3e-4, 5e-4, 1e-3}};
            for (int i = 0; i < 3; i++) {
                CHECK_BELOW(error[2][i], most[order][i], "k = %d, crossed %d: %d", order, crossed, i);
                CHECK_BELOW(error[2][i], error[0][i] / (order ? 11.0 : 8.0), "k = %d, crossed %d: order of %d", order,
                            crossed, i);
            }
        }
}

/* ---- what is exact ---- */
/* Held at three corners and pushed at the fourth a rectangle is twisted: w = P x y / (2 D (1 - nu)) with the origin in
 * the corner opposite; the forces on the corners are +-2 D (1 - nu) w_xy, and on the edges acts the twisting moment. */
static void test_twist(void **state)
{
    phx_context *context = *state;
    const double P = 3.0, nu = 0.3;

    for (int order = 0; order <= 2; order++) {
        plate_case def = {.size = {1.3, 0.8},
                          .elements = {5, 4},
                          .order = order,
                          .grading = 1.0,
                          .distorted = 0.25,
                          .clockwise = true};
        phx_isotropic_section(70e9, nu, 2700.0, 0.01, 5.0 / 6.0, &def.section);
        phx_elastic_model *model = make_plate(context, &def);
        const double a = def.size[0], b = def.size[1];
        free_set set = supported(context, model, "FFFF");
        double *u = calloc((size_t)model->n, sizeof *u), value[3];
        assert_non_null(u);
        for (int c = 0; c < 4; c++) {
            const double x[3] = {c % 2 ? a : 0.0, c / 2 ? b : 0.0, 0.0};
            const int unknown = phx_plate_of(model)->deflection[phx_mesh_nearest_node(&model->mesh, x)];
            if (c == 3)
                u[unknown] = P;
            else
                hold(&set, 1, &unknown);
        }
        solve_free(context, &model->K, &set, u);
        const double x[3] = {a, b, 0.0};
        CHECK_RELATIVE(u[phx_plate_of(model)->deflection[phx_mesh_nearest_node(&model->mesh, x)]],
                       P * a * b / (2.0 * def.section.bending[0] * (1.0 - nu)), 1e-9, "k = %d: deflection", order);
        for (int c = 0; c < 4; c++)
            CHECK_RELATIVE(at_corner(context, model, u, c % 2 ? a : 0.0, c / 2 ? b : 0.0), c == 0 || c == 3 ? P : -P,
                           1e-9, "k = %d: corner %d", order, c);
        for (int e = 0; e < 4; e++) {
            over_group(context, model, u, sides[e], value);
            CHECK_SMALL(value[0], 1e-9 * P, "V on %s", sides[e]);
            CHECK_SMALL(value[1], 1e-9 * P, "M_nn on %s", sides[e]);
            CHECK_RELATIVE(value[2], (e < 2 ? 0.5 : -0.5) * P, 1e-9, "M_nt on %s", sides[e]);
        }
        at_place(context, model, u, a, 0.3 * b, value);
        CHECK_SMALL(value[0], 1e-9 * P, "V");
        CHECK_RELATIVE(value[2], 0.5 * P, 1e-9, "M_nt");
        free(u);
        free_set_release(&set);
        phx_elastic_destroy(model);
    }
}

/* A strip without lateral contraction, clamped at x = 0, pushed up by 1 N/m at x = L: a beam. On an irregular mesh V
 * has what the moments miss of a linear field, k = 0. */
static void test_cantilever(void **state)
{
    phx_context *context = *state;

    for (int t = 0; t < 2; t++)
        for (int order = 1; order <= 2; order++) {
            plate_case def = {.size = {2.0, 0.5},
                              .elements = {8, 3},
                              .theory = t ? PHX_PLATE_MINDLIN : PHX_PLATE_KIRCHHOFF,
                              .order = order,
                              .grading = 1.0,
                              .distorted = 0.2};
            phx_isotropic_section(70e9, 0.0, 2700.0, 0.05, 5.0 / 6.0, &def.section);
            phx_elastic_model *model = make_plate(context, &def);
            free_set set = supported(context, model, "CFFF");
            double *u = calloc((size_t)model->n, sizeof *u), value[3];
            const double up[3] = {0.0, 0.0, 1.0};
            assert_non_null(u);
            CHECK_OK(context, phx_elastic_traction(context, model, "x1", up, 0.0, u));
            solve_free(context, &model->K, &set, u);
            for (int k = 0; k < 3; k++) {
                const double y = 0.1 + 0.15 * k;
                at_place(context, model, u, 2.0, y, value);
                CHECK_CLOSE(value[0], 1.0, 1e-7, "%d, k = %d: V at the load", t, order);
                CHECK_SMALL(value[1], 1e-7, "M_nn at the load");
                at_place(context, model, u, 0.0, y, value);
                CHECK_CLOSE(value[0], -1.0, 1e-7, "%d, k = %d: V at the clamp", t, order);
                CHECK_CLOSE(value[1], 2.0, 1e-7, "M_nn at the clamp");
            }
            for (int c = 0; c < 4; c++)
                CHECK_SMALL(at_corner(context, model, u, c % 2 ? 2.0 : 0.0, c / 2 ? 0.5 : 0.0), 1e-7, "corner %d", c);
            over_group(context, model, u, "y0", value);
            CHECK_SMALL(value[0], 1e-7, "V on a free edge");
            free(u);
            free_set_release(&set);
            phx_elastic_destroy(model);
        }
}

static double linear(const double x[3])
{
    return 2.0 + 3.0 * x[0] - 5.0 * x[1];
}

static double quadratic(const double x[3])
{
    return x[0] * x[0] + x[1];
}

/* Edges, corners and a linear pressure balance to rounding, whatever the mesh and the supports; another one, and of k =
 * 0, whose corners have too few nodes around to say what it is, to a percent here. */
static void test_balance(void **state)
{
    phx_context *context = *state;
    static const char *const supports[] = {"SSSS", "CCCC", "CFSF", "CSSF"};

    for (int t = 0; t < 2; t++)
        for (int order = t; order <= 2; order++)
            for (int k = 0; k < 4; k++) {
                plate_case def = {.size = {1.3, 0.8},
                                  .elements = {6, 5},
                                  .theory = t ? PHX_PLATE_MINDLIN : PHX_PLATE_KIRCHHOFF,
                                  .order = order,
                                  .grading = 1.3,
                                  .distorted = 0.25,
                                  .clockwise = true};
                phx_isotropic_section(70e9, 0.3, 2700.0, 0.05, 5.0 / 6.0, &def.section);
                phx_elastic_model *model = make_plate(context, &def);
                double *u = loaded(context, model, supports[k], linear);
                const double load = 1.3 * 0.8 * (2.0 + 3.0 * 0.65 - 5.0 * 0.4);
                CHECK_CLOSE(resultant(context, model, u, def.size), -load, order ? 1e-8 : 2e-2, "%s, k = %d: %s",
                            t ? "Mindlin" : "Kirchhoff", order, supports[k]);
                free(u);
                u = loaded(context, model, supports[k], quadratic);
                CHECK_CLOSE(resultant(context, model, u, def.size), -1.3 * 0.8 * (1.69 / 3.0 + 0.4),
                            order ? 4e-3 : 2e-2, "%s, k = %d", supports[k], order);
                free(u);
                phx_elastic_destroy(model);
            }
}

/* ---- a boundary without corners ---- */
/* The square [0, 2]^2 of crossed cells as the disc of radius 1 about the origin. */
static phx_elastic_model *make_disc(phx_context *context, int n, int order, double nu)
{
    const phx_rectangle_mesh square = {.size = {2.0, 2.0}, .elements = {n, n}, .crossed = true, .grading = {1.0, 1.0}};
    plate_case unit = unit_plate(1, nu);
    const phx_plate_region region = {.section = unit.section};
    const phx_plate_def plate = {.order = order, .n_regions = 1, .regions = &region};
    phx_mesh mesh;
    phx_elastic_model *model;

    CHECK_OK(context, phx_mesh_rectangle(context, &square, &mesh));
    for (int i = 0; i < mesh.n_nodes; i++) {
        double *x = mesh.x + 3 * i;
        const double a = x[0] - 1.0, b = x[1] - 1.0;
        x[0] = a * sqrt(1.0 - 0.5 * b * b);
        x[1] = b * sqrt(1.0 - 0.5 * a * a);
    }
    CHECK_OK(context, phx_plate_create(context, &mesh, &plate, &model));
    return model;
}

/* Clamped, under a uniform pressure: V = -p a / 2 and M_nn = p a^2 / 8 all around. */
static void test_disc(void **state)
{
    phx_context *context = *state;

    for (int order = 1; order <= 2; order++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            phx_elastic_model *model = make_disc(context, 8 << k, order, 0.3);
            double *u = loaded(context, model, "CCCC", uniform), value[3], sum[3] = {0.0};
            for (int e = 0; e < 4; e++) {
                over_group(context, model, u, sides[e], value);
                for (int i = 0; i < 3; i++)
                    sum[i] += value[i] / 4.0;
            }
            error[k] = fmax(fabs(sum[0] + 0.5), fabs(sum[1] - 0.125));
            CHECK_SMALL(sum[2], 1e-10, "twist");
            const stress_columns columns = {.n = 1, .Phi = u};
            const phx_plate_spot spot = place(1.0, 0.0);
            CHECK_STATUS(context, phx_plate_edge_rows(context, model, &columns, PHX_STRESSES_CORNER, &spot, value),
                         PHX_ERR_ARGUMENT);
            CHECK_MESSAGE(context, "is no corner of the plate");
            free(u);
            phx_elastic_destroy(model);
        }
        CHECK_BELOW(error[1], 4e-3, "k = %d", order);
        CHECK_BELOW(error[1], error[0] / 3.0, "k = %d: order", order);
    }
}

/* ---- several sections, misuse, memory ---- */
/* Where sections meet the load per area may jump: only the thicker half of a plate is loaded. */
static double on_the_left(const double x[3])
{
    return x[0] < 0.65 ? 1.0 : 0.0;
}

static void test_regions(void **state)
{
    phx_context *context = *state;
    const phx_rectangle_mesh rectangle = {
        .size = {1.3, 0.8}, .elements = {6, 4}, .crossed = true, .grading = {1.0, 1.0}};
    int cells[256], count = 0;
    phx_mesh mesh;
    phx_elastic_model *model;

    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    for (int c = 0; c < mesh.n_cells; c++) {
        const int *node = mesh.node + mesh.first[c];
        if (mesh.type[c] == PHX_CELL_TRI3 && mesh.x[3 * node[0]] + mesh.x[3 * node[1]] + mesh.x[3 * node[2]] < 1.95)
            cells[count++] = c;
    }
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "left", 2, count, cells));
    phx_plate_region regions[2] = {{.group = "left"}, {.group = NULL}};
    for (int r = 0; r < 2; r++)
        phx_isotropic_section(70e9, 0.3, 2700.0, r ? 0.01 : 0.02, 5.0 / 6.0, &regions[r].section);
    const phx_plate_def def = {.order = 1, .n_regions = 2, .regions = regions};
    CHECK_OK(context, phx_plate_create(context, &mesh, &def, &model));
    double *u = loaded(context, model, "SSSS", on_the_left);
    CHECK_CLOSE(resultant(context, model, u, rectangle.size), -0.52, 1e-9, "balance");
    free(u);
    phx_elastic_destroy(model);
}

static void refused(phx_context *context, const phx_elastic_model *model, phx_stress_set set, phx_plate_spot spot,
                    const char *message)
{
    double *u = calloc((size_t)model->n, sizeof *u), rows[3];
    const stress_columns columns = {.n = 1, .Phi = u};

    assert_non_null(u);
    CHECK_STATUS(context, phx_plate_edge_rows(context, model, &columns, set, &spot, rows), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, message);
    free(u);
}

static void test_misuse(void **state)
{
    phx_context *context = *state;
    const plate_case def = unit_plate(2, 0.3);
    phx_elastic_model *model = make_plate(context, &def);
    unsigned char *nodes = calloc((size_t)model->n_nodes, 1);
    phx_plate_spot spot = {.text = "it", .node = -1, .nodes = nodes};

    assert_non_null(nodes);
    refused(context, model, PHX_STRESSES_EDGE, place(0.0, 1.0), "is a corner of the plate, where two edges end");
    refused(context, model, PHX_STRESSES_EDGE, place(0.5, 0.5), "lies on no edge of the plate");
    refused(context, model, PHX_STRESSES_EDGE, place(0.0, 1.1), "lies on no edge of the plate");
    refused(context, model, PHX_STRESSES_CORNER, place(0.0, 0.5), "is no corner of the plate");
    refused(context, model, PHX_STRESSES_EDGE, spot, "lies on no edge");
    refused(context, model, PHX_STRESSES_CORNER, spot, "is no corner");
    memset(nodes, 1, (size_t)model->n_nodes);
    refused(context, model, PHX_STRESSES_CORNER, spot, "is no corner");
    spot = (phx_plate_spot){.text = "it", .node = model->mesh.n_nodes + 1};
    refused(context, model, PHX_STRESSES_EDGE, spot, "lies on no edge");
    refused(context, model, PHX_STRESSES_CORNER, spot, "is no corner");
    free(nodes);
    phx_elastic_destroy(model);
}

/* One edge on each side, and on both: nothing is inside that says what the load is. */
static void test_coarse(void **state)
{
    phx_context *context = *state;

    for (int order = 0; order <= 2; order++)
        for (int n = 1; n <= 2; n++) {
            plate_case def = unit_plate(n, 0.3);
            def.order = order;
            phx_elastic_model *model = make_plate(context, &def);
            double *u = loaded(context, model, "CFFF", uniform), value[3];
            at_place(context, model, u, 0.0, 0.4, value);
            for (int i = 0; i < 3; i++)
                assert_true(isfinite(value[i]));
            if (n > 1 || order == 2)
                CHECK_CLOSE(resultant(context, model, u, def.size), -1.0, 1e-10, "k = %d, %d: balance", order, n);
            free(u);
            phx_elastic_destroy(model);
        }
}

static void test_memory(void **state)
{
    phx_context *context = *state;
    const plate_case def = unit_plate(2, 0.3);
    phx_elastic_model *model = make_plate(context, &def);
    double *u = calloc((size_t)model->n, sizeof *u), rows[3];
    const stress_columns columns = {.n = 1, .Phi = u};
    const phx_plate_spot spot = place(0.0, 0.25), corner = place(0.0, 0.0);

    assert_non_null(u);
    for (int set = 0; set < 2; set++) {
        phx_status status = PHX_ERR_MEMORY;
        for (long k = 0; status == PHX_ERR_MEMORY && k < 1000; k++) {
            phx_context_fail_allocation(context, k);
            status = phx_plate_edge_rows(context, model, &columns, set ? PHX_STRESSES_CORNER : PHX_STRESSES_EDGE,
                                         set ? &corner : &spot, rows);
            phx_context_fail_allocation(context, -1);
        }
        CHECK_OK(context, status);
    }
    free(u);
    phx_elastic_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_square, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_twist, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cantilever, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_balance, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_disc, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_regions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_coarse, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_misuse, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
