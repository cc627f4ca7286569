/* Elimination of multipliers by null spaces ([1], eq 47), and the standard form.
 *
 *      d: rows where E acts     a: the others, multipliers
 *
 *      | E_dd  0 | | e_d' |   | (J-R)_dd  -G^T | | z_d |   | B_d |          z_d = Q_dd e_d
 *      |  0    0 | | e_a' | = |    G        0  | | z_a | + |  0  | u  */
#include <math.h>
#include <string.h>

#include "internal.h"

static const double default_rtol = 1e-12;

typedef struct split {
    int n, n_d, n_a, n_u;
    int *place; /* n: index within its part */
    bool *algebraic;
    double *E, *K, *Q, *B, *G; /* E_dd, (J - R)_dd, Q_dd, B_d, G: dense */
    double *P, *T;             /* bases of null G and null (G Q), T may be P */
    int k;
} split;

static void free_split(split *it)
{
    double *dense[] = {it->E, it->K, it->Q, it->B, it->G, it->T == it->P ? NULL : it->T, it->P};
    for (size_t m = 0; m < sizeof dense / sizeof *dense; m++)
        phx_free(dense[m]);
    phx_free(it->place);
    phx_free(it->algebraic);
}

static phx_status find_parts(phx_context *context, const phx_descriptor *system, split *it)
{
    const phx_csr *E = &system->E;

    it->n = system->n;
    it->n_u = system->n_inputs;
    it->place = phx_calloc(context, (size_t)it->n, sizeof *it->place);
    it->algebraic = phx_calloc(context, (size_t)it->n, sizeof *it->algebraic);
    if (!it->place || !it->algebraic)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < it->n; i++) {
        it->algebraic[i] = true;
        for (int k = E->ptr[i]; k < E->ptr[i + 1]; k++)
            it->algebraic[i] = it->algebraic[i] && E->val[k] == 0.0;
        it->place[i] = it->algebraic[i] ? it->n_a++ : it->n_d++;
    }
    const size_t d = (size_t)it->n_d;
    it->E = phx_calloc(context, d * d, sizeof *it->E);
    it->K = phx_calloc(context, d * d, sizeof *it->K);
    it->Q = phx_calloc(context, d * d, sizeof *it->Q);
    it->B = phx_calloc(context, d * (size_t)it->n_u, sizeof *it->B);
    it->G = phx_calloc(context, (size_t)it->n_a * d, sizeof *it->G);
    return it->E && it->K && it->Q && it->B && it->G ? PHX_OK : PHX_ERR_MEMORY;
}

/* Add alpha times the block d x d of `a` to `dense`; with `crossing` rows of d must not touch columns of a. */
static phx_status take(phx_context *context, const phx_descriptor *system, const split *it, char letter,
                       const phx_csr *a, double alpha, bool crossing, double *dense)
{
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const int j = a->idx[k];
            if (it->algebraic[i] || a->val[k] == 0.0)
                continue;
            if (!it->algebraic[j])
                dense[(size_t)it->place[i] * it->n_d + it->place[j]] += alpha * a->val[k];
            else if (crossing)
                return phx_fail(context, PHX_ERR_UNSUPPORTED,
                                "system '%s': %c(%d,%d) = %g ties a state to multiplier %d; its multipliers cannot be "
                                "eliminated",
                                system->name, letter, i, j, a->val[k], it->place[j]);
        }
    }
    return PHX_OK;
}

/* G = J_ad; J_aa, the multipliers' rows of R and those of B must be empty. */
static phx_status take_constraints(phx_context *context, const phx_descriptor *system, split *it)
{
    const phx_csr *parts[] = {&system->J, &system->R};

    for (int m = 0; m < 2; m++) {
        for (int i = 0; i < it->n; i++) {
            for (int k = parts[m]->ptr[i]; k < parts[m]->ptr[i + 1] && it->algebraic[i]; k++) {
                const int j = parts[m]->idx[k];
                if (parts[m]->val[k] == 0.0)
                    continue;
                if (m == 1 || it->algebraic[j])
                    return phx_fail(context, PHX_ERR_UNSUPPORTED,
                                    "system '%s': %c(%d,%d) = %g acts on multiplier %d; it cannot be eliminated",
                                    system->name, m ? 'R' : 'J', i, j, parts[m]->val[k], it->place[i]);
                it->G[(size_t)it->place[i] * it->n_d + it->place[j]] = parts[m]->val[k];
            }
        }
    }
    for (int i = 0; i < it->n; i++) {
        for (int k = system->B.ptr[i]; k < system->B.ptr[i + 1]; k++) {
            int p = 0;
            while (system->ports[p].first + system->ports[p].size <= system->B.idx[k])
                p++;
            if (!it->algebraic[i])
                it->B[(size_t)it->place[i] * it->n_u + system->B.idx[k]] = system->B.val[k];
            else if (system->B.val[k] != 0.0)
                return phx_fail(context, PHX_ERR_UNSUPPORTED,
                                "system '%s' is improper: the input of port '%s' is the rate of a constraint; connect "
                                "or hold the port first",
                                system->name, system->ports[p].name);
        }
    }
    return PHX_OK;
}

