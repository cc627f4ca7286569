/* Memory and pattern of a phx_flex. */
#include "line_mesh.h"
#include "source.h"

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
    if (flex->stiffening) {
        phx_csr_free(&flex->stiffening->lin);
        phx_csr_free(&flex->stiffening->slope);
        phx_free(flex->stiffening->stiffness);
        phx_free(flex->stiffening->axial_stiffness);
        phx_free(flex->stiffening->strain_of);
        phx_free(flex->stiffening->weight);
        phx_free(flex->stiffening->stress_row);
        phx_free(flex->stiffening);
    }
    *flex = (phx_flex){.dim = 0};
}

phx_status phx_flex_point_allocate(phx_context *context, int dim, int n, phx_flex_point *point)
{
    const size_t rows = (size_t)dim * (size_t)n, turns = (dim == 2 ? 1 : 3) * (size_t)n;
    *point = (phx_flex_point){.n = n};
    point->dof = phx_calloc(context, (size_t)n, sizeof *point->dof);
    point->phi = phx_calloc(context, rows, sizeof *point->phi);
    point->theta = phx_calloc(context, turns, sizeof *point->theta);
    if (point->dof && point->phi && point->theta)
        return PHX_OK;
    phx_flex_point_free(point);
    return PHX_ERR_MEMORY;
}

phx_status phx_flex_point_copy(phx_context *context, int dim, const phx_flex_point *point, phx_flex_point *copy)
{
    if (!point || !copy)
        return phx_fail_null(context, __func__, "point or copy");
    const size_t n = (size_t)point->n;
    phx_status status = phx_flex_point_allocate(context, dim, point->n, copy);
    if (status != PHX_OK)
        return status;
    memcpy(copy->x, point->x, sizeof copy->x);
    copy->without_directions = point->without_directions;
    if (n > 0) {
        memcpy(copy->dof, point->dof, n * sizeof *copy->dof);
        memcpy(copy->phi, point->phi, (size_t)dim * n * sizeof *copy->phi);
        memcpy(copy->theta, point->theta, (dim == 2 ? 1 : 3) * n * sizeof *copy->theta);
    }
    return PHX_OK;
}

/* Row i has the columns from i*first to i*first + width - 1. */
static phx_status band_pattern(phx_context *context, int first, int width, phx_flex *flex)
{
    const size_t n = (size_t)flex->n;
    flex->ptr = phx_calloc(context, n + 1, sizeof *flex->ptr);
    flex->idx = phx_calloc(context, n * (size_t)width, sizeof *flex->idx);
    if (!flex->ptr || !flex->idx)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < flex->n; i++) {
        flex->ptr[i + 1] = flex->ptr[i] + width;
        for (int j = 0; j < width; j++)
            flex->idx[flex->ptr[i] + j] = i * first + j;
    }
    return PHX_OK;
}

phx_status phx_flex_dense_pattern(phx_context *context, phx_flex *flex)
{
    return band_pattern(context, 0, flex->n, flex);
}

phx_status phx_flex_diagonal_pattern(phx_context *context, phx_flex *flex)
{
    return band_pattern(context, 1, 1, flex);
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

phx_status phx_flex_load_allocate(phx_context *context, int n, phx_flex_load *load)
{
    memset(load, 0, sizeof *load);
    load->n = n;
    load->turning = phx_calloc(context, 3 * (size_t)n + 1, sizeof *load->turning);
    load->modal = phx_calloc(context, (size_t)n + 1, sizeof *load->modal);
    if (load->turning && load->modal)
        return PHX_OK;
    phx_flex_load_free(load);
    return PHX_ERR_MEMORY;
}

void phx_flex_load_free(phx_flex_load *load)
{
    phx_free(load->turning);
    phx_free(load->modal);
    memset(load, 0, sizeof *load);
}
