/* The lowest undamped modes of a large system: shift-invert Lanczos, then Rayleigh-Ritz through the root. */
#include <math.h>
#include <string.h>

#include "internal.h"

void phx_large_free(phx_large *large)
{
    phx_csr_free(&large->K);
    phx_csr_free(&large->G);
    phx_free(large->order);
    *large = (phx_large){0};
}

/* ---- redundant rows ---- */
/* scaled = diag(M)^-1/2 G^T with columns of length 1; zero columns stay */
static phx_status scaled_columns(phx_context *context, const phx_csr *M, const phx_csr *G, phx_csr *scaled)
{
    double *length = phx_calloc(context, (size_t)G->rows, sizeof *length);
    phx_status status = length ? phx_csr_transpose(context, G, scaled) : PHX_ERR_MEMORY;
    for (int i = 0; !status && i < scaled->rows; i++) {
        const int at = phx_csr_find(M, i, i);
        const double weight = at >= 0 && M->val[at] > 0.0 ? 1.0 / sqrt(M->val[at]) : 0.0;
        for (int k = scaled->ptr[i]; k < scaled->ptr[i + 1]; k++) {
            scaled->val[k] *= weight;
            length[scaled->idx[k]] = hypot(length[scaled->idx[k]], scaled->val[k]);
        }
    }
    for (int k = 0; !status && k < scaled->ptr[scaled->rows]; k++)
        if (length[scaled->idx[k]] > 0.0)
            scaled->val[k] /= length[scaled->idx[k]];
    phx_free(length);
    return status;
}

/* kept = G without the rows `dropped` (ascending) */
static phx_status keep_rows(phx_context *context, const phx_csr *G, const int *dropped, int n_dropped, phx_csr *kept)
{
    const size_t total = (size_t)G->ptr[G->rows];
    int *row = phx_calloc(context, total, sizeof *row), *col = phx_calloc(context, total, sizeof *col);
    double *val = phx_calloc(context, total, sizeof *val);
    phx_status status = PHX_ERR_MEMORY;
    if (row && col && val) {
        size_t count = 0;
        int next = 0;
        for (int i = 0; i < G->rows; i++) {
            if (next < n_dropped && dropped[next] == i) {
                next++;
                continue;
            }
            for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) {
                row[count] = i - next;
                col[count] = G->idx[k];
                val[count++] = G->val[k];
            }
        }
        status = phx_csr_from_triplets(context, G->rows - n_dropped, G->cols, count, row, col, val, kept);
    }
    phx_free(row);
    phx_free(col);
    phx_free(val);
    return status;
}

/* The caller's order without the rows dropped, the later rows renumbered. */
static phx_status keep_order(phx_context *context, const int *order, int n, int m, const int *dropped, int n_dropped,
                             int **kept)
{
    *kept = phx_calloc(context, (size_t)(n + m - n_dropped), sizeof **kept);
    if (!*kept)
        return PHX_ERR_MEMORY;
    int count = 0;
    for (int k = 0; k < n + m; k++) {
        int before = 0;
        bool gone = false;
        for (int d = 0; d < n_dropped && order[k] >= n; d++) {
            gone = gone || dropped[d] == order[k] - n;
            before += dropped[d] < order[k] - n;
        }
        if (!gone)
            (*kept)[count++] = order[k] - before;
    }
    return PHX_OK;
}

/* Keeps the rows of G that are independent after scaling to unit mass, and the elimination order without the dropped
 * rows. */
static phx_status independent_rows(phx_context *context, const phx_linear *linear, const phx_modes_options *options,
                                   phx_large *large)
{
    if (linear->m == 0)
        return phx_csr_from_triplets(context, 0, linear->n, 0, NULL, NULL, NULL, &large->G);
    phx_csr scaled = {0};
    int rank = 0, n_dropped = 0, *dropped = phx_calloc(context, (size_t)linear->m, sizeof *dropped);
    phx_status status = dropped ? scaled_columns(context, &linear->M, &linear->G, &scaled) : PHX_ERR_MEMORY;
    if (!status) {
        const double rtol = options->rank_rtol > 0.0 ? options->rank_rtol : RANK_RTOL;
        status = phx_csr_dependent_columns(context, &scaled, rtol, &rank, dropped, &n_dropped);
    }
    if (!status)
        status = keep_rows(context, &linear->G, dropped, n_dropped, &large->G);
    if (!status && options->order)
        status = keep_order(context, options->order, linear->n, linear->m, dropped, n_dropped, &large->order);
    phx_csr_free(&scaled);
    phx_free(dropped);
    return status;
}

/* Copies the stiffness (symmetric part unless `unsymmetric`) and the independent constraints of a large system; *large
 * is empty after an error. */
