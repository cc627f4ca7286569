#include "bare.h"

#include <math.h>

#include "timing.h"

void bare_measure(const bare_matrix *matrix, bool solve(void *user), void *user, const double *x, bare_place *place,
                  double *seconds, double *residual)
{
    double worst = 0.0, scale = 0.0;

    *seconds = bench_least_time(user, solve);
    for (int i = 0; i < matrix->n; i++) {
        double sum = -1.0;
        for (int e = matrix->ptr[i]; e < matrix->ptr[i + 1]; e++) {
            const double term = matrix->val[e] * x[place(matrix->links, matrix->idx[e])];
            sum += term;
            scale = fmax(scale, fabs(term));
        }
        worst = fmax(worst, fabs(sum));
    }
    *residual = worst / scale;
}
