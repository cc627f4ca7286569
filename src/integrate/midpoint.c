/* The midpoint rule built on averages, and its composition of order 4.
 *
 *   (p1 - p0)/h = forces(mean) + G_mean^T lambda,   G_mean v_mean = w_mean,   v_mean = (v0 + v1)/2
 *
 * solved for v1 and lambda to rounding, because the remaining residual is an error of the energy; then v1 is projected
 * onto G(x1) v1 = w(t1) by the energy-neutral projection of the dae. */
#include "history.h"
#include "newton.h"
#include "jacobian_reuse.h"

#include <math.h>
#include <string.h>

enum { FORWARD_SLOT, BACKWARD_SLOT, SLOTS };
enum { FORGIVEN = 3, MOST_REACTIONS = 40 };
static const double MATRIX_COST = 3.0; /* where the dae does not say */
/* After a correction below this, relative, two digits of the next one are enough: its error is rounding. */
static const double LOOSE_TOLERANCE = 1e-8;
/* Corrections above this, relative to velocities and forces, are never taken for rounding. */
static const double ROUNDING_LIMIT = 1e-12;

typedef struct midpoint {
    phx_method base;
    double *res, *delta;             /* n_v + n_l: residual, correction of (v_mean, lambda) */
    double *x, *v;                   /* n_x, n_v: start of an interval inside a composition */
    double *back;                    /* n_v */
    phx_jacobian jacobian[SLOTS];    /* A(2/h), one for each size of interval in a composition */
    phx_history history;             /* of the intervals solved last */
    phx_jacobian_reuse reuse[SLOTS]; /* when a new Jacobian is made */
    double atol_size;                /* atol in the norm of the dae; adaptive steps only */
    double error;                    /* of the last pair, in units of the tolerance */
    double forces; /* scale of the velocities by the forces at the start, with a fixed number of corrections; negative:
                      not known yet */
} midpoint;

/* One interval [t0, t0 + h] from (x0, v0), with the factorisation that belongs to its size. */
typedef struct interval {
    double t0, h;
    int slot;
    const double *x0, *v0;
} interval;

/* Computes and factors a new Newton matrix A(2/h), theory 4 (25), for the interval. PHX_SINGULAR comes with the
 * equation that is to blame. */
static phx_status refresh(midpoint *m, const interval *span)
{
    phx_run *run = m->base.run;
    phx_jacobian *jacobian = &m->jacobian[span->slot];
    jacobian->valid = false;
    phx_status status = run->dae->ops->interval_linearise(run->dae);
    if (status != PHX_OK)
        return status;
    run->stats->linearisations++;
    status = run->dae->ops->factor(run->dae, span->slot, 2.0 / span->h);
    if (status != PHX_OK)
        return status == PHX_SINGULAR ? phx_run_blame(run, status, span->h, "the Newton matrix is singular", m->res)
                                      : status;
    run->stats->factorisations++;
    phx_jacobian_reuse_made(&m->reuse[span->slot], run->dae->partly_new);
    *jacobian = (phx_jacobian){.h = span->h, .valid = true, .recent = true};
    return PHX_OK;
}

/* A(2/h) (dv_mean, dlambda) = -res, theory 4 (25); size: |dv1| = 2 |dv_mean|. */
static phx_status solve_correction(midpoint *m, const interval *span, const phx_newton *newton, double *size)
{
    phx_run *run = m->base.run;
    int n = run->dae->n_v + run->dae->n_l;
    for (int i = 0; i < n; i++)
        m->delta[i] = -m->res[i];
    run->dae->loose = newton->previous >= 0.0 && newton->previous <= LOOSE_TOLERANCE * newton->scale;
    phx_status status = run->dae->ops->solve(run->dae, span->slot, m->delta);
    run->dae->loose = false;
    run->stats->newton_iterations++;
    *size = 2.0 * run->dae->ops->norm(run->dae, m->delta);
    return status;
}

static void midpoint_apply(const midpoint *m)
{
    const phx_run *run = m->base.run;
    int n_v = run->dae->n_v;
    for (int i = 0; i < n_v; i++)
        run->trial.v[i] += 2.0 * m->delta[i];
    for (int i = 0; i < run->dae->n_l; i++)
        run->trial.lambda[i] += m->delta[n_v + i];
}

