/* The elimination of inner deformations against dense algebra: condensed matrices, solutions, borders, what the
 * constant block lacks, whom the factors serve. */
#include "support.h"

#include <phlexor/algebra.h>

enum { MAX_ALL = MAX_V * MAX_V, MAX_BORDER = 6 * 2 * MAX_V };

#define FULL       PHX_KINETICS_FULL
#define CANTILEVER PHX_REFERENCE_CANTILEVER
#define SUPPORTED  PHX_REFERENCE_SIMPLY_SUPPORTED
#define FREE       PHX_REFERENCE_FREE
#define MIXED      PHX_ELEMENT_MIXED
#define ASSUMED    PHX_ELEMENT_ASSUMED

/* name, dim, rigid, order, reference, element, stiffening, masses, kinetics, damping: mass, stiffness, modal; modes,
 * modal data */
static const body_kind kinds[] = {
    {"plane cantilever", 2, false, 3, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"plane supported, masses, Rayleigh", 2, false, 3, SUPPORTED, MIXED, false, true, FULL, 0.3, 0.02, 0, 0, false},
    {"plane free, masses", 2, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"plane cantilever, order 5, modal", 2, false, 5, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0.05, 0, false},
    {"plane supported, order 5", 2, false, 5, SUPPORTED, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"plane free, order 5, Rayleigh", 2, false, 5, FREE, MIXED, false, false, FULL, 0.3, 0.02, 0, 0, false},
    {"plane free, 4 modes, modal", 2, false, 5, FREE, MIXED, false, true, FULL, 0, 0, 0.05, 4, false},
    {"plane modal data, masses, Rayleigh", 2, false, 3, CANTILEVER, MIXED, false, true, FULL, 0.3, 0.02, 0, 3, true},
    {"plane assumed, masses", 2, false, 3, CANTILEVER, ASSUMED, false, true, FULL, 0, 0, 0, 4, false},
    {"space cantilever, masses", 3, false, 3, CANTILEVER, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"space supported, Rayleigh", 3, false, 3, SUPPORTED, MIXED, false, false, FULL, 0.3, 0.02, 0, 0, false},
    {"space free, masses, modal", 3, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0.05, 0, false},
    {"space cantilever, order 5", 3, false, 5, CANTILEVER, MIXED, false, false, FULL, 0, 0, 0, 0, false},
    {"space supported, order 5, masses", 3, false, 5, SUPPORTED, MIXED, false, true, FULL, 0, 0, 0, 0, false},
    {"space supported, 5 modes, Rayleigh", 3, false, 3, SUPPORTED, MIXED, false, true, FULL, 0.3, 0.02, 0, 5, false},
    {"space modal data, masses", 3, false, 3, FREE, MIXED, false, true, FULL, 0, 0, 0, 6, true},
};
enum { N_KINDS = (int)(sizeof kinds / sizeof *kinds) };

/* Every kind in turn. */
static void each_kind(phx_context *context, void (*check)(phx_context *context, const subject *it, uint64_t *seed))
{
    uint64_t seed = 41;
    for (int k = 0; k < N_KINDS; k++) {
        subject it;
        subject_create(context, &kinds[k], &it);
        check(context, &it, &seed);
        subject_destroy(&it);
    }
}

/* ---- kept coordinates ---- */
enum { KEPT_NONE, KEPT_END, KEPT_MIDDLE, KEPT_BOTH_ENDS, KEPT_EVERY_PORT, KEPT_ALL_BUT_ONE, KEPT_ANY, N_KEPT };

static void mark_port(phx_context *context, const subject *it, double s, bool *marks)
{
    phx_body_port port;
    subject_port(context, it, s, &port);
    for (int k = 0; k < port.point.n; k++)
        marks[port.point.dof[k]] = true;
    phx_flex_point_free(&port.point);
}

