/* Forces: what all sorts share, springs and loads. */
#include "build.h"

#include <math.h>
#include <string.h>

/* Frees what a force element owns, not the element itself. */
void phx_sys_free_force(force_slot *force)
{
    phx_free(force->name);
    phx_free(force->own);
    phx_law_destroy(force->law);
    phx_signal_destroy(force->damper);
    for (int a = 0; a < 3; a++)
        phx_signal_destroy(force->signal[a]);
    for (int k = 0; k < force->n_points && force->points; k++)
        phx_flex_point_free(&force->points[k]);
    phx_free(force->points);
    for (int k = 0; k < force->n_fields; k++)
        phx_flex_load_free(&force->fields[k]);
    if (force->owns_quadrature) {
        phx_free((double *)force->weights);
        phx_free((double *)force->fractions);
    }
}

/* Takes the signals over, also on failure. Springs have two ports, loads one, distributed loads none
 * (-1). */
static phx_status new_force(phx_system *system, force_kind kind, const char *name, phx_port_id a, phx_port_id b,
                            phx_signal *const *signals, force_slot **out)
{
    phx_status status = phx_sys_open(system);
    const int least_a = kind == FORCE_DISTRIBUTED || kind == FORCE_WIND ? -1 : 0, least_b = kind == FORCE_LINE ? 0 : -1;

    if (!status && !name)
        status = phx_fail_null(system->context, __func__, "the name of a spring or a load");
    if (!status && (a < least_a || b < least_b || a >= system->n_ports || b >= system->n_ports))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "'%s': there is no port %d or %d", name, a, b);
    if (!status)
        status = phx_sys_grow(system->context, (void **)&system->forces, &system->building.cap_forces, system->n_forces,
                              sizeof *system->forces);
    if (status) {
        for (int i = 0; i < 3; i++)
            phx_signal_destroy(signals[i]);
        return status;
    }
    *out = &system->forces[system->n_forces++];
    **out = (force_slot){.kind = kind, .a = a, .b = b, .signal = {signals[0], signals[1], signals[2]}};
    (*out)->name = phx_strdup(system->context, name);
    return (*out)->name ? PHX_OK : PHX_ERR_MEMORY;
}

/* Appends a force element of a kind that acts at the given ports, with `size` zero bytes of its own data; fails for a
 * port that does not exist. */
phx_status phx_sys_new_force(phx_system *system, force_kind kind, const char *name, int n_ports,
                             const phx_port_id *ports, size_t size, force_slot **out)
{
    phx_signal *const none[3] = {NULL, NULL, NULL};

    for (int k = 0; k < n_ports; k++)
        if (ports[k] < 0 || ports[k] >= system->n_ports)
            return phx_fail(system->context, PHX_ERR_ARGUMENT, "'%s': there is no port %d", name ? name : "", ports[k]);
    phx_status status =
        new_force(system, kind, name, n_ports > 0 ? ports[0] : -1, n_ports > 1 ? ports[1] : -1, none, out);
    if (!status && size > 0) {
        (*out)->own = phx_calloc(system->context, 1, size);
        status = (*out)->own ? PHX_OK : PHX_ERR_MEMORY;
    }
    return status;
}

void phx_sys_drop_force(phx_system *system)
{
    phx_sys_free_force(&system->forces[--system->n_forces]);
}

phx_status phx_sys_keep_force(phx_system *system, const force_slot *force, phx_status status)
{
    if (status && force)
        phx_sys_drop_force(system);
    return phx_conclude(system->context, status);
}

double phx_sys_angle_between(const phx_system *system, phx_port_id a, phx_port_id b)
{
    const double *A = system->ports[a].port.rotation, *B = system->ports[b].port.rotation;
    return atan2(A[2], A[0]) - atan2(B[2], B[0]);
}

/* Take back the last force when it turned out wrong. */
static phx_status keep_force(phx_system *system, int before, phx_status status)
{
    if (status && system->n_forces > before)
        phx_sys_free_force(&system->forces[--system->n_forces]);
    return status;
}

/* Adds a spring, damper or actuator along the line between two ports. The law and signals of def become the system's,
 * also after an error. */
