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
#include <sundials/sundials_config.h>

enum { SLOT = 0, MOST_RESTARTS = 20, MOST_FAILURES = 40, TEXT = 256, STABLE_ORDER = 2, HIGHEST_ORDER = 5 };
static const double DEFAULT_ATOL = 1e-2; /* of rtol */
#define FIXED_RTOL 1e-8                  /* where the user gives a step instead */
/* IDA's scaling for a cj that has changed does not fit the rows of the constraints, which have none: factor anew. */
static const double CJ_CHANGE = 1e-2;
/* Steps between measurements of the pace; the least and the most between trials of the other order; how much longer
 * steps must be for it to stay; and how much longer they must become for the trial to go on. */
enum { WINDOW = 100, LEAST_WAIT = 500, MOST_WAIT = 25600 };
static const double WORTH = 10.0, GROWS = 1.2;
/* Order 2 is not tried below this rtol: the errors of its steps add up to many times the tolerance. */
static const double TIGHT = 1e-7;

/* Objects of SUNDIALS. */
typedef struct ida_library {
    SUNContext context;
    void *memory;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    phx_status status; /* of the dae's operation that failed last inside it */
    char text[TEXT];   /* its last message */
} ida_library;

typedef struct ida_vectors {
    N_Vector y, y_dot, id;    /* n_x + n_v + n_l; of mu only the derivative, lambda, means something */
    N_Vector work;            /* supplied, dissipated, the parts of the dae */
    N_Vector past, past_work; /* the same within the last step */
} ida_vectors;

/* The last evaluation and what a solution with A(cj) needs. */
typedef struct ida_linear {
    double cj;       /* of the factorisation */
    double *x;       /* n_x: normalised */
    double *rates;   /* n_x */
    double *tangent; /* n_v */
    double *shift;   /* n_v + n_l */
} ida_linear;

/* Starts of IDA anew after failures, and the counts of the statistics before the last one. */
typedef struct ida_starts {
    int count;
    double at;
    long rejected, iterations;
} ida_starts;

/* The highest order that IDA may use, and the search for the one that is faster. */
typedef struct ida_order {
    int most;
    bool trial;                      /* of it; else it is settled */
    long steps, wait;                /* since it was set; until the next trial */
    double mark, pace, settled_pace; /* start of the window; mean step of the last one, and before the trial */
} ida_order;

typedef struct ida {
    phx_method base;
    ida_library library;
    ida_vectors vectors;
    double rtol, atol;
    ida_linear linear;
    ida_starts starts;
    ida_order choice;
} ida;

static double *entries(N_Vector vector)
{
    return N_VGetArrayPointer(vector);
}

/* x of y with attitudes that are rotations. */
static const double *configuration(ida *m, N_Vector y)
{
    phx_dae *dae = m->base.run->dae;
    memcpy(m->linear.x, entries(y), (size_t)dae->n_x * sizeof *m->linear.x);
    dae->ops->normalise(dae, m->linear.x, false);
    return m->linear.x;
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
    if (m->library.status >= 0)
        m->library.status = status;
    return status == PHX_OK ? 0 : status > 0 ? 1 : -1;
}

/* ---- functions called by SUNDIALS ---- */
static int ida_residual(double t, N_Vector y, N_Vector y_dot, N_Vector res, void *user)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    int n_x = dae->n_x;
    const double *x = configuration(m, y), *v = entries(y) + n_x, *x_dot = entries(y_dot), *v_dot = x_dot + n_x;
    double *res_x = entries(res);
    /* theory 6 (2): x' = T(x) nu,  M nu' = f + G^T mu',  0 = G nu - w */
    dae->ops->rates(dae, entries(y), v, m->linear.rates);
    for (int k = 0; k < n_x; k++)
        res_x[k] = x_dot[k] - m->linear.rates[k];
    return to_sundials(m, dae->ops->residual(dae, t, x, v, v_dot, multipliers(m, y_dot), res_x + n_x));
}

