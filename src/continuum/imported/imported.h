/* Matrices of other finite-element programs: what the readers of the formats have in common.
 *
 * Each reader adds what its file says - entries of M and K, nodes, what rows mean - to one collection; build.c makes
 * the model of it. A row of a matrix is named by its file in one of two ways: by node and component, then rows are
 * counted here as they come, or by a number, and another file (.dof, a coordinate table) or a rule says what it is. */
#ifndef PHLEXOR_CONTINUUM_IMPORTED_H
#define PHLEXOR_CONTINUUM_IMPORTED_H

#include "continuum/continuum.h"
#include "text.h"

/* ---- numbers found by a key ---- */
typedef struct import_map {
    size_t slots, used; /* a power of 2 */
    long long *key;
    int *value; /* -1: the slot is free */
} import_map;
/* *value: what the key stands for; where it is new `fresh` is put there. */
phx_status import_map_put(phx_context *context, import_map *map, long long key, int fresh, int *value);
int import_map_find(const import_map *map, long long key); /* -1: it is not there */
void import_map_free(import_map *map);

/* `*array` (the address of a pointer) for `room` items of `size`. */
phx_status import_grow(phx_context *context, void *array, size_t room, size_t size);

/* ---- the collection ---- */
typedef enum import_role { IMPORT_MASS, IMPORT_STIFFNESS, IMPORT_NEITHER } import_role;
extern const char *const import_role_names[]; /* "mass", "stiffness" */

/* Entries in the order of the file; what stands twice is refused or summed. */
typedef struct import_matrix {
    const char *path; /* borrowed; NULL: there is none yet */
    char name[16];    /* in its file: "KAAX"; "": it has none */
    bool labelled;    /* rows are those of import->unknowns, counted as they came; false: numbers of the file */
    bool whole;       /* both triangles are stored; false: both or one of them */
    bool sums;        /* what stands twice is meant to be added */
    int rows;         /* declared, or the largest row so far */
    bool declared;
    long last_line; /* of the largest row */
    int digits;     /* significant digits of its values */
    size_t count, room;
    int *row, *col; /* from 0 */
    double *value;
} import_matrix;

/* The meaning of rows: node (its label) and component. `row`: number of the row in the file of the matrix, from 0. */
typedef struct import_unknowns {
    const char *path; /* that says it; NULL: nobody, or the matrices themselves */
    bool listed;      /* by a file of its own */
    int n, room;
    int *row, *label, *component;
    long *line;
    import_map place; /* of label and component: import_unknown_key */
} import_unknowns;
long long import_unknown_key(int label, int component);

typedef struct import_nodes {
    const char *path; /* NULL: none yet */
    bool in_order;    /* rules count them in the order of the file; false: by ascending label */
    int n, room;
    double *x; /* n x 3, units of the file */
    int *label;
    import_map place; /* of label */
} import_nodes;

/* Sets of nodes, by label, beside those of a mesh. */
enum { IMPORT_SETS = 1000, IMPORT_SET_NAME = 64 };
typedef struct import_sets {
    int n, room;
    char (*name)[IMPORT_SET_NAME];
    int n_members, members_room;
    int (*member)[2]; /* set, label of the node */
} import_sets;

/* Modes instead of a stiffness matrix, or beside the matrices. The rows of `shape` are the unknowns in their order. */
typedef struct import_modes {
    const char *path; /* of modes beside the matrices */
    int count;        /* 0: none */
    int rows;         /* of `shape` */
    double *shape;    /* rows x count */
    double *M, *K;    /* count x count; NULL: beside the matrices */
} import_modes;

/* A rigid body of CalculiX. */
typedef struct import_rigid {
    int reference, rotation;   /* labels: the node, and that whose translations are its rotations */
    char set[IMPORT_SET_NAME]; /* of the nodes that it carries; "": not known */
} import_rigid;

/* Values of fields at nodes: number of the shape and label of the node, then the values. */
typedef struct import_fields {
    size_t count, room;
    int *row;      /* 2 of each */
    double *value; /* 3 of each displacement, 6 of each stress, units of the file */
} import_fields;

