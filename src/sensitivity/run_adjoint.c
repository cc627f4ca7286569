/* Derivatives of a run by its discrete adjoint: one sweep from its end to its start, theory 19. */
#include "run.h"

#include <math.h>
#include <string.h>

/* Adjoints of all objectives, and room. */
typedef struct sweep {
    double *a_xi, *a_v; /* n x n_v, n x n_s */
    double *kept;       /* n x phx_variation_adjoint_size */
    double *x, *v;      /* a moved state */
    double *unit;       /* n_v, zero */
    double *here;       /* columns at the row at hand */
    double *column;     /* 2 x columns: differences of sixth and of fourth order */
    double *by_column;  /* n x columns */
    double *size;       /* 2 n: of a_v, in the last tenth of the run and before */
    double *force;      /* 2 n_v */
    bool *used;         /* columns of `left` that are used at the row at hand */
    phx_output_slopes *slopes;
    phx_used_columns left; /* columns whose derivatives are differences */
} sweep;

/* The arrays of a sweep. */
static phx_status sweep_create(const phx_run_gradient *run, sweep *s)
{
    const phx_dae *dae = run->run.dae;
    const size_t n_v = (size_t)dae->n_v, all = (size_t)run->n * n_v;
    const size_t columns = (size_t)run->columns.n;
    const phx_array arrays[] = {{&s->a_xi, all},
                                {&s->a_v, (size_t)(run->n * run->n_s)},
                                {&s->kept, (size_t)run->n * (size_t)phx_variation_adjoint_size(run->variation)},
                                {&s->v, n_v},
                                {&s->unit, n_v},
                                {&s->x, (size_t)dae->n_x},
                                {&s->here, columns},
                                {&s->column, 2 * columns},
                                {&s->size, 2 * (size_t)run->n},
                                {&s->by_column, (size_t)run->n * columns},
                                {&s->force, 2 * n_v}};
    const size_t outputs = (size_t)phx_system_n_outputs(run->run.system);
    phx_status status = PHX_OK;

    s->used = phx_calloc(run->context, columns, sizeof *s->used);
    s->left.outputs = phx_calloc(run->context, outputs, sizeof *s->left.outputs);
    if (!s->used || !s->left.outputs)
        return PHX_ERR_MEMORY;
    s->left.energies = run->wanted.energies;
    s->left.controllers = run->wanted.controllers;
    for (size_t i = 0; i < outputs; i++)
        s->left.outputs[i] = run->wanted.outputs[i] && !phx_output_slopes_has(run->run.system, (int)i);
    status = phx_output_slopes_create(run->seen.dae, &s->slopes);
    return status ? status : phx_arrays_create(run->context, sizeof arrays / sizeof *arrays, arrays);
}

static void sweep_free(sweep *s)
{
    double *arrays[] = {s->a_xi, s->a_v,    s->kept,      s->v,    s->unit, s->x,
                        s->here, s->column, s->by_column, s->size, s->force};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(s->used);
    phx_free(s->left.outputs);
    phx_output_slopes_destroy(s->slopes);
}

/* ---- the objectives at a row ---- */
/* The state at row r with entry i of xi moved, or of v, behind which stand the states of controllers. */
static void move_entry(const phx_run_gradient *run, sweep *s, int r, int i, bool of_v, double by)
{
    const size_t n_x = (size_t)run->run.dae->n_x, n_v = (size_t)run->run.dae->n_v;

    memcpy(s->x, phx_tape_x(run, r), n_x * sizeof *s->x);
    memcpy(s->v, phx_tape_v(run, r), n_v * sizeof *s->v);
    if (of_v && i >= (int)n_v) {
        s->x[(int)n_x - run->n_z + i - (int)n_v] += by;
        return;
    }
    if (of_v)
        s->v[i] += by;
    s->unit[i] = 1.0;
    for (int b = 0; b < phx_system_bodies(run->run.system) && !of_v; b++) {
        const phx_placed_body place = phx_system_placed(run->run.system, b);
        if (i >= place.v && i < place.v + phx_body_n_v(place.body))
            phx_body_displace(place.body, by, s->unit + place.v, s->x + place.x);
    }
    s->unit[i] = 0.0;
}

/* The columns at the moved state, without the elastic and the potential energy of body b (-1: none), whose derivatives
 * are known: they may be far larger than what is left of their sum over the bodies. */
