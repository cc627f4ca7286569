/* A simulation with events: equal steps, each to its end or to the first event before, and what of it is recorded. */
#include "internal.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double SAME = 1e-9; /* lengths that agree to this, relative, are the same */

/* ---- events of a model ---- */
static phx_status find_column(phx_context *context, const phx_model *model, const phx_system *system,
                              const phx_model_event *event, int *column)
{
    *column = PHX_EVENT_AT_TIME;
    for (int c = 0; c < phx_system_columns(system) && event->output; c++) {
        char name[300];
        phx_system_column_name(system, c, name, sizeof name);
        if (!strcmp(name, event->output))
            *column = c;
    }
    if (event->output && *column == PHX_EVENT_AT_TIME)
        return phx_model_fail(context, model, event, PHX_ERR_INPUT, "event '%s': there is no output column '%s'",
                              event->name, event->output);
    return PHX_OK;
}

/* Translates the events of the model for the event simulation and finds the observed column of each. Texts are
 * borrowed from the model; the caller frees the array alone. */
phx_status phx_events_of_model(phx_context *context, const phx_model *model, const phx_system *system,
                               phx_event **events)
{
    phx_event *made = phx_calloc(context, (size_t)model->n_events, sizeof *made);
    phx_status status = made ? PHX_OK : PHX_ERR_MEMORY;

    for (int k = 0; k < model->n_events && !status; k++) {
        const phx_model_event *event = &model->events[k];
        made[k] = (phx_event){.name = (char *)event->name, /* texts are only read */
                              .falls = event->falls_to.given,
                              .value = event->rises_to.given   ? event->rises_to.value
                                       : event->falls_to.given ? event->falls_to.value
                                                               : event->at.value,
                              .n_attach = event->n_attach,
                              .n_release = event->n_release,
                              .n_undrive = event->n_undrive,
                              .joints = event->joints,
                              .n_on = event->n_on,
                              .n_off = event->n_off,
                              .on = (char **)event->on,
                              .off = (char **)event->off};
        status = find_column(context, model, system, event, &made[k].column);
    }
    if (status) {
        phx_free(made);
        made = NULL;
    }
    *events = made;
    return status;
}

/* ---- the run ---- */
typedef struct event_simulation {
    phx_context *context;
    phx_simulate_report *report;
    phx_simulation *s;
    const phx_events_def *def;
    phx_events *run;
    int recorded; /* events whose switches the result has */
} event_simulation;

/* Counts of the run for the report. */
static void report_counts(const event_simulation *simulation)
{
    const phx_events_counts *counts = phx_events_count(simulation->run);
    phx_simulate_report *report = simulation->report;

    report->stats = counts->stats;
    report->events = counts->events;
    report->event_loss = counts->event_loss;
    report->impacts = counts->impacts;
    report->impact_loss = counts->impact_loss;
    report->transitions = counts->transitions;
}

static phx_status record(const event_simulation *simulation, const phx_sample *sample)
{
    report_counts(simulation);
    return phx_recording_sample(&simulation->s->recording, sample);
}

static phx_status record_now(event_simulation *simulation)
{
    const phx_sample sample = phx_events_sample(simulation->run);
    const int events = phx_events_count(simulation->run)->events;
    const phx_status status =
        events > simulation->recorded ? phx_recording_switched(&simulation->s->recording) : PHX_OK;

    simulation->recorded = events;
    return status ? status : record(simulation, &sample);
}

static bool events_is_due(const event_simulation *simulation)
{
    const phx_events_def *def = simulation->def;

    for (int k = 0; k < def->n; k++)
        if (def->events[k].column == PHX_EVENT_AT_TIME && def->events[k].value == simulation->s->t && !def->over)
            return true;
    return false;
}

