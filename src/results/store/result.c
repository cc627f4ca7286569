/* Results of a recorder, complete or partial, read on demand. */
#include "attributes.h"
#include "result.h"

#include <math.h>
#include <string.h>

const char *phx_result_path(const phx_result *result)
{
    return result->file ? phx_h5_path(result->file) : NULL;
}

/* Opens a result and reads its attributes, model text and layout; columns and states are read on request. NULL after a
 * failure. */
phx_status phx_result_read(phx_context *context, const char *path, phx_result **created)
{
    if (!path || !created)
        return phx_fail_null(context, __func__, "path or result");
    *created = NULL;
    phx_result *result = phx_calloc(context, 1, sizeof *result);
    if (!result)
        return PHX_ERR_MEMORY;
    result->context = context;
    phx_status status = phx_h5_open(context, path, &result->file);
    if (!status)
        status = phx_h5_expect(result->file, PHX_FORMAT_RESULT);
    if (!status)
        status = phx_attributes_get(result->file, &result->n_attributes, &result->attributes);
    if (!status)
        status = phx_h5_read_text(result->file, "/model", &result->model_text);
    if (!status)
        status = phx_layout_read(result->file, &result->layout, &result->rows);
    if (!status && !phx_result_text(result, "status"))
        status =
            phx_fail(context, PHX_ERR_FILE, "%s: it does not say whether it is complete; the file is damaged", path);
    if (status)
        phx_result_destroy(result);
    else
        *created = result;
    return phx_conclude(context, status);
}

void phx_result_destroy(phx_result *result)
{
    if (!result)
        return;
    phx_h5_close(result->file);
    phx_layout_free(&result->layout);
    phx_attributes_free(result->n_attributes, result->attributes);
    phx_free(result->model_text);
    phx_free(result->memory);
    phx_free(result);
}

/* For messages. */
static const char *name_of(const phx_result *result)
{
    return result->file ? phx_h5_path(result->file) : "the result in memory";
}

bool phx_result_is_complete(const phx_result *result)
{
    return strcmp(phx_result_text(result, "status"), "complete") == 0;
}

size_t phx_result_rows(const phx_result *result)
{
    return result->rows;
}

int phx_result_dimension(const phx_result *result)
{
    return result->layout.dimension;
}

int phx_result_columns(const phx_result *result)
{
    return result->layout.n_columns;
}

const char *phx_result_column_name(const phx_result *result, int column)
{
    return result->layout.columns[column].name;
}

const char *phx_result_column_unit(const phx_result *result, int column)
{
    return result->layout.columns[column].unit;
}

int phx_result_column_find(const phx_result *result, const char *name)
{
    for (int i = 0; i < result->layout.n_columns; i++)
        if (strcmp(result->layout.columns[i].name, name) == 0)
            return i;
    return -1;
}

int phx_result_n_x(const phx_result *result)
{
    return result->layout.n_x;
}

int phx_result_n_v(const phx_result *result)
{
    return result->layout.n_v;
}

int phx_result_bodies(const phx_result *result)
{
    return result->layout.n_bodies;
}

const phx_record_body *phx_result_body(const phx_result *result, int body)
{
    return &result->layout.bodies[body];
}

const phx_scene *phx_result_scene(const phx_result *result)
{
    return result->layout.scene;
}

int phx_result_attributes(const phx_result *result)
{
    return result->n_attributes;
}

const phx_attribute *phx_result_attribute(const phx_result *result, int k)
{
    return &result->attributes[k];
}

const char *phx_result_text(const phx_result *result, const char *name)
{
    for (int i = 0; i < result->n_attributes; i++)
        if (strcmp(result->attributes[i].name, name) == 0)
            return result->attributes[i].text;
    return NULL;
}

const char *phx_result_model_text(const phx_result *result)
{
    return result->model_text;
}

/* ---- rows ---- */

static phx_status check_rows(const phx_result *result, size_t first, size_t count)
{
    if (first <= result->rows && count <= result->rows - first)
        return PHX_OK;
    return phx_fail(result->context, PHX_ERR_ARGUMENT, "%s: rows %zu to %zu are asked for; it has %zu", name_of(result),
                    first, first + count, result->rows);
}

