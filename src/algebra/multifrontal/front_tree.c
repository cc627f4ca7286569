/* Fronts of a pattern: elimination tree, structure of the factors, fronts of unknowns that are eliminated together, and
 * the lists by which they are assembled. */
#include "front.h"

#include <math.h>
#include <string.h>

/* Costs in multiplications, for deciding whether two fronts are better one. */
static const double FRONT_COST = 30.0, STEP_COST = 30.0, ENTRY_COST = 1.0;
/* Work beyond this many times the entries of A: no longer the sparse matrix of a mechanism. */
static const double MOST_FILL = 60.0;

typedef struct pattern {
    int n;
    const int *ptr, *idx; /* of A, rows */
    int *place;           /* of the unknowns in the elimination */
    int *low_ptr, *low;   /* of each place the earlier ones it meets, symmetrised, with repetitions */
    int *parent;          /* elimination tree */
    int *mark, *work;     /* n+1 each */
    int *count;           /* later unknowns that each touches, n */
    size_t *col_ptr;      /* n+1 */
    int *col;             /* those unknowns, ascending */
    int *start;           /* first place of each front, n_fronts+1 */
    int *owner;           /* front of each place */
    int *below;           /* places of each subtree */
} pattern;

/* ---- elimination tree ---- */
/* low: for each place the earlier places it meets in A or A^T. */
static void lower_lists(pattern *p)
{
    memset(p->low_ptr, 0, ((size_t)p->n + 1) * sizeof(int));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < p->n; i++) {
            for (int e = p->ptr[i]; e < p->ptr[i + 1]; e++) {
                const int a = p->place[i], b = p->place[p->idx[e]], late = phx_int_max(a, b), early = phx_int_min(a, b);
                if (early == late)
                    continue;
                if (pass == 0)
                    p->low_ptr[late + 1]++;
                else
                    p->low[p->low_ptr[late]++] = early;
            }
        }
        if (pass == 0)
            for (int i = 0; i < p->n; i++)
                p->low_ptr[i + 1] += p->low_ptr[i];
    }
    memmove(p->low_ptr + 1, p->low_ptr, (size_t)p->n * sizeof(int));
    p->low_ptr[0] = 0;
}

/* Liu's algorithm; work holds the shortcuts. */
static void elimination_tree(pattern *p)
{
    for (int i = 0; i < p->n; i++) {
        p->parent[i] = p->work[i] = -1;
        for (int e = p->low_ptr[i]; e < p->low_ptr[i + 1]; e++) {
            int k = p->low[e];
            while (p->work[k] >= 0 && p->work[k] != i) {
                const int next = p->work[k];
                p->work[k] = i;
                k = next;
            }
            if (p->work[k] < 0) {
                p->work[k] = i;
                p->parent[k] = i;
            }
        }
    }
}

static void count_below(pattern *p)
{
    for (int k = 0; k < p->n; k++)
        p->below[k] = 1;
    for (int k = 0; k < p->n; k++)
        if (p->parent[k] >= 0)
            p->below[p->parent[k]] += p->below[k];
}

/* Renumber the places so that each subtree is contiguous (postorder), the largest child of each first: the same
 * elimination in another sequence, in which little waits. */
static void postorder(pattern *p)
{
    int *first = p->mark, *next = p->work, *stack = p->count, at = 0;
    count_below(p);
    for (int k = 0; k <= p->n; k++)
        first[k] = -1;
    for (int k = p->n - 1; k >= 0; k--) {
        const int parent = p->parent[k] < 0 ? p->n : p->parent[k], head = first[parent];
        if (head >= 0 && p->below[head] > p->below[k]) {
            next[k] = next[head];
            next[head] = k;
        } else {
            next[k] = head;
            first[parent] = k;
        }
    }
    int *renumbered = p->parent; /* not needed any more once the lists of children stand */
    for (int root = first[p->n]; root >= 0; root = next[root]) {
        int depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            const int k = stack[depth - 1], child = first[k];
            if (child >= 0) {
                first[k] = next[child];
                stack[depth++] = child;
            } else {
                renumbered[k] = at++;
                depth--;
            }
        }
    }
    for (int i = 0; i < p->n; i++)
        p->place[i] = renumbered[p->place[i]];
}

