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

#include "algebra/algebra.h"
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

/* A load that varies over a surface: N/m^2 at x on a face or a plate, N/m on an edge of a plate. */
typedef struct phx_surface_load {
    /* normal: unit, out of the solid; e_z on a plate, on its edge as phx_plate_edge_unknowns says */
    void (*traction)(void *user, const double x[3], const double normal[3], double traction[3]);
    void *user;
    bool normal; /* the function looks at it: a face must have one solid cell behind it */
} phx_surface_load;

/* A temperature: its rise, K, over that at which there is no stress, at a place in body axes. */
typedef struct phx_temperature {
    double (*rise)(void *user, const double x[3]); /* NULL: 1 K everywhere */
    void *user;
} phx_temperature;

/* The operations of a kind of model: a plate, a solid. */
typedef struct phx_elastic_ops {
    const char *kind; /* "plate", "solid", "imported body": for messages */
    void (*destroy_data)(void *data);
    /* The matrices of element e, all fields but the pointers. No allocation. NULL: M and K are all that is known
     * (n_elements is 0). */
    void (*element)(const phx_elastic_model *model, int e, phx_element_matrices *matrices);
    /* Second-order strains of the element: moments with its stresses, as D u are those of the strains of first order,
     * of so many shapes (model->n numbers each): the strains of u = sum_a q_a u_a have the moments
     * D u + 1/2 sum_ab q_a q_b N_ab. rows: n_stresses x pairs (a,b), a <= b, in the order 00 01 .. 11 12 ...
     * At most PHX_STRAIN_SLOPES shapes. False: all are zero, `rows` is not touched. NULL: none are known. */
    bool (*second_order)(const phx_elastic_model *model, int e, int count, const double *shapes, double *rows);
    /* Adds to `force` (model->n) what the stresses sigma (n_stresses) of element e do, at the displacement u, by its
     * strains of second order: the derivative of sigma^T N(v, u) by v. NULL where second_order is. */
    void (*second_order_force)(const phx_elastic_model *model, int e, const double *sigma, const double *u,
                               double *force);
    bool edges; /* a plate: groups of edges have normal slopes beside their nodes */
    /* phx_elastic_load, whose arguments are checked; NULL: nothing that it could act on. */
    phx_status (*load)(phx_context *context, const phx_elastic_model *model, const char *group,
                       const phx_surface_load *load, double *force);
    /* phx_elastic_expand, whose arguments are checked; NULL: what it is made of is not known. */
    phx_status (*expand)(phx_context *context, const phx_elastic_model *model, const char *group,
                         const phx_temperature *temperature, double *force, double *offset);
    /* Stresses at the nodes of cells: the number of such cells; the nodes of one, of the mesh, and their number; its
     * stresses there for the unknowns u (nodes x components). NULL where the set is none. */
    phx_stress_set stresses;
    int (*stress_cells)(const phx_elastic_model *model);
    int (*cell_nodes)(const phx_elastic_model *model, int c, const int **node);
    /* u NULL: zero. `sigma` (NULL: none) are stresses besides those of u, phx_elastic_offsets of them. */
    void (*cell_stress)(const phx_elastic_model *model, int c, const double *u, const double *sigma, double *stress);
    int (*cell_elements)(const phx_elastic_model *model, int c, int element[2]); /* of cell c; their number */
    /* In place of cells: stresses at all nodes of the mesh (NULL: not wanted) by u, and the part of u, relative, of
     * which they are not known. NULL: the cells say it. */
    void (*nodal_stress)(const phx_elastic_model *model, const double *u, double *stress, double *misfit);
    /* Thickness of cell c; NULL: it has none. */
    double (*cell_thickness)(const phx_elastic_model *model, int c);
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
    phx_csr M, K; /* n x n, the whole symmetric pattern; M may be singular. Empty where processes share the elements */
    double rounding; /* of entries of M and K in their files, relative, by the digits printed; 0: computed here */
    int n_modes;     /* 0; else shapes that came with the model, u = modes q */
    double *modes;   /* n x n_modes */
    int *
        carrier; /* n_nodes: the node, with rotations, whose rigid motion its displacement is; -1: none; NULL: of all */
    int *rotation_label; /* n_nodes: of the node by whose translations a file names its rotations (CalculiX); 0: it does
                            not; NULL: of none */
    char *no_stresses;   /* why the stresses of an imported body are not known; NULL: they are, or it has no mesh */
    double *modal_M, *modal_K; /* n_modes x n_modes, symmetric: the stiffness is known for the modes alone, K is empty
                                  (no entry); NULL: M and K say everything */
    int n_elements;
    int most_unknowns, most_stresses, most_block; /* of an element */
    int *first_unknown;                           /* n_elements + 1: where the unknowns of each begin in `unknown` */
    int *unknown;                                 /* each once in an element, in any order */
    int *first_stress;                            /* n_elements + 1: where the stresses of each begin */
    int n_surface_stresses; /* of a plate: those at both surfaces (upper xx yy xy, lower), 6 at each corner of each
                               triangle; 0 else */
};
void phx_elastic_destroy(phx_elastic_model *model); /* NULL is allowed */
/* n_nodes x 6: the unknown of each component of each node, -1: there is none. The caller frees it. */
phx_status phx_elastic_places(phx_context *context, const phx_elastic_model *model, int **at);
/* The unknowns and factors (at most 3) that are component `axis` of the displacement of a node, by `at`; their number.
 */
