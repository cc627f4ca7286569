/* Critical loads: where the tangent stiffness is singular along the path of equilibria that begins without loads.
 *
 * Two paths leave the unloaded equilibrium, the loads one way and the other. The one whose loads are smaller goes a
 * step on, until no critical load can follow that is smaller in size than those found. Beyond a limit point there is no
 * equilibrium under larger loads nearby, and that path ends.
 *
 * The linear prediction beside them is K(s) = K + s K' about the unloaded equilibrium,
 *
 *   K' z = mu K z ,   s = -1/mu ,
 *
 * for the mu largest in size, with K' by central differences between equilibria (K positive definite). */
#include "path.h"
#include "subspace.h"
#include "equilibrium/tolerances.h"

#include <math.h>
#include <string.h>

enum { STEPS = 120 };              /* of a path, at most */
static const double STRIDE = 0.05; /* rad, parts of the size */
static const double FAR = 3.0;     /* the same: no farther a path goes */
static const double PART = 0.23;   /* of the loads, the longest step; no part of the first critical load */
static const double SMALL = 1e-2;  /* of the size and of the first critical load: what the differences move */
static const double SKEW = 1e-5;   /* asymmetry of K', relative: more has no potential */

/* One of both paths. */
typedef struct front {
    path p;
    double sign, way; /* of the loads; how far it has come, rad, parts of the size */
    int steps;
    bool ended;
} front;

typedef struct buckling {
    phx_dae *dae;
    int count;
    double begin, first; /* load factor where the paths begin; the first step of the loads */
    front front[2];
    phx_critical_load *loads; /* count, by their size */
    double *shapes;           /* count x n_v */
    double *slope;            /* K' on the kkt pattern */
    double *modes, *x, *lambda, *rates;
    critical_point *passed;
} buckling;

/* ---- the linear prediction ---- */
static void apply_slope(const statics *s, const void *user, const double *z, double *out)
{
    const double *slope = user;

    memset(out, 0, (size_t)s->e.n * sizeof *out);
    for (int i = 0; i < s->e.n_v; i++)
        for (int k = s->e.ptr[i]; k < s->e.ptr[i + 1]; k++)
            if (s->e.idx[k] < s->e.n_v)
                out[i] += slope[k] * z[s->e.idx[k]];
}

/* Adds `factor` K at the equilibrium under loads by `ds` off the beginning to the slope. */
static phx_status add_stiffness(buckling *b, double ds, double factor)
{
    path *p = &b->front[0].p;
    statics *s = &p->s;

    phx_statics_displace(s, p->at.x, ds, b->rates, b->x);
    for (int k = 0; k < s->e.n_l; k++)
        b->lambda[k] = p->at.lambda[k] + ds * b->rates[s->e.n_v + k];
    phx_statics_set_load(s, b->begin + ds);
    phx_status status = phx_statics_newton(s, 1.0, b->x, b->lambda);
    if (!status)
        status = phx_statics_linearise(s, b->x, b->lambda);
    for (int k = 0; k < s->e.ptr[s->e.n] && !status; k++)
        b->slope[k] += factor * s->e.K[k];
    return status;
}

/* Loads that turn with the bodies have no symmetric K'. */
static double buckling_asymmetry(const subspace *e)
{
    double skew = 0.0, size = 0.0;

    for (int r = 0; r < e->width; r++)
        for (int c = 0; c < e->width; c++) {
            skew = fmax(skew, fabs(e->A[r * e->width + c] - e->A[c * e->width + r]));
            size = fmax(size, fabs(e->A[r * e->width + c]));
        }
    return skew / fmax(size, NOT_ZERO);
}

/* The place of the k-th value by size. */
static int ranked(const subspace *e, int k)
{
    int left = 0, right = e->width - 1, at = 0;

    for (; k >= 0; k--)
        at = fabs(e->values[left]) > fabs(e->values[right]) ? left++ : right--;
    return at;
}

