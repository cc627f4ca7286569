/* The calls of an FMU in a child process: what it breaks there breaks nothing else. The child writes a line for each
 * finding, and before each call of the FMU where it is, so that a crash has a place:
 *
 *     @NAME      the call that comes next
 *     !TEXT      a finding
 *     #NUMBER    steps that have been made */
#define _DEFAULT_SOURCE
#include "check_child.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = PHX_FMU_STEPS, LONGEST = 60 /* s */, MOST_OUTPUTS = PHX_FMU_MOST_OUTPUTS };
typedef phx_fmu_loaded loaded;

#if defined __aarch64__
static const char *const platforms[] = {"linux64", "aarch64-linux"};
#else
static const char *const platforms[] = {"linux64", "x86_64-linux"};
#endif

/* ---- the child ---- */
void phx_fmu_say(const phx_fmu_loaded *it, char mark, const char *format, ...)
{
    char line[1200] = {mark};
    va_list arguments;

    va_start(arguments, format);
    int n = 1 + vsnprintf(line + 1, sizeof line - 2, format, arguments);
    va_end(arguments);
    n = n < (int)sizeof line - 2 ? n : (int)sizeof line - 2;
    for (int k = 1; k < n; k++)
        line[k] = line[k] == '\n' ? ' ' : line[k];
    line[n] = '\n';
    if (write(it->pipe, line, (size_t)n + 1) < 0)
        _exit(EXIT_FAILURE);
}

static void ignore2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                    fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category, (void)message;
}

static void ignore3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)environment, (void)status, (void)category, (void)message;
}

static bool look_up(loaded *it)
{
    char path[4096];
    int missing = 0;

    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", it->folder, platforms[it->model->version - 2],
             it->model->identifier ? it->model->identifier : it->model->exchange_identifier);
    phx_fmu_say(it, '@', "loading the shared object");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        phx_fmu_say(it, '!', "the shared object cannot be loaded: %s", dlerror());
        return false;
    }
