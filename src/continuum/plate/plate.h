/* Phlexor, layer continuum (private): what a plate keeps.
 *
 * Each triangle is two elements of the model, which share no unknown: element t is the bending of triangle t, element
 * n_triangles + t its membrane. */
#ifndef PHLEXOR_CONTINUUM_PLATE_PLATE_H
#define PHLEXOR_CONTINUUM_PLATE_PLATE_H

#include "continuum/continuum.h"
#include "triangle.h"

typedef struct phx_plate {
    phx_plate_theory theory;
    int order; /* k */
    bool membrane;

    int n_corners; /* nodes of the mesh */
    int n_triangles;
    int *corner;  /* n_triangles x 3: nodes, in the order of the mesh, either way round */
    int *edge;    /* n_triangles x 3: edge e goes from corner e to corner e + 1 */
    int *cell;    /* n_triangles: of the mesh */
    int *section; /* n_triangles */

    int n_edges;
    int *end;       /* n_edges x 2: nodes, ascending: the edge's direction; its normal points to the right of it */
    int *neighbour; /* n_edges x 2: triangles; that to the left of the edge first, -1: none */
    int *edge_from; /* mesh nodes: the last edge that begins there, -1: none */
    int *edge_next; /* n_edges: the one before with the same beginning */

    int n_sections;
    phx_plate_section *sections;
    double (*membrane_compliance)[9]; /* n_sections */
    double (*bending_compliance)[25]; /* n_sections: moments, and with Mindlin the shear forces: 3 x 3 or 5 x 5 */

    int *deflection;    /* nodes of the model: the unknown uz; ux and uy stand before it; -1: none */
    int first_slope;    /* normal slopes: order + 1 for each edge, Legendre polynomials along it, the mean first */
    int first_rotation; /* Mindlin: tangential rotations, order + 1 for each edge, then the interiors of triangles */
    phx_triangle_tables tables;
} phx_plate;

const phx_plate *phx_plate_of(const phx_elastic_model *model); /* NULL: the model is no plate */

/* The stages of phx_plate_create. PHX_ERR_ARGUMENT says what is wrong with the definition or the mesh. */
phx_status phx_plate_add_sections(phx_context *context, const phx_plate_def *def, phx_plate *plate);
phx_status phx_plate_add_triangles(phx_context *context, const phx_mesh *mesh, const phx_plate_def *def,
                                   phx_plate *plate);
/* The edges of the triangles: n_edges, end, neighbour, edge_from, edge_next, edge. PHX_ERR_ARGUMENT where triangles
 * overlap or more than two meet. */
phx_status phx_plate_find_edges(phx_context *context, const phx_mesh *mesh, phx_plate *plate);
/* Nodes, unknowns, those of each element, rigid motions. */
phx_status phx_plate_add_unknowns(phx_context *context, const phx_mesh *mesh, phx_plate *plate,
                                  phx_elastic_model *model);

enum { PHX_PLATE_EDGE_NODES = 4 }; /* most nodes on an edge */
/* The nodes on an edge, along it; their number. */
int phx_plate_edge_nodes(const phx_plate *plate, int edge, int node[PHX_PLATE_EDGE_NODES]);
/* The edges that the cells of a group of lines are, and the sign of the wanted normal against the edge's own: outward,
 * inside the plate to the right of the line. */
phx_status phx_plate_group_edges(phx_context *context, const phx_elastic_model *model, const phx_mesh_group *group,
                                 int *edge, double *sign);
/* phx_elastic_load for plates; `group` may be NULL: all triangles. Integrated to degree 6. */
phx_status phx_plate_load(phx_context *context, const phx_elastic_model *model, const char *group,
                          const phx_surface_load *load, double *force);

/* sigma = Q (e - z grad theta - eps) at z = h/2, then at z = -h/2 (xx yy xy each), with e of N and grad theta of M in
 * section s, and eps the strains without stress at both surfaces (NULL: none). */
void phx_plate_surface_stress(const phx_plate *plate, int s, const double N[3], const double M[3],
                              const double (*expansion)[3], double stress[6]);
