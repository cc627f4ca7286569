/* The tree of a robot: its order, links on fixed joints merged, inertias checked, places at the start. */
#define _XOPEN_SOURCE 700
#include "robot.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Frees all that the robot owns; it may be half read. */
void robot_free(phx_robot *robot)
{
    for (int k = 0; k < robot->n_links; k++) {
        for (int s = 0; s < robot->links[k].n_shapes; s++)
            phx_free(robot->links[k].shapes[s].file);
        phx_free(robot->links[k].shapes);
        phx_free(robot->links[k].collisions);
        phx_free(robot->links[k].name);
    }
    for (int k = 0; k < robot->n_joints; k++)
        phx_free(robot->joints[k].name);
    for (int k = 0; k < robot->n_files; k++)
        phx_free(robot->files[k]);
    for (int k = 0; k < robot->n_motors; k++)
        phx_free(robot->motors[k].name);
    for (int k = 0; k < robot->n_loops; k++)
        phx_free(robot->loops[k].name);
    phx_free(robot->motors);
    phx_free(robot->loops);
    phx_free(robot->files);
    phx_free(robot->links);
    phx_free(robot->joints);
    phx_free(robot->name);
    *robot = (phx_robot){0};
}

robot_pose robot_pose_identity(void)
{
    return (robot_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

robot_pose robot_pose_relative(const robot_pose *outer, const robot_pose *inner)
{
    const double d[3] = {inner->x[0] - outer->x[0], inner->x[1] - outer->x[1], inner->x[2] - outer->x[2]};
    robot_pose pose;

    phx_rot_apply_transposed(3, outer->R, d, pose.x);
    phx_dense_multiply(true, false, 3, 3, 3, 1.0, outer->R, 3, inner->R, 3, 0.0, pose.R, 3);
    return pose;
}

robot_pose robot_pose_product(const robot_pose *outer, const robot_pose *inner)
{
    robot_pose pose;

    phx_rot_apply(3, outer->R, inner->x, pose.x);
    for (int a = 0; a < 3; a++)
        pose.x[a] += outer->x[a];
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, outer->R, 3, inner->R, 3, 0.0, pose.R, 3);
    return pose;
}

robot_pose robot_pose_inverse(const robot_pose *pose)
{
    robot_pose inverse;

    for (int a = 0; a < 3; a++) {
        inverse.x[a] = 0.0;
        for (int b = 0; b < 3; b++) {
            inverse.R[3 * a + b] = pose->R[3 * b + a];
            inverse.x[a] -= pose->R[3 * b + a] * pose->x[b];
        }
    }
    return inverse;
}

void robot_turn(const double axis[3], double angle, double R[9])
{
    const double half = 0.5 * angle, s = sin(half) / sqrt(phx_dot(3, axis, axis));

    phx_rot_from_quaternion((const double[]){cos(half), s * axis[0], s * axis[1], s * axis[2]}, R);
}

/* ---- elements ---- */
const char *robot_attribute(const phx_xml *element, const char *key)
{
    for (int k = 0; element && k < element->n_attributes; k++)
        if (!strcmp(element->keys[k], key))
            return element->values[k];
    return NULL;
}

const phx_xml *robot_child(const phx_xml *element, const char *name)
{
    for (int k = 0; element && k < element->n_children; k++)
        if (!strcmp(element->children[k].name, name))
            return &element->children[k];
    return NULL;
}

/* Reads `least` to `most` finite numbers of an attribute; those that are not there stay. PHX_ERR_INPUT with file, line
 * and text. */
phx_status robot_numbers(phx_context *context, const phx_xml *element, const char *key, const char *text, int least,
                         int most, double *values)
{
    const char *rest = text;
    int count = 0;
    bool ok = true;

    while (text && ok && rest[strspn(rest, " \t\r\n")]) {
        char *end = NULL;
        const double value = strtod(rest, &end);
        ok = end != rest && isfinite(value) && count < most;
        if (ok)
            values[count++] = value;
        rest = end;
    }
    if (!text || (ok && count >= least))
        return PHX_OK;
    return phx_fail(context, PHX_ERR_INPUT, "%s:%d: %s of <%s>: expected %s%d number%s, found %s", element->path,
                    element->line, key, element->name, least < most ? "at most " : "", most, most == 1 ? "" : "s",
                    phx_shown_text(text).text);
}

/* ---- the tree ---- */
/* Every link but one has one joint to a parent, and all hang together. */
static phx_status robot_connect(phx_context *context, phx_robot *robot)
{
    robot->root = -1;
    for (int j = 0; j < robot->n_joints; j++) {
        robot_link *child = &robot->links[robot->joints[j].child];
        if (child->joint >= 0)
            return phx_fail(
                context, PHX_ERR_INPUT,
                "%s:%d: the link '%s' has two parents, by the joints '%s' and '%s'; loops are closed in the "
                "model file",
                robot->joints[j].path, robot->joints[j].line, child->name, robot->joints[child->joint].name,
                robot->joints[j].name);
        child->joint = j;
    }
    for (int k = 0; k < robot->n_links; k++) {
        if (robot->links[k].joint >= 0)
            continue;
        if (robot->root >= 0)
            return phx_fail(context, PHX_ERR_INPUT, "%s:%d: the links '%s' and '%s' are not connected",
                            robot->links[k].path, robot->links[k].line, robot->links[robot->root].name,
                            robot->links[k].name);
        robot->root = k;
    }
    if (robot->root < 0)
        return phx_fail(context, PHX_ERR_INPUT, "%s:%d: all links have parents: the joints form a loop",
                        robot->joints[0].path, robot->joints[0].line);
    return PHX_OK;
}

const double *robot_coordinate_axis(const robot_joint *joint, int k, bool *slides)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

    *slides = joint->kind == ROBOT_PRISMATIC || (joint->kind == ROBOT_PLANAR && k < 2) ||
              (joint->kind == ROBOT_FLOATING && k < 3);
    return joint->n_coordinates >= 3 ? unit[k % 3] : k ? joint->axis_b : joint->axis;
}

