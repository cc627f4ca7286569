/* The matrices of the quintic beam, (16), (17), (23) of the second paper, of the crank of its mechanism. */
#include "item.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 3, COORDINATES = 5, MASS = 6, STIFFNESS = 4, TEXT_SIZE = 96 };
static const double l = 0.108, area = 1.0774e-4, density = 2714.0, young = 7.1e10, bending = 11.472; /* SI */

/* (16): entries of v_P, alpha_P | q over rho S l/55440, powers of l beside them; the upper triangle. */
static const double mass[MASS][MASS] = {{55440, 27720, 462, 27720, -5544, 462},
                                        {0, 18480, 198, 19800, -3432, 264},
                                        {0, 0, 6, 181, -52, 5},
                                        {0, 0, 0, 21720, -3732, 281},
                                        {0, 0, 0, 0, 832, -69},
                                        {0, 0, 0, 0, 0, 6}};
/* (17): K over EI/(70 l^3) */
static const double stiffness[STIFFNESS][STIFFNESS] = {
    {6, -30, 8, 1}, {0, 1200, -600, 30}, {0, 0, 384, -22}, {0, 0, 0, 6}};
/* powers of l that v_P, alpha_P and the coordinates (14) bring along */
static const int power[MASS] = {0, 1, 2, 0, 1, 2};

static double worse(double worst, double got, double printed)
{
    const double distance = printed != 0.0 ? fabs(got / printed - 1.0) : fabs(got);
    return distance > worst || isnan(distance) ? distance : worst;
}

/* Order of the coordinates of the block: ux(l), then those of (14). */
static void put_bending(phx_item *item, const phx_titop_parts *parts)
{
    static const int moved[SIZE] = {0, 2, 3}; /* coordinates that C moves with */
    double of_mass = 0.0, of_stiffness = 0.0, of_ports = 0.0;

    for (int i = 0; i < MASS; i++)
        for (int j = i; j < MASS; j++) {
            const double got = j < 2   ? parts->D_P[(i + 1) * SIZE + j + 1]
                               : i < 2 ? parts->L_P[(j - 1) * SIZE + i + 1]
                                       : parts->M[(i - 1) * COORDINATES + j - 1];
            of_mass = worse(of_mass, got, density * area * l / 55440.0 * mass[i][j] * pow(l, power[i] + power[j]));
        }
    for (int i = 0; i < STIFFNESS; i++)
        for (int j = i; j < STIFFNESS; j++)
            of_stiffness = worse(of_stiffness, parts->K[(i + 1) * COORDINATES + j + 1],
                                 bending / (70.0 * l * l * l) * stiffness[i][j] * pow(l, power[2 + i] + power[2 + j]));
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++)
            of_ports = worse(of_ports, parts->tau[i * SIZE + j], i == j ? 1.0 : i == 1 && j == 2 ? l : 0.0);
        for (int j = 0; j < COORDINATES; j++)
            of_ports = worse(of_ports, parts->Phi[i * COORDINATES + j], j == moved[i] ? 1.0 : 0.0);
    }
    phx_item_row(item, "(16), 21 entries of the mass matrix", "", of_mass, phx_no_reference());
    phx_item_row(item, "(17), 10 entries of the stiffness", "", of_stiffness, phx_no_reference());
    phx_item_row(item, "(17), τ and Φ(l)", "", of_ports, phx_no_reference());
}

/* (23) from the axial coordinate: with m q'' + k q = F_C - L a_P,  a_C = a_P + q'',  F_P = -D a_P - L q''. The rows of
 * the paper: q'', a_C, F_P; its columns: q, F_C, a_P. */
static void put_traction(phx_item *item, const phx_titop_parts *parts)
{
    const double m = parts->M[0], k = parts->K[0], L = parts->L_P[0], D = parts->D_P[0], whole = density * area * l;
    const double got[3][3] = {
        {-k / m, 1.0 / m, -L / m}, {-k / m, 1.0 / m, 1.0 - L / m}, {L * k / m, 1.0 - L / m, L * L / m - D}};
    const double printed[3][3] = {
        {-3.0 * young / (density * l * l), 3.0 / whole, -1.5},
        {-3.0 * young / (density * l * l), 3.0 / whole, -0.5},
        {1.5 * young * area / l, -0.5, -0.25 * whole},
    };
    double worst = 0.0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            worst = worse(worst, got[i][j], printed[i][j]);
    phx_item_row(item, "(23), 9 entries of the traction", "", worst, phx_no_reference());
}

phx_status phx_item_matrices(phx_item *item)
{
    phx_system *system = NULL;
    phx_model *model = NULL;
    phx_titop_parts parts = {0};
    phx_status status = phx_item_model(item, "four_bar_quintic.yaml", NULL, 0, NULL, &model);

    if (!status)
        status = phx_model_build_body(item->context, model, phx_model_find_body(model, "crank"), &system);
    if (!status) {
        const phx_titop_port child = {"C", phx_system_find_point(system, 0, "C")};
        phx_titop_def def = phx_titop_def_default();
        def.body = phx_system_body(system, 0);
        def.parent = (phx_titop_port){"P", phx_system_find_point(system, 0, "P")};
        def.n_children = 1;
        def.children = &child;
        status = phx_titop_parts_create(item->context, &def, &parts);
    }
    if (!status && (parts.size != SIZE || parts.n != COORDINATES))
        status =
            phx_fail(item->context, PHX_ERR_ANALYSIS, "the block has %d coordinates, not %d", parts.n, COORDINATES);
    if (!status) {
        put_bending(item, &parts);
        put_traction(item, &parts);
    }
    phx_titop_parts_free(&parts);
    phx_system_destroy(system);
    phx_model_destroy(model);
    return status;
}