/* Contacts, friction and events of the start. If they change it, the state before them is a row of the result. */
static phx_status events_start(event_simulation *simulation)
{
    phx_simulation *s = simulation->s;
    double *nothing = phx_calloc(simulation->context, (size_t)phx_system_ledger(s->system), sizeof *nothing);
    const phx_sample before = {.t = s->t, .x = s->x, .v = s->v, .lambda = s->lambda, .ledger = nothing};
    const bool due = events_is_due(simulation);
    phx_status status = !nothing ? PHX_ERR_MEMORY : due ? record(simulation, &before) : PHX_OK;

    if (!status)
        status = phx_events_start(simulation->run);
    if (!status && !due && phx_events_count(simulation->run)->impacts > 0)
        status = record(simulation, &before);
    phx_free(nothing);
    return status ? status : record_now(simulation);
}

/* Runs from the present state to the end in equal intervals, each stepped to its end or to an event. Records every
 * stride-th interval, the last one, and every event. */
static phx_status events_run(event_simulation *simulation, double interval)
{
    const phx_integrate_options *used = &simulation->report->used;
    const double from = simulation->s->t, length = used->end - from;
    const double count = fmax(1.0, ceil(length / interval * (1.0 - SAME)));
    const double h = phx_events_equal_step(length, count, interval);
    const long stride = used->every > 0.0 ? (long)fmax(1.0, round(used->every / h)) : 1;
    phx_status status = events_start(simulation);

    for (long n = 1; n <= (long)count && !status; n++) {
        const double end = n == (long)count ? used->end : from + (double)n * h;
        double t = phx_events_sample(simulation->run).t;
        while (t < end && !status) {
            bool event = false;
            status = phx_events_step(simulation->run, end, &event);
            t = phx_events_sample(simulation->run).t;
            if (!status && (event || (t >= end && (n % stride == 0 || n == (long)count))))
                status = record_now(simulation);
        }
    }
    return status;
}

/* The simulation goes to where the run has come. */
static void take_state(const event_simulation *simulation)
{
    const phx_sample sample = phx_events_sample(simulation->run);
    phx_simulation *s = simulation->s;

    s->t = sample.t;
    memcpy(s->x, sample.x, (size_t)phx_system_n_x(s->system) * sizeof *s->x);
    memcpy(s->v, sample.v, (size_t)phx_system_n_v(s->system) * sizeof *s->v);
    report_counts(simulation);
}

/* Simulates with events from the state in s and leaves the final state and the statistics there. Warns of events that
 * lie before the start. */
phx_status phx_simulation_with_events(phx_context *context, const phx_model *model, phx_simulate_report *report,
                                      phx_simulation *s)
{
    event_simulation simulation = {.context = context, .report = report, .s = s};
    phx_event *events = NULL;
    struct timespec from, to;
    timespec_get(&from, TIME_UTC);
    phx_status status = phx_events_of_model(context, model, s->system, &events);
    const phx_events_def def = {.system = s->system,
                                .dae = &s->dae,
                                .reader = &s->recording.dae,
                                .backend = s->backend,
                                .threads = s->threads,
                                .over = s->from.events,
                                .n = model->n_events,
                                .events = events,
                                .options = report->used,
                                .interval = phx_events_interval(&report->used, s->t),
                                .spectral_radius = model->simulate.spectral_radius};

    simulation.def = &def;
    for (int k = 0; k < model->n_events && !status && !def.over; k++)
        if (events[k].column == PHX_EVENT_AT_TIME && events[k].value < s->t)
            phx_log(context, PHX_LOG_WARNING,
                    "event '%s' at %g s is before the start at %g s and does not happen; set 'active' of the joint or "
                    "force instead",
                    events[k].name, events[k].value, s->t);
    if (!status)
        status = phx_events_create(context, &def, s->t, s->x, s->v, s->lambda, &simulation.run);
    if (!status)
        status = events_run(&simulation, def.interval);
    if (simulation.run)
        take_state(&simulation);
    phx_events_destroy(simulation.run);
    phx_free(events);
    timespec_get(&to, TIME_UTC);
    report->stats.wall_seconds = (double)(to.tv_sec - from.tv_sec) + NANOSECOND * (double)(to.tv_nsec - from.tv_nsec);
    return status;
}
