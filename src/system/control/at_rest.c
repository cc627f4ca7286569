/* Controllers at rest: what they do where their states have come to rest with the mechanism, for its equilibrium. Over
 * the time `span` (phx_block_rest) a rate that is that of a place is its displacement over the time, so that what
 * integrates a rate is the spring that it would be in a motion. */
#include "system/channels/channels.h"

#include <math.h>
#include <string.h>

int phx_system_resting_controller(const phx_system *system)
{
    for (int c = 0; c < system->control.n; c++) {
        const phx_block *block = system->control.slot[c].block;
        if (phx_block_n(block) > 0 || phx_block_sample_time(block) > 0.0)
            return c;
    }
    return -1;
}

/* Fails for controllers whose rest state is unknown (other programs, FMUs) or that measure forces or accelerations. */
phx_status phx_system_check_rest(phx_context *context, const phx_system *system)
{
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        if (!phx_block_rests(slot->block))
            return phx_fail(context, PHX_ERR_UNSUPPORTED,
                            "controller '%s' is another program or FMU, and what it does at rest only it knows; for "
                            "the equilibrium leave it out and hold what it moves by speed: 0",
                            slot->name);
        for (int k = 0; k < slot->n_inputs; k++)
            if (slot->inputs[k].row < 0 && slot->inputs[k].kind == MEASURE_OUTPUT)
                return phx_fail(context, PHX_ERR_UNSUPPORTED,
                                "controller '%s' measures '%s', which follows forces and accelerations; for an "
                                "equilibrium it may measure places, angles, deformations and rates",
                                slot->name, slot->input_names[k]);
    }
    return PHX_OK;
}

int phx_system_controller_states(const phx_system *system)
{
    return system->n_x - system->control.first_x;
}

bool phx_system_controller_state_flows(const phx_system *system, int state)
{
    for (int c = 0; c < system->control.n; c++) {
        const controller_slot *slot = &system->control.slot[c];
        const int k = system->control.first_x + state - slot->x;
        if (k >= 0 && k < phx_block_n(slot->block) && phx_block_sample_time(slot->block) == 0.0)
            return true;
    }
    return false;
}

int phx_system_controller_offset(const phx_system *system, int k)
{
    return system->control.slot[k].x;
}

phx_rest_states phx_system_rest_states(const phx_dae *dae)
{
    workspace *ws = (workspace *)dae;
    const int first = ws->system->control.first_x;

    return (phx_rest_states){ws->control.rest.on, ws->system->n_x - first, first, &ws->control.rest.span,
                             ws->control.rest.z};
}

/* ---- places ---- */
static bool place_of_actuation(const workspace *ws, const actuation *one, double *place)
{
    const phx_port_view *a = &ws->ports.view[one->a];

    if (one->joint >= 0) {
        *place = phx_sys_coordinate_value(ws, one->joint, one->coordinate, 1);
        return true;
    }
    if (one->b >= 0 || one->load.kind != PHX_LOAD_FORCE || one->load.follower)
        return false;
    const double *direction = ws->control.effort + (size_t)(one - ws->system->control.actuations) * PAIR_SIZE;
    *place = phx_dot(a->dim, direction, a->u1);
    return true;
}

/* If a measurement is the rate of a place or of an angle, sets *place to the value of that place and returns true. */
bool phx_sys_measure_place(const workspace *ws, const measure *gauge, double *place)
{
    if (gauge->kind == MEASURE_RATE) {
        *place = phx_sys_coordinate_value(ws, gauge->joint, gauge->coordinate, 1);
        return true;
    }
    if (gauge->kind == MEASURE_FLOW)
        return place_of_actuation(ws, &ws->system->control.actuations[gauge->actuation], place);
    if (gauge->kind != MEASURE_OUTPUT)
        return false;
    const phx_output_def *def = &ws->system->channels.outputs[gauge->output].def;
    if (def->quantity == PHX_QUANTITY_RATE)
        *place = phx_sys_coordinate_value(ws, def->joint, gauge->component, 1);
    else if (def->quantity == PHX_QUANTITY_VELOCITY && !def->body_frame)
        *place = ws->ports.view[def->port].u1[gauge->component];
    else
        return false;
    return true;
}

