/* M, K, D and M2 of an elastic model from the matrices of its elements,
 *
 *     K_e = sum over the blocks b of D_b^T M2_b^-1 D_b = sum Y_b^T Y_b,   Y_b = L_b^-1 D_b,   M2_b = L_b L_b^T. */
#include "basis.h"

#include <limits.h>
#include <string.h>

/* Allocates the matrices of the largest element of a model in one block. */
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

/* ---- rows of M and K ---- */
/* Rows first .. end - 1 of T^T M T and T^T K T, u = T y. */
typedef struct assembly {
    const phx_elastic_model *model;
    const phx_csr *T; /* NULL: u = y */
    int n, first, end;
    /* Coordinates of each element that has one of these rows, each once; of the others none. Without T the lists are
     * the unknowns, those of the model. */
    int *begin, *coordinate;
    int most; /* of an element */
} assembly;

static void free_assembly(assembly *assembled)
{
    if (assembled->T) {
        phx_free(assembled->begin);
        phx_free(assembled->coordinate);
    }
}

/* Coordinates of element e by T, each once: their number, 0 where none is of a row; `seen` (n) has `mark` at those met.
 * list: NULL or room. */
static int coordinates_of(const assembly *assembled, int e, int mark, int *seen, int *list)
{
    const int *unknown, n = unknowns_of(assembled->model, e, &unknown);
    bool wanted = false;
    int count = 0;

    for (int k = 0; k < n; k++)
        for (int p = assembled->T->ptr[unknown[k]]; p < assembled->T->ptr[unknown[k] + 1]; p++) {
            const int c = assembled->T->idx[p];
            if (seen[c] == mark)
                continue;
            seen[c] = mark;
            if (list)
                list[count] = c;
            count++;
            wanted = wanted || (c >= assembled->first && c < assembled->end);
        }
    return wanted ? count : 0;
}

/* Lists for every element the coordinates it contributes to; without T these are the unknowns of the model, which are
 * borrowed. */
static phx_status list_coordinates(phx_context *context, assembly *assembled)
{
    const phx_elastic_model *model = assembled->model;

    if (!assembled->T) {
        assembled->begin = model->first_unknown;
        assembled->coordinate = model->unknown;
        assembled->most = model->most_unknowns;
        return PHX_OK;
    }
    int *seen = phx_calloc(context, (size_t)assembled->n + 1, sizeof *seen);
    assembled->begin = phx_calloc(context, (size_t)model->n_elements + 1, sizeof *assembled->begin);
    if (!seen || !assembled->begin) {
        phx_free(seen);
        return PHX_ERR_MEMORY;
    }
    for (int e = 0; e < model->n_elements; e++) {
        const int count = coordinates_of(assembled, e, e + 1, seen, NULL);
        assembled->begin[e + 1] = assembled->begin[e] + count;
        assembled->most = count > assembled->most ? count : assembled->most;
    }
    assembled->coordinate =
        phx_calloc(context, (size_t)assembled->begin[model->n_elements] + 1, sizeof *assembled->coordinate);
    for (int e = 0; e < model->n_elements && assembled->coordinate; e++)
        if (assembled->begin[e + 1] > assembled->begin[e])
            coordinates_of(assembled, e, -e - 1, seen, assembled->coordinate + assembled->begin[e]);
    phx_free(seen);
    return assembled->coordinate ? PHX_OK : PHX_ERR_MEMORY;
}

/* Elements of each coordinate: those of i are item[ptr[i]] ... */
static phx_status elements_of_coordinates(phx_context *context, const assembly *assembled, int **ptr, int **item)
{
    const int n = assembled->n, n_elements = assembled->model->n_elements, total = assembled->begin[n_elements];

    *ptr = phx_calloc(context, (size_t)n + 2, sizeof **ptr);
    *item = phx_calloc(context, (size_t)total + 1, sizeof **item);
    if (!*ptr || !*item)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < total; k++)
        (*ptr)[assembled->coordinate[k] + 2]++;
    for (int i = 0; i < n; i++)
        (*ptr)[i + 2] += (*ptr)[i + 1];
    for (int e = 0; e < n_elements; e++)
        for (int k = assembled->begin[e]; k < assembled->begin[e + 1]; k++)
            (*item)[(*ptr)[assembled->coordinate[k] + 1]++] = e;
    return PHX_OK;
}

/* Rows that have an entry in column c, each once: counted in next[row], or c written to idx[next[row]++]. The pattern
 * is symmetric; `seen` has the last column that a row met. The diagonal is always there. */
static void assemble_put_column(const assembly *assembled, const int *ptr, const int *item, int c, int *seen, int *next,
                                int *idx)
{
    for (int k = ptr[c] - 1; k < ptr[c + 1]; k++) {
        const int own[1] = {c};
        const int *list = k < ptr[c] ? own : assembled->coordinate + assembled->begin[item[k]];
        const int count = k < ptr[c] ? 1 : assembled->begin[item[k] + 1] - assembled->begin[item[k]];
        for (int j = 0; j < count; j++) {
            const int row = list[j] - assembled->first;
            if (row < 0 || list[j] >= assembled->end || seen[row] == c)
                continue;
            seen[row] = c;
            if (idx)
                idx[next[row]] = c;
            next[row]++;
        }
    }
}

