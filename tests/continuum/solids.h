/* Shared by the tests of solids: boxes of all elements, straight and curved. */
#ifndef PHLEXOR_TESTS_CONTINUUM_SOLIDS_H
#define PHLEXOR_TESTS_CONTINUUM_SOLIDS_H

#include "support.h"

/* All elements. */
typedef struct solid_type {
    const char *name;
    phx_cell_type cell;
    phx_solid_rule rule;
} solid_type;
enum { SOLID_TYPES = 8 };
extern const solid_type solid_types[SOLID_TYPES];

typedef enum box_shape {
    BOX_REGULAR,
    BOX_DISTORTED, /* nodes moved, those on faces within them; edges straight */
    BOX_CURVED     /* nodes moved, the middles of edges too */
} box_shape;
phx_mesh box_mesh(phx_context *context, const double size[3], int nx, int ny, int nz, phx_cell_type cell,
                  box_shape shape);
/* Takes the mesh. */
phx_elastic_model *solid_model(phx_context *context, phx_mesh *mesh, const phx_solid_material *material,
                               phx_solid_rule rule, bool lumped);
/* Steel; and a material without any symmetry. */
phx_solid_material steel(void);
phx_solid_material anisotropic(void);
/* The unknowns of the displacement A x (3 x 3). */
void linear_displacement(const phx_elastic_model *model, const double A[9], double *u);

#endif
