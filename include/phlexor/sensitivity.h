/* Phlexor, layer sensitivity: derivatives of analyses by the parameters of a model. */
#ifndef PHLEXOR_SENSITIVITY_H
#define PHLEXOR_SENSITIVITY_H

#include <phlexor/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- objectives ----
 * An objective is a number that an analysis of the model gives, as a text:
 *
 *   model.mass                    mass of all bodies, kg
 *   modes.omega.K                 of mode K, from 1: |lambda|, rad/s;  modes.frequency.K in Hz
 *   modes.damping.K               -Re lambda/|lambda|
 *   modes.mean.K.L                mean of |lambda| of the modes K to L, which is smooth where these cross each other
 *   modes.shape.K(COLUMN)         |y phi| of mode K at an output of places or angles, scaled to phi^H M phi = 1
 *   static(EXPRESSION)            at the equilibrium;  static.critical.K: a critical load factor
 *   linearize.h2, linearize.hinf  norms of the linear model
 *   linearize.pole.K.re, .im      of its poles in the order of their frequency, 1/s
 *   linearize.dc.I.J              steady gain from input J to output I, from 1
 *   linearize.gain.W.I.J          |G_IJ(i W)|, W in rad/s;  linearize.phase.W.I.J in rad
 *   linearize.re.W.I.J            its real part;  linearize.im.W.I.J its imaginary part
 *   linearize.gain_margin(LOOP)   factor, of the loop opened at the effort of a controller, NAME or NAME.u2;
 *   linearize.phase_margin(LOOP)  rad;  linearize.delay_margin(LOOP) s;  linearize.sensitivity(LOOP): max |1/(1 + L)|
 *   simulate.final(EXPRESSION)    at the end of the simulation
 *   simulate.at(T, EXPRESSION)    at T s, linear between the ends of the steps
 *   simulate.integral(EXPRESSION) over time, by the trapezoidal rule over the steps;  simulate.mean: over the length
 *   simulate.max(EXPRESSION)      the largest value at the end of a step;  simulate.min
 *   simulate.when(EXPRESSION)     the first time at which it is zero, s, by parabolas through three steps
 *   simulate.peak(EXPRESSION)     smooth maximum of the size, (mean of |EXPRESSION|^20)^(1/20)
 *
 * EXPRESSION is the name of a column of the result (tip.y, energy), or an expression of t, the parameters and
 * y(COLUMN), e.g. (y(tip.x) - 0.3)^2/2. Modes and linear models are those of the keys `modes` and `linearize`. */

/* How derivatives are found. */
typedef enum phx_derivation {
    PHX_DERIVE_AUTO,       /* the cheapest of the exact ones */
    PHX_DERIVE_ADJOINT,    /* one backward sweep for each objective */
    PHX_DERIVE_TANGENT,    /* one forward sweep for each parameter */
    PHX_DERIVE_DIFFERENCES /* whole analyses at four neighbours of each parameter, Richardson's extrapolation */
} phx_derivation;

/* Which derivatives. All texts are borrowed. */
typedef struct phx_gradient_options {
    int n_objectives, n_parameters;
    const char *const *objectives;
    const char *const *parameters; /* names, of a list for all its entries; NULL: all of the model */
    phx_derivation derivation;
    int threads;   /* for differences of whole analyses by several parameters; 0: one. With more call
                      phx_algebra_set_threads(1) before. The numbers do not depend on it */
    double memory; /* bytes for the states of a run, default 0.5e9; of a longer one some are kept, and a sweep makes the
                      others again */
} phx_gradient_options;
phx_gradient_options phx_gradient_options_default(void);

/* Objectives and their derivatives. Owns its arrays. */
typedef struct phx_gradient {
    int n_objectives, n_parameters;
    double *value;                   /* n_objectives */
    double *gradient;                /* n_objectives x n_parameters */
    double *error;                   /* the same of differences: estimated error; 0 of exact derivatives */
    double *parameter;               /* n_parameters: their values */
    char **objectives, **parameters; /* texts and names, copied */
} phx_gradient;
void phx_gradient_free(phx_gradient *gradient); /* frees and zeroes the fields; NULL is allowed */

/* The derivatives of the objectives by parameters of the model at its present values; the model is not changed.
 * PHX_ERR_INPUT for an objective that is none, with the place and what there is, and for parameters that do not exist;
 * PHX_ERR_UNSUPPORTED where a derivative does not exist or cannot be found this way, with the reason and the remedy;
 * errors of the analyses. */
phx_status phx_gradient_find(phx_context *context, const phx_model *model, const phx_gradient_options *options,
                             phx_gradient *gradient);
/* How derivatives are written. */
typedef enum phx_gradient_format {
    PHX_GRADIENT_TEXT, /* for reading: with bars of derivative times value, the change for 100 % of the parameter */
    PHX_GRADIENT_CSV,  /* objective, value, parameter, parameter_value, derivative, error */
    PHX_GRADIENT_JSON
} phx_gradient_format;
/* To an open stream, and to a file that appears when it is complete. PHX_ERR_FILE. */
phx_status phx_gradient_print(phx_context *context, const phx_gradient *gradient, phx_gradient_format format,
                              FILE *stream);
phx_status phx_gradient_save(phx_context *context, const phx_gradient *gradient, phx_gradient_format format,
                             const char *path);
/* A page for any browser: the mechanism at its start state, coloured by the derivatives, and bars of them. Errors of
 * phx_study_view; PHX_ERR_LIBRARY if the library was built without pages. */
