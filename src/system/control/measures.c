/* Measurements of controllers: means over the current interval, or values at an instant, and their derivatives as rows
 * over the velocities that move the ports. The mean of a coordinate is that of its ends, the mean of a rate its
 * increment over the interval, so that the work that a feedback does is that of the scheme. */
#include "system/channels/channels.h"

#include <math.h>
#include <string.h>

/* Returns true if a continuous controller can measure the quantity, because its mean over an interval is defined. */
bool phx_sys_quantity_fits(const phx_system *system, const phx_output_def *def)
{
    const phx_quantity quantity = def->quantity;

    return phx_system_quantity_info(quantity)->measured && (quantity != PHX_QUANTITY_ANGLE || system->dim == 2) &&
           (quantity != PHX_QUANTITY_DEFORMATION || !def->inertial);
}

/* ---- values ---- */
static double joint_rate(const workspace *ws, int j, int c)
{
    const coordinate_slot *coordinate = &ws->system->joints[j].coordinates[c];
    const phx_port_view *a = &ws->ports.view[coordinate->a], *b = &ws->ports.view[coordinate->b];
    double g[PAIR_SIZE];

    return phx_row_rate(&coordinate->row, a, b, g);
}

static double joint_coordinate(const workspace *ws, int j, int c)
{
    return 0.5 * (phx_sys_coordinate_value(ws, j, c, 0) + phx_sys_coordinate_value(ws, j, c, 1));
}

static double component_of(int dim, const double *R, const double *vector, int k)
{
    double local[3];
    phx_rot_apply_transposed(dim, R, vector, local);
    return local[k];
}

static double position(const workspace *ws, const output_slot *output, int k)
{
    const phx_port_view *view = &ws->ports.view[output->def.port];

    if (!output->def.body_frame)
        return 0.5 * (view->u0[k] + view->u1[k]);
    return 0.5 * (component_of(view->dim, view->R0, view->u0, k) + component_of(view->dim, view->R1, view->u1, k));
}

static double deformation(const workspace *ws, const output_slot *output, int k)
{
    const port_slot *port = &ws->system->ports[output->def.port];
    const phx_flex_point *point = &port->port.point;
    double sum = 0.0;

    if (port->body == PHX_GROUND)
        return 0.0;
    const body_slot *slot = &ws->system->bodies[port->body];
    const double *q0 = phx_sys_q(slot, ws->view.x0), *q1 = phx_sys_q(slot, ws->view.x1);
    for (int j = 0; j < point->n; j++)
        sum += point->phi[k * point->n + j] * 0.5 * (q0[point->dof[j]] + q1[point->dof[j]]);
    return sum;
}

/* Mean rate of the angle of the section in the plane; in space w + E theta'. */
static double angular_velocity(const workspace *ws, const output_slot *output, int k)
{
    const phx_port_view *view = &ws->ports.view[output->def.port];
    double E[9], value[3], inertial[3];

    if (view->dim == 2)
        return view->rate[2] * phx_port_atan_quotient(0.0, 0.5 * view->h * view->rate[2]) +
               view->rate[3] * phx_port_atan_quotient(view->theta0[0], view->theta1[0]);
    phx_port_section_turn(view, E);
    phx_rot_apply(3, E, view->rate + 6, value);
    for (int i = 0; i < 3; i++)
        value[i] += view->rate[3 + i];
    phx_rot_apply(3, view->Rm, value, inertial);
    return output->def.body_frame ? value[k] : inertial[k];
}

/* Component k of an output as a mean over the interval, or its value at an instant. */
static double output_value(const workspace *ws, const output_slot *output, int k)
{
    const phx_output_def *def = &output->def;
    const phx_port_view *view = def->port >= 0 ? &ws->ports.view[def->port] : NULL;

    switch (def->quantity) {
    case PHX_QUANTITY_POSITION:
        return position(ws, output, k);
    case PHX_QUANTITY_VELOCITY:
        return def->body_frame ? component_of(view->dim, view->Rm, view->rate, k) : view->rate[k];
    case PHX_QUANTITY_ANGLE: {
        const double *own = ws->system->ports[def->port].port.rotation;
        return 0.5 * (phx_port_angle(view, 0) + phx_port_angle(view, 1)) + atan2(own[2], own[0]);
    }
    case PHX_QUANTITY_ANGULAR_VELOCITY:
        return angular_velocity(ws, output, k);
    case PHX_QUANTITY_DEFORMATION:
        return deformation(ws, output, k);
    case PHX_QUANTITY_COORDINATE:
        return joint_coordinate(ws, def->joint, k);
    default:
        return joint_rate(ws, def->joint, k);
    }
}

/* Value of a measurement over the interval or at the instant: mean of a coordinate, increment over h of a rate,
 * theory 13 (2). */
double phx_sys_measure(const workspace *ws, const measure *gauge)
{
    switch (gauge->kind) {
    case MEASURE_COORDINATE:
        return joint_coordinate(ws, gauge->joint, gauge->coordinate);
    case MEASURE_RATE:
        return joint_rate(ws, gauge->joint, gauge->coordinate);
    case MEASURE_FLOW:
        return ws->control.flow[gauge->actuation];
    case MEASURE_CONTROLLER:
        return ws->control.u[ws->system->control.slot[gauge->controller].first_output + gauge->number];
    default:
        return output_value(ws, &ws->system->channels.outputs[gauge->output], gauge->component);
    }
}

