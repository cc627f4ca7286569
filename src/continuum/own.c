/* The modes of a model as its basis: an imported body in shapes that came with it. */
#include "basis.h"

#include <math.h>
#include <string.h>

/* ---- what the definition must be ---- */
static phx_status own_check(phx_context *context, const phx_continuum_def *def, const elastic_space *space)
{
    const phx_elastic_model *model = space->model;

    if (model->n_modes == 0)
        return phx_fail(context, PHX_ERR_ARGUMENT, "'%s': it has no modes of its own; name their file", def->name);
    for (int i = 0; i < space->n_interfaces; i++)
        if (space->tie[i] >= 0)
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "'%s': its modes are given, so that no nodes can be made rigid for interface %d; make it "
                            "'average' or take a single node",
                            def->name, i + 1);
    if (def->held)
        return phx_fail(context, PHX_ERR_ARGUMENT, "'%s': its modes are given, no unknown can be held", def->name);
    return PHX_OK;
}

/* ---- modal matrices ---- */
/* The modal mass is that of the program that made the modes, the motion of the whole couples with them by the lumped
 * masses: taken to mean axes, M - c^T c with c = R^T M_lumped Y, it must stay positive. */
static phx_status make_matrices(phx_context *context, const phx_continuum_def *def, const elastic_space *space,
                                shapes *basis)
{
    static const double CONTRADICTS = 1e-6; /* negative eigenvalue of the mass, relative to the largest */
    const phx_elastic_model *model = space->model;
    const int m = model->n_modes, r = space->n_rigid;
    const size_t size = (size_t)m * (size_t)m;
    double *c = phx_calloc(context, (size_t)m * (size_t)r + 1, sizeof *c);
    double *values = phx_calloc(context, (size_t)m + 1, sizeof *values);

    basis->own = phx_calloc(context, size, sizeof *basis->own);
    basis->own_M = phx_calloc(context, size, sizeof *basis->own_M);
    basis->own_K = phx_calloc(context, size, sizeof *basis->own_K);
    phx_status status = c && values && basis->own && basis->own_M && basis->own_K ? PHX_OK : PHX_ERR_MEMORY;
    if (!status) {
        basis->n_own = m;
        for (int k = 0; k < m; k++)
            basis->own[k * m + k] = 1.0;
        memcpy(basis->own_M, model->modal_M, size * sizeof *basis->own_M);
        memcpy(basis->own_K, model->modal_K, size * sizeof *basis->own_K);
        phx_dense_multiply(false, true, m, r, space->n, 1.0, basis->y, space->n, space->M_rigid, space->n, 0.0, c, r);
        phx_dense_multiply(false, true, m, m, r, -1.0, c, r, c, r, 1.0, basis->own_M, m);
        status = phx_dense_eigen_symmetric(context, m, basis->own_M, NULL, values, NULL);
    }
    if (!status && values[0] < -CONTRADICTS * values[m - 1])
        status = phx_fail(context, PHX_ERR_ARGUMENT,
                          "'%s': the modal masses and the lumped masses contradict each other: without the motion of "
                          "the whole a mode has the mass %.3g of the largest",
                          def->name, values[0] / values[m - 1]);
    phx_free(c);
    phx_free(values);
    return status;
}

/* Takes the modes that came with a model as basis, with their own matrices if it has them. */
phx_status basis_add_own(phx_context *context, const phx_continuum_def *def, const elastic_space *space, shapes *basis)
{
    const phx_elastic_model *model = space->model;
    const size_t n = (size_t)model->n, m = (size_t)model->n_modes;
    phx_status status = own_check(context, def, space);

    if (status)
        return status;
    basis->y = phx_calloc(context, n * m + 1, sizeof *basis->y);
    if (!basis->y)
        return PHX_ERR_MEMORY;
    basis->count = model->n_modes;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < n; i++)
            basis->y[k * n + i] = model->modes[i * m + k];
    return model->modal_K ? make_matrices(context, def, space, basis) : PHX_OK;
}

phx_status basis_own_gram(phx_context *context, const shapes *basis, const double *A, double *out)
{
    const int count = basis->count, m = basis->n_own;
    double *product = phx_calloc(context, (size_t)count * (size_t)m + 1, sizeof *product);

    if (!product)
        return PHX_ERR_MEMORY;
    phx_dense_multiply(false, false, count, m, m, 1.0, basis->own, m, A, m, 0.0, product, m);
    phx_dense_multiply(false, true, count, count, m, 1.0, product, m, basis->own, m, 0.0, out, count);
    phx_free(product);
    return PHX_OK;
}
