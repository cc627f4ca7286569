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
static int set_number(const phx_fmu_calls *calls, void *c, const setting *it)
{
    const unsigned *reference = &it->of->reference;
    const int whole = (int)it->number;
    const int64_t wide = (int64_t)it->number;
    const bool yes = it->number != 0.0, second = calls->model->version == 2;

    switch (it->of->type) {
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
        return phx_fmu_set_reals(calls, c, reference, 1, &it->number);
    }
}

static int set_start(const phx_fmu_calls *calls, void *c, const setting *it)
{
    const char *text = it->text;

    if (it->of->type != PHX_FMU_STRING)
        return set_number(calls, c, it);
    return calls->model->version == 2 ? PHX_FMU_CALL_OF(calls, fmi2SetString, c, &it->of->reference, 1, &text)
                                      : PHX_FMU_CALL_OF(calls, fmi3SetString, c, &it->of->reference, 1, &text, 1);
}

/* OK and Warning. */
static bool goes_on(int status)
{
    return status == fmi2OK || status == fmi2Warning;
}

/* Instantiates and initialises the FMU in the child process, with start values and first inputs; false if a call
 * fails. */
static bool initialize(child *it)
{
    const phx_fmu_component *of = it->of;
    int status = 0;

    it->instance = phx_fmu_instantiate(&it->calls, of->model.name ? of->model.name : "", false);
    if (!it->instance)
        return false;
    for (int k = 0; k < of->n_settings && goes_on(status); k++)
        status = set_start(&it->calls, it->instance, &of->settings[k]);
    if (goes_on(status))
        status = phx_fmu_enter_initialization(&it->calls, it->instance, it->calls.shared->values[0]);
    if (goes_on(status))
        status =
            phx_fmu_set_reals(&it->calls, it->instance, of->inputs.reference, (size_t)of->inputs.count, it->inputs);
    if (goes_on(status))
        status = phx_fmu_exit_initialization(&it->calls, it->instance);
    return goes_on(status);
}

static bool component_evaluate(const child *it)
{
    const phx_fmu_component *of = it->of;
    int status =
        phx_fmu_set_reals(&it->calls, it->instance, of->inputs.reference, (size_t)of->inputs.count, it->inputs);
    if (goes_on(status))
        status =
            phx_fmu_get_reals(&it->calls, it->instance, of->outputs.reference, (size_t)of->outputs.count, it->outputs);
    return goes_on(status);
}

static bool component_advance(const child *it)
{
    const double *values = it->calls.shared->values;
    bool ends = false;
    const int status = phx_fmu_do_step(&it->calls, it->instance, values[0], values[1], false, &ends);

    if (goes_on(status) && ends)
        snprintf(it->calls.shared->message, sizeof it->calls.shared->message, "it asks for the end of the simulation");
    return goes_on(status) && !ends;
}

static void note_reason(void *user, const char *reason)
{
    phx_fmu_shared *shared = user;
    snprintf(shared->message, sizeof shared->message, "%s", reason);
}

static bool obey(child *it, char command)
{
    switch (command) {
    case 'i':
        return phx_fmu_load(&it->calls, note_reason, it->calls.shared) && initialize(it);
    case 'e':
        return component_evaluate(it);
    default:
        return component_advance(it);
    }
}

/* Loop of the child process: obeys commands from the socket within the time limit and answers 'y' or 'n'. After a
 * failure it answers no more and waits for the end of the connection. */
static void serve(void *user, int socket, phx_fmu_shared *shared)
{
    static child it;
    const phx_fmu_component *of = user;
    char command, answer = 'y';

    it.of = of;
    it.calls = (phx_fmu_calls){.model = &of->model, .folder = of->folder.path, .shared = shared};
    it.inputs = shared->values + 2;
    it.outputs = it.inputs + of->inputs.count;
    while (read(socket, &command, 1) == 1) {
        if (answer != 'y') /* the parent reads what was wrong */
            continue;
        limit_time(of->limit);
        answer = obey(&it, command) ? 'y' : 'n';
        limit_time(0.0);
        if (send(socket, &answer, 1, MSG_NOSIGNAL) != 1)
            break;
    }
    if (it.instance && answer == 'y') {
        limit_time(of->limit);
        phx_fmu_free_instance(&it.calls, it.instance);
    }
}

/* ---- the parent ---- */
/* The word of a status; both versions have the same. */
static const char *status_word(int status)
{
    static const char *const words[] = {"no instance", "Warning", "Discard", "Error", "Fatal", "Pending"};
    return status >= 0 && status < (int)(sizeof words / sizeof *words) ? words[status] : "an unknown status";
}

