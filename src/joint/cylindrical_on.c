/* Cylindrical on a beam or rod: the point of B lies on the curve of A, and B turns about its direction there. */
#include "kinds.h"

static void cylindrical_on_rows(const phx_joint_frame *frame, phx_joint_row_list *list)
{
    phx_joint_add_points(frame, list);
    phx_joint_add_tangent(frame, list);
    phx_joint_add_place(list);
    phx_joint_add_spin(frame, list);
}

const phx_joint_operations phx_joint_cylindrical_on = {
    .info = {.name = "cylindrical_on",
             .holds =
                 "the point of B on the axis of the beam or rod A, and the direction of B that lies along it in the "
                 "poses",
             .space = true,
             .slides = true,
             .n_coordinates = {0, 2},
             .coordinates = {{"place along A", PHX_ZERO_OF_PLACE, false}, {"angle", "in the poses", true}},
             .solids = {{PHX_SOLID_CYLINDER, {0.95, 1.8}}}},
    .zero = PHX_ZERO_POSES,
    .rows = cylindrical_on_rows,
};
