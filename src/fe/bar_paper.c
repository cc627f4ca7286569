/* Axial bar of [1] 6: velocity P1, force P1 (continuous, nodal values). The pair has spurious low modes from
 * two elements on; it is there for comparison with published results. */
#include "element.h"

const phx_element phx_element_bar_paper = {
    .name = "bar P1/P1",
    .displacement = {.count = 2, .stride = 1, .degree = 1, .coefficient = phx_coefficient_p1, .scale = phx_scale_p1},
    .stress = {.count = 2, .stride = 1, .degree = 1, .coefficient = phx_coefficient_p1, .scale = phx_scale_p1},
    .derivative = 1,
};
