/* Points, coordinates, stresses and stiffening data of a beam; the order of q and of the stresses. */
#include "support.h"
#include "fe/source.h"

enum { MAX = 160, DEGREE = 5 };

/* Polynomials of x, ascending powers: ux, uy, uz, twist. */
typedef struct polynomials {
    double c[4][DEGREE + 1];
} polynomials;

static double poly(const double *c, double x, int derivative)
{
    double sum = 0.0;
    for (int p = DEGREE; p >= derivative; p--) {
        double factor = c[p];
        for (int i = 0; i < derivative; i++)
            factor *= p - i;
        sum = sum * x + factor;
    }
    return sum;
}

/* A field inside the spaces that satisfies the (selecting) reference condition: ux and twist linear, bending
 * (x^2 or x (L - x)) (a + b x), times a quadratic factor for order 5. */
static polynomials exact_field(const phx_beam_def *def)
{
    polynomials field = {{{0}}};
    field.c[0][1] = 0.31;
    field.c[3][1] = -0.43;
    for (int plane = 1; plane <= 2; plane++) {
        const double a = plane == 1 ? 0.21 : -0.17, b = plane == 1 ? -0.09 : 0.13;
        const double start[3] = {0.0, def->reference == PHX_REFERENCE_CANTILEVER ? 0.0 : -def->length, 1.0};
        const double linear[2] = {a, b};
        const double factor[3] = {1.0, def->order == 5 ? 0.3 : 0.0, def->order == 5 ? 0.2 : 0.0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++)
                for (int k = 0; k < 3; k++)
                    field.c[plane][i + j + k] += start[i] * linear[j] * factor[k];
    }
    return field;
}

/* q of the field, in the documented order; returns n. */
static int interpolate(const phx_beam_def *def, const polynomials *field, double *q)
{
    int n = 0;
    const int values = def->order == 5 ? 3 : 2;
    const bool cantilever = def->reference == PHX_REFERENCE_CANTILEVER;
    for (int f = 0; f < (def->dim == 2 ? 2 : 4); f++) {
        const bool bending = f == 1 || f == 2;
        for (int node = 0; node <= def->elements; node++) {
            for (int value = 0; value < (bending ? values : 1); value++) {
                const bool at_p = node == 0 && (value == 0 || (value == 1 && cantilever));
                const bool at_c = node == def->elements && bending && value == 0 && !cantilever;
                if (!at_p && !at_c)
                    q[n++] = poly(field->c[f], node * def->length / def->elements, value);
            }
        }
    }
    return n;
}

/* u and theta of the field at x */
static void field_motion(int dim, const polynomials *field, double x, double u[3], double theta[3])
{
    for (int a = 0; a < 3; a++) {
        u[a] = a < dim ? poly(field->c[a], x, 0) : 0.0;
        theta[a] = 0.0;
    }
    if (dim == 2) {
        theta[0] = poly(field->c[1], x, 1);
    } else {
        theta[0] = poly(field->c[3], x, 0);
        theta[1] = -poly(field->c[2], x, 1);
        theta[2] = poly(field->c[1], x, 1);
    }
}

static void motion_at(phx_context *context, const phx_beam *beam, double s, const double *q, double u[3],
                      double theta[3])
{
    phx_flex_point point;
    CHECK_STATUS(context, phx_beam_point(beam, context, s, &point), PHX_OK);
    for (int i = 1; i < point.n; i++)
        assert_true(point.dof[i - 1] < point.dof[i]);
    point_motion(phx_flex_source_flex(beam), &point, q, u, theta);
    phx_flex_point_free(&point);
}

