/* Condensed matrices against whole ones: single solutions, accelerations, projections, runs of every kind of mechanism
 * both ways, and what takes over where the iteration is slow. */
#include "system/fast/fast.h"

#include "condensed_models.h"

enum { MOST = 400 };

static workspace *inside(const model *m)
{
    return (workspace *)m->dae;
}

static condensation *condensed(const model *m)
{
    return inside(m)->fast->condensation;
}

static int condensed_bodies(const model *m)
{
    int count = 0;
    for (int b = 0; b < m->system->n_bodies && condensed(m); b++)
        count += phx_sys_is_condensed(&condensed(m)->kkt, b);
    return count;
}

/* The test_models, then the mechanisms whose bodies have more inside. */
static const test_model *subject_of(int k)
{
    return k < n_test_models ? &test_models[k] : &condensed_models[k - n_test_models].is;
}

/* Each mechanism keeps its random numbers when the test_models grows. */
static uint64_t seed_of(int k, int first)
{
    return (uint64_t)(first + (k < n_test_models ? k : 100 + k - n_test_models));
}

static void open_subject(phx_context *context, int k, model *m)
{
    open_test_model(context, subject_of(k), m);
    assert_in_range(m->n_x, 1, MOST);
    assert_in_range(m->n_v + m->n_l, 1, MOST);
}

static void who_is_condensed(void **state)
{
    int found = 0;

    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        model m;
        open_subject(*state, k, &m);
        found += condensed_bodies(&m) > 0;
        if (k >= n_test_models) {
            assert_int_equal(condensed_bodies(&m), condensed_models[k - n_test_models].condensed);
            assert_int_equal(m.system->n_bodies - condensed_bodies(&m), condensed_models[k - n_test_models].whole);
        }
        model_close(&m);
    }
    print_message("%d of %d mechanisms have condensed bodies\n", found, n_test_models + n_condensed_models);
    assert_true(found > (n_test_models + n_condensed_models) / 2);
}

/* ---- one solve ---- */
typedef struct trial {
    double h, x[MOST], v[MOST], v1[MOST], lambda[MOST], b[MOST];
} trial;

/* Turns of all bodies, and of the second end, times so much. */
static void scale_turns(const model *m, double factor, double *v)
{
    for (int b = 0; b < m->system->n_bodies; b++)
        for (int k = 0; k < m->system->n_rot; k++)
            v[m->system->bodies[b].v + m->dim + k] *= factor;
}

static void random_trial(const model *m, double h, double turn, uint64_t *seed, trial *out)
{
    out->h = h;
    random_state(m, seed, out->x, out->v);
    random_vector(seed, m->n_v, 1.0, out->v1);
    random_vector(seed, m->n_l, 3.0, out->lambda);
    random_vector(seed, m->n_v + m->n_l, 1.0, out->b);
    scale_turns(m, turn, out->v);
    scale_turns(m, turn, out->v1);
}

/* The solution with the matrix of the interval, the one way or the other. */
static void solve(model *m, bool plain, const trial *it, double *out)
{
    const phx_dae_ops *ops = m->dae->ops;
    double x1[MOST], res[MOST];

    phx_system_condense(m->dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
    if (condensed(m))
        condensed(m)->wait = 0;
    CHECK_OK(m->context, ops->interval_begin(m->dae, 0.3, it->h, it->x, it->v));
    CHECK_OK(m->context, ops->interval_residual(m->dae, it->v1, it->lambda, x1, res));
    CHECK_OK(m->context, ops->interval_linearise(m->dae));
    CHECK_OK(m->context, ops->factor(m->dae, 0, 2.0 / it->h));
    memcpy(out, it->b, (size_t)(m->n_v + m->n_l) * sizeof *out);
    CHECK_OK(m->context, ops->solve(m->dae, 0, out));
    if (condensed(m))
        assert_int_equal(condensed(m)->in_slot[0], !plain);
}

/* Distance of the two solutions relative to the plain one: of velocities in the norm, of multipliers by the largest. */
static void distance(model *m, const trial *it, double *of_v, double *of_lambda)
{
    double plain[MOST], got[MOST], most = 0.0, difference = 0.0;

    solve(m, true, it, plain);
    solve(m, false, it, got);
    for (int i = 0; i < m->n_v + m->n_l; i++)
        got[i] -= plain[i];
    *of_v = m->dae->ops->norm(m->dae, got) / m->dae->ops->norm(m->dae, plain);
    for (int i = m->n_v; i < m->n_v + m->n_l; i++) {
        most = fmax(most, fabs(plain[i]));
        difference = isnan(got[i]) ? NAN : fmax(difference, fabs(got[i]));
    }
    *of_lambda = m->n_l > 0 ? difference / most : 0.0;
}

static void the_same_without_turning(void **state)
{
    const double lengths[] = {0.05, 1e-3, -0.02};
    double worst[2] = {0.0, 0.0};

    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        uint64_t seed = seed_of(k, 3);
        model m;
        open_subject(*state, k, &m);
        for (int n = 0; n < 3; n++) {
            double of_v, of_lambda;
            trial it;
            random_trial(&m, lengths[n], 0.0, &seed, &it);
            distance(&m, &it, &of_v, &of_lambda);
            CHECK_SMALL(of_v, 1e-10, "%s, h = %g: velocities", subject_of(k)->name, it.h);
            CHECK_SMALL(of_lambda, 1e-10, "%s, h = %g: multipliers", subject_of(k)->name, it.h);
            worst[0] = fmax(worst[0], of_v);
            worst[1] = fmax(worst[1], of_lambda);
        }
        model_close(&m);
    }
    print_message("at rest: velocities differ by %.1e, multipliers by %.1e\n", worst[0], worst[1]);
}

