/* Meshes: memory. */
#include "mesh.h"

#include <string.h>

void phx_mesh_free(phx_mesh *mesh)
{
    if (!mesh)
        return;
    for (int g = 0; g < mesh->n_groups; g++) {
        phx_free(mesh->groups[g].name);
        phx_free(mesh->groups[g].cells);
        phx_free(mesh->groups[g].nodes);
    }
    phx_free(mesh->groups);
    phx_free(mesh->x);
    phx_free(mesh->label);
    phx_free(mesh->type);
    phx_free(mesh->first);
    phx_free(mesh->node);
    phx_free(mesh->cell_label);
    memset(mesh, 0, sizeof *mesh);
}
