/* The calls of model exchange, in the child process of check_calls.c. */
#include "check_plant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL PHX_FMU_CALL

enum { MOST_EVENTS = 50, MOST_STEPS = 4 * PHX_FMU_STEPS, HALVINGS = 60 };
/* Steps of Euler's method: at most so long, in steps of the default experiment; their error, of the states. */
static const double SHORT = 1e-3, TOLERANCE = 1e-3;

static int second(const plant *p)
{
    return p->checked->model->version == 2;
}

int phx_fmu_finding(const plant *p, const char *what, int status)
{
    char text[120];

    snprintf(text, sizeof text, "model exchange: %s", what);
    return phx_fmu_say_failure(p->checked, text, status);
}

/* ---- states ---- */
static size_t states_of_description(const phx_fmu_model *model)
{
    size_t count = 0;
    for (int k = 0; k < model->n_unknowns; k++)
        count += model->unknowns[k].kind == 1;
    return count;
}

/* Reads numbers of states and indicators; a finding if they differ from the description (FMI 3). */
static int count(plant *p)
{
    const phx_fmu_checked *fmu_checked = p->checked;

    p->n = states_of_description(fmu_checked->model);
    p->indicators = (size_t)fmu_checked->model->n_indicators;
    if (second(p))
        return 0;
    size_t n = 0, indicators = 0;
    int status = CALL(fmu_checked, fmi3GetNumberOfContinuousStates, p->c, &n);
    if (!status)
        status = CALL(fmu_checked, fmi3GetNumberOfEventIndicators, p->c, &indicators);
    if (!status && n != p->n)
        phx_fmu_say(fmu_checked, '!', "the FMU has %zu continuous states, its description %zu derivatives", n, p->n);
    if (!status && indicators != p->indicators)
        phx_fmu_say(fmu_checked, '!', "the FMU has %zu event indicators, its description %zu", indicators,
                    p->indicators);
    p->n = n;
    p->indicators = indicators;
    return phx_fmu_finding(p, "counting the states", status);
}

int phx_fmu_get_states(plant *p)
{
    return phx_fmu_finding(p, "reading the states",
                           second(p) ? CALL(p->checked, fmi2GetContinuousStates, p->c, p->states, p->n)
                                     : CALL(p->checked, fmi3GetContinuousStates, p->c, p->states, p->n));
}

int phx_fmu_try_rates(plant *p, double *rates)
{
    return second(p) ? CALL(p->checked, fmi2GetDerivatives, p->c, rates, p->n)
                     : CALL(p->checked, fmi3GetContinuousStateDerivatives, p->c, rates, p->n);
}

int phx_fmu_try_indicators(plant *p, double *values)
{
    if (p->indicators == 0)
        return 0;
    return second(p) ? CALL(p->checked, fmi2GetEventIndicators, p->c, values, p->indicators)
                     : CALL(p->checked, fmi3GetEventIndicators, p->c, values, p->indicators);
}

int phx_fmu_get_nominals(plant *p)
{
    return phx_fmu_finding(p, "reading the nominal values",
                           second(p) ? CALL(p->checked, fmi2GetNominalsOfContinuousStates, p->c, p->nominal, p->n)
                                     : CALL(p->checked, fmi3GetNominalsOfContinuousStates, p->c, p->nominal, p->n));
}

/* Findings if nominal values are not positive and finite, or event indicators not finite. */
static int check_exchange_look(plant *p)
{
    int status = phx_fmu_get_nominals(p);

    for (size_t k = 0; k < p->n && !status; k++)
        if (!(p->nominal[k] > 0.0 && isfinite(p->nominal[k])))
            phx_fmu_say(p->checked, '!', "the nominal value of state %zu is %g", k + 1, p->nominal[k]);
    if (status)
        return status;
    status = phx_fmu_try_indicators(p, p->indicator);
    for (size_t k = 0; k < p->indicators && !status; k++)
        if (!isfinite(p->indicator[k]))
            phx_fmu_say(p->checked, '!', "event indicator %zu is %g", k + 1, p->indicator[k]);
    return phx_fmu_finding(p, "reading the event indicators", status);
}

