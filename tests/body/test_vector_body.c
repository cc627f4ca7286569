/* The body of vectors: its energy over any interval, its derivatives against differences, its rigid motions and
 * inertia, ports, patch tests. */
#include "shells.h"
#include "span.h"

#include "algebra/algebra.h"

enum { SIZE_STRESS = 2000 };

static void cylinder(double s, double t, double *place, double *normal)
{
    const double angle = 1.2 * s;

    place[0] = sin(angle) + 0.05 * t;
    place[1] = 0.8 * t + 0.05 * s * s;
    place[2] = cos(angle) - 1.0;
    normal[0] = sin(angle);
    normal[1] = 0.0;
    normal[2] = cos(angle);
}

typedef struct sample {
    shell_mesh mesh;
    phx_body *body;
    int n_v, n_x;
    char what[20];
} sample;

/* Two elements; the first end tied, or both, or none. */
static void open_sample(phx_context *context, phx_vector_element element, int ties, double damping, sample *s)
{
    static const phx_vector_mass masses[2] = {{0, 0.3, {0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.03}}, {4, 0.2, {0}}};

    if (element == PHX_VECTOR_Q9 || element == PHX_VECTOR_T6)
        shell_mesh_make(element, 2, 1, false, cylinder, 50.0, 0.3, 0.3, 2.0, &s->mesh);
    else
        solid_mesh_make(element, 2, 50.0, 0.3, 2.0, &s->mesh);
    if (ties > 0)
        shell_mesh_tie(&s->mesh, "left", 0);
    if (ties > 1)
        shell_mesh_tie(&s->mesh, "right", 1);
    s->mesh.def.damping = damping;
    s->mesh.def.masses = ties > 0 ? masses : masses + 1;
    s->mesh.def.n_masses = ties > 0 ? 2 : 1;
    CHECK_OK(context, phx_vector_body_create(context, &s->mesh.def, &s->body));
    s->n_v = phx_body_n_v(s->body);
    s->n_x = phx_body_n_x(s->body);
    assert_in_range(s->n_v, 1, SPAN_V);
    assert_in_range(s->n_x, 1, SPAN_X);
}

static void close_sample(sample *s)
{
    phx_body_destroy(s->body);
    shell_mesh_free(&s->mesh);
}

static const double BEND = 0.1;

/* Every kind of element, number of ties, with and without damping. */
static const phx_vector_element kinds[4] = {PHX_VECTOR_Q9, PHX_VECTOR_T6, PHX_VECTOR_HEX27, PHX_VECTOR_TET10};

static void open_number(phx_context *context, int k, sample *s)
{
    snprintf(s->what, sizeof s->what, "sample %d", k);
    open_sample(context, kinds[k < 12 ? k % 2 : 2 + k % 2], k / 2 % 3, k < 6 ? 0.0 : 0.01, s);
}

#define FOR_SAMPLES(context, s)                                                                                        \
    for (int k_ = 0; k_ < 16; k_++)                                                                                    \
        for (bool open_ = (open_number(context, k_, s), true); open_; open_ = (close_sample(s), false))

static void test_energy(void **state)
{
    static const double lengths[4] = {1e-3, 0.1, 0.5, -0.2};
    uint64_t seed = 17;
    sample s;

    FOR_SAMPLES(*state, &s)
    for (int n = 0; n < 8; n++)
        check_span_energy(&seed, s.body, BEND, lengths[n % 4], k_ >= 6, s.what);
}

/* ---- derivatives ---- */
static double values[3][SPAN_MATRIX], dense[SPAN_MATRIX];

static void test_interval_tangent(void **state)
{
    uint64_t seed = 19;
    sample s;

    FOR_SAMPLES(*state, &s)
    check_span_tangent(&seed, s.body, BEND, 0.3, s.what);
}