static int jacobian(double t, double cj, N_Vector y, N_Vector y_dot, N_Vector res, SUNMatrix matrix, void *user,
                    N_Vector work1, N_Vector work2, N_Vector work3)
{
    ida *m = user;
    phx_dae *dae = m->base.run->dae;
    const double *x = configuration(m, y), *v = entries(y) + dae->n_x;
    (void)res, (void)matrix, (void)work1, (void)work2, (void)work3;
    m->linear.cj = cj;
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

/* The messages of SUNDIALS, which go to a context from version 7 on, to a solver before. */
#if SUNDIALS_VERSION_MAJOR >= 7
static const SUNComm NO_PROCESSES = SUN_COMM_NULL;
static void remark(int line, const char *function, const char *file, const char *text, SUNErrCode code, void *user,
                   SUNContext context)
{
    ida *m = user;
    (void)line, (void)file, (void)code, (void)context;
    snprintf(m->library.text, sizeof m->library.text, "%s: %s", function, text ? text : "");
}

static bool hear(ida *m)
{
    return SUNContext_ClearErrHandlers(m->library.context) == SUN_SUCCESS &&
           SUNContext_PushErrHandler(m->library.context, remark, m) == SUN_SUCCESS;
}
#else
static void *const NO_PROCESSES = NULL;
static void remark(int code, const char *module, const char *function, char *text, void *user)
{
    ida *m = user;
    (void)code, (void)module;
    snprintf(m->library.text, sizeof m->library.text, "%s: %s", function, text);
}

static bool hear(ida *m)
{
    return IDASetErrHandlerFn(m->library.memory, remark, m) == IDA_SUCCESS;
}
#endif

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
    return to_sundials(m, dae->ops->factor(dae, SLOT, m->linear.cj));
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
    dae->ops->tangent(dae, m->linear.x, b, m->linear.tangent);
    memmove(dv, b + n_x, (size_t)n * sizeof *dv);
    phx_status status = phx_solve_eliminated(dae, SLOT, m->linear.cj, m->linear.tangent, m->linear.shift, dv);
    dae->ops->rates(dae, m->linear.x, dv, m->linear.rates);
    for (int k = 0; k < n_x; k++)
        dx[k] = (b[k] + m->linear.rates[k]) / m->linear.cj;
    for (int k = dae->n_v; k < n; k++)
        dv[k] /= m->linear.cj;
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
    double *y = entries(m->vectors.y), *y_dot = entries(m->vectors.y_dot);
    memset(y, 0, (n_x + n_v + n_l) * sizeof *y);
    memcpy(y, run->x, n_x * sizeof *y);
    memcpy(y + n_x, run->v, n_v * sizeof *y);
    dae->ops->rates(dae, run->x, run->v, y_dot);
    entries(m->vectors.work)[0] = run->work.supplied;
    entries(m->vectors.work)[1] = run->work.dissipated;
    memcpy(entries(m->vectors.work) + 2, run->ledger, (size_t)dae->n_parts * sizeof *run->ledger);
    return dae->ops->accelerations(dae, run->t, run->x, run->v, y_dot + n_x, y_dot + n_x + n_v);
}

static void count(const ida *m)
{
    long errors = 0, solves = 0, iterations = 0;
    phx_integrate_stats *stats = m->base.run->stats;
    IDAGetNumErrTestFails(m->library.memory, &errors);
    IDAGetNumNonlinSolvConvFails(m->library.memory, &solves);
    IDAGetNumNonlinSolvIters(m->library.memory, &iterations);
    stats->rejected = m->starts.rejected + errors + solves;
    stats->newton_iterations = m->starts.iterations + iterations;
}

