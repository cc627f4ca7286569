/* Plates: functions on the triangle, rigid motions, patches, loads, resultants, sections, what is refused. */
#include "plates.h"

#include "continuum/plate/plate.h"
#include "fe/fe.h"

static const phx_plate_theory theories[] = {PHX_PLATE_KIRCHHOFF, PHX_PLATE_MINDLIN};
static const char *const theory_name[] = {"Kirchhoff", "Mindlin"};

/* An irregular plate with membrane, half of its triangles turned over. */
static plate_case irregular_plate(phx_plate_theory theory, int order)
{
    plate_case def = {.size = {1.3, 0.8},
                      .elements = {5, 4},
                      .theory = theory,
                      .order = order,
                      .membrane = true,
                      .grading = 1.0,
                      .distorted = 0.25,
                      .clockwise = true};
    phx_isotropic_section(70e9, 0.3, 2700.0, 0.01, 5.0 / 6.0, &def.section);
    return def;
}

/* ---- functions on the triangle ---- */
static void random_point(uint64_t *seed, double lambda[3])
{
    lambda[1] = 0.5 + 0.4 * random_value(seed);
    lambda[2] = (1.0 - lambda[1]) * (0.5 + 0.4 * random_value(seed));
    lambda[0] = 1.0 - lambda[1] - lambda[2];
}

static void test_polynomials(void **state)
{
    (void)state;
    double lambda[PHX_TRIANGLE_POINTS][3], weight[PHX_TRIANGLE_POINTS], mean[6][6] = {{0.0}};

    phx_triangle_rule(lambda, weight);
    for (int g = 0; g < PHX_TRIANGLE_POINTS; g++) {
        phx_polynomials phi;
        assert_int_equal(phx_triangle_polynomials(2, lambda[g], &phi), 6);
        for (int k = 0; k < 36; k++)
            mean[k / 6][k % 6] += weight[g] * phi.value[k / 6] * phi.value[k % 6];
    }
    for (int k = 0; k < 36; k++)
        CHECK_CLOSE(mean[k / 6][k % 6], k / 6 == k % 6 ? 1.0 : 0.0, 1e-14, "mean of phi_%d phi_%d", k / 6, k % 6);
}

/* 1 at its node, 0 at the others. */
static void test_lagrange(void **state)
{
    (void)state;
    for (int degree = 1; degree <= 3; degree++) {
        double node[PHX_TRIANGLE_NODES][3];
        const int count = phx_triangle_nodes(degree, node);
        assert_int_equal(count, (degree + 1) * (degree + 2) / 2);
        for (int i = 0; i < count; i++) {
            phx_lagrange at;
            phx_triangle_lagrange(degree, node[i], &at);
            for (int j = 0; j < count; j++)
                CHECK_CLOSE(at.value[j], i == j ? 1.0 : 0.0, 1e-14, "P%d: function %d at node %d", degree, j, i);
        }
    }
}

/* Derivatives against central differences, which are exact for quadratics and of error h^2 for cubics. */
static void test_derivatives(void **state)
{
    (void)state;
    const double h = 1e-4;
    uint64_t seed = 5;

    for (int trial = 0; trial < 5; trial++)
        for (int a = 0; a < 2; a++) {
            double lambda[3], side[2][3];
            phx_lagrange w, w_side[2];
            phx_slopes s, s_side[2];
            phx_polynomials p, p_side[2];
            random_point(&seed, lambda);
            for (int k = 0; k < 2; k++) {
                memcpy(side[k], lambda, sizeof lambda);
                side[k][0] -= k ? h : -h;
                side[k][a + 1] += k ? h : -h;
                phx_triangle_lagrange(3, side[k], &w_side[k]);
                phx_triangle_nedelec(2, side[k], &s_side[k]);
                phx_triangle_polynomials(2, side[k], &p_side[k]);
            }
            phx_triangle_lagrange(3, lambda, &w);
            assert_int_equal(phx_triangle_nedelec(2, lambda, &s), PHX_TRIANGLE_SLOPES);
            phx_triangle_polynomials(2, lambda, &p);
            for (int j = 0; j < PHX_TRIANGLE_NODES; j++) {
                CHECK_CLOSE(w.first[j][a], (w_side[1].value[j] - w_side[0].value[j]) / (2.0 * h), 1e-6, "w_%d", j);
                for (int b = 0; b < 2; b++)
                    CHECK_CLOSE(w.second[j][b][a], (w_side[1].first[j][b] - w_side[0].first[j][b]) / (2.0 * h), 1e-6,
                                "d w_%d", j);
            }
            for (int j = 0; j < PHX_TRIANGLE_SLOPES; j++)
                for (int b = 0; b < 2; b++)
                    CHECK_CLOSE(s.first[j][b][a], (s_side[1].value[j][b] - s_side[0].value[j][b]) / (2.0 * h), 1e-9,
                                "s_%d", j);
            for (int j = 0; j < PHX_TRIANGLE_POLYNOMIALS; j++)
                CHECK_CLOSE(p.first[j][a], (p_side[1].value[j] - p_side[0].value[j]) / (2.0 * h), 1e-8, "phi_%d", j);
        }
}

