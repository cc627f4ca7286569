/* The methods of NLopt. */
#include "optimizer.h"

#include <loaded/nlopt.h>
#include <math.h>
#include <string.h>

static const double FIRST_STEP = 0.1; /* of methods without derivatives, of the scale of a variable */

typedef struct nlopt_run {
    const phx_optimizer *optimizer;
    nlopt_opt opt;
} nlopt_run;
/* Functions [first, first + m) of a point. */
typedef struct nlopt_rows {
    nlopt_run *run;
    int first;
} nlopt_rows;

/* Rows of a point and, unless gradient is NULL, their derivatives; those of a stopped search are of no meaning. */
static void rows_of(unsigned m, double *result, unsigned n, const double *x, double *gradient, void *data)
{
    const nlopt_rows *rows = data;
    const phx_optimizer *optimizer = rows->run->optimizer;
    const size_t all = 1 + (size_t)optimizer->inequalities + (size_t)optimizer->equalities;
    const double *point = optimizer->evaluate(optimizer->user, x);

    if (!point) {
        nlopt_force_stop(rows->run->opt);
        memset(result, 0, m * sizeof *result);
        if (gradient)
            memset(gradient, 0, (size_t)m * n * sizeof *gradient);
        return;
    }
    memcpy(result, point + rows->first, m * sizeof *result);
    if (gradient)
        memcpy(gradient, point + all + (size_t)rows->first * n, (size_t)m * n * sizeof *gradient);
}

static double objective_of(unsigned n, const double *x, double *gradient, void *data)
{
    double value = 0.0;

    rows_of(1, &value, n, x, gradient, data);
    return value;
}

static nlopt_algorithm algorithm_of(phx_model_optimizer method)
{
    return method == PHX_MODEL_MMA      ? NLOPT_LD_MMA
           : method == PHX_MODEL_SLSQP  ? NLOPT_LD_SLSQP
           : method == PHX_MODEL_BOBYQA ? NLOPT_LN_BOBYQA
                                        : NLOPT_LN_COBYLA;
}

static phx_optimum_end end_of(nlopt_result result)
{
    return result == NLOPT_FTOL_REACHED                                ? PHX_OPTIMUM_OBJECTIVE
           : result == NLOPT_XTOL_REACHED || result == NLOPT_SUCCESS   ? PHX_OPTIMUM_VARIABLES
           : result == NLOPT_FORCED_STOP || result == NLOPT_MAXEVAL_REACHED ? PHX_OPTIMUM_EVALUATIONS
                                                                       : PHX_OPTIMUM_STUCK;
}

/* Bounds, functions and tolerances. `tolerances`: of the constraints, at least one. */
static nlopt_result set_up(const phx_optimizer *optimizer, nlopt_opt opt, nlopt_rows rows[3], const double *tolerances)
{
    const unsigned inequalities = (unsigned)optimizer->inequalities, equalities = (unsigned)optimizer->equalities;
    const nlopt_result results[] = {
        nlopt_set_lower_bounds(opt, optimizer->lower),
        nlopt_set_upper_bounds(opt, optimizer->upper),
        nlopt_set_min_objective(opt, objective_of, &rows[0]),
        inequalities ? nlopt_add_inequality_mconstraint(opt, inequalities, rows_of, &rows[1], tolerances)
                     : NLOPT_SUCCESS,
        equalities ? nlopt_add_equality_mconstraint(opt, equalities, rows_of, &rows[2], tolerances) : NLOPT_SUCCESS,
        nlopt_set_ftol_rel(opt, optimizer->tolerance),
        nlopt_set_xtol_abs1(opt, optimizer->tolerance),
        nlopt_set_maxeval(opt, optimizer->calls),
        nlopt_set_initial_step1(opt, FIRST_STEP)};

    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        if (results[k] < 0)
            return results[k];
    return NLOPT_SUCCESS;
}

phx_status phx_optimizer_run(phx_context *context, const phx_optimizer *optimizer, double *x, phx_optimum_end *end)
{
    const int constraints = optimizer->inequalities + optimizer->equalities;
    nlopt_run run = {.optimizer = optimizer};
    nlopt_rows rows[3] = {{&run, 0}, {&run, 1}, {&run, 1 + optimizer->inequalities}};
    double least = 0.0;
    phx_status status = phx_load_nlopt(context);
    double *tolerances = status ? NULL : phx_calloc(context, (size_t)constraints + 1, sizeof *tolerances);

    if (!tolerances)
        return status ? status : PHX_ERR_MEMORY;
    for (int k = 0; k <= constraints; k++)
        tolerances[k] = optimizer->tolerance;
    run.opt = nlopt_create(algorithm_of(optimizer->method), (unsigned)optimizer->n);
    nlopt_result result = run.opt ? set_up(optimizer, run.opt, rows, tolerances) : NLOPT_OUT_OF_MEMORY;
    if (result > 0)
        result = nlopt_optimize(run.opt, x, &least);
    if (result == NLOPT_OUT_OF_MEMORY)
        status = phx_fail(context, PHX_ERR_MEMORY, "NLopt: out of memory");
    else if (result == NLOPT_INVALID_ARGS)
        status = phx_fail(context, PHX_ERR_LIBRARY, "NLopt: %s", nlopt_get_errmsg(run.opt));
    *end = end_of(result);
    if (run.opt)
        nlopt_destroy(run.opt);
    phx_free(tolerances);
    return status;
}
