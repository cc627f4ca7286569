/* The calls of an FMU in a child process: what it breaks there breaks nothing else. The child writes a line for each
 * finding:
 *
 *     !TEXT      a finding
 *     #NUMBER    steps that have been made
 *     *NUMBER    events of model exchange that have been handled */
#define _DEFAULT_SOURCE
#include "check.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = PHX_FMU_STEPS, LONGEST = 60 /* s */, MOST_OUTPUTS = PHX_FMU_MOST_OUTPUTS };
typedef phx_fmu_checked checked;

/* ---- the child ---- */
void phx_fmu_say(const phx_fmu_checked *fmu_checked, char mark, const char *format, ...)
{
    char line[1200] = {mark};
    va_list arguments;

    va_start(arguments, format);
    int n = 1 + vsnprintf(line + 1, sizeof line - 2, format, arguments);
    va_end(arguments);
    n = n < (int)sizeof line - 2 ? n : (int)sizeof line - 2;
    for (int k = 1; k < n; k++)
        line[k] = line[k] == '\n' ? ' ' : line[k];
    line[n] = '\n';
    if (write(fmu_checked->pipe, line, (size_t)n + 1) < 0)
        _exit(EXIT_FAILURE);
}

int phx_fmu_say_failure(const phx_fmu_checked *fmu_checked, const char *what, int status)
{
    char message[sizeof fmu_checked->calls.shared->message];

    phx_fmu_take_text(sizeof message, fmu_checked->calls.shared->message, message);
    if (status)
        phx_fmu_say(fmu_checked, '!', "%s fails with status %d%s%s", what, status, *message ? ": " : "", message);
    return status;
}

static void check_calls_tell(void *user, const char *reason)
{
    phx_fmu_say(user, '!', "%s", reason);
}

int phx_fmu_read_outputs(const checked *checks, void *c, double *values)
{
    return phx_fmu_get_reals(&checks->calls, c, checks->outputs, (size_t)checks->n_outputs, values);
}

static int initialize(const checked *checks, void *c)
{
    const int status = phx_fmu_enter_initialization(&checks->calls, c, checks->model->start);
    return status ? status : phx_fmu_exit_initialization(&checks->calls, c);
}

/* Steps from number `from` on. */
static int make_steps(const checked *checks, void *c, int from, int count)
{
    int status = 0;

    for (int k = from; k < from + count && !status; k++) {
        bool terminate = false;
        status =
            phx_fmu_do_step(&checks->calls, c, checks->model->start + k * checks->step, checks->step, true, &terminate);
        if (!status)
            phx_fmu_say(checks, '#', "%d", k + 1);
        if (terminate)
            break;
    }
    return status;
}

static void check_calls_compare(const checked *checks, const char *what, const double *expected, const double *found)
{
    for (int k = 0; k < checks->n_outputs; k++)
        if (memcmp(&expected[k], &found[k], sizeof *found)) {
            phx_fmu_say(checks, '!', "%s, variable %u is %.17g, before it was %.17g", what, checks->outputs[k],
                        found[k], expected[k]);
            return;
        }
}

/* Steps, back to the state before them, the same steps again. */
static void check_rollback(const checked *checks, void *c, int from)
{
    static double first[MOST_OUTPUTS], second[MOST_OUTPUTS];
    void *state = NULL;

    if (!checks->model->gets_state)
        return;
    if (phx_fmu_save(&checks->calls, c, &state) || !state) {
        phx_fmu_say(checks, '!', "the state of the instance cannot be saved, though the description says so");
        return;
    }
    int status = make_steps(checks, c, from, 5);
    if (!status)
        status = phx_fmu_read_outputs(checks, c, first);
    if (!status)
        status = phx_fmu_restore(&checks->calls, c, state);
    if (!status)
        status = make_steps(checks, c, from, 5);
    if (!status)
        status = phx_fmu_read_outputs(checks, c, second);
    if (status)
        (void)phx_fmu_say_failure(checks, "going back to a saved state and on again", status);
    else
        check_calls_compare(checks, "after going back to a saved state and on again", first, second);
    phx_fmu_free_state(&checks->calls, c, &state);
}

