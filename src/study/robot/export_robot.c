/* A model becomes a robot: the tree of its joints, frames at their zeros, masses, shapes and ports. */
#include "robot.h"
#include "study/import_report.h"
#include "study/visuals.h"

#include <math.h>
#include <string.h>

static const double NO_LIMIT = 1e9; /* N, m, rad, rad/s: URDF requires limits, and both formats need two */

enum { LOST_KINDS = 20, LOST_SIZE = 400, NAME_SIZE = 300 };

/* Link 0 is the ground, link 1 + b body b; ports follow. */
typedef struct robot_export {
    phx_context *context;
    const phx_model *model;
    phx_robot_format format;
    const char *word; /* of the format */
    char *folder;     /* of the file */
    phx_robot robot;
    struct joint_source {
        int joint;     /* of the model; -1: a body that floats */
        bool reversed; /* its port A is on the child */
    } * sources;       /* of each joint of the robot */
    phx_start_point start;
    const phx_port_view *ports; /* at the start */
    int n_lost;
    struct {
        const char *what, *last; /* the name that was added last */
        char names[LOST_SIZE];
    } lost[LOST_KINDS];
} robot_export;

/* ---- what is left out ---- */
/* Notes a name under the kind of thing that the file does not have. */
static void lose(robot_export *export, const char *what, const char *name)
{
    static const char more[] = ", ...";
    int k = 0;

    while (k < export->n_lost && strcmp(export->lost[k].what, what) != 0)
        k++;
    if (k < export->n_lost && !strcmp(export->lost[k].last, name))
        return;
    export->n_lost += k == export->n_lost;
    export->lost[k].what = what;
    export->lost[k].last = name;
    char *names = export->lost[k].names;
    const size_t length = strlen(names);
    if (length + strlen(name) + 2 * sizeof more < LOST_SIZE)
        snprintf(names + length, LOST_SIZE - length, "%s%s", length ? ", " : "", name);
    else if (names[length - 1] != '.')
        memcpy(names + length, more, sizeof more);
}

/* Parts of the model that no robot has. */
static void lose_parts(robot_export *export)
{
    const phx_model *model = export->model;
    const struct {
        const char *what;
        int count;
        size_t size;
        const void *items; /* that begin with their name */
    } lists[] = {{"controllers", model->n_controllers, sizeof *model->controllers, model->controllers},
                 {"springs", model->n_springs, sizeof *model->springs, model->springs},
                 {"forces", model->n_forces, sizeof *model->forces, model->forces},
                 {"loads", model->n_loads, sizeof *model->loads, model->loads},
                 {"events", model->n_events, sizeof *model->events, model->events},
                 {"outputs", model->n_outputs, sizeof *model->outputs, model->outputs}};

    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (int k = 0; k < lists[l].count; k++) {
            const char *name;
            memcpy(&name, (const char *)lists[l].items + (size_t)k * lists[l].size, sizeof name);
            lose(export, lists[l].what, name);
        }
    if (model->initial.from)
        lose(export, "the start from a result", model->initial.from);
    for (int b = 0; b < model->n_bodies; b++) {
        const phx_model_velocity *start = &model->bodies[b].velocity;
        if (phx_dot(3, start->linear, start->linear) + phx_dot(3, start->angular, start->angular) > 0.0)
            lose(export, "velocities at the start", model->bodies[b].name);
    }
}

/* ---- the tree ---- */
static phx_status export_refuse(const robot_export *export, const void *field, const char *what, const char *name,
                                const char *reason, const char *remedy)
{
    return phx_model_fail(export->context, export->model, field, PHX_ERR_INPUT,
                          "%s '%s' %s, which %s does not have; %s", what, name, reason, export->word, remedy);
}

static int robot_kind(const phx_model_joint *joint)
{
    int kind = 0;

    while (kind < ROBOT_JOINTS && strcmp(robot_joint_words[kind], phx_joint_kind_info(joint->kind)->name) != 0)
        kind++;
    return kind;
}

