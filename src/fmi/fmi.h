/* Layer fmi: types of the Functional Mock-up Interface 2.0 and 3.0, in the names of the standard. A header only.
 *
 * Functions are listed once, for those that define them and for those that look them up:
 *   FMI2_COMMON(X), FMI2_MODEL_EXCHANGE(X), FMI2_CO_SIMULATION(X), FMI3_FUNCTIONS(X)    X(result, name, (arguments)) */
#ifndef PHX_FMI_FMI_H
#define PHX_FMI_FMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- 2.0 ---- */
typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Char, fmi2Byte;
typedef const fmi2Char *fmi2String;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void fmi2CallbackLogger(fmi2ComponentEnvironment environment, fmi2String instance_name, fmi2Status status,
                                fmi2String category, fmi2String message, ...);
typedef struct {
    fmi2CallbackLogger *logger;
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

/* clang-format off */
#define FMI2_COMMON(X)                                                                                                 \
    X(const char *, fmi2GetTypesPlatform, (void))                                                                      \
    X(const char *, fmi2GetVersion, (void))                                                                            \
    X(fmi2Status, fmi2SetDebugLogging, (fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])) \
    X(fmi2Component, fmi2Instantiate, (fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,          \
        const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging))                             \
    X(void, fmi2FreeInstance, (fmi2Component c))                                                                       \
    X(fmi2Status, fmi2SetupExperiment, (fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,            \
        fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop))                                                      \
    X(fmi2Status, fmi2EnterInitializationMode, (fmi2Component c))                                                      \
    X(fmi2Status, fmi2ExitInitializationMode, (fmi2Component c))                                                       \
    X(fmi2Status, fmi2Terminate, (fmi2Component c))                                                                    \
    X(fmi2Status, fmi2Reset, (fmi2Component c))                                                                        \
    X(fmi2Status, fmi2GetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[]))       \
    X(fmi2Status, fmi2GetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Integer value[])) \
    X(fmi2Status, fmi2GetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Boolean value[])) \
    X(fmi2Status, fmi2GetString, (fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2String value[]))   \
    X(fmi2Status, fmi2SetReal, (fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])) \
    X(fmi2Status, fmi2SetInteger, (fmi2Component c, const fmi2ValueReference vr[], size_t count,                       \
        const fmi2Integer value[]))                                                                                    \
    X(fmi2Status, fmi2SetBoolean, (fmi2Component c, const fmi2ValueReference vr[], size_t count,                       \
        const fmi2Boolean value[]))                                                                                    \
    X(fmi2Status, fmi2SetString, (fmi2Component c, const fmi2ValueReference vr[], size_t count,                        \
        const fmi2String value[]))                                                                                     \
    X(fmi2Status, fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate *state))                                             \
    X(fmi2Status, fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state))                                              \
    X(fmi2Status, fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate *state))                                            \
    X(fmi2Status, fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t *size))                     \
    X(fmi2Status, fmi2SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))         \
    X(fmi2Status, fmi2DeSerializeFMUstate, (fmi2Component c, const fmi2Byte bytes[], size_t size,                      \
        fmi2FMUstate *state))                                                                                          \
    X(fmi2Status, fmi2GetDirectionalDerivative, (fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns, \
        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[], fmi2Real sensitivity[]))
#define FMI2_MODEL_EXCHANGE(X)                                                                                         \
    X(fmi2Status, fmi2EnterEventMode, (fmi2Component c))                                                               \
    X(fmi2Status, fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo *info))                                       \
    X(fmi2Status, fmi2EnterContinuousTimeMode, (fmi2Component c))                                                      \
    X(fmi2Status, fmi2CompletedIntegratorStep, (fmi2Component c, fmi2Boolean no_set_state, fmi2Boolean *event_mode,    \
        fmi2Boolean *terminate))                                                                                       \
    X(fmi2Status, fmi2SetTime, (fmi2Component c, fmi2Real time))                                                       \
    X(fmi2Status, fmi2SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t count))                        \
    X(fmi2Status, fmi2GetDerivatives, (fmi2Component c, fmi2Real rates[], size_t count))                               \
    X(fmi2Status, fmi2GetEventIndicators, (fmi2Component c, fmi2Real indicators[], size_t count))                      \
    X(fmi2Status, fmi2GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t count))                              \
    X(fmi2Status, fmi2GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real nominal[], size_t count))
#define FMI2_CO_SIMULATION(X)                                                                                          \
    X(fmi2Status, fmi2SetRealInputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t count,          \
        const fmi2Integer order[], const fmi2Real value[]))                                                            \
    X(fmi2Status, fmi2GetRealOutputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t count,         \
        const fmi2Integer order[], fmi2Real value[]))                                                                  \
    X(fmi2Status, fmi2DoStep, (fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_set_state))               \
    X(fmi2Status, fmi2CancelStep, (fmi2Component c))                                                                   \
    X(fmi2Status, fmi2GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value))                      \
    X(fmi2Status, fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value))                    \
    X(fmi2Status, fmi2GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value))              \
    X(fmi2Status, fmi2GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value))              \
    X(fmi2Status, fmi2GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value))

