/* Joints, with what acts along their coordinates. */
#include "build.h"

#include <math.h>
#include <string.h>

phx_joint_def phx_joint_def_default(void)
{
    return (phx_joint_def){.name = "joint", .kind = PHX_JOINT_REVOLUTE, .axis = {1.0, 0.0, 0.0}};
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

static void free_coordinate_defs(int n, phx_coordinate_def *defs)
{
    for (int c = 0; c < n; c++)
        free_coordinate_def(&defs[c]);
}

void phx_sys_free_joint(joint_slot *joint)
{
    phx_free(joint->name);
    phx_free(joint->constraints);
    phx_free(joint->coordinates);
    free_coordinate_defs(joint->def.room, joint->def.coordinate);
    phx_free(joint->def.coordinate);
    joint->def.coordinate = NULL;
    joint->def.room = 0;
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
    phx_body_port_attitude(slot->body, &port->port, x, rotation);
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
            const phx_status status = port->port.slides && !port->port.place_alone
                                          ? phx_sys_guess_place(system, joint, &place, world)
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

/* The scalar force along a coordinate from its definition; friction is set-valued (dry) if it has a coefficient or arm
 * and no regularisation. */
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

/* Checks springs, stops, friction and start values of the n coordinates of a joint. */
static phx_status check_coordinates(phx_system *system, const joint_given *def, int n)
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
static phx_status prescribe_motions(phx_system *system, joint_given *def)
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

/* For as many constraints and coordinates as the joint has; a rigid contact, which has none, gets one later. */
static phx_status joints_make_room(phx_context *context, joint_slot *joint)
{
    const int rows = joint->n_constraints > 0 ? joint->n_constraints : 1;

    if (!joint->constraints)
        joint->constraints = phx_calloc(context, (size_t)rows, sizeof *joint->constraints);
    if (!joint->coordinates)
        joint->coordinates = phx_calloc(context, (size_t)joint->n_coordinates, sizeof *joint->coordinates);
    return joint->constraints && joint->coordinates ? PHX_OK : PHX_ERR_MEMORY;
}

/* The constraints of a joint, and the rows of its coordinates into `coordinates`. */
static phx_status joints_make_rows(phx_system *system, joint_slot *joint,
                                   phx_row coordinates[PHX_JOINT_MAX_COORDINATES])
{
    const joint_given *def = &joint->def;
    phx_row constraints[PHX_JOINT_MAX_ROWS];
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
    status =
        phx_joint_rows(system->context, &shape, &joint->n_constraints, constraints, &joint->n_coordinates, coordinates);
    if (!status)
        status = joints_make_room(system->context, joint);
    if (!status)
        memcpy(joint->constraints, constraints, (size_t)joint->n_constraints * sizeof *constraints);
    return status;
}

phx_status phx_sys_remake_constraints(phx_system *system, joint_slot *joint)
{
    phx_row coordinates[PHX_JOINT_MAX_COORDINATES];

    return joints_make_rows(system, joint, coordinates);
}

/* Relative rotation, rows and coordinates of a joint whose def, name and ports are in place. */
static phx_status make_joint(phx_system *system, joint_slot *joint)
{
    const joint_given *def = &joint->def;
    phx_row coordinates[PHX_JOINT_MAX_COORDINATES];
    phx_status status = PHX_OK;

    status = joints_make_rows(system, joint, coordinates);
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
        system->traits.rubs = system->traits.rubs || def->coordinate[c].friction_arm > 0.0;
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
bool phx_sys_is_sliding_port(const phx_system *system, phx_port_id on)
{
    const port_slot *ports = &system->ports[on];

    return on <= system->n_ports - SLIDING_PORTS && ports[0].body >= 0 && ports[0].port.slides > 0 &&
           !ports[0].port.place_alone && ports[1].body == PHX_GROUND && ports[2].body == ports[0].body &&
           ports[2].port.slides == ports[0].port.slides && ports[2].port.place_alone;
}

/* Lets port A of a joint slide along its body: adds a place to the body and the ports that the sliding point, the
 * ground and the place need. */
static phx_status let_slide(phx_system *system, joint_slot *joint)
{
    const phx_body_id body = system->ports[joint->a].body;
    body_slot *slot = &system->bodies[body];
    const size_t wider = (size_t)system->n_ports + SLIDING_PORTS;
    port_slot *bigger = phx_realloc(system->context, system->ports, wider, sizeof *bigger);

    if (!bigger)
        return PHX_ERR_MEMORY;
    system->ports = bigger;
    system->building.cap_ports = (int)wider;
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

/* The public definition of a joint as it was given, with borrowed pointers. */
phx_joint_def phx_sys_joint_def(const joint_slot *joint)
{
    const joint_given *given = &joint->def;
    phx_joint_def def = {.name = given->name,
                         .kind = given->kind,
                         .a = given->a,
                         .b = given->b,
                         .has_axis_b = given->has_axis_b,
                         .has_relative = given->has_relative,
                         .relative_angle = given->relative_angle,
                         .inactive = given->inactive,
                         .n_coordinates = given->n_coordinates};

    memcpy(def.axis, given->axis, sizeof def.axis);
    memcpy(def.axis_b, given->axis_b, sizeof def.axis_b);
    memcpy(def.relative, given->relative, sizeof def.relative);
    memcpy(def.coordinate, given->coordinate, (size_t)given->room * sizeof *def.coordinate);
    return def;
}

/* The slot takes over what the coordinates have. */
static phx_status take_def(const phx_system *system, const phx_joint_def *def, joint_given *given)
{
    const phx_joint_info *info = phx_joint_kind_info(def->kind);
    const int of_kind = info ? info->n_coordinates[system->dim - 2] : 0, n = def->n_coordinates;
    const int most = PHX_JOINT_MAX_COORDINATES, room = n < 0 || n > most ? most : n > of_kind ? n : of_kind;
    phx_coordinate_def *coordinate = phx_calloc(system->context, (size_t)room, sizeof *coordinate);

    if (!coordinate)
        return PHX_ERR_MEMORY;
    memcpy(coordinate, def->coordinate, (size_t)room * sizeof *coordinate);
    *given = (joint_given){.name = def->name,
                           .kind = def->kind,
                           .a = def->a,
                           .b = def->b,
                           .has_axis_b = def->has_axis_b,
                           .has_relative = def->has_relative,
                           .inactive = def->inactive,
                           .relative_angle = def->relative_angle,
                           .n_coordinates = n,
                           .room = room,
                           .coordinate = coordinate};
    memcpy(given->axis, def->axis, sizeof given->axis);
    memcpy(given->axis_b, def->axis_b, sizeof given->axis_b);
    memcpy(given->relative, def->relative, sizeof given->relative);
    return PHX_OK;
}

/* Its name and ports, then the rest. */
static phx_status begin_joint(phx_system *system, phx_port_id on, joint_slot *joint)
{
    const phx_joint_info *info = phx_joint_kind_info(joint->def.kind);
    const bool slides = info && info->slides, wants_place = slides && on < 0;
    phx_status status = PHX_OK;

    joint->kind = joint->def.kind;
    joint->a = joint->def.a;
    joint->b = joint->def.b;
    joint->name = phx_strdup(system->context, joint->def.name);
    if (!joint->name)
        return PHX_ERR_MEMORY;
    joint->def.name = joint->name;
    if (wants_place)
        status = let_slide(system, joint);
    else if (slides)
        joint->a = on;
    if (status)
        return status;
    status = make_joint(system, joint);
    if (status && wants_place)
        stop_sliding(system, joint);
    system->traits.slides = system->traits.slides || (slides && !status);
    system->traits.wide = system->traits.wide || system->traits.slides;
    return status;
}

phx_status phx_system_add_joint(phx_system *system, const phx_joint_def *def, phx_joint_id *id)
{
    return phx_sys_add_joint(system, def, -1, id);
}

/* Adds a joint between two ports of different bodies; `on` is the port whose place along the body a sliding joint
 * shares, -1 for a place of its own. The signals of def become the system's, also after an error; id may be NULL. */
phx_status phx_sys_add_joint(phx_system *system, const phx_joint_def *def, phx_port_id on, phx_joint_id *id)
{
    if (!system || !def)
        return phx_fail_null(system ? system->context : NULL, __func__, "system or def");
    phx_status status = phx_sys_open(system);
    phx_joint_def given = *def;
    joint_slot *joint = NULL;

    if (!status && !def->name)
        status = phx_fail_null(system->context, __func__, "the name of a joint");
    if (!status && (def->a < 0 || def->b < 0 || def->a >= system->n_ports || def->b >= system->n_ports))
        status = phx_fail(system->context, PHX_ERR_ARGUMENT, "joint '%s': there is no port %d or %d", def->name, def->a,
                          def->b);
    if (!status && system->ports[def->a].body == system->ports[def->b].body && !system->ports[def->b].port.place_alone)
        status =
            phx_fail(system->context, PHX_ERR_ARGUMENT, "joint '%s': both ports belong to the same body", def->name);
    if (!status)
        status = check_slides(system, def);
    if (!status)
        status = phx_sys_grow(system->context, (void **)&system->joints, &system->building.cap_joints, system->n_joints,
                              sizeof *system->joints);
    if (!status)
        status = take_def(system, def, &system->joints[system->n_joints].def);
    if (!status) {
        joint = &system->joints[system->n_joints];
        /* what stands behind the coordinates that there are is taken over too, and of no use */
        free_coordinate_defs(PHX_JOINT_MAX_COORDINATES - joint->def.room, given.coordinate + joint->def.room);
        status = prescribe_motions(system, &joint->def);
        if (!status)
            status = begin_joint(system, on, joint);
    }
    if (status) { /* the signals are taken over all the same */
        if (joint)
            phx_sys_free_joint(joint);
        else
            free_coordinate_defs(PHX_JOINT_MAX_COORDINATES, given.coordinate);
        return status;
    }
    if (id)
        *id = system->n_joints;
    system->n_joints++;
    return phx_conclude(system->context, PHX_OK);
}
