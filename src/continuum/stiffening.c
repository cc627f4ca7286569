/* Geometric stiffening in a basis, exact. With Y = L2^-1 (D Phi) and Z = L2^-1 N, one column for each product q_a q_b,
 * the energy of all strains of the model is
 *
 *     1/2 |Y q + Z m|^2,   m_ab = q_a q_b (half of it where a = b),   [Z Y] = Q [ R11 R12 ]
 *                                                                              [  0  R22 ],
 *
 * hence 1/2 |R11 m + R12 q|^2 + 1/2 |R22 q|^2: one strain for each row of R11, whatever the mesh; the last term is part
 * of 1/2 q^T K q, and so is that of R12 alone. R comes from one pass over the elements, a few rows at a time. */
#include "stiffening.h"

#include <math.h>
#include <string.h>

phx_status continuum_can_stiffen(phx_context *context, const char *name, const phx_elastic_model *model)
{
    if (model->ops->second_order)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_UNSUPPORTED,
                    "'%s': its matrices are all that is known of a %s, and M and K say nothing of strains of second "
                    "order, which stiffening is made of; leave 'stiffening' out, or make the body of a mesh",
                    name, model->ops->kind);
}

static int pairs_of(int count)
{
    return count * (count + 1) / 2;
}

/* Room for the rows of an element. */
typedef struct element_rows {
    phx_element_matrices matrices;
    void *room;
    double *second; /* most_stresses x pairs: L2^-1 N */
    double *shape;  /* k x most_unknowns: Phi at the unknowns of the element */
    double *first;  /* most_stresses x k: L2^-1 D Phi */
} element_rows;

static void element_rows_free(element_rows *rows)
{
    phx_free(rows->room);
    phx_free(rows->second);
    phx_free(rows->shape);
    phx_free(rows->first);
}

static phx_status element_rows_create(phx_context *context, const phx_elastic_model *model, int pairs, int k,
                                      element_rows *rows)
{
    const size_t stresses = (size_t)model->most_stresses, unknowns = (size_t)model->most_unknowns;

    memset(rows, 0, sizeof *rows);
    rows->second = phx_calloc(context, stresses * (size_t)pairs + 1, sizeof *rows->second);
    rows->shape = phx_calloc(context, unknowns * (size_t)k + 1, sizeof *rows->shape);
    rows->first = phx_calloc(context, stresses * (size_t)k + 1, sizeof *rows->first);
    if (!rows->second || !rows->shape || !rows->first)
        return PHX_ERR_MEMORY;
    return phx_elastic_element_room(context, model, &rows->matrices, &rows->room);
}

/* L2^-1 N of `count` shapes, and L2^-1 D; *any: the element has some. */
static phx_status second_rows(phx_context *context, const phx_elastic_model *model, int e, int count,
                              const double *shapes, element_rows *rows, bool *any)
{
    *any = model->ops->second_order(model, e, count, shapes, rows->second);
    if (!*any)
        return PHX_OK;
    const phx_status status = phx_elastic_root(context, model, e, &rows->matrices);
    if (!status)
        phx_elastic_root_rows(&rows->matrices, pairs_of(count), rows->second);
    return status;
}

/* L2^-1 D Phi */
static void first_rows(const phx_elastic_model *model, int e, int k, const double *Phi, element_rows *rows)
{
    const int *unknown = model->unknown + model->first_unknown[e], n = rows->matrices.n_unknowns;

    for (int c = 0; c < k; c++)
        for (int j = 0; j < n; j++)
            rows->shape[(size_t)c * (size_t)n + (size_t)j] = Phi[(size_t)c * (size_t)model->n + (size_t)unknown[j]];
    phx_dense_multiply(false, true, rows->matrices.n_stresses, k, n, 1.0, rows->matrices.D, n, rows->shape, n, 0.0,
                       rows->first, k);
}

/* ---- the triangle of a tall matrix, by rows as they come ---- */
typedef struct tall {
    int cols, rows, most;
    double *value, *R; /* most x cols; cols x cols */
} tall;

static phx_status tall_create(phx_context *context, int cols, int at_once, tall *it)
{
    it->cols = cols;
    it->rows = 0;
    it->most = 2 * cols + at_once;
    it->value = phx_calloc(context, (size_t)it->most * (size_t)cols + 1, sizeof *it->value);
    it->R = phx_calloc(context, (size_t)cols * (size_t)cols + 1, sizeof *it->R);
    return it->value && it->R ? PHX_OK : PHX_ERR_MEMORY;
}

