/* How large the energies, places and velocities of a state are, to tell rounding and errors by. */
#include "system/system_internal.h"

#include <math.h>

double phx_sys_radius_of_gyration(const body_slot *slot)
{
    const phx_mass_properties *rest = phx_body_at_rest(slot->body);
    double inertia = 0.0;

    for (int k = 0; k < phx_rotations(phx_body_dim(slot->body)); k++)
        inertia = fmax(inertia, rest->J0[k]);
    return sqrt(inertia / rest->mass);
}

static double norm(int n, const double *a)
{
    return sqrt(phx_sys_dot(n, a, a));
}

static void add_body(const phx_system *system, const body_slot *slot, double gravity, const double *x, const double *v,
                     phx_sizes *sizes)
{
    const int dim = system->dim, n_rot = system->n_rot;
    const phx_mass_properties *rest = phx_body_at_rest(slot->body);
    const double radius = phx_sys_radius_of_gyration(slot), reach = norm(dim, x) + radius;
    double speed = norm(dim, v) + norm(n_rot, v + dim) * radius;

    for (int i = dim + n_rot; i < phx_body_n_v(slot->body); i++)
        speed = fmax(speed, fabs(v[i]));
    sizes->weight += rest->mass * gravity * reach;
    sizes->inertia += rest->mass * reach * reach;
    sizes->reach = fmax(sizes->reach, reach);
    sizes->speed = fmax(sizes->speed, speed);
}

void phx_system_sizes(const phx_system *system, const double *x, const double *v, phx_sizes *sizes)
{
    const double gravity = norm(system->dim, system->gravity);

    *sizes = (phx_sizes){0};
    for (int b = 0; b < system->n_bodies; b++)
        add_body(system, &system->bodies[b], gravity, x + system->bodies[b].x, v + system->bodies[b].v, sizes);
}

bool phx_system_balances(const phx_system *system)
{
    for (int b = 0; b < system->n_bodies; b++)
        if (!phx_body_balances(system->bodies[b].body))
            return false;
    return true;
}
