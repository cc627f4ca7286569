/* LU factors of small dense matrices, real and complex, with row pivoting. */
#ifndef PHLEXOR_TESTS_INTEGRATE_DENSE_H
#define PHLEXOR_TESTS_INTEGRATE_DENSE_H

#include "pendulum.h"

/* A = P L U in place, n <= MOST; PHX_SINGULAR without a pivot. */
phx_status lu_factor(int n, double a[MOST][MOST], int *pivot);
phx_status lu_factor_complex(int n, double complex a[MOST][MOST], int *pivot);
/* b <- A^-1 b */
void lu_solve(int n, double a[MOST][MOST], const int *pivot, double *b);
void lu_solve_complex(int n, double complex a[MOST][MOST], const int *pivot, double complex *b);

#endif
