/* The rod as a body: its energy over any interval, its derivatives against differences, its resultants, its inertia. */
#include "body/rod/rod.h"
#include "span.h"

#include "algebra/algebra.h"

enum { ELEMENTS = 3, NODES = ELEMENTS + 1, ENTRIES = PHX_ROD_SECTION, SAMPLES = ELEMENTS * PHX_ROD_GAUSS };

/* ---- rods ---- */
typedef struct rod_case {
    phx_body *body;
    int dim, n_rot, n_v, n_x;
    double length[ELEMENTS];
} rod_case;

/* A curved and twisted rod of a coupled section with an offset that gets thinner, a mass at a node. */
static void open_rod(phx_context *context, int dim, double damping, rod_case *it)
{
    static const double stiff[6] = {900.0, 400.0, 500.0, 3.0, 2.0, 5.0}, heavy[6] = {2.0, 2.0, 2.0, 0.07, 0.03, 0.04};
    const double offset[3] = {0.0, 0.05, dim == 3 ? -0.03 : 0.0};
    const phx_rod_mass mass = {2, 0.7, {0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.04}};
    double place[3 * NODES] = {0}, axes[9 * NODES] = {0}, compliance[SAMPLES * ENTRIES], inertia[SAMPLES * ENTRIES];
    uint64_t seed = 4;
    phx_rod_def def = {.name = "rod",
                       .dim = dim,
                       .elements = ELEMENTS,
                       .place = place,
                       .axes = axes,
                       .length = it->length,
                       .compliance = compliance,
                       .mass = inertia,
                       .damping = damping,
                       .n_masses = 1,
                       .masses = &mass};

    for (int a = 0; a < dim; a++)
        axes[(dim + 1) * a] = 1.0;
    for (int k = 0; k < ELEMENTS; k++) {
        const double turn[3] = {dim == 3 ? 0.2 : 0.3, -0.15, 0.25};
        double mean[9], *D = axes + dim * dim * k;
        it->length[k] = 0.8 + 0.1 * k;
        phx_rot_cayley(dim, D, turn, D + dim * dim);
        for (int i = 0; i < dim * dim; i++)
            mean[i] = 0.5 * (D[i] + D[dim * dim + i]);
        for (int a = 0; a < dim; a++)
            place[dim * (k + 1) + a] = place[dim * k + a] + it->length[k] * mean[dim * a];
    }
    for (int k = 0; k < SAMPLES; k++) {
        double *C = compliance + ENTRIES * k, *M = inertia + ENTRIES * k;
        const double thick = 1.0 - 0.02 * k;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j <= i; j++)
                C[6 * i + j] = C[6 * j + i] = i == j ? stiff[i] * thick : (dim == 3 ? 0.2 : 0.0) * random_value(&seed);
        assert_int_equal(phx_dense_inverse(NULL, 6, C), PHX_OK);
        memset(M, 0, ENTRIES * sizeof *M);
        for (int i = 0; i < 6; i++)
            M[7 * i] = heavy[i] * thick;
        const double m = M[0],
                     cross[9] = {0, -offset[2], offset[1], offset[2], 0, -offset[0], -offset[1], offset[0], 0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                M[6 * (3 + i) + j] = m * cross[3 * i + j];
                M[6 * i + 3 + j] = -m * cross[3 * i + j];
                for (int l = 0; l < 3; l++)
                    M[6 * (3 + i) + 3 + j] -= m * cross[3 * i + l] * cross[3 * l + j];
            }
    }
    CHECK_OK(context, phx_rod_create(context, &def, &it->body));
    it->dim = dim;
    it->n_rot = phx_rotations(dim);
    it->n_v = phx_body_n_v(it->body);
    it->n_x = phx_body_n_x(it->body);
    assert_in_range(it->n_v, 1, MAX_V);
    assert_in_range(it->n_x, 1, MAX_X);
}

static const double BEND = 0.2;

/* Rods in the plane and in space, with and without damping. */
typedef void rod_check(uint64_t *seed, const rod_case *it, bool damped, const char *what);

