/* The calls of model exchange, in the child process of check_calls.c. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALL PHX_FMU_CALL

enum { MOST_EVENTS = 50 };
static const double SHORT = 1e-3; /* steps of Euler's method, in steps of the default experiment */

/* An instance with its arrays. */
typedef struct plant {
    const phx_fmu_checked *it;
    void *c;
    size_t n, indicators;
    double *states, *rates, *nominal, *indicator;
    double *first; /* of a run before: states, then outputs */
} plant;

static int second(const plant *p)
{
    return p->it->model->version == 2;
}

static int finding(const plant *p, const char *what, int status)
{
    if (status)
        phx_fmu_say(p->it, '!', "model exchange: %s fails with status %d", what, status);
    return status;
}

/* ---- states ---- */
static size_t states_of_description(const phx_fmu_model *model)
{
    size_t count = 0;
    for (int k = 0; k < model->n_unknowns; k++)
        count += model->unknowns[k].kind == 1;
    return count;
}

static int count(plant *p)
{
    const phx_fmu_checked *it = p->it;

    p->n = states_of_description(it->model);
    p->indicators = (size_t)it->model->n_indicators;
    if (second(p))
        return 0;
    size_t n = 0, indicators = 0;
    int status = CALL(it, fmi3GetNumberOfContinuousStates, p->c, &n);
    if (!status)
        status = CALL(it, fmi3GetNumberOfEventIndicators, p->c, &indicators);
    if (!status && n != p->n)
        phx_fmu_say(it, '!', "the FMU has %zu continuous states, its description %zu derivatives", n, p->n);
    if (!status && indicators != p->indicators)
        phx_fmu_say(it, '!', "the FMU has %zu event indicators, its description %zu", indicators, p->indicators);
    p->n = n;
    p->indicators = indicators;
    return finding(p, "counting the states", status);
}

static int get_states(plant *p)
{
    return finding(p, "reading the states",
                   second(p) ? CALL(p->it, fmi2GetContinuousStates, p->c, p->states, p->n)
                             : CALL(p->it, fmi3GetContinuousStates, p->c, p->states, p->n));
}

static int get_rates(plant *p)
{
    return finding(p, "reading the derivatives",
                   second(p) ? CALL(p->it, fmi2GetDerivatives, p->c, p->rates, p->n)
                             : CALL(p->it, fmi3GetContinuousStateDerivatives, p->c, p->rates, p->n));
}

static int look(plant *p)
{
    int status = second(p) ? CALL(p->it, fmi2GetNominalsOfContinuousStates, p->c, p->nominal, p->n)
                           : CALL(p->it, fmi3GetNominalsOfContinuousStates, p->c, p->nominal, p->n);

    finding(p, "reading the nominal values", status);
    for (size_t k = 0; k < p->n && !status; k++)
        if (!(p->nominal[k] > 0.0 && isfinite(p->nominal[k])))
            phx_fmu_say(p->it, '!', "the nominal value of state %zu is %g", k + 1, p->nominal[k]);
    if (status || p->indicators == 0)
        return status;
    status = second(p) ? CALL(p->it, fmi2GetEventIndicators, p->c, p->indicator, p->indicators)
                       : CALL(p->it, fmi3GetEventIndicators, p->c, p->indicator, p->indicators);
    for (size_t k = 0; k < p->indicators && !status; k++)
        if (!isfinite(p->indicator[k]))
            phx_fmu_say(p->it, '!', "event indicator %zu is %g", k + 1, p->indicator[k]);
    return finding(p, "reading the event indicators", status);
}

/* ---- events ---- */
/* From event mode into continuous-time mode. */
static int settle(plant *p)
{
    int status = 0;
    bool again = true;

    for (int k = 0; k < MOST_EVENTS && again && !status; k++) {
        if (second(p)) {
            fmi2EventInfo info = {0};
            status = CALL(p->it, fmi2NewDiscreteStates, p->c, &info);
            again = info.newDiscreteStatesNeeded;
        } else {
            bool terminate = false, nominals = false, values = false, defined = false;
            double next = 0.0;
            again = false;
            status =
                CALL(p->it, fmi3UpdateDiscreteStates, p->c, &again, &terminate, &nominals, &values, &defined, &next);
        }
    }
    if (again && !status)
        phx_fmu_say(p->it, '!', "%d iterations of an event do not come to an end", MOST_EVENTS);
    if (!status)
        status =
            second(p) ? CALL(p->it, fmi2EnterContinuousTimeMode, p->c) : CALL(p->it, fmi3EnterContinuousTimeMode, p->c);
    return finding(p, "an event", status);
}

