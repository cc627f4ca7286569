/* Controllers in the derivative of a step, theory 19 (13) and (14). At its start sampled controllers take their samples
 * with what is measured at (x_0, v_0). Over the interval each measure m follows the place at the start and the mean
 * velocity, and all controllers together are a linear map of measures and states, evaluated one after the other in
 * their order:
 *
 *     dm = X xi_0 + V dv_m ,     (du, dz_1) = maps of (dm, dz_0) .
 *
 * The matrix of the interval is taken with u held and receives -P^T e_i (du_i/dm) V in place of Newton's feedback,
 * whose rows for rates are not exact. */
#include "variation.h"

#include <math.h>
#include <string.h>

static void add_times(int n, double alpha, const double *a, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] += alpha * a[i];
}

/* ---- creation ---- */
static size_t map_size(const controller_slot *slot)
{
    const size_t n = (size_t)phx_block_n(slot->block), in = (size_t)slot->n_inputs, out = (size_t)slot->n_outputs;

    return n * n + n * in + out * n + out * in;
}

/* A, B, C, D of controller c one behind the other. */
static void map_parts(const phx_variation *var, const double *maps, int c, const double *parts[4])
{
    const controller_slot *slot = &var->system->control.slot[c];
    const int n = phx_block_n(slot->block), in = slot->n_inputs, out = slot->n_outputs;

    parts[0] = maps + var->control->first_map[c];
    parts[1] = parts[0] + n * n;
    parts[2] = parts[1] + n * in;
    parts[3] = parts[2] + out * n;
}

/* Allocates what the controllers of a system need; nothing without any. */
phx_status phx_var_control_create(phx_variation *var)
{
    const phx_system *system = var->system;
    const controller_list *list = &system->control;
    const size_t cols = (size_t)var->ws->control.first[list->n_measures], n_x = (size_t)system->n_x;
    size_t maps = 0, acted = 0;

    varied_controls *control = var->control = phx_calloc(var->context, 1, sizeof *control);
    if (!control)
        return PHX_ERR_MEMORY;
    control->first_map = phx_calloc(var->context, (size_t)list->n, sizeof *control->first_map);
    control->first_acted = phx_calloc(var->context, (size_t)list->n_actuations + 1, sizeof *control->first_acted);
    control->due = phx_calloc(var->context, (size_t)list->n, sizeof *control->due);
    control->side = phx_calloc(var->context, 2 * (size_t)list->n_actuations, sizeof *control->side);
    if (!control->first_map || !control->first_acted || !control->due || !control->side)
        return PHX_ERR_MEMORY;
    control->side_at = control->side + list->n_actuations;
    for (int c = 0; c < list->n; c++) {
        control->first_map[c] = (int)maps;
        maps += map_size(&list->slot[c]);
    }
    for (int i = 0; i < list->n_actuations; i++) {
        control->first_acted[i] = (int)acted;
        acted += (size_t)phx_sys_acted_columns(&var->ws->ports, &list->actuations[i]);
    }
    control->first_acted[list->n_actuations] = (int)acted;
    const size_t states = (size_t)var->n_z;
    const phx_array arrays[] = {{&control->interval, maps},
                                {&control->sample, maps},
                                {&control->by_x, cols},
                                {&control->by_v, cols},
                                {&control->at_x, cols},
                                {&control->at_v, cols},
                                {&control->acted, acted},
                                {&control->part, cols},
                                {&control->before, states},
                                {&control->copy, states},
                                {&control->m, (size_t)list->n_measures},
                                {&control->u, (size_t)list->n_actuations},
                                {&control->z, states},
                                {&control->x0, n_x},
                                {&control->x1, n_x},
                                {&control->xm, n_x},
                                {&control->low, 2 * n_x},
                                {&control->v, 2 * (size_t)var->n_v}};
    return phx_arrays_create(var->context, sizeof arrays / sizeof *arrays, arrays);
}

void phx_var_control_free(varied_controls *control)
{
    if (!control)
        return;
    double *arrays[] = {control->interval, control->sample, control->by_x, control->by_v,   control->at_x,
                        control->at_v,     control->acted,  control->part, control->before, control->copy,
                        control->m,        control->u,      control->z,    control->x0,     control->x1,
                        control->xm,       control->low,    control->v};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    phx_free(control->first_map);
    phx_free(control->first_acted);
    phx_free(control->due);
    phx_free(control->side);
    phx_free(control);
}

