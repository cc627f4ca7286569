/* Phlexor, layer continuum: linear elastic bodies of many unknowns, in space: plates, solids, and the matrices of other
 * finite-element programs.
 *
 *   M u'' = -D^T sigma + f,   M2 sigma' = D u',   K = D^T M2^-1 D
 *
 * u: the unknowns, translations and small rotations of nodes in body axes and others that have no place (normal slopes
 * of edges); sigma: stresses, element by element. A floating body sees none of this: it gets the integrals of a basis
 * of few coordinates, u = Phi q (phx_flex). */
#ifndef PHLEXOR_CONTINUUM_CONTINUUM_H
#define PHLEXOR_CONTINUUM_CONTINUUM_H

#include "fe/fe.h"
#include "mesh/mesh.h"

/* Which component of its node an unknown is. */
enum {
    PHX_UNKNOWN_UX,
    PHX_UNKNOWN_UY,
    PHX_UNKNOWN_UZ,
    PHX_UNKNOWN_RX, /* small rotations */
    PHX_UNKNOWN_RY,
    PHX_UNKNOWN_RZ,
    PHX_UNKNOWN_OTHER /* none: without mass, or with a mass that rotations of the body do not mix with others */
};

/* The matrices of an element, in storage of its caller for the largest element; rows and columns in the order of its
 * unknowns. Row-major. M2 is given by diagonal blocks of `block` x `block`, one after the other: n_stresses / block of
 * them, the rows of D in the same order. */
typedef struct phx_element_matrices {
    int n_unknowns, n_stresses, block;
    double *M;          /* n_unknowns x n_unknowns */
    double *D;          /* n_stresses x n_unknowns */
    double *compliance; /* n_stresses x block */
} phx_element_matrices;

typedef struct phx_elastic_model phx_elastic_model;

/* What one kind of model knows: a plate, a solid. */
typedef struct phx_elastic_ops {
    const char *kind; /* "plate", "solid", "imported body": for messages */
    void (*destroy_data)(void *data);
    /* The matrices of element e, all fields but the pointers. No allocation. NULL: M and K are all that is known
     * (n_elements is 0). */
    void (*element)(const phx_elastic_model *model, int e, phx_element_matrices *matrices);
} phx_elastic_ops;

/* A body of many unknowns, before boundary conditions and bases. It owns everything it points to but `ops`. */
struct phx_elastic_model {
    const phx_elastic_ops *ops;
    void *data;     /* of the kind */
    phx_mesh mesh;  /* empty (0 nodes) where there is none */
    int n_nodes;    /* that unknowns belong to: those of the mesh, perhaps others behind them (middles of edges) */
    double *x;      /* n_nodes x 3, body axes, m */
    int *label;     /* n_nodes: as its file counts; NULL: 1, 2, ... */
    int n;          /* unknowns */
    int *node;      /* n: node of each unknown, -1: none */
    int *component; /* n: PHX_UNKNOWN_... */
    double *rigid;  /* 6 x n: unit translations along x, y, z, unit rotations about them through the origin */
    phx_csr M, K;   /* n x n, the whole symmetric pattern; M may be singular */
    int n_elements;
    int most_unknowns, most_stresses, most_block; /* of an element */
    int *first_unknown;                           /* n_elements + 1: where the unknowns of each begin in `unknown` */
    int *unknown;                                 /* each once in an element, in any order */
    int *first_stress;                            /* n_elements + 1: where the stresses of each begin */
};
void phx_elastic_destroy(phx_elastic_model *model); /* NULL is allowed */

/* M and K of a model whose other fields are filled, from its elements: the pattern once, then the values. */
phx_status phx_elastic_assemble(phx_context *context, phx_elastic_model *model);
/* Storage for the matrices of any element of the model, one allocation (phx_free of *room). */
phx_status phx_elastic_element_room(phx_context *context, const phx_elastic_model *model,
                                    phx_element_matrices *matrices, void **room);
/* D (n_stress x n), M2 and L2^-1 D with M2 = L2 L2^T as sparse matrices; any may be NULL. For bodies that are small
 * enough, and tests. */
phx_status phx_elastic_mixed(phx_context *context, const phx_elastic_model *model, phx_csr *D, phx_csr *compliance,
                             phx_csr *root);

/* What a model says of itself as a rigid body, and how far it is from one. */
typedef struct phx_elastic_summary {
    double mass, centre[3];
    double inertia[9];     /* about the centre of mass */
    double asymmetry[2];   /* of M and of K: largest |a_ij - a_ji| over the largest entry */
    double rigid_force[6]; /* |K r_k| over |K| |r_k|, largest entries, for the six rigid motions */
} phx_elastic_summary;
phx_status phx_elastic_summarise(phx_context *context, const phx_elastic_model *model, phx_elastic_summary *summary);

/* ---- solids (solid/) ---- */
typedef struct phx_solid_material {
    double density;
    double stiffness[36]; /* C: stresses xx yy zz xy yz zx from strains xx yy zz 2xy 2yz 2zx; row-major, SPD */
} phx_solid_material;
void phx_isotropic_material(double young, double poisson, double density, phx_solid_material *material);

typedef enum phx_solid_rule { /* integration of hexahedra with 20 nodes, and of the mass */
                              PHX_SOLID_FULL,
                              PHX_SOLID_REDUCED /* Hex20R: 2 x 2 x 2 points for the stiffness */
} phx_solid_rule;

