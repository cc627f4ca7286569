/* The equilibrium at rest, as others ask for it: the ways to it in their order, steps of the loads, what it is. */
#include "statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double NEAR = 0.1;              /* rad, parts of the size: so far a start nearly in equilibrium moves */
static const double WRITTEN = 1e-3;          /* the same of what was written with few digits */
static const double SMALLEST = 1.0 / 256.0;  /* step of the loads */
static const double REDUNDANT_CLOSED = 1e-8; /* residual of redundant joints, parts of the size */

phx_static_options phx_static_options_default(void)
{
    return (phx_static_options){0};
}

/* First guess of the multipliers: those of the joints at rest with the deformations held. */
static phx_status first_multipliers(statics *s, const double *x, double *lambda)
{
    return phx_system_locked_accelerations(s->dae, s->problem.t, x, s->vectors.zero, true, s->vectors.step, lambda,
                                           s->vectors.res_try);
}

/* ---- ways ---- */
/* Distance of the frame at x1 from the one at x0: its place in parts of the size, its rotation in rad, the larger. */
static double way_of_frame(const statics *s, const double *x0, const double *x1)
{
    const int dim = s->dim;
    double R0[9], R1[9], trace = 0.0, way = 0.0;

    for (int a = 0; a < dim; a++)
        way = fmax(way, fabs(x1[a] - x0[a]) / s->scale.size);
    phx_attitude_rotation(dim, x0 + dim, R0);
    phx_attitude_rotation(dim, x1 + dim, R1);
    for (int i = 0; i < dim * dim; i++)
        trace += R0[i] * R1[i];
    return fmax(way, acos(fmax(-1.0, fmin(1.0, dim == 2 ? 0.5 * trace : 0.5 * (trace - 1.0)))));
}

/* The farthest that a frame or a deformation has come, rad, parts of the size. */
static double way_between(const statics *s, const double *x0, const double *x1)
{
    double way = 0.0;

    for (int b = 0; b < phx_system_bodies(s->system); b++) {
        const phx_placed_body placed = phx_system_placed(s->system, b);
        const phx_body_frame *frames;
        const int n_frames = phx_body_frames(placed.body, &frames);
        int q_x, q_v;
        const int n_q = phx_body_coordinates(placed.body, &q_x, &q_v);
        for (int f = 0; f < n_frames; f++)
            way = fmax(way, way_of_frame(s, x0 + placed.x + frames[f].x, x1 + placed.x + frames[f].x));
        for (int i = 0; i < n_q; i++) {
            const double force = s->scale.force[placed.v + q_v + i],
                         q = x1[placed.x + q_x + i] - x0[placed.x + q_x + i];
            way = fmax(way, force > 0.0 ? fabs(q) / (force * s->scale.size) : 0.0);
        }
    }
    return way;
}

/* How far from the start Newton's iteration may go, and how the equilibrium was found. */
typedef struct way {
    double near;
    phx_static_method *method;
} way;

/* Down in energy; where forces have no energy and the descent does not end (a torque that follows a place far from it,
 * with a stiffness whose symmetric part is negative), by Newton's steps from where it has come, or from the start. */
static phx_status go_down(statics *s, double *x, double *lambda)
{
    const size_t n_x = (size_t)s->dae->n_x, n_l = (size_t)s->e.n_l;
    const size_t places = n_x * sizeof *x, multipliers = n_l * sizeof *lambda;
    double *start = s->circulatory ? phx_calloc(s->context, 2 * n_x + n_l, sizeof *start) : NULL;

    if (s->circulatory && !start)
        return PHX_ERR_MEMORY;
    if (start)
        memcpy(start, x, places);
    phx_status status = phx_statics_descend(s, x, lambda);
    const phx_status failure = status;
    if (start && (failure == PHX_NOT_CONVERGED || failure == PHX_SINGULAR)) {
        double *end = start + n_x, *end_lambda = end + n_x;
        memcpy(end, x, places);
        memcpy(end_lambda, lambda, multipliers);
        phx_context_clear(s->context);
        status = phx_statics_newton_from_afar(s, x, lambda);
        if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) {
            phx_context_clear(s->context);
            memcpy(x, start, places);
            memset(lambda, 0, multipliers);
            status = phx_statics_newton_from_afar(s, x, lambda);
        }
        if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) { /* what the descent has come to says more */
            memcpy(x, end, places);
            memcpy(lambda, end_lambda, multipliers);
            status = failure;
        }
    }
    phx_free(start);
    return status;
}

