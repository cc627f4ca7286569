/* Multigrid for several vectors at once: quadratic elements over their corners, then PETSc's smoothed aggregation.
 *
 * The cycle is V(K, K) with Chebyshev polynomials of the fourth kind (Lottes, Numer. Linear Algebra Appl. 30 (2023)
 * e2518, algorithm 1), which need the largest eigenvalue rho of D^-1 A alone, D the blocks of the nodes on the diagonal:
 *
 *   d_k = (2k - 3)/(2k + 1) d_(k-1) + (8k - 4)/(2k + 1) / rho D^-1 r_(k-1),   x_k = x_(k-1) + d_k,
 *   r_k = r_(k-1) - A d_k,   d_0 = 0. */
#include "petsc_multigrid.h"

#include <petscblaslapack.h>

enum { MOST_LEVELS = 24, SMOOTHING = 2 /* K */, ESTIMATE = 12 /* steps of Lanczos for rho */ };

typedef struct level {
    Mat A;
    Mat P, R;                   /* from the next level to this one and back, its transpose; NULL on the last */
    PetscInt n, block;          /* numbers of this process; of D */
    const PetscScalar *inverse; /* D^-1, block by block, each by columns; A has it, or `diagonal` */
    Vec diagonal;               /* 1 / D where blocks are 1 x 1; else NULL */
    PetscReal rho;
    PetscInt room;                  /* vectors that the following have room for */
    PetscScalar *r, *d, *t, *b, *x; /* residual, correction, A d; b and x of the level: not on the first */
} level;

struct multigrid {
    PetscInt count;
    level levels[MOST_LEVELS];
    Mat inverse; /* of the last level's matrix, beside its kernel */
};

/* ---- blocks of vectors ---- */
static PetscErrorCode one_product(Mat A, PetscInt rows, PetscInt cols, const PetscScalar *x, PetscScalar *y)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)A);
    Vec from, to;

    PetscFunctionBegin;
    PetscCall(VecCreateMPIWithArray(comm, 1, cols, PETSC_DETERMINE, x, &from));
    PetscCall(VecCreateMPIWithArray(comm, 1, rows, PETSC_DETERMINE, y, &to));
    PetscCall(MatMult(A, from, to));
    PetscCall(VecDestroy(&from));
    PetscCall(VecDestroy(&to));
    PetscFunctionReturn(0);
}

PetscErrorCode block_product(Mat A, PetscInt m, const PetscScalar *x, PetscScalar *y)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)A);
    PetscInt rows, cols;
    Mat from, to;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(A, &rows, &cols));
    if (m == 1) {
        PetscCall(one_product(A, rows, cols, x, y));
        PetscFunctionReturn(0);
    }
    PetscCall(MatCreateDense(comm, cols, PETSC_DECIDE, PETSC_DETERMINE, m, (PetscScalar *)x, &from));
    PetscCall(MatCreateDense(comm, rows, PETSC_DECIDE, PETSC_DETERMINE, m, y, &to));
    PetscCall(MatProductCreateWithMat(A, from, NULL, to));
    PetscCall(MatProductSetType(to, MATPRODUCT_AB));
    PetscCall(MatProductSetFromOptions(to));
    PetscCall(MatProductSymbolic(to));
    PetscCall(MatProductNumeric(to));
    PetscCall(MatDestroy(&from));
    PetscCall(MatDestroy(&to));
    PetscFunctionReturn(0);
}

/* ---- a level ---- */
/* rho by conjugate gradients, which are Lanczos's process; a little more, because it comes from below. */
static PetscErrorCode estimate(level *it)
{
    static const PetscReal safety = 1.1;
    KSP ksp;
    PC pc;
    Vec b, x;
    PetscReal least;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(it->A, &x, &b));
    PetscCall(VecSetRandom(b, NULL));
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)it->A), &ksp));
    PetscCall(KSPSetOperators(ksp, it->A, it->A));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetTolerances(ksp, 1e-8, 1e-300, PETSC_DEFAULT, ESTIMATE));
    PetscCall(KSPSetComputeEigenvalues(ksp, PETSC_TRUE));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, it->diagonal ? PCJACOBI : PCPBJACOBI));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPComputeExtremeSingularValues(ksp, &it->rho, &least));
    it->rho *= safety;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscFunctionReturn(0);
}

