/* Perpendicular axes: an axis of B stays perpendicular to one of A, as in a universal joint whose points are free. */
#include "kinds.h"

static void perpendicular_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_perpendicular(frame, list);
    phx_joint_add_first_turn(frame, list);
    phx_joint_add_last_turn(frame, list);
}

const phx_joint_operations phx_joint_perpendicular = {
    .info = {.name = "perpendicular",
             .holds = "of `axes: [a, b]` a of A and b of B stay perpendicular",
             .space = true,
             .axis = PHX_AXIS_PAIR,
             .n_coordinates = {0, 2},
             .coordinates = {{"angle about a", PHX_ZERO_OF_PAIR, true}, {"angle about b", "likewise", true}},
             .solids = {{PHX_SOLID_CYLINDER, {0.3, 3.0}}, {PHX_SOLID_ACROSS, {0.3, 3.0}}}},
    .zero = PHX_ZERO_CROSS,
    .rows = perpendicular_rows,
};
