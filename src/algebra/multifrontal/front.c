/* A matrix factored by fronts, and when the result may be trusted.
 *
 * There is no pivoting, so it is watched. An audit adds up the sizes of all that came together in each entry,
 *
 *     T_ij = |A_ij| + sum_k |l_ik d_k u_kj| ,
 *
 * and the growth is the largest, over every pivot, of
 *
 *     r_i T_ij c_j   and   T_kk / |d_k| ,
 *
 * r and c the scales of rows and columns that |A| has by itself: 1/sqrt|A_ii|, for zeros on the diagonal what makes the
 * largest scaled entry 1, and last the same for weak unknowns, whatever their diagonal is. The first says how much
 * larger than that of entries of A rounding may be, the second how much of a pivot cancellation took; neither depends
 * on the scaling of A. Up to TRUSTED the factors stand. Up to CHECKED, below what KLU takes for singular, the first
 * solution must show that its residual is no larger than TRUSTED allows,
 *
 *     r_i |b - A x|_i <= TRUSTED eps sum_j |x_j| / c_j   over the entries of row i;
 *
 * when it is not it is corrected until it is, and so are the others (phx_lu_solve). Growth is no fault of the order
 * alone: where joints lock all that turns across a chain of n links, what the first of them carries is n^3 times the
 * inertia of a link.
 *
 * Audited factors leave the sizes of their pivots behind. As long as these stay within a factor DRIFT later factors
 * need no audit. A value that is not finite makes a pivot not finite, or its reciprocal zero: by W or L it enters a
 * later pivot, whatever it is multiplied with.
 *
 * A failure leaves no factors: a second array for the last good ones would double the memory that a step goes through.
 *
 * Branches of the tree (front_cut.c) go first, on several threads where there is a pool, then the trunk. */
#include "front.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double TRUSTED = 1e5, CHECKED = 1e12;
static const double DRIFT = 100.0;

enum { FACTORS, STACK, WORK, ROOMS, CACHE_LINE = 64 };

struct phx_fronts {
    phx_context *context;
    phx_front_tree *tree;
    const phx_front_numeric *numeric;
    phx_thread_pool *pool;
    bool is_complex, factored;
    double growth; /* that the last audit found */
    const int *ptr, *idx;
    void *room[ROOMS]; /* of the next three, which begin at a cache line */
    double *factors;   /* factor_size scalars */
    double *stack;     /* stack_size scalars */
    double *work;      /* 2 largest scalars for each thread */
    double *y;         /* n + n_slots scalars */
    int *lost;         /* per branch: pivots that have not kept their sizes */
    const double *val; /* being factored */
    double *x;         /* being solved for */
    double *reference; /* n, sizes of the reciprocal pivots */
    double *row, *col; /* n, scales, by place in the order */
    int *place;        /* n, of the unknowns in the order */
    bool *weak;        /* n, by place in the order; NULL: none is */
};

/* Scalars of the work space before that of a thread. */
static size_t work_of_part(const phx_front_tree *tree, int part)
{
    return (size_t)part * (2 * tree->largest + PHX_FRONT_APART);
}

/* ---- creation ---- */
/* Scalars from a cache line on, in a room of their own; NULL: no memory. */
static double *aligned(const phx_fronts *fronts, size_t count, void **room)
{
    const size_t scalar = fronts->is_complex ? 2 * sizeof(double) : sizeof(double);
    char *all = phx_calloc(fronts->context, count + CACHE_LINE / scalar, scalar);
    *room = all;
    return all ? (double *)(void *)(all + (CACHE_LINE - (uintptr_t)all % CACHE_LINE) % CACHE_LINE) : NULL;
}

static const phx_front_numeric *numeric_of_reals(void)
{
#ifdef PHX_AVX2
    if (phx_cpu_has_avx2())
        return &phx_front_real_avx2;
#endif
    return &phx_front_real;
}

