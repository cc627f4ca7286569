/* A robot as a file in URDF or in MJCF. */
#include "robot.h"
#include "study/import_report.h"

#include <math.h>
#include <string.h>

static const double NO_LIMIT = 1e9; /* N, N m, m, rad, m/s, rad/s: for limits that URDF requires, and one-sided ones */
static const double NOISE = 1e-14;  /* round-off of numbers of size 1: printed as 0 */

/* The file that is written. */
typedef struct xml_writer {
    phx_context *context;
    const phx_robot *robot;
    const char *folder;
    FILE *stream;
} xml_writer;

/* ---- attributes ---- */
/* KEY="a b c"; numbers that are round-off against the largest of them and `size` are zero. */
static void xml_numbers(FILE *stream, const char *key, int n, const double *values, double size)
{
    for (int k = 0; k < n; k++)
        size = fmax(size, fabs(values[k]));
    fprintf(stream, " %s=\"", key);
    for (int k = 0; k < n; k++)
        fprintf(stream, "%s%.15g", k ? " " : "", fabs(values[k]) > NOISE * size ? values[k] : 0.0);
    fputc('"', stream);
}

static void xml_number(FILE *stream, const char *key, double value)
{
    xml_numbers(stream, key, 1, &value, 0.0);
}

/* KEY="text", with the signs of XML escaped. */
static void xml_text(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, " %s=\"", key);
    for (const char *c = text; *c; c++)
        if (strchr("&<>\"", *c))
            fprintf(stream, "&#%d;", *c);
        else
            fputc((unsigned char)*c < ' ' ? ' ' : *c, stream);
    fputc('"', stream);
}

static phx_status xml_mesh(const xml_writer *writer, const char *key, const robot_shape *shape)
{
    char *seen = NULL;
    const phx_status status = import_text_path(writer->context, writer->folder, shape->file, &seen);

    if (!status)
        xml_text(writer->stream, key, seen);
    phx_free(seen);
    xml_numbers(writer->stream, "scale", 3, (const double[]){shape->size[0], shape->size[0], shape->size[0]}, 0.0);
    return status;
}

static bool is_port(const phx_robot *robot, int link)
{
    return link != robot->root && robot->links[link].mass <= 0.0;
}

static double lower_of(const robot_coordinate *coordinate)
{
    return fmax(coordinate->lower, -NO_LIMIT);
}

static double upper_of(const robot_coordinate *coordinate)
{
    return fmin(coordinate->upper, NO_LIMIT);
}

/* ---- URDF ---- */
/* <origin xyz rpy/>, R = Rz(yaw) Ry(pitch) Rx(roll). Roll is found after yaw, which is arbitrary at a pitch of 90
 * degrees. */
static void urdf_put_origin(FILE *stream, const robot_pose *pose)
{
    const double *R = pose->R, yaw = hypot(R[0], R[3]) > NOISE ? atan2(R[3], R[0]) : 0.0, c = cos(yaw), s = sin(yaw);
    const double rpy[3] = {atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]), atan2(-R[6], c * R[0] + s * R[3]), yaw};

    fputs("<origin", stream);
    xml_numbers(stream, "xyz", 3, pose->x, 1.0);
    xml_numbers(stream, "rpy", 3, rpy, 1.0);
    fputs("/>", stream);
}

static phx_status urdf_put_visual(const xml_writer *writer, const robot_shape *shape)
{
    FILE *stream = writer->stream;
    phx_status status = PHX_OK;

    fputs("    <visual>", stream);
    urdf_put_origin(stream, &shape->pose);
    fputs("<geometry>", stream);
    if (shape->kind == ROBOT_MESH) {
        fputs("<mesh", stream);
        status = xml_mesh(writer, "filename", shape);
    } else if (shape->kind == ROBOT_BOX) {
        fputs("<box", stream);
        xml_numbers(stream, "size", 3, shape->size, 0.0);
    } else {
        fputs(shape->kind == ROBOT_SPHERE ? "<sphere" : "<cylinder", stream);
        xml_number(stream, "radius", shape->size[0]);
        if (shape->kind == ROBOT_CYLINDER)
            xml_number(stream, "length", shape->size[1]);
    }
    fputs("/></geometry>", stream);
    if (shape->colour[3] > 0.0) {
        fprintf(stream, "<material name=\"%.3f %.3f %.3f %.3f\"><color", shape->colour[0], shape->colour[1],
                shape->colour[2], shape->colour[3]);
        xml_numbers(stream, "rgba", 4, shape->colour, 0.0);
        fputs("/></material>", stream);
    }
    fputs("</visual>\n", stream);
    return status;
}