/* Begin anew at the state reached, with its velocities on the constraints, at order 1. */
static phx_status begin_anew(ida *m, int order)
{
    phx_run *run = m->base.run;
    m->starts.rejected = run->stats->rejected;
    m->starts.iterations = run->stats->newton_iterations;
    m->choice.most = order;
    m->choice.steps = 0;
    m->choice.mark = run->t;
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
    if (IDASetMaxOrd(m->library.memory, order) != IDA_SUCCESS ||
        IDAReInit(m->library.memory, run->t, m->vectors.y, m->vectors.y_dot) != IDA_SUCCESS ||
        IDAQuadReInit(m->library.memory, m->vectors.work) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA cannot be restarted: %s", m->library.text);
    return PHX_OK;
}

/* After a failure, which may be a jump of a prescribed speed, or of a speed that follows a kink in what a point slides
 * along: behind it, at one time only once. */
static phx_status restart(ida *m, double to, bool *restarted)
{
    phx_run *run = m->base.run;
    *restarted = m->starts.count < MOST_RESTARTS && run->t > m->starts.at;
    if (!*restarted)
        return PHX_OK;
    m->starts.count++;
    phx_dae *dae = run->dae;
    const double least = phx_run_smallest_step(run), t = run->t + 8.0 * least < to ? run->t + 2.0 * least : to;
    dae->ops->rates(dae, run->x, run->v, m->linear.rates);
    for (int k = 0; k < dae->n_x; k++)
        run->x[k] += (t - run->t) * m->linear.rates[k];
    m->starts.at = run->t = t;
    return begin_anew(m, m->choice.most);
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
    double t = m->base.run->t, pace = (t - m->choice.mark) / WINDOW;
    int other = m->choice.most == STABLE_ORDER ? HIGHEST_ORDER : STABLE_ORDER;
    m->choice.steps++;
    if (m->choice.steps % WINDOW != 0)
        return PHX_OK;
    m->choice.mark = t;
    m->starts.count = 0;
    if (!m->choice.trial && m->choice.steps >= m->choice.wait && m->rtol > TIGHT) {
        m->choice.trial = true;
        m->choice.settled_pace = pace;
        m->choice.pace = 0.0;
        return try_order(m, other);
    }
    bool better = m->choice.most == STABLE_ORDER ? pace > WORTH * m->choice.settled_pace
                                                 : WORTH * pace > m->choice.settled_pace,
         grows = pace > GROWS * m->choice.pace;
    m->choice.pace = pace;
    if (!m->choice.trial || (grows && !better))
        return PHX_OK;
    m->choice.trial = false;
    m->choice.steps = 0;
    m->choice.wait = 2 * m->choice.wait < MOST_WAIT ? 2 * m->choice.wait : MOST_WAIT;
    return better ? PHX_OK : try_order(m, other);
}

/* Takes over the state, multipliers and work that IDA has reached at t1 and reports the step to the run; attitudes are
 * normalised. */
static phx_status accept(ida *m, double t1)
{
    phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    const double *y = entries(m->vectors.y), *work = entries(m->vectors.work);
    double t_work, h = 0.0;
    if (IDAGetQuad(m->library.memory, &t_work, m->vectors.work) != IDA_SUCCESS ||
        IDAGetLastStep(m->library.memory, &h) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA does not tell its work: %s", m->library.text);
    memcpy(run->trial.x, y, (size_t)dae->n_x * sizeof *y);
    memcpy(run->trial.v, y + dae->n_x, (size_t)dae->n_v * sizeof *y);
    memcpy(run->trial.lambda, multipliers(m, m->vectors.y_dot), (size_t)dae->n_l * sizeof *y);
    run->dae->ops->normalise(run->dae, run->trial.x, true);
    run->trial.work =
        (phx_work){.supplied = work[0] - run->work.supplied, .dissipated = work[1] - run->work.dissipated};
    for (int k = 0; k < dae->n_parts; k++)
        run->trial.ledger[k] = work[2 + k] - run->ledger[k];
    return phx_run_accept(run, t1, h);
}

static phx_status failed(ida *m, double to, double h)
{
    phx_run *run = m->base.run;
    bool restarted = false;
    phx_status status = m->library.status < 0 ? m->library.status : restart(m, to, &restarted);
    if (restarted && status == PHX_OK)
        return PHX_OK;
    if (status == PHX_OK)
        status = phx_run_blame(run, PHX_NOT_CONVERGED, h, m->library.text, NULL);
    return phx_run_stop(run, status);
}

/* Lets IDA step up to the time `to` and samples after each step. Singular positions are crossed by the midpoint rule
 * and IDA starts again after them. */
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
                status = begin_anew(m, m->choice.most);
            if (status != PHX_OK)
                return status;
            continue;
        }
        const double stop =
            run->t + phx_branch_limit(run, to - run->t) < to ? run->t + phx_branch_limit(run, to - run->t) : to;
        IDASetStopTime(m->library.memory, stop);
        run->failure.reason = NULL;
        m->library.status = PHX_OK;
        int flag = IDASolve(m->library.memory, stop, &t1, m->vectors.y, m->vectors.y_dot, IDA_ONE_STEP);
        phx_status status;
        if (flag >= 0 && m->library.status >= 0) {
            status = accept(m, flag == IDA_TSTOP_RETURN ? stop : t1);
            if (status == PHX_OK)
                status = phx_run_sample_step(run);
            count(m);
            if (status == PHX_OK)
                status = choose_order(m);
        } else {
            IDAGetCurrentStep(m->library.memory, &h);
            count(m);
            status = failed(m, to, h);
        }
        if (status != PHX_OK)
            return status;
    }
    return PHX_OK;
}