/* `values` numbers of every row: of the file those of a dataset, of memory those from place `place` of the row on. */
static phx_status result_read_rows(const phx_result *result, const char *path, int place, int values, size_t first,
                                   size_t count, double *to)
{
    if (result->file) {
        const phx_status status = phx_h5_read_rows(result->file, path, first, count, to);
        for (size_t i = 0; i < count * (size_t)values && !status; i++)
            if (!isfinite(to[i])) /* none is recorded */
                return phx_fail(result->context, PHX_ERR_FILE, "%s: row %zu of %s is %g; the file is damaged",
                                name_of(result), first + i / (size_t)values, path, to[i]);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * (size_t)values, result->memory + (first + i) * result->width + place,
               (size_t)values * sizeof *to);
    return PHX_OK;
}

phx_status phx_result_column(const phx_result *result, int column, size_t first, size_t count, double *values)
{
    if (!result)
        return phx_fail_null(NULL, __func__, "result");
    if (column < 0 || column >= result->layout.n_columns)
        return phx_fail(result->context, PHX_ERR_ARGUMENT, "%s: column %d is asked for; it has %d", name_of(result),
                        column, result->layout.n_columns);
    const phx_status status = check_rows(result, first, count);
    return status ? status
                  : result_read_rows(result, result->layout.column_paths[column], column, 1, first, count, values);
}

int phx_result_ledger(const phx_result *result)
{
    return result->layout.n_ledger;
}

const phx_record_entry *phx_result_ledger_entry(const phx_result *result, int entry)
{
    return &result->layout.ledger[entry];
}

phx_status phx_result_ledger_values(const phx_result *result, int entry, size_t first, size_t count, double *values)
{
    if (!result)
        return phx_fail_null(NULL, __func__, "result");
    const phx_layout *layout = &result->layout;
    if (entry < 0 || entry >= layout->n_ledger)
        return phx_fail(result->context, PHX_ERR_ARGUMENT, "%s: entry %d of its ledger is asked for; it has %d",
                        name_of(result), entry, layout->n_ledger);
    const phx_status status = check_rows(result, first, count);
    return status ? status
                  : result_read_rows(result, layout->ledger_paths[entry],
                                     layout->n_columns + layout->n_x + layout->n_v + entry, 1, first, count, values);
}

phx_status phx_result_states(const phx_result *result, size_t first, size_t count, double *x, double *v)
{
    if (!result)
        return phx_fail_null(NULL, __func__, "result");
    const phx_layout *layout = &result->layout;
    phx_status status = check_rows(result, first, count);
    if (!status && x && layout->n_x > 0)
        status = result_read_rows(result, PHX_PATH_X, layout->n_columns, layout->n_x, first, count, x);
    if (!status && v && layout->n_v > 0)
        status = result_read_rows(result, PHX_PATH_V, layout->n_columns + layout->n_x, layout->n_v, first, count, v);
    return status;
}

phx_status phx_result_factors(const phx_result *result, size_t first, size_t count, double *factors)
{
    if (!result)
        return phx_fail_null(NULL, __func__, "result");
    const phx_layout *layout = &result->layout;
    const phx_status status = check_rows(result, first, count);
    const int place = layout->n_columns + layout->n_x + layout->n_v + layout->n_ledger;
    return status || layout->n_factors == 0
               ? status
               : result_read_rows(result, PHX_PATH_FACTORS, place, layout->n_factors, first, count, factors);
}

phx_status phx_result_state(const phx_result *result, size_t row, double *x, double *v)
{
    if (!result)
        return phx_fail_null(NULL, __func__, "result");
    return phx_result_states(result, row, 1, x, v);
}