/* Creates the multifrontal factorisation of a pattern. *fronts is NULL with PHX_OK if fronts do not suit the
 * pattern. */
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
    created->context = context;
    created->tree = tree;
    created->numeric = is_complex ? &phx_front_complex : numeric_of_reals();
    created->is_complex = is_complex;
    created->ptr = ptr;
    created->idx = idx;
    created->factors = aligned(created, tree->factor_size, &created->room[FACTORS]);
    created->stack = aligned(created, tree->stack_size, &created->room[STACK]);
    created->work = aligned(created, work_of_part(tree, 1), &created->room[WORK]);
    created->y = phx_calloc(context, size + (size_t)tree->n_slots, scalar);
    created->lost = phx_calloc(context, (size_t)tree->n_branches, sizeof(int));
    created->reference = phx_calloc(context, size, sizeof(double));
    created->row = phx_calloc(context, size, sizeof(double));
    created->col = phx_calloc(context, size, sizeof(double));
    created->place = phx_calloc(context, size, sizeof(int));
    if (!created->factors || !created->stack || !created->work || !created->y || !created->lost ||
        !created->reference || !created->row || !created->col || !created->place) {
        phx_fronts_destroy(created);
        return PHX_ERR_MEMORY;
    }
    for (int k = 0; k < n; k++)
        created->place[tree->order[k]] = k;
    *fronts = created;
    return PHX_OK;
}

/* Frees a factorisation; NULL is allowed. */
void phx_fronts_destroy(phx_fronts *fronts)
{
    if (!fronts)
        return;
    phx_front_tree_destroy(fronts->tree);
    for (int k = 0; k < ROOMS; k++)
        phx_free(fronts->room[k]);
    phx_free(fronts->y);
    phx_free(fronts->lost);
    phx_free(fronts->reference);
    phx_free(fronts->row);
    phx_free(fronts->col);
    phx_free(fronts->place);
    phx_free(fronts->weak);
    phx_free(fronts);
}

phx_status phx_fronts_set_weak(phx_fronts *fronts, int count, const int *unknowns)
{
    fronts->weak = phx_realloc(fronts->context, fronts->weak, (size_t)fronts->tree->n, sizeof *fronts->weak);
    if (!fronts->weak)
        return PHX_ERR_MEMORY;
    memset(fronts->weak, 0, (size_t)fronts->tree->n * sizeof *fronts->weak);
    for (int k = 0; k < count; k++)
        fronts->weak[fronts->place[unknowns[k]]] = true;
    return PHX_OK;
}

/* Sets the pool of threads that work on the branches, NULL for none; the pool is borrowed. */
phx_status phx_fronts_use(phx_fronts *fronts, phx_thread_pool *pool)
{
    void *room = NULL;

    fronts->pool = NULL;
    if (!pool || fronts->tree->n_branches == 0)
        return PHX_OK;
    double *work = aligned(fronts, work_of_part(fronts->tree, phx_thread_pool_parts(pool)), &room);

    if (!work)
        return PHX_ERR_MEMORY;
    phx_free(fronts->room[WORK]);
    fronts->room[WORK] = room;
    fronts->work = work;
    fronts->pool = pool;
    return PHX_OK;
}

/* ---- audit ---- */
static double modulus(const phx_fronts *fronts, const double *values, size_t k)
{
    return fronts->is_complex ? hypot(values[2 * k], values[2 * k + 1]) : fabs(values[k]);
}

/* Factors of a front. */
typedef struct front_factors {
    const phx_fronts *fronts;
    const double *C; /* of the step */
} front_factors;

static void next_step(front_factors *factors, size_t scalars)
{
    factors->C += scalars * (factors->fronts->is_complex ? 2 : 1);
}

static double front_size_of(const front_factors *factors, size_t k)
{
    return modulus(factors->fronts, factors->C, k);
}

/* 1 / size; a size of zero gives no scale, and what has none shall not hold. */
static double over(double size)
{
    return size > 0.0 ? 1.0 / size : DBL_MAX;
}

static bool is_weak(const phx_fronts *fronts, int place)
{
    return fronts->weak && fronts->weak[place];
}

/* Scales of the unknowns that have none, the weak ones or the others, by the entries beside those that have one, and
 * where there are none by the diagonal. */
static void scale_by_others(phx_fronts *fronts, const double *val, bool weak)
{
    double *row = fronts->row, *col = fronts->col;
    const int n = fronts->tree->n;

    for (int i = 0; i < n; i++) {
        const int a = fronts->place[i];
        for (int e = fronts->ptr[i]; e < fronts->ptr[i + 1]; e++) {
            const int b = fronts->place[fronts->idx[e]];
            const double size = modulus(fronts, val, (size_t)e);
            if (row[a] <= 0.0 && col[b] > 0.0 && is_weak(fronts, a) == weak)
                row[a] = fmin(row[a], -size * col[b]); /* sizes yet: negative */
            if (col[b] <= 0.0 && row[a] > 0.0 && is_weak(fronts, b) == weak)
                col[b] = fmin(col[b], -size * row[a]);
        }
    }
    for (int i = 0; i < n && weak; i++)
        for (int e = fronts->ptr[i]; e < fronts->ptr[i + 1]; e++)
            if (fronts->idx[e] == i && fronts->row[fronts->place[i]] == 0.0 && fronts->col[fronts->place[i]] == 0.0)
                row[fronts->place[i]] = col[fronts->place[i]] = over(sqrt(modulus(fronts, val, (size_t)e)));
    for (int k = 0; k < n; k++)
        if (is_weak(fronts, k) == weak) {
            row[k] = row[k] > 0.0 ? row[k] : over(-row[k]);
            col[k] = col[k] > 0.0 ? col[k] : over(-col[k]);
        }
}

