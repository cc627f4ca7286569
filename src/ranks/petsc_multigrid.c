/* Multigrid for several vectors at once: quadratic elements over their corners, then PETSc's smoothed aggregation.
 *
 * The cycle is V(K, K) with Chebyshev polynomials of the fourth kind (Lottes, Numer. Linear Algebra Appl. 30 (2023)
 * e2518, algorithm 1), which need the largest eigenvalue rho of D^-1 A alone, D the blocks of the nodes on the
 * diagonal:
 *
 *   d_k = (2k - 3)/(2k + 1) d_(k-1) + (8k - 4)/(2k + 1) / rho D^-1 r_(k-1),   x_k = x_(k-1) + d_k,
 *   r_k = r_(k-1) - A d_k,   d_0 = 0. */
#include "petsc_multigrid.h"

#include <petscblaslapack.h>

enum { MOST_LEVELS = 24, SMOOTHING = 2 /* K */, ESTIMATE = 12 /* steps of Lanczos for rho */ };

typedef struct level {
    Mat A;
    Mat P;                                                /* from the next level to this one; NULL on the last */
    block_operator *multiply, *interpolate, *restrict_by; /* by A, P and P^T; but for the first NULL on the last */
    PetscInt n, block;                                    /* numbers of this process; of D */
    const PetscScalar *inverse; /* D^-1, block by block, each by columns; A has it, or `diagonal` */
    Vec diagonal;               /* 1 / D where blocks are 1 x 1; else NULL */
    PetscReal rho;
    PetscInt room;                  /* vectors that the following have room for */
    PetscScalar *r, *d, *t, *b, *x; /* residual, correction, A d; b and x of the level: not on the first */
} level;

struct multigrid {
    PetscInt count;
    level levels[MOST_LEVELS];
    block_operator *inverse; /* of the last level's matrix, beside its kernel */
};

/* ---- a level ---- */
/* rho by conjugate gradients, which are Lanczos's process; a little more, because it comes from below. */
static PetscErrorCode estimate(level *coarse)
{
    static const PetscReal SOLVED = 1e-8; /* residual, relative: more steps say nothing of rho */
    static const PetscReal safety = 1.1;
    KSP ksp;
    PC pc;
    Vec b, x;
    PetscReal least;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(coarse->A, &x, &b));
    PetscCall(VecSetRandom(b, NULL));
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)coarse->A), &ksp));
    PetscCall(KSPSetOperators(ksp, coarse->A, coarse->A));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetTolerances(ksp, SOLVED, NO_RESIDUAL, PETSC_DEFAULT, ESTIMATE));
    PetscCall(KSPSetComputeEigenvalues(ksp, PETSC_TRUE));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, coarse->diagonal ? PCJACOBI : PCPBJACOBI));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPComputeExtremeSingularValues(ksp, &coarse->rho, &least));
    coarse->rho *= safety;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscFunctionReturn(0);
}

/* Inverts the diagonal, or the diagonal blocks, of a level for its smoother; entries that are not positive give 1. */
static PetscErrorCode invert_diagonal(level *coarse, PetscBool by_blocks)
{
    PetscScalar *d;

    PetscFunctionBegin;
    PetscCall(MatGetBlockSize(coarse->A, &coarse->block));
    if (by_blocks && coarse->block > 1) {
        PetscCall(MatInvertBlockDiagonal(coarse->A, &coarse->inverse));
        PetscFunctionReturn(0);
    }
    coarse->block = 1;
    PetscCall(MatCreateVecs(coarse->A, NULL, &coarse->diagonal));
    PetscCall(MatGetDiagonal(coarse->A, coarse->diagonal));
    PetscCall(VecGetArray(coarse->diagonal, &d));
    for (PetscInt i = 0; i < coarse->n; i++) /* an aggregate of few nodes has motions that are none: zero rows */
        d[i] = d[i] > 0.0 ? 1.0 / d[i] : 1.0;
    PetscCall(VecRestoreArray(coarse->diagonal, &d));
    PetscCall(VecGetArrayRead(coarse->diagonal, &coarse->inverse));
    PetscFunctionReturn(0);
}

