/* Private to layer results. */
#ifndef PHX_RESULTS_MOTION_EXPORT_H
#define PHX_RESULTS_MOTION_EXPORT_H

#include "results/results.h"

/* The motion of a result for ParaView: FOLDER/motion.pvd and one FOLDER/frame_NNNNNN.vtp for each of `most_frames`
 * instants at most (0: all), evenly chosen, the first and the last among them. Points: the frames' origins and the
 * polylines of the bodies in space (z = 0 in the plane) with the vectors displacement (what the deformation adds),
 * velocity and the body's axes axis_x, axis_y, axis_z, the section forces that the result has maps of (axial_force,
 * bending_moment_y, bending_moment_z, torsion; 0 elsewhere); the number of the body; the columns of the result as field
 * data. The folder is built as FOLDER.partial. PHX_ERR_FILE when it exists and is not empty, or the result has no
 * bodies. */
phx_status phx_export_vtk(phx_context *context, const char *result_path, const char *folder, int most_frames);

/* The same as XDMF, in two files for all instants: FOLDER/motion.xmf, which is to be opened, and FOLDER/motion.h5. */
phx_status phx_export_xdmf(phx_context *context, const char *result_path, const char *folder, int most_frames);

/* The motion as glTF: one .glb file with the surfaces of the bodies and an animation. */
phx_status phx_export_glb(phx_context *context, const char *result_path, const char *path, int most_frames);

#endif
