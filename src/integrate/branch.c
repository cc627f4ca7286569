/* In a singular position the rows of a closed loop depend on each other, and two motions or more go on from there: a
 * parallelogram may unfold into an antiparallelogram. With the rows' regularity r, which falls to zero in proportion to
 * the time that is left, and a residual of size delta in the joints, the motion is that of x y = delta: it bends into
 * the other branch at a distance of sqrt(delta), and the smaller the steps the better they follow it. A method that
 * lets the joints drift, or whose stages come too near, cannot tell the branches.
 *
 *      r |\            /
 *        | \   zone   /          far: steps of the method, at most half of the way
 *        |  \ |----| /           zone: one interval of the midpoint rule on averages, of which only the ends have to
 *        +---\-----/------ t           lie on the joints, and whose mean is not the singular position itself
 *             \ t* /
 *
 * The zone begins at a distance that is large against sqrt(delta). On the same branch velocities hardly change over it;
 * where they do the zone is made smaller, and at last the run stops. */
#include "branch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In units of the largest regularity of the run: below WATCHED singular positions are expected; the zone begins at FAR
 * times sqrt(delta), limited to [NEAREST, FARTHEST]; a zone that fails is made SMALLER, down to GIVEN_UP. */
static const double WATCHED = 0.25, FAR = 30.0, NEAREST = 3e-4, FARTHEST = 0.03, SMALLER = 0.25, GIVEN_UP = 1e-6;
/* Length of the zone's second half relative to the first: not 1, or the mean of its ends is the singular position. */
static const double BEYOND = 1.6;
/* Relative change of the velocities over the zone that is allowed on the same branch: FORCED by loads and drives, and
 * SMOOTH per unit of r. */
static const double FORCED = 0.05, SMOOTH = 5.0;
/* The regularity r is evaluated again when it may have changed by SHARE of itself, after MOST steps at the latest, and
 * after each of the FIRST steps, which show how fast it changes. */
static const double SHARE = 0.25, FORGET = 0.99;
enum { MOST = 32, FIRST = 8 };

/* Velocities at an evaluation of r, and the work until then. */
typedef struct snapshot {
    double t;
    phx_work work;
    double *v, *ledger; /* n_v, n_parts */
} snapshot;

struct phx_branch {
    phx_method *bridge; /* the midpoint rule */
    /* evaluations of the regularity r */
    double t, r, largest;    /* of the last evaluation; the largest r of the run */
    long evaluations, steps; /* number of evaluations; steps since the last one */
    snapshot snapshots[2];   /* at the last two while a singular position is near */
    double rate, way;        /* change of r per distance |v| dt; distance since the last evaluation */
    /* the singular position ahead or behind */
    bool ahead, behind;
    double at, speed;    /* time of the singular position, s; change of r, 1/s */
    double zone, factor; /* r relative to the largest where the zone begins; 1, less after failures */
    bool inside;         /* the present step crosses it */
    /* the zone crossed last: its start, and a state inside it */
    double start;
    double *x0, *v0, *rate0, *rate1, *x, *v, *ledger;
    double *memory; /* storage of these arrays */
};

static double regularity(const phx_run *run)
{
    return run->dae->ops->regularity(run->dae, run->t, run->x, run->v);
}

/* Where the zone begins, from the present position residual delta of the joints. */
static double zone_of(const phx_run *run, const phx_branch *it)
{
    double position = 0.0, velocity = 0.0;
    run->dae->ops->drift(run->dae, run->t, run->x, run->v, &position, &velocity);
    return it->factor * fmin(fmax(FAR * sqrt(position), NEAREST), FARTHEST);
}

/* ---- regularity ---- */
static void store_snapshot(phx_run *run)
{
    phx_branch *it = run->branch;
    const snapshot first = it->snapshots[0];
    it->snapshots[0] = it->snapshots[1];
    it->snapshots[1] = (snapshot){.t = run->t, .work = run->work, .v = first.v, .ledger = first.ledger};
    memcpy(first.v, run->v, (size_t)run->dae->n_v * sizeof *first.v);
    memcpy(first.ledger, run->ledger, (size_t)run->dae->n_parts * sizeof *first.ledger);
}

/* Evaluates the rows' regularity at the present state and, if it falls below WATCHED of its largest value, predicts the
 * time of the singular position and the length of the zone around it. */