static PetscErrorCode invert_diagonal(level *it, PetscBool by_blocks)
{
    PetscScalar *d;

    PetscFunctionBegin;
    PetscCall(MatGetBlockSize(it->A, &it->block));
    if (by_blocks && it->block > 1) {
        PetscCall(MatInvertBlockDiagonal(it->A, &it->inverse));
        PetscFunctionReturn(0);
    }
    it->block = 1;
    PetscCall(MatCreateVecs(it->A, NULL, &it->diagonal));
    PetscCall(MatGetDiagonal(it->A, it->diagonal));
    PetscCall(VecGetArray(it->diagonal, &d));
    for (PetscInt i = 0; i < it->n; i++) /* an aggregate of few nodes has motions that are none: zero rows */
        d[i] = d[i] > 0.0 ? 1.0 / d[i] : 1.0;
    PetscCall(VecRestoreArray(it->diagonal, &d));
    PetscCall(VecGetArrayRead(it->diagonal, &it->inverse));
    PetscFunctionReturn(0);
}

/* P NULL: the last one, which has no smoother. */
static PetscErrorCode add_level(multigrid *it, Mat A, Mat P, PetscBool by_blocks)
{
    PetscFunctionBegin;
    PetscCheck(it->count < MOST_LEVELS, PETSC_COMM_WORLD, PETSC_ERR_SUP, "more than %d levels", MOST_LEVELS);
    level *l = &it->levels[it->count++];
    l->A = A;
    PetscCall(PetscObjectReference((PetscObject)A));
    PetscCall(MatGetLocalSize(A, &l->n, NULL));
    if (!P)
        PetscFunctionReturn(0);
    l->P = P;
    PetscCall(PetscObjectReference((PetscObject)P));
    PetscCall(MatTranspose(P, MAT_INITIAL_MATRIX, &l->R));
    PetscCall(invert_diagonal(l, by_blocks));
    PetscCall(estimate(l));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_room(multigrid *it, PetscInt l, PetscInt m)
{
    level *here = &it->levels[l];

    PetscFunctionBegin;
    if (m <= here->room)
        PetscFunctionReturn(0);
    PetscCall(PetscFree5(here->r, here->d, here->t, here->b, here->x));
    const PetscInt own = here->P ? m * here->n : 1, of_level = l > 0 ? m * here->n : 1;
    PetscCall(PetscMalloc5(own, &here->r, own, &here->d, own, &here->t, of_level, &here->b, of_level, &here->x));
    here->room = m;
    PetscFunctionReturn(0);
}

/* ---- the last level ---- */
/* G = D^-1/2 (D^-1/2 A D^-1/2)^+ D^-1/2 of a dense matrix: rigid motions that are left cost nothing. */
static PetscErrorCode invert_dense(PetscInt n, PetscScalar *A, PetscScalar *G)
{
    static const PetscReal rounding = 1e-11;
    PetscBLASInt size, info, room;
    PetscScalar *work;
    PetscReal *values, *scale;

    PetscFunctionBegin;
    PetscCall(PetscBLASIntCast(n, &size));
    PetscCall(PetscBLASIntCast(PetscMax(1, 8 * n), &room));
    PetscCall(PetscMalloc3(n, &values, n, &scale, room, &work));
    for (PetscInt i = 0; i < n; i++)
        scale[i] = A[i + i * n] > 0.0 ? 1.0 / PetscSqrtReal(A[i + i * n]) : 0.0;
    for (PetscInt i = 0; i < n; i++)
        for (PetscInt j = 0; j < n; j++)
            A[i + j * n] *= scale[i] * scale[j];
    PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &size, A, &size, values, work, &room, &info));
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's syev: %d", (int)info);
    PetscCall(PetscArrayzero(G, n * n));
    for (PetscInt k = 0; k < n; k++)
        for (PetscInt j = 0; j < n && values[k] > rounding * values[n - 1]; j++)
            for (PetscInt i = 0; i < n; i++)
                G[i + j * n] += A[i + k * n] * A[j + k * n] / values[k] * scale[i] * scale[j];
    PetscCall(PetscFree3(values, scale, work));
    PetscFunctionReturn(0);
}

