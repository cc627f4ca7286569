/* The structure certificate of a descriptor system. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* max |a(i,j) - sign a(j,i)| */
static double mirror_residual(const phx_csr *a, double sign)
{
    double largest = 0.0;

    for (int i = 0; i < a->rows; i++) {
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
            const int at = phx_csr_find(a, a->idx[k], i);
            largest = fmax(largest, fabs(a->val[k] - (at < 0 ? 0.0 : sign * a->val[at])));
        }
    }
    return largest;
}

/* Least and largest eigenvalue of the symmetric part. */
static phx_status eigenvalue_range(phx_context *context, const phx_csr *a, double *least, double *largest)
{
    const size_t n = (size_t)a->rows;
    double *dense = phx_calloc(context, n * n, sizeof *dense), *values = phx_calloc(context, n, sizeof *values);
    phx_status status = dense && values ? PHX_OK : PHX_ERR_MEMORY;

    *least = *largest = 0.0;
    if (!status && n > 0) {
        phx_csr_to_dense(a, dense);
        phx_dense_symmetrise((int)n, 1.0, dense);
        status = phx_dense_eigen_symmetric(context, (int)n, dense, NULL, values, NULL);
        *least = values[0];
        *largest = values[n - 1];
    }
    phx_free(dense);
    phx_free(values);
    return status;
}

static int empty_rows(const phx_csr *a)
{
    int count = 0;

    for (int i = 0; i < a->rows; i++) {
        bool empty = true;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            empty = empty && a->val[k] == 0.0;
        count += empty;
    }
    return count;
}

/* Measures the structure of a system: asymmetries of J, N, R, S and E, and the least eigenvalues of E, of the
 * dissipation matrix [R, P; P^T, S] and of the energy E^T Q. */
phx_status phx_descriptor_check(phx_context *context, const phx_descriptor *system, phx_descriptor_structure *structure)
{
    if (!system || !structure)
        return phx_fail_null(context, __func__, "system or structure");
    phx_csr H = {0};
    power_form form = {0};
    double unused = 0.0;
    phx_status status = PHX_OK;

    *structure = (phx_descriptor_structure){
        .skew = fmax(mirror_residual(&system->J, -1.0), mirror_residual(&system->N, -1.0)),
        .dissipation = fmax(mirror_residual(&system->R, 1.0), mirror_residual(&system->S, 1.0)),
        .descriptor = mirror_residual(&system->E, 1.0),
        .algebraic = empty_rows(&system->E)};
    status = eigenvalue_range(context, &system->E, &structure->E_least, &structure->E_largest);
    if (!status)
        status = phx_descriptor_form(context, system, &form);
    if (!status)
        status = eigenvalue_range(context, &form.W, &structure->W_least, &unused);
    phx_descriptor_form_free(&form);
    if (!status && system->has_Q) {
        const matrix_block one = {.size = system->n, .alpha = 1.0};
        phx_csr identity = {0};
        status = phx_descriptor_blocks(context, system->n, system->n, 1, &one, &identity);
        if (!status) /* E^T I Q */
            status = phx_csr_congruence(context, &system->E, &identity, &system->Q, &H);
        phx_csr_free(&identity);
        if (!status) {
            structure->energy = mirror_residual(&H, 1.0);
            status = eigenvalue_range(context, &H, &structure->H_least, &unused);
        }
        phx_csr_free(&H);
    }
    return phx_conclude(context, status);
}
