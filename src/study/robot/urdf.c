/* Reads URDF: links, joints, materials, meshes. */
#include "robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is read, for messages: the file and where in it. */
typedef struct urdf_reader {
    phx_context *context;
    const phx_robot_options *options;
    const char *path;
    const phx_xml *root;
} urdf_reader;

/* `count` finite numbers of an attribute; what is absent leaves `values`. */
static phx_status urdf_numbers(const urdf_reader *reader, const phx_xml *element, const char *key, int count,
                               double *values)
{
    return robot_numbers(reader->context, element, key, robot_attribute(element, key), count, count, values);
}

/* A number that must be there. */
static phx_status urdf_needed(const urdf_reader *reader, const phx_xml *parent, const char *name, const char *key,
                              int count, double *values)
{
    const phx_xml *element = name ? robot_child(parent, name) : parent;

    if (!robot_attribute(element, key))
        return phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: <%s>: %s%s%s%s is missing", reader->path, parent->line,
                        parent->name, key, name ? " of <" : "", name ? name : "", name ? ">" : "");
    return urdf_numbers(reader, element, key, count, values);
}

static phx_status urdf_name(const urdf_reader *reader, const phx_xml *element, char **name)
{
    const char *text = robot_attribute(element, "name");

    if (!text || !*text)
        return phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: <%s> has no name", reader->path, element->line,
                        element->name);
    *name = phx_strdup(reader->context, text);
    return *name ? PHX_OK : PHX_ERR_MEMORY;
}

/* <origin xyz rpy>: R = Rz(yaw) Ry(pitch) Rx(roll). */
static phx_status urdf_origin(const urdf_reader *reader, const phx_xml *parent, robot_pose *pose)
{
    const phx_xml *origin = robot_child(parent, "origin");
    double rpy[3] = {0};

    *pose = robot_pose_identity();
    phx_status status = urdf_numbers(reader, origin, "xyz", 3, pose->x);
    if (!status)
        status = urdf_numbers(reader, origin, "rpy", 3, rpy);
    const double c[3] = {cos(rpy[0]), cos(rpy[1]), cos(rpy[2])}, s[3] = {sin(rpy[0]), sin(rpy[1]), sin(rpy[2])};
    const double R[9] = {c[2] * c[1],
                         c[2] * s[1] * s[0] - s[2] * c[0],
                         c[2] * s[1] * c[0] + s[2] * s[0],
                         s[2] * c[1],
                         s[2] * s[1] * s[0] + c[2] * c[0],
                         s[2] * s[1] * c[0] - c[2] * s[0],
                         -s[1],
                         c[1] * s[0],
                         c[1] * c[0]};
    memcpy(pose->R, R, sizeof R);
    return status;
}

/* ---- links ---- */
static phx_status urdf_inertial(const urdf_reader *reader, const phx_xml *element, robot_link *link)
{
    const phx_xml *inertial = robot_child(element, "inertial");
    robot_pose pose;
    double i[6] = {0}, turned[9];
    static const char *const keys[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};

    if (!inertial)
        return PHX_OK;
    phx_status status = urdf_origin(reader, inertial, &pose);
    if (!status)
        status = urdf_needed(reader, inertial, "mass", "value", 1, &link->mass);
    if (!status && link->mass < 0.0)
        status = phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: the mass of the link '%s' is %g", reader->path,
                          inertial->line, link->name, link->mass);
    for (int k = 0; k < 6 && !status; k++)
        status = k < 3 ? urdf_needed(reader, inertial, "inertia", keys[k], 1, &i[k])
                       : urdf_numbers(reader, robot_child(inertial, "inertia"), keys[k], 1, &i[k]);
    const double own[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, pose.R, 3, own, 3, 0.0, turned, 3);
    phx_dense_multiply(false, true, 3, 3, 3, 1.0, turned, 3, pose.R, 3, 0.0, link->inertia, 3);
    memcpy(link->com, pose.x, sizeof link->com);
    return status;
}

