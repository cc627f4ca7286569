/* Batches of leaves that are alike.
 *
 * A leaf goes with others of the same part of the tree, a branch or what of the trunk is between two branches, so that
 * threads share no batch. A batch is eliminated when the turn of its first leaf comes, before the other ones' own;
 * their updates cannot be on the stack, which is for what comes last and goes first, and have rooms behind it. A room
 * is used again once the fronts that its leaves belong to have been assembled. */
#include "front.h"

#include <limits.h>
#include <stdlib.h>

enum { MOST_OPEN = 16, MOST_ROOMS = 64 };

/* Batches that are not full yet. */
typedef struct batching {
    phx_front_tree *tree;
    int open[MOST_OPEN], n_open;
} batching;

static bool is_leaf(const phx_front *front)
{
    return front->child < 0 && phx_front_may_batch(front->pivots, front->rest);
}

/* Fronts first .. *end-1 are a part. */
static void part_from(const phx_front_tree *tree, int first, int *end)
{
    *end = tree->n_fronts;
    for (int b = tree->n_branches - 1; b >= 0; b--) {
        if (first < tree->branch[b].first)
            *end = tree->branch[b].first;
        else if (first < tree->branch[b].end)
            *end = tree->branch[b].end;
        else
            break;
    }
}

/* Entries of a leaf in the sequence of their places. */
static void sort_entries(phx_front_tree *tree, const phx_front *front)
{
    int source[PHX_FRONT_MOST * PHX_FRONT_MOST];
    const int m = front->pivots + front->rest;
    size_t at = front->entries;

    for (int k = 0; k < m * m; k++)
        source[k] = -1;
    for (size_t e = front->entries; e < front[1].entries; e++)
        source[tree->target[e]] = tree->source[e];
    for (int k = 0; k < m * m; k++) {
        if (source[k] < 0)
            continue;
        tree->source[at] = source[k];
        tree->target[at++] = k;
    }
}

static int count_entries(const phx_front *front)
{
    return (int)(front[1].entries - front->entries);
}

static bool are_alike(const phx_front_tree *tree, const phx_front *a, const phx_front *b)
{
    const int count = count_entries(a);
    if (a->pivots != b->pivots || a->rest != b->rest || count_entries(b) != count)
        return false;
    for (int e = 0; e < count; e++)
        if (tree->target[a->entries + (size_t)e] != tree->target[b->entries + (size_t)e])
            return false;
    return true;
}

static void close_batch(batching *p, int k)
{
    for (p->n_open--; k < p->n_open; k++)
        p->open[k] = p->open[k + 1];
}

/* Puts a leaf into an open batch of alike leaves or opens a new one; a full batch is closed. */
static void put_leaf(batching *p, int f)
{
    phx_front_tree *tree = p->tree;
    phx_front *front = &tree->front[f];
    phx_front_batch *batch = NULL;
    int k = 0;

    while (k < p->n_open && !are_alike(tree, front, &tree->front[tree->batch[p->open[k]].front[0]]))
        k++;
    if (k == p->n_open) {
        if (k == MOST_OPEN)
            close_batch(p, 0);
        k = p->n_open++;
        p->open[k] = tree->n_batches++;
        batch = &tree->batch[p->open[k]];
        batch->pivots = front->pivots;
        batch->rest = front->rest;
        batch->n_entries = count_entries(front);
        batch->full = batch->n_entries == front->pivots * (front->pivots + 2 * front->rest);
        for (int l = 0; l < PHX_FRONT_SIMD_WIDTH; l++)
            batch->front[l] = f;
    }
    batch = &tree->batch[p->open[k]];
    front->batch = p->open[k];
    front->lane = batch->count;
    batch->front[batch->count++] = f;
    if (batch->count == PHX_FRONT_SIMD_WIDTH)
        close_batch(p, k);
}

