/* The rod as a body: its energy over any interval, its derivatives against differences, its resultants, its inertia. */
#include "body/rod/rod.h"
#include "support.h"

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

static void random_place(uint64_t *seed, const rod_case *it, double *x)
{
    double xi[MAX_V], twist[6];

    phx_body_rest(it->body, x);
    random_vector(seed, it->n_v, 0.2, xi);
    phx_body_displace(it->body, 1.0, xi, x);
    random_vector(seed, 6, 2.0, twist);
    phx_body_displace_rigidly(it->body, 1.0, twist, x);
}

static void spread_rod(const rod_case *it, const double *val, double *dense)
{
    const int *ptr, *idx;

    phx_body_pattern(it->body, &ptr, &idx);
    memset(dense, 0, MAX_V * MAX_V * sizeof *dense);
    for (int i = 0; i < it->n_v; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            dense[i * it->n_v + idx[k]] = val[k];
}

/* ---- intervals ---- */
typedef struct span {
    double x0[MAX_X], x1[MAX_X], xm[MAX_X], v0[MAX_V], v1[MAX_V], vm[MAX_V], res[MAX_V];
    phx_body_view view;
} span;

static void take(const rod_case *it, double h, span *at)
{
    double low[MAX_X] = {0}, lost[MAX_X] = {0};
    phx_products *products = phx_body_products_create(NULL, it->body, NULL);

    assert_non_null(products);
    for (int i = 0; i < it->n_v; i++)
        at->v1[i] = 2.0 * at->vm[i] - at->v0[i];
    phx_body_move(it->body, h, at->x0, low, at->vm, at->x1, lost, at->xm);
    at->view = (phx_body_view){.h = h,
                               .x0 = at->x0,
                               .x1 = at->x1,
                               .xm = at->xm,
                               .v0 = at->v0,
                               .v1 = at->v1,
                               .vm = at->vm,
                               .products = products};
    phx_body_interval_begin(it->body, h, at->x0, at->v0, products);
    phx_body_interval_residual(it->body, test_gravity, &at->view, at->res);
}

static void leave(const rod_case *it, span *at)
{
    phx_body_products_destroy(it->body, at->view.products);
}

static void random_span(uint64_t *seed, const rod_case *it, double h, span *at)
{
    random_place(seed, it, at->x0);
    random_vector(seed, it->n_v, 0.6, at->v0);
    random_vector(seed, it->n_v, 0.6, at->vm);
    take(it, h, at);
}

static double energy(const rod_case *it, const double *x, const double *v)
{
    return phx_body_kinetic(it->body, x, v) + phx_body_elastic(it->body, x) +
           phx_body_potential(it->body, test_gravity, x);
}

static void test_energy(void **state)
{
    static const double lengths[4] = {1e-3, 0.1, 0.5, -0.2};

    for (int dim = 2; dim <= 3; dim++)
        for (int damped = 0; damped < 2; damped++) {
            uint64_t seed = 17;
            rod_case it;
            open_rod(*state, dim, damped ? 0.01 : 0.0, &it);
            assert_true(phx_body_is_lossless(it.body) == !damped);
            for (int n = 0; n < 40; n++) {
                const double h = lengths[n % 4];
                span at;
                random_span(&seed, &it, h, &at);
                const double lost = h * phx_body_interval_dissipation(it.body, &at.view);
                phx_body_interval_finish(it.body, h, at.v0, at.v1);
                const double gain = energy(&it, at.x1, at.v1) - energy(&it, at.x0, at.v0);
                const double work = h * dot_product(it.n_v, at.vm, at.res);
                const double scale = fabs(energy(&it, at.x0, at.v0)) + fabs(energy(&it, at.x1, at.v1)) + fabs(lost);
                CHECK_SMALL((work - gain - lost) / scale, 1e-13, "dim %d, h = %g", dim, h);
                assert_true(damped ? lost * h > 0.0 : lost == 0.0);
                leave(&it, &at);
            }
            phx_body_destroy(it.body);
        }
}

/* ---- derivatives ---- */
static const double side[4] = {-2, -1, 1, 2}, weight[4] = {1.0, -8.0, 8.0, -1.0};

/* x1 = x (+) step xi with the exponential, by many small turns */
static void move_along(const rod_case *it, const double *x, double step, const double *xi, double *x1)
{
    memcpy(x1, x, (size_t)it->n_x * sizeof *x);
    phx_body_displace(it->body, step, xi, x1);
}

static void test_interval_tangent(void **state)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int damped = 0; damped < 2; damped++) {
            uint64_t seed = 19;
            rod_case it;
            span at;
            double A[MAX_V * MAX_V], dense[MAX_V * MAX_V], room[2 * MAX_V * MAX_V];
            open_rod(*state, dim, damped ? 0.01 : 0.0, &it);
            random_span(&seed, &it, 0.3, &at);
            phx_body_interval_linearise(it.body, test_gravity, &at.view, room, A);
            spread_rod(&it, A, dense);
            for (int c = 0; c < it.n_v; c++) {
                double column[MAX_V] = {0}, got[MAX_V];
                for (int k = 0; k < 4; k++) {
                    span other = at;
                    other.vm[c] += 1e-3 * side[k];
                    take(&it, 0.3, &other);
                    for (int i = 0; i < it.n_v; i++)
                        column[i] += weight[k] / (12.0 * 1e-3) * other.res[i];
                    leave(&it, &other);
                }
                for (int i = 0; i < it.n_v; i++)
                    got[i] = dense[i * it.n_v + c];
                CHECK_VECTOR(it.n_v, got, column, 1e-8, "dim %d, column %d", dim, c);
            }
            leave(&it, &at);
            phx_body_destroy(it.body);
        }
}

