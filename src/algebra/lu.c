/* Sparse LU on KLU.
 *
 * KLU reads compressed columns. The compressed rows of A are the compressed columns of A^T, so A^T is factored,
 *
 *     P R^-1 A^T Q = L U ,    R = row maxima of A^T (the column maxima of A), Q the elimination order,
 *
 * and A x = b is the transposed solve of it, which is also KLU's faster one. Block triangular form is off: the matrices
 * are irreducible in the main and the caller's order must be kept. KLU prefers the diagonal as pivot unless it is
 * smaller than PIVOT_TOLERANCE times the largest candidate.
 *
 * A refactorisation keeps the pivots. Its harm is bounded by watching each of them: scaled entries are at most 1, so
 * L and U can only grow by what a pivot loses. A pivot that is not within a factor PIVOT_DRIFT of its size when pivots
 * were last chosen makes the matrix pivot anew.
 *
 * When a factorisation fails the one before it must still solve. KLU refactors in place, so the values factored last
 * are kept; refactoring them with the same pivots restores the same factors, without an allocation. Pivoting anew
 * allocates inside KLU, never through the context. */
#include <math.h>
#include <string.h>

#include <klu.h>

#include "internal.h"

static const double PIVOT_TOLERANCE = 1e-3;
static const double PIVOT_DRIFT = 100.0;

struct phx_lu {
    phx_context *context;
    int n;
    bool is_complex;
    int *ptr, *idx;
    double *kept;  /* the values factored last */
    double *trial; /* the values being factored */
    double *pivot; /* |U_kk| when pivots were last chosen, n */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    bool factored;
    long factors, refactors, solves;
};

