/* Elimination of multipliers by null spaces ([1] (47)), and the standard form.
 *
 *      d: rows where E acts     a: the others, multipliers z_a = U_0 z_0 + U_1 z_1, A_aa U_0 = 0, with A = J - R
 *
 *      | E_dd  0 | | e_d' |   | A_dd  A_d0  A_d1 | | z_d |   | A_du |          z_d = Q_dd e_d
 *      |  0    0 | | e_a' | = |  G     0     0   | | z_0 | + |  0   | u        G = A_0d = -A_d0^T
 *      |  0    0 |            | A_1d   0    A_11 | | z_1 |   | A_1u |
 *
 * z_1 is solved for, z_0 goes with the null space of G. */
#include <math.h>
#include <string.h>

#include "internal.h"

static const double default_rtol = 1e-12;

typedef struct split {
    int n, n_d, n_a, n_0, n_u;
    int *place; /* n: index within its part */
    bool *algebraic;
    double *E, *Q;     /* E_dd, Q_dd: dense */
    double *G;         /* n_0 x n_d */
    double *U_0, *U_1; /* n_a x n_0, n_a x (n_a - n_0); U_0 NULL: the identity */
    double *P, *T;     /* bases of null G and null (G Q), T may be P */
    power_form form;   /* of z_d, z_0, u */
    int k;
} split;

static void free_split(split *pair)
{
    double *dense[] = {pair->E, pair->Q, pair->G, pair->U_0, pair->U_1, pair->T == pair->P ? NULL : pair->T, pair->P};
    for (size_t m = 0; m < sizeof dense / sizeof *dense; m++)
        phx_free(dense[m]);
    phx_free(pair->place);
    phx_free(pair->algebraic);
    phx_descriptor_form_free(&pair->form);
}

/* Separates differential from algebraic variables, whose rows of E are zero, and numbers each kind. */
static phx_status find_parts(phx_context *context, const phx_descriptor *system, split *pair)
{
    const phx_csr *E = &system->E;

    pair->n = system->n;
    pair->n_u = system->n_inputs;
    pair->place = phx_calloc(context, (size_t)pair->n, sizeof *pair->place);
    pair->algebraic = phx_calloc(context, (size_t)pair->n, sizeof *pair->algebraic);
    if (!pair->place || !pair->algebraic)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < pair->n; i++) {
        pair->algebraic[i] = true;
        for (int k = E->ptr[i]; k < E->ptr[i + 1]; k++)
            pair->algebraic[i] = pair->algebraic[i] && E->val[k] == 0.0;
        pair->place[i] = pair->algebraic[i] ? pair->n_a++ : pair->n_d++;
    }
    const size_t d = (size_t)pair->n_d;
    pair->E = phx_calloc(context, d * d, sizeof *pair->E);
    pair->Q = phx_calloc(context, d * d, sizeof *pair->Q);
    return pair->E && pair->Q ? PHX_OK : PHX_ERR_MEMORY;
}

/* The block d x d of `a`; rows of d must not touch columns of a. */
static phx_status eliminate_take(phx_context *context, const phx_descriptor *system, const split *pair, char letter,
                                 const phx_csr *a, double *dense)
{
    for (int i = 0; i < a->rows; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const int j = a->idx[k];
            if (pair->algebraic[i] || a->val[k] == 0.0)
                continue;
            if (pair->algebraic[j])
                return phx_fail(context, PHX_ERR_UNSUPPORTED,
                                "system '%s': %c(%d,%d) = %g ties a state to multiplier %d; its multipliers cannot be "
                                "eliminated",
                                system->name, letter, i, j, a->val[k], pair->place[j]);
            dense[(size_t)pair->place[i] * pair->n_d + pair->place[j]] = a->val[k];
        }
    }
    return PHX_OK;
}

