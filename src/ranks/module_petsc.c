/* The module phlexor-petsc.so: distributed matrices, equations and eigenproblems by PETSc and SLEPc. */
#include "module.h"
#include "petsc_multigrid.h"

#include <slepceps.h>
#include <stdio.h>
#include <string.h>

static const PetscReal SOLVED = 1e-12; /* residual, relative */

/* ---- failures ---- */
static char message[512]; /* of the first error since the last one that was handed out */

static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                   PetscErrorType type, const char *text, void *user)
{
    (void)comm;
    (void)line;
    (void)file;
    (void)user;
    if (type == PETSC_ERROR_INITIAL)
        snprintf(message, sizeof message, "%s: %s", function, text ? text : "");
    for (char *end = strchr(message, '\n'); end; end = strchr(message, '\n'))
        *end = ' ';
    return code;
}

/* PETSc's functions return 0 or a code, those below too; the module's a text. */
static const char *text_of(PetscErrorCode code)
{
    if (!code)
        return NULL;
    if (!message[0])
        snprintf(message, sizeof message, "error %d", (int)code);
    static char out[sizeof message];
    memcpy(out, message, sizeof out);
    message[0] = '\0';
    return out;
}

static const char *module_petsc_start(void)
{
    PetscErrorCode code = PetscOptionsSetValue(NULL, "-no_signal_handler", "1");

    if (!code)
        code = SlepcInitialize(NULL, NULL, NULL, NULL);
    if (!code)
        code = PetscPushErrorHandler(keep_message, NULL);
    return text_of(code);
}

static void module_petsc_finish(void)
{
    (void)PetscPopErrorHandler();
    (void)SlepcFinalize();
}

/* ---- parts of a graph ---- */
/* The rows of the graph that a process hands to the partitioner: a contiguous share. */
static PetscErrorCode make_graph(int rows, const int *ptr, const int *idx, Mat *graph)
{
    PetscMPIInt rank, size;
    PetscInt *i, *j;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    const int first = (int)((long)rows * rank / size), after = (int)((long)rows * (rank + 1) / size);
    PetscCall(PetscMalloc1(after - first + 1, &i)); /* the matrix takes both over */
    PetscCall(PetscMalloc1(ptr[after] - ptr[first] + 1, &j));
    i[0] = 0;
    for (int r = first; r < after; r++) {
        PetscInt at = i[r - first];
        for (int e = ptr[r]; e < ptr[r + 1]; e++)
            if (idx[e] != r)
                j[at++] = idx[e];
        i[r - first + 1] = at;
    }
    PetscCall(MatCreateMPIAdj(PETSC_COMM_WORLD, after - first, rows, i, j, NULL, graph));
    PetscFunctionReturn(0);
}

/* Partitions a graph by PT-Scotch and gathers the parts of all vertices on every process. */
static PetscErrorCode make_parts(int rows, const int *ptr, const int *idx, int *part)
{
    Mat graph;
    MatPartitioning partitioning;
    IS mine, all;
    const PetscInt *parts;

    PetscFunctionBegin;
    PetscCall(make_graph(rows, ptr, idx, &graph));
    PetscCall(MatPartitioningCreate(PETSC_COMM_WORLD, &partitioning));
    PetscCall(MatPartitioningSetAdjacency(partitioning, graph));
    PetscCall(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH));
    PetscCall(MatPartitioningSetFromOptions(partitioning));
    PetscCall(MatPartitioningApply(partitioning, &mine));
    PetscCall(ISAllGather(mine, &all));
    PetscCall(ISGetIndices(all, &parts));
    for (int k = 0; k < rows; k++)
        part[k] = (int)parts[k];
    PetscCall(ISRestoreIndices(all, &parts));
    PetscCall(ISDestroy(&all));
    PetscCall(ISDestroy(&mine));
    PetscCall(MatPartitioningDestroy(&partitioning));
    PetscCall(MatDestroy(&graph));
    PetscFunctionReturn(0);
}

