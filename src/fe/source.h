/* Phlexor, layer fe (private): what a source of deformation is made of. */
#ifndef PHLEXOR_FE_SOURCE_H
#define PHLEXOR_FE_SOURCE_H

#include "fe/fe.h"

typedef struct phx_source_operations {
    const char *name; /* "beam": for messages */
    /* Frees the data of the source beside `flex`, and the source itself. */
    void (*destroy)(phx_flex_source *source);
    /* The point at a location, of one of these sorts (bits). A fraction is in [0, 1]. */
    unsigned sorts;
    phx_status (*point)(const phx_flex_source *source, phx_context *context, const phx_location *location,
                        phx_flex_point *point);
    /* Of a source with sections, else NULL; see phx_flex_source_section_rows and its like. */
    void (*section_rows)(const phx_flex_source *source, const phx_location *location, double *axial, double *moment,
                         double *torsion);
    void (*quadrature)(const phx_flex_source *source, int *count, const double **s, const double **weight);
} phx_source_operations;

/* First member of every source. */
struct phx_flex_source {
    const phx_source_operations *operations;
    int shares; /* owners beside the first */
    phx_flex flex;
};

/* Arrays of a point that moves on so many coordinates; on failure the point is empty. */
phx_status phx_flex_point_allocate(phx_context *context, int dim, int n, phx_flex_point *point);
/* Full pattern of n x n, and that of a diagonal. */
phx_status phx_flex_dense_pattern(phx_context *context, phx_flex *flex);
phx_status phx_flex_diagonal_pattern(phx_context *context, phx_flex *flex);
/* Gauss rule of so many points (at most PHX_GAUSS_MAX) on each of so many panels of equal length: fractions of the
 * length and weights (m), allocated; freed by the caller on failure too. */
phx_status phx_panel_quadrature(phx_context *context, double length, int panels, int points, int *count, double **s,
                                double **weight);

/* Beams by their element. The definition has been checked. Both offer these sorts. */
enum { PHX_BEAM_SORTS = 1 << PHX_LOCATION_ORIGIN | 1 << PHX_LOCATION_FRACTION };
/* The fraction of the length; that of the origin, P, is 0. */
static inline double phx_beam_fraction(const phx_location *location)
{
    return location->sort == PHX_LOCATION_FRACTION ? location->fraction : 0.0;
}
phx_status phx_mesh_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam);
phx_status phx_assumed_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam);

/* phx_flex_source_quadrature of what is known to be a beam. */
void phx_beam_quadrature(const phx_beam *beam, int *count, const double **s, const double **weight);

#endif
