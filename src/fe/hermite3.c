/* Euler-Bernoulli bending: velocity C1 cubic Hermite (w, w' at the nodes), moment DG1 (its values at the two ends of
 * the element), m = EI w''. Quadratic in H2 and, for the moment, in L2 ([3], comment 6). */
#include "element.h"

const double phx_coefficient_hermite3[4 * 4] = {1, 0, -3, 2,  /* w  left  */
                                                0, 1, -2, 1,  /* w' left  */
                                                0, 0, 3,  -2, /* w  right */
                                                0, 0, -1, 1}; /* w' right */
const int phx_scale_hermite3[4] = {0, 1, 0, 1};

static const double coefficient_dg1[2 * 2] = {1, -1, /* 1 at the left end  */
                                              0, 1}; /* 1 at the right end */
static const int scale_dg1[2] = {0, 0};

const phx_element phx_element_hermite3 = {
    .name = "Hermite cubic/DG1",
    .displacement =
        {.count = 4, .stride = 2, .degree = 3, .coefficient = phx_coefficient_hermite3, .scale = phx_scale_hermite3},
    .stress = {.count = 2, .stride = 2, .degree = 1, .coefficient = coefficient_dg1, .scale = scale_dg1},
    .derivative = 2,
};
