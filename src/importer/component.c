/* An FMU beside a simulation. Its process takes commands of one letter and answers with one; numbers are in the shared
 * memory:
 *
 *     i   in front of all: the instance is initialized at values[0], its inputs as they start
 *     e   the inputs are set, the outputs read
 *     a   a step from values[0] of length values[1]
 *
 *     values   t, step | inputs | outputs */
#define _GNU_SOURCE
#include "importer.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static const double LONGEST = 60.0; /* s */

/* Value references. */
typedef struct chosen {
    int count;
    unsigned *reference;
} chosen;

/* A start value. */
typedef struct setting {
    const phx_fmu_variable *of;
    char *text;
    double number;
} setting;

struct phx_fmu_component {
    char *file;
    phx_fmu_model model;
    phx_fmu_folder folder; /* from the first start on */
    chosen inputs, outputs;
    int n_settings;
    setting *settings;
    double limit; /* s: of a call */
    phx_fmu_process process;
};

/* ---- the child ---- */
typedef struct child {
    const phx_fmu_component *of;
    phx_fmu_calls calls;
    void *instance;
    double *inputs, *outputs;
} child;

static void limit_time(double seconds)
{
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * fmod(seconds, 1.0))}};
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

/* Sets one start value by the type of its variable, in the calls of FMI 2 or 3; returns the FMU's status. */
static int set_number(const phx_fmu_calls *calls, void *c, const setting *option)
{
    const unsigned *reference = &option->of->reference;
    const int whole = (int)option->number;
    const int64_t wide = (int64_t)option->number;
    const bool yes = option->number != 0.0, second = calls->model->version == 2;

    switch (option->of->type) {
    case PHX_FMU_INTEGER:
        return second ? PHX_FMU_CALL_OF(calls, fmi2SetInteger, c, reference, 1, &whole)
                      : PHX_FMU_CALL_OF(calls, fmi3SetInt32, c, reference, 1, &whole, 1);
    case PHX_FMU_ENUMERATION:
        return second ? PHX_FMU_CALL_OF(calls, fmi2SetInteger, c, reference, 1, &whole)
                      : PHX_FMU_CALL_OF(calls, fmi3SetInt64, c, reference, 1, &wide, 1);
    case PHX_FMU_BOOLEAN:
        return second ? PHX_FMU_CALL_OF(calls, fmi2SetBoolean, c, reference, 1, &whole)
                      : PHX_FMU_CALL_OF(calls, fmi3SetBoolean, c, reference, 1, &yes, 1);
    default:
        return phx_fmu_set_reals(calls, c, reference, 1, &option->number);
    }
}

static int set_start(const phx_fmu_calls *calls, void *c, const setting *option)
{
    const char *text = option->text;

    if (option->of->type != PHX_FMU_STRING)
        return set_number(calls, c, option);
    return calls->model->version == 2 ? PHX_FMU_CALL_OF(calls, fmi2SetString, c, &option->of->reference, 1, &text)
                                      : PHX_FMU_CALL_OF(calls, fmi3SetString, c, &option->of->reference, 1, &text, 1);
}

/* OK and Warning. */
static bool goes_on(int status)
{
    return status == fmi2OK || status == fmi2Warning;
}

/* Instantiates and initialises the FMU in the child process, with start values and first inputs; false if a call
 * fails. */
static bool initialize(child *process)
{
    const phx_fmu_component *of = process->of;
    int status = 0;

    process->instance = phx_fmu_instantiate(&process->calls, of->model.name ? of->model.name : "", false);
    if (!process->instance)
        return false;
    for (int k = 0; k < of->n_settings && goes_on(status); k++)
        status = set_start(&process->calls, process->instance, &of->settings[k]);
    if (goes_on(status))
        status = phx_fmu_enter_initialization(&process->calls, process->instance, process->calls.shared->values[0]);
    if (goes_on(status))
        status = phx_fmu_set_reals(&process->calls, process->instance, of->inputs.reference, (size_t)of->inputs.count,
                                   process->inputs);
    if (goes_on(status))
        status = phx_fmu_exit_initialization(&process->calls, process->instance);
    return goes_on(status);
}

static bool component_evaluate(const child *process)
{
    const phx_fmu_component *of = process->of;
    int status = phx_fmu_set_reals(&process->calls, process->instance, of->inputs.reference, (size_t)of->inputs.count,
                                   process->inputs);
    if (goes_on(status))
        status = phx_fmu_get_reals(&process->calls, process->instance, of->outputs.reference, (size_t)of->outputs.count,
                                   process->outputs);
    return goes_on(status);
}

static bool component_advance(const child *process)
{
    const double *values = process->calls.shared->values;
    bool ends = false;
    const int status = phx_fmu_do_step(&process->calls, process->instance, values[0], values[1], false, &ends);

    if (goes_on(status) && ends)
        snprintf(process->calls.shared->message, sizeof process->calls.shared->message,
                 "it asks for the end of the simulation");
    return goes_on(status) && !ends;
}

