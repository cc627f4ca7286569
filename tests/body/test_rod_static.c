/* Equilibria of rods against solutions of the continuum's equations by shooting (tests/data/rod_static.json): order 4
 * with few elements, and closed forms. */
#include "body/rod/rod.h"
#include "support/testing.h"
#include "support/vectors.h"

#include "algebra/algebra.h"

enum { MOST = 32, ENTRIES = PHX_ROD_SECTION };

/* ---- rods ---- */
typedef struct rest_curve {
    double length;
    double curvature; /* in x-y, towards y */
    double twist;     /* of the whole length */
} rest_curve;

/* n nodes on, uniform section of a diagonal stiffness; the clamped end is the first node, at the origin. */
static phx_body *make_rod(phx_context *context, int n, const rest_curve *curve, const double stiffness[6])
{
    double place[3 * (MOST + 1)], axes[9 * (MOST + 1)], length[MOST];
    double *compliance = test_calloc((size_t)(n * PHX_ROD_GAUSS * ENTRIES), sizeof *compliance);
    double *mass = test_calloc((size_t)(n * PHX_ROD_GAUSS * ENTRIES), sizeof *mass);
    const phx_rod_def def = {.name = "rod",
                             .dim = 3,
                             .elements = n,
                             .place = place,
                             .axes = axes,
                             .length = length,
                             .compliance = compliance,
                             .mass = mass};
    phx_body *body = NULL;

    for (int k = 0; k <= n; k++) {
        const double s = curve->length * k / n, c = cos(curve->curvature * s), d = sin(curve->curvature * s);
        const double a = curve->twist * k / n, ca = cos(a), sa = sin(a);
        const double D[9] = {c, -d * ca, d * sa, d, c * ca, -c * sa, 0.0, sa, ca};
        memcpy(axes + 9 * k, D, sizeof D);
        place[3 * k] = curve->curvature > 0.0 ? d / curve->curvature : s;
        place[3 * k + 1] = curve->curvature > 0.0 ? (1.0 - c) / curve->curvature : 0.0;
        place[3 * k + 2] = 0.0;
        length[k < n ? k : 0] = curve->length / n;
    }
    for (int k = 0; k < n * PHX_ROD_GAUSS; k++)
        for (int i = 0; i < 6; i++) {
            compliance[ENTRIES * k + 7 * i] = 1.0 / stiffness[i];
            mass[ENTRIES * k + 7 * i] = 1.0;
        }
    CHECK_OK(context, phx_rod_create(context, &def, &body));
    test_free(compliance);
    test_free(mass);
    return body;
}

/* ---- equilibrium ---- */
/* Force in inertial axes and moment in the axes of the last section (a vector about z in the plane is both). */
typedef struct tip_load {
    double force[3], moment[3];
} tip_load;

/* Residual of all but the first node, and its derivative. */
static void equations(const phx_body *body, const double *x, const double *sigma, const tip_load *load, double factor,
                      double *res, double *K)
{
    const int n_v = phx_body_n_v(body), n = n_v - 6, *ptr, *idx, last = n_v - 6;
    const double gravity[3] = {0.0, 0.0, 0.0}, *R = x + 12 * (n_v / 6 - 1) + 3;
    double *still = test_calloc((size_t)n_v, sizeof *still), *all = test_calloc((size_t)n_v, sizeof *all), f[3];

    phx_body_pattern(body, &ptr, &idx);
    double *val = test_calloc((size_t)ptr[n_v], sizeof *val);
    phx_body_residual(body, gravity, x, still, still, all);
    phx_body_free_linearise(body, gravity, x, sigma, val);
    phx_rot_apply_transposed(3, R, load->force, f);
    for (int a = 0; a < 3; a++) {
        all[last + a] -= factor * f[a];
        all[last + 3 + a] -= factor * load->moment[a];
    }
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int i = 6; i < n_v; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            if (idx[k] >= 6)
                K[(i - 6) * n + idx[k] - 6] = val[k];
    for (int c = 0; c < 3; c++) { /* d(R^T F) = (R^T F) x phi */
        double unit[3] = {0}, change[3];
        unit[c] = 1.0;
        phx_vec_x_rot(3, f, unit, change);
        for (int a = 0; a < 3; a++)
            K[(n - 6 + a) * n + n - 3 + c] -= factor * change[a];
    }
    memcpy(res, all + 6, (size_t)n * sizeof *res);
    test_free(still);
    test_free(all);
    test_free(val);
}

static double largest_turn(int n_v, const double *xi)
{
    double most = 0.0;

    for (int i = 0; i < n_v; i++)
        if (i % 6 >= 3)
            most = fmax(most, fabs(xi[i]));
    return most;
}

