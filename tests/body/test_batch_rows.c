/* Rows on the velocities of batches: G M^-1 G^T and M^-1 G^T mu against dense ones, and nobody's numbers depend on the
 * company. */
#include "batches.h"

enum { PORTS = 3, MOST_ROWS = PORTS * 6, ALL_ROWS = PHX_BATCH_WIDTH * MOST_ROWS, STRIDE = 2 * PHX_PORT_MAX };

/* Rows at the ports of several bodies, numbered body after body. */
typedef struct rows {
    int count, n_rows, n_ports[PHX_BATCH_WIDTH], first[PHX_BATCH_WIDTH + 1];
    phx_body_port port[PHX_BATCH_WIDTH][PORTS];
    phx_port_rows def[PHX_BATCH_WIDTH][PORTS];
    double covectors[ALL_ROWS * STRIDE], x[PHX_BATCH_WIDTH * MAX_X], v[PHX_BATCH_WIDTH * MAX_V];
    double *room;
    phx_condenser *condenser;
    phx_body_batch_rows *made;
    group batch;
} rows;

/* Body l has 1 to 3 ports; at each the rows of its place, or some with covectors, or both. turns: covectors are on
 * turns alone, else at some ports. */
static void choose_rows(phx_context *context, const subject *it, int count, bool turns, uint64_t *seed, rows *out)
{
    const double at[] = {0.0, 1.0, 0.37};

    memset(out, 0, sizeof *out);
    out->count = count;
    for (int l = 0; l < count; l++) {
        out->n_ports[l] = 1 + (l + 1) % PORTS;
        out->first[l] = out->n_rows;
        for (int p = 0; p < out->n_ports[l]; p++) {
            const int kind = (int)(1.5 * (random_value(seed) + 1.0)), others = kind == 0 ? 0 : 1 + (p + l) % 3;
            phx_port_rows *def = &out->def[l][p];
            subject_port(context, it, at[p], &out->port[l][p]);
            *def = (phx_port_rows){.point = &out->port[l][p].point, .points = -1, .sign = p % 2 ? -1.0 : 1.0};
            if (kind < 2) {
                def->points = out->n_rows;
                out->n_rows += it->dim;
            }
            def->first = out->n_rows;
            def->count = others;
            def->angular_only = turns || (kind == 2 && p == 1);
            def->covector = def->first * STRIDE + p % 2 * PHX_PORT_MAX;
            out->n_rows += others;
        }
        random_configuration(seed, it, out->x + l * it->n_x);
        random_velocity(seed, it, out->v + l * it->n_v);
    }
    out->first[count] = out->n_rows;
    random_vector(seed, ALL_ROWS * STRIDE, 1.0, out->covectors);
    for (int l = 0; l < count; l++) /* rotations alone */
        for (int p = 0; p < out->n_ports[l]; p++)
            for (int k = 0; k < out->def[l][p].count && out->def[l][p].angular_only; k++)
                for (int a = 0; a < it->dim; a++)
                    out->covectors[out->def[l][p].covector + k * STRIDE + a] = 0.0;
}

/* Of the bodies from `first` to before `end`, with all coordinates kept that any port here sees. */
static void make(phx_context *context, const subject *it, int first, int end, rows *from, rows *out)
{
    int boundary[MAX_V], n_boundary = 0;
    bool marks[MAX_V] = {false};
    phx_body_batch_rows_def def = {.stride = STRIDE, .none = from->n_rows};

    *out = *from;
    for (int l = 0; l < from->count; l++)
        for (int p = 0; p < from->n_ports[l]; p++)
            for (int j = 0; j < from->port[l][p].point.n; j++)
                marks[from->port[l][p].point.dof[j]] = true;
    for (int i = 0; i < it->n_q; i++)
        if (marks[i])
            boundary[n_boundary++] = i;
    if (it->n_q > 0) {
        CHECK_OK(context, phx_condenser_create(context, it->body, n_boundary, boundary, &out->condenser));
        CHECK_OK(context, phx_condenser_factor(out->condenser, 1.0, 0.0, 0.0));
    }
    def.condenser = out->condenser;
    batch_create(context, it, end - first, n_boundary, &out->batch);
    for (int l = 0; l < out->batch.width; l++) {
        def.n_ports[l] = first + l < end ? from->n_ports[first + l] : 0;
        def.ports[l] = from->def[first + l < end ? first + l : first];
    }
    CHECK_OK(context, phx_body_batch_rows_create(context, out->batch.batch, &def, &out->made));
    out->room = malloc((phx_body_batch_rows_room(out->made) + 1) * sizeof *out->room);
    assert_non_null(out->room);
}

