/* Phlexor, layer fe: elements and meshes. What a floating body needs of its deformation field, wherever it comes from.
 *
 * u_f(x) = Phi(x) q in the body frame, q: n deformation coordinates that satisfy the reference conditions.
 * Kinetic energy T = 1/2 nu^T M(q) nu, nu = (v, w, q_dot), v and w in body components:
 *
 *        | m I          [s]x^T       S    |   s(q)  = s0 + S q                              first moment, dim
 *   M =  | [s]x         J(q)         L(q) |   J_ab  = J0_ab + j_ab q + 1/2 q^T Q_ab q       inertia, n_rot x n_rot
 *        | S^T          L^T          M_qq |   L_k   = C_k + q^T A_k                         row k, A_k antisymmetric
 *
 * with S = int rho Phi, C = int rho x x Phi, A = int rho (Phi_a^T Phi_b - Phi_b^T Phi_a), M_qq = int rho Phi^T Phi.
 * Elastic energy 1/2 q^T K q, K = D^T M2^-1 D, stress sigma = M2^-1 D q. */
#ifndef PHLEXOR_FE_H
#define PHLEXOR_FE_H

#include <phlexor/algebra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs (a,b), a <= b, of rotational axes in the order 11 | 11 22 33 12 13 23. */
enum { PHX_MAX_PAIR = 6 };

/* A point of a flexible body: undeformed place x, displacement u = phi q and small section rotation theta = theta q
 * (plane: the slope w'), both on the same sparse list of coordinates. */
typedef struct phx_flex_point {
    double x[3];
    int n;                   /* entries in dof; 0 at an undeformable point */
    int *dof;                /* coordinates of q, ascending */
    double *phi;             /* dim x n, row-major */
    int zero_columns[2];     /* columns of phi that are known to be zero: the first ones and the last ones */
    double *theta;           /* n_rot x n, row-major */
    bool without_directions; /* it moves, but what its rotation is nobody knows: a single node of a solid */
} phx_flex_point;
void phx_flex_point_free(phx_flex_point *point);

/* ---- places on a body ---- */
/* How a place on a body is said. */
typedef enum phx_location_sort {
    PHX_LOCATION_ORIGIN,   /* the origin of the body's frame, as undeformed */
    PHX_LOCATION_FRACTION, /* a fraction of its length */
    PHX_LOCATION_PLACE,    /* a place in body axes */
    PHX_LOCATION_NODE,     /* the number of a node */
    PHX_LOCATION_NAME,     /* the name of a point, a corner, an edge, a node set: whatever of the body has names */
    PHX_LOCATION_SORTS
} phx_location_sort;

/* A place on a body. Only the field of its sort is read. */
typedef struct phx_location {
    phx_location_sort sort;
    double fraction; /* in [0, 1] */
    double place[3]; /* m */
    int node;        /* as the body counts its nodes */
    const char *name;
} phx_location;
static inline phx_location phx_location_at_fraction(double s)
{
    phx_location location = {PHX_LOCATION_FRACTION, s, {0.0, 0.0, 0.0}, 0, NULL};
    return location;
}
static inline phx_location phx_location_at_place(int dim, const double *x)
{
    phx_location location = {PHX_LOCATION_PLACE, 0.0, {x[0], x[1], dim == 3 ? x[2] : 0.0}, 0, NULL};
    return location;
}
static inline phx_location phx_location_of_name(const char *name)
{
    phx_location location = {PHX_LOCATION_NAME, 0.0, {0.0, 0.0, 0.0}, 0, name};
    return location;
}

/* Most slopes of one strain of geometric stiffening. */
enum { PHX_STRAIN_SLOPES = 48 };

/* Strains of geometric stiffening, each a linear and a quadratic form of q: strain k is
 *   eps_k = lin_k q + 1/2 sum_{p: product of k} weight_p (slope_first[p] q) (slope_second[p] q),
 * energy 1/2 sum_k stiffness[k] eps_k^2. The part 1/2 stiffness lin^2 is already in K.
 * Beams: von Karman's strain, the mean over each element. Bodies in a basis: combinations of the strains of all
 * elements or integration points with the same energy, of stiffness 1. */