/* Sets each tunable parameter to its present value; a finding if the call fails or the value read back differs. */
void phx_fmu_set_again(const checked *checks, void *c, const char *when)
{
    for (int k = 0; k < checks->model->n_variables; k++) {
        const phx_fmu_variable *p = &checks->model->variables[k];
        double value = 0.0, found = 0.0;
        if (p->causality != PHX_FMU_PARAMETER || p->type != PHX_FMU_REAL || p->array || !p->variability ||
            strcmp(p->variability, "tunable") != 0)
            continue;
        int status = phx_fmu_get_reals(&checks->calls, c, &p->reference, 1, &value);
        if (!status)
            status = phx_fmu_set_reals(&checks->calls, c, &p->reference, 1, &value);
        if (!status)
            status = phx_fmu_get_reals(&checks->calls, c, &p->reference, 1, &found);
        if (status)
            phx_fmu_say(checks, '!', "the tunable parameter '%s' cannot be set %s: status %d", p->name, when, status);
        else if (memcmp(&value, &found, sizeof value) != 0)
            phx_fmu_say(checks, '!', "the tunable parameter '%s', set to %.17g %s, is %.17g", p->name, value, when,
                        found);
        if (status)
            return;
    }
}

static bool has_tunables(const phx_fmu_model *model)
{
    for (int k = 0; k < model->n_variables; k++)
        if (model->variables[k].variability && !strcmp(model->variables[k].variability, "tunable"))
            return true;
    return false;
}

/* Parameters that are set to what they are change nothing. */
static void check_parameters(const checked *checks, const double *expected)
{
    static double found[MOST_OUTPUTS];
    void *c = has_tunables(checks->model) ? phx_fmu_instantiate(&checks->calls, "third", false) : NULL;

    if (!c)
        return;
    int status = initialize(checks, c);
    if (!status)
        status = make_steps(checks, c, 0, STEPS / 2);
    if (!status)
        phx_fmu_set_again(checks, c, "between steps");
    if (!status)
        status = make_steps(checks, c, STEPS / 2, STEPS - STEPS / 2);
    if (!status)
        status = phx_fmu_read_outputs(checks, c, found);
    if (!status)
        check_calls_compare(checks, "with tunable parameters set to the values that they have", expected, found);
    else
        phx_fmu_say(checks, '!', "steps after tunable parameters have been set fail with status %d", status);
    phx_fmu_free_instance(&checks->calls, c);
}

/* A second instance that takes the same steps is the same. */
static void check_repeats(const checked *checks, const double *expected)
{
    static double found[MOST_OUTPUTS];
    void *c = phx_fmu_instantiate(&checks->calls, "second", false);

    if (!c) {
        phx_fmu_say(checks, '!', "a second instance cannot be made");
        return;
    }
    if (initialize(checks, c) || make_steps(checks, c, 0, STEPS) || phx_fmu_read_outputs(checks, c, found))
        phx_fmu_say(checks, '!', "a second instance cannot make the steps of the first");
    else
        check_calls_compare(checks, "in a second instance", expected, found);
    phx_fmu_free_instance(&checks->calls, c);
}

/* Co-simulation: instantiates, steps, reads outputs, and checks repetition, parameters and saved states. */
static void check_calls_run(const checked *checks)
{
    static double values[MOST_OUTPUTS];

    void *c = phx_fmu_instantiate(&checks->calls, "first", false);
    if (!c) {
        phx_fmu_say(checks, '!', "no instance can be made");
        return;
    }
    int status = initialize(checks, c);
    if (status)
        (void)phx_fmu_say_failure(checks, "the initialization", status);
    if (!status && (status = phx_fmu_read_outputs(checks, c, values)) != 0)
        phx_fmu_say(checks, '!', "the outputs cannot be read after the initialization: status %d", status);
    if (!status && (status = make_steps(checks, c, 0, STEPS)) != 0)
        (void)phx_fmu_say_failure(checks, "a step", status);
    if (!status && (status = phx_fmu_read_outputs(checks, c, values)) != 0)
        phx_fmu_say(checks, '!', "the outputs cannot be read after the steps: status %d", status);
    for (int k = 0; k < checks->n_outputs && !status; k++)
        if (!isfinite(values[k]))
            phx_fmu_say(checks, '!', "after %d steps variable %u is %g", STEPS, checks->outputs[k], values[k]);
    if (!status) {
        check_repeats(checks, values);
        check_parameters(checks, values);
        check_rollback(checks, c, STEPS);
    }
    phx_fmu_free_instance(&checks->calls, c);
}

