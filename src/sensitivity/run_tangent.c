/* Derivatives of a run by tangents: the variation of the state by each parameter goes with the run, theory 19. */
#include "run.h"

#include <math.h>
#include <string.h>

/* Moves a state by s times a variation. */
static void move_state(const phx_system *system, const double *x, const double *v, double s, const double *xi,
                       const double *dv, double *x_moved, double *v_moved)
{
    memcpy(x_moved, x, (size_t)phx_system_n_x(system) * sizeof *x);
    for (int b = 0; b < phx_system_bodies(system); b++) {
        const phx_placed_body place = phx_system_placed(system, b);
        phx_body_displace(place.body, s, xi + place.v, x_moved + place.x);
    }
    const int n_v = phx_system_n_v(system), n_z = phx_system_controller_states(system);
    double *z = x_moved + phx_system_n_x(system) - n_z;
    for (int i = 0; i < n_v; i++)
        v_moved[i] = v[i] + s * dv[i];
    for (int i = 0; i < n_z; i++)
        z[i] += s * dv[n_v + i];
}

/* The derivative of each objective's expression along the variation of the state and the parameter, at row r: both
 * move together. Expressions of t and parameters move with the parameter too. */
static phx_status add_tangent_row(phx_run_gradient *run, int p, int r, const double *xi, const double *dv, double *room)
{
    const phx_moved *moved = &run->moved[p];
    const size_t n_x = (size_t)run->run.dae->n_x;
    phx_status status = PHX_OK;

    if (!phx_run_row_counts(run, r))
        return PHX_OK;
    status = phx_run_hold_limits(run, r);
    for (int s = 0; s < PHX_DIFFERENCE_PLACES && !status; s++) {
        move_state(run->run.system, phx_tape_x(run, r), phx_tape_v(run, r), phx_difference_place[s] * moved->step, xi,
                   dv, room, room + n_x);
        status = phx_built_columns(&moved->at[s], &run->wanted, run->tape.t[r], room, room + n_x, run->row);
        for (int k = 0; k < run->n && !status; k++) {
            const double slope = phx_run_slope_at(&run->slope[k], r) * phx_difference_weight[s] / moved->step;
            if (slope != 0.0)
                run->gradient[k * run->m + p] +=
                    slope * phx_objective_value(&moved->programs[s][k], run->tape.t[r], run->row, run->variables);
        }
    }
    phx_run_release_limits(run);
    return status;
}

/* From the start to the last row, all parameters side by side. */
phx_status phx_run_tangent(phx_run_gradient *run)
{
    const size_t n_x = (size_t)run->run.dae->n_x, n_v = (size_t)run->run.dae->n_v, n = n_v + (size_t)run->run.dae->n_l;
    const size_t m = (size_t)run->m;
    const size_t n_s = (size_t)run->n_s, n_z = (size_t)run->n_z;
    double *room = phx_calloc(run->context, n_x + 2 * n_v + 2 * n_z + n, sizeof *room);
    double *r = room ? room + n_x + n_v : NULL, *dv_p = r ? r + n : NULL;
    phx_status status = room ? PHX_OK : PHX_ERR_MEMORY;

    memset(run->gradient, 0, (size_t)run->n * m * sizeof *run->gradient);
    if (!status)
        status = phx_tape_load(run, 0, 0);
    for (size_t p = 0; p < m && !status; p++)
        status = add_tangent_row(run, (int)p, 0, run->xi0 + p * n_v, run->dv0 + p * n_s, room);
    for (int k = 0; k + 1 < run->tape.rows && !status; k++) {
        status = phx_run_load_step(run, k);
        for (size_t p = 0; p < m && !status; p++) {
            double *xi = run->xi0 + p * n_v, *dv = run->dv0 + p * n_s;
            status = phx_variation_by_parameter(run->variation, run->moved[p].parameter, r, dv_p);
            if (!status)
                status = phx_variation_tangent(run->variation, r, dv_p, xi, dv);
            if (!status)
                status = add_tangent_row(run, (int)p, k + 1, xi, dv, room);
        }
        if (!status)
            status = phx_progress(run->context, "tangents", k + 1, run->tape.rows - 1);
    }
    phx_free(room);
    return status;
}
