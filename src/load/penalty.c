/* The force of a penetration: discrete gradient of its potential and Hunt and Crossley's loss. */
#include "load/load.h"

#include <math.h>

/* d^p for p = 1, 3/2 */
static double power(double d, bool half)
{
    return half ? d * sqrt(d) : d;
}

/* (F6)  V = k d^(p+1)/(p+1), d = max(0, -g) */
double phx_penalty_energy(const phx_penalty *penalty, double gap)
{
    const bool half = penalty->exponent > 1.25;
    const double d = fmax(0.0, -gap);
    return penalty->stiffness * d * power(d, half) / (penalty->exponent + 1.0);
}

/* (F7)  N = -DV/Dg without cancellation, and dN/dg1 at fixed g0 */
static void gradient(const phx_penalty *penalty, double g0, double g1, double *N, double *slope)
{
    const bool half = penalty->exponent > 1.25;
    const double k = penalty->stiffness, p = penalty->exponent, d0 = -g0, d1 = -g1;

    *N = *slope = 0.0;
    if (d0 <= 0.0 && d1 <= 0.0)
        return;
    if (d0 > 0.0 && d1 > 0.0 && !half) {
        *N = 0.5 * k * (d0 + d1);
        *slope = -0.5 * k;
    } else if (d0 > 0.0 && d1 > 0.0) {
        const double s0 = sqrt(d0), s1 = sqrt(d1), sum = s0 + s1;
        *N = 0.4 * k * (d0 * d0 + d0 * s0 * s1 + d0 * d1 + s0 * s1 * d1 + d1 * d1) / sum;
        *slope = -0.4 * k * (d0 * s0 + 2.0 * s1 * d0 + 3.0 * d1 * s0 + 1.5 * d1 * s1) / (sum * sum);
    } else if (d0 > 0.0) { /* opening */
        *N = k * d0 * power(d0, half) / ((p + 1.0) * (d0 + g1));
        *slope = -*N / (d0 + g1);
    } else { /* closing */
        *N = k * d1 * power(d1, half) / ((p + 1.0) * (d1 + g0));
        *slope = -k * power(d1, half) * (p * d1 + (p + 1.0) * g0) / ((p + 1.0) * (d1 + g0) * (d1 + g0));
    }
}

/* (F8)  F = N max(0, 1 - chi g'),  loss = -(F - N) g' >= 0 */
phx_penalty_force phx_penalty_evaluate(const phx_penalty *penalty, double g0, double g1, double rate)
{
    phx_penalty_force out = {0};
    double N, slope;

    gradient(penalty, g0, g1, &N, &slope);
    const double factor = 1.0 - penalty->damping * rate;
    out.conservative = N;
    out.dissipated = N * rate * fmin(penalty->damping * rate, 1.0);
    if (factor <= 0.0)
        return out;
    out.value = N * factor;
    out.by_end = slope * factor;
    out.by_rate = -N * penalty->damping;
    return out;
}
