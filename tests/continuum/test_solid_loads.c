/* Solids: tractions and pressures on faces, thermal expansion, stresses. */
#include "solids.h"

static const double size[3] = {1.0, 0.6, 0.4};
static const char *const faces[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};

/* Force and moment about the origin of nodal forces: rigid^T f. */
static void resultant(const phx_elastic_model *model, const double *force, double total[6])
{
    for (int k = 0; k < 6; k++)
        total[k] = dot_product(model->n, model->rigid + (size_t)k * (size_t)model->n, force);
}

static void test_pressure_all_around(void **state)
{
    phx_context *context = *state;
    const phx_solid_material material = steel();
    const double none[3] = {0};

    for (int t = 0; t < SOLID_TYPES; t++) {
        phx_mesh mesh = box_mesh(context, size, 3, 2, 2, solid_types[t].cell, BOX_CURVED);
        for (int i = 0; i < mesh.n_nodes; i++) { /* bulge the faces too */
            double *x = mesh.x + 3 * i;
            x[2] += 0.1 * sin(3.0 * x[0]) * cos(2.0 * x[1]);
            x[1] += 0.1 * x[0] * x[2];
        }
        phx_elastic_model *model = solid_model(context, &mesh, &material, solid_types[t].rule, false);
        double *force = calloc((size_t)model->n, sizeof *force), total[6];
        assert_non_null(force);
        for (int f = 0; f < 6; f++)
            CHECK_OK(context, phx_elastic_traction(context, model, faces[f], none, 1.0, force));
        resultant(model, force, total);
        for (int k = 0; k < 6; k++)
            CHECK_SMALL(total[k], 1e-14, "%s: resultant %d of a pressure all around", solid_types[t].name, k);
        /* its work in a uniform expansion is -p times three times the volume */
        const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        double *u = calloc((size_t)model->n, sizeof *u);
        phx_elastic_summary summary;
        assert_non_null(u);
        linear_displacement(model, unit, u);
        CHECK_OK(context, phx_elastic_summarise(context, model, &summary));
        CHECK_RELATIVE(dot_product(model->n, u, force), -3.0 * summary.mass / material.density, 1e-13,
                       "%s: work of the pressure", solid_types[t].name);
        free(u);
        free(force);
        phx_elastic_destroy(model);
    }
}

/* On plane faces: force p A, moment about the origin c x p A, whatever the sense of the faces' nodes. */
static void test_resultants_on_faces(void **state)
{
    phx_context *context = *state;
    const phx_solid_material material = steel();
    const double t0[3] = {3.0, -2.0, 5.0}, none[3] = {0}, p = 7.0;

    for (int t = 0; t < SOLID_TYPES; t++)
        for (int turned = 0; turned < 2; turned++) {
            phx_mesh mesh = box_mesh(context, size, 3, 2, 2, solid_types[t].cell, BOX_DISTORTED);
            for (int c = 0; c < mesh.n_cells && turned; c++) {
                const phx_cell_info *info = phx_cell_info_of(mesh.type[c]);
                int *node = mesh.node + mesh.first[c], old[8];
                if (info->dimension != 2)
                    continue;
                memcpy(old, node, (size_t)info->nodes * sizeof *old);
                for (int k = 0; k < info->corners; k++) {
                    node[k] = old[info->corners - 1 - k];
                    if (info->order == 2)
                        node[info->corners + k] = old[info->corners + (2 * info->corners - 2 - k) % info->corners];
                }
            }
            phx_elastic_model *model = solid_model(context, &mesh, &material, solid_types[t].rule, false);
            double *force = calloc((size_t)model->n, sizeof *force), total[6];
            assert_non_null(force);
            for (int f = 0; f < 6; f++) {
                const int axis = f / 2, i = (axis + 1) % 3, j = (axis + 2) % 3;
                const double area = size[i] * size[j];
                double centre[3], load[3], moment[3];
                for (int k = 0; k < 3; k++) {
                    centre[k] = k == axis ? (f % 2) * size[k] : 0.5 * size[k];
                    load[k] = area * (t0[k] - (k == axis ? (f % 2 ? p : -p) : 0.0));
                }
                phx_rot_x_vec(3, centre, load, moment);
                memset(force, 0, (size_t)model->n * sizeof *force);
                CHECK_OK(context, phx_elastic_traction(context, model, faces[f], t0, p, force));
                resultant(model, force, total);
                CHECK_VECTOR(3, total, load, 1e-13, "%s, face %s: force", solid_types[t].name, faces[f]);
                CHECK_VECTOR(3, total + 3, moment, 1e-13, "%s, face %s: moment", solid_types[t].name, faces[f]);
            }
            CHECK_STATUS(context, phx_elastic_traction(context, model, "x2", none, 1.0, force), PHX_ERR_ARGUMENT);
            CHECK_MESSAGE(context, "no group of faces named 'x2'");
            CHECK_STATUS(context, phx_elastic_traction(context, model, "all", none, 1.0, force), PHX_ERR_ARGUMENT);
            CHECK_STATUS(context, phx_elastic_traction(context, model, "x0", none, NAN, force), PHX_ERR_ARGUMENT);
            free(force);
            phx_elastic_destroy(model);
        }
}

