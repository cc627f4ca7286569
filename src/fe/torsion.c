/* Saint-Venant torsion: twist rate P1 (nodal values), torsion moment DG0 (one value per element). The section's polar
 * inertia enters with the masses. */
#include "element.h"

static const double coefficient_dg0[1] = {1};
static const int scale_dg0[1] = {0};

const phx_element phx_element_torsion = {
    .name = "torsion P1/DG0",
    .displacement = {.count = 2, .stride = 1, .degree = 1, .coefficient = phx_coefficient_p1, .scale = phx_scale_p1},
    .stress = {.count = 1, .stride = 1, .degree = 0, .coefficient = coefficient_dg0, .scale = scale_dg0},
    .derivative = 1,
};
