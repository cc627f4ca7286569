/* Planar: B stays in the plane through A across the normal and turns about the normal. */
#include "kinds.h"

static void planar_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_normal(frame, 0, list);
    phx_joint_add_axis(frame, list);
    phx_joint_add_displacement(frame, 1, list);
    phx_joint_add_displacement(frame, 2, list);
    phx_joint_add_turn(frame, 0, list);
}

const phx_joint_operations phx_joint_planar = {
    .info = {.name = "planar",
             .holds = "B in the plane through A across `normal`, the normals along each other",
             .space = true,
             .axis = PHX_AXIS_NORMAL,
             .n_coordinates = {0, 3},
             .coordinates = {{"displacement along e", PHX_ZERO_IN_PLANE, false},
                             {"displacement along normal x e", PHX_ZERO_AT_A, false},
                             {"angle", PHX_ZERO_OF_TURN, true}},
             .solids = {{PHX_SOLID_BOX, {3.4, 3.4, 0.3}}, {PHX_SOLID_CYLINDER, {0.3, 1.4}}}},
    .zero = PHX_ZERO_AXIS,
    .rows = planar_rows,
};