/* Product of the steps of all coordinates, in their order: slides along axes, then turns about them. */
robot_pose robot_joint_motion(const robot_joint *joint)
{
    const double length = sqrt(phx_dot(3, joint->axis, joint->axis));
    robot_pose motion = robot_pose_identity();

    for (int k = 0; k < joint->n_coordinates; k++) {
        const double start = joint->coordinates[k].start;
        bool slides;
        const double *axis = robot_coordinate_axis(joint, k, &slides);
        robot_pose step = robot_pose_identity();
        for (int a = 0; a < 3 && slides; a++)
            step.x[a] = start * axis[a] / (joint->kind == ROBOT_PRISMATIC ? length : 1.0);
        if (!slides && start != 0.0)
            robot_turn(axis, start, step.R);
        motion = robot_pose_product(&motion, &step);
    }
    return motion;
}

/* Link k in the body that it is part of, once those of its parents are known: a body of its own unless its joint is
 * fixed and the two become one, as those without mass always do. */
static void place_link(const phx_robot_options *options, phx_robot *robot, int k)
{
    robot_link *link = &robot->links[k];
    const robot_joint *joint = &robot->joints[link->joint];
    const robot_link *parent = &robot->links[joint->parent];
    const robot_pose motion = robot_joint_motion(joint), moved = robot_pose_product(&joint->pose, &motion);
    const robot_pose pose = robot_pose_product(&parent->pose, &moved);

    const bool carried = parent->mass > 0.0 || joint->parent == robot->root;
    if (joint->kind == ROBOT_FIXED && (!options->keep_fixed || link->mass <= 0.0 || !carried)) {
        link->body = parent->body;
        link->pose = parent->body == joint->parent ? joint->pose : pose;
        return;
    }
    link->body = k;
    link->pose = pose;
    if (parent->body != joint->parent) /* the parent's pose is in its body */
        link->pose = robot_pose_product(&robot->links[parent->body].pose, &pose);
}

/* All links from the root on; fails for those that form a loop without it. */
static phx_status place_links(phx_context *context, const phx_robot_options *options, phx_robot *robot)
{
    int *order = phx_calloc(context, (size_t)robot->n_links + 1, sizeof *order);
    int count = 0;

    if (!order)
        return PHX_ERR_MEMORY;
    order[count++] = robot->root;
    robot->links[robot->root].body = robot->root;
    robot->links[robot->root].pose = robot_pose_identity();
    for (int at = 0; at < count; at++)
        for (int j = 0; j < robot->n_joints; j++)
            if (robot->joints[j].parent == order[at]) {
                place_link(options, robot, robot->joints[j].child);
                order[count++] = robot->joints[j].child;
            }
    phx_free(order);
    return count == robot->n_links ? PHX_OK
                                   : phx_fail(context, PHX_ERR_INPUT,
                                              "%s: %d links form a loop without the root '%s': each needs a joint to a "
                                              "parent that leads to the root",
                                              robot->path, robot->n_links - count, robot->links[robot->root].name);
}

/* ---- inertias ---- */
void robot_add_offset(double mass, const double d[3], double inertia[9])
{
    const double square = phx_dot(3, d, d);

    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            inertia[3 * a + b] += mass * ((a == b ? square : 0.0) - d[a] * d[b]);
}

