/* Stiffness and moments that bodies leave out when they turn or are loaded across, as shares of what there is. */
#include "internal.h"

#include <math.h>

static const double quarter = 1.5707963267948966;
static const double by_tension = 1.07; /* of the square of the angular velocity: the tension of a blade clamped at P */

/* The size of the angular velocity of body b, and of its part across the first axis of the body. */
static double turning_of(const phx_system *system, int b, const double *v, double *across)
{
    int x, at;
    phx_system_offsets(system, b, &x, &at);
    const double *w = v + at + phx_system_dim(system);

    *across = hypot(w[1], w[2]);
    return hypot(w[0], *across);
}

/* Tension N makes N Ip/A of the twist stiffness, some 1.07 Omega^2 of a clamped blade in the square of its frequency;
 * the inertia of its section against its rotation makes +-Omega^2 (Iz - Iy)/(Iy + Iz). */
double phx_twist_left_out(const phx_system *system, int b, const double *v, const char **without, const char **remedy)
{
    const phx_beam_def *beam = phx_beam_definition(phx_system_source(system, b));
    const double rod = phx_rod_twist(phx_system_body(system, b));
    double across;

    turning_of(system, b, v, &across);
    *without = "the tension";
    *remedy = "take a beam with stiffening: true and section_inertia: true";
    if (rod > 0.0)
        return by_tension * pow(across / rod, 2.0);
    if (!beam || isinf(beam->torsion_stiffness))
        return 0.0;
    const double *EI = beam->bending_stiffness,
                 frequency = quarter / beam->length * sqrt(beam->torsion_stiffness / beam->polar_inertia);
    const bool turned = beam->section_inertia[0] + beam->section_inertia[1] > 0.0;
    const double by_section = turned ? 0.0 : fabs(EI[1] - EI[0]) / (EI[0] + EI[1]);
    if (turned && beam->stiffening)
        return 0.0;
    if (!turned)
        *without = "the tension and the inertia of its section";
    *remedy = turned             ? "take stiffening: true"
              : beam->stiffening ? "take section_inertia: true"
                                 : "take stiffening: true and section_inertia: true";
    return (by_section + by_tension) * pow(across / frequency, 2.0);
}

/* Of a beam that turns with Omega, some Omega over its first bending frequency times the share of the inertia. */
double phx_gyration_left_out(const phx_system *system, int b, const double *v)
{
    static const double cantilever = 3.516; /* first frequency over sqrt(EI/(mass per length L^4)) */
    const phx_beam_def *beam = phx_beam_definition(phx_system_source(system, b));
    double across, inertia = 0.0;

    for (int k = 0; beam && k < beam->n_masses; k++)
        for (int i = 0; i < 9; i++)
            inertia = fmax(inertia, fabs(beam->masses[k].inertia[i]));
    if (inertia == 0.0)
        return 0.0;
    const double L = beam->length, own = beam->mass_per_length * L * L * L / 3.0;
    const double EI = fmin(beam->bending_stiffness[0], beam->bending_stiffness[1]);
    const double frequency = cantilever * sqrt(EI / beam->mass_per_length) / (L * L);
    return turning_of(system, b, v, &across) / frequency * inertia / (inertia + own);
}

/* C = Theta K^-1 Theta^T of a point; its moment about axis c, theta_c/C_cc, works by what two turns about the axes a
 * and b do to second order, against their stiffnesses 1/C_aa and 1/C_bb. */
static void sideways_at(const phx_flex_point *point, int n, const double *L, double *turned, double *factor)
{
    double C[3] = {0.0};

    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < n; i++)
            turned[i] = 0.0;
        for (int i = 0; i < point->n; i++)
            turned[point->dof[i]] = point->theta[k * point->n + i];
        phx_dense_triangle_solve(false, n, L, 1, turned);
        for (int i = 0; i < n; i++)
            C[k] += turned[i] * turned[i];
    }
    for (int c = 0; c < 3; c++)
        factor[c] = C[c] > 0.0 ? sqrt(C[(c + 1) % 3] * C[(c + 2) % 3]) / C[c] : 0.0;
}

/* Factors of the rotations at points that bound terms left out of the sideways stiffness, from the Cholesky factor of
 * K; three for each point. */
phx_status phx_sideways_factors(phx_context *context, const phx_flex *flex, int n_points, const phx_flex_point *points,
                                double *factor)
{
    const size_t n = (size_t)flex->n;
    double *L = phx_calloc(context, n * n + n + 1, sizeof *L);

    if (!L)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < flex->n; i++)
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            L[(size_t)i * n + (size_t)flex->idx[e]] = flex->K[e];
    const phx_status status = phx_dense_cholesky(context, flex->n, L);
    for (int p = 0; p < n_points && !status; p++)
        if (!points[p].without_directions)
            sideways_at(&points[p], flex->n, L, L + n * n, factor + (size_t)p * 3);
    phx_free(L);
    return status;
}
