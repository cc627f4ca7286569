/* Ports and points of bodies and of the ground. */
#include "build.h"

#include <math.h>
#include <string.h>

static phx_status not_finite(const phx_system *system, phx_body_id body)
{
    return phx_fail(system->context, PHX_ERR_ARGUMENT, "'%s': a port's position or rotation is not finite",
                    body == PHX_GROUND ? "ground" : phx_body_name(system->bodies[body].body));
}

/* Directions into a slot. */
static phx_status set_rotation(const phx_system *system, phx_body_id body, const double *rotation, port_slot *slot)
{
    const int size = system->dim * system->dim;

    if (rotation && !phx_sys_all_finite(rotation, size))
        return not_finite(system, body);
    if (rotation)
        memcpy(slot->port.rotation, rotation, (size_t)size * sizeof *rotation);
    return PHX_OK;
}

/* Place and directions into a slot. */
static phx_status set_place(const phx_system *system, phx_body_id body, const double *position, const double *rotation,
                            port_slot *slot)
{
    if (!phx_sys_all_finite(position, system->dim))
        return not_finite(system, body);
    memcpy(slot->port.point.x, position, (size_t)system->dim * sizeof *position);
    return set_rotation(system, body, rotation, slot);
}

static const phx_flex_source *source_of(const phx_system *system, phx_body_id body)
{
    return body == PHX_GROUND ? NULL : system->bodies[body].source;
}

unsigned phx_sys_location_sorts(const phx_system *system, phx_body_id body)
{
    const phx_flex_source *source = source_of(system, body);
    const unsigned own = body == PHX_GROUND ? 0 : phx_body_location_sorts(system->bodies[body].body);
    if (own)
        return own;
    return source ? phx_flex_source_sorts(source) : 1u << PHX_LOCATION_ORIGIN | 1u << PHX_LOCATION_PLACE;
}

/* A location of a body or the ground into an empty slot. */
static phx_status place_at(const phx_system *system, const place_def *def, port_slot *slot)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const phx_flex_source *source = source_of(system, def->body);
    const phx_location *location = &def->location;
    const char *name = def->body == PHX_GROUND ? "ground" : phx_body_name(system->bodies[def->body].body);

    slot->location = *location;
    slot->location.name = NULL;
    const bool knows = def->body != PHX_GROUND && phx_body_location_sorts(system->bodies[def->body].body);
    if (!knows && !source && location->sort != PHX_LOCATION_ORIGIN && location->sort != PHX_LOCATION_PLACE)
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "'%s' does not deform: its points are given by: %s; not by: %s", name,
                        phx_location_sorts_text(phx_sys_location_sorts(system, def->body)).text,
                        phx_location_sorts_text(phx_location_bit(location->sort)).text);
    if (!knows && !source)
        return set_place(system, def->body, location->sort == PHX_LOCATION_PLACE ? location->place : origin,
                         def->rotation, slot);
    phx_status status = knows ? phx_body_locate(system->bodies[def->body].body, system->context, location, &slot->port)
                              : phx_flex_source_point(source, system->context, location, &slot->port.point);
    if (!status)
        status = set_rotation(system, def->body, def->rotation, slot);
    if (!status && location->sort == PHX_LOCATION_NAME) {
        slot->location.name = phx_strdup(system->context, location->name);
        status = slot->location.name ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (status)
        phx_sys_place_free(slot);
    return status && status != PHX_ERR_MEMORY ? phx_fail_prefix(system->context, status, "body '%s': ", name) : status;
}

/* A copy of a point of a flexible body into an empty slot. */
static phx_status place_flex(const phx_system *system, phx_body_id body, const phx_flex_point *point,
                             const double *rotation, port_slot *slot)
{
    const int n_q = body == PHX_GROUND ? 0 : phx_body_n_q(system->bodies[body].body);

    if (point->n > 0 && point->dof[point->n - 1] >= n_q)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "'%s': a port moves with coordinate %d, there are %d",
                        body == PHX_GROUND ? "ground" : phx_body_name(system->bodies[body].body),
                        point->dof[point->n - 1] + 1, n_q);
    phx_status status = set_place(system, body, point->x, rotation, slot);
    return status ? status : phx_flex_point_copy(system->context, system->dim, point, &slot->port.point);
}

phx_status phx_sys_place(const phx_system *system, const place_def *def, port_slot *slot)
{
    *slot = (port_slot){.body = def->body, .location.sort = PHX_LOCATION_SORTS};
    for (int a = 0; a < system->dim; a++)
        slot->port.rotation[a * system->dim + a] = 1.0;
    if (def->point)
        return place_flex(system, def->body, def->point, def->rotation, slot);
    return place_at(system, def, slot);
}

void phx_sys_place_free(port_slot *slot)
{
    phx_body_port_free(&slot->port);
    phx_free((char *)slot->location.name);
    slot->location.name = NULL;
}