/* Row i of L is nonzero on the paths from its entries up to i. Counts the columns, or fills them (ascending). */
static void row_subtrees(pattern *p, bool fill)
{
    for (int k = 0; k < p->n; k++) {
        p->mark[k] = -1;
        p->count[k] = 0;
    }
    for (int i = 0; i < p->n; i++) {
        p->mark[i] = i;
        for (int e = p->low_ptr[i]; e < p->low_ptr[i + 1]; e++) {
            for (int k = p->low[e]; p->mark[k] != i; k = p->parent[k]) {
                p->mark[k] = i;
                if (fill)
                    p->col[p->col_ptr[k] + (size_t)p->count[k]] = i;
                p->count[k]++;
            }
        }
    }
}

/* ---- fronts ---- */
double phx_front_cost(int pivots, int rest)
{
    double sum = FRONT_COST + ENTRY_COST * (pivots + rest) * (pivots + rest);
    for (int left = pivots; left > 0; left -= phx_front_step(left)) {
        const double p = phx_front_step(left), m = left + rest;
        sum += STEP_COST + p * m * m;
    }
    return sum;
}

/* The cost of a front of the places first .. last. */
static double cost_of(const pattern *p, int first, int last)
{
    return phx_front_cost(last + 1 - first, p->count[last]);
}

/* Place k has the structure of the one before. */
static bool goes_on(const pattern *p, int k)
{
    return p->parent[k - 1] == k && p->count[k - 1] == p->count[k] + 1;
}

/* Columns of one structure become one front, and a front its parent's part when that is cheaper; start <- first place
 * of each. Returns their number. */
static int choose_fronts(pattern *p)
{
    int n_fronts = 0;
    for (int k = 0; k < p->n; k++) {
        if (k == 0 || !goes_on(p, k))
            p->start[n_fronts++] = k;
        const bool ends = k + 1 == p->n || !goes_on(p, k + 1);
        while (ends && n_fronts > 1) {
            const int mine = p->start[n_fronts - 1], before = p->start[n_fronts - 2];
            const int parent = p->parent[mine - 1];
            if (parent < mine || parent > k)
                break;
            if (cost_of(p, before, k) > cost_of(p, mine, k) + cost_of(p, before, mine - 1))
                break;
            n_fronts--;
        }
    }
    p->start[n_fronts] = p->n;
    return n_fronts;
}