/* The colour of <material>, defined here or by name at the top. */
static phx_status urdf_colour(const urdf_reader *reader, const phx_xml *visual, double colour[4])
{
    const phx_xml *material = robot_child(visual, "material");
    const char *name = robot_attribute(material, "name");

    for (int k = 0; name && !robot_child(material, "color") && k < reader->root->n_children; k++) {
        const phx_xml *other = &reader->root->children[k];
        const char *named = robot_attribute(other, "name");
        if (!strcmp(other->name, "material") && named && !strcmp(named, name) && robot_child(other, "color"))
            material = other;
    }
    return urdf_numbers(reader, robot_child(material, "color"), "rgba", 4, colour);
}

static bool urdf_exists(const char *path)
{
    struct stat found;

    return access(path, R_OK) == 0 && stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* dir/rest in `out`; whether it is a file that can be read. */
static bool urdf_joined(const char *dir, int length, const char *rest, size_t size, char *out)
{
    return snprintf(out, size, "%.*s/%s", length, dir, rest) < (int)size && urdf_exists(out);
}

/* Path of a mesh: package://NAME/rest by --package NAME=DIR or a folder NAME above the file, else relative to the file.
 * *found is NULL if there is no such file. */
static phx_status urdf_mesh_path(const urdf_reader *reader, const char *name, char **found)
{
    enum { SIZE = 4096 };
    static const char package[] = "package://", scheme[] = "file://";
    const char *slash = strrchr(reader->path, '/'), *rest = name;
    const int folder = slash ? (int)(slash - reader->path) : 1;
    const char *at = slash ? reader->path : ".";
    char out[SIZE], *whole = phx_files_resolve(reader->context, reader->path);
    bool ok = false;

    if (!whole)
        return PHX_ERR_MEMORY;

    if (!strncmp(name, package, sizeof package - 1)) {
        rest = name + sizeof package - 1;
        const char *inside = strchr(rest, '/');
        const size_t length = inside ? (size_t)(inside - rest) : 0;
        for (int k = 0; k < reader->options->n_packages && !ok && inside; k++) {
            const char *given = reader->options->packages[k], *dir = strchr(given, '=');
            if (dir && (size_t)(dir - given) == length && !strncmp(given, rest, length))
                ok = urdf_joined(dir + 1, (int)strlen(dir + 1), inside + 1, SIZE, out);
        }
        for (int up = (int)strlen(whole) - 1; up > 0 && !ok && inside; up--)
            if (whole[up] == '/')
                ok = urdf_joined(whole, up, rest, SIZE, out) || urdf_joined(whole, up, inside + 1, SIZE, out);
    } else {
        rest = !strncmp(name, scheme, sizeof scheme - 1) ? name + sizeof scheme - 1 : name;
        ok = rest[0] == '/' ? snprintf(out, SIZE, "%s", rest) < SIZE && urdf_exists(out)
                            : urdf_joined(at, folder, rest, SIZE, out);
    }
    phx_free(whole);
    *found = ok ? phx_strdup(reader->context, out) : NULL;
    return ok && !*found ? PHX_ERR_MEMORY : PHX_OK;
}

/* A mesh whose file is not there is an error, unless pictures are left out. */
static phx_status urdf_mesh(const urdf_reader *reader, const phx_xml *mesh, robot_shape *shape)
{
    const char *name = robot_attribute(mesh, "filename");

    shape->kind = ROBOT_MESH;
    shape->size[0] = shape->size[1] = shape->size[2] = 1.0;
    phx_status status = urdf_numbers(reader, mesh, "scale", 3, shape->size);
    if (!status)
        status = name ? urdf_mesh_path(reader, name, &shape->file) : PHX_OK;
    if (!status && !shape->file)
        status = phx_fail(reader->context, PHX_ERR_INPUT,
                          "%s:%d: there is no mesh %s; say where its package is, --package NAME=DIR, or leave pictures "
                          "out, --no-shapes",
                          reader->path, mesh->line, phx_shown_text(name ? name : "").text);
    if (!status && shape->size[0] == 0.0)
        status = phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: the scale of the mesh %s is 0", reader->path,
                          mesh->line, phx_shown_text(name).text);
    if (!status && (shape->size[0] != shape->size[1] || shape->size[0] != shape->size[2] || shape->size[0] <= 0.0)) {
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: the scales of the mesh %s differ or are negative; all are %g",
                reader->path, mesh->line, phx_shown_text(name).text, fabs(shape->size[0]));
        shape->size[0] = fabs(shape->size[0]);
    }
    return status;
}

