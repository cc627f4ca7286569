/* Prismatic: B stays on the line through A along the axis and does not turn against A. */
#include "kinds.h"

static void rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_line(frame, list);
    for (int k = 0; k < (frame->dim == 2 ? 1 : 3); k++)
        phx_joint_add_no_turn(frame, k, list);
    phx_joint_add_displacement(frame, 0, list);
}

const phx_joint_operations phx_joint_prismatic = {
    .name = "prismatic", .plane = true, .space = true, .has_axis = {true, true}, .zero = PHX_ZERO_POSES, .rows = rows};
