/* Sampled controllers: at t = k T the controller measures and computes; u is held until the next sample, `delay`
 * samples later where there is a delay. x has its states, u, and u of the samples still to come, oldest first. A sample
 * is taken by the interval that begins at its time, so that a step that is tried again takes it again. */
#include "system/system_internal.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-9; /* of a sampling period */

bool phx_sys_sample_is_due(const controller_slot *slot, double t)
{
    const double sample = phx_block_sample_time(slot->block);
    return sample > 0.0 && fabs(t / sample - round(t / sample)) <= SAME;
}

double phx_sys_op_next_sample(const phx_dae *dae, double t)
{
    const phx_system *system = phx_system_of(dae);
    double next = HUGE_VAL;

    for (int c = 0; c < system->control.n; c++) {
        const double sample = phx_block_sample_time(system->control.slot[c].block);
        if (sample > 0.0)
            next = fmin(next, sample * (floor(t / sample + SAME) + 1.0));
    }
    return next;
}

/* Outputs of any quantity at the instant, and the outputs of continuous controllers, which sampled ones may read. */
static phx_status sampling_look(workspace *ws, double t, const double *x, const double *v)
{
    const phx_status status = phx_system_outputs(&ws->base, t, x, v, ws->control.columns);

    if (status)
        return status;
    phx_sys_set_instant(ws, x, v);
    ws->by->clear_efforts(ws);
    return phx_sys_controllers(ws, t, false);
}

/* Takes the sample of controller c at time t: new states and output in x, with earlier outputs moved on by the
 * delay. */
static phx_status take_one(workspace *ws, int c, double t, double *x)
{
    const phx_system *system = ws->system;
    const controller_slot *slot = &system->control.slot[c];
    const int n = phx_block_n(slot->block), out = slot->n_outputs, delay = phx_block_delay(slot->block);
    double *z = x + slot->x, *held = z + n, *last = held + delay * out;

    for (int k = 0; k < slot->n_inputs; k++) {
        const measure *gauge = &slot->inputs[k];
        ws->control.y[k] = gauge->kind == MEASURE_OUTPUT
                               ? ws->control.columns[system->channels.outputs[gauge->output].first + gauge->component]
                               : phx_sys_measure(ws, gauge);
    }
    memmove(held, held + out, (size_t)(delay * out) * sizeof *held);
    const phx_status status =
        phx_block_take_sample(slot->block, ws->base.context, t, z, ws->control.y, ws->control.room[c], last);
    memcpy(ws->control.u + slot->first_output, held, (size_t)out * sizeof *held);
    return status;
}

/* Takes the samples that are due at time t; x receives the states and held outputs, v is not changed. */
phx_status phx_system_take_samples(phx_dae *dae, double t, double *x, const double *v)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    bool due = false;

    for (int c = 0; c < system->control.n; c++)
        due = due || phx_sys_sample_is_due(&system->control.slot[c], t);
    if (!due)
        return PHX_OK;
    phx_status status = sampling_look(ws, t, x, v);
    for (int k = 0; k < system->control.n && !status; k++) {
        const int c = system->control.order[k];
        if (phx_sys_sample_is_due(&system->control.slot[c], t))
            status = take_one(ws, c, t, x);
    }
    return status;
}

/* ---- the start ---- */
static phx_status hold_all(workspace *ws, double t, double *x, const double *v)
{
    const phx_system *system = ws->system;

    phx_status status = sampling_look(ws, t, x, v);

    for (int k = 0; k < system->control.n && !status; k++) {
        const int c = system->control.order[k];
        const controller_slot *slot = &system->control.slot[c];
        const int n = phx_block_n(slot->block), out = slot->n_outputs, delay = phx_block_delay(slot->block);
        double *held = x + slot->x + n;
        if (phx_block_sample_time(slot->block) == 0.0)
            continue;
        status = take_one(ws, c, t, x);
        for (int i = 0; i < delay && !status; i++)
            memcpy(held + i * out, held + delay * out, (size_t)out * sizeof *held);
        memcpy(ws->control.u + slot->first_output, held, (size_t)out * sizeof *held);
    }
    return status;
}

/* Before its first sample a controller holds the outputs of that sample, with the states before it. */
phx_status phx_system_hold_start(phx_system *system, double t, double *x, const double *v)
{
    double *copy = NULL;
    phx_dae *dae = NULL;
    bool sampled = false;
    phx_status status = PHX_OK;

    for (int c = 0; c < system->control.n; c++)
        sampled = sampled || phx_block_sample_time(system->control.slot[c].block) > 0.0;
    if (!sampled)
        return PHX_OK;
    status = phx_system_dae(system, system->context, &dae);
    copy = status ? NULL : phx_calloc(system->context, (size_t)system->n_x, sizeof *copy);
    if (!status && !copy)
        status = PHX_ERR_MEMORY;
    if (!status) {
        memcpy(copy, x, (size_t)system->n_x * sizeof *copy);
        status = hold_all((workspace *)dae, t, copy, v);
    }
    for (int c = 0; c < system->control.n && !status; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const int at = slot->x + phx_block_n(slot->block);
        const int n =
            phx_block_sample_time(slot->block) > 0.0 ? slot->n_outputs * (1 + phx_block_delay(slot->block)) : 0;
        memcpy(x + at, copy + at, (size_t)n * sizeof *x);
        memcpy(system->start.x + at, copy + at, (size_t)n * sizeof *x);
    }
    phx_free(copy);
    phx_system_dae_destroy(dae);
    return status;
}
