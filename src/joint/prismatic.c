/* Prismatic: B stays on the line through A along the axis and does not turn against A. */
#include "kinds.h"

static void prismatic_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_line(frame, list);
    phx_joint_fix_orientation(frame, list);
    phx_joint_add_displacement(frame, 0, list);
}

const phx_joint_operations phx_joint_prismatic = {
    .info = {.name = "prismatic",
             .holds = "B on the line through A along `axis`, and the relative rotation of the poses",
             .plane = true,
             .space = true,
             .axis = PHX_AXIS_LINE,
             .axis_b = true,
             .n_coordinates = {1, 1},
             .coordinates = {{"displacement", PHX_ZERO_AT_A, false}},
             .solids = {{PHX_SOLID_BOX, {0.55, 0.55, 4.4}}, {PHX_SOLID_BOX, {1.5, 1.5, 1.9}}}},
    .zero = PHX_ZERO_POSES,
    .rows = prismatic_rows,
};