/* Fills kept, ascending; the number. */
static int choose(phx_context *context, const subject *it, int how, uint64_t *seed, int *kept)
{
    bool marks[MAX_V] = {false};
    int count = 0;

    if (how == KEPT_END || how == KEPT_BOTH_ENDS || how == KEPT_EVERY_PORT)
        mark_port(context, it, 1.0, marks);
    if (how == KEPT_BOTH_ENDS || how == KEPT_EVERY_PORT)
        mark_port(context, it, 0.0, marks);
    if (how == KEPT_MIDDLE || how == KEPT_EVERY_PORT)
        mark_port(context, it, 0.5, marks);
    for (int i = 0; i < it->n_q; i++)
        marks[i] =
            marks[i] || (how == KEPT_ALL_BUT_ONE && i != it->n_q / 2) || (how == KEPT_ANY && random_value(seed) > 0.3);
    for (int i = 0; i < it->n_q; i++)
        if (marks[i])
            kept[count++] = i;
    return count;
}

/* ---- dense references ---- */
/* Values on the body's pattern as a dense matrix. */
static void spread(const subject *it, const double *val, double *dense)
{
    const int *ptr, *idx, n = it->n_v;
    phx_body_pattern(it->body, &ptr, &idx);
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (int i = 0; i < n; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            dense[i * n + idx[k]] = val[k];
}

/* S = a M_qq + b K + c R, n_q square; R is the derivative of the forces with respect to the velocities at rest. */
static void constant_block(const subject *it, double a, double b, double c, double *S)
{
    const phx_flex *flex = phx_body_flex(it->body);
    const int n = it->n_q, r = it->n_rigid;
    double x[MAX_X] = {0}, v[MAX_V] = {0}, M[MAX_ALL], D[MAX_ALL], dense[MAX_ALL], none[3] = {0};

    random_configuration(&(uint64_t){1}, it, x);
    phx_body_linearise(it->body, none, x, v, M, D, NULL);
    spread(it, D, dense);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            S[i * n + j] = c * dense[(r + i) * it->n_v + r + j];
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            S[i * n + flex->idx[e]] += a * flex->M[e] + b * flex->K[e];
    }
}

/* [border, S] as a dense matrix, n_v square. */
static void whole(const subject *it, const double *border, const double *S, double *A)
{
    const int n = it->n_v, r = it->n_rigid;

    memcpy(A, border, (size_t)(r * n) * sizeof *A);
    for (int i = 0; i < it->n_q; i++) {
        memcpy(A + (r + i) * n, border + r * n + i * r, (size_t)r * sizeof *A);
        memcpy(A + (r + i) * n + r, S + i * it->n_q, (size_t)it->n_q * sizeof *A);
    }
}

/* The Schur complement of A over the rigid and the kept unknowns, which `list` numbers, the inner ones behind them. */
static void schur(phx_context *context, int n, int n_kept, const int *list, const double *A, double *out)
{
    const int m = n - n_kept;
    double inner[MAX_ALL], right[MAX_ALL];

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            inner[i * m + j] = A[list[n_kept + i] * n + list[n_kept + j]];
        for (int j = 0; j < n_kept; j++)
            right[i * n_kept + j] = A[list[n_kept + i] * n + list[j]];
    }
    CHECK_OK(context, phx_dense_solve(context, m, inner, n_kept, right));
    for (int i = 0; i < n_kept; i++)
        for (int j = 0; j < n_kept; j++) {
            out[i * n_kept + j] = A[list[i] * n + list[j]];
            for (int k = 0; k < m; k++)
                out[i * n_kept + j] -= A[list[i] * n + list[n_kept + k]] * right[k * n_kept + j];
        }
}

/* The rigid unknowns, the kept ones, the others. */
static void number(const subject *it, int n_kept, const int *kept, int *list)
{
    int count = it->n_rigid + n_kept, k = 0;

    for (int i = 0; i < it->n_rigid; i++)
        list[i] = i;
    for (int i = 0; i < it->n_q; i++) {
        if (k < n_kept && kept[k] == i)
            list[it->n_rigid + k++] = it->n_rigid + i;
        else
            list[count++] = it->n_rigid + i;
    }
}