/* Equal shares of the reverse Cuthill-McKee order: slices of the body. */
static PetscErrorCode make_slices(int rows, const int *ptr, const int *idx, int *part)
{
    PetscMPIInt size;
    PetscInt *counts, *columns, longest = 1;
    const PetscInt *order;
    Mat graph;
    IS by_rows, by_columns;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(PetscMalloc1(rows, &counts));
    for (int r = 0; r < rows; r++) {
        counts[r] = ptr[r + 1] - ptr[r];
        longest = PetscMax(longest, counts[r]);
    }
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 0, counts, &graph));
    PetscCall(PetscMalloc1(longest, &columns));
    for (PetscInt r = 0; r < rows; r++) {
        for (PetscInt k = 0; k < counts[r]; k++)
            columns[k] = idx[ptr[r] + k];
        PetscCall(MatSetValues(graph, 1, &r, counts[r], columns, NULL, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(graph, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(graph, MAT_FINAL_ASSEMBLY));
    PetscCall(MatGetOrdering(graph, MATORDERINGRCM, &by_rows, &by_columns));
    PetscCall(ISGetIndices(by_rows, &order));
    for (int k = 0; k < rows; k++)
        part[order[k]] = (int)((long)k * size / rows);
    PetscCall(ISRestoreIndices(by_rows, &order));
    PetscCall(ISDestroy(&by_rows));
    PetscCall(ISDestroy(&by_columns));
    PetscCall(MatDestroy(&graph));
    PetscCall(PetscFree(counts));
    PetscCall(PetscFree(columns));
    PetscFunctionReturn(0);
}

/* Debian's PETSc with indices of 64 bits is linked with a PT-Scotch of 32 bits, which fails. */
static PetscErrorCode cut(int rows, const int *ptr, const int *idx, int *part)
{
    PetscBool chosen;

    PetscFunctionBegin;
    PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_partitioning_type", &chosen));
    if (sizeof(PetscInt) > sizeof(int) && !chosen)
        PetscCall(make_slices(rows, ptr, idx, part));
    else
        PetscCall(make_parts(rows, ptr, idx, part));
    PetscFunctionReturn(0);
}

static const char *partition(int rows, const int *ptr, const int *idx, int *part)
{
    return text_of(cut(rows, ptr, idx, part));
}

/* ---- matrices ---- */
typedef struct matrix {
    Mat A;
    Vec x, y; /* without numbers: those of the caller are lent to them */
} matrix;

static PetscErrorCode lend_two(Vec x, Vec y, const double *from, double *to)
{
    PetscFunctionBegin;
    PetscCall(VecPlaceArray(x, from));
    PetscCall(VecPlaceArray(y, to));
    PetscFunctionReturn(0);
}

static PetscErrorCode take_back(Vec x, Vec y)
{
    PetscFunctionBegin;
    PetscCall(VecResetArray(x));
    PetscCall(VecResetArray(y));
    PetscFunctionReturn(0);
}

/* Vectors that belong to the rows of a matrix. */
static PetscErrorCode make_vectors(PetscInt n, Vec *x, Vec *y)
{
    PetscFunctionBegin;
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, n, PETSC_DECIDE, NULL, x));
    PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, n, PETSC_DECIDE, NULL, y));
    PetscFunctionReturn(0);
}

