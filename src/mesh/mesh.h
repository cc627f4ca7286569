/* Phlexor, layer mesh: meshes of surfaces and solids, made here or read from files.
 *
 * Nodes carry places in body axes (m). Cells of every dimension stand together: what a body is made of and, on its
 * boundary, the edges and faces that groups name. The order of the nodes of a cell is that of Abaqus and CalculiX:
 *
 *   LINE2, LINE3     ends, middle
 *   TRI3, TRI6       corners counterclockwise, middles of 12 23 31
 *   QUAD4, QUAD8     the same: 12 23 34 41
 *   TET4, TET10      C3D4, C3D10: corners (4 above the face 1 2 3), middles of 12 23 31 14 24 34
 *   HEX8, HEX20      C3D8, C3D20: bottom 1 2 3 4, top 5 6 7 8, middles of the bottom, of the top, of 15 26 37 48
 *   WEDGE6, WEDGE15  C3D6, C3D15: bottom 1 2 3, top 4 5 6, middles of the bottom, of the top, of 14 25 36 */
#ifndef PHLEXOR_MESH_MESH_H
#define PHLEXOR_MESH_MESH_H

#include "base/base.h"

typedef enum phx_cell_type {
    PHX_CELL_LINE2,
    PHX_CELL_LINE3,
    PHX_CELL_TRI3,
    PHX_CELL_TRI6,
    PHX_CELL_QUAD4,
    PHX_CELL_QUAD8,
    PHX_CELL_TET4,
    PHX_CELL_TET10,
    PHX_CELL_HEX8,
    PHX_CELL_HEX20,
    PHX_CELL_WEDGE6,
    PHX_CELL_WEDGE15,
    PHX_CELL_TYPES
} phx_cell_type;
enum { PHX_CELL_MOST_NODES = 20 };

typedef struct phx_cell_info {
    const char *name; /* "tet10" */
    int dimension;    /* 1, 2, 3 */
    int order;        /* 1, 2 */
    int nodes, corners;
    int sides;            /* edges of a surface cell, faces of a solid one; 0: a line */
    const int (*side)[8]; /* its nodes, those of the side's own cell type in its order, seen from outside */
    const phx_cell_type *side_type;
} phx_cell_info;
const phx_cell_info *phx_cell_info_of(phx_cell_type type);

/* A named part: cells of one dimension, or nodes alone (dimension 0). */
typedef struct phx_mesh_group {
    char *name;
    int dimension;
    int n_cells, *cells; /* ascending */
    int n_nodes, *nodes; /* of its cells, or its own; ascending, each once */
} phx_mesh_group;

typedef struct phx_mesh {
    int n_nodes;
    double *x;  /* n_nodes x 3, m */
    int *label; /* n_nodes: the number of each node in its file, ascending or not; NULL: 1, 2, ... */
    int n_cells;
    phx_cell_type *type; /* n_cells */
    int *first;          /* n_cells + 1: where its nodes begin in `node` */
    int *node;
    int *cell_label; /* n_cells: as in the file; NULL: 1, 2, ... */
    int n_groups;
    phx_mesh_group *groups;
} phx_mesh;
void phx_mesh_free(phx_mesh *mesh); /* frees what it owns, zeroes the fields; NULL is allowed */

/* ---- asking ---- */
const phx_mesh_group *phx_mesh_group_named(const phx_mesh *mesh, const char *name); /* NULL: there is none */
int phx_mesh_node_labelled(const phx_mesh *mesh, int label);                        /* -1: there is none */
int phx_mesh_nearest_node(const phx_mesh *mesh, const double x[3]);
int phx_mesh_count(const phx_mesh *mesh, int dimension); /* cells of a dimension */

/* ---- making ---- */
/* Adds a group of cells (sorted, its nodes collected) or, with dimension 0, of nodes. The name is copied; one that is
 * there already gets the union. PHX_ERR_ARGUMENT for an index outside or cells of another dimension. */
phx_status phx_mesh_add_group(phx_context *context, phx_mesh *mesh, const char *name, int dimension, int count,
                              const int *items);

/* Triangles of order 1 on the rectangle [0, size[0]] x [0, size[1]] in the plane z = 0, elements[0] x elements[1]
 * squares, each of two triangles (the diagonal from the lower left) or, crossed, of four. `grading` (>= 1) draws nodes
 * towards x = 0 (and, below 0 of its components, nothing): x -> size (x/size)^grading. Groups: "all" (triangles), edges
 * "x0" "x1" "y0" "y1", corners "x0y0" "x1y0" "x0y1" "x1y1". */
typedef struct phx_rectangle_mesh {
    double size[2];
    int elements[2];
    bool crossed;
    double grading[2]; /* 1: uniform */
} phx_rectangle_mesh;
phx_status phx_mesh_rectangle(phx_context *context, const phx_rectangle_mesh *def, phx_mesh *mesh);

/* Cells of one solid type on the box [0, size[0]] x [0, size[1]] x [0, size[2]]; hexahedra are parted into six
 * tetrahedra, or two wedges. Groups: "all" (solids), faces "x0" "x1" "y0" "y1" "z0" "z1". */
typedef struct phx_box_mesh {
    double size[3];
    int elements[3];
    phx_cell_type type;
} phx_box_mesh;
phx_status phx_mesh_box(phx_context *context, const phx_box_mesh *def, phx_mesh *mesh);

/* ---- files ---- */
/* The mesh of a file: .msh (Gmsh 2 and 4, text and binary), .inp (Abaqus, CalculiX); .geo, .step, .stp, .brep, .iges,
 * .med, .unv, .bdf, .nas, .vtk through the program gmsh, when it is installed. Lengths are multiplied by `unit` (m).
 * Physical groups, *NSET, *ELSET and *SURFACE become groups; names as the file writes them (Abaqus: as written, found
 * without regard to case). Cells of types that are not in the table are an error with their name. PHX_ERR_INPUT names
 * file, line or byte, and what was expected; PHX_ERR_FILE. */
phx_status phx_mesh_read(phx_context *context, const char *path, double unit, phx_mesh *mesh);

#endif
