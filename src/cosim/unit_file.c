/* The file of a unit:  mark | version | check sum of the rest | archive of definition and system. */
#include "unit.h"

#include <stdint.h>
#include <string.h>

static const char MARK[8] = {'P', 'H', 'X', 'U', 'N', 'I', 'T', '\n'};
enum { VERSION = 8, HEAD = 24 };

/* FNV-1a */
static uint64_t check_sum(size_t size, const unsigned char *bytes)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < size; k++)
        sum = (sum ^ bytes[k]) * UINT64_C(1099511628211);
    return sum;
}

/* Where a file says by which library it was made: another one may lay its numbers out otherwise. */
static uint64_t version_of(void)
{
    const char *version = phx_version();
    return check_sum(strlen(version), (const unsigned char *)version) ^ VERSION;
}

/* A new option changes the size: it is written here too. */
_Static_assert(sizeof(void *) != 8 || sizeof(phx_integrate_options) == 80, "write the new option here");

static void archive_options(phx_archive *archive, phx_integrate_options *options)
{
    int integrator = (int)options->integrator;

    phx_archive_choice(archive, PHX_INTEGRATORS - 1, &integrator);
    options->integrator = (phx_integrator)integrator;
    double *const numbers[] = {&options->end,    &options->step, &options->every,
                               &options->rtol,   &options->atol, &options->newton_tolerance,
                               &options->aligned};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_archive_int(archive, &options->max_halvings);
    phx_archive_int(archive, &options->iterations);
}

/* Writes or reads names and places of the inputs; on reading their arrays are allocated. */
static void archive_inputs(phx_archive *archive, phx_unit_def *def)
{
    phx_context *context = phx_archive_context(archive);

    phx_archive_count(archive, &def->n_inputs);
    if (phx_archive_reads(archive)) {
        def->inputs = phx_calloc(context, (size_t)def->n_inputs, sizeof *def->inputs);
        def->places = phx_calloc(context, (size_t)def->n_inputs, sizeof *def->places);
        if (!def->inputs || !def->places) {
            phx_archive_fail(archive, PHX_ERR_MEMORY);
            return;
        }
    }
    for (int i = 0; i < def->n_inputs && !phx_archive_status(archive); i++) {
        phx_archive_text(archive, &def->inputs[i]);
        phx_archive_int(archive, &def->places[i].joint);
        phx_archive_int(archive, &def->places[i].force);
        phx_archive_int(archive, &def->places[i].component);
        phx_archive_bool(archive, &def->places[i].speed);
    }
}

/* Writes or reads names, places and start values of the parameters; damaged ones fail the archive. */
static void archive_parameters(phx_archive *archive, phx_unit_def *def)
{
    phx_context *context = phx_archive_context(archive);

    phx_archive_count(archive, &def->n_parameters);
    const size_t n = (size_t)def->n_parameters;
    if (phx_archive_reads(archive)) {
        def->parameters = phx_calloc(context, n, sizeof *def->parameters);
        def->parameter_places = phx_calloc(context, n, sizeof *def->parameter_places);
        def->parameter_values = phx_calloc(context, n, sizeof *def->parameter_values);
        if (!def->parameters || !def->parameter_places || !def->parameter_values) {
            phx_archive_fail(archive, PHX_ERR_MEMORY);
            return;
        }
    }
    phx_archive_double_array(archive, n, &def->parameter_starts);
    for (int k = 0; k < def->n_parameters && !phx_archive_status(archive); k++) {
        phx_archive_text(archive, &def->parameters[k]);
        phx_archive_text(archive, &def->parameter_places[k]);
    }
    if (phx_archive_status(archive))
        return;
    bool named = true;
    for (int k = 0; k < def->n_parameters; k++)
        named = named && def->parameters[k];
    if (!named || (def->n_parameters > 0 && !def->parameter_starts))
        phx_archive_fail(archive, phx_fail(context, PHX_ERR_INPUT, "the parameters of the mechanism are damaged"));
    else if (phx_archive_reads(archive) && n > 0)
        memcpy(def->parameter_values, def->parameter_starts, n * sizeof *def->parameter_values);
}

