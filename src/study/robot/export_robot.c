/* A model becomes a robot's file: its tree of joints, frames at the joints' zeros, masses, shapes, ports. */
#include "robot.h"
#include "study/visuals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the file does not have, in the order of its warnings. */
typedef enum lost_kind {
    LOST_CONTROLLERS,
    LOST_SPRINGS,
    LOST_FORCES,
    LOST_LOADS,
    LOST_EVENTS,
    LOST_OUTPUTS,
    LOST_INACTIVE,
    LOST_DRIVES,
    LOST_LAWS,
    LOST_ELASTIC,
    LOST_FRICTION,
    LOST_STOPS,
    LOST_START,
    LOST_RATES,
    LOST_SHAPES,
    LOST_GRAVITY,
    LOST_KINDS
} lost_kind;
static const char *const lost_words[LOST_KINDS] = {"controllers",
                                                   "springs",
                                                   "forces",
                                                   "loads",
                                                   "events",
                                                   "outputs",
                                                   "joints that do not hold at the start",
                                                   "prescribed motions and efforts of joints",
                                                   "laws of springs, dampers and motors of joints",
                                                   "springs, dampers and stops of joints",
                                                   "friction other than a constant one",
                                                   "stiffness and damping of stops",
                                                   "values of joints at the start",
                                                   "velocities at the start",
                                                   "shapes of bodies",
                                                   "gravity"};

enum { LOST_SIZE = 400 };

/* Where a joint of the robot comes from: a joint of the model (-1: none), whose port A is on the child. */
typedef struct joint_source {
    int joint;
    bool reversed;
} joint_source;

typedef struct robot_export {
    phx_context *context;
    const phx_model *model;
    phx_robot_format format;
    const char *word; /* of the format */
    phx_robot robot;  /* link 0: the ground; link 1 + b: body b; then ports */
    joint_source *sources;
    phx_start_point start;
    phx_equations equations;
    char lost[LOST_KINDS][LOST_SIZE];
} robot_export;

/* ---- what is left out ---- */
static void lose(robot_export *export, lost_kind kind, const char *name)
{
    static const char more[] = ", ...";
    char *names = export->lost[kind];
    const size_t length = strlen(names);

    if (length + strlen(name) + sizeof more + 2 < LOST_SIZE)
        snprintf(names + length, LOST_SIZE - length, "%s%s", length ? ", " : "", name);
    else if (strcmp(names + length - (sizeof more - 1), more) != 0)
        memcpy(names + length, more, sizeof more);
}

/* Parts of the model that no robot has. */
static void lose_parts(robot_export *export)
{
    const phx_model *model = export->model;
    const struct {
        int count;
        size_t size;
        const void *items; /* that begin with their name */
    } lists[] = {{model->n_controllers, sizeof *model->controllers, model->controllers},
                 {model->n_springs, sizeof *model->springs, model->springs},
                 {model->n_forces, sizeof *model->forces, model->forces},
                 {model->n_loads, sizeof *model->loads, model->loads},
                 {model->n_events, sizeof *model->events, model->events},
                 {model->n_outputs, sizeof *model->outputs, model->outputs}};

    for (int l = 0; l < (int)(sizeof lists / sizeof *lists); l++)
        for (int k = 0; k < lists[l].count; k++) {
            const char *name;
            memcpy(&name, (const char *)lists[l].items + (size_t)k * lists[l].size, sizeof name);
            lose(export, (lost_kind)l, name);
        }
    for (int b = 0; b < model->n_bodies; b++) {
        const phx_model_velocity *velocity = &model->bodies[b].velocity;
        if (phx_dot(3, velocity->linear, velocity->linear) + phx_dot(3, velocity->angular, velocity->angular) > 0.0)
            lose(export, LOST_RATES, model->bodies[b].name);
    }
}

/* ---- the tree ---- */
static phx_status export_refuse(const robot_export *export, const void *field, const char *what, const char *name,
                                const char *reason, const char *remedy)
{
    return phx_model_fail(export->context, export->model, field, PHX_ERR_INPUT,
                          "%s%s %s; a file in %s has a tree of rigid bodies in space: %s", what, name, reason,
                          export->word, remedy);
}

