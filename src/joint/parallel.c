/* Parallel axes: an axis of B stays parallel to one of A; B moves freely and turns about it. */
#include "kinds.h"

static void parallel_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_axis(frame, list);
    phx_joint_add_turn(frame, 0, list);
}

const phx_joint_operations phx_joint_parallel = {
    .info = {.name = "parallel",
             .holds = "the directions of `axis` of A and of B",
             .space = true,
             .axis = PHX_AXIS_ROTATION,
             .axis_b = true,
             .n_coordinates = {0, 1},
             .coordinates = {{"angle", PHX_ZERO_OF_TURN, true}},
             .solids = {{PHX_SOLID_CYLINDER, {0.3, 4.4}}, {PHX_SOLID_BOX, {1.2, 1.2, 1.2}}}},
    .zero = PHX_ZERO_AXIS,
    .rows = parallel_rows,
};