/* Place of unknown k in a front. */
static int place_in(const phx_front_tree *tree, const phx_front *front, int k)
{
    const int *rows = tree->rows + front->rows;
    int low = 0, high = front->pivots + front->rest - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (rows[middle] < k)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sizes and places in the arrays. */
static void front_tree_lay_out(phx_front_tree *tree, pattern *p)
{
    phx_front end = {.child = -1, .sibling = -1};
    for (int f = 0; f < tree->n_fronts; f++) {
        phx_front *front = &tree->front[f];
        const int first = p->start[f], last = p->start[f + 1] - 1;
        *front = end;
        front->pivots = last + 1 - first;
        front->rest = p->count[last];
        for (int k = first; k <= last; k++) {
            tree->rows[end.rows + (size_t)(k - first)] = k;
            p->owner[k] = f;
        }
        memcpy(tree->rows + end.rows + front->pivots, p->col + p->col_ptr[last], (size_t)front->rest * sizeof(int));
        const size_t all = (size_t)front->pivots + (size_t)front->rest;
        end.rows += all;
        end.relative += (size_t)front->rest;
        tree->largest = all * all > tree->largest ? all * all : tree->largest;
    }
    tree->front[tree->n_fronts] = end;
}

/* Places of the factors. */
static void lay_factors(phx_front_tree *tree)
{
    size_t at = (size_t)tree->n;
    for (int f = 0; f < tree->n_fronts; f++) {
        phx_front *front = &tree->front[f];
        front->factor = at;
        at += phx_front_factor_size(front->pivots, front->rest);
    }
    tree->front[tree->n_fronts].factor = at;
    tree->factor_size = at;
}

/* The tree of the fronts; the first child stands last in the list of its parent. */
static void link_fronts(phx_front_tree *tree, const pattern *p)
{
    for (int f = 0; f < tree->n_fronts; f++) {
        phx_front *front = &tree->front[f];
        int *relative = tree->relative + front->relative;
        const int *rows = tree->rows + front->rows + front->pivots;
        if (front->rest == 0)
            continue;
        phx_front *parent = &tree->front[p->owner[rows[0]]];
        front->sibling = parent->child;
        parent->child = f;
        front->in_a_row = true;
        for (int i = 0; i < front->rest; i++) {
            relative[i] = place_in(tree, parent, rows[i]);
            front->in_a_row = front->in_a_row && relative[i] == relative[0] + i;
        }
    }
}

/* A front's update takes the place on the stack of those of its children. Every branch begins where nothing has been
 * yet: its updates lie apart from all others that may be there at the same time. */
static void lay_stack(phx_front_tree *tree)
{
    size_t top = 0;
    for (int f = 0, b = 0; f < tree->n_fronts; f++) {
        phx_front *front = &tree->front[f];
        if (b < tree->n_branches && tree->branch[b].first == f) {
            top = tree->stack_size + PHX_FRONT_APART;
            b++;
        }
        for (int c = front->child; c >= 0; c = tree->front[c].sibling)
            top = tree->front[c].update;
        front->update = top;
        top += (size_t)front->rest * (size_t)front->rest;
        tree->stack_size = top > tree->stack_size ? top : tree->stack_size;
    }
}

int phx_front_end_place(const phx_front_tree *tree, int front)
{
    return tree->rows[tree->front[front].rows] + tree->front[front].pivots;
}

/* Each entry of A belongs to the front that eliminates the earlier of its two unknowns. */
static void list_entries(phx_front_tree *tree, const pattern *p)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < p->n; i++) {
            for (int e = p->ptr[i]; e < p->ptr[i + 1]; e++) {
                const int a = p->place[i], b = p->place[p->idx[e]];
                phx_front *front = &tree->front[p->owner[phx_int_min(a, b)]];
                if (pass == 1) {
                    tree->source[front->entries] = e;
                    tree->target[front->entries] =
                        place_in(tree, front, a) * (front->pivots + front->rest) + place_in(tree, front, b);
                }
                front->entries++;
            }
        }
        for (int f = 0; f < tree->n_fronts && pass == 0; f++)
            tree->front[f + 1].entries += tree->front[f].entries;
        for (int f = tree->n_fronts; f > 0; f--) /* counts to starts, ends to starts */
            tree->front[f].entries = tree->front[f - 1].entries;
        tree->front[0].entries = 0;
    }
}

/* ---- creation ---- */
static phx_status allocate_pattern(phx_context *context, pattern *p)
{
    const size_t n = (size_t)p->n, entries = (size_t)p->ptr[p->n];
    p->place = phx_calloc(context, n, sizeof(int));
    p->low_ptr = phx_calloc(context, n + 1, sizeof(int));
    p->low = phx_calloc(context, entries, sizeof(int));
    p->parent = phx_calloc(context, n, sizeof(int));
    p->mark = phx_calloc(context, n + 1, sizeof(int));
    p->work = phx_calloc(context, n + 1, sizeof(int));
    p->count = phx_calloc(context, n + 1, sizeof(int));
    p->col_ptr = phx_calloc(context, n + 1, sizeof(size_t));
    p->start = phx_calloc(context, n + 1, sizeof(int));
    p->owner = phx_calloc(context, n, sizeof(int));
    p->below = phx_calloc(context, n, sizeof(int));
    const bool done = p->place && p->low_ptr && p->low && p->parent && p->mark && p->work && p->count && p->col_ptr &&
                      p->start && p->owner && p->below;
    return done ? PHX_OK : PHX_ERR_MEMORY;
}

/* Frees the working lists of the analysis. */
static void free_pattern(pattern *p)
{
    phx_free(p->place);
    phx_free(p->low_ptr);
    phx_free(p->low);
    phx_free(p->parent);
    phx_free(p->mark);
    phx_free(p->work);
    phx_free(p->count);
    phx_free(p->col_ptr);
    phx_free(p->col);
    phx_free(p->start);
    phx_free(p->owner);
    phx_free(p->below);
}