static robot_joint_kind robot_kind(const phx_model_joint *joint)
{
    const char *word = phx_joint_kind_info(joint->kind)->name;
    int kind = 0;

    while (kind < ROBOT_JOINTS && strcmp(robot_joint_words[kind], word) != 0)
        kind++;
    return (robot_joint_kind)kind;
}

/* Whether a spring, damper, stop or friction acts along a coordinate. */
static bool has_passive(const phx_model_coordinate *c)
{
    return c->stiffness > 0.0 || c->damping > 0.0 || c->stops.given || c->friction.force > 0.0;
}

/* Bodies, dimension and kinds of joints are those of the format. */
static phx_status export_check(const robot_export *export)
{
    const phx_model *model = export->model;

    if (model->dimension != 3)
        return export_refuse(export, &model->dimension, "", "the model", "is plane", "give 'dimension: 3'");
    for (int b = 0; b < model->n_bodies; b++)
        if (phx_model_body_info_of(&model->bodies[b])->deforms && !model->bodies[b].rigid)
            return export_refuse(export, &model->bodies[b], "body ", model->bodies[b].name, "deforms",
                                 "'rigid: true' holds its deformation, or replace it by a rigid body");
    for (int j = 0; j < model->n_joints; j++) {
        const phx_model_joint *joint = &model->joints[j];
        const robot_joint_kind kind = robot_kind(joint);
        char reason[80];
        if (!joint->active || (kind < ROBOT_JOINTS && (kind < ROBOT_SPHERICAL || export->format != PHX_ROBOT_URDF)))
            continue;
        snprintf(reason, sizeof reason, "is %s, which the format does not have",
                 phx_joint_kind_info(joint->kind)->name);
        return export_refuse(export, joint, "joint ", joint->name, reason,
                             "make it of joints that turn or slide along one axis, with light bodies between");
    }
    return PHX_OK;
}

static bool is_reached(const robot_export *export, int body)
{
    return body == PHX_MODEL_GROUND || export->robot.links[1 + body].joint >= 0;
}

/* A joint that links the tree with a body outside: one that holds, or a free one; -1. */
static int next_joint(const robot_export *export, bool floating)
{
    for (int j = 0; j < export->model->n_joints; j++) {
        const phx_model_joint *joint = &export->model->joints[j];
        if (joint->active && (robot_kind(joint) == ROBOT_FLOATING) == floating &&
            is_reached(export, joint->ports[0].body) != is_reached(export, joint->ports[1].body))
            return j;
    }
    return -1;
}

static bool is_taken(const robot_export *export, const char *name)
{
    bool taken = false;

    for (int k = 0; k < export->robot.n_links; k++)
        taken = taken || (export->robot.links[k].name && !strcmp(export->robot.links[k].name, name));
    for (int j = 0; j < export->robot.n_joints; j++)
        taken = taken || !strcmp(export->robot.joints[j].name, name);
    for (int j = 0; j < export->model->n_joints; j++)
        taken = taken || !strcmp(export->model->joints[j].name, name);
    return taken;
}

/* A name that no link and no joint has: FIRST or FIRST_SECOND, with signs _ behind. */
static phx_status export_name(const robot_export *export, const char *first, const char *second, char **name)
{
    const size_t most = strlen(first) + (second ? strlen(second) : 0) + 2,
                 more = (size_t)(export->robot.n_links + export->robot.n_joints + export->model->n_joints + 1);

    char *free_name = phx_calloc(export->context, most + more, 1);
    if (!free_name)
        return PHX_ERR_MEMORY;
    snprintf(free_name, most, "%s%s%s", first, second ? "_" : "", second ? second : "");
    while (is_taken(export, free_name))
        strcat(free_name, "_");
    *name = free_name;
    return PHX_OK;
}

