/* M, K, D and M2 of an elastic model from the matrices of its elements,
 *
 *     K_e = sum over the blocks b of D_b^T M2_b^-1 D_b = sum Y_b^T Y_b,   Y_b = L_b^-1 D_b,   M2_b = L_b L_b^T. */
#include "continuum.h"

#include <limits.h>
#include <string.h>

phx_status phx_elastic_element_room(phx_context *context, const phx_elastic_model *model,
                                    phx_element_matrices *matrices, void **room)
{
    const size_t u = (size_t)model->most_unknowns, s = (size_t)model->most_stresses, b = (size_t)model->most_block;
    double *numbers = phx_calloc(context, u * u + s * u + s * b, sizeof *numbers);

    *room = numbers;
    if (!numbers)
        return PHX_ERR_MEMORY;
    memset(matrices, 0, sizeof *matrices);
    matrices->M = numbers;
    matrices->D = matrices->M + u * u;
    matrices->compliance = matrices->D + s * u;
    return PHX_OK;
}

static int unknowns_of(const phx_elastic_model *model, int e, const int **unknown)
{
    *unknown = model->unknown + model->first_unknown[e];
    return model->first_unknown[e + 1] - model->first_unknown[e];
}

/* M2 = L L^T, block by block; D <- L^-1 D. */
static phx_status make_root(phx_context *context, phx_element_matrices *matrices, int e)
{
    const int b = matrices->block;
    phx_status status = PHX_OK;

    for (int at = 0; at < matrices->n_stresses && !status; at += b)
        status = phx_dense_cholesky(context, b, matrices->compliance + at * b);
    if (status)
        return phx_fail_prefix(context, status, "compliance of element %d: ", e + 1);
    phx_elastic_root_rows(matrices, matrices->n_unknowns, matrices->D);
    return PHX_OK;
}

void phx_elastic_root_rows(const phx_element_matrices *matrices, int cols, double *rows)
{
    for (int at = 0; at < matrices->n_stresses; at += matrices->block)
        phx_dense_triangle_solve(false, matrices->block, matrices->compliance + at * matrices->block, cols,
                                 rows + (size_t)at * (size_t)cols);
}

phx_status phx_elastic_root(phx_context *context, const phx_elastic_model *model, int e, phx_element_matrices *matrices)
{
    model->ops->element(model, e, matrices);
    return make_root(context, matrices, e);
}

/* ---- the pattern of M and K ---- */
/* Elements of each unknown: those of i are item[ptr[i]] ... */
static phx_status elements_of_unknowns(phx_context *context, const phx_elastic_model *model, int **ptr, int **item)
{
    const int n = model->n, total = model->first_unknown[model->n_elements];

    *ptr = phx_calloc(context, (size_t)n + 2, sizeof **ptr);
    *item = phx_calloc(context, (size_t)total + 1, sizeof **item);
    if (!*ptr || !*item)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < total; k++)
        (*ptr)[model->unknown[k] + 2]++;
    for (int i = 0; i < n; i++)
        (*ptr)[i + 2] += (*ptr)[i + 1];
    for (int e = 0; e < model->n_elements; e++)
        for (int k = model->first_unknown[e]; k < model->first_unknown[e + 1]; k++)
            (*item)[(*ptr)[model->unknown[k] + 1]++] = e;
    return PHX_OK;
}

/* Columns of row i, each once, in any order; `seen` (n) holds the last row that met a column. Returns their number. */
static int columns_of(const phx_elastic_model *model, const int *ptr, const int *item, int i, int *seen, int *columns)
{
    int count = 0;

    seen[i] = i; /* the diagonal always */
    if (columns)
        columns[count] = i;
    count++;
    for (int k = ptr[i]; k < ptr[i + 1]; k++) {
        const int *unknown;
        const int n = unknowns_of(model, item[k], &unknown);
        for (int j = 0; j < n; j++) {
            if (seen[unknown[j]] == i)
                continue;
            seen[unknown[j]] = i;
            if (columns)
                columns[count] = unknown[j];
            count++;
        }
    }
    return count;
}

/* Rows of a symmetric pattern in ascending order: its transpose, taken row after row. */
static void sort_symmetric(int n, const int *ptr, const int *idx, int *next, int *sorted)
{
    memcpy(next, ptr, (size_t)n * sizeof *next);
    for (int i = 0; i < n; i++)
        for (int e = ptr[i]; e < ptr[i + 1]; e++)
            sorted[next[idx[e]]++] = i;
}

