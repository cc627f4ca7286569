/* Quasi-static load path: the deformed start reached by loads that grow, those of inertia too. They are s times those
 * of the start; at s = 0 the undeformed start is the solution. The first step is the whole. Steps of s are halved where
 * Newton's iteration does not converge, or ends where the stiffness is no longer positive: a stable path is followed to
 * the loads as they are, and where there is none the run says so. */
#include "deformed.h"
#include "equilibrium/tolerances.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 40 };
static const double SMALLEST = 1.0 / 512.0; /* step of s: a buckling load is found to that part of the loads */
static const double EXACT = 1e-14;          /* last relative correction: none is smaller */

/* A point of the path. */
typedef struct point {
    double *x, *a, *lambda, *force;
} point;

static phx_status point_create(const dense *d, point *p)
{
    const phx_array arrays[] = {{&p->x, (size_t)d->dae->n_x},
                                {&p->a, (size_t)d->n_v},
                                {&p->lambda, (size_t)d->m},
                                {&p->force, (size_t)d->n_force}};

    return phx_arrays_create(d->dae->context, sizeof arrays / sizeof *arrays, arrays);
}

static void point_free(point *p)
{
    phx_free(p->x);
    phx_free(p->a);
    phx_free(p->lambda);
    phx_free(p->force);
}

static void copy(double *to, const double *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static void load_path_keep(const dense *d, const double *x, point *p)
{
    copy(p->x, x, d->dae->n_x);
    copy(p->a, d->a, d->n_v);
    copy(p->lambda, d->lambda, d->m);
    copy(p->force, d->force, d->n_force);
}

static void restore(const point *p, double *x, dense *d)
{
    copy(x, p->x, d->dae->n_x);
    copy(d->a, p->a, d->n_v);
    copy(d->lambda, p->lambda, d->m);
    copy(d->force, p->force, d->n_force);
}

/* Newton's iteration at d->load. PHX_NOT_CONVERGED: it did not. */
static phx_status load_path_solve(phx_system *system, double t, double *x, double *v, dense *d)
{
    double best = HUGE_VAL;
    int worse = 0;

    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        double moved = HUGE_VAL, bent = HUGE_VAL;
        phx_status status = phx_deformed_evaluate(system, t, x, v, d);
        if (!status)
            status = phx_deformed_correct(d, x, &moved, &bent);
        if (status)
            return status;
        const double change = fmax(moved, bent);
        if (!(change < 1e3))
            return PHX_NOT_CONVERGED;
        if (change < EXACT || (best < START_SETTLED && change >= best))
            return phx_system_assembly_residual(d->dae, x, d->residuals) < START_SETTLED ? PHX_OK : PHX_NOT_CONVERGED;
        worse = change < best ? 0 : worse + 1;
        if (worse > 5)
            return PHX_NOT_CONVERGED;
        best = fmin(best, change);
    }
    return PHX_NOT_CONVERGED;
}

static const char *name_of(const dense *d, int body)
{
    return body >= 0 ? phx_body_name(phx_system_body(d->system, body)) : "";
}

/* Why the path ends at d->load: it is at x, `least` and `body` those of phx_deformed_stability there. */
static phx_status ends(const dense *d, bool unstable, double least, int body)
{
    const char *mark = body >= 0 ? "'" : "", *of = body >= 0 ? "body '" : "the mechanism";

    if (unstable)
        return phx_fail(d->dae->context, PHX_ERR_ANALYSIS,
                        "there is no stable quasi-static deformation at the start: %s%s%s buckles at about %.3g %% of "
                        "the loads, where its stiffness is no longer positive; make it stiffer or the loads smaller, "
                        "or start with deformation: zero",
                        of, name_of(d, body), mark, 100.0 * d->load);
    return phx_fail(d->dae->context, PHX_ERR_ANALYSIS,
                    "the quasi-static deformation at the start did not converge beyond %.3g %% of the loads (a limit "
                    "point: %s%s%s has %.2g of its stiffness left there): the bodies are too soft for their loads; "
                    "make them stiffer or the loads smaller, or start with deformation: zero",
                    100.0 * d->load, of, name_of(d, body), mark, fmax(least, 0.0));
}

/* Failures after which a smaller step can be tried. */
static bool retry(phx_status status)
{
    return status != PHX_ERR_MEMORY && status != PHX_INTERRUPTED;
}

/* Follows the path of quasi-static equilibria from d->load 0 to 1 with steps that are halved where the iteration fails
 * or the equilibrium is unstable. Fails with the load reached when the step falls below SMALLEST. */
static phx_status load_path_follow(phx_system *system, double t, double *x, double *v, dense *d, point *last)
{
    double done = 0.0, step = 1.0;
    bool unstable = false;
    int body = -1, weakest = -1;
    double least = 1.0;

    load_path_keep(d, x, last);
    while (done < 1.0) {
        double found = 1.0;
        d->load = fmin(1.0, done + step);
        phx_status status = load_path_solve(system, t, x, v, d);
        if (!status)
            status = phx_deformed_evaluate(system, t, x, v, d);
        if (!status)
            status = phx_deformed_stability(t, x, d, &found, step < 1.0 ? &weakest : NULL);
        if (!status && found > 0.0) {
            done = d->load;
            least = found;
            body = weakest;
            load_path_keep(d, x, last);
            step = fmin(2.0 * step, 1.0 - done);
            continue;
        }
        if (status && !retry(status))
            return status;
        phx_context_clear(d->dae->context);
        unstable = !status;
        body = unstable ? weakest : body;
        restore(last, x, d);
        step *= 0.5;
        if (step < SMALLEST) {
            d->load = done;
            return ends(d, unstable, least, body);
        }
    }
    return PHX_OK;
}

/* Finds the deformed start at the end of the load path that begins at the undeformed one, and the velocities that go
 * with it; x and v receive them. */
phx_status phx_deformed_start(phx_system *system, double t, double *x, double *v)
{
    dense d;
    point last = {NULL, NULL, NULL, NULL};

    phx_context_clear(phx_system_context(system));
    memcpy(x, phx_system_assembled(system), (size_t)phx_system_n_x(system) * sizeof *x);
    phx_status status = phx_deformed_create(system, &d);
    if (!status)
        status = point_create(&d, &last);
    d.independent = true;
    if (!status)
        status = load_path_follow(system, t, x, v, &d, &last);
    point_free(&last);
    phx_deformed_free(&d);
    return status ? status : phx_system_start_velocities(system, t, x, v);
}