/* Hangs a body on the tree by a joint of the model, or, with j = -1, by a floating one. */
static phx_status export_attach(robot_export *export, int j, int body)
{
    const phx_model_joint *from = j < 0 ? NULL : &export->model->joints[j];
    const int n = export->robot.n_joints;
    const bool reversed = from && from->ports[0].body == body;
    robot_joint *to = &export->robot.joints[n];

    *to = (robot_joint){.kind = from ? robot_kind(from) : ROBOT_FLOATING, .child = 1 + body, .mimic = -1};
    phx_status status = PHX_OK;
    if (!from)
        status = export_name(export, export->model->bodies[body].name, "free", &to->name);
    else if (!(to->name = phx_strdup(export->context, from->name)))
        status = PHX_ERR_MEMORY;
    if (status)
        return status;
    export->robot.n_joints++;
    export->sources[n] = (joint_source){j, reversed};
    export->robot.links[to->child].joint = n;
    if (to->kind != ROBOT_FLOATING) /* that one holds nothing */
        to->parent = 1 + from->ports[reversed ? 1 : 0].body;
    to->n_coordinates = to->kind == ROBOT_FLOATING ? 0 : from->n_coordinates;
    bool ball = to->kind == ROBOT_SPHERICAL;
    for (int c = 0; c < to->n_coordinates; c++)
        ball = ball && !has_passive(&from->coordinates[c]);
    to->n_coordinates = ball ? 0 : to->n_coordinates;
    return !reversed || to->n_coordinates < 2
               ? PHX_OK
               : export_refuse(export, from->ports, "joint ", from->name, "has its port A on the body that hangs on it",
                               "write its ports in the other order");
}

/* The tree of joints that hold, from the ground on; bodies that it does not reach float. */
static phx_status export_tree(robot_export *export)
{
    const phx_model *model = export->model;
    phx_status status = PHX_OK;

    for (int body = 0; body < model->n_bodies && !status;) {
        int j = next_joint(export, false);
        j = j < 0 ? next_joint(export, true) : j;
        if (j >= 0) {
            const phx_model_point *ports = model->joints[j].ports;
            status = export_attach(export, j, ports[is_reached(export, ports[0].body) ? 1 : 0].body);
        } else if (is_reached(export, body)) {
            body++;
        } else {
            status = export_attach(export, -1, body);
        }
    }
    for (int j = 0; j < model->n_joints && !status; j++) {
        const phx_model_joint *joint = &model->joints[j];
        bool used = robot_kind(joint) == ROBOT_FLOATING;
        for (int k = 0; k < export->robot.n_joints; k++)
            used = used || export->sources[k].joint == j;
        if (!joint->active)
            lose(export, LOST_INACTIVE, joint->name);
        else if (!used)
            status = export_refuse(export, joint, "joint ", joint->name, "closes a loop",
                                   "leave this joint out, and close the loop where the file is read");
    }
    return status;
}

/* ---- frames at the start ---- */
static robot_pose body_pose(const robot_export *export, int body)
{
    const double *x = export->start.x + phx_system_placed(export->start.system, body).x;
    robot_pose pose = {.x = {x[0], x[1], x[2]}};

    phx_attitude_rotation(3, x + 3, pose.R);
    return pose;
}

/* A port of the model in its body or the ground. */
static robot_pose port_in_body(const robot_export *export, int body, int port)
{
    const phx_model_port *ground = export->model->ground_ports;
    robot_pose pose = robot_pose_identity();

    if (port < 0)
        return pose;
    if (body == PHX_MODEL_GROUND) {
        memcpy(pose.x, ground[port].position, sizeof pose.x);
        memcpy(pose.R, ground[port].rotation.matrix, sizeof pose.R);
        return pose;
    }
    const phx_body_port *point =
        phx_system_find_point(export->start.system, body, export->model->bodies[body].ports[port].name);
    memcpy(pose.x, point->point.x, sizeof pose.x);
    memcpy(pose.R, point->rotation, sizeof pose.R);
    return pose;
}

/* A port of a joint in the world: its place, and the directions of the port in those of its body. */
static robot_pose joint_port(const robot_export *export, phx_port_id id, const phx_model_point *point)
{
    const phx_port_view *view = &export->equations.port[id];
    robot_pose frame = {.x = {view->u1[0], view->u1[1], view->u1[2]}};
    robot_pose directions = port_in_body(export, point->body, point->port);

    memcpy(frame.R, view->R1, sizeof frame.R);
    memset(directions.x, 0, sizeof directions.x);
    return robot_pose_product(&frame, &directions);
}

