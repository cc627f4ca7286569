/* Block elimination without pivoting: a multifrontal factorisation on small dense fronts, for matrices whose
 * elimination order makes every leading block regular.
 *
 * The pattern is taken as symmetric. Unknowns that are eliminated together make a front, a dense square matrix of its
 * pivots and of the later unknowns that they touch. It is eliminated in steps of up to three pivots,
 *
 *     F = [ F_pp  F_pu ] ,   F = entries of A that belong to it + updates of its children + ... ,
 *         [ F_up  F_uu ]
 *
 *     W = F_pp^-1 F_pu ,  L = F_up ,  update = F_uu - L W ,
 *
 * and what remains is added to the parent's front. Solving:  z = F_pp^-1 b_p ,  b_u <- b_u - L z  up the tree, then
 * x_p = z - W x_u  down. Children come before their parent, and their updates wait on a stack. */
#ifndef PHLEXOR_ALGEBRA_FRONT_H
#define PHLEXOR_ALGEBRA_FRONT_H

#include "algebra/internal.h"

enum {
    PHX_FRONT_STEP = 3,  /* most pivots of a step */
    PHX_FRONT_APART = 16 /* scalars between what two threads write all the time: more than a cache line, 64 bytes */
};

/* Pivots of the next step when `left` are left, the same number seen from the end, and scalars of its C, W, L. */
static inline int phx_front_step(int left)
{
    return left < PHX_FRONT_STEP ? left : PHX_FRONT_STEP;
}

static inline int phx_front_last_step(int left)
{
    return (left - 1) % PHX_FRONT_STEP + 1;
}

static inline size_t phx_front_step_size(int p, int r)
{
    return (size_t)p * (size_t)(p + 2 * r);
}

/* Scalars of C, W, L of all steps of a front. */
static inline size_t phx_front_factor_size(int pivots, int rest)
{
    size_t size = 0;
    for (int left = pivots; left > 0; left -= phx_front_step(left))
        size += phx_front_step_size(phx_front_step(left), left - phx_front_step(left) + rest);
    return size;
}

/* One front. The last four are places in the arrays of the tree, the factors, the stack (entries or scalars). */
typedef struct phx_front {
    int pivots, rest;   /* unknowns eliminated here; unknowns that remain */
    int child, sibling; /* the first child, the next child of the same parent; -1: none */
    bool in_a_row;      /* the remaining unknowns stand side by side in the parent's front */
    size_t rows;        /* its unknowns, the pivots first */
    size_t relative;    /* of the remaining unknowns */
    size_t entries;     /* its entries of A, up to those of the next front */
    size_t factor;      /* C (p x p, F_pp factored), W (p x r), L (r x p) of each step, up to those of the next front */
    size_t update;      /* rest x rest */
} phx_front;

/* Fronts next to each other with all that is below them, for one thread; `front_cut.c`. */
typedef struct phx_front_branch {
    int first, end;             /* fronts */
    int first_place, end_place; /* unknowns that it eliminates */
    int first_slot, end_slot;   /* for unknowns that it touches and does not eliminate */
    double middle;              /* of its work in that of all branches, 0 .. 1 */
} phx_front_branch;

typedef struct phx_front_tree {
    int n, n_fronts;
    int *order;       /* n: the unknown eliminated k-th; another sequence of the elimination that was asked for */
    phx_front *front; /* n_fronts, and the end of the last */
    int *rows;        /* of each front: places in the order, ascending */
    int *relative;    /* of each front: places of what remains in the parent's front */
    int *source;      /* of each front: entries of A ... */
    int *target;      /* ... and their places in the front, row * (pivots + rest) + column */
    int n_branches;   /* 0, or at least 2: the other fronts, the trunk, come after them */
    phx_front_branch *branch;
    int *slot;       /* like rows, of branches with slots, n and following, for unknowns of the trunk */
    int *slot_place; /* n_slots: the place of what a slot is for */
    int n_slots;
    size_t factor_size, stack_size, largest; /* scalars: factors with the n reciprocal pivots, stack, largest front */
    long nnz;                                /* of L + U as the given order makes them, one unit diagonal not counted */
} phx_front_tree;

/* PHX_OK with *tree NULL when the pattern is not worth it: too unsymmetric or too much fill. */
phx_status phx_front_tree_create(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                                 phx_front_tree **tree);
void phx_front_tree_destroy(phx_front_tree *tree);

/* Cost of eliminating a front, in multiplications. */
double phx_front_cost(int pivots, int rest);
/* The place after the last pivot of a front. */
int phx_front_end_place(const phx_front_tree *tree, int front);
/* Choose the branches; lists of children and rows are there, slot is a copy of rows. */
phx_status phx_front_cut(phx_context *context, phx_front_tree *tree);
/* Numeric work on the fronts first .. end-1 for one type of values; factors begin with the reciprocal pivots in the
 * order; stack and work (two of the largest front) are scratch. The result may be anything, not finite included, when a
 * pivot is bad; see front.c. The solution goes on in y (n + n_slots scalars). */
typedef struct phx_front_numeric {
    void (*factor)(const phx_front_tree *tree, int first, int end, const double *val, double *factors, double *stack,
                   double *work);
    void (*down)(const phx_front_tree *tree, int first, int end, const double *factors, double *y);
    void (*up)(const phx_front_tree *tree, int first, int end, const double *factors, double *y);
    /* places first .. end-1: y <- x, x <- y */
    void (*take)(const phx_front_tree *tree, int first, int end, const double *x, double *y);
    void (*give)(const phx_front_tree *tree, int first, int end, const double *y, double *x);
    /* of a branch: the slots are added to the trunk, and take what the trunk has come to */
    void (*add_slots)(const phx_front_tree *tree, const phx_front_branch *branch, double *y);
    void (*fill_slots)(const phx_front_tree *tree, const phx_front_branch *branch, double *y);
} phx_front_numeric;
extern const phx_front_numeric phx_front_real, phx_front_real_avx2, phx_front_complex;

/* A matrix factored by fronts. */
typedef struct phx_fronts phx_fronts;
/* As phx_front_tree_create; the pattern must have been checked and must outlive the result. */
phx_status phx_fronts_create(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                             bool is_complex, phx_fronts **fronts);
void phx_fronts_destroy(phx_fronts *fronts);
/* Branches are worked on by a pool from now on (borrowed; NULL: by the calling thread), with the same results. */
phx_status phx_fronts_use(phx_fronts *fronts, phx_thread_pool *pool);
phx_status phx_fronts_set_weak(phx_fronts *fronts, int count, const int *unknowns); /* phx_lu_set_weak */
/* False when these pivots are no good for these values, or a value is not finite; then there are no factors until the
 * next success. *audited: the factors have been checked in full, not only against sizes known to be good. */
bool phx_fronts_factor(phx_fronts *fronts, const double *val, bool *audited);
/* The factors as they are. */
void phx_fronts_archive(phx_archive *archive, phx_fronts *fronts);
/* The next factors are audited as the first ones are. */
void phx_fronts_forget(phx_fronts *fronts);
void phx_fronts_solve(phx_fronts *fronts, int nrhs, double *x);
/* Whether solutions need no look at their residuals; and r = b - A x (n scalars each) of values val, true when it is as
 * small as that of factors that stand. */
bool phx_fronts_stand(const phx_fronts *fronts);
bool phx_fronts_residual(phx_fronts *fronts, const double *val, const double *b, const double *x, double *r);
long phx_fronts_nnz(const phx_fronts *fronts);

#endif
