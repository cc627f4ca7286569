/* Private to layer fmu: FMUs of others, unpacked and described. */
#ifndef PHX_FMU_ARCHIVE_H
#define PHX_FMU_ARCHIVE_H

#include "fmu.h"

/* An FMU in a folder of its own, which goes with it. */
typedef struct phx_fmu_folder {
    char *path;
} phx_fmu_folder;
/* PHX_ERR_INPUT for what is no zip archive, for names that lead out of the folder (absolute ones, "..", links), for
 * encrypted files and for archives that would become very large. */
phx_status phx_fmu_unpack(phx_context *context, const char *file, phx_fmu_folder *folder);
void phx_fmu_remove(phx_fmu_folder *folder); /* removes the folder and all that is in it */

/* ---- modelDescription.xml ---- */
typedef enum phx_fmu_causality {
    PHX_FMU_PARAMETER,
    PHX_FMU_CALCULATED_PARAMETER,
    PHX_FMU_INPUT,
    PHX_FMU_OUTPUT,
    PHX_FMU_LOCAL,
    PHX_FMU_INDEPENDENT,
    PHX_FMU_STRUCTURAL,
    PHX_FMU_CAUSALITIES
} phx_fmu_causality;
typedef enum phx_fmu_initial { PHX_FMU_EXACT, PHX_FMU_APPROX, PHX_FMU_CALCULATED, PHX_FMU_NO_INITIAL } phx_fmu_initial;

typedef struct phx_fmu_variable {
    char *name;
    unsigned reference;
    bool real;  /* Real, Float64 */
    bool array; /* FMI 3: has dimensions */
    phx_fmu_causality causality;
    char *variability, *unit, *start; /* NULL: not given */
    phx_fmu_initial initial;          /* as given, or as the standard's table has it */
    long derivative;                  /* of which variable: place from 1 (2.0), value reference (3.0); -1: of none */
} phx_fmu_variable;

/* An entry of the structure of the model. */
typedef struct phx_fmu_unknown {
    long of;  /* place from 1 (2.0), value reference (3.0) */
    int kind; /* 0: output, 1: derivative, 2: initial unknown, 3: event indicator, 4: others */
} phx_fmu_unknown;

typedef struct phx_fmu_model {
    int version;                     /* 2 or 3 */
    char *name, *token, *identifier; /* identifier: of co-simulation; NULL: there is none */
    char *exchange_identifier;       /* of model exchange; NULL: there is none */
    bool gets_state, serializes_state, needs_tool, has_event_mode; /* in co-simulation; needs_tool: in either */
    bool exchange_gets_state;
    int n_indicators; /* event indicators */
    int n_variables, n_unknowns, n_units;
    phx_fmu_variable *variables;
    phx_fmu_unknown *unknowns;
    char **units;
    double start, stop, step; /* of the default experiment; 0: not given */
} phx_fmu_model;
/* Reads FOLDER/modelDescription.xml. PHX_ERR_INPUT when it is no description of an FMU of 2.0 or 3.0. */
phx_status phx_fmu_read_model(phx_context *context, const char *folder, phx_fmu_model *model);
void phx_fmu_free_model(phx_fmu_model *model);

/* ---- findings ---- */
typedef struct phx_fmu_findings phx_fmu_findings;
/* Another finding. */
void phx_fmu_find(phx_fmu_findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The rules of the standard about the description. */
void phx_fmu_check_model(const phx_fmu_model *model, phx_fmu_findings *findings);
/* Loads the shared object in a child process, makes steps, saves and restores; what the child has to say and how it
 * ended. */
phx_status phx_fmu_check_calls(phx_context *context, const phx_fmu_model *model, const char *folder,
                               phx_fmu_findings *findings, int *steps);

#endif
