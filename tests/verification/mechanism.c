#include "mechanism.h"

void mechanism_open(mechanism *m, const char *text, int n_set, const phx_model_override *set)
{
    phx_model *model = NULL;
    phx_status status = PHX_OK;

    memset(m, 0, sizeof *m);
    assert_int_equal(phx_context_create(&m->context), PHX_OK);
    if (strchr(text, '\n')) {
        status = phx_model_read_text(m->context, "test.yaml", text, strlen(text), n_set, set, &model);
    } else {
        char path[1000];
        snprintf(path, sizeof path, PHX_SOURCE_DIR "/examples/%s", text);
        status = phx_model_read(m->context, path, n_set, set, &model);
    }
    CHECK_OK(m->context, status);
    CHECK_OK(m->context, phx_model_build(m->context, model, NULL, &m->system));
    phx_model_destroy(model);
    CHECK_OK(m->context, phx_system_dae(m->system, m->context, &m->dae));
    m->x = calloc((size_t)m->dae->n_x, sizeof *m->x);
    m->v = calloc((size_t)m->dae->n_v, sizeof *m->v);
    m->lambda = calloc((size_t)m->dae->n_l + 1, sizeof *m->lambda);
    m->columns = calloc((size_t)phx_system_columns(m->system) + 1, sizeof *m->columns);
    assert_true(m->x && m->v && m->lambda && m->columns);
    mechanism_reset(m);
}

void mechanism_reset(mechanism *m)
{
    CHECK_OK(m->context, phx_system_start(m->system, NULL, m->x, m->v, m->lambda));
    m->t = 0.0;
}

void mechanism_close(mechanism *m)
{
    free(m->x);
    free(m->v);
    free(m->lambda);
    free(m->columns);
    phx_system_dae_destroy(m->dae);
    phx_system_destroy(m->system);
    phx_context_destroy(m->context);
}

/* Linear and angular momentum of everything about the origin (plane). */
static void momenta(const mechanism *m, const double *x, const double *v, double *sum)
{
    memset(sum, 0, 3 * sizeof *sum);
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        double linear[3], angular[3];
        int at_x = 0, at_v = 0;
        phx_system_offsets(m->system, b, &at_x, &at_v);
        phx_body_inertial_momentum(phx_system_body(m->system, b), x + at_x, v + at_v, linear, angular);
        sum[0] += linear[0];
        sum[1] += linear[1];
        sum[2] += angular[0];
    }
}

static phx_status look(void *user, const phx_sample *sample)
{
    mechanism *m = user;
    phx_energies e;
    double position = 0.0, velocity = 0.0, now[3];

    phx_system_energies(m->system, sample->x, sample->v, &e);
    const double energy = e.kinetic + e.elastic + e.potential;
    momenta(m, sample->x, sample->v, now);
    if (m->instants++ == 0) {
        m->energy0 = energy;
        memcpy(m->momentum, now, sizeof now);
    }
    m->dae->ops->drift(m->dae, sample->t, sample->x, sample->v, &position, &velocity);
    m->largest_kinetic = fmax(m->largest_kinetic, e.kinetic);
    m->largest_energy = fmax(m->largest_energy, fabs(energy));
    m->largest_residual =
        fmax(m->largest_residual, fabs(energy - m->energy0 - sample->work.supplied + sample->work.dissipated));
    m->largest_drift = fmax(m->largest_drift, position);
    m->largest_drift_rate = fmax(m->largest_drift_rate, velocity);
    for (int i = 0; i < 3; i++)
        m->momentum_change = fmax(m->momentum_change, fabs(now[i] - m->momentum[i]));
    if (m->look)
        m->look(m, sample->t, sample->x, sample->v);
    return PHX_OK;
}

void mechanism_run(mechanism *m, const phx_integrate_options *options)
{
    m->instants = 0;
    m->largest_kinetic = m->largest_energy = m->largest_residual = m->largest_drift = m->largest_drift_rate = 0.0;
    m->momentum_change = 0.0;
    CHECK_OK(m->context, phx_integrate(m->dae, options, &m->t, m->x, m->v, m->lambda, look, m, &m->stats));
}