/* <visual> or <collision>: its shape with pose and colour; meshes by the path that is found. ROBOT_SHAPES: it has none
 * that is known. */
static phx_status urdf_shape(const urdf_reader *reader, const phx_xml *visual, const char *link, robot_shape *shape)
{
    const phx_xml *geometry = robot_child(visual, "geometry"), *box = robot_child(geometry, "box"),
                  *cylinder = robot_child(geometry, "cylinder"), *sphere = robot_child(geometry, "sphere"),
                  *mesh = robot_child(geometry, "mesh");

    shape->kind = ROBOT_SHAPES;
    phx_status status = urdf_origin(reader, visual, &shape->pose);
    if (!status)
        status = urdf_colour(reader, visual, shape->colour);
    if (status)
        return status;
    if (mesh && !strcmp(visual->name, "visual"))
        return urdf_mesh(reader, mesh, shape);
    int sizes = 1;
    if (box) {
        shape->kind = ROBOT_BOX;
        status = urdf_needed(reader, box, NULL, "size", sizes = 3, shape->size);
    } else if (cylinder) {
        shape->kind = ROBOT_CYLINDER;
        status = urdf_needed(reader, cylinder, NULL, "radius", 1, &shape->size[0]);
        if (!status)
            status = urdf_needed(reader, cylinder, NULL, "length", 1, &shape->size[1]);
        sizes = 2;
    } else if (sphere) {
        shape->kind = ROBOT_SPHERE;
        status = urdf_needed(reader, sphere, NULL, "radius", 1, &shape->size[0]);
    } else {
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: a <%s> of the link '%s' is no box, cylinder%s: left out",
                reader->path, visual->line, visual->name, link,
                !strcmp(visual->name, "visual") ? ", sphere or mesh" : " or sphere");
        return PHX_OK;
    }
    for (int k = 0; k < sizes && !status; k++)
        if (!(shape->size[k] > 0.0))
            status = phx_fail(reader->context, PHX_ERR_INPUT,
                              "%s:%d: a <%s> of the link '%s' has the size %g; expected one above 0", reader->path,
                              visual->line, visual->name, link, shape->size[k]);
    return status;
}

/* A <visual> among the shapes of its link; a <collision> where the ground is touched. */
static phx_status urdf_add_shape(const urdf_reader *reader, const phx_xml *element, robot_link *link)
{
    robot_shape shape = {.friction = 1.0};
    const bool visual = !strcmp(element->name, "visual");
    phx_status status = PHX_OK;

    if (visual ? reader->options->no_shapes : !reader->options->ground || strcmp(element->name, "collision") != 0)
        return PHX_OK;
    status = urdf_shape(reader, element, link->name, &shape);
    if (status || shape.kind == ROBOT_SHAPES) {
        phx_free(shape.file);
        return status;
    }
    if (!visual)
        return robot_add_collision(reader->context, link, &shape);
    link->shapes[link->n_shapes++] = shape;
    return PHX_OK;
}

/* <link>: its name, inertia and shapes. */
static phx_status urdf_link(const urdf_reader *reader, const phx_xml *element, robot_link *link)
{
    link->path = element->path;
    link->line = element->line;
    link->joint = -1;
    phx_status status = urdf_name(reader, element, &link->name);
    if (!status)
        status = urdf_inertial(reader, element, link);
    if (!status)
        link->shapes = phx_calloc(reader->context, (size_t)element->n_children + 1, sizeof *link->shapes);
    if (!status && !link->shapes)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < element->n_children && !status; k++)
        status = urdf_add_shape(reader, &element->children[k], link);
    return status;
}

/* ---- joints ---- */
static int link_of(const phx_robot *robot, const char *name)
{
    for (int k = 0; name && k < robot->n_links; k++)
        if (!strcmp(robot->links[k].name, name))
            return k;
    return -1;
}

