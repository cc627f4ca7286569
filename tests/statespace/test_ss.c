/* State-space systems: each operation against what it means for transfer functions. */
#include "support.h"
#include "statespace/statespace.h"

#include <complex.h>
#include <math.h>

enum { N = 5, M = 3, MAX = 8 };

static void fill(uint64_t *seed, int count, double *x)
{
    random_vector(seed, count, 1.0, x);
}

/* A random system with M channels, stable, its names "PREFIX.u1".. */
static phx_ss *make_random(phx_context *context, uint64_t *seed, const char *prefix)
{
    double A[N * N], B[N * M], C[M * N], D[M * M];
    phx_ss_def def = phx_ss_def_default();
    phx_ss *plain = NULL, *named = NULL;

    fill(seed, N * N, A);
    fill(seed, N * M, B);
    fill(seed, M * N, C);
    fill(seed, M * M, D);
    for (int i = 0; i < N; i++)
        A[i * N + i] -= 3.0;
    for (int i = 0; i < M; i++)
        D[i * M + i] += 2.5;
    def.name = prefix;
    def.n = N;
    def.n_inputs = def.n_outputs = M;
    def.A = A;
    def.B = B;
    def.C = C;
    def.D = D;
    CHECK_OK(context, phx_ss_create(context, &def, &plain));
    CHECK_OK(context, phx_ss_copy(context, plain, NULL, prefix, &named));
    phx_ss_destroy(plain);
    return named;
}

static void response(phx_context *context, const phx_ss *system, double omega, double complex *H)
{
    double values[2 * MAX * MAX];
    const int count = phx_ss_inputs(system) * phx_ss_outputs(system);

    assert_in_range(count, 0, MAX * MAX);
    CHECK_OK(context, phx_ss_response(context, system, omega, values));
    for (int k = 0; k < count; k++)
        H[k] = values[2 * k] + I * values[2 * k + 1];
}

static void check_equal(int count, const double complex *got, const double complex *want, const char *what)
{
    for (int k = 0; k < count; k++)
        CHECK_CLOSE(cabs(got[k] - want[k]), 0.0, 1e-12 * (1.0 + cabs(want[k])), "%s, entry %d", what, k);
}

/* c = a b, M x M */
static void multiply(const double complex *a, const double complex *b, double complex *c)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            c[i * M + j] = 0.0;
            for (int k = 0; k < M; k++)
                c[i * M + j] += a[i * M + k] * b[k * M + j];
        }
}

static const double frequencies[] = {0.0, 0.3, 2.0, 17.0};
enum { FREQUENCIES = (int)(sizeof frequencies / sizeof *frequencies) };

/* ---- names, creation ---- */
static void test_names(void **state)
{
    phx_context *context = *state;
    const char *const inputs[] = {"force", "speed"}, *const outputs[] = {"place", "force"}, *const fine[] = {"a", "b"};
    const double bad = NAN;
    phx_ss_def def = {.name = "cart", .n_inputs = 2, .n_outputs = 2, .inputs = inputs, .outputs = outputs};
    phx_ss *system = NULL;

    CHECK_STATUS(context, phx_ss_create(context, &def, &system), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "'force'");
    assert_null(system);
    def.outputs = fine;
    CHECK_OK(context, phx_ss_create(context, &def, &system));
    assert_string_equal(phx_ss_name(system), "cart");
    assert_int_equal(phx_ss_n(system), 0);
    assert_int_equal(phx_ss_find_input(system, "speed"), 1);
    assert_int_equal(phx_ss_find_input(system, "b"), -1);
    assert_int_equal(phx_ss_find_output(system, "b"), 1);
    assert_int_equal(phx_ss_find_channel(system, "b"), 1);
    assert_int_equal(phx_ss_find_channel(system, "force"), 0);
    assert_int_equal(phx_ss_find_channel(system, "c"), -1);
    phx_ss_destroy(system);
    phx_ss_destroy(NULL);
    def = (phx_ss_def){.n = 1, .A = &bad};
    CHECK_STATUS(context, phx_ss_create(context, &def, &system), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "A(0,0)");
    def = (phx_ss_def){.n = -1};
    CHECK_STATUS(context, phx_ss_create(context, &def, &system), PHX_ERR_ARGUMENT);
    def = (phx_ss_def){.n_inputs = 1, .inputs = (const char *const[]){""}};
    CHECK_STATUS(context, phx_ss_create(context, &def, &system), PHX_ERR_ARGUMENT);
    def = (phx_ss_def){.n = 1, .n_inputs = 1, .n_outputs = 1};
    CHECK_OK(context, phx_ss_create(context, &def, &system));
    assert_string_equal(phx_ss_state(system, 0), "x1");
    assert_string_equal(phx_ss_input(system, 0), "u1");
    assert_string_equal(phx_ss_output(system, 0), "y1");
    CHECK_CLOSE(phx_ss_A(system)[0], 0.0, 0.0, "A that is not given");
    phx_ss_destroy(system);
}

