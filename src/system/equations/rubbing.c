/* Reactions for friction. Over an interval the multipliers of the inner solution are biased by what the projection adds
 * to them, so that |lambda| alone makes friction first order; with mu/h of the projection before it is second. Held
 * through Newton's iteration they are no unknowns of the friction; its work is exact whatever they are. */
#include "system/system_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

phx_status phx_sys_rubbing_create(phx_context *context, const phx_system *system, int n_l, reaction_forces *made)
{
    const size_t n = system->traits.rubs ? (size_t)n_l : 0;
    const phx_array arrays[] = {{&made->lambda, n}, {&made->added, n},  {&made->next, n},
                                {&made->found, n},  {&made->change, n}, {&made->steps, (4 * REACTION_STEPS + 1) * n}};

    return n > 0 ? phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays) : PHX_OK;
}

void phx_sys_rubbing_free(reaction_forces *made)
{
    double *arrays[] = {made->lambda, made->added, made->next, made->found, made->change, made->steps};

    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

/* ---- repetition ---- */
/* The differences of the last repetition and those before, as many as there are, into `room`: those of the changes made
 * orthonormal, those of the reactions combined as they are. What depends on others is left out. Returns the number. */
static int orthonormal_steps(int n, int kept, const double *changes, const double *founds, double *q, double *p)
{
    static const double DEPENDENT = 1e-10;
    int count = 0;

    for (int j = 0; j < kept; j++) {
        double *to_q = q + (size_t)count * (size_t)n, *to_p = p + (size_t)count * (size_t)n;
        memcpy(to_q, changes + (size_t)j * (size_t)n, (size_t)n * sizeof *q);
        memcpy(to_p, founds + (size_t)j * (size_t)n, (size_t)n * sizeof *p);
        const double before = sqrt(phx_dot(n, to_q, to_q));
        for (int i = 0; i < count; i++) {
            const double *other = q + (size_t)i * (size_t)n, along = phx_dot(n, other, to_q);
            for (int k = 0; k < n; k++) {
                to_q[k] -= along * other[k];
                to_p[k] -= along * p[(size_t)i * (size_t)n + (size_t)k];
            }
        }
        const double size = sqrt(phx_dot(n, to_q, to_q));
        if (!(size > DEPENDENT * before))
            continue;
        for (int k = 0; k < n; k++) {
            to_q[k] /= size;
            to_p[k] /= size;
        }
        count++;
    }
    return count;
}

/* The reactions to go on with, into lambda, where those of lambda have led to `found`. Plain repetition as long as it
 * is quick; then Anderson's, lambda = found less the combination of differences that makes the change least: friction
 * against given directions is linear in the reactions, so as many repetitions do as there are reactions in it, however
 * strongly one adds to the others. (D. G. Anderson, Journal of the ACM 12, 1965) */
static void repeat(workspace *ws, const double *found, double size)
{
    enum { PLAIN = 8 };
    reaction_forces *forces = &ws->rubbing;
    const size_t n = (size_t)ws->rows.n, block = REACTION_STEPS * n;
    double *changes = forces->steps, *founds = changes + block, *q = founds + block, *p = q + block;
    const bool plain = forces->count < 2 || (forces->count < PLAIN && size < forces->size);

    if (forces->count > 0) {
        const size_t slot = (size_t)((forces->count - 1) % REACTION_STEPS) * n;
        for (size_t k = 0; k < n; k++) {
            changes[slot + k] = found[k] - forces->lambda[k] - forces->change[k];
            founds[slot + k] = found[k] - forces->found[k];
        }
    }
    for (size_t k = 0; k < n; k++) {
        forces->change[k] = found[k] - forces->lambda[k];
        forces->found[k] = found[k];
        forces->lambda[k] = found[k];
    }
    forces->size = size;
    const int kept = forces->count < REACTION_STEPS ? forces->count : REACTION_STEPS;
    forces->count++;
    const int used = plain ? 0 : orthonormal_steps(ws->rows.n, kept, changes, founds, q, p);
    for (int j = 0; j < used; j++) {
        const double along = phx_dot(ws->rows.n, q + (size_t)j * n, forces->change);
        for (size_t k = 0; k < n; k++)
            forces->lambda[k] -= along * p[(size_t)j * n + k];
    }
}

/* How far the reactions have changed by a repetition, and their size. */
static double change_of(const workspace *ws, const double *found, double *size)
{
    double change = 0.0;

    *size = 0.0;
    for (int k = 0; k < ws->rows.n; k++) {
        change = fmax(change, fabs(found[k] - ws->rubbing.lambda[k]));
        *size = fmax(*size, fabs(found[k]));
    }
    return change;
}

/* Of the reactions at an instant, or over an interval of which 1/h is the `rate`: that of momenta times the rate, and
 * of weights. */
static double rounding_of_forces(const workspace *ws, const double *x, const double *v, double rate)
{
    phx_sizes sizes;

    phx_system_sizes(ws->system, x, v, &sizes);
    const double reach = fmax(sizes.reach, DBL_MIN), momentum = sizes.inertia / (reach * reach) * sizes.speed;
    return 4.0 * DBL_EPSILON * (momentum * fmax(rate, sizes.speed / reach) + sizes.weight / reach);
}

/* Compares the multipliers with those for which friction was evaluated and sets up the next pass. Returns true if they
 * agree to machine precision; `settled` in the workspace also accepts AGREES. */
bool phx_sys_rubbing_settles(workspace *ws, const double *x, const double *v, const double *lambda)
{
    static const double SETTLED = 1e-13, AGREES = 1e-6; /* relative */
    reaction_forces *forces = &ws->rubbing;
    double size = 0.0;

    forces->settled = true;
    if (!forces->lambda)
        return true;
    const double change = change_of(ws, lambda, &size);
    repeat(ws, lambda, change);
    const bool settled = change <= SETTLED * size || change <= rounding_of_forces(ws, x, v, 0.0);
    forces->settled = settled || change <= AGREES * size;
    return settled;
}

bool phx_system_friction_settles(const phx_dae *dae)
{
    return ((const workspace *)dae)->rubbing.settled;
}

void phx_sys_rubbing_begin(workspace *ws, bool goes_on, bool again)
{
    reaction_forces *forces = &ws->rubbing;
    const size_t bytes = (size_t)ws->rows.n * sizeof *forces->added;

    forces->taken = false;
    forces->count = 0;
    if (!forces->lambda || (again && !goes_on))
        return;
    if (goes_on)
        memcpy(forces->added, forces->next, bytes);
    else
        memset(forces->added, 0, bytes);
}

void phx_sys_rubbing_take(workspace *ws, const double *lambda, bool interval)
{
    reaction_forces *forces = &ws->rubbing;

    if (!forces->lambda || forces->held || (interval && forces->taken))
        return;
    forces->taken = interval;
    for (int k = 0; k < ws->rows.n; k++)
        forces->lambda[k] = lambda[k] + (interval ? forces->added[k] : 0.0);
}

/* After the projection: compares lambda plus the projection's share mu/h with the reactions used for friction. Returns
 * true if the interval has to be solved again with the new ones. */
bool phx_sys_rubbing_retake(workspace *ws, const double *lambda)
{
    static const double ENOUGH = 1e-6; /* relative: of second order is what matters, not rounding */
    reaction_forces *forces = &ws->rubbing;
    double size = 0.0;

    if (!forces->lambda)
        return false;
    double *found = forces->steps + 4 * REACTION_STEPS * (size_t)ws->rows.n;
    for (int k = 0; k < ws->rows.n; k++)
        found[k] = lambda[k] + forces->added[k];
    const double change = change_of(ws, found, &size);
    repeat(ws, found, change);
    return change > ENOUGH * size && change > rounding_of_forces(ws, ws->step.x0, ws->step.v0, 1.0 / ws->view.h);
}

void phx_sys_rubbing_project(workspace *ws, const double *impulses, double h)
{
    for (int k = 0; k < ws->rows.n && ws->rubbing.lambda; k++)
        ws->rubbing.next[k] = impulses && h != 0.0 ? impulses[k] / h : 0.0;
}

/* The squared component along the curve of the force between the bodies of a joint that slides: its efforts. */
static double along_curve(const workspace *ws, const joint_slot *joint)
{
    const phx_port_view *a = &ws->ports.view[joint->a];
    double along = 0.0, length = 0.0;

    if (!a->slides)
        return 0.0;
    for (int k = 0; k < a->dim; k++) { /* the first rows are those of the point */
        const int m = ws->rows.multiplier[joint->first_row + k];
        const double d = a->Rm[k * a->dim];
        along += m >= 0 ? ws->rubbing.lambda[m] * d : 0.0;
        length += d * d;
    }
    return along * along / length;
}

/* Size of the force between the bodies of a joint: its rows on distances are across each other. That of a rigid contact
 * has a sign, so that it is smooth to where the contact would pull. */
double phx_sys_reaction_force(const workspace *ws, const joint_slot *joint)
{
    const int contact = joint->contact ? ws->rows.multiplier[joint->first_row] : -1;
    double sum = 0.0;

    if (contact >= 0 && ws->rubbing.lambda)
        return joint->side * ws->rubbing.lambda[contact];
    for (int k = 0; k < joint->n_constraints && ws->rubbing.lambda; k++) {
        const int m = ws->rows.multiplier[joint->first_row + k];
        if (m >= 0 && !phx_row_is_angular(&joint->constraints[k]))
            sum += ws->rubbing.lambda[m] * ws->rubbing.lambda[m];
    }
    if (ws->rubbing.lambda)
        sum -= along_curve(ws, joint);
    return sqrt(fmax(0.0, sum));
}