static phx_status columns_without(phx_run_gradient *run, const sweep *s, int r, int b)
{
    const phx_status status = phx_built_columns(&run->seen, &s->left, run->tape.t[r], s->x, s->v, run->row);
    if (!s->left.energies || b < 0)
        return status;
    const phx_placed_body place = phx_system_placed(run->run.system, b);
    const double elastic = phx_body_elastic(place.body, s->x + place.x),
                 potential = phx_body_potential(place.body, run->gravity, s->x + place.x);

    run->row[COLUMN_ELASTIC] -= elastic;
    run->row[COLUMN_POTENTIAL] -= potential;
    run->row[COLUMN_ENERGY] -= elastic + potential;
    return status;
}

/* The derivatives of the columns along entry i of the state at row r, of xi or of v, into s->column. The step becomes
 * shorter where the differences of fourth and sixth order do not agree, as at the corner of a law. */
static phx_status entry_columns(phx_run_gradient *run, sweep *s, int r, int b, int i, bool of_v, double step)
{
    enum { MOST = 4 };
    static const double AGREE = 1e-9, SHORTER = 0.03; /* relative, or to the value; of the step */
    static const double fourth[PHX_DIFFERENCE_PLACES] = {8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0};
    const int n = run->columns.n;
    phx_status status = PHX_OK;
    bool agree = false;

    for (int tries = 0; tries < MOST && !agree && !status; tries++, step *= SHORTER) {
        memset(s->column, 0, 2 * (size_t)n * sizeof *s->column);
        for (int q = 0; q < PHX_DIFFERENCE_PLACES && !status; q++) {
            move_entry(run, s, r, i, of_v, phx_difference_place[q] * step);
            status = columns_without(run, s, r, b);
            for (int c = 0; c < n; c++) {
                s->column[c] += phx_difference_weight[q] / step * run->row[c];
                s->column[n + c] += fourth[q] / step * run->row[c];
            }
        }
        agree = true;
        for (int c = 0; c < n; c++)
            agree = agree && (!s->used[c] || fabs(s->column[c] - s->column[n + c]) <=
                                                 AGREE * (fabs(s->column[c]) + fabs(run->row[c])));
    }
    return status;
}

/* Adds the derivatives of the objectives along the entries of body b at row r. */
static phx_status add_body_entries(phx_run_gradient *run, sweep *s, int r, int b, double speed)
{
    static const double OF_STATE = 3e-4; /* rad, of the size, of the speed: the error is its sixth power */
    static const double SLOW = 1e-3;     /* sizes per second: at rest rounding would be all of a difference */
    const phx_placed_body place = phx_system_placed(run->run.system, b);
    const size_t n_v = (size_t)run->run.dae->n_v;
    const phx_body_frame *frames;
    const int n_frames = phx_body_frames(place.body, &frames), dim = phx_body_dim(place.body), n = run->columns.n;
    const double *x = phx_tape_x(run, r) + place.x, none[3] = {0.0};
    double *weight = s->force + n_v;
    phx_status status = PHX_OK;

    /* at rest a body's residual is minus its forces, the derivative of its energies */
    phx_body_residual(place.body, none, x, s->unit, s->unit, s->force);
    phx_body_residual(place.body, run->gravity, x, s->unit, s->unit, weight);
    for (int i = 0; i < phx_body_n_v(place.body) && !status; i++) {
        bool turns = false;
        for (int f = 0; f < n_frames; f++)
            turns = turns || (i >= frames[f].v + dim && i < frames[f].v + dim + phx_rotations(dim));
        for (int of_v = 0; of_v < 2 && !status; of_v++) {
            const double step = OF_STATE * (of_v ? fmax(speed, SLOW * run->size) : turns ? 1.0 : run->size);
            status = entry_columns(run, s, r, b, place.v + i, of_v == 1, step);
            if (!of_v) {
                s->column[COLUMN_ELASTIC] += s->force[i];
                s->column[COLUMN_POTENTIAL] += weight[i] - s->force[i];
                s->column[COLUMN_ENERGY] += weight[i];
            }
            for (int k = 0; k < run->n && !status; k++)
                (of_v ? s->a_v + k * run->n_s : s->a_xi + (size_t)k * n_v)[place.v + i] +=
                    phx_dot(n, s->by_column + (size_t)(k * n), s->column);
        }
    }
    return status;
}

