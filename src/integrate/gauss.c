/* Gauss' methods with 2 and 3 stages, orders 4 and 6.
 *
 *   x1 = x0 + h sum_i b_i T(X_i) V_i,   v1 = v0 + sum_i d_i z_i
 *
 * Quadratic invariants are kept to rounding: R^T R, the position constraints of joints, the energy of rigid bodies. The
 * velocities of the joints hold at the stages only; the projection of the dae puts v1 on G(x1) v1 = w(t1), which also
 * gives the order 2s. */
#include "stages.h"

#include <math.h>
#include <string.h>

/* Velocities of a pair of steps: stages, middle, stages. */
enum { NODES = 2 * PHX_STAGES + 1 };

typedef struct gauss {
    phx_method base;
    phx_stages stages;
    double *impulse; /* n_l: multipliers of the projection, which belong to no instant */
    /* pairs of steps: */
    double *x, *v;        /* n_x, n_v: between the two */
    double *bend;         /* n_v: the highest divided difference of the velocities, weighted */
    double weight[NODES]; /* of the velocities in it */
    double atol_size;     /* atol in the norm of the dae */
    double error;         /* of the last pair, in units of the tolerance */
    double stored;        /* end of the interval whose stages were stored last, s */
} gauss;

/* State at the end of the step from the stages: x and v by the formulas at the top, multipliers extrapolated by the
 * stage polynomial. Attitudes and velocities are not projected yet. */
static void end_of_step(const gauss *m, double h)
{
    const phx_stages *stages = &m->stages;
    const phx_tableau *tableau = &stages->tableau;
    const phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    memset(run->trial.x, 0, (size_t)dae->n_x * sizeof(double));
    memset(run->trial.v, 0, (size_t)dae->n_v * sizeof(double));
    memset(run->trial.lambda, 0, (size_t)dae->n_l * sizeof(double));
    double last[PHX_STAGES];
    phx_tableau_lagrange(tableau, 1.0, last);
    /* theory 6 (1): x1 = x0 + h sum b_i T(X_i) V_i */
    for (int i = 0; i < tableau->s; i++) {
        for (int k = 0; k < dae->n_x; k++)
            run->trial.x[k] += h * tableau->b[i] * stages->now.x_dot[i * dae->n_x + k];
        for (int k = 0; k < dae->n_v; k++)
            run->trial.v[k] += tableau->d[i] * stages->now.z[i * dae->n_v + k];
        for (int k = 0; k < dae->n_l; k++)
            run->trial.lambda[k] += last[i] * stages->now.lambda[i * dae->n_l + k];
    }
    for (int k = 0; k < dae->n_x; k++)
        run->trial.x[k] += run->x[k];
    for (int k = 0; k < dae->n_v; k++)
        run->trial.v[k] += run->v[k];
}

/* Attitudes are rotations up to rounding, which is taken away before it grows. Anything larger stays: changing it would
 * cost the invariants. */
static void remove_rounding(const gauss *m)
{
    static const double ROUNDING = 1e-13;
    const phx_run *run = m->base.run;
    int n_x = run->dae->n_x;
    double *x = m->stages.mean_x, change = 0.0;
    memcpy(x, run->trial.x, (size_t)n_x * sizeof *x);
    run->dae->ops->normalise(run->dae, x, true);
    for (int k = 0; k < n_x; k++)
        change = fmax(change, fabs(x[k] - run->trial.x[k]));
    if (change <= ROUNDING)
        memcpy(run->trial.x, x, (size_t)n_x * sizeof *x);
}

