/* Several joints in a row, with nothing that has mass in between, as one joint with several coordinates. */
#include "robot.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-9; /* directions and places of joints, relative to 1 and to 1 m: printed digits */

/* Whether hinges have one place, and all axes are perpendicular; of six the last three are the first three. */
static bool is_perpendicular(int count, const bool *slides, double axes[][3], double places[][3])
{
    const double *last = places[count - 1];

    for (int k = 0; k < count; k++) {
        for (int m = k < 3 ? 0 : 3; m < k; m++)
            if (fabs(phx_dot(3, axes[k], axes[m])) > SAME)
                return false;
        if (k >= 3 && phx_dot(3, axes[k], axes[k - 3]) < 1.0 - SAME)
            return false;
        for (int a = 0; a < 3 && !slides[k]; a++)
            if (fabs(places[k][a] - last[a]) > SAME)
                return false;
    }
    return true;
}

/* Looks the kinds up in a table, checks the axes, and takes the first two for x and y of the frame of three or more. */
bool robot_combine(int count, const bool *slides, double axes[][3], double places[][3], robot_joint *joint,
                   robot_pose *frame, double *sign)
{
    static const struct {
        int count;
        bool slides[ROBOT_COORDINATES];
        int kind;
    } known[] = {{1, {false}, ROBOT_REVOLUTE},           {1, {true}, ROBOT_PRISMATIC},
                 {2, {false, false}, ROBOT_UNIVERSAL},   {3, {false, false, false}, ROBOT_SPHERICAL},
                 {3, {true, true, false}, ROBOT_PLANAR}, {6, {true, true, true, false, false, false}, ROBOT_FLOATING}};
    enum { N = sizeof known / sizeof *known };
    int k = 0;

    while (k < N && (known[k].count != count || memcmp(known[k].slides, slides, (size_t)count * sizeof *slides) != 0))
        k++;
    if (k == N || (count > 1 && !is_perpendicular(count, slides, axes, places)))
        return false;
    joint->kind = known[k].kind;
    joint->n_coordinates = count;
    memcpy(joint->axis, axes[0], sizeof joint->axis);
    if (count > 1)
        memcpy(joint->axis_b, axes[1], sizeof joint->axis_b);
    *frame = robot_pose_identity();
    memcpy(frame->x, places[count - 1], sizeof frame->x);
    *sign = 1.0;
    if (count < 3)
        return true;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        frame->R[3 * a] = axes[0][a];
        frame->R[3 * a + 1] = axes[1][a];
        frame->R[3 * a + 2] = axes[0][b] * axes[1][c] - axes[0][c] * axes[1][b];
    }
    const double z[3] = {frame->R[2], frame->R[5], frame->R[8]};
    robot_coordinate *last = &joint->coordinates[2];
    memcpy(joint->axis, (const double[]){0.0, 0.0, 1.0}, sizeof joint->axis);
    if (phx_dot(3, z, axes[2]) > 0.0)
        return true;
    if (count > 3) /* left-handed */
        return false;
    const double lower = last->lower;
    *sign = -1.0;
    last->lower = -last->upper;
    last->upper = -lower;
    last->rest = -last->rest;
    return true;
}

/* ---- links without mass ---- */
static bool is_single(const robot_joint *joint)
{
    return joint->kind >= ROBOT_REVOLUTE && joint->kind <= ROBOT_PRISMATIC && joint->mimic < 0;
}

static bool is_followed(const phx_robot *robot, int j)
{
    for (int k = 0; k < robot->n_joints; k++)
        if (robot->joints[k].mimic == j)
            return true;
    return false;
}

/* The joint that moves on behind joint j, if there is nothing else on the link in between; -1. */
static int next_joint(const phx_robot *robot, int j)
{
    const robot_link *link = &robot->links[robot->joints[j].child];
    int next = -1, count = 0;

    for (int k = 0; k < robot->n_joints; k++)
        if (robot->joints[k].parent == robot->joints[j].child) {
            next = k;
            count++;
        }
    const bool heavy = link->mass > 0.0 || link->inertia[0] + link->inertia[4] + link->inertia[8] > 0.0;
    return !heavy && link->n_shapes + link->n_collisions == 0 && count == 1 && is_single(&robot->joints[next]) &&
                   !is_followed(robot, next)
               ? next
               : -1;
}

/* Joints chain[0 .. count - 1] as one: its child is the first link, which takes the name of the last; the last link is
 * fixed to it and becomes part of it. */
static bool combine_chain(phx_context *context, phx_robot *robot, const int *chain, int count)
{
    robot_joint *first = &robot->joints[chain[0]], *last = &robot->joints[chain[count - 1]], joint = *first;
    double axes[ROBOT_COORDINATES][3], places[ROBOT_COORDINATES][3], sign;
    bool slides[ROBOT_COORDINATES];
    robot_pose at = robot_pose_identity(), whole = first->pose, frame; /* at: of the child of joint k in the last one */

    for (int k = count - 1; k >= 0; k--) {
        const robot_joint *one = &robot->joints[chain[k]];
        const double length = sqrt(phx_dot(3, one->axis, one->axis));
        const robot_pose back = robot_pose_inverse(&one->pose);
        phx_rot_apply(3, at.R, one->axis, axes[k]);
        for (int a = 0; a < 3; a++)
            axes[k][a] /= length;
        memcpy(places[k], at.x, sizeof places[k]);
        slides[k] = one->kind == ROBOT_PRISMATIC;
        joint.coordinates[k] = one->coordinates[0];
        at = robot_pose_product(&at, &back);
    }
    for (int k = 1; k < count; k++)
        whole = robot_pose_product(&whole, &robot->joints[chain[k]].pose);
    if (!robot_combine(count, slides, axes, places, &joint, &frame, &sign))
        return false;
    joint.pose = robot_pose_product(&whole, &frame);
    joint.effort = joint.velocity = 0.0;
    robot_link *link = &robot->links[first->child], *end = &robot->links[last->child];
    phx_log(context, PHX_LOG_WARNING,
            "%s:%d: '%s' and the %d joint%s behind it move '%s' without mass in between: one joint with %d coordinates",
            first->path, first->line, first->name, count - 1, count > 2 ? "s" : "", end->name, count);
    char *name = link->name;
    link->name = end->name;
    end->name = name;
    for (int k = 1; k < count; k++) {
        robot_joint *one = &robot->joints[chain[k]];
        one->kind = ROBOT_FIXED;
        one->n_coordinates = 0;
        one->parent = first->child;
        one->pose = k == count - 1 ? robot_pose_inverse(&frame) : robot_pose_identity();
    }
    *first = joint;
    return true;
}

void robot_combine_massless(phx_context *context, phx_robot *robot)
{
    for (int j = 0; j < robot->n_joints; j++) {
        int chain[ROBOT_COORDINATES + 1] = {j}, count = 1, before = -1;
        for (int k = 0; k < robot->n_joints && before < 0; k++)
            if (next_joint(robot, k) == j && is_single(&robot->joints[k]))
                before = k;
        if (before >= 0 || !is_single(&robot->joints[j]) || is_followed(robot, j))
            continue;
        for (int next = next_joint(robot, j); next >= 0 && count <= ROBOT_COORDINATES; next = next_joint(robot, next))
            chain[count++] = next;
        if (count > 1 && count <= ROBOT_COORDINATES)
            combine_chain(context, robot, chain, count);
    }
}
