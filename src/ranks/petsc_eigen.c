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
    Mat A, B;
    PetscInt n, m; /* numbers of this process; vectors of X */
    PetscInt p, w; /* vectors of P and of W */
    PetscInt n_rigid;
    const PetscScalar *rigid; /* n_rigid x n */
    PetscScalar *B_rigid;     /* B times them */
    PetscScalar *S, *AS, *BS; /* [X P W], 3 m vectors */
    PetscReal *value, *error; /* m */
    PetscInt *active;         /* m: those that W is of */
    PetscInt steps;
} lobpcg;

/* ---- small matrices, by columns ---- */
/* out (a x b) <- X^T Y, the same on all processes. */
static PetscErrorCode gram(PetscInt n, PetscInt a, PetscInt b, const PetscScalar *X, const PetscScalar *Y,
                           PetscScalar *out)
{
    PetscBLASInt rows, cols, inner;
    const PetscScalar one = 1.0, zero = 0.0;
    PetscMPIInt size;

    PetscFunctionBegin;
    if (a == 0 || b == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscBLASIntCast(a, &rows));
    PetscCall(PetscBLASIntCast(b, &cols));
    PetscCall(PetscBLASIntCast(n, &inner));
    PetscCall(PetscArrayzero(out, a * b));
    if (n > 0)
        PetscCallBLAS("BLASgemm",
                      BLASgemm_("T", "N", &rows, &cols, &inner, &one, X, &inner, Y, &inner, &zero, out, &rows));
    PetscCall(PetscMPIIntCast(a * b, &size));
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, out, size, MPIU_SCALAR, MPIU_SUM, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

/* X (n x a) <- X + factor Y C, C b x a. */
static PetscErrorCode add_combinations(PetscInt n, PetscInt a, PetscInt b, PetscReal factor, const PetscScalar *Y,
                                       const PetscScalar *C, PetscScalar *X)
{
    PetscBLASInt rows, cols, inner;
    const PetscScalar by = factor, one = 1.0;

    PetscFunctionBegin;
    if (a == 0 || b == 0 || n == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscBLASIntCast(n, &rows));
    PetscCall(PetscBLASIntCast(a, &cols));
    PetscCall(PetscBLASIntCast(b, &inner));
    PetscCallBLAS("BLASgemm",
                  BLASgemm_("N", "N", &rows, &cols, &inner, &by, Y, &rows, C, &inner, &one, X, &rows));
    PetscFunctionReturn(0);
}

/* X (n x b) <- X C, C b x a, in place. */
static PetscErrorCode combine(PetscInt n, PetscInt a, PetscInt b, const PetscScalar *C, PetscScalar *X)
{
    PetscScalar *part;

    PetscFunctionBegin;
    PetscCall(PetscMalloc1(ROWS * PetscMax(1, b), &part));
    for (PetscInt first = 0; first < n; first += ROWS) {
        const PetscInt rows = PetscMin(ROWS, n - first);
        PetscBLASInt height, width, inner, stride;
        const PetscScalar one = 1.0, zero = 0.0;
        PetscCall(PetscBLASIntCast(rows, &height));
        PetscCall(PetscBLASIntCast(a, &width));
        PetscCall(PetscBLASIntCast(b, &inner));
        PetscCall(PetscBLASIntCast(n, &stride));
        for (PetscInt k = 0; k < b; k++)
            PetscCall(PetscArraycpy(part + k * rows, X + k * n + first, rows));
        PetscCallBLAS("BLASgemm", BLASgemm_("N", "N", &height, &width, &inner, &one, part, &height, C, &inner, &zero,
                                            X + first, &stride));
    }
    PetscCall(PetscFree(part));
    PetscFunctionReturn(0);
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
    for (PetscInt k = n - 1; k >= 0 && values[k] > dependent * n * values[n - 1]; k--, ++*kept)
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
/* x <- x - Y (BY)^T x, m vectors; C: room. */
static PetscErrorCode project(PetscInt n, PetscInt m, PetscInt count, const PetscScalar *Y, const PetscScalar *BY,
                              PetscScalar *C, PetscScalar *x)
{
    PetscFunctionBegin;
    PetscCall(gram(n, count, m, BY, x, C));
    PetscCall(add_combinations(n, m, count, -1.0, Y, C, x));
    PetscFunctionReturn(0);
}

/* The `count` vectors of S from `first` on made orthonormal in B beside the rigid motions and the first ones of S,
 * dependent ones dropped, BS with them; *kept. Twice, for rounding: rigid motions would come back as the lowest. */
static PetscErrorCode orthonormalise(lobpcg *it, PetscInt first, PetscInt count, PetscInt *kept)
{
    const PetscInt n = it->n;
    PetscScalar *G, *C, *x = it->S + first * n, *Bx = it->BS + first * n;

    PetscFunctionBegin;
    *kept = count;
    PetscCall(PetscMalloc2(PetscMax(PetscMax(first, it->n_rigid), count) * count, &G, count * count, &C));
    for (int pass = 0; pass < 2; pass++) {
        const PetscInt given = *kept;
        PetscCall(project(n, given, it->n_rigid, it->rigid, it->B_rigid, G, x));
        PetscCall(project(n, given, first, it->S, it->BS, G, x));
        PetscCall(block_product(it->B, given, x, Bx));
        PetscCall(gram(n, given, given, x, Bx, G));
        PetscCall(orthonormal_in(given, G, kept, C));
        PetscCall(combine(n, *kept, given, C, x));
        PetscCall(combine(n, *kept, given, C, Bx));
    }
    PetscCall(PetscFree2(G, C));
    PetscFunctionReturn(0);
}

/* W <- T R of the active vectors, and how far they are from eigenvectors: the error e of x has, nearly,
 * e^T A e = r^T T r, over x^T A x. */
static PetscErrorCode precondition(lobpcg *it)
{
    const PetscInt n = it->n, at = (it->m + it->p) * n;
    PetscScalar *R = it->AS + at, *W = it->S + at; /* A W is not there yet */
    PetscReal *work;

    PetscFunctionBegin;
    if (it->w == 0)
        PetscFunctionReturn(0);
    PetscCall(PetscCalloc1(it->w, &work));
    for (PetscInt k = 0; k < it->w; k++) {
        const PetscInt j = it->active[k];
        for (PetscInt i = 0; i < n; i++)
            R[k * n + i] = it->AS[j * n + i] - it->value[j] * it->BS[j * n + i];
    }
    PetscCall(multigrid_cycle(it->with, it->level, it->w, R, W));
    for (PetscInt k = 0; k < it->w; k++)
        for (PetscInt i = 0; i < n; i++)
            work[k] += R[k * n + i] * W[k * n + i];
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, work, (PetscMPIInt)it->w, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
    for (PetscInt k = 0; k < it->w; k++) { /* rigid motions, which a start has too, have no energy of their own */
        const PetscReal energy = PetscMax(it->value[it->active[k]], 1e-3 * it->value[it->m - 1]);
        it->error[it->active[k]] = PetscSqrtReal(PetscAbsReal(work[k]) / energy);
    }
    PetscCall(PetscFree(work));
    PetscFunctionReturn(0);
}

/* Columns of the new P in S, `k` numbers each: the new X (C, k x m) of the active vectors without its part in the old
 * X, orthonormal in G_B and orthogonal to C. */
static PetscErrorCode choose_directions(const lobpcg *it, PetscInt k, const PetscScalar *G_B, const PetscScalar *C,
                                        PetscInt *kept, PetscScalar *P)
{
    const PetscInt m = it->m, w = it->w;
    PetscScalar *D, *product, *G, *V;

    PetscFunctionBegin;
    PetscCall(PetscMalloc4(k * w, &D, k * w, &product, PetscMax(m, w) * w, &G, w * w, &V));
    for (PetscInt j = 0; j < w; j++)
        for (PetscInt i = 0; i < k; i++)
            D[i + j * k] = i < m ? 0.0 : C[i + it->active[j] * k];
    for (int pass = 0; pass < 2; pass++) { /* D <- D - C C^T G_B D */
        PetscCall(PetscArrayzero(product, k * w));
        PetscCall(add_combinations(k, w, k, 1.0, G_B, D, product));
        for (PetscInt j = 0; j < w; j++)
            for (PetscInt i = 0; i < m; i++) {
                G[i + j * m] = 0.0;
                for (PetscInt l = 0; l < k; l++)
                    G[i + j * m] += C[l + i * k] * product[l + j * k];
            }
        PetscCall(add_combinations(k, w, m, -1.0, C, G, D));
    }
    PetscCall(PetscArrayzero(product, k * w));
    PetscCall(add_combinations(k, w, k, 1.0, G_B, D, product));
    for (PetscInt j = 0; j < w; j++)
        for (PetscInt i = 0; i < w; i++) {
            G[i + j * w] = 0.0;
            for (PetscInt l = 0; l < k; l++)
                G[i + j * w] += D[l + i * k] * product[l + j * k];
        }
    PetscCall(orthonormal_in(w, G, kept, V));
    PetscCall(PetscArrayzero(P, k * *kept));
    PetscCall(add_combinations(k, *kept, w, 1.0, D, V, P));
    PetscCall(PetscFree4(D, product, G, V));
    PetscFunctionReturn(0);
}

/* The new X and P from S. */
static PetscErrorCode take_ritz_vectors(lobpcg *it)
{
    const PetscInt n = it->n, m = it->m;
    PetscInt k = m + it->p + it->w, kept = 0;
    PetscScalar *G_A, *G_B, *work, *C;
    PetscBool found = PETSC_FALSE;

    PetscFunctionBegin;
    PetscCall(PetscMalloc4(k * k, &G_A, k * k, &G_B, k * k, &work, k * (m + it->w), &C));
    for (int attempt = 0; !found && attempt < 2; attempt++) {
        if (attempt == 1) { /* without the old directions */
            PetscScalar *all[3] = {it->S, it->AS, it->BS};
            for (int a = 0; a < 3; a++)
                PetscCall(PetscArraymove(all[a] + m * n, all[a] + (m + it->p) * n, it->w * n));
            k -= it->p;
            it->p = 0;
        }
        PetscCall(gram(n, k, k, it->S, it->AS, G_A));
        PetscCall(gram(n, k, k, it->S, it->BS, G_B));
        for (PetscInt i = 0; i < k; i++)
            for (PetscInt j = 0; j < i; j++) {
                G_A[i + j * k] = G_A[j + i * k] = 0.5 * (G_A[i + j * k] + G_A[j + i * k]);
                G_B[i + j * k] = G_B[j + i * k] = 0.5 * (G_B[i + j * k] + G_B[j + i * k]);
            }
        PetscCall(PetscArraycpy(work, G_B, k * k));
        PetscCall(ritz(k, m, G_A, work, it->value, C, &found));
    }
    PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: its directions are dependent");
    PetscCall(choose_directions(it, k, G_B, C, &kept, C + k * m));
    PetscCall(combine(n, m + kept, k, C, it->S));
    PetscCall(combine(n, m + kept, k, C, it->AS));
    PetscCall(combine(n, m + kept, k, C, it->BS));
    it->p = kept;
    it->w = 0;
    PetscCall(PetscFree4(G_A, G_B, work, C));
    PetscFunctionReturn(0);
}

/* ---- the process ---- */
static PetscErrorCode begin(lobpcg *it)
{
    PetscFunctionBegin;
    PetscCall(PetscMalloc3(3 * it->m * it->n, &it->S, 3 * it->m * it->n, &it->AS, 3 * it->m * it->n, &it->BS));
    PetscCall(PetscMalloc4(it->m, &it->value, it->m, &it->error, it->m, &it->active,
                           PetscMax(1, it->n_rigid) * it->n, &it->B_rigid));
    if (it->n_rigid > 0)
        PetscCall(block_product(it->B, it->n_rigid, it->rigid, it->B_rigid));
    PetscFunctionReturn(0);
}

static PetscErrorCode end(lobpcg *it)
{
    PetscFunctionBegin;
    PetscCall(PetscFree3(it->S, it->AS, it->BS));
    PetscCall(PetscFree4(it->value, it->error, it->active, it->B_rigid));
    PetscFunctionReturn(0);
}

/* X: `given` >= m vectors in S, of which the m lowest Ritz vectors are taken. */
static PetscErrorCode start_from(lobpcg *it, PetscInt given)
{
    PetscScalar *G, *C, *work;
    PetscInt kept;
    PetscBool found;

    PetscFunctionBegin;
    PetscCall(orthonormalise(it, 0, given, &kept));
    PetscCheck(kept >= it->m, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: its start is dependent");
    PetscCall(block_product(it->A, kept, it->S, it->AS));
    PetscCall(PetscMalloc3(kept * kept, &G, kept * kept, &work, kept * it->m, &C));
    PetscCall(gram(it->n, kept, kept, it->S, it->AS, G));
    PetscCall(gram(it->n, kept, kept, it->S, it->BS, work));
    PetscCall(ritz(kept, it->m, G, work, it->value, C, &found));
    PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: its start is dependent");
    PetscCall(combine(it->n, it->m, kept, C, it->S));
    PetscCall(combine(it->n, it->m, kept, C, it->AS));
    PetscCall(combine(it->n, it->m, kept, C, it->BS));
    PetscCall(PetscFree3(G, work, C));
    PetscFunctionReturn(0);
}

static void choose_active(lobpcg *it, PetscReal tolerance)
{
    it->w = 0;
    for (PetscInt j = 0; j < it->m; j++)
        if (!(it->error[j] <= tolerance))
            it->active[it->w++] = j;
}

static PetscReal worst(const lobpcg *it, PetscInt count)
{
    PetscReal most = 0.0;

    for (PetscInt j = 0; j < count; j++)
        most = PetscMax(most, it->error[j]);
    return most;
}

static PetscErrorCode show(const lobpcg *it, PetscInt count)
{
    PetscBool wanted;

    PetscFunctionBegin;
    PetscCall(PetscOptionsHasName(NULL, "phlexor_", "-lobpcg_monitor", &wanted));
    if (wanted)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "level %d step %d: %d active, error %g, values %g to %g\n",
                              (int)it->level, (int)it->steps, (int)it->w, (double)worst(it, count),
                              (double)it->value[0], (double)it->value[count - 1]));
    PetscFunctionReturn(0);
}

/* Until the first `count` vectors have converged, at most so many steps. A X and B X, which are combined in each step,
 * are made anew at the end, and the errors with them. */
static PetscErrorCode iterate(lobpcg *it, PetscInt count, PetscReal tolerance, PetscInt most, PetscBool *converged)
{
    PetscBool fresh = PETSC_TRUE;

    PetscFunctionBegin;
    *converged = PETSC_FALSE;
    for (PetscInt j = 0; j < it->m; j++)
        it->error[j] = PETSC_MAX_REAL;
    for (it->steps = 0;; it->steps++) {
        choose_active(it, tolerance);
        PetscCall(precondition(it));
        PetscCall(show(it, count));
        if (worst(it, count) <= tolerance && !fresh) {
            PetscCall(block_product(it->A, it->m, it->S, it->AS));
            PetscCall(block_product(it->B, it->m, it->S, it->BS));
            for (PetscInt j = 0; j < it->m; j++)
                it->error[j] = j < count ? PETSC_MAX_REAL : 0.0;
            choose_active(it, tolerance);
            PetscCall(precondition(it));
            fresh = PETSC_TRUE;
        }
        *converged = worst(it, count) <= tolerance ? PETSC_TRUE : PETSC_FALSE;
        if (*converged || it->steps == most)
            break;
        fresh = PETSC_FALSE;
        PetscCall(orthonormalise(it, it->m + it->p, it->w, &it->w));
        const PetscInt at = (it->m + it->p) * it->n;
        PetscCall(block_product(it->A, it->w, it->S + at, it->AS + at));
        PetscCall(take_ritz_vectors(it));
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

static PetscErrorCode random_vectors(PetscInt size, PetscScalar *x)
{
    PetscRandom random;

    PetscFunctionBegin;
    PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
    PetscCall(PetscRandomSetFromOptions(random));
    PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
    PetscCall(PetscRandomGetValues(random, size, x));
    PetscCall(PetscRandomDestroy(&random));
    PetscFunctionReturn(0);
}

/* The lowest vectors of level l, roughly, rigid motions among them: *vectors, m of them. `start` (NULL: random ones),
 * as many, is freed. */
static PetscErrorCode start_on_level(multigrid *with, PetscInt l, Mat B, PetscInt m, PetscInt wanted,
                                     PetscScalar *start, PetscScalar **vectors)
{
    lobpcg it = {.with = with, .level = l, .A = multigrid_matrix(with, l), .B = B, .m = m};
    PetscBool converged;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(it.A, &it.n, NULL));
    PetscCall(begin(&it));
    if (start)
        PetscCall(PetscArraycpy(it.S, start, m * it.n));
    else
        PetscCall(random_vectors(m * it.n, it.S));
    PetscCall(PetscFree(start));
    PetscCall(start_from(&it, m));
    PetscCall(iterate(&it, wanted, coarse_tolerance, COARSE_STEPS, &converged));
    PetscCall(PetscMalloc1(m * it.n, vectors));
    PetscCall(PetscArraycpy(*vectors, it.S, m * it.n));
    PetscCall(end(&it));
    PetscFunctionReturn(0);
}

/* A start for the finest level from those below it: *given vectors, 0: there is none. */
static PetscErrorCode start_below(multigrid *with, Mat B, PetscInt m, PetscInt wanted, PetscInt *given,
                                  PetscScalar **start)
{
    Mat masses[32] = {B};
    PetscInt first, n;
    PetscScalar *vectors = NULL, *finer;

    PetscFunctionBegin;
    *start = NULL;
    *given = 0;
    PetscCall(first_level(with, m, &first));
    for (PetscInt l = 0; l < first; l++)
        PetscCall(MatPtAP(masses[l], multigrid_interpolation(with, l), MAT_INITIAL_MATRIX, PETSC_DEFAULT,
                          &masses[l + 1]));
    for (PetscInt l = first; l > 0; l--) {
        PetscCall(start_on_level(with, l, masses[l], m, wanted, vectors, &vectors));
        PetscCall(MatDestroy(&masses[l]));
        PetscCall(MatGetLocalSize(multigrid_matrix(with, l - 1), &n, NULL));
        PetscCall(PetscMalloc1(m * n, &finer));
        PetscCall(block_product(multigrid_interpolation(with, l - 1), m, vectors, finer));
        PetscCall(PetscFree(vectors));
        vectors = finer;
    }
    if (first > 0) {
        *start = vectors;
        *given = m;
    }
    PetscFunctionReturn(0);
}

PetscErrorCode multigrid_eigen(multigrid *with, Mat B, PetscInt count, PetscInt n_rigid, const PetscScalar *rigid,
                               PetscReal tolerance, PetscReal *values, PetscScalar *vectors, PetscInt *steps)
{
    lobpcg it = {.with = with,
                 .A = multigrid_matrix(with, 0),
                 .B = B,
                 .m = count + guards(count),
                 .n_rigid = n_rigid,
                 .rigid = rigid};
    PetscScalar *start;
    PetscInt given;
    PetscBool converged;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(it.A, &it.n, NULL));
    PetscCall(start_below(with, B, it.m + n_rigid, count + n_rigid, &given, &start));
    PetscCall(begin(&it));
    if (start) {
        PetscCall(PetscArraycpy(it.S, start, given * it.n));
    } else {
        given = it.m;
        PetscCall(random_vectors(given * it.n, it.S));
    }
    PetscCall(PetscFree(start));
    PetscCall(start_from(&it, given));
    PetscCall(iterate(&it, count, tolerance, MOST_STEPS, &converged));
    PetscCheck(converged, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "LOBPCG: no convergence in %d steps", MOST_STEPS);
    PetscCall(PetscArraycpy(values, it.value, count));
    PetscCall(PetscArraycpy(vectors, it.S, count * it.n));
    if (steps)
        *steps = it.steps;
    PetscCall(end(&it));
    PetscFunctionReturn(0);
}
