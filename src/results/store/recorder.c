/* Recorders: a result gets its name when it is complete, and an unfinished one stays readable. */
#define _XOPEN_SOURCE 700
#include "attributes.h"
#include "recorder.h"
#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BLOCK_VALUES = 1 << 15,       /* doubles in a block on its way to HDF5 */
    BYTES_PER_SECOND = 500000000, /* assumed cost of a checkpoint, until one was measured */
    ENOUGH_BYTES = 1 << 26,       /* least size of a checkpoint that measures it */
    LOOSER = 4
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + NANOSECOND * (double)time.tv_nsec;
}

phx_recorder_def phx_recorder_def_default(void)
{
    return (phx_recorder_def){
        .dimension = 2, .checkpoint_interval = 0.5, .checkpoint_share = 0.05, .buffer_bytes = (size_t)4 << 20};
}

/* ---- creation ---- */

/* Checks that the names of attributes exist, are not reserved, and differ from each other and from the known ones. */
static phx_status check_attributes(phx_context *context, int count, const phx_attribute *attributes, int n_known,
                                   const phx_attribute *known)
{
    static const char *const reserved[] = {"format",          "format_version", "status",     "reason",    "last_time",
                                           "program_version", "model_name",     "integrator", "dimension", ""};
    for (int i = 0; i < count; i++) {
        const char *name = attributes[i].name;
        if (!name)
            return phx_fail(context, PHX_ERR_ARGUMENT, "attribute %d of a result has no name; give it one", i + 1);
        bool taken = false;
        for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
            taken = taken || strcmp(name, reserved[k]) == 0;
        for (int k = 0; k < i; k++)
            taken = taken || strcmp(name, attributes[k].name) == 0;
        for (int k = 0; k < n_known; k++)
            taken = taken || strcmp(name, known[k].name) == 0;
        if (taken)
            return phx_fail(context, PHX_ERR_ARGUMENT, "the attribute '%s' of a result is taken; use another name",
                            name);
    }
    return PHX_OK;
}