static phx_status urdf_end(const urdf_reader *reader, const phx_robot *robot, const phx_xml *element, const char *end,
                           int *link)
{
    const char *name = robot_attribute(robot_child(element, end), "link");

    *link = link_of(robot, name);
    return *link >= 0 ? PHX_OK
                      : phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: <joint>: the %s link %s is not there",
                                 reader->path, element->line, end, phx_shown_text(name ? name : "").text);
}

/* <limit> and <dynamics> of a joint with one coordinate. */
static phx_status urdf_limits(const urdf_reader *reader, const phx_xml *element, robot_joint *joint)
{
    const phx_xml *limit = robot_child(element, "limit"), *dynamics = robot_child(element, "dynamics");
    robot_coordinate *first = &joint->coordinates[0];
    phx_status status = PHX_OK;

    const struct {
        const phx_xml *of;
        const char *key;
        double *value;
    } numbers[] = {{limit, "lower", &first->lower},        {limit, "upper", &first->upper},
                   {limit, "effort", &joint->effort},      {limit, "velocity", &joint->velocity},
                   {dynamics, "damping", &first->damping}, {dynamics, "friction", &first->friction}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !status; k++)
        status = urdf_numbers(reader, numbers[k].of, numbers[k].key, 1, numbers[k].value);
    if (!status && (first->damping < 0.0 || first->friction < 0.0))
        status = phx_fail(reader->context, PHX_ERR_INPUT,
                          "%s:%d: the joint '%s' has the damping %g and the friction %g; they must not be negative",
                          reader->path, element->line, joint->name, first->damping, first->friction);
    if (!status && first->lower > first->upper)
        phx_log(reader->context, PHX_LOG_WARNING,
                "%s:%d: the lower limit of the joint '%s' is above the upper one: it has no limits", reader->path,
                element->line, joint->name);
    joint->n_coordinates = joint->kind >= ROBOT_REVOLUTE && joint->kind <= ROBOT_PRISMATIC;
    first->limited =
        limit && (joint->kind == ROBOT_REVOLUTE || joint->kind == ROBOT_PRISMATIC) && first->lower <= first->upper;
    return status;
}

/* A joint between two links that are there, with its axis and frame. */
static phx_status urdf_joint(const urdf_reader *reader, const phx_robot *robot, const phx_xml *element,
                             robot_joint *joint)
{
    enum { N_KINDS = ROBOT_SPHERICAL + 1 };
    static const char *const kinds[N_KINDS] = {"fixed",  "revolute", "continuous", "prismatic",
                                               "planar", "floating", "spherical"};
    const char *type = robot_attribute(element, "type");

    *joint = (robot_joint){
        .path = element->path, .line = element->line, .axis = {1.0, 0.0, 0.0}, .mimic = -1, .multiplier = 1.0};
    phx_status status = urdf_name(reader, element, &joint->name);
    while (!status && joint->kind < N_KINDS && (!type || strcmp(type, kinds[joint->kind]) != 0))
        joint->kind++;
    if (!status && joint->kind == N_KINDS)
        status = phx_fail(reader->context, PHX_ERR_INPUT,
                          "%s:%d: the joint '%s' has the type %s; expected fixed, revolute, continuous, prismatic, "
                          "planar, floating or spherical",
                          reader->path, element->line, joint->name, phx_shown_text(type ? type : "").text);
    if (!status)
        status = urdf_end(reader, robot, element, "parent", &joint->parent);
    if (!status)
        status = urdf_end(reader, robot, element, "child", &joint->child);
    if (!status)
        status = urdf_origin(reader, element, &joint->pose);
    if (!status)
        status = urdf_numbers(reader, robot_child(element, "axis"), "xyz", 3, joint->axis);
    const double length = sqrt(phx_dot(3, joint->axis, joint->axis));
    const bool uses_axis = joint->kind >= ROBOT_REVOLUTE && joint->kind <= ROBOT_PLANAR;
    if (!status && uses_axis && !(length > 0.0 && isfinite(length)))
        status = phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: the axis of the joint '%s' is zero or too large",
                          reader->path, element->line, joint->name);
    return status ? status : urdf_limits(reader, element, joint);
}

