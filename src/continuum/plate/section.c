/* Sections of plates: isotropic, and laminates by classical lamination theory. */
#include "continuum/continuum.h"

#include <math.h>
#include <string.h>

/* Section of a homogeneous isotropic plate; kappa is the shear correction factor. */
void phx_isotropic_section(double young, double poisson, double density, double thickness, double kappa,
                           phx_plate_section *section)
{
    const double h = thickness, C = young / (1.0 - poisson * poisson), G = young / (2.0 * (1.0 + poisson));
    const double plane[9] = {C, poisson * C, 0.0, poisson * C, C, 0.0, 0.0, 0.0, G};

    *section = (phx_plate_section){.thickness = h,
                                   .mass = density * h,
                                   .rotary = density * h * h * h / 12.0,
                                   .shear = {kappa * G * h, 0.0, 0.0, kappa * G * h}};
    for (int k = 0; k < 9; k++) {
        section->surface[0][k] = section->surface[1][k] = plane[k];
        section->membrane[k] = h * plane[k];
        section->bending[k] = h * h * h / 12.0 * plane[k];
    }
}

void phx_isotropic_expansion(double expansion, phx_plate_section *section)
{
    for (int k = 0; k < 2; k++) {
        section->expansion[0][k] = section->expansion[1][k] = expansion;
        section->thermal[0][k] = (section->membrane[3 * k] + section->membrane[3 * k + 1]) * expansion;
        section->thermal[2][k] = (section->bending[3 * k] + section->bending[3 * k + 1]) * expansion;
    }
}

/* ---- laminates ---- */
/* Integrals through the thickness: A = sum Q t, B = sum Q (z1^2 - z0^2)/2, D = sum Q (z1^3 - z0^3)/3. */
typedef struct laminate {
    double A[9], B[9], D[9], shear[4];
    double mass[3];       /* sum rho t, rho (z1^2 - z0^2)/2, rho (z1^3 - z0^3)/3 */
    double thermal[3][3]; /* sum Q alpha likewise */
} laminate;

/* Plane stress in the layer's axes, Q, turned into those of the plate: Qbar = T^T Q T with the strains of the layer
 * (e1, e2, g12) = T (e_xx, e_yy, g_xy). */
static void plane_stiffness(const phx_plate_layer *layer, double Qbar[9])
{
    const double c = cos(layer->angle), s = sin(layer->angle);
    const double T[9] = {c * c, s * s, c * s, s * s, c * c, -c * s, -2.0 * c * s, 2.0 * c * s, c * c - s * s};
    const double nu12 = layer->poisson, nu21 = nu12 * layer->young[1] / layer->young[0], f = 1.0 / (1.0 - nu12 * nu21);
    const double Q[9] = {f * layer->young[0],
                         f * nu12 * layer->young[1],
                         0.0,
                         f * nu12 * layer->young[1],
                         f * layer->young[1],
                         0.0,
                         0.0,
                         0.0,
                         layer->shear[0]};
    double QT[9];

    phx_dense_multiply(false, false, 3, 3, 3, 1.0, Q, 3, T, 3, 0.0, QT, 3);
    phx_dense_multiply(true, false, 3, 3, 3, 1.0, T, 3, QT, 3, 0.0, Qbar, 3);
}

/* q = R^T diag(G13, G23) R (g_x, g_y) */
static void shear_stiffness(const phx_plate_layer *layer, double G[4])
{
    const double c = cos(layer->angle), s = sin(layer->angle), G13 = layer->shear[1], G23 = layer->shear[2];
    G[0] = c * c * G13 + s * s * G23;
    G[1] = G[2] = c * s * (G13 - G23);
    G[3] = s * s * G13 + c * c * G23;
}

/* alpha = T^-1 (alpha_1, alpha_2, 0) */
static void layer_expansion(const phx_plate_layer *layer, double alpha[3])
{
    const double c = cos(layer->angle), s = sin(layer->angle), *along = layer->expansion;

    alpha[0] = c * c * along[0] + s * s * along[1];
    alpha[1] = s * s * along[0] + c * c * along[1];
    alpha[2] = 2.0 * c * s * (along[0] - along[1]);
}

/* Adds a layer between z0 and z1 to the stiffnesses A, B, D, the shear stiffness, masses and thermal stresses of a
 * laminate. */
static void add_layer(const phx_plate_layer *layer, double z0, double z1, laminate *sum)
{
    const double t[3] = {z1 - z0, (z1 * z1 - z0 * z0) / 2.0, (z1 * z1 * z1 - z0 * z0 * z0) / 3.0};
    double Q[9], G[4], alpha[3], heat[3];

    plane_stiffness(layer, Q);
    shear_stiffness(layer, G);
    layer_expansion(layer, alpha);
    phx_dense_multiply(false, false, 3, 1, 3, 1.0, Q, 3, alpha, 1, 0.0, heat, 1);
    for (int k = 0; k < 9; k++) {
        sum->A[k] += t[0] * Q[k];
        sum->B[k] += t[1] * Q[k];
        sum->D[k] += t[2] * Q[k];
    }
    for (int k = 0; k < 4; k++)
        sum->shear[k] += t[0] * G[k];
    for (int k = 0; k < 3; k++) {
        sum->mass[k] += layer->density * t[k];
        for (int c = 0; c < 3; c++)
            sum->thermal[k][c] += t[k] * heat[c];
    }
}

