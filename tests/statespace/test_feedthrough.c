/* Descriptor systems with feedthrough: the power balance, and every interconnection against that of the state-space
 * systems, whose algebra is another one. */
#include "support.h"
#include "statespace/internal.h"

enum { N = 6, INPUTS = 5, ALL = N + INPUTS, WIDE = 2 * ALL, SAMPLES = 20 };

/* root^T root + shift, exactly symmetric */
static void positive(uint64_t *seed, int n, double shift, double *out)
{
    double root[ALL * ALL];

    random_vector(seed, n * n, 1.0, root);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? shift : 0.0;
            for (int k = 0; k < n; k++)
                sum += root[k * n + i] * root[k * n + j];
            out[i * n + j] = out[j * n + i] = sum;
        }
    }
}

static void skew(uint64_t *seed, int n, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i * n + i] = 0.0;
        for (int j = 0; j < i; j++) {
            out[i * n + j] = random_value(seed);
            out[j * n + i] = -out[i * n + j];
        }
    }
}

static void cut(phx_context *context, const double *from, int ld, int row, int rows, int col, int cols, phx_csr *out)
{
    double block[ALL * ALL];

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            block[i * cols + j] = from[(row + i) * ld + col + j];
    CHECK_STATUS(context, phx_csr_from_dense(context, rows, cols, block, 0.0, out), PHX_OK);
}

/* A system with the ports `a` (2) and `b` (3) and no zeros anywhere. With `lossless` W is zero. */
static phx_descriptor *make(phx_context *context, const char *name, uint64_t seed, bool lossless)
{
    static const phx_descriptor_port ports[] = {{"a", 2}, {"b", 3}};
    double E[N * N], Q[N * N], J[N * N], W[ALL * ALL] = {0}, Nm[INPUTS * INPUTS], B[N * INPUTS];
    phx_descriptor_def def = phx_descriptor_def_default();
    phx_descriptor *system = NULL;
    phx_csr m[8] = {{0}};

    positive(&seed, N, 1.0, E);
    for (int i = 0; i < N * N; i++)
        Q[i] = i % (N + 1) ? 0.0 : 1.0;
    skew(&seed, N, J);
    skew(&seed, INPUTS, Nm);
    random_vector(&seed, N * INPUTS, 1.0, B);
    if (!lossless)
        positive(&seed, ALL, 0.1, W);
    cut(context, E, N, 0, N, 0, N, &m[0]);
    cut(context, J, N, 0, N, 0, N, &m[1]);
    cut(context, W, ALL, 0, N, 0, N, &m[2]);
    cut(context, Q, N, 0, N, 0, N, &m[3]);
    cut(context, B, INPUTS, 0, N, 0, INPUTS, &m[4]);
    cut(context, W, ALL, 0, N, N, INPUTS, &m[5]);
    cut(context, W, ALL, N, INPUTS, N, INPUTS, &m[6]);
    cut(context, Nm, INPUTS, 0, INPUTS, 0, INPUTS, &m[7]);
    def = (phx_descriptor_def){.name = name,
                               .n = N,
                               .E = &m[0],
                               .J = &m[1],
                               .R = &m[2],
                               .Q = &m[3],
                               .B = &m[4],
                               .P = &m[5],
                               .S = &m[6],
                               .N = &m[7],
                               .n_ports = 2,
                               .ports = ports};
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &system), PHX_OK);
    for (int k = 0; k < 8; k++)
        phx_csr_free(&m[k]);
    return system;
}

static phx_descriptor *make_pair(phx_context *context, bool lossless)
{
    phx_descriptor *parts[2] = {make(context, "one", 11, lossless), make(context, "two", 22, lossless)}, *pair = NULL;

    CHECK_STATUS(context, phx_descriptor_append(context, "pair", 2, (const phx_descriptor *const *)parts, &pair),
                 PHX_OK);
    phx_descriptor_destroy(parts[0]);
    phx_descriptor_destroy(parts[1]);
    return pair;
}

static phx_ss *convert(phx_context *context, const phx_descriptor *system)
{
    phx_ss *ss = NULL;

    CHECK_STATUS(context, phx_ss_from_descriptor(context, system, &ss), PHX_OK);
    return ss;
}