/* m = m_1 + m_2, m c = m_1 c_1 + m_2 c_2, inertias moved to c (Steiner) and turned by the pose of the part. */
void robot_merge(robot_link *body, const robot_link *part)
{
    const double mass = body->mass + part->mass;
    double com[3], turned[9], centre[3], d[3];

    phx_rot_apply(3, part->pose.R, part->com, com);
    phx_dense_multiply(false, false, 3, 3, 3, 1.0, part->pose.R, 3, part->inertia, 3, 0.0, turned, 3);
    phx_dense_multiply(false, true, 3, 3, 3, 1.0, turned, 3, part->pose.R, 3, 1.0, body->inertia, 3);
    if (mass <= 0.0)
        return;
    for (int a = 0; a < 3; a++) {
        com[a] += part->pose.x[a];
        centre[a] = (body->mass * body->com[a] + part->mass * com[a]) / mass;
        d[a] = body->com[a] - centre[a];
    }
    robot_add_offset(body->mass, d, body->inertia);
    for (int a = 0; a < 3; a++)
        d[a] = com[a] - centre[a];
    robot_add_offset(part->mass, d, body->inertia);
    memcpy(body->com, centre, sizeof centre);
    body->mass = mass;
    phx_dense_symmetrise(3, 1.0, body->inertia);
}

/* The nearest inertia that a body can have, with a warning if that is another one: principal moments above
 * zero, none above the sum of the others. */
phx_status robot_check_inertia(phx_context *context, robot_link *link)
{
    static const double ROUND_OFF = 1e-9; /* of the largest moment: printed digits */
    static const double LEAST = 1e-6;     /* least moment over the largest: a thin rod has none about itself */
    static const double BALL = 0.01;      /* m, radius that a link without inertia gets */
    static const double NOTHING = 1e-9;   /* of the inertia of this ball: rounding of a file */
    double values[3], vectors[9], raised[3];
    const phx_status status = phx_dense_eigen_symmetric(context, 3, link->inertia, NULL, values, vectors);

    if (status)
        return status;
    const double ball = 0.4 * link->mass * BALL * BALL;
    if (values[2] <= NOTHING * ball) {
        phx_log(context, PHX_LOG_WARNING,
                "%s:%d: the link '%s' has no inertia above zero: that of a ball of %g m is taken", link->path,
                link->line, link->name, BALL);
        memset(link->inertia, 0, sizeof link->inertia);
        link->inertia[0] = link->inertia[4] = link->inertia[8] = ball;
        return PHX_OK;
    }
    for (int k = 0; k < 3; k++)
        raised[k] = fmax(values[k], LEAST * values[2]);
    const double missing = raised[2] - raised[0] - raised[1];
    if (missing > 0.0)
        for (int k = 0; k < 2; k++)
            raised[k] += 0.5 * (1.0 + ROUND_OFF) * missing;
    if (missing <= 0.0 && values[0] == raised[0])
        return PHX_OK;
    if (missing > ROUND_OFF * raised[2] || values[0] < raised[0])
        phx_log(context, PHX_LOG_WARNING,
                "%s:%d: no body has the inertia of the link '%s', principal moments %.6g, %.6g, %.6g kg m^2: raised to "
                "%.6g, %.6g, %.6g",
                link->path, link->line, link->name, values[0], values[1], values[2], raised[0], raised[1], raised[2]);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++)
                sum += vectors[3 * a + k] * raised[k] * vectors[3 * b + k];
            link->inertia[3 * a + b] = sum;
        }
    return PHX_OK;
}

/* Something moves; every body that moves has mass, and its inertia is one. */
static phx_status check_bodies(phx_context *context, const phx_robot_options *options, phx_robot *robot)
{
    phx_status status = PHX_OK;
    int moving = options->free_base;

    for (int k = 0; k < robot->n_links; k++)
        moving += robot->links[k].body == k && k != robot->root;
    if (moving == 0)
        return phx_fail(
            context, PHX_ERR_INPUT,
            "%s:%d: nothing moves, the root '%s' is the ground and no joint moves another link; --free-base "
            "makes the root a body",
            robot->links[robot->root].path, robot->links[robot->root].line, robot->links[robot->root].name);

    for (int k = 0; k < robot->n_links && !status; k++) {
        robot_link *link = &robot->links[k];
        if (link->body != k || (k == robot->root && !options->free_base))
            continue;
        if (link->mass <= 0.0)
            status = phx_fail(context, PHX_ERR_INPUT,
                              "%s:%d: the link '%s' moves%s%s%s and has no mass: give it <inertial>, or %s", link->path,
                              link->line, link->name, link->joint >= 0 ? " by the joint '" : "",
                              link->joint >= 0 ? robot->joints[link->joint].name : "", link->joint >= 0 ? "'" : "",
                              link->joint >= 0 ? "make the joint fixed" : "leave out --free-base");
        else
            status = robot_check_inertia(context, link);
    }
    return status;
}

