/* Phlexor, layer mesh: meshes of surfaces and solids, made here or read from files.
 *
 * Nodes carry places in body axes (m). Cells of every dimension stand together: what a body is made of and, on its
 * boundary, the edges and faces that groups name. The order of the nodes of a cell is that of Abaqus and CalculiX:
 *
 *   LINE2, LINE3     ends, middle
 *   TRI3, TRI6       corners counterclockwise, middles of 12 23 31
 *   QUAD4, QUAD8     the same: 12 23 34 41; QUAD9: then the centre
 *   TET4, TET10      C3D4, C3D10: corners (4 above the face 1 2 3), middles of 12 23 31 14 24 34
 *   HEX8, HEX20      C3D8, C3D20: bottom 1 2 3 4, top 5 6 7 8, middles of the bottom, of the top, of 15 26 37 48;
 *                    HEX27: then the centres of its sides in their order, then its own
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
    PHX_CELL_QUAD9,
    PHX_CELL_HEX27,
    PHX_CELL_TYPES
} phx_cell_type;
enum { PHX_CELL_MOST_NODES = 27, PHX_CELL_MOST_WRITTEN = 27, PHX_CELL_MOST_SIDE = 9 }; /* nodes; in a file; of a side */

typedef struct phx_cell_info {
    const char *name; /* "tet10" */
    int dimension;    /* 1, 2, 3 */
    int order;        /* 1, 2 */
    int nodes, corners;
    int edges;            /* 1 of a line, which is its own */
    const int (*edge)[2]; /* its two corners; node corners + k of a quadratic cell is the middle of edge k */
    int sides;            /* edges of a surface cell, faces of a solid one in the order of Abaqus; 0: a line */
    const int (*side)[PHX_CELL_MOST_SIDE]; /* its nodes, those of the side's own cell type in its order; faces seen from
                                              outside */
    const phx_cell_type *side_type;
} phx_cell_info;
const phx_cell_info *phx_cell_info_of(phx_cell_type type); /* NULL: no type of the table */

/* A named part: cells of one dimension, or nodes alone (dimension 0). A name may stand for one part of each dimension.
 */
typedef struct phx_mesh_group {
    char *name;
    int dimension;
    int n_cells, *cells; /* ascending */
    int n_nodes, *nodes; /* of its cells, or its own; ascending, each once */
} phx_mesh_group;

/* What a deck says and a body made of its cells does not follow. */
typedef enum phx_mesh_remark_kind {
    PHX_MESH_FAULT,       /* the body would be another one */
    PHX_MESH_FAULT_ALONE, /* unless there are cells of more dimensions than `dimension` */
    PHX_MESH_NOTE,        /* to be told */
    PHX_MESH_NOTE_BESIDE  /* where there are such cells */
} phx_mesh_remark_kind;
typedef struct phx_mesh_remark {
    phx_mesh_remark_kind kind;
    int dimension;
    char *text; /* with file and line */
} phx_mesh_remark;

typedef struct phx_mesh {
    int n_nodes;
    double *x;  /* n_nodes x 3, m */
    int *label; /* n_nodes: number of each node in its file, ascending; NULL: 1, 2, ... */
    int n_cells;
    phx_cell_type *type; /* n_cells */
    int *first;          /* n_cells + 1: where its nodes begin in `node` */
    int *node;
    int *cell_label; /* n_cells: number in the file, 0: made here; NULL: 1, 2, ... */
    int n_variants;
    char **variants; /* element types as a deck names them: "C3D20R", "C3D8I" */
    int *variant;    /* n_cells: which of them, -1: none; NULL: the file has no such names */
    int n_groups;
    phx_mesh_group *groups;
    int n_remarks;
    phx_mesh_remark *remarks;
} phx_mesh;
void phx_mesh_free(phx_mesh *mesh); /* frees what it owns, zeroes the fields; NULL is allowed */

