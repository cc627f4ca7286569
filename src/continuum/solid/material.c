/* Elastic materials. */
#include "solid.h"

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

/* Stiffness of an orthotropic material from Young's moduli, Poisson's ratios (12, 23, 13) and shear moduli (12, 23,
 * 31), components xx yy zz xy yz zx. */
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
