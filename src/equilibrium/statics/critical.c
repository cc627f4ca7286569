/* Where on a step of the path the tangent stiffness is singular.
 *
 * With N negative directions at the beginning of the step and more at its end (or fewer: the step backwards), the
 * eigenvalue number j = N + 1 of (K, W) on the motions that G allows,
 *
 *   K z = kappa W z + G^T mu ,   G z = 0 ,
 *
 * counted from the least, changes its sign on the way, and so on for each j up to the number at the end. Modes cross,
 * so it is the number that is followed and not a mode: kappa_j is continuous along the step, and smooth near its root,
 * at limit points too. The root is found by inverse interpolation over all equilibria computed on the way. The last
 * equilibrium is a little off the root, because at the root itself the smallest force along z moves it far; the load
 * there is interpolated. The null vector is z. At a limit point the load factor turns: the mechanism moves along z
 * there while the load does not grow. At a bifurcation the loads do no work along z. */
#include "path.h"
#include "subspace.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 40, GUARD = 8 };
static const double NEAR_ENOUGH = 5e-5; /* of the root, parts of the step */
static const double TURNED = 0.02;      /* rate of the load at a limit point, of that where the step begins */
static const double OFF = 2e-5;         /* the same: a sample is put so far off the root that is expected */
static const double CONVERGED = 1e-10;  /* change of the sum over the values, relative */
static const double NEAR_ZERO = 1e-4;   /* of the largest value: smaller ones count alike in that sum */
static const double AGREES = 1e-2;      /* of the bracket: how far off its last sample an interpolated load may be */

/* W z */
static void apply_W(const statics *s, const void *user, const double *z, double *out)
{
    (void)user;
    memset(out, 0, (size_t)s->e.n * sizeof *out);
    s->dae->ops->mass_apply(s->dae, z, out);
    for (int i = 0; i < s->e.n_v; i++)
        out[i] += s->scale.turning[i] * z[i];
}

/* The place of kappa_j among the values, which may be beyond them. They are numbered from the largest gap near zero,
 * where the number of eigenvalues below is certain; free motions are zeros in their midst. */
static phx_status find_place(path *p, const subspace *e, int j, int *place)
{
    statics *s = &p->s;
    int split = 0, below = 0;
    double widest = -1.0;

    for (int k = 0; k + 1 < e->width; k++) {
        const double low = e->values[k], high = e->values[k + 1];
        const double gap = (high - low) / fmax(fabs(low), fabs(high));
        const bool inside = k > 0 || low > 0.0 || e->width == 2; /* the space may lack what lies below its values */
        if (inside && gap > widest && fabs(low + high) > 4.0 * s->scale.rounding) {
            widest = gap;
            split = k;
        }
    }
    const double first = e->values[split];
    const double above = e->width > 1 ? e->values[split + 1] : first + fmax(fabs(first), 8.0 * s->scale.rounding);
    const phx_status status = phx_statics_negative(s, -0.5 * (first + above), &below);
    const int at = split + j - below;
    *place = at >= 0 && at < e->width && e->values[at] >= -s->scale.rounding ? at + p->free : at;
    return status;
}

/* The values at an equilibrium whose matrix is linearised, to rounding. */
static phx_status find_values(statics *s, subspace *e)
{
    enum { PASSES = 40 };
    double last = HUGE_VAL, change = HUGE_VAL;
    phx_status status = phx_statics_factor(s, s->scale.rounding);

    for (int k = 0; k < PASSES && !status && change > CONVERGED; k++) {
        double sum = 0.0, largest = 0.0;
        status = phx_subspace_iterate(s, e);
        for (int i = 0; i < e->width && !status; i++)
            largest = fmax(largest, fabs(e->values[i]));
        for (int i = 0; i < e->width && !status; i++) /* those near zero, which come first, count most */
            sum += pow(largest / (NEAR_ZERO * largest + fabs(e->values[i])), 2.0);
        change = fabs(sum - last) / fmax(sum, 1.0);
        last = sum;
    }
    return status;
}

typedef struct sample {
    double part, load, kappa;
} sample;

/* The value at kappa = 0 of the polynomial through the samples nearest to there (Neville): `part`, or the load. */
static double interpolate(const sample *samples, int n, bool load)
{
    enum { MOST = 5 };
    double k[MOST], y[MOST];
    int used = 0;
    double beyond = -1.0;

    for (; used < MOST; used++) {
        int nearest = -1;
        for (int i = 0; i < n; i++)
            if (isfinite(samples[i].kappa) && fabs(samples[i].kappa) > beyond &&
                (nearest < 0 || fabs(samples[i].kappa) < fabs(samples[nearest].kappa)))
                nearest = i;
        if (nearest < 0)
            break;
        k[used] = samples[nearest].kappa;
        y[used] = load ? samples[nearest].load : samples[nearest].part;
        beyond = fabs(k[used]);
    }
    for (int width = 1; width < used; width++)
        for (int i = 0; i + width < used; i++)
            y[i] = (k[i] * y[i + 1] - k[i + width] * y[i]) / (k[i] - k[i + width]);
    return used > 0 ? y[0] : NAN;
}