/* Springs, dampers, friction and stops along coordinate c of a joint of the robot, and what is lost of them. */
static void export_coordinate(robot_export *export, const phx_model_joint *from, int c, robot_joint *to)
{
    const phx_model_coordinate *m = &from->coordinates[c];
    const phx_model_friction *friction = &m->friction;
    const bool urdf = export->format == PHX_ROBOT_URDF,
               kept = c < to->n_coordinates && (!urdf || to->n_coordinates == 1);
    robot_coordinate *coordinate = &to->coordinates[c];

    if (m->speed || m->motion || m->effort)
        lose(export, LOST_DRIVES, from->name);
    if (m->law.given || m->damper.given || m->motor.given)
        lose(export, LOST_LAWS, from->name);
    if (kept ? urdf && m->stiffness > 0.0 : has_passive(m))
        lose(export, LOST_ELASTIC, from->name);
    if (friction->given && (friction->coefficient > 0.0 || friction->breakaway.given || friction->ratio.given ||
                            friction->regularised > 0.0))
        lose(export, LOST_FRICTION, from->name);
    if (m->rate.given && m->rate.value != 0.0)
        lose(export, LOST_RATES, from->name);
    if (!kept)
        return;
    coordinate->damping = m->damping;
    coordinate->friction = friction->force;
    coordinate->stiffness = m->stiffness;
    coordinate->rest = m->stiffness > 0.0 ? m->rest : 0.0;
    if (!m->stops.given)
        return;
    lose(export, LOST_STOPS, from->name);
    coordinate->limited = true;
    coordinate->lower = m->stops.lower.given ? m->stops.lower.value : -HUGE_VAL;
    coordinate->upper = m->stops.upper.given ? m->stops.upper.value : HUGE_VAL;
}

/* The largest effort of controllers on a joint with one coordinate. */
static double controller_limit(const phx_model *model, const char *joint)
{
    double limit = 0.0;

    for (int k = 0; k < model->n_controllers; k++)
        for (int i = 0; 2 * i + 1 < model->controllers[k].n_limits; i++)
            if (!strcmp(model->controllers[k].outputs[i], joint))
                limit = fmax(fabs(model->controllers[k].limits[2 * i]), fabs(model->controllers[k].limits[2 * i + 1]));
    return limit;
}

/* Axes, coordinates at the start, and the frames of a joint that holds, in the world: `fixed` on A is where `moved` on
 * B is at the zero of the coordinates. */
static void joint_frames(robot_export *export, int j, robot_joint *to, robot_pose *fixed, robot_pose *moved)
{
    const phx_model_joint *from = &export->model->joints[j];
    const phx_system *system = export->start.system;
    const phx_joint_view view = phx_system_joint(system, j);
    const phx_row *rows[2] = {NULL};

    *fixed = joint_port(export, view.a, &from->ports[0]);
    *moved = joint_port(export, view.b, &from->ports[1]);
    for (int c = 0; c < to->n_coordinates; c++) {
        const phx_coordinate_view one = phx_system_coordinate(system, j, c);
        const phx_port_view *ports = export->equations.port;
        to->coordinates[c].start =
            one.angle >= 0 ? export->start.x[one.angle] : phx_row_value(one.row, &ports[one.a], &ports[one.b], 1);
        rows[c > 0] = c < 2 ? one.row : rows[1];
        if (export->format == PHX_ROBOT_URDF && to->coordinates[c].start != 0.0)
            lose(export, LOST_START, from->name);
    }
    memcpy(to->axis, from->axis, sizeof to->axis);
    if (to->kind == ROBOT_PLANAR) { /* axes along the displacements and the normal */
        double e[2][3];
        for (int c = 0; c < 2; c++)
            phx_rot_apply(3, export->equations.port[view.a].R1, rows[c]->alpha, e[c]);
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, d = (a + 2) % 3;
            fixed->R[3 * a] = e[0][a];
            fixed->R[3 * a + 1] = e[1][a];
            fixed->R[3 * a + 2] = e[0][b] * e[1][d] - e[0][d] * e[1][b];
            to->axis[a] = a == 2;
        }
    }
    if (to->kind == ROBOT_UNIVERSAL) { /* B's axis at the zero of the first angle */
        const robot_pose relative = robot_pose_relative(fixed, moved);
        double axis[3], turn[9];
        phx_rot_apply(3, relative.R, from->axis_b, axis);
        robot_turn(to->axis, to->coordinates[0].start, turn);
        phx_rot_apply_transposed(3, turn, axis, to->axis_b);
    }
    if (to->n_coordinates > 0) { /* else a ball, whose zero is that of the ports' directions */
        const robot_pose motion = robot_joint_motion(to);
        *moved = robot_pose_product(fixed, &motion);
    }
}