/* With controllers as they are. Newton's equilibrium is taken where nothing diverges from it, or where the start is one
 * but for the digits that were written. */
static phx_status settle_mechanism(statics *s, void *user, double *x, double *lambda)
{
    const way *route = user;
    phx_static_method *method = route->method;
    const double near = route->near;
    int unstable = 0;
    phx_status status = phx_statics_newton(s, near, x, lambda);

    if (!status && way_between(s, s->vectors.x_kept, x) > WRITTEN)
        status = phx_statics_diverges(s, x, lambda, &unstable);
    if (!status && unstable > 0) {
        memcpy(x, s->vectors.x_kept, (size_t)s->dae->n_x * sizeof *x);
        memcpy(lambda, s->vectors.lambda_kept, (size_t)s->e.n_l * sizeof *lambda);
        status = PHX_NOT_CONVERGED;
    }
    if (status != PHX_NOT_CONVERGED && status != PHX_SINGULAR)
        return status;
    phx_context_clear(s->context);
    status = phx_statics_newton_mixed(s, x, lambda);
    if (status != PHX_NOT_CONVERGED && status != PHX_SINGULAR)
        return status;
    phx_context_clear(s->context);
    *method = *method == PHX_STATIC_NEWTON ? PHX_STATIC_DESCENT : *method;
    return go_down(s, x, lambda);
}

/* From x with the loads as they are. */
static phx_status equilibrium_settle(statics *s, double near, double *x, double *lambda, phx_static_method *method)
{
    way route = {near, method};

    return phx_statics_rest(s, settle_mechanism, &route, x, lambda);
}

/* Of the equilibria that free motions make of the one at x, the one nearest to `start`; where they are many, a heap of
 * loose bodies, the one at x. */
static phx_status go_back(statics *s, const double *start, double *x, double *lambda)
{
    enum { MANY = 24 };
    int count = 0;
    const phx_status status = phx_statics_count_free(s, x, lambda, &count);

    return status || count == 0 || count > MANY ? status : phx_statics_nearest(s, start, count, x, lambda);
}

/* The equilibrium as it is handed out, from one that was found. */
static phx_status equilibrium_complete(statics *s, const double *start, double *x, double *lambda)
{
    phx_static_method method = PHX_STATIC_NEWTON;
    phx_status status = go_back(s, start, x, lambda);

    if (!status && s->rest.on)
        status = equilibrium_settle(s, NEAR, x, lambda, &method);
    return status ? status : phx_statics_finish_states(s, x, lambda);
}

static phx_status deliver(statics *s, const phx_static_options *options, const double *x, const double *lambda,
                          phx_static_report *report)
{
    phx_static_point point = {.load = s->problem.load, .x = x, .lambda = lambda};
    double joint_residual;

    if (!options->deliver)
        return PHX_OK;
    phx_status status = phx_statics_unstable(s, x, lambda, &point.unstable, NULL);
    if (!status)
        status = phx_statics_residual_as_it_is(s, x, lambda, s->vectors.res, &point.unbalanced, &joint_residual);
    report->steps += !status;
    return status ? status : options->deliver(options->user, &point);
}

/* Equal steps of the loads, each halved where there is no equilibrium near. */
static phx_status equilibrium_follow(statics *s, const phx_static_options *options, int steps, const double *start,
                                     double *x, double *lambda, phx_static_report *report)
{
    phx_static_method method = PHX_STATIC_NEWTON;
    const bool every = options->steps > 0;
    phx_status status = PHX_OK;

    phx_statics_set_load(s, 0.0);
    status = equilibrium_settle(s, NEAR, x, lambda, &method);
    if (!status && every)
        status = equilibrium_complete(s, start, x, lambda);
    if (!status && every)
        status = deliver(s, options, x, lambda, report);
    for (int k = 1; k <= steps && !status; k++) {
        double done = (double)(k - 1) / steps, step = 1.0 / steps;
        while (done < (double)k / steps && !status) {
            const double next = step < 1.0 / steps ? fmin(done + step, (double)k / steps) : (double)k / steps;
            phx_statics_set_load(s, next);
            status = equilibrium_settle(s, 5.0 * NEAR, x, lambda, &method);
            if (!status) {
                done = next;
            } else if (status == PHX_NOT_CONVERGED && step > SMALLEST) {
                memcpy(x, s->vectors.x_kept, (size_t)s->dae->n_x * sizeof *x);
                step *= 0.5;
                status = PHX_OK;
            }
        }
        if (!status && every)
            status = equilibrium_complete(s, start, x, lambda);
        if (!status && every)
            status = deliver(s, options, x, lambda, report);
    }
    report->method = PHX_STATIC_STEPS;
    return status;
}

