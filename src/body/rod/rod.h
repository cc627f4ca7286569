/* Layer body: the geometrically exact rod (docs/rods.md), a body of n + 1 rigid nodes and n elements between them. */
#ifndef PHX_ROD_H
#define PHX_ROD_H

#include "body/body.h"

enum {
    PHX_ROD_TERMS = 200, /* of the series of g and k; enough to rounding up to 120 degrees between two nodes */
    PHX_ROD_GAUSS = 6,   /* points of an element at which its section is asked for */
    PHX_ROD_SECTION = 36 /* entries of a matrix over (N1 N2 N3 M1 M2 M3) or (v1 v2 v3 w1 w2 w3) */
};

/* Coefficients: c_0 = 1, c_n = c_(n-1) n/(2n + 1);  k_0 = 1/6, k_n = (k_(n-1) + c_(n+1))/2. */
typedef struct phx_rod_table {
    double c[PHX_ROD_TERMS], k[PHX_ROD_TERMS];
} phx_rod_table;
void phx_rod_fill_table(phx_rod_table *table);

/* Points and weights of an element in [0, 1]. */
void phx_rod_gauss(double *point, double *weight);

/* Stiffness of an element of length l at the middle, with the stress that varies along it by equilibrium,
 * sigma' = -A sigma (docs/rods.md, eq. 4). strain: (Gamma, kappa) of the element at rest. compliance: of the section at
 * each Gauss point, 6 x 6. PHX_ERR_SINGULAR when the element resists no stress of some kind. */
phx_status phx_rod_element_stiffness(phx_context *context, double length, const double *strain,
                                     const double *compliance, double *C);

/* A mass at a node, its inertia about it in the axes of its section (plane: [0]). */
typedef struct phx_rod_mass {
    int node; /* from 0 */
    double mass, inertia[9];
} phx_rod_mass;

/* A rod at rest: its nodes, the axes of their sections (columns; the first along the rod), the lengths of its elements
 * along the curve and its sections at the Gauss points of each. Compliance (N1 N2 N3 M1 M2 M3) -> (Gamma, K), which may
 * be singular in the shears, and mass per length against (v, w) of the section's axes are 6 x 6 in the plane too, where
 * only the entries of its three motions count. Everything is copied. */
typedef struct phx_rod_def {
    const char *name;
    int dim, elements;
    const double *place;      /* (n + 1) x dim */
    const double *axes;       /* (n + 1) x dim x dim */
    const double *length;     /* n */
    const double *compliance; /* n x PHX_ROD_GAUSS x 36 */
    const double *mass;       /* n x PHX_ROD_GAUSS x 36 */
    double damping;           /* s: Kelvin-Voigt, stress + damping * C strain rate */
    int n_masses;
    const phx_rod_mass *masses;
} phx_rod_def;

/* PHX_ERR_ARGUMENT, with the name, for values that make no rod, and for more than 120 degrees between two nodes. */
phx_status phx_rod_create(phx_context *context, const phx_rod_def *def, phx_body **body);
/* The angle between two neighbouring nodes that is largest, rad; *element: which (from 0). */
double phx_rod_largest_angle(const phx_body *body, const double *x, int *element);

#endif