static void test_instant_tangents(void **state)
{
    uint64_t seed = 23;
    sample s;

    FOR_SAMPLES(*state, &s)
    check_instant_tangents(&seed, s.body, BEND, s.what);
}

/* The mixed tangent with the stress of the place is the tangent at rest; the predicted stress is linear in xi. */
static void test_mixed(void **state)
{
    uint64_t seed = 37;
    sample s;

    FOR_SAMPLES(*state, &s)
    {
        const double still[SPAN_V] = {0};
        double x[SPAN_X], x1[SPAN_X], xi[SPAN_V], sigma[2][SIZE_STRESS], change[SIZE_STRESS], slope[SIZE_STRESS] = {0};
        const int n = phx_body_n_free_stress(s.body);
        const int *ptr, *idx;
        phx_body_pattern(s.body, &ptr, &idx);
        assert_in_range(n, 1, SIZE_STRESS);
        span_place(&seed, s.body, BEND, x);
        phx_body_free_stress(s.body, x, NULL, sigma[0]);
        phx_body_free_linearise(s.body, test_gravity, x, sigma[0], values[1]);
        phx_body_linearise(s.body, test_gravity, x, still, values[0], NULL, values[2]);
        CHECK_VECTOR(ptr[s.n_v], values[1], values[2], 1e-13, "sample %d", k_);
        random_vector(&seed, s.n_v, 1.0, xi);
        phx_body_free_stress(s.body, x, xi, sigma[1]);
        for (int k = 0; k < 4; k++) {
            memcpy(x1, x, sizeof x);
            phx_body_displace(s.body, 1e-3 * span_side[k], xi, x1);
            phx_body_free_stress(s.body, x1, NULL, change);
            for (int i = 0; i < n; i++)
                slope[i] += span_weight[k] * change[i];
        }
        for (int i = 0; i < n; i++)
            sigma[1][i] -= sigma[0][i];
        CHECK_VECTOR(n, sigma[1], slope, 1e-8, "change of stress, sample %d", k_);
    }
}

static void test_stress_derivative(void **state)
{
    uint64_t seed = 29;
    sample s;

    FOR_SAMPLES(*state, &s)
    {
        double x[SPAN_X], row[SIZE_STRESS], got[SPAN_V], sigma[SIZE_STRESS];
        const int n = phx_body_n_stress(s.body);
        span_place(&seed, s.body, BEND, x);
        random_vector(&seed, n, 1.0, row);
        phx_body_stress_derivative(s.body, x, row, got);
        for (int c = 0; c < s.n_v; c++) {
            double xi[SPAN_V] = {0}, x1[SPAN_X], slope = 0.0;
            xi[c] = 1.0;
            for (int k = 0; k < 4; k++) {
                memcpy(x1, x, sizeof x);
                phx_body_displace(s.body, 1e-3 * span_side[k], xi, x1);
                phx_body_stress(s.body, x1, sigma);
                slope += span_weight[k] * dot_product(n, row, sigma);
            }
            CHECK_CLOSE(got[c], slope, 1e-6, "sample %d, column %d", k_, c);
        }
    }
}

