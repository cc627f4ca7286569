/* Gauss' methods with 2 and 3 stages, orders 4 and 6.
 *
 *   x1 = x0 + h sum_i b_i T(X_i) V_i,   v1 = v0 + sum_i d_i z_i
 *
 * Quadratic invariants are kept to rounding: R^T R, the gaps of joints, the energy of rigid bodies. The velocities of
 * the joints hold at the stages only; the projection of the dae puts v1 on G(x1) v1 = w(t1), which also gives the order
 * 2s. */
#include "stages.h"

#include <math.h>
#include <string.h>

typedef struct gauss {
    phx_method base;
    phx_stages stages;
    double *impulse; /* n_l: multipliers of the projection, which belong to no instant */
} gauss;

static void end_of_step(const gauss *m, double h)
{
    const phx_stages *stages = &m->stages;
    const phx_tableau *tableau = &stages->tableau;
    const phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    memset(run->x1, 0, (size_t)dae->n_x * sizeof(double));
    memset(run->v1, 0, (size_t)dae->n_v * sizeof(double));
    memset(run->lambda1, 0, (size_t)dae->n_l * sizeof(double));
    double last[PHX_STAGES];
    phx_tableau_lagrange(tableau, 1.0, last);
    for (int i = 0; i < tableau->s; i++) {
        for (int k = 0; k < dae->n_x; k++)
            run->x1[k] += h * tableau->b[i] * stages->now.x_dot[i * dae->n_x + k];
        for (int k = 0; k < dae->n_v; k++)
            run->v1[k] += tableau->d[i] * stages->now.z[i * dae->n_v + k];
        for (int k = 0; k < dae->n_l; k++)
            run->lambda1[k] += last[i] * stages->now.lambda[i * dae->n_l + k];
    }
    for (int k = 0; k < dae->n_x; k++)
        run->x1[k] += run->x[k];
    for (int k = 0; k < dae->n_v; k++)
        run->v1[k] += run->v[k];
}

/* Attitudes are rotations up to rounding, which is taken away before it grows. Anything larger stays: changing it would
 * cost the invariants. */
static void remove_rounding(const gauss *m)
{
    static const double ROUNDING = 1e-13;
    const phx_run *run = m->base.run;
    int n_x = run->dae->n_x;
    double *x = m->stages.mean_x, change = 0.0;
    memcpy(x, run->x1, (size_t)n_x * sizeof *x);
    run->dae->ops->normalise(run->dae, x);
    for (int k = 0; k < n_x; k++)
        change = fmax(change, fabs(x[k] - run->x1[k]));
    if (change <= ROUNDING)
        memcpy(run->x1, x, (size_t)n_x * sizeof *x);
}

static phx_status gauss_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    gauss *m = (gauss *)method;
    phx_run *run = method->run;
    phx_work step_work = {0}, projection_work = {0};
    phx_status status = phx_stages_solve(&m->stages, t0, h);
    if (status == PHX_OK)
        status = phx_stages_work(&m->stages, t0, h, &step_work);
    if (status != PHX_OK)
        return status;
    end_of_step(m, h);
    remove_rounding(m);
    status =
        run->dae->ops->project(run->dae, t1, h, false, !last_chance, run->x1, run->v1, m->impulse, &projection_work);
    if (status == PHX_REJECTED)
        return phx_run_blame(run, status, h, "putting the velocities on the joints takes too much energy", NULL);
    if (status != PHX_OK)
        return status;
    run->stats->projections++;
    run->work1.supplied = step_work.supplied + projection_work.supplied;
    run->work1.dissipated = step_work.dissipated + projection_work.dissipated;
    phx_stages_keep(&m->stages, h);
    return PHX_OK;
}

static void gauss_destroy(phx_method *method)
{
    gauss *m = (gauss *)method;
    phx_stages_release(&m->stages);
    phx_free(m->impulse);
    phx_free(m);
}

static const phx_method_ops gauss_ops = {.destroy = gauss_destroy, .step = gauss_step};

phx_status phx_gauss_create(phx_run *run, phx_method **method)
{
    phx_tableau tableau;
    phx_tableau_gauss(run->options.integrator == PHX_GAUSS4 ? 2 : 3, &tableau);
    gauss *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    m->base = (phx_method){.ops = &gauss_ops, .run = run};
    m->impulse = phx_calloc(run->context, (size_t)run->dae->n_l, sizeof *m->impulse);
    phx_status status = m->impulse ? phx_stages_create(run, &tableau, &m->stages) : PHX_ERR_MEMORY;
    if (status != PHX_OK) {
        gauss_destroy(&m->base);
        return status;
    }
    *method = &m->base;
    return PHX_OK;
}
