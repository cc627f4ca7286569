/* Phlexor, layer fe: what it offers to the layers above and not to users. */
#ifndef PHLEXOR_FE_FE_H
#define PHLEXOR_FE_FE_H

#include <phlexor/fe.h>

enum { PHX_GAUSS_MAX = 8 }; /* points of a Gauss rule */

/* Gauss rule on [0,1], exact to degree 2*count-1; 1 <= count <= PHX_GAUSS_MAX. */
void phx_gauss(int count, double *point, double *weight);
/* Number of Gauss points that integrate polynomials of this degree exactly. */
static inline int phx_gauss_count(int degree)
{
    return degree / 2 + 1;
}

#endif