/* The scale of the velocities with what the forces give during the step: at rest in equilibrium nothing else tells how
 * small rounding is. They are those at its start: with v1 = -v0 nothing moves. */
static phx_status widen_scale(midpoint *m, const interval *span, phx_newton *newton)
{
    phx_run *run = m->base.run;
    phx_dae *dae = run->dae;
    double *no_lambda = m->delta, *back = m->back;
    memset(no_lambda, 0, (size_t)dae->n_l * sizeof *no_lambda);
    for (int i = 0; i < dae->n_v; i++)
        back[i] = -span->v0[i];
    phx_status status = dae->ops->interval_residual(dae, back, no_lambda, run->trial.x, m->res);
    if (status == PHX_OK)
        phx_newton_widen(newton,
                         fmax(phx_run_force_scale(run, span->h, m->res), phx_run_place_scale(run, span->h, span->x0)));
    return status;
}

/* The corrections do not shrink: look whether they are rounding, then start again with a fresh Jacobian, then give up.
 */
static phx_status rescue(midpoint *m, const interval *span, phx_newton *newton)
{
    phx_run *run = m->base.run;
    if (!newton->widened)
        return widen_scale(m, span, newton);
    if (newton->rescued && !newton->balanced)
        return phx_newton_balance(newton, phx_run_balance_scale(run, span->h, span->x0));
    if (newton->rescued)
        return phx_run_blame(run, PHX_NOT_CONVERGED, span->h, "Newton's iteration does not converge", m->res);
    newton->rescued = true;
    newton->previous = -1.0;
    newton->rate = newton->smallest = 0.0;
    memcpy(run->trial.v, span->v0, (size_t)run->dae->n_v * sizeof *run->trial.v);
    m->jacobian[span->slot].valid = false;
    return PHX_OK;
}

/* Whether the correction changes the multipliers by more than rounding. */
static bool multipliers_change(const midpoint *m)
{
    const phx_run *run = m->base.run;
    double largest = 0.0, change = 0.0;
    for (int i = 0; i < run->dae->n_l; i++) {
        largest = fmax(largest, fabs(run->trial.lambda[i]));
        change = fmax(change, fabs(m->delta[run->dae->n_v + i]));
    }
    return change > ROUNDING_LIMIT * largest;
}

/* One correction from the present residual, judged and applied. */
static phx_status midpoint_iterate(midpoint *m, const interval *span, phx_newton *newton, phx_newton_verdict *verdict)
{
    phx_jacobian *jacobian = &m->jacobian[span->slot];
    phx_jacobian_reuse *reuse = &m->reuse[span->slot];
    double size;
    const bool first = newton->previous < 0.0;
    const bool keep = phx_jacobian_fits(jacobian, span->h) && !phx_jacobian_reuse_is_due(reuse);
    phx_status status = keep ? PHX_OK : refresh(m, span);
    if (status == PHX_OK)
        status = solve_correction(m, span, newton, &size);
    if (status != PHX_OK)
        return status;
    *verdict = phx_newton_judge(newton, size, jacobian->recent);
    /* Velocities that drives decide may be right before the multipliers are, which one correction from the prediction
     * leaves off: the energy of a drive needs both. */
    const bool off = first && (m->base.run->dae->drives || !jacobian->recent) && multipliers_change(m);
    if (off && *verdict == PHX_NEWTON_LAST)
        *verdict = PHX_NEWTON_GOES_ON;
    if (phx_jacobian_reuse_count(reuse, size) && *verdict == PHX_NEWTON_GOES_ON && !(off && m->base.run->dae->drives))
        *verdict = PHX_NEWTON_LAST;
    if (*verdict == PHX_NEWTON_FAILS)
        return rescue(m, span, newton);
    if (*verdict != PHX_NEWTON_ROUNDING)
        midpoint_apply(m);
    if (*verdict == PHX_NEWTON_SLOW)
        jacobian->valid = false;
    return PHX_OK;
}

/* Solves the interval's equations for the end velocities and multipliers by Newton's iteration down to round-off
 * theory 4 (2) and (3); the result is in run->trial. PHX_NOT_CONVERGED if it takes too many corrections. */