/* Tangential components on the edges: s.t of edge e from corner e to e + 1 has the components of its direction. */
static void test_nedelec_edges(void **state)
{
    (void)state;
    static const double along[3][2] = {{1.0, 0.0}, {-1.0, 1.0}, {0.0, -1.0}}; /* in lambda_1, lambda_2 */

    for (int order = 1; order <= 2; order++)
        for (int e = 0; e < 3; e++)
            for (int g = 0; g < 4; g++) {
                const double at = 0.1 + 0.25 * g;
                double lambda[3], legendre[PHX_TRIANGLE_LEGENDRE];
                phx_slopes s;
                phx_triangle_edge_point(e, at, lambda);
                phx_triangle_legendre(at, legendre);
                const int count = phx_triangle_nedelec(order, lambda, &s);
                assert_int_equal(count, (order + 1) * (order + 2));
                for (int j = 0; j < count; j++) {
                    const bool own = j / (order + 1) == e;
                    CHECK_CLOSE(s.value[j][0] * along[e][0] + s.value[j][1] * along[e][1],
                                own ? legendre[j % (order + 1)] : 0.0, 1e-14, "Nedelec %d, function %d on edge %d",
                                order, j, e);
                }
            }
}

/* ---- fields ---- */
/* w = c . (1, x, y, x^2, xy, y^2, x^3, x^2 y, x y^2, y^3) and its gradient. */
static double cubic(const double c[10], const double x[2], double gradient[2])
{
    const double X = x[0], Y = x[1];
    gradient[0] = c[1] + 2.0 * c[3] * X + c[4] * Y + 3.0 * c[6] * X * X + 2.0 * c[7] * X * Y + c[8] * Y * Y;
    gradient[1] = c[2] + c[4] * X + 2.0 * c[5] * Y + c[7] * X * X + 2.0 * c[8] * X * Y + 3.0 * c[9] * Y * Y;
    return c[0] + c[1] * X + c[2] * Y + c[3] * X * X + c[4] * X * Y + c[5] * Y * Y + c[6] * X * X * X +
           c[7] * X * X * Y + c[8] * X * Y * Y + c[9] * Y * Y * Y;
}

/* The unknowns of w: values at nodes, Legendre coefficients of slopes on edges; theta = grad w (interior functions 0,
 * as is right for quadratic w). */
static void interpolate(const phx_elastic_model *model, const double c[10], double *u)
{
    const phx_plate *plate = phx_plate_of(model);
    const int per_edge = plate->order + 1;
    double s[4], weight[4], gradient[2], legendre[PHX_TRIANGLE_LEGENDRE];

    for (int i = 0; i < model->n; i++)
        if (model->component[i] == PHX_UNKNOWN_UZ)
            u[i] = cubic(c, model->x + 3 * model->node[i], gradient);
    phx_gauss(4, s, weight);
    for (int e = 0; e < plate->n_edges; e++) {
        const double *a = model->x + 3 * plate->end[2 * e], *b = model->x + 3 * plate->end[2 * e + 1];
        const double length = hypot(b[0] - a[0], b[1] - a[1]), t[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length};
        for (int g = 0; g < 4; g++) {
            const double x[2] = {a[0] + s[g] * (b[0] - a[0]), a[1] + s[g] * (b[1] - a[1])};
            cubic(c, x, gradient);
            phx_triangle_legendre(s[g], legendre);
            for (int m = 0; m < per_edge; m++) {
                const double part = (2 * m + 1) * weight[g] * legendre[m];
                u[plate->first_slope + per_edge * e + m] += part * (gradient[0] * t[1] - gradient[1] * t[0]);
                if (plate->theory == PHX_PLATE_MINDLIN)
                    u[plate->first_rotation + per_edge * e + m] += part * (gradient[0] * t[0] + gradient[1] * t[1]);
            }
        }
    }
}

static void check_moments(const phx_elastic_model *model, const plate_case *def, const double c[10], const double *u,
                          double tolerance)
{
    const phx_plate *plate = phx_plate_of(model);
    const double *D = def->section.bending;
    const double shear_scale = def->theory == PHX_PLATE_MINDLIN ? def->section.shear[0] : D[0];
    uint64_t seed = 9;

    for (int t = 0; t < phx_plate_triangles(model, NULL); t++) {
        double lambda[3], x[2] = {0.0}, N[3], M[3], q[2];
        random_point(&seed, lambda);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 2; i++)
                x[i] += lambda[k] * model->x[3 * plate->corner[3 * t + k] + i];
        const double curvature[3] = {2.0 * c[3] + 6.0 * c[6] * x[0] + 2.0 * c[7] * x[1],
                                     2.0 * c[5] + 2.0 * c[8] * x[0] + 6.0 * c[9] * x[1],
                                     2.0 * (c[4] + 2.0 * c[7] * x[0] + 2.0 * c[8] * x[1])};
        /* q = -Div M = -D grad laplace w, isotropic */
        const double shear[2] = {-D[0] * (6.0 * c[6] + 2.0 * c[8]), -D[0] * (2.0 * c[7] + 6.0 * c[9])};
        double want[3] = {0.0};
        for (int k = 0; k < 9; k++)
            want[k / 3] += D[k] * curvature[k % 3];
        phx_plate_resultants(model, t, u, lambda, N, M, q);
        for (int k = 0; k < 3; k++) {
            CHECK_CLOSE(M[k], want[k], tolerance * D[0], "moment %d in triangle %d, k = %d", k, t, def->order);
            CHECK_SMALL(N[k], tolerance * D[0], "membrane force");
        }
        for (int k = 0; k < 2; k++)
            CHECK_CLOSE(q[k], shear[k], 100.0 * tolerance * shear_scale, "shear force %d in triangle %d", k, t);
    }
}

