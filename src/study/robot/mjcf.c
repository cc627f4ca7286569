/* Reads MJCF: settings, bodies, joints, sites, the first keyframe. */
#include "mjcf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- settings ---- */
/* Units, sequences of angles, folders of meshes and rules of masses that hold for the whole file. */
static phx_status mjcf_compiler(mjcf_reader *reader, const phx_xml *element)
{
    static const char *const angles[] = {"radian", "degree", NULL}, *const coordinates[] = {"local", NULL};
    const mjcf_item item = {.reader = reader, .element = element};
    const char *sequence = robot_attribute(element, "eulerseq"), *assets = robot_attribute(element, "assetdir"),
               *meshes = robot_attribute(element, "meshdir");
    double bounds[2] = {0};
    int local = 0;
    const mjcf_value values[] = {{"angle", angles, 0, &reader->degrees},
                                 {"coordinate", coordinates, 0, &local},
                                 {"autolimits", MJCF_BOOLEAN, 0, &reader->limits},
                                 {"inertiafromgeom", MJCF_AUTO, 0, &reader->from_geoms},
                                 {"balanceinertia", MJCF_BOOLEAN, 0, &reader->balance},
                                 {"settotalmass", NULL, 1, &reader->total},
                                 {"inertiagrouprange", NULL, 2, reader->groups},
                                 {"boundmass", NULL, 1, &bounds[0]},
                                 {"boundinertia", NULL, 1, &bounds[1]},
                                 {0}};
    phx_status status = mjcf_values(&item, values);

    if (!status && sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3))
        status = mjcf_refuse(&item, "eulerseq: expected three letters of x, y, z, X, Y, Z, found ", sequence);
    if (bounds[0] > 0.0 || bounds[1] > 0.0)
        mjcf_warn(&item, "boundmass, boundinertia", "left out");
    reader->sequence = sequence ? sequence : reader->sequence;
    reader->mesh_folder = meshes ? meshes : assets ? assets : reader->mesh_folder;
    reader->degree = reader->degrees ? PI / 180.0 : 1.0;
    return status;
}

/* Gravity; forces of a medium are left out. */
static phx_status mjcf_option(mjcf_reader *reader, const phx_xml *element)
{
    static const char *const flags[] = {"disable", "enable", NULL};
    const mjcf_item item = {.reader = reader, .element = element},
                    flag = {.reader = reader, .element = robot_child(element, "flag")};
    double medium[2] = {0};
    int gravity = 1;
    const mjcf_value values[] = {{"gravity", NULL, 3, reader->robot->gravity},
                                 {"density", NULL, 1, &medium[0]},
                                 {"viscosity", NULL, 1, &medium[1]},
                                 {0}};
    phx_status status = mjcf_values(&item, values);

    if (!status && flag.element)
        status = mjcf_choice(&flag, "gravity", flags, &gravity);
    if (!gravity)
        memset(reader->robot->gravity, 0, sizeof reader->robot->gravity);
    if (medium[0] > 0.0 || medium[1] > 0.0)
        mjcf_warn(&item, "density, viscosity", "forces of the medium are left out");
    return status;
}

/* The settings of all sections; those that are left out are reported with their number of elements. A section that MJCF
 * does not have is an error. */
static phx_status mjcf_sections(mjcf_reader *reader)
{
    static const char *const sections[] = {"contact",   "sensor", "extension", "deformable", "compiler", "option",
                                           "default",   "asset",  "worldbody", "keyframe",   "size",     "visual",
                                           "statistic", "custom", "actuator",  "equality",   "tendon",   NULL};
    enum { N = sizeof sections / sizeof *sections - 1, LEFT_OUT = 4 };
    const phx_xml *root = reader->root;
    phx_status status = PHX_OK;
    int count[N] = {0}, line[N] = {0};
    const char *path[N] = {0};

    for (int k = 0; k < root->n_children && !status; k++) {
        const phx_xml *element = &root->children[k];
        const mjcf_item item = {.reader = reader, .element = element};
        const int s = mjcf_word(sections, element->name);
        if (s == N)
            return mjcf_refuse(&item, "MJCF has no section of this name", NULL);
        line[s] = count[s] ? line[s] : element->line;
        path[s] = count[s] ? path[s] : element->path;
        count[s] += element->n_children;
        if (!strcmp(element->name, "compiler"))
            status = mjcf_compiler(reader, element);
        else if (!strcmp(element->name, "option"))
            status = mjcf_option(reader, element);
        else if (!strcmp(element->name, "default"))
            status = mjcf_classes(reader, element, -1, true);
    }
    for (int s = 0; s < LEFT_OUT && !status; s++)
        if (count[s])
            phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <%s>: %d element%s left out", path[s], line[s],
                    sections[s], count[s], count[s] > 1 ? "s are" : " is");
    return status;
}

