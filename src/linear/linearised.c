/* The reduced second-order form of a linearised mechanism: normal modes and prescribed motions. */
#include "linearised.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

phx_status phx_csr_times_dense(phx_context *context, const phx_csr *a, int cols, const double *x, double **y)
{
    *y = phx_calloc(context, (size_t)a->rows * (size_t)cols, sizeof **y);
    if (!*y)
        return PHX_ERR_MEMORY;
    phx_csr_apply_dense(a, cols, x, *y);
    return PHX_OK;
}

/* ---- work of the reduction ---- */
typedef struct reduction {
    phx_context *context;
    phx_linearised *plant;
    double rtol;
    int n, m, held, f; /* coordinates, rows of G and of H, free motions */
    double *A;         /* (m + held) x n: G and H */
    phx_basis modes;   /* n x f */
    double resolution;
    bool skew;   /* K has a part that is not symmetric */
    double *Z;   /* n x (m + held): A Z = I, Z^T M modes = 0 */
    double *eta; /* f x held: removes the elastic modes from the motion that follows s */
    double *W;   /* outputs x n: multipliers to outputs, Y_L Z^T */
} reduction;

static void reduction_free(reduction *w)
{
    phx_free(w->A);
    phx_basis_free(&w->modes);
    phx_free(w->Z);
    phx_free(w->eta);
    phx_free(w->W);
}

/* ---- free motions ---- */
static phx_status rank_of(reduction *w, int rows, int *rank)
{
    phx_basis basis = {0};
    const phx_status status =
        phx_reduce_free_motions(w->context, w->n, w->plant->factor, rows, w->A, w->rtol, rank, &basis);
    phx_basis_free(&basis);
    return status;
}

static phx_status refuse_motion(phx_context *context, const phx_channels *channels, int h)
{
    int k = 0;
    while (channels->held[k] != h)
        k++;
    return phx_fail(context, PHX_ERR_INPUT,
                    "'%s' cannot be prescribed: the joints, locked drives or other prescribed motions hold this motion "
                    "already",
                    channels->inputs[k]);
}

/* The first prescribed motion that depends on the constraints before it. */
static phx_status name_dependent_motion(reduction *w, int rank_all)
{
    const phx_channels *channels = &w->plant->channels;
    int before = 0, rank = 0;
    phx_status status = rank_of(w, w->m, &before);

    if (status || rank_all == before + w->held)
        return status;
    for (int h = 0; h < w->held; h++, before = rank) {
        status = rank_of(w, w->m + h + 1, &rank);
        if (!status && rank == before)
            status = refuse_motion(w->context, channels, h);
        if (status)
            return status;
    }
    return PHX_OK;
}

/* Basis of the null space of [G; H] with unit mass; fails if a prescribed motion depends on joints or on other
 * motions. */
static phx_status free_motions(reduction *w, phx_basis *basis)
{
    const phx_channels *channels = &w->plant->channels;
    const size_t n = (size_t)w->n, rows = (size_t)(w->m + w->held);
    int rank = 0;
    phx_status status = PHX_OK;

    w->A = phx_calloc(w->context, rows * n, sizeof *w->A);
    if (!w->A)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(&channels->G, w->A);
    phx_csr_to_dense(&channels->H, w->A + (size_t)w->m * n);
    status = phx_reduce_free_motions(w->context, w->n, w->plant->factor, (int)rows, w->A, w->rtol, &rank, basis);
    if (!status && w->held > 0 && rank < (int)rows)
        status = name_dependent_motion(w, rank);
    w->f = w->n - rank;
    return status;
}

/* Small frequencies are compared with the rigid-body modes that joints and prescribed motions leave. */
static phx_status compare_slow(reduction *w)
{
    phx_reduced *r = &w->plant->reduced;
    phx_linear held = w->plant->linear; /* the rows of G are its own */
    phx_undamped undamped = {
        .modes = w->modes, .frequency = r->omega, .freedom = w->f, .resolution = w->resolution}; /* these borrowed */
    phx_kkt kkt = {0};

    held.G = (phx_csr){0};
    held.m = w->m + w->held;
    phx_status status = phx_channels_stack(w->context, &w->plant->channels, &held.G);
    if (!status)
        status = phx_undamped_compare(w->context, &held, w->rtol, &kkt, &undamped);
    w->resolution = undamped.resolution;
    phx_csr_free(&held.G);
    phx_shapes_free(&undamped.rigid);
    phx_kkt_free(&kkt);
    return status;
}