/* Free, it expands without stress; held all around, the stress is -C eps. */
/* A pressure c + a . x on the face y1: its resultant by hand. */
static void linear_pressure(void *user, const double x[3], const double normal[3], double traction[3])
{
    const double *c = user, value = c[0] + c[1] * x[0] + c[2] * x[1] + c[3] * x[2];

    for (int a = 0; a < 3; a++)
        traction[a] = -value * normal[a];
}

static void test_a_load_that_varies(void **state)
{
    phx_context *context = *state;
    double c[4] = {2.0, 5.0, -3.0, 7.0}, total[6];
    const phx_box_mesh box = {.size = {size[0], size[1], size[2]}, .elements = {2, 1, 3}, .type = PHX_CELL_TET10};
    const phx_surface_load load = {.traction = linear_pressure, .user = c, .normal = true};
    phx_solid_region region = {.group = NULL};
    phx_elastic_model *model = NULL;
    phx_mesh mesh = {0};

    phx_isotropic_material(1.0, 0.3, 1.0, &region.material);
    CHECK_OK(context, phx_mesh_box(context, &box, &mesh));
    CHECK_OK(context, phx_solid_create(context, &mesh, 1, &region, &model));
    double *force = phx_calloc(context, (size_t)model->n, sizeof *force);
    CHECK_OK(context, phx_elastic_load(context, model, "y1", &load, force));
    resultant(model, force, total);
    const double area = size[0] * size[2], mean = c[0] + c[1] * size[0] / 2 + c[2] * size[1] + c[3] * size[2] / 2;
    /* means of x p and z p */
    const double px = mean * size[0] / 2 + c[1] * size[0] * size[0] / 12,
                 pz = mean * size[2] / 2 + c[3] * size[2] * size[2] / 12;
    const double exact[6] = {0.0, -mean * area, 0.0, pz * area, 0.0, -px * area};
    CHECK_VECTOR(6, total, exact, 1e-14, "resultant");
    phx_free(force);
    phx_elastic_destroy(model);
}

static double constant_rise(void *user, const double x[3])
{
    (void)x;
    return *(const double *)user;
}

