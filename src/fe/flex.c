/* What a floating body needs of its deformation: memory and pattern. */
#include "mesh.h"

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
    phx_csr_free(&flex->stress);
    phx_csr_free(&flex->root);
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
