/* A sampled controller as an FMU of both versions: u = z - kp (y - r) - kd w, z+ = z - b (y - r) with each step. Its
 * parameter `fault` makes it fail in the first step from the time `at` on. */
#include "fmi/fmi.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Value references: those of real variables, then the others. */
enum { R, Y, W, U, KP, KD, B, AT, Z, REALS, FAULT = 20, ON, LABEL, MODE };
enum { NONE, CRASH, HANG, EXIT, ERROR, DISCARD, PRINT, NOT_FINITE, FORGETFUL };

typedef struct pi {
    double real[REALS];
    int fault;
    bool on;
    char label[40];
    void *environment;
    fmi2CallbackLogger *log2;
    fmi3LogMessageCallback *log3;
} pi;

static void *make(void *environment, fmi2CallbackLogger *log2, fmi3LogMessageCallback *log3)
{
    pi *it = calloc(1, sizeof *it);
    if (it)
        *it = (pi){.real = {[AT] = 1e9}, .on = true, .environment = environment, .log2 = log2, .log3 = log3};
    return it;
}

static void tell(const pi *it, int status, const char *text)
{
    if (it->log2)
        it->log2(it->environment, "pi", (fmi2Status)status, "logStatusError", "%s (%d)", text, it->fault);
    if (it->log3)
        it->log3(it->environment, (fmi3Status)status, "logStatusError", text);
}

/* Another instance leaves something behind: one that does not repeat itself. */
static double others;

static double output(const pi *it)
{
    const double *v = it->real;
    const double u = v[Z] + (-v[KP] * (v[Y] - v[R]) + -v[KD] * v[W]);
    return it->on ? u + (it->fault == FORGETFUL ? others : 0.0) : 0.0;
}

static int initialized(pi *it)
{
    const char *counter = getenv("PHLEXOR_TEST_COUNT"); /* a file that gets longer with each start */

    if (!strcmp(it->label, "wrong")) {
        tell(it, fmi2Error, "the label is wrong");
        return fmi2Error;
    }
    if (counter) {
        FILE *file = fopen(counter, "a+");
        if (!file)
            return fmi2Error;
        fseek(file, 0, SEEK_END);
        others = (double)ftell(file);
        fputc('.', file);
        fclose(file);
    }
    return fmi2OK;
}

static int fail_as_told(pi *it)
{
    switch (it->fault) {
    case CRASH:
        return raise(SIGSEGV);
    case HANG:
        for (;;)
            pause();
    case EXIT:
        exit(0);
    case ERROR:
        tell(it, fmi2Error, "the motor is hot");
        return fmi2Error;
    case DISCARD:
        return fmi2Discard;
    case NOT_FINITE:
        it->real[Z] = 1.0 / 0.0;
        return fmi2OK;
    default:
        return fmi2OK;
    }
}

static int step(pi *it, double t, double h)
{
    double *v = it->real;
    const int status = t + 0.5 * h > v[AT] ? fail_as_told(it) : fmi2OK;

    if (it->fault == PRINT) {
        printf("printed by the FMU\n");
        fprintf(stderr, "printed by the FMU\n");
        fflush(stdout);
    }
    v[Z] = v[Z] + -v[B] * (v[Y] - v[R]);
    return status;
}

static int set_reals(pi *it, const unsigned *vr, size_t count, const double *value)
{
    for (size_t k = 0; k < count; k++) {
        if (vr[k] >= REALS || vr[k] == U)
            return fmi2Error;
        it->real[vr[k]] = value[k];
    }
    return fmi2OK;
}

static int get_reals(const pi *it, const unsigned *vr, size_t count, double *value)
{
    for (size_t k = 0; k < count; k++) {
        if (vr[k] >= REALS)
            return fmi2Error;
        value[k] = vr[k] == U ? output(it) : it->real[vr[k]];
    }
    return fmi2OK;
}

static int set_label(pi *it, const unsigned *vr, const char *text)
{
    snprintf(it->label, sizeof it->label, "%s", text);
    return *vr == LABEL ? fmi2OK : fmi2Error;
}

/* ---- 2.0 ---- */
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return type == fmi2CoSimulation && !strcmp(guid, "{pi}")
               ? make(functions->componentEnvironment, functions->logger, NULL)
               : NULL;
}
void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)c, (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}
fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return (fmi2Status)initialized(c);
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])
{
    return (fmi2Status)set_reals(c, vr, count, value);
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[])
{
    return (fmi2Status)get_reals(c, vr, count, value);
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer value[])
{
    ((pi *)c)->fault = *value;
    return count == 1 && *vr == FAULT ? fmi2OK : fmi2Error;
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Boolean value[])
{
    ((pi *)c)->on = *value;
    return count == 1 && *vr == ON ? fmi2OK : fmi2Error;
}
fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2String value[])
{
    return count == 1 ? (fmi2Status)set_label(c, vr, value[0]) : fmi2Error;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real length, fmi2Boolean no_set_state)
{
    (void)no_set_state;
    return (fmi2Status)step(c, time, length);
}

/* ---- 3.0 ---- */
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t n_intermediate,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log,
                                         fmi3IntermediateUpdateCallback *update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode, (void)early_return;
    (void)intermediate, (void)n_intermediate, (void)update;
    return strcmp(token, "{pi}") ? NULL : make(environment, NULL, log);
}
void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)c, (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    return (fmi3Status)initialized(c);
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 value[],
                          size_t values)
{
    return count == values ? (fmi3Status)set_reals(c, vr, count, value) : fmi3Error;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 value[],
                          size_t values)
{
    return count == values ? (fmi3Status)get_reals(c, vr, count, value) : fmi3Error;
}
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int32 value[],
                        size_t values)
{
    ((pi *)c)->fault = *value;
    return count == 1 && values == 1 && *vr == FAULT ? fmi3OK : fmi3Error;
}
fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int64 value[],
                        size_t values)
{
    (void)c, (void)value;
    return count == 1 && values == 1 && *vr == MODE ? fmi3OK : fmi3Error;
}
fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Boolean value[],
                          size_t values)
{
    ((pi *)c)->on = *value;
    return count == 1 && values == 1 && *vr == ON ? fmi3OK : fmi3Error;
}
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3String value[],
                         size_t values)
{
    return count == 1 && values == 1 ? (fmi3Status)set_label(c, vr, value[0]) : fmi3Error;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 length, fmi3Boolean no_set_state,
                      fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time)
{
    (void)no_set_state;
    *event_needed = *terminate = *early_return = false;
    *last_time = time + length;
    return (fmi3Status)step(c, time, length);
}