/* max |got - want| relative to the largest entry of the row and column of `want`, the same in any units */
static double scaled_defect(int n, const double *got, const double *want)
{
    double worst = 0.0, scale[MAX_V] = {0};

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            scale[i] = fmax(scale[i], fabs(want[i * n + j]));
            scale[j] = fmax(scale[j], fabs(want[i * n + j]));
        }
    for (int i = 0; i < n * n; i++) {
        const double defect = fabs(got[i] - want[i]) / sqrt(scale[i / n] * scale[i % n]);
        worst = isnan(defect) ? NAN : fmax(worst, defect);
    }
    return worst;
}

/* ---- condensed matrices and solutions ---- */
typedef struct weights {
    const char *name;
    double a, b, c;
} weights;
/* 2/h M + h/2 K + R of short, long and reversed steps, and M itself. */
static const weights sums[] = {
    {"h = 1e-4", 2e4, 5e-5, 1.0}, {"h = 0.05", 40.0, 0.025, 1.0},    {"h = 2", 1.0, 1.0, 1.0},
    {"mass", 1.0, 0.0, 0.0},      {"h = -0.05", -40.0, -0.025, 1.0}, {"damping counted twice", 40.0, 0.025, 2.0},
};

/* A dense solution of A y = b, and the one through the condensed matrix. */
static void check_solution(phx_context *context, const subject *it, const phx_condenser *condenser, int n_kept,
                           const int *list, const double *border, const double *X, const double *condensed,
                           const double *A, const double *b, const char *what)
{
    const int n = it->n_v, all = it->n_rigid + n_kept;
    double x[MAX_V], y[MAX_V], z[MAX_V], lu[MAX_ALL];

    memcpy(x, b, sizeof x);
    memcpy(y, b, sizeof y);
    memcpy(lu, A, (size_t)(n * n) * sizeof *lu);
    CHECK_OK(context, phx_dense_solve(context, n, lu, 1, y));
    phx_condenser_begin_solve(condenser, border, x);
    for (int i = 0; i < all; i++)
        z[i] = x[list[i]];
    memcpy(lu, condensed, (size_t)(all * all) * sizeof *lu);
    CHECK_OK(context, phx_dense_solve(context, all, lu, 1, z));
    for (int i = 0; i < all; i++)
        x[list[i]] = z[i];
    phx_condenser_end_solve(condenser, X, x);
    CHECK_VECTOR(n, x, y, 1e-9, "%s, %s: solution", it->name, what);
}

static void check_reduction(phx_context *context, const subject *it, uint64_t *seed)
{
    for (int how = 0; how < N_KEPT; how++) {
        int kept[MAX_V], list[MAX_V];
        const int n_kept = choose(context, it, how, seed, kept), all = it->n_rigid + n_kept;
        const size_t size = phx_body_border_size(it->body);
        double border[MAX_BORDER], b[MAX_V], S[MAX_ALL], A[MAX_ALL], X[6 * MAX_V], got[MAX_ALL], want[MAX_ALL];
        phx_condenser *condenser = NULL;

        assert_int_equal(size, it->n_rigid * (it->n_v + it->n_q));
        CHECK_OK(context, phx_condenser_create(context, it->body, n_kept, kept, &condenser));
        assert_int_equal(phx_condenser_inner(condenser), it->n_q - n_kept);
        number(it, n_kept, kept, list);
        for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
            char what[64];
            snprintf(what, sizeof what, "%s, kept set %d of %d", sums[k].name, how, n_kept);
            random_vector(seed, (int)size, 1.0, border); /* anything may stand in a border */
            random_vector(seed, it->n_v, 1.0, b);
            for (int i = 0; i < it->n_rigid; i++)
                border[i * it->n_v + i] += 20.0;
            const size_t before = phx_context_allocations(context);
            CHECK_OK(context, phx_condenser_factor(condenser, sums[k].a, sums[k].b, sums[k].c));
            phx_condenser_reduce(condenser, border, X, got);
            assert_int_equal(phx_context_allocations(context), before);
            constant_block(it, sums[k].a, sums[k].b, sums[k].c, S);
            whole(it, border, S, A);
            schur(context, it->n_v, all, list, A, want);
            CHECK_SMALL(scaled_defect(all, got, want), 1e-10, "%s, %s: condensed matrix", it->name, what);
            check_solution(context, it, condenser, n_kept, list, border, X, got, A, b, what);
        }
        phx_condenser_destroy(condenser);
    }
}

