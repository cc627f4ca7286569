#define _POSIX_C_SOURCE 200809L
/* From a model to an FMU: the system with its start state, inputs and outputs as bytes, the descriptions, the archive.
 */
#include "internal.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

phx_fmu_options phx_fmu_options_default(void)
{
    return (phx_fmu_options){.version = 3, .kind = PHX_FMU_CO_SIMULATION, .simulate = phx_simulate_options_default()};
}

/* An FMU in the making. */
typedef struct making {
    phx_context *context;
    const phx_model *model;
    const phx_fmu_options *options;
    phx_system *system;
    phx_unit_def def;
    phx_tunables tunables;
    char (*renamed)[96]; /* n_parameters: names of those whose own another variable has */
    char **listed;       /* names of the inputs that the model has; NULL: they are given */
    int n_listed;
    char token[48], identifier[80];
    size_t size;
    void *bytes; /* of the unit */
    phx_unit *unit;
} making;

/* ---- names ---- */
static phx_status check_identifier(phx_context *context, const char *name)
{
    bool good = isalpha((unsigned char)*name) || *name == '_';

    for (const char *c = name; *c; c++)
        good = good && (isalnum((unsigned char)*c) || *c == '_');
    if (good && strlen(name) < sizeof((making *)0)->identifier)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_INPUT,
                    "the model identifier %s: expected up to %zu letters, digits and '_', no digit first",
                    phx_shown_text(name).text, sizeof((making *)0)->identifier - 1);
}

/* Of the name of the file: what is no letter or digit becomes '_'. */
static phx_status make_identifier(making *m, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    size_t n = 0;

    if (m->options->identifier) {
        const phx_status status = check_identifier(m->context, m->options->identifier);
        snprintf(m->identifier, sizeof m->identifier, "%s", m->options->identifier);
        return status;
    }
    if (length == 0 || isdigit((unsigned char)*name))
        m->identifier[n++] = '_';
    for (size_t k = 0; k < length && n + 1 < sizeof m->identifier; k++)
        m->identifier[n++] = (char)(isalnum((unsigned char)name[k]) ? name[k] : '_');
    m->identifier[n] = '\0';
    return PHX_OK;
}

/* ---- inputs and outputs ---- */
static phx_status choose_inputs(making *m)
{
    phx_unit_def *def = &m->def;
    phx_status status = PHX_OK;

    if (m->options->inputs) {
        def->n_inputs = m->options->n_inputs;
        def->inputs = (char **)m->options->inputs; /* is only read */
    } else {
        status = phx_system_list_inputs(m->system, &m->n_listed, &m->listed);
        def->n_inputs = m->n_listed;
        def->inputs = m->listed;
    }
    def->places = status ? NULL : phx_calloc(m->context, (size_t)def->n_inputs, sizeof *def->places);
    if (!status && !def->places)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < def->n_inputs && !status; i++) {
        for (int j = 0; j < i && !status; j++)
            if (!strcmp(def->inputs[i], def->inputs[j]))
                status = phx_fail(m->context, PHX_ERR_INPUT, "the input '%s' is listed twice", def->inputs[i]);
        if (!status)
            status = phx_system_find_input(m->system, def->inputs[i], &def->places[i]);
    }
    return status;
}

/* ---- parameters ---- */
/* A start in equilibrium follows all loads: an FMU, which does not search for it, has no parameters then. */
static phx_status choose_parameters(making *m)
{
    const phx_fmu_options *options = m->options;
    const phx_start_options start = phx_start_of(m->model);
    const bool equilibrium = start.quasi_static || start.equilibrium;

    if (equilibrium && options->parameters && options->n_parameters > 0)
        return phx_model_fail(m->context, m->model, &m->model->initial, PHX_ERR_UNSUPPORTED,
                              "the mechanism starts in an equilibrium, which would follow parameter '%s'; leave out "
                              "the parameters, or start with 'deformation: zero' and without 'equilibrium'",
                              options->parameters[0]);
    if (equilibrium || (options->parameters && options->n_parameters == 0))
        return PHX_OK;
    return phx_tunables_create(m->context, m->model, options->n_parameters, options->parameters, &m->tunables);
}

