/* Solids: shape functions, rules, K of classical elements, rigid motions, patch tests, masses. */
#include <complex.h>

#include "continuum/solid/shape.h"
#include "continuum/source.h"
#include "solids.h"

static const double size[3] = {1.0, 0.6, 0.4};

/* ---- shape functions and rules ---- */
static void test_shape_functions(void **state)
{
    (void)state;
    for (int type = 0; type < PHX_CELL_TYPES; type++) {
        const phx_cell_info *info = phx_cell_info_of((phx_cell_type)type);
        double N[20], dN[60], xi[3], inside[3] = {0.21, 0.17, 0.33};
        for (int a = 0; a < info->nodes; a++) {
            phx_cell_node_place((phx_cell_type)type, a, xi);
            phx_cell_shape((phx_cell_type)type, xi, N, NULL);
            for (int b = 0; b < info->nodes; b++)
                CHECK_CLOSE(N[b], a == b ? 1.0 : 0.0, 1e-15, "%s: function %d at node %d", info->name, b, a);
        }
        phx_cell_shape((phx_cell_type)type, inside, N, dN);
        for (int c = 0; c < info->dimension; c++) {
            /* the differences of polynomials of degree 4 at four places are exact but for rounding */
            const double h = 0.01, weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
            double slope[20] = {0}, sum = 0.0;
            for (int k = 0; k < 4; k++) {
                double moved[20];
                memcpy(xi, inside, sizeof xi);
                xi[c] += h * (k < 2 ? k - 2 : k - 1);
                phx_cell_shape((phx_cell_type)type, xi, moved, NULL);
                for (int a = 0; a < info->nodes; a++)
                    slope[a] += weight[k] * moved[a] / h;
            }
            for (int a = 0; a < info->nodes; a++) {
                sum += dN[info->dimension * a + c];
                CHECK_CLOSE(dN[info->dimension * a + c], slope[a], 1e-13, "%s: dN_%d/dxi_%d", info->name, a, c);
            }
            CHECK_SMALL(sum, 1e-14, "%s: the functions have the sum 1", info->name);
        }
    }
}

/* A point inside each curved cell is found in it, with the values of its functions there; none is found outside. */
static void test_places_are_located(void **state)
{
    for (int t = 0; t < SOLID_TYPES; t++) {
        phx_mesh mesh = box_mesh(*state, size, 3, 2, 2, solid_types[t].cell, BOX_CURVED);
        const double off[3] = {1.2, 0.3, 0.2}, inside[3] = {0.15, 0.2, 0.3};
        double N[20], weight[20];
        for (int c = 0; c < mesh.n_cells; c++) {
            const phx_cell_info *info = phx_cell_info_of(mesh.type[c]);
            double x[3] = {0};
            if (info->dimension != 3)
                continue;
            phx_cell_shape(mesh.type[c], inside, N, NULL);
            for (int a = 0; a < info->nodes; a++)
                for (int i = 0; i < 3; i++)
                    x[i] += N[a] * mesh.x[3 * mesh.node[mesh.first[c] + a] + i];
            assert_int_equal(continuum_cell_at(*state, &mesh, 3, x, weight), c);
            for (int a = 0; a < info->nodes; a++)
                CHECK_CLOSE(weight[a], N[a], 1e-12, "%s: cell %d, node %d", solid_types[t].name, c, a);
        }
        assert_int_equal(continuum_cell_at(*state, &mesh, 3, off, weight), -1);
        phx_mesh_free(&mesh);
    }
}

/* Integral of r^i s^j t^k over a simplex: i! j! k! / (i + j + k + dimension)! */
static double simplex_integral(int dimension, int i, int j, int k)
{
    return exp(lgamma(i + 1.0) + lgamma(j + 1.0) + lgamma(k + 1.0) - lgamma(i + j + k + dimension + 1.0));
}

static void check_monomial(phx_cell_type type, const phx_rule *rule, int i, int j, int k, double exact)
{
    double sum = 0.0;

    for (int g = 0; g < rule->n; g++)
        sum += rule->w[g] * pow(rule->xi[g][0], i) * pow(rule->xi[g][1], j) * pow(rule->xi[g][2], k);
    CHECK_CLOSE(sum, exact, 1e-14, "%s: integral of r^%d s^%d t^%d", phx_cell_info_of(type)->name, i, j, k);
}

