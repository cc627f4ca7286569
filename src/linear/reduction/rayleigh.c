/* Rayleigh damping, told from the matrices: D = alpha M + beta K couples no modes, and that of a mode is
 * alpha + beta omega^2. On the modes themselves rounding hides both where the mesh has modes far above the lowest: it
 * makes of zero what is eps beside the largest damping. */
#include <math.h>

#include "reduction.h"

/* Rounding of an entry that is zero, relative to the diagonals. */
static const double rounding = 1e-13;

static double diagonal(const phx_csr *a, int i)
{
    const int k = phx_csr_find(a, i, i);
    return k < 0 ? 0.0 : fabs(a->val[k]);
}

/* sum w_ij A_ij B_ij, w_ij = 1/(D_ii D_jj). */
static double rayleigh_product(const phx_csr *D, const phx_csr *a, const phx_csr *b)
{
    double sum = 0.0;

    for (int i = 0; i < a->rows; i++)
        for (int e = a->ptr[i]; e < a->ptr[i + 1]; e++) {
            const int j = a->idx[e], k = phx_csr_find(b, i, j);
            const double weight = diagonal(D, i) * diagonal(D, j);
            sum += k < 0 || !(weight > 0.0) ? 0.0 : a->val[e] * b->val[k] / weight;
        }
    return sum;
}

/* Whether D = alpha M + beta K. */
static phx_status holds(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K, double alpha,
                        double beta, bool *yes)
{
    phx_csr sum = {0}, rest = {0};
    phx_status status = phx_csr_add(context, alpha, M, beta, K, &sum);

    if (!status)
        status = phx_csr_add(context, 1.0, D, -1.0, &sum, &rest);
    *yes = !status;
    for (int i = 0; i < rest.rows && *yes; i++)
        for (int e = rest.ptr[i]; e < rest.ptr[i + 1]; e++) {
            const int j = rest.idx[e];
            const double row = alpha * diagonal(M, i) + beta * diagonal(K, i) + diagonal(D, i);
            const double column = alpha * diagonal(M, j) + beta * diagonal(K, j) + diagonal(D, j);
            *yes = *yes && fabs(rest.val[e]) <= rounding * sqrt(row * column);
        }
    phx_csr_free(&sum);
    phx_csr_free(&rest);
    return status;
}

/* Tests whether D = alpha M + beta K with nonnegative factors; out->exact is false if it does not hold to round-off. */
phx_status phx_rayleigh_find(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                             phx_rayleigh *out)
{
    const double KK = rayleigh_product(D, K, K), MM = rayleigh_product(D, M, M), MK = rayleigh_product(D, M, K),
                 DK = rayleigh_product(D, D, K), DM = rayleigh_product(D, D, M), determinant = MM * KK - MK * MK;
    const double tries[][2] = {
        {0.0, KK > 0.0 ? DK / KK : 0.0},
        {MM > 0.0 ? DM / MM : 0.0, 0.0},
        {determinant > 0.0 ? (DM * KK - DK * MK) / determinant : 0.0,
         determinant > 0.0 ? (DK * MM - DM * MK) / determinant : 0.0},
    };
    phx_status status = PHX_OK;

    *out = (phx_rayleigh){0};
    for (size_t k = 0; k < sizeof tries / sizeof *tries && !out->exact && !status; k++) {
        out->alpha = tries[k][0];
        out->beta = tries[k][1];
        if (out->alpha >= 0.0 && out->beta >= 0.0)
            status = holds(context, M, D, K, out->alpha, out->beta, &out->exact);
    }
    return status;
}
