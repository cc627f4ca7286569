/* How many motions of a body its stiffness matrix lets go free: those of a body in one piece, or more. */
#include "basis.h"

#include <math.h>
#include <string.h>

enum { BEYOND = 7, ROUNDS = 6 };         /* vectors besides the rigid motions; iterations */
static const double SHIFT = 1e-9;        /* of the diagonal of K, or if more: */
static const double OVER_ROUNDING = 1e2; /* times the rounding of K, which may make it indefinite */
static const double ROUND_OFF = 1e-14;   /* of entries of K that were written with all digits */
static const double UNCERTAIN = 4.0;     /* times what rounding is expected to make of an energy */
static const double INDEPENDENT = 1e-9;  /* least eigenvalue of the rigid motions, of lengths 1 */

/* m vectors of n numbers, V, with A = V K V^T; D: the diagonal of K, 1 where K has nothing. */
typedef struct block {
    const phx_csr *K;
    int n, m;
    double *D, *V, *Y;  /* Y: K V, then room */
    double *A, *Z, *mu; /* m x m twice; m */
} block;

static void block_free(block *pair)
{
    phx_free(pair->D);
    phx_free(pair->V);
    phx_free(pair->A);
}

/* Vectors for the iteration: m fixed irregular ones, scaled by the diagonal of K. */
static phx_status block_create(phx_context *context, const phx_csr *K, int m, block *pair)
{
    const size_t n = (size_t)K->rows, size = (size_t)m;
    double phase = 0.0;

    *pair = (block){.K = K, .n = K->rows, .m = m};
    pair->D = phx_calloc(context, n + 1, sizeof *pair->D);
    pair->V = phx_calloc(context, 2 * n * size + 1, sizeof *pair->V);
    pair->A = phx_calloc(context, 2 * size * size + size, sizeof *pair->A);
    if (!pair->D || !pair->V || !pair->A)
        return PHX_ERR_MEMORY;
    pair->Y = pair->V + n * size;
    pair->Z = pair->A + size * size;
    pair->mu = pair->Z + size * size;
    for (int i = 0; i < pair->n; i++) {
        for (int e = K->ptr[i]; e < K->ptr[i + 1]; e++)
            pair->D[i] += K->idx[e] == i ? K->val[e] : 0.0;
        pair->D[i] = pair->D[i] > 0.0 ? pair->D[i] : 1.0;
    }
    for (size_t i = 0; i < n * size; i++) { /* without regularity, the same in every run */
        phase += 0.61803398874989485 + 0.1 * phase * phase;
        phase -= floor(phase);
        pair->V[i] = (phase - 0.5) / sqrt(pair->D[i % n]);
    }
    return PHX_OK;
}

/* K + shift D; where K has nothing D. */
static phx_status factor_shifted(phx_context *context, const block *pair, double shift, phx_cholesky **factors)
{
    phx_csr shifted = {0}, diagonal = {0};
    double *value = phx_calloc(context, (size_t)pair->n + 1, sizeof *value);
    int *each = phx_calloc(context, (size_t)pair->n + 1, sizeof *each);
    phx_status status = value && each ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < pair->n && !status; i++) {
        each[i] = i;
        value[i] = pair->K->ptr[i] == pair->K->ptr[i + 1] ? pair->D[i] : shift * pair->D[i];
    }
    if (!status)
        status = phx_csr_from_triplets(context, pair->n, pair->n, (size_t)pair->n, each, each, value, &diagonal);
    if (!status)
        status = phx_csr_add(context, 1.0, pair->K, 1.0, &diagonal, &shifted);
    if (!status)
        status = phx_cholesky_create(context, &shifted, factors);
    phx_csr_free(&shifted);
    phx_csr_free(&diagonal);
    phx_free(value);
    phx_free(each);
    return status;
}

static double in_diagonal(const block *pair, const double *x, const double *y)
{
    double sum = 0.0;

    for (int i = 0; i < pair->n; i++)
        sum += pair->D[i] * x[i] * y[i];
    return sum;
}

/* V orthonormal in D: twice, as free motions are a billion times larger than the rest. */
static void orthonormalise(block *pair)
{
    const size_t n = (size_t)pair->n;

    for (int k = 0; k < pair->m; k++) {
        double *x = pair->V + (size_t)k * n;
        for (int pass = 0; pass < 2; pass++) {
            for (int l = 0; l < k; l++) {
                const double *y = pair->V + (size_t)l * n, along = in_diagonal(pair, x, y);
                for (size_t i = 0; i < n; i++)
                    x[i] -= along * y[i];
            }
            const double size = sqrt(in_diagonal(pair, x, x));
            for (size_t i = 0; i < n && size > 0.0; i++)
                x[i] /= size;
        }
    }
}

