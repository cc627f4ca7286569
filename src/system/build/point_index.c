/* The points of a system by body and name: a table with open addressing over a hash of both. */
#include "system/system_internal.h"

#include <stdint.h>
#include <string.h>

/* FNV-1a of the name, begun with the body. */
static uint64_t hash_of(phx_body_id body, const char *name)
{
    uint64_t hash = (UINT64_C(14695981039346656037) ^ (uint64_t)body) * UINT64_C(1099511628211);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash ^ (hash >> 32);
}

/* The slot that has the point, or the free one where it would stand. The size is a power of two. */
static int slot_of(const phx_system *system, phx_body_id body, const char *name)
{
    const int mask = system->points.index_size - 1;
    int slot = (int)(hash_of(body, name) & (uint64_t)mask);

    for (; system->points.index[slot] > 0; slot = (slot + 1) & mask) {
        const point_slot *point = &system->points.slot[system->points.index[slot] - 1];
        if (point->place.body == body && strcmp(point->name, name) == 0)
            break;
    }
    return slot;
}

static void enter(phx_system *system, int point)
{
    const point_slot *slot = &system->points.slot[point];
    system->points.index[slot_of(system, slot->place.body, slot->name)] = point + 1;
}

/* Doubles the index of points when it is half full, so that one more point can be entered. */
phx_status phx_sys_point_index_reserve(phx_system *system)
{
    if (2 * (system->points.n + 1) <= system->points.index_size)
        return PHX_OK;
    const int size = system->points.index_size ? 2 * system->points.index_size : 16;
    int *wider = phx_calloc(system->context, (size_t)size, sizeof *wider);
    if (!wider)
        return PHX_ERR_MEMORY;
    phx_free(system->points.index);
    system->points.index = wider;
    system->points.index_size = size;
    for (int i = 0; i < system->points.n; i++)
        enter(system, i);
    return PHX_OK;
}

void phx_sys_point_index_add(phx_system *system, int point)
{
    enter(system, point);
}

const phx_body_port *phx_system_find_point(const phx_system *system, phx_body_id body, const char *name)
{
    const int entry = system->points.index_size ? system->points.index[slot_of(system, body, name)] : 0;
    return entry > 0 ? &system->points.slot[entry - 1].place.port : NULL;
}