static phx_status urdf_put_link(const xml_writer *writer, const robot_link *link)
{
    static const char *const keys[] = {"ixx", "ixy", "ixz", "", "iyy", "iyz", "", "", "izz"};
    FILE *stream = writer->stream;
    robot_pose centre = robot_pose_identity();
    phx_status status = PHX_OK;

    fputs("  <link", stream);
    xml_text(stream, "name", link->name);
    fputs(">\n", stream);
    if (link->mass > 0.0) {
        memcpy(centre.x, link->com, sizeof centre.x);
        fputs("    <inertial>", stream);
        urdf_put_origin(stream, &centre);
        fputs("<mass", stream);
        xml_number(stream, "value", link->mass);
        fputs("/><inertia", stream);
        for (int k = 0; k < 9; k++)
            if (keys[k][0])
                xml_number(stream, keys[k], link->inertia[k]);
        fputs("/></inertial>\n", stream);
    }
    for (int s = 0; s < link->n_shapes && !status; s++)
        status = urdf_put_visual(writer, &link->shapes[s]);
    fputs("  </link>\n", stream);
    return status;
}

/* A joint, with the limits that URDF requires of it. */
static void urdf_put_joint(const xml_writer *writer, const robot_joint *joint)
{
    static const char *const kinds[] = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
    const robot_coordinate *first = &joint->coordinates[0];
    const bool limited = joint->kind == ROBOT_REVOLUTE || joint->kind == ROBOT_PRISMATIC;
    FILE *stream = writer->stream;

    fputs("  <joint", stream);
    xml_text(stream, "name", joint->name);
    fprintf(stream, " type=\"%s\"><parent", kinds[joint->kind]);
    xml_text(stream, "link", writer->robot->links[joint->parent].name);
    fputs("/><child", stream);
    xml_text(stream, "link", writer->robot->links[joint->child].name);
    fputs("/>", stream);
    urdf_put_origin(stream, &joint->pose);
    if (joint->kind >= ROBOT_REVOLUTE && joint->kind <= ROBOT_PLANAR) {
        fputs("<axis", stream);
        xml_numbers(stream, "xyz", 3, joint->axis, 1.0);
        fputs("/>", stream);
    }
    if (limited || joint->effort > 0.0) {
        fputs("<limit", stream);
        if (limited) {
            xml_number(stream, "lower", lower_of(first));
            xml_number(stream, "upper", upper_of(first));
        }
        xml_number(stream, "effort", joint->effort > 0.0 ? joint->effort : NO_LIMIT);
        xml_number(stream, "velocity", NO_LIMIT);
        fputs("/>", stream);
    }
    if (joint->n_coordinates == 1 && (first->damping > 0.0 || first->friction > 0.0)) {
        fputs("<dynamics", stream);
        xml_number(stream, "damping", first->damping);
        xml_number(stream, "friction", first->friction);
        fputs("/>", stream);
    }
    fputs("</joint>\n", stream);
}

static phx_status urdf_write(const xml_writer *writer)
{
    const phx_robot *robot = writer->robot;
    phx_status status = PHX_OK;

    fputs("<?xml version=\"1.0\"?>\n<robot", writer->stream);
    xml_text(writer->stream, "name", robot->name);
    fputs(">\n", writer->stream);
    for (int k = 0; k < robot->n_links && !status; k++)
        status = urdf_put_link(writer, &robot->links[k]);
    for (int j = 0; j < robot->n_joints; j++)
        urdf_put_joint(writer, &robot->joints[j]);
    fputs("</robot>\n", writer->stream);
    return status;
}