/* The whole matrix, dense, of an interval. */
static void whole_matrix(model *m, const trial *it, double *A)
{
    const workspace *ws = inside(m);
    double solution[MOST];

    solve(m, true, it, solution);
    memset(A, 0, (size_t)(ws->kkt.n * ws->kkt.n) * sizeof *A);
    for (int i = 0; i < ws->kkt.n; i++)
        for (int k = ws->kkt.ptr[i]; k < ws->kkt.ptr[i + 1]; k++)
            A[i * ws->kkt.n + ws->kkt.idx[k]] = ws->values.val[k];
}

/* With A the matrix of the interval, B the same without what turns add to the deformations of condensed bodies, and
 * x: the columns of T = B^-1 sum_k w_k A_k, and last B^-1 (B - A - sum_k w_k A_k) x. n x (n + 1). */
static void iteration_matrix(model *m, const trial *it, const double *x, double *T)
{
    const int n = m->n_v + m->n_l, rigid = m->dim + m->system->n_rot;
    double *A = calloc((size_t)(2 * n * n), sizeof *A), *B = A + n * n;
    trial rest = *it;

    assert_non_null(A);
    scale_turns(m, 0.0, rest.v);
    scale_turns(m, 0.0, rest.v1);
    whole_matrix(m, &rest, B);
    whole_matrix(m, it, A);
    memset(T, 0, (size_t)(n * (n + 1)) * sizeof *T);
    for (int b = 0; b < m->system->n_bodies; b++) {
        const int first = m->system->bodies[b].v + rigid, n_q = phx_body_n_q(m->system->bodies[b].body);
        const phx_flex *flex = phx_body_flex(m->system->bodies[b].body);
        double w[3], column[MOST];
        if (!phx_sys_is_condensed(&condensed(m)->kkt, b))
            continue;
        for (int k = 0; k < m->system->n_rot; k++)
            w[k] = it->v[first - m->system->n_rot + k] + it->v1[first - m->system->n_rot + k];
        for (int j = 0; j < n_q; j++) {
            memset(column, 0, sizeof column);
            for (int i = 0; i < n_q; i++)
                for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
                    for (int k = 0; k < m->system->n_rot && flex->idx[e] == j; k++)
                        column[i] += w[k] * flex->A[k][e];
            for (int i = 0; i < n_q; i++) {
                const int row = first + i, at = row * n + first + j;
                T[row * (n + 1) + first + j] = column[i];
                T[row * (n + 1) + n] += (B[at] - A[at] - column[i]) * x[first + j];
                A[at] = B[at];
            }
        }
    }
    CHECK_OK(m->context, phx_dense_solve(m->context, n, A, n + 1, T));
    free(A);
}