/* Scales of rows and columns. */
static void find_scales(phx_fronts *fronts, const double *val)
{
    const size_t n = (size_t)fronts->tree->n;

    memset(fronts->row, 0, n * sizeof(double));
    memset(fronts->col, 0, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const int a = fronts->place[i];
        for (int e = fronts->ptr[i]; e < fronts->ptr[i + 1]; e++) {
            const double size = fronts->idx[e] == (int)i ? modulus(fronts, val, (size_t)e) : 0.0;
            if (size > 0.0 && !is_weak(fronts, a))
                fronts->row[a] = fronts->col[a] = over(sqrt(size));
        }
    }
    scale_by_others(fronts, val, false);
    if (fronts->weak)
        scale_by_others(fronts, val, true);
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

/* The larger one; NaN when one of them is. */
static double front_larger(double a, double b)
{
    return b <= a || isnan(a) ? a : b;
}

/* The growth of T, m x m, at the p pivots of a step. The block grows by its own terms. */
static double growth_at(const front_factors *factors, const int *rows, int p, int m, double *T)
{
    const double *row = factors->fronts->row, *col = factors->fronts->col;
    double growth = 0.0;

    for (int k = 0; k < p; k++) {
        const double over_k = front_size_of(factors, (size_t)(k * p + k));
        growth = front_larger(growth, T[k * m + k] * over_k);
        for (int i = k + 1; i < p; i++)
            for (int j = k + 1; j < p; j++)
                T[i * m + j] +=
                    front_size_of(factors, (size_t)(i * p + k)) * front_size_of(factors, (size_t)(k * p + j)) / over_k;
    }
    for (int k = 0; k < p; k++)
        for (int i = 0; i < m; i++) {
            growth = front_larger(growth, row[rows[k]] * T[k * m + i] * col[rows[i]]);
            growth = front_larger(growth, row[rows[i]] * T[i * m + k] * col[rows[k]]);
        }
    return growth;
}

/* The Schur complement of T after a step:  T_uu + |L| |W| */
static void add_products(const front_factors *factors, int p, int r, const double *T, double *update)
{
    const int m = p + r;
    const size_t W = (size_t)(p * p), L = W + (size_t)(p * r);

    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) {
            double sum = T[(p + i) * m + p + j];
            for (int k = 0; k < p; k++)
                sum +=
                    front_size_of(factors, L + (size_t)(i * p + k)) * front_size_of(factors, W + (size_t)(k * r + j));
            update[i * r + j] = sum;
        }
}

/* The growth of the factors, or of a part of them that has already grown too much. */
static double audit(phx_fronts *fronts, const double *val, const double *all)
{
    const phx_front_tree *tree = fronts->tree;
    double growth = 0.0;

    find_scales(fronts, val);
    for (int f = 0; f < tree->n_fronts && growth <= CHECKED; f++) {
        const phx_front *front = &tree->front[f];
        const int *rows = tree->rows + front->rows;
        front_factors factors = {fronts, all + front->factor * (fronts->is_complex ? 2 : 1)};
        double *T = fronts->work, *other = fronts->work + tree->largest;
        assemble_moduli(fronts, front, val, T);
        for (int left = front->pivots; left > 0 && growth <= CHECKED;) {
            const int p = phx_front_step(left), r = left - p + front->rest;
            left -= p;
            double *update = left > 0 ? other : fronts->stack + front->update;
            growth = front_larger(growth, growth_at(&factors, rows, p, p + r, T));
            add_products(&factors, p, r, T, update);
            rows += p;
            next_step(&factors, phx_front_step_size(p, r));
            other = T;
            T = update;
        }
    }
    return growth;
}

/* ---- factorisation, solution ---- */
/* The size that is watched; the same to a factor of two for complex values as their modulus. */
static double watched(bool is_complex, const double *values, size_t k)
{
    return is_complex ? fabs(values[2 * k]) + fabs(values[2 * k + 1]) : fabs(values[k]);
}

