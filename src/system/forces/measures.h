/* Private to layer system: forces along several measures of two ports at once, coupled or not. */
#ifndef PHX_SYSTEM_FORCES_MEASURES_H
#define PHX_SYSTEM_FORCES_MEASURES_H

#include "forces.h"

enum { MOST_MEASURES = 6 };

/* Rows between two ports over the interval or at the current instant. */
typedef struct measures {
    int n;
    const phx_row *rows;
    double x0[MOST_MEASURES], x1[MOST_MEASURES], rate[MOST_MEASURES];
    double g[MOST_MEASURES][PAIR_SIZE];
} measures;

/* The force along each, and its derivatives (n x n) by the ends x1 at fixed x0 and by the rates. A force that is
 * symmetric in the ends has twice the derivative by the end at an instant, where both are one. */
typedef struct measure_forces {
    double f[MOST_MEASURES];
    double by_end[MOST_MEASURES * MOST_MEASURES], by_rate[MOST_MEASURES * MOST_MEASURES];
} measure_forces;

void phx_sys_measure_rows(const workspace *ws, const force_slot *force, int n, const phx_row *rows, measures *m);
/* Efforts f g, and with `linear` their derivatives. Powers are the caller's. */
void phx_sys_push(workspace *ws, int pair, const force_slot *force, const measures *m, const measure_forces *f,
                  bool linear);

#endif