static void release(rows *it)
{
    phx_body_batch_rows_destroy(it->made);
    phx_condenser_destroy(it->condenser);
    batch_destroy(&it->batch);
    free(it->room);
}

/* S of all rows, zero between bodies, and dv (n_v of each body), for the bodies first to before `end`. */
static void evaluate(const subject *it, rows *r, int first, int end, const double *mu, double *S, double *dv)
{
    const int *number = NULL, count = phx_body_batch_rows_count(r->made, &number), width = r->batch.width;
    double *own = malloc((phx_body_batch_rows_size(r->made) + 1) * sizeof *own);
    double energy[PHX_BATCH_WIDTH];
    int e = 0;

    assert_non_null(own);
    phx_body_batch_rows_schur(r->made, r->x + first * it->n_x, r->v + first * it->n_v, r->covectors, r->room, own,
                              energy);
    for (int l = 0; l < end - first; l++) {
        const double want = phx_body_kinetic(it->body, r->x + (first + l) * it->n_x, r->v + (first + l) * it->n_v);
        CHECK_CLOSE(energy[l], want, 1e-13 * want, "%s: kinetic energy of body %d", it->name, l);
    }
    memset(r->batch.room, 0xff, phx_body_batch_room(it->body) * sizeof(double));
    memset(r->room, 0xff, phx_body_batch_rows_room(r->made) * sizeof(double));
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++, e++)
            for (int l = 0; l < end - first; l++) {
                const int row = number[i * width + l], col = number[j * width + l];
                if (row < r->n_rows && col < r->n_rows)
                    S[row * r->n_rows + col] = S[col * r->n_rows + row] = own[e * width + l];
            }
    phx_body_batch_rows_push(r->made, mu, dv + first * it->n_v);
    free(own);
}

/* The rows of body l, dense: n_rows of it x n_v. */
static void dense_rows(const subject *it, const rows *r, int l, double *G)
{
    const int size = phx_port_size(it->dim), n = it->n_v;
    const double still[MAX_V] = {0};
    const phx_body_view view = instant(r->x + l * it->n_x, still);
    double P[PHX_PORT_MAX * MAX_V];
    int cols[MAX_V];

    memset(G, 0, (size_t)((r->first[l + 1] - r->first[l]) * n) * sizeof *G);
    for (int p = 0; p < r->n_ports[l]; p++) {
        const phx_port_rows *def = &r->def[l][p];
        const int width = phx_body_port_jacobian(it->body, &r->port[l][p], &view, cols, P);
        for (int c = 0; c < width; c++) {
            for (int a = 0; a < it->dim && def->points >= 0; a++)
                G[(def->points + a - r->first[l]) * n + cols[c]] += def->sign * P[a * width + c];
            for (int k = 0; k < def->count; k++)
                for (int i = 0; i < size; i++)
                    G[(def->first + k - r->first[l]) * n + cols[c]] +=
                        r->covectors[def->covector + k * STRIDE + i] * P[i * width + c];
        }
    }
}

static void check_body(phx_context *context, const subject *it, const rows *r, int l, const double *mu, const double *S,
                       const double *dv)
{
    const int n = it->n_v, count = r->first[l + 1] - r->first[l], first = r->first[l];
    double M[MAX_ALL], G[MOST_ROWS * MAX_V], columns[MAX_V * (MOST_ROWS + 1)], want[MAX_V];
    double got[MOST_ROWS * MOST_ROWS], exact[MOST_ROWS * MOST_ROWS];

    dense_rows(it, r, l, G);
    phx_body_mass_matrix(it->body, r->x + l * it->n_x, M);
    for (int i = 0; i < n; i++) {
        columns[i * (count + 1) + count] = 0.0;
        for (int k = 0; k < count; k++) {
            columns[i * (count + 1) + k] = G[k * n + i];
            columns[i * (count + 1) + count] += G[k * n + i] * mu[first + k];
        }
    }
    CHECK_OK(context, phx_dense_solve(context, n, M, count + 1, columns));
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            exact[i * count + j] = 0.0;
            for (int c = 0; c < n; c++)
                exact[i * count + j] += G[i * n + c] * columns[c * (count + 1) + j];
            got[i * count + j] = S[(first + i) * r->n_rows + first + j];
        }
    for (int i = 0; i < n; i++)
        want[i] = columns[i * (count + 1) + count];
    CHECK_VECTOR(count * count, got, exact, 1e-11, "%s: G M^-1 G^T of body %d", it->name, l);
    CHECK_VECTOR(n, dv + l * n, want, 1e-11, "%s: M^-1 G^T mu of body %d", it->name, l);
}

