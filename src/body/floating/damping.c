/* Material damping R of a body, and what its force is made of. */
#include "floating.h"

#include <math.h>
#include <string.h>

#include "reduce/reduce.h"

/* Modes of (M, K): columns of phi with phi^T M phi = I, and omega. Of fine meshes by the root B, K = B^T B, because low
 * frequencies would lose digits by K. M, K: dense, n x n; K is overwritten. */
static phx_status normal_modes(phx_context *context, const phx_floating *body, const double *M, double *K,
                               double *omega, double *phi)
{
    const int n = body->base.n_q;
    const size_t nn = (size_t)n * (size_t)n;
    const phx_stiffness stiffness = {.root = body->root};
    phx_basis basis = {.n = n, .count = n, .columns = phi}, modes = {0};

    if (!body->root) {
        const phx_status status = phx_dense_eigen_symmetric(context, n, K, M, omega, phi);
        for (int k = 0; k < n && !status; k++)
            omega[k] = sqrt(fmax(omega[k], 0.0));
        return status;
    }
    memcpy(K, M, nn * sizeof *K);
    phx_status status = phx_dense_cholesky(context, n, K);
    memset(phi, 0, nn * sizeof *phi);
    for (int i = 0; i < n; i++)
        phi[i * n + i] = 1.0;
    if (!status) {
        phx_dense_triangle_solve(true, n, K, n, phi); /* L^-T */
        status = phx_reduce_normal_modes(context, &basis, &stiffness, omega, NULL, NULL, &modes);
    }
    if (!status)
        memcpy(phi, modes.columns, nn * sizeof *phi);
    phx_basis_free(&modes);
    return status;
}

/* Every (M_qq, K) mode gets the same ratio: R = M Phi diag(2 zeta omega) Phi^T M = W^T W, Phi^T M Phi = I,
 * W = diag(2 zeta omega)^1/2 Phi^T M; both dense. */
static phx_status modal_damping(phx_context *context, double zeta, phx_floating *body)
{
    const phx_flex *flex = body->flex;
    const int n = flex->n;
    const size_t nn = (size_t)n * (size_t)n;
    double *work = phx_calloc(context, 4 * nn + (size_t)n, sizeof *work);

    if (!work)
        return PHX_ERR_MEMORY;
    double *M = work, *K = work + nn, *phi = work + 2 * nn, *m_phi = work + 3 * nn, *omega = work + 4 * nn;
    for (int i = 0; i < n; i++) {
        for (int k = flex->ptr[i]; k < flex->ptr[i + 1]; k++) {
            M[i * n + flex->idx[k]] = flex->M[k];
            K[i * n + flex->idx[k]] = flex->K[k];
        }
    }
    phx_status status = normal_modes(context, body, M, K, omega, phi);
    if (status)
        goto cleanup;
    phx_dense_multiply(false, false, n, n, n, 1.0, M, n, phi, n, 0.0, m_phi, n);
    /* theory 8 (1): R_d = sum 2 zeta omega_i (M phi_i)(M phi_i)^T */
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            K[i * n + k] = m_phi[i * n + k] * 2.0 * zeta * omega[k];
    phx_dense_multiply(false, true, n, n, n, 1.0, K, n, m_phi, n, 0.0, M, n);
    phx_dense_symmetrise(n, 1.0, M);
    status = phx_csr_from_dense(context, n, n, M, -1.0, &body->damping);
    if (status || !phx_floating_is_fine(body))
        goto cleanup;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            phi[k * n + i] = m_phi[i * n + k] * sqrt(2.0 * zeta * omega[k]);
    status = phx_csr_from_dense(context, n, n, phi, -1.0, &body->modal_root);
cleanup:
    phx_free(work);
    return status;
}

