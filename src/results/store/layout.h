/* The layout of a row of a result: columns, states, bodies; private to the layer results. */
#ifndef PHX_RESULTS_LAYOUT_H
#define PHX_RESULTS_LAYOUT_H

#include "results/results.h"

#include "file/file.h"

/* Owns everything it points to. In an HDF5 file:
 *   /columns/NAME  rows          attributes name, unit; in the order of the columns
 *   /ledger/supplied/NAME, /ledger/dissipated/NAME   rows, the same (absent without any)
 *   /states/x, v, factors   rows x n_x, rows x n_v, rows x n_factors (absent when empty)
 *   /switched   of a run with events: what they have switched up to the last row, bytes (phx_recorder_set_switched)
 *   /bodies/name, kind, x_start, x_count, v_start, v_count, n_points, deforms   one entry for each body
 *   /bodies/points, shapes   points and, where `deforms` is 1, shapes of all bodies one after the other, flat
 *   and, with a scene, its lists (scene.c) */
typedef struct phx_layout {
    int dimension;
    int n_columns;
    phx_record_column *columns;
    char **column_paths; /* n_columns, in the HDF5 file */
    int n_ledger;
    phx_record_entry *ledger;
    char **ledger_paths;
    int n_x, n_v;
    int n_bodies;
    phx_record_body *bodies;
    phx_scene *scene; /* NULL: none */
    int n_factors;    /* of it */
} phx_layout;

/* Number of deformations of a body: the rest of its range of x behind position and attitude; negative: the range is too
 * small. */
int phx_layout_deformations(int dimension, const phx_record_body *body);

/* The bodies of a def fit its dimension and states, and the scene the bodies. */
phx_status phx_layout_check_bodies(phx_context *context, const phx_recorder_def *def);
/* Copy dimension, bodies and scene alone, unchecked. */
phx_status phx_layout_copy_bodies(phx_context *context, const phx_recorder_def *def, phx_layout *layout);
/* Copy from a def, after checking it. */
phx_status phx_layout_create(phx_context *context, const phx_recorder_def *def, phx_layout *layout);
void phx_layout_free(phx_layout *layout);

/* The datasets that hold the values of a row, in its order: columns, x, v, ledger, factors. */
int phx_layout_parts(const phx_layout *layout);
/* Everything but the rows themselves. `places` (phx_layout_parts) receives where those of each dataset begin
 * (phx_h5_put_at). PHX_ERR_MEMORY; other failures stick to the file. */
phx_status phx_layout_write(phx_h5 *file, const phx_layout *layout, size_t rows, unsigned long long *places);
phx_status phx_layout_read(phx_h5 *file, phx_layout *layout, size_t *rows);
/* The same of dimension, bodies and scene alone; read into a layout whose n_x and n_v are set. */
phx_status phx_layout_write_bodies(phx_h5 *file, const phx_layout *layout);
phx_status phx_layout_read_bodies(phx_h5 *file, phx_layout *layout);

#define PHX_PATH_X        "/states/x"
#define PHX_PATH_V        "/states/v"
#define PHX_PATH_FACTORS  "/states/factors"
#define PHX_PATH_SWITCHED "/switched"

#endif
