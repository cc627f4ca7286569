/* Dependent columns of a sparse matrix by orthogonal elimination, the columns in their order.
 *
 * Step k gathers the rows that begin in column k, with all columns that they touch, in a dense front. A Householder
 * reflection leaves an entry of column k in its first row only. This row belongs to R and is done with; the others are
 * a front of the step of their next column:
 *
 *     x x . x        X x x x
 *     x . x x   ->   . x x x
 *     x x x .        . x x x
 *
 * Where column k of the front, the part of it that is orthogonal to the columns before, is not longer than the
 * tolerance, the column depends on those before: it is left out and all rows are passed on (M. T. Heath, Some
 * extensions of an algorithm for sparse linear least squares problems, SIAM J. Sci. Stat. Comput. 3, 1982). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "internal.h"

/* Rows that begin in the same column; R of them where there are far more rows than columns. */
typedef struct front {
    struct front *next;
    int rows, cols, stride;
    int *col;       /* ascending, cols */
    double *val;    /* rows x cols by columns, `stride` apart */
    double space[]; /* of col and val */
} front;

typedef struct elimination {
    phx_context *context;
    int n;
    front **first;      /* per column: the fronts that begin in it, n */
    int *place;         /* per column: its place in the front that is gathered, -1 elsewhere, n */
    int *columns;       /* of the front that is gathered, n */
    double *tau, *work; /* n each */
} elimination;

static front *front_create(phx_context *context, int rows, int cols)
{
    const size_t entries = (size_t)rows * (size_t)cols;
    front *f = phx_calloc(context, sizeof(front) / sizeof(double) + entries + (size_t)cols, sizeof(double));
    if (f) {
        f->rows = f->stride = rows;
        f->cols = cols;
        f->val = f->space;
        f->col = (int *)(f->space + entries);
    }
    return f;
}

/* Hand a front to the step of its first column; one without rows or columns has nothing more to say. */
static void pass_on(elimination *e, front *f)
{
    if (f->rows == 0 || f->cols == 0) {
        phx_free(f);
        return;
    }
    f->next = e->first[f->col[0]];
    e->first[f->col[0]] = f;
}

/* Prepares the elimination: each row of the matrix becomes a front of one row at its first column. */
static phx_status dependent_begin(elimination *e, const phx_csr *a)
{
    const size_t n = (size_t)a->cols;
    e->n = a->cols;
    e->first = phx_calloc(e->context, n, sizeof(front *));
    e->place = phx_calloc(e->context, n, sizeof *e->place);
    e->columns = phx_calloc(e->context, n, sizeof *e->columns);
    e->tau = phx_calloc(e->context, n, sizeof *e->tau);
    e->work = phx_calloc(e->context, n, sizeof *e->work);
    if (!e->first || !e->place || !e->columns || !e->tau || !e->work)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < e->n; k++)
        e->place[k] = -1;
    for (int i = 0; i < a->rows; i++) {
        const int from = a->ptr[i], cols = a->ptr[i + 1] - from;
        front *row = front_create(e->context, 1, cols);
        if (!row)
            return PHX_ERR_MEMORY;
        for (int k = 0; k < cols; k++) {
            row->col[k] = a->idx[from + k];
            row->val[k] = a->val[from + k];
        }
        pass_on(e, row);
    }
    return PHX_OK;
}

static void dependent_end(elimination *e)
{
    for (int k = 0; e->first && k < e->n; k++) {
        for (front *f = e->first[k], *next; f; f = next) {
            next = f->next;
            phx_free(f);
        }
    }
    phx_free(e->first);
    phx_free(e->place);
    phx_free(e->columns);
    phx_free(e->tau);
    phx_free(e->work);
}

