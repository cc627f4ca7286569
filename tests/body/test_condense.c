/* The elimination of internal deformations against dense algebra: condensed matrices, solutions, what the constant
 * block lacks, whom the factors serve. */
#include "batches.h"

#include <phlexor/algebra.h>

/* The Schur complement of A over the rigid and the boundary unknowns, which `list` numbers, the internal ones behind
 * them. */
static void schur(phx_context *context, int n, int n_boundary, const int *list, const double *A, double *out)
{
    const int m = n - n_boundary;
    double internal[MAX_ALL], right[MAX_ALL];

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            internal[i * m + j] = A[list[n_boundary + i] * n + list[n_boundary + j]];
        for (int j = 0; j < n_boundary; j++)
            right[i * n_boundary + j] = A[list[n_boundary + i] * n + list[j]];
    }
    CHECK_OK(context, phx_dense_solve(context, m, internal, n_boundary, right));
    for (int i = 0; i < n_boundary; i++)
        for (int j = 0; j < n_boundary; j++) {
            out[i * n_boundary + j] = A[list[i] * n + list[j]];
            for (int k = 0; k < m; k++)
                out[i * n_boundary + j] -= A[list[i] * n + list[n_boundary + k]] * right[k * n_boundary + j];
        }
}

/* The rigid unknowns, the boundary ones, the others. */
static void number(const subject *it, int n_boundary, const int *boundary, int *list)
{
    int count = it->n_rigid + n_boundary, k = 0;

    for (int i = 0; i < it->n_rigid; i++)
        list[i] = i;
    for (int i = 0; i < it->n_q; i++) {
        if (k < n_boundary && boundary[k] == i)
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

/* Condensed matrices and the solutions through them of all bodies of a batch. */
typedef struct condensed {
    double arrow[PHX_BATCH_WIDTH * MAX_ARROW], Y[PHX_BATCH_WIDTH * 3 * MAX_V], matrix[PHX_BATCH_WIDTH * MAX_ALL];
    double b[PHX_BATCH_WIDTH * MAX_V], x[PHX_BATCH_WIDTH * MAX_V];
} condensed;

/* Each equation is divided by its largest coefficient, so that pivots are chosen by what they are worth. */
static void even_rows(int n, double *A, double *b)
{
    for (int i = 0; i < n; i++) {
        const double largest = max_abs(n, A + i * n);
        for (int j = 0; j < n; j++)
            A[i * n + j] /= largest;
        b[i] /= largest;
    }
}

/* x of b, the condensed matrix of each body by dense algebra. */
static void solve_condensed(phx_context *context, const subject *it, const group *at, const phx_condenser *condenser,
                            int n_boundary, const int *list, condensed *out)
{
    const int n = it->n_v, all = it->n_rigid + n_boundary;
    double z[PHX_BATCH_WIDTH * MAX_V], c[PHX_BATCH_WIDTH * MAX_V], lu[MAX_ALL];

    assert_int_equal(phx_body_batch_internal_size(at->batch, condenser), at->width * (it->n_q - n_boundary));
    phx_body_batch_gather_internal(at->batch, condenser, out->b, z);
    for (int l = 0; l < at->count; l++)
        for (int i = 0; i < all; i++)
            c[l * all + i] = out->b[l * n + list[i]];
    phx_body_batch_begin_solve(at->batch, condenser, out->arrow, z, c);
    for (int l = 0; l < at->count; l++) {
        of_lane(at->width, l, all * all, out->matrix, lu);
        even_rows(all, lu, c + l * all);
        CHECK_OK(context, phx_dense_solve(context, all, lu, 1, c + l * all));
        for (int i = 0; i < all; i++)
            out->x[l * n + list[i]] = c[l * all + i];
    }
    phx_body_batch_end_solve(at->batch, condenser, out->arrow, out->Y, c, z);
    phx_body_batch_scatter_internal(at->batch, condenser, z, out->x);
}

/* A x = b, and the condensed matrix against a dense Schur complement. */
static void check_lane(phx_context *context, const subject *it, int width, int lane, int n_boundary, const int *list,
                       const double *S, const condensed *got, const char *what)
{
    const int n = it->n_v, all = it->n_rigid + n_boundary, size = (int)arrow_size(it);
    double arrow[MAX_ARROW], A[MAX_ALL], matrix[MAX_ALL], want[MAX_ALL];

    of_lane(width, lane, size, got->arrow, arrow);
    of_lane(width, lane, all * all, got->matrix, matrix);
    whole(it, arrow, S, A);
    schur(context, n, all, list, A, want);
    CHECK_SMALL(scaled_defect(all, matrix, want), 1e-10, "%s, %s: condensed matrix", it->name, what);
    for (int i = 0; i < n; i++) {
        double defect = -got->b[lane * n + i], scale = fabs(defect);
        for (int j = 0; j < n; j++) {
            defect += A[i * n + j] * got->x[lane * n + j];
            scale += fabs(A[i * n + j] * got->x[lane * n + j]);
        }
        CHECK_SMALL(defect / scale, 1e-10, "%s, %s: solution, equation %d", it->name, what, i);
    }
}

static void check_sum(phx_context *context, const subject *it, const group *at, phx_condenser *condenser,
                      int n_boundary, const int *boundary, int k, uint64_t *seed)
{
    const int size = (int)arrow_size(it);
    int list[MAX_V];
    double S[MAX_ALL];
    condensed out;
    char what[80];

    assert_int_equal(phx_body_batch_arrow_size(at->batch), at->width * size);
    number(it, n_boundary, boundary, list);
    random_vector(seed, at->width * size, 1.0, out.arrow); /* anything may stand in an arrow block */
    random_vector(seed, at->count * it->n_v, 1.0, out.b);
    for (int i = 0; i < it->n_rigid * at->width; i++)
        out.arrow[(i / at->width) * (it->n_rigid + 1) * at->width + i % at->width] += 20.0;
    const size_t before = phx_context_allocations(context);
    CHECK_OK(context, phx_condenser_factor(condenser, sums[k].a, sums[k].b, sums[k].c));
    phx_body_batch_reduce(at->batch, condenser, out.arrow, out.Y, out.matrix);
    assert_int_equal(phx_context_allocations(context), before);
    constant_block(it, sums[k].a, sums[k].b, sums[k].c, S);
    solve_condensed(context, it, at, condenser, n_boundary, list, &out);
    for (int l = 0; l < at->count; l++) {
        snprintf(what, sizeof what, "%s, %d kept, body %d of %d", sums[k].name, n_boundary, l, at->count);
        check_lane(context, it, at->width, l, n_boundary, list, S, &out, what);
    }
}

static void check_reduction(phx_context *context, const subject *it, uint64_t *seed)
{
    for (int how = 0; how < N_KEPT; how++) {
        int boundary[MAX_V];
        const int n_boundary = choose(context, it, how, seed, boundary);
        phx_condenser *condenser = NULL;

        CHECK_OK(context, phx_condenser_create(context, it->body, n_boundary, boundary, &condenser));
        assert_int_equal(phx_condenser_internal(condenser), it->n_q - n_boundary);
        for (int count = 1; count <= phx_body_batch_most(); count++) {
            group at;
            batch_create(context, it, count, n_boundary, &at);
            for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
                check_sum(context, it, &at, condenser, n_boundary, boundary, (int)k, seed);
            batch_destroy(&at);
        }
        phx_condenser_destroy(condenser);
    }
}

static void test_condensed_matrices_and_solutions(void **state)
{
    each_kind(*state, check_reduction);
}

/* Nothing is left over where every coordinate is kept. */
static void check_nothing_inside(phx_context *context, const subject *it, uint64_t *seed)
{
    int boundary[MAX_V];
    double arrow[MAX_ARROW], S[MAX_ALL], A[MAX_ALL], Y[1], got[MAX_ALL], z[1], c[MAX_V], was[MAX_V];
    phx_condenser *condenser = NULL;
    group at;

    for (int i = 0; i < it->n_q; i++)
        boundary[i] = i;
    CHECK_OK(context, phx_condenser_create(context, it->body, it->n_q, boundary, &condenser));
    batch_create(context, it, 1, it->n_q, &at);
    assert_int_equal(phx_condenser_internal(condenser), 0);
    CHECK_OK(context, phx_condenser_factor(condenser, 40.0, 0.025, 1.0));
    random_vector(seed, arrow_size(it), 1.0, arrow);
    random_vector(seed, it->n_v, 1.0, c);
    memcpy(was, c, sizeof was);
    phx_body_batch_reduce(at.batch, condenser, arrow, Y, got);
    phx_body_batch_begin_solve(at.batch, condenser, arrow, z, c);
    phx_body_batch_end_solve(at.batch, condenser, arrow, Y, c, z);
    constant_block(it, 40.0, 0.025, 1.0, S);
    whole(it, arrow, S, A);
    CHECK_SMALL(scaled_defect(it->n_v, got, A), 1e-15, "%s: nothing condensed", it->name);
    for (int i = 0; i < it->n_v; i++)
        assert_true(c[i] == was[i]);
    batch_destroy(&at);
    phx_condenser_destroy(condenser);
}

static void test_all_boundary(void **state)
{
    each_kind(*state, check_nothing_inside);
}

/* ---- what the constant block lacks ---- */
static const int no_coordinate;

/* sum w_k A_k d of every body of a batch, all coordinates internal ones but `n_boundary` boundary ones. */
static void turned(phx_context *context, const subject *it, int count, int n_boundary, const int *boundary,
                   const double *w, const double *d, double *out)
{
    const int r = it->n_rigid, all = r + n_boundary;
    double z[PHX_BATCH_WIDTH * MAX_V], x[PHX_BATCH_WIDTH * MAX_V], c[PHX_BATCH_WIDTH * MAX_V] = {0},
                                                                                       b[PHX_BATCH_WIDTH * MAX_V];
    phx_condenser *condenser = NULL;
    group at;

    CHECK_OK(context, phx_condenser_create(context, it->body, n_boundary, boundary, &condenser));
    batch_create(context, it, count, n_boundary, &at);
    for (int l = 0; l < count; l++) {
        memcpy(x + l * it->n_v + r, d + l * it->n_q, (size_t)it->n_q * sizeof *d);
        for (int k = 0; k < n_boundary; k++)
            c[l * all + r + k] = d[l * it->n_q + boundary[k]];
    }
    phx_body_batch_gather_internal(at.batch, condenser, x, z);
    phx_body_batch_lacking(at.batch, condenser, w, c, z, b);
    phx_body_batch_scatter_internal(at.batch, condenser, z, x);
    for (int l = 0; l < count; l++) {
        for (int i = 0; i < r; i++)
            assert_true(b[l * all + i] == 0.0);
        for (int k = 0; k < n_boundary; k++)
            x[l * it->n_v + r + boundary[k]] = b[l * all + r + k];
        memcpy(out + l * it->n_q, x + l * it->n_v + r, (size_t)it->n_q * sizeof *d);
    }
    batch_destroy(&at);
    phx_condenser_destroy(condenser);
}

/* e = (A_qq - S) x + sum w_k A_k x, w = w0 + w1: nothing of first order in h w against 2/h M. */
static void lacking(phx_context *context, const subject *it, double h, const interval *at, const double *x, double *e)
{
    const int n = it->n_q, r = it->n_rigid, v = it->n_v;
    double res[MAX_V], val[MAX_ALL], A[MAX_ALL], S[MAX_ALL], w[3], gyro[MAX_V];

    alone(it, it->body, 0, h, at, res, val);
    spread(it->body, val, A);
    constant_block(it, 2.0 / h, 0.5 * h, 1.0, S);
    for (int k = 0; k < it->n_rot; k++)
        w[k] = at->v0[it->dim + k] + at->v1[it->dim + k];
    turned(context, it, 1, 0, &no_coordinate, w, x, gyro);
    for (int i = 0; i < n; i++) {
        e[i] = gyro[i];
        for (int j = 0; j < n; j++)
            e[i] += (A[(r + i) * v + r + j] - S[i * n + j]) * x[j];
    }
}

/* The remainder goes with h w^2, of second order relative to 2/h M: halved with h, a quarter with w / 2, none at rest.

 */
static void check_gyroscopic(phx_context *context, const subject *it, uint64_t *seed)
{
    const double h = 0.01, turn = 20.0;
    const int n = it->n_q;
    const struct {
        double h, turn, ratio;
    } others[] = {{0.5 * h, turn, 0.5}, {h, 0.5 * turn, 0.25}, {-h, turn, -1.0}, {h, 0.0, 0.0}};
    double x[MAX_V], first[MAX_V], other[MAX_V], gyro[MAX_V], fast[3] = {turn, turn, turn};
    const uint64_t begin = *seed;
    interval at;

    make_interval(it, 1, h, turn, seed, &at);
    random_vector(seed, n, 1.0, x);
    lacking(context, it, h, &at, x, first);
    turned(context, it, 1, 0, &no_coordinate, fast, x, gyro);
    assert_true(max_abs(n, first) > 0.0);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        uint64_t same = begin;
        make_interval(it, 1, others[k].h, others[k].turn, &same, &at);
        lacking(context, it, others[k].h, &at, x, other);
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

/* sum w_k A_k x of batches: linear in w, antisymmetric, x . A_k x = 0, whatever is kept. The bound that the iteration
 * rests on: |x . A_k y| <= |x|_M |y|_M for unit axes. */
static void check_bound(phx_context *context, const subject *it, uint64_t *seed)
{
    const phx_flex *flex = phx_body_flex(it->body);
    const int n = it->n_q;

    for (int trial = 0; trial < 20; trial++) {
        const int count = 1 + trial % phx_body_batch_most(), width = simd_of(count);
        int boundary[MAX_V];
        const int n_boundary = choose(context, it, trial % N_KEPT, seed, boundary);
        double y[PHX_BATCH_WIDTH * MAX_V], w[3 * PHX_BATCH_WIDTH], twice[3 * PHX_BATCH_WIDTH],
            one[PHX_BATCH_WIDTH * MAX_V];
        double two[PHX_BATCH_WIDTH * MAX_V];
        random_vector(seed, count * n, 1.0, y);
        random_vector(seed, width * it->n_rot, 1.0, w);
        for (int k = 0; k < width * it->n_rot; k++)
            twice[k] = 2.0 * w[k];
        turned(context, it, count, n_boundary, boundary, w, y, one);
        turned(context, it, count, 0, &no_coordinate, twice, y, two);
        for (int i = 0; i < count * n; i++)
            CHECK_CLOSE(two[i], 2.0 * one[i], 1e-14 * (1.0 + max_abs(count * n, one)), "%s: sum", it->name);
        for (int l = 0; l < count; l++) {
            double x[MAX_V], form[3] = {0}, length = 0.0;
            random_vector(seed, n, 1.0, x);
            for (int k = 0; k < it->n_rot; k++)
                length += w[k * width + l] * w[k * width + l];
            for (int i = 0; i < n; i++)
                for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++) {
                    form[0] += x[i] * flex->M[e] * x[flex->idx[e]];
                    form[1] += y[l * n + i] * flex->M[e] * y[l * n + flex->idx[e]];
                }
            CHECK_SMALL(dot_product(n, y + l * n, one + l * n), 1e-13 * (1.0 + max_abs(n, one + l * n)), "%s: y . A y",
                        it->name);
            CHECK_BELOW(fabs(dot_product(n, x, one + l * n)), sqrt(length * form[0] * form[1]), "%s: |x . w_k A_k y|",
                        it->name);
        }
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
    const int boundary[] = {0, 3}, others[] = {0, 4}, more[] = {0, 3, 4};
    const struct {
        double mass, stiffness, modal;
    } dampings[] = {{0, 0, 0}, {0.3, 0.02, 0}, {0.3, 0.02001, 0}, {0.31, 0.02, 0}, {0, 0, 0.05}, {0, 0, 0.06}};
    enum { N = (int)(sizeof dampings / sizeof *dampings) };

    for (int dim = 2; dim < 4; dim++) {
        subject it, twin;
        phx_body *body[N], *again[N];
        subject_create(context, &batch_kinds[dim == 2 ? 0 : 9], &it);
        subject_create(context, &batch_kinds[dim == 2 ? 0 : 9], &twin);
        for (int k = 0; k < N; k++) {
            body[k] =
                body_of(context, phx_body_flex(it.body), dampings[k].mass, dampings[k].stiffness, dampings[k].modal);
            again[k] =
                body_of(context, phx_body_flex(it.body), dampings[k].mass, dampings[k].stiffness, dampings[k].modal);
        }
        for (int k = 0; k < N; k++) {
            phx_condenser *condenser = NULL;
            CHECK_OK(context, phx_condenser_create(context, body[k], 2, boundary, &condenser));
            for (int i = 0; i < N; i++)
                assert_int_equal(phx_condenser_serves(condenser, again[i], 2, boundary), i == k);
            assert_false(phx_condenser_serves(condenser, again[k], 2, others));
            assert_false(phx_condenser_serves(condenser, again[k], 1, boundary));
            assert_false(phx_condenser_serves(condenser, again[k], 3, more));
            assert_false(phx_condenser_serves(condenser, twin.body, 2, boundary)); /* equal matrices, but others */
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
    const int boundary[] = {1};
    subject it;
    group at;
    phx_condenser *condenser = NULL;
    double arrow[MAX_ARROW], Y[3 * MAX_V], first[MAX_ALL], again[MAX_ALL];

    subject_create(context, &batch_kinds[9], &it);
    const int all = it.n_rigid + 1;
    CHECK_OK(context, phx_condenser_create(context, it.body, 1, boundary, &condenser));
    batch_create(context, &it, 1, 1, &at);
    random_vector(&(uint64_t){9}, arrow_size(&it), 1.0, arrow);
    CHECK_OK(context, phx_condenser_factor(condenser, 40.0, 0.025, 1.0));
    phx_body_batch_reduce(at.batch, condenser, arrow, Y, first);
    CHECK_STATUS(context, phx_condenser_factor(condenser, 0.0, 0.0, 1.0), PHX_SINGULAR); /* undamped: nothing is left */
    CHECK_MESSAGE(context, "pivot 1");
    CHECK_STATUS(context, phx_condenser_factor(condenser, NAN, 0.0, 0.0), PHX_SINGULAR);
    CHECK_OK(context, phx_condenser_factor(condenser, 40.0, 0.025, 1.0));
    phx_body_batch_reduce(at.batch, condenser, arrow, Y, again);
    assert_memory_equal(first, again, (size_t)(all * all) * sizeof *first);
    batch_destroy(&at);
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

    subject_create(context, &batch_kinds[11], &it);
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
        cmocka_unit_test(test_all_boundary),
        cmocka_unit_test(test_what_the_constant_block_lacks),
        cmocka_unit_test(test_bound_of_the_gyroscopic_form),
        cmocka_unit_test(test_whom_it_serves),
        cmocka_unit_test(test_singular_sums_are_refused),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
