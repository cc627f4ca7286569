/* Everything follows from the nodes by integrating and differentiating Lagrange polynomials, in extended precision so
 * that the quadratic invariants of Gauss' methods hold to rounding: b_i a_ij + b_j a_ji = b_i b_j. */
#include "tableau.h"

#include <complex.h>
#include <math.h>

enum { S = PHX_STAGES };
static const long double PI = 3.141592653589793238462643383279502884L;

/* P_n(2c-1) and its derivative with respect to c, by recurrence:
 * (k+1) P_{k+1} = (2k+1) u P_k - k P_{k-1},  P'_{k+1} = P'_{k-1} + (2k+1) P_k */
static void legendre(int n, long double c, long double *value, long double *derivative)
{
    long double u = 2.0L * c - 1.0L, p0 = 1.0L, p1 = u, d0 = 0.0L, d1 = 1.0L;
    if (n == 0) {
        p1 = p0;
        d1 = d0;
    }
    for (int k = 1; k < n; k++) {
        long double p2 = ((2 * k + 1) * u * p1 - k * p0) / (k + 1), d2 = d0 + (2 * k + 1) * p1;
        p0 = p1;
        p1 = p2;
        d0 = d1;
        d1 = d2;
    }
    *value = p1;
    *derivative = 2.0L * d1;
}

/* The zero of P_n - P_m next to a guess (m < 0: of P_n). */
static long double tableau_zero(int n, int m, long double guess)
{
    long double c = guess;
    for (int k = 0; k < 50; k++) {
        long double f, df, g = 0.0L, dg = 0.0L;
        legendre(n, c, &f, &df);
        if (m >= 0)
            legendre(m, c, &g, &dg);
        c -= (f - g) / (df - dg);
    }
    return c;
}

/* Coefficients (ascending) of l_j(tau) = prod_{k != j} (tau - c_k)/(c_j - c_k). */
static void lagrange_coefficients(int s, const long double *c, int j, long double *p)
{
    p[0] = 1.0L;
    int degree = 0;
    for (int k = 0; k < s; k++) {
        if (k == j)
            continue;
        p[degree + 1] = 0.0L;
        for (int i = degree + 1; i >= 0; i--)
            p[i] = ((i > 0 ? p[i - 1] : 0.0L) - c[k] * (i <= degree ? p[i] : 0.0L)) / (c[j] - c[k]);
        degree++;
    }
}

static long double polynomial(int s, const long double *p, long double tau)
{
    long double value = 0.0L;
    for (int i = s - 1; i >= 0; i--)
        value = value * tau + p[i];
    return value;
}

static long double polynomial_derivative(int s, const long double *p, long double tau)
{
    long double value = 0.0L;
    for (int i = s - 1; i >= 1; i--)
        value = value * tau + i * p[i];
    return value;
}

static long double polynomial_integral(int s, const long double *p, long double tau)
{
    long double value = 0.0L;
    for (int i = s - 1; i >= 0; i--)
        value = value * tau + p[i] / (i + 1);
    return value * tau;
}