static void check_points(phx_context *context, const phx_beam_def *def)
{
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    const polynomials field = exact_field(def);
    double q[MAX], shift[3] = {0}, turn[3] = {0}, u[3], theta[3], want_u[3], want_theta[3];
    assert_int_equal(interpolate(def, &field, q), flex->n);
    if (def->reference == PHX_REFERENCE_FREE) { /* the rigid motion that the mean axes take away */
        motion_at(context, beam, 0.0, q, shift, turn);
        field_motion(def->dim, &field, 0.0, want_u, want_theta);
        for (int a = 0; a < 3; a++) {
            shift[a] -= want_u[a];
            turn[a] -= want_theta[a];
        }
    }
    const double places[] = {0.0, 0.05, 1.0 / 3.0, 0.5, 0.61, 2.0 / 3.0, 0.999, 1.0};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        const double x = places[k] * def->length, arm[3] = {x, 0.0, 0.0};
        double swing[3] = {0};
        motion_at(context, beam, places[k], q, u, theta);
        field_motion(def->dim, &field, x, want_u, want_theta);
        phx_rot_x_vec(def->dim, turn, arm, swing);
        for (int a = 0; a < 3; a++) {
            CHECK_CLOSE(u[a], want_u[a] + shift[a] + swing[a], 1e-14, "dimension %d, order %d, %s: u%d at s = %g",
                        def->dim, def->order, reference_name(def->reference), a, places[k]);
            CHECK_CLOSE(theta[a], want_theta[a] + turn[a], 1e-13, "dimension %d, order %d, %s: theta%d at s = %g",
                        def->dim, def->order, reference_name(def->reference), a, places[k]);
        }
    }
    phx_flex_source_destroy(beam);
}

/* Axial force, moments and torsion of the field are its derivatives times the stiffness, everywhere. */
static void check_stresses(phx_context *context, const phx_beam_def *def)
{
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    const polynomials field = exact_field(def);
    double q[MAX], stress[MAX] = {0}, axial[MAX], moment[2 * MAX], torsion[MAX];
    interpolate(def, &field, q);
    assert_true(flex->n_stress <= MAX);
    phx_csr_apply(&flex->stress, 1.0, q, stress);
    const double places[] = {0.0, 0.05, 1.0 / 3.0, 0.5, 0.61, 2.0 / 3.0, 0.999, 1.0};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        const double x = places[k] * def->length;
        double got[4] = {0};
        phx_beam_stress_rows(beam, places[k], axial, moment, torsion);
        for (int i = 0; i < flex->n_stress; i++) {
            got[0] += axial[i] * stress[i];
            got[1] += moment[(def->dim == 3 ? flex->n_stress : 0) + i] * stress[i];
            got[2] += def->dim == 3 ? moment[i] * stress[i] : 0.0;
            got[3] += torsion[i] * stress[i];
        }
        const double stiffness[4] = {def->axial_stiffness, def->bending_stiffness[def->dim == 3 ? 1 : 0],
                                     def->dim == 3 ? def->bending_stiffness[0] : 0.0,
                                     def->dim == 3 ? def->torsion_stiffness : 0.0};
        for (int f = 0; f < 4; f++) {
            const double want = stiffness[f] * poly(field.c[f], x, f == 1 || f == 2 ? 2 : 1);
            CHECK_CLOSE(got[f], want, 5e-12, "dimension %d, order %d, %s: stress %d at s = %g", def->dim, def->order,
                        reference_name(def->reference), f, places[k]);
        }
    }
    phx_flex_source_destroy(beam);
}

/* |B q|^2 = q K q = int EA u'^2 + EI w''^2 + ... of the field */
static void check_energy(phx_context *context, const phx_beam_def *def)
{
    phx_beam *beam = test_beam(context, def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    const polynomials field = exact_field(def);
    double q[MAX], root[MAX] = {0}, norm = 0.0, want = 0.0;
    interpolate(def, &field, q);
    phx_csr_apply(&flex->root, 1.0, q, root);
    for (int i = 0; i < flex->n_stress; i++)
        norm += root[i] * root[i];
    for (int g = 0; g < QUADRATURE_POINTS; g++) {
        const double x = def->length * quadrature_point[g], dx = def->length * quadrature_weight[g];
        want += dx * def->axial_stiffness * pow(poly(field.c[0], x, 1), 2);
        want += dx * def->bending_stiffness[def->dim == 3 ? 1 : 0] * pow(poly(field.c[1], x, 2), 2);
        if (def->dim == 3)
            want += dx * (def->bending_stiffness[0] * pow(poly(field.c[2], x, 2), 2) +
                          def->torsion_stiffness * pow(poly(field.c[3], x, 1), 2));
    }
    CHECK_CLOSE(norm, want, 1e-12 * want, "dimension %d, order %d: |B q|^2", def->dim, def->order);
    CHECK_CLOSE(flex_form(flex, flex->K, q, q), want, 1e-12 * want, "dimension %d, order %d: q K q", def->dim,
                def->order);
    phx_flex_source_destroy(beam);
}

static void test_fields(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        for (int order = 3; order <= 5; order += 2) {
            for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
                const phx_beam_def def = test_def(dim, order, (phx_reference)reference, 3);
                check_points(*state, &def);
                check_stresses(*state, &def);
                check_energy(*state, &def);
            }
        }
    }
}

