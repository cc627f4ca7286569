/* A matrix factored by fronts, and when the result may be trusted.
 *
 * There is no pivoting, so it is watched. An audit adds up the sizes of all that came together in each entry,
 *
 *     T_ij = |A_ij| + sum_k |l_ik d_k u_kj| ,
 *
 * and the factors stand when, for every pivot,
 *
 *     r_i T_ij c_j <= GROWTH   and   T_kk <= GROWTH |d_k| ,
 *
 * r and c the scales of rows and columns that |A| has by itself: 1/sqrt|A_ii|, and for zeros on the diagonal what makes
 * the largest scaled entry 1. The first says that rounding is no larger than GROWTH times that of entries of A, the
 * second that no pivot is what cancellation left; neither depends on the scaling of A.
 *
 * Audited factors leave the sizes of their pivots behind. As long as these stay within a factor DRIFT later factors
 * need no audit. A value that is not finite makes a pivot not finite, or its reciprocal zero: by W or L it enters a
 * later pivot, whatever it is multiplied with.
 *
 * Factors are written to one of two arrays, so that a failure leaves the others as they are. */
#include "front.h"

#include <math.h>
#include <string.h>

static const double GROWTH = 1e5;
static const double DRIFT = 100.0;

struct phx_fronts {
    phx_front_tree *tree;
    bool is_complex, factored;
    const int *ptr, *idx;
    int active;           /* of the two factors */
    double *factors[2];   /* factor_size scalars */
    double *stack, *work; /* stack_size and 2 largest scalars */
    double *y;            /* n scalars */
    double *reference;    /* n, sizes of the reciprocal pivots */
    double *row, *col;    /* n, scales, by place in the order */
    int *place;           /* n, of the unknowns in the order */
};

/* ---- creation ---- */
phx_status phx_fronts_create(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                             bool is_complex, phx_fronts **fronts)
{
    phx_front_tree *tree = NULL;
    phx_status status = phx_front_tree_create(context, n, ptr, idx, order, &tree);

    *fronts = NULL;
    if (status || !tree)
        return status;
    phx_fronts *created = phx_calloc(context, 1, sizeof *created);
    if (!created) {
        phx_front_tree_destroy(tree);
        return PHX_ERR_MEMORY;
    }
    const size_t scalar = is_complex ? 2 * sizeof(double) : sizeof(double), size = (size_t)n;
    created->tree = tree;
    created->is_complex = is_complex;
    created->ptr = ptr;
    created->idx = idx;
    created->factors[0] = phx_calloc(context, tree->factor_size, scalar);
    created->factors[1] = phx_calloc(context, tree->factor_size, scalar);
    created->stack = phx_calloc(context, tree->stack_size, scalar);
    created->work = phx_calloc(context, 2 * tree->largest, scalar);
    created->y = phx_calloc(context, size, scalar);
    created->reference = phx_calloc(context, size, sizeof(double));
    created->row = phx_calloc(context, size, sizeof(double));
    created->col = phx_calloc(context, size, sizeof(double));
    created->place = phx_calloc(context, size, sizeof(int));
    if (!created->factors[0] || !created->factors[1] || !created->stack || !created->work || !created->y ||
        !created->reference || !created->row || !created->col || !created->place) {
        phx_fronts_destroy(created);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < n; k++)
        created->place[tree->order[k]] = k;
    *fronts = created;
    return PHX_OK;
}

void phx_fronts_destroy(phx_fronts *fronts)
{
    if (!fronts)
        return;
    phx_front_tree_destroy(fronts->tree);
    phx_free(fronts->factors[0]);
    phx_free(fronts->factors[1]);
    phx_free(fronts->stack);
    phx_free(fronts->work);
    phx_free(fronts->y);
    phx_free(fronts->reference);
    phx_free(fronts->row);
    phx_free(fronts->col);
    phx_free(fronts->place);
    phx_free(fronts);
}

