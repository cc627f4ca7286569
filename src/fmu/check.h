/* Private to layer fmu: the check of an FMU: its description, and its calls in a process of their own (check_calls.c,
 * check_exchange.c). */
#ifndef PHX_FMU_CHECK_H
#define PHX_FMU_CHECK_H

#include "fmu.h"

#include "importer/importer.h"

/* ---- findings ---- */
typedef struct phx_fmu_findings phx_fmu_findings;
/* Another finding, unless it is there already. */
void phx_fmu_find(phx_fmu_findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The rules of the standard about the description. */
void phx_fmu_check_model(const phx_fmu_model *model, phx_fmu_findings *findings);
/* Loads the shared object in a child process, makes steps, saves and restores; what the child has to say and how it
 * ended, steps and events into the report. */
phx_status phx_fmu_check_calls(phx_context *context, const phx_fmu_model *model, const char *folder,
                               phx_fmu_findings *findings, phx_fmu_check_report *report);

/* ---- in the child process ---- */
enum { PHX_FMU_STEPS = 20, PHX_FMU_MOST_OUTPUTS = 500 };
typedef struct phx_fmu_checked {
    phx_fmu_calls calls;
    const phx_fmu_model *model;
    int pipe;
    int n_outputs;
    unsigned outputs[PHX_FMU_MOST_OUTPUTS];
    double step;
} phx_fmu_checked;
/* A line for the parent: '!' a finding, '#' steps that have been made, '*' events of model exchange. */
void phx_fmu_say(const phx_fmu_checked *fmu_checked, char mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The finding that something fails, with what the FMU has logged last; none for status 0. Returns the status. */
int phx_fmu_say_failure(const phx_fmu_checked *fmu_checked, const char *what, int status);
/* A call of the FMU: its status, 0 for OK. */
#define PHX_FMU_CALL(checked, name, ...)                                                                               \
    (*(checked)->calls.shared->message = '\0', PHX_FMU_CALL_OF(&(checked)->calls, name, __VA_ARGS__))

int phx_fmu_read_outputs(const phx_fmu_checked *fmu_checked, void *c, double *values);
/* Tunable parameters are set to the values that they have; `when`: "between steps". Findings say what fails. */
void phx_fmu_set_again(const phx_fmu_checked *fmu_checked, void *c, const char *when);

/* The calls of model exchange: events, states and their derivatives along steps of Euler's method, the way back to a
 * saved state; then events at zeros of indicators and at times, as far as the default experiment and some evaluations
 * go. */
void phx_fmu_check_exchange(const phx_fmu_checked *fmu_checked);

#endif
