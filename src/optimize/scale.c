/* What the method sees of a point: functions of the size of 1 of variables of the size of 1. */
#include "search.h"

#include <math.h>
#include <string.h>

static const double FAILURE = 1.0; /* added to the objective, in its scale, where an analysis failed */

static double scale_of(const phx_model_variable *variable)
{
    return variable->scale.given ? variable->scale.value : variable->max - variable->min;
}

void phx_search_unscale(const phx_search *search, const double *x, double *variables)
{
    for (int p = 0; p < search->n; p++) {
        const phx_model_variable *variable = &search->key->variables[p];
        variables[p] = fmin(fmax(variable->min + x[p] * scale_of(variable), variable->min), variable->max);
    }
}

void phx_search_scale(const phx_search *search, const double *variables, double *x)
{
    for (int p = 0; p < search->n; p++)
        x[p] = (variables[p] - search->key->variables[p].min) / scale_of(&search->key->variables[p]);
}

/* ---- values ---- */
static double case_value(const phx_search *search, int function, int c, int row)
{
    return search->rows[row][1 + search->n + c * search->functions + function];
}

/* The derivative of a function by a scaled variable. */
static double case_slope(const phx_search *search, int function, int c, int variable, int row)
{
    const int values = search->cases * search->functions, at = (c * search->functions + function) * search->n;

    return search->rows[row][1 + search->n + values + at + variable] * scale_of(&search->key->variables[variable]);
}

static double sign_of(const phx_search *search)
{
    return search->key->kind == PHX_MODEL_MAXIMIZE ? -1.0 : 1.0;
}

/* Of a constraint in a case: (limit - value)/scale of `min`, (value - limit)/scale of the others. */
static double case_excess(const phx_search *search, int function, int c, int row)
{
    const phx_model_constraint *constraint = &search->key->constraints[function - 1];
    const double over = (case_value(search, function, c, row) - constraint->limit) / search->limit_scale[function];

    return constraint->kind == PHX_MODEL_MIN ? -over : over;
}

/* The case that counts: the worst of the objective, the one nearest to or furthest beyond a limit. */
static int worst_case(const phx_search *search, int function, int row)
{
    int worst = 0;
    double largest = -HUGE_VAL;

    for (int c = 0; c < search->cases; c++) {
        double size = function > 0 ? case_excess(search, function, c, row)
                                   : sign_of(search) * case_value(search, function, c, row);
        if (function > 0 && search->key->constraints[function - 1].kind == PHX_MODEL_EQUALS)
            size = fabs(size);
        if (size > largest) {
            largest = size;
            worst = c;
        }
    }
    return worst;
}

double phx_search_value(const phx_search *search, int function, int row)
{
    double sum = 0.0;

    if (function > 0 || search->key->over == PHX_MODEL_WORST)
        return case_value(search, function, worst_case(search, function, row), row);
    for (int c = 0; c < search->cases; c++)
        sum += case_value(search, function, c, row);
    return sum;
}

double phx_search_excess(const phx_search *search, int function, int row)
{
    const double excess = case_excess(search, function, worst_case(search, function, row), row);

    return search->key->constraints[function - 1].kind == PHX_MODEL_EQUALS ? fabs(excess) : excess;
}

double phx_search_violation(const phx_search *search, int row)
{
    double violation = 0.0;

    for (int k = 1; k < search->functions; k++)
        violation = fmax(violation, phx_search_excess(search, k, row));
    return violation;
}

/* Scales: of the objective its size at the start, or its largest change there over the scale of a variable if that is
 * more; of constraints their limits, or the size at the start of one whose limit is zero. */
void phx_search_set_scales(phx_search *search)
{
    double objective = fabs(phx_search_value(search, 0, 0));

    for (int c = 0; c < search->cases && search->slopes; c++)
        for (int p = 0; p < search->n; p++)
            objective = fmax(objective, fabs(case_slope(search, 0, c, p, 0)));
    search->objective_scale = objective > 0.0 ? objective : 1.0;
    for (int k = 1; k < search->functions; k++) {
        search->limit_scale[k] = 1.0;
        const double limit = fabs(search->key->constraints[k - 1].limit), start = fabs(phx_search_value(search, k, 0));
        search->limit_scale[k] = limit > 0.0 ? limit : start > 0.0 ? start : 1.0;
    }
}

