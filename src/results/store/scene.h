/* Scenes: checking and their form in an HDF5 file; private to the layer results. */
#ifndef PHX_RESULTS_SCENE_H
#define PHX_RESULTS_SCENE_H

#include "results/results.h"

#include "fe/fe.h"
#include "file/file.h"

/* A type of cell: its number in VTK, its nodes (their order is that of VTK), its number in XDMF. */
typedef struct phx_cell_shape {
    int vtk, nodes, xdmf;
} phx_cell_shape;
const phx_cell_shape *phx_cell_shape_of(int vtk); /* NULL: there is none */

/* The parts of the lists that belong to one mesh. */
typedef struct phx_scene_mesh {
    int body, n_q;
    int n_factors, first_factor; /* those of this mesh among all of the scene */
    phx_stress_set stresses;
    int n_nodes, n_cells, n_triangles;
    const double *x, *thickness; /* n_nodes x 3, n_nodes */
    const int *cell_type, *cell_nodes, *triangles;
    const double *shapes, *maps;
} phx_scene_mesh;
phx_scene_mesh phx_scene_mesh_at(const phx_scene *scene, int mesh, const phx_record_body *bodies, int dimension);

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