static void check_columns(const rod_case *it, const char *what, const double *val, const double *x, const double *v,
                          bool of_place)
{
    const double still[MAX_V] = {0};
    double dense[MAX_V * MAX_V];

    spread_rod(it, val, dense);
    for (int c = 0; c < it->n_v; c++) {
        double column[MAX_V] = {0}, got[MAX_V], res[MAX_V];
        for (int k = 0; k < 4; k++) {
            double xi[MAX_V] = {0}, x1[MAX_X], v1[MAX_V];
            memcpy(v1, v, (size_t)it->n_v * sizeof *v);
            xi[c] = 1.0;
            move_along(it, x, of_place ? 1e-3 * side[k] : 0.0, xi, x1);
            if (!of_place)
                v1[c] += 1e-3 * side[k];
            phx_body_residual(it->body, test_gravity, x1, v1, still, res);
            for (int i = 0; i < it->n_v; i++)
                column[i] += weight[k] / (12.0 * 1e-3) * res[i];
        }
        for (int i = 0; i < it->n_v; i++)
            got[i] = dense[i * it->n_v + c];
        CHECK_VECTOR(it->n_v, got, column, 1e-8, "%s, dim %d, column %d", what, it->dim, c);
    }
}

static void test_instant_tangents(void **state)
{
    for (int dim = 2; dim <= 3; dim++)
        for (int damped = 0; damped < 2; damped++) {
            uint64_t seed = 23;
            rod_case it;
            double x[MAX_X], v[MAX_V], M[MAX_V * MAX_V], D[MAX_V * MAX_V], K[MAX_V * MAX_V];
            open_rod(*state, dim, damped ? 0.01 : 0.0, &it);
            random_place(&seed, &it, x);
            random_vector(&seed, it.n_v, 0.8, v);
            phx_body_linearise(it.body, test_gravity, x, v, M, D, K);
            check_columns(&it, "D", D, x, v, false);
            check_columns(&it, "K", K, x, v, true);
            phx_body_destroy(it.body);
        }
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
        random_place(&seed, &it, x);
        random_vector(&seed, n, 1.0, row);
        phx_body_stress_derivative(it.body, x, row, got);
        for (int c = 0; c < it.n_v; c++) {
            double xi[MAX_V] = {0}, x1[MAX_X], slope = 0.0;
            xi[c] = 1.0;
            for (int k = 0; k < 4; k++) {
                move_along(&it, x, 1e-3 * side[k], xi, x1);
                phx_body_stress(it.body, x1, sigma);
                slope += weight[k] / (12.0 * 1e-3) * dot_product(n, row, sigma);
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
