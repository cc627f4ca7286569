/* Instances of FMUs: files, log, order of calls, values, steps, saved states. */
#include "instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- log ---- */
const char *phx_instance_category(int category)
{
    static const char *const names[LOG_CATEGORIES] = {
        [LOG_EVENTS] = "logEvents",
        [LOG_WARNING] = "logStatusWarning",
        [LOG_DISCARD] = "logStatusDiscard",
        [LOG_ERROR] = "logStatusError",
    };
    return category >= 0 && category < LOG_CATEGORIES ? names[category] : NULL;
}

/* Formats a message and sends it to the importer, if its category is switched on. */
void phx_instance_log(const instance *fmu, int category, const char *format, ...)
{
    static const int status[LOG_CATEGORIES] = {
        [LOG_EVENTS] = INSTANCE_OK,
        [LOG_WARNING] = INSTANCE_WARNING,
        [LOG_DISCARD] = INSTANCE_DISCARD,
        [LOG_ERROR] = INSTANCE_ERROR,
    };
    char message[2000];
    va_list arguments;

    if (!fmu->logging[category])
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fmu->send(fmu, status[category], phx_instance_category(category), message);
}

static void take_message(void *user, phx_log_level level, const char *message)
{
    phx_instance_log(user, level == PHX_LOG_WARNING ? LOG_WARNING : LOG_EVENTS, "%s", message);
}

/* Switches the named categories of messages, all if there are no names; an error for an unknown name. */
int phx_instance_set_logging(instance *fmu, const char *function, bool on, size_t count, const char *const *categories)
{
    int status = INSTANCE_OK;

    for (int k = 0; k < LOG_CATEGORIES && count == 0; k++)
        fmu->logging[k] = on;
    for (size_t c = 0; c < count; c++) {
        int k = 0;
        while (k < LOG_CATEGORIES && (!categories[c] || strcmp(categories[c], phx_instance_category(k)) != 0))
            k++;
        if (k < LOG_CATEGORIES) {
            fmu->logging[k] = on;
            continue;
        }
        phx_instance_log(fmu, LOG_ERROR, "%s: there is no category '%s'", function, categories[c] ? categories[c] : "");
        status = INSTANCE_ERROR;
    }
    return status;
}

/* ---- creation ---- */
static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes a file URI, or a plain absolute path, to a path; false if it is neither or too long. */
bool phx_instance_folder(const char *uri, size_t size, char *folder)
{
    static const char *const heads[] = {"file:///", "file://localhost/", "file:/"};
    size_t at = 0, n = 0;

    for (size_t k = 0; k < sizeof heads / sizeof *heads && at == 0; k++)
        if (!strncmp(uri, heads[k], strlen(heads[k])))
            at = strlen(heads[k]) - 1; /* the last '/' is the first of the path */
    if (at == 0 && *uri != '/')
        return false;
    for (; uri[at] && n + 1 < size; at++) {
        const int high = uri[at] == '%' ? digit(uri[at + 1]) : -1, low = high >= 0 ? digit(uri[at + 2]) : -1;
        folder[n++] = low >= 0 ? (char)(16 * high + low) : uri[at];
        at += low >= 0 ? 2 : 0;
    }
    folder[n] = '\0';
    return uri[at] == '\0';
}

