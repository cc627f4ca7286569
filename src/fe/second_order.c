/* Geometric stiffening in a basis, exact, theory-plates 3 (3). With Y = L2^-1 (D Phi) and Z = L2^-1 N, one column for
 * each product q_a q_b, the energy of all strains is
 *
 *     1/2 |Y q + Z m|^2,   m_ab = q_a q_b (half of it where a = b),   [Z Y] = Q [ R11 R12 ]
 *                                                                              [  0  R22 ],
 *
 * hence 1/2 |R11 m + R12 q|^2 + 1/2 |R22 q|^2: one strain for each row of R11, whatever the mesh; the last term is part
 * of 1/2 q^T K q, and so is that of R12 alone. R comes from one pass over the elements, a few rows at a time. A beam
 * has one such row an element, sqrt(E A l) times its strain. */
#include "source.h"

#include <math.h>
#include <string.h>

phx_status phx_strain_triangle_create(phx_context *context, int n_slopes, int k, int at_once,
                                      phx_strain_triangle *triangle)
{
    const int cols = phx_strain_pairs(n_slopes) + k;

    *triangle = (phx_strain_triangle){.n_slopes = n_slopes, .k = k, .cols = cols, .most = 2 * cols + at_once};
    triangle->value = phx_calloc(context, (size_t)triangle->most * (size_t)cols + 1, sizeof *triangle->value);
    triangle->R = phx_calloc(context, (size_t)cols * (size_t)cols + 1, sizeof *triangle->R);
    return triangle->value && triangle->R ? PHX_OK : PHX_ERR_MEMORY;
}

void phx_strain_triangle_free(phx_strain_triangle *triangle)
{
    phx_free(triangle->value);
    phx_free(triangle->R);
    *triangle = (phx_strain_triangle){0};
}

/* The matrix so far <- its triangle. */
static phx_status second_order_reduce(phx_context *context, phx_strain_triangle *triangle)
{
    const phx_status status =
        phx_dense_qr_triangle(context, triangle->rows, triangle->cols, triangle->value, triangle->R);

    memcpy(triangle->value, triangle->R, (size_t)triangle->cols * (size_t)triangle->cols * sizeof *triangle->R);
    triangle->rows = triangle->cols;
    return status;
}

phx_status phx_strain_triangle_append(phx_context *context, int count, const double *second, const double *first,
                                      phx_strain_triangle *triangle)
{
    const size_t k = (size_t)triangle->k, pairs = (size_t)triangle->cols - k;
    phx_status status = triangle->rows + count > triangle->most ? second_order_reduce(context, triangle) : PHX_OK;

    for (int r = 0; r < count && !status; r++, triangle->rows++) {
        double *row = triangle->value + (size_t)triangle->rows * (size_t)triangle->cols;
        memcpy(row, second + (size_t)r * pairs, pairs * sizeof *row);
        memcpy(row + pairs, first + (size_t)r * k, k * sizeof *row);
    }
    return status;
}

/* ---- without the products that make no strain ---- */
/* Those of deflections and motions in the plane of a plate, say: |N_ab|^2 is rounding beside |N_aa| |N_bb|. `pair`: the
 * columns of the others; their number. */
static int choose_pairs(int n_slopes, const phx_strain_triangle *all, double *size, int *pair)
{
    static const double rounding = 1e-13;
    int count = 0;

    for (int p = 0; p < phx_strain_pairs(n_slopes); p++) {
        double sum = 0.0;
        for (int i = 0; i <= p; i++) {
            const double entry = all->R[(size_t)i * (size_t)all->cols + (size_t)p];
            sum += entry * entry;
        }
        size[p] = sqrt(sum);
    }
    for (int a = 0, p = 0, aa = 0; a < n_slopes; aa += n_slopes - a, a++)
        for (int b = a, bb = aa; b < n_slopes; bb += n_slopes - b, b++, p++)
            if (size[p] > rounding * sqrt(size[aa] * size[bb]))
                pair[count++] = p;
    return count;
}

/* R of these columns and the last k. */
static phx_status narrow(phx_context *context, const phx_strain_triangle *all, int count, const int *pair, double *R)
{
    const size_t k = (size_t)all->k, pairs = (size_t)all->cols - k, width = (size_t)count + k;
    double *value = phx_calloc(context, (size_t)all->cols * width + 1, sizeof *value);

    if (!value)
        return PHX_ERR_MEMORY;
    for (size_t i = 0; i < (size_t)all->cols; i++) {
        const double *from = all->R + i * (size_t)all->cols;
        double *row = value + i * width;
        for (int p = 0; p < count; p++)
            row[p] = from[pair[p]];
        memcpy(row + count, from + pairs, k * sizeof *row);
    }
    const phx_status status = phx_dense_qr_triangle(context, all->cols, (int)width, value, R);
    phx_free(value);
    return status;
}

