/* Objectives: texts, and what they make of the rows of an analysis; private to the layer sensitivity. */
#ifndef PHX_SENSITIVITY_OBJECTIVE_H
#define PHX_SENSITIVITY_OBJECTIVE_H

#include "study/study.h"

#include <phlexor/sensitivity.h>

typedef enum phx_analysis {
    PHX_ANALYSIS_MODEL,
    PHX_ANALYSIS_MODES,
    PHX_ANALYSIS_STATIC,
    PHX_ANALYSIS_LINEARIZE,
    PHX_ANALYSIS_SIMULATE,
    PHX_ANALYSES
} phx_analysis;

typedef enum phx_objective_quantity {
    PHX_OF_MASS,
    PHX_OF_OMEGA, /* index: the mode, from 0 */
    PHX_OF_FREQUENCY,
    PHX_OF_DAMPING,
    PHX_OF_MEAN_OMEGA,  /* of modes output .. input */
    PHX_OF_SHAPE,       /* index: the mode; of the column that `expression` names */
    PHX_OF_EQUILIBRIUM, /* an expression of columns */
    PHX_OF_CRITICAL,    /* index: the factor, from 0 */
    PHX_OF_H2,
    PHX_OF_HINF,
    PHX_OF_POLE_RE, /* index: the pole, from 0 */
    PHX_OF_POLE_IM,
    PHX_OF_DC,   /* output, input: from 0 */
    PHX_OF_GAIN, /* at: rad/s */
    PHX_OF_PHASE,
    PHX_OF_RE, /* real and imaginary part of a response */
    PHX_OF_IM,
    PHX_OF_GAIN_MARGIN, /* of the loop that `expression` names */
    PHX_OF_PHASE_MARGIN,
    PHX_OF_DELAY_MARGIN,
    PHX_OF_LOOP_SENSITIVITY,
    PHX_OF_FINAL, /* of the rows of a simulation */
    PHX_OF_AT,    /* at: s */
    PHX_OF_INTEGRAL,
    PHX_OF_MEAN,
    PHX_OF_MAX,
    PHX_OF_MIN,
    PHX_OF_PEAK,
    PHX_OF_WHEN
} phx_objective_quantity;

typedef struct phx_objective {
    const char *text; /* borrowed */
    phx_analysis analysis;
    phx_objective_quantity quantity;
    int index, output, input;
    double at;
    char *expression; /* owned; NULL: none */
} phx_objective;

/* PHX_ERR_INPUT with the text, what is wrong and what there is. */
phx_status phx_objective_parse(phx_context *context, const char *text, phx_objective *objective);
void phx_objective_free(phx_objective *objective);

/* The value of a quantity of a simulation, of the values e of its expression at n instants t, and its derivative by
 * each of them into slope (n; NULL: not wanted). PHX_ERR_INPUT where an instant lies outside the run. */
phx_status phx_objective_reduce(phx_context *context, const phx_objective *objective, int n, const double *t,
                                const double *e, double *value, double *slope);

/* The expression of an objective as a program over the columns of an analysis: column[k] is y(k). */
typedef struct phx_objective_program {
    phx_expression_of_columns measured;
    int *column; /* measured.count; owned */
} phx_objective_program;
/* n columns with these names. PHX_ERR_INPUT for a name that is none of them, with the nearest. */
phx_status phx_objective_compile(phx_context *context, const phx_model *model, const phx_objective *objective, int n,
                                 const char *const *names, phx_objective_program *program);
void phx_objective_program_free(phx_objective_program *program);
/* Its value at t with these columns. variables: room for measured.count + 1. */
double phx_objective_value(const phx_objective_program *program, double t, const double *columns, double *variables);

/* All objectives of a model at its values, one analysis of each kind that is needed. value: n. */
phx_status phx_objectives_of_model(phx_context *context, const phx_model *model, int n, const phx_objective *objectives,
                                   double *value);

#endif