/* ---- measures ---- */
typedef void gauge_fn(phx_variation *var, const measure *gauge);

/* Every measure that follows the motion. */
static void each_gauge(phx_variation *var, gauge_fn *function)
{
    const controller_list *list = &var->system->control;

    for (int c = 0; c < list->n; c++)
        for (int k = 0; k < list->slot[c].n_inputs; k++)
            if (list->slot[c].inputs[k].row >= 0)
                function(var, &list->slot[c].inputs[k]);
}

/* The value of a measure over the interval from (x, v) of length h with the mean velocity vm, of which only what its
 * ports see is evaluated; h = 0: at the instant. */
static double measured_with(phx_variation *var, const measure *gauge, double h, const double *x, const double *vm)
{
    const phx_system *system = var->system;
    workspace *ws = var->ws;
    varied_controls *control = var->control;
    phx_port_id ports[2];
    const int n = phx_sys_measure_ports(system, gauge, ports);

    ws->view = (phx_body_view){.h = h, .x0 = x, .x1 = x, .xm = x, .v0 = vm, .v1 = vm, .vm = vm};
    if (h != 0.0) {
        ws->view.x1 = control->x1;
        ws->view.xm = control->xm;
    }
    for (int p = 0; p < n; p++) {
        const int b = system->ports[ports[p]].body;
        if (b >= 0 && h != 0.0) {
            const body_slot *slot = &system->bodies[b];
            phx_body_move(slot->body, h, x + slot->x, control->low + slot->x, vm + slot->v, control->x1 + slot->x,
                          control->low + system->n_x + slot->x, control->xm + slot->x);
        }
        phx_sys_view_own_port(ws, ports[p]);
    }
    if (gauge->kind == MEASURE_FLOW)
        (void)phx_sys_find_flow(ws, gauge->actuation); /* of actuations that have been evaluated here before */
    return phx_sys_measure(ws, gauge);
}

/* The derivative of a measure along entry i of xi_0 (of_v: of the mean velocity) by differences of sixth order. */
static double slope_along(phx_variation *var, const measure *gauge, double h, int i, bool of_v)
{
    static const double STEP = 3e-4, SLOW = 1e-2; /* rad, m, of the largest velocity; m/s, rad/s */
    const phx_system *system = var->system;
    varied_controls *control = var->control;
    double *x = control->x0, *vm = control->v, *unit = vm + var->n_v, step = STEP, slope = 0.0, speed = 0.0;

    for (int j = 0; j < var->n_v && of_v; j++)
        speed = fmax(speed, fabs(var->vm[j]));
    if (of_v)
        step *= fmax(speed, SLOW);
    unit[i] = 1.0;
    for (int q = 0; q < PHX_DIFFERENCE_PLACES; q++) {
        const double by = phx_difference_place[q] * step;
        memcpy(x, var->x0, (size_t)system->n_x * sizeof *x);
        memcpy(vm, h == 0.0 ? var->v0 : var->vm, (size_t)var->n_v * sizeof *vm);
        if (of_v)
            vm[i] += by;
        for (int b = 0; b < system->n_bodies && !of_v; b++) {
            const body_slot *slot = &system->bodies[b];
            if (i >= slot->v && i < slot->v + phx_body_n_v(slot->body))
                phx_body_displace(slot->body, by, unit + slot->v, x + slot->x);
        }
        slope += phx_difference_weight[q] / step * measured_with(var, gauge, h, x, vm);
    }
    unit[i] = 0.0;
    return slope;
}

/* Differences along every column of a measure, each column once. */
static void slopes_along(phx_variation *var, const measure *gauge, double h, bool of_v, double *row)
{
    const control_work *work = &var->ws->control;

    for (int j = work->first[gauge->row]; j < work->first[gauge->row + 1]; j++) {
        bool again = false;
        for (int i = work->first[gauge->row]; i < j; i++)
            again = again || work->cols[i] == work->cols[j];
        row[j] = again ? 0.0 : slope_along(var, gauge, h, work->cols[j], of_v);
    }
}