static void archive_names(phx_archive *archive, int *count, char ***names)
{
    phx_archive_count(archive, count);
    if (phx_archive_reads(archive)) {
        *names = phx_calloc(phx_archive_context(archive), (size_t)*count, sizeof **names);
        if (!*names) {
            *count = 0;
            phx_archive_fail(archive, PHX_ERR_MEMORY);
        }
    }
    for (int k = 0; k < *count && !phx_archive_status(archive); k++)
        phx_archive_text(archive, &(*names)[k]);
}

static bool is_named(const phx_event *event)
{
    bool named = event->name && (event->joints || event->n_attach + event->n_release + event->n_undrive == 0);

    for (int k = 0; k < event->n_on; k++)
        named = named && event->on[k];
    for (int k = 0; k < event->n_off; k++)
        named = named && event->off[k];
    return named;
}

/* Writes or reads an event: condition, joints to attach, release and free, forces to switch on and off. */
static void archive_event(phx_archive *archive, phx_event *event)
{
    int column = event->column + 1;

    phx_archive_text(archive, &event->name);
    phx_archive_count(archive, &column);
    event->column = column - 1;
    phx_archive_bool(archive, &event->falls);
    phx_archive_double(archive, &event->value);
    int *const counts[] = {&event->n_attach, &event->n_release, &event->n_undrive};
    size_t joints = 0;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        phx_archive_count(archive, counts[k]);
        joints += (size_t)*counts[k];
    }
    phx_archive_int_array(archive, joints, &event->joints);
    archive_names(archive, &event->n_on, &event->on);
    archive_names(archive, &event->n_off, &event->off);
    if (!phx_archive_status(archive) && !is_named(event))
        phx_archive_fail(
            archive, phx_fail(phx_archive_context(archive), PHX_ERR_INPUT, "the events of the mechanism are damaged"));
}

static void archive_events(phx_archive *archive, phx_unit_def *def)
{
    phx_archive_count(archive, &def->n_events);
    if (phx_archive_reads(archive)) {
        def->events = phx_calloc(phx_archive_context(archive), (size_t)def->n_events, sizeof *def->events);
        if (!def->events) {
            def->n_events = 0;
            phx_archive_fail(archive, PHX_ERR_MEMORY);
        }
    }
    for (int k = 0; k < def->n_events && !phx_archive_status(archive); k++)
        archive_event(archive, &def->events[k]);
    phx_archive_double(archive, &def->interval);
}

/* `sizes`: n_x, n_v, n_l. */
static void archive_def(phx_archive *archive, int sizes[3], phx_unit_def *def)
{
    phx_archive_text(archive, &def->token);
    phx_archive_double(archive, &def->t);
    for (int k = 0; k < 3; k++)
        phx_archive_count(archive, &sizes[k]);
    phx_archive_double_array(archive, (size_t)sizes[0], &def->x);
    phx_archive_double_array(archive, (size_t)sizes[1], &def->v);
    phx_archive_double_array(archive, (size_t)sizes[2], &def->lambda);
    archive_options(archive, &def->options);
    archive_inputs(archive, def);
    archive_parameters(archive, def);
    phx_archive_count(archive, &def->n_outputs);
    phx_archive_int_array(archive, (size_t)def->n_outputs, &def->outputs);
    archive_events(archive, def);
    phx_archive_double(archive, &def->spectral_radius);
    phx_archive_bool(archive, &def->steps);
    phx_archive_bool(archive, &def->exchange);
}

/* Copies the archive behind mark, version and check sum; the caller frees the bytes. */
static phx_status take_bytes(phx_context *context, const phx_archive *archive, size_t *size, void **bytes)
{
    const unsigned char *from = phx_archive_bytes(archive, size);
    const uint64_t numbers[2] = {version_of(), check_sum(*size, from)};
    unsigned char *to = phx_calloc(context, HEAD + *size, 1);

    if (!to)
        return PHX_ERR_MEMORY;
    memcpy(to, MARK, sizeof MARK);
    memcpy(to + sizeof MARK, numbers, sizeof numbers);
    memcpy(to + HEAD, from, *size);
    *size += HEAD;
    *bytes = to;
    return PHX_OK;
}