/* The same along the states of controllers. */
static phx_status add_controller_entries(phx_run_gradient *run, sweep *s, int r)
{
    static const double OF_STATE = 3e-4; /* relative; controllers are linear in their states but for limits */
    const int n = run->columns.n, n_v = run->run.dae->n_v;
    const double *z = phx_tape_x(run, r) + run->run.dae->n_x - run->n_z;
    phx_status status = PHX_OK;

    for (int i = 0; i < run->n_z && !status; i++) {
        status = entry_columns(run, s, r, -1, n_v + i, true, OF_STATE * fmax(1.0, fabs(z[i])));
        for (int k = 0; k < run->n && !status; k++)
            s->a_v[k * run->n_s + n_v + i] += phx_dot(n, s->by_column + (size_t)(k * n), s->column);
    }
    return status;
}

/* Whether a column's derivatives are differences. */
static bool is_left(const phx_run_gradient *run, const sweep *s, int column)
{
    if (column < PHX_STATE_COLUMNS)
        return column != COLUMN_TIME;
    if (column >= PHX_STATE_COLUMNS + phx_system_columns(run->run.system))
        return true;
    return s->left.outputs[phx_system_column_output(run->run.system, column - PHX_STATE_COLUMNS)];
}

/* The columns at row r, and the derivatives of the objectives by them: slopes times derivatives of the expressions. */
static phx_status find_by_column(phx_run_gradient *run, sweep *s, int r)
{
    const size_t n = (size_t)run->columns.n;
    const phx_status status =
        phx_built_columns(&run->seen, &run->wanted, run->tape.t[r], phx_tape_x(run, r), phx_tape_v(run, r), s->here);

    memset(s->by_column, 0, (size_t)run->n * n * sizeof *s->by_column);
    memset(s->used, 0, n * sizeof *s->used);
    for (int k = 0; k < run->n && !status; k++) {
        const phx_expression_of_columns *measured = &run->programs[k].measured;
        const double slope = phx_run_slope_at(&run->slope[k], r);
        if (slope == 0.0)
            continue;
        (void)phx_objective_value(&run->programs[k], run->tape.t[r], s->here, run->variables);
        for (int m = 0; m < measured->count; m++) {
            double jet[3];
            const int column = run->programs[k].column[m];
            phx_program_partial(measured->program, m + 1, run->variables, jet);
            s->by_column[(size_t)k * n + (size_t)column] += slope * jet[1];
            s->used[column] = is_left(run, s, column);
        }
    }
    return status;
}

/* Whether any column that is used follows the state of body b at row r: it is looked at with all entries moved. */
static phx_status follows_body(phx_run_gradient *run, sweep *s, int r, int b, bool *follows)
{
    static const double MOVED = 1e-2; /* m, rad, m/s */
    const phx_placed_body place = phx_system_placed(run->run.system, b);
    double *all = s->force;

    move_entry(run, s, r, place.v, true, MOVED);
    for (int i = 0; i < phx_body_n_v(place.body); i++) {
        s->v[place.v + i] += MOVED * (1.0 + i);
        all[i] = MOVED * (1.0 + 0.1 * i);
    }
    phx_body_displace(place.body, 1.0, all, s->x + place.x);
    const phx_status status = phx_built_columns(&run->seen, &s->left, run->tape.t[r], s->x, s->v, run->row);
    *follows = false;
    for (int c = 0; c < run->columns.n; c++)
        *follows = *follows || (s->used[c] && run->row[c] != s->here[c]);
    return status;
}

