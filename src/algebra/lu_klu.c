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

#include "lu_klu.h"

static const double PIVOT_TOLERANCE = 1e-3;
static const double PIVOT_DRIFT = 100.0;

struct phx_klu {
    phx_context *context;
    int n;
    bool is_complex;
    int *ptr, *idx;
    double *kept;   /* the values factored last */
    double *trial;  /* the values being factored */
    double *chosen; /* those that pivots were chosen for last */
    double *pivot;  /* |U_kk| when pivots were last chosen, n */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    bool factored;
};

/* ---- creation ---- */
/* The report of KLU as a status. */
static phx_status fail_klu(phx_klu *klu, const char *what)
{
    if (klu->common.status == KLU_OUT_OF_MEMORY)
        return phx_fail(klu->context, PHX_ERR_MEMORY, "%s: KLU has no memory for a matrix of size %d", what, klu->n);
    return phx_fail(klu->context, PHX_ERR_LIBRARY, "%s: KLU failed with status %d on a matrix of size %d", what,
                    klu->common.status, klu->n);
}

static size_t scalars_of(const phx_klu *klu)
{
    return (size_t)klu->ptr[klu->n] * (klu->is_complex ? 2 : 1);
}

static phx_status allocate_values(phx_klu *klu)
{
    const size_t scalars = scalars_of(klu);
    klu->kept = phx_calloc(klu->context, scalars, sizeof(double));
    klu->trial = phx_calloc(klu->context, scalars, sizeof(double));
    klu->chosen = phx_calloc(klu->context, scalars, sizeof(double));
    klu->pivot = phx_calloc(klu->context, (size_t)klu->n, sizeof(double));
    return klu->kept && klu->trial && klu->chosen && klu->pivot ? PHX_OK : PHX_ERR_MEMORY;
}

static phx_status lu_klu_analyse(phx_klu *klu, int *order)
{
    klu_common *common = &klu->common;
    if (!klu_defaults(common))
        return fail_klu(klu, "phx_lu_factor");
    common->btf = 0;
    common->scale = 2;
    common->tol = PIVOT_TOLERANCE;
    if (klu->n == 0)
        return PHX_OK;
    klu->symbolic = klu_analyze_given(klu->n, klu->ptr, klu->idx, order, order, common);
    return klu->symbolic ? PHX_OK : fail_klu(klu, "phx_lu_factor");
}

/* Creates the KLU factorisation over a borrowed pattern and order. */
phx_status phx_klu_create(phx_context *context, int n, int *ptr, int *idx, int *order, bool is_complex, phx_klu **klu)
{
    phx_klu *created = phx_calloc(context, 1, sizeof *created);
    if (!created)
        return PHX_ERR_MEMORY;
    created->context = context;
    created->n = n;
    created->is_complex = is_complex;
    created->ptr = ptr;
    created->idx = idx;
    phx_status status = allocate_values(created);
    if (!status)
        status = lu_klu_analyse(created, order);
    if (status) {
        phx_klu_destroy(created);
        return status;
    }
    *klu = created;
    return PHX_OK;
}

static void free_numeric(phx_klu *klu, klu_numeric **numeric)
{
    if (klu->is_complex)
        klu_z_free_numeric(numeric, &klu->common);
    else
        klu_free_numeric(numeric, &klu->common);
}