/* ---- systems out of systems ---- */
static void test_series_and_feedback(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    phx_ss *a = make_random(context, &seed, "a"), *b = make_random(context, &seed, "b"), *made = NULL, *loop = NULL;
    double complex Ha[M * M], Hb[M * M], H[M * M], want[M * M], ab[M * M], back[M * M];

    CHECK_OK(context, phx_ss_series(context, a, b, &made));
    CHECK_OK(context, phx_ss_feedback(context, a, b, -1.0, &loop));
    assert_string_equal(phx_ss_input(made, 0), "a.u1");
    assert_string_equal(phx_ss_output(made, 2), "b.y3");
    assert_string_equal(phx_ss_output(loop, 2), "a.y3");
    assert_int_equal(phx_ss_n(loop), 2 * N);
    for (int k = 0; k < FREQUENCIES; k++) {
        response(context, a, frequencies[k], Ha);
        response(context, b, frequencies[k], Hb);
        response(context, made, frequencies[k], H);
        multiply(Hb, Ha, want);
        check_equal(M * M, H, want, "series");
        /* H = Ha (I - Hb H): what the loop feeds back */
        response(context, loop, frequencies[k], H);
        multiply(Hb, H, ab);
        for (int i = 0; i < M * M; i++)
            back[i] = (i % (M + 1) == 0) - ab[i];
        multiply(Ha, back, want);
        check_equal(M * M, H, want, "feedback");
    }
    phx_ss_destroy(made);
    phx_ss_destroy(loop);
    CHECK_STATUS(context, phx_ss_feedback(context, a, b, INFINITY, &loop), PHX_ERR_ARGUMENT);
    const char *const one[] = {"b.u2"};
    phx_ss *narrow = NULL;
    CHECK_OK(context, phx_ss_sub(context, b, 0, NULL, 1, one, &narrow));
    CHECK_STATUS(context, phx_ss_series(context, a, narrow, &made), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "3 outputs");
    phx_ss_destroy(narrow);
    phx_ss_destroy(a);
    phx_ss_destroy(b);
}

static void test_parts(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 5;
    phx_ss *a = make_random(context, &seed, "a"), *b = make_random(context, &seed, "b"), *both = NULL, *sub = NULL;
    const phx_ss *const parts[] = {a, b}, *const twice[] = {a, a};
    const char *const inputs[] = {"b.u2", "a.u3"}, *const outputs[] = {"a.y1", "b.y3", "a.y2"};
    const char *const unknown[] = {"a.u4"}, *const doubled[] = {"a.u1", "a.u1"};
    double complex Ha[M * M], Hb[M * M], H[6];

    CHECK_STATUS(context, phx_ss_append(context, "both", 2, twice, &both), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "'a.u1'");
    CHECK_STATUS(context, phx_ss_append(context, "both", 0, parts, &both), PHX_ERR_ARGUMENT);
    CHECK_OK(context, phx_ss_append(context, "both", 2, parts, &both));
    CHECK_OK(context, phx_ss_sub(context, both, 3, outputs, 2, inputs, &sub));
    for (int k = 0; k < FREQUENCIES; k++) {
        response(context, a, frequencies[k], Ha);
        response(context, b, frequencies[k], Hb);
        response(context, sub, frequencies[k], H);
        const double complex want[6] = {0.0, Ha[2], Hb[7], 0.0, 0.0, Ha[5]};
        check_equal(6, H, want, "part of two systems");
    }
    phx_ss_destroy(sub);
    CHECK_STATUS(context, phx_ss_sub(context, both, 0, NULL, 1, unknown, &sub), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "'a.u4'");
    CHECK_STATUS(context, phx_ss_sub(context, both, 0, NULL, 2, doubled, &sub), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "twice");
    assert_null(sub);
    phx_ss_destroy(both);
    phx_ss_destroy(a);
    phx_ss_destroy(b);
}

/* u1 of a from y2 of b with gain g and y1 of a with gain k; the rest open: solved by hand in the frequency domain. */
static void test_connect(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 11;
    const double g = 0.7, k = -0.4;
    phx_ss *a = make_random(context, &seed, "a"), *b = make_random(context, &seed, "b"), *both = NULL, *made = NULL;
    const phx_ss *const parts[] = {a, b};
    phx_ss_link links[] = {{"a.u1", "b.y2", g}, {"a.u1", "a.y1", k}};
    const char *const inputs[] = {"a.u1", "b.u3"}, *const output[] = {"a.y2"};
    double complex Ha[M * M], Hb[M * M], H[2];

    CHECK_OK(context, phx_ss_append(context, "both", 2, parts, &both));
    CHECK_OK(context, phx_ss_connect(context, both, 2, links, 1, output, 2, inputs, &made));
    for (int f = 0; f < FREQUENCIES; f++) {
        response(context, a, frequencies[f], Ha);
        response(context, b, frequencies[f], Hb);
        response(context, made, frequencies[f], H);
        const double complex u1 = 1.0 / (1.0 - k * Ha[0]);
        const double complex want[2] = {Ha[3] * u1, Ha[3] * u1 * g * Hb[5]};
        check_equal(2, H, want, "connection");
    }
    phx_ss_destroy(made);
    /* an algebraic loop of gain one */
    links[1].gain = 1.0 / phx_ss_D(a)[0];
    CHECK_STATUS(context, phx_ss_connect(context, both, 2, links, 1, output, 2, inputs, &made), PHX_SINGULAR);
    CHECK_MESSAGE(context, "'a.u1'");
    assert_null(made);
    links[1].output = "a.y9";
    CHECK_STATUS(context, phx_ss_connect(context, both, 2, links, 1, output, 2, inputs, &made), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "'a.y9'");
    links[1] = (phx_ss_link){"a.u2", "a.y1", NAN};
    CHECK_STATUS(context, phx_ss_connect(context, both, 2, links, 1, output, 2, inputs, &made), PHX_ERR_ARGUMENT);
    phx_ss_destroy(both);
    phx_ss_destroy(a);
    phx_ss_destroy(b);
}