static phx_status make_pattern(phx_context *context, const phx_elastic_model *model, phx_csr *pattern)
{
    const int n = model->n;
    int *ptr = NULL, *item = NULL, *unsorted = NULL, *seen = phx_calloc(context, (size_t)n + 1, sizeof *seen);
    phx_status status = seen ? elements_of_unknowns(context, model, &ptr, &item) : PHX_ERR_MEMORY;
    long total = 0;

    pattern->rows = pattern->cols = n;
    if (!status && !(pattern->ptr = phx_calloc(context, (size_t)n + 1, sizeof *pattern->ptr)))
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < n && !status; i++)
        seen[i] = -1;
    for (int i = 0; i < n && !status; i++) {
        total += columns_of(model, ptr, item, i, seen, NULL);
        if (total > INT_MAX)
            status =
                phx_fail(context, PHX_ERR_UNSUPPORTED, "more than %d entries in a matrix; use a coarser mesh", INT_MAX);
        pattern->ptr[i + 1] = (int)total;
    }
    if (!status) {
        unsorted = phx_calloc(context, (size_t)total + 1, sizeof *unsorted);
        pattern->idx = phx_calloc(context, (size_t)total + 1, sizeof *pattern->idx);
        pattern->val = phx_calloc(context, (size_t)total + 1, sizeof *pattern->val);
        status = unsorted && pattern->idx && pattern->val ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int i = 0; i < n && !status; i++)
        seen[i] = -1;
    for (int i = 0; i < n && !status; i++)
        columns_of(model, ptr, item, i, seen, unsorted + pattern->ptr[i]);
    if (!status)
        sort_symmetric(n, pattern->ptr, unsorted, seen, pattern->idx);
    phx_free(ptr);
    phx_free(item);
    phx_free(unsorted);
    phx_free(seen);
    if (status)
        phx_csr_free(pattern);
    return status;
}

/* ---- values ---- */
/* place[j]: where column unknown[j] of the row stands. `where` (n) is scratch. */
static void places_of_row(const phx_csr *matrix, int row, int n, const int *unknown, int *where, int *place)
{
    for (int e = matrix->ptr[row]; e < matrix->ptr[row + 1]; e++)
        where[matrix->idx[e]] = e;
    for (int j = 0; j < n; j++)
        place[j] = where[unknown[j]];
}

/* Ke += Y^T Y, its upper triangle. */
static void add_square(int rows, int n, const double *Y, double *Ke)
{
    for (int g = 0; g < rows; g++) {
        const double *y = Y + (size_t)g * (size_t)n;
        for (int i = 0; i < n; i++) {
            double *row = Ke + (size_t)i * (size_t)n;
            const double yi = y[i];
            if (yi == 0.0)
                continue;
            for (int j = i; j < n; j++)
                row[j] += yi * y[j];
        }
    }
}

static void scatter(phx_elastic_model *model, int e, const double *M, const double *K, int *where, int *place)
{
    const int *unknown, n = unknowns_of(model, e, &unknown);

    for (int i = 0; i < n; i++) {
        places_of_row(&model->K, unknown[i], n, unknown, where, place);
        for (int j = 0; j < n; j++) {
            model->K.val[place[j]] += j >= i ? K[i * n + j] : K[j * n + i];
            model->M.val[place[j]] += M[i * n + j];
        }
    }
}

/* Without the zeros off the diagonal: the mass of a solid couples equal components only, a lumped one nothing, and the
 * plane of a plate need not be stiff. */
static void drop_zeros(phx_context *context, phx_csr *matrix)
{
    int used = 0;

    for (int i = 0, first = 0; i < matrix->rows; i++) {
        const int end = matrix->ptr[i + 1];
        for (int e = first; e < end; e++) {
            if (matrix->val[e] == 0.0 && matrix->idx[e] != i)
                continue;
            matrix->idx[used] = matrix->idx[e];
            matrix->val[used++] = matrix->val[e];
        }
        first = end;
        matrix->ptr[i + 1] = used;
    }
    int *idx = phx_realloc(context, matrix->idx, (size_t)used + 1, sizeof *idx);
    matrix->idx = idx ? idx : matrix->idx;
    double *val = phx_realloc(context, matrix->val, (size_t)used + 1, sizeof *val);
    matrix->val = val ? val : matrix->val;
}

