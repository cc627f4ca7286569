/* Stiffness and moments that bodies leave out when they turn: texts of warnings, with the remedy. */
#include "internal.h"

#include <math.h>
#include <stdio.h>

static const double NOTICED = 2e-3; /* error of the square of a torsional frequency that is told */

/* The size of the angular velocity of body b, and of its part across the first axis of the body. */
static double turning_of(const phx_system *system, int b, const double *v, double *across)
{
    int x, at;
    phx_system_offsets(system, b, &x, &at);
    const double *w = v + at + phx_system_dim(system);

    *across = hypot(w[1], w[2]);
    return hypot(w[0], *across);
}

/* text: body `name` without a `share` of the square of its torsional frequency. Tension N makes N I_p/A of the twist
 * stiffness, some 1.07 Omega^2 of a clamped blade in the square of its frequency; the inertia of a flat section against
 * its rotation makes up to Omega^2 more, which rods have. */
static void tell_twist(const char *name, const char *without, double share, size_t size, char *text)
{
    if (share > NOTICED)
        snprintf(text, size,
                 "the twist of '%.60s', which turns across its axis, does not feel %s: squares of its torsional "
                 "frequencies are too low by up to %.2g %%; take a plate or a solid with stiffening, which has both",
                 name, without, 100.0 * share);
}

void phx_turning_left_out(const phx_system *system, const double *v, size_t size, char *text)
{
    static const double quarter = 1.5707963267948966;

    text[0] = '\0';
    for (int b = 0; b < phx_system_bodies(system) && phx_system_dim(system) == 3; b++) {
        const phx_body *body = phx_system_body(system, b);
        const phx_flex_source *source = phx_system_source(system, b);
        const phx_beam_def *beam = source ? phx_beam_definition(source) : NULL;
        double across, inertia = 0.0;
        const double turning = turning_of(system, b, v, &across), twist = phx_rod_twist(body);
        if (beam && isfinite(beam->torsion_stiffness))
            tell_twist(phx_body_name(body), "the tension and the inertia of its section",
                       2.07 * pow(across * beam->length / quarter, 2.0) * beam->polar_inertia / beam->torsion_stiffness,
                       size, text);
        if (twist > 0.0)
            tell_twist(phx_body_name(body), "the tension", 1.07 * across * across / (twist * twist), size, text);
        for (int k = 0; beam && k < beam->n_masses; k++)
            for (int i = 0; i < 9; i++)
                inertia = fmax(inertia, fabs(beam->masses[k].inertia[i]));
        if (inertia > 0.0 && turning > 0.0)
            snprintf(text, size,
                     "the rotary inertia of the point masses of '%.60s' has no gyroscopic and centrifugal moments "
                     "against the slope of the beam, which turns with %.3g rad/s; weld a rigid body there instead",
                     phx_body_name(body), turning);
    }
}
