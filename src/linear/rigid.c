/* Rigid-body modes by structure, and slow modes beside them.
 *
 * A frequency that is small may be rounding or not: of a fine mesh the eigenvalues of K are known to eps times the
 * highest of them. So rigid-body modes are counted where elasticity does not enter, among the motions C c of bodies
 * without deformation,
 *
 *     G C c = 0 ,   K C c = 0 ,
 *
 * and what else has a small frequency is found again, by inverse iteration beside them, M-orthogonal to them. The
 * rounding of x^T K x is eps |x|^T |K| |x|, with the amplitudes of the mode itself. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "linearised.h"

static const double rounding_of_terms = 1e-12; /* of K C c, of the terms of the motion itself */
static const double rounding_of_all = 1e-14;   /* the same, of the terms of all such motions */
static const double resolved = 30.0;           /* an eigenvalue so many times its rounding is one */

static phx_status absolute(phx_context *context, const phx_csr *a, phx_csr *size)
{
    const phx_status status = phx_csr_copy(context, a, size);

    for (int k = 0; !status && k < size->ptr[size->rows]; k++)
        size->val[k] = fabs(size->val[k]);
    return status;
}

/* length (n): sqrt(M_ii) */
static void mass_lengths(const phx_csr *M, double *length)
{
    for (int i = 0; i < M->rows; i++) {
        const int at = phx_csr_find(M, i, i);
        length[i] = at >= 0 && M->val[at] > 0.0 ? sqrt(M->val[at]) : 1.0;
    }
}

/* ---- motions without deformation ---- */
typedef struct rigid_space {
    phx_csr M, K;    /* C^T M C, C^T K C */
    phx_csr whole;   /* symmetric part of the stiffness */
    phx_csr sizes;   /* |whole| */
    double *factor;  /* of M, k x k */
    double *length;  /* n */
    double terms;    /* the largest |K| |C| column, in mass-scaled coordinates, 1/s^2 */
    phx_basis free;  /* those that G allows */
    double *vectors; /* of them, by C^T K C: rows */
} rigid_space;

static void rigid_space_free(rigid_space *space)
{
    phx_csr *matrices[] = {&space->M, &space->K, &space->whole, &space->sizes};

    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        phx_csr_free(matrices[i]);
    phx_free(space->factor);
    phx_free(space->length);
    phx_free(space->vectors);
    phx_basis_free(&space->free);
}

/* The largest entry of diag(M)^-1/2 |K| |C| diag(C^T M C)^-1/2. */
static phx_status measure_terms(phx_context *context, const phx_csr *C, rigid_space *space)
{
    phx_csr size = {0}, product = {0};
    phx_status status = absolute(context, C, &size);

    if (!status)
        status = phx_csr_multiply(context, &space->sizes, &size, &product);
    for (int i = 0; !status && i < product.rows; i++)
        for (int e = product.ptr[i]; e < product.ptr[i + 1]; e++) {
            const int c = product.idx[e], at = phx_csr_find(&space->M, c, c);
            const double mass = at >= 0 ? space->M.val[at] : 0.0;
            if (mass > 0.0)
                space->terms = fmax(space->terms, product.val[e] / (space->length[i] * sqrt(mass)));
        }
    phx_csr_free(&size);
    phx_csr_free(&product);
    return status;
}

static phx_status rigid_space_create(phx_context *context, const phx_linear *linear, rigid_space *space)
{
    const phx_csr *C = &linear->rigid;
    const size_t k = (size_t)C->cols;
    phx_csr transposed = {0};
    phx_status status = phx_csr_congruence(context, C, &linear->M, C, &space->M);

    if (!status)
        status = phx_csr_transpose(context, &linear->K, &transposed);
    if (!status)
        status = phx_csr_add(context, 0.5, &linear->K, 0.5, &transposed, &space->whole);
    phx_csr_free(&transposed);
    if (!status)
        status = phx_csr_congruence(context, C, &space->whole, C, &space->K);
    if (!status)
        status = absolute(context, &space->whole, &space->sizes);
    space->length = phx_calloc(context, (size_t)linear->n, sizeof *space->length);
    space->factor = phx_calloc(context, k * k, sizeof *space->factor);
    if (!space->length || !space->factor)
        return PHX_ERR_MEMORY;
    if (status)
        return status;
    mass_lengths(&linear->M, space->length);
    phx_csr_to_dense(&space->M, space->factor);
    status = measure_terms(context, C, space);
    return status ? status : phx_dense_cholesky(context, C->cols, space->factor);
}

