/* Stress resultants of a plate: they are the stresses of its mixed form, M2 sigma = D u. */
#include "plate.h"

#include <string.h>

/* Coefficients of the polynomials of a stress: stiffness (n x n) times the strains that D makes of the unknowns of
 * element e, rows first ... first + n - 1 of each of its blocks. */
static void coefficients(const phx_elastic_model *model, int e, const double *u, const double *D, double area,
                         int block, int first, int n, const double *stiffness,
                         double sigma[PHX_TRIANGLE_POLYNOMIALS][3])
{
    const int *unknown = model->unknown + model->first_unknown[e];
    const int columns = model->first_unknown[e + 1] - model->first_unknown[e];
    const int polynomials = phx_plate_of(model)->tables.n_polynomials;

    for (int i = 0; i < polynomials; i++) {
        double strain[3] = {0.0};
        for (int c = 0; c < n; c++) {
            const double *row = D + (i * block + first + c) * columns;
            for (int j = 0; j < columns; j++)
                strain[c] += row[j] * u[unknown[j]] / area;
        }
        for (int c = 0; c < n; c++) {
            sigma[i][c] = 0.0;
            for (int d = 0; d < n; d++)
                sigma[i][c] += stiffness[n * c + d] * strain[d];
        }
    }
}

static void evaluate(int polynomials, const phx_polynomials *phi, int n, double sigma[][3], double *out)
{
    for (int c = 0; c < n; c++) {
        out[c] = 0.0;
        for (int i = 0; i < polynomials; i++)
            out[c] += phi->value[i] * sigma[i][c];
    }
}

/* q = -Div M: equilibrium of moments without rotary inertia. */
static void shear_of_moments(int polynomials, const phx_polynomials *phi, const phx_plate_frame *frame,
                             double sigma[][3], double q[2])
{
    q[0] = q[1] = 0.0;
    for (int i = 0; i < polynomials; i++)
        for (int a = 0; a < 2; a++) {
            const double *G = frame->gradient[a], d = phi->first[i][a];
            q[0] -= d * (G[0] * sigma[i][0] + G[1] * sigma[i][2]);
            q[1] -= d * (G[0] * sigma[i][2] + G[1] * sigma[i][1]);
        }
}

int phx_plate_triangles(const phx_elastic_model *model, const int **cell)
{
    const phx_plate *plate = phx_plate_of(model);

    if (cell)
        *cell = plate ? plate->cell : NULL;
    return plate ? plate->n_triangles : 0;
}

void phx_plate_resultants(const phx_elastic_model *model, int triangle, const double *u, const double barycentric[3],
                          double N[3], double M[3], double q[2])
{
    const phx_plate *plate = phx_plate_of(model);
    const phx_plate_section *section = &plate->sections[plate->section[triangle]];
    const int block = phx_plate_bending_block(plate), polynomials = plate->tables.n_polynomials;
    double D[PHX_PLATE_MOST_STRESSES * PHX_PLATE_MOST_UNKNOWNS], sigma[PHX_TRIANGLE_POLYNOMIALS][3];
    phx_polynomials phi;
    phx_plate_frame frame;

    phx_triangle_polynomials(plate->order, barycentric, &phi);
    phx_plate_frame_of(model, triangle, &frame);
    phx_plate_bending_D(model, triangle, D);
    coefficients(model, triangle, u, D, frame.area, block, 0, 3, section->bending, sigma);
    evaluate(polynomials, &phi, 3, sigma, M);
    if (plate->theory == PHX_PLATE_MINDLIN) {
        coefficients(model, triangle, u, D, frame.area, block, 3, 2, section->shear, sigma);
        evaluate(polynomials, &phi, 2, sigma, q);
    } else {
        shear_of_moments(polynomials, &phi, &frame, sigma, q);
    }
    memset(N, 0, 3 * sizeof *N);
    if (plate->membrane) {
        phx_plate_membrane_D(model, triangle, D);
        coefficients(model, plate->n_triangles + triangle, u, D, frame.area, 3, 0, 3, section->membrane, sigma);
        evaluate(polynomials, &phi, 3, sigma, N);
    }
}
