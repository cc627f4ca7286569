/* Phlexor, layer ranks, private to phlexor-petsc.so: a multigrid whose cycle takes several vectors at once, and
 * eigenvectors by it. A block of m vectors is an array of m numbers for each row of this process, `stride` >= m numbers
 * from row to row, so that a product reads the matrix once. */
#ifndef PHLEXOR_RANKS_PETSC_MULTIGRID_H
#define PHLEXOR_RANKS_PETSC_MULTIGRID_H

#include <petscksp.h>

static const PetscReal NO_RESIDUAL = 1e-300; /* absolute tolerance: none */

/* ---- products with blocks ---- */
/* A matrix of PETSc (AIJ, of one process or several) and what a product with a block needs of it. */
typedef struct block_operator block_operator;
PetscErrorCode block_operator_create(Mat A, block_operator **made);
PetscErrorCode block_operator_destroy(block_operator **operator); /* NULL is allowed */
/* y <- A x, m vectors. */
PetscErrorCode block_operator_apply(const block_operator *operator, PetscInt m, PetscInt x_stride, const PetscScalar *x,
                                    PetscInt y_stride, PetscScalar *y);

/* ---- multigrid ---- */
typedef struct multigrid multigrid;
/* Of a symmetric matrix, positive definite but for a kernel. P: to it from the next level, the nodes at the corners of
 * quadratic elements; NULL: there is none such. near: motions of the level after it, orthonormal or not, for the levels
 * that aggregation makes of that one. */
PetscErrorCode multigrid_create(Mat A, Mat P, PetscInt n_near, Vec *near, multigrid **made);
PetscErrorCode multigrid_destroy(multigrid **grids);
PetscInt multigrid_levels(const multigrid *grids);
/* Level 0 is the matrix itself; the matrix and the interpolation to it from the next one (NULL at the last). */
Mat multigrid_matrix(const multigrid *grids, PetscInt l);
Mat multigrid_interpolation(const multigrid *grids, PetscInt l);
/* x <- one cycle for A x = b on level l, m vectors: symmetric, positive definite. Strides m. */
PetscErrorCode multigrid_cycle(multigrid *grids, PetscInt l, PetscInt m, const PetscScalar *b, PetscScalar *x);
/* The two as operators on blocks. */
const block_operator *multigrid_operator(const multigrid *grids, PetscInt l);
const block_operator *multigrid_interpolation_operator(const multigrid *grids, PetscInt l);

/* ---- eigenvectors ---- */
/* The lowest pairs of A x = value B x beside the vectors `rigid` (n_rigid, orthonormal in B), A that of the multigrid:
 * `count` of them, x^T B x = 1. tolerance: of the vectors, relative, in the norm of A. steps (NULL: not wanted): of
 * LOBPCG on the finest level. `rigid` and `vectors`: one vector after the other. */
PetscErrorCode multigrid_eigen(multigrid *grids, Mat B, PetscInt count, PetscInt n_rigid, const PetscScalar *rigid,
                               PetscReal tolerance, PetscReal *values, PetscScalar *vectors, PetscInt *steps);

#endif