/* Holds the boundary at the values of u, solves for the rest. */
static void solve_patch(phx_context *context, const phx_elastic_model *model, double *u)
{
    static const char *const edge[] = {"x0", "x1", "y0", "y1"};
    free_set set = free_all(model->n);
    double *f = calloc((size_t)model->n, sizeof *f);

    assert_non_null(f);
    hold_component(&set, model, PHX_UNKNOWN_UX);
    hold_component(&set, model, PHX_UNKNOWN_UY);
    for (int e = 0; e < 4; e++)
        for (int trace = PHX_TRACE_DEFLECTIONS; trace <= PHX_TRACE_ROTATIONS; trace++) {
            int count, *unknown;
            CHECK_OK(context, phx_plate_edge_unknowns(context, model, edge[e], trace, &count, &unknown, NULL));
            hold(&set, count, unknown);
            phx_free(unknown);
        }
    for (int i = 0; i < model->n; i++)
        u[i] = set.number[i] < 0 ? u[i] : 0.0;
    phx_csr_apply(&model->K, -1.0, u, f);
    solve_free(context, &model->K, &set, f);
    for (int i = 0; i < model->n; i++)
        u[i] += set.number[i] < 0 ? 0.0 : f[i];
    free_set_release(&set);
    free(f);
}

/* Constant curvature on an irregular mesh: prescribed on the boundary, it fills the plate. */
static void test_bending_patch(void **state)
{
    phx_context *context = *state;
    const double c[10] = {0.1, -0.2, 0.3, 0.7, 0.4, -0.5};

    for (int t = 0; t < 2; t++)
        for (int order = t; order <= 2; order++) {
            const plate_case def = irregular_plate(theories[t], order);
            phx_elastic_model *model = make_plate(context, &def);
            double *u = calloc((size_t)model->n, sizeof *u), *want = calloc((size_t)model->n, sizeof *u);
            assert_true(u && want);
            interpolate(model, c, want);
            check_moments(model, &def, c, want, 1e-12);
            memcpy(u, want, (size_t)model->n * sizeof *u);
            solve_patch(context, model, u);
            CHECK_VECTOR(model->n, u, want, 1e-10, "%s, k = %d: patch", theory_name[t], order);
            check_moments(model, &def, c, u, 1e-9);
            free(u);
            free(want);
            phx_elastic_destroy(model);
        }
}

/* Cubic deflections have linear moments and constant shear forces: exact with k = 2. */
static void test_cubic(void **state)
{
    phx_context *context = *state;
    const double c[10] = {0.1, -0.2, 0.3, 0.7, 0.4, -0.5, 0.6, -0.8, 0.9, 0.25};
    const plate_case def = irregular_plate(PHX_PLATE_KIRCHHOFF, 2);
    phx_elastic_model *model = make_plate(context, &def);
    double *u = calloc((size_t)model->n, sizeof *u);

    assert_non_null(u);
    interpolate(model, c, u);
    check_moments(model, &def, c, u, 1e-11);
    free(u);
    phx_elastic_destroy(model);
}

/* u = (x, y) strains: constant membrane forces; an edge pulled by a force has them. */
static void test_membrane_patch(void **state)
{
    phx_context *context = *state;

    for (int order = 0; order <= 2; order++) {
        const plate_case def = irregular_plate(PHX_PLATE_KIRCHHOFF, order);
        phx_elastic_model *model = make_plate(context, &def);
        free_set set = free_all(model->n);
        double *u = calloc((size_t)model->n, sizeof *u), N[3], M[3], q[2];
        const double lambda[3] = {0.2, 0.5, 0.3}, traction[3] = {0.0, 0.0, 0.0};
        assert_non_null(u);
        hold_component(&set, model, PHX_UNKNOWN_UZ);
        hold_component(&set, model, PHX_UNKNOWN_OTHER);
        hold_group(&set, model, "x0", PHX_UNKNOWN_UX);
        hold_group(&set, model, "x0y0", PHX_UNKNOWN_UY);
        for (int i = 0; i < model->n; i++) /* nodes that plates put on the edge x0 */
            if (model->component[i] == PHX_UNKNOWN_UX && model->x[3 * model->node[i]] == 0.0)
                hold(&set, 1, &i);
        CHECK_OK(context, phx_elastic_traction(context, model, "x1", traction, -1000.0, u)); /* outwards */
        solve_free(context, &model->K, &set, u);
        for (int t = 0; t < phx_plate_triangles(model, NULL); t++) {
            phx_plate_resultants(model, t, u, lambda, N, M, q);
            CHECK_CLOSE(N[0], 1000.0, 1e-7, "N_xx, k = %d", order);
            CHECK_SMALL(N[1], 1e-7, "N_yy, k = %d", order);
            CHECK_SMALL(N[2], 1e-7, "N_xy, k = %d", order);
            CHECK_SMALL(fabs(M[0]) + fabs(M[1]) + fabs(M[2]), 1e-12, "moments");
        }
        free(u);
        free_set_release(&set);
        phx_elastic_destroy(model);
    }
}