/* Normal modes in the basis of free motions: r->omega (negative for an instability), with frequencies below the
 * resolution set to zero and counted as rigid. */
static phx_status normal_modes(reduction *w, const phx_basis *basis)
{
    static const double ASYMMETRIC = 1e-10; /* skew part of the stiffness, relative to the symmetric one */
    phx_reduced *r = &w->plant->reduced;
    const phx_stiffness stiffness = phx_linear_stiffness(&w->plant->linear);
    double asymmetry = 0.0;
    phx_status status = PHX_OK;

    r->omega = phx_calloc(w->context, (size_t)w->f, sizeof *r->omega);
    if (!r->omega)
        return PHX_ERR_MEMORY;
    if (w->f == 0)
        return PHX_OK;
    status = phx_reduce_normal_modes(w->context, basis, &stiffness, r->omega, &w->resolution, &asymmetry, &w->modes);
    w->skew = asymmetry > ASYMMETRIC;
    if (!status)
        status = compare_slow(w);
    for (int i = 0; i < w->f && !status; i++) {
        const bool rigid = fabs(r->omega[i]) <= w->resolution;
        if (rigid)
            r->omega[i] = 0.0;
        r->rigid += rigid;
    }
    r->modes = w->f - r->rigid;
    return status;
}

/* ---- multipliers and prescribed motions ---- */
/* Z = L^-T (A L^-T)^+, rows of A L^-T scaled to one. */
static phx_status right_inverse(reduction *w)
{
    static const double RANK = 1e-12; /* of rows of length 1 */
    const int n = w->n, rows = w->m + w->held;
    const size_t cells = (size_t)n * (size_t)rows;
    double *B = phx_calloc(w->context, cells, sizeof *B), *T = phx_calloc(w->context, cells, sizeof *T);
    double *scale = phx_calloc(w->context, (size_t)rows * (size_t)rows, sizeof *scale);
    phx_status status = PHX_OK;

    w->Z = phx_calloc(w->context, cells, sizeof *w->Z);
    if (!B || !T || !scale || !w->Z)
        status = PHX_ERR_MEMORY;
    if (!status && rows > 0) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < rows; k++)
                T[i * rows + k] = w->A[k * n + i];
        phx_dense_triangle_solve(false, n, w->plant->factor, rows, T); /* (A L^-T)^T = L^-1 A^T */
        for (int k = 0; k < rows; k++) {
            double norm = 0.0;
            for (int i = 0; i < n; i++)
                norm = hypot(norm, T[i * rows + k]);
            scale[k * rows + k] = norm > 0.0 ? 1.0 / norm : 1.0;
            for (int i = 0; i < n; i++)
                B[k * n + i] = T[i * rows + k] * scale[k * rows + k];
        }
        status = phx_dense_least_norm(w->context, rows, n, B, rows, scale, RANK, w->Z, NULL);
    }
    if (!status && rows > 0)
        phx_dense_triangle_solve(true, n, w->plant->factor, rows, w->Z);
    phx_free(B);
    phx_free(T);
    phx_free(scale);
    return status;
}

