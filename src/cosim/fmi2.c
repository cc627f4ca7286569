/* FMI 2.0 over the instances of this layer. */
#include "instance.h"

#include <string.h>

static instance *fmi2_of(fmi2Component c)
{
    return c;
}

/* The logger is variadic: messages never are its format. */
static void send(const instance *it, int status, const char *category, const char *message)
{
    fmi2CallbackLogger *logger = NULL;
    memcpy(&logger, &it->log, sizeof logger);
    logger(it->environment, it->name, (fmi2Status)status, category, "%s", message);
}

static void send_nowhere(const instance *it, int status, const char *category, const char *message)
{
    (void)it, (void)status, (void)category, (void)message;
}

static fmi2Status fmi2_refuse(fmi2Component c, const char *function, const char *why)
{
    if (c)
        phx_instance_log(fmi2_of(c), LOG_ERROR, "%s: %s", function, why);
    return fmi2Error;
}

/* ---- creation ---- */
const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    return c ? (fmi2Status)phx_instance_set_logging(c, __func__, on != 0, count, categories) : fmi2Error;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    char folder[4096] = "";
    instance form = {.send = send_nowhere};

    (void)visible;
    if (functions && functions->logger) {
        form.send = send;
        memcpy(&form.log, &functions->logger, sizeof form.log);
        form.environment = functions->componentEnvironment;
    }
    form.logging[LOG_ERROR] = true;
    form.name = (char *)(name ? name : "");
    form.exchange = type == fmi2ModelExchange;
    if (!resources || !phx_instance_folder(resources, sizeof folder, folder)) {
        phx_instance_log(&form, LOG_ERROR, "the location of the resources is '%s', expected a URI file:///...",
                         resources ? resources : "");
        return NULL;
    }
    return phx_instance_create(&form, name, guid, folder, logging != 0);
}

void fmi2FreeInstance(fmi2Component c)
{
    phx_instance_destroy(c);
}

/* ---- initialization, end ---- */
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED))
        return fmi2Error;
    fmi2_of(c)->start = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED))
        return fmi2Error;
    return (fmi2Status)phx_instance_initialize(c, fmi2_of(c)->start);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    if (phx_instance_check(c, __func__, STATE_INITIALIZING))
        return fmi2Error;
    fmi2_of(c)->state = fmi2_of(c)->exchange ? STATE_EVENT : STATE_STEP;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    if (phx_instance_check(c, __func__, STATE_STEP | STATE_EVENT | STATE_CONTINUOUS))
        return fmi2Error;
    fmi2_of(c)->state = STATE_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    return phx_instance_check(c, __func__, STATE_ANY) ? fmi2Error : (fmi2Status)phx_instance_reset(c);
}

/* ---- values ---- */
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[])
{
    if (phx_instance_check(c, __func__, STATE_INITIALIZING | STATE_AT_WORK | STATE_TERMINATED))
        return fmi2Error;
    return (fmi2Status)phx_instance_get(c, __func__, count, vr, value);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])
{
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED | STATE_INITIALIZING | STATE_AT_WORK))
        return fmi2Error;
    return (fmi2Status)phx_instance_set(c, __func__, count, vr, value);
}

