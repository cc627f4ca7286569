/* The methods of NLopt. */
#include "search.h"

#include <loaded/nlopt.h>
#include <math.h>
#include <string.h>

static const double FIRST_STEP = 0.1; /* of methods without derivatives, of the scale of a variable */
enum { CALLS = 20 };                  /* of the functions, at most, for each evaluation allowed */

/* Functions [first, first + m) of a search. */
typedef struct nlopt_rows {
    phx_search *search;
    nlopt_opt opt;
    int first;
} nlopt_rows;

/* Rows of a point and, unless gradient is NULL, their derivatives; zero when the search is stopped. */
static void rows_of(unsigned m, double *result, unsigned n, const double *x, double *gradient, void *data)
{
    const nlopt_rows *rows = data;
    const size_t all = 1 + (size_t)rows->search->inequalities + (size_t)rows->search->equalities;
    const double *point = phx_search_see(rows->search, x);

    for (unsigned k = 0; k < m; k++)
        result[k] = point ? point[(unsigned)rows->first + k] : 0.0;
    for (unsigned k = 0; gradient && k < m * n; k++)
        gradient[k] = point ? point[all + (unsigned)rows->first * n + k] : 0.0;
    if (!point)
        nlopt_force_stop(rows->opt);
}

static double objective_of(unsigned n, const double *x, double *gradient, void *data)
{
    double value = 0.0;

    rows_of(1, &value, n, x, gradient, data);
    return value;
}

/* Bounds of x >= 0 and of z, functions, tolerances. `room` has numbers for two bounds and the tolerances. */
static nlopt_result set_up(phx_search *search, nlopt_opt opt, nlopt_rows rows[3], double *room)
{
    const phx_model_optimize *key = search->key;
    const unsigned inequalities = (unsigned)search->inequalities, equalities = (unsigned)search->equalities;
    double *lower = room, *upper = lower + search->n + 1, *tolerances = upper + search->n + 1;

    for (int k = 0; k < 3; k++)
        rows[k] = (nlopt_rows){search, opt, k == 0 ? 0 : k == 1 ? 1 : 1 + search->inequalities};
    for (int p = 0; p < search->n; p++)
        upper[p] = (key->variables[p].max - key->variables[p].min) / phx_search_scale_of(&key->variables[p]);
    lower[search->n] = -HUGE_VAL;
    upper[search->n] = HUGE_VAL;
    for (unsigned k = 0; k < inequalities + equalities; k++)
        tolerances[k] = key->tolerance;
    nlopt_set_lower_bounds(opt, lower);
    nlopt_set_upper_bounds(opt, upper);
    nlopt_set_ftol_rel(opt, key->tolerance);
    nlopt_set_xtol_abs1(opt, key->tolerance);
    nlopt_set_maxeval(opt, CALLS * key->evaluations);
    nlopt_result result = nlopt_set_min_objective(opt, objective_of, &rows[0]);
    if (result > 0 && inequalities)
        result = nlopt_add_inequality_mconstraint(opt, inequalities, rows_of, &rows[1], tolerances);
    if (result > 0 && equalities)
        result = nlopt_add_equality_mconstraint(opt, equalities, rows_of, &rows[2], tolerances);
    return result > 0 ? nlopt_set_initial_step1(opt, FIRST_STEP) : result;
}

/* One run of the method from a row, with its result. */
static phx_status run_once(phx_search *search, int row, double *room, nlopt_result *result)
{
    static const nlopt_algorithm algorithms[] = {[PHX_MODEL_MMA] = NLOPT_LD_MMA,
                                                 [PHX_MODEL_SLSQP] = NLOPT_LD_SLSQP,
                                                 [PHX_MODEL_BOBYQA] = NLOPT_LN_BOBYQA,
                                                 [PHX_MODEL_COBYLA] = NLOPT_LN_COBYLA};
    nlopt_opt opt = nlopt_create(algorithms[search->method], (unsigned)(search->n + search->bounded));
    nlopt_rows rows[3];
    double least = 0.0;
    phx_status status = PHX_OK;

    *result = opt ? set_up(search, opt, rows, room + search->n + 1) : NLOPT_OUT_OF_MEMORY;
    phx_search_x(search, row, room);
    if (*result > 0)
        *result = nlopt_optimize(opt, room, &least);
    if (*result == NLOPT_OUT_OF_MEMORY)
        status = phx_fail(search->context, PHX_ERR_MEMORY, "NLopt: out of memory");
    else if (*result == NLOPT_INVALID_ARGS)
        status = phx_fail(search->context, PHX_ERR_LIBRARY, "NLopt: %s", nlopt_get_errmsg(opt));
    if (opt)
        nlopt_destroy(opt);
    return search->status ? search->status : status;
}

/* From outside of the constraints mma approaches them with multipliers that are too large for the objective afterwards;
 * it begins again at the first point inside. */
phx_status phx_search_run(phx_search *search, phx_optimum_end *end)
{
    nlopt_result result = NLOPT_SUCCESS;
    const bool outside = search->method == PHX_MODEL_MMA && phx_search_violation(search, 0) > 0.0;
    phx_status status = phx_load_nlopt(search->context);
    double *room =
        status ? NULL
               : phx_calloc(search->context, (size_t)(3 * (search->n + 1) + search->inequalities + search->equalities),
                            sizeof *room);

    if (!room)
        return status ? status : PHX_ERR_MEMORY;
    search->approaching = outside;
    status = run_once(search, 0, room, &result);
    if (!status && outside && !search->approaching && !search->full)
        status = run_once(search, search->count - 1, room, &result);
    *end = search->full || result == NLOPT_MAXEVAL_REACHED           ? PHX_OPTIMUM_EVALUATIONS
           : result == NLOPT_FTOL_REACHED                            ? PHX_OPTIMUM_OBJECTIVE
           : result == NLOPT_XTOL_REACHED || result == NLOPT_SUCCESS ? PHX_OPTIMUM_VARIABLES
                                                                     : PHX_OPTIMUM_STUCK;
    phx_free(room);
    return status;
}