/* b = Z_H - P_el eta, eta = Lambda^-1 P_el^T K_s Z_H: with it s moves no mode by stiffness. */
static phx_status static_motions(reduction *w, double *b)
{
    const phx_stiffness stiffness = phx_linear_stiffness(&w->plant->linear);
    const phx_csr *const parts[] = {stiffness.root, stiffness.rest};
    const phx_reduced *r = &w->plant->reduced;
    const int n = w->n, f = w->f, k = w->held;
    phx_status status = PHX_OK;

    for (int i = 0; i < n; i++)
        for (int h = 0; h < k; h++)
            b[i * k + h] = w->Z[i * (w->m + k) + w->m + h];
    w->eta = phx_calloc(w->context, (size_t)f * (size_t)k, sizeof *w->eta);
    if (!w->eta)
        return PHX_ERR_MEMORY;
    for (int part = 0; part < 2 && !status && f > 0; part++) {
        double *left = NULL, *right = NULL;
        if (!parts[part])
            continue;
        status = phx_csr_times_dense(w->context, parts[part], k, b, &right);
        if (!status && part == 0) { /* (root P)^T (root b) */
            status = phx_csr_times_dense(w->context, parts[0], f, w->modes.columns, &left);
            if (!status)
                phx_dense_multiply(true, false, f, k, parts[0]->rows, 1.0, left, f, right, k, 1.0, w->eta, k);
        } else if (!status) { /* P^T rest b, its symmetric part */
            phx_dense_multiply(true, false, f, k, n, w->skew ? 0.5 : 1.0, w->modes.columns, f, right, k, 1.0, w->eta,
                               k);
            if (w->skew)
                status = phx_csr_times_dense(w->context, parts[1], f, w->modes.columns, &left);
            if (!status && w->skew)
                phx_dense_multiply(true, false, f, k, n, 0.5, left, f, b, k, 1.0, w->eta, k);
        }
        phx_free(left);
        phx_free(right);
    }
    for (int i = 0; i < f && !status; i++)
        for (int h = 0; h < k; h++)
            w->eta[i * k + h] = r->omega[i] == 0.0 ? 0.0 : w->eta[i * k + h] / (r->omega[i] * fabs(r->omega[i]));
    if (!status && f > 0)
        phx_dense_multiply(false, false, n, k, f, -1.0, w->modes.columns, f, w->eta, k, 1.0, b, k);
    return status;
}

/* basis = [modes b] */
static phx_status make_basis(reduction *w)
{
    phx_reduced *r = &w->plant->reduced;
    const int c = w->f + w->held;
    double *b = phx_calloc(w->context, (size_t)w->n * (size_t)w->held, sizeof *b);
    phx_status status = b ? PHX_OK : PHX_ERR_MEMORY;

    r->n = w->n;
    r->count = c;
    r->held = w->held;
    r->basis = phx_calloc(w->context, (size_t)w->n * (size_t)c, sizeof *r->basis);
    if (!r->basis)
        status = PHX_ERR_MEMORY;
    if (!status)
        status = static_motions(w, b);
    for (int i = 0; i < w->n && !status; i++) {
        for (int j = 0; j < w->f; j++)
            r->basis[(size_t)i * (size_t)c + (size_t)j] = w->modes.columns[(size_t)i * (size_t)w->f + (size_t)j];
        for (int h = 0; h < w->held; h++)
            r->basis[(size_t)i * (size_t)c + (size_t)(w->f + h)] = b[i * w->held + h];
    }
    phx_free(b);
    return status;
}

/* ---- reduced matrices ---- */
/* K basis, with zero columns for motions without stiffness: rigid modes, and prescribed motions of a frequency that is
 * zero to rounding. */
static phx_status stiffness_times_basis(const reduction *w, double **KP)
{
    const phx_reduced *r = &w->plant->reduced;
    const int n = w->n, c = r->count;
    double *MP = NULL;
    phx_status status = phx_csr_times_dense(w->context, &w->plant->linear.K, c, r->basis, KP);

    if (!status)
        status = phx_csr_times_dense(w->context, &w->plant->linear.M, c, r->basis, &MP);
    for (int j = 0; j < c && !status && !w->skew; j++) {
        double k = 0.0, m = 0.0;
        for (int i = 0; i < n; i++) {
            k += r->basis[i * c + j] * (*KP)[i * c + j];
            m += r->basis[i * c + j] * MP[i * c + j];
        }
        if (j < w->f ? r->omega[j] == 0.0 : fabs(k) <= w->resolution * w->resolution * m)
            for (int i = 0; i < n; i++)
                (*KP)[i * c + j] = 0.0;
    }
    phx_free(MP);
    return status;
}

/* D and K: rows of the modes; those of prescribed motions are zero. K = diag(omega^2), and where K is not symmetric its
 * skew part on the modes. */
