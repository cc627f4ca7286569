/* The numeric work over all fronts; the including file defines what front_kernel.h asks for, and the names of what is
 * in front_wide.h. */
#include "front_kernel.h"

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

static void assemble(const phx_front_tree *tree, const phx_front *front, const scalar *val, const scalar *stack,
                     scalar *F)
{
    const int m = front->pivots + front->rest;
    for (int k = 0; k < m * m; k++)
        F[k] = zero();
    for (size_t e = front->entries; e < front[1].entries; e++)
        F[tree->target[e]] = val[tree->source[e]];
    for (int c = front->child; c >= 0; c = tree->front[c].sibling) {
        const phx_front *child = &tree->front[c];
        add_update(child, tree->relative + child->relative, m, stack + child->update, F);
    }
}

/* The work space is two fronts: each step leaves what remains in the other one, the last step on the stack. */
static void factor(const phx_front_tree *tree, const scalar *val, scalar *factors, scalar *stack, scalar *work)
{
    scalar *over = factors;
    for (const phx_front *front = tree->front; front < tree->front + tree->n_fronts; front++) {
        scalar *C = factors + front->factor, *F = work, *other = work + tree->largest;
        assemble(tree, front, val, stack, F);
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

static void solve(const phx_front_tree *tree, const scalar *factors, scalar *x, scalar *y)
{
    const int n = tree->n;
    for (int k = 0; k < n; k++)
        y[k] = x[tree->order[k]];
    for (const phx_front *front = tree->front; front < tree->front + tree->n_fronts; front++) {
        const scalar *C = factors + front->factor;
        const int *rows = tree->rows + front->rows;
        for (int left = front->pivots; left > 0;) {
            const int p = phx_front_step(left), r = left - p + front->rest;
            kernel_of(p, r)->down(r, C, rows + p, y + rows[0], y);
            left -= p;
            rows += p;
            C += phx_front_step_size(p, r);
        }
    }
    for (const phx_front *front = tree->front + tree->n_fronts; front-- > tree->front;) {
        const scalar *C = factors + front[1].factor;
        const int *rows = tree->rows + front->rows + front->pivots;
        for (int done = 0; done < front->pivots;) {
            const int p = phx_front_last_step(front->pivots - done), r = done + front->rest;
            C -= phx_front_step_size(p, r);
            rows -= p;
            done += p;
            kernel_of(p, r)->up(r, C, rows + p, y + rows[0], y);
        }
    }
    for (int k = 0; k < n; k++)
        x[tree->order[k]] = y[k];
}
