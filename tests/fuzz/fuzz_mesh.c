/* Any bytes as a mesh file: the reader refuses them with a message or makes a mesh all of whose indices are inside. */
#include "fuzz_mesh.h"

#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(bool true_here, const char *what)
{
    if (true_here)
        return;
    fprintf(stderr, "fuzz_mesh: %s\n", what);
    abort();
}

static void check_cells(const phx_mesh *mesh)
{
    expect(mesh->first[0] == 0, "the first node of the first cell");
    for (int c = 0; c < mesh->n_cells; c++) {
        const phx_cell_info *cell = phx_cell_info_of(mesh->type[c]);
        expect(cell && mesh->first[c + 1] - mesh->first[c] == cell->nodes, "the number of nodes of a cell");
        expect(!mesh->variant || mesh->variant[c] < mesh->n_variants, "the variant of a cell");
        for (int k = mesh->first[c]; k < mesh->first[c + 1]; k++)
            expect(mesh->node[k] >= 0 && mesh->node[k] < mesh->n_nodes, "a node of a cell");
    }
}

static void check_list(int count, const int *items, int limit)
{
    for (int i = 0; i < count; i++)
        expect(items[i] >= 0 && items[i] < limit && (i == 0 || items[i] > items[i - 1]), "an item of a group");
}

static void check_mesh(const phx_mesh *mesh)
{
    expect(mesh->n_nodes > 0, "a mesh without nodes");
    for (int i = 0; i < mesh->n_nodes; i++) {
        const int label = mesh->label ? mesh->label[i] : i + 1;
        expect(phx_mesh_node_labelled(mesh, label) == i, "the label of a node");
        for (int k = 0; k < 3; k++)
            expect(isfinite(mesh->x[3 * (size_t)i + (size_t)k]), "a coordinate");
    }
    check_cells(mesh);
    for (int g = 0; g < mesh->n_groups; g++) {
        const phx_mesh_group *group = &mesh->groups[g];
        expect(phx_mesh_group_in(mesh, group->name, group->dimension) == group, "the name of a group");
        check_list(group->n_cells, group->cells, mesh->n_cells);
        check_list(group->n_nodes, group->nodes, mesh->n_nodes);
        for (int i = 0; i < group->n_cells; i++)
            expect(phx_cell_info_of(mesh->type[group->cells[i]])->dimension == group->dimension, "a cell of a group");
    }
}

static void check_deck(const phx_mesh *mesh, const phx_deck *deck)
{
    for (int s = 0; s < deck->n_sections; s++) {
        const phx_deck_section *section = &deck->sections[s];
        expect(section->material >= -1 && section->material < deck->n_materials, "the material of a section");
        (void)phx_mesh_group_named(mesh, section->group); /* NULL for a set without elements */
    }
}

void fuzz_mesh(const char *path, const uint8_t *data, size_t size)
{
    phx_context *context = NULL;
    phx_mesh mesh;
    phx_deck deck;
    if (phx_context_create(&context))
        return;
    const phx_status status = phx_mesh_read_bytes(context, path, (const char *)data, size, 1e-3, &mesh, &deck);
    if (status) {
        expect(status == PHX_ERR_INPUT || status == PHX_ERR_FILE, phx_context_message(context));
        expect(!strncmp(phx_context_message(context), path, strlen(path)), phx_context_message(context));
    } else {
        check_mesh(&mesh);
        check_deck(&mesh, &deck);
    }
    phx_mesh_free(&mesh);
    phx_deck_free(&deck);
    phx_context_destroy(context);
}
