/* Effective masses of modes with all interfaces held (reduce/effective.c), and the choice of modes by them. */
#include "basis.h"

#include <string.h>

/* The unit motions in the order in which the basis has them. */
static void list_axes(const elastic_space *space, int *axis)
{
    int at = 0;

    for (int i = 0; i < space->n_interfaces; i++)
        for (int c = 0; c < space->ties[i]; c++)
            if (!space->empty[space->tie[i] + c])
                axis[at++] = c;
}

/* Participation of modes and constraint shapes: their products and masses by M, summed over all processes. */
static phx_status participate(phx_context *context, const elastic_space *space, const double *modes,
                              const double *constraints, phx_participation *participation)
{
    const int n = space->n, m = participation->modes, c = participation->constraints;
    const size_t numbers = (size_t)m * (size_t)c + (size_t)m + (size_t)c;
    double *product = phx_calloc(context, (size_t)n + 1, sizeof *product);
    phx_status status = product ? PHX_OK : PHX_ERR_MEMORY;

    for (int b = 0; b < c && !status; b++) {
        const double *Psi = constraints + (size_t)b * (size_t)n;
        status = elastic_space_mass(space, 1, Psi, product);
        participation->constraint[b] = phx_dot(n, Psi, product);
        for (int k = 0; k < m; k++)
            participation->L[k * c + b] = phx_dot(n, modes + (size_t)k * (size_t)n, product);
    }
    for (int k = 0; k < m && !status; k++) {
        const double *phi = modes + (size_t)k * (size_t)n;
        status = elastic_space_mass(space, 1, phi, product);
        participation->mode[k] = phx_dot(n, phi, product);
    }
    if (!status) {
        elastic_space_sum(space, numbers, participation->L);
        list_axes(space, participation->axis);
    }
    phx_free(product);
    return status;
}

/* Keeps the modes with the largest effective masses among `count` from `first` on and removes the others from the
 * basis. */
phx_status basis_choose_modes(phx_context *context, const elastic_space *space, int first, int count, int keep,
                              int constraints, shapes *basis)
{
    const size_t n = (size_t)space->n;
    phx_participation participation = {0};
    bool *chosen = phx_calloc(context, (size_t)count + 1, sizeof *chosen);
    phx_status status =
        chosen ? phx_participation_allocate(context, count, constraints, &participation) : PHX_ERR_MEMORY;
    int to = first;

    if (!status)
        status = participate(context, space, basis->y + (size_t)first * n,
                             basis->y + (size_t)(basis->count - constraints) * n, &participation);
    if (!status) {
        phx_participation_choose(&participation, keep, chosen);
        phx_participation_add(&participation, chosen, &basis->effective);
    }
    for (int k = first; k < basis->count && !status; k++) { /* the others go */
        if (k < first + count && !chosen[k - first])
            continue;
        if (to != k)
            memcpy(basis->y + (size_t)to * n, basis->y + (size_t)k * n, n * sizeof *basis->y);
        to++;
    }
    if (!status)
        basis->count = to;
    phx_participation_free(&participation);
    phx_free(chosen);
    return status;
}
