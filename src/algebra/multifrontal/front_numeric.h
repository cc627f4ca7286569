/* The numeric work over all fronts; the including file defines what front_kernel.h asks for, and the names of what is
 * in front_wide.h. */
#include "front_kernel.h"

#include <string.h>

STEPS(0)
STEPS(1)
STEPS(2)
STEPS(3)
STEPS(4)
static const kernel small_kernels[SMALL_REST + 1][PHX_FRONT_STEP] = {KERNELS(0), KERNELS(1), KERNELS(2), KERNELS(3),
                                                                     KERNELS(4)};

static inline const kernel *kernel_of(int p, int r)
{
    return r <= SMALL_REST ? &small_kernels[r][p - 1]
                           : &WIDE_KERNELS[phx_int_min(r, WIDE_REST + 1) - SMALL_REST - 1][p - 1];
}

/* ---- all fronts ---- */
static inline void clear(int count, scalar *F)
{
    enum { SMALL = 64 }; /* the call of a function takes as long */
    if (count > SMALL)
        memset(F, 0, (size_t)count * sizeof *F);
    for (int k = 0; k < count && count <= SMALL; k++)
        F[k] = zero();
}

/* F, rows of m, += the update of a child */
static inline void add_update(const phx_front *child, const int *relative, int m, const scalar *update, scalar *F)
{
    if (child->in_a_row && child->rest == 2)
        add_block(2, m, F + relative[0] * (m + 1), update);
    else if (child->in_a_row && child->rest == 3)
        add_block(3, m, F + relative[0] * (m + 1), update);
    else
        WIDE_ADD(child->rest, child->in_a_row, relative, m, F, update);
}

/* The front, in `work`. */
static void assemble(const phx_front_tree *tree, const phx_front *front, const scalar *val, const scalar *stack,
                     scalar *work)
{
    const int m = front->pivots + front->rest;
    clear(m * m, work);
    for (size_t e = front->entries; e < front[1].entries; e++)
        work[tree->target[e]] = val[tree->source[e]];
    for (int c = front->child; c >= 0; c = tree->front[c].sibling) {
        const phx_front *child = &tree->front[c];
        add_update(child, tree->relative + child->relative, m, stack + child->update, work);
    }
}

/* The work space is two fronts: each step leaves what remains in the other one, the last step on the stack. */
static void factor(const phx_front_tree *tree, int first, int end, const double *values, double *to, double *waiting,
                   double *scratch)
{
    const scalar *val = (const scalar *)values;
    scalar *factors = (scalar *)to, *stack = (scalar *)waiting, *work = (scalar *)scratch;
    for (const phx_front *front = tree->front + first; front < tree->front + end; front++) {
        scalar *over = factors + tree->rows[front->rows], *C = factors + front->factor, *F = work,
               *other = work + tree->largest;
        assemble(tree, front, val, stack, work);
        for (int left = front->pivots; left > 0;) {
            const int p = phx_front_step(left), r = left - p + front->rest;
            left -= p;
            kernel_of(p, r)->eliminate(r, F, over, C, left > 0 ? other : stack + front->update);
            over += p;
            C += phx_front_step_size(p, r);
            scalar *swap = F;
            F = other;
            other = swap;
        }
    }
}

/* Forward substitution over the fronts first to end - 1. */
static void solve_down(const phx_front_tree *tree, int first, int end, const double *from, double *solution)
{
    const scalar *factors = (const scalar *)from;
    scalar *y = (scalar *)solution;
    for (const phx_front *front = tree->front + first; front < tree->front + end; front++) {
        const scalar *C = factors + front->factor;
        const int *rows = tree->slot + front->rows;
        for (int left = front->pivots; left > 0;) {
            const int p = phx_front_step(left), r = left - p + front->rest;
            kernel_of(p, r)->down(r, C, rows + p, y + rows[0], y);
            left -= p;
            rows += p;
            C += phx_front_step_size(p, r);
        }
    }
}

/* Backward substitution over the same fronts in reverse order. */
static void solve_up(const phx_front_tree *tree, int first, int end, const double *from, double *solution)
{
    const scalar *factors = (const scalar *)from;
    scalar *y = (scalar *)solution;
    for (const phx_front *front = tree->front + end; front-- > tree->front + first;) {
        const scalar *C = factors + front[1].factor;
        const int *rows = tree->slot + front->rows + front->pivots;
        for (int done = 0; done < front->pivots;) {
            const int p = phx_front_last_step(front->pivots - done), r = done + front->rest;
            C -= phx_front_step_size(p, r);
            rows -= p;
            done += p;
            kernel_of(p, r)->up(r, C, rows + p, y + rows[0], y);
        }
    }
}

static void take(const phx_front_tree *tree, int first, int end, const double *from, double *to)
{
    const scalar *x = (const scalar *)from;
    scalar *y = (scalar *)to;
    for (int k = first; k < end; k++)
        y[k] = x[tree->order[k]];
}

static void give(const phx_front_tree *tree, int first, int end, const double *from, double *to)
{
    const scalar *y = (const scalar *)from;
    scalar *x = (scalar *)to;
    for (int k = first; k < end; k++)
        x[tree->order[k]] = y[k];
}

static void add_slots(const phx_front_tree *tree, const phx_front_branch *branch, double *solution)
{
    scalar *y = (scalar *)solution;
    for (int k = branch->first_slot; k < branch->end_slot; k++) {
        const int place = tree->slot_place[k];
        y[place] = plus(y[place], y[tree->n + k]);
    }
}

static void fill_slots(const phx_front_tree *tree, const phx_front_branch *branch, double *solution)
{
    scalar *y = (scalar *)solution;
    for (int k = branch->first_slot; k < branch->end_slot; k++)
        y[tree->n + k] = y[tree->slot_place[k]];
}

#define NUMERIC                                                                                                        \
    {                                                                                                                  \
        factor, solve_down, solve_up, take, give, add_slots, fill_slots                                                \
    }