/* ---- names ---- */
/* Why a name cannot stand in a model file; NULL if it can. */
static const char *name_fault(const char *name)
{
    static const char *const words[] = {"null", "true", "false", "yes", "no",     "on",
                                        "off",  "y",    "n",     "P",   "ground", "t"};
    char *end = NULL;

    (void)strtod(name, &end);
    if (!*name || strlen(name) > 80 || (end && !*end) || *name == '-' || *name == '+')
        return "is empty, too long, a number or begins with a sign";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!(k < 9 ? strcasecmp(name, words[k]) : strcmp(name, words[k])))
            return "is a word of the model file";
    for (const char *sign = name; *sign; sign++)
        if (!isalnum((unsigned char)*sign) && !strchr("_-+", *sign) && (unsigned char)*sign < 0x80)
            return "has a sign other than letters, digits, _, - and +";
    return NULL;
}

static phx_status name_check(phx_context *context, const char *path, int line, const char *what, const char *name)
{
    const char *fault = name_fault(name);

    return !fault ? PHX_OK
                  : phx_fail(context, PHX_ERR_INPUT, "%s:%d: the name %s of a %s %s; rename it", path, line,
                             phx_shown_text(name).text, what, fault);
}

/* The link whose name with an ending is this one; NULL. */
static const robot_link *named_link(const phx_robot *robot, const char *name, const char *ending)
{
    for (int k = 0; k < robot->n_links; k++) {
        const size_t length = strlen(robot->links[k].name);
        if (!strncmp(robot->links[k].name, name, length) && !strcmp(name + length, ending))
            return &robot->links[k];
    }
    return NULL;
}

/* Names fit a model file, and none is the one that another thing gets there: ports of links that are part of a body,
 * places of outputs, parts of links that bend. */
static phx_status check_robot_names(phx_context *context, const phx_robot_options *options, const phx_robot *robot)
{
    static const char *const endings[] = {"_place", "_beam", "_tip", "_root"};
    const size_t n_endings = options->n_bend > 0 ? 4 : 1;
    phx_status status = PHX_OK;

    for (int k = 0; k < robot->n_links && !status; k++) {
        const robot_link *link = &robot->links[k], *other = NULL;
        status = name_check(context, link->path, link->line, "link", link->name);
        for (size_t e = 1; e < n_endings && !other; e++)
            other = named_link(robot, link->name, endings[e]);
        if (!status && other)
            status = phx_fail(context, PHX_ERR_INPUT, "%s:%d: the link '%s' has the name of a part of '%s'; rename it",
                              link->path, link->line, link->name, other->name);
    }
    for (int k = 0; k < robot->n_motors && !status; k++)
        status = name_check(context, robot->motors[k].path, robot->motors[k].line, "motor", robot->motors[k].name);
    for (int k = 0; k < robot->n_loops && !status; k++)
        status = name_check(context, robot->loops[k].path, robot->loops[k].line, "joint", robot->loops[k].name);
    for (int j = 0; j < robot->n_joints && !status; j++) {
        const robot_joint *joint = &robot->joints[j];
        const robot_link *other = named_link(robot, joint->name, "");
        if (robot->links[joint->child].body != joint->child)
            continue; /* a fixed one, which is not written */
        status = name_check(context, joint->path, joint->line, "joint", joint->name);
        if (other && other->body == other - robot->links)
            other = NULL; /* bodies and joints have names of their own */
        for (size_t e = 0; e < n_endings && !other; e++)
            other = named_link(robot, joint->name, endings[e]);
        if (!status && other)
            status =
                phx_fail(context, PHX_ERR_INPUT,
                         "%s:%d: the joint '%s' has a name that the link '%s' needs for a port or output; rename one",
                         joint->path, joint->line, joint->name, other->name);
    }
    return status;
}

/* From elements to a tree: root, poses, bodies with the masses of their parts; inertias are checked last. */
phx_status robot_assemble(phx_context *context, const phx_robot_options *options, phx_robot *robot)
{
    enum { MOST_LINKS = 2000 };
    phx_status status = robot->n_links <= MOST_LINKS
                            ? robot_connect(context, robot)
                            : phx_fail(context, PHX_ERR_INPUT, "%s: it has %d links; %d are the most that are read",
                                       robot->path, robot->n_links, MOST_LINKS);

    if (!status)
        status = place_links(context, options, robot);
    for (int k = 0; k < robot->n_links && !status; k++)
        if (robot->links[k].body != k)
            robot_merge(&robot->links[robot->links[k].body], &robot->links[k]);
    if (!status)
        status = check_robot_names(context, options, robot);
    if (!status)
        status = check_bodies(context, options, robot);
    if (!status && ((int)options->drive < 0 || options->drive >= PHX_ROBOT_DRIVES))
        status =
            phx_fail(context, PHX_ERR_ARGUMENT, "drive is %d, expected one of phx_robot_drive", (int)options->drive);
    return status ? status : robot_check_bends(context, options, robot);
}
