/* The model file of a robot. */
#include "robot.h"
#include "study/import_report.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void put_vector(FILE *stream, const double *x, int n)
{
    for (int k = 0; k < n; k++) {
        fputs(k ? ", " : "[", stream);
        import_text_put_number(stream, x[k]);
    }
    fputc(']', stream);
}

/* position: [...], rotation: {quaternion: [...]} of a frame; nothing of the identity. Returns whether it wrote. */
static bool put_frame(FILE *stream, const robot_pose *pose, const char *before)
{
    static const double NO_TURN = 1e-15; /* 1 - w of a unit quaternion: round-off */
    double wxyz[4];
    const bool moved = phx_dot(3, pose->x, pose->x) > 0.0;

    phx_rot_to_quaternion(pose->R, wxyz);
    const bool turned = fabs(wxyz[0] - 1.0) > NO_TURN;
    if (moved) {
        fprintf(stream, "%sposition: ", before);
        put_vector(stream, pose->x, 3);
    }
    if (turned) {
        fprintf(stream, "%srotation: {quaternion: ", moved ? ", " : before);
        put_vector(stream, wxyz, 4);
        fputc('}', stream);
    }
    return moved || turned;
}

static bool is_ground(const phx_robot_options *options, const phx_robot *robot, int body)
{
    return body == robot->root && !options->free_base;
}

static bool moves(const phx_robot *robot, int joint)
{
    return robot->links[robot->joints[joint].child].body == robot->joints[joint].child;
}

/* Whether a joint that closes a loop has both ends on one body: it holds nothing. */
static bool robot_is_closed(const phx_robot *robot, const robot_loop *loop)
{
    return robot->links[loop->links[0]].body == robot->links[loop->links[1]].body;
}

/* ---- shapes ---- */
static phx_status put_shape(FILE *stream, phx_context *context, const char *folder, const robot_shape *shape,
                            const robot_pose *part)
{
    phx_status status = PHX_OK;
    const robot_pose pose = robot_pose_product(part, &shape->pose);

    switch (shape->kind) {
    case ROBOT_BOX:
        fputs("{box: ", stream);
        put_vector(stream, shape->size, 3);
        break;
    case ROBOT_CYLINDER:
    case ROBOT_CAPSULE:
        fputs(shape->kind == ROBOT_CYLINDER ? "{cylinder: " : "{capsule: ", stream);
        import_text_put_number(stream, 2.0 * shape->size[0]);
        fputs(", length: ", stream);
        import_text_put_number(stream, shape->size[1]);
        break;
    case ROBOT_SPHERE:
        fputs("{sphere: ", stream);
        import_text_put_number(stream, 2.0 * shape->size[0]);
        break;
    case ROBOT_ELLIPSOID:
        fputs("{ellipsoid: ", stream);
        put_vector(stream, (const double[]){2.0 * shape->size[0], 2.0 * shape->size[1], 2.0 * shape->size[2]}, 3);
        break;
    default:
        fputs("{mesh: ", stream);
        status = import_text_put_path(context, folder, shape->file, stream);
        if (shape->size[0] != 1.0) {
            fputs(", scale: ", stream);
            import_text_put_number(stream, shape->size[0]);
        }
    }
    put_frame(stream, &pose, ", ");
    if (shape->colour[3] > 0.0) {
        fputs(", colour: \"#", stream);
        for (int k = 0; k < 3; k++)
            fprintf(stream, "%02x", (unsigned)lrint(255.0 * fmin(fmax(shape->colour[k], 0.0), 1.0)));
        fputc('"', stream);
        if (shape->colour[3] < 1.0) {
            fputs(", opacity: ", stream);
            import_text_put_number(stream, shape->colour[3]);
        }
    }
    fputs("}\n", stream);
    return status;
}

