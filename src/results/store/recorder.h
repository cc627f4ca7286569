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

/* The path of the rows:  append -> buffer (memory) -> spool (unnamed file) -> checkpoint NAME.partial -> NAME
 *
 *   rows 0 .. n_saved-1                    in the checkpoint `saved`
 *   rows n_saved .. n_saved+n_spooled-1    in the spool
 *   the last n_buffered rows               in memory
 *
 * A checkpoint copies the saved rows, adds the others and replaces the checkpoint before. */
struct phx_recorder {
    phx_context *context;
    phx_layout layout;
    char *model_name, *model_text, *program_version, *integrator;
    int n_attributes;
    phx_attribute *attributes;

    bool has_h5, has_csv;
    char *h5_path, *h5_partial, *h5_temporary;
    phx_output csv;

    size_t width;   /* values in a row: columns, x, v */
    double *buffer; /* capacity x width */
    size_t capacity, n_buffered;
    int spool; /* descriptor; -1: none */
    size_t n_spooled;
    phx_h5 *saved; /* open for reading; NULL: no checkpoint yet */
    size_t n_saved;
    double *block, *scratch; /* block_rows x width: rows on their way to HDF5; the same, one dataset at a time */
    size_t block_rows;
    double last_time;
    bool in_memory, taken;
    double *kept; /* kept_capacity x width, stats.rows of them used: every row, for phx_recorder_take */
    size_t kept_capacity;
    int n_kept_attributes;
    phx_attribute *kept_attributes; /* of the result to take: made when the recorder is closed */

    double interval, share;
    double created, csv_flushed, checkpointed; /* s on the monotonic clock */
    double cost;                               /* of the last checkpoint, s */
    phx_recorder_stats stats;
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

/* One row in `to`: columns, x, v. */
void phx_recorder_lay_out(const phx_recorder *recorder, const double *row, const double *x, const double *v,
                          double *to);

/* ---- for the tests ---- */
/* Bring what was appended to NAME.partial now. */
phx_status phx_recorder_checkpoint(phx_recorder *recorder);
phx_recorder_stats phx_recorder_statistics(const phx_recorder *recorder);

#endif
