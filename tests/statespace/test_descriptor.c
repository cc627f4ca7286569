/* Descriptor systems: creation, structure, power, interconnections against their block formulas, elimination. */
#include "support.h"
#include "statespace/internal.h"

enum { COORDINATES = 4, N = 2 * COORDINATES, INPUTS = 5, WIDE = 40 };

/* A linear mechanical system with damping: e = (q, v), E = (I, M), Q = (K, I), J = [0 I; -I -G], port `a` (2) and port
 * `b` (3) on the velocities. */
typedef struct example {
    double E[N * N], J[N * N], R[N * N], Q[N * N], B[N * INPUTS];
    phx_csr csr[5];
} example;

static void symmetric_positive(uint64_t *seed, int n, double shift, double *out)
{
    double root[COORDINATES * COORDINATES];
    random_vector(seed, n * n, 1.0, root);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * N + j] = i == j ? shift : 0.0;
            for (int k = 0; k < n; k++)
                out[i * N + j] += root[i * n + k] * root[j * n + k];
        }
}

static void make_matrices(phx_context *context, uint64_t seed, example *it)
{
    const int m = COORDINATES;
    memset(it, 0, sizeof *it);
    symmetric_positive(&seed, m, 1.0, it->E + m * N + m);
    symmetric_positive(&seed, m, 1.0, it->Q);
    symmetric_positive(&seed, m, 0.1, it->R + m * N + m);
    for (int i = 0; i < m; i++) {
        it->E[i * N + i] = it->Q[(m + i) * N + m + i] = it->J[i * N + m + i] = 1.0;
        it->J[(m + i) * N + i] = -1.0;
        for (int j = 0; j < i; j++) {
            it->J[(m + i) * N + m + j] = random_value(&seed);
            it->J[(m + j) * N + m + i] = -it->J[(m + i) * N + m + j];
        }
        random_vector(&seed, INPUTS, 1.0, it->B + (m + i) * INPUTS);
    }
    const double *dense[] = {it->E, it->J, it->R, it->Q, it->B};
    for (int k = 0; k < 5; k++)
        CHECK_STATUS(context, phx_csr_from_dense(context, N, k == 4 ? INPUTS : N, dense[k], 0.0, &it->csr[k]), PHX_OK);
}

static phx_descriptor_def make_def(const char *name, const example *it)
{
    static const phx_descriptor_port ports[] = {{"a", 2}, {"b", 3}};
    phx_descriptor_def def = phx_descriptor_def_default();
    def.name = name;
    def.n = N;
    def.E = &it->csr[0];
    def.J = &it->csr[1];
    def.R = &it->csr[2];
    def.Q = &it->csr[3];
    def.B = &it->csr[4];
    def.n_ports = 2;
    def.ports = ports;
    return def;
}

static phx_descriptor *make(phx_context *context, const char *name, uint64_t seed)
{
    example it;
    phx_descriptor *system = NULL;
    make_matrices(context, seed, &it);
    const phx_descriptor_def def = make_def(name, &it);
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &system), PHX_OK);
    for (int k = 0; k < 5; k++)
        phx_csr_free(&it.csr[k]);
    return system;
}

/* Two systems side by side: "pair" with the ports one.a one.b two.a two.b. */
static phx_descriptor *make_pair(phx_context *context)
{
    phx_descriptor *parts[2] = {make(context, "one", 11), make(context, "two", 22)}, *pair = NULL;
    CHECK_STATUS(context, phx_descriptor_append(context, "pair", 2, (const phx_descriptor *const *)parts, &pair),
                 PHX_OK);
    phx_descriptor_destroy(parts[0]);
    phx_descriptor_destroy(parts[1]);
    return pair;
}

static void to_dense(const phx_csr *a, double *dense)
{
    assert_in_range(a->rows, 0, WIDE);
    assert_in_range(a->cols, 0, WIDE);
    phx_csr_to_dense(a, dense);
}