/* The motions that G allows, by the eigenvectors of the stiffness. */
static phx_status sort_by_stiffness(phx_context *context, const phx_linear *linear, const phx_csr *G, double rtol,
                                    rigid_space *space)
{
    const int k = linear->rigid.cols, rows = G->rows;
    double *dense = phx_calloc(context, (size_t)rows * (size_t)k, sizeof *dense), *S = NULL, *KP = NULL;
    phx_csr product = {0};
    phx_status status = dense ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && rows > 0)
        status = phx_csr_multiply(context, G, &linear->rigid, &product);
    if (!status && rows > 0)
        phx_csr_to_dense(&product, dense);
    phx_csr_free(&product);
    if (!status)
        status = phx_reduce_free_motions(context, k, space->factor, rows, dense, rtol, NULL, &space->free);
    phx_free(dense);
    const int f = space->free.count;
    const size_t cells = (size_t)f * (size_t)f;
    if (status || f == 0)
        return status;
    S = phx_calloc(context, cells + (size_t)f, sizeof *S);
    space->vectors = phx_calloc(context, cells, sizeof *space->vectors);
    status =
        S && space->vectors ? phx_csr_times_dense(context, &space->K, f, space->free.columns, &KP) : PHX_ERR_MEMORY;
    if (!status)
        phx_dense_multiply(true, false, f, f, k, 1.0, space->free.columns, f, KP, f, 0.0, S, f);
    for (int i = 0; i < f && !status; i++) {
        for (int j = 0; j <= i; j++) {
            const double mean = 0.5 * (S[(size_t)i * f + j] + S[(size_t)j * f + i]);
            S[(size_t)i * f + j] = S[(size_t)j * f + i] =
                fabs(mean) > 0.1 * rounding_of_all * space->terms ? mean : 0.0;
        }
        space->vectors[(size_t)i * f + i] = 1.0;
    }
    if (!status)
        status = phx_reduce_jacobi(context, f, S, S + cells, space->vectors);
    phx_free(S);
    phx_free(KP);
    return status;
}

/* rigid: of the sorted motions those on which K is zero. */
static phx_status keep_rigid(phx_context *context, const phx_linear *linear, const rigid_space *space,
                             phx_shapes *rigid)
{
    const int n = linear->n, k = linear->rigid.cols, f = space->free.count;
    double *c = phx_calloc(context, (size_t)k * (size_t)f, sizeof *c), *x = NULL, *y = NULL, *terms = NULL;
    phx_status status = c ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        status = phx_shapes_allocate(context, n, f, rigid);
    if (!status) {
        phx_dense_multiply(false, true, k, f, f, 1.0, space->free.columns, f, space->vectors, f, 0.0, c, f);
        status = phx_csr_times_dense(context, &linear->rigid, f, c, &x);
    }
    if (!status)
        status = phx_csr_times_dense(context, &space->whole, f, x, &y);
    terms = phx_calloc(context, (size_t)n * (size_t)f, sizeof *terms);
    if (!terms)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < n && !status; i++)
        for (int e = space->sizes.ptr[i]; e < space->sizes.ptr[i + 1]; e++)
            for (int j = 0; j < f; j++)
                terms[(size_t)i * f + j] += space->sizes.val[e] * fabs(x[(size_t)space->sizes.idx[e] * f + j]);
    for (int j = 0; j < f && !status; j++) {
        double force = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) {
            force = fmax(force, fabs(y[(size_t)i * f + j]) / space->length[i]);
            size = fmax(size, terms[(size_t)i * f + j] / space->length[i]);
        }
        if (force > rounding_of_terms * size && force > rounding_of_all * space->terms)
            continue;
        for (int i = 0; i < n; i++)
            phx_shapes_column(rigid, rigid->count)[i] = x[(size_t)i * f + j];
        rigid->count++;
    }
    phx_free(c);
    phx_free(x);
    phx_free(y);
    phx_free(terms);
    return status;
}