/* Reciprocal pivots that have not kept their sizes. */
static int count_lost(const phx_fronts *fronts, const double *factors, int first, int end)
{
    const bool is_complex = fronts->is_complex;
    int lost = 0;
    for (size_t k = (size_t)first; k < (size_t)end; k++) {
        const double size = watched(is_complex, factors, k), before = fronts->reference[k];
        lost += !(size * DRIFT >= before) | !(size <= DRIFT * before);
    }
    return lost;
}

/* Fronts of the trunk between two branches: after the first k of them. */
static void trunk_between(const phx_front_tree *tree, int k, int *first, int *end)
{
    *first = k == 0 ? 0 : tree->branch[k - 1].end;
    *end = k == tree->n_branches ? tree->n_fronts : tree->branch[k].first;
}

static void trunk_places(const phx_front_tree *tree, int k, int *first, int *end)
{
    *first = k == 0 ? 0 : tree->branch[k - 1].end_place;
    *end = k == tree->n_branches ? tree->n : tree->branch[k].first_place;
}

/* The branches of one part: each thread takes neighbours, with about the same work. */
typedef void branch_task(phx_fronts *fronts, int part, int b);

typedef struct branch_work {
    phx_fronts *fronts;
    branch_task *task;
} branch_work;

static phx_status take_branches(void *user, phx_context *context, int part, int first, int end)
{
    const branch_work *work = user;
    const phx_front_tree *tree = work->fronts->tree;
    const int parts = phx_thread_pool_parts(work->fronts->pool);
    (void)context;
    for (int b = 0; b < tree->n_branches; b++) {
        const int at = (int)(tree->branch[b].middle * parts);
        if (at >= first && at < end)
            work->task(work->fronts, part, b);
    }
    return PHX_OK;
}

static void each_branch(phx_fronts *fronts, branch_task *task)
{
    branch_work work = {fronts, task};
    if (fronts->tree->n_branches > 0)
        (void)phx_thread_pool_run(fronts->pool, fronts->context, phx_thread_pool_parts(fronts->pool), take_branches,
                                  &work);
}

static void factor_branch(phx_fronts *fronts, int part, int b)
{
    const phx_front_branch *branch = &fronts->tree->branch[b];
    double *factors = fronts->factors,
           *work = fronts->work + work_of_part(fronts->tree, part) * (fronts->is_complex ? 2 : 1);
    fronts->numeric->factor(fronts->tree, branch->first, branch->end, fronts->val, factors, fronts->stack, work);
    fronts->lost[b] = count_lost(fronts, factors, branch->first_place, branch->end_place);
}

/* Returns how many pivots have not kept their sizes. */
static int front_factor(phx_fronts *fronts)
{
    const phx_front_tree *tree = fronts->tree;
    double *factors = fronts->factors;
    int lost = 0, first, end;
    each_branch(fronts, factor_branch);
    for (int k = 0; k <= tree->n_branches; k++) {
        trunk_between(tree, k, &first, &end);
        fronts->numeric->factor(tree, first, end, fronts->val, factors, fronts->stack, fronts->work);
        trunk_places(tree, k, &first, &end);
        lost += count_lost(fronts, factors, first, end) + (k < tree->n_branches ? fronts->lost[k] : 0);
    }
    return lost;
}

/* Factors the values without pivoting, audited when there is a reason (*audited). False if the growth is too large for
 * the factors to be used. */
bool phx_fronts_factor(phx_fronts *fronts, const double *val, bool *audited)
{
    double *factors = fronts->factors;

    fronts->val = val;
    *audited = front_factor(fronts) > 0 || !fronts->factored;
    if (*audited) {
        const double growth = audit(fronts, val, factors);
        if (!(growth <= CHECKED))
            return false;
        fronts->growth = growth;
        for (size_t k = 0; k < (size_t)fronts->tree->n; k++)
            fronts->reference[k] = watched(fronts->is_complex, factors, k);
    }
    fronts->factored = true;
    return true;
}

void phx_fronts_archive(phx_archive *archive, phx_fronts *fronts)
{
    const size_t n = (size_t)fronts->tree->n, scalar = fronts->is_complex ? 2 : 1;

    phx_archive_bool(archive, &fronts->factored);
    if (!fronts->factored)
        return;
    phx_archive_doubles(archive, scalar * fronts->tree->factor_size, fronts->factors);
    phx_archive_doubles(archive, n, fronts->reference);
    phx_archive_doubles(archive, n, fronts->row);
    phx_archive_doubles(archive, n, fronts->col);
    phx_archive_double(archive, &fronts->growth);
}

