/* Adding bodies, ports, joints, springs and loads to a system. */
#include "system/forces/forces.h"

#include <math.h>
#include <string.h>

phx_pose phx_pose_default(void)
{
    return (phx_pose){.rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}

phx_joint_def phx_joint_def_default(void)
{
    return (phx_joint_def){.name = "joint", .kind = PHX_JOINT_REVOLUTE, .axis = {1.0, 0.0, 0.0}};
}

/* Make room for one more element; the new one is zeroed. */
static phx_status grow(phx_context *context, void **array, int *capacity, int count, size_t size)
{
    if (count == *capacity) {
        const int wider = *capacity ? 2 * *capacity : 8;
        void *bigger = phx_realloc(context, *array, (size_t)wider, size);
        if (!bigger)
            return PHX_ERR_MEMORY;
        *array = bigger;
        *capacity = wider;
    }
    memset((char *)*array + (size_t)count * size, 0, size);
    return PHX_OK;
}

static phx_status open_for_changes(phx_system *system)
{
    return system->finalised || system->invalid
               ? phx_fail(system->context, PHX_ERR_ARGUMENT, "the system is finalised; nothing can be added")
               : PHX_OK;
}

phx_status phx_system_create(phx_context *context, int dim, const double *gravity, phx_system **out)
{
    if (!out)
        return phx_fail_null(context, __func__, "system");
    phx_system *system = NULL;

    *out = NULL;
    if (dim != 2 && dim != 3)
        return phx_fail(context, PHX_ERR_ARGUMENT, "dimension is %d, must be 2 or 3", dim);
    for (int a = 0; gravity && a < dim; a++)
        if (!isfinite(gravity[a]))
            return phx_fail(context, PHX_ERR_ARGUMENT, "gravity: component %d is %g, must be finite", a + 1,
                            gravity[a]);
    system = phx_calloc(context, 1, sizeof *system);
    if (!system)
        return PHX_ERR_MEMORY;
    system->context = context;
    system->dim = dim;
    system->n_rot = dim == 2 ? 1 : 3;
    for (int a = 0; gravity && a < dim; a++)
        system->gravity[a] = gravity[a];
    *out = system;
    return phx_conclude(context, PHX_OK);
}

static void free_coordinate_def(phx_coordinate_def *def)
{
    phx_signal_destroy(def->speed);
    phx_signal_destroy(def->effort);
    phx_signal_destroy(def->motion);
    phx_signal_destroy(def->damper);
    phx_signal_destroy(def->motor);
    phx_law_destroy(def->law);
    def->speed = def->effort = def->motion = def->damper = def->motor = NULL;
    def->law = NULL;
}

static void free_joint(joint_slot *joint)
{
    phx_free(joint->name);
    for (int c = 0; c < PHX_JOINT_MAX_COORDINATES; c++)
        free_coordinate_def(&joint->def.coordinate[c]);
}

static void free_force(force_slot *force)
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

static void free_found(found_before *found)
{
    if (!found)
        return;
    phx_free(found->x_start);
    phx_free(found->redundant);
    phx_free(found);
}

void phx_system_destroy(phx_system *system)
{
    if (!system)
        return;
    phx_sys_workspace_destroy(system->assembly);
    for (int i = 0; i < system->n_ports; i++)
        phx_sys_place_free(&system->ports[i]);
    for (int i = 0; i < system->n_points; i++) {
        phx_sys_place_free(&system->points[i].place);
        phx_free(system->points[i].name);
    }
    for (int i = 0; i < system->n_joints; i++)
        free_joint(&system->joints[i]);
    for (int i = 0; i < system->n_forces; i++)
        free_force(&system->forces[i]);
    for (int i = 0; i < system->n_outputs; i++)
        phx_sys_output_free(&system->outputs[i]);
    phx_sys_controllers_free(system);
    for (int i = 0; i < system->n_bodies; i++) {
        phx_body_destroy(system->bodies[i].body);
        phx_flex_source_destroy(system->bodies[i].source);
    }
    phx_free(system->bodies);
    phx_free(system->ports);
    phx_free(system->points);
    phx_free(system->point_index);
    phx_free(system->joints);
    phx_free(system->forces);
    phx_free(system->rows);
    phx_free(system->components);
    phx_free(system->by_component);
    phx_free(system->ledger);
    phx_free(system->outputs);
    phx_free(system->independent);
    phx_free(system->redundant);
    phx_free(system->x_start);
    for (int k = 0; k < system->n_events; k++)
        phx_free(system->events[k]);
    phx_free(system->events);
    phx_free(system->event_entry);
    phx_free(system->contacts);
    phx_free(system->inputs);
    free_found(system->found);
    phx_free(system);
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static phx_status check_body(const phx_system *system, const phx_body *body, const phx_flex_source *source,
                             const phx_pose *pose)
{
    phx_context *context = system->context;
    const int dim = system->dim;

    for (int b = 0; b < system->n_bodies; b++)
        if (system->bodies[b].body == body)
            return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s' is in the system already", phx_body_name(body));
    if (phx_body_dim(body) != dim)
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s' is not made for dimension %d", phx_body_name(body), dim);
    if (source && phx_flex_source_flex(source) != phx_body_flex(body))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s' is not made of the %s given with it", phx_body_name(body),
                        phx_flex_source_kind(source));
    if (pose && !(all_finite(pose->position, dim) && all_finite(pose->linear, dim) &&
                  all_finite(pose->angular, system->n_rot) &&
                  (dim == 2 ? isfinite(pose->angle) : all_finite(pose->rotation, 9))))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': the pose or the velocity is not finite",
                        phx_body_name(body));
    return PHX_OK;
}

