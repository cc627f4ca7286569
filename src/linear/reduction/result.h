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
    int m, p;               /* inputs, outputs */
    char **inputs, **outputs;
    /* e = (rigid displacements, z, rigid velocities, prescribed motions s), all motions prescribed by their rates w:
     * what is proper, with outputs conjugate to the inputs; the efforts mu of w have inertia w' beside theirs */
    int states, rigid, elastic; /* in all; rigid displacements; z */
    char **states_names;
    double *J, *R, *Q; /* states x states */
    double *B, *P;     /* states x m */
    double *S, *N;     /* m x m */
    int held;
    phx_channel_kind *kind; /* m */
    int *row;               /* m: of each input its prescribed motion, -1: none */
    char **rates;           /* held: names of w */
    double *inertia;        /* held x held, symmetric, positive definite */
    /* the outputs asked for: y = C e + D u + D_dot u' + Y_h mu */
    double *C, *D, *D_dot; /* p x states, p x m, p x m */
    double *Y_h;           /* p x held */
};

/* result.c */
phx_status phx_copy_names(phx_context *context, int count, char *const *names, char ***copies);

/* result_forms.c: of first order. */
phx_status phx_reduction_first_ss(phx_context *context, const phx_reduction *spec, bool proper, phx_ss **ss);
phx_status phx_reduction_first_descriptor(phx_context *context, const phx_reduction *spec, phx_descriptor **descriptor,
                                          phx_measured *measured);
/* The descriptor form with prescribed motions by their rates, also where their accelerations are the inputs. */
phx_status phx_reduction_by_rates(phx_context *context, const phx_reduction *spec, phx_descriptor **descriptor);

/* result_second.c: on the basis of `projected`, whose V is not rigid from column `rigid` on. */
phx_status phx_reduction_take_second(const phx_full *full, const phx_projected *projected, phx_reduction *out);
/* result_first.c: elastic states x = Z z (of phx_ph_of for all modes, n x k) and their system `ph`, not scaled. */
phx_status phx_reduction_take_first(const phx_full *full, const phx_projected *all, const phx_ph *ph, const double *Z,
                                    phx_reduction *out);
/* Rows w_i (outputs x n) with A w_i.. : multipliers of joints are Z^T (M xi'' + D xi' + K xi - F u), and Y_l Z^T what
 * the outputs see of them. */
phx_status phx_reduction_multipliers(const phx_full *full, double **W);

#endif