/* ---- rigid motions ---- */
static void test_rigid(void **state)
{
    uint64_t seed = 31;
    sample s;

    FOR_SAMPLES(*state, &s)
    {
        double x[SPAN_X], x1[SPAN_X], v[SPAN_V], p[SPAN_V], twist[6], mass[36], other[6], linear[3], angular[3],
            sigma[SIZE_STRESS];
        phx_body_rest(s.body, x);
        random_vector(&seed, 6, 1.5, twist);
        phx_body_displace_rigidly(s.body, 1.0, twist, x);
        phx_body_stress(s.body, x, sigma);
        CHECK_SMALL(max_abs(phx_body_n_stress(s.body), sigma), 1e-12, "sample %d", k_);
        /* the velocities of a rigid motion are its derivative */
        phx_body_rigid_motion(s.body, x, twist, v);
        for (int i = 0; i < 2; i++) {
            memcpy(i ? x1 : x, x, sizeof x);
            phx_body_displace_rigidly(s.body, i ? 1e-6 : 0.0, twist, i ? x1 : x);
        }
        for (int i = 0; i < s.n_x; i++)
            x1[i] = (x1[i] - x[i]) / 1e-6;
        phx_body_tangent(s.body, x, x1, p);
        CHECK_VECTOR(s.n_v, p, v, 1e-5, "rigid velocities, sample %d", k_);
        /* T^T M T and momenta */
        phx_body_momenta(s.body, x, v, p);
        phx_body_rigid_force(s.body, x, p, other);
        phx_body_rigid_mass(s.body, x, mass);
        for (int i = 0; i < 6; i++)
            CHECK_CLOSE(dot_product(6, mass + 6 * i, twist), other[i], 1e-13, "sample %d, row %d", k_, i);
        CHECK_CLOSE(0.5 * dot_product(s.n_v, v, p), phx_body_kinetic(s.body, x, v), 1e-12, "sample %d", k_);
        CHECK_CLOSE(dot_product(6, twist, other), dot_product(s.n_v, v, p), 1e-12, "sample %d", k_);
        phx_body_inertial_momentum(s.body, x, v, linear, angular);
        CHECK_CLOSE(dot_product(3, linear, linear), dot_product(3, other, other), 1e-12, "sample %d", k_);
        /* moving the body to another place turns its momentum with it */
        double R[9];
        const double turn[3] = {0.4, 1.3, -0.6}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, to[3] = {1.0, 2.0, 3.0};
        phx_rot_cayley(3, one, turn, R);
        phx_body_rest(s.body, x);
        phx_body_place(s.body, to, R, 0.0, x);
        double moment[3], want[3];
        phx_body_moment(s.body, x, moment);
        phx_rot_apply(3, R, phx_body_at_rest(s.body)->s0, want);
        for (int i = 0; i < 3; i++)
            want[i] += phx_body_at_rest(s.body)->mass * to[i];
        CHECK_VECTOR(3, moment, want, 1e-13, "sample %d, centre of mass", k_);
        CHECK_SMALL(phx_body_elastic(s.body, x), 1e-24, "sample %d", k_);
    }
}

/* The stiffness at rest has six zero eigenvalues and no more. */
static void test_zero_eigenvalues(void **state)
{
    sample s;

    FOR_SAMPLES(*state, &s)
    {
        const double still[SPAN_V] = {0}, none[3] = {0};
        double x[SPAN_X];
        static double eigen[SPAN_V];
        phx_body_rest(s.body, x);
        phx_body_linearise(s.body, none, x, still, values[0], NULL, values[2]);
        spread(s.body, values[2], dense);
        for (int i = 0; i < s.n_v; i++)
            for (int j = 0; j < i; j++)
                CHECK_CLOSE(dense[i * s.n_v + j], dense[j * s.n_v + i], 1e-11, "symmetry, sample %d", k_);
        CHECK_OK(*state, phx_dense_eigen_symmetric(*state, s.n_v, dense, NULL, eigen, NULL));
        for (int i = 0; i < 6; i++)
            CHECK_SMALL(eigen[i] / eigen[s.n_v - 1], 1e-14, "eigenvalue %d, sample %d", i, k_);
        assert_true(eigen[6] / eigen[s.n_v - 1] > 1e-7);
    }
}

/* Over free intervals both momenta change by those of the residual: sum of forces and moments of the elements vanish.
 */
static void test_momenta(void **state)
{
    uint64_t seed = 41;
    sample s;

    FOR_SAMPLES(*state, &s)
    {
        const double none[3] = {0};
        double x[SPAN_X], v[SPAN_V], zero[SPAN_V] = {0}, res[SPAN_V], wrench[6];
        span_place(&seed, s.body, BEND, x);
        random_vector(&seed, s.n_v, 0.5, v);
        phx_body_residual(s.body, none, x, zero, zero, res); /* at rest: forces of the elements */
        phx_body_rigid_force(s.body, x, res, wrench);
        CHECK_SMALL(max_abs(6, wrench) / max_abs(s.n_v, res), 1e-13, "sample %d", k_);
    }
}