phx_status phx_linear_rigid(phx_context *context, const phx_linear *linear, const phx_csr *G, double rtol,
                            phx_shapes *rigid, bool *known)
{
    enum { COLUMNS = 2400, CELLS = 20000000 };
    const phx_csr *C = &linear->rigid;
    rigid_space space = {0};

    *rigid = (phx_shapes){0};
    *known = false;
    if (C->rows == 0 || C->cols > COLUMNS || (double)C->rows * C->cols > CELLS)
        return PHX_OK;
    phx_status status = rigid_space_create(context, linear, &space);
    if (!status)
        status = sort_by_stiffness(context, linear, G, rtol, &space);
    if (!status && space.free.count > 0)
        status = keep_rigid(context, linear, &space, rigid);
    *known = !status;
    if (status == PHX_SINGULAR || status == PHX_NOT_CONVERGED) { /* motions without mass: not told apart */
        phx_context_clear(context);
        status = PHX_OK;
    }
    if (!*known)
        phx_shapes_free(rigid);
    rigid_space_free(&space);
    return status;
}

/* ---- slow modes ---- */
void phx_deflate(const phx_csr *M, const phx_shapes *rigid, double *x, double *work)
{
    const int n = M->rows;

    if (rigid->count == 0)
        return;
    memset(work, 0, (size_t)n * sizeof *work);
    phx_csr_apply(M, 1.0, x, work);
    for (int k = 0; k < rigid->count; k++) {
        const double *y = phx_shapes_column(rigid, k);
        double part = 0.0;
        for (int i = 0; i < n; i++)
            part += y[i] * work[i];
        for (int i = 0; i < n; i++)
            x[i] -= part * y[i];
    }
}

/* The modes from `first` on that may be slow, `count` of them: those next to zero. */
static void slow_block(const phx_undamped *undamped, int *first, int *count)
{
    enum { GUARD = 20 };
    const int f = undamped->modes.count;
    int doubtful = 0;

    *first = *count = 0;
    for (int k = 0; k < f; k++)
        doubtful += fabs(undamped->frequency[k]) <= undamped->resolution;
    int least = doubtful > undamped->rigid.count ? doubtful : undamped->rigid.count;
    const int most = least + GUARD < f ? least + GUARD : f;
    while (*first < f && undamped->frequency[*first] < -undamped->resolution)
        ++*first;
    for (int left = *first; *count < most; ++*count) { /* the block grows to the side that is nearer to zero */
        const int right = left + *count;
        const double below = left > 0 ? -undamped->frequency[left - 1] : HUGE_VAL;
        const double above = right < f ? fabs(undamped->frequency[right]) : HUGE_VAL;
        if (*count >= least && fmin(below, above) > resolved * undamped->resolution)
            break;
        left -= below < above;
        *first = left;
    }
}

/* X^T M X = I by the eigenvectors of this matrix; the `dropped` that are left of the rigid motions go. */
static phx_status orthonormalise(phx_context *context, const phx_csr *M, int dropped, phx_shapes *X)
{
    const int n = X->n, w = X->count, kept = w - dropped;
    const size_t cells = (size_t)w * (size_t)w;
    double *MX = phx_calloc(context, (size_t)w * (size_t)n, sizeof *MX);
    double *gram = phx_calloc(context, 2 * cells + (size_t)w, sizeof *gram);
    phx_status status = MX && gram ? PHX_OK : PHX_ERR_MEMORY;
    double *vectors = gram + cells, *values = vectors + cells;

    for (int k = 0; k < w && !status; k++)
        phx_csr_apply(M, 1.0, phx_shapes_column(X, k), MX + (size_t)k * (size_t)n);
    if (!status) {
        phx_dense_multiply(false, true, w, w, n, 1.0, X->y, n, MX, n, 0.0, gram, w);
        status = phx_dense_eigen_symmetric(context, w, gram, NULL, values, vectors);
    }
    if (!status && kept > 0 && !(values[dropped] > DBL_EPSILON * values[w - 1]))
        status = phx_fail(context, PHX_NOT_CONVERGED, "modes: slow modes depend on each other");
    for (int k = dropped; k < w && !status; k++)
        for (int i = 0; i < w; i++)
            vectors[(size_t)i * w + k] /= sqrt(values[k]);
    if (!status && kept > 0) {
        phx_dense_multiply(true, false, kept, n, w, 1.0, vectors + dropped, w, X->y, n, 0.0, MX, n);
        memcpy(X->y, MX, (size_t)kept * (size_t)n * sizeof *MX);
        X->count = kept;
    }
    phx_free(MX);
    phx_free(gram);
    return status;
}

