#include "fmu/exchange.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define CALL(e, of_2, of_3) ((e)->version == 2 ? (int)(e)->it->of_2 : (int)(e)->it->of_3)

static void must(const exchange *e, int status, const char *what)
{
    if (status)
        fail_msg("%s: status %d\n%s", what, status, e->it->log);
}

/* ---- calls ---- */
void exchange_get(exchange *e, size_t count, const unsigned *variables, double *values)
{
    must(e, CALL(e, fmi2GetReal(e->c, variables, count, values), fmi3GetFloat64(e->c, variables, count, values, count)),
         "get");
}

double exchange_value(exchange *e, const char *name)
{
    const unsigned variable = importer_variable(e->it, name);
    double value;
    exchange_get(e, 1, &variable, &value);
    return value;
}

void exchange_set(exchange *e, unsigned variable, double value)
{
    must(e, CALL(e, fmi2SetReal(e->c, &variable, 1, &value), fmi3SetFloat64(e->c, &variable, 1, &value, 1)), "set");
}

void exchange_get_states(exchange *e, double *states)
{
    const size_t n = (size_t)e->states;
    must(e, CALL(e, fmi2GetContinuousStates(e->c, states, n), fmi3GetContinuousStates(e->c, states, n)), "states");
}

void exchange_set_states(exchange *e, double t, const double *states)
{
    const size_t n = (size_t)e->states;
    must(e, CALL(e, fmi2SetTime(e->c, t), fmi3SetTime(e->c, t)), "time");
    must(e, CALL(e, fmi2SetContinuousStates(e->c, states, n), fmi3SetContinuousStates(e->c, states, n)), "states");
    e->t = t;
}

static int rates_of(exchange *e, double *rates)
{
    const size_t n = (size_t)e->states;
    return CALL(e, fmi2GetDerivatives(e->c, rates, n), fmi3GetContinuousStateDerivatives(e->c, rates, n));
}

void exchange_get_rates(exchange *e, double *rates)
{
    must(e, rates_of(e, rates), "derivatives");
}

static int indicators_of(exchange *e, double *values)
{
    const size_t n = (size_t)e->indicators;
    return CALL(e, fmi2GetEventIndicators(e->c, values, n), fmi3GetEventIndicators(e->c, values, n));
}

void exchange_get_indicators(exchange *e, double *values)
{
    must(e, indicators_of(e, values), "indicators");
}

void exchange_get_nominals(exchange *e, double *values)
{
    const size_t n = (size_t)e->states;
    must(
        e,
        CALL(e, fmi2GetNominalsOfContinuousStates(e->c, values, n), fmi3GetNominalsOfContinuousStates(e->c, values, n)),
        "nominals");
}

/* ---- events ---- */
/* In event mode: events until nothing changes; whether the states have other values. */
static bool settle(exchange *e)
{
    bool changed = false, again = true;

    e->next = HUGE_VAL;
    for (int k = 0; again; k++) {
        assert_true(k < 10);
        if (e->version == 2) {
            fmi2EventInfo info;
            must(e, e->it->fmi2NewDiscreteStates(e->c, &info), "event");
            again = info.newDiscreteStatesNeeded;
            changed = changed || info.valuesOfContinuousStatesChanged;
            e->next = info.nextEventTimeDefined ? info.nextEventTime : HUGE_VAL;
        } else {
            bool terminate, nominals, values, defined;
            double next;
            must(e, e->it->fmi3UpdateDiscreteStates(e->c, &again, &terminate, &nominals, &values, &defined, &next),
                 "event");
            changed = changed || values;
            e->next = defined ? next : HUGE_VAL;
        }
    }
    must(e, CALL(e, fmi2EnterContinuousTimeMode(e->c), fmi3EnterContinuousTimeMode(e->c)), "continuous");
    return changed;
}

void exchange_tune(exchange *e, const char *name, double value)
{
    must(e, CALL(e, fmi2EnterEventMode(e->c), fmi3EnterEventMode(e->c)), "event mode");
    exchange_set(e, importer_variable(e->it, name), value);
    (void)settle(e);
}