typedef struct phx_flex_stiffening {
    int n_strain;
    phx_csr lin;       /* n_strain x n */
    double *stiffness; /* n_strain: beams E A times the element's length, N m */
    int n_slope;
    phx_csr slope;      /* n_slope x n: displacement gradients at quadrature points, or coordinates */
    bool in_basis;      /* slope a is coordinate a, and every strain has all slopes */
    int *slope_begin;   /* n_strain: the slopes of strain k are slope_begin[k] ... slope_end[k] - 1 */
    int *slope_end;     /* n_strain; at most PHX_STRAIN_SLOPES behind the first */
    int *product_begin; /* n_strain + 1: where the products of each strain begin */
    int *first, *second;
    double *weight;
    double *axial_stiffness; /* n_strain: E A, N: force = E A eps; NULL: no strain stands in the stress vector */
    int *stress_row;         /* n_strain: row of the stress vector that holds this axial force; NULL as above */
    /* The strains that stand in the stress vector where those above are combinations of them: of a beam in a basis
     * those of its elements. NULL: none beside those above. */
    struct phx_flex_stiffening *stressed;
} phx_flex_stiffening;

/* The matrices of a phx_flex, each without its zeros: what is multiplied in every step. */
typedef struct phx_flex_compact phx_flex_compact;

/* Everything a floating body needs of its deformation. All matrices over q x q share one structurally symmetric
 * pattern (ptr, idx) that contains the diagonal. */
typedef struct phx_flex {
    int dim, n_rot, n_pair; /* 2,1,1 or 3,3,6 */
    int n;                  /* deformation coordinates; 0: rigid */
    double mass;
    double s0[3];
    double J0[PHX_MAX_PAIR];
    double *S; /* dim x n */
    double *C; /* n_rot x n */
    double *j; /* n_pair x n */
    int *ptr, *idx;
    double *M;               /* M_qq */
    double *A[3];            /* n_rot arrays, antisymmetric */
    double *Q[PHX_MAX_PAIR]; /* n_pair arrays, symmetric */
    double *K;               /* elastic stiffness, symmetric positive definite under the reference conditions */
    int n_stress;
    phx_csr stress;                  /* n_stress x n: sigma = M2^-1 D q, the stress state of the mixed form */
    phx_csr root;                    /* n_stress x n: B = L2^-1 D (M2 = L2 L2^T), K = B^T B */
    phx_csr compliance, strain;      /* M2, n_stress x n_stress, and D, n_stress x n; no rows where a stiffness is all
                                        that is known, as of modal data */
    phx_flex_stiffening *stiffening; /* NULL: none */
    phx_flex_compact *compact;       /* of the library; NULL: not yet made */
} phx_flex;

/* ---- where a deformation comes from ---- */
/* A beam, modal data: what fills a phx_flex and answers for its points and stresses. A source lives until each owner
 * has destroyed it, so that bodies of one definition, and the systems of a sweep, can share its matrices; its owners
 * work on one thread. */
typedef struct phx_flex_source phx_flex_source;
/* One more owner. Returns `source`; NULL gives NULL. */
phx_flex_source *phx_flex_source_share(phx_flex_source *source);
void phx_flex_source_destroy(phx_flex_source *source);               /* NULL is allowed */
const phx_flex *phx_flex_source_flex(const phx_flex_source *source); /* owned by the source */
/* The point at a location; free with phx_flex_point_free. PHX_ERR_ARGUMENT for a sort that the source does not offer,
 * with those that it does, and for a location outside the body. */
phx_status phx_flex_source_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                                 phx_flex_point *point);

/* ---- modal data ---- */
/* A mass at a point of a modal body: kg, kg m^2 about the point (plane: 1 value; space: 3x3 row-major). */
typedef struct phx_modal_mass {
    const phx_flex_point *point;
    double mass;
    double inertia[9];
} phx_modal_mass;

/* A point of a modal body by its name. */
typedef struct phx_modal_named {
    const char *name;
    const phx_flex_point *point;
} phx_modal_named;

