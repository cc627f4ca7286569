/* The bodies of a result as points with data, one instant after the other: what every program that shows a motion gets;
 * private to the layer results.
 *
 * Points: the origins of all bodies' frames, then the polylines that draw them. Cells: a vertex for each origin, then a
 * line through the polyline of each body that has two points at least. At every point there are the arrays
 *
 *   displacement  R Phi q                        m, inertial: what the deformation adds
 *   velocity      R (v + w x b + Phi q_dot)      m/s, inertial, b = x + Phi q
 *   axis_x, axis_y, axis_z                       the body's axes in inertial components (columns of R)
 *   axial_force, bending_moment_y, _z, torsion   N, N m, of the results that have their maps; 0 elsewhere
 *
 * and `body`, the number of the body from 0, which does not change.
 *
 * Bodies on a mesh have besides the nodes and cells of it, with arrays of their own:
 *
 *   displacement, thickness                      m
 *   stress_xx ... bending_moment_xx ...          the components of their stresses, body axes; 0 where a body has others
 *   von_mises; of plates von_mises_top, _bottom  Pa */
#ifndef PHX_RESULTS_FRAMES_H
#define PHX_RESULTS_FRAMES_H

#include "results/results.h"

#include "fe/fe.h"
#include "folder.h"

enum { PHX_FRAME_VECTORS = 5, PHX_FRAME_ARRAYS = 9, PHX_FRAME_MESH_ARRAYS = 32 };

typedef struct phx_frame_array {
    const char *name;
    int components; /* 1 or 3 */
    double *values; /* n_points x components */
} phx_frame_array;

typedef struct phx_frames_mesh {
    int n_points; /* of all meshes; 0: there are none */
    int *body;
    double *place; /* n_points x 3, m, inertial */
    int n_arrays;
    phx_frame_array arrays[PHX_FRAME_MESH_ARRAYS]; /* their names are owned */
    int first_of_set[PHX_STRESS_SETS];             /* arrays of the components of a set, then its von Mises stresses */
} phx_frames_mesh;

typedef struct phx_frames {
    phx_context *context;
    phx_result *result;
    size_t rows, count; /* instants of the result, and how many of them are shown */
    int n_points, n_lines;
    int *body;     /* n_points */
    double *place; /* n_points x 3, m, inertial; z = 0 in the plane */
    int n_arrays;
    phx_frame_array arrays[PHX_FRAME_ARRAYS];
    phx_frames_mesh mesh;
    double *x, *v;   /* state of the instant */
    double *factors; /* of the scene, likewise */
    double *values;  /* columns of the result at the instant; the first is the time */
} phx_frames;

/* `most` instants at most (0: all), evenly chosen, the first and the last among them. PHX_ERR_FILE when the result has
 * no rows or no bodies. Free with phx_frames_close, on failure too. */
phx_status phx_frames_open(phx_context *context, const char *path, int most, phx_frames *frames);
void phx_frames_close(phx_frames *frames);
/* Instant k in place, arrays and values. */
phx_status phx_frames_read(phx_frames *frames, size_t k);
/* A body as it is drawn: its parts of the state. */
typedef struct phx_seen_body {
    const phx_record_body *record;
    int dim, n_q;
    double rotation[9]; /* 3 x 3, body to inertial */
    double origin[3], linear[3], angular[3];
    const double *q, *q_dot;
} phx_seen_body;
void phx_frames_see(const phx_frames *frames, int body, phx_seen_body *seen);
void phx_frames_to_inertial(const double *rotation, const double *a, double *y);
/* The polyline of a body: its first point and how many; a cell of its own when there are two at least. */
int phx_frames_line(const phx_frames *frames, int body, int *first);
/* A folder `name` of what `write` makes of the frames; it appears when it is complete (folder.h). */
phx_status phx_frames_export(phx_context *context, const char *result_path, const char *name, int most,
                             phx_folder_owner *is_ours, phx_status (*write)(phx_frames *frames, phx_folder *folder));

#endif
