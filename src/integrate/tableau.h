/* Collocation methods: nodes, weights, and the transformation that splits a step's Newton system. */
#ifndef PHLEXOR_INTEGRATE_TABLEAU_H
#define PHLEXOR_INTEGRATE_TABLEAU_H

#include "base/base.h"

enum { PHX_STAGES = 3 }; /* at most */

/* s stages at c_i in (0, 1]. Matrices are row-major with leading dimension s. For z_i = h sum_j a_ij z_dot_j:
 *     h z_dot_i = sum_j a_inverse_ij z_j,    end of the step: h sum_i b_i z_dot_i = sum_i d_i z_i
 * a_inverse = basis B basis_inverse, where B is real (an odd s only) followed by the 2x2 block of re +- i im:
 *     B [re im]   acts on (y1, y2) as (re + i im) acts on y1 - i y2,   basis = [t0, Re t1, Im t1]
 *       [-im re]  */
typedef struct phx_tableau {
    int s;
    double c[PHX_STAGES], b[PHX_STAGES], d[PHX_STAGES];
    double a[PHX_STAGES * PHX_STAGES], a_inverse[PHX_STAGES * PHX_STAGES];
    double real, re, im; /* eigenvalues of a_inverse; real only when s is odd */
    double basis[PHX_STAGES * PHX_STAGES], basis_inverse[PHX_STAGES * PHX_STAGES];
    double error[PHX_STAGES]; /* s = 3: embedded error h z_dot(0)/real + sum_i error_i z_i, zero for cubics */
} phx_tableau;

/* Gauss: order 2s at the zeros of the Legendre polynomial; s = 2 or 3. */
void phx_tableau_gauss(int s, phx_tableau *tableau);
/* Radau IIA, order 5: at the zeros of P_3 - P_2, the last of them 1. */
void phx_tableau_radau(phx_tableau *tableau);

/* Values at tau of the polynomials of degree s-1 through the nodes (l_j(c_i) = 1 where i = j, else 0). */
void phx_tableau_lagrange(const phx_tableau *tableau, double tau, double *l);
/* The same of degree s that also vanish at 0. */
void phx_tableau_lagrange_zero(const phx_tableau *tableau, double tau, double *l);

#endif
