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

static const double rounding_of_terms =
    1e-11;                                   /* of an entry of K C, of its terms: that of the places of its nodes too */
static const double rounding_of_all = 1e-13; /* the same, of the largest of all terms */
static const double resolved = 30.0;         /* an eigenvalue so many times its rounding is one */

/* ---- rigid-body modes ---- */
static double mass_length(const phx_csr *M, int i)
{
    const int at = phx_csr_find(M, i, i);

    return at >= 0 && M->val[at] > 0.0 ? sqrt(M->val[at]) : 1.0;
}

/* |K| |C|, and its largest entry in mass-scaled coordinates, 1/s^2. */
static phx_status measure_terms(phx_context *context, const phx_large *large, const phx_csr *M_C, phx_csr *terms,
                                double *largest)
{
    phx_csr K = {0}, C = {0};
    phx_status status = phx_csr_copy(context, &large->K, &K);

    if (!status)
        status = phx_csr_copy(context, &large->linear->rigid, &C);
    for (int e = 0; !status && e < K.ptr[K.rows]; e++)
        K.val[e] = fabs(K.val[e]);
    for (int e = 0; !status && e < C.ptr[C.rows]; e++)
        C.val[e] = fabs(C.val[e]);
    if (!status)
        status = phx_csr_multiply(context, &K, &C, terms);
    *largest = 0.0;
    for (int i = 0; !status && i < terms->rows; i++)
        for (int e = terms->ptr[i]; e < terms->ptr[i + 1]; e++) {
            terms->val[e] /= mass_length(&large->linear->M, i) * mass_length(M_C, terms->idx[e]);
            *largest = fmax(*largest, terms->val[e]);
        }
    phx_csr_free(&K);
    phx_csr_free(&C);
    return status;
}

/* The rows of G C and, without their rounding, those of K C that are not zero: rows x C.cols, allocated. */
static phx_status stack_rows(phx_context *context, const phx_large *large, const phx_csr *M_C, int *rows,
                             double **dense)
{
    const phx_csr *C = &large->linear->rigid;
    const size_t k = (size_t)C->cols;
    phx_csr GC = {0}, KC = {0}, terms = {0};
    double largest;
    phx_status status = measure_terms(context, large, M_C, &terms, &largest);

    if (!status && large->G.rows > 0)
        status = phx_csr_multiply(context, &large->G, C, &GC);
    if (!status)
        status = phx_csr_multiply(context, &large->K, C, &KC);
    *dense = phx_calloc(context, status ? 1 : ((size_t)GC.rows + (size_t)KC.rows) * k, sizeof **dense);
    if (!status && !*dense)
        status = PHX_ERR_MEMORY;
    *rows = GC.rows;
    if (!status && GC.rows > 0)
        phx_csr_to_dense(&GC, *dense);
    for (int i = 0; !status && i < KC.rows; i++) {
        bool any = false;
        for (int e = KC.ptr[i]; e < KC.ptr[i + 1]; e++) {
            const int c = KC.idx[e], at = phx_csr_find(&terms, i, c);
            const double scale = mass_length(&large->linear->M, i) * mass_length(M_C, c);
            const double rounding =
                fmax(rounding_of_terms * (at >= 0 ? terms.val[at] : 0.0), rounding_of_all * largest);
            if (fabs(KC.val[e]) <= rounding * scale)
                continue;
            (*dense)[(size_t)*rows * k + (size_t)c] = KC.val[e];
            any = true;
        }
        *rows += any;
    }
    phx_csr_free(&GC);
    phx_csr_free(&KC);
    phx_csr_free(&terms);
    return status;
}

/* Finds the rigid-body modes among the motions of undeformed bodies and their number; leaves undamped->counted false if
 * the problem is too large or has motions without mass. */
phx_status phx_large_rigid(phx_context *context, const phx_large *large, double rtol, phx_undamped *undamped)
{
    enum { COLUMNS = 2400, CELLS = 20000000 };
    const phx_csr *C = &large->linear->rigid;
    double *factor = NULL, *dense = NULL, *x = NULL;
    phx_csr M_C = {0};
    phx_basis free_motions = {0};
    phx_shapes *rigid = &undamped->rigid;
    int rows = 0, rank = 0;

    if (C->rows == 0 || C->cols > COLUMNS || (double)C->rows * C->cols > CELLS)
        return PHX_OK;
    phx_status status = phx_csr_congruence(context, C, &large->linear->M, C, &M_C);
    if (!status)
        status = stack_rows(context, large, &M_C, &rows, &dense);
    factor = phx_calloc(context, (size_t)C->cols * (size_t)C->cols, sizeof *factor);
    if (!factor)
        status = PHX_ERR_MEMORY;
    if (!status) {
        phx_csr_to_dense(&M_C, factor);
        status = phx_dense_cholesky(context, C->cols, factor);
    }
    if (!status) /* by the joints alone */
        status = phx_reduce_free_motions(context, C->cols, factor, large->G.rows, dense, rtol, &rank, &free_motions);
    undamped->most = C->cols - rank;
    phx_basis_free(&free_motions);
    if (!status)
        status = phx_reduce_free_motions(context, C->cols, factor, rows, dense, rtol, NULL, &free_motions);
    const int f = free_motions.count;
    if (!status && f > 0)
        status = phx_shapes_allocate(context, C->rows, f, rigid);
    if (!status && f > 0)
        status = phx_csr_times_dense(context, C, f, free_motions.columns, &x);
    for (int j = 0; j < f && !status; j++, rigid->count++)
        for (int i = 0; i < C->rows; i++)
            phx_shapes_column(rigid, j)[i] = x[(size_t)i * f + j];
    undamped->counted = !status;
    if (status == PHX_SINGULAR) { /* motions without mass: not told apart */
        phx_context_clear(context);
        status = PHX_OK;
    }
    phx_csr_free(&M_C);
    phx_basis_free(&free_motions);
    phx_free(factor);
    phx_free(dense);
    phx_free(x);
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
static phx_status rigid_orthonormalise(phx_context *context, const phx_csr *M, int dropped, phx_shapes *X)
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
static phx_status rigid_iterate(phx_context *context, const phx_large *large, double noise, phx_kkt *kkt,
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
            status = rigid_orthonormalise(context, M, 0, X);
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
static void rigid_put_block(const phx_stiffness *stiffness, const phx_basis *modes, const double *frequency, int first,
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

/* Separates slow elastic modes from rigid ones if more or fewer modes are below the resolution than there are rigid
 * motions, and computes their frequencies again M-orthogonal to these. */
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
    if (!undamped->counted || (doubtful >= r && doubtful <= undamped->most) || r > f)
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
        status = rigid_orthonormalise(context, &linear->M, r, &X);
    if (!status && count > r && large)
        status = rigid_iterate(context, large, undamped->resolution * undamped->resolution, kkt, &undamped->rigid, &X);
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
        rigid_put_block(&stiffness, &modes, frequency, first, undamped);
    phx_shapes_free(&X);
    phx_basis_free(&basis);
    phx_basis_free(&modes);
    phx_free(work);
    phx_free(frequency);
    return status;
}

/* Repeats the count of rigid modes for modes below the resolution of a dense solution. */
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
    phx_status status = phx_large_create(context, linear, &options, &large);
    if (!status)
        status = phx_large_rigid(context, &large, rtol, undamped);
    if (!status)
        status = phx_undamped_resolve(context, linear, &large, kkt, undamped);
    phx_large_free(&large);
    return status;
}