/* The shapes of a body and of the links that are part of it; `axes` takes the body's axes to those of the shapes. */
static phx_status put_shapes(FILE *stream, phx_context *context, const char *folder, const phx_robot *robot, int body,
                             const robot_pose *axes, const char *indent)
{
    phx_status status = PHX_OK;
    bool first = true;

    for (int k = 0; k < robot->n_links; k++)
        for (int s = 0; s < robot->links[k].n_shapes && robot->links[k].body == body && !status; s++) {
            const robot_pose part = k == body ? *axes : robot_pose_product(axes, &robot->links[k].pose);
            if (first)
                fprintf(stream, "%sshape:\n", indent);
            first = false;
            fprintf(stream, "%s  - ", indent);
            status = put_shape(stream, context, folder, &robot->links[k].shapes[s], &part);
        }
    return status;
}

static bool has_shapes(const phx_robot *robot, int body)
{
    bool any = false;

    for (int k = 0; k < robot->n_links; k++)
        any = any || (robot->links[k].body == body && robot->links[k].n_shapes > 0);
    return any;
}

/* ---- ports: where joints begin, links that are part of the body, and ends of joints that close loops ---- */
static void put_port(FILE *stream, const char *name, const robot_pose *pose, const char *indent, bool *first)
{
    fprintf(stream, "%s%s%s  %s: {", *first ? indent : "", *first ? "ports:\n" : "", indent, name);
    put_frame(stream, pose, "");
    fputs("}\n", stream);
    *first = false;
}

/* The plane that the robot touches. */
static void put_floor(FILE *stream, const phx_robot *robot, const char *indent, bool *first)
{
    put_port(stream, "floor", &robot->floor, indent, first);
}

/* Ports of a body: the floor, joints that begin on it and links fixed to it, ends of loops, places that touch. */
static void robot_put_ports(FILE *stream, const phx_robot_options *options, const phx_robot *robot, int body,
                            const char *indent)
{
    bool first = true;

    if (options->ground && is_ground(options, robot, body))
        put_floor(stream, robot, indent, &first);
    for (int j = 0; j < robot->n_joints; j++) {
        const robot_joint *joint = &robot->joints[j];
        const robot_pose pose = robot_joint_frame(robot, j);
        if (robot->links[joint->parent].body == body)
            put_port(stream, moves(robot, j) ? joint->name : robot->links[joint->child].name, &pose, indent, &first);
    }
    for (int k = 0; k < 2 * robot->n_loops; k++) {
        const robot_loop *loop = &robot->loops[k / 2];
        const robot_pose pose = robot_frame_in_body(robot, loop->links[k % 2], &loop->poses[k % 2]);
        if (robot->links[loop->links[k % 2]].body == body && !robot_is_closed(robot, loop))
            put_port(stream, loop->name, &pose, indent, &first);
    }
    robot_touch touch;
    for (int k = 0; !is_ground(options, robot, body) && robot_touch_of(robot, body, k, &touch); k++) {
        char name[32];
        snprintf(name, sizeof name, "touch_%d", k + 1);
        put_port(stream, name, &touch.pose, indent, &first);
    }
}

/* ---- bodies ---- */
static void put_inertia(FILE *stream, const double inertia[9])
{
    fputs("[", stream);
    for (int a = 0; a < 3; a++) {
        fputs(a ? ", " : "", stream);
        put_vector(stream, inertia + (size_t)3 * a, 3);
    }
    fputs("]", stream);
}

static void robot_put_mass(FILE *stream, double mass, const double com[3], const double inertia[9])
{
    fputs("    kind: rigid\n    mass: ", stream);
    import_text_put_number(stream, mass);
    fputs("\n    inertia: ", stream);
    put_inertia(stream, inertia);
    fputs("\n    centre_of_mass: ", stream);
    put_vector(stream, com, 3);
    fputc('\n', stream);
}

/* A first guess, so that angles of joints can be changed alone. */
static void put_pose(FILE *stream, const robot_pose *pose)
{
    fputs("    pose: {", stream);
    fputs(put_frame(stream, pose, "") ? ", guess: true}\n" : "guess: true}\n", stream);
}

/* The tube and the rigid end of a link that bends. The tube has the shapes of the link, so that pictures show its
 * deformation and stresses. */
