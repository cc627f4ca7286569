/* A search: points that were evaluated, and what the method sees of them; private to the layer optimize. */
#ifndef PHX_OPTIMIZE_SEARCH_H
#define PHX_OPTIMIZE_SEARCH_H

#include "results/results.h"
#include "study/study.h"

#include <phlexor/optimize.h>

/* Objective or constraint: sign (value - limit)/scale is minimised, at most 0, or (`equal`) 0. */
typedef struct phx_search_function {
    const char *word; /* minimize, maximize, min, max, equals */
    double sign, limit, scale;
    bool equal;
} phx_search_function;

typedef struct phx_search {
    phx_context *context;
    const phx_model *model;
    const phx_model_optimize *key;
    const phx_optimize_options *options;
    phx_model_optimizer method;    /* not auto */
    bool slopes, bounded;          /* derivatives are needed; the worst case is a variable z of the method */
    int n, functions, cases;       /* variables; objective and constraints; cases */
    int inequalities, equalities;  /* g <= 0 and h = 0 of the method */
    const char **texts, **names;   /* of functions and variables, borrowed */
    phx_search_function *function; /* the objective first */
    phx_ordered_map *map;          /* of several cases */
    phx_model **models;            /* of each case */
    /* Points in the order of their evaluation. A row has the number, the variables, for each case the functions, and
     * for each of these the derivatives by the variables; NAN after the variables if it failed. */
    int count, width;
    double **rows;
    bool *failed;
    int failed_in_sequence;
    phx_table *table;      /* NULL: not wanted */
    phx_table_lines lines; /* of the search that is resumed, of which `taken` rows are taken over */
    int taken;
    double *seen;      /* f, g and h, then a row of derivatives for each */
    double *point;     /* n: scratch */
    bool approaching;  /* until a point satisfies the constraints, which stops the method */
    bool full;         /* all evaluations are used */
    phx_status status; /* that ends the search */
} phx_search;

/* Places in a row: of a function in a case, of its first derivative. */
static inline int phx_search_at(const phx_search *search, int function, int c)
{
    return 1 + search->n + c * search->functions + function;
}
static inline int phx_search_slope_at(const phx_search *search, int function, int c)
{
    return 1 + search->n + (search->cases + c * search->n) * search->functions + function * search->n;
}

/* The number of the row of these variables, which is evaluated unless that was done; -1: the search ends. */
int phx_search_evaluate(phx_search *search, const double *variables);
/* Begins the file of the history, with the rows that are taken over. */
phx_status phx_search_open(phx_search *search);
/* The method from the start (nlopt.c); a stop by `status` is no failure of it. */
phx_status phx_search_run(phx_search *search, phx_optimum_end *end);

/* ---- rows as functions (scale.c) ---- */
void phx_search_set_scales(phx_search *search); /* from the first row */
double phx_search_scale_of(const phx_model_variable *variable);
/* The variables of the method at a row: (value - min)/scale, and z if `bounded`. */
void phx_search_x(const phx_search *search, int row, double *x);
/* f, g and h and their derivatives at x; NULL: stop. */
const double *phx_search_see(phx_search *search, const double *x);
/* A function over the cases: the value that counts, and sign (value - limit)/scale, its size if `equal` (NULL: not
 * wanted). */
double phx_search_value(const phx_search *search, int function, int row, double *size);
double phx_search_violation(const phx_search *search, int row); /* the largest size of a constraint, at least 0 */
int phx_search_best(const phx_search *search);

#endif
