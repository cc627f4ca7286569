/* Norms and passivity of systems whose norms are known by hand, and the transfer function of descriptor systems: the
 * index-2 RCL ladder of Freund (2008), values by a continued fraction. */
#include "statespace/statespace.h"
#include "support.h"

#include <complex.h>

static phx_ss *make(phx_context *context, int n, int m, const double *A, const double *B, const double *C,
                    const double *D)
{
    const phx_ss_def def = {.n = n, .n_inputs = m, .n_outputs = m, .A = A, .B = B, .C = C, .D = D};
    phx_ss *ss = NULL;
    CHECK_OK(context, phx_ss_create(context, &def, &ss));
    return ss;
}

/* b^2 s/(s^2 + d s + w^2): H-infinity b^2/d at w, H2^2 = b^4/(2 d). */
static phx_ss *oscillator(phx_context *context, double w, double d, double b)
{
    const double A[] = {0.0, w, -w, -d}, B[] = {0.0, b};
    return make(context, 2, 1, A, B, B, NULL);
}

static void norms_of_an_oscillator(void **state)
{
    phx_context *context = *state;
    phx_norm norm;
    double h2 = 0.0, value = 0.0, at = 3.0;
    phx_ss *ss = oscillator(context, 3.0, 0.02, 1.5);

    CHECK_OK(context, phx_ss_h2_norm(context, ss, &h2));
    CHECK_RELATIVE(h2, 1.5 * 1.5 / sqrt(0.04), 1e-12, "H2");
    CHECK_OK(context, phx_ss_hinf_norm(context, ss, NULL, 1e-9, &norm));
    CHECK_RELATIVE(norm.lower, 2.25 / 0.02, 1e-10, "H-infinity from below");
    CHECK_BETWEEN(norm.upper, 2.25 / 0.02, 2.25 / 0.02 * (1.0 + 2e-9), "H-infinity from above");
    CHECK_RELATIVE(norm.omega, 3.0, 1e-5, "frequency of the peak");
    CHECK_OK(context, phx_ss_singular_values(context, ss, 1, &at, &value));
    CHECK_RELATIVE(value, norm.lower, 1e-10, "singular value at the peak");
    const double band[] = {0.5, 2.0};
    CHECK_OK(context, phx_ss_hinf_norm(context, ss, band, 1e-9, &norm));
    CHECK_RELATIVE(norm.lower, 2.25 * 2.0 / hypot(9.0 - 4.0, 0.04), 1e-12, "the largest value of a band at its end");
    CHECK_CLOSE(norm.omega, 2.0, 0.0, "at the end");
    const double wide[] = {2.0, HUGE_VAL};
    CHECK_OK(context, phx_ss_hinf_norm(context, ss, wide, 1e-9, &norm));
    CHECK_RELATIVE(norm.lower, 2.25 / 0.02, 1e-10, "a band without end");
    const double falling[] = {2.0, 1.0};
    CHECK_STATUS(context, phx_ss_hinf_norm(context, ss, falling, 0.0, &norm), PHX_ERR_ARGUMENT);
    phx_ss_destroy(ss);
}

/* The peak lies between the poles of two coupled modes, and the feedthrough may exceed it. */
static void norms_with_feedthrough(void **state)
{
    phx_context *context = *state;
    const double A[] = {-1.0}, one[] = {1.0}, D[] = {-3.0};
    phx_norm norm;
    double h2 = 0.0;
    phx_ss *ss = make(context, 1, 1, A, one, one, D);

    CHECK_OK(context, phx_ss_hinf_norm(context, ss, NULL, 1e-9, &norm)); /* 1/(s+1) - 3: 3 at infinity */
    CHECK_RELATIVE(norm.lower, 3.0, 1e-12, "the feedthrough");
    assert_true(isinf(norm.omega));
    CHECK_STATUS(context, phx_ss_h2_norm(context, ss, &h2), PHX_ERR_ANALYSIS);
    phx_ss_destroy(ss);
    ss = oscillator(context, 1.0, 0.0, 1.0);
    CHECK_STATUS(context, phx_ss_hinf_norm(context, ss, NULL, 0.0, &norm), PHX_ERR_ANALYSIS);
    CHECK_STATUS(context, phx_ss_h2_norm(context, ss, &h2), PHX_ERR_ANALYSIS);
    phx_ss_destroy(ss);
}

/* s/(s^2 + d s + 1) + c/(s + 1)^2-like terms: passive with collocated output, not when the output is displaced. */
static void passivity(void **state)
{
    phx_context *context = *state;
    phx_passivity it;
    phx_ss *ss = oscillator(context, 2.0, 0.1, 1.0);
    CHECK_OK(context, phx_ss_passivity(context, ss, 1e-8, &it));
    assert_true(it.passive);
    phx_ss_destroy(ss);
    const double A[] = {0.0, 2.0, -2.0, -0.1}, B[] = {0.0, 1.0}, C[] = {0.5, 1.0};
    ss = make(context, 2, 1, A, B, C, NULL); /* (s + 1)/(..): phase beyond 90 degrees above the resonance */
    CHECK_OK(context, phx_ss_passivity(context, ss, 1e-8, &it));
    assert_false(it.passive);
    /* Re H at omega: with h = 4 - w^2, (h + 0.1 w^2)/(h^2 + 0.01 w^2); the test looks at the middles of its intervals
     */
    const double w2 = it.omega * it.omega, h = 4.0 - w2;
    CHECK_RELATIVE(it.least, (h + 0.1 * w2) / (h * h + 0.01 * w2), 1e-9, "the eigenvalue that was seen");
    CHECK_BELOW(it.least, 0.0, "it is negative");
    phx_ss_destroy(ss);
}