phx_status phx_system_add_body(phx_system *system, phx_body *body, phx_flex_source *source, const phx_pose *pose,
                               phx_body_id *id)
{
    phx_status status = system && body && id
                            ? open_for_changes(system)
                            : phx_fail_null(system ? system->context : NULL, __func__, "system, body or id");

    if (!status)
        status = check_body(system, body, source, pose);
    if (!status)
        status = grow(system->context, (void **)&system->bodies, &system->cap_bodies, system->n_bodies,
                      sizeof *system->bodies);
    if (status) {
        bool mine = false; /* a body that was added before stays */
        for (int b = 0; system && b < system->n_bodies; b++)
            mine = mine || system->bodies[b].body == body;
        if (!mine) {
            phx_body_destroy(body);
            phx_flex_source_destroy(source);
        }
        return status;
    }
    system->bodies[system->n_bodies] =
        (body_slot){.body = body, .source = source, .pose = pose ? *pose : phx_pose_default()};
    *id = system->n_bodies++;
    return phx_conclude(system->context, PHX_OK);
}

static phx_status not_finite(const phx_system *system, phx_body_id body)
{
    return phx_fail(system->context, PHX_ERR_ARGUMENT, "'%s': a port's position or rotation is not finite",
                    body == PHX_GROUND ? "ground" : phx_body_name(system->bodies[body].body));
}

/* Directions into a slot. */
static phx_status set_rotation(const phx_system *system, phx_body_id body, const double *rotation, port_slot *slot)
{
    const int size = system->dim * system->dim;

    if (rotation && !all_finite(rotation, size))
        return not_finite(system, body);
    if (rotation)
        memcpy(slot->port.rotation, rotation, (size_t)size * sizeof *rotation);
    return PHX_OK;
}

/* Place and directions into a slot. */
static phx_status set_place(const phx_system *system, phx_body_id body, const double *position, const double *rotation,
                            port_slot *slot)
{
    if (!all_finite(position, system->dim))
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

static phx_status new_port(phx_system *system, const place_def *def, phx_port_id *id)
{
    phx_status status = open_for_changes(system);

    if (!status && (def->body < PHX_GROUND || def->body >= system->n_bodies))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "port: there is no body %d", def->body);
    if (!status)
        status =
            grow(system->context, (void **)&system->ports, &system->cap_ports, system->n_ports, sizeof *system->ports);
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

static phx_status new_point(phx_system *system, const char *name, const place_def *def)
{
    const phx_body_id body = def->body;
    point_slot *slot = NULL;
    phx_status status = open_for_changes(system);

    if (!status && (body < 0 || body >= system->n_bodies))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "point '%s': there is no body %d", name, body);
    if (!status && phx_system_find_point(system, body, name))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "body '%s' has a point '%s' already",
                          phx_body_name(system->bodies[body].body), name);
    if (!status)
        status = grow(system->context, (void **)&system->points, &system->cap_points, system->n_points,
                      sizeof *system->points);
    if (status)
        return status;
    slot = &system->points[system->n_points];
    status = phx_sys_point_index_reserve(system);
    if (!status)
        status = phx_sys_place(system, def, &slot->place);
    slot->name = status ? NULL : phx_strdup(system->context, name);
    if (!status && !slot->name) {
        phx_sys_place_free(&slot->place);
        status = PHX_ERR_MEMORY;
    }
    if (!status)
        phx_sys_point_index_add(system, system->n_points++);
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

