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

/* Linear and angular momentum of everything about the origin. */
static void momenta(const mechanism *m, const double *x, const double *v, double *sum)
{
    const int dim = phx_system_dim(m->system), n_rot = dim == 2 ? 1 : 3;
    memset(sum, 0, 6 * sizeof *sum);
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        double linear[3], angular[3];
        int at_x = 0, at_v = 0;
        phx_system_offsets(m->system, b, &at_x, &at_v);
        phx_body_inertial_momentum(phx_system_body(m->system, b), x + at_x, v + at_v, linear, angular);
        for (int a = 0; a < dim; a++)
            sum[a] += linear[a];
        for (int k = 0; k < n_rot; k++)
            sum[dim + k] += angular[k];
    }
}

/* Largest entry of R^T R - I */
static double skewness(const mechanism *m, const double *x)
{
    const int dim = phx_system_dim(m->system);
    double largest = 0.0;
    for (int b = 0; b < phx_system_bodies(m->system); b++) {
        double R[9];
        int at_x = 0, at_v = 0;
        phx_system_offsets(m->system, b, &at_x, &at_v);
        phx_attitude_rotation(dim, x + at_x + dim, R);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                double sum = i == j ? -1.0 : 0.0;
                for (int k = 0; k < dim; k++)
                    sum += R[k * dim + i] * R[k * dim + j];
                largest = fmax(largest, fabs(sum));
            }
    }
    return largest;
}

static phx_status look(void *user, const phx_sample *sample)
{
    mechanism *m = user;
    phx_energies e;
    double position = 0.0, velocity = 0.0, now[6];

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
    for (int i = 0; i < 6; i++)
        m->momentum_change = fmax(m->momentum_change, fabs(now[i] - m->momentum[i]));
    m->largest_skewness = fmax(m->largest_skewness, skewness(m, sample->x));
    if (m->look)
        m->look(m, sample->t, sample->x, sample->v);
    return PHX_OK;
}

void mechanism_run(mechanism *m, const phx_integrate_options *options)
{
    m->instants = 0;
    m->largest_kinetic = m->largest_energy = m->largest_residual = m->largest_drift = m->largest_drift_rate = 0.0;
    m->momentum_change = m->largest_skewness = 0.0;
    CHECK_OK(m->context, phx_integrate(m->dae, options, &m->t, m->x, m->v, m->lambda, look, m, &m->stats));
}

double *mechanism_final_state(mechanism *m, const phx_integrate_options *options)
{
    mechanism_reset(m);
    mechanism_run(m, options);
    double *all = calloc((size_t)(m->dae->n_x + m->dae->n_v), sizeof *all);
    assert_non_null(all);
    memcpy(all, m->x, (size_t)m->dae->n_x * sizeof *all);
    memcpy(all + m->dae->n_x, m->v, (size_t)m->dae->n_v * sizeof *all);
    return all;
}

double mechanism_distance(const double *a, const double *b, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static double *with_steps(mechanism *m, phx_integrator integrator, double end, int n, double rtol)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = integrator;
    options.end = options.every = end;
    options.step = end / n;
    options.rtol = options.atol = rtol;
    return mechanism_final_state(m, &options);
}

/* The order that the Euclidean distances from the exact state show when the step is halved. */
static double order_of(const double *coarse, const double *fine, const double *exact, int n)
{
    double far = 0.0, near = 0.0;
    for (int i = 0; i < n; i++) {
        far += (coarse[i] - exact[i]) * (coarse[i] - exact[i]);
        near += (fine[i] - exact[i]) * (fine[i] - exact[i]);
    }
    return 0.5 * log2(far / near);
}

void mechanism_check_orders(mechanism *m, double end, int steps, double tolerance)
{
    static const double orders[] = {2.0, 4.0, 4.0, 6.0, 5.0}; /* midpoint to radau5 */
    const int nx = m->dae->n_x, nv = m->dae->n_v;
    double *exact = with_steps(m, PHX_GAUSS6, end, 8 * steps, 0.0);
    for (phx_integrator method = PHX_MIDPOINT; method <= PHX_RADAU5; method++) {
        const char *name = phx_integrator_name(method);
        const int n = method == PHX_MIDPOINT ? 10 * steps : steps;
        double *coarse = with_steps(m, method, end, n, 0.0), *fine = with_steps(m, method, end, 2 * n, 0.0);
        const double places = order_of(coarse, fine, exact, nx);
        const double rates = order_of(coarse + nx, fine + nx, exact + nx, nv);
        print_message("%-9s order %.3f in places, %.3f in velocities\n", name, places, rates);
        CHECK_CLOSE(places, orders[method], tolerance, "order of %s in places", name);
        CHECK_CLOSE(rates, orders[method], tolerance, "order of %s in velocities", name);
        free(coarse);
        free(fine);
    }
    for (phx_integrator method = PHX_RADAU5; method <= PHX_IDA; method++) {
        const char *name = phx_integrator_name(method);
        double *adaptive = with_steps(m, method, end, steps, 1e-9);
        CHECK_SMALL(mechanism_distance(adaptive, exact, nx), 1e-7, "places of %s at 1e-9", name);
        CHECK_SMALL(mechanism_distance(adaptive + nx, exact + nx, nv), 1e-5, "velocities of %s at 1e-9", name);
        free(adaptive);
    }
    free(exact);
}

void append_text(char *text, size_t size, const char *format, ...)
{
    const size_t at = strlen(text);
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text + at, size - at, format, list);
    va_end(list);
    assert_true(n > 0 && at + (size_t)n < size);
}