/* ---- creation ---- */
static phx_status check_pattern(phx_context *context, int n, const int *ptr, const int *idx)
{
    if (n < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_lu_create: size %d; it must be >= 0", n);
    if (ptr[0] != 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "phx_lu_create: ptr[0] is %d; it must be 0", ptr[0]);
    for (int i = 0; i < n; i++) {
        if (ptr[i + 1] < ptr[i])
            return phx_fail(context, PHX_ERR_ARGUMENT, "phx_lu_create: ptr falls from %d to %d after row %d", ptr[i],
                            ptr[i + 1], i);
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            if (idx[k] < 0 || idx[k] >= n || (k > ptr[i] && idx[k] <= idx[k - 1]))
                return phx_fail(context, PHX_ERR_ARGUMENT,
                                "phx_lu_create: column %d in row %d; columns must ascend within 0..%d", idx[k], i,
                                n - 1);
    }
    return PHX_OK;
}

static phx_status check_order(phx_context *context, int n, const int *order)
{
    bool *seen = phx_calloc(context, (size_t)n, sizeof(bool));
    if (!seen)
        return PHX_ERR_MEMORY;
    phx_status status = PHX_OK;
    for (int k = 0; k < n && !status; k++) {
        if (order[k] < 0 || order[k] >= n || seen[order[k]])
            status =
                phx_fail(context, PHX_ERR_ARGUMENT,
                         "phx_lu_create: order[%d] = %d; the order must name each of 0..%d once", k, order[k], n - 1);
        else
            seen[order[k]] = true;
    }
    phx_free(seen);
    return status;
}

/* What KLU reported, as a status. */
static phx_status fail_klu(phx_lu *lu, const char *what)
{
    if (lu->common.status == KLU_OUT_OF_MEMORY)
        return phx_fail(lu->context, PHX_ERR_MEMORY, "%s: KLU has no memory for a matrix of size %d", what, lu->n);
    return phx_fail(lu->context, PHX_ERR_LIBRARY, "%s: KLU failed with status %d on a matrix of size %d", what,
                    lu->common.status, lu->n);
}

static phx_status copy_pattern(phx_lu *lu, const int *ptr, const int *idx)
{
    size_t n = (size_t)lu->n, entries = (size_t)ptr[lu->n], scalars = entries * (lu->is_complex ? 2 : 1);
    lu->ptr = phx_calloc(lu->context, n + 1, sizeof(int));
    lu->idx = phx_calloc(lu->context, entries, sizeof(int));
    lu->kept = phx_calloc(lu->context, scalars, sizeof(double));
    lu->trial = phx_calloc(lu->context, scalars, sizeof(double));
    lu->pivot = phx_calloc(lu->context, n, sizeof(double));
    if (!lu->ptr || !lu->idx || !lu->kept || !lu->trial || !lu->pivot)
        return PHX_ERR_MEMORY;
    memcpy(lu->ptr, ptr, (n + 1) * sizeof(int));
    memcpy(lu->idx, idx, entries * sizeof(int));
    return PHX_OK;
}

static phx_status analyse(phx_lu *lu, const int *order)
{
    klu_common *common = &lu->common;
    if (!klu_defaults(common))
        return fail_klu(lu, "phx_lu_create");
    common->btf = 0;
    common->scale = 2;
    common->tol = PIVOT_TOLERANCE;
    if (lu->n == 0)
        return PHX_OK;
    if (order) {
        /* klu_analyze_given does not modify the permutations; its arguments lack the const. */
        int *copy = phx_calloc(lu->context, (size_t)lu->n, sizeof(int));
        if (!copy)
            return PHX_ERR_MEMORY;
        memcpy(copy, order, (size_t)lu->n * sizeof(int));
        lu->symbolic = klu_analyze_given(lu->n, lu->ptr, lu->idx, copy, copy, common);
        phx_free(copy);
    } else {
        lu->symbolic = klu_analyze(lu->n, lu->ptr, lu->idx, common);
    }
    return lu->symbolic ? PHX_OK : fail_klu(lu, "phx_lu_create");
}

phx_status phx_lu_create(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                         bool complex_values, phx_lu **lu)
{
    *lu = NULL;
    phx_status status = check_pattern(context, n, ptr, idx);
    if (!status && order)
        status = check_order(context, n, order);
    if (status)
        return status;
    phx_lu *created = phx_calloc(context, 1, sizeof *created);
    if (!created)
        return PHX_ERR_MEMORY;
    created->context = context;
    created->n = n;
    created->is_complex = complex_values;
    status = copy_pattern(created, ptr, idx);
    if (!status)
        status = analyse(created, order);
    if (status) {
        phx_lu_destroy(created);
        return status;
    }
    *lu = created;
    return PHX_OK;
}

static void free_numeric(phx_lu *lu, klu_numeric **numeric)
{
    if (lu->is_complex)
        klu_z_free_numeric(numeric, &lu->common);
    else
        klu_free_numeric(numeric, &lu->common);
}

void phx_lu_destroy(phx_lu *lu)
{
    if (!lu)
        return;
    if (lu->numeric)
        free_numeric(lu, &lu->numeric);
    if (lu->symbolic)
        klu_free_symbolic(&lu->symbolic, &lu->common);
    phx_free(lu->ptr);
    phx_free(lu->idx);
    phx_free(lu->kept);
    phx_free(lu->trial);
    phx_free(lu->pivot);
    phx_free(lu);
}

/* ---- factorisation ---- */
/* trial <- val; false when a value is NaN or infinite. Four partial sums of v - v (0 or NaN), which do not wait for
 * each other. */
static bool copy_finite(size_t count, const double *val, double *trial)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        for (size_t i = 0; i < 4; i++) {
            trial[k + i] = val[k + i];
            sum[i] += val[k + i] - val[k + i];
        }
    }
    for (; k < count; k++) {
        trial[k] = val[k];
        sum[0] += val[k] - val[k];
    }
    return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

/* |U_kk| */
static double pivot_size(const phx_lu *lu, const klu_numeric *numeric, int k)
{
    const double *diagonal = numeric->Udiag;
    return lu->is_complex ? hypot(diagonal[2 * k], diagonal[2 * k + 1]) : fabs(diagonal[k]);
}

/* Do all pivots of a refactorisation still have the size they were chosen with, up to PIVOT_DRIFT? */
static bool pivots_hold(const phx_lu *lu)
{
    bool hold = true;
    for (int k = 0; k < lu->n; k++) {
        double size = pivot_size(lu, lu->numeric, k);
        hold = hold && size * PIVOT_DRIFT >= lu->pivot[k] && size <= PIVOT_DRIFT * lu->pivot[k];
    }
    return hold;
}

static bool refactor(phx_lu *lu, double *values)
{
    return lu->is_complex ? klu_z_refactor(lu->ptr, lu->idx, values, lu->symbolic, lu->numeric, &lu->common)
                          : klu_refactor(lu->ptr, lu->idx, values, lu->symbolic, lu->numeric, &lu->common);
}

/* |L| by columns and by rows and |U| by columns, and a row of n zeros, in one block of KLU's memory: like the factors
 * themselves it is not an allocation of the context. lz, uz take the imaginary parts of complex factors. */