static void tall_free(tall *it)
{
    phx_free(it->value);
    phx_free(it->R);
}

/* The matrix so far <- its triangle. */
static phx_status tall_reduce(phx_context *context, tall *it)
{
    const phx_status status = phx_dense_qr_triangle(context, it->rows, it->cols, it->value, it->R);

    memcpy(it->value, it->R, (size_t)it->cols * (size_t)it->cols * sizeof *it->R);
    it->rows = it->cols;
    return status;
}

static phx_status tall_append(phx_context *context, int count, int pairs, const double *second, int k,
                              const double *first, tall *it)
{
    phx_status status = it->rows + count > it->most ? tall_reduce(context, it) : PHX_OK;

    for (int r = 0; r < count && !status; r++, it->rows++) {
        double *row = it->value + (size_t)it->rows * (size_t)it->cols;
        memcpy(row, second + (size_t)r * (size_t)pairs, (size_t)pairs * sizeof *row);
        memcpy(row + pairs, first + (size_t)r * (size_t)k, (size_t)k * sizeof *row);
    }
    return status;
}

/* R of [Z Y], of all products of n_slopes coordinates. */
static phx_status triangle_of_model(phx_context *context, const phx_elastic_model *model, int n_slopes, int k,
                                    const double *Phi, tall *all)
{
    const int pairs = pairs_of(n_slopes);
    element_rows rows;
    phx_status status = element_rows_create(context, model, pairs, k, &rows);

    if (!status)
        status = tall_create(context, pairs + k, model->most_stresses, all);
    for (int e = 0; e < model->n_elements && !status; e++) {
        bool any = false;
        status = second_rows(context, model, e, n_slopes, Phi, &rows, &any);
        if (status || !any)
            continue;
        first_rows(model, e, k, Phi, &rows);
        status = tall_append(context, rows.matrices.n_stresses, pairs, rows.second, k, rows.first, all);
    }
    if (!status)
        status = tall_reduce(context, all);
    element_rows_free(&rows);
    return status;
}

/* ---- without the products that make no strain ---- */
/* Those of deflections and motions in the plane of a plate, say: |N_ab|^2 is rounding beside |N_aa| |N_bb|. `pair`: the
 * columns of the others; their number. */