/* ---- MJCF ---- */
static void mjcf_put_pose(FILE *stream, const robot_pose *pose)
{
    double wxyz[4];

    phx_rot_to_quaternion(pose->R, wxyz);
    xml_numbers(stream, "pos", 3, pose->x, 1.0);
    xml_numbers(stream, "quat", 4, wxyz, 1.0);
}

/* The joints that are one joint of the model: hinges and slides in the order of its coordinates. */
static void mjcf_put_joint(FILE *stream, const robot_joint *joint, int indent)
{
    const int count = joint->kind == ROBOT_FIXED ? 0 : joint->n_coordinates > 0 ? joint->n_coordinates : 1;

    for (int k = 0; k < count; k++) {
        const robot_coordinate *coordinate = &joint->coordinates[k];
        bool slides;
        const double *axis = robot_coordinate_axis(joint, k, &slides);
        fprintf(stream, "%*s<joint", indent, "");
        if (k == 0)
            xml_text(stream, "name", joint->name);
        if (joint->n_coordinates == 0) {
            fprintf(stream, " type=\"%s\"/>\n", joint->kind == ROBOT_FLOATING ? "free" : "ball");
            continue;
        }
        fprintf(stream, " type=\"%s\"", slides ? "slide" : "hinge");
        xml_numbers(stream, "axis", 3, axis, 1.0);
        const struct {
            const char *key;
            double value;
        } numbers[] = {{"damping", coordinate->damping},
                       {"stiffness", coordinate->stiffness},
                       {"springref", coordinate->rest},
                       {"frictionloss", coordinate->friction}};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            if (numbers[n].value != 0.0)
                xml_number(stream, numbers[n].key, numbers[n].value);
        if (coordinate->limited) {
            fputs(" limited=\"true\"", stream);
            xml_numbers(stream, "range", 2, (const double[]){lower_of(coordinate), upper_of(coordinate)}, 0.0);
        }
        fputs("/>\n", stream);
    }
}

/* Geoms have half the lengths of boxes and cylinders. */
static void mjcf_put_geom(const xml_writer *writer, int link, int s, int indent)
{
    static const char *const kinds[] = {"box", "cylinder", "capsule", "sphere", "ellipsoid", "mesh"};
    static const int sizes[] = {3, 2, 2, 1, 3, 0};
    const robot_shape *shape = &writer->robot->links[link].shapes[s];
    const bool tube = shape->kind == ROBOT_CYLINDER || shape->kind == ROBOT_CAPSULE;
    double size[3];

    for (int k = 0; k < 3; k++)
        size[k] = (shape->kind == ROBOT_BOX || (tube && k == 1) ? 0.5 : 1.0) * shape->size[k];
    fprintf(writer->stream, "%*s<geom type=\"%s\"", indent, "", kinds[shape->kind]);
    if (shape->kind == ROBOT_MESH)
        fprintf(writer->stream, " mesh=\"mesh_%d_%d\"", link, s);
    else
        xml_numbers(writer->stream, "size", sizes[shape->kind], size, 0.0);
    mjcf_put_pose(writer->stream, &shape->pose);
    if (shape->colour[3] > 0.0)
        xml_numbers(writer->stream, "rgba", 4, shape->colour, 0.0);
    fputs("/>\n", writer->stream);
}