/* ---- joints ---- */
typedef enum mjcf_joint_kind { MJCF_HINGE, MJCF_SLIDE, MJCF_BALL, MJCF_FREE } mjcf_joint_kind;
enum { MOST_JOINTS = ROBOT_COORDINATES };

/* The joints of a body, in its axes. */
typedef struct mjcf_joints {
    int count;
    mjcf_item items[MOST_JOINTS];
    int kinds[MOST_JOINTS];
    double places[MOST_JOINTS][3], axes[MOST_JOINTS][3], references[MOST_JOINTS], efforts[2];
    robot_coordinate coordinates[MOST_JOINTS];
} mjcf_joints;

/* Range, damping, spring and friction of a joint, counted from its reference. */
static phx_status mjcf_coordinate(const mjcf_item *item, int kind, robot_coordinate *coordinate, double *reference)
{
    const double unit = kind == MJCF_SLIDE ? 1.0 : item->reader->degree;
    int limited = 1;
    double range[2] = {0};
    const mjcf_value values[] = {{"limited", MJCF_AUTO, 0, &limited},
                                 {"range", NULL, 2, range},
                                 {"damping", NULL, 1, &coordinate->damping},
                                 {"stiffness", NULL, 1, &coordinate->stiffness},
                                 {"frictionloss", NULL, 1, &coordinate->friction},
                                 {"springref", NULL, 1, &coordinate->rest},
                                 {"ref", NULL, 1, reference},
                                 {"armature", NULL, 1, &coordinate->rotor},
                                 {0}};
    const char *name = robot_attribute(item->element, "name");
    phx_status status = mjcf_values(item, values);

    if (status)
        return status;
    if (coordinate->damping < 0.0 || coordinate->stiffness < 0.0 || coordinate->friction < 0.0 ||
        coordinate->rotor < 0.0)
        return mjcf_refuse(item, "damping, stiffness, frictionloss and armature must not be negative", NULL);
    coordinate->limited = limited == 2 || (limited == 1 && item->reader->limits && range[0] < range[1]);
    if (kind < MJCF_BALL && coordinate->limited && range[0] >= range[1])
        return mjcf_refuse(item, "the lower limit must be below the upper one, range ",
                           mjcf_text(item, "range") ? mjcf_text(item, "range") : "");
    *reference *= unit;
    coordinate->lower = range[0] * unit - *reference;
    coordinate->upper = range[1] * unit - *reference;
    coordinate->rest = coordinate->stiffness > 0.0 ? coordinate->rest * unit - *reference : 0.0;
    if (kind >= MJCF_BALL) {
        if (coordinate->damping > 0.0 || coordinate->stiffness > 0.0 || coordinate->friction > 0.0 ||
            coordinate->rotor > 0.0 || (coordinate->limited && kind == MJCF_BALL))
            mjcf_warn(item, name,
                      "range, damping, stiffness, friction and armature of a ball or free joint are left out");
        *coordinate = (robot_coordinate){0};
    }
    return PHX_OK;
}

/* Enters a joint of a body; its frame is in the axes of the body. */
static phx_status mjcf_joint(const mjcf_item *item, mjcf_joints *joints)
{
    static const char *const kinds[] = {"hinge", "slide", "ball", "free", NULL};
    const int k = joints->count;
    double place[3] = {0}, axis[3] = {0.0, 0.0, 1.0};

    if (k == MOST_JOINTS)
        return mjcf_refuse(
            item, "a body with more than six joints is not read; give each joint a body with a small mass", NULL);
    joints->count++;
    joints->items[k] = *item;
    if (!strcmp(item->element->name, "freejoint")) {
        joints->kinds[k] = MJCF_FREE;
        return PHX_OK;
    }
    const mjcf_value values[] = {{"type", kinds, 0, &joints->kinds[k]},
                                 {"pos", NULL, 3, place},
                                 {"axis", NULL, 3, axis},
                                 {"actuatorfrcrange", NULL, 2, joints->efforts},
                                 {0}};
    phx_status status = mjcf_values(item, values);
    if (!status)
        status = mjcf_coordinate(item, joints->kinds[k], &joints->coordinates[k], &joints->references[k]);
    const double length = sqrt(phx_dot(3, axis, axis));
    if (!status && length == 0.0)
        status = mjcf_refuse(item, "the axis is zero", NULL);
    if (status)
        return status;
    for (int a = 0; a < 3; a++)
        axis[a] /= length;
    phx_rot_apply(3, item->frame.R, axis, joints->axes[k]);
    phx_rot_apply(3, item->frame.R, place, joints->places[k]);
    for (int a = 0; a < 3; a++)
        joints->places[k][a] += item->frame.x[a];
    return PHX_OK;
}

