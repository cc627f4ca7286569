/* The fast evaluation against the plain one: residuals, matrices, projections, runs and outputs. */
#include <phlexor/integrate.h>

#include "condensed_models.h"

static const double TOLERANCE = 1e-11;

typedef struct pair {
    model m[2]; /* plain, fast: of one system */
} pair;

static void open_pair(phx_context *context, const test_model *kind, pair *p)
{
    open_test_model(context, kind, &p->m[0]);
    p->m[1] = p->m[0];
    phx_system_dae_destroy(p->m[0].dae);
    CHECK_OK(context, phx_system_dae_with(p->m[0].system, context, PHX_BACKEND_PLAIN, &p->m[0].dae));
    CHECK_OK(context, phx_system_dae_with(p->m[0].system, context, PHX_BACKEND_FAST, &p->m[1].dae));
}

static void close_pair(pair *p)
{
    phx_system_dae_destroy(p->m[1].dae);
    model_close(&p->m[0]);
}

static double *numbers(int count)
{
    double *all = calloc((size_t)count + 1, sizeof *all);
    assert_non_null(all);
    return all;
}

static void check_same(const char *name, const char *what, int n, const double *plain, const double *fast)
{
    double scale = 1.0;
    for (int i = 0; i < n; i++)
        scale = fmax(scale, fabs(plain[i]));
    for (int i = 0; i < n; i++)
        CHECK_CLOSE(fast[i], plain[i], TOLERANCE * scale, "%s: %s %d", name, what, i);
}

/* A state, an end velocity and multipliers: all arbitrary, the joints open. */
typedef struct trial {
    double *x, *v, *v1, *v_dot, *lambda;
} trial;

static trial make_trial(const model *m, uint64_t *seed)
{
    const trial at = {numbers(m->n_x), numbers(m->n_v), numbers(m->n_v), numbers(m->n_v), numbers(m->n_l)};

    random_state(m, seed, at.x, at.v);
    for (int i = 0; i < m->n_v; i++) {
        at.v1[i] = at.v[i] + 0.3 * random_value(seed);
        at.v_dot[i] = random_value(seed);
    }
    for (int k = 0; k < m->n_l; k++)
        at.lambda[k] = random_value(seed);
    return at;
}

static void trial_free(const trial *at)
{
    free(at->x);
    free(at->v);
    free(at->v1);
    free(at->v_dot);
    free(at->lambda);
}

enum { INTERVAL, INSTANT, N_RESIDUALS };
typedef struct found {
    double *residual[N_RESIDUALS];
    double *x1;
    double *times[4]; /* products of the inverses, of an interval, of an instant, and of M and K */
    phx_work work, power;
} found;

/* The matrices are compared by what they do to a vector. */
static void evaluate(const model *m, const trial *at, double h, found *out)
{
    const phx_dae_ops *ops = m->dae->ops;
    const int n = m->n_v + m->n_l;

    for (int k = 0; k < N_RESIDUALS; k++)
        out->residual[k] = numbers(n);
    for (int k = 0; k < 4; k++)
        out->times[k] = numbers(n);
    out->x1 = numbers(m->n_x);
    CHECK_OK(m->context, ops->interval_begin(m->dae, 0.1, h, at->x, at->v));
    CHECK_OK(m->context, ops->interval_residual(m->dae, at->v1, at->lambda, out->x1, out->residual[INTERVAL]));
    CHECK_OK(m->context, ops->interval_linearise(m->dae));
    CHECK_OK(m->context, ops->factor(m->dae, 0, 2.0 / h));
    CHECK_OK(m->context, ops->interval_residual(m->dae, at->v1, at->lambda, out->x1, NULL));
    CHECK_OK(m->context, ops->interval_work(m->dae, &out->work));
    CHECK_OK(m->context,
             ops->power(m->dae, 0.1, at->x, at->v, at->lambda, &out->power.supplied, &out->power.dissipated));
    CHECK_OK(m->context, ops->residual(m->dae, 0.1, at->x, at->v, at->v_dot, at->lambda, out->residual[INSTANT]));
    for (int i = 0; i < n; i++)
        out->times[0][i] = out->residual[INTERVAL][i];
    CHECK_OK(m->context, ops->solve(m->dae, 0, out->times[0]));
    CHECK_OK(m->context, ops->linearise(m->dae, 0.1, at->x, at->v, at->lambda));
    ops->mass_apply(m->dae, at->v_dot, out->times[1]);
    ops->stiffness_apply(m->dae, at->v_dot, out->times[2]);
    CHECK_OK(m->context, ops->factor(m->dae, 1, 2.0 / h));
    for (int i = 0; i < n; i++)
        out->times[3][i] = out->residual[INSTANT][i];
    CHECK_OK(m->context, ops->solve(m->dae, 1, out->times[3]));
}

