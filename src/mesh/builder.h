/* Phlexor, layer mesh, private: what a file says, collected in its order and then made a mesh.
 *
 * Nodes and cells have labels, numbers of the file that may come in any order and before what they name. A deck of
 * several instances has labels anew in each: a scope. Everything is collected first; phx_builder_index then finds what
 * every label stands for; after it sides and groups are added by index; phx_builder_finish makes the mesh. */
#ifndef PHLEXOR_MESH_BUILDER_H
#define PHLEXOR_MESH_BUILDER_H

#include "input.h"
#include "mesh.h"
#include "table.h"

/* A growing array: at least `needed` items fit in. */
phx_status phx_grow(phx_context *context, void *array, size_t *room, size_t needed, size_t size);

typedef struct phx_built_node {
    int label, scope;
    size_t place; /* in the input */
    double x[3];
} phx_built_node;

typedef struct phx_built_cell {
    phx_cell_type type;
    int label, scope;
    int variant; /* what the file calls its type; -1: nothing of its own */
    int beyond;  /* nodes in faces and inside, which the file writes last and which are not read */
    size_t place;
    size_t first; /* in cell_nodes */
} phx_built_cell;

typedef struct phx_built_group {
    char *name;
    int dimension;
    size_t count, room;
    int *items; /* cells, or of dimension 0 nodes */
} phx_built_group;

/* Where a label is: by a table when labels are dense, else by bisection. */
typedef struct phx_label_index {
    int count, low, high;
    int *table;         /* high - low + 1, -1: none; NULL: the sorted ones below */
    int *label, *index; /* count, by label */
} phx_label_index;

typedef struct phx_scope {
    int base[2]; /* of its nodes and cells: flat label = base + label */
    int most[2]; /* its largest labels */
} phx_scope;

typedef struct phx_builder {
    phx_context *context;
    phx_input *input;
    double unit;
    bool centres; /* nodes in the centres of sides and cells are read */
    size_t n_nodes, nodes_room, n_cells, cells_room, n_cell_nodes, cell_nodes_room;
    phx_built_node *nodes;
    phx_built_cell *cells;
    int *cell_nodes; /* labels until they are indexed, then indices */
    size_t n_groups, groups_room, n_variants, variants_room, n_scopes, scopes_room, n_remarks, remarks_room;
    phx_built_group *groups;
    char **variants;
    phx_mesh_remark *remarks;
    phx_scope *scopes; /* 0: the file itself */
    phx_table group_names, sides;
    phx_label_index node_index, cell_index;
    bool remarked; /* that nodes are not read */
} phx_builder;

phx_status phx_builder_init(phx_builder *builder, phx_input *input, double unit);
void phx_builder_free(phx_builder *builder);
phx_status phx_builder_scope(phx_builder *builder, int *scope); /* one more */

/* ---- collecting ---- */
/* x in the unit of the file; a label below 1 or above INT_MAX and a coordinate that is not finite are errors. */
phx_status phx_builder_node(phx_builder *builder, int scope, long long label, size_t place, const double x[3]);
/* The coordinates of a node that was added without; `node` counts in the order of adding. */
phx_status phx_builder_place_node(phx_builder *builder, size_t node, size_t place, const double x[3]);
/* With the place in front; `dimension` as in the remark. */
phx_status phx_builder_remark(phx_builder *builder, phx_mesh_remark_kind kind, int dimension, size_t place,
                              const char *text);
/* Without `centres` a quad9 becomes a quad8, a hex27 a hex20. */
void phx_builder_type(const phx_builder *builder, phx_built_cell *cell);
/* The labels of its nodes in the order of the table of cells. */
phx_status phx_builder_cell(phx_builder *builder, const phx_built_cell *cell, const int *nodes);
phx_status phx_builder_label(phx_builder *builder, const char *what, long long label, size_t place, int *value);
phx_status phx_builder_variant(phx_builder *builder, const char *name, int *variant);

/* ---- labels ---- */
phx_status phx_builder_index(phx_builder *builder);
int phx_builder_find_node(const phx_builder *builder, int scope, long long label); /* -1: there is none */
int phx_builder_find_cell(const phx_builder *builder, int scope, long long label);

/* ---- then ---- */
/* The cell that is a side of a cell, made once. */
phx_status phx_builder_side(phx_builder *builder, int cell, int side, int *index);
/* The group of this name and dimension, made when it is new. */
phx_status phx_builder_group(phx_builder *builder, const char *name, int dimension, int *group);
phx_status phx_builder_item(phx_builder *builder, int group, int item);
phx_status phx_builder_finish(phx_builder *builder, phx_mesh *mesh);

/* The items with those of `old` (may be NULL), sorted, each once, into a group that has its name and dimension. */
phx_status phx_mesh_fill_group(phx_context *context, const phx_mesh *mesh, const phx_mesh_group *old, int count,
                               const int *items, phx_mesh_group *group);

/* ---- the readers ---- */
phx_status phx_read_msh(phx_builder *builder);
phx_status phx_read_inp(phx_builder *builder, phx_deck *deck); /* deck may be NULL */
/* The mesh that the program gmsh makes of a file, in a file of a new folder, which phx_gmsh_remove removes. */
typedef struct phx_gmsh_result {
    char *folder, *mesh;
} phx_gmsh_result;
phx_status phx_gmsh_run(phx_context *context, const char *path, bool geometry, phx_gmsh_result *result);
void phx_gmsh_remove(phx_gmsh_result *result);

#endif