/* ---- the strains ---- */
static void pair_of(int n_slopes, int p, int *a, int *b)
{
    *a = 0;
    while (p >= n_slopes - *a)
        p -= n_slopes - (*a)++;
    *b = *a + p;
}

/* Rows of R11 that are not zero: fewer than columns where there were fewer rows. */
static int rows_of(int count, int width, const double *R)
{
    int rows = count;

    for (bool zero = true; rows > 0; rows--) {
        for (int p = rows - 1; p < count && zero; p++)
            zero = R[(size_t)(rows - 1) * (size_t)width + (size_t)p] == 0.0;
        if (!zero)
            break;
    }
    return rows;
}

/* Row i of [R11 R12] is strain i: q_a q_b with R_ab, and half of that where a = b. */
static phx_status fill_strains(phx_context *context, const phx_strain_triangle *all, int count, const int *pair,
                               const double *R, phx_flex_stiffening *st)
{
    const int k = all->k, width = count + k, rows = rows_of(count, width, R);
    phx_status status = phx_stiffening_allocate(context, rows, phx_strain_pairs(count), st);
    double *lin = phx_calloc(context, (size_t)rows * (size_t)k + 1, sizeof *lin);
    int products = 0;

    if (!lin)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < rows && !status; i++) {
        const double *row = R + (size_t)i * (size_t)width;
        for (int p = i; p < count; p++) {
            int *a = &st->first[products], *b = &st->second[products];
            pair_of(all->n_slopes, pair[p], a, b);
            st->weight[products] = *a == *b ? row[p] : 2.0 * row[p];
            products += row[p] != 0.0;
        }
        st->product_begin[i + 1] = products;
        memcpy(lin + (size_t)i * (size_t)k, row + count, (size_t)k * sizeof *lin);
    }
    if (!status)
        status = phx_csr_from_dense(context, rows, k, lin, 0.0, &st->lin);
    if (!status)
        status = phx_stiffening_in_basis(context, k, all->n_slopes, st);
    phx_free(lin);
    return status;
}

/* Compresses the collected strains to one strain for each significant pair of slopes, with their linear parts; *made is
 * also to be freed after an error. */
phx_status phx_strain_triangle_finish(phx_context *context, phx_strain_triangle *triangle, phx_flex_stiffening **made)
{
    const size_t pairs = (size_t)phx_strain_pairs(triangle->n_slopes), most = (size_t)triangle->cols;
    double *size = phx_calloc(context, pairs + 1, sizeof *size);
    double *R = phx_calloc(context, most * most + 1, sizeof *R);
    int *pair = phx_calloc(context, pairs + 1, sizeof *pair), count = 0;
    phx_status status = size && R && pair ? second_order_reduce(context, triangle) : PHX_ERR_MEMORY;

    *made = phx_calloc(context, 1, sizeof **made);
    if (!*made)
        status = PHX_ERR_MEMORY;
    if (!status) {
        count = choose_pairs(triangle->n_slopes, triangle, size, pair);
        status = narrow(context, triangle, count, pair, R);
    }
    if (!status)
        status = fill_strains(context, triangle, count, pair, R, *made);
    phx_free(size);
    phx_free(R);
    phx_free(pair);
    return status;
}

/* ---- of strains by elements ---- */
/* The columns up to the last one with a slope that is more than rounding. */
static int columns_with_slopes(int rows, int k, const double *slope)
{
    static const double rounding = 1e-13;
    double most = 0.0;
    int count = 0;

    for (size_t i = 0; i < (size_t)rows * (size_t)k; i++)
        most = fmax(most, fabs(slope[i]));
    for (int i = 0; i < rows; i++)
        for (int j = count; j < k; j++)
            if (fabs(slope[(size_t)i * (size_t)k + (size_t)j]) > rounding * most)
                count = j + 1;
    return count;
}

/* Strain e with its products, of stiffness 1: sqrt(C) (lin T), sqrt(C) N_ab, N_ab = sum_p w/2 (f_a g_b + f_b g_a) with
 * the slopes f, g of a product. */
