/* How large the energies, places and velocities of a state are, to tell rounding and errors by. */
#include "system/forces/forces.h"

#include <math.h>

static inline double radius_of(const int dim, const phx_mass_properties *rest)
{
    const int n_rot = phx_rotations(dim);
    double inertia = 0.0;

    for (int k = 0; k < n_rot; k++)
        inertia = rest->J0[k] > inertia ? rest->J0[k] : inertia;
    return sqrt(inertia / rest->mass);
}

double phx_sys_radius_of_gyration(const body_slot *slot)
{
    return radius_of(phx_body_dim(slot->body), phx_body_at_rest(slot->body));
}

static inline double sizes_norm(int n, const double *a)
{
    return sqrt(phx_dot(n, a, a));
}

/* Adds the scales of one body to *sizes: weight times distance and moment of inertia are summed, reach and speed are
 * maxima. */
static inline void add_body(const int dim, const body_slot *slot, double gravity, const double *x, const double *v,
                            phx_sizes *sizes)
{
    const int n_rot = phx_rotations(dim), n_v = phx_body_n_v(slot->body);
    const phx_mass_properties *rest = phx_body_at_rest(slot->body);
    const double radius = radius_of(dim, rest), reach = sizes_norm(dim, x) + radius;
    double speed = sizes_norm(dim, v) + sizes_norm(n_rot, v + dim) * radius;

    for (int i = dim + n_rot; i < n_v; i++)
        speed = fabs(v[i]) > speed ? fabs(v[i]) : speed;
    sizes->weight += rest->mass * gravity * reach;
    sizes->inertia += rest->mass * reach * reach;
    sizes->reach = reach > sizes->reach ? reach : sizes->reach;
    sizes->speed = speed > sizes->speed ? speed : sizes->speed;
}

void phx_system_sizes(const phx_system *system, const double *x, const double *v, phx_sizes *sizes)
{
    const double gravity = sizes_norm(system->dim, system->gravity);

    *sizes = (phx_sizes){0};
    for (int b = 0; b < system->n_bodies; b++) {
        const body_slot *slot = &system->bodies[b];
        if (system->dim == 2)
            add_body(2, slot, gravity, x + slot->x, v + slot->v, sizes);
        else
            add_body(3, slot, gravity, x + slot->x, v + slot->v, sizes);
    }
}

/* |dV/du| of a force by the places u of its port, a difference over 1e-6 of their size, times that size. */
static double work_over_place(const phx_system *system, const force_slot *force, const double *x, const double *v)
{
    static const double part = 1e-6;
    const force_operations *of = phx_sys_force_of(force);
    phx_port_view a, b = {0}, moved;
    double sum = 0.0, reach = 0.0;

    if (!of->energy || !of->at_ports || force->off)
        return 0.0;
    phx_sys_view_port(system, force->a, x, v, &a);
    if (force->b >= 0)
        phx_sys_view_port(system, force->b, x, v, &b);
    for (int i = 0; i < system->dim; i++)
        reach = fmax(reach, fabs(a.u1[i]));
    const double V = of->energy(system, force, &a, &b, x, v);
    for (int i = 0; i < system->dim && reach > 0.0; i++) {
        moved = a;
        moved.u0[i] = moved.u1[i] = moved.um[i] = a.u1[i] + part * reach;
        sum += fabs(of->energy(system, force, &moved, &b, x, v) - V) / part;
    }
    return sum;
}

double phx_system_force_work(const phx_system *system, const double *x, const double *v)
{
    double sum = 0.0;

    for (int i = 0; i < system->n_forces; i++)
        sum += work_over_place(system, &system->forces[i], x, v);
    return sum;
}

bool phx_system_deforms(const phx_system *system)
{
    for (int b = 0; b < system->n_bodies; b++)
        if (phx_body_deforms(system->bodies[b].body))
            return true;
    return false;
}

bool phx_system_balances(const phx_system *system)
{
    for (int b = 0; b < system->n_bodies; b++)
        if (!phx_body_balances(system->bodies[b].body))
            return false;
    return true;
}