/* out (over cols) = factor map^T row of the bodies at the ports of a measure. */
static void pull_through(phx_variation *var, const measure *gauge, phx_step_map which, double factor, const double *row,
                         double *out)
{
    const control_work *work = &var->ws->control;
    const int first = work->first[gauge->row], last = work->first[gauge->row + 1];
    double *in = var->control->v, *made = in + var->n_v;
    phx_port_id ports[2];
    const int n = phx_sys_measure_ports(var->system, gauge, ports);
    int done = -1;

    memset(in, 0, 2 * (size_t)var->n_v * sizeof *in);
    for (int j = first; j < last; j++)
        in[work->cols[j]] += row[j];
    for (int p = 0; p < n; p++) {
        const int b = var->system->ports[ports[p]].body;
        if (b < 0 || b == done)
            continue;
        const body_slot *slot = &var->system->bodies[b];
        phx_body_step_apply(slot->body, var->maps + var->first_map[b], var->h, which, true, factor, in + slot->v,
                            made + slot->v);
        done = b;
    }
    for (int j = first; j < last; j++) {
        out[j] = made[work->cols[j]];
        made[work->cols[j]] = 0.0; /* a column that comes again counts once */
    }
    memset(in, 0, 2 * (size_t)var->n_v * sizeof *in);
}

/* The place at the start: its part of by_x. */
static void start_of_place(phx_variation *var, const measure *gauge)
{
    const control_work *work = &var->ws->control;
    const double factor = phx_sys_measure_is_rate(var->system, gauge) ? -1.0 / var->h : 0.5;

    if (!phx_sys_measure_has_place(var->system, gauge))
        return;
    phx_sys_measure_row(var->ws, gauge);
    for (int j = work->first[gauge->row]; j < work->first[gauge->row + 1]; j++)
        var->control->by_x[j] = factor * work->row[j];
}

/* The place at the end: the rest of by_x, and by_v. */
static void end_of_place(phx_variation *var, const measure *gauge)
{
    const control_work *work = &var->ws->control;
    varied_controls *control = var->control;
    const double factor = phx_sys_measure_is_rate(var->system, gauge) ? 1.0 / var->h : 0.5;

    if (!phx_sys_measure_has_place(var->system, gauge))
        return;
    phx_sys_measure_row(var->ws, gauge);
    pull_through(var, gauge, PHX_STEP_Y, factor, work->row, control->by_v);
    pull_through(var, gauge, PHX_STEP_X, factor, work->row, control->part);
    for (int j = work->first[gauge->row]; j < work->first[gauge->row + 1]; j++)
        control->by_x[j] += control->part[j];
}

/* Both, of a measure that has no place. */
static void measure_by_differences(phx_variation *var, const measure *gauge)
{
    if (phx_sys_measure_has_place(var->system, gauge))
        return;
    slopes_along(var, gauge, var->h, false, var->control->by_x);
    slopes_along(var, gauge, var->h, true, var->control->by_v);
}

/* ---- all controllers, one after the other ---- */
/* What controller c gets: measures, and outputs of others. */
static void inputs_of(const phx_variation *var, int c, const double *m, const double *u, double *y)
{
    const controller_slot *slot = &var->system->control.slot[c];

    for (int j = 0; j < slot->n_inputs; j++) {
        const measure *gauge = &slot->inputs[j];
        y[j] = gauge->row >= 0 ? m[gauge->row] : 0.0;
        if (gauge->kind == MEASURE_CONTROLLER)
            y[j] = u[var->system->control.slot[gauge->controller].first_output + gauge->number];
    }
}

/* The transpose. */
static void add_inputs(const phx_variation *var, int c, const double *a_y, double *a_m, double *a_u)
{
    const controller_slot *slot = &var->system->control.slot[c];

    for (int j = 0; j < slot->n_inputs; j++) {
        const measure *gauge = &slot->inputs[j];
        if (gauge->row >= 0)
            a_m[gauge->row] += a_y[j];
        if (gauge->kind == MEASURE_CONTROLLER)
            a_u[var->system->control.slot[gauge->controller].first_output + gauge->number] += a_y[j];
    }
}

static int states_of(const phx_variation *var, const controller_slot *slot)
{
    return slot->x - var->system->control.first_x;
}

