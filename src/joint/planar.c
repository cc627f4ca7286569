/* Planar: B stays in the plane through A across the normal and turns about the normal. */
#include "kinds.h"

static void rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_normal(frame, 0, list);
    phx_joint_add_axis(frame, list);
    phx_joint_add_displacement(frame, 1, list);
    phx_joint_add_displacement(frame, 2, list);
    phx_joint_add_turn(frame, 0, list);
}

const phx_joint_operations phx_joint_planar = {
    .name = "planar", .plane = false, .space = true, .has_axis = {false, true}, .zero = PHX_ZERO_AXIS, .rows = rows};
