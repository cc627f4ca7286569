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
static double zone_of(const phx_run *run, const phx_branch *branch)
{
    double position = 0.0, velocity = 0.0;
    run->dae->ops->drift(run->dae, run->t, run->x, run->v, &position, &velocity);
    return branch->factor * fmin(fmax(FAR * sqrt(position), NEAREST), FARTHEST);
}

/* ---- regularity ---- */
static void store_snapshot(phx_run *run)
{
    phx_branch *branch = run->branch;
    const snapshot first = branch->snapshots[0];
    branch->snapshots[0] = branch->snapshots[1];
    branch->snapshots[1] = (snapshot){.t = run->t, .work = run->work, .v = first.v, .ledger = first.ledger};
    memcpy(first.v, run->v, (size_t)run->dae->n_v * sizeof *first.v);
    memcpy(first.ledger, run->ledger, (size_t)run->dae->n_parts * sizeof *first.ledger);
}

/* Evaluates the rows' regularity at the present state and, if it falls below WATCHED of its largest value, predicts the
 * time of the singular position and the length of the zone around it. */
static void evaluate_regularity(phx_run *run)
{
    phx_branch *branch = run->branch;
    const double r = regularity(run), change = r - branch->r, dt = run->t - branch->t;
    if (branch->evaluations > 0 && branch->way > 0.0)
        branch->rate = fmax(FORGET * branch->rate, fabs(change) / branch->way);
    branch->largest = fmax(branch->largest, r);
    const bool low = r < WATCHED * branch->largest;
    branch->ahead = branch->evaluations > 0 && low && change < 0.0 && dt > 0.0;
    if (branch->ahead) {
        branch->speed = -change / (dt * branch->largest);
        branch->at = run->t + r / (branch->largest * branch->speed);
        branch->zone = zone_of(run, branch);
    }
    branch->behind = branch->behind && low && !branch->ahead;
    if (low)
        store_snapshot(run);
    if (!low)
        branch->factor = 1.0;
    branch->evaluations++;
    branch->t = run->t;
    branch->r = r;
    branch->way = 0.0;
    branch->steps = 0;
}

void phx_branch_watch(phx_run *run, double h)
{
    phx_branch *branch = run->branch;
    if (!branch || branch->inside)
        return;
    branch->way += run->sizes.velocity * fabs(h);
    branch->steps++;
    const bool near = branch->ahead || branch->behind || branch->r < WATCHED * branch->largest;
    if (near || branch->evaluations < FIRST || branch->steps >= MOST || branch->rate * branch->way >= SHARE * branch->r)
        evaluate_regularity(run);
}

double phx_branch_limit(const phx_run *run, double h)
{
    const phx_branch *branch = run->branch;
    if (!branch)
        return h;
    if (branch->ahead && branch->at > run->t)
        return fmin(h, 0.5 * (branch->at - run->t));
    return branch->behind ? fmin(h, run->t - branch->at) : h;
}

bool phx_branch_is_near(const phx_run *run)
{
    const phx_branch *branch = run->branch;
    return branch && branch->ahead && (branch->at - run->t) * branch->speed <= branch->zone;
}

/* ---- crossing ---- */
double phx_branch_end(const phx_run *run)
{
    const phx_branch *branch = run->branch;
    return branch->at + BEYOND * fmax(branch->at - run->t, 0.5 * branch->zone / branch->speed);
}

/* The velocities at the end of a zone, or of a part of it, are nearly those at its start. */
static bool same_branch(const phx_run *run)
{
    const phx_branch *branch = run->branch;
    const phx_dae *dae = run->dae;
    for (int k = 0; k < dae->n_v; k++)
        branch->v[k] = run->trial.v[k] - run->v[k];
    const double change = dae->ops->norm(run->dae, branch->v);
    const double size = fmax(dae->ops->norm(run->dae, run->v), dae->ops->norm(run->dae, run->trial.v));
    return change <= (FORCED + SMOOTH * branch->zone) * size;
}