static void test_condensed_matrices_and_solutions(void **state)
{
    each_kind(*state, check_reduction);
}

/* Nothing is left over where every coordinate is kept, or there is none. */
static void check_nothing_inside(phx_context *context, const subject *it, uint64_t *seed)
{
    int kept[MAX_V];
    double border[MAX_BORDER], S[MAX_ALL], A[MAX_ALL], X[1], got[MAX_ALL], b[MAX_V], was[MAX_V];
    phx_condenser *condenser = NULL;

    for (int i = 0; i < it->n_q; i++)
        kept[i] = i;
    CHECK_OK(context, phx_condenser_create(context, it->body, it->n_q, kept, &condenser));
    assert_int_equal(phx_condenser_inner(condenser), 0);
    CHECK_OK(context, phx_condenser_factor(condenser, 40.0, 0.025, 1.0));
    random_vector(seed, (int)phx_body_border_size(it->body), 1.0, border);
    random_vector(seed, it->n_v, 1.0, b);
    memcpy(was, b, sizeof was);
    phx_condenser_reduce(condenser, border, X, got);
    phx_condenser_begin_solve(condenser, border, b);
    phx_condenser_end_solve(condenser, X, b);
    constant_block(it, 40.0, 0.025, 1.0, S);
    whole(it, border, S, A);
    CHECK_SMALL(scaled_defect(it->n_v, got, A), 1e-15, "%s: nothing condensed", it->name);
    for (int i = 0; i < it->n_v; i++)
        assert_true(b[i] == was[i]);
    phx_condenser_destroy(condenser);
}

static void test_all_kept(void **state)
{
    each_kind(*state, check_nothing_inside);
}

/* ---- borders ---- */
/* Largest difference between the border and the rigid rows and columns of A, relative to the largest entry of A. */
static double border_defect(const subject *it, const double *border, const double *A)
{
    const int n = it->n_v, r = it->n_rigid;
    double worst = 0.0, scale = 0.0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i >= r && j >= r)
                continue;
            const double got = i < r ? border[i * n + j] : border[r * n + (i - r) * r + j];
            worst = !(fabs(got - A[i * n + j]) <= worst) ? fabs(got - A[i * n + j]) : worst;
            scale = fmax(scale, fabs(A[i * n + j]));
        }
    return worst / scale;
}

static void check_mass_border(phx_context *context, const subject *it, uint64_t *seed)
{
    double x[MAX_X], border[MAX_BORDER], M[MAX_ALL];

    (void)context;
    for (size_t k = 0; k < phx_body_border_size(it->body); k++)
        border[k] = 7.0;
    for (int n = 0; n < 4; n++) {
        random_configuration(seed, it, x);
        phx_body_mass_matrix(it->body, x, M);
        phx_body_mass_border(it->body, x, n == 0, border);
        CHECK_SMALL(border_defect(it, border, M), 1e-15, "%s: border of the mass matrix, call %d", it->name, n);
    }
}

static void test_border_of_the_mass_matrix(void **state)
{
    each_kind(*state, check_mass_border);
}

/* An interval from a random state, with its residual evaluated. */
typedef struct interval {
    double x0[MAX_X], x1[MAX_X], xm[MAX_X], v0[MAX_V], v1[MAX_V], vm[MAX_V], p0[MAX_V];
    phx_body_view view;
} interval;