/* A leaf that has found no other one goes by itself. Returns unknowns of all batches. */
static size_t drop_single(phx_front_tree *tree)
{
    size_t rows = 0;
    int kept = 0;
    for (int k = 0; k < tree->n_batches; k++) {
        phx_front_batch *batch = &tree->batch[kept];
        *batch = tree->batch[k];
        if (batch->count == 1) {
            tree->front[batch->front[0]].batch = -1;
            continue;
        }
        for (int l = 0; l < batch->count; l++)
            tree->front[batch->front[l]].batch = kept;
        batch->rows = rows;
        rows += PHX_FRONT_SIMD_WIDTH * (size_t)(batch->pivots + batch->rest);
        kept++;
    }
    tree->n_batches = kept;
    return rows;
}

static void front_batch_list_rows(phx_front_tree *tree, const phx_front_batch *batch)
{
    for (int l = 0; l < PHX_FRONT_SIMD_WIDTH; l++) {
        const int *rows = tree->slot + tree->front[batch->front[l]].rows;
        for (int k = 0; k < batch->pivots + batch->rest; k++)
            tree->batch_rows[batch->rows + (size_t)(k * PHX_FRONT_SIMD_WIDTH + l)] = rows[k];
    }
}

/* Entries of a batch in the sequence that they have in A for its first leaf. */
typedef struct listed {
    int source, entry;
} listed;

static int compare_listed(const void *a, const void *b)
{
    const listed *one = a, *other = b;
    return one->source < other->source ? -1 : one->source > other->source;
}

static void list_entries(const phx_front_tree *tree, const phx_front_batch *batch, listed *list)
{
    const int *source = tree->source + tree->front[batch->front[0]].entries;
    for (int e = 0; e < batch->n_entries; e++)
        list[e] = (listed){source[e], e};
    qsort(list, (size_t)batch->n_entries, sizeof *list, compare_listed);
}

/* Entry `b` stands beside `a` in A, in all SIMD lanes. */
static bool follows(const phx_front_tree *tree, const phx_front_batch *batch, int a, int b)
{
    bool does = true;
    for (int l = 0; l < PHX_FRONT_SIMD_WIDTH && does; l++) {
        const int *source = tree->source + tree->front[batch->front[l]].entries;
        does = source[b] == source[a] + 1;
    }
    return does;
}

static void begin_run(const phx_front_tree *tree, const phx_front_batch *batch, int entry, phx_front_run *run)
{
    const size_t all = tree->front[tree->n_fronts].entries;
    *run = (phx_front_run){.wide = true};
    for (int l = 0; l < PHX_FRONT_SIMD_WIDTH; l++) {
        run->source[l] = tree->source[tree->front[batch->front[l]].entries + (size_t)entry];
        run->wide = run->wide && (size_t)run->source[l] + 4 <= all;
    }
}

/* Lists the runs of all batches, or counts them when there is no list. */
static size_t list_runs(phx_front_tree *tree)
{
    listed list[PHX_FRONT_MOST * PHX_FRONT_MOST];
    size_t count = 0;
    for (int k = 0; k < tree->n_batches; k++) {
        phx_front_batch *batch = &tree->batch[k];
        const int *target = tree->target + tree->front[batch->front[0]].entries;
        int length = 0;
        batch->runs = count;
        list_entries(tree, batch, list);
        for (int e = 0; e < batch->n_entries; e++) {
            if (length == 0 || length == 4 || !follows(tree, batch, list[e - 1].entry, list[e].entry)) {
                length = 0;
                if (tree->run)
                    begin_run(tree, batch, list[e].entry, &tree->run[count]);
                count++;
            }
            if (tree->run) {
                tree->run[count - 1].target[length] = target[list[e].entry];
                tree->run[count - 1].length = length + 1;
            }
            length++;
        }
        batch->n_runs = (int)(count - batch->runs);
    }
    return count;
}