void phx_system_rest_from(phx_dae *dae, const double *x)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;

    memset(ws->scratch.velocities, 0, (size_t)ws->kkt.n_v * sizeof(double));
    phx_sys_set_instant(ws, x, ws->scratch.velocities);
    for (int c = 0; c < system->control.n; c++)
        for (int k = 0; k < system->control.slot[c].n_inputs; k++) {
            const measure *gauge = &system->control.slot[c].inputs[k];
            if (gauge->row >= 0 && phx_sys_measure_is_rate(system, gauge))
                (void)phx_sys_measure_place(ws, gauge, &ws->control.rest.place[gauge->row]);
        }
}

/* ---- one controller ---- */
static double measure_at_rest(const workspace *ws, const measure *gauge)
{
    double place;

    if (gauge->row < 0 && gauge->kind != MEASURE_CONTROLLER)
        return 0.0;
    if (gauge->row < 0 || !phx_sys_measure_is_rate(ws->system, gauge))
        return phx_sys_measure(ws, gauge);
    return ws->control.rest.span > 0.0 && phx_sys_measure_place(ws, gauge, &place)
               ? (place - ws->control.rest.place[gauge->row]) / ws->control.rest.span
               : 0.0;
}

/* Output u of controller c in the limit of rest over the time span, its end states z, and their derivatives by all
 * measurements: `rows` for u, rest.by_y for z. */
phx_status phx_sys_controller_at_rest(workspace *ws, int c, double t, double *rows)
{
    const controller_slot *slot = &ws->system->control.slot[c];
    const int n = phx_block_n(slot->block), out = slot->n_outputs, measures = ws->system->control.n_measures;
    const int first = slot->x - ws->system->control.first_x;
    double *z = ws->control.rest.z + first, *by_y = ws->control.rest.by_y + (size_t)first * (size_t)measures;
    double *u = ws->control.u + slot->first_output;
    phx_block_at_rest result = {.z = z, .u = u, .S = ws->control.S, .by_y = ws->control.rest.S};

    for (int k = 0; k < slot->n_inputs; k++)
        ws->control.y[k] = measure_at_rest(ws, &slot->inputs[k]);
    const phx_status status = phx_block_rest(slot->block, ws->base.context, t, ws->control.rest.span,
                                             ws->view.x0 + slot->x, ws->control.y, ws->control.room[c], &result);
    if (status)
        return status;
    phx_sys_control_chain(ws, slot, out, ws->control.S, rows);
    phx_sys_control_chain(ws, slot, n, ws->control.rest.S, by_y);
    for (int i = 0; phx_block_sample_time(slot->block) > 0.0 && i <= phx_block_delay(slot->block); i++) {
        memcpy(z + n + i * out, u, (size_t)out * sizeof *u);
        memcpy(by_y + (size_t)(n + i * out) * (size_t)measures, rows, (size_t)(out * measures) * sizeof *rows);
    }
    return PHX_OK;
}

/* ---- how they follow the mechanism ---- */
/* sum_m dz/dy_m Y_m xi */
double phx_system_rest_follows(const phx_dae *dae, int i, const double *xi)
{
    const workspace *ws = (const workspace *)dae;
    const phx_system *system = ws->system;
    const int measures = system->control.n_measures;
    double sum = 0.0, place;

    for (int c = 0; c < system->control.n; c++)
        for (int k = 0; k < system->control.slot[c].n_inputs; k++) {
            const measure *gauge = &system->control.slot[c].inputs[k];
            const double gain =
                gauge->row < 0 ? 0.0 : ws->control.rest.by_y[(size_t)i * (size_t)measures + (size_t)gauge->row];
            if (gain == 0.0)
                continue;
            const bool is_rate = phx_sys_measure_is_rate(system, gauge);
            if (is_rate && !phx_sys_measure_place(ws, gauge, &place))
                continue;
            for (int j = ws->control.first[gauge->row]; j < ws->control.first[gauge->row + 1]; j++)
                sum += gain * ws->control.row[j] * xi[ws->control.cols[j]] / (is_rate ? ws->control.rest.span : 1.0);
        }
    return sum;
}
