#include "curve.h"

#include <math.h>

double bench_time_at(const bench_curve *curve, double error)
{
    double least = INFINITY;
    for (int k = 0; k < curve->count; k++) {
        const bench_run *a = k > 0 ? &curve->runs[k - 1] : NULL, *b = &curve->runs[k];
        if (b->error <= error)
            least = fmin(least, b->seconds);
        if (!a || !(a->error > error && b->error <= error))
            continue;
        const double part = log(a->error / error) / log(a->error / b->error);
        least = fmin(least, a->seconds * pow(b->seconds / a->seconds, part));
    }
    return least;
}