static phx_status put_bent_parts(FILE *stream, phx_context *context, const char *folder, const phx_robot *robot,
                                 int body, const robot_bend *bend)
{
    const robot_link *link = &robot->links[body];
    const robot_pose to_tube = robot_pose_inverse(&bend->beam);
    const robot_pose beam = robot_pose_product(&link->pose, &bend->beam),
                     tip = robot_pose_product(&link->pose, &bend->tip);
    const double zero[3] = {0}, moment = bend->tip_inertia;
    const double ball[9] = {moment, 0, 0, 0, moment, 0, 0, 0, moment};
    phx_status status = PHX_OK;

    fprintf(stream, "  %s_beam:\n    kind: beam\n    material: %s\n    length: ", link->name, bend->material->name);
    import_text_put_number(stream, bend->length);
    fputs("\n    section: {kind: tube, outer: ", stream);
    import_text_put_number(stream, bend->outer);
    fputs(", inner: ", stream);
    import_text_put_number(stream, bend->inner);
    fprintf(stream, "}%s\n    elements: 4\n    reference: cantilever\n    damping: {modal: 0.01}\n",
            bend->given ? "" : "      # a first guess");
    put_pose(stream, &beam);
    status = put_shapes(stream, context, folder, robot, body, &to_tube, "    ");
    fprintf(stream, "  %s_tip:\n", link->name);
    robot_put_mass(stream, bend->mass[2], zero, ball);
    put_pose(stream, &tip);
    return status;
}

/* A body; one that bends in three parts, with its mass, centre of mass and inertia. */
static phx_status robot_put_body(FILE *stream, phx_context *context, const phx_robot_options *options,
                                 const char *folder, const phx_robot *robot, int body)
{
    const robot_link *link = &robot->links[body];
    const bool bends = robot_bends(options, robot, body);
    const robot_pose identity = robot_pose_identity();
    robot_link root = *link;
    robot_bend bend = {0};
    phx_status status = PHX_OK;

    if (bends) {
        bend = robot_bend_of(options, robot, body);
        root.mass = bend.mass[0];
        memcpy(root.com, bend.com, sizeof root.com);
        memcpy(root.inertia, bend.inertia, sizeof root.inertia);
        status = robot_check_inertia(context, &root);
    }
    fprintf(stream, "  %s:\n", link->name);
    robot_put_mass(stream, root.mass, root.com, root.inertia);
    put_pose(stream, &link->pose);
    robot_put_ports(stream, options, robot, body, "    ");
    if (bends && has_shapes(robot, body)) {
        fputs("    shape: {sphere: ", stream);
        import_text_put_number(stream, bend.outer);
        fputs("}\n", stream);
    }
    if (!status && bends)
        status = put_bent_parts(stream, context, folder, robot, body, &bend);
    else if (!status)
        status = put_shapes(stream, context, folder, robot, body, &identity, "    ");
    return status;
}

static void put_bent_joints(FILE *stream, const phx_robot_options *options, const phx_robot *robot)
{
    for (int k = 0; k < robot->n_links; k++)
        if (robot_bends(options, robot, k)) {
            const char *name = robot->links[k].name;
            fprintf(stream, "  %s_root: {kind: weld, ports: [%s.P, %s_beam.P]}\n", name, name, name);
            fprintf(stream, "  %s_tip: {kind: weld, ports: [%s_beam.C, %s_tip.P]}\n", name, name, name);
        }
}

/* ---- joints ---- */
/* Whether joint j moves link l. */
static bool carries(const phx_robot *robot, int j, int l)
{
    while (l != robot->joints[j].child && robot->links[l].joint >= 0)
        l = robot->joints[robot->links[l].joint].parent;
    return l == robot->joints[j].child;
}

/* Whether joint j is in a loop: the loop closes at the values that the assembly finds. */
static bool in_loop(const phx_robot *robot, int j)
{
    for (int k = 0; k < robot->n_loops; k++)
        if (carries(robot, j, robot->loops[k].links[0]) != carries(robot, j, robot->loops[k].links[1]))
            return true;
    return false;
}

