/* A reduced system of first order, e = (rho, z, nu, s): rigid displacements and velocities beside the elastic states,
 * and motions that are prescribed by their rates w among the inputs u.
 *
 *     rho' = (nu, V z)        V: rigid velocities that are damped, and part of the elastic states
 *     z'   = (J - R) z + (B - P) u,      nu' = F u,      s' = w,      Q = diag(0, I, I, X^T K X)
 *
 * with the lifting of phx_ph_of, xi = T e and xi' = V e + X_inf w, theory 14 (12) and (13). The efforts of w have
 * X_inf^T M X_inf w' beside their outputs: what is improper is that of the model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result.h"

typedef struct first {
    const phx_full *full;
    const phx_projected *all;
    const phx_ph *ph;
    const double *Z; /* x = Z z, x of phx_ph_of for all modes */
    int rigid, free, k, held, size;
    double *T, *V; /* n x size: xi = T e, xi' = V e + U u */
    double *U;     /* n x m */
} first;

static const char *state_name(const first *low, int i, size_t room, char *name)
{
    const int nu = low->rigid + low->k, s = nu + low->free;

    if (i >= s)
        return low->full->plant->channels.motion[i - s];
    if (i < low->rigid)
        snprintf(name, room, "rigid%d", i + 1);
    else if (i < nu)
        snprintf(name, room, "z%d", i - low->rigid + 1);
    else
        snprintf(name, room, "rigid%d_dot", i - nu + 1);
    return name;
}

static phx_status name_states(const first *low, phx_reduction *out)
{
    phx_status status = PHX_OK;

    out->states_names = phx_calloc(low->full->context, (size_t)low->size + 1, sizeof *out->states_names);
    if (!out->states_names)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < low->size && !status; i++) {
        char name[32];
        out->states_names[i] = phx_strdup(low->full->context, state_name(low, i, sizeof name, name));
        status = out->states_names[i] ? PHX_OK : PHX_ERR_MEMORY;
    }
    return status;
}

static phx_status allocate_matrices(const first *low, phx_reduction *out)
{
    const size_t s = (size_t)low->size, m = (size_t)out->m, p = (size_t)out->p, h = (size_t)low->held;
    double **const arrays[] = {&out->J, &out->R, &out->Q, &out->B,     &out->P,   &out->S,
                               &out->N, &out->C, &out->D, &out->D_dot, &out->Y_h, &out->inertia};
    const size_t sizes[] = {s * s, s * s, s * s, s * m, s * m, m * m, m * m, p * s, p * m, p * m, p * h, h * h};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = phx_calloc(low->full->context, sizes[k] + 1, sizeof(double));
        if (!*arrays[k])
            return PHX_ERR_MEMORY;
    }
    return PHX_OK;
}

/* Allocates a first-order result and copies kinds and names of its channels. */
static phx_status result_first_allocate(const first *low, phx_reduction *out)
{
    const phx_channels *ch = &low->full->plant->channels;
    phx_context *context = low->full->context;
    const size_t m = (size_t)ch->n_inputs;

    out->states = low->size;
    out->rigid = low->rigid;
    out->elastic = low->k;
    out->m = ch->n_inputs;
    out->p = ch->n_outputs;
    out->held = low->held;
    out->kind = phx_calloc(context, m + 1, sizeof *out->kind);
    out->row = phx_calloc(context, m + 1, sizeof *out->row);
    phx_status status = out->kind && out->row ? allocate_matrices(low, out) : PHX_ERR_MEMORY;
    if (!status) {
        memcpy(out->kind, ch->kind, m * sizeof *out->kind);
        memcpy(out->row, ch->held, m * sizeof *out->row);
        status = name_states(low, out);
    }
    if (!status)
        status = phx_copy_names(context, out->m, ch->inputs, &out->inputs);
    if (!status)
        status = phx_copy_names(context, out->p, ch->outputs, &out->outputs);
    if (!status)
        status = phx_copy_names(context, out->held, ch->rate, &out->rates);
    return status;
}