/* ---- inversion ---- */
/* The inverted system answers to (y_I, u_j) with (u_I, y_j) of the original. */
static void check_inverse(phx_context *context, uint64_t *seed, const phx_ss *system, const phx_ss *inverted, int count,
                          const int *channels)
{
    double complex H[M * M], G[M * M], u[M], y[M];

    for (int f = 0; f < FREQUENCIES; f++) {
        response(context, system, frequencies[f], H);
        response(context, inverted, frequencies[f], G);
        for (int i = 0; i < M; i++) {
            u[i] = random_value(seed);
            u[i] += I * random_value(seed);
        }
        for (int i = 0; i < M; i++) {
            y[i] = 0.0;
            for (int j = 0; j < M; j++)
                y[i] += H[i * M + j] * u[j];
        }
        for (int k = 0; k < count; k++) {
            const double complex swap = u[channels[k]];
            u[channels[k]] = y[channels[k]];
            y[channels[k]] = swap;
        }
        for (int i = 0; i < M; i++) {
            double complex got = 0.0;
            for (int j = 0; j < M; j++)
                got += G[i * M + j] * u[j];
            check_equal(1, &got, &y[i], "inverted channels");
        }
    }
}

static void test_invert(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 17;
    phx_ss *a = make_random(context, &seed, "a"), *block = NULL, *one = NULL, *two = NULL, *again = NULL;
    const int sets[3][2] = {{1, -1}, {2, 0}, {0, 1}};
    const char *const names[] = {"a.y3", "a.u1"};

    for (int s = 0; s < 3; s++) {
        const int count = sets[s][1] < 0 ? 1 : 2;
        CHECK_OK(context, phx_ss_invert(context, a, count, sets[s], &block));
        check_inverse(context, &seed, a, block, count, sets[s]);
        assert_string_equal(phx_ss_input(block, sets[s][0]), phx_ss_output(a, sets[s][0]));
        CHECK_OK(context, phx_ss_invert(context, block, count, sets[s], &again));
        for (int k = 0; k < N * N; k++)
            CHECK_CLOSE(phx_ss_A(again)[k], phx_ss_A(a)[k], 1e-13, "A after two inversions, entry %d", k);
        for (int k = 0; k < M * M; k++)
            CHECK_CLOSE(phx_ss_D(again)[k], phx_ss_D(a)[k], 1e-13, "D after two inversions, entry %d", k);
        phx_ss_destroy(again);
        phx_ss_destroy(block);
    }
    /* (28): channel after channel is the block */
    CHECK_OK(context, phx_ss_invert_channel(context, a, 2, &one));
    CHECK_OK(context, phx_ss_invert_channel(context, one, 0, &two));
    CHECK_OK(context, phx_ss_invert_names(context, a, 2, names, &block));
    for (int k = 0; k < N * M; k++) {
        CHECK_CLOSE(phx_ss_B(two)[k], phx_ss_B(block)[k], 1e-13, "B, one by one and at once, entry %d", k);
        CHECK_CLOSE(phx_ss_C(two)[k], phx_ss_C(block)[k], 1e-13, "C, one by one and at once, entry %d", k);
    }
    phx_ss_destroy(one);
    phx_ss_destroy(two);
    phx_ss_destroy(block);
    phx_ss_destroy(a);
}

