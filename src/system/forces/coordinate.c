/* Forces along a free coordinate of a joint: springs, dampers, actuator, end stops, friction. */
#include "forces.h"

#include <math.h>
#include <string.h>

static const coordinate_slot *coordinate_of(const phx_system *system, const force_slot *force)
{
    return &system->joints[force->joint].coordinates[force->coordinate];
}

/* The derivative of the effort f g. At an instant K -= f H + g g^T df/dpsi + g (dg . zeta)^T df/dpsi',  D -= g g^T
 * df/dpsi'. Over an interval psi1 = psi0 + h g . zeta, so h df/dpsi1 adds to df/dpsi' and has no place of its own. */
static void coordinate_add_derivatives(workspace *ws, int pair, const phx_row *row, const phx_port_view *a,
                                       const phx_port_view *b, const double *g, const phx_scalar_result *f)
{
    const int size = phx_port_size(ws->system->dim);
    const double place = ws->view.h == 0.0 ? 2.0 * f->by_end : 0.0, by_rate = f->by_rate + ws->view.h * f->by_end;
    double *H = ws->scratch.block, *block = H + PAIR_SIZE * PAIR_SIZE, zeta[PAIR_SIZE] = {0}, slope[PAIR_SIZE] = {0};

    memcpy(zeta, a->rate, (size_t)size * sizeof *zeta);
    memcpy(zeta + PHX_PORT_MAX, b->rate, (size_t)size * sizeof *zeta);
    const bool curved = phx_row_tangent(row, a, b, H);
    for (int i = 0; i < PAIR_SIZE; i++)
        for (int m = 0; curved && m < PAIR_SIZE; m++)
            slope[m] += zeta[i] * H[i * PAIR_SIZE + m];
    for (int i = 0; i < PAIR_SIZE; i++)
        for (int m = 0; m < PAIR_SIZE; m++)
            block[i * PAIR_SIZE + m] =
                (curved ? f->force * H[i * PAIR_SIZE + m] : 0.0) + place * g[i] * g[m] + by_rate * g[i] * slope[m];
    ws->by->pair_add(ws, pair, -1.0, block);
    if (by_rate == 0.0)
        return;
    for (int i = 0; i < PAIR_SIZE; i++)
        for (int m = 0; m < PAIR_SIZE; m++)
            block[i * PAIR_SIZE + m] = by_rate * g[i] * g[m];
    ws->by->pair_rate_add(ws, pair, -1.0, block);
}

/* Kinetic friction along a coordinate by the joint's current reaction. */
double phx_sys_friction_limit(const workspace *ws, const joint_slot *joint, const coordinate_slot *coordinate)
{
    const phx_coordinate_def *def = &coordinate->def;
    return def->friction.kinetic +
           (def->friction_arm > 0.0 ? def->friction_arm * phx_sys_reaction_force(ws, joint) : 0.0);
}

/* psi' = g . zeta with the covectors g of both ports. */
static double coordinate_covectors(const workspace *ws, const coordinate_slot *coordinate, double *g)
{
    const phx_port_view *a = &ws->ports.view[coordinate->a], *b = &ws->ports.view[coordinate->b];

    return phx_row_rate(&coordinate->row, a, b, g);
}

/* The speed in the direction of slip: of a contact in space two coordinates slip together. */
static double slip_speed(const workspace *ws, const joint_slot *joint, const coordinate_slot *coordinate, double rate)
{
    double speed = coordinate->slip * rate, g[PAIR_SIZE];

    for (int c = 0; c < joint->n_coordinates && joint->contact; c++)
        if (&joint->coordinates[c] != coordinate)
            speed += joint->coordinates[c].slip * coordinate_covectors(ws, &joint->coordinates[c], g);
    return speed;
}

/* The force along the coordinate, with the joint's reaction in its friction. */
static phx_scalar_force acting(const workspace *ws, const joint_slot *joint, const coordinate_slot *coordinate,
                               double rate)
{
    phx_scalar_force along = coordinate->along;

    along.slip = coordinate->slip;
    along.slip_speed = slip_speed(ws, joint, coordinate, rate);
    along.friction.kinetic = phx_sys_friction_limit(ws, joint, coordinate);
    return along;
}

phx_scalar_result phx_sys_coordinate_along(const workspace *ws, int j, int c, double t)
{
    const joint_slot *joint = &ws->system->joints[j];
    const coordinate_slot *coordinate = &joint->coordinates[c];
    const double psi = phx_sys_coordinate_value(ws, j, c, 1);
    double g[PAIR_SIZE];
    const double rate = coordinate_covectors(ws, coordinate, g);
    const phx_scalar_force along = acting(ws, joint, coordinate, rate);
    phx_scalar_result f;

    if (phx_scalar_force_evaluate(NULL, &along, psi, psi, rate, t, &f))
        f = (phx_scalar_result){.force = NAN};
    return f;
}

/* Over an interval: the effort of an actuator at an angle, by the covectors g of the relative angular velocity, whose
 * derivatives are in scratch.block. PHX_ERR_ANALYSIS where it is no number. */