static void test_rules(void **state)
{
    (void)state;
    for (int degree = 0; degree <= 5; degree++)
        for (int i = 0; i <= degree; i++)
            for (int j = 0; i + j <= degree; j++) {
                phx_rule triangle = {0}, tetrahedron, wedge;
                phx_cell_rule(PHX_CELL_TRI6, degree, 0, &triangle);
                check_monomial(PHX_CELL_TRI6, &triangle, i, j, 0, simplex_integral(2, i, j, 0));
                phx_cell_rule(PHX_CELL_WEDGE6, degree, 4, &wedge);
                check_monomial(PHX_CELL_WEDGE6, &wedge, i, j, 4, simplex_integral(2, i, j, 0) * 2.0 / 5.0);
                phx_cell_rule(PHX_CELL_TET10, degree, 0, &tetrahedron);
                for (int k = 0; i + j + k <= degree; k++)
                    check_monomial(PHX_CELL_TET10, &tetrahedron, i, j, k, simplex_integral(3, i, j, k));
            }
    for (int degree = 0; degree <= 7; degree++) {
        phx_rule rule;
        phx_cell_rule(PHX_CELL_HEX20, 0, degree, &rule);
        assert_int_equal(rule.n, (degree / 2 + 1) * (degree / 2 + 1) * (degree / 2 + 1));
        const int even = degree - degree % 2;
        check_monomial(PHX_CELL_HEX20, &rule, even, 0, even, 8.0 / (even + 1.0) / (even + 1.0));
        check_monomial(PHX_CELL_HEX20, &rule, 0, even, degree, degree % 2 ? 0.0 : 8.0 / (even + 1.0) / (even + 1.0));
    }
}

