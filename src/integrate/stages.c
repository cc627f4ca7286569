/* A collocation step, theory 6 (1). With z_i = V_i - v0 the stages satisfy
 *
 *   X_i = x0 + h sum_j a_ij x_dot_j,   x_dot_i = T(X_i) V_i                                  in embedded coordinates
 *   M(X_i) (1/h) sum_j a_inverse_ij z_j = f(t_i, X_i, V_i) + G(X_i)^T Lambda_i
 *   G(X_i) V_i = w(t_i)
 *
 * Simplified Newton: with the defect e_i = x_dot_i - T(X_i) V_i, its tangent eps_i, residuals r_i, and one set of
 * derivative arrays for all stages, the corrections satisfy for each eigenvalue mu of a_inverse, cj = mu/h, after the
 * transformation that diagonalises a_inverse (the commutators of the attitudes, of size h omega, are left to the
 * iteration)
 *
 *   cj dxi - dV = -eps        =>   A(cj) (dV, dLambda) = -r + [K; K_l] eps/cj
 *
 * and afterwards x_dot_i = T(X_i) V_i with the old X_i and the new V_i, which is the Newton step for x. */
#include "stages.h"

#include <math.h>
#include <string.h>

/* ---- stage values ---- */
static void make_stage_x(phx_stages *stages, double h)
{
    const phx_tableau *tableau = &stages->tableau;
    const phx_run *run = stages->run;
    int s = tableau->s, n_x = run->dae->n_x;
    for (int i = 0; i < s; i++) {
        double *x = stages->x + i * n_x;
        memset(x, 0, (size_t)n_x * sizeof *x);
        for (int j = 0; j < s; j++) {
            double a = h * tableau->a[i * s + j];
            const double *x_dot = stages->now.x_dot + j * n_x;
            for (int k = 0; k < n_x; k++)
                x[k] += a * x_dot[k];
        }
        for (int k = 0; k < n_x; k++)
            x[k] += run->x[k];
    }
}

static void make_stage_v(phx_stages *stages)
{
    const phx_run *run = stages->run;
    int n_v = run->dae->n_v;
    for (int i = 0; i < stages->tableau.s; i++)
        for (int k = 0; k < n_v; k++)
            stages->v[i * n_v + k] = run->v[k] + stages->now.z[i * n_v + k];
}

/* x_dot_i = T(X_i) V_i */
static void make_rates(phx_stages *stages)
{
    phx_dae *dae = stages->run->dae;
    for (int i = 0; i < stages->tableau.s; i++)
        dae->ops->rates(dae, stages->x + i * dae->n_x, stages->v + i * dae->n_v, stages->now.x_dot + i * dae->n_x);
}

/* out_i = sum_j m_ij in_j, n values a stage */
static void stages_combine(int s, const double *m, int n, const double *in, double *out)
{
    for (int i = 0; i < s; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int j = 0; j < s; j++)
                sum += m[i * s + j] * in[j * n + k];
            out[i * n + k] = sum;
        }
}

static void start_constant(phx_stages *stages)
{
    const phx_run *run = stages->run;
    phx_dae *dae = run->dae;
    memset(stages->now.z, 0, (size_t)(stages->tableau.s * dae->n_v) * sizeof(double));
    for (int i = 0; i < stages->tableau.s; i++) {
        dae->ops->rates(dae, run->x, run->v, stages->now.x_dot + i * dae->n_x);
        memcpy(stages->now.lambda + i * dae->n_l, run->lambda, (size_t)dae->n_l * sizeof(double));
    }
}

/* Continue the polynomials of the step before: its time is 1 + c_i h/h_before at stage i. */
static void predict(phx_stages *stages, double h)
{
    const phx_tableau *tableau = &stages->tableau;
    const phx_dae *dae = stages->run->dae;
    int s = tableau->s;
    if (stages->h_before == 0.0) {
        start_constant(stages);
        return;
    }
    double derivatives[PHX_STAGES * PHX_STAGES], values[PHX_STAGES * PHX_STAGES];
    for (int i = 0; i < s; i++) {
        double tau = 1.0 + tableau->c[i] * h / stages->h_before;
        phx_tableau_lagrange(tableau, tau, derivatives + i * s);
        phx_tableau_lagrange_zero(tableau, tau, values + i * s);
        for (int j = 0; j < s; j++)
            values[i * s + j] -= tableau->d[j];
    }
    stages_combine(s, derivatives, dae->n_x, stages->before.x_dot, stages->now.x_dot);
    stages_combine(s, values, dae->n_v, stages->before.z, stages->now.z);
    stages_combine(s, derivatives, dae->n_l, stages->before.lambda, stages->now.lambda);
}

