/* Layer body: the geometrically exact rod (docs/theory-rods.md), a body of n + 1 rigid nodes and n elements between
 * them. */
#ifndef PHX_ROD_H
#define PHX_ROD_H

#include "body/kind.h"

enum { PHX_ROD_TERMS = 200 }; /* of the series of g and k; enough to rounding up to 120 degrees between two nodes */

/* Coefficients: c_0 = 1, c_n = c_(n-1) n/(2n + 1);  k_0 = 1/6, k_n = (k_(n-1) + c_(n+1))/2. */
typedef struct phx_rod_table {
    double c[PHX_ROD_TERMS], k[PHX_ROD_TERMS];
} phx_rod_table;
void phx_rod_fill_table(phx_rod_table *table);

/* Stiffness of an element of length l at the middle, with the stress that varies along it by equilibrium,
 * sigma' = -A sigma (docs/theory-rods.md, eq. 4). strain: (Gamma, kappa) of the element at rest. compliance: of the
 * section at each Gauss point, 6 x 6. PHX_SINGULAR when the element resists no stress of some kind. */
phx_status phx_rod_element_stiffness(phx_context *context, double length, const double *strain,
                                     const double *compliance, double *C);

/* For phx_body_archive. */
extern const phx_body_ops phx_rod_ops;
void phx_rod_archive(phx_archive *archive, const phx_flex *flex, phx_body **body);

#endif