/* z <- A z + B y (alone: unchanged), u = C z + D y with the z before. */
static void map_tangent(phx_variation *var, const double *maps, int c, bool alone, const double *y, double *z,
                        double *u)
{
    const controller_slot *slot = &var->system->control.slot[c];
    const int n = phx_block_n(slot->block), in = slot->n_inputs;
    double *next = var->control->z;
    const double *of[4];

    map_parts(var, maps, c, of);
    for (int k = 0; k < slot->n_outputs; k++)
        u[k] = phx_dot(n, of[2] + k * n, z) + phx_dot(in, of[3] + k * in, y);
    for (int i = 0; i < n && !alone; i++)
        next[i] = phx_dot(n, of[0] + i * n, z) + phx_dot(in, of[1] + i * in, y);
    if (!alone)
        memcpy(z, next, (size_t)n * sizeof *z);
}

/* The transpose: a_z by the states after the map becomes a_z by the states before it, and a_y is set. */
static void map_adjoint(phx_variation *var, const double *maps, int c, bool alone, const double *a_u, double *a_z,
                        double *a_y)
{
    const controller_slot *slot = &var->system->control.slot[c];
    const int n = phx_block_n(slot->block), in = slot->n_inputs;
    double *before = var->control->z;
    const double *of[4];

    map_parts(var, maps, c, of);
    memset(a_y, 0, (size_t)in * sizeof *a_y);
    for (int j = 0; j < n; j++)
        before[j] = alone ? a_z[j] : 0.0;
    for (int k = 0; k < slot->n_outputs; k++) {
        add_times(in, a_u[k], of[3] + k * in, a_y);
        add_times(n, a_u[k], of[2] + k * n, before);
    }
    for (int i = 0; i < n && !alone; i++) {
        add_times(in, a_z[i], of[1] + i * in, a_y);
        add_times(n, a_z[i], of[0] + i * n, before);
    }
    memcpy(a_z, before, (size_t)n * sizeof *a_z);
}

/* u by the measures m and the states z, which go to the end of the interval unless this is an instant. */
static void chain_tangent(phx_variation *var, const double *maps, bool instant, const double *m, double *z, double *u)
{
    const controller_list *list = &var->system->control;
    double *y = var->ws->control.y;

    for (int k = 0; k < list->n; k++) {
        const int c = list->order[k];
        const controller_slot *slot = &list->slot[c];
        double *own = z + states_of(var, slot), *made = u + slot->first_output;
        if (phx_block_sample_time(slot->block) > 0.0) {
            memcpy(made, own + phx_block_n(slot->block), (size_t)slot->n_outputs * sizeof *made);
            continue;
        }
        inputs_of(var, c, m, u, y);
        map_tangent(var, maps, c, instant, y, own, made);
    }
}

/* The transpose; a_u is used up, to a_m is added. */
static void chain_adjoint(phx_variation *var, const double *maps, bool instant, double *a_m, double *a_z, double *a_u)
{
    const controller_list *list = &var->system->control;
    double *a_y = var->ws->control.y;

    for (int k = list->n - 1; k >= 0; k--) {
        const int c = list->order[k];
        const controller_slot *slot = &list->slot[c];
        double *own = a_z + states_of(var, slot);
        if (phx_block_sample_time(slot->block) > 0.0) {
            add_times(slot->n_outputs, 1.0, a_u + slot->first_output, own + phx_block_n(slot->block));
            continue;
        }
        map_adjoint(var, maps, c, instant, a_u + slot->first_output, own, a_y);
        add_inputs(var, c, a_y, a_m, a_u);
    }
}

/* ---- products over the columns of measures and actuations ---- */
static void add_measures(const phx_variation *var, const double *rows, const double *in, double *m)
{
    const control_work *work = &var->ws->control;

    for (int k = 0; k < var->system->control.n_measures; k++)
        for (int j = work->first[k]; j < work->first[k + 1]; j++)
            m[k] += rows[j] * in[work->cols[j]];
}

static void add_measures_transposed(const phx_variation *var, const double *rows, const double *a_m, double *out)
{
    const control_work *work = &var->ws->control;

    for (int k = 0; k < var->system->control.n_measures; k++)
        for (int j = work->first[k]; j < work->first[k + 1]; j++)
            out[work->cols[j]] += rows[j] * a_m[k];
}