/* Of the frame of a port, in the pose as written of the undeformed body. */
static phx_status rest_attitude(const phx_system *system, const port_slot *port, double *rotation)
{
    const body_slot *slot = &system->bodies[port->body];
    const phx_pose *pose = &slot->pose;
    double attitude[9], *x = NULL;

    phx_attitude_set(system->dim, pose->rotation, pose->angle, attitude);
    phx_attitude_rotation(system->dim, attitude, rotation);
    if (port->port.frame.x == 0)
        return PHX_OK;
    x = phx_calloc(system->context, (size_t)phx_body_n_x(slot->body), sizeof *x);
    if (!x)
        return PHX_ERR_MEMORY;
    phx_body_rest(slot->body, x);
    phx_body_place(slot->body, pose->position, pose->rotation, pose->angle, x);
    phx_attitude_rotation(system->dim, x + port->port.frame.x + system->dim, rotation);
    phx_free(x);
    return PHX_OK;
}

/* Rotation from port B's to port A's directions in the poses as written (dim x dim). PHX_ERR_MEMORY. */
static phx_status relative_in_poses(const phx_system *system, const joint_slot *joint, double *relative)
{
    double frame[2][9], world[9], place;
    const phx_port_id ids[2] = {joint->a, joint->b};

    for (int side = 0; side < 2; side++) {
        const port_slot *port = &system->ports[ids[side]];
        const int dim = system->dim;
        memset(world, 0, sizeof world);
        for (int i = 0; i < dim; i++)
            world[i * dim + i] = 1.0;
        if (port->body != PHX_GROUND) {
            const phx_status status = port->port.slides ? phx_sys_guess_place(system, joint, &place, world)
                                                        : rest_attitude(system, port, world);
            if (status)
                return status;
        }
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                frame[side][i * dim + j] = 0.0;
                for (int k = 0; k < dim; k++)
                    frame[side][i * dim + j] += world[i * dim + k] * port->port.rotation[k * dim + j];
            }
    }
    for (int i = 0; i < system->dim; i++)
        for (int j = 0; j < system->dim; j++) {
            relative[i * system->dim + j] = 0.0;
            for (int k = 0; k < system->dim; k++)
                relative[i * system->dim + j] += frame[0][k * system->dim + i] * frame[1][k * system->dim + j];
        }
    return PHX_OK;
}

static phx_scalar_force along_of(const phx_coordinate_def *def)
{
    return (phx_scalar_force){.stiffness = def->stiffness,
                              .damping = def->damping,
                              .rest = def->rest,
                              .law = def->law,
                              .damper = def->damper,
                              .effort = def->effort,
                              .motor = def->motor,
                              .has_lower = def->has_lower,
                              .has_upper = def->has_upper,
                              .lower = def->lower,
                              .upper = def->upper,
                              .stop = def->stop,
                              .friction = def->friction,
                              .dry = def->friction.regularised == 0.0 &&
                                     (def->friction.kinetic > 0.0 || def->friction_arm > 0.0)};
}

static phx_status check_coordinates(phx_system *system, const phx_joint_def *def, int n)
{
    for (int c = 0; c < n; c++) {
        const phx_coordinate_def *k = &def->coordinate[c];
        const phx_scalar_force along = along_of(k);
        const phx_status status = phx_scalar_force_check(system->context, &along);
        if (status)
            return phx_fail_prefix(system->context, status, "joint '%s': ", def->name);
        if (!(k->friction_arm >= 0.0) || !isfinite(k->friction_arm))
            return phx_fail(
                system->context, PHX_ERR_ARGUMENT,
                "joint '%s': coefficient times arm of its friction is %g; it must be finite and not negative",
                def->name, k->friction_arm);
        if (along.dry && (k->speed || k->motion))
            return phx_fail(system->context, PHX_ERR_UNSUPPORTED,
                            "joint '%s': friction of a coordinate whose motion is prescribed must be regularised",
                            def->name);
        if (!isfinite(k->start) || !isfinite(k->rate))
            return phx_fail(system->context, PHX_ERR_ARGUMENT, "joint '%s': start value or rate is not finite",
                            def->name);
    }
    return PHX_OK;
}