/* Joint k of the robot, whose parent has its pose, and the pose of the child. */
static void export_joint(robot_export *export, int k)
{
    robot_joint *to = &export->robot.joints[k];
    const joint_source *source = &export->sources[k];
    const phx_model_joint *from = source->joint < 0 ? NULL : &export->model->joints[source->joint];
    robot_pose fixed = body_pose(export, to->child - 1), moved = fixed;

    for (int c = 0; from && c < from->n_coordinates; c++)
        export_coordinate(export, from, c, to);
    if (to->kind != ROBOT_FLOATING && to->kind != ROBOT_FIXED)
        joint_frames(export, source->joint, to, &fixed, &moved);
    export->robot.links[to->child].pose = source->reversed ? fixed : moved;
    to->pose = robot_pose_relative(&export->robot.links[to->parent].pose, source->reversed ? &moved : &fixed);
    for (int a = 0; a < 3 && source->reversed; a++)
        to->axis[a] = -to->axis[a];
    if (to->kind == ROBOT_REVOLUTE && !to->coordinates[0].limited)
        to->kind = ROBOT_CONTINUOUS;
    if (to->kind == ROBOT_PRISMATIC && !to->coordinates[0].limited) {
        to->coordinates[0].lower = -HUGE_VAL;
        to->coordinates[0].upper = HUGE_VAL;
    }
    to->effort = from ? controller_limit(export->model, from->name) : 0.0;
}

/* ---- shapes ---- */
/* The end of a shape in its body; false: it is no port and no place. */
static bool end_in_body(const robot_export *export, int body, const phx_model_visual_end *end, double x[3])
{
    const robot_pose port = port_in_body(export, body, end->point.text ? end->point.port : -1);

    memcpy(x, end->point.text ? port.x : end->place, sizeof port.x);
    return !end->point.text || end->point.port >= 0;
}

/* A shape with its place in the body; false: the format does not have it. */
static bool shape_of(const robot_export *export, int body, const phx_model_visual *visual, robot_shape *shape)
{
    static const struct {
        phx_model_visual_kind kind;
        robot_shape_kind shape;
        bool urdf;
    } known[] = {{PHX_MODEL_VISUAL_BOX, ROBOT_BOX, true},          {PHX_MODEL_VISUAL_CYLINDER, ROBOT_CYLINDER, true},
                 {PHX_MODEL_VISUAL_SPHERE, ROBOT_SPHERE, true},    {PHX_MODEL_VISUAL_ELLIPSOID, ROBOT_ELLIPSOID, false},
                 {PHX_MODEL_VISUAL_CAPSULE, ROBOT_CAPSULE, false}, {PHX_MODEL_VISUAL_MESH, ROBOT_MESH, true}};
    enum { N = sizeof known / sizeof *known };
    double length = visual->length, ends[2][3];
    unsigned colour[3] = {0};
    int k = 0;

    while (k < N && known[k].kind != visual->kind)
        k++;
    if (k == N || (export->format == PHX_ROBOT_URDF && !known[k].urdf))
        return false;
    *shape = (robot_shape){.kind = known[k].shape, .pose = robot_pose_identity()};
    memcpy(shape->pose.x, visual->position, sizeof shape->pose.x);
    if (visual->rotation.given)
        memcpy(shape->pose.R, visual->rotation.matrix, sizeof shape->pose.R);
    if (visual->from.given) {
        if (!end_in_body(export, body, &visual->from, ends[0]) || !end_in_body(export, body, &visual->to, ends[1]))
            return false;
        length = phx_solid_between(ends[0], ends[1], shape->pose.x, shape->pose.R);
    }
    for (int a = 0; a < 3; a++)
        shape->size[a] = (shape->kind == ROBOT_BOX ? 1.0 : 0.5) * visual->size[a];
    if (shape->kind == ROBOT_CYLINDER || shape->kind == ROBOT_CAPSULE)
        shape->size[1] = length;
    if (shape->kind == ROBOT_MESH)
        shape->size[0] = visual->scale;
    if (visual->colour && sscanf(visual->colour, "#%2x%2x%2x", &colour[0], &colour[1], &colour[2]) == 3) {
        for (int a = 0; a < 3; a++)
            shape->colour[a] = colour[a] / 255.0;
        shape->colour[3] = visual->opacity;
    }
    return true;
}

