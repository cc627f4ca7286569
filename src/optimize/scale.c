/* What the method sees of a point: functions of the size of 1 of variables of the size of 1. */
#include "search.h"

#include <math.h>
#include <string.h>

static const double FAILURE = 1.0; /* added to the objective, in its scale, where an analysis failed */

double phx_search_scale_of(const phx_model_variable *variable)
{
    return variable->scale.given ? variable->scale.value : variable->max - variable->min;
}

/* The sum over the cases of the objective if that is wanted, else the case whose size is the largest. */
double phx_search_value(const phx_search *search, int function, int row, double *size)
{
    const phx_search_function *of = &search->function[function];
    const bool sum = function == 0 && search->key->over == PHX_MODEL_SUM;
    double value = 0.0, largest = -HUGE_VAL;

    for (int c = 0; c < search->cases; c++) {
        const double one = search->rows[row][phx_search_at(search, function, c)];
        const double excess = of->sign * (one - of->limit) / of->scale;
        if (sum || (of->equal ? fabs(excess) : excess) > largest) {
            value = sum ? value + one : one;
            largest = sum ? of->sign * value / of->scale : of->equal ? fabs(excess) : excess;
        }
    }
    if (size)
        *size = largest;
    return value;
}

double phx_search_violation(const phx_search *search, int row)
{
    double violation = 0.0, size;

    for (int k = 1; k < search->functions; k++) {
        phx_search_value(search, k, row, &size);
        violation = fmax(violation, size);
    }
    return violation;
}

/* Scales: of the objective its size at the start, or its largest change there over the scale of a variable if that is
 * more; of constraints their limits, or the size at the start of one whose limit is zero. */
void phx_search_set_scales(phx_search *search)
{
    for (int k = 0; k < search->functions; k++) {
        const double limit = fabs(search->function[k].limit);
        double scale = limit > 0.0 ? limit : fabs(phx_search_value(search, k, 0, NULL));
        for (int s = 0; s < search->cases * search->n && k == 0 && search->slopes; s++)
            scale = fmax(scale, fabs(search->rows[0][phx_search_slope_at(search, 0, s / search->n) + s % search->n]) *
                                    phx_search_scale_of(&search->key->variables[s % search->n]));
        search->function[k].scale = scale > 0.0 ? scale : 1.0;
    }
}

/* The feasible point with the best objective, else the one that violates least. */
int phx_search_best(const phx_search *search)
{
    int best = -1;
    double least = 0.0, least_over = 0.0, f;

    for (int row = 0; row < search->count; row++) {
        if (search->failed[row])
            continue;
        const double violation = phx_search_violation(search, row);
        const double over = violation > search->key->tolerance ? violation : 0.0;
        phx_search_value(search, 0, row, &f);
        if (best < 0 || over < least_over || (over == least_over && f < least)) {
            best = row;
            least = f;
            least_over = over;
        }
    }
    return best;
}

/* ---- functions of the method ---- */
void phx_search_x(const phx_search *search, int row, double *x)
{
    for (int p = 0; p < search->n; p++) {
        const phx_model_variable *variable = &search->key->variables[p];
        x[p] = (search->rows[row][1 + p] - variable->min) / phx_search_scale_of(variable);
    }
    phx_search_value(search, 0, row, &x[search->n]);
}

/* The row of the variables min + scale x. */
static int row_at(phx_search *search, const double *x)
{
    for (int p = 0; p < search->n; p++) {
        const phx_model_variable *of = &search->key->variables[p];
        search->point[p] = fmin(fmax(of->min + x[p] * phx_search_scale_of(of), of->min), of->max);
    }
    return phx_search_evaluate(search, search->point);
}

/* sign (value - limit)/scale of a function in a case; its derivatives by x are added. */
static double see_case(const phx_search *search, int function, int c, int row, double *slopes)
{
    const phx_search_function *of = &search->function[function];
    const double *numbers = search->rows[row], factor = of->sign / of->scale;

    for (int p = 0; p < search->n && search->slopes; p++)
        slopes[p] += factor * numbers[phx_search_slope_at(search, function, c) + p] *
                     phx_search_scale_of(&search->key->variables[p]);
    return factor * (numbers[phx_search_at(search, function, c)] - of->limit);
}

/* Objective; f_c - z of each case if `bounded`; constraints in each case. A point that failed has the functions of the
 * last one that succeeded, and a larger objective. */
const double *phx_search_see(phx_search *search, const double *x)
{
    const int width = search->n + search->bounded, all = 1 + search->inequalities + search->equalities;
    double *seen = search->seen, *slopes = seen + all;
    int row = row_at(search, x), g = 1, h = 1 + search->inequalities;

    if (row < 0)
        return NULL;
    const bool failed = search->failed[row];
    if (search->approaching && !failed && phx_search_violation(search, row) <= 0.0) {
        search->approaching = false;
        return NULL;
    }
    while (search->failed[row])
        row--;
    memset(slopes, 0, (size_t)(all * width) * sizeof *slopes);
    phx_search_value(search, 0, row, &seen[0]);
    for (int c = 0; c < search->cases && !search->bounded; c++)
        see_case(search, 0, c, row, slopes);
    for (int k = search->bounded ? 0 : 1; k < search->functions; k++)
        for (int c = 0; c < search->cases; c++) {
            const int at = search->function[k].equal ? h++ : g++;
            seen[at] = see_case(search, k, c, row, slopes + at * width) - (k == 0 ? x[search->n] : 0.0);
            if (k == 0)
                slopes[at * width + search->n] = -1.0;
        }
    if (search->bounded) {
        seen[0] = x[search->n];
        slopes[search->n] = 1.0;
    }
    seen[0] += failed ? FAILURE : 0.0;
    return seen;
}