/* Factors of the linearised problem (K + factor K') z = G^T mu, K' by central differences over +-ds. */
static phx_status solve_linear(buckling *b, double ds, double *factors, int *found, double *skew)
{
    static const double SETTLED = 1e-12; /* change of the sum of the values, relative */
    static const double FOUND = 1e-12;   /* values 1/factor: below, no load is critical */
    enum { LIMIT = 400, GUARD = 8 };
    path *p = &b->front[0].p;
    statics *s = &p->s;
    subspace e = {0};
    double last = 0.0, change = HUGE_VAL;

    *found = 0;
    memset(b->slope, 0, (size_t)s->e.ptr[s->e.n] * sizeof *b->slope);
    phx_status status = add_stiffness(b, ds, 0.5 / ds);
    if (!status)
        status = add_stiffness(b, -ds, -0.5 / ds);
    phx_statics_set_load(s, b->begin);
    if (!status)
        status = phx_statics_linearise(s, p->at.x, p->at.lambda);
    if (!status)
        status = phx_statics_factor(s, s->scale.rounding);
    if (!status)
        status = phx_subspace_create(s, b->count + GUARD, apply_slope, b->slope, false, &e);
    for (int k = 0; k < LIMIT && !status && change > SETTLED; k++) {
        double sum = 0.0;
        status = phx_subspace_iterate(s, &e);
        for (int c = 0; c < b->count && c < e.width && !status; c++)
            sum += fabs(e.values[ranked(&e, c)]);
        change = fabs(sum - last) / fmax(sum, NOT_ZERO);
        last = sum;
    }
    *skew = status ? 0.0 : buckling_asymmetry(&e);
    for (int c = 0; c < b->count && c < e.width && !status && fabs(e.values[ranked(&e, c)]) > FOUND; c++)
        factors[(*found)++] = b->begin - 1.0 / e.values[ranked(&e, c)];
    phx_subspace_destroy(&e);
    return status;
}

/* Factors of the linearised problem. ds: a hundredth of the first factor, or less, so that the mechanism moves by at
 * most a hundredth of its size. */
static phx_status predict(buckling *b, double *factors, int *found)
{
    enum { PASSES = 4 };
    path *p = &b->front[0].p;
    double ds, skew = 0.0;
    phx_status status = phx_path_tangent(p, p->at.x, p->at.lambda, b->begin, p->s.scale.rounding);

    *found = 0;
    if (status)
        return status;
    memcpy(b->rates, p->along, (size_t)p->s.e.n * sizeof *b->rates);
    const double longest = SMALL / fmax(phx_statics_largest_move(&p->s, b->rates), NOT_ZERO);
    ds = fmin(SMALL, longest);
    for (int k = 0; k < PASSES && !status; k++) {
        status = solve_linear(b, ds, factors, found, &skew);
        const double wanted = *found > 0 && !status ? fmin(SMALL * fabs(factors[0] - b->begin), longest) : ds;
        if (fabs(log(wanted / ds)) < 1.0)
            break;
        ds = wanted;
    }
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) { /* the paths can do without it */
        phx_context_clear(b->dae->context);
        *found = 0;
        skew = 0.0;
        status = PHX_OK;
    }
    if (!status && skew > SKEW)
        status = phx_fail(b->dae->context, PHX_ERR_UNSUPPORTED,
                          "the loads have no potential (they follow the bodies, or controllers make them): such "
                          "systems may flutter before they buckle; take the modes about equilibria of growing loads");
    return status;
}