static phx_status fail_crashed(phx_context *context, phx_fmu_component *it, double t)
{
    char fault[300];

    (void)phx_fmu_process_end(&it->process, true, sizeof fault, fault);
    return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: it %s", it->file, t, fault);
}

/* Ends the process of an FMU that has refused a call and fails with the call, its status and the FMU's message. */
static phx_status fail_refused(phx_context *context, phx_fmu_component *it, double t)
{
    phx_fmu_shared *shared = it->process.shared;
    const int status = shared->status;

    char call[sizeof shared->call], message[sizeof shared->message];
    phx_fmu_take_text(sizeof call, shared->call, call);
    phx_fmu_take_text(sizeof message, shared->message, message);
    (void)phx_fmu_process_end(&it->process, true, 0, NULL);
    if (status == 0 || status == fmi2Warning)
        return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: %s: %s", it->file, t, call,
                        *message ? message : status_word(0));
    return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: %s returns fmi%d%s%s%s", it->file, t, call,
                    it->model.version, status_word(status), *message ? ": " : "", message);
}

/* Whether an answer comes; the child's own timer goes off first. */
static bool wait_for_answer(const phx_fmu_component *it, char *answer)
{
    enum { LATER = 1000 /* ms */ };
    struct pollfd poll_one = {.fd = it->process.socket, .events = POLLIN};
    int ready;

    do {
        ready = poll(&poll_one, 1, (int)fmin(1e3 * it->limit + LATER, 2e9));
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && read(it->process.socket, answer, 1) == 1;
}

static phx_status command(phx_context *context, phx_fmu_component *it, char what, double t)
{
    char answer = 'n';

    if (it->process.pid <= 0)
        return phx_fail(context, PHX_ERR_ANALYSIS, "FMU '%s' at t = %.9g s: it is not running", it->file, t);
    *it->process.shared->message = '\0';
    it->process.shared->values[0] = t;
    if (send(it->process.socket, &what, 1, MSG_NOSIGNAL) != 1 || !wait_for_answer(it, &answer))
        return fail_crashed(context, it, t);
    return answer == 'y' ? PHX_OK : fail_refused(context, it, t);
}

static double *inputs_of(const phx_fmu_component *it)
{
    return it->process.shared->values + 2;
}

phx_status phx_fmu_component_start(phx_context *context, void *data, double t, const double *y)
{
    phx_fmu_component *it = data;
    const size_t n_values = 2 + (size_t)it->inputs.count + (size_t)it->outputs.count;

    (void)phx_fmu_process_end(&it->process, false, 0, NULL);
    phx_status status = it->folder.path ? PHX_OK : phx_fmu_unpack(context, it->file, &it->folder);
    if (!status)
        status = phx_fmu_process_start(context, it->limit, n_values, serve, it, &it->process);
    if (status)
        return status;
    memcpy(inputs_of(it), y, (size_t)it->inputs.count * sizeof *y);
    return command(context, it, 'i', t);
}

phx_status phx_fmu_component_advance(phx_context *context, void *data, double t, double sample)
{
    phx_fmu_component *it = data;

    if (it->process.pid > 0)
        it->process.shared->values[1] = sample;
    return command(context, it, 'a', t);
}

phx_status phx_fmu_component_evaluate(phx_context *context, void *data, double t, const double *y, double *u)
{
    phx_fmu_component *it = data;

    if (it->process.pid > 0)
        memcpy(inputs_of(it), y, (size_t)it->inputs.count * sizeof *y);
    const phx_status status = command(context, it, 'e', t);
    if (!status)
        memcpy(u, inputs_of(it) + it->inputs.count, (size_t)it->outputs.count * sizeof *u);
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
    phx_fmu_component *it = phx_calloc(context, 1, sizeof *it);
    char *bytes = NULL;
    size_t size = 0;

    *made = NULL;
    if (!it)
        return PHX_ERR_MEMORY;
    it->limit = LONGEST;
    it->process.socket = -1;
    it->file = phx_strdup(context, file);
    phx_status status = it->file ? PHX_OK : PHX_ERR_MEMORY;
    if (!status)
        status = phx_fmu_unpack_one(context, file, "modelDescription.xml", &bytes, &size);
    if (!status) {
        status = phx_fmu_read_model(context, bytes, size, &it->model);
        if (status == PHX_ERR_INPUT)
            status = phx_fail_prefix(context, status, "%s: ", file);
    }
    phx_free(bytes);
    if (!status)
        status = check_kind(context, file, &it->model);
    if (status)
        phx_fmu_component_destroy(it);
    else
        *made = it;
    return status;
}

/* Ends the FMU's process, removes its unpacked files and frees it; NULL is allowed. */
void phx_fmu_component_destroy(void *component)
{
    phx_fmu_component *it = component;

    if (!it)
        return;
    (void)phx_fmu_process_end(&it->process, false, 0, NULL);
    phx_fmu_remove(&it->folder);
    phx_fmu_free_model(&it->model);
    for (int k = 0; k < it->n_settings; k++)
        phx_free(it->settings[k].text);
    phx_free(it->settings);
    phx_free(it->inputs.reference);
    phx_free(it->outputs.reference);
    phx_free(it->file);
    phx_free(it);
}

double phx_fmu_component_step(const phx_fmu_component *it)
{
    return it->model.step;
}

void phx_fmu_component_limit(phx_fmu_component *it, double seconds)
{
    it->limit = seconds;
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
static bool has_start(const phx_fmu_variable *it)
{
    const bool constant = it->variability && !strcmp(it->variability, "constant");
    const bool given = it->initial == PHX_FMU_EXACT || it->initial == PHX_FMU_APPROX;

    return it->causality == PHX_FMU_PARAMETER || it->causality == PHX_FMU_INPUT ||
           (given && !constant && it->causality != PHX_FMU_STRUCTURAL);
}

static bool component_fits(const phx_fmu_variable *it, phx_fmu_causality causality)
{
    return causality == PHX_FMU_PARAMETER ? has_start(it) : it->causality == causality;
}

/* The variable of a name, with this causality (a parameter: anything with a start value). */
static phx_status component_find(phx_context *context, const phx_fmu_component *it, const char *name,
                                 phx_fmu_causality causality, const phx_fmu_variable **found)
{
    static const char *const wanted[] = {
        [PHX_FMU_PARAMETER] = "start value", [PHX_FMU_INPUT] = "input", [PHX_FMU_OUTPUT] = "output"};
    phx_nearest nearest = phx_nearest_to(name);

    *found = NULL;
    for (int k = 0; k < it->model.n_variables; k++) {
        const phx_fmu_variable *one = &it->model.variables[k];
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
static phx_status add_real(phx_context *context, const phx_fmu_component *it, const char *name,
                           phx_fmu_causality causality, chosen *list)
{
    const phx_fmu_variable *found = NULL;
    const phx_status status = component_find(context, it, name, causality, &found);

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

phx_status phx_fmu_component_input(phx_context *context, phx_fmu_component *it, const char *name)
{
    return add_real(context, it, name, PHX_FMU_INPUT, &it->inputs);
}

phx_status phx_fmu_component_output(phx_context *context, phx_fmu_component *it, const char *name)
{
    return add_real(context, it, name, PHX_FMU_OUTPUT, &it->outputs);
}

phx_status phx_fmu_component_takes_text(phx_context *context, const phx_fmu_component *it, const char *name, bool *text)
{
    const phx_fmu_variable *found = NULL;
    const phx_status status = component_find(context, it, name, PHX_FMU_PARAMETER, &found);

    *text = !status && found->type == PHX_FMU_STRING;
    if (!status && (found->type == PHX_FMU_OTHER_TYPE || found->array))
        return phx_fail(context, PHX_ERR_INPUT, "%s of the FMU is %s, which cannot be set yet",
                        phx_shown_text(name).text, found->array ? "an array" : "of a type that is seldom used");
    return status;
}

static bool is_of_type(const phx_fmu_variable *it, double number)
{
    switch (it->type) {
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
phx_status phx_fmu_component_set(phx_context *context, phx_fmu_component *it, const char *name, double number,
                                 const char *text)
{
    setting one = {.number = number};
    bool is_text = false;
    phx_status status = phx_fmu_component_takes_text(context, it, name, &is_text);

    if (!status)
        status = component_find(context, it, name, PHX_FMU_PARAMETER, &one.of);
    if (status)
        return status;
    if (!is_text && !is_of_type(one.of, number))
        return phx_fail(context, PHX_ERR_INPUT, "%s of the FMU is %s, found %.17g", phx_shown_text(name).text,
                        one.of->type == PHX_FMU_BOOLEAN ? "true (1) or false (0)" : "a whole number", number);
    setting *more = phx_realloc(context, it->settings, (size_t)it->n_settings + 1, sizeof *more);
    if (!more)
        return PHX_ERR_MEMORY;
    it->settings = more;
    if (is_text && !(one.text = phx_strdup(context, text ? text : "")))
        return PHX_ERR_MEMORY;
    more[it->n_settings++] = one;
    return PHX_OK;
}
