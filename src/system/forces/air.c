/* Shared by drag at a port and wind along a body: the wind, and how it is taken over. */
#include "forces.h"

#include <math.h>

phx_status phx_sys_air_wind(const workspace *ws, const force_slot *force, double t, double *wind)
{
    for (int i = 0; i < ws->system->dim; i++) {
        wind[i] = phx_signal_value(force->signal[i], t);
        if (!isfinite(wind[i]))
            return phx_fail(ws->base.context, PHX_ERR_ANALYSIS,
                            "'%s': component %d of the wind is %g at t = %g s, expected a finite value", force->name,
                            i + 1, wind[i], t);
    }
    return PHX_OK;
}

bool phx_sys_air_blows(const phx_system *system, const force_slot *force)
{
    return phx_sys_force_is_given(system, force, 0.0);
}

phx_status phx_sys_air_take(phx_system *system, force_slot *force, const char *noun, const char *name,
                            double coefficient, phx_signal *const wind[3], phx_status status)
{
    for (int i = 0; i < 3; i++) {
        if (force)
            force->signal[i] = wind[i];
        else
            phx_signal_destroy(wind[i]);
    }
    if (!status && (!(coefficient >= 0.0) || !isfinite(coefficient)))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "%s '%s': coefficient %g must be finite and not negative",
                          noun, name, coefficient);
    return status;
}
