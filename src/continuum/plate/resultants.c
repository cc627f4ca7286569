/* Stress resultants of a plate: they are the stresses of its mixed form, M2 sigma = D u. */
#include "plate.h"

#include <string.h>

/* The displacement and other stresses of the elements; either may be NULL. */
typedef struct plate_state {
    const double *u, *sigma;
} plate_state;

/* Coefficients of the polynomials of a stress: stiffness (n x n) times the strains that D makes of the unknowns of
 * element e, rows first ... first + n - 1 of each of its blocks, and those that are given. */
static void coefficients(const phx_elastic_model *model, int e, const plate_state *state, const double *D, double area,
                         int block, int first, int n, const double *stiffness,
                         double sigma[PHX_TRIANGLE_POLYNOMIALS][3])
{
    const double *u = state->u, *given = state->sigma ? state->sigma + model->first_stress[e] : NULL;
    const int *unknown = model->unknown + model->first_unknown[e];
    const int columns = model->first_unknown[e + 1] - model->first_unknown[e];
    const int polynomials = phx_plate_of(model)->tables.n_polynomials;

    for (int i = 0; i < polynomials; i++) {
        double strain[3] = {0.0};
        for (int c = 0; c < n; c++) {
            const double *row = D + (i * block + first + c) * columns;
            for (int j = 0; j < columns && u; j++)
                strain[c] += row[j] * u[unknown[j]] / area;
        }
        for (int c = 0; c < n; c++) {
            sigma[i][c] = given ? given[i * block + first + c] : 0.0;
            for (int d = 0; d < n; d++)
                sigma[i][c] += stiffness[n * c + d] * strain[d];
        }
    }
}

static void resultants_evaluate(int polynomials, const phx_polynomials *phi, int n, double sigma[][3], double *out)
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

/* D_w^T M, and D_w^T q of Mindlin's: the deflections come first among the unknowns. */
int phx_plate_nodal_forces(const phx_elastic_model *model, int triangle, const double *u, const double *sigma,
                           double force[PHX_TRIANGLE_NODES])
{
    const phx_plate *plate = phx_plate_of(model);
    const phx_plate_section *section = &plate->sections[plate->section[triangle]];
    const plate_state state = {u, sigma};
    const int block = phx_plate_bending_block(plate), columns = phx_plate_bending_unknowns(plate);
    double D[PHX_PLATE_MOST_STRESSES * PHX_PLATE_MOST_UNKNOWNS], stress[PHX_TRIANGLE_POLYNOMIALS][3];
    phx_plate_frame frame;

    phx_plate_frame_of(model, triangle, &frame);
    phx_plate_bending_D(model, triangle, D);
    memset(force, 0, PHX_TRIANGLE_NODES * sizeof *force);
    for (int first = 0; first < block; first += 3) { /* moments, shear forces */
        const int n = first ? 2 : 3;
        coefficients(model, triangle, &state, D, frame.area, block, first, n, first ? section->shear : section->bending,
                     stress);
        for (int i = 0; i < plate->tables.n_polynomials; i++)
            for (int c = 0; c < n; c++)
                for (int j = 0; j < plate->tables.n_nodes; j++)
                    force[j] += D[(i * block + first + c) * columns + j] * stress[i][c];
    }
    return plate->tables.n_nodes;
}

int phx_plate_triangles(const phx_elastic_model *model, const int **cell)
{
    const phx_plate *plate = phx_plate_of(model);

    if (cell)
        *cell = plate ? plate->cell : NULL;
    return plate ? plate->n_triangles : 0;
}

/* Membrane forces N, moments M and shear forces q at a point of a triangle, the stresses of the mixed form,
 * theory 2 (3). */