/* H_dot = z^T E e_dot = y^T u - (z, u)^T W (z, u); multipliers do no work. */
static void check_power(phx_context *context, const phx_descriptor *system, const char *what)
{
    const int n = phx_descriptor_n(system), m = phx_descriptor_inputs(system);
    phx_descriptor_structure found;
    uint64_t seed = 5;

    CHECK_STATUS(context, phx_descriptor_check(context, system, &found), PHX_OK);
    CHECK_CLOSE(found.skew, 0.0, 0.0, "%s: J + J^T, N + N^T", what);
    CHECK_CLOSE(found.dissipation, 0.0, 0.0, "%s: R - R^T, S - S^T", what);
    CHECK_BETWEEN(found.W_least, -1e-12, HUGE_VAL, "%s: least eigenvalue of W", what);
    for (int k = 0; k < SAMPLES; k++) {
        double z[WIDE], u[WIDE], y[WIDE], rhs[WIDE];
        random_vector(&seed, n, 1.0, z);
        random_vector(&seed, m, 1.0, u);
        phx_descriptor_rates(system, z, u, rhs);
        phx_descriptor_outputs(system, z, u, y);
        CHECK_CLOSE(dot_product(n, z, rhs), dot_product(m, y, u) - phx_descriptor_dissipation(system, z, u), 1e-11,
                    "%s: power balance of state %d", what, k);
    }
}

/* Both structures sound, and the same frequency response. */
static void check_equal(phx_context *context, const phx_descriptor *system, const phx_ss *want, const char *what)
{
    const int m = phx_ss_inputs(want);
    phx_ss *got = convert(context, system);
    double a[2 * WIDE * WIDE], b[2 * WIDE * WIDE];
    uint64_t seed = 77;

    check_power(context, system, what);
    assert_int_equal(phx_ss_inputs(got), m);
    assert_int_equal(phx_ss_outputs(want), m);
    for (int k = 0; k < SAMPLES; k++) {
        const double omega = 5.0 * fabs(random_value(&seed));
        double scale = 0.0;
        CHECK_STATUS(context, phx_ss_response(context, got, omega, a), PHX_OK);
        CHECK_STATUS(context, phx_ss_response(context, want, omega, b), PHX_OK);
        for (int i = 0; i < 2 * m * m; i++)
            scale = fmax(scale, fabs(b[i]));
        for (int i = 0; i < 2 * m * m; i++)
            CHECK_CLOSE(a[i], b[i], 1e-11 * scale, "%s: response at omega = %g, entry %d", what, omega, i);
    }
    phx_ss_destroy(got);
}

static void test_power(void **state)
{
    phx_context *context = *state;
    phx_descriptor *one = make(context, "one", 3, false), *copy = NULL, *pair = make_pair(context, false);
    phx_descriptor_structure found;

    check_power(context, one, "one system");
    CHECK_STATUS(context, phx_descriptor_check(context, one, &found), PHX_OK);
    CHECK_BETWEEN(found.W_least, 0.1, 1.0, "least eigenvalue of W"); /* by construction */
    assert_true(phx_csr_find(phx_descriptor_P(one), 0, 1) >= 0);
    CHECK_STATUS(context, phx_descriptor_copy(context, one, "two", &copy), PHX_OK);
    CHECK_SAME(phx_descriptor_P(copy), phx_descriptor_P(one), "P");
    CHECK_SAME(phx_descriptor_S(copy), phx_descriptor_S(one), "S");
    CHECK_SAME(phx_descriptor_N(copy), phx_descriptor_N(one), "N");
    check_power(context, pair, "side by side");
    phx_descriptor_destroy(one);
    phx_descriptor_destroy(copy);
    phx_descriptor_destroy(pair);
}

/* Side by side, and in standard form. */
static void test_append(void **state)
{
    phx_context *context = *state;
    phx_descriptor *parts[2] = {make(context, "one", 11, false), make(context, "two", 22, false)};
    phx_descriptor *pair = make_pair(context, false), *standard = NULL;
    phx_ss *ss[2] = {convert(context, parts[0]), convert(context, parts[1])}, *both = NULL;

    CHECK_STATUS(context, phx_ss_append(context, "pair", 2, (const phx_ss *const *)ss, &both), PHX_OK);
    check_equal(context, pair, both, "append");
    CHECK_STATUS(context, phx_descriptor_standard(context, pair, &standard), PHX_OK);
    check_equal(context, standard, both, "standard form");
    for (int k = 0; k < 2; k++) {
        phx_descriptor_destroy(parts[k]);
        phx_ss_destroy(ss[k]);
    }
    phx_descriptor_destroy(pair);
    phx_descriptor_destroy(standard);
    phx_ss_destroy(both);
}