/* The joint of a model that is the joints of a body, and the frame of the link in that of the body: at the joint, of
 * three joints with their axes. */
static phx_status mjcf_combine(mjcf_joints *joints, robot_joint *joint, mjcf_start *start, robot_pose *frame)
{
    const int count = joints->count;
    const bool one = count == 1 && joints->kinds[0] > MJCF_SLIDE; /* a ball, or free */
    bool slides[MOST_JOINTS], simple = true;

    for (int k = 0; k < count; k++) {
        slides[k] = joints->kinds[k] == MJCF_SLIDE;
        simple = simple && joints->kinds[k] <= MJCF_SLIDE;
        start->names[k] = robot_attribute(joints->items[k].element, "name");
    }
    *frame = robot_pose_identity();
    joint->kind = !one ? ROBOT_FIXED : joints->kinds[0] == MJCF_BALL ? ROBOT_SPHERICAL : ROBOT_FLOATING;
    memcpy(joint->coordinates, joints->coordinates, sizeof joint->coordinates);
    memcpy(start->reference, joints->references, sizeof start->reference);
    start->sign = 1.0;
    if (joint->kind == ROBOT_SPHERICAL)
        memcpy(frame->x, joints->places[0], sizeof frame->x);
    if (count && !one &&
        (!simple || !robot_combine(count, slides, joints->axes, joints->places, joint, frame, &start->sign)))
        return mjcf_refuse(
            &joints->items[count - 1],
            "the joints of this body are no joint of a model, which are two or three hinges at one point, "
            "two slides and a hinge, all perpendicular, or three slides and hinges about the same right-handed axes; "
            "give each joint a body with a small mass",
            NULL);
    if (count == 1 && simple) { /* counted as in the file: the place of the file is that at the reference */
        robot_coordinate *first = &joint->coordinates[0];
        const double reference = joints->references[0];
        first->lower += reference;
        first->upper += reference;
        first->rest += first->stiffness > 0.0 ? reference : 0.0;
        first->start = start->counted = reference;
        start->reference[0] = 0.0;
    }
    joint->effort = joint->n_coordinates == 1 ? fmax(-joints->efforts[0], joints->efforts[1]) : 0.0;
    return PHX_OK;
}

/* ---- bodies ---- */
static phx_status mjcf_body(const mjcf_item *item);

/* Goes through a body and the frames in it: first its joints into `joints`, then, with NULL, all else. */
static phx_status mjcf_content(const mjcf_item *parent, mjcf_joints *joints, bool with_mass)
{
    static const char *const refused[] = {"composite", "flexcomp", "replicate", "attach", "plugin", NULL},
                             *const known[] = {"camera", "light", "inertial", "joint", "freejoint", NULL};
    phx_status status = PHX_OK;

    for (int k = 0; k < parent->element->n_children && !status; k++) {
        mjcf_item item = *parent;
        item.element = &parent->element->children[k];
        const char *name = item.element->name, *inner = robot_attribute(item.element, "childclass");
        const int r = mjcf_word(refused, name), o = mjcf_word(known, name);
        if (!strcmp(name, "frame")) {
            status = mjcf_pose(&item, &item.frame);
            item.childclass = inner ? inner : item.childclass;
            if (!status)
                status = mjcf_content(&item, joints, with_mass);
        } else if (joints) {
            if (o == 3 || o == 4)
                status = mjcf_joint(&item, joints);
        } else if (!strcmp(name, "geom")) {
            status = mjcf_geom(&item, with_mass);
        } else if (!strcmp(name, "body")) {
            status = mjcf_body(&item);
        } else if (refused[r]) {
            status = mjcf_refuse(&item, "this element is not read; write out what it makes", NULL);
        } else if (!strcmp(name, "site")) {
            item.reader->sites[item.reader->n_sites++] = item;
        } else if (!known[o]) {
            status = mjcf_refuse(&item, "a body has no such element", NULL);
        }
    }
    return status;
}