/* ---- the interval ---- */
/* A, B, C, D of all continuous controllers over the interval, and on which sides of their limits they are. */
static phx_status linearise_blocks(phx_variation *var)
{
    const phx_system *system = var->system;
    workspace *ws = var->ws;
    const double t = var->t0 + 0.5 * var->h;
    phx_status status = PHX_OK;

    for (int k = 0; k < system->control.n && !status; k++) {
        const int c = system->control.order[k];
        const controller_slot *slot = &system->control.slot[c];
        const double *z0 = ws->step.x0 + slot->x, *of[4];
        if (phx_block_sample_time(slot->block) > 0.0)
            continue;
        for (int j = 0; j < slot->n_inputs; j++)
            ws->control.y[j] = phx_sys_measure(ws, &slot->inputs[j]);
        map_parts(var, var->control->interval, c, of);
        status =
            phx_block_linearise_interval(slot->block, var->context, t, var->h, z0, ws->control.y, ws->control.room[c],
                                         (double *)of[0], (double *)of[1], (double *)of[2], (double *)of[3]);
        if (!status)
            status = phx_block_sides(slot->block, var->context, t, var->h, z0, ws->control.y, ws->control.room[c],
                                     var->control->side + slot->first_output);
    }
    return status;
}

/* forward -= (P^T e_i) (du_i/dm) V_m, u by the measures through all controllers. */
void phx_var_control_couple(phx_variation *var)
{
    const phx_system *system = var->system;
    const control_work *work = &var->ws->control;
    varied_controls *control = var->control;
    const int measures = system->control.n_measures;
    double *m = control->m, *u = control->u, *z = control->copy;

    for (int row = 0; row < measures; row++) {
        memset(m, 0, (size_t)measures * sizeof *m);
        memset(z, 0, (size_t)var->n_z * sizeof *z);
        m[row] = 1.0;
        chain_tangent(var, control->interval, false, m, z, u);
        for (int i = 0; i < system->control.n_actuations; i++) {
            const int *at = var->ws->kkt.control_at[i * measures + row];
            const int n = work->first[row + 1] - work->first[row];
            const double *acted = control->acted + control->first_acted[i];
            for (int k = 0; u[i] != 0.0 && k < control->first_acted[i + 1] - control->first_acted[i]; k++)
                for (int j = 0; j < n; j++)
                    var->forward[at[k * n + j]] -= acted[k] * u[i] * control->by_v[work->first[row] + j];
        }
    }
}

/* After the interval has been solved: the maps and the rows. */
phx_status phx_var_control_interval(phx_variation *var)
{
    workspace *ws = var->ws;
    const size_t states = (size_t)var->n_z;
    double *still = var->room[7];

    memcpy(var->control->before, var->x0 + var->system->control.first_x, states * sizeof *var->x0);
    memcpy(var->x0 + var->system->control.first_x, ws->step.x0 + var->system->control.first_x,
           states * sizeof *var->x0); /* samples taken */
    for (int i = 0; i < var->system->control.n_actuations; i++)
        phx_sys_pull_actuation(ws, i, var->control->acted + var->control->first_acted[i]);
    const phx_status status = linearise_blocks(var);
    if (status)
        return status;
    memset(still, 0, (size_t)var->n_v * sizeof *still);
    phx_sys_set_instant(ws, var->x0, still);
    each_gauge(var, start_of_place);
    phx_sys_set_instant(ws, var->x1, still);
    each_gauge(var, end_of_place);
    each_gauge(var, measure_by_differences);
    return PHX_OK;
}

/* rhs += R_u du, u by xi_0 and the states z (of the start) at fixed mean velocity: -P^T e_i du_i. */
void phx_var_control_residual(phx_variation *var, const double *xi0, const double *z0, double *rhs)
{
    varied_controls *control = var->control;

    memset(control->m, 0, (size_t)var->system->control.n_measures * sizeof *control->m);
    add_measures(var, control->by_x, xi0, control->m);
    memcpy(control->copy, z0, (size_t)var->n_z * sizeof *z0);
    chain_tangent(var, control->interval, false, control->m, control->copy, control->u);
    for (int i = 0; i < var->system->control.n_actuations; i++)
        for (int k = 0; k < control->first_acted[i + 1] - control->first_acted[i]; k++)
            rhs[phx_sys_acted_column(&var->ws->ports, &var->system->control.actuations[i], k)] -=
                control->acted[control->first_acted[i] + k] * control->u[i];
}

