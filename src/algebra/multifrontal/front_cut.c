/* Branches of the tree of fronts that can be worked on side by side.
 *
 * The tree is cut above the fronts that take longest, down to branches of a part of all work; what is above the cuts is
 * the trunk, which comes after all branches. The cut depends on the tree only, not on the number of threads: what a
 * branch adds to unknowns of the trunk it sums up by itself, in slots of its own, and the trunk takes the sums in the
 * order of the branches. So the solution is the same bit by bit on any number of threads. */
#include "front.h"

enum { PARTS = 16 };
/* Multiplications (as phx_front_cost counts) below which handing branches to threads takes longer than it saves. */
static const double SMALLEST_WORK = 1e5;
/* Branches that together are less than this part of the share of one are left to the trunk: leaves along a chain. */
static const double SMALLEST_PART = 0.1;

typedef struct cutting {
    const phx_front_tree *tree;
    double *work;     /* of each front with all below it */
    int *first;       /* the first front below each */
    int *parent;      /* -1: none */
    bool *top;        /* of a branch */
    double share;     /* work of a branch that is small enough */
    int heavy[PARTS]; /* tops of branches that are not: fewer than PARTS */
    int n_heavy;
} cutting;

/* Returns the work of all fronts. */
static double front_cut_measure(cutting *c)
{
    const phx_front_tree *tree = c->tree;
    double total = 0.0;

    for (int f = 0; f < tree->n_fronts; f++)
        c->parent[f] = -1;
    for (int f = 0; f < tree->n_fronts; f++) {
        c->first[f] = f;
        c->work[f] = phx_front_cost(tree->front[f].pivots, tree->front[f].rest);
        total += c->work[f];
        for (int k = tree->front[f].child; k >= 0; k = tree->front[k].sibling) {
            c->parent[k] = f;
            c->work[f] += c->work[k];
            c->first[f] = phx_int_min(c->first[f], c->first[k]);
        }
    }
    return total;
}

/* The front after `before` (-1: none yet) below f, or of the roots. */
static int next_below(const cutting *c, int f, int before)
{
    if (f >= 0)
        return before < 0 ? c->tree->front[f].child : c->tree->front[before].sibling;
    for (int k = before + 1; k < c->tree->n_fronts; k++)
        if (c->parent[k] < 0)
            return k;
    return -1;
}

static bool is_small(const cutting *c, int f)
{
    return c->work[f] < SMALLEST_PART * c->share;
}

/* The fronts below f (-1: the roots) become tops. Small ones stand side by side and become one branch, or, when they
 * are too small even so, go to the trunk; returns the work of these. */
static double put_tops(cutting *c, int f)
{
    double small = 0.0;

    for (int k = next_below(c, f, -1); k >= 0; k = next_below(c, f, k))
        small += is_small(c, k) ? c->work[k] : 0.0;
    const bool left = small < SMALLEST_PART * c->share;
    for (int k = next_below(c, f, -1); k >= 0; k = next_below(c, f, k)) {
        c->top[k] = !left || !is_small(c, k);
        if (c->work[k] > c->share)
            c->heavy[c->n_heavy++] = k;
    }
    return left ? small : 0.0;
}

/* Place in `heavy` of the heaviest branch. */
static int heaviest(const cutting *c)
{
    int best = 0;
    for (int k = 1; k < c->n_heavy; k++)
        if (c->work[c->heavy[k]] > c->work[c->heavy[best]])
            best = k;
    return best;
}

/* Take the top off the heaviest branch, so many times. Returns after how many the time on many threads, that of the
 * trunk and of the heaviest branch, was shortest. */
static int descend(cutting *c, double total, int steps)
{
    double trunk = 0.0, shortest = total;
    int best = 0;

    c->n_heavy = 0;
    for (int f = 0; f < c->tree->n_fronts; f++)
        c->top[f] = false;
    trunk = put_tops(c, -1);
    for (int step = 1; step <= steps && c->n_heavy > 0 && trunk < shortest; step++) {
        const int at = heaviest(c), f = c->heavy[at];
        c->heavy[at] = c->heavy[--c->n_heavy];
        c->top[f] = false;
        trunk += phx_front_cost(c->tree->front[f].pivots, c->tree->front[f].rest) + put_tops(c, f);
        const double longest = c->n_heavy > 0 ? c->work[c->heavy[heaviest(c)]] : c->share;
        if (trunk + longest < shortest) {
            shortest = trunk + longest;
            best = step;
        }
    }
    return best;
}

