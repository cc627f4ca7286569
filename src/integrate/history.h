/* The last intervals solved, and the prediction of the next one by extrapolation from them. */
#ifndef PHLEXOR_INTEGRATE_HISTORY_H
#define PHLEXOR_INTEGRATE_HISTORY_H

#include "dae/dae.h"

enum { PHX_HISTORY = 6 }; /* number of intervals stored */

/* Mean accelerations and multipliers, the last one first. */
typedef struct phx_history {
    double t[PHX_HISTORY];       /* middle of the interval, s */
    double *v_dot[PHX_HISTORY];  /* n_v: (v1 - v0)/h */
    double *lambda[PHX_HISTORY]; /* n_l */
    int count;
    int order;    /* of the polynomial in time that predicts v_dot; -1: none, the velocities stay */
    int order_l;  /* of that for the multipliers, which are smooth where the velocities ring; 0: the last ones */
    int unjudged; /* predictions since the orders were chosen */
    double error; /* of the prediction when they were chosen, in the norm of the dae */
    double *room; /* n_v or n_l, whichever is more */
} phx_history;

/* `lambda`: multipliers of the start. */
phx_status phx_history_create(phx_dae *dae, const double *lambda, phx_history *history);
void phx_history_free(phx_history *history);

/* v1 = v0 + h v_dot and lambda for an interval of size h around t. */
void phx_history_predict(const phx_history *history, const phx_dae *dae, double t, double h, const double *v0,
                         double *v1, double *lambda);
/* Store a solved interval. `error`: size of the first Newton correction, the error of the prediction. */
void phx_history_keep(phx_history *history, phx_dae *dae, double t, double h, const double *v0, const double *v1,
                      const double *lambda, double error);
void phx_history_archive(phx_archive *archive, const phx_dae *dae, phx_history *history);
/* Forget all intervals; `lambda`: multipliers to start with. */
void phx_history_forget(phx_history *history, const phx_dae *dae, const double *lambda);
/* Forget the intervals after t0: they belong to a rejected trial. */
void phx_history_rewind(phx_history *history, double t0);

#endif