/* ---- events ---- */
/* Flags that the calls of an event have set. */
typedef struct event_flags {
    bool nominals, values;
} event_flags;

/* One iteration of event mode in either version: flags of changes and the next time event; the status of the call. */
static int update(plant *p, bool *again, event_flags *flags)
{
    bool nominals = false, values = false, defined = false;
    double next = 0.0;
    int status;

    if (second(p)) {
        fmi2EventInfo info = {0};
        status = CALL(p->checked, fmi2NewDiscreteStates, p->c, &info);
        *again = info.newDiscreteStatesNeeded;
        p->terminates = p->terminates || info.terminateSimulation;
        nominals = info.nominalsOfContinuousStatesChanged;
        values = info.valuesOfContinuousStatesChanged;
        defined = info.nextEventTimeDefined;
        next = info.nextEventTime;
    } else {
        bool terminate = false;
        *again = false;
        status =
            CALL(p->checked, fmi3UpdateDiscreteStates, p->c, again, &terminate, &nominals, &values, &defined, &next);
        p->terminates = p->terminates || terminate;
    }
    flags->nominals = flags->nominals || nominals;
    flags->values = flags->values || values;
    p->next = defined ? next : HUGE_VAL;
    return status;
}

/* From event mode into continuous-time mode. */
static int check_exchange_settle(plant *p, event_flags *flags)
{
    int status = 0;
    bool again = true;

    *flags = (event_flags){false, false};
    for (int k = 0; k < MOST_EVENTS && again && !status; k++)
        status = update(p, &again, flags);
    if (again && !status)
        phx_fmu_say(p->checked, '!', "%d iterations of an event do not come to an end", MOST_EVENTS);
    if (!status && !p->terminates)
        status = second(p) ? CALL(p->checked, fmi2EnterContinuousTimeMode, p->c)
                           : CALL(p->checked, fmi3EnterContinuousTimeMode, p->c);
    return phx_fmu_finding(p, "an event", status);
}

/* States and nominals have changed at an event where the FMU said so, and only there. */
static int check_exchange_compare(plant *p, double t, const event_flags *flags)
{
    const double *states = p->before, *nominals = p->before + p->n;
    int status = phx_fmu_get_states(p);

    if (!status)
        status = phx_fmu_get_nominals(p);
    for (size_t k = 0; k < p->n && !status; k++) {
        if (!isfinite(p->states[k]) || !(p->nominal[k] > 0.0 && isfinite(p->nominal[k])))
            phx_fmu_say(p->checked, '!', "after an event at %.9g s state %zu is %g, its nominal value %g", t, k + 1,
                        p->states[k], p->nominal[k]);
        if (!flags->values && p->states[k] != states[k]) {
            phx_fmu_say(p->checked, '!', "an event at %.9g s changes state %zu without valuesOfContinuousStatesChanged",
                        t, k + 1);
            return status;
        }
        if (!flags->nominals && p->nominal[k] != nominals[k]) {
            phx_fmu_say(p->checked, '!',
                        "an event at %.9g s changes the nominal value of state %zu without "
                        "nominalsOfContinuousStatesChanged",
                        t, k + 1);
            return status;
        }
    }
    return status;
}

static int handle_event(plant *p, double t)
{
    event_flags flags;

    memcpy(p->before, p->states, p->n * sizeof *p->before);
    memcpy(p->before + p->n, p->nominal, p->n * sizeof *p->before);
    int status = second(p) ? CALL(p->checked, fmi2EnterEventMode, p->c) : CALL(p->checked, fmi3EnterEventMode, p->c);
    phx_fmu_finding(p, "entering event mode", status);
    if (!status)
        status = check_exchange_settle(p, &flags);
    if (!status && p->next <= t)
        phx_fmu_say(p->checked, '!', "after an event at %.17g s the next time event is at %.17g s", t, p->next);
    return status || p->terminates ? status : check_exchange_compare(p, t, &flags);
}

