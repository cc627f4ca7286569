/* FMI 3.0 over the instances of this layer. */
#include "instance.h"

#include <string.h>

#define FMI(name)          fmi3##name
#define FMI_GET_STATE      fmi3GetFMUState
#define FMI_SET_STATE      fmi3SetFMUState
#define FMI_FREE_STATE     fmi3FreeFMUState
#define FMI_STATE_SIZE     fmi3SerializedFMUStateSize
#define FMI_STATE_TO_BYTES fmi3SerializeFMUState
#define FMI_STATE_OF_BYTES fmi3DeserializeFMUState
#define FMI_GET_RATES      fmi3GetContinuousStateDerivatives
#include "fmi_alike.h"

static void send(const instance *fmu, int status, const char *category, const char *message)
{
    fmi3LogMessageCallback *log = NULL;
    memcpy(&log, &fmu->log, sizeof log);
    log(fmu->environment, (fmi3Status)status, category, message);
}

static instance form_of(fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log)
{
    instance form = {.send = log ? send : send_nowhere, .environment = environment};
    memcpy(&form.log, &log, sizeof log);
    form.logging[LOG_ERROR] = true;
    return form;
}

/* ---- creation ---- */
const char *fmi3GetVersion(void)
{
    return "3.0";
}

/* FMI 3: an instance for co-simulation; NULL with a message if the resources are wrong or intermediate updates are
 * required. */
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t n_intermediate,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log,
                                         fmi3IntermediateUpdateCallback *update)
{
    instance form = form_of(environment, log);

    (void)visible, (void)early_return, (void)intermediate, (void)update;
    if (n_intermediate > 0) {
        phx_instance_log(&form, LOG_ERROR, "there are no variables for intermediate updates");
        return NULL;
    }
    form.event_mode = event_mode;
    return phx_instance_create(&form, name, token, resources, logging);
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback *log)
{
    instance form = form_of(environment, log);

    (void)visible;
    form.exchange = true;
    return phx_instance_create(&form, name, token, resources, logging);
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log,
                                               fmi3ClockUpdateCallback *clock, fmi3PreemptionCallback *lock,
                                               fmi3PreemptionCallback *unlock)
{
    const instance form = form_of(environment, log);

    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    phx_instance_log(&form, LOG_ERROR, "this FMU is not for scheduled execution");
    return NULL;
}

/* ---- modes ---- */
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED))
        return fmi3Error;
    return (fmi3Status)phx_instance_initialize(c, start);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    if (phx_instance_check(c, __func__, STATE_INITIALIZING))
        return fmi3Error;
    fmi_of(c)->state = fmi_of(c)->event_mode || fmi_of(c)->exchange ? STATE_EVENT : STATE_STEP;
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    if (phx_instance_check(c, __func__, STATE_STEP | STATE_CONTINUOUS | STATE_EVENT))
        return fmi3Error;
    if (!fmi_of(c)->event_mode && !fmi_of(c)->exchange)
        return fmi_refuse(c, __func__, "the instance was made without event mode");
    phx_instance_enter_event(c);
    return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    if (phx_instance_check(c, __func__, STATE_EVENT))
        return fmi3Error;
    if (fmi_of(c)->exchange)
        return fmi_refuse(c, __func__, "the instance is for model exchange");
    fmi_of(c)->state = STATE_STEP;
    return fmi3OK;
}

/* In co-simulation sampled controllers take their samples in the step that begins there. Nothing is left to be
 * iterated. */
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *update_needed, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                    fmi3Boolean *next_event_defined, fmi3Float64 *next_event)
{
    if (phx_instance_check(c, __func__, STATE_EVENT))
        return fmi3Error;
    *update_needed = *terminate = *nominals_changed = *values_changed = false;
    if (!fmi_of(c)->exchange) {
        *next_event_defined = phx_unit_next_event(fmi_of(c)->unit, next_event);
        return fmi3OK;
    }
    instance_event event;
    const int status = phx_instance_event(c, &event);
    *update_needed = event.again;
    *nominals_changed = *values_changed = event.states_changed;
    *next_event_defined = event.next_defined;
    if (event.next_defined)
        *next_event = event.next;
    return (fmi3Status)status;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    return phx_instance_check(c, __func__, STATE_INITIALIZING | STATE_EVENT) ? fmi3Error : fmi3OK;
}

