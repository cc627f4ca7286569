/* Steps along the path of equilibria (path.h). */
#include "path.h"

#include <math.h>
#include <string.h>

static phx_status create_point(phx_dae *dae, path_point *point)
{
    const phx_array arrays[] = {{&point->x, (size_t)dae->n_x},
                                {&point->lambda, (size_t)dae->n_l},
                                {&point->way, (size_t)(dae->n_v + dae->n_l)}};
    return phx_arrays_create(dae->context, sizeof arrays / sizeof *arrays, arrays);
}

static void free_point(path_point *point)
{
    phx_free(point->x);
    phx_free(point->lambda);
    phx_free(point->way);
}

static void copy_point(const path *p, path_point *to, const path_point *from)
{
    memcpy(to->x, from->x, (size_t)p->s.dae->n_x * sizeof *to->x);
    memcpy(to->lambda, from->lambda, (size_t)p->s.e.n_l * sizeof *to->lambda);
    memcpy(to->way, from->way, (size_t)p->s.e.n * sizeof *to->way);
    to->load = from->load;
    to->way_load = from->way_load;
    to->negative = from->negative;
}

/* The longest step of s counts as a stride of the whole mechanism. */
void phx_path_set_load_step(path *p, double load_step)
{
    p->load_step = load_step;
    p->w = p->s.scale.mass * pow(p->s.scale.size * p->longest / load_step, 2.0);
}

/* Creates a path that begins at x with the longest step `longest` in configuration and `load_step` in load; after an
 * error phx_path_destroy frees it. */
phx_status phx_path_create(phx_dae *dae, double t, const double *x, double longest, double load_step, path *p)
{
    *p = (path){.longest = longest, .stride = longest};
    phx_status status = phx_statics_create(dae, t, x, &p->s);
    const size_t n = (size_t)(dae->n_v + dae->n_l);
    const phx_array arrays[] = {{&p->along, n}, {&p->first, n}};
    if (!status)
        status = phx_arrays_create(dae->context, sizeof arrays / sizeof *arrays, arrays);
    if (!status)
        status = create_point(dae, &p->at);
    if (!status)
        status = create_point(dae, &p->last);
    if (status)
        return status;
    memcpy(p->at.x, x, (size_t)dae->n_x * sizeof *x);
    phx_path_set_load_step(p, load_step);
    return PHX_OK;
}

void phx_path_destroy(path *p)
{
    phx_free(p->along);
    phx_free(p->first);
    free_point(&p->at);
    free_point(&p->last);
    phx_statics_free(&p->s);
}

/* Finds the first point of the path at the given load factor by Newton's iteration, or by descent if that fails, and
 * the motions that nothing holds there. */
phx_status phx_path_begin(path *p, double load, phx_static_report *report)
{
    statics *s = &p->s;
    double *x = p->at.x, *lambda = p->at.lambda;

    p->at.load = load;
    phx_statics_set_load(s, load);
    phx_status status = phx_system_locked_accelerations(s->dae, s->problem.t, x, s->vectors.zero, true, s->vectors.step,
                                                        lambda, s->vectors.res_try);
    if (!status)
        status = phx_statics_newton(s, 0.1, x, lambda);
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR)
        status = phx_statics_descend(s, x, lambda);
    if (!status)
        status = phx_statics_free_motions(s, x, lambda, &report->free_motions, sizeof report->free_names,
                                          report->free_names);
    p->free = report->free_motions;
    return status;
}