void phx_fronts_forget(phx_fronts *fronts)
{
    fronts->factored = false;
}

static void branch_down(phx_fronts *fronts, int part, int b)
{
    const phx_front_tree *tree = fronts->tree;
    const phx_front_branch *branch = &tree->branch[b];
    const size_t size = fronts->is_complex ? 2 : 1, at = (size_t)(tree->n + branch->first_slot),
                 slots = (size_t)(branch->end_slot - branch->first_slot);
    (void)part;
    fronts->numeric->take(tree, branch->first_place, branch->end_place, fronts->x, fronts->y);
    memset(fronts->y + size * at, 0, size * slots * sizeof(double));
    fronts->numeric->down(tree, branch->first, branch->end, fronts->factors, fronts->y);
}

static void branch_up(phx_fronts *fronts, int part, int b)
{
    const phx_front_tree *tree = fronts->tree;
    const phx_front_branch *branch = &tree->branch[b];
    (void)part;
    fronts->numeric->fill_slots(tree, branch, fronts->y);
    fronts->numeric->up(tree, branch->first, branch->end, fronts->factors, fronts->y);
    fronts->numeric->give(tree, branch->first_place, branch->end_place, fronts->y, fronts->x);
}

/* Solves for the unknowns of the trunk: takes the branches' sums in a fixed order, then substitutes down and up. */
static void solve_trunk(phx_fronts *fronts)
{
    const phx_front_tree *tree = fronts->tree;
    const phx_front_numeric *numeric = fronts->numeric;
    const double *factors = fronts->factors;
    int first, end;
    for (int k = 0; k <= tree->n_branches; k++) {
        trunk_places(tree, k, &first, &end);
        numeric->take(tree, first, end, fronts->x, fronts->y);
    }
    for (int b = 0; b < tree->n_branches; b++)
        numeric->add_slots(tree, &tree->branch[b], fronts->y);
    for (int k = 0; k <= tree->n_branches; k++) {
        trunk_between(tree, k, &first, &end);
        numeric->down(tree, first, end, factors, fronts->y);
    }
    for (int k = tree->n_branches; k >= 0; k--) {
        trunk_between(tree, k, &first, &end);
        numeric->up(tree, first, end, factors, fronts->y);
        trunk_places(tree, k, &first, &end);
        numeric->give(tree, first, end, fronts->y, fronts->x);
    }
}

void phx_fronts_solve(phx_fronts *fronts, int nrhs, double *x)
{
    const size_t stride = (size_t)fronts->tree->n * (fronts->is_complex ? 2 : 1);

    for (int k = 0; k < nrhs; k++, x += stride) {
        fronts->x = x;
        each_branch(fronts, branch_down);
        solve_trunk(fronts);
        each_branch(fronts, branch_up);
    }
}

bool phx_fronts_stand(const phx_fronts *fronts)
{
    return fronts->growth <= TRUSTED;
}

/* Residual r = b - A x; true if every entry is at round-off level in the scales of rows and columns. */
bool phx_fronts_residual(phx_fronts *fronts, const double *val, const double *b, const double *x, double *r)
{
    const int n = fronts->tree->n, each = fronts->is_complex ? 2 : 1;
    double *size = fronts->y; /* |x_j| / c_j */
    bool small = true;

    memcpy(r, b, (size_t)n * (size_t)each * sizeof *r);
    for (int j = 0; j < n; j++)
        size[j] = modulus(fronts, x, (size_t)j) / fronts->col[fronts->place[j]];
    for (int i = 0; i < n; i++) {
        double *of_row = r + (size_t)i * (size_t)each, allowed = 0.0;
        for (int e = fronts->ptr[i]; e < fronts->ptr[i + 1]; e++) {
            const double *a = val + (size_t)e * (size_t)each, *at = x + (size_t)fronts->idx[e] * (size_t)each;
            allowed += size[fronts->idx[e]];
            of_row[0] -= a[0] * at[0];
            if (each == 2) {
                of_row[0] += a[1] * at[1];
                of_row[1] -= a[0] * at[1] + a[1] * at[0];
            }
        }
        small = small && fronts->row[fronts->place[i]] * modulus(fronts, of_row, 0) <= TRUSTED * DBL_EPSILON * allowed;
    }
    return small;
}

long phx_fronts_nnz(const phx_fronts *fronts)
{
    return fronts->tree->nnz;
}