static phx_status midpoint_solve(midpoint *m, const interval *span)
{
    phx_run *run = m->base.run;
    phx_dae *dae = run->dae;
    double scale = phx_run_scale(run, span->v0);
    phx_newton newton = phx_newton_to_rounding(run, scale);
    newton.forgiven = FORGIVEN;
    newton.remembers = true;
    newton.patience = phx_jacobian_reuse_patience(&m->reuse[span->slot], newton.patience);
    phx_newton_verdict verdict = PHX_NEWTON_GOES_ON;
    m->jacobian[span->slot].recent = false;
    phx_jacobian_reuse_begin(&m->reuse[span->slot]);
    for (int k = 0; k <= PHX_NEWTON_LIMIT; k++) {
        const bool stops = verdict == PHX_NEWTON_LAST || verdict == PHX_NEWTON_ROUNDING;
        const bool done =
            stops && (newton.scale == scale || phx_newton_confirm(&newton, dae->ops->norm(dae, run->trial.v)));
        phx_status status =
            dae->ops->interval_residual(dae, run->trial.v, run->trial.lambda, run->trial.x, done ? NULL : m->res);
        if (status != PHX_OK)
            return status;
        if (done) {
            phx_jacobian_reuse_learn(&m->reuse[span->slot], 2.0 * newton.left * newton.scale, newton.rounded,
                                     newton.scale);
            run->sizes.noise = newton.noise;
            run->sizes.forced = newton.forces;
            return PHX_OK;
        }
        status = midpoint_iterate(m, span, &newton, &verdict);
        if (status != PHX_OK)
            return status;
    }
    return phx_run_blame(run, PHX_NOT_CONVERGED, span->h, "Newton's iteration converges too slowly", m->res);
}

/* ---- a fixed number of corrections ---- */
/* The energy of the residual r = (r_v, r_l) that is left: the balance of the interval is, with theory 4 (19),
 *     E1 - E0 = supplied - dissipated + h (v_mean . r_v + lambda . r_l) .                                            */
static double energy_left(const midpoint *m, const interval *span)
{
    const phx_run *run = m->base.run;
    const int n_v = run->dae->n_v;
    double power = 0.0;
    for (int i = 0; i < n_v; i++)
        power += 0.5 * (span->v0[i] + run->trial.v[i]) * m->res[i];
    for (int i = 0; i < run->dae->n_l; i++)
        power += run->trial.lambda[i] * m->res[n_v + i];
    return span->h * power;
}

/* The rest after the last correction: the size of the one that would follow, and the energy of the residual. */
static phx_status measure_left(midpoint *m, const interval *span, const phx_newton *newton)
{
    phx_run *run = m->base.run;
    phx_integrate_stats *stats = run->stats;
    const double energy = fabs(energy_left(m, span)), found = run->dae->ops->norm(run->dae, run->trial.v);
    const double scale = fmax(newton->scale, found), noise_scale = fmax(m->forces, scale);
    double size;
    const phx_status status = solve_correction(m, span, newton, &size);
    if (status != PHX_OK)
        return status;
    stats->newton_iterations--; /* it is not applied */
    if (!isfinite(size) || !isfinite(energy))
        return phx_run_blame(run, PHX_NOT_CONVERGED, span->h, "a Newton correction is not a finite number", m->res);
    if (size > fmax(ROUNDING_LIMIT, run->options.newton_tolerance) * noise_scale)
        stats->unsettled++;
    if (noise_scale > 0.0)
        stats->correction_left = fmax(stats->correction_left, size / noise_scale);
    stats->energy_left += energy;
    return PHX_OK;
}

/* The same work in each interval: one Jacobian, at the prediction, and options.iterations corrections by it. */
static phx_status solve_counted(midpoint *m, const interval *span)
{
    phx_run *run = m->base.run;
    const phx_dae_ops *ops = run->dae->ops;
    phx_jacobian_reuse *reuse = &m->reuse[span->slot];
    phx_newton newton = phx_newton_to_rounding(run, phx_run_scale(run, span->v0));
    phx_status status = m->forces < 0.0 ? widen_scale(m, span, &newton) : PHX_OK;
    m->forces = fmax(m->forces, newton.forces);
    phx_jacobian_reuse_begin(reuse);
    for (int k = 0; k <= run->options.iterations && status == PHX_OK; k++) {
        double size;
        status = ops->interval_residual(run->dae, run->trial.v, run->trial.lambda, run->trial.x, m->res);
        if (status == PHX_OK && k == 0)
            status = refresh(m, span);
        if (status != PHX_OK || k == run->options.iterations)
            break;
        status = solve_correction(m, span, &newton, &size);
        if (status == PHX_OK) {
            phx_jacobian_reuse_count(reuse, size);
            midpoint_apply(m);
        }
    }
    if (status == PHX_OK)
        status = measure_left(m, span, &newton);
    return status == PHX_OK ? ops->interval_residual(run->dae, run->trial.v, run->trial.lambda, run->trial.x, NULL)
                            : status;
}

