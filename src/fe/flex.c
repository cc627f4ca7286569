/* Memory and pattern of a phx_flex. */
#include "line_mesh.h"
#include "source.h"

#include <math.h>
#include <string.h>

void phx_flex_point_free(phx_flex_point *point)
{
    if (!point)
        return;
    phx_free(point->dof);
    phx_free(point->phi);
    phx_free(point->theta);
    *point = (phx_flex_point){.n = 0};
}

/* Frees the strains of geometric stiffening; NULL is allowed. */
void phx_stiffening_destroy(phx_flex_stiffening *stiffening)
{
    if (!stiffening)
        return;
    phx_csr_free(&stiffening->lin);
    phx_csr_free(&stiffening->slope);
    phx_free(stiffening->stiffness);
    phx_free(stiffening->slope_begin);
    phx_free(stiffening->slope_end);
    phx_free(stiffening->product_begin);
    phx_free(stiffening->first);
    phx_free(stiffening->second);
    phx_free(stiffening->weight);
    phx_free(stiffening->axial_stiffness);
    phx_free(stiffening->stress_row);
    phx_stiffening_destroy(stiffening->stressed);
    phx_free(stiffening);
}

/* Frees what a deformation owns and leaves it empty; NULL is allowed. */
void phx_flex_free(phx_flex *flex)
{
    if (!flex)
        return;
    phx_free(flex->S);
    phx_free(flex->C);
    phx_free(flex->j);
    phx_free(flex->ptr);
    phx_free(flex->idx);
    phx_free(flex->M);
    phx_free(flex->K);
    for (int k = 0; k < 3; k++)
        phx_free(flex->A[k]);
    for (int p = 0; p < PHX_MAX_PAIR; p++)
        phx_free(flex->Q[p]);
    phx_flex_free_compact(flex->compact);
    phx_csr_free(&flex->stress);
    phx_csr_free(&flex->root);
    phx_csr_free(&flex->compliance);
    phx_csr_free(&flex->strain);
    phx_stiffening_destroy(flex->stiffening);
    *flex = (phx_flex){.dim = 0};
}

phx_status phx_flex_point_allocate(phx_context *context, int dim, int n, phx_flex_point *point)
{
    const size_t rows = (size_t)dim * (size_t)n, turns = (dim == 2 ? 1 : 3) * (size_t)n;
    *point = (phx_flex_point){.n = n};
    point->dof = phx_calloc(context, (size_t)n, sizeof *point->dof);
    point->phi = phx_calloc(context, rows, sizeof *point->phi);
    point->theta = phx_calloc(context, turns, sizeof *point->theta);
    const phx_status status = point->dof && point->phi && point->theta ? PHX_OK : PHX_ERR_MEMORY;
    for (int k = 0; k < n && !status; k++)
        point->dof[k] = k;
    if (status)
        phx_flex_point_free(point);
    return status;
}

/* Deep copy of a point with its shape functions. */
phx_status phx_flex_point_copy(phx_context *context, int dim, const phx_flex_point *point, phx_flex_point *copy)
{
    if (!point || !copy)
        return phx_fail_null(context, __func__, "point or copy");
    const size_t n = (size_t)point->n;
    phx_status status = phx_flex_point_allocate(context, dim, point->n, copy);
    if (status != PHX_OK)
        return status;
    memcpy(copy->x, point->x, sizeof copy->x);
    memcpy(copy->zero_columns, point->zero_columns, sizeof copy->zero_columns);
    copy->without_directions = point->without_directions;
    if (n > 0) {
        memcpy(copy->dof, point->dof, n * sizeof *copy->dof);
        memcpy(copy->phi, point->phi, (size_t)dim * n * sizeof *copy->phi);
        memcpy(copy->theta, point->theta, (dim == 2 ? 1 : 3) * n * sizeof *copy->theta);
    }
    return PHX_OK;
}

/* K = diag(omega^2), with diag(omega) as its root and as its stresses. */
phx_status phx_flex_modal_stiffness(phx_context *context, const double *omega, phx_flex *flex)
{
    const int n = flex->n;
    int *each = phx_calloc(context, (size_t)n, sizeof *each);

    flex->n_stress = n;
    if (!each)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        each[k] = k;
        flex->K[phx_flex_entry(flex, k, k)] = omega[k] * omega[k];
    }
    const phx_status status = phx_csr_from_triplets(context, n, n, (size_t)n, each, each, omega, &flex->root);
    phx_free(each);
    return status ? status : phx_csr_copy(context, &flex->root, &flex->stress);
}