/* A coordinate whose value is prescribed starts on it and is driven at its rate. */
static phx_status prescribe_motions(phx_system *system, phx_joint_def *def)
{
    phx_status status = PHX_OK;
    for (int c = 0; c < def->n_coordinates && !status; c++) {
        phx_coordinate_def *k = &def->coordinate[c];
        phx_signal *motion = k->motion;
        if (!motion)
            continue;
        if (k->speed || k->has_start || k->has_rate)
            return phx_fail(system->context, PHX_ERR_ARGUMENT,
                            "joint '%s': a coordinate with a motion has no speed, start value or rate of its own",
                            def->name);
        k->motion = NULL; /* the derivative owns it */
        k->has_start = true;
        k->start = phx_signal_value(motion, 0.0);
        status = phx_signal_create_derivative(system->context, motion, &k->speed);
    }
    return status;
}

/* The constraints of a joint, and the rows of its coordinates into `coordinates`. */
static phx_status make_rows(phx_system *system, joint_slot *joint, phx_row coordinates[PHX_JOINT_MAX_COORDINATES])
{
    const phx_joint_def *def = &joint->def;
    double relative[9];
    phx_status status = PHX_OK;

    status = relative_in_poses(system, joint, relative);
    if (status)
        return status;
    if (def->has_relative && system->dim == 2) {
        double attitude[3];
        phx_attitude_set(2, NULL, def->relative_angle, attitude);
        phx_attitude_rotation(2, attitude, relative);
    } else if (def->has_relative) {
        memcpy(relative, def->relative, sizeof relative);
    }
    const phx_joint_shape shape = {.kind = def->kind,
                                   .dim = system->dim,
                                   .rotation_a = system->ports[joint->a].port.rotation,
                                   .rotation_b = system->ports[joint->b].port.rotation,
                                   .axis = def->axis,
                                   .axis_b = def->has_axis_b ? def->axis_b : NULL,
                                   .relative = relative};
    status = phx_joint_rows(system->context, &shape, &joint->n_constraints, joint->constraints, &joint->n_coordinates,
                            coordinates);
    return status;
}

phx_status phx_sys_remake_constraints(phx_system *system, joint_slot *joint)
{
    phx_row coordinates[PHX_JOINT_MAX_COORDINATES];

    return make_rows(system, joint, coordinates);
}

/* Relative rotation, rows and coordinates of a joint whose def, name and ports are in place. */
static phx_status make_joint(phx_system *system, joint_slot *joint)
{
    const phx_joint_def *def = &joint->def;
    phx_row coordinates[PHX_JOINT_MAX_COORDINATES];
    phx_status status = PHX_OK;

    status = make_rows(system, joint, coordinates);
    if (status)
        return phx_fail_prefix(system->context, status, "joint '%s': ", def->name);
    if (def->n_coordinates < 0 || def->n_coordinates > joint->n_coordinates)
        return phx_fail(system->context, PHX_ERR_ARGUMENT, "joint '%s': a %s has %d coordinates, %d are given",
                        def->name, phx_joint_kind_name(def->kind), joint->n_coordinates, def->n_coordinates);
    status = check_coordinates(system, def, def->n_coordinates);
    for (int c = 0; c < joint->n_coordinates; c++) {
        const int place = coordinates[c].place; /* between the two ports behind A */
        joint->coordinates[c] = (coordinate_slot){.row = coordinates[c],
                                                  .a = place ? joint->a + 1 : joint->a,
                                                  .b = place ? joint->a + 2 : joint->b,
                                                  .def = def->coordinate[c],
                                                  .driven_row = -1,
                                                  .held_row = -1,
                                                  .stick_row = -1,
                                                  .angle = -1};
        joint->coordinates[c].along = along_of(&def->coordinate[c]);
        system->rubs = system->rubs || def->coordinate[c].friction_arm > 0.0;
    }
    return status ? status : phx_sys_check_joint_directions(system, joint);
}

/* ---- joints that slide ---- */
static phx_status check_slides(const phx_system *system, const phx_joint_def *def)
{
    const phx_joint_info *info = phx_joint_kind_info(def->kind);

    if (!info || !info->slides)
        return PHX_OK;
    if (system->ports[def->a].body == PHX_GROUND)
        return phx_fail(system->context, PHX_ERR_ARGUMENT,
                        "joint '%s': A is the beam or rod that B slides along, the ground is none; exchange the ports",
                        def->name);
    if (def->inactive)
        return phx_fail(system->context, PHX_ERR_UNSUPPORTED,
                        "joint '%s': a joint that slides along a body cannot begin to hold later", def->name);
    return PHX_OK;
}

