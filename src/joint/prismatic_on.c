/* Prismatic on a beam or rod: the point of B lies on the curve of A and B keeps its attitude against the section there.
 */
#include "kinds.h"

static void prismatic_on_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_points(frame, list);
    phx_joint_add_tangent(frame, list);
    phx_joint_add_no_spin(frame, list);
    phx_joint_add_place(list);
}

const phx_joint_operations phx_joint_prismatic_on = {
    .info = {.name = "prismatic_on",
             .holds =
                 "the point of B on the axis of the beam or rod A, and the rotation against the section there: that "
                 "of the poses",
             .plane = true,
             .space = true,
             .slides = true,
             .n_coordinates = {1, 1},
             .coordinates = {{"place along A", PHX_ZERO_OF_PLACE, false}},
             .solids = {{PHX_SOLID_BOX, {1.5, 1.5, 1.9}}}},
    .zero = PHX_ZERO_POSES,
    .rows = prismatic_on_rows,
};