/* ---- asking ---- */
/* As written, else without regard to case; of several dimensions the highest. NULL: there is none. */
const phx_mesh_group *phx_mesh_group_named(const phx_mesh *mesh, const char *name);
const phx_mesh_group *phx_mesh_group_in(const phx_mesh *mesh, const char *name, int dimension); /* -1: any */
int phx_mesh_node_labelled(const phx_mesh *mesh, int label);                                    /* -1: there is none */
int phx_mesh_nearest_node(const phx_mesh *mesh, const double x[3]); /* -1: there are no nodes */
int phx_mesh_count(const phx_mesh *mesh, int dimension);            /* cells of a dimension */

/* The first of `variants` without a cell: elements of a deck that are none, masses and springs. NULL: there is none. */
const char *phx_mesh_left_out(const phx_mesh *mesh);

/* A cell that its deck integrates with fewer points (C3D20R). */
bool phx_mesh_reduces(const phx_mesh *mesh, int cell);
/* Whether a body can be made of the cells of the highest dimension: PHX_ERR_INPUT for the first fault of the deck and
 * for cells in parts that share no node; notes are logged as warnings. `path` is that of the file. */
phx_status phx_mesh_judge(phx_context *context, const phx_mesh *mesh, const char *path);

/* ---- making ---- */
/* Adds a group of cells (sorted, its nodes collected) or, with dimension 0, of nodes. The name is copied; one that is
 * there already in this dimension gets the union. PHX_ERR_ARGUMENT for an index outside or cells of another dimension.
 */
phx_status phx_mesh_add_group(phx_context *context, phx_mesh *mesh, const char *name, int dimension, int count,
                              const int *items);

/* Cells of one type on the rectangle [0, size[0]] x [0, size[1]] in the plane z = 0: elements[0] x elements[1] squares,
 * which are quad9, or each of two triangles (the diagonal from the lower left) or, crossed, of four. Middles of edges
 * stand halfway. A closed axis has its last nodes in common with its first. A grading g > 1 of an axis
 * makes the squares at its beginning narrower: what would be at the fraction s of the side is at s^g; with both_ends
 * the same from either end to the middle. Groups: "all" (cells), edges "x0" "x1" "y0" "y1", corners "x0y0" "x1y0"
 * "x0y1" "x1y1", or `names` in this order; a closed axis has no edges, and there are no corners. */
typedef struct phx_rectangle_mesh {
    double size[2]; /* m */
    int elements[2];
    bool crossed;
    double grading[2]; /* 1 (or 0): uniform */
    bool both_ends[2];
    phx_cell_type type; /* tri6, quad9; 0: tri3 */
    bool closed[2];
    const char *const *names; /* 8; NULL: as above */
} phx_rectangle_mesh;
phx_status phx_mesh_rectangle(phx_context *context, const phx_rectangle_mesh *def, phx_mesh *mesh);

/* Cells of one solid type on the box [0, size[0]] x [0, size[1]] x [0, size[2]]; hexahedra, each parted into six
 * tetrahedra, or along z into two wedges. Groups: "all" (solids), faces "x0" "x1" "y0" "y1" "z0" "z1". */
typedef struct phx_box_mesh {
    double size[3]; /* m */
    int elements[3];
    phx_cell_type type;
} phx_box_mesh;
phx_status phx_mesh_box(phx_context *context, const phx_box_mesh *def, phx_mesh *mesh);

/* ---- shells ---- */
/* Directors of the surface cells of a mesh: unit normals at their nodes, on the side from which a cell's nodes run
 * counterclockwise. A node has one for each smooth patch there: several at a fold or a junction. */
typedef struct phx_directors {
    int n;
    double *d; /* n x 3 */
    int *node; /* n: where each stands */
    int *of;   /* of each entry of mesh->node: the director of the cell there; -1: the cell is no surface */
} phx_directors;
void phx_directors_free(phx_directors *directors); /* frees what it owns, zeroes the fields; NULL is allowed */

/* Makes the mesh of a file that of a shell: quad8 become quad9 by a node in the centre, and neighbours are turned to
 * one side. PHX_ERR_INPUT for cells of order 1, solid cells, no surface cells, and a surface with one side alone.
 * `path` stands in messages. */
phx_status phx_mesh_make_shell(phx_context *context, phx_mesh *mesh, const char *path);
/* Means of the normals of the cells at each node, over cells whose normals there differ by less than `fold` (rad) from
 * one to the next. Surface cells must be tri6 or quad9. */