/* Row of x with the velocity of column j >= free of all->W. */
static int velocity_row(const first *low, int j)
{
    return low->all->r - low->rigid + j - low->free;
}

/* Fills J, R, Q, B, P, S and N of the first-order result in its states (rho, z, nu, s). */
static void fill_structure(const first *low, phx_reduction *out)
{
    const phx_ph *ph = low->ph;
    const int s = low->size, k = low->k, m = out->m, at = low->rigid, nu = at + k, motion = nu + low->free;

    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            out->J[(at + i) * s + at + j] = ph->J[i * k + j];
            out->R[(at + i) * s + at + j] = ph->R[i * k + j];
        }
        memcpy(out->B + (at + i) * m, ph->B + i * m, (size_t)m * sizeof *out->B);
        memcpy(out->P + (at + i) * m, ph->P + i * m, (size_t)m * sizeof *out->P);
    }
    for (int j = 0; j < low->free; j++) {
        memcpy(out->B + (nu + j) * m, low->all->F + j * m, (size_t)m * sizeof *out->B);
        out->J[j * s + nu + j] = 1.0;
        out->J[(nu + j) * s + j] = -1.0;
    }
    for (int j = low->free; j < low->rigid; j++)
        for (int i = 0; i < k; i++) {
            const double v = low->Z[velocity_row(low, j) * k + i];
            out->J[j * s + at + i] = v;
            out->J[(at + i) * s + j] = -v;
        }
    for (int i = at; i < motion; i++)
        out->Q[i * s + i] = 1.0;
    for (int h = 0; h < low->held; h++)
        memcpy(out->Q + (motion + h) * s + motion, low->all->stiffness + h * low->held,
               (size_t)low->held * sizeof *out->Q);
    for (int l = 0; l < m; l++)
        if (out->row[l] >= 0)
            out->B[(motion + out->row[l]) * m + l] = 1.0;
    memcpy(out->S, ph->S, (size_t)m * (size_t)m * sizeof *out->S);
    memcpy(out->N, ph->N, (size_t)m * (size_t)m * sizeof *out->N);
}

/* xi = T e and xi' = V e + U u; x = (omega q, v) = Z z. */
static phx_status fill_lifting(first *low)
{
    const phx_projected *all = low->all;
    const int n = all->n, s = low->size, k = low->k, m = all->m, c = all->c, elastic = all->r - low->rigid;
    const int *row = low->full->plant->channels.held;
    double *q = phx_calloc(low->full->context, (size_t)c * (size_t)(2 * s + m) + 1, sizeof *q),
           *v = phx_behind(q, (size_t)(c * s)), *u = phx_behind(v, (size_t)(c * s));

    low->T = phx_calloc(low->full->context, (size_t)n * (size_t)(2 * s + m) + 1, sizeof *low->T);
    if (!q || !low->T) {
        phx_free(q);
        return PHX_ERR_MEMORY;
    }
    low->V = low->T + (size_t)n * (size_t)s;
    low->U = low->V + (size_t)n * (size_t)s;
    for (int j = 0; j < low->rigid; j++)
        q[j * s + j] = 1.0;
    for (int j = 0; j < low->free; j++)
        v[j * s + low->rigid + k + j] = 1.0;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < elastic; j++)
            q[(low->rigid + j) * s + low->rigid + i] = low->Z[j * k + i] / all->omega[low->rigid + j];
        for (int j = low->free; j < all->r; j++)
            v[j * s + low->rigid + i] = low->Z[velocity_row(low, j) * k + i];
    }
    for (int h = 0; h < low->held; h++)
        q[(all->r + h) * s + s - low->held + h] = 1.0;
    for (int l = 0; l < m; l++) { /* theory 14 (6): X_inf = X - V V^T M X */
        if (row[l] < 0)
            continue;
        u[(all->r + row[l]) * m + l] = 1.0;
        for (int j = 0; j < all->r; j++)
            u[j * m + l] = -all->M[j * c + all->r + row[l]];
    }
    phx_dense_multiply(false, false, n, s, c, 1.0, all->W, c, q, s, 0.0, low->T, s);
    phx_dense_multiply(false, false, n, s, c, 1.0, all->W, c, v, s, 0.0, low->V, s);
    phx_dense_multiply(false, false, n, m, c, 1.0, all->W, c, u, m, 0.0, low->U, m);
    phx_free(q);
    return PHX_OK;
}