static void note_reason(void *user, const char *reason)
{
    phx_fmu_shared *shared = user;
    snprintf(shared->message, sizeof shared->message, "%s", reason);
}

static bool obey(child *process, char command)
{
    switch (command) {
    case 'i':
        return phx_fmu_load(&process->calls, note_reason, process->calls.shared) && initialize(process);
    case 'e':
        return component_evaluate(process);
    default:
        return component_advance(process);
    }
}

/* Loop of the child process: obeys commands from the socket within the time limit and answers 'y' or 'n'. After a
 * failure it answers no more and waits for the end of the connection. */
static void serve(void *user, int socket, phx_fmu_shared *shared)
{
    static child process;
    const phx_fmu_component *of = user;
    char command, answer = 'y';

    process.of = of;
    process.calls = (phx_fmu_calls){.model = &of->model, .folder = of->folder.path, .shared = shared};
    process.inputs = shared->values + 2;
    process.outputs = process.inputs + of->inputs.count;
    while (read(socket, &command, 1) == 1) {
        if (answer != 'y') /* the parent reads what was wrong */
            continue;
        limit_time(of->limit);
        answer = obey(&process, command) ? 'y' : 'n';
        limit_time(0.0);
        if (send(socket, &answer, 1, MSG_NOSIGNAL) != 1)
            break;
    }
    if (process.instance && answer == 'y') {
        limit_time(of->limit);
        phx_fmu_free_instance(&process.calls, process.instance);
    }
}

/* ---- the parent ---- */
/* The word of a status; both versions have the same. */
static const char *status_word(int status)
{
    static const char *const words[] = {"no instance", "Warning", "Discard", "Error", "Fatal", "Pending"};
    return status >= 0 && status < (int)(sizeof words / sizeof *words) ? words[status] : "an unknown status";
}

static phx_status fail_crashed(phx_context *context, phx_fmu_component *component, double t)
{
    char fault[300];

    (void)phx_fmu_process_end(&component->process, true, sizeof fault, fault);
    return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: it %s", component->file, t, fault);
}

/* Ends the process of an FMU that has refused a call and fails with the call, its status and the FMU's message. */
static phx_status fail_refused(phx_context *context, phx_fmu_component *component, double t)
{
    phx_fmu_shared *shared = component->process.shared;
    const int status = shared->status;

    char call[sizeof shared->call], message[sizeof shared->message];
    phx_fmu_take_text(sizeof call, shared->call, call);
    phx_fmu_take_text(sizeof message, shared->message, message);
    (void)phx_fmu_process_end(&component->process, true, 0, NULL);
    if (status == 0 || status == fmi2Warning)
        return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: %s: %s", component->file, t, call,
                        *message ? message : status_word(0));
    return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: %s returns fmi%d%s%s%s", component->file, t,
                    call, component->model.version, status_word(status), *message ? ": " : "", message);
}

