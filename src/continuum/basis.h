/* Phlexor, layer continuum, private: the coordinates in which bases are found, and flexibility. */
#ifndef PHLEXOR_CONTINUUM_BASIS_H
#define PHLEXOR_CONTINUUM_BASIS_H

#include "continuum.h"
#include "part.h"

/* Unit rigid motion k (translations, then rotations) at unknown j, about the point x:
 * e_k x (p - x) = X_k - (e_k x x), e_k x x = x_a e_b - x_b e_a with a, b the axes after k. */
static inline double phx_elastic_rigid_about(const phx_elastic_model *model, int j, int k, const double x[3])
{
    const size_t n = (size_t)model->n;
    const double *r = model->rigid + (size_t)j;
    const size_t a = (size_t)(k + 1) % 3, b = (size_t)(k + 2) % 3;

    return k < 3 ? r[(size_t)k * n] : r[(size_t)k * n] - x[a] * r[b * n] + x[b] * r[a * n];
}

/* Rows first .. end - 1 of T^T M T and T^T K T of a model with elements (assemble.c); T NULL: of M and K; K NULL: of M
 * alone. */
phx_status elastic_assemble_rows(phx_context *context, const phx_elastic_model *model, const phx_csr *T, int first,
                                 int end, phx_csr *M, phx_csr *K);

/* PHX_ERR_INPUT, with their number, if K leaves more motions free, to the rounding of its entries, than a body in one
 * piece has (free_motions.c). Of a model on one process whose K is known. */
phx_status elastic_check_free_motions(phx_context *context, const phx_elastic_model *model, const char *name);

/* ---- the space of a body whose interfaces are tied ----
 * u = T y: unknowns that are neither tied nor held, then the coordinates of each interface that has tied unknowns:
 * displacement and rotation, six; of a hinged edge without the rotation about it, five. */
typedef struct elastic_space {
    const phx_elastic_model *model;
    elastic_part part;
    int n_all;    /* coordinates: of the unknowns in the order of the parts, then those of interfaces */
    int n, first; /* of this process: first .. first + n - 1; vectors have its n numbers */
    phx_csr T;    /* model->n x n_all */
    phx_csr M, K; /* T^T M T, T^T K T; one process */
    phx_ranks_matrix *M_rows, *K_rows; /* the same over several; NULL: one */
    int *unknown;                      /* n_all: the unknown that a coordinate is, -1: it is one of an interface */
    unsigned char *empty; /* n_all: a coordinate of an interface that moves nothing, all it could move is held */
    int *tie;             /* per interface: its first coordinate, -1: it has none */
    int *ties;            /* per interface: their number */
    int n_ties;           /* of all: the last coordinates, of the last process */
    phx_csr *rows;        /* per interface: 6 x n, its displacement and rotation by y, a sum over the processes */
    unsigned char *moves; /* per interface 6: it has this displacement or rotation */
    int n_interfaces;
    int n_rigid;     /* rigid motions that the space has: 6, fewer when unknowns are held */
    double *rigid;   /* n_rigid x n, orthonormal in M */
    double *M_rigid; /* n_rigid x n: M times them */
    double *near;    /* 6 x n: the unit rigid motions of the model, of what is not held; for multigrid, else NULL */
} elastic_space;
phx_status elastic_space_create(phx_context *context, const phx_elastic_model *model, const unsigned char *held,
                                int n_interfaces, const phx_interface *interfaces, elastic_space *space);
void elastic_space_free(elastic_space *space);
/* Those of several processes alone: room for what follows. */
void elastic_space_free_matrices(elastic_space *space);
/* 3 where these coordinates of this process (n, ascending, from 0) are the translations of nodes, one node after the
 * other, or motions of interfaces, and so on all processes; else 1. Collective. */
int elastic_space_block(const elastic_space *space, int n, const int *coordinate);
/* Of these coordinates, all that `left_out` (n_all, all processes) leaves, those that are not in the middle of an edge
 * of a quadratic solid element with unknowns at both ends: *n_corners of them in `corner` (n). P: n x such ones of all
 * processes; without rows when there are no such elements (corners.c). */
phx_status elastic_space_corners(phx_context *context, const elastic_space *space, const unsigned char *left_out, int n,
                                 const int *coordinate, int *n_corners, int *corner, phx_csr *P);