/* A body given by rigid mass data and mass-normalised modes, as a finite-element program delivers it. The modes are
 * those of the body held by its frame (or floating in it), the participation factors
 *
 *   S = int rho Phi (kg^1/2),   C = int rho x x Phi about the frame's origin (kg^1/2 m),
 *
 * M = I and K = diag((2 pi f)^2). Integrals of higher order are those of phx_flex; where they are left out the inertia
 * does not see that part of the deformation (j: lever arms, Q and A: second order, stiffening by rotation), while
 * energy, with the M(q) that remains, is still conserved. */
typedef struct phx_modal_data {
    int dim;
    double mass;       /* kg, > 0 */
    double inertia[9]; /* about the centre of mass, body axes (plane: [0]; space: 3x3 row-major) */
    double centre[3];
    int modes;                    /* >= 1 */
    const double *frequency;      /* modes: Hz, > 0 */
    const double *translation;    /* modes x dim: S^T */
    const double *rotation;       /* modes x n_rot: C^T */
    const double *inertia_first;  /* modes x n_pair: j^T, kg^1/2 m; NULL: zero */
    const double *gyroscopic;     /* n_rot x modes x modes: A, antisymmetric; NULL: zero */
    const double *inertia_second; /* n_pair x modes x modes: Q, symmetric; NULL: zero */
    int n_masses;
    const phx_modal_mass *masses; /* added to all integrals; points in the modal coordinates */
    int n_points;
    const phx_modal_named *points; /* what the source answers for by name */
} phx_modal_data;
/* Everything is copied. Stress vector: B q with K = B^T B, B = diag(2 pi f). Errors: PHX_ERR_ARGUMENT names the value
 * and the range; a mass matrix that is not positive definite names the excess of the effective mass of the modes, the
 * sum of the squared participation factors, over the mass or inertia of the body. */
phx_status phx_modal_source_create(phx_context *context, const phx_modal_data *data, phx_flex_source **source);
/* Point of a modal body at x (dim) by its mode shapes: displacements (modes x dim) and small rotations (modes x n_rot);
 * either NULL: zero. Free with phx_flex_point_free. */
phx_status phx_modal_point(phx_context *context, int dim, int modes, const double *x, const double *translation,
                           const double *rotation, phx_flex_point *point);

/* ---- beams ---- */
/* How the body frame is fixed: see phx_beam_def. */
typedef enum phx_reference {
    PHX_REFERENCE_CANTILEVER,
    PHX_REFERENCE_SIMPLY_SUPPORTED,
    PHX_REFERENCE_FREE
} phx_reference;
/* PHX_ELEMENT_ASSUMED: no elements, the analytic shapes of a beam clamped at P and free at C ([2] (13)). */
typedef enum phx_element_kind { PHX_ELEMENT_MIXED, PHX_ELEMENT_PAPER, PHX_ELEMENT_ASSUMED } phx_element_kind;

/* Coordinates of a beam of elements that are fewer than those of its elements. */
typedef enum phx_beam_basis {
    PHX_BEAM_BASIS_MODES,         /* the lowest normal modes under the reference condition */
    PHX_BEAM_BASIS_CRAIG_BAMPTON, /* static shapes of interfaces, and modes with all of them held */
    PHX_BEAM_BASIS_KRYLOV         /* what forces at interfaces make of the free beam, by powers of the frequency */
} phx_beam_basis;

/* A mass at a fraction of the length: kg, kg m^2 about the section's centre (plane: 1 value; space: 3x3 row-major). */
typedef struct phx_beam_mass {
    double at;
    double mass;
    double inertia[9];
} phx_beam_mass;

/* The section of a beam at a fraction of the length; the numbers are those of phx_beam_def. */
typedef struct phx_beam_station {
    double at;
    double mass_per_length, axial_stiffness, bending_stiffness[2], torsion_stiffness, polar_inertia, section_inertia[2];
} phx_beam_station;