static int choose_pairs(int n_slopes, const tall *all, double *size, int *pair)
{
    static const double rounding = 1e-13;
    int count = 0;

    for (int p = 0; p < pairs_of(n_slopes); p++) {
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

/* The triangle of these columns and the last k. */
static phx_status narrow(phx_context *context, const tall *all, int count, const int *pair, int k, tall *kept)
{
    const int pairs = all->cols - k;
    phx_status status = tall_create(context, count + k, all->cols, kept);

    for (int i = 0; i < all->cols && !status; i++) {
        const double *from = all->R + (size_t)i * (size_t)all->cols;
        double *row = kept->value + (size_t)i * (size_t)kept->cols;
        for (int p = 0; p < count; p++)
            row[p] = from[pair[p]];
        memcpy(row + count, from + pairs, (size_t)k * sizeof *row);
        kept->rows++;
    }
    return status ? status : tall_reduce(context, kept);
}

/* ---- the strains ---- */
static void pair_of(int n_slopes, int p, int *a, int *b)
{
    *a = 0;
    while (p >= n_slopes - *a)
        p -= n_slopes - (*a)++;
    *b = *a + p;
}

/* Row i of [R11 R12] is strain i: q_a q_b with R_ab, and half of that where a = b. */
static phx_status fill_strains(phx_context *context, int n_slopes, int k, int count, const int *pair, const tall *kept,
                               phx_flex_stiffening *st)
{
    phx_status status = phx_stiffening_allocate(context, count, count * (count + 1) / 2, st);
    double *lin = phx_calloc(context, (size_t)count * (size_t)k + 1, sizeof *lin);
    int products = 0;

    if (!lin)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < count && !status; i++) {
        const double *row = kept->R + (size_t)i * (size_t)kept->cols;
        for (int p = i; p < count; p++) {
            int *a = &st->first[products], *b = &st->second[products];
            pair_of(n_slopes, pair[p], a, b);
            st->weight[products] = *a == *b ? row[p] : 2.0 * row[p];
            products += row[p] != 0.0;
        }
        st->product_begin[i + 1] = products;
        memcpy(lin + (size_t)i * (size_t)k, row + count, (size_t)k * sizeof *lin);
    }
    if (!status)
        status = phx_csr_from_dense(context, count, k, lin, 0.0, &st->lin);
    if (!status)
        status = phx_stiffening_in_basis(context, k, n_slopes, st);
    phx_free(lin);
    return status;
}

phx_status continuum_stiffening(phx_context *context, const phx_elastic_model *model, int n_slopes, int k,
                                const double *Phi, phx_flex_stiffening **made)
{
    const size_t pairs = (size_t)pairs_of(n_slopes);
    tall all = {0}, kept = {0};
    double *size = phx_calloc(context, pairs + 1, sizeof *size);
    int *pair = phx_calloc(context, pairs + 1, sizeof *pair), count = 0;
    phx_status status = size && pair ? PHX_OK : PHX_ERR_MEMORY;

    *made = phx_calloc(context, 1, sizeof **made);
    if (!*made)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = triangle_of_model(context, model, n_slopes, k, Phi, &all);
    if (!status) {
        count = choose_pairs(n_slopes, &all, size, pair);
        status = narrow(context, &all, count, pair, k, &kept);
    }
    if (!status)
        status = fill_strains(context, n_slopes, k, count, pair, &kept, *made);
    tall_free(&all);
    tall_free(&kept);
    phx_free(size);
    phx_free(pair);
    return status;
}

/* ---- forces ---- */
phx_status continuum_second_order_forces(phx_context *context, const phx_elastic_model *model, int count,
                                         const double *shapes, double *force)
{
    const int pairs = pairs_of(count);
    element_rows rows;
    double *own = phx_calloc(context, (size_t)model->most_unknowns * (size_t)pairs + 1, sizeof *own);
    phx_status status = element_rows_create(context, model, pairs, 0, &rows);

    if (!own)
        status = PHX_ERR_MEMORY;
    memset(force, 0, (size_t)pairs * (size_t)model->n * sizeof *force);
    for (int e = 0; e < model->n_elements && !status; e++) {
        const int *unknown = model->unknown + model->first_unknown[e];
        bool any = false;
        status = second_rows(context, model, e, count, shapes, &rows, &any);
        if (status || !any)
            continue;
        /* -(L2^-1 D)^T (L2^-1 N) */
        const phx_element_matrices *m = &rows.matrices;
        phx_dense_multiply(true, false, m->n_unknowns, pairs, m->n_stresses, -1.0, m->D, m->n_unknowns, rows.second,
                           pairs, 0.0, own, pairs);
        for (int j = 0; j < m->n_unknowns; j++)
            for (int p = 0; p < pairs; p++)
                force[(size_t)p * (size_t)model->n + (size_t)unknown[j]] += own[(size_t)j * (size_t)pairs + (size_t)p];
    }
    element_rows_free(&rows);
    phx_free(own);
    return status;
}

/* sigma = M2^-1 D u0 = L^-T (L^-1 D u0) of element e */
static phx_status stresses_of(phx_context *context, const phx_elastic_model *model, int e, const double *u0,
                              element_rows *rows, double *sigma)
{
    const phx_element_matrices *m = &rows->matrices;
    const phx_status status = phx_elastic_root(context, model, e, &rows->matrices);

    if (status)
        return status;
    first_rows(model, e, 1, u0, rows);
    memcpy(sigma, rows->first, (size_t)m->n_stresses * sizeof *sigma);
    for (int at = 0; at < m->n_stresses; at += m->block)
        phx_dense_triangle_solve(true, m->block, m->compliance + at * m->block, 1, sigma + at);
    return PHX_OK;
}

phx_status continuum_prestress_forces(phx_context *context, const phx_elastic_model *model, const double *u0, int count,
                                      const double *shapes, double *force)
{
    const size_t n = (size_t)model->n;
    element_rows rows;
    double *sigma = phx_calloc(context, (size_t)model->most_stresses + 1, sizeof *sigma);
    phx_status status = element_rows_create(context, model, 0, 1, &rows);

    if (!sigma)
        status = PHX_ERR_MEMORY;
    memset(force, 0, (size_t)count * n * sizeof *force);
    for (int e = 0; e < model->n_elements && !status; e++) {
        status = stresses_of(context, model, e, u0, &rows, sigma);
        for (int k = 0; k < model->most_stresses; k++)
            sigma[k] = -sigma[k];
        for (int a = 0; a < count && !status; a++)
            model->ops->second_order_force(model, e, sigma, shapes + (size_t)a * n, force + (size_t)a * n);
    }
    element_rows_free(&rows);
    phx_free(sigma);
    return status;
}
