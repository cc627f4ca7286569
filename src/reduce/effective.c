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

phx_status phx_participation_allocate(phx_context *context, int modes, int constraints, phx_participation *it)
{
    const size_t m = (size_t)modes, c = (size_t)constraints, cells = m * c;

    *it = (phx_participation){.modes = modes, .constraints = constraints};
    it->L = phx_calloc(context, cells + m + c + 1, sizeof *it->L);
    it->axis = phx_calloc(context, c + 1, sizeof *it->axis);
    if (!it->L || !it->axis)
        return PHX_ERR_MEMORY;
    it->mode = it->L + cells;
    it->constraint = it->mode + m;
    return PHX_OK;
}

void phx_participation_free(phx_participation *it)
{
    phx_free(it->L);
    phx_free(it->axis);
    *it = (phx_participation){0};
}

/* The largest share of mode k in any direction. */
static double largest_share(const phx_participation *it, int k)
{
    double most = 0.0;
    for (int b = 0; b < it->constraints; b++) {
        const double L = it->L[k * it->constraints + b];
        if (it->constraint[b] > 0.0)
            most = fmax(most, L * L / (it->mode[k] * it->constraint[b]));
    }
    return most;
}

/* Chooses `keep` modes with the largest effective-mass share, of near equals the earlier; all if there are no more. */
void phx_participation_choose(const phx_participation *it, int keep, bool *chosen)
{
    for (int k = 0; k < it->modes; k++)
        chosen[k] = keep >= it->modes;
    if (keep >= it->modes)
        return;
    for (int round = 0; round < keep; round++) {
        int best = -1;
        double share = -1.0;
        for (int k = 0; k < it->modes; k++)
            if (!chosen[k] && largest_share(it, k) > share * (1.0 + 1e-9)) {
                best = k;
                share = largest_share(it, k);
            }
        if (best >= 0)
            chosen[best] = true;
    }
}

/* Sums the effective masses of the chosen modes by direction, and the least share of the mass seen by any constraint.
 */
void phx_participation_add(const phx_participation *it, const bool *chosen, phx_effective_mass *effective)
{
    *effective = (phx_effective_mass){.given = true, .share = 1.0};
    for (int b = 0; b < it->constraints; b++) {
        double sum = 0.0;
        for (int k = 0; k < it->modes; k++)
            if (chosen[k])
                sum += it->L[k * it->constraints + b] * it->L[k * it->constraints + b] / it->mode[k];
        if (it->constraint[b] > 0.0)
            effective->share = fmin(effective->share, sum / it->constraint[b]);
    }
    for (int k = 0; k < it->modes; k++) {
        double together[3] = {0.0};
        for (int b = 0; b < it->constraints; b++)
            if (it->axis[b] < 3)
                together[it->axis[b]] += it->L[k * it->constraints + b];
        for (int a = 0; a < 3 && chosen[k]; a++)
            effective->mass[a] += together[a] * together[a] / it->mode[k];
    }
}
