/* A robot as a file in URDF or in MJCF. */
#include "robot.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Writes a format with %s: a text, %n: a number, %3: an array of so many numbers, all in quotes; %i: a depth of
 * indentation. Numbers that are round-off against the largest of an array, of places and angles (%3) also against 1,
 * become zero. */
static void xml_put(FILE *stream, const char *format, ...)
{
    static const double NOISE = 1e-14;
    va_list values;

    va_start(values, format);
    for (const char *c = format; *c; c++) {
        if (*c != '%') {
            fputc(*c, stream);
            continue;
        }
        if (*++c == 'i') {
            fprintf(stream, "%*s", 2 * va_arg(values, int), "");
            continue;
        }
        fputc('"', stream);
        if (*c == 's') {
            for (const char *sign = va_arg(values, const char *); *sign; sign++)
                fprintf(stream, strchr("&<>\"", *sign) ? "&#%d;" : "%c", *sign);
        } else if (*c == 'n') {
            fprintf(stream, "%.15g", va_arg(values, double));
        } else {
            const double *x = va_arg(values, const double *);
            double size = *c == '3' ? 1.0 : 0.0;
            for (int k = 0; k < *c - '0'; k++)
                size = fmax(size, fabs(x[k]));
            for (int k = 0; k < *c - '0'; k++)
                fprintf(stream, "%s%.15g", k ? " " : "", fabs(x[k]) > NOISE * size ? x[k] : 0.0);
        }
        fputc('"', stream);
    }
    va_end(values);
}

/* ---- URDF ---- */
/* R = Rz(yaw) Ry(pitch) Rx(roll); roll is found after yaw, which is arbitrary at a pitch of 90 degrees. */
static void urdf_put_origin(FILE *stream, const robot_pose *pose)
{
    const double *R = pose->R, yaw = atan2(R[3], R[0]), c = cos(yaw), s = sin(yaw);
    const double rpy[3] = {atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]), atan2(-R[6], c * R[0] + s * R[3]), yaw};

    xml_put(stream, "<origin xyz=%3 rpy=%3/>", pose->x, rpy);
}

/* A shape as <visual>; kinds that URDF lacks have been left out before. */
static void urdf_put_visual(FILE *stream, const robot_shape *shape)
{
    const double *size = shape->size, scale[3] = {size[0], size[0], size[0]};
    char name[40];

    fputs("    <visual>", stream);
    urdf_put_origin(stream, &shape->pose);
    if (shape->kind == ROBOT_BOX)
        xml_put(stream, "<geometry><box size=%3/></geometry>", size);
    else if (shape->kind == ROBOT_CYLINDER)
        xml_put(stream, "<geometry><cylinder radius=%n length=%n/></geometry>", size[0], size[1]);
    else if (shape->kind == ROBOT_SPHERE)
        xml_put(stream, "<geometry><sphere radius=%n/></geometry>", size[0]);
    else
        xml_put(stream, "<geometry><mesh filename=%s scale=%3/></geometry>", shape->file, scale);
    snprintf(name, sizeof name, "%.3f %.3f %.3f %.3f", shape->colour[0], shape->colour[1], shape->colour[2],
             shape->colour[3]);
    if (shape->colour[3] > 0.0)
        xml_put(stream, "<material name=%s><color rgba=%4/></material>", name, shape->colour);
    fputs("</visual>\n", stream);
}

/* A joint with limits and dynamics; URDF asks for effort and velocity wherever there is a limit. */
static void urdf_put_joint(FILE *stream, const phx_robot *robot, const robot_joint *joint)
{
    static const char *const kinds[] = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
    const robot_coordinate *one = &joint->coordinates[0];

    xml_put(stream, "  <joint name=%s type=%s><parent link=%s/><child link=%s/>", joint->name, kinds[joint->kind],
            robot->links[joint->parent].name, robot->links[joint->child].name);
    urdf_put_origin(stream, &joint->pose);
    if (joint->n_coordinates > 0)
        xml_put(stream, "<axis xyz=%3/>", joint->axis);
    if (joint->n_coordinates == 1) {
        xml_put(stream, "<limit effort=%n velocity=%n", joint->effort, joint->velocity);
        if (joint->kind != ROBOT_CONTINUOUS)
            xml_put(stream, " lower=%n upper=%n", one->lower, one->upper);
        xml_put(stream, "/><dynamics damping=%n friction=%n/>", one->damping, one->friction);
    }
    fputs("</joint>\n", stream);
}

