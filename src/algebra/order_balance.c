/* Another order of the same fill whose elimination tree hangs from its middle.
 *
 * A minimum-degree order takes a chain from one end to the other: a tree without branches, in which nothing can go on
 * side by side. The filled pattern is chordal, and of a chordal graph the reverse of every maximum cardinality search,
 * whatever unknown it starts from, is an order without more fill. So it starts from the unknown that cuts the tree into
 * pieces of at most half: of a chain both ends come first and the middle last. */
#include <string.h>

#include "internal.h"

/* Beyond this many times the entries the pattern is not that of a mechanism, and the order stays as it is. */
static const size_t MOST_FILL = 8;
/* A tree whose largest branch is not more than this part of it is balanced enough. */
static const double BALANCED = 0.625;

/* Unknowns go by their places in the given order. */
typedef struct filled {
    int n;
    const int *ptr, *idx;
    int *integers, *parent, *child, *sibling, *mark, *place;
    int *met_ptr, *met; /* of each the later ones that it meets in the pattern, with repetitions */
    size_t *late_ptr;   /* of each the later ones that it meets when it is eliminated */
    int *late;
    size_t *early_ptr; /* of each the earlier ones that meet it */
    int *early;
    double *weight; /* of each with all below it */
} filled;

/* Allocates lists for a fill of at most MOST_FILL times the pattern. */
static phx_status order_balance_allocate(phx_context *context, filled *f)
{
    const size_t n = (size_t)f->n, entries = (size_t)f->ptr[f->n], capacity = MOST_FILL * (entries + n);
    f->integers = phx_calloc(context, 6 * n + 1 + entries, sizeof *f->integers);
    f->late_ptr = phx_calloc(context, 2 * (n + 1), sizeof *f->late_ptr);
    f->late = phx_calloc(context, 2 * capacity, sizeof *f->late);
    f->weight = phx_calloc(context, n, sizeof *f->weight);
    if (!f->integers || !f->late_ptr || !f->late || !f->weight)
        return PHX_ERR_MEMORY;
    f->parent = f->integers;
    f->child = f->parent + n;
    f->sibling = f->child + n;
    f->mark = f->sibling + n;
    f->place = f->mark + n;
    f->met_ptr = f->place + n;
    f->met = f->met_ptr + n + 1;
    f->early_ptr = f->late_ptr + n + 1;
    f->early = f->late + capacity;
    return PHX_OK;
}

static void free_filled(filled *f)
{
    phx_free(f->integers);
    phx_free(f->late_ptr);
    phx_free(f->late);
    phx_free(f->weight);
}

/* Lists for each unknown those of its neighbours that are eliminated later (counting sort). */
static void list_met(filled *f)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < f->n; i++)
            for (int e = f->ptr[i]; e < f->ptr[i + 1]; e++) {
                const int a = f->place[i], b = f->place[f->idx[e]], early = phx_int_min(a, b);
                if (pass == 0)
                    f->met_ptr[early + 1] += a != b;
                else if (a != b)
                    f->met[f->met_ptr[early]++] = phx_int_max(a, b);
            }
        for (int k = 0; k < f->n && pass == 0; k++)
            f->met_ptr[k + 1] += f->met_ptr[k];
    }
    memmove(f->met_ptr + 1, f->met_ptr, (size_t)f->n * sizeof *f->met_ptr);
    f->met_ptr[0] = 0;
}

static size_t order_balance_append(filled *f, int k, int other, size_t at)
{
    if (other == k || f->mark[other] == k)
        return at;
    f->mark[other] = k;
    f->late[at] = other;
    if (f->parent[k] < 0 || other < f->parent[k])
        f->parent[k] = other;
    return at + 1;
}

/* The unknowns that each unknown meets: in the pattern, and through its children. False when they are too many. */
static bool order_balance_fill(filled *f)
{
    const size_t capacity = MOST_FILL * ((size_t)f->ptr[f->n] + (size_t)f->n);
    size_t at = 0;
    for (int k = 0; k < f->n; k++)
        f->parent[k] = f->child[k] = f->sibling[k] = f->mark[k] = -1;
    for (int k = 0; k < f->n; k++) {
        if (at + (size_t)(f->n - k) > capacity)
            return false;
        for (int e = f->met_ptr[k]; e < f->met_ptr[k + 1]; e++)
            at = order_balance_append(f, k, f->met[e], at);
        for (int c = f->child[k]; c >= 0; c = f->sibling[c])
            for (size_t e = f->late_ptr[c]; e < f->late_ptr[c + 1]; e++)
                at = order_balance_append(f, k, f->late[e], at);
        f->late_ptr[k + 1] = at;
        if (f->parent[k] >= 0) {
            f->sibling[k] = f->child[f->parent[k]];
            f->child[f->parent[k]] = k;
        }
    }
    return true;
}