#define LOOK_UP(result, name, arguments)                                                                               \
    *(void **)&it->name = dlsym(library, #name);                                                                       \
    if (!it->name && #name[3] == '0' + it->model->version && missing++ < 5)                                            \
        phx_fmu_say(it, '!', "the shared object has no %s", #name);
    FMI2_COMMON(LOOK_UP)
    if (it->model->exchange_identifier) {
        FMI2_MODEL_EXCHANGE(LOOK_UP)
    }
    if (it->model->identifier) {
        FMI2_CO_SIMULATION(LOOK_UP)
    }
    FMI3_FUNCTIONS(LOOK_UP)
    return missing == 0;
}

#define CALL2 PHX_FMU_CALL2
#define CALL3 PHX_FMU_CALL3

void *phx_fmu_instantiate(const loaded *it, const char *name, bool exchange)
{
    static const fmi2CallbackFunctions functions = {.logger = ignore2, .allocateMemory = calloc, .freeMemory = free};
    char place[4200];

    if (it->model->version == 2) {
        snprintf(place, sizeof place, "file://%s/resources", it->folder);
        phx_fmu_say(it, '@', "fmi2Instantiate");
        return it->fmi2Instantiate(name, exchange ? fmi2ModelExchange : fmi2CoSimulation, it->model->token, place,
                                   &functions, 0, 0);
    }
    snprintf(place, sizeof place, "%s/resources/", it->folder);
    if (exchange) {
        phx_fmu_say(it, '@', "fmi3InstantiateModelExchange");
        return it->fmi3InstantiateModelExchange(name, it->model->token, place, false, false, NULL, ignore3);
    }
    phx_fmu_say(it, '@', "fmi3InstantiateCoSimulation");
    return it->fmi3InstantiateCoSimulation(name, it->model->token, place, false, false, false, false, NULL, 0, NULL,
                                           ignore3, NULL);
}

int phx_fmu_initialize(const loaded *it, void *c)
{
    const phx_fmu_model *m = it->model;
    int status;

    if (m->version == 3) {
        status = CALL3(it, fmi3EnterInitializationMode, c, false, 0.0, m->start, false, 0.0);
        return status ? status : CALL3(it, fmi3ExitInitializationMode, c);
    }
    status = CALL2(it, fmi2SetupExperiment, c, 0, 0.0, m->start, 0, 0.0);
    if (!status)
        status = CALL2(it, fmi2EnterInitializationMode, c);
    return status ? status : CALL2(it, fmi2ExitInitializationMode, c);
}

int phx_fmu_read_outputs(const loaded *it, void *c, double *values)
{
    const size_t n = (size_t)it->n_outputs;
    return it->model->version == 2 ? CALL2(it, fmi2GetReal, c, it->outputs, n, values)
                                   : CALL3(it, fmi3GetFloat64, c, it->outputs, n, values, n);
}

/* Steps from number `from` on. */
static int make_steps(const loaded *it, void *c, int from, int count)
{
    int status = 0;

    for (int k = from; k < from + count && !status; k++) {
        const double t = it->model->start + k * it->step;
        bool event = false, terminate = false, early = false;
        double last = 0.0;
        status = it->model->version == 2
                     ? CALL2(it, fmi2DoStep, c, t, it->step, 0)
                     : CALL3(it, fmi3DoStep, c, t, it->step, false, &event, &terminate, &early, &last);
        if (!status)
            phx_fmu_say(it, '#', "%d", k + 1);
        if (terminate)
            break;
    }
    return status;
}

void phx_fmu_free_instance(const loaded *it, void *c)
{
    phx_fmu_say(it, '@', "fmi%dFreeInstance", it->model->version);
    if (it->model->version == 2)
        it->fmi2FreeInstance(c);
    else
        it->fmi3FreeInstance(c);
}

int phx_fmu_save(const loaded *it, void *c, void **state)
{
    return it->model->version == 2 ? CALL2(it, fmi2GetFMUstate, c, state) : CALL3(it, fmi3GetFMUState, c, state);
}

int phx_fmu_restore(const loaded *it, void *c, void *state)
{
    return it->model->version == 2 ? CALL2(it, fmi2SetFMUstate, c, state) : CALL3(it, fmi3SetFMUState, c, state);
}

void phx_fmu_free_state(const loaded *it, void *c, void **state)
{
    if (it->model->version == 2)
        (void)CALL2(it, fmi2FreeFMUstate, c, state);
    else
        (void)CALL3(it, fmi3FreeFMUState, c, state);
}

static void compare(const loaded *it, const char *what, const double *expected, const double *found)
{
    for (int k = 0; k < it->n_outputs; k++)
        if (memcmp(&expected[k], &found[k], sizeof *found)) {
            phx_fmu_say(it, '!', "%s, variable %u is %.17g, before it was %.17g", what, it->outputs[k], found[k],
                        expected[k]);
            return;
        }
}

/* Steps, back to the state before them, the same steps again. */
static void check_rollback(const loaded *it, void *c, int from)
{
    static double first[MOST_OUTPUTS], second[MOST_OUTPUTS];
    void *state = NULL;

    if (!it->model->gets_state)
        return;
    if (phx_fmu_save(it, c, &state) || !state) {
        phx_fmu_say(it, '!', "the state of the instance cannot be saved, though the description says so");
        return;
    }
    int status = make_steps(it, c, from, 5);
    if (!status)
        status = phx_fmu_read_outputs(it, c, first);
    if (!status)
        status = phx_fmu_restore(it, c, state);
    if (!status)
        status = make_steps(it, c, from, 5);
    if (!status)
        status = phx_fmu_read_outputs(it, c, second);
    if (status)
        phx_fmu_say(it, '!', "going back to a saved state and on again fails with status %d", status);
    else
        compare(it, "after going back to a saved state and on again", first, second);
    phx_fmu_free_state(it, c, &state);
}

/* A second instance that takes the same steps is the same. */
static void check_repeats(const loaded *it, const double *expected)
{
    static double found[MOST_OUTPUTS];
    void *c = phx_fmu_instantiate(it, "second", false);

    if (!c) {
        phx_fmu_say(it, '!', "a second instance cannot be made");
        return;
    }
    if (phx_fmu_initialize(it, c) || make_steps(it, c, 0, STEPS) || phx_fmu_read_outputs(it, c, found))
        phx_fmu_say(it, '!', "a second instance cannot make the steps of the first");
    else
        compare(it, "in a second instance", expected, found);
    phx_fmu_free_instance(it, c);
}

static void run(const loaded *it)
{
    static double values[MOST_OUTPUTS];

    void *c = phx_fmu_instantiate(it, "first", false);
    if (!c) {
        phx_fmu_say(it, '!', "no instance can be made");
        return;
    }
    int status = phx_fmu_initialize(it, c);
    if (status)
        phx_fmu_say(it, '!', "the initialization fails with status %d", status);
    if (!status && (status = phx_fmu_read_outputs(it, c, values)) != 0)
        phx_fmu_say(it, '!', "the outputs cannot be read after the initialization: status %d", status);
    if (!status && (status = make_steps(it, c, 0, STEPS)) != 0)
        phx_fmu_say(it, '!', "a step fails with status %d", status);
    if (!status && (status = phx_fmu_read_outputs(it, c, values)) != 0)
        phx_fmu_say(it, '!', "the outputs cannot be read after the steps: status %d", status);
    for (int k = 0; k < it->n_outputs && !status; k++)
        if (!isfinite(values[k]))
            phx_fmu_say(it, '!', "after %d steps variable %u is %g", STEPS, it->outputs[k], values[k]);
    if (!status) {
        check_repeats(it, values);
        check_rollback(it, c, STEPS);
    }
    phx_fmu_free_instance(it, c);
}

/* Never comes back. Nothing of the parent is open but the pipe; what the FMU prints goes nowhere. */
static void be_child(const phx_fmu_model *model, const char *folder, int pipe)
{
    static loaded it;
    const int nowhere = open("/dev/null", O_RDWR);

    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGINT, SIGTERM};

    for (int k = 0; k < 3; k++)
        (void)dup2(nowhere, k);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        (void)signal(signals[k], SIG_DFL); /* not those of the program around the library */
    (void)alarm(LONGEST);
    it.model = model;
    it.folder = folder;
    it.pipe = pipe;
    it.step = model->step > 0.0 ? model->step : model->stop > model->start ? 1e-3 * (model->stop - model->start) : 1e-3;
    for (int k = 0; k < model->n_variables && it.n_outputs < MOST_OUTPUTS; k++)
        if (model->variables[k].causality == PHX_FMU_OUTPUT && model->variables[k].real && !model->variables[k].array)
            it.outputs[it.n_outputs++] = model->variables[k].reference;
    if (look_up(&it)) {
        if (model->identifier)
            run(&it);
        if (model->exchange_identifier)
            phx_fmu_check_exchange(&it);
    }
    phx_fmu_say(&it, '@', "the end");
    _exit(EXIT_SUCCESS);
}

/* ---- the parent ---- */
/* The output of the child so far. */
typedef struct heard {
    char line[1400];
    size_t length;
    char call[200];
    int steps;
    phx_fmu_findings *findings;
} heard;

static void take_line(heard *it)
{
    it->line[it->length] = '\0';
    it->length = 0;
    switch (it->line[0]) {
    case '@':
        snprintf(it->call, sizeof it->call, "%.190s", it->line + 1);
        break;
    case '#':
        it->steps = atoi(it->line + 1) > it->steps ? atoi(it->line + 1) : it->steps;
        break;
    case '!':
        phx_fmu_find(it->findings, "%s", it->line + 1);
        break;
    default:
        break;
    }
}

static void listen_to(int pipe, heard *it)
{
    char buffer[4096];
    ssize_t n;

    while ((n = read(pipe, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
        for (ssize_t k = 0; k < n; k++) {
            if (buffer[k] == '\n')
                take_line(it);
            else if (it->length + 1 < sizeof it->line)
                it->line[it->length++] = buffer[k];
        }
}

static void conclude(int status, const heard *it)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        phx_fmu_find(it->findings, "the FMU has not come back from %s after %d s", it->call, LONGEST);
    else if (WIFSIGNALED(status))
        phx_fmu_find(it->findings, "the FMU crashed in %s (%s)", it->call, strsignal(WTERMSIG(status)));
    else if (strcmp(it->call, "the end") != 0)
        phx_fmu_find(it->findings, "the FMU ended the process in %s", it->call);
}

phx_status phx_fmu_check_calls(phx_context *context, const phx_fmu_model *model, const char *folder,
                               phx_fmu_findings *findings, int *steps)
{
    int ends[2], status = 0;
    heard it = {.findings = findings, .call = "the beginning"};

    *steps = 0;
    if (pipe(ends))
        return phx_fail(context, PHX_ERR_LIBRARY, "no pipe to the process of the FMU: %s", strerror(errno));
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return phx_fail(context, PHX_ERR_LIBRARY, "no process for the FMU: %s", strerror(errno));
    }
    if (child == 0) {
        (void)close(ends[0]);
        be_child(model, folder, ends[1]);
    }
    (void)close(ends[1]);
    listen_to(ends[0], &it);
    (void)close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    conclude(status, &it);
    *steps = it.steps;
    return PHX_OK;
}