/* Mixed Newton's method in `steps` equal load steps. */
static void equilibrium(phx_context *context, const phx_body *body, const tip_load *load, int steps, double *x)
{
    const int n_v = phx_body_n_v(body), n = n_v - 6;
    double *K = test_calloc((size_t)(n * n), sizeof *K), *xi = test_calloc((size_t)n_v, sizeof *xi);
    double *sigma = test_calloc((size_t)phx_body_n_free_stress(body), sizeof *sigma);

    phx_body_free_stress(body, x, NULL, sigma);
    for (int step = 1; step <= steps; step++) {
        double before = HUGE_VAL;
        int turn = 0;
        for (; turn < 60; turn++) {
            equations(body, x, sigma, load, (double)step / steps, xi + 6, K);
            CHECK_OK(context, phx_dense_solve(context, n, K, 1, xi + 6));
            const double largest = max_abs(n, xi + 6), turned = largest_turn(n_v, xi);
            const double part = turned > 0.7 ? 0.7 / turned : 1.0;
            for (int i = 0; i < n_v; i++)
                xi[i] *= -part;
            phx_body_free_stress(body, x, turned < 0.1 ? NULL : xi, sigma);
            phx_body_displace(body, 1.0, xi, x);
            if (turned < 0.1)
                phx_body_free_stress(body, x, NULL, sigma);
            if (largest < 1e-12 * fmax(1.0, max_abs(phx_body_n_x(body), x)) ||
                (largest < 1e-9 && largest > 0.5 * before))
                break; /* the last digits */
            before = largest;
        }
        assert_in_range(turn, 0, 59);
    }
    test_free(K);
    test_free(xi);
    test_free(sigma);
}

static void solve_tip(phx_context *context, int n, const rest_curve *curve, const double stiffness[6],
                      const tip_load *load, int steps, double *tip)
{
    phx_body *body = make_rod(context, n, curve, stiffness);
    double *x = test_calloc((size_t)phx_body_n_x(body), sizeof *x);

    phx_body_rest(body, x);
    equilibrium(context, body, load, steps, x);
    memcpy(tip, x + 12 * n, 12 * sizeof *tip);
    test_free(x);
    phx_body_destroy(body);
}

/* ---- closed forms ---- */
/* A moment 2 pi EI/L at the end rolls the rod up to a circle, with four elements as with any number. */
static void test_roll_up(void **state)
{
    const rest_curve straight = {.length = 2.0};
    const double stiffness[6] = {1e4, 1e4, 1e4, 3.0, 2.0, 2.0};
    const tip_load load = {.moment = {0.0, 0.0, TEST_PI * 2.0}};
    double tip[12];

    solve_tip(*state, 4, &straight, stiffness, &load, 8, tip);
    CHECK_VECTOR(3, tip, ((double[]){0.0, 0.0, 0.0}), 1e-12, "place");
    CHECK_VECTOR(9, tip + 3, ((double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}), 1e-12, "attitude");
}

/* ---- values by shooting ---- */
static char *find_case(char *text, const char *name)
{
    char *object;

    while ((object = vectors_next(&text)))
        if (vectors_value_is(object, "case", name))
            return object;
    print_error("case '%s' is missing\n", name);
    fail();
    return NULL;
}

/* A cantilever bend of 45 degrees under a force across its plane. */
static void test_bend(void **state)
{
    const rest_curve arc = {.length = 25.0 * TEST_PI, .curvature = 0.01};
    const tip_load load = {.force = {0.0, 0.0, 600.0}};
    char *text = vectors_text("rod_static.json"), *object = find_case(text, "bend45_P600");
    double want[3], error[2];

    const double EA = vectors_number(object, "EA"), GA = vectors_number(object, "GAk"),
                 GJ = vectors_number(object, "GJ"), EI = vectors_number(object, "EI");
    const double stiffness[6] = {EA, GA, GA, GJ, EI, EI};
    vectors_numbers(object, "tip", 3, want);
    for (int k = 0; k < 2; k++) {
        double tip[12];
        solve_tip(*state, k == 0 ? 8 : 16, &arc, stiffness, &load, 1, tip);
        error[k] = 0.0;
        for (int a = 0; a < 3; a++)
            error[k] = fmax(error[k], fabs(tip[a] - want[a]));
    }
    CHECK_BELOW(error[1], 5e-5, "16 elements");
    CHECK_BETWEEN(log2(error[0] / error[1]), 3.7, 4.3, "order: errors %g, %g", error[0], error[1]);
    test_free(text);
}