phx_status phx_mesh_directors(phx_context *context, const phx_mesh *mesh, double fold, phx_directors *directors);
/* The same of given normals, 3 for each entry of mesh->node. */
phx_status phx_mesh_join_normals(phx_context *context, const phx_mesh *mesh, const double *normal, double fold,
                                 phx_directors *directors);

/* A line of segments in a plane with the coordinates (a, b), each straight or an arc about a centre, swept over a
 * surface: extruded along z from 0, at (a, b, z), with a twist about z that grows linearly; or revolved about z by an
 * angle from the plane x-z, at (a cos, a sin, b). Nodes lie on the surface. The upper side, with the directors, is on
 * the right of the line in the plane. A line that ends where it begins is closed; so is a revolution by 2 pi, unless it
 * is slit.
 * Groups: "all", the names of segments (cells); "start" and "end" of the line, "first" and "last" of the sweep (edges),
 * corners "start_first" "end_first" "start_last" "end_last". */
typedef struct phx_swept_segment {
    const char *name; /* NULL: none */
    bool arc;
    double to[2];            /* straight */
    double centre[2], angle; /* arc: rad, counterclockwise */
    int elements;
} phx_swept_segment;
typedef struct phx_swept_mesh {
    double from[2];
    int n_segments;
    const phx_swept_segment *segments;
    bool revolved, slit;
    double length; /* m, or rad of a revolution */
    double twist;  /* rad, of an extrusion */
    int elements;  /* along the sweep */
    phx_cell_type type;
    double fold; /* rad, as above: of the exact normals */
} phx_swept_mesh;
phx_status phx_mesh_sweep(phx_context *context, const phx_swept_mesh *def, phx_mesh *mesh, phx_directors *directors);

/* ---- files ---- */
/* The mesh of a file: .msh (Gmsh 2, 4.0 and 4.1, text and binary), .inp (Abaqus, CalculiX); .geo, .step, .stp, .brep,
 * .iges, .igs, .med, .unv, .bdf, .nas, .vtk through the program gmsh, when it is installed. Coordinates are multiplied
 * by `unit` (m). Nodes that no cell has stay. Cells of types that are not in the table are an error with their name.
 * Errors: PHX_ERR_INPUT names file, line or byte, and what was expected; PHX_ERR_FILE.
 *
 * Groups of .msh are the physical groups, by their names or "point 3", "curve 3", "surface 3", "volume 3"; of a file
 * that has none (made of a .step, say) the entities of the geometry, named in the same way. Groups of .inp are the
 * *NSET, *ELSET and *SURFACE with their names as first written (those of an instance: "Part-1-1.Set-1"), an *ELSET of
 * cells of several dimensions one of each. Faces of a *SURFACE become cells. Labels of the second instance of a deck
 * and of all that follow are counted on behind those of the first; what stands outside of instances comes last. */
phx_status phx_mesh_read(phx_context *context, const char *path, double unit, phx_mesh *mesh);
/* The same with the nodes in the centres of sides and cells: quad9 and hex27, which phx_mesh_read reads as quad8 and
 * hex20. */
phx_status phx_mesh_read_centres(phx_context *context, const char *path, double unit, phx_mesh *mesh);
/* Whether a file of this name is one of those, by its ending. */
bool phx_mesh_reads(const char *path);

/* The same of a .msh or .inp whose bytes are here: `path` tells the format, stands in messages, and files that it
 * includes are looked for beside it. `deck` may be NULL. */
typedef struct phx_deck phx_deck;
phx_status phx_mesh_read_bytes(phx_context *context, const char *path, const char *bytes, size_t size, double unit,
                               phx_mesh *mesh, phx_deck *deck);