int phx_elastic_displacement(const phx_elastic_model *model, const int *at, int node, int axis, int unknown[3],
                             double factor[3]);

/* M and K of a model whose other fields are filled, from its elements: the pattern once, then the values. Where
 * processes share the work (phx_context_ranks) nothing: each assembles its rows when they are needed. */
phx_status phx_elastic_assemble(phx_context *context, phx_elastic_model *model);
/* Storage for the matrices of any element of the model, one allocation (phx_free of *room). */
phx_status phx_elastic_element_room(phx_context *context, const phx_elastic_model *model,
                                    phx_element_matrices *matrices, void **room);
/* The matrices of element e with M2 = L L^T and D as L (in `compliance`) and L^-1 D; and other rows (n_stresses x cols)
 * <- L^-1 rows. */
phx_status phx_elastic_root(phx_context *context, const phx_elastic_model *model, int e,
                            phx_element_matrices *matrices);
void phx_elastic_root_rows(const phx_element_matrices *matrices, int cols, double *rows);
/* D (n_stress x n), M2 and L2^-1 D with M2 = L2 L2^T as sparse matrices; any may be NULL. For bodies that are small
 * enough, and tests. */
phx_status phx_elastic_mixed(phx_context *context, const phx_elastic_model *model, phx_csr *D, phx_csr *compliance,
                             phx_csr *root);

/* Mass properties of a model, and how far its rigid motions are from costing no force. */
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
    double expansion[3];  /* along x y z, 1/K; 0 by the functions below */
} phx_solid_material;
void phx_isotropic_material(double young, double poisson, double density, phx_solid_material *material);
/* Axes x y z: moduli along them, poisson = nu_xy, nu_yz, nu_xz (nu_xy: contraction along y by tension along x), shear
 * moduli G_xy, G_yz, G_zx. */
void phx_orthotropic_material(const double young[3], const double poisson[3], const double shear[3], double density,
                              phx_solid_material *material);

typedef enum phx_solid_rule {
    PHX_SOLID_FULL,
    PHX_SOLID_REDUCED, /* hexahedra with 20 nodes: 2 x 2 x 2 points for the stiffness (Hex20R) */
    PHX_SOLID_PLAIN    /* hexahedra with 8 nodes: no mean dilatation, as C3D8 of CalculiX; they lock */
} phx_solid_rule;

typedef struct phx_solid_region {
    const char *group; /* of the mesh; NULL: every solid cell that the regions before it have left */
    phx_solid_material material;
    phx_solid_rule rule;
    bool lumped;           /* mass on the diagonal: sums of rows; of quadratic cells the diagonal scaled to the mass */
    bool mass_at_stresses; /* mass integrated at the points of the stiffness, as CalculiX does it: M may be singular */
} phx_solid_region;
/* Three translations for each node that a solid cell has. Stiffness as C3D4, C3D10, C3D8 (mean dilatation), C3D20,
 * C3D20R, C3D6, C3D15 of Abaqus; masses are integrated exactly where edges are straight. The mesh is taken (emptied) on
 * success. PHX_ERR_ARGUMENT: a solid cell in no region or in two, one turned inside out or flat (its label and the
 * determinant), a material that is not positive definite. A warning for Tet4, which is far too stiff in bending. */
