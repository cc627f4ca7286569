/* Shape integrals of a basis from M and the meaning of the unknowns alone. With T_k, X_k unit translation and rotation
 * along and about axis k, and (G_k u)_i = e_k x u_i on the translations and rotations of every node:
 *
 *   S_k = T_k^T M Phi    C_k = X_k^T M Phi    A_k = (G_k Phi)^T M Phi, antisymmetric where M = m (x) I_3
 *   J0_ab = X_a^T M X_b    j_ab = X_a^T M G_b Phi + X_b^T M G_a Phi    Q_ab = (G_a Phi)^T M (G_b Phi) + transpose
 *
 * J_ab = sum m (e_a x p) . (e_b x p) with p = x + u; L_k = C_k + q^T A_k. */
#include "basis.h"
#include "integrals.h"

#include <math.h>
#include <string.h>

static const int pair_first[PHX_MAX_PAIR] = {0, 1, 2, 0, 0, 1};
static const int pair_second[PHX_MAX_PAIR] = {0, 1, 2, 1, 2, 2};

typedef struct products {
    const elastic_part *part;
    int n, k;          /* unknowns of this process, coordinates */
    double *M_Phi;     /* k x n */
    double *G_Phi[3];  /* k x n */
    double *M_G;       /* k x n: of one axis */
    double *M_T, *M_X; /* 3 x n each */
    int *partner;      /* n_nodes x 6: unknown of each component, -1: there is none */
} products;

/* y = G_k u */
static void cross_nodes(const phx_elastic_model *model, const int *at, int k, const double *u, double *y)
{
    const int a = (k + 1) % 3, b = (k + 2) % 3; /* e_k x u = u_a e_b - u_b e_a */

    for (int i = 0; i < 2 * model->n_nodes; i++) { /* translations, then rotations */
        const int *own = at + 3 * i;
        if (own[b] >= 0)
            y[own[b]] = own[a] >= 0 ? u[own[a]] : 0.0;
        if (own[a] >= 0)
            y[own[a]] = own[b] >= 0 ? -u[own[b]] : 0.0;
    }
}

/* Products M Phi, M T, M X and G_a Phi that all integrals are made of; collective over all processes. */
static phx_status make_products(phx_context *context, const elastic_part *part, int k, const double *Phi, products *p)
{
    const phx_elastic_model *model = &part->own;
    const size_t n = (size_t)model->n, kn = (size_t)k * n;
    phx_status status = phx_elastic_places(context, model, &p->partner);

    p->part = part;
    p->n = model->n;
    p->k = k;
    p->M_Phi = phx_calloc(context, kn + 1, sizeof *p->M_Phi);
    p->M_G = phx_calloc(context, kn + 1, sizeof *p->M_G);
    p->M_T = phx_calloc(context, 6 * n + 1, sizeof *p->M_T);
    if (!p->M_Phi || !p->M_G || !p->M_T)
        status = PHX_ERR_MEMORY;
    for (int a = 0; a < 3 && !status; a++) {
        p->G_Phi[a] = phx_calloc(context, kn + 1, sizeof *p->G_Phi[a]);
        if (!p->G_Phi[a])
            status = PHX_ERR_MEMORY;
        for (int c = 0; c < k && !status; c++)
            cross_nodes(model, p->partner, a, Phi + (size_t)c * n, p->G_Phi[a] + (size_t)c * n);
    }
    status = phx_ranks_agree(context, part->ranks, status);
    p->M_X = status ? NULL : p->M_T + 3 * n;
    if (!status)
        status = elastic_part_mass(part, k, Phi, p->M_Phi);
    return status ? status : elastic_part_mass(part, 6, model->rigid, p->M_T);
}

static void free_products(products *p)
{
    phx_free(p->M_Phi);
    phx_free(p->M_G);
    phx_free(p->M_T);
    phx_free(p->partner);
    for (int a = 0; a < 3; a++)
        phx_free(p->G_Phi[a]);
}

