/* Weld: the points coincide and B does not turn against A. */
#include "kinds.h"

static void weld_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_points(frame, list);
    phx_joint_fix_orientation(frame, list);
}

const phx_joint_operations phx_joint_weld = {
    .info = {.name = "weld",
             .holds = "points and the relative rotation: that of the poses, or `angle`, in space `rotation`",
             .plane = true,
             .space = true,
             .relative = true,
             .holds_points = true,
             .solids = {{PHX_SOLID_BOX, {1.5, 1.5, 1.5}}}},
    .zero = PHX_ZERO_POSES,
    .rows = weld_rows,
};
