/* Slider: B stays on the line through A along the axis and turns freely. */
#include "kinds.h"

static void slider_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_line(frame, list);
    phx_joint_add_displacement(frame, 0, list);
}

const phx_joint_operations phx_joint_slider = {
    .info = {.name = "slider",
             .holds = "B on the line through A along `axis`",
             .plane = true,
             .space = true,
             .axis = PHX_AXIS_LINE,
             .n_coordinates = {1, 1},
             .coordinates = {{"displacement", PHX_ZERO_AT_A, false}},
             .solids = {{PHX_SOLID_BOX, {0.45, 0.45, 4.4}}, {PHX_SOLID_CYLINDER, {0.95, 1.6}}}},
    .zero = PHX_ZERO_PORTS,
    .rows = slider_rows,
};