/* ---- the paths ---- */
static phx_status buckling_create(phx_dae *dae, double t, const double *x, int count, buckling *b)
{
    const size_t n_v = (size_t)dae->n_v, n_l = (size_t)dae->n_l, wanted = (size_t)count;
    phx_status status = PHX_OK;

    *b = (buckling){.dae = dae, .count = count};
    for (int k = 0; k < 2 && !status; k++) {
        b->front[k].sign = k ? -1.0 : 1.0;
        status = phx_path_create(dae, t, x, STRIDE, 1.0, &b->front[k].p);
    }
    if (status)
        return status;
    const phx_equations *e = &b->front[0].p.s.e;
    const phx_array arrays[] = {{&b->shapes, wanted * n_v}, {&b->slope, (size_t)e->ptr[e->n]},
                                {&b->modes, wanted * n_v},  {&b->x, (size_t)dae->n_x},
                                {&b->lambda, n_l},          {&b->rates, n_v + n_l}};
    status = phx_arrays_create(dae->context, sizeof arrays / sizeof *arrays, arrays);
    b->passed = phx_calloc(dae->context, wanted, sizeof *b->passed);
    b->loads = phx_calloc(dae->context, wanted, sizeof *b->loads);
    return status ? status : b->passed && b->loads ? PHX_OK : PHX_ERR_MEMORY;
}

static void buckling_destroy(buckling *b)
{
    double *arrays[] = {b->shapes, b->slope, b->modes, b->x, b->lambda, b->rates};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        phx_free(arrays[i]);
    phx_free(b->passed);
    phx_free(b->loads);
    phx_path_destroy(&b->front[0].p);
    phx_path_destroy(&b->front[1].p);
}

/* The unloaded equilibrium; under the full loads where the mechanism is movable without them. */
static phx_status buckling_begin(buckling *b, const double *x)
{
    path *up = &b->front[0].p, *down = &b->front[1].p;
    const size_t bytes = (size_t)b->dae->n_x * sizeof *x;
    phx_static_report free = {0}, whole = {0};
    double unbalanced;
    phx_status status = phx_path_begin(up, 0.0, &free);

    if (!status && free.free_motions > 0) {
        memcpy(down->at.x, x, bytes);
        status = phx_path_begin(down, 1.0, &whole);
        if (!status && whole.free_motions < free.free_motions) {
            memcpy(up->at.x, down->at.x, bytes);
            up->at.load = b->begin = 1.0;
            memcpy(up->at.lambda, down->at.lambda, (size_t)b->dae->n_l * sizeof *x);
        } else if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR) {
            phx_context_clear(b->dae->context);
            status = PHX_OK;
        }
    }
    if (status == PHX_NOT_CONVERGED || status == PHX_SINGULAR)
        status = phx_fail(b->dae->context, PHX_ERR_ANALYSIS,
                          "there is no equilibrium without the loads, from which critical loads are looked for");
    up->free = down->free = b->begin > 0.0 ? whole.free_motions : free.free_motions;
    memcpy(down->at.x, up->at.x, bytes);
    memcpy(down->at.lambda, up->at.lambda, (size_t)b->dae->n_l * sizeof *x);
    down->at.load = up->at.load;
    for (int k = 0; k < 2 && !status; k++)
        status = phx_path_look(&b->front[k].p, &unbalanced);
    if (!status && up->at.negative > 0)
        status = phx_fail(b->dae->context, PHX_ERR_ANALYSIS,
                          "the equilibrium %s the loads is unstable in %d direction%s; critical loads are those at "
                          "which a stable one becomes so",
                          b->begin > 0.0 ? "under" : "without", up->at.negative, up->at.negative == 1 ? "" : "s");
    return status;
}

/* Into the list by size; the largest leaves it. */
static void insert(buckling *b, const critical_point *point, const double *mode, int *found)
{
    const size_t n_v = (size_t)b->dae->n_v;
    int k = *found < b->count ? (*found)++ : b->count;

    for (; k > 0 && fabs(b->loads[k - 1].factor) > fabs(point->load); k--)
        if (k < b->count) {
            b->loads[k] = b->loads[k - 1];
            memcpy(b->shapes + (size_t)k * n_v, b->shapes + (size_t)(k - 1) * n_v, n_v * sizeof *mode);
        }
    if (k < b->count) {
        b->loads[k] = (phx_critical_load){.factor = point->load, .limit = point->limit};
        memcpy(b->shapes + (size_t)k * n_v, mode, n_v * sizeof *mode);
    }
}