/* Names, places and start values of the tunable parameters; texts stay the model's. */
static phx_status describe_parameters(making *m)
{
    const size_t n = (size_t)m->tunables.count;
    phx_unit_def *def = &m->def;

    def->parameters = phx_calloc(m->context, n, sizeof *def->parameters);
    def->parameter_places = phx_calloc(m->context, n, sizeof *def->parameter_places);
    if (!def->parameters || !def->parameter_places)
        return PHX_ERR_MEMORY;
    def->n_parameters = m->tunables.count;
    def->parameter_starts = m->tunables.values;
    for (int k = 0; k < m->tunables.count; k++) {
        const phx_tunable *tunable = &m->tunables.items[k];
        def->parameters[k] = (char *)m->model->parameters[tunable->parameter].name; /* are only read */
        def->parameter_places[k] = (char *)tunable->where;
    }
    return PHX_OK;
}

static void column_name(const making *m, int k, size_t size, char *name)
{
    const int n = phx_system_columns(m->system);

    if (k < n)
        phx_system_column_name(m->system, k, name, size);
    else
        (void)phx_system_controller_column(m->system, k - n, name, size);
}

/* Whether a column is the one of this name, or a component of the output of it. */
static bool is_named(const char *column, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(column, name, length) && (column[length] == '\0' || column[length] == '.');
}

/* PHX_ERR_INPUT for an output that the model lacks, with the nearest name. */
static phx_status unknown_output(const making *m, const char *name)
{
    phx_nearest nearest = phx_nearest_to(name);
    const int n = phx_system_columns(m->system) + phx_system_controller_columns(m->system);
    char **names = phx_calloc(m->context, (size_t)n, sizeof *names);

    for (int k = 0; k < n && names; k++) {
        char column[320];
        column_name(m, k, sizeof column, column);
        names[k] = phx_strdup(m->context, column);
        if (names[k])
            phx_nearest_offer(&nearest, names[k]);
    }
    const phx_status status = phx_fail(m->context, PHX_ERR_INPUT, "there is no output '%s' in the model%s", name,
                                       phx_nearest_hint(&nearest).text);
    for (int k = 0; k < n && names; k++)
        phx_free(names[k]);
    phx_free(names);
    return status;
}

/* Columns of the chosen outputs, all without a choice; an output without a column fails. */
static phx_status choose_outputs(making *m)
{
    const int n = phx_system_columns(m->system) + phx_system_controller_columns(m->system);
    const phx_fmu_options *options = m->options;
    phx_unit_def *def = &m->def;
    char column[320];

    def->outputs = phx_calloc(m->context, (size_t)n, sizeof *def->outputs);
    if (!def->outputs)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        bool wanted = !options->outputs;
        column_name(m, k, sizeof column, column);
        for (int i = 0; i < options->n_outputs && options->outputs && !wanted; i++)
            wanted = is_named(column, options->outputs[i]);
        if (wanted)
            def->outputs[def->n_outputs++] = k;
    }
    for (int i = 0; i < options->n_outputs && options->outputs; i++) {
        bool found = false;
        for (int k = 0; k < n && !found; k++) {
            column_name(m, k, sizeof column, column);
            found = is_named(column, options->outputs[i]);
        }
        if (!found)
            return unknown_output(m, options->outputs[i]);
    }
    return PHX_OK;
}

/* ---- start state, bytes ---- */
static phx_status export_settle(making *m)
{
    phx_simulate_options used = m->options->simulate;

    if (!used.end.given && !m->model->simulate.end.given)
        used.end = (phx_model_optional){.given = true, .value = 1.0}; /* the master says how far */
    used.every = (phx_model_optional){.given = true, .value = 0.0};
    phx_status status = phx_simulation_settle(m->context, m->model, &used, &m->def.options);
    if (!status && !(m->def.options.step > 0.0) && !(m->def.options.rtol > 0.0))
        status = phx_model_fail(m->context, m->model, &m->model->simulate, PHX_ERR_INPUT,
                                "an FMU needs the length of its steps: give simulate: {step: ...} or --step");
    if (!status && m->model->initial.from)
        status = phx_model_fail(m->context, m->model, &m->model->initial, PHX_ERR_UNSUPPORTED,
                                "an FMU begins at the start state of the model, not at the end of a result");
    return status;
}