/* Masses: of the body's <inertial>, or of its geoms. */
static phx_status mjcf_masses(const mjcf_item *body, bool *from_geoms)
{
    mjcf_item inertial = *body;

    inertial.element = robot_child(body->element, "inertial");
    *from_geoms = body->reader->from_geoms == 2 || (body->reader->from_geoms == 1 && !inertial.element);
    return *from_geoms || !inertial.element ? PHX_OK
                                            : mjcf_inertial(&inertial, &body->reader->robot->links[body->link]);
}

/* Principal moments that no body has are made equal if the file wants that. */
static phx_status mjcf_balance(const mjcf_reader *reader, robot_link *link)
{
    double values[3], vectors[9];
    const phx_status status =
        reader->balance ? phx_dense_eigen_symmetric(reader->context, 3, link->inertia, NULL, values, vectors) : PHX_OK;

    if (!status && reader->balance && values[0] + values[1] < values[2])
        for (int a = 0; a < 9; a++)
            link->inertia[a] = a % 4 ? 0.0 : (values[0] + values[1] + values[2]) / 3.0;
    return status;
}

/* A body in its parent; the item is in the frame of the parent. */
static phx_status mjcf_body(const mjcf_item *item)
{
    mjcf_reader *reader = item->reader;
    phx_robot *robot = reader->robot;
    mjcf_item body = *item;
    mjcf_joints joints = {0};
    const char *named = robot_attribute(item->element, "name"), *inner = robot_attribute(item->element, "childclass");
    robot_link *link = &robot->links[robot->n_links];
    robot_joint *joint = &robot->joints[robot->n_joints];
    mjcf_start *start = &reader->starts[robot->n_joints];
    robot_pose pose, frame;
    char fallback[32];
    bool from_geoms = false;

    body.childclass = inner ? inner : item->childclass;
    body.frame = robot_pose_identity();
    phx_status status = mjcf_pose(item, &pose);
    if (!status)
        status = mjcf_content(&body, &joints, false);
    if (!status)
        status = mjcf_combine(&joints, joint, start, &frame);
    if (!status && joint->kind == ROBOT_FLOATING && joint->n_coordinates == 0 && item->link != 0)
        status = mjcf_refuse(&joints.items[0], "a free joint must be in a body of the world", NULL);
    if (!status)
        status = mjcf_twice(item, named);
    snprintf(fallback, sizeof fallback, "body_%d", robot->n_links);
    if (!status)
        status = mjcf_name(item, named ? named : fallback, true, joint->kind == ROBOT_FIXED, &link->name);
    for (int k = 0; k < joints.count && !status; k++)
        status = mjcf_twice(&joints.items[k], robot_attribute(joints.items[k].element, "name"));
    if (status) {
        phx_free(link->name);
        link->name = NULL;
        return status;
    }
    body.link = robot->n_links++;
    link->path = item->element->path;
    link->line = item->element->line;
    link->joint = -1;
    const mjcf_item *first = joints.count ? &joints.items[0] : item;
    const char *own = robot_attribute(first->element, "name");
    char text[300];
    snprintf(text, sizeof text, "%.200s_joint", link->name);
    status = mjcf_name(first, !joints.count ? link->name : own ? own : text, false, true, &joint->name);
    if (status)
        return status;
    robot->n_joints++;
    joint->path = first->element->path;
    joint->line = first->element->line;
    joint->mimic = -1;
    joint->parent = item->link;
    joint->child = body.link;
    const robot_pose motion = robot_joint_motion(joint), back = robot_pose_inverse(&motion),
                     placed = robot_pose_product(&pose, &frame);
    joint->pose = robot_pose_product(&placed, &back);
    joint->has_zero = joint->kind >= ROBOT_FLOATING && joint->n_coordinates == 0;
    joint->zero = joint->kind == ROBOT_FLOATING ? robot_pose_identity() : joint->pose;
    start->address = reader->n_qpos;
    for (int k = 0; k < joints.count; k++)
        reader->n_qpos += joints.kinds[k] == MJCF_FREE ? 7 : joints.kinds[k] == MJCF_BALL ? 4 : 1;
    body.frame = robot_pose_inverse(&frame);
    reader->places[body.link] =
        (mjcf_place){named, body.frame, robot_pose_product(&reader->places[item->link].world, &placed)};
    if (robot_attribute(item->element, "gravcomp"))
        mjcf_warn(item, named, "gravcomp is left out");
    status = mjcf_masses(&body, &from_geoms);
    if (!status)
        status = mjcf_content(&body, NULL, from_geoms);
    return status ? status : mjcf_balance(reader, &robot->links[body.link]);
}