/* Dimension, bodies and kinds of joints are those of the format. */
static phx_status export_check(const robot_export *export)
{
    const phx_model *model = export->model;

    if (model->dimension != 3)
        return export_refuse(export, &model->dimension, "the model", model->title, "is plane", "give 'dimension: 3'");
    for (int b = 0; b < model->n_bodies; b++)
        if (phx_model_body_info_of(&model->bodies[b])->deforms && !model->bodies[b].rigid)
            return export_refuse(export, &model->bodies[b], "body", model->bodies[b].name, "deforms",
                                 "'rigid: true' holds its deformation, or replace it by a rigid body");
    for (int j = 0; j < model->n_joints; j++) {
        const phx_model_joint *joint = &model->joints[j];
        char reason[80];
        snprintf(reason, sizeof reason, "is %s", phx_joint_kind_info(joint->kind)->name);
        if (joint->active && robot_kind(joint) >= (export->format == PHX_ROBOT_URDF ? ROBOT_SPHERICAL : ROBOT_JOINTS))
            return export_refuse(export, joint, "joint", joint->name, reason,
                                 "make it of joints that turn or slide along one axis, with light bodies between");
    }
    return PHX_OK;
}

static bool is_outside(const robot_export *export, int body)
{
    return export->robot.links[1 + body].body < 0;
}

/* A joint that links the tree with a body outside: one that holds, or a free one; -1. */
static int next_joint(const robot_export *export, bool floats)
{
    for (int j = 0; j < export->model->n_joints; j++) {
        const phx_model_joint *joint = &export->model->joints[j];
        if (joint->active && (robot_kind(joint) == ROBOT_FLOATING) == floats &&
            is_outside(export, joint->ports[0].body) != is_outside(export, joint->ports[1].body))
            return j;
    }
    return -1;
}

/* A copy of a name that no link and no joint has: NAME, of things in a body BODY_NAME if need be. */
static char *export_name(const robot_export *export, const char *body, const char *name, bool qualified)
{
    const phx_robot *robot = &export->robot;
    char text[NAME_SIZE];
    bool taken = true;

    snprintf(text, sizeof text, "%s%s%s", qualified ? body : "", qualified ? "_" : "", name);
    while (taken) {
        taken = false;
        for (int k = 0; k < robot->n_links; k++)
            taken = taken || (robot->links[k].name && !strcmp(robot->links[k].name, text));
        for (int j = 0; j < export->model->n_joints; j++)
            taken = taken || !strcmp(export->model->joints[j].name, text);
        if (taken && !qualified)
            return export_name(export, body, name, true);
        if (taken && strlen(text) + 1 < sizeof text)
            strcat(text, "_");
    }
    return phx_strdup(export->context, text);
}

/* Whether a spring, damper, stop or friction acts along a coordinate. */
static bool is_passive(const phx_model_coordinate *c)
{
    return c->stiffness > 0.0 || c->damping > 0.0 || c->rotor_inertia > 0.0 || c->stops.given || c->friction.given;
}

/* Hangs a body on the tree by joint j of the model, or, with j = -1, by one that floats. Joints that float are on the
 * ground. A spherical one along whose coordinates nothing acts has none. */
static phx_status export_attach(robot_export *export, int j, int body)
{
    const phx_model_joint *from = j < 0 ? NULL : &export->model->joints[j];
    const bool reversed = from && from->ports[0].body == body;
    const int kind = from ? robot_kind(from) : ROBOT_FLOATING, n = export->robot.n_joints++;
    robot_joint *to = &export->robot.joints[n];
    bool acts = kind != ROBOT_SPHERICAL;

    for (int c = 0; from && c < from->n_coordinates; c++)
        acts = acts || is_passive(&from->coordinates[c]);
    export->sources[n] = (struct joint_source){j, reversed};
    export->robot.links[1 + body].body = 1 + body;
    *to = (robot_joint){.kind = kind,
                        .parent = kind == ROBOT_FLOATING ? 0 : 1 + from->ports[reversed].body,
                        .child = 1 + body,
                        .n_coordinates = kind == ROBOT_FLOATING || !acts ? 0 : from->n_coordinates,
                        .effort = NO_LIMIT,
                        .velocity = NO_LIMIT};
    to->name = from ? phx_strdup(export->context, from->name)
                    : export_name(export, export->model->bodies[body].name, "free", true);
    if (reversed && to->n_coordinates > 1)
        return export_refuse(export, from->ports, "joint", from->name, "has its port A on the body that hangs on it",
                             "write its ports in the other order");
    return to->name ? PHX_OK : PHX_ERR_MEMORY;
}

