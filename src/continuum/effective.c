/* Effective masses of modes with all interfaces held, and the choice of modes by them. When direction b of an interface
 * moves by Psi_b (1 there, the other interfaces held) the mode phi_k, phi_k^T M phi_k = 1, is driven by
 *
 *     L_kb = phi_k^T M Psi_b,      sum_k L_kb^2 <= Psi_b^T M Psi_b
 *
 * Its effective mass there is L_kb^2, its share that over Psi_b^T M Psi_b. Unit motions of all interfaces together are
 * those of the body as rigid one: over all modes the squares of the sums of L_kb over b along one axis add up to the
 * mass of the body, less what moves with the interfaces. */
#include "basis.h"

#include <math.h>
#include <string.h>

/* L (modes x constraints), and the squares phi^T M phi (modes) and Psi^T M Psi (constraints). */
typedef struct participation {
    int modes, constraints;
    double *L, *mode, *constraint;
    int *axis; /* of each constraint: 0, 1, 2 a displacement, above a rotation */
} participation;

static void participation_free(participation *it)
{
    phx_free(it->L);
    phx_free(it->axis);
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The unit motions in the order in which the basis has them. */
static void list_axes(const elastic_space *space, int *axis)
{
    int at = 0;

    for (int i = 0; i < space->n_interfaces; i++)
        for (int c = 0; c < space->ties[i]; c++)
            if (!space->empty[space->tie[i] + c])
                axis[at++] = c;
}

static phx_status participate(phx_context *context, const elastic_space *space, const double *modes,
                              const double *constraints, participation *it)
{
    const int n = space->n, m = it->modes, c = it->constraints;
    const size_t cells = (size_t)m * (size_t)c;
    double *product = phx_calloc(context, (size_t)n + 1, sizeof *product);
    phx_status status = product ? PHX_OK : PHX_ERR_MEMORY;

    it->L = phx_calloc(context, cells + (size_t)m + (size_t)c + 1, sizeof *it->L);
    it->axis = phx_calloc(context, (size_t)c + 1, sizeof *it->axis);
    if (!it->L || !it->axis)
        status = PHX_ERR_MEMORY;
    it->mode = it->L + cells;
    it->constraint = it->mode + m;
    for (int b = 0; b < c && !status; b++) {
        const double *Psi = constraints + (size_t)b * (size_t)n;
        status = elastic_space_mass(space, 1, Psi, product);
        it->constraint[b] = dot(n, Psi, product);
        for (int k = 0; k < m; k++)
            it->L[k * c + b] = dot(n, modes + (size_t)k * (size_t)n, product);
    }
    for (int k = 0; k < m && !status; k++) {
        const double *phi = modes + (size_t)k * (size_t)n;
        status = elastic_space_mass(space, 1, phi, product);
        it->mode[k] = dot(n, phi, product);
    }
    if (!status) {
        elastic_space_sum(space, cells + (size_t)m + (size_t)c, it->L);
        list_axes(space, it->axis);
    }
    phx_free(product);
    return status;
}

/* The largest share of mode k in any direction. */
static double largest_share(const participation *it, int k)
{
    double most = 0.0;
    for (int b = 0; b < it->constraints; b++) {
        const double L = it->L[k * it->constraints + b];
        if (it->constraint[b] > 0.0)
            most = fmax(most, L * L / (it->mode[k] * it->constraint[b]));
    }
    return most;
}

/* chosen: marks the `keep` modes of the largest shares; of equal ones the lower. */
static void choose(const participation *it, int keep, bool *chosen)
{
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

/* Effective masses of the chosen modes: of the body as a whole, and their least share in a direction. */
static void add_up(const participation *it, const bool *chosen, phx_effective_mass *effective)
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

phx_status basis_choose_modes(phx_context *context, const elastic_space *space, int first, int count, int keep,
                              int constraints, shapes *basis)
{
    const size_t n = (size_t)space->n;
    participation it = {.modes = count, .constraints = constraints};
    bool *chosen = phx_calloc(context, (size_t)count + 1, sizeof *chosen);
    phx_status status = chosen ? PHX_OK : PHX_ERR_MEMORY;
    int to = first;

    if (!status)
        status = participate(context, space, basis->y + (size_t)first * n,
                             basis->y + (size_t)(basis->count - constraints) * n, &it);
    if (!status && keep < count)
        choose(&it, keep, chosen);
    for (int k = 0; k < count && !status && keep >= count; k++)
        chosen[k] = true;
    if (!status)
        add_up(&it, chosen, &basis->effective);
    for (int k = first; k < basis->count && !status; k++) { /* the others go */
        if (k < first + count && !chosen[k - first])
            continue;
        if (to != k)
            memcpy(basis->y + (size_t)to * n, basis->y + (size_t)k * n, n * sizeof *basis->y);
        to++;
    }
    if (!status)
        basis->count = to;
    participation_free(&it);
    phx_free(chosen);
    return status;
}