/* Transfer function at a real s: y = B^T Q (s E - (J - R) Q)^-1 B, n_inputs square. */
static void transfer(phx_context *context, const phx_descriptor *system, double s, double *out)
{
    static double E[WIDE * WIDE], J[WIDE * WIDE], R[WIDE * WIDE], Q[WIDE * WIDE], B[WIDE * WIDE], A[WIDE * WIDE];
    const int n = phx_descriptor_n(system), m = phx_descriptor_inputs(system);
    to_dense(phx_descriptor_E(system), E);
    to_dense(phx_descriptor_J(system), J);
    to_dense(phx_descriptor_R(system), R);
    to_dense(phx_descriptor_Q(system), Q);
    to_dense(phx_descriptor_B(system), B);
    for (int k = 0; k < n * n; k++)
        J[k] -= R[k];
    phx_dense_multiply(false, false, n, n, n, -1.0, J, n, Q, n, 0.0, A, n);
    for (int k = 0; k < n * n; k++)
        A[k] += s * E[k];
    memcpy(R, B, sizeof R);
    CHECK_STATUS(context, phx_dense_solve(context, n, A, m, R), PHX_OK);
    phx_dense_multiply(false, false, n, m, n, 1.0, Q, n, R, m, 0.0, A, m);
    phx_dense_multiply(true, false, m, m, n, 1.0, B, m, A, m, 0.0, out, m);
}

static void check_transfer(phx_context *context, const phx_descriptor *a, const phx_descriptor *b, const char *what)
{
    static double one[WIDE * WIDE], two[WIDE * WIDE];
    const int m = phx_descriptor_inputs(a);
    assert_int_equal(phx_descriptor_inputs(b), m);
    for (int k = 1; k <= 5; k++) {
        transfer(context, a, 0.4 * k, one);
        transfer(context, b, 0.4 * k, two);
        for (int i = 0; i < m * m; i++)
            CHECK_CLOSE(two[i], one[i], 1e-11, "%s: transfer function at s = %g, entry %d", what, 0.4 * k, i);
    }
}

static void test_questions(void **state)
{
    phx_context *context = *state;
    phx_descriptor *one = make(context, "one", 1), *copy = NULL;
    int size = 0;

    assert_string_equal(phx_descriptor_name(one), "one");
    assert_int_equal(phx_descriptor_n(one), N);
    assert_int_equal(phx_descriptor_inputs(one), INPUTS);
    assert_int_equal(phx_descriptor_ports(one), 2);
    assert_string_equal(phx_descriptor_port_name(one, 1), "b");
    assert_int_equal(phx_descriptor_port_columns(one, 1, &size), 2);
    assert_int_equal(size, 3);
    assert_int_equal(phx_descriptor_find_port(one, "b"), 1);
    assert_int_equal(phx_descriptor_find_port(one, "one.b"), 1);
    assert_int_equal(phx_descriptor_find_port(one, "two.b"), -1);
    CHECK_STATUS(context, phx_descriptor_copy(context, one, "two", &copy), PHX_OK);
    assert_string_equal(phx_descriptor_name(copy), "two");
    CHECK_SAME(phx_descriptor_E(copy), phx_descriptor_E(one), "E");
    CHECK_SAME(phx_descriptor_J(copy), phx_descriptor_J(one), "J");
    CHECK_SAME(phx_descriptor_R(copy), phx_descriptor_R(one), "R");
    CHECK_SAME(phx_descriptor_Q(copy), phx_descriptor_Q(one), "Q");
    CHECK_SAME(phx_descriptor_B(copy), phx_descriptor_B(one), "B");
    phx_descriptor_destroy(copy);
    phx_descriptor_destroy(one);
    phx_descriptor_destroy(NULL);
}

/* H_dot = z^T E e_dot = y^T u - z^T R z */
static void test_power(void **state)
{
    phx_context *context = *state;
    phx_descriptor *one = make(context, "one", 3);
    uint64_t seed = 5;

    for (int k = 0; k < 100; k++) {
        double e[N], z[N], u[INPUTS], y[INPUTS], rhs[N], energy = 0.0, moved[N], after = 0.0;
        random_vector(&seed, N, 1.0, e);
        random_vector(&seed, INPUTS, 1.0, u);
        CHECK_STATUS(context, phx_descriptor_efforts(context, one, e, z), PHX_OK);
        phx_descriptor_rates(one, z, u, rhs);
        phx_descriptor_outputs(one, z, u, y);
        CHECK_CLOSE(dot_product(N, z, rhs), dot_product(INPUTS, y, u) - phx_descriptor_dissipation(one, z, u), 1e-12,
                    "power balance of state %d", k);
        assert_true(phx_descriptor_dissipation(one, z, u) > 0.0);
        /* dH = z^T E de: the energy is quadratic, its difference quotient with the mean effort exact */
        CHECK_STATUS(context, phx_descriptor_energy(context, one, e, &energy), PHX_OK);
        double zm[N], Ede[N] = {0}, de[N];
        random_vector(&seed, N, 1.0, de);
        for (int i = 0; i < N; i++)
            moved[i] = e[i] + de[i];
        CHECK_STATUS(context, phx_descriptor_energy(context, one, moved, &after), PHX_OK);
        CHECK_STATUS(context, phx_descriptor_efforts(context, one, moved, zm), PHX_OK);
        phx_csr_apply(phx_descriptor_E(one), 1.0, de, Ede);
        CHECK_CLOSE(after - energy, 0.5 * (dot_product(N, z, Ede) + dot_product(N, zm, Ede)), 1e-11,
                    "change of energy, state %d", k);
    }
    phx_descriptor_destroy(one);
}