/* The tree of joints that hold, from the ground on; bodies that it does not reach float. */
static phx_status export_tree(robot_export *export)
{
    const phx_model *model = export->model;
    phx_status status = PHX_OK;

    for (int body = 0; body < model->n_bodies && !status; body += !is_outside(export, body)) {
        int j = next_joint(export, false);
        j = j < 0 ? next_joint(export, true) : j;
        const phx_model_point *ports = j < 0 ? NULL : model->joints[j].ports;
        if (ports || is_outside(export, body))
            status = export_attach(export, j, !ports ? body : ports[!is_outside(export, ports[0].body)].body);
    }
    for (int j = 0; j < model->n_joints && !status; j++) {
        bool used = robot_kind(&model->joints[j]) == ROBOT_FLOATING;
        for (int k = 0; k < export->robot.n_joints; k++)
            used = used || export->sources[k].joint == j;
        if (!model->joints[j].active)
            lose(export, "joints that do not hold at the start", model->joints[j].name);
        else if (!used)
            status = export_refuse(export, &model->joints[j], "joint", model->joints[j].name, "closes a loop",
                                   "leave this joint out, and close the loop where the file is read");
    }
    return status;
}

/* ---- frames at the start ---- */
static robot_pose body_pose(const robot_export *export, int body)
{
    robot_pose pose = robot_pose_identity();

    if (body == PHX_MODEL_GROUND)
        return pose;
    const double *x = export->start.x + phx_system_placed(export->start.system, body).x;
    memcpy(pose.x, x, sizeof pose.x);
    phx_attitude_rotation(3, x + 3, pose.R);
    return pose;
}

/* A port of the model in its body or the ground; port -1: a point with the directions of the body. */
static robot_pose port_in_body(const robot_export *export, int body, int port)
{
    robot_pose pose = robot_pose_identity();

    if (port < 0)
        return pose;
    const phx_model_port *given =
        body == PHX_MODEL_GROUND ? &export->model->ground_ports[port] : &export->model->bodies[body].ports[port];
    const phx_body_port *point = phx_system_find_point(export->start.system, body, given->name);
    memcpy(pose.x, point ? point->point.x : given->position, sizeof pose.x);
    memcpy(pose.R, given->rotation.matrix, sizeof pose.R);
    return pose;
}

/* A port of a joint in the world. */
static robot_pose joint_port(const robot_export *export, phx_port_id id, const phx_model_point *point)
{
    const phx_port_view *view = &export->ports[id];
    const robot_pose port = port_in_body(export, point->body, point->port);
    robot_pose pose;

    memcpy(pose.x, view->u1, sizeof pose.x);
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, view->R1, 3, port.R, 3, 0.0, pose.R, 3);
    return pose;
}