/* The bytes of a unit: mark, version, check sum, definition, finalised system; the caller frees them. */
phx_status phx_unit_write(phx_context *context, const phx_system *system, const phx_unit_def *def, size_t *size,
                          void **bytes)
{
    phx_archive *archive = NULL;
    phx_unit_def own = *def;
    int sizes[3] = {phx_system_n_x(system), phx_system_n_v(system), phx_system_n_l(system)};
    phx_status status = phx_archive_create(context, &archive);

    *bytes = NULL;
    if (!status) {
        archive_def(archive, sizes, &own);
        status = phx_archive_status(archive);
    }
    if (!status)
        status = phx_system_write(system, archive);
    if (!status)
        status = take_bytes(context, archive, size, bytes);
    phx_archive_destroy(archive);
    return status;
}

/* PHX_ERR_INPUT unless mark, version and check sum of the bytes are right. */
static phx_status check_head(phx_context *context, size_t size, const unsigned char *bytes)
{
    uint64_t numbers[2];

    if (size < HEAD || memcmp(bytes, MARK, sizeof MARK) != 0)
        return phx_fail(context, PHX_ERR_INPUT, "the resources of this FMU hold no mechanism of Phlexor");
    memcpy(numbers, bytes + sizeof MARK, sizeof numbers);
    if (numbers[0] != version_of())
        return phx_fail(context, PHX_ERR_INPUT,
                        "the mechanism in the resources was written by another version than the shared object, %s",
                        phx_version());
    if (numbers[1] != check_sum(size - HEAD, bytes + HEAD))
        return phx_fail(context, PHX_ERR_INPUT, "the mechanism in the resources is damaged: its check sum is wrong");
    return PHX_OK;
}

/* Reads definition and system from the bytes of phx_unit_write; expressions of the system refer to
 * def->parameter_values. */
phx_status phx_unit_read(phx_context *context, size_t size, const void *bytes, phx_unit_def *def, phx_system **system)
{
    phx_archive *archive = NULL;
    int sizes[3] = {0, 0, 0};
    phx_status status = check_head(context, size, bytes);

    *def = (phx_unit_def){0};
    if (!status)
        status = phx_archive_open(context, size - HEAD, (const unsigned char *)bytes + HEAD, &archive);
    if (!status) {
        archive_def(archive, sizes, def);
        status = phx_archive_status(archive);
    }
    if (!status) {
        phx_archive_take_parameters(archive, def->n_parameters, def->parameter_values);
        status = phx_system_read(context, archive, system);
    }
    phx_archive_destroy(archive);
    return status;
}

static void unit_file_free_names(int count, char **names)
{
    for (int k = 0; k < count && names; k++)
        phx_free(names[k]);
    phx_free(names);
}

static void free_events(phx_unit_def *def)
{
    for (int k = 0; k < def->n_events && def->events; k++) {
        phx_event *event = &def->events[k];
        phx_free(event->name);
        phx_free(event->joints);
        unit_file_free_names(event->n_on, event->on);
        unit_file_free_names(event->n_off, event->off);
    }
    phx_free(def->events);
}

/* Frees names, events and arrays of a definition that was read, and clears it. */
void phx_unit_def_free(phx_unit_def *def)
{
    unit_file_free_names(def->n_inputs, def->inputs);
    unit_file_free_names(def->n_parameters, def->parameters);
    unit_file_free_names(def->n_parameters, def->parameter_places);
    free_events(def);
    phx_free(def->parameter_starts);
    phx_free(def->parameter_values);
    phx_free(def->places);
    phx_free(def->token);
    phx_free(def->x);
    phx_free(def->v);
    phx_free(def->lambda);
    phx_free(def->outputs);
    *def = (phx_unit_def){0};
}