/* The midpoint rule has used the workspace: let the method start anew. */
static void branch_forget(phx_method *method)
{
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
    phx_branch *branch = run->branch;
    branch->factor *= SMALLER;
    branch->zone *= SMALLER;
    run->stats->rejected++;
    if (!can_retry(status) || branch->zone < GIVEN_UP)
        return phx_run_stop(run, status);
    phx_context_clear(run->context);
    branch_forget(method);
    return PHX_OK;
}

static void keep_start(phx_run *run)
{
    phx_branch *branch = run->branch;
    const phx_dae *dae = run->dae;
    branch->start = run->t;
    memcpy(branch->x0, run->x, (size_t)dae->n_x * sizeof *branch->x0);
    memcpy(branch->v0, run->v, (size_t)dae->n_v * sizeof *branch->v0);
}

/* Crosses the singular position from the present time to t1 in one interval of the midpoint rule. If the velocities
 * change too much for the same branch, the zone is made smaller and nothing is accepted. */
phx_status phx_branch_cross(phx_run *run, phx_method *method, double t1)
{
    phx_branch *branch = run->branch;
    const double t0 = run->t;
    phx_status status = branch->bridge->ops->step(branch->bridge, t0, t1, t1 - t0, false);
    if (status == PHX_OK && !same_branch(run))
        status = PHX_REJECTED;
    if (status != PHX_OK)
        return go_nearer(run, method, status);
    keep_start(run);
    branch->ahead = false;
    branch->behind = branch->inside = true;
    status = phx_run_accept(run, t1, t1 - t0);
    branch->inside = false;
    branch->t = run->t;
    branch->r = regularity(run);
    branch->way = 0.0;
    branch_forget(method);
    return status;
}

/* x by the cubic with its values and rates of change at the ends. v does not follow from the derivative of the cubic,
 * which would contain the joint residuals at the ends divided by a short time. */
static void interpolate_motion(const phx_run *run, double h, double s)
{
    const phx_branch *branch = run->branch;
    phx_dae *dae = run->dae;
    const double rest = 1.0 - s, f0 = rest * rest * (1.0 + 2.0 * s), f1 = s * s * (3.0 - 2.0 * s);
    const double rate0 = h * s * rest * rest, rate1 = -h * s * s * rest;
    dae->ops->rates(dae, branch->x0, branch->v0, branch->rate0);
    dae->ops->rates(dae, run->x, run->v, branch->rate1);
    for (int k = 0; k < dae->n_x; k++)
        branch->x[k] = f0 * branch->x0[k] + f1 * run->x[k] + rate0 * branch->rate0[k] + rate1 * branch->rate1[k];
    dae->ops->normalise(dae, branch->x, true);
}

/* v and the work by parabolas through the snapshot before the zone and the ends of the zone. */
static double parabola(const double t[3], double f0, double f1, double f2, double at)
{
    const double d01 = (f1 - f0) / (t[1] - t[0]), d12 = (f2 - f1) / (t[2] - t[1]);
    return f1 + d12 * (at - t[1]) + (d12 - d01) / (t[2] - t[0]) * (at - t[1]) * (at - t[2]);
}

static void interpolate_rest(const phx_run *run, double at, phx_work *work)
{
    const phx_branch *branch = run->branch;
    const phx_work *w0 = &branch->snapshots[0].work, *w1 = &branch->snapshots[1].work, *w2 = &run->work;
    const double t[3] = {branch->snapshots[0].t, branch->snapshots[1].t, run->t};
    work->supplied = parabola(t, w0->supplied, w1->supplied, w2->supplied, at);
    work->dissipated = parabola(t, w0->dissipated, w1->dissipated, w2->dissipated, at);
    for (int k = 0; k < run->dae->n_v; k++)
        branch->v[k] = parabola(t, branch->snapshots[0].v[k], branch->snapshots[1].v[k], run->v[k], at);
    for (int k = 0; k < run->dae->n_parts; k++)
        branch->ledger[k] =
            parabola(t, branch->snapshots[0].ledger[k], branch->snapshots[1].ledger[k], run->ledger[k], at);
}

bool phx_branch_is_crossing(const phx_run *run)
{
    return run->branch && run->branch->inside;
}

