/* State-space systems: creation, copies, names, questions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ss.h"

phx_ss_def phx_ss_def_default(void)
{
    return (phx_ss_def){0};
}

/* ---- creation ---- */
phx_status phx_ss_new(phx_context *context, const char *name, int n, int n_inputs, int n_outputs, phx_ss **system)
{
    phx_ss *made = phx_calloc(context, 1, sizeof *made);
    const size_t states = (size_t)n, inputs = (size_t)n_inputs, outputs = (size_t)n_outputs;

    *system = NULL;
    if (!made)
        return PHX_ERR_MEMORY;
    made->n = n;
    made->n_inputs = n_inputs;
    made->n_outputs = n_outputs;
    made->name = phx_strdup(context, name ? name : "system");
    made->A = phx_calloc(context, states * states, sizeof *made->A);
    made->B = phx_calloc(context, states * inputs, sizeof *made->B);
    made->C = phx_calloc(context, outputs * states, sizeof *made->C);
    made->D = phx_calloc(context, outputs * inputs, sizeof *made->D);
    made->states = phx_calloc(context, states, sizeof *made->states);
    made->inputs = phx_calloc(context, inputs, sizeof *made->inputs);
    made->outputs = phx_calloc(context, outputs, sizeof *made->outputs);
    if (!made->name || !made->A || !made->B || !made->C || !made->D || !made->states || !made->inputs ||
        !made->outputs) {
        phx_ss_destroy(made);
        return PHX_ERR_MEMORY;
    }
    *system = made;
    return PHX_OK;
}

static void ss_free_names(int count, char **names)
{
    for (int k = 0; names && k < count; k++)
        phx_free(names[k]);
    phx_free(names);
}

void phx_ss_destroy(phx_ss *system)
{
    if (!system)
        return;
    ss_free_names(system->n, system->states);
    ss_free_names(system->n_inputs, system->inputs);
    ss_free_names(system->n_outputs, system->outputs);
    phx_free(system->A);
    phx_free(system->B);
    phx_free(system->C);
    phx_free(system->D);
    phx_free(system->name);
    phx_free(system);
}

/* Writes `count` names as prefix.name with a suffix into `to`; without a list they are the letter and a number from 1.
 */
phx_status phx_ss_put_names(phx_context *context, int count, const char *const *names, const char *prefix, char letter,
                            const char *suffix, char **to)
{
    for (int k = 0; k < count; k++) {
        char number[16];
        snprintf(number, sizeof number, "%c%d", letter, k + 1);
        const char *name = names ? names[k] : number;
        if (!name || !*name)
            return phx_fail(context, PHX_ERR_ARGUMENT, "name %d of a list of signals or states is empty", k + 1);
        const size_t room = (prefix ? strlen(prefix) + 1 : 0) + strlen(name) + strlen(suffix) + 1;
        to[k] = phx_calloc(context, room, 1);
        if (!to[k])
            return PHX_ERR_MEMORY;
        snprintf(to[k], room, "%s%s%s%s", prefix ? prefix : "", prefix ? "." : "", name, suffix);
    }
    return PHX_OK;
}

static const char *signal_name(const phx_ss *system, int k)
{
    return k < system->n_inputs ? system->inputs[k] : system->outputs[k - system->n_inputs];
}

static phx_status ss_check_names(phx_context *context, const phx_ss *system)
{
    const int signals = system->n_inputs + system->n_outputs;

    for (int i = 0; i < signals; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(signal_name(system, i), signal_name(system, j)) == 0)
                return phx_fail(
                    context, PHX_ERR_ARGUMENT,
                    "system '%s' would have two signals '%s'; rename one, or prefix a copy of the system it "
                    "belongs to",
                    system->name, signal_name(system, i));
    return PHX_OK;
}

phx_status phx_ss_finish(phx_context *context, phx_status status, phx_ss *system, phx_ss **out)
{
    *out = NULL;
    if (!status)
        status = ss_check_names(context, system);
    if (status)
        phx_ss_destroy(system);
    else
        *out = system;
    return status;
}