/* What acts along coordinate c of a joint; what the file does not have of it is lost. */
static void export_coordinate(robot_export *export, const phx_model_joint *from, int c, robot_joint *to)
{
    const phx_model_coordinate *m = &from->coordinates[c];
    const phx_model_friction *friction = &m->friction;
    const phx_model_stops *stops = &m->stops;
    const bool urdf = export->format == PHX_ROBOT_URDF,
               kept = to->n_coordinates == 1 || (!urdf && to->n_coordinates > 1);
    const struct {
        bool lost;
        const char *what;
    } parts[] = {{m->speed || m->motion || m->effort, "prescribed motions and efforts of joints"},
                 {m->law.given || m->damper.given || m->motor.given, "laws of springs, dampers and motors of joints"},
                 {m->rotor_inertia > 0.0 && (urdf || !kept), "rotors of joints"},
                 {kept ? urdf && m->stiffness > 0.0 : is_passive(m), "springs, dampers, friction and stops of joints"},
                 {friction->coefficient > 0.0 || friction->breakaway.given || friction->ratio.given ||
                      friction->regularised > 0.0,
                  "friction other than a constant one"},
                 {kept && stops->given, "stiffness and damping of stops"},
                 {urdf && c < to->n_coordinates && to->coordinates[c].start != 0.0, "values of joints at the start"},
                 {m->rate.value != 0.0, "velocities at the start"}};

    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k].lost)
            lose(export, parts[k].what, from->name);
    if (kept)
        to->coordinates[c] = (robot_coordinate){.limited = stops->given,
                                                .lower = stops->lower.given ? stops->lower.value : -NO_LIMIT,
                                                .upper = stops->upper.given ? stops->upper.value : NO_LIMIT,
                                                .damping = m->damping,
                                                .friction = friction->force,
                                                .stiffness = m->stiffness,
                                                .rest = m->rest,
                                                .rotor = m->rotor_inertia * m->gear_ratio * m->gear_ratio,
                                                .start = to->coordinates[c].start};
}

/* Axes and start of a joint that holds, and two frames in the world: `fixed` on A is where `moved` on B is at the zero
 * of the coordinates. */
static void export_motion(const robot_export *export, int j, robot_joint *to, robot_pose *fixed, robot_pose *moved)
{
    const phx_model_joint *from = &export->model->joints[j];
    const phx_joint_view view = phx_system_joint(export->start.system, j);
    double axis[3], turn[9];

    *fixed = joint_port(export, view.a, &from->ports[0]);
    *moved = joint_port(export, view.b, &from->ports[1]);
    memcpy(to->axis, from->axis, sizeof to->axis);
    for (int c = 0; c < to->n_coordinates; c++) {
        const phx_coordinate_view one = phx_system_coordinate(export->start.system, j, c);
        to->coordinates[c].start = one.angle >= 0
                                       ? export->start.x[one.angle]
                                       : phx_row_value(one.row, &export->ports[one.a], &export->ports[one.b], 1);
        if (to->kind != ROBOT_PLANAR)
            continue;
        /* axes along the displacements, then the normal */
        phx_rot_apply(3, export->ports[view.a].R1, one.row->alpha, axis);
        for (int a = 0; a < 3; a++)
            fixed->R[3 * a + c] = c < 2 ? axis[a] : 0.0;
        to->axis[c] = c == 2;
    }
    for (int a = 0; a < 3 && to->kind == ROBOT_PLANAR; a++) {
        const double *p = fixed->R + 3 * ((a + 1) % 3), *q = fixed->R + 3 * ((a + 2) % 3);
        fixed->R[3 * a + 2] = p[0] * q[1] - q[0] * p[1];
    }
    if (to->kind == ROBOT_UNIVERSAL) { /* B's axis at the zero of the first angle */
        const robot_pose relative = robot_pose_relative(fixed, moved);
        phx_rot_apply(3, relative.R, from->axis_b, axis);
        robot_turn(to->axis, to->coordinates[0].start, turn);
        phx_rot_apply_transposed(3, turn, axis, to->axis_b);
    }
    const robot_pose motion = robot_joint_motion(to);
    if (to->n_coordinates > 0) /* else a ball, whose zero is where the directions of the ports coincide */
        *moved = robot_pose_product(fixed, &motion);
}

