/* The meaning of the rows of the matrices: node and component of each, by a file that lists them, or by a rule. */
#include "imported.h"

#include <stdlib.h>
#include <string.h>

static int most_rows(const phx_import *import)
{
    const int mass = import->matrix[IMPORT_MASS].rows, stiffness = import->matrix[IMPORT_STIFFNESS].rows;
    return mass > stiffness ? mass : stiffness;
}

/* Listed by a file: put into the order of the rows, each of which stands there once. */
static phx_status order_listed(phx_import *import)
{
    import_unknowns *u = &import->unknowns;
    int *label = phx_calloc(import->context, (size_t)u->n, sizeof *label);
    int *component = phx_calloc(import->context, (size_t)u->n, sizeof *component);
    phx_status status = label && component ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < u->n && !status; k++) {
        const int row = u->row[k];
        if (row >= u->n)
            status = phx_fail(import->context, PHX_ERR_INPUT,
                              "%s:%ld: row %d of node %d %s, but only %d rows are named; every row of the matrices has "
                              "a node and a component",
                              u->path, u->line[k], row + 1, u->label[k], import_component_names[u->component[k]], u->n);
        else if (label[row])
            status = phx_fail(import->context, PHX_ERR_INPUT, "%s:%ld: row %d is node %d %s, and node %d %s as well",
                              u->path, u->line[k], row + 1, u->label[k], import_component_names[u->component[k]],
                              label[row], import_component_names[component[row]]);
        if (status)
            break;
        label[row] = u->label[k];
        component[row] = u->component[k];
    }
    if (!status) {
        memcpy(u->label, label, (size_t)u->n * sizeof *label);
        memcpy(u->component, component, (size_t)u->n * sizeof *component);
    }
    phx_free(label);
    phx_free(component);
    return status;
}

static int compare_labels(const void *a, const void *b)
{
    const int left = *(const int *)a, right = *(const int *)b;
    return (left > right) - (left < right);
}

/* Row 3 (label - 1) + component of a file whose numbers are those of the nodes: renumbered over the nodes there are. */
static phx_status renumber_rows(phx_import *import, const int *sorted)
{
    import_map place = {0};
    phx_status status = PHX_OK;
    for (int i = 0, found; i < import->nodes.n && !status; i++)
        status = import_map_put(import->context, &place, sorted[i], i, &found);
    for (int r = 0; r < 2 && !status; r++) {
        import_matrix *m = &import->matrix[r];
        for (size_t k = 0; k < 2 * m->count && !status; k++) {
            int *row = k < m->count ? &m->row[k] : &m->col[k - m->count];
            const int node = import_map_find(&place, *row / 3 + 1);
            if (node < 0)
                status = phx_fail(import->context, PHX_ERR_INPUT,
                                  "%s: row or column %d would be component %d of node %d, which %s does not have; let "
                                  "the matrices be written with nodes and components",
                                  m->path, *row + 1, *row % 3 + 1, *row / 3 + 1, import->nodes.path);
            *row = 3 * node + *row % 3;
        }
        m->rows = 3 * import->nodes.n;
    }
    import_map_free(&place);
    return status;
}

/* No file says what rows are: three or six for each node. */
static phx_status number_by_rule(phx_import *import)
{
    const import_nodes *nodes = &import->nodes;
    const bool declared = import->matrix[0].declared || import->matrix[1].declared;
    const int rows = most_rows(import);
    int *sorted = phx_calloc(import->context, (size_t)nodes->n, sizeof *sorted);
    phx_status status = sorted ? PHX_OK : PHX_ERR_MEMORY;
    if (status)
        return status;
    memcpy(sorted, nodes->label, (size_t)nodes->n * sizeof *sorted);
    if (!nodes->in_order)
        qsort(sorted, (size_t)nodes->n, sizeof *sorted, compare_labels);
    const int last = sorted[nodes->n - 1];
    const bool by_label = !declared && !nodes->in_order && rows > 3LL * nodes->n && rows <= 3LL * last;
    const int components = by_label || rows <= 3LL * nodes->n ? 3 : 6;
    if (rows > (long long)components * nodes->n && !by_label)
        status = phx_fail(import->context, PHX_ERR_INPUT,
                          "%s: a matrix of %d rows, and %d nodes in %s: more than six rows for each; give a table that "
                          "says what the rows are",
                          import->matrix[IMPORT_STIFFNESS].path, rows, nodes->n, nodes->path);
    else if (declared && rows != (long long)components * nodes->n)
        status = phx_fail(import->context, PHX_ERR_INPUT,
                          "%s: a matrix of %d rows, and %d nodes in %s: neither three nor six rows for each; give a "
                          "table that says what the rows are",
                          import->matrix[IMPORT_STIFFNESS].path, rows, nodes->n, nodes->path);
    for (int i = 0; i < nodes->n && !status; i++)
        for (int c = 0; c < components && !status; c++)
            status = import_count_unknown(import, sorted[i], c);
    if (!status && by_label)
        status = renumber_rows(import, sorted);
    phx_free(sorted);
    return status;
}

static phx_status check_rows(const phx_import *import)
{
    const int n = import->unknowns.n;
    for (int r = 0; r < 2; r++) {
        const import_matrix *m = &import->matrix[r];
        if (m->path && !m->labelled && (m->declared ? m->rows != n : m->rows > n))
            return phx_fail(import->context, PHX_ERR_INPUT, "%s:%ld: row or column %d, but %s has %d unknowns", m->path,
                            m->last_line, m->rows, import->unknowns.path ? import->unknowns.path : import->nodes.path,
                            n);
    }
    return PHX_OK;
}

/* The ROT NODE of a rigid body: its translations are the rotations of the reference node. */
static phx_status turn_rotations(phx_import *import)
{
    import_unknowns *u = &import->unknowns;
    import_map reference = {0};
    phx_status status = PHX_OK;
    for (int k = 0, found; k < import->n_rigid && !status; k++)
        status =
            import_map_put(import->context, &reference, import->rigid[k].rotation, import->rigid[k].reference, &found);
    for (int k = 0; k < u->n && !status && import->n_rigid > 0; k++) {
        const int label = import_map_find(&reference, u->label[k]);
        if (label < 0)
            continue;
        if (u->component[k] > PHX_UNKNOWN_UZ)
            status = phx_fail(import->context, PHX_ERR_INPUT,
                              "node %d is said to have the rotations of node %d as its translations, but has rotations "
                              "of its own",
                              u->label[k], label);
        else if (import_map_find(&u->place, import_unknown_key(label, u->component[k] + PHX_UNKNOWN_RX)) >= 0)
            status = phx_fail(import->context, PHX_ERR_INPUT,
                              "node %d is said to have the rotations of node %d as its translations, but node %d has "
                              "rotations of its own",
                              u->label[k], label, label);
        u->label[k] = label;
        u->component[k] += PHX_UNKNOWN_RX;
    }
    import_map_free(&reference);
    return status;
}

phx_status import_name_rows(phx_import *import)
{
    phx_status status = PHX_OK;
    if (!import->matrix[IMPORT_MASS].labelled)
        status = import->unknowns.listed ? order_listed(import) : number_by_rule(import);
    else if (import->unknowns.listed)
        status = phx_fail(import->context, PHX_ERR_INPUT,
                          "%s: it says what rows are, but the matrices have nodes and components themselves; leave it "
                          "out",
                          import->unknowns.path);
    if (!status)
        status = check_rows(import);
    return status ? status : turn_rotations(import);
}