static void found_free(found *it)
{
    for (int k = 0; k < N_RESIDUALS; k++)
        free(it->residual[k]);
    for (int k = 0; k < 4; k++)
        free(it->times[k]);
    free(it->x1);
}

static void evaluations_agree(void **state)
{
    uint64_t seed = 21;
    const int own = n_test_models + n_condensed_models;

    for (int k = 0; k < own + n_modes_models; k++) {
        const test_model *kind = k < n_test_models ? &test_models[k]
                                 : k < own         ? &condensed_models[k - n_test_models].is
                                                   : &test_models[n_test_models + n_sliding_models + k - own];
        pair p;
        found got[2];
        open_pair(*state, kind, &p);
        const int n = p.m[0].n_v + p.m[0].n_l;
        const trial at = make_trial(&p.m[0], &seed);
        phx_system_condense(p.m[1].dae, PHX_CONDENSE_NEVER); /* condensed solutions are refined to Newton's needs */
        for (int w = 0; w < 2; w++)
            evaluate(&p.m[w], &at, 0.02, &got[w]);
        check_same(kind->name, "residual of an interval", n, got[0].residual[INTERVAL], got[1].residual[INTERVAL]);
        check_same(kind->name, "residual of an instant", n, got[0].residual[INSTANT], got[1].residual[INSTANT]);
        check_same(kind->name, "end of the interval", p.m[0].n_x, got[0].x1, got[1].x1);
        for (int i = 0; i < 4; i++)
            check_same(kind->name, "what the matrices do", n, got[0].times[i], got[1].times[i]);
        CHECK_CLOSE(got[1].work.supplied, got[0].work.supplied, TOLERANCE * (1.0 + fabs(got[0].work.supplied)),
                    "%s: work", kind->name);
        CHECK_CLOSE(got[1].work.dissipated, got[0].work.dissipated, TOLERANCE * (1.0 + fabs(got[0].work.dissipated)),
                    "%s: loss", kind->name);
        CHECK_CLOSE(got[1].power.supplied, got[0].power.supplied, TOLERANCE * (1.0 + fabs(got[0].power.supplied)),
                    "%s: power", kind->name);
        found_free(&got[0]);
        found_free(&got[1]);
        trial_free(&at);
        close_pair(&p);
    }
}

static phx_status nothing(void *user, const phx_sample *sample)
{
    (void)user;
    (void)sample;
    return PHX_OK;
}

static void run(model *m, phx_integrator integrator, double step, double end)
{
    phx_integrate_options options = phx_integrate_options_default();
    phx_integrate_stats stats;
    double t = 0.0;

    options.integrator = integrator;
    options.step = step;
    options.end = options.every = end;
    CHECK_OK(m->context, phx_integrate(m->dae, &options, &t, m->x, m->v, m->lambda, nothing, NULL, &stats));
}

/* 100 steps by two integrators, one on intervals, one on instants, then the outputs. */
static void runs_agree(void **state)
{
    static const phx_integrator integrators[] = {PHX_MIDPOINT, PHX_GAUSS4};
    const double end = TEST_SHORTER(0.1, 0.03);

    for (int k = 0; k < n_all_test_models; k = k + 1 == n_test_models ? k + 1 + n_sliding_models : k + 1)
        for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
            pair p;
            open_pair(*state, &test_models[k], &p);
            model *plain = &p.m[0], *fast = &p.m[1];
            model_start(plain, false);
            fast->x = numbers(plain->n_x);
            fast->v = numbers(plain->n_v);
            fast->lambda = numbers(plain->n_l);
            memcpy(fast->x, plain->x, (size_t)plain->n_x * sizeof *fast->x);
            memcpy(fast->v, plain->v, (size_t)plain->n_v * sizeof *fast->v);
            memcpy(fast->lambda, plain->lambda, (size_t)plain->n_l * sizeof *fast->lambda);
            const int columns = phx_system_columns(plain->system);
            double *out[2] = {numbers(columns), numbers(columns)};
            for (int w = 0; w < 2; w++) {
                run(&p.m[w], integrators[i], 1e-3, end);
                CHECK_OK(*state, phx_system_outputs(p.m[w].dae, end, p.m[w].x, p.m[w].v, out[w]));
            }
            check_same(test_models[k].name, "place", plain->n_x, plain->x, fast->x);
            check_same(test_models[k].name, "velocity", plain->n_v, plain->v, fast->v);
            check_same(test_models[k].name, "output", columns, out[0], out[1]);
            for (int w = 0; w < 2; w++)
                free(out[w]);
            free(fast->x);
            free(fast->v);
            free(fast->lambda);
            close_pair(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(evaluations_agree, context_setup, context_teardown),
        cmocka_unit_test_setup_teardown(runs_agree, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