static phx_status find_bases(phx_context *context, const phx_descriptor *system, split *it, double rtol)
{
    const size_t d = (size_t)it->n_d, entries = (size_t)it->n_a * d;
    int rank = 0, rank_Q = 0;
    bool same = true;
    double *GQ = phx_calloc(context, entries, sizeof *GQ);
    phx_status status = GQ ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_dense_nullspace(context, it->n_a, it->n_d, it->G, rtol, &rank, &it->P);
    if (!status) {
        phx_dense_multiply(false, false, it->n_a, it->n_d, it->n_d, 1.0, it->G, it->n_d, it->Q, it->n_d, 0.0, GQ,
                           it->n_d);
        for (size_t m = 0; m < entries; m++)
            same = same && GQ[m] == it->G[m];
        it->k = it->n_d - rank;
        it->T = it->P;
    }
    if (!status && !same) {
        it->T = NULL;
        status = phx_dense_nullspace(context, it->n_a, it->n_d, GQ, rtol, &rank_Q, &it->T);
        if (!status && rank_Q != rank)
            status =
                phx_fail(context, PHX_ERR_UNSUPPORTED,
                         "system '%s': %d constraints hold efforts that store no energy; they need a constraint on "
                         "the rate of the state",
                         system->name, rank - rank_Q);
    }
    phx_free(GQ);
    return status;
}

/* out = P^T a T, or its skew (sign -1) or symmetric (sign 1) part, which is exact as stored. */
static phx_status reduce(phx_context *context, const split *it, const double *a, const double *right, double sign,
                         phx_csr *out)
{
    const int n = it->n_d, k = it->k;
    double *half = phx_calloc(context, (size_t)n * (size_t)k, sizeof *half);
    double *dense = phx_calloc(context, (size_t)k * (size_t)k, sizeof *dense);
    phx_status status = half && dense ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_dense_multiply(false, false, n, k, n, 1.0, a, n, right, k, 0.0, half, k);
        phx_dense_multiply(true, false, k, k, n, 1.0, it->P, k, half, k, 0.0, dense, k);
        for (int i = 0; sign != 0.0 && i < k; i++) {
            for (int j = 0; j <= i; j++) {
                const double value = 0.5 * (dense[i * k + j] + sign * dense[j * k + i]);
                dense[i * k + j] = value;
                dense[j * k + i] = sign * value;
            }
        }
        status = phx_csr_from_dense(context, k, k, dense, 0.0, out);
    }
    phx_free(half);
    phx_free(dense);
    return status;
}

static bool is_symmetric(int n, const double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (a[(size_t)i * n + j] != a[(size_t)j * n + i])
                return false;
    return true;
}

static bool is_identity(int n, const double *a)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[(size_t)i * n + j] != (i == j ? 1.0 : 0.0))
                return false;
    return true;
}

/* J and R of the reduced system, and its E and Q. */
static phx_status reduce_square(phx_context *context, const phx_descriptor *system, split *it, phx_descriptor *made)
{
    const matrix_block one = {.size = it->k, .alpha = 1.0};
    const bool plain = it->T == it->P;
    phx_status status = reduce(context, it, it->E, it->T, plain && is_symmetric(it->n_d, it->E) ? 1.0 : 0.0, &made->E);

    made->has_Q = true;
    if (!status && plain && is_identity(it->n_d, it->Q))
        status = phx_descriptor_blocks(context, it->k, it->k, 1, &one, &made->Q);
    else if (!status)
        status = reduce(context, it, it->Q, it->T, plain && is_symmetric(it->n_d, it->Q) ? 1.0 : 0.0, &made->Q);
    const phx_csr *from[] = {&system->J, &system->R};
    phx_csr *to[] = {&made->J, &made->R};
    for (int m = 0; m < 2 && !status; m++) {
        memset(it->K, 0, (size_t)it->n_d * (size_t)it->n_d * sizeof *it->K);
        status = take(context, system, it, m ? 'R' : 'J', from[m], 1.0, false, it->K);
        if (!status)
            status = reduce(context, it, it->K, it->P, m ? 1.0 : -1.0, to[m]);
    }
    return status;
}