static void test_thermal_expansion(void **state)
{
    phx_context *context = *state;
    phx_solid_material material = anisotropic();
    const double expansion[3] = {1.2e-5, 0.9e-5, 2e-5}, rise = 80.0;
    double part[2] = {0.25 * rise, 0.75 * rise};
    const phx_temperature first = {constant_rise, &part[0]}, second = {constant_rise, &part[1]};
    const double strain[6] = {rise * expansion[0], rise * expansion[1], rise * expansion[2]};
    const double free_expansion[9] = {strain[0], 0, 0, 0, strain[1], 0, 0, 0, strain[2]};
    double held[6];

    memcpy(material.expansion, expansion, sizeof expansion);
    phx_dense_multiply(false, false, 6, 1, 6, -1.0, material.stiffness, 6, strain, 1, 0.0, held, 1);
    for (int t = 0; t < SOLID_TYPES; t++) {
        phx_mesh mesh = box_mesh(context, size, 3, 2, 2, solid_types[t].cell, BOX_CURVED);
        phx_elastic_model *model = solid_model(context, &mesh, &material, solid_types[t].rule, false);
        const int stresses = model->first_stress[model->n_elements];
        double *force = calloc((size_t)model->n, sizeof *force), *u = calloc((size_t)model->n, sizeof *u);
        double *offset = calloc((size_t)stresses, sizeof *offset);
        double *nodal = calloc(6 * (size_t)model->n_nodes, sizeof *nodal);
        assert_true(force && u && offset && nodal);
        CHECK_OK(context, phx_elastic_expand(context, model, NULL, &first, force, offset));
        CHECK_OK(context, phx_elastic_expand(context, model, "all", &second, force, offset));
        CHECK_OK(context, phx_solid_nodal_stress(context, model, u, offset, nodal));
        CHECK_VECTOR(6, nodal + 6 * (model->n_nodes / 2), held, 1e-12, "%s: held", solid_types[t].name);
        /* K u = f has the free expansion as its solution up to a rigid motion */
        linear_displacement(model, free_expansion, u);
        for (int e = 0; e < model->n_elements; e++) {
            double stress[6 * 27];
            phx_solid_stress(model, e, u, NULL, stress);
            for (int k = 0; k < 6 * phx_solid_points(model, e); k++)
                CHECK_SMALL((stress[k] + offset[model->first_stress[e] + k]) / max_abs(6, held), 1e-13,
                            "%s: stress %d of element %d, free", solid_types[t].name, k, e);
        }
        const double largest = max_abs(model->n, force);
        phx_csr_apply(&model->K, -1.0, u, force);
        CHECK_BELOW(max_abs(model->n, force) / largest, 1e-12, "%s: f - K u", solid_types[t].name);
        CHECK_STATUS(context, phx_elastic_expand(context, model, "x0", &first, force, NULL), PHX_ERR_ARGUMENT);
        free(force);
        free(u);
        free(offset);
        free(nodal);
        phx_elastic_destroy(model);
    }
}

/* A linear field of stress, pure bending, comes out at the nodes as it is where the element has it. */
static void test_nodal_stress_of_bending(void **state)
{
    phx_context *context = *state;
    const phx_solid_material material = steel();
    const double E = 210e9, nu = 0.3, curvature = 1e-3;

    for (int t = 0; t < SOLID_TYPES; t++) {
        if (phx_cell_info_of(solid_types[t].cell)->order == 1)
            continue;
        phx_mesh mesh = box_mesh(context, size, 3, 2, 2, solid_types[t].cell, BOX_REGULAR);
        phx_elastic_model *model = solid_model(context, &mesh, &material, solid_types[t].rule, false);
        double *u = calloc((size_t)model->n, sizeof *u), *nodal = calloc(6 * (size_t)model->n_nodes, sizeof *nodal);
        assert_true(u && nodal);
        /* sigma_xx = E c z: u = c x z, v = -nu c y z, w = -c x^2/2 + nu c (y^2 - z^2)/2 */
        for (int i = 0; i < model->n; i += 3) {
            const double *x = model->x + 3 * model->node[i];
            u[i] = curvature * x[0] * x[2];
            u[i + 1] = -nu * curvature * x[1] * x[2];
            u[i + 2] = 0.5 * curvature * (-x[0] * x[0] + nu * (x[1] * x[1] - x[2] * x[2]));
        }
        CHECK_OK(context, phx_solid_nodal_stress(context, model, u, NULL, nodal));
        for (int i = 0; i < model->n_nodes; i++) {
            const double want[6] = {E * curvature * model->x[3 * i + 2]};
            for (int k = 0; k < 6; k++)
                CHECK_CLOSE(nodal[6 * i + k], want[k], 1e-11 * E * curvature, "%s: stress %d at node %d",
                            solid_types[t].name, k, i);
        }
        free(u);
        free(nodal);
        phx_elastic_destroy(model);
    }
}

