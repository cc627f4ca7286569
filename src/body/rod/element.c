/* An element of a rod: its series, and the stiffness of its section for stresses that vary along it. */
#include "rod.h"

#include "algebra/algebra.h"

#include <math.h>
#include <string.h>

enum { N = 6, ENTRIES = PHX_ROD_SECTION };

void phx_rod_fill_table(phx_rod_table *table)
{
    double c = 1.0, k = 1.0 / 6.0;

    for (int n = 0; n < PHX_ROD_TERMS; n++) {
        const double next = c * (n + 1) / (2.0 * n + 3.0);
        table->c[n] = c;
        if (n > 0)
            k = 0.5 * (k + next);
        table->k[n] = k;
        c = next;
    }
}

/* Roots of the Legendre polynomial by Newton's method. */
void phx_rod_gauss(double *point, double *weight)
{
    const double pi = 3.14159265358979323846;
    const int n = PHX_ROD_GAUSS;

    for (int i = 0; i < n; i++) {
        double x = -cos(pi * (i + 0.75) / (n + 0.5)), slope = 1.0;
        for (int turn = 0; turn < 20; turn++) {
            double before = 1.0, value = x;
            for (int k = 2; k <= n; k++) {
                const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
                before = value;
                value = next;
            }
            slope = n * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
        }
        point[i] = 0.5 * (1.0 + x);
        weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

/* E = e^(factor A): the series of a small part of it, squared. */
static void exponential(double factor, const double *A, double *E)
{
    enum { SQUARINGS = 6, TERMS = 14 };
    double step[ENTRIES], power[ENTRIES] = {0}, next[ENTRIES];

    for (int i = 0; i < ENTRIES; i++) {
        step[i] = ldexp(factor, -SQUARINGS) * A[i];
        power[i] = E[i] = i % (N + 1) == 0 ? 1.0 : 0.0;
    }
    for (int n = 1; n <= TERMS; n++) {
        phx_dense_multiply(false, false, N, N, N, 1.0 / n, power, N, step, N, 0.0, next, N);
        memcpy(power, next, sizeof power);
        for (int i = 0; i < ENTRIES; i++)
            E[i] += power[i];
    }
    for (int s = 0; s < SQUARINGS; s++) {
        phx_dense_multiply(false, false, N, N, N, 1.0, E, N, E, N, 0.0, next, N);
        memcpy(E, next, sizeof next);
    }
}

/* S += weight X^T c X */
static void add_congruence(double weight, const double *X, const double *c, double *S)
{
    double cX[ENTRIES];

    phx_dense_multiply(false, false, N, N, N, 1.0, c, N, X, N, 0.0, cX, N);
    phx_dense_multiply(true, false, N, N, N, weight, X, N, cX, N, 1.0, S, N);
}

/* A = | [kappa]x  0 ; [Gamma]x  [kappa]x | of sigma' = -A sigma. */
static void equilibrium(const double *strain, double *A)
{
    const double *Gamma = strain, *kappa = strain + 3;

    memset(A, 0, ENTRIES * sizeof *A);
    for (int block = 0; block < 3; block++) { /* at (0, 0), (3, 0), (3, 3) */
        const double *v = block == 1 ? Gamma : kappa;
        double *to = A + (block > 0 ? 3 * N : 0) + (block == 2 ? 3 : 0);
        to[1] = -v[2];
        to[2] = v[1];
        to[N] = v[2];
        to[N + 2] = -v[0];
        to[2 * N] = -v[1];
        to[2 * N + 1] = v[0];
    }
}

/* L = I - ad^2/24 + 7 ad^4/5760, ad = -l A^T: from the strain at the middle to the logarithm of the whole. */
static void logarithm(double length, const double *A, double *L)
{
    double square[ENTRIES];

    for (int i = 0; i < ENTRIES; i++)
        L[i] = i % (N + 1) == 0 ? 1.0 : 0.0;
    phx_dense_multiply(true, true, N, N, N, length * length, A, N, A, N, 0.0, square, N);
    phx_dense_multiply(false, false, N, N, N, 7.0 / 5760.0, square, N, square, N, 1.0, L, N);
    for (int i = 0; i < ENTRIES; i++)
        L[i] -= square[i] / 24.0;
}

/* C = c^-1 of a symmetric positive definite matrix whose units differ: with ones on the diagonal. */
static phx_status element_invert(phx_context *context, const double *c, double *C)
{
    double scale[N], factor[ENTRIES];

    for (int i = 0; i < N; i++)
        scale[i] = sqrt(c[N * i + i]);
    for (int i = 0; i < ENTRIES; i++)
        C[i] = factor[i] = 0.5 * (c[i] + c[N * (i % N) + i / N]) / (scale[i / N] * scale[i % N]);
    phx_status status = phx_dense_cholesky(context, N, factor);
    if (!status)
        status = phx_dense_inverse(context, N, C);
    for (int i = 0; i < ENTRIES; i++)
        C[i] /= scale[i / N] * scale[i % N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            C[N * i + j] = C[N * j + i] = 0.5 * (C[N * i + j] + C[N * j + i]);
    return status;
}

/* Stiffness C (6 x 6) of a curved element with initial strain: the inverse of the section compliance integrated over
 * the Gauss points, for stresses in equilibrium along the element. Fails if the integral is not positive definite. */
phx_status phx_rod_element_stiffness(phx_context *context, double length, const double *strain,
                                     const double *compliance, double *C)
{
    double point[PHX_ROD_GAUSS], weight[PHX_ROD_GAUSS], A[ENTRIES], L[ENTRIES], Lt[ENTRIES], X[ENTRIES];
    double S[ENTRIES] = {0}, c[ENTRIES] = {0};

    phx_rod_gauss(point, weight);
    equilibrium(strain, A);
    logarithm(length, A, L);
    for (int k = 0; k < PHX_ROD_GAUSS; k++) {
        exponential(-length * (point[k] - 0.5), A, X);
        add_congruence(weight[k], X, compliance + ENTRIES * k, S);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            Lt[N * i + j] = L[N * j + i];
    add_congruence(1.0, Lt, S, c);
    return element_invert(context, c, C);
}