static const char *const rest_u[] = {"one.b.u1", "one.b.u2", "one.b.u3", "two.a.u1", "two.a.u2"};
static const char *const rest_y[] = {"one.b.y1", "one.b.y2", "one.b.y3", "two.a.y1", "two.a.y2"};
static const char *const a_u[] = {"one.a.u1", "one.a.u2"}, *const a_y[] = {"one.a.y1", "one.a.y2"};
static const char *const b_u[] = {"two.b.u1", "two.b.u2", "two.b.u3"};
static const char *const b_y[] = {"two.b.y1", "two.b.y2", "two.b.y3"};

/* input_1 = -C output_2, input_2 = C^T output_1 */
static phx_ss *crossed(phx_context *context, const phx_ss *system, const double *C, const char *const *input_2,
                       const char *const *output_2)
{
    phx_ss_link links[12];
    phx_ss *out = NULL;

    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            links[2 * (3 * i + j)] = (phx_ss_link){a_u[i], output_2[j], -C[3 * i + j]};
            links[2 * (3 * i + j) + 1] = (phx_ss_link){input_2[j], a_y[i], C[3 * i + j]};
        }
    }
    CHECK_STATUS(context, phx_ss_connect(context, system, 12, links, 5, rest_y, 5, rest_u, &out), PHX_OK);
    return out;
}

/* u1 = -C y2, u2 = C^T y1, an algebraic loop; what dissipates and what does not. */
static void test_gyrator(void **state)
{
    phx_context *context = *state;
    double C[6];
    uint64_t seed = 7;

    random_vector(&seed, 6, 1.0, C);
    for (int lossless = 0; lossless < 2; lossless++) {
        phx_descriptor *pair = make_pair(context, lossless), *joined = NULL;
        phx_ss *open = convert(context, pair), *want = crossed(context, open, C, b_u, b_y);
        phx_descriptor_structure found;
        CHECK_STATUS(context, phx_descriptor_gyrator(context, pair, "one.a", "two.b", C, &joined), PHX_OK);
        check_equal(context, joined, want, lossless ? "lossless gyrator" : "gyrator");
        CHECK_STATUS(context, phx_descriptor_check(context, joined, &found), PHX_OK);
        if (lossless)
            CHECK_CLOSE(found.W_least, 0.0, 0.0, "dissipation of a lossless gyrator");
        phx_descriptor_destroy(pair);
        phx_descriptor_destroy(joined);
        phx_ss_destroy(open);
        phx_ss_destroy(want);
    }
}

/* u1 = -C u2, y2 = C^T y1: the state-space system is crossed over the inverted channels of port 2. */
static void test_transformer(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context, false), *joined = NULL;
    phx_ss *open = convert(context, pair), *inverted = NULL, *want = NULL;
    double C[6];
    uint64_t seed = 9;

    random_vector(&seed, 6, 1.0, C);
    CHECK_STATUS(context, phx_ss_invert_names(context, open, 3, b_u, &inverted), PHX_OK);
    want = crossed(context, inverted, C, b_y, b_u);
    CHECK_STATUS(context, phx_descriptor_transformer(context, pair, "one.a", "two.b", C, &joined), PHX_OK);
    assert_int_equal(phx_descriptor_n(joined), 2 * N + 3);
    check_equal(context, joined, want, "transformer");
    phx_descriptor_destroy(pair);
    phx_descriptor_destroy(joined);
    phx_ss_destroy(open);
    phx_ss_destroy(inverted);
    phx_ss_destroy(want);
}

