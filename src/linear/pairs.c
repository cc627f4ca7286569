/* Rows of constraints and coordinates in pairs, for saddle-point matrices whose upper block may be anything: at a
 * frequency it is indefinite, and the rigid motions of a floating body hardly count in it. A row of G has a zero on the
 * diagonal, a rigid motion next to nothing; together they are
 *
 *     | q   g |
 *     | g   0 |,
 *
 * which the entry g of the row makes regular whatever q is. With the two rows exchanged g stands on the diagonal twice,
 * as a pivot that holds; the order is of least degree among pairs and coordinates without a row. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* ---- pairs ---- */
/* How good a partner coordinate `col` is for a row with this entry: the larger beside the stiffness, the better. */
static double worth(const phx_csr *K, double most, double entry, int col)
{
    static const double LEAST_STIFFNESS = 1e-12; /* relative to the largest */
    const int at = phx_csr_find(K, col, col);
    const double stiffness = at >= 0 ? fabs(K->val[at]) : 0.0;

    return fabs(entry) / sqrt(stiffness + LEAST_STIFFNESS * most);
}

/* Pairs each row of G with a different coordinate by the size of its entry, penalised by stiffness; partner[i] is -1 if
 * none is left. */
phx_status phx_pair_rows(phx_context *context, const phx_csr *K, const phx_csr *G, int *partner)
{
    bool *taken = phx_calloc(context, (size_t)G->cols + 1, sizeof *taken);
    double most = 0.0;

    if (!taken)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < K->rows; i++) {
        const int at = phx_csr_find(K, i, i);
        most = fmax(most, at >= 0 ? fabs(K->val[at]) : 0.0);
    }
    if (most == 0.0)
        most = 1.0;
    for (int i = 0; i < G->rows; i++) {
        double best = 0.0;
        partner[i] = -1;
        for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++)
            if (!taken[G->idx[k]] && worth(K, most, G->val[k], G->idx[k]) > best) {
                best = worth(K, most, G->val[k], G->idx[k]);
                partner[i] = G->idx[k];
            }
        if (partner[i] >= 0)
            taken[partner[i]] = true;
    }
    phx_free(taken);
    return PHX_OK;
}

/* ---- the order ---- */
/* The pattern between nodes, of `count` nodes: each entry once, sorted. */
static phx_status between_nodes(phx_context *context, const phx_csr *pattern, int count, const int *node,
                                phx_csr *nodes)
{
    const size_t entries = (size_t)pattern->ptr[pattern->rows];
    int *row = phx_calloc(context, entries + 1, sizeof *row), *col = phx_calloc(context, entries + 1, sizeof *col);
    double *val = phx_calloc(context, entries + 1, sizeof *val);
    phx_status status = row && col && val ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < pattern->rows && !status; i++)
        for (int k = pattern->ptr[i]; k < pattern->ptr[i + 1]; k++) {
            row[k] = node[i];
            col[k] = node[pattern->idx[k]];
        }
    if (!status)
        status = phx_csr_from_triplets(context, count, count, entries, row, col, val, nodes);
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* Elimination order of least fill among pairs and single coordinates; a pair stands together, its coordinate first. */
phx_status phx_pair_order(phx_context *context, const phx_csr *pattern, int n, int m, const int *partner, int *order)
{
    int *integers = phx_calloc(context, 3 * (size_t)(n + m) + 1, sizeof *integers);
    int *node = integers, *of = integers + n + m, *least = of + n + m; /* of: the row of a coordinate, or -1 */
    phx_csr nodes = {0};
    int count = n, at = 0;

    if (!integers)
        return PHX_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        node[j] = j;
        of[j] = -1;
    }
    for (int i = 0; i < m; i++) {
        node[n + i] = partner[i] >= 0 ? partner[i] : count;
        of[node[n + i]] = n + i;
        count += partner[i] < 0;
    }
    phx_status status = between_nodes(context, pattern, count, node, &nodes);
    if (!status)
        status = phx_order_amd(context, count, nodes.ptr, nodes.idx, least);
    for (int k = 0; k < count && !status; k++) {
        if (least[k] < n)
            order[at++] = least[k];
        if (of[least[k]] >= 0)
            order[at++] = of[least[k]];
    }
    phx_csr_free(&nodes);
    phx_free(integers);
    return status;
}