int phx_fmu_complete(plant *p, double t, bool *event)
{
    fmi2Boolean event2 = 0, terminate2 = 0;
    bool event3 = false, terminate3 = false;
    const int status = second(p) ? CALL(p->checked, fmi2CompletedIntegratorStep, p->c, 0, &event2, &terminate2)
                                 : CALL(p->checked, fmi3CompletedIntegratorStep, p->c, false, &event3, &terminate3);

    *event = *event || event2 || event3;
    p->terminates = p->terminates || terminate2 || terminate3;
    if (status || !*event || p->terminates)
        return phx_fmu_finding(p, "completing a step", status);
    return handle_event(p, t);
}

/* ---- steps ---- */
int phx_fmu_try_states(plant *p, double t)
{
    const int status = second(p) ? CALL(p->checked, fmi2SetTime, p->c, t) : CALL(p->checked, fmi3SetTime, p->c, t);

    if (phx_fmu_finding(p, "setting the time", status) || p->n == 0)
        return status;
    return second(p) ? CALL(p->checked, fmi2SetContinuousStates, p->c, p->states, p->n)
                     : CALL(p->checked, fmi3SetContinuousStates, p->c, p->states, p->n);
}

/* Number of the first derivative that is none; n: all are. */
static size_t find_no_number(const plant *p, const double *rates)
{
    size_t i = 0;

    while (i < p->n && isfinite(rates[i]))
        i++;
    return i;
}

/* Half the change that the derivatives make in a step of length h, in tolerances. */
static double euler_error(const plant *p, double h, const double *x, const double *rates1)
{
    double error = 0.0;

    for (size_t i = 0; i < p->n; i++)
        error = fmax(error, 0.5 * h * fabs(rates1[i] - p->rates[i]) / (TOLERANCE * (p->nominal[i] + fabs(x[i]))));
    return error;
}

/* The states a step on from t, the shorter *h the stiffer the FMU is or where it discards them; `number`: steps so far.
 */
static int euler_step(plant *p, int number, double t, double *h)
{
    double *x = p->before, *rates1 = p->before + p->n;
    size_t none = p->n;

    memcpy(x, p->states, p->n * sizeof *x);
    for (int k = 0; k < HALVINGS; k++, *h *= 0.5) {
        for (size_t i = 0; i < p->n; i++)
            p->states[i] = x[i] + *h * p->rates[i];
        int status = phx_fmu_try_states(p, t + *h);
        if (!status)
            status = phx_fmu_try_rates(p, rates1);
        none = status ? p->n : find_no_number(p, rates1);
        if (!status && none == p->n && euler_error(p, *h, x, rates1) <= 1.0)
            return 0;
        if (status > fmi2Discard)
            return phx_fmu_finding(p, "reading the derivatives", status);
    }
    if (none < p->n)
        phx_fmu_say(p->checked, '!', "after %d steps the derivative of state %zu is %g", number + 1, none + 1,
                    rates1[none]);
    else
        phx_fmu_say(p->checked, '!', "model exchange: after %d steps no step is short enough", number);
    return 1;
}

/* Steps of Euler's method from number `from` on at time *t, before the first time event. */
static int make_steps(plant *p, int from, double *t)
{
    double h = fmin(SHORT * p->checked->step, (p->next - p->checked->model->start) / MOST_STEPS);
    int status = phx_fmu_get_states(p);

    for (int k = from; k < from + PHX_FMU_STEPS && !status; k++) {
        bool event = false;
        status = phx_fmu_finding(p, "reading the derivatives", phx_fmu_try_rates(p, p->rates));
        const size_t none = status ? p->n : find_no_number(p, p->rates);
        if (none < p->n) {
            phx_fmu_say(p->checked, '!', "after %d steps the derivative of state %zu is %g", k, none + 1,
                        p->rates[none]);
            return 1;
        }
        if (!status)
            status = euler_step(p, k, *t, &h);
        *t += h;
        if (!status)
            status = phx_fmu_complete(p, *t, &event);
        if (!status)
            phx_fmu_say(p->checked, '#', "%d", k + 1);
    }
    return status ? status : phx_fmu_get_states(p);
}