phx_status phx_large_create(phx_context *context, const phx_linear *linear, const phx_modes_options *options,
                            phx_large *large)
{
    phx_csr transposed = {0};
    *large = (phx_large){.linear = linear};
    phx_status status = PHX_OK;
    if (options->unsymmetric) {
        status = phx_csr_copy(context, &linear->K, &large->K);
    } else {
        status = phx_csr_transpose(context, &linear->K, &transposed);
        if (!status)
            status = phx_csr_add(context, 0.5, &linear->K, 0.5, &transposed, &large->K);
    }
    phx_csr_free(&transposed);
    if (!status)
        status = independent_rows(context, linear, options, large);
    if (status)
        phx_large_free(large);
    return status;
}

/* ---- shift-invert ---- */
typedef struct shifted {
    phx_kkt *kkt;
    const phx_csr *M;
    const phx_shapes *rigid; /* left out of the space */
    double *work;            /* n */
} shifted;

/* y = [K - sigma M, G^T; G, 0]^-1 x without the rigid motions: there are many of them in a long chain, and a Krylov
 * space would find one after the other. */
static phx_status apply_inverse(void *user, const double *x, double *y)
{
    const shifted *s = user;
    const size_t size = (size_t)s->kkt->n + (size_t)s->kkt->m;
    memcpy(y, x, size * sizeof *y);
    const phx_status status = phx_lu_solve(s->kkt->lu, 1, y);
    if (!status)
        phx_deflate(s->M, s->rigid, y, s->work);
    return status;
}

/* y = [M, 0; 0, 0] x */
static phx_status apply_mass(void *user, const double *x, double *y)
{
    const shifted *s = user;
    const size_t size = (size_t)s->kkt->n + (size_t)s->kkt->m;
    memset(y, 0, size * sizeof *y);
    phx_csr_apply(s->M, 1.0, x, y);
    return PHX_OK;
}

/* Makes the columns of x (n x k) mass-orthonormal: with X^T M X = L L^T, X <- X L^-T. */
static phx_status large_orthonormalise(phx_context *context, const phx_csr *M, phx_basis *basis)
{
    const int n = basis->n, k = basis->count;
    double *rows = phx_calloc(context, (size_t)n * (size_t)k, sizeof *rows); /* X^T, then L^-1 X^T */
    double *product = phx_calloc(context, (size_t)n * (size_t)k, sizeof *product);
    double *gram = phx_calloc(context, (size_t)k * (size_t)k, sizeof *gram);
    phx_status status = rows && product && gram ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < k; j++)
                rows[(size_t)j * n + i] = basis->columns[(size_t)i * k + j];
        for (int j = 0; j < k; j++)
            phx_csr_apply(M, 1.0, rows + (size_t)j * n, product + (size_t)j * n);
        phx_dense_multiply(false, true, k, k, n, 1.0, rows, n, product, n, 0.0, gram, k);
        status = phx_dense_cholesky(context, k, gram);
        if (status)
            status = phx_fail(context, PHX_NOT_CONVERGED, "modes: the vectors that Lanczos found depend on each other");
    }
    if (!status) {
        phx_dense_triangle_solve(false, k, gram, n, rows);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < k; j++)
                basis->columns[(size_t)i * k + j] = rows[(size_t)j * n + i];
    }
    phx_free(rows);
    phx_free(product);
    phx_free(gram);
    return status;
}

/* The k vectors next to sigma beside the rigid motions, and these, mass-orthonormal. */
static phx_status lanczos(phx_context *context, const phx_large *large, phx_kkt *kkt, int k, double sigma,
                          const phx_shapes *rigid, phx_basis *basis)
{
    const phx_csr *M = &large->linear->M;
    const int n = M->rows, size = n + large->G.rows;
    shifted user = {.kkt = kkt, .M = M, .rigid = rigid};
    double *values = NULL, *vectors = NULL;
    phx_status status = phx_kkt_factor_shifted(kkt, M, &large->K, &large->G, sigma);
    if (status)
        return status;
    values = phx_calloc(context, (size_t)k, sizeof *values);
    vectors = phx_calloc(context, (size_t)size * (size_t)k, sizeof *vectors);
    user.work = phx_calloc(context, (size_t)n, sizeof *user.work);
    status = values && vectors && user.work ? phx_eigen_shift_invert(context, size, k, sigma, apply_inverse, apply_mass,
                                                                     &user, 0.0, values, vectors)
                                            : PHX_ERR_MEMORY;
    if (status == PHX_NOT_CONVERGED || status == PHX_ERR_LIBRARY)
        status = phx_fail_prefix(context, status,
                                 "modes: %d undamped modes near (%.3g rad/s)^2 of %d coordinates were asked for, as "
                                 "'modes: count' or --count and damping need them; ask for fewer: ",
                                 k, sqrt(fabs(sigma)), n);
    phx_free(values);
    phx_free(user.work);
    if (!status) {
        const int r = rigid->count;
        *basis = (phx_basis){.n = n, .count = k + r};
        basis->columns = phx_calloc(context, (size_t)n * (size_t)(k + r), sizeof *basis->columns);
        for (int i = 0; i < n && basis->columns; i++) { /* without the multipliers, which follow */
            memcpy(basis->columns + (size_t)i * (k + r), vectors + (size_t)i * k, (size_t)k * sizeof *vectors);
            for (int j = 0; j < r; j++)
                basis->columns[(size_t)i * (k + r) + k + j] = phx_shapes_column(rigid, j)[i];
        }
        status = basis->columns ? large_orthonormalise(context, M, basis) : PHX_ERR_MEMORY;
        if (status)
            phx_basis_free(basis);
    }
    phx_free(vectors);
    return status;
}

