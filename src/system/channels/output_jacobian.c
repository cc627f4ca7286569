/* Derivatives of the output columns at a state of rest: how each changes with xi, xi', xi'' and the multipliers. A
 * port's place, frame and section change by P xi, its rate by P xi', its acceleration by P xi''. */
#include <math.h>
#include <string.h>

#include "channels.h"
#include "system/forces/forces.h"

/* ---- vectors at a port ---- */
/* Rows of a vector in inertial components that changes with the port's place: with `body_frame` R^T of it, which with
 * its value u also turns, d(R^T u) = R^T du + (R^T u) x dphi. */
static void vector_jacobian(jacobian_rows *rows, const output_slot *output, jacobian_part part, const double *value)
{
    const phx_system *system = rows->ws->system;
    const phx_port_view *view = &rows->ws->ports.view[output->def.port];
    const int dim = system->dim;
    const bool turned = output->def.body_frame;
    double local[3];

    if (value)
        phx_rot_apply_transposed(dim, view->R1, value, local);
    for (int a = 0; a < dim; a++) {
        double covector[PHX_PORT_MAX] = {0};
        for (int i = 0; i < dim; i++)
            covector[i] = turned ? view->R1[i * dim + a] : (double)(i == a);
        for (int k = 0; k < system->n_rot && turned && value; k++) {
            double unit[3] = {0}, change[3];
            unit[k] = 1.0;
            phx_vec_x_rot(dim, local, unit, change);
            covector[dim + k] = change[a];
        }
        phx_sys_jacobian_add_port(rows, part, rows->row[a], output->def.port, covector);
    }
}

void phx_sys_position_jacobian(jacobian_rows *rows, const output_slot *output)
{
    vector_jacobian(rows, output, JACOBIAN_Q, rows->ws->ports.view[output->def.port].u1);
}

void phx_sys_velocity_jacobian(jacobian_rows *rows, const output_slot *output)
{
    vector_jacobian(rows, output, JACOBIAN_V, NULL);
}

void phx_sys_acceleration_jacobian(jacobian_rows *rows, const output_slot *output)
{
    vector_jacobian(rows, output, JACOBIAN_A, NULL);
}

/* How the deformation R^T (u - r) - x = phi q changes with a coordinate, given in body axes. */
static void deformation_column(jacobian_rows *rows, const output_slot *output, int column, const double *change)
{
    const int dim = rows->ws->system->dim;
    double turned[3];

    phx_rot_apply(dim, rows->ws->ports.view[output->def.port].R1, change, turned);
    for (int a = 0; a < dim; a++)
        phx_sys_jacobian_add(rows, JACOBIAN_Q, rows->row[a], column, output->def.inertial ? turned[a] : change[a]);
}

/* Derivatives of a port's deformation by the coordinates of its body and, for inertial components, by the body's
 * rotation. */
void phx_sys_deformation_jacobian(jacobian_rows *rows, const output_slot *output)
{
    const phx_system *system = rows->ws->system;
    const port_slot *port = &system->ports[output->def.port];
    const phx_flex_point *point = &port->port.point;
    const int dim = system->dim, n = point->n;

    if (port->body == PHX_GROUND)
        return;
    const int turn = system->bodies[port->body].v + dim, first = turn + system->n_rot;
    for (int j = 0; j < n; j++) {
        double phi[3] = {0};
        for (int a = 0; a < dim; a++)
            phi[a] = point->phi[a * n + j];
        deformation_column(rows, output, first + point->dof[j], phi);
    }
    for (int k = 0; k < system->n_rot && output->def.inertial; k++) { /* d(R u) = R (dphi x u + du) */
        double u[3] = {0}, axis[3] = {0}, change[3];
        axis[k] = 1.0;
        phx_sys_port_deformation(rows->ws, output->def.port, u);
        phx_rot_x_vec(dim, axis, u, change);
        deformation_column(rows, output, turn + k, change);
    }
}

