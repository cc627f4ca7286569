/* Private to layer cosim: the unit. */
#ifndef PHX_COSIM_UNIT_H
#define PHX_COSIM_UNIT_H

#include "cosim.h"

/* Energies and the ledger, in their order. */
typedef enum unit_fixed {
    UNIT_KINETIC,
    UNIT_ELASTIC,
    UNIT_POTENTIAL,
    UNIT_ENERGY,
    UNIT_SUPPLIED,
    UNIT_DISSIPATED,
    UNIT_RESIDUAL,
    UNIT_FIXED
} unit_fixed;
enum { UNIT_KNOWN_STATES = 2 }; /* supplied and dissipated, in this order; the last ones */
enum { UNIT_TIME = 0, UNIT_FIRST_FIXED = 1, UNIT_FIRST_INPUT = UNIT_FIRST_FIXED + UNIT_FIXED };

/* States and derivatives for model exchange (exchange.c). */
typedef struct unit_exchange unit_exchange;

struct phx_unit {
    phx_context *context;
    phx_unit_def def;
    phx_system *system;
    phx_dae *dae, *reader;    /* of the steps; of the outputs */
    phx_integration *run;     /* NULL: of a unit with events */
    phx_events *events;       /* NULL: of one without */
    phx_archive *structure;   /* with events: what acts at the start */
    phx_archive *fresh;       /* without: the memories of dae and reader before the first start */
    phx_signal_input *inputs; /* n_inputs; borrowed by the signals of the system */
    double *parameters;       /* n_parameters: those that the breaks of signals are for */
    double *former;           /* n_parameters: those before a change */
    double *x, *v, *lambda;   /* the start state for them */
    double t;                 /* s: of the master */
    double energy0;           /* J, at the start */
    double length;            /* s: of the last step; 0: none yet */
    double *flow0;            /* n_inputs: integrals of the conjugates before the last step */
    double *flow;             /* n_inputs: their means over it; at the start the rates */
    double *power;            /* n_inputs: mean powers over it */
    double *held;             /* n_inputs: what the inputs were in its middle */
    double *columns;          /* of the system and its controllers */
    double *before;           /* the same at the end of the step before, for the signs of quaternions */
    double fixed[UNIT_FIXED];
    bool looked;             /* columns and fixed are those of the state */
    unit_exchange *exchange; /* NULL: for co-simulation only */
    bool exchanging;         /* at work in model exchange: the state is that of `exchange`, not of `run` */
};

/* It has events, rigid contacts or set-valued friction: its steps are those of layer events. */
bool phx_unit_with_events(const phx_unit *unit);
/* PHX_ERR_ANALYSIS unless phx_unit_stands. */
phx_status phx_unit_check_stands(const phx_unit *unit);
/* Where the steps stand. */
phx_sample phx_unit_state_of(const phx_unit *unit);
/* How many states there are, of a unit without workspaces: with events the system is switched afterwards. A part of it
 * is freed with the unit. */
phx_status phx_unit_exchange_count(phx_unit *unit);
phx_status phx_unit_exchange_create(phx_unit *unit);
void phx_unit_exchange_destroy(unit_exchange *exchange);
/* Other rows are going to act: minimal coordinates are made anew when they are asked for. NULL is allowed. */
void phx_unit_exchange_let_go(unit_exchange *exchange);
/* At the state of the run, with coordinates chosen there. */
phx_status phx_unit_exchange_start(phx_unit *unit);
/* The state of the mechanism, without a ledger. */
phx_status phx_unit_exchange_sample(phx_unit *unit, phx_sample *sample);
/* Inputs, or states of the run too, have changed. */
void phx_unit_exchange_forget(phx_unit *unit, bool states);
/* After a step of the integrator. *event: it has to be handled. */
phx_status phx_unit_exchange_completed(phx_unit *unit, bool *event);
/* Name and meaning of indicator k. */
void phx_unit_describe_indicator(const phx_unit *unit, int k, size_t size, char *name, size_t room, char *text);
/* Variable k of those behind the output columns. */
phx_status phx_unit_exchange_get(phx_unit *unit, int k, double *value);
void phx_unit_describe_state(const phx_unit *unit, int k, size_t size, char *name, size_t room, char *text);
void phx_unit_exchange_archive(phx_archive *archive, phx_unit *unit);

/* Reads what phx_unit_write has written; the system is not finalised. */
phx_status phx_unit_read(phx_context *context, size_t size, const void *bytes, phx_unit_def *def, phx_system **system);
void phx_unit_def_free(phx_unit_def *def);

#endif
