/* Checks of meshes by their geometry. */
#ifndef TESTS_MESH_CHECKS_H
#define TESTS_MESH_CHECKS_H

#include "mesh/mesh.h"
#include "support/testing.h"

const double *place(const phx_mesh *mesh, int cell, int k); /* of its node k */
/* Six times the volume under a plane side: sum of x . n over its triangles. */
double flux_of_side(const phx_mesh *mesh, int cell, const int *nodes, int corners);
/* Divergence theorem: V = 1/3 sum over the sides of x . n A. */
double volume_of_cell(const phx_mesh *mesh, int c);
double area_of_triangle(const phx_mesh *mesh, int c);
int find_int(int n, const int *list, int item); /* its index, -1 */
/* Every edge's middle lies there, and a side's edges are those of its cell. */
void check_middles(const phx_mesh *mesh, int c, double tol);
/* Every side is shared by two cells or is a cell of the boundary. */
void check_conformity(const phx_mesh *mesh, int dimension);

#endif
