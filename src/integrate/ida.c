/* IDA of SUNDIALS (variable-order BDF, here from IDAS for its quadratures) on y = (x, v, mu), mu_dot = lambda:
 *
 *   x_dot - T(x) v = 0,   M(x) v_dot - f(t, x, v) - G^T mu_dot = 0,   G(x) v - w(t) = 0
 *
 * With the impulses mu of the joints for unknowns the equations have index 1, and the velocities of each step still
 * satisfy the constraints themselves.
 *
 * The attitudes in x drift from rotations within the tolerance. The second and third equations are evaluated at the
 * nearest rotations, so that the drift does not change them: the Newton matrix knows x only by its tangent. With x
 * itself the corrections would contract slowly, and in linkages with redundant rows IDA would take them for divergence.
 * The first one is linear in the attitudes and stays so: at the nearest rotations drift would turn them.
 *
 * BDF above order 2 is unstable for vibrations near the imaginary axis, where steps then stay small without need: from
 * time to time the run tries whether it goes faster with order 2, or with 5 again. To SUNDIALS the linear solver is a
 * direct one over a matrix without entries; it eliminates the rows of x and leaves the rest to the dae. The work is
 * integrated as a quadrature. SUNDIALS prints nothing: its messages go into the message of the run. */
#include "branch.h"
#include "newton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

enum { SLOT = 0, MOST_RESTARTS = 20, MOST_FAILURES = 40, TEXT = 256, STABLE_ORDER = 2, HIGHEST_ORDER = 5 };
static const double DEFAULT_ATOL = 1e-2; /* of rtol */
static const double FIXED_RTOL = 1e-8;   /* where the user gives a step instead */
/* IDA's scaling for a cj that has changed does not fit the rows of the constraints, which have none: factor anew. */
static const double CJ_CHANGE = 1e-2;
/* Steps between measurements of the pace; the least and the most between trials of the other order; how much longer
 * steps must be for it to stay; and how much longer they must become for the trial to go on. */
enum { WINDOW = 100, LEAST_WAIT = 500, MOST_WAIT = 25600 };
static const double WORTH = 10.0, GROWS = 1.2;
/* Order 2 is not tried below this rtol: the errors of its steps add up to many times the tolerance. */
static const double TIGHT = 1e-7;

typedef struct ida {
    phx_method base;
    SUNContext sun;
    void *memory;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    N_Vector y, y_dot, id;    /* n_x + n_v + n_l; of mu only the derivative, lambda, means something */
    N_Vector work;            /* supplied, dissipated, the parts of the dae */
    N_Vector past, past_work; /* the same within the last step */
    double rtol, atol;
    double cj;         /* of the factorisation */
    double *x;         /* n_x: of the last evaluation, normalised */
    double *rates;     /* n_x */
    double *tangent;   /* n_v */
    double *shift;     /* n_v + n_l */
    phx_status status; /* of the dae's operation that failed last inside SUNDIALS */
    char text[TEXT];   /* last message of SUNDIALS */
    int restarts;      /* after failures */
    double restarted_at;
    long rejected, iterations;       /* before IDA was started last */
    int order;                       /* the highest that IDA may use */
    bool trial;                      /* of `order`; else it is settled */
    long steps, wait;                /* since it was set; until the next trial */
    double mark, pace, settled_pace; /* start of the window; mean step of the last one, and before the trial */
} ida;

static double *entries(N_Vector vector)
{
    return N_VGetArrayPointer(vector);
}

/* x of y with attitudes that are rotations. */
static const double *configuration(ida *m, N_Vector y)
{
    phx_dae *dae = m->base.run->dae;
    memcpy(m->x, entries(y), (size_t)dae->n_x * sizeof *m->x);
    dae->ops->normalise(dae, m->x, false);
    return m->x;
}

/* lambda = mu_dot */
static const double *multipliers(const ida *m, N_Vector y_dot)
{
    return entries(y_dot) + m->base.run->dae->n_x + m->base.run->dae->n_v;
}

/* Zero: success, positive: try again with a smaller step, negative: give up. SUNDIALS may go on calling after a
 * failure, so a fatal status is not overwritten. */
static int to_sundials(ida *m, phx_status status)
{
    if (m->status >= 0)
        m->status = status;
    return status == PHX_OK ? 0 : status > 0 ? 1 : -1;
}

