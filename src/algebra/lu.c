/* Sparse LU: block elimination on fronts first, KLU where that does not hold.
 *
 * Fronts do not pivot. Where their entries have grown the solutions are checked and refined; when their factors fail
 * the audit, or a solution stays wrong, KLU factors the same values, and says what is wrong when it fails too. Values
 * that are no good for fronts are seldom good the next time, so KLU then keeps the work for some factorisations, twice
 * as many after each vain attempt. */
#include <string.h>

#include "algebra/multifrontal/front.h"
#include "lu_klu.h"

enum { FIRST_WAIT = 8, LONGEST_WAIT = 512, MOST_REFINEMENTS = 4 };

/* Of factors that have grown. Their first solution is checked, the others when it had to be corrected. */
typedef struct check {
    bool on;
    double *val;    /* what was factored; NULL until factors have grown */
    double *b, *dx; /* n scalars: right-hand side; residual, correction */
} check;

struct phx_lu {
    phx_context *context;
    int n;
    bool is_complex;
    int *ptr, *idx, *order;
    phx_fronts *fronts; /* NULL: the pattern is not worth it */
    phx_klu *klu;       /* NULL until it is needed */
    bool factored, by_fronts;
    check check;
    int wait, next_wait; /* factorisations that KLU keeps */
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

/* Fails if the order is not a permutation of 0 to n - 1. */
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

/* Copies the pattern; without a given order that of minimum degree is used. */
static phx_status copy_pattern(phx_lu *lu, const int *ptr, const int *idx, const int *order)
{
    const size_t n = (size_t)lu->n, entries = (size_t)ptr[lu->n];
    lu->ptr = phx_calloc(lu->context, n + 1, sizeof(int));
    lu->idx = phx_calloc(lu->context, entries, sizeof(int));
    lu->order = phx_calloc(lu->context, n, sizeof(int));
    if (!lu->ptr || !lu->idx || !lu->order)
        return PHX_ERR_MEMORY;
    memcpy(lu->ptr, ptr, (n + 1) * sizeof(int));
    memcpy(lu->idx, idx, entries * sizeof(int));
    if (!order)
        return phx_order_amd(lu->context, lu->n, ptr, idx, lu->order);
    memcpy(lu->order, order, n * sizeof(int));
    return PHX_OK;
}

/* Symbolic LU factorisation of a square pattern with sorted rows in a given elimination order (NULL: minimum
 * degree). */
phx_status phx_lu_create(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                         bool complex_values, phx_lu **lu)
{
    if (!lu || (n > 0 && (!ptr || !idx)))
        return phx_fail_null(context, __func__, "ptr, idx or lu");
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
    created->next_wait = FIRST_WAIT;
    status = copy_pattern(created, ptr, idx, order);
    if (!status)
        status =
            phx_fronts_create(context, n, created->ptr, created->idx, created->order, complex_values, &created->fronts);
    if (status) {
        phx_lu_destroy(created);
        return status;
    }
    *lu = created;
    return PHX_OK;
}

void phx_lu_destroy(phx_lu *lu)
{
    if (!lu)
        return;
    phx_fronts_destroy(lu->fronts);
    phx_klu_destroy(lu->klu);
    phx_free(lu->check.val);
    phx_free(lu->check.b);
    phx_free(lu->check.dx);
    phx_free(lu->ptr);
    phx_free(lu->idx);
    phx_free(lu->order);
    phx_free(lu);
}

void phx_lu_pivot_always(phx_lu *lu)
{
    phx_fronts_destroy(lu->fronts);
    lu->fronts = NULL;
    lu->factored = lu->by_fronts = false;
}

phx_status phx_lu_set_weak(phx_lu *lu, int count, const int *unknowns)
{
    return lu->fronts ? phx_fronts_set_weak(lu->fronts, count, unknowns) : PHX_OK;
}

phx_status phx_lu_use(phx_lu *lu, phx_thread_pool *pool)
{
    if (!lu)
        return phx_fail_null(NULL, __func__, "lu");
    return lu->fronts ? phx_fronts_use(lu->fronts, pool) : PHX_OK;
}

/* ---- factorisation ---- */
/* True when fronts were tried and hold. */
static bool factor_by_fronts(phx_lu *lu, const double *val, bool *chosen)
{
    if (!lu->fronts)
        return false;
    if (lu->wait > 0) {
        lu->wait--;
        return false;
    }
    if (!phx_fronts_factor(lu->fronts, val, chosen))
        return false;
    lu->next_wait = FIRST_WAIT;
    return true;
}

static phx_status factor_by_klu(phx_lu *lu, const double *val, bool tried, bool *chosen, int *column)
{
    phx_status status = PHX_OK;
    if (!lu->klu)
        status = phx_klu_create(lu->context, lu->n, lu->ptr, lu->idx, lu->order, lu->is_complex, &lu->klu);
    if (!status)
        status = phx_klu_factor(lu->klu, val, chosen, column);
    if (!status && tried) { /* it was not the values: KLU can do what fronts could not */
        lu->wait = lu->next_wait;
        lu->next_wait = phx_int_min(2 * lu->next_wait, LONGEST_WAIT);
    }
    return status;
}

/* Doubles of n scalars. */
static size_t doubles(const phx_lu *lu, int n)
{
    return (size_t)n * (lu->is_complex ? 2 : 1);
}

/* Room to check solutions. */
static phx_status make_check(phx_lu *lu)
{
    check *test = &lu->check;

    if (!test->val)
        test->val = phx_calloc(lu->context, doubles(lu, lu->ptr[lu->n]), sizeof *test->val);
    if (!test->b)
        test->b = phx_calloc(lu->context, doubles(lu, lu->n), sizeof *test->b);
    if (!test->dx)
        test->dx = phx_calloc(lu->context, doubles(lu, lu->n), sizeof *test->dx);
    return test->val && test->b && test->dx ? PHX_OK : PHX_ERR_MEMORY;
}

/* Factors the values, by fronts or, if these fail, by KLU. PHX_SINGULAR with *column, the unknown to blame, -1 if
 * unknown; column may be NULL. */
phx_status phx_lu_factor(phx_lu *lu, const double *val, int *column)
{
    if (!lu || (lu->n > 0 && !val))
        return phx_fail_null(lu ? lu->context : NULL, __func__, "lu or val");
    bool chosen = false;
    if (column)
        *column = -1;
    lu->factored = false;
    const bool tried = lu->fronts && lu->wait == 0, held = factor_by_fronts(lu, val, &chosen);
    phx_status status = held ? PHX_OK : factor_by_klu(lu, val, tried, &chosen, column);
    const bool grown = held && !phx_fronts_stand(lu->fronts);
    lu->check.on = false;
    if (!status && grown)
        status = make_check(lu);
    if (status)
        return status;
    if (grown) {
        lu->check.on = true;
        memcpy(lu->check.val, val, doubles(lu, lu->ptr[lu->n]) * sizeof *val);
    }
    lu->by_fronts = held;
    lu->factored = true;
    lu->factors += chosen;
    lu->refactors += !chosen;
    return PHX_OK;
}

void phx_lu_forget(phx_lu *lu)
{
    if (lu->fronts)
        phx_fronts_forget(lu->fronts);
    phx_klu_destroy(lu->klu);
    lu->klu = NULL;
    lu->wait = 0;
    lu->next_wait = FIRST_WAIT;
    lu->factored = lu->by_fronts = lu->check.on = false;
}

/* Writes or reads the factors with their method, so that later factorisations are bitwise identical. */
void phx_lu_archive(phx_archive *archive, phx_lu *lu)
{
    bool has_klu = lu->klu != NULL;

    phx_archive_bool(archive, &lu->factored);
    phx_archive_bool(archive, &lu->by_fronts);
    phx_archive_int(archive, &lu->wait);
    phx_archive_int(archive, &lu->next_wait);
    if (lu->fronts)
        phx_fronts_archive(archive, lu->fronts);
    phx_archive_bool(archive, &has_klu);
    if (phx_archive_reads(archive) && lu->klu) {
        phx_klu_destroy(lu->klu);
        lu->klu = NULL;
    }
    if (has_klu && !lu->klu)
        phx_archive_fail(archive,
                         phx_klu_create(lu->context, lu->n, lu->ptr, lu->idx, lu->order, lu->is_complex, &lu->klu));
    if (has_klu && lu->klu)
        phx_klu_archive(archive, lu->klu);
    phx_archive_bool(archive, &lu->check.on);
    if (lu->check.on) {
        if (phx_archive_reads(archive))
            phx_archive_fail(archive, make_check(lu));
        if (lu->check.val)
            phx_archive_doubles(archive, doubles(lu, lu->ptr[lu->n]), lu->check.val);
    }
    if (phx_archive_status(archive))
        lu->factored = false;
}

/* ---- solution ---- */
/* True: the residual of x, corrected as often as it takes, is small; else x is the right-hand side again. */
static bool solve_checked(phx_lu *lu, double *x)
{
    const size_t n = doubles(lu, lu->n);
    double *b = lu->check.b, *dx = lu->check.dx;

    memcpy(b, x, n * sizeof *b);
    phx_fronts_solve(lu->fronts, 1, x);
    bool small = phx_fronts_residual(lu->fronts, lu->check.val, b, x, dx);
    lu->check.on = !small;
    for (int k = 0; k < MOST_REFINEMENTS && !small; k++) {
        phx_fronts_solve(lu->fronts, 1, dx);
        for (size_t i = 0; i < n; i++)
            x[i] += dx[i];
        small = phx_fronts_residual(lu->fronts, lu->check.val, b, x, dx);
    }
    if (!small)
        memcpy(x, b, n * sizeof *x);
    return small;
}

/* Solves by fronts, with residuals checked if pivots have grown. If a solution stays inaccurate, KLU factors the same
 * values and takes over. */
static phx_status solve_by_fronts(phx_lu *lu, int nrhs, double *x)
{
    const size_t n = doubles(lu, lu->n);
    bool small = true, chosen = false;

    while (nrhs > 0 && lu->check.on && (small = solve_checked(lu, x))) {
        nrhs--;
        x += n;
    }
    if (small) {
        phx_fronts_solve(lu->fronts, nrhs, x);
        return PHX_OK;
    }
    lu->factored = lu->check.on = false;
    const phx_status status = factor_by_klu(lu, lu->check.val, true, &chosen, NULL);
    if (status)
        return status;
    lu->factored = true;
    lu->by_fronts = false;
    return phx_klu_solve(lu->klu, nrhs, x);
}

/* Solves A x = b in place for nrhs right-hand sides, one after the other; complex numbers are interleaved. */
phx_status phx_lu_solve(phx_lu *lu, int nrhs, double *x)
{
    if (!lu || (lu->n > 0 && nrhs > 0 && !x))
        return phx_fail_null(lu ? lu->context : NULL, __func__, "lu or x");
    if (!lu->factored)
        return phx_fail(lu->context, PHX_ERR_ARGUMENT,
                        "phx_lu_solve: no matrix has been factored, or the last one could not be");
    if (nrhs < 0)
        return phx_fail(lu->context, PHX_ERR_ARGUMENT, "phx_lu_solve: %d right-hand sides; the number must be >= 0",
                        nrhs);
    lu->solves += nrhs;
    if (lu->n == 0 || nrhs == 0)
        return PHX_OK;
    return lu->by_fronts ? solve_by_fronts(lu, nrhs, x) : phx_klu_solve(lu->klu, nrhs, x);
}

phx_status phx_lu_solve_transposed(phx_lu *lu, double *x)
{
    if (!lu->factored || lu->by_fronts || lu->is_complex)
        return phx_fail(lu->context, PHX_ERR_ARGUMENT, "phx_lu_solve_transposed: no real factors of KLU are there");
    return lu->n == 0 ? PHX_OK : phx_klu_solve_transposed(lu->klu, x);
}

void phx_lu_stats(const phx_lu *lu, long *factors, long *refactors, long *solves, long *nnz_lu)
{
    if (factors)
        *factors = lu->factors;
    if (refactors)
        *refactors = lu->refactors;
    if (solves)
        *solves = lu->solves;
    if (nnz_lu)
        *nnz_lu = !lu->factored ? 0 : lu->by_fronts ? phx_fronts_nnz(lu->fronts) : phx_klu_nnz(lu->klu);
}