/* ---- the model ---- */
static void test_rigid_motions(void **state)
{
    phx_context *context = *state;

    for (int t = 0; t < 2; t++)
        for (int order = t; order <= 2; order++) {
            const plate_case def = irregular_plate(theories[t], order);
            phx_elastic_model *model = make_plate(context, &def);
            phx_elastic_summary summary;
            check_rigid_motions(context, model, 1e-14);
            check_mixed_form(context, model, 1e-11);
            CHECK_OK(context, phx_elastic_summarise(context, model, &summary));
            const double a = def.size[0], b = def.size[1], mass = def.section.mass * a * b;
            CHECK_RELATIVE(summary.mass, mass, 1e-13, "mass");
            CHECK_CLOSE(summary.centre[0], a / 2.0, 1e-13, "centre");
            CHECK_CLOSE(summary.centre[1], b / 2.0, 1e-13, "centre");
            const double rotary = t ? def.section.rotary * a * b : 0.0;
            const double inertia[3] = {mass * b * b / 12.0 + rotary, mass * a * a / 12.0 + rotary,
                                       mass * (a * a + b * b) / 12.0};
            for (int k = 0; k < 3; k++) /* about z exact with quadratic functions too: x and y are in the space */
                CHECK_RELATIVE(summary.inertia[4 * k], inertia[k], 1e-12, "%s, k = %d: inertia %d", theory_name[t],
                               order, k);
            phx_elastic_destroy(model);
        }
}

/* Two sections: mass and stiffness are those of the parts. */
static void test_regions(void **state)
{
    phx_context *context = *state;
    const phx_rectangle_mesh rectangle = {.size = {2.0, 1.0}, .elements = {4, 2}, .grading = {1.0, 1.0}};
    int left[16], right[16], n_left = 0, n_right = 0;
    phx_mesh mesh;
    phx_elastic_model *model;
    phx_elastic_summary summary;

    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    for (int cell = 0; cell < mesh.n_cells; cell++) {
        if (mesh.type[cell] != PHX_CELL_TRI3)
            continue;
        double x = 0.0;
        for (int k = 0; k < 3; k++)
            x += mesh.x[3 * mesh.node[mesh.first[cell] + k]] / 3.0;
        if (x < 1.0)
            left[n_left++] = cell;
        else
            right[n_right++] = cell;
    }
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "left", 2, n_left, left));
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "right", 2, n_right, right));
    phx_plate_region regions[2] = {{.group = "left"}, {.group = "right"}};
    for (int r = 0; r < 2; r++)
        phx_isotropic_section(70e9, 0.3, 1000.0 * (r + 1), 0.01, 5.0 / 6.0, &regions[r].section);
    const phx_plate_def both = {.order = 1, .membrane = true, .n_regions = 2, .regions = regions};
    const phx_plate_def half = {.order = 1, .membrane = true, .n_regions = 1, .regions = regions};
    CHECK_STATUS(context, phx_plate_create(context, &mesh, &half, &model), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "lies in no region");
    regions[1].group = "all";
    CHECK_STATUS(context, phx_plate_create(context, &mesh, &both, &model), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "lies in the regions 1 and 2");
    regions[1].group = NULL; /* what the first leaves */
    CHECK_OK(context, phx_plate_create(context, &mesh, &both, &model));
    CHECK_OK(context, phx_elastic_summarise(context, model, &summary));
    CHECK_RELATIVE(summary.mass, 30.0, 1e-13, "mass");
    CHECK_RELATIVE(summary.centre[0], (10.0 * 0.5 + 20.0 * 1.5) / 30.0, 1e-13, "centre");
    phx_elastic_destroy(model);
}

/* Counts, signs and places of the unknowns on edges. */
static void test_edges(void **state)
{
    phx_context *context = *state;
    static const char *const edge[] = {"x0", "x1", "y0", "y1"};

    for (int order = 0; order <= 2; order++) {
        const plate_case def = irregular_plate(PHX_PLATE_KIRCHHOFF, order);
        phx_elastic_model *model = make_plate(context, &def);
        const double slope[2] = {0.3, -0.7}, c[10] = {0.0, slope[0], slope[1]};
        double *u = calloc((size_t)model->n, sizeof *u), *sign;
        int count, *unknown;
        assert_non_null(u);
        interpolate(model, c, u);
        for (int e = 0; e < 4; e++) {
            const int elements = def.elements[e < 2 ? 1 : 0];
            CHECK_OK(context,
                     phx_plate_edge_unknowns(context, model, edge[e], PHX_TRACE_SLOPES, &count, &unknown, &sign));
            assert_int_equal(count, (order + 1) * elements);
            for (int k = 0; k < count; k++) {
                const double outward = (e % 2 ? 1.0 : -1.0) * slope[e / 2];
                CHECK_CLOSE(sign[k] * u[unknown[k]], k % (order + 1) == 0 ? outward : 0.0, 1e-14, "slope on %s",
                            edge[e]);
            }
            phx_free(unknown);
            phx_free(sign);
            CHECK_OK(context,
                     phx_plate_edge_unknowns(context, model, edge[e], PHX_TRACE_DEFLECTIONS, &count, &unknown, &sign));
            assert_int_equal(count, (order + 1) * elements + 1);
            for (int k = 0; k < count; k++) {
                const double *x = model->x + 3 * model->node[unknown[k]];
                assert_int_equal(model->component[unknown[k]], PHX_UNKNOWN_UZ);
                CHECK_CLOSE(x[e / 2], e % 2 ? def.size[e / 2] : 0.0, 1e-15, "place on %s", edge[e]);
            }
            phx_free(unknown);
            phx_free(sign);
        }
        CHECK_OK(context, phx_plate_edge_unknowns(context, model, "x0", PHX_TRACE_ROTATIONS, &count, &unknown, NULL));
        assert_int_equal(count, 0);
        phx_free(unknown);
        CHECK_STATUS(context, phx_plate_edge_unknowns(context, model, "all", PHX_TRACE_SLOPES, &count, &unknown, NULL),
                     PHX_ERR_ARGUMENT);
        CHECK_MESSAGE(context, "no group 'all' of edges");
        free(u);
        phx_elastic_destroy(model);
    }
}