static void evaluate_regularity(phx_run *run)
{
    phx_branch *it = run->branch;
    const double r = regularity(run), change = r - it->r, dt = run->t - it->t;
    if (it->evaluations > 0 && it->way > 0.0)
        it->rate = fmax(FORGET * it->rate, fabs(change) / it->way);
    it->largest = fmax(it->largest, r);
    const bool low = r < WATCHED * it->largest;
    it->ahead = it->evaluations > 0 && low && change < 0.0 && dt > 0.0;
    if (it->ahead) {
        it->speed = -change / (dt * it->largest);
        it->at = run->t + r / (it->largest * it->speed);
        it->zone = zone_of(run, it);
    }
    it->behind = it->behind && low && !it->ahead;
    if (low)
        store_snapshot(run);
    if (!low)
        it->factor = 1.0;
    it->evaluations++;
    it->t = run->t;
    it->r = r;
    it->way = 0.0;
    it->steps = 0;
}

void phx_branch_watch(phx_run *run, double h)
{
    phx_branch *it = run->branch;
    if (!it || it->inside)
        return;
    it->way += run->sizes.velocity * fabs(h);
    it->steps++;
    const bool near = it->ahead || it->behind || it->r < WATCHED * it->largest;
    if (near || it->evaluations < FIRST || it->steps >= MOST || it->rate * it->way >= SHARE * it->r)
        evaluate_regularity(run);
}

double phx_branch_limit(const phx_run *run, double h)
{
    const phx_branch *it = run->branch;
    if (!it)
        return h;
    if (it->ahead && it->at > run->t)
        return fmin(h, 0.5 * (it->at - run->t));
    return it->behind ? fmin(h, run->t - it->at) : h;
}

bool phx_branch_is_near(const phx_run *run)
{
    const phx_branch *it = run->branch;
    return it && it->ahead && (it->at - run->t) * it->speed <= it->zone;
}

/* ---- crossing ---- */
double phx_branch_end(const phx_run *run)
{
    const phx_branch *it = run->branch;
    return it->at + BEYOND * fmax(it->at - run->t, 0.5 * it->zone / it->speed);
}

/* The velocities at the end of a zone, or of a part of it, are nearly those at its start. */
static bool same_branch(const phx_run *run)
{
    const phx_branch *it = run->branch;
    const phx_dae *dae = run->dae;
    for (int k = 0; k < dae->n_v; k++)
        it->v[k] = run->trial.v[k] - run->v[k];
    const double change = dae->ops->norm(run->dae, it->v);
    const double size = fmax(dae->ops->norm(run->dae, run->v), dae->ops->norm(run->dae, run->trial.v));
    return change <= (FORCED + SMOOTH * it->zone) * size;
}

/* The midpoint rule has used the workspace: synchronise the joint angles, and let the method start anew. */
static void begin_anew(phx_run *run, phx_method *method)
{
    if (run->dae->ops->synchronise)
        run->dae->ops->synchronise(run->dae, run->x);
    if (method->ops->forget)
        method->ops->forget(method);
}

static bool can_retry(phx_status status)
{
    return status == PHX_NOT_CONVERGED || status == PHX_SINGULAR || status == PHX_REJECTED;
}

/* The zone cannot be crossed from here: make it smaller. */
static phx_status go_nearer(phx_run *run, phx_method *method, phx_status status)
{
    phx_branch *it = run->branch;
    it->factor *= SMALLER;
    it->zone *= SMALLER;
    run->stats->rejected++;
    if (!can_retry(status) || it->zone < GIVEN_UP)
        return phx_run_stop(run, status);
    phx_context_clear(run->context);
    begin_anew(run, method);
    return PHX_OK;
}

static void keep_start(phx_run *run)
{
    phx_branch *it = run->branch;
    const phx_dae *dae = run->dae;
    it->start = run->t;
    memcpy(it->x0, run->x, (size_t)dae->n_x * sizeof *it->x0);
    memcpy(it->v0, run->v, (size_t)dae->n_v * sizeof *it->v0);
}

/* Crosses the singular position from the present time to t1 in one interval of the midpoint rule. If the velocities
 * change too much for the same branch, the zone is made smaller and nothing is accepted. */
phx_status phx_branch_cross(phx_run *run, phx_method *method, double t1)
{
    phx_branch *it = run->branch;
    const double t0 = run->t;
    phx_status status = it->bridge->ops->step(it->bridge, t0, t1, t1 - t0, false);
    if (status == PHX_OK && !same_branch(run))
        status = PHX_REJECTED;
    if (status != PHX_OK)
        return go_nearer(run, method, status);
    keep_start(run);
    it->ahead = false;
    it->behind = it->inside = true;
    status = phx_run_accept(run, t1, t1 - t0);
    it->inside = false;
    it->t = run->t;
    it->r = regularity(run);
    it->way = 0.0;
    begin_anew(run, method);
    return status;
}

/* x by the cubic with its values and rates of change at the ends. v does not follow from the derivative of the cubic,
 * which would contain the joint residuals at the ends divided by a short time. */