/* ---- memory ---- */
static void destroy_vectors(ida_vectors *vectors)
{
    N_VDestroy(vectors->y);
    N_VDestroy(vectors->y_dot);
    N_VDestroy(vectors->id);
    N_VDestroy(vectors->work);
    N_VDestroy(vectors->past);
    N_VDestroy(vectors->past_work);
}

static void free_linear(ida_linear *linear)
{
    phx_free(linear->x);
    phx_free(linear->rates);
    phx_free(linear->tangent);
    phx_free(linear->shift);
}

/* Frees IDA's objects and the method's arrays; also after a partial creation. */
static void ida_destroy(phx_method *method)
{
    ida *m = (ida *)method;
    ida_library *library = &m->library;
    if (library->memory)
        IDASetMaxOrd(library->memory, HIGHEST_ORDER); /* IDAS frees as many vectors of the quadrature as this says */
    IDAFree(&library->memory);
    if (library->solver)
        SUNLinSolFreeEmpty(library->solver);
    if (library->matrix)
        SUNMatFreeEmpty(library->matrix);
    destroy_vectors(&m->vectors);
    SUNContext_Free(&library->context);
    free_linear(&m->linear);
    phx_free(m);
}

static phx_status create_linear(phx_context *context, const phx_dae *dae, ida_linear *made)
{
    made->x = phx_calloc(context, (size_t)dae->n_x, sizeof *made->x);
    made->rates = phx_calloc(context, (size_t)dae->n_x, sizeof *made->rates);
    made->tangent = phx_calloc(context, (size_t)dae->n_v, sizeof *made->tangent);
    made->shift = phx_calloc(context, (size_t)dae->n_v + (size_t)dae->n_l, sizeof *made->shift);
    return made->x && made->rates && made->tangent && made->shift ? PHX_OK : PHX_ERR_MEMORY;
}

/* Whether all of them could be made. */
static bool create_vectors(SUNContext context, const phx_dae *dae, ida_vectors *made)
{
    const sunindextype n = dae->n_x + dae->n_v + dae->n_l;
    made->y = N_VNew_Serial(n, context);
    made->y_dot = N_VNew_Serial(n, context);
    made->id = N_VNew_Serial(n, context);
    made->work = N_VNew_Serial(2 + dae->n_parts, context);
    made->past = N_VNew_Serial(n, context);
    made->past_work = N_VNew_Serial(2 + dae->n_parts, context);
    return made->y && made->y_dot && made->id && made->work && made->past && made->past_work;
}

/* Creates IDA's context, vectors, matrix, linear solver and memory; after an error ida_destroy frees the parts made so
 * far. */
static phx_status ida_allocate(ida *m)
{
    phx_run *run = m->base.run;
    ida_library *library = &m->library;
    const phx_dae *dae = run->dae;
    const phx_status status = create_linear(run->context, dae, &m->linear);
    if (status != PHX_OK)
        return status;
    if (SUNContext_Create(NO_PROCESSES, &library->context) != 0)
        return phx_fail(run->context, PHX_ERR_MEMORY, "no memory for SUNDIALS");
    const bool made = create_vectors(library->context, dae, &m->vectors);
    library->matrix = SUNMatNewEmpty(library->context);
    library->solver = SUNLinSolNewEmpty(library->context);
    library->memory = IDACreate(library->context);
    if (!made || !library->matrix || !library->solver || !library->memory)
        return phx_fail(run->context, PHX_ERR_MEMORY, "no memory for IDA with %ld unknowns",
                        (long)dae->n_x + dae->n_v + dae->n_l);
    return PHX_OK;
}

static void set_solver(ida *m)
{
    m->library.matrix->ops->getid = matrix_id;
    m->library.matrix->ops->zero = matrix_zero;
    m->library.solver->ops->gettype = solver_type;
    m->library.solver->ops->getid = solver_id;
    m->library.solver->ops->setup = solver_setup;
    m->library.solver->ops->solve = solver_solve;
    m->library.solver->content = m;
}

/* Hands equations, tolerances, linear solver and quadrature to IDA. With rtol = 0 the tolerance is FIXED_RTOL and the
 * step of the options is the longest allowed. */