/* Inertia against coordinate k of joint j of all that it carries, at the start. */
static double carried_inertia(const phx_robot *robot, int j, int k)
{
    const robot_joint *joint = &robot->joints[j];
    const robot_link *child = &robot->links[joint->child];
    bool slides;
    double axis[3], sum = 0.0;

    phx_rot_apply(3, child->pose.R, robot_coordinate_axis(joint, k, &slides), axis);
    const double length = sqrt(phx_dot(3, axis, axis));
    for (int l = 0; l < robot->n_links; l++) {
        const robot_link *link = &robot->links[l];
        if (!carries(robot, j, l) || link->body != l)
            continue;
        double com[3], inertia[9] = {0}, turned[9], along[3];
        phx_rot_apply(3, link->pose.R, link->com, com);
        for (int a = 0; a < 3; a++)
            com[a] += link->pose.x[a] - child->pose.x[a];
        phx_dense_multiply(false, false, 3, 3, 3, 1.0, link->pose.R, 3, link->inertia, 3, 0.0, turned, 3);
        phx_dense_multiply(false, true, 3, 3, 3, 1.0, turned, 3, link->pose.R, 3, 0.0, inertia, 3);
        phx_rot_apply(3, inertia, axis, along);
        const double across = phx_dot(3, com, axis) / length;
        sum += slides ? link->mass
                      : phx_dot(3, axis, along) / (length * length) +
                            link->mass * (phx_dot(3, com, com) - across * across);
    }
    return sum;
}

/* Natural frequency of what is held by an actuator or stop alone. */
enum { DRIVE_HZ = 3, STOP_HZ = 30 };

static double stiffness_at(const phx_robot *robot, int j, int k, double hertz)
{
    return carried_inertia(robot, j, k) * pow(2.0 * PI * hertz, 2.0);
}

static void put_round(FILE *stream, double value)
{
    fprintf(stream, "%.3g", value);
}

static bool has_stops(const robot_coordinate *coordinate)
{
    return coordinate->limited && (coordinate->lower != 0.0 || coordinate->upper != 0.0);
}

static void put_stop(FILE *stream, const phx_robot *robot, int j, int k)
{
    const robot_coordinate *coordinate = &robot->joints[j].coordinates[k];

    fputs("{lower: ", stream);
    import_text_put_number(stream, coordinate->lower);
    fputs(", upper: ", stream);
    import_text_put_number(stream, coordinate->upper);
    fputs(", stiffness: ", stream);
    put_round(stream, stiffness_at(robot, j, k, STOP_HZ));
    fputs("}", stream);
}

/* Stops of a joint; limits that do not contain the start become a comment. */
static void put_stops(FILE *stream, const phx_robot *robot, int j)
{
    const robot_joint *joint = &robot->joints[j];
    bool any = false, outside[ROBOT_COORDINATES] = {false};

    for (int k = 0; k < joint->n_coordinates; k++) {
        const robot_coordinate *coordinate = &joint->coordinates[k];
        outside[k] = coordinate->lower > coordinate->start || coordinate->upper < coordinate->start;
        any = any || (has_stops(coordinate) && !outside[k]);
    }
    if (any)
        fputs(joint->n_coordinates > 1 ? ",\n    stops: [" : ",\n    stops: ", stream);
    for (int k = 0; k < joint->n_coordinates && any; k++) {
        fputs(k ? ", " : "", stream);
        if (has_stops(&joint->coordinates[k]) && !outside[k])
            put_stop(stream, robot, j, k);
        else
            fputs("null", stream);
    }
    fputs(any && joint->n_coordinates > 1 ? "]" : "", stream);
    for (int k = 0; k < joint->n_coordinates; k++)
        if (has_stops(&joint->coordinates[k]) && outside[k]) {
            fputs(",\n    # the limits do not contain the start: stops: ", stream);
            put_stop(stream, robot, j, k);
            fputs("\n   ", stream);
        }
}

/* A key with the values of the coordinates from `first` to `last`, which lie `offset` bytes in each; nothing if all are
 * zero and `always` is not set. */
static void put_values(FILE *stream, const robot_joint *joint, const char *key, size_t offset, int first, int last,
                       bool always)
{
    double values[ROBOT_COORDINATES] = {0};

    for (int k = first; k <= last; k++) {
        memcpy(&values[k], (const char *)&joint->coordinates[k] + offset, sizeof *values);
        always = always || values[k] != 0.0;
    }
    if (!always || last < first)
        return;
    fprintf(stream, ", %s: ", key);
    if (last > first)
        put_vector(stream, values + first, last - first + 1);
    else
        import_text_put_number(stream, values[first]);
}

