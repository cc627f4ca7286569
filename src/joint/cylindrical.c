/* Cylindrical: B stays on the line through A along the axis and turns about it. */
#include "kinds.h"

static void cylindrical_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_line(frame, list);
    phx_joint_add_axis(frame, list);
    phx_joint_add_turn(frame, 0, list);
    phx_joint_add_displacement(frame, 0, list);
}

const phx_joint_operations phx_joint_cylindrical = {
    .info = {.name = "cylindrical",
             .holds = "B on the line through A along `axis`, the axes on each other",
             .space = true,
             .axis = PHX_AXIS_ROTATION,
             .axis_b = true,
             .n_coordinates = {0, 2},
             .coordinates = {{"angle", PHX_ZERO_OF_TURN, true}, {"displacement", PHX_ZERO_AT_A, false}},
             .solids = {{PHX_SOLID_CYLINDER, {0.4, 4.4}}, {PHX_SOLID_CYLINDER, {0.95, 1.8}}}},
    .zero = PHX_ZERO_AXIS,
    .rows = cylindrical_rows,
};