/* ---- 3.0 ---- */
typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;
typedef void fmi3LogMessageCallback(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                                    fmi3String message);
typedef void fmi3IntermediateUpdateCallback(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                            fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                            fmi3Boolean step_finished, fmi3Boolean can_return_early,
                                            fmi3Boolean *return_early, fmi3Float64 *return_time);
typedef void fmi3ClockUpdateCallback(fmi3InstanceEnvironment environment);
typedef void fmi3PreemptionCallback(void);

/* Getters and setters of one type each: X(Name, type). */
#define FMI3_NUMBER_TYPES(X)                                                                                           \
    X(Float32) X(Float64) X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean) X(String)
#define FMI3_GET_SET(X, type)                                                                                          \
    X(fmi3Status, fmi3Get##type, (fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3##type value[],     \
        size_t values))                                                                                                \
    X(fmi3Status, fmi3Set##type, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,                         \
        const fmi3##type value[], size_t values))
#define FMI3_FUNCTIONS(X)                                                                                              \
    X(const char *, fmi3GetVersion, (void))                                                                            \
    X(fmi3Status, fmi3SetDebugLogging, (fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[]))  \
    X(fmi3Instance, fmi3InstantiateModelExchange, (fmi3String name, fmi3String token, fmi3String resources,            \
        fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log))   \
    X(fmi3Instance, fmi3InstantiateCoSimulation, (fmi3String name, fmi3String token, fmi3String resources,             \
        fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,                    \
        const fmi3ValueReference intermediate[], size_t n_intermediate, fmi3InstanceEnvironment environment,           \
        fmi3LogMessageCallback *log, fmi3IntermediateUpdateCallback *update))                                          \
    X(fmi3Instance, fmi3InstantiateScheduledExecution, (fmi3String name, fmi3String token, fmi3String resources,       \
        fmi3Boolean visible, fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log,    \
        fmi3ClockUpdateCallback *clock, fmi3PreemptionCallback *lock, fmi3PreemptionCallback *unlock))                 \
    X(void, fmi3FreeInstance, (fmi3Instance c))                                                                        \
    X(fmi3Status, fmi3EnterInitializationMode, (fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,  \
        fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop))                                                \
    X(fmi3Status, fmi3ExitInitializationMode, (fmi3Instance c))                                                        \
    X(fmi3Status, fmi3EnterEventMode, (fmi3Instance c))                                                                \
    X(fmi3Status, fmi3Terminate, (fmi3Instance c))                                                                     \
    X(fmi3Status, fmi3Reset, (fmi3Instance c))                                                                         \
    FMI3_GET_SET(X, Float32) FMI3_GET_SET(X, Float64) FMI3_GET_SET(X, Int8) FMI3_GET_SET(X, UInt8)                     \
    FMI3_GET_SET(X, Int16) FMI3_GET_SET(X, UInt16) FMI3_GET_SET(X, Int32) FMI3_GET_SET(X, UInt32)                      \
    FMI3_GET_SET(X, Int64) FMI3_GET_SET(X, UInt64) FMI3_GET_SET(X, Boolean) FMI3_GET_SET(X, String)                    \
    X(fmi3Status, fmi3GetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t count, size_t sizes[],         \
        fmi3Binary value[], size_t values))                                                                            \
    X(fmi3Status, fmi3SetBinary, (fmi3Instance c, const fmi3ValueReference vr[], size_t count, const size_t sizes[],   \
        const fmi3Binary value[], size_t values))                                                                      \
    X(fmi3Status, fmi3GetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Clock value[]))      \
    X(fmi3Status, fmi3SetClock, (fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Clock value[]))\
    X(fmi3Status, fmi3GetNumberOfVariableDependencies, (fmi3Instance c, fmi3ValueReference vr, size_t *count))         \
    X(fmi3Status, fmi3GetVariableDependencies, (fmi3Instance c, fmi3ValueReference vr, size_t element[],               \
        fmi3ValueReference independent[], size_t independent_element[], fmi3DependencyKind kind[], size_t count))      \
    X(fmi3Status, fmi3GetFMUState, (fmi3Instance c, fmi3FMUState *state))                                              \
    X(fmi3Status, fmi3SetFMUState, (fmi3Instance c, fmi3FMUState state))                                               \
    X(fmi3Status, fmi3FreeFMUState, (fmi3Instance c, fmi3FMUState *state))                                             \
    X(fmi3Status, fmi3SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t *size))                      \
    X(fmi3Status, fmi3SerializeFMUState, (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size))          \
    X(fmi3Status, fmi3DeserializeFMUState, (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)) \
    X(fmi3Status, fmi3GetDirectionalDerivative, (fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,  \
        const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[], size_t seeds,                       \
        fmi3Float64 sensitivity[], size_t sensitivities))                                                              \
    X(fmi3Status, fmi3GetAdjointDerivative, (fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,      \
        const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[], size_t seeds,                       \
        fmi3Float64 sensitivity[], size_t sensitivities))                                                              \
    X(fmi3Status, fmi3EnterConfigurationMode, (fmi3Instance c))                                                        \
    X(fmi3Status, fmi3ExitConfigurationMode, (fmi3Instance c))                                                         \
    X(fmi3Status, fmi3GetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,                \
        fmi3Float64 interval[], fmi3IntervalQualifier qualifier[]))                                                    \
    X(fmi3Status, fmi3GetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,               \
        fmi3UInt64 counter[], fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[]))                             \
    X(fmi3Status, fmi3GetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,                   \
        fmi3Float64 shift[]))                                                                                          \
    X(fmi3Status, fmi3GetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,                  \
        fmi3UInt64 counter[], fmi3UInt64 resolution[]))                                                                \
    X(fmi3Status, fmi3SetIntervalDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,                \
        const fmi3Float64 interval[]))                                                                                 \
    X(fmi3Status, fmi3SetIntervalFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,               \
        const fmi3UInt64 counter[], const fmi3UInt64 resolution[]))                                                    \
    X(fmi3Status, fmi3SetShiftDecimal, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,                   \
        const fmi3Float64 shift[]))                                                                                    \
    X(fmi3Status, fmi3SetShiftFraction, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,                  \
        const fmi3UInt64 counter[], const fmi3UInt64 resolution[]))                                                    \
    X(fmi3Status, fmi3EvaluateDiscreteStates, (fmi3Instance c))                                                        \
    X(fmi3Status, fmi3UpdateDiscreteStates, (fmi3Instance c, fmi3Boolean *update_needed, fmi3Boolean *terminate,       \
        fmi3Boolean *nominals_changed, fmi3Boolean *values_changed, fmi3Boolean *next_event_defined,                   \
        fmi3Float64 *next_event))                                                                                      \
    X(fmi3Status, fmi3EnterContinuousTimeMode, (fmi3Instance c))                                                       \
    X(fmi3Status, fmi3CompletedIntegratorStep, (fmi3Instance c, fmi3Boolean no_set_state, fmi3Boolean *event_mode,     \
        fmi3Boolean *terminate))                                                                                       \
    X(fmi3Status, fmi3SetTime, (fmi3Instance c, fmi3Float64 time))                                                     \
    X(fmi3Status, fmi3SetContinuousStates, (fmi3Instance c, const fmi3Float64 x[], size_t count))                      \
    X(fmi3Status, fmi3GetContinuousStateDerivatives, (fmi3Instance c, fmi3Float64 rates[], size_t count))              \
    X(fmi3Status, fmi3GetEventIndicators, (fmi3Instance c, fmi3Float64 indicators[], size_t count))                    \
    X(fmi3Status, fmi3GetContinuousStates, (fmi3Instance c, fmi3Float64 x[], size_t count))                            \
    X(fmi3Status, fmi3GetNominalsOfContinuousStates, (fmi3Instance c, fmi3Float64 nominal[], size_t count))            \
    X(fmi3Status, fmi3GetNumberOfEventIndicators, (fmi3Instance c, size_t *count))                                     \
    X(fmi3Status, fmi3GetNumberOfContinuousStates, (fmi3Instance c, size_t *count))                                    \
    X(fmi3Status, fmi3EnterStepMode, (fmi3Instance c))                                                                 \
    X(fmi3Status, fmi3GetOutputDerivatives, (fmi3Instance c, const fmi3ValueReference vr[], size_t count,              \
        const fmi3Int32 order[], fmi3Float64 value[], size_t values))                                                  \
    X(fmi3Status, fmi3DoStep, (fmi3Instance c, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_set_state,           \
        fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return, fmi3Float64 *last_time))         \
    X(fmi3Status, fmi3ActivateModelPartition, (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time))
/* clang-format on */

/* The functions that a shared object exports, and the types of its functions: fmi2DoStepTYPE. */
#define FMI_DECLARE(result, name, arguments)                                                                           \
    typedef result name##TYPE arguments;                                                                               \
    __attribute__((visibility("default"))) result name arguments;
FMI2_COMMON(FMI_DECLARE)
FMI2_MODEL_EXCHANGE(FMI_DECLARE)
FMI2_CO_SIMULATION(FMI_DECLARE)
FMI3_FUNCTIONS(FMI_DECLARE)

#endif