/* ---- audit ---- */
static double modulus(const phx_fronts *fronts, const double *values, size_t k)
{
    return fronts->is_complex ? hypot(values[2 * k], values[2 * k + 1]) : fabs(values[k]);
}

/* 1 / size; a size of zero gives no scale, and what has none shall not hold. */
static double over(double size)
{
    return size > 0.0 ? 1.0 / size : DBL_MAX;
}

/* Scales of rows and columns. */
static void find_scales(phx_fronts *fronts, const double *val)
{
    const int n = fronts->tree->n;
    memset(fronts->row, 0, (size_t)n * sizeof(double));
    memset(fronts->col, 0, (size_t)n * sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
        /* the diagonal first; then zeros on it, from what stands beside them, as sizes yet: negative */
        for (int i = 0; i < n; i++) {
            const int a = fronts->place[i];
            for (int e = fronts->ptr[i]; e < fronts->ptr[i + 1]; e++) {
                const int b = fronts->place[fronts->idx[e]];
                const double size = modulus(fronts, val, (size_t)e);
                if (pass == 0 && a == b && size > 0.0)
                    fronts->row[a] = fronts->col[a] = over(sqrt(size));
                if (pass == 1 && fronts->row[a] <= 0.0 && fronts->col[b] > 0.0)
                    fronts->row[a] = fmin(fronts->row[a], -size * fronts->col[b]);
                if (pass == 1 && fronts->col[b] <= 0.0 && fronts->row[a] > 0.0)
                    fronts->col[b] = fmin(fronts->col[b], -size * fronts->row[a]);
            }
        }
    }
    for (int k = 0; k < n; k++) {
        fronts->row[k] = fronts->row[k] > 0.0 ? fronts->row[k] : over(-fronts->row[k]);
        fronts->col[k] = fronts->col[k] > 0.0 ? fronts->col[k] : over(-fronts->col[k]);
    }
}

/* The front of |A| and of the updates of the children. */
static void assemble_moduli(const phx_fronts *fronts, const phx_front *front, const double *val, double *T)
{
    const phx_front_tree *tree = fronts->tree;
    const int m = front->pivots + front->rest;

    memset(T, 0, (size_t)m * (size_t)m * sizeof(double));
    for (size_t e = front->entries; e < front[1].entries; e++)
        T[tree->target[e]] = modulus(fronts, val, (size_t)tree->source[e]);
    for (int c = front->child; c >= 0; c = tree->front[c].sibling) {
        const phx_front *child = &tree->front[c];
        const int *relative = tree->relative + child->relative;
        const double *update = fronts->stack + child->update;
        for (int i = 0; i < child->rest; i++)
            for (int j = 0; j < child->rest; j++)
                T[relative[i] * m + relative[j]] += update[i * child->rest + j];
    }
}

/* T of the p pivots of a step holds? T is m x m; C: the factors of the step. The
 * block grows by its own terms. NaN says no. */
static bool pivots_hold(const phx_fronts *fronts, const int *rows, int p, int m, const double *C, double *T)
{
    const double *row = fronts->row, *col = fronts->col;
    bool hold = true;

    for (int k = 0; k < p; k++) {
        const double over_k = modulus(fronts, C, (size_t)(k * p + k));
        hold = hold && T[k * m + k] * over_k <= GROWTH;
        for (int i = k + 1; i < p; i++)
            for (int j = k + 1; j < p; j++)
                T[i * m + j] +=
                    modulus(fronts, C, (size_t)(i * p + k)) * modulus(fronts, C, (size_t)(k * p + j)) / over_k;
    }
    for (int k = 0; k < p; k++)
        for (int i = 0; i < m; i++)
            hold = hold && row[rows[k]] * T[k * m + i] * col[rows[i]] <= GROWTH &&
                   row[rows[i]] * T[i * m + k] * col[rows[k]] <= GROWTH;
    return hold;
}

