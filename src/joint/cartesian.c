/* Cartesian (orientation): B does not turn against A and moves freely along A's directions. */
#include "kinds.h"

static void cartesian_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_fix_orientation(frame, list);
    for (int k = 0; k < frame->dim; k++)
        phx_joint_add_displacement(frame, k, list);
}

const phx_joint_operations phx_joint_cartesian = {
    .info = {.name = "cartesian",
             .holds = "the relative rotation: that of the poses, or `angle`, in space `rotation`",
             .plane = true,
             .space = true,
             .relative = true,
             .n_coordinates = {2, 3},
             .coordinates = {{"displacement along x", "where B is at A; along port A's directions", false},
                             {"displacement along y", PHX_ZERO_AT_A, false},
                             {"displacement along z", PHX_ZERO_AT_A, false}},
             .solids = {{PHX_SOLID_BOX, {4.4, 0.5, 0.5}},
                        {PHX_SOLID_BOX, {0.5, 4.4, 0.5}},
                        {PHX_SOLID_BOX, {0.5, 0.5, 4.4}}}},
    .zero = PHX_ZERO_POSES,
    .rows = cartesian_rows,
};
