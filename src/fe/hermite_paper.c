/* Euler-Bernoulli bending of [1] 6: velocity and moment both in C1 cubic Hermite (moment: m, m' at the nodes).
 * There for comparison with published results; its stiffness is not that of classical finite elements. */
#include "element.h"

const phx_element phx_element_hermite_paper = {
    .name = "Hermite cubic/Hermite cubic",
    .displacement =
        {.count = 4, .stride = 2, .degree = 3, .coefficient = phx_coefficient_hermite3, .scale = phx_scale_hermite3},
    .stress =
        {.count = 4, .stride = 2, .degree = 3, .coefficient = phx_coefficient_hermite3, .scale = phx_scale_hermite3},
    .derivative = 2,
};
