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
    int n;         /* entries in dof; 0 at an undeformable point */
    int *dof;      /* coordinates of q, ascending */
    double *phi;   /* dim x n, row-major */
    double *theta; /* n_rot x n, row-major */
} phx_flex_point;
void phx_flex_point_free(phx_flex_point *point);

/* Von Karman strain of geometric stiffening, piecewise constant: strain k is
 *   eps_k = lin_k q + 1/2 sum_{g: strain_of[g] = k} weight[g] (slope_g q)^2,  energy 1/2 sum_k stiffness[k] eps_k^2.
 * The part 1/2 stiffness lin^2 is already in K. */
typedef struct phx_flex_stiffening {
    int n_strain;
    phx_csr lin;             /* n_strain x n */
    double *stiffness;       /* n_strain: E A times the element's length, N m */
    double *axial_stiffness; /* n_strain: E A, N: force = E A eps */
    int n_slope;
    phx_csr slope;   /* n_slope x n: slopes at quadrature points */
    int *strain_of;  /* n_slope, ascending */
    double *weight;  /* n_slope, sums to 1 in each strain (per transverse direction) */
    int *stress_row; /* n_strain: row of the stress vector that holds this axial force */
} phx_flex_stiffening;

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
    phx_flex_stiffening *stiffening; /* NULL: none */
} phx_flex;
void phx_flex_free(phx_flex *flex); /* frees what it owns, zeroes the fields; NULL is allowed */

/* ---- beams ---- */
typedef enum phx_reference {
    PHX_REFERENCE_CANTILEVER,
    PHX_REFERENCE_SIMPLY_SUPPORTED,
    PHX_REFERENCE_FREE
} phx_reference;
typedef enum phx_element_kind { PHX_ELEMENT_MIXED, PHX_ELEMENT_PAPER } phx_element_kind;

/* A mass at a fraction of the length: kg, kg m^2 about the section's centre (plane: 1 value; space: 3x3 row-major). */
typedef struct phx_beam_mass {
    double at;
    double mass;
    double inertia[9];
} phx_beam_mass;

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
 * PHX_ELEMENT_PAPER: nodal values of the axial force | (m, m') per node. */
typedef struct phx_beam_def {
    int dim;
    double length;               /* m, > 0 */
    double mass_per_length;      /* kg/m, > 0 */
    double axial_stiffness;      /* EA, N, > 0 */
    double bending_stiffness[2]; /* plane: [0] = EI about z; space: EIy (w in z), EIz (v in y) */
    double torsion_stiffness;    /* G Jt, N m^2, space only, > 0; infinite: no twist, no torsion coordinates */
    double polar_inertia;        /* rho (Iy+Iz) per length, kg m, space only, > 0 */
    int elements;                /* >= 1 */
    int order;                   /* 3: cubic Hermite / DG1; 5: quintic C2 Hermite / DG3 */
    phx_element_kind element;
    phx_reference reference;
    bool stiffening;
    int n_masses;
    const phx_beam_mass *masses; /* copied */
} phx_beam_def;
phx_beam_def phx_beam_def_default(void);

typedef struct phx_beam phx_beam;
/* Errors: PHX_ERR_ARGUMENT names the field, its value and the range; PHX_ERR_UNSUPPORTED: PHX_ELEMENT_PAPER with order
 * 5 or stiffening, or more coordinates than fit where all couple (free, paper). */
phx_status phx_beam_create(phx_context *context, const phx_beam_def *def, phx_beam **beam);
/* One more owner: the beam lives until each owner has destroyed it, so that bodies of one definition, and the systems
 * of a sweep, can share its matrices. Returns `beam`; NULL gives NULL. Owners of one beam work on one thread. */
phx_beam *phx_beam_share(phx_beam *beam);
void phx_beam_destroy(phx_beam *beam);               /* NULL is allowed */
const phx_flex *phx_beam_flex(const phx_beam *beam); /* owned by the beam */
/* Point at a fraction s in [0,1] of the length, else PHX_ERR_ARGUMENT; free with phx_flex_point_free. A fraction within
 * rounding of a node is taken as the node. */
phx_status phx_beam_point(const phx_beam *beam, phx_context *context, double s, phx_flex_point *point);
/* Linear functionals of the stress vector at a fraction s: the axial force (tension positive), the bending moment
 * (EI w'', n_moment = 1 in the plane, 2 in space: m_y = EIy uz'', m_z = EIz uy''), the torsion moment (space; zero
 * where there is none): mean of both sides at an element interface. Dense rows of n_stress values. Any pointer may be
 * NULL. */
void phx_beam_stress_rows(const phx_beam *beam, double s, double *axial, double *moment, double *torsion);
/* Quadrature over the length for distributed loads: count points, fractions s and weights (m). Arrays owned by beam. */
void phx_beam_quadrature(const phx_beam *beam, int *count, const double **s, const double **weight);

#ifdef __cplusplus
}
#endif
#endif
