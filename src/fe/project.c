/* Projection of a deformation on a basis, q = T eta.
 *
 *   S' = S T   C' = C T   j' = j T   M' = T^T M T   A' = T^T A T   Q' = T^T Q T   stress' = stress T   root' = root T
 *   strain' = strain T
 *   K' = root'^T root'
 *
 * The strains of geometric stiffening at q = T eta are linear and quadratic forms of eta, compressed by second_order.c.
 *
 * Kinetic energy and elastic energy are those of the full body at q = T eta, so whatever follows from them, the skew
 * structure and the conservation of energy included, holds for any T. */
#include <string.h>

#include "source.h"

/* y (rows x k) = A T, row-major */
static void times_basis(const phx_csr *A, int k, const double *T, double *y)
{
    if (k > 0)
        memset(y, 0, (size_t)A->rows * (size_t)k * sizeof *y);
    phx_csr_apply_dense(A, k, T, y);
}

/* out = T^T A T, symmetric (sign 1) or antisymmetric (sign -1) bit for bit. */
static void project_matrix(const phx_flex *full, double *val, int k, const double *T, double sign, double *work,
                           double *out)
{
    const phx_csr A = {full->n, full->n, full->ptr, full->idx, val};
    times_basis(&A, k, T, work);
    phx_dense_multiply(true, false, k, k, full->n, 1.0, T, k, work, k, 0.0, out, k);
    phx_dense_symmetrise(k, sign, out);
}

static phx_status project_rows(phx_context *context, const phx_csr *full, int k, const double *T, double *work,
                               phx_csr *out)
{
    times_basis(full, k, T, work);
    return phx_csr_from_dense(context, full->rows, k, work, -1.0, out);
}

static void project_integrals(const phx_flex *full, int k, const double *T, double *work, phx_flex *flex)
{
    const int n = full->n;
    if (k == 0)
        return;
    phx_dense_multiply(false, false, full->dim, k, n, 1.0, full->S, n, T, k, 0.0, flex->S, k);
    phx_dense_multiply(false, false, full->n_rot, k, n, 1.0, full->C, n, T, k, 0.0, flex->C, k);
    phx_dense_multiply(false, false, full->n_pair, k, n, 1.0, full->j, n, T, k, 0.0, flex->j, k);
    project_matrix(full, full->M, k, T, 1.0, work, flex->M);
    for (int r = 0; r < full->n_rot; r++)
        project_matrix(full, full->A[r], k, T, -1.0, work, flex->A[r]);
    for (int p = 0; p < full->n_pair; p++)
        project_matrix(full, full->Q[p], k, T, 1.0, work, flex->Q[p]);
}

/* Projects a deformation on the k columns of T (n x k), q = T eta, with stresses, root and stiffening; flex is empty
 * after an error. */
phx_status phx_flex_project(phx_context *context, const phx_flex *full, int k, const double *T, phx_flex *flex)
{
    if (!full || (!T && k > 0) || !flex)
        return phx_fail_null(context, __func__, "full, T or flex");
    *flex = (phx_flex){.dim = 0};
    if (k < 0 || k > full->n)
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "projection: %d columns for a body of %d coordinates, must be between 0 and that many", k,
                        full->n);
    const int rows = full->n_stress > full->n ? full->n_stress : full->n;
    double *work = phx_calloc(context, (size_t)rows * (size_t)k, sizeof *work);
    flex->dim = full->dim;
    flex->n = k;
    flex->mass = full->mass;
    memcpy(flex->s0, full->s0, sizeof flex->s0);
    memcpy(flex->J0, full->J0, sizeof flex->J0);
    phx_status status = work ? phx_flex_allocate(context, true, flex) : PHX_ERR_MEMORY;
    if (status == PHX_OK) {
        /* theory 12: S T, C T, j T, T^T M T, T^T A_k T, T^T Q T */
        project_integrals(full, k, T, work, flex);
        flex->n_stress = full->n_stress;
        status = project_rows(context, &full->stress, k, T, work, &flex->stress);
    }
    if (status == PHX_OK && full->strain.rows > 0)
        status = project_rows(context, &full->strain, k, T, work, &flex->strain);
    if (status == PHX_OK && full->strain.rows > 0)
        status = phx_csr_copy(context, &full->compliance, &flex->compliance);
    if (status == PHX_OK)
        status = project_rows(context, &full->root, k, T, work, &flex->root);
    if (status == PHX_OK) /* K = B^T B; work holds B; the product of a matrix with itself is symmetric bit for bit */
        for (int i = 0; i < k; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0.0;
                for (int r = 0; r < full->n_stress; r++)
                    sum += work[(size_t)r * (size_t)k + (size_t)i] * work[(size_t)r * (size_t)k + (size_t)j];
                flex->K[i * k + j] = flex->K[j * k + i] = sum;
            }
    if (status == PHX_OK && full->stiffening && k > 0)
        status = phx_stiffening_project(context, full->stiffening, k, T, &flex->stiffening);
    if (status == PHX_OK)
        status = phx_flex_make_compact(context, flex);
    phx_free(work);
    if (status != PHX_OK)
        phx_flex_free(flex);
    return status;
}

