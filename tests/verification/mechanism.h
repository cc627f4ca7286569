/* Models run whole, for the tests that hold them against references. */
#ifndef PHX_TEST_MECHANISM_H
#define PHX_TEST_MECHANISM_H

#include "support/testing.h"

#include "equilibrium/equilibrium.h"
#include "model/model.h"
#include <phlexor/integrate.h>

typedef struct mechanism {
    phx_context *context;
    phx_system *system;
    phx_dae *dae;
    double *x, *v, *lambda, *columns;
    double t;
    phx_integrate_stats stats;
    /* over the instants of the last run */
    double largest_kinetic, largest_energy, largest_residual, largest_drift, largest_drift_rate;
    double momentum[6], momentum_change; /* linear, angular at the start; largest change, N s and N m s */
    double largest_skewness;             /* |R^T R - I| of the bodies */
    long instants;
    double energy0;
    void (*look)(struct mechanism *mechanism, double t, const double *x,
                 const double *v); /* at every instant, or NULL */
    void *looker;
} mechanism;

/* Add to a text that has room for `size` bytes. */
void append_text(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Build a model (text, or a file of examples/ when `text` has no line break) and make its start state. */
void mechanism_open(mechanism *mechanism, const char *text, int n_set, const phx_model_override *set);
void mechanism_close(mechanism *mechanism);
/* Back to the start state. */
void mechanism_reset(mechanism *mechanism);
void mechanism_run(mechanism *mechanism, const phx_integrate_options *options);

/* Start state, then to options->end; places, then velocities. Free with free. */
double *mechanism_final_state(mechanism *mechanism, const phx_integrate_options *options);
/* max |a_i - b_i| */
double mechanism_distance(const double *a, const double *b, int n);
/* To `end` in `steps` and 2 `steps` steps (midpoint: ten times as many) against gauss6 with eight times as many: orders
 * 2, 4, 4, 6, 5 of the fixed steps in places and velocities, each within the tolerance; radau5 and ida that choose
 * their steps at 1e-9 within 1e-7 and 1e-5 of it. */
void mechanism_check_orders(mechanism *mechanism, double end, int steps, double tolerance);

#endif
