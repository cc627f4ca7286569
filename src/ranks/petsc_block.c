/* Products of PETSc's matrices with blocks of vectors: the rows of the matrix stay in the cache while all vectors pass.
 */
#include "petsc_multigrid.h"

#include <petscsf.h>

/* Rows of a matrix, columns of one kind: of this process, or of others. */
typedef struct csr {
    Mat A; /* sequential */
    PetscInt rows;
    const PetscInt *ptr, *idx;
    const PetscScalar *val;
} csr;

struct block_operator {
    Mat A;
    PetscInt rows, cols, n_others; /* of this process; columns of others that its rows have */
    csr own, others;               /* others.A NULL: one process */
    PetscSF exchange;              /* from all to the columns of others */
};

static PetscErrorCode open_rows(Mat A, csr *rows)
{
    PetscBool done;

    PetscFunctionBegin;
    rows->A = A;
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows->rows, &rows->ptr, &rows->idx, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "rows of a matrix that is not stored by rows");
    PetscCall(MatSeqAIJGetArrayRead(A, &rows->val));
    PetscFunctionReturn(0);
}

static PetscErrorCode close_rows(csr *rows)
{
    PetscBool done;

    PetscFunctionBegin;
    if (!rows->A)
        PetscFunctionReturn(0);
    PetscCall(MatSeqAIJRestoreArrayRead(rows->A, &rows->val));
    PetscCall(MatRestoreRowIJ(rows->A, 0, PETSC_FALSE, PETSC_FALSE, &rows->rows, &rows->ptr, &rows->idx, &done));
    PetscFunctionReturn(0);
}

/* Prepares fast products of a matrix with blocks of vectors: rows of the own columns, rows of columns of other
 * processes, and their exchange. */
PetscErrorCode block_operator_create(Mat A, block_operator **made)
{
    block_operator *operator;
    PetscBool alone;
    PetscLayout layout;
    const PetscInt *columns;
    Mat own, others;

    PetscFunctionBegin;
    PetscCall(PetscNew(&operator));
    operator->A = A;
    PetscCall(PetscObjectReference((PetscObject)A));
    PetscCall(MatGetLocalSize(A, &operator->rows, &operator->cols));
    PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &alone));
    if (alone) {
        PetscCall(open_rows(A, &operator->own));
    } else {
        PetscCall(MatMPIAIJGetSeqAIJ(A, &own, &others, &columns));
        PetscCall(MatGetSize(others, NULL, &operator->n_others));
        PetscCall(open_rows(own, &operator->own));
        PetscCall(open_rows(others, &operator->others));
        PetscCall(MatGetLayouts(A, NULL, &layout));
        PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &operator->exchange));
        PetscCall(
            PetscSFSetGraphLayout(operator->exchange, layout, operator->n_others, NULL, PETSC_COPY_VALUES, columns));
    }
    *made = operator;
    PetscFunctionReturn(0);
}

/* Frees the operator and sets it to NULL; NULL is allowed. */
PetscErrorCode block_operator_destroy(block_operator **made)
{
    block_operator *operator= * made;

    PetscFunctionBegin;
    *made = NULL;
    if (!operator)
        PetscFunctionReturn(0);
    PetscCall(close_rows(&operator->own));
    PetscCall(close_rows(&operator->others));
    PetscCall(PetscSFDestroy(&operator->exchange));
    PetscCall(MatDestroy(&operator->A));
    PetscCall(PetscFree(operator));
    PetscFunctionReturn(0);
}

/* ---- the product ---- */
/* One row times WIDTH vectors, whose sums stay in registers. */
#define ROW(WIDTH)                                                                                                     \
    static inline void row_##WIDTH(const PetscInt *restrict idx, const PetscScalar *restrict val, PetscInt count,      \
                                   PetscInt stride, const PetscScalar *restrict x, PetscScalar *restrict y)            \
    {                                                                                                                  \
        PetscScalar sum[WIDTH];                                                                                        \
        for (int k = 0; k < WIDTH; k++)                                                                                \
            sum[k] = y[k];                                                                                             \
        for (PetscInt e = 0; e < count; e++) {                                                                         \
            const PetscScalar a = val[e], *restrict from = x + idx[e] * stride;                                        \
            for (int k = 0; k < WIDTH; k++)                                                                            \
                sum[k] += a * from[k];                                                                                 \
        }                                                                                                              \
        for (int k = 0; k < WIDTH; k++)                                                                                \
            y[k] = sum[k];                                                                                             \
    }