/* ---- values ---- */
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 value[],
                          size_t values)
{
    if (phx_instance_check(c, __func__, STATE_INITIALIZING | STATE_AT_WORK | STATE_TERMINATED))
        return fmi3Error;
    if (count != values)
        return fmi_refuse(c, __func__, "all variables are scalars: there must be as many values as variables");
    return (fmi3Status)phx_instance_get(c, __func__, count, vr, value);
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 value[],
                          size_t values)
{
    if (phx_instance_check(c, __func__, STATE_INSTANTIATED | STATE_INITIALIZING | STATE_AT_WORK))
        return fmi3Error;
    if (count != values)
        return fmi_refuse(c, __func__, "all variables are scalars: there must be as many values as variables");
    return (fmi3Status)phx_instance_set(c, __func__, count, vr, value);
}

static fmi3Status no_such_type(fmi3Instance c, const char *function, size_t count)
{
    return count == 0 && c ? fmi3OK : fmi_refuse(c, function, "there are variables of type Float64 only");
}

#define NO_SUCH_TYPE(type)                                                                                             \
    fmi3Status fmi3Get##type(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3##type value[],          \
                             size_t values)                                                                            \
    {                                                                                                                  \
        (void)vr, (void)value, (void)values;                                                                           \
        return no_such_type(c, "fmi3Get" #type, count);                                                                \
    }                                                                                                                  \
    fmi3Status fmi3Set##type(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3##type value[],    \
                             size_t values)                                                                            \
    {                                                                                                                  \
        (void)vr, (void)value, (void)values;                                                                           \
        return no_such_type(c, "fmi3Set" #type, count);                                                                \
    }
NO_SUCH_TYPE(Float32)
NO_SUCH_TYPE(Int8)
NO_SUCH_TYPE(UInt8)
NO_SUCH_TYPE(Int16)
NO_SUCH_TYPE(UInt16)
NO_SUCH_TYPE(Int32)
NO_SUCH_TYPE(UInt32)
NO_SUCH_TYPE(Int64)
NO_SUCH_TYPE(UInt64)
NO_SUCH_TYPE(Boolean)
NO_SUCH_TYPE(String)

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, size_t sizes[],
                         fmi3Binary value[], size_t values)
{
    (void)vr, (void)sizes, (void)value, (void)values;
    return no_such_type(c, __func__, count);
}

fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                         const fmi3Binary value[], size_t values)
{
    (void)vr, (void)sizes, (void)value, (void)values;
    return no_such_type(c, __func__, count);
}

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Clock value[])
{
    (void)vr, (void)value;
    return no_such_type(c, __func__, count);
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Clock value[])
{
    (void)vr, (void)value;
    return no_such_type(c, __func__, count);
}

/* ---- dependencies ---- */
/* The variables that one follows at once: inputs, then states. */
static size_t list_dependencies(const instance *fmu, fmi3ValueReference vr, fmi3ValueReference *list)
{
    const int inputs = phx_unit_inputs(fmu->unit), states = fmu->exchange ? phx_unit_states(fmu->unit) : 0;
    size_t count = 0;
    phx_variable variable;

    phx_unit_variable(fmu->unit, (int)vr, &variable);
    for (int k = 0; k < inputs && variable.from_inputs; k++, count++)
        if (list)
            list[count] = (fmi3ValueReference)(phx_unit_first_input() + k);
    for (int k = 0; k < states && variable.from_states; k++, count++)
        if (list)
            list[count] = (fmi3ValueReference)phx_unit_state_variable(fmu->unit, k);
    return count;
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t *count)
{
    if (!c || vr >= (unsigned)phx_unit_variables(fmi_of(c)->unit))
        return fmi_refuse(c, __func__, "there is no such variable");
    *count = list_dependencies(c, vr, NULL);
    return fmi3OK;
}

/* FMI 3: the variables on which vr depends, all of kind dependent; an error unless `count` is their number. */
fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference vr, size_t element[],
                                       fmi3ValueReference independent[], size_t independent_element[],
                                       fmi3DependencyKind kind[], size_t count)
{
    size_t there = 0;

    if (fmi3GetNumberOfVariableDependencies(c, vr, &there) || count != there)
        return fmi_refuse(c, __func__, "the number of dependencies is another one");
    (void)list_dependencies(c, vr, independent);
    for (size_t k = 0; k < count; k++) {
        element[k] = independent_element[k] = 0;
        kind[k] = fmi3Dependent;
    }
    return fmi3OK;
}