typedef struct phx_import {
    phx_context *context;
    const phx_import_def *def;
    phx_import_contents *contents; /* NULL: not wanted */
    import_matrix matrix[2];       /* by role */
    import_unknowns unknowns;
    import_nodes nodes;
    import_sets sets;
    import_modes modes;
    phx_mesh mesh;           /* of the file that gives the nodes, in m; empty: of no such file */
    int n_fields;            /* stress shapes (frd.c) */
    import_fields fields[2]; /* their displacements, their stresses */
    phx_deck deck;           /* its materials */
    char no_materials[200];  /* why these could not be read; "": they could */
    bool calculix;           /* its matrices are of CalculiX */
    int n_rigid, rigid_room;
    import_rigid *rigid;
} phx_import;
void import_free(phx_import *import);

/* A file says that it has this matrix: PHX_ERR_INPUT where another one has it. */
phx_status import_begin_matrix(phx_import *import, const import_text *text, import_role role, bool labelled,
                               import_matrix **matrix);
/* Row and column from 0. */
phx_status import_add_entry(phx_import *import, const import_text *text, import_matrix *matrix, int row, int col,
                            double value);
/* The row of a node's component, counted where it is new. */
phx_status import_row_of(phx_import *import, const import_text *text, int label, int component, int *row);
/* Row `row` of the matrices is this; PHX_ERR_INPUT where another one is. */
phx_status import_list_unknown(phx_import *import, const import_text *text, int row, int label, int component);
/* The same for rows that no file says: the unknowns stand in the order of the rows. */
phx_status import_count_unknown(phx_import *import, int label, int component);
phx_status import_add_node(phx_import *import, const import_text *text, int label, const double x[3]);
/* The file gives nodes: PHX_ERR_INPUT where another one does. */
phx_status import_begin_nodes(phx_import *import, const char *path);
/* PHX_ERR_INPUT: the name is too long, or there are too many sets. */
phx_status import_add_to_set(phx_import *import, const import_text *text, import_word name, int label);
/* A set of which no file knows is "". */
phx_status import_add_rigid(phx_import *import, int reference, int rotation, const char *set);

/* Stresses of a filled model by the stress shapes of its files (frd.c), of which there are some. */
phx_status import_put_stress_shapes(const phx_import *import, phx_elastic_model *model);
/* Stresses of the nodes of a filled model, where its mesh has solid cells and its deck their materials (stresses.c). */
phx_status import_put_stresses(const phx_import *import, phx_elastic_model *model);

/* Relative rounding of its entries in the file, at most, by the digits that are printed. */
double import_rounding(const import_matrix *matrix);

/* Matrix and program by the name of a file or a matrix. */
import_role import_role_of_name(const char *name);
/* The role that the user or the name of the file gives; PHX_ERR_INPUT where there is none. */
phx_status import_role_of_file(const phx_import *import, const import_text *text, import_role *role);

/* ---- the formats ---- */
typedef struct import_format {
    const char *name;               /* for messages */
    const char *const *suffixes;    /* lower case, NULL behind the last */
    bool (*has)(import_text *text); /* whether the content is of this format; NULL: the suffix says so */
    phx_status (*read)(phx_import *import, import_text *text);
} import_format;
extern const import_format import_matrix_market, import_abaqus, import_calculix_matrix, import_calculix_dof,
    import_mesh, import_bulk, import_op4, import_mbdyn, import_frd, import_table;

/* The shapes beside the matrices, def->modes_file. */
phx_status import_read_modes(phx_import *import, import_text *text);

/* ---- the model ---- */
/* Makes `unknowns` the rows of both matrices, in their order. */
phx_status import_name_rows(phx_import *import);
phx_status import_build(phx_import *import, phx_elastic_model **model);

/* The matrix as it is: both triangles, round-off in their difference averaged away. PHX_ERR_INPUT: it is not symmetric,
 * or has an entry that no semidefinite matrix has. The entries collected are freed. */
phx_status import_symmetric(phx_import *import, import_role role, int n, phx_csr *matrix);
/* The same for a dense one, in place. */
phx_status import_symmetric_dense(phx_import *import, const char *what, int n, double *a);

extern const char *const import_component_names[]; /* "ux" ... "rz", "scalar" */
/* "node 12 uy" */
typedef struct import_place {
    char text[40];
} import_place;
import_place import_place_of(const phx_import *import, int unknown);

#endif
