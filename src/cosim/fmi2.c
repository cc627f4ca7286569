/* FMI 2.0 over the instances of this layer. */
#include "instance.h"

#include <string.h>

#define FMI(name)          fmi2##name
#define FMI_GET_STATE      fmi2GetFMUstate
#define FMI_SET_STATE      fmi2SetFMUstate
#define FMI_FREE_STATE     fmi2FreeFMUstate
#define FMI_STATE_SIZE     fmi2SerializedFMUstateSize
#define FMI_STATE_TO_BYTES fmi2SerializeFMUstate
#define FMI_STATE_OF_BYTES fmi2DeSerializeFMUstate
#define FMI_GET_RATES      fmi2GetDerivatives
#include "fmi_alike.h"

/* The logger is variadic: messages never are its format. */
static void send(const instance *fmu, int status, const char *category, const char *message)
{
    fmi2CallbackLogger *logger = NULL;
    memcpy(&logger, &fmu->log, sizeof logger);
    logger(fmu->environment, fmu->name, (fmi2Status)status, category, "%s", message);
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

/* FMI 2: an instance from the folder of the resources URI; NULL with a message if the URI, token or file is wrong. */
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

/* ---- initialization ---- */
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED))
        return fmi2Error;
    fmi_of(c)->start = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED))
        return fmi2Error;
    return (fmi2Status)phx_instance_initialize(c, fmi_of(c)->start);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    if (phx_instance_check(c, __func__, STATE_INITIALIZING))
        return fmi2Error;
    fmi_of(c)->state = fmi_of(c)->exchange ? STATE_EVENT : STATE_STEP;
    return fmi2OK;
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
        return count == 0 && c ? fmi2OK : fmi_refuse(c, #Get, "there are variables of type Real only");                \
    }                                                                                                                  \
    fmi2Status Set(fmi2Component c, const fmi2ValueReference vr[], size_t count, const type value[])                   \
    {                                                                                                                  \
        (void)vr, (void)value;                                                                                         \
        return count == 0 && c ? fmi2OK : fmi_refuse(c, #Set, "there are variables of type Real only");                \
    }
NO_SUCH_TYPE(fmi2GetInteger, fmi2SetInteger, fmi2Integer)
NO_SUCH_TYPE(fmi2GetBoolean, fmi2SetBoolean, fmi2Boolean)
NO_SUCH_TYPE(fmi2GetString, fmi2SetString, fmi2String)

/* ---- derivatives ---- */
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
        if (order[k] != 1 || vr[k] >= (unsigned)phx_unit_variables(fmi_of(c)->unit))
            return fmi_refuse(c, __func__, "inputs have derivatives of order 1");
        const int status = phx_instance_status(c, phx_unit_set_slope(fmi_of(c)->unit, (int)vr[k], value[k]));
        if (status)
            return (fmi2Status)status;
    }
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                        const fmi2Integer order[], fmi2Real value[])
{
    (void)vr, (void)order, (void)value;
    return count == 0 && c ? fmi2OK : fmi_refuse(c, __func__, "outputs have no derivatives here");
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
    return fmi_refuse(c, __func__, "no step is pending");
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    if (!c || kind != fmi2DoStepStatus)
        return fmi_refuse(c, __func__, "there is no such status");
    *value = (fmi2Status)fmi_of(c)->last_step;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (!c || kind != fmi2LastSuccessfulTime)
        return fmi_refuse(c, __func__, "there is no such status");
    *value = fmi_of(c)->last_time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind, (void)value;
    return fmi_refuse(c, __func__, "there is no such status");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (!c || kind != fmi2Terminated)
        return fmi_refuse(c, __func__, "there is no such status");
    *value = 0;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    if (!c || kind != fmi2PendingStatus)
        return fmi_refuse(c, __func__, "there is no such status");
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
