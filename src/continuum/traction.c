/* Loads on faces, by the kind of model. */
#include "continuum.h"

#include <math.h>

phx_status phx_elastic_load(phx_context *context, const phx_elastic_model *model, const char *group,
                            const phx_surface_load *load, double *force)
{
    if (!model || !load || !load->traction || !force)
        return phx_fail_null(context, __func__, "model, load, its function or force");
    if (!model->ops->load)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the %s has no faces or edges that a traction could act on",
                        model->ops->kind);
    return model->ops->load(context, model, group, load, force);
}

int phx_elastic_offsets(const phx_elastic_model *model)
{
    return model->n_elements > 0 ? model->first_stress[model->n_elements] + model->n_surface_stresses : 0;
}

phx_status phx_elastic_expand(phx_context *context, const phx_elastic_model *model, const char *group,
                              const phx_temperature *temperature, double *force, double *offset)
{
    if (!model || !temperature || !force)
        return phx_fail_null(context, __func__, "model, temperature or force");
    if (!model->ops->expand)
        return phx_fail(context, PHX_ERR_ARGUMENT, "the %s has no materials that a temperature could expand",
                        model->ops->kind);
    return model->ops->expand(context, model, group, temperature, force, offset);
}

typedef struct constant_load {
    const double *traction;
    double pressure;
} constant_load;

static void constant(void *user, const double x[3], const double normal[3], double traction[3])
{
    const constant_load *load = user;

    (void)x;
    for (int c = 0; c < 3; c++)
        traction[c] = load->traction[c] - load->pressure * normal[c];
}

phx_status phx_elastic_traction(phx_context *context, const phx_elastic_model *model, const char *group,
                                const double traction[3], double pressure, double *force)
{
    if (!model || !group || !traction || !force)
        return phx_fail_null(context, __func__, "model, group, traction or force");
    if (!isfinite(traction[0]) || !isfinite(traction[1]) || !isfinite(traction[2]) || !isfinite(pressure))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "a traction of (%g, %g, %g) and a pressure of %g; they must be finite", traction[0],
                        traction[1], traction[2], pressure);
    constant_load values = {traction, pressure};
    const phx_surface_load load = {.traction = constant, .user = &values, .normal = pressure != 0.0};
    return phx_elastic_load(context, model, group, &load, force);
}
