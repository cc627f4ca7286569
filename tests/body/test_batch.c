/* Batches of bodies: arrow blocks against dense matrices, and the numbers of a body do not depend on the others of its
 * batch. */
#include "batches.h"

/* Largest difference between the rigid rows and columns of an arrow block and those of A, relative to the largest of A.
 */
static double arrow_defect(const subject *it, const double *arrow, const double *A)
{
    const int n = it->n_v, r = it->n_rigid;
    double got[MAX_ALL], worst = 0.0, scale = 0.0;

    whole(it, arrow, NULL, got);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i >= r && j >= r)
                continue;
            const double defect = fabs(got[i * n + j] - A[i * n + j]);
            worst = !(defect <= worst) ? defect : worst;
            scale = fmax(scale, fabs(A[i * n + j]));
        }
    return worst / scale;
}

static void check_mass_arrow(phx_context *context, const subject *it, uint64_t *seed)
{
    for (int count = 1; count <= phx_body_batch_most(); count++) {
        double x[PHX_BATCH_WIDTH * MAX_X], arrow[PHX_BATCH_WIDTH * MAX_ARROW], one[MAX_ARROW], M[MAX_ALL];
        group at;
        batch_create(context, it, count, 0, &at);
        for (int l = 0; l < count; l++)
            random_configuration(seed, it, x + l * it->n_x);
        phx_body_batch_mass_arrow(at.batch, x, arrow);
        for (int l = 0; l < count; l++) {
            phx_body_mass_matrix(it->body, x + l * it->n_x, M);
            of_lane(at.width, l, arrow_size(it), arrow, one);
            CHECK_SMALL(arrow_defect(it, one, M), 1e-15, "%s: border of the mass matrix, body %d", it->name, l);
        }
        batch_destroy(&at);
    }
}

static void test_arrow_of_the_mass_matrix(void **state)
{
    each_kind(*state, check_mass_arrow);
}

/* Ends of the interval, for good and tried, with what rounding takes from them. */
static void check_ends(const subject *it, const phx_body *const *bodies, int count, double h, const interval *at,
                       const phx_body_batch *batch, uint64_t *seed)
{
    const size_t size = (size_t)(count * it->n_x) * sizeof(double);
    double low0[PHX_BATCH_WIDTH * MAX_X], low1[PHX_BATCH_WIDTH * MAX_X] = {0}, x1[PHX_BATCH_WIDTH * MAX_X],
                                                                 xm[PHX_BATCH_WIDTH * MAX_X];
    double own_low1[PHX_BATCH_WIDTH * MAX_X] = {0}, own_x1[PHX_BATCH_WIDTH * MAX_X], own_xm[PHX_BATCH_WIDTH * MAX_X];

    random_vector(seed, count * it->n_x, 1e-17, low0);
    for (int tried = 0; tried < 2; tried++) {
        phx_body_batch_move(batch, tried, at->x0, low0, at->vm, x1, low1, xm);
        for (int l = 0; l < count; l++) {
            const int x = l * it->n_x, v = l * it->n_v;
            (tried ? phx_body_try : phx_body_move)(bodies[l], h, at->x0 + x, low0 + x, at->vm + v, own_x1 + x,
                                                   own_low1 + x, own_xm + x);
        }
        assert_memory_equal(x1, own_x1, size);
        assert_memory_equal(xm, own_xm, size);
        if (!tried)
            assert_memory_equal(low1, own_low1, size);
    }
}

