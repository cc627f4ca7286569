/* The path of equilibria over the load factor s, by arc length (Riks): the residual is f(x, lambda) + s p(x), and its
 * tangent (xi_s, 1) solves the same matrix as corrections do,
 *
 *   | K  -G^T | | xi_s |     | p |
 *   | G   0   | | ..   | = - | 0 | .
 *
 * From a step along it, Newton's corrections xi_r + ds xi_s stay in the plane across, n . W xi + w n_s ds = 0, also
 * where K is singular: at limit points, where s turns, and beyond them. Where K gains a negative eigenvalue and s goes
 * on, a branch is passed; it is entered by a step along the mode whose stiffness has vanished. */
#include "statics.h"

#include <math.h>
#include <string.h>

typedef struct path {
    statics s;
    const phx_path_options *options;
    double *x, *lambda;    /* the caller's */
    double *along;         /* n: xi_s and the multipliers' rates */
    double *way;           /* n: the last step's direction, of the plane */
    double *first;         /* n: residual with loads */
    double load, way_load; /* s; the part of the way that is s */
    double w;              /* weighs s against W */
    double stride, longest;
    int negative, points;
} path;

phx_path_options phx_path_options_default(void)
{
    return (phx_path_options){.to = 1.0, .points = 200, .stride = 0.05};
}

static phx_status create(phx_dae *dae, const phx_path_options *options, double *x, double *lambda, path *p)
{
    *p = (path){.options = options, .x = x, .lambda = lambda};
    p->longest = options->stride > 0.0 ? options->stride : phx_path_options_default().stride;
    p->stride = p->longest;
    phx_status status = phx_statics_create(dae, options->t, x, &p->s);
    const size_t n = (size_t)(dae->n_v + dae->n_l);
    const phx_sys_array arrays[] = {{&p->along, n}, {&p->way, n}, {&p->first, n}};
    if (!status)
        status = phx_sys_arrays_create(dae->context, sizeof arrays / sizeof *arrays, arrays);
    /* a tenth of the range of s counts as a stride of the whole mechanism */
    p->w = status ? 0.0 : p->s.mass * pow(p->s.size * p->longest / (0.1 * options->to), 2.0);
    return status;
}

static void destroy(path *p)
{
    double *arrays[] = {p->along, p->way, p->first};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
    phx_statics_free(&p->s);
}

/* p = residual with all loads less that without; then the matrix at the present load, factored, and xi_s. */
static phx_status tangent(path *p, const double *x, const double *lambda)
{
    statics *s = &p->s;
    const int n = s->ws->kkt.n, n_v = s->ws->kkt.n_v;
    double unbalanced, gap;

    phx_statics_set_load(s, 1.0);
    phx_status status = phx_statics_residual(s, x, lambda, p->along, &unbalanced, &gap);
    phx_statics_set_load(s, 0.0);
    if (!status)
        status = phx_statics_residual(s, x, lambda, p->first, &unbalanced, &gap);
    for (int i = 0; i < n && !status; i++)
        p->along[i] = i < n_v ? p->first[i] - p->along[i] : 0.0;
    phx_statics_set_load(s, p->load);
    if (!status)
        status = phx_statics_linearise(s, x, lambda);
    if (!status)
        status = phx_statics_factor(s, s->rounding);
    return status ? status : phx_statics_solve(s, p->along);
}

/* Newton's corrections in the plane across `way`, from s->x_try, s->lambda_try and p->load. */
static phx_status correct(path *p, int *iterations)
{
    enum { LIMIT = 12 };
    statics *s = &p->s;
    const int n = s->ws->kkt.n, n_v = s->ws->kkt.n_v;
    double unbalanced = HUGE_VAL, gap = HUGE_VAL, aside = 0.0;

    for (int k = 0; k < LIMIT; k++) {
        const double before = unbalanced;
        phx_statics_set_load(s, p->load);
        phx_status status = phx_statics_residual(s, s->x_try, s->lambda_try, s->res, &unbalanced, &gap);
        if (status)
            return status;
        *iterations = k;
        if (unbalanced <= 1e-10 && gap <= 1e-11 && (unbalanced <= 1e-14 || unbalanced >= 0.5 * before))
            return PHX_OK;
        if (!(unbalanced < 1e6))
            return PHX_NOT_CONVERGED;
        status = tangent(p, s->x_try, s->lambda_try);
        for (int i = 0; i < n; i++)
            s->step[i] = -s->res[i];
        if (!status)
            status = phx_statics_solve(s, s->step);
        if (status)
            return status;
        const double over = phx_statics_W_product(s, p->way, p->along) + p->w * p->way_load;
        const double ds = -phx_statics_W_product(s, p->way, s->step) / over;
        if (!isfinite(ds))
            return PHX_NOT_CONVERGED;
        for (int i = 0; i < n; i++)
            s->step[i] += ds * p->along[i];
        aside += phx_statics_largest_move(s, s->step);
        if (!(aside <= 0.5 * p->stride)) /* another branch, or too sharp a turn */
            return PHX_NOT_CONVERGED;
        phx_statics_displace(s, s->x_try, 1.0, s->step, s->x_try);
        for (int i = n_v; i < n; i++)
            s->lambda_try[i - n_v] += s->step[i];
        p->load += ds;
        s->iterations++;
    }
    return unbalanced <= 1e-10 && gap <= 1e-11 ? PHX_OK : PHX_NOT_CONVERGED;
}

