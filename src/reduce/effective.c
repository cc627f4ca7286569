/* Effective masses of modes with all interfaces of a body held, and the choice of modes by them. When direction b of an
 * interface moves by Psi_b (1 there, the other interfaces held) the mode phi_k, phi_k^T M phi_k = 1, is driven by
 *
 *     L_kb = phi_k^T M Psi_b,      sum_k L_kb^2 <= Psi_b^T M Psi_b
 *
 * Its effective mass there is L_kb^2, its share that over Psi_b^T M Psi_b. Unit motions of all interfaces together are
 * those of the body as rigid one: over all modes the squares of the sums of L_kb over b along one axis add up to the
 * mass of the body, less what moves with the interfaces. */
#include "reduce.h"

#include <math.h>

phx_status phx_participation_allocate(phx_context *context, int modes, int constraints,
                                      phx_participation *participation)
{
    const size_t m = (size_t)modes, c = (size_t)constraints, cells = m * c;

    *participation = (phx_participation){.modes = modes, .constraints = constraints};
    participation->L = phx_calloc(context, cells + m + c + 1, sizeof *participation->L);
    participation->axis = phx_calloc(context, c + 1, sizeof *participation->axis);
    if (!participation->L || !participation->axis)
        return PHX_ERR_MEMORY;
    participation->mode = participation->L + cells;
    participation->constraint = participation->mode + m;
    return PHX_OK;
}

void phx_participation_free(phx_participation *participation)
{
    phx_free(participation->L);
    phx_free(participation->axis);
    *participation = (phx_participation){0};
}

/* The largest share of mode k in any direction. */
static double largest_share(const phx_participation *participation, int k)
{
    double most = 0.0;
    for (int b = 0; b < participation->constraints; b++) {
        const double L = participation->L[k * participation->constraints + b];
        if (participation->constraint[b] > 0.0)
            most = fmax(most, L * L / (participation->mode[k] * participation->constraint[b]));
    }
    return most;
}

/* Chooses `keep` modes with the largest effective-mass share, of near equals the earlier; all if there are no more. */
void phx_participation_choose(const phx_participation *participation, int keep, bool *chosen)
{
    static const double NEARLY_EQUAL = 1e-9; /* relative */

    for (int k = 0; k < participation->modes; k++)
        chosen[k] = keep >= participation->modes;
    if (keep >= participation->modes)
        return;
    for (int round = 0; round < keep; round++) {
        int best = -1;
        double share = -1.0;
        for (int k = 0; k < participation->modes; k++)
            if (!chosen[k] && largest_share(participation, k) > share * (1.0 + NEARLY_EQUAL)) {
                best = k;
                share = largest_share(participation, k);
            }
        if (best >= 0)
            chosen[best] = true;
    }
}

/* Sums the effective masses of the chosen modes by direction, and the least share of the mass seen by any constraint.
 */
void phx_participation_add(const phx_participation *participation, const bool *chosen, phx_effective_mass *effective)
{
    *effective = (phx_effective_mass){.given = true, .share = 1.0};
    for (int b = 0; b < participation->constraints; b++) {
        double sum = 0.0;
        for (int k = 0; k < participation->modes; k++)
            if (chosen[k])
                sum += participation->L[k * participation->constraints + b] *
                       participation->L[k * participation->constraints + b] / participation->mode[k];
        if (participation->constraint[b] > 0.0)
            effective->share = fmin(effective->share, sum / participation->constraint[b]);
    }
    for (int k = 0; k < participation->modes; k++) {
        double together[3] = {0.0};
        for (int b = 0; b < participation->constraints; b++)
            if (participation->axis[b] < 3)
                together[participation->axis[b]] += participation->L[k * participation->constraints + b];
        for (int a = 0; a < 3 && chosen[k]; a++)
            effective->mass[a] += together[a] * together[a] / participation->mode[k];
    }
}