static bool reactions_change(const phx_run *run)
{
    const phx_dae_ops *ops = run->dae->ops;
    return ops->interval_reactions && ops->interval_reactions(run->dae, run->trial.lambda);
}

/* From (x0, v0) to (x1, v1, lambda1) of the run; its work is added to work1. */
static phx_status advance_interval(midpoint *m, const interval *span)
{
    phx_run *run = m->base.run;
    phx_dae *dae = run->dae;
    phx_work work = {0};
    phx_status status = dae->ops->interval_begin(dae, span->t0, span->h, span->x0, span->v0);
    if (status != PHX_OK)
        return status;
    const double middle = span->t0 + 0.5 * span->h;
    phx_history_predict(&m->history, dae, middle, span->h, span->v0, run->trial.v, run->trial.lambda);
    status = run->options.iterations > 0 ? solve_counted(m, span) : midpoint_solve(m, span);
    for (int k = 0; status == PHX_OK && reactions_change(run); k++)
        status =
            k < MOST_REACTIONS
                ? midpoint_solve(m, span)
                : phx_run_blame(run, PHX_NOT_CONVERGED, span->h,
                                "friction and the reactions that it follows do not settle: the mechanism jams", NULL);
    if (status == PHX_OK)
        status = dae->ops->interval_work(dae, &work);
    if (status != PHX_OK)
        return status;
    phx_history_keep(&m->history, dae, middle, span->h, span->v0, run->trial.v, run->trial.lambda,
                     m->reuse[span->slot].size[0]);
    if (dae->ops->interval_finish)
        status = dae->ops->interval_finish(dae, run->trial.v, &work);
    if (status != PHX_OK)
        return status;
    run->trial.work.supplied += work.supplied;
    run->trial.work.dissipated += work.dissipated;
    phx_run_book(run, 1.0);
    return PHX_OK;
}

/* Project the velocities at the end of the step onto the joints; h: size of the last interval, to which the multipliers
 * belong. */
static phx_status midpoint_project(midpoint *m, double t1, double h, bool last_chance)
{
    phx_run *run = m->base.run;
    phx_work work = {0};
    phx_status status = run->dae->ops->project(run->dae, t1, h, true, !last_chance, run->trial.x, run->trial.v,
                                               run->trial.lambda, &work);
    if (status == PHX_REJECTED)
        return phx_run_blame(run, status, h, "putting the velocities on the joints takes too much energy", NULL);
    if (status != PHX_OK)
        return status;
    run->stats->projections++;
    run->trial.work.supplied += work.supplied;
    run->trial.work.dissipated += work.dissipated;
    phx_run_book(run, 1.0);
    return PHX_OK;
}

/* A trial from t0: forget the intervals of a rejected trial. */
static void begin_try(midpoint *m, double t0)
{
    phx_run_clear_work(m->base.run);
    phx_history_rewind(&m->history, t0);
}

static phx_status midpoint_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    midpoint *m = (midpoint *)method;
    phx_run *run = method->run;
    begin_try(m, t0);
    interval span = {.t0 = t0, .h = h, .slot = FORWARD_SLOT, .x0 = run->x, .v0 = run->v};
    phx_status status = advance_interval(m, &span);
    return status == PHX_OK ? midpoint_project(m, t1, h, last_chance) : status;
}

/* Suzuki's composition in each half of the step, theory 4 (21), g = 1/(4 - 4^(1/3)), k = h/2:
 *
 *     S(gk) S(gk) S((1-4g)k) S(gk) S(gk)  S(gk) S(gk) S((1-4g)k) S(gk) S(gk),   one projection at the end.
 *
 * The intervals in the middle of each half go backwards. An interval reverses the sign of the constraint error
 * e = G v - w, e1 = -e0 + c h^2. An odd number of intervals ends with e of order h^2; a projection of that size is not
 * symmetric, which reduces the order to 3. An even number in a palindrome ends with e of order h^3. */