static void test_structure(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context), *joined = NULL;
    phx_descriptor_structure found;

    CHECK_STATUS(context, phx_descriptor_transformer(context, pair, "one.b", "two.b", NULL, &joined), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_check(context, joined, &found), PHX_OK);
    CHECK_CLOSE(found.skew, 0.0, 0.0, "J + J^T");
    CHECK_CLOSE(found.dissipation, 0.0, 0.0, "R - R^T");
    CHECK_CLOSE(found.descriptor, 0.0, 0.0, "E - E^T");
    CHECK_CLOSE(found.energy, 0.0, 1e-15, "E^T Q - Q^T E");
    CHECK_CLOSE(found.E_least, 0.0, 1e-14, "least eigenvalue of E");
    assert_true(found.E_largest >= 1.0);
    assert_true(found.W_least > -1e-14);
    assert_true(found.H_least > -1e-14);
    assert_int_equal(found.algebraic, 3);
    phx_descriptor_destroy(joined);
    phx_descriptor_destroy(pair);
}

static void block_of(const phx_descriptor *system, int port, double *out)
{
    double B[WIDE * WIDE];
    int size = 0;
    const int n = phx_descriptor_n(system), first = phx_descriptor_port_columns(system, port, &size);
    to_dense(phx_descriptor_B(system), B);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < size; c++)
            out[i * size + c] = B[i * phx_descriptor_inputs(system) + first + c];
}

/* u1 = -C y2, u2 = C^T y1, entry by entry and by what it does to the rates; the powers of both ports cancel (39). */
static void test_gyrator(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context), *joined = NULL;
    const int n = 2 * N;
    double C[2 * 3], B1[WIDE * WIDE], B2[WIDE * WIDE], z[2 * N], y[2 * INPUTS], u[2 * INPUTS] = {0};
    double want[2 * N], got[2 * N], power = 0.0;
    uint64_t seed = 7;

    random_vector(&seed, 6, 1.0, C);
    CHECK_STATUS(context, phx_descriptor_gyrator(context, pair, "one.a", "two.b", C, &joined), PHX_OK);
    assert_int_equal(phx_descriptor_n(joined), n);
    assert_int_equal(phx_descriptor_ports(joined), 2);
    assert_string_equal(phx_descriptor_port_name(joined, 0), "one.b");
    assert_string_equal(phx_descriptor_port_name(joined, 1), "two.a");
    block_of(pair, 0, B1);
    block_of(pair, 3, B2);
    for (int i = 0; i < N; i++) {
        for (int j = N; j < n; j++) {
            double X = 0.0;
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 3; b++)
                    X += B1[i * 2 + a] * C[a * 3 + b] * B2[j * 3 + b];
            const phx_csr *J = phx_descriptor_J(joined);
            const int at = phx_csr_find(J, i, j), mirror = phx_csr_find(J, j, i);
            CHECK_CLOSE(at < 0 ? 0.0 : J->val[at], -X, 1e-14, "J(%d,%d)", i, j);
            CHECK_CLOSE(mirror < 0 ? 0.0 : J->val[mirror], X, 1e-14, "J(%d,%d)", j, i);
        }
    }
    random_vector(&seed, n, 1.0, z);
    phx_descriptor_outputs(pair, z, NULL, y); /* one.a 0.. | one.b 2.. | two.a 5.. | two.b 7.. */
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++) {
            u[a] -= C[a * 3 + b] * y[7 + b];
            u[7 + b] += C[a * 3 + b] * y[a];
        }
    power = dot_product(2 * INPUTS, u, y);
    CHECK_CLOSE(power, 0.0, 1e-13, "power through the gyrator");
    phx_descriptor_rates(pair, z, u, want);
    phx_descriptor_rates(joined, z, NULL, got);
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(got[i], want[i], 1e-13, "rate %d", i);
    phx_descriptor_destroy(joined);
    phx_descriptor_destroy(pair);
}