phx_status phx_gradient_page(phx_context *context, const phx_model *model, const phx_gradient *gradient,
                             const char *html_path);
/* Whether a text is an objective, as far as it can be told without a model; PHX_ERR_INPUT as above. */
phx_status phx_objective_check(phx_context *context, const char *text);
/* The objectives alone: value has n of them. */
phx_status phx_objectives_evaluate(phx_context *context, const phx_model *model, int n, const char *const *objectives,
                                   double *value);

/* ---- identification ----
 * Parameters of a model from measurements (the key `identify`): the values within their bounds that minimise
 * sum r_i^2, r_i = (model_i - measured_i)/deviation_i, by Levenberg and Marquardt's method with phx_gradient_find.
 * Deviations that are not given are estimated from the residuals of their series. */

/* What is known of a parameter. */
typedef enum phx_identified_state {
    PHX_IDENTIFIED,        /* with deviation and interval */
    PHX_IDENTIFIED_AT_MIN, /* at a bound: fixed there for the intervals of the others */
    PHX_IDENTIFIED_AT_MAX,
    PHX_UNIDENTIFIED /* part of a combination that the measurements do not determine */
} phx_identified_state;
/* A parameter that was sought. Deviation and interval are NAN unless the state is PHX_IDENTIFIED. */
typedef struct phx_identified_parameter {
    char *name;
    double start, value;
    double deviation; /* standard error, from s^2 (J^T J)^-1 */
    double low, high; /* confidence interval of 95 %, by Student's distribution */
    phx_identified_state state;
} phx_identified_parameter;
/* Residuals of measurements that share a deviation. */
typedef struct phx_identified_series {
    char *name; /* "run.csv: angle" */
    int count;
    double deviation;   /* that of the weights; of frequencies without one a share of their value */
    bool estimated;     /* from the residuals */
    double mean, rms;   /* of the residuals, in the unit of the measurement */
    double correlation; /* of neighbouring residuals; far from 0 the intervals are too narrow */
    int validated;      /* samples of the second data set; 0: none */
    double validated_mean, validated_rms;
} phx_identified_series;
/* A measurement beside the fitted model. */
typedef struct phx_identified_row {
    int series;             /* index */
    double at;              /* s; number of the mode; rad/s, real and imaginary part alternate */
    double measured, model; /* in the unit of the measurement */
    double band;            /* half width of the confidence band of 95 % of the model's value */
} phx_identified_row;
/* Why the iteration ended: one value and its text for each. */
typedef enum phx_identify_end {
    PHX_IDENTIFY_GRADIENT,  /* the residuals are orthogonal to their derivatives */
    PHX_IDENTIFY_STEP,      /* no parameter changes any more */
    PHX_IDENTIFY_CHANGE,    /* the sum of squares does not decrease any more */
    PHX_IDENTIFY_REFUSED,   /* the model refuses larger steps (a warning says why): not converged */
    PHX_IDENTIFY_ITERATIONS /* the largest number of iterations: not converged */
} phx_identify_end;

/* How parameters are identified. Texts are borrowed. */
typedef struct phx_identify_options {
    const char *data;     /* file of all time series instead of those of the model; NULL: the model's */
    const char *validate; /* file with the same columns of another run, compared only; NULL: none */
    int iterations;       /* at most, for each weighting; default 50 */
} phx_identify_options;
phx_identify_options phx_identify_options_default(void);

/* The result. Owns its arrays. */
typedef struct phx_identification {
    int n_parameters, n_series, n_rows, n_undetermined;
    phx_identified_parameter *parameters;
    double *correlation; /* n_parameters x n_parameters, of the estimates; NAN where there is no deviation */
    phx_identified_series *series;
    phx_identified_row *rows;
    char **undetermined; /* combinations as texts, "k1 - 2*k2" */
    double cost;         /* sum of r_i^2 */
    double variance;     /* s^2 = cost/freedom; about 1 if given deviations are right. NAN for freedom 0 */
    int freedom;         /* measurements less parameters that are determined */
    int iterations;
    phx_identify_end end;
} phx_identification;
void phx_identification_free(phx_identification *found); /* frees and zeroes the fields; NULL is allowed */

/* Parameters of the model from measurements, from its present values; the model is not changed. Warns through the log
 * of undetermined combinations, parameters at bounds and residuals that are correlated. PHX_ERR_INPUT for a model
 * without `identify`, for files and columns that cannot be read, samples outside the run, fewer measurements than
 * parameters, and for a start outside the bounds; PHX_ERR_ANALYSIS if no step succeeds; errors of the analyses at the
 * start. */
phx_status phx_identify(phx_context *context, const phx_model *model, const phx_identify_options *options,
                        phx_identification *found);
/* For reading, to an open stream. PHX_ERR_FILE. */
phx_status phx_identification_print(phx_context *context, const phx_identification *found, FILE *stream);
/* The rows as a table: t, series (from 1), measured, model, residual, band. */
phx_status phx_identification_save(phx_context *context, const phx_identification *found, const char *path);
/* A page for any browser: fit, residuals, parameters and correlations, with the mechanism at the values found. Errors
 * of phx_gradient_page. */
phx_status phx_identification_page(phx_context *context, const phx_model *model, const phx_identification *found,
                                   const char *html_path);

#ifdef __cplusplus
}
#endif
#endif