/* Columns in ascending order: column by column. */
static phx_status assemble_make_pattern(phx_context *context, const assembly *assembled, phx_csr *pattern)
{
    const int rows = assembled->end - assembled->first;
    int *ptr = NULL, *item = NULL, *seen = phx_calloc(context, (size_t)rows + 1, sizeof *seen);
    int *next = phx_calloc(context, (size_t)rows + 1, sizeof *next);
    phx_status status = seen && next ? elements_of_coordinates(context, assembled, &ptr, &item) : PHX_ERR_MEMORY;
    long total = 0;

    pattern->rows = rows;
    pattern->cols = assembled->n;
    if (!status && !(pattern->ptr = phx_calloc(context, (size_t)rows + 1, sizeof *pattern->ptr)))
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < rows && !status; i++)
        seen[i] = -1;
    for (int c = 0; c < assembled->n && !status; c++)
        assemble_put_column(assembled, ptr, item, c, seen, next, NULL);
    for (int i = 0; i < rows && !status; i++) {
        total += next[i];
        if (total > INT_MAX)
            status =
                phx_fail(context, PHX_ERR_UNSUPPORTED, "more than %d entries in a matrix; use a coarser mesh", INT_MAX);
        pattern->ptr[i + 1] = (int)total;
    }
    if (!status) {
        pattern->idx = phx_calloc(context, (size_t)total + 1, sizeof *pattern->idx);
        pattern->val = phx_calloc(context, (size_t)total + 1, sizeof *pattern->val);
        status = pattern->idx && pattern->val ? PHX_OK : PHX_ERR_MEMORY;
    }
    for (int i = 0; i < rows && !status; i++) {
        seen[i] = -1;
        next[i] = pattern->ptr[i];
    }
    for (int c = 0; c < assembled->n && !status; c++)
        assemble_put_column(assembled, ptr, item, c, seen, next, pattern->idx);
    phx_free(ptr);
    phx_free(item);
    phx_free(next);
    phx_free(seen);
    if (status)
        phx_csr_free(pattern);
    return status;
}

/* ---- values ---- */
/* place[j]: where column column[j] of the row stands. `where` (n) is scratch. */
static void places_of_row(const phx_csr *matrix, int row, int n, const int *column, int *where, int *place)
{
    for (int e = matrix->ptr[row]; e < matrix->ptr[row + 1]; e++)
        where[matrix->idx[e]] = e;
    for (int j = 0; j < n; j++)
        place[j] = where[column[j]];
}

/* Ke += Y^T Y, its upper triangle; then the lower one. */
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
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            Ke[i * n + j] = Ke[j * n + i];
}

/* The matrices of an element, and what is needed on the way. */
typedef struct element_work {
    phx_element_matrices matrices;
    void *room;
    double *K;          /* unknowns x unknowns */
    double *M_y, *K_y;  /* coordinates x coordinates, with T */
    int *place, *where; /* `most`; n */
} element_work;

static phx_status make_work(phx_context *context, const assembly *assembled, element_work *work)
{
    const size_t unknowns = (size_t)assembled->model->most_unknowns, most = (size_t)assembled->most;
    const size_t square = assembled->T ? most * most : 0;

    work->K = phx_calloc(context, unknowns * unknowns + 1, sizeof *work->K);
    work->M_y = phx_calloc(context, square + 1, sizeof *work->M_y);
    work->K_y = phx_calloc(context, square + 1, sizeof *work->K_y);
    work->place = phx_calloc(context, most + 1, sizeof *work->place);
    work->where = phx_calloc(context, (size_t)assembled->n + 1, sizeof *work->where);
    return work->K && work->M_y && work->K_y && work->place && work->where
               ? phx_elastic_element_room(context, assembled->model, &work->matrices, &work->room)
               : PHX_ERR_MEMORY;
}

static void free_work(element_work *work)
{
    phx_free(work->room);
    phx_free(work->K);
    phx_free(work->M_y);
    phx_free(work->K_y);
    phx_free(work->place);
    phx_free(work->where);
}