ROW(16)
ROW(8)
ROW(4)
ROW(1)

/* y <- y + A x. */
static void petsc_block_add_product(const csr *A, PetscInt m, PetscInt x_stride, const PetscScalar *x,
                                    PetscInt y_stride, PetscScalar *y)
{
    for (PetscInt r = 0; r < A->rows; r++, y += y_stride) {
        const PetscInt first = A->ptr[r], count = A->ptr[r + 1] - first;
        PetscInt k = 0;
        for (; k + 16 <= m; k += 16)
            row_16(A->idx + first, A->val + first, count, x_stride, x + k, y + k);
        for (; k + 8 <= m; k += 8)
            row_8(A->idx + first, A->val + first, count, x_stride, x + k, y + k);
        for (; k + 4 <= m; k += 4)
            row_4(A->idx + first, A->val + first, count, x_stride, x + k, y + k);
        for (; k < m; k++)
            row_1(A->idx + first, A->val + first, count, x_stride, x + k, y + k);
    }
}

static PetscErrorCode one_product(const block_operator *operator, const PetscScalar * x, PetscScalar *y)
{
    MPI_Comm comm = PetscObjectComm((PetscObject) operator->A);
    Vec from, to;

    PetscFunctionBegin;
    PetscCall(VecCreateMPIWithArray(comm, 1, operator->cols, PETSC_DETERMINE, x, &from));
    PetscCall(VecCreateMPIWithArray(comm, 1, operator->rows, PETSC_DETERMINE, y, &to));
    PetscCall(MatMult(operator->A, from, to));
    PetscCall(VecDestroy(&from));
    PetscCall(VecDestroy(&to));
    PetscFunctionReturn(0);
}

/* The numbers of other processes while the own ones are multiplied. */
static PetscErrorCode add_exchanged(const block_operator *operator, PetscInt m, PetscInt x_stride, const PetscScalar *x,
                                    PetscInt y_stride, PetscScalar *y)
{
    PetscScalar *packed, *others;
    MPI_Datatype row;

    PetscFunctionBegin;
    PetscCall(PetscMalloc2(operator->cols * m, &packed, operator->n_others * m, &others));
    for (PetscInt i = 0; i < operator->cols; i++)
        PetscCall(PetscArraycpy(packed + i * m, x + i * x_stride, m));
    PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)m, MPIU_SCALAR, &row));
    PetscCallMPI(MPI_Type_commit(&row));
    PetscCall(PetscSFBcastBegin(operator->exchange, row, packed, others, MPI_REPLACE));
    petsc_block_add_product(&operator->own, m, m, packed, y_stride, y);
    PetscCall(PetscSFBcastEnd(operator->exchange, row, packed, others, MPI_REPLACE));
    petsc_block_add_product(&operator->others, m, m, others, y_stride, y);
    PetscCallMPI(MPI_Type_free(&row));
    PetscCall(PetscFree2(packed, others));
    PetscFunctionReturn(0);
}

/* y = A x for m vectors, stored row by row with the given strides; all processes must call it. */
PetscErrorCode block_operator_apply(const block_operator *operator, PetscInt m, PetscInt x_stride, const PetscScalar *x,
                                    PetscInt y_stride, PetscScalar *y)
{
    PetscFunctionBegin;
    if (m == 1 && x_stride == 1 && y_stride == 1) {
        PetscCall(one_product(operator, x, y));
        PetscFunctionReturn(0);
    }
    for (PetscInt i = 0; i < operator->rows; i++)
        PetscCall(PetscArrayzero(y + i * y_stride, m));
    if (operator->exchange)
        PetscCall(add_exchanged(operator, m, x_stride, x, y_stride, y));
    else
        petsc_block_add_product(&operator->own, m, x_stride, x, y_stride, y);
    PetscFunctionReturn(0);
}
