/* Where a robot touches the ground: its collision shapes as spheres, points and ellipsoids. */
#include "robot.h"

#include <string.h>

/* Touch number k of a shape in the axes of its body; false behind the last one. Spheres and ellipsoids have one,
 * capsules two, boxes their corners, cylinders four points of each end. */
static bool touch_of_shape(const robot_shape *shape, const robot_pose *in_body, int k, robot_touch *out)
{
    static const int counts[ROBOT_SHAPES] = {
        [ROBOT_BOX] = 8, [ROBOT_CYLINDER] = 8, [ROBOT_CAPSULE] = 2, [ROBOT_SPHERE] = 1, [ROBOT_ELLIPSOID] = 1};
    const double *size = shape->size, side = k & 1 ? 0.5 : -0.5;
    robot_pose at = robot_pose_identity();

    if (k >= counts[shape->kind])
        return false;
    if (shape->kind == ROBOT_BOX) {
        at.x[0] = side * size[0];
        at.x[1] = (k & 2 ? 0.5 : -0.5) * size[1];
        at.x[2] = (k & 4 ? 0.5 : -0.5) * size[2];
    } else if (shape->kind == ROBOT_CYLINDER || shape->kind == ROBOT_CAPSULE) {
        at.x[2] = side * size[1];
        if (shape->kind == ROBOT_CYLINDER)
            at.x[k & 2 ? 0 : 1] = k & 4 ? size[0] : -size[0];
    }
    const robot_pose place = robot_pose_product(&shape->pose, &at);
    *out = (robot_touch){.pose = robot_pose_product(in_body, &place),
                         .radius = shape->kind == ROBOT_SPHERE || shape->kind == ROBOT_CAPSULE ? size[0] : 0.0,
                         .axes = shape->kind == ROBOT_ELLIPSOID ? size : NULL,
                         .friction = shape->friction};
    return true;
}

bool robot_touch_of(const phx_robot *robot, int body, int number, robot_touch *out)
{
    const robot_pose identity = robot_pose_identity();

    for (int l = 0; l < robot->n_links; l++)
        for (int s = 0; s < robot->links[l].n_collisions && robot->links[l].body == body; s++)
            for (int k = 0;
                 touch_of_shape(&robot->links[l].collisions[s], l == body ? &identity : &robot->links[l].pose, k, out);
                 k++)
                if (number-- == 0)
                    return true;
    return false;
}

phx_status robot_add_collision(phx_context *context, robot_link *link, const robot_shape *shape)
{
    robot_shape *wider =
        phx_realloc(context, link->collisions, (size_t)link->n_collisions + 1, sizeof *link->collisions);

    if (!wider)
        return PHX_ERR_MEMORY;
    link->collisions = wider;
    wider[link->n_collisions++] = *shape;
    return PHX_OK;
}