/* ---- functions called by SUNDIALS ---- */
static int residual(double t, N_Vector y, N_Vector y_dot, N_Vector res, void *user)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    int n_x = dae->n_x;
    const double *x = configuration(m, y), *v = entries(y) + n_x, *x_dot = entries(y_dot), *v_dot = x_dot + n_x;
    double *res_x = entries(res);
    dae->ops->rates(dae, entries(y), v, m->rates);
    for (int k = 0; k < n_x; k++)
        res_x[k] = x_dot[k] - m->rates[k];
    return to_sundials(m, dae->ops->residual(dae, t, x, v, v_dot, multipliers(m, y_dot), res_x + n_x));
}

static int jacobian(double t, double cj, N_Vector y, N_Vector y_dot, N_Vector res, SUNMatrix matrix, void *user,
                    N_Vector work1, N_Vector work2, N_Vector work3)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    const double *x = configuration(m, y), *v = entries(y) + dae->n_x;
    (void)res, (void)matrix, (void)work1, (void)work2, (void)work3;
    m->cj = cj;
    m->base.run->stats->linearisations++;
    return to_sundials(m, dae->ops->linearise(dae, t, x, v, multipliers(m, y_dot)));
}

static int quadrature(double t, N_Vector y, N_Vector y_dot, N_Vector power, void *user)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    const double *x = configuration(m, y), *v = entries(y) + dae->n_x;
    double *out = entries(power);
    const phx_status status = dae->ops->power(dae, t, x, v, multipliers(m, y_dot), &out[0], &out[1]);
    for (int k = 0; k < dae->n_parts && status == PHX_OK; k++)
        out[2 + k] = dae->parts[k];
    return to_sundials(m, status);
}

/* 1/(atol + rtol |y|), with the length of the vector for |y| of a velocity: a component that joints hold near zero
 * follows from positions, whose errors are relative to their size, and cannot be known to atol alone. Impulses have
 * no weight; their effect on the velocities has. */
static int weights(N_Vector y, N_Vector weight, void *user)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    const int n_x = dae->n_x, n = n_x + dae->n_v;
    double *w = entries(weight);
    for (int k = 0; k < n; k++)
        w[k] = fabs(entries(y)[k]);
    if (dae->ops->velocity_sizes)
        dae->ops->velocity_sizes(dae, entries(y) + n_x, w + n_x);
    for (int k = 0; k < n; k++)
        w[k] = 1.0 / (m->atol + m->rtol * w[k]);
    memset(w + n, 0, (size_t)dae->n_l * sizeof *w);
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

/* b = (b_x, b_v, b_l):  A(cj) (dv, dlambda) = (b_v, b_l) - [K; K_l] tangent(b_x)/cj,   dx = (b_x + T dv)/cj,
 * dmu = dlambda/cj */
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
    for (int k = dae->n_v; k < n; k++)
        dv[k] /= m->cj;
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
/* y and y_dot of the accepted state: lambda and v_dot solve the acceleration-level system; impulses count from here. */
static phx_status consistent_start(ida *m)
{
    phx_run *run = m->base.run;
    phx_dae *dae = run->dae;
    size_t n_x = (size_t)dae->n_x, n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l;
    double *y = entries(m->y), *y_dot = entries(m->y_dot);
    memset(y, 0, (n_x + n_v + n_l) * sizeof *y);
    memcpy(y, run->x, n_x * sizeof *y);
    memcpy(y + n_x, run->v, n_v * sizeof *y);
    dae->ops->rates(dae, run->x, run->v, y_dot);
    entries(m->work)[0] = run->work.supplied;
    entries(m->work)[1] = run->work.dissipated;
    memcpy(entries(m->work) + 2, run->ledger, (size_t)dae->n_parts * sizeof *run->ledger);
    return dae->ops->accelerations(dae, run->t, run->x, run->v, y_dot + n_x, y_dot + n_x + n_v);
}

static void count(const ida *m)
{
    long errors = 0, solves = 0, iterations = 0;
    phx_integrate_stats *stats = m->base.run->stats;
    IDAGetNumErrTestFails(m->memory, &errors);
    IDAGetNumNonlinSolvConvFails(m->memory, &solves);
    IDAGetNumNonlinSolvIters(m->memory, &iterations);
    stats->rejected = m->rejected + errors + solves;
    stats->newton_iterations = m->iterations + iterations;
}