phx_status phx_solid_create(phx_context *context, phx_mesh *mesh, int n_regions, const phx_solid_region *regions,
                            phx_elastic_model **model);
/* Stresses xx yy zz xy yz zx at the integration points of element e for the unknowns u, and their places (3 each; NULL:
 * not wanted). */
int phx_solid_points(const phx_elastic_model *model, int e); /* their number */
void phx_solid_stress(const phx_elastic_model *model, int e, const double *u, double *x, double *stress);
/* The same at the nodes (n_nodes x 6), for pictures: in each element the fit of least squares by its linear shape
 * functions, then the mean over the elements of a node; 0 where there are none. `offset` (NULL: none) is added to the
 * stresses at the points, as below. */
phx_status phx_solid_nodal_stress(phx_context *context, const phx_elastic_model *model, const double *u,
                                  const double *offset, double *stress);
/* ---- thermal expansion ---- */
/* Stresses that initial strains add to those of the displacement: the stresses of the elements, as first_stress counts,
 * then those at the surfaces of a plate that its N and M do not give. */
int phx_elastic_offsets(const phx_elastic_model *model);
/* Thermal expansion of a group of solid cells or of triangles (NULL: all) by the expansion of their materials: adds to
 * `force` (n) the load D^T M2^-1 (w eps_th), and to `offset` (phx_elastic_offsets; NULL: not wanted) what is to be
 * added to the stresses of the displacement, -C eps_th. The temperature of a plate is that of its surfaces, and linear
 * between them; without `membrane` its mean is not felt. PHX_ERR_ARGUMENT: no such group, an imported body. */
phx_status phx_elastic_expand(phx_context *context, const phx_elastic_model *model, const char *group,
                              const phx_temperature *temperature, double *force, double *offset);

/* ---- loads on faces ---- */
/* Adds to `force` (n) the work of a constant traction (N/m^2, body axes) and of a pressure (N/m^2, against the outward
 * normal) on a group of faces or, for plates, of a pressure across the plate on its cells. PHX_ERR_ARGUMENT: no such
 * group, or of another dimension. */
phx_status phx_elastic_traction(phx_context *context, const phx_elastic_model *model, const char *group,
                                const double traction[3], double pressure, double *force);
/* The same of a load that varies; group NULL: all triangles of a plate. */
phx_status phx_elastic_load(phx_context *context, const phx_elastic_model *model, const char *group,
                            const phx_surface_load *load, double *force);

/* ---- plates (plate/) ---- */
typedef enum phx_plate_theory { PHX_PLATE_KIRCHHOFF, PHX_PLATE_MINDLIN } phx_plate_theory;

/* A section: what a strip of the plate does. Rows and columns: xx yy xy (engineering shear and twist). */
typedef struct phx_plate_section {
    double thickness;       /* m */
    double surface[2][9];   /* Pa: plane stress of the outermost layers, upper and lower, by the strains there */
    double mass;            /* kg/m^2 */
    double rotary;          /* kg: rho h^3/12, Mindlin */
    double membrane[9];     /* N/m: N = membrane * (e_xx, e_yy, 2 e_xy) */
    double bending[9];      /* N m: M = bending * (k_xx, k_yy, 2 k_xy) */
    double coupling[9];     /* N: N = coupling * k, M = coupling * e; 0 unless the laminate may be unsymmetric */
    double shear[4];        /* N/m: q = shear * (w_x - theta_x, w_y - theta_y), Mindlin */
    double thermal[3][3];   /* int Q alpha z^m dz, m = 0, 1, 2: by the temperature T0 + T1 z the membrane forces fall by
                               thermal[0] T0 + thermal[1] T1, the moments rise by thermal[1] T0 + thermal[2] T1 */
    double expansion[2][3]; /* 1/K: xx yy 2xy of the outermost layers, upper and lower */
} phx_plate_section;
/* Isotropic; shear with the correction factor kappa (5/6); no expansion. */
void phx_isotropic_section(double young, double poisson, double density, double thickness, double kappa,
                           phx_plate_section *section);
