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
 *   static(EXPRESSION)            at the equilibrium;  static.critical.K: a critical load factor
 *   linearize.h2, linearize.hinf  norms of the linear model
 *   linearize.pole.K.re, .im      of its poles in the order of their frequency, 1/s
 *   linearize.dc.I.J              steady gain from input J to output I, from 1
 *   linearize.gain.W.I.J          |G_IJ(i W)|, W in rad/s;  linearize.phase.W.I.J in rad
 *   simulate.final(EXPRESSION)    at the end of the simulation
 *   simulate.at(T, EXPRESSION)    at T s, linear between the ends of the steps
 *   simulate.integral(EXPRESSION) over time, by the trapezoidal rule over the steps;  simulate.mean: over the length
 *   simulate.max(EXPRESSION)      the largest value at the end of a step;  simulate.min
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
    const char *const *parameters; /* names; NULL: all of the model */
    phx_derivation derivation;
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
/* The objectives alone: value has n of them. */
phx_status phx_objectives_evaluate(phx_context *context, const phx_model *model, int n, const char *const *objectives,
                                   double *value);

#ifdef __cplusplus
}
#endif
#endif
