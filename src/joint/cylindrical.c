/* Cylindrical: B stays on the line through A along the axis and turns about it. */
#include "kinds.h"

static void rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_line(frame, list);
    phx_joint_add_axis(frame, list);
    phx_joint_add_turn(frame, 0, list);
    phx_joint_add_displacement(frame, 0, list);
}

const phx_joint_operations phx_joint_cylindrical = {.name = "cylindrical",
                                                    .plane = false,
                                                    .space = true,
                                                    .has_axis = {false, true},
                                                    .zero = PHX_ZERO_AXIS,
                                                    .rows = rows};
