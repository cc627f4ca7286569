/* Shapes that follow those of a basis. A deflection shortens a body along its middle surface, and loads in that surface
 * stretch it; a basis that cannot do this would make it far too stiff, or carry no centrifugal force. What a body does
 * by its inertia loads and by the strains of second order of pairs of shapes, R(D^T M2^-1 N_ab), its static modal
 * derivatives, is found by whoever knows its elements; here it is made orthogonal in K to the basis and to each other,
 * and cut where the energy is nothing. */
#include "reduce.h"

#include <math.h>
#include <string.h>

enum { DERIVATIVES_MOST = 40 };
static const double negligible = 1e-12, /* energy of a derivative beside the largest of them */
    massless = 1e-14,                   /* 1/omega^2 of a motion that is rounding beside the largest */
    rounding = 1e-9; /* what a pass leaves of shapes of energy 1, sqrt(y^T K y), where it has no more than 6 digits */

void phx_shapes_free(phx_shapes *family)
{
    phx_free(family->y);
    phx_free(family->omega);
    *family = (phx_shapes){0};
}

phx_status phx_shapes_allocate(phx_context *context, int n, int most, phx_shapes *family)
{
    *family = (phx_shapes){.n = n};
    family->y = phx_calloc(context, (size_t)n * (size_t)most + 1, sizeof *family->y);
    return family->y ? PHX_OK : PHX_ERR_MEMORY;
}

static void scale_by(phx_shapes *fields, int k, double factor)
{
    for (int i = 0; i < fields->n; i++)
        phx_shapes_column(fields, k)[i] *= factor;
}

/* A y of each. */
static phx_status followers_apply(phx_context *context, const phx_csr *A, const phx_shapes *fields, double **product)
{
    *product = phx_calloc(context, (size_t)fields->n * (size_t)fields->count + 1, sizeof **product);
    for (int k = 0; k < fields->count && *product; k++)
        phx_csr_apply(A, 1.0, phx_shapes_column(fields, k), *product + (size_t)k * (size_t)fields->n);
    return *product ? PHX_OK : PHX_ERR_MEMORY;
}

/* Takes out of `more` what is in `of`, whose shapes have y^T K y = omega^2 (NULL: 1) and are orthogonal; twice, for
 * rounding. */
static phx_status followers_take_out(phx_context *context, const phx_csr *K, const phx_shapes *of, const double *omega,
                                     phx_shapes *more)
{
    double *K_of = NULL;
    phx_status status = followers_apply(context, K, of, &K_of);

    for (int m = 0; m < 2 * more->count && !status; m++) {
        double *y = phx_shapes_column(more, m / 2);
        for (int k = 0; k < of->count; k++) {
            const double size = omega ? omega[k] * omega[k] : 1.0;
            const double part = phx_dot(of->n, K_of + (size_t)k * (size_t)of->n, y) / size;
            for (int i = 0; i < of->n; i++)
                y[i] -= part * phx_shapes_column(of, k)[i];
        }
    }
    phx_free(K_of);
    return status;
}

/* sqrt(y^T K y) of each shape, and the largest. */
static phx_status sizes_of(phx_context *context, const phx_csr *K, const phx_shapes *fields, double **size,
                           double *most)
{
    double *Ky = NULL;
    phx_status status = PHX_ERR_MEMORY;

    *most = 0.0;
    *size = phx_calloc(context, (size_t)fields->count + 1, sizeof **size);
    if (*size)
        status = followers_apply(context, K, fields, &Ky);
    for (int k = 0; k < fields->count && !status; k++) {
        (*size)[k] =
            sqrt(fmax(phx_dot(fields->n, phx_shapes_column(fields, k), Ky + (size_t)k * (size_t)fields->n), 0.0));
        *most = fmax(*most, (*size)[k]);
    }
    phx_free(Ky);
    return status;
}