/* Adds a port at a place on a body or on the ground; *id is set only on success. */
static phx_status new_port(phx_system *system, const place_def *def, phx_port_id *id)
{
    phx_status status = phx_sys_open(system);

    if (!status && (def->body < PHX_GROUND || def->body >= system->n_bodies))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "port: there is no body %d", def->body);
    if (!status)
        status = phx_sys_grow(system->context, (void **)&system->ports, &system->building.cap_ports, system->n_ports,
                              sizeof *system->ports);
    if (!status)
        status = phx_sys_place(system, def, &system->ports[system->n_ports]);
    if (!status)
        *id = system->n_ports++;
    return status;
}

phx_status phx_system_add_port_at(phx_system *system, phx_body_id body, const phx_location *location,
                                  const double *rotation, phx_port_id *id)
{
    if (!system || !location || !id)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, location or id");
    const place_def def = {.body = body, .location = *location, .rotation = rotation};
    return phx_conclude(system->context, new_port(system, &def, id));
}

phx_status phx_system_add_section_at(phx_system *system, phx_body_id body, const phx_location *location,
                                     phx_port_id *id)
{
    if (!system || !location || !id)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, location or id");
    const bool own = body >= 0 && body < system->n_bodies && phx_body_has_sections(system->bodies[body].body);
    if (!own || location->sort != PHX_LOCATION_FRACTION || !(location->fraction >= 0.0 && location->fraction <= 1.0))
        return phx_system_add_port_at(system, body, location, NULL, id);
    const phx_location end = phx_location_at_fraction(0.0);
    const phx_status status = phx_system_add_port_at(system, body, &end, NULL, id);
    if (!status)
        system->ports[*id].location.fraction = location->fraction;
    return status;
}

phx_status phx_system_add_port(phx_system *system, phx_body_id body, const double *position, const double *rotation,
                               phx_port_id *id)
{
    static const phx_location origin = {.sort = PHX_LOCATION_ORIGIN};
    if (!system || !id)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or id");
    const phx_location location = position ? phx_location_at_place(system->dim, position) : origin;
    return phx_system_add_port_at(system, body, &location, rotation, id);
}

phx_status phx_system_add_beam_port(phx_system *system, phx_body_id body, double s, phx_port_id *id)
{
    if (!system || !id)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or id");
    const phx_location location = phx_location_at_fraction(s);
    return phx_system_add_port_at(system, body, &location, NULL, id);
}

phx_status phx_system_add_flex_port(phx_system *system, phx_body_id body, const phx_flex_point *point,
                                    const double *rotation, phx_port_id *id)
{
    if (!system || !point || !id)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, point or id");
    const place_def def = {.body = body, .point = point, .rotation = rotation};
    return phx_conclude(system->context, new_port(system, &def, id));
}

/* Adds a named point to a body and to the index; fails if the body has a point of that name. */
static phx_status new_point(phx_system *system, const char *name, const place_def *def)
{
    const phx_body_id body = def->body;
    point_slot *slot = NULL;
    phx_status status = phx_sys_open(system);

    if (!status && (body < 0 || body >= system->n_bodies))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "point '%s': there is no body %d", name, body);
    if (!status && phx_system_find_point(system, body, name))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "body '%s' has a point '%s' already",
                          phx_body_name(system->bodies[body].body), name);
    if (!status)
        status = phx_sys_grow(system->context, (void **)&system->points.slot, &system->building.cap_points,
                              system->points.n, sizeof *system->points.slot);
    if (status)
        return status;
    slot = &system->points.slot[system->points.n];
    status = phx_sys_point_index_reserve(system);
    if (!status)
        status = phx_sys_place(system, def, &slot->place);
    slot->name = status ? NULL : phx_strdup(system->context, name);
    if (!status && !slot->name) {
        phx_sys_place_free(&slot->place);
        status = PHX_ERR_MEMORY;
    }
    if (!status)
        phx_sys_point_index_add(system, system->points.n++);
    return status;
}

phx_status phx_system_add_point_at(phx_system *system, phx_body_id body, const char *name, const phx_location *location,
                                   const double *rotation)
{
    if (!system || !name || !location)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, name or location");
    const place_def def = {.body = body, .location = *location, .rotation = rotation};
    return phx_conclude(system->context, new_point(system, name, &def));
}

phx_status phx_system_add_point(phx_system *system, phx_body_id body, const char *name, double s,
                                const double *position, const double *rotation)
{
    if (!system || !name)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or name");
    const bool flexible = body >= 0 && body < system->n_bodies && system->bodies[body].source;
    const phx_location location =
        flexible || !position ? phx_location_at_fraction(s) : phx_location_at_place(system->dim, position);
    return phx_system_add_point_at(system, body, name, &location, flexible ? NULL : rotation);
}

phx_status phx_system_add_flex_point(phx_system *system, phx_body_id body, const char *name,
                                     const phx_flex_point *point, const double *rotation)
{
    if (!system || !name || !point)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, name or point");
    const place_def def = {.body = body, .point = point, .rotation = rotation};
    return phx_conclude(system->context, new_point(system, name, &def));
}