static phx_status add_impulse(workspace *ws, int pair, const coordinate_slot *coordinate, double t, bool linear,
                              const double *g)
{
    const double effort = phx_signal_value(coordinate->along.effort, t);
    const int size = phx_port_size(ws->system->dim);
    double *H = ws->scratch.block;

    if (!isfinite(effort))
        return phx_fail(ws->base.context, PHX_ERR_ANALYSIS, "the effort is %g at t = %g s, expected a finite value",
                        effort, t);
    phx_sys_add_effort(ws, coordinate->a, effort, g);
    phx_sys_add_effort(ws, coordinate->b, effort, g + PHX_PORT_MAX);
    ws->forces.power.supplied += effort * (phx_dot(size, g, ws->ports.view[coordinate->a].rate) +
                                           phx_dot(size, g + PHX_PORT_MAX, ws->ports.view[coordinate->b].rate));
    for (int i = 0; i < PAIR_SIZE * PAIR_SIZE && linear; i++)
        H[i] *= effort;
    if (linear)
        ws->by->pair_add(ws, pair, -1.0, H);
    return PHX_OK;
}

/* Adds the efforts of springs, dampers, actuator, stops and friction along a free coordinate to the ports and their
 * power to the totals. An actuator that is given in time acts by its impulse, not by the covector of the angle,
 * theory 4 (17). */
static phx_status coordinate_evaluate(workspace *ws, int pair, const force_slot *force, double t, bool linear,
                                      double *res)
{
    const joint_slot *joint = &ws->system->joints[force->joint];
    const coordinate_slot *coordinate = coordinate_of(ws->system, force);
    const phx_port_view *a = &ws->ports.view[coordinate->a], *b = &ws->ports.view[coordinate->b];
    const double psi0 = phx_sys_coordinate_value(ws, force->joint, force->coordinate, 0);
    const double psi1 = phx_sys_coordinate_value(ws, force->joint, force->coordinate, 1);
    double g[PAIR_SIZE];
    phx_scalar_result f;

    (void)res;
    const double rate = coordinate_covectors(ws, coordinate, g);
    phx_scalar_force along = acting(ws, joint, coordinate, rate);
    phx_status status = PHX_OK;
    double spin[PAIR_SIZE];
    if (along.effort && phx_row_spin(&coordinate->row, a, b, spin, ws->scratch.block)) {
        status = add_impulse(ws, pair, coordinate, t, linear, spin);
        along.effort = NULL;
    }
    if (!status)
        status = phx_scalar_force_evaluate(ws->base.context, &along, psi0, psi1, rate, t, &f);
    if (!status && ws->forces.load != 1.0 && along.effort) { /* a part of the actuator's effort */
        phx_scalar_force passive = along;
        phx_scalar_result without;
        passive.effort = NULL;
        status = phx_scalar_force_evaluate(ws->base.context, &passive, psi0, psi1, rate, t, &without);
        f.force = ws->forces.load * f.force + (1.0 - ws->forces.load) * without.force;
    }
    if (status)
        return phx_fail_prefix(ws->base.context, status, "joint '%s': ", joint->name);
    phx_sys_add_effort(ws, coordinate->a, f.force, g);
    phx_sys_add_effort(ws, coordinate->b, f.force, g + PHX_PORT_MAX);
    ws->forces.power.supplied += f.supplied;
    ws->forces.power.dissipated += f.dissipated;
    if (linear)
        coordinate_add_derivatives(ws, pair, &coordinate->row, a, b, g, &f);
    return PHX_OK;
}

static double coordinate_energy(const phx_system *system, const force_slot *force, const phx_port_view *a,
                                const phx_port_view *b, const double *x, const double *v)
{
    const coordinate_slot *coordinate = coordinate_of(system, force);
    const double near = coordinate->angle < 0 ? 0.0 : x[coordinate->angle];

    (void)v;
    return phx_scalar_force_energy(&coordinate->along, phx_row_unwrapped(&coordinate->row, a, b, 1, near));
}

/* -(force of the potential) psi', the force at rest being that */
static double coordinate_energy_rate(const workspace *ws, const force_slot *force)
{
    const coordinate_slot *coordinate = coordinate_of(ws->system, force);
    const double psi = phx_sys_coordinate_value(ws, force->joint, force->coordinate, 1);
    phx_scalar_force stored = coordinate->along;
    phx_scalar_result f;
    double g[PAIR_SIZE];

    stored.effort = stored.damper = stored.motor = NULL;
    stored.friction.regularised = 0.0;
    stored.dry = false;
    if (phx_scalar_force_evaluate(NULL, &stored, psi, psi, 0.0, 0.0, &f))
        return 0.0;
    return -f.force * coordinate_covectors(ws, coordinate, g);
}

static bool supplies(const phx_system *system, const force_slot *force)
{
    const phx_coordinate_def *def = &coordinate_of(system, force)->def;
    return def->effort || def->motor;
}

static bool coordinate_dissipates(const phx_system *system, const force_slot *force)
{
    return phx_scalar_force_dissipates(&coordinate_of(system, force)->along);
}

const force_operations phx_sys_force_coordinate = {.noun = "joint",
                                                   .at_ports = true,
                                                   .evaluate = coordinate_evaluate,
                                                   .energy = coordinate_energy,
                                                   .energy_rate = coordinate_energy_rate,
                                                   .supplies = supplies,
                                                   .dissipates = coordinate_dissipates};
