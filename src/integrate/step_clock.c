#include "step_clock.h"

#include <math.h>
#include <time.h>

/* Intervals [SHORTEST 10^(k/PER_DECADE), SHORTEST 10^((k+1)/PER_DECADE)) of wall time; the outer ones are open. */
enum { PER_DECADE = 200, DECADES = 12, INTERVALS = PER_DECADE * DECADES };
static const double SHORTEST = 1e-9;

struct phx_step_clock {
    long count[INTERVALS];
    phx_step_times times;
    double spent, since; /* s: of the present step up to the last pause; wall clock at the last resume */
};

double phx_wall_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + NANOSECOND * (double)now.tv_nsec;
}

phx_step_clock *phx_step_clock_create(phx_context *context)
{
    return phx_calloc(context, 1, sizeof(phx_step_clock));
}

void phx_step_clock_destroy(phx_step_clock *clock)
{
    phx_free(clock);
}

void phx_step_clock_begin(phx_step_clock *clock)
{
    if (!clock)
        return;
    clock->spent = 0.0;
    clock->since = phx_wall_clock();
}

void phx_step_clock_pause(phx_step_clock *clock)
{
    if (clock)
        clock->spent += phx_wall_clock() - clock->since;
}

void phx_step_clock_resume(phx_step_clock *clock)
{
    if (clock)
        clock->since = phx_wall_clock();
}

void phx_step_clock_end(phx_step_clock *clock, double t, double h)
{
    phx_step_clock_pause(clock);
    if (clock)
        phx_step_clock_count(clock, t, h, clock->spent);
}

void phx_step_clock_count(phx_step_clock *clock, double t, double h, double seconds)
{
    phx_step_times *times = &clock->times;
    const double place = seconds > SHORTEST ? floor(PER_DECADE * log10(seconds / SHORTEST)) : 0.0;

    clock->count[(int)fmin(place, INTERVALS - 1)]++;
    times->steps++;
    times->misses += seconds > h;
    if (times->steps > 1 && seconds <= times->worst)
        return;
    times->worst = seconds;
    times->worst_at = t;
}

/* The time that a share of the steps does not exceed. */
static double percentile(const phx_step_clock *clock, double share)
{
    const double wanted = share * (double)clock->times.steps;
    long count = 0;
    int k = 0;

    while (k < INTERVALS && (double)(count += clock->count[k]) < wanted)
        k++;
    return fmin(SHORTEST * pow(10.0, (double)(k + 1) / PER_DECADE), clock->times.worst);
}

phx_step_times phx_step_clock_times(const phx_step_clock *clock)
{
    phx_step_times times = clock->times;

    if (times.steps > 0) {
        times.median = percentile(clock, 0.5);
        times.percent99 = percentile(clock, 0.99);
    }
    return times;
}