/* ---- a projected source ---- */
static void projected_destroy(phx_flex_source *source)
{
    phx_projected_source *projected_source = (phx_projected_source *)source;
    phx_flex_source_destroy(projected_source->full);
    phx_free(projected_source->T);
    phx_free(projected_source);
}

/* phi' = phi T, theta' = theta T; a point that does not move has none. */
phx_status phx_flex_point_project(phx_context *context, int dim, const phx_flex_point *full, int k, const double *T,
                                  phx_flex_point *point)
{
    if (!full || !T || !point)
        return phx_fail_null(context, __func__, "full, T or point");
    const int n_rot = dim == 2 ? 1 : 3, n = full->n > 0 ? k : 0;
    phx_status status = phx_flex_point_allocate(context, dim, n, point);
    if (status != PHX_OK)
        return status;
    memcpy(point->x, full->x, sizeof point->x);
    point->without_directions = full->without_directions;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < full->n; i++) {
            const double value = T[(size_t)full->dof[i] * (size_t)k + (size_t)j];
            for (int a = 0; a < dim; a++)
                point->phi[a * n + j] += full->phi[a * full->n + i] * value;
            for (int a = 0; a < n_rot; a++)
                point->theta[a * n + j] += full->theta[a * full->n + i] * value;
        }
    }
    return PHX_OK;
}

static phx_status projected_point(const phx_flex_source *source, phx_context *context, const phx_location *location,
                                  phx_flex_point *point)
{
    const phx_projected_source *projected_source = (const phx_projected_source *)source;
    phx_flex_point full = {.n = 0};
    phx_status status = phx_flex_source_point(projected_source->full, context, location, &full);
    if (status == PHX_OK)
        status = phx_flex_point_project(context, source->flex.dim, &full, source->flex.n, projected_source->T, point);
    phx_flex_point_free(&full);
    return status;
}

/* The stress vector is that of the full source. */
static void projected_section_rows(const phx_flex_source *source, const phx_location *location, double *axial,
                                   double *moment, double *torsion)
{
    const phx_flex_source *full = ((const phx_projected_source *)source)->full;
    full->operations->section_rows(full, location, axial, moment, torsion);
}

static void projected_quadrature(const phx_flex_source *source, int *count, const double **s, const double **weight)
{
    const phx_flex_source *full = ((const phx_projected_source *)source)->full;
    full->operations->quadrature(full, count, s, weight);
}

static int projected_pieces(const phx_flex_source *source)
{
    return phx_flex_source_cubic_pieces(((const phx_projected_source *)source)->full);
}

/* It offers what the full source does, and goes by its name. */
static phx_source_operations projected_operations(const phx_flex_source *full)
{
    const bool sections = phx_flex_source_has_sections(full);
    return (phx_source_operations){.name = full->operations->name,
                                   .destroy = projected_destroy,
                                   .sorts = full->operations->sorts,
                                   .point = projected_point,
                                   .section_rows = sections ? projected_section_rows : NULL,
                                   .quadrature = sections ? projected_quadrature : NULL,
                                   .cubic_pieces = projected_pieces};
}

/* Source whose coordinates are those of the columns of T; it shares the full source and copies T. */
phx_status phx_flex_source_project(phx_context *context, phx_flex_source *full, int k, const double *T,
                                   phx_flex_source **source)
{
    if (!full || (!T && k > 0) || !source)
        return phx_fail_null(context, __func__, "full, T or source");
    const size_t entries = (size_t)full->flex.n * (size_t)(k > 0 ? k : 0);
    phx_projected_source *made = phx_calloc(context, 1, sizeof *made);
    if (!made)
        return PHX_ERR_MEMORY;
    made->operations = projected_operations(full);
    made->source.operations = &made->operations;
    phx_status status = phx_flex_project(context, &full->flex, k, T, &made->source.flex);
    if (status == PHX_OK)
        status = (made->T = phx_calloc(context, entries, sizeof *made->T)) ? PHX_OK : PHX_ERR_MEMORY;
    if (status == PHX_OK) {
        if (entries > 0)
            memcpy(made->T, T, entries * sizeof *made->T);
        made->full = phx_flex_source_share(full);
        *source = &made->source;
    } else {
        phx_flex_source_destroy(&made->source);
    }
    return status;
}

const phx_projected_source *phx_projected_of(const phx_flex_source *source)
{
    return source->operations->destroy == projected_destroy ? (const phx_projected_source *)source : NULL;
}
