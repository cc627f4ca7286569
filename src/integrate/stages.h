/* The stages of a collocation method over one step, and the Newton iteration that solves them. */
#ifndef PHLEXOR_INTEGRATE_STAGES_H
#define PHLEXOR_INTEGRATE_STAGES_H

#include "newton.h"
#include "tableau.h"

/* Stage arrays hold stage i in entries i n .. (i+1) n - 1. */
typedef struct phx_stage_values {
    double *x_dot;  /* s x n_x: T(X_i) V_i once the step is solved */
    double *z;      /* s x n_v: V_i - v0 */
    double *lambda; /* s x n_l */
} phx_stage_values;

typedef struct phx_stages {
    phx_run *run;
    phx_tableau tableau;
    phx_stage_values now, before; /* this step, and the last one accepted, from which this one is predicted */
    double h_before;              /* 0: none */
    double latest;  /* s: stages at the end of the step are evaluated at it at the latest; HUGE_VAL: where they are */
    double *x, *v;  /* s x n_x, s x n_v: the stages, from `now` */
    double *defect; /* s x n_v: tangent of x_dot_i - T(X_i) V_i */
    double *res;    /* s x (n_v + n_l) */
    double *shifts; /* s x (n_v + n_l): [K; K_l] defect_i */
    double *rates;  /* n_x */
    double *v_dot;  /* n_v */
    double *rhs;    /* n_v + n_l */
    double *rhs_complex;                   /* n_v + n_l, interleaved */
    double *mean_x, *mean_v, *mean_lambda; /* n_x, n_v, n_l */
    double *memory;                        /* storage of the arrays x to mean_lambda */
    const double *weight_v; /* n_v, 1/allowed error: solve to weight_tolerance of it; NULL: to rounding */
    double weight_tolerance;
    phx_jacobian jacobian; /* A(real/h), A((re + i im)/h) */
    double rate;           /* contraction of the last solution */
    int iterations;        /* of the last solution */
} phx_stages;

enum { PHX_SLOT_REAL, PHX_SLOT_COMPLEX };

/* Allocates; the tableau is copied. After a failure, too, phx_stages_release frees what there is. */
phx_status phx_stages_create(phx_run *run, const phx_tableau *tableau, phx_stages *stages);
void phx_stages_release(phx_stages *stages);
/* Solve the stages of the step of size h from the accepted state of the run at t0. Positive: retry with a smaller h. */
phx_status phx_stages_solve(phx_stages *stages, double t0, double h);
/* Work over the step by the quadrature of the method, sum_i h b_i power(stage i). */
phx_status phx_stages_work(phx_stages *stages, double t0, double h, phx_work *work);
/* Keep the stages of an accepted step for the prediction of the next one. */
void phx_stages_keep(phx_stages *stages, double h);
/* The next step is predicted from none before, and makes its own Jacobian. */
void phx_stages_forget(phx_stages *stages);

#endif
