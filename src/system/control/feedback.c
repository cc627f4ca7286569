/* The controllers of the linearised system: all of them as one state-space system over what they measure. */
#include "system/system_internal.h"

#include <stdio.h>
#include <string.h>

int phx_system_controllers(const phx_system *system)
{
    return system ? system->control.n : 0;
}

const char *phx_system_controller_name(const phx_system *system, int k)
{
    return system && k >= 0 && k < system->control.n ? system->control.slot[k].name : NULL;
}

double phx_system_controller_sample(const phx_system *system, int k)
{
    return system && k >= 0 && k < system->control.n ? phx_block_sample_time(system->control.slot[k].block) : 0.0;
}

void phx_system_initial_controllers(const phx_system *system, double *x)
{
    phx_sys_controllers_start(system, x);
}

/* ---- columns ---- */
enum { CLOSED = 2 }; /* energy of the closed loop and its rate */

static int feedback_columns_of(const controller_slot *slot)
{
    return slot->n_outputs + phx_block_shown(slot->block) + phx_block_stores(slot->block) +
           (phx_block_closes(slot->block) ? CLOSED : 0);
}

int phx_system_controller_columns(const phx_system *system)
{
    int count = 0;
    for (int c = 0; c < system->control.n; c++)
        count += feedback_columns_of(&system->control.slot[c]);
    return count + (phx_sys_is_shaped(system) ? PHX_SYS_SHAPED : 0);
}

static const char *feedback_unit_of(const phx_system *system, const actuation *one)
{
    if (one->joint >= 0)
        return system->joints[one->joint].coordinates[one->coordinate].row.angular ? "N m" : "N";
    return system->forces[one->force].kind == FORCE_PORT && one->load.kind == PHX_LOAD_TORQUE ? "N m" : "N";
}

/* Writes the name of a column of the controllers' results into `buffer` and returns its unit, NULL if that is unknown.
 * The columns stand controller by controller: outputs u1 .., states z1 .., and then, of a controller that shapes the
 * energy of the closed loop (IDA-PBC), that energy H_d and its rate; of another one that stores energy, its energy.
 * Behind all controllers come energy and rate of the closed loop as a whole. */
const char *phx_system_controller_column(const phx_system *system, int column, char *buffer, size_t size)
{
    int c = 0;

    for (; c < system->control.n && column >= feedback_columns_of(&system->control.slot[c]); c++)
        column -= feedback_columns_of(&system->control.slot[c]);
    if (c == system->control.n) {
        snprintf(buffer, size, PHX_SYS_CLOSED_LOOP ".%s", column ? "rate" : "energy");
        return column ? "W" : "J";
    }
    const controller_slot *slot = &system->control.slot[c];
    const int state = column - slot->n_outputs;
    if (state < 0)
        snprintf(buffer, size, "%s.u%d", slot->name, column + 1);
    else if (state < phx_block_shown(slot->block))
        snprintf(buffer, size, "%s.z%d", slot->name, state + 1);
    else if (phx_block_closes(slot->block))
        snprintf(buffer, size, "%s.H_d%s", slot->name, state > phx_block_shown(slot->block) ? "_rate" : "");
    else
        snprintf(buffer, size, "%s.energy", slot->name);
    if (state < 0)
        return feedback_unit_of(system, &system->control.actuations[slot->first_output + column]);
    return state < phx_block_shown(slot->block) ? NULL : state == phx_block_shown(slot->block) ? "J" : "W";
}

/* The measurements of a controller at the current instant, into ws->control.y. */
static void measure_all(workspace *ws, const controller_slot *slot)
{
    for (int k = 0; k < slot->n_inputs; k++)
        ws->control.y[k] = phx_sys_measure(ws, &slot->inputs[k]);
}

const phx_block *phx_system_controller_block(const phx_system *system, int k)
{
    return system->control.slot[k].block;
}

