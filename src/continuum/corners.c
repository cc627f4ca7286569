/* Interpolation from the corners of quadratic elements to the nodes in the middle of their edges: u_m = (u_a + u_b)
 * / 2. On straight edges these are the fields of the linear elements with the same corners. */
#include "basis.h"

#include <string.h>

enum { ENDS = 2 };

/* The ends of the edge that a node is in the middle of, -1: of none. */
static phx_status find_ends(phx_context *context, const phx_mesh *mesh, int n_nodes, int **ends, bool *any)
{
    *ends = phx_calloc(context, ENDS * (size_t)n_nodes + 1, sizeof **ends);
    if (!*ends)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < ENDS * n_nodes; k++)
        (*ends)[k] = -1;
    *any = false;
    for (int c = 0; c < mesh->n_cells; c++) {
        const phx_cell_info *info = phx_cell_info_of(mesh->type[c]);
        const int *node = mesh->node + mesh->first[c];
        if (info->dimension != 3 || info->order != 2)
            continue;
        for (int e = 0; e < info->edges; e++)
            for (int k = 0; k < ENDS; k++)
                (*ends)[ENDS * node[info->corners + e] + k] = node[info->edge[e][k]];
        *any = true;
    }
    return PHX_OK;
}

/* unknown[3 node + component]: translations of the nodes, -1: there is none. */
static phx_status find_translations(phx_context *context, const phx_elastic_model *model, int **unknown)
{
    *unknown = phx_calloc(context, 3 * (size_t)model->n_nodes + 1, sizeof **unknown);
    if (!*unknown)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < 3 * model->n_nodes; k++)
        (*unknown)[k] = -1;
    for (int j = 0; j < model->n; j++)
        if (model->node[j] >= 0 && model->component[j] < 3)
            (*unknown)[3 * model->node[j] + model->component[j]] = j;
    return PHX_OK;
}

/* The unknowns at the ends, where coordinate c is that of a middle. */
static bool ends_of(const elastic_space *space, const int *ends, const int *unknown, int c, int found[ENDS])
{
    const phx_elastic_model *model = space->model;
    const int j = space->unknown[c];

    if (j < 0 || model->node[j] < 0 || model->component[j] >= 3 || ends[ENDS * model->node[j]] < 0)
        return false;
    for (int k = 0; k < ENDS; k++) {
        found[k] = unknown[3 * ends[ENDS * model->node[j] + k] + model->component[j]];
        if (found[k] < 0)
            return false;
    }
    return true;
}

typedef struct interpolation {
    const elastic_space *space;
    int *ends, *unknown; /* as above */
    int *number;         /* n_all: of the corners among those that are kept, -1: it is none */
    int count;           /* of all processes */
} interpolation;

static phx_status number_corners(phx_context *context, const unsigned char *left_out, interpolation *nodes)
{
    const elastic_space *space = nodes->space;
    int found[ENDS];

    nodes->number = phx_calloc(context, (size_t)space->n_all + 1, sizeof *nodes->number);
    for (int c = 0; c < space->n_all && nodes->number; c++)
        nodes->number[c] = left_out[c] || ends_of(space, nodes->ends, nodes->unknown, c, found) ? -1 : nodes->count++;
    return nodes->number ? PHX_OK : PHX_ERR_MEMORY;
}

/* Row `row`, of coordinate c. What is left out is zero; a corner that is tied follows its interface. */
static size_t corners_put_row(const interpolation *nodes, int row, int c, size_t at, int *rows, int *cols,
                              double *values)
{
    const phx_csr *T = &nodes->space->T;
    int found[ENDS];

    if (nodes->number[c] >= 0) {
        rows[at] = row;
        cols[at] = nodes->number[c];
        values[at] = 1.0;
        return at + 1;
    }
    if (!ends_of(nodes->space, nodes->ends, nodes->unknown, c, found))
        return at;
    for (int k = 0; k < ENDS; k++)
        for (int e = T->ptr[found[k]]; e < T->ptr[found[k] + 1]; e++) {
            if (nodes->number[T->idx[e]] < 0)
                continue;
            rows[at] = row;
            cols[at] = nodes->number[T->idx[e]];
            values[at++] = T->val[e] / ENDS;
        }
    return at;
}

/* Rows that interpolate the unknowns of mid-edge nodes from corner nodes, as a sparse matrix. */
static phx_status corners_make_rows(phx_context *context, const interpolation *nodes, int n, const int *coordinate,
                                    phx_csr *P)
{
    const size_t most = 12 * (size_t)n; /* two ends, each with six motions of an interface at most */
    int *rows = phx_calloc(context, most + 1, sizeof *rows), *cols = phx_calloc(context, most + 1, sizeof *cols);
    double *values = phx_calloc(context, most + 1, sizeof *values);
    phx_status status = rows && cols && values ? PHX_OK : PHX_ERR_MEMORY;
    size_t count = 0;

    for (int i = 0; i < n && !status; i++)
        count = corners_put_row(nodes, i, nodes->space->first + coordinate[i], count, rows, cols, values);
    if (!status)
        status = phx_csr_from_triplets(context, n, nodes->count, count, rows, cols, values, P);
    phx_free(rows);
    phx_free(cols);
    phx_free(values);
    return status;
}

/* Interpolation from the corner nodes for n coordinates of a mesh of quadratic elements; P is empty if there are
 * none. */
phx_status elastic_space_corners(phx_context *context, const elastic_space *space, const unsigned char *left_out, int n,
                                 const int *coordinate, int *n_corners, int *corner, phx_csr *P)
{
    interpolation nodes = {.space = space};
    bool any;

    *n_corners = 0;
    memset(P, 0, sizeof *P);
    phx_status status = find_ends(context, &space->model->mesh, space->model->n_nodes, &nodes.ends, &any);
    if (!status && any)
        status = find_translations(context, space->model, &nodes.unknown);
    if (!status && any)
        status = number_corners(context, left_out, &nodes);
    if (!status && any && nodes.count > 0)
        status = corners_make_rows(context, &nodes, n, coordinate, P);
    for (int i = 0; i < n && !status && P->rows > 0; i++)
        if (nodes.number[space->first + coordinate[i]] >= 0)
            corner[(*n_corners)++] = i;
    phx_free(nodes.ends);
    phx_free(nodes.unknown);
    phx_free(nodes.number);
    return status;
}
