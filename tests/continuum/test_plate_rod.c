/* A cantilever plate welded to a rigid rod along its free edge: a distributed port joined to a finite-dimensional
 * system (seed 003). The rod moves the edge, w(1, y) = v_G + omega (y - 1/2) = W (v_G, omega), and feels W^T of its
 * force; the edge unknowns are W times two unknowns, which have the rod's mass and inertia. tests/data/plate_rod.csv.
 */
#include "plates.h"

static const double rod_mass = 50.0, rod_inertia = 50.0 / 12.0, load_end = 2e-3;

/* The body in the coordinates x: free unknowns of the plate off the edge, then z_G and theta; u = T x. */
typedef struct welded {
    phx_elastic_model *model;
    phx_csr T, M, K, root; /* root = L2^-1 D T */
    int n;                 /* z_G is the last but one, theta the last */
    double *load;          /* T^T f at full load */
} welded;

static plate_case rod_plate(int n)
{
    plate_case def = {.size = {1.0, 1.0}, .elements = {n, n}, .order = 1, .grading = 1.0};
    phx_isotropic_section(7e10, 0.35, 2700.0, 0.05, 5.0 / 6.0, &def.section);
    return def;
}

static void pressure(void *user, const double x[3], const double normal[3], double traction[3])
{
    (void)user;
    const double p = 1e6 * (x[1] / 10.0 + (x[1] - 0.5) * (x[1] - 0.5));
    for (int c = 0; c < 3; c++)
        traction[c] = p * normal[c];
}

/* T: identity on the free unknowns, W on those of the edge x1. */
static void make_transformer(phx_context *context, welded *body)
{
    const phx_elastic_model *model = body->model;
    free_set set = supported(context, model, "CFFF");
    int count, *edge, entries = 0;

    CHECK_OK(context, phx_plate_edge_unknowns(context, model, "x1", PHX_TRACE_DEFLECTIONS, &count, &edge, NULL));
    const size_t most = (size_t)(set.n_free + 2 * count);
    int *row = malloc(most * sizeof *row), *col = malloc(most * sizeof *col);
    double *val = malloc(most * sizeof *val);
    assert_true(row && col && val);
    const int n_free = set.n_free;
    hold(&set, count, edge);
    assert_int_equal(set.n_free, n_free - count);
    for (int i = 0; i < model->n; i++)
        if (set.number[i] >= 0) {
            row[entries] = i;
            col[entries] = set.number[i];
            val[entries++] = 1.0;
        }
    body->n = set.n_free + 2;
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 2; c++) {
            row[entries] = edge[k];
            col[entries] = set.n_free + c;
            val[entries++] = c == 0 ? 1.0 : model->x[3 * model->node[edge[k]] + 1] - 0.5;
        }
    CHECK_OK(context, phx_csr_from_triplets(context, model->n, body->n, (size_t)entries, row, col, val, &body->T));
    free(row);
    free(col);
    free(val);
    phx_free(edge);
    free_set_release(&set);
}

static welded weld(phx_context *context, int n)
{
    const plate_case def = rod_plate(n);
    welded body = {.model = make_plate(context, &def)};
    phx_csr root;
    double *f = calloc((size_t)body.model->n, sizeof *f);

    make_transformer(context, &body);
    CHECK_OK(context, phx_csr_congruence(context, &body.T, &body.model->M, &body.T, &body.M));
    CHECK_OK(context, phx_csr_congruence(context, &body.T, &body.model->K, &body.T, &body.K));
    body.M.val[phx_csr_find(&body.M, body.n - 2, body.n - 2)] += rod_mass;
    body.M.val[phx_csr_find(&body.M, body.n - 1, body.n - 1)] += rod_inertia;
    CHECK_OK(context, phx_elastic_mixed(context, body.model, NULL, NULL, &root));
    CHECK_OK(context, phx_csr_multiply(context, &root, &body.T, &body.root));
    body.load = calloc((size_t)body.n, sizeof *body.load);
    assert_true(f && body.load);
    CHECK_OK(context, phx_elastic_load(context, body.model, NULL, &(phx_surface_load){.traction = pressure}, f));
    phx_csr_apply_transposed(&body.T, 1.0, f, body.load);
    phx_csr_free(&root);
    free(f);
    return body;
}

static void welded_free(welded *body)
{
    phx_elastic_destroy(body->model);
    phx_csr_free(&body->T);
    phx_csr_free(&body->M);
    phx_csr_free(&body->K);
    phx_csr_free(&body->root);
    free(body->load);
}

static void frequencies(phx_context *context, int n, double omega[4])
{
    welded body = weld(context, n);
    lowest_frequencies(context, &body.K, &body.M, 0.0, 4, omega, NULL);
    welded_free(&body);
}

/* The corners at the clamp limit the order to 2; extrapolated values have five digits. */
static void test_frequencies(void **state)
{
    phx_context *context = *state;
    static const double want[4] = {170.90272, 443.66432, 1324.9651, 1830.9286};
    double coarse[4], fine[4];

    frequencies(context, 16, coarse);
    frequencies(context, 32, fine);
    for (int k = 0; k < 4; k++) {
        CHECK_RELATIVE(coarse[k], want[k], 3e-4, "plate with rod, n = 16, omega %d", k + 1);
        CHECK_RELATIVE((4.0 * fine[k] - coarse[k]) / 3.0, want[k], 2e-5, "extrapolated, omega %d", k + 1);
    }
}

