/* How far the rows of the joints are from depending on each other. In a singular position of a closed loop (all rods on
 * one line) they do, and more than one motion goes on from there. */
#include "system/system_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Joints named in a message; steps of the inverse iteration. */
enum { MOST_NAMES = 6, ITERATIONS = 3 };
/* Share of a joint in the dependence, of the largest, from which it is named. */
static const double SHARE = 0.1;

static int node_of(const phx_system *system, phx_port_id port)
{
    return system->ports[port].body; /* PHX_GROUND < 0 */
}

/* A tree of joints never has dependent rows: a component with loops has more joints than bodies, or as many where none
 * of them is on the ground. */
bool phx_sys_closes_loops(const workspace *ws)
{
    const phx_system *system = ws->system;

    for (int c = 0; c < system->components.n; c++) {
        const component_slot *component = &system->components.slot[c];
        int joints = 0, last = -1;
        bool grounded = false;
        for (int k = 0; k < ws->rows.n; k++) {
            const row_slot *row = &system->rows.slot[ws->rows.index[k]];
            const joint_slot *joint = &system->joints[row->joint];
            if (row->component != c || row->joint == last || node_of(system, joint->a) == node_of(system, joint->b))
                continue;
            last = row->joint;
            joints++;
            grounded = grounded || node_of(system, joint->a) < 0 || node_of(system, joint->b) < 0;
        }
        if (joints > component->count - (grounded ? 0 : 1))
            return true;
    }
    return false;
}

/* z (n_l) <- unit vector near the one that G^T shrinks most, with rows of unit size; how much it shrinks, |M^-1/2 G^T
 * z| relative to that of the rows alone; negative: no factors. `weak`: by factors that dependent rows have too. */
static double inverse_iteration(workspace *ws, const double *x, const bool *weak, double *z)
{
    const int n_l = ws->rows.n;
    double *b = ws->scratch.vector[0], shrinks = -1.0;
    phx_status status = weak ? phx_sys_factor_rigid(ws, x, weak) : ws->by->factor_mass(ws, x);

    for (int k = 0; k < n_l; k++)
        z[k] = 1.0 + 0.5 * sin(1.0 + 2.0 * k);
    for (int i = 0; i < ITERATIONS && !status; i++) {
        double size = 0.0, product = 0.0;
        for (int k = 0; k < n_l; k++)
            size += z[k] * z[k];
        memset(b, 0, (size_t)ws->kkt.n_v * sizeof *b);
        for (int k = 0; k < n_l; k++)
            b[ws->kkt.n_v + k] = z[k] /= sqrt(size);
        status = weak ? phx_sys_solve_rigid(ws, b) : ws->by->solve_mass(ws, b);
        for (int k = 0; k < n_l && !status; k++) {
            product += z[k] * b[ws->kkt.n_v + k];
            z[k] = b[ws->kkt.n_v + k];
        }
        if (!status && isfinite(product) && product > 0.0)
            shrinks = 1.0 / sqrt(product);
    }
    return status ? -1.0 : shrinks;
}

/* Rows at the instant, in ws->rows.covector. */
static void set_rows(workspace *ws, double t, const double *x, const double *v)
{
    ws->by->row_residuals(ws, t, x, v, ws->scratch.multipliers);
    if (ws->by->viewed_end)
        ws->by->viewed_end(ws, x);
}

/* By the pivots of S; where it is not formed by inverse iteration, whose rows have the size of the first of all. */
double phx_sys_op_regularity(phx_dae *dae, double t, const double *x, const double *v)
{
    workspace *ws = (workspace *)dae;

    set_rows(ws, t, x, v);
    const double pivot = ws->by->least_pivot ? ws->by->least_pivot(ws, x, v) : -1.0;
    if (pivot >= 0.0)
        return sqrt(pivot);
    return fmax(inverse_iteration(ws, x, NULL, ws->scratch.multipliers), 0.0);
}

/* 'a', 'b' and N more */
static void write_names(const workspace *ws, const double *share, double least, size_t size, char *text)
{
    const phx_system *system = ws->system;
    int count = 0, last = -1;
    size_t length = 0;

    for (int k = 0; k < ws->rows.n; k++) {
        const int joint = system->rows.slot[ws->rows.index[k]].joint;
        if (!(share[joint] >= least) || joint == last)
            continue;
        last = joint;
        if (count++ < MOST_NAMES && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s'%s'", count > 1 ? ", " : "",
                                       system->joints[joint].name);
    }
    if (count > MOST_NAMES && length < size)
        snprintf(text + length, size - length, " and %d more", count - MOST_NAMES);
}

/* Writes the names of the joints that dominate the vector z with the smallest |G^T z| to `text`: their rows are close
 * to linearly dependent. Empty if there are no such rows or memory is short. */
void phx_sys_op_dependent(phx_dae *dae, double t, const double *x, const double *v, size_t size, char *text)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    double *share = phx_calloc(dae->context, (size_t)system->n_joints, sizeof *share), largest = 0.0;
    double *z = phx_calloc(dae->context, (size_t)ws->rows.n, sizeof *z);
    bool *all = phx_calloc(dae->context, (size_t)ws->rows.n, sizeof *all);

    text[0] = '\0';
    if (share && z && all) {
        memset(all, true, (size_t)ws->rows.n * sizeof *all);
        set_rows(ws, t, x, v);
        if (inverse_iteration(ws, x, all, z) > 0.0) {
            for (int k = 0; k < ws->rows.n; k++)
                share[system->rows.slot[ws->rows.index[k]].joint] =
                    fmax(share[system->rows.slot[ws->rows.index[k]].joint], fabs(z[k]));
            for (int j = 0; j < system->n_joints; j++)
                largest = fmax(largest, share[j]);
        }
        if (largest > 0.0)
            write_names(ws, share, SHARE * largest, size, text);
    }
    phx_context_clear(dae->context);
    phx_free(share);
    phx_free(z);
    phx_free(all);
}