/* Neighbouring small branches become one. Returns their number; `branch` may be NULL. */
static int list_branches(const cutting *c, phx_front_branch *branch)
{
    int count = 0, end = 0;
    double work = 0.0, before = 0.0;

    for (int f = 0; f < c->tree->n_fronts; f++) {
        if (!c->top[f])
            continue;
        if (count == 0 || end != c->first[f] || work + c->work[f] > c->share) {
            count++;
            work = 0.0;
            if (branch)
                branch[count - 1] = (phx_front_branch){.first = c->first[f]};
        }
        work += c->work[f];
        before += c->work[f];
        end = f + 1;
        if (branch) {
            branch[count - 1].end = end;
            branch[count - 1].middle = before - 0.5 * work;
        }
    }
    for (int k = 0; branch && k < count; k++)
        branch[k].middle /= before;
    return count;
}

/* Unknowns of the trunk that each branch adds to; `mark` (n, 0) tells which branch has a slot for them. */
static int list_slots(phx_front_tree *tree, int *mark, int *slot_of, bool fill)
{
    int count = 0;

    for (int k = 0; k < tree->n; k++)
        mark[k] = -1;
    for (int b = 0; b < tree->n_branches; b++) {
        phx_front_branch *branch = &tree->branch[b];
        branch->first_place = tree->rows[tree->front[branch->first].rows];
        branch->end_place = phx_front_end_place(tree, branch->end - 1);
        branch->first_slot = count;
        for (size_t k = tree->front[branch->first].rows; k < tree->front[branch->end].rows; k++) {
            const int place = tree->rows[k];
            if (place < branch->end_place)
                continue;
            if (mark[place] != b) {
                mark[place] = b;
                slot_of[place] = tree->n + count;
                if (fill)
                    tree->slot_place[count] = place;
                count++;
            }
            if (fill)
                tree->slot[k] = slot_of[place];
        }
        branch->end_slot = count;
    }
    return count;
}

static phx_status make_slots(phx_context *context, phx_front_tree *tree)
{
    const size_t n = (size_t)tree->n;
    int *mark = phx_calloc(context, 2 * n, sizeof *mark);

    if (!mark)
        return PHX_ERR_MEMORY;
    tree->n_slots = list_slots(tree, mark, mark + n, false);
    tree->slot_place = phx_calloc(context, (size_t)tree->n_slots, sizeof *tree->slot_place);
    if (tree->slot_place)
        list_slots(tree, mark, mark + n, true);
    phx_free(mark);
    return tree->slot_place ? PHX_OK : PHX_ERR_MEMORY;
}

/* Cuts the tree into branches for threads if its work is at least SMALLEST_WORK; tree->n_branches is 0 if there is
 * nothing to divide. */
phx_status phx_front_cut(phx_context *context, phx_front_tree *tree)
{
    const size_t count = (size_t)tree->n_fronts;
    cutting c = {.tree = tree};
    phx_status status = PHX_OK;

    c.work = phx_calloc(context, count, sizeof *c.work);
    c.first = phx_calloc(context, 2 * count, sizeof *c.first);
    c.top = phx_calloc(context, count, sizeof *c.top);
    if (!c.work || !c.first || !c.top) {
        status = PHX_ERR_MEMORY;
        goto cleanup;
    }
    c.parent = c.first + count;
    const double total = front_cut_measure(&c);
    c.share = total / PARTS;
    if (total < SMALLEST_WORK)
        goto cleanup;
    (void)descend(&c, total, descend(&c, total, tree->n_fronts));
    tree->n_branches = list_branches(&c, NULL);
    if (tree->n_branches < 2)
        tree->n_branches = 0;
    tree->branch = phx_calloc(context, (size_t)tree->n_branches, sizeof *tree->branch);
    if (!tree->branch) {
        status = PHX_ERR_MEMORY;
        goto cleanup;
    }
    if (tree->n_branches > 0) {
        list_branches(&c, tree->branch);
        status = make_slots(context, tree);
    }
cleanup:
    phx_free(c.work);
    phx_free(c.first);
    phx_free(c.top);
    return status;
}