/* Adds the derivatives of the objectives by the state at row r, and directly by the parameters. */
static phx_status add_adjoint_row(phx_run_gradient *run, sweep *s, int r)
{
    const size_t n_v = (size_t)run->run.dae->n_v;
    double speed = 0.0;
    phx_status status = PHX_OK;

    if (!phx_run_row_counts(run, r))
        return PHX_OK;
    status = phx_tape_load(run, r, r);
    const double *v = phx_tape_v(run, r);
    for (size_t i = 0; i < n_v && !status; i++)
        speed = fmax(speed, fabs(v[i]));
    if (!status)
        status = find_by_column(run, s, r);
    if (!status)
        status = phx_output_slopes_add(s->slopes, run->wanted.outputs, run->tape.t[r], phx_tape_x(run, r), v, run->n,
                                       run->columns.n, s->by_column + PHX_STATE_COLUMNS, s->a_xi);
    bool any = false;
    for (int c = 0; c < run->columns.n; c++)
        any = any || s->used[c];
    if (!status)
        status = phx_run_hold_limits(run, r);
    for (int b = 0; b < phx_system_bodies(run->run.system) && any && !status; b++) {
        bool follows = false;
        status = follows_body(run, s, r, b, &follows);
        if (!status && follows)
            status = add_body_entries(run, s, r, b, speed);
    }
    if (any && !status && (s->left.energies || s->left.controllers))
        status = add_controller_entries(run, s, r);
    for (int p = 0; p < run->m && !status; p++)
        for (int q = 0; q < PHX_DIFFERENCE_PLACES && run->moved[p].enters && !status; q++) {
            const phx_moved *moved = &run->moved[p];
            status = phx_built_columns(&moved->at[q], &run->wanted, run->tape.t[r], phx_tape_x(run, r), v, run->row);
            for (int k = 0; k < run->n && !status; k++)
                run->gradient[k * run->m + p] +=
                    phx_run_slope_at(&run->slope[k], r) * phx_difference_weight[q] / moved->step *
                    phx_objective_value(&moved->programs[q][k], run->tape.t[r], run->row, run->variables);
        }
    phx_run_release_limits(run);
    return status;
}

/* ---- a step ---- */
/* The adjoints of all objectives from the end of step k to its start; what parameters change in it. */
static phx_status pass_step(phx_run_gradient *run, sweep *s, int step)
{
    const int n_v = run->run.dae->n_v, size = phx_variation_adjoint_size(run->variation);
    phx_status status = phx_run_load_step(run, step);

    for (int k = 0; k < run->n && !status; k++)
        status =
            phx_variation_adjoint(run->variation, s->a_xi + k * n_v, s->a_v + k * run->n_s, s->kept + (size_t)k * size);
    for (int p = 0; p < run->m && !status; p++)
        status =
            phx_variation_contract(run->variation, run->moved[p].parameter, run->n, s->kept, run->m, run->gradient + p);
    return status;
}

/* Says so where the adjoint, in the size of a_v, is at the start far larger than anywhere in the last tenth of the run:
 * derivatives of a chaotic motion are exact and of little use. */
static void report_growth(const phx_run_gradient *run, const double *late, const double *early)
{
    static const double LARGE = 1e6;

    for (int k = 0; k < run->n; k++)
        if (late[k] > 0.0 && early[k] > LARGE * late[k])
            phx_log(run->context, PHX_LOG_WARNING,
                    "the adjoint of %s grows %.1e times from the end of the run to its start: its motion is chaotic or "
                    "unstable, and derivatives hold for very small changes only",
                    run->objectives[k].text, early[k] / late[k]);
}

/* The largest size of the a_v of each objective so far, into `size`. */
static void measure_size(const phx_run_gradient *run, const sweep *s, double *size)
{
    const int n_v = run->run.dae->n_v;

    for (int k = 0; k < run->n; k++)
        for (int i = 0; i < n_v; i++)
            size[k] = fmax(size[k], fabs(s->a_v[k * run->n_s + i]));
}

/* From the last row to the first, then the start by the parameters, theory 19 (11). */
phx_status phx_run_adjoint(phx_run_gradient *run)
{
    const int n_v = run->run.dae->n_v;
    sweep s = {0};
    phx_status status = sweep_create(run, &s);

    memset(run->gradient, 0, (size_t)run->n * (size_t)run->m * sizeof *run->gradient);
    if (!status)
        status = add_adjoint_row(run, &s, run->tape.rows - 1);
    for (int k = run->tape.rows - 2; k >= 0 && !status; k--) {
        status = pass_step(run, &s, k);
        if (!status)
            status = add_adjoint_row(run, &s, k);
        measure_size(run, &s, 10 * k > 9 * run->tape.rows ? s.size : s.size + run->n);
        if (!status)
            status = phx_progress(run->context, "adjoint", run->tape.rows - 1 - k, run->tape.rows - 1);
    }
    for (int k = 0; k < run->n && !status; k++)
        for (int p = 0; p < run->m; p++)
            run->gradient[k * run->m + p] += phx_dot(n_v, s.a_xi + k * n_v, run->xi0 + p * n_v) +
                                             phx_dot(run->n_s, s.a_v + k * run->n_s, run->dv0 + p * run->n_s);
    if (!status)
        report_growth(run, s.size, s.size + run->n);
    sweep_free(&s);
    return status;
}
