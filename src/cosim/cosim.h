/* Layer cosim: a mechanism as a unit of co-simulation. It is made of the bytes of one file and knows no model, no other
 * file and no library but libc and libm: with the layers below it makes the shared object of every FMU.
 *
 * The variables have numbers, the value references of the FMI:
 *
 *   time | energies and the ledger | inputs | what is conjugate to each, mean over the last step | mean power of each |
 *   output columns | columns of controllers | for model exchange: states | derivatives | event indicators |
 *   parameters
 *
 * The last two states, `supplied` and `dissipated`, stand among the ledger. In model exchange conjugates and powers are
 * those of the instant. */
#ifndef PHX_COSIM_COSIM_H
#define PHX_COSIM_COSIM_H

#include "events/events.h"

/* ---- the file ---- */
/* Parts of a unit. Texts and arrays are borrowed by who writes, owned by who reads. */
typedef struct phx_unit_def {
    char *token; /* instantiation token of the FMU */
    double t;    /* s: of the start state */
    double *x, *v, *lambda;
    phx_integrate_options options;
    int n_inputs;
    char **inputs; /* names */
    phx_input_place *places;
    int n_outputs;
    int *outputs; /* columns of the system, then those of its controllers, ascending */
    int n_parameters;
    char **parameters;       /* names */
    char **parameter_places; /* where the model uses them */
    double *parameter_starts;
    double *parameter_values; /* as they are now, what expressions evaluate; not in the file */
    int n_events;
    phx_event *events;      /* for the columns of the system */
    double interval;        /* s: between two looks at their conditions */
    double spectral_radius; /* numerical damping of the steps; 1: none */
    bool steps, exchange;   /* for co-simulation; for model exchange */
} phx_unit_def;
/* A finalised system and what goes with it, with a mark, a version and a check sum in front; `bytes` is the caller's.
 */
phx_status phx_unit_write(phx_context *context, const phx_system *system, const phx_unit_def *def, size_t *size,
                          void **bytes);

/* ---- the unit ---- */
typedef struct phx_unit phx_unit;
/* Messages go to the context of the unit, whose log sink is `log` (may be NULL). A failure leaves a unit with the
 * message and nothing else; NULL: there is no memory. PHX_ERR_INPUT for bytes that are no such file, of another version
 * or damaged. */
phx_status phx_unit_create(size_t size, const void *bytes, phx_log_fn *log, void *user, phx_unit **unit);
void phx_unit_destroy(phx_unit *unit); /* NULL is allowed */
phx_context *phx_unit_context(const phx_unit *unit);
const char *phx_unit_token(const phx_unit *unit);

/* ---- variables ---- */
typedef enum phx_variable_kind {
    PHX_VARIABLE_TIME,
    PHX_VARIABLE_INPUT,
    PHX_VARIABLE_OUTPUT,
    PHX_VARIABLE_STATE,
    PHX_VARIABLE_RATE, /* derivative of a state */
    PHX_VARIABLE_INDICATOR,
    PHX_VARIABLE_PARAMETER
} phx_variable_kind;
typedef struct phx_variable {
    phx_variable_kind kind;
    char name[320];
    char description[160];
    const char *unit; /* "N.m"; "": none */
    bool from_inputs; /* follows the inputs at once */
    bool from_states; /* follows the states, in model exchange */
    int state;        /* which state it is, or the derivative of which; -1: neither */
    double start;     /* of a parameter */
    int input;        /* of an input, its conjugate and its power: which one; else -1 */
} phx_variable;
int phx_unit_variables(const phx_unit *unit);
/* Variable k, whose value reference is k. */
void phx_unit_variable(const phx_unit *unit, int k, phx_variable *variable);
int phx_unit_inputs(const phx_unit *unit);
int phx_unit_first_input(void);
/* The conjugate of input i, its mean power. */
int phx_unit_flow_of(const phx_unit *unit, int i);
int phx_unit_power_of(const phx_unit *unit, int i);

/* Variable of state k. */
int phx_unit_state_variable(const phx_unit *unit, int k);

int phx_unit_parameters(const phx_unit *unit);
int phx_unit_first_parameter(const phx_unit *unit);

