/* Euler-Bernoulli bending: velocity C2 quintic Hermite (w, w', w'' at the nodes), moment DG3 (its values at 0, 1/3, 2/3
 * and 1 of the element), m = EI w''. One such element is the beam of [2] (eqs 16, 17). */
#include "element.h"

static const double coefficient_hermite5[6 * 6] = {1, 0, 0,   -10,  15,  -6,   /* w   left  */
                                                   0, 1, 0,   -6,   8,   -3,   /* w'  left  */
                                                   0, 0, 0.5, -1.5, 1.5, -0.5, /* w'' left  */
                                                   0, 0, 0,   10,   -15, 6,    /* w   right */
                                                   0, 0, 0,   -4,   7,   -3,   /* w'  right */
                                                   0, 0, 0,   0.5,  -1,  0.5}; /* w'' right */
static const int scale_hermite5[6] = {0, 1, 2, 0, 1, 2};

static const double coefficient_dg3[4 * 4] = {1, -5.5, 9,     -4.5,  /* 1 at 0   */
                                              0, 9,    -22.5, 13.5,  /* 1 at 1/3 */
                                              0, -4.5, 18,    -13.5, /* 1 at 2/3 */
                                              0, 1,    -4.5,  4.5};  /* 1 at 1   */
static const int scale_dg3[4] = {0, 0, 0, 0};

const phx_element phx_element_hermite5 = {
    .name = "Hermite quintic/DG3",
    .displacement =
        {.count = 6, .stride = 3, .degree = 5, .coefficient = coefficient_hermite5, .scale = scale_hermite5},
    .stress = {.count = 4, .stride = 4, .degree = 3, .coefficient = coefficient_dg3, .scale = scale_dg3},
    .derivative = 2,
};