/* Some steps of inverse iteration of X beside the rigid motions. */
static phx_status iterate(phx_context *context, const phx_large *large, double noise, phx_kkt *kkt,
                          const phx_shapes *rigid, phx_shapes *X)
{
    enum { PASSES = 4, SHIFTS = 8 };
    const phx_csr *M = &large->linear->M, none = {0};
    const size_t n = (size_t)X->n, size = n + (size_t)large->G.rows;
    double *work = phx_calloc(context, size + n, sizeof *work), sigma = -noise;
    phx_status status =
        work ? phx_kkt_prepare(context, M, &none, &large->K, &large->G, large->order, false, kkt) : PHX_ERR_MEMORY;

    if (!status)
        status = PHX_SINGULAR;
    for (int k = 0; k < SHIFTS && status == PHX_SINGULAR; k++, sigma *= 10.0) {
        phx_context_clear(context);
        status = phx_kkt_factor_shifted(kkt, M, &large->K, &large->G, sigma);
    }
    for (int pass = 0; pass < PASSES && !status; pass++) {
        for (int k = 0; k < X->count && !status; k++) {
            double *x = phx_shapes_column(X, k);
            memset(work, 0, size * sizeof *work);
            phx_csr_apply(M, 1.0, x, work);
            status = phx_lu_solve(kkt->lu, 1, work);
            memcpy(x, work, n * sizeof *x);
            phx_deflate(M, rigid, x, work + size);
        }
        if (!status)
            status = orthonormalise(context, M, 0, X);
    }
    phx_free(work);
    return status;
}

/* What rounding makes of lambda = x^T K x: eps (|x|^T |rest| |x| + eps ||root| |x||^2). */
static double rounding_of(const phx_stiffness *stiffness, const phx_basis *modes, int k)
{
    const int f = modes->count;
    const double *x = modes->columns + k;
    double rest = 0.0, root = 0.0;

    for (int i = 0; stiffness->rest && i < stiffness->rest->rows; i++)
        for (int e = stiffness->rest->ptr[i]; e < stiffness->rest->ptr[i + 1]; e++)
            rest += fabs(x[(size_t)i * f] * stiffness->rest->val[e] * x[(size_t)stiffness->rest->idx[e] * f]);
    for (int i = 0; stiffness->root && i < stiffness->root->rows; i++) {
        double sum = 0.0;
        for (int e = stiffness->root->ptr[i]; e < stiffness->root->ptr[i + 1]; e++)
            sum += fabs(stiffness->root->val[e] * x[(size_t)stiffness->root->idx[e] * f]);
        root += sum * sum;
    }
    return DBL_EPSILON * (rest + resolved * DBL_EPSILON * root);
}

/* The block of the undamped modes: the rigid motions and the modes found, those that are rounding as zero. */
static void put_block(const phx_stiffness *stiffness, const phx_basis *modes, const double *frequency, int first,
                      phx_undamped *undamped)
{
    const int n = undamped->modes.n, f = undamped->modes.count, r = undamped->rigid.count, w = modes->count;
    double bound = 0.0, lowest = HUGE_VAL;
    int at = first, zeros = r;

    for (int k = 0; k <= w; k++) {
        const double rounding = k < w ? resolved * rounding_of(stiffness, modes, k) : 0.0;
        const bool is_zero = k < w && frequency[k] * frequency[k] <= rounding;
        for (; zeros > 0 && (k == w || is_zero || frequency[k] > 0.0); zeros--, at++) {
            for (int i = 0; i < n; i++)
                undamped->modes.columns[(size_t)i * f + at] = phx_shapes_column(&undamped->rigid, zeros - 1)[i];
            undamped->frequency[at] = 0.0;
        }
        if (k == w)
            break;
        for (int i = 0; i < n; i++)
            undamped->modes.columns[(size_t)i * f + at] = modes->columns[(size_t)i * w + k];
        undamped->frequency[at++] = is_zero ? 0.0 : frequency[k];
        undamped->unresolved += is_zero;
        bound = fmax(bound, is_zero ? sqrt(rounding) : 0.0);
        lowest = fmin(lowest, is_zero ? HUGE_VAL : fabs(frequency[k]));
    }
    undamped->bound = bound;
    undamped->resolution = fmin(undamped->resolution, 0.5 * lowest);
}

