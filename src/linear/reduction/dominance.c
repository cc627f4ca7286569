/* The weight of each mode in the response of the ports: with proportional damping the response is a sum over the modes,
 *
 *     H(s) = sum_k s b_k b_k^T / (s^2 + d_k s + omega_k^2),   d_k = 2 zeta_k omega_k,
 *
 * the norm of one term is |b_k|^2/d_k, reached at omega_k, and the error of leaving modes out is at most the sum of
 * theirs. It is at most the largest eigenvalue of sum_k b_k b_k^T/d_k as well, which is no larger than the sum: with B'
 * of the columns b_k/sqrt(d_k) the error is B' Theta B'^T with a diagonal Theta of |theta_k| <= 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reduction.h"

void phx_dominance_free(phx_dominance *it)
{
    phx_free(it->width);
    phx_free(it->scale);
    phx_free(it->weight);
    phx_free(it->order);
    phx_free(it->largest);
    phx_free(it->rest);
    *it = (phx_dominance){0};
}

/* D couples no two of the modes, nor one with a rigid motion. */
static bool is_proportional(const phx_projected *all)
{
    const int c = all->c;

    for (int i = all->free; i < all->r; i++)
        for (int j = all->free; j < i; j++)
            if (i >= all->rigid && fabs(all->D[i * c + j]) > 1e-9 * sqrt(fabs(all->D[i * c + i] * all->D[j * c + j])))
                return false;
    return true;
}

/* |b_kj|^2: a force by F, a prescribed rate by what it does to the strain of the mode. */
static double square(const phx_full *full, const phx_projected *all, int k, int j)
{
    const int s = full->it->channels.held[j], row = all->rigid + k;
    const double b = s < 0 ? all->F[row * all->m + j] : all->omega[row] * all->M[row * all->c + all->r + s];

    return b * b;
}

typedef struct ranked {
    double weight;
    int mode;
} ranked;

static int descending(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight) : x->mode - y->mode;
}

/* Of all the inertia that moves elastic modes with a prescribed rate the share of mode k. What the modes left out have
 * together is given to one vector at infinite frequency, whose resonance grows with the root of their inertia times
 * their stiffness: modes of much inertia count as well. */
static double inertia_share(const phx_full *full, const phx_projected *all, int k, int j)
{
    const int s = full->it->channels.held[j], count = all->r - all->rigid;
    double sum = 0.0, own = 0.0;

    for (int i = 0; i < count && s >= 0; i++) {
        const double m = all->M[(all->rigid + i) * all->c + all->r + s];
        sum += m * m;
        own = i == k ? m * m : own;
    }
    return sum > 0.0 ? own / sum : 0.0;
}

/* Sorts the modes by their largest share in any input and scales the inputs to comparable size. */
static phx_status rank(const phx_full *full, const phx_projected *all, phx_dominance *it)
{
    ranked *list = phx_calloc(full->context, (size_t)it->count + 1, sizeof *list);

    if (!list)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < it->m; j++) {
        double sum = it->rest[j * it->m + j];
        for (int k = 0; k < it->count; k++)
            sum += square(full, all, k, j) / it->width[k];
        it->scale[j] = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
        it->unknown = fmax(it->unknown, it->scale[j] * it->scale[j] * it->rest[j * it->m + j]);
    }
    for (int k = 0; k < it->count; k++) {
        list[k].mode = k;
        for (int j = 0; j < it->m; j++) {
            const double part = it->scale[j] * it->scale[j] * square(full, all, k, j) / it->width[k];
            it->weight[k] += part;
            list[k].weight = fmax(list[k].weight, fmax(part, inertia_share(full, all, k, j)));
        }
    }
    qsort(list, (size_t)it->count, sizeof *list, descending);
    for (int k = 0; k < it->count; k++) {
        it->order[k] = list[k].mode;
        it->largest[k] = list[k].weight;
    }
    phx_free(list);
    return PHX_OK;
}

/* Dominance |b_k|^2/d_k of every mode with damping of its own or the nominal one, and whether these bound the error
 * (theory 14). */
phx_status phx_dominance_find(const phx_full *full, const phx_projected *all, double nominal, phx_dominance *it)
{
    const int count = all->r - all->rigid;
    phx_status status = PHX_OK;

    *it = (phx_dominance){.count = count, .m = full->m, .nominal = nominal};
    it->width = phx_calloc(full->context, (size_t)count + 1, sizeof *it->width);
    it->scale = phx_calloc(full->context, (size_t)full->m + 1, sizeof *it->scale);
    it->weight = phx_calloc(full->context, (size_t)count + 1, sizeof *it->weight);
    it->order = phx_calloc(full->context, (size_t)count + 1, sizeof *it->order);
    it->largest = phx_calloc(full->context, (size_t)count + 1, sizeof *it->largest);
    it->rest = phx_calloc(full->context, (size_t)full->m * (size_t)full->m + 1, sizeof *it->rest);
    if (!it->width || !it->scale || !it->weight || !it->order || !it->largest || !it->rest)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++) {
        const int row = all->rigid + k;
        it->width[k] = nominal > 0.0 ? 2.0 * nominal * all->omega[row] : all->D[row * all->c + row];
    }
    const bool part = phx_full_is_part(full); /* then the modes known do not tell of the others */
    it->proportional = nominal > 0.0 || full->rayleigh.exact || (!part && is_proportional(all));
    it->bounded = it->proportional && full->held == 0;
    if (!status && part && it->bounded)
        status = phx_remainder_sum(full, nominal, it->rest);
    if (!status)
        status = rank(full, all, it);
    return status;
}

/* A-priori bounds of the relative error of keeping `order` modes: largest eigenvalue and trace of sum b_k b_k^T/d_k
 * over the modes left out, divided by the norm. */
phx_status phx_dominance_bound(const phx_full *full, const phx_projected *all, const phx_dominance *it, int order,
                               double norm, phx_reduction_report *report)
{
    const int m = it->m;
    double *gram = phx_calloc(full->context, (size_t)m * (size_t)m + (size_t)m + 1, sizeof *gram),
           *values = phx_behind(gram, (size_t)(m * m));

    if (!gram)
        return PHX_ERR_MEMORY;
    report->bound_sum = 0.0;
    for (int i = 0; i < m; i++) {
        report->bound_sum += it->scale[i] * it->scale[i] * it->rest[i * m + i] / norm;
        for (int j = 0; j < m; j++)
            gram[i * m + j] = it->scale[i] * it->scale[j] * it->rest[i * m + j];
    }
    for (int rest = it->count - 1; rest >= order; rest--) { /* the small ones first */
        const int k = it->order[rest];
        const double *b = all->F + (all->rigid + k) * m;
        report->bound_sum += it->weight[k] / norm;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                /* theory 14: sum over the modes left out of b_k b_k^T/d_k */
                gram[i * m + j] += it->scale[i] * b[i] * it->scale[j] * b[j] / it->width[k];
    }
    const phx_status status = phx_dense_eigen_symmetric(full->context, m, gram, NULL, values, NULL);
    if (!status)
        report->bound = values[m - 1] / norm;
    phx_free(gram);
    return status;
}
