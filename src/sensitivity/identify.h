/* Measurements of a model, and the fit of parameters to them; private to the layer sensitivity. */
#ifndef PHX_SENSITIVITY_IDENTIFY_H
#define PHX_SENSITIVITY_IDENTIFY_H

#include "study/study.h"

#include <phlexor/sensitivity.h>

/* ---- measurements (identify_data.c) ---- */
typedef enum phx_measured_kind {
    PHX_MEASURED_SERIES,
    PHX_MEASURED_FREQUENCIES,
    PHX_MEASURED_RESPONSE
} phx_measured_kind;

/* Measurements that share one deviation: rows first .. first + count - 1. */
typedef struct phx_measured_group {
    phx_measured_kind kind;
    int index; /* in the model's list; frequencies: -1 */
    int first, count;
    char *name;       /* "run.csv: angle" */
    double deviation; /* standard deviation of (value - model)/unit */
    bool estimated;   /* not given: from the residuals */
} phx_measured_group;

/* One number. Rows of a response: real and imaginary part alternate. */
typedef struct phx_measured_row {
    double at;     /* s; number of the mode; rad/s */
    double value;  /* as measured */
    double unit;   /* scale of its deviation */
    double weight; /* 1/(deviation of the group * unit) */
    int group;
} phx_measured_row;

typedef struct phx_measurements {
    int n, room, n_groups;
    phx_measured_row *rows;
    phx_measured_group *groups;
} phx_measurements;

/* The measurements that `identify` of a model names; `data` (may be NULL) replaces the files of the time series. Only
 * the time series with `series_alone`. PHX_ERR_INPUT for files and columns that cannot be read, with the place. */
phx_status phx_measurements_read(phx_context *context, const phx_model *model, const char *data, bool series_alone,
                                 phx_measurements *measurements);
void phx_measurements_free(phx_measurements *measurements);
/* The objectives of all rows with the delays of the model; free with phx_measured_texts_free. Times of a series are
 * moved by `shift` times the length of the series, in its second half by -shift. PHX_ERR_INPUT for a time outside
 * the run. */
phx_status phx_measured_texts(phx_context *context, const phx_model *model, const phx_measurements *measurements,
                              double shift, char ***texts);
void phx_measured_texts_free(char **texts);
/* Length of the series; its sign is that of the shift of row k. */
double phx_measured_shift(const phx_measurements *measurements, int k);
/* Gives a group a deviation, and its rows their weights. */
void phx_measured_weigh(phx_measurements *measurements, phx_measured_group *group, double deviation);

/* ---- the fit (identify_fit.c) ---- */
/* Residuals and their derivatives at the present values x of m parameters. */
typedef struct phx_fit {
    const phx_model *original; /* borrowed; its names stay */
    phx_model *model;          /* a copy at x */
    phx_model_override *overrides;
    const char **names;
    const phx_measurements *data; /* borrowed; the fit does not change deviations */
    int n, m, iterations;
    double *x, *low, *high;    /* m */
    double *value, *slope;     /* n: of the model; n x m: its derivatives */
    double *normal, *gradient; /* m x m: J^T W^2 J; m: J^T W^2 r */
    double cost;               /* r^T W^2 r */
    phx_identify_end end;
    char *refused; /* message of the last step that the model refused in this iteration or the one before; NULL: none */
} phx_fit;
phx_status phx_fit_create(phx_context *context, const phx_model *model, const phx_measurements *data, phx_fit *fit);
void phx_fit_free(phx_fit *fit);
/* Values and derivatives at fit->x. */
phx_status phx_fit_differentiate(phx_context *context, phx_fit *fit);
/* Normal equations and cost with the present deviations of the data. */
void phx_fit_weigh(phx_fit *fit);
int phx_fit_held(const phx_fit *fit, int p); /* -1: at its least value, which holds it; 1: at its largest; 0: free */
/* The model values of measurements at x; changes fit->model alone. */
phx_status phx_fit_values(phx_context *context, phx_fit *fit, const double *x, const phx_measurements *data,
                          double *value);
/* Levenberg and Marquardt's method from x, at which phx_fit_differentiate was called; leaves all at the best x. */
phx_status phx_fit_solve(phx_context *context, phx_fit *fit, int iterations);

/* ---- statistics (identify_statistics.c) ---- */
/* The t with which a share `level` of Student's distribution lies in [-t, t], for `freedom` > 0. */
double phx_student_quantile(int freedom, double level);
/* Deviations, intervals, correlation, combinations that are not determined, and bands of a solved fit. */
phx_status phx_fit_statistics(phx_context *context, const phx_fit *fit, phx_identification *found);

/* identify_text.c: all of it as JSON; data is a phx_identification. */
phx_status phx_identification_json(phx_context *context, const void *data, FILE *stream);

#endif