/* ---- multipliers that are solved for ---- */
/* A_aa and its null space, unless it is zero. */
static phx_status split_multipliers(phx_context *context, const phx_descriptor *system, split *pair, double rtol,
                                    double *A)
{
    const phx_csr *parts[] = {&system->J, &system->R};
    bool zero = true;
    int rank = 0, rest = 0;
    double *transposed = NULL;
    phx_status status = PHX_OK;

    for (int m = 0; m < 2; m++)
        for (int i = 0; i < pair->n; i++)
            for (int k = parts[m]->ptr[i]; k < parts[m]->ptr[i + 1]; k++)
                if (pair->algebraic[i] && pair->algebraic[parts[m]->idx[k]] && parts[m]->val[k] != 0.0) {
                    A[pair->place[i] * pair->n_a + pair->place[parts[m]->idx[k]]] +=
                        m ? -parts[m]->val[k] : parts[m]->val[k];
                    zero = false;
                }
    pair->n_0 = pair->n_a;
    if (zero)
        return PHX_OK;
    status = phx_dense_nullspace(context, pair->n_a, pair->n_a, A, rtol, &rank, &pair->U_0);
    pair->n_0 = pair->n_a - rank;
    transposed = status ? NULL : phx_calloc(context, (size_t)pair->n_a * (size_t)pair->n_0, sizeof *transposed);
    if (!status && !transposed)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < pair->n_a && !status; i++)
        for (int j = 0; j < pair->n_0; j++)
            transposed[j * pair->n_a + i] = pair->U_0[i * pair->n_0 + j];
    if (!status)
        status = phx_dense_nullspace(context, pair->n_0, pair->n_a, transposed, 0.5, &rest, &pair->U_1);
    phx_free(transposed);
    return status;
}

/* Efforts and inputs of the system by z_d, z_0, u, z_1. */
static phx_status sort(phx_context *context, const split *pair, phx_csr *V)
{
    const int n_1 = pair->n_a - pair->n_0, size = pair->n + pair->n_u;
    const size_t room = (size_t)(pair->n_d + pair->n_u) + (size_t)pair->n_a * (size_t)(pair->U_0 ? pair->n_a : 1);
    int *row = phx_calloc(context, room, sizeof *row), *col = phx_calloc(context, room, sizeof *col);
    double *val = phx_calloc(context, room, sizeof *val);
    size_t at = 0;
    phx_status status = row && col && val ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < size && !status; i++) {
        const bool mixed = i < pair->n && pair->algebraic[i] && pair->U_0;
        const int place = i < pair->n ? pair->place[i] : i - pair->n;
        for (int j = 0; j < (mixed ? pair->n_a : 1); j++, at++) {
            row[at] = i;
            val[at] = !mixed          ? 1.0
                      : j < pair->n_0 ? pair->U_0[place * pair->n_0 + j]
                                      : pair->U_1[place * n_1 + j - pair->n_0];
            if (mixed)
                col[at] = j < pair->n_0 ? pair->n_d + j : pair->n_d + pair->n_u + j;
            else
                col[at] = i >= pair->n ? pair->n_d + pair->n_0 + place : pair->algebraic[i] ? pair->n_d + place : place;
        }
    }
    if (!status)
        status = phx_csr_from_triplets(context, size, size, at, row, col, val, V);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* A_11^-1 */
static phx_status eliminate_invert(phx_context *context, const split *pair, int count, double *L)
{
    const int at = pair->form.J.rows - count;
    phx_csr J = {0}, W = {0}, A = {0};
    phx_status status = phx_descriptor_part(context, &pair->form.J, 1.0, at, count, at, count, &J);

    if (!status)
        status = phx_descriptor_part(context, &pair->form.W, 1.0, at, count, at, count, &W);
    if (!status)
        status = phx_csr_add(context, 1.0, &J, -1.0, &W, &A);
    if (!status) {
        phx_csr_to_dense(&A, L);
        status = phx_dense_inverse(context, count, L);
    }
    phx_csr_free(&J);
    phx_csr_free(&W);
    phx_csr_free(&A);
    return status;
}

/* Separates the algebraic variables into those with a regular own block, which are solved for, and n_0 true
 * multipliers. The former are absorbed into the power-conserving form of the system. */
static phx_status solve_multipliers(phx_context *context, const phx_descriptor *system, split *pair, double rtol)
{
    double *A = phx_calloc(context, (size_t)pair->n_a * (size_t)pair->n_a, sizeof *A);
    phx_csr V = {0};
    phx_status status = A ? split_multipliers(context, system, pair, rtol, A) : PHX_ERR_MEMORY;
    const int n_1 = pair->n_a - pair->n_0;

    if (!status)
        status = sort(context, pair, &V);
    if (!status)
        status = phx_descriptor_form(context, system, &pair->form);
    if (!status)
        status = phx_descriptor_form_change(context, &V, &pair->form);
    if (!status && n_1 > 0)
        status = eliminate_invert(context, pair, n_1, A);
    if (!status && n_1 > 0)
        status = phx_descriptor_form_absorb(context, n_1, A, &pair->form);
    phx_free(A);
    phx_csr_free(&V);
    return status;
}

/* ---- constraints ---- */
static const char *port_of(const phx_descriptor *system, int column)
{
    int p = 0;

    while (phx_descriptor_first(system, p) + system->ports[p].size <= column)
        p++;
    return system->ports[p].name;
}