/* Angular velocities are scaled by `turn`. */
static void make_interval(phx_context *context, const subject *it, double h, double turn, uint64_t *seed, interval *out)
{
    double res[MAX_V];

    random_configuration(seed, it, out->x0);
    random_velocity(seed, it, out->v0);
    random_velocity(seed, it, out->vm);
    for (int k = it->dim; k < it->n_rigid; k++) {
        out->v0[k] *= turn;
        out->vm[k] *= turn;
    }
    for (int i = 0; i < it->n_v; i++)
        out->v1[i] = 2.0 * out->vm[i] - out->v0[i];
    moved(it, h, out->x0, out->vm, out->x1, out->xm);
    out->view = (phx_body_view){.h = h,
                                .x0 = out->x0,
                                .x1 = out->x1,
                                .xm = out->xm,
                                .v0 = out->v0,
                                .v1 = out->v1,
                                .vm = out->vm,
                                .products = phx_body_products_create(context, it->body, NULL)};
    assert_non_null(out->view.products);
    phx_body_interval_begin(it->body, out->x0, out->v0, out->view.products, out->p0);
    phx_body_interval_residual(it->body, test_gravity, &out->view, out->p0, res);
}

static void free_interval(interval *at)
{
    phx_free(at->view.products);
}

static void interval_matrix(const subject *it, const interval *at, double *A)
{
    double room[2 * MAX_ALL], val[MAX_ALL];
    phx_body_interval_linearise(it->body, test_gravity, &at->view, at->p0, room, val);
    spread(it, val, A);
}

static void check_interval_border(phx_context *context, const subject *it, uint64_t *seed)
{
    const double lengths[] = {1e-3, 0.05, -0.3};

    for (int n = 0; n < 6; n++) {
        double border[MAX_BORDER], A[MAX_ALL];
        interval at;
        make_interval(context, it, lengths[n % 3], 1.0, seed, &at);
        interval_matrix(it, &at, A);
        for (size_t k = 0; k < phx_body_border_size(it->body); k++)
            border[k] = 7.0;
        phx_body_interval_border(it->body, test_gravity, &at.view, at.p0, border);
        CHECK_SMALL(border_defect(it, border, A), 1e-14, "%s, h = %g: border of an interval", it->name, at.view.h);
        free_interval(&at);
    }
}

static void test_border_of_an_interval(void **state)
{
    each_kind(*state, check_interval_border);
}

/* ---- what the constant block lacks ---- */
/* e = (A_qq - S) x + sum w_k A_k x, w = w0 + w1: nothing of first order in h w against 2/h M. */
static void lacking(const subject *it, const interval *at, const double *x, double *e)
{
    const int n = it->n_q, r = it->n_rigid, v = it->n_v;
    const double h = at->view.h;
    double A[MAX_ALL], S[MAX_ALL], w[3];

    interval_matrix(it, at, A);
    constant_block(it, 2.0 / h, 0.5 * h, 1.0, S);
    for (int i = 0; i < n; i++) {
        e[i] = 0.0;
        for (int j = 0; j < n; j++)
            e[i] += (A[(r + i) * v + r + j] - S[i * n + j]) * x[j];
    }
    for (int k = 0; k < it->n_rot; k++)
        w[k] = at->v0[it->dim + k] + at->v1[it->dim + k];
    phx_body_gyroscopic_apply(it->body, w, x, e);
}

/* What is left goes with h w^2, of second order relative to 2/h M: halved with h, a quarter with w / 2, none at rest.
 */
static void check_gyroscopic(phx_context *context, const subject *it, uint64_t *seed)
{
    const double h = 0.01, turn = 20.0;
    const int n = it->n_q;
    const struct {
        double h, turn, ratio;
    } others[] = {{0.5 * h, turn, 0.5}, {h, 0.5 * turn, 0.25}, {-h, turn, -1.0}, {h, 0.0, 0.0}};
    double x[MAX_V], first[MAX_V], other[MAX_V], gyro[MAX_V] = {0}, fast[3] = {turn, turn, turn};
    const uint64_t begin = *seed;
    interval at;

    make_interval(context, it, h, turn, seed, &at);
    random_vector(seed, n, 1.0, x);
    lacking(it, &at, x, first);
    free_interval(&at);
    phx_body_gyroscopic_apply(it->body, fast, x, gyro);
    assert_true(max_abs(n, first) > 0.0);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        uint64_t same = begin;
        make_interval(context, it, others[k].h, others[k].turn, &same, &at);
        lacking(it, &at, x, other);
        free_interval(&at);
        for (int i = 0; i < n; i++)
            CHECK_CLOSE(other[i], others[k].ratio * first[i], 1e-9 * (max_abs(n, first) + max_abs(n, gyro)),
                        "%s: what is lacking at h = %g, turned by %g, coordinate %d", it->name, others[k].h,
                        others[k].turn, i);
    }
}

