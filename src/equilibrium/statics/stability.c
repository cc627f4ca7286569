/* Whether an equilibrium is stable. Where all forces have a potential it is where K has no negative direction among the
 * motions that the joints allow. Where they do not (forces that follow the bodies, torques in space, controllers), K
 * tells nothing: a symmetric part that is positive does not keep a motion from fluttering, and one that is not is no
 * sign that one leaves. There the roots of s^2 M + s D + K decide, which another layer finds. A root with a positive
 * real part that is real diverges, and then the symmetric part of K is negative in its direction (D >= 0):
 * xi^T K xi = -s^2 xi^T M xi - s xi^T D xi, so that a descent leads away along it. */
#include "statics.h"

bool phx_statics_circulates(const phx_system *system, double t)
{
    return !phx_system_has_potential(system, t) || phx_system_resting_controller(system) >= 0 ||
           (phx_system_controllers(system) > 0 && !phx_system_is_shaped(system));
}

static phx_status negative_directions(statics *s, const double *x, const double *lambda, int *count)
{
    const phx_status status = phx_statics_linearise(s, x, lambda);

    *count = 0;
    return status ? status : phx_statics_negative(s, 10.0 * s->scale.rounding, count);
}

/* Under the loads that there are now; the linearisation is that of the search again afterwards. */
static phx_status stability_judge(statics *s, const double *x, const double *lambda, phx_stability *motions)
{
    *motions = (phx_stability){0};
    if (!s->circulatory || !s->stability)
        return PHX_OK;
    phx_system_set_load(s->judged, s->problem.load);
    const phx_status status = s->stability(s->judged, s->problem.t, x, lambda, motions);
    phx_system_set_load(s->judged, 1.0);
    phx_system_set_load(s->dae, s->problem.load);
    return status ? status : phx_statics_linearise(s, x, lambda);
}

phx_status phx_statics_unstable(statics *s, const double *x, const double *lambda, int *count, phx_stability *motions)
{
    phx_stability found;
    const phx_status status = stability_judge(s, x, lambda, &found);

    if (motions)
        *motions = found;
    *count = found.divergent + found.fluttering;
    return status || found.judged > 0 ? status : negative_directions(s, x, lambda, count);
}

phx_status phx_statics_diverges(statics *s, const double *x, const double *lambda, int *count)
{
    phx_stability found;
    phx_status status = stability_judge(s, x, lambda, &found);

    *count = found.divergent;
    if (!status && found.judged == 0 && !s->rest.on)
        status = negative_directions(s, x, lambda, count);
    return status;
}