/* Lines inside a plate, walked along +y: the normal is to the right of them, +x. A load on them goes to their nodes. */
static void test_lines_inside(void **state)
{
    phx_context *context = *state;
    const phx_rectangle_mesh rectangle = {.size = {1.0, 1.0}, .elements = {2, 4}, .grading = {1.0, 1.0}};
    phx_plate_region region = {.group = NULL};
    const phx_plate_def def = {.order = 1, .n_regions = 1, .regions = &region};
    const double c[10] = {0.0, 0.3, -0.7}, none[3] = {0.0};
    phx_mesh mesh;
    phx_elastic_model *model;
    double *sign;
    int count, *unknown;

    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    const phx_mesh_group *side = phx_mesh_group_named(&mesh, "x0");
    for (int k = 0; k < side->n_cells; k++) { /* the lines of the edge x0 move to the middle, upwards */
        int *end = mesh.node + mesh.first[side->cells[k]];
        const double *a = mesh.x + 3 * end[0], *b = mesh.x + 3 * end[1];
        const double low[3] = {0.5, fmin(a[1], b[1])}, high[3] = {0.5, fmax(a[1], b[1])};
        end[0] = phx_mesh_nearest_node(&mesh, low);
        end[1] = phx_mesh_nearest_node(&mesh, high);
    }
    phx_isotropic_section(70e9, 0.3, 2700.0, 0.01, 5.0 / 6.0, &region.section);
    CHECK_OK(context, phx_plate_create(context, &mesh, &def, &model));
    double *u = calloc((size_t)model->n, sizeof *u), *f = calloc((size_t)model->n, sizeof *f);
    assert_true(u && f);
    interpolate(model, c, u);
    CHECK_OK(context, phx_plate_edge_unknowns(context, model, "x0", PHX_TRACE_SLOPES, &count, &unknown, &sign));
    assert_int_equal(count, 8);
    for (int k = 0; k < count; k += 2)
        CHECK_CLOSE(sign[k] * u[unknown[k]], c[1], 1e-14, "slope across line %d", k / 2);
    CHECK_OK(context, phx_elastic_traction(context, model, "x0", none, -2.0, f));
    CHECK_CLOSE(dot_product(model->n, f, model->rigid), 2.0, 1e-14, "force along the normal");
    CHECK_CLOSE(dot_product(model->n, f, model->rigid + model->n), 0.0, 1e-14, "force along the lines");
    CHECK_CLOSE(dot_product(model->n, f, model->rigid + 5 * (size_t)model->n), -1.0, 1e-14, "moment about the origin");
    phx_free(unknown);
    phx_free(sign);
    free(u);
    free(f);
    phx_elastic_destroy(model);
}

/* A line that joins nodes which no triangle joins. */
static void test_line_off_edges(void **state)
{
    phx_context *context = *state;
    const phx_rectangle_mesh rectangle = {.size = {1.0, 1.0}, .elements = {2, 2}, .grading = {1.0, 1.0}};
    phx_plate_region region = {.group = NULL};
    const phx_plate_def def = {.order = 1, .n_regions = 1, .regions = &region};
    const double far[3] = {1.0, 1.0, 0.0}, none[3] = {0.0};
    phx_mesh mesh;
    phx_elastic_model *model;
    int count, *unknown;

    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    mesh.node[mesh.first[phx_mesh_group_named(&mesh, "x0")->cells[0]]] = phx_mesh_nearest_node(&mesh, far);
    phx_isotropic_section(70e9, 0.3, 2700.0, 0.01, 5.0 / 6.0, &region.section);
    CHECK_OK(context, phx_plate_create(context, &mesh, &def, &model));
    double *f = calloc((size_t)model->n, sizeof *f);
    assert_non_null(f);
    CHECK_STATUS(context, phx_plate_edge_unknowns(context, model, "x0", PHX_TRACE_SLOPES, &count, &unknown, NULL),
                 PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "of group 'x0' is not an edge of a triangle");
    CHECK_STATUS(context, phx_elastic_traction(context, model, "x0", none, 1.0, f), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "of group 'x0' is not an edge of a triangle");
    free(f);
    phx_elastic_destroy(model);
}

/* ---- loads and resultants ---- */
/* Navier's series for a simply supported square of side 1 under the pressure 1: deflection of the middle, moment there
 * and shear force in the middle of the edge x = 0, of D = 1. */
static void navier(double poisson, double *w, double *moment, double *shear)
{
    const double pi6 = pow(TEST_PI, 6.0);

    *w = *moment = *shear = 0.0;
    for (int p = 1; p < 4000; p += 2)
        for (int q = 1; q < 4000; q += 2) {
            const double s = (double)(p * p) + (double)(q * q), sign = (p + q) / 2 % 2 ? 1.0 : -1.0;
            const double a = 16.0 / (pi6 * p * q * s * s);
            *w += sign * a;
            *moment += sign * a * TEST_PI * TEST_PI * (p * p + poisson * q * q);
            *shear += (q / 2 % 2 ? -1.0 : 1.0) * a * pow(TEST_PI, 3.0) * p * s;
        }
}

