/* Ports of bodies: P against differences of the place and the directions, its transpose, tangents, exact increments. */
#include "support.h"

static const int side[4] = {-2, -1, 1, 2};
static const double weight[4] = {1.0, -8.0, 8.0, -1.0};
enum { MAX_P = PHX_PORT_MAX * MAX_V };

typedef void port_check(phx_context *context, const subject *it, const phx_body_port *port, uint64_t *seed);

/* Runs a check on ports at both ends, at a node and inside an element of every kind. */
static void each_port(phx_context *context, uint64_t seed, port_check *check)
{
    const double at[] = {0.0, 0.5, 0.37, 1.0};
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        subject_create(context, &body_kinds[k], &it);
        for (int n = 0; n < 12; n++) {
            phx_body_port port;
            subject_port(context, &it, at[n % 4], &port);
            check(context, &it, &port, &seed);
            phx_body_port_free(&port);
        }
        subject_destroy(&it);
    }
}

/* P as a dense phx_port_size x n_v matrix. */
static void dense_jacobian(const subject *it, const phx_body_port *port, const phx_body_view *view, double *dense)
{
    int cols[MAX_V];
    double P[MAX_P];
    const int rows = phx_port_size(it->dim), n = phx_body_port_jacobian(it->body, port, view, cols, P);
    assert_int_equal(n, it->n_rigid + port->point.n);
    memset(dense, 0, (size_t)rows * (size_t)it->n_v * sizeof *dense);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < n; c++)
            dense[i * it->n_v + cols[c]] += P[i * n + c];
}

/* Place and section rotation in a configuration. */
static void place(const subject *it, const phx_body_port *port, const double *x, double *u, double *theta)
{
    const double still[MAX_V] = {0};
    const phx_body_view view = instant(x, still);
    phx_port_view out;
    phx_body_port_view(it->body, port, &view, &out);
    memcpy(u, out.u1, (size_t)it->dim * sizeof *u);
    memcpy(theta, out.theta1, (size_t)it->n_rot * sizeof *theta);
}

/* u_dot and theta_dot of the columns of P are the differences of place and section rotation; w is the body's. */
static void check_jacobian(phx_context *context, const subject *it, const phx_body_port *port, uint64_t *seed)
{
    const int d = it->dim, r = it->n_rigid, n = it->n_v, rows = phx_port_size(d);
    const double step = 1e-2;
    double x[MAX_X], v[MAX_V], P[MAX_P], rate[PHX_PORT_MAX];
    phx_port_view out;
    (void)context;

    random_configuration(seed, it, x);
    random_velocity(seed, it, v);
    const phx_body_view view = instant(x, v);
    dense_jacobian(it, port, &view, P);
    for (int c = 0; c < n; c++) {
        double xi[MAX_V] = {0}, want[PHX_PORT_MAX] = {0}, got[PHX_PORT_MAX], x1[MAX_X], u[3], theta[3];
        xi[c] = 1.0;
        for (int k = 0; k < 4; k++) {
            displaced(it, x, step * side[k], xi, x1);
            place(it, port, x1, u, theta);
            for (int a = 0; a < d; a++)
                want[a] += weight[k] / (12.0 * step) * u[a];
            for (int a = 0; a < it->n_rot; a++)
                want[r + a] += weight[k] / (12.0 * step) * theta[a];
        }
        if (c >= d && c < r)
            want[c] = 1.0;
        for (int i = 0; i < rows; i++)
            got[i] = P[i * n + c];
        if (it->kinetics == PHX_KINETICS_FULL || c < d || c >= r) /* simplified: undeformed lever arm */
            CHECK_VECTOR(rows, got, want, 1e-9, "%s: P, column %d", it->name, c);
    }
    phx_body_port_view(it->body, port, &view, &out);
    for (int i = 0; i < rows; i++)
        rate[i] = dot_product(n, P + i * n, v);
    CHECK_VECTOR(rows, out.rate, rate, 1e-14, "%s: rate = P nu", it->name);
}

