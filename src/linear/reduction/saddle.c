/* Saddle-point systems: solutions lie in the null space of A, which is never formed. */
#include <math.h>
#include <string.h>

#include "reduction.h"

static double largest_of_row(const phx_csr *a, int i)
{
    double most = 0.0;
    for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
        most = fmax(most, fabs(a->val[k]));
    return most;
}

/* Prepares a saddle-point system over borrowed M, D and K, complex for points off the real axis; factored by
 * phx_saddle_factor. */
phx_status phx_saddle_create(phx_context *context, const phx_csr *M, const phx_csr *D, const phx_csr *K,
                             const phx_csr *A, bool is_complex, phx_saddle *saddle)
{
    const size_t size = (size_t)M->rows + (size_t)A->rows;

    *saddle = (phx_saddle){.context = context, .M = M, .D = D, .K = K};
    phx_status status = phx_csr_copy(context, A, &saddle->A);
    saddle->length = phx_calloc(context, 2 * (size_t)A->rows + 1, sizeof *saddle->length);
    saddle->work = phx_calloc(context, 6 * size + 1, sizeof *saddle->work);
    if (!saddle->length || !saddle->work)
        return PHX_ERR_MEMORY;
    saddle->scale = phx_behind(saddle->length, (size_t)A->rows);
    for (int i = 0; i < A->rows; i++)
        saddle->length[i] = largest_of_row(A, i);
    if (status)
        return status;
    return is_complex ? phx_kkt_prepare_pairs(context, M, D, K, A, true, &saddle->kkt)
                      : phx_kkt_prepare(context, M, D, K, A, NULL, false, &saddle->kkt);
}

void phx_saddle_free(phx_saddle *saddle)
{
    phx_csr_free(&saddle->A);
    phx_free(saddle->length);
    phx_free(saddle->work);
    phx_kkt_free(&saddle->kkt);
    *saddle = (phx_saddle){0};
}

/* Size of the diagonal of z^2 M + z D + K, its geometric mean. */
static double diagonal_size(const phx_saddle *saddle, double complex z)
{
    const int n = saddle->M->rows;
    double sum = 0.0;
    int count = 0;

    for (int i = 0; i < n; i++) {
        const int m = phx_csr_find(saddle->M, i, i), k = phx_csr_find(saddle->K, i, i);
        const double entry =
            (m < 0 ? 0.0 : cabs(z) * cabs(z) * fabs(saddle->M->val[m])) + (k < 0 ? 0.0 : fabs(saddle->K->val[k]));
        if (entry > 0.0) {
            sum += log(entry);
            count++;
        }
    }
    return count > 0 ? exp(sum / count) : 1.0;
}

phx_status phx_saddle_factor(phx_saddle *saddle, double complex z)
{
    const double size = diagonal_size(saddle, z);

    saddle->z = z;
    for (int i = 0; i < saddle->A.rows; i++) {
        const double now = largest_of_row(&saddle->A, i), factor = now > 0.0 ? size / now : 1.0;
        for (int k = saddle->A.ptr[i]; k < saddle->A.ptr[i + 1]; k++)
            saddle->A.val[k] *= factor;
        saddle->scale[i] = saddle->length[i] > 0.0 ? size / saddle->length[i] : 1.0;
    }
    return phx_kkt_factor_quadratic(&saddle->kkt, saddle->M, saddle->D, saddle->K, &saddle->A, z);
}

/* y -= (z^2 M + z D + K) x and A^T, A */
static void subtract_product(const phx_saddle *saddle, const double *re, const double *im, double *y_re, double *y_im)
{
    const int n = saddle->M->rows;
    const double complex square = saddle->z * saddle->z;
    const phx_csr *const parts[] = {saddle->M, saddle->D, saddle->K};
    const double complex factors[] = {square, saddle->z, 1.0};

    for (int p = 0; p < 3; p++) {
        if (parts[p]->rows == 0)
            continue;
        phx_csr_apply(parts[p], -creal(factors[p]), re, y_re);
        phx_csr_apply(parts[p], cimag(factors[p]), im, y_re);
        phx_csr_apply(parts[p], -cimag(factors[p]), re, y_im);
        phx_csr_apply(parts[p], -creal(factors[p]), im, y_im);
    }
    phx_csr_apply_transposed(&saddle->A, -1.0, re + n, y_re);
    phx_csr_apply_transposed(&saddle->A, -1.0, im + n, y_im);
    phx_csr_apply(&saddle->A, -1.0, re, y_re + n);
    phx_csr_apply(&saddle->A, -1.0, im, y_im + n);
}

/* Solves the saddle-point system in place with one step of iterative refinement; complex vectors are interleaved. */
phx_status phx_saddle_solve(phx_saddle *saddle, double *x)
{
    const int n = saddle->M->rows, size = n + saddle->A.rows;
    const int width = saddle->kkt.is_complex ? 2 : 1;
    double *b_re = saddle->work, *b_im = b_re + size, *x_re = b_im + size, *x_im = x_re + size;
    double *r = x_im + size; /* 2 size */
    phx_status status = PHX_OK;

    for (int i = 0; i < size; i++) {
        const double scale = i < n ? 1.0 : saddle->scale[i - n];
        b_re[i] = scale * x[width * i];
        b_im[i] = width == 2 ? scale * x[2 * i + 1] : 0.0;
        x_re[i] = x_im[i] = 0.0;
    }
    for (int round = 0; round < 2 && !status; round++) {
        if (round == 1)
            subtract_product(saddle, x_re, x_im, b_re, b_im);
        for (int i = 0; i < size; i++) {
            const int row = saddle->kkt.row ? saddle->kkt.row[i] : i;
            r[width * row] = b_re[i];
            if (width == 2)
                r[2 * row + 1] = b_im[i];
        }
        status = phx_lu_solve(saddle->kkt.lu, 1, r);
        for (int i = 0; i < size && !status; i++) {
            x_re[i] += r[width * i];
            x_im[i] += width == 2 ? r[2 * i + 1] : 0.0;
        }
    }
    for (int i = 0; i < size && !status; i++) { /* A^T S (multiplier) */
        const double scale = i < n ? 1.0 : saddle->scale[i - n];
        x[width * i] = scale * x_re[i];
        if (width == 2)
            x[2 * i + 1] = scale * x_im[i];
    }
    return status;
}