/* Turns a failed search into an error with the unbalanced force, the worst body and the motion that is not held. Other
 * errors pass unchanged. */
static phx_status fails(statics *s, const double *x, const double *lambda, phx_status status)
{
    char motion[200];
    double unbalanced = 0.0, joint_residual = 0.0;

    if (status != PHX_NOT_CONVERGED && status != PHX_SINGULAR)
        return status;
    phx_context_clear(s->context);
    status = phx_statics_blame_states(s, x, lambda);
    if (!status)
        status = phx_statics_residual(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);
    if (status)
        return status;
    memset(s->vectors.res + s->e.n_v, 0, (size_t)s->e.n_l * sizeof *s->vectors.res);
    const char *worst = s->dae->ops->worst_residual(s->dae, s->vectors.res);
    phx_statics_name_motion(s, x, s->vectors.step, sizeof motion, motion);
    return phx_fail(s->context, PHX_ERR_ANALYSIS,
                    "no equilibrium was found: forces of %.3g N (%.2g of all that pulls) are out of balance, most on "
                    "body '%s', and %s still moves; give it a spring or a drive (speed: 0) that holds it, a start "
                    "nearer to the equilibrium, or smaller loads",
                    unbalanced * s->scale.weight, unbalanced, worst, motion);
}

/* Equilibrium in load steps from `start`, where the full loads at once do not converge. When this fails too, the error
 * is that of the full loads. */
static phx_status in_steps(statics *s, const phx_static_options *options, const double *start, double *x,
                           double *lambda, phx_static_report *report)
{
    const phx_status states = phx_statics_blame_states(s, x, lambda);
    if (states)
        return states;
    const phx_status failure = fails(s, x, lambda, PHX_NOT_CONVERGED);
    char *message = phx_strdup(NULL, phx_context_message(s->context));

    phx_context_clear(s->context);
    memcpy(x, start, (size_t)s->dae->n_x * sizeof *x);
    memset(lambda, 0, (size_t)s->e.n_l * sizeof *lambda);
    phx_status status = equilibrium_follow(s, options, 8, start, x, lambda, report);
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR)
        status = phx_fail(s->context, failure, "%s", message ? message : "no equilibrium was found");
    phx_free(message);
    return status;
}

/* Off an unstable equilibrium, in any direction, and down. */
static phx_status leave(statics *s, double *x, double *lambda, phx_static_report *report)
{
    enum { TRIES = 3 };
    int unstable = 0;
    phx_status status = phx_statics_diverges(s, x, lambda, &unstable);

    for (int k = 0; k < TRIES && unstable > 0 && !status; k++) {
        memset(s->vectors.other, 0, (size_t)s->e.n * sizeof *s->vectors.other);
        for (int i = 0; i < s->e.n_v; i++)
            s->vectors.step[i] = s->scale.force[i] > 0.0 ? sin(1.0 + 0.7 * (k + 1) * i) / s->scale.force[i] : 0.0;
        s->dae->ops->mass_apply(s->dae, s->vectors.step, s->vectors.other);
        status = phx_statics_factor(s, s->scale.rounding); /* of all motions those that the stiffness resists least */
        if (!status)
            status = phx_statics_solve(s, s->vectors.other);
        const double length = status ? 0.0 : phx_statics_largest_move(s, s->vectors.other);
        if (length > 0.0)
            phx_statics_displace(s, x, 0.02 / length, s->vectors.other, x);
        if (!status)
            status = phx_statics_descend(s, x, lambda);
        report->method = PHX_STATIC_DESCENT;
        if (!status)
            status = phx_statics_diverges(s, x, lambda, &unstable);
    }
    return status;
}

