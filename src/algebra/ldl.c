/* L D L^T of symmetric matrices whose leading blocks are regular, row by row without pivoting:
 *
 *     w_k = A_ik - sum_{j<k} L_kj w_j ,   L_ik = w_k / D_k ,   D_i = A_ii - sum_k L_ik w_k
 *
 * The columns of row i are those of A and, for each, its ancestors in the elimination tree. */
#include <math.h>
#include <string.h>

#include "internal.h"

struct phx_ldl {
    phx_context *context;
    int n;
    int *ptr, *idx; /* L below its diagonal by rows */
    double *val;
    double *inverse;                            /* of D */
    int *column_ptr, *column_idx, *column_from; /* the same by columns, and which entry of the rows each is */
    double *column_val;
    int *a_ptr, *a_idx;
    double *w; /* n: a row of L D */
};

/* Columns of L in row i: walks up the tree from those of A; `mark` keeps them apart. Returns their number. */
static int reach(const phx_ldl *ldl, int i, int *parent, int *mark, int *list)
{
    int count = 0;

    mark[i] = i;
    for (int e = ldl->a_ptr[i]; e < ldl->a_ptr[i + 1]; e++)
        for (int k = ldl->a_idx[e]; k < i && mark[k] != i; k = parent[k]) {
            if (parent[k] < 0)
                parent[k] = i;
            mark[k] = i;
            list[count++] = k;
        }
    return count;
}

/* The pattern of L, counted first. */
static phx_status ldl_make_pattern(phx_ldl *ldl)
{
    const size_t n = (size_t)ldl->n;
    int *parent = phx_calloc(ldl->context, 3 * n, sizeof *parent), *mark, *list;
    phx_status status = parent ? PHX_OK : PHX_ERR_MEMORY;

    for (int pass = 0; pass < 2 && !status; pass++) {
        mark = parent + n;
        list = mark + n;
        for (int i = 0; i < ldl->n; i++)
            parent[i] = mark[i] = -1;
        for (int i = 0; i < ldl->n; i++) {
            const int count = reach(ldl, i, parent, mark, list);
            ldl->ptr[i + 1] = ldl->ptr[i] + count;
            if (pass == 0)
                continue;
            phx_int_sort(count, list);
            memcpy(ldl->idx + ldl->ptr[i], list, (size_t)count * sizeof *list);
        }
        if (pass == 0) {
            ldl->idx = phx_calloc(ldl->context, (size_t)ldl->ptr[n], sizeof *ldl->idx);
            ldl->val = phx_calloc(ldl->context, (size_t)ldl->ptr[n], sizeof *ldl->val);
            status = ldl->idx && ldl->val ? PHX_OK : PHX_ERR_MEMORY;
        }
    }
    phx_free(parent);
    return status;
}

/* By columns, the nearest row last: its unknown is the last one found. */
static phx_status make_columns(phx_ldl *ldl)
{
    const int n = ldl->n, count = ldl->ptr[n];

    ldl->column_ptr = phx_calloc(ldl->context, (size_t)n + 1, sizeof *ldl->column_ptr);
    ldl->column_idx = phx_calloc(ldl->context, (size_t)count, sizeof *ldl->column_idx);
    ldl->column_from = phx_calloc(ldl->context, (size_t)count, sizeof *ldl->column_from);
    ldl->column_val = phx_calloc(ldl->context, (size_t)count, sizeof *ldl->column_val);
    if (!ldl->column_ptr || !ldl->column_idx || !ldl->column_from || !ldl->column_val)
        return PHX_ERR_MEMORY;
    for (int e = 0; e < count; e++)
        ldl->column_ptr[ldl->idx[e]]++;
    for (int k = 1; k <= n; k++) /* the ends of the columns */
        ldl->column_ptr[k] += ldl->column_ptr[k - 1];
    for (int i = 0; i < n; i++)
        for (int e = ldl->ptr[i]; e < ldl->ptr[i + 1]; e++) {
            const int at = --ldl->column_ptr[ldl->idx[e]];
            ldl->column_idx[at] = i;
            ldl->column_from[at] = e;
        }
    return PHX_OK;
}