static phx_status look(path *p)
{
    phx_static_point point = {.load = p->load, .x = p->x, .lambda = p->lambda};
    double gap;

    phx_status status = phx_statics_residual(&p->s, p->x, p->lambda, p->s.res, &point.unbalanced, &gap);
    if (!status)
        status = phx_statics_linearise(&p->s, p->x, p->lambda);
    if (!status)
        status = phx_statics_negative(&p->s, p->s.rounding, &point.unstable);
    if (status)
        return status;
    p->negative = point.unstable;
    p->points++;
    return p->options->deliver ? p->options->deliver(p->options->user, &point) : PHX_OK;
}

/* Scales (xi, ds) to a step of the present stride, and of a tenth of the range of s at most. */
static void scale_way(path *p, double *xi, double *ds)
{
    const double length = phx_statics_largest_move(&p->s, xi);
    const double part = p->stride / p->longest;
    double factor = length > 0.0 ? p->stride / length : HUGE_VAL;

    if (fabs(*ds) > 0.0)
        factor = fmin(factor, 0.1 * part * p->options->to / fabs(*ds));
    for (int i = 0; i < p->s.ws->kkt.n; i++)
        xi[i] *= factor;
    *ds *= factor;
}

/* The direction of the next step, into `way`: the tangent, on from the last one. */
static phx_status choose_way(path *p, double sign)
{
    statics *s = &p->s;
    const int n = s->ws->kkt.n;
    const phx_status status = tangent(p, p->x, p->lambda);

    if (status)
        return status;
    if (sign == 0.0) {
        const double on = phx_statics_W_product(s, p->way, p->along) + p->w * p->way_load;
        sign = on < 0.0 ? -1.0 : 1.0;
    }
    for (int i = 0; i < n; i++)
        p->way[i] = sign * p->along[i];
    p->way_load = sign;
    scale_way(p, p->way, &p->way_load);
    return PHX_OK;
}

/* The mode of the least stiffness, as `way`. */
static phx_status choose_mode(path *p)
{
    statics *s = &p->s;
    const int n = s->ws->kkt.n, n_v = s->ws->kkt.n_v;
    phx_status status = phx_statics_linearise(s, p->x, p->lambda);

    if (!status)
        status = phx_statics_factor(s, s->rounding);
    for (int i = 0; i < n_v; i++)
        p->way[i] = sin(1.0 + 0.7 * i) / s->force[i];
    for (int pass = 0; pass < 12 && !status; pass++) {
        memset(p->first, 0, (size_t)n * sizeof *p->first);
        s->ws->base.ops->mass_apply(&s->ws->base, p->way, p->first);
        status = phx_statics_solve(s, p->first);
        memcpy(p->way, p->first, (size_t)n * sizeof *p->way);
        p->way_load = 0.0;
        scale_way(p, p->way, &p->way_load);
    }
    memset(p->way + n_v, 0, (size_t)s->ws->n_l * sizeof *p->way);
    return status;
}