/* P NULL: the last one, which has no smoother. */
static PetscErrorCode add_level(multigrid *grids, Mat A, Mat P, PetscBool by_blocks)
{
    Mat transposed;

    PetscFunctionBegin;
    PetscCheck(grids->count < MOST_LEVELS, PETSC_COMM_WORLD, PETSC_ERR_SUP, "more than %d levels", MOST_LEVELS);
    level *l = &grids->levels[grids->count++];
    l->A = A;
    PetscCall(PetscObjectReference((PetscObject)A));
    PetscCall(MatGetLocalSize(A, &l->n, NULL));
    PetscCall(block_operator_create(A, &l->multiply));
    if (!P)
        PetscFunctionReturn(0);
    l->P = P;
    PetscCall(PetscObjectReference((PetscObject)P));
    PetscCall(block_operator_create(P, &l->interpolate));
    PetscCall(MatTranspose(P, MAT_INITIAL_MATRIX, &transposed));
    PetscCall(block_operator_create(transposed, &l->restrict_by));
    PetscCall(MatDestroy(&transposed));
    PetscCall(invert_diagonal(l, by_blocks));
    PetscCall(estimate(l));
    PetscFunctionReturn(0);
}

static PetscErrorCode petsc_multigrid_make_room(multigrid *grids, PetscInt l, PetscInt m)
{
    level *here = &grids->levels[l];

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
/* G = D^-1/2 (D^-1/2 A D^-1/2)^+ D^-1/2 of a dense matrix, D = P^T D P of the level before, which bounds A: what is
 * rounding beside it costs nothing, as rigid motions do that are left. */
static PetscErrorCode invert_dense(PetscInt n, const PetscScalar *bound, PetscScalar *A, PetscScalar *G)
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
        scale[i] = bound[i] > 0.0 ? 1.0 / PetscSqrtReal(bound[i]) : 0.0;
    for (PetscInt i = 0; i < n; i++)
        for (PetscInt j = 0; j < n; j++)
            A[i + j * n] *= scale[i] * scale[j];
    PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &size, A, &size, values, work, &room, &info));
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's syev: %d", (int)info);
    PetscCall(PetscArrayzero(G, n * n));
    for (PetscInt k = 0; k < n; k++)
        for (PetscInt j = 0; j < n && values[k] > rounding; j++)
            for (PetscInt i = 0; i < n; i++)
                G[i + j * n] += A[i + k * n] * A[j + k * n] / values[k] * scale[i] * scale[j];
    PetscCall(PetscFree3(values, scale, work));
    PetscFunctionReturn(0);
}

/* Squares every entry of the matrix on this process. */
static PetscErrorCode square_entries(Mat A)
{
    Mat parts[2] = {A, NULL};
    PetscBool alone;
    PetscScalar *values;
    MatInfo info;

    PetscFunctionBegin;
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &alone));
    if (!alone)
        PetscCall(MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], NULL));
    for (int p = 0; p < 2 && parts[p]; p++) {
        PetscCall(MatGetInfo(parts[p], MAT_LOCAL, &info));
        PetscCall(MatSeqAIJGetArray(parts[p], &values));
        for (PetscInt e = 0; e < (PetscInt)info.nz_used; e++)
            values[e] *= values[e];
        PetscCall(MatSeqAIJRestoreArray(parts[p], &values));
    }
    PetscFunctionReturn(0);
}

/* The diagonal of P^T D P, D the diagonal of A: all of it on each process. P NULL: of A. */
static PetscErrorCode bound_last(Mat A, Mat P, Vec *all)
{
    Vec diagonal, of_last;
    VecScatter scatter;
    Mat squares;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, NULL, &diagonal));
    PetscCall(MatGetDiagonal(A, diagonal));
    if (P) {
        PetscCall(MatCreateVecs(P, &of_last, NULL));
        PetscCall(MatDuplicate(P, MAT_COPY_VALUES, &squares));
        PetscCall(square_entries(squares));
        PetscCall(MatMultTranspose(squares, diagonal, of_last));
        PetscCall(MatDestroy(&squares));
        PetscCall(VecDestroy(&diagonal));
    } else {
        of_last = diagonal;
    }
    PetscCall(VecScatterCreateToAll(of_last, &scatter, all));
    PetscCall(VecScatterBegin(scatter, of_last, *all, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, of_last, *all, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterDestroy(&scatter));
    PetscCall(VecDestroy(&of_last));
    PetscFunctionReturn(0);
}

