/* How large the energies, places and velocities of a state are, to tell rounding and errors by. */
#include "system/system_internal.h"

#include <math.h>

/* About P, the largest. */
static double radius_of_gyration(int dim, const phx_mass_properties *rest)
{
    const int pairs = dim == 2 ? 1 : 3;
    double inertia = 0.0;

    for (int k = 0; k < pairs; k++)
        inertia = fmax(inertia, rest->J0[k]);
    return sqrt(inertia / rest->mass);
}

static double norm(int n, const double *a)
{
    return sqrt(phx_sys_dot(n, a, a));
}

static void add_body(const phx_system *system, const body_slot *slot, const double *x, const double *v,
                     phx_sizes *sizes)
{
    const int dim = system->dim, n_rot = system->n_rot;
    const phx_mass_properties *rest = phx_body_at_rest(slot->body);
    const double radius = radius_of_gyration(dim, rest), reach = norm(dim, x) + radius;
    double speed = norm(dim, v) + norm(n_rot, v + dim) * radius;

    for (int i = dim + n_rot; i < phx_body_n_v(slot->body); i++)
        speed = fmax(speed, fabs(v[i]));
    sizes->weight += rest->mass * norm(dim, system->gravity) * reach;
    sizes->inertia += rest->mass * reach * reach;
    sizes->reach = fmax(sizes->reach, reach);
    sizes->speed = fmax(sizes->speed, speed);
}

void phx_system_sizes(const phx_system *system, const double *x, const double *v, phx_sizes *sizes)
{
    *sizes = (phx_sizes){0};
    for (int b = 0; b < system->n_bodies; b++)
        add_body(system, &system->bodies[b], x + system->bodies[b].x, v + system->bodies[b].v, sizes);
}

bool phx_system_balances(const phx_system *system)
{
    for (int b = 0; b < system->n_bodies; b++)
        if (!phx_body_balances(system->bodies[b].body))
            return false;
    return true;
}
