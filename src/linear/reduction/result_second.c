/* A mechanism on its basis is a mechanism again, without joints: it has the forms that linearised mechanisms have. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result.h"

/* Rows W that express the outputs' multipliers by forces, A W^T = Y_l^T with M W^T in range A^T; allocated for the
 * caller. */
phx_status phx_reduction_multipliers(const phx_full *full, double **W)
{
    const phx_csr *Y_l = &full->plant->channels.Y_l;
    const size_t n = (size_t)full->n, size = n + (size_t)full->A.rows;
    double *x = phx_calloc(full->context, size + 1, sizeof *x);
    phx_status status = x ? PHX_OK : PHX_ERR_MEMORY;

    *W = phx_calloc(full->context, (size_t)Y_l->rows * n + 1, sizeof **W);
    if (!*W)
        status = PHX_ERR_MEMORY;
    for (int i = 0; i < Y_l->rows && !status; i++) { /* [M A^T; A 0] (w, .) = (0, y): A w = y, M w in range A^T */
        if (Y_l->ptr[i] == Y_l->ptr[i + 1])
            continue;
        memset(x, 0, size * sizeof *x);
        for (int k = Y_l->ptr[i]; k < Y_l->ptr[i + 1]; k++)
            x[full->n + Y_l->idx[k]] = Y_l->val[k];
        status = phx_saddle_solve((phx_saddle *)&full->projection, x);
        memcpy(*W + (size_t)i * n, x, n * sizeof *x);
    }
    phx_free(x);
    return status;
}

/* ---- matrices ---- */
static phx_status sparse(phx_context *context, int rows, int cols, const double *dense, phx_csr *out)
{
    return phx_csr_from_dense(context, rows, cols, dense, 0.0, out);
}

/* K = diag(omega^2) and the static stiffness; its root diag(omega) where there is no static stiffness. */
static phx_status fill_stiffness(const phx_full *full, const phx_projected *projected, phx_linear *linear)
{
    const int c = projected->c, r = projected->r, h = projected->held;
    const size_t cells = (size_t)c * (size_t)c;
    double *K = phx_calloc(full->context, 3 * cells + 1, sizeof *K), *root = phx_behind(K, cells),
           *rest = phx_behind(root, cells);
    phx_status status = K ? PHX_OK : PHX_ERR_MEMORY;
    bool plain = true;

    for (int i = 0; i < r && !status; i++) {
        K[i * c + i] = projected->omega[i] * projected->omega[i];
        root[i * c + i] = projected->omega[i];
    }
    for (int i = 0; i < h && !status; i++)
        for (int j = 0; j < h; j++) {
            K[(r + i) * c + r + j] = rest[(r + i) * c + r + j] = projected->stiffness[i * h + j];
            plain = plain && projected->stiffness[i * h + j] == 0.0;
        }
    linear->has_root = plain;
    if (!status)
        status = sparse(full->context, c, c, K, &linear->K);
    if (!status)
        status = sparse(full->context, c, c, root, &linear->root);
    if (!status && !plain)
        status = sparse(full->context, c, c, rest, &linear->rest);
    phx_free(K);
    return status;
}

static phx_status fill_linear(const phx_full *full, const phx_projected *projected, phx_linear *linear)
{
    phx_status status = fill_stiffness(full, projected, linear);

    linear->n = projected->c;
    linear->damped = full->plant->linear.damped;
    if (!status)
        status = sparse(full->context, projected->c, projected->c, projected->M, &linear->M);
    if (!status)
        status = sparse(full->context, projected->c, projected->c, projected->D, &linear->D);
    if (!status)
        status = phx_csr_from_triplets(full->context, 0, projected->c, 0, NULL, NULL, NULL, &linear->G);
    return status;
}

/* out (outputs x c) = Y W + L A W, L (outputs x n) from multipliers; `without` columns of A W count as zero. */
static phx_status project_output(const phx_full *full, const phx_projected *projected, const phx_csr *Y,
                                 const double *L, const phx_csr *A, int without, phx_csr *out)
{
    const int p = Y->rows, c = projected->c;
    double *plain = NULL, *AW = NULL;
    phx_status status = phx_csr_times_dense(full->context, Y, c, projected->W, &plain);

    if (!status)
        status = phx_csr_times_dense(full->context, A, c, projected->W, &AW);
    for (int i = 0; i < full->n && !status; i++)
        memset(AW + (size_t)i * (size_t)c, 0, (size_t)without * sizeof *AW);
    if (!status && c > 0 && p > 0)
        phx_dense_multiply(false, false, p, c, full->n, 1.0, L, full->n, AW, c, 1.0, plain, c);
    if (!status)
        status = sparse(full->context, p, c, plain, out);
    phx_free(plain);
    phx_free(AW);
    return status;
}

/* Y_u - L F */
static phx_status project_feedthrough(const phx_full *full, const double *L, phx_csr *out)
{
    const phx_channels *ch = &full->plant->channels;
    const int p = ch->n_outputs, m = ch->n_inputs;
    double *Y_u = phx_calloc(full->context, (size_t)p * (size_t)m + 1, sizeof *Y_u);
    phx_status status = Y_u ? PHX_OK : PHX_ERR_MEMORY;

    if (!status)
        phx_csr_to_dense(&ch->Y_u, Y_u);
    for (int i = 0; i < full->n && !status; i++)
        for (int k = ch->F.ptr[i]; k < ch->F.ptr[i + 1]; k++)
            for (int l = 0; l < p; l++)
                Y_u[l * m + ch->F.idx[k]] -= L[(size_t)l * (size_t)full->n + (size_t)i] * ch->F.val[k];
    if (!status)
        status = sparse(full->context, p, m, Y_u, out);
    phx_free(Y_u);
    return status;
}