/* The lever arm with simplified kinetics is that of the undeformed body. */
static void check_lever(phx_context *context, const subject *it, const phx_body_port *port, uint64_t *seed)
{
    double x[MAX_X], straight[MAX_X], v[MAX_V], P[MAX_P], P0[MAX_P];
    (void)context;

    random_configuration(seed, it, x);
    random_velocity(seed, it, v);
    memcpy(straight, x, sizeof x);
    memset(straight + at_q(it), 0, (size_t)it->n_q * sizeof *x);
    const phx_body_view bent = instant(x, v), unbent = instant(straight, v);
    dense_jacobian(it, port, &bent, P);
    dense_jacobian(it, port, &unbent, P0);
    if (it->kinetics == PHX_KINETICS_SIMPLIFIED)
        assert_memory_equal(P, P0, (size_t)(phx_port_size(it->dim) * it->n_v) * sizeof *P);
    else if (it->n_q && port->point.x[0] > 0.5)
        assert_memory_not_equal(P, P0, (size_t)(phx_port_size(it->dim) * it->n_v) * sizeof *P);
}

/* res += alpha P^T effort, at an instant and over an interval. */
static void check_transpose(phx_context *context, const subject *it, const phx_body_port *port, uint64_t *seed)
{
    const int n = it->n_v, rows = phx_port_size(it->dim);
    double x0[MAX_X], x1[MAX_X], xm[MAX_X], v[MAX_V], effort[PHX_PORT_MAX], P[MAX_P], got[MAX_V], want[MAX_V];
    (void)context;

    random_configuration(seed, it, x0);
    random_velocity(seed, it, v);
    random_vector(seed, rows, 1.0, effort);
    random_vector(seed, n, 1.0, got);
    moved(it, 0.7, x0, v, x1, xm);
    const phx_body_view view = {.h = 0.7, .x0 = x0, .x1 = x1, .xm = xm, .v0 = v, .v1 = v, .vm = v};
    dense_jacobian(it, port, &view, P);
    for (int c = 0; c < n; c++) {
        want[c] = got[c];
        for (int i = 0; i < rows; i++)
            want[c] -= 1.7 * P[i * n + c] * effort[i];
    }
    phx_body_port_apply(it->body, port, &view, -1.7, effort, got);
    CHECK_VECTOR(n, got, want, 1e-14, "%s: P^T effort", it->name);
}

/* Over a move: u1 - u0 = h u_dot, theta1 - theta0 = h theta_dot, whatever h; means are means. */
static void check_increment(phx_context *context, const subject *it, const phx_body_port *port, uint64_t *seed)
{
    const double h = (const double[]){0.01, 0.4, 3.0}[*seed % 3];
    double x0[MAX_X], x1[MAX_X], xm[MAX_X], v[MAX_V], got[PHX_PORT_MAX], want[PHX_PORT_MAX], still[MAX_V] = {0};
    phx_port_view out, end;
    (void)context;

    random_configuration(seed, it, x0);
    random_velocity(seed, it, v);
    moved(it, h, x0, v, x1, xm);
    const phx_body_view view = {.h = h, .x0 = x0, .x1 = x1, .xm = xm, .v0 = still, .v1 = still, .vm = v};
    const phx_body_view end_view = instant(x1, v);
    phx_body_port_view(it->body, port, &view, &out);
    phx_body_port_view(it->body, port, &end_view, &end);
    assert_int_equal(out.dim, it->dim);
    assert_true(out.straight == (port->point.n == 0));
    assert_true(out.h == h);
    CHECK_VECTOR(it->dim, out.u1, end.u0, 0.0, "%s: place at the end", it->name);
    CHECK_VECTOR(it->dim * it->dim, out.R1, end.R0, 0.0, "%s: axes at the end", it->name);
    CHECK_VECTOR(it->n_rot, out.theta1, end.theta0, 0.0, "%s: section at the end", it->name);
    if (it->dim == 2)
        assert_true(out.angle0 == x0[4] && out.angle1 == x1[4]);
    for (int a = 0; a < it->dim; a++) {
        got[a] = out.u1[a] - out.u0[a];
        want[a] = h * out.rate[a];
        CHECK_CLOSE(out.um[a], 0.5 * (out.u0[a] + out.u1[a]), 1e-15 * (1.0 + fabs(out.um[a])), "mean place");
    }
    if (it->kinetics == PHX_KINETICS_FULL)
        CHECK_VECTOR(it->dim, got, want, 4e-15, "%s: u1 - u0 over h = %g", it->name, h);
    for (int k = 0; k < it->n_rot; k++) {
        CHECK_CLOSE(out.theta1[k] - out.theta0[k], h * out.rate[it->n_rigid + k], 4e-15 * (1.0 + fabs(out.theta1[k])),
                    "%s: theta1 - theta0 over h = %g", it->name, h);
        CHECK_CLOSE(out.thetam[k], 0.5 * (out.theta0[k] + out.theta1[k]), 1e-15 * (1.0 + fabs(out.thetam[k])),
                    "%s: mean section", it->name);
        assert_true(out.rate[it->dim + k] == v[it->dim + k]);
    }
}