/* M_y = T^T M T and K_y = T^T K T of element e. */
static void to_coordinates(const assembly *assembled, int e, element_work *work)
{
    const phx_csr *T = assembled->T;
    const int *unknown, n = unknowns_of(assembled->model, e, &unknown);
    const int *list = assembled->coordinate + assembled->begin[e],
              count = assembled->begin[e + 1] - assembled->begin[e];

    for (int k = 0; k < count; k++)
        work->where[list[k]] = k;
    memset(work->M_y, 0, (size_t)count * (size_t)count * sizeof *work->M_y);
    memset(work->K_y, 0, (size_t)count * (size_t)count * sizeof *work->K_y);
    for (int i = 0; i < n; i++)
        for (int p = T->ptr[unknown[i]]; p < T->ptr[unknown[i] + 1]; p++)
            for (int j = 0; j < n; j++)
                for (int q = T->ptr[unknown[j]]; q < T->ptr[unknown[j] + 1]; q++) {
                    const int at = work->where[T->idx[p]] * count + work->where[T->idx[q]];
                    const double factor = T->val[p] * T->val[q];
                    work->M_y[at] += factor * work->matrices.M[i * n + j];
                    work->K_y[at] += factor * work->K[i * n + j];
                }
}

/* Adds the matrices of element e to the rows that this process assembles. */
static void scatter(const assembly *assembled, int e, const double *Me, const double *Ke, element_work *work,
                    phx_csr *M, phx_csr *K)
{
    const int *list = assembled->coordinate + assembled->begin[e],
              count = assembled->begin[e + 1] - assembled->begin[e];

    for (int i = 0; i < count; i++) {
        if (list[i] < assembled->first || list[i] >= assembled->end)
            continue;
        places_of_row(M, list[i] - assembled->first, count, list, work->where, work->place);
        for (int j = 0; j < count; j++) {
            M->val[work->place[j]] += Me[i * count + j];
            if (K)
                K->val[work->place[j]] += Ke[i * count + j];
        }
    }
}

/* Adds the matrices of all elements to M and, if not NULL, K; PHX_SINGULAR for an element whose M2 is not positive
 * definite. */
static phx_status add_elements(phx_context *context, const assembly *assembled, phx_csr *M, phx_csr *K)
{
    element_work work = {.room = NULL};
    phx_element_matrices *matrices = &work.matrices;
    phx_status status = make_work(context, assembled, &work);

    for (int e = 0; e < assembled->model->n_elements && !status; e++) {
        if (assembled->begin[e + 1] == assembled->begin[e])
            continue;
        assembled->model->ops->element(assembled->model, e, matrices);
        memset(work.K, 0, (size_t)matrices->n_unknowns * (size_t)matrices->n_unknowns * sizeof *work.K);
        if (K)
            status = make_root(context, matrices, e);
        if (status)
            break;
        if (K)
            add_square(matrices->n_stresses, matrices->n_unknowns, matrices->D, work.K);
        if (assembled->T)
            to_coordinates(assembled, e, &work);
        scatter(assembled, e, assembled->T ? work.M_y : matrices->M, assembled->T ? work.K_y : work.K, &work, M, K);
    }
    free_work(&work);
    return status;
}

/* Without the zeros off the diagonal: the mass of a solid couples equal components only, a lumped one nothing, and the
 * plane of a plate need not be stiff. */
static void drop_zeros(phx_context *context, int first_row, phx_csr *matrix)
{
    int used = 0;

    for (int i = 0, first = 0; i < matrix->rows; i++) {
        const int end = matrix->ptr[i + 1];
        for (int e = first; e < end; e++) {
            if (matrix->val[e] == 0.0 && matrix->idx[e] != first_row + i)
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

/* Assembles rows first to end - 1 of T^T M T and T^T K T (T NULL: the identity; K may be NULL) without entries that are
 * zero. */
phx_status elastic_assemble_rows(phx_context *context, const phx_elastic_model *model, const phx_csr *T, int first,
                                 int end, phx_csr *M, phx_csr *K)
{
    assembly assembled = {.model = model, .T = T, .n = T ? T->cols : model->n, .first = first, .end = end};
    phx_status status = list_coordinates(context, &assembled);

    if (!status)
        status = assemble_make_pattern(context, &assembled, M);
    if (!status && K)
        status = phx_csr_copy(context, M, K);
    if (!status)
        status = add_elements(context, &assembled, M, K);
    free_assembly(&assembled);
    if (!status)
        drop_zeros(context, first, M);
    if (!status && K)
        drop_zeros(context, first, K);
    return status;
}

phx_status phx_elastic_assemble(phx_context *context, phx_elastic_model *model)
{
    phx_csr_free(&model->K);
    phx_csr_free(&model->M);
    if (phx_context_ranks(context))
        return PHX_OK;
    return elastic_assemble_rows(context, model, NULL, 0, model->n, &model->M, &model->K);
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

/* Writes the rows of element e to D with sorted columns. */
static void assemble_put_rows(const phx_elastic_model *model, int e, const phx_element_matrices *matrices, int *order,
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

/* Assembles the strain operator D, the compliance M2 and the root L2^-1 D of a model with elements; each output may be
 * NULL. */
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
            assemble_put_rows(model, e, &matrices, order, D);
        if (compliance)
            put_blocks(model, e, &matrices, compliance);
        if (root) {
            status = make_root(context, &matrices, e);
            assemble_put_rows(model, e, &matrices, order, root);
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