/* ---- channels ---- */
static phx_status name_channels(const phx_full *full, phx_channels *out)
{
    const phx_channels *from = &full->plant->channels;
    phx_context *context = full->context;
    phx_status status = phx_copy_names(context, from->n_inputs, from->inputs, &out->inputs);

    if (!status)
        status = phx_copy_names(context, from->n_outputs, from->outputs, &out->outputs);
    if (!status)
        status = phx_copy_names(context, from->n_held, from->motion, &out->motion);
    if (!status)
        status = phx_copy_names(context, from->n_held, from->rate, &out->rate);
    out->kind = phx_calloc(context, (size_t)from->n_inputs + 1, sizeof *out->kind);
    out->held = phx_calloc(context, (size_t)from->n_inputs + 1, sizeof *out->held);
    if (!out->kind || !out->held)
        return PHX_ERR_MEMORY;
    memcpy(out->kind, from->kind, (size_t)from->n_inputs * sizeof *out->kind);
    memcpy(out->held, from->held, (size_t)from->n_inputs * sizeof *out->held);
    return status;
}

/* H = (0 I) */
static phx_status pick_held(const phx_full *full, const phx_projected *projected, phx_csr *H)
{
    double *dense = phx_calloc(full->context, (size_t)projected->held * (size_t)projected->c + 1, sizeof *dense);
    phx_status status = dense ? PHX_OK : PHX_ERR_MEMORY;

    for (int i = 0; i < projected->held && !status; i++)
        dense[i * projected->c + projected->r + i] = 1.0;
    if (!status)
        status = sparse(full->context, projected->held, projected->c, dense, H);
    phx_free(dense);
    return status;
}

/* Channels of the reduced mechanism: inputs, prescribed motions, and outputs with the multipliers eliminated. */
static phx_status fill_channels(const phx_full *full, const phx_projected *projected, phx_channels *out)
{
    const phx_channels *from = &full->plant->channels;
    double *L = NULL;
    phx_status status = name_channels(full, out);

    out->n = projected->c;
    out->n_held = projected->held;
    out->n_inputs = from->n_inputs;
    out->n_outputs = from->n_outputs;
    if (!status)
        status = phx_reduction_multipliers(full, &L);
    if (!status)
        status = phx_csr_from_triplets(full->context, 0, projected->c, 0, NULL, NULL, NULL, &out->G);
    if (!status)
        status = pick_held(full, projected, &out->H);
    if (!status)
        status = sparse(full->context, projected->c, projected->m, projected->F, &out->F);
    if (!status)
        status = project_output(full, projected, &from->Y_q, L, &full->plant->linear.K, projected->rigid, &out->Y_q);
    if (!status)
        status = project_output(full, projected, &from->Y_v, L, &full->plant->linear.D, projected->free, &out->Y_v);
    if (!status) /* M V is orthogonal to what the rows of L are made of */
        status = project_output(full, projected, &from->Y_a, L, &full->plant->linear.M, projected->r, &out->Y_a);
    if (!status)
        status = phx_csr_from_triplets(full->context, from->n_outputs, 0, 0, NULL, NULL, NULL, &out->Y_l);
    if (!status)
        status = phx_csr_copy(full->context, &from->Y_h, &out->Y_h);
    if (!status)
        status = project_feedthrough(full, L, &out->Y_u);
    phx_free(L);
    return status;
}

/* ---- the whole ---- */
static phx_status result_second_name_coordinates(const phx_full *full, const phx_projected *projected, char ***names)
{
    phx_status status = PHX_OK;

    *names = phx_calloc(full->context, (size_t)projected->c + 1, sizeof **names);
    if (!*names)
        return PHX_ERR_MEMORY;
    for (int k = 0; k < projected->c && !status; k++) {
        char name[24];
        snprintf(name, sizeof name, k < projected->rigid ? "rigid%d" : "mode%d",
                 k < projected->rigid ? k + 1 : k - projected->rigid + 1);
        (*names)[k] =
            phx_strdup(full->context, k < projected->r ? name : full->plant->channels.motion[k - projected->r]);
        status = (*names)[k] ? PHX_OK : PHX_ERR_MEMORY;
    }
    return status;
}

/* Turns a projected mechanism into a reduction that is a linearised mechanism without joints again. */
phx_status phx_reduction_take_second(const phx_full *full, const phx_projected *projected, phx_reduction *out)
{
    const size_t cells = (size_t)projected->n * (size_t)projected->c;
    phx_linear linear = {0};
    phx_channels channels = {0};
    char **names = NULL;
    phx_status status = fill_linear(full, projected, &linear);

    if (!status)
        status = fill_channels(full, projected, &channels);
    if (!status)
        status = result_second_name_coordinates(full, projected, &names);
    if (!status)
        status = phx_linearised_of(full->context, out->name, &linear, &channels, names, 0.0, &out->second);
    else {
        for (int k = 0; names && k < projected->c; k++)
            phx_free(names[k]);
        phx_free(names);
        phx_linear_free(&linear);
        phx_channels_free(&channels);
    }
    out->n = projected->n;
    out->count = projected->c;
    out->basis = phx_calloc(full->context, cells + 1, sizeof *out->basis);
    if (!out->basis)
        return status ? status : PHX_ERR_MEMORY;
    memcpy(out->basis, projected->W, cells * sizeof *out->basis);
    return status;
}