static void test_invert_errors(void **state)
{
    phx_context *context = *state;
    /* units apart; alone no channel of the first two is invertible, together they are */
    const double D[9] = {0.0, 3e6, 0.0, 2e-9, 0.0, 0.0, 0.0, 0.0, 0.0};
    const char *const inputs[] = {"F", "tau", "E"}, *const unknown[] = {"zeta"};
    const phx_ss_def def = {.n_inputs = 3, .n_outputs = 3, .D = D, .inputs = inputs};
    const int pair[] = {0, 1}, all[] = {0, 1, 2}, outside[] = {3}, twice[] = {1, 1};
    phx_ss *system = NULL, *inverted = NULL;

    CHECK_OK(context, phx_ss_create(context, &def, &system));
    CHECK_STATUS(context, phx_ss_invert_channel(context, system, 1, &inverted), PHX_SINGULAR);
    CHECK_MESSAGE(context, "'tau'");
    assert_null(inverted);
    CHECK_OK(context, phx_ss_invert(context, system, 2, pair, &inverted));
    CHECK_CLOSE(phx_ss_D(inverted)[1], 5e8, 1e-6, "1/2e-9");
    phx_ss_destroy(inverted);
    CHECK_STATUS(context, phx_ss_invert(context, system, 3, all, &inverted), PHX_SINGULAR);
    CHECK_MESSAGE(context, "'E'");
    CHECK_STATUS(context, phx_ss_invert(context, system, 0, pair, &inverted), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "empty");
    CHECK_STATUS(context, phx_ss_invert(context, system, 1, outside, &inverted), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_ss_invert(context, system, 2, twice, &inverted), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_ss_invert_names(context, system, 1, unknown, &inverted), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "'zeta'");
    CHECK_STATUS(context, phx_ss_invert_names(context, system, 0, unknown, &inverted), PHX_ERR_ARGUMENT);
    phx_ss_destroy(system);
}

/* ---- fewer states ---- */
/* A random system with its states mixed, next to parts that inputs do not reach, outputs do not see, or that are a
 * double integrator at rest: all with units apart. */
static phx_ss *make_padded(phx_context *context, uint64_t *seed, const phx_ss *core, int extra, bool reached, bool seen)
{
    const int n = N + extra;
    double A[MAX * MAX] = {0}, B[MAX * M] = {0}, C[M * MAX] = {0}, T[MAX * MAX], TA[MAX * MAX], TB[MAX * M];
    double mixed[MAX * MAX], out[MAX * MAX];
    phx_ss_def def = {.n = n, .n_inputs = M, .n_outputs = M, .A = mixed, .B = TB, .C = out, .D = phx_ss_D(core)};
    phx_ss *padded = NULL;

    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            A[i * n + j] = phx_ss_A(core)[i * N + j];
        for (int j = 0; j < M; j++) {
            B[i * M + j] = phx_ss_B(core)[i * M + j];
            C[j * n + i] = phx_ss_C(core)[j * N + i];
        }
    }
    for (int k = N; k < n; k++) {
        if (k + 1 < n)
            A[k * n + k + 1] = 1.0; /* a chain of integrators */
        for (int j = 0; j < N; j++) {
            A[j * n + k] = seen ? random_value(seed) : 0.0;    /* it acts on the core */
            A[k * n + j] = reached ? random_value(seed) : 0.0; /* the core acts on it */
        }
    }
    /* x = T z, T scaled orthogonal-like: identity plus a small random part, rows of unlike size */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            T[i * n + j] = ((i == j) + 0.2 * random_value(seed)) * pow(10.0, i % 3);
    phx_dense_multiply(false, false, n, n, n, 1.0, A, n, T, n, 0.0, TA, n);
    phx_dense_multiply(false, false, M, n, n, 1.0, C, n, T, n, 0.0, out, n);
    CHECK_OK(context, phx_dense_inverse(context, n, T));
    phx_dense_multiply(false, false, n, n, n, 1.0, T, n, TA, n, 0.0, mixed, n);
    phx_dense_multiply(false, false, n, M, n, 1.0, T, n, B, M, 0.0, TB, M);
    CHECK_OK(context, phx_ss_create(context, &def, &padded));
    return padded;
}

static void test_reduce(void **state)
{
    phx_context *context = *state;
    static const struct {
        bool reached, seen;
        unsigned parts;
        int remain;
    } cases[] = {
        {false, true, PHX_SS_UNCONTROLLABLE, N},
        {false, true, PHX_SS_UNOBSERVABLE, N + 2},
        {true, false, PHX_SS_UNOBSERVABLE, N},
        {true, false, PHX_SS_UNCONTROLLABLE, N + 2},
        {false, true, PHX_SS_CONSTRAINED, N},
        {true, false, PHX_SS_CONSTRAINED, N + 2},
        {true, true, PHX_SS_MINIMAL, N + 2},
        {false, false, PHX_SS_MINIMAL, N},
        {false, false, 0, N + 2},
    };
    uint64_t seed = 23;
    phx_ss *core = make_random(context, &seed, "core");
    double complex H[M * M], want[M * M];

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        phx_ss *padded = make_padded(context, &seed, core, 2, cases[c].reached, cases[c].seen), *reduced = NULL;
        CHECK_OK(context, phx_ss_reduce(context, padded, cases[c].parts, 0.0, &reduced));
        if (phx_ss_n(reduced) != cases[c].remain)
            fail_msg("case %d: %d states remain, expected %d", (int)c, phx_ss_n(reduced), cases[c].remain);
        for (int f = 1; f < FREQUENCIES; f++) {
            response(context, padded, frequencies[f], want);
            response(context, reduced, frequencies[f], H);
            for (int k = 0; k < M * M; k++)
                CHECK_CLOSE(cabs(H[k] - want[k]), 0.0, 1e-9 * (1.0 + cabs(want[k])), "case %d, entry %d at %g rad/s",
                            (int)c, k, frequencies[f]);
        }
        assert_string_equal(phx_ss_state(reduced, 0), phx_ss_n(reduced) < N + 2 ? "z1" : "x1");
        phx_ss_destroy(padded);
        phx_ss_destroy(reduced);
    }
    phx_ss *reduced = NULL;
    CHECK_STATUS(context, phx_ss_reduce(context, core, 8, 0.0, &reduced), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_ss_reduce(context, core, PHX_SS_MINIMAL, -1.0, &reduced), PHX_ERR_ARGUMENT);
    phx_ss_destroy(core);
}