void phx_isotropic_expansion(double expansion, phx_plate_section *section); /* of such a section, 1/K */
/* One layer of a laminate, in its own axes: 1 along the fibres, at `angle` (rad) from x. */
typedef struct phx_plate_layer {
    double young[2], poisson, shear[3]; /* E1 E2, nu12, G12 G13 G23 */
    double density, thickness, angle;
    double expansion[2]; /* along 1 and 2, 1/K */
} phx_plate_layer;
/* Layers from below; symmetric laminates only (the coupling of membrane and bending must vanish, that of expansions
 * need not): PHX_ERR_ARGUMENT names its size otherwise. */
phx_status phx_laminate_section(phx_context *context, int n_layers, const phx_plate_layer *layers, double kappa,
                                phx_plate_section *section);
/* The same of any laminate, for shells. Its mass counts as symmetric about the middle. */
phx_status phx_laminate_section_coupled(phx_context *context, int n_layers, const phx_plate_layer *layers, double kappa,
                                        phx_plate_section *section);

typedef struct phx_plate_region {
    const char *group; /* triangles; NULL: all in a range of cells that the regions before it have left */
    int first, count;  /* the range; count 0: the whole mesh */
    phx_plate_section section;
} phx_plate_region;
typedef struct phx_plate_def {
    phx_plate_theory theory;
    int order; /* k = 0, 1, 2: moments; deflection k + 1 */
    bool membrane;
    int n_regions;
    const phx_plate_region *regions;
} phx_plate_def;
/* A plate on the triangles of a mesh in a plane z = constant, either way round. Hellan-Herrmann-Johnson with
 * hybridisation: deflection in Lagrange P_{k+1}, normal slopes of edges P_k (PHX_UNKNOWN_OTHER), moments P_k in each
 * triangle; Mindlin (k = 1, 2): TDNNS with rotations in Nedelec II P_k (PHX_UNKNOWN_OTHER), shear forces P_k in each
 * triangle. Translations ux, uy, uz of all Lagrange nodes that a triangle has are unknowns, with stresses P_k for the
 * plane ones; without `membrane` these have mass and no stiffness, and are held by whoever builds a basis. Nodes: those
 * of the mesh, then k on each edge, then those inside triangles. The mesh is taken (emptied) on success.
 * PHX_ERR_ARGUMENT: cells that are not triangles of 3 nodes, flat ones, in no region or in two, overlapping; a section
 * that is not positive definite. */
phx_status phx_plate_create(phx_context *context, phx_mesh *mesh, const phx_plate_def *def, phx_elastic_model **model);
/* The variables of a plate on an edge. */
typedef enum phx_plate_trace {
    PHX_TRACE_DEFLECTIONS,  /* uz of the nodes */
    PHX_TRACE_SLOPES,       /* normal slopes: k + 1 for each edge, Legendre polynomials along it, so the mean first */
    PHX_TRACE_TRANSLATIONS, /* ux, uy of each node */
    PHX_TRACE_ROTATIONS     /* Mindlin: tangential components of theta, as the slopes; Kirchhoff: none */
} phx_plate_trace;
/* The unknowns of a plate on a group of edges (the caller frees them). sign (NULL: not wanted), +1 or -1 each: the
 * slope along the outward normal n is sign * unknown, the rotation along e_z x n too; inside the plate n points to the
 * right of the lines of the group. */
phx_status phx_plate_edge_unknowns(phx_context *context, const phx_elastic_model *model, const char *group,
                                   phx_plate_trace trace, int *count, int **unknown, double **sign);
/* Triangles of a plate, and of which cell of the mesh each is made (may be NULL; borrowed). */
int phx_plate_triangles(const phx_elastic_model *model, const int **cell);
/* Stress resultants at a point of a triangle (barycentric, by the corners of its cell) for the unknowns u: N (xx yy
 * xy), M = bending * grad theta (xx yy xy), q (x y): the force that balances moments, 0 = Div M + q without rotary
 * inertia, and accelerates the plate, mass w'' = div q + pressure. */
void phx_plate_resultants(const phx_elastic_model *model, int triangle, const double *u, const double barycentric[3],
                          double N[3], double M[3], double q[2]);