/* <mimic>: q = multiplier * q of the other joint + offset. */
static phx_status urdf_mimic(const urdf_reader *reader, const phx_robot *robot, const phx_xml *element,
                             robot_joint *joint)
{
    const phx_xml *mimic = robot_child(element, "mimic");
    const char *name = robot_attribute(mimic, "joint");

    if (!mimic)
        return PHX_OK;
    for (int k = 0; name && k < robot->n_joints; k++)
        if (!strcmp(robot->joints[k].name, name))
            joint->mimic = k;
    if (joint->mimic < 0)
        return phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: the joint '%s' mimics %s, which is not there",
                        reader->path, mimic->line, joint->name, phx_shown_text(name ? name : "").text);
    phx_status status = urdf_numbers(reader, mimic, "multiplier", 1, &joint->multiplier);
    const robot_joint *leader = &robot->joints[joint->mimic];
    const bool follows = joint->kind >= ROBOT_REVOLUTE && joint->kind <= ROBOT_PRISMATIC;
    const bool leads = leader->kind >= ROBOT_REVOLUTE && leader->kind <= ROBOT_PRISMATIC && leader != joint;
    if (!status && (joint->multiplier == 0.0 || !follows || !leads))
        status = phx_fail(reader->context, PHX_ERR_INPUT,
                          "%s:%d: the joint '%s' mimics '%s' %g times: expected two joints that turn or slide, and a "
                          "multiplier other than 0",
                          reader->path, mimic->line, joint->name, leader->name, joint->multiplier);
    if (!status)
        status = urdf_numbers(reader, mimic, "offset", 1, &joint->offset);
    joint->coordinates[0].start = joint->offset;
    return status;
}

/* The first element of a name in another one, at any depth. */
static const phx_xml *urdf_find(const phx_xml *element, const char *name)
{
    const phx_xml *found = robot_child(element, name);

    for (int k = 0; k < element->n_children && !found; k++)
        found = urdf_find(&element->children[k], name);
    return found;
}

/* <transmission> of one joint: its gear ratio and, as Drake writes it, the inertia of its rotor. The sign of the ratio
 * has no effect on what the joint feels of a rotor. */
static phx_status urdf_transmission(const urdf_reader *reader, phx_robot *robot, const phx_xml *element)
{
    const phx_xml *reduction = urdf_find(element, "mechanicalReduction"), *joint = robot_child(element, "joint");
    const char *name = robot_attribute(joint, "name");
    double ratio = 0.0, inertia = 0.0;
    int n_joints = 0, j = 0;
    char text[64];

    for (int k = 0; k < element->n_children; k++)
        n_joints += !strcmp(element->children[k].name, "joint");
    while (j < robot->n_joints && (!name || strcmp(robot->joints[j].name, name) != 0))
        j++;
    if (n_joints != 1 || j == robot->n_joints || robot->joints[j].n_coordinates != 1) {
        phx_log(reader->context, PHX_LOG_WARNING,
                "%s:%d: this <transmission> is left out: expected one <joint> that turns or slides", reader->path,
                element->line);
        return PHX_OK;
    }
    if (reduction &&
        !(sscanf(reduction->text, " %63s", text) == 1 && phx_number_from_text(text, &ratio) && isfinite(ratio))) {
        ratio = 0.0;
        phx_log(reader->context, PHX_LOG_WARNING, "%s:%d: <mechanicalReduction> is no number but %s: left out",
                reader->path, reduction->line, phx_shown_text(reduction->text).text);
    }
    phx_status status = urdf_numbers(reader, urdf_find(element, "drake:gear_ratio"), "value", 1, &ratio);
    if (!status)
        status = urdf_numbers(reader, urdf_find(element, "drake:rotor_inertia"), "value", 1, &inertia);
    if (!status && inertia < 0.0)
        return phx_fail(reader->context, PHX_ERR_INPUT,
                        "%s:%d: the transmission of '%s' has the rotor inertia %g; it must not be negative",
                        reader->path, element->line, name, inertia);
    robot->joints[j].coordinates[0].rotor = inertia;
    robot->joints[j].coordinates[0].gear = fabs(ratio) == 1.0 ? 0.0 : fabs(ratio);
    return status;
}