/* u1 = -C u2 with u2 the multipliers; the last rows are C^T y1 - y2. */
static void test_transformer(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context), *joined = NULL;
    const int n = 2 * N;
    double C[2 * 3], z[2 * N + 3], y[2 * INPUTS], u[2 * INPUTS] = {0}, want[2 * N], got[2 * N + 3];
    uint64_t seed = 9;

    random_vector(&seed, 6, 1.0, C);
    CHECK_STATUS(context, phx_descriptor_transformer(context, pair, "one.a", "two.b", C, &joined), PHX_OK);
    assert_int_equal(phx_descriptor_n(joined), n + 3);
    random_vector(&seed, n + 3, 1.0, z);
    for (int b = 0; b < 3; b++) {
        u[7 + b] = z[n + b];
        for (int a = 0; a < 2; a++)
            u[a] -= C[a * 3 + b] * z[n + b];
    }
    phx_descriptor_rates(pair, z, u, want);
    phx_descriptor_outputs(pair, z, NULL, y);
    phx_descriptor_rates(joined, z, NULL, got);
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(got[i], want[i], 1e-13, "rate %d", i);
    for (int b = 0; b < 3; b++)
        CHECK_CLOSE(got[n + b], C[b] * y[0] + C[3 + b] * y[1] - y[7 + b], 1e-13, "constraint %d", b);
    phx_descriptor_destroy(joined);
    phx_descriptor_destroy(pair);
}

/* (42) = (44): the transformer equals the gyrator on the second system after its port changed causality. */
static void test_two_ways(void **state)
{
    phx_context *context = *state;
    phx_descriptor *parts[2] = {make(context, "one", 11), make(context, "two", 22)}, *pair = NULL, *direct = NULL,
                   *changed = NULL, *indirect = NULL;
    double C[2 * 3];
    uint64_t seed = 13;

    random_vector(&seed, 6, 1.0, C);
    CHECK_STATUS(context, phx_descriptor_append(context, "pair", 2, (const phx_descriptor *const *)parts, &pair),
                 PHX_OK);
    CHECK_STATUS(context, phx_descriptor_transformer(context, pair, "one.a", "two.b", C, &direct), PHX_OK);
    phx_descriptor_destroy(pair);
    CHECK_STATUS(context, phx_descriptor_exchange(context, parts[1], "b", &changed), PHX_OK);
    phx_descriptor_destroy(parts[1]);
    parts[1] = changed;
    CHECK_STATUS(context, phx_descriptor_append(context, "pair", 2, (const phx_descriptor *const *)parts, &pair),
                 PHX_OK);
    CHECK_STATUS(context, phx_descriptor_gyrator(context, pair, "one.a", "two.b", C, &indirect), PHX_OK);
    CHECK_SAME(phx_descriptor_E(direct), phx_descriptor_E(indirect), "E");
    CHECK_SAME(phx_descriptor_J(direct), phx_descriptor_J(indirect), "J");
    CHECK_SAME(phx_descriptor_R(direct), phx_descriptor_R(indirect), "R");
    CHECK_SAME(phx_descriptor_Q(direct), phx_descriptor_Q(indirect), "Q");
    CHECK_SAME(phx_descriptor_B(direct), phx_descriptor_B(indirect), "B");
    phx_descriptor *all[] = {pair, direct, indirect, parts[0], parts[1]};
    for (int k = 0; k < 5; k++)
        phx_descriptor_destroy(all[k]);
}

/* The exchanged port: input the rate, output the old input, so that its transfer function is the inverse. */
static void test_exchange(void **state)
{
    phx_context *context = *state;
    phx_descriptor *one = make(context, "one", 17), *changed = NULL;
    double before[WIDE * WIDE], after[WIDE * WIDE];

    CHECK_STATUS(context, phx_descriptor_exchange(context, one, "a", &changed), PHX_OK);
    assert_int_equal(phx_descriptor_n(changed), N + 2);
    transfer(context, one, 0.7, before);
    transfer(context, changed, 0.7, after);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) { /* with the other input at zero */
            double product = 0.0;
            for (int k = 0; k < 2; k++)
                product += before[i * INPUTS + k] * after[k * INPUTS + j];
            CHECK_CLOSE(product, i == j ? 1.0 : 0.0, 1e-12, "transfer times inverse, entry (%d,%d)", i, j);
        }
    phx_descriptor_destroy(changed);
    phx_descriptor_destroy(one);
}

