/* Fronts of real values. */
#include "front_real.h"

#include "front_numeric.h"

void phx_front_factor_real(const phx_front_tree *tree, const double *val, double *factors, double *stack, double *work)
{
    factor(tree, val, factors, stack, work);
}

void phx_front_solve_real(const phx_front_tree *tree, const double *factors, double *x, double *y)
{
    solve(tree, factors, x, y);
}