/* Joint k of the robot, whose parent has its pose, and the pose of the child. */
static void export_joint(robot_export *export, int k)
{
    robot_joint *to = &export->robot.joints[k];
    const bool reversed = export->sources[k].reversed;
    const phx_model *model = export->model;
    const phx_model_joint *from = export->sources[k].joint < 0 ? NULL : &model->joints[export->sources[k].joint];
    robot_pose fixed = body_pose(export, to->child - 1), moved = fixed;

    if (to->kind != ROBOT_FLOATING && to->kind != ROBOT_FIXED)
        export_motion(export, export->sources[k].joint, to, &fixed, &moved);
    export->robot.links[to->child].pose = reversed ? fixed : moved;
    to->pose = robot_pose_relative(&export->robot.links[to->parent].pose, reversed ? &moved : &fixed);
    for (int a = 0; a < 3 && reversed; a++)
        to->axis[a] = -to->axis[a];
    for (int c = 0; from && c < from->n_coordinates; c++)
        export_coordinate(export, from, c, to);
    to->kind = to->kind == ROBOT_REVOLUTE && !to->coordinates[0].limited ? ROBOT_CONTINUOUS : to->kind;
    for (int m = 0; m < model->n_controllers && from; m++) /* the effort that a controller has at most */
        for (int i = 0; i < model->controllers[m].n_limits; i++) {
            const double *limit = model->controllers[m].limits + (size_t)2 * i;
            const size_t length = strlen(from->name);
            if (!strncmp(model->controllers[m].outputs[i], from->name, length) &&
                !strcmp(model->controllers[m].outputs[i] + length, ".effort"))
                to->effort = fmax(-limit[0], limit[1]);
        }
}

/* ---- shapes ---- */
/* A shape with its place in the body; false: the format does not have it. */
static bool shape_of(const robot_export *export, int body, const phx_model_visual *visual, robot_shape *shape)
{
    static const struct {
        phx_model_visual_kind visual;
        bool urdf;
    } kinds[] = {{PHX_MODEL_VISUAL_BOX, true},        {PHX_MODEL_VISUAL_CYLINDER, true},
                 {PHX_MODEL_VISUAL_CAPSULE, false},   {PHX_MODEL_VISUAL_SPHERE, true},
                 {PHX_MODEL_VISUAL_ELLIPSOID, false}, {PHX_MODEL_VISUAL_MESH, true}};
    const phx_model_visual_end *ends[2] = {&visual->from, &visual->to};
    double length = visual->length, places[2][3];
    unsigned colour[3];
    int k = 0;

    while (k < ROBOT_SHAPES && kinds[k].visual != visual->kind)
        k++;
    if (k == ROBOT_SHAPES || (export->format == PHX_ROBOT_URDF && !kinds[k].urdf))
        return false;
    *shape = (robot_shape){.kind = (robot_shape_kind)k, .pose = robot_pose_identity()};
    memcpy(shape->pose.x, visual->position, sizeof shape->pose.x);
    if (visual->rotation.given)
        memcpy(shape->pose.R, visual->rotation.matrix, sizeof shape->pose.R);
    for (int e = 0; e < 2 && visual->from.given; e++) {
        if (ends[e]->point.text && ends[e]->point.port < 0)
            return false; /* a place along a beam */
        const robot_pose port = port_in_body(export, body, ends[e]->point.text ? ends[e]->point.port : -1);
        memcpy(places[e], ends[e]->point.text ? port.x : ends[e]->place, sizeof places[e]);
    }
    if (visual->from.given)
        length = phx_solid_between(places[0], places[1], shape->pose.x, shape->pose.R);
    for (int a = 0; a < 3; a++)
        shape->size[a] = (k == ROBOT_BOX ? 1.0 : 0.5) * visual->size[a];
    if (k == ROBOT_CYLINDER || k == ROBOT_CAPSULE)
        shape->size[1] = length;
    if (k == ROBOT_MESH)
        shape->size[0] = visual->scale;
    if (visual->colour && sscanf(visual->colour, "#%2x%2x%2x", &colour[0], &colour[1], &colour[2]) == 3)
        for (int a = 0; a < 4; a++)
            shape->colour[a] = a < 3 ? colour[a] / 255.0 : visual->opacity;
    return true;
}

