/* Models as FMUs for model exchange in the tests: written, simulated, compared, taken back over events. */
#ifndef PHX_TESTS_FMU_EXCHANGE_MODELS_H
#define PHX_TESTS_FMU_EXCHANGE_MODELS_H

#include "fmu/exchange.h"
#include "results/results.h"

#include <phlexor/study.h>

/* An example by its name, or the text of a model, which has lines. */
phx_model *exchange_read(phx_context *context, const char *name);
/* The model as an FMU of both kinds, unpacked, written once for each text and version; its log is empty. */
importer *exchange_export(phx_context *context, const char *name, int version);
void exchange_close_all(void); /* at the end */

/* Messages of a simulation, a line each: events and their times. */
typedef struct exchange_log {
    char log[4000];
} exchange_log;
/* The first and the last row of a simulation; with radau5 by rtol. The caller destroys it. */
phx_result *exchange_simulate(phx_context *context, const phx_model *model, double end, double step,
                              phx_integrator integrator, exchange_log *log);
/* The largest difference between the FMU and the last row, relative to 1 + size, of all columns but the residual, and
 * the name of that column. */
double exchange_difference(phx_context *context, exchange *e, const phx_result *result, char *where, size_t size);

/* States, derivatives, indicators, energy: values has room for EXCHANGE_LOOK. */
enum { EXCHANGE_LOOK = 120 };
void exchange_look(exchange *e, double *values);
/* From before an event, from its instant, from between events: on and back over events bit by bit, in an instance that
 * stands behind all of them and in one that has seen none; and after an event that was not to be. */
void exchange_over_events(phx_context *context, const char *model, const double until[3], double end);
/* At the first event before `until`, whose states the integrator has set and which is not handled yet: it is handled,
 * the instance runs to `end`, goes back, and handles it as before. */
void exchange_over_an_event(phx_context *context, const char *model, double until, double end);

#endif