static phx_status reduce_matrices(reduction *w, const double *DP)
{
    phx_reduced *r = &w->plant->reduced;
    const phx_csr *K = &w->plant->linear.K;
    const int n = w->n, c = r->count, f = w->f;
    double *right = NULL, *left = NULL;
    phx_status status = PHX_OK;

    if (f > 0)
        phx_dense_multiply(true, false, f, c, n, 1.0, w->modes.columns, f, DP, c, 0.0, r->D, c);
    if (w->skew && f > 0) { /* P^T (K - K^T)/2 basis */
        status = phx_csr_times_dense(w->context, K, c, r->basis, &right);
        if (!status)
            status = phx_csr_times_dense(w->context, K, f, w->modes.columns, &left);
        if (!status) {
            phx_dense_multiply(true, false, f, c, n, 0.5, w->modes.columns, f, right, c, 0.0, r->K, c);
            phx_dense_multiply(true, false, f, c, n, -0.5, left, f, r->basis, c, 1.0, r->K, c);
        }
    }
    for (int i = 0; i < f; i++)
        r->K[i * c + i] += r->omega[i] * fabs(r->omega[i]);
    phx_free(right);
    phx_free(left);
    return status;
}

/* Reduced input matrix F: forces on the modes, and for prescribed motions the inertia coupling eta and a unit on the
 * motion itself. */
static phx_status reduce_inputs(reduction *w)
{
    phx_reduced *r = &w->plant->reduced;
    const phx_channels *channels = &w->plant->channels;
    const int m = channels->n_inputs, f = w->f;
    double *F = phx_calloc(w->context, (size_t)w->n * (size_t)m, sizeof *F);

    if (!F)
        return PHX_ERR_MEMORY;
    phx_csr_to_dense(&channels->F, F);
    if (f > 0)
        phx_dense_multiply(true, false, f, m, w->n, 1.0, w->modes.columns, f, F, m, 0.0, r->F, m);
    for (int k = 0; k < m; k++) {
        const int h = channels->held[k];
        if (h < 0)
            continue;
        for (int i = 0; i < f; i++) /* -P^T M b = eta */
            r->F[i * m + k] = w->eta[i * w->held + h];
        r->F[(f + h) * m + k] = 1.0;
    }
    phx_free(F);
    return PHX_OK;
}

/* W = Y_L Z^T; multipliers are Z^T (M xi'' + D xi' + K xi - F u). */
static phx_status multiplier_map(reduction *w)
{
    const phx_channels *channels = &w->plant->channels;
    const int rows = w->m + w->held, p = channels->n_outputs;
    double *Y = phx_calloc(w->context, (size_t)p * (size_t)rows, sizeof *Y);
    double *part = phx_calloc(w->context, (size_t)p * (size_t)rows, sizeof *part);
    phx_status status = Y && part ? PHX_OK : PHX_ERR_MEMORY;

    w->W = phx_calloc(w->context, (size_t)p * (size_t)w->n, sizeof *w->W);
    if (!w->W)
        status = PHX_ERR_MEMORY;
    if (!status) {
        phx_csr_to_dense(&channels->Y_l, part);
        for (int i = 0; i < p; i++)
            memcpy(Y + i * rows, part + i * w->m, (size_t)w->m * sizeof *Y);
        phx_csr_to_dense(&channels->Y_h, part);
        for (int i = 0; i < p; i++)
            memcpy(Y + i * rows + w->m, part + i * w->held, (size_t)w->held * sizeof *Y);
        if (rows > 0)
            phx_dense_multiply(false, true, p, w->n, rows, 1.0, Y, rows, w->Z, rows, 0.0, w->W, w->n);
    }
    phx_free(Y);
    phx_free(part);
    return status;
}

/* out (outputs x count) = Y basis + W X */
static phx_status reduce_output(const reduction *w, const phx_csr *Y, const double *X, double *out)
{
    const phx_reduced *r = &w->plant->reduced;
    const int p = Y->rows, c = r->count;
    double *plain = NULL;
    const phx_status status = phx_csr_times_dense(w->context, Y, c, r->basis, &plain);

    if (!status) {
        memcpy(out, plain, (size_t)p * (size_t)c * sizeof *out);
        if (c > 0)
            phx_dense_multiply(false, false, p, c, w->n, 1.0, w->W, w->n, X, c, 1.0, out, c);
    }
    phx_free(plain);
    return status;
}