/* ---- derivatives ---- */
bool phx_sys_measure_is_rate(const phx_system *system, const measure *gauge)
{
    if (gauge->kind == MEASURE_OUTPUT)
        return phx_system_quantity_info(system->channels.outputs[gauge->output].def.quantity)->order == 1;
    return gauge->kind == MEASURE_RATE || gauge->kind == MEASURE_FLOW;
}

/* The covectors of both ports (b: -1, one) into the row. */
static void pull_pair(workspace *ws, int m, phx_port_id a, phx_port_id b, const double *g)
{
    double *row = ws->control.row + ws->control.first[m];

    memset(row, 0, (size_t)(ws->control.first[m + 1] - ws->control.first[m]) * sizeof *row);
    phx_sys_pull(ws, a, g, row);
    if (b >= 0)
        phx_sys_pull(ws, b, g + PHX_PORT_MAX, row + ws->ports.count[a]);
}

static void joint_row(workspace *ws, int m, int j, int c)
{
    const coordinate_slot *coordinate = &ws->system->joints[j].coordinates[c];
    double g[PAIR_SIZE] = {0};

    phx_row_covectors(&coordinate->row, &ws->ports.view[coordinate->a], &ws->ports.view[coordinate->b], g,
                      g + PHX_PORT_MAX);
    pull_pair(ws, m, coordinate->a, coordinate->b, g);
}

/* d(R^T u) = R^T du + (R^T u) x dphi */
static void vector_covector(const workspace *ws, const output_slot *output, int k, double *g)
{
    const phx_port_view *view = &ws->ports.view[output->def.port];
    const int dim = view->dim;
    double local[3];

    for (int i = 0; i < dim; i++)
        g[i] = output->def.body_frame ? view->R1[i * dim + k] : (double)(i == k);
    if (!output->def.body_frame || output->def.quantity != PHX_QUANTITY_POSITION)
        return;
    phx_rot_apply_transposed(dim, view->R1, view->u1, local);
    for (int r = 0; r < ws->system->n_rot; r++) {
        double unit[3] = {0}, change[3];
        unit[r] = 1.0;
        phx_vec_x_rot(dim, local, unit, change);
        g[dim + r] = change[k];
    }
}

/* Row of measurement m, the derivative of component k of an output by the velocities of its ports, written to
 * control.row. */
static void output_row(workspace *ws, int m, const output_slot *output, int k)
{
    const phx_output_def *def = &output->def;
    double g[PAIR_SIZE] = {0}, axis[3] = {0};

    if (def->quantity == PHX_QUANTITY_COORDINATE || def->quantity == PHX_QUANTITY_RATE) {
        joint_row(ws, m, def->joint, k);
        return;
    }
    const phx_port_view *view = &ws->ports.view[def->port];
    if (def->quantity == PHX_QUANTITY_DEFORMATION) {
        const port_slot *port = &ws->system->ports[def->port];
        const int rigid = ws->system->dim + ws->system->n_rot, n = port->port.point.n;
        double *row = ws->control.row + ws->control.first[m];
        pull_pair(ws, m, def->port, -1, g);
        for (int j = 0; j < n && port->body != PHX_GROUND; j++)
            row[rigid + j] = port->port.point.phi[k * n + j];
        return;
    }
    if (def->quantity == PHX_QUANTITY_POSITION || def->quantity == PHX_QUANTITY_VELOCITY) {
        vector_covector(ws, output, k, g);
    } else {
        for (int i = 0; i < 3 && view->dim == 3; i++)
            axis[i] = def->body_frame ? (double)(i == k) : view->R1[k * 3 + i];
        phx_sys_turn_covector(view, axis, g);
    }
    pull_pair(ws, m, def->port, -1, g);
}

/* Rates in body axes and angular velocities in space are not rates of a place. */
bool phx_sys_measure_has_place(const phx_system *system, const measure *gauge)
{
    if (gauge->kind == MEASURE_FLOW)
        return system->control.actuations[gauge->actuation].joint >= 0;
    if (gauge->kind != MEASURE_OUTPUT)
        return gauge->kind != MEASURE_CONTROLLER;
    const phx_output_def *def = &system->channels.outputs[gauge->output].def;
    switch (def->quantity) {
    case PHX_QUANTITY_VELOCITY:
        return !def->body_frame;
    case PHX_QUANTITY_ANGULAR_VELOCITY:
        return system->dim == 2;
    default:
        return true;
    }
}

/* By the kind of measure: of a joint, of an actuation or of an output. */
void phx_sys_measure_row(workspace *ws, const measure *gauge)
{
    const phx_system *system = ws->system;

    if (gauge->kind == MEASURE_FLOW && phx_sys_measure_has_place(system, gauge)) {
        const actuation *one = &system->control.actuations[gauge->actuation];
        joint_row(ws, gauge->row, one->joint, one->coordinate);
    } else if (gauge->kind == MEASURE_FLOW) {
        const actuation *one = &system->control.actuations[gauge->actuation];
        pull_pair(ws, gauge->row, one->a, one->b, ws->control.effort + (size_t)gauge->actuation * PAIR_SIZE);
    } else if (gauge->kind == MEASURE_OUTPUT) {
        output_row(ws, gauge->row, &system->channels.outputs[gauge->output], gauge->component);
    } else {
        joint_row(ws, gauge->row, gauge->joint, gauge->coordinate);
    }
}
