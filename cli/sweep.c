/* Sweeps on the command line: name=from:to:count, and the threads that work on them. */
#include "cli.h"
#include "model/model.h"

#include <phlexor/study.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static phx_status malformed(phx_context *context, const char *text)
{
    return phx_fail(context, PHX_ERR_INPUT, "--sweep: expected name=from:to:count, found '%s'", text);
}

/* PHX_ERR_INPUT with the nearest name unless the model has the parameter or list. */
static phx_status parameter_of(phx_context *context, const phx_model *model, const char *name)
{
    int first;

    if (phx_model_find_parameters(model, name, &first) > 0)
        return PHX_OK;
    if (model->n_parameters == 0)
        return phx_fail(context, PHX_ERR_INPUT, "--sweep: %s has no parameters", model->path);
    return phx_fail(context, PHX_ERR_INPUT, "--sweep: %s has no parameter '%s'%s", model->path, name,
                    phx_model_parameter_hint(model, name).text);
}

/* `copy` is the text, to be cut into its parts. */
static phx_status add_sweep(phx_context *context, const phx_model *model, const char *text, char *copy,
                            phx_sweep *sweep)
{
    char *equals = strchr(copy, '='), *first = equals ? strchr(equals, ':') : NULL;
    char *second = first ? strchr(first + 1, ':') : NULL, *end = NULL;
    double from = 0.0, to = 0.0;

    if (!second || equals == copy)
        return malformed(context, text);
    *equals = *first = *second = '\0';
    const long count = strtol(second + 1, &end, 10);
    if (end == second + 1 || *end || count < 1 || count > INT_MAX)
        return phx_fail(context, PHX_ERR_INPUT, "--sweep: expected a count from 1 to %d at the end of '%s', found '%s'",
                        INT_MAX, text, second + 1);
    phx_status status = parameter_of(context, model, copy);
    if (!status)
        status = phx_model_evaluate(context, model, "--sweep", equals + 1, &from);
    if (!status)
        status = phx_model_evaluate(context, model, "--sweep", first + 1, &to);
    if (!status)
        status = phx_sweep_add_range(sweep, copy, from, to, (int)count);
    return status == PHX_ERR_ARGUMENT ? PHX_ERR_INPUT : status;
}

phx_status cli_make_sweep(phx_context *context, const phx_model *model, const cli_list *list, phx_sweep **sweep)
{
    phx_status status = phx_sweep_create(context, sweep);
    for (int k = 0; k < list->count && !status; k++) {
        char *copy = phx_strdup(context, list->items[k]);
        status = copy ? add_sweep(context, model, list->items[k], copy, *sweep) : PHX_ERR_MEMORY;
        phx_free(copy);
    }
    return status;
}

int cli_agree(phx_context *context, const phx_run_size *size, bool yes, const char *remedy)
{
    char text[200];

    if (yes || !size->large)
        return -1;
    snprintf(text, sizeof text, "take %s, or go on with --yes", remedy);
    cli_failed(context, phx_run_size_refuse(context, size, text));
    return EXIT_USAGE;
}

int cli_threads(int given)
{
    return given == 0 ? phx_processors() : given < PHX_ORDERED_MAP_LARGEST ? given : PHX_ORDERED_MAP_LARGEST;
}