/* ---- what was found ---- */
static phx_status equilibrium_describe(statics *s, const double *x, const double *lambda, phx_static_report *report)
{
    double unbalanced = 0.0, joint_residual = 0.0;
    phx_status status = phx_statics_unstable(s, x, lambda, &report->unstable, &report->motions);

    if (!status)
        status = phx_statics_free_motions(s, x, lambda, &report->free_motions, sizeof report->free_names,
                                          report->free_names);
    if (!status)
        status = phx_statics_residual_as_it_is(s, x, lambda, s->vectors.res, &unbalanced, &joint_residual);
    if (!status)
        status = phx_statics_tell_states(s, x, lambda);
    report->iterations = s->iterations;
    report->weight = s->scale.pulled ? s->scale.weight : 0.0;
    report->circulatory = s->circulatory;
    report->judged = report->motions.judged > 0;
    report->unbalanced = unbalanced * s->scale.weight;
    phx_system_drift(s->dae, s->problem.t, x, s->vectors.zero, &report->gap, &joint_residual);
    if (!status && !(report->gap <= REDUNDANT_CLOSED * s->scale.size))
        return phx_fail(s->context, PHX_ERR_ANALYSIS,
                        "redundant joints do not close at the equilibrium: their residual is %.3g m (angles times 1 m)",
                        report->gap);
    return status;
}

/* dae: of the search; judged: of the motions about an equilibrium. */
static phx_status equilibrium_find(phx_dae *dae, phx_dae *judged, const phx_static_options *options, double *x,
                                   double *lambda, phx_static_report *report)
{
    statics s = {0};
    double *start = NULL;
    const size_t bytes = (size_t)dae->n_x * sizeof *x;

    phx_status status = phx_statics_create(dae, options->t, x, &s);

    s.circulatory = phx_statics_circulates(s.system, options->t);
    s.stability = options->stability;
    s.judged = judged;
    if (!status) {
        start = phx_calloc(dae->context, (size_t)dae->n_x, sizeof *start);
        status = start ? first_multipliers(&s, x, lambda) : PHX_ERR_MEMORY;
    }
    if (!status) {
        memcpy(start, x, bytes);
        status = options->steps > 0 ? equilibrium_follow(&s, options, options->steps, start, x, lambda, report)
                                    : equilibrium_settle(&s, NEAR, x, lambda, &report->method);
    }
    if ((status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) && options->steps == 0 && !s.endless)
        status = in_steps(&s, options, start, x, lambda, report);
    if (!status && options->stable)
        status = leave(&s, x, lambda, report);
    if (status && s.system)
        status = fails(&s, x, lambda, status);
    if (!status && (options->steps == 0 || options->stable))
        status = equilibrium_complete(&s, start, x, lambda);
    if (!status && options->steps == 0)
        status = deliver(&s, options, x, lambda, report);
    if (!status)
        status = equilibrium_describe(&s, x, lambda, report);
    if (!status)
        report->moved = way_between(&s, start, x);
    phx_free(start);
    phx_statics_free(&s);
    return status;
}

/* Finds the equilibrium at rest from the state x by the method of the options; *report states method, imbalance and
 * free motions. */
phx_status phx_system_static(phx_dae *dae, const phx_static_options *options, double *x, double *lambda,
                             phx_static_report *report)
{
    if (!dae || !options || !x || !lambda || !report)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, options, x, lambda or report");
    const phx_system *system = phx_system_of(dae);
    phx_dae *own = NULL; /* in whose matrix sampled controllers have their places */

    *report = (phx_static_report){.method = PHX_STATIC_NEWTON};
    phx_status status = phx_system_check_rest(dae->context, system);

    if (!status && options->steps < 0)
        status = phx_fail(dae->context, PHX_ERR_ARGUMENT, "%d load steps; expected 0 or more", options->steps);
    if (!status && phx_system_resting_controller(system) >= 0)
        status = phx_system_rest_dae(dae, &own);
    if (!status)
        status = equilibrium_find(own ? own : dae, dae, options, x, lambda, report);
    phx_system_dae_destroy(own);
    return phx_conclude(dae->context, status);
}

phx_status phx_system_pull(phx_dae *dae, double t, const double *x, double *pull, double *per_mass)
{
    if (!dae || !x || !pull || !per_mass)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, pull or per_mass");
    statics s = {0};
    const phx_status status = phx_statics_create(dae, t, x, &s);

    *pull = !status && s.scale.pulled ? s.scale.weight : 0.0;
    *per_mass = *pull > 0.0 ? *pull / s.scale.mass : 0.0;
    phx_statics_free(&s);
    return phx_conclude(dae->context, status);
}
