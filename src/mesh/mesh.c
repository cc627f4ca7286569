/* Meshes: memory, groups, nodes by label and place. */
#include "builder.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void free_group(phx_mesh_group *group)
{
    phx_free(group->name);
    phx_free(group->cells);
    phx_free(group->nodes);
    *group = (phx_mesh_group){0};
}

/* Frees everything in a mesh and leaves it empty. */
void phx_mesh_free(phx_mesh *mesh)
{
    if (!mesh)
        return;
    for (int g = 0; g < mesh->n_groups; g++)
        free_group(&mesh->groups[g]);
    for (int v = 0; v < mesh->n_variants; v++)
        phx_free(mesh->variants[v]);
    for (int k = 0; k < mesh->n_remarks; k++)
        phx_free(mesh->remarks[k].text);
    phx_free(mesh->remarks);
    phx_free(mesh->variants);
    phx_free(mesh->variant);
    phx_free(mesh->groups);
    phx_free(mesh->x);
    phx_free(mesh->label);
    phx_free(mesh->type);
    phx_free(mesh->first);
    phx_free(mesh->node);
    phx_free(mesh->cell_label);
    memset(mesh, 0, sizeof *mesh);
}

/* ---- asking ---- */
/* dimension < 0: any, the highest first. */
static const phx_mesh_group *mesh_find(const phx_mesh *mesh, const char *name, int dimension,
                                       int compare(const char *, const char *))
{
    const phx_mesh_group *best = NULL;
    for (int g = 0; g < mesh->n_groups; g++) {
        const phx_mesh_group *group = &mesh->groups[g];
        if ((dimension < 0 || group->dimension == dimension) && compare(group->name, name) == 0 &&
            (!best || group->dimension > best->dimension))
            best = group;
    }
    return best;
}

const phx_mesh_group *phx_mesh_group_in(const phx_mesh *mesh, const char *name, int dimension)
{
    const phx_mesh_group *group = mesh_find(mesh, name, dimension, strcmp);
    return group ? group : mesh_find(mesh, name, dimension, strcasecmp);
}

const phx_mesh_group *phx_mesh_group_named(const phx_mesh *mesh, const char *name)
{
    return phx_mesh_group_in(mesh, name, -1);
}

