/* Number of times that a signal changes direction in an interval, which shows whether steps of that length resolve it.
 */
#include "signal.h"

#include <math.h>

enum { SAMPLES = 13 };

/* One sample in each of SAMPLES cells of equal length, at irregular places, so that no period of the signal fits them.
 * Changes below SMALL of the largest value are not counted. */
int phx_signal_turns(const phx_signal *signal, double t0, double t1, double s, double *largest, double *range)
{
    static const double SMALL = 0.02, GOLDEN = 0.61803398874989485;
    const double length = t1 - t0;
    double least = HUGE_VAL, most = -HUGE_VAL, f[SAMPLES], turn;
    int reversals = 0, way = 0;

    *range = 0.0;
    if (phx_signal_is_steady(signal) || !(length > 0.0))
        return 0;
    if (phx_signal_is_function(signal) && phx_signal_breaks_until(signal, t0) != phx_signal_breaks_until(signal, t1))
        return 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double place = i * GOLDEN - floor(i * GOLDEN);
        f[i] = phx_signal_value_at(signal, t0 + length * (i + 0.8 * place) / SAMPLES, s);
        if (!isfinite(f[i]))
            return 0;
        least = fmin(least, f[i]);
        most = fmax(most, f[i]);
    }
    *largest = fmax(*largest, fmax(fabs(least), fabs(most)));
    *range = most - least;
    turn = f[0]; /* the last extreme on the way */
    for (int i = 1; i < SAMPLES; i++) {
        const double change = f[i] - turn;
        const int next = change > 0.0 ? 1 : -1;
        if (way == next)
            turn = f[i];
        else if (fabs(change) > SMALL * *largest) {
            reversals += way != 0;
            way = next;
            turn = f[i];
        }
    }
    return reversals;
}
