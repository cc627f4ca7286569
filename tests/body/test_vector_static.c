/* Equilibria and modes of shells by the mixed Newton of statics, against tables of an independent program and, in the
 * tolerances of the mesh, published values. */
#include "shells.h"
#include "support/testing.h"

#include "algebra/algebra.h"

typedef struct problem {
    shell_mesh mesh;
    phx_body *body;
    int n; /* velocities */
    double *x, *load, *res, *sigma;
    bool *held;
} problem;

static void open_problem(phx_context *context, problem *p)
{
    CHECK_OK(context, phx_vector_body_create(context, &p->mesh.def, &p->body));
    p->n = phx_body_n_v(p->body);
    assert_int_equal(phx_body_n_x(p->body), p->n); /* no ties: each place before its director */
    p->x = test_calloc((size_t)p->n, sizeof *p->x);
    p->load = test_calloc((size_t)p->n, sizeof *p->load);
    p->res = test_calloc((size_t)p->n, sizeof *p->res);
    p->sigma = test_calloc((size_t)phx_body_n_free_stress(p->body), sizeof *p->sigma);
    p->held = test_calloc((size_t)p->n, sizeof *p->held);
    phx_body_rest(p->body, p->x);
    phx_body_free_stress(p->body, p->x, NULL, p->sigma);
}

static void close_problem(problem *p)
{
    test_free(p->x);
    test_free(p->load);
    test_free(p->res);
    test_free(p->sigma);
    test_free(p->held);
    phx_body_destroy(p->body);
    shell_mesh_free(&p->mesh);
}

/* Holds components of the place and the director at a node, bits x y z of the place, then of the director. */
static void hold(problem *p, int i, int j, unsigned components)
{
    for (int c = 0; c < 6; c++)
        if (components & 1u << c)
            p->held[6 * shell_mesh_node(&p->mesh, i, j) + c] = true;
}

/* Equilibrium at the factor of the load; the number of corrections, 0 if there are too many. */
static int solve(phx_context *context, problem *p, double factor)
{
    enum { MOST = 30 };
    const double none[3] = {0};
    const int *ptr, *idx;
    phx_ldl *ldl = NULL;

    phx_body_pattern(p->body, &ptr, &idx);
    double *K = test_calloc((size_t)ptr[p->n], sizeof *K), *still = test_calloc((size_t)p->n, sizeof *still);
    CHECK_OK(context, phx_ldl_create(context, p->n, ptr, idx, &ldl));
    int count = 0;
    for (double size = 1.0; size > 1e-10 && count <= MOST; count++) {
        phx_body_residual(p->body, none, p->x, still, still, p->res);
        phx_body_free_linearise(p->body, none, p->x, p->sigma, K);
        for (int i = 0; i < p->n; i++) {
            p->res[i] = p->held[i] ? 0.0 : factor * p->load[i] - p->res[i];
            for (int e = ptr[i]; e < ptr[i + 1]; e++)
                if (p->held[i] || p->held[idx[e]])
                    K[e] = i == idx[e] ? 1.0 : 0.0;
        }
        CHECK_OK(context, phx_ldl_factor(ldl, K));
        phx_ldl_solve(ldl, 1, p->res);
        phx_body_free_stress(p->body, p->x, p->res, p->sigma);
        phx_body_displace(p->body, 1.0, p->res, p->x);
        size = max_abs(p->n, p->res);
    }
    phx_ldl_destroy(ldl);
    test_free(K);
    test_free(still);
    return count <= MOST ? count : 0;
}

static double moved(const problem *p, int i, int j, int component)
{
    const int node = shell_mesh_node(&p->mesh, i, j);
    return p->x[6 * node + component] + p->mesh.def.place[component] - p->mesh.def.place[3 * node + component];
}

/* ---- cantilever with an end shear ---- */
static void strip(double s, double t, double *place, double *normal)
{
    place[0] = 10.0 * s;
    place[1] = t;
    place[2] = 0.0;
    normal[0] = normal[1] = 0.0;
    normal[2] = 1.0;
}

static void test_cantilever(void **state)
{
    static const double want[4][3] = {
        {0.25, 0.5644, 3.0174}, {0.5, 1.6062, 4.9344}, {0.75, 2.543, 6.0314}, {1.0, 3.2867, 6.6974}};
    static const double share[3] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
    problem p;

    shell_mesh_make(PHX_VECTOR_Q9, 4, 1, false, strip, 1.2e6, 0.0, 0.1, 1.0, &p.mesh);
    open_problem(*state, &p);
    for (int j = 0; j < 3; j++) {
        hold(&p, 0, j, 63);
        p.load[6 * shell_mesh_node(&p.mesh, 8, j) + 2] = 4.0 * share[j];
    }
    for (int k = 0; k < 4; k++) {
        assert_in_range(solve(*state, &p, want[k][0]), 1, 12);
        CHECK_CLOSE(-moved(&p, 8, 1, 0), want[k][1], 1e-4, "U at %g", want[k][0]);
        CHECK_CLOSE(moved(&p, 8, 1, 2), want[k][2], 1e-4, "W at %g", want[k][0]);
    }
    close_problem(&p);
}

/* ---- hemisphere with a hole of 18 degrees, in one load step ---- */
static void hemisphere(double s, double t, double *place, double *normal)
{
    const double phi = 0.5 * TEST_PI * s, theta = 0.4 * TEST_PI * t;

    normal[0] = cos(theta) * cos(phi);
    normal[1] = cos(theta) * sin(phi);
    normal[2] = sin(theta);
    for (int a = 0; a < 3; a++)
        place[a] = 10.0 * normal[a];
}

static void test_hemisphere(void **state)
{
    problem p;

    shell_mesh_make(PHX_VECTOR_Q9, 8, 8, false, hemisphere, 6.825e7, 0.3, 0.04, 1.0, &p.mesh);
    open_problem(*state, &p);
    for (int j = 0; j < p.mesh.across; j++) {
        hold(&p, 0, j, 2 | 16);               /* y = 0 */
        hold(&p, p.mesh.along - 1, j, 1 | 8); /* x = 0 */
    }
    hold(&p, 0, 0, 4); /* z of one point */
    p.load[6 * shell_mesh_node(&p.mesh, 0, 0)] = 200.0;
    p.load[6 * shell_mesh_node(&p.mesh, p.mesh.along - 1, 0) + 1] = -200.0;
    assert_in_range(solve(*state, &p, 1.0), 1, 12);
    CHECK_CLOSE(moved(&p, 0, 0, 0), 4.0398, 2e-4, "outward");
    CHECK_CLOSE(-moved(&p, p.mesh.along - 1, 0, 1), 8.0400, 2e-4, "inward");
    close_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cantilever, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_hemisphere, context_setup, context_teardown),
    };
    return cmocka_run_group_tests_name("vector_static", tests, NULL, NULL);
}
