/* Plates that are heated: free ones, which expand without stress, a simply supported one against a series, laminates.
 */
#include "plates.h"

#include "continuum/plate/plate.h"

static const phx_plate_theory theories[] = {PHX_PLATE_KIRCHHOFF, PHX_PLATE_MINDLIN};
static const char *const theory_name[] = {"Kirchhoff", "Mindlin"};
static const double thickness = 0.01;

/* mean + slope z */
typedef struct linear_rise {
    double mean, slope;
} linear_rise;

static double linear(void *user, const double x[3])
{
    const linear_rise *it = user;
    return it->mean + it->slope * x[2];
}

/* The largest stress at the corners of all triangles, of u and `offset` together, components first ... last. */
static double largest_stress(const phx_elastic_model *model, const double *u, const double *offset, int first, int last)
{
    const int components = phx_stress_components(PHX_STRESSES_PLATE);
    double most = 0.0, stress[3 * PHX_STRESSES_MOST];

    for (int c = 0; c < model->ops->stress_cells(model); c++) {
        model->ops->cell_stress(model, c, u, offset, stress);
        for (int k = 0; k < 3; k++)
            for (int i = first; i <= last; i++)
                most = fmax(most, fabs(stress[k * components + i]));
    }
    return most;
}

/* The solution of K u = force with a corner, a neighbour and another corner held as a rigid body is. */
static void solve_heated(phx_context *context, const phx_elastic_model *model, double *u)
{
    const double corner[3][3] = {{0.0, 0.0, 0.0}, {1.3, 0.0, 0.0}, {0.0, 0.8, 0.0}};
    const phx_plate *plate = phx_plate_of(model);
    free_set set = free_all(model->n);

    for (int k = 0; k < 3; k++) {
        const int *unknown = &plate->deflection[phx_mesh_nearest_node(&model->mesh, corner[k])];
        const int held[3] = {*unknown, *unknown - 1, *unknown - 2};
        hold(&set, k == 0 ? 3 : k == 1 ? 2 : 1, held);
    }
    solve_free(context, &model->K, &set, u);
    free_set_release(&set);
}

/* u = alpha T0 x in the plane; w_xx = w_yy = -alpha T1, the hot side bulges. */
static void test_free_expansion(void **state)
{
    phx_context *context = *state;
    const double alpha = 2.3e-5, size[2] = {1.3, 0.8};
    linear_rise rise = {40.0, 60.0 / thickness};
    const phx_temperature temperature = {linear, &rise};

    for (int t = 0; t < 2; t++)
        for (int order = 1; order <= 2; order++) {
            plate_case def = {.size = {size[0], size[1]},
                              .elements = {5, 4},
                              .theory = theories[t],
                              .order = order,
                              .membrane = true,
                              .grading = 1.0,
                              .distorted = 0.25,
                              .clockwise = true};
            phx_isotropic_section(70e9, 0.3, 2700.0, thickness, 5.0 / 6.0, &def.section);
            phx_isotropic_expansion(alpha, &def.section);
            phx_elastic_model *model = make_plate(context, &def);
            double *u = calloc((size_t)model->n, sizeof *u),
                   *offset = calloc((size_t)phx_elastic_offsets(model), sizeof *offset);
            CHECK_OK(context, phx_elastic_expand(context, model, NULL, &temperature, u, offset));
            const double held = largest_stress(model, NULL, offset, 8, 13),
                         N = largest_stress(model, NULL, offset, 0, 2), M = largest_stress(model, NULL, offset, 3, 5);
            CHECK_RELATIVE(held, 70e9 / 0.7 * alpha * 70.0, 1e-12, "held stress of the hot side");
            CHECK_RELATIVE(N, 70e9 / 0.7 * alpha * 40.0 * thickness, 1e-12, "held membrane force");
            CHECK_RELATIVE(M, 70e9 / 0.7 * alpha * 60.0 * thickness * thickness / 12.0, 1e-12, "held moment");
            solve_heated(context, model, u);
            for (int i = 0; i < model->mesh.n_nodes; i++) {
                const double *x = model->mesh.x + 3 * i, *at = u + phx_plate_of(model)->deflection[i] - 2;
                const double w = -0.5 * alpha * rise.slope * (x[0] * (x[0] - size[0]) + x[1] * (x[1] - size[1]));
                CHECK_CLOSE(at[0], alpha * 40.0 * x[0], 1e-12, "%s, order %d: u", theory_name[t], order);
                CHECK_CLOSE(at[1], alpha * 40.0 * x[1], 1e-12, "v");
                CHECK_CLOSE(at[2], w, 1e-9 * alpha * rise.slope, "w");
            }
            CHECK_BELOW(largest_stress(model, u, offset, 8, 13), 1e-9 * held, "stress of the surfaces");
            CHECK_BELOW(largest_stress(model, u, offset, 0, 2), 1e-9 * N, "membrane force");
            CHECK_BELOW(largest_stress(model, u, offset, 3, 5), 1e-9 * M, "moment");
            free(u);
            free(offset);
            phx_elastic_destroy(model);
        }
}

