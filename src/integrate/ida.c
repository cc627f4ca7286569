/* IDA of SUNDIALS (variable-order BDF, here from IDAS for its quadratures) on y = (x, v, lambda):
 *
 *   x_dot - T(x) v = 0,   M(x) v_dot - f(t, x, v) - G^T lambda = 0,   G(x) v - w(t) = 0
 *
 * of index 2: the multipliers take no part in the error test and hardly any in the Newton test. To SUNDIALS the linear
 * solver is a direct one over a matrix without entries; it eliminates the rows of x and leaves the rest to the dae. The
 * work is integrated as a quadrature. SUNDIALS prints nothing: what it has to say goes into the message of the run. */
#include "newton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

enum { SLOT = 0, MOST_RESTARTS = 20, TEXT = 256 };
static const double DEFAULT_ATOL = 1e-2; /* of rtol */
static const double FIXED_RTOL = 1e-8;   /* where the user gives a step instead */
/* Multipliers are noisy at small steps (velocities over h): a million times their size is allowed. */
static const double MULTIPLIER_WEIGHT = 1e-6;
/* In an index-2 problem what Newton's iteration leaves of the constraints comes back in the error test, and IDA's
 * scaling for a cj that has changed does not fit rows without cj: iterate further than usual and factor for each cj.
 * Where tight tolerances leave too little room above rounding the share grows, up to IDA's own. */
static const double NEWTON_SHARE = 1e-3, MOST_SHARE = 0.33, CJ_CHANGE = 1e-2;
enum { MOST_ITERATIONS = 10 };

typedef struct ida {
    phx_method base;
    SUNContext sun;
    void *memory;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    N_Vector y, y_dot, id; /* n_x + n_v + n_l */
    N_Vector work;         /* supplied, dissipated */
    double rtol, atol;
    double cj;         /* of the factorisation */
    double *x;         /* n_x: the last residual's, where T and the tangent are taken */
    double *normal_x;  /* n_x: normalised, for the linearisation */
    double *rates;     /* n_x */
    double *tangent;   /* n_v */
    double *shift;     /* n_v + n_l */
    phx_status status; /* of the dae's operation that failed last inside SUNDIALS */
    char text[TEXT];   /* what SUNDIALS said last */
    double share;      /* of the tolerance for what Newton's iteration leaves */
    int restarts;
    double restarted_at;
} ida;

static double *entries(N_Vector vector)
{
    return N_VGetArrayPointer(vector);
}

/* Zero: success, positive: try again with a smaller step, negative: give up. SUNDIALS may call on after a failure: what
 * is fatal is kept. */
static int to_sundials(ida *m, phx_status status)
{
    if (m->status >= 0)
        m->status = status;
    return status == PHX_OK ? 0 : status > 0 ? 1 : -1;
}

/* ---- what SUNDIALS calls ---- */
static int residual(double t, N_Vector y, N_Vector y_dot, N_Vector res, void *user)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    const double *x = entries(y), *x_dot = entries(y_dot);
    double *res_x = entries(res);
    int n_x = dae->n_x;
    memcpy(m->x, x, (size_t)n_x * sizeof *m->x);
    dae->ops->rates(dae, x, x + n_x, m->rates);
    for (int k = 0; k < n_x; k++)
        res_x[k] = x_dot[k] - m->rates[k];
    return to_sundials(m, dae->ops->residual(dae, t, x, x + n_x, x_dot + n_x, x + n_x + dae->n_v, res_x + n_x));
}

static int jacobian(double t, double cj, N_Vector y, N_Vector y_dot, N_Vector res, SUNMatrix matrix, void *user,
                    N_Vector work1, N_Vector work2, N_Vector work3)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    const double *x = entries(y);
    (void)y_dot, (void)res, (void)matrix, (void)work1, (void)work2, (void)work3;
    m->cj = cj;
    memcpy(m->normal_x, x, (size_t)dae->n_x * sizeof *x);
    dae->ops->normalise(dae, m->normal_x);
    m->base.run->stats->linearisations++;
    const double *v = x + dae->n_x;
    return to_sundials(m, dae->ops->linearise(dae, t, m->normal_x, v, v + dae->n_v));
}