/* Largest factor by which |T^k b| falls, or grows, over some applications. */
static double contraction(model *m, const double *T, const double *b)
{
    const int n = inside(m)->kkt.n;
    double x[MOST], y[MOST], size = 0.0, most = 0.0;

    memcpy(x, b, (size_t)n * sizeof *x);
    for (int k = 0; k < 12; k++) {
        const double before = size;
        memset(y, 0, sizeof y);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                y[i] += T[i * (n + 1) + j] * x[j];
        size = m->dae->ops->norm(m->dae, y);
        if (k > 0 && before > 0.0)
            most = fmax(most, size / before);
        for (int i = 0; i < n; i++)
            x[i] = size > 0.0 ? y[i] / size : 0.0;
        size = size > 0.0 ? 1.0 : 0.0;
    }
    return most;
}

/* |T^k b| / |b| */
static double last_correction(model *m, const double *T, const double *b, int k)
{
    const int n = inside(m)->kkt.n;
    double x[MOST], y[MOST];

    memcpy(x, b, (size_t)n * sizeof *x);
    for (; k > 0; k--) {
        memset(y, 0, sizeof y);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                y[i] += T[i * (n + 1) + j] * x[j];
        memcpy(x, y, sizeof x);
    }
    return m->dae->ops->norm(m->dae, x) / m->dae->ops->norm(m->dae, b);
}

/* The iteration with contraction r ends where the next correction is expected below 1e-5, or after one in the plane,
 * two in space. Besides, it does not know what is of second order in h |w|. */
static void turning_is_iterated_away(void **state)
{
    const double lengths[] = {0.05, 0.01, 1e-3, -0.02};
    double *T = calloc(MOST * (MOST + 1), sizeof *T), worst = 0.0, widest = 0.0;

    assert_non_null(T);
    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        uint64_t seed = seed_of(k, 13);
        model m;
        open_subject(*state, k, &m);
        for (int n = 0; n < 4 && condensed(&m); n++) {
            double of_v, of_lambda, x[MOST], second[MOST];
            trial it;
            random_trial(&m, lengths[n], 1.0, &seed, &it);
            distance(&m, &it, &of_v, &of_lambda);
            const bool slow = condensed(&m)->wait > 0;
            solve(&m, true, &it, x);
            iteration_matrix(&m, &it, x, T);
            for (int i = 0; i < m.n_v + m.n_l; i++)
                second[i] = T[i * (m.n_v + m.n_l + 1) + m.n_v + m.n_l];
            const double r = contraction(&m, T, x);
            const double unknown = m.dae->ops->norm(m.dae, second) / m.dae->ops->norm(m.dae, x);
            const int most = m.dim - 1;
            const double bound = 4.0 * (fmax(1e-5, pow(r, most + 1)) + unknown) + 1e-10;
            const double last = last_correction(&m, T, x, most), before = last_correction(&m, T, x, most - 1);
            const double left = before > 0.0 ? last / before * last : 0.0;
            if (slow ? left < 0.5e-5 : left > 2e-5)
                fail_msg("%s, h = %g: corrections that would go on with %.2e are called %s", subject_of(k)->name, it.h,
                         left, slow ? "slow" : "fast");
            CHECK_BELOW(fmax(of_v, of_lambda), bound, "%s, h = %g: contraction %.2e, second order %.2e",
                        subject_of(k)->name, it.h, r, unknown);
            worst = fmax(worst, fmax(of_v, of_lambda) / bound);
            widest = fmax(widest, r);
        }
        model_close(&m);
    }
    print_message("contraction up to %.2f; distances up to %.2f of their bounds\n", widest, worst);
    free(T);
}

/* One linearisation may be factored again, and into other slots; each factorisation solves as often as it is asked. */
static void factors_of_one_linearisation_agree(void **state)
{
    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        const int slots[] = {0, 1, 1, 0};
        double first[MOST], again[MOST];
        uint64_t seed = seed_of(k, 43);
        trial it;
        model m;
        open_subject(*state, k, &m);
        random_trial(&m, 0.01, 1.0, &seed, &it);
        solve(&m, false, &it, first);
        for (int n = 0; n < 4; n++) {
            CHECK_OK(m.context, m.dae->ops->factor(m.dae, slots[n], 2.0 / it.h));
            for (int twice = 0; twice < 2; twice++) {
                memcpy(again, it.b, sizeof again);
                CHECK_OK(m.context, m.dae->ops->solve(m.dae, slots[n], again));
                CHECK_VECTOR(m.n_v + m.n_l, again, first, 1e-12, "%s: factorisation %d, solution %d",
                             subject_of(k)->name, n, twice);
            }
        }
        model_close(&m);
    }
}