/* ---- patch tests ---- */
static void plane(double s, double t, double *place, double *normal)
{
    place[0] = 2.0 * s;
    place[1] = 1.0 * t;
    place[2] = 0.0;
    normal[0] = normal[1] = 0.0;
    normal[2] = 1.0;
}

/* Linear displacements in the plane, and constant curvatures by the stiffness at rest: inner nodes in equilibrium. */
static void test_patch(void **state)
{
    enum { PATCH_V = 400 };
    static double K[PATCH_V * PATCH_V], M[PATCH_V * PATCH_V];

    for (int k = 0; k < 4; k++) {
        const phx_vector_element element = k % 2 ? PHX_VECTOR_T6 : PHX_VECTOR_Q9;
        const bool bends = k / 2;
        const double still[PATCH_V] = {0}, none[3] = {0};
        shell_mesh mesh;
        phx_body *body = NULL;
        const int *ptr, *idx;
        double x[PATCH_V], xi[PATCH_V] = {0}, res[PATCH_V];

        shell_mesh_make(element, 3, 3, false, plane, 1e4, 0.3, 0.1, 1.0, &mesh);
        shell_mesh_distort(&mesh, 0.2);
        CHECK_OK(*state, phx_vector_body_create(*state, &mesh.def, &body));
        assert_in_range(phx_body_n_v(body), 1, PATCH_V);
        phx_body_pattern(body, &ptr, &idx);
        phx_body_rest(body, x);
        for (int i = 0; i < mesh.def.n_places; i++) {
            const double *X = mesh.def.place + 3 * i;
            double *u = xi + 6 * i, *d = u + 3;
            u[0] = bends ? 0.0 : 0.03 * X[0] + 0.02 * X[1];
            u[1] = bends ? 0.0 : -0.01 * X[0] + 0.04 * X[1];
            u[2] = bends ? 0.5 * X[0] * X[0] + 0.3 * X[0] * X[1] - 0.4 * X[1] * X[1] : 0.0;
            d[0] = bends ? -(X[0] + 0.3 * X[1]) : 0.0;
            d[1] = bends ? -(0.3 * X[0] - 0.8 * X[1]) : 0.0;
        }
        phx_body_linearise(body, none, x, still, M, NULL, K);
        phx_body_displace(body, bends ? 0.0 : 1.0, xi, x);
        phx_body_residual(body, none, x, still, still, res);
        for (int i = 0; i < phx_body_n_v(body) && bends; i++) {
            res[i] = 0.0;
            for (int e = ptr[i]; e < ptr[i + 1]; e++)
                res[i] += K[e] * xi[idx[e]];
        }
        const double scale = max_abs(phx_body_n_v(body), res);
        for (int j = 1; j + 1 < mesh.across; j++)
            for (int i = 1; i + 1 < mesh.along; i++)
                CHECK_SMALL(max_abs(6, res + 6 * shell_mesh_node(&mesh, i, j)) / scale, 1e-11, "element kind %d, %s",
                            element, bends ? "bending" : "membrane");
        phx_body_destroy(body);
        shell_mesh_free(&mesh);
    }
}