static phx_status export_shapes(robot_export *export, int body, const robot_pose *in_link)
{
    const phx_model *model = export->model;
    const bool ground = body == PHX_MODEL_GROUND;
    const int n = ground ? model->n_ground_visuals : model->bodies[body].n_visuals;
    const phx_model_visual *visuals = ground ? model->ground_visuals : model->bodies[body].visuals;
    robot_link *link = &export->robot.links[1 + body];

    link->shapes = phx_calloc(export->context, (size_t)n + 1, sizeof *link->shapes);
    if (!link->shapes)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        robot_shape *shape = &link->shapes[link->n_shapes];
        if (!shape_of(export, body, &visuals[k], shape)) {
            lose(export, LOST_SHAPES, ground ? "ground" : model->bodies[body].name);
            continue;
        }
        shape->pose = robot_pose_product(in_link, &shape->pose);
        link->n_shapes++;
        if (shape->kind == ROBOT_MESH && !(shape->file = phx_strdup(export->context, visuals[k].file)))
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* ---- links ---- */
/* Whether a port of link `link` needs no link of its own: it is the frame of its link, or a joint of its name begins
 * there. */
static bool is_implied(const robot_export *export, int link, const char *name, const robot_pose *pose)
{
    static const double SAME = 1e-12; /* m, and entries of a rotation */
    const robot_pose identity = robot_pose_identity();
    bool same = true;

    for (int j = 0; j < export->robot.n_joints; j++)
        if (export->robot.joints[j].parent == link && !strcmp(export->robot.joints[j].name, name))
            return true;
    for (int a = 0; a < 9; a++)
        same = same && fabs(pose->R[a] - identity.R[a]) <= SAME && (a > 2 || fabs(pose->x[a]) <= SAME);
    return same;
}

/* A port as a link without mass on a fixed joint. */
static phx_status export_port(robot_export *export, int body, int p, const robot_pose *in_link)
{
    phx_robot *robot = &export->robot;
    const char *name =
        (body == PHX_MODEL_GROUND ? export->model->ground_ports : export->model->bodies[body].ports)[p].name;
    const robot_pose port = port_in_body(export, body, p), pose = robot_pose_product(in_link, &port);
    robot_link *link = &robot->links[robot->n_links];
    robot_joint *joint = &robot->joints[robot->n_joints];
    const bool own = !strcmp(name, "P");

    if (is_implied(export, 1 + body, name, &pose))
        return PHX_OK;
    const phx_status status = own || is_taken(export, name)
                                  ? export_name(export, robot->links[1 + body].name, name, &link->name)
                                  : export_name(export, name, NULL, &link->name);
    if (status)
        return status;
    link->joint = robot->n_joints;
    *joint =
        (robot_joint){.kind = ROBOT_FIXED, .parent = 1 + body, .child = robot->n_links++, .pose = pose, .mimic = -1};
    joint->name = phx_strdup(export->context, link->name);
    robot->n_joints += joint->name != NULL;
    return joint->name ? PHX_OK : PHX_ERR_MEMORY;
}

/* Mass, centre and inertia of a body in the frame of its link; J0 = I + m (|c|^2 - c c^T). */
static void export_mass(robot_export *export, int body, const robot_pose *in_link)
{
    static const int pair[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2}; /* of J0, 11 22 33 12 13 23 */
    const phx_mass_properties *rest = phx_body_at_rest(phx_system_body(export->start.system, body));
    robot_link *link = &export->robot.links[1 + body];
    robot_link part = {.mass = rest->mass, .pose = *in_link};

    for (int a = 0; a < 3; a++)
        part.com[a] = rest->s0[a] / rest->mass;
    for (int k = 0; k < 9; k++)
        part.inertia[k] = rest->J0[pair[k]];
    robot_add_offset(-rest->mass, part.com, part.inertia);
    robot_merge(link, &part);
}

/* The ground and the bodies at the start, then their ports. */
static phx_status export_links(robot_export *export)
{
    const phx_model *model = export->model;
    phx_status status = PHX_OK;

    for (int k = 0; k < export->robot.n_joints; k++)
        export_joint(export, k);
    for (int body = PHX_MODEL_GROUND; body < model->n_bodies && !status; body++) {
        const bool ground = body == PHX_MODEL_GROUND;
        const int n_ports = ground ? model->n_ground_ports : model->bodies[body].n_ports;
        const robot_pose pose = ground ? robot_pose_identity() : body_pose(export, body),
                         in_link = robot_pose_relative(&export->robot.links[1 + body].pose, &pose);
        if (!ground)
            export_mass(export, body, &in_link);
        status = export_shapes(export, body, &in_link);
        for (int p = 0; p < n_ports && !status; p++)
            status = export_port(export, body, p, &in_link);
    }
    return status;
}

/* Names of the ground and the bodies; gravity, which URDF leaves to its readers. */
static phx_status export_begin(robot_export *export)
{
    static const double usual[3] = {0.0, 0.0, -9.81};
    const phx_model *model = export->model;
    phx_robot *robot = &export->robot;
    size_t links = (size_t)(1 + model->n_bodies + model->n_ground_ports);
    char gravity[80];

    for (int b = 0; b < model->n_bodies; b++)
        links += (size_t)model->bodies[b].n_ports;
    robot->name = phx_strdup(export->context, model->title);
    robot->links = phx_calloc(export->context, links, sizeof *robot->links);
    robot->joints = phx_calloc(export->context, links, sizeof *robot->joints);
    export->sources = phx_calloc(export->context, links, sizeof *export->sources);
    if (!robot->name || !robot->links || !robot->joints || !export->sources)
        return PHX_ERR_MEMORY;
    robot->n_links = 1 + model->n_bodies;
    for (int k = 0; k < robot->n_links; k++) {
        robot->links[k].joint = -1;
        robot->links[k].pose = robot_pose_identity();
        if (k > 0 && !(robot->links[k].name = phx_strdup(export->context, model->bodies[k - 1].name)))
            return PHX_ERR_MEMORY;
    }
    memcpy(robot->gravity, model->gravity, sizeof robot->gravity);
    snprintf(gravity, sizeof gravity, "%g %g %g m/s^2", model->gravity[0], model->gravity[1], model->gravity[2]);
    if (export->format == PHX_ROBOT_URDF && memcmp(usual, model->gravity, sizeof usual) != 0)
        lose(export, LOST_GRAVITY, gravity);
    return export_name(export, "world", NULL, &robot->links[0].name);
}

static phx_status export_write(phx_context *context, const void *data, const char *folder, FILE *stream)
{
    const robot_export *export = data;

    return robot_write_xml(context, export->format, &export->robot, folder, stream);
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
        status = phx_start_point_create(context, export->model, NULL, &start, false, &export->start);
    if (status)
        return status;
    phx_system_view(export->start.dae, export->start.x, export->start.v);
    export->equations = phx_system_equations(export->start.dae);
    lose_parts(export);
    status = export_links(export);
    for (int k = 0; k < LOST_KINDS && !status; k++)
        if (export->lost[k][0])
            phx_log(context, PHX_LOG_WARNING, "%s: left out of the file in %s: %s (%s)", export->model->path,
                    export->word, lost_words[k], export->lost[k]);
    return status ? status : robot_save(context, path, export_write, export);
}

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
    robot_free(&export.robot);
    return phx_conclude(context, status);
}