phx_status phx_shapes_normalise(phx_context *context, const phx_csr *K, phx_shapes *family)
{
    static const double VANISHES = 1e-10; /* size of a shape beside the largest */
    double *size = NULL, most;
    const phx_status status = sizes_of(context, K, family, &size, &most);

    for (int k = 0; k < family->count && !status; k++)
        scale_by(family, k, size[k] > VANISHES * most ? 1.0 / size[k] : 0.0);
    phx_free(size);
    return status;
}

phx_status phx_shapes_scale(phx_context *context, const phx_csr *K, phx_shapes *family, double *largest)
{
    double *size = NULL, most;
    const phx_status status = sizes_of(context, K, family, &size, &most);

    for (int k = 0; k < family->count && !status && most > 0.0; k++)
        scale_by(family, k, 1.0 / most);
    if (largest)
        *largest = most;
    phx_free(size);
    return status;
}

/* Appends to `to` the `count` combinations V^T (m x m, in the order of `values`, from the last) of `from`, each over
 * scale. */
static void append_combinations(const phx_shapes *from, int count, const double *values, const double *V,
                                phx_shapes *to)
{
    const int m = from->count;

    for (int k = m - 1; k >= m - count; k--) {
        double *y = phx_shapes_column(to, to->count++);
        memset(y, 0, (size_t)to->n * sizeof *y);
        for (int s = 0; s < m; s++)
            for (int i = 0; i < to->n; i++)
                y[i] += V[s * m + k] / sqrt(values[k]) * phx_shapes_column(from, s)[i];
    }
}

/* Y^T A Y and its eigenvectors. */
static phx_status principal(phx_context *context, const phx_csr *A, const phx_shapes *fields, double *values, double *V)
{
    const size_t m = (size_t)fields->count;
    double *AY = NULL, *G = phx_calloc(context, m * m + 1, sizeof *G);
    phx_status status = G ? followers_apply(context, A, fields, &AY) : PHX_ERR_MEMORY;

    if (!status) {
        phx_dense_multiply(false, true, fields->count, fields->count, fields->n, 1.0, fields->y, fields->n, AY,
                           fields->n, 0.0, G, fields->count);
        status = phx_dense_eigen_symmetric(context, fields->count, G, NULL, values, V);
    }
    phx_free(AY);
    phx_free(G);
    return status;
}

/* Appends to `to` the principal combinations of `more`, made K-orthogonal to the basis and to `to`, whose eigenvalue
 * exceeds `least`; at most `most`. */
phx_status phx_shapes_join(phx_context *context, const phx_csr *K, const phx_shapes *basis, double least, int most,
                           phx_shapes *more, phx_shapes *to)
{
    const size_t m = (size_t)more->count;
    double *values = phx_calloc(context, m + m * m + 1, sizeof *values);
    phx_status status = values ? followers_take_out(context, K, basis, basis->omega, more) : PHX_ERR_MEMORY;
    int count = 0;

    if (!status)
        status = followers_take_out(context, K, to, NULL, more);
    if (!status && m > 0)
        status = principal(context, K, more, values, values + m);
    while (!status && count < most && count < more->count && values[more->count - 1 - count] > least)
        count++;
    if (!status)
        append_combinations(more, count, values, values + m, to);
    phx_free(values);
    return status;
}

/* Appends the principal combinations of the added shapes in the mass to the basis with omega = 1/sqrt(eigenvalue);
 * those without mass are left out. The basis is unchanged after a failure. */
phx_status phx_shapes_append(phx_context *context, const phx_csr *M, const phx_shapes *added, phx_shapes *basis)
{
    const size_t m = (size_t)added->count, n = (size_t)basis->n, before = (size_t)basis->count;
    double *values = phx_calloc(context, m + m * m + 1, sizeof *values);
    phx_shapes all = {.n = basis->n, .count = basis->count};

    all.y = phx_calloc(context, (before + m) * n + 1, sizeof *all.y);
    all.omega = phx_calloc(context, before + m + 1, sizeof *all.omega);
    phx_status status = values && all.y && all.omega ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && m > 0)
        status = principal(context, M, added, values, values + m);
    int count = 0; /* ascending: from the last, those that have a mass, 1/omega^2 */
    while (!status && count < added->count && values[added->count - 1 - count] > massless * values[m - 1])
        count++;
    if (status) {
        phx_shapes_free(&all);
    } else {
        if (before > 0) {
            memcpy(all.y, basis->y, before * n * sizeof *all.y);
            memcpy(all.omega, basis->omega, before * sizeof *all.omega);
        }
        append_combinations(added, count, values, values + m, &all);
        for (size_t k = 0; k < (size_t)count; k++)
            all.omega[before + k] = 1.0 / sqrt(values[m - 1 - k]);
        phx_shapes_free(basis);
        *basis = all;
    }
    phx_free(values);
    return status;
}