/* Reduced output matrices Y_q, Y_v, Y_a and Y_u, with the multipliers eliminated. KP and DP are K and D times the
 * reduced basis. */
static phx_status reduce_outputs(reduction *w, const double *KP, const double *DP)
{
    phx_reduced *r = &w->plant->reduced;
    const phx_channels *channels = &w->plant->channels;
    const int p = channels->n_outputs, m = channels->n_inputs, c = r->count;
    double *MP = NULL, *F = phx_calloc(w->context, (size_t)w->n * (size_t)m, sizeof *F);
    phx_status status = F ? multiplier_map(w) : PHX_ERR_MEMORY;

    if (!status)
        status = phx_csr_times_dense(w->context, &w->plant->linear.M, c, r->basis, &MP);
    for (int i = 0; i < w->n && !status; i++) /* Z^T M modes = 0 */
        memset(MP + (size_t)i * (size_t)c, 0, (size_t)w->f * sizeof *MP);
    if (!status)
        status = reduce_output(w, &channels->Y_q, KP, r->Y_q);
    if (!status)
        status = reduce_output(w, &channels->Y_v, DP, r->Y_v);
    if (!status)
        status = reduce_output(w, &channels->Y_a, MP, r->Y_a);
    if (!status) {
        phx_csr_to_dense(&channels->Y_u, r->Y_u);
        phx_csr_to_dense(&channels->F, F);
        phx_dense_multiply(false, false, p, m, w->n, -1.0, w->W, w->n, F, m, 1.0, r->Y_u, m);
    }
    phx_free(MP);
    phx_free(F);
    return status;
}

/* ---- names ---- */
static phx_status name_pair(phx_context *context, const char *name, const char *rate, char **names, char **rates)
{
    *names = phx_strdup(context, name);
    *rates = phx_strdup(context, rate);
    return *names && *rates ? PHX_OK : PHX_ERR_MEMORY;
}

/* Names of the reduced coordinates and their rates: rigid1, mode1, and those of the prescribed motions. */
static phx_status name_states(reduction *w)
{
    phx_reduced *r = &w->plant->reduced;
    int rigid = 0, mode = 0;
    phx_status status = PHX_OK;

    r->names = phx_calloc(w->context, (size_t)r->count, sizeof *r->names);
    r->rates = phx_calloc(w->context, (size_t)r->count, sizeof *r->rates);
    if (!r->names || !r->rates)
        return PHX_ERR_MEMORY;
    for (int i = 0; i < w->f && !status; i++) {
        char name[24], rate[32];
        if (r->omega[i] == 0.0)
            snprintf(name, sizeof name, "rigid%d", ++rigid);
        else
            snprintf(name, sizeof name, "mode%d", ++mode);
        snprintf(rate, sizeof rate, "%s_dot", name);
        status = name_pair(w->context, name, rate, &r->names[i], &r->rates[i]);
    }
    for (int h = 0; h < w->held && !status; h++)
        status = name_pair(w->context, w->plant->channels.motion[h], w->plant->channels.rate[h], &r->names[w->f + h],
                           &r->rates[w->f + h]);
    return status;
}

/* Allocates the reduced matrices and the identity that serves as mass matrix. */
static phx_status alloc_reduced(phx_context *context, phx_linearised *linear)
{
    phx_reduced *r = &linear->reduced;
    const size_t c = (size_t)r->count, m = (size_t)linear->channels.n_inputs, p = (size_t)linear->channels.n_outputs;

    r->n_inputs = linear->channels.n_inputs;
    r->n_outputs = linear->channels.n_outputs;
    r->D = phx_calloc(context, c * c, sizeof(double));
    r->K = phx_calloc(context, c * c, sizeof(double));
    r->F = phx_calloc(context, c * m, sizeof(double));
    r->Y_q = phx_calloc(context, p * c, sizeof(double));
    r->Y_v = phx_calloc(context, p * c, sizeof(double));
    r->Y_a = phx_calloc(context, p * c, sizeof(double));
    r->Y_u = phx_calloc(context, p * m, sizeof(double));
    linear->identity = phx_calloc(context, c * c, sizeof(double));
    if (!r->D || !r->K || !r->F || !r->Y_q || !r->Y_v || !r->Y_a || !r->Y_u || !linear->identity)
        return PHX_ERR_MEMORY;
    for (size_t i = 0; i < c; i++)
        linear->identity[i * c + i] = 1.0;
    return PHX_OK;
}