static void test_pressure(void **state)
{
    phx_context *context = *state;
    const double poisson = 0.3, down[3] = {0.0, 0.0, -0.25};
    double w, moment, shear, N[3], M[3], q[2];

    navier(poisson, &w, &moment, &shear);
    for (int t = 0; t < 2; t++) {
        plate_case def = unit_plate(16, poisson);
        def.order = 2;
        def.theory = theories[t];
        if (t) /* thin, and stiff in shear */
            def.section.shear[0] = def.section.shear[3] = 1e8;
        phx_elastic_model *model = make_plate(context, &def);
        free_set set = supported(context, model, "SSSS");
        double *u = calloc((size_t)model->n, sizeof *u);
        assert_non_null(u);
        /* a pressure on the upper side presses down */
        CHECK_OK(context, phx_elastic_traction(context, model, "all", down, 0.75, u));
        CHECK_CLOSE(dot_product(model->n, u, model->rigid + 2 * (size_t)model->n), -1.0, 1e-13, "resultant");
        CHECK_CLOSE(dot_product(model->n, u, model->rigid + 3 * (size_t)model->n), -0.5, 1e-13, "about x");
        CHECK_CLOSE(dot_product(model->n, u, model->rigid + 4 * (size_t)model->n), 0.5, 1e-13, "about y");
        solve_free(context, &model->K, &set, u);
        const double middle[3] = {0.5, 0.5, 0.0}, half[3] = {0.0, 0.5, 0.0};
        const int node = phx_mesh_nearest_node(&model->mesh, middle), edge = phx_mesh_nearest_node(&model->mesh, half);
        CHECK_RELATIVE(-u[phx_plate_of(model)->deflection[node]], w, 2e-6, "%s: deflection of the middle",
                       theory_name[t]);
        const int *cell;
        const int triangles = phx_plate_triangles(model, &cell);
        for (int e = 0; e < triangles; e++) {
            const int *corner = model->mesh.node + model->mesh.first[cell[e]];
            for (int k = 0; k < 3; k++) {
                const double lambda[3] = {k == 0, k == 1, k == 2};
                phx_plate_resultants(model, e, u, lambda, N, M, q);
                /* w'' = 0 = div q + p with p = -1: q flows out, M_xx = D w_xx > 0 in a hollow */
                if (corner[k] == node)
                    CHECK_RELATIVE(M[0], moment, 1e-2, "%s: moment in the middle", theory_name[t]);
                if (corner[k] == edge)
                    CHECK_RELATIVE(q[0], -shear, 3e-2, "%s: shear force at the edge", theory_name[t]);
            }
        }
        free(u);
        free_set_release(&set);
        phx_elastic_destroy(model);
    }
}

/* ---- sections ---- */
static const phx_plate_layer graphite = {
    .young = {138e9, 9e9}, .poisson = 0.3, .shear = {7.1e9, 7.1e9, 4e9}, .density = 1600.0, .thickness = 1e-3};

static void laminate(int n, const double *degrees, phx_plate_layer *layers)
{
    for (int k = 0; k < n; k++) {
        layers[k] = graphite;
        layers[k].angle = degrees[k] * TEST_PI / 180.0;
    }
}

/* [0/90]s: A11 = h (Q11 + Q22)/2, D11 = h^3/12 (7 Q11 + Q22)/8, D22 with Q11 and Q22 exchanged. */
static void test_cross_ply(void **state)
{
    phx_context *context = *state;
    const double degrees[4] = {0.0, 90.0, 90.0, 0.0}, h = 4e-3, f = 1.0 / (1.0 - 0.3 * 0.3 * 9.0 / 138.0);
    const double Q11 = f * 138e9, Q22 = f * 9e9, Q12 = 0.3 * Q22, I = h * h * h / 12.0;
    const double A[9] = {h * (Q11 + Q22) / 2.0, h * Q12, 0.0, h * Q12, h * (Q11 + Q22) / 2.0, 0.0, 0.0, 0.0, h * 7.1e9};
    const double D[9] = {
        I * (7.0 * Q11 + Q22) / 8.0, I * Q12, 0.0, I * Q12, I * (Q11 + 7.0 * Q22) / 8.0, 0.0, 0.0, 0.0, I * 7.1e9};
    phx_plate_layer layers[4];
    phx_plate_section section;

    laminate(4, degrees, layers);
    CHECK_OK(context, phx_laminate_section(context, 4, layers, 5.0 / 6.0, &section));
    for (int k = 0; k < 9; k++) {
        CHECK_CLOSE(section.membrane[k], A[k], 1e-12 * A[0], "A, entry %d", k);
        CHECK_CLOSE(section.bending[k], D[k], 1e-12 * D[0], "D, entry %d", k);
    }
    CHECK_RELATIVE(section.mass, 1600.0 * h, 1e-14, "mass");
    CHECK_RELATIVE(section.rotary, 1600.0 * I, 1e-13, "rotary inertia");
    for (int k = 0; k < 4; k++) /* half of the layers each way */
        CHECK_CLOSE(section.shear[k], k % 3 ? 0.0 : 5.0 / 6.0 * h * (7.1e9 + 4e9) / 2.0, 1e-5, "shear, entry %d", k);
}