/* z, of the start, goes to the end with xi_0 and the change of the mean velocity; after phx_var_control_residual. */
void phx_var_control_end(phx_variation *var, const double *dvm, double *z)
{
    varied_controls *control = var->control;

    add_measures(var, control->by_v, dvm, control->m); /* the part of xi_0 is there */
    chain_tangent(var, control->interval, false, control->m, z, control->u);
}

/* The transpose of its part by the mean velocity: to_vm += . a_z stays. */
void phx_var_control_end_adjoint(phx_variation *var, const double *a_z, double *to_vm)
{
    varied_controls *control = var->control;
    double *z = control->copy;

    memcpy(z, a_z, (size_t)var->n_z * sizeof *z);
    memset(control->m, 0, (size_t)var->system->control.n_measures * sizeof *control->m);
    memset(control->u, 0, (size_t)var->system->control.n_actuations * sizeof *control->u);
    chain_adjoint(var, control->interval, false, control->m, z, control->u);
    add_measures_transposed(var, control->by_v, control->m, to_vm);
}

/* The transposes of what xi_0 and the states of the start change in the residual (adjoint eta) and in the states at the
 * end (adjoint a_z, which becomes that at the start). */
void phx_var_control_residual_adjoint(phx_variation *var, const double *eta, double *a_xi0, double *a_z)
{
    varied_controls *control = var->control;

    memset(control->m, 0, (size_t)var->system->control.n_measures * sizeof *control->m);
    for (int i = 0; i < var->system->control.n_actuations; i++) {
        control->u[i] = 0.0;
        for (int k = 0; k < control->first_acted[i + 1] - control->first_acted[i]; k++)
            control->u[i] += control->acted[control->first_acted[i] + k] *
                             eta[phx_sys_acted_column(&var->ws->ports, &var->system->control.actuations[i], k)];
    }
    chain_adjoint(var, control->interval, false, control->m, a_z, control->u);
    add_measures_transposed(var, control->by_x, control->m, a_xi0);
}

/* ---- samples ---- */
/* The row of a measure at the start by the configuration and by the velocities. */
static void measure_at_instant(phx_variation *var, const measure *gauge)
{
    const control_work *work = &var->ws->control;
    varied_controls *control = var->control;
    const int first = work->first[gauge->row], n = work->first[gauge->row + 1] - first;
    const size_t bytes = (size_t)n * sizeof(double);

    phx_sys_measure_row(var->ws, gauge);
    if (!phx_sys_measure_is_rate(var->system, gauge)) {
        memcpy(control->at_x + first, work->row + first, bytes);
        memset(control->at_v + first, 0, bytes);
        return;
    }
    memcpy(control->at_v + first, work->row + first, bytes);
    slopes_along(var, gauge, 0.0, false, control->at_x);
    phx_sys_set_instant(var->ws, var->x0, var->v0);
}

/* A, B, C, D of a controller at the start, of a sample or as an instant; what a sample makes of u, for those that read
 * it. */
static phx_status linearise_at_start(phx_variation *var, int c)
{
    const controller_slot *slot = &var->system->control.slot[c];
    workspace *ws = var->ws;
    const int n = phx_block_n(slot->block), delay = phx_block_delay(slot->block);
    const double *z = var->x0 + slot->x, *of[4];
    double *y = ws->control.y, *room = ws->control.room[c], *u = ws->control.u + slot->first_output;
    const bool sampled = phx_block_sample_time(slot->block) > 0.0;

    for (int j = 0; j < slot->n_inputs; j++)
        y[j] = phx_sys_measure(ws, &slot->inputs[j]);
    map_parts(var, var->control->sample, c, of);
    double *A = (double *)of[0], *B = (double *)of[1], *C = (double *)of[2], *D = (double *)of[3];
    phx_status status = sampled ? phx_block_linearise_sample(slot->block, var->context, var->t0, z, y, room, A, B, C, D)
                                : phx_block_linearise(slot->block, var->context, var->t0, z, y, room, A, B, C, D);
    if (!status)
        status = phx_block_sides(slot->block, var->context, var->t0, 0.0, z, y, room,
                                 var->control->side_at + slot->first_output);
    if (status || !sampled || !var->control->due[c])
        return status;
    if (delay > 0) {
        memcpy(u, z + n + slot->n_outputs, (size_t)slot->n_outputs * sizeof *u);
        return PHX_OK;
    }
    memcpy(var->control->copy, z, (size_t)n * sizeof *z);
    return phx_block_take_sample(slot->block, var->context, var->t0, var->control->copy, y, room, u);
}