/* ---- the whole ---- */
/* xacro is a language of its own: its commands, or its expressions in attributes. */
static bool is_xacro(const phx_xml *element)
{
    if (!strncmp(element->name, "xacro:", 6))
        return true;
    for (int k = 0; k < element->n_attributes; k++)
        if (strstr(element->values[k], "${") || strstr(element->values[k], "$("))
            return true;
    for (int k = 0; k < element->n_children; k++)
        if (is_xacro(&element->children[k]))
            return true;
    return false;
}

static phx_status urdf_twice(const urdf_reader *reader, const phx_robot *robot)
{
    for (int a = 0; a < robot->n_links; a++)
        for (int b = 0; b < a; b++)
            if (!strcmp(robot->links[a].name, robot->links[b].name))
                return phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: the link '%s' is there already, in line %d",
                                reader->path, robot->links[a].line, robot->links[a].name, robot->links[b].line);
    for (int a = 0; a < robot->n_joints; a++)
        for (int b = 0; b < a; b++)
            if (!strcmp(robot->joints[a].name, robot->joints[b].name))
                return phx_fail(reader->context, PHX_ERR_INPUT, "%s:%d: the joint '%s' is there already, in line %d",
                                reader->path, robot->joints[a].line, robot->joints[a].name, robot->joints[b].line);
    return PHX_OK;
}

/* Links, then joints, then what joints say of each other. */
static phx_status urdf_elements(const urdf_reader *reader, phx_robot *robot)
{
    const phx_xml *root = reader->root;
    const char *name = robot_attribute(root, "name");
    phx_status status = PHX_OK;

    robot->floor = robot_pose_identity();
    robot->name = phx_strdup(reader->context, name ? name : "robot");
    robot->links = phx_calloc(reader->context, (size_t)root->n_children + 1, sizeof *robot->links);
    robot->joints = phx_calloc(reader->context, (size_t)root->n_children + 1, sizeof *robot->joints);
    if (!robot->name || !robot->links || !robot->joints)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < root->n_children && !status; k++)
        if (!strcmp(root->children[k].name, "link"))
            status = urdf_link(reader, &root->children[k], &robot->links[robot->n_links++]);
    for (int k = 0; k < root->n_children && !status; k++)
        if (!strcmp(root->children[k].name, "joint"))
            status = urdf_joint(reader, robot, &root->children[k], &robot->joints[robot->n_joints++]);
    for (int k = 0, j = 0; k < root->n_children && !status; k++)
        if (!strcmp(root->children[k].name, "joint")) {
            status = urdf_mimic(reader, robot, &root->children[k], &robot->joints[j]);
            j++;
        } else if (!strcmp(root->children[k].name, "transmission")) {
            status = urdf_transmission(reader, robot, &root->children[k]);
        }
    if (!status)
        status = urdf_twice(reader, robot);
    if (!status)
        robot_combine_massless(reader->context, robot);
    return status;
}

/* Refuses xacro and other root elements, then reads links and joints. */
phx_status robot_read_urdf(phx_context *context, const phx_robot_options *options, const phx_xml *root,
                           phx_robot *robot)
{
    const urdf_reader reader = {context, options, options->path, root};
    phx_status status;

    if (is_xacro(root))
        status = phx_fail(context, PHX_ERR_INPUT, "%s: this is xacro; expand it first: xacro %s > robot.urdf",
                          options->path, options->path);
    else if (strcmp(root->name, "robot") != 0)
        status = phx_fail(context, PHX_ERR_INPUT, "%s:%d: expected <robot> or <mujoco>, found <%s>", options->path,
                          root->line, root->name);
    else
        status = urdf_elements(&reader, robot);
    if (!status && robot->n_links == 0)
        status = phx_fail(context, PHX_ERR_INPUT, "%s:%d: the robot has no link", options->path, root->line);
    return status;
}