/* [0/45/-45/90]s: quasi-isotropic, A11 = h U1, A66 = (A11 - A12)/2, with the invariant U1 of the layer. */
static void test_quasi_isotropic(void **state)
{
    phx_context *context = *state;
    const double degrees[8] = {0.0, 45.0, -45.0, 90.0, 90.0, -45.0, 45.0, 0.0}, h = 8e-3;
    const double f = 1.0 / (1.0 - 0.3 * 0.3 * 9.0 / 138.0), Q11 = f * 138e9, Q22 = f * 9e9, Q12 = 0.3 * Q22;
    const double U1 = (3.0 * Q11 + 3.0 * Q22 + 2.0 * Q12 + 4.0 * 7.1e9) / 8.0;
    const double U4 = (Q11 + Q22 + 6.0 * Q12 - 4.0 * 7.1e9) / 8.0;
    const double A[9] = {U1, U4, 0.0, U4, U1, 0.0, 0.0, 0.0, (U1 - U4) / 2.0};
    phx_plate_layer layers[8];
    phx_plate_section section;

    laminate(8, degrees, layers);
    CHECK_OK(context, phx_laminate_section(context, 8, layers, 5.0 / 6.0, &section));
    for (int k = 0; k < 9; k++)
        CHECK_CLOSE(section.membrane[k], h * A[k], 1e-12 * h * U1, "A, entry %d", k);
    assert_true(fabs(section.bending[2]) > 1e-3 * section.bending[0]); /* D16 of a laminate with layers at 45 degrees */
}

/* One isotropic layer, turned by any angle, is the isotropic section. */
static void test_isotropic_layer(void **state)
{
    phx_context *context = *state;
    const double E = 70e9, nu = 0.33, G = E / (2.0 * (1.0 + nu));
    const phx_plate_layer layer = {
        .young = {E, E}, .poisson = nu, .shear = {G, G, G}, .density = 2700.0, .thickness = 0.02, .angle = 0.7};
    phx_plate_section got, want;

    CHECK_OK(context, phx_laminate_section(context, 1, &layer, 0.8, &got));
    phx_isotropic_section(E, nu, 2700.0, 0.02, 0.8, &want);
    for (int k = 0; k < 9; k++) {
        CHECK_CLOSE(got.membrane[k], want.membrane[k], 1e-13 * want.membrane[0], "membrane");
        CHECK_CLOSE(got.bending[k], want.bending[k], 1e-13 * want.bending[0], "bending");
    }
    for (int k = 0; k < 4; k++)
        CHECK_CLOSE(got.shear[k], want.shear[k], 1e-13 * want.shear[0], "shear");
    CHECK_RELATIVE(got.mass, want.mass, 1e-14, "mass");
    CHECK_RELATIVE(got.rotary, want.rotary, 1e-13, "rotary");
}

static void test_laminate_refuses(void **state)
{
    phx_context *context = *state;
    const double degrees[2] = {0.0, 90.0};
    phx_plate_layer layers[2];
    phx_plate_section section;

    laminate(2, degrees, layers);
    CHECK_STATUS(context, phx_laminate_section(context, 2, layers, 5.0 / 6.0, &section), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "not symmetric about the middle");
    layers[1].angle = 0.0;
    layers[1].density = 2000.0;
    CHECK_STATUS(context, phx_laminate_section(context, 2, layers, 5.0 / 6.0, &section), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "centre of mass");
    layers[1].poisson = 5.0;
    CHECK_STATUS(context, phx_laminate_section(context, 2, layers, 5.0 / 6.0, &section), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "layer 2: nu12");
    layers[0].young[1] = NAN;
    CHECK_STATUS(context, phx_laminate_section(context, 2, layers, 5.0 / 6.0, &section), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "layer 1: E2");
    CHECK_STATUS(context, phx_laminate_section(context, 0, layers, 5.0 / 6.0, &section), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_laminate_section(context, 2, layers, 0.0, &section), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_laminate_section(context, 2, NULL, 1.0, &section), PHX_ERR_ARGUMENT);
}

/* ---- what is refused ---- */
/* Two triangles on the unit square, to be made invalid. */
static phx_mesh two_triangles(phx_context *context)
{
    const phx_rectangle_mesh rectangle = {.size = {1.0, 1.0}, .elements = {1, 1}, .grading = {1.0, 1.0}};
    phx_mesh mesh;
    CHECK_OK(context, phx_mesh_rectangle(context, &rectangle, &mesh));
    return mesh;
}

static void refused(phx_context *context, phx_mesh *mesh, const phx_plate_def *def, const char *message)
{
    phx_elastic_model *model;
    CHECK_STATUS(context, phx_plate_create(context, mesh, def, &model), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, message);
    assert_null(model);
    assert_int_equal(mesh->n_nodes, 4); /* not taken */
}