static void test_elastica(void **state)
{
    const rest_curve straight = {.length = 1.0};
    const tip_load load = {.force = {0.0, -3.0, 0.0}};
    char *text = vectors_text("rod_static.json"), *object = find_case(text, "elastica_P3_M0.0000");
    const double EA = vectors_number(object, "EA"), GA = vectors_number(object, "GA"),
                 EI = vectors_number(object, "EI");
    const double stiffness[6] = {EA, GA, GA, EI, EI, EI};
    double want[3], error[2];

    vectors_numbers(object, "tip_x_y_angle", 3, want);
    for (int k = 0; k < 2; k++) {
        double tip[12];
        solve_tip(*state, k == 0 ? 2 : 4, &straight, stiffness, &load, 4, tip);
        error[k] = fmax(fabs(tip[0] - want[0]), fabs(tip[1] - want[1]));
        error[k] = fmax(error[k], fabs(atan2(tip[6], tip[3]) - want[2]));
    }
    CHECK_BETWEEN(log2(error[0] / error[1]), 3.6, 4.6, "order: errors %g, %g", error[0], error[1]);
    CHECK_BELOW(error[1], 2e-4, "4 elements");
    test_free(text);
}

/* The Princeton beam, a thin strip loaded at an angle to its stiff direction: the twist of the tip. */
static void test_princeton(void **state)
{
    const rest_curve straight = {.length = 0.508};
    char *text = vectors_text("rod_static.json"), *object = find_case(text, "princeton_P13.345_theta45");
    const double stiffness[6] = {vectors_number(object, "EA"),      vectors_number(object, "GA2"),
                                 vectors_number(object, "GA3"),     vectors_number(object, "GJ"),
                                 vectors_number(object, "EI_flap"), vectors_number(object, "EI_chord")};
    const double P = 13.345 * sqrt(0.5); /* chord along y, bending about z */
    const tip_load load = {.force = {0.0, P, P}};
    double want[4], error[2];

    vectors_numbers(object, "dx_dchord_dflap_twistdeg", 4, want);
    for (int k = 0; k < 2; k++) {
        double tip[12];
        solve_tip(*state, k == 0 ? 4 : 8, &straight, stiffness, &load, 3, tip);
        const double *R = tip + 3; /* the chord direction against the plane across the axis: twist of the section */
        const double twist = atan2(R[7], R[8]) * 180.0 / TEST_PI;
        if (k == 1) {
            CHECK_SMALL(tip[0] - 0.508 - want[0], 1e-6, "x");
            CHECK_SMALL(tip[1] - want[1], 5e-6, "chord");
            CHECK_SMALL(tip[2] - want[2], 5e-6, "flap");
        }
        error[k] = fabs(fabs(twist) - fabs(want[3]));
    }
    CHECK_BELOW(error[1], 7.5e-5, "degrees of twist, 8 elements");
    CHECK_BETWEEN(log2(error[0] / error[1]), 3.5, 4.5, "order: errors %g, %g", error[0], error[1]);
    test_free(text);
}

/* MacNeal's beam, twisted by 90 degrees: compliance of the tip in both directions under small forces. */
static void test_twisted(void **state)
{
    char *text = vectors_text("rod_static.json"), *object = find_case(text, "twisted_beam_t0.32");
    const double L = vectors_number(object, "L"), w = vectors_number(object, "w"), t = vectors_number(object, "t"),
                 E = vectors_number(object, "E"), k = vectors_number(object, "k"),
                 G = E / (2.0 * (1.0 + vectors_number(object, "nu")));
    const rest_curve twisted = {.length = L, .twist = 0.5 * TEST_PI};
    /* thin along y at the clamped end: a force along y bends about z with w t^3/12 there */
    const double stiffness[6] = {E * w * t,
                                 k * G * w * t,
                                 k * G * w * t,
                                 G * w * t * t * t / 3.0 * (1.0 - 0.63 * t / w),
                                 E * t * w * w * w / 12.0,
                                 E * w * t * t * t / 12.0};
    const double small = 1e-4;
    double want[2], error[2];

    vectors_numbers(object, "tip_compliance_thin_wide", 2, want);
    for (int n = 0; n < 2; n++) {
        error[n] = 0.0;
        for (int direction = 0; direction < 2; direction++) {
            tip_load load = {.force = {0.0, 0.0, 0.0}};
            double tip[12];
            load.force[1 + direction] = small;
            solve_tip(*state, n == 0 ? 4 : 8, &twisted, stiffness, &load, 1, tip);
            error[n] = fmax(error[n], fabs(tip[1 + direction] / small / want[direction] - 1.0));
        }
    }
    CHECK_BELOW(error[1], 2e-5, "8 elements");
    CHECK_BELOW(error[1], error[0] / 12.0, "order 4 or better: errors %g, %g", error[0], error[1]);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_roll_up, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_bend, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_elastica, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_princeton, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_twisted, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