static void check_rods(phx_context *context, uint64_t start, rod_check *check)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int damped = 0; damped < 2; damped++) {
            uint64_t seed = start;
            rod_case it;
            char what[40];
            snprintf(what, sizeof what, "dim %d, damped: %d", dim, damped);
            open_rod(context, dim, damped ? 0.01 : 0.0, &it);
            assert_true(phx_body_is_lossless(it.body) == !damped);
            check(&seed, &it, damped == 1, what);
            phx_body_destroy(it.body);
        }
}

static void balance(uint64_t *seed, const rod_case *it, bool damped, const char *what)
{
    static const double lengths[4] = {1e-3, 0.1, 0.5, -0.2};

    for (int n = 0; n < 40; n++)
        check_span_energy(seed, it->body, BEND, lengths[n % 4], damped, what);
}

static void test_energy(void **state)
{
    check_rods(*state, 17, balance);
}

/* ---- derivatives ---- */
static void interval_tangent(uint64_t *seed, const rod_case *it, bool damped, const char *what)
{
    (void)damped;
    check_span_tangent(seed, it->body, BEND, 0.3, what);
}

static void test_interval_tangent(void **state)
{
    check_rods(*state, 19, interval_tangent);
}

static void instant_tangents(uint64_t *seed, const rod_case *it, bool damped, const char *what)
{
    (void)damped;
    check_instant_tangents(seed, it->body, BEND, what);
}

static void test_instant_tangents(void **state)
{
    check_rods(*state, 23, instant_tangents);
}

/* ---- resultants ---- */
static void test_stress_derivative(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t seed = 29;
        rod_case it;
        double x[MAX_X], row[MAX_STRESS], got[MAX_V], sigma[MAX_STRESS];
        open_rod(*state, dim, 0.0, &it);
        const int n = phx_body_n_stress(it.body);
        assert_in_range(n, 1, MAX_STRESS);
        span_place(&seed, it.body, BEND, x);
        random_vector(&seed, n, 1.0, row);
        phx_body_stress_derivative(it.body, x, row, got);
        for (int c = 0; c < it.n_v; c++) {
            double xi[MAX_V] = {0}, x1[MAX_X], slope = 0.0;
            xi[c] = 1.0;
            for (int k = 0; k < 4; k++) {
                memcpy(x1, x, (size_t)it.n_x * sizeof *x);
                phx_body_displace(it.body, 1e-3 * span_side[k], xi, x1);
                phx_body_stress(it.body, x1, sigma);
                slope += span_weight[k] * dot_product(n, row, sigma);
            }
            CHECK_SMALL(got[c] - slope, 1e-7, "dim %d, column %d", dim, c);
        }
        phx_body_destroy(it.body);
    }
}

/* At rest there are none, wherever the rod is. */
static void test_no_stress_at_rest(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        const double twist[6] = {1.0, 2.0, 0.7, 0.4, -0.8, 1.1};
        rod_case it;
        double x[MAX_X], sigma[MAX_STRESS];
        open_rod(*state, dim, 0.0, &it);
        phx_body_rest(it.body, x);
        phx_body_displace_rigidly(it.body, 1.0, twist, x);
        phx_body_stress(it.body, x, sigma);
        CHECK_SMALL(max_abs(phx_body_n_stress(it.body), sigma), 2e-12, "dim %d", dim);
        CHECK_SMALL(phx_body_elastic(it.body, x), 1e-26, "dim %d, energy", dim);
        phx_body_destroy(it.body);
    }
}