void phx_system_controller_measured(phx_dae *dae, int k, const double *x, const double *v, double *y)
{
    workspace *ws = (workspace *)dae;
    const controller_slot *slot = &ws->system->control.slot[k];

    phx_sys_set_instant(ws, x, v);
    measure_all(ws, slot);
    memcpy(y, ws->control.y, (size_t)slot->n_inputs * sizeof *y);
}

/* Values of the controllers' columns at a state: outputs, states and energies of each, then the energy of the closed
 * loop if controllers shape it. */
phx_status phx_system_controller_values(phx_dae *dae, double t, const double *x, const double *v, double *columns)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;

    if (system->control.n == 0)
        return PHX_OK;
    phx_sys_set_instant(ws, x, v);
    ws->by->clear_efforts(ws);
    const phx_status status = phx_sys_controllers(ws, t, false);
    for (int c = 0; c < system->control.n && !status; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const double *z = x + slot->x;
        const int n = phx_block_shown(slot->block);
        memcpy(columns, ws->control.u + slot->first_output, (size_t)slot->n_outputs * sizeof *columns);
        memcpy(columns + slot->n_outputs, z, (size_t)n * sizeof *columns);
        if (phx_block_stores(slot->block))
            columns[slot->n_outputs + n] = phx_block_energy(slot->block, z);
        if (phx_block_closes(slot->block)) {
            measure_all(ws, slot);
            phx_block_closed_energy(slot->block, t, ws->control.y, columns + slot->n_outputs + n);
        }
        columns += feedback_columns_of(slot);
    }
    return status || !phx_sys_is_shaped(system) ? status : phx_sys_shaped(ws, t, x, v, columns);
}

int phx_system_controller_outputs(const phx_system *system)
{
    return system->control.n_actuations;
}

/* All controllers are evaluated first, since some read others. */
phx_status phx_system_limit_sides(phx_dae *dae, double t, const double *x, const double *v, signed char *side)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;

    memset(side, 0, (size_t)system->control.n_actuations * sizeof *side);
    phx_sys_set_instant(ws, x, v);
    ws->by->clear_efforts(ws);
    phx_status status = phx_sys_controllers(ws, t, false);
    for (int c = 0; c < system->control.n && !status; c++) {
        const controller_slot *slot = &system->control.slot[c];
        if (phx_block_sample_time(slot->block) > 0.0)
            continue;
        measure_all(ws, slot);
        status = phx_block_sides(slot->block, dae->context, t, 0.0, x + slot->x, ws->control.y, ws->control.room[c],
                                 side + slot->first_output);
    }
    return status;
}

void phx_system_hold_sides(const phx_system *system, const signed char *side)
{
    for (int c = 0; c < system->control.n; c++)
        phx_block_hold_sides(system->control.slot[c].block, side ? side + system->control.slot[c].first_output : NULL);
}

/* ---- arrays ---- */
static void feedback_free_names(int count, char **names)
{
    for (int k = 0; names && k < count; k++)
        phx_free(names[k]);
    phx_free(names);
}

void phx_feedback_free(phx_feedback *feedback)
{
    if (!feedback)
        return;
    double *arrays[] = {feedback->Y_q, feedback->Y_v, feedback->A, feedback->B, feedback->C, feedback->D};
    phx_arrays_free(sizeof arrays / sizeof *arrays, arrays);
    feedback_free_names(feedback->n_actuations, feedback->actuations);
    feedback_free_names(feedback->n_actuations, feedback->efforts);
    feedback_free_names(feedback->n_states, feedback->states);
    for (int k = 0; feedback->sampled && k < feedback->n_sampled; k++) {
        phx_free(feedback->sampled[k].A);
        phx_free(feedback->sampled[k].measure);
    }
    phx_free(feedback->sampled);
    phx_free(feedback->left_out);
    phx_free(feedback->continuous);
    *feedback = (phx_feedback){0};
}

