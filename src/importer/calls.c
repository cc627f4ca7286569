/* The shared object of an FMU, loaded, and its calls in both versions of the standard. */
#define _DEFAULT_SOURCE
#include "importer.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void phx_fmu_note_call(const phx_fmu_calls *calls, const char *name)
{
    snprintf(calls->shared->call, sizeof calls->shared->call, "%s", name);
}

#define CALL PHX_FMU_CALL_OF

/* ---- loading ---- */
enum { MOST_REASONS = 5 };

/* Loads the shared object of an FMU and looks up the functions its version and kinds need. False if any is missing;
 * each of the first is told. */
bool phx_fmu_load(phx_fmu_calls *calls, phx_fmu_tell_fn *tell, void *user)
{
    char path[4096], reason[200];
    int missing = 0;

    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", calls->folder, phx_fmu_platform(calls->model->version),
             calls->model->identifier ? calls->model->identifier : calls->model->exchange_identifier);
    phx_fmu_note_call(calls, "loading the shared object");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        char text[1000];
        snprintf(text, sizeof text, "the shared object cannot be loaded: %s", why ? why : "");
        tell(user, text);
        return false;
    }
#define LOOK_UP(result, name, arguments)                                                                               \
    *(void **)&calls->name = dlsym(library, #name);                                                                    \
    if (!calls->name && #name[3] == '0' + calls->model->version && missing++ < MOST_REASONS) {                         \
        snprintf(reason, sizeof reason, "the shared object has no %s", #name);                                         \
        tell(user, reason);                                                                                            \
    }
    FMI2_COMMON(LOOK_UP)
    if (calls->model->exchange_identifier) {
        FMI2_MODEL_EXCHANGE(LOOK_UP)
    }
    if (calls->model->identifier) {
        FMI2_CO_SIMULATION(LOOK_UP)
    }
    FMI3_FUNCTIONS(LOOK_UP)
    return missing == 0;
}

/* ---- instances ---- */
static void logger2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                    fmi2String message, ...)
{
    phx_fmu_shared *shared = environment;
    va_list arguments;

    (void)name, (void)category;
    if (!shared || status == fmi2OK || !message)
        return;
    va_start(arguments, message);
    vsnprintf(shared->message, sizeof shared->message, message, arguments);
    va_end(arguments);
}

static void logger3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    phx_fmu_shared *shared = environment;

    (void)category;
    if (shared && status != fmi3OK && message)
        snprintf(shared->message, sizeof shared->message, "%s", message);
}

/* A path as a URI: all but letters, digits and "/._-~" by their codes. */
static void put_uri(const char *path, size_t room, char *uri)
{
    static const char plain[] = "/._-~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t n = (size_t)snprintf(uri, room, "file://");

    for (; *path && n + 4 < room; path++)
        n += (size_t)snprintf(uri + n, room - n, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
}

/* Instantiates the FMU for co-simulation or model exchange; NULL if it refuses. */
void *phx_fmu_instantiate(const phx_fmu_calls *calls, const char *name, bool exchange)
{
    static fmi2CallbackFunctions functions = {.logger = logger2, .allocateMemory = calloc, .freeMemory = free};
    const char *token = calls->model->token;
    char place[4200], uri[3 * 4200];

    if (calls->model->version == 2) {
        snprintf(place, sizeof place, "%s/resources", calls->folder);
        put_uri(place, sizeof uri, uri);
        functions.componentEnvironment = calls->shared;
        phx_fmu_note_call(calls, "fmi2Instantiate");
        return calls->fmi2Instantiate(name, exchange ? fmi2ModelExchange : fmi2CoSimulation, token, uri, &functions, 0,
                                      calls->logs);
    }
    snprintf(place, sizeof place, "%s/resources/", calls->folder);
    if (exchange) {
        phx_fmu_note_call(calls, "fmi3InstantiateModelExchange");
        return calls->fmi3InstantiateModelExchange(name, token, place, false, calls->logs, calls->shared, logger3);
    }
    phx_fmu_note_call(calls, "fmi3InstantiateCoSimulation");
    return calls->fmi3InstantiateCoSimulation(name, token, place, false, calls->logs, false, false, NULL, 0,
                                              calls->shared, logger3, NULL);
}

void phx_fmu_free_instance(const phx_fmu_calls *calls, void *c)
{
    phx_fmu_note_call(calls, calls->model->version == 2 ? "fmi2FreeInstance" : "fmi3FreeInstance");
    if (calls->model->version == 2)
        calls->fmi2FreeInstance(c);
    else
        calls->fmi3FreeInstance(c);
}

/* ---- calls ---- */
int phx_fmu_enter_initialization(const phx_fmu_calls *calls, void *c, double start)
{
    if (calls->model->version == 3)
        return CALL(calls, fmi3EnterInitializationMode, c, false, 0.0, start, false, 0.0);
    const int status = CALL(calls, fmi2SetupExperiment, c, 0, 0.0, start, 0, 0.0);
    return status ? status : CALL(calls, fmi2EnterInitializationMode, c);
}

int phx_fmu_exit_initialization(const phx_fmu_calls *calls, void *c)
{
    return calls->model->version == 2 ? CALL(calls, fmi2ExitInitializationMode, c)
                                      : CALL(calls, fmi3ExitInitializationMode, c);
}

int phx_fmu_get_reals(const phx_fmu_calls *calls, void *c, const unsigned *references, size_t n, double *values)
{
    if (n == 0)
        return 0;
    return calls->model->version == 2 ? CALL(calls, fmi2GetReal, c, references, n, values)
                                      : CALL(calls, fmi3GetFloat64, c, references, n, values, n);
}

int phx_fmu_set_reals(const phx_fmu_calls *calls, void *c, const unsigned *references, size_t n, const double *values)
{
    if (n == 0)
        return 0;
    return calls->model->version == 2 ? CALL(calls, fmi2SetReal, c, references, n, values)
                                      : CALL(calls, fmi3SetFloat64, c, references, n, values, n);
}

int phx_fmu_do_step(const phx_fmu_calls *calls, void *c, double t, double step, bool goes_back, bool *terminate)
{
    bool event = false, ends = false, early = false;
    double last = 0.0;
    const int status = calls->model->version == 2
                           ? CALL(calls, fmi2DoStep, c, t, step, !goes_back)
                           : CALL(calls, fmi3DoStep, c, t, step, !goes_back, &event, &ends, &early, &last);

    if (terminate)
        *terminate = ends;
    return status;
}

int phx_fmu_save(const phx_fmu_calls *calls, void *c, void **state)
{
    return calls->model->version == 2 ? CALL(calls, fmi2GetFMUstate, c, state) : CALL(calls, fmi3GetFMUState, c, state);
}

int phx_fmu_restore(const phx_fmu_calls *calls, void *c, void *state)
{
    return calls->model->version == 2 ? CALL(calls, fmi2SetFMUstate, c, state) : CALL(calls, fmi3SetFMUState, c, state);
}

void phx_fmu_free_state(const phx_fmu_calls *calls, void *c, void **state)
{
    if (calls->model->version == 2)
        (void)CALL(calls, fmi2FreeFMUstate, c, state);
    else
        (void)CALL(calls, fmi3FreeFMUState, c, state);
}
