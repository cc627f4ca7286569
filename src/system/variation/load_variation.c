/* How impulses of loads on free components change with the configurations at both ends of an interval: by differences
 * of sixth order of the load at the mean of its port, whose error is rounding. */
#include "variation.h"

#include <math.h>
#include <string.h>

static const double STEP = 1e-3; /* m and rad, with variations of size one */

/* The impulse of a load when its body is moved by s times xi0 and xi1 at the ends (NULL: not moved). */
static void moved_impulse(phx_variation *var, const force_slot *force, double s, const double *xi0, const double *xi1,
                          double *impulse)
{
    const phx_system *system = var->system;
    const port_slot *port = &system->ports[force->a];
    const body_slot *slot = &system->bodies[port->body];
    const int n_x = phx_body_n_x(slot->body);
    double *x0 = var->body_room, *x1 = x0 + n_x, *xm = x1 + n_x;
    phx_port_view view;
    phx_body_view body = {.h = var->h, .x0 = x0, .x1 = x1, .xm = xm};

    memcpy(x0, var->x0 + slot->x, (size_t)n_x * sizeof *x0);
    memcpy(x1, var->x1 + slot->x, (size_t)n_x * sizeof *x1);
    if (xi0)
        phx_body_displace(slot->body, s, xi0 + slot->v, x0);
    if (xi1)
        phx_body_displace(slot->body, s, xi1 + slot->v, x1);
    for (int i = 0; i < n_x; i++)
        xm[i] = 0.5 * (x0[i] + x1[i]);
    body.v0 = var->v0 + slot->v;
    body.v1 = var->v + slot->v;
    body.vm = var->vm + slot->v;
    memset(&view, 0, sizeof view);
    memset(impulse, 0, VARIATION_PER * sizeof *impulse);
    phx_body_port_view(slot->body, &port->port, &body, &view);
    phx_sys_load_impulse(system, force, &view, var->t0, var->h, impulse);
}

/* change += its derivative along (xi0, xi1). */
static void add_change(phx_variation *var, const force_slot *force, const double *xi0, const double *xi1,
                       double *change)
{
    double impulse[VARIATION_PER], size = 0.0;
    const int n_v = var->n_v;

    for (int i = 0; i < n_v; i++) {
        const double a = xi0 ? xi0[i] : 0.0, b = xi1 ? xi1[i] : 0.0;
        size = a * a > size ? a * a : size;
        size = b * b > size ? b * b : size;
    }
    if (size == 0.0)
        return;
    const double step = STEP / sqrt(size);
    for (int q = 0; q < PHX_DIFFERENCE_PLACES; q++) {
        moved_impulse(var, force, phx_difference_place[q] * step, xi0, xi1, impulse);
        for (int k = 0; k < VARIATION_PER; k++)
            change[k] += phx_difference_weight[q] / step * impulse[k];
    }
}

/* Whether a force is a load on the component. */
static bool acts_on(const phx_variation *var, int index, const force_slot *force)
{
    return phx_sys_pushes_freely(var->system, force) &&
           var->system->bodies[var->system->ports[force->a].body].component == index;
}

void phx_var_impulse_tangent(phx_variation *var, int index, const double *xi0, const double *xi1, double *wanted)
{
    double change[VARIATION_PER] = {0.0};

    for (int i = 0; i < var->system->n_forces; i++)
        if (acts_on(var, index, &var->system->forces[i]))
            add_change(var, &var->system->forces[i], xi0, xi1, change);
    for (int k = 0; k < var->components[index].per; k++)
        wanted[k] += change[k];
}

/* Entry by entry of the bodies that loads act on. */
void phx_var_impulse_adjoint(phx_variation *var, int index, const double *by, double *a_xi0, double *a_xi1)
{
    double *unit = var->room[5];

    memset(unit, 0, (size_t)var->n_v * sizeof *unit);
    for (int i = 0; i < var->system->n_forces; i++) {
        const force_slot *force = &var->system->forces[i];
        if (!acts_on(var, index, force))
            continue;
        const body_slot *slot = &var->system->bodies[var->system->ports[force->a].body];
        for (int j = slot->v; j < slot->v + phx_body_n_v(slot->body); j++)
            for (int end = 0; end < 2; end++) {
                double change[VARIATION_PER] = {0.0};
                unit[j] = 1.0;
                add_change(var, force, end ? NULL : unit, end ? unit : NULL, change);
                unit[j] = 0.0;
                (end ? a_xi1 : a_xi0)[j] += phx_dot(var->components[index].per, by, change);
            }
    }
}