/* Row by row, so that it does not matter how PETSc counts; columns first .. end - 1 are this process's. */
static PetscErrorCode module_petsc_fill(Mat A, int rows, PetscInt first_row, PetscInt first, PetscInt end,
                                        const int *ptr, const int *idx, const double *val)
{
    PetscInt *on, *off, *columns, longest = 0;

    PetscFunctionBegin;
    PetscCall(PetscCalloc2(rows, &on, rows, &off));
    for (int r = 0; r < rows; r++) {
        for (int e = ptr[r]; e < ptr[r + 1]; e++)
            if (idx[e] >= first && idx[e] < end)
                on[r]++;
            else
                off[r]++;
        longest = PetscMax(longest, ptr[r + 1] - ptr[r]);
    }
    PetscCall(MatSeqAIJSetPreallocation(A, 0, on));
    PetscCall(MatMPIAIJSetPreallocation(A, 0, on, 0, off));
    PetscCall(PetscFree2(on, off));
    PetscCall(MatSetOption(A, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    PetscCall(PetscMalloc1(longest, &columns));
    for (int r = 0; r < rows; r++) {
        const PetscInt row = first_row + r, count = ptr[r + 1] - ptr[r];
        for (PetscInt k = 0; k < count; k++)
            columns[k] = idx[ptr[r] + k];
        PetscCall(MatSetValues(A, 1, &row, count, columns, val + ptr[r], INSERT_VALUES));
    }
    PetscCall(PetscFree(columns));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* Creates the distributed symmetric matrix of which each process has the given rows. */
static PetscErrorCode make_matrix(int rows, int block, const int *ptr, const int *idx, const double *val, matrix **made)
{
    matrix *stored;
    const PetscInt mine = rows;
    PetscInt end;

    PetscFunctionBegin;
    PetscCall(PetscNew(&stored));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &stored->A));
    PetscCall(MatSetSizes(stored->A, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(stored->A, MATAIJ));
    PetscCall(MatSetBlockSize(stored->A, block));
    PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    PetscCall(module_petsc_fill(stored->A, rows, end - mine, end - mine, end, ptr, idx, val));
    PetscCall(MatSetOption(stored->A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(make_vectors(rows, &stored->x, &stored->y));
    *made = stored;
    PetscFunctionReturn(0);
}

static const char *matrix_create(int rows, int block, const int *ptr, const int *idx, const double *val, void **made)
{
    return text_of(make_matrix(rows, block, ptr, idx, val, (matrix **)made));
}

static void matrix_destroy(void *made)
{
    matrix *stored = made;

    (void)MatDestroy(&stored->A);
    (void)VecDestroy(&stored->x);
    (void)VecDestroy(&stored->y);
    (void)PetscFree(stored);
}

static PetscErrorCode multiply_into(matrix *stored, const double *x, double *y)
{
    PetscFunctionBegin;
    PetscCall(lend_two(stored->x, stored->y, x, y));
    PetscCall(MatMult(stored->A, stored->x, stored->y));
    PetscCall(take_back(stored->x, stored->y));
    PetscFunctionReturn(0);
}

static const char *module_petsc_multiply(void *made, const double *x, double *y)
{
    return text_of(multiply_into(made, x, y));
}

/* ---- equations ---- */
typedef struct solver {
    Mat A;
    IS kept;         /* of the matrix's rows; NULL: all */
    multigrid *grid; /* NULL: factors */
    KSP ksp;
    Vec x, y;
    Vec load; /* of the solver's own, so that load and solution may be one array */
} solver;

/* Vectors of the caller, one after the other, as PETSc's, of A's rows or columns; copied and, when asked for, made
 * orthonormal. */
static PetscErrorCode copy_vectors(Mat A, int count, const double *from, PetscBool orthonormal, PetscBool columns,
                                   Vec **vectors)
{
    PetscScalar *to;
    PetscInt n;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(A, columns ? NULL : &n, columns ? &n : NULL));
    PetscCall(PetscMalloc1(count, vectors));
    for (int k = 0; k < count; k++) {
        PetscCall(MatCreateVecs(A, columns ? &(*vectors)[k] : NULL, columns ? NULL : &(*vectors)[k]));
        PetscCall(VecGetArrayWrite((*vectors)[k], &to));
        PetscCall(PetscArraycpy(to, from + (size_t)k * (size_t)n, n));
        PetscCall(VecRestoreArrayWrite((*vectors)[k], &to));
        for (int pass = 0; pass < 2 && orthonormal; pass++) {
            for (int l = 0; l < k; l++) {
                PetscScalar part;
                PetscCall(VecDot((*vectors)[k], (*vectors)[l], &part));
                PetscCall(VecAXPY((*vectors)[k], -part, (*vectors)[l]));
            }
            PetscCall(VecNormalize((*vectors)[k], NULL));
        }
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode free_vectors(int count, Vec **vectors)
{
    PetscFunctionBegin;
    for (int k = 0; k < count; k++)
        PetscCall(VecDestroy(&(*vectors)[k]));
    PetscCall(PetscFree(*vectors));
    PetscFunctionReturn(0);
}

/* Whether all processes keep all their rows. */
static PetscErrorCode keeps_all(Mat from, PetscInt n, PetscBool *all)
{
    PetscInt rows;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(from, &rows, NULL));
    *all = rows == n ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, all, 1, MPIU_BOOL, MPI_LAND, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* Rows and columns that are kept: of all the matrix itself, where its blocks are those that are wanted. */
static PetscErrorCode module_petsc_keep(solver *method, const phx_petsc_equations *equations)
{
    Mat from = ((matrix *)equations->matrix)->A;
    PetscInt *rows, first, block;
    PetscBool all;

    PetscFunctionBegin;
    PetscCall(keeps_all(from, equations->n, &all));
    PetscCall(MatGetBlockSize(from, &block));
    if (all && block == equations->block) {
        PetscCall(PetscObjectReference((PetscObject)from));
        method->A = from;
        PetscFunctionReturn(0);
    }
    PetscCall(MatGetOwnershipRange(from, &first, NULL));
    PetscCall(PetscMalloc1(equations->n, &rows));
    for (int k = 0; k < equations->n; k++)
        rows[k] = first + equations->kept[k];
    PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, equations->n, rows, PETSC_OWN_POINTER, &method->kept));
    if (equations->block > 1)
        PetscCall(ISSetBlockSize(method->kept, equations->block));
    PetscCall(MatCreateSubMatrix(from, method->kept, method->kept, MAT_INITIAL_MATRIX, &method->A));
    PetscCall(MatSetOption(method->A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscFunctionReturn(0);
}

/* Loads do no work on these; solutions have none of them. */
static PetscErrorCode set_null_space(const phx_petsc_equations *equations, Mat A)
{
    MatNullSpace space;
    Vec *vectors;

    PetscFunctionBegin;
    if (equations->n_null == 0)
        PetscFunctionReturn(0);
    PetscCall(copy_vectors(A, equations->n_null, equations->null, PETSC_TRUE, PETSC_FALSE, &vectors));
    PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, equations->n_null, vectors, &space));
    PetscCall(MatSetNullSpace(A, space));
    PetscCall(MatNullSpaceDestroy(&space));
    PetscCall(free_vectors(equations->n_null, &vectors));
    PetscFunctionReturn(0);
}

/* MUMPS foresees the room that it needs from the analysis, and exchanges between processes need more of it. */
static PetscErrorCode use_factors(KSP ksp)
{
    enum { ROOM = 14, PERCENT = 150 }; /* ICNTL(14) */
    PC pc;
    Mat factors;

    PetscFunctionBegin;
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    PetscCall(PCFactorSetUpMatSolverType(pc));
    PetscCall(PCFactorGetMatrix(pc, &factors));
    PetscCall(MatMumpsSetIcntl(factors, ROOM, PERCENT));
    PetscFunctionReturn(0);
}

/* One cycle of a solver's multigrid. */
static PetscErrorCode apply_cycle(PC shell, Vec x, Vec y)
{
    multigrid *grid;
    const PetscScalar *from;
    PetscScalar *to;

    PetscFunctionBegin;
    PetscCall(PCShellGetContext(shell, &grid));
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArrayWrite(y, &to));
    PetscCall(multigrid_cycle(grid, 0, 1, from, to));
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscCall(VecRestoreArrayWrite(y, &to));
    PetscFunctionReturn(0);
}

/* P of the equations: it takes numbers at corners to those of all nodes. */
static PetscErrorCode make_interpolation(const phx_petsc_equations *equations, Mat *P)
{
    PetscInt first, end, own = equations->n_corners;

    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, P));
    PetscCall(MatSetSizes(*P, equations->n, own, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*P, MATAIJ));
    PetscCall(MatSetBlockSizes(*P, equations->block, equations->block));
    PetscCallMPI(MPI_Scan(&own, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    PetscCall(MatSetUp(*P));
    PetscCall(MatGetOwnershipRange(*P, &first, NULL));
    PetscCall(
        module_petsc_fill(*P, equations->n, first, end - own, end, equations->ptr, equations->idx, equations->val));
    PetscFunctionReturn(0);
}

/* Motions that cost little, at the corners where there are such. */
static PetscErrorCode make_near(const phx_petsc_equations *equations, Mat A, Mat P, Vec **near)
{
    const PetscInt n = P ? equations->n_corners : equations->n;
    PetscScalar *numbers;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(PetscMax(1, equations->n_near * n), &numbers));
    for (int k = 0; k < equations->n_near; k++)
        for (PetscInt i = 0; i < n; i++)
            numbers[k * n + i] =
                equations->near[(size_t)k * (size_t)equations->n + (size_t)(P ? equations->corner[i] : i)];
    PetscCall(copy_vectors(P ? P : A, equations->n_near, numbers, PETSC_TRUE, P ? PETSC_TRUE : PETSC_FALSE, near));
    PetscCall(PetscFree(numbers));
    PetscFunctionReturn(0);
}

/* Conjugate gradients; a cycle of the multigrid is symmetric. */
static PetscErrorCode use_multigrid(solver *method, const phx_petsc_equations *equations)
{
    PetscInt corners = equations->n_corners;
    Mat P = NULL;
    Vec *near;
    PC pc;

    PetscFunctionBegin;
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, &corners, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    if (corners > 0)
        PetscCall(make_interpolation(equations, &P));
    PetscCall(make_near(equations, method->A, P, &near));
    PetscCall(multigrid_create(method->A, P, equations->n_near, near, &method->grid));
    PetscCall(free_vectors(equations->n_near, &near));
    PetscCall(MatDestroy(&P));
    PetscCall(KSPSetType(method->ksp, KSPCG));
    PetscCall(KSPSetNormType(method->ksp, KSP_NORM_NATURAL));
    PetscCall(KSPSetTolerances(method->ksp, SOLVED, NO_RESIDUAL, PETSC_DEFAULT, 500));
    PetscCall(KSPGetPC(method->ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, method->grid));
    PetscCall(PCShellSetApply(pc, apply_cycle));
    PetscFunctionReturn(0);
}

/* A factorisation that has failed tells why nowhere else. */
static PetscErrorCode check_factors(solver *method)
{
    PC pc;
    PCFailedReason reason;
    Mat factors;
    PetscInt error, detail;

    PetscFunctionBegin;
    PetscCall(KSPGetPC(method->ksp, &pc));
    PetscCall(PCGetFailedReason(pc, &reason));
    if (!reason || method->grid)
        PetscFunctionReturn(0);
    PetscCall(PCFactorGetMatrix(pc, &factors));
    PetscCall(MatMumpsGetInfog(factors, 1, &error));
    PetscCall(MatMumpsGetInfog(factors, 2, &detail));
    SETERRQ(
        PETSC_COMM_WORLD, PETSC_ERR_LIB, "MUMPS has failed: INFOG(1) = %d, INFOG(2) = %d (%s)", (int)error, (int)detail,
        error == -9 || error == -11 || error == -13 || error == -19 ? "memory is short: take more processes, or gamg"
        : error == -10                                              ? "the matrix is singular"
                                                                    : "see its manual");
}

/* Creates a solver for distributed equations, with multigrid or with direct factors; unknowns that are held are taken
 * out. */
static PetscErrorCode make_solver(const phx_petsc_equations *equations, solver **made)
{
    solver *method;

    PetscFunctionBegin;
    PetscCall(PetscNew(&method));
    PetscCall(module_petsc_keep(method, equations));
    PetscCall(set_null_space(equations, method->A));
    PetscCall(make_vectors(equations->n, &method->x, &method->y));
    PetscCall(MatCreateVecs(method->A, NULL, &method->load));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &method->ksp));
    PetscCall(KSPSetOptionsPrefix(method->ksp, "phlexor_"));
    PetscCall(KSPSetOperators(method->ksp, method->A, method->A));
    if (equations->multigrid)
        PetscCall(use_multigrid(method, equations));
    else
        PetscCall(use_factors(method->ksp));
    PetscCall(KSPSetFromOptions(method->ksp));
    PetscCall(KSPSetUp(method->ksp));
    PetscCall(check_factors(method));
    *made = method;
    PetscFunctionReturn(0);
}