/* Returns sizes and contents of a result for readers of all kinds; the arrays belong to the result. */
phx_result_info phx_result_about(const phx_result *result)
{
    if (!result)
        return (phx_result_info){0};
    const phx_layout *layout = &result->layout;
    return (phx_result_info){.complete = phx_result_is_complete(result),
                             .rows = result->rows,
                             .dimension = layout->dimension,
                             .n_columns = layout->n_columns,
                             .columns = layout->columns,
                             .n_x = layout->n_x,
                             .n_v = layout->n_v,
                             .n_bodies = layout->n_bodies,
                             .bodies = layout->bodies,
                             .scene = layout->scene,
                             .n_attributes = result->n_attributes,
                             .attributes = result->attributes,
                             .n_ledger = layout->n_ledger,
                             .ledger = layout->ledger,
                             .model_text = phx_result_model_text(result),
                             .memory = result->memory,
                             .width = result->width};
}

/* The first difference between the bodies of the result and those of a model. */
static phx_status check_bodies(const phx_result *result, int dimension, int n_bodies, const phx_record_body *bodies)
{
    const phx_layout *layout = &result->layout;
    const char *path = name_of(result);
    if (dimension != layout->dimension)
        return phx_fail(result->context, PHX_ERR_INPUT, "%s: its dimension is %d, the model's is %d", path,
                        layout->dimension, dimension);
    for (int i = 0; i < n_bodies && i < layout->n_bodies; i++) {
        const phx_record_body *old = &layout->bodies[i], *new = &bodies[i];
        if (strcmp(old->name, new->name) != 0)
            return phx_fail(result->context, PHX_ERR_INPUT, "%s: its body %d is '%s', the model's is '%s'", path, i + 1,
                            old->name, new->name);
        if (old->x_start != new->x_start || old->x_count != new->x_count || old->v_start != new->v_start ||
            old->v_count != new->v_count)
            return phx_fail(
                result->context, PHX_ERR_INPUT,
                "%s: its body '%s' has %d coordinates and %d velocities, the model's has %d and %d; give both "
                "the same elements and reference",
                path, old->name, old->x_count, old->v_count, new->x_count, new->v_count);
    }
    if (n_bodies != layout->n_bodies)
        return phx_fail(result->context, PHX_ERR_INPUT, "%s: it has %d bodies, the model has %d", path,
                        layout->n_bodies, n_bodies);
    return PHX_OK;
}

/* Time and state at the last row of a result, whose bodies must be those given. Fails if it has no rows. */
phx_status phx_result_last_state(const phx_result *result, int dimension, int n_bodies, const phx_record_body *bodies,
                                 double *t, double *x, double *v)
{
    if (!result)
        return phx_fail_null(NULL, __func__, "result");
    if (result->rows == 0)
        return phx_fail(result->context, PHX_ERR_INPUT, "%s: it has no rows, so there is no state to start from",
                        name_of(result));
    phx_status status = check_bodies(result, dimension, n_bodies, bodies);
    if (!status)
        status = phx_result_column(result, 0, result->rows - 1, 1, t);
    if (!status)
        status = phx_result_state(result, result->rows - 1, x, v);
    return status;
}

/* Reads the archive of active joints, drives and forces; *bytes is NULL if the result has none. The caller frees the
 * bytes. */
phx_status phx_result_switched(const phx_result *result, size_t *size, unsigned char **bytes)
{
    size_t cols;
    int *stored = NULL;

    *size = 0;
    *bytes = NULL;
    if (!result->file || !phx_h5_has(result->file, PHX_PATH_SWITCHED))
        return PHX_OK;
    phx_status status = phx_h5_extent(result->file, PHX_PATH_SWITCHED, size, &cols);
    if (!status) {
        stored = phx_calloc(result->context, *size, sizeof *stored);
        *bytes = phx_calloc(result->context, *size, 1);
        status = stored && *bytes ? phx_h5_read_integers(result->file, PHX_PATH_SWITCHED, (int)*size, stored)
                                  : PHX_ERR_MEMORY;
    }
    for (size_t k = 0; k < *size && !status; k++)
        (*bytes)[k] = (unsigned char)stored[k];
    phx_free(stored);
    if (status) {
        phx_free(*bytes);
        *bytes = NULL;
    }
    return status;
}
