/* Phlexor, layer fe (private): what beams share. */
#ifndef PHLEXOR_FE_SOURCE_H
#define PHLEXOR_FE_SOURCE_H

#include "fe/fe.h"

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

/* The beam in its lowest def->modes modes. */
phx_status phx_beam_modes_create(phx_context *context, const phx_beam_def *def, phx_beam *full, phx_beam **beam);

/* A source over another one (phx_flex_source_project). */
typedef struct phx_projected_source {
    phx_flex_source source;
    phx_source_operations operations;
    phx_flex_source *full;
    double *T;
    phx_modes_quality quality; /* modes 0: not known */
} phx_projected_source;
/* NULL: another source. */
const phx_projected_source *phx_projected_of(const phx_flex_source *source);

/* phx_flex_source_quadrature of what is known to be a beam. */
void phx_beam_quadrature(const phx_beam *beam, int *count, const double **s, const double **weight);

#endif