/* Copies names, model text and attributes of the run; n_attributes counts those to be freed. */
static phx_status create_about(phx_context *context, const phx_recorder_def *def, phx_recorder_about *made)
{
    made->model_name = phx_strdup(context, def->model_name ? def->model_name : "");
    made->model_text = phx_strdup(context, def->model_text ? def->model_text : "");
    made->program_version = phx_strdup(context, def->program_version ? def->program_version : "");
    made->integrator = phx_strdup(context, def->integrator ? def->integrator : "");
    made->attributes = phx_calloc(context, (size_t)def->n_attributes, sizeof *made->attributes);
    if (!made->model_name || !made->model_text || !made->program_version || !made->integrator || !made->attributes)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < def->n_attributes; i++) {
        phx_attribute *to = &made->attributes[made->n_attributes++];
        to->number = def->attributes[i].number;
        to->name = phx_strdup(context, def->attributes[i].name);
        to->text = def->attributes[i].text ? phx_strdup(context, def->attributes[i].text) : NULL;
        if (!to->name || (def->attributes[i].text && !to->text))
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

static void free_about(phx_recorder_about *about)
{
    phx_attributes_free(about->n_attributes, about->attributes);
    phx_free(about->model_name);
    phx_free(about->model_text);
    phx_free(about->program_version);
    phx_free(about->integrator);
    phx_free(about->switched);
}

static phx_status create_buffer(phx_context *context, size_t width, size_t bytes, phx_recorder_buffer *made)
{
    made->capacity = bytes / (width * sizeof(double));
    if (made->capacity < 1)
        made->capacity = 1;
    made->values = phx_calloc(context, made->capacity * width, sizeof(double));
    return made->values ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status create_block(phx_context *context, const phx_layout *layout, size_t width, phx_recorder_block *made)
{
    made->rows = BLOCK_VALUES / width;
    if (made->rows < 1)
        made->rows = 1;
    made->values = phx_calloc(context, made->rows * width, sizeof(double));
    made->dataset = phx_calloc(context, made->rows * width, sizeof(double));
    made->places = phx_calloc(context, (size_t)phx_layout_parts(layout), sizeof *made->places);
    return made->values && made->dataset && made->places ? PHX_OK : PHX_ERR_MEMORY;
}

static void free_block(phx_recorder_block *block)
{
    phx_free(block->values);
    phx_free(block->dataset);
    phx_free(block->places);
}

static void free_kept(phx_recorder_kept *kept)
{
    phx_free(kept->values);
    phx_attributes_free(kept->n_attributes, kept->attributes);
}

static size_t width_of(const phx_layout *layout)
{
    return (size_t)layout->n_columns + (size_t)layout->n_x + (size_t)layout->n_v + (size_t)layout->n_ledger +
           (size_t)layout->n_factors;
}

/* The spool is a file without a name beside the result: opened under the name of the next checkpoint, so that the
 * remains of a killed run are removed and a folder without write access is found now. */
static phx_status open_h5(phx_recorder *recorder, const char *path)
{
    phx_context *context = recorder->context;
    phx_status status = phx_file_claim(context, path, &recorder->files.h5_path, NULL);
    if (status)
        return status;
    recorder->files.h5_partial = phx_file_suffixed(context, recorder->files.h5_path, ".partial");
    recorder->files.h5_temporary = phx_file_suffixed(context, recorder->files.h5_path, ".partial.tmp");
    if (!recorder->files.h5_partial || !recorder->files.h5_temporary)
        return PHX_ERR_MEMORY;
    recorder->spooled.file = phx_file_create(recorder->files.h5_temporary);
    if (recorder->spooled.file < 0 || unlink(recorder->files.h5_temporary) != 0)
        return phx_file_fail(context, recorder->files.h5_temporary, "create", errno);
    recorder->files.has_h5 = true;
    return PHX_OK;
}

static phx_status open_csv(phx_recorder *recorder, const char *path)
{
    phx_status status = phx_output_open(recorder->context, path, &recorder->files.csv);
    if (status)
        return status;
    recorder->files.has_csv = true;
    for (int i = 0; i < recorder->layout.n_columns; i++) {
        phx_output_text(&recorder->files.csv, i ? "," : "");
        phx_output_csv(&recorder->files.csv, recorder->layout.columns[i].name);
    }
    phx_output_line(&recorder->files.csv);
    return phx_output_flush(&recorder->files.csv);
}

static phx_status recorder_check_def(phx_context *context, const phx_recorder_def *def)
{
    if (!(def->checkpoint_interval >= 0.0) || !(def->checkpoint_share > 0.0 && def->checkpoint_share <= 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "checkpoints every %g s with a share of %g: the interval starts at 0, the share is in (0, 1]",
                        def->checkpoint_interval, def->checkpoint_share);
    return check_attributes(context, def->n_attributes, def->attributes, 0, NULL);
}

/* Creates a recorder with buffers and, as asked for, an HDF5 and a CSV file; NULL after a failure. */
phx_status phx_recorder_create(phx_context *context, const phx_recorder_def *def, phx_recorder **created)
{
    if (!def || !created)
        return phx_fail_null(context, __func__, "def or recorder");
    *created = NULL;
    phx_status status = recorder_check_def(context, def);
    if (status)
        return status;
    phx_recorder *recorder = phx_calloc(context, 1, sizeof *recorder);
    if (!recorder)
        return PHX_ERR_MEMORY;
    recorder->context = context;
    recorder->spooled.file = -1;
    recorder->files.csv.descriptor = -1;
    recorder->kept.on = def->in_memory;
    recorder->times.interval = def->checkpoint_interval;
    recorder->times.share = def->checkpoint_share;
    status = phx_layout_create(context, def, &recorder->layout);
    if (!status)
        status = create_about(context, def, &recorder->about);
    recorder->width = status ? 0 : width_of(&recorder->layout);
    if (!status)
        status = create_buffer(context, recorder->width, def->buffer_bytes, &recorder->buffer);
    if (!status)
        status = create_block(context, &recorder->layout, recorder->width, &recorder->block);
    phx_files_begin(context);
    if (!status && def->h5_path)
        status = open_h5(recorder, def->h5_path);
    if (!status && def->csv_path)
        status = open_csv(recorder, def->csv_path);
    phx_files_end(context);
    recorder->times.created = recorder->times.checkpointed = recorder->times.csv_flushed = now();
    if (status)
        phx_recorder_destroy(recorder);
    else
        *created = recorder;
    return status;
}

phx_status phx_recorder_set_switched(phx_recorder *recorder, size_t size, const void *bytes)
{
    int *switched = phx_calloc(recorder->context, size, sizeof *switched);
    if (!switched)
        return PHX_ERR_MEMORY;
    for (size_t k = 0; k < size; k++)
        switched[k] = ((const unsigned char *)bytes)[k];
    phx_free(recorder->about.switched);
    recorder->about.switched = switched;
    recorder->about.n_switched = (int)size;
    return PHX_OK;
}

/* ---- rows ---- */

/* The exponent of numbers that are not finite has all its bits set: the lowest added to it goes over into the sign. */
static uint64_t overflow(size_t count, const double *values)
{
    const uint64_t exponent = UINT64_C(0x7FF0000000000000), lowest = UINT64_C(0x0010000000000000);
    uint64_t over = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        over |= (bits & exponent) + lowest;
    }
    return over;
}

static bool is_finite(const phx_layout *layout, const double *row, const double *x, const double *v)
{
    const uint64_t over = overflow((size_t)(layout->n_columns + layout->n_ledger + layout->n_factors), row) |
                          overflow((size_t)layout->n_x, x) | overflow((size_t)layout->n_v, v);
    return over >> 63 == 0;
}

/* Fails if a value to be recorded is not finite, and names the column, ledger entry or body it belongs to. */
static phx_status recorder_check_finite(const phx_recorder *recorder, const double *row, const double *x,
                                        const double *v)
{
    const phx_layout *layout = &recorder->layout;
    if (is_finite(layout, row, x, v))
        return PHX_OK;
    for (int i = 0; i < layout->n_columns; i++)
        if (!isfinite(row[i]))
            return phx_fail(recorder->context, PHX_ERR_ANALYSIS,
                            "column '%s' is %g in row %zu (t = %.17g s) and cannot be recorded; try a smaller step",
                            layout->columns[i].name, row[i], recorder->stats.rows, row[0]);
    for (int i = 0; i < layout->n_ledger; i++)
        if (!isfinite(row[layout->n_columns + i]))
            return phx_fail(
                recorder->context, PHX_ERR_ANALYSIS,
                "the work of '%s' is %g in row %zu (t = %.17g s) and cannot be recorded; try a smaller step",
                layout->ledger[i].name, row[layout->n_columns + i], recorder->stats.rows, row[0]);
    for (int i = layout->n_columns + layout->n_ledger; i < layout->n_columns + layout->n_ledger + layout->n_factors;
         i++)
        if (!isfinite(row[i]))
            return phx_fail(recorder->context, PHX_ERR_ANALYSIS,
                            "a temperature is %g in row %zu (t = %.17g s) and cannot be recorded", row[i],
                            recorder->stats.rows, row[0]);
    for (int part = 0; part < 2; part++) {
        const double *values = part ? v : x;
        const int count = part ? layout->n_v : layout->n_x;
        for (int i = 0; i < count; i++) {
            if (isfinite(values[i]))
                continue;
            const char *name = "none";
            for (int k = 0; k < layout->n_bodies; k++) {
                const phx_record_body *body = &layout->bodies[k];
                const int entry = i - (part ? body->v_start : body->x_start);
                if (entry >= 0 && entry < (part ? body->v_count : body->x_count))
                    name = body->name;
            }
            return phx_fail(
                recorder->context, PHX_ERR_ANALYSIS,
                "entry %d of %s (body '%s') is %g at t = %.17g s and cannot be recorded; try a smaller step", i,
                part ? "v" : "x", name, values[i], row[0]);
        }
    }
    return PHX_OK;
}

static void append_csv(phx_recorder *recorder, const double *row, double time)
{
    phx_output *csv = &recorder->files.csv;
    for (int i = 0; i < recorder->layout.n_columns; i++) {
        phx_output_text(csv, i ? "," : "");
        phx_output_number(csv, row[i]);
    }
    phx_output_line(csv);
    if (time - recorder->times.csv_flushed >= 1.0) {
        phx_output_flush(csv);
        recorder->times.csv_flushed = time;
    }
}

void phx_recorder_lay_out(const phx_recorder *recorder, const double *row, const double *x, const double *v, double *to)
{
    const phx_layout *layout = &recorder->layout;
    memcpy(to, row, (size_t)layout->n_columns * sizeof *to);
    to += layout->n_columns;
    if (layout->n_x > 0)
        memcpy(to, x, (size_t)layout->n_x * sizeof *to);
    if (layout->n_v > 0)
        memcpy(to + layout->n_x, v, (size_t)layout->n_v * sizeof *to);
    memcpy(to + layout->n_x + layout->n_v, row + layout->n_columns,
           (size_t)(layout->n_ledger + layout->n_factors) * sizeof *to);
}

static void append_buffer(phx_recorder *recorder, const double *row, const double *x, const double *v)
{
    phx_recorder_lay_out(recorder, row, x, v, recorder->buffer.values + recorder->buffer.rows * recorder->width);
    recorder->buffer.rows++;
}

/* Time that the rows since the last checkpoint add to the next one, s. */
static double added_cost(const phx_recorder *recorder)
{
    const double row_bytes = (double)(recorder->width * sizeof(double));
    const double saved = (double)recorder->saved.rows * row_bytes;
    const double added = (double)recorder->stats.rows * row_bytes - saved;
    const double speed = saved > ENOUGH_BYTES ? saved / recorder->times.cost : BYTES_PER_SECOND;
    return added / speed;
}

/* A checkpoint is due when the time since the last one makes its cost small enough. Rows that come so fast that it
 * never does get one, at up to LOOSER times that share, whenever the run has become LOOSER times as long. */
static bool recorder_is_due(const phx_recorder *recorder, double time)
{
    const double wait = time - recorder->times.checkpointed;
    if (wait < recorder->times.interval)
        return false;
    const double added = added_cost(recorder), cost = recorder->times.cost + added,
                 allowed = recorder->times.share * wait;
    const bool much_longer =
        time - recorder->times.created >= LOOSER * (recorder->times.checkpointed - recorder->times.created);
    return cost <= allowed || (added > allowed && cost <= LOOSER * allowed && much_longer);
}

static phx_status usable(const phx_recorder *recorder)
{
    if (recorder->failed)
        return phx_fail(recorder->context, PHX_ERR_FILE, "%s: an earlier write failed; free space and run again",
                        recorder->files.has_h5    ? recorder->files.h5_path
                        : recorder->files.has_csv ? recorder->files.csv.path
                                                  : "recorder");
    if (recorder->closed)
        return phx_fail(recorder->context, PHX_ERR_ARGUMENT, "the recorder is finished; create another one");
    return PHX_OK;
}

/* Records one row with its state in memory, buffer and CSV file as set up, and makes a checkpoint when one is due.
 * Values that are not finite are refused and nothing of the row is recorded. */
phx_status phx_recorder_append(phx_recorder *recorder, const double *row, const double *x, const double *v)
{
    if (!recorder || !row)
        return phx_fail_null(recorder ? recorder->context : NULL, __func__, "recorder or row");
    phx_status status = usable(recorder);
    if (!status)
        status = recorder_check_finite(recorder, row, x, v);
    if (status)
        return status;
    const double time = now();
    if (recorder->kept.on)
        status = phx_recorder_keep(recorder, row, x, v);
    if (status)
        return status;
    if (recorder->files.has_h5 && recorder->buffer.rows == recorder->buffer.capacity)
        status = phx_recorder_spool(recorder);
    if (!status && recorder->files.has_h5)
        append_buffer(recorder, row, x, v);
    if (!status) {
        recorder->last_time = row[0];
        recorder->stats.rows++;
    }
    if (!status && recorder->files.has_csv) {
        append_csv(recorder, row, time);
        status = recorder->files.csv.status;
    }
    if (!status && recorder->files.has_h5 && recorder_is_due(recorder, time))
        return phx_recorder_checkpoint(recorder);
    recorder->failed = status != PHX_OK;
    return status;
}

/* ---- checkpoints and the end ---- */

/* Replace NAME.partial and continue behind the rows in it. */
static phx_status checkpoint(phx_recorder *recorder, const char *reason)
{
    const double start = now();
    const phx_recorder_state state = {.status = "partial", .reason = reason};
    phx_h5 *saved = NULL;
    phx_status status = phx_recorder_store(recorder, &state);
    if (status)
        return status;
    status = phx_h5_open(recorder->context, recorder->files.h5_temporary, &saved);
    if (!status)
        status = phx_file_publish(recorder->context, recorder->files.h5_temporary, recorder->files.h5_partial);
    if (status) {
        phx_h5_close(saved);
        (void)unlink(recorder->files.h5_temporary);
        return status;
    }
    phx_h5_close(recorder->saved.file);
    recorder->saved.file = saved;
    recorder->saved.rows = recorder->stats.rows;
    recorder->spooled.rows = recorder->buffer.rows = 0;
    if (ftruncate(recorder->spooled.file, 0) != 0)
        status = phx_file_fail(recorder->context, recorder->files.h5_partial, "free rows kept beside it", errno);
    recorder->times.checkpointed = now();
    recorder->times.cost = recorder->times.checkpointed - start;
    recorder->stats.checkpoints++;
    recorder->stats.checkpoint_seconds += recorder->times.cost;
    return status;
}

phx_status phx_recorder_checkpoint(phx_recorder *recorder)
{
    if (!recorder)
        return phx_fail_null(NULL, __func__, "recorder");
    phx_status status = usable(recorder);
    if (status)
        return status;
    if (recorder->files.has_csv)
        status = phx_output_flush(&recorder->files.csv);
    if (!status && recorder->files.has_h5 && recorder->stats.rows > 0)
        status = checkpoint(recorder, "the run has not ended");
    recorder->failed = status != PHX_OK;
    return status;
}

/* The complete result gets its name at once, and the last checkpoint goes; where the name cannot be given it keeps that
 * of a checkpoint. */
static phx_status publish_h5(const phx_recorder_files *files, phx_context *context)
{
    const phx_status status = phx_file_publish(context, files->h5_temporary, files->h5_path);

    if (status)
        (void)rename(files->h5_temporary, files->h5_partial);
    else
        (void)unlink(files->h5_partial);
    return status;
}

/* All files are on the disk before one of them gets its name. */
phx_status phx_recorder_finish(phx_recorder *recorder, int n_attributes, const phx_attribute *attributes)
{
    if (!recorder)
        return phx_fail_null(NULL, __func__, "recorder");
    phx_status status = usable(recorder);
    if (!status)
        status = check_attributes(recorder->context, n_attributes, attributes, recorder->about.n_attributes,
                                  recorder->about.attributes);
    if (status)
        return status;
    const phx_recorder_state state = {"complete", "", n_attributes, attributes};
    if (recorder->kept.on)
        status = phx_recorder_describe(recorder, &state);
    if (!status && recorder->files.has_csv)
        status = phx_output_finish(&recorder->files.csv);
    if (!status && recorder->files.has_h5)
        status = phx_recorder_store(recorder, &state);
    if (!status && recorder->files.has_h5)
        status = publish_h5(&recorder->files, recorder->context);
    if (!status && recorder->files.has_csv)
        status = phx_output_publish(&recorder->files.csv);
    recorder->failed = status != PHX_OK;
    recorder->closed = !status;
    return status;
}

/* Ends a recording that failed: the rows so far are stored as partial results with the reason. Without rows no file is
 * made; later calls do nothing. */
phx_status phx_recorder_abandon(phx_recorder *recorder, const char *reason)
{
    if (!recorder)
        return phx_fail_null(NULL, __func__, "recorder");
    if (recorder->closed)
        return PHX_OK;
    const phx_recorder_state state = {.status = "partial", .reason = reason ? reason : ""};
    phx_status status = PHX_OK;
    recorder->closed = true;
    if (recorder->files.has_h5 && recorder->stats.rows > 0)
        status = checkpoint(recorder, state.reason);
    if (recorder->files.has_csv && recorder->stats.rows > 0 && !recorder->files.csv.status) {
        const phx_status csv_status = phx_output_finish(&recorder->files.csv);
        status = status ? status : csv_status;
    }
    const phx_status described = recorder->kept.on ? phx_recorder_describe(recorder, &state) : PHX_OK;
    return status ? status : described;
}

void phx_recorder_discard(phx_recorder *recorder)
{
    if (recorder->closed)
        return;
    recorder->closed = true;
    if (recorder->files.has_csv)
        phx_output_close(&recorder->files.csv, false);
    recorder->files.has_csv = false;
    if (recorder->saved.file)
        (void)unlink(recorder->files.h5_partial);
}

/* An unfinished table stays where it has rows. */
static void close_files(phx_recorder *recorder, phx_recorder_files *files)
{
    if (files->has_csv) {
        if (!recorder->closed && !recorder->failed)
            phx_output_flush(&files->csv);
        phx_output_close(&files->csv, recorder->stats.rows > 0);
    }
    phx_free(files->h5_path);
    phx_free(files->h5_partial);
    phx_free(files->h5_temporary);
}

/* Frees a recorder with its files and buffers; NULL is allowed. */
void phx_recorder_destroy(phx_recorder *recorder)
{
    if (!recorder)
        return;
    close_files(recorder, &recorder->files);
    phx_h5_close(recorder->saved.file);
    if (recorder->spooled.file >= 0)
        close(recorder->spooled.file);
    free_kept(&recorder->kept);
    free_block(&recorder->block);
    phx_free(recorder->buffer.values);
    free_about(&recorder->about);
    phx_layout_free(&recorder->layout);
    phx_free(recorder);
}

phx_recorder_stats phx_recorder_statistics(const phx_recorder *recorder)
{
    phx_recorder_stats stats = recorder->stats;
    stats.elapsed_seconds = now() - recorder->times.created;
    return stats;
}