static bool is_continuous(const controller_slot *slot)
{
    return phx_block_sample_time(slot->block) == 0.0;
}

/* Allocates and fills the names of actuations and states of the feedback; states are those of continuous
 * controllers. */
static phx_status name_all(phx_context *context, const phx_system *system, phx_feedback *feedback)
{
    int state = 0, acted = 0;
    char name[300];

    feedback->actuations = phx_calloc(context, (size_t)feedback->n_actuations, sizeof *feedback->actuations);
    feedback->efforts = phx_calloc(context, (size_t)feedback->n_actuations, sizeof *feedback->efforts);
    feedback->states = phx_calloc(context, (size_t)feedback->n_states, sizeof *feedback->states);
    feedback->continuous = phx_calloc(context, (size_t)feedback->n_actuations, sizeof *feedback->continuous);
    if (!feedback->actuations || !feedback->efforts || !feedback->states || !feedback->continuous)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        for (int k = 0; k < slot->n_outputs; k++) {
            feedback->continuous[acted] = is_continuous(slot);
            feedback->actuations[acted] = phx_strdup(context, slot->output_names[k]);
            snprintf(name, sizeof name, "%s.u%d", slot->name, k + 1);
            feedback->efforts[acted] = phx_strdup(context, name);
            if (!feedback->actuations[acted] || !feedback->efforts[acted])
                return PHX_ERR_MEMORY;
            acted++;
        }
        for (int k = 0; k < phx_block_n(slot->block) && is_continuous(slot); k++) {
            snprintf(name, sizeof name, "%s.z%d", slot->name, k + 1);
            feedback->states[state] = phx_strdup(context, name);
            if (!feedback->states[state++])
                return PHX_ERR_MEMORY;
        }
    }
    return PHX_OK;
}

static phx_status feedback_create(phx_context *context, const phx_system *system, phx_feedback *feedback)
{
    *feedback = (phx_feedback){
        .n = system->n_v, .n_actuations = system->control.n_actuations, .n_measures = system->control.n_measures};
    for (int c = 0; c < system->control.n; c++)
        feedback->n_states += is_continuous(&system->control.slot[c]) ? phx_block_n(system->control.slot[c].block) : 0;
    const size_t n = (size_t)feedback->n, z = (size_t)feedback->n_states, u = (size_t)feedback->n_actuations,
                 y = (size_t)feedback->n_measures;
    const phx_array arrays[] = {{&feedback->Y_q, y * n}, {&feedback->Y_v, y * n}, {&feedback->A, z * z},
                                {&feedback->B, z * y},   {&feedback->C, u * z},   {&feedback->D, u * y}};
    const phx_status status = phx_arrays_create(context, sizeof arrays / sizeof *arrays, arrays);
    return status ? status : name_all(context, system, feedback);
}

/* ---- matrices ---- */
static void put_measures(workspace *ws, phx_feedback *feedback)
{
    const phx_system *system = ws->system;

    for (int c = 0; c < system->control.n; c++)
        for (int k = 0; k < system->control.slot[c].n_inputs; k++) {
            const measure *one = &system->control.slot[c].inputs[k];
            if (one->row < 0)
                continue;
            double *Y = phx_sys_measure_is_rate(system, one) ? feedback->Y_v : feedback->Y_q;
            phx_sys_measure_row(ws, one);
            for (int j = ws->control.first[one->row]; j < ws->control.first[one->row + 1]; j++)
                Y[(size_t)one->row * (size_t)feedback->n + (size_t)ws->control.cols[j]] += ws->control.row[j];
        }
}

