/* Weld: the points coincide and B does not turn against A. */
#include "kinds.h"

static void rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_points(frame, list);
    for (int k = 0; k < (frame->dim == 2 ? 1 : 3); k++)
        phx_joint_add_no_turn(frame, k, list);
}

const phx_joint_operations phx_joint_weld = {
    .name = "weld", .plane = true, .space = true, .has_axis = {false, false}, .zero = PHX_ZERO_POSES, .rows = rows};