/* A site with a name becomes a link without mass, that is a port of its body. */
static phx_status mjcf_site(const mjcf_item *item)
{
    phx_robot *robot = item->reader->robot;
    robot_link *link = &robot->links[robot->n_links];
    robot_joint *joint = &robot->joints[robot->n_joints];
    const char *named = robot_attribute(item->element, "name");

    if (!named)
        return PHX_OK;
    *link = (robot_link){.path = item->element->path, .line = item->element->line, .joint = -1};
    *joint = (robot_joint){.path = link->path, .line = link->line, .mimic = -1, .parent = item->link};
    phx_status status = mjcf_pose(item, &joint->pose);
    if (!status)
        status = mjcf_name(item, named, true, true, &link->name);
    if (status)
        return status;
    joint->child = robot->n_links++;
    joint->name = phx_strdup(item->reader->context, link->name);
    if (!joint->name)
        return PHX_ERR_MEMORY;
    robot->n_joints++;
    return PHX_OK;
}

/* ---- the whole ---- */
/* The start by qpos of a key: coordinates, and poses of free joints and balls. */
static phx_status mjcf_key(const mjcf_reader *reader, const phx_xml *key)
{
    double *q = phx_calloc(reader->context, (size_t)reader->n_qpos + 1, sizeof *q);
    const char *text = robot_attribute(key, "qpos");
    phx_status status =
        q ? robot_numbers(reader->context, key, "qpos", text, reader->n_qpos, reader->n_qpos, q) : PHX_ERR_MEMORY;

    for (int j = 0; j < reader->robot->n_joints && !status && text; j++) {
        robot_joint *joint = &reader->robot->joints[j];
        const mjcf_start *start = &reader->starts[j];
        const double *values = q + start->address;
        double R[9], product[9];
        for (int k = 0; k < joint->n_coordinates; k++)
            joint->coordinates[k].start = (k == 2 ? start->sign : 1.0) * (values[k] - start->reference[k]);
        if (joint->kind == ROBOT_FLOATING && joint->n_coordinates == 0) {
            memcpy(joint->pose.x, values, sizeof joint->pose.x);
            phx_rot_from_quaternion(values + 3, joint->pose.R);
        } else if (joint->kind == ROBOT_SPHERICAL && joint->n_coordinates == 0) {
            phx_rot_from_quaternion(values, R);
            phx_dense_multiply(false, false, 3, 3, 3, 1.0, joint->pose.R, 3, R, 3, 0.0, product, 3);
            memcpy(joint->pose.R, product, sizeof product);
        }
    }
    if (!status && (robot_attribute(key, "qvel") || robot_attribute(key, "act")))
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <key>: qvel and act are left out", key->path, key->line);
    phx_free(q);
    return status;
}

/* The first key is the start; ranges that do not contain it are reported. */
static phx_status mjcf_keys(const mjcf_reader *reader)
{
    const phx_robot *robot = reader->robot;
    const phx_xml *first = mjcf_entry(reader, "keyframe", 0), *second = mjcf_entry(reader, "keyframe", 1);
    const phx_status status = first ? mjcf_key(reader, first) : PHX_OK;

    if (second)
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <key>: only the first one is the start", second->path,
                second->line);
    for (int j = 0; j < robot->n_joints && !status; j++)
        for (int k = 0; k < robot->joints[j].n_coordinates; k++) {
            const robot_coordinate *coordinate = &robot->joints[j].coordinates[k];
            if (coordinate->limited && (coordinate->lower > coordinate->start || coordinate->upper < coordinate->start))
                phx_log(reader->context, PHX_LOG_WARNING,
                        "%s:%d: the range of the joint '%s' does not contain its start: it becomes a comment",
                        robot->joints[j].path, robot->joints[j].line, robot->joints[j].name);
        }
    return status;
}

