/* A ball that falls on the ground and rebounds, as an FMU 2.0 for model exchange; its guid says what is wrong with it.
 */
#include "fmi/fmi.h"

#include <stdlib.h>
#include <string.h>

enum { H, V, STATES };

typedef struct ball {
    double t, x[STATES], restitution;
    int bounces;
    char fault[40];
} ball;

/* One that forgets how often it has rebounded when it goes back has another coefficient then. */
static int all_bounces;

static bool has(const ball *it, const char *fault)
{
    return strcmp(it->fault, fault) == 0;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    ball *it = calloc(1, sizeof *it);
    (void)name, (void)resources, (void)functions, (void)visible, (void)logging;
    if (!it || type != fmi2ModelExchange)
        return NULL;
    it->x[H] = 1.0;
    it->restitution = 0.8;
    strncpy(it->fault, guid, sizeof it->fault - 1);
    return it;
}

void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

#define DONE(name, arguments, unused)                                                                                  \
    fmi2Status name arguments                                                                                          \
    {                                                                                                                  \
        unused;                                                                                                        \
        return fmi2OK;                                                                                                 \
    }
DONE(fmi2SetupExperiment,
     (fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
      fmi2Real stop),
     (void)c;
     (void)has_tolerance; (void)tolerance; (void)start; (void)has_stop; (void)stop)
DONE(fmi2EnterInitializationMode, (fmi2Component c), (void)c)
DONE(fmi2ExitInitializationMode, (fmi2Component c), (void)c)
DONE(fmi2EnterEventMode, (fmi2Component c), (void)c)
DONE(fmi2EnterContinuousTimeMode, (fmi2Component c), (void)c)
DONE(fmi2Terminate, (fmi2Component c), (void)c)

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    ((ball *)c)->t = t;
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n)
{
    memcpy(((ball *)c)->x, x, n * sizeof *x);
    return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    memcpy(x, ((const ball *)c)->x, n * sizeof *x);
    return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n)
{
    const ball *it = c;
    for (size_t k = 0; k < n; k++)
        x[k] = has(it, "nominal") && it->bounces > 0 ? 2.0 : 1.0;
    return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rates[], size_t n)
{
    const ball *it = c;
    (void)n;
    rates[0] = it->x[V];
    rates[1] = -9.81;
    return fmi2OK;
}

/* Zero at the ground; -1 while it is due to rise. */
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[], size_t n)
{
    const ball *it = c;
    (void)n;
    z[0] = it->x[H] == 0.0 && it->x[V] > 0.0 ? 1.0 : it->x[H];
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    ball *it = c;
    const bool bounces = it->x[H] <= 0.0 && it->x[V] < 0.0;

    if (bounces) {
        it->x[H] = 0.0;
        it->x[V] *= -it->restitution * (has(it, "forgetful") ? 1.0 / (1.0 + all_bounces) : 1.0);
        it->bounces++;
        all_bounces++;
    }
    *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = bounces && !has(it, "silent"),
                            .newDiscreteStatesNeeded = bounces || (has(it, "endless") && it->bounces > 0),
                            .terminateSimulation = it->bounces >= 3,
                            .nextEventTimeDefined = has(it, "past") && it->bounces > 0};
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean keep, fmi2Boolean *event, fmi2Boolean *terminate)
{
    (void)c, (void)keep;
    *event = *terminate = 0;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real values[])
{
    const ball *it = c;
    for (size_t k = 0; k < n; k++)
        values[k] = vr[k] < STATES ? it->x[vr[k]] : (double)it->bounces;
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    ball *it = *state ? *state : calloc(1, sizeof *it);
    if (!it)
        return fmi2Error;
    *it = *(const ball *)c;
    *state = it;
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    *(ball *)c = *(const ball *)state;
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