/* p = residual with all loads less that without; then the matrix at the present load, factored, and xi_s. */
phx_status phx_path_tangent(path *p, const double *x, const double *lambda, double load, double sigma)
{
    statics *s = &p->s;
    const int n = s->e.n, n_v = s->e.n_v;
    double unbalanced, joint_residual;

    phx_statics_set_load(s, 1.0);
    phx_status status = phx_statics_residual(s, x, lambda, p->along, &unbalanced, &joint_residual);
    phx_statics_set_load(s, 0.0);
    if (!status)
        status = phx_statics_residual(s, x, lambda, p->first, &unbalanced, &joint_residual);
    for (int i = 0; i < n && !status; i++)
        p->along[i] = i < n_v ? p->first[i] - p->along[i] : 0.0;
    phx_statics_set_load(s, load);
    if (!status)
        status = phx_statics_linearise(s, x, lambda);
    if (!status)
        status = phx_statics_factor(s, sigma);
    return status ? status : phx_statics_solve(s, p->along);
}

/* Newton's corrections in the plane across the step `way`, `way_load`, from s->x_try, s->lambda_try and *load. */
static phx_status path_correct(path *p, const path_point *from, double *load, int *iterations)
{
    static const double BALANCED = 1e-14; /* imbalance that is not worth another correction */
    enum { LIMIT = 12 };
    statics *s = &p->s;
    const int n = s->e.n, n_v = s->e.n_v;
    double unbalanced = HUGE_VAL, joint_residual = HUGE_VAL, aside = 0.0;

    for (int k = 0; k < LIMIT; k++) {
        const double before = unbalanced;
        phx_statics_set_load(s, *load);
        phx_status status = phx_statics_residual(s, s->vectors.x_try, s->vectors.lambda_try, s->vectors.res,
                                                 &unbalanced, &joint_residual);
        if (status)
            return status;
        unbalanced /= fmax(1.0, fabs(*load)); /* its measure is that of the loads as they are */
        *iterations = k;
        if (unbalanced <= s->scale.enough && joint_residual <= CLOSED &&
            (unbalanced <= BALANCED || unbalanced >= 0.5 * before))
            return PHX_OK;
        if (!(unbalanced < 1e6))
            return PHX_NOT_CONVERGED;
        status = phx_path_tangent(p, s->vectors.x_try, s->vectors.lambda_try, *load, s->scale.rounding);
        for (int i = 0; i < n; i++)
            s->vectors.step[i] = -s->vectors.res[i];
        if (!status)
            status = phx_statics_solve(s, s->vectors.step);
        if (status)
            return status;
        const double over = phx_statics_W_product(s, from->way, p->along) + p->w * from->way_load;
        const double ds = -phx_statics_W_product(s, from->way, s->vectors.step) / over;
        if (!isfinite(ds))
            return PHX_NOT_CONVERGED;
        for (int i = 0; i < n; i++)
            s->vectors.step[i] += ds * p->along[i];
        aside += phx_statics_largest_move(s, s->vectors.step);
        if (!(aside <= 0.5 * p->stride)) /* another branch, or too sharp a turn */
            return PHX_NOT_CONVERGED;
        phx_statics_displace(s, s->vectors.x_try, 1.0, s->vectors.step, s->vectors.x_try);
        for (int i = n_v; i < n; i++)
            s->vectors.lambda_try[i - n_v] += s->vectors.step[i];
        *load += ds;
        s->iterations++;
    }
    return unbalanced <= s->scale.enough && joint_residual <= CLOSED ? PHX_OK : PHX_NOT_CONVERGED;
}

/* The equilibrium near `from` and a part of its step. */
static phx_status arrive(path *p, const path_point *from, double part, double *load, int *iterations)
{
    statics *s = &p->s;

    phx_statics_displace(s, from->x, part, from->way, s->vectors.x_try);
    for (int k = 0; k < s->e.n_l; k++)
        s->vectors.lambda_try[k] = from->lambda[k] + part * from->way[s->e.n_v + k];
    *load = from->load + part * from->way_load;
    return path_correct(p, from, load, iterations);
}

phx_status phx_path_between(path *p, double part, double *load)
{
    int iterations;

    return arrive(p, &p->last, part, load, &iterations);
}