static void test_bad_definitions(void **state)
{
    phx_context *context = *state;
    phx_plate_region region;
    phx_plate_def def = {.order = 3, .membrane = true, .n_regions = 1, .regions = &region};
    phx_mesh mesh = two_triangles(context);
    phx_elastic_model *model;

    region.group = NULL;
    phx_isotropic_section(70e9, 0.3, 2700.0, 0.01, 5.0 / 6.0, &region.section);
    refused(context, &mesh, &def, "must be between 0 and 2");
    def.theory = PHX_PLATE_MINDLIN;
    def.order = 0;
    refused(context, &mesh, &def, "must be between 1 and 2");
    def.order = 1;
    region.section.shear[0] = -1.0;
    refused(context, &mesh, &def, "region 1: the shear stiffness is not positive definite");
    region.section.bending[1] *= 2.0;
    refused(context, &mesh, &def, "the bending stiffness must be finite and symmetric");
    region.section.bending[0] = NAN;
    refused(context, &mesh, &def, "the bending stiffness must be finite and symmetric");
    region.section.mass = 0.0;
    refused(context, &mesh, &def, "the mass is 0 kg/m^2");
    phx_isotropic_section(70e9, 0.3, 2700.0, 0.01, 5.0 / 6.0, &region.section);
    region.group = "nowhere";
    refused(context, &mesh, &def, "no group 'nowhere' of triangles");
    region.group = "x0";
    refused(context, &mesh, &def, "no group 'x0' of triangles");
    def.n_regions = 0;
    refused(context, &mesh, &def, "one region at least");
    CHECK_STATUS(context, phx_plate_create(context, NULL, &def, &model), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_plate_create(context, &mesh, NULL, &model), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_plate_create(context, &mesh, &def, NULL), PHX_ERR_ARGUMENT);
    phx_mesh_free(&mesh);
}

static int first_triangle(const phx_mesh *mesh)
{
    for (int cell = 0; cell < mesh->n_cells; cell++)
        if (mesh->type[cell] == PHX_CELL_TRI3)
            return cell;
    return -1;
}

static void test_bad_meshes(void **state)
{
    phx_context *context = *state;
    phx_plate_region region = {.group = NULL};
    const phx_plate_def def = {.order = 1, .n_regions = 1, .regions = &region};
    phx_mesh mesh = two_triangles(context);
    double *x = mesh.x;

    phx_isotropic_section(70e9, 0.3, 2700.0, 0.01, 5.0 / 6.0, &region.section);
    x[2] = 0.1;
    refused(context, &mesh, &def, "does not lie in a plane");
    x[2] = 0.0;
    int *node = mesh.node + mesh.first[first_triangle(&mesh)];
    const double corner[2] = {x[3 * node[0]], x[3 * node[0] + 1]};
    x[3 * node[0]] = x[3 * node[1]]; /* two corners at one place */
    x[3 * node[0] + 1] = x[3 * node[1] + 1];
    refused(context, &mesh, &def, "is flat");
    x[3 * node[0]] = corner[0];
    x[3 * node[0] + 1] = corner[1];
    const int kept[3] = {node[0], node[1], node[2]};
    memcpy(node, node + (mesh.first[first_triangle(&mesh) + 1] - mesh.first[first_triangle(&mesh)]), 3 * sizeof *node);
    refused(context, &mesh, &def, "lie on the same side of the edge");
    memcpy(node, kept, sizeof kept);
    phx_mesh_free(&mesh);
    phx_elastic_model *model;
    CHECK_STATUS(context, phx_plate_create(context, &mesh, &def, &model), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "no triangles");
}

static void test_bad_loads(void **state)
{
    phx_context *context = *state;
    const plate_case def = irregular_plate(PHX_PLATE_KIRCHHOFF, 1);
    phx_elastic_model *model = make_plate(context, &def);
    double *f = calloc((size_t)model->n, sizeof *f);
    const double traction[3] = {0.0};

    assert_non_null(f);
    CHECK_STATUS(context, phx_elastic_traction(context, model, "nowhere", traction, 1.0, f), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "no group 'nowhere' of triangles or edges");
    CHECK_STATUS(context, phx_elastic_traction(context, model, "x0y0", traction, 1.0, f), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_elastic_load(context, model, NULL, NULL, f), PHX_ERR_ARGUMENT);
    free(f);
    phx_elastic_destroy(model);
}

/* Every allocation fails once. */
static void test_memory(void **state)
{
    phx_context *context = *state;
    phx_plate_region region = {.group = NULL};
    const phx_plate_def def = {
        .theory = PHX_PLATE_MINDLIN, .order = 2, .membrane = true, .n_regions = 1, .regions = &region};
    phx_mesh mesh = two_triangles(context);
    phx_elastic_model *model = NULL;
    phx_status status = PHX_ERR_MEMORY;
    int count, *unknown;
    double *sign;

    phx_isotropic_section(70e9, 0.3, 2700.0, 0.01, 5.0 / 6.0, &region.section);
    for (long n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_context_fail_allocation(context, n);
        status = phx_plate_create(context, &mesh, &def, &model);
        phx_context_fail_allocation(context, -1);
        assert_true(n < 1000);
    }
    CHECK_OK(context, status);
    status = PHX_ERR_MEMORY;
    for (long n = 0; status == PHX_ERR_MEMORY; n++) {
        phx_context_fail_allocation(context, n);
        status = phx_plate_edge_unknowns(context, model, "x0", PHX_TRACE_SLOPES, &count, &unknown, &sign);
        phx_context_fail_allocation(context, -1);
    }
    CHECK_OK(context, status);
    phx_free(unknown);
    phx_free(sign);
    phx_elastic_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_lagrange),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_nedelec_edges),
        cmocka_unit_test_setup_teardown(test_bending_patch, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cubic, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_membrane_patch, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rigid_motions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_regions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_edges, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_lines_inside, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_line_off_edges, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_pressure, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_cross_ply, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_quasi_isotropic, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_isotropic_layer, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_laminate_refuses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_definitions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_meshes, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bad_loads, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
