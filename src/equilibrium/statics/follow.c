/* The path of equilibria as others ask for it: its points up to the end of the range, and into branches. */
#include "path.h"

#include <math.h>
#include <string.h>

phx_path_options phx_path_options_default(void)
{
    return (phx_path_options){.to = 1.0, .points = 200, .stride = 0.05};
}

static phx_status deliver(path *p, const phx_path_options *options, phx_static_report *report)
{
    phx_static_point point = {.load = p->at.load, .x = p->at.x, .lambda = p->at.lambda};
    phx_status status = phx_path_look(p, &point.unbalanced);

    point.unstable = p->at.negative;
    if (!status && p->s.circulatory && options->stability)
        status = phx_statics_unstable(&p->s, p->at.x, p->at.lambda, &point.unstable, &report->motions);
    if (status)
        return status;
    report->unstable = point.unstable;
    report->steps++;
    return options->deliver ? options->deliver(options->user, &point) : PHX_OK;
}

/* The point, or, where the path has passed the end of the range, that at the end. */
static phx_status arrive(path *p, const phx_path_options *options, phx_static_report *report)
{
    phx_status status = PHX_OK;

    if (p->at.load >= options->to) {
        phx_statics_set_load(&p->s, options->to);
        status = phx_statics_newton(&p->s, 0.5, p->at.x, p->at.lambda);
        p->at.load = status ? p->at.load : options->to;
        status = status == PHX_NOT_CONVERGED || status == PHX_SINGULAR ? PHX_OK : status;
    }
    return status ? status : deliver(p, options, report);
}

/* From the bifurcation that the last step has passed along its mode. */
static phx_status enter_branch(path *p, const phx_path_options *options, double *mode, phx_static_report *report)
{
    critical_point critical;
    int found = 0;
    phx_status status = phx_path_critical(p, 1, &critical, mode, &found);

    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR || (!status && (found == 0 || critical.limit)))
        return PHX_OK;
    if (!status) {
        phx_path_choose_mode(p, mode);
        status = phx_path_step(p);
    }
    return status ? status : arrive(p, options, report);
}

/* Steps along the path from its first point to the load factor `to` or the number of points, delivers every point, and
 * enters a branch at the first bifurcation if asked. */
static phx_status follow_follow(path *p, const phx_path_options *options, double *mode, phx_static_report *report)
{
    double sign = 1.0;
    phx_status status = deliver(p, options, report);

    while (!status && report->steps < options->points && p->at.load < options->to) {
        status = phx_path_choose(p, sign);
        sign = 0.0;
        if (!status)
            status = phx_path_step(p);
        if (!status)
            status = arrive(p, options, report);
        if (!status && options->branch && p->at.negative > p->last.negative && p->at.load < options->to)
            status = enter_branch(p, options, mode, report);
    }
    return status;
}

/* Follows the path of equilibria from the unloaded one. x and lambda are those of the last point found, also after an
 * error. */
phx_status phx_system_static_path(phx_dae *dae, const phx_path_options *options, double *x, double *lambda,
                                  phx_static_report *report)
{
    if (!dae || !options || !x || !lambda || !report)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, options, x, lambda or report");
    path p = {0};
    double unbalanced = 0.0, joint_residual = 0.0, *mode = NULL;
    phx_status status = PHX_OK;

    *report = (phx_static_report){.method = PHX_STATIC_STEPS};
    status = phx_statics_refuse_states(dae->context, phx_system_of(dae), "paths");
    if (!status && !(options->to > 0.0 && options->points > 0))
        status = phx_fail(dae->context, PHX_ERR_ARGUMENT,
                          "a path to the load factor %g with %d points; expected both "
                          "to be positive",
                          options->to, options->points);
    if (!status) /* a tenth of the range a step at most */
        status = phx_path_create(dae, options->t, x,
                                 options->stride > 0.0 ? options->stride : phx_path_options_default().stride,
                                 0.1 * options->to, &p);
    p.s.circulatory = phx_statics_circulates(phx_system_of(dae), options->t);
    p.s.stability = options->stability;
    p.s.judged = dae;
    if (!status) {
        mode = phx_calloc(dae->context, (size_t)dae->n_v, sizeof *mode);
        status = mode ? phx_path_begin(&p, 0.0, report) : PHX_ERR_MEMORY;
    }
    if (!status && report->free_motions > 0)
        status = phx_fail(dae->context, PHX_ERR_ANALYSIS,
                          "without the loads nothing holds %s: a path needs an equilibrium to begin from",
                          report->free_names);
    if (!status)
        status = follow_follow(&p, options, mode, report);
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR)
        status = phx_fail(dae->context, PHX_ERR_ANALYSIS,
                          "the path of equilibria was lost at the load factor %.6g after %d points; take a shorter "
                          "stride",
                          p.at.load, report->steps);
    if (p.at.x && p.at.lambda) {
        memcpy(x, p.at.x, (size_t)dae->n_x * sizeof *x);
        memcpy(lambda, p.at.lambda, (size_t)dae->n_l * sizeof *lambda);
    }
    if (!status)
        status = phx_statics_residual(&p.s, x, lambda, p.s.vectors.res, &unbalanced, &joint_residual);
    report->iterations = p.s.iterations;
    report->circulatory = p.s.circulatory;
    report->judged = report->motions.judged > 0;
    report->weight = p.s.scale.pulled ? p.s.scale.weight : 0.0;
    report->unbalanced = unbalanced * p.s.scale.weight;
    report->gap = joint_residual * p.s.scale.size;
    phx_free(mode);
    phx_path_destroy(&p);
    return phx_conclude(dae->context, status);
}