phx_status phx_path_look(path *p, double *unbalanced)
{
    statics *s = &p->s;
    double joint_residual;

    phx_statics_set_load(s, p->at.load);
    phx_status status = phx_statics_residual(s, p->at.x, p->at.lambda, s->vectors.res, unbalanced, &joint_residual);
    if (!status)
        status = phx_statics_linearise(s, p->at.x, p->at.lambda);
    return status ? status : phx_statics_negative(s, s->scale.rounding, &p->at.negative);
}

/* Scales (xi, ds) to a step of the present stride, and of the longest step of s at most. */
static void scale_way(const path *p, double *xi, double *ds)
{
    const double length = phx_statics_largest_move(&p->s, xi);
    const double part = p->stride / p->longest;
    double factor = length > 0.0 ? p->stride / length : HUGE_VAL;

    if (fabs(*ds) > 0.0)
        factor = fmin(factor, part * p->load_step / fabs(*ds));
    for (int i = 0; i < p->s.e.n; i++)
        xi[i] *= factor;
    *ds *= factor;
}

/* Cosine of the angle between the last step and the tangent, in W and w. */
static double turn(const path *p)
{
    const path_point *at = &p->at;
    const double step = phx_statics_W_product(&p->s, at->way, at->way) + p->w * at->way_load * at->way_load;
    const double unit = phx_statics_W_product(&p->s, p->along, p->along) + p->w;

    return (phx_statics_W_product(&p->s, at->way, p->along) + p->w * at->way_load) / sqrt(step * unit);
}

/* At a bifurcation the tangent is any; the path goes straight on over it. */
phx_status phx_path_choose(path *p, double sign)
{
    statics *s = &p->s;
    path_point *at = &p->at;
    const phx_status status = phx_path_tangent(p, at->x, at->lambda, at->load, s->scale.rounding);

    if (status)
        return status;
    const double cosine = sign == 0.0 ? turn(p) : 1.0;
    if (sign == 0.0)
        sign = cosine < 0.0 ? -1.0 : 1.0;
    if (fabs(cosine) > 0.3 || at->way_load == 0.0) { /* else on as before */
        for (int i = 0; i < s->e.n; i++)
            at->way[i] = sign * p->along[i];
        at->way_load = sign;
    }
    scale_way(p, at->way, &at->way_load);
    return PHX_OK;
}

void phx_path_choose_mode(path *p, const double *xi)
{
    memcpy(p->at.way, xi, (size_t)p->s.e.n_v * sizeof *xi);
    memset(p->at.way + p->s.e.n_v, 0, (size_t)p->s.e.n_l * sizeof *xi);
    p->at.way_load = 0.0;
    scale_way(p, p->at.way, &p->at.way_load);
}

/* Takes one step along the tangent to a new equilibrium by arc-length continuation, halving the step up to ten times;
 * on failure the path stays at its last point. */
phx_status phx_path_step(path *p)
{
    enum { HALVINGS = 10 };
    statics *s = &p->s;
    path_point *at = &p->at;
    phx_status status = PHX_NOT_CONVERGED;

    for (int k = 0; k < HALVINGS && (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR); k++) {
        int iterations = 0;
        double load;
        phx_context_clear(s->context);
        status = arrive(p, at, 1.0, &load, &iterations);
        if (!status) {
            copy_point(p, &p->last, at);
            memcpy(at->x, s->vectors.x_try, (size_t)phx_system_n_x(s->system) * sizeof *at->x);
            memcpy(at->lambda, s->vectors.lambda_try, (size_t)s->e.n_l * sizeof *at->lambda);
            at->load = load;
            phx_statics_count(s, at->x);
            p->stride = fmin(p->longest, iterations <= 4 ? 1.4 * p->stride : p->stride);
            return PHX_OK;
        }
        p->stride *= 0.5;
        for (int i = 0; i < s->e.n; i++)
            at->way[i] *= 0.5;
        at->way_load *= 0.5;
    }
    return status;
}
