#include "span.h"

static const double STEP = 1e-3;
const double span_side[4] = {-2, -1, 1, 2}, span_weight[4] = {1.0 / 12e-3, -8.0 / 12e-3, 8.0 / 12e-3, -1.0 / 12e-3};
static double dense[SPAN_MATRIX], values[3][SPAN_MATRIX], room[2 * SPAN_MATRIX];

void span_place(uint64_t *seed, const phx_body *body, double bend, double *x)
{
    double xi[SPAN_V], twist[6];

    phx_body_rest(body, x);
    random_vector(seed, phx_body_n_v(body), bend, xi);
    phx_body_displace(body, 1.0, xi, x);
    random_vector(seed, 6, 2.0, twist);
    phx_body_displace_rigidly(body, 1.0, twist, x);
}

void span_take(const phx_body *body, double h, span *at)
{
    double low[SPAN_X] = {0}, lost[SPAN_X] = {0};
    phx_products *products = phx_body_products_create(NULL, body, NULL);

    assert_non_null(products);
    for (int i = 0; i < phx_body_n_v(body); i++)
        at->v1[i] = 2.0 * at->vm[i] - at->v0[i];
    phx_body_move(body, h, at->x0, low, at->vm, at->x1, lost, at->xm);
    at->view = (phx_body_view){.h = h,
                               .x0 = at->x0,
                               .x1 = at->x1,
                               .xm = at->xm,
                               .v0 = at->v0,
                               .v1 = at->v1,
                               .vm = at->vm,
                               .products = products};
    phx_body_interval_begin(body, h, at->x0, at->v0, products);
    phx_body_interval_residual(body, test_gravity, &at->view, at->res);
}

void span_leave(const phx_body *body, span *at)
{
    phx_body_products_destroy(body, at->view.products);
}

void span_random(uint64_t *seed, const phx_body *body, double bend, double h, span *at)
{
    assert_in_range(phx_body_n_v(body), 1, SPAN_V);
    assert_in_range(phx_body_n_x(body), 1, SPAN_X);
    span_place(seed, body, bend, at->x0);
    random_vector(seed, phx_body_n_v(body), 0.6, at->v0);
    random_vector(seed, phx_body_n_v(body), 0.6, at->vm);
    span_take(body, h, at);
}

static double energy(const phx_body *body, const double *x, const double *v)
{
    return phx_body_kinetic(body, x, v) + phx_body_elastic(body, x) + phx_body_potential(body, test_gravity, x);
}

void check_span_energy(uint64_t *seed, const phx_body *body, double bend, double h, bool damped, const char *what)
{
    span at;

    span_random(seed, body, bend, h, &at);
    const double lost = h * phx_body_interval_dissipation(body, &at.view);
    phx_body_interval_finish(body, h, at.v0, at.v1);
    const double before = energy(body, at.x0, at.v0), after = energy(body, at.x1, at.v1);
    const double work = h * dot_product(phx_body_n_v(body), at.vm, at.res);
    CHECK_SMALL((work - (after - before) - lost) / (fabs(before) + fabs(after) + fabs(lost)), 1e-13, "%s, h = %g", what,
                h);
    assert_true(damped ? lost * h > 0.0 : lost == 0.0);
    span_leave(body, &at);
}

/* ---- derivatives ---- */
static void check_column(const phx_body *body, int c, const double *column, const char *matrix, const char *what)
{
    const int n = phx_body_n_v(body);
    double got[SPAN_V];

    for (int i = 0; i < n; i++)
        got[i] = dense[i * n + c];
    CHECK_VECTOR(n, got, column, 1e-8, "%s, %s, column %d", matrix, what, c);
}

void check_span_tangent(uint64_t *seed, const phx_body *body, double bend, double h, const char *what)
{
    const int n = phx_body_n_v(body);
    span at;

    span_random(seed, body, bend, h, &at);
    phx_body_interval_linearise(body, test_gravity, &at.view, room, values[0]);
    spread(body, values[0], dense);
    for (int c = 0; c < n; c++) {
        double column[SPAN_V] = {0};
        for (int k = 0; k < 4; k++) {
            span other = at;
            other.vm[c] += STEP * span_side[k];
            span_take(body, h, &other);
            for (int i = 0; i < n; i++)
                column[i] += span_weight[k] * other.res[i];
            span_leave(body, &other);
        }
        check_column(body, c, column, "interval", what);
    }
    span_leave(body, &at);
}

static void check_columns(const phx_body *body, const char *matrix, const double *val, const double *x, const double *v,
                          bool of_place, const char *what)
{
    const double still[SPAN_V] = {0};
    const int n = phx_body_n_v(body);

    spread(body, val, dense);
    for (int c = 0; c < n; c++) {
        double column[SPAN_V] = {0}, res[SPAN_V];
        for (int k = 0; k < 4; k++) {
            double xi[SPAN_V] = {0}, x1[SPAN_X], v1[SPAN_V];
            memcpy(v1, v, (size_t)n * sizeof *v);
            memcpy(x1, x, (size_t)phx_body_n_x(body) * sizeof *x);
            xi[c] = 1.0;
            phx_body_displace(body, of_place ? STEP * span_side[k] : 0.0, xi, x1);
            if (!of_place)
                v1[c] += STEP * span_side[k];
            phx_body_residual(body, test_gravity, x1, v1, still, res);
            for (int i = 0; i < n; i++)
                column[i] += span_weight[k] * res[i];
        }
        check_column(body, c, column, matrix, what);
    }
}

void check_instant_tangents(uint64_t *seed, const phx_body *body, double bend, const char *what)
{
    double x[SPAN_X], v[SPAN_V];

    span_place(seed, body, bend, x);
    random_vector(seed, phx_body_n_v(body), 0.8, v);
    phx_body_linearise(body, test_gravity, x, v, values[0], values[1], values[2]);
    check_columns(body, "D", values[1], x, v, false, what);
    check_columns(body, "K", values[2], x, v, true, what);
}