exchange exchange_start(importer *it, int version, double tolerance)
{
    exchange e = {.it = it, .version = version, .tolerance = tolerance};
    char indicators_of_2[20];

    e.c = version == 2 ? importer_exchange2(it, "one") : importer_exchange3(it, "one");
    if (!e.c)
        fail_msg("%s", it->log);
    if (version == 2) {
        assert_int_equal(it->fmi2SetupExperiment(e.c, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
        assert_int_equal(it->fmi2EnterInitializationMode(e.c), fmi2OK);
        assert_int_equal(it->fmi2ExitInitializationMode(e.c), fmi2OK);
        assert_true(importer_attribute(it, "<fmiModelDescription", "numberOfEventIndicators", sizeof indicators_of_2,
                                       indicators_of_2));
        e.indicators = atoi(indicators_of_2);
        for (const char *at = it->description; (at = strstr(at, " derivative=\"")) != NULL; at++)
            e.states++;
    } else {
        size_t states, indicators;
        assert_int_equal(it->fmi3EnterInitializationMode(e.c, false, 0.0, 0.0, false, 0.0), fmi3OK);
        assert_int_equal(it->fmi3ExitInitializationMode(e.c), fmi3OK);
        assert_int_equal(it->fmi3GetNumberOfContinuousStates(e.c, &states), fmi3OK);
        assert_int_equal(it->fmi3GetNumberOfEventIndicators(e.c, &indicators), fmi3OK);
        e.states = (int)states;
        e.indicators = (int)indicators;
    }
    (void)settle(&e);
    return e;
}

/* ---- CVODE ---- */
static int right_side(double t, N_Vector y, N_Vector y_dot, void *user)
{
    exchange *e = user;

    e->evaluations++;
    exchange_set_states(e, t, N_VGetArrayPointer(y));
    return rates_of(e, N_VGetArrayPointer(y_dot)) ? 1 : 0;
}

static int roots(double t, N_Vector y, double *values, void *user)
{
    exchange *e = user;
    exchange_set_states(e, t, N_VGetArrayPointer(y));
    return indicators_of(e, values) ? 1 : 0;
}

/* CVODE begins at e->t with the states of the instance, and goes on to `to` or an event. */
static bool run_between_events(exchange *e, double to, SUNContext sun)
{
    N_Vector y = N_VNew_Serial(e->states, sun), atol = N_VNew_Serial(e->states, sun);
    SUNMatrix matrix = SUNDenseMatrix(e->states, e->states, sun);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, sun);
    void *cvode = CVodeCreate(CV_BDF, sun);
    bool event = false;

    exchange_get_states(e, N_VGetArrayPointer(y));
    exchange_get_nominals(e, N_VGetArrayPointer(atol));
    N_VScale(1e-2 * e->tolerance, atol, atol);
    assert_int_equal(CVodeInit(cvode, right_side, e->t, y), CV_SUCCESS);
    CVodeSVtolerances(cvode, e->tolerance, atol);
    CVodeSetUserData(cvode, e);
    CVodeSetLinearSolver(cvode, solver, matrix);
    CVodeSetMaxNumSteps(cvode, 10000000);
    CVodeSetStopTime(cvode, to);
    CVodeRootInit(cvode, e->indicators, roots);
    while (e->t < to && !event) {
        double t = e->t;
        bool wanted = false;
        const int flag = CVode(cvode, to, y, &t, CV_ONE_STEP);
        if (flag < 0)
            fail_msg("CVODE at %g s: %d\n%s", t, flag, e->it->log);
        e->steps++;
        exchange_set_states(e, t, N_VGetArrayPointer(y));
        if (e->version == 2) {
            fmi2Boolean mode, terminate;
            must(e, e->it->fmi2CompletedIntegratorStep(e->c, 1, &mode, &terminate), "completed step");
            wanted = mode;
        } else {
            bool terminate;
            must(e, e->it->fmi3CompletedIntegratorStep(e->c, true, &wanted, &terminate), "completed step");
        }
        event = wanted || flag == CV_ROOT_RETURN;
    }
    e->state_events += event;
    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(atol);
    return event;
}

bool exchange_to_event(exchange *e, double t)
{
    SUNContext sun;
    bool event = e->t >= e->next;

#ifdef SUN_COMM_NULL /* from version 7 on */
    assert_int_equal(SUNContext_Create(SUN_COMM_NULL, &sun), 0);
#else
    assert_int_equal(SUNContext_Create(NULL, &sun), 0);
#endif
    if (!event && e->t < t) {
        event = run_between_events(e, e->next < t ? e->next : t, sun);
        e->time_events += e->t >= e->next;
        event = event || e->t >= e->next;
    }
    SUNContext_Free(&sun);
    return event;
}

bool exchange_event(exchange *e)
{
    must(e, CALL(e, fmi2EnterEventMode(e->c), fmi3EnterEventMode(e->c)), "event mode");
    return settle(e);
}

void exchange_run(exchange *e, double t)
{
    while (e->t < t) {
        (void)exchange_to_event(e, t);
        (void)exchange_event(e);
    }
}

void exchange_free(exchange *e)
{
    if (e->version == 2)
        e->it->fmi2FreeInstance(e->c);
    else
        e->it->fmi3FreeInstance(e->c);
}
