/* Phlexor, layer optimize: values of parameters that make the best of an analysis. */
#ifndef PHLEXOR_OPTIMIZE_H
#define PHLEXOR_OPTIMIZE_H

#include <phlexor/sensitivity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reports an evaluation: its number, from 1, the objective, and the largest violation of a constraint, relative to its
 * limit. An analysis that failed has NAN for both. */
typedef void phx_optimize_note_fn(void *user, int evaluation, double objective, double violation);

/* How the key `optimize` of a model is worked on. */
typedef struct phx_optimize_options {
    const char *history_path; /* csv: a row for each evaluation; NULL: no file. It is NAME.partial until the end */
    bool resume;              /* go on with history_path.partial, which a search that ended early has left */
    int threads; /* for the cases, of one for the parameters; 0: one. With more call phx_algebra_set_threads(1) before
                  */
    phx_optimize_note_fn *note; /* NULL: not wanted */
    void *user;                 /* of note */
} phx_optimize_options;
phx_optimize_options phx_optimize_options_default(void);

/* Why a search ended. */
typedef enum phx_optimum_end {
    PHX_OPTIMUM_OBJECTIVE,   /* the objective changes by less than the tolerance */
    PHX_OPTIMUM_VARIABLES,   /* the variables do */
    PHX_OPTIMUM_EVALUATIONS, /* as many as are allowed */
    PHX_OPTIMUM_STUCK        /* the method finds no better point, for round-off or constraints that contradict */
} phx_optimum_end;

/* A variable, the objective or a constraint. Texts are those of the model. */
typedef struct phx_optimum_row {
    const char *kind;   /* variable; minimize, maximize; min, max, equals */
    const char *name;   /* of a variable; text of an objective */
    double min, max;    /* bounds, limits; infinite if there is none */
    double start, best; /* values; of an objective with several cases that of the worst, or the sum */
    int at;             /* the bound or limit that it is at: -1 min, 1 max, 0 none */
} phx_optimum_row;

/* The result of a search. Owns its rows and the history. */
typedef struct phx_optimum {
    int n_variables, n_rows;
    phx_optimum_row *rows;   /* variables, the objective, constraints */
    double *history;         /* evaluations x n_rows: values as in the rows; NAN for functions whose analysis failed */
    int evaluations, failed; /* failed: evaluations without a result */
    int taken;               /* evaluations that `resume` has taken over */
    int best;                /* number of the best evaluation, from 1 */
    double violation;        /* largest relative violation of a constraint there */
    bool feasible;           /* it is within the tolerance */
    double tolerance;
    phx_optimum_end end;
} phx_optimum;
void phx_optimum_free(phx_optimum *optimum); /* frees and zeroes the fields; NULL is allowed */

/* Looks for the values of the variables of the model's key `optimize` that make its objective smallest or largest and
 * satisfy its constraints, from the present values on; the model is not changed. The best point is the best evaluation
 * that satisfies all constraints; if none does, the one that violates them least, and `feasible` is false.
 *
 * A point whose analysis fails counts as worse than the last one that succeeded, so that the method steps back; the log
 * has a warning. Failures at the start, and ten in sequence, are returned. Two searches of one build evaluate the same
 * points; with `resume` those of the file are not evaluated again, but for the last one, and the file is the same byte
 * by byte as if the search had not been interrupted (PHX_ERR_INPUT: it is of another search).
 * PHX_ERR_INPUT without the key `optimize`, or if a variable starts outside its bounds; PHX_ERR_LIBRARY without NLopt;
 * errors of phx_gradient_find and phx_objectives_evaluate. */
phx_status phx_optimize(phx_context *context, const phx_model *model, const phx_optimize_options *options,
                        phx_optimum *optimum);

/* How an optimum is written. */
typedef enum phx_optimum_format {
    PHX_OPTIMUM_TEXT, /* for reading */
    PHX_OPTIMUM_CSV,  /* kind, name, min, max, start, optimum, at */
    PHX_OPTIMUM_JSON
} phx_optimum_format;
/* To an open stream. PHX_ERR_FILE. */
phx_status phx_optimum_print(phx_context *context, const phx_optimum *optimum, phx_optimum_format format, FILE *stream);
/* A page for any browser: the history, and the mechanism at the best point with the start shown through it. They are
 * simulated if the objective or a constraint is a number of a simulation. Errors of phx_gradient_page and
 * phx_study_simulate. */
phx_status phx_optimum_page(phx_context *context, const phx_model *model, const phx_optimum *optimum,
                            const char *html_path);

#ifdef __cplusplus
}
#endif
#endif
