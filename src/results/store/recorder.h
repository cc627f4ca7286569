/* The struct of a recorder; private to the layer results. */
#ifndef PHX_RESULTS_RECORDER_H
#define PHX_RESULTS_RECORDER_H

#include "layout.h"
#include "output.h"

/* Counts of a recorder so far. */
typedef struct phx_recorder_stats {
    size_t rows;
    long checkpoints;
    double checkpoint_seconds, elapsed_seconds; /* wall clock; elapsed since the creation */
} phx_recorder_stats;

/* Attributes of the results about the model, copied. */
typedef struct phx_recorder_about {
    char *model_name, *model_text, *program_version, *integrator;
    int n_attributes;
    phx_attribute *attributes;
    int n_switched, *switched; /* bytes, one an entry; NULL: the run has no events */
} phx_recorder_about;

/* The files written: NAME, NAME.partial and NAME.partial.tmp of HDF5; the table. */
typedef struct phx_recorder_files {
    bool has_h5, has_csv;
    char *h5_path, *h5_partial, *h5_temporary;
    phx_output csv;
} phx_recorder_files;

/* The last rows, in memory. */
typedef struct phx_recorder_buffer {
    double *values; /* capacity x width */
    size_t capacity, rows;
} phx_recorder_buffer;

/* Rows in a file without a name. */
typedef struct phx_recorder_spooled {
    int file; /* descriptor; -1: none */
    size_t rows;
} phx_recorder_spooled;

/* Rows in the last checkpoint. */
typedef struct phx_recorder_saved {
    phx_h5 *file; /* open for reading; NULL: no checkpoint yet */
    size_t rows;
} phx_recorder_saved;

/* Rows on their way to HDF5. */
typedef struct phx_recorder_block {
    size_t rows;
    double *values;             /* rows x width */
    double *dataset;            /* the same, one dataset at a time */
    unsigned long long *places; /* of the datasets in the file being written (phx_layout_parts) */
} phx_recorder_block;

/* The result that phx_recorder_take gives away. */
typedef struct phx_recorder_kept {
    bool on; /* rows are kept */
    bool taken;
    double *values; /* capacity x width, stats.rows of them used: every row */
    size_t capacity;
    int n_attributes;
    phx_attribute *attributes; /* made when the recorder is closed */
} phx_recorder_kept;

/* When checkpoints are due: least interval, s, largest share of the time; s on the monotonic clock. */
typedef struct phx_recorder_times {
    double interval, share;
    double created, csv_flushed, checkpointed;
    double cost; /* of the last checkpoint, s */
} phx_recorder_times;

/* The path of the rows:  append -> buffer (memory) -> spool (unnamed file) -> checkpoint NAME.partial -> NAME
 *
 *   rows 0 .. saved.rows-1                           in the checkpoint
 *   rows saved.rows .. saved.rows+spooled.rows-1     in the spool
 *   the last buffer.rows rows                        in memory
 *
 * A checkpoint copies the saved rows, adds the others and replaces the checkpoint before. */
struct phx_recorder {
    phx_context *context;
    phx_layout layout;
    size_t width; /* values in a row: columns, x, v, ledger, factors */
    phx_recorder_about about;
    phx_recorder_files files;
    phx_recorder_buffer buffer;
    phx_recorder_spooled spooled;
    phx_recorder_saved saved;
    phx_recorder_block block;
    phx_recorder_kept kept;
    phx_recorder_times times;
    phx_recorder_stats stats;
    double last_time;
    bool failed, closed;
};

/* The attributes of a file about the run. */
typedef struct phx_recorder_state {
    const char *status, *reason;
    int n_attributes;
    const phx_attribute *attributes;
} phx_recorder_state;

/* Write every row to NAME.partial.tmp and make it durable; removed again on failure. */
phx_status phx_recorder_store(phx_recorder *recorder, const phx_recorder_state *state);

/* Write the rows in memory to the spool. */
phx_status phx_recorder_spool(phx_recorder *recorder);

/* Store a row for phx_recorder_take; collect the attributes of the result taken. */
phx_status phx_recorder_keep(phx_recorder *recorder, const double *row, const double *x, const double *v);
phx_status phx_recorder_describe(phx_recorder *recorder, const phx_recorder_state *state);

/* One row in `to`, of `width` values. */
void phx_recorder_lay_out(const phx_recorder *recorder, const double *row, const double *x, const double *v,
                          double *to);

/* ---- for the tests ---- */
/* Bring what was appended to NAME.partial now. */
phx_status phx_recorder_checkpoint(phx_recorder *recorder);
phx_recorder_stats phx_recorder_statistics(const phx_recorder *recorder);

#endif