/* Change of causality is channel inversion; twice, it changes nothing; held, the new inputs are zero. */
static void test_exchange(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context, false), *changed = NULL, *back = NULL, *held = NULL;
    phx_ss *open = convert(context, pair), *inverted = NULL, *without = NULL;
    const char *const u[] = {"one.a.u1", "one.a.u2", "one.b.u1", "one.b.u2", "one.b.u3", "two.a.u1", "two.a.u2"};
    const char *const y[] = {"one.a.y1", "one.a.y2", "one.b.y1", "one.b.y2", "one.b.y3", "two.a.y1", "two.a.y2"};

    CHECK_STATUS(context, phx_descriptor_exchange(context, pair, "two.b", &changed), PHX_OK);
    CHECK_STATUS(context, phx_ss_invert_names(context, open, 3, b_u, &inverted), PHX_OK);
    check_equal(context, changed, inverted, "exchange");
    CHECK_STATUS(context, phx_descriptor_exchange(context, changed, "two.b", &back), PHX_OK);
    assert_int_equal(phx_descriptor_n(back), 2 * N + 6);
    check_equal(context, back, open, "exchange, twice");
    CHECK_STATUS(context, phx_descriptor_hold(context, pair, "two.b", &held), PHX_OK);
    CHECK_STATUS(context, phx_ss_sub(context, inverted, 7, y, 7, u, &without), PHX_OK);
    check_equal(context, held, without, "hold");
    phx_descriptor *all[] = {pair, changed, back, held};
    for (int k = 0; k < 4; k++)
        phx_descriptor_destroy(all[k]);
    phx_ss_destroy(open);
    phx_ss_destroy(inverted);
    phx_ss_destroy(without);
}

/* Feedthrough on some of the inputs only: two multipliers of the exchanged port `b` are solved for, one is a
 * constraint. Its new input is the rate of a constraint, held it is a support. */
static void test_partly(void **state)
{
    phx_context *context = *state;
    const double S[INPUTS * INPUTS] = {[3 * 6] = 2.0, [4 * 6] = 0.5, [3 * 5 + 4] = 0.3, [4 * 5 + 3] = 0.3};
    const double one[N] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    const phx_descriptor_port ports[] = {{"a", 2}, {"b", 3}};
    const int at[N] = {0, 1, 2, 3, 4, 5};
    double B[N * INPUTS], J[N * N], E[N * N];
    phx_csr m[5] = {{0}};
    uint64_t seed = 13;
    phx_descriptor *system = NULL, *changed = NULL, *held = NULL, *out = NULL;

    random_vector(&seed, N * INPUTS, 1.0, B);
    skew(&seed, N, J);
    positive(&seed, N, 1.0, E);
    cut(context, E, N, 0, N, 0, N, &m[0]);
    cut(context, J, N, 0, N, 0, N, &m[1]);
    CHECK_STATUS(context, phx_csr_from_triplets(context, N, N, N, at, at, one, &m[2]), PHX_OK);
    cut(context, B, INPUTS, 0, N, 0, INPUTS, &m[3]);
    cut(context, S, INPUTS, 0, INPUTS, 0, INPUTS, &m[4]);
    const phx_descriptor_def def = {.name = "partly",
                                    .n = N,
                                    .E = &m[0],
                                    .J = &m[1],
                                    .Q = &m[2],
                                    .B = &m[3],
                                    .S = &m[4],
                                    .n_ports = 2,
                                    .ports = ports};
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &system), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_exchange(context, system, "b", &changed), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_eliminate(context, changed, 0.0, NULL, &out), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "port 'b'");
    CHECK_STATUS(context, phx_descriptor_hold(context, system, "b", &held), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_eliminate(context, held, 0.0, NULL, &out), PHX_OK);
    assert_int_equal(phx_descriptor_n(out), N - 1);
    check_power(context, out, "two dampers and a support");
    /* with a little feedthrough in place of the support's none, u_3 = -10^9 y_3, the response is nearly the same */
    double stiff[INPUTS * INPUTS];
    memcpy(stiff, S, sizeof stiff);
    stiff[2 * 6] = 1e-9;
    phx_csr_free(&m[4]);
    cut(context, stiff, INPUTS, 0, INPUTS, 0, INPUTS, &m[4]);
    phx_descriptor *soft = NULL, *soft_held = NULL;
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &soft), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_hold(context, soft, "b", &soft_held), PHX_OK);
    phx_ss *a = convert(context, out), *b = convert(context, soft_held);
    assert_int_equal(phx_ss_n(b), N);
    for (int k = 1; k < 5; k++) {
        double got[8], want[8];
        CHECK_STATUS(context, phx_ss_response(context, a, 0.3 * k, got), PHX_OK);
        CHECK_STATUS(context, phx_ss_response(context, b, 0.3 * k, want), PHX_OK);
        for (int i = 0; i < 8; i++)
            CHECK_CLOSE(got[i], want[i], 1e-6, "response with a support, entry %d", i);
    }
    phx_ss_destroy(a);
    phx_ss_destroy(b);
    phx_descriptor *all[] = {system, changed, held, out, soft, soft_held};
    for (int k = 0; k < 6; k++)
        phx_descriptor_destroy(all[k]);
    for (int k = 0; k < 5; k++)
        phx_csr_free(&m[k]);
}