/* P^T effort (kind 0) or P nu (kind 1) in a configuration. */
static int map_value(const subject *it, const phx_body_port *port, int kind, const double *x, const double *v,
                     const double *effort, double *value)
{
    const phx_body_view view = instant(x, v);
    phx_port_view out;
    if (kind) {
        phx_body_port_view(it->body, port, &view, &out);
        memcpy(value, out.rate, (size_t)phx_port_size(it->dim) * sizeof *value);
        return phx_port_size(it->dim);
    }
    memset(value, 0, (size_t)it->n_v * sizeof *value);
    phx_body_port_apply(it->body, port, &view, 1.0, effort, value);
    return it->n_v;
}

/* Differences of the maps along xi against the tangents. */
static void check_tangents(phx_context *context, const subject *it, const phx_body_port *port, uint64_t *seed)
{
    const double step = 1e-2;
    const int d = it->dim, r = it->n_rigid, n = r + port->point.n, rows = phx_port_size(d);
    double x[MAX_X], v[MAX_V], effort[PHX_PORT_MAX], P[MAX_P], place[MAX_P], tangent[MAX_P], turn[9];
    double turns[MAX_V * 3], bends[3 * MAX_V], geometric[MAX_V * MAX_V] = {0}, rate[MAX_P] = {0};
    int cols[MAX_V];
    (void)context;

    random_configuration(seed, it, x);
    random_velocity(seed, it, v);
    random_vector(seed, rows, 1.0, effort);
    const phx_body_view view = instant(x, v);
    phx_body_port_jacobian(it->body, port, &view, cols, P);
    const phx_port_tangents out = {.place = place, .rate = tangent, .turn = turn, .turns = turns, .bends = bends};
    phx_body_port_tangents(it->body, port, &view, effort, &out);
    for (int i = 0; i < d * n; i++)
        assert_true(place[i] == P[i]);
    phx_body_port_place_jacobian(it->body, port, &view, place);
    for (int i = 0; i < d * n; i++)
        assert_true(place[i] == P[i]);
    for (int i = 0; i < it->n_rot * it->n_rot; i++)
        assert_true(turn[i] == (i % (it->n_rot + 1) == 0)); /* of an instant */
    for (int i = 0; i < n; i++)
        for (int k = 0; k < it->n_rot; k++)
            geometric[i * n + d + k] = turns[i * it->n_rot + k];
    for (int k = 0; k < it->n_rot; k++)
        for (int j = 0; j < port->point.n; j++)
            geometric[(d + k) * n + r + j] = bends[k * port->point.n + j];
    for (int i = 0; i < d; i++)
        for (int j = d; j < n; j++)
            rate[i * n + j] = tangent[i * (n - d) + j - d];
    for (int c = 0; c < n; c++) {
        for (int kind = 0; kind < 2; kind++) {
            double xi[MAX_V] = {0}, x1[MAX_X], value[MAX_V], want[MAX_V] = {0}, got[MAX_V] = {0};
            int length = 0;
            xi[cols[c]] = 1.0;
            for (int k = 0; k < 4; k++) {
                displaced(it, x, step * side[k], xi, x1);
                length = map_value(it, port, kind, x1, v, effort, value);
                for (int i = 0; i < length; i++)
                    want[i] += weight[k] / (12.0 * step) * value[i];
            }
            for (int i = 0; i < (kind ? rows : n); i++)
                got[kind ? i : cols[i]] = kind ? rate[i * n + c] : geometric[i * n + c];
            CHECK_VECTOR(length, got, want, 1e-8, "%s: %s tangent, column %d", it->name, kind ? "rate" : "geometric",
                         cols[c]);
        }
    }
}

static void test_jacobian(void **state)
{
    each_port(*state, 41, check_jacobian);
    each_port(*state, 42, check_lever);
}

static void test_transpose(void **state)
{
    each_port(*state, 43, check_transpose);
}

static void test_increment(void **state)
{
    each_port(*state, 44, check_increment);
}

static void test_tangents(void **state)
{
    each_port(*state, 45, check_tangents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jacobian), cmocka_unit_test(test_transpose),
                                       cmocka_unit_test(test_increment), cmocka_unit_test(test_tangents)};
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
