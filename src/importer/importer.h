/* Layer importer, for the other layers of the library: FMUs of others, unpacked, described, and called in a process of
 * their own, so that what they break there breaks nothing else. */
#ifndef PHX_IMPORTER_IMPORTER_H
#define PHX_IMPORTER_IMPORTER_H

#include "base/base.h"
#include "fmi/fmi.h"

#include <sys/types.h>

/* An FMU in a folder of its own, which goes with it. */
typedef struct phx_fmu_folder {
    char *path;
} phx_fmu_folder;
/* PHX_ERR_INPUT for what is no zip archive, for names that lead out of the folder (absolute ones, "..", links), for
 * encrypted files and for archives that would become very large. */
phx_status phx_fmu_unpack(phx_context *context, const char *file, phx_fmu_folder *folder);
void phx_fmu_remove(phx_fmu_folder *folder); /* removes the folder and all that is in it */
/* One file of the archive, which is checked as by phx_fmu_unpack; PHX_ERR_INPUT also when it is not there. Free `bytes`
 * with phx_free. */
phx_status phx_fmu_unpack_one(phx_context *context, const char *file, const char *name, char **bytes, size_t *size);
/* PHX_ERR_INPUT, with the platforms that it has, unless there is a shared object of this name for this one. */
phx_status phx_fmu_check_platform(phx_context *context, const char *file, int version, const char *identifier);
const char *phx_fmu_platform(int version); /* this one, "linux64" or "x86_64-linux" */

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
/* Real, Float64; Integer, Int32; Enumeration (Int64 in 3.0); and those that no other type stands for. */
typedef enum phx_fmu_type {
    PHX_FMU_REAL,
    PHX_FMU_INTEGER,
    PHX_FMU_BOOLEAN,
    PHX_FMU_STRING,
    PHX_FMU_ENUMERATION,
    PHX_FMU_OTHER_TYPE
} phx_fmu_type;
typedef enum phx_fmu_initial { PHX_FMU_EXACT, PHX_FMU_APPROX, PHX_FMU_CALCULATED, PHX_FMU_NO_INITIAL } phx_fmu_initial;

typedef struct phx_fmu_variable {
    char *name;
    unsigned reference;
    phx_fmu_type type;
    bool array; /* FMI 3: has dimensions */
    phx_fmu_causality causality;
    char *variability, *unit, *start; /* NULL: not given */
    phx_fmu_initial initial;          /* as given, or as the standard's table has it */
    long derivative;                  /* of which variable: place from 1 (2.0), value reference (3.0); -1: of none */
} phx_fmu_variable;

/* An entry of the structure of the model. */
enum { PHX_FMU_LISTS = 5 };
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
/* Reads the bytes of a modelDescription.xml. PHX_ERR_INPUT when it is no description of an FMU of 2.0 or 3.0. */
phx_status phx_fmu_read_model(phx_context *context, const char *bytes, size_t size, phx_fmu_model *model);
void phx_fmu_free_model(phx_fmu_model *model);

/* ---- a process of its own ---- */
/* Memory of parent and child. */
typedef struct phx_fmu_shared {
    char call[64];     /* the call of the FMU that comes next */
    char message[400]; /* the last of the FMU, a warning or an error */
    int status;        /* of the last call, 0: OK */
    double values[];
} phx_fmu_shared;
typedef struct phx_fmu_process {
    pid_t pid;
    int socket; /* to the child */
    phx_fmu_shared *shared;
    size_t size;
    double limit; /* s: the child, or the parent, ends what takes longer; for the message */
} phx_fmu_process;
/* Fork: the child runs `run`, which does not come back from the FMU's faults, and ends. Nothing of the parent is open
 * there but the socket; what the FMU prints goes nowhere. */
typedef void phx_fmu_child_fn(void *user, int socket, phx_fmu_shared *shared);
phx_status phx_fmu_process_start(phx_context *context, double limit, size_t n_values, phx_fmu_child_fn *run, void *user,
                                 phx_fmu_process *process);
/* Wait for its end, which `ends` brings. True: it came to its end by itself; else `fault` says what happened: "crashed
 * in fmi2DoStep (Segmentation fault)". */
bool phx_fmu_process_end(phx_fmu_process *process, bool ends, size_t size, char *fault);
/* A text of the shared memory, where the FMU can write: `size` bytes, ended, on one line. */
void phx_fmu_take_text(size_t size, const char *from, char *to);

