/* A reduced system of first order, e = (rho, z, nu): rigid displacements and velocities beside the elastic states.
 *
 *     rho' = (nu, V z)        V: rigid velocities that are damped, and part of the elastic states
 *     z'   = (J - R) z + (B - P) u,      nu' = F u,      Q = diag(0, I, I)                                           */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result.h"

typedef struct first {
    const phx_full *full;
    const phx_projected *all;
    const phx_ph *ph;
    const double *Z; /* x = Z z, x of phx_ph_of for all modes */
    int rigid, free, k, size;
    double *T, *V; /* n x size: xi = T e, xi' = V e */
} first;

static phx_status name_states(const first *it, phx_reduction *out)
{
    phx_status status = PHX_OK;

    out->states_names = phx_calloc(it->full->context, (size_t)it->size + 1, sizeof *out->states_names);
    if (!out->states_names)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < it->size && !status; i++) {
        char name[32];
        if (i < it->rigid)
            snprintf(name, sizeof name, "rigid%d", i + 1);
        else if (i < it->rigid + it->k)
            snprintf(name, sizeof name, "z%d", i - it->rigid + 1);
        else
            snprintf(name, sizeof name, "rigid%d_dot", i - it->rigid - it->k + 1);
        out->states_names[i] = phx_strdup(it->full->context, name);
        status = out->states_names[i] ? PHX_OK : PHX_ERR_MEMORY;
    }
    return status;
}

static phx_status copy_names(phx_context *context, int count, char *const *names, char ***out)
{
    *out = phx_calloc(context, (size_t)count + 1, sizeof **out);
    for (int k = 0; k < count && *out; k++) {
        (*out)[k] = phx_strdup(context, names[k]);
        if (!(*out)[k])
            return PHX_ERR_MEMORY;
    }
    return *out ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status allocate(const first *it, phx_reduction *out)
{
    const phx_channels *ch = &it->full->it->channels;
    phx_context *context = it->full->context;
    const size_t s = (size_t)it->size, m = (size_t)ch->n_inputs, p = (size_t)ch->n_outputs;
    double **const arrays[] = {&out->J, &out->R, &out->Q, &out->B, &out->P, &out->S, &out->N, &out->C, &out->D};
    const size_t sizes[] = {s * s, s * s, s * s, s * m, s * m, m * m, m * m, p * s, p * m};

    out->states = it->size;
    out->m = ch->n_inputs;
    out->p = ch->n_outputs;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = phx_calloc(context, sizes[k] + 1, sizeof(double));
        if (!*arrays[k])
            return PHX_ERR_MEMORY;
    }
    phx_status status = name_states(it, out);
    if (!status)
        status = copy_names(context, out->m, ch->inputs, &out->inputs);
    if (!status)
        status = copy_names(context, out->p, ch->outputs, &out->outputs);
    return status;
}

/* Row of x with the velocity of column j >= free of all->W. */
static int velocity_row(const first *it, int j)
{
    return it->all->r - it->rigid + j - it->free;
}

static void fill_structure(const first *it, phx_reduction *out)
{
    const phx_ph *ph = it->ph;
    const int s = it->size, k = it->k, m = out->m, at = it->rigid, nu = it->rigid + k;

    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            out->J[(at + i) * s + at + j] = ph->J[i * k + j];
            out->R[(at + i) * s + at + j] = ph->R[i * k + j];
        }
        memcpy(out->B + (at + i) * m, ph->B + i * m, (size_t)m * sizeof *out->B);
        memcpy(out->P + (at + i) * m, ph->P + i * m, (size_t)m * sizeof *out->P);
    }
    for (int j = 0; j < it->free; j++) {
        memcpy(out->B + (nu + j) * m, it->all->F + j * m, (size_t)m * sizeof *out->B);
        out->J[j * s + nu + j] = 1.0;
        out->J[(nu + j) * s + j] = -1.0;
    }
    for (int j = it->free; j < it->rigid; j++)
        for (int i = 0; i < k; i++) {
            const double v = it->Z[velocity_row(it, j) * k + i];
            out->J[j * s + at + i] = v;
            out->J[(at + i) * s + j] = -v;
        }
    for (int i = at; i < s; i++)
        out->Q[i * s + i] = 1.0;
    memcpy(out->S, ph->S, (size_t)m * (size_t)m * sizeof *out->S);
    memcpy(out->N, ph->N, (size_t)m * (size_t)m * sizeof *out->N);
}

/* xi = T e and xi' = V e; x = (omega q, v) = Z z. */
static phx_status fill_lifting(first *it)
{
    const phx_projected *all = it->all;
    const int n = all->n, s = it->size, k = it->k, elastic = all->r - it->rigid;
    double *q = phx_calloc(it->full->context, 2 * (size_t)all->r * (size_t)s + 1, sizeof *q),
           *v = phx_behind(q, (size_t)(all->r * s));

    it->T = phx_calloc(it->full->context, 2 * (size_t)n * (size_t)s + 1, sizeof *it->T);
    it->V = it->T + (size_t)n * (size_t)s;
    if (!q || !it->T) {
        phx_free(q);
        return PHX_ERR_MEMORY;
    }
    for (int j = 0; j < it->rigid; j++)
        q[j * s + j] = 1.0;
    for (int j = 0; j < it->free; j++)
        v[j * s + it->rigid + k + j] = 1.0;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < elastic; j++)
            q[(it->rigid + j) * s + it->rigid + i] = it->Z[j * k + i] / all->omega[it->rigid + j];
        for (int j = it->free; j < all->r; j++)
            v[j * s + it->rigid + i] = it->Z[velocity_row(it, j) * k + i];
    }
    phx_dense_multiply(false, false, n, s, all->r, 1.0, all->W, all->c, q, s, 0.0, it->T, s);
    phx_dense_multiply(false, false, n, s, all->r, 1.0, all->W, all->c, v, s, 0.0, it->V, s);
    phx_free(q);
    return PHX_OK;
}

