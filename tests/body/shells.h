/* Meshes of shells on a grid of nodes over (s, t) in [0, 1]^2, for tests of bodies of vectors. */
#ifndef PHLEXOR_TESTS_BODY_SHELLS_H
#define PHLEXOR_TESTS_BODY_SHELLS_H

#include "body/body.h"

/* Place and unit normal at (s, t). */
typedef void shell_surface(double s, double t, double *place, double *normal);

typedef struct shell_mesh {
    phx_vector_def def;
    phx_vector_section section;
    phx_vector_tie tie[4];
    int across; /* nodes along t */
    int along;  /* nodes along s */
} shell_mesh;

/* nx x ny quadrilaterals Q9, or each of them two T6; closed: s = 1 is s = 0. Nodes i + along j, i along s. */
void shell_mesh_make(phx_vector_element element, int nx, int ny, bool closed, shell_surface *surface, double E,
                     double nu, double h, double rho, shell_mesh *mesh);
/* n bricks of unit size along x, slightly bent: Hex27, or each of them six Tet10. Its ends are tied as those of a
 * shell. */
void solid_mesh_make(phx_vector_element element, int n, double E, double nu, double rho, shell_mesh *mesh);
void shell_mesh_free(shell_mesh *mesh);
/* Moves the inner nodes of a plane mesh by up to `part` of the spacing; middles stay on straight edges. */
void shell_mesh_distort(shell_mesh *mesh, double part);
/* Ties the nodes with s = 0 (end 0) or 1 (1), with their directors; origin: the mean of their places. */
void shell_mesh_tie(shell_mesh *mesh, const char *name, int end);
int shell_mesh_node(const shell_mesh *mesh, int i, int j);

#endif