typedef struct phx_solid_region {
    const char *group; /* of the mesh; NULL: every solid cell */
    phx_solid_material material;
    phx_solid_rule rule;
    bool lumped; /* row-sum lumped mass */
} phx_solid_region;
/* Three translations for each node that a solid cell has. The mesh is taken (emptied) on success. PHX_ERR_ARGUMENT: a
 * solid cell in no region or in two, one turned inside out or flat (its label and the determinant), a material that is
 * not positive definite. */
phx_status phx_solid_create(phx_context *context, phx_mesh *mesh, int n_regions, const phx_solid_region *regions,
                            phx_elastic_model **model);
/* Stresses xx yy zz xy yz zx at the integration points of element e for the unknowns u, and their places (3 each). */
int phx_solid_points(const phx_elastic_model *model, int e); /* their number */
void phx_solid_stress(const phx_elastic_model *model, int e, const double *u, double *x, double *stress);
/* The six stresses -> von Mises; principal ones, descending. */
double phx_von_mises(const double stress[6]);
void phx_principal_stresses(const double stress[6], double principal[3]);

/* ---- loads on faces ---- */
/* Adds to `force` (n) the work of a constant traction (N/m^2, body axes) and of a pressure (N/m^2, against the outward
 * normal) on a group of faces or, for plates, of a pressure across the plate on its cells. PHX_ERR_ARGUMENT: no such
 * group, or of another dimension. */
phx_status phx_elastic_traction(phx_context *context, const phx_elastic_model *model, const char *group,
                                const double traction[3], double pressure, double *force);

/* ---- plates (plate/) ---- */
typedef enum phx_plate_theory { PHX_PLATE_KIRCHHOFF, PHX_PLATE_MINDLIN } phx_plate_theory;

/* A section: what a strip of the plate does. Rows and columns: xx yy xy (engineering shear and twist). */
typedef struct phx_plate_section {
    double mass;        /* kg/m^2 */
    double rotary;      /* kg: rho h^3/12, Mindlin */
    double membrane[9]; /* N/m: N = membrane * (e_xx, e_yy, 2 e_xy) */
    double bending[9];  /* N m: M = bending * (k_xx, k_yy, 2 k_xy) */
    double shear[4];    /* N/m: q = shear * (w_x - theta_x, w_y - theta_y), Mindlin */
} phx_plate_section;
/* Isotropic; shear with the correction factor kappa (5/6). */
void phx_isotropic_section(double young, double poisson, double density, double thickness, double kappa,
                           phx_plate_section *section);
/* One layer of a laminate, in its own axes: 1 along the fibres, at `angle` (rad) from x. */
typedef struct phx_plate_layer {
    double young[2], poisson, shear[3]; /* E1 E2, nu12, G12 G13 G23 */
    double density, thickness, angle;
} phx_plate_layer;
/* Layers from below; symmetric laminates only (the coupling of membrane and bending must vanish): PHX_ERR_ARGUMENT
 * names its size otherwise. */
phx_status phx_laminate_section(phx_context *context, int n_layers, const phx_plate_layer *layers, double kappa,
                                phx_plate_section *section);

typedef struct phx_plate_region {
    const char *group; /* triangles; NULL: all */
    phx_plate_section section;
} phx_plate_region;
typedef struct phx_plate_def {
    phx_plate_theory theory;
    int order; /* k = 0, 1, 2: moments; deflection k + 1 */
    bool membrane;
    int n_regions;
    const phx_plate_region *regions;
} phx_plate_def;
/* A plate on the triangles of a mesh in the plane z = 0. Hellan-Herrmann-Johnson with hybridisation: deflection in
 * Lagrange P_{k+1}, normal slopes of edges P_k (PHX_UNKNOWN_OTHER), moments P_k in each triangle; Mindlin: TDNNS with
 * rotations in Nedelec II P_k. Translations ux, uy, uz of all Lagrange nodes are unknowns: without `membrane` the plane
 * ones have mass and no stiffness, and are held by whoever builds a basis. The mesh is taken on success. */
phx_status phx_plate_create(phx_context *context, phx_mesh *mesh, const phx_plate_def *def, phx_elastic_model **model);
/* Unknowns on an edge group of a plate (the caller frees `unknown`): its deflections, and its normal slopes with the
 * sign of the outward normal (alpha = sign * unknown + ..., +1 or -1 each; NULL: not wanted). Which: 0 deflections,
 * 1 slopes, 2 in-plane translations, 3 tangential rotations of Mindlin. */
phx_status phx_plate_edge_unknowns(phx_context *context, const phx_elastic_model *model, const char *group, int which,
                                   int *count, int **unknown, double **sign);
/* Stress resultants at a point of triangle e (barycentric): N (xx yy xy), M (xx yy xy), q (x y; Kirchhoff: Div M). */
void phx_plate_resultants(const phx_elastic_model *model, int e, const double *u, const double barycentric[3],
                          double N[3], double M[3], double q[2]);

/* ---- matrices of other programs (imported/) ---- */
typedef struct phx_import_def {
    int n_files;
    const char *const *files;  /* found out by suffix and content: see docs/import.md */
    double length, mass, time; /* of the units of the files in m, kg, s; 1: SI */
} phx_import_def;
/* A model of M, K and nodes; no elements. PHX_ERR_INPUT names file, line and remedy. */
phx_status phx_import_create(phx_context *context, const phx_import_def *def, phx_elastic_model **model);

/* ---- bases (basis.c, interface.c) ---- */
/* A point of the body that others are joined to: its displacement and small rotation are these rows on the unknowns. */
typedef struct phx_interface {
    const char *name;
    double x[3];
    phx_csr rows; /* 6 x n: u_x u_y u_z, r_x r_y r_z; rows without entries: the body says nothing of it */
} phx_interface;

#endif
