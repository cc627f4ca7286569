/* Phlexor, layer fe (private): what beams share. */
#ifndef PHLEXOR_FE_SOURCE_H
#define PHLEXOR_FE_SOURCE_H

#include "fe/fe.h"
#include "reduce/reduce.h"

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

/* The definition of a beam without its basis, masses copied; freed by phx_beam_def_free. */
phx_status phx_beam_def_copy(phx_context *context, const phx_beam_def *def, phx_beam_def *copy);
void phx_beam_def_free(phx_beam_def *def);

/* The beam with the section at this fraction of the length, between two stations, all along. */
phx_beam_def phx_beam_def_at(const phx_beam_def *def, double s);

/* The beam in the basis of def. */
phx_status phx_beam_modes_create(phx_context *context, const phx_beam_def *def, phx_beam *full, phx_beam **beam);

enum {
    PHX_DENSE_MODES_MOST = 4000, /* coordinates of the dense eigenproblem */
    PHX_RIGID_MOST = 6           /* rigid motions */
};
/* The first of the largest entries (within a part in a million) of each of k columns of T (n x k) is positive. */
void phx_modes_fix_signs(int n, int k, double *T);
/* K = L L^T, dense, allocated; f <- K^-1 f. */
phx_status phx_flex_factor_stiffness(phx_context *context, const phx_flex *flex, double **L);
void phx_flex_respond(int n, const double *L, double *f);
/* The shapes of the basis of def for its interfaces, orthonormal in M, orthogonal in K, and of a Craig-Bampton basis
 * the effective masses of its modes; the caller frees the shapes, on failure too (interface_basis.c). */
phx_status phx_beam_interface_shapes(phx_context *context, const phx_beam_def *def, const phx_flex_source *full,
                                     phx_shapes *shapes, phx_effective_mass *effective);

/* A source over another one (phx_flex_source_project). */
typedef struct phx_projected_source {
    phx_flex_source source;
    phx_source_operations operations;
    phx_flex_source *full;
    double *T;
    phx_modes_quality quality;    /* modes 0: not known */
    phx_effective_mass effective; /* of the modes of a Craig-Bampton basis */
} phx_projected_source;
/* NULL: another source. */
const phx_projected_source *phx_projected_of(const phx_flex_source *source);

/* phx_flex_source_quadrature of what is known to be a beam. */
void phx_beam_quadrature(const phx_beam *beam, int *count, const double **s, const double **weight);

#endif