/* A child that touches all unknowns of its parent comes first. */
static void find_covers(phx_front_tree *tree)
{
    for (int f = 0; f < tree->n_fronts; f++) {
        phx_front *front = &tree->front[f];
        for (int c = front->child, before = -1; c >= 0 && !front->covered; before = c, c = tree->front[c].sibling) {
            if (tree->front[c].batch < 0 || tree->front[c].rest != front->pivots + front->rest)
                continue;
            front->covered = true;
            if (before >= 0) {
                tree->front[before].sibling = tree->front[c].sibling;
                tree->front[c].sibling = front->child;
                front->child = c;
            }
        }
    }
}

/* Groups the leaves of each part of the tree into batches and prepares their lists; single leaves stay fronts. */
phx_status phx_front_make_batches(phx_context *context, phx_front_tree *tree)
{
    batching p = {.tree = tree};
    size_t leaves = 0, rows = 0;

    for (int f = 0; f < tree->n_fronts; f++)
        leaves += is_leaf(&tree->front[f]);
    tree->batch = phx_calloc(context, leaves, sizeof *tree->batch);
    if (!tree->batch)
        return PHX_ERR_MEMORY;
    for (int first = 0, end; first < tree->n_fronts; first = end) {
        part_from(tree, first, &end);
        p.n_open = 0;
        for (int f = first; f < end; f++) {
            if (is_leaf(&tree->front[f])) {
                sort_entries(tree, &tree->front[f]);
                put_leaf(&p, f);
            }
        }
    }
    rows = drop_single(tree);
    tree->batch_rows = phx_calloc(context, rows, sizeof *tree->batch_rows);
    phx_front_run *runs = phx_calloc(context, list_runs(tree), sizeof *runs);
    tree->run = runs;
    if (!tree->batch_rows || !runs)
        return PHX_ERR_MEMORY;
    list_runs(tree);
    for (int k = 0; k < tree->n_batches; k++)
        front_batch_list_rows(tree, &tree->batch[k]);
    find_covers(tree);
    return PHX_OK;
}

/* ---- rooms ---- */
typedef struct room {
    size_t at, size;
    int last; /* the front after which it is free */
} room;

/* A room that is free before front `first`, or a new one. */
static room *find_room(room *rooms, int *count, int first, size_t size, size_t *top)
{
    const int oldest = phx_int_max(0, *count - MOST_ROOMS);
    for (int k = *count - 1; k >= oldest; k--)
        if (rooms[k].last < first && rooms[k].size == size)
            return &rooms[k];
    room *added = &rooms[(*count)++];
    *added = (room){.at = *top, .size = size};
    *top += size;
    return added;
}

/* Gives the updates of batched leaves places behind the stack, which are reused after their parents have been
 * assembled. */
phx_status phx_front_lay_batches(phx_context *context, phx_front_tree *tree)
{
    room *rooms = phx_calloc(context, (size_t)tree->n_batches, sizeof *rooms);
    int *parent = phx_calloc(context, (size_t)tree->n_fronts, sizeof *parent);
    phx_status status = rooms && parent ? PHX_OK : PHX_ERR_MEMORY;

    for (int f = 0; f < tree->n_fronts && !status; f++)
        parent[f] = INT_MAX;
    for (int f = 0; f < tree->n_fronts && !status; f++)
        for (int c = tree->front[f].child; c >= 0; c = tree->front[c].sibling)
            parent[c] = f;
    for (int k = 0, count = 0, end = 0; k < tree->n_batches && !status; k++) {
        const phx_front_batch *batch = &tree->batch[k];
        const int first = batch->front[0];
        const size_t size = (size_t)(batch->rest * batch->rest);
        if (first >= end) {
            part_from(tree, first, &end);
            count = 0;
            tree->stack_size += PHX_FRONT_APART;
        }
        room *own = find_room(rooms, &count, first, size * PHX_FRONT_SIMD_WIDTH, &tree->stack_size);
        own->last = first;
        for (int l = 0; l < batch->count; l++) {
            tree->front[batch->front[l]].update = own->at + (size_t)l * size;
            own->last = phx_int_max(own->last, parent[batch->front[l]]);
        }
    }
    phx_free(rooms);
    phx_free(parent);
    return status;
}