/* Values at the start: displacements, then angles. */
static void put_start(FILE *stream, const robot_joint *joint)
{
    const int last = joint->n_coordinates - 1;
    const int slides = joint->kind == ROBOT_PRISMATIC  ? 1
                       : joint->kind == ROBOT_PLANAR   ? 2
                       : joint->kind == ROBOT_FLOATING ? 3
                                                       : 0;
    const size_t start = offsetof(robot_coordinate, start);
    bool moved = false;

    for (int k = 0; k <= last; k++)
        moved = moved || joint->coordinates[k].start != 0.0;
    if (!moved)
        return;
    put_values(stream, joint, "position", start, 0, slides - 1, true);
    put_values(stream, joint, "angle", start, slides, last, true);
}

/* Dry friction; of a prescribed motion it must be regularised. */
static void put_friction(FILE *stream, const robot_joint *joint, bool prescribed)
{
    static const double SLOW = 1e-3; /* rad/s or m/s */
    bool any = false;

    for (int k = 0; k < joint->n_coordinates; k++)
        any = any || joint->coordinates[k].friction > 0.0;
    if (!any)
        return;
    fputs(joint->n_coordinates > 1 ? ", friction: [" : ", friction: ", stream);
    for (int k = 0; k < joint->n_coordinates; k++) {
        fputs(k ? ", " : "", stream);
        fputs(joint->coordinates[k].friction > 0.0 ? "{force: " : "null", stream);
        if (joint->coordinates[k].friction > 0.0) {
            import_text_put_number(stream, joint->coordinates[k].friction);
            if (prescribed)
                fprintf(stream, ", regularised: %g", SLOW);
            fputs("}", stream);
        }
    }
    fputs(joint->n_coordinates > 1 ? "]" : "", stream);
}

const char *const robot_joint_words[ROBOT_JOINTS] = {"weld",   "revolute", "revolute",  "prismatic",
                                                     "planar", "free",     "spherical", "universal"};

/* A joint with all that its coordinates have. */
static void put_joint(FILE *stream, const phx_robot_options *options, const phx_robot *robot, int j)
{
    const robot_joint *joint = &robot->joints[j];
    const int body = robot->links[joint->parent].body, last = joint->n_coordinates - 1;
    const bool loop = in_loop(robot, j), prescribed = joint->mimic < 0 && options->drive == PHX_ROBOT_MOTION && !loop;
    const bool at_tip = robot_bends(options, robot, body) && robot_bend_of(options, robot, body).joint == j;

    fprintf(stream, "  %s: {kind: %s, ports: [%s%s.%s, %s.P]", joint->name, robot_joint_words[joint->kind],
            is_ground(options, robot, body) ? "ground" : robot->links[body].name, at_tip ? "_tip" : "",
            at_tip ? "P" : joint->name, robot->links[joint->child].name);
    if (joint->kind == ROBOT_UNIVERSAL) {
        fputs(", axes: [", stream);
        put_vector(stream, joint->axis, 3);
        fputs(", ", stream);
        put_vector(stream, joint->axis_b, 3);
        fputs("]", stream);
    } else if (joint->kind >= ROBOT_REVOLUTE && joint->kind <= ROBOT_PLANAR) {
        fputs(joint->kind == ROBOT_PLANAR ? ", normal: " : ", axis: ", stream);
        put_vector(stream, joint->axis, 3);
    }
    put_values(stream, joint, "damping", offsetof(robot_coordinate, damping), 0, last, false);
    put_values(stream, joint, "rotor_inertia", offsetof(robot_coordinate, rotor), 0, last, false);
    put_values(stream, joint, "gear_ratio", offsetof(robot_coordinate, gear), 0, last, false);
    put_values(stream, joint, "stiffness", offsetof(robot_coordinate, stiffness), 0, last, false);
    put_values(stream, joint, "rest", offsetof(robot_coordinate, rest), 0, last, false);
    put_friction(stream, joint, prescribed);
    if (prescribed)
        put_values(stream, joint, "motion", offsetof(robot_coordinate, start), 0, last, true);
    else if (!loop && joint->mimic < 0) /* the joint that it follows says where it starts */
        put_start(stream, joint);
    put_stops(stream, robot, j);
    fputc('}', stream);
    if (joint->effort > 0.0 || joint->velocity > 0.0)
        fprintf(stream, "     # at most %g N%s", joint->effort, joint->kind == ROBOT_PRISMATIC ? "" : " m");
    if (joint->velocity > 0.0)
        fprintf(stream, ", %g %s", joint->velocity, joint->kind == ROBOT_PRISMATIC ? "m/s" : "rad/s");
    fputc('\n', stream);
}