/* V <- the vectors of Rayleigh and Ritz; mu: their energies. */
static phx_status rotate(phx_context *context, block *pair)
{
    const size_t n = (size_t)pair->n;
    const int m = pair->m;

    orthonormalise(pair);
    memset(pair->Y, 0, n * (size_t)m * sizeof *pair->Y);
    for (int k = 0; k < m; k++)
        phx_csr_apply(pair->K, 1.0, pair->V + (size_t)k * n, pair->Y + (size_t)k * n);
    phx_dense_multiply(false, true, m, m, pair->n, 1.0, pair->V, pair->n, pair->Y, pair->n, 0.0, pair->A, m);
    const phx_status status = phx_dense_eigen_symmetric(context, m, pair->A, NULL, pair->mu, pair->Z);
    if (!status) {
        memcpy(pair->Y, pair->V, n * (size_t)m * sizeof *pair->Y);
        phx_dense_multiply(true, false, m, pair->n, m, 1.0, pair->Z, m, pair->Y, pair->n, 0.0, pair->V, pair->n);
    }
    return status;
}

/* The vectors of least energy, by inverse iteration. */
static phx_status iterate(phx_context *context, double shift, block *pair)
{
    const size_t n = (size_t)pair->n;
    phx_cholesky *factors = NULL;
    phx_status status = factor_shifted(context, pair, shift, &factors);

    for (int round = 0; round < ROUNDS && !status; round++) {
        for (int k = 0; k < pair->m && !status; k++) {
            double *x = pair->V + (size_t)k * n;
            for (size_t i = 0; i < n; i++)
                x[i] *= pair->D[i];
            status = phx_cholesky_solve(factors, 1, x);
        }
        if (!status)
            status = rotate(context, pair);
    }
    phx_cholesky_destroy(factors);
    return status;
}

/* What the rounding of the entries of K is expected to make of the energy of v: entries err independently. */
static double noise_of(const block *pair, const double *v, double rounding)
{
    double square = 0.0;

    for (int i = 0; i < pair->n; i++)
        for (int e = pair->K->ptr[i]; e < pair->K->ptr[i + 1]; e++)
            square += pow(v[i] * pair->K->val[e] * v[pair->K->idx[e]], 2.0);
    return UNCERTAIN * rounding * sqrt(square);
}

/* Independent rigid motions of the unknowns: 6, of nodes on a line 5. */
static phx_status count_rigid(phx_context *context, const phx_elastic_model *model, int *count)
{
    double gram[36], values[6], size[6];

    phx_dense_multiply(false, true, 6, 6, model->n, 1.0, model->rigid, model->n, model->rigid, model->n, 0.0, gram, 6);
    for (int k = 0; k < 6; k++)
        size[k] = gram[7 * k] > 0.0 ? sqrt(gram[7 * k]) : 1.0;
    for (int k = 0; k < 36; k++)
        gram[k] /= size[k / 6] * size[k % 6];
    const phx_status status = phx_dense_eigen_symmetric(context, 6, gram, NULL, values, NULL);
    *count = 0;
    for (int k = 0; k < 6 && !status; k++)
        *count += values[k] > INDEPENDENT;
    return status;
}

/* PHX_ERR_INPUT if K admits more motions without energy than the rigid motions of a body in one piece, within the
 * rounding of its entries. */
phx_status elastic_check_free_motions(phx_context *context, const phx_elastic_model *model, const char *name)
{
    const double rounding = fmax(model->rounding, ROUND_OFF);
    block pair = {0};
    int rigid = 0, found = 0;
    phx_status status = count_rigid(context, model, &rigid);
    const int m = rigid + BEYOND < model->n ? rigid + BEYOND : model->n;

    if (!status)
        status = block_create(context, &model->K, m, &pair);
    if (!status)
        status = iterate(context, fmax(SHIFT, OVER_ROUNDING * rounding), &pair);
    for (int k = 0; k < m && !status; k++)
        found += pair.mu[k] <= noise_of(&pair, pair.V + (size_t)k * (size_t)pair.n, rounding);
    block_free(&pair);
    if (status || found <= rigid)
        return status;
    return phx_fail(context, PHX_ERR_INPUT,
                    "'%s': its stiffness matrix leaves %s%d motions free, expected %d, those of a body in one piece; a "
                    "part is loose or a mechanism (ties, couplings and contacts are often missing in matrices): join "
                    "the parts where the matrices are written, or make a body of each and join them",
                    name, found == m ? "at least " : "", found, rigid);
}
