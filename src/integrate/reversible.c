/* Steps chosen so that the way back takes the same ones. The time to an output instant is divided into blocks as by a
 * ruler, and a step is one of them:
 *
 *   level 0   |-------------------------------|
 *   level 1   |---------------|---------------|
 *   level 2   |-------|-------|-------|-------|
 *
 * the largest block that begins where the last one ended and for which the method's estimate e is within the tolerance,
 * e <= 1. Neither the blocks nor the estimate tell one end of a block from the other, so the steps belong to the motion
 * and not to its direction. The steps before only say which block to try first, by e ~ h^order.
 *
 * That a time-reversible choice keeps what a time-reversible method keeps: E. Hairer and G. Soederlind, Explicit, time
 * reversible, adaptive step size control, SIAM J. Sci. Comput. 26 (2005); D. Stoffer, Variable steps for reversible
 * integration methods, Computing 55 (1995). */
#include "branch.h"

#include <math.h>

/* FINEST level. GROWTH: levels that a step may be coarser than the one before; what begins to move in between would be
 * missed. JUMP: levels of one search after which an estimate that does not come down is a jump, and the step is taken.
 * TRIES: after so many no coarser block is looked for. FIRST: level of the first try of a run. */
enum { FINEST = 40, GROWTH = 2, JUMP = 10, TRIES = 6, FIRST = 10 };
/* A block is tried when the last step asks for one NEARLY as long. */
static const double NEARLY = 0.85, SAME = 1e-9;
static const double DEFAULT_ATOL = 1e-2; /* of rtol */

typedef struct reversible {
    phx_method base;
    phx_method *wrapped;
    int order;
    double wanted; /* step that the last estimate asks for, s; 0: none yet */
    double last;   /* last step accepted, s; 0: none yet */
} reversible;

/* Blocks of [from, to]; `at` is a position in units of the smallest blocks. */
typedef struct ruler {
    double from, to, length;
    long long at;
} ruler;

static const long long WHOLE = 1LL << FINEST;

/* The coarsest level whose blocks are not longer than h. */
static int level_of(const ruler *r, double h)
{
    const double level = ceil(log2(r->length / h) - SAME);
    return level <= 0.0 ? 0 : (int)fmin(level, FINEST);
}

/* The coarsest level with a block that begins here. */
static int aligned_level(const ruler *r)
{
    int level = 0;
    while (r->at % (WHOLE >> level) != 0)
        level++;
    return level;
}

static int reversible_larger(int a, int b)
{
    return a > b ? a : b;
}

/* The search for the block of one step. */
typedef struct search {
    int level, first;         /* to try, tried first */
    int coarsest, too_coarse; /* allowed; the finest level known to be too coarse, -1: none */
    int tries;
} search;

static search reversible_begin(const reversible *m, const ruler *r)
{
    search s = {.coarsest = aligned_level(r), .too_coarse = -1};
    if (m->last > 0.0) {
        s.coarsest = reversible_larger(s.coarsest, level_of(r, m->last) - GROWTH);
        s.level = level_of(r, m->wanted / NEARLY);
    } else {
        s.level = FIRST;
    }
    s.coarsest = reversible_larger(s.coarsest, level_of(r, phx_branch_limit(m->base.run, r->length)));
    s.level = s.first = reversible_larger(s.level, s.coarsest);
    return s;
}

/* Whether to try again, and with which level. `wanted`: the level that the estimate asks for. */
static bool again(search *s, int wanted)
{
    s->tries++;
    if (wanted > s->level) {
        s->too_coarse = reversible_larger(s->too_coarse, s->level);
        s->level = wanted;
        return wanted - s->first <= JUMP;
    }
    wanted = reversible_larger(wanted, reversible_larger(s->coarsest, s->too_coarse + 1));
    if (wanted >= s->level || s->tries >= TRIES)
        return false;
    s->level = wanted;
    return true;
}

/* Takes the largest block of the ruler from its present place for which the estimate is at most 1, and advances the
 * ruler. */