/* ---- K as in the textbooks, by shape functions written out and derivatives by a complex step ---- */
static const double corner_of_hex[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                           {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const double middle_of_hex[12][3] = {{0, -1, -1}, {1, 0, -1}, {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
                                            {0, 1, 1},   {-1, 0, 1}, {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},  {-1, 1, 0}};
static const int edge_of_tet[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int edge_of_triangle[3][2] = {{0, 1}, {1, 2}, {2, 0}};

static void hex_functions(bool quadratic, const double complex *x, double complex *N)
{
    for (int a = 0; a < 8; a++) {
        const double *p = corner_of_hex[a];
        const double complex sum = x[0] * p[0] + x[1] * p[1] + x[2] * p[2];
        N[a] = (1.0 + x[0] * p[0]) * (1.0 + x[1] * p[1]) * (1.0 + x[2] * p[2]) / 8.0 * (quadratic ? sum - 2.0 : 1.0);
    }
    for (int m = 0; m < 12 && quadratic; m++) {
        const double *p = middle_of_hex[m];
        N[8 + m] = 0.25;
        for (int k = 0; k < 3; k++)
            N[8 + m] *= p[k] == 0.0 ? 1.0 - x[k] * x[k] : 1.0 + x[k] * p[k];
    }
}

static void tet_functions(bool quadratic, const double complex *x, double complex *N)
{
    const double complex L[4] = {1.0 - x[0] - x[1] - x[2], x[0], x[1], x[2]};

    for (int a = 0; a < 4; a++)
        N[a] = quadratic ? L[a] * (2.0 * L[a] - 1.0) : L[a];
    for (int m = 0; m < 6 && quadratic; m++)
        N[4 + m] = 4.0 * L[edge_of_tet[m][0]] * L[edge_of_tet[m][1]];
}

static void wedge_functions(bool quadratic, const double complex *x, double complex *N)
{
    const double complex L[3] = {1.0 - x[0] - x[1], x[0], x[1]}, z = x[2];

    for (int level = 0; level < 2; level++) {
        const double complex half = 0.5 * (1.0 + (2 * level - 1) * z);
        for (int a = 0; a < 3; a++) {
            N[3 * level + a] = L[a] * half;
            if (!quadratic)
                continue;
            N[3 * level + a] = L[a] * (2.0 * L[a] - 1.0) * half - 0.5 * L[a] * (1.0 - z * z);
            N[6 + 3 * level + a] = 4.0 * L[edge_of_triangle[a][0]] * L[edge_of_triangle[a][1]] * half;
            N[12 + a] = L[a] * (1.0 - z * z);
        }
    }
}

static void functions(phx_cell_type type, const double complex *x, double complex *N)
{
    const bool quadratic = phx_cell_info_of(type)->order == 2;

    if (type == PHX_CELL_HEX8 || type == PHX_CELL_HEX20)
        hex_functions(quadratic, x, N);
    else if (type == PHX_CELL_TET4 || type == PHX_CELL_TET10)
        tet_functions(quadratic, x, N);
    else
        wedge_functions(quadratic, x, N);
}

/* Points and weights of the elements' rules; their number. */
static int classical_rule(const solid_type *type, double point[27][3], double *weight)
{
    const double g = sqrt(1.0 / 3.0), h = sqrt(0.6), a = (5.0 - sqrt(5.0)) / 20.0;
    const double two[2] = {-g, g}, three[3] = {-h, 0.0, h}, of_three[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    int n = 0;

    switch (type->cell) {
    case PHX_CELL_TET4:
        point[0][0] = point[0][1] = point[0][2] = 0.25;
        weight[0] = 1.0 / 6.0;
        return 1;
    case PHX_CELL_TET10:
        for (; n < 4; n++) {
            for (int k = 0; k < 3; k++)
                point[n][k] = k == n ? 1.0 - 3.0 * a : a;
            weight[n] = 1.0 / 24.0;
        }
        return n;
    case PHX_CELL_WEDGE6:
        for (; n < 2; n++) {
            point[n][0] = point[n][1] = 1.0 / 3.0;
            point[n][2] = two[n];
            weight[n] = 0.5;
        }
        return n;
    case PHX_CELL_WEDGE15:
        for (; n < 9; n++) {
            point[n][0] = n % 3 == 0 ? 2.0 / 3.0 : 1.0 / 6.0;
            point[n][1] = n % 3 == 1 ? 2.0 / 3.0 : 1.0 / 6.0;
            point[n][2] = three[n / 3];
            weight[n] = of_three[n / 3] / 6.0;
        }
        return n;
    default:
        break;
    }
    if (type->cell == PHX_CELL_HEX20 && type->rule == PHX_SOLID_FULL) {
        for (; n < 27; n++) {
            const int i[3] = {n % 3, n / 3 % 3, n / 9};
            weight[n] = of_three[i[0]] * of_three[i[1]] * of_three[i[2]];
            for (int k = 0; k < 3; k++)
                point[n][k] = three[i[k]];
        }
        return n;
    }
    for (; n < 8; n++) {
        weight[n] = 1.0;
        for (int k = 0; k < 3; k++)
            point[n][k] = two[n >> k & 1];
    }
    return n;
}

/* B (6 x 3 nodes) and the determinant at a point. */
static double classical_strains(phx_cell_type type, const double *x, const double *xi, double *B)
{
    const int nodes = phx_cell_info_of(type)->nodes, n = 3 * nodes;
    const double step = 1e-30;
    double slope[3][20], J[9] = {0}, inverse[9];

    for (int c = 0; c < 3; c++) {
        double complex moved[3] = {xi[0], xi[1], xi[2]}, N[20];
        moved[c] += step * I;
        functions(type, moved, N);
        for (int a = 0; a < nodes; a++) {
            slope[c][a] = cimag(N[a]) / step;
            for (int k = 0; k < 3; k++)
                J[3 * c + k] += slope[c][a] * x[3 * a + k];
        }
    }
    memcpy(inverse, J, sizeof J);
    assert_int_equal(phx_dense_inverse(NULL, 3, inverse), PHX_OK);
    memset(B, 0, 6 * (size_t)n * sizeof *B);
    for (int a = 0; a < nodes; a++) {
        double g[3] = {0};
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                g[k] += inverse[3 * k + c] * slope[c][a];
        for (int k = 0; k < 3; k++)
            B[k * n + 3 * a + k] = g[k];
        for (int shear = 0; shear < 3; shear++) { /* xy yz zx */
            B[(3 + shear) * n + 3 * a + shear] = g[(shear + 1) % 3];
            B[(3 + shear) * n + 3 * a + (shear + 1) % 3] = g[shear];
        }
    }
    return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
}

/* B + m (mean(m^T B) - m^T B)/3 at all points. */
static void dilate_by_mean(int points, int n, const double *w, double *B)
{
    double volume = 0.0;
    double *mean = calloc((size_t)n, sizeof *mean);

    assert_non_null(mean);
    for (int g = 0; g < points; g++)
        volume += w[g];
    for (int pass = 0; pass < 2; pass++)
        for (int g = 0; g < points; g++)
            for (int j = 0; j < n; j++) {
                double *column = B + 6 * n * g + j;
                const double trace = column[0] + column[n] + column[2 * n];
                if (pass == 0)
                    mean[j] += w[g] * trace / volume;
                for (int k = 0; k < 3 && pass == 1; k++)
                    column[k * n] += (mean[j] - trace) / 3.0;
            }
    free(mean);
}

static void add_classical(const solid_type *type, const phx_elastic_model *model, int e, const double *C, double *K)
{
    const int nodes = phx_cell_info_of(type->cell)->nodes, n = 3 * nodes;
    const int *unknown = model->unknown + model->first_unknown[e];
    double point[27][3], weight[27], x[60];
    const int points = classical_rule(type, point, weight);
    double *B = calloc((size_t)(points * 6 * n), sizeof *B), *CB = calloc((size_t)(6 * n), sizeof *CB);
    double *Ke = calloc((size_t)(n * n), sizeof *Ke);

    assert_true(B && CB && Ke);
    for (int a = 0; a < nodes; a++)
        memcpy(x + 3 * a, model->x + 3 * model->node[unknown[3 * a]], 3 * sizeof *x);
    for (int g = 0; g < points; g++)
        weight[g] *= classical_strains(type->cell, x, point[g], B + 6 * n * g);
    if (type->cell == PHX_CELL_HEX8 && type->rule == PHX_SOLID_FULL)
        dilate_by_mean(points, n, weight, B);
    for (int g = 0; g < points; g++) {
        phx_dense_multiply(false, false, 6, n, 6, weight[g], C, 6, B + 6 * n * g, n, 0.0, CB, n);
        phx_dense_multiply(true, false, n, n, 6, 1.0, B + 6 * n * g, n, CB, n, 1.0, Ke, n);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[unknown[i] * model->n + unknown[j]] += Ke[i * n + j];
    free(B);
    free(CB);
    free(Ke);
}

static void test_stiffness_is_classical(void **state)
{
    phx_context *context = *state;
    const phx_solid_material material = anisotropic();

    for (int t = 0; t < SOLID_TYPES; t++)
        for (int shape = BOX_REGULAR; shape <= BOX_CURVED; shape++) {
            phx_mesh mesh = box_mesh(context, size, 2, 1, 2, solid_types[t].cell, (box_shape)shape);
            phx_elastic_model *model = solid_model(context, &mesh, &material, solid_types[t].rule, false);
            const size_t entries = (size_t)model->n * (size_t)model->n;
            double *K = calloc(entries, sizeof *K), *want = calloc(entries, sizeof *want), worst = 0.0;
            assert_true(K && want);
            for (int e = 0; e < model->n_elements; e++)
                add_classical(&solid_types[t], model, e, material.stiffness, want);
            phx_csr_to_dense(&model->K, K);
            for (size_t k = 0; k < entries; k++)
                worst = fmax(worst, fabs(K[k] - want[k]));
            CHECK_BELOW(worst / max_abs((int)entries, want), 1e-13, "K of %s, shape %d", solid_types[t].name, shape);
            free(K);
            free(want);
            check_mixed_form(context, model, 1e-12);
            check_rigid_motions(context, model, 1e-13);
            phx_elastic_destroy(model);
        }
}

/* ---- patch test: K u of a linear displacement is the load of its constant stress on the faces ---- */
static void test_patch(void **state)
{
    phx_context *context = *state;
    const double A[9] = {1e-3, 4e-4, -2e-4, -7e-4, 5e-4, 3e-4, 6e-4, 8e-4, -9e-4};
    const double strain[6] = {A[0], A[4], A[8], A[1] + A[3], A[5] + A[7], A[2] + A[6]};
    const char *const faces[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};
    const phx_solid_material material = anisotropic();
    double s[6];

    phx_dense_multiply(false, false, 6, 1, 6, 1.0, material.stiffness, 6, strain, 1, 0.0, s, 1);
    const double tensor[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
    for (int t = 0; t < SOLID_TYPES; t++) {
        phx_mesh mesh = box_mesh(context, size, 3, 2, 2, solid_types[t].cell, BOX_DISTORTED);
        phx_elastic_model *model = solid_model(context, &mesh, &material, solid_types[t].rule, false);
        double *u = calloc((size_t)model->n, sizeof *u), *force = calloc((size_t)model->n, sizeof *force);
        double *nodal = calloc(6 * (size_t)model->n_nodes, sizeof *nodal);
        assert_true(u && force && nodal);
        linear_displacement(model, A, u);
        for (int e = 0; e < model->n_elements; e++) {
            double stress[6 * 27], x[3 * 27];
            phx_solid_stress(model, e, u, x, stress);
            for (int g = 0; g < phx_solid_points(model, e); g++)
                CHECK_VECTOR(6, stress + 6 * g, s, 1e-12, "%s: stress in element %d", solid_types[t].name, e);
        }
        CHECK_OK(context, phx_solid_nodal_stress(context, model, u, NULL, nodal));
        for (int i = 0; i < model->n_nodes; i++)
            CHECK_VECTOR(6, nodal + 6 * i, s, 1e-11, "%s: stress at node %d", solid_types[t].name, i);
        for (int f = 0; f < 6; f++) {
            double traction[3];
            for (int k = 0; k < 3; k++)
                traction[k] = (f % 2 ? 1.0 : -1.0) * tensor[3 * k + f / 2];
            CHECK_OK(context, phx_elastic_traction(context, model, faces[f], traction, 0.0, force));
        }
        const double largest = max_abs(model->n, force);
        phx_csr_apply(&model->K, -1.0, u, force);
        CHECK_BELOW(max_abs(model->n, force) / largest, 1e-12, "%s: K u against the tractions", solid_types[t].name);
        free(u);
        free(force);
        free(nodal);
        phx_elastic_destroy(model);
    }
}

/* ---- masses ---- */
static void test_masses(void **state)
{
    phx_context *context = *state;
    const phx_solid_material material = steel();
    const double mass = material.density * size[0] * size[1] * size[2];
    double centre[3], inertia[9] = {0};

    for (int k = 0; k < 3; k++) {
        const double a = size[(k + 1) % 3], b = size[(k + 2) % 3];
        centre[k] = 0.5 * size[k];
        inertia[4 * k] = mass * (a * a + b * b) / 12.0;
    }
    for (int t = 0; t < SOLID_TYPES; t++)
        for (int lumped = 0; lumped < 2; lumped++) {
            phx_mesh mesh = box_mesh(context, size, 3, 2, 2, solid_types[t].cell, BOX_DISTORTED);
            phx_elastic_model *model = solid_model(context, &mesh, &material, solid_types[t].rule, lumped);
            phx_elastic_summary summary;
            CHECK_OK(context, phx_elastic_summarise(context, model, &summary));
            CHECK_RELATIVE(summary.mass, mass, 1e-13, "mass of %s, lumped %d", solid_types[t].name, lumped);
            for (int k = 0; k < 6; k++)
                CHECK_BELOW(summary.rigid_force[k], 1e-13, "K r, %s, motion %d", solid_types[t].name, k);
            CHECK_BELOW(summary.asymmetry[0] + summary.asymmetry[1], 1e-14, "symmetry of %s", solid_types[t].name);
            if (lumped) {
                assert_int_equal(model->M.ptr[model->n], model->n);
                for (int i = 0; i < model->n; i++)
                    assert_true(model->M.val[i] > 0.0);
            } else {
                CHECK_VECTOR(3, summary.centre, centre, 1e-13, "centre of %s", solid_types[t].name);
                for (int k = 0; k < 9; k++)
                    CHECK_CLOSE(summary.inertia[k], inertia[k], 1e-12 * mass, "inertia %d of %s", k,
                                solid_types[t].name);
            }
            phx_elastic_destroy(model);
        }
}

/* ---- regions and errors ---- */
static phx_status create(phx_context *context, phx_mesh *mesh, int n, const phx_solid_region *regions)
{
    phx_elastic_model *model = NULL;
    const int nodes = mesh->n_nodes;
    const phx_status status = phx_solid_create(context, mesh, n, regions, &model);

    assert_true((model != NULL) == (status == PHX_OK));
    assert_int_equal(mesh->n_nodes, status ? nodes : 0);
    phx_elastic_destroy(model);
    return status;
}

static void test_errors(void **state)
{
    phx_context *context = *state;
    const int half[] = {0, 1}, rest[] = {2, 3}, most[] = {1, 2, 3};
    phx_mesh mesh = box_mesh(context, size, 4, 1, 1, PHX_CELL_HEX8, BOX_REGULAR);
    phx_solid_region regions[2] = {{.group = "half", .material = steel()}, {.group = "rest", .material = steel()}};

    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "half", 3, 2, half));
    CHECK_STATUS(context, create(context, &mesh, 2, regions), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "no group of solid cells named 'rest'");
    CHECK_STATUS(context, create(context, &mesh, 0, regions), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, create(context, &mesh, 1, regions), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "cell 3 (hex8) is in no region");
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "most", 3, 3, most));
    regions[1].group = "most";
    CHECK_STATUS(context, create(context, &mesh, 2, regions), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "cell 2 is in two regions");
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "rest", 3, 2, rest));
    regions[1].group = "rest";
    regions[1].material.stiffness[1] *= 1.1;
    CHECK_STATUS(context, create(context, &mesh, 2, regions), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "not symmetric");
    phx_isotropic_material(210e9, 0.5, 7800.0, &regions[1].material);
    CHECK_STATUS(context, create(context, &mesh, 2, regions), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "not positive definite");
    phx_isotropic_material(210e9, -1.2, 7800.0, &regions[1].material);
    CHECK_STATUS(context, create(context, &mesh, 2, regions), PHX_ERR_ARGUMENT);
    regions[1].material = steel();
    regions[1].material.density = NAN;
    CHECK_STATUS(context, create(context, &mesh, 2, regions), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "density");
    regions[1].material.density = 1.0;
    const int *node = mesh.node + mesh.first[1];
    mesh.x[3 * node[0]] += 0.8; /* far past node[1] */
    CHECK_STATUS(context, create(context, &mesh, 2, regions), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "turned inside out");
    mesh.x[3 * node[0]] -= 0.8;
    CHECK_OK(context, create(context, &mesh, 2, regions));
}

/* The mass of two regions, and nodes that no solid cell has. */
static void test_regions(void **state)
{
    phx_context *context = *state;
    const int half[] = {0, 1}, rest[] = {2, 3};
    phx_mesh mesh = box_mesh(context, size, 4, 1, 1, PHX_CELL_HEX20, BOX_REGULAR);
    phx_solid_region regions[2] = {{.group = "half", .material = steel()}, {.group = "rest", .material = steel()}};
    phx_elastic_model *model;
    phx_elastic_summary summary;

    regions[1].material.density = 1000.0;
    regions[1].rule = PHX_SOLID_REDUCED;
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "half", 3, 2, half));
    CHECK_OK(context, phx_mesh_add_group(context, &mesh, "rest", 3, 2, rest));
    mesh.x = phx_realloc(context, mesh.x, 3 * ((size_t)mesh.n_nodes + 1), sizeof *mesh.x);
    memset(mesh.x + 3 * mesh.n_nodes, 0, 3 * sizeof *mesh.x);
    mesh.n_nodes++;
    CHECK_OK(context, phx_solid_create(context, &mesh, 2, regions, &model));
    assert_int_equal(model->n, 3 * (model->n_nodes - 1));
    assert_int_equal(phx_solid_points(model, 0), 27);
    assert_int_equal(phx_solid_points(model, 3), 8);
    CHECK_OK(context, phx_elastic_summarise(context, model, &summary));
    CHECK_RELATIVE(summary.mass, 0.5 * (7800.0 + 1000.0) * size[0] * size[1] * size[2], 1e-13, "mass");
    phx_elastic_destroy(model);
}

static void test_every_allocation_may_fail(void **state)
{
    phx_context *context = *state;
    const phx_solid_region region = {.material = steel()};
    phx_mesh mesh = box_mesh(context, size, 1, 1, 1, PHX_CELL_WEDGE15, BOX_REGULAR);
    phx_status status = PHX_ERR_MEMORY;
    long n = 0;

    for (; status == PHX_ERR_MEMORY && n < 200; n++) {
        phx_context_fail_allocation(context, n);
        status = create(context, &mesh, 1, &region);
    }
    phx_context_fail_allocation(context, -1);
    CHECK_OK(context, status);
    assert_in_range(n, 20, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shape_functions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_places_are_located, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rules, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_stiffness_is_classical, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_patch, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_masses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_errors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_regions, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