/* (1 - nu) M = D' lap w + ...: M_n = 0 on straight edges with w = 0 makes lap w = -(1 + nu) alpha T1 everywhere, whose
 * solution on the unit square is the membrane's, in the middle sum (1 - 1/cosh(p pi/2)) 4 sin(p pi/2)/(p pi)^3. */
static void test_simply_supported(void **state)
{
    phx_context *context = *state;
    const double poisson = 0.3, alpha = 1e-3, slope = 2.0, middle[3] = {0.5, 0.5, 0.0};
    linear_rise rise = {0.0, slope};
    const phx_temperature temperature = {linear, &rise};
    double membrane = 0.0;

    for (int p = 1; p < 200; p += 2)
        membrane += (p % 4 == 1 ? 4.0 : -4.0) * (1.0 - 1.0 / cosh(0.5 * p * TEST_PI)) / pow(p * TEST_PI, 3.0);
    CHECK_CLOSE(membrane, 0.0736713, 1e-7, "as printed (Timoshenko and Goodier)");
    for (int t = 0; t < 2; t++) {
        plate_case def = unit_plate(16, poisson);
        def.order = 2;
        def.theory = theories[t];
        if (t) /* thin, and stiff in shear */
            def.section.shear[0] = def.section.shear[3] = 1e8;
        phx_isotropic_expansion(alpha, &def.section);
        phx_elastic_model *model = make_plate(context, &def);
        free_set set = supported(context, model, "SSSS");
        double *u = calloc((size_t)model->n, sizeof *u);
        CHECK_OK(context, phx_elastic_expand(context, model, NULL, &temperature, u, NULL));
        solve_free(context, &model->K, &set, u);
        CHECK_RELATIVE(u[phx_plate_of(model)->deflection[phx_mesh_nearest_node(&model->mesh, middle)]],
                       membrane * (1.0 + poisson) * alpha * slope, 1e-5, "%s: middle", theory_name[t]);
        free(u);
        free_set_release(&set);
        phx_elastic_destroy(model);
    }
}

/* One layer at an angle, free: its expansion turned, a stretch along and a shear, without stress. */
static void test_turned_layer(void **state)
{
    phx_context *context = *state;
    const phx_plate_layer layer = {.young = {138e9, 9e9},
                                   .poisson = 0.3,
                                   .shear = {7.1e9, 7.1e9, 4e9},
                                   .density = 1600.0,
                                   .thickness = thickness,
                                   .angle = 0.4,
                                   .expansion = {-0.5e-6, 28e-6}};
    const double c = cos(0.4), s = sin(0.4), difference = layer.expansion[0] - layer.expansion[1];
    const double xx = c * c * layer.expansion[0] + s * s * layer.expansion[1], xy = 2.0 * c * s * difference;
    const phx_temperature temperature = {NULL, NULL};
    plate_case def = {
        .size = {1.3, 0.8}, .elements = {3, 2}, .order = 1, .membrane = true, .grading = 1.0, .distorted = 0.2};

    CHECK_OK(context, phx_laminate_section(context, 1, &layer, 5.0 / 6.0, &def.section));
    phx_elastic_model *model = make_plate(context, &def);
    const double end[3] = {1.3, 0.0, 0.0}, up[3] = {0.0, 0.8, 0.0};
    double *u = calloc((size_t)model->n, sizeof *u),
           *offset = calloc((size_t)phx_elastic_offsets(model), sizeof *offset);
    CHECK_OK(context, phx_elastic_expand(context, model, "all", &temperature, u, offset));
    const double held = largest_stress(model, NULL, offset, 8, 13);
    solve_heated(context, model, u);
    const int *deflection = phx_plate_of(model)->deflection;
    CHECK_RELATIVE(u[deflection[phx_mesh_nearest_node(&model->mesh, end)] - 2], 1.3 * xx, 1e-9, "stretch along x");
    CHECK_RELATIVE(u[deflection[phx_mesh_nearest_node(&model->mesh, up)] - 2], 0.8 * xy, 1e-9, "shear");
    CHECK_BELOW(largest_stress(model, u, offset, 0, 13), 1e-9 * held, "stress");
    CHECK_STATUS(context, phx_elastic_expand(context, model, "x0", &temperature, u, NULL), PHX_ERR_ARGUMENT);
    free(u);
    free(offset);
    phx_elastic_destroy(model);
}

