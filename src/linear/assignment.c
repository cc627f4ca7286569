/* The assignment problem by shortest augmenting paths (the Hungarian method with potentials, Jonker and Volgenant). */
#include <math.h>

#include "internal.h"

typedef struct paths {
    int rows, cols;
    const double *gain;
    double *u, *v;    /* potentials of rows (1..rows) and columns (1..cols) */
    double *distance; /* of each column from the tree that grows */
    int *owner;       /* row that has a column, 0: free */
    int *from;        /* column before on the shortest path */
    bool *in_tree;
} paths;

/* Grow the tree from the row that owns column 0 until a free column is reached; returns it. */
static int reach_free_column(paths *p)
{
    int at = 0;
    for (int j = 0; j <= p->cols; j++) {
        p->distance[j] = HUGE_VAL;
        p->in_tree[j] = false;
    }
    do {
        const int row = p->owner[at];
        double shortest = HUGE_VAL;
        int next = 0;
        p->in_tree[at] = true;
        for (int j = 1; j <= p->cols; j++) {
            if (p->in_tree[j])
                continue;
            /* reduced cost of (row, j), the cost being minus the gain */
            const double cost = -p->gain[(size_t)(row - 1) * p->cols + j - 1] - p->u[row] - p->v[j];
            if (cost < p->distance[j]) {
                p->distance[j] = cost;
                p->from[j] = at;
            }
            if (p->distance[j] < shortest) {
                shortest = p->distance[j];
                next = j;
            }
        }
        for (int j = 0; j <= p->cols; j++)
            if (p->in_tree[j]) {
                p->u[p->owner[j]] += shortest;
                p->v[j] -= shortest;
            } else {
                p->distance[j] -= shortest;
            }
        at = next;
    } while (p->owner[at] != 0);
    return at;
}

/* Assigns every row a different column with the largest total gain (rows <= cols); gain is rows x cols, row-major,
 * column[i] receives the column of row i. */
phx_status phx_assign(phx_context *context, int rows, int cols, const double *gain, int *column)
{
    paths p = {.rows = rows, .cols = cols, .gain = gain};
    p.u = phx_calloc(context, (size_t)rows + 1, sizeof *p.u);
    p.v = phx_calloc(context, (size_t)cols + 1, sizeof *p.v);
    p.distance = phx_calloc(context, (size_t)cols + 1, sizeof *p.distance);
    p.owner = phx_calloc(context, (size_t)cols + 1, sizeof *p.owner);
    p.from = phx_calloc(context, (size_t)cols + 1, sizeof *p.from);
    p.in_tree = phx_calloc(context, (size_t)cols + 1, sizeof *p.in_tree);
    const bool ready = p.u && p.v && p.distance && p.owner && p.from && p.in_tree;
    for (int row = 1; ready && row <= rows; row++) {
        p.owner[0] = row;
        for (int at = reach_free_column(&p); at != 0; at = p.from[at]) /* shift the path by one */
            p.owner[at] = p.owner[p.from[at]];
    }
    for (int j = 1; ready && j <= cols; j++)
        if (p.owner[j] != 0)
            column[p.owner[j] - 1] = j - 1;
    phx_free(p.u);
    phx_free(p.v);
    phx_free(p.distance);
    phx_free(p.owner);
    phx_free(p.from);
    phx_free(p.in_tree);
    return ready ? PHX_OK : PHX_ERR_MEMORY;
}