/* Gauss-Jordan with row pivoting; `a` is destroyed. */
static void tableau_invert(int s, long double a[S][S], long double inverse[S][S])
{
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            inverse[i][j] = i == j ? 1.0L : 0.0L;
    for (int k = 0; k < s; k++) {
        int pivot = k;
        for (int i = k + 1; i < s; i++)
            if (fabsl(a[i][k]) > fabsl(a[pivot][k]))
                pivot = i;
        for (int j = 0; j < s; j++) {
            long double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
            swap = inverse[k][j];
            inverse[k][j] = inverse[pivot][j];
            inverse[pivot][j] = swap;
        }
        long double scale = 1.0L / a[k][k];
        for (int j = 0; j < s; j++) {
            a[k][j] *= scale;
            inverse[k][j] *= scale;
        }
        for (int i = 0; i < s; i++) {
            long double factor = i == k ? 0.0L : a[i][k];
            for (int j = 0; j < s; j++) {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
}

/* z with (A - mu) z = 0, from the first rows: row . z = 0, or z = row0 x row1. */
static void null_vector(int s, long double a[S][S], long double complex mu, long double complex *z)
{
    long double complex r[2][S];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < s; j++)
            r[i][j] = a[i][j] - (i == j ? mu : 0.0L);
    if (s == 2) {
        z[0] = -r[0][1];
        z[1] = r[0][0];
        return;
    }
    z[0] = r[0][1] * r[1][2] - r[0][2] * r[1][1];
    z[1] = r[0][2] * r[1][0] - r[0][0] * r[1][2];
    z[2] = r[0][0] * r[1][1] - r[0][1] * r[1][0];
}

/* mu^3 - trace mu^2 + minors mu - det = 0 has one real solution here; Newton from the right. */
static long double real_eigenvalue(long double a[S][S], long double trace, long double det)
{
    long double minors = 0.0L, mu = trace;
    for (int i = 0; i < S; i++)
        for (int j = i + 1; j < S; j++)
            minors += a[i][i] * a[j][j] - a[i][j] * a[j][i];
    for (int k = 0; k < 100; k++)
        mu -= (((mu - trace) * mu + minors) * mu - det) / ((3.0L * mu - 2.0L * trace) * mu + minors);
    return mu;
}

static long double determinant(int s, long double a[S][S])
{
    if (s == 2)
        return a[0][0] * a[1][1] - a[0][1] * a[1][0];
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/* a_inverse = basis B basis_inverse */
static void diagonalise(int s, long double a_inverse[S][S], phx_tableau *tableau)
{
    long double trace = 0.0L, det = determinant(s, a_inverse);
    for (int i = 0; i < s; i++)
        trace += a_inverse[i][i];
    long double real = s == 3 ? real_eigenvalue(a_inverse, trace, det) : 0.0L;
    long double re = 0.5L * (trace - real), modulus = s == 3 ? det / real : det;
    long double im = sqrtl(modulus - re * re);

    long double basis[S][S], inverse[S][S];
    long double complex z[S];
    int first = s - 2;
    if (s == 3) {
        null_vector(s, a_inverse, real, z);
        for (int i = 0; i < s; i++)
            basis[i][0] = creall(z[i] / z[s - 1]);
    }
    null_vector(s, a_inverse, re + im * I, z);
    for (int i = 0; i < s; i++) {
        basis[i][first] = creall(z[i] / z[s - 1]);
        basis[i][first + 1] = cimagl(z[i] / z[s - 1]);
    }
    tableau->real = (double)real;
    tableau->re = (double)re;
    tableau->im = (double)im;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            tableau->basis[i * s + j] = (double)basis[i][j];
    tableau_invert(s, basis, inverse);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            tableau->basis_inverse[i * s + j] = (double)inverse[i][j];
}

/* sum_i error_i c_i^k = -[k = 1]/real, k = 1..3 */
static void embed(const long double *c, phx_tableau *tableau)
{
    long double powers[S][S], inverse[S][S];
    for (int i = 0; i < S; i++)
        for (int k = 0; k < S; k++)
            powers[k][i] = k == 0 ? c[i] : powers[k - 1][i] * c[i];
    tableau_invert(S, powers, inverse);
    for (int i = 0; i < S; i++)
        tableau->error[i] = (double)(-inverse[i][0] / tableau->real);
}

/* Fills the coefficients a, b, d, a^-1 and the eigenvalues of a collocation method from its s nodes c; three stages
 * also get the embedded error formula. */
static void tableau_complete(int s, const long double *c, phx_tableau *tableau)
{
    long double a_inverse[S][S] = {{0}};
    *tableau = (phx_tableau){.s = s};
    for (int j = 0; j < s; j++) {
        long double p[S + 1];
        lagrange_coefficients(s, c, j, p);
        tableau->c[j] = (double)c[j];
        tableau->b[j] = (double)polynomial_integral(s, p, 1.0L);
        tableau->d[j] = (double)(polynomial(s, p, 1.0L) / c[j]);
        for (int i = 0; i < s; i++) {
            /* a_ij = int_0^c_i l_j,  a_inverse_ij = d/dtau (tau l_j / c_j) at c_i */
            tableau->a[i * s + j] = (double)polynomial_integral(s, p, c[i]);
            a_inverse[i][j] = (polynomial(s, p, c[i]) + c[i] * polynomial_derivative(s, p, c[i])) / c[j];
            tableau->a_inverse[i * s + j] = (double)a_inverse[i][j];
        }
    }
    diagonalise(s, a_inverse, tableau);
    if (s == 3)
        embed(c, tableau);
}

void phx_tableau_gauss(int s, phx_tableau *tableau)
{
    long double c[S];
    for (int i = 0; i < s; i++)
        c[i] = tableau_zero(s, -1, 0.5L * (1.0L - cosl(PI * (i + 0.75L) / (s + 0.5L))));
    tableau_complete(s, c, tableau);
}

void phx_tableau_radau(phx_tableau *tableau)
{
    long double c[S];
    for (int i = 0; i < S; i++)
        c[i] = tableau_zero(S, S - 1, 0.5L * (1.0L + cosl(2.0L * PI * (S - 1 - i) / (2 * S - 1))));
    tableau_complete(S, c, tableau);
}

void phx_tableau_lagrange(const phx_tableau *tableau, double tau, double *l)
{
    for (int j = 0; j < tableau->s; j++) {
        l[j] = 1.0;
        for (int k = 0; k < tableau->s; k++)
            if (k != j)
                l[j] *= (tau - tableau->c[k]) / (tableau->c[j] - tableau->c[k]);
    }
}

void phx_tableau_lagrange_zero(const phx_tableau *tableau, double tau, double *l)
{
    phx_tableau_lagrange(tableau, tau, l);
    for (int j = 0; j < tableau->s; j++)
        l[j] *= tau / tableau->c[j];
}