/* Checks that moduli, density and thickness of a layer are positive and Poisson's ratio is admissible. */
static phx_status check_layer(phx_context *context, int k, const phx_plate_layer *layer)
{
    const double positive[] = {layer->young[0], layer->young[1], layer->shear[0], layer->shear[1],
                               layer->shear[2], layer->density,  layer->thickness};
    static const char *const name[] = {"E1", "E2", "G12", "G13", "G23", "density", "thickness"};

    for (int i = 0; i < 7; i++)
        if (!(positive[i] > 0.0 && isfinite(positive[i])))
            return phx_fail(context, PHX_ERR_ARGUMENT, "laminate: layer %d: %s is %g, must be finite and > 0", k + 1,
                            name[i], positive[i]);
    const double nu = layer->poisson;
    if (!(nu * nu * layer->young[1] < layer->young[0]))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "laminate: layer %d: nu12 is %g, its square must be below E1/E2 = %g", k + 1, nu,
                        layer->young[0] / layer->young[1]);
    if (!isfinite(layer->angle))
        return phx_fail(context, PHX_ERR_ARGUMENT, "laminate: layer %d: the angle is %g", k + 1, layer->angle);
    return PHX_OK;
}

static double section_largest(int n, const double *a)
{
    double most = 0.0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(a[k]));
    return most;
}

/* The coupling of bending and membrane must vanish. */
static phx_status section_check_symmetry(phx_context *context, const laminate *sum, double thickness)
{
    const double tolerance = 1e-9;
    const double coupling = section_largest(9, sum->B) / (thickness * section_largest(9, sum->A));
    const double offset = fabs(sum->mass[1]) / (thickness * sum->mass[0]);

    if (coupling > tolerance)
        return phx_fail(
            context, PHX_ERR_ARGUMENT,
            "laminate: the layers are not symmetric about the middle: membrane and bending are coupled by B "
            "= %.3g h A; at most %g is allowed",
            coupling, tolerance);
    if (offset > tolerance)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "laminate: the centre of mass lies %.3g h off the middle; at most %g is allowed", offset,
                        tolerance);
    return PHX_OK;
}

/* Section of a laminate of layers from the lower surface up. If `symmetric`, coupling of membrane and bending fails. */
static phx_status make_laminate(phx_context *context, int n_layers, const phx_plate_layer *layers, double kappa,
                                bool symmetric, phx_plate_section *section)
{
    laminate sum = {.mass = {0.0}};
    double thickness = 0.0;

    if (!layers || !section)
        return phx_fail_null(context, "phx_laminate_section", "layers or section");
    if (n_layers < 1)
        return phx_fail(context, PHX_ERR_ARGUMENT, "laminate: %d layers; there must be one at least", n_layers);
    if (!(kappa > 0.0 && kappa <= 1.0))
        return phx_fail(context, PHX_ERR_ARGUMENT, "laminate: the shear correction factor is %g, must be in (0, 1]",
                        kappa);
    for (int k = 0; k < n_layers; k++) {
        const phx_status status = check_layer(context, k, &layers[k]);
        if (status)
            return status;
        thickness += layers[k].thickness;
    }
    double z = -0.5 * thickness;
    for (int k = 0; k < n_layers; z += layers[k++].thickness)
        add_layer(&layers[k], z, z + layers[k].thickness, &sum);
    const phx_status status = symmetric ? section_check_symmetry(context, &sum, thickness) : PHX_OK;
    if (status)
        return status;
    *section = (phx_plate_section){.thickness = thickness, .mass = sum.mass[0], .rotary = sum.mass[2]};
    plane_stiffness(&layers[n_layers - 1], section->surface[0]);
    plane_stiffness(&layers[0], section->surface[1]);
    layer_expansion(&layers[n_layers - 1], section->expansion[0]);
    layer_expansion(&layers[0], section->expansion[1]);
    memcpy(section->thermal, sum.thermal, sizeof sum.thermal);
    memcpy(section->membrane, sum.A, sizeof sum.A);
    memcpy(section->bending, sum.D, sizeof sum.D);
    memcpy(section->coupling, sum.B, symmetric ? 0 : sizeof sum.B);
    for (int k = 0; k < 4; k++)
        section->shear[k] = kappa * sum.shear[k];
    return PHX_OK;
}

phx_status phx_laminate_section(phx_context *context, int n_layers, const phx_plate_layer *layers, double kappa,
                                phx_plate_section *section)
{
    return make_laminate(context, n_layers, layers, kappa, true, section);
}

phx_status phx_laminate_section_coupled(phx_context *context, int n_layers, const phx_plate_layer *layers, double kappa,
                                        phx_plate_section *section)
{
    return make_laminate(context, n_layers, layers, kappa, false, section);
}