/* ---- implicit midpoint on the mixed form ----
 *
 *   M (v1 - v0)/h = -Y^T (s0 + s1)/2 + f,   (s1 - s0)/h = Y (v0 + v1)/2,   Y = L2^-1 D T,  s = L2^T sigma
 *
 * With v = (v0 + v1)/2: (M + h^2/4 K) v = M v0 + h/2 (f - Y^T s0). */
typedef struct motion {
    const welded *body;
    phx_cholesky *step_matrix;
    double h, work;
    double *x, *v0, *v, *s; /* unknowns, velocities, of the middle, root stresses */
} motion;

static motion motion_at_rest(phx_context *context, const welded *body, double h)
{
    const size_t n = (size_t)body->n, rows = (size_t)body->root.rows;
    motion m = {.body = body, .h = h, .x = calloc(n, sizeof(double)), .v0 = calloc(n, sizeof(double))};
    phx_csr matrix;

    m.v = calloc(n, sizeof(double));
    m.s = calloc(rows, sizeof(double));
    assert_true(m.x && m.v0 && m.v && m.s);
    CHECK_OK(context, phx_csr_add(context, 1.0, &body->M, h * h / 4.0, &body->K, &matrix));
    CHECK_OK(context, phx_cholesky_create(context, &matrix, &m.step_matrix));
    phx_csr_free(&matrix);
    return m;
}

static void motion_free(motion *m)
{
    phx_cholesky_destroy(m->step_matrix);
    free(m->x);
    free(m->v0);
    free(m->v);
    free(m->s);
}

static void motion_step(phx_context *context, motion *m, double load)
{
    const welded *body = m->body;
    const int n = body->n;

    memset(m->v, 0, (size_t)n * sizeof *m->v);
    phx_csr_apply(&body->M, 1.0, m->v0, m->v);
    phx_csr_apply_transposed(&body->root, -m->h / 2.0, m->s, m->v);
    for (int i = 0; i < n; i++)
        m->v[i] += m->h / 2.0 * load * body->load[i];
    CHECK_OK(context, phx_cholesky_solve(m->step_matrix, 1, m->v));
    phx_csr_apply(&body->root, m->h, m->v, m->s);
    m->work += m->h * load * dot_product(n, body->load, m->v);
    for (int i = 0; i < n; i++) {
        m->x[i] += m->h * m->v[i];
        m->v0[i] = 2.0 * m->v[i] - m->v0[i];
    }
}

/* Energies: of the plate's motion, of its deformation, of the rod. */
static void energies(const motion *m, double H[3])
{
    const welded *body = m->body;
    const int n = body->n, rows = body->root.rows;
    double *Mv = calloc((size_t)n, sizeof *Mv);

    assert_non_null(Mv);
    phx_csr_apply(&body->M, 1.0, m->v0, Mv);
    H[2] = 0.5 * (rod_mass * m->v0[n - 2] * m->v0[n - 2] + rod_inertia * m->v0[n - 1] * m->v0[n - 1]);
    H[0] = 0.5 * dot_product(n, Mv, m->v0) - H[2];
    H[1] = 0.5 * dot_product(rows, m->s, m->s);
    free(Mv);
}

enum { COLUMNS = 12 };

static bool read_row(FILE *file, double row[COLUMNS])
{
    for (int k = 0; k < COLUMNS; k++)
        if (fscanf(file, k ? ",%lf" : "%lf", &row[k]) != 1)
            return false;
    return true;
}

/* z_G, theta, v_G, omega, the corners, energies: as in the file behind t. */
static void measure(const motion *m, double got[COLUMNS])
{
    const int z = m->body->n - 2, theta = z + 1;
    const double values[] = {
        m->x[z], m->x[theta], m->v0[z], m->v0[theta], m->x[z] - 0.5 * m->x[theta], m->x[z] + 0.5 * m->x[theta]};
    memcpy(got + 1, values, sizeof values);
    energies(m, got + 7);
    got[10] = got[7] + got[8] + got[9];
    got[11] = m->work;
}

static void test_motion(void **state)
{
    phx_context *context = *state;
    welded body = weld(context, 16);
    const double h = 1e-5;
    motion m = motion_at_rest(context, &body, h);
    FILE *file = fopen(PHX_SOURCE_DIR "/tests/data/plate_rod.csv", "r");
    double want[COLUMNS], got[COLUMNS] = {0.0}, worst[COLUMNS] = {0.0}, largest[COLUMNS] = {0.0}, imbalance = 0.0;
    int step = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*[^\n]"), 0);
    while (read_row(file, want)) {
        for (; (step + 0.5) * h < want[0]; step++)
            motion_step(context, &m, (step + 0.5) * h < load_end ? 1.0 : 0.0);
        measure(&m, got);
        for (int k = 1; k < COLUMNS; k++) {
            worst[k] = fmax(worst[k], fabs(got[k] - want[k]));
            largest[k] = fmax(largest[k], fabs(want[k]));
        }
        imbalance = fmax(imbalance, fabs(got[10] - got[11]) / fmax(got[10], 1e-3));
    }
    for (int k = 1; k < COLUMNS; k++) /* rates have the error of the midpoint rule, 1e-3, too */
        CHECK_SMALL(worst[k] / largest[k], k == 3 || k == 4 || k >= 7 ? 4e-3 : 1e-3, "column %d", k + 1);
    CHECK_SMALL(imbalance, 4e-12, "energy against work");
    CHECK_RELATIVE(got[10], 145.5593, 5e-4, "energy after the load");
    fclose(file);
    motion_free(&m);
    welded_free(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_frequencies, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(test_motion, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
