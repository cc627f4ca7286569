/* A mechanism on a basis of motions that keep its constraints. */
#include <math.h>
#include <string.h>

#include "reduction.h"

void phx_projected_free(phx_projected *projected)
{
    phx_free(projected->W);
    phx_free(projected->omega);
    phx_free(projected->M);
    phx_free(projected->D);
    phx_free(projected->F);
    phx_free(projected->stiffness);
    *projected = (phx_projected){0};
}

/* out (c x c) = W^T A W, symmetric to the last bit. */
static phx_status congruence(phx_context *context, const phx_csr *a, int c, const double *W, double *out)
{
    double *AW = NULL;
    const phx_status status = phx_csr_times_dense(context, a, c, W, &AW);

    if (!status && c > 0) {
        phx_dense_multiply(true, false, c, c, a->rows, 1.0, W, c, AW, c, 0.0, out, c);
        phx_dense_symmetrise(c, 1.0, out);
    }
    phx_free(AW);
    return status;
}

/* The normal modes in the space of the basis (n x count). */
static phx_status ritz(const phx_full *full, int count, const double *basis, phx_basis *modes, double *omega)
{
    const phx_basis given = {full->n, count, (double *)basis};
    const phx_stiffness stiffness = phx_linear_stiffness(&full->plant->linear);

    return count > 0 ? phx_reduce_normal_modes(full->context, &given, &stiffness, omega, NULL, NULL, modes) : PHX_OK;
}

/* Allocates a projection on the rigid motions, `count` elastic coordinates and the prescribed motions. */
static phx_status projected_allocate(const phx_full *full, int count, phx_projected *projected)
{
    const size_t n = (size_t)full->n, m = (size_t)full->m;

    *projected =
        (phx_projected){.n = full->n, .m = full->m, .held = full->held, .rigid = full->rigid, .free = full->free};
    projected->r = full->rigid + count;
    projected->c = projected->r + projected->held;
    const size_t c = (size_t)projected->c, held = (size_t)projected->held;
    projected->W = phx_calloc(full->context, n * c + 1, sizeof *projected->W);
    projected->omega = phx_calloc(full->context, (size_t)projected->r + 1, sizeof *projected->omega);
    projected->M = phx_calloc(full->context, c * c + 1, sizeof *projected->M);
    projected->D = phx_calloc(full->context, c * c + 1, sizeof *projected->D);
    projected->F = phx_calloc(full->context, c * m + 1, sizeof *projected->F);
    projected->stiffness = phx_calloc(full->context, held * held + 1, sizeof *projected->stiffness);
    return projected->W && projected->omega && projected->M && projected->D && projected->F && projected->stiffness
               ? PHX_OK
               : PHX_ERR_MEMORY;
}

/* W = (rigid motions, elastic ones, static lifting) */
static void fill_basis(const phx_full *full, int count, const phx_basis *modes, const int *chosen,
                       phx_projected *projected)
{
    const int from = full->f + full->held, rigid = full->rigid;

    for (int i = 0; i < full->n; i++) {
        const double *row = full->modes + (size_t)i * (size_t)from;
        double *W = projected->W + (size_t)i * (size_t)projected->c;
        memcpy(W, row, (size_t)rigid * sizeof *W);
        for (int k = 0; k < count; k++)
            W[rigid + k] =
                modes ? modes->columns[(size_t)i * (size_t)count + (size_t)k] : row[rigid + (chosen ? chosen[k] : k)];
        memcpy(W + projected->r, row + full->f, (size_t)full->held * sizeof *W);
    }
    for (int k = 0; k < count && !modes; k++)
        projected->omega[rigid + k] = full->omega[rigid + (chosen ? chosen[k] : k)];
}

/* X^T K X; what is rounding of its terms is zero. */
static void static_stiffness(const phx_full *full, phx_projected *projected)
{
    static const double ROUNDING = 1e-11; /* relative to the terms */

    for (int i = 0; i < projected->held; i++)
        for (int j = 0; j <= i; j++) {
            double size = 0.0;
            const double value = phx_form(&full->K, projected->c, projected->W + projected->r + i, projected->c,
                                          projected->W + projected->r + j, &size);
            projected->stiffness[i * projected->held + j] = projected->stiffness[j * projected->held + i] =
                fabs(value) > ROUNDING * size ? value : 0.0;
        }
}

