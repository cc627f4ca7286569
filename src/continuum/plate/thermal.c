/* Thermal expansion of plates: the temperature is T0 + T1 z in each point, T0 and T1 its mean and its slope through the
 * thickness, projected on the polynomials of the stresses, theory-heat (3),
 *
 *     N = A e - N_th,   N_th = thermal_0 T0 + thermal_1 T1,      thermal_m = int Q alpha z^m dz,
 *     M = D kappa + M_th,   M_th = thermal_1 T0 + thermal_2 T1,
 *
 * with kappa of the deflection and M positive where it compresses the upper side. */
#include "plate.h"

#include <string.h>

/* T0 and T1: coefficients of the polynomials phi_i, whose squares have the mean 1. */
typedef struct profile {
    double T[2][PHX_TRIANGLE_POLYNOMIALS];
} profile;

static double rise_at(const phx_temperature *temperature, const double x[3], double z)
{
    const double at[3] = {x[0], x[1], z};
    return temperature->rise ? temperature->rise(temperature->user, at) : 1.0;
}

/* Mean T0 and gradient T1 of the temperature through the thickness, projected on the stress polynomials of a
 * triangle. */
static void thermal_project(const phx_elastic_model *model, int t, double thickness, const phx_temperature *temperature,
                            profile *out)
{
    const phx_plate *plate = phx_plate_of(model);
    double lambda[PHX_TRIANGLE_POINTS][3], weight[PHX_TRIANGLE_POINTS], x[3];
    phx_polynomials phi;

    memset(out, 0, sizeof *out);
    phx_triangle_rule(lambda, weight);
    for (int g = 0; g < PHX_TRIANGLE_POINTS; g++) {
        phx_plate_place(model, plate->corner + 3 * t, lambda[g], x);
        const double upper = rise_at(temperature, x, x[2] + 0.5 * thickness),
                     lower = rise_at(temperature, x, x[2] - 0.5 * thickness);
        const int count = phx_triangle_polynomials(plate->order, lambda[g], &phi);
        for (int i = 0; i < count; i++) {
            out->T[0][i] += weight[g] * phi.value[i] * 0.5 * (upper + lower);
            out->T[1][i] += weight[g] * phi.value[i] * (upper - lower) / thickness;
        }
    }
}

/* Adds the stresses of element e that hold its strain back: sign * (by_mean T0 + by_slope T1), the first three rows of
 * each block; and the force that they are held by. */
static void add_element(const phx_elastic_model *model, int e, int block, const double *D, double sign,
                        const double by_mean[3], const double by_slope[3], const profile *of, double *force,
                        double *offset)
{
    const int polynomials = phx_plate_of(model)->tables.n_polynomials;
    const int *unknown = model->unknown + model->first_unknown[e];
    const int columns = model->first_unknown[e + 1] - model->first_unknown[e];

    for (int i = 0; i < polynomials; i++)
        for (int c = 0; c < 3; c++) {
            const double stress = sign * (by_mean[c] * of->T[0][i] + by_slope[c] * of->T[1][i]);
            for (int k = 0; k < columns; k++)
                force[unknown[k]] -= D[(i * block + c) * columns + k] * stress;
            if (offset)
                offset[model->first_stress[e] + i * block + c] += stress;
        }
}

/* Theory-heat (4), the stresses of the surfaces beside those of N and M, Q (A^-1 N - z D^-1 M): layers that expand
 * otherwise than the whole, Q (A^-1 N_th + z D^-1 M_th - alpha (T0 + T1 z)). */
static void add_surfaces(const phx_elastic_model *model, int t, const profile *of, double *offset)
{
    const phx_plate *plate = phx_plate_of(model);
    const int s = plate->section[t];
    const phx_plate_section *section = &plate->sections[s];
    double *at = offset + model->first_stress[model->n_elements] + 18 * (size_t)t;
    phx_polynomials phi;

    for (int k = 0; k < 3; k++) {
        const double corner[3] = {k == 0, k == 1, k == 2};
        double T[2] = {0.0}, N[3], M[3], expansion[2][3], stress[6];
        const int count = phx_triangle_polynomials(plate->order, corner, &phi);
        for (int i = 0; i < count; i++)
            for (int m = 0; m < 2; m++)
                T[m] += phi.value[i] * of->T[m][i];
        for (int c = 0; c < 3; c++) {
            N[c] = section->thermal[0][c] * T[0] + section->thermal[1][c] * T[1];
            M[c] = -section->thermal[1][c] * T[0] - section->thermal[2][c] * T[1];
            for (int side = 0; side < 2; side++) {
                const double z = (side ? -0.5 : 0.5) * section->thickness;
                expansion[side][c] = section->expansion[side][c] * ((plate->membrane ? T[0] : 0.0) + z * T[1]);
            }
        }
        phx_plate_surface_stress(plate, s, N, M, (const double(*)[3])expansion, stress);
        for (int c = 0; c < 6; c++)
            at[6 * k + c] += stress[c];
    }
}

/* Adds the thermal forces of a triangle to `force` and its stresses at zero strain to `offset`, which may be NULL
 * theory-heat (2). */
static void thermal_expand(const phx_elastic_model *model, int t, const phx_temperature *temperature, double *force,
                           double *offset)
{
    const phx_plate *plate = phx_plate_of(model);
    const phx_plate_section *section = &plate->sections[plate->section[t]];
    double D[PHX_PLATE_MOST_STRESSES * PHX_PLATE_MOST_UNKNOWNS];
    profile of;

    thermal_project(model, t, section->thickness, temperature, &of);
    phx_plate_bending_D(model, t, D);
    add_element(model, t, phx_plate_bending_block(plate), D, 1.0, section->thermal[1], section->thermal[2], &of, force,
                offset);
    if (plate->membrane) {
        phx_plate_membrane_D(model, t, D);
        add_element(model, plate->n_triangles + t, 3, D, -1.0, section->thermal[0], section->thermal[1], &of, force,
                    offset);
    }
    if (offset)
        add_surfaces(model, t, &of, offset);
}

phx_status phx_plate_expand(phx_context *context, const phx_elastic_model *model, const char *group,
                            const phx_temperature *temperature, double *force, double *offset)
{
    const phx_plate *plate = phx_plate_of(model);
    const phx_mesh_group *part = group ? phx_mesh_group_in(&model->mesh, group, 2) : NULL;

    if (group && !part)
        return phx_fail(context, PHX_ERR_ARGUMENT, "plate: the mesh has no group %s of triangles",
                        phx_shown_text(group).text);
    for (int t = 0, k = 0; t < plate->n_triangles; t++)
        if (phx_plate_in_group(plate, part, t, &k))
            thermal_expand(model, t, temperature, force, offset);
    return PHX_OK;
}