/* ---- matrices of other programs (imported/) ---- */
typedef struct phx_import_def {
    int n_files;
    const char *const *files; /* found out by suffix and content: see docs/import.md */
    /* Files of the two matrices where names and content do not say which is which; they stand here and not in `files`.
     * NULL: none. */
    const char *mass_file, *stiffness_file;
    /* Matrix Market: shapes beside M and K, a column each, rows as those of the matrices; where these are named by node
     * and component in ascending order of both. NULL: none. */
    const char *modes_file;
    double length, mass, time; /* of the units of the files in m, kg, s; 1: SI */
    /* Rigid bodies of CalculiX, by label: reference node, and the node whose translations are its rotations. Those that
     * a deck names (*RIGID BODY with REF NODE and ROT NODE) are found there. */
    int n_rigid;
    const int (*rigid)[2];
} phx_import_def;
phx_import_def phx_import_def_default(void); /* no file, SI */
/* A model of M, K and nodes, or M, nodes and modes with their matrices (MBDyn); no elements. Round-off in the symmetry
 * of the matrices is averaged away; unknowns that neither matrix has an entry for are left out; entries of 0 are no
 * part of the pattern. The mesh is that of a deck among the files; where a table names sets of nodes they are its
 * groups, of nodes alone without a deck. PHX_ERR_INPUT names file, line and remedy; PHX_ERR_FILE; the log gets a line
 * for each file and warnings of what looks constrained or has no stiffness. */
phx_status phx_import_create(phx_context *context, const phx_import_def *def, phx_elastic_model **model);

/* Counts of what a file gives; 0: nothing. */
typedef struct phx_import_file {
    const char *path;   /* of the definition */
    const char *format; /* static */
    long lines;
    int rows[2];       /* of a mass matrix, of a stiffness matrix */
    size_t entries[2]; /* as they are stored */
    int unknowns;      /* names of rows */
    int nodes, cells, modes;
} phx_import_file;
typedef struct phx_import_contents {
    int n_files;
    phx_import_file *files; /* in the order of the definition; mass_file and stiffness_file last */
} phx_import_contents;
void phx_import_contents_free(phx_import_contents *contents); /* NULL is allowed */
/* phx_import_create, and what is in the files. Files without matrices and modes, a mesh say, are no error here: the
 * model is NULL then. */
phx_status phx_import_describe(phx_context *context, const phx_import_def *def, phx_import_contents *contents,
                               phx_elastic_model **model);

/* ---- interfaces (interface.c) ---- */
typedef enum phx_interface_kind {
    PHX_INTERFACE_RIGID,  /* its unknowns move as a rigid body (RBE2) */
    PHX_INTERFACE_HINGED, /* the straight edge of a plate: its nodes move as a rigid body, its normal slopes are free
                             and their mean is the rotation about it */
    PHX_INTERFACE_AVERAGE /* its motion is their mean rigid one, by least squares; it does work with forces spread by
                             the same weights (RBE3) */
} phx_interface_kind;

/* A part of a body that others are joined to. Its displacement and small rotation are `rows` on the unknowns: 6 x n,
 * u_x u_y u_z at x, r_x r_y r_z; the unknowns of a rigid one follow it. */
typedef struct phx_interface {
    char *name;
    double x[3];
    int n_tied, *tied;       /* unknowns that move as a rigid body */
    int n_turning, *turning; /* hinged: its normal slopes */
    double axis[3];          /* hinged: unit vector along the edge, else 0 */
    phx_csr rows;
    bool turns; /* it has rotations: a single node of a solid has none */
} phx_interface;
void phx_interface_free(phx_interface *interface);
/* Of unknowns, each once, in any order. x: the place of the port; NULL: the middle of the axis of a bore that its nodes
 * stand around, else the mean of the places of the unknowns. An average of unknowns that do not determine a rotation
 * has none (turns is false); PHX_ERR_ARGUMENT when they do not determine the displacement, or only a part of the
 * rotations. The name is copied. */
phx_status phx_interface_create(phx_context *context, const phx_elastic_model *model, const char *name,
                                phx_interface_kind kind, const double *x, int n_unknowns, const int *unknowns,
                                phx_interface *interface);
/* The unknowns of nodes, of all their components; and of a group of the mesh: of its nodes or, for an edge of a plate,
 * all that move there, the normal slopes too. The caller frees `unknown`. */
phx_status phx_elastic_node_unknowns(phx_context *context, const phx_elastic_model *model, int n_nodes,
                                     const int *nodes, int *count, int **unknown);
phx_status phx_elastic_group_unknowns(phx_context *context, const phx_elastic_model *model, const char *group,
                                      int *count, int **unknown);