/* At an element interface the stress is the mean of both sides: with linear moments, of their extrapolations. */
static void test_stress_at_interface(void **state)
{
    const phx_beam_def def = test_def(2, 3, PHX_REFERENCE_SIMPLY_SUPPORTED, 3);
    phx_beam *beam = test_beam(*state, &def);
    const phx_flex *flex = phx_flex_source_flex(beam);
    double q[MAX], stress[MAX] = {0}, row[MAX], value[5] = {0}, axial[3] = {0};
    const double places[5] = {1.0 / 9.0, 2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0, 5.0 / 9.0};
    uint64_t seed = 3;
    random_vector(&seed, flex->n, 1.0, q);
    phx_csr_apply(&flex->stress, 1.0, q, stress);
    for (int k = 0; k < 5; k++) {
        phx_beam_stress_rows(beam, places[k], NULL, row, NULL);
        for (int i = 0; i < flex->n_stress; i++)
            value[k] += row[i] * stress[i];
        phx_beam_stress_rows(beam, places[k], row, NULL, NULL);
        for (int i = 0; i < flex->n_stress && k >= 1 && k <= 3; i++)
            axial[k - 1] += row[i] * stress[i];
    }
    const double left = 2 * value[1] - value[0], right = 2 * value[3] - value[4];
    assert_true(fabs(left - right) > 0.1);
    CHECK_CLOSE(value[2], 0.5 * (left + right), 1e-11, "moment at an interface");
    CHECK_CLOSE(axial[1], 0.5 * (axial[0] + axial[2]), 1e-12, "axial force at an interface");
    phx_flex_source_destroy(beam);
}

/* Stresses, energy and end velocities of a state computed elsewhere (independent formulation): fixes the order of q and
 * of the stresses. Cantilever and simply supported, 2 elements, gravity 9.81 along -y. */
