/* Phlexor, layer fmu: models as FMUs (Functional Mock-up Interface 2.0 and 3.0, co-simulation and model exchange). */
#ifndef PHLEXOR_FMU_H
#define PHLEXOR_FMU_H

#include <phlexor/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The use of an FMU: the importing program lets it make its own steps, or integrates its states. */
typedef enum phx_fmu_kind { PHX_FMU_CO_SIMULATION = 1, PHX_FMU_MODEL_EXCHANGE = 2, PHX_FMU_BOTH = 3 } phx_fmu_kind;

/* Options of an FMU. */
typedef struct phx_fmu_options {
    int version;            /* of the FMI: 2 or 3; default 3 */
    phx_fmu_kind kind;      /* default: co-simulation */
    const char *identifier; /* a name of C, that of the shared object; NULL: made of the file's name */
    /* Inputs are added to what the model gives: JOINT.effort, JOINT.rate of a drive, LOAD.fx .., SPRING.force.
     * NULL: all actuators, drives and loads that the model has. */
    int n_inputs;
    const char *const *inputs;
    /* Outputs of the model, by their names or the names of their columns; NULL: all. Energies and the ledger are always
     * among the outputs. */
    int n_outputs;
    const char *const *outputs;
    /* Parameters of the model whose values the importing program can set: those that appear in expressions of time
     * alone (loads, drives, references and expressions of controllers). Those in motions can be set until the start.
     * NULL: all that can, in models that do not start in an equilibrium; with a count of 0 not NULL: none. */
    int n_parameters;
    const char *const *parameters;
    phx_simulate_options simulate; /* integrator, step, tolerances and end instead of the model's */
} phx_fmu_options;
phx_fmu_options phx_fmu_options_default(void);

/* The FMU that has been written. */
typedef struct phx_fmu_report {
    int inputs, outputs, parameters; /* variables */
    int states;                      /* of model exchange */
    size_t bytes;                    /* of the file */
    double step;                     /* s: the longest of the integrator; 0: it chooses */
    char token[48];                  /* instantiation token */
} phx_fmu_report;

/* Write the model's mechanism at its start state as an FMU that needs nothing else: the file appears under its name
 * when it is complete. With the same steps and inputs of zero its motion is that of phx_study_simulate, bit by bit.
 * PHX_ERR_INPUT for names that are not there (with the nearest), and for parameters that shape the
 * assembled system, with the places where they are used; PHX_ERR_UNSUPPORTED for what cannot be written yet,
 * with its name, and where the library was built without the shared object of FMUs. `report` may be NULL. */
phx_status phx_fmu_export(phx_context *context, const phx_model *model, const phx_fmu_options *options,
                          const char *path, phx_fmu_report *report);

/* The faults of an FMU. Owns its texts. */
typedef struct phx_fmu_check_report {
    int version;    /* 2 or 3; 0: not known */
    char name[256]; /* of the model */
    int variables;
    bool co_simulation, model_exchange;
    int steps;  /* that it has made */
    int events; /* of model exchange, that were handled */
    int n_findings;
    char **findings; /* in words; none: nothing was found */
} phx_fmu_check_report;
void phx_fmu_check_report_free(phx_fmu_check_report *report); /* frees and zeroes the fields; NULL is allowed */
/* Check an FMU of any program: the archive, the rules of the standard about its description and, with `run`, its calls
 * in a process of their own: steps, a second instance, events of model exchange, the way back to a saved state. What is
 * wrong with it stands in the report; PHX_ERR_FILE when it cannot be read. */
phx_status phx_fmu_check(phx_context *context, const char *path, bool run, phx_fmu_check_report *report);

#ifdef __cplusplus
}
#endif
#endif
