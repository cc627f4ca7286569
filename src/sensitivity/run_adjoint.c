/* Derivatives of a run by its discrete adjoint: one sweep from its end to its start, theory 19. */
#include "run.h"

#include <math.h>
#include <string.h>

/* Adjoints of all objectives, and room. */
typedef struct sweep {
    double *a_xi, *a_v; /* n x n_v */
    double *before;     /* the same */
    double *eta;        /* n x (n_v + n_l) */
    double *res, *r;
    double *v1, *dv_p;
    double *x, *v; /* a moved state */
    double *unit;  /* n_v, zero */
} sweep;

static phx_status sweep_create(const phx_run_gradient *run, sweep *s)
{
    const phx_dae *dae = run->run.dae;
    const size_t n_v = (size_t)dae->n_v, n = n_v + (size_t)dae->n_l, all = (size_t)run->n * n_v;
    const phx_array arrays[] = {{&s->a_xi, all},
                                {&s->a_v, all},
                                {&s->before, all},
                                {&s->eta, (size_t)run->n * n},
                                {&s->res, n},
                                {&s->r, n},
                                {&s->v1, n_v},
                                {&s->dv_p, n_v},
                                {&s->v, n_v},
                                {&s->unit, n_v},
                                {&s->x, (size_t)dae->n_x}};
    return phx_arrays_create(run->context, sizeof arrays / sizeof *arrays, arrays);
}

static void sweep_free(sweep *s)
{
    double *arrays[] = {s->a_xi, s->a_v, s->before, s->eta, s->res, s->r, s->v1, s->dv_p, s->v, s->unit, s->x};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
}

/* ---- the objectives at a row ---- */
static bool row_counts(const phx_run_gradient *run, int r)
{
    for (int k = 0; k < run->n; k++)
        if (run->slope[(size_t)k * (size_t)run->tape.rows + (size_t)r] != 0.0)
            return true;
    return false;
}

/* Adds slope times the derivative of the expressions along entry i of the state at row r: of xi, or of v. */
static phx_status add_entry(phx_run_gradient *run, sweep *s, int r, int i, bool of_v, double step)
{
    const size_t rows = (size_t)run->tape.rows, n_x = (size_t)run->run.dae->n_x, n_v = (size_t)run->run.dae->n_v;
    const double *x = run->tape.x + (size_t)r * n_x, *v = run->tape.v + (size_t)r * n_v;
    phx_status status = PHX_OK;

    for (int q = 0; q < PHX_NEIGHBOURS && !status; q++) {
        memcpy(s->x, x, n_x * sizeof *x);
        memcpy(s->v, v, n_v * sizeof *v);
        if (of_v) {
            s->v[i] += phx_neighbour_place[q] * step;
        } else {
            s->unit[i] = 1.0;
            for (int b = 0; b < phx_system_bodies(run->run.system); b++) {
                const phx_placed_body place = phx_system_placed(run->run.system, b);
                if (i >= place.v && i < place.v + phx_body_n_v(place.body))
                    phx_body_displace(place.body, phx_neighbour_place[q] * step, s->unit + place.v, s->x + place.x);
            }
            s->unit[i] = 0.0;
        }
        status = phx_run_columns(run, &run->run, run->tape.t[r], s->x, s->v, run->row);
        for (int k = 0; k < run->n && !status; k++) {
            double *to = (of_v ? s->a_v : s->a_xi) + (size_t)k * n_v + (size_t)i;
            *to += run->slope[(size_t)k * rows + (size_t)r] * phx_neighbour_weight[q] / step *
                   phx_objective_value(&run->programs[k], run->tape.t[r], run->row, run->variables);
        }
    }
    return status;
}

/* Adds the derivatives of the objectives by the state at row r, and directly by the parameters. */
static phx_status add_row(phx_run_gradient *run, sweep *s, int r)
{
    const size_t rows = (size_t)run->tape.rows, n_x = (size_t)run->run.dae->n_x, n_v = (size_t)run->run.dae->n_v;
    const double *v = run->tape.v + (size_t)r * n_v;
    double speed = 0.0;
    phx_status status = PHX_OK;

    if (!row_counts(run, r))
        return PHX_OK;
    for (size_t i = 0; i < n_v; i++)
        speed = fmax(speed, fabs(v[i]));
    for (int i = 0; i < (int)n_v && !status; i++) {
        status = add_entry(run, s, r, i, false, PHX_STEP_OF_PARTS * run->size);
        if (!status)
            status = add_entry(run, s, r, i, true, PHX_STEP_OF_PARTS * (speed > 0.0 ? speed : 1.0));
    }
    for (int p = 0; p < run->m && !status; p++)
        for (int q = 0; q < PHX_NEIGHBOURS && !status; q++) {
            const phx_moved *moved = &run->moved[p];
            status = phx_run_columns(run, &moved->at[q], run->tape.t[r], run->tape.x + (size_t)r * n_x, v, run->row);
            for (int k = 0; k < run->n && !status; k++)
                run->gradient[k * run->m + p] +=
                    run->slope[(size_t)k * rows + (size_t)r] * phx_neighbour_weight[q] / moved->step *
                    phx_objective_value(&moved->programs[q][k], run->tape.t[r], run->row, run->variables);
        }
    return status;
}

/* ---- a step ---- */
/* The adjoints of all objectives from the end of step k to its start; what parameters change in it. */
static phx_status pass_step(phx_run_gradient *run, sweep *s, int step)
{
    const int n_v = run->run.dae->n_v, n = n_v + run->run.dae->n_l;
    phx_status status = phx_run_load_step(run, step);

    memcpy(s->before, s->a_v, (size_t)(run->n * n_v) * sizeof *s->before);
    for (int k = 0; k < run->n && !status; k++)
        status = phx_variation_adjoint(run->variation, s->a_xi + k * n_v, s->a_v + k * n_v, s->eta + k * n);
    for (int p = 0; p < run->m && !status; p++) {
        status = phx_run_step_by_parameter(run, p, s->res, s->v1, s->r, s->dv_p);
        for (int k = 0; k < run->n; k++)
            run->gradient[k * run->m + p] +=
                phx_dot(n_v, s->before + k * n_v, s->dv_p) - phx_dot(n, s->eta + k * n, s->r);
    }
    return status;
}

phx_status phx_run_adjoint(phx_run_gradient *run)
{
    const int n_v = run->run.dae->n_v;
    sweep s = {0};
    phx_status status = sweep_create(run, &s);

    memset(run->gradient, 0, (size_t)run->n * (size_t)run->m * sizeof *run->gradient);
    if (!status)
        status = add_row(run, &s, run->tape.rows - 1);
    for (int k = run->tape.rows - 2; k >= 0 && !status; k--) {
        status = pass_step(run, &s, k);
        if (!status)
            status = add_row(run, &s, k);
        if (!status)
            status = phx_progress(run->context, "adjoint", run->tape.rows - 1 - k, run->tape.rows - 1);
    }
    for (int k = 0; k < run->n && !status; k++)
        for (int p = 0; p < run->m; p++)
            run->gradient[k * run->m + p] +=
                phx_dot(n_v, s.a_xi + k * n_v, run->xi0 + p * n_v) + phx_dot(n_v, s.a_v + k * n_v, run->dv0 + p * n_v);
    sweep_free(&s);
    return status;
}
