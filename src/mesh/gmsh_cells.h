/* Phlexor, layer mesh, private: the element types of Gmsh. */
#ifndef PHLEXOR_MESH_GMSH_CELLS_H
#define PHLEXOR_MESH_GMSH_CELLS_H

#include "input.h"
#include "mesh.h"

typedef struct phx_gmsh_cell {
    int number; /* of the type in .msh files */
    phx_cell_type type;
    const int *order; /* node k of the table is Gmsh's order[k]; NULL: the same order */
    int beyond;       /* Gmsh's nodes in faces and inside, which stand last and are not read */
} phx_gmsh_cell;

bool phx_gmsh_is_point(long long number);
const phx_gmsh_cell *phx_gmsh_cell_of(long long number); /* NULL: none of the table */
phx_status phx_gmsh_refuse_cell(const phx_input *input, size_t place, long long number);

#endif
