/* A search: points that were evaluated, and what the method sees of them; private to the layer optimize. */
#ifndef PHX_OPTIMIZE_SEARCH_H
#define PHX_OPTIMIZE_SEARCH_H

#include "optimizer.h"
#include "results/results.h"
#include "study/study.h"

typedef struct phx_search {
    phx_context *context;
    const phx_model *model;
    const phx_model_optimize *key;
    const phx_optimize_options *options;
    phx_model_optimizer method;
    bool slopes, bounded;     /* derivatives are needed; the worst case is a variable of its own */
    int n, functions, cases;  /* variables; objective and constraints; cases */
    const char **texts, **names; /* of functions and variables, borrowed */
    phx_sweep *sweep;
    phx_ordered_map *map;           /* of several cases */
    phx_model **models;             /* of each case */
    phx_model_override **overrides; /* n and the parameters of the cases, of each case */
    /* Points in the order of their evaluation. A row has the number, the variables, for each case the functions, and
     * for each of these the derivatives by the variables; NAN after the variables if it failed. */
    int count, width;
    double **rows;
    bool *failed;
    int failed_in_sequence;
    phx_table *table;      /* NULL: not wanted */
    phx_table_lines lines; /* of the search that is resumed */
    int taken;
    double objective_scale, *limit_scale; /* of each function */
    bool approaching; /* until a point satisfies the inequalities, which is put into `inside` */
    double *inside;
    double *seen; /* what the method gets: functions, constraints and their derivatives */
    phx_status status; /* that ends the search */
    bool full; /* all evaluations are used */
} phx_search;

/* The number of the row of these variables, which is evaluated unless that was done; -1: the search ends. */
int phx_search_evaluate(phx_search *search, const double *variables);

/* ---- rows as functions (scale.c) ---- */
/* Scales from the first row. */
void phx_search_set_scales(phx_search *search);
/* Variables of the method (n, and one for the worst case if `bounded`) to those of the model and back. */
void phx_search_unscale(const phx_search *search, const double *x, double *variables);
void phx_search_scale(const phx_search *search, const double *variables, double *x);
/* Numbers of constraints g <= 0 and h = 0 of the method. */
void phx_search_count(const phx_search *search, int *inequalities, int *equalities);
/* The functions at x by row `row` into search->seen. */
const double *phx_search_see(phx_search *search, const double *x, int row);
/* A function over the cases: the value that counts, in its own unit. */
double phx_search_value(const phx_search *search, int function, int row);
/* The largest violation of a constraint at a row, relative to its limit. */
double phx_search_violation(const phx_search *search, int row);
/* That of one constraint, signed: negative with room to spare; of `equals` the size. */
double phx_search_excess(const phx_search *search, int function, int row);
int phx_search_best(const phx_search *search);

#endif