static phx_status find_start(making *m)
{
    const phx_start_options start = phx_start_of(m->model);
    phx_unit_def *def = &m->def;

    def->x = phx_calloc(m->context, (size_t)phx_system_n_x(m->system), sizeof *def->x);
    def->v = phx_calloc(m->context, (size_t)phx_system_n_v(m->system), sizeof *def->v);
    def->lambda = phx_calloc(m->context, (size_t)phx_system_n_l(m->system), sizeof *def->lambda);
    if (!def->x || !def->v || !def->lambda)
        return PHX_ERR_MEMORY;
    return phx_model_blame(m->context, m->model, phx_system_start(m->system, &start, def->x, def->v, def->lambda));
}

static uint64_t mix(uint64_t sum, size_t size, const void *bytes)
{
    const unsigned char *from = bytes;
    for (size_t k = 0; k < size; k++)
        sum = (sum ^ from[k]) * UINT64_C(1099511628211);
    return sum;
}

/* A token that another mechanism has not: made of the bytes, so that the same model has the same one. */
static void make_token(making *m)
{
    const uint64_t a = mix(UINT64_C(14695981039346656037), m->size, m->bytes);
    const uint64_t b = mix(a ^ (uint64_t)m->options->version, strlen(m->identifier), m->identifier);

    snprintf(m->token, sizeof m->token, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(a >> 32),
             (unsigned)(a >> 16) & 0xffff, (unsigned)a & 0xffff, (unsigned)(b >> 48),
             (unsigned long long)(b & UINT64_C(0xffffffffffff)));
}

/* Writes the unit twice, for the token is a check sum of its bytes without it, and reads it back as a test. */
static phx_status write_unit(making *m)
{
    phx_status status = PHX_OK;

    phx_unit_destroy(m->unit);
    m->unit = NULL;
    for (int pass = 0; pass < 2 && !status; pass++) { /* without the token, then with it */
        m->def.token = pass ? m->token : NULL;
        phx_free(m->bytes);
        m->bytes = NULL;
        status = phx_unit_write(m->context, m->system, &m->def, &m->size, &m->bytes);
        if (!status && pass == 0)
            make_token(m);
    }
    m->def.token = NULL;
    if (!status) {
        status = phx_unit_create(m->size, m->bytes, NULL, NULL, &m->unit);
        if (status && m->unit)
            status = phx_fail(m->context, status, "%s", phx_context_message(phx_unit_context(m->unit)));
    }
    return status;
}

/* A parameter with the name of another variable is parameters.NAME; whether there is one. */
static phx_status rename_parameters(making *m, bool *any)
{
    const int first = phx_unit_first_parameter(m->unit);
    phx_variable one, other;

    *any = false;
    m->renamed = phx_calloc(m->context, (size_t)m->def.n_parameters, sizeof *m->renamed);
    if (!m->renamed)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < m->def.n_parameters; k++) {
        bool taken = false;
        phx_unit_variable(m->unit, first + k, &one);
        for (int i = 0; i < first && !taken; i++) {
            phx_unit_variable(m->unit, i, &other);
            taken = strcmp(one.name, other.name) == 0;
        }
        if (!taken)
            continue;
        snprintf(m->renamed[k], sizeof m->renamed[k], "parameters.%.80s", one.name);
        m->def.parameters[k] = m->renamed[k];
        *any = true;
    }
    return PHX_OK;
}

/* Completes the definition with events, step and kind, writes the unit, and once more if parameters had to be
 * renamed. */
static phx_status make_unit(making *m)
{
    bool renamed = false;

    phx_integrate_options looks = m->def.options;
    looks.every = m->model->simulate.every.value;
    m->def.interval = phx_events_interval(&looks, 0.0);
    m->def.n_events = m->model->n_events;
    m->def.spectral_radius = m->model->simulate.spectral_radius;
    m->def.steps = (m->options->kind & PHX_FMU_CO_SIMULATION) != 0;
    m->def.exchange = (m->options->kind & PHX_FMU_MODEL_EXCHANGE) != 0;
    phx_status status = phx_events_of_model(m->context, m->model, m->system, &m->def.events);
    if (!status)
        status = write_unit(m);
    if (!status)
        status = rename_parameters(m, &renamed);
    return status || !renamed ? status : write_unit(m);
}