static void test_what_the_constant_block_lacks(void **state)
{
    each_kind(*state, check_gyroscopic);
}

/* y += sum w_k A_k x: adds, is linear in w, and antisymmetric: x . A_k x = 0. The bound that the iteration rests on:
 * |x . A_k y| <= |x|_M |y|_M for unit axes. */
static void check_bound(phx_context *context, const subject *it, uint64_t *seed)
{
    const phx_flex *flex = phx_body_flex(it->body);
    const int n = it->n_q;

    (void)context;
    for (int trial = 0; trial < 20; trial++) {
        double x[MAX_V], y[MAX_V], z[MAX_V], w[3], twice[3], one[MAX_V] = {0}, two[MAX_V], form[3] = {0}, length = 0.0;
        random_vector(seed, n, 1.0, x);
        random_vector(seed, n, 1.0, y);
        random_vector(seed, n, 1.0, z);
        random_vector(seed, it->n_rot, 1.0, w);
        for (int k = 0; k < it->n_rot; k++) {
            length += w[k] * w[k];
            twice[k] = 2.0 * w[k];
        }
        memcpy(two, z, sizeof two);
        phx_body_gyroscopic_apply(it->body, w, y, one);
        phx_body_gyroscopic_apply(it->body, twice, y, two);
        for (int i = 0; i < n; i++)
            CHECK_CLOSE(two[i], z[i] + 2.0 * one[i], 1e-14 * (1.0 + max_abs(n, one)), "%s: sum", it->name);
        CHECK_SMALL(dot_product(n, y, one), 1e-13 * (1.0 + max_abs(n, one)), "%s: y . A y", it->name);
        for (int i = 0; i < n; i++)
            for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
                form[0] += x[i] * flex->M[e] * x[flex->idx[e]];
                form[1] += y[i] * flex->M[e] * y[flex->idx[e]];
            }
        CHECK_BELOW(fabs(dot_product(n, x, one)), sqrt(length * form[0] * form[1]), "%s: |x . w_k A_k y|", it->name);
    }
}

static void test_bound_of_the_gyroscopic_form(void **state)
{
    each_kind(*state, check_bound);
}

/* ---- whom it serves ---- */
static phx_body *body_of(phx_context *context, const phx_flex *flex, double mass, double stiffness, double modal)
{
    phx_body_def def = phx_body_def_default();
    phx_body *body = NULL;
    def.name = "other";
    def.dim = flex->dim;
    def.flex = flex;
    def.damping_mass = mass;
    def.damping_stiffness = stiffness;
    def.damping_modal = modal;
    CHECK_OK(context, phx_body_create(context, &def, &body));
    return body;
}

