/* Checks of the options of a reduction against the model. */
#include <math.h>

#include "work.h"

/* Modal damping to measure undamped models with. */
static const double usual_damping = 0.005;

const char *phx_reduction_method_name(phx_reduction_method method)
{
    static const char *const names[] = {"modal", "krylov", "irka", "lqg", "xmin"};
    return method >= PHX_REDUCE_MODAL && method <= PHX_REDUCE_XMIN ? names[method] : "unknown";
}

phx_reduction_options phx_reduction_options_default(void)
{
    return (phx_reduction_options){.method = PHX_REDUCE_MODAL};
}

/* Checks the options of a reduction for consistency, without a model. */
phx_status phx_reduction_check(phx_context *context, const phx_reduction_options *o)
{
    if (o->method < PHX_REDUCE_MODAL || o->method > PHX_REDUCE_XMIN)
        return phx_fail(context, PHX_ERR_ARGUMENT, "there is no method of reduction %d", (int)o->method);
    if (!(o->error >= 0.0 && o->error < 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a relative error of %g; it must lie between 0 and 1", o->error);
    if (o->order < 0 || (o->order == 0 && !(o->error > 0.0) && o->n_points == 0))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "a reduction by '%s' needs an order, 1 or more, or a relative error, above 0",
                        phx_reduction_method_name(o->method));
    if (o->order > 0 && o->error > 0.0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "either an order or an error can be asked for, not both");
    if (!(o->damping >= 0.0 && o->damping < 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a modal damping of %g; it must lie between 0 and 1", o->damping);
    if (!(o->band[0] >= 0.0 && o->band[1] >= 0.0 && (o->band[1] > o->band[0] || o->band[1] == 0.0)))
        return phx_fail(context, PHX_ERR_ARGUMENT, "a band from %g to %g rad/s; it must begin at 0 or above and rise",
                        o->band[0], o->band[1]);
    if (o->n_points > 0 && (o->method != PHX_REDUCE_KRYLOV || !o->points))
        return phx_fail(context, PHX_ERR_ARGUMENT, "points of interpolation are for the method 'krylov'");
    for (int k = 0; k < o->n_points; k++)
        if (!o->points[k].infinite && (!isfinite(o->points[k].re) || !isfinite(o->points[k].im)))
            return phx_fail(context, PHX_ERR_ARGUMENT, "point %d of interpolation is not finite", k + 1);
    return PHX_OK;
}

/* Whether a mode is without damping to rounding. Where modes are computed together, that of the highest frequency moves
 * all poles: a hinge that swings by gravity beside stiff links has a little of their damping, and what is less than
 * rounding of their frequencies cannot be told from none. */
static bool undamped(const phx_reduction_work *work)
{
    static const double ROUNDING = 1e-14;   /* of the highest frequency */
    static const double NO_DAMPING = 1e-12; /* relative to the frequency */
    const phx_full *full = &work->full;
    const bool apart = full->rayleigh.exact && work->options->method == PHX_REDUCE_MODAL;
    const double rounding = apart ? 0.0 : ROUNDING * full->omega[full->f - 1];

    for (int k = full->rigid; k < full->f; k++)
        if (!(work->all.D[k * work->all.c + k] > fmax(NO_DAMPING * full->omega[k], rounding)))
            return true;
    return false;
}

/* Chooses the modal damping that undamped models are measured with; fails where a method or an error needs damping. */
phx_status phx_reduction_choose_damping(phx_reduction_work *work)
{
    const phx_reduction_options *o = work->options;
    const bool bare = undamped(work);

    if (bare && o->error > 0.0 && o->damping == 0.0 && !(o->band[1] > 0.0))
        return phx_fail(work->context, PHX_ERR_ANALYSIS,
                        "the model has modes without damping, and an error over all frequencies no measure: give a "
                        "band, or a modal damping to measure with");
    if (bare && o->method == PHX_REDUCE_XMIN)
        return phx_fail(work->context, PHX_ERR_ANALYSIS,
                        "the model has modes without damping: its energy is its only storage function, and 'xmin' has "
                        "nothing to choose; take 'modal' or 'irka'");
    if (bare && o->method == PHX_REDUCE_LQG && o->damping == 0.0)
        return phx_fail(
            work->context, PHX_ERR_ANALYSIS,
            "the model has modes without damping, of which all characteristic values of 'lqg' are one: they "
            "carry no order; take 'modal' or 'krylov', or give a modal damping to choose with");
    work->nominal = o->damping > 0.0 ? o->damping : bare ? usual_damping : 0.0;
    return PHX_OK;
}

/* Fails if the order exceeds the elastic coordinates or known modes, or is too low for the prescribed motions. */
phx_status phx_reduction_check_order(const phx_reduction_work *work, int order)
{
    const int most = phx_elastic_modes(work);

    if (order > work->full.elastic)
        return phx_fail(work->context, PHX_ERR_ARGUMENT,
                        "an order of %d is more than there is: the model has %d elastic coordinates beside rigid and "
                        "prescribed motions",
                        order, work->full.elastic);
    if (order > most && work->options->method != PHX_REDUCE_KRYLOV)
        return phx_fail(work->context, PHX_ERR_UNSUPPORTED,
                        "an order of %d is more than the %d modes that are known of a model of this size", order, most);
    if (order > 0 && order < work->lifted)
        return phx_fail(work->context, PHX_ERR_ARGUMENT,
                        "an order of %d is too low for %d prescribed motions: each takes one coordinate for its effort",
                        order, work->lifted);
    return PHX_OK;
}