/* Largest |entry| of the rows of z_0 in the columns from `col`, and its column. */
static double eliminate_largest(const split *pair, const phx_csr *a, int col, int cols, int *where)
{
    double top = 0.0;

    *where = -1;
    for (int i = pair->n_d; i < pair->n_d + pair->n_0; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            if (a->idx[k] < col || a->idx[k] >= col + cols || !(fabs(a->val[k]) > top))
                continue;
            top = fabs(a->val[k]);
            *where = a->idx[k] - col;
        }
    }
    return top;
}

/* G = J_0d; no input on its rows, nothing that dissipates. */
static phx_status take_constraints(phx_context *context, const phx_descriptor *system, split *pair, double rtol)
{
    const phx_csr *J = &pair->form.J;
    const int size = pair->n_d + pair->n_0 + pair->n_u, u = pair->n_d + pair->n_0;
    int where = 0;

    pair->G = phx_calloc(context, (size_t)pair->n_0 * (size_t)pair->n_d, sizeof *pair->G);
    if (!pair->G)
        return PHX_ERR_MEMORY;
    const double scale = pair->U_0 ? rtol * eliminate_largest(pair, J, 0, size, &where) : 0.0;
    if (eliminate_largest(pair, J, u, pair->n_u, &where) > scale)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s' is improper: the input of port '%s' is the rate of a constraint; connect "
                        "or hold the port first",
                        system->name, port_of(system, where));
    if (eliminate_largest(pair, &pair->form.W, 0, size, &where) > scale ||
        eliminate_largest(pair, J, pair->n_d, pair->n_0, &where) > scale)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s': R or P couples a multiplier that does not dissipate with something else, by "
                        "which the dissipation can become negative; it cannot be eliminated",
                        system->name);
    for (int i = 0; i < pair->n_0; i++)
        for (int k = J->ptr[pair->n_d + i]; k < J->ptr[pair->n_d + i + 1]; k++)
            if (J->idx[k] < pair->n_d)
                pair->G[(size_t)i * pair->n_d + J->idx[k]] = J->val[k];
    return PHX_OK;
}

/* Bases of the reduced system: P spans the null space of the constraints G, T that of G Q, and T = P if G Q = G. Fails
 * if their ranks differ, which means constrained efforts without energy. */