int phx_fmu_read_all(plant *p, double *values)
{
    memcpy(values, p->states, p->n * sizeof *values);
    return phx_fmu_finding(p, "reading the outputs", phx_fmu_read_outputs(p->checked, p->c, values + p->n));
}

/* Makes the same steps twice from a saved state; a finding unless states and outputs agree bitwise. */
static void check_rollback(plant *p, double saved_at)
{
    const size_t size = p->n + (size_t)p->checked->n_outputs;
    double *found = p->first + size;
    void *state = NULL;

    if (!p->checked->model->exchange_gets_state)
        return;
    if (phx_fmu_save(&p->checked->calls, p->c, &state) || !state) {
        phx_fmu_say(p->checked, '!', "model exchange: the state cannot be saved, though the description says so");
        return;
    }
    double t = saved_at;
    int status = make_steps(p, PHX_FMU_STEPS, &t);
    if (!status)
        status = phx_fmu_read_all(p, p->first);
    if (!status)
        status = phx_fmu_finding(p, "going back to a saved state", phx_fmu_restore(&p->checked->calls, p->c, state));
    t = saved_at;
    if (!status)
        status = make_steps(p, PHX_FMU_STEPS, &t);
    if (!status)
        status = phx_fmu_read_all(p, found);
    if (!status && memcmp(p->first, found, size * sizeof *found) != 0)
        phx_fmu_say(p->checked, '!',
                    "model exchange: after going back to a saved state and on again the states or outputs "
                    "differ");
    phx_fmu_free_state(&p->checked->calls, p->c, &state);
}

static bool check_exchange_allocate(plant *p)
{
    double **const arrays[] = {&p->states, &p->rates, &p->nominal, &p->indicator, &p->before, &p->first};
    const size_t sizes[] = {p->n, p->n, p->n, p->indicators, 2 * p->n, 2 * (p->n + PHX_FMU_MOST_OUTPUTS)};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = calloc(sizes[k] + 1, sizeof(double));
        if (!*arrays[k])
            return false;
    }
    return true;
}

/* An instance in continuous-time mode with its arrays; the process ends afterwards. */
static bool check_exchange_start(plant *p, const phx_fmu_checked *fmu_checked, const char *name)
{
    event_flags flags;

    *p = (plant){.checked = fmu_checked, .c = phx_fmu_instantiate(&fmu_checked->calls, name, true), .next = HUGE_VAL};
    if (!p->c) {
        phx_fmu_say(fmu_checked, '!', "no instance for model exchange can be made");
        return false;
    }
    int status = phx_fmu_enter_initialization(&fmu_checked->calls, p->c, fmu_checked->model->start);
    if (!status)
        status = phx_fmu_exit_initialization(&fmu_checked->calls, p->c);
    phx_fmu_finding(p, "the initialization", status);
    if (!status)
        status = count(p);
    if (status || !check_exchange_allocate(p))
        return false;
    phx_fmu_set_again(fmu_checked, p->c, "in event mode");
    status = check_exchange_settle(p, &flags);
    if (!status && !p->terminates)
        status = check_exchange_look(p);
    return !status && !p->terminates;
}

/* Model exchange: one instance for steps and saved states, a second one for a run through events. */
void phx_fmu_check_exchange(const phx_fmu_checked *fmu_checked)
{
    double t = fmu_checked->model->start;
    plant p;

    if (check_exchange_start(&p, fmu_checked, "exchange") && !make_steps(&p, 0, &t))
        check_rollback(&p, t);
    if (p.c)
        phx_fmu_free_instance(&fmu_checked->calls, p.c);
    if (p.n == 0)
        return;
    if (check_exchange_start(&p, fmu_checked, "events"))
        phx_fmu_drive(&p, fmu_checked->model->start);
    if (p.c)
        phx_fmu_free_instance(&fmu_checked->calls, p.c);
}