/* Joints that close loops. */
static void put_loops(FILE *stream, phx_context *context, const phx_robot_options *options, const phx_robot *robot)
{
    for (int k = 0; k < robot->n_loops; k++) {
        const robot_loop *loop = &robot->loops[k];
        if (robot_is_closed(robot, loop)) {
            phx_log(context, PHX_LOG_WARNING, "%s:%d: '%s' joins parts of one body: left out", loop->path, loop->line,
                    loop->name);
            continue;
        }
        fprintf(stream, "  %s: {kind: %s, ports: [", loop->name, loop->kind == ROBOT_FIXED ? "weld" : "spherical");
        for (int side = 0; side < 2; side++) {
            const int body = robot->links[loop->links[side]].body;
            fprintf(stream, "%s%s.%s", side ? ", " : "",
                    is_ground(options, robot, body) ? "ground" : robot->links[body].name, loop->name);
        }
        fputs(loop->kind == ROBOT_FIXED ? "], rotation: {quaternion: [1, 0, 0, 0]}}\n" : "]}\n", stream);
    }
}

/* What the robot touches the ground with: by penalty, stiff enough that its weight presses one contact in by 1 mm.
 * Whether nothing has been written. */
static bool put_contacts(FILE *stream, const phx_robot_options *options, const phx_robot *robot)
{
    static const double DEPTH = 1e-3, GRAVITY = 9.81, DAMPING = 1.0, SLIP = 1e-2; /* m, m/s^2, s/m, m/s */
    double mass = 0.0;
    bool first = true;

    for (int b = 0; b < robot->n_links; b++)
        mass += robot->links[b].body == b && !is_ground(options, robot, b) ? robot->links[b].mass : 0.0;
    for (int b = 0; b < robot->n_links; b++) {
        robot_touch touch;
        for (int k = 0; !is_ground(options, robot, b) && robot_touch_of(robot, b, k, &touch); k++) {
            const char *name = robot->links[b].name;
            fputs(first ? "\nforces:\n" : "", stream);
            first = false;
            fprintf(stream, "  %s_touch_%d: {kind: contact, ports: [ground.floor, %s.touch_%d], against: plane, ", name,
                    k + 1, name, k + 1);
            fputs(touch.axes ? "normal: [0, 0, 1],\n    semi_axes: " : "normal: [0, 0, 1],\n    radius: ", stream);
            if (touch.axes)
                put_vector(stream, touch.axes, 3);
            else
                import_text_put_number(stream, touch.radius);
            fprintf(stream, ", stiffness: %.3g, damping: %g", mass * GRAVITY / pow(DEPTH, 1.5), DAMPING);
            if (touch.friction > 0.0)
                fprintf(stream, ", friction: {coefficient: %g, regularised: %g}", touch.friction, SLIP);
            fputs("}\n", stream);
        }
    }
    return first;
}

/* Joints that follow another one, exactly; `first`: nothing stands under forces yet. */
static void put_mimics(FILE *stream, const phx_robot *robot, bool first)
{
    for (int j = 0; j < robot->n_joints; j++) {
        const robot_joint *joint = &robot->joints[j];
        if (joint->mimic < 0 || !moves(robot, j))
            continue;
        if (first)
            fputs("\nforces:\n", stream);
        first = false;
        fprintf(stream,
                "  %s: {kind: coupling, rigid: true, terms: [{joint: %s, weight: 1}, {joint: %s, weight: ", joint->name,
                joint->name, robot->joints[joint->mimic].name);
        import_text_put_number(stream, -joint->multiplier);
        fputs("}], rest: ", stream);
        import_text_put_number(stream, joint->offset);
        fputs("}\n", stream);
    }
}