int phx_search_best(const phx_search *search)
{
    int best = -1;
    double least = 0.0, violation = 0.0;

    for (int row = 0; row < search->count; row++) {
        if (search->failed[row])
            continue;
        const double excess = phx_search_violation(search, row), f = sign_of(search) * phx_search_value(search, 0, row);
        const double over = excess > search->key->tolerance ? excess : 0.0;
        if (best < 0 || over < violation || (over == violation && f < least)) {
            best = row;
            least = f;
            violation = over;
        }
    }
    return best;
}

/* ---- functions of the method ---- */
/* Its width is that of a variable more where the worst case is one. */
static int width_of(const phx_search *search)
{
    return search->n + search->bounded;
}

void phx_search_count(const phx_search *search, int *inequalities, int *equalities)
{
    *inequalities = search->bounded ? search->cases : 0;
    *equalities = 0;
    for (int k = 1; k < search->functions; k++)
        *(search->key->constraints[k - 1].kind == PHX_MODEL_EQUALS ? equalities : inequalities) += search->cases;
}

/* factor*derivative of a function in a case by the scaled variables, added to a row of the derivatives. */
static void add_slope(const phx_search *search, int function, int c, int row, double factor, double *slope)
{
    for (int p = 0; search->slopes && p < search->n; p++)
        slope[p] += factor * case_slope(search, function, c, p, row);
}

/* The objective: the worst case as a variable z, or as it is, or the sum of all cases. */
static double see_objective(phx_search *search, const double *x, int row, double *slope)
{
    const double factor = sign_of(search) / search->objective_scale;

    if (search->bounded) {
        slope[search->n] = 1.0;
        return x[search->n];
    }
    if (search->key->over == PHX_MODEL_WORST)
        add_slope(search, 0, worst_case(search, 0, row), row, factor, slope);
    for (int c = 0; c < search->cases && search->key->over == PHX_MODEL_SUM; c++)
        add_slope(search, 0, c, row, factor, slope);
    return factor * phx_search_value(search, 0, row);
}

/* f, g and h, then their derivatives: objective; f_c - z of each case if `bounded`; constraints in each case. A point
 * that failed has the functions of the last one that succeeded, and a larger objective. */
const double *phx_search_see(phx_search *search, const double *x, int row)
{
    const int width = width_of(search);
    int inequalities, equalities, of_inequality = 1;
    bool failed = search->failed[row];

    phx_search_count(search, &inequalities, &equalities);
    int of_equality = 1 + inequalities;
    double *seen = search->seen, *slopes = seen + 1 + inequalities + equalities;
    memset(slopes, 0, (size_t)((1 + inequalities + equalities) * width) * sizeof *slopes);
    while (search->failed[row])
        row--;
    seen[0] = see_objective(search, x, row, slopes) + (failed ? FAILURE : 0.0);
    for (int c = 0; c < search->cases && search->bounded; c++, of_inequality++) {
        double *slope = slopes + of_inequality * width;
        const double factor = sign_of(search) / search->objective_scale;
        seen[of_inequality] = factor * case_value(search, 0, c, row) - x[search->n];
        add_slope(search, 0, c, row, factor, slope);
        slope[search->n] = -1.0;
    }
    for (int k = 1; k < search->functions; k++)
        for (int c = 0; c < search->cases; c++) {
            const phx_model_bound kind = search->key->constraints[k - 1].kind;
            int *to = kind == PHX_MODEL_EQUALS ? &of_equality : &of_inequality;
            const double factor = (kind == PHX_MODEL_MIN ? -1.0 : 1.0) / search->limit_scale[k];
            seen[*to] = case_excess(search, k, c, row);
            add_slope(search, k, c, row, factor, slopes + *to * width);
            ++*to;
        }
    return seen;
}
