/* Private to layer cosim: an instance of an FMU, the same for FMI 2 and 3: a unit, the state of its calls, its log. */
#ifndef PHX_COSIM_INSTANCE_H
#define PHX_COSIM_INSTANCE_H

#include "fmi/fmi.h"

#include "cosim.h"

/* The states of an instance, as bits. */
typedef enum instance_state {
    STATE_INSTANTIATED = 1,
    STATE_INITIALIZING = 2,
    STATE_STEP = 4,
    STATE_EVENT = 8,
    STATE_TERMINATED = 16,
    STATE_FAILED = 32,
    STATE_CONTINUOUS = 64, /* model exchange: continuous-time mode */
    STATE_AT_WORK = STATE_STEP | STATE_EVENT | STATE_CONTINUOUS,
    STATE_ANY = 127
} instance_state;

/* Status codes have the same numbers in both versions: OK, warning, discard, error, fatal. */
typedef enum instance_status { INSTANCE_OK, INSTANCE_WARNING, INSTANCE_DISCARD, INSTANCE_ERROR } instance_status;

/* Categories of the log. */
typedef enum instance_category { LOG_EVENTS, LOG_WARNING, LOG_DISCARD, LOG_ERROR, LOG_CATEGORIES } instance_category;
const char *phx_instance_category(int category); /* "logEvents"; NULL past the end */

typedef struct instance instance;
struct instance {
    char *name;
    phx_unit *unit;
    int state; /* instance_state */
    double start;
    bool logging[LOG_CATEGORIES];
    bool exchange;    /* made for model exchange */
    bool event_mode;  /* FMI 3: sampled controllers are seen in event mode */
    double last_time; /* s: of the last step that succeeded */
    int last_step;    /* instance_status of it */
    /* Hands a message to whoever made the instance. */
    void (*send)(const instance *fmu, int status, const char *category, const char *message);
    void *log, *environment;
};

/* Reads `folder`/mechanism.phx. NULL with a message sent when that is not what belongs to the token. */
instance *phx_instance_create(const instance *form, const char *name, const char *token, const char *folder,
                              bool logging);
void phx_instance_destroy(instance *fmu);
/* The folder of a URI, file:///..., into a buffer; false: it is none. */
bool phx_instance_folder(const char *uri, size_t size, char *folder);
/* Send a message of a category. */
void phx_instance_log(const instance *fmu, int category, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* INSTANCE_ERROR with a message when the instance is in none of these states. */
int phx_instance_check(const instance *fmu, const char *function, int states);
/* A status of the library as that of a call; failures are logged. What may be tried again is discarded. */
int phx_instance_status(instance *fmu, phx_status status);
int phx_instance_set_logging(instance *fmu, const char *function, bool on, size_t count, const char *const *categories);

int phx_instance_initialize(instance *fmu, double start);
int phx_instance_reset(instance *fmu);
int phx_instance_get(instance *fmu, const char *function, size_t count, const unsigned *variables, double *values);
int phx_instance_set(instance *fmu, const char *function, size_t count, const unsigned *variables,
                     const double *values);
/* The step from `time`, by `step`. */
int phx_instance_step(instance *fmu, const char *function, double time, double step);

/* ---- model exchange ---- */
/* INSTANCE_ERROR with a message for an instance that is not made for it, or in none of these states. */
int phx_instance_check_exchange(const instance *fmu, const char *function, int states);
/* The changes that an event made. */
typedef struct instance_event {
    bool again; /* there is more to come: another call has to follow */
    bool states_changed, next_defined;
    double next; /* s: of the next time event */
} instance_event;
int phx_instance_event(instance *fmu, instance_event *event);
void phx_instance_enter_event(instance *fmu);
int phx_instance_completed(instance *fmu, bool *enter_event_mode);
int phx_instance_set_states(instance *fmu, const char *function, size_t count, const double *states);
/* An array of states, their derivatives or nominals, or of event indicators. */
typedef enum instance_array { ARRAY_STATES, ARRAY_RATES, ARRAY_NOMINALS, ARRAY_INDICATORS } instance_array;
int phx_instance_get_array(instance *fmu, const char *function, instance_array which, size_t count, double *values);

/* ---- derivatives ---- */
int phx_instance_derivative(instance *fmu, const char *function, const phx_unit_direction *along, bool adjoint,
                            double *derivative);

/* ---- states ---- */
/* A saved state: bytes with a mark, the token's check sum and their own in front. */
typedef struct saved_state {
    size_t size;
    unsigned char *bytes;
} saved_state;
int phx_instance_save(instance *fmu, saved_state **state);
int phx_instance_restore(instance *fmu, const saved_state *state);
void phx_instance_free_state(saved_state *state); /* NULL is allowed */
int phx_instance_take_bytes(instance *fmu, size_t size, const void *bytes, saved_state **state);

#endif