/* ---- dynamics ---- */
/* m q'' + d q' + k q = F, outputs q, q', q''. */
static void test_oscillator(void **state)
{
    phx_context *context = *state;
    const double m = 2.0, d = 0.6, k = 32.0, one = 1.0, omega = 3.0;
    const double Y_q[] = {1.0, 0.0, 0.0}, Y_v[] = {0.0, 1.0, 0.0}, Y_a[] = {0.0, 0.0, 1.0}, Y_u[] = {0.0, 0.0, 0.25};
    phx_ss_second_order_def def = phx_ss_second_order_def_default();
    phx_ss *system = NULL;
    double re[2], im[2], size[2], damping[2], gain[3];
    double complex H[3];

    def.n = def.n_inputs = 1;
    def.n_outputs = 3;
    def.M = &m;
    def.D = &d;
    def.K = &k;
    def.F = &one;
    def.Y_q = Y_q;
    def.Y_v = Y_v;
    def.Y_a = Y_a;
    def.Y_u = Y_u;
    CHECK_OK(context, phx_ss_from_second_order(context, &def, &system));
    assert_string_equal(phx_ss_state(system, 1), "q1_dot");
    CHECK_OK(context, phx_ss_poles(context, system, re, im, size, damping));
    for (int i = 0; i < 2; i++) {
        CHECK_CLOSE(re[i], -d / (2.0 * m), 1e-14, "real part");
        CHECK_CLOSE(im[i], (i ? -1.0 : 1.0) * sqrt(k / m - 0.15 * 0.15), 1e-14, "imaginary part");
        CHECK_CLOSE(size[i], 4.0, 1e-14, "pulsation");
        CHECK_CLOSE(damping[i], d / (2.0 * sqrt(k * m)), 1e-14, "damping");
    }
    response(context, system, omega, H);
    const double complex q = 1.0 / (k - m * omega * omega + I * omega * d);
    const double complex want[3] = {q, I * omega * q, -omega * omega * q + 0.25};
    check_equal(3, H, want, "response");
    CHECK_OK(context, phx_ss_dc_gain(context, system, gain));
    for (int i = 0; i < 3; i++)
        CHECK_CLOSE(gain[i], i == 0 ? 1.0 / k : i == 1 ? 0.0 : 0.25, 1e-15, "DC gain %d", i);
    CHECK_STATUS(context, phx_ss_response(context, system, NAN, gain), PHX_ERR_ARGUMENT);
    phx_ss_destroy(system);
    /* a free mass */
    const double zero = 0.0, negative = -1.0;
    def.K = &zero;
    def.D = NULL;
    CHECK_OK(context, phx_ss_from_second_order(context, &def, &system));
    CHECK_STATUS(context, phx_ss_dc_gain(context, system, gain), PHX_SINGULAR);
    CHECK_MESSAGE(context, "pole at zero");
    CHECK_STATUS(context, phx_ss_response(context, system, 0.0, gain), PHX_SINGULAR);
    CHECK_OK(context, phx_ss_poles(context, system, NULL, NULL, size, damping));
    CHECK_CLOSE(damping[0], 0.0, 0.0, "damping of a free mass");
    phx_ss_destroy(system);
    def.M = &negative;
    CHECK_STATUS(context, phx_ss_from_second_order(context, &def, &system), PHX_SINGULAR);
    def.M = NULL;
    CHECK_STATUS(context, phx_ss_from_second_order(context, &def, &system), PHX_ERR_ARGUMENT);
    assert_null(system);
}