static void test_wrong_arguments(void **state)
{
    phx_context *context = *state;
    const phx_solid_material material = steel();
    const double three[3] = {1.0, 1.0, 1.0};
    const phx_temperature heat = {NULL, NULL};
    phx_mesh mesh = box_mesh(context, size, 1, 1, 1, PHX_CELL_HEX8, BOX_REGULAR);
    phx_elastic_model *model = solid_model(context, &mesh, &material, PHX_SOLID_FULL, false);
    const phx_elastic_ops *ops = model->ops, other = {.kind = "plate", .destroy_data = ops->destroy_data};
    double u[24] = {0}, stress[48] = {0};

    CHECK_STATUS(context, phx_solid_nodal_stress(context, model, NULL, NULL, stress), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_elastic_traction(context, model, NULL, three, 1.0, u), PHX_ERR_ARGUMENT);
    model->ops = &other;
    CHECK_STATUS(context, phx_solid_nodal_stress(context, model, u, NULL, stress), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "plate");
    CHECK_STATUS(context, phx_elastic_expand(context, model, NULL, &heat, u, NULL), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_elastic_traction(context, model, "x0", three, 1.0, u), PHX_ERR_ARGUMENT);
    model->ops = ops;
    phx_elastic_destroy(model);
}

static void test_invariants(void **state)
{
    (void)state;
    uint64_t seed = 9;
    double axis[3], R[9], got[3];
    const double wanted[3][3] = {{5.0, 2.0, -3.0}, {4.0, 4.0, -1.0}, {2.0, 2.0, 2.0}};

    for (int trial = 0; trial < 30; trial++) {
        const double *p = wanted[trial % 3];
        random_vector(&seed, 3, 1.0, axis);
        phx_rot_axis_angle(3, axis, 3.0 * random_value(&seed), R);
        double A[9] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++)
                    A[3 * i + j] += R[3 * i + k] * p[k] * R[3 * j + k];
        const double stress[6] = {A[0], A[4], A[8], A[1], A[5], A[2]};
        phx_principal_stresses(stress, got);
        CHECK_VECTOR(3, got, p, 4e-15, "principal stresses");
        const double mises = sqrt(0.5 * (pow(p[0] - p[1], 2) + pow(p[1] - p[2], 2) + pow(p[2] - p[0], 2)));
        CHECK_CLOSE(phx_von_mises(stress), mises, 1e-14, "von Mises");
    }
}

/* The orthotropic material with equal constants is the isotropic one; the compliance of one with different ones. */
static void test_orthotropic(void **state)
{
    (void)state;
    const double young[3] = {150e9, 9e9, 11e9}, poisson[3] = {0.3, 0.4, 0.25}, shear[3] = {5e9, 3e9, 4e9};
    const double same[3] = {210e9, 210e9, 210e9}, nu[3] = {0.3, 0.3, 0.3};
    const double G[3] = {210e9 / 2.6, 210e9 / 2.6, 210e9 / 2.6};
    phx_solid_material material = steel(), other;

    phx_orthotropic_material(same, nu, G, 7800.0, &other);
    CHECK_VECTOR(36, other.stiffness, material.stiffness, 1e-14, "isotropic");
    phx_orthotropic_material(young, poisson, shear, 1600.0, &material);
    assert_int_equal(phx_dense_inverse(NULL, 6, material.stiffness), PHX_OK);
    const double *S = material.stiffness;
    for (int k = 0; k < 3; k++) {
        CHECK_RELATIVE(S[7 * k], 1.0 / young[k], 1e-13, "1/E%d", k + 1);
        CHECK_RELATIVE(S[7 * (k + 3)], 1.0 / shear[k], 1e-13, "1/G%d", k + 1);
    }
    CHECK_RELATIVE(S[1], -0.3 / 150e9, 1e-12, "nu xy");
    CHECK_RELATIVE(S[8], -0.4 / 9e9, 1e-12, "nu yz");
    CHECK_RELATIVE(S[2], -0.25 / 150e9, 1e-12, "nu xz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pressure_all_around, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_resultants_on_faces, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_a_load_that_varies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_thermal_expansion, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_nodal_stress_of_bending, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_arguments, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_invariants, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_orthotropic, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