/* Symbolic factorisation of a symmetric matrix in its given order; only the lower triangle of the pattern is used. */
phx_status phx_ldl_create(phx_context *context, int n, const int *ptr, const int *idx, phx_ldl **out)
{
    if (!out || (n > 0 && (!ptr || !idx)))
        return phx_fail_null(context, __func__, "ptr, idx or ldl");
    phx_ldl *ldl = phx_calloc(context, 1, sizeof *ldl);
    phx_status status = ldl ? PHX_OK : PHX_ERR_MEMORY;

    *out = NULL;
    if (status)
        return status;
    ldl->context = context;
    ldl->n = n;
    ldl->ptr = phx_calloc(context, (size_t)n + 1, sizeof *ldl->ptr);
    ldl->a_ptr = phx_calloc(context, (size_t)n + 1, sizeof *ldl->a_ptr);
    ldl->a_idx = phx_calloc(context, (size_t)ptr[n], sizeof *ldl->a_idx);
    ldl->inverse = phx_calloc(context, (size_t)n, sizeof *ldl->inverse);
    ldl->w = phx_calloc(context, (size_t)n, sizeof *ldl->w);
    if (!ldl->ptr || !ldl->a_ptr || !ldl->a_idx || !ldl->inverse || !ldl->w)
        status = PHX_ERR_MEMORY;
    if (!status) {
        memcpy(ldl->a_ptr, ptr, ((size_t)n + 1) * sizeof *ptr);
        memcpy(ldl->a_idx, idx, (size_t)ptr[n] * sizeof *idx);
        status = ldl_make_pattern(ldl);
        if (!status)
            status = make_columns(ldl);
    }
    if (status)
        phx_ldl_destroy(ldl);
    else
        *out = ldl;
    return status;
}

/* Frees the factorisation; NULL is allowed. */
void phx_ldl_destroy(phx_ldl *ldl)
{
    if (!ldl)
        return;
    phx_free(ldl->ptr);
    phx_free(ldl->idx);
    phx_free(ldl->val);
    phx_free(ldl->inverse);
    phx_free(ldl->column_ptr);
    phx_free(ldl->column_idx);
    phx_free(ldl->column_from);
    phx_free(ldl->column_val);
    phx_free(ldl->a_ptr);
    phx_free(ldl->a_idx);
    phx_free(ldl->w);
    phx_free(ldl);
}

/* Numeric factorisation L D L^T without pivoting. PHX_SINGULAR if a pivot has lost its digits against the diagonal
 * entry; D may be indefinite. */
phx_status phx_ldl_factor(phx_ldl *ldl, const double *val)
{
    static const double LEAST_PIVOT = 1e-14; /* relative to the diagonal entry */

    if (!ldl || (ldl->n > 0 && !val))
        return phx_fail_null(ldl ? ldl->context : NULL, __func__, "ldl or val");
    double *w = ldl->w;

    memset(w, 0, (size_t)ldl->n * sizeof *w);
    for (int i = 0; i < ldl->n; i++) {
        const int first = ldl->ptr[i], last = ldl->ptr[i + 1];
        double pivot = 0.0, size = 0.0;
        for (int e = ldl->a_ptr[i]; e < ldl->a_ptr[i + 1]; e++) {
            if (ldl->a_idx[e] < i)
                w[ldl->a_idx[e]] = val[e];
            else if (ldl->a_idx[e] == i)
                pivot = val[e];
        }
        size = fabs(pivot);
        for (int e = first; e < last; e++) {
            const int k = ldl->idx[e];
            for (int f = ldl->ptr[k]; f < ldl->ptr[k + 1]; f++)
                w[k] -= ldl->val[f] * w[ldl->idx[f]];
            ldl->val[e] = w[k] * ldl->inverse[k];
            pivot -= ldl->val[e] * w[k];
        }
        for (int e = first; e < last; e++)
            w[ldl->idx[e]] = 0.0;
        if (!(fabs(pivot) > LEAST_PIVOT * size) || !isfinite(pivot))
            return phx_fail(ldl->context, PHX_SINGULAR,
                            "the symmetric matrix of size %d has no L D L^T: pivot %d is %g where the diagonal is %g",
                            ldl->n, i + 1, pivot, size);
        ldl->inverse[i] = 1.0 / pivot;
    }
    for (int e = 0; e < ldl->ptr[ldl->n]; e++)
        ldl->column_val[e] = ldl->val[ldl->column_from[e]];
    return PHX_OK;
}

