/* Inputs of a system: what a program around it adds to the effort along a coordinate of a joint, the speed of a drive,
 * a component of a load or the force of a spring, and what is conjugate to each, summed over the steps. */
#include "system/channels/channels.h"

#include <stdio.h>
#include <string.h>

/* ---- by name, in a finalised system ---- */
static bool is_surface_load(const phx_system *system, const entry *found)
{
    return found->kind == ENTRY_LOAD && system->forces[found->index].n_fields > 0;
}

/* An entry of the catalog as an input; false: it is none. */
static bool inputs_place_of(const catalog *list, const entry *found, phx_input_place *place)
{
    const phx_system *system = list->system;

    if (found->kind == ENTRY_LOAD) {
        *place = (phx_input_place){.joint = -1, .force = found->index, .component = found->part};
        return !is_surface_load(system, found);
    }
    if (found->kind != ENTRY_MOTION || list->motions[found->index].joint < 0)
        return false;
    const motion *what = &list->motions[found->index];
    const bool driven = system->joints[what->joint].coordinates[what->coordinate].driven_row >= 0;
    *place = (phx_input_place){
        .joint = what->joint, .component = what->coordinate, .speed = found->part == PART_RATE, .force = -1};
    return found->part == (driven ? PART_RATE : PART_EFFORT);
}

/* Whether the model acts there by itself. */
static bool is_given(const phx_system *system, const phx_input_place *place)
{
    if (place->force >= 0)
        return system->forces[place->force].kind != FORCE_LINE || system->forces[place->force].signal[0];
    const phx_coordinate_def *def = &system->joints[place->joint].coordinates[place->component].def;
    return place->speed ? def->speed != NULL : def->effort != NULL;
}

static phx_status inputs_unknown(const catalog *list, const char *name)
{
    phx_nearest nearest = phx_nearest_to(name);
    phx_input_place place;

    for (int i = 0; i < list->n_entries; i++)
        if (inputs_place_of(list, &list->entries[i], &place))
            phx_nearest_offer(&nearest, list->entries[i].name);
    return phx_fail(list->system->context, PHX_ERR_INPUT,
                    "there is no input '%s'; it can be JOINT.effort, JOINT.rate of a drive, a component of a load, "
                    "LOAD.fx, or SPRING.force%s",
                    name, phx_nearest_hint(&nearest).text);
}

phx_status phx_system_find_input(const phx_system *system, const char *name, phx_input_place *place)
{
    catalog list;
    phx_status status = phx_sys_catalog_create(system, &list);
    const entry *found = status ? NULL : phx_sys_catalog_find(&list, name, true, &status);

    if (!status && (!found || !inputs_place_of(&list, found, place)))
        status = inputs_unknown(&list, name);
    phx_sys_catalog_free(&list);
    return status;
}

/* Lists the names of all inputs that the model itself acts with: actuators, drives and loads. The caller frees the
 * names, also after a failure. */
phx_status phx_system_list_inputs(const phx_system *system, int *count, char ***names)
{
    catalog list;
    phx_input_place place;
    phx_status status = phx_sys_catalog_create(system, &list);

    *count = 0;
    *names = status ? NULL : phx_calloc(system->context, (size_t)list.n_entries, sizeof **names);
    if (!status && !*names)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < list.n_entries && !status; i++) {
        if (!inputs_place_of(&list, &list.entries[i], &place) || !is_given(system, &place))
            continue;
        (*names)[*count] = phx_strdup(system->context, list.entries[i].name);
        status = (*names)[*count] ? PHX_OK : PHX_ERR_MEMORY;
        *count += status == PHX_OK;
    }
    phx_sys_catalog_free(&list);
    return status;
}

void phx_system_input_units(const phx_system *system, const phx_input_place *place, const char **unit,
                            const char **conjugate)
{
    const force_slot *force = place->force >= 0 ? &system->forces[place->force] : NULL;
    bool angular = force && force->kind == FORCE_PORT && force->load.kind == PHX_LOAD_TORQUE;

    if (!force)
        angular = system->joints[place->joint].coordinates[place->component].row.angular;
    const char *effort = angular ? "N.m" : force && force->kind == FORCE_DISTRIBUTED ? "N/m" : "N";
    const char *flow = angular ? "rad/s" : force && force->kind == FORCE_DISTRIBUTED ? "m2/s" : "m/s";
    *unit = place->speed ? flow : effort;
    *conjugate = place->speed ? effort : flow;
}

/* ---- into a system that is not finalised yet ---- */
phx_status phx_system_add_input(phx_system *system, const phx_input_place *place, const phx_signal_input *input)
{
    phx_context *context = system->context;
    input_slot *bigger =
        phx_realloc(context, system->channels.inputs, (size_t)system->channels.n_inputs + 1, sizeof *bigger);
    phx_status status = bigger ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && !system->control.unit)
        status = phx_signal_create_constant(context, 1.0, &system->control.unit);
    if (status)
        return status;
    system->channels.inputs = bigger;
    if (system->building.finalised || place->component < 0 || place->component > 2 ||
        place->joint >= system->n_joints || place->force >= system->n_forces ||
        (place->joint < 0) == (place->force < 0) ||
        (place->joint >= 0 && place->component >= system->joints[place->joint].n_coordinates))
        return phx_fail(context, PHX_ERR_ARGUMENT, "an input of something that is not there");
    if (place->force >= 0) {
        force_slot *force = &system->forces[place->force];
        status = phx_signal_add_input(context, input, &force->signal[place->component]);
        force->load.component[place->component] = force->signal[place->component];
        force->spring.force = force->signal[0];
    } else {
        joint_slot *joint = &system->joints[place->joint];
        phx_coordinate_def *def = &joint->def.coordinate[place->component];
        status = phx_signal_add_input(context, input, place->speed ? &def->speed : &def->effort);
        joint->coordinates[place->component].def = *def;
        joint->coordinates[place->component].along.effort = def->effort;
    }
    if (!status)
        system->channels.inputs[system->channels.n_inputs++] = (input_slot){.place = *place};
    return status;
}