phx_status phx_elastic_assemble(phx_context *context, phx_elastic_model *model)
{
    const size_t most = (size_t)model->most_unknowns;
    phx_element_matrices matrices;
    void *room = NULL;
    int *where = phx_calloc(context, (size_t)model->n + 1, sizeof *where);
    int *place = phx_calloc(context, most + 1, sizeof *place);
    double *Ke = phx_calloc(context, most * most + 1, sizeof *Ke);
    phx_status status =
        where && place && Ke ? phx_elastic_element_room(context, model, &matrices, &room) : PHX_ERR_MEMORY;

    phx_csr_free(&model->K);
    phx_csr_free(&model->M);
    if (!status)
        status = make_pattern(context, model, &model->K);
    if (!status)
        status = phx_csr_copy(context, &model->K, &model->M);
    for (int e = 0; e < model->n_elements && !status; e++) {
        model->ops->element(model, e, &matrices);
        memset(Ke, 0, (size_t)matrices.n_unknowns * (size_t)matrices.n_unknowns * sizeof *Ke);
        status = make_root(context, &matrices, e);
        if (status)
            break;
        add_square(matrices.n_stresses, matrices.n_unknowns, matrices.D, Ke);
        scatter(model, e, matrices.M, Ke, where, place);
    }
    if (!status) {
        drop_zeros(context, &model->M);
        drop_zeros(context, &model->K);
    }
    phx_free(room);
    phx_free(where);
    phx_free(place);
    phx_free(Ke);
    return status;
}

/* ---- D, M2 and L2^-1 D as sparse matrices ---- */
/* Rows of all stresses, each with the unknowns of its element: arrays of so many entries. */
static phx_status allocate_rows(phx_context *context, const phx_elastic_model *model, bool square, phx_csr *matrix)
{
    const int rows = model->first_stress[model->n_elements];
    size_t total = 0;

    matrix->rows = rows;
    matrix->cols = square ? rows : model->n;
    matrix->ptr = phx_calloc(context, (size_t)rows + 1, sizeof *matrix->ptr);
    for (int e = 0; e < model->n_elements; e++) {
        const int *unknown;
        const size_t s = (size_t)(model->first_stress[e + 1] - model->first_stress[e]);
        total += s * (size_t)(square ? model->most_block : unknowns_of(model, e, &unknown));
    }
    if (total > INT_MAX)
        return phx_fail(context, PHX_ERR_UNSUPPORTED, "more than %d entries in a matrix; use a coarser mesh", INT_MAX);
    matrix->idx = phx_calloc(context, total + 1, sizeof *matrix->idx);
    matrix->val = phx_calloc(context, total + 1, sizeof *matrix->val);
    return matrix->ptr && matrix->idx && matrix->val ? PHX_OK : PHX_ERR_MEMORY;
}

/* Columns ascending: order[k] is the place of the k-th. Short lists. */
static void sort_places(int n, const int *column, int *order)
{
    for (int k = 0; k < n; k++) {
        int at = k;
        for (; at > 0 && column[order[at - 1]] > column[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

static void put_rows(const phx_elastic_model *model, int e, const phx_element_matrices *matrices, int *order,
                     phx_csr *D)
{
    const int *unknown, n = unknowns_of(model, e, &unknown);

    sort_places(n, unknown, order);
    for (int r = 0; r < matrices->n_stresses; r++) {
        const int row = model->first_stress[e] + r;
        int at = D->ptr[row];
        for (int k = 0; k < n; k++, at++) {
            D->idx[at] = unknown[order[k]];
            D->val[at] = matrices->D[(size_t)r * (size_t)n + (size_t)order[k]];
        }
        D->ptr[row + 1] = at;
    }
}

static void put_blocks(const phx_elastic_model *model, int e, const phx_element_matrices *matrices, phx_csr *compliance)
{
    const int b = matrices->block;

    for (int r = 0; r < matrices->n_stresses; r++) {
        const int row = model->first_stress[e] + r;
        int at = compliance->ptr[row];
        for (int k = 0; k < b; k++, at++) {
            compliance->idx[at] = row - r % b + k;
            compliance->val[at] = matrices->compliance[r * b + k];
        }
        compliance->ptr[row + 1] = at;
    }
}

phx_status phx_elastic_mixed(phx_context *context, const phx_elastic_model *model, phx_csr *D, phx_csr *compliance,
                             phx_csr *root)
{
    phx_element_matrices matrices;
    void *room = NULL;
    int *order = phx_calloc(context, (size_t)model->most_unknowns + 1, sizeof *order);
    phx_status status = order ? phx_elastic_element_room(context, model, &matrices, &room) : PHX_ERR_MEMORY;

    if (D && !status)
        status = allocate_rows(context, model, false, D);
    if (root && !status)
        status = allocate_rows(context, model, false, root);
    if (compliance && !status)
        status = allocate_rows(context, model, true, compliance);
    for (int e = 0; e < model->n_elements && !status; e++) {
        model->ops->element(model, e, &matrices);
        if (D)
            put_rows(model, e, &matrices, order, D);
        if (compliance)
            put_blocks(model, e, &matrices, compliance);
        if (root) {
            status = make_root(context, &matrices, e);
            put_rows(model, e, &matrices, order, root);
        }
    }
    phx_free(order);
    phx_free(room);
    if (status) {
        phx_csr_free(D);
        phx_csr_free(compliance);
        phx_csr_free(root);
    }
    return status;
}