int phx_mesh_node_labelled(const phx_mesh *mesh, int label)
{
    if (!mesh->label)
        return label >= 1 && label <= mesh->n_nodes ? label - 1 : -1;
    int low = 0, high = mesh->n_nodes;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (mesh->label[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < mesh->n_nodes && mesh->label[low] == label ? low : -1;
}

/* Returns the node nearest to x, -1 if the mesh has none. */
int phx_mesh_nearest_node(const phx_mesh *mesh, const double x[3])
{
    int nearest = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < mesh->n_nodes; i++) {
        const double *y = mesh->x + 3 * (size_t)i;
        const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (square < least) {
            least = square;
            nearest = i;
        }
    }
    return nearest;
}

int phx_mesh_count(const phx_mesh *mesh, int dimension)
{
    int count = 0;
    for (int c = 0; c < mesh->n_cells; c++)
        count += phx_cell_info_of(mesh->type[c])->dimension == dimension;
    return count;
}

/* ---- groups ---- */
static int ascending(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

/* Sorts items in [0, limit) and drops repeated ones; returns how many are left, -1 without memory. */
static int sort_once(phx_context *context, int count, int *items, int limit)
{
    int n = 0;
    if (count < limit / 16) { /* few of many: not in time proportional to `limit` */
        qsort(items, (size_t)count, sizeof *items, ascending);
        for (int i = 0; i < count; i++)
            if (i == 0 || items[i] != items[n - 1])
                items[n++] = items[i];
        return n;
    }
    bool *listed = phx_calloc(context, (size_t)limit, sizeof *listed);
    if (!listed)
        return -1;
    for (int i = 0; i < count; i++)
        listed[items[i]] = true;
    for (int i = 0; i < limit; i++)
        if (listed[i])
            items[n++] = i;
    phx_free(listed);
    return n;
}

/* The nodes of the group's cells. */
static phx_status collect_nodes(phx_context *context, const phx_mesh *mesh, phx_mesh_group *group)
{
    size_t count = 0;
    for (int i = 0; i < group->n_cells; i++)
        count += (size_t)(mesh->first[group->cells[i] + 1] - mesh->first[group->cells[i]]);
    group->nodes = phx_calloc(context, count, sizeof *group->nodes);
    if (!group->nodes)
        return PHX_ERR_MEMORY;
    int n = 0;
    for (int i = 0; i < group->n_cells; i++)
        for (int k = mesh->first[group->cells[i]]; k < mesh->first[group->cells[i] + 1]; k++)
            group->nodes[n++] = mesh->node[k];
    group->n_nodes = sort_once(context, n, group->nodes, mesh->n_nodes);
    return group->n_nodes < 0 ? PHX_ERR_MEMORY : PHX_OK;
}

/* Checks that nodes or cells of a group exist and that cells have its dimension. */
static phx_status check_items(phx_context *context, const phx_mesh *mesh, const char *name, int dimension, int count,
                              const int *items)
{
    const int limit = dimension ? mesh->n_cells : mesh->n_nodes;
    for (int i = 0; i < count; i++) {
        if (items[i] < 0 || items[i] >= limit)
            return phx_fail(context, PHX_ERR_ARGUMENT, "group %s: %s %d; the mesh has %d", phx_shown_text(name).text,
                            dimension ? "cell" : "node", items[i], limit);
        if (dimension && phx_cell_info_of(mesh->type[items[i]])->dimension != dimension)
            return phx_fail(context, PHX_ERR_ARGUMENT, "group %s of dimension %d: cell %d is a %s",
                            phx_shown_text(name).text, dimension, items[i],
                            phx_cell_info_of(mesh->type[items[i]])->name);
    }
    return PHX_OK;
}

/* Fills a group with the items of an old one and new ones, sorted and without repetitions, and collects the nodes of
 * its cells. */
phx_status phx_mesh_fill_group(phx_context *context, const phx_mesh *mesh, const phx_mesh_group *old, int count,
                               const int *items, phx_mesh_group *group)
{
    const bool nodes = group->dimension == 0;
    const int n_old = !old ? 0 : nodes ? old->n_nodes : old->n_cells;
    if (count > INT_MAX - n_old)
        return phx_fail(context, PHX_ERR_ARGUMENT, "group %s: %d items and %d more", phx_shown_text(group->name).text,
                        n_old, count);
    int *all = phx_calloc(context, (size_t)n_old + (size_t)count, sizeof *all);
    if (!all)
        return PHX_ERR_MEMORY;
    if (n_old)
        memcpy(all, nodes ? old->nodes : old->cells, (size_t)n_old * sizeof *all);
    if (count)
        memcpy(all + n_old, items, (size_t)count * sizeof *all);
    *(nodes ? &group->nodes : &group->cells) = all;
    const int n = sort_once(context, n_old + count, all, nodes ? mesh->n_nodes : mesh->n_cells);
    if (n < 0)
        return PHX_ERR_MEMORY;
    *(nodes ? &group->n_nodes : &group->n_cells) = n;
    return nodes ? PHX_OK : collect_nodes(context, mesh, group);
}

/* Adds items to the group of this name and dimension, which is created if new. The mesh is unchanged after a failure.
 */
phx_status phx_mesh_add_group(phx_context *context, phx_mesh *mesh, const char *name, int dimension, int count,
                              const int *items)
{
    if (!mesh || !name || (!items && count > 0))
        return phx_fail_null(context, __func__, "mesh, name or items");
    if (dimension < 0 || dimension > 3 || count < 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "group %s: %d items of dimension %d", phx_shown_text(name).text,
                        count, dimension);
    phx_status status = check_items(context, mesh, name, dimension, count, items);
    if (status)
        return status;
    const phx_mesh_group *old = mesh_find(mesh, name, dimension, strcmp);
    phx_mesh_group group = {.name = phx_strdup(context, name), .dimension = dimension};
    status = group.name ? phx_mesh_fill_group(context, mesh, old, count, items, &group) : PHX_ERR_MEMORY;
    phx_mesh_group *grown = NULL;
    if (!status && !old) {
        grown = phx_realloc(context, mesh->groups, (size_t)mesh->n_groups + 1, sizeof *grown);
        status = grown ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (status) {
        free_group(&group);
        return status;
    }
    if (grown) {
        mesh->groups = grown;
        mesh->groups[mesh->n_groups++] = group;
    } else {
        const int g = (int)(old - mesh->groups);
        free_group(&mesh->groups[g]);
        mesh->groups[g] = group;
    }
    return PHX_OK;
}

const char *phx_mesh_left_out(const phx_mesh *mesh)
{
    for (int v = 0; v < mesh->n_variants; v++) {
        bool used = false;
        for (int c = 0; c < mesh->n_cells && !used; c++)
            used = mesh->variant[c] == v;
        if (!used)
            return mesh->variants[v];
    }
    return NULL;
}
