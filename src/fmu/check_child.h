/* Private to layer fmu: an FMU that is checked, in a process of its own (check_calls.c, check_exchange.c). */
#ifndef PHX_FMU_CHECK_CHILD_H
#define PHX_FMU_CHECK_CHILD_H

#include "archive.h"

#include "fmi/fmi.h"

enum { PHX_FMU_STEPS = 20, PHX_FMU_MOST_OUTPUTS = 500 };

#define POINTER(result, name, arguments) name##TYPE *name;
typedef struct phx_fmu_loaded {
    FMI2_COMMON(POINTER)
    FMI2_MODEL_EXCHANGE(POINTER)
    FMI2_CO_SIMULATION(POINTER)
    FMI3_FUNCTIONS(POINTER)
    const phx_fmu_model *model;
    const char *folder;
    int pipe;
    int n_outputs;
    unsigned outputs[PHX_FMU_MOST_OUTPUTS];
    double step;
} phx_fmu_loaded;
#undef POINTER

/* A line for the parent: '@' the call that comes next, '!' a finding, '#' steps that have been made. */
void phx_fmu_say(const phx_fmu_loaded *it, char mark, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A call of the version that the FMU has: its status, 0 for OK. */
#define PHX_FMU_CALL2(it, name, ...) (phx_fmu_say(it, '@', #name), (int)(it)->name(__VA_ARGS__))
#define PHX_FMU_CALL3(it, name, ...) (phx_fmu_say(it, '@', #name), (int)(it)->name(__VA_ARGS__))

/* Shared by both kinds of instances. */
void *phx_fmu_instantiate(const phx_fmu_loaded *it, const char *name, bool exchange); /* NULL: none could be made */
int phx_fmu_initialize(const phx_fmu_loaded *it, void *c);
int phx_fmu_read_outputs(const phx_fmu_loaded *it, void *c, double *values);
int phx_fmu_save(const phx_fmu_loaded *it, void *c, void **state);
int phx_fmu_restore(const phx_fmu_loaded *it, void *c, void *state);
void phx_fmu_free_state(const phx_fmu_loaded *it, void *c, void **state);
void phx_fmu_free_instance(const phx_fmu_loaded *it, void *c);

/* The calls of model exchange: events, states and their derivatives along steps of Euler's method, the way back to a
 * saved state. */
void phx_fmu_check_exchange(const phx_fmu_loaded *it);

#endif