static const char *solver_create(const phx_petsc_equations *equations, void **made)
{
    return text_of(make_solver(equations, (solver **)made));
}

static void solver_destroy(void *made)
{
    solver *method = made;

    (void)KSPDestroy(&method->ksp);
    (void)multigrid_destroy(&method->grid);
    (void)MatSetNullSpace(method->A, NULL);
    (void)MatDestroy(&method->A);
    (void)ISDestroy(&method->kept);
    (void)VecDestroy(&method->x);
    (void)VecDestroy(&method->y);
    (void)VecDestroy(&method->load);
    (void)PetscFree(method);
}

/* Rounding may keep conjugate gradients from the last digits that are asked for, and then makes a cycle look
 * indefinite. */
static PetscErrorCode check_solution(solver *method)
{
    static const PetscReal enough = 1e-10; /* residual, relative */
    KSPConvergedReason reason;
    PetscReal left, load;
    Vec residual;

    PetscFunctionBegin;
    PetscCall(KSPGetConvergedReason(method->ksp, &reason));
    if (reason > 0)
        PetscFunctionReturn(0);
    PetscCall(VecDuplicate(method->load, &residual));
    PetscCall(MatMult(method->A, method->y, residual));
    PetscCall(VecAYPX(residual, -1.0, method->load));
    PetscCall(VecNorm(residual, NORM_2, &left));
    PetscCall(VecNorm(method->load, NORM_2, &load));
    PetscCall(VecDestroy(&residual));
    PetscCheck(left <= enough * load, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "the equations are not solved (%s)",
               KSPConvergedReasons[reason]);
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_into(solver *method, const double *load, double *x)
{

    PetscFunctionBegin;
    PetscCall(lend_two(method->x, method->y, load, x));
    PetscCall(VecCopy(method->x, method->load));
    PetscCall(KSPSolve(method->ksp, method->load, method->y));
    PetscCall(check_solution(method));
    PetscCall(take_back(method->x, method->y));
    PetscFunctionReturn(0);
}

static const char *module_petsc_solve(void *made, const double *load, double *x)
{
    return text_of(solve_into(made, load, x));
}

/* ---- eigenproblems ---- */
/* A function of the caller as an operator of PETSc. */
typedef struct callback {
    phx_module_operator *function;
    void *user;
} callback;

static PetscErrorCode call(callback *closure, Vec x, Vec y)
{
    const PetscScalar *from;
    PetscScalar *to;

    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &from));
    PetscCall(VecGetArrayWrite(y, &to));
    const char *failed = closure->function(closure->user, from, to);
    PetscCall(VecRestoreArrayRead(x, &from));
    PetscCall(VecRestoreArrayWrite(y, &to));
    PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", failed);
    PetscFunctionReturn(0);
}