phx_status phx_flex_allocate_vectors(phx_context *context, phx_flex *flex)
{
    const size_t n = (size_t)flex->n;
    flex->n_rot = flex->dim == 2 ? 1 : 3;
    flex->n_pair = flex->dim == 2 ? 1 : 6;
    flex->S = phx_calloc(context, (size_t)flex->dim * n, sizeof *flex->S);
    flex->C = phx_calloc(context, (size_t)flex->n_rot * n, sizeof *flex->C);
    flex->j = phx_calloc(context, (size_t)flex->n_pair * n, sizeof *flex->j);
    return flex->S && flex->C && flex->j ? PHX_OK : PHX_ERR_MEMORY;
}

phx_status phx_flex_allocate_matrices(phx_context *context, phx_flex *flex, bool stiffness)
{
    const size_t count = (size_t)flex->ptr[flex->n];
    bool complete = (flex->M = phx_calloc(context, count, sizeof *flex->M)) != NULL;
    for (int k = 0; k < flex->n_rot && complete; k++)
        complete = (flex->A[k] = phx_calloc(context, count, sizeof *flex->A[k])) != NULL;
    for (int p = 0; p < flex->n_pair && complete; p++)
        complete = (flex->Q[p] = phx_calloc(context, count, sizeof *flex->Q[p])) != NULL;
    if (complete && stiffness)
        complete = (flex->K = phx_calloc(context, count, sizeof *flex->K)) != NULL;
    return complete ? PHX_OK : PHX_ERR_MEMORY;
}

/* Row i has all columns, or column i alone. */
phx_status phx_flex_allocate(phx_context *context, bool full, phx_flex *flex)
{
    const int width = full ? flex->n : 1;
    phx_status status = phx_flex_allocate_vectors(context, flex);
    flex->ptr = phx_calloc(context, (size_t)flex->n + 1, sizeof *flex->ptr);
    flex->idx = phx_calloc(context, (size_t)flex->n * (size_t)width, sizeof *flex->idx);
    if (status || !flex->ptr || !flex->idx)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < flex->n; i++) {
        flex->ptr[i + 1] = flex->ptr[i] + width;
        for (int j = 0; j < width; j++)
            flex->idx[flex->ptr[i] + j] = full ? j : i;
    }
    return phx_flex_allocate_matrices(context, flex, true);
}

