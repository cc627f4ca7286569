/* Layer events: a mechanism in motion whose joints begin to hold, let go, or lose their drives, whose springs, forces
 * and loads begin or cease to act, whose rigid contacts strike and rest, and whose set-valued friction sticks and
 * slips. It knows the system and the integrators, no model: simulations and units of co-simulation make their steps
 * with it. */
#ifndef PHX_EVENTS_EVENTS_H
#define PHX_EVENTS_EVENTS_H

#include "integrate/integrate.h"
#include "system/system.h"

enum { PHX_EVENT_AT_TIME = -1 }; /* in place of a column */
/* An event: its condition, and what it switches. */
typedef struct phx_event {
    char *name;
    int column;   /* of the outputs that comes to `value`; PHX_EVENT_AT_TIME */
    bool falls;   /* it comes there from above; else from below */
    double value; /* in the unit of the column; of a time s */
    int n_attach, n_release, n_undrive;
    int *joints; /* numbers of those that it attaches, releases, and whose drives it switches off, in this order */
    int n_on, n_off;
    char **on, **off; /* names of springs, forces and loads */
} phx_event;

/* A run. The system is changed by the run; it has a ledger entry for each event, in their order
 * (phx_system_expect_event). */
typedef struct phx_events_def {
    phx_system *system;
    phx_dae **dae, **reader; /* the owner's, of the steps and of outputs: made anew where other rows act */
    /* Called before other rows act: what the owner has made of the system beside them is to be destroyed. NULL: it has
     * nothing. */
    void (*before_renewal)(void *owner);
    void *owner;
    phx_backend backend; /* of the steps */
    int threads;         /* as of phx_system_threads */
    bool over;           /* the run goes on from one whose events up to the start have happened */
    int n;
    const phx_event *events; /* borrowed */
    phx_integrate_options options;
    double interval; /* s: between two looks at the conditions; one step where steps are equal */
    double spectral_radius;
} phx_events_def;

/* Counts since the start. */
typedef struct phx_events_counts {
    phx_integrate_stats stats; /* of all steps, those that are made again too */
    int events;
    double event_loss; /* J */
    int impacts;
    double impact_loss; /* J */
    int transitions;    /* times that friction began to slip or to stick, or turned round */
} phx_events_counts;

typedef struct phx_events phx_events;
/* Whether a system with n events needs such a run: it has events, rigid contacts or set-valued friction. */
bool phx_events_needed(const phx_system *system, int n);
/* The interval of a run from `start`: the step, or where a tolerance chooses the steps, what is recorded. */
double phx_events_interval(const phx_integrate_options *options, double start);
/* A part of `length` in `count` equal parts, or the interval where they agree to rounding. */
double phx_events_equal_step(double length, double count, double interval);
/* At a state (copied), before anything happens; multipliers of the instant. PHX_ERR_UNSUPPORTED for options that do not
 * go together with events. */
phx_status phx_events_create(phx_context *context, const phx_events_def *def, double t, const double *x,
                             const double *v, const double *lambda, phx_events **events);
void phx_events_destroy(phx_events *events); /* NULL is allowed; dae and reader stay the owner's */
/* Contacts, friction and events of the start, which may change the velocities. Events before it are over.
 * PHX_ERR_INPUT where bodies lie inside each other. */
phx_status phx_events_start(phx_events *events);
/* To `end`, or to the first event before, which happens; *event: it did. After a failure that may be tried again (a
 * positive status) the run stands where it came to. */
phx_status phx_events_step(phx_events *events, double end, bool *event);
/* Go on by `length` in equal steps no longer than the interval, through all events. Times are multiples of the step
 * counted from where its size changed, so that lengths that are rounded do not add up. */
phx_status phx_events_advance(phx_events *events, double length);
/* Where the run stands, with work and ledger since the start: valid until the next call. */
phx_sample phx_events_sample(const phx_events *events);
const phx_events_counts *phx_events_count(const phx_events *events);

/* ---- steps that another program makes (outside.c) ---- */
/* How many of the events are conditions on outputs. */
int phx_events_on_outputs(int n, const phx_event *events);
/* Before anything is evaluated at a state: friction that slips in space, along two coordinates, is against the slip v
 * of the state. With the direction s at the last state where the run stood, and a very small v0, it is against
 *
 *     d = w/|w|,   w = v - 2 min(s.v, 0) s + v0 s
 *
 * which is v/|v| but where the slip begins and where it stops, an event, beyond which the force goes on smoothly. */
phx_status phx_events_direct(phx_events *events, const double *x, const double *v);
/* Of each of these, then of each set-valued friction (phx_system_dry_count) and each rigid contact
 * (phx_system_contact_count), an indicator at a state: positive, not so where the condition is met; 1 from then until
 * it has gone back. */
phx_status phx_events_indicators(phx_events *events, double t, const double *x, const double *v, double *indicators);
/* The run stands at the end of a step (copied): conditions that have gone back are armed again. *due: something is to
 * happen there. */
phx_status phx_events_stand(phx_events *events, double t, const double *x, const double *v, bool *due);
/* All that is due where the run stands: the sample has the state and the work after it. */
phx_status phx_events_happen(phx_events *events);
/* The rates of drives have jumped at t and do not agree with v: the joints take the impulse, by which contacts open and
 * strike, and friction slips or sticks. The sample has the state and the work after it. */
phx_status phx_events_jump(phx_events *events, double t, const double *x, const double *v);
/* s: of the next event at a time; HUGE_VAL: none. */
double phx_events_next_time(const phx_events *events);
/* The largest numbers of minimal coordinates and of their rates (phx_minimal) with the joints that act at the start and
 * after any events that can follow each other, each attached where the bodies are at x; of more than 200 such
 * structures with all of those joints open. It switches the system, which has no phx_dae. */
typedef struct phx_events_free {
    int coordinates, rates;
} phx_events_free;
phx_status phx_events_most_free(phx_context *context, phx_system *system, int n, const phx_event *events,
                                const double *x, phx_events_free *most);

/* Which joints and forces act, with their rows, as bytes in an archive that the caller destroys. */
phx_status phx_events_structure(phx_context *context, phx_system *system, phx_archive **structure);
/* The system as the bytes say; dae and reader are made anew where that is another one, or where they are NULL. */
phx_status phx_events_restructure(phx_context *context, const phx_events_def *def, size_t size, const void *bytes);
/* Everything that the steps to come depend on, the structure of the system and both workspaces included. What is read
 * goes on bit by bit as what was written. */
void phx_events_archive(phx_archive *archive, phx_events *events);

#endif