typedef struct moduli {
    void *block;
    size_t bytes;
    double *lx, *lz, *rx, *ux, *uz, *zeros;
    int *lp, *li, *rp, *rj, *up, *ui;
} moduli;

static bool moduli_allocate(phx_lu *lu, const klu_numeric *numeric, moduli *m)
{
    size_t n = (size_t)lu->n, lnz = (size_t)numeric->lnz, unz = (size_t)numeric->unz;
    m->bytes = (3 * lnz + 2 * unz + n) * sizeof(double) + (3 * (n + 1) + 2 * lnz + unz) * sizeof(int);
    m->block = klu_malloc(m->bytes, 1, &lu->common);
    if (!m->block)
        return false;
    m->lx = m->block;
    m->lz = m->lx + lnz;
    m->rx = m->lz + lnz;
    m->ux = m->rx + lnz;
    m->uz = m->ux + unz;
    m->zeros = m->uz + unz;
    m->lp = (int *)(m->zeros + n);
    m->rp = m->lp + n + 1;
    m->up = m->rp + n + 1;
    m->li = m->up + n + 1;
    m->rj = m->li + lnz;
    m->ui = m->rj + lnz;
    memset(m->zeros, 0, n * sizeof(double));
    return true;
}

static void take_moduli(int count, bool is_complex, double *re, const double *im)
{
    for (int k = 0; k < count; k++)
        re[k] = is_complex ? hypot(re[k], im[k]) : fabs(re[k]);
}

/* The rows of |L| from its columns. */
static void moduli_transpose(int n, moduli *m)
{
    memset(m->rp, 0, ((size_t)n + 1) * sizeof(int));
    for (int p = 0; p < m->lp[n]; p++)
        m->rp[m->li[p] + 1]++;
    for (int i = 0; i < n; i++)
        m->rp[i + 1] += m->rp[i];
    for (int j = 0; j < n; j++) {
        for (int p = m->lp[j]; p < m->lp[j + 1]; p++) {
            int place = m->rp[m->li[p]]++;
            m->rj[place] = j;
            m->rx[place] = m->lx[p];
        }
    }
    for (int i = n; i > 0; i--)
        m->rp[i] = m->rp[i - 1];
    m->rp[0] = 0;
}

static void moduli_extract(phx_lu *lu, klu_numeric *numeric, moduli *m)
{
    if (lu->is_complex)
        klu_z_extract(numeric, lu->symbolic, m->lp, m->li, m->lx, m->lz, m->up, m->ui, m->ux, m->uz, NULL, NULL, NULL,
                      NULL, NULL, NULL, NULL, NULL, &lu->common);
    else
        klu_extract(numeric, lu->symbolic, m->lp, m->li, m->lx, m->up, m->ui, m->ux, NULL, NULL, NULL, NULL, NULL, NULL,
                    NULL, &lu->common);
    take_moduli(numeric->lnz, lu->is_complex, m->lx, m->lz);
    take_moduli(numeric->unz, lu->is_complex, m->ux, m->uz);
    moduli_transpose(lu->n, m);
}

/* First pivot that is only rounding, |U_kk| <= PHX_CANCELLED sum_j<k |L_kj| |U_jk|, or not finite; -1 when there is
 * none. */
static int cancelled_pivot(int n, const moduli *m)
{
    double *row = m->zeros;
    for (int k = 0; k < n; k++) {
        double sum = 0.0, pivot = 0.0;
        for (int p = m->rp[k]; p < m->rp[k + 1]; p++)
            row[m->rj[p]] = m->rx[p];
        for (int p = m->up[k]; p < m->up[k + 1]; p++) {
            if (m->ui[p] == k)
                pivot = m->ux[p];
            else
                sum += row[m->ui[p]] * m->ux[p];
        }
        for (int p = m->rp[k]; p < m->rp[k + 1]; p++)
            row[m->rj[p]] = 0.0;
        if (!(pivot > PHX_CANCELLED * sum) || !isfinite(pivot))
            return k;
    }
    return -1;
}

/* *column <- the row of A whose pivot in `numeric` is only rounding, -1 when all pivots are sound. */
static phx_status find_cancelled(phx_lu *lu, klu_numeric *numeric, int *column)
{
    moduli m;
    if (!moduli_allocate(lu, numeric, &m))
        return fail_klu(lu, "phx_lu_factor");
    moduli_extract(lu, numeric, &m);
    int k = cancelled_pivot(lu->n, &m);
    *column = k < 0 ? -1 : lu->symbolic->Q[k];
    klu_free(m.block, m.bytes, 1, &lu->common);
    return PHX_OK;
}