static phx_status composed_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    midpoint *m = (midpoint *)method;
    phx_run *run = method->run;
    size_t bytes_x = (size_t)run->dae->n_x * sizeof(double), bytes_v = (size_t)run->dae->n_v * sizeof(double);
    const double g = 1.0 / (4.0 - cbrt(4.0)), half = 0.5 * h;
    const double at[] = {0.0, g, 2.0 * g, 1.0 - 2.0 * g, 1.0 - g};
    begin_try(m, t0);
    memcpy(m->x, run->x, bytes_x);
    memcpy(m->v, run->v, bytes_v);
    for (int k = 0; k < 10; k++) {
        bool backwards = k % 5 == 2;
        interval span = {.t0 = t0 + (at[k % 5] + (k < 5 ? 0.0 : 1.0)) * half,
                         .h = (backwards ? 1.0 - 4.0 * g : g) * half,
                         .slot = backwards ? BACKWARD_SLOT : FORWARD_SLOT,
                         .x0 = m->x,
                         .v0 = m->v};
        phx_status status = advance_interval(m, &span);
        if (status != PHX_OK)
            return status;
        memcpy(m->x, run->trial.x, bytes_x);
        memcpy(m->v, run->trial.v, bytes_v);
    }
    return midpoint_project(m, t1, g * half, last_chance);
}

/* |v1 - 2 v_half + v0| / (rtol (|v0| + |v1|)/2 + atol |1|), the same from either end. For intervals of size k = h/2 the
 * second difference is k^2 v'', and k^2 v''/24 is what their x misses in a unit of time. */
static double pair_error(midpoint *m)
{
    const phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    double *bend = m->delta;
    for (int i = 0; i < dae->n_v; i++)
        bend[i] = run->trial.v[i] - 2.0 * m->v[i] + run->v[i];
    const double size = 0.5 * (dae->ops->norm(run->dae, run->v) + dae->ops->norm(run->dae, run->trial.v));
    return dae->ops->norm(run->dae, bend) / (run->options.rtol * size + m->atol_size);
}

/* Two equal intervals and one projection. Of the three the projection alone is not symmetric; after an even number of
 * intervals it is of order h^3 (see composed_step). */
static phx_status pair_step(phx_method *method, double t0, double t1, double h, bool last_chance)
{
    midpoint *m = (midpoint *)method;
    phx_run *run = method->run;
    interval span = {.t0 = t0, .h = 0.5 * h, .slot = FORWARD_SLOT, .x0 = run->x, .v0 = run->v};
    begin_try(m, t0);
    phx_status status = advance_interval(m, &span);
    if (status != PHX_OK)
        return status;
    memcpy(m->x, run->trial.x, (size_t)run->dae->n_x * sizeof *m->x);
    memcpy(m->v, run->trial.v, (size_t)run->dae->n_v * sizeof *m->v);
    span = (interval){.t0 = t0 + 0.5 * h, .h = 0.5 * h, .slot = FORWARD_SLOT, .x0 = m->x, .v0 = m->v};
    status = advance_interval(m, &span);
    if (status != PHX_OK)
        return status;
    m->error = pair_error(m);
    return midpoint_project(m, t1, 0.5 * h, last_chance);
}

static double pair_estimate(const phx_method *method)
{
    return ((const midpoint *)method)->error;
}

static void midpoint_destroy(phx_method *method)
{
    midpoint *m = (midpoint *)method;
    phx_free(m->res);
    phx_free(m->delta);
    phx_free(m->x);
    phx_free(m->v);
    phx_free(m->back);
    phx_history_free(&m->history);
    phx_free(m);
}

static bool midpoint_allocate(midpoint *m)
{
    phx_run *run = m->base.run;
    size_t n_x = (size_t)run->dae->n_x, n_v = (size_t)run->dae->n_v, n_l = (size_t)run->dae->n_l;
    m->res = phx_calloc(run->context, n_v + n_l, sizeof *m->res);
    m->delta = phx_calloc(run->context, n_v + n_l, sizeof *m->delta);
    m->x = phx_calloc(run->context, n_x, sizeof *m->x);
    m->v = phx_calloc(run->context, n_v, sizeof *m->v);
    m->back = phx_calloc(run->context, n_v, sizeof *m->back);
    return m->res && m->delta && m->x && m->v && m->back &&
           phx_history_create(run->dae, run->lambda, &m->history) == PHX_OK;
}