/* X_inf^T M X_inf */
static void fill_inertia(const first *low, phx_reduction *out)
{
    const int m = out->m, held = out->held;

    for (int k = 0; k < m; k++)
        for (int l = 0; l <= k && out->row[k] >= 0; l++)
            if (out->row[l] >= 0)
                out->inertia[out->row[k] * held + out->row[l]] = out->inertia[out->row[l] * held + out->row[k]] =
                    phx_form(&low->full->plant->linear.M, m, low->U + k, m, low->U + l, NULL);
}

/* C += (Y + L A) X, L from multipliers (NULL: none) */
static phx_status add_output(const first *low, const phx_csr *Y, const double *L, const phx_csr *A, const double *X,
                             int cols, double *C)
{
    const int p = Y->rows, n = low->full->n;
    double *plain = NULL, *AX = NULL;
    phx_status status = phx_csr_times_dense(low->full->context, Y, cols, X, &plain);

    for (int i = 0; i < p * cols && !status; i++)
        C[i] += plain[i];
    if (!status && L && p > 0 && cols > 0) {
        status = phx_csr_times_dense(low->full->context, A, cols, X, &AX);
        if (!status)
            phx_dense_multiply(false, false, p, cols, n, 1.0, L, n, AX, cols, 1.0, C, cols);
    }
    phx_free(plain);
    phx_free(AX);
    return status;
}

/* D_dot = (Y_a + L M) U, without what is rounding of its terms. */
static phx_status fill_derivative(const first *low, const double *L, phx_reduction *out)
{
    static const double rounding = 1e-9;
    const phx_csr *Y_a = &low->full->plant->channels.Y_a;
    const int n = low->full->n, m = out->m;
    double *MU = NULL;
    phx_status status = phx_csr_times_dense(low->full->context, &low->full->plant->linear.M, m, low->U, &MU);

    for (int i = 0; i < out->p && !status; i++)
        for (int k = 0; k < m; k++) {
            double sum = 0.0, size = 0.0;
            for (int e = Y_a->ptr[i]; e < Y_a->ptr[i + 1]; e++) {
                const double term = Y_a->val[e] * low->U[(size_t)Y_a->idx[e] * (size_t)m + (size_t)k];
                sum += term;
                size += fabs(term);
            }
            for (int j = 0; j < n; j++) {
                const double term = L[(size_t)i * (size_t)n + (size_t)j] * MU[(size_t)j * (size_t)m + (size_t)k];
                sum += term;
                size += fabs(term);
            }
            out->D_dot[i * m + k] = fabs(sum) > rounding * size ? sum : 0.0;
        }
    phx_free(MU);
    return status;
}

/* C, D and Y_h of the reduced system. The outputs of the full one are
 *
 *     y = Y_q xi + Y_v xi' + Y_a xi'' + Y_l lambda + Y_h mu + Y_u u ,
 *
 * where xi = T e, xi' = V e + U w (U: X_inf) and xi'' = V (A e + B u) + U w', with A = (J - R) Q and B of the reduced
 * system. The multipliers follow from the motion, Y_l lambda = L (M xi'' + D xi' + K xi - F u) with the rows L of
 * phx_reduction_multipliers; add_output takes their part by M, D and K along. mu are the efforts of prescribed
 * motions. */