static int compare_columns(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The columns that a list of fronts touches, ascending, with e->place of each; returns their number. `columns` has room
 * for e->n. */
static int touched_columns(elimination *e, const front *list, int *columns)
{
    int count = 0;
    for (const front *f = list; f; f = f->next) {
        for (int j = 0; j < f->cols; j++) {
            if (e->place[f->col[j]] < 0)
                columns[count++] = f->col[j];
            e->place[f->col[j]] = 0;
        }
    }
    qsort(columns, (size_t)count, sizeof *columns, compare_columns);
    for (int j = 0; j < count; j++)
        e->place[columns[j]] = j;
    return count;
}

/* The fronts of a list below each other in one front. */
static phx_status dependent_gather(elimination *e, front *list, front **gathered)
{
    int rows = 0, at = 0;
    for (const front *f = list; f; f = f->next)
        rows += f->rows;
    const int cols = touched_columns(e, list, e->columns);
    front *all = front_create(e->context, rows, cols);
    for (front *f = list, *next; f; f = next) {
        next = f->next;
        for (int j = 0; j < f->cols && all; j++)
            memcpy(all->val + (size_t)e->place[f->col[j]] * (size_t)rows + at, f->val + (size_t)j * (size_t)f->stride,
                   (size_t)f->rows * sizeof(double));
        at += f->rows;
        phx_free(f);
    }
    for (int j = 0; j < cols; j++) {
        if (all)
            all->col[j] = e->columns[j];
        e->place[e->columns[j]] = -1;
    }
    *gathered = all;
    return all ? PHX_OK : PHX_ERR_MEMORY;
}

/* Only R of a front of far more rows than columns. */
static phx_status shorten(elimination *e, front *f)
{
    if (f->rows <= 2 * f->cols)
        return PHX_OK;
    const int info = LAPACKE_dgeqr2_work(LAPACK_COL_MAJOR, f->rows, f->cols, f->val, f->stride, e->tau, e->work);
    if (info)
        return phx_fail_lapack(e->context, "dgeqr2", info);
    f->rows = f->cols;
    for (int j = 0; j < f->cols; j++)
        memset(f->val + (size_t)j * (size_t)f->stride + j + 1, 0, (size_t)(f->rows - j - 1) * sizeof(double));
    return PHX_OK;
}

/* Clear the first column of a front below its first row, which is taken out. */
static phx_status reflect(elimination *e, front *f)
{
    double *v = f->val, tau = 0.0;
    int info = LAPACKE_dlarfg_work(f->rows, v, v + 1, 1, &tau);
    v[0] = 1.0;
    if (!info && f->cols > 1)
        info =
            LAPACKE_dlarfx_work(LAPACK_COL_MAJOR, 'L', f->rows, f->cols - 1, v, tau, v + f->stride, f->stride, e->work);
    f->val++;
    f->rows--;
    return info ? phx_fail_lapack(e->context, "dlarfx", info) : PHX_OK;
}

/* The step of column k: does the column depend on those before it? */
static phx_status step(elimination *e, int k, double tolerance, bool *depends)
{
    front *f = NULL;
    *depends = true;
    if (!e->first[k])
        return PHX_OK;
    phx_status status = dependent_gather(e, e->first[k], &f);
    e->first[k] = NULL;
    if (!status)
        status = shorten(e, f);
    if (!status) {
        *depends = !(cblas_dnrm2(f->rows, f->val, 1) > tolerance);
        if (!*depends)
            status = reflect(e, f);
    }
    if (status) {
        phx_free(f);
        return status;
    }
    f->col++;
    f->cols--;
    f->val += f->stride;
    pass_on(e, f);
    return PHX_OK;
}

static double largest_column_norm(elimination *e, const phx_csr *a)
{
    double largest = 0.0;
    for (int k = 0; k < a->ptr[a->rows]; k++)
        e->work[a->idx[k]] = hypot(e->work[a->idx[k]], a->val[k]);
    for (int j = 0; j < a->cols; j++)
        largest = fmax(largest, e->work[j]);
    return largest;
}

/* Lists the columns of a sparse matrix that depend on those before them, with distances below rtol times the largest
 * column norm. */
phx_status phx_csr_dependent_columns(phx_context *context, const phx_csr *a, double rtol, int *rank, int *dependent,
                                     int *n_dependent)
{
    if (!a || !a->ptr || !rank || !dependent || !n_dependent)
        return phx_fail_null(context, __func__, "a, its ptr, rank, dependent or n_dependent");
    if (!(rtol >= 0.0) || isinf(rtol))
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_csr_dependent_columns: rtol %g; it must be >= 0", rtol);
    size_t entries = (size_t)a->ptr[a->rows], bad = phx_first_not_finite(entries, a->val);
    if (bad < entries)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_csr_dependent_columns: value %zu of the matrix is %g", bad,
                        a->val[bad]);
    elimination e = {.context = context};
    phx_status status = dependent_begin(&e, a);
    const double tolerance = status ? 0.0 : rtol * largest_column_norm(&e, a);
    int count = 0;
    for (int k = 0; k < a->cols && !status; k++) {
        bool depends = false;
        status = step(&e, k, tolerance, &depends);
        if (depends)
            dependent[count++] = k;
    }
    dependent_end(&e);
    if (status)
        return status;
    *rank = a->cols - count;
    *n_dependent = count;
    return PHX_OK;
}