static void put_port(phx_system *system, phx_body_id body, int place, bool alone)
{
    port_slot *slot = &system->ports[system->n_ports++];

    *slot = (port_slot){.body = body, .location.sort = PHX_LOCATION_SORTS};
    slot->port.slides = place;
    slot->port.place_alone = alone;
    for (int i = 0; i < system->dim; i++)
        slot->port.rotation[i * system->dim + i] = 1.0;
}

/* The body of A has a place more, on which A moves; behind A the ports of that coordinate, the ground and the place. */
enum { SLIDING_PORTS = 3 };
static phx_status let_slide(phx_system *system, joint_slot *joint)
{
    const phx_body_id body = system->ports[joint->a].body;
    body_slot *slot = &system->bodies[body];
    const size_t wider = (size_t)system->n_ports + SLIDING_PORTS;
    port_slot *bigger = phx_realloc(system->context, system->ports, wider, sizeof *bigger);

    if (!bigger)
        return PHX_ERR_MEMORY;
    system->ports = bigger;
    system->cap_ports = (int)wider;
    const phx_status status = phx_body_add_place(system->context, slot->source, &slot->body);
    if (status)
        return phx_fail_prefix(system->context, status, "joint '%s': ", joint->name);
    const int place = phx_body_places(slot->body, NULL, NULL);
    joint->a = system->n_ports;
    put_port(system, body, place, false);
    put_port(system, PHX_GROUND, 0, false);
    put_port(system, body, place, true);
    return PHX_OK;
}

static void stop_sliding(phx_system *system, const joint_slot *joint)
{
    phx_body_drop_place(system->bodies[system->ports[joint->a].body].body);
    system->n_ports -= SLIDING_PORTS;
}

/* Its name and ports, then the rest. */
static phx_status begin_joint(phx_system *system, joint_slot *joint)
{
    const phx_joint_info *info = phx_joint_kind_info(joint->def.kind);
    const bool slides = info && info->slides;
    phx_status status = PHX_OK;

    joint->kind = joint->def.kind;
    joint->a = joint->def.a;
    joint->b = joint->def.b;
    joint->name = phx_strdup(system->context, joint->def.name);
    if (!joint->name)
        return PHX_ERR_MEMORY;
    joint->def.name = joint->name;
    if (slides)
        status = let_slide(system, joint);
    if (status)
        return status;
    status = make_joint(system, joint);
    if (status && slides)
        stop_sliding(system, joint);
    system->slides = system->slides || (slides && !status);
    return status;
}

phx_status phx_system_add_joint(phx_system *system, const phx_joint_def *def, phx_joint_id *id)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    phx_status status = open_for_changes(system);
    joint_slot refused = {.def = *def}, *joint = &refused;

    if (!status && !def->name)
        status = phx_fail_null(system->context, __func__, "the name of a joint");
    if (!status && (def->a < 0 || def->b < 0 || def->a >= system->n_ports || def->b >= system->n_ports))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "joint '%s': there is no port %d or %d", def->name, def->a,
                          def->b);
    if (!status && system->ports[def->a].body == system->ports[def->b].body)
        status =
            phx_fail(system->context, PHX_ERR_ARGUMENT, "joint '%s': both ports belong to the same body", def->name);
    if (!status)
        status = check_slides(system, def);
    if (!status)
        status = grow(system->context, (void **)&system->joints, &system->cap_joints, system->n_joints,
                      sizeof *system->joints);
    if (!status) {
        joint = &system->joints[system->n_joints];
        joint->def = *def;
        status = prescribe_motions(system, &joint->def);
        if (!status)
            status = begin_joint(system, joint);
    }
    if (status) { /* the signals are taken over all the same */
        free_joint(joint);
        return status;
    }
    if (id)
        *id = system->n_joints;
    system->n_joints++;
    return phx_conclude(system->context, PHX_OK);
}

/* Takes the signals over, also on failure. Springs have two ports, loads one, distributed loads none
 * (-1). */
