/* The table of the sorts of force, and what they share. */
#include "forces.h"

#define POINTER(NAME, name) [FORCE_##NAME] = &phx_sys_force_##name,
static const force_operations *const sorts[FORCE_KINDS] = {PHX_SYS_FORCE_LIST(POINTER)};
#undef POINTER

const force_operations *phx_sys_force_of(const force_slot *force)
{
    return sorts[force->kind];
}

bool phx_sys_force_never(const phx_system *system, const force_slot *force)
{
    (void)system, (void)force;
    return false;
}

bool phx_sys_force_always(const phx_system *system, const force_slot *force)
{
    (void)system, (void)force;
    return true;
}

void phx_sys_add_effort(workspace *ws, phx_port_id id, double alpha, const double *effort)
{
    if (id < 0)
        return;
    double *total = ws->ports.effort + (size_t)id * PHX_PORT_MAX;
    for (int i = 0; i < phx_port_size(ws->system->dim); i++)
        total[i] += alpha * effort[i];
}

void phx_sys_take_part(double part, const phx_load_result *without, phx_load_result *result)
{
    for (int i = 0; i < PAIR_SIZE; i++)
        result->effort[i] = part * result->effort[i] + (1.0 - part) * without->effort[i];
    for (int i = 0; i < PAIR_SIZE * PAIR_SIZE; i++) {
        result->tangent[i] = part * result->tangent[i] + (1.0 - part) * without->tangent[i];
        result->rate_tangent[i] = part * result->rate_tangent[i] + (1.0 - part) * without->rate_tangent[i];
    }
}

void phx_sys_take_result(workspace *ws, int pair, const force_slot *force, bool linear, const phx_load_result *result)
{
    phx_sys_add_effort(ws, force->a, 1.0, result->effort);
    phx_sys_add_effort(ws, force->b, 1.0, result->effort + PHX_PORT_MAX);
    ws->power.supplied += result->supplied;
    ws->power.dissipated += result->dissipated;
    if (linear && result->has_tangent)
        ws->by->pair_add(ws, pair, -1.0, result->tangent);
    if (linear && result->has_rate_tangent)
        ws->by->pair_rate_add(ws, pair, -1.0, result->rate_tangent);
}