/* Eliminating multipliers keeps the transfer function, the energy and the structure; redundant constraints drop out. */
static void test_eliminate(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context), *joined = NULL, *twice = NULL, *reduced = NULL, *standard = NULL;
    phx_descriptor_structure found;
    phx_csr basis = {0};
    double e[WIDE], full[WIDE] = {0}, H[3];
    uint64_t seed = 19;
    int k = 0;

    CHECK_STATUS(context, phx_descriptor_transformer(context, pair, "one.b", "two.b", NULL, &joined), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_eliminate(context, joined, 0.0, &basis, &reduced), PHX_OK);
    k = phx_descriptor_n(reduced);
    assert_int_equal(k, 2 * N - 3);
    assert_int_equal(basis.rows, 2 * N + 3);
    check_transfer(context, joined, reduced, "eliminated");
    CHECK_STATUS(context, phx_descriptor_check(context, reduced, &found), PHX_OK);
    CHECK_CLOSE(found.skew, 0.0, 0.0, "J + J^T of the reduced system");
    CHECK_CLOSE(found.dissipation, 0.0, 0.0, "R - R^T of the reduced system");
    CHECK_CLOSE(found.energy, 0.0, 1e-13, "E^T Q of the reduced system");
    assert_int_equal(found.algebraic, 0);
    assert_true(found.E_least > 1e-3);
    CHECK_STATUS(context, phx_descriptor_standard(context, reduced, &standard), PHX_OK);
    check_transfer(context, joined, standard, "standard form");
    random_vector(&seed, k, 1.0, e);
    phx_csr_apply(&basis, 1.0, e, full);
    CHECK_STATUS(context, phx_descriptor_energy(context, joined, full, &H[0]), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_energy(context, reduced, e, &H[1]), PHX_OK);
    double x[WIDE] = {0}, rates[WIDE];
    phx_csr_apply(phx_descriptor_E(reduced), 1.0, e, x);
    CHECK_STATUS(context, phx_descriptor_energy(context, standard, x, &H[2]), PHX_OK);
    CHECK_CLOSE(H[1], H[0], 1e-12 * H[0], "energy of the reduced system");
    CHECK_CLOSE(H[2], H[0], 1e-12 * H[0], "energy in standard form");
    CHECK_STATUS(context, phx_descriptor_efforts(context, joined, full, x), PHX_OK);
    phx_descriptor_rates(joined, x, NULL, rates);
    for (int b = 0; b < 3; b++)
        CHECK_CLOSE(rates[2 * N + b], 0.0, 1e-13, "constraint %d on the basis", b);
    /* hold a port that is already tied through the other one: all four columns, three of them new */
    phx_descriptor_destroy(reduced);
    CHECK_STATUS(context, phx_descriptor_hold(context, joined, "one.a", &twice), PHX_OK);
    phx_descriptor_destroy(joined);
    CHECK_STATUS(context, phx_descriptor_hold(context, twice, "two.a", &joined), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_eliminate(context, joined, 0.0, NULL, &reduced), PHX_OK);
    assert_int_equal(phx_descriptor_inputs(reduced), 0);
    assert_int_equal(phx_descriptor_n(reduced), 2 * N - 3 - 2 - 2);
    phx_csr_free(&basis);
    phx_descriptor *all[] = {pair, joined, twice, reduced, standard};
    for (int s = 0; s < 5; s++)
        phx_descriptor_destroy(all[s]);
}