void phx_klu_destroy(phx_klu *klu)
{
    if (!klu)
        return;
    if (klu->numeric)
        free_numeric(klu, &klu->numeric);
    if (klu->symbolic)
        klu_free_symbolic(&klu->symbolic, &klu->common);
    phx_free(klu->kept);
    phx_free(klu->trial);
    phx_free(klu->chosen);
    phx_free(klu->pivot);
    phx_free(klu);
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
static double pivot_size(const phx_klu *klu, const klu_numeric *numeric, int k)
{
    const double *diagonal = numeric->Udiag;
    return klu->is_complex ? hypot(diagonal[2 * k], diagonal[2 * k + 1]) : fabs(diagonal[k]);
}

/* Do all pivots of a refactorisation still have the size they were chosen with, up to PIVOT_DRIFT? */
static bool pivots_hold(const phx_klu *klu)
{
    bool hold = true;
    for (int k = 0; k < klu->n; k++) {
        double size = pivot_size(klu, klu->numeric, k);
        hold = hold && size * PIVOT_DRIFT >= klu->pivot[k] && size <= PIVOT_DRIFT * klu->pivot[k];
    }
    return hold;
}

static bool refactor(phx_klu *klu, double *values)
{
    return klu->is_complex ? klu_z_refactor(klu->ptr, klu->idx, values, klu->symbolic, klu->numeric, &klu->common)
                           : klu_refactor(klu->ptr, klu->idx, values, klu->symbolic, klu->numeric, &klu->common);
}

/* |L| by columns and by rows and |U| by columns, and a row of n zeros, in one block of KLU's memory: like the factors
 * themselves it is not an allocation of the context. lz, uz take the imaginary parts of complex factors. */
typedef struct moduli {
    void *block;
    size_t bytes;
    double *lx, *lz, *rx, *ux, *uz, *zeros;
    int *lp, *li, *rp, *rj, *up, *ui;
} moduli;

/* Allocates the moduli of a complex factorisation in one block from KLU's allocator; false if memory is short. */
static bool moduli_allocate(phx_klu *klu, const klu_numeric *numeric, moduli *m)
{
    size_t n = (size_t)klu->n, lnz = (size_t)numeric->lnz, unz = (size_t)numeric->unz;
    m->bytes = (3 * lnz + 2 * unz + n) * sizeof(double) + (3 * (n + 1) + 2 * lnz + unz) * sizeof(int);
    m->block = klu_malloc(m->bytes, 1, &klu->common);
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

static void moduli_extract(phx_klu *klu, klu_numeric *numeric, moduli *m)
{
    if (klu->is_complex)
        klu_z_extract(numeric, klu->symbolic, m->lp, m->li, m->lx, m->lz, m->up, m->ui, m->ux, m->uz, NULL, NULL, NULL,
                      NULL, NULL, NULL, NULL, NULL, &klu->common);
    else
        klu_extract(numeric, klu->symbolic, m->lp, m->li, m->lx, m->up, m->ui, m->ux, NULL, NULL, NULL, NULL, NULL,
                    NULL, NULL, &klu->common);
    take_moduli(numeric->lnz, klu->is_complex, m->lx, m->lz);
    take_moduli(numeric->unz, klu->is_complex, m->ux, m->uz);
    moduli_transpose(klu->n, m);
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
static phx_status find_cancelled(phx_klu *klu, klu_numeric *numeric, int *column)
{
    moduli m;
    if (!moduli_allocate(klu, numeric, &m))
        return fail_klu(klu, "phx_lu_factor");
    moduli_extract(klu, numeric, &m);
    int k = cancelled_pivot(klu->n, &m);
    *column = k < 0 ? -1 : klu->symbolic->Q[k];
    klu_free(m.block, m.bytes, 1, &klu->common);
    return PHX_OK;
}

static phx_status fail_singular(const phx_klu *klu, int singular, int *column)
{
    if (column)
        *column = singular;
    return phx_fail(klu->context, PHX_SINGULAR,
                    "the matrix of %d linear equations is singular: equation %d depends on those eliminated before it",
                    klu->n, singular);
}

/* Factor `trial` with new pivots; the old factors stay as they are when this fails. */
static phx_status pivot_anew(phx_klu *klu, int *column)
{
    klu_numeric *numeric = klu->is_complex ? klu_z_factor(klu->ptr, klu->idx, klu->trial, klu->symbolic, &klu->common)
                                           : klu_factor(klu->ptr, klu->idx, klu->trial, klu->symbolic, &klu->common);
    if (!numeric && klu->common.status == KLU_SINGULAR)
        return fail_singular(klu, klu->common.singular_col, column);
    if (!numeric)
        return fail_klu(klu, "phx_lu_factor");
    int cancelled = -1;
    phx_status status = find_cancelled(klu, numeric, &cancelled);
    if (!status && cancelled >= 0)
        status = fail_singular(klu, cancelled, column);
    if (status) {
        free_numeric(klu, &numeric);
        return status;
    }
    if (klu->numeric)
        free_numeric(klu, &klu->numeric);
    klu->numeric = numeric;
    for (int k = 0; k < klu->n; k++)
        klu->pivot[k] = pivot_size(klu, numeric, k);
    memcpy(klu->chosen, klu->trial, scalars_of(klu) * sizeof *klu->chosen);
    return PHX_OK;
}

static phx_status fail_not_finite(const phx_klu *klu, const double *val, int *column)
{
    int scalars = klu->is_complex ? 2 : 1, row = 0;
    size_t place = phx_first_not_finite((size_t)klu->ptr[klu->n] * (size_t)scalars, val);
    while ((size_t)klu->ptr[row + 1] * (size_t)scalars <= place)
        row++;
    if (column)
        *column = row;
    return phx_fail(klu->context, PHX_SINGULAR, "the matrix of %d linear equations has the value %g in equation %d",
                    klu->n, val[place], row);
}

/* Factors the values; the pivots of the last factorisation are reused if they hold (*pivoted false). After a failure
 * the last good factors stay. */
phx_status phx_klu_factor(phx_klu *klu, const double *val, bool *pivoted, int *column)
{
    const size_t scalars = scalars_of(klu);
    if (!copy_finite(scalars, val, klu->trial))
        return fail_not_finite(klu, val, column);
    bool reused = klu->n > 0 && klu->factored && refactor(klu, klu->trial) && pivots_hold(klu);
    if (!reused && klu->n > 0) {
        phx_status status = pivot_anew(klu, column);
        if (status) {
            if (klu->factored)
                refactor(klu, klu->kept);
            return status;
        }
    }
    double *swap = klu->kept;
    klu->kept = klu->trial;
    klu->trial = swap;
    klu->factored = true;
    *pivoted = !reused;
    return PHX_OK;
}

/* The values that pivots were chosen for and those factored last: from them the same factors are made again. */
void phx_klu_archive(phx_archive *archive, phx_klu *klu)
{
    const size_t scalars = scalars_of(klu);

    phx_archive_bool(archive, &klu->factored);
    if (!klu->factored)
        return;
    phx_archive_doubles(archive, scalars, klu->chosen);
    phx_archive_doubles(archive, scalars, klu->kept);
    if (!phx_archive_reads(archive) || phx_archive_status(archive) || klu->n == 0)
        return;
    memcpy(klu->trial, klu->chosen, scalars * sizeof *klu->trial);
    phx_status status = pivot_anew(klu, NULL);
    if (!status && !refactor(klu, klu->kept))
        status = fail_klu(klu, "phx_lu_archive");
    klu->factored = status == PHX_OK;
    phx_archive_fail(archive, status);
}

/* ---- solution ---- */
phx_status phx_klu_solve(phx_klu *klu, int nrhs, double *x)
{
    enum { CONJUGATE = 0 };
    int done = klu->is_complex ? klu_z_tsolve(klu->symbolic, klu->numeric, klu->n, nrhs, x, CONJUGATE, &klu->common)
                               : klu_tsolve(klu->symbolic, klu->numeric, klu->n, nrhs, x, &klu->common);
    return done ? PHX_OK : fail_klu(klu, "phx_lu_solve");
}

phx_status phx_klu_solve_transposed(phx_klu *klu, double *x)
{
    return klu_solve(klu->symbolic, klu->numeric, klu->n, 1, x, &klu->common)
               ? PHX_OK
               : fail_klu(klu, "phx_lu_solve_transposed");
}

long phx_klu_nnz(const phx_klu *klu)
{
    /* L has a unit diagonal that is not stored. */
    return klu->numeric ? (long)klu->numeric->lnz + klu->numeric->unz - klu->n : 0;
}