static void interpolate_motion(const phx_run *run, double h, double s)
{
    const phx_branch *it = run->branch;
    phx_dae *dae = run->dae;
    const double rest = 1.0 - s, f0 = rest * rest * (1.0 + 2.0 * s), f1 = s * s * (3.0 - 2.0 * s);
    const double rate0 = h * s * rest * rest, rate1 = -h * s * s * rest;
    dae->ops->rates(dae, it->x0, it->v0, it->rate0);
    dae->ops->rates(dae, run->x, run->v, it->rate1);
    for (int k = 0; k < dae->n_x; k++)
        it->x[k] = f0 * it->x0[k] + f1 * run->x[k] + rate0 * it->rate0[k] + rate1 * it->rate1[k];
    dae->ops->normalise(dae, it->x, true);
}

/* v and the work by parabolas through the snapshot before the zone and the ends of the zone. */
static double parabola(const double t[3], double f0, double f1, double f2, double at)
{
    const double d01 = (f1 - f0) / (t[1] - t[0]), d12 = (f2 - f1) / (t[2] - t[1]);
    return f1 + d12 * (at - t[1]) + (d12 - d01) / (t[2] - t[0]) * (at - t[1]) * (at - t[2]);
}

static void interpolate_rest(const phx_run *run, double at, phx_work *work)
{
    const phx_branch *it = run->branch;
    const phx_work *w0 = &it->snapshots[0].work, *w1 = &it->snapshots[1].work, *w2 = &run->work;
    const double t[3] = {it->snapshots[0].t, it->snapshots[1].t, run->t};
    work->supplied = parabola(t, w0->supplied, w1->supplied, w2->supplied, at);
    work->dissipated = parabola(t, w0->dissipated, w1->dissipated, w2->dissipated, at);
    for (int k = 0; k < run->dae->n_v; k++)
        it->v[k] = parabola(t, it->snapshots[0].v[k], it->snapshots[1].v[k], run->v[k], at);
    for (int k = 0; k < run->dae->n_parts; k++)
        it->ledger[k] = parabola(t, it->snapshots[0].ledger[k], it->snapshots[1].ledger[k], run->ledger[k], at);
}

bool phx_branch_is_crossing(const phx_run *run)
{
    return run->branch && run->branch->inside;
}

void phx_branch_sample(phx_run *run, double t, phx_sample *sample)
{
    const phx_branch *it = run->branch;
    if (!it || t >= run->t)
        return;
    const double h = run->t - it->start;
    interpolate_motion(run, h, (t - it->start) / h);
    interpolate_rest(run, t, &sample->work);
    sample->t = t;
    sample->x = it->x;
    sample->v = it->v;
    sample->ledger = it->ledger;
}

void phx_branch_finish(phx_run *run, double t)
{
    phx_sample sample = {.t = run->t, .x = run->x, .v = run->v};
    phx_branch_sample(run, t, &sample);
    if (sample.x == run->x)
        return;
    memcpy(run->x, sample.x, (size_t)run->dae->n_x * sizeof *run->x);
    memcpy(run->v, sample.v, (size_t)run->dae->n_v * sizeof *run->v);
    run->t = t;
}

/* Steps of the method, and of the midpoint rule where it stands before a singular position. */
static phx_status in_pieces(phx_run *run, phx_method *method, double t1, double h)
{
    phx_status status = PHX_OK;
    while (run->t < t1 && status == PHX_OK) {
        if (phx_branch_is_near(run)) {
            status = phx_branch_cross(run, method, phx_branch_end(run));
            continue;
        }
        const double t0 = run->t, piece = phx_branch_limit(run, h);
        const double to = t1 - t0 <= 1.5 * piece ? t1 : t0 + piece;
        status = phx_halving_step(run, method, t0, to, to - t0);
    }
    return status;
}

/* A step of a fixed-step method to t1: an ordinary step far from singular positions, shorter pieces and a crossing near
 * them. */
phx_status phx_branch_step(phx_run *run, phx_method *method, double t0, double t1, double h)
{
    const phx_branch *it = run->branch;
    const bool far = !it || (run->t <= t0 && !phx_branch_is_near(run) && phx_branch_limit(run, h) >= h);
    if (far)
        return phx_halving_step(run, method, t0, t1, h);
    /* the midpoint rule itself passes most singular positions: try its own step first */
    if (run->options.integrator == PHX_MIDPOINT && run->t <= t0) {
        const phx_status status = method->ops->step(method, t0, t1, h, false);
        if (status <= 0)
            return status == PHX_OK ? phx_run_accept(run, t1, h) : phx_run_stop(run, status);
        phx_context_clear(run->context);
        run->stats->rejected++;
    }
    return in_pieces(run, method, t1, h);
}