/* Batches give each body the numbers that it has alone, bit by bit; scratch may be written over between the calls. */
static void check_batch(phx_context *context, const subject *it, const phx_body *const *bodies, int count, double h,
                        uint64_t *seed)
{
    const int *ptr = NULL, *idx = NULL, size = arrow_size(it);
    double res[PHX_BATCH_WIDTH * MAX_V], arrow[PHX_BATCH_WIDTH * MAX_ARROW], rates[3 * PHX_BATCH_WIDTH],
        energy[PHX_BATCH_WIDTH];
    double want[MAX_V], own[MAX_ARROW], val[MAX_ALL], got[MAX_ALL], A[MAX_ALL];
    interval at;
    group g;

    phx_body_pattern(it->body, &ptr, &idx);
    batch_different(context, it, bodies, count, 0, &g);
    make_interval(it, count, h, 1.0, seed, &at);
    phx_body_batch_begin(g.batch, h, at.x0, at.v0);
    check_ends(it, bodies, count, h, &at, g.batch, seed);
    phx_body_batch_residual(g.batch, test_gravity, at.xm, at.v1, res);
    memset(g.room, 0xff, phx_body_batch_room(it->body) * sizeof(double));
    phx_body_batch_interval_arrow(g.batch, test_gravity, at.x1, at.xm, arrow);
    phx_body_batch_rates(g.batch, rates);
    phx_body_batch_kinetic(g.batch, at.x1, at.v1, energy);
    for (int l = 0; l < count; l++) {
        const double *v0 = at.v0 + l * it->n_v, *v1 = at.v1 + l * it->n_v;
        alone(it, bodies[l], l, h, &at, want, val);
        assert_memory_equal(res + l * it->n_v, want, (size_t)it->n_v * sizeof *want);
        phx_body_batch_interval_matrix(g.batch, arrow, l, got);
        assert_memory_equal(got, val, (size_t)ptr[it->n_v] * sizeof *val);
        spread(it->body, val, A);
        of_lane(g.width, l, size, arrow, own);
        CHECK_SMALL(arrow_defect(it, own, A), 1e-14, "%s, h = %g: border of an interval", it->name, h);
        for (int k = it->dim; k < it->n_rigid; k++)
            assert_true(rates[(k - it->dim) * g.width + l] == v0[k] + v1[k]);
        assert_true(energy[l] == phx_body_kinetic(bodies[l], at.x1 + l * it->n_x, v1));
    }
    phx_body_batch_kinetic(g.batch, NULL, at.v1, energy);
    for (int l = 0; l < count; l++)
        assert_true(energy[l] == phx_body_kinetic_undeformed(bodies[l], at.v1 + l * it->n_v));
    batch_destroy(&g);
}

static const double lengths[] = {1e-3, 0.05, -0.3};

static void check_company(phx_context *context, const subject *it, uint64_t *seed)
{
    const phx_body *same[PHX_BATCH_WIDTH];
    for (int l = 0; l < PHX_BATCH_WIDTH; l++)
        same[l] = it->body;
    for (int n = 0; n < 2 * phx_body_batch_most(); n++)
        check_batch(context, it, same, 1 + n % phx_body_batch_most(), lengths[n % 3], seed);
}

/* Rigid bodies are batched whatever their masses. */
static void test_rigid_company(void **state)
{
    uint64_t seed = 47;
    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        const phx_body *different[PHX_BATCH_WIDTH];
        phx_body *made[PHX_BATCH_WIDTH];
        if (!body_kinds[k].rigid)
            continue;
        subject_create(*state, &body_kinds[k], &it);
        for (int l = 0; l < PHX_BATCH_WIDTH; l++) {
            phx_rigid_def rigid = it.rigid_def;
            phx_body_def def = phx_body_def_default();
            rigid.mass *= 1.0 + l;
            for (int e = 0; e < 9; e++)
                rigid.inertia[e] *= 1.0 + 0.5 * l;
            for (int a = 0; a < 3; a++)
                rigid.centre[a] *= 1.0 - l;
            def.name = "one of several";
            def.dim = it.dim;
            def.rigid = &rigid;
            CHECK_OK(*state, phx_body_create(*state, &def, &made[l]));
            different[l] = made[l];
        }
        for (int n = 0; n < 8; n++)
            check_batch(*state, &it, different + n % 3, phx_body_batch_most() - n % 3, lengths[n % 3], &seed);
        for (int l = 0; l < PHX_BATCH_WIDTH; l++)
            phx_body_destroy(made[l]);
        subject_destroy(&it);
    }
}

static void test_company(void **state)
{
    each_kind(*state, check_company);
}

/* Each allocation in turn; the sanitizers see what is left. */
static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    phx_status status = PHX_ERR_MEMORY;
    subject it;
    long n = 0;

    subject_create(context, &batch_kinds[11], &it);
    double room = 0.0;
    phx_body_batch_def def = {.count = 1, .bodies = {it.body}, .room = &room};
    for (; status; n++) {
        phx_body_batch *batch = NULL;
        phx_context_fail_allocation(context, n);
        status = phx_body_batch_create(context, &def, &batch);
        phx_context_fail_allocation(context, -1);
        CHECK_STATUS(context, status, batch ? PHX_OK : PHX_ERR_MEMORY);
        phx_body_batch_destroy(batch);
    }
    assert_int_equal(n, 2);
    subject_destroy(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrow_of_the_mass_matrix),
        cmocka_unit_test(test_company),
        cmocka_unit_test(test_rigid_company),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