/* Frees all that the export allocated; texts of the model stay. */
static void free_making(making *m)
{
    phx_unit_destroy(m->unit);
    for (int i = 0; i < m->n_listed; i++)
        phx_free(m->listed[i]);
    phx_free(m->listed);
    phx_free(m->def.places);
    phx_free(m->renamed);
    phx_free(m->def.parameters);
    phx_free(m->def.parameter_places);
    phx_free(m->def.outputs);
    phx_free(m->def.events);
    phx_free(m->def.x);
    phx_free(m->def.v);
    phx_free(m->def.lambda);
    phx_free(m->bytes);
    phx_system_destroy(m->system);
    phx_tunables_free(&m->tunables);
}

/* ---- the archive ---- */
static const char license_text[] =
    "This FMU was made by Phlexor, which is under the MIT licence. Its shared object contains, linked statically:\n\n"
    "  LAPACK, LAPACKE, BLAS (reference)    BSD, https://netlib.org/lapack\n"
    "  KLU, BTF (SuiteSparse)               LGPL 2.1 or later, https://github.com/DrTimothyAldenDavis/SuiteSparse\n"
    "  AMD, COLAMD (SuiteSparse)            BSD\n"
    "  SUNDIALS IDAS                        BSD\n"
    "  ARPACK-NG                            BSD\n\n"
    "Whoever hands the FMU on may exchange KLU and BTF: the target phx_fmu_runtime of Phlexor's sources links the\n"
    "object anew with any version of them.\n";

#if defined __aarch64__
#define PLATFORM2 "linux64" /* FMI 2.0 has no name for it */
#define PLATFORM3 "aarch64-linux"
#else
#define PLATFORM2 "linux64"
#define PLATFORM3 "x86_64-linux"
#endif

typedef void put_fn(FILE *stream, const phx_fmu_description *description);

static phx_status print(phx_context *context, put_fn *put, const phx_fmu_description *description, char **text,
                        size_t *size)
{
    FILE *stream = open_memstream(text, size);

    if (!stream)
        return phx_fail(context, PHX_ERR_MEMORY, "out of memory for the description of an FMU");
    put(stream, description);
    return fclose(stream) ? phx_fail(context, PHX_ERR_MEMORY, "out of memory for the description of an FMU") : PHX_OK;
}

/* Writes description, shared object, mechanism, documentation and, in FMI 3 with inputs, terminals to one archive. */
static phx_status write_archive(making *m, const char *path)
{
    const bool third = m->options->version == 3;
    const phx_integrate_options *options = &m->def.options;
    const bool given = m->options->simulate.end.given || m->model->simulate.end.given;
    double next = 0.0;
    const phx_fmu_description description = {.unit = m->unit,
                                             .identifier = m->identifier,
                                             .name = m->identifier,
                                             .text = m->model->title ? m->model->title : "",
                                             .token = m->token,
                                             .stop = given ? options->end : 0.0,
                                             .step = options->step,
                                             .events = phx_unit_next_event(m->unit, &next)};
    char *texts[3] = {NULL, NULL, NULL}, library[160];
    size_t sizes[3] = {0, 0, 0}, size = 0;
    const unsigned char *runtime = NULL;
    phx_status status = PHX_OK;

    (void)phx_fmu_runtime(&runtime, &size);
    snprintf(library, sizeof library, "binaries/%s/%s.so", third ? PLATFORM3 : PLATFORM2, m->identifier);
    put_fn *const put[3] = {third ? phx_fmu_put_description3 : phx_fmu_put_description2, phx_fmu_put_index,
                            third ? phx_fmu_put_terminals : NULL};
    for (int k = 0; k < 3 && !status; k++)
        if (put[k])
            status = print(m->context, put[k], &description, &texts[k], &sizes[k]);
    const phx_zip_entry entries[] = {
        {"modelDescription.xml", sizes[0], texts[0]},
        {library, size, runtime},
        {"resources/mechanism.phx", m->size, m->bytes},
        {"documentation/index.html", sizes[1], texts[1]},
        {"documentation/licenses/license.txt", sizeof license_text - 1, license_text},
        {"terminalsAndIcons/terminalsAndIcons.xml", sizes[2], texts[2]},
    };
    if (!status)
        status = phx_zip_write(m->context, path, third && m->def.n_inputs > 0 ? 6 : 5, entries);
    for (int k = 0; k < 3; k++)
        free(texts[k]);
    return status;
}