/* ---- calls, in the child ---- */
#define PHX_FMU_POINTER(result, name, arguments) name##TYPE *name;
typedef struct phx_fmu_calls {
    FMI2_COMMON(PHX_FMU_POINTER)
    FMI2_MODEL_EXCHANGE(PHX_FMU_POINTER)
    FMI2_CO_SIMULATION(PHX_FMU_POINTER)
    FMI3_FUNCTIONS(PHX_FMU_POINTER)
    const phx_fmu_model *model;
    const char *folder;
    phx_fmu_shared *shared;
    bool logs; /* instances are asked to log */
} phx_fmu_calls;
#undef PHX_FMU_POINTER
void phx_fmu_note_call(const phx_fmu_calls *calls, const char *name); /* into the shared memory */
/* A call whose place is known should it not come back: its status, 0 for OK. */
#define PHX_FMU_CALL_OF(calls, name, ...)                                                                              \
    (phx_fmu_note_call(calls, #name), (calls)->shared->status = (int)(calls)->name(__VA_ARGS__))

/* The shared object of this platform. False: `tell` has got every reason, at most some of them. */
typedef void phx_fmu_tell_fn(void *user, const char *reason);
bool phx_fmu_load(phx_fmu_calls *calls, phx_fmu_tell_fn *tell, void *user);
/* Of both kinds of instances and both versions. */
void *phx_fmu_instantiate(const phx_fmu_calls *calls, const char *name, bool exchange); /* NULL: none could be made */
int phx_fmu_enter_initialization(const phx_fmu_calls *calls, void *c, double start);
int phx_fmu_exit_initialization(const phx_fmu_calls *calls, void *c);
int phx_fmu_get_reals(const phx_fmu_calls *calls, void *c, const unsigned *references, size_t n, double *values);
int phx_fmu_set_reals(const phx_fmu_calls *calls, void *c, const unsigned *references, size_t n, const double *values);
/* `terminate` (may be NULL): the FMU asks for the end of the simulation. */
int phx_fmu_do_step(const phx_fmu_calls *calls, void *c, double t, double step, bool goes_back, bool *terminate);
int phx_fmu_save(const phx_fmu_calls *calls, void *c, void **state);
int phx_fmu_restore(const phx_fmu_calls *calls, void *c, void *state);
void phx_fmu_free_state(const phx_fmu_calls *calls, void *c, void **state);
void phx_fmu_free_instance(const phx_fmu_calls *calls, void *c);

/* ---- an FMU beside a simulation ---- */
/* The FMU of a file for co-simulation and the variables of it that are used. */
typedef struct phx_fmu_component phx_fmu_component;
/* PHX_ERR_INPUT for what is no FMU for co-simulation that runs here. */
phx_status phx_fmu_component_create(phx_context *context, const char *file, phx_fmu_component **component);
void phx_fmu_component_destroy(void *component);                   /* NULL is allowed */
double phx_fmu_component_step(const phx_fmu_component *component); /* of its default experiment, s; 0: none */
/* The longest that a call may take, s; default 60. */
void phx_fmu_component_limit(phx_fmu_component *component, double seconds);
/* The next input, output; a start value, a number (true: 1) or a text. PHX_ERR_INPUT, with the nearest, for a name that
 * is not there and for variables that cannot be that. */
phx_status phx_fmu_component_input(phx_context *context, phx_fmu_component *component, const char *name);
phx_status phx_fmu_component_output(phx_context *context, phx_fmu_component *component, const char *name);
phx_status phx_fmu_component_set(phx_context *context, phx_fmu_component *component, const char *name, double number,
                                 const char *text);
/* Whether the start value of this name is a text. Errors as of phx_fmu_component_set. */
phx_status phx_fmu_component_takes_text(phx_context *context, const phx_fmu_component *component, const char *name,
                                        bool *text);
/* Anew in a process of its own, from t on with inputs y; a step; inputs set and outputs read at t, as often as wanted.
 * PHX_ERR_ANALYSIS, with the file, the time and the call, when the FMU crashes, does not come back or returns an
 * error. `data` is the component. */
phx_status phx_fmu_component_start(phx_context *context, void *data, double t, const double *y);
phx_status phx_fmu_component_advance(phx_context *context, void *data, double t, double step);
phx_status phx_fmu_component_evaluate(phx_context *context, void *data, double t, const double *y, double *u);

/* ---- XML of robots ---- */
/* An element: attributes name by name, children in order. */
typedef struct phx_xml {
    char *name;
    const char *path; /* of its file, borrowed from the caller */
    int line, n_attributes, n_children;
    char **keys, **values;
    char *text; /* before the first child, "" if there is none */
    struct phx_xml *children;
} phx_xml;
/* Reads a file of at most 64 MB. Document types, and with them entities, are refused. PHX_ERR_INPUT names file and
 * line, PHX_ERR_FILE, PHX_ERR_UNSUPPORTED without libxml2. */
phx_status phx_xml_read(phx_context *context, const char *path, phx_xml *root);
void phx_xml_free(phx_xml *element); /* what is in it */

#endif