void phx_branch_sample(phx_run *run, double t, phx_sample *sample)
{
    const phx_branch *branch = run->branch;
    if (!branch || t >= run->t)
        return;
    const double h = run->t - branch->start;
    interpolate_motion(run, h, (t - branch->start) / h);
    interpolate_rest(run, t, &sample->work);
    sample->t = t;
    sample->x = branch->x;
    sample->v = branch->v;
    sample->ledger = branch->ledger;
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
    const phx_branch *branch = run->branch;
    const bool far = !branch || (run->t <= t0 && !phx_branch_is_near(run) && phx_branch_limit(run, h) >= h);
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
    const phx_branch *branch = run->branch;
    const bool midpoint = run->options.integrator == PHX_MIDPOINT;
    char joints[512];
    if (!branch || !(branch->largest > 0.0))
        return false;
    const double r = regularity(run) / branch->largest;
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
    phx_branch *branch = run->branch;
    const size_t n_x = (size_t)run->dae->n_x, n_v = (size_t)run->dae->n_v, n_parts = (size_t)run->dae->n_parts;
    if (!branch)
        return;
    double *const numbers[] = {&branch->t,  &branch->r,     &branch->largest, &branch->rate,   &branch->way,
                               &branch->at, &branch->speed, &branch->zone,    &branch->factor, &branch->start};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        phx_archive_double(archive, numbers[k]);
    phx_archive_long(archive, &branch->evaluations);
    phx_archive_long(archive, &branch->steps);
    phx_archive_bool(archive, &branch->ahead);
    phx_archive_bool(archive, &branch->behind);
    phx_archive_doubles(archive, n_x, branch->x0);
    phx_archive_doubles(archive, n_v, branch->v0);
    for (int k = 0; k < 2; k++) {
        phx_archive_double(archive, &branch->snapshots[k].t);
        phx_archive_double(archive, &branch->snapshots[k].work.supplied);
        phx_archive_double(archive, &branch->snapshots[k].work.dissipated);
        phx_archive_doubles(archive, n_v, branch->snapshots[k].v);
        phx_archive_doubles(archive, n_parts, branch->snapshots[k].ledger);
    }
    branch->bridge->ops->archive(branch->bridge, archive);
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
static phx_status branch_allocate(const phx_run *run, phx_branch *branch)
{
    const size_t n_x = (size_t)run->dae->n_x, n_v = (size_t)run->dae->n_v, n_parts = (size_t)run->dae->n_parts;
    double *next = branch->memory = phx_calloc(run->context, 4 * n_x + 4 * n_v + 3 * n_parts, sizeof *next);
    if (!next)
        return PHX_ERR_MEMORY;
    branch->x0 = next;
    branch->x = branch->x0 + n_x;
    branch->rate0 = branch->x + n_x;
    branch->rate1 = branch->rate0 + n_x;
    branch->v0 = branch->rate1 + n_x;
    branch->v = branch->v0 + n_v;
    branch->ledger = branch->v + n_v;
    branch->snapshots[0].ledger = branch->ledger + n_parts;
    branch->snapshots[1].ledger = branch->snapshots[0].ledger + n_parts;
    branch->snapshots[0].v = branch->snapshots[1].ledger + n_parts;
    branch->snapshots[1].v = branch->snapshots[0].v + n_v;
    return PHX_OK;
}

/* Creates the observation of singular positions with its midpoint rule. *branch stays NULL if the mechanism has no
 * closed loops, its regularity is unknown or the number of Newton corrections is fixed. */
phx_status phx_branch_create(phx_run *run, phx_branch **branch)
{
    *branch = NULL;
    if (!run->dae->closed || !run->dae->ops->regularity || run->options.iterations > 0)
        return PHX_OK;
    phx_branch *other = phx_calloc(run->context, 1, sizeof *other);
    if (!other)
        return PHX_ERR_MEMORY;
    other->factor = 1.0;
    phx_status status = branch_allocate(run, other);
    if (status == PHX_OK)
        status = phx_midpoint_plain_create(run, &other->bridge);
    if (status != PHX_OK) {
        phx_branch_destroy(other);
        return status;
    }
    *branch = other;
    return PHX_OK;
}