int phx_flex_entry(const phx_flex *flex, int row, int col)
{
    int low = flex->ptr[row], high = flex->ptr[row + 1] - 1;
    if (high - low + 1 == flex->n)
        return low + col;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (flex->idx[middle] < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Allocates the arrays for n_strain strains with n_product products of slopes; after an error the parts made so far are
 * freed with it. */
phx_status phx_stiffening_allocate(phx_context *context, int n_strain, int n_product, phx_flex_stiffening *stiffening)
{
    const size_t strains = (size_t)n_strain, products = (size_t)n_product;
    stiffening->n_strain = n_strain;
    stiffening->stiffness = phx_calloc(context, strains + 1, sizeof *stiffening->stiffness);
    stiffening->slope_begin = phx_calloc(context, strains + 1, sizeof *stiffening->slope_begin);
    stiffening->slope_end = phx_calloc(context, strains + 1, sizeof *stiffening->slope_end);
    stiffening->product_begin = phx_calloc(context, strains + 1, sizeof *stiffening->product_begin);
    stiffening->first = phx_calloc(context, products + 1, sizeof *stiffening->first);
    stiffening->second = phx_calloc(context, products + 1, sizeof *stiffening->second);
    stiffening->weight = phx_calloc(context, products + 1, sizeof *stiffening->weight);
    const bool complete = stiffening->stiffness && stiffening->slope_begin && stiffening->slope_end &&
                          stiffening->product_begin && stiffening->first && stiffening->second && stiffening->weight;
    return complete ? PHX_OK : PHX_ERR_MEMORY;
}

/* Sets the strains to unit stiffness with the first n_slope of n coordinates as slopes, as a compressed basis has
 * them. */
phx_status phx_stiffening_in_basis(phx_context *context, int n, int n_slope, phx_flex_stiffening *stiffening)
{
    double *unit = phx_calloc(context, (size_t)n_slope * (size_t)n + 1, sizeof *unit);

    if (!unit)
        return PHX_ERR_MEMORY;
    for (int a = 0; a < n_slope; a++)
        unit[(size_t)a * (size_t)n + (size_t)a] = 1.0;
    for (int k = 0; k < stiffening->n_strain; k++) {
        stiffening->stiffness[k] = 1.0;
        stiffening->slope_begin[k] = 0;
        stiffening->slope_end[k] = n_slope;
    }
    stiffening->n_slope = n_slope;
    stiffening->in_basis = true;
    const phx_status status = phx_csr_from_dense(context, n_slope, n, unit, 0.0, &stiffening->slope);
    phx_free(unit);
    return status;
}

/* Deep copy of the strains; after an error *copy is to be freed as well. */
phx_status phx_stiffening_copy(phx_context *context, const phx_flex_stiffening *from, phx_flex_stiffening **copy)
{
    const size_t strains = (size_t)from->n_strain, products = (size_t)from->product_begin[strains];
    phx_flex_stiffening *to = *copy = phx_calloc(context, 1, sizeof *to);
    phx_status status = to ? phx_stiffening_allocate(context, from->n_strain, (int)products, to) : PHX_ERR_MEMORY;

    if (!status)
        status = phx_csr_copy(context, &from->lin, &to->lin);
    if (!status)
        status = phx_csr_copy(context, &from->slope, &to->slope);
    if (!status && from->stress_row) {
        to->axial_stiffness = phx_calloc(context, strains + 1, sizeof *to->axial_stiffness);
        to->stress_row = phx_calloc(context, strains + 1, sizeof *to->stress_row);
        status = to->axial_stiffness && to->stress_row ? PHX_OK : PHX_ERR_MEMORY;
    }
    if (!status && from->stressed)
        status = phx_stiffening_copy(context, from->stressed, &to->stressed);
    if (status)
        return status;
    to->n_slope = from->n_slope;
    to->in_basis = from->in_basis;
    memcpy(to->stiffness, from->stiffness, strains * sizeof *to->stiffness);
    memcpy(to->slope_begin, from->slope_begin, strains * sizeof *to->slope_begin);
    memcpy(to->slope_end, from->slope_end, strains * sizeof *to->slope_end);
    memcpy(to->product_begin, from->product_begin, (strains + 1) * sizeof *to->product_begin);
    memcpy(to->first, from->first, products * sizeof *to->first);
    memcpy(to->second, from->second, products * sizeof *to->second);
    memcpy(to->weight, from->weight, products * sizeof *to->weight);
    if (from->stress_row) {
        memcpy(to->axial_stiffness, from->axial_stiffness, strains * sizeof *to->axial_stiffness);
        memcpy(to->stress_row, from->stress_row, strains * sizeof *to->stress_row);
    }
    return PHX_OK;
}

phx_status phx_flex_load_allocate(phx_context *context, int n, int n_stressed, phx_flex_load *load)
{
    memset(load, 0, sizeof *load);
    load->n = n;
    load->turning = phx_calloc(context, 3 * (size_t)n + 1, sizeof *load->turning);
    load->modal = phx_calloc(context, (size_t)n + 1, sizeof *load->modal);
    load->n_stressed = n_stressed;
    load->S = phx_calloc(context, (size_t)n_stressed * (size_t)n_stressed + 1, sizeof *load->S);
    if (load->turning && load->modal && load->S)
        return PHX_OK;
    phx_flex_load_free(load);
    return PHX_ERR_MEMORY;
}

void phx_flex_load_free(phx_flex_load *load)
{
    phx_free(load->turning);
    phx_free(load->modal);
    phx_free(load->S);
    memset(load, 0, sizeof *load);
}

/* |  m I     [s0]x^T   S   |
 * |  [s0]x   J0        C   |
 * |  S^T     C^T       M   |  */
void phx_flex_mass_matrix(const phx_flex *flex, double *M)
{
    const int dim = flex->dim, rigid = dim + flex->n_rot, n = flex->n;
    const size_t r = (size_t)rigid, all = r + (size_t)n;
    const double *s = flex->s0;

    for (size_t i = 0; i < (size_t)dim; i++)
        M[i * all + i] = flex->mass;
    if (dim == 2) {
        M[2 * all] = M[2] = -s[1];
        M[2 * all + 1] = M[all + 2] = s[0];
        M[2 * all + 2] = flex->J0[0];
    } else {
        const double cross[3][3] = {{0.0, -s[2], s[1]}, {s[2], 0.0, -s[0]}, {-s[1], s[0], 0.0}};
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) {
                M[(3 + i) * all + j] = M[j * all + 3 + i] = cross[i][j];
                M[(3 + i) * all + 3 + j] = flex->J0[i == j ? i : i + j + 2];
            }
    }
    for (int i = 0; i < rigid; i++)
        for (int j = 0; j < n; j++) {
            const double value = i < dim ? flex->S[i * n + j] : flex->C[(i - dim) * n + j];
            M[(size_t)i * all + r + (size_t)j] = M[(r + (size_t)j) * all + (size_t)i] = value;
        }
    for (int i = 0; i < n; i++)
        for (int e = flex->ptr[i]; e < flex->ptr[i + 1]; e++)
            M[(r + (size_t)i) * all + r + (size_t)flex->idx[e]] = flex->M[e];
}

double phx_flex_frequency(const phx_flex *flex, int k)
{
    const int e = phx_flex_entry(flex, k, k);
    return sqrt(flex->K[e] / flex->M[e]);
}