static phx_status set_up(ida *m)
{
    phx_run *run = m->base.run;
    const phx_dae *dae = run->dae;
    double *id = entries(m->vectors.id);
    for (int k = 0; k < dae->n_x + dae->n_v + dae->n_l; k++)
        id[k] = k < dae->n_x + dae->n_v ? 1.0 : 0.0;
    set_solver(m);
    bool chooses = run->options.rtol > 0.0;
    m->rtol = chooses ? run->options.rtol : FIXED_RTOL;
    m->atol = run->options.atol > 0.0 ? run->options.atol : DEFAULT_ATOL * m->rtol;
    void *memory = m->library.memory;
    bool good = hear(m) && IDASetUserData(memory, m) == IDA_SUCCESS &&
                IDAInit(memory, ida_residual, run->t, m->vectors.y, m->vectors.y_dot) == IDA_SUCCESS &&
                IDAWFtolerances(memory, weights) == IDA_SUCCESS && IDASetId(memory, m->vectors.id) == IDA_SUCCESS &&
                IDASetSuppressAlg(memory, SUNTRUE) == IDA_SUCCESS &&
                IDASetLinearSolver(memory, m->library.solver, m->library.matrix) == IDA_SUCCESS &&
                IDASetJacFn(memory, jacobian) == IDA_SUCCESS &&
                IDAQuadInit(memory, quadrature, m->vectors.work) == IDA_SUCCESS &&
                IDASetQuadErrCon(memory, SUNFALSE) == IDA_SUCCESS &&
                IDASetDeltaCjLSetup(memory, CJ_CHANGE) == IDA_SUCCESS &&
                IDASetMaxErrTestFails(memory, MOST_FAILURES) == IDA_SUCCESS &&
                IDASetMaxConvFails(memory, MOST_FAILURES) == IDA_SUCCESS;
    good = good && IDASetMinStep(memory, phx_run_smallest_step(run)) == IDA_SUCCESS;
    if (good && !chooses)
        good = IDASetMaxStep(memory, run->options.step) == IDA_SUCCESS;
    return good ? PHX_OK : phx_fail(run->context, PHX_ERR_LIBRARY, "IDA cannot be set up: %s", m->library.text);
}

/* By the polynomial of the last step, as exact as the step. */
static phx_status ida_look_back(phx_method *method, double t, phx_run *into)
{
    ida *m = (ida *)method;
    phx_run *run = method->run;
    const phx_dae *dae = run->dae;
    const double *y = entries(m->vectors.past), *work = entries(m->vectors.past_work);
    if (IDAGetDky(m->library.memory, t, 0, m->vectors.past) != IDA_SUCCESS ||
        IDAGetQuadDky(m->library.memory, t, 0, m->vectors.past_work) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA does not tell the state at t = %.9g s: %s", t,
                        m->library.text);
    memcpy(into->x, y, (size_t)dae->n_x * sizeof *y);
    memcpy(into->v, y + dae->n_x, (size_t)dae->n_v * sizeof *y);
    run->dae->ops->normalise(run->dae, into->x, true);
    into->work = (phx_work){.supplied = work[0], .dissipated = work[1]};
    memcpy(into->ledger, work + 2, (size_t)dae->n_parts * sizeof *work);
    if (IDAGetDky(m->library.memory, t, 1, m->vectors.past) != IDA_SUCCESS)
        return phx_fail(run->context, PHX_ERR_LIBRARY, "IDA does not tell the rates at t = %.9g s: %s", t,
                        m->library.text);
    memcpy(into->lambda, multipliers(m, m->vectors.past), (size_t)dae->n_l * sizeof *y);
    return PHX_OK;
}

static const phx_method_ops ida_ops = {.destroy = ida_destroy, .look_back = ida_look_back, .advance = ida_advance};

/* Creates the method with consistent initial rates for a run. */
static phx_status create_ida(phx_run *run, phx_method **method)
{
    ida *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m)
        return PHX_ERR_MEMORY;
    m->base = (phx_method){.ops = &ida_ops, .run = run};
    m->starts.at = -INFINITY;
    m->choice.most = HIGHEST_ORDER;
    m->choice.wait = LEAST_WAIT;
    phx_status status = ida_allocate(m);
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

const phx_method_kind phx_method_ida = {
    .traits.name = "ida", .traits.order = 5, .traits.chooses = true, .traits.rtol = FIXED_RTOL, .create = create_ida};