static phx_status new_force(phx_system *system, force_kind kind, const char *name, phx_port_id a, phx_port_id b,
                            phx_signal *const *signals, force_slot **out)
{
    phx_status status = open_for_changes(system);
    const int least_a = kind == FORCE_DISTRIBUTED || kind == FORCE_WIND ? -1 : 0, least_b = kind == FORCE_LINE ? 0 : -1;

    if (!status && !name)
        status = phx_fail_null(system->context, __func__, "the name of a spring or a load");
    if (!status && (a < least_a || b < least_b || a >= system->n_ports || b >= system->n_ports))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "'%s': there is no port %d or %d", name, a, b);
    if (!status)
        status = grow(system->context, (void **)&system->forces, &system->cap_forces, system->n_forces,
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
    free_force(&system->forces[--system->n_forces]);
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
        free_force(&system->forces[--system->n_forces]);
    return status;
}

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

/* ---- asking ---- */
phx_context *phx_system_context(const phx_system *system)
{
    if (!system)
        return NULL;
    return system->context;
}
int phx_system_dim(const phx_system *system)
{
    if (!system)
        return 0;
    return system->dim;
}
int phx_system_bodies(const phx_system *system)
{
    if (!system)
        return 0;
    return system->n_bodies;
}
int phx_system_joints(const phx_system *system)
{
    if (!system)
        return 0;
    return system->n_joints;
}
const phx_body *phx_system_body(const phx_system *system, phx_body_id id)
{
    if (!system || id < 0 || id >= system->n_bodies)
        return NULL;
    return system->bodies[id].body;
}
const phx_flex_source *phx_system_source(const phx_system *system, phx_body_id id)
{
    if (!system || id < 0 || id >= system->n_bodies)
        return NULL;
    return system->bodies[id].source;
}
const phx_beam *phx_system_beam(const phx_system *system, phx_body_id id)
{
    const phx_flex_source *source = phx_system_source(system, id);
    return source && phx_flex_source_has_sections(source) ? source : NULL;
}
const char *phx_system_joint_name(const phx_system *system, phx_joint_id id)
{
    if (!system || id < 0 || id >= system->n_joints)
        return NULL;
    return system->joints[id].name;
}
int phx_system_n_x(const phx_system *system)
{
    if (!system)
        return 0;
    return system->n_x;
}
int phx_system_n_v(const phx_system *system)
{
    if (!system)
        return 0;
    return system->n_v;
}
int phx_system_n_l(const phx_system *system)
{
    if (!system)
        return 0;
    return system->n_independent;
}
void phx_system_offsets(const phx_system *system, phx_body_id id, int *x, int *v)
{
    if (!system || id < 0 || id >= system->n_bodies)
        return;
    *x = system->bodies[id].x;
    *v = system->bodies[id].v;
}
int phx_system_redundant(const phx_system *system)
{
    if (!system)
        return 0;
    return system->n_redundant;
}
void phx_system_redundant_row(const phx_system *system, int k, const char **name, int *row)
{
    if (!system || k < 0 || k >= phx_system_redundant(system))
        return;
    const row_slot *slot = &system->rows[system->redundant[k]];
    *name = system->joints[slot->joint].name;
    *row = slot->number + 1;
}

void phx_system_multiplier(const phx_system *system, int k, const char **name, int *row, bool *drive)
{
    if (!system || k < 0 || k >= system->n_independent)
        return;
    const row_slot *slot = &system->rows[system->independent[k]];
    *name = system->joints[slot->joint].name;
    *row = slot->number + 1;
    *drive = slot->role == ROW_DRIVEN;
}

void phx_system_port_place(const phx_system *system, phx_port_id id, const double *x, double *place)
{
    if (!system || id < 0 || id >= system->n_ports || !x || !place)
        return;
    const port_slot *port = &system->ports[id];

    if (port->body == PHX_GROUND) {
        memcpy(place, port->port.point.x, (size_t)system->dim * sizeof *place);
        return;
    }
    const body_slot *slot = &system->bodies[port->body];
    const double *frame = x + slot->x + port->port.frame.x, *q = phx_sys_q(slot, x);
    double R[9], y[3];
    for (int a = 0; a < system->dim; a++) {
        y[a] = port->port.point.x[a];
        for (int k = 0; k < port->port.point.n; k++)
            y[a] += port->port.point.phi[a * port->port.point.n + k] * q[port->port.point.dof[k]];
    }
    phx_attitude_rotation(system->dim, frame + system->dim, R);
    phx_rot_apply(system->dim, R, y, place);
    for (int a = 0; a < system->dim; a++)
        place[a] += frame[a];
}