/* Two masses m_1, m_2 with a spring k between them, forces on both; then held together by a transformer: one mass. */
static void test_descriptor(void **state)
{
    phx_context *context = *state;
    const double E[9] = {2.0, 0, 0, 0, 3.0, 0, 0, 0, 0.25}, J[9] = {0, 0, -1, 0, 0, 1, 1, -1, 0};
    const double R[9] = {0.5, 0, 0, 0, 0.0, 0, 0, 0, 0}, Q[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double B[12] = {1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0};
    const phx_descriptor_port ports[] = {{"forces", 2}, {"left", 1}, {"right", 1}};
    const double *const dense[] = {E, J, R, Q};
    phx_csr csr[5] = {{0}};
    phx_descriptor *masses = NULL, *joined = NULL;
    phx_ss *system = NULL;
    double complex H[16], two[4];
    const double omega = 1.3;

    for (int k = 0; k < 4; k++)
        CHECK_OK(context, phx_csr_from_dense(context, 3, 3, dense[k], 0.0, &csr[k]));
    CHECK_OK(context, phx_csr_from_dense(context, 3, 4, B, 0.0, &csr[4]));
    const phx_descriptor_def def = {.name = "masses",
                                    .n = 3,
                                    .E = &csr[0],
                                    .J = &csr[1],
                                    .R = &csr[2],
                                    .Q = &csr[3],
                                    .B = &csr[4],
                                    .n_ports = 3,
                                    .ports = ports};
    CHECK_OK(context, phx_descriptor_create(context, &def, &masses));
    CHECK_OK(context, phx_ss_from_descriptor(context, masses, &system));
    assert_string_equal(phx_ss_input(system, 1), "masses.forces.u2");
    assert_string_equal(phx_ss_output(system, 2), "masses.left.y1");
    response(context, system, omega, H);
    /* i omega m_1 v_1 + 0.5 v_1 + k (v_1 - v_2)/(i omega) = F_1, k = 4 */
    const double complex s = I * omega, z1 = 2.0 * s + 0.5 + 4.0 / s, z2 = 3.0 * s + 4.0 / s, c = -4.0 / s;
    const double complex det = z1 * z2 - c * c, want[4] = {z2 / det, -c / det, -c / det, z1 / det};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            two[i * 2 + j] = H[i * 4 + j];
    check_equal(4, two, want, "two masses");
    phx_ss_destroy(system);
    /* v_left = v_right: u_left = -u_right */
    CHECK_OK(context, phx_descriptor_transformer(context, masses, "left", "right", NULL, &joined));
    CHECK_OK(context, phx_ss_from_descriptor(context, joined, &system));
    response(context, system, omega, H);
    for (int k = 0; k < 4; k++)
        two[k] = 1.0 / (5.0 * s + 0.5);
    check_equal(4, H, two, "masses held together");
    phx_ss_destroy(system);
    phx_status status = PHX_ERR_MEMORY;
    for (long k = 0; status == PHX_ERR_MEMORY; k++) {
        phx_context_fail_allocation(context, k);
        status = phx_ss_from_descriptor(context, joined, &system);
        phx_context_fail_allocation(context, -1);
        if (status)
            assert_null(system);
    }
    CHECK_OK(context, status);
    phx_ss_destroy(system);
    phx_descriptor_destroy(joined);
    phx_descriptor_destroy(masses);
    for (int k = 0; k < 5; k++)
        phx_csr_free(&csr[k]);
}

/* ---- every allocation fails once ---- */
static phx_status all_operations(phx_context *context, const phx_ss *a, const phx_ss *b)
{
    const phx_ss *const parts[] = {a, b};
    const phx_ss_link link = {"a.u1", "b.y1", 0.1};
    const char *const names[] = {"a.u2"}, *const none[] = {""};
    phx_ss *made[7] = {NULL};
    double values[2 * MAX * MAX], poles[2 * N];
    phx_status status = phx_ss_append(context, "both", 2, parts, &made[0]);

    if (!status)
        status = phx_ss_connect(context, made[0], 1, &link, 0, NULL, 0, NULL, &made[1]);
    if (!status)
        status = phx_ss_invert_names(context, a, 1, names, &made[2]);
    if (!status)
        status = phx_ss_series(context, a, b, &made[3]);
    if (!status)
        status = phx_ss_feedback(context, a, b, -1.0, &made[4]);
    if (!status)
        status = phx_ss_sub(context, a, 0, NULL, 0, none, &made[5]);
    if (!status)
        status = phx_ss_reduce(context, made[5], PHX_SS_CONSTRAINED | PHX_SS_MINIMAL, 0.0, &made[6]);
    if (!status)
        status = phx_ss_poles(context, a, poles, NULL, NULL, NULL);
    if (!status)
        status = phx_ss_response(context, a, 1.0, values);
    if (!status)
        status = phx_ss_dc_gain(context, a, values);
    for (int k = 0; k < 7; k++)
        phx_ss_destroy(made[k]);
    return status;
}

static void test_memory(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 31;
    phx_ss *a = make_random(context, &seed, "a"), *b = make_random(context, &seed, "b");
    phx_status status = PHX_ERR_MEMORY;
    long failures = 0;

    while (status == PHX_ERR_MEMORY) {
        phx_context_fail_allocation(context, failures++);
        status = all_operations(context, a, b);
        phx_context_fail_allocation(context, -1);
    }
    CHECK_OK(context, status);
    assert_true(failures > 100);
    phx_ss_destroy(a);
    phx_ss_destroy(b);
}

/* Two real systems in one, with frequencies from 1e-3 to 1e6 rad/s: every response of a sweep solves
 * (i omega - A) X = B as well as a factorisation at that frequency, entry by entry. */
static void test_responses(void **state)
{
    enum { PAIRS = 9, STATES = 2 * PAIRS, COUNT = 40 };
    phx_context *context = *state;
    double A[STATES * STATES] = {0}, B[STATES * 2] = {0}, C[2 * STATES] = {0}, omega[COUNT], got[COUNT * 8];
    double T[STATES * STATES] = {0}, turned[STATES * STATES], moved[STATES * STATES];
    phx_ss *system = NULL;

    for (int k = 0; k < PAIRS; k++) { /* q'' = -w^2 q - 0.02 w q' + u */
        const double w = pow(10.0, k - 3);
        A[2 * k * STATES + 2 * k + 1] = 1.0;
        A[(2 * k + 1) * STATES + 2 * k] = -w * w;
        A[(2 * k + 1) * STATES + 2 * k + 1] = -0.02 * w;
        B[(2 * k + 1) * 2] = w * w;
        B[(2 * k + 1) * 2 + 1] = k % 2 ? w * w : -w * w;
        C[2 * k] = 1.0;
        C[STATES + 2 * k] = 1.0 + 0.1 * k;
    }
    for (int i = 0; i < STATES; i++) /* unit lower triangle: states that mix */
        for (int j = 0; j <= i; j++)
            T[i * STATES + j] = i == j ? 1.0 : (j % 2 == i % 2 && i - j == 2) ? 0.5 : 0.0;
    double inverse[STATES * STATES], B1[STATES * 2], C1[2 * STATES];
    memcpy(inverse, T, sizeof T);
    CHECK_OK(context, phx_dense_inverse(context, STATES, inverse));
    phx_dense_multiply(false, false, STATES, STATES, STATES, 1.0, T, STATES, A, STATES, 0.0, moved, STATES);
    phx_dense_multiply(false, false, STATES, STATES, STATES, 1.0, moved, STATES, inverse, STATES, 0.0, turned, STATES);
    phx_dense_multiply(false, false, STATES, 2, STATES, 1.0, T, STATES, B, 2, 0.0, B1, 2);
    phx_dense_multiply(false, false, 2, STATES, STATES, 1.0, C, STATES, inverse, STATES, 0.0, C1, STATES);
    const phx_ss_def def = {.n = STATES, .n_inputs = 2, .n_outputs = 2, .A = turned, .B = B1, .C = C1};
    CHECK_OK(context, phx_ss_create(context, &def, &system));
    for (int k = 0; k < COUNT; k++)
        omega[k] = k == 0 ? 0.0 : 3.7e-4 * pow(10.0, 0.25 * k);
    CHECK_OK(context, phx_ss_responses(context, system, COUNT, omega, got));
    for (int k = 0; k < COUNT; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                double complex want = 0.0;
                double size = 0.0;
                for (int p = 0; p < PAIRS; p++) {
                    const double w = pow(10.0, p - 3), sign = j == 1 && p % 2 == 0 ? -1.0 : 1.0;
                    const double complex one = sign * (i ? 1.0 + 0.1 * p : 1.0) * w * w /
                                               (w * w - omega[k] * omega[k] + 0.02 * I * w * omega[k]);
                    want += one;
                    size += cabs(one);
                }
                const double *h = got + 8 * k + 2 * (2 * i + j);
                CHECK_CLOSE(cabs(h[0] + I * h[1] - want), 0.0, 1e-10 * size, "entry %d, %d at %g rad/s", i, j,
                            omega[k]);
            }
    phx_ss_destroy(system);
}

/* ---- DC gains beside poles at zero ---- */
enum { FREE = 3, ELASTIC = 5, COORDINATES = FREE + ELASTIC, SEEN = 9, MOVED = 3 };

/* A mechanism in modal coordinates: free motions without stiffness, elastic ones with dampers across them; outputs that
 * see free motions and that do not, one of places that no input moves. Damped: the first free motion is held by a
 * damper, so that its velocity settles. */
static phx_ss *free_mechanism(phx_context *context, bool damped)
{
    phx_ss_second_order_def def = phx_ss_second_order_def_default();
    double mass[COORDINATES * COORDINATES] = {0}, D[COORDINATES * COORDINATES] = {0},
                              K[COORDINATES * COORDINATES] = {0};
    double F[COORDINATES * MOVED] = {0}, Y_q[SEEN * COORDINATES] = {0}, Y_v[SEEN * COORDINATES] = {0};
    double Y_a[SEEN * COORDINATES] = {0}, Y_u[SEEN * MOVED] = {0};
    uint64_t seed = 7;
    phx_ss *system = NULL;

    for (int i = 0; i < COORDINATES; i++) {
        mass[i * COORDINATES + i] = 1.0;
        K[i * COORDINATES + i] = i < FREE ? 0.0 : pow(10.0, 2.0 * (i - FREE)) * 3.0;
        for (int j = 0; j < MOVED; j++)
            F[i * MOVED + j] = random_value(&seed);
    }
    for (int j = 0; j < MOVED; j++) /* no input moves 2 rigid1 - rigid2 */
        F[MOVED + j] = 2.0 * F[j];
    for (int i = FREE; i < COORDINATES; i++)
        for (int j = FREE; j <= i; j++)
            D[i * COORDINATES + j] = D[j * COORDINATES + i] = i == j ? 2.0 + i : 0.3 * random_value(&seed);
    if (damped)
        for (int i = 0; i < COORDINATES; i++)
            D[i * COORDINATES] = D[i] = i == 0 ? 4.0 : i < FREE ? 0.0 : 0.2;
    for (int k = 0; k < SEEN; k++)
        for (int i = 0; i < COORDINATES; i++) {
            Y_q[k * COORDINATES + i] = k < 3 ? (i < FREE ? 0.0 : random_value(&seed)) : 0.0;
            Y_a[k * COORDINATES + i] = k >= 3 && k < 6 ? random_value(&seed) : 0.0;
            Y_v[k * COORDINATES + i] = k == 6 ? random_value(&seed) : 0.0;
        }
    Y_q[7 * COORDINATES] = 2.0;
    Y_q[7 * COORDINATES + 1] = -1.0;
    Y_q[8 * COORDINATES + 2] = 1.0;
    Y_u[4] = 0.5;
    def.name = "free";
    def.n = COORDINATES;
    def.n_inputs = MOVED;
    def.n_outputs = SEEN;
    def.M = mass;
    def.D = D;
    def.K = K;
    def.F = F;
    def.Y_q = Y_q;
    def.Y_v = Y_v;
    def.Y_a = Y_a;
    def.Y_u = Y_u;
    CHECK_OK(context, phx_ss_from_second_order(context, &def, &system));
    return system;
}

/* The limit of the response at low frequencies, (4 H(i omega) - H(2 i omega))/3, where there is one. */
static void test_dc_gain_by_outputs(void **state)
{
    static const bool sees[2][SEEN] = {{[6] = true, [8] = true}, {[6] = true, [7] = true, [8] = true}};
    static const double omega[2] = {1e-3, 2e-3};
    phx_context *context = *state;
    for (int damped = 0; damped < 2; damped++) {
        phx_ss *system = free_mechanism(context, damped);
        double gain[SEEN * MOVED], response[2][2 * SEEN * MOVED];
        CHECK_OK(context, phx_ss_dc_gain_by_outputs(context, system, gain));
        CHECK_OK(context, phx_ss_responses(context, system, 2, omega, response[0]));
        for (int k = 0; k < SEEN * MOVED; k++) {
            const double limit = (4.0 * response[0][2 * k] - response[1][2 * k]) / 3.0;
            if (sees[damped][k / MOVED] != isnan(gain[k]))
                fail_msg("damped %d, output %d: gain %g, limit %g", damped, k / MOVED, gain[k], limit);
            if (!sees[damped][k / MOVED])
                CHECK_CLOSE(gain[k], limit, 2e-9 * (1.0 + fabs(limit)), "damped %d, output %d, input %d", damped,
                            k / MOVED, k % MOVED);
        }
        for (long n = 0, status = PHX_ERR_MEMORY; status; n++) {
            phx_context_fail_allocation(context, n);
            status = phx_ss_dc_gain_by_outputs(context, system, gain);
            phx_context_fail_allocation(context, -1);
            assert_true(!status || status == PHX_ERR_MEMORY);
        }
        phx_ss_destroy(system);
    }
}

/* A system made of the definition of another one is equal to it. */
static void test_definition(void **state)
{
    phx_context *context = *state;
    uint64_t seed = 3;
    phx_ss *one = make_random(context, &seed, "a"), *again = NULL;
    const phx_ss_def def = phx_ss_definition(one), none = phx_ss_definition(NULL);

    CHECK_OK(context, phx_ss_create(context, &def, &again));
    const phx_ss_def same = phx_ss_definition(again);
    assert_true(same.n == N && same.n_inputs == M && same.n_outputs == M);
    assert_memory_equal(same.A, def.A, (size_t)(N * N) * sizeof *def.A);
    assert_memory_equal(same.B, def.B, (size_t)(N * M) * sizeof *def.B);
    assert_memory_equal(same.C, def.C, (size_t)(M * N) * sizeof *def.C);
    assert_memory_equal(same.D, def.D, (size_t)(M * M) * sizeof *def.D);
    for (int k = 0; k < N; k++)
        assert_string_equal(same.states[k], phx_ss_state(one, k));
    for (int k = 0; k < M; k++) {
        assert_string_equal(same.inputs[k], phx_ss_input(one, k));
        assert_string_equal(same.outputs[k], phx_ss_output(one, k));
    }
    assert_true(!none.name && none.n == 0 && !none.A && !none.states);
    phx_ss_destroy(one);
    phx_ss_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_names, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_series_and_feedback, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_parts, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_connect, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_invert, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_invert_errors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_reduce, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_responses, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_oscillator, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_descriptor, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_memory, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_definition, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_dc_gain_by_outputs, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