static phx_status fail_singular(const phx_lu *lu, int singular, int *column)
{
    if (column)
        *column = singular;
    return phx_fail(lu->context, PHX_SINGULAR,
                    "the matrix of %d linear equations is singular: equation %d depends on those eliminated before it",
                    lu->n, singular);
}

/* Factor `trial` with new pivots; the old factors stay as they are when this fails. */
static phx_status pivot_anew(phx_lu *lu, int *column)
{
    klu_numeric *numeric = lu->is_complex ? klu_z_factor(lu->ptr, lu->idx, lu->trial, lu->symbolic, &lu->common)
                                          : klu_factor(lu->ptr, lu->idx, lu->trial, lu->symbolic, &lu->common);
    if (!numeric && lu->common.status == KLU_SINGULAR)
        return fail_singular(lu, lu->common.singular_col, column);
    if (!numeric)
        return fail_klu(lu, "phx_lu_factor");
    int cancelled = -1;
    phx_status status = find_cancelled(lu, numeric, &cancelled);
    if (!status && cancelled >= 0)
        status = fail_singular(lu, cancelled, column);
    if (status) {
        free_numeric(lu, &numeric);
        return status;
    }
    if (lu->numeric)
        free_numeric(lu, &lu->numeric);
    lu->numeric = numeric;
    for (int k = 0; k < lu->n; k++)
        lu->pivot[k] = pivot_size(lu, numeric, k);
    return PHX_OK;
}

static phx_status fail_not_finite(const phx_lu *lu, const double *val, int *column)
{
    int scalars = lu->is_complex ? 2 : 1, row = 0;
    size_t place = phx_first_not_finite((size_t)lu->ptr[lu->n] * (size_t)scalars, val);
    while ((size_t)lu->ptr[row + 1] * (size_t)scalars <= place)
        row++;
    if (column)
        *column = row;
    return phx_fail(lu->context, PHX_SINGULAR, "the matrix of %d linear equations has the value %g in equation %d",
                    lu->n, val[place], row);
}

phx_status phx_lu_factor(phx_lu *lu, const double *val, int *column)
{
    size_t scalars = (size_t)lu->ptr[lu->n] * (lu->is_complex ? 2 : 1);
    if (column)
        *column = -1;
    if (!copy_finite(scalars, val, lu->trial))
        return fail_not_finite(lu, val, column);
    bool reused = lu->n > 0 && lu->factored && refactor(lu, lu->trial) && pivots_hold(lu);
    if (!reused && lu->n > 0) {
        phx_status status = pivot_anew(lu, column);
        if (status) {
            if (lu->factored)
                refactor(lu, lu->kept);
            return status;
        }
    }
    double *swap = lu->kept;
    lu->kept = lu->trial;
    lu->trial = swap;
    lu->factored = true;
    lu->refactors += reused;
    lu->factors += !reused;
    return PHX_OK;
}

/* ---- solution ---- */
phx_status phx_lu_solve(phx_lu *lu, int nrhs, double *x)
{
    if (!lu->factored)
        return phx_fail(lu->context, PHX_ERR_ARGUMENT, "phx_lu_solve: no matrix has been factored yet");
    if (nrhs < 0)
        return phx_fail(lu->context, PHX_ERR_ARGUMENT, "phx_lu_solve: %d right-hand sides; the number must be >= 0",
                        nrhs);
    lu->solves += nrhs;
    if (lu->n == 0 || nrhs == 0)
        return PHX_OK;
    enum { CONJUGATE = 0 };
    int done = lu->is_complex ? klu_z_tsolve(lu->symbolic, lu->numeric, lu->n, nrhs, x, CONJUGATE, &lu->common)
                              : klu_tsolve(lu->symbolic, lu->numeric, lu->n, nrhs, x, &lu->common);
    return done ? PHX_OK : fail_klu(lu, "phx_lu_solve");
}

void phx_lu_stats(const phx_lu *lu, long *factors, long *refactors, long *solves, long *nnz_lu)
{
    if (factors)
        *factors = lu->factors;
    if (refactors)
        *refactors = lu->refactors;
    if (solves)
        *solves = lu->solves;
    /* L has a unit diagonal that is not stored. */
    if (nnz_lu)
        *nnz_lu = lu->numeric ? (long)lu->numeric->lnz + lu->numeric->unz - lu->n : 0;
}