/* Begin anew at the state reached, with its velocities on the constraints, at order 1. */
static phx_status begin_anew(ida *m, int order)
{
    phx_run *run = m->base.run;
    m->rejected = run->stats->rejected;
    m->iterations = run->stats->newton_iterations;
    m->order = order;
    m->steps = 0;
    m->mark = run->t;
    phx_work work = {0};
    phx_status status = run->dae->ops->project(run->dae, run->t, 1.0, false, false, run->x, run->v, run->lambda, &work);
    run->work.supplied += work.supplied;
    run->work.dissipated += work.dissipated;
    for (int k = 0; k < run->dae->n_parts && status == PHX_OK; k++)
        run->ledger[k] += run->dae->parts[k];
    if (status == PHX_OK)
        status = consistent_start(m);
    if (status != PHX_OK)
        return status;
    if (IDASetMaxOrd(m->memory, order) != IDA_SUCCESS || IDAReInit(m->memory, run->t, m->y, m->y_dot) != IDA_SUCCESS ||
        IDAQuadReInit(m->memory, m->work) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA cannot be restarted: %s", m->text);
    return PHX_OK;
}

/* After a failure, which may be a jump of a prescribed speed: behind it, at one time only once. */
static phx_status restart(ida *m, double to, bool *restarted)
{
    phx_run *run = m->base.run;
    *restarted = m->restarts < MOST_RESTARTS && run->t > m->restarted_at;
    if (!*restarted)
        return PHX_OK;
    m->restarts++;
    double least = phx_run_smallest_step(run);
    run->t = run->t + 8.0 * least < to ? run->t + 2.0 * least : to;
    m->restarted_at = run->t;
    return begin_anew(m, m->order);
}

static phx_status try_order(ida *m, int order)
{
    phx_status status = begin_anew(m, order);
    return status == PHX_OK ? PHX_OK : phx_run_stop(m->base.run, status);
}

/* Settled: after a wait try the other order. In a trial: the order stays as soon as it makes longer steps, and goes
 * when they do not grow any more; waits grow while trials fail. */
static phx_status choose_order(ida *m)
{
    double t = m->base.run->t, pace = (t - m->mark) / WINDOW;
    int other = m->order == STABLE_ORDER ? HIGHEST_ORDER : STABLE_ORDER;
    m->steps++;
    if (m->steps % WINDOW != 0)
        return PHX_OK;
    m->mark = t;
    if (!m->trial && m->steps >= m->wait && m->rtol > TIGHT) {
        m->trial = true;
        m->settled_pace = pace;
        m->pace = 0.0;
        return try_order(m, other);
    }
    bool better = m->order == STABLE_ORDER ? pace > WORTH * m->settled_pace : WORTH * pace > m->settled_pace,
         grows = pace > GROWS * m->pace;
    m->pace = pace;
    if (!m->trial || (grows && !better))
        return PHX_OK;
    m->trial = false;
    m->steps = 0;
    m->wait = 2 * m->wait < MOST_WAIT ? 2 * m->wait : MOST_WAIT;
    return better ? PHX_OK : try_order(m, other);
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
    memcpy(run->lambda1, multipliers(m, m->y_dot), (size_t)dae->n_l * sizeof *y);
    run->dae->ops->normalise(run->dae, run->x1, true);
    run->work1 = (phx_work){.supplied = work[0] - run->work.supplied, .dissipated = work[1] - run->work.dissipated};
    for (int k = 0; k < dae->n_parts; k++)
        run->ledger1[k] = work[2 + k] - run->ledger[k];
    return phx_run_accept(run, t1, h);
}

static phx_status failed(ida *m, double to, double h)
{
    phx_run *run = m->base.run;
    bool restarted = false;
    phx_status status = m->status < 0 ? m->status : restart(m, to, &restarted);
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
    while (run->t < to) {
        double t1 = run->t, h = 0.0;
        if (phx_branch_is_near(run)) {
            phx_status status = phx_branch_cross(run, method, phx_branch_end(run));
            if (status == PHX_OK && run->t > t1)
                status = phx_run_sample_step(run);
            if (status == PHX_OK)
                status = begin_anew(m, m->order);
            if (status != PHX_OK)
                return status;
            continue;
        }
        const double stop =
            run->t + phx_branch_limit(run, to - run->t) < to ? run->t + phx_branch_limit(run, to - run->t) : to;
        IDASetStopTime(m->memory, stop);
        run->reason = NULL;
        m->status = PHX_OK;
        int flag = IDASolve(m->memory, stop, &t1, m->y, m->y_dot, IDA_ONE_STEP);
        phx_status status;
        if (flag >= 0 && m->status >= 0) {
            status = accept(m, flag == IDA_TSTOP_RETURN ? stop : t1);
            if (status == PHX_OK)
                status = phx_run_sample_step(run);
            count(m);
            if (status == PHX_OK)
                status = choose_order(m);
        } else {
            IDAGetCurrentStep(m->memory, &h);
            count(m);
            status = failed(m, to, h);
        }
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

/* ---- memory ---- */
static void ida_destroy(phx_method *method)
{
    ida *m = (ida *)method;
    if (m->memory)
        IDASetMaxOrd(m->memory, HIGHEST_ORDER); /* IDAS frees as many vectors of the quadrature as this says */
    IDAFree(&m->memory);
    if (m->solver)
        SUNLinSolFreeEmpty(m->solver);
    if (m->matrix)
        SUNMatFreeEmpty(m->matrix);
    N_VDestroy(m->y);
    N_VDestroy(m->y_dot);
    N_VDestroy(m->id);
    N_VDestroy(m->work);
    N_VDestroy(m->past);
    N_VDestroy(m->past_work);
    SUNContext_Free(&m->sun);
    phx_free(m->x);
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
    m->rates = phx_calloc(run->context, n_x, sizeof *m->rates);
    m->tangent = phx_calloc(run->context, n_v, sizeof *m->tangent);
    m->shift = phx_calloc(run->context, n_v + n_l, sizeof *m->shift);
    if (!m->x || !m->rates || !m->tangent || !m->shift)
        return PHX_ERR_MEMORY;

    sunindextype n = dae->n_x + dae->n_v + dae->n_l;
    if (SUNContext_Create(NULL, &m->sun) != 0)
        return phx_fail(run->context, PHX_ERR_MEMORY, "no memory for SUNDIALS");
    m->y = N_VNew_Serial(n, m->sun);
    m->y_dot = N_VNew_Serial(n, m->sun);
    m->id = N_VNew_Serial(n, m->sun);
    m->work = N_VNew_Serial(2 + dae->n_parts, m->sun);
    m->past = N_VNew_Serial(n, m->sun);
    m->past_work = N_VNew_Serial(2 + dae->n_parts, m->sun);
    m->matrix = SUNMatNewEmpty(m->sun);
    m->solver = SUNLinSolNewEmpty(m->sun);
    m->memory = IDACreate(m->sun);
    if (!m->y || !m->y_dot || !m->id || !m->work || !m->past || !m->past_work || !m->matrix || !m->solver || !m->memory)
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
        IDASetQuadErrCon(memory, SUNFALSE) == IDA_SUCCESS && IDASetDeltaCjLSetup(memory, CJ_CHANGE) == IDA_SUCCESS &&
        IDASetMaxErrTestFails(memory, MOST_FAILURES) == IDA_SUCCESS &&
        IDASetMaxConvFails(memory, MOST_FAILURES) == IDA_SUCCESS;
    good = good && IDASetMinStep(memory, phx_run_smallest_step(run)) == IDA_SUCCESS;
    if (good && !chooses)
        good = IDASetMaxStep(memory, run->options.step) == IDA_SUCCESS;
    return good ? PHX_OK : phx_fail(run->context, PHX_ERR_LIBRARY, "IDA cannot be set up: %s", m->text);
}

/* By the polynomial of the last step, as exact as the step. */
static phx_status ida_look_back(phx_method *method, double t, phx_run *into)
{
    ida *m = (ida *)method;
    phx_run *run = method->run;
    const phx_dae *dae = run->dae;
    const double *y = entries(m->past), *work = entries(m->past_work);
    if (IDAGetDky(m->memory, t, 0, m->past) != IDA_SUCCESS ||
        IDAGetQuadDky(m->memory, t, 0, m->past_work) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA does not tell the state at t = %.9g s: %s", t, m->text);
    memcpy(into->x, y, (size_t)dae->n_x * sizeof *y);
    memcpy(into->v, y + dae->n_x, (size_t)dae->n_v * sizeof *y);
    run->dae->ops->normalise(run->dae, into->x, true);
    into->work = (phx_work){.supplied = work[0], .dissipated = work[1]};
    memcpy(into->ledger, work + 2, (size_t)dae->n_parts * sizeof *work);
    if (IDAGetDky(m->memory, t, 1, m->past) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA does not tell the rates at t = %.9g s: %s", t, m->text);
    memcpy(into->lambda, multipliers(m, m->past), (size_t)dae->n_l * sizeof *y);
    return PHX_OK;
}

static const phx_method_ops ida_ops = {.destroy = ida_destroy, .look_back = ida_look_back, .advance = ida_advance};

phx_status phx_ida_create(phx_run *run, phx_method **method)
{
    ida *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    m->base = (phx_method){.ops = &ida_ops, .run = run};
    m->restarted_at = -INFINITY;
    m->order = HIGHEST_ORDER;
    m->wait = LEAST_WAIT;
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
