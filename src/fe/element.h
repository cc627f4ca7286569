/* Phlexor, layer fe (private): one-dimensional elements in mixed form.
 *
 * An element pairs a displacement (and velocity) space phi with a stress space psi. On an element of length h
 *
 *   M1 = int rho phi phi^T,   M2 = int psi psi^T / stiffness,   D = int psi (d^k phi / dx^k)^T,   K = D^T M2^-1 D
 *
 * (theory 2 (2), the weak form of [1] 4.1 with Div integrated by parts). Both spaces are polynomials given by their
 * coefficients, so that every integral is exact with a Gauss rule of sufficient degree. */
#ifndef PHLEXOR_FE_ELEMENT_H
#define PHLEXOR_FE_ELEMENT_H

#include "fe/fe.h"

enum { PHX_SHAPE_MAX = 6 }; /* functions of one space on one element */

/* Polynomials on the element, in xi = x/h from 0 to 1. The functions of the left node come first, then those of the
 * right node, so that function k of element e is the mesh's function e*stride + k. */
typedef struct phx_shape {
    int count;                 /* functions on an element */
    int stride;                /* step of the numbers from element to element: values per node, or count when the space
                                  is discontinuous */
    int degree;                /* of the polynomials */
    const double *coefficient; /* count x (degree+1), ascending powers of xi */
    const int *scale;          /* count: function k carries the factor h^scale[k] */
} phx_shape;

/* value[k] = d^derivative/dx^derivative of function k at xi. */
void phx_shape_evaluate(const phx_shape *shape, double h, double xi, int derivative, double value[PHX_SHAPE_MAX]);
/* Functions on a mesh of so many elements. */
static inline int phx_shape_total(const phx_shape *shape, int elements)
{
    return shape->stride * (elements - 1) + shape->count;
}
static inline bool phx_shape_discontinuous(const phx_shape *shape)
{
    return shape->stride == shape->count;
}

typedef struct phx_element {
    const char *name;
    phx_shape displacement, stress;
    int derivative; /* k: the strain is the k-th derivative of the displacement */
} phx_element;

extern const phx_element phx_element_bar;           /* P1 / DG0 */
extern const phx_element phx_element_torsion;       /* P1 / DG0 */
extern const phx_element phx_element_hermite3;      /* C1 cubic Hermite / DG1 */
extern const phx_element phx_element_hermite5;      /* C2 quintic Hermite / DG3 */
extern const phx_element phx_element_bar_paper;     /* P1 / P1 */
extern const phx_element phx_element_hermite_paper; /* C1 cubic Hermite / C1 cubic Hermite */

/* Spaces that more than one element uses. */
extern const double phx_coefficient_p1[2 * 2];
extern const int phx_scale_p1[2];
extern const double phx_coefficient_hermite3[4 * 4];
extern const int phx_scale_hermite3[4];

typedef enum phx_element_role { PHX_ROLE_AXIAL, PHX_ROLE_BENDING, PHX_ROLE_TORSION } phx_element_role;

/* The element for a role, from the one table of elements; NULL when there is none. */
const phx_element *phx_element_find(phx_element_role role, phx_element_kind kind, int order);

/* Element matrices of the mixed form on an element of length h (row-major): m2 is count x count of the stress space,
 * d is (stress count) x (displacement count). */
void phx_element_matrices(const phx_element *element, double h, double stiffness, double *m2, double *d);

#endif