/* row += factor times what measure `one` of a controller is over (z, y): outputs of others are rows of C and D. */
static void add_measure(const phx_system *system, const phx_feedback *feedback, const measure *one, double factor,
                        double *row_z, double *row_y)
{
    if (one->row >= 0)
        row_y[one->row] += factor;
    if (one->kind != MEASURE_CONTROLLER)
        return;
    const int from = system->control.slot[one->controller].first_output + one->number;
    for (int j = 0; j < feedback->n_states; j++)
        row_z[j] += factor * feedback->C[from * feedback->n_states + j];
    for (int j = 0; j < feedback->n_measures; j++)
        row_y[j] += factor * feedback->D[from * feedback->n_measures + j];
}

/* The block's own A, B, C, D into the whole; its states begin at `first`. */
static void feedback_put_block(const phx_system *system, const controller_slot *slot, int first, const double *A,
                               const double *B, const double *C, const double *D, phx_feedback *feedback)
{
    const int n = phx_block_n(slot->block), in = slot->n_inputs, z = feedback->n_states, y = feedback->n_measures;

    for (int i = 0; i < n && is_continuous(slot); i++) {
        memcpy(feedback->A + (first + i) * z + first, A + i * n, (size_t)n * sizeof *A);
        for (int j = 0; j < in; j++)
            add_measure(system, feedback, &slot->inputs[j], B[i * in + j], feedback->A + (first + i) * z,
                        feedback->B + (first + i) * y);
    }
    for (int k = 0; k < slot->n_outputs; k++) {
        const int at = slot->first_output + k;
        if (is_continuous(slot) && n > 0)
            memcpy(feedback->C + at * z + first, C + k * n, (size_t)n * sizeof *C);
        for (int j = 0; j < in; j++)
            add_measure(system, feedback, &slot->inputs[j], D[k * in + j], feedback->C + at * z, feedback->D + at * y);
    }
}

/* Linearises controller c and puts its A, B, C and D into the common state-space system, with states from `first`
 * on. */
static phx_status feedback_add_block(workspace *ws, int c, double t, const double *x, int first, phx_feedback *feedback)
{
    const phx_system *system = ws->system;
    const controller_slot *slot = &system->control.slot[c];
    const size_t n = (size_t)phx_block_n(slot->block), in = (size_t)slot->n_inputs, out = (size_t)slot->n_outputs;
    double *A = phx_calloc(ws->base.context, n * n + n * in + out * n + out * in, sizeof *A);

    if (!A)
        return PHX_ERR_MEMORY;
    double *B = A + n * n, *C = B + n * in, *D = C + out * n;
    for (int k = 0; k < slot->n_inputs; k++)
        ws->control.y[k] = slot->inputs[k].row >= 0 || slot->inputs[k].kind == MEASURE_CONTROLLER
                               ? phx_sys_measure(ws, &slot->inputs[k])
                               : 0.0;
    const phx_status status = phx_block_linearise(slot->block, ws->base.context, t, x + slot->x, ws->control.y,
                                                  ws->control.room[c], A, B, C, D);
    if (!status)
        feedback_put_block(system, slot, first, A, B, C, D, feedback);
    phx_free(A);
    return status;
}

/* ---- sampled controllers ---- */
/* Why the linear model of a sampled controller is unknown, into `text`; false if it is known. */
static bool feedback_unknown(const controller_slot *slot, size_t size, char *text)
{
    if (!phx_block_rests(slot->block)) {
        snprintf(text, size, "controller '%s' is another program, which has no linear model", slot->name);
        return true;
    }
    for (int k = 0; k < slot->n_inputs; k++)
        if (slot->inputs[k].row < 0 && slot->inputs[k].kind == MEASURE_OUTPUT) {
            snprintf(text, size, "controller '%s' measures '%s', which follows forces and accelerations", slot->name,
                     slot->input_names[k]);
            return true;
        }
    return false;
}