/* What remains of T after a step:  T_uu + |L| |W| */
static void add_products(const phx_fronts *fronts, int p, int r, const double *C, const double *T, double *update)
{
    const int m = p + r;
    const size_t W = (size_t)(p * p), L = W + (size_t)(p * r);

    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) {
            double sum = T[(p + i) * m + p + j];
            for (int k = 0; k < p; k++)
                sum += modulus(fronts, C, L + (size_t)(i * p + k)) * modulus(fronts, C, W + (size_t)(k * r + j));
            update[i * r + j] = sum;
        }
}

static bool audit(phx_fronts *fronts, const double *val, const double *factors)
{
    const phx_front_tree *tree = fronts->tree;
    const size_t scalars = fronts->is_complex ? 2 : 1;
    bool hold = true;

    find_scales(fronts, val);
    for (int f = 0; f < tree->n_fronts && hold; f++) {
        const phx_front *front = &tree->front[f];
        const int *rows = tree->rows + front->rows;
        const double *C = factors + scalars * front->factor;
        double *T = fronts->work, *other = fronts->work + tree->largest;
        assemble_moduli(fronts, front, val, T);
        for (int left = front->pivots; left > 0 && hold;) {
            const int p = phx_front_step(left), r = left - p + front->rest;
            left -= p;
            double *update = left > 0 ? other : fronts->stack + front->update;
            hold = pivots_hold(fronts, rows, p, p + r, C, T);
            add_products(fronts, p, r, C, T, update);
            rows += p;
            C += scalars * phx_front_step_size(p, r);
            other = T;
            T = update;
        }
    }
    return hold;
}

/* ---- factorisation, solution ---- */
/* The size that is watched; the same to a factor of two for complex values as their modulus. */
static double watched(bool is_complex, const double *values, size_t k)
{
    return is_complex ? fabs(values[2 * k]) + fabs(values[2 * k + 1]) : fabs(values[k]);
}

static bool sizes_hold(const phx_fronts *fronts, const double *factors)
{
    const size_t count = (size_t)fronts->tree->n;
    const bool is_complex = fronts->is_complex;
    int lost = 0;
    for (size_t k = 0; k < count; k++) {
        const double size = watched(is_complex, factors, k), before = fronts->reference[k];
        lost += !(size * DRIFT >= before) | !(size <= DRIFT * before);
    }
    return lost == 0;
}

bool phx_fronts_factor(phx_fronts *fronts, const double *val, bool *audited)
{
    double *factors = fronts->factors[1 - fronts->active];

    if (fronts->is_complex)
        phx_front_factor_complex(fronts->tree, val, factors, fronts->stack, fronts->work);
    else
        phx_front_factor_real(fronts->tree, val, factors, fronts->stack, fronts->work);
    *audited = !fronts->factored || !sizes_hold(fronts, factors);
    if (*audited) {
        if (!audit(fronts, val, factors))
            return false;
        for (size_t k = 0; k < (size_t)fronts->tree->n; k++)
            fronts->reference[k] = watched(fronts->is_complex, factors, k);
    }
    fronts->active = 1 - fronts->active;
    fronts->factored = true;
    return true;
}

void phx_fronts_forget(phx_fronts *fronts)
{
    fronts->factored = false;
}

void phx_fronts_solve(phx_fronts *fronts, int nrhs, double *x)
{
    const size_t stride = (size_t)fronts->tree->n * (fronts->is_complex ? 2 : 1);

    for (int k = 0; k < nrhs; k++, x += stride) {
        if (fronts->is_complex)
            phx_front_solve_complex(fronts->tree, fronts->factors[fronts->active], x, fronts->y);
        else
            phx_front_solve_real(fronts->tree, fronts->factors[fronts->active], x, fronts->y);
    }
}

long phx_fronts_nnz(const phx_fronts *fronts)
{
    return fronts->tree->nnz;
}