/* The bytes of a file; NULL with a message. */
static unsigned char *instance_read_file(const instance *fmu, const char *folder, size_t *size)
{
    const size_t length = strlen(folder);
    char path[4096];
    unsigned char *bytes = NULL;
    long end = -1;

    if (snprintf(path, sizeof path, "%s%smechanism.phx", folder, length && folder[length - 1] == '/' ? "" : "/") >=
        (int)sizeof path)
        path[0] = '\0';
    FILE *file = fopen(path, "rb");
    if (file && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (file && end >= 0 && fseek(file, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)end + 1);
    *size = bytes ? fread(bytes, 1, (size_t)end, file) : 0;
    if (file)
        (void)fclose(file);
    if (!bytes || *size != (size_t)end) {
        phx_instance_log(fmu, LOG_ERROR, "the file mechanism.phx of the resources cannot be read in '%s'", folder);
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* Creates the unit from the mechanism in `folder`; false with a message if it cannot be read or its token differs. */
static bool instance_load(instance *fmu, const char *token, const char *folder)
{
    size_t size = 0;
    unsigned char *bytes = instance_read_file(fmu, folder, &size);

    if (!bytes)
        return false;
    const phx_status status = phx_unit_create(size, bytes, take_message, fmu, &fmu->unit);
    free(bytes);
    if (status) {
        phx_instance_log(fmu, LOG_ERROR, "%s",
                         fmu->unit ? phx_context_message(phx_unit_context(fmu->unit)) : phx_status_text(status));
        return false;
    }
    if (strcmp(token, phx_unit_token(fmu->unit)) != 0) {
        phx_instance_log(fmu, LOG_ERROR, "the instantiation token is '%s', the mechanism in the resources has '%s'",
                         token, phx_unit_token(fmu->unit));
        return false;
    }
    return true;
}

/* An instance with its unit, instantiated; NULL with a message if name, token, resources or kind are wrong. */
instance *phx_instance_create(const instance *form, const char *name, const char *token, const char *folder,
                              bool logging)
{
    instance *fmu = calloc(1, sizeof *fmu);
    const size_t length = name ? strlen(name) : 0;

    if (!fmu)
        return NULL;
    *fmu = *form;
    fmu->name = calloc(length + 1, 1);
    if (fmu->name && length)
        memcpy(fmu->name, name, length);
    for (int k = 0; k < LOG_CATEGORIES; k++)
        fmu->logging[k] = logging || k == LOG_ERROR; /* why an instance cannot be made is always said */
    if (!fmu->name || length == 0 || !token || !folder) {
        if (fmu->name)
            phx_instance_log(fmu, LOG_ERROR, "an instance needs a name, a token and the path of its resources");
        phx_instance_destroy(fmu);
        return NULL;
    }
    if (!instance_load(fmu, token, folder)) {
        phx_instance_destroy(fmu);
        return NULL;
    }
    if (fmu->exchange ? phx_unit_states(fmu->unit) == 0 : !phx_unit_steps(fmu->unit)) {
        phx_instance_log(fmu, LOG_ERROR, "this FMU is not for %s", fmu->exchange ? "model exchange" : "co-simulation");
        phx_instance_destroy(fmu);
        return NULL;
    }
    phx_unit_use_exchange(fmu->unit, fmu->exchange);
    fmu->logging[LOG_ERROR] = logging;
    fmu->state = STATE_INSTANTIATED;
    return fmu;
}

void phx_instance_destroy(instance *fmu)
{
    if (!fmu)
        return;
    phx_unit_destroy(fmu->unit);
    free(fmu->name);
    free(fmu);
}

/* ---- calls ---- */
int phx_instance_check(const instance *fmu, const char *function, int states)
{
    if (!fmu)
        return INSTANCE_ERROR;
    if (fmu->state & states)
        return INSTANCE_OK;
    phx_instance_log(fmu, LOG_ERROR, "%s must not be called %s", function,
                     fmu->state == STATE_INSTANTIATED   ? "before the initialization"
                     : fmu->state == STATE_INITIALIZING ? "in initialization mode"
                     : fmu->state == STATE_STEP         ? "between steps"
                     : fmu->state == STATE_EVENT        ? "in event mode"
                     : fmu->state == STATE_CONTINUOUS   ? "in continuous-time mode"
                     : fmu->state == STATE_TERMINATED   ? "after the end"
                                                        : "after an error");
    return INSTANCE_ERROR;
}

int phx_instance_status(instance *fmu, phx_status status)
{
    if (!status)
        return INSTANCE_OK;
    phx_instance_log(fmu, status > 0 ? LOG_DISCARD : LOG_ERROR, "%s", phx_context_message(phx_unit_context(fmu->unit)));
    return status > 0 ? INSTANCE_DISCARD : INSTANCE_ERROR;
}

int phx_instance_initialize(instance *fmu, double start)
{
    fmu->start = fmu->last_time = start;
    const int status = phx_instance_status(fmu, phx_unit_start(fmu->unit, start));
    fmu->state = status ? STATE_FAILED : STATE_INITIALIZING;
    return status;
}

/* Sets inputs to zero and parameters to their start values, and returns the unit to its start at t = 0. */
int phx_instance_reset(instance *fmu)
{
    phx_status status = PHX_OK;

    for (int i = 0; i < phx_unit_inputs(fmu->unit) && !status; i++)
        status = phx_unit_set(fmu->unit, phx_unit_first_input() + i, 0.0);
    for (int i = 0; i < phx_unit_parameters(fmu->unit) && !status; i++) {
        phx_variable variable;
        phx_unit_variable(fmu->unit, phx_unit_first_parameter(fmu->unit) + i, &variable);
        status = phx_unit_set(fmu->unit, phx_unit_first_parameter(fmu->unit) + i, variable.start);
    }
    fmu->last_step = INSTANCE_OK;
    status = status ? status : phx_unit_start(fmu->unit, 0.0);
    fmu->state = status ? STATE_FAILED : STATE_INSTANTIATED;
    return phx_instance_status(fmu, status);
}

/* ---- values ---- */
static int instance_unknown(const instance *fmu, const char *function, unsigned variable)
{
    phx_instance_log(fmu, LOG_ERROR, "%s: there is no variable with the value reference %u", function, variable);
    return INSTANCE_ERROR;
}

int phx_instance_get(instance *fmu, const char *function, size_t count, const unsigned *variables, double *values)
{
    for (size_t k = 0; k < count; k++) {
        if (variables[k] >= (unsigned)phx_unit_variables(fmu->unit))
            return instance_unknown(fmu, function, variables[k]);
        const int status = phx_instance_status(fmu, phx_unit_get(fmu->unit, (int)variables[k], &values[k]));
        if (status)
            return status;
    }
    return INSTANCE_OK;
}

/* Whether a parameter can be set now: until the end of the initialization; later at events and, where there are none,
 * between steps. */
static int check_parameter(const instance *fmu, const char *function, unsigned variable)
{
    const bool early = (fmu->state & (STATE_INSTANTIATED | STATE_INITIALIZING)) != 0;
    const bool late = fmu->state == STATE_EVENT || (fmu->state == STATE_STEP && !fmu->event_mode);
    phx_variable parameter;

    if (early || variable < (unsigned)phx_unit_first_parameter(fmu->unit))
        return INSTANCE_OK;
    if (late)
        return INSTANCE_OK;
    phx_unit_variable(fmu->unit, (int)variable, &parameter);
    phx_instance_log(fmu, LOG_ERROR, "%s: parameter '%s' can be set in event mode, not %s", function, parameter.name,
                     fmu->state == STATE_STEP ? "between steps" : "in continuous-time mode");
    return INSTANCE_ERROR;
}

/* Sets inputs and parameters, then recomputes all that follows from parameters; an error for an unknown variable or
 * one that is fixed in this state. */
int phx_instance_set(instance *fmu, const char *function, size_t count, const unsigned *variables, const double *values)
{
    int status = INSTANCE_OK;

    for (size_t k = 0; k < count && !status; k++) {
        if (variables[k] >= (unsigned)phx_unit_variables(fmu->unit))
            status = instance_unknown(fmu, function, variables[k]);
        if (!status)
            status = check_parameter(fmu, function, variables[k]);
        if (!status)
            status = phx_instance_status(fmu, phx_unit_set(fmu->unit, (int)variables[k], values[k]));
    }
    if (fmu->state == STATE_INSTANTIATED) /* the initialization looks at parameters */
        return status;
    const int taken = phx_instance_status(fmu, phx_unit_take_parameters(fmu->unit, fmu->state == STATE_INITIALIZING));
    return status ? status : taken;
}

/* ---- steps ---- */
int phx_instance_step(instance *fmu, const char *function, double time, double step)
{
    static const double OFF_BY_STEP = 1e-6;  /* difference of the times, parts of the step */
    static const double OFF_BY_TIME = 1e-12; /* the same, relative to the time */
    const double now = phx_unit_time(fmu->unit);

    if (!(step > 0.0) || !isfinite(step) || !(fabs(time - now) <= OFF_BY_STEP * step + OFF_BY_TIME * fabs(now))) {
        phx_instance_log(fmu, LOG_ERROR, "%s: a step from %.9g s by %g s; the instance stands at %.9g s", function,
                         time, step, now);
        fmu->last_step = INSTANCE_ERROR;
        return INSTANCE_ERROR;
    }
    const phx_status status = phx_unit_step(fmu->unit, step);
    fmu->last_time = phx_unit_time(fmu->unit);
    fmu->last_step = INSTANCE_OK;
    if (status > 0) {
        phx_instance_log(fmu, LOG_DISCARD, "%s", phx_context_message(phx_unit_context(fmu->unit)));
        fmu->last_step = INSTANCE_DISCARD;
    } else if (status) {
        fmu->last_step = phx_instance_status(fmu, status);
        fmu->state = STATE_FAILED;
    }
    return fmu->last_step;
}

/* ---- model exchange ---- */
int phx_instance_check_exchange(const instance *fmu, const char *function, int states)
{
    if (fmu && !fmu->exchange) {
        phx_instance_log(fmu, LOG_ERROR, "%s: this instance is for co-simulation", function);
        return INSTANCE_ERROR;
    }
    return phx_instance_check(fmu, function, states);
}

/* One iteration in event mode: the changes of states and the next time event; after an error the instance has
 * failed. */
int phx_instance_event(instance *fmu, instance_event *event)
{
    *event = (instance_event){0};
    phx_unit_changes changes;
    const int status = phx_instance_status(fmu, phx_unit_event(fmu->unit, &changes));

    if (status == INSTANCE_ERROR)
        fmu->state = STATE_FAILED;
    event->again = changes.again;
    event->states_changed = changes.chosen_anew;
    event->next = phx_unit_next_time_event(fmu->unit);
    event->next_defined = isfinite(event->next);
    if (event->states_changed)
        phx_instance_log(fmu, LOG_EVENTS, "the states are other coordinates from %.9g s on", phx_unit_time(fmu->unit));
    return status;
}

void phx_instance_enter_event(instance *fmu)
{
    if (fmu->state != STATE_EVENT)
        phx_unit_arrive(fmu->unit);
    fmu->state = STATE_EVENT;
}

/* An integrator that does not look for state events learns of them here. */
int phx_instance_completed(instance *fmu, bool *enter_event_mode)
{
    return phx_instance_status(fmu, phx_unit_completed(fmu->unit, enter_event_mode));
}

static int check_count(const instance *fmu, const char *function, size_t count, int expected)
{
    if (count == (size_t)expected)
        return INSTANCE_OK;
    phx_instance_log(fmu, LOG_ERROR, "%s: %zu values, expected %d", function, count, expected);
    return INSTANCE_ERROR;
}

int phx_instance_set_states(instance *fmu, const char *function, size_t count, const double *states)
{
    if (check_count(fmu, function, count, phx_unit_states(fmu->unit)))
        return INSTANCE_ERROR;
    return phx_instance_status(fmu, phx_unit_set_states(fmu->unit, states));
}

/* Copies states, derivatives, nominal values or event indicators; an error unless `count` is their number. */
int phx_instance_get_array(instance *fmu, const char *function, instance_array which, size_t count, double *values)
{
    const bool indicators = which == ARRAY_INDICATORS;
    phx_status status = PHX_OK;

    if (check_count(fmu, function, count, indicators ? phx_unit_n_indicators(fmu->unit) : phx_unit_states(fmu->unit)))
        return INSTANCE_ERROR;
    if (which == ARRAY_STATES)
        phx_unit_get_states(fmu->unit, values);
    else if (which == ARRAY_NOMINALS)
        phx_unit_nominals(fmu->unit, values);
    else
        status = indicators ? phx_unit_indicators(fmu->unit, values) : phx_unit_get_rates(fmu->unit, values);
    return phx_instance_status(fmu, status);
}

/* ---- derivatives ---- */
int phx_instance_derivative(instance *fmu, const char *function, const phx_unit_direction *along, bool adjoint,
                            double *derivative)
{
    const unsigned variables = (unsigned)phx_unit_variables(fmu->unit);

    for (size_t k = 0; k < along->n_unknown; k++)
        if (along->unknown[k] >= variables)
            return instance_unknown(fmu, function, along->unknown[k]);
    for (size_t k = 0; k < along->n_known; k++)
        if (along->known[k] >= variables)
            return instance_unknown(fmu, function, along->known[k]);
    phx_unit_direction direction = *along;
    direction.start = fmu->state == STATE_INITIALIZING;
    return phx_instance_status(fmu, adjoint ? phx_unit_adjoint(fmu->unit, &direction, derivative)
                                            : phx_unit_directional(fmu->unit, &direction, derivative));
}

/* ---- saved states ---- */
static const char MARK[8] = {'P', 'H', 'X', 'S', 'T', 'A', 'T', '3'};
enum { HEAD = 24 };

static uint64_t check_sum(size_t size, const void *bytes)
{
    const unsigned char *from = bytes;
    uint64_t sum = UINT64_C(14695981039346656037);

    for (size_t k = 0; k < size; k++)
        sum = (sum ^ from[k]) * UINT64_C(1099511628211);
    return sum;
}

static uint64_t sum_of_token(const instance *fmu)
{
    const char *token = phx_unit_token(fmu->unit);
    return check_sum(strlen(token), token);
}

/* Writes or reads state, times and unit of the instance; a state of the other kind of FMU is refused. */
static void archive_instance(phx_archive *archive, instance *fmu)
{
    bool exchange = fmu->exchange;

    phx_archive_bool(archive, &exchange);
    if (exchange != fmu->exchange) {
        phx_archive_fail(archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT,
                                           "this is the state of an instance for %s",
                                           exchange ? "model exchange" : "co-simulation"));
        return;
    }
    phx_archive_int(archive, &fmu->state);
    phx_archive_double(archive, &fmu->start);
    phx_archive_double(archive, &fmu->last_time);
    phx_archive_int(archive, &fmu->last_step);
    phx_unit_archive(archive, fmu->unit);
}

static int no_memory(const instance *fmu)
{
    phx_instance_log(fmu, LOG_ERROR, "there is no memory for a state");
    return INSTANCE_ERROR;
}

static saved_state *new_state(size_t size)
{
    saved_state *state = calloc(1, sizeof *state);

    if (!state)
        return NULL;
    state->size = size;
    state->bytes = malloc(size + 1);
    if (state->bytes)
        return state;
    free(state);
    return NULL;
}

/* Writes the instance to *state, which is reused if its size fits, behind a mark and two check sums. */
int phx_instance_save(instance *fmu, saved_state **state)
{
    phx_archive *archive = NULL;
    size_t size = 0;
    phx_status status = phx_archive_create(phx_unit_context(fmu->unit), &archive);

    if (!status) {
        archive_instance(archive, fmu);
        status = phx_archive_status(archive);
    }
    if (status) {
        phx_archive_destroy(archive);
        return phx_instance_status(fmu, status);
    }
    const void *bytes = phx_archive_bytes(archive, &size);
    if (!*state || (*state)->size != HEAD + size) {
        phx_instance_free_state(*state);
        *state = new_state(HEAD + size);
    }
    if (*state) {
        const uint64_t sums[2] = {sum_of_token(fmu), check_sum(size, bytes)};
        memcpy((*state)->bytes, MARK, sizeof MARK);
        memcpy((*state)->bytes + sizeof MARK, sums, sizeof sums);
        memcpy((*state)->bytes + HEAD, bytes, size);
    }
    phx_archive_destroy(archive);
    return *state ? INSTANCE_OK : no_memory(fmu);
}

void phx_instance_free_state(saved_state *state)
{
    if (!state)
        return;
    free(state->bytes);
    free(state);
}

/* Whether the bytes are an intact state of this FMU, by mark and check sums; a message if not. */
static bool is_state(const instance *fmu, size_t size, const unsigned char *bytes)
{
    uint64_t sums[2];

    if (!bytes || size < HEAD || memcmp(bytes, MARK, sizeof MARK) != 0) {
        phx_instance_log(fmu, LOG_ERROR, "this is no state of an FMU of Phlexor");
        return false;
    }
    memcpy(sums, bytes + sizeof MARK, sizeof sums);
    if (sums[0] != sum_of_token(fmu)) {
        phx_instance_log(fmu, LOG_ERROR, "this is the state of another FMU");
        return false;
    }
    if (sums[1] != check_sum(size - HEAD, bytes + HEAD)) {
        phx_instance_log(fmu, LOG_ERROR, "this state is damaged: its check sum is wrong");
        return false;
    }
    return true;
}

/* Returns the instance to a saved state; it has failed if the state is only partly read. */
int phx_instance_restore(instance *fmu, const saved_state *state)
{
    phx_archive *archive = NULL;

    if (!state || !is_state(fmu, state->size, state->bytes))
        return INSTANCE_ERROR;
    phx_status status =
        phx_archive_open(phx_unit_context(fmu->unit), state->size - HEAD, state->bytes + HEAD, &archive);
    if (!status) {
        archive_instance(archive, fmu);
        status = phx_archive_status(archive);
    }
    phx_archive_destroy(archive);
    if (!phx_unit_stands(fmu->unit))
        fmu->state = STATE_FAILED;
    return phx_instance_status(fmu, status);
}

int phx_instance_take_bytes(instance *fmu, size_t size, const void *bytes, saved_state **state)
{
    if (!is_state(fmu, size, bytes))
        return INSTANCE_ERROR;
    phx_instance_free_state(*state);
    *state = new_state(size);
    if (!*state)
        return no_memory(fmu);
    memcpy((*state)->bytes, bytes, size);
    return INSTANCE_OK;
}