/* ---- bases (basis.c, source.c) ---- */
typedef enum phx_basis_kind {
    PHX_BASIS_FREE,          /* free normal modes */
    PHX_BASIS_HELD,          /* normal modes with one interface held */
    PHX_BASIS_CRAIG_BAMPTON, /* unit motions of all rigid interfaces, normal modes with all of them held */
    PHX_BASIS_ALL,           /* all unknowns: small bodies */
    PHX_BASIS_OWN            /* the modes of the model; no interface is tied, no unknown held */
} phx_basis_kind;

typedef enum phx_frame_kind {
    PHX_FRAME_MEAN, /* mean axes: the deformation has no momentum */
    PHX_FRAME_HELD, /* fixed to an interface */
    PHX_FRAME_CHORD /* its origin in one interface, the line to another one its direction, turning about it with the
                       first */
} phx_frame_kind;

/* A mass at an interface: kg, kg m^2 about it, body axes, row-major. */
typedef struct phx_continuum_mass {
    int interface;
    double mass, inertia[9];
} phx_continuum_mass;

typedef struct phx_continuum_def {
    const char *name; /* of the body, for messages */
    phx_basis_kind basis;
    int modes; /* normal modes, >= 0 */
    int among; /* PHX_BASIS_CRAIG_BAMPTON: of so many of the lowest, those of the largest effective mass in a direction
                  of an interface; up to `modes`: the lowest themselves */
    int hold;  /* interface that PHX_BASIS_HELD holds */
    bool statics; /* and what unit forces and moments at the joined interfaces make of the body */
    bool stiffening;
    int n_loads;           /* and what these make of it */
    const double *loads;   /* n_loads x n */
    int n_strains;         /* initial strains, which a temperature makes */
    const double *strains; /* n_strains x stresses of the model: what each adds to those of the displacement; copied */
    phx_frame_kind frame;
    int frame_at[2];             /* interfaces of the frame */
    const unsigned char *held;   /* unknowns that do not move (n); NULL: none */
    const unsigned char *joined; /* per interface: something is joined to it; NULL: all */
    int n_masses;
    const phx_continuum_mass *masses; /* added to the inertia in the basis */
} phx_continuum_def;

/* How well a basis holds its body. */
typedef struct phx_basis_quality {
    double frequency; /* largest relative error of the first frequencies with all joined interfaces held; negative: not
                         known */
    double flexibility; /* largest error of the static flexibility at a joined interface, over the largest there */
    const char *where;  /* interface of that error */
    phx_effective_mass effective;
} phx_basis_quality;

/* A source of deformation in a basis of an elastic model, both of which it takes over (on success): the model and the
 * interfaces, whose names are those of its points. Its stress vector is B q, K = B^T B in the basis. With `stiffening`
 * the coordinates are those without it and others that follow them: what the inertia loads of steady motions, and the
 * strains of second order of pairs of shapes, make of the body (followers.c). PHX_ERR_ARGUMENT for more modes than the
 * body has, or for a stiffness known for modes alone without PHX_BASIS_OWN; PHX_ERR_UNSUPPORTED: stiffening of a body
 * whose matrices are all that is known, with more than PHX_STRAIN_SLOPES shapes. */
phx_status phx_continuum_source_create(phx_context *context, const phx_continuum_def *def, phx_elastic_model *model,
                                       int n_interfaces, phx_interface *interfaces, phx_flex_source **source);
/* Of such a source, or of a reduced body: its model, its basis (u = Phi q: n coordinates one after the other, model->n
 * numbers each), the circular frequencies of its coordinates, its quality. NULL: of another source. */
const phx_elastic_model *phx_continuum_model(const phx_flex_source *source);
const double *phx_continuum_basis(const phx_flex_source *source);
const double *phx_continuum_frequencies(const phx_flex_source *source);
const phx_basis_quality *phx_continuum_quality(const phx_flex_source *source);

/* For pictures: of each node of the mesh of the model, its displacement = rows q (n_nodes x 3 x n, allocated) and the
 * thickness of a plate there (n_nodes, 0 of other bodies; allocated). */
phx_status phx_continuum_displacements(phx_context *context, const phx_flex_source *source, double **rows,
                                       double **thickness);