static void test_reference_state(void **state)
{
    const double q[6] = {-0.02397383209958263, 0.025577076957883013,  0.017382901007190338,
                         -0.03005645913720419, -0.009637682451495976, 0.032539983780491916};
    const double q_dot[6] = {0.031003283511684368, -0.015205082998471817, -0.027085101052365168,
                             0.022184615294542232, 0.021368369974833084,  -0.027691008941196284};
    const double stress[2][6] = {{-1.844140930737125, 3.8116083890358183, 1.0180175355373309, -1.2954617737269079,
                                  -0.8966533910771111, 1.4744667103173827},
                                 {-1.844140930737125, 3.8116083890358183, -1.5124637414554454, 1.2630429710675717,
                                  1.1580692327749713, -0.7687369290950833}};
    const double energy[2] = {2.722836960029632, 2.6048958033013423};
    const double end_velocity[2][3] = {{0.897323904188473, 1.244618570020081, 1.2723089910588037},
                                       {0.8847949170015282, 1.2232502000452479, 1.2723089910588037}};
    const double v[2] = {0.9, -0.5}, w = 1.3, place[2] = {0.4, -0.2}, angle = 0.7, gravity = 9.81;
    for (int k = 0; k < 2; k++) {
        phx_beam_def def = test_def(2, 3, k == 0 ? PHX_REFERENCE_CANTILEVER : PHX_REFERENCE_SIMPLY_SUPPORTED, 2);
        phx_beam *beam = test_beam(*state, &def);
        const phx_flex *flex = phx_flex_source_flex(beam);
        double got[6] = {0}, u[3], theta[3], u_dot[3], theta_dot[3];
        phx_csr_apply(&flex->stress, 1.0, q, got);
        for (int i = 0; i < 6; i++)
            CHECK_CLOSE(got[i], stress[k][i], 1e-12, "%s: stress %d", reference_name(def.reference), i);

        double s[2] = {flex->s0[0], flex->s0[1]}, p[2] = {0}, l = flex_form(flex, flex->A[0], q, q_dot);
        double J = flex->J0[0] + 0.5 * flex_form(flex, flex->Q[0], q, q);
        for (int i = 0; i < 6; i++) {
            for (int a = 0; a < 2; a++) {
                s[a] += flex->S[a * 6 + i] * q[i];
                p[a] += flex->S[a * 6 + i] * q_dot[i];
            }
            l += flex->C[i] * q_dot[i];
            J += flex->j[i] * q[i];
        }
        double H = 0.5 * flex->mass * (v[0] * v[0] + v[1] * v[1]) + w * (v[1] * s[0] - v[0] * s[1]) + 0.5 * w * w * J;
        H += v[0] * p[0] + v[1] * p[1] + w * l + 0.5 * flex_form(flex, flex->M, q_dot, q_dot);
        H += 0.5 * flex_form(flex, flex->K, q, q);
        H += gravity * (flex->mass * place[1] + sin(angle) * s[0] + cos(angle) * s[1]);
        CHECK_CLOSE(H, energy[k], 1e-12, "%s: energy", reference_name(def.reference));

        motion_at(*state, beam, 1.0, q, u, theta);
        motion_at(*state, beam, 1.0, q_dot, u_dot, theta_dot);
        CHECK_CLOSE(v[0] - w * u[1] + u_dot[0], end_velocity[k][0], 1e-14, "velocity of C along x");
        CHECK_CLOSE(v[1] + w * (def.length + u[0]) + u_dot[1], end_velocity[k][1], 1e-14, "velocity of C along y");
        CHECK_CLOSE(w + theta_dot[0], end_velocity[k][2], 1e-14, "rate of the section at C");
        phx_flex_source_destroy(beam);
    }
}

/* A point that the reference holds has no coordinates; a point at a node only those of the node. */
static void test_sparse_points(void **state)
{
    const phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 10);
    phx_beam *beam = test_beam(*state, &def);
    phx_flex_point point;
    CHECK_STATUS(*state, phx_beam_point(beam, *state, 0.0, &point), PHX_OK);
    assert_int_equal(point.n, 0);
    phx_flex_point_free(&point);
    for (int node = 1; node <= 10; node++) {
        CHECK_STATUS(*state, phx_beam_point(beam, *state, node / 10.0, &point), PHX_OK);
        assert_int_equal(point.n, 3);
        assert_int_equal(point.dof[0], node - 1);
        assert_int_equal(point.dof[1], 10 + 2 * (node - 1));
        CHECK_CLOSE(point.x[0], def.length * node / 10.0, 1e-15, "place of node %d", node);
        phx_flex_point_free(&point);
    }
    phx_flex_source_destroy(beam);
}

/* Strains of geometric stiffening for the exact field: u' + mean of w'^2/2 over each element, as the integral says, in
 * space with section_inertia
 * also of twist'^2 Ip/2A; their linear part's energy is that of K; the axial force they replace is the stress row
 * named. */