static void put_term(FILE *stream, const char *key, double value, bool needed)
{
    if (!needed)
        return;
    fprintf(stream, ", %s: ", key);
    import_text_put_number(stream, value);
}

/* A motor as a controller; a ratio of damping counts against what the joint carries. */
static void put_motor(FILE *stream, const phx_robot *robot, const robot_motor *motor)
{
    const robot_joint *joint = &robot->joints[motor->joint];
    const double stiffness = motor->stiffness, inertia = carried_inertia(robot, motor->joint, motor->coordinate);
    const double damping = motor->ratio > 0.0 ? 2.0 * motor->ratio * sqrt(stiffness * inertia) : motor->damping;

    fprintf(stream, "  %s: {kind: pid, ", motor->name);
    if (joint->n_coordinates == 1)
        fprintf(stream, "measure: %s, effort: %s", joint->name, joint->name);
    else
        fprintf(stream, "measure: %s.coordinate%d, rate: %s.rate%d, effort: %s.effort%d", joint->name,
                motor->coordinate + 1, joint->name, motor->coordinate + 1, joint->name, motor->coordinate + 1);
    put_term(stream, "kp", stiffness, stiffness != 0.0);
    put_term(stream, "kd", damping, damping != 0.0);
    put_term(stream, "reference", motor->reference, stiffness != 0.0);
    put_term(stream, "feedforward", motor->force, stiffness == 0.0 || motor->force != 0.0);
    if (motor->limited) {
        fputs(", limit: ", stream);
        put_vector(stream, (const double[]){motor->lower, motor->upper}, 2);
    }
    fputs("}\n", stream);
}

static double three_digits(double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.3g", value);
    return strtod(text, NULL);
}

/* The motors of the file; else one in every joint that turns or slides: PD that would hold alone what it carries at
 * 3 Hz, damping ratio 0.7; or an effort. */
static void put_drives(FILE *stream, const phx_robot_options *options, const phx_robot *robot)
{
    const bool each = options->drive == PHX_ROBOT_PD || options->drive == PHX_ROBOT_TORQUE;

    if (each || (options->drive == PHX_ROBOT_FREE && robot->n_motors > 0))
        fputs("\ncontrollers:\n", stream);
    for (int k = 0; k < robot->n_motors && options->drive == PHX_ROBOT_FREE; k++)
        put_motor(stream, robot, &robot->motors[k]);
    for (int j = 0; j < robot->n_joints && each; j++) {
        const robot_joint *joint = &robot->joints[j];
        if (joint->kind < ROBOT_REVOLUTE || joint->kind > ROBOT_PRISMATIC || joint->mimic >= 0)
            continue;
        const double stiffness = options->drive == PHX_ROBOT_PD ? stiffness_at(robot, j, 0, DRIVE_HZ) : 0.0;
        const robot_motor motor = {.name = joint->name,
                                   .joint = j,
                                   .stiffness = three_digits(stiffness),
                                   .damping = three_digits(1.4 * stiffness / (2.0 * PI * DRIVE_HZ)),
                                   .reference = joint->coordinates[0].start,
                                   .limited = joint->effort > 0.0,
                                   .lower = -joint->effort,
                                   .upper = joint->effort};
        put_motor(stream, robot, &motor);
    }
}

/* Coordinates of all joints, places of links on which no other joint begins, stresses of tubes. */
static void put_outputs(FILE *stream, const phx_robot_options *options, const phx_robot *robot)
{
    fputs("\noutputs:\n", stream);
    for (int j = 0; j < robot->n_joints; j++)
        if (moves(robot, j) && robot->joints[j].kind != ROBOT_FIXED)
            fprintf(stream, "  %s: {coordinate: %s}\n", robot->joints[j].name, robot->joints[j].name);
    for (int j = 0; j < robot->n_joints; j++) /* where the tree ends */
        for (int k = 0; k <= robot->n_joints; k++) {
            const int child = robot->joints[j].child, body = robot->links[child].body;
            if (k < robot->n_joints && robot->joints[k].parent == child)
                break;
            if (k == robot->n_joints && !is_ground(options, robot, body))
                fprintf(stream, "  %s_place: {position: %s.%s}\n", robot->links[child].name, robot->links[body].name,
                        body == child ? "P" : robot->links[child].name);
        }
    for (int k = 0; k < robot->n_links; k++)
        if (robot_bends(options, robot, k))
            fprintf(stream, "  %s_stress: {stress: %s_beam@0}\n", robot->links[k].name, robot->links[k].name);
}