/* From (x, v) of the run; its work is added to work1. */
static phx_status gauss_advance(gauss *m, double t0, double t1, double h, bool last_chance)
{
    phx_run *run = m->base.run;
    phx_work step_work = {0}, projection_work = {0};
    phx_status status = phx_stages_solve(&m->stages, t0, h);
    if (status == PHX_OK)
        status = phx_stages_work(&m->stages, t0, h, &step_work);
    if (status != PHX_OK)
        return status;
    end_of_step(m, h);
    run->dae->ops->count(run->dae, run->trial.x);
    remove_rounding(m);
    status = run->dae->ops->project(run->dae, t1, h, false, !last_chance, run->trial.x, run->trial.v, m->impulse,
                                    &projection_work);
    if (status == PHX_REJECTED)
        return phx_run_blame(run, status, h, "putting the velocities on the joints takes too much energy", NULL);
    if (status != PHX_OK)
        return status;
    run->stats->projections++;
    run->trial.work.supplied += step_work.supplied + projection_work.supplied;
    run->trial.work.dissipated += step_work.dissipated + projection_work.dissipated;
    phx_run_book(run, 1.0); /* of the projection */
    return PHX_OK;
}

static phx_status gauss_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    gauss *m = (gauss *)method;
    phx_run_clear_work(method->run);
    phx_status status = gauss_advance(m, t0, t1, h, last_chance);
    if (status == PHX_OK)
        phx_stages_keep(&m->stages, h);
    return status;
}

/* ---- pairs of steps ---- */
static void add_node(gauss *m, int node, const double *v)
{
    for (int k = 0; k < m->base.run->dae->n_v; k++)
        m->bend[k] += m->weight[node] * v[k];
}

/* One of the two; its stages are the nodes from `first` on. */
static phx_status half(gauss *m, double t0, double t1, double h, bool last_chance, int first)
{
    const int n_v = m->base.run->dae->n_v;
    phx_status status = gauss_advance(m, t0, t1, h, last_chance);
    if (status != PHX_OK)
        return status;
    for (int i = 0; i < m->stages.tableau.s; i++)
        add_node(m, first + i, m->stages.v + i * n_v);
    phx_stages_keep(&m->stages, h);
    m->stored = t1;
    return PHX_OK;
}

/* Two equal steps, and the highest divided difference of the velocities at their stages and between them, which is the
 * same from either end. */
static phx_status pair_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    gauss *m = (gauss *)method;
    phx_run *run = method->run;
    const phx_dae *dae = run->dae;
    const int s = m->stages.tableau.s;
    double *const x0 = run->x, *const v0 = run->v;
    const double middle = t0 + 0.5 * h;
    phx_run_clear_work(run);
    if (m->stored > t0) /* stages of a rejected trial */
        m->stages.h_before = 0.0;
    memset(m->bend, 0, (size_t)dae->n_v * sizeof *m->bend);
    phx_status status = half(m, t0, middle, 0.5 * h, last_chance, 0);
    if (status != PHX_OK)
        return status;
    memcpy(m->x, run->trial.x, (size_t)dae->n_x * sizeof *m->x);
    memcpy(m->v, run->trial.v, (size_t)dae->n_v * sizeof *m->v);
    add_node(m, s, m->v);
    run->x = m->x;
    run->v = m->v;
    status = half(m, middle, t1, 0.5 * h, last_chance, s + 1);
    run->x = x0;
    run->v = v0;
    const double size = 0.5 * (dae->ops->norm(run->dae, v0) + dae->ops->norm(run->dae, run->trial.v));
    m->error = dae->ops->norm(run->dae, m->bend) / (run->options.rtol * size + m->atol_size);
    return status;
}

static double pair_estimate(const phx_method *method)
{
    return ((const gauss *)method)->error;
}

/* bend = (c_s/c_1) h^2s v^(2s) for steps of size h, where c_s h^2s x^(2s+1) is the error of x per unit of time:
 *
 *     c_s = (s!)^4 / ((2s + 1) ((2s)!)^3),   c_1 = 1/24,   h^2s v^(2s) = (2s)! h^2s v[t_0, ..., t_2s]  */