static void test_stiffening(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        for (int order = 3; order <= 5; order += 2) {
            for (int reference = PHX_REFERENCE_CANTILEVER; reference <= PHX_REFERENCE_FREE; reference++) {
                phx_beam_def def = test_def(dim, order, (phx_reference)reference, 3);
                def.stiffening = true;
                for (int k = 0; k < 2 && dim == 3 && order == 3; k++)
                    def.section_inertia[k] = 0.5 * def.polar_inertia;
                phx_beam *beam = test_beam(*state, &def);
                const phx_flex *flex = phx_flex_source_flex(beam);
                const phx_flex_stiffening *stiffening = flex->stiffening;
                const double h = def.length / def.elements;
                double q[MAX], stress[MAX] = {0}, lin[3] = {0}, slope[MAX] = {0}, quadratic[3] = {0}, sum[3] = {0};
                uint64_t seed = 5;
                random_vector(&seed, flex->n, 0.3, q);
                assert_int_equal(stiffening->n_strain, 3);
                assert_true(stiffening->n_slope <= MAX);
                phx_csr_apply(&flex->stress, 1.0, q, stress);
                phx_csr_apply(&stiffening->lin, 1.0, q, lin);
                phx_csr_apply(&stiffening->slope, 1.0, q, slope);
                for (int e = 0, p = 0; e < 3; e++) {
                    assert_int_equal(stiffening->product_begin[e], p);
                    for (; p < stiffening->product_begin[e + 1]; p++) {
                        const int a = stiffening->first[p], b = stiffening->second[p];
                        quadratic[e] += 0.5 * stiffening->weight[p] * slope[a] * slope[b];
                        sum[e] += stiffening->weight[p];
                        assert_in_range(a, stiffening->slope_begin[e], stiffening->slope_end[e] - 1);
                        assert_in_range(b, stiffening->slope_begin[e], stiffening->slope_end[e] - 1);
                    }
                }
                for (int e = 0; e < 3; e++) {
                    const double gyration =
                        def.section_inertia[0] == 0.0 ? 0.0 : def.polar_inertia / def.mass_per_length;
                    const double twist = stress[flex->n_stress - 3 + e] / def.torsion_stiffness;
                    double want = 0.5 * gyration * twist * twist, u[3], theta[3];
                    for (int g = 0; g < QUADRATURE_POINTS; g++) {
                        motion_at(*state, beam, (e + quadrature_point[g]) / 3, q, u, theta);
                        const double squares =
                            dim == 2 ? theta[0] * theta[0] : theta[1] * theta[1] + theta[2] * theta[2];
                        want += 0.5 * quadrature_weight[g] * squares;
                    }
                    CHECK_CLOSE(quadratic[e], want, 1e-13, "dimension %d, order %d, %s: w'^2/2 in element %d", dim,
                                order, reference_name(def.reference), e);
                    CHECK_CLOSE(sum[e], dim - 1 + gyration, 1e-14, "weights of strain %d", e);
                    CHECK_CLOSE(stiffening->stiffness[e], def.axial_stiffness * h, 1e-14, "stiffness of strain %d", e);
                    CHECK_CLOSE(stress[stiffening->stress_row[e]], def.axial_stiffness * lin[e], 1e-13,
                                "axial force of element %d", e);
                }
                phx_flex_source_destroy(beam);
            }
        }
    }
}

/* The quadrature for distributed loads adds up and integrates polynomials of degree 11. */
static void test_load_quadrature(void **state)
{
    const phx_beam_def def = test_def(2, 3, PHX_REFERENCE_CANTILEVER, 3);
    phx_beam *beam = test_beam(*state, &def);
    const double *s, *weight;
    double sum = 0.0, power = 0.0;
    int count;
    phx_beam_quadrature(beam, &count, &s, &weight);
    for (int k = 0; k < count; k++) {
        assert_true(s[k] > 0.0 && s[k] < 1.0 && (k == 0 || s[k] > s[k - 1]));
        sum += weight[k];
        power += weight[k] * pow(s[k], 11);
    }
    CHECK_CLOSE(sum, def.length, 1e-15, "sum of the weights");
    CHECK_CLOSE(power, def.length / 12, 1e-15, "integral of s^11");
    phx_flex_source_destroy(beam);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fields, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_stress_at_interface, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_reference_state, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_sparse_points, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_stiffening, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_load_quadrature, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("fe beam", tests, NULL, NULL);
}