static int quadrature(double t, N_Vector y, N_Vector y_dot, N_Vector power, void *user)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    const double *x = entries(y), *v = x + dae->n_x;
    double *out = entries(power);
    (void)y_dot;
    return to_sundials(m, dae->ops->power(dae, t, x, v, v + dae->n_v, &out[0], &out[1]));
}

/* 1/(atol + rtol |y|); the multipliers' by their largest, and loose */
static int weights(N_Vector y, N_Vector weight, void *user)
{
    ida *m = user;
    const phx_dae *dae = m->base.run->dae;
    const double *value = entries(y);
    double *w = entries(weight), largest = 0.0;
    int n = dae->n_x + dae->n_v;
    for (int k = 0; k < n; k++)
        w[k] = 1.0 / (m->atol + m->rtol * fabs(value[k]));
    for (int k = n; k < n + dae->n_l; k++)
        largest = fmax(largest, fabs(value[k]));
    for (int k = n; k < n + dae->n_l; k++)
        w[k] = MULTIPLIER_WEIGHT / (m->atol / m->rtol + largest);
    return 0;
}

static void remark(int code, const char *module, const char *function, char *text, void *user)
{
    ida *m = user;
    (void)code, (void)module;
    snprintf(m->text, sizeof m->text, "%s: %s", function, text);
}

/* ---- the linear solver ---- */
static SUNLinearSolver_Type solver_type(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver solver)
{
    (void)solver;
    return SUNLINEARSOLVER_CUSTOM;
}

static int solver_setup(SUNLinearSolver solver, SUNMatrix matrix)
{
    ida *m = solver->content;
    phx_dae *dae = m->base.run->dae;
    (void)matrix;
    m->base.run->stats->factorisations++;
    return to_sundials(m, dae->ops->factor(dae, SLOT, m->cj));
}

/* b = (b_x, b_v, b_l):  A(cj) (dv, dlambda) = (b_v, b_l) - [K; K_l] tangent(b_x)/cj,   dx = (b_x + T dv)/cj */
static int solver_solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector solution, N_Vector rhs, double tolerance)
{
    ida *m = solver->content;
    phx_dae *dae = m->base.run->dae;
    int n_x = dae->n_x, n = dae->n_v + dae->n_l;
    const double *b = entries(rhs);
    double *dx = entries(solution), *dv = dx + n_x;
    (void)matrix, (void)tolerance;
    dae->ops->tangent(dae, m->x, b, m->tangent);
    memmove(dv, b + n_x, (size_t)n * sizeof *dv);
    phx_status status = phx_solve_eliminated(dae, SLOT, m->cj, m->tangent, m->shift, dv);
    dae->ops->rates(dae, m->x, dv, m->rates);
    for (int k = 0; k < n_x; k++)
        dx[k] = (b[k] + m->rates[k]) / m->cj;
    return to_sundials(m, status);
}

static SUNMatrix_ID matrix_id(SUNMatrix matrix)
{
    (void)matrix;
    return SUNMATRIX_CUSTOM;
}

static int matrix_zero(SUNMatrix matrix)
{
    (void)matrix;
    return 0;
}

/* ---- steps ---- */
/* y and y_dot of the accepted state: lambda and v_dot solve the acceleration-level system. */
static phx_status consistent_start(ida *m)
{
    phx_run *run = m->base.run;
    phx_dae *dae = run->dae;
    size_t n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l;
    double *y = entries(m->y), *y_dot = entries(m->y_dot);
    memcpy(y, run->x, n_x * sizeof *y);
    memcpy(y + n_x, run->v, n_v * sizeof *y);
    memset(y_dot, 0, (n_x + n_v + n_l) * sizeof *y_dot);
    dae->ops->rates(dae, run->x, run->v, y_dot);
    entries(m->work)[0] = run->work.supplied;
    entries(m->work)[1] = run->work.dissipated;
    return dae->ops->accelerations(dae, run->t, run->x, run->v, y_dot + n_x, y + n_x + n_v);
}

/* After a failure: begin anew at the state reached, of order 1; at a time where that was tried before only with less
 * asked of Newton's iteration. */
