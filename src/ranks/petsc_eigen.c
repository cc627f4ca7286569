/* LOBPCG for the lowest pairs of A x = lambda B x, with a cycle of multigrid as preconditioner T, from coarse levels to
 * fine ones. Each step takes the lowest Ritz pairs in the span of
 *
 *   S = [X P W],   W = T (A X - B X Lambda),   P: the change of X by the step before without its part in X,
 *
 * where W is orthogonal in B to X and P before (Duersch, Shao, Yang and Gu, SIAM J. Sci. Comput. 40 (2018) C655).
 * Vectors that have converged get no new W and P, but stay in X. */
#include "petsc_multigrid.h"

#include <petscblaslapack.h>

enum {
    MOST_STEPS = 100,
    COARSE_STEPS = 12, /* at most, on a level that is there for a start */
    ROWS = 256         /* that are combined at once */
};
static const PetscReal coarse_tolerance = 3e-2;

typedef struct lobpcg {
    multigrid *with;
    PetscInt level;
    const block_operator *A, *B;
    PetscInt n, m;            /* rows of this process; vectors of X */
    PetscInt p, w;            /* vectors of P and of W */
    PetscInt all;             /* 3 m: stride of the following */
    PetscScalar *S, *AS, *BS; /* [X P W] */
    PetscInt n_rigid;
    const PetscScalar *rigid, *B_rigid; /* blocks of these; B times them */
    PetscReal *value, *error;           /* m */
    PetscInt *active;                   /* m: those that W is of */
    PetscInt steps;
} lobpcg;

