/* Cost of an answer of given accuracy: runs of a method over steps or tolerances. */
#ifndef PHX_BENCH_CURVE_H
#define PHX_BENCH_CURVE_H

#include <phlexor/integrate.h>

typedef struct bench_run {
    double setting, seconds, error; /* step or tolerance; processor time */
    phx_integrate_stats stats;
} bench_run;

enum { BENCH_MOST_RUNS = 48 };
typedef struct bench_curve {
    int count;
    bench_run runs[BENCH_MOST_RUNS];
} bench_curve;

/* Least time at which a curve reaches an error: that of a run, or on the straight line in logarithms between two runs
 * of which one is better and one is worse. Infinite when it does not. */
double bench_time_at(const bench_curve *curve, double error);

#endif