/* ---- steps ---- */
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_set_state,
                      fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time)
{
    (void)no_set_state;
    if (phx_instance_check(c, __func__, STATE_STEP))
        return fmi3Error;
    const int status = phx_instance_step(c, __func__, time, step);
    *terminate = *early_return = false;
    *event_needed = fmi_of(c)->event_mode && status == INSTANCE_OK && phx_unit_at_event(fmi_of(c)->unit);
    *last_time = fmi_of(c)->last_time;
    return (fmi3Status)status;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                    const fmi3Int32 order[], fmi3Float64 value[], size_t values)
{
    (void)vr, (void)order, (void)value, (void)values;
    return count == 0 && c ? fmi3OK : fmi_refuse(c, __func__, "outputs have no derivatives here");
}

/* ---- model exchange ---- */
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set_state, fmi3Boolean *event_mode,
                                       fmi3Boolean *terminate)
{
    (void)no_set_state;
    if (phx_instance_check_exchange(c, __func__, STATE_CONTINUOUS))
        return fmi3Error;
    *terminate = false;
    return (fmi3Status)phx_instance_completed(c, event_mode);
}

static fmi3Status get_number(fmi3Instance c, const char *function, int number, size_t *count)
{
    if (phx_instance_check_exchange(c, function, STATE_ANY))
        return fmi3Error;
    *count = (size_t)number;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count)
{
    return get_number(c, __func__, c ? phx_unit_n_indicators(fmi_of(c)->unit) : 0, count);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count)
{
    return get_number(c, __func__, c ? phx_unit_states(fmi_of(c)->unit) : 0, count);
}

/* ---- derivatives ---- */
static fmi3Status derivative_of(fmi3Instance c, const char *function, const phx_unit_direction *along, bool adjoint,
                                size_t seeds, size_t sensitivities, fmi3Float64 *sensitivity)
{
    const size_t given = adjoint ? along->n_unknown : along->n_known;
    const size_t wanted = adjoint ? along->n_known : along->n_unknown;

    if (phx_instance_check(c, function, STATE_INITIALIZING | STATE_AT_WORK | STATE_TERMINATED))
        return fmi3Error;
    if (seeds != given || sensitivities != wanted)
        return fmi_refuse(c, function, "all variables are scalars: there must be as many values as variables");
    return (fmi3Status)phx_instance_derivative(c, function, along, adjoint, sensitivity);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
                                        const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[],
                                        size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities)
{
    const phx_unit_direction along = {
        .n_unknown = unknowns, .unknown = unknown, .n_known = knowns, .known = known, .seed = seed};
    return derivative_of(c, __func__, &along, false, seeds, sensitivities, sensitivity);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
                                    const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[],
                                    size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities)
{
    const phx_unit_direction along = {
        .n_unknown = unknowns, .unknown = unknown, .n_known = knowns, .known = known, .seed = seed};
    return derivative_of(c, __func__, &along, true, seeds, sensitivities, sensitivity);
}

/* ---- what this FMU has not ---- */
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    return fmi_refuse(c, __func__, "there are no structural parameters");
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    return fmi_refuse(c, __func__, "there are no structural parameters");
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 interval[],
                                  fmi3IntervalQualifier qualifier[])
{
    (void)vr, (void)count, (void)interval, (void)qualifier;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counter[],
                                   fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[])
{
    (void)vr, (void)count, (void)counter, (void)resolution, (void)qualifier;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 shift[])
{
    (void)vr, (void)count, (void)shift;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counter[],
                                fmi3UInt64 resolution[])
{
    (void)vr, (void)count, (void)counter, (void)resolution;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                  const fmi3Float64 interval[])
{
    (void)vr, (void)count, (void)interval;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                   const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)vr, (void)count, (void)counter, (void)resolution;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 shift[])
{
    (void)vr, (void)count, (void)shift;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3UInt64 counter[],
                                const fmi3UInt64 resolution[])
{
    (void)vr, (void)count, (void)counter, (void)resolution;
    return fmi_refuse(c, __func__, "there are no clocks");
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)clock, (void)time;
    return fmi_refuse(c, __func__, "there are no clocks");
}