/* Appends the sampled controller c, linearised about x, with its connections. */
static phx_status feedback_add_sampled(workspace *ws, int c, double t, const double *x, phx_feedback *feedback)
{
    const phx_system *system = ws->system;
    const controller_slot *slot = &system->control.slot[c];
    const size_t n = (size_t)phx_block_n(slot->block), in = (size_t)slot->n_inputs, out = (size_t)slot->n_outputs;
    phx_feedback_sampled *one = &feedback->sampled[feedback->n_sampled++];

    *one = (phx_feedback_sampled){.period = phx_block_sample_time(slot->block),
                                  .delay = phx_block_delay(slot->block),
                                  .n = (int)n,
                                  .n_inputs = (int)in,
                                  .n_outputs = (int)out,
                                  .first = slot->first_output};
    one->A = phx_calloc(ws->base.context, n * n + n * in + out * n + out * in, sizeof *one->A);
    one->measure = phx_calloc(ws->base.context, 2 * in, sizeof *one->measure);
    if (!one->A || !one->measure)
        return PHX_ERR_MEMORY;
    one->B = one->A + n * n;
    one->C = one->B + n * in;
    one->D = one->C + out * n;
    one->other = one->measure + in;
    for (size_t k = 0; k < in; k++) {
        const measure *gauge = &slot->inputs[k];
        one->measure[k] = gauge->row;
        one->other[k] = gauge->kind == MEASURE_CONTROLLER
                            ? system->control.slot[gauge->controller].first_output + gauge->number
                            : -1;
        ws->control.y[k] = phx_sys_measure(ws, gauge);
    }
    return phx_block_linearise_sample(slot->block, ws->base.context, t, x + slot->x, ws->control.y, ws->control.room[c],
                                      one->A, one->B, one->C, one->D);
}

/* Appends all sampled controllers; none, and the reason, if the linear model of one of them is unknown. */
static phx_status feedback_add_all_sampled(workspace *ws, double t, const double *x, phx_feedback *feedback)
{
    const phx_system *system = ws->system;
    char why[300];
    phx_status status = PHX_OK;

    feedback->sampled = phx_calloc(ws->base.context, (size_t)system->control.n, sizeof *feedback->sampled);
    if (!feedback->sampled)
        return PHX_ERR_MEMORY;
    for (int c = 0; c < system->control.n; c++)
        if (!is_continuous(&system->control.slot[c]) && feedback_unknown(&system->control.slot[c], sizeof why, why)) {
            feedback->left_out = phx_strdup(ws->base.context, why);
            return feedback->left_out ? PHX_OK : PHX_ERR_MEMORY;
        }
    for (int k = 0; k < system->control.n && !status; k++)
        if (!is_continuous(&system->control.slot[system->control.order[k]]))
            status = feedback_add_sampled(ws, system->control.order[k], t, x, feedback);
    return status;
}

/* Linearises all controllers about the configuration x at rest as one state-space system from measurements to
 * actuations. *feedback is empty after an error or without controllers. */
phx_status phx_system_feedback(phx_dae *dae, double t, const double *x, phx_feedback *feedback)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    *feedback = (phx_feedback){0};
    if (system->control.n == 0)
        return PHX_OK;
    status = feedback_create(dae->context, system, feedback);
    memset(ws->step.vm, 0, (size_t)ws->kkt.n_v * sizeof *ws->step.vm);
    if (!status) {
        phx_sys_set_instant(ws, x, ws->step.vm);
        ws->by->clear_efforts(ws);
        status = phx_sys_controllers(ws, t, false); /* u, flows and their efforts */
    }
    if (!status)
        put_measures(ws, feedback);
    for (int k = 0; k < system->control.n && !status; k++) {
        const int c = system->control.order[k];
        int first = 0;
        for (int b = 0; b < c; b++)
            first += is_continuous(&system->control.slot[b]) ? phx_block_n(system->control.slot[b].block) : 0;
        status = feedback_add_block(ws, c, t, x, first, feedback);
    }
    if (!status)
        status = feedback_add_all_sampled(ws, t, x, feedback);
    if (status)
        phx_feedback_free(feedback);
    return phx_conclude(dae->context, status);
}