/* A loose solution has two digits where the iteration contracts, and the next one is exact again. */
static void rough_solutions_have_two_digits(void **state)
{
    int different = 0;
    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        double exact[MOST], loose[MOST], again[MOST];
        uint64_t seed = seed_of(k, 47);
        trial it;
        model m;
        open_subject(*state, k, &m);
        random_trial(&m, 0.01, 1.0, &seed, &it);
        solve(&m, false, &it, exact);
        memcpy(loose, it.b, sizeof loose);
        m.dae->loose = true;
        CHECK_OK(m.context, m.dae->ops->solve(m.dae, 0, loose));
        m.dae->loose = false;
        memcpy(again, it.b, sizeof again);
        CHECK_OK(m.context, m.dae->ops->solve(m.dae, 0, again));
        CHECK_VECTOR(m.n_v + m.n_l, again, exact, 1e-12, "%s: after a loose solution", subject_of(k)->name);
        for (int i = 0; i < m.n_v; i++)
            loose[i] -= exact[i];
        const double defect = m.dae->ops->norm(m.dae, loose) / m.dae->ops->norm(m.dae, exact);
        if (condensed(&m) && condensed(&m)->wait == 0)
            CHECK_BELOW(defect, 0.03, "%s: loose solution", subject_of(k)->name);
        different += defect > 0.0;
        model_close(&m);
    }
    assert_true(different > 3);
}

/* ---- instants ---- */
static void accelerations_are_the_same(void **state)
{
    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        double v_dot[2][MOST], lambda[2][MOST], v[MOST];
        uint64_t seed = seed_of(k, 23);
        model m;
        open_subject(*state, k, &m);
        model_start(&m, false);
        for (int n = 0; n < 3; n++) { /* later instants write in place only what has changed */
            random_vector(&seed, m.n_v, n, v);
            for (int plain = 0; plain < 2; plain++) {
                phx_system_condense(m.dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
                CHECK_OK(m.context, m.dae->ops->accelerations(m.dae, 0.1, m.x, v, v_dot[plain], lambda[plain]));
            }
            CHECK_VECTOR(m.n_v, v_dot[0], v_dot[1], 1e-11, "%s: accelerations %d", subject_of(k)->name, n);
            CHECK_VECTOR(m.n_l, lambda[0], lambda[1], 1e-11, "%s: multipliers %d", subject_of(k)->name, n);
            for (int b = 0; b < m.system->n_bodies; b++) /* bent otherwise */
                for (int i = 0; i < phx_body_n_q(m.system->bodies[b].body); i++)
                    m.x[m.system->bodies[b].x + m.dim + phx_attitude_size(m.dim) + i] += 0.01 * random_value(&seed);
        }
        model_close(&m);
    }
}