/* Whether an answer comes; the child's own timer goes off first. */
static bool wait_for_answer(const phx_fmu_component *component, char *answer)
{
    enum { LATER = 1000 /* ms */ };
    struct pollfd poll_one = {.fd = component->process.socket, .events = POLLIN};
    int ready;

    do {
        ready = poll(&poll_one, 1, (int)fmin(1e3 * component->limit + LATER, 2e9));
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && read(component->process.socket, answer, 1) == 1;
}

static phx_status command(phx_context *context, phx_fmu_component *component, char what, double t)
{
    char answer = 'n';

    if (component->process.pid <= 0)
        return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: it is not running", component->file, t);
    *component->process.shared->message = '\0';
    component->process.shared->values[0] = t;
    if (send(component->process.socket, &what, 1, MSG_NOSIGNAL) != 1 || !wait_for_answer(component, &answer))
        return fail_crashed(context, component, t);
    return answer == 'y' ? PHX_OK : fail_refused(context, component, t);
}

static double *inputs_of(const phx_fmu_component *component)
{
    return component->process.shared->values + 2;
}

phx_status phx_fmu_component_start(phx_context *context, void *data, double t, const double *y)
{
    phx_fmu_component *component = data;
    const size_t n_values = 2 + (size_t)component->inputs.count + (size_t)component->outputs.count;

    (void)phx_fmu_process_end(&component->process, false, 0, NULL);
    phx_status status = component->folder.path ? PHX_OK : phx_fmu_unpack(context, component->file, &component->folder);
    if (!status)
        status = phx_fmu_process_start(context, component->limit, n_values, serve, component, &component->process);
    if (status)
        return status;
    memcpy(inputs_of(component), y, (size_t)component->inputs.count * sizeof *y);
    return command(context, component, 'i', t);
}

phx_status phx_fmu_component_advance(phx_context *context, void *data, double t, double sample)
{
    phx_fmu_component *component = data;

    if (component->process.pid > 0)
        component->process.shared->values[1] = sample;
    return command(context, component, 'a', t);
}

phx_status phx_fmu_component_evaluate(phx_context *context, void *data, double t, const double *y, double *u)
{
    phx_fmu_component *component = data;

    if (component->process.pid > 0)
        memcpy(inputs_of(component), y, (size_t)component->inputs.count * sizeof *y);
    const phx_status status = command(context, component, 'e', t);
    if (!status)
        memcpy(u, inputs_of(component) + component->inputs.count, (size_t)component->outputs.count * sizeof *u);
    return status;
}

/* ---- making ---- */
static phx_status check_kind(phx_context *context, const char *file, const phx_fmu_model *model)
{
    if (!model->identifier && model->exchange_identifier)
        return phx_fail(context, PHX_ERR_INPUT,
                        "%s: the FMU is for model exchange only, without an integrator of its own; export it for "
                        "co-simulation",
                        file);
    if (!model->identifier || !model->token)
        return phx_fail(context, PHX_ERR_INPUT, "%s: the FMU's description has no %s", file,
                        model->identifier ? "guid or instantiation token" : "co-simulation");
    if (model->needs_tool)
        return phx_fail(context, PHX_ERR_INPUT,
                        "%s: the FMU needs the program that it was made with; export it as one that runs by itself",
                        file);
    if (strchr(model->identifier, '/'))
        return phx_fail(context, PHX_ERR_INPUT, "%s: the model identifier %s is no name of C", file,
                        phx_shown_text(model->identifier).text);
    return phx_fmu_check_platform(context, file, model->version, model->identifier);
}

/* Reads the description of an FMU and checks that it can be used; nothing is unpacked or started yet. NULL after a
 * failure. */
phx_status phx_fmu_component_create(phx_context *context, const char *file, phx_fmu_component **made)
{
    phx_fmu_component *component = phx_calloc(context, 1, sizeof *component);
    char *bytes = NULL;
    size_t size = 0;

    *made = NULL;
    if (!component)
        return PHX_ERR_MEMORY;
    component->limit = LONGEST;
    component->process.socket = -1;
    component->file = phx_strdup(context, file);
    phx_status status = component->file ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = phx_fmu_unpack_one(context, file, "modelDescription.xml", &bytes, &size);
    if (!status) {
        status = phx_fmu_read_model(context, bytes, size, &component->model);
        if (status == PHX_ERR_INPUT)
            status = phx_fail_prefix(context, status, "%s: ", file);
    }
    phx_free(bytes);
    if (!status)
        status = check_kind(context, file, &component->model);
    if (status)
        phx_fmu_component_destroy(component);
    else
        *made = component;
    return status;
}

/* Ends the FMU's process, removes its unpacked files and frees it; NULL is allowed. */
void phx_fmu_component_destroy(void *component)
{
    phx_fmu_component *fmu = component;

    if (!fmu)
        return;
    (void)phx_fmu_process_end(&fmu->process, false, 0, NULL);
    phx_fmu_remove(&fmu->folder);
    phx_fmu_free_model(&fmu->model);
    for (int k = 0; k < fmu->n_settings; k++)
        phx_free(fmu->settings[k].text);
    phx_free(fmu->settings);
    phx_free(fmu->inputs.reference);
    phx_free(fmu->outputs.reference);
    phx_free(fmu->file);
    phx_free(fmu);
}

double phx_fmu_component_step(const phx_fmu_component *component)
{
    return component->model.step;
}

void phx_fmu_component_limit(phx_fmu_component *component, double seconds)
{
    component->limit = seconds;
}

/* ---- variables ---- */
static const char *const causality_words[PHX_FMU_CAUSALITIES + 1] = {"a parameter",
                                                                     "a calculated parameter",
                                                                     "an input",
                                                                     "an output",
                                                                     "a local variable",
                                                                     "the time",
                                                                     "a structural parameter",
                                                                     "of no known causality"};

/* Whether a value can be given to it before the start. */
static bool has_start(const phx_fmu_variable *variable)
{
    const bool constant = variable->variability && !strcmp(variable->variability, "constant");
    const bool given = variable->initial == PHX_FMU_EXACT || variable->initial == PHX_FMU_APPROX;

    return variable->causality == PHX_FMU_PARAMETER || variable->causality == PHX_FMU_INPUT ||
           (given && !constant && variable->causality != PHX_FMU_STRUCTURAL);
}

static bool component_fits(const phx_fmu_variable *variable, phx_fmu_causality causality)
{
    return causality == PHX_FMU_PARAMETER ? has_start(variable) : variable->causality == causality;
}

/* The variable of a name, with this causality (a parameter: anything with a start value). */
static phx_status component_find(phx_context *context, const phx_fmu_component *component, const char *name,
                                 phx_fmu_causality causality, const phx_fmu_variable **found)
{
    static const char *const wanted[] = {
        [PHX_FMU_PARAMETER] = "start value", [PHX_FMU_INPUT] = "input", [PHX_FMU_OUTPUT] = "output"};
    phx_nearest nearest = phx_nearest_to(name);

    *found = NULL;
    for (int k = 0; k < component->model.n_variables; k++) {
        const phx_fmu_variable *one = &component->model.variables[k];
        if (!strcmp(one->name, name))
            *found = one;
        else if (component_fits(one, causality))
            phx_nearest_offer(&nearest, one->name);
    }
    if (!*found)
        return phx_fail(context, PHX_ERR_INPUT, "the FMU has no variable %s%s", phx_shown_text(name).text,
                        phx_nearest_hint(&nearest).text);
    if (component_fits(*found, causality))
        return PHX_OK;
    return phx_fail(context, PHX_ERR_INPUT, "%s of the FMU is %s; expected %s%s", phx_shown_text(name).text,
                    causality_words[(*found)->causality],
                    causality == PHX_FMU_PARAMETER ? "a parameter or another variable with a " : "an ",
                    wanted[causality]);
}

/* Appends the reference of a scalar real variable of this name and causality to the list. */
static phx_status add_real(phx_context *context, const phx_fmu_component *component, const char *name,
                           phx_fmu_causality causality, chosen *list)
{
    const phx_fmu_variable *found = NULL;
    const phx_status status = component_find(context, component, name, causality, &found);

    if (status)
        return status;
    if (found->type != PHX_FMU_REAL || found->array)
        return phx_fail(context, PHX_ERR_INPUT, "%s of the FMU is %s; expected a real number",
                        phx_shown_text(name).text, found->array ? "an array" : "of another type");
    unsigned *more = phx_realloc(context, list->reference, (size_t)list->count + 1, sizeof *more);
    if (!more)
        return PHX_ERR_MEMORY;
    list->reference = more;
    more[list->count++] = found->reference;
    return PHX_OK;
}

phx_status phx_fmu_component_input(phx_context *context, phx_fmu_component *component, const char *name)
{
    return add_real(context, component, name, PHX_FMU_INPUT, &component->inputs);
}

phx_status phx_fmu_component_output(phx_context *context, phx_fmu_component *component, const char *name)
{
    return add_real(context, component, name, PHX_FMU_OUTPUT, &component->outputs);
}

phx_status phx_fmu_component_takes_text(phx_context *context, const phx_fmu_component *component, const char *name,
                                        bool *text)
{
    const phx_fmu_variable *found = NULL;
    const phx_status status = component_find(context, component, name, PHX_FMU_PARAMETER, &found);

    *text = !status && found->type == PHX_FMU_STRING;
    if (!status && (found->type == PHX_FMU_OTHER_TYPE || found->array))
        return phx_fail(context, PHX_ERR_INPUT, "%s of the FMU is %s, which cannot be set yet",
                        phx_shown_text(name).text, found->array ? "an array" : "of a type that is seldom used");
    return status;
}

static bool is_of_type(const phx_fmu_variable *variable, double number)
{
    switch (variable->type) {
    case PHX_FMU_BOOLEAN:
        return number == 0.0 || number == 1.0;
    case PHX_FMU_INTEGER:
    case PHX_FMU_ENUMERATION:
        return number == trunc(number) && fabs(number) <= INT32_MAX;
    default:
        return isfinite(number);
    }
}

/* Sets the start value of a parameter, a number or a text by its type; applied at initialisation. */
phx_status phx_fmu_component_set(phx_context *context, phx_fmu_component *component, const char *name, double number,
                                 const char *text)
{
    setting one = {.number = number};
    bool is_text = false;
    phx_status status = phx_fmu_component_takes_text(context, component, name, &is_text);

    if (!status)
        status = component_find(context, component, name, PHX_FMU_PARAMETER, &one.of);
    if (status)
        return status;
    if (!is_text && !is_of_type(one.of, number))
        return phx_fail(context, PHX_ERR_INPUT, "%s of the FMU is %s, found %.17g", phx_shown_text(name).text,
                        one.of->type == PHX_FMU_BOOLEAN ? "true (1) or false (0)" : "a whole number", number);
    setting *more = phx_realloc(context, component->settings, (size_t)component->n_settings + 1, sizeof *more);
    if (!more)
        return PHX_ERR_MEMORY;
    component->settings = more;
    if (is_text && !(one.text = phx_strdup(context, text ? text : "")))
        return PHX_ERR_MEMORY;
    more[component->n_settings++] = one;
    return PHX_OK;
}
