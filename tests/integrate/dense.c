#include "dense.h"

#include <math.h>
phx_status lu_factor(int n, double a[MOST][MOST], int *pivot)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k]))
                best = i;
        pivot[k] = best;
        if (!(fabs(a[best][k]) > 1e-300))
            return PHX_SINGULAR;
        for (int j = 0; j < n && best != k; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
    return PHX_OK;
}

void lu_solve(int n, double a[MOST][MOST], const int *pivot, double *b)
{
    for (int k = 0; k < n; k++) {
        double swap = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = swap;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= a[i][j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

phx_status lu_factor_complex(int n, double complex a[MOST][MOST], int *pivot)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(a[i][k]) > cabs(a[best][k]))
                best = i;
        pivot[k] = best;
        if (!(cabs(a[best][k]) > 1e-300))
            return PHX_SINGULAR;
        for (int j = 0; j < n && best != k; j++) {
            double complex swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < n; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
    return PHX_OK;
}

void lu_solve_complex(int n, double complex a[MOST][MOST], const int *pivot, double complex *b)
{
    for (int k = 0; k < n; k++) {
        double complex swap = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = swap;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= a[i][j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}