static void midpoint_forget(phx_method *method)
{
    midpoint *m = (midpoint *)method;
    m->forces = -1.0;
    phx_history_forget(&m->history, method->run->dae, method->run->lambda);
    for (int slot = 0; slot < SLOTS; slot++) {
        m->jacobian[slot].valid = false;
        m->reuse[slot] = phx_jacobian_reuse_create(m->reuse[slot].matrix);
    }
}

static void midpoint_archive(phx_method *method, phx_archive *archive)
{
    midpoint *m = (midpoint *)method;

    phx_history_archive(archive, method->run->dae, &m->history);
    for (int slot = 0; slot < SLOTS; slot++) {
        phx_archive_double(archive, &m->jacobian[slot].h);
        phx_archive_bool(archive, &m->jacobian[slot].valid);
        phx_jacobian_reuse_archive(archive, &m->reuse[slot]);
    }
}

static const phx_method_ops midpoint_ops = {
    .destroy = midpoint_destroy, .step = midpoint_step, .forget = midpoint_forget, .archive = midpoint_archive};
static const phx_method_ops pair_ops = {
    .destroy = midpoint_destroy, .step = pair_step, .estimate = pair_estimate, .forget = midpoint_forget};
static const phx_method_ops composed_ops = {
    .destroy = midpoint_destroy, .step = composed_step, .forget = midpoint_forget, .archive = midpoint_archive};

/* Creates the method with the given operations: one Newton matrix and one reuse policy for each slot. */
static phx_status midpoint_create(phx_run *run, const phx_method_ops *ops, phx_method **method)
{
    midpoint *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    const int cost = run->dae->matrix_cost;
    m->forces = -1.0;
    m->base = (phx_method){.ops = ops, .run = run};
    run->dae->own_matrices = run->options.iterations > 0;
    for (int slot = 0; slot < SLOTS; slot++)
        m->reuse[slot] = phx_jacobian_reuse_create(cost > 0 ? cost : MATRIX_COST);
    if (!midpoint_allocate(m)) {
        midpoint_destroy(&m->base);
        return PHX_ERR_MEMORY;
    }
    *method = &m->base;
    return PHX_OK;
}

static phx_status create_midpoint(phx_run *run, phx_method **method)
{
    phx_method *pair = NULL;
    if (run->options.rtol == 0.0)
        return midpoint_create(run, &midpoint_ops, method);
    phx_status status = midpoint_create(run, &pair_ops, &pair);
    if (status != PHX_OK)
        return status;
    midpoint *m = (midpoint *)pair;
    m->atol_size = phx_run_atol_size(run, m->delta);
    return phx_reversible_create(run, pair, 2, method);
}

phx_status phx_midpoint_plain_create(phx_run *run, phx_method **method)
{
    return midpoint_create(run, &midpoint_ops, method);
}

static phx_status create_midpoint4(phx_run *run, phx_method **method)
{
    if (!run->dae->lossless)
        return phx_fail(run->context, PHX_ERR_UNSUPPORTED,
                        "midpoint4 also steps backwards in time, which a system with losses does not allow; use "
                        "midpoint, gauss4 or gauss6");
    return midpoint_create(run, &composed_ops, method);
}

const phx_method_kind phx_method_midpoint = {.traits.name = "midpoint",
                                             .traits.order = 2,
                                             .traits.work = 1.0,
                                             .traits.candidate = true,
                                             .traits.chooses = true,
                                             .traits.energy = PHX_KEEPS_EXACTLY,
                                             .traits.joints = PHX_KEEPS_EXACTLY,
                                             .create = create_midpoint};

const phx_method_kind phx_method_midpoint4 = {.traits.name = "midpoint4",
                                              .traits.order = 4,
                                              .traits.work = 9.0,
                                              .traits.energy = PHX_KEEPS_EXACTLY,
                                              .traits.joints = PHX_KEEPS_EXACTLY,
                                              .create = create_midpoint4};