/* Columns `from` to `to` of F for input k are zero where they are all rounding of terms of this size: an input that
 * joints take whole, or that moves rigid motions alone. Scaled to one it would be an input like others. */
static void projected_clear_rounding(phx_projected *projected, int from, int to, int k, double size)
{
    static const double rounding = 1e-12;
    double most = 0.0;

    for (int j = from; j < to; j++)
        most = fmax(most, fabs(projected->F[j * projected->m + k]));
    for (int j = from; j < to && most <= rounding * size; j++)
        projected->F[j * projected->m + k] = 0.0;
}

/* Prescribed motions that move elastic modes by rounding alone move none. */
static void clear_lifting(phx_projected *projected)
{
    static const double rounding = 1e-12;
    const int c = projected->c;

    for (int s = projected->r; s < c; s++) {
        double most = 0.0;
        for (int i = projected->rigid; i < projected->r; i++)
            most = fmax(most, fabs(projected->M[i * c + s]));
        for (int i = projected->rigid; i < projected->r && most <= rounding * sqrt(projected->M[s * c + s]); i++)
            projected->M[i * c + s] = projected->M[s * c + i] = 0.0;
    }
}

/* W^T F */
static phx_status fill_forces(const phx_full *full, phx_projected *projected)
{
    const phx_csr *F = &full->plant->channels.F;
    double *size = phx_calloc(full->context, (size_t)projected->m + 1, sizeof *size);

    if (!size)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < full->n; i++)
        for (int k = F->ptr[i]; k < F->ptr[i + 1]; k++)
            for (int j = 0; j < projected->c; j++) {
                const double term = projected->W[(size_t)i * (size_t)projected->c + (size_t)j] * F->val[k];
                projected->F[j * projected->m + F->idx[k]] += term;
                size[F->idx[k]] += fabs(term);
            }
    for (int k = 0; k < projected->m; k++) {
        projected_clear_rounding(projected, 0, projected->rigid, k, size[k]);
        projected_clear_rounding(projected, projected->rigid, projected->r, k, size[k]);
    }
    phx_free(size);
    return PHX_OK;
}

/* V^T D V of Rayleigh damping is alpha + beta omega^2, whatever rounding makes of it. */
static void rayleigh_damping(const phx_full *full, phx_projected *projected)
{
    for (int i = 0; i < projected->r && full->rayleigh.exact; i++)
        for (int j = 0; j < projected->r; j++)
            projected->D[i * projected->c + j] =
                i == j ? full->rayleigh.alpha + full->rayleigh.beta * projected->omega[i] * projected->omega[i] : 0.0;
}

/* Projected mass, damping, forces and static stiffness; entries that are zero or one by construction are set
 * exactly. */
static phx_status fill_matrices(const phx_full *full, phx_projected *projected)
{
    const int c = projected->c;
    phx_status status = congruence(full->context, &full->plant->linear.M, c, projected->W, projected->M);

    if (!status)
        status = congruence(full->context, &full->D, c, projected->W, projected->D);
    if (!status)
        rayleigh_damping(full, projected);
    for (int i = 0; i < projected->r && !status; i++)
        for (int j = 0; j < projected->r; j++)
            projected->M[i * c + j] = i == j ? 1.0 : 0.0;
    if (!status)
        clear_lifting(projected);
    for (int i = 0; i < projected->free && !status; i++)
        for (int j = 0; j < c; j++)
            projected->D[i * c + j] = projected->D[j * c + i] = 0.0;
    if (!status)
        status = fill_forces(full, projected);
    if (!status)
        static_stiffness(full, projected);
    return status;
}

/* Projects a mechanism on a basis of elastic motions (made normal modes), or, with basis NULL, on its own modes,
 * chosen[] or the first `count`. */
phx_status phx_project(const phx_full *full, int count, const double *basis, const int *chosen,
                       phx_projected *projected)
{
    phx_basis modes = {0};
    phx_status status = projected_allocate(full, count, projected);

    if (!status && basis)
        status = ritz(full, count, basis, &modes, projected->omega + full->rigid);
    if (!status) {
        fill_basis(full, count, basis ? &modes : NULL, chosen, projected);
        status = fill_matrices(full, projected);
    }
    phx_basis_free(&modes);
    return status;
}