/* ---- turns ---- */
/* Of a port that slides, by the rates of its axes, with e1 = d1/|d1|, e2 = n/|n|, n = d2 - (d2 . e1) e1:
 *     about e3: e2 . d1'/|d1|,   about e2: -e3 . d1'/|d1|,   about e1: (e3 . d2' - (d2 . e1) e3 . d1'/|d1|)/|n| */
static void curve_turn(const phx_port_view *view, double *turn)
{
    const int dim = view->dim;
    double e[9], d1[3], d2[3];

    phx_sys_section_frame(view, NULL, e);
    for (int i = 0; i < dim; i++) {
        d1[i] = view->R1[i * dim];
        d2[i] = view->R1[i * dim + 1];
    }
    const double length = sqrt(phx_dot(dim, d1, d1));
    double along = 0.0, across = 0.0;
    for (int i = 0; i < dim; i++) {
        along += d2[i] * e[i * dim];
        across += d2[i] * e[i * dim + 1];
    }
    for (int i = 0; i < dim; i++) {
        if (dim == 2) {
            turn[2 + i] = e[i * 2 + 1] / length;
            continue;
        }
        turn[3 + i] = -along * e[i * 3 + 2] / length / across;
        turn[6 + i] = e[i * 3 + 2] / across;
        turn[PHX_PORT_MAX + 3 + i] = -e[i * 3 + 2] / length;
        turn[2 * PHX_PORT_MAX + 3 + i] = e[i * 3 + 1] / length;
    }
}

/* Turn of a port's section in its own axes, n_rot x PHX_PORT_MAX; in space U^T R (dphi + E dtheta). */
static void section_turn(const workspace *ws, phx_port_id id, double *turn)
{
    const phx_port_view *view = &ws->ports.view[id];
    double U[9], E[9];

    memset(turn, 0, 3 * PHX_PORT_MAX * sizeof *turn);
    if (view->slides) {
        curve_turn(view, turn);
        return;
    }
    if (view->dim == 2) {
        phx_sys_turn_covector(view, NULL, turn);
        return;
    }
    phx_sys_section_frame(view, ws->system->ports[id].port.rotation, U);
    phx_port_section_turn(view, E);
    phx_dense_multiply(true, false, 3, 3, 3, 1.0, U, 3, view->R1, 3, 0.0, turn + 3, PHX_PORT_MAX);
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, turn + 3, PHX_PORT_MAX, E, 3, 0.0, turn + 6, PHX_PORT_MAX);
}

void phx_sys_angle_jacobian(jacobian_rows *rows, const output_slot *output)
{
    double turn[3 * PHX_PORT_MAX];

    section_turn(rows->ws, output->def.port, turn);
    phx_sys_jacobian_add_port(rows, JACOBIAN_Q, rows->row[0], output->def.port, turn);
}

/* Plane: (angle + atan theta)'; space: w + E theta' in body axes, R of it in inertial ones. */
void phx_sys_angular_velocity_jacobian(jacobian_rows *rows, const output_slot *output)
{
    const phx_port_view *view = &rows->ws->ports.view[output->def.port];

    for (int k = 0; k < rows->ws->system->n_rot; k++) {
        double covector[PHX_PORT_MAX] = {0}, axis[3] = {0};
        for (int i = 0; i < 3 && view->dim == 3; i++)
            axis[i] = output->def.body_frame ? (double)(i == k) : view->R1[k * 3 + i];
        phx_sys_turn_covector(view, axis, covector);
        phx_sys_jacobian_add_port(rows, JACOBIAN_V, rows->row[k], output->def.port, covector);
    }
}

