/* Point on a beam or rod (bead): the point of B lies on the curve of A, at a place along it that is free. */
#include "kinds.h"

static void point_on_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_points(frame, list);
    phx_joint_add_place(list);
}

const phx_joint_operations phx_joint_point_on = {
    .info = {.name = "point_on",
             .holds = "the point of B on the axis of the beam or rod A",
             .plane = true,
             .space = true,
             .slides = true,
             .n_coordinates = {1, 1},
             .coordinates = {{"place along A", PHX_ZERO_OF_PLACE, false}},
             .solids = {{PHX_SOLID_BALL, {1.15}}, {PHX_SOLID_RING, {1.3, 0.2}}}},
    .zero = PHX_ZERO_PORTS,
    .rows = point_on_rows,
};
