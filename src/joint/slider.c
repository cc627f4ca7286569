/* Slider: B stays on the line through A along the axis and turns freely. */
#include "kinds.h"

static void rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_line(frame, list);
    phx_joint_add_displacement(frame, 0, list);
}

const phx_joint_operations phx_joint_slider = {
    .name = "slider", .plane = true, .space = true, .has_axis = {true, true}, .zero = PHX_ZERO_PORTS, .rows = rows};