/* phx_elastic_expand for plates (thermal.c). */
phx_status phx_plate_expand(phx_context *context, const phx_elastic_model *model, const char *group,
                            const phx_temperature *temperature, double *force, double *offset);
/* The point of these barycentric coordinates. */
void phx_plate_place(const phx_elastic_model *model, const int *corner, const double lambda[3], double x[3]);
/* Whether triangle t is of the group (NULL: any); k is a counter that begins at 0 and goes on with ascending t. */
bool phx_plate_in_group(const phx_plate *plate, const phx_mesh_group *part, int t, int *k);

/* The nodes of a triangle in the order of phx_triangle_nodes; their number. */
int phx_plate_nodes(const phx_plate *plate, int triangle, int node[PHX_TRIANGLE_NODES]);
int phx_plate_edge_between(const phx_plate *plate, int a, int b); /* -1: there is none */

static inline int phx_plate_label(const int *labels, int i)
{
    return labels ? labels[i] : i + 1;
}

/* An affine triangle. */
typedef struct phx_plate_frame {
    double area, gradient[2][2];    /* G_1, G_2 */
    double length[3], normal[3][2]; /* of its edges; outward */
    double side[3];                 /* +1: the edge's own normal is the outward one, else -1 */
    bool reversed[3];               /* the edge goes from corner e + 1 to corner e */
} phx_plate_frame;
void phx_plate_frame_of(const phx_elastic_model *model, int triangle, phx_plate_frame *frame);

/* Numbers of unknowns of a triangle. */
static inline int phx_plate_rotations(const phx_plate *plate)
{
    return plate->theory == PHX_PLATE_MINDLIN ? plate->tables.n_slopes : 0;
}
static inline int phx_plate_bending_unknowns(const phx_plate *plate)
{
    return plate->tables.n_nodes + phx_plate_rotations(plate) + 3 * (plate->order + 1);
}
/* Stresses of the bending for each polynomial: xx yy xy, and x y with Mindlin. */
static inline int phx_plate_bending_block(const phx_plate *plate)
{
    return plate->theory == PHX_PLATE_MINDLIN ? 5 : 3;
}
enum { PHX_PLATE_MOST_STRESSES = 5 * PHX_TRIANGLE_POLYNOMIALS };
enum { PHX_PLATE_MOST_UNKNOWNS = PHX_TRIANGLE_NODES + PHX_TRIANGLE_SLOPES + 3 * PHX_TRIANGLE_LEGENDRE };

/* D of the elements of a triangle, all its entries. */
void phx_plate_bending_D(const phx_elastic_model *model, int triangle, double *D);
void phx_plate_membrane_D(const phx_elastic_model *model, int triangle, double *D);
/* As phx_elastic_ops has them. */
int phx_plate_stress_cells(const phx_elastic_model *model);
int phx_plate_cell_nodes(const phx_elastic_model *model, int triangle, const int **node);
void phx_plate_cell_stress(const phx_elastic_model *model, int triangle, const double *u, const double *sigma,
                           double *stress);
/* Moments M at a point of a triangle, and forces D^T sigma along z on its nodes, in the order of phx_plate_nodes (their
 * number is returned); u and sigma as phx_elastic_ops has them. */
void phx_plate_moments(const phx_elastic_model *model, int triangle, const double *u, const double *sigma,
                       const double barycentric[3], double M[3]);
int phx_plate_nodal_forces(const phx_elastic_model *model, int triangle, const double *u, const double *sigma,
                           double force[PHX_TRIANGLE_NODES]);
int phx_plate_cell_elements(const phx_elastic_model *model, int triangle, int element[2]);
double phx_plate_cell_thickness(const phx_elastic_model *model, int triangle);
void phx_plate_element(const phx_elastic_model *model, int e, phx_element_matrices *matrices);
bool phx_plate_second_order(const phx_elastic_model *model, int e, int count, const double *shapes, double *rows);
void phx_plate_second_order_force(const phx_elastic_model *model, int e, const double *sigma, const double *u,
                                  double *force);

#endif