/* Finds the `count` lowest modes of the shapes Phi with mass M and stiffness diag(omega^2), each scaled by 1 over its
 * own frequency. The caller frees *lowest, also after a failure. */
phx_status phx_shapes_lowest(phx_context *context, const phx_csr *M, const phx_shapes *basis, const double *Phi,
                             int count, double **lowest)
{
    const size_t n = (size_t)M->rows, m = (size_t)basis->count;
    double *M_Phi = phx_calloc(context, n * m + 1, sizeof *M_Phi), *mass = phx_calloc(context, m * m + 1, sizeof *mass);
    double *K = phx_calloc(context, m * m + 1, sizeof *K), *V = phx_calloc(context, m * m + 1, sizeof *V);
    double *values = phx_calloc(context, m + 1, sizeof *values);
    phx_status status = M_Phi && mass && K && V && values ? PHX_OK : PHX_ERR_MEMORY;

    *lowest = phx_calloc(context, (size_t)count * n + 1, sizeof **lowest);
    if (!*lowest)
        status = PHX_ERR_MEMORY;
    for (size_t k = 0; k < m && !status; k++) {
        phx_csr_apply(M, 1.0, Phi + k * n, M_Phi + k * n);
        K[k * m + k] = basis->omega[k] * basis->omega[k];
    }
    if (!status) {
        phx_dense_multiply(false, true, (int)m, (int)m, (int)n, 1.0, Phi, (int)n, M_Phi, (int)n, 0.0, mass, (int)m);
        /* 1/omega^2, ascending; V^T K V = I */
        status = phx_dense_eigen_symmetric(context, (int)m, mass, K, values, V);
    }
    for (size_t k = 0; k < (size_t)count && !status; k++) {
        const double size = sqrt(fmax(values[m - 1 - k], 0.0)); /* of motions without mass rounding, of either sign */
        for (size_t s = 0; s < m; s++)
            for (size_t j = 0; j < n; j++)
                (*lowest)[k * n + j] += size * V[s * m + m - 1 - k] * Phi[s * n + j];
    }
    phx_free(M_Phi);
    phx_free(mass);
    phx_free(K);
    phx_free(V);
    phx_free(values);
    return status;
}

/* Appends shapes of the loads and of the derivatives, repeated over `passes`, to the basis; each pass starts from what
 * the passes before have left. */
phx_status phx_shapes_follow(phx_context *context, const phx_csr *M, const phx_csr *K, int passes, phx_shapes *loads,
                             phx_shapes *derivatives, phx_shapes *basis)
{
    phx_shapes added = {0};
    phx_status status = phx_shapes_allocate(context, basis->n, loads->count + DERIVATIVES_MOST, &added);

    if (!status)
        status = phx_shapes_join(context, K, basis, PHX_SHAPES_DEPENDENT, loads->count, loads, &added);
    const int most = added.count + DERIVATIVES_MOST;
    for (int k = 0; k < passes && !status; k++) { /* from the second on what the passes before have left */
        double largest = 0.0;
        if (k > 0)
            status = followers_take_out(context, K, &added, NULL, derivatives);
        if (!status)
            status = phx_shapes_scale(context, K, derivatives, &largest);
        if (status || (k > 0 && largest < rounding))
            break;
        status = phx_shapes_join(context, K, basis, negligible, most - added.count, derivatives, &added);
    }
    if (!status)
        status = phx_shapes_append(context, M, &added, basis);
    phx_shapes_free(&added);
    return status;
}