/* Before the interval is solved: which samples are taken at its start, and their derivatives. */
phx_status phx_var_control_samples(phx_variation *var)
{
    const controller_list *list = &var->system->control;
    varied_controls *control = var->control;
    workspace *ws = var->ws;
    phx_status status = PHX_OK;

    control->any_due = false;
    for (int c = 0; c < list->n; c++) {
        control->due[c] = phx_sys_sample_is_due(&list->slot[c], var->t0);
        control->any_due = control->any_due || control->due[c];
    }
    if (!control->any_due)
        return PHX_OK;
    phx_sys_set_instant(ws, var->x0, var->v0);
    ws->by->clear_efforts(ws);
    status = phx_sys_controllers(ws, var->t0, false);
    for (int k = 0; k < list->n && !status; k++)
        status = linearise_at_start(var, list->order[k]);
    if (!status)
        each_gauge(var, measure_at_instant);
    return status;
}

/* The states at the start, with u held and to come, become those behind the samples; in place. */
void phx_var_control_samples_tangent(phx_variation *var, const double *xi0, const double *dv0, double *z)
{
    const controller_list *list = &var->system->control;
    varied_controls *control = var->control;
    double *y = var->ws->control.y;

    if (!control->any_due)
        return;
    memset(control->m, 0, (size_t)list->n_measures * sizeof *control->m);
    add_measures(var, control->at_x, xi0, control->m);
    add_measures(var, control->at_v, dv0, control->m);
    chain_tangent(var, control->sample, true, control->m, z, control->u);
    for (int k = 0; k < list->n; k++) {
        const int c = list->order[k];
        const controller_slot *slot = &list->slot[c];
        const int out = slot->n_outputs, delay = phx_block_delay(slot->block);
        double *own = z + states_of(var, slot), *held = own + phx_block_n(slot->block);
        if (!control->due[c])
            continue;
        inputs_of(var, c, control->m, control->u, y);
        memmove(held, held + out, (size_t)(delay * out) * sizeof *held);
        map_tangent(var, control->sample, c, false, y, own, held + delay * out);
        memcpy(control->u + slot->first_output, held, (size_t)out * sizeof *held);
    }
}

/* The transpose; to a_xi0 and a_v0 is added. */
void phx_var_control_samples_adjoint(phx_variation *var, double *a_z, double *a_xi0, double *a_v0)
{
    const controller_list *list = &var->system->control;
    varied_controls *control = var->control;
    double *a_y = var->ws->control.y;

    if (!control->any_due)
        return;
    memset(control->m, 0, (size_t)list->n_measures * sizeof *control->m);
    memset(control->u, 0, (size_t)list->n_actuations * sizeof *control->u);
    for (int k = list->n - 1; k >= 0; k--) {
        const int c = list->order[k];
        const controller_slot *slot = &list->slot[c];
        const int out = slot->n_outputs, delay = phx_block_delay(slot->block);
        double *own = a_z + states_of(var, slot), *held = own + phx_block_n(slot->block);
        double *made = control->u + slot->first_output;
        if (!control->due[c])
            continue;
        add_times(out, 1.0, made, held);
        memcpy(made, held + delay * out, (size_t)out * sizeof *made);
        memmove(held + out, held, (size_t)(delay * out) * sizeof *held);
        memset(held, 0, (size_t)out * sizeof *held);
        map_adjoint(var, control->sample, c, false, made, own, a_y);
        memset(made, 0, (size_t)out * sizeof *made);
        add_inputs(var, c, a_y, control->m, control->u);
    }
    chain_adjoint(var, control->sample, true, control->m, a_z, control->u);
    add_measures_transposed(var, control->at_x, control->m, a_xi0);
    add_measures_transposed(var, control->at_v, control->m, a_v0);
}
