/* Functions on a triangle at a point, and the rule of integration. */
#include "triangle.h"

#include "fe/fe.h"

#include <math.h>
#include <string.h>

/* How lambda_0, lambda_1, lambda_2 change along the reference coordinates lambda_1 and lambda_2. */
static const double along[2][3] = {{-1.0, 1.0, 0.0}, {-1.0, 0.0, 1.0}};

/* ---- Lagrange functions on equispaced nodes ---- */
/* Node j lies at lambda = index/degree. */
static int lagrange_index(int degree, int index[PHX_TRIANGLE_NODES][3])
{
    int count = 0;
    memset(index, 0, PHX_TRIANGLE_NODES * sizeof *index);
    for (int c = 0; c < 3; c++)
        index[count++][c] = degree;
    for (int e = 0; e < 3; e++)
        for (int m = 1; m < degree; m++, count++) {
            index[count][e] = degree - m;
            index[count][(e + 1) % 3] = m;
        }
    if (degree == 3) {
        for (int c = 0; c < 3; c++)
            index[count][c] = 1;
        count++;
    }
    return count;
}

/* R_n(x) = prod_{m<n} (degree x - m)/(m + 1), which is 1 at x = n/degree and 0 at m/degree, and two derivatives. */
static void factor_of(int degree, int n, double x, double R[3])
{
    R[0] = 1.0;
    R[1] = R[2] = 0.0;
    for (int m = 0; m < n; m++) {
        const double f = (degree * x - m) / (m + 1), slope = (double)degree / (m + 1);
        R[2] = R[2] * f + 2.0 * R[1] * slope;
        R[1] = R[1] * f + R[0] * slope;
        R[0] *= f;
    }
}

/* Values and first and second derivatives (by lambda_1, lambda_2) of the Lagrange functions of a degree at a point;
 * returns their number. */
int phx_triangle_lagrange(int degree, const double lambda[3], phx_lagrange *out)
{
    int index[PHX_TRIANGLE_NODES][3];
    const int count = lagrange_index(degree, index);

    for (int j = 0; j < count; j++) {
        double R[3][3], d[3], dd[3][3];
        for (int c = 0; c < 3; c++)
            factor_of(degree, index[j][c], lambda[c], R[c]);
        out->value[j] = R[0][0] * R[1][0] * R[2][0];
        for (int c = 0; c < 3; c++) {
            const int p = (c + 1) % 3, q = (c + 2) % 3;
            d[c] = R[c][1] * R[p][0] * R[q][0];
            dd[c][c] = R[c][2] * R[p][0] * R[q][0];
            dd[p][q] = dd[q][p] = R[c][0] * R[p][1] * R[q][1];
        }
        for (int a = 0; a < 2; a++) {
            out->first[j][a] = 0.0;
            for (int c = 0; c < 3; c++)
                out->first[j][a] += along[a][c] * d[c];
            for (int b = 0; b < 2; b++) {
                out->second[j][a][b] = 0.0;
                for (int c = 0; c < 9; c++)
                    out->second[j][a][b] += along[a][c / 3] * dd[c / 3][c % 3] * along[b][c % 3];
            }
        }
    }
    return count;
}

int phx_triangle_nodes(int degree, double lambda[PHX_TRIANGLE_NODES][3])
{
    int index[PHX_TRIANGLE_NODES][3];
    const int count = lagrange_index(degree, index);

    for (int j = 0; j < count; j++)
        for (int c = 0; c < 3; c++)
            lambda[j][c] = (double)index[j][c] / degree;
    return count;
}

/* ---- Nedelec functions of the second kind ---- */
/* Function j += f grad lambda_c; df: derivatives of f by lambda_0, lambda_1, lambda_2. */
static void add_term(phx_slopes *out, int j, int c, double f, const double df[3])
{
    for (int a = 0; a < 2; a++) {
        out->value[j][a] += along[a][c] * f;
        for (int b = 0; b < 2; b++)
            for (int d = 0; d < 3; d++)
                out->first[j][a][b] += along[a][c] * along[b][d] * df[d];
    }
}

/* f_a grad lambda_a + f_b grad lambda_b on the edge from corner a to corner b, whose tangential component times the
 * length of the edge is P_m(2s - 1):
 *   m = 0: lambda_a grad lambda_b - lambda_b grad lambda_a
 *   m = 1: -grad(lambda_a lambda_b)
 *   m = 2: -grad(lambda_a lambda_b (lambda_b - lambda_a))
 * The first ones of the three edges span the constant vectors. */