/* A step on. A path that is lost, or has come far, ends. */
static phx_status buckling_advance(buckling *b, front *assembled, int *found)
{
    path *p = &assembled->p;
    const double gone = fabs(p->at.load - b->begin);
    double unbalanced;
    int passed = 0;

    phx_path_set_load_step(p, fmax(b->first, PART * gone));
    phx_status status = phx_path_choose(p, assembled->steps == 0 ? assembled->sign : 0.0);
    if (!status)
        status = phx_path_step(p);
    if (!status)
        status = phx_path_look(p, &unbalanced);
    if (!status && p->at.negative != p->last.negative)
        status = phx_path_critical(p, b->count, b->passed, b->modes, &passed);
    const bool lost = status == PHX_NOT_CONVERGED || status == PHX_SINGULAR;
    if (lost && p->at.negative != p->last.negative)
        phx_log(b->dae->context, PHX_LOG_WARNING,
                "a critical load between the factors %.6g and %.6g was not found exactly", p->last.load, p->at.load);
    else if (lost)
        phx_log(b->dae->context, PHX_LOG_WARNING,
                "the path of equilibria was lost at the load factor %.6g: critical loads beyond it are not looked for",
                p->at.load);
    assembled->way += phx_statics_largest_move(&p->s, p->last.way);
    assembled->steps++;
    assembled->ended = status != PHX_OK || assembled->steps == STEPS || assembled->way > FAR ||
                       assembled->sign * (p->at.load - p->last.load) < 0.0;
    for (int k = 0; k < passed && !status; k++) {
        insert(b, &b->passed[k], b->modes + (size_t)k * (size_t)b->dae->n_v, found);
        assembled->ended = assembled->ended || b->passed[k].limit;
    }
    if (lost) {
        phx_context_clear(b->dae->context);
        status = PHX_OK;
    }
    return status;
}

/* The path that is to go on; NULL: no smaller critical load can follow. */
static front *next_front(buckling *b, int found)
{
    front *next = NULL;

    for (int k = 0; k < 2; k++)
        if (!b->front[k].ended && (!next || fabs(b->front[k].p.at.load - b->begin) < fabs(next->p.at.load - b->begin)))
            next = &b->front[k];
    if (next && found == b->count && fabs(next->p.at.load) > fabs(b->loads[found - 1].factor))
        return NULL;
    return next;
}

/* Critical load factors nearest to zero with their mode shapes, at most `count`, and the linear predictions about the
 * unloaded equilibrium. shapes may be NULL. */
phx_status phx_system_buckling(phx_dae *dae, double t, const double *x, int count, phx_critical_load *loads,
                               double *shapes, int *found, double *linear, int *n_linear)
{
    if (!dae || !x || !loads || !found || !linear || !n_linear)
        return phx_fail_null(dae ? dae->context : NULL, __func__, "dae, x, loads, found, linear or n_linear");
    buckling b = {0};
    phx_status status = phx_statics_refuse_states(dae->context, phx_system_of(dae), "critical loads");

    if (!status)
        status = count > 0
                     ? buckling_create(dae, t, x, count, &b)
                     : phx_fail(dae->context, PHX_ERR_ARGUMENT, "%d critical loads; expected a positive number", count);

    *found = *n_linear = 0;
    if (!status)
        status = buckling_begin(&b, x);
    if (!status)
        status = predict(&b, linear, n_linear);
    b.first = *n_linear > 0 ? PART * fabs(linear[0] - b.begin) : PART;
    for (front *assembled = &b.front[0]; !status && assembled;) {
        assembled = next_front(&b, *found);
        status = assembled ? buckling_advance(&b, assembled, found) : PHX_OK;
    }
    for (int k = 0; k < *found && !status; k++)
        loads[k] = b.loads[k];
    if (shapes && !status)
        memcpy(shapes, b.shapes, (size_t)*found * (size_t)dae->n_v * sizeof *shapes);
    buckling_destroy(&b);
    return phx_conclude(dae->context, status);
}