phx_status phx_undamped_resolve(phx_context *context, const phx_linear *linear, const phx_large *large, phx_kkt *kkt,
                                phx_undamped *undamped)
{
    const phx_stiffness stiffness = phx_linear_stiffness(linear);
    const int n = undamped->modes.n, f = undamped->modes.count, r = undamped->rigid.count;
    phx_basis basis = {.n = n}, modes = {0};
    phx_shapes X = {0};
    double *frequency = NULL, *work = NULL;
    int first, count, doubtful = 0;

    for (int k = 0; k < f; k++)
        doubtful += fabs(undamped->frequency[k]) <= undamped->resolution;
    if (!undamped->counted || doubtful == r || r > f)
        return PHX_OK;
    slow_block(undamped, &first, &count);
    phx_status status = phx_shapes_allocate(context, n, count, &X);
    work = phx_calloc(context, (size_t)n, sizeof *work);
    frequency = phx_calloc(context, (size_t)count, sizeof *frequency);
    if (!work || !frequency)
        status = PHX_ERR_MEMORY;
    for (int k = 0; k < count && !status; k++, X.count++) {
        for (int i = 0; i < n; i++)
            phx_shapes_column(&X, k)[i] = undamped->modes.columns[(size_t)i * f + first + k];
        phx_deflate(&linear->M, &undamped->rigid, phx_shapes_column(&X, k), work);
    }
    if (!status && count > r)
        status = orthonormalise(context, &linear->M, r, &X);
    if (!status && count > r && large)
        status = iterate(context, large, undamped->resolution * undamped->resolution, kkt, &undamped->rigid, &X);
    if (!status && count > r) {
        basis.count = X.count;
        basis.columns = phx_calloc(context, (size_t)n * (size_t)X.count, sizeof *basis.columns);
        status = basis.columns ? PHX_OK : PHX_ERR_MEMORY;
        for (int i = 0; i < n && !status; i++)
            for (int k = 0; k < X.count; k++)
                basis.columns[(size_t)i * X.count + k] = phx_shapes_column(&X, k)[i];
        if (!status)
            status = phx_reduce_normal_modes(context, &basis, &stiffness, frequency, NULL, NULL, &modes);
    }
    if (!status)
        put_block(&stiffness, &modes, frequency, first, undamped);
    phx_shapes_free(&X);
    phx_basis_free(&basis);
    phx_basis_free(&modes);
    phx_free(work);
    phx_free(frequency);
    return status;
}

phx_status phx_undamped_compare(phx_context *context, const phx_linear *linear, double rtol, phx_kkt *kkt,
                                phx_undamped *undamped)
{
    phx_modes_options options = phx_modes_options_default();
    phx_large large = {0};
    bool doubtful = false;

    for (int k = 0; k < undamped->modes.count; k++)
        doubtful = doubtful || fabs(undamped->frequency[k]) <= undamped->resolution;
    if (!doubtful)
        return PHX_OK;
    options.rank_rtol = rtol;
    phx_shapes_free(&undamped->rigid);
    phx_status status = phx_linear_rigid(context, linear, &linear->G, rtol, &undamped->rigid, &undamped->counted);
    if (!status && undamped->counted)
        status = phx_large_create(context, linear, &options, &large);
    if (!status && undamped->counted)
        status = phx_undamped_resolve(context, linear, &large, kkt, undamped);
    phx_large_free(&large);
    return status;
}
