/* Point on plane (inplane): B stays in the plane through A across the normal and turns freely. */
#include "kinds.h"

static void point_on_plane_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_normal(frame, 0, list);
    phx_joint_add_displacement(frame, 1, list);
    phx_joint_add_displacement(frame, 2, list);
}

const phx_joint_operations phx_joint_point_on_plane = {
    .info = {.name = "point_on_plane",
             .holds = "B in the plane through A across `normal`",
             .space = true,
             .axis = PHX_AXIS_NORMAL,
             .n_coordinates = {0, 2},
             .coordinates = {{"displacement along e", PHX_ZERO_IN_PLANE, false},
                             {"displacement along normal x e", PHX_ZERO_AT_A, false}},
             .solids = {{PHX_SOLID_BOX, {3.4, 3.4, 0.3}}, {PHX_SOLID_BALL, {0.6}}}},
    .zero = PHX_ZERO_PORTS,
    .rows = point_on_plane_rows,
};