/* There are reals only. */
#define NO_SUCH_TYPE(Get, Set, type)                                                                                   \
    fmi2Status Get(fmi2Component c, const fmi2ValueReference vr[], size_t count, type value[])                         \
    {                                                                                                                  \
        (void)vr, (void)value;                                                                                         \
        return count == 0 && c ? fmi2OK : fmi2_refuse(c, #Get, "there are variables of type Real only");               \
    }                                                                                                                  \
    fmi2Status Set(fmi2Component c, const fmi2ValueReference vr[], size_t count, const type value[])                   \
    {                                                                                                                  \
        (void)vr, (void)value;                                                                                         \
        return count == 0 && c ? fmi2OK : fmi2_refuse(c, #Set, "there are variables of type Real only");               \
    }
NO_SUCH_TYPE(fmi2GetInteger, fmi2SetInteger, fmi2Integer)
NO_SUCH_TYPE(fmi2GetBoolean, fmi2SetBoolean, fmi2Boolean)
NO_SUCH_TYPE(fmi2GetString, fmi2SetString, fmi2String)

/* ---- states ---- */
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (phx_instance_check(c, __func__, STATE_ANY & ~STATE_FAILED) || !state)
        return fmi2Error;
    saved_state *saved = *state;
    const int status = phx_instance_save(c, &saved);
    *state = saved;
    return (fmi2Status)status;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    return phx_instance_check(c, __func__, STATE_ANY) ? fmi2Error : (fmi2Status)phx_instance_restore(c, state);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!c)
        return fmi2Error;
    if (state) {
        phx_instance_free_state(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    if (!c || !state || !size)
        return fmi2_refuse(c, __func__, "there is no state");
    *size = ((const saved_state *)state)->size;
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    const saved_state *saved = state;

    if (!c || !saved || !bytes || size < saved->size)
        return fmi2_refuse(c, __func__, "there is no state, or not room enough");
    memcpy(bytes, saved->bytes, saved->size);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (!c || !state)
        return fmi2_refuse(c, __func__, "there is no place for the state");
    saved_state *saved = *state;
    const int status = phx_instance_take_bytes(c, size, bytes, &saved);
    *state = saved;
    return (fmi2Status)status;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    const phx_unit_direction along = {
        .n_unknown = unknowns, .unknown = unknown, .n_known = knowns, .known = known, .seed = seed};

    if (phx_instance_check(c, __func__, STATE_INITIALIZING | STATE_AT_WORK | STATE_TERMINATED))
        return fmi2Error;
    return (fmi2Status)phx_instance_derivative(c, __func__, &along, false, sensitivity);
}

/* ---- co-simulation ---- */
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED | STATE_INITIALIZING | STATE_STEP))
        return fmi2Error;
    for (size_t k = 0; k < count; k++) {
        if (order[k] != 1 || vr[k] >= (unsigned)phx_unit_variables(fmi2_of(c)->unit))
            return fmi2_refuse(c, __func__, "inputs have derivatives of order 1");
        const int status = phx_instance_status(c, phx_unit_set_slope(fmi2_of(c)->unit, (int)vr[k], value[k]));
        if (status)
            return (fmi2Status)status;
    }
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                        const fmi2Integer order[], fmi2Real value[])
{
    (void)vr, (void)order, (void)value;
    return count == 0 && c ? fmi2OK : fmi2_refuse(c, __func__, "outputs have no derivatives here");
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_set_state)
{
    (void)no_set_state;
    if (phx_instance_check(c, __func__, STATE_STEP))
        return fmi2Error;
    return (fmi2Status)phx_instance_step(c, __func__, time, step);
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    return fmi2_refuse(c, __func__, "no step is pending");
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    if (!c || kind != fmi2DoStepStatus)
        return fmi2_refuse(c, __func__, "there is no such status");
    *value = (fmi2Status)fmi2_of(c)->last_step;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (!c || kind != fmi2LastSuccessfulTime)
        return fmi2_refuse(c, __func__, "there is no such status");
    *value = fmi2_of(c)->last_time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind, (void)value;
    return fmi2_refuse(c, __func__, "there is no such status");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (!c || kind != fmi2Terminated)
        return fmi2_refuse(c, __func__, "there is no such status");
    *value = 0;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    if (!c || kind != fmi2PendingStatus)
        return fmi2_refuse(c, __func__, "there is no such status");
    *value = "";
    return fmi2OK;
}

/* ---- model exchange ---- */
fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    if (phx_instance_check_exchange(c, __func__, STATE_CONTINUOUS | STATE_EVENT))
        return fmi2Error;
    phx_instance_enter_event(c);
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    instance_event event;

    if (phx_instance_check_exchange(c, __func__, STATE_EVENT))
        return fmi2Error;
    const int status = phx_instance_event(c, &event);
    *info = (fmi2EventInfo){.newDiscreteStatesNeeded = event.again,
                            .nominalsOfContinuousStatesChanged = event.states_changed,
                            .valuesOfContinuousStatesChanged = event.states_changed,
                            .nextEventTimeDefined = event.next_defined,
                            .nextEventTime = event.next_defined ? event.next : 0.0};
    return (fmi2Status)status;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    if (phx_instance_check_exchange(c, __func__, STATE_EVENT))
        return fmi2Error;
    fmi2_of(c)->state = STATE_CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state, fmi2Boolean *event_mode,
                                       fmi2Boolean *terminate)
{
    bool enter = false;

    (void)no_set_state;
    if (phx_instance_check_exchange(c, __func__, STATE_CONTINUOUS))
        return fmi2Error;
    const int status = phx_instance_completed(c, &enter);
    *event_mode = enter;
    *terminate = 0;
    return (fmi2Status)status;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    if (phx_instance_check_exchange(c, __func__, STATE_EVENT | STATE_CONTINUOUS))
        return fmi2Error;
    phx_unit_set_time(fmi2_of(c)->unit, time);
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t count)
{
    if (phx_instance_check_exchange(c, __func__, STATE_CONTINUOUS | STATE_EVENT))
        return fmi2Error;
    return (fmi2Status)phx_instance_set_states(c, __func__, count, x);
}

static fmi2Status get_array(fmi2Component c, const char *function, instance_array which, size_t count, fmi2Real *values)
{
    if (phx_instance_check_exchange(c, function, STATE_INITIALIZING | STATE_AT_WORK | STATE_TERMINATED))
        return fmi2Error;
    return (fmi2Status)phx_instance_get_array(c, function, which, count, values);
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rates[], size_t count)
{
    return get_array(c, __func__, ARRAY_RATES, count, rates);
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count)
{
    return get_array(c, __func__, ARRAY_INDICATORS, count, indicators);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t count)
{
    return get_array(c, __func__, ARRAY_STATES, count, x);
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t count)
{
    return get_array(c, __func__, ARRAY_NOMINALS, count, nominal);
}