static void test_whom_it_serves(void **state)
{
    phx_context *context = *state;
    const int kept[] = {0, 3}, others[] = {0, 4}, more[] = {0, 3, 4};
    const struct {
        double mass, stiffness, modal;
    } dampings[] = {{0, 0, 0}, {0.3, 0.02, 0}, {0.3, 0.02001, 0}, {0.31, 0.02, 0}, {0, 0, 0.05}, {0, 0, 0.06}};
    enum { N = (int)(sizeof dampings / sizeof *dampings) };

    for (int dim = 2; dim < 4; dim++) {
        subject it, twin;
        phx_body *body[N], *again[N];
        subject_create(context, &kinds[dim == 2 ? 0 : 9], &it);
        subject_create(context, &kinds[dim == 2 ? 0 : 9], &twin);
        for (int k = 0; k < N; k++) {
            body[k] =
                body_of(context, phx_body_flex(it.body), dampings[k].mass, dampings[k].stiffness, dampings[k].modal);
            again[k] =
                body_of(context, phx_body_flex(it.body), dampings[k].mass, dampings[k].stiffness, dampings[k].modal);
        }
        for (int k = 0; k < N; k++) {
            phx_condenser *condenser = NULL;
            CHECK_OK(context, phx_condenser_create(context, body[k], 2, kept, &condenser));
            for (int i = 0; i < N; i++)
                assert_int_equal(phx_condenser_serves(condenser, again[i], 2, kept), i == k);
            assert_false(phx_condenser_serves(condenser, again[k], 2, others));
            assert_false(phx_condenser_serves(condenser, again[k], 1, kept));
            assert_false(phx_condenser_serves(condenser, again[k], 3, more));
            assert_false(phx_condenser_serves(condenser, twin.body, 2, kept)); /* equal matrices, but others */
            phx_condenser_destroy(condenser);
        }
        for (int k = 0; k < N; k++) {
            phx_body_destroy(body[k]);
            phx_body_destroy(again[k]);
        }
        subject_destroy(&it);
        subject_destroy(&twin);
    }
}

/* ---- failures ---- */
static void test_singular_sums_are_refused(void **state)
{
    phx_context *context = *state;
    const int kept[] = {1};
    subject it;
    phx_condenser *condenser = NULL;
    double border[MAX_BORDER], X[6 * MAX_V], first[MAX_ALL], again[MAX_ALL];

    subject_create(context, &kinds[9], &it);
    const int all = it.n_rigid + 1;
    CHECK_OK(context, phx_condenser_create(context, it.body, 1, kept, &condenser));
    random_vector(&(uint64_t){9}, (int)phx_body_border_size(it.body), 1.0, border);
    CHECK_OK(context, phx_condenser_factor(condenser, 40.0, 0.025, 1.0));
    phx_condenser_reduce(condenser, border, X, first);
    CHECK_STATUS(context, phx_condenser_factor(condenser, 0.0, 0.0, 1.0), PHX_SINGULAR); /* undamped: nothing is left */
    CHECK_MESSAGE(context, "pivot 1");
    CHECK_STATUS(context, phx_condenser_factor(condenser, NAN, 0.0, 0.0), PHX_SINGULAR);
    CHECK_OK(context, phx_condenser_factor(condenser, 40.0, 0.025, 1.0));
    phx_condenser_reduce(condenser, border, X, again);
    assert_memory_equal(first, again, (size_t)(all * all) * sizeof *first);
    phx_condenser_destroy(condenser);
    phx_condenser_destroy(NULL);
    subject_destroy(&it);
}

/* Each allocation in turn; the sanitizers see what is left. */
static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    const int chosen[] = {2, 3, 5};
    phx_status status = PHX_ERR_MEMORY;
    subject it;
    long n = 0;

    subject_create(context, &kinds[11], &it);
    for (; status; n++) {
        phx_condenser *condenser = NULL;
        phx_context_fail_allocation(context, n);
        status = phx_condenser_create(context, it.body, 3, chosen, &condenser);
        phx_context_fail_allocation(context, -1);
        CHECK_STATUS(context, status, condenser ? PHX_OK : PHX_ERR_MEMORY);
        phx_condenser_destroy(condenser);
    }
    assert_in_range(n, 20, 60);
    subject_destroy(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_condensed_matrices_and_solutions),
        cmocka_unit_test(test_all_kept),
        cmocka_unit_test(test_border_of_the_mass_matrix),
        cmocka_unit_test(test_border_of_an_interval),
        cmocka_unit_test(test_what_the_constant_block_lacks),
        cmocka_unit_test(test_bound_of_the_gyroscopic_form),
        cmocka_unit_test(test_whom_it_serves),
        cmocka_unit_test(test_singular_sums_are_refused),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
