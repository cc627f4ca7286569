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
    STATE_ANY = 63
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
    bool event_mode;  /* FMI 3: sampled controllers are seen in event mode */
    double last_time; /* s: of the last step that succeeded */
    int last_step;    /* instance_status of it */
    /* Hands a message to whoever made the instance. */
    void (*send)(const instance *it, int status, const char *category, const char *message);
    void *log, *environment;
};

/* Reads `folder`/mechanism.phx. NULL with a message sent when that is not what belongs to the token. */
instance *phx_instance_create(const instance *form, const char *name, const char *token, const char *folder,
                              bool logging);
void phx_instance_destroy(instance *it);
/* The folder of a URI, file:///..., into a buffer; false: it is none. */
bool phx_instance_folder(const char *uri, size_t size, char *folder);
/* Send a message of a category. */
void phx_instance_log(const instance *it, int category, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* INSTANCE_ERROR with a message when the instance is in none of these states. */
int phx_instance_check(const instance *it, const char *function, int states);
/* A status of the library as that of a call; failures are logged, and end the instance. */
int phx_instance_status(instance *it, phx_status status);
int phx_instance_set_logging(instance *it, const char *function, bool on, size_t count, const char *const *categories);

int phx_instance_initialize(instance *it, double start);
int phx_instance_reset(instance *it);
int phx_instance_get(instance *it, const char *function, size_t count, const unsigned *variables, double *values);
int phx_instance_set(instance *it, const char *function, size_t count, const unsigned *variables, const double *values);
/* The step from `time`, by `step`. */
int phx_instance_step(instance *it, const char *function, double time, double step);

/* ---- states ---- */
/* A saved state: bytes with a mark, the token's check sum and their own in front. */
typedef struct saved_state {
    size_t size;
    unsigned char *bytes;
} saved_state;
int phx_instance_save(instance *it, saved_state **state);
int phx_instance_restore(instance *it, const saved_state *state);
void phx_instance_free_state(saved_state *state); /* NULL is allowed */
int phx_instance_take_bytes(instance *it, size_t size, const void *bytes, saved_state **state);

#endif