/* Structure of the factors; false when they are too full to be worth it. */
static bool front_tree_analyse(pattern *p, const int *order)
{
    for (int k = 0; k < p->n; k++)
        p->place[order[k]] = k;
    lower_lists(p);
    elimination_tree(p);
    postorder(p);
    lower_lists(p);
    elimination_tree(p);
    row_subtrees(p, false);
    count_below(p);
    double work = 0.0;
    for (int k = 0; k < p->n; k++) {
        p->col_ptr[k + 1] = p->col_ptr[k] + (size_t)p->count[k];
        work += (double)p->count[k];
    }
    return work <= MOST_FILL * ((double)p->ptr[p->n] + p->n);
}

/* Builds the fronts from the analysed pattern: structure, entries, branches, and places of factors and updates. */
static phx_status front_tree_build(phx_context *context, phx_front_tree *tree, pattern *p)
{
    const size_t n = (size_t)p->n, entries = (size_t)p->ptr[p->n];

    p->col = phx_calloc(context, p->col_ptr[n], sizeof(int));
    if (!p->col)
        return PHX_ERR_MEMORY;
    row_subtrees(p, true);
    tree->n_fronts = choose_fronts(p);
    size_t rest = 0;
    for (int f = 0; f < tree->n_fronts; f++)
        rest += (size_t)p->count[p->start[f + 1] - 1];
    tree->nnz = (long)(2 * p->col_ptr[n] + n);
    tree->order = phx_calloc(context, n, sizeof(int));
    tree->front = phx_calloc(context, (size_t)tree->n_fronts + 1, sizeof *tree->front);
    tree->rows = phx_calloc(context, n + rest, sizeof(int));
    tree->slot = phx_calloc(context, n + rest, sizeof(int));
    tree->relative = phx_calloc(context, rest, sizeof(int));
    tree->source = phx_calloc(context, entries, sizeof(int));
    tree->target = phx_calloc(context, entries, sizeof(int));
    if (!tree->order || !tree->front || !tree->rows || !tree->slot || !tree->relative || !tree->source || !tree->target)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < p->n; i++)
        tree->order[p->place[i]] = i;
    front_tree_lay_out(tree, p);
    link_fronts(tree, p);
    list_entries(tree, p);
    memcpy(tree->slot, tree->rows, (n + rest) * sizeof(int));
    const phx_status status = phx_front_cut(context, tree);
    lay_factors(tree);
    lay_stack(tree);
    return status;
}

/* Creates the tree of fronts for a pattern and order. *tree is NULL with PHX_OK if the factors would be too large for
 * fronts. */
phx_status phx_front_tree_create(phx_context *context, int n, const int *ptr, const int *idx, const int *order,
                                 phx_front_tree **tree)
{
    pattern p = {.n = n, .ptr = ptr, .idx = idx};
    phx_front_tree *created = NULL;
    phx_status status = allocate_pattern(context, &p);

    *tree = NULL;
    if (status || !front_tree_analyse(&p, order))
        goto cleanup;
    created = phx_calloc(context, 1, sizeof *created);
    if (!created) {
        status = PHX_ERR_MEMORY;
        goto cleanup;
    }
    created->n = n;
    status = front_tree_build(context, created, &p);
    if (status)
        phx_front_tree_destroy(created);
    else
        *tree = created;
cleanup:
    free_pattern(&p);
    return status;
}

phx_status phx_order_work(phx_context *context, int n, const int *ptr, const int *idx, const int *order, double *work)
{
    if (n > 0 && (!ptr || !idx || !order || !work))
        return phx_fail_null(context, __func__, "ptr, idx, order or work");
    phx_front_tree *tree = NULL;
    const phx_status status = phx_front_tree_create(context, n, ptr, idx, order, &tree);

    *work = tree ? 0.0 : HUGE_VAL;
    for (int f = 0; tree && f < tree->n_fronts; f++)
        *work += phx_front_cost(tree->front[f].pivots, tree->front[f].rest);
    phx_front_tree_destroy(tree);
    return status;
}

/* Frees a tree; NULL is allowed. */
void phx_front_tree_destroy(phx_front_tree *tree)
{
    if (!tree)
        return;
    phx_free(tree->order);
    phx_free(tree->front);
    phx_free(tree->rows);
    phx_free(tree->slot);
    phx_free(tree->slot_place);
    phx_free(tree->branch);
    phx_free(tree->relative);
    phx_free(tree->source);
    phx_free(tree->target);
    phx_free(tree);
}