void phx_stages_keep(phx_stages *stages, double h)
{
    phx_stage_values swap = stages->before;
    stages->before = stages->now;
    stages->now = swap;
    stages->h_before = h;
}

void phx_stages_forget(phx_stages *stages)
{
    stages->h_before = 0.0;
    stages->jacobian.valid = false;
}

/* ---- residuals ---- */
static phx_status stages_evaluate(phx_stages *stages, double t0, double h)
{
    const phx_tableau *tableau = &stages->tableau;
    phx_dae *dae = stages->run->dae;
    int s = tableau->s, n_x = dae->n_x, n_v = dae->n_v, n_l = dae->n_l;
    make_stage_x(stages, h);
    make_stage_v(stages);
    for (int i = 0; i < s; i++) {
        const double *x = stages->x + i * n_x, *v = stages->v + i * n_v, *x_dot = stages->now.x_dot + i * n_x;
        dae->ops->rates(dae, x, v, stages->rates);
        for (int k = 0; k < n_x; k++)
            stages->rates[k] = x_dot[k] - stages->rates[k];
        dae->ops->tangent(dae, x, stages->rates, stages->defect + i * n_v);
        for (int k = 0; k < n_v; k++) {
            double sum = 0.0;
            for (int j = 0; j < s; j++)
                sum += tableau->a_inverse[i * s + j] * stages->now.z[j * n_v + k];
            stages->v_dot[k] = sum / h;
        }
        phx_status status = dae->ops->residual(dae, fmin(t0 + tableau->c[i] * h, stages->latest), x, v, stages->v_dot,
                                               stages->now.lambda + i * n_l, stages->res + i * (n_v + n_l));
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

/* ---- the Jacobian ---- */
/* Derivatives at the mean of the stages. */
static phx_status stages_linearise(phx_stages *stages, double t0, double h)
{
    const phx_tableau *tableau = &stages->tableau;
    phx_dae *dae = stages->run->dae;
    double mean_t = t0;
    memset(stages->mean_x, 0, (size_t)dae->n_x * sizeof(double));
    memset(stages->mean_v, 0, (size_t)dae->n_v * sizeof(double));
    memset(stages->mean_lambda, 0, (size_t)dae->n_l * sizeof(double));
    for (int i = 0; i < tableau->s; i++) {
        double b = tableau->b[i];
        mean_t += b * tableau->c[i] * h;
        for (int k = 0; k < dae->n_x; k++)
            stages->mean_x[k] += b * stages->x[i * dae->n_x + k];
        for (int k = 0; k < dae->n_v; k++)
            stages->mean_v[k] += b * stages->v[i * dae->n_v + k];
        for (int k = 0; k < dae->n_l; k++)
            stages->mean_lambda[k] += b * stages->now.lambda[i * dae->n_l + k];
    }
    dae->ops->normalise(dae, stages->mean_x, false);
    stages->run->stats->linearisations++;
    return dae->ops->linearise(dae, mean_t, stages->mean_x, stages->mean_v, stages->mean_lambda);
}

/* Linearises at one state for all stages and factors the real and the complex Newton matrix for the step h; with two
 * stages there is only the complex one. */
static phx_status refresh(phx_stages *stages, double t0, double h)
{
    const phx_tableau *tableau = &stages->tableau;
    phx_run *run = stages->run;
    stages->jacobian.valid = false;
    phx_status status = stages_linearise(stages, t0, h);
    if (status != PHX_OK)
        return status;
    if (tableau->s == 3) {
        status = run->dae->ops->factor(run->dae, PHX_SLOT_REAL, tableau->real / h);
        run->stats->factorisations++;
    }
    if (status == PHX_OK) {
        status = run->dae->ops->factor_complex(run->dae, PHX_SLOT_COMPLEX, tableau->re / h, tableau->im / h);
        run->stats->factorisations++;
    }
    if (status == PHX_SINGULAR)
        return phx_run_blame(run, status, h, "the Newton matrix is singular", stages->res);
    if (status == PHX_OK)
        stages->jacobian = (phx_jacobian){.h = h, .valid = true, .recent = true};
    return status;
}

/* ---- Newton corrections ---- */
/* Row k of basis_inverse applied to the residuals and shifts of the stages: -r', and [K; K_l] eps'. */
static void transform(const phx_stages *stages, int row, int k, double *minus_r, double *shift)
{
    int s = stages->tableau.s, n = stages->run->dae->n_v + stages->run->dae->n_l;
    *minus_r = *shift = 0.0;
    for (int i = 0; i < s; i++) {
        double w = stages->tableau.basis_inverse[row * s + i];
        *minus_r -= w * stages->res[i * n + k];
        *shift += w * stages->shifts[i * n + k];
    }
}

/* rhs = -r' + [K; K_l] eps' h/mu */
static phx_status solve_real(phx_stages *stages, double h)
{
    phx_dae *dae = stages->run->dae;
    double over_cj = h / stages->tableau.real;
    for (int k = 0; k < dae->n_v + dae->n_l; k++) {
        double minus_r, shift;
        transform(stages, 0, k, &minus_r, &shift);
        stages->rhs[k] = minus_r + over_cj * shift;
    }
    return dae->ops->solve(dae, PHX_SLOT_REAL, stages->rhs);
}

/* The same for the pair (y1, y2) of rows, as y1 - i y2. */
static phx_status solve_pair(phx_stages *stages, double h)
{
    const phx_tableau *tableau = &stages->tableau;
    phx_dae *dae = stages->run->dae;
    double square = tableau->re * tableau->re + tableau->im * tableau->im;
    double re = h * tableau->re / square, im = -h * tableau->im / square; /* h/(re + i im) */
    int first = tableau->s - 2;
    for (int k = 0; k < dae->n_v + dae->n_l; k++) {
        double r1, r2, k1, k2;
        transform(stages, first, k, &r1, &k1);
        transform(stages, first + 1, k, &r2, &k2);
        stages->rhs_complex[2 * k] = r1 + re * k1 + im * k2;
        stages->rhs_complex[2 * k + 1] = -r2 + im * k1 - re * k2;
    }
    return dae->ops->solve_complex(dae, PHX_SLOT_COMPLEX, stages->rhs_complex);
}

/* Overwrites the residuals by the corrections (dV_i, dLambda_i). */
static phx_status corrections(phx_stages *stages, double h)
{
    const phx_tableau *tableau = &stages->tableau;
    phx_dae *dae = stages->run->dae;
    int s = tableau->s, n = dae->n_v + dae->n_l, first = s - 2;
    memset(stages->shifts, 0, (size_t)(s * n) * sizeof(double));
    for (int i = 0; i < s; i++)
        dae->ops->stiffness_apply(dae, stages->defect + i * dae->n_v, stages->shifts + i * n);
    phx_status status = s == 3 ? solve_real(stages, h) : PHX_OK;
    if (status == PHX_OK)
        status = solve_pair(stages, h);
    stages->run->stats->newton_iterations++;
    if (status != PHX_OK)
        return status;
    for (int i = 0; i < s; i++) {
        const double *row = tableau->basis + i * s;
        for (int k = 0; k < n; k++) {
            double pair = row[first] * stages->rhs_complex[2 * k] - row[first + 1] * stages->rhs_complex[2 * k + 1];
            stages->res[i * n + k] = pair + (s == 3 ? row[0] * stages->rhs[k] : 0.0);
        }
    }
    return PHX_OK;
}

static void stages_apply(phx_stages *stages)
{
    phx_dae *dae = stages->run->dae;
    int n_v = dae->n_v, n_l = dae->n_l, n = n_v + n_l;
    for (int i = 0; i < stages->tableau.s; i++) {
        const double *correction = stages->res + i * n;
        for (int k = 0; k < n_v; k++)
            stages->now.z[i * n_v + k] += correction[k];
        for (int k = 0; k < n_l; k++)
            stages->now.lambda[i * n_l + k] += correction[n_v + k];
    }
    make_stage_v(stages);
    make_rates(stages);
}

/* sqrt(sum of the squares of a_k weight_k / n) */
static double weighted(int n, const double *a, const double *weight)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * weight[k] * a[k] * weight[k];
    return sqrt(sum / n);
}

/* sqrt(mean over the stages of |dV_i|^2 + |eps_i|^2), in the norm of the dae, or in error weights where these are given
 */
static double correction_size(const phx_stages *stages, const double *weight)
{
    phx_dae *dae = stages->run->dae;
    int s = stages->tableau.s, n_v = dae->n_v, n = dae->n_v + dae->n_l;
    double sum = 0.0;
    for (int i = 0; i < s; i++) {
        const double *dv = stages->res + i * n, *eps = stages->defect + i * n_v;
        double a = weight ? weighted(n_v, dv, weight) : dae->ops->norm(dae, dv);
        double b = weight ? weighted(n_v, eps, weight) : dae->ops->norm(dae, eps);
        sum += a * a + b * b;
    }
    return sqrt(sum / s);
}

/* ---- the iteration ---- */
/* The scale of the velocities with what the forces give during the step; see midpoint.c. */
static phx_status widen_scale(phx_stages *stages, double t0, double h, phx_newton *newton)
{
    phx_run *run = stages->run;
    phx_dae *dae = run->dae;
    memset(stages->v_dot, 0, (size_t)dae->n_v * sizeof(double));
    memset(stages->mean_lambda, 0, (size_t)dae->n_l * sizeof(double));
    phx_status status = dae->ops->residual(dae, t0, run->x, run->v, stages->v_dot, stages->mean_lambda, stages->rhs);
    if (status == PHX_OK)
        phx_newton_widen(newton, fmax(phx_run_force_scale(run, h, stages->rhs), phx_run_place_scale(run, h, run->x)));
    return status;
}

/* The residuals have been overwritten: find them again to name the body. */
static phx_status give_up(phx_stages *stages, double t0, double h, const char *reason)
{
    phx_status status = stages_evaluate(stages, t0, h);
    return status != PHX_OK ? status : phx_run_blame(stages->run, PHX_NOT_CONVERGED, h, reason, stages->res);
}

/* The corrections do not shrink: look whether they are rounding, then start again with a fresh Jacobian, then give up.
 */
static phx_status rescue(phx_stages *stages, double t0, double h, phx_newton *newton)
{
    const phx_run *run = stages->run;

    if (!stages->weight_v && !newton->widened)
        return widen_scale(stages, t0, h, newton);
    if (!stages->weight_v && newton->rescued && !newton->balanced)
        return phx_newton_balance(newton, phx_run_balance_scale(run, h, run->x));
    if (newton->rescued)
        return give_up(stages, t0, h, "Newton's iteration does not converge");
    newton->rescued = true;
    newton->previous = -1.0;
    newton->rate = newton->smallest = 0.0;
    start_constant(stages);
    stages->jacobian.valid = false;
    return PHX_OK;
}

/* Error weights may ask for more of a small velocity than rounding of the large ones lets be had. */
static bool is_rounding(const phx_stages *stages)
{
    phx_run *run = stages->run;
    const double size = correction_size(stages, NULL);
    return size <= PHX_SURE_NOISE * fmax(phx_run_scale(run, run->v), run->sizes.forced);
}

/* One correction, judged and applied. */
static phx_status stages_iterate(phx_stages *stages, double t0, double h, phx_newton *newton, bool *done)
{
    phx_status status = stages_evaluate(stages, t0, h);
    if (status == PHX_OK && !phx_jacobian_fits(&stages->jacobian, h))
        status = refresh(stages, t0, h);
    if (status == PHX_OK)
        status = corrections(stages, h);
    if (status != PHX_OK)
        return status;
    const double size = correction_size(stages, stages->weight_v);
    phx_newton_verdict verdict = phx_newton_judge(newton, size, stages->jacobian.recent);
    if (verdict == PHX_NEWTON_FAILS && stages->weight_v && isfinite(size) && is_rounding(stages))
        verdict = PHX_NEWTON_ROUNDING;
    if (verdict == PHX_NEWTON_FAILS)
        return rescue(stages, t0, h, newton);
    if (verdict != PHX_NEWTON_ROUNDING)
        stages_apply(stages);
    /* A Jacobian made in this step would not get better: the stages lie around it. */
    if (verdict == PHX_NEWTON_SLOW && !stages->jacobian.recent)
        stages->jacobian.valid = false;
    *done = verdict == PHX_NEWTON_LAST || verdict == PHX_NEWTON_ROUNDING;
    return PHX_OK;
}

/* The largest of the stages' velocities. */
static double size_of_stages(const phx_stages *stages)
{
    phx_dae *dae = stages->run->dae;
    double size = 0.0;
    for (int i = 0; i < stages->tableau.s; i++)
        size = fmax(size, dae->ops->norm(dae, stages->v + i * dae->n_v));
    return size;
}

/* Solves the stages of the step from t0 to t0 + h by simplified Newton iteration, to round-off or to the error weights;
 * stage values are in `stages`. */
phx_status phx_stages_solve(phx_stages *stages, double t0, double h)
{
    phx_run *run = stages->run;
    double scale = phx_run_scale(run, run->v);
    phx_newton newton =
        stages->weight_v ? phx_newton_to_weights(stages->weight_tolerance) : phx_newton_to_rounding(run, scale);
    bool done = false;
    stages->jacobian.recent = false;
    predict(stages, h);
    for (stages->iterations = 0; !done && stages->iterations < PHX_NEWTON_LIMIT; stages->iterations++) {
        phx_status status = stages_iterate(stages, t0, h, &newton, &done);
        if (status != PHX_OK)
            return status;
        if (done && !stages->weight_v && newton.scale > scale)
            done = phx_newton_confirm(&newton, size_of_stages(stages));
    }
    if (!done)
        return give_up(stages, t0, h, "Newton's iteration converges too slowly");
    stages->rate = newton.rate;
    if (!stages->weight_v) {
        run->sizes.noise = newton.noise;
        run->sizes.forced = newton.forces;
    }
    make_stage_x(stages, h);
    make_rates(stages);
    make_stage_x(stages, h);
    return PHX_OK;
}

/* Adds the quadrature of the power at the stages, h b_i P_i, to *work and to the ledger of the run. */
phx_status phx_stages_work(phx_stages *stages, double t0, double h, phx_work *work)
{
    const phx_tableau *tableau = &stages->tableau;
    phx_dae *dae = stages->run->dae;
    for (int i = 0; i < tableau->s; i++) {
        double supplied = 0.0, dissipated = 0.0;
        phx_status status =
            dae->ops->power(dae, fmin(t0 + tableau->c[i] * h, stages->latest), stages->x + i * dae->n_x,
                            stages->v + i * dae->n_v, stages->now.lambda + i * dae->n_l, &supplied, &dissipated);
        if (status != PHX_OK)
            return status;
        work->supplied += h * tableau->b[i] * supplied;
        work->dissipated += h * tableau->b[i] * dissipated;
        phx_run_book(stages->run, h * tableau->b[i]);
    }
    return PHX_OK;
}

/* ---- memory ---- */
static bool allocate_values(phx_context *context, const phx_dae *dae, size_t s, phx_stage_values *values)
{
    values->x_dot = phx_calloc(context, s * (size_t)dae->n_x, sizeof(double));
    values->z = phx_calloc(context, s * (size_t)dae->n_v, sizeof(double));
    values->lambda = phx_calloc(context, s * (size_t)dae->n_l, sizeof(double));
    return values->x_dot && values->z && values->lambda;
}

static void release_values(phx_stage_values *values)
{
    phx_free(values->x_dot);
    phx_free(values->z);
    phx_free(values->lambda);
}

void phx_stages_release(phx_stages *stages)
{
    release_values(&stages->now);
    release_values(&stages->before);
    phx_free(stages->memory);
}

/* Allocates the stage values of a collocation method for a run; after an error the parts made so far are freed with
 * *stages. */
phx_status phx_stages_create(phx_run *run, const phx_tableau *tableau, phx_stages *stages)
{
    const phx_dae *dae = run->dae;
    size_t s = (size_t)tableau->s, n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l;
    size_t n = n_v + n_l;
    *stages = (phx_stages){.run = run, .tableau = *tableau, .latest = HUGE_VAL};
    struct {
        double **array;
        size_t count;
    } parts[] = {
        {&stages->x, s * n_x},         {&stages->v, s * n_v},  {&stages->defect, s * n_v}, {&stages->res, s * n},
        {&stages->shifts, s * n},      {&stages->rates, n_x},  {&stages->v_dot, n_v},      {&stages->rhs, n},
        {&stages->rhs_complex, 2 * n}, {&stages->mean_x, n_x}, {&stages->mean_v, n_v},     {&stages->mean_lambda, n_l},
    };
    size_t count = 0, n_parts = sizeof parts / sizeof parts[0];
    for (size_t i = 0; i < n_parts; i++)
        count += parts[i].count;
    stages->memory = phx_calloc(run->context, count, sizeof(double));
    bool ok = allocate_values(run->context, dae, s, &stages->now) &&
              allocate_values(run->context, dae, s, &stages->before) && stages->memory;
    if (!ok)
        return PHX_ERR_MEMORY;
    double *next = stages->memory;
    for (size_t i = 0; i < n_parts; i++) {
        *parts[i].array = next;
        next += parts[i].count;
    }
    return PHX_OK;
}