/* All links, then all joints. */
static void urdf_write(FILE *stream, const phx_robot *robot)
{
    xml_put(stream, "<?xml version=\"1.0\"?>\n<robot name=%s>\n", robot->name);
    for (int k = 0; k < robot->n_links; k++) {
        const robot_link *link = &robot->links[k];
        const double *J = link->inertia;
        xml_put(stream, "  <link name=%s>\n", link->name);
        if (link->mass > 0.0)
            xml_put(stream,
                    "    <inertial><origin xyz=%3/><mass value=%n/><inertia ixx=%n ixy=%n ixz=%n iyy=%n iyz=%n "
                    "izz=%n/></inertial>\n",
                    link->com, link->mass, J[0], J[1], J[2], J[4], J[5], J[8]);
        for (int s = 0; s < link->n_shapes; s++)
            urdf_put_visual(stream, &link->shapes[s]);
        fputs("  </link>\n", stream);
    }
    for (int j = 0; j < robot->n_joints; j++)
        urdf_put_joint(stream, robot, &robot->joints[j]);
    fputs("</robot>\n", stream);
}

/* ---- MJCF ---- */
/* The joints that are one joint of the model: hinges and slides in the order of its coordinates, or a ball. */
static void mjcf_put_joint(FILE *stream, const robot_joint *joint, int depth)
{
    if (joint->n_coordinates == 0 && joint->kind != ROBOT_FIXED)
        xml_put(stream, "%i<joint name=%s type=%s/>\n", depth, joint->name,
                joint->kind == ROBOT_FLOATING ? "free" : "ball");
    for (int k = 0; k < joint->n_coordinates; k++) {
        const robot_coordinate *coordinate = &joint->coordinates[k];
        bool slides;
        const double *axis = robot_coordinate_axis(joint, k, &slides);
        xml_put(stream, "%i<joint type=%s axis=%3 damping=%n frictionloss=%n stiffness=%n springref=%n", depth,
                slides ? "slide" : "hinge", axis, coordinate->damping, coordinate->friction, coordinate->stiffness,
                coordinate->rest);
        if (coordinate->rotor > 0.0)
            xml_put(stream, " armature=%n", coordinate->rotor);
        if (k == 0)
            xml_put(stream, " name=%s", joint->name);
        if (coordinate->limited)
            xml_put(stream, " limited=\"true\" range=%2", (const double[]){coordinate->lower, coordinate->upper});
        fputs("/>\n", stream);
    }
}

/* Geoms have half the lengths of boxes and cylinders. */
static void mjcf_put_geom(FILE *stream, const robot_shape *shape, const char *mesh, int depth)
{
    static const char *const formats[] = {" type=\"box\" size=%3", " type=\"cylinder\" size=%2",
                                          " type=\"capsule\" size=%2", " type=\"sphere\" size=%1",
                                          " type=\"ellipsoid\" size=%3"};
    const bool tube = shape->kind == ROBOT_CYLINDER || shape->kind == ROBOT_CAPSULE;
    double size[3], wxyz[4];

    for (int k = 0; k < 3; k++)
        size[k] = (shape->kind == ROBOT_BOX || (tube && k == 1) ? 0.5 : 1.0) * shape->size[k];
    phx_rot_to_quaternion(shape->pose.R, wxyz);
    xml_put(stream, "%i<geom pos=%3 quat=%4", depth, shape->pose.x, wxyz);
    if (shape->kind == ROBOT_MESH)
        xml_put(stream, " type=\"mesh\" mesh=%s", mesh);
    else
        xml_put(stream, formats[shape->kind], size);
    if (shape->colour[3] > 0.0)
        xml_put(stream, " rgba=%4", shape->colour);
    fputs("/>\n", stream);
}

enum { NAME_SIZE = 40 };
/* The mesh of shape s of link k, by which geoms name it. */
static const char *mesh_name(int k, int s, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "mesh_%d_%d", k, s);
    return name;
}