/* All processes have the last matrix, which is small, and keep their rows of its inverse. */
static PetscErrorCode invert_last(Mat A, Mat *inverse)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)A);
    PetscMPIInt size;
    PetscInt N, n, first, *columns;
    PetscScalar *a, *G, *row;
    Mat all, dense;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(comm, &size));
    PetscCall(MatGetSize(A, &N, NULL));
    PetscCall(MatGetLocalSize(A, &n, NULL));
    PetscCall(MatGetOwnershipRange(A, &first, NULL));
    PetscCall(MatCreateRedundantMatrix(A, size, MPI_COMM_NULL, MAT_INITIAL_MATRIX, &all));
    PetscCall(MatConvert(all, MATSEQDENSE, MAT_INITIAL_MATRIX, &dense));
    PetscCall(MatDestroy(&all));
    PetscCall(PetscMalloc3(N * N, &G, N, &columns, N, &row));
    PetscCall(MatDenseGetArray(dense, &a));
    PetscCall(invert_dense(N, a, G));
    PetscCall(MatDenseRestoreArray(dense, &a));
    PetscCall(MatDestroy(&dense));
    PetscCall(MatCreateAIJ(comm, n, n, N, N, n, NULL, N - n, NULL, inverse));
    for (PetscInt j = 0; j < N; j++)
        columns[j] = j;
    for (PetscInt i = first; i < first + n; i++) {
        for (PetscInt j = 0; j < N; j++)
            row[j] = G[i + j * N];
        PetscCall(MatSetValues(*inverse, 1, &i, N, columns, row, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*inverse, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*inverse, MAT_FINAL_ASSEMBLY));
    PetscCall(PetscFree3(G, columns, row));
    PetscFunctionReturn(0);
}

/* ---- life ---- */
/* The levels below A by smoothed aggregation: its matrices and interpolations alone are taken. */
static PetscErrorCode add_aggregates(multigrid *it, Mat A, PetscInt n_near, Vec *near, PetscBool by_blocks)
{
    MatNullSpace space;
    PC pc;
    PetscInt n;
    Mat *matrices, *interpolations;

    PetscFunctionBegin;
    PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)A), PETSC_FALSE, n_near, near, &space));
    PetscCall(MatSetNearNullSpace(A, space));
    PetscCall(MatNullSpaceDestroy(&space));
    PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
    PetscCall(PCSetOptionsPrefix(pc, "phlexor_"));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PetscOptionsInsertString(
        NULL, "-phlexor_mg_levels_ksp_type richardson -phlexor_mg_levels_pc_type none "
              "-phlexor_mg_coarse_ksp_type preonly -phlexor_mg_coarse_pc_type none"));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCSetUp(pc));
    PetscCall(PCGetInterpolations(pc, &n, &interpolations));
    PetscCall(PCGetCoarseOperators(pc, &n, &matrices));
    n--; /* PETSc counts the levels, from the coarsest; there is one interpolation fewer */
    for (PetscInt k = n - 1; k >= -1; k--) {
        PetscCall(add_level(it, k == n - 1 ? A : matrices[k + 1], k >= 0 ? interpolations[k] : NULL,
                            by_blocks && k == n - 1));
    }
    for (PetscInt k = 0; k < n; k++) {
        PetscCall(MatDestroy(&matrices[k]));
        PetscCall(MatDestroy(&interpolations[k]));
    }
    PetscCall(PetscFree(matrices));
    PetscCall(PetscFree(interpolations));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatSetNearNullSpace(A, NULL));
    PetscFunctionReturn(0);
}

PetscErrorCode multigrid_create(Mat A, Mat P, PetscInt n_near, Vec *near, multigrid **made)
{
    multigrid *it;
    Mat corners = A;

    PetscFunctionBegin;
    PetscCall(PetscNew(&it));
    if (P) {
        PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &corners));
        PetscCall(MatSetOption(corners, MAT_SYMMETRIC, PETSC_TRUE));
        PetscCall(add_level(it, A, P, PETSC_TRUE));
    }
    PetscCall(add_aggregates(it, corners, n_near, near, PETSC_TRUE));
    if (P)
        PetscCall(MatDestroy(&corners));
    PetscCall(invert_last(it->levels[it->count - 1].A, &it->inverse));
    *made = it;
    PetscFunctionReturn(0);
}