/* Quaternion of the section's axes: dq = 1/2 q o (0, omega), omega in the section's axes. */
void phx_sys_attitude_jacobian(jacobian_rows *rows, const output_slot *output)
{
    double turn[3 * PHX_PORT_MAX], q[4];

    section_turn(rows->ws, output->def.port, turn);
    if (rows->ws->system->dim == 2) { /* omega = (0, 0, turn) */
        memcpy(turn + 2 * PHX_PORT_MAX, turn, PHX_PORT_MAX * sizeof *turn);
        memset(turn, 0, PHX_PORT_MAX * sizeof *turn);
    }
    phx_sys_port_attitude(rows->ws, output->def.port, q);
    const double product[4][3] = {{-q[1], -q[2], -q[3]}, {q[0], -q[3], q[2]}, {q[3], q[0], -q[1]}, {-q[2], q[1], q[0]}};
    for (int a = 0; a < 4; a++) {
        double covector[PHX_PORT_MAX] = {0};
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < PHX_PORT_MAX; m++)
                covector[m] += 0.5 * product[a][k] * turn[k * PHX_PORT_MAX + m];
        phx_sys_jacobian_add_port(rows, JACOBIAN_Q, rows->row[a], output->def.port, covector);
    }
}

/* ---- stresses ---- */
/* Row over the stress vector of component k of the output; space: the fibre that is stressed most at the point. */
static void stress_row(const workspace *ws, const output_slot *output, int k, int n, double *row)
{
    const double *axial = output->stress, *moment = output->stress + n, *second = output->stress + 2 * n;
    const double side = k == 0 ? -1.0 : 1.0;

    switch (output->def.quantity) {
    case PHX_QUANTITY_AXIAL_FORCE:
        memcpy(row, axial, (size_t)n * sizeof *row);
        return;
    case PHX_QUANTITY_BENDING_MOMENT:
        memcpy(row, moment + (size_t)k * (size_t)n, (size_t)n * sizeof *row);
        return;
    case PHX_QUANTITY_TORSION:
        memcpy(row, output->stress + 3 * n, (size_t)n * sizeof *row);
        return;
    case PHX_QUANTITY_STRAIN:
        memcpy(row, output->stress + k * n, (size_t)n * sizeof *row);
        return;
    case PHX_QUANTITY_SHEAR_FORCE:
        memcpy(row, output->stress + (4 + k) * n, (size_t)n * sizeof *row);
        return;
    default:
        break;
    }
    for (int part = 0; part < ws->system->dim - 1; part++) {
        const double *m = part ? second : moment;
        const double sign = ws->system->dim == 3 && phx_dot(n, m, ws->bodies.stress) < 0.0 ? -1.0 : 1.0;
        const double factor = side * sign * output->def.fibre[part] / output->def.inertia[part];
        for (int i = 0; i < n; i++)
            row[i] = (part ? row[i] : axial[i] / output->def.area) + factor * m[i];
    }
}

/* Derivatives of section forces and stresses by the coordinates of the body. */
void phx_sys_stress_jacobian(jacobian_rows *rows, const output_slot *output)
{
    workspace *ws = rows->ws;
    const phx_system *system = ws->system;
    const body_slot *slot = &system->bodies[system->ports[output->def.port].body];
    const double *x = ws->view.x1 + slot->x;
    const int n = phx_body_n_stress(slot->body), n_v = phx_body_n_v(slot->body);
    double *row = phx_calloc(ws->base.context, (size_t)n, sizeof *row);
    double *row_v = phx_calloc(ws->base.context, (size_t)n_v, sizeof *row_v);

    if (!row || !row_v)
        rows->status = PHX_ERR_MEMORY;
    for (int k = 0; k < output->count && !rows->status; k++) {
        phx_body_stress(slot->body, x, ws->bodies.stress);
        stress_row(ws, output, k, n, row);
        phx_body_stress_derivative(slot->body, x, row, row_v);
        for (int i = 0; i < n_v; i++)
            phx_sys_jacobian_add(rows, JACOBIAN_Q, rows->row[k], slot->v + i, row_v[i]);
    }
    phx_free(row);
    phx_free(row_v);
}