/* Geoms of a link, then the links that hang on it: bodies, and sites if they have no mass. */
static void mjcf_put_link(FILE *stream, const phx_robot *robot, int k, int depth)
{
    char mesh[NAME_SIZE];

    for (int s = 0; s < robot->links[k].n_shapes; s++)
        mjcf_put_geom(stream, &robot->links[k].shapes[s], mesh_name(k, s, mesh), depth);
    for (int j = 0; j < robot->n_joints; j++) {
        const robot_joint *joint = &robot->joints[j];
        const robot_link *child = &robot->links[joint->child];
        const double *J = child->inertia, full[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
        double wxyz[4];
        if (joint->parent != k)
            continue;
        phx_rot_to_quaternion(joint->pose.R, wxyz);
        xml_put(stream, child->mass > 0.0 ? "%i<body name=%s pos=%3 quat=%4>\n" : "%i<site name=%s pos=%3 quat=%4/>\n",
                depth, child->name, joint->pose.x, wxyz);
        if (child->mass <= 0.0)
            continue;
        mjcf_put_joint(stream, joint, depth + 1);
        xml_put(stream, "%i<inertial pos=%3 mass=%n fullinertia=%6/>\n", depth + 1, child->com, child->mass, full);
        mjcf_put_link(stream, robot, joint->child, depth + 1);
        xml_put(stream, "%i</body>\n", depth);
    }
}

/* Coordinates at the start of the joints on a link and below, in the order of the bodies. */
static void mjcf_put_start(FILE *stream, const phx_robot *robot, int k)
{
    for (int j = 0; j < robot->n_joints; j++) {
        const robot_joint *joint = &robot->joints[j];
        const bool ball = joint->kind == ROBOT_SPHERICAL && joint->n_coordinates == 0;
        robot_pose pose = robot->links[joint->child].pose; /* in the world, where a free body is */
        double wxyz[4];
        if (joint->parent != k)
            continue;
        if (ball) {
            const robot_pose zero = robot_pose_product(&robot->links[k].pose, &joint->pose);
            pose = robot_pose_relative(&zero, &pose);
        }
        phx_rot_to_quaternion(pose.R, wxyz);
        for (int c = 0; c < joint->n_coordinates; c++)
            fprintf(stream, " %.17g", joint->coordinates[c].start);
        for (int a = 0; a < 3 && joint->kind == ROBOT_FLOATING; a++)
            fprintf(stream, " %.17g", pose.x[a]);
        for (int a = 0; a < 4 && (ball || joint->kind == ROBOT_FLOATING); a++)
            fprintf(stream, " %.17g", wxyz[a]);
        mjcf_put_start(stream, robot, joint->child);
    }
}

/* Options, meshes, the tree of bodies, the start as a key. */
static void mjcf_write(FILE *stream, const phx_robot *robot)
{
    char name[NAME_SIZE];

    xml_put(stream,
            "<mujoco model=%s>\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n  <option gravity=%3/>\n"
            "  <default><geom contype=\"0\" conaffinity=\"0\"/></default>\n  <asset>\n",
            robot->name, robot->gravity);
    for (int k = 0; k < robot->n_links; k++)
        for (int s = 0; s < robot->links[k].n_shapes; s++) {
            const robot_shape *shape = &robot->links[k].shapes[s];
            const double scale[3] = {shape->size[0], shape->size[0], shape->size[0]};
            if (shape->kind == ROBOT_MESH)
                xml_put(stream, "    <mesh name=%s file=%s scale=%3/>\n", mesh_name(k, s, name), shape->file, scale);
        }
    fputs("  </asset>\n  <worldbody>\n", stream);
    mjcf_put_link(stream, robot, robot->root, 2);
    fputs("  </worldbody>\n  <keyframe><key qpos=\"", stream);
    mjcf_put_start(stream, robot, robot->root);
    fputs("\"/></keyframe>\n</mujoco>\n", stream);
}

void robot_write_xml(FILE *stream, phx_robot_format format, const phx_robot *robot)
{
    if (format == PHX_ROBOT_URDF)
        urdf_write(stream, robot);
    else
        mjcf_write(stream, robot);
}