static void add_edge_function(phx_slopes *out, int j, int a, int b, int m, const double lambda[3])
{
    const double x = lambda[a], y = lambda[b];
    double dfa[3] = {0.0}, dfb[3] = {0.0}, fa, fb;

    if (m < 2) {
        fa = -y;
        dfa[b] = -1.0;
        fb = m == 0 ? x : -x;
        dfb[a] = m == 0 ? 1.0 : -1.0;
    } else {
        fa = y * (2.0 * x - y);
        dfa[a] = 2.0 * y;
        dfa[b] = 2.0 * (x - y);
        fb = x * (x - 2.0 * y);
        dfb[a] = 2.0 * (x - y);
        dfb[b] = -2.0 * x;
    }
    add_term(out, j, a, fa, dfa);
    add_term(out, j, b, fb, dfb);
}

/* Values and derivatives of the Nedelec functions of the second kind at a point; returns their number. */
int phx_triangle_nedelec(int order, const double lambda[3], phx_slopes *out)
{
    int count = 0;

    memset(out, 0, sizeof *out);
    for (int e = 0; e < 3; e++)
        for (int m = 0; m <= order; m++)
            add_edge_function(out, count++, e, (e + 1) % 3, m, lambda);
    for (int c = 0; c < 3 && order == 2; c++) { /* lambda_p lambda_q grad lambda_c: no tangential component on edges */
        const int p = (c + 1) % 3, q = (c + 2) % 3;
        double df[3] = {0.0};
        df[p] = lambda[q];
        df[q] = lambda[p];
        add_term(out, count++, c, lambda[p] * lambda[q], df);
    }
    return count;
}

/* ---- orthogonal polynomials ---- */
/* Dubiner's: products of Jacobi polynomials in collapsed coordinates, with mean square 1. */
int phx_triangle_polynomials(int order, const double lambda[3], phx_polynomials *out)
{
    const double x = lambda[1], y = lambda[2];
    const double value[PHX_TRIANGLE_POLYNOMIALS] = {
        1.0,
        2.0 * x + y - 1.0,
        3.0 * y - 1.0,
        6.0 * x * x + 6.0 * x * y + y * y - 6.0 * x - 2.0 * y + 1.0,
        (2.0 * x + y - 1.0) * (5.0 * y - 1.0),
        10.0 * y * y - 8.0 * y + 1.0,
    };
    const double first[PHX_TRIANGLE_POLYNOMIALS][2] = {
        {0.0, 0.0},
        {2.0, 1.0},
        {0.0, 3.0},
        {12.0 * x + 6.0 * y - 6.0, 6.0 * x + 2.0 * y - 2.0},
        {2.0 * (5.0 * y - 1.0), 5.0 * y - 1.0 + 5.0 * (2.0 * x + y - 1.0)},
        {0.0, 20.0 * y - 8.0},
    };
    static const double inverse_mean_square[PHX_TRIANGLE_POLYNOMIALS] = {1.0, 6.0, 2.0, 15.0, 9.0, 3.0};
    const int count = (order + 1) * (order + 2) / 2;

    for (int i = 0; i < count; i++) {
        const double scale = sqrt(inverse_mean_square[i]);
        out->value[i] = scale * value[i];
        for (int a = 0; a < 2; a++)
            out->first[i][a] = scale * first[i][a];
    }
    return count;
}

void phx_triangle_legendre(double s, double value[PHX_TRIANGLE_LEGENDRE])
{
    const double z = 2.0 * s - 1.0;
    value[0] = 1.0;
    value[1] = z;
    value[2] = 1.5 * z * z - 0.5;
}

/* ---- integration ---- */
/* The square collapsed onto the triangle, lambda_1 = u (1 - v), lambda_2 = v: 2 dA = 2 (1 - v) du dv. */
void phx_triangle_rule(double lambda[PHX_TRIANGLE_POINTS][3], double weight[PHX_TRIANGLE_POINTS])
{
    double point[PHX_TRIANGLE_RULE], w[PHX_TRIANGLE_RULE];

    phx_gauss(PHX_TRIANGLE_RULE, point, w);
    for (int i = 0, g = 0; i < PHX_TRIANGLE_RULE; i++)
        for (int j = 0; j < PHX_TRIANGLE_RULE; j++, g++) {
            const double u = point[i], v = point[j];
            lambda[g][0] = (1.0 - u) * (1.0 - v);
            lambda[g][1] = u * (1.0 - v);
            lambda[g][2] = v;
            weight[g] = 2.0 * w[i] * w[j] * (1.0 - v);
        }
}

void phx_triangle_edge_point(int e, double s, double lambda[3])
{
    lambda[e] = 1.0 - s;
    lambda[(e + 1) % 3] = s;
    lambda[(e + 2) % 3] = 0.0;
}