/* ---- joints ---- */
static void coordinate_jacobian(jacobian_rows *rows, const output_slot *output, jacobian_part part)
{
    const joint_slot *joint = &rows->ws->system->joints[output->def.joint];

    for (int c = 0; c < joint->n_coordinates; c++)
        phx_sys_jacobian_add_coordinate(rows, part, rows->row[c], output->def.joint, c, 1.0);
}

void phx_sys_coordinate_jacobian(jacobian_rows *rows, const output_slot *output)
{
    coordinate_jacobian(rows, output, JACOBIAN_Q);
}

void phx_sys_rate_jacobian(jacobian_rows *rows, const output_slot *output)
{
    coordinate_jacobian(rows, output, JACOBIAN_V);
}

void phx_sys_effort_jacobian(jacobian_rows *rows, const output_slot *output)
{
    const joint_slot *joint = &rows->ws->system->joints[output->def.joint];

    for (int c = 0; c < joint->n_coordinates; c++) {
        const phx_scalar_result f = phx_sys_coordinate_along(rows->ws, output->def.joint, c, 0.0);
        phx_sys_jacobian_add_effort(rows, rows->row[c], output->def.joint, c);
        phx_sys_jacobian_add_coordinate(rows, JACOBIAN_Q, rows->row[c], output->def.joint, c, 2.0 * f.by_end);
        phx_sys_jacobian_add_coordinate(rows, JACOBIAN_V, rows->row[c], output->def.joint, c, f.by_rate);
    }
}

/* Force and torque that A exerts on B by a row of unit multiplier, in inertial components: (g_u | R g_w) of port B, or
 * the opposite of that of port A, with what the changes H of the covector and of R make of it. */
typedef struct wrench_parts {
    double force[3], torque[3];  /* of one row, inertial (plane: torque[0]) */
    double dforce[3][PAIR_SIZE]; /* by the changes of both ports */
    double dtorque[3][PAIR_SIZE];
} wrench_parts;

/* Torque of efforts g on the axes d of a port that slides, d x g, and its changes d x dg + dd x g. */
static void axis_torque(const phx_port_view *view, int side, const double *g, const double *H, wrench_parts *out)
{
    const int dim = view->dim, n_rot = dim == 2 ? 1 : 3;

    for (int axis = 0; axis < dim - 1; axis++) {
        const int first = dim * (axis + 1);
        const double d[3] = {view->R1[axis], view->R1[dim + axis], dim == 3 ? view->R1[2 * dim + axis] : 0.0};
        double sum[3];
        phx_vec_x_vec(dim, d, g + first, sum);
        for (int k = 0; k < n_rot; k++)
            out->torque[k] += sum[k];
        for (int m = 0; m < PAIR_SIZE; m++) {
            double dg[3] = {0}, dd[3] = {0}, part[3];
            for (int i = 0; i < dim; i++) {
                dg[i] = H[(side + first + i) * PAIR_SIZE + m];
                dd[i] = m == side + first + i;
            }
            phx_vec_x_vec(dim, d, dg, sum);
            phx_vec_x_vec(dim, dd, g + first, part);
            for (int k = 0; k < n_rot; k++)
                out->dtorque[k][m] += sum[k] + part[k];
        }
    }
}