phx_status phx_system_add_spring(phx_system *system, const phx_spring_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    const int before = system->n_forces;
    force_slot *force = NULL;
    phx_signal *signals[3] = {def->force, NULL, NULL};
    phx_status status = new_force(system, FORCE_LINE, def->name, def->a, def->b, signals, &force);

    if (force) {
        force->law = def->law;
        force->damper = def->damper;
    } else {
        phx_law_destroy(def->law);
        phx_signal_destroy(def->damper);
    }
    if (!status && (!(def->stiffness >= 0.0) || !(def->damping >= 0.0) || !(def->length >= 0.0) ||
                    !isfinite(def->stiffness + def->damping + def->length)))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT,
                          "stiffness %g, damping %g and length %g must be finite and not negative", def->stiffness,
                          def->damping, def->length);
    if (!status)
        status = phx_damper_check(system->context, def->damper);
    if (status && force)
        status = phx_fail_prefix(system->context, status, "spring '%s': ", def->name);
    if (!status)
        force->spring = (phx_line_spring){.stiffness = def->stiffness,
                                          .damping = def->damping,
                                          .length = def->length,
                                          .force = def->force,
                                          .law = def->law,
                                          .damper = def->damper};
    return phx_conclude(system->context, keep_force(system, before, status));
}

/* Adds a force or torque at a port, with components along the port's axes. The signals of def become the system's, also
 * after an error. */
phx_status phx_system_add_load(phx_system *system, const phx_load_def *def)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    const int before = system->n_forces;
    force_slot *force = NULL;
    phx_status status = new_force(system, FORCE_PORT, def->name, def->port, -1, def->component, &force);

    if (!status)
        status = phx_sys_check_load_directions(system, def);
    if (!status) {
        force->load = (phx_port_load){.kind = def->kind, .follower = def->follower};
        for (int i = 0; i < 3; i++)
            force->load.component[i] = def->component[i];
        memcpy(force->load.rotation, system->ports[def->port].port.rotation, sizeof force->load.rotation);
    }
    return phx_conclude(system->context, keep_force(system, before, status));
}

/* Points of a body that has no source: places of its frames. */
static phx_status place_on_frames(phx_system *system, phx_body_id body, force_slot *force)
{
    const phx_length_point *points;

    force->body = body;
    force->n_points = phx_body_length_points(system->bodies[body].body, &points);
    force->frame_points = points;
    return PHX_OK;
}

/* Points of the quadrature over the length, where the load is taken. */
phx_status phx_sys_place_along(phx_system *system, phx_body_id body, force_slot *force)
{
    const phx_flex_source *source = phx_system_source(system, body);
    phx_status status = PHX_OK;
    int count = 0;

    if (body >= 0 && body < system->n_bodies && phx_body_has_sections(system->bodies[body].body))
        return place_on_frames(system, body, force);
    if (!source || !phx_flex_source_has_sections(source))
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "load '%s': a distributed load acts on a body with sections along a length, as a beam",
                        force->name);
    status = phx_flex_source_quadrature(source, system->context, &count, &force->fractions, &force->weights);
    if (status)
        return status;
    force->body = body;
    force->points = phx_calloc(system->context, (size_t)count, sizeof *force->points);
    if (!force->points)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++) {
        const phx_location location = phx_location_at_fraction(force->fractions[k]);
        status = phx_flex_source_point(source, system->context, &location, &force->points[k]);
        force->n_points += !status;
    }
    return status;
}

phx_status phx_system_add_distributed(phx_system *system, const char *name, phx_body_id body, phx_signal *component[3])
{
    if (!system || !name || !component)
        return phx_fail_null(system ? system->context : NULL, __func__, "system, name or component");
    const int before = system->n_forces;
    force_slot *force = NULL;
    phx_status status = new_force(system, FORCE_DISTRIBUTED, name, -1, -1, component, &force);

    if (!status)
        status = phx_sys_place_along(system, body, force);
    return phx_conclude(system->context, keep_force(system, before, status));
}

/* Adds up to three generalised force fields of a body, each with a factor in time. Fields and factors become the
 * system's, also after an error. */
phx_status phx_system_add_surface_load(phx_system *system, const char *name, phx_body_id body, int count,
                                       phx_flex_load *fields, phx_signal **factors)
{
    phx_signal *signals[3] = {NULL, NULL, NULL};
    const int before = system->n_forces;
    force_slot *force = NULL;

    for (int k = 0; k < count; k++)
        signals[k] = factors[k];
    phx_status status = new_force(system, FORCE_DISTRIBUTED, name, -1, -1, signals, &force);
    if (!status) {
        force->body = body;
        force->n_fields = count;
        memcpy(force->fields, fields, (size_t)count * sizeof *fields);
    } else {
        for (int k = 0; k < count; k++)
            phx_flex_load_free(&fields[k]);
    }
    return phx_conclude(system->context, keep_force(system, before, status));
}
