/* Reactions for friction. Over an interval the multipliers of the inner solution are biased by what the projection adds
 * to them, so that |lambda| alone makes friction first order; with mu/h of the projection before it is second. Held
 * through Newton's iteration they are no unknowns of the friction; its work is exact whatever they are. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

phx_status phx_sys_rubbing_create(phx_context *context, const phx_system *system, int n_l, reaction_forces *made)
{
    const size_t n = system->rubs ? (size_t)n_l : 0;
    const phx_sys_array arrays[] = {{&made->lambda, n}, {&made->added, n}, {&made->next, n}};

    return n > 0 ? phx_sys_arrays_create(context, sizeof arrays / sizeof *arrays, arrays) : PHX_OK;
}

void phx_sys_rubbing_free(reaction_forces *made)
{
    double *arrays[] = {made->lambda, made->added, made->next};

    phx_sys_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

bool phx_sys_rubbing_settles(workspace *ws, const double *lambda)
{
    double change = 0.0, size = 0.0;

    for (int k = 0; k < ws->n_l && ws->rubbing.lambda; k++) {
        change = fmax(change, fabs(lambda[k] - ws->rubbing.lambda[k]));
        size = fmax(size, fabs(lambda[k]));
        ws->rubbing.lambda[k] = lambda[k];
    }
    return change <= 1e-13 * size;
}

void phx_sys_rubbing_begin(workspace *ws, bool goes_on, bool again)
{
    reaction_forces *it = &ws->rubbing;
    const size_t bytes = (size_t)ws->n_l * sizeof *it->added;

    it->taken = false;
    if (!it->lambda || (again && !goes_on))
        return;
    if (goes_on)
        memcpy(it->added, it->next, bytes);
    else
        memset(it->added, 0, bytes);
}

void phx_sys_rubbing_take(workspace *ws, const double *lambda, bool interval)
{
    reaction_forces *it = &ws->rubbing;

    if (!it->lambda || it->held || (interval && it->taken))
        return;
    it->taken = interval;
    for (int k = 0; k < ws->n_l; k++)
        it->lambda[k] = lambda[k] + (interval ? it->added[k] : 0.0);
}

bool phx_sys_rubbing_retake(workspace *ws, const double *lambda)
{
    static const double ENOUGH = 1e-6; /* relative: of second order is what matters, not rounding */
    reaction_forces *it = &ws->rubbing;
    double change = 0.0, size = 0.0;

    for (int k = 0; k < ws->n_l && it->lambda; k++) {
        const double reaction = lambda[k] + it->added[k];
        change = fmax(change, fabs(reaction - it->lambda[k]));
        size = fmax(size, fabs(reaction));
        it->lambda[k] = reaction;
    }
    return change > ENOUGH * size;
}

void phx_sys_rubbing_project(workspace *ws, const double *impulses, double h)
{
    for (int k = 0; k < ws->n_l && ws->rubbing.lambda; k++)
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

/* Size of the force between the bodies of a joint: its rows on distances are across each other. */
double phx_sys_reaction_force(const workspace *ws, const joint_slot *joint)
{
    double sum = 0.0;

    for (int k = 0; k < joint->n_constraints && ws->rubbing.lambda; k++) {
        const int m = ws->rows.multiplier[joint->first_row + k];
        if (m >= 0 && !phx_row_turns(&joint->constraints[k]))
            sum += ws->rubbing.lambda[m] * ws->rubbing.lambda[m];
    }
    if (ws->rubbing.lambda)
        sum -= along_curve(ws, joint);
    return sqrt(fmax(0.0, sum));
}