/* ---- small matrices, by columns ---- */
/* out (a x b) <- X^T Y of blocks, the same on all processes. */
static PetscErrorCode gram(PetscInt n, PetscInt a, PetscInt X_stride, const PetscScalar *X, PetscInt b,
                           PetscInt Y_stride, const PetscScalar *Y, PetscScalar *out)
{
    PetscBLASInt rows, cols, inner, X_lead, Y_lead;
    const PetscScalar one = 1.0, zero = 0.0;
    PetscMPIInt size;

    PetscFunctionBegin;
    if (a == 0 || b == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscBLASIntCast(a, &rows));
    PetscCall(PetscBLASIntCast(b, &cols));
    PetscCall(PetscBLASIntCast(n, &inner));
    PetscCall(PetscBLASIntCast(X_stride, &X_lead));
    PetscCall(PetscBLASIntCast(Y_stride, &Y_lead));
    PetscCall(PetscArrayzero(out, a * b));
    if (n > 0)
        PetscCallBLAS("BLASgemm",
                      BLASgemm_("N", "T", &rows, &cols, &inner, &one, X, &X_lead, Y, &Y_lead, &zero, out, &rows));
    PetscCall(PetscMPIIntCast(a * b, &size));
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, out, size, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* X (a vectors) <- X - Y C of blocks, C b x a. */
static PetscErrorCode petsc_eigen_subtract(PetscInt n, PetscInt a, PetscInt X_stride, PetscInt b, PetscInt Y_stride,
                                           const PetscScalar *Y, const PetscScalar *C, PetscScalar *X)
{
    PetscBLASInt rows, cols, inner, X_lead, Y_lead;
    const PetscScalar one = 1.0, minus = -1.0;

    PetscFunctionBegin;
    if (a == 0 || b == 0 || n == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscBLASIntCast(a, &rows));
    PetscCall(PetscBLASIntCast(n, &cols));
    PetscCall(PetscBLASIntCast(b, &inner));
    PetscCall(PetscBLASIntCast(X_stride, &X_lead));
    PetscCall(PetscBLASIntCast(Y_stride, &Y_lead));
    PetscCallBLAS("BLASgemm",
                  BLASgemm_("T", "N", &rows, &cols, &inner, &minus, C, &inner, Y, &Y_lead, &one, X, &X_lead));
    PetscFunctionReturn(0);
}

/* X (b vectors) <- X C of a block in place, C b x a. */
static PetscErrorCode petsc_eigen_combine(PetscInt n, PetscInt a, PetscInt b, PetscInt stride, const PetscScalar *C,
                                          PetscScalar *X)
{
    PetscScalar *part;
    PetscBLASInt width, inner, lead;
    const PetscScalar one = 1.0, zero = 0.0;

    PetscFunctionBegin;
    if (a == 0 || b == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscBLASIntCast(a, &width));
    PetscCall(PetscBLASIntCast(b, &inner));
    PetscCall(PetscBLASIntCast(stride, &lead));
    PetscCall(PetscMalloc1(ROWS * b, &part));
    for (PetscInt first = 0; first < n; first += ROWS, X += ROWS * stride) {
        const PetscBLASInt rows = (PetscBLASInt)PetscMin(ROWS, n - first);
        for (PetscInt i = 0; i < rows; i++)
            PetscCall(PetscArraycpy(part + i * b, X + i * stride, b));
        PetscCallBLAS("BLASgemm",
                      BLASgemm_("T", "N", &width, &rows, &inner, &one, C, &inner, part, &inner, &zero, X, &lead));
    }
    PetscCall(PetscFree(part));
    PetscFunctionReturn(0);
}

/* out (a x b) <- X^T Y of small matrices with k rows, by columns. */
static void small_product(PetscInt k, PetscInt a, const PetscScalar *X, PetscInt b, const PetscScalar *Y,
                          PetscScalar *out)
{
    for (PetscInt j = 0; j < b; j++)
        for (PetscInt i = 0; i < a; i++) {
            PetscScalar sum = 0.0;
            for (PetscInt l = 0; l < k; l++)
                sum += X[l + i * k] * Y[l + j * k];
            out[i + j * a] = sum;
        }
}

/* C (n x kept) with C^T G C = I in the span of the unit vectors, G n x n, lost; *kept <= n: dependent ones are dropped.
 */
static PetscErrorCode orthonormal_in(PetscInt n, PetscScalar *G, PetscInt *kept, PetscScalar *C)
{
    static const PetscReal dependent = 1e-14;
    PetscBLASInt size, info, room;
    PetscReal *values, *scale;
    PetscScalar *work;

    PetscFunctionBegin;
    *kept = 0;
    if (n == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscBLASIntCast(n, &size));
    PetscCall(PetscBLASIntCast(8 * n, &room));
    PetscCall(PetscMalloc3(n, &values, n, &scale, room, &work));
    for (PetscInt i = 0; i < n; i++)
        scale[i] = G[i + i * n] > 0.0 ? 1.0 / PetscSqrtReal(G[i + i * n]) : 0.0;
    for (PetscInt i = 0; i < n; i++)
        for (PetscInt j = 0; j < n; j++)
            G[i + j * n] *= scale[i] * scale[j];
    PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &size, G, &size, values, work, &room, &info));
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's syev: %d", (int)info);
    for (PetscInt k = n - 1; k >= 0 && values[k] > dependent * (PetscReal)n * values[n - 1]; k--, ++*kept)
        for (PetscInt i = 0; i < n; i++)
            C[i + *kept * n] = scale[i] * G[i + k * n] / PetscSqrtReal(values[k]);
    PetscCall(PetscFree3(values, scale, work));
    /* processors of several kinds may find other vectors: those of the first count */
    PetscCallMPI(MPI_Bcast(kept, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Bcast(C, (PetscMPIInt)(n * *kept), MPIU_SCALAR, 0, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* The `count` lowest pairs of G_A c = value G_B c, k x k, both lost; found: G_B is positive definite. */
static PetscErrorCode ritz(PetscInt k, PetscInt count, PetscScalar *G_A, PetscScalar *G_B, PetscReal *value,
                           PetscScalar *C, PetscBool *found)
{
    PetscBLASInt size, info, kind = 1, room;
    PetscReal *values;
    PetscScalar *work;

    PetscFunctionBegin;
    PetscCall(PetscBLASIntCast(k, &size));
    PetscCall(PetscBLASIntCast(8 * k, &room));
    PetscCall(PetscMalloc2(k, &values, room, &work));
    PetscCallBLAS("LAPACKsygv",
                  LAPACKsygv_(&kind, "V", "U", &size, G_A, &size, G_B, &size, values, work, &room, &info));
    *found = info == 0 ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(PetscArraycpy(value, values, count));
    PetscCall(PetscArraycpy(C, G_A, k * count));
    PetscCall(PetscFree2(values, work));
    PetscCallMPI(MPI_Bcast(found, 1, MPIU_BOOL, 0, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Bcast(value, (PetscMPIInt)count, MPIU_REAL, 0, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Bcast(C, (PetscMPIInt)(k * count), MPIU_SCALAR, 0, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* ---- vectors ---- */
/* The `count` vectors of S from `first` on made orthonormal in B beside the rigid motions and the first ones of S,
 * dependent ones dropped, BS with them; *kept. Twice, for rounding: rigid motions would come back as the lowest. */
static PetscErrorCode petsc_eigen_orthonormalise(lobpcg *iteration, PetscInt first, PetscInt count, PetscInt *kept)
{
    const PetscInt n = iteration->n, all = iteration->all, r = iteration->n_rigid;
    PetscScalar *G, *C, *x = iteration->S + first, *Bx = iteration->BS + first;

    PetscFunctionBegin;
    *kept = count;
    PetscCall(PetscMalloc2(PetscMax(PetscMax(first, r), count) * count, &G, count * count, &C));
    for (int pass = 0; pass < 2; pass++) { /* x <- x - Y (B Y)^T x */
        const PetscInt given = *kept;
        PetscCall(gram(n, r, r, iteration->B_rigid, given, all, x, G));
        PetscCall(petsc_eigen_subtract(n, given, all, r, r, iteration->rigid, G, x));
        PetscCall(gram(n, first, all, iteration->BS, given, all, x, G));
        PetscCall(petsc_eigen_subtract(n, given, all, first, all, iteration->S, G, x));
        PetscCall(block_operator_apply(iteration->B, given, all, x, all, Bx));
        PetscCall(gram(n, given, all, x, given, all, Bx, G));
        PetscCall(orthonormal_in(given, G, kept, C));
        PetscCall(petsc_eigen_combine(n, *kept, given, all, C, x));
        PetscCall(petsc_eigen_combine(n, *kept, given, all, C, Bx));
    }
    PetscCall(PetscFree2(G, C));
    PetscFunctionReturn(0);
}

/* W <- T R of the active vectors, and how far they are from eigenvectors: the error e of x has, nearly,
 * e^T A e = r^T T r, over x^T A x. */
static PetscErrorCode precondition(lobpcg *iteration)
{
    static const PetscReal LEAST_ENERGY = 1e-3; /* of the largest value of the space */
    const PetscInt n = iteration->n, w = iteration->w, all = iteration->all;
    PetscScalar *R, *TR, *G;
    PetscReal *work;

    PetscFunctionBegin;
    if (w == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscCalloc1(w, &work));
    PetscCall(PetscMalloc3(n * w, &R, n * w, &TR, iteration->n_rigid * w + 1, &G));
    for (PetscInt i = 0; i < n; i++)
        for (PetscInt k = 0; k < w; k++) {
            const PetscInt j = iteration->active[k];
            R[i * w + k] = iteration->AS[i * all + j] - iteration->value[j] * iteration->BS[i * all + j];
        }
    /* rounding leaves forces on rigid motions, and T would make motions of them: R <- R - B Y Y^T R */
    PetscCall(gram(n, iteration->n_rigid, iteration->n_rigid, iteration->rigid, w, w, R, G));
    PetscCall(petsc_eigen_subtract(n, w, w, iteration->n_rigid, iteration->n_rigid, iteration->B_rigid, G, R));
    PetscCall(multigrid_cycle(iteration->with, iteration->level, w, R, TR));
    for (PetscInt i = 0; i < n; i++)
        for (PetscInt k = 0; k < w; k++) {
            work[k] += R[i * w + k] * TR[i * w + k];
            iteration->S[i * all + iteration->m + iteration->p + k] = TR[i * w + k];
        }
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, work, (PetscMPIInt)w, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
    for (PetscInt k = 0; k < w; k++) { /* rigid motions, which a start has too, have no energy of their own */
        const PetscReal energy =
            PetscMax(iteration->value[iteration->active[k]], LEAST_ENERGY * iteration->value[iteration->m - 1]);
        iteration->error[iteration->active[k]] = PetscSqrtReal(PetscAbsReal(work[k]) / energy);
    }
    PetscCall(PetscFree3(R, TR, G));
    PetscCall(PetscFree(work));
    PetscFunctionReturn(0);
}

/* Columns of the new P in S, `k` numbers each: the new X (C, k x m) of the active vectors without its part in the old
 * X, orthonormal in G_B and orthogonal to C. */
static PetscErrorCode choose_directions(const lobpcg *iteration, PetscInt k, const PetscScalar *G_B,
                                        const PetscScalar *C, PetscInt *kept, PetscScalar *P)
{
    const PetscInt m = iteration->m, w = iteration->w;
    PetscScalar *D, *product, *G, *V;

    PetscFunctionBegin;
    PetscCall(PetscMalloc4(k * w, &D, k * w, &product, PetscMax(m, w) * w, &G, w * w, &V));
    for (PetscInt j = 0; j < w; j++)
        for (PetscInt i = 0; i < k; i++)
            D[i + j * k] = i < m ? 0.0 : C[i + iteration->active[j] * k];
    for (int pass = 0; pass < 2; pass++) { /* D <- D - C C^T G_B D */
        small_product(k, k, G_B, w, D, product);
        small_product(k, m, C, w, product, G);
        for (PetscInt j = 0; j < w; j++)
            for (PetscInt l = 0; l < m; l++)
                for (PetscInt i = 0; i < k; i++)
                    D[i + j * k] -= C[i + l * k] * G[l + j * m];
    }
    small_product(k, k, G_B, w, D, product);
    small_product(k, w, D, w, product, G);
    PetscCall(orthonormal_in(w, G, kept, V));
    for (PetscInt j = 0; j < *kept; j++)
        for (PetscInt i = 0; i < k; i++) {
            P[i + j * k] = 0.0;
            for (PetscInt l = 0; l < w; l++)
                P[i + j * k] += D[i + l * k] * V[l + j * w];
        }
    PetscCall(PetscFree4(D, product, G, V));
    PetscFunctionReturn(0);
}

/* S <- [X W]. */
static void forget_directions(lobpcg *iteration)
{
    for (PetscInt i = 0; i < iteration->n; i++)
        for (PetscInt k = 0; k < iteration->w; k++) {
            const PetscInt to = i * iteration->all + iteration->m + k, from = to + iteration->p;
            iteration->S[to] = iteration->S[from];
            iteration->AS[to] = iteration->AS[from];
            iteration->BS[to] = iteration->BS[from];
        }
    iteration->p = 0;
}

/* S^T A S and S^T B S of the first k vectors. */
static PetscErrorCode grams(const lobpcg *iteration, PetscInt k, PetscScalar *G_A, PetscScalar *G_B)
{
    PetscFunctionBegin;
    PetscCall(gram(iteration->n, k, iteration->all, iteration->S, k, iteration->all, iteration->AS, G_A));
    PetscCall(gram(iteration->n, k, iteration->all, iteration->S, k, iteration->all, iteration->BS, G_B));
    for (PetscInt i = 0; i < k; i++)
        for (PetscInt j = 0; j < i; j++) {
            G_A[i + j * k] = G_A[j + i * k] = 0.5 * (G_A[i + j * k] + G_A[j + i * k]);
            G_B[i + j * k] = G_B[j + i * k] = 0.5 * (G_B[i + j * k] + G_B[j + i * k]);
        }
    PetscFunctionReturn(0);
}

/* The first a vectors of S, A S and B S <- combinations of the first k. */
static PetscErrorCode combine_all(lobpcg *iteration, PetscInt a, PetscInt k, const PetscScalar *C)
{
    PetscFunctionBegin;
    PetscCall(petsc_eigen_combine(iteration->n, a, k, iteration->all, C, iteration->S));
    PetscCall(petsc_eigen_combine(iteration->n, a, k, iteration->all, C, iteration->AS));
    PetscCall(petsc_eigen_combine(iteration->n, a, k, iteration->all, C, iteration->BS));
    PetscFunctionReturn(0);
}

/* The new X and P from S. */
static PetscErrorCode take_ritz_vectors(lobpcg *iteration)
{
    const PetscInt m = iteration->m;
    PetscInt k = m + iteration->p + iteration->w, kept = 0;
    PetscScalar *G_A, *G_B, *work, *C;
    PetscBool found = PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(PetscMalloc4(k * k, &G_A, k * k, &G_B, k * k, &work, k * (m + iteration->w), &C));
    for (int attempt = 0; !found && attempt < 2; attempt++) {
        if (attempt == 1)
            forget_directions(iteration);
        k = m + iteration->p + iteration->w;
        PetscCall(grams(iteration, k, G_A, G_B));
        PetscCall(PetscArraycpy(work, G_B, k * k));
        PetscCall(ritz(k, m, G_A, work, iteration->value, C, &found));
    }
    PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: its directions are dependent");
    PetscCall(choose_directions(iteration, k, G_B, C, &kept, C + k * m));
    PetscCall(combine_all(iteration, m + kept, k, C));
    iteration->p = kept;
    iteration->w = 0;
    PetscCall(PetscFree4(G_A, G_B, work, C));
    PetscFunctionReturn(0);
}

/* ---- the process ---- */
static PetscErrorCode petsc_eigen_begin(lobpcg *iteration)
{
    PetscFunctionBegin;
    iteration->A = multigrid_operator(iteration->with, iteration->level);
    iteration->all = 3 * iteration->m;
    PetscCall(PetscMalloc3(iteration->all * iteration->n, &iteration->S, iteration->all * iteration->n, &iteration->AS,
                           iteration->all * iteration->n, &iteration->BS));
    PetscCall(PetscMalloc3(iteration->m, &iteration->value, iteration->m, &iteration->error, iteration->m,
                           &iteration->active));
    PetscFunctionReturn(0);
}

static PetscErrorCode petsc_eigen_end(lobpcg *iteration)
{
    PetscFunctionBegin;
    PetscCall(PetscFree3(iteration->S, iteration->AS, iteration->BS));
    PetscCall(PetscFree3(iteration->value, iteration->error, iteration->active));
    PetscFunctionReturn(0);
}

/* X: `given` >= m vectors in S, of which the m lowest Ritz vectors are taken. */
static PetscErrorCode start_from(lobpcg *iteration, PetscInt given)
{
    PetscScalar *G, *C, *work;
    PetscInt kept;
    PetscBool found;

    PetscFunctionBegin;
    PetscCall(petsc_eigen_orthonormalise(iteration, 0, given, &kept));
    PetscCheck(kept >= iteration->m, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: its start is dependent");
    PetscCall(block_operator_apply(iteration->A, kept, iteration->all, iteration->S, iteration->all, iteration->AS));
    PetscCall(PetscMalloc3(kept * kept, &G, kept * kept, &work, kept * iteration->m, &C));
    PetscCall(grams(iteration, kept, G, work));
    PetscCall(ritz(kept, iteration->m, G, work, iteration->value, C, &found));
    PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: its start is dependent");
    PetscCall(combine_all(iteration, iteration->m, kept, C));
    PetscCall(PetscFree3(G, work, C));
    PetscFunctionReturn(0);
}

static void choose_active(lobpcg *iteration, PetscReal tolerance)
{
    iteration->w = 0;
    for (PetscInt j = 0; j < iteration->m; j++)
        if (!(iteration->error[j] <= tolerance))
            iteration->active[iteration->w++] = j;
}

static PetscReal worst(const lobpcg *iteration, PetscInt count)
{
    PetscReal most = 0.0;

    for (PetscInt j = 0; j < count; j++)
        most = PetscMax(most, iteration->error[j]);
    return most;
}

static PetscErrorCode show(const lobpcg *iteration, PetscInt count)
{
    PetscBool wanted;

    PetscFunctionBegin;
    PetscCall(PetscOptionsHasName(NULL, "phlexor_", "-lobpcg_monitor", &wanted));
    if (wanted)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "level %d step %d: %d active, error %g, values %g to %g\n",
                              (int)iteration->level, (int)iteration->steps, (int)iteration->w,
                              (double)worst(iteration, count), (double)iteration->value[0],
                              (double)iteration->value[count - 1]));
    PetscFunctionReturn(0);
}

/* Until the first `count` vectors have converged, at most so many steps. A X and B X, which are combined in each step,
 * are made anew at the end, and the errors with them. */
static PetscErrorCode petsc_eigen_iterate(lobpcg *iteration, PetscInt count, PetscReal tolerance, PetscInt most,
                                          PetscBool *converged)
{
    PetscBool fresh = PETSC_TRUE;

    PetscFunctionBegin;
    *converged = PETSC_FALSE;
    for (PetscInt j = 0; j < iteration->m; j++)
        iteration->error[j] = PETSC_MAX_REAL;
    for (iteration->steps = 0;; iteration->steps++) {
        choose_active(iteration, tolerance);
        PetscCall(precondition(iteration));
        PetscCall(show(iteration, count));
        if (worst(iteration, count) <= tolerance && !fresh) {
            PetscCall(block_operator_apply(iteration->A, iteration->m, iteration->all, iteration->S, iteration->all,
                                           iteration->AS));
            PetscCall(block_operator_apply(iteration->B, iteration->m, iteration->all, iteration->S, iteration->all,
                                           iteration->BS));
            for (PetscInt j = 0; j < iteration->m; j++)
                iteration->error[j] = j < count ? PETSC_MAX_REAL : 0.0;
            choose_active(iteration, tolerance);
            PetscCall(precondition(iteration));
            fresh = PETSC_TRUE;
        }
        *converged = worst(iteration, count) <= tolerance ? PETSC_TRUE : PETSC_FALSE;
        if (*converged || iteration->steps == most)
            break;
        fresh = PETSC_FALSE;
        PetscCall(petsc_eigen_orthonormalise(iteration, iteration->m + iteration->p, iteration->w, &iteration->w));
        const PetscInt at = iteration->m + iteration->p;
        PetscCall(block_operator_apply(iteration->A, iteration->w, iteration->all, iteration->S + at, iteration->all,
                                       iteration->AS + at));
        PetscCall(take_ritz_vectors(iteration));
    }
    PetscFunctionReturn(0);
}

/* ---- from coarse levels to fine ones ---- */
/* Vectors beside those that are wanted, because the last of a block converge slowly. */
static PetscInt guards(PetscInt count)
{
    return 4 + count / 8;
}

/* The last level that is large enough for so many vectors and their directions. */
static PetscErrorCode first_level(const multigrid *with, PetscInt m, PetscInt *l)
{
    PetscInt size;

    PetscFunctionBegin;
    for (*l = multigrid_levels(with) - 1; *l > 0; --*l) {
        PetscCall(MatGetSize(multigrid_matrix(with, *l), &size, NULL));
        if (size >= 6 * m)
            break;
    }
    PetscCall(MatGetSize(multigrid_matrix(with, *l), &size, NULL));
    PetscCheck(size >= 3 * m, PETSC_COMM_WORLD, PETSC_ERR_SUP, "%d unknowns are few for LOBPCG with %d vectors",
               (int)size, (int)m);
    PetscFunctionReturn(0);
}

/* A block into the first m vectors of S; NULL: random ones. */
static PetscErrorCode put_start(lobpcg *iteration, PetscInt m, const PetscScalar *start)
{
    PetscRandom random;

    PetscFunctionBegin;
    PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
    PetscCall(PetscRandomSetFromOptions(random));
    PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
    for (PetscInt i = 0; i < iteration->n; i++)
        if (start)
            PetscCall(PetscArraycpy(iteration->S + i * iteration->all, start + i * m, m));
        else
            PetscCall(PetscRandomGetValues(random, m, iteration->S + i * iteration->all));
    PetscCall(PetscRandomDestroy(&random));
    PetscFunctionReturn(0);
}

/* The lowest vectors of level l, roughly, rigid motions among them: *vectors, a block of m. `start` (NULL: random
 * ones), as many, is freed. */
static PetscErrorCode start_on_level(multigrid *with, PetscInt l, Mat B, PetscInt m, PetscInt wanted,
                                     PetscScalar *start, PetscScalar **vectors)
{
    lobpcg iteration = {.with = with, .level = l, .m = m};
    block_operator *by_B;
    PetscBool converged;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(B, &iteration.n, NULL));
    PetscCall(block_operator_create(B, &by_B));
    iteration.B = by_B;
    PetscCall(petsc_eigen_begin(&iteration));
    PetscCall(put_start(&iteration, m, start));
    PetscCall(PetscFree(start));
    PetscCall(start_from(&iteration, m));
    PetscCall(petsc_eigen_iterate(&iteration, wanted, coarse_tolerance, COARSE_STEPS, &converged));
    PetscCall(PetscMalloc1(m * iteration.n, vectors));
    for (PetscInt i = 0; i < iteration.n; i++)
        PetscCall(PetscArraycpy(*vectors + i * m, iteration.S + i * iteration.all, m));
    PetscCall(petsc_eigen_end(&iteration));
    PetscCall(block_operator_destroy(&by_B));
    PetscFunctionReturn(0);
}

/* A start for the finest level from those below it, a block of m vectors; NULL: there are none. */
static PetscErrorCode start_below(multigrid *with, Mat B, PetscInt m, PetscInt wanted, PetscScalar **start)
{
    Mat masses[32] = {B};
    PetscInt first, n;
    PetscScalar *finer;

    PetscFunctionBegin;
    *start = NULL;
    PetscCall(first_level(with, m, &first));
    for (PetscInt l = 0; l < first; l++)
        PetscCall(
            MatPtAP(masses[l], multigrid_interpolation(with, l), MAT_INITIAL_MATRIX, PETSC_DEFAULT, &masses[l + 1]));
    for (PetscInt l = first; l > 0; l--) {
        PetscCall(start_on_level(with, l, masses[l], m, wanted, *start, start));
        PetscCall(MatDestroy(&masses[l]));
        PetscCall(MatGetLocalSize(multigrid_matrix(with, l - 1), &n, NULL));
        PetscCall(PetscMalloc1(m * n, &finer));
        PetscCall(block_operator_apply(multigrid_interpolation_operator(with, l - 1), m, m, *start, m, finer));
        PetscCall(PetscFree(*start));
        *start = finer;
    }
    PetscFunctionReturn(0);
}

/* Vectors one after the other as a block, and B times it. */
static PetscErrorCode take_rigid(lobpcg *iteration, const PetscScalar *vectors, PetscScalar **block)
{
    const PetscInt n = iteration->n, r = iteration->n_rigid;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(2 * r * n + 1, block));
    for (PetscInt k = 0; k < r; k++)
        for (PetscInt i = 0; i < n; i++)
            (*block)[i * r + k] = vectors[k * n + i];
    if (r > 0)
        PetscCall(block_operator_apply(iteration->B, r, r, *block, r, *block + r * n));
    iteration->rigid = *block;
    iteration->B_rigid = *block + r * n;
    PetscFunctionReturn(0);
}

/* Finds the lowest eigenpairs of the multigrid's matrix and B by LOBPCG, orthogonal to the rigid motions, started from
 * the coarser levels. Fails if it does not converge in MOST_STEPS. */
PetscErrorCode multigrid_eigen(multigrid *with, Mat B, PetscInt count, PetscInt n_rigid, const PetscScalar *rigid,
                               PetscReal tolerance, PetscReal *values, PetscScalar *vectors, PetscInt *steps)
{
    lobpcg iteration = {.with = with, .m = count + guards(count), .n_rigid = n_rigid};
    block_operator *by_B;
    PetscScalar *start, *rigid_block;
    PetscBool converged;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(B, &iteration.n, NULL));
    PetscCall(start_below(with, B, iteration.m + n_rigid, count + n_rigid, &start));
    PetscCall(block_operator_create(B, &by_B));
    iteration.B = by_B;
    PetscCall(take_rigid(&iteration, rigid, &rigid_block));
    PetscCall(petsc_eigen_begin(&iteration));
    const PetscInt given = start ? iteration.m + n_rigid : iteration.m;
    PetscCall(put_start(&iteration, given, start));
    PetscCall(PetscFree(start));
    PetscCall(start_from(&iteration, given));
    PetscCall(petsc_eigen_iterate(&iteration, count, tolerance, MOST_STEPS, &converged));
    PetscCheck(converged, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: no convergence in %d steps", MOST_STEPS);
    PetscCall(PetscArraycpy(values, iteration.value, count));
    for (PetscInt k = 0; k < count; k++)
        for (PetscInt i = 0; i < iteration.n; i++)
            vectors[k * iteration.n + i] = iteration.S[i * iteration.all + k];
    *steps = iteration.steps;
    PetscCall(petsc_eigen_end(&iteration));
    PetscCall(PetscFree(rigid_block));
    PetscCall(block_operator_destroy(&by_B));
    PetscFunctionReturn(0);
}
