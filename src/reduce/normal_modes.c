/* Normal modes in a mass-orthonormal basis, through the root of the stiffness where there is one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reduce/reduce.h"

/* The largest value that rounding gives for a zero: of a frequency by the root of the stiffness, relative to the
 * largest, measured below 1e-12 (fine meshes in floating frames); of a frequency by the root, and of lambda by
 * eigenvalues, relative to the size of the terms, measured below 5e-15.
 */
static const double root_noise = 1e-10;
static const double terms_noise = 1e-13;
/* Only the lowest modes are computed where the estimate of their relative error is below this. */
static const double lowest_error = 1e-13;

typedef struct modes_work {
    int n, f, r;      /* coordinates, basis, rows of the root */
    int found;        /* modes: f, or fewer when only the lowest were asked for */
    double *sigma;    /* f: frequencies of the root alone, ascending */
    double *lambda;   /* f */
    double *columns;  /* n x f: P, then P V */
    double *combined; /* n x f */
    double *vectors;  /* f x f, columns or rows as said; f x found */
    double *matrix;   /* f x f */
    double *product;  /* max(n, r) x f */
    int *order;       /* f */
} modes_work;

static void normal_modes_work_free(modes_work *w)
{
    phx_free(w->sigma);
    phx_free(w->lambda);
    phx_free(w->columns);
    phx_free(w->combined);
    phx_free(w->vectors);
    phx_free(w->matrix);
    phx_free(w->product);
    phx_free(w->order);
}

/* Allocates the work arrays for the modes in a basis and copies its columns. */
static phx_status work_create(phx_context *context, const phx_basis *basis, const phx_stiffness *stiffness,
                              modes_work *w)
{
    const size_t n = (size_t)basis->n, f = (size_t)basis->count;
    w->n = basis->n;
    w->f = w->found = basis->count;
    w->r = stiffness->root ? stiffness->root->rows : 0;
    const size_t rows = w->r > w->n ? (size_t)w->r : n;
    w->sigma = phx_calloc(context, f, sizeof *w->sigma);
    w->lambda = phx_calloc(context, f, sizeof *w->lambda);
    w->columns = phx_calloc(context, n * f, sizeof *w->columns);
    w->combined = phx_calloc(context, n * f, sizeof *w->combined);
    w->vectors = phx_calloc(context, f * f, sizeof *w->vectors);
    w->matrix = phx_calloc(context, f * f, sizeof *w->matrix);
    w->product = phx_calloc(context, rows * f, sizeof *w->product);
    w->order = phx_calloc(context, f, sizeof *w->order);
    if (!w->sigma || !w->lambda || !w->columns || !w->combined || !w->vectors || !w->matrix || !w->product || !w->order)
        return PHX_ERR_MEMORY;
    memcpy(w->columns, basis->columns, n * f * sizeof(double));
    return PHX_OK;
}