/* C += (Y + L A) X, L from multipliers (NULL: none) */
static phx_status add_output(const first *it, const phx_csr *Y, const double *L, const phx_csr *A, const double *X,
                             int cols, double *C)
{
    const int p = Y->rows, n = it->full->n;
    double *plain = NULL, *AX = NULL;
    phx_status status = phx_csr_times_dense(it->full->context, Y, cols, X, &plain);

    for (int i = 0; i < p * cols && !status; i++)
        C[i] += plain[i];
    if (!status && L && p > 0 && cols > 0) {
        status = phx_csr_times_dense(it->full->context, A, cols, X, &AX);
        if (!status)
            phx_dense_multiply(false, false, p, cols, n, 1.0, L, n, AX, cols, 1.0, C, cols);
    }
    phx_free(plain);
    phx_free(AX);
    return status;
}

/* y = Y_q xi + Y_v xi' + Y_a xi'' + Y_l lambda + Y_u u with xi'' = V (A e + B u) */
static phx_status fill_outputs(const first *it, phx_reduction *out)
{
    const phx_linear *linear = &it->full->it->linear;
    const phx_channels *ch = &it->full->it->channels;
    const int s = it->size, m = out->m, n = it->full->n;
    double *A = phx_calloc(it->full->context, (size_t)s * (size_t)(s + m) + 1, sizeof *A),
           *B = phx_behind(A, (size_t)(s * s));
    double *VA = phx_calloc(it->full->context, (size_t)n * (size_t)(s + m) + 1, sizeof *VA),
           *VB = phx_behind(VA, (size_t)(n * s)), *L = NULL;
    phx_status status = A && VA ? phx_reduction_multipliers(it->full, &L) : PHX_ERR_MEMORY;

    for (int i = 0; i < s && !status; i++) {
        for (int j = 0; j < s; j++)
            A[i * s + j] = (out->J[i * s + j] - out->R[i * s + j]) * out->Q[j * s + j];
        for (int j = 0; j < m; j++)
            B[i * m + j] = out->B[i * m + j] - out->P[i * m + j];
    }
    if (!status) {
        phx_dense_multiply(false, false, n, s, s, 1.0, it->V, s, A, s, 0.0, VA, s);
        phx_dense_multiply(false, false, n, m, s, 1.0, it->V, s, B, m, 0.0, VB, m);
        status = add_output(it, &ch->Y_q, L, &linear->K, it->T, s, out->C);
    }
    if (!status)
        status = add_output(it, &ch->Y_v, L, &linear->D, it->V, s, out->C);
    if (!status)
        status = add_output(it, &ch->Y_a, NULL, NULL, VA, s, out->C);
    if (!status)
        status = add_output(it, &ch->Y_a, NULL, NULL, VB, m, out->D);
    for (int i = 0; i < ch->n_outputs && !status; i++)
        for (int k = ch->Y_u.ptr[i]; k < ch->Y_u.ptr[i + 1]; k++)
            out->D[i * m + ch->Y_u.idx[k]] += ch->Y_u.val[k];
    for (int i = 0; i < n && !status; i++)
        for (int k = ch->F.ptr[i]; k < ch->F.ptr[i + 1]; k++)
            for (int l = 0; l < ch->n_outputs; l++)
                out->D[l * m + ch->F.idx[k]] -= L[(size_t)l * (size_t)n + (size_t)i] * ch->F.val[k];
    phx_free(A);
    phx_free(VA);
    phx_free(L);
    return status;
}

phx_status phx_reduction_take_first(const phx_full *full, const phx_projected *all, const phx_ph *ph, const double *Z,
                                    phx_reduction *out)
{
    first it = {.full = full, .all = all, .ph = ph, .Z = Z, .rigid = full->rigid, .free = full->free, .k = ph->n};
    it.size = it.rigid + it.k + it.free;
    phx_status status = allocate(&it, out);

    if (!status)
        status = fill_lifting(&it);
    if (!status) {
        fill_structure(&it, out);
        status = fill_outputs(&it, out);
    }
    out->n = full->n;
    out->count = it.size;
    out->basis = phx_calloc(full->context, (size_t)full->n * (size_t)it.size + 1, sizeof *out->basis);
    if (!out->basis)
        status = status ? status : PHX_ERR_MEMORY;
    else if (!status)
        memcpy(out->basis, it.T, (size_t)full->n * (size_t)it.size * sizeof *out->basis);
    phx_free(it.T);
    return status;
}