static void check_some(phx_context *context, const subject *it, bool turns, uint64_t *seed)
{
    for (int count = 1; count <= phx_body_batch_most(); count++) {
        double *S = calloc(2 * ALL_ROWS * ALL_ROWS, sizeof *S), *one = S + ALL_ROWS * ALL_ROWS, mu[ALL_ROWS + 1];
        double dv[PHX_BATCH_WIDTH * MAX_V], alone[PHX_BATCH_WIDTH * MAX_V];
        rows chosen, together;
        assert_non_null(S);
        choose_rows(context, it, count, turns, seed, &chosen);
        make(context, it, 0, count, &chosen, &together);
        random_vector(seed, chosen.n_rows, 1.0, mu);
        mu[chosen.n_rows] = 0.0;
        evaluate(it, &together, 0, count, mu, S, dv);
        for (int l = 0; l < count; l++) {
            rows single;
            check_body(context, it, &together, l, mu, S, dv);
            make(context, it, l, l + 1, &chosen, &single);
            evaluate(it, &single, l, l + 1, mu, one, alone);
            release(&single);
        }
        if (turns || it->n_q > 0) {
            assert_memory_equal(S, one, (size_t)(chosen.n_rows * chosen.n_rows) * sizeof *S);
            assert_memory_equal(dv, alone, (size_t)(count * it->n_v) * sizeof *dv);
        } /* else rigid bodies with turns alone are evaluated otherwise than in company of others */
        release(&together);
        for (int l = 0; l < count; l++)
            for (int p = 0; p < chosen.n_ports[l]; p++)
                phx_body_port_free(&chosen.port[l][p]);
        free(S);
    }
}

static void check_rows(phx_context *context, const subject *it, uint64_t *seed)
{
    check_some(context, it, true, seed);
    check_some(context, it, false, seed);
}

static void bodies_that_bend(void **state)
{
    each_kind(*state, check_rows);
}

static void rigid_bodies(void **state)
{
    uint64_t seed = 21;
    int count = 0;

    for (int k = 0; k < n_body_kinds; k++) {
        subject it;
        if (!body_kinds[k].rigid)
            continue;
        subject_create(*state, &body_kinds[k], &it);
        for (int n = 0; n < 5; n++, count++)
            check_rows(*state, &it, &seed);
        subject_destroy(&it);
    }
    assert_true(count > 5);
}

static void test_failing_allocations(void **state)
{
    phx_context *context = *state;
    phx_status status = PHX_ERR_MEMORY;
    uint64_t seed = 5;
    subject it;
    rows chosen, made;
    long n = 0;

    for (int k = 0;; k++) {
        assert_in_range(k, 0, n_body_kinds - 1);
        if (!body_kinds[k].rigid)
            continue;
        subject_create(context, &body_kinds[k], &it);
        break;
    }
    choose_rows(context, &it, 2, false, &seed, &chosen);
    make(context, &it, 0, 2, &chosen, &made);
    const phx_body_batch_rows_def def = {.stride = STRIDE,
                                         .none = chosen.n_rows,
                                         .n_ports = {chosen.n_ports[0], chosen.n_ports[1]},
                                         .ports = {chosen.def[0], chosen.def[1]}};
    for (; status; n++) {
        phx_body_batch_rows *other = NULL;
        phx_context_fail_allocation(context, n);
        status = phx_body_batch_rows_create(context, made.batch.batch, &def, &other);
        phx_context_fail_allocation(context, -1);
        CHECK_STATUS(context, status, other ? PHX_OK : PHX_ERR_MEMORY);
        phx_body_batch_rows_destroy(other);
    }
    assert_int_equal(n, 8);
    release(&made);
    for (int l = 0; l < 2; l++)
        for (int p = 0; p < chosen.n_ports[l]; p++)
            phx_body_port_free(&chosen.port[l][p]);
    subject_destroy(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_bend),
        cmocka_unit_test(rigid_bodies),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, context_setup, context_teardown);
}