/* ---- messages ---- */
bool phx_branch_explain(const phx_run *run, size_t size, char *text)
{
    const phx_branch *it = run->branch;
    const bool midpoint = run->options.integrator == PHX_MIDPOINT;
    char joints[512];
    if (!it || !(it->largest > 0.0))
        return false;
    const double r = regularity(run) / it->largest;
    if (r > 0.1 * WATCHED)
        return false;
    run->dae->ops->dependent(run->dae, run->t, run->x, run->v, sizeof joints, joints);
    snprintf(text, size,
             "this is a singular position: the rows of the joints %s depend on each other here (to %.1g of their "
             "regularity elsewhere), several motions go on from it, and a smaller step does not help; %s, drive or "
             "spring a coordinate across it, or start so that the motion keeps away from it",
             joints[0] ? joints : "of a closed loop", r,
             midpoint ? "choose a step and output instants that do not meet this time"
                      : "try integrator midpoint, which passes singular positions");
    return true;
}

/* ---- archives ---- */
void phx_branch_archive(phx_archive *archive, phx_run *run)
{
    phx_branch *it = run->branch;
    const size_t n_x = (size_t)run->dae->n_x, n_v = (size_t)run->dae->n_v, n_parts = (size_t)run->dae->n_parts;
    if (!it)
        return;
    double *const numbers[] = {&it->t,  &it->r,     &it->largest, &it->rate,   &it->way,
                               &it->at, &it->speed, &it->zone,    &it->factor, &it->start};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_archive_long(archive, &it->evaluations);
    phx_archive_long(archive, &it->steps);
    phx_archive_bool(archive, &it->ahead);
    phx_archive_bool(archive, &it->behind);
    phx_archive_doubles(archive, n_x, it->x0);
    phx_archive_doubles(archive, n_v, it->v0);
    for (int k = 0; k < 2; k++) {
        phx_archive_double(archive, &it->snapshots[k].t);
        phx_archive_double(archive, &it->snapshots[k].work.supplied);
        phx_archive_double(archive, &it->snapshots[k].work.dissipated);
        phx_archive_doubles(archive, n_v, it->snapshots[k].v);
        phx_archive_doubles(archive, n_parts, it->snapshots[k].ledger);
    }
    it->bridge->ops->archive(it->bridge, archive);
}

/* ---- memory ---- */
void phx_branch_destroy(phx_branch *branch)
{
    if (!branch)
        return;
    if (branch->bridge)
        branch->bridge->ops->destroy(branch->bridge);
    phx_free(branch->memory);
    phx_free(branch);
}

/* Allocates the states, rates and ledgers that the crossing compares, in one block. */
static phx_status branch_allocate(const phx_run *run, phx_branch *it)
{
    const size_t n_x = (size_t)run->dae->n_x, n_v = (size_t)run->dae->n_v, n_parts = (size_t)run->dae->n_parts;
    double *next = it->memory = phx_calloc(run->context, 4 * n_x + 4 * n_v + 3 * n_parts, sizeof *next);
    if (!next)
        return PHX_ERR_MEMORY;
    it->x0 = next;
    it->x = it->x0 + n_x;
    it->rate0 = it->x + n_x;
    it->rate1 = it->rate0 + n_x;
    it->v0 = it->rate1 + n_x;
    it->v = it->v0 + n_v;
    it->ledger = it->v + n_v;
    it->snapshots[0].ledger = it->ledger + n_parts;
    it->snapshots[1].ledger = it->snapshots[0].ledger + n_parts;
    it->snapshots[0].v = it->snapshots[1].ledger + n_parts;
    it->snapshots[1].v = it->snapshots[0].v + n_v;
    return PHX_OK;
}

/* Creates the observation of singular positions with its midpoint rule. *branch stays NULL if the mechanism has no
 * closed loops, its regularity is unknown or the number of Newton corrections is fixed. */
phx_status phx_branch_create(phx_run *run, phx_branch **branch)
{
    *branch = NULL;
    if (!run->dae->closed || !run->dae->ops->regularity || run->options.iterations > 0)
        return PHX_OK;
    phx_branch *it = phx_calloc(run->context, 1, sizeof *it);
    if (!it)
        return PHX_ERR_MEMORY;
    const bool lags = run->lags;
    it->factor = 1.0;
    phx_status status = branch_allocate(run, it);
    if (status == PHX_OK)
        status = phx_midpoint_plain_create(run, &it->bridge);
    run->lags = lags;
    if (status != PHX_OK) {
        phx_branch_destroy(it);
        return status;
    }
    *branch = it;
    return PHX_OK;
}