/* ---- at work ---- */
/* At the start state, with the clock at t; inputs stay, and parameters as they have been set. */
phx_status phx_unit_start(phx_unit *unit, double t);
/* Whether it has a state: not after a start or a state that failed half-way, for want of memory. */
bool phx_unit_stands(const phx_unit *unit);
double phx_unit_time(const phx_unit *unit);
phx_status phx_unit_get(phx_unit *unit, int variable, double *value);
/* An input or a parameter from now on. PHX_ERR_ARGUMENT for what is neither and for values that are not finite. */
phx_status phx_unit_set(phx_unit *unit, int variable, double value);
/* After parameters have been set, and before anything else: what follows from them, the start state too while the unit
 * is at its `start`. PHX_ERR_ANALYSIS where drives or loads are not finite with them, or do not begin where the
 * mechanism is; then they are what they were. */
phx_status phx_unit_take_parameters(phx_unit *unit, bool start);
/* Its slope over the next steps, per second; back to zero when it is set. */
phx_status phx_unit_set_slope(phx_unit *unit, int variable, double slope);
/* Go on by h. After a failure that may be tried again (a positive status) the unit stands where it came to. */
phx_status phx_unit_step(phx_unit *unit, double h);
/* The next time at which a sampled controller takes a sample; false: there is none. Whether the unit is at one. */
bool phx_unit_next_event(const phx_unit *unit, double *time);
bool phx_unit_at_event(const phx_unit *unit);
/* ---- model exchange, of a unit that is made for it ---- */
/* How many states; 0: it is for co-simulation only. Whether it makes steps. */
int phx_unit_states(const phx_unit *unit);
bool phx_unit_steps(const phx_unit *unit);
/* From the next start on the state is that which is set here. */
void phx_unit_use_exchange(phx_unit *unit, bool exchanging);
void phx_unit_set_time(phx_unit *unit, double t);
/* All that follows from states may be PHX_NOT_CONVERGED or PHX_SINGULAR, where joints cannot be closed at them. */
phx_status phx_unit_set_states(phx_unit *unit, const double *states);
void phx_unit_get_states(phx_unit *unit, double *states);
phx_status phx_unit_get_rates(phx_unit *unit, double *rates);
void phx_unit_nominals(const phx_unit *unit, double *nominal);
/* How many event indicators: of the choice of the states, of the events on outputs, of set-valued frictions. All are
 * positive. */
int phx_unit_n_indicators(const phx_unit *unit);
phx_status phx_unit_indicators(phx_unit *unit, double *indicators);
/* Model exchange comes to an event, before parameters and inputs change at it: its velocities are remembered. */
void phx_unit_arrive(phx_unit *unit);
/* An event at the time at hand: events of the model whose conditions are met happen, samples that are due are taken,
 * coordinates are chosen anew after events and where an indicator says so. */
typedef struct phx_unit_changes {
    bool happened;    /* events of the model */
    bool chosen_anew; /* the states are other coordinates */
    bool again;       /* what was done meets another condition: the event goes on */
} phx_unit_changes;
/* After an error the unit has to be put back to a state or to its start. */
phx_status phx_unit_event(phx_unit *unit, phx_unit_changes *changes);
/* After a step of the integrator: what is continued from instant to instant goes on from here. *event: there is an
 * event to handle. */
phx_status phx_unit_completed(phx_unit *unit, bool *event);
double phx_unit_next_time_event(const phx_unit *unit); /* s; HUGE_VAL: none */

/* ---- derivatives ---- */
/* A direction: the unknowns that are differentiated and the knowns by which, variables by their numbers; knowns are
 * inputs and tunable parameters, in model exchange states too. */
typedef struct phx_unit_direction {
    size_t n_unknown;
    const unsigned *unknown;
    size_t n_known;
    const unsigned *known;
    const double *seed; /* of the knowns; for the adjoint of the unknowns */
    bool start;         /* in the initialization: the start state follows the parameters, all of which are known */
} phx_unit_direction;
/* J seed (n_unknown) and J^T seed (n_known), J the derivative of the unknowns; the unit is as it was. */
phx_status phx_unit_directional(phx_unit *unit, const phx_unit_direction *along, double *derivative);
phx_status phx_unit_adjoint(phx_unit *unit, const phx_unit_direction *along, double *derivative);

/* Everything but the file: what is read goes on bit by bit as what was written, in another process too. */
void phx_unit_archive(phx_archive *archive, phx_unit *unit);

#endif
