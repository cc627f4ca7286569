/* The result of a reduction. */
#ifndef PHX_REDUCTION_RESULT_H
#define PHX_REDUCTION_RESULT_H

#include "linear/reduction/reduction.h"

struct phx_reduction {
    char *name;
    phx_reduction_report report;
    phx_reduction_curves curves;
    int n, count;
    double *basis;          /* n x count */
    phx_linearised *second; /* of second order: the mechanism on its basis; NULL: of first order, then */
    int states;             /* entries of e = (rigid displacements, z, rigid velocities) */
    int m, p;               /* inputs, outputs */
    char **states_names, **inputs, **outputs;
    double *J, *R, *Q; /* states x states */
    double *B, *P;     /* states x m */
    double *S, *N;     /* m x m */
    double *C, *D;     /* p x states, p x m: the outputs asked for */
};

/* result_second.c: on the basis of `projected`, whose V is not rigid from column `rigid` on. */
phx_status phx_reduction_take_second(const phx_full *full, const phx_projected *projected, phx_reduction *out);
/* result_first.c: elastic states x = Z z (of phx_ph_of for all modes, n x k) and their system `ph`, not scaled. */
phx_status phx_reduction_take_first(const phx_full *full, const phx_projected *all, const phx_ph *ph, const double *Z,
                                    phx_reduction *out);
/* Rows w_i (outputs x n) with A w_i.. : multipliers of joints are Z^T (M xi'' + D xi' + K xi - F u), and Y_l Z^T what
 * the outputs see of them. */
phx_status phx_reduction_multipliers(const phx_full *full, double **W);

#endif