static void resultants(const phx_elastic_model *model, int triangle, const plate_state *state,
                       const double barycentric[3], double N[3], double M[3], double q[2])
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
    coefficients(model, triangle, state, D, frame.area, block, 0, 3, section->bending, sigma);
    resultants_evaluate(polynomials, &phi, 3, sigma, M);
    if (plate->theory == PHX_PLATE_MINDLIN) {
        coefficients(model, triangle, state, D, frame.area, block, 3, 2, section->shear, sigma);
        resultants_evaluate(polynomials, &phi, 2, sigma, q);
    } else {
        shear_of_moments(polynomials, &phi, &frame, sigma, q);
    }
    memset(N, 0, 3 * sizeof *N);
    if (plate->membrane) {
        phx_plate_membrane_D(model, triangle, D);
        coefficients(model, plate->n_triangles + triangle, state, D, frame.area, 3, 0, 3, section->membrane, sigma);
        resultants_evaluate(polynomials, &phi, 3, sigma, N);
    }
}

void phx_plate_moments(const phx_elastic_model *model, int triangle, const double *u, const double *sigma,
                       const double barycentric[3], double M[3])
{
    const plate_state state = {u, sigma};
    double N[3], q[2];

    resultants(model, triangle, &state, barycentric, N, M, q);
}

void phx_plate_resultants(const phx_elastic_model *model, int triangle, const double *u, const double barycentric[3],
                          double N[3], double M[3], double q[2])
{
    const plate_state state = {.u = u};

    resultants(model, triangle, &state, barycentric, N, M, q);
}

/* ---- at the corners of the triangles ---- */
int phx_plate_stress_cells(const phx_elastic_model *model)
{
    return phx_plate_of(model)->n_triangles;
}

double phx_plate_cell_thickness(const phx_elastic_model *model, int triangle)
{
    const phx_plate *plate = phx_plate_of(model);
    return plate->sections[plate->section[triangle]].thickness;
}

/* y = A x, 3 x 3 with rows `stride` apart */
static void resultants_multiply(const double *A, int stride, const double *x, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = A[stride * i] * x[0] + A[stride * i + 1] * x[1] + A[stride * i + 2] * x[2];
}

/* Stresses (xx, yy, xy) at the upper and lower surface from N and M; `expansion`, optional, is the thermal strain of
 * each surface. */
void phx_plate_surface_stress(const phx_plate *plate, int s, const double N[3], const double M[3],
                              const double (*expansion)[3], double stress[6])
{
    const phx_plate_section *section = &plate->sections[s];
    double e[3], curvature[3], strain[3];

    resultants_multiply(plate->membrane_compliance[s], 3, N, e);
    resultants_multiply(plate->bending_compliance[s], phx_plate_bending_block(plate), M, curvature);
    for (int side = 0; side < 2; side++) {
        const double z = (side ? -0.5 : 0.5) * section->thickness;
        for (int c = 0; c < 3; c++)
            strain[c] = e[c] - z * curvature[c] - (expansion ? expansion[side][c] : 0.0);
        resultants_multiply(section->surface[side], 3, strain, stress + 3 * side);
    }
}

int phx_plate_cell_nodes(const phx_elastic_model *model, int triangle, const int **node)
{
    *node = phx_plate_of(model)->corner + 3 * triangle;
    return 3;
}

int phx_plate_cell_elements(const phx_elastic_model *model, int triangle, int element[2])
{
    element[0] = triangle;
    element[1] = phx_plate_of(model)->n_triangles + triangle;
    return 2;
}

/* Resultants and surface stresses at the three corners of a triangle; u or sigma (thermal stresses) may be NULL. */
void phx_plate_cell_stress(const phx_elastic_model *model, int triangle, const double *u, const double *sigma,
                           double *stress)
{
    const plate_state state = {u, sigma};
    const phx_plate *plate = phx_plate_of(model);
    const int components = phx_stress_components(PHX_STRESSES_PLATE);

    for (int k = 0; k < 3; k++) {
        const double corner[3] = {k == 0, k == 1, k == 2};
        double *at = stress + k * components;
        resultants(model, triangle, &state, corner, at, at + 3, at + 6);
        phx_plate_surface_stress(plate, plate->section[triangle], at, at + 3, NULL, at + 8);
        const double *surface = sigma ? sigma + model->first_stress[model->n_elements] + 18 * (size_t)triangle : NULL;
        for (int c = 0; c < 6 && surface; c++)
            at[8 + c] += surface[6 * k + c];
    }
}
