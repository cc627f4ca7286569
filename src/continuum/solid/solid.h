/* Solids, private: elements by their tables of shape functions. */
#ifndef PHLEXOR_CONTINUUM_SOLID_SOLID_H
#define PHLEXOR_CONTINUUM_SOLID_SOLID_H

#include "continuum/continuum.h"
#include "shape.h"

enum { PHX_SOLID_MOST_NODES = 20, PHX_SOLID_MOST_POINTS = 27 };

typedef enum phx_solid_kind {
    PHX_SOLID_TET4,
    PHX_SOLID_TET10,
    PHX_SOLID_HEX8,
    PHX_SOLID_HEX8_PLAIN, /* without B-bar */
    PHX_SOLID_HEX20,
    PHX_SOLID_HEX20R,
    PHX_SOLID_WEDGE6,
    PHX_SOLID_WEDGE15,
    PHX_SOLID_KINDS
} phx_solid_kind;

/* A rule and the shape functions at its points. */
typedef struct phx_solid_points_table {
    int n;
    double w[PHX_RULE_MOST];
    double N[PHX_RULE_MOST][PHX_SOLID_MOST_NODES];
    double dN[PHX_RULE_MOST][3 * PHX_SOLID_MOST_NODES]; /* nodes x 3 */
} phx_solid_points_table;

typedef struct phx_solid_table {
    phx_cell_type cell;
    int nodes;
    bool mean_dilatation; /* B-bar */
    phx_solid_points_table stiffness, mass;
    /* From values at the integration points to nodes (nodes x points). */
    double extrapolation[PHX_SOLID_MOST_NODES * PHX_SOLID_MOST_POINTS];
} phx_solid_table;

typedef struct phx_solid_part {
    phx_solid_material material;
    double compliance[36]; /* C^-1 */
    bool lumped, mass_at_stresses;
} phx_solid_part;

typedef struct phx_solid_element {
    int cell; /* of the mesh */
    int part;
    phx_solid_kind kind;
} phx_solid_element;

typedef struct phx_solid_data {
    phx_solid_table *table[PHX_SOLID_KINDS]; /* NULL: no such element */
    int n_parts;
    phx_solid_part *part;
    phx_solid_element *element;
    int *element_of_cell; /* -1: a cell that is no solid */
    int *first;           /* the first unknown of each node; -1: it has none */
} phx_solid_data;

static inline const phx_solid_data *phx_solid_of(const phx_elastic_model *model)
{
    return model->data;
}
extern const phx_elastic_ops phx_solid_ops;

phx_status phx_solid_table_create(phx_context *context, phx_solid_kind kind, phx_solid_table **table);
/* Places of the nodes of an element (nodes x 3). */
void phx_solid_nodes(const phx_elastic_model *model, int e, double *x);
/* Determinant of dx/dxi at a point with the derivatives dN, and the gradients of the shape functions (nodes x 3; NULL:
 * not wanted). */
double phx_solid_gradients(int nodes, const double *x, const double *dN, double *gradient);
/* B at the points of an element: the gradients of all of them (points x nodes x 3), the weights times the determinants
 * and, for the mean dilatation, the mean of the gradients (else unset). */
typedef struct phx_solid_geometry {
    double x[3 * PHX_SOLID_MOST_NODES];
    double gradient[PHX_SOLID_MOST_POINTS][3 * PHX_SOLID_MOST_NODES];
    double w[PHX_SOLID_MOST_POINTS];
    double mean[3 * PHX_SOLID_MOST_NODES];
} phx_solid_geometry;
void phx_solid_geometry_of(const phx_elastic_model *model, int e, phx_solid_geometry *geometry);
/* B (6 x 3 nodes) of a point, times `factor`. */
void phx_solid_strain_rows(const phx_solid_table *table, const phx_solid_geometry *geometry, int point, double factor,
                           double *B);
void phx_solid_element_matrices(const phx_elastic_model *model, int e, phx_element_matrices *matrices);
bool phx_solid_second_order(const phx_elastic_model *model, int e, int count, const double *shapes, double *rows);
void phx_solid_second_order_force(const phx_elastic_model *model, int e, const double *sigma, const double *u,
                                  double *force);
phx_status phx_solid_load(phx_context *context, const phx_elastic_model *model, const char *group,
                          const phx_surface_load *load, double *force);
/* As phx_elastic_ops has them. */
phx_status phx_solid_expand(phx_context *context, const phx_elastic_model *model, const char *group,
                            const phx_temperature *temperature, double *force, double *offset);
int phx_solid_stress_cells(const phx_elastic_model *model);
int phx_solid_cell_nodes(const phx_elastic_model *model, int e, const int **node);
void phx_solid_cell_stress(const phx_elastic_model *model, int e, const double *u, const double *sigma, double *stress);
/* The same by the displacements of the nodes of the element (nodes x 3). */
void phx_solid_element_stress(const phx_elastic_model *model, int e, const double *own, const double *offset,
                              double *stress);
int phx_solid_cell_elements(const phx_elastic_model *model, int e, int element[2]);

#endif