/* Geoms of a link, sites of its ports, then the bodies that hang on it. */
static void mjcf_put_link(const xml_writer *writer, int link, int indent)
{
    const phx_robot *robot = writer->robot;
    FILE *stream = writer->stream;

    for (int s = 0; s < robot->links[link].n_shapes; s++)
        mjcf_put_geom(writer, link, s, indent);
    for (int j = 0; j < robot->n_joints; j++) {
        const robot_joint *joint = &robot->joints[j];
        const robot_link *child = &robot->links[joint->child];
        if (joint->parent != link)
            continue;
        fprintf(stream, "%*s<%s", indent, "", is_port(robot, joint->child) ? "site" : "body");
        xml_text(stream, "name", child->name);
        mjcf_put_pose(stream, &joint->pose);
        fputs(is_port(robot, joint->child) ? "/>\n" : ">\n", stream);
        if (is_port(robot, joint->child))
            continue;
        const double *J = child->inertia, full[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
        mjcf_put_joint(stream, joint, indent + 2);
        fprintf(stream, "%*s<inertial", indent + 2, "");
        xml_numbers(stream, "pos", 3, child->com, 1.0);
        xml_number(stream, "mass", child->mass);
        xml_numbers(stream, "fullinertia", 6, full, 0.0);
        fputs("/>\n", stream);
        mjcf_put_link(writer, joint->child, indent + 2);
        fprintf(stream, "%*s</body>\n", indent, "");
    }
}

/* Coordinates at the start of the joints below a link, in the order of the bodies; `before` comes ahead of the first.
 */
static void mjcf_put_start(const xml_writer *writer, int link, const char **before)
{
    const phx_robot *robot = writer->robot;

    for (int j = 0; j < robot->n_joints; j++) {
        const robot_joint *joint = &robot->joints[j];
        if (joint->parent != link)
            continue;
        const robot_pose zero = robot_pose_product(&robot->links[link].pose, &joint->pose);
        const robot_pose *child = &robot->links[joint->child].pose, ball = robot_pose_relative(&zero, child);
        double values[7] = {child->x[0], child->x[1], child->x[2]};
        int n = joint->n_coordinates, first = 0;
        phx_rot_to_quaternion(joint->kind == ROBOT_FLOATING ? child->R : ball.R, values + 3);
        for (int k = 0; k < n; k++)
            values[k] = joint->coordinates[k].start;
        if (n == 0 && joint->kind != ROBOT_FIXED) {
            first = joint->kind == ROBOT_FLOATING ? 0 : 3;
            n = 7;
        }
        for (int k = first; k < n; k++) {
            fprintf(writer->stream, "%s%.17g", *before, values[k]);
            *before = " ";
        }
        mjcf_put_start(writer, joint->child, before);
    }
}

static phx_status mjcf_put_meshes(const xml_writer *writer)
{
    const phx_robot *robot = writer->robot;
    phx_status status = PHX_OK;

    fputs("  <asset>\n", writer->stream);
    for (int k = 0; k < robot->n_links; k++)
        for (int s = 0; s < robot->links[k].n_shapes && !status; s++)
            if (robot->links[k].shapes[s].kind == ROBOT_MESH) {
                fprintf(writer->stream, "    <mesh name=\"mesh_%d_%d\"", k, s);
                status = xml_mesh(writer, "file", &robot->links[k].shapes[s]);
                fputs("/>\n", writer->stream);
            }
    fputs("  </asset>\n", writer->stream);
    return status;
}

static phx_status mjcf_write(const xml_writer *writer)
{
    const char *before = "  <keyframe>\n    <key name=\"start\" qpos=\"";
    FILE *stream = writer->stream;

    fputs("<mujoco", stream);
    xml_text(stream, "model", writer->robot->name);
    fputs(">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <option", stream);
    xml_numbers(stream, "gravity", 3, writer->robot->gravity, 0.0);
    fputs("/>\n  <default><geom contype=\"0\" conaffinity=\"0\"/></default>\n", stream);
    const phx_status status = mjcf_put_meshes(writer);
    fputs("  <worldbody>\n", stream);
    mjcf_put_link(writer, writer->robot->root, 4);
    fputs("  </worldbody>\n", stream);
    mjcf_put_start(writer, writer->robot->root, &before);
    fputs(before[1] ? "</mujoco>\n" : "\"/>\n  </keyframe>\n</mujoco>\n", stream);
    return status;
}

phx_status robot_write_xml(phx_context *context, phx_robot_format format, const phx_robot *robot, const char *folder,
                           FILE *stream)
{
    const xml_writer writer = {context, robot, folder, stream};

    return format == PHX_ROBOT_URDF ? urdf_write(&writer) : mjcf_write(&writer);
}