static void projections_are_the_same(void **state)
{
    for (int k = 0; k < n_test_models + n_condensed_models; k++) {
        double v[2][MOST], lambda[2][MOST], off[MOST];
        uint64_t seed = seed_of(k, 33);
        phx_work work[2] = {{0.0, 0.0}, {0.0, 0.0}};
        model m;
        open_subject(*state, k, &m);
        model_start(&m, false);
        random_vector(&seed, m.n_v, 1e-3, off);
        for (int plain = 0; plain < 2; plain++) {
            memcpy(v[plain], m.v, (size_t)m.n_v * sizeof *m.v);
            memcpy(lambda[plain], m.lambda, (size_t)m.n_l * sizeof *m.lambda);
            for (int i = 0; i < m.n_v; i++)
                v[plain][i] += off[i];
            phx_system_condense(m.dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
            CHECK_OK(m.context,
                     m.dae->ops->project(m.dae, 0.0, 1e-2, false, false, m.x, v[plain], lambda[plain], &work[plain]));
        }
        CHECK_VECTOR(m.n_v, v[0], v[1], 1e-11, "%s: velocities", subject_of(k)->name);
        CHECK_VECTOR(m.n_l, lambda[0], lambda[1], 1e-11, "%s: multipliers", subject_of(k)->name);
        CHECK_CLOSE(work[0].supplied, work[1].supplied, 1e-13, "%s: supplied", subject_of(k)->name);
        model_close(&m);
    }
}

/* ---- runs ---- */
/* Relative to the largest entry. */
static void check_states(const char *name, const model *got, const model *want)
{
    CHECK_VECTOR(want->n_x, got->x, want->x, 1e-11, "%s: places", name);
    CHECK_VECTOR(want->n_v, got->v, want->v, 1e-11, "%s: velocities", name);
}

/* The state after a run from the start, and what its balance of energy leaves. */
static double run(phx_context *context, int k, bool plain, double h, long steps, model *m)
{
    phx_work work;

    open_subject(context, k, m);
    phx_system_condense(m->dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
    model_start(m, false);
    const double before = total_energy(m, m->x, m->v);
    run_midpoint(m, 0.0, h, steps, &work);
    return total_energy(m, m->x, m->v) - before - work.supplied + work.dissipated;
}

static void runs_are_the_same(void **state)
{
    for (int k = n_test_models; k < n_test_models + n_condensed_models; k++) {
        const test_model *is = subject_of(k);
        double balance[2];
        model m[2];
        for (int plain = 0; plain < 2; plain++)
            balance[plain] = run(*state, k, plain, 2e-3, TEST_LONG(200), &m[plain]);
        assert_non_null(condensed(&m[0])->slot[0].lu); /* each went its way */
        assert_null(condensed(&m[1])->slot[0].lu);
        check_states(is->name, &m[0], &m[1]);
        for (int plain = 0; plain < 2 && is->exact; plain++)
            CHECK_SMALL(balance[plain], 1e-11 * (10.0 + fabs(total_energy(&m[plain], m[plain].x, m[plain].v))),
                        "%s: balance of energy, %s", is->name, plain ? "whole" : "condensed");
        model_close(&m[0]);
        model_close(&m[1]);
    }
}

/* Suzuki's five intervals in each half of a step, of which the middle one goes backwards in time, and one projection:
 * midpoint4. */
static void composed(model *m, double h, int steps)
{
    const double gamma = 1.0 / (4.0 - pow(4.0, 1.0 / 3.0));
    const double parts[] = {gamma, gamma, 1.0 - 4.0 * gamma, gamma, gamma};
    double x1[MOST], v1[MOST], t = 0.0;

    for (int n = 0; n < 10 * steps; n++) {
        const double part = 0.5 * h * parts[n % 5];
        step_result result;
        phx_work work;
        memcpy(v1, m->v, (size_t)m->n_v * sizeof *v1);
        CHECK_OK(m->context, solve_interval(m, t, part, m->x, m->v, x1, v1, m->lambda, &result));
        t += part;
        if (n % 10 == 9)
            CHECK_OK(m->context, m->dae->ops->project(m->dae, t, h, true, false, x1, v1, m->lambda, &work));
        memcpy(m->x, x1, (size_t)m->n_x * sizeof *x1);
        memcpy(m->v, v1, (size_t)m->n_v * sizeof *v1);
    }
}

static void intervals_backwards_are_the_same(void **state)
{
    for (int k = n_test_models; k < n_test_models + n_condensed_models; k++) {
        const test_model *is = subject_of(k);
        model m[2];
        for (int plain = 0; plain < 2; plain++) {
            open_subject(*state, k, &m[plain]);
            phx_system_condense(m[plain].dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
            model_start(&m[plain], false);
            composed(&m[plain], 5e-3, TEST_SHORTER(4, 1));
        }
        check_states(is->name, &m[0], &m[1]);
        model_close(&m[0]);
        model_close(&m[1]);
    }
}

/* ---- fast turns ---- */
/* h |w| = 1.2. */
static void where_it_is_slow_the_whole_matrix_takes_over(void **state)
{
    for (int k = 0; k < 2; k++) {
        model m[2];
        int waited[2] = {0, 0};
        for (int plain = 0; plain < 2; plain++) {
            phx_work work;
            open_test_model(*state, &rotors[k], &m[plain]);
            phx_system_condense(m[plain].dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
            model_start(&m[plain], true);
            const double before = total_energy(&m[plain], m[plain].x, m[plain].v);
            double supplied = 0.0;
            for (int n = 0; n < 50; n += 5) { /* now and then the condensed matrix is tried again */
                run_midpoint(&m[plain], 0.04 * n, 0.04, 5, &work);
                supplied += work.supplied;
                if (condensed(&m[plain])->wait > waited[plain])
                    waited[plain] = condensed(&m[plain])->wait;
            }
            CHECK_SMALL(total_energy(&m[plain], m[plain].x, m[plain].v) - before - supplied, 1e-12 * before,
                        "%s: balance of energy, %s", rotors[k].name, plain ? "whole" : "condensed");
        }
        assert_in_range(waited[0], 1, 64);
        assert_int_equal(waited[1], 0);
        check_states(rotors[k].name, &m[0], &m[1]);
        model_close(&m[0]);
        model_close(&m[1]);
    }
}

/* At most 64 linearisations later the iteration is tried again, and where nothing turns it is kept. */
static void what_was_slow_is_tried_again(void **state)
{
    for (int k = 0; k < 2; k++) {
        uint64_t seed = 71;
        double solution[MOST], x1[MOST], res[MOST];
        phx_work work;
        trial slow;
        model m;
        open_test_model(*state, &rotors[k], &m);
        phx_system_condense(m.dae, PHX_CONDENSE_ALWAYS);
        model_start(&m, true);
        run_midpoint(&m, 0.0, 0.04, 1, &work);
        const int wait = condensed(&m)->wait;
        assert_in_range(wait, 1, 64);
        random_trial(&m, 0.04, 0.0, &seed, &slow);
        for (int n = 1; n < 70; n++) {
            CHECK_OK(m.context, m.dae->ops->interval_begin(m.dae, 0.3, slow.h, slow.x, slow.v));
            CHECK_OK(m.context, m.dae->ops->interval_residual(m.dae, slow.v1, slow.lambda, x1, res));
            CHECK_OK(m.context, m.dae->ops->interval_linearise(m.dae));
            CHECK_OK(m.context, m.dae->ops->factor(m.dae, 0, 2.0 / slow.h));
            memcpy(solution, slow.b, sizeof solution);
            CHECK_OK(m.context, m.dae->ops->solve(m.dae, 0, solution));
            if (condensed(&m)->in_slot[0] != (n > wait) || condensed(&m)->wait != (n < wait ? wait - n : 0))
                fail_msg("%s: matrix %d after %d to wait: condensed %d, %d to wait", rotors[k].name, n, wait,
                         condensed(&m)->in_slot[0], condensed(&m)->wait);
        }
        model_close(&m);
    }
}

/* ---- factors and memory ---- */
/* Bodies of one beam share factors where they keep the same coordinates and have the same damping. */
static void bodies_of_one_type_share_factors(void **state)
{
    enum { N = 6 };
    const double damping[N] = {0, 0, 0, 0.1, 0.1, 0}, port[N] = {1, 1, 0.5, 1, 1, -1};
    const int types[N] = {0, 0, 1, 2, 2, 3};
    for (int dim = 2; dim < 4; dim++) {
        const double gravity[3] = {0.0, -9.81, 0.0};
        phx_beam_def def = phx_beam_def_default();
        phx_beam *beam = NULL;
        model m;
        if (dim == 2)
            model_open(*state, 0.0, -9.81, &m);
        else
            model_open_space(*state, gravity, &m);
        def.dim = dim;
        def.length = def.mass_per_length = 1.0;
        def.axial_stiffness = 1e4;
        def.bending_stiffness[0] = def.bending_stiffness[1] = def.torsion_stiffness = 40.0;
        def.polar_inertia = 0.01;
        def.elements = 4;
        CHECK_OK(m.context, phx_beam_create(m.context, &def, &beam));
        for (int k = 0; k < N; k++) {
            phx_body_def body_def = phx_body_def_default();
            const phx_pose pose = pose_at(0.0, k, 0.1 * k);
            char name[16];
            phx_body *body = NULL;
            phx_body_id id = -1;
            snprintf(name, sizeof name, "body%d", k);
            body_def.name = name;
            body_def.dim = dim;
            body_def.flex = phx_flex_source_flex(beam);
            body_def.damping_mass = damping[k];
            CHECK_OK(m.context, phx_body_create(m.context, &body_def, &body));
            CHECK_OK(m.context, phx_system_add_body(m.system, body, phx_flex_source_share(beam), &pose, &id));
            if (port[k] >= 0.0)
                add_torque(&m, name, at_beam(&m, id, port[k]), constant(&m, 1.0));
        }
        phx_flex_source_destroy(beam);
        model_ready(&m);
        assert_int_equal(condensed(&m)->n_types, 4);
        for (int k = 0; k < N; k++)
            assert_int_equal(condensed(&m)->type[k], types[k]);
        model_close(&m);
    }
}

/* Nothing is allocated after the first step, but once for the whole matrix when it is wanted first. */
static void steps_allocate_nothing(void **state)
{
    for (int k = n_test_models; k < n_test_models + n_condensed_models; k++)
        for (int plain = 0; plain < 2; plain++) {
            phx_work work;
            model m;
            open_subject(*state, k, &m);
            phx_system_condense(m.dae, plain ? PHX_CONDENSE_NEVER : PHX_CONDENSE_ALWAYS);
            model_start(&m, false);
            run_midpoint(&m, 0.0, 2e-3, 1, &work);
            for (int n = 0; n < TEST_SHORTER(15, 5); n++) {
                const size_t before = phx_context_allocations(m.context);
                const bool had_whole = inside(&m)->values.lu[0] != NULL;
                run_midpoint(&m, 2e-3 * (n + 1), 2e-3, 1, &work);
                const size_t made = phx_context_allocations(m.context) - before;
                if (made > 0 && had_whole == (inside(&m)->values.lu[0] != NULL))
                    fail_msg("%s: %zu allocations in step %d, %s", subject_of(k)->name, made, n + 2,
                             plain ? "whole" : "condensed");
            }
            model_close(&m);
        }
}

/* Makes the dae, a solution over an interval and one at an instant. */
static phx_status use(const model *m, phx_dae **dae)
{
    double x1[MOST], res[MOST], v_dot[MOST], lambda[MOST];
    phx_status status = phx_system_dae(m->system, m->context, dae);

    if (!status)
        status = (*dae)->ops->interval_begin(*dae, 0.0, 1e-2, m->x, m->v);
    if (!status)
        status = (*dae)->ops->interval_residual(*dae, m->v, m->lambda, x1, res);
    if (!status)
        status = (*dae)->ops->interval_linearise(*dae);
    if (!status)
        status = (*dae)->ops->factor(*dae, 0, 200.0);
    if (!status)
        status = (*dae)->ops->solve(*dae, 0, res);
    if (!status)
        status = (*dae)->ops->accelerations(*dae, 0.0, m->x, m->v, v_dot, lambda);
    return status;
}

/* Each allocation in turn; the sanitizers see what is left. */
static void failing_allocations_leave_nothing(void **state)
{
    const int some[] = {1, 3, 8};

    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        phx_status status = PHX_ERR_MEMORY;
        long n = 0;
        model m;
        open_subject(*state, n_test_models + some[k], &m);
        model_start(&m, false);
        for (; status; n++) {
            phx_dae *dae = NULL;
            phx_context_fail_allocation(m.context, n);
            status = use(&m, &dae);
            phx_context_fail_allocation(m.context, -1);
            if (status)
                CHECK_STATUS(m.context, status, PHX_ERR_MEMORY);
            phx_system_dae_destroy(dae);
        }
        assert_in_range(n, 150, 2000);
        print_message("%s: %ld allocations\n", subject_of(n_test_models + some[k])->name, n);
        model_close(&m);
    }
}

/* After a factorisation that found no memory, the next one may succeed. */
static void a_failed_factorisation_may_be_tried_again(void **state)
{
    double x1[MOST], res[MOST];
    phx_status status = PHX_ERR_MEMORY;

    for (long n = 0; status; n++) {
        model m;
        open_subject(*state, n_test_models + 1, &m);
        model_start(&m, false);
        CHECK_OK(m.context, m.dae->ops->interval_begin(m.dae, 0.0, 1e-2, m.x, m.v));
        for (int again = 0; again < 2; again++) {
            CHECK_OK(m.context, m.dae->ops->interval_residual(m.dae, m.v, m.lambda, x1, res));
            CHECK_OK(m.context, m.dae->ops->interval_linearise(m.dae));
            phx_context_fail_allocation(m.context, again ? -1 : n);
            const phx_status now = m.dae->ops->factor(m.dae, 0, 200.0);
            phx_context_fail_allocation(m.context, -1);
            if (again)
                CHECK_OK(m.context, now);
            else
                status = now;
        }
        CHECK_OK(m.context, m.dae->ops->solve(m.dae, 0, res));
        model_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_is_condensed, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(the_same_without_turning, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(turning_is_iterated_away, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(factors_of_one_linearisation_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(rough_solutions_have_two_digits, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(accelerations_are_the_same, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(projections_are_the_same, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_are_the_same, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(intervals_backwards_are_the_same, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(where_it_is_slow_the_whole_matrix_takes_over, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(what_was_slow_is_tried_again, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(bodies_of_one_type_share_factors, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(steps_allocate_nothing, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(failing_allocations_leave_nothing, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(a_failed_factorisation_may_be_tried_again, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