/* The force on the unknowns of the model (n) as one on the coordinates of the basis: `load` is filled, the caller frees
 * it. strain: 1 + the number of the initial strain whose stresses make the force, which then acts on the deformation
 * alone; 0: none does. */
phx_status phx_continuum_load(phx_context *context, const phx_flex_source *source, const double *force, int strain,
                              phx_flex_load *load);

/* ---- reduced bodies (reduced/) ----
 * A body in its basis, in an HDF5 file: shape integrals, stiffness, ports, and for pictures nodes and cells with the
 * basis at the nodes. Whoever reads it needs neither mesh nor matrices. */
/* A port: a point of the source by its location, and its rotation, port to body components, row-major, dim x dim. */
typedef struct phx_reduced_port {
    const char *name;
    const phx_location *location;
    double rotation[9];
} phx_reduced_port;
enum {
    PHX_REDUCED_SECTION = 12, /* numbers of the cross-section of a beam, as whoever writes them reads them */
    PHX_REDUCED_MOST = 10000  /* coordinates */
};
/* `kind` says what the body was: "solid". `section`: of a beam; NULL: not known. In the plane rotations are 2 x 2.
 * PHX_ERR_UNSUPPORTED: a source that is neither of this layer nor a beam, or has too many coordinates. */
phx_status phx_reduced_write(phx_context *context, const char *path, const char *name, const char *kind,
                             const phx_flex_source *source, const double *section, int n_ports,
                             const phx_reduced_port *ports);
/* Its points: the ports by their names, the nodes. Of its model (phx_continuum_model) there are nodes, unknowns that
 * belong to nodes, and the cells of the mesh. Of a beam: the ports by their names and fractions of the length,
 * sections, no model; phx_beam_definition tells what it was made of. PHX_ERR_FILE: it cannot be read, is no such file,
 * or is damaged; with what. */
phx_status phx_reduced_read(phx_context *context, const char *path, phx_flex_source **source);
int phx_reduced_ports(const phx_flex_source *source);
const char *phx_reduced_port_name(const phx_flex_source *source, int port);
const double *phx_reduced_port_rotation(const phx_flex_source *source, int port); /* dim x dim */
const double *phx_reduced_port_position(const phx_flex_source *source, int port); /* 3, body axes, m */
/* Of a beam, PHX_REDUCED_SECTION numbers; NULL: not known, or no beam. */
const double *phx_reduced_section(const phx_flex_source *source);
/* The same body with masses at its ports; it keeps a share of `base`. */
phx_status phx_reduced_with_masses(phx_context *context, phx_flex_source *base, int n_masses,
                                   const phx_continuum_mass *masses, phx_flex_source **source);

/* ---- load cases (load_case.c) ---- */
/* How a body moves at an instant, body axes: the acceleration of the origin of its frame less gravity, its angular
 * velocity and the derivative of that, the coordinates of its basis with two derivatives. */
typedef struct phx_body_motion {
    double acceleration[3], spin[3], spin_rate[3];
    const double *q, *q_dot, *q_ddot;
} phx_body_motion;
/* Force and moment at a node or an interface, body axes. */
typedef struct phx_case_load {
    const phx_location *location;
    double wrench[6];
} phx_case_load;
typedef struct phx_case_def {
    phx_body_motion motion;
    const double *damping; /* R q_dot, of the coordinates */
    int n_loads;
    const phx_case_load *loads;
    int n_masses;
    const phx_continuum_mass *masses; /* as the body was made with */
} phx_case_def;
typedef struct phx_case_report {
    double unbalanced; /* resultant before inertia relief over the sum of the forces or moments */
    double truncation; /* what the forces do to the mesh differs from the deformation so much, in energy, relative */
} phx_case_report;
/* For the load cases of a solid or an imported body, which it borrows: it factors the stiffness once.
 * PHX_ERR_UNSUPPORTED for others. */
typedef struct phx_case_maker phx_case_maker;
phx_status phx_case_maker_create(phx_context *context, const phx_flex_source *source, phx_case_maker **maker);
void phx_case_maker_destroy(phx_case_maker *maker); /* NULL is allowed */
/* The forces on the unknowns of the model (n) that make the stresses of an instant, in equilibrium to rounding; `force`
 * has those on surfaces on entry. */
phx_status phx_case_make(phx_case_maker *maker, const phx_case_def *def, double *force, phx_case_report *report);

#endif