static phx_status fill_outputs(const first *low, phx_reduction *out)
{
    const phx_linear *linear = &low->full->plant->linear;
    const phx_channels *ch = &low->full->plant->channels;
    const int s = low->size, m = out->m, n = low->full->n;
    double *A = phx_calloc(low->full->context, (size_t)s * (size_t)(s + m) + 1, sizeof *A),
           *B = phx_behind(A, (size_t)(s * s));
    double *VA = phx_calloc(low->full->context, (size_t)n * (size_t)(s + m) + 1, sizeof *VA),
           *VB = phx_behind(VA, (size_t)(n * s)), *L = NULL;
    phx_status status = A && VA ? phx_reduction_multipliers(low->full, &L) : PHX_ERR_MEMORY;

    for (int i = 0; i < s && !status; i++) {
        for (int j = 0; j < s; j++) /* Q is diagonal but for s, where J and R have zero columns */
            A[i * s + j] = (out->J[i * s + j] - out->R[i * s + j]) * out->Q[j * s + j];
        for (int j = 0; j < m; j++)
            B[i * m + j] = out->B[i * m + j] - out->P[i * m + j];
    }
    if (!status) {
        phx_dense_multiply(false, false, n, s, s, 1.0, low->V, s, A, s, 0.0, VA, s);
        phx_dense_multiply(false, false, n, m, s, 1.0, low->V, s, B, m, 0.0, VB, m);
        status = add_output(low, &ch->Y_q, L, &linear->K, low->T, s, out->C);
    }
    if (!status)
        status = add_output(low, &ch->Y_v, L, &linear->D, low->V, s, out->C);
    if (!status && low->held > 0)
        status = add_output(low, &ch->Y_v, L, &linear->D, low->U, m, out->D);
    if (!status)
        status = add_output(low, &ch->Y_a, NULL, NULL, VA, s, out->C);
    if (!status)
        status = add_output(low, &ch->Y_a, NULL, NULL, VB, m, out->D);
    if (!status && low->held > 0)
        status = fill_derivative(low, L, out);
    if (!status && low->held > 0)
        phx_csr_to_dense(&ch->Y_h, out->Y_h);
    for (int i = 0; i < ch->n_outputs && !status; i++)
        for (int k = ch->Y_u.ptr[i]; k < ch->Y_u.ptr[i + 1]; k++)
            out->D[i * m + ch->Y_u.idx[k]] += ch->Y_u.val[k];
    for (int i = 0; i < n && !status; i++)
        for (int k = ch->F.ptr[i]; k < ch->F.ptr[i + 1]; k++)
            for (int l = 0; l < ch->n_outputs; l++)
                out->D[l * m + ch->F.idx[k]] -= L[(size_t)l * (size_t)n + (size_t)i] * ch->F.val[k];
    phx_free(A);
    phx_free(VA);
    phx_free(L);
    return status;
}

/* Turns a reduced first-order system into the result with lifting, outputs and basis. */
phx_status phx_reduction_take_first(const phx_full *full, const phx_projected *all, const phx_ph *ph, const double *Z,
                                    phx_reduction *out)
{
    first low = {.full = full, .all = all, .ph = ph, .Z = Z, .rigid = full->rigid, .free = full->free, .k = ph->n};
    low.held = full->held;
    low.size = low.rigid + low.k + low.free + low.held;
    phx_status status = result_first_allocate(&low, out);

    if (!status)
        status = fill_lifting(&low);
    if (!status) {
        fill_structure(&low, out);
        fill_inertia(&low, out);
        status = fill_outputs(&low, out);
    }
    out->n = full->n;
    out->count = low.size;
    out->basis = phx_calloc(full->context, (size_t)full->n * (size_t)low.size + 1, sizeof *out->basis);
    if (!out->basis)
        status = status ? status : PHX_ERR_MEMORY;
    else if (!status)
        memcpy(out->basis, low.T, (size_t)full->n * (size_t)low.size * sizeof *out->basis);
    phx_free(low.T);
    return status;
}