/* Two layers of one stiffness and two expansions (Timoshenko): curvature 3/2 (alpha_1 - alpha_2) T/h, and at the
 * surfaces +-1/4 E/(1 - nu) (alpha_1 - alpha_2) T. */
static void test_bimetal(void **state)
{
    phx_context *context = *state;
    const double E = 200e9, nu = 0.25, G = E / (2.0 * (1.0 + nu)), T = 150.0, difference = 17e-6 - 11e-6;
    const phx_plate_layer half = {.young = {E, E},
                                  .poisson = nu,
                                  .shear = {G, G, G},
                                  .density = 7800.0,
                                  .thickness = 0.5 * thickness,
                                  .expansion = {11e-6, 11e-6}};
    phx_plate_layer layers[2] = {half, half};
    linear_rise rise = {T, 0.0};
    const phx_temperature temperature = {linear, &rise};
    plate_case def = {
        .size = {1.3, 0.8}, .elements = {3, 2}, .order = 1, .membrane = true, .grading = 1.0, .distorted = 0.2};

    layers[1].expansion[0] = layers[1].expansion[1] = 17e-6; /* the upper one */
    CHECK_OK(context, phx_laminate_section(context, 2, layers, 5.0 / 6.0, &def.section));
    phx_elastic_model *model = make_plate(context, &def);
    const double end[3] = {1.3, 0.8, 0.0};
    double *u = calloc((size_t)model->n, sizeof *u),
           *offset = calloc((size_t)phx_elastic_offsets(model), sizeof *offset), stress[3 * PHX_STRESSES_MOST];
    CHECK_OK(context, phx_elastic_expand(context, model, NULL, &temperature, u, offset));
    solve_heated(context, model, u);
    /* w = -k/2 (x (x - a) + y (y - b)) vanishes at all corners, and falls between two of them by k a^2/8 */
    const double curvature = 1.5 * difference * T / thickness, surface = 0.25 * E / (1.0 - nu) * difference * T;
    const double along[3] = {0.5 * 1.3, 0.0, 0.0};
    const double *x = model->mesh.x + 3 * phx_mesh_nearest_node(&model->mesh, along);
    const int *deflection = phx_plate_of(model)->deflection;
    CHECK_RELATIVE(u[deflection[phx_mesh_nearest_node(&model->mesh, along)]], 0.5 * curvature * x[0] * (1.3 - x[0]),
                   1e-9, "bow of an edge");
    CHECK_SMALL(u[deflection[phx_mesh_nearest_node(&model->mesh, end)]], 1e-9, "the fourth corner");
    for (int cell = 0; cell < model->ops->stress_cells(model); cell++) {
        model->ops->cell_stress(model, cell, u, offset, stress);
        CHECK_SMALL(stress[3], 1e-6 * surface * thickness * thickness, "no moment");
        CHECK_RELATIVE(stress[8], surface, 1e-8, "upper side: the layer that is too long is pressed at the other one");
        CHECK_RELATIVE(stress[11], -surface, 1e-8, "lower side");
    }
    free(u);
    free(offset);
    phx_elastic_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_free_expansion, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_simply_supported, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_turned_layer, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bimetal, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