/* Materials of a deck in its own units. */
typedef enum phx_deck_elastic {
    PHX_DECK_ELASTIC_NONE,                  /* the deck says nothing */
    PHX_DECK_ELASTIC_ISOTROPIC,             /* E, nu */
    PHX_DECK_ELASTIC_ENGINEERING_CONSTANTS, /* E1 E2 E3 nu12 nu13 nu23 G12 G13 G23 */
    PHX_DECK_ELASTIC_ORTHOTROPIC,           /* D1111 D1122 D2222 D1133 D2233 D3333 D1212 D1313 D2323 */
    PHX_DECK_ELASTIC_ANISOTROPIC,           /* 21 */
    PHX_DECK_ELASTIC_LAMINA,                /* E1 E2 nu12 G12 G13 G23 */
    PHX_DECK_ELASTIC_OTHER                  /* none of these; its constants are not read */
} phx_deck_elastic;
typedef struct phx_deck_material {
    char *name;
    phx_deck_elastic elastic;
    double constants[21]; /* of the first temperature */
    double density, expansion;
    bool has_density, has_expansion; /* isotropic expansion */
    bool temperatures;               /* the deck gives several, of which the first was taken */
} phx_deck_material;

/* *SOLID SECTION, *SHELL SECTION: what the cells of a group are made of. */
typedef struct phx_deck_section {
    char *group;  /* name of the group; an *ELSET without elements has none */
    int material; /* index, -1: the section names none (a laminate) */
    bool shell;
    double thickness; /* of a shell, in the unit of the deck */
} phx_deck_section;

struct phx_deck {
    int n_materials, n_sections;
    phx_deck_material *materials;
    phx_deck_section *sections;
};
/* phx_mesh_read, and the materials of a deck; of other files there are none. */
phx_status phx_mesh_read_deck(phx_context *context, const char *path, double unit, phx_mesh *mesh, phx_deck *deck);
void phx_deck_free(phx_deck *deck); /* frees what it owns, zeroes the fields; NULL is allowed */

/* ---- surfaces of flat triangles, for pictures and masses ---- */
typedef struct phx_surface {
    int n_points, n_triangles;
    double *x;     /* 3 of each point, m */
    int *triangle; /* 3 points of each, seen from outside counterclockwise */
} phx_surface;
void phx_surface_free(phx_surface *surface); /* leaves it empty */

/* The most triangles of a surface that is drawn; larger ones are simplified. */
enum { PHX_SURFACE_MOST_TRIANGLES = 20000 };

/* The skin over `n_along` rings of `n_around` points each (3 coordinates): every ring is joined to the next one, the
 * last to the first when `closed`, else both ends have lids. The points of a ring run counterclockwise when one looks
 * against the direction of the rings. */
phx_status phx_surface_loft(phx_context *context, int n_around, int n_along, const double *rings, bool closed,
                            phx_surface *surface);
/* Behind `surface` the triangles of another one. */
phx_status phx_surface_append(phx_context *context, phx_surface *surface, const phx_surface *more);
/* Halves edges until none is longer than `longest`, or there are PHX_SURFACE_MOST_TRIANGLES triangles. */
phx_status phx_surface_refine(phx_context *context, double longest, phx_surface *surface);
/* Joins points that lie in one cell of a grid, which is made coarser until at most `most` triangles are left. */
phx_status phx_surface_simplify(phx_context *context, int most, phx_surface *surface);

/* The triangles of a file (STL, OBJ, glTF, GLB, DAE, PLY), read by the library Assimp in a separate process, so that a
 * file that crashes the library does no other harm. Coordinates of the file are multiplied by `scale`. PHX_ERR_FILE
 * with the reason: no such file, no triangles, coordinates that are not finite, too large; PHX_ERR_LIBRARY: Assimp is
 * not installed. */
phx_status phx_surface_read(phx_context *context, const char *path, double scale, phx_surface *surface);
/* The same with all its triangles; phx_surface_read simplifies surfaces of more than PHX_SURFACE_MOST_TRIANGLES. */
phx_status phx_surface_read_all(phx_context *context, const char *path, double scale, phx_surface *surface);

/* Of the solid inside a surface or, as a shell, of the surface itself. */
typedef struct phx_surface_moments {
    double area, volume; /* m^2, m^3; the volume is negative if the triangles are seen from inside */
    double centre[3];    /* m */
    double inertia[9];   /* about the centre, of a mass of 1 kg, m^2 */
    int open_edges;      /* sides of triangles without a neighbour; 0: the surface is closed */
} phx_surface_moments;
phx_status phx_surface_integrate(phx_context *context, const phx_surface *surface, bool shell,
                                 phx_surface_moments *moments);

#endif
