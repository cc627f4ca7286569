/* Writes the rows of a recorder to the disk: spool and HDF5 file. */
#define _XOPEN_SOURCE 700
#include "attributes.h"
#include "recorder.h"
#include "file/file.h"

#include <errno.h>
#include <string.h>
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

/* Reads `count` rows from row `first` on back from the spool file into the block. */
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

/* The values of a row that a dataset holds, those from `first` on, and where the dataset stands in a file. */
typedef struct row_part {
    const char *path;
    size_t first, values;
    unsigned long long place;
} row_part;

/* Dataset k of a row (phx_layout_parts). */
static row_part part_of(const phx_recorder *recorder, int k)
{
    const phx_layout *layout = &recorder->layout;
    const size_t n_columns = (size_t)layout->n_columns, n_x = (size_t)layout->n_x, n_v = (size_t)layout->n_v;
    const size_t n_ledger = (size_t)layout->n_ledger;
    const int entry = k - layout->n_columns - (n_x > 0) - (n_v > 0);
    row_part part = {.place = recorder->block.places[k], .values = 1};

    if (k < layout->n_columns) {
        part.path = layout->column_paths[k];
        part.first = (size_t)k;
    } else if (entry == layout->n_ledger) {
        part = (row_part){PHX_PATH_FACTORS, n_columns + n_x + n_v + n_ledger, (size_t)layout->n_factors, part.place};
    } else if (entry >= 0) {
        part.path = layout->ledger_paths[entry];
        part.first = n_columns + n_x + n_v + (size_t)entry;
    } else if (k == layout->n_columns && n_x > 0) {
        part = (row_part){PHX_PATH_X, n_columns, n_x, part.place};
    } else {
        part = (row_part){PHX_PATH_V, n_columns + n_x, n_v, part.place};
    }
    return part;
}

/* Put `count` rows into all datasets, from row `row` on. */
static void recorder_store_put_rows(phx_recorder *recorder, phx_h5 *file, const double *rows, size_t count, size_t row)
{
    for (int k = 0; k < phx_layout_parts(&recorder->layout); k++) {
        const row_part part = part_of(recorder, k);
        const double *from = rows + part.first;
        double *out = recorder->block.dataset;
        for (size_t i = 0; i < count; i++, from += recorder->width, out += part.values)
            if (part.values == 1)
                *out = *from;
            else
                memcpy(out, from, part.values * sizeof *out);
        phx_h5_put_at(file, part.place, row * part.values, count * part.values, recorder->block.dataset);
    }
}

/* Copy the saved rows of a dataset. */
static phx_status copy_saved(phx_recorder *recorder, phx_h5 *file, const row_part *part)
{
    const size_t room = recorder->block.rows * recorder->width / part->values;
    phx_status status = PHX_OK;
    for (size_t row = 0; row < recorder->saved.rows && !status; row += room) {
        const size_t rest = recorder->saved.rows - row, count = rest < room ? rest : room;
        status = phx_h5_read_rows(recorder->saved.file, part->path, row, count, recorder->block.dataset);
        if (!status)
            phx_h5_put_at(file, part->place, row * part->values, count * part->values, recorder->block.dataset);
    }
    return status;
}

static phx_status put_saved(phx_recorder *recorder, phx_h5 *file)
{
    phx_status status = PHX_OK;
    for (int k = 0; k < phx_layout_parts(&recorder->layout) && recorder->saved.rows > 0 && !status; k++) {
        const row_part part = part_of(recorder, k);
        status = copy_saved(recorder, file, &part);
    }
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
            recorder_store_put_rows(recorder, file, recorder->block.values, count, recorder->saved.rows + row);
    }
    return status;
}

static void put_buffered(phx_recorder *recorder, phx_h5 *file)
{
    const size_t before = recorder->saved.rows + recorder->spooled.rows;
    for (size_t row = 0; row < recorder->buffer.rows; row += recorder->block.rows) {
        const size_t rest = recorder->buffer.rows - row,
                     count = rest < recorder->block.rows ? rest : recorder->block.rows;
        recorder_store_put_rows(recorder, file, recorder->buffer.values + row * recorder->width, count, before + row);
    }
}

/* Writes attributes, model text and active elements of the result to the file; the last time only if there are rows. */
static void recorder_store_describe(const phx_recorder *recorder, phx_h5 *file, const phx_recorder_state *state)
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
    if (recorder->about.switched)
        phx_h5_put_integers(file, PHX_PATH_SWITCHED, recorder->about.n_switched, recorder->about.switched);
}

/* Writes a complete result to the temporary file: layout, rows of the file saved before, spooled and buffered ones.
 * The file is removed after a failure. */
phx_status phx_recorder_store(phx_recorder *recorder, const phx_recorder_state *state)
{
    phx_h5 *file = NULL;
    phx_status status = phx_h5_create(recorder->context, recorder->files.h5_temporary, &file);
    if (status)
        return status;
    recorder_store_describe(recorder, file, state);
    status = phx_layout_write(file, &recorder->layout, recorder->stats.rows, recorder->block.places);
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