/* ---- the RCL ladder ---- */
enum { LOOPS = 500, NODES = 2 * LOOPS + 1, SIZE = NODES + LOOPS + 1 };

typedef struct triplets {
    int count, row[4 * SIZE], col[4 * SIZE];
    double val[4 * SIZE];
} triplets;

static void add(triplets *list, int row, int col, double val)
{
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->val[list->count++] = val;
}

static void matrix(phx_context *context, const triplets *list, int cols, phx_csr *out)
{
    CHECK_OK(context,
             phx_csr_from_triplets(context, SIZE, cols, (size_t)list->count, list->row, list->col, list->val, out));
}

/* Node voltages, currents of the inductors, current of the source; R = 0.2, L = C = 1. Nodes 1, 3, 5 .. have the
 * capacitors, a resistor leads from them to 2, 4 .., an inductor from these to the next; the last node has a resistor
 * to the ground. */
static phx_descriptor *ladder(phx_context *context)
{
    static triplets E, J, R, Q, B;
    const double conductance = 1.0 / 0.2;
    phx_csr e = {0}, j = {0}, r = {0}, q = {0}, b = {0};
    const phx_descriptor_port port = {"source", 1};
    phx_descriptor_def def = phx_descriptor_def_default();
    phx_descriptor *system = NULL;

    E.count = J.count = R.count = Q.count = B.count = 0;
    for (int k = 0; k < LOOPS; k++) {
        const int from = 2 * k, to = 2 * k + 1, current = NODES + k;
        add(&E, from, from, 1.0);
        add(&E, current, current, 1.0);
        add(&R, from, from, conductance);
        add(&R, to, to, conductance);
        add(&R, from, to, -conductance);
        add(&R, to, from, -conductance);
        add(&J, to, current, -1.0);
        add(&J, current, to, 1.0);
        add(&J, to + 1, current, 1.0);
        add(&J, current, to + 1, -1.0);
    }
    add(&R, NODES - 1, NODES - 1, conductance);
    add(&J, 0, SIZE - 1, 1.0);
    add(&J, SIZE - 1, 0, -1.0);
    add(&B, SIZE - 1, 0, 1.0);
    for (int k = 0; k < SIZE; k++)
        add(&Q, k, k, 1.0);
    matrix(context, &E, SIZE, &e);
    matrix(context, &J, SIZE, &j);
    matrix(context, &R, SIZE, &r);
    matrix(context, &Q, SIZE, &q);
    matrix(context, &B, 1, &b);
    def.name = "ladder";
    def.n = SIZE;
    def.E = &e;
    def.J = &j;
    def.R = &r;
    def.Q = &q;
    def.B = &b;
    def.n_ports = 1;
    def.ports = &port;
    CHECK_OK(context, phx_descriptor_create(context, &def, &system));
    phx_csr_free(&e);
    phx_csr_free(&j);
    phx_csr_free(&r);
    phx_csr_free(&q);
    phx_csr_free(&b);
    return system;
}

static double complex at(phx_context *context, const phx_descriptor *system, double complex s)
{
    double H[2];
    CHECK_OK(context, phx_descriptor_transfer(context, system, creal(s), cimag(s), H));
    return H[0] + I * H[1];
}

static void the_ladder_of_index_two(void **state)
{
    phx_context *context = *state;
    phx_descriptor *system = ladder(context);
    const double complex points[] = {0.1 * I, I, 1.0},
                         wanted[] = {0.567274697856516 + 0.4025628778362823 * I,
                                     0.8510600617955228 + 0.6129812694429402 * I, 1.540832999733066};
    for (int k = 0; k < 3; k++) /* the published benchmark */
        CHECK_SMALL(cabs(at(context, system, points[k]) - wanted[k]), 1e-12, "point %d", k);
    for (int k = 0; k < 3; k++) { /* admittance: C beside R + L in series with the next loop */
        double complex Y = 5.0;
        for (int loop = 0; loop < LOOPS; loop++)
            Y = points[k] + 1.0 / (0.2 + points[k] + 1.0 / Y);
        CHECK_SMALL(cabs(at(context, system, points[k]) - Y), 1e-12, "continued fraction at point %d", k);
    }
    const double z = 1e6; /* H = D1 z + D0 + 1/z + .. */
    const double D1 = creal(at(context, system, 2.0 * z) - at(context, system, z)) / z;
    CHECK_CLOSE(D1, 1.0, 1e-9, "D1");
    CHECK_CLOSE(creal(at(context, system, z)) - z, 1.0 / z, 1e-9, "D0 is zero");
    phx_descriptor_destroy(system);
}

static void refused(void **state)
{
    phx_context *context = *state;
    const phx_descriptor_def def = {.name = "frozen", .n = 1};
    phx_descriptor *system = NULL;
    double H[2];
    CHECK_OK(context, phx_descriptor_create(context, &def, &system));
    CHECK_STATUS(context, phx_descriptor_transfer(context, system, 1.0, 0.0, H), PHX_ERR_UNSUPPORTED);
    phx_descriptor_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(norms_of_an_oscillator, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(norms_with_feedthrough, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(passivity, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_ladder_of_index_two, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(refused, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