/* A step along `way`, halved until the corrections converge; on success at x, lambda, load. */
static phx_status step(path *p)
{
    enum { HALVINGS = 10 };
    statics *s = &p->s;
    const int n = s->ws->kkt.n, n_v = s->ws->kkt.n_v;
    const double load = p->load;
    phx_status status = PHX_NOT_CONVERGED;

    for (int k = 0; k < HALVINGS && (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR); k++) {
        int iterations = 0;
        phx_context_clear(s->context);
        phx_statics_displace(s, p->x, 1.0, p->way, s->x_try);
        for (int i = n_v; i < n; i++)
            s->lambda_try[i - n_v] = p->lambda[i - n_v] + p->way[i];
        p->load = load + p->way_load;
        status = correct(p, &iterations);
        if (!status) {
            memcpy(p->x, s->x_try, (size_t)s->system->n_x * sizeof *p->x);
            memcpy(p->lambda, s->lambda_try, (size_t)s->ws->n_l * sizeof *p->lambda);
            phx_statics_count(s, p->x);
            p->stride = fmin(p->longest, iterations <= 4 ? 1.4 * p->stride : p->stride);
            return PHX_OK;
        }
        p->stride *= 0.5;
        p->load = load;
        for (int i = 0; i < n; i++)
            p->way[i] *= 0.5;
        p->way_load *= 0.5;
    }
    return status;
}

static bool inside(const path *p)
{
    return p->load < p->options->to;
}

/* The point, or, where the path has passed the end of the range, that at the end. */
static phx_status arrive(path *p)
{
    phx_status status = PHX_OK;

    if (!inside(p)) {
        const double last = p->options->to;
        phx_statics_set_load(&p->s, last);
        status = phx_statics_newton(&p->s, 0.5, p->x, p->lambda);
        p->load = status ? p->load : last;
        status = status == PHX_NOT_CONVERGED || status == PHX_SINGULAR ? PHX_OK : status;
        phx_statics_set_load(&p->s, p->load);
    }
    return status ? status : look(p);
}

static phx_status follow(path *p)
{
    double sign = 1.0;
    phx_status status = look(p);

    while (!status && p->points < p->options->points && inside(p)) {
        const int negative = p->negative;
        const double before = p->way_load;
        status = choose_way(p, sign);
        const bool turned = sign == 0.0 && before * p->way_load < 0.0;
        sign = 0.0;
        if (!status)
            status = step(p);
        if (!status)
            status = arrive(p);
        const bool passed = !status && p->negative > negative && !turned && p->way_load * before >= 0.0;
        if (passed && p->options->branch && inside(p)) {
            status = choose_mode(p);
            if (!status)
                status = step(p);
            if (!status)
                status = arrive(p);
        }
    }
    return status;
}

phx_status phx_system_static_path(phx_dae *dae, const phx_path_options *options, double *x, double *lambda,
                                  phx_static_report *report)
{
    if (!dae || !options || !x || !lambda || !report)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, options, x, lambda or report");
    path p;
    double unbalanced = 0.0, gap = 0.0;
    phx_status status = create(dae, options, x, lambda, &p);

    *report = (phx_static_report){.method = PHX_STATIC_STEPS};
    if (!status && !(options->to > 0.0 && options->points > 0))
        status = phx_fail(dae->context, PHX_ERR_ARGUMENT,
                          "a path to the load factor %g with %d points; expected both "
                          "to be positive",
                          options->to, options->points);
    if (!status) {
        phx_statics_set_load(&p.s, 0.0);
        status = phx_sys_locked_accelerations(p.s.ws, options->t, x, p.s.zero, true, p.s.step, lambda, p.s.res_try);
    }
    if (!status)
        status = phx_statics_newton(&p.s, 0.1, x, lambda);
    if (status == PHX_NOT_CONVERGED)
        status = phx_statics_descend(&p.s, x, lambda);
    if (!status)
        status = phx_statics_free_motions(&p.s, x, lambda, &report->free_motions, sizeof report->free_names,
                                          report->free_names);
    if (!status && report->free_motions > 0)
        status = phx_fail(dae->context, PHX_ERR_ANALYSIS,
                          "without the loads nothing holds %s: a path needs an equilibrium to begin from",
                          report->free_names);
    if (!status)
        status = follow(&p);
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR)
        status = phx_fail(dae->context, PHX_ERR_ANALYSIS,
                          "the path of equilibria was lost at the load factor %.6g after %d points; take a shorter "
                          "stride",
                          p.load, p.points);
    if (!status)
        status = phx_statics_residual(&p.s, x, lambda, p.s.res, &unbalanced, &gap);
    report->iterations = p.s.iterations;
    report->steps = p.points;
    report->unstable = p.negative;
    report->weight = p.s.pulled ? p.s.weight : 0.0;
    report->unbalanced = unbalanced * p.s.weight;
    report->gap = gap * p.s.size;
    destroy(&p);
    return phx_conclude(dae->context, status);
}