static phx_status copy_matrix(phx_context *context, const phx_ss *system, char letter, int rows, int cols,
                              const double *from, double *to)
{
    const size_t count = (size_t)rows * (size_t)cols;

    for (size_t k = 0; from && k < count; k++) {
        if (!isfinite(from[k]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': %c(%d,%d) = %g; it must be finite", system->name,
                            letter, (int)k / cols, (int)k % cols, from[k]);
        to[k] = from[k];
    }
    return PHX_OK;
}

/* Creates x' = A x + B u, y = C x + D u from copies of the given matrices; missing names are x1, u1, y1 and so on. */
phx_status phx_ss_create(phx_context *context, const phx_ss_def *def, phx_ss **system)
{
    if (!def || !system)
        return phx_fail_null(context, __func__, "def or system");
    phx_ss *made = NULL;
    phx_status status = PHX_OK;

    *system = NULL;
    if (def->n < 0 || def->n_inputs < 0 || def->n_outputs < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "system '%s': %d states, %d inputs, %d outputs; none may be negative",
                        def->name ? def->name : "system", def->n, def->n_inputs, def->n_outputs);
    status = phx_ss_new(context, def->name, def->n, def->n_inputs, def->n_outputs, &made);
    if (!status)
        status = copy_matrix(context, made, 'A', def->n, def->n, def->A, made->A);
    if (!status)
        status = copy_matrix(context, made, 'B', def->n, def->n_inputs, def->B, made->B);
    if (!status)
        status = copy_matrix(context, made, 'C', def->n_outputs, def->n, def->C, made->C);
    if (!status)
        status = copy_matrix(context, made, 'D', def->n_outputs, def->n_inputs, def->D, made->D);
    if (!status)
        status = phx_ss_put_names(context, def->n, def->states, NULL, 'x', "", made->states);
    if (!status)
        status = phx_ss_put_names(context, def->n_inputs, def->inputs, NULL, 'u', "", made->inputs);
    if (!status)
        status = phx_ss_put_names(context, def->n_outputs, def->outputs, NULL, 'y', "", made->outputs);
    return phx_conclude(context, phx_ss_finish(context, status, made, system));
}

static phx_status copy_names(phx_context *context, int count, char *const *names, const char *prefix, char **to)
{
    return phx_ss_put_names(context, count, (const char *const *)names, prefix, 0, "", to);
}

/* Copies a system under a new name if given; a prefix is put before the names of states, inputs and outputs. */
phx_status phx_ss_duplicate(phx_context *context, const phx_ss *system, const char *name, const char *prefix,
                            phx_ss **copy)
{
    const size_t n = (size_t)system->n, m = (size_t)system->n_inputs, p = (size_t)system->n_outputs;
    phx_ss *made = NULL;
    phx_status status =
        phx_ss_new(context, name ? name : system->name, system->n, system->n_inputs, system->n_outputs, &made);

    if (!status) {
        memcpy(made->A, system->A, n * n * sizeof(double));
        memcpy(made->B, system->B, n * m * sizeof(double));
        memcpy(made->C, system->C, p * n * sizeof(double));
        memcpy(made->D, system->D, p * m * sizeof(double));
        status = copy_names(context, system->n, system->states, prefix, made->states);
    }
    if (!status)
        status = copy_names(context, system->n_inputs, system->inputs, prefix, made->inputs);
    if (!status)
        status = copy_names(context, system->n_outputs, system->outputs, prefix, made->outputs);
    if (status) {
        phx_ss_destroy(made);
        made = NULL;
    }
    *copy = made;
    return status;
}

phx_status phx_ss_copy(phx_context *context, const phx_ss *system, const char *name, const char *prefix, phx_ss **copy)
{
    if (!system || !copy)
        return phx_fail_null(context, __func__, "system or copy");
    phx_ss *made = NULL;
    phx_status status = phx_ss_duplicate(context, system, name, prefix, &made);

    return phx_conclude(context, phx_ss_finish(context, status, made, copy));
}

/* ---- questions ---- */
phx_ss_def phx_ss_definition(const phx_ss *system)
{
    if (!system)
        return phx_ss_def_default();
    return (phx_ss_def){.name = system->name,
                        .n = system->n,
                        .n_inputs = system->n_inputs,
                        .n_outputs = system->n_outputs,
                        .A = system->A,
                        .B = system->B,
                        .C = system->C,
                        .D = system->D,
                        .states = (const char *const *)system->states,
                        .inputs = (const char *const *)system->inputs,
                        .outputs = (const char *const *)system->outputs};
}

const char *phx_ss_name(const phx_ss *system)
{
    return system->name;
}

int phx_ss_n(const phx_ss *system)
{
    return system->n;
}

int phx_ss_inputs(const phx_ss *system)
{
    return system->n_inputs;
}

int phx_ss_outputs(const phx_ss *system)
{
    return system->n_outputs;
}

const double *phx_ss_A(const phx_ss *system)
{
    return system->A;
}

const double *phx_ss_B(const phx_ss *system)
{
    return system->B;
}

const double *phx_ss_C(const phx_ss *system)
{
    return system->C;
}

const double *phx_ss_D(const phx_ss *system)
{
    return system->D;
}

const char *phx_ss_state(const phx_ss *system, int k)
{
    return system->states[k];
}

const char *phx_ss_input(const phx_ss *system, int k)
{
    return system->inputs[k];
}

const char *phx_ss_output(const phx_ss *system, int k)
{
    return system->outputs[k];
}

static int find_name(int count, char *const *names, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return -1;
}

int phx_ss_find_input(const phx_ss *system, const char *name)
{
    return find_name(system->n_inputs, system->inputs, name);
}

int phx_ss_find_output(const phx_ss *system, const char *name)
{
    return find_name(system->n_outputs, system->outputs, name);
}

int phx_ss_find_channel(const phx_ss *system, const char *name)
{
    const int pairs = system->n_inputs < system->n_outputs ? system->n_inputs : system->n_outputs;
    const int k = find_name(pairs, system->inputs, name);

    return k >= 0 ? k : find_name(pairs, system->outputs, name);
}

/* Finds the numbers of named inputs or outputs, or of all if there is no list; unknown and repeated names are refused.
 * The caller frees the numbers also after a failure. */
phx_status phx_ss_pick(phx_context *context, const phx_ss *system, bool inputs, int *count, const char *const *names,
                       int **indices)
{
    const int all = inputs ? system->n_inputs : system->n_outputs;
    const char *kind = inputs ? "input" : "output";

    if (!names && *count == 0)
        *count = all;
    *indices = phx_calloc(context, (size_t)*count, sizeof **indices);
    if (!*indices)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < *count; k++) {
        const int at = !names ? k : find_name(all, inputs ? system->inputs : system->outputs, names[k]);
        (*indices)[k] = at;
        if (at < 0)
            return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s' has no %s '%s'%s%s", system->name, kind, names[k],
                            all ? "; its first is " : "; it has none",
                            all ? (inputs ? system->inputs[0] : system->outputs[0]) : "");
        for (int j = 0; j < k; j++)
            if ((*indices)[j] == at)
                return phx_fail(context, PHX_ERR_ARGUMENT, "system '%s': the %s '%s' is listed twice", system->name,
                                kind, names[k]);
    }
    return PHX_OK;
}
