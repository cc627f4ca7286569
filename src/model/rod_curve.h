/* Phlexor, layer model, private: the curve of a rod at rest, from its key `curve`, as nodes with axes. */
#ifndef PHLEXOR_MODEL_ROD_CURVE_H
#define PHLEXOR_MODEL_ROD_CURVE_H

#include <phlexor/model.h>

typedef enum phx_rod_curve_kind { PHX_ROD_STRAIGHT, PHX_ROD_ARC, PHX_ROD_POINTS } phx_rod_curve_kind;

/* Body axes; every curve starts at the origin along x. */
typedef struct phx_rod_curve {
    phx_rod_curve_kind kind;
    double length;                  /* straight */
    double radius, angle;           /* arc in x-y: bends towards y with an angle > 0, away from it else */
    const phx_model_matrix *points; /* of a cubic spline, the first the origin */
    double twist;                   /* rad, of the section about the curve, linear over its length */
} phx_rod_curve;

/* n elements, from `fraction` of the length each and `share` of it long: n + 1 nodes, place (dim each), axes (dim x dim
 * each, columns: tangent, then the axes of the section), n lengths. PHX_ERR_ARGUMENT, PHX_ERR_MEMORY. */
phx_status phx_rod_curve_nodes(phx_context *context, int dim, const phx_rod_curve *curve, int n, const double *fraction,
                               const double *share, double *place, double *axes, double *length);

#endif