/* As reaction() in outputs.c: on port B, or the opposite of that on port A. */
static void wrench_of_row(const workspace *ws, const joint_slot *joint, const phx_row *row, bool at_a,
                          wrench_parts *out)
{
    const phx_port_view *a = &ws->ports.view[joint->a], *b = &ws->ports.view[joint->b], *on = at_a ? a : b;
    const int dim = ws->system->dim, n_rot = ws->system->n_rot, side = at_a ? 0 : PHX_PORT_MAX;
    double both[PAIR_SIZE], g[PHX_PORT_MAX], H[PAIR_SIZE * PAIR_SIZE] = {0};

    memset(out, 0, sizeof *out);
    phx_row_covectors(row, a, b, both, both + PHX_PORT_MAX);
    phx_row_tangent(row, a, b, H);
    for (int i = 0; i < phx_port_size(dim); i++)
        g[i] = at_a ? -both[i] : both[side + i];
    for (int i = 0; i < PAIR_SIZE * PAIR_SIZE && at_a; i++)
        H[i] = -H[i];
    memcpy(out->force, g, (size_t)dim * sizeof *g);
    for (int i = 0; i < dim; i++)
        memcpy(out->dforce[i], H + (side + i) * PAIR_SIZE, sizeof out->dforce[i]);
    if (on->slides) {
        axis_torque(on, side, g, H, out);
        return;
    }
    const double *H_w = H + (side + dim) * PAIR_SIZE;
    if (dim == 2) {
        out->torque[0] = g[2];
        memcpy(out->dtorque[0], H_w, sizeof out->dtorque[0]);
        return;
    }
    phx_rot_apply(3, on->R1, g + dim, out->torque);
    for (int m = 0; m < PAIR_SIZE; m++) { /* d(R tau) = R (dphi x tau + dtau) */
        double change[3], turned[3], unit[3] = {0};
        if (m >= side + dim && m < side + dim + n_rot)
            unit[m - side - dim] = 1.0;
        phx_rot_x_vec(3, unit, g + dim, change);
        for (int i = 0; i < 3; i++)
            change[i] += H_w[i * PAIR_SIZE + m];
        phx_rot_apply(3, on->R1, change, turned);
        for (int i = 0; i < 3; i++)
            out->dtorque[i][m] = turned[i];
    }
}

/* Components of one vector of the reaction along the frame: by the multiplier, and by the changes of the ports. */
static void reaction_vector(jacobian_rows *rows, const output_slot *output, int first, const double *frame,
                            const double *value, double (*change)[PAIR_SIZE], const double *turn, int row_of_system,
                            double lambda)
{
    const joint_slot *joint = &rows->ws->system->joints[output->def.joint];
    const int dim = rows->ws->system->dim, n_rot = rows->ws->system->n_rot;
    double local[3];

    phx_rot_apply_transposed(dim, frame, value, local);
    for (int i = 0; i < dim; i++) {
        double covector[PAIR_SIZE] = {0};
        for (int m = 0; m < PAIR_SIZE; m++)
            for (int a = 0; a < dim; a++)
                covector[m] += lambda * frame[a * dim + i] * change[a][m];
        for (int k = 0; k < n_rot; k++) { /* d(U^T f) = (U^T f) x turn */
            double unit[3] = {0}, turned[3];
            unit[k] = 1.0;
            phx_vec_x_rot(dim, local, unit, turned);
            for (int m = 0; m < PHX_PORT_MAX; m++)
                covector[m] += lambda * turned[i] * turn[k * PHX_PORT_MAX + m];
        }
        phx_sys_jacobian_add(rows, JACOBIAN_L, rows->row[first + i], row_of_system, local[i]);
        phx_sys_jacobian_add_port(rows, JACOBIAN_Q, rows->row[first + i], joint->a, covector);
        phx_sys_jacobian_add_port(rows, JACOBIAN_Q, rows->row[first + i], joint->b, covector + PHX_PORT_MAX);
    }
}

/* Derivatives of a joint's reaction by its multipliers and, at fixed multipliers, by the configuration, in the
 * section's frame or inertial. */