/* ---- inertia ---- */
static void test_inertia(void **state)
{
    for (int dim = 2; dim <= 3; dim++) {
        uint64_t seed = 31;
        rod_case it;
        double x[MAX_X], v[MAX_V], p[MAX_V], twist[6], rigid[36], other[6], linear[3], angular[3];
        open_rod(*state, dim, 0.0, &it);
        const int r = dim + it.n_rot;
        phx_body_rest(it.body, x);
        random_vector(&seed, r, 1.0, twist);
        phx_body_rigid_motion(it.body, x, twist, v);
        phx_body_momenta(it.body, x, v, p);
        phx_body_rigid_force(it.body, x, p, other);
        phx_body_rigid_mass(it.body, x, rigid);
        for (int i = 0; i < r; i++)
            CHECK_CLOSE(dot_product(r, rigid + r * i, twist), other[i], 1e-13, "dim %d, row %d", dim, i);
        /* the first frame is at the origin: momenta about it */
        phx_body_inertial_momentum(it.body, x, v, linear, angular);
        CHECK_VECTOR(dim, linear, other, 1e-13, "dim %d", dim);
        CHECK_VECTOR(it.n_rot, angular, other + dim, 1e-13, "dim %d", dim);
        const phx_mass_properties *rest = phx_body_at_rest(it.body);
        double moment[3];
        phx_body_moment(it.body, x, moment);
        CHECK_VECTOR(dim, rest->s0, moment, 1e-14, "dim %d, first moment", dim);
        CHECK_CLOSE(0.5 * dot_product(it.n_v, v, p), phx_body_kinetic(it.body, x, v), 1e-13, "dim %d", dim);
        phx_body_destroy(it.body);
    }
}

/* A straight uniform rod has the mass and first moment of the continuum, and its inertia to 1/(3 n^3). */
static void test_uniform_inertia(void **state)
{
    enum { N = 8 };
    const double l = 2.0 / N, rhoA = 3.0, whole = 2.0;
    double place[2 * (N + 1)] = {0}, axes[4 * (N + 1)], length[N], C[N * PHX_ROD_GAUSS * ENTRIES] = {0};
    double M[N * PHX_ROD_GAUSS * ENTRIES] = {0};
    const phx_rod_def def = {.name = "uniform",
                             .dim = 2,
                             .elements = N,
                             .place = place,
                             .axes = axes,
                             .length = length,
                             .compliance = C,
                             .mass = M};
    phx_body *body = NULL;

    for (int k = 0; k <= N; k++) {
        place[2 * k] = k * l;
        memcpy(axes + 4 * k, ((const double[]){1, 0, 0, 1}), 4 * sizeof *axes);
    }
    for (int e = 0; e < N; e++)
        length[e] = l;
    for (int k = 0; k < N * PHX_ROD_GAUSS; k++)
        for (int i = 0; i < 6; i++) {
            C[ENTRIES * k + 7 * i] = 1e-3;
            M[ENTRIES * k + 7 * i] = i < 3 ? rhoA : 1e-9;
        }
    CHECK_OK(*state, phx_rod_create(*state, &def, &body));
    const phx_mass_properties *rest = phx_body_at_rest(body);
    CHECK_RELATIVE(rest->mass, rhoA * whole, 1e-14, "mass");
    CHECK_RELATIVE(rest->s0[0], 0.5 * rhoA * whole * whole, 1e-14, "first moment");
    const double J = rhoA * whole * whole * whole / 3.0, about_centre = 0.25 * J;
    CHECK_CLOSE((rest->J0[0] - J) / about_centre, 1.0 / (3.0 * N * N * N), 1e-8, "inertia");
    phx_body_destroy(body);
}

/* ---- what is refused ---- */
static void test_refusals(void **state)
{
    rod_case it;
    phx_location at = phx_location_at_fraction(0.5);
    phx_body_port port = {.frame = {0, 0}};

    open_rod(*state, 3, 0.0, &it);
    CHECK_STATUS(*state, phx_body_locate(it.body, *state, &at, &port), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(*state, "no node at 0.5");
    at.fraction = 1.0;
    CHECK_OK(*state, phx_body_locate(it.body, *state, &at, &port));
    assert_int_equal(port.frame.v, 6 * ELEMENTS);
    phx_body_destroy(it.body);
    CHECK_STATUS(*state, phx_rod_create(*state, NULL, &it.body), PHX_ERR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_energy, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_interval_tangent, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_instant_tangents, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_stress_derivative, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_no_stress_at_rest, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_inertia, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_uniform_inertia, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_refusals, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
