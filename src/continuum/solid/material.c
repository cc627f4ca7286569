/* Elastic materials and what their stresses are judged by. */
#include "solid.h"

#include <math.h>
#include <string.h>

void phx_isotropic_material(double young, double poisson, double density, phx_solid_material *material)
{
    const double lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    const double shear = young / (2.0 * (1.0 + poisson));

    memset(material, 0, sizeof *material);
    material->density = density;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            material->stiffness[6 * i + j] = lambda + (i == j ? 2.0 * shear : 0.0);
        material->stiffness[7 * (i + 3)] = shear;
    }
}

void phx_orthotropic_material(const double young[3], const double poisson[3], const double shear[3], double density,
                              phx_solid_material *material)
{
    /* S = [1/E1 -n12/E1 -n13/E1; . 1/E2 -n23/E2; . . 1/E3], and its inverse by cofactors */
    double S[3][3];

    for (int i = 0; i < 3; i++)
        S[i][i] = 1.0 / young[i];
    S[0][1] = S[1][0] = -poisson[0] / young[0];
    S[1][2] = S[2][1] = -poisson[1] / young[1];
    S[2][0] = S[0][2] = -poisson[2] / young[0];
    memset(material, 0, sizeof *material);
    material->density = density;
    double determinant = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            material->stiffness[6 * i + j] = S[i1][j1] * S[i2][j2] - S[i1][j2] * S[i2][j1];
            determinant += i == 0 ? S[0][j] * material->stiffness[j] : 0.0;
        }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            material->stiffness[6 * i + j] /= determinant;
        material->stiffness[7 * (i + 3)] = shear[i];
    }
}

double phx_von_mises(const double s[6])
{
    const double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];

    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* A <- R^T A R with the rotation in the plane p q that makes a_pq zero. */
static void rotate(double A[3][3], int p, int q)
{
    if (A[p][q] == 0.0)
        return;
    const int r = 3 - p - q;
    const double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
    const double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0)), c = 1.0 / hypot(t, 1.0), s = t * c;
    const double rp = A[r][p], rq = A[r][q], change = t * A[p][q];

    A[p][p] -= change;
    A[q][q] += change;
    A[p][q] = A[q][p] = 0.0;
    A[r][p] = A[p][r] = c * rp - s * rq;
    A[r][q] = A[q][r] = s * rp + c * rq;
}

void phx_principal_stresses(const double stress[6], double principal[3])
{
    double A[3][3] = {
        {stress[0], stress[3], stress[5]}, {stress[3], stress[1], stress[4]}, {stress[5], stress[4], stress[2]}};

    for (int sweep = 0; sweep < 10; sweep++) { /* Jacobi: quadratic, four sweeps do */
        rotate(A, 0, 1);
        rotate(A, 1, 2);
        rotate(A, 2, 0);
    }
    for (int i = 0; i < 3; i++) {
        int at = i;
        for (; at > 0 && principal[at - 1] < A[i][i]; at--)
            principal[at] = principal[at - 1];
        principal[at] = A[i][i];
    }
}