static phx_status find_bases(phx_context *context, const phx_descriptor *system, split *pair, double rtol)
{
    const size_t entries = (size_t)pair->n_0 * (size_t)pair->n_d;
    int rank = 0, rank_Q = 0;
    bool same = true;
    double *GQ = phx_calloc(context, entries, sizeof *GQ);
    phx_status status = GQ ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_dense_nullspace(context, pair->n_0, pair->n_d, pair->G, rtol, &rank, &pair->P);
    if (!status) {
        phx_dense_multiply(false, false, pair->n_0, pair->n_d, pair->n_d, 1.0, pair->G, pair->n_d, pair->Q, pair->n_d,
                           0.0, GQ, pair->n_d);
        for (size_t m = 0; m < entries; m++)
            same = same && GQ[m] == pair->G[m];
        pair->k = pair->n_d - rank;
        pair->T = pair->P;
    }
    if (!status && !same) {
        pair->T = NULL;
        status = phx_dense_nullspace(context, pair->n_0, pair->n_d, GQ, rtol, &rank_Q, &pair->T);
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

/* out = P^T a T, or its symmetric part, which is exact as stored. */
static phx_status eliminate_reduce(phx_context *context, const split *pair, const double *a, bool symmetric,
                                   phx_csr *out)
{
    const int n = pair->n_d, k = pair->k;
    double *half = phx_calloc(context, (size_t)n * (size_t)k, sizeof *half);
    double *dense = phx_calloc(context, (size_t)k * (size_t)k, sizeof *dense);
    phx_status status = half && dense ? PHX_OK : PHX_ERR_MEMORY;

    if (!status) {
        phx_dense_multiply(false, false, n, k, n, 1.0, a, n, pair->T, k, 0.0, half, k);
        phx_dense_multiply(true, false, k, k, n, 1.0, pair->P, k, half, k, 0.0, dense, k);
        if (symmetric)
            phx_dense_symmetrise(k, 1.0, dense);
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

/* E and Q of the reduced system. */
static phx_status reduce_energy(phx_context *context, split *pair, phx_descriptor *made)
{
    const matrix_block one = {.size = pair->k, .alpha = 1.0};
    const bool plain = pair->T == pair->P;
    phx_status status = eliminate_reduce(context, pair, pair->E, plain && is_symmetric(pair->n_d, pair->E), &made->E);

    made->has_Q = true;
    if (status)
        return status;
    return plain && is_identity(pair->n_d, pair->Q)
               ? phx_descriptor_blocks(context, pair->k, pair->k, 1, &one, &made->Q)
               : eliminate_reduce(context, pair, pair->Q, plain && is_symmetric(pair->n_d, pair->Q), &made->Q);
}

/* The structure on (z_d, z_0, u) = diag(P, 0, I) (z^, u) */
static phx_status reduce_structure(phx_context *context, split *pair, phx_descriptor *made)
{
    phx_csr P = {0}, V = {0};
    phx_status status = phx_csr_from_dense(context, pair->n_d, pair->k, pair->P, 0.0, &P);

    if (!status) {
        const matrix_block blocks[] = {{.a = &P, .alpha = 1.0},
                                       {.size = pair->n_u, .alpha = 1.0, .row = pair->n_d + pair->n_0, .col = pair->k}};
        status = phx_descriptor_blocks(context, pair->n_d + pair->n_0 + pair->n_u, pair->k + pair->n_u, 2, blocks, &V);
    }
    if (!status)
        status = phx_descriptor_form_change(context, &V, &pair->form);
    if (!status)
        status = phx_descriptor_form_take(context, &pair->form, made);
    phx_csr_free(&P);
    phx_csr_free(&V);
    return status;
}

static phx_status make_basis(phx_context *context, const split *pair, phx_csr *basis)
{
    double *dense = phx_calloc(context, (size_t)pair->n * (size_t)pair->k, sizeof *dense);
    phx_status status = dense ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < pair->n && !status; i++)
        if (!pair->algebraic[i])
            memcpy(dense + (size_t)i * pair->k, pair->T + (size_t)pair->place[i] * pair->k,
                   (size_t)pair->k * sizeof *dense);
    if (!status)
        status = phx_csr_from_dense(context, pair->n, pair->k, dense, 0.0, basis);
    phx_free(dense);
    return status;
}

/* Eliminates all algebraic variables: multipliers by projection on the motions their constraints allow, others by
 * solution. The result has a regular E and the same ports; the optional basis maps its state to the original one. */
phx_status phx_descriptor_eliminate(phx_context *context, const phx_descriptor *system, double rtol, phx_csr *basis,
                                    phx_descriptor **reduced)
{
    if (!system || !reduced)
        return phx_fail_null(context, __func__, "system or reduced");
    split pair = {0};
    phx_descriptor *made = NULL;
    phx_status status = PHX_OK;

    *reduced = NULL;
    if (basis)
        *basis = (phx_csr){0};
    if (!system->has_Q)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s' is a nonlinear one at a state; only a linear one has its multipliers "
                        "eliminated",
                        system->name);
    rtol = rtol > 0.0 ? rtol : default_rtol;
    status = find_parts(context, system, &pair);
    if (!status)
        status = eliminate_take(context, system, &pair, 'E', &system->E, pair.E);
    if (!status)
        status = eliminate_take(context, system, &pair, 'Q', &system->Q, pair.Q);
    if (!status)
        status = solve_multipliers(context, system, &pair, rtol);
    if (!status)
        status = take_constraints(context, system, &pair, rtol);
    if (!status)
        status = find_bases(context, system, &pair, rtol);
    if (!status)
        status = phx_descriptor_begin(context, system->name, system->full_names, pair.k, system->n_ports, &made);
    for (int p = 0; p < system->n_ports && !status; p++)
        status = phx_descriptor_add_port(context, made, system->ports[p].name, system->ports[p].size);
    if (!status)
        status = reduce_energy(context, &pair, made);
    if (!status)
        status = reduce_structure(context, &pair, made);
    if (!status && basis)
        status = make_basis(context, &pair, basis);
    free_split(&pair);
    if (status)
        phx_descriptor_destroy(made);
    else
        *reduced = made;
    return phx_conclude(context, status);
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

/* Copies a linear system into standard form with state E e: the new E is the identity and its efforts are Q E^-1 times
 * the state. */
phx_status phx_descriptor_standard(phx_context *context, const phx_descriptor *system, phx_descriptor **standard)
{
    if (!system || !standard)
        return phx_fail_null(context, __func__, "system or standard");
    const matrix_block one = {.size = system->n, .alpha = 1.0};
    phx_descriptor *made = NULL;
    phx_csr Q = {0};
    phx_status status = PHX_OK;

    *standard = NULL;
    if (!system->has_Q)
        return phx_fail(context, PHX_ERR_UNSUPPORTED,
                        "system '%s' is a nonlinear one at a state; it has no standard form", system->name);
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
    return phx_conclude(context, status);
}
