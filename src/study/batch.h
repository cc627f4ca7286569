/* A batch over the points of a sweep, by threads and processes; private to the layer study. */
#ifndef PHLEXOR_STUDY_BATCH_H
#define PHLEXOR_STUDY_BATCH_H

#include "internal.h"
#include "ranks/ranks.h"

enum { OF_OUTPUT = 3, NAME_SIZE = 320 }; /* end, min, max */

/* The data of one thread. */
typedef struct batch_worker {
    phx_model *model;
    phx_beam_cache *cache;
    phx_model_override *overrides; /* of the sweep's parameters */
    phx_attribute *attributes;     /* the same, for the result */
    char *names;                   /* of the attributes */
} batch_worker;

/* A point between its computation and its delivery: its result is recorded, but not written to HDF5 yet. */
typedef struct batch_slot {
    phx_context *files; /* of the recorder, which changes threads */
    phx_recorder *recorder;
    phx_limits *limits;
    bool elsewhere; /* computed by another process, which has written its result */
    int item;       /* then */
    char *message;  /* the reason of a failure; NULL: success */
    phx_simulate_report report;
    int n_outputs;
    double *outputs; /* end, min, max of each */
    char *names;     /* of the outputs, NAME_SIZE each */
} batch_slot;

typedef struct batch_work {
    phx_context *context;
    const phx_model *model;
    const phx_study_batch_options *options;
    const phx_sweep *sweep;
    phx_study_batch_report *report;
    int n_parameters, digits;
    phx_ordered_map *map;
    batch_worker *workers;
    batch_slot *slots;
    phx_table *table;
    int n_outputs;   /* of the table */
    int waiting;     /* number of points that failed before the table was begun */
    char **messages; /* of these points */
    double *row;
    int items;             /* points of the shard */
    phx_table_lines lines; /* of the table that is resumed */
    int first;             /* items before it are taken over */
    int own;               /* workers that compute; those behind them ask another process to */
} batch_work;

/* Free what is in a slot. */
void batch_empty(batch_slot *slot);
/* Compute an item on a worker of this process (phx_ordered_map_work). */
phx_status batch_compute(void *user, phx_context *context, int worker, int item, int slot);
/* Write the result of a point that was computed, with its warnings to the context's log. */
phx_status batch_write_result(const batch_work *work, phx_context *context, int point, batch_slot *slot);
int batch_point_of(const batch_work *work, int item);

/* ---- over processes (batch_ranks.c) ----
 * Rank 0 hands out the items: for each other process it has workers that send an item there and wait for the slot. */
int batch_askers(const phx_ranks *ranks);
phx_status batch_ask(const batch_work *work, phx_context *context, int worker, int item, batch_slot *slot);
/* The other processes: compute what they are asked for until rank 0 says that it is done. */
phx_status batch_serve(batch_work *work);
void batch_dismiss(const phx_ranks *ranks);

#endif