/* Whether the motors hold all bodies. */
static bool robot_is_held(const phx_robot_options *options, const phx_robot *robot)
{
    bool held = options->drive == PHX_ROBOT_PD && !options->free_base;

    for (int j = 0; j < robot->n_joints; j++)
        held = held && robot->joints[j].kind <= ROBOT_PRISMATIC;
    return held;
}

/* The materials of links that bend; whether one does. */
static bool put_materials(FILE *stream, const phx_robot_options *options, const phx_robot *robot)
{
    bool any = false;

    for (size_t m = 0; m < sizeof robot_materials / sizeof *robot_materials; m++) {
        const robot_material *material = &robot_materials[m];
        bool used = false;
        for (int k = 0; k < robot->n_links && !used; k++)
            used = robot_bends(options, robot, k) && robot_bend_of(options, robot, k).material == material;
        if (used)
            fprintf(stream, "%s  %s: {density: %g, young: %g, poisson: %g}\n", any ? "" : "materials:\n",
                    material->name, material->density, material->young, material->poisson);
        any = any || used;
    }
    fputs(any ? "\n" : "", stream);
    return any;
}

/* The model file by sections, in the order in which they are read; PHX_ERR_FILE when the stream has failed. */
phx_status robot_write(phx_context *context, const phx_robot_options *options, const phx_robot *robot,
                       const char *folder, FILE *stream)
{
    const robot_pose whole = robot_pose_identity();
    phx_status status = PHX_OK;
    bool joints = false;

    fprintf(stream, "# Imported from %s. Names are those of the file; change what you like.\nphlexor: 1\n",
            robot->path);
    fputs("title: \"", stream);
    for (const char *sign = robot->name; *sign; sign++)
        fputc(*sign == '"' || *sign == '\\' || (unsigned char)*sign < ' ' ? '_' : *sign, stream);
    fputs("\"\n", stream);
    fputs("dimension: 3\ngravity: ", stream);
    put_vector(stream, robot->gravity, 3);
    fputs("\n\n", stream);
    const bool bends = put_materials(stream, options, robot);
    if (is_ground(options, robot, robot->root)) {
        fprintf(stream, "ground:                           # the link '%s'\n", robot->links[robot->root].name);
        robot_put_ports(stream, options, robot, robot->root, "  ");
        status = put_shapes(stream, context, folder, robot, robot->root, &whole, "  ");
        fputc('\n', stream);
    } else if (options->ground) {
        fputs("ground:\n", stream);
        put_floor(stream, robot, "  ", &(bool){true});
        fputc('\n', stream);
    }
    fputs("bodies:\n", stream);
    for (int k = 0; k < robot->n_links && !status; k++)
        if (robot->links[k].body == k && !is_ground(options, robot, k))
            status = robot_put_body(stream, context, options, folder, robot, k);
    if (status)
        return status;
    for (int j = 0; j < robot->n_joints; j++)
        if (moves(robot, j)) {
            fputs(joints ? "" : "\njoints:\n", stream);
            joints = true;
            put_joint(stream, options, robot, j);
        }
    put_loops(stream, context, options, robot);
    put_bent_joints(stream, options, robot);
    put_mimics(stream, robot, put_contacts(stream, options, robot));
    put_drives(stream, options, robot);
    if (robot_is_held(options, robot))
        fputs("\ninitial: {equilibrium: true}        # motors and tubes carry the weight from the start on\n", stream);
    else if (bends)
        fputs("\ninitial: {deformation: quasi_static}\n", stream);
    put_outputs(stream, options, robot);
    fputs("\nsimulate: {end: 1, step: 1e-3}\n", stream);
    errno = 0;
    return fflush(stream) == 0 && !ferror(stream)
               ? PHX_OK
               : phx_fail(context, PHX_ERR_FILE, "cannot write the robot: %s", strerror(errno));
}