/* out = alpha M_qq + beta K + diag(r) */
static phx_status pattern_damping(phx_context *context, const phx_body_def *def, const phx_flex *flex, double beta,
                                  phx_csr *out)
{
    const double alpha = def->damping_mass;
    const int nnz = flex->ptr[flex->n];
    const phx_csr M = {flex->n, flex->n, flex->ptr, flex->idx, flex->M};
    phx_status status = phx_csr_copy(context, &M, out);

    for (int k = 0; k < nnz && !status; k++)
        out->val[k] = alpha * flex->M[k] + beta * flex->K[k];
    for (int i = 0; i < flex->n && !status && def->damping_diagonal; i++)
        out->val[phx_csr_find(out, i, i)] += def->damping_diagonal[i];
    return status;
}

/* R = alpha M_qq + beta K + diag(r). The second term is a resistor on the stress, beta M2^-1 D q_dot (theory 8 (2)),
 * since K = D^T M2^-1 D; on a fine mesh it goes through the strains as the elastic force does. */
static phx_status rayleigh_damping(phx_context *context, const phx_body_def *def, bool diagonal, phx_floating *body)
{
    phx_status status = pattern_damping(context, def, body->flex, def->damping_stiffness, &body->damping);

    body->friction = &body->damping;
    if (status || !body->root || def->damping_stiffness == 0.0)
        return status;
    body->strain_damping = def->damping_stiffness;
    body->friction = NULL;
    if (def->damping_mass == 0.0 && !diagonal)
        return PHX_OK;
    body->friction = &body->rest;
    return pattern_damping(context, def, body->flex, 0.0, &body->rest);
}

/* Checks the damping of the definition and builds R_d: Rayleigh (mass, stiffness and diagonal parts together) or modal,
 * not both (theory 8). */
phx_status phx_floating_make_damping(phx_context *context, const phx_body_def *def, phx_floating *body)
{
    const double alpha = def->damping_mass, beta = def->damping_stiffness, zeta = def->damping_modal;
    bool diagonal = false;

    if (!(alpha >= 0.0) || !(beta >= 0.0) || !(zeta >= 0.0) || !isfinite(alpha + beta + zeta))
        return phx_fail(context, PHX_ERR_ARGUMENT,
                        "body '%s': damping must not be negative (mass %g, stiffness %g, modal %g)", body->base.name,
                        alpha, beta, zeta);
    for (int i = 0; i < body->base.n_q && def->damping_diagonal; i++) {
        if (!(def->damping_diagonal[i] >= 0.0) || !isfinite(def->damping_diagonal[i]))
            return phx_fail(context, PHX_ERR_ARGUMENT,
                            "body '%s': damping of coordinate %d is %g, must be finite and not negative",
                            body->base.name, i + 1, def->damping_diagonal[i]);
        diagonal = diagonal || def->damping_diagonal[i] > 0.0;
    }
    if (zeta > 0.0 && (alpha > 0.0 || beta > 0.0 || diagonal))
        return phx_fail(context, PHX_ERR_ARGUMENT, "body '%s': give modal or Rayleigh damping, not both",
                        body->base.name);
    body->damped = body->base.n_q > 0 && (alpha > 0.0 || beta > 0.0 || zeta > 0.0 || diagonal);
    if (!body->damped)
        return PHX_OK;
    body->damping_def[0] = alpha;
    body->damping_def[1] = beta;
    body->damping_def[2] = zeta;
    if (zeta == 0.0)
        return rayleigh_damping(context, def, diagonal, body);
    const phx_status status = modal_damping(context, zeta, body);
    body->friction = phx_floating_is_fine(body) ? NULL : &body->damping;
    return status;
}

void phx_body_subtract_rooted_damping(const phx_body *base, double *D)
{
    const phx_floating *body = phx_as_floating(base);

    if (!body || !body->damped || body->friction == &body->damping)
        return;
    for (int k = 0; k < body->damping.ptr[body->base.n_q]; k++) {
        D[body->damping_at[k]] -= body->damping.val[k];
        if (body->friction) /* on the same pattern */
            D[body->damping_at[k]] += body->rest.val[k];
    }
}