/* y (rows x f) = A x, x is cols x f, both row-major */
static void sparse_times_dense(const phx_csr *a, int f, const double *x, double *y)
{
    memset(y, 0, (size_t)a->rows * (size_t)f * sizeof *y);
    for (int i = 0; i < a->rows; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            for (int j = 0; j < f; j++)
                y[(size_t)i * f + j] += a->val[k] * x[(size_t)a->idx[k] * f + j];
}

/* columns <- columns * V, V f x found with the new columns in its columns (or f x f with them in its rows) */
static void combine_columns(modes_work *w, bool in_rows)
{
    phx_dense_multiply(false, in_rows, w->n, w->found, w->f, 1.0, w->columns, w->f, w->vectors, w->found, 0.0,
                       w->combined, w->found);
    double *swap = w->columns;
    w->columns = w->combined;
    w->combined = swap;
}

/* root P = U diag(sigma) V^T: sigma ascending, columns = P V. */
static phx_status modes_by_root(phx_context *context, const phx_csr *root, modes_work *w)
{
    const int f = w->f, found = w->r < f ? w->r : f;
    sparse_times_dense(root, f, w->columns, w->product);
    double *values = w->lambda; /* descending, `found` of them; the null space of a flat matrix follows */
    phx_status status = phx_dense_singular_values(context, w->r, f, w->product, values, w->matrix);
    if (status)
        return status;
    for (int j = 0; j < f; j++) {
        w->sigma[j] = f - 1 - j < found ? values[f - 1 - j] : 0.0;
        for (int i = 0; i < f; i++)
            w->vectors[(size_t)i * f + j] = w->matrix[(size_t)i * f + f - 1 - j];
    }
    combine_columns(w, false);
    return PHX_OK;
}

/* The `wanted` lowest singular values of root P alone, and columns = P V with their vectors, n x found. False, and
 * nothing done, when the estimate of the error does not allow it or a value cannot be distinguished from zero. The
 * highest frequency is not known: the Frobenius norm of root P is above it. */
static phx_status modes_by_lowest(phx_context *context, const phx_csr *root, int wanted, modes_work *w, double *highest,
                                  bool *done)
{
    const size_t cells = (size_t)w->r * (size_t)w->f;
    double error = HUGE_VAL, square = 0.0;
    sparse_times_dense(root, w->f, w->columns, w->product);
    for (size_t k = 0; k < cells; k++)
        square += w->product[k] * w->product[k];
    *highest = sqrt(square);
    const phx_status status =
        phx_dense_lowest_singular_values(context, w->r, w->f, w->product, wanted, w->sigma, w->vectors, &error);
    *done = !status && error <= lowest_error && w->sigma[0] > root_noise * *highest;
    if (!*done)
        return status;
    w->found = wanted;
    combine_columns(w, false);
    return PHX_OK;
}

/* length (n): of the rows of X = columns */
static void row_lengths(const modes_work *w, double *length)
{
    for (int i = 0; i < w->n; i++) {
        const double *row = w->columns + (size_t)i * w->f;
        double square = 0.0;
        for (int j = 0; j < w->f; j++)
            square += row[j] * row[j];
        length[i] = sqrt(square);
    }
}

/* Largest row sum of |r_i a_ij r_j|, r_i the length of row i of X; of a root |a_ij r_j|. Rounding in X^T a X (a X) is
 * relative to it, also where the terms cancel, like those of a constant load in the motions of a free body, or of a
 * spring between bodies that move as one. */
static double size_of_terms(const phx_csr *a, bool root, const modes_work *w)
{
    double *length = w->product, largest = 0.0;
    row_lengths(w, length);
    for (int i = 0; i < a->rows; i++) {
        double sum = 0.0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            sum += fabs(a->val[k]) * length[a->idx[k]];
        largest = fmax(largest, root ? sum : length[i] * sum);
    }
    return largest;
}

/* matrix = X^T rest X, X = columns; its skew part is measured and removed. A skew part below `noise` counts as zero.
 * Returns the largest entry. */
static double project_rest(const phx_csr *rest, double noise, modes_work *w, double *asymmetry)
{
    const int f = w->f;
    sparse_times_dense(rest, f, w->columns, w->product);
    phx_dense_multiply(true, false, f, f, w->n, 1.0, w->columns, f, w->product, f, 0.0, w->matrix, f);
    double skew = 0.0, symmetric = 0.0, largest = 0.0;
    for (int i = 0; i < f; i++)
        for (int j = 0; j <= i; j++) {
            double *a = w->matrix + (size_t)i * f + j, *b = w->matrix + (size_t)j * f + i;
            const double mean = 0.5 * (*a + *b), difference = 0.5 * (*a - *b);
            const double times = i == j ? 1.0 : 2.0;
            symmetric += times * mean * mean;
            skew += times * difference * difference;
            largest = fmax(largest, fabs(mean));
            *a = *b = mean;
        }
    if (sqrt(skew) <= noise * f)
        skew = 0.0;
    *asymmetry = symmetric > 0.0 ? sqrt(skew / symmetric) : (skew > 0.0 ? HUGE_VAL : 0.0);
    return largest;
}

/* Modes from the eigenvalues of the projected rest alone. */
static phx_status modes_by_eigenvalues(phx_context *context, modes_work *w)
{
    const int f = w->f;
    double *unit = phx_calloc(context, (size_t)f * (size_t)f, sizeof *unit);
    if (!unit)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < f; i++)
        unit[(size_t)i * f + i] = 1.0;
    const phx_status status = phx_dense_eigen_symmetric(context, f, w->matrix, unit, w->lambda, w->vectors);
    phx_free(unit);
    if (!status)
        combine_columns(w, false);
    return status;
}

/* Eigenvalues of diag(sigma^2) + X^T rest X. */
static phx_status modes_by_both(phx_context *context, modes_work *w)
{
    const int f = w->f;
    memset(w->vectors, 0, (size_t)f * (size_t)f * sizeof *w->vectors);
    for (int i = 0; i < f; i++) {
        w->matrix[(size_t)i * f + i] += w->sigma[i] * w->sigma[i];
        w->vectors[(size_t)i * f + i] = 1.0;
    }
    const phx_status status = phx_reduce_jacobi(context, f, w->matrix, w->lambda, w->vectors);
    if (!status)
        combine_columns(w, true);
    return status;
}