/* The shapes of a body as those of a link, whose pose in the link is `in_link`; what the format lacks is lost. */
static phx_status export_shapes(robot_export *export, int body, const robot_pose *in_link)
{
    const phx_model *model = export->model;
    const bool ground = body == PHX_MODEL_GROUND;
    const int n = ground ? model->n_ground_visuals : model->bodies[body].n_visuals;
    const phx_model_visual *visuals = ground ? model->ground_visuals : model->bodies[body].visuals;
    robot_link *link = &export->robot.links[1 + body];
    phx_status status = PHX_OK;

    link->shapes = phx_calloc(export->context, (size_t)n + 1, sizeof *link->shapes);
    for (int k = 0; k < n && link->shapes && !status; k++) {
        robot_shape *shape = &link->shapes[link->n_shapes];
        if (!shape_of(export, body, &visuals[k], shape)) {
            lose(export, "shapes", ground ? "ground" : model->bodies[body].name);
            continue;
        }
        shape->pose = robot_pose_product(in_link, &shape->pose);
        link->n_shapes++;
        if (shape->kind == ROBOT_MESH)
            status = import_text_path(export->context, export->folder, visuals[k].file, &shape->file);
    }
    return link->shapes ? status : PHX_ERR_MEMORY;
}

/* ---- links ---- */
/* A port as a link without mass on a fixed joint, unless it is the frame of its link, or a joint of its name begins
 * there. */
static phx_status export_port(robot_export *export, int body, int p, const robot_pose *in_link)
{
    static const double SAME = 1e-12; /* m, and entries of a rotation */
    phx_robot *robot = &export->robot;
    const phx_model *model = export->model;
    const char *name = body == PHX_MODEL_GROUND ? model->ground_ports[p].name : model->bodies[body].ports[p].name;
    const robot_pose port = port_in_body(export, body, p), pose = robot_pose_product(in_link, &port),
                     identity = robot_pose_identity();
    robot_link *link = &robot->links[robot->n_links];
    robot_joint *joint = &robot->joints[robot->n_joints];
    double away = 0.0;

    for (int a = 0; a < 9; a++)
        away = fmax(away, fmax(fabs(pose.R[a] - identity.R[a]), fabs(pose.x[a % 3])));
    for (int j = 0; j < robot->n_joints; j++)
        if (robot->joints[j].parent == 1 + body && !strcmp(robot->joints[j].name, name))
            return PHX_OK;
    if (away <= SAME)
        return PHX_OK;
    link->name = export_name(export, robot->links[1 + body].name, name, !name[1]); /* P is every body's */
    *joint = (robot_joint){.parent = 1 + body, .child = robot->n_links++, .pose = pose};
    joint->name = link->name ? phx_strdup(export->context, link->name) : NULL;
    robot->n_joints++;
    return joint->name ? PHX_OK : PHX_ERR_MEMORY;
}

/* Mass, centre and inertia of a body in the frame of its link; J0 = I + m (|c|^2 - c c^T). */
static void export_mass(robot_export *export, int body, const robot_pose *in_link)
{
    static const double NOISE = 1e-14;                      /* round-off, of the largest moment */
    static const int pair[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}; /* of J0: 11 22 33 12 13 23 */
    const phx_mass_properties *rest = phx_body_at_rest(phx_system_body(export->start.system, body));
    robot_link part = {.mass = rest->mass, .pose = *in_link}, *link = &export->robot.links[1 + body];

    for (int k = 0; k < 9; k++) {
        part.com[k % 3] = rest->s0[k % 3] / rest->mass;
        part.inertia[k] = rest->J0[pair[k]];
    }
    robot_add_offset(-rest->mass, part.com, part.inertia);
    robot_merge(link, &part);
    const double largest = fmax(link->inertia[0], fmax(link->inertia[4], link->inertia[8]));
    for (int k = 0; k < 9; k++)
        link->inertia[k] = fabs(link->inertia[k]) > NOISE * largest ? link->inertia[k] : 0.0;
}

/* All joints, then masses, shapes and ports. */
static phx_status export_links(robot_export *export)
{
    const phx_model *model = export->model;
    phx_status status = PHX_OK;

    for (int k = 0; k < model->n_bodies; k++)
        export_joint(export, k);
    for (int body = PHX_MODEL_GROUND; body < model->n_bodies && !status; body++) {
        const int n_ports = body == PHX_MODEL_GROUND ? model->n_ground_ports : model->bodies[body].n_ports;
        const robot_pose pose = body_pose(export, body),
                         in_link = robot_pose_relative(&export->robot.links[1 + body].pose, &pose);
        if (body != PHX_MODEL_GROUND)
            export_mass(export, body, &in_link);
        status = export_shapes(export, body, &in_link);
        for (int p = 0; p < n_ports && !status; p++)
            status = export_port(export, body, p, &in_link);
    }
    return status;
}

