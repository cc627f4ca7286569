/* Shared by the tests of analyses: a folder of their own to write into, models of the examples. */
#ifndef PHX_TESTS_STUDY_SUPPORT_H
#define PHX_TESTS_STUDY_SUPPORT_H

#include "support/testing.h"

#include <phlexor/results.h>
#include <phlexor/study.h>

/* A context, in a new folder that is the current one; the folder is removed with the files in it. */
int study_setup(void **state);
int study_teardown(void **state);
phx_model *read_example(phx_context *context, const char *name);
phx_model *read_text(phx_context *context, const char *text); /* as file text.yaml */
/* A cantilever of unit data on a hinge with a spring of 2 N m, in file text.yaml; with loads at its tip for inputs,
 * with the place of the tip for outputs. */
phx_model *read_hinged_beam(phx_context *context, bool with_inputs, bool with_outputs);

/* The value in a row of the column of this name, which must exist. */
double result_value(phx_context *context, const phx_result *result, const char *name, size_t row);

/* y of n entries from 0 to `end` by Runge and Kutta's method of order 4, dy/dt = rates(y). */
void runge_kutta(int n, void (*rates)(const double *y, double *dy), double end, int steps, double *y);

/* A run of a model in memory; its energy is balanced to 1e-12 of the largest, and at least to 1e-15 J. */
typedef struct text_run {
    phx_simulate_report report;
    phx_result *result;
    size_t n; /* rows */
    int warnings;
    char warning[1000]; /* the last of them */
} text_run;
text_run run_text(phx_context *context, const char *text, double step); /* step 0: as the text says */
/* Entry `row` of a column; and a whole one, which the caller frees. */
double record_at(phx_context *context, const text_run *r, const char *name, size_t row);
double *record_column(phx_context *context, const text_run *r, const char *name);

#endif