/* order: ascending lambda, stable */
static void sort(modes_work *w)
{
    for (int k = 0; k < w->found; k++) {
        int at = k;
        for (; at > 0 && w->lambda[w->order[at - 1]] > w->lambda[k]; at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = k;
    }
}

/* Finds the modes by the root of the stiffness, its other part, or both, with a fast way for few lowest ones of a
 * root. Reports the frequency below which rounding prevails. */
static phx_status normal_modes_solve(phx_context *context, const phx_stiffness *stiffness, int wanted, modes_work *w,
                                     double *resolution, double *asymmetry)
{
    const phx_csr *root = w->r > 0 ? stiffness->root : NULL, *rest = stiffness->rest;
    const bool few = root && !rest && wanted > 0 && 2 * wanted <= w->f && w->r >= w->f;
    double highest = 0.0;
    bool done = false;
    phx_status status = few ? modes_by_lowest(context, root, wanted, w, &highest, &done) : PHX_OK;
    if (!status && root && !done) {
        *resolution = terms_noise * size_of_terms(root, true, w);
        status = modes_by_root(context, root, w);
        highest = w->sigma[w->f - 1];
    }
    if (status)
        return status;
    *resolution = fmax(*resolution, root_noise * highest);
    for (int k = 0; k < w->found; k++)
        w->lambda[k] = w->sigma[k] * w->sigma[k];
    if (!rest)
        return PHX_OK;
    const double noise = terms_noise * size_of_terms(rest, false, w);
    *resolution = fmax(*resolution, sqrt(noise));
    if (project_rest(rest, noise, w, asymmetry) > 0.0)
        status = root ? modes_by_both(context, w) : modes_by_eigenvalues(context, w);
    return status;
}

static phx_status normal_modes_check(phx_context *context, const phx_basis *basis, const phx_stiffness *stiffness)
{
    const phx_csr *root = stiffness->root, *rest = stiffness->rest;
    if (root && root->cols != basis->n)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "normal modes: the root of the stiffness has %d columns, the basis %d rows", root->cols,
                        basis->n);
    if (rest && (rest->cols != basis->n || rest->rows != basis->n))
        return phx_fail(context, PHX_ERR_ARGUMENT, "normal modes: the stiffness is %d x %d, the basis has %d rows",
                        rest->rows, rest->cols, basis->n);
    return PHX_OK;
}

/* Lowest frequencies in the basis, ascending, negative for unstable motions, and their modes. Only the `wanted` lowest
 * are found if the fast way for them applies, else all; resolution, asymmetry and modes are optional. */
phx_status phx_reduce_lowest_modes(phx_context *context, const phx_basis *basis, const phx_stiffness *stiffness,
                                   int wanted, double *frequency, double *resolution, double *asymmetry,
                                   phx_basis *modes)
{
    if (!basis || !stiffness || (basis->count > 0 && !frequency))
        return phx_fail_null(context, __func__, "basis, stiffness or frequency");
    modes_work w = {0};
    double noise = 0.0, skew = 0.0;
    phx_status status = normal_modes_check(context, basis, stiffness);
    if (!status)
        status = work_create(context, basis, stiffness, &w);
    if (!status && w.f > 0)
        status = normal_modes_solve(context, stiffness, wanted, &w, &noise, &skew);
    if (status)
        goto cleanup;

    sort(&w);
    const bool plain = !stiffness->rest; /* sigma itself, not the root of its square */
    for (int k = 0; k < w.found; k++) {
        const double lambda = w.lambda[w.order[k]];
        frequency[k] = plain ? w.sigma[w.order[k]] : copysign(sqrt(fabs(lambda)), lambda);
        for (int i = 0; i < w.n; i++)
            w.combined[(size_t)i * w.found + k] = w.columns[(size_t)i * w.found + w.order[k]];
    }
    if (resolution)
        *resolution = noise;
    if (asymmetry)
        *asymmetry = skew;
    if (modes) {
        *modes = (phx_basis){.n = w.n, .count = w.found, .columns = w.combined};
        w.combined = NULL;
    }
cleanup:
    normal_modes_work_free(&w);
    return status;
}

phx_status phx_reduce_normal_modes(phx_context *context, const phx_basis *basis, const phx_stiffness *stiffness,
                                   double *frequency, double *resolution, double *asymmetry, phx_basis *modes)
{
    if (!basis || !stiffness || (basis->count > 0 && !frequency))
        return phx_fail_null(context, __func__, "basis, stiffness or frequency");
    return phx_reduce_lowest_modes(context, basis, stiffness, 0, frequency, resolution, asymmetry, modes);
}