/* ---- ports ---- */
static void test_ports(void **state)
{
    uint64_t seed = 43;
    sample s;

    FOR_SAMPLES(*state, &s)
    {
        span at;
        span_random(&seed, s.body, BEND, 0.2, &at);
        for (int node = 1; node <= s.mesh.def.n_places; node++) {
            const phx_location where = {.sort = PHX_LOCATION_NODE, .node = node};
            phx_body_port port = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            phx_port_view view = {.dim = 3};
            double P[12 * 6], effort[12] = {0.3, -0.5, 0.7}, res[SPAN_V] = {0}, rate[12] = {0};
            int cols[6];
            CHECK_OK(*state, phx_body_locate(s.body, *state, &where, &port));
            phx_body_port_view(s.body, &port, &at.view, &view);
            const int n = phx_body_port_jacobian(s.body, &port, &at.view, cols, P);
            assert_int_equal(n, 6);
            for (int i = 0; i < 3; i++) /* the rate is the change of the place by h */
                CHECK_CLOSE(view.rate[i], (view.u1[i] - view.u0[i]) / 0.2, 1e-12, "node %d of sample %d", node, k_);
            for (int i = 0; i < 3; i++)
                for (int c = 0; c < n; c++)
                    rate[i] += P[i * n + c] * at.vm[cols[c]];
            CHECK_VECTOR(3, rate, view.rate, 1e-13, "node %d of sample %d", node, k_);
            phx_body_port_apply(s.body, &port, &at.view, 1.0, effort, res);
            CHECK_CLOSE(dot_product(s.n_v, res, at.vm), dot_product(3, effort, view.rate), 1e-13, "node %d", node);
            phx_body_port_free(&port);
        }
        span_leave(s.body, &at);
    }
}

/* What is read from an archive is the same body. */
static void test_archive(void **state)
{
    uint64_t seed = 47;
    sample s;

    FOR_SAMPLES(*state, &s)
    {
        phx_archive *out = NULL, *in = NULL;
        phx_body *again = NULL;
        double x[SPAN_X], v[SPAN_V], res[2][SPAN_V];
        size_t size;
        CHECK_OK(*state, phx_archive_create(*state, &out));
        phx_body_archive(out, NULL, &s.body);
        const void *bytes = phx_archive_bytes(out, &size);
        CHECK_OK(*state, phx_archive_open(*state, size, bytes, &in));
        phx_body_archive(in, NULL, &again);
        CHECK_OK(*state, phx_archive_status(in));
        span_place(&seed, s.body, BEND, x);
        random_vector(&seed, s.n_v, 0.8, v);
        phx_body_residual(s.body, test_gravity, x, v, v, res[0]);
        phx_body_residual(again, test_gravity, x, v, v, res[1]);
        assert_memory_equal(res[0], res[1], (size_t)s.n_v * sizeof(double));
        phx_body_destroy(again);
        phx_archive_destroy(in);
        phx_archive_destroy(out);
    }
}

/* Errors name the part of the definition. */
static void test_refusals(void **state)
{
    shell_mesh mesh;
    phx_body *body = NULL;

    shell_mesh_make(PHX_VECTOR_Q9, 2, 1, false, cylinder, 50.0, 0.3, 0.3, 2.0, &mesh);
    shell_mesh_tie(&mesh, "left", 0);
    shell_mesh_tie(&mesh, "again", 0);
    CHECK_STATUS(*state, phx_vector_body_create(*state, &mesh.def, &body), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "the sets 'left' and 'again' share a node");
    mesh.def.n_ties = 1;
    int *cell = (int *)mesh.def.cell_place, kept = cell[1];
    cell[1] = 99;
    CHECK_STATUS(*state, phx_vector_body_create(*state, &mesh.def, &body), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "no place 99");
    cell[1] = kept;
    memset((double *)mesh.def.axis, 0, 3 * sizeof(double));
    CHECK_STATUS(*state, phx_vector_body_create(*state, &mesh.def, &body), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "element 1");
    assert_null(body);
    mesh.def.n_ties = 2;
    shell_mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_energy, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_interval_tangent, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_instant_tangents, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_mixed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_stress_derivative, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_rigid, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_zero_eigenvalues, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_momenta, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_patch, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_ports, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_archive, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("vector_body", tests, NULL, NULL);
}
