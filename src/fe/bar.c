/* Axial bar: velocity P1 (nodal values), force DG0 (one value per element). Exact in statics under end forces. */
#include "element.h"

const double phx_coefficient_p1[2 * 2] = {1, -1, /* 1 - xi */
                                          0, 1}; /* xi     */
const int phx_scale_p1[2] = {0, 0};

static const double coefficient_dg0[1] = {1};
static const int scale_dg0[1] = {0};

const phx_element phx_element_bar = {
    .name = "bar P1/DG0",
    .displacement = {.count = 2, .stride = 1, .degree = 1, .coefficient = phx_coefficient_p1, .scale = phx_scale_p1},
    .stress = {.count = 1, .stride = 1, .degree = 0, .coefficient = coefficient_dg0, .scale = scale_dg0},
    .derivative = 1,
};
