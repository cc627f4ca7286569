/* Whether a body can be made of a mesh: remarks of its deck, parts that nothing joins. */
#include "mesh/mesh.h"

#include <string.h>

bool phx_mesh_reduces(const phx_mesh *mesh, int cell)
{
    return mesh->variant && mesh->variant[cell] >= 0 && !strcmp(mesh->variants[mesh->variant[cell]], "C3D20R");
}

static int dimension_of(const phx_mesh *mesh)
{
    int highest = 0;

    for (int d = 1; d <= 3; d++)
        if (phx_mesh_count(mesh, d) > 0)
            highest = d;
    return highest;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Cells of the dimension are one part if they hang together by nodes. */
static phx_status check_joined(phx_context *context, const phx_mesh *mesh, const char *path, int dimension)
{
    int *parent = phx_calloc(context, (size_t)mesh->n_nodes, sizeof *parent), first = -1, apart = -1;

    if (!parent)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < mesh->n_nodes; i++)
        parent[i] = i;
    for (int c = 0; c < mesh->n_cells; c++)
        for (int k = mesh->first[c]; k < mesh->first[c + 1]; k++)
            if (phx_cell_info_of(mesh->type[c])->dimension == dimension)
                parent[root_of(parent, mesh->node[k])] = root_of(parent, mesh->node[mesh->first[c]]);
    for (int c = 0; c < mesh->n_cells && apart < 0; c++) {
        if (phx_cell_info_of(mesh->type[c])->dimension != dimension)
            continue;
        first = first < 0 ? c : first;
        if (root_of(parent, mesh->node[mesh->first[c]]) != root_of(parent, mesh->node[mesh->first[first]]))
            apart = c;
    }
    phx_free(parent);
    if (apart < 0)
        return PHX_OK;
    return phx_fail(context, PHX_ERR_INPUT, "%s: the cells are in parts that share no node (cells %d and %d); %s", path,
                    mesh->cell_label ? mesh->cell_label[first] : first + 1,
                    mesh->cell_label ? mesh->cell_label[apart] : apart + 1,
                    dimension < 3 ? "there are no solid elements: Gmsh saves those of a Physical Volume"
                                  : "merge the nodes where the parts touch, or make a body of each and join them");
}

phx_status phx_mesh_judge(phx_context *context, const phx_mesh *mesh, const char *path)
{
    const int dimension = dimension_of(mesh);

    for (int k = 0; k < mesh->n_remarks; k++) {
        const phx_mesh_remark *remark = &mesh->remarks[k];
        const bool beside = dimension > remark->dimension;
        if (remark->kind == PHX_MESH_FAULT || (remark->kind == PHX_MESH_FAULT_ALONE && !beside))
            return phx_fail(context, PHX_ERR_INPUT, "%s", remark->text);
        if (remark->kind == PHX_MESH_NOTE || (remark->kind == PHX_MESH_NOTE_BESIDE && beside))
            phx_log(context, PHX_LOG_WARNING, "%s", remark->text);
    }
    return check_joined(context, mesh, path, dimension);
}