/* ---- what is conjugate to them, over an interval ---- */
static void view_port(const workspace *ws, phx_port_id id, phx_port_view *out)
{
    const phx_system *system = ws->system;
    const port_slot *port = &system->ports[id];

    out->dim = system->dim;
    if (port->body == PHX_GROUND) {
        phx_sys_ground_view(system, port, out);
        return;
    }
    const body_slot *slot = &system->bodies[port->body];
    const phx_body_view view = {.h = ws->view.h,
                                .x0 = ws->view.x0 + slot->x,
                                .x1 = ws->view.x1 + slot->x,
                                .xm = ws->view.xm + slot->x,
                                .v0 = ws->view.v0 + slot->v,
                                .v1 = ws->view.v1 + slot->v,
                                .vm = ws->view.vm + slot->v};
    phx_body_port_view(system->bodies[port->body].body, &port->port, &view, out);
}

/* The rate of a coordinate, of the place of a force. */
static phx_status flow_of(const workspace *ws, const phx_input_place *place, double *flow)
{
    const phx_system *system = ws->system;
    const int size = phx_port_size(system->dim);
    const force_slot *force = place->force >= 0 ? &system->forces[place->force] : NULL;
    const coordinate_slot *coordinate = force ? NULL : &system->joints[place->joint].coordinates[place->component];
    const phx_port_id b = force ? force->b : coordinate->b;
    phx_port_view at_a = {0}, at_b = {0};
    phx_load_result result = {0};
    phx_status status = PHX_OK;

    view_port(ws, force ? force->a : coordinate->a, &at_a);
    if (b >= 0)
        view_port(ws, b, &at_b);
    if (coordinate) {
        if (!phx_row_spin(&coordinate->row, &at_a, &at_b, result.effort, result.tangent))
            phx_row_covectors(&coordinate->row, &at_a, &at_b, result.effort, result.effort + PHX_PORT_MAX);
    } else if (force->kind == FORCE_LINE) {
        const phx_line_spring spring = {.force = system->control.unit};
        status = phx_line_spring_evaluate(ws->base.context, &spring, &at_a, &at_b, 0.0, false, &result);
    } else {
        phx_port_load load = force->load;
        for (int k = 0; k < 3; k++)
            load.component[k] = k == place->component ? system->control.unit : NULL;
        status = phx_port_load_evaluate(ws->base.context, &load, &at_a, 0.0, false, &result);
    }
    *flow = phx_dot(size, result.effort, at_a.rate);
    if (b >= 0)
        *flow += phx_dot(size, result.effort + PHX_PORT_MAX, at_b.rate);
    return status;
}

/* Distributed loads have no conjugate output: the displacement integrated along the body is not computed. */
static bool has_flow(const phx_system *system, const phx_input_place *place)
{
    return place->force < 0 || system->forces[place->force].kind != FORCE_DISTRIBUTED;
}

static int multiplier_of(const workspace *ws, const phx_input_place *place)
{
    const int row = ws->system->joints[place->joint].coordinates[place->component].driven_row;
    return row < 0 ? -1 : ws->rows.multiplier[row];
}

/* Integral over a step h of the quantity conjugate to each input: the rate conjugate to an effort, the multiplier of
 * the drive for a prescribed speed. Written after the ledger entries of the workspace. */
phx_status phx_sys_input_work(workspace *ws, double h, const double *lambda)
{
    const phx_system *system = ws->system;
    double *parts = ws->base.parts + system->ledger.n;
    phx_status status = PHX_OK;

    for (int i = 0; i < system->channels.n_inputs && !status; i++) {
        const phx_input_place *place = &system->channels.inputs[i].place;
        double flow = 0.0;
        if (place->speed) {
            const int k = multiplier_of(ws, place);
            flow = k < 0 ? 0.0 : lambda[k];
        } else if (has_flow(system, place)) {
            status = flow_of(ws, place, &flow);
        }
        parts[i] = h * flow;
    }
    return status;
}

void phx_sys_input_project(workspace *ws, const double *dv)
{
    const phx_system *system = ws->system;
    double *parts = ws->base.parts + system->ledger.n;

    for (int i = 0; i < system->channels.n_inputs; i++) {
        const phx_input_place *place = &system->channels.inputs[i].place;
        const int k = place->speed ? multiplier_of(ws, place) : -1;
        parts[i] = k < 0 ? 0.0 : dv[ws->kkt.n_v + k];
    }
}

/* Quantity conjugate to each input at an instant: the rate conjugate to an effort, the multiplier of the drive for a
 * prescribed speed, zero if the drive is inactive. Distributed loads have none and give zero. */
phx_status phx_system_input_rates(phx_dae *dae, const double *x, const double *v, const double *lambda, double *rates)
{
    workspace *ws = (workspace *)dae;
    const phx_system *system = ws->system;
    phx_status status = PHX_OK;

    phx_sys_point_at(ws, x, v);
    for (int i = 0; i < system->channels.n_inputs && !status; i++) {
        const phx_input_place *place = &system->channels.inputs[i].place;
        rates[i] = 0.0;
        if (place->speed && multiplier_of(ws, place) >= 0)
            rates[i] = lambda[multiplier_of(ws, place)];
        else if (!place->speed && has_flow(system, place))
            status = flow_of(ws, place, &rates[i]);
    }
    return status;
}