/* Variables of an FMU have different names. */
static phx_status export_check_names(const making *m)
{
    const int n = phx_unit_variables(m->unit);
    phx_variable one, other;

    for (int k = 0; k < n; k++) {
        phx_unit_variable(m->unit, k, &one);
        for (int i = 0; i < k; i++) {
            phx_unit_variable(m->unit, i, &other);
            if (!strcmp(one.name, other.name))
                return phx_fail(m->context, PHX_ERR_INPUT,
                                "two variables of the FMU would have the name '%s'; call the output of the model "
                                "otherwise, or leave it out",
                                one.name);
        }
    }
    return PHX_OK;
}

/* ---- the whole ---- */
static phx_status export_check_options(phx_context *context, const phx_fmu_options *options)
{
    const unsigned char *bytes = NULL;
    size_t size = 0;

    if (options->version != 2 && options->version != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "version %d of the FMI: expected 2 or 3", options->version);
    if ((int)options->kind < PHX_FMU_CO_SIMULATION || (int)options->kind > PHX_FMU_BOTH)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the kind of an FMU is %d; expected one of phx_fmu_kind",
                        (int)options->kind);
    if (!phx_fmu_runtime(&bytes, &size))
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "this build has no shared object for FMUs: the static libraries for it were missing (cmake "
                        "-D PHX_FMU=ON says which)");
    return PHX_OK;
}

static phx_status size_of_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    long end = -1;

    if (file && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (file)
        (void)fclose(file);
    *size = end > 0 ? (size_t)end : 0;
    return PHX_OK;
}

static int count_outputs(const phx_unit *unit)
{
    int count = 0;
    phx_variable variable;

    for (int k = 0; k < phx_unit_variables(unit); k++) {
        phx_unit_variable(unit, k, &variable);
        count += variable.kind == PHX_VARIABLE_OUTPUT;
    }
    return count;
}

/* Builds the system, chooses parameters, inputs and outputs, finds the start, and writes the FMU with its report. */
static phx_status export_model(making *m, const char *path, phx_fmu_report *report)
{
    phx_status status = make_identifier(m, path);

    if (!status)
        status = export_settle(m);
    if (!status)
        status = choose_parameters(m);
    if (!status)
        status = describe_parameters(m);
    if (!status)
        status =
            phx_model_build_open(m->context, m->model, NULL, m->tunables.count > 0 ? &m->tunables : NULL, &m->system);
    if (!status)
        status = phx_system_find_breaks(m->system, 0.0, m->def.options.end);
    if (!status)
        status = phx_start_judge(m->context, m->model, m->system, true);
    if (!status)
        status = choose_inputs(m);
    if (!status)
        status = choose_outputs(m);
    if (!status)
        status = find_start(m);
    if (!status)
        status = make_unit(m);
    if (!status)
        status = export_check_names(m);
    if (!status)
        status = write_archive(m, path);
    if (status || !report)
        return status;
    *report = (phx_fmu_report){.inputs = m->def.n_inputs,
                               .outputs = count_outputs(m->unit),
                               .parameters = m->def.n_parameters,
                               .states = phx_unit_states(m->unit),
                               .step = m->def.options.step};
    snprintf(report->token, sizeof report->token, "%s", m->token);
    return size_of_file(path, &report->bytes);
}

/* Writes the model as an FMU; `path` must not be a file that the model reads. */
phx_status phx_fmu_export(phx_context *context, const phx_model *model, const phx_fmu_options *given, const char *path,
                          phx_fmu_report *report)
{
    if (!model || !path)
        return phx_fail_null(context, __func__, "model or path");
    const phx_fmu_options options = given ? *given : phx_fmu_options_default();
    making m = {.context = context, .model = model, .options = &options};
    phx_status status = export_check_options(context, &options);

    phx_files_begin(context);
    if (!status)
        status = phx_model_protect(context, model);
    if (!status)
        status = export_model(&m, path, report);
    free_making(&m);
    phx_files_end(context);
    return phx_conclude(context, status);
}
