/* Revolute: the points coincide; in space the axis of B stays on that of A. */
#include "kinds.h"

static void revolute_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_points(frame, list);
    if (frame->dim == 3) {
        phx_joint_add_axis(frame, list);
        phx_joint_add_turn(frame, 0, list);
    } else {
        phx_joint_add_plane_angle(frame, list);
    }
}

const phx_joint_operations phx_joint_revolute = {
    .info = {.name = "revolute",
             .holds = "points; in space `axis` of A and of B",
             .plane = true,
             .space = true,
             .axis = PHX_AXIS_ROTATION,
             .axis_b = true,
             .holds_points = true,
             .n_coordinates = {1, 1},
             .coordinates = {{"angle", PHX_ZERO_OF_TURN, true}},
             .solids = {{PHX_SOLID_CYLINDER, {0.36, 2.6}}, {PHX_SOLID_RING, {1.0, 0.17}}}},
    .zero = PHX_ZERO_AXIS,
    .rows = revolute_rows,
};