static phx_status append_strain(phx_context *context, const phx_flex_stiffening *full, int e, const double *lin,
                                const double *slope, double *row, phx_strain_triangle *triangle)
{
    const size_t k = (size_t)triangle->k;
    const double root = sqrt(full->stiffness[e]);
    double *second = row + k;

    memset(row, 0, (size_t)triangle->cols * sizeof *row);
    for (size_t j = 0; j < k; j++)
        row[j] = root * lin[(size_t)e * k + j];
    for (int p = full->product_begin[e]; p < full->product_begin[e + 1]; p++) {
        const double *f = slope + (size_t)full->first[p] * k, *g = slope + (size_t)full->second[p] * k;
        const double half = 0.5 * root * full->weight[p];
        for (int a = 0, at = 0; a < triangle->n_slopes; a++)
            for (int b = a; b < triangle->n_slopes; b++)
                second[at++] += half * (f[a] * g[b] + f[b] * g[a]);
    }
    return phx_strain_triangle_append(context, 1, second, row, triangle);
}

/* Passes all strains of a body, with linear parts and slopes in the basis, through the triangular factor and compresses
 * them. */
static phx_status compress(phx_context *context, const phx_flex_stiffening *full, int n_slopes, int k,
                           const double *lin, const double *slope, phx_flex_stiffening **made)
{
    phx_strain_triangle triangle;
    phx_status status = phx_strain_triangle_create(context, n_slopes, k, 1, &triangle);
    double *row = phx_calloc(context, (size_t)triangle.cols + 1, sizeof *row);

    if (!row)
        status = PHX_ERR_MEMORY;
    for (int e = 0; e < full->n_strain && !status; e++)
        status = append_strain(context, full, e, lin, slope, row, &triangle);
    if (!status)
        status = phx_strain_triangle_finish(context, &triangle, made);
    phx_strain_triangle_free(&triangle);
    phx_free(row);
    return status;
}

/* Those of `full` by its elements, whose rows are lin T and slope T: for the stress vector. */
static phx_status keep_stressed(phx_context *context, const phx_flex_stiffening *full, int k, const double *T,
                                phx_flex_stiffening **made)
{
    const size_t rows = (size_t)(full->n_slope > full->n_strain ? full->n_slope : full->n_strain);
    double *product = phx_calloc(context, rows * (size_t)k + 1, sizeof *product);
    phx_status status = product ? phx_stiffening_copy(context, full, made) : PHX_ERR_MEMORY;

    if (!status) {
        phx_csr_free(&(*made)->lin);
        phx_csr_free(&(*made)->slope);
        phx_csr_apply_dense(&full->lin, k, T, product);
        status = phx_csr_from_dense(context, full->n_strain, k, product, 0.0, &(*made)->lin);
    }
    if (!status) {
        memset(product, 0, (size_t)full->n_strain * (size_t)k * sizeof *product);
        phx_csr_apply_dense(&full->slope, k, T, product);
        status = phx_csr_from_dense(context, full->n_slope, k, product, 0.0, &(*made)->slope);
    }
    phx_free(product);
    return status;
}

/* Strains of geometric stiffening in the basis T. Fails if more than PHX_STRAIN_SLOPES coordinates bend. */
phx_status phx_stiffening_project(phx_context *context, const phx_flex_stiffening *full, int k, const double *T,
                                  phx_flex_stiffening **made)
{
    const phx_flex_stiffening *stressed = full->stressed ? full->stressed : full;
    double *lin = phx_calloc(context, (size_t)full->n_strain * (size_t)k + 1, sizeof *lin);
    double *slope = phx_calloc(context, (size_t)full->slope.rows * (size_t)k + 1, sizeof *slope);
    phx_status status = lin && slope ? PHX_OK : PHX_ERR_MEMORY;
    int n_slopes = 0;

    if (!status) {
        phx_csr_apply_dense(&full->lin, k, T, lin);
        phx_csr_apply_dense(&full->slope, k, T, slope);
        n_slopes = columns_with_slopes(full->slope.rows, k, slope);
        if (n_slopes > PHX_STRAIN_SLOPES)
            status = phx_fail(context, PHX_ERR_UNSUPPORTED,
                              "projection: stiffening in a basis of %d coordinates that bend, at most %d; take fewer",
                              n_slopes, PHX_STRAIN_SLOPES);
    }
    if (!status)
        status = compress(context, full, n_slopes, k, lin, slope, made);
    if (!status && stressed->stress_row)
        status = keep_stressed(context, stressed, k, T, &(*made)->stressed);
    phx_free(lin);
    phx_free(slope);
    return status;
}
