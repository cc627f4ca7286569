/* The table of elements, the evaluation of their shape functions and their matrices in mixed form. */
#include "element.h"

#include <math.h>

/* Every element there is. Order 0: any. */
static const struct {
    phx_element_role role;
    phx_element_kind kind;
    int order;
    const phx_element *element;
} elements[] = {
    {PHX_ROLE_AXIAL, PHX_ELEMENT_MIXED, 0, &phx_element_bar},
    {PHX_ROLE_BENDING, PHX_ELEMENT_MIXED, 3, &phx_element_hermite3},
    {PHX_ROLE_BENDING, PHX_ELEMENT_MIXED, 5, &phx_element_hermite5},
    {PHX_ROLE_TORSION, PHX_ELEMENT_MIXED, 0, &phx_element_torsion},
    {PHX_ROLE_AXIAL, PHX_ELEMENT_PAPER, 3, &phx_element_bar_paper},
    {PHX_ROLE_BENDING, PHX_ELEMENT_PAPER, 3, &phx_element_hermite_paper},
    {PHX_ROLE_TORSION, PHX_ELEMENT_PAPER, 3, &phx_element_torsion},
};

const phx_element *phx_element_find(phx_element_role role, phx_element_kind kind, int order)
{
    for (size_t k = 0; k < sizeof elements / sizeof elements[0]; k++)
        if (elements[k].role == role && elements[k].kind == kind &&
            (elements[k].order == 0 || elements[k].order == order))
            return elements[k].element;
    return NULL;
}

void phx_shape_evaluate(const phx_shape *shape, double h, double xi, int derivative, double value[PHX_SHAPE_MAX])
{
    for (int k = 0; k < shape->count; k++) {
        const double *c = shape->coefficient + k * (shape->degree + 1);
        double sum = 0.0;
        for (int p = shape->degree; p >= derivative; p--) {
            double factor = c[p]; /* c_p p (p-1) ... (p-derivative+1) */
            for (int i = 0; i < derivative; i++)
                factor *= p - i;
            sum = sum * xi + factor;
        }
        value[k] = sum * pow(h, shape->scale[k] - derivative);
    }
}

/* Points on [0, 1] and weights of the Gauss rule with `count` points, by Newton's iteration on the Legendre
 * polynomial. */
void phx_gauss(int count, double *point, double *weight)
{
    static const double SETTLED = 1e-16; /* last correction, of a point in [-1, 1] */
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < count; k++) {
        double z = -cos(pi * (k + 0.75) / (count + 0.5));
        double slope = 1.0;
        for (int iteration = 0; iteration < 50; iteration++) {
            /* Legendre polynomials: (i+1) P_{i+1} = (2i+1) z P_i - i P_{i-1} */
            double p = 1.0, before = 0.0;
            for (int i = 0; i < count; i++) {
                double next = ((2 * i + 1) * z * p - i * before) / (i + 1);
                before = p;
                p = next;
            }
            slope = count * (z * p - before) / (z * z - 1.0);
            double step = p / slope;
            z -= step;
            if (fabs(step) < SETTLED)
                break;
        }
        point[k] = 0.5 * (1.0 + z);
        weight[k] = 1.0 / ((1.0 - z * z) * slope * slope); /* half of 2/((1-z^2) P'^2) */
    }
}

/* Matrices M2 = int psi psi^T/stiffness and D = int psi (d^k phi)^T of one element of length h, theory 2 (2), exact for
 * its polynomials. */
void phx_element_matrices(const phx_element *element, double h, double stiffness, double *m2, double *d)
{
    const int ns = element->stress.count, nv = element->displacement.count;
    const int stress_degree = 2 * element->stress.degree;
    const int work_degree = element->stress.degree + element->displacement.degree - element->derivative;
    const int points = phx_gauss_count(stress_degree > work_degree ? stress_degree : work_degree);
    double xi[PHX_GAUSS_MAX], weight[PHX_GAUSS_MAX], psi[PHX_SHAPE_MAX], strain[PHX_SHAPE_MAX];

    for (int k = 0; k < ns * ns; k++)
        m2[k] = 0.0;
    for (int k = 0; k < ns * nv; k++)
        d[k] = 0.0;
    phx_gauss(points, xi, weight);
    for (int g = 0; g < points; g++) {
        phx_shape_evaluate(&element->stress, h, xi[g], 0, psi);
        phx_shape_evaluate(&element->displacement, h, xi[g], element->derivative, strain);
        for (int i = 0; i < ns; i++) {
            /* M2 = int psi psi^T / stiffness,   D = int psi (d^k phi)^T */
            for (int j = 0; j < ns; j++)
                m2[i * ns + j] += h * weight[g] * psi[i] * psi[j] / stiffness;
            for (int j = 0; j < nv; j++)
                d[i * nv + j] += h * weight[g] * psi[i] * strain[j];
        }
    }
}