static void transpose(filled *f)
{
    const size_t n = (size_t)f->n;
    memset(f->early_ptr, 0, (n + 1) * sizeof *f->early_ptr);
    for (size_t e = 0; e < f->late_ptr[n]; e++)
        f->early_ptr[f->late[e] + 1]++;
    for (size_t k = 0; k < n; k++)
        f->early_ptr[k + 1] += f->early_ptr[k];
    for (int k = 0; k < f->n; k++)
        for (size_t e = f->late_ptr[k]; e < f->late_ptr[k + 1]; e++)
            f->early[f->early_ptr[f->late[e]]++] = k;
    memmove(f->early_ptr + 1, f->early_ptr, n * sizeof *f->early_ptr);
    f->early_ptr[0] = 0;
}

static int heaviest_child(const filled *f, int k)
{
    int best = -1;
    for (int c = f->child[k]; c >= 0; c = f->sibling[c])
        if (best < 0 || f->weight[c] > f->weight[best])
            best = c;
    return best;
}

/* The unknown that cuts the heaviest tree in pieces of at most half, or -1 when its root does well enough. */
static int find_middle(const filled *f)
{
    int root = -1;
    for (int k = 0; k < f->n; k++)
        if (f->parent[k] < 0 && (root < 0 || f->weight[k] > f->weight[root]))
            root = k;
    int middle = root, next = heaviest_child(f, root);
    if (next < 0 || f->weight[next] <= BALANCED * f->weight[root])
        return -1;
    for (; next >= 0 && f->weight[next] > 0.5 * f->weight[root]; next = heaviest_child(f, middle))
        middle = next;
    return middle;
}

/* ---- maximum cardinality search ---- */
/* Unknowns to be visited in lists by the number of their neighbours that have been; the arrays of the tree are used
 * again. */
typedef struct search {
    int *head, *next, *before, *count; /* count -1: visited */
} search;

static void order_balance_take_out(search *s, int k)
{
    if (s->before[k] >= 0)
        s->next[s->before[k]] = s->next[k];
    else
        s->head[s->count[k]] = s->next[k];
    if (s->next[k] >= 0)
        s->before[s->next[k]] = s->before[k];
}

static void put_in(search *s, int k)
{
    const int first = s->head[s->count[k]];
    s->before[k] = -1;
    s->next[k] = first;
    if (first >= 0)
        s->before[first] = k;
    s->head[s->count[k]] = k;
}

static void count_one_more(search *s, int k)
{
    if (s->count[k] < 0)
        return;
    order_balance_take_out(s, k);
    s->count[k]++;
    put_in(s, k);
}

/* reversed: n places, the last visited first; what hangs together with `middle` is visited first. */
static void visit(filled *f, int middle, int *reversed)
{
    search s = {f->parent, f->child, f->sibling, f->mark};
    for (int k = 0; k < f->n; k++) {
        s.head[k] = -1;
        s.count[k] = 0;
    }
    for (int k = 0; k < f->n; k++)
        put_in(&s, k);
    for (int left = f->n, most = 0; left > 0; left--) {
        while (s.head[most] < 0)
            most--;
        const int k = left == f->n ? middle : s.head[most];
        order_balance_take_out(&s, k);
        s.count[k] = -1;
        reversed[left - 1] = k;
        for (size_t e = f->early_ptr[k]; e < f->early_ptr[k + 1]; e++)
            count_one_more(&s, f->early[e]);
        for (size_t e = f->late_ptr[k]; e < f->late_ptr[k + 1]; e++)
            count_one_more(&s, f->late[e]);
        most = phx_int_min(most + 1, f->n - 1);
    }
}

/* Replaces an elimination order by one of the same fill whose tree is balanced about its middle; `weight`, optional, is
 * the work of each unknown. The order stays if there is too much fill or no middle. */
phx_status phx_order_balance(phx_context *context, int n, const int *ptr, const int *idx, const double *weight,
                             int *order)
{
    if (n > 0 && (!ptr || !idx || !order))
        return phx_fail_null(context, __func__, "ptr, idx or order");
    filled f = {.n = n, .ptr = ptr, .idx = idx};
    phx_status status = order_balance_allocate(context, &f);

    if (status || n == 0)
        goto cleanup;
    for (int k = 0; k < n; k++)
        f.place[order[k]] = k;
    list_met(&f);
    if (!order_balance_fill(&f))
        goto cleanup;
    transpose(&f);
    for (int k = 0; k < n; k++) {
        f.weight[k] += weight ? weight[order[k]] : 1.0;
        if (f.parent[k] >= 0)
            f.weight[f.parent[k]] += f.weight[k];
    }
    const int middle = find_middle(&f);
    if (middle < 0)
        goto cleanup;
    int *reversed = f.met_ptr; /* not needed any more, n + 1 */
    visit(&f, middle, reversed);
    for (int k = 0; k < n; k++)
        f.mark[k] = order[reversed[k]];
    memcpy(order, f.mark, (size_t)n * sizeof *order);
cleanup:
    free_filled(&f);
    return status;
}
