/* The rows of a recorder that stay in memory, and the result made of them. */
#include "attributes.h"
#include "recorder.h"
#include "result.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 256 };

phx_status phx_recorder_keep(phx_recorder *recorder, const double *row, const double *x, const double *v)
{
    const size_t rows = recorder->stats.rows, room = recorder->kept.capacity ? 2 * rows : FIRST_ROWS;
    if (rows == recorder->kept.capacity) {
        double *kept = phx_realloc(recorder->context, recorder->kept.values, room, recorder->width * sizeof *kept);
        if (!kept)
            return PHX_ERR_MEMORY;
        recorder->kept.values = kept;
        recorder->kept.capacity = room;
    }
    phx_recorder_lay_out(recorder, row, x, v, recorder->kept.values + rows * recorder->width);
    return PHX_OK;
}

/* ---- attributes ---- */
static int recorder_keep_compare_names(const void *a, const void *b)
{
    return strcmp(((const phx_attribute *)a)->name, ((const phx_attribute *)b)->name);
}

static phx_status recorder_keep_add(phx_recorder *recorder, const phx_attribute *from)
{
    phx_attribute *to = &recorder->kept.attributes[recorder->kept.n_attributes++];
    to->number = from->number;
    to->name = phx_strdup(recorder->context, from->name);
    to->text = from->text ? phx_strdup(recorder->context, from->text) : NULL;
    return to->name && (!from->text || to->text) ? PHX_OK : PHX_ERR_MEMORY;
}

/* Makes the attributes of the result in memory from the recorder's own, those of the run and those of its state,
 * sorted by name. */
phx_status phx_recorder_describe(phx_recorder *recorder, const phx_recorder_state *state)
{
    const phx_attribute own[] = {
        {"format", PHX_FORMAT_RESULT, 0.0},
        {"format_version", NULL, PHX_FORMAT_VERSION},
        {"dimension", NULL, recorder->layout.dimension},
        {"status", state->status, 0.0},
        {"reason", state->reason, 0.0},
        {"program_version", recorder->about.program_version, 0.0},
        {"model_name", recorder->about.model_name, 0.0},
        {"integrator", recorder->about.integrator, 0.0},
        {"last_time", NULL, recorder->last_time}, /* the last one: absent without rows */
    };
    const int n_own = (int)(sizeof own / sizeof *own) - (recorder->stats.rows == 0);
    const int total = n_own + recorder->about.n_attributes + state->n_attributes;
    phx_attributes_free(recorder->kept.n_attributes, recorder->kept.attributes);
    recorder->kept.n_attributes = 0;
    recorder->kept.attributes = phx_calloc(recorder->context, (size_t)total, sizeof *recorder->kept.attributes);
    phx_status status = recorder->kept.attributes ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < n_own && !status; k++)
        status = recorder_keep_add(recorder, &own[k]);
    for (int k = 0; k < recorder->about.n_attributes && !status; k++)
        status = recorder_keep_add(recorder, &recorder->about.attributes[k]);
    for (int k = 0; k < state->n_attributes && !status; k++)
        status = recorder_keep_add(recorder, &state->attributes[k]);
    if (!status)
        qsort(recorder->kept.attributes, (size_t)total, sizeof *recorder->kept.attributes, recorder_keep_compare_names);
    return status;
}

/* ---- the result ---- */
phx_status phx_recorder_take(phx_recorder *recorder, phx_context *context, phx_result **taken)
{
    if (!recorder || !taken)
        return phx_fail_null(context, __func__, "recorder or result");
    *taken = NULL;
    if (!recorder->kept.on || !recorder->closed || recorder->kept.taken || !recorder->kept.attributes)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the recorder has no result to take: %s",
                        !recorder->kept.on     ? "it does not keep its rows (in_memory)"
                        : recorder->kept.taken ? "it has been taken"
                                               : "it is neither finished nor abandoned");
    phx_result *result = phx_calloc(context, 1, sizeof *result);
    if (!result)
        return PHX_ERR_MEMORY;
    *result = (phx_result){.context = context,
                           .memory = recorder->kept.values,
                           .width = recorder->width,
                           .layout = recorder->layout,
                           .rows = recorder->stats.rows,
                           .n_attributes = recorder->kept.n_attributes,
                           .attributes = recorder->kept.attributes,
                           .model_text = recorder->about.model_text};
    recorder->kept.taken = true;
    recorder->kept.values = NULL;
    recorder->layout = (phx_layout){0};
    recorder->kept.n_attributes = 0;
    recorder->kept.attributes = NULL;
    recorder->about.model_text = NULL;
    double *fit = phx_realloc(NULL, result->memory, result->rows, result->width * sizeof *fit);
    if (fit) /* else there is room for more rows than there are */
        result->memory = fit;
    *taken = result;
    return PHX_OK;
}