double phx_large_highest(const phx_large *large)
{
    const phx_csr *K = &large->K, *M = &large->linear->M;
    double largest = 0.0;
    for (int i = 0; i < K->rows; i++) {
        const int k = phx_csr_find(K, i, i), m = phx_csr_find(M, i, i);
        if (k >= 0 && m >= 0 && M->val[m] > 0.0)
            largest = fmax(largest, fabs(K->val[k]) / M->val[m]);
    }
    return largest;
}

/* One Lanczos run and the modes in the space it found. */
static phx_status attempt(phx_context *context, const phx_large *large, phx_kkt *kkt, int k, double sigma,
                          phx_undamped *undamped)
{
    static const double ROOT_NOISE = 1e-10; /* of the highest frequency, with K = B^T B */
    static const double NOISE = 1e-7;       /* the same without */
    const phx_stiffness stiffness = phx_linear_stiffness(large->linear);
    phx_basis basis = {0};
    phx_basis_free(&undamped->modes);
    phx_free(undamped->frequency);
    undamped->freedom = large->linear->n - large->G.rows;
    undamped->frequency = phx_calloc(context, (size_t)(k + undamped->rigid.count), sizeof *undamped->frequency);
    if (!undamped->frequency)
        return PHX_ERR_MEMORY;
    phx_status status = lanczos(context, large, kkt, k, sigma, &undamped->rigid, &basis);
    if (!status)
        status = phx_reduce_normal_modes(context, &basis, &stiffness, undamped->frequency, &undamped->resolution,
                                         &undamped->asymmetry, &undamped->modes);
    phx_basis_free(&basis);
    /* rounding is relative to the highest modes, which the space does not contain */
    const double top = sqrt(phx_large_highest(large));
    undamped->resolution = fmax(undamped->resolution, (stiffness.root ? ROOT_NOISE : NOISE) * top);
    return status;
}

/* Number of elastic modes, and the lowest of their |lambda|. */
static int elastic_modes(const phx_undamped *undamped, double *lowest)
{
    int count = 0;
    *lowest = HUGE_VAL;
    for (int k = 0; k < undamped->modes.count; k++) {
        const double frequency = fabs(undamped->frequency[k]);
        if (frequency <= undamped->resolution)
            continue;
        count++;
        *lowest = fmin(*lowest, frequency * frequency);
    }
    return count;
}

/* The shift must lie below the elastic modes but near them: if its modulus is much smaller, the rigid-body modes
 * dominate the elastic ones; if it is much larger, the elastic ones cannot be distinguished. */
phx_status phx_large_undamped(phx_context *context, const phx_large *large, int count, phx_kkt *kkt,
                              phx_undamped *undamped)
{
    static const double FIRST_SHIFT = 1e-8; /* of the highest |lambda| */
    static const double TOO_NEAR = 1e-2;    /* shift, of the lowest |lambda|, where rigid motions hide the others */
    enum { PASSES = 16, GUARD = 8 };
    const phx_csr none = {0};
    const int most = (large->linear->n - large->G.rows - undamped->rigid.count - 20) / 2;
    phx_status status =
        phx_kkt_prepare(context, &large->linear->M, &none, &large->K, &large->G, large->order, false, kkt);
    double sigma = -FIRST_SHIFT * phx_large_highest(large);
    int k = count + GUARD < most ? count + GUARD : most;
    for (int pass = 0; !status && pass < PASSES; pass++) {
        status = attempt(context, large, kkt, k, sigma, undamped);
        if (status == PHX_SINGULAR) { /* an unstable mode sits at the shift */
            sigma *= 1.7;
            status = PHX_OK;
            continue;
        }
        if (status == PHX_NOT_CONVERGED && k < most) { /* a cluster of modes: a larger space has more of it */
            phx_context_clear(context);
            k = 2 * k < most ? 2 * k : most;
            status = PHX_OK;
            continue;
        }
        if (status)
            break;
        double lowest;
        const int elastic = elastic_modes(undamped, &lowest), rigid = k - elastic; /* beside those left out */
        if (elastic < count && k < most) {
            k = elastic > 0 ? rigid + count + GUARD : 2 * k;
            k = k < most ? k : most;
        } else if (elastic > 0 && (-sigma > 100.0 * lowest || (rigid > 0 && -sigma < TOO_NEAR * lowest))) {
            sigma = -0.3 * lowest;
        } else {
            status = phx_undamped_resolve(context, large->linear, large, kkt, undamped);
            if (status)
                break;
            return PHX_OK;
        }
    }
    if (!status)
        status = phx_fail(context, PHX_NOT_CONVERGED,
                          "modes: no shift suits the %d lowest modes of %d coordinates; ask for fewer modes", count,
                          large->linear->n);
    phx_undamped_free(undamped);
    return status;
}
