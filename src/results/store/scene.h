/* Scenes: checking and their form in an HDF5 file; private to the layer results. */
#ifndef PHX_RESULTS_SCENE_H
#define PHX_RESULTS_SCENE_H

#include "results/results.h"

#include "file/file.h"

/* The lists fit the bodies and each other and are finite; PHX_ERR_ARGUMENT says what does not. */
phx_status phx_scene_check(phx_context *context, int dimension, int n_bodies, const phx_record_body *bodies,
                           const phx_scene *scene);
/* A dataset for each list, in /bodies, which is there, and groups of their own. Failures stick to the file. */
void phx_scene_write(phx_h5 *file, int dimension, const phx_scene *scene);
bool phx_scene_is_in(phx_h5 *file);
/* `scene` has to be freed after a failure too. */
phx_status phx_scene_read(phx_h5 *file, int dimension, phx_scene *scene);

/* A copy that owns everything; `dimension` 2 or 3. */
phx_status phx_scene_copy(phx_context *context, int dimension, const phx_scene *scene, phx_scene *copy);

#endif