static double inner(int n, const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* out (rows x cols) = a b^T + beta out over all processes, a rows x n, b cols x n. */
static void gram(const products *p, int rows, int cols, const double *a, const double *b, double beta, double *out)
{
    if (phx_ranks_rank(p->part->ranks) > 0)
        beta = 0.0; /* what is there already counts once */
    phx_dense_multiply(false, true, rows, cols, p->n, 1.0, a, p->n, b, p->n, beta, out, cols);
    phx_ranks_sum(p->part->ranks, (size_t)rows * (size_t)cols, out);
}

/* Mass, first moment and inertia of the body from its unit translations and rotations. */
static void rigid_part(const phx_elastic_model *model, const products *p, phx_flex *flex)
{
    const double *T = model->rigid, *X = model->rigid + 3 * (size_t)p->n;
    double TX[9], XX[9], TT[9];

    gram(p, 3, 3, T, p->M_T, 0.0, TT);
    gram(p, 3, 3, T, p->M_X, 0.0, TX);
    gram(p, 3, 3, X, p->M_X, 0.0, XX);
    flex->mass = (TT[0] + TT[4] + TT[8]) / 3.0;
    flex->s0[0] = 0.5 * (TX[5] - TX[7]); /* T_a^T M X_b = e_a . (e_b x s0) */
    flex->s0[1] = 0.5 * (TX[6] - TX[2]);
    flex->s0[2] = 0.5 * (TX[1] - TX[3]);
    for (int q = 0; q < PHX_MAX_PAIR; q++)
        flex->J0[q] = 0.5 * (XX[3 * pair_first[q] + pair_second[q]] + XX[3 * pair_second[q] + pair_first[q]]);
}

static void first_order(const phx_elastic_model *model, products *p, phx_flex *flex)
{
    const double *T = model->rigid, *X = model->rigid + 3 * (size_t)p->n;

    gram(p, 3, p->k, T, p->M_Phi, 0.0, flex->S);
    gram(p, 3, p->k, X, p->M_Phi, 0.0, flex->C);
    for (int q = 0; q < PHX_MAX_PAIR; q++) {
        const int a = pair_first[q], b = pair_second[q];
        double *j = flex->j + (size_t)q * (size_t)p->k;
        gram(p, 1, p->k, p->M_X + (size_t)a * (size_t)p->n, p->G_Phi[b], 0.0, j);
        gram(p, 1, p->k, p->M_X + (size_t)b * (size_t)p->n, p->G_Phi[a], 1.0, j);
    }
}

/* The part of (G_k Phi)^T M Phi that is not antisymmetric is left out; relative to the whole it is *symmetric. */
static phx_status integrals_second_order(products *p, phx_flex *flex, double *symmetric)
{
    const int k = p->k;
    phx_status status = PHX_OK;
    double lost = 0.0, whole = 0.0;

    for (int a = 0; a < 3; a++) {
        gram(p, k, k, p->G_Phi[a], p->M_Phi, 0.0, flex->A[a]);
        for (int i = 0; i < k; i++)
            for (int j = 0; j <= i; j++) {
                double *one = &flex->A[a][i * k + j], *other = &flex->A[a][j * k + i];
                const double skew = 0.5 * (*one - *other);
                lost = fmax(lost, fabs(*one + *other));
                whole = fmax(whole, fabs(*one) + fabs(*other));
                *one = skew;
                *other = -skew;
            }
    }
    *symmetric = whole > 0.0 ? lost / whole : 0.0;
    for (int b = 0; b < 3 && !status; b++) {
        status = elastic_part_mass(p->part, k, p->G_Phi[b], p->M_G);
        for (int q = 0; q < PHX_MAX_PAIR && !status; q++) {
            if (pair_second[q] != b)
                continue;
            double *Q = flex->Q[q];
            gram(p, k, k, p->G_Phi[pair_first[q]], p->M_G, 0.0, Q);
            for (int i = 0; i < k; i++)
                for (int j = 0; j <= i; j++)
                    Q[i * k + j] = Q[j * k + i] = Q[i * k + j] + Q[j * k + i];
        }
    }
    return status;
}

/* Integrals of the deformation in the k columns of Phi; *symmetric is the largest symmetric part of A_k, which is
 * dropped, relative to the rest. */
phx_status continuum_integrals(phx_context *context, const elastic_part *part, int k, const double *Phi, phx_flex *flex,
                               double *symmetric)
{
    products p = {0};
    phx_status status;

    flex->dim = 3;
    flex->n = k;
    status = phx_flex_allocate(context, true, flex);
    if (!status)
        status = make_products(context, part, k, Phi, &p);
    if (!status) {
        rigid_part(&part->own, &p, flex);
        first_order(&part->own, &p, flex);
        status = integrals_second_order(&p, flex, symmetric);
        gram(&p, k, k, Phi, p.M_Phi, 0.0, flex->M);
        phx_dense_symmetrise(k, 1.0, flex->M);
    }
    free_products(&p);
    return status;
}

/* Generalised load of nodal forces in a basis: resultant, moment, their change with the deformation, and modal
 * forces. */
phx_status continuum_load(phx_context *context, const phx_elastic_model *model, int k, const double *Phi,
                          const double *force, int n_stressed, phx_flex_load *load)
{
    const size_t n = (size_t)model->n;
    int *at = NULL;
    double *turned = phx_calloc(context, n + 1, sizeof *turned);
    phx_status status = turned ? phx_elastic_places(context, model, &at) : PHX_ERR_MEMORY;

    if (!status)
        status = phx_flex_load_allocate(context, k, n_stressed, load);
    for (int a = 0; a < 3 && !status; a++) {
        load->force[a] = inner(model->n, model->rigid + (size_t)a * n, force);
        load->moment[a] = inner(model->n, model->rigid + (size_t)(3 + a) * n, force);
        for (int c = 0; c < k; c++) {
            cross_nodes(model, at, a, Phi + (size_t)c * n, turned);
            load->turning[a * k + c] = inner(model->n, turned, force);
        }
    }
    for (int c = 0; c < k && !status; c++)
        load->modal[c] = inner(model->n, Phi + (size_t)c * n, force);
    phx_free(at);
    phx_free(turned);
    return status;
}