PetscErrorCode multigrid_destroy(multigrid **made)
{
    multigrid *it = *made;

    PetscFunctionBegin;
    *made = NULL;
    for (PetscInt k = 0; it && k < it->count; k++) {
        level *l = &it->levels[k];
        if (l->diagonal)
            PetscCall(VecRestoreArrayRead(l->diagonal, &l->inverse));
        PetscCall(VecDestroy(&l->diagonal));
        PetscCall(MatDestroy(&l->A));
        PetscCall(MatDestroy(&l->P));
        PetscCall(MatDestroy(&l->R));
        PetscCall(PetscFree5(l->r, l->d, l->t, l->b, l->x));
    }
    if (it)
        PetscCall(MatDestroy(&it->inverse));
    PetscCall(PetscFree(it));
    PetscFunctionReturn(0);
}

PetscInt multigrid_levels(const multigrid *it)
{
    return it->count;
}

Mat multigrid_matrix(const multigrid *it, PetscInt l)
{
    return it->levels[l].A;
}

Mat multigrid_interpolation(const multigrid *it, PetscInt l)
{
    return it->levels[l].P;
}

/* ---- the cycle ---- */
/* r <- r - t; d <- a d + c D^-1 r; x <- x + d: blocks of N numbers. */
#define CORRECT(N)                                                                                                     \
    static void correct_##N(PetscInt blocks, PetscReal a, PetscReal c, const PetscScalar *restrict inverse,            \
                            const PetscScalar *restrict t, PetscScalar *restrict r, PetscScalar *restrict d,           \
                            PetscScalar *restrict x)                                                                   \
    {                                                                                                                  \
        for (PetscInt i = 0; i < blocks; i++, inverse += N * N, t += N, r += N, d += N, x += N) {                      \
            PetscScalar sum[N] = {0.0};                                                                                \
            for (int k = 0; k < N; k++) {                                                                              \
                r[k] -= t[k];                                                                                          \
                for (int j = 0; j < N; j++)                                                                            \
                    sum[j] += inverse[j + N * k] * r[k];                                                               \
            }                                                                                                          \
            for (int k = 0; k < N; k++) {                                                                              \
                d[k] = a * d[k] + c * sum[k];                                                                          \
                x[k] += d[k];                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }
CORRECT(1)
CORRECT(3)

/* K steps; r is the residual of x, but for `t`, which is still to be subtracted, and so afterwards. */
static PetscErrorCode smooth(level *l, PetscInt m, PetscBool residual, PetscScalar *x)
{
    const PetscInt n = l->n;

    PetscFunctionBegin;
    PetscCall(PetscArrayzero(l->d, m * n));
    for (int k = 1; k <= SMOOTHING; k++) {
        const PetscReal a = (2.0 * k - 3.0) / (2.0 * k + 1.0), c = (8.0 * k - 4.0) / (2.0 * k + 1.0) / l->rho;
        for (PetscInt v = 0; v < m; v++)
            if (l->block == 3)
                correct_3(n / 3, a, c, l->inverse, l->t + v * n, l->r + v * n, l->d + v * n, x + v * n);
            else
                correct_1(n, a, c, l->inverse, l->t + v * n, l->r + v * n, l->d + v * n, x + v * n);
        if (k < SMOOTHING || residual)
            PetscCall(block_product(l->A, m, l->d, l->t));
    }
    PetscFunctionReturn(0);
}

PetscErrorCode multigrid_cycle(multigrid *it, PetscInt at, PetscInt m, const PetscScalar *b, PetscScalar *x)
{
    level *l = &it->levels[at], *next = l + 1;

    PetscFunctionBegin;
    PetscCall(make_room(it, at, m));
    if (!l->P) {
        PetscCall(block_product(it->inverse, m, b, x));
        PetscFunctionReturn(0);
    }
    PetscCall(make_room(it, at + 1, m));
    PetscCall(PetscArrayzero(x, m * l->n));
    PetscCall(PetscArrayzero(l->t, m * l->n));
    PetscCall(PetscArraycpy(l->r, b, m * l->n));
    PetscCall(smooth(l, m, PETSC_TRUE, x));
    for (PetscInt i = 0; i < m * l->n; i++)
        l->r[i] -= l->t[i];
    PetscCall(block_product(l->R, m, l->r, next->b));
    PetscCall(multigrid_cycle(it, at + 1, m, next->b, next->x));
    PetscCall(block_product(l->P, m, next->x, l->d));
    for (PetscInt i = 0; i < m * l->n; i++)
        x[i] += l->d[i];
    PetscCall(block_product(l->A, m, l->d, l->t));
    PetscCall(smooth(l, m, PETSC_FALSE, x));
    PetscFunctionReturn(0);
}
