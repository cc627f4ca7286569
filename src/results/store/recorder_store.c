/* Writes the rows of a recorder to the disk: spool and HDF5 file. */
#define _XOPEN_SOURCE 700
#include "attributes.h"
#include "recorder.h"
#include "file/file.h"

#include <errno.h>
#include <unistd.h>

phx_status phx_recorder_spool(phx_recorder *recorder)
{
    const size_t row = recorder->width * sizeof(double);
    const off_t start = (off_t)(recorder->spooled.rows * row);
    int error = lseek(recorder->spooled.file, start, SEEK_SET) < 0 ? errno : 0;
    if (!error)
        error = phx_file_write(recorder->spooled.file, (const char *)recorder->buffer.values,
                               recorder->buffer.rows * row, NULL);
    if (error)
        return phx_file_fail(recorder->context, recorder->files.h5_partial, "keep rows beside it", error);
    recorder->spooled.rows += recorder->buffer.rows;
    recorder->buffer.rows = 0;
    return PHX_OK;
}

static phx_status read_spool(const phx_recorder *recorder, size_t first, size_t count)
{
    const size_t row = recorder->width * sizeof(double);
    char *to = (char *)recorder->block.values;
    size_t rest = count * row;
    off_t place = (off_t)(first * row);
    while (rest > 0) {
        const ssize_t n = pread(recorder->spooled.file, to, rest, place);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return phx_file_fail(recorder->context, recorder->files.h5_partial, "read back rows kept beside it",
                                 n < 0 ? errno : EIO);
        to += n;
        place += n;
        rest -= (size_t)n;
    }
    return PHX_OK;
}

/* Put columns first_value .. first_value + values - 1 of `count` rows into a dataset, from row `row` on. */
static void put_part(phx_recorder *recorder, phx_h5 *file, const char *path, const double *rows, size_t count,
                     size_t row, size_t first_value, size_t values)
{
    double *out = recorder->block.dataset;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < values; k++)
            *out++ = rows[i * recorder->width + first_value + k];
    phx_h5_put_rows(file, path, row, count, recorder->block.dataset);
}

static void put_rows(phx_recorder *recorder, phx_h5 *file, const double *rows, size_t count, size_t row)
{
    const phx_layout *layout = &recorder->layout;
    const size_t n_columns = (size_t)layout->n_columns, n_x = (size_t)layout->n_x, n_v = (size_t)layout->n_v;
    for (size_t k = 0; k < n_columns; k++)
        put_part(recorder, file, layout->column_paths[k], rows, count, row, k, 1);
    if (n_x > 0)
        put_part(recorder, file, PHX_PATH_X, rows, count, row, n_columns, n_x);
    if (n_v > 0)
        put_part(recorder, file, PHX_PATH_V, rows, count, row, n_columns + n_x, n_v);
    for (int k = 0; k < layout->n_ledger; k++)
        put_part(recorder, file, layout->ledger_paths[k], rows, count, row, n_columns + n_x + n_v + (size_t)k, 1);
}

/* Copy the saved rows of a dataset of `cols` columns. */
static phx_status copy_saved(phx_recorder *recorder, phx_h5 *file, const char *path, size_t cols)
{
    const size_t room = recorder->block.rows * recorder->width / cols;
    phx_status status = PHX_OK;
    for (size_t row = 0; row < recorder->saved.rows && !status; row += room) {
        const size_t rest = recorder->saved.rows - row, count = rest < room ? rest : room;
        status = phx_h5_read_rows(recorder->saved.file, path, row, count, recorder->block.dataset);
        if (!status)
            phx_h5_put_rows(file, path, row, count, recorder->block.dataset);
    }
    return status;
}

static phx_status put_saved(phx_recorder *recorder, phx_h5 *file)
{
    const phx_layout *layout = &recorder->layout;
    phx_status status = PHX_OK;
    for (int k = 0; k < layout->n_columns && !status; k++)
        status = copy_saved(recorder, file, layout->column_paths[k], 1);
    if (layout->n_x > 0 && !status)
        status = copy_saved(recorder, file, PHX_PATH_X, (size_t)layout->n_x);
    if (layout->n_v > 0 && !status)
        status = copy_saved(recorder, file, PHX_PATH_V, (size_t)layout->n_v);
    for (int k = 0; k < layout->n_ledger && !status; k++)
        status = copy_saved(recorder, file, layout->ledger_paths[k], 1);
    return status;
}

static phx_status put_spooled(phx_recorder *recorder, phx_h5 *file)
{
    phx_status status = PHX_OK;
    for (size_t row = 0; row < recorder->spooled.rows && !status; row += recorder->block.rows) {
        const size_t rest = recorder->spooled.rows - row,
                     count = rest < recorder->block.rows ? rest : recorder->block.rows;
        status = read_spool(recorder, row, count);
        if (!status)
            put_rows(recorder, file, recorder->block.values, count, recorder->saved.rows + row);
    }
    return status;
}

static void put_buffered(phx_recorder *recorder, phx_h5 *file)
{
    const size_t before = recorder->saved.rows + recorder->spooled.rows;
    for (size_t row = 0; row < recorder->buffer.rows; row += recorder->block.rows) {
        const size_t rest = recorder->buffer.rows - row,
                     count = rest < recorder->block.rows ? rest : recorder->block.rows;
        put_rows(recorder, file, recorder->buffer.values + row * recorder->width, count, before + row);
    }
}

static void describe(const phx_recorder *recorder, phx_h5 *file, const phx_recorder_state *state)
{
    phx_h5_set_text(file, "/", "format", PHX_FORMAT_RESULT);
    phx_h5_set_integer(file, "/", "format_version", PHX_FORMAT_VERSION);
    phx_h5_set_text(file, "/", "status", state->status);
    phx_h5_set_text(file, "/", "reason", state->reason);
    if (recorder->stats.rows > 0)
        phx_h5_set_number(file, "/", "last_time", recorder->last_time);
    phx_h5_set_text(file, "/", "program_version", recorder->about.program_version);
    phx_h5_set_text(file, "/", "model_name", recorder->about.model_name);
    phx_h5_set_text(file, "/", "integrator", recorder->about.integrator);
    phx_attributes_put(file, recorder->about.n_attributes, recorder->about.attributes);
    phx_attributes_put(file, state->n_attributes, state->attributes);
    phx_h5_put_text(file, "/model", recorder->about.model_text);
}

phx_status phx_recorder_store(phx_recorder *recorder, const phx_recorder_state *state)
{
    phx_h5 *file = NULL;
    phx_status status = phx_h5_create(recorder->context, recorder->files.h5_temporary, &file);
    if (status)
        return status;
    describe(recorder, file, state);
    status = phx_layout_write(file, &recorder->layout, recorder->stats.rows);
    if (!status)
        status = put_saved(recorder, file);
    if (!status)
        status = put_spooled(recorder, file);
    if (!status) {
        put_buffered(recorder, file);
        status = phx_h5_finish(file);
    } else {
        phx_h5_close(file);
    }
    if (status)
        (void)unlink(recorder->files.h5_temporary);
    return status;
}
