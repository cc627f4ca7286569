/* The derivative of a step: the adjoint is the transpose of the tangent. */
#include "study/study.h"
#include "support/testing.h"

/* Steps of a run of an example, as the variation sees them. */
typedef struct steps {
    phx_context *context;
    const char *name;
    phx_variation *variation;
    const phx_dae *dae; /* of the run */
    int n_x, n_v, n_s, n_l, taken;
    double t, *x, *v;
    double worst;
    uint64_t seed;
} steps;

/* |a . T d - T^T a . d| relative to the sizes of the products, for random vectors. */
static double asymmetry(steps *s)
{
    const int n_v = s->n_v, n = s->n_v + s->n_s;
    double *d = calloc((size_t)(4 * n + phx_variation_adjoint_size(s->variation)), sizeof *d), *moved = d + n;
    double *a = d + 2 * n, *back = d + 3 * n, *kept = d + 4 * n, forward = 0.0, backward = 0.0, size = 0.0;

    for (int i = 0; i < n; i++) {
        d[i] = random_value(&s->seed);
        a[i] = random_value(&s->seed);
    }
    memcpy(moved, d, (size_t)n * sizeof *d);
    memcpy(back, a, (size_t)n * sizeof *d);
    CHECK_OK(s->context, phx_variation_tangent(s->variation, NULL, NULL, moved, moved + n_v));
    CHECK_OK(s->context, phx_variation_adjoint(s->variation, back, back + n_v, kept));
    for (int i = 0; i < n; i++) {
        forward += a[i] * moved[i];
        backward += d[i] * back[i];
        size += fabs(a[i] * moved[i]) + fabs(d[i] * back[i]);
    }
    free(d);
    return fabs(forward - backward) / size;
}

static phx_status look_at_step(void *user, const phx_sample *sample)
{
    steps *s = user;
    phx_status status = PHX_OK;

    if (s->taken++ > 0) {
        const double *vm, *lambda;
        phx_system_last_interval(s->dae, &vm, &lambda);
        status = phx_variation_step(s->variation, s->t, sample->t - s->t, s->x, s->v, sample->x, vm, lambda);
        if (!status)
            s->worst = fmax(s->worst, asymmetry(s));
    }
    s->t = sample->t;
    memcpy(s->x, sample->x, (size_t)s->n_x * sizeof *s->x);
    memcpy(s->v, sample->v, (size_t)s->n_v * sizeof *s->v);
    return status;
}

/* The largest asymmetry of ten steps of an example. */
static double worst_of(phx_context *context, const char *name)
{
    char path[400];
    phx_model *model = NULL;
    phx_system *system = NULL;
    phx_dae *dae = NULL;
    steps s = {.context = context, .name = name, .seed = 7};
    double t = 0.0;

    snprintf(path, sizeof path, "%s/examples/%s", PHX_SOURCE_DIR, name);
    CHECK_OK(context, phx_model_read(context, path, 0, NULL, &model));
    CHECK_OK(context, phx_model_build(context, model, NULL, &system));
    const phx_start_options start = phx_start_of(model);
    phx_integrate_options options = phx_integrate_options_default();
    options.step = model->simulate.step.given ? model->simulate.step.value : 1e-3;
    options.end = 10.0 * options.step;
    s.n_x = phx_system_n_x(system);
    s.n_v = phx_system_n_v(system);
    s.n_l = phx_system_n_l(system);
    double *x = calloc((size_t)(2 * (s.n_x + s.n_v) + s.n_l), sizeof *x), *v = x + s.n_x, *lambda = v + s.n_v;
    s.x = lambda + s.n_l;
    s.v = s.x + s.n_x;
    CHECK_OK(context, phx_system_start(system, &start, x, v, lambda));
    CHECK_OK(context, phx_system_dae(system, context, &dae));
    s.dae = dae;
    CHECK_OK(context, phx_variation_create(context, system, &s.variation));
    s.n_s = s.n_v + phx_system_controller_states(system);
    CHECK_OK(context, phx_integrate(dae, &options, &t, x, v, lambda, look_at_step, &s, NULL));
    assert_int_equal(s.taken, 11);
    phx_variation_destroy(s.variation);
    phx_system_dae_destroy(dae);
    phx_system_destroy(system);
    phx_model_destroy(model);
    free(x);
    return s.worst;
}

static void adjoint_is_transpose(void **state)
{
    static const char *const names[] = {"crank_slider.yaml",    "double_pendulum.yaml", "spatial_slider_crank.yaml",
                                        "damped_lever.yaml",    "four_bar_free.yaml",   "heavy_top.yaml",
                                        "fishing_rod.yaml",     "gear_train.yaml",      "cable_arm.yaml",
                                        "composite_blade.yaml", "telescopic_boom.yaml", "arm_path.yaml",
                                        "rotor_blade.yaml",     "spinning_plate.yaml",  "arm_pd.yaml",
                                        "arm_digital.yaml",     "scara.yaml",           "satellite_codesign.yaml",
                                        "wheel_pendulum.yaml"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        CHECK_BELOW(worst_of(*state, names[k]), 1e-11, "%s", names[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(adjoint_is_transpose, context_setup, context_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