static phx_status adaptive_step(reversible *m, ruler *r)
{
    static const double LEAST_ESTIMATE = 1e-12; /* smaller ones choose the step as this one */
    phx_run *run = m->base.run;
    search s = reversible_begin(m, r);
    while (true) {
        const double h = ldexp(r->length, -s.level);
        const long long next = r->at + (WHOLE >> s.level);
        const double t1 = next == WHOLE ? r->to : r->from + r->length * ldexp((double)next, -FINEST);
        const bool last_chance = s.level == FINEST || 0.5 * h <= phx_run_smallest_step(run);
        run->failure.reason = NULL;
        phx_status status = m->wrapped->ops->step(m->wrapped, run->t, t1, h, last_chance);
        if (status == PHX_OK) {
            m->wanted = h * pow(fmax(m->wrapped->ops->estimate(m->wrapped), LEAST_ESTIMATE), -1.0 / m->order);
            if (last_chance || !again(&s, level_of(r, m->wanted))) {
                m->last = h;
                r->at = next;
                return phx_run_accept(run, t1, h);
            }
        } else if (last_chance || !(status == PHX_NOT_CONVERGED || status == PHX_SINGULAR || status == PHX_REJECTED)) {
            return phx_run_stop(run, status);
        } else {
            s.too_coarse = s.level++;
            phx_context_clear(run->context);
        }
        run->stats->rejected++;
    }
}

/* To the mark of the ruler behind the one interval that crosses a singular position. */
static phx_status cross(reversible *m, ruler *r)
{
    phx_run *run = m->base.run;
    const double before = run->t;
    const double wanted = phx_branch_end(run);
    double to = wanted;
    long long next = WHOLE;
    if (wanted < r->to) {
        const int level = reversible_larger(level_of(r, 0.1 * (wanted - run->t)), aligned_level(r));
        const long long block = WHOLE >> level;
        next = r->at + block * (long long)fmax(ceil((wanted - run->t) / ldexp(r->length, -level)), 1.0);
        next = next < WHOLE ? next : WHOLE;
        to = next == WHOLE ? r->to : r->from + r->length * ldexp((double)next, -FINEST);
    }
    const phx_status status = phx_branch_cross(run, m->wrapped, to);
    if (status == PHX_OK && run->t > before)
        r->at = next;
    return status;
}

/* Over one ruler, or over several equal ones when steps are bounded. */
static phx_status reversible_advance(phx_method *method, double to)
{
    reversible *m = (reversible *)method;
    phx_run *run = method->run;
    const double start = run->t, bound = run->options.step;
    const double rulers = bound > 0.0 ? fmax(ceil((to - start) / bound * (1.0 - SAME)), 1.0) : 1.0;
    const double length = (to - start) / rulers;
    for (double k = 0.0; k < rulers; k++) {
        ruler r = {.from = start + k * length, .to = k + 1.0 == rulers ? to : start + (k + 1.0) * length};
        r.length = length;
        if (run->t > r.from && k > 0.0 && run->branch) { /* where one step went on from the ruler before */
            r.from = run->t;
            r.length = r.to - r.from;
        }
        while (r.at < WHOLE && run->t < r.to) {
            const double before = run->t;
            phx_status status = phx_branch_is_near(run) ? cross(m, &r) : adaptive_step(m, &r);
            if (status == PHX_OK && run->t > before)
                status = phx_run_sample_step(run);
            if (status != PHX_OK)
                return status;
        }
    }
    return PHX_OK;
}

double phx_run_atol_size(const phx_run *run, double *room)
{
    const phx_integrate_options *o = &run->options;
    for (int i = 0; i < run->dae->n_v; i++)
        room[i] = 1.0;
    return (o->atol > 0.0 ? o->atol : DEFAULT_ATOL * o->rtol) * run->dae->ops->norm(run->dae, room);
}

static void reversible_destroy(phx_method *method)
{
    reversible *m = (reversible *)method;
    m->wrapped->ops->destroy(m->wrapped);
    phx_free(m);
}

static const phx_method_ops ops = {.destroy = reversible_destroy, .advance = reversible_advance};

phx_status phx_reversible_create(phx_run *run, phx_method *wrapped, int order, phx_method **method)
{
    reversible *m = phx_calloc(run->context, 1, sizeof *m);
    if (!m) {
        wrapped->ops->destroy(wrapped);
        return PHX_ERR_MEMORY;
    }
    *m = (reversible){.base = {.ops = &ops, .run = run}, .wrapped = wrapped, .order = order};
    *method = &m->base;
    return PHX_OK;
}
