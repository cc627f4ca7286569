/* Fronts of complex values. C17 lets an array of two doubles be read as the struct of two that `scalar` is (6.5 7). */
#include "front_complex.h"

#include "front_numeric.h"

void phx_front_factor_complex(const phx_front_tree *tree, const double *val, double *factors, double *stack,
                              double *work)
{
    factor(tree, (const scalar *)val, (scalar *)factors, (scalar *)stack, (scalar *)work);
}

void phx_front_solve_complex(const phx_front_tree *tree, const double *factors, double *x, double *y)
{
    solve(tree, (const scalar *)factors, (scalar *)x, (scalar *)y);
}
