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

void phx_dominance_free(phx_dominance *dominance)
{
    phx_free(dominance->width);
    phx_free(dominance->scale);
    phx_free(dominance->weight);
    phx_free(dominance->order);
    phx_free(dominance->largest);
    phx_free(dominance->rest);
    *dominance = (phx_dominance){0};
}

/* D couples no two of the modes, nor one with a rigid motion. */
static bool is_proportional(const phx_projected *all)
{
    static const double COUPLED = 1e-9; /* damping, relative to that of the two modes */
    const int c = all->c;

    for (int i = all->free; i < all->r; i++)
        for (int j = all->free; j < i; j++)
            if (i >= all->rigid &&
                fabs(all->D[i * c + j]) > COUPLED * sqrt(fabs(all->D[i * c + i] * all->D[j * c + j])))
                return false;
    return true;
}

/* |b_kj|^2: a force by F, a prescribed rate by what it does to the strain of the mode. */
static double square(const phx_full *full, const phx_projected *all, int k, int j)
{
    const int s = full->plant->channels.held[j], row = all->rigid + k;
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
    const int s = full->plant->channels.held[j], count = all->r - all->rigid;
    double sum = 0.0, own = 0.0;

    for (int i = 0; i < count && s >= 0; i++) {
        const double m = all->M[(all->rigid + i) * all->c + all->r + s];
        sum += m * m;
        own = i == k ? m * m : own;
    }
    return sum > 0.0 ? own / sum : 0.0;
}

/* Sorts the modes by their largest share in any input and scales the inputs to comparable size. */
static phx_status rank(const phx_full *full, const phx_projected *all, phx_dominance *dominance)
{
    ranked *list = phx_calloc(full->context, (size_t)dominance->count + 1, sizeof *list);

    if (!list)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < dominance->m; j++) {
        double sum = dominance->rest[j * dominance->m + j];
        for (int k = 0; k < dominance->count; k++)
            sum += square(full, all, k, j) / dominance->width[k];
        dominance->scale[j] = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
        dominance->unknown =
            fmax(dominance->unknown, dominance->scale[j] * dominance->scale[j] * dominance->rest[j * dominance->m + j]);
    }
    for (int k = 0; k < dominance->count; k++) {
        list[k].mode = k;
        for (int j = 0; j < dominance->m; j++) {
            const double part =
                dominance->scale[j] * dominance->scale[j] * square(full, all, k, j) / dominance->width[k];
            dominance->weight[k] += part;
            list[k].weight = fmax(list[k].weight, fmax(part, inertia_share(full, all, k, j)));
        }
    }
    qsort(list, (size_t)dominance->count, sizeof *list, descending);
    for (int k = 0; k < dominance->count; k++) {
        dominance->order[k] = list[k].mode;
        dominance->largest[k] = list[k].weight;
    }
    phx_free(list);
    return PHX_OK;
}

/* Dominance |b_k|^2/d_k of every mode with damping of its own or the nominal one, and whether these bound the error
 * as in theory 14 (7). */
phx_status phx_dominance_find(const phx_full *full, const phx_projected *all, double nominal, phx_dominance *dominance)
{
    const int count = all->r - all->rigid;
    phx_status status = PHX_OK;

    *dominance = (phx_dominance){.count = count, .m = full->m, .nominal = nominal};
    dominance->width = phx_calloc(full->context, (size_t)count + 1, sizeof *dominance->width);
    dominance->scale = phx_calloc(full->context, (size_t)full->m + 1, sizeof *dominance->scale);
    dominance->weight = phx_calloc(full->context, (size_t)count + 1, sizeof *dominance->weight);
    dominance->order = phx_calloc(full->context, (size_t)count + 1, sizeof *dominance->order);
    dominance->largest = phx_calloc(full->context, (size_t)count + 1, sizeof *dominance->largest);
    dominance->rest = phx_calloc(full->context, (size_t)full->m * (size_t)full->m + 1, sizeof *dominance->rest);
    if (!dominance->width || !dominance->scale || !dominance->weight || !dominance->order || !dominance->largest ||
        !dominance->rest)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++) {
        const int row = all->rigid + k;
        dominance->width[k] = nominal > 0.0 ? 2.0 * nominal * all->omega[row] : all->D[row * all->c + row];
    }
    const bool part = phx_full_is_part(full); /* then the modes known do not tell of the others */
    dominance->proportional = nominal > 0.0 || full->rayleigh.exact || (!part && is_proportional(all));
    dominance->bounded = dominance->proportional && full->held == 0;
    if (!status && part && dominance->bounded)
        status = phx_remainder_sum(full, nominal, dominance->rest);
    if (!status)
        status = rank(full, all, dominance);
    return status;
}

/* A-priori bounds of the relative error of keeping `order` modes: largest eigenvalue and trace of sum b_k b_k^T/d_k
 * over the modes left out, divided by the norm. */
phx_status phx_dominance_bound(const phx_full *full, const phx_projected *all, const phx_dominance *dominance,
                               int order, double norm, phx_reduction_report *report)
{
    const int m = dominance->m;
    double *gram = phx_calloc(full->context, (size_t)m * (size_t)m + (size_t)m + 1, sizeof *gram),
           *values = phx_behind(gram, (size_t)(m * m));

    if (!gram)
        return PHX_ERR_MEMORY;
    report->bound_sum = 0.0;
    for (int i = 0; i < m; i++) {
        report->bound_sum += dominance->scale[i] * dominance->scale[i] * dominance->rest[i * m + i] / norm;
        for (int j = 0; j < m; j++)
            gram[i * m + j] = dominance->scale[i] * dominance->scale[j] * dominance->rest[i * m + j];
    }
    for (int rest = dominance->count - 1; rest >= order; rest--) { /* the small ones first */
        const int k = dominance->order[rest];
        const double *b = all->F + (all->rigid + k) * m;
        report->bound_sum += dominance->weight[k] / norm;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                /* theory 14 (7): sum over the modes left out of b_k b_k^T/d_k */
                gram[i * m + j] += dominance->scale[i] * b[i] * dominance->scale[j] * b[j] / dominance->width[k];
    }
    const phx_status status = phx_dense_eigen_symmetric(full->context, m, gram, NULL, values, NULL);
    if (!status)
        report->bound = values[m - 1] / norm;
    phx_free(gram);
    return status;
}