/* Supports that repeat each other: mass points on the same column held twice. */
static void test_redundant(void **state)
{
    phx_context *context = *state;
    const double B[] = {1.0, 2.0, 1.0, 0.0, 0.0, 0.0};
    const phx_descriptor_port ports[] = {{"left", 1}, {"right", 1}};
    phx_csr matrix = {0}, identity = {0};
    phx_descriptor_def def = phx_descriptor_def_default();
    phx_descriptor *free_one = NULL, *left = NULL, *both = NULL, *reduced = NULL;
    const int at[] = {0, 1, 2};
    const double one[] = {1.0, 1.0, 1.0};

    CHECK_STATUS(context, phx_csr_from_dense(context, 3, 2, B, 0.0, &matrix), PHX_OK);
    CHECK_STATUS(context, phx_csr_from_triplets(context, 3, 3, 3, at, at, one, &identity), PHX_OK);
    matrix.val[2] = 0.0; /* the second port is the first one doubled */
    def.name = "point";
    def.n = 3;
    def.Q = &identity;
    def.B = &matrix;
    def.n_ports = 2;
    def.ports = ports;
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &free_one), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_hold(context, free_one, "left", &left), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_hold(context, left, "right", &both), PHX_OK);
    assert_int_equal(phx_descriptor_n(both), 5);
    CHECK_STATUS(context, phx_descriptor_eliminate(context, both, 0.0, NULL, &reduced), PHX_OK);
    assert_int_equal(phx_descriptor_n(reduced), 2);
    phx_csr_free(&matrix);
    phx_csr_free(&identity);
    phx_descriptor *all[] = {free_one, left, both, reduced};
    for (int s = 0; s < 4; s++)
        phx_descriptor_destroy(all[s]);
}

/* A port with a dot in its name, as those of linear models, gets the name of its part before it, and only once. */
static void test_dotted_ports(void **state)
{
    phx_context *context = *state;
    example it;
    make_matrices(context, 41, &it);
    phx_descriptor_def def = make_def("arm", &it);
    phx_descriptor_port ports[2] = {def.ports[0], def.ports[1]};
    phx_descriptor *arm = NULL, *cell = NULL, *held = NULL, *plant = NULL;
    ports[0].name = "pin.effort";
    def.ports = ports;
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &arm), PHX_OK);
    const phx_descriptor *one[1] = {arm};
    CHECK_STATUS(context, phx_descriptor_append(context, "cell", 1, one, &cell), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_hold(context, cell, "arm.b", &held), PHX_OK);
    one[0] = held;
    CHECK_STATUS(context, phx_descriptor_append(context, "plant", 1, one, &plant), PHX_OK);
    assert_string_equal(phx_descriptor_port_name(arm, 0), "pin.effort");
    assert_string_equal(phx_descriptor_port_name(plant, 0), "arm.pin.effort");
    assert_int_equal(phx_descriptor_find_port(arm, "arm.pin.effort"), 0);
    phx_descriptor *all[] = {arm, cell, held, plant};
    for (int k = 0; k < 4; k++)
        phx_descriptor_destroy(all[k]);
    for (int k = 0; k < 5; k++)
        phx_csr_free(&it.csr[k]);
}

static void test_refusals(void **state)
{
    phx_context *context = *state;
    example it;
    phx_descriptor *out = NULL, *one = make(context, "one", 31), *changed = NULL, *frozen = NULL;
    const phx_descriptor *twins[2] = {one, one};
    double e[N] = {0}, z[N];

    make_matrices(context, 41, &it);
    phx_descriptor_def def = make_def("sick", &it), bad = def;
    const double kept = it.csr[1].val[0];
    it.csr[1].val[0] += 1e-13;
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &out), PHX_ERR_ARGUMENT);
    assert_null(out);
    CHECK_MESSAGE(context, "J(");
    it.csr[1].val[0] = (double)NAN;
    CHECK_STATUS(context, phx_descriptor_create(context, &def, &out), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "finite");
    it.csr[1].val[0] = kept;
    bad.name = "a.b";
    CHECK_STATUS(context, phx_descriptor_create(context, &bad, &out), PHX_ERR_ARGUMENT);
    bad = def;
    bad.n_ports = 1;
    CHECK_STATUS(context, phx_descriptor_create(context, &bad, &out), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "B is 8 x 5");
    bad = def;
    bad.Q = NULL;
    CHECK_STATUS(context, phx_descriptor_create(context, &bad, &frozen), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_efforts(context, frozen, e, z), PHX_ERR_UNSUPPORTED);
    CHECK_STATUS(context, phx_descriptor_eliminate(context, frozen, 0.0, NULL, &out), PHX_ERR_UNSUPPORTED);
    CHECK_STATUS(context, phx_descriptor_append(context, "twins", 2, twins, &out), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "'one.a'");
    twins[1] = frozen;
    CHECK_STATUS(context, phx_descriptor_append(context, "mixed", 2, twins, &out), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_descriptor_gyrator(context, one, "a", "c", NULL, &out), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "no port 'c'");
    CHECK_STATUS(context, phx_descriptor_gyrator(context, one, "a", "a", NULL, &out), PHX_ERR_ARGUMENT);
    CHECK_STATUS(context, phx_descriptor_transformer(context, one, "a", "b", NULL, &out), PHX_ERR_ARGUMENT);
    CHECK_MESSAGE(context, "sizes 2 and 3");
    CHECK_STATUS(context, phx_descriptor_exchange(context, one, "b", &changed), PHX_OK);
    CHECK_STATUS(context, phx_descriptor_eliminate(context, changed, 0.0, NULL, &out), PHX_ERR_UNSUPPORTED);
    CHECK_MESSAGE(context, "port 'b'");
    CHECK_STATUS(context, phx_descriptor_standard(context, changed, &out), PHX_SINGULAR);
    assert_null(out);
    for (int k = 0; k < 5; k++)
        phx_csr_free(&it.csr[k]);
    phx_descriptor_destroy(one);
    phx_descriptor_destroy(changed);
    phx_descriptor_destroy(frozen);
}

