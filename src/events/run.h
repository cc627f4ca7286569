/* Private to layer events: a run, shared by its files. */
#ifndef PHX_EVENTS_RUN_H
#define PHX_EVENTS_RUN_H

#include "events.h"

/* A condition: negative before, not negative after the event. Those of the events come first, then of each set-valued
 * friction that it begins to slip, or stops, then of each rigid contact that it closes, or would pull. */
typedef struct event_state {
    double value;   /* of the condition at the accepted state */
    double largest; /* of an event: size of the condition so far */
    double slack;   /* of a force that is at its limit from the start: what is rounding of it */
    bool done;      /* at a time: it has been */
    bool met;       /* of an event: at the end of the step */
    bool spare; /* of a contact: it touches and is open, and others keep its gap; of friction: it slips in name only, at
                 * its limit, others hold it */
    bool rested; /* of a contact: it was closed until an impulse of the joints came, and strikes without restitution */
} event_state;

/* The direction in which a contact in space slips at the accepted state: its angle, rad, the rate of that, rad/s, and
 * minus the derivative of the rate by the angle, 1/s. */
typedef struct slip_heading {
    bool in_space;
    double angle, turn, stiffness;
} slip_heading;

/* Set-valued frictions, as they were looked at last. */
typedef struct event_frictions {
    int n;
    phx_dry_friction *friction;
    slip_heading *heading; /* of each */
} event_frictions;

/* Rigid contacts, as they were looked at last. */
typedef struct event_contacts {
    int n;
    phx_rigid_contact *contact;
} event_contacts;

/* The state at the start of a step. */
typedef struct event_state_before {
    double *x, *v, *lambda; /* n_x, n_v, n_l */
} event_state_before;

/* Work, in all and by entries of the ledger: since the start, and of the last step. */
typedef struct event_work {
    int n_ledger;
    double *ledger, *call;
    phx_work work, call_work;
} event_work;

/* The mechanism at the state that was made last. */
typedef struct mechanism {
    phx_system *system;
    phx_dae *dae, *reader; /* the owner's */
    double t, *x, *v, *lambda;
} mechanism;

/* Equal steps, whose times are multiples of their size: number `count` ended at base + count h. */
typedef struct step_clock {
    double base, h; /* s; h = 0: none yet */
    long count;
} step_clock;

typedef struct phx_events {
    phx_context *context;
    phx_events_def def;
    mechanism own, *s;            /* s: the own one */
    phx_integration *integration; /* NULL: to be made at the next step */
    phx_integrate_stats counted;  /* of it: what the counts have of its steps */
    bool by_outputs;              /* an event is a condition on an output */
    bool half_done;               /* something happens, and has not come to its end */
    int n, n_events;              /* conditions, and those of events among them */
    event_state *event;
    event_frictions frictions;
    event_contacts contacts;
    double *columns, *values; /* room for the outputs, for conditions */
    event_state_before before;
    phx_dae *memory; /* of the numerical damping at the accepted state, a workspace; NULL: there is none */
    event_work done;
    phx_events_counts counts;
    step_clock clock;
    phx_run_progress progress; /* of the whole run */
    int stalled;               /* events since time went on last */
    double slack;              /* of gaps that others keep */
    double t, speed; /* the largest so far, and at least what gravity gives in a step: rates are rounding against it */
} events_run;

/* The speed to which rates are small. */
double phx_events_speed(events_run *run);
/* The next step begins a new run: what the steps before have taught is not true any more. */
void phx_events_forget(events_run *run);
/* The workspaces for rows that have changed. */
phx_status phx_events_renew(events_run *run, int count, const phx_switch *changes);

/* Condition k is that of an event at a time. */
static inline bool phx_events_at_time(const events_run *run, int k)
{
    return k < run->n_events && run->def.events[k].column < 0;
}
/* The memory of the numerical damping at the accepted state: from new workspaces on; as it is now; back to it. */
phx_status phx_events_begin_memory(events_run *run);
void phx_events_keep_memory(events_run *run);
void phx_events_recall_memory(events_run *run);
/* From the accepted state to t1. */
phx_status phx_events_step_to(events_run *run, double t1);
/* The conditions at the state that was made last, into values (n). */
phx_status phx_events_look(events_run *run, double *values);
/* The step is accepted as it was made last. */
phx_status phx_events_accept(events_run *run, const double *values);
/* Value of condition k that is kept at the accepted state, this one or zero: an event that has been comes again when
 * its condition has gone back by more than errors of the steps, since a joint that it attached may hold the output at
 * its value. */
double phx_events_armed_value(const events_run *run, int k, double value);
/* Condition k, which has this value, was not met at the accepted state and is. */
bool phx_events_happens(const events_run *run, int k, double value);
/* Back at the accepted state. */
void phx_events_stand_back(events_run *run);

/* ---- locate.c ---- */
bool phx_events_any_met(const events_run *run, const double *values);
/* The first event of the step that was made to t1: the step is made again to where its condition is zero; -1: none.
 * Conditions that are met and left again between two instants that are looked at are not seen. */