static PetscErrorCode apply_shell_matrix(Mat shell, Vec x, Vec y)
{
    callback *closure;

    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &closure));
    PetscCall(call(closure, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode apply_shell_inverse(PC shell, Vec x, Vec y)
{
    callback *closure;

    PetscFunctionBegin;
    PetscCall(PCShellGetContext(shell, &closure));
    PetscCall(call(closure, x, y));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_shell(PetscInt n, callback *call, Mat *shell)
{
    PetscFunctionBegin;
    PetscCall(MatCreateShell(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE, PETSC_DETERMINE, call, shell));
    PetscCall(MatShellSetOperation(*shell, MATOP_MULT, (void (*)(void))apply_shell_matrix));
    PetscCall(MatSetOption(*shell, MAT_SYMMETRIC, PETSC_TRUE));
    PetscFunctionReturn(0);
}

/* The pairs found, their vectors one after the other. */
static PetscErrorCode get_pairs(EPS eps, int count, PetscInt n, double *values, double *vectors)
{
    PetscInt found;
    Vec x;
    Mat A;
    const PetscScalar *from;

    PetscFunctionBegin;
    PetscCall(EPSGetConverged(eps, &found));
    PetscCheck(found >= count, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "%d of %d modes have converged", (int)found,
               count);
    PetscCall(EPSGetOperators(eps, &A, NULL));
    PetscCall(MatCreateVecs(A, NULL, &x));
    for (int k = 0; k < count; k++) {
        PetscCall(EPSGetEigenpair(eps, k, &values[k], NULL, x, NULL));
        PetscCall(VecGetArrayRead(x, &from));
        PetscCall(PetscArraycpy(vectors + (size_t)k * (size_t)n, from, n));
        PetscCall(VecRestoreArrayRead(x, &from));
    }
    PetscCall(VecDestroy(&x));
    PetscFunctionReturn(0);
}

/* solve(mass(x)) = x / value, from the smallest value. */
static PetscErrorCode find_nearest(int n, int count, callback *apply, callback *mass, double tolerance, double *values,
                                   double *vectors)
{
    EPS eps;
    ST st;
    KSP ksp;
    PC pc;
    Mat A, B;

    PetscFunctionBegin;
    PetscCall(make_shell(n, apply, &A)); /* its size alone counts: the inverse stands for it */
    PetscCall(make_shell(n, mass, &B));
    PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
    PetscCall(EPSSetOptionsPrefix(eps, "phlexor_"));
    PetscCall(EPSSetOperators(eps, A, B));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
    PetscCall(EPSSetDimensions(eps, count, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTarget(eps, 0.0));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetTolerances(eps, tolerance, 1000));
    PetscCall(EPSSetPurify(eps, PETSC_FALSE)); /* the caller does it */
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(STSetMatMode(st, ST_MATMODE_SHELL));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, apply));
    PetscCall(PCShellSetApply(pc, apply_shell_inverse));
    PetscCall(EPSSetFromOptions(eps));
    PetscCall(EPSSolve(eps));
    PetscCall(get_pairs(eps, count, n, values, vectors));
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscFunctionReturn(0);
}

static const char *nearest(int n, int count, phx_module_operator *apply, phx_module_operator *mass, void *user,
                           double tolerance, double *values, double *vectors)
{
    callback of_apply = {apply, user}, of_mass = {mass, user};

    return text_of(find_nearest(n, count, &of_apply, &of_mass, tolerance, values, vectors));
}

/* Finds the lowest eigenvalues of the solver's matrix with a mass matrix, reduced alike to the unknowns that are not
 * held. */
static PetscErrorCode find_lowest(solver *with, int count, matrix *mass, int n_rigid, const double *rigid,
                                  double tolerance, double *values, double *vectors, int *steps)
{
    Mat B = mass->A;
    PetscInt taken;

    PetscFunctionBegin;
    if (with->kept)
        PetscCall(MatCreateSubMatrix(mass->A, with->kept, with->kept, MAT_INITIAL_MATRIX, &B));
    PetscCall(multigrid_eigen(with->grid, B, count, n_rigid, rigid, tolerance, values, vectors, &taken));
    *steps = (int)taken;
    if (with->kept)
        PetscCall(MatDestroy(&B));
    PetscFunctionReturn(0);
}

static const char *lowest(void *made, int count, void *mass, int n_rigid, const double *rigid, double tolerance,
                          double *values, double *vectors, int *steps)
{
    return text_of(find_lowest(made, count, mass, n_rigid, rigid, tolerance, values, vectors, steps));
}

static const phx_petsc_module table = {.version = PHX_MODULE_VERSION,
                                       .start = module_petsc_start,
                                       .finish = module_petsc_finish,
                                       .partition = partition,
                                       .matrix = matrix_create,
                                       .matrix_destroy = matrix_destroy,
                                       .multiply = module_petsc_multiply,
                                       .solver = solver_create,
                                       .solver_destroy = solver_destroy,
                                       .solve = module_petsc_solve,
                                       .nearest = nearest,
                                       .lowest = lowest};

const phx_petsc_module *phx_petsc_module_table(void);
const phx_petsc_module *phx_petsc_module_table(void)
{
    return &table;
}