/* Computes the second-order form of a linearised mechanism on normal modes and prescribed motions, without multipliers
 * theory 14 (1). */
phx_status phx_linearised_reduce(phx_context *context, double rank_rtol, phx_linearised *linear)
{
    reduction w = {.context = context, .plant = linear, .rtol = rank_rtol};
    phx_basis basis = {0};
    double *KP = NULL, *DP = NULL;

    w.n = linear->linear.n;
    w.m = linear->channels.m;
    w.held = linear->channels.n_held;
    phx_status status = free_motions(&w, &basis);
    if (!status)
        status = normal_modes(&w, &basis);
    if (!status)
        status = right_inverse(&w);
    if (!status)
        status = make_basis(&w);
    if (!status)
        status = alloc_reduced(context, linear);
    if (!status)
        status = stiffness_times_basis(&w, &KP);
    if (!status)
        status = phx_csr_times_dense(context, &linear->linear.D, linear->reduced.count, linear->reduced.basis, &DP);
    if (!status)
        status = reduce_matrices(&w, DP);
    if (!status)
        status = reduce_inputs(&w);
    if (!status)
        status = reduce_outputs(&w, KP, DP);
    if (!status)
        status = name_states(&w);
    phx_free(KP);
    phx_free(DP);
    phx_basis_free(&basis);
    reduction_free(&w);
    return status;
}

/* ---- without dense work ---- */
phx_status phx_channels_stack(phx_context *context, const phx_channels *channels, phx_csr *A)
{
    const phx_csr *const parts[] = {&channels->G, &channels->H};
    const int rows[] = {channels->m, channels->n_held};
    const size_t total = (size_t)(channels->m > 0 ? channels->G.ptr[channels->m] : 0) +
                         (size_t)(channels->n_held > 0 ? channels->H.ptr[channels->n_held] : 0);
    int *row = phx_calloc(context, 2 * total + 1, sizeof *row), *col = row ? row + total : NULL, at = 0;
    double *val = phx_calloc(context, total + 1, sizeof *val);
    size_t count = 0;
    phx_status status = row && val ? PHX_OK : PHX_ERR_MEMORY;

    for (int p = 0; p < 2 && !status; at += rows[p], p++)
        for (int i = 0; i < rows[p]; i++)
            for (int k = parts[p]->ptr[i]; k < parts[p]->ptr[i + 1]; k++) {
                row[count] = at + i;
                col[count] = parts[p]->idx[k];
                val[count++] = parts[p]->val[k];
            }
    if (!status)
        status = phx_csr_from_triplets(context, at, channels->n, count, row, col, val, A);
    phx_free(row);
    phx_free(val);
    return status;
}

/* Fails if a prescribed motion depends on the joints or on other prescribed motions; sparse counterpart of the dense
 * check. */
phx_status phx_linearised_check_motions(phx_context *context, double rank_rtol, const phx_linearised *linear)
{
    const phx_channels *channels = &linear->channels;
    phx_csr rows = {0}, columns = {0};
    int rank = 0, count = 0;
    int *dependent = phx_calloc(context, (size_t)(channels->m + channels->n_held), sizeof *dependent);
    phx_status status = dependent ? PHX_OK : PHX_ERR_MEMORY;

    if (!status && channels->n_held > 0)
        status = phx_channels_stack(context, channels, &rows);
    if (!status && channels->n_held > 0)
        status = phx_csr_transpose(context, &rows, &columns);
    if (!status && channels->n_held > 0)
        status = phx_csr_dependent_columns(context, &columns, rank_rtol > 0.0 ? rank_rtol : RANK_RTOL, &rank, dependent,
                                           &count);
    for (int k = 0; k < count && !status; k++)
        if (dependent[k] >= channels->m)
            status = refuse_motion(context, channels, dependent[k] - channels->m);
    phx_csr_free(&rows);
    phx_csr_free(&columns);
    phx_free(dependent);
    return status;
}