static int mjcf_count(const phx_xml *element)
{
    int count = !strcmp(element->name, "body") || !strcmp(element->name, "site");

    for (int k = 0; k < element->n_children; k++)
        count += mjcf_count(&element->children[k]);
    return count;
}

/* The world, all bodies and sites in it. */
static phx_status mjcf_worlds(mjcf_reader *reader)
{
    phx_robot *robot = reader->robot;
    phx_status status = PHX_OK;
    int worlds = 0;
    double sum = 0.0;

    for (int k = 0; k < reader->root->n_children && !status; k++) {
        const phx_xml *element = &reader->root->children[k];
        if (strcmp(element->name, "worldbody") != 0)
            continue;
        const mjcf_item world = {reader, element, robot_attribute(element, "childclass"), 0, robot_pose_identity(),
                                 false,  NULL};
        robot->links[0].line = worlds++ ? robot->links[0].line : element->line;
        status = mjcf_check_classes(reader, element);
        if (!status)
            status = mjcf_content(&world, NULL, false);
    }
    for (int k = 0; k < reader->n_sites && !status; k++)
        status = mjcf_site(&reader->sites[k]);
    for (int k = 1; k < robot->n_links; k++)
        sum += robot->links[k].mass;
    for (int k = 1; k < robot->n_links && reader->total > 0.0 && sum > 0.0; k++) {
        robot->links[k].mass *= reader->total / sum;
        for (int a = 0; a < 9; a++)
            robot->links[k].inertia[a] *= reader->total / sum;
    }
    if (!status && reader->touching)
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <geom>: contacts of %d geoms are left out",
                reader->touching->path, reader->touching->line, reader->n_touching);
    return status;
}

/* Includes files, then reads settings, the world, what closes loops, the start and motors. */
phx_status robot_read_mjcf(phx_context *context, const phx_robot_options *options, phx_xml *root, phx_robot *robot)
{
    mjcf_reader reader = {.context = context,
                          .options = options,
                          .root = root,
                          .robot = robot,
                          .degree = PI / 180.0,
                          .sequence = "xyz",
                          .mesh_folder = ".",
                          .degrees = 1,
                          .limits = 1,
                          .from_geoms = 1,
                          .groups = {0.0, 5.0}};
    const char *name = robot_attribute(root, "model");
    phx_status status = mjcf_expand(context, robot, root, 0);

    if (!status && options->free_base)
        status = phx_fail(context, PHX_ERR_INPUT,
                          "%s: --free-base is not for MJCF, whose root is the world; give the body a <freejoint/>",
                          robot->path);
    const size_t count = status ? 1 : (size_t)mjcf_count(root) + 1;
    if (!status) {
        robot->name = phx_strdup(context, name ? name : "robot");
        robot->links = phx_calloc(context, count, sizeof *robot->links);
        robot->joints = phx_calloc(context, count, sizeof *robot->joints);
        reader.starts = phx_calloc(context, count, sizeof *reader.starts);
        reader.sites = phx_calloc(context, count, sizeof *reader.sites);
        reader.places = phx_calloc(context, count, sizeof *reader.places);
        if (!robot->name || !robot->links || !robot->joints || !reader.starts || !reader.sites || !reader.places)
            status = PHX_ERR_MEMORY;
    }
    if (!status) {
        robot->links[0] =
            (robot_link){.name = phx_strdup(context, "world"), .path = root->path, .line = root->line, .joint = -1};
        robot->n_links = 1;
        robot->floor = robot_pose_identity();
        reader.places[0] = (mjcf_place){"world", robot_pose_identity(), robot_pose_identity()};
        status = robot->links[0].name ? mjcf_sections(&reader) : PHX_ERR_MEMORY;
    }
    if (!status)
        status = mjcf_worlds(&reader);
    if (!status)
        status = mjcf_equalities(&reader);
    if (!status)
        status = mjcf_tendons(&reader);
    if (!status)
        status = mjcf_keys(&reader);
    if (!status)
        status = mjcf_actuators(&reader);
    phx_free(reader.classes);
    phx_free(reader.starts);
    phx_free(reader.sites);
    phx_free(reader.places);
    phx_free(reader.meshes);
    return status;
}
