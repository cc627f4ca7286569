/* Solids for pictures, and how large bodies look; private to the pictures of bodies (visuals.c, shape_sizes.c). */
#ifndef PHLEXOR_STUDY_VISUALS_H
#define PHLEXOR_STUDY_VISUALS_H

#include "internal.h"
#include "mesh/mesh.h"

enum { PHX_SOLID_AROUND = 32 }; /* points of a circle */

/* About z by n radii and heights, upwards on the outside; `closed`: the last joined to the first. */
phx_status phx_solid_revolve(phx_context *context, int around, int n, const double *radius, const double *height,
                             bool closed, phx_surface *surface);
/* About the origin, its lengths along x, y, z. */
phx_status phx_solid_box(phx_context *context, const double size[3], phx_surface *surface);
/* A cylinder along z about the origin, with half balls beyond its ends when `round`; a ball where its length is 0. */
phx_status phx_solid_capsule(phx_context *context, double diameter, double length, bool round, phx_surface *surface);
/* A spur gear along z about the origin: its teeth reach a module beyond the pitch circle, and 5/4 below it. */
phx_status phx_solid_gear(phx_context *context, double pitch_diameter, int teeth, double length, phx_surface *surface);
/* The outline (rows of two numbers) along a line of n places. */
phx_status phx_solid_extrude(phx_context *context, const phx_model_matrix *outline, int n, const double *line,
                             phx_surface *surface);
/* Axes (columns) whose third is along `direction`, and whose second is as near to y as it can be (to z along y). */
void phx_solid_axes(const double direction[3], double axes[9]);
/* The middle and such axes of a line between two places; its length, 0: the axes are left alone. */
double phx_solid_between(const double from[3], const double to[3], double middle[3], double axes[9]);
/* Diameter of a ball of steel, m, for a mass in kg. */
double phx_solid_steel_ball(double mass);
/* Mass matrix of a body at rest against its rigid velocities, 3 x 3 in the plane, 6 x 6 in space. */
phx_status phx_mass_at_rest(phx_context *context, const phx_body *body, double mass[36]);
/* x := place + axes x for all points. */
void phx_solid_move(phx_surface *surface, const double place[3], const double axes[9]);

#endif