/* The FMU that is checked. */
typedef struct plan {
    const phx_fmu_model *model;
    const char *folder;
} plan;

/* The child process: loads the shared object and runs the checks of both kinds, at most LONGEST seconds. */
static void be_child(void *user, int socket, phx_fmu_shared *shared)
{
    static const double DEFAULT_STEP = 1e-3; /* of the time of the experiment; s if there is none */
    static checked checks;
    const plan *of = user;
    const phx_fmu_model *model = of->model;

    (void)alarm(LONGEST);
    checks.calls = (phx_fmu_calls){.model = model, .folder = of->folder, .shared = shared, .logs = true};
    checks.model = model;
    checks.pipe = socket;
    checks.step = model->step > 0.0            ? model->step
                  : model->stop > model->start ? DEFAULT_STEP * (model->stop - model->start)
                                               : DEFAULT_STEP;
    for (int k = 0; k < model->n_variables && checks.n_outputs < MOST_OUTPUTS; k++)
        if (model->variables[k].causality == PHX_FMU_OUTPUT && model->variables[k].type == PHX_FMU_REAL &&
            !model->variables[k].array)
            checks.outputs[checks.n_outputs++] = model->variables[k].reference;
    if (!phx_fmu_load(&checks.calls, check_calls_tell, &checks))
        return;
    if (model->identifier)
        check_calls_run(&checks);
    if (model->exchange_identifier)
        phx_fmu_check_exchange(&checks);
}

/* ---- the parent ---- */
/* The output of the child so far. */
typedef struct heard {
    char line[1400];
    size_t length;
    int steps, events;
    phx_fmu_findings *findings;
} heard;

/* Adds one line of the child to steps ('#'), events ('*') or findings ('!'). */
static void take_line(heard *messages)
{
    messages->line[messages->length] = '\0';
    messages->length = 0;
    switch (messages->line[0]) {
    case '#':
        messages->steps = atoi(messages->line + 1) > messages->steps ? atoi(messages->line + 1) : messages->steps;
        break;
    case '*':
        messages->events += atoi(messages->line + 1);
        break;
    case '!':
        phx_fmu_find(messages->findings, "%s", messages->line + 1);
        break;
    default:
        break;
    }
}

static void listen_to(int pipe, heard *messages)
{
    char buffer[4096];
    ssize_t n;

    while ((n = read(pipe, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
        for (ssize_t k = 0; k < n; k++) {
            if (buffer[k] == '\n')
                take_line(messages);
            else if (messages->length + 1 < sizeof messages->line)
                messages->line[messages->length++] = buffer[k];
        }
}

/* Runs the calls of the FMU in a child process; its crash or time-out is a finding. */
phx_status phx_fmu_check_calls(phx_context *context, const phx_fmu_model *model, const char *folder,
                               phx_fmu_findings *findings, phx_fmu_check_report *report)
{
    char fault[300];
    plan of = {.model = model, .folder = folder};
    phx_fmu_process process;
    heard messages = {.findings = findings};
    const phx_status status = phx_fmu_process_start(context, LONGEST, 0, be_child, &of, &process);

    if (status)
        return status;
    listen_to(process.socket, &messages);
    if (!phx_fmu_process_end(&process, false, sizeof fault, fault))
        phx_fmu_find(findings, "the FMU %s", fault);
    report->steps = messages.steps;
    report->events = messages.events;
    return PHX_OK;
}
