/* Private to the check of an FMU: an instance for model exchange with its arrays (check_exchange.c), and its motion
 * through events (check_drive.c). In the child process, whose end frees all. */
#ifndef PHX_FMU_CHECK_PLANT_H
#define PHX_FMU_CHECK_PLANT_H

#include "check.h"

typedef struct plant {
    const phx_fmu_checked *checked;
    void *c;
    size_t n, indicators;
    double next;     /* s: of the next time event; HUGE_VAL: none */
    bool terminates; /* it asks for the end of the simulation */
    double *states, *rates, *nominal, *indicator;
    double *before; /* 2 n: states and nominals before an event */
    double *first;  /* of a run before: states, then outputs */
} plant;

/* All return the status of the call; findings say what fails. */
int phx_fmu_finding(const plant *p, const char *what, int status);
int phx_fmu_get_states(plant *p);
int phx_fmu_get_nominals(plant *p);
/* At a time, with the states of the plant; the status alone: it may be a place that an integrator only tries. */
int phx_fmu_try_states(plant *p, double t);
int phx_fmu_try_rates(plant *p, double *rates);
int phx_fmu_try_indicators(plant *p, double *values);
/* The step is at its end; an event that the FMU asks for, or that was found (`event`), is handled. *event: one was. */
int phx_fmu_complete(plant *p, double t, bool *event);
/* States, then outputs. */
int phx_fmu_read_all(plant *p, double *values);

/* From the time t in event mode's wake, with the states as they are, to the end of the default experiment, or as far as
 * a number of evaluations goes: by steps of third order whose errors are controlled, to the zeros of event indicators
 * and the times of time events. */
void phx_fmu_drive(plant *p, double t);

#endif