static int complete(plant *p)
{
    fmi2Boolean event2 = 0, terminate2 = 0;
    bool event3 = false, terminate3 = false;
    int status = second(p) ? CALL(p->it, fmi2CompletedIntegratorStep, p->c, 0, &event2, &terminate2)
                           : CALL(p->it, fmi3CompletedIntegratorStep, p->c, false, &event3, &terminate3);

    if (status || !(event2 || event3))
        return finding(p, "completing a step", status);
    status = second(p) ? CALL(p->it, fmi2EnterEventMode, p->c) : CALL(p->it, fmi3EnterEventMode, p->c);
    if (!finding(p, "entering event mode", status))
        status = settle(p);
    return status ? status : get_states(p);
}

/* ---- steps ---- */
static int set(plant *p, double t)
{
    int status = second(p) ? CALL(p->it, fmi2SetTime, p->c, t) : CALL(p->it, fmi3SetTime, p->c, t);

    if (!finding(p, "setting the time", status) && p->n > 0)
        status = finding(p, "setting the states",
                         second(p) ? CALL(p->it, fmi2SetContinuousStates, p->c, p->states, p->n)
                                   : CALL(p->it, fmi3SetContinuousStates, p->c, p->states, p->n));
    return status;
}

/* Steps of Euler's method from number `from` on. */
static int make_steps(plant *p, int from)
{
    const double h = SHORT * p->it->step;
    int status = get_states(p);

    for (int k = from; k < from + PHX_FMU_STEPS && !status; k++) {
        status = get_rates(p);
        for (size_t i = 0; i < p->n && !status; i++) {
            if (!isfinite(p->rates[i])) {
                phx_fmu_say(p->it, '!', "after %d steps the derivative of state %zu is %g", k, i + 1, p->rates[i]);
                return 1;
            }
            p->states[i] += h * p->rates[i];
        }
        if (!status)
            status = set(p, p->it->model->start + (k + 1) * h);
        if (!status)
            status = complete(p);
        if (!status)
            phx_fmu_say(p->it, '#', "%d", k + 1);
    }
    return status ? status : get_states(p);
}

static int read_all(plant *p, double *values)
{
    memcpy(values, p->states, p->n * sizeof *values);
    return finding(p, "reading the outputs", phx_fmu_read_outputs(p->it, p->c, values + p->n));
}

static void check_rollback(plant *p)
{
    const size_t size = p->n + (size_t)p->it->n_outputs;
    double *found = p->first + size;
    void *state = NULL;

    if (!p->it->model->exchange_gets_state)
        return;
    if (phx_fmu_save(&p->it->calls, p->c, &state) || !state) {
        phx_fmu_say(p->it, '!', "model exchange: the state cannot be saved, though the description says so");
        return;
    }
    int status = make_steps(p, PHX_FMU_STEPS);
    if (!status)
        status = read_all(p, p->first);
    if (!status)
        status = finding(p, "going back to a saved state", phx_fmu_restore(&p->it->calls, p->c, state));
    if (!status)
        status = make_steps(p, PHX_FMU_STEPS);
    if (!status)
        status = read_all(p, found);
    if (!status && memcmp(p->first, found, size * sizeof *found) != 0)
        phx_fmu_say(p->it, '!',
                    "model exchange: after going back to a saved state and on again the states or outputs "
                    "are others");
    phx_fmu_free_state(&p->it->calls, p->c, &state);
}

static bool allocate(plant *p)
{
    double **const arrays[] = {&p->states, &p->rates, &p->nominal, &p->indicator, &p->first};
    const size_t sizes[] = {p->n, p->n, p->n, p->indicators, 2 * (p->n + PHX_FMU_MOST_OUTPUTS)};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = calloc(sizes[k] + 1, sizeof(double));
        if (!*arrays[k])
            return false;
    }
    return true;
}

void phx_fmu_check_exchange(const phx_fmu_checked *it)
{
    plant p = {.it = it, .c = phx_fmu_instantiate(&it->calls, "exchange", true)};

    if (!p.c) {
        phx_fmu_say(it, '!', "no instance for model exchange can be made");
        return;
    }
    int status = phx_fmu_enter_initialization(&it->calls, p.c, it->model->start);
    if (!status)
        status = phx_fmu_exit_initialization(&it->calls, p.c);
    finding(&p, "the initialization", status);
    if (!status)
        status = count(&p);
    if (!status && allocate(&p)) { /* the process ends afterwards */
        phx_fmu_set_again(it, p.c, "in event mode");
        status = settle(&p);
        if (!status)
            status = look(&p);
        if (!status)
            status = make_steps(&p, 0);
        if (!status)
            check_rollback(&p);
    }
    phx_fmu_free_instance(&it->calls, p.c);
}
