/* Springs, dampers and actuators along the line between two ports. */
#include "forces.h"

#include <math.h>

/* Adds the efforts and power of a line spring; of its actuator's force only the part ws->forces.load acts. */
static phx_status line_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear, double *res)
{
    phx_load_result result = {0};
    phx_status status = phx_line_spring_evaluate(ws->base.context, &force->spring, &ws->ports.view[force->a],
                                                 &ws->ports.view[force->b], t, linear, &result);

    if (!status && ws->forces.load != 1.0 && force->spring.force) { /* a part of the actuator's force */
        phx_load_result without = {0};
        phx_line_spring passive = force->spring;
        passive.force = NULL;
        status = phx_line_spring_evaluate(ws->base.context, &passive, &ws->ports.view[force->a],
                                          &ws->ports.view[force->b], t, linear, &without);
        phx_sys_take_part(ws->forces.load, &without, &result);
    }

    (void)res;
    if (status)
        return phx_fail_prefix(ws->base.context, status, "'%s': ", force->name);
    phx_sys_take_result(ws, pair, force, linear, &result);
    return PHX_OK;
}

static double line_energy(const phx_system *system, const force_slot *force, const phx_port_view *a,
                          const phx_port_view *b, const double *x, const double *v)
{
    (void)system, (void)x, (void)v;
    return phx_line_spring_energy(&force->spring, a, b, 1);
}

/* [k (|d| - l0) + f(|d| - l0)] |d|' */
static double line_energy_rate(const workspace *ws, const force_slot *force)
{
    const phx_port_view *a = &ws->ports.view[force->a], *b = &ws->ports.view[force->b];
    double length = 0.0, closing = 0.0;

    for (int k = 0; k < ws->system->dim; k++) {
        const double d = b->u1[k] - a->u1[k];
        length += d * d;
        closing += d * (b->rate[k] - a->rate[k]);
    }
    length = sqrt(length);
    const double stretch = length - force->spring.length;
    return length > 0.0
               ? (force->spring.stiffness * stretch + phx_law_value(force->spring.law, stretch)) * closing / length
               : 0.0;
}

static bool supplies(const phx_system *system, const force_slot *force)
{
    (void)system;
    return force->spring.force != NULL;
}

static bool line_dissipates(const phx_system *system, const force_slot *force)
{
    (void)system;
    return force->spring.damping != 0.0 || force->spring.damper;
}

static void line_archive(phx_archive *archive, phx_system *system, force_slot *force)
{
    phx_sys_archive_ports(archive, system, 2, force);
    phx_archive_double(archive, &force->spring.stiffness);
    phx_archive_double(archive, &force->spring.damping);
    phx_archive_double(archive, &force->spring.length);
    phx_law_archive(archive, &force->law);
    phx_signal_archive(archive, &force->damper);
    force->spring.force = force->signal[0];
    force->spring.law = force->law;
    force->spring.damper = force->damper;
}

const force_operations phx_sys_force_line = {.noun = "spring",
                                             .at_ports = true,
                                             .archive = line_archive,
                                             .evaluate = line_evaluate,
                                             .energy = line_energy,
                                             .energy_rate = line_energy_rate,
                                             .supplies = supplies,
                                             .dissipates = line_dissipates};