static phx_status reduce_inputs(phx_context *context, const split *it, phx_descriptor *made)
{
    double *B = phx_calloc(context, (size_t)it->k * (size_t)it->n_u, sizeof *B);
    phx_status status = B ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_dense_multiply(true, false, it->k, it->n_u, it->n_d, 1.0, it->P, it->k, it->B, it->n_u, 0.0, B, it->n_u);
        status = phx_csr_from_dense(context, it->k, it->n_u, B, 0.0, &made->B);
    }
    phx_free(B);
    return status;
}

static phx_status make_basis(phx_context *context, const split *it, phx_csr *basis)
{
    double *dense = phx_calloc(context, (size_t)it->n * (size_t)it->k, sizeof *dense);
    phx_status status = dense ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < it->n && !status; i++)
        if (!it->algebraic[i])
            memcpy(dense + (size_t)i * it->k, it->T + (size_t)it->place[i] * it->k, (size_t)it->k * sizeof *dense);
    if (!status)
        status = phx_csr_from_dense(context, it->n, it->k, dense, 0.0, basis);
    phx_free(dense);
    return status;
}

phx_status phx_descriptor_eliminate(phx_context *context, const phx_descriptor *system, double rtol, phx_csr *basis,
                                    phx_descriptor **reduced)
{
    split it = {0};
    phx_descriptor *made = NULL;
    phx_status status = PHX_OK;

    *reduced = NULL;
    if (basis)
        *basis = (phx_csr){0};
    if (!system->has_Q)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s' is a nonlinear one frozen at a state; only a linear one has its multipliers "
                        "eliminated",
                        system->name);
    status = find_parts(context, system, &it);
    if (!status)
        status = take(context, system, &it, 'E', &system->E, 1.0, true, it.E);
    if (!status)
        status = take(context, system, &it, 'Q', &system->Q, 1.0, true, it.Q);
    if (!status)
        status = take_constraints(context, system, &it);
    if (!status)
        status = find_bases(context, system, &it, rtol > 0.0 ? rtol : default_rtol);
    if (!status)
        status = phx_descriptor_begin(context, system->name, it.k, system->n_ports, &made);
    for (int p = 0; p < system->n_ports && !status; p++)
        status = phx_descriptor_add_port(context, made, system->ports[p].name, system->ports[p].size);
    if (!status)
        status = reduce_square(context, system, &it, made);
    if (!status)
        status = reduce_inputs(context, &it, made);
    if (!status && basis)
        status = make_basis(context, &it, basis);
    free_split(&it);
    if (status)
        phx_descriptor_destroy(made);
    else
        *reduced = made;
    return status;
}

/* Q E^-1, from E^T X^T = Q^T */
static phx_status standard_efforts(phx_context *context, const phx_descriptor *system, phx_csr *out)
{
    const int n = system->n;
    const size_t square = (size_t)n * (size_t)n;
    double *E = phx_calloc(context, 2 * square, sizeof *E), *X = E ? E + square : NULL;
    phx_csr ET = {0}, QT = {0}, XT = {0};
    phx_status status = E ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_csr_transpose(context, &system->E, &ET);
    if (!status)
        status = phx_csr_transpose(context, &system->Q, &QT);
    if (!status) {
        phx_csr_to_dense(&ET, E);
        phx_csr_to_dense(&QT, X);
        status = phx_dense_solve(context, n, E, n, X);
        if (status == PHX_SINGULAR)
            status = phx_fail_prefix(context, status,
                                     "system '%s' has no standard form while E is singular: ", system->name);
    }
    if (!status)
        status = phx_csr_from_dense(context, n, n, X, 0.0, &XT);
    if (!status)
        status = phx_csr_transpose(context, &XT, out);
    phx_csr_free(&ET);
    phx_csr_free(&QT);
    phx_csr_free(&XT);
    phx_free(E);
    return status;
}

phx_status phx_descriptor_standard(phx_context *context, const phx_descriptor *system, phx_descriptor **standard)
{
    const matrix_block one = {.size = system->n, .alpha = 1.0};
    phx_descriptor *made = NULL;
    phx_csr Q = {0};
    phx_status status = PHX_OK;

    *standard = NULL;
    if (!system->has_Q)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s' is a nonlinear one frozen at a state; it has no standard form", system->name);
    status = standard_efforts(context, system, &Q);
    if (!status)
        status = phx_descriptor_copy(context, system, NULL, &made);
    if (!status) {
        phx_csr_free(&made->Q);
        made->Q = Q;
        Q = (phx_csr){0};
        phx_csr_free(&made->E);
        status = phx_descriptor_blocks(context, system->n, system->n, 1, &one, &made->E);
    }
    phx_csr_free(&Q);
    if (status)
        phx_descriptor_destroy(made);
    else
        *standard = made;
    return status;
}