static void set_weights(gauss *m)
{
    const phx_tableau *tableau = &m->stages.tableau;
    const int s = tableau->s;
    double t[NODES], one = 1.0, two = 1.0; /* in units of h; s!, (2s)! */
    for (int i = 0; i < s; i++) {
        t[i] = tableau->c[i];
        t[s + 1 + i] = 1.0 + tableau->c[i];
    }
    t[s] = 1.0;
    for (int k = 2; k <= 2 * s; k++) {
        one *= k <= s ? k : 1;
        two *= k;
    }
    for (int i = 0; i <= 2 * s; i++) {
        m->weight[i] = 24.0 * pow(one, 4.0) / ((2 * s + 1) * two * two);
        for (int j = 0; j <= 2 * s; j++)
            m->weight[i] /= j == i ? 1.0 : t[i] - t[j];
    }
}

static void gauss_destroy(phx_method *method)
{
    gauss *m = (gauss *)method;
    phx_stages_release(&m->stages);
    phx_free(m->impulse);
    phx_free(m->x);
    phx_free(m->v);
    phx_free(m->bend);
    phx_free(m);
}

static void gauss_forget(phx_method *method)
{
    gauss *m = (gauss *)method;
    phx_stages_forget(&m->stages);
    memset(m->impulse, 0, (size_t)method->run->dae->n_l * sizeof *m->impulse);
}

static const phx_method_ops gauss_ops = {.destroy = gauss_destroy, .step = gauss_step, .forget = gauss_forget};
static const phx_method_ops pair_ops = {
    .destroy = gauss_destroy, .step = pair_step, .estimate = pair_estimate, .forget = gauss_forget};

static phx_status gauss_allocate(gauss *m)
{
    phx_run *run = m->base.run;
    m->impulse = phx_calloc(run->context, (size_t)run->dae->n_l, sizeof *m->impulse);
    m->x = phx_calloc(run->context, (size_t)run->dae->n_x, sizeof *m->x);
    m->v = phx_calloc(run->context, (size_t)run->dae->n_v, sizeof *m->v);
    m->bend = phx_calloc(run->context, (size_t)run->dae->n_v, sizeof *m->bend);
    return m->impulse && m->x && m->v && m->bend ? PHX_OK : PHX_ERR_MEMORY;
}

/* Creates a Gauss method of the order that the options name; with rtol > 0 it is wrapped by the reversible choice of
 * steps. */
static phx_status create_gauss(phx_run *run, phx_method **method)
{
    const bool adaptive = run->options.rtol > 0.0;
    const int stages = phx_integrator_get(run->options.integrator)->order / 2;
    phx_tableau tableau;
    phx_tableau_gauss(stages, &tableau);
    gauss *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    m->base = (phx_method){.ops = adaptive ? &pair_ops : &gauss_ops, .run = run};
    phx_status status = gauss_allocate(m);
    if (status == PHX_OK)
        status = phx_stages_create(run, &tableau, &m->stages);
    if (status != PHX_OK) {
        gauss_destroy(&m->base);
        return status;
    }
    *method = &m->base;
    if (!adaptive)
        return PHX_OK;
    set_weights(m);
    m->stored = run->t;
    m->atol_size = phx_run_atol_size(run, m->bend);
    return phx_reversible_create(run, &m->base, 2 * stages, method);
}

/* Products of two directions of sections that deform are of a higher degree than the stages integrate. */
const phx_method_kind phx_method_gauss4 = {.traits.name = "gauss4",
                                           .traits.order = 4,
                                           .traits.work = 4.5,
                                           .traits.candidate = true,
                                           .traits.chooses = true,
                                           .traits.energy = PHX_KEEPS_RIGID,
                                           .traits.joints = PHX_KEEPS_RIGID,
                                           .create = create_gauss};

const phx_method_kind phx_method_gauss6 = {.traits.name = "gauss6",
                                           .traits.order = 6,
                                           .traits.work = 7.0,
                                           .traits.candidate = true,
                                           .traits.chooses = true,
                                           .traits.energy = PHX_KEEPS_RIGID,
                                           .traits.joints = PHX_KEEPS_RIGID,
                                           .create = create_gauss};