int phx_ldl_negative(const phx_ldl *ldl)
{
    int count = 0;

    for (int i = 0; i < ldl->n; i++)
        count += ldl->inverse[i] < 0.0;
    return count;
}

/* ---- solution ---- */
enum { MOST = 24 };

/* own -= sum of the factors times what stands at their places; nothing is read back that was just written. */
static inline void ldl_subtract(const int width, int first, int last, const int *idx, const double *val,
                                const double *x, double *restrict own)
{
    double sum[MOST];

    for (int c = 0; c < width; c++)
        sum[c] = own[c];
    for (int e = first; e < last; e++) {
        const double *other = x + (size_t)idx[e] * (size_t)width, l = val[e];
        for (int c = 0; c < width; c++)
            sum[c] -= l * other[c];
    }
    for (int c = 0; c < width; c++)
        own[c] = sum[c];
}

/* `width` <= MOST columns. */
static inline void ldl_solve(const phx_ldl *ldl, const int width, double *x)
{
    for (int i = 0; i < ldl->n; i++)
        ldl_subtract(width, ldl->ptr[i], ldl->ptr[i + 1], ldl->idx, ldl->val, x, x + (size_t)i * (size_t)width);
    for (int i = ldl->n; i-- > 0;) {
        double *own = x + (size_t)i * (size_t)width;
        for (int c = 0; c < width; c++)
            own[c] *= ldl->inverse[i];
        ldl_subtract(width, ldl->column_ptr[i], ldl->column_ptr[i + 1], ldl->column_idx, ldl->column_val, x, own);
    }
}

/* Any width, a column after the other. */
static void solve_any_width(const phx_ldl *ldl, int width, double *x)
{
    for (int c = 0; c < width; c++) {
        for (int i = 0; i < ldl->n; i++)
            for (int e = ldl->ptr[i]; e < ldl->ptr[i + 1]; e++)
                x[i * width + c] -= ldl->val[e] * x[ldl->idx[e] * width + c];
        for (int i = ldl->n; i-- > 0;) {
            x[i * width + c] *= ldl->inverse[i];
            for (int e = ldl->column_ptr[i]; e < ldl->column_ptr[i + 1]; e++)
                x[i * width + c] -= ldl->column_val[e] * x[ldl->column_idx[e] * width + c];
        }
    }
}

/* Solves for `width` right-hand sides side by side, x[i * width + k]; widths that matter are compiled with the number
 * known. */
void phx_ldl_solve(const phx_ldl *ldl, int width, double *x)
{
    switch (width) {
    case 1:
        ldl_solve(ldl, 1, x);
        break;
    case 3:
        ldl_solve(ldl, 3, x);
        break;
    case 4:
        ldl_solve(ldl, 4, x);
        break;
    case 8:
        ldl_solve(ldl, 8, x);
        break;
    case 12:
        ldl_solve(ldl, 12, x);
        break;
    case 24:
        ldl_solve(ldl, 24, x);
        break;
    default:
        solve_any_width(ldl, width, x);
    }
}