/* A sample of kappa_j at a part of the last step, with its mode; infinite where the space does not have it. */
static phx_status critical_take(path *p, subspace *e, int j, double part, sample *out, double *mode)
{
    statics *s = &p->s;
    int at = -1;

    out->part = part;
    phx_status status = phx_path_between(p, part, &out->load);
    phx_statics_set_load(s, out->load);
    if (!status)
        status = phx_statics_linearise(s, s->vectors.x_try, s->vectors.lambda_try);
    if (!status)
        status = find_values(s, e);
    if (!status)
        status = find_place(p, e, j, &at);
    if (status)
        return status;
    out->kappa = at < 0 ? -HUGE_VAL : at >= e->width ? HUGE_VAL : e->values[at];
    if (isfinite(out->kappa))
        memcpy(mode, e->Z + (size_t)at * (size_t)s->e.n, (size_t)s->e.n_v * sizeof *mode);
    return PHX_OK;
}

/* ds along a unit of W and w at a configuration. */
static phx_status load_rate(path *p, const double *x, const double *lambda, double load, double *rate)
{
    phx_status status = phx_path_tangent(p, x, lambda, load, 0.0);

    if (status == PHX_SINGULAR) {
        phx_context_clear(p->s.context);
        status = phx_path_tangent(p, x, lambda, load, p->s.scale.rounding);
    }
    *rate = 1.0 / sqrt(phx_statics_W_product(&p->s, p->along, p->along) + p->w);
    return status;
}

/* Whether the load factor turns at s.x_try. */
static phx_status turns(path *p, double load, bool *limit)
{
    double here, before;
    phx_status status = load_rate(p, p->s.vectors.x_try, p->s.vectors.lambda_try, load, &here);

    if (!status)
        status = load_rate(p, p->last.x, p->last.lambda, p->last.load, &before);
    *limit = !status && here < TURNED * before;
    return status;
}

/* Critical point j. Its bracket is a little longer than the step: the number of negative directions is that of the
 * symmetric part of K, whose rounding may change it a little before or after K is singular. */
static phx_status critical_locate(path *p, subspace *e, int j, critical_point *point, double *mode)
{
    sample samples[SAMPLES];
    double low = -0.5, high = 1.5, next = 0.0;
    bool rises = false;
    int n = 0;
    phx_status status = PHX_OK;

    while (n < SAMPLES && !status) {
        const double here = next;
        status = critical_take(p, e, j, here, &samples[n], mode);
        if ((status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) && n > 2) { /* too near the root */
            phx_context_clear(p->s.context);
            status = critical_take(p, e, j, samples[n - 1].part, &samples[n - 1], mode);
            break;
        }
        if (status)
            return status;
        n++;
        next = 1.0;
        if (n < 2)
            continue;
        rises = n == 2 ? samples[1].kappa > samples[0].kappa : rises;
        for (int k = n == 2 ? 0 : n - 1; k < n; k++)
            *((samples[k].kappa > 0.0) == rises ? &high : &low) = samples[k].part;
        const double root = interpolate(samples, n, false);
        if (n > 2 && fabs(root - here) < NEAR_ENOUGH)
            break;
        const bool slow = n > 3 && !(fabs(samples[n - 1].kappa) < 0.5 * fabs(samples[n - 3].kappa)); /* a crossing */
        next = !slow && root > low && root < high - OFF ? root + OFF : 0.5 * (low + high);
    }
    if (status || n == SAMPLES)
        return status ? status : PHX_NOT_CONVERGED;
    point->load = interpolate(samples, n, true);
    if (!(fabs(point->load - samples[n - 1].load) <= AGREES * fabs(samples[1].load - samples[0].load)))
        point->load = samples[n - 1].load;
    return turns(p, samples[n - 1].load, &point->limit);
}

/* Locates the critical points on the last step of the path, where eigenvalues of (K, W) change sign, in the order in
 * which they are passed; at most `count`, with their modes. */
phx_status phx_path_critical(path *p, int count, critical_point *points, double *modes, int *found)
{
    statics *s = &p->s;
    const bool reversed = p->at.negative < p->last.negative;
    const int first = (reversed ? p->at.negative : p->last.negative) + 1;
    const int passed = reversed ? p->last.negative - p->at.negative : p->at.negative - p->last.negative;
    subspace e = {0};

    *found = 0;
    if (passed == 0)
        return PHX_OK;
    phx_status status = phx_subspace_create(s, passed + GUARD, apply_W, NULL, true, &e);
    for (int k = 0; k < passed && *found < count && !status; k++, ++*found)
        status = critical_locate(p, &e, reversed ? first + passed - 1 - k : first + k, &points[*found],
                                 modes + (size_t)*found * (size_t)s->e.n_v);
    phx_subspace_destroy(&e);
    return status;
}