void phx_sys_reaction_jacobian(jacobian_rows *rows, const output_slot *output)
{
    const workspace *ws = rows->ws;
    const joint_slot *joint = &ws->system->joints[output->def.joint];
    const int dim = ws->system->dim;
    double frame[9], turn[3 * PHX_PORT_MAX] = {0};

    phx_sys_section_frame(&ws->ports.view[joint->a], ws->system->ports[joint->a].port.rotation, frame);
    section_turn(ws, joint->a, turn);
    if (output->def.inertial) {
        memset(turn, 0, sizeof turn);
        for (int i = 0; i < dim * dim; i++)
            frame[i] = i % (dim + 1) == 0 ? 1.0 : 0.0;
    }
    for (int k = 0; k < joint->n_constraints; k++) {
        const int r = joint->first_row + k;
        wrench_parts parts;
        wrench_of_row(ws, joint, &joint->constraints[k], output->def.at_a, &parts);
        reaction_vector(rows, output, 0, frame, parts.force, parts.dforce, turn, r, rows->all[r]);
        if (dim == 3) {
            reaction_vector(rows, output, 3, frame, parts.torque, parts.dtorque, turn, r, rows->all[r]);
            continue;
        }
        phx_sys_jacobian_add(rows, JACOBIAN_L, rows->row[2], r, parts.torque[0]);
        for (int m = 0; m < PAIR_SIZE; m++)
            parts.dtorque[0][m] *= rows->all[r];
        phx_sys_jacobian_add_port(rows, JACOBIAN_Q, rows->row[2], joint->a, parts.dtorque[0]);
        phx_sys_jacobian_add_port(rows, JACOBIAN_Q, rows->row[2], joint->b, parts.dtorque[0] + PHX_PORT_MAX);
    }
}

/* ---- forces ---- */
/* In place of an evaluator while a force is evaluated: it takes the derivatives of the efforts for the rows of an
 * output, instead of a linearisation. */
typedef struct force_taker {
    evaluator by;
    jacobian_rows *rows;
    const output_slot *output;
} force_taker;

/* Adds the derivatives of the force at the output's port, from a block that goes to a linearisation, alpha times: it is
 * that of the efforts with the opposite sign. */
static void take_block(workspace *ws, jacobian_part part, int pair, double alpha, const double *block)
{
    const force_taker *taker = (const force_taker *)(const void *)ws->by;
    const phx_port_id at = taker->output->def.port;
    phx_port_id a, b;

    phx_sys_pair_ports(ws->system, pair, &a, &b);
    for (int i = 0; i < ws->system->dim; i++) {
        double covector[PAIR_SIZE] = {0};
        for (int m = 0; m < PAIR_SIZE; m++)
            covector[m] -= alpha * ((at == a ? block[i * PAIR_SIZE + m] : 0.0) +
                                    (at == b ? block[(PHX_PORT_MAX + i) * PAIR_SIZE + m] : 0.0));
        phx_sys_jacobian_add_port(taker->rows, part, taker->rows->row[i], a, covector);
        if (b >= 0)
            phx_sys_jacobian_add_port(taker->rows, part, taker->rows->row[i], b, covector + PHX_PORT_MAX);
    }
}

static void take_by_place(workspace *ws, int pair, double alpha, const double *block)
{
    take_block(ws, JACOBIAN_Q, pair, alpha, block);
}

static void take_by_rate(workspace *ws, int pair, double alpha, const double *block)
{
    take_block(ws, JACOBIAN_V, pair, alpha, block);
}

/* Derivatives of what a force exerts at a port by places and rates, without those by what controllers do. */
void phx_sys_force_jacobian(jacobian_rows *rows, const output_slot *output)
{
    workspace *ws = rows->ws;
    force_taker taker = {.by = *ws->by, .rows = rows, .output = output};
    const evaluator *own = ws->by;
    const force_slot *force = &ws->system->forces[output->force];

    taker.by.pair_add = take_by_place;
    taker.by.pair_rate_add = take_by_rate;
    ws->by = &taker.by;
    const phx_status status =
        phx_sys_force_of(force)->evaluate(ws, ws->system->n_joints + output->force, force, rows->t, true, NULL);
    ws->by = own;
    if (status && !rows->status)
        rows->status = status;
}
