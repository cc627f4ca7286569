/* The meshes of the bodies as points with data: the other half of frames.h; private to the layer results. */
#ifndef PHX_RESULTS_FRAMES_MESH_H
#define PHX_RESULTS_FRAMES_MESH_H

#include "frames.h"
#include "results/store/scene.h"

enum { PHX_MESH_DISPLACEMENT, PHX_MESH_THICKNESS }; /* places among the arrays */

phx_status phx_frames_mesh_open(phx_frames *frames);
void phx_frames_mesh_read(phx_frames *frames); /* the state of the instant is there */
void phx_frames_mesh_close(phx_frames *frames);
/* Each cell in turn: its nodes, of which 0 is the point `first`. Returns their number; `visit` may be NULL. */
typedef void phx_frames_cell_fn(void *user, const phx_cell_shape *shape, const int *node, int first);
int phx_frames_mesh_cells(const phx_frames *frames, phx_frames_cell_fn *visit, void *user);

#endif