/* Room for all, and the names of the bodies; gravity, which URDF leaves to its readers. */
static phx_status export_begin(robot_export *export)
{
    static const double usual[3] = {0.0, 0.0, -9.81};
    const phx_model *model = export->model;
    phx_robot *robot = &export->robot;
    size_t links = (size_t)(1 + model->n_bodies + model->n_ground_ports);
    char gravity[NAME_SIZE];

    for (int b = 0; b < model->n_bodies; b++)
        links += (size_t)model->bodies[b].n_ports;
    robot->links = phx_calloc(export->context, links, sizeof *robot->links);
    robot->joints = phx_calloc(export->context, links, sizeof *robot->joints);
    export->sources = phx_calloc(export->context, links, sizeof *export->sources);
    robot->name = phx_strdup(export->context, model->title);
    if (!robot->links || !robot->joints || !export->sources || !robot->name)
        return PHX_ERR_MEMORY;
    bool named = true;
    for (int b = 0; b < model->n_bodies; b++) {
        robot_link *link = &robot->links[++robot->n_links];
        link->body = -1;
        link->name = phx_strdup(export->context, model->bodies[b].name);
        named = named && link->name;
    }
    robot->n_links++;
    robot->links[0].pose = robot_pose_identity();
    robot->links[0].name = export_name(export, "ground", "world", false);
    memcpy(robot->gravity, model->gravity, sizeof robot->gravity);
    snprintf(gravity, sizeof gravity, "%g, %g, %g", model->gravity[0], model->gravity[1], model->gravity[2]);
    if (export->format == PHX_ROBOT_URDF && memcmp(usual, model->gravity, sizeof usual) != 0)
        lose(export, "gravity", gravity);
    return named && robot->links[0].name ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status export_write(phx_context *context, const void *data, const char *folder, FILE *stream)
{
    const robot_export *export = data;

    (void)context, (void)folder;
    robot_write_xml(stream, export->format, &export->robot);
    return PHX_OK;
}

/* Checks the model, finds its tree and its start, makes a robot of it and writes that. */
static phx_status export_model(robot_export *export, const char *path)
{
    phx_context *context = export->context;
    const phx_start_options start = phx_start_of(export->model);
    phx_status status = phx_model_protect(context, export->model);

    if (!status)
        status = export_check(export);
    if (!status)
        status = export_begin(export);
    if (!status)
        status = export_tree(export);
    if (!status)
        status = import_text_folder(context, path, &export->folder);
    if (!status)
        status = phx_start_point_create(context, export->model, NULL, &start, false, &export->start);
    if (status)
        return status;
    phx_system_view(export->start.dae, export->start.x, export->start.v);
    export->ports = phx_system_equations(export->start.dae).port;
    lose_parts(export);
    status = export_links(export);
    for (int k = 0; k < export->n_lost && !status; k++)
        phx_log(context, PHX_LOG_WARNING, "%s: left out of the file in %s: %s (%s)", export->model->path, export->word,
                export->lost[k].what, export->lost[k].names);
    return status ? status : robot_save(context, path, export_write, export);
}

/* Checks the arguments, then writes the robot at its start, complete or not at all. */
phx_status phx_study_export_robot(phx_context *context, const phx_model *model, phx_robot_format format,
                                  const char *path)
{
    static const char *const words[PHX_ROBOT_FORMATS] = {"URDF", "MJCF"};

    if (!model || !path)
        return phx_fail_null(context, __func__, "model or path");
    if ((int)format < 0 || format >= PHX_ROBOT_FORMATS)
        return phx_fail(context, PHX_ERR_ARGUMENT, "format is %d, expected one of phx_robot_format", (int)format);
    robot_export export = {.context = context, .model = model, .format = format, .word = words[format]};
    const phx_status status = export_model(&export, path);
    phx_start_point_free(&export.start);
    phx_free(export.sources);
    phx_free(export.folder);
    robot_free(&export.robot);
    return phx_conclude(context, status);
}
