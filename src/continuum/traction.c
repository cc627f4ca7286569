/* Loads on faces, by the kind of model. */
#include "continuum.h"

#include <math.h>

phx_status phx_elastic_traction(phx_context *context, const phx_elastic_model *model, const char *group,
                                const double traction[3], double pressure, double *force)
{
    if (!model || !group || !traction || !force)
        return phx_fail_null(context, __func__, "model, group, traction or force");
    if (!isfinite(traction[0]) || !isfinite(traction[1]) || !isfinite(traction[2]) || !isfinite(pressure))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "a traction of (%g, %g, %g) and a pressure of %g; they must be finite", traction[0],
                        traction[1], traction[2], pressure);
    if (!model->ops->traction)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the %s has no faces or edges that a traction could act on",
                        model->ops->kind);
    return model->ops->traction(context, model, group, traction, pressure, force);
}