phx_status phx_events_locate(events_run *run, double t1, double *values, int *which);

/* ---- switches.c ---- */
/* The owner's workspaces, and by its function what else it has made of the system. */
void phx_events_destroy_daes(const phx_events_def *def);
/* The owner's workspaces anew; after a failure there are none. */
phx_status phx_events_renew_daes(phx_context *context, const phx_events_def *def);
/* The run goes on with them; multipliers are zero. */
phx_status phx_events_take_daes(events_run *run);
/* Contacts and friction after the condition of one of them, -1: after anything else. */
phx_status phx_events_settle(events_run *run, int which);
/* Nothing sticks and contacts are open: an impulse of joints and drives comes, by which what rests may be lifted off,
 * or be struck when phx_events_settle is called. */
phx_status phx_events_let_go(events_run *run);
/* The rates of drives jump at t, where the run stands otherwise: phx_events_jump. */
phx_status phx_events_take_jump(events_run *run, double t);
/* All events of the accepted instant; `which`: that of a contact or of friction, -1: none. */
phx_status phx_events_all_happen(events_run *run, int which, bool *event);

/* ---- impacts.c: rigid contacts ---- */
/* The rounding of the forces of closed contacts, N. */
double phx_contacts_rounding(const events_run *run);
double phx_contacts_marginal(const events_run *run); /* forces that are nearer to their limit are at it, N */
/* The conditions of the contacts as they were looked at last, into values (n_contacts). */
void phx_contacts_conditions(const events_run *run, double *values);
/* At the start; PHX_ERR_INPUT where bodies lie inside each other. */
phx_status phx_contacts_begin(events_run *run);
/* Impacts at the accepted state, and the contacts that are closed after them, with their friction. `which`, `friction`:
 * the contact, the friction of a contact, whose condition is met; -1: none, anything may have changed. */
phx_status phx_contacts_settle(events_run *run, int which, int friction);
/* All contacts are open: an impulse of the joints comes. Those that were closed touch in the next phx_contacts_settle.
 */
phx_status phx_contacts_let_go(events_run *run);
/* After an accepted step: what is spare no longer is where others have let it go. */
void phx_contacts_accepted(events_run *run);
/* The step closed a contact that had just opened, and has to be made again: to the new `end`, or with the contact
 * closed. */
phx_status phx_contacts_go_back(events_run *run, const double *values, double *end, int *again);
/* The friction of a contact has made energy in the step: its reaction has pulled on the way, though not at the ends. */
bool phx_contacts_make_energy(const events_run *run);
/* The condition of a closed contact that pulled at the start of a step already; -1: none. */
int phx_contacts_overdue(const events_run *run, const double *values);

/* ---- resting.c: forces of contacts that touch ---- */
typedef struct contact_mode {
    bool closed, spare;
    bool sticks, leans;  /* its friction; leans: at its limit, and held by others */
    bool holds[2];       /* where it sticks: the coordinates of which it needs the rows */
    double slip[2];      /* the direction where it does not stick; parts of friction where others hold it */
    double acceleration; /* of the gap */
} contact_mode;
typedef struct contact_question {
    double small; /* rates below this are rounding */
    int loose;    /* the contact that would pull; -1: none */
    int tears;    /* the friction that is at its limit; -1: none */
    int stops;    /* the friction whose slip is zero; -1: none */
} contact_question;
/* The modes of the contacts that touch (n_contacts), none of which is closed at the instant; `before`: frictions while
 * they were. Not *found: there are no forces that obey the laws. */
phx_status phx_contacts_balance(const events_run *run, const bool *touches, const contact_question *asked,
                                const phx_dry_friction *before, contact_mode *modes, bool *found);

/* ---- transitions.c: set-valued friction ---- */
/* The conditions of the frictions as they were looked at last, into values (n_frictions). */
void phx_friction_conditions(const events_run *run, double *values);
/* The directions of slip in space: after an accepted state, and for a step of length h from it. */
phx_status phx_friction_head(events_run *run);
phx_status phx_friction_direct(const events_run *run, double h);
/* Decides between sticking and slipping at the accepted state, where friction `which` has stopped or torn loose (-1:
 * anything may have changed). */
phx_status phx_friction_settle(events_run *run, int which);
/* Nothing sticks: an impulse comes. */
phx_status phx_friction_let_go(events_run *run);
/* The friction has come to rest, not only against its direction. */
bool phx_friction_stops(const events_run *run, int k);
/* The velocities at zero rates of what sticks; what that takes is rounding. */
phx_status phx_friction_hold(events_run *run);
/* The step moved friction that had just begun to slip against its direction: it sticks instead, and the step has to be
 * made again. */
phx_status phx_friction_goes_back(events_run *run, const double *values, int *again);
/* The condition of friction that should have slipped at the start of a step already; -1: none. */
int phx_friction_overdue(const events_run *run, const double *values);

#endif
