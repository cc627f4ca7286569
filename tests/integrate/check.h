/* Shared by the tests of the integrators: one call to run a pendulum. */
#ifndef PHLEXOR_TESTS_INTEGRATE_CHECK_H
#define PHLEXOR_TESTS_INTEGRATE_CHECK_H

#include "support/testing.h"

#include <phlexor/integrate.h>

#include "pendulum.h"

/* A pendulum, its state and its balance during a run. */
typedef struct swing {
    phx_context *context;
    pendulum p;
    double t, x[MOST_X], v[MOST_V], lambda[MOST_L];
    double energy; /* at the start */
    /* largest during the run */
    double residual, gap, rate, kinetic;
    long samples;
    phx_work work; /* of the last sample */
    phx_integrate_stats stats;
} swing;

/* At t = 0 with angles 0.3, -0.4, 0.2, 0.1 and rates 1, -2, 0.5, 0.1 (rate 0: the drive's). */
static inline void swing_start(swing *s, const pendulum_def *def)
{
    static const double angle[BODIES] = {0.3, -0.4, 0.2, 0.1};
    double rate[BODIES] = {1.0, -2.0, 0.5, 0.1}, v_dot[MOST_V];
    if (def->driven)
        rate[0] = def->speed;
    s->t = 0.0;
    pendulum_init(&s->p, s->context, def);
    pendulum_place(&s->p, angle, rate, s->x, s->v);
    s->p.dae.ops->accelerations(&s->p.dae, 0.0, s->x, s->v, v_dot, s->lambda);
}

static inline phx_status swing_sample(void *user, const phx_sample *sample)
{
    swing *s = user;
    double gap, rate, balance = pendulum_energy(&s->p, sample->x, sample->v) - sample->work.supplied;
    balance += sample->work.dissipated;
    if (s->samples++ == 0)
        s->energy = balance;
    s->p.dae.ops->drift(&s->p.dae, sample->t, sample->x, sample->v, &gap, &rate);
    s->residual = fmax(s->residual, fabs(balance - s->energy));
    s->kinetic = fmax(s->kinetic, pendulum_kinetic(&s->p, sample->v));
    s->gap = fmax(s->gap, gap);
    s->rate = fmax(s->rate, rate);
    s->work = sample->work;
    return PHX_OK;
}

static inline phx_status swing_run(swing *s, const phx_integrate_options *options)
{
    s->residual = s->gap = s->rate = s->kinetic = 0.0;
    s->samples = 0;
    return phx_integrate(&s->p.dae, options, &s->t, s->x, s->v, s->lambda, swing_sample, s, &s->stats);
}

static inline phx_integrate_options swing_options(phx_integrator integrator, double step, double end)
{
    phx_integrate_options options = phx_integrate_options_default();
    options.integrator = integrator;
    options.step = step;
    options.end = end;
    return options;
}

/* Two links, the first driven with a speed that swings, dampers in the joints. */
static inline pendulum_def driven_def(bool damped)
{
    pendulum_def def = pendulum_def_default();
    def.driven = true;
    def.speed = 2.0;
    def.swing = 0.5;
    def.frequency = 3.0;
    def.damping = damped ? 0.1 : 0.0;
    return def;
}

static inline double distance(int n, const double *a, const double *b)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++)
        largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

static inline int setup_swing(void **state)
{
    static swing s;
    memset(&s, 0, sizeof s);
    if (phx_context_create(&s.context) != PHX_OK)
        return -1;
    *state = &s;
    return 0;
}

static inline int teardown_swing(void **state)
{
    phx_context_destroy(((swing *)*state)->context);
    return 0;
}

#endif