/* N turns what the gyrator turns back: u = K N u for every u. A W that is not >= 0, matrices that do not fit. */
static void test_refusals(void **state)
{
    phx_context *context = *state;
    const double turn[4] = {0.0, 1.0, -1.0, 0.0}, lopsided[4] = {1.0, 0.5, 0.25, 1.0};
    const phx_descriptor_port ports[] = {{"left", 1}, {"right", 1}};
    phx_csr N_matrix = {0}, S_matrix = {0}, P_matrix = {0}, one = {0};
    phx_descriptor *system = NULL, *out = NULL;
    phx_descriptor_structure found;
    phx_descriptor_def def = phx_descriptor_def_default(), bad;

    cut(context, turn, 2, 0, 2, 0, 2, &N_matrix);
    cut(context, lopsided, 2, 0, 2, 0, 2, &S_matrix);
    cut(context, turn, 2, 0, 1, 0, 2, &P_matrix);
    cut(context, lopsided, 2, 0, 1, 0, 1, &one);
    def.name = "loop";
    def.n = 1;
    def.Q = &one;
    def.N = &N_matrix;
    def.n_ports = 2;
    def.ports = ports;
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &system), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_gyrator(context, system, "left", "right", NULL, &out), PHX_SINGULAR);
    CHECK_MESSAGE(context, "'left' and 'right'");
    assert_null(out);
    phx_descriptor_destroy(system);
    bad = def;
    bad.S = &S_matrix;
    CHECK_STATUS(context, phx_descriptor_create(context, &bad, &system), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "S must be symmetric");
    bad = def;
    N_matrix.val[0] = 2.0;
    CHECK_STATUS(context, phx_descriptor_create(context, &bad, &system), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "N must be skew");
    bad.N = &one;
    CHECK_STATUS(context, phx_descriptor_create(context, &bad, &system), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "N is 1 x 1; it must be 2 x 2");
    bad = def;
    N_matrix.val[0] = 1.0;
    bad.P = &P_matrix;
    CHECK_STATUS(context, phx_descriptor_create(context, &bad, &system), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_check(context, system, &found), PHX_OK);
    CHECK_CLOSE(found.W_least, -1.0, 1e-14, "least eigenvalue of W = [0 P; P^T 0]");
    CHECK_STATUS(context, phx_descriptor_hold(context, system, "right", &out), PHX_OK);
    phx_descriptor_destroy(system);
    system = out;
    CHECK_STATUS(context, phx_descriptor_eliminate(context, system, 0.0, NULL, &out), PHX_ERR_UNSUPPORTED);
    phx_descriptor_destroy(system);
    phx_csr_free(&N_matrix);
    phx_csr_free(&S_matrix);
    phx_csr_free(&P_matrix);
    phx_csr_free(&one);
}

/* Every allocation in turn fails: the status says so, nothing is made, nothing leaks. */
static void test_memory(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context, false), *held = NULL, *out = NULL;
    phx_descriptor_structure found;

    CHECK_STATUS(context, phx_descriptor_hold(context, pair, "one.b", &held), PHX_OK);
    for (int call = 0; call < 5; call++) {
        phx_status status = PHX_ERR_MEMORY;
        for (int k = 0; status == PHX_ERR_MEMORY && k < 1000; k++) {
            phx_context_fail_allocation(context, k);
            status = call == 0   ? phx_descriptor_gyrator(context, pair, "one.b", "two.b", NULL, &out)
                     : call == 1 ? phx_descriptor_transformer(context, pair, "one.b", "two.b", NULL, &out)
                     : call == 2 ? phx_descriptor_exchange(context, pair, "one.b", &out)
                     : call == 3 ? phx_descriptor_eliminate(context, held, 0.0, NULL, &out)
                                 : phx_descriptor_check(context, pair, &found);
            phx_context_fail_allocation(context, -1);
            assert_true(status == PHX_OK || (status == PHX_ERR_MEMORY && !out));
        }
        CHECK_STATUS(context, status, PHX_OK);
        phx_descriptor_destroy(out);
        out = NULL;
    }
    phx_descriptor_destroy(pair);
    phx_descriptor_destroy(held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_power),    cmocka_unit_test(test_append),      cmocka_unit_test(test_gyrator),
        cmocka_unit_test(test_exchange), cmocka_unit_test(test_transformer), cmocka_unit_test(test_partly),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