/* Euler-Bernoulli beam along the body's x axis from P (x = 0) to C (x = length), elements of equal length.
 *
 * Order of q: field by field, in a field node by node from P to C, at a node value by value; what the reference holds
 * at zero is left out:
 *   plane  ux | (uy, uy') per node, order 5: (uy, uy', uy'')
 *   space  ux | (uy, uy'[, uy'']) | (uz, uz'[, uz'']) | twist
 * cantilever: all of node P is left out (order 5: its second derivatives stay); simply supported: ux, twist and the
 * transverse displacements at P, and the transverse displacements at C. free: q as for simply supported, deformations
 * measured from the line P-C, and u is that deformation less its mean rigid motion (S = 0 and C = 0 exactly).
 * Section rotation theta: uy' in the plane, (twist, -uz', uy') in space.
 *
 * Order of the stresses: the axial force of each element | the moment EI w'' of the plane of uy, per element its values
 * at both ends (order 5: at 0, 1/3, 2/3 and 1 of the element) | the same of uz | the torsion moment of each element.
 * PHX_ELEMENT_PAPER: nodal values of the axial force | (m, m') per node.
 *
 * With `modes` q is the lowest normal modes of that beam, mass-normalised (M = I, K = diag(omega^2)), with stiffening
 * followed by axial shapes (phx_flex_source_modes); the stresses stay. With `basis` q is the normal modes, under the
 * reference condition, of the static shapes that forces in equilibrium at the interfaces make, and of so many `modes`
 * of the free beam with all interfaces held; or of its response to forces at the interfaces, `moments` terms of it by
 * the square of the frequency. Neither depends on the reference condition. PHX_ELEMENT_ASSUMED: q is `modes` shapes of
 * each field, field by field; without point masses M = I and K is diagonal. Its stress vector holds an amplitude for
 * each coordinate, and the stress rows are the analytic derivatives there. */
typedef struct phx_beam_def {
    int dim;
    double length;               /* m, > 0 */
    double mass_per_length;      /* kg/m, > 0 */
    double axial_stiffness;      /* EA, N, > 0 */
    double bending_stiffness[2]; /* plane: [0] = EI about z; space: EIy (w in z), EIz (v in y) */
    double torsion_stiffness;    /* G Jt, N m^2, space only, > 0; infinite: no twist, no torsion coordinates */
    double polar_inertia;        /* rho (Iy+Iz) per length, kg m, space only, > 0 */
    double section_inertia[2];   /* space: rho Iy, rho Iz, whose sum is the polar inertia, of sections that turn with
                                    the frame and the twist; 0: none */
    int n_stations;              /* 0, or >= 2 */
    const phx_beam_station *stations; /* ascending from 0 to 1, between two the numbers are linear, two at one place are
                                         a step; instead of the numbers above, which only estimates then take. Not of
                                         assumed modes. Copied */
    int elements;                     /* >= 1 */
    int order;                        /* 3: cubic Hermite / DG1; 5: quintic C2 Hermite / DG3 */
    phx_element_kind element;
    int modes; /* assumed: shapes of each field, 1..64; else 0: all coordinates of the elements, or so many normal
                  modes; Craig-Bampton: of those with the interfaces held, >= 0 */
    phx_beam_basis basis;     /* of elements */
    int among;                /* Craig-Bampton: of so many of the lowest modes those of the largest effective mass in a
                                 direction of an interface; 0: the lowest themselves */
    int moments;              /* Krylov: >= 1 */
    int n_interfaces;         /* of the two: 1..64 */
    const double *interfaces; /* different fractions of the length; copied */
    phx_reference reference;  /* assumed: cantilever */
    bool stiffening;          /* not of assumed modes */
    int n_pulled;             /* modes with stiffening: axial forces act, beside P and C, at so many */
    const double *pulled;     /* fractions of the length; copied */
    int n_masses;
    const phx_beam_mass *masses; /* copied */
} phx_beam_def;
phx_beam_def phx_beam_def_default(void);

typedef phx_flex_source phx_beam; /* points: origin, which is P, and fractions of the length; sections */
/* Errors: PHX_ERR_ARGUMENT names the field, its value and the range; PHX_ERR_UNSUPPORTED: PHX_ELEMENT_PAPER with order
 * 5 or stiffening, assumed modes with another reference than cantilever or with stiffening, more modes with stiffening
 * than PHX_STRAIN_SLOPES, or more coordinates than fit where all couple (free, paper, modes). */
phx_status phx_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam);

#ifdef __cplusplus
}
#endif
#endif