/* Every allocation in turn fails: the status says so, nothing is made, nothing leaks. */
static void test_memory(void **state)
{
    phx_context *context = *state;
    phx_descriptor *pair = make_pair(context), *joined = NULL, *out = NULL;
    CHECK_STATUS(context, phx_descriptor_transformer(context, pair, "one.b", "two.b", NULL, &joined), PHX_OK);
    for (int call = 0; call < 6; call++) {
        const phx_descriptor *parts[1] = {pair};
        phx_status status = PHX_ERR_MEMORY;
        for (int k = 0; status == PHX_ERR_MEMORY && k < 1000; k++) {
            phx_context_fail_allocation(context, k);
            status = call == 0   ? phx_descriptor_copy(context, pair, "copy", &out)
                     : call == 1 ? phx_descriptor_append(context, "group", 1, parts, &out)
                     : call == 2 ? phx_descriptor_gyrator(context, pair, "one.b", "two.b", NULL, &out)
                     : call == 3 ? phx_descriptor_exchange(context, pair, "one.b", &out)
                     : call == 4 ? phx_descriptor_eliminate(context, joined, 0.0, NULL, &out)
                                 : phx_descriptor_standard(context, pair, &out);
            phx_context_fail_allocation(context, -1);
            assert_true(status == PHX_OK || (status == PHX_ERR_MEMORY && !out));
        }
        CHECK_STATUS(context, status, PHX_OK);
        phx_descriptor_destroy(out);
        out = NULL;
    }
    phx_descriptor_destroy(pair);
    phx_descriptor_destroy(joined);
}

/* A system made of the definition of another one has its matrices and ports. */
static void test_definition(void **state)
{
    phx_context *context = *state;
    phx_descriptor *one = make(context, "one", 5), *again = NULL;
    const phx_descriptor_def def = phx_descriptor_definition(one);
    const phx_descriptor_def none = phx_descriptor_definition(NULL);
    double a[WIDE * WIDE], b[WIDE * WIDE];

    CHECK_STATUS(context, phx_descriptor_create(context, &def, &again), PHX_OK);
    const phx_descriptor_def same = phx_descriptor_definition(again);
    const phx_csr *const first[] = {def.E, def.J, def.R, def.Q, def.B}, *const second[] = {same.E, same.J, same.R,
                                                                                           same.Q, same.B};
    for (int k = 0; k < 5; k++) {
        to_dense(first[k], a);
        to_dense(second[k], b);
        assert_memory_equal(a, b, (size_t)(first[k]->rows * first[k]->cols) * sizeof *a);
    }
    assert_int_equal(same.n_ports, def.n_ports);
    for (int p = 0; p < def.n_ports; p++) {
        assert_string_equal(same.ports[p].name, def.ports[p].name);
        assert_int_equal(same.ports[p].size, def.ports[p].size);
    }
    assert_true(!none.name && none.n == 0 && !none.E && none.n_ports == 0);
    phx_descriptor_destroy(one);
    phx_descriptor_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions),  cmocka_unit_test(test_power),       cmocka_unit_test(test_structure),
        cmocka_unit_test(test_gyrator),    cmocka_unit_test(test_transformer), cmocka_unit_test(test_two_ways),
        cmocka_unit_test(test_exchange),   cmocka_unit_test(test_eliminate),   cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_definition), cmocka_unit_test(test_refusals),    cmocka_unit_test(test_dotted_ports),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
