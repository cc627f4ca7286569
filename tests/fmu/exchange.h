/* Model exchange in the tests: an FMU as an ordinary differential equation that CVODE integrates, in the order of calls
 * of the standard. */
#ifndef PHX_TESTS_FMU_EXCHANGE_H
#define PHX_TESTS_FMU_EXCHANGE_H

#include "fmu/importer.h"

/* An instance in continuous-time mode. */
typedef struct exchange {
    importer *it;
    void *c; /* instance */
    int version, states, indicators;
    double t, tolerance;
    double next; /* s: of the next time event; HUGE_VAL: none */
    long steps, evaluations;
    int state_events, time_events;
} exchange;

/* Made, initialized at t = 0, its first event handled. */
exchange exchange_start(importer *it, int version, double tolerance);
/* Integrated to the time t. */
void exchange_run(exchange *e, double t);
/* The same to the first event, which is not handled yet: true, or to t: false. */
bool exchange_to_event(exchange *e, double t);
/* Event mode and out of it again; whether the states have other values. */
bool exchange_event(exchange *e);
void exchange_get_indicators(exchange *e, double *values);
void exchange_get_nominals(exchange *e, double *values);
void exchange_get(exchange *e, size_t count, const unsigned *variables, double *values);
double exchange_value(exchange *e, const char *name);
void exchange_set(exchange *e, unsigned variable, double value);
/* The same at an event: a tunable parameter. */
void exchange_tune(exchange *e, const char *name, double value);
void exchange_get_states(exchange *e, double *states);
void exchange_set_states(exchange *e, double t, const double *states);
void exchange_get_rates(exchange *e, double *rates);
void exchange_free(exchange *e);

#endif