/* All processes have the last matrix, which is small, and keep their rows of its inverse. */
static PetscErrorCode invert_last(Mat A, Mat before, Mat P, block_operator **made)
{
    MPI_Comm comm = PetscObjectComm((PetscObject)A);
    PetscMPIInt size;
    PetscInt N, n, first, *columns;
    PetscScalar *a, *G, *row;
    const PetscScalar *diagonal;
    Vec bound;
    Mat all, dense, inverse;

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
    PetscCall(bound_last(before, P, &bound));
    PetscCall(VecGetArrayRead(bound, &diagonal));
    PetscCall(invert_dense(N, diagonal, a, G));
    PetscCall(VecRestoreArrayRead(bound, &diagonal));
    PetscCall(VecDestroy(&bound));
    PetscCall(MatDenseRestoreArray(dense, &a));
    PetscCall(MatDestroy(&dense));
    PetscCall(MatCreateAIJ(comm, n, n, N, N, n, NULL, N - n, NULL, &inverse));
    for (PetscInt j = 0; j < N; j++)
        columns[j] = j;
    for (PetscInt i = first; i < first + n; i++) {
        for (PetscInt j = 0; j < N; j++)
            row[j] = G[i + j * N];
        PetscCall(MatSetValues(inverse, 1, &i, N, columns, row, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(inverse, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(inverse, MAT_FINAL_ASSEMBLY));
    PetscCall(block_operator_create(inverse, made));
    PetscCall(MatDestroy(&inverse));
    PetscCall(PetscFree3(G, columns, row));
    PetscFunctionReturn(0);
}

/* ---- life ---- */
/* Unless the user says otherwise: aggregates of a node and its neighbours, which need a third more steps when they are
 * larger; and no smoothers and solvers on the levels, which are not used. */
static PetscErrorCode set_options(void)
{
    static const char *const options[][2] = {
        {"-phlexor_pc_gamg_aggressive_coarsening", "0"}, {"-phlexor_pc_gamg_coarse_eq_limit", "400"},
        {"-phlexor_mg_levels_ksp_type", "richardson"},   {"-phlexor_mg_levels_pc_type", "none"},
        {"-phlexor_mg_coarse_ksp_type", "preonly"},      {"-phlexor_mg_coarse_pc_type", "none"}};
    PetscBool set;

    PetscFunctionBegin;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        PetscCall(PetscOptionsHasName(NULL, NULL, options[k][0], &set));
        if (!set)
            PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
    }
    PetscFunctionReturn(0);
}

/* The levels below A by smoothed aggregation: its matrices and interpolations alone are taken. */
static PetscErrorCode add_aggregates(multigrid *grids, Mat A, PetscInt n_near, Vec *near, PetscBool by_blocks)
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
    PetscCall(set_options());
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCSetUp(pc));
    PetscCall(PCGetInterpolations(pc, &n, &interpolations));
    PetscCall(PCGetCoarseOperators(pc, &n, &matrices));
    n--; /* PETSc counts the levels, from the coarsest; there is one interpolation fewer */
    for (PetscInt k = n - 1; k >= -1; k--) {
        PetscCall(add_level(grids, k == n - 1 ? A : matrices[k + 1], k >= 0 ? interpolations[k] : NULL,
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

/* Creates the multigrid of a matrix: an optional first level by P, then smoothed aggregation with the given near null
 * space, and an inverse of the coarsest level. */
PetscErrorCode multigrid_create(Mat A, Mat P, PetscInt n_near, Vec *near, multigrid **made)
{
    multigrid *grids;
    Mat corners = A;

    PetscFunctionBegin;
    PetscCall(PetscNew(&grids));
    if (P) {
        PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &corners));
        PetscCall(MatSetOption(corners, MAT_SYMMETRIC, PETSC_TRUE));
        PetscCall(add_level(grids, A, P, PETSC_TRUE));
    }
    PetscCall(add_aggregates(grids, corners, n_near, near, PETSC_TRUE));
    if (P)
        PetscCall(MatDestroy(&corners));
    const level *last = &grids->levels[grids->count - 1], *before = grids->count > 1 ? last - 1 : last;
    PetscCall(invert_last(last->A, before->A, before->P, &grids->inverse));
    *made = grids;
    PetscFunctionReturn(0);
}

/* Frees the multigrid and sets it to NULL; NULL is allowed. */
PetscErrorCode multigrid_destroy(multigrid **made)
{
    multigrid *grids = *made;

    PetscFunctionBegin;
    *made = NULL;
    for (PetscInt k = 0; grids && k < grids->count; k++) {
        level *l = &grids->levels[k];
        if (l->diagonal)
            PetscCall(VecRestoreArrayRead(l->diagonal, &l->inverse));
        PetscCall(VecDestroy(&l->diagonal));
        PetscCall(block_operator_destroy(&l->multiply));
        PetscCall(block_operator_destroy(&l->interpolate));
        PetscCall(block_operator_destroy(&l->restrict_by));
        PetscCall(MatDestroy(&l->A));
        PetscCall(MatDestroy(&l->P));
        PetscCall(PetscFree5(l->r, l->d, l->t, l->b, l->x));
    }
    if (grids)
        PetscCall(block_operator_destroy(&grids->inverse));
    PetscCall(PetscFree(grids));
    PetscFunctionReturn(0);
}

PetscInt multigrid_levels(const multigrid *grids)
{
    return grids->count;
}

Mat multigrid_matrix(const multigrid *grids, PetscInt l)
{
    return grids->levels[l].A;
}

Mat multigrid_interpolation(const multigrid *grids, PetscInt l)
{
    return grids->levels[l].P;
}

const block_operator *multigrid_operator(const multigrid *grids, PetscInt l)
{
    return grids->levels[l].multiply;
}

const block_operator *multigrid_interpolation_operator(const multigrid *grids, PetscInt l)
{
    return grids->levels[l].interpolate;
}

/* ---- the cycle ---- */
/* r <- r - t; d <- a d + c D^-1 r; x <- x + d: of a node with `block` rows, m vectors. */
static void petsc_multigrid_correct(PetscInt block, PetscInt m, PetscReal a, PetscReal c,
                                    const PetscScalar *restrict inverse, const PetscScalar *restrict t,
                                    PetscScalar *restrict r, PetscScalar *restrict d, PetscScalar *restrict x)
{
    for (PetscInt i = 0; i < block * m; i++) {
        r[i] -= t[i];
        d[i] *= a;
    }
    for (PetscInt j = 0; j < block; j++)
        for (PetscInt k = 0; k < block; k++) {
            const PetscScalar factor = c * inverse[j + block * k];
            for (PetscInt v = 0; v < m; v++)
                d[j * m + v] += factor * r[k * m + v];
        }
    for (PetscInt i = 0; i < block * m; i++)
        x[i] += d[i];
}

/* K steps; r is the residual of x, but for `t`, which is still to be subtracted, and so afterwards. */
static PetscErrorCode smooth(level *l, PetscInt m, PetscBool residual, PetscScalar *x)
{
    const PetscInt n = l->n;

    PetscFunctionBegin;
    PetscCall(PetscArrayzero(l->d, m * n));
    for (int k = 1; k <= SMOOTHING; k++) {
        const PetscReal a = (2.0 * k - 3.0) / (2.0 * k + 1.0), c = (8.0 * k - 4.0) / (2.0 * k + 1.0) / l->rho;
        for (PetscInt i = 0; i < n; i += l->block)
            petsc_multigrid_correct(l->block, m, a, c, l->inverse + i * l->block, l->t + i * m, l->r + i * m,
                                    l->d + i * m, x + i * m);
        if (k < SMOOTHING || residual)
            PetscCall(block_operator_apply(l->multiply, m, m, l->d, m, l->t));
    }
    PetscFunctionReturn(0);
}

/* One V-cycle for m right-hand sides from level `at` on: x approximates A^-1 b. */
PetscErrorCode multigrid_cycle(multigrid *grids, PetscInt at, PetscInt m, const PetscScalar *b, PetscScalar *x)
{
    level *l = &grids->levels[at], *next = l + 1;

    PetscFunctionBegin;
    PetscCall(petsc_multigrid_make_room(grids, at, m));
    if (!l->P) {
        PetscCall(block_operator_apply(grids->inverse, m, m, b, m, x));
        PetscFunctionReturn(0);
    }
    PetscCall(petsc_multigrid_make_room(grids, at + 1, m));
    PetscCall(PetscArrayzero(x, m * l->n));
    PetscCall(PetscArrayzero(l->t, m * l->n));
    PetscCall(PetscArraycpy(l->r, b, m * l->n));
    PetscCall(smooth(l, m, PETSC_TRUE, x));
    for (PetscInt i = 0; i < m * l->n; i++)
        l->r[i] -= l->t[i];
    PetscCall(block_operator_apply(l->restrict_by, m, m, l->r, m, next->b));
    PetscCall(multigrid_cycle(grids, at + 1, m, next->b, next->x));
    PetscCall(block_operator_apply(l->interpolate, m, m, next->x, m, l->d));
    for (PetscInt i = 0; i < m * l->n; i++)
        x[i] += l->d[i];
    PetscCall(block_operator_apply(l->multiply, m, m, l->d, m, l->t));
    PetscCall(smooth(l, m, PETSC_FALSE, x));
    PetscFunctionReturn(0);
}