static phx_status restart(ida *m, bool *restarted)
{
    phx_run *run = m->base.run;
    *restarted = m->restarts < MOST_RESTARTS && (run->t > m->restarted_at || m->share < MOST_SHARE);
    if (!*restarted)
        return PHX_OK;
    m->restarts++;
    m->restarted_at = run->t;
    m->share = fmin(10.0 * m->share, MOST_SHARE);
    run->dae->ops->normalise(run->dae, run->x);
    phx_status status = consistent_start(m);
    if (status != PHX_OK)
        return status;
    if (IDASetNonlinConvCoef(m->memory, m->share) != IDA_SUCCESS ||
        IDAReInit(m->memory, run->t, m->y, m->y_dot) != IDA_SUCCESS || IDAQuadReInit(m->memory, m->work) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA cannot be restarted: %s", m->text);
    return PHX_OK;
}

static phx_status accept(ida *m, double t1)
{
    phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    const double *y = entries(m->y), *work = entries(m->work);
    double t_work, h = 0.0;
    if (IDAGetQuad(m->memory, &t_work, m->work) != IDA_SUCCESS || IDAGetLastStep(m->memory, &h) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA does not tell its work: %s", m->text);
    memcpy(run->x1, y, (size_t)dae->n_x * sizeof *y);
    memcpy(run->v1, y + dae->n_x, (size_t)dae->n_v * sizeof *y);
    memcpy(run->lambda1, y + dae->n_x + dae->n_v, (size_t)dae->n_l * sizeof *y);
    run->dae->ops->normalise(run->dae, run->x1);
    run->work1 = (phx_work){.supplied = work[0] - run->work.supplied, .dissipated = work[1] - run->work.dissipated};
    return phx_run_accept(run, t1, h);
}

static void count(const ida *m)
{
    long errors = 0, solves = 0, iterations = 0;
    phx_integrate_stats *stats = m->base.run->stats;
    IDAGetNumErrTestFails(m->memory, &errors);
    IDAGetNumNonlinSolvConvFails(m->memory, &solves);
    IDAGetNumNonlinSolvIters(m->memory, &iterations);
    stats->rejected = m->restarts + errors + solves;
    stats->newton_iterations = iterations;
}

static phx_status failed(ida *m, double h)
{
    phx_run *run = m->base.run;
    bool restarted = false;
    phx_status status = m->status < 0 ? m->status : restart(m, &restarted);
    if (restarted && status == PHX_OK)
        return PHX_OK;
    if (status == PHX_OK)
        status = phx_run_blame(run, PHX_NOT_CONVERGED, h, m->text, NULL);
    return phx_run_stop(run, status);
}

static phx_status ida_advance(phx_method *method, double to)
{
    ida *m = (ida *)method;
    phx_run *run = method->run;
    IDASetStopTime(m->memory, to);
    while (run->t < to) {
        double t1 = run->t, h = 0.0;
        run->reason = NULL;
        m->status = PHX_OK;
        int flag = IDASolve(m->memory, to, &t1, m->y, m->y_dot, IDA_ONE_STEP);
        phx_status status;
        if (flag >= 0 && m->status >= 0) {
            status = accept(m, flag == IDA_TSTOP_RETURN ? to : t1);
            if (status == PHX_OK)
                status = phx_run_sample_step(run);
        } else {
            IDAGetCurrentStep(m->memory, &h);
            status = failed(m, h);
        }
        count(m);
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

/* ---- memory ---- */
static void ida_destroy(phx_method *method)
{
    ida *m = (ida *)method;
    IDAFree(&m->memory);
    if (m->solver)
        SUNLinSolFreeEmpty(m->solver);
    if (m->matrix)
        SUNMatFreeEmpty(m->matrix);
    N_VDestroy(m->y);
    N_VDestroy(m->y_dot);
    N_VDestroy(m->id);
    N_VDestroy(m->work);
    SUNContext_Free(&m->sun);
    phx_free(m->x);
    phx_free(m->normal_x);
    phx_free(m->rates);
    phx_free(m->tangent);
    phx_free(m->shift);
    phx_free(m);
}

static phx_status allocate(ida *m)
{
    phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    size_t n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l;
    m->x = phx_calloc(run->context, n_x, sizeof *m->x);
    m->normal_x = phx_calloc(run->context, n_x, sizeof *m->normal_x);
    m->rates = phx_calloc(run->context, n_x, sizeof *m->rates);
    m->tangent = phx_calloc(run->context, n_v, sizeof *m->tangent);
    m->shift = phx_calloc(run->context, n_v + n_l, sizeof *m->shift);
    if (!m->x || !m->normal_x || !m->rates || !m->tangent || !m->shift)
        return PHX_ERR_MEMORY;

    sunindextype n = dae->n_x + dae->n_v + dae->n_l;
    if (SUNContext_Create(NULL, &m->sun) != 0)
        return phx_fail(run->context, PHX_ERR_MEMORY, "no memory for SUNDIALS");
    m->y = N_VNew_Serial(n, m->sun);
    m->y_dot = N_VNew_Serial(n, m->sun);
    m->id = N_VNew_Serial(n, m->sun);
    m->work = N_VNew_Serial(2, m->sun);
    m->matrix = SUNMatNewEmpty(m->sun);
    m->solver = SUNLinSolNewEmpty(m->sun);
    m->memory = IDACreate(m->sun);
    if (!m->y || !m->y_dot || !m->id || !m->work || !m->matrix || !m->solver || !m->memory)
        return phx_fail(run->context, PHX_ERR_MEMORY, "no memory for IDA with %ld unknowns", (long)n);
    return PHX_OK;
}

static void set_solver(ida *m)
{
    m->matrix->ops->getid = matrix_id;
    m->matrix->ops->zero = matrix_zero;
    m->solver->ops->gettype = solver_type;
    m->solver->ops->getid = solver_id;
    m->solver->ops->setup = solver_setup;
    m->solver->ops->solve = solver_solve;
    m->solver->content = m;
}

static phx_status set_up(ida *m)
{
    phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    double *id = entries(m->id);
    for (int k = 0; k < dae->n_x + dae->n_v + dae->n_l; k++)
        id[k] = k < dae->n_x + dae->n_v ? 1.0 : 0.0;
    set_solver(m);
    bool chooses = run->options.rtol > 0.0;
    m->rtol = chooses ? run->options.rtol : FIXED_RTOL;
    m->atol = run->options.atol > 0.0 ? run->options.atol : DEFAULT_ATOL * m->rtol;
    void *memory = m->memory;
    bool good =
        IDASetErrHandlerFn(memory, remark, m) == IDA_SUCCESS && IDASetUserData(memory, m) == IDA_SUCCESS &&
        IDAInit(memory, residual, run->t, m->y, m->y_dot) == IDA_SUCCESS &&
        IDAWFtolerances(memory, weights) == IDA_SUCCESS && IDASetId(memory, m->id) == IDA_SUCCESS &&
        IDASetSuppressAlg(memory, SUNTRUE) == IDA_SUCCESS &&
        IDASetLinearSolver(memory, m->solver, m->matrix) == IDA_SUCCESS &&
        IDASetJacFn(memory, jacobian) == IDA_SUCCESS && IDAQuadInit(memory, quadrature, m->work) == IDA_SUCCESS &&
        IDASetQuadErrCon(memory, SUNFALSE) == IDA_SUCCESS && IDASetNonlinConvCoef(memory, m->share) == IDA_SUCCESS &&
        IDASetDeltaCjLSetup(memory, CJ_CHANGE) == IDA_SUCCESS &&
        IDASetMaxNonlinIters(memory, MOST_ITERATIONS) == IDA_SUCCESS;
    good = good && IDASetMinStep(memory, phx_run_smallest_step(run)) == IDA_SUCCESS;
    if (good && !chooses)
        good = IDASetMaxStep(memory, run->options.step) == IDA_SUCCESS;
    return good ? PHX_OK : phx_fail(run->context, PHX_ERR_LIBRARY, "IDA cannot be set up: %s", m->text);
}

static const phx_method_ops ida_ops = {.destroy = ida_destroy, .advance = ida_advance};

phx_status phx_ida_create(phx_run *run, phx_method **method)
{
    ida *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    m->base = (phx_method){.ops = &ida_ops, .run = run};
    m->restarted_at = -INFINITY;
    m->share = NEWTON_SHARE;
    phx_status status = allocate(m);
    if (status == PHX_OK)
        status = consistent_start(m);
    if (status == PHX_OK)
        status = set_up(m);
    if (status != PHX_OK) {
        ida_destroy(&m->base);
        return status;
    }
    *method = &m->base;
    return PHX_OK;
}