/* Y <- M X, Y <- K X: rows of n numbers. */
phx_status elastic_space_mass(const elastic_space *space, int rows, const double *x, double *y);
phx_status elastic_space_stiffness(const elastic_space *space, int rows, const double *x, double *y);
/* values <- their sums over the processes. */
static inline void elastic_space_sum(const elastic_space *space, size_t count, double *values)
{
    phx_ranks_sum(space->part.ranks, count, values);
}
/* Displacement and rotation of interface i by y. */
void elastic_space_motion(const elastic_space *space, int i, const double *y, double motion[6]);
/* f (n) <- T^T load, load model->n numbers on every process. */
phx_status elastic_space_load(phx_context *context, const elastic_space *space, const double *load, double *f);
/* u <- T y: of the unknowns of this process. */
phx_status elastic_space_unknowns(phx_context *context, const elastic_space *space, const double *y, double *u);
/* x <- x - (sum over k of (b_k . x) a_k): a, b count x n of this process. */
void elastic_space_project(const elastic_space *space, int count, int n, const double *a, const double *b, double *x);
/* x <- x - R R^T M x: rigid motions taken out, in mean axes. */
void elastic_space_remove_rigid(const elastic_space *space, double *x);

/* ---- flexibility ----
 * w = A f: the displacement by the loads f while some coordinates are held and the rigid motions that are left
 * accelerate (inertia relief), without these motions: A = P K^-1 P^T, P = I - R R^T M. K w = P^T f, exactly. */
typedef struct flexibility flexibility;
/* held: n_all of the space, 1 where a coordinate is held. */
phx_status flexibility_create(phx_context *context, const elastic_space *space, const unsigned char *held,
                              flexibility **made);
void flexibility_destroy(flexibility *flex); /* NULL is allowed */
/* f and w: n of the space; entries of f at held coordinates do not count, those of w are zero. w may be f. */
phx_status flexibility_apply(flexibility *flex, const double *f, double *w);
/* The lowest `count` modes of the body so held, without rigid ones: omega ascending (rad/s), modes count x n. */
phx_status flexibility_modes(flexibility *flex, int count, double *omega, double *modes);
/* Steps of LOBPCG that the last modes took; 0: another method found them. */
int flexibility_steps(const flexibility *flex);
/* At most so many has it. */
int flexibility_most_modes(const flexibility *flex);

/* ---- bases ---- */
/* Shapes in a space, one after the other: count x n. */
typedef struct shapes {
    int n, count;
    double *y;
    double *omega;  /* count: of orthonormal ones, ascending */
    int n_massless; /* the last of these: without mass, given one by which they have this omega */
    phx_effective_mass effective;
    /* Where the stiffness is known for modes of the model alone (0, NULL: it is not): the shapes are combinations `own`
     * (count x n_own) of these, whose mass and stiffness in mean axes are own_M and own_K (n_own x n_own). */
    int n_own;
    double *own, *own_M, *own_K;
} shapes;
void shapes_free(shapes *fields);
/* The shapes a definition asks for, orthonormal: Y^T M Y = I, Y^T K Y = diag(omega^2), without momentum (mean axes).
 * Dependent ones are left out. */
phx_status basis_create(phx_context *context, const phx_continuum_def *def, const elastic_space *space, shapes *basis);
/* Of `count` modes with all interfaces held, from row `first` on, the `keep` of the largest effective mass in a
 * direction of an interface; the last rows are the unit motions of the interfaces (effective.c). */
phx_status basis_choose_modes(phx_context *context, const elastic_space *space, int first, int count, int keep,
                              int constraints, shapes *basis);
/* Marks the coordinates that are held while a definition finds its modes. */
void basis_hold(const phx_continuum_def *def, const elastic_space *space, unsigned char *held);
/* Adds what stresses of inertia loads make of the lowest shapes, whose shapes in the frame are Phi. */
phx_status basis_add_prestressed(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                 const double *Phi, shapes *basis);
/* Combinations of its shapes as above: orthonormal, without momentum. */
phx_status basis_diagonalise(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                             shapes *basis);
/* Appends shapes that follow those of the basis, whose shapes in the frame are Phi; they are orthogonal in K to the
 * others and not in M, y^T M y = 1, y^T K y = omega^2 each (followers.c). */
phx_status basis_add_followers(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                               const double *Phi, shapes *basis);
/* The modes of the model, for basis_create; and own A own^T of them. */
phx_status basis_add_own(phx_context *context, const phx_continuum_def *def, const elastic_space *space, shapes *basis);
phx_status basis_own_gram(phx_context *context, const shapes *basis, const double *A, double *out);
/* How well shapes in mean axes hold the body. */
phx_status basis_quality(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                         const phx_interface *interfaces, const shapes *basis, phx_basis_quality *quality);

/* The middle of the axis of a cylinder around which `count` places (x, 3 each) stand; false: there is none. */
bool bore_middle(phx_context *context, int count, const double *x, double middle[3]);

#endif
